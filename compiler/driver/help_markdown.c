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
        {"target", "tables"}, {"method", "synthesis"},      {"model", "simulation"},
        {"sync", "simulation"}, {"send-order", "simulation"}, {"format", "ci"},
    };
    if (option->kind == OPTION_CHOICE && help_tells_choices(option))
        for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
            if (!strcmp(option->name, pages[i][0]))
                return pages[i][1];
    return NULL;
}

/* Returns what the option is for, its choices unless its name has them, and where they are explained. The
 * caller frees it. */
static struct text markdown_help(const struct option_info *option)
{
    const struct option_info *teller =
        option->kind == OPTION_CHOICE && !help_tells_choices(option) ? find_teller(option) : NULL;
    const char *page = page_of_choices(teller ? teller : option);
    if (!page)
        return help_of_option(option);
    char name[80];
    help_option_name(option, name, sizeof name);
    struct text help = {0};
    text_printf(&help, "%.*s", (int)strcspn(option->help, ";"), option->help);
    if (!teller && !strchr(name, '|'))
        for (const char *letter = option->argument; *letter; letter++)
            text_printf(&help, letter == option->argument ? ": %c" : *letter == '|' ? ", " : "%c", *letter);
    text_printf(&help, " (docs/%s.md)", page);
    return help;
}

static void markdown_option(const struct option_info *option)
{
    struct text help = markdown_help(option);
    help_print_option(option, help.data, 4);
    text_free(&help);
}

static void markdown_own_options(enum command command)
{
    bool is_first = true;
    for (size_t i = 0; i < n_options; i++) {
        if (!help_has_option(command, &option_table[i]) || is_shared(&option_table[i]))
            continue;
        printf("%s", is_first ? "\n" : "");
        is_first = false;
        markdown_option(&option_table[i]);
    }
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
    printf("\n## collc %s%s%s\n\n%s\n", info->name, *info->arguments ? " " : "", info->arguments,
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
            }
            is_first = false;
            markdown_option(&option_table[i]);
        }
}

void help_markdown(void)
{
    printf("# Command line\n\nEach command with options of its own, then the groups of which most commands "
           "have some. `collc COMMAND -h` shows examples, `--help` exactly the options that it has.\n\n"
           "%s\n\n%s\n",
           help_schedule_argument, help_exit_statuses);
    for (size_t i = 0; i < n_command_rows; i++)
        if (!command_rows[i].section)
            markdown_command(command_rows[i].command);
    for (size_t i = 0; i < n_options; i++)
        if (!*option_table[i].name)
            markdown_group(option_table[i].help, i + 1, group_end(i));
}
