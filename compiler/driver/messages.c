/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See messages.h.
 */
#include "compiler/driver/messages.h"

#include "base/codes.h"
#include "compiler/driver/progress.h"
#include "study/known_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct diagnostics messages_said; /* the last error of these */

__attribute__((format(printf, 1, 0))) static void say_error(const char *format, va_list args)
{
    progress_make_way();
    diagnostics_free(&messages_said);
    fprintf(stderr, "collc: error: %s\ncollc: help: ",
            report_va(&messages_said, CODE_K005, (struct position){0}, format, args)->message);
}

void usage_report(struct diagnostics *diagnostics)
{
    if (!diagnostics_has_errors(diagnostics))
        diagnostics_append(diagnostics, &messages_said);
}

int usage_error(const struct options *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_error(format, args);
    va_end(args);
    fprintf(stderr, "try 'collc %s --help'\n", command_table[options->command].name);
    return STATUS_FAILED;
}

bool usage_refuse(const struct options *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_error(format, args);
    va_end(args);
    fprintf(stderr, "try 'collc %s --help'\n", command_table[options->command].name);
    return false;
}

int usage_error_with(const char *help, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_error(format, args);
    va_end(args);
    fprintf(stderr, "%s\n", help);
    return STATUS_FAILED;
}

const char *usage_did_you_mean(struct arena *arena, const char *near)
{
    return near ? arena_printf(arena, "; did you mean '%s'?", near) : "";
}

void say_verbose(const struct options *options, const char *what, const char *subject)
{
    if (options->verbose)
        fprintf(stderr, "collc: %s '%s'\n", what, subject);
}

/* A command may read the same file for several jobs. */
static bool was_said(const struct text *warnings)
{
    static struct { char **items; size_t n, capacity; } said;
    for (size_t i = 0; i < said.n; i++)
        if (strcmp(said.items[i], warnings->data) == 0)
            return true;
    said.items = mem_grow(said.items, &said.capacity, said.n + 1, sizeof *said.items);
    said.items[said.n] = mem_alloc(warnings->length + 1, 1);
    memcpy(said.items[said.n++], warnings->data, warnings->length);
    return false;
}

void say_diagnostics(const struct options *options, struct diagnostics *diagnostics)
{
    struct text text = {0};
    known_file_help(diagnostics);
    diagnostics_print(diagnostics, &text, options_use_colour(options, STDERR_FILENO));
    progress_make_way();
    if (text.length && (diagnostics_has_errors(diagnostics) || !was_said(&text)))
        fwrite(text.data, 1, text.length, stderr);
    text_free(&text);
}

bool options_use_colour(const struct options *options, int descriptor)
{
    if (options->colour && strcmp(options->colour, "auto") != 0)
        return option_is(options->colour, "always");
    const char *no_color = getenv("NO_COLOR");
    return isatty(descriptor) && !(no_color && *no_color);
}

enum severity options_least_severity(const struct options *options, enum severity otherwise)
{
    if (!options->fail_on)
        return otherwise;
    if (option_is(options->fail_on, "note"))
        return SEVERITY_NOTE;
    return option_is(options->fail_on, "warning") ? SEVERITY_WARNING : SEVERITY_ERROR;
}

bool has_failures(const struct options *options, enum severity otherwise,
                  const struct diagnostics *list)
{
    uint64_t n = 0;
    for (unsigned severity = options_least_severity(options, otherwise); severity <= SEVERITY_ERROR;
         severity++)
        n += list->n_of_severity[severity];
    return n > 0;
}
