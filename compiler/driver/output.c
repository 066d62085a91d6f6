/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See output.h. Every failure here is one of the environment: fatal.
 *
 * If the file system can, the file has no name until it is complete
 * (O_TMPFILE), so that not even a killed process leaves anything behind.
 */
#define _GNU_SOURCE /* O_TMPFILE, realpath */
#include "compiler/driver/output.h"

#include "compiler/driver/progress.h"

#include "study/parallel/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Ends the process with the cause in errno and a help for it. */
static _Noreturn void cannot_write(const char *path)
{
    const char *help = NULL;
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        help = "its folder is not there: make it first, or name another";
        break;
    case EISDIR:
        help = "that is a folder: name a file in it";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        help = "name another file, or change the permissions";
        break;
    case ENOSPC:
    case EDQUOT:
        help = "make room, or name a file elsewhere";
        break;
    default:
        break;
    }
    fatal_with(help, "cannot write '%s':", path);
}

static mode_t default_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Returns the target of a symbolic link, from where `path` is seen; NULL: it is none. */
static char *output_read_link(const char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0)
        return NULL;
    const char *slash = *target == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *seen = mem_alloc(folder + (size_t)length + 1, 1);
    memcpy(seen, path, folder);
    memcpy(seen + folder, target, (size_t)length);
    return seen;
}

/* Returns the place that a rename has to go to: behind symbolic links, also if there is nothing yet. NULL:
 * they lead round in a circle. */
static char *output_resolve(const char *path)
{
    enum { MAX_LINKS = 40 }; /* as in Linux */
    char *at = realpath(path, NULL);
    if (at)
        return at;
    at = strdup(path);
    for (int n = 0; at && n < MAX_LINKS; n++) {
        char *next = output_read_link(at);
        if (!next)
            return at;
        free(at);
        at = next;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

/* Opens a file without a name in the folder of output->path; -1 where there is no such thing. */
static int open_unnamed(const struct output *output)
{
    int descriptor = -1;
#ifdef O_TMPFILE
    char *path = strdup(output->path);
    if (path && access("/proc/self/fd", X_OK) == 0)
        descriptor = open(dirname(path), O_TMPFILE | O_WRONLY, 0600);
    free(path);
#endif
    return descriptor;
}

static int open_named(struct output *output)
{
    size_t length = strlen(output->path) + sizeof ".XXXXXX";
    output->temporary = mem_alloc(length, 1);
    snprintf(output->temporary, length, "%s.XXXXXX", output->path);
    return mkstemp(output->temporary);
}

static void open_aside(struct output *output, mode_t mode)
{
    output->path = output_resolve(output->name);
    if (!output->path)
        cannot_write(output->name);
    int descriptor = open_unnamed(output);
    if (descriptor < 0)
        descriptor = open_named(output);
    if (descriptor < 0)
        cannot_write(output->name);
    if (fchmod(descriptor, mode) != 0) {
        if (output->temporary)
            unlink(output->temporary);
        fatal("cannot set the mode of '%s':", output->name);
    }
    output->file = fdopen(descriptor, "w");
}

/* A rename would replace a file that its owner has protected: opening it would not. */
static void check_writable(const char *path)
{
    if (access(path, W_OK) != 0)
        cannot_write(path);
}

/* ---- the files that have been read ---- */

/* A regular file by its number, and whether it may be replaced all the same. */
struct known_file {
    dev_t device;
    ino_t number;
    bool is_renewed;
};
static struct known_file *known_files;
static size_t n_known_files, known_capacity, n_told;

/* Returns the entry of a file, or NULL if it has none. */
static struct known_file *output_find_known(const struct stat *status)
{
    for (size_t i = 0; i < n_known_files; i++)
        if (known_files[i].device == status->st_dev && known_files[i].number == status->st_ino)
            return &known_files[i];
    return NULL;
}

static void add_known(const struct stat *status, bool is_renewed)
{
    struct known_file *known = S_ISREG(status->st_mode) ? output_find_known(status) : NULL;
    if (known)
        known->is_renewed = known->is_renewed || is_renewed;
    if (known || !S_ISREG(status->st_mode))
        return;
    known_files = mem_grow(known_files, &known_capacity, n_known_files + 1, sizeof *known_files);
    known_files[n_known_files++] = (struct known_file){status->st_dev, status->st_ino, is_renewed};
}

void output_note_input(FILE *input)
{
    struct stat status;
    if (fstat(fileno(input), &status) == 0)
        add_known(&status, false);
}

/* Same as stat(2), but "-" is standard input. Returns true on success. */
static bool stat_input(const char *path, struct stat *status)
{
    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, status) : stat(path, status)) == 0;
}

void output_may_renew(const char *path)
{
    struct stat status;
    if (path && stat_input(path, &status))
        add_known(&status, true);
}

void output_tell_inputs(struct text *out)
{
    for (; n_told < n_known_files; n_told++)
        text_printf(out, "%jx:%jx ", (uintmax_t)known_files[n_told].device,
                    (uintmax_t)known_files[n_told].number);
    text_append(out, "\n", 1);
}

