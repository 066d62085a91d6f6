/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints manual pages.
 */
#include "compiler/driver/help_internal.h"

#include "compiler/driver/version.h"

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

static void man_options(enum command command)
{
    struct help_heading heading = help_heading_begin(command);
    for (size_t i = 0; i < n_options; i++) {
        char name[80];
        const char *title = help_heading_above(&heading, command, &option_table[i]);
        if (title)
            print_roff_line(".SS ", title);
        if (!help_has_option(command, &option_table[i]))
            continue;
        help_option_name(&option_table[i], name, sizeof name);
        print_roff_line(".TP\n.B ", name);
        struct text help = help_of_option(&option_table[i]);
        print_roff_line("", help.data);
        text_free(&help);
    }
}

static void man_examples(enum command command)
{
    const char *before = ".SH EXAMPLES\n";
    for (size_t i = 0; i < n_command_examples; i++) {
        const struct command_example *example = &command_examples[i];
        if (example->command != command)
            continue;
        printf("%s.TP\n.B collc %s ", before, command_table[command].name);
        print_roff_line("", example->arguments);
        print_roff_line("", example->answers);
        before = "";
    }
}

static void man_endings(void)
{
    printf(".SH EXIT STATUS\n.TP\n.B 0\nclean\n.TP\n.B 1\nfindings\n.TP\n.B 2\nthe job could not be done\n"
           ".SH ENVIRONMENT\n.TP\n.B COLLC_TOPOLOGY\nthe network where none is given\n"
           ".TP\n.B NO_COLOR\nno colour, whatever the terminal\n"
           ".SH FILES\n.TP\n.I ~/.config/collc/config.yaml\nvalues of options that are not given\n.SH SEE ALSO\n");
}

void help_man_of_command(enum command command)
{
    const struct command_info *info = &command_table[command];
    printf(".TH COLLC-%s 1 \"\" \"collc %s\"\n.SH NAME\ncollc-%s \\- ", info->name, COLLC_VERSION,
           info->name);
    print_roff_line("", info->summary);
    printf(".SH SYNOPSIS\n.B collc %s\n[\\fIOPTION\\fR]... ", info->name);
    print_roff_line("", info->arguments);
    print_roff_line(".SH DESCRIPTION\n", info->description);
    print_roff_line(".PP\n", help_schedule_argument);
    man_examples(command);
    printf(".SH OPTIONS\n");
    man_options(command);
    man_endings();
    printf(".BR collc (1)\n");
}

void help_man(void)
{
    printf(".TH COLLC 1 \"\" \"collc %s\"\n.SH NAME\ncollc \\- %s\n", COLLC_VERSION, help_what_it_is);
    printf(".SH SYNOPSIS\n.B collc\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]\n.SH DESCRIPTION\n");
    print_roff_line("", help_schedule_argument);
    printf(".SH COMMANDS\n");
    for (size_t i = 0; i < n_command_rows; i++) {
        if (command_rows[i].section) {
            print_roff_line(".SS ", command_rows[i].section);
            continue;
        }
        const struct command_info *info = &command_table[command_rows[i].command];
        printf(".TP\n.BR collc\\-%s (1)\n", info->name);
        print_roff_line("", info->summary);
    }
    man_endings();
    printf("The manual page of a command, such as\n.BR collc\\-verify (1)\n");
}
