/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See commands.h.
 */
#include "compiler/driver/commands.h"

#include "base/suggest.h"

#include <string.h>

const struct command_info command_table[N_COMMANDS] = {
#define COMMAND(name, arguments, least, most, groups, summary, description) \
    {#name, arguments, least, most, summary, description},
#include "compiler/driver/commands.def"
};

const struct command_row command_rows[] = {
#define SECTION(title) {title, N_COMMANDS},
#define COMMAND(name, arguments, least, most, groups, summary, description) {NULL, COMMAND_##name},
#include "compiler/driver/commands.def"
};
const size_t n_command_rows = sizeof command_rows / sizeof *command_rows;

const struct command_example command_examples[] = {
#define EXAMPLE(command, arguments, answers) {COMMAND_##command, arguments, answers},
#include "compiler/driver/examples.def"
};
const size_t n_command_examples = sizeof command_examples / sizeof *command_examples;

enum command command_find(const char *name)
{
    enum command command = 0;
    while (command < N_COMMANDS && strcmp(command_table[command].name, name) != 0)
        command++;
    return command;
}

const char *command_nearest(const char *name)
{
    const char *names[N_COMMANDS];
    for (enum command command = 0; command < N_COMMANDS; command++)
        names[command] = command_table[command].name;
    return nearest(name, strlen(name), names, N_COMMANDS);
}
