/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of options.h share.
 */
#ifndef COLLC_DRIVER_OPTIONS_INTERNAL_H
#define COLLC_DRIVER_OPTIONS_INTERNAL_H

#include "compiler/driver/options.h"

/* ---- option_names.c ---- */

/* The set of commands that have an option of that name: bit 1 << command. */
uint32_t options_commands_with(const char *name);
/* "'emit', 'draw'", in the arena. */
const char *options_list_commands(uint32_t commands, struct arena *arena);
/* Usage errors: the command has no such option. `word` is an argument that begins with "--". */
void option_refuse_letter(struct options *options, char letter);
void option_refuse_word(struct options *options, const char *word);

/* ---- option_values.c ---- */

/* Stores the option's argument in its field; another result than VALUE_OK if it is no value for it. */
enum value_result option_take(struct options *options, const struct option_info *info, const char *text);
/* Returns words for what the option's argument has to be, to stand behind "is not". */
const char *option_domain(const struct option_info *info, struct arena *arena);
/* Usage error: what a value of the option is. */
void option_refuse_value(struct options *options, const struct option_info *info, const char *text,
                         enum value_result result);

/* ---- option_endings.c ---- */

/* Takes the form of an output from the ending of its name, if no option gives it. False after refusing. */
bool options_take_ending(struct options *options);

#endif
