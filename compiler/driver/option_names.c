/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options that a command has not, and what may have been meant. See options_internal.h.
 */
#include "compiler/driver/options_internal.h"

#include "base/suggest.h"
#include "compiler/driver/messages.h"
#include "study/project/project.h"

#include <string.h>

uint32_t options_commands_with(const char *name)
{
    uint32_t commands = 0;
    for (size_t i = 0; i < n_options; i++)
        if (strcmp(option_table[i].name, name) == 0)
            commands |= option_table[i].commands;
    return commands;
}

const char *options_list_commands(uint32_t commands, struct arena *arena)
{
    const char *list = "";
    for (enum command command = 0; command < N_COMMANDS; command++)
        if (commands & (1u << command))
            list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "", command_table[command].name);
    return list;
}

/* Returns the option of this command that launchers call so, or NULL. */
static const char *option_known_as(enum command command, const char *word)
{
    static const struct {
        const char *theirs, *ours;
    } namesakes[] = {
#define NAMESAKE(theirs, ours) {theirs, ours},
#include "compiler/driver/namesakes.def"
    };
    for (size_t i = 0; i < sizeof namesakes / sizeof *namesakes; i++)
        if (strcmp(namesakes[i].theirs, word) == 0 &&
            options_commands_with(namesakes[i].ours) & (1u << command))
            return namesakes[i].ours;
    return NULL;
}

/* "'--ranks', '--ranks-per-machine'": the option that others call so, else those that begin with
 * the word, else the one nearest to it; or NULL. */
static const char *options_like(enum command command, const char *word, struct arena *arena)
{
    const char *namesake = option_known_as(command, word);
    if (namesake)
        return arena_printf(arena, "'--%s'", namesake);
    const char **names = arena_alloc(arena, n_options, sizeof *names), *list = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_options; i++) {
        if (!(option_table[i].commands & (1u << command)))
            continue;
        names[n] = option_table[i].name;
        if (strncmp(names[n], word, strlen(word)) == 0)
            list = arena_printf(arena, "%s%s'--%s'", list ? list : "", list ? ", " : "", names[n]);
        n++;
    }
    const char *near = list ? NULL : nearest(word, strlen(word), names, n);
    return near ? arena_printf(arena, "'--%s'", near) : list;
}

/* "; did you mean '--ranks'?", or nothing. */
static const char *or_option(struct arena *arena, const char *like)
{
    return like ? arena_printf(arena, "; did you mean %s?", like) : "";
}

/* Returns the set of commands that have an option of that letter. */
static uint32_t commands_with_letter(char letter)
{
    uint32_t commands = 0;
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].short_name == letter)
            commands |= option_table[i].commands;
    return commands;
}

/* True of a limit that a project file has. */
static bool is_limit_of_projects(const char *name)
{
    size_t i = 0;
    while (strcmp(project_keys.items[i].name, "limits") != 0)
        i++;
    const struct key_table *limits = project_keys.items[i].kind->keys;
    for (i = 0; i < limits->n; i++)
        if (strcmp(limits->items[i].name, name) == 0)
            return true;
    return false;
}

/* Returns what to write instead of an option that this command does not have; NULL: not known. */
static const char *help_without(const struct options *options, const char *name)
{
    if (strcmp(name, "output") == 0)
        return "what it prints is kept by '>FILE'";
    if (options->command == COMMAND_check && is_limit_of_projects(name))
        return "it stands in the project file, under 'limits:'";
    if (options->command == COMMAND_verify && (strcmp(name, "step") == 0 || strcmp(name, "steps") == 0))
        return "'--per-step' prints a line for each step";
    return NULL;
}

static void refuse_foreign(struct options *options, const char *name, const char *written, uint32_t commands)
{
    if (strcmp(command_table[options->command].name, "help") == 0) { /* the options of others are no answer there */
        usage_error_with("'collc help' lists the commands, 'collc help COMMAND' all options of one, and "
                         "'collc help --format man' is the manual with everything",
                         "'help' has no option '%s'", written);
        return;
    }
    const char *help = help_without(options, name);
    const char *command = command_table[options->command].name;
    const char *others = options_list_commands(commands, &options->arena);
    if (help)
        usage_error_with(help, "'%s' has no option '%s': it is an option of %s", command, written, others);
    else
        usage_error(options, "'%s' has no option '%s': it is an option of %s", command, written, others);
}

static const char *name_of_letter(char letter)
{
    size_t i = 0;
    while (option_table[i].short_name != letter)
        i++;
    return option_table[i].name;
}

void option_refuse_letter(struct options *options, char letter)
{
    struct arena *arena = &options->arena;
    const uint32_t commands = commands_with_letter(letter);
    const char *like = option_known_as(options->command, (const char[]){letter, '\0'});
    if (commands)
        refuse_foreign(options, name_of_letter(letter), (const char[]){'-', letter, '\0'}, commands);
    else
        usage_error(options, "unknown option '-%c'%s", letter,
                    or_option(arena, like ? arena_printf(arena, "'--%s'", like) : NULL));
}

void option_refuse_word(struct options *options, const char *word)
{
    struct arena *arena = &options->arena;
    const char *name = arena_strndup(arena, word + 2, strcspn(word + 2, "="));
    const char *like = options_like(options->command, name, arena);
    const uint32_t commands = options_commands_with(name);
    if (commands & (1u << options->command))
        usage_error(options, "option '--%s' takes no value", name);
    else if (commands)
        refuse_foreign(options, name, arena_printf(arena, "--%s", name), commands);
    else
        usage_error(options, "unknown option '--%s'%s", name, or_option(arena, like));
}
