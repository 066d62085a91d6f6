/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the reference page of the command line.
 */
#include "compiler/driver/help_internal.h"

#include <string.h>

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

/* Returns the page that says what each choice of an option is, or NULL. */
static const char *page_of_choices(const struct option_info *option)
{
    static const char *const pages[][2] = {
        {"target", "tables.md"},
        {"method", "synthesis.md"},
        {"model", "simulation.md#models"},
        {"sync", "simulation.md#when-a-rank-goes-on"},
        {"send-order", "simulation.md#order"},
        {"format", "ci.md#findings"},
    };
    if (option->kind == OPTION_CHOICE && help_tells_choices(option))
        for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
            if (!strcmp(option->name, pages[i][0]))
                return pages[i][1];
    return NULL;
}

/* Prints what the option is for, its choices unless its name has them, and where they are explained. */
static void markdown_linked(const struct option_info *option, const char *page)
{
    char name[80];
    help_option_name(option, name, sizeof name);
    printf("%.*s", (int)strcspn(option->help, ";"), option->help);
    for (const char *letter = strchr(name, '|') ? "" : option->argument, *first = letter; *letter; letter++)
        printf(letter == first ? ": %c" : *letter == '|' ? ", " : "%c", *letter);
    printf(" ([%.*s](%s))\n", (int)strcspn(page, "#"), page, page);
}

static void markdown_row(const struct option_info *option)
{
    const struct option_info *teller =
        option->kind == OPTION_CHOICE && !help_tells_choices(option) ? find_teller(option) : NULL;
    markdown_name(option);
    struct text help = help_of_option(option);
    const char *page = page_of_choices(option);
    if (page)
        markdown_linked(option, page);
    else if (teller && (page = page_of_choices(teller)))
        printf("%.*s ([%.*s](%s))\n", (int)strcspn(option->help, ";"), option->help,
               (int)strcspn(page, "#"), page, page);
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
    markdown_own_options(command);
}

/* Prints which commands have options of the group from `first` to before `end`, unless most have. */
static void markdown_commands_of_group(size_t first, size_t end)
{
    enum { MOST = N_COMMANDS / 2 };
    unsigned commands = 0, n = 0, n_all = 0;
    for (size_t i = first; i < end; i++)
        if (is_listed(&option_table[i]))
            commands |= option_table[i].commands;
    for (unsigned command = 0; command < N_COMMANDS; command++)
        n_all += commands >> command & 1;
    for (unsigned command = 0; command < N_COMMANDS && n_all < MOST; command++)
        if (commands >> command & 1)
            printf("%s`%s`", n++ ? ", " : "Options of ", command_table[command].name);
    printf("%s", n ? ".\n\n" : n_all ? "Most commands have some of these.\n\n" : "");
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
           "have. `collc COMMAND -h` shows examples, `--help` exactly the options that it has.\n\n%s\n\n%s\n",
           help_schedule_argument, help_exit_statuses);
    for (size_t i = 0; i < n_command_rows; i++)
        if (!command_rows[i].section)
            markdown_command(command_rows[i].command);
    for (size_t i = 0; i < n_options; i++)
        if (!*option_table[i].name)
            markdown_group(option_table[i].help, i + 1, group_end(i));
}
