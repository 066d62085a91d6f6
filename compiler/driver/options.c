/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line by the table in options.def. The table given to
 * getopt_long holds only the options of the command at hand, so an option of
 * another command is an unknown one.
 */
#include "compiler/driver/options_internal.h"

#include "compiler/driver/messages.h"
#include "compiler/driver/usual.h"

#include <getopt.h>
#include <string.h>

enum {
    MAX_OPTIONS = 0
#define OPTION(...) +1
#define HEADING(...) +1
#include "compiler/driver/options.def"
};

bool option_is(const char *value, const char *word)
{
    return value && strcmp(value, word) == 0;
}

bool is_word_of(const char *text, const char *words)
{
    size_t length = strlen(text);
    for (const char *word = words; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strncmp(word, text, length) == 0 && (word[length] == '|' || word[length] == '\0'))
            return length > 0;
    }
    return false;
}

/* getopt_long's own table and short string, and the way back to ours. */
struct getopt_table {
    struct option options[MAX_OPTIONS + 1];
    const struct option_info *info[MAX_OPTIONS];
    char letters[2 + 2 * MAX_OPTIONS + 1];
};

static void fill_getopt_table(enum command command, struct getopt_table *table)
{
    size_t n = 0;
    char *letter = table->letters;
    *letter++ = ':'; /* a missing argument is reported as ':' */
    for (size_t i = 0; i < n_options; i++) {
        const struct option_info *info = &option_table[i];
        if (!(info->commands & (1u << command)))
            continue;
        int has_argument = info->argument ? required_argument : no_argument;
        table->options[n] = (struct option){info->name, has_argument, NULL, 256 + (int)n};
        table->info[n++] = info;
        if (info->short_name)
            *letter++ = (char)info->short_name;
        if (info->short_name && info->argument)
            *letter++ = ':';
    }
    table->options[n] = (struct option){0};
    *letter = '\0';
}

static const struct option_info *find_letter(const struct getopt_table *table, int letter)
{
    for (size_t i = 0; table->options[i].name; i++)
        if (table->info[i]->short_name == letter)
            return table->info[i];
    return NULL;
}

/* getopt_long takes the beginning of a name for the name. What is short for one option today
 * would be another's tomorrow, and '--to' of one command is '--topology' of the next. */
static bool is_written_out(const char *word, const char *name)
{
    const size_t length = strcspn(word + 2, "=");
    return length == strlen(name) && strncmp(word + 2, name, length) == 0;
}

/* Marks in `given` the options that it takes. */
static bool options_take_options(int argc, char **argv, struct options *options, bool *given)
{
    struct getopt_table table;
    fill_getopt_table(options->command, &table);
    opterr = 0;
    optind = 1;
    int found;
    while ((found = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
        if (found == ':') {
            usage_error(options, "option '%s' needs an argument", argv[optind - 1]);
            return false;
        }
        if (found == '?' && optopt > 0 && optopt < 256) {
            option_refuse_letter(options, (char)optopt);
            return false;
        }
        const bool is_apart = found != '?' && optarg == argv[optind - 1];
        const char *word = argv[optind - 1 - is_apart];
        if (found == '?' || (found >= 256 && !is_written_out(word, table.info[found - 256]->name))) {
            option_refuse_word(options, word);
            return false;
        }
        const struct option_info *info =
            found >= 256 ? table.info[found - 256] : find_letter(&table, found);
        enum value_result result = option_take(options, info, optarg);
        if (result != VALUE_OK) {
            option_refuse_value(options, info, optarg, result);
            return false;
        }
        given[info - option_table] = true;
    }
    return true;
}

/* `first` is the first argument that is one too many. */
static void refuse_arguments(const struct options *options, const char *first)
{
    const struct command_info *command = &command_table[options->command];
    const bool lacks_topology =
        (options_commands_with("topology") & (1u << options->command)) && !options->topology &&
        !options->topologies.n;
    const char *help = options->command == COMMAND_route  ? "two hosts are given with --from A --to B"
                       : options->command == COMMAND_topo ? "a network to compare with is given with --against"
                                                          : "a network is given with --topology, ranks with --ranks";
    if (command->most == 0)
        usage_error(options, "'%s' takes no arguments", command->name);
    else if (lacks_topology)
        usage_error_with(help, "too many arguments for '%s %s': '%s'", command->name, command->arguments,
                         first);
    else
        usage_error(options, "too many arguments for '%s %s': '%s'", command->name,
                    command->arguments, first);
}

/* A network given by -t stands for the argument of a command whose argument is one. Returns the number of
 * arguments. */
static uint32_t take_network(struct options *options, uint32_t n)
{
    const bool is_named = strcmp(command_table[options->command].arguments, "T") == 0 && options->topology;
    if (!is_named || n)
        return n + is_named;
    options->arguments[0] = options->topology;
    return 1;
}

bool options_parse(int argc, char **argv, struct options *options)
{
    const struct command_info *command = &command_table[options->command];
    bool given[MAX_OPTIONS] = {false};
    if (!options_take_options(argc, argv, options, given))
        return false;
    const uint32_t n_words = (uint32_t)(argc - optind);
    if (options->usage || options->help)
        return true;
    options->n_arguments = n_words;
    if (!usual_take(options, given, n_words && strcmp(command->arguments, "T") == 0))
        return false;
    const uint32_t n = take_network(options, n_words);
    if (n < command->least)
        usage_error(options, "'%s' needs an argument: %s", command->name, command->arguments);
    else if (n > command->most)
        refuse_arguments(options, n > n_words ? options->topology : argv[optind + (int)command->most]);
    if (n < command->least || n > command->most)
        return false;
    for (uint32_t i = 0; i < n_words; i++)
        options->arguments[i] = argv[optind + (int)i];
    options->n_arguments = n;
    if (!options_take_ending(options))
        return false;
    if (options->rank_list.n == 1)
        options->ranks = (uint32_t)options->rank_list.items[0];
    return true;
}

void options_free(struct options *options)
{
    arena_free(&options->arena);
}
