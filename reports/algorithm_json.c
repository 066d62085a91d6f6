/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what an algorithm says of itself, as JSON. The header is taken from the tree as
 * written: without what the algorithms bring that it runs.
 */
#include "compiler/language/language.h"
#include "reports/algorithm.h"
#include "reports/record.h"

#include "ir/use.h"

#include <string.h>

/* An algorithm is given by a name: which ones there are depends on the collectives it is run for. */
static void add_collectives(const struct statement *s, uint32_t variable, bool is_run[])
{
    for (; s; s = s->next) {
        if (s->run && s->run->parameter == variable)
            is_run[s->run->collective] = true;
        add_collectives(s->body, variable, is_run);
        add_collectives(s->otherwise, variable, is_run);
    }
}

static void add_all_collectives(const struct program *written, uint32_t variable, bool is_run[])
{
    add_collectives(written->body, variable, is_run);
    for (const struct definition *d = written->definitions; d; d = d->next)
        add_collectives(d->body, variable, is_run);
}

/* A formula has no value before the ranks are known. */
static void put_default(struct json *json, const char *key, const struct variable *parameter,
                        const char *text)
{
    if (parameter->kind == VARIABLE_ALGORITHM)
        json_put_string(json, key, text);
    else if (parameter->value->kind == EXPR_INTEGER)
        json_put_real(json, key, (double)parameter->value->integer);
    else
        json_put_null(json, key);
}
#define json_put_default(json, key, value) put_default(json, key, RECORD_ARGUMENTS value)

static bool is_parameter(const struct variable *variable)
{
    return variable->kind == VARIABLE_PARAMETER || variable->kind == VARIABLE_ALGORITHM;
}

/* Ends a line; returns its end, NULL behind the last one. */
static char *end_line(char *line)
{
    char *end = strchr(line, '\n');
    if (end)
        *end = '\0';
    return end;
}

/* Named values of the placement, the topology and the call, which are the first variables. */
static const char *const named_names[] = {
#define NAMED(name, meaning) #name,
#include "ir/program.def"
};

#include "reports/algorithm.def"

void algorithm_json(const struct facts *facts, bool has_size, struct arena *arena,
                    struct json *json)
{
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(facts->program->source, &diagnostics);
    json_open(json, NULL, '{');
    algorithm_write(json, facts, has_size, written, arena);
    json_close(json, '}');
    program_free(written);
    diagnostics_free(&diagnostics);
}
