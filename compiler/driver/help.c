/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the tables of commands and options for a terminal. The other forms are in help_*.c.
 */
#include "compiler/driver/help_internal.h"

#include "base/suggest.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/usual.h"
#include "reports/schema.h"
#include "reports/wrap.h"
#include "study/project/project.h"

#include <string.h>

enum { HELP_COLUMN = 30 };

const char help_what_it_is[] = "compiler and static verifier for collective-communication schedules";
const char help_schedule_argument[] = "A SCHEDULE is a .coll file, a schedule file (its first line is "
                                      "'collc-schedule 1', or it is XML of MSCCL), or the "
                                      "name of a built-in algorithm, COLLECTIVE/NAME.";
const char help_exit_statuses[] = "Exit status: 0 clean, 1 findings, 2 the job could not be done.";

bool help_has_option(enum command command, const struct option_info *option)
{
    return option->commands & (1u << command);
}

struct help_heading help_heading_begin(enum command command)
{
    enum { FEW = 16 };
    size_t n = 0;
    for (size_t i = 0; i < n_options; i++)
        n += help_has_option(command, &option_table[i]);
    return (struct help_heading){n > FEW, NULL, NULL};
}

const char *help_heading_above(struct help_heading *heading, enum command command,
                               const struct option_info *option)
{
    if (!*option->name)
        heading->next = option->help;
    if (!heading->is_wanted || !help_has_option(command, option) || heading->next == heading->printed)
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

void help_option_name(const struct option_info *option, char *name, size_t size)
{
    char letter[8] = "";
    const char *argument = has_long_list(option) ? "NAME" : option->argument;
    if (option->short_name)
        snprintf(letter, sizeof letter, "-%c, ", option->short_name);
    snprintf(name, size, "%s--%s%s%s", letter, option->name, argument ? " " : "", argument ? argument : "");
}

bool help_tells_choices(const struct option_info *option)
{
    for (const char *choice = option->argument; *choice; choice += *choice == '|') {
        const int width = (int)strcspn(choice, "|");
        char told[64];
        snprintf(told, sizeof told, "; %.*s: ", width, choice);
        if (!strstr(option->help, told))
            return false;
        choice += width;
    }
    return true;
}

struct text help_of_option(const struct option_info *option)
{
    struct text text = {0};
    text_printf(&text, "%s", option->help);
    if (!has_long_list(option) || help_tells_choices(option))
        return text;
    text_printf(&text, ": ");
    for (const char *c = option->argument; *c; c++)
        text_printf(&text, *c == '|' ? ", " : "%c", *c);
    return text;
}

void help_print_option(const struct option_info *option, const char *help, int indent)
{
    char name[80];
    help_option_name(option, name, sizeof name);
    int length = printf("%*s%s", indent, "", name);
    if (length + 2 > HELP_COLUMN)
        length = printf("\n") - 1;
    printf("%*s", HELP_COLUMN - length, "");
    print_wrapped(help, HELP_COLUMN, HELP_COLUMN);
}

static void print_option(const struct option_info *option)
{
    struct text help = help_of_option(option);
    help_print_option(option, help.data, 2);
    text_free(&help);
}

void help_usage(FILE *file)
{
    fprintf(file, "usage: collc COMMAND [OPTION]... [ARGUMENT]\n"
                  "try 'collc --help'\n");
}

static void print_examples(enum command command)
{
    const char *before = "\nexamples:\n";
    for (size_t i = 0; i < n_command_examples; i++) {
        const struct command_example *example = &command_examples[i];
        if (example->command != command)
            continue;
        printf("%s  collc %s%s%s\n      ", before, command_table[command].name,
               *example->arguments ? " " : "", example->arguments);
        print_wrapped(example->answers, 6, 6);
        before = "";
    }
}

static void print_usage_and_examples(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf("usage: collc %s [OPTION]... %s\n\n", info->name, info->arguments);
    print_wrapped(info->description, 0, 0);
    if (takes_schedule(command))
        print_wrapped(help_schedule_argument, 0, 0);
    print_examples(command);
}

static void print_options(enum command command)
{
    struct help_heading heading = help_heading_begin(command);
    if (!heading.is_wanted)
        printf("\n");
    for (size_t i = 0; i < n_options; i++) {
        const char *title = help_heading_above(&heading, command, &option_table[i]);
        if (title)
            printf("\n%s:\n", title);
        if (help_has_option(command, &option_table[i]))
            print_option(&option_table[i]);
    }
}

int help_of_command(enum command command)
{
    print_usage_and_examples(command);
    print_options(command);
    return STATUS_CLEAN;
}

/* A name stands once, also where several lines of the table share the option. */
static void print_option_names(enum command command)
{
    struct text names = {0};
    for (size_t i = 0; i < n_options; i++)
        if (help_has_option(command, &option_table[i])) {
            if (option_table[i].short_name)
                text_printf(&names, "-%c,", option_table[i].short_name);
            text_printf(&names, "--%s ", option_table[i].name);
        }
    printf("\noptions:\n  ");
    print_wrapped(names.data, 2, 2);
    text_free(&names);
    printf("'collc %s --help' says what they mean.\n", command_table[command].name);
}

int help_usage_of_command(enum command command)
{
    print_usage_and_examples(command);
    print_option_names(command);
    return STATUS_CLEAN;
}

static void help_text(void)
{
    enum { SUMMARY_COLUMN = 28 };
    printf("collc: %s\n\nusage: collc COMMAND [OPTION]... [ARGUMENT]\n", help_what_it_is);
    for (size_t i = 0; i < n_command_rows; i++) {
        if (command_rows[i].section) {
            printf("\n%s\n", command_rows[i].section);
            continue;
        }
        const struct command_info *info = &command_table[command_rows[i].command];
        const int length = printf("  %-10s %s", info->name, info->arguments);
        if (length >= SUMMARY_COLUMN)
            printf("\n%*s", SUMMARY_COLUMN, "");
        else
            printf("%*s", SUMMARY_COLUMN - length, "");
        print_wrapped(info->summary, SUMMARY_COLUMN, SUMMARY_COLUMN);
    }
    printf("\n");
    print_wrapped(help_schedule_argument, 0, 0);
    printf("%s\n\n", help_exit_statuses);
    printf("collc COMMAND -h shows examples, --help all options; collc --version says which collc.\n");
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
    else if (strncmp(name, "complet", 7) == 0)
        help = "'collc help --format bash' writes the completion of a shell; also zsh and fish";
    else if (strcmp(name, "man") == 0)
        help = "'collc help --format man COMMAND' writes the manual page of a command", near = NULL;
    else if (name[0] == '-')
        help = "options stand behind a command, such as 'collc verify alltoall/ring -t star:4'";
    usage_error_with(help, "unknown command '%s'%s", name, usage_did_you_mean(&arena, near));
    arena_free(&arena);
    return STATUS_FAILED;
}

static void help_schema(const struct key_table *keys, const char *title)
{
    struct text text = {0};
    schema_write(keys, title, &text);
    fwrite(text.data, 1, text.length, stdout);
    text_free(&text);
}

static void help_project_schema(void)
{
    help_schema(&project_keys, "collc.yaml: schedules, networks and limits that 'collc check' checks");
}

static void help_config_schema(void)
{
    help_schema(&usual_keys, "collc/config.yaml: values of options that are not given");
}

static void print_form(const char *format)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } forms[] = {{"text", help_text}, {"man", help_man}, {"markdown", help_markdown},
                 {"bash", help_bash}, {"zsh", help_zsh}, {"fish", help_fish},
                 {"project-schema", help_project_schema}, {"config-schema", help_config_schema}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (option_is(format, forms[i].name) || (!format && i == 0)) {
            forms[i].print();
            return;
        }
}

int command_help(const struct options *options)
{
    enum command command = N_COMMANDS;
    if (options->n_arguments)
        command = command_find(options->arguments[0]);
    if (options->n_arguments && command == N_COMMANDS)
        return help_unknown_command(options->arguments[0]);
    if (command == N_COMMANDS)
        print_form(options->format);
    else if (option_is(options->format, "man"))
        help_man_of_command(command);
    else if (options->format && !option_is(options->format, "text"))
        return usage_error_with("leave the command out: 'collc help --format FORM' is of all commands",
                                "'%s' alone has only the forms text and man", command_table[command].name);
    else
        return help_of_command(command);
    return STATUS_CLEAN;
}
