/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What an algorithm says of itself, as JSON. What stands in the header is taken from the tree as
 * written: without what the algorithms bring that it runs.
 */
#include "compiler/language/language.h"
#include "reports/algorithm.h"

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

static void write_collectives(const struct program *written, uint32_t variable, struct json *json)
{
    bool is_run[N_COLLECTIVES] = {false};
    add_collectives(written->body, variable, is_run);
    for (const struct definition *d = written->definitions; d; d = d->next)
        add_collectives(d->body, variable, is_run);
    json_open(json, "collectives", '[');
    for (enum collective collective = 0; collective < N_COLLECTIVES; collective++)
        if (is_run[collective])
            json_put_string(json, NULL, collective_table[collective].name);
    json_close(json, ']');
}

/* Those that name the variable; all, if it is UINT32_MAX. */
static void write_requirements(const struct program *written, uint32_t variable,
                               struct arena *arena, struct json *json)
{
    json_open(json, "requires", '[');
    for (const struct requirement *r = written->requirements; r; r = r->next)
        if (variable == UINT32_MAX || expr_use(r->expr, variable))
            json_put_string(json, NULL, facts_requirement(r, arena));
    json_close(json, ']');
}

/* A formula has no value before the ranks are known. */
static void write_default(const struct program *written, const struct variable *parameter,
                          struct json *json)
{
    struct text text = {0};
    program_print_default(written, parameter, &text);
    if (parameter->kind == VARIABLE_ALGORITHM)
        json_put_string(json, "default", text.data);
    else if (parameter->value->kind == EXPR_INTEGER)
        json_put_real(json, "default", (double)parameter->value->integer);
    else
        json_put_null(json, "default");
    json_put_string(json, "type", parameter->kind == VARIABLE_ALGORITHM ? "algorithm" : "number");
    json_put_string(json, "default_text", text.data);
    text_free(&text);
}

static void write_parameters(const struct program *written, struct arena *arena, struct json *json)
{
    json_open(json, "parameters", '[');
    for (uint32_t i = 0; i < written->n_variables; i++) {
        const struct variable *variable = &written->variables[i];
        if (variable->kind != VARIABLE_PARAMETER && variable->kind != VARIABLE_ALGORITHM)
            continue;
        json_open(json, NULL, '{');
        json_put_string(json, "name", variable->name);
        write_default(written, variable, json);
        write_requirements(written, i, arena, json);
        if (variable->kind == VARIABLE_ALGORITHM)
            write_collectives(written, i, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_clauses(const struct program *written, struct json *json)
{
    struct text text = {0};
    program_print_clauses(written, &text);
    json_open(json, "header", '[');
    for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        json_put_string(json, NULL, line);
    }
    json_close(json, ']');
    text_free(&text);
}

/* Named values of the placement, the topology and the call that it uses: "servers", "slots". */
static void write_uses(const struct program *program, struct json *json)
{
    static const char *const names[] = {
#define NAMED(name, meaning) #name,
#include "ir/program.def"
    };
    json_open(json, "uses", '[');
    for (uint32_t named = 0; named < N_NAMED; named++)
        if (program_use(program, named)) /* named values are the first variables */
            json_put_string(json, NULL, names[named]);
    json_close(json, ']');
}

static void write_header(const struct program *written, struct arena *arena, struct json *json)
{
    write_parameters(written, arena, json);
    write_clauses(written, json);
    json_open(json, "coordinates", '[');
    for (uint32_t i = 0; i < written->n_coordinates; i++) {
        struct text extent = {0};
        program_print_extent(written, i, &extent);
        json_open(json, NULL, '{');
        json_put_string(json, "name", written->variables[written->coordinate[i]].name);
        json_put_string(json, "extent", extent.data);
        json_close(json, '}');
        text_free(&extent);
    }
    json_close(json, ']');
    json_put_bool(json, "from_root", written->from_root);
    json_put_bool(json, "ordered", written->ordered.line > 0);
    json_put_bool(json, "exact", written->exact.line > 0);
    json_put_bool(json, "absent", written->absent.line > 0);
    write_requirements(written, UINT32_MAX, arena, json);
}

static void write_forms(const struct program *program, struct json *json)
{
    json_open(json, "unequal_counts", '[');
    for (enum collective_form form = 0; form < N_FORMS; form++)
        if (facts_serves(program, form))
            json_put_string(json, NULL, collective_name(program->collective, form));
    json_close(json, ']');
}

static void write_costs(const struct facts *facts, bool has_size, struct json *json)
{
    json_open(json, "costs", '{');
    for (int i = 0; i < N_COSTS; i++) {
        bool has_value = facts->has_values && (i != COST_BYTES || has_size);
        json_open(json, cost_name[i], '{');
        json_put_string(json, "formula", facts->stated.formula[i]);
        json_put_bool(json, "at_most", facts->stated.is_bound[i]);
        json_put_index(json, "value", has_value ? facts->value[i] : -1);
        json_close(json, '}');
    }
    json_close(json, '}');
}

void algorithm_json(const struct facts *facts, bool has_size, struct arena *arena,
                    struct json *json)
{
    const struct program *program = facts->program;
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(program->source, &diagnostics);
    json_open(json, NULL, '{');
    json_put_string(json, "collective", collective_name(program->collective, program->form));
    json_put_string(json, "algorithm", program->name);
    json_put_string(json, "summary", facts->summary);
    json_put_string(json, "source", facts->source);
    write_header(written, arena, json);
    write_forms(program, json);
    json_put_string(json, "needs", facts->needs);
    write_uses(program, json);
    write_costs(facts, has_size, json);
    if (facts->is_placed)
        json_put_string(json, "refusal", facts->refusal);
    json_close(json, '}');
    program_free(written);
    diagnostics_free(&diagnostics);
}
