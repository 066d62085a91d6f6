/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See output.h. Every failure here is one of the environment: fatal.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "compiler/driver/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t default_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Where a rename has to go: behind a symbolic link, its target. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

static void open_aside(struct output *output, const char *path, mode_t mode)
{
    output->path = resolve(path);
    size_t length = strlen(output->path) + sizeof ".XXXXXX";
    output->temporary = mem_alloc(length, 1);
    snprintf(output->temporary, length, "%s.XXXXXX", output->path);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0)
        fatal("cannot write '%s':", path);
    if (fchmod(descriptor, mode) != 0) {
        unlink(output->temporary);
        fatal("cannot set the mode of '%s':", path);
    }
    output->file = fdopen(descriptor, "w");
}

struct output output_open(const char *path)
{
    struct output output = {.file = stdout};
    struct stat status;
    if (!path || strcmp(path, "-") == 0)
        return output;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        output.file = fopen(path, "w");
    else
        open_aside(&output, path, exists ? status.st_mode & 07777 : default_mode());
    if (!output.file)
        fatal("cannot write '%s':", path);
    return output;
}

bool output_write(void *context, const char *data, size_t length)
{
    struct output *output = context;
    return fwrite(data, 1, length, output->file) == length;
}

static void release(struct output *output)
{
    free(output->path);
    free(output->temporary);
    *output = (struct output){0};
}

void output_commit(struct output *output)
{
    const char *name = output->path ? output->path : "the output";
    bool failed = fflush(output->file) != 0 || ferror(output->file);
    if (output->file != stdout)
        failed = fclose(output->file) != 0 || failed;
    if (!failed && output->path)
        failed = rename(output->temporary, output->path) != 0;
    if (failed && output->temporary)
        unlink(output->temporary);
    if (failed)
        fatal("cannot write %s:", name);
    release(output);
}

void output_discard(struct output *output)
{
    if (output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    release(output);
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
