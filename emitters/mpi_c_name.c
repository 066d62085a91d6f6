/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names in emitted C: of the algorithm's variables, and of the function, which a user may
 * choose.
 *
 * While a file is written the function's name is held by as many placeholders as it has
 * letters. So what else the file names is seen in its text, and no list has to follow it.
 */
#include "emitters/mpi_c.h"

#include <stdio.h>
#include <string.h>

#define SMALL "abcdefghijklmnopqrstuvwxyz"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
static const char letters[] = SMALL CAPITALS "_0123456789";
enum { PLACEHOLDER = '\1' };

static const char *const reserved[] = {
    "asm", "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "extern", "false", "float", "for", "fortran", "goto", "if", "inline", "int",
    "linux", "long", "main", "register", "restrict", "return", "run", "short", "signed", "sizeof",
    "static", "stderr", "stdin", "stdout", "struct", "switch", "true", "typedef", "typeof", "union",
    "unix", "unsigned", "void", "volatile", "while", "errno", "math_errhandling", "alignas",
    "alignof", "constexpr", "nullptr", "static_assert", "thread_local", "in", "out", "buf", "tmp"};

/* Functions of C99 in the headers that emitted C may include: no program may have its own. */
static const char *const library[] = {
    "abort", "abs", "atexit", "atof", "atoi", "atol", "atoll", "bsearch", "calloc", "div", "exit",
    "free", "getenv", "labs", "ldiv", "llabs", "lldiv", "malloc", "mblen", "mbstowcs", "mbtowc",
    "qsort", "rand", "realloc", "srand", "strtod", "strtof", "strtol", "strtold", "strtoll", "strtoul",
    "strtoull", "system", "wcstombs", "wctomb",
    "memchr", "memcmp", "memcpy", "memmove", "memset", "strcat", "strchr", "strcmp", "strcoll",
    "strcpy", "strcspn", "strerror", "strlen", "strncat", "strncmp", "strncpy", "strpbrk", "strrchr",
    "strspn", "strstr", "strtok", "strxfrm",
    "clearerr", "fclose", "feof", "ferror", "fflush", "fgetc", "fgetpos", "fgets", "fopen", "fprintf",
    "fputc", "fputs", "fread", "freopen", "fscanf", "fseek", "fsetpos", "ftell", "fwrite", "getc",
    "getchar", "gets", "perror", "printf", "putc", "putchar", "puts", "remove", "rename", "rewind",
    "scanf", "setbuf", "setvbuf", "snprintf", "sprintf", "sscanf", "tmpfile", "tmpnam", "ungetc",
    "vfprintf", "vfscanf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf",
    "asctime", "clock", "ctime", "difftime", "gmtime", "localtime", "mktime", "strftime", "time"};

static bool is_among(const char *name, const char *const *names, size_t n)
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

/* Whether C or a header may give the name a meaning of its own; names of types end with _t. */
static bool is_reserved(const char *name)
{
    const size_t length = strlen(name);
    return name[0] == '_' || (length > 2 && strcmp(name + length - 2, "_t") == 0) ||
           is_among(name, reserved, sizeof reserved / sizeof *reserved);
}

/* Macros are in capitals. What begins as a changed name is changed too, so that no two names
 * become one. */
void c_name(const char *name, struct text *out)
{
    const bool is_taken = is_reserved(name) || strpbrk(name, CAPITALS) ||
                          begins_with(name, "collc_") || begins_with(name, "my_");
    text_printf(out, is_taken ? "my_%s" : "%s", name);
}

const char *emit_c_refusal(const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || strspn(name, letters) != length || strchr("0123456789", *name))
        return "it is no name in C: letters, digits and '_', no digit first";
    if (length > C_NAME_LENGTH)
        return "it is longer than 200 characters";
    if (begins_with(name, "MPI_") || begins_with(name, "PMPI_"))
        return "names that begin so are MPI's; compiled with -DCOLLC_SHIM the file has MPI's function";
    if (is_reserved(name) || begins_with(name, "pthread_"))
        return "the emitted C has it for something else";
    if (is_among(name, library, sizeof library / sizeof *library))
        return "C's library has a function of that name";
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
    memset(unit->function, PLACEHOLDER, strlen(unit->name));
}

/* Behind a comment or a literal that begins at `from`. */
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

/* Whether the code has the name already. */
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
