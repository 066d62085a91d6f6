/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what shells read to complete words: commands, options, the words of choices, and as an argument the
 * names of collectives and built-in algorithms.
 */
#include "compiler/driver/help_internal.h"

#include "compiler/algorithms/builtin.h"

#include <string.h>

/* Prints the beginning of a help, up to the first mark that a shell may take as one of its own. */
static void print_brief(const char *help)
{
    printf("%.*s", (int)strcspn(help, ";:()[]'\"`$\\"), help);
}

static void print_words_of(const char *choices)
{
    for (; *choices; choices++)
        printf("%c", *choices == '|' ? ' ' : *choices);
}

static void print_commands(void)
{
    for (enum command command = 0; command < N_COMMANDS; command++)
        printf("%s%s", command ? " " : "", command_table[command].name);
}

static void print_collectives(void)
{
    for (enum collective c = 0; c < N_MPI_COLLECTIVES; c++)
        printf("%s%s", c ? " " : "", collective_name(c, FORM_EQUAL));
}

static void print_builtins(void)
{
    struct arena arena = {0};
    for (size_t i = 0; i < n_embedded_files; i++)
        for (enum collective c = 0; c < N_MPI_COLLECTIVES; c++) {
            const char *name = builtin_algorithm_of(&embedded_files[i], c, FORM_EQUAL, &arena);
            if (name)
                printf("%s ", name);
        }
    arena_free(&arena);
}

/* Kinds of first arguments, besides files. */
static bool takes_argument(enum command command, const char *argument)
{
    return strstr(command_table[command].arguments, argument) != NULL;
}

static bool takes_algorithm(enum command command)
{
    return takes_argument(command, "SCHEDULE") || takes_argument(command, "OLD") ||
           command == COMMAND_algorithms;
}

static void print_bash_choices(enum command command)
{
    for (size_t i = 0; i < n_options; i++)
        if (help_has_option(command, &option_table[i]) && option_table[i].kind == OPTION_CHOICE) {
            printf("    '%s --%s') words='", command_table[command].name, option_table[i].name);
            print_words_of(option_table[i].argument);
            printf("' ;;\n");
        }
}

static void print_bash_options(enum command command)
{
    printf("    '%s -'*) words='", command_table[command].name);
    for (size_t i = 0; i < n_options; i++)
        if (help_has_option(command, &option_table[i]))
            printf("--%s ", option_table[i].name);
    printf("' ;;\n");
}

