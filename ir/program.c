/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a program that more than one part asks. See program.h.
 */
#include "ir/program.h"

#include "base/suggest.h"

#include <string.h>

const char *const cost_name[N_COSTS] = {
#define COST(kind, name) [COST_##kind] = #name,
#include "ir/program.def"
};

uint32_t program_add_network(struct program *program, const char *label)
{
    uint32_t i = 0;
    while (i < program->n_networks && strcmp(program->networks[i], label) != 0)
        i++;
    if (i == PROGRAM_MAX_NETWORKS)
        return 0;
    program->networks[i] = label;
    program->n_networks = i < program->n_networks ? program->n_networks : i + 1;
    return i + 1;
}

bool program_tells_sizes(const struct program *program)
{
    return program->form != FORM_EQUAL && program->like.line &&
           (program->tmp_like_rank.n || collective_at_root(program->collective, program->tmp_like.buffer));
}

const struct variable *program_parameter(const struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        bool is_parameter =
            variable->kind == VARIABLE_PARAMETER || variable->kind == VARIABLE_ALGORITHM;
        if (is_parameter && strcmp(variable->name, name) == 0)
            return variable;
    }
    return NULL;
}

enum named_value program_named_extent(const struct program *program, uint32_t i)
{
    const struct expr *extent = program->extent[i];
    if (extent->kind != EXPR_VARIABLE)
        return N_NAMED;
    const struct variable *variable = &program->variables[extent->variable];
    return variable->kind == VARIABLE_NAMED ? (enum named_value)variable->index : N_NAMED;
}

bool program_extents_within(const struct program *program, enum named_value low,
                            enum named_value high)
{
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        enum named_value named = program_named_extent(program, i);
        if (named < low || named > high)
            return false;
    }
    return program->n_coordinates > 0;
}

bool expr_is_same(const struct expr *a, const struct expr *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && (a->kind != EXPR_INTEGER || a->integer == b->integer) &&
           (a->kind != EXPR_VARIABLE || a->variable == b->variable) &&
           (a->kind != EXPR_CALL || a->definition == b->definition) && expr_is_same(a->a, b->a) &&
           expr_is_same(a->b, b->b) && expr_is_same(a->c, b->c);
}

bool program_is_over_servers(const struct program *program)
{
    return program_extents_within(program, NAMED_servers, NAMED_max_slots);
}

bool program_is_ragged(const struct program *program)
{
    if (program->n_coordinates != 2)
        return false;
    enum named_value a = program_named_extent(program, 0), b = program_named_extent(program, 1);
    return (a == NAMED_servers && b == NAMED_max_slots) ||
           (a == NAMED_max_slots && b == NAMED_servers);
}

bool program_is_over_clusters(const struct program *program)
{
    bool is_over = false;
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        enum named_value named = program_named_extent(program, i);
        if (named != NAMED_slots && (named < NAMED_clusters || named > NAMED_cluster_ranks))
            return false;
        is_over = is_over || named == NAMED_clusters;
    }
    return is_over;
}

/* Returns the rank of a coordinate over that extent by speed, among those that go with it: 3 is the
 * fastest. */
static uint32_t program_speed_of(enum named_value named)
{
    switch ((int)named) {
    case NAMED_slots:
    case NAMED_max_slots:
    case NAMED_nx: return 3;
    case NAMED_cluster_servers:
    case NAMED_cluster_ranks:
    case NAMED_ny: return 2;
    default: return 1;
    }
}

void program_order_coordinates(const struct program *program, uint32_t order[])
{
    const uint32_t n = program->n_coordinates;
    const bool is_named = program_extents_within(program, NAMED_nx, NAMED_nz) ||
                          program_is_over_servers(program) || program_is_over_clusters(program);
    for (uint32_t i = 0; i < n; i++)
        order[i] = n - 1 - i;
    for (uint32_t i = 1; i < n && is_named; i++)
        for (uint32_t j = i; j > 0; j--) {
            const uint32_t swap = order[j];
            if (program_speed_of(program_named_extent(program, order[j - 1])) >=
                program_speed_of(program_named_extent(program, swap)))
                break;
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
}

const char *program_help_with_parameters(const struct program *program, const char *name,
                                         struct diagnostics *diagnostics)
{
    const char *near = NULL, *help = "it has no parameters";
    size_t least = SIZE_MAX;
    struct text text = {0};
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind != VARIABLE_PARAMETER && variable->kind != VARIABLE_ALGORITHM)
            continue;
        text_printf(&text, "%s'%s'", text.length ? ", " : "", variable->name);
        size_t d = slip_distance(name, strlen(name), variable->name);
        near = d < least ? variable->name : near;
        least = d < least ? d : least;
    }
    if (text.length)
        help = diagnostics_text(diagnostics, "its parameters: %s", text.data);
    text_free(&text);
    return did_you_mean(&diagnostics->arena, near, help);
}

const struct statement *message_part(const struct statement *message)
{
    const struct statement *at = message->body;
    while (at && at->kind != STATEMENT_PART)
        at = at->body;
    return at;
}