size_t output_take_inputs(const char *text)
{
    const char *at = text;
    while (*at != '\n') {
        char *end;
        struct stat status = {.st_mode = S_IFREG, .st_dev = (dev_t)strtoumax(at, &end, 16)};
        status.st_ino = (ino_t)strtoumax(end + 1, &end, 16);
        add_known(&status, false);
        at = end + 1;
    }
    return (size_t)(at + 1 - text);
}

/* True if the file is where standard output goes: it is not replaced, but written to. */
static bool is_stdout(const struct stat *status)
{
    struct stat to;
    return fstat(STDOUT_FILENO, &to) == 0 && to.st_dev == status->st_dev && to.st_ino == status->st_ino;
}

struct output output_open(const char *path)
{
    struct output output = {.file = stdout, .name = path};
    struct stat status;
    if (!path || strcmp(path, "-") == 0) {
        progress_leave();
        return output;
    }
    if (pool_number() > 0) /* another process writes it */
        path = "/dev/null";
    bool exists = stat(path, &status) == 0;
    const struct known_file *known = exists ? output_find_known(&status) : NULL;
    if (known && !known->is_renewed)
        fatal_with("give it another name", "output file '%s' is an input file: it has been read", path);
    if (exists && is_stdout(&status)) {
        progress_leave();
        return output;
    }
    if (exists)
        check_writable(path);
    if (exists && !S_ISREG(status.st_mode))
        output.file = fopen(path, "w");
    else
        open_aside(&output, exists ? status.st_mode & 07777 : default_mode());
    if (!output.file)
        cannot_write(path);
    return output;
}

bool output_overwrites(const char *path, const char *input)
{
    struct stat to, from;
    return path && input && stat(path, &to) == 0 && S_ISREG(to.st_mode) &&
           stat_input(input, &from) && to.st_dev == from.st_dev && to.st_ino == from.st_ino;
}

/* Stats the folder of a path; false if there is none. The path is changed. */
static bool stat_folder(char *path, struct stat *status)
{
    return stat(dirname(path), status) == 0;
}

/* True if both paths end in the same name in the same folder, once links are followed. */
static bool output_is_same_place(const char *path, const char *other)
{
    char *places[2] = {output_resolve(path), output_resolve(other)};
    struct stat folders[2];
    bool is_same = false;
    if (places[0] && places[1]) {
        const char *names[2] = {strrchr(places[0], '/'), strrchr(places[1], '/')};
        is_same = strcmp(names[0] ? names[0] + 1 : places[0], names[1] ? names[1] + 1 : places[1]) == 0 &&
                  stat_folder(places[0], &folders[0]) && stat_folder(places[1], &folders[1]) &&
                  folders[0].st_dev == folders[1].st_dev && folders[0].st_ino == folders[1].st_ino;
    }
    free(places[0]);
    free(places[1]);
    return is_same;
}

bool output_is_same(const char *path, const char *other)
{
    struct stat status;
    if (!path || !other)
        return false;
    if (strcmp(path, "-") == 0 || strcmp(other, "-") == 0)
        return strcmp(path, other) == 0;
    if (stat(path, &status) == 0)
        return output_overwrites(path, other);
    return stat(other, &status) != 0 && output_is_same_place(path, other);
}

bool output_write(void *context, const char *data, size_t length)
{
    struct output *output = context;
    return fwrite(data, 1, length, output->file) == length;
}

static void output_release(struct output *output)
{
    free(output->path);
    free(output->temporary);
    *output = (struct output){0};
}

/* Gives the complete file without a name one beside its place; a rename does the
 * rest, since a link cannot replace a file. */
static bool name_file(struct output *output)
{
    char source[64];
    size_t length = strlen(output->path) + 32;
    int failed;
    output->temporary = mem_alloc(length, 1);
    snprintf(source, sizeof source, "/proc/self/fd/%d", fileno(output->file));
    unsigned n = 0;
    do {
        snprintf(output->temporary, length, "%s.%06x", output->path,
                 ((unsigned)getpid() + n) & 0xffffff);
        failed = linkat(AT_FDCWD, source, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW);
    } while (failed && errno == EEXIST && ++n < 1000);
    if (failed) {
        free(output->temporary); /* not ours */
        output->temporary = NULL;
    }
    return !failed;
}

void output_commit(struct output *output)
{
    bool failed = fflush(output->file) != 0 || ferror(output->file);
    if (!failed && output->path && !output->temporary)
        failed = !name_file(output);
    int error = errno;
    if (output->file != stdout && fclose(output->file) != 0 && !failed) {
        failed = true;
        error = errno;
    }
    if (!failed && output->path) {
        failed = rename(output->temporary, output->path) != 0;
        error = errno;
    }
    if (failed && output->temporary)
        unlink(output->temporary);
    errno = error;
    if (failed && output->file == stdout)
        fatal("cannot write standard output:");
    if (failed)
        cannot_write(output->name);
    output_release(output);
}

void output_discard(struct output *output)
{
    if (output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    output_release(output);
}

void output_text(const char *path, const struct text *text)
{
    struct output output = output_open(path);
    output_write(&output, text->data ? text->data : "", text->length);
    output_commit(&output);
}

int output_close_stdout(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fatal("cannot write standard output:");
    return status;
}
