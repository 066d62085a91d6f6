/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the tables of commands and options in four forms.
 */
#include "compiler/driver/help.h"

#include "base/suggest.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/version.h"
#include "reports/wrap.h"

#include <string.h>

enum { HELP_COLUMN = 30 };

static const char what_it_is[] =
    "compiler and static verifier for collective-communication schedules";
static const char schedule_argument[] =
    "A SCHEDULE is a .coll file, a schedule file (its first line is 'collc-schedule 1', or it is XML of MSCCL), or the "
    "name of a built-in algorithm, COLLECTIVE/NAME.";
static const char exit_statuses[] =
    "Exit status: 0 clean, 1 findings, 2 the job could not be done.";

static bool has_option(enum command command, const struct option_info *option)
{
    return option->commands & (1u << command);
}

/* The heading above an option, if one is to be printed: where a command has many options, above the first one
 * under each. */
struct heading {
    bool is_wanted;
    const char *next, *printed; /* NULL: none */
};

static struct heading heading_begin(enum command command)
{
    enum { FEW = 16 };
    size_t n = 0;
    for (size_t i = 0; i < n_options; i++)
        n += has_option(command, &option_table[i]);
    return (struct heading){n > FEW, NULL, NULL};
}

/* Advances to the next option of the table. Returns the title to print above this option of the command, or
 * NULL. */
static const char *heading_above(struct heading *heading, enum command command,
                                 const struct option_info *option)
{
    if (!*option->name)
        heading->next = option->help;
    if (!heading->is_wanted || !has_option(command, option) || heading->next == heading->printed)
        return NULL;
    return heading->printed = heading->next;
}

static bool takes_schedule(enum command command)
{
    return strstr(command_table[command].arguments, "SCHEDULE") != NULL;
}

static void print_wrapped(const char *words, size_t column, size_t indent)
{
    struct text text = {0};
    text_wrap(&text, words, column, indent);
    fputs(text.data, stdout);
    text_free(&text);
}

/* A list of choices too long to stand beside the name: it goes behind the help. */
static bool has_long_list(const struct option_info *option)
{
    enum { MAX_BESIDE = 40 };
    return option->kind == OPTION_CHOICE && strlen(option->argument) > MAX_BESIDE;
}

/* "-t, --topology T" in `name`. */
static void option_name(const struct option_info *option, char *name, size_t size)
{
    char letter[8] = "";
    const char *argument = has_long_list(option) ? "NAME" : option->argument;
    if (option->short_name)
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    snprintf(name, size, "%s--%s%s%s", letter, option->name, argument ? " " : "",
             argument ? argument : "");
}

/* Returns the help, and behind it the list of choices if that is long. */
static struct text option_help(const struct option_info *option)
{
    struct text text = {0};
    text_printf(&text, "%s", option->help);
    if (!has_long_list(option))
        return text;
    text_printf(&text, ": ");
    for (const char *c = option->argument; *c; c++)
        text_printf(&text, *c == '|' ? ", " : "%c", *c);
    return text;
}

static void print_option(const struct option_info *option)
{
    char name[80];
    option_name(option, name, sizeof name);
    int length = printf("  %s", name);
    if (length + 2 > HELP_COLUMN)
        length = printf("\n") - 1;
    printf("%*s", HELP_COLUMN - length, "");
    struct text help = option_help(option);
    print_wrapped(help.data, HELP_COLUMN, HELP_COLUMN);
    text_free(&help);
}

void help_usage(FILE *file)
{
    fprintf(file, "usage: collc COMMAND [OPTION]... [ARGUMENT]\n"
                  "try 'collc --help'\n");
}

int help_of_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf("usage: collc %s [OPTION]... %s\n\n", info->name, info->arguments);
    print_wrapped(info->description, 0, 0);
    if (takes_schedule(command))
        print_wrapped(schedule_argument, 0, 0);
    struct heading heading = heading_begin(command);
    if (!heading.is_wanted)
        printf("\n");
    for (size_t i = 0; i < n_options; i++) {
        const char *title = heading_above(&heading, command, &option_table[i]);
        if (title)
            printf("\n%s:\n", title);
        if (has_option(command, &option_table[i]))
            print_option(&option_table[i]);
    }
    return STATUS_CLEAN;
}

static void help_text(void)
{
    printf("collc: %s\n\nusage: collc COMMAND [OPTION]... [ARGUMENT]\n\n", what_it_is);
    for (enum command command = 0; command < N_COMMANDS; command++) {
        const struct command_info *info = &command_table[command];
        printf("  %-10s %-14s ", info->name, info->arguments);
        print_wrapped(info->summary, 28, 28);
    }
    printf("\n");
    print_wrapped(schedule_argument, 0, 0);
    printf("%s\n\n", exit_statuses);
    printf("collc COMMAND --help lists the options of a command; collc --version says which "
           "collc.\n");
}

