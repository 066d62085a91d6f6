/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the reference page of the command line.
 */
#include "compiler/driver/help_internal.h"

#include <string.h>

/* Prints the first example of a command; `-h` shows the others. */
static void markdown_example(enum command command)
{
    for (size_t i = 0; i < n_command_examples; i++) {
        const struct command_example *example = &command_examples[i];
        if (example->command != command)
            continue;
        printf("    $ collc %s%s%s   # %s\n\n", command_table[command].name, *example->arguments ? " " : "",
               example->arguments, example->answers);
        return;
    }
}

/* An option of several commands stands once, in the section of its group; the others with their command. */
static bool is_shared(const struct option_info *option)
{
    return (option->commands & (option->commands - 1)) != 0;
}

/* True if the option is listed with a command or a group: those of all commands are not. */
static bool is_listed(const struct option_info *option)
{
    return *option->name && is_shared(option) && option->commands != (1u << N_COMMANDS) - 1;
}

/* "`--lids guid\|table` | " */
static void markdown_name(const struct option_info *option)
{
    char name[80];
    help_option_name(option, name, sizeof name);
    printf("`");
    for (const char *letter = name; *letter; letter++)
        printf(*letter == '|' ? "\\%c" : "%c", *letter);
    printf("` | ");
}

/* Returns another option with the same list of choices, whose help says what each is, or NULL. */
static const struct option_info *find_teller(const struct option_info *option)
{
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].kind == OPTION_CHOICE && &option_table[i] != option &&
            !strcmp(option_table[i].argument, option->argument) && help_tells_choices(&option_table[i]))
            return &option_table[i];
    return NULL;
}

static void markdown_row(const struct option_info *option)
{
    const struct option_info *teller =
        option->kind == OPTION_CHOICE && !help_tells_choices(option) ? find_teller(option) : NULL;
    markdown_name(option);
    struct text help = help_of_option(option);
    if (teller)
        printf("%s; names as of `--%s`\n", option->help, teller->name);
    else
        printf("%s\n", help.data);
    text_free(&help);
}

static const char heading[] = "option | meaning\n---|---\n";

static void markdown_own_options(enum command command)
{
    bool is_first = true;
    for (size_t i = 0; i < n_options; i++) {
        if (!help_has_option(command, &option_table[i]) || is_shared(&option_table[i]))
            continue;
        printf("%s", is_first ? heading : "");
        is_first = false;
        markdown_row(&option_table[i]);
    }
    printf("%s", is_first ? "" : "\n");
}

/* Returns the number behind the last option below a title of the table. */
static size_t group_end(size_t title)
{
    size_t end = title + 1;
    while (end < n_options && *option_table[end].name)
        end++;
    return end;
}

static void markdown_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf("\n## collc %s%s%s\n\n%s\n\n", info->name, *info->arguments ? " " : "", info->arguments,
           info->description);
    markdown_example(command);
    markdown_own_options(command);
}

/* Prints which commands have options of the group from `first` to before `end`. */
static void markdown_commands_of_group(size_t first, size_t end)
{
    unsigned commands = 0, n = 0;
    for (size_t i = first; i < end; i++)
        if (is_listed(&option_table[i]))
            commands |= option_table[i].commands;
    for (unsigned command = 0; command < N_COMMANDS; command++)
        if (commands >> command & 1)
            printf("%s`%s`", n++ ? ", " : "Options of ", command_table[command].name);
    printf("%s", n ? ".\n\n" : "");
}

static void markdown_group(const char *title, size_t first, size_t end)
{
    bool is_first = true;
    for (size_t i = first; i < end; i++)
        if (*option_table[i].name && is_shared(&option_table[i])) {
            if (is_first) {
                printf("\n## %s\n\n", title);
                markdown_commands_of_group(first, end);
                printf("%s", heading);
            }
            is_first = false;
            markdown_row(&option_table[i]);
        }
}

void help_markdown(void)
{
    printf("# Command line\n\nEach command with options of its own, then the groups of options that several commands "
           "have. `collc COMMAND -h` shows more examples, `--help` exactly the options that it has.\n\n%s\n\n%s\n",
           help_schedule_argument, help_exit_statuses);
    for (size_t i = 0; i < n_command_rows; i++)
        if (!command_rows[i].section)
            markdown_command(command_rows[i].command);
    for (size_t i = 0; i < n_options; i++)
        if (!*option_table[i].name)
            markdown_group(option_table[i].help, i + 1, group_end(i));
}
