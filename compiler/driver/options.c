/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line by the table in options.def. The table given to
 * getopt_long holds only the options of the command at hand, so an option of
 * another command is an unknown one.
 */
#include "compiler/driver/options.h"

#include "compiler/topo/text/units.h"
#include "ir/suggest.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON(name) (1u << COMMAND_##name)
#define PREDICTIONS (ON(predict) | ON(best))
#define SIZED (ON(compile) | ON(verify) | ON(emit) | ON(draw) | ON(map))
#define MAPPED (ON(compile) | ON(verify) | ON(emit) | ON(draw) | ON(predict))
#define SCHEDULES (SIZED | PREDICTIONS)
#define LOCATED (SCHEDULES | ON(bound))
#define PLACED (LOCATED | ON(algorithms))
#define EVERY ((1u << N_COMMANDS) - 1)

/* "|xml|...": without the first character, the choices of `topo --to`. */
static const char topology_targets[] =
#define TARGET(name, spelling, title) "|" spelling
#include "emitters/topologies.def"
    ;

const struct option_info option_table[] = {
#define OPTION(name, letter, argument, kind, field, commands, help) \
    {name, letter, argument, OPTION_##kind, offsetof(struct options, field), commands, help},
#include "compiler/driver/options.def"
};
const size_t n_options = sizeof option_table / sizeof *option_table;

const struct command_info command_table[N_COMMANDS] = {
#define COMMAND(name, arguments, least, most, summary, description) \
    {#name, arguments, least, most, summary, description, command_##name},
#include "compiler/driver/commands.def"
};

enum { MAX_OPTIONS = sizeof option_table / sizeof *option_table };

enum command command_find(const char *name)
{
    enum command command = 0;
    while (command < N_COMMANDS && strcmp(command_table[command].name, name) != 0)
        command++;
    return command;
}

const char *nearest_command(const char *name)
{
    const char *names[N_COMMANDS];
    for (enum command command = 0; command < N_COMMANDS; command++)
        names[command] = command_table[command].name;
    return nearest(name, strlen(name), names, N_COMMANDS);
}

const char *or_rather(struct arena *arena, const char *near)
{
    return near ? arena_printf(arena, "; did you mean '%s'?", near) : "";
}

bool is_choice(const char *value, const char *word)
{
    return value && strcmp(value, word) == 0;
}

int usage_error(const struct options *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("collc: error: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\ncollc: help: try 'collc %s --help'\n",
            command_table[options->command].name);
    return STATUS_FAILED;
}

static bool parse_unsigned(const char *text, uint64_t limit, uint64_t *value, const char **end)
{
    if (*text < '0' || *text > '9')
        return false;
    char *stop;
    errno = 0;
    unsigned long long number = strtoull(text, &stop, 10);
    *value = number;
    *end = stop;
    return errno == 0 && number <= limit;
}

bool parse_size(const char *text, uint64_t *bytes)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {{"", 1},       {"B", 1},        {"kB", 1000},       {"KB", 1000},
                 {"KiB", 1024}, {"MB", 1000000}, {"MiB", 1u << 20}, {"GB", 1000000000},
                 {"GiB", 1u << 30}};
    const char *unit;
    uint64_t number;
    if (!parse_unsigned(text, UINT64_MAX, &number, &unit))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0)
            return mem_multiply(number, units[i].factor, bytes);
    return false;
}

static bool is_word_of(const char *text, const char *words)
{
    size_t length = strlen(text);
    for (const char *word = words; word; word = strchr(word, '|')) {
        word += *word == '|';
        if (strncmp(word, text, length) == 0 && (word[length] == '|' || word[length] == '\0'))
            return length > 0;
    }
    return false;
}

