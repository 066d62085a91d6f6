/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See targets.h.
 */
#include "compiler/driver/targets.h"

#include "compiler/driver/combinations.h"
#include "compiler/driver/messages.h"

#include <string.h>

#define PROGRAM TAKES_PROGRAM
#define SCHEDULE TAKES_SCHEDULE
#define TOPOLOGY TAKES_TOPOLOGY
#define STEP TAKES_STEP
#define TIMES TAKES_TIMES
#define PATH TAKES_PATH
#define TABLE TAKES_TABLE
static const struct emit_target targets[] = {
#define EMIT(name, takes, options, function, title) {COMMAND_emit, name, takes, options, function},
#define DRAWING(name, takes, options, function, title) {COMMAND_draw, name, takes, options, function},
#define PICTURE(name, title)
#include "emitters/targets.def"
};
enum { N_TARGETS = sizeof targets / sizeof *targets };

/* Returns the option by which the command names its targets. */
static const char *naming_option(enum command command)
{
    return command == COMMAND_draw ? "what" : "to";
}

const struct emit_target *emit_target_of(const struct options *options)
{
    const char *name = options->command == COMMAND_draw ? options->what : options->to;
    const struct emit_target *first = NULL;
    for (size_t i = 0; i < N_TARGETS; i++) {
        if (targets[i].command != options->command)
            continue;
        first = first ? first : &targets[i];
        if (option_is(name, targets[i].name))
            return &targets[i];
    }
    return first;
}

const struct emit_target *emit_target_named(enum command command, const char *name)
{
    for (size_t i = 0; i < N_TARGETS; i++)
        if (targets[i].command == command && strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

bool emit_target_check(const struct options *options)
{
    const struct emit_target *target = emit_target_of(options);
    for (size_t i = 0; target && i < N_TARGETS; i++) {
        if (targets[i].command != options->command)
            continue;
        const struct option_info *given = options_given(options, targets[i].options, target->options);
        if (given)
            return usage_refuse(options, "--%s has no effect with --%s %s", given->name,
                                naming_option(options->command), target->name);
    }
    return true;
}
