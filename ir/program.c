/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a program that more than one part asks. See program.h.
 */
#include "ir/program.h"

#include <string.h>

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
