/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the reference page of the command line.
 */
#include "compiler/driver/help_internal.h"

#include <string.h>

static void markdown_examples(enum command command)
{
    size_t n = 0;
    for (size_t i = 0; i < n_command_examples; i++) {
        const struct command_example *example = &command_examples[i];
        if (example->command == command)
            printf("%s$ collc %s%s%s   # %s\n", n++ ? "" : "```\n", command_table[command].name,
                   *example->arguments ? " " : "", example->arguments, example->answers);
    }
    if (n)
        printf("```\n\n");
}

/* An option of many commands stands once, with the commands; the others with their command. */
static bool is_shared(const struct option_info *option)
{
    enum { MANY = 4 };
    uint32_t n = 0;
    for (uint32_t commands = option->commands; commands; commands &= commands - 1)
        n++;
    return n >= MANY;
}

/* "| `--lids guid\|table` | " */
static void markdown_name(const struct option_info *option)
{
    char name[80];
    help_option_name(option, name, sizeof name);
    printf("| `");
    for (const char *letter = name; *letter; letter++)
        printf(*letter == '|' ? "\\%c" : "%c", *letter);
    printf("` | ");
}

static void markdown_own_options(enum command command)
{
    bool is_first = true;
    for (size_t i = 0; i < n_options; i++) {
        if (!help_has_option(command, &option_table[i]) || is_shared(&option_table[i]))
            continue;
        if (is_first)
            printf("| option | meaning |\n|---|---|\n");
        is_first = false;
        markdown_name(&option_table[i]);
        struct text help = help_of_option(&option_table[i]);
        printf("%s |\n", help.data);
        text_free(&help);
    }
    if (!is_first)
        printf("\n");
}

/* Prints the names of options of many commands, without those that all commands have. */
static void markdown_shared_options(enum command command)
{
    const char *before = "[Also](#options-of-several-commands) ";
    bool has_any = false;
    for (size_t i = 0; i < n_options; i++)
        if (help_has_option(command, &option_table[i]) && is_shared(&option_table[i]) &&
            option_table[i].commands != (1u << N_COMMANDS) - 1) {
            printf("%s`--%s`", before, option_table[i].name);
            before = ", ";
            has_any = true;
        }
    if (has_any)
        printf(".\n");
}

static void markdown_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf("\n## collc %s%s%s\n\n%s\n\n", info->name, *info->arguments ? " " : "", info->arguments,
           info->description);
    markdown_examples(command);
    markdown_own_options(command);
    markdown_shared_options(command);
}

static void markdown_all_shared_options(void)
{
    const char *title = NULL;
    printf("\n## Options of several commands\n\n| option | meaning |\n|---|---|\n");
    for (size_t i = 0; i < n_options; i++) {
        if (!*option_table[i].name)
            title = option_table[i].help;
        if (!*option_table[i].name || !is_shared(&option_table[i]))
            continue;
        if (title)
            printf("| **%s** | |\n", title);
        title = NULL;
        markdown_name(&option_table[i]);
        struct text help = help_of_option(&option_table[i]);
        printf("%s |\n", help.data);
        text_free(&help);
    }
}

void help_markdown(void)
{
    printf(
        "# Command line\n\nMade by `collc help --format markdown` from the tables of commands and options. "
        "`collc COMMAND -h` shows a command on one screen, `--help` all of it.\n\n%s\n\n%s\n",
        help_schedule_argument, help_exit_statuses);
    for (size_t i = 0; i < n_command_rows; i++)
        if (!command_rows[i].section)
            markdown_command(command_rows[i].command);
    markdown_all_shared_options();
}
