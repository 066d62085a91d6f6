/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See render.h. Input and output go through temporary files, so that neither
 * process can wait for the other.
 */
#include "compiler/driver/render.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_NO_PROGRAM = 127 };

static FILE *open_temporary(void)
{
    FILE *file = tmpfile();
    if (!file)
        fatal("cannot make a temporary file:");
    return file;
}

static _Noreturn void become_dot(const char *form, FILE *input, FILE *output)
{
    char option[16];
    snprintf(option, sizeof option, "-T%s", form);
    if (dup2(fileno(input), STDIN_FILENO) >= 0 && dup2(fileno(output), STDOUT_FILENO) >= 0)
        execlp("dot", "dot", option, (char *)NULL);
    _exit(STATUS_NO_PROGRAM);
}

static bool run_dot(const char *form, FILE *input, FILE *output)
{
    int status;
    pid_t child = fork();
    if (child < 0)
        fatal("cannot start 'dot':");
    if (child == 0)
        become_dot(form, input, output);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fatal("cannot wait for 'dot':");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NO_PROGRAM;
    fprintf(stderr, is_missing ? "collc: error: program 'dot' not found\n"
                                 "collc: help: install Graphviz, or write --to dot\n"
                               : "collc: error: program 'dot' failed\n");
    return false;
}

static void render_read_all(FILE *file, struct text *out)
{
    char buffer[1 << 16];
    size_t length;
    rewind(file);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_append(out, buffer, length);
    if (ferror(file))
        fatal("cannot read what 'dot' wrote:");
}

bool render(const struct text *dot, const char *form, struct text *picture)
{
    FILE *input = open_temporary();
    FILE *output = open_temporary();
    fwrite(dot->data, 1, dot->length, input);
    if (fflush(input) != 0)
        fatal("cannot write a temporary file:");
    rewind(input);
    bool is_done = run_dot(form, input, output);
    if (is_done)
        render_read_all(output, picture);
    fclose(input);
    fclose(output);
    return is_done;
}
