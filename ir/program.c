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
