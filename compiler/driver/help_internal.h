/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The forms of the help share how an option is written.
 */
#ifndef COLLC_DRIVER_HELP_INTERNAL_H
#define COLLC_DRIVER_HELP_INTERNAL_H

#include "base/memory.h"
#include "compiler/driver/help.h"

extern const char help_what_it_is[];
extern const char help_schedule_argument[];
extern const char help_exit_statuses[];

/* True if the command has this option. */
bool help_has_option(enum command command, const struct option_info *option);

/* The heading above an option, if one is to be printed: where a command has many options, above the first one
 * under each. */
struct help_heading {
    bool is_wanted;
    const char *next, *printed; /* NULL: none */
};

struct help_heading help_heading_begin(enum command command);
/* Advances to the next option of the table. Returns the title to print above this option of the command, or
 * NULL. */
const char *help_heading_above(struct help_heading *heading, enum command command,
                               const struct option_info *option);

/* Writes "-t, --topology T" to `name`, which has `size` bytes. */
void help_option_name(const struct option_info *option, char *name, size_t size);
/* True if the help of an option with choices says what each is: "; text: a report; json: the same as JSON". */
bool help_tells_choices(const struct option_info *option);
/* Returns the help, and behind it the list of choices if that is long and the help does not tell them. The
 * caller frees it. */
struct text help_of_option(const struct option_info *option);
/* Prints the option behind `indent` blanks, and in a column beside it the words of `help`. */
void help_print_option(const struct option_info *option, const char *help, int indent);

/* Prints the manual page of collc; with a command, that of the command. */
void help_man(void);
void help_man_of_command(enum command command);
/* Print what a shell reads to complete words of the command line of collc. */
void help_bash(void);
void help_zsh(void);
void help_fish(void);
/* Prints docs/command-line.md. */
void help_markdown(void);

#endif