/* The name of an algorithm, or the path of its file. */
static bool is_algorithm_name(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
               strlen(text) &&
           strpbrk(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static bool add_setting(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(equals + 1, &end, 10);
    const bool is_number = !errno && *end == '\0';
    if (!is_number && !is_algorithm_name(equals + 1))
        return false;
    const struct source *source =
        source_of_text("<param>", text, strlen(text), &options->arena);
    struct parameter_setting *settings =
        arena_alloc(&options->arena, options->n_settings + 1, sizeof *settings);
    if (options->n_settings)
        memcpy(settings, options->settings, options->n_settings * sizeof *settings);
    size_t length = (size_t)(equals - text);
    settings[options->n_settings++] = (struct parameter_setting){
        arena_strndup(&options->arena, text, length), is_number ? value : 0,
        is_number ? NULL : equals + 1, source_position(source, 0, length)};
    options->settings = settings;
    return true;
}

static bool add_text(struct options *options, struct text_list *list, const char *text)
{
    const char **items = arena_alloc(&options->arena, list->n + 1, sizeof *items);
    if (list->n)
        memcpy(items, list->items, list->n * sizeof *items);
    items[list->n++] = text;
    list->items = items;
    return *text != '\0';
}

static bool set_quantity(struct quantity *quantity, const char *text,
                         enum value_result parse(struct slice, uint64_t *))
{
    quantity->is_set = true;
    return parse((struct slice){text, strlen(text)}, &quantity->value) == VALUE_OK;
}

/* Stores the option's argument in its field; false if it is no value for it. */
static bool set_option(struct options *options, const struct option_info *info, const char *text)
{
    void *field = (char *)options + info->field;
    const char *end;
    uint64_t number;
    switch (info->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_CHOICE:
        if (!is_word_of(text, info->argument))
            return false;
        *(const char **)field = text;
        return true;
    case OPTION_TEXT:
        *(const char **)field = text;
        return *text != '\0';
    case OPTION_NUMBER:
    case OPTION_COUNT:
        if (!parse_unsigned(text, UINT32_MAX, &number, &end) || *end != '\0')
            return false;
        *(uint32_t *)field = (uint32_t)number;
        return number > 0 || info->kind == OPTION_NUMBER;
    case OPTION_SIZE:
        return parse_size(text, field);
    case OPTION_SIZES:
        return parse_sizes(text, field, &options->arena);
    case OPTION_TIME:
    case OPTION_RATE:
        return set_quantity(field, text, info->kind == OPTION_TIME ? parse_latency : parse_bandwidth);
    case OPTION_LIST:
        return add_text(options, field, text);
    case OPTION_SETTING:
        return add_setting(options, text);
    }
    return false;
}

/* What the option's argument has to be, after "is not". */
static const char *domain_of(const struct option_info *info)
{
    switch (info->kind) {
    case OPTION_COUNT:
        return "a number from 1 to 4294967295";
    case OPTION_NUMBER:
        return "a number from 0 to 4294967295";
    case OPTION_SIZE:
        return "a size below 2^64 bytes, such as 1000, 64KiB or 1MiB";
    case OPTION_SIZES:
        return "a list of up to 256 sizes, such as 8,1000,64KiB or 8..4MiB";
    case OPTION_TIME:
        return "a time, such as 0ns, 800ns or 1.5us";
    case OPTION_RATE:
        return "a bandwidth, such as 10GB/s or 500MiB/s";
    case OPTION_SETTING:
        return "of the form NAME=VALUE, with a 64-bit integer or the name of an algorithm";
    case OPTION_TEXT:
    case OPTION_LIST:
        return "a value: it is empty";
    case OPTION_FLAG:
    case OPTION_CHOICE:
        break;
    }
    return info->argument;
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

static void refuse_option(struct options *options, const struct getopt_table *table,
                          const char *word)
{
    const char *names[MAX_OPTIONS], *near = NULL;
    size_t n = 0;
    for (; table->options[n].name; n++)
        names[n] = table->options[n].name;
    if (strncmp(word, "--", 2) == 0)
        near = nearest(word + 2, strcspn(word + 2, "="), names, n);
    if (near)
        near = arena_printf(&options->arena, "--%s", near);
    usage_error(options, "unknown or ambiguous option '%s'%s", word,
                or_rather(&options->arena, near));
}

/* Of a choice, the word that was meant. */
static const char *nearest_choice(const char *text, const char *words, struct arena *arena)
{
    enum { MAX_WORDS = 32 };
    const char *list[MAX_WORDS];
    size_t n = 0;
    for (const char *word = words; word && n < MAX_WORDS; word = strchr(word, '|')) {
        word += *word == '|';
        list[n++] = arena_strndup(arena, word, strcspn(word, "|"));
    }
    return nearest(text, strlen(text), list, n);
}

static void refuse_value(struct options *options, const struct option_info *info, const char *text)
{
    bool is_choice_of = info->kind == OPTION_CHOICE;
    const char *near =
        is_choice_of ? nearest_choice(text, info->argument, &options->arena) : NULL;
    usage_error(options, "option '--%s': '%s' is not %s%s%s", info->name, text,
                is_choice_of ? "one of " : "", domain_of(info), or_rather(&options->arena, near));
}

static bool take_options(int argc, char **argv, struct options *options)
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
        if (found == '?') {
            refuse_option(options, &table, argv[optind - 1]);
            return false;
        }
        const struct option_info *info =
            found >= 256 ? table.info[found - 256] : find_letter(&table, found);
        if (!set_option(options, info, optarg)) {
            refuse_value(options, info, optarg);
            return false;
        }
    }
    return true;
}

bool options_parse(int argc, char **argv, struct options *options)
{
    const struct command_info *command = &command_table[options->command];
    if (!take_options(argc, argv, options))
        return false;
    uint32_t n = (uint32_t)(argc - optind);
    if (options->help)
        return true;
    if (n < command->least || n > command->most) {
        if (command->most == 0)
            usage_error(options, "'%s' takes no arguments", command->name);
        else
            usage_error(options, n < command->least ? "'%s' needs an argument: %s"
                                                    : "too many arguments for '%s %s'",
                        command->name, command->arguments);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        options->arguments[i] = argv[optind + (int)i];
    options->n_arguments = n;
    return true;
}

void options_free(struct options *options)
{
    arena_free(&options->arena);
}