/* Behind an option that takes a word nothing is offered but its choices; bash then offers files. */
void help_bash(void)
{
    printf(
        "_collc()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
        "    local command=${COMP_WORDS[1]}\n    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    print_commands();
    printf(" --help --version'\n    else\n    case \"$command $before\" in\n");
    for (enum command command = 0; command < N_COMMANDS; command++)
        print_bash_choices(command);
    printf("    *) case \"$command $word\" in\n");
    for (enum command command = 0; command < N_COMMANDS; command++)
        print_bash_options(command);
    printf("    'help '*) words='");
    print_commands();
    printf("' ;;\n    *) case \"$before\" in -*) ;; *) case \"$command\" in\n");
    for (enum command command = 0; command < N_COMMANDS; command++)
        if (takes_algorithm(command))
            printf("    %s) words=$_collc_algorithms ;;\n", command_table[command].name);
        else if (takes_argument(command, "COLLECTIVE"))
            printf("    %s) words=$_collc_collectives ;;\n", command_table[command].name);
    printf("    esac ;; esac ;; esac ;; esac\n    fi\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n_collc_algorithms='");
    print_builtins();
    printf("'\n_collc_collectives='");
    print_collectives();
    printf("'\ncomplete -o default -F _collc collc\n");
}

/* ":T:(text json)", ":FILE:_files" or ":N: " */
static void print_zsh_argument(const struct option_info *option)
{
    if (!option->argument)
        return;
    if (option->kind == OPTION_CHOICE) {
        printf(":word:(");
        print_words_of(option->argument);
        printf(")");
    } else {
        printf(":%s:%s", option->role == ROLE_NONE ? "value" : "file",
               option->role == ROLE_NONE ? " " : "_files");
    }
}

static void print_zsh_option(const struct option_info *option)
{
    if (option->short_name)
        printf("'*'{-%c,--%s}'[", option->short_name, option->name);
    else
        printf("'*--%s[", option->name);
    print_brief(option->help);
    printf("]");
    print_zsh_argument(option);
    printf("' \\\n            ");
}

static void print_zsh_command(enum command command)
{
    printf("    %s)\n        _arguments -s \\\n            ", command_table[command].name);
    for (size_t i = 0; i < n_options; i++)
        if (help_has_option(command, &option_table[i]))
            print_zsh_option(&option_table[i]);
    printf("'*:argument:%s' ;;\n", takes_algorithm(command)                ? "_collc_schedules"
                                   : takes_argument(command, "COLLECTIVE") ? "_collc_collectives"
                                   : command == COMMAND_help               ? "_collc_commands"
                                                                           : "_files");
}

void help_zsh(void)
{
    printf("#compdef collc\n_collc_commands()\n{\n    local -a commands=(\n");
    for (enum command command = 0; command < N_COMMANDS; command++) {
        printf("        '%s:", command_table[command].name);
        print_brief(command_table[command].summary);
        printf("'\n");
    }
    printf("    )\n    _describe command commands\n}\n_collc_schedules()\n{\n    local -a names=(");
    print_builtins();
    printf(")\n    _alternative 'algorithms:algorithm:compadd -a names' 'files:file:_files'\n}\n"
           "_collc_collectives()\n{\n    local -a names=(");
    print_collectives();
    printf(")\n    _alternative 'collectives:collective:compadd -a names' 'files:file:_files'\n}\n"
           "_collc()\n{\n    if (( CURRENT == 2 )); then\n        _collc_commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (enum command command = 0; command < N_COMMANDS; command++)
        print_zsh_command(command);
    printf("    esac\n}\nif [ \"$funcstack[1]\" = _collc ]; then\n    _collc \"$@\"\nelse\n    compdef "
           "_collc collc\nfi\n");
}

static void print_fish_option(enum command command, const struct option_info *option)
{
    printf("complete -c collc -n '__fish_seen_subcommand_from %s' -l %s", command_table[command].name,
           option->name);
    if (option->short_name)
        printf(" -s %c", option->short_name);
    if (option->kind == OPTION_CHOICE) {
        printf(" -x -a '");
        print_words_of(option->argument);
        printf("'");
    } else if (option->argument) {
        printf(option->role == ROLE_NONE ? " -x" : " -r -F");
    }
    printf(" -d '");
    print_brief(option->help);
    printf("'\n");
}

void help_fish(void)
{
    printf("set -g __collc_algorithms ");
    print_builtins();
    printf("\nset -g __collc_collectives ");
    print_collectives();
    printf("\ncomplete -c collc -n __fish_use_subcommand -f -l help\n"
           "complete -c collc -n __fish_use_subcommand -f -l version\n");
    for (enum command command = 0; command < N_COMMANDS; command++) {
        const char *name = command_table[command].name;
        printf("complete -c collc -n __fish_use_subcommand -f -a %s -d '", name);
        print_brief(command_table[command].summary);
        printf("'\n");
        if (takes_algorithm(command))
            printf("complete -c collc -n '__fish_seen_subcommand_from %s' -a '$__collc_algorithms'\n", name);
        else if (takes_argument(command, "COLLECTIVE"))
            printf("complete -c collc -n '__fish_seen_subcommand_from %s' -a '$__collc_collectives'\n", name);
        for (size_t i = 0; i < n_options; i++)
            if (help_has_option(command, &option_table[i]))
                print_fish_option(command, &option_table[i]);
    }
}
