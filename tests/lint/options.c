/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a line "COMMAND OPTION FIELD" for each option of each command, for options.sh.
 */
#include "compiler/driver/options_table.c"

#include <stdio.h>

static const char *const command_names[] = {
#define COMMAND(name, arguments, least, most, groups, summary, description) #name,
#include "compiler/driver/commands.def"
};

static const char *const fields[] = {
#define HEADING(title) "",
#define OPTION(name, letter, argument, kind, field, commands, help) #field,
#include "compiler/driver/options.def"
};

int main(void)
{
    for (size_t i = 0; i < n_options; i++)
        for (int command = 0; command < N_COMMANDS; command++)
            if (option_table[i].commands & (1u << command))
                printf("%s %s %s\n", command_names[command], option_table[i].name, fields[i]);
    return 0;
}