/* Text for roff: a backslash and a hyphen are written out. */
static void print_roff(const char *text)
{
    for (; *text; text++)
        printf(*text == '-' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void print_roff_line(const char *before, const char *text)
{
    printf("%s", before);
    print_roff(text);
    printf("\n");
}

static void man_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf(".SS \"collc %s %s\"\n", info->name, info->arguments);
    print_roff_line("", info->description);
    struct heading heading = heading_begin(command);
    for (size_t i = 0; i < n_options; i++) {
        char name[80];
        const char *title = heading_above(&heading, command, &option_table[i]);
        if (title)
            print_roff_line(".PP\n.I ", title);
        if (!has_option(command, &option_table[i]) || strcmp(option_table[i].name, "help") == 0)
            continue;
        option_name(&option_table[i], name, sizeof name);
        print_roff_line(".TP\n.B ", name);
        struct text help = option_help(&option_table[i]);
        print_roff_line("", help.data);
        text_free(&help);
    }
}

static void help_man(void)
{
    printf(".TH COLLC 1 \"\" \"collc %s\"\n.SH NAME\ncollc \\- %s\n", COLLC_VERSION, what_it_is);
    printf(".SH SYNOPSIS\n.B collc\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]\n"
           ".SH DESCRIPTION\n");
    print_roff_line("", schedule_argument);
    printf(".SH COMMANDS\n");
    for (enum command command = 0; command < N_COMMANDS; command++)
        man_command(command);
    printf(".SH EXIT STATUS\n.TP\n.B 0\nclean\n.TP\n.B 1\nfindings\n.TP\n.B 2\nthe job could not "
           "be done\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colour, whatever the terminal\n");
}

static void markdown_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf("\n## collc %s%s%s\n\n%s\n\n", info->name, *info->arguments ? " " : "", info->arguments,
           info->description);
    printf("| option | meaning |\n|---|---|\n");
    struct heading heading = heading_begin(command);
    for (size_t i = 0; i < n_options; i++) {
        char name[80];
        const char *title = heading_above(&heading, command, &option_table[i]);
        if (title)
            printf("| **%s** | |\n", title);
        if (!has_option(command, &option_table[i]))
            continue;
        option_name(&option_table[i], name, sizeof name);
        printf("| `");
        for (const char *letter = name; *letter; letter++)
            printf(*letter == '|' ? "\\%c" : "%c", *letter);
        struct text help = option_help(&option_table[i]);
        printf("` | %s |\n", help.data);
        text_free(&help);
    }
}

static void help_markdown(void)
{
    printf("# Command line\n\nMade by `collc help --format markdown` from the table of options."
           "\n\n%s\n\n%s\n", schedule_argument, exit_statuses);
    for (enum command command = 0; command < N_COMMANDS; command++)
        markdown_command(command);
}

static void help_bash(void)
{
    printf("_collc()\n{\n    local word=${COMP_WORDS[COMP_CWORD]}\n    local options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        options='");
    for (enum command command = 0; command < N_COMMANDS; command++)
        printf("%s ", command_table[command].name);
    printf("--help --version'\n    elif [[ $word == -* ]]; then\n"
           "        case ${COMP_WORDS[1]} in\n");
    for (enum command command = 0; command < N_COMMANDS; command++) {
        printf("        %s) options='", command_table[command].name);
        for (size_t i = 0; i < n_options; i++)
            if (has_option(command, &option_table[i]))
                printf("--%s ", option_table[i].name);
        printf("' ;;\n");
    }
    printf("        esac\n    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n}\n"
           "complete -o default -F _collc collc\n");
}

int help_unknown_command(const char *name)
{
    static const char *const alone[] = {"--help", "--version"};
    struct arena arena = {0};
    const char *near = name[0] == '-' ? nearest(name, strlen(name), alone, 2) : command_nearest(name);
    const char *help = "'collc --help' lists the commands";
    if (!near && strpbrk(name, "/."))
        help = arena_printf(&arena, "a command comes first, such as 'collc verify %s'", name);
    else if (strcmp(name, "version") == 0)
        help = "'collc --version' says which collc it is";
    else if (name[0] == '-')
        help = "options stand behind a command, such as 'collc verify alltoall/ring -t star:4'";
    usage_error_with(help, "unknown command '%s'%s", name, usage_did_you_mean(&arena, near));
    arena_free(&arena);
    return STATUS_FAILED;
}

int command_help(const struct options *options)
{
    if (options->n_arguments) {
        enum command command = command_find(options->arguments[0]);
        if (command == N_COMMANDS)
            return help_unknown_command(options->arguments[0]);
        return help_of_command(command);
    }
    if (option_is(options->format, "man"))
        help_man();
    else if (option_is(options->format, "markdown"))
        help_markdown();
    else if (option_is(options->format, "bash"))
        help_bash();
    else
        help_text();
    return STATUS_CLEAN;
}
