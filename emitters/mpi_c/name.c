/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses names in emitted C: of the algorithm's variables, and of the function, which a user may choose.
 *
 * While a file is written the function's name is replaced by a stand-in of as many STAND_IN bytes. So the
 * other names of the file can be found in its text, without a list of them.
 */
#include "emitters/mpi_c/mpi_c.h"

#include <stdio.h>
#include <string.h>

#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
static const char letters[] = SMALL CAPITALS "_" DIGITS;
enum { STAND_IN = '\1' };

static const char *const reserved[] = {
    "asm", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "false", "float", "for", "fortran", "goto", "if", "inline", "int",
    "linux", "long", "main", "register", "restrict", "return", "run", "short", "signed", "sizeof",
    "static", "stderr", "stdin", "stdout", "struct", "switch", "true", "typedef", "typeof", "union",
    "unix", "unsigned", "void", "volatile", "while", "errno", "math_errhandling", "alignas",
    "alignof", "constexpr", "nullptr", "static_assert", "thread_local", "in", "out", "buf", "tmp"};

/* --- names of the system ------------------------------------------------ */

/* Names of the system's libraries that a program must not define: the MPI would call the program's `send`
 * for its own. Most of them consist of small letters and digits alone. */
static const char *const system_names[] = {
#include "emitters/mpi_c/system_names.def"
};

/* Beginnings of large families of such names; C reserves the first ones. */
static const char *const system_families[] = {
    "str", "mem", "wc", "is", "to", "wmem", "mb", "fe", "sig", "get", "set", "end", "shm", "sem",
    "msg", "tc", "cf", "cat", "dl", "mk"};

/* Beginnings and endings of the others. */
static const char *const system_beginnings[] = {
    "aio_", "clock_", "cnd_", "epoll_", "gai_", "iconv_", "if_", "inet_", "inotify_", "lio_", "mq_", "mtx_",
    "nl_", "posix_", "process_", "pthread_", "sched_", "sem_", "shm_", "thrd_", "timer_", "timespec_", "tss_",
    "aligned_alloc", "memfd_create", "secure_getenv"};
static const char *const system_endings[] = {"_exit", "_l", "_memstream", "_np", "_r", "_unlocked",
                                             "_wmemstream"};

#define COUNT(names) (sizeof names / sizeof *names)

static bool name_is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool name_ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), n = strlen(ending);
    return length > n && strcmp(name + length - n, ending) == 0;
}

static bool begins_like(const char *name, const char *const *beginnings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (begins_with(name, beginnings[i]))
            return true;
    return false;
}

/* True for "send", and for "sinf", which is "sin" for another type. */
static bool is_system_word(const char *name)
{
    char stem[C_NAME_LENGTH + 1];
    const size_t length = strlen(name);
    snprintf(stem, sizeof stem, "%.*s", (int)(length - 1), name);
    return begins_like(name, system_families, COUNT(system_families)) ||
           name_is_among(name, system_names, COUNT(system_names)) ||
           (strchr("fl", name[length - 1]) && name_is_among(stem, system_names, COUNT(system_names)));
}

/* Requires a name in C. */
static bool is_of_system(const char *name)
{
    if (strpbrk(name, CAPITALS) || begins_with(name, "my_"))
        return false;
    if (!strchr(name, '_'))
        return is_system_word(name);
    for (size_t i = 0; i < COUNT(system_endings); i++)
        if (name_ends_with(name, system_endings[i]))
            return true;
    return begins_like(name, system_beginnings, COUNT(system_beginnings));
}

/* True if C or a header may give the name a meaning of its own; names of types end with _t. */
static bool is_reserved(const char *name)
{
    return name[0] == '_' || name_ends_with(name, "_t") || name_is_among(name, reserved, COUNT(reserved));
}

/* Prints the name. Macros are in capitals. A name that begins like a changed one is changed too, so that no
 * two names become one. */
void c_name(const char *name, struct text *out)
{
    const bool is_taken = is_reserved(name) || strpbrk(name, CAPITALS) ||
                          begins_with(name, "collc_") || begins_with(name, "my_");
    text_printf(out, is_taken ? "my_%s" : "%s", name);
}

const char *emit_c_refusal(const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || strspn(name, letters) != length || strchr(DIGITS, *name))
        return "it is no name in C: letters, digits and '_', no digit first";
    if (length > C_NAME_LENGTH)
        return "it is longer than 200 characters";
    if (begins_with(name, "MPI_") || begins_with(name, "PMPI_"))
        return "names that begin so are MPI's; compiled with -DCOLLC_SHIM the file has MPI's function";
    if (is_reserved(name))
        return "the emitted C has it for something else";
    if (is_of_system(name))
        return "the system has, or may have, a function of that name; one that begins with my_ is free";
    return strpbrk(name, SMALL) ? NULL : "names in capitals are those of macros";
}

/* --- the name of the function ------------------------------------------- */

void c_name_function(struct c_unit *unit, const char *function)
{
    if (function)
        snprintf(unit->name, sizeof unit->name, "%s", function);
    else
        snprintf(unit->name, sizeof unit->name, "collc_%s_%.150s",
                 collective_name(unit->collective, unit->form), unit->algorithm);
    for (char *c = unit->name; *c; c++)
        if (!strchr(letters, *c))
            *c = '_';
    memset(unit->function, 0, sizeof unit->function);
    memset(unit->function, STAND_IN, strlen(unit->name));
}

void c_suffix(const struct c_unit *unit, char suffix[C_NAME_LENGTH + 1])
{
    snprintf(suffix, C_NAME_LENGTH + 1, "%s", unit->name + strlen("collc"));
}

/* Returns the place behind a comment or a literal that begins at `from`. */
static const char *skip_quoted(const char *from)
{
    if (*from == '/') {
        const char *end = strstr(from + 2, "*/");
        return end ? end + 2 : from + strlen(from);
    }
    const char *c = from + 1;
    while (*c && *c != *from)
        c += *c == '\\' && c[1] ? 2 : 1;
    return *c ? c + 1 : c;
}

/* True if the code has the name already. */
static bool has_name(const char *code, const char *name)
{
    for (const char *c = code; *c;) {
        const size_t length = strspn(c, letters);
        if (length == strlen(name) && strncmp(c, name, length) == 0)
            return true;
        if (length)
            c += length;
        else
            c = begins_with(c, "/*") || *c == '"' || *c == '\'' ? skip_quoted(c) : c + 1;
    }
    return false;
}

bool c_name_fill(const struct c_unit *unit, struct text *out)
{
    const size_t length = strlen(unit->name);
    if (has_name(out->data, unit->name))
        return false;
    for (char *c = out->data; (c = strstr(c, unit->function)); c += length)
        memcpy(c, unit->name, length);
    return true;
}
