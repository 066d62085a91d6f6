/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the command line by the table in options.def. The table given to
 * getopt_long holds only the options of the command at hand, so an option of
 * another command is an unknown one.
 */
#include "compiler/driver/options.h"

#include "base/suggest.h"
#include "compiler/driver/messages.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON(name) (1u << COMMAND_##name)
#define PREDICTIONS (ON(predict) | ON(best))
#define SIZED (ON(compile) | ON(verify) | ON(emit) | ON(draw) | ON(map) | ON(simulate) | ON(diff))
#define MAPPED (ON(compile) | ON(verify) | ON(diff) | ON(emit) | ON(draw) | ON(predict) | ON(simulate))
#define SCHEDULES (SIZED | PREDICTIONS)
#define LOCATED (SCHEDULES | ON(bound) | ON(synth))
#define PLACED (LOCATED | ON(algorithms))
#define EVERY ((1u << N_COMMANDS) - 1)

/* "|xml|...": without the first character, the choices of `topo --to`. */
/* "|parse|inline ..." */
static const char pass_names[] =
#define PASS(name, help) "|" #name
#include "compiler/passes/passes.def"
    ;
static const char topology_targets[] =
#define WRITES(name, spelling, title) "|" spelling
#include "network/formats/formats.def"
    ;

/* The same of emitters/targets.def, with a help that says what each is. */
static const char emit_targets[] =
#define EMIT(name, takes, options, function, title) "|" name
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
#define LISTED "(default: the first)"
static const char emit_titles[] = "what to write " LISTED
#define EMIT(name, takes, options, function, title) "; " name ": " title
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
static const char drawings[] =
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title) "|" name
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
static const char drawing_titles[] = "what to draw " LISTED
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title) "; " name ": " title
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
/* The same of synth/methods.def. */
static const char synth_methods[] =
#define SYNTH_METHOD(name, title) "|" #name
#include "synth/methods.def"
    ;
static const char synth_titles[] = "how (default: the best of those that serve)"
#define SYNTH_METHOD(name, title) "; " #name ": " title
#include "synth/methods.def"
    ;
static const char pictures[] =
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title) "|" name
#include "emitters/targets.def"
    ;
static const char picture_titles[] = "what to write " LISTED
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title) "; " name ": " title
#include "emitters/targets.def"
    ;

/* simulate/models.def and words.def: words, and what they mean. */
static const char simulation_names[] =
#define SUM(name, title) "|" #name
#define MODEL(name, title) "|" #name
#include "simulate/models.def"
    ;
static const char simulation_titles[] = "how times are found (default asap)"
#define SUM(name, title) "; " #name ": " title
#define MODEL(name, title) "; " #name ": " title
#include "simulate/models.def"
    ;
static const char sync_names[] =
#define SYNCHRONISATION(name, spelling, title) "|" spelling
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
    ;
static const char sync_titles[] = "when a rank goes on to its next step " LISTED
#define SYNCHRONISATION(name, spelling, title) "; " spelling ": " title
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
    ;
static const char order_names[] =
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) "|" spelling
#include "simulate/words.def"
    ;
static const char order_titles[] = "whose messages leave a machine first, of ranks that send at once " LISTED
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) "; " spelling ": " title
#include "simulate/words.def"
    ;
/* "|ompi-4.1|..." */
static const char table_targets[] =
#define TARGET(name, spelling, title) "|" spelling
#include "tables/loaders.def"
    ;
/* Those that are written, behind the other forms of best. */
static const char best_forms[] = "csv|svg"
#define TARGET(name, spelling, title)
#define WRITTEN_TARGET(name, spelling, title) "|" spelling
#include "tables/loaders.def"
    ;
static const char best_titles[] =
    "write something else instead of a report; csv: a table; svg: a chart of time against size"
#define TARGET(name, spelling, title)
#define WRITTEN_TARGET(name, spelling, title) "; " spelling ": rules for " title
#include "tables/loaders.def"
    ;
static const char table_titles[] = "whose rule table it is"
#define TARGET(name, spelling, title) "; " spelling ": " title
#include "tables/loaders.def"
    ;

const struct option_info option_table[] = {
#define OPTION(name, letter, argument, kind, field, commands, help) \
    {name, letter, argument, OPTION_##kind, offsetof(struct options, field), commands, help},
#include "compiler/driver/options.def"
};
const size_t n_options = sizeof option_table / sizeof *option_table;

enum { MAX_OPTIONS = sizeof option_table / sizeof *option_table };

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

static enum value_result set_quantity(struct quantity *quantity, const char *text,
                                      enum value_result parse(struct slice, uint64_t *))
{
    quantity->is_set = true;
    return parse((struct slice){text, strlen(text)}, &quantity->value);
}

/* "64KiB" or "1..1MiB" */
static enum value_result set_span(struct size_span *span, const char *text)
{
    const char *dots = strstr(text, "..");
    const size_t length = dots ? (size_t)(dots - text) : strlen(text);
    enum value_result result = parse_size((struct slice){text, length}, &span->first);
    span->last = span->first;
    if (result == VALUE_OK && dots)
        result = parse_size(slice_of(dots + 2), &span->last);
    span->is_set = result == VALUE_OK;
    return result == VALUE_OK && span->first > span->last ? VALUE_SYNTAX : result;
}

/* "8" or "2..64" */
static enum value_result add_counts(struct size_list *list, const char *text, struct arena *arena)
{
    const bool is_plain = strspn(text, "0123456789,.") == strlen(text);
    const enum value_result result = is_plain ? sizes_parse(text, list, arena) : VALUE_SYNTAX;
    const bool is_inside = result == VALUE_OK && list->items[0] > 0 && list->items[list->n - 1] <= UINT32_MAX;
    return result == VALUE_OK && !is_inside ? VALUE_SYNTAX : result;
}

static bool set_number(uint32_t *field, const char *text, uint32_t least)
{
    return parse_count((struct slice){text, strlen(text)}, field) == VALUE_OK && *field >= least;
}

static bool set_limit(struct limit *limit, const char *text)
{
    uint32_t most;
    if (!set_number(&most, text, 0))
        return false;
    *limit = limit_of(most);
    return true;
}

static enum value_result ok_or_syntax(bool is_ok)
{
    return is_ok ? VALUE_OK : VALUE_SYNTAX;
}

/* Stores the option's argument in its field; another result if it is no value for it. */
static enum value_result set_option(struct options *options, const struct option_info *info,
                                    const char *text)
{
    void *field = (char *)options + info->field;
    switch (info->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return VALUE_OK;
    case OPTION_CHOICE:
    case OPTION_TEXT:
        *(const char **)field = text;
        return ok_or_syntax(info->kind == OPTION_CHOICE ? is_word_of(text, info->argument) : *text);
    case OPTION_NUMBER:
    case OPTION_COUNT:
        return ok_or_syntax(set_number(field, text, info->kind == OPTION_COUNT));
    case OPTION_LIMIT:
        return ok_or_syntax(set_limit(field, text));
    case OPTION_FACTOR:
        ((struct limit *)field)->is_set = true;
        return parse_factor((struct slice){text, strlen(text)}, &((struct limit *)field)->most);
    case OPTION_SIZE:
        return parse_size((struct slice){text, strlen(text)}, field);
    case OPTION_SPAN:
        return set_span(field, text);
    case OPTION_SIZES:
        return sizes_parse(text, field, &options->arena);
    case OPTION_COUNTS:
        return add_counts(field, text, &options->arena);
    case OPTION_TIME:
        return set_quantity(field, text, parse_latency);
    case OPTION_RATE:
        return set_quantity(field, text, parse_bandwidth);
    case OPTION_AMOUNT:
        return set_quantity(field, text, parse_size);
    case OPTION_LIST:
        return ok_or_syntax(add_text(options, field, text));
    case OPTION_SETTING:
        return ok_or_syntax(add_setting(options, text));
    }
    return VALUE_SYNTAX;
}

/* What the option's argument has to be, after "is not". */
static const char *domain_of(const struct option_info *info)
{
    switch (info->kind) {
    case OPTION_COUNT:
        return "a number from 1 to 4294967295";
    case OPTION_NUMBER:
    case OPTION_LIMIT:
        return "a number from 0 to 4294967295";
    case OPTION_SPAN:
        return "a size, such as 64KiB, or two with '..' between, the lesser first, such as 1..1MiB";
    case OPTION_FACTOR:
        return "a number from 1 on, such as 1.5";
    case OPTION_SIZE:
    case OPTION_AMOUNT:
        return "a size, such as 1000, 64KiB or 1MiB";
    case OPTION_SIZES:
        return "a list of up to 256 sizes, such as 8,1000,64KiB or 8..4MiB";
    case OPTION_COUNTS:
        return "a list of numbers from 1 to 4294967295, such as 8 or 2,6,8..64";
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

/* Where a value with a unit ends, after "is". */
static const char *range_of(const struct option_info *info)
{
    switch (info->kind) {
    case OPTION_SIZE:
    case OPTION_SPAN:
    case OPTION_SIZES:
    case OPTION_AMOUNT:
        return "too large: sizes are below 2^63 bytes (8EiB)";
    case OPTION_TIME:
        return "too long: times are at most 1000s";
    case OPTION_RATE:
        return "out of range: bandwidths are from 1B/s to 1000TB/s";
    case OPTION_FLAG:
    case OPTION_CHOICE:
    case OPTION_TEXT:
    case OPTION_NUMBER:
    case OPTION_COUNT:
    case OPTION_COUNTS:
    case OPTION_LIMIT:
    case OPTION_LIST:
    case OPTION_SETTING:
        break;
    case OPTION_FACTOR:
        return "out of range: factors are from 1 to 1000000";
    }
    return "out of range";
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

/* The set of commands that have an option of that name. */
static uint32_t commands_with(const char *name)
{
    uint32_t commands = 0;
    for (size_t i = 0; i < n_options; i++)
        if (strcmp(option_table[i].name, name) == 0)
            commands |= option_table[i].commands;
    return commands;
}

/* "'emit', 'draw'" */
static const char *list_commands(uint32_t commands, struct arena *arena)
{
    const char *list = "";
    for (enum command command = 0; command < N_COMMANDS; command++)
        if (commands & (1u << command))
            list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "", command_table[command].name);
    return list;
}

/* The option of this command that launchers call so, or NULL. */
static const char *option_known_as(const struct getopt_table *table, const char *word)
{
    static const struct {
        const char *theirs, *ours;
    } namesakes[] = {
#define NAMESAKE(theirs, ours) {theirs, ours},
#include "compiler/driver/namesakes.def"
    };
    for (size_t i = 0; i < sizeof namesakes / sizeof *namesakes; i++)
        for (size_t j = 0; strcmp(namesakes[i].theirs, word) == 0 && table->options[j].name; j++)
            if (strcmp(table->options[j].name, namesakes[i].ours) == 0)
                return namesakes[i].ours;
    return NULL;
}

/* "'--ranks', '--ranks-per-machine'": the option that others call so, else those that begin with
 * the word, else the one nearest to it; or NULL. */
static const char *options_like(const struct getopt_table *table, const char *word, struct arena *arena)
{
    const char *namesake = option_known_as(table, word);
    if (namesake)
        return arena_printf(arena, "'--%s'", namesake);
    const char *names[MAX_OPTIONS], *list = NULL;
    size_t n = 0;
    for (; table->options[n].name; n++) {
        names[n] = table->options[n].name;
        if (strncmp(names[n], word, strlen(word)) == 0)
            list = arena_printf(arena, "%s%s'--%s'", list ? list : "", list ? ", " : "", names[n]);
    }
    const char *near = list ? NULL : nearest(word, strlen(word), names, n);
    return near ? arena_printf(arena, "'--%s'", near) : list;
}

/* "; did you mean '--ranks'?", or nothing. */
static const char *or_option(struct arena *arena, const char *like)
{
    return like ? arena_printf(arena, "; did you mean %s?", like) : "";
}

/* The set of commands that have an option of that letter. */
static uint32_t commands_with_letter(char letter)
{
    uint32_t commands = 0;
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].short_name == letter)
            commands |= option_table[i].commands;
    return commands;
}

/* What to write in the place of an option that this command has not; NULL: nothing is known. */
static const char *help_without(const struct options *options, const char *name)
{
    if (strcmp(name, "output") == 0)
        return "what it prints is kept by '>FILE'";
    if (strcmp(name, "topology") == 0 && strcmp(command_table[options->command].name, "lint") == 0)
        return "it tries algorithms on networks of its own; 'collc verify FILE -t NETWORK' judges one on yours";
    return NULL;
}

static void refuse_foreign(struct options *options, const char *name, const char *written, uint32_t commands)
{
    const char *help = help_without(options, name);
    const char *command = command_table[options->command].name;
    const char *others = list_commands(commands, &options->arena);
    if (help)
        usage_error_with(help, "'%s' has no option '%s': it is an option of %s", command, written, others);
    else
        usage_error(options, "'%s' has no option '%s': it is an option of %s", command, written, others);
}

static const char *name_of_letter(char letter)
{
    size_t i = 0;
    while (option_table[i].short_name != letter)
        i++;
    return option_table[i].name;
}

static void refuse_letter(struct options *options, const struct getopt_table *table, char letter)
{
    struct arena *arena = &options->arena;
    const uint32_t commands = commands_with_letter(letter);
    const char *like = option_known_as(table, (const char[]){letter, '\0'});
    if (commands)
        refuse_foreign(options, name_of_letter(letter), (const char[]){'-', letter, '\0'}, commands);
    else
        usage_error(options, "unknown option '-%c'%s", letter,
                    or_option(arena, like ? arena_printf(arena, "'--%s'", like) : NULL));
}

/* `word` is an argument that begins with "--". */
static void refuse_option(struct options *options, const struct getopt_table *table, const char *word)
{
    struct arena *arena = &options->arena;
    const char *name = arena_strndup(arena, word + 2, strcspn(word + 2, "="));
    const char *like = options_like(table, name, arena);
    const uint32_t commands = commands_with(name);
    if (commands & (1u << options->command))
        usage_error(options, "option '--%s' takes no value", name);
    else if (commands)
        refuse_foreign(options, name, arena_printf(arena, "--%s", name), commands);
    else
        usage_error(options, "unknown option '--%s'%s", name, or_option(arena, like));
}

/* getopt_long takes the beginning of a name for the name. What is short for one option today
 * would be another's tomorrow, and '--to' of one command is '--topology' of the next. */
static bool is_written_out(const char *word, const char *name)
{
    const size_t length = strcspn(word + 2, "=");
    return length == strlen(name) && strncmp(word + 2, name, length) == 0;
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

/* A word that the option does not take here: other commands do, or it is an option itself; NULL: neither. */
static const char *help_with_choice(struct options *options, const struct option_info *info, const char *text)
{
    uint32_t commands = 0;
    bool is_option = false;
    for (size_t i = 0; i < n_options; i++) {
        const struct option_info *other = &option_table[i];
        if (other->kind == OPTION_CHOICE && strcmp(other->name, info->name) == 0 &&
            is_word_of(text, other->argument))
            commands |= other->commands;
        is_option |= strcmp(other->name, text) == 0 && (other->commands & (1u << options->command));
    }
    if (commands)
        return arena_printf(&options->arena, "'--%s %s' is for %s", info->name, text,
                            list_commands(commands, &options->arena));
    return is_option ? arena_printf(&options->arena, "'--%s' is an option of its own: 'collc %s --help'", text,
                                    command_table[options->command].name)
                     : NULL;
}

/* How to write what was meant by a size, or, where it can be several, a list or range of them. */
static const char *help_with_size(const char *text, bool can_be_several)
{
    return can_be_several && (strpbrk(text, "-:") || strstr(text, ".."))
               ? "a range is written 8..4MiB, the smaller size first"
               : "units are kB, MB, GB ... of 1000 and KiB, MiB, GiB ... of 1024 bytes";
}

static void refuse_value(struct options *options, const struct option_info *info, const char *text,
                         enum value_result result)
{
    if (result == VALUE_RANGE) {
        usage_error(options, "option '--%s': '%s' is %s", info->name, text, range_of(info));
        return;
    }
    bool is_choice_of = info->kind == OPTION_CHOICE;
    if (is_choice_of && strcmp(info->argument, "each") == 0) {
        usage_error_with("'each' takes every part out in turn; one part is taken out by 'fail:' at a network of the "
                         "project file, or by 'collc verify --fail PART'",
                         "option '--%s': '%s' is not 'each', the one word that it takes", info->name, text);
        return;
    }
    const char *near =
        is_choice_of ? nearest_choice(text, info->argument, &options->arena) : NULL;
    const char *help = is_choice_of && !near ? help_with_choice(options, info, text) : NULL;
    if (help)
        usage_error_with(help, "option '--%s': '%s' is not one of %s", info->name, text, domain_of(info));
    else if (info->kind == OPTION_SIZE || info->kind == OPTION_SIZES || info->kind == OPTION_AMOUNT)
        usage_error_with(help_with_size(text, info->kind == OPTION_SIZES),
                         "option '--%s': '%s' is not %s", info->name, text, domain_of(info));
    else
        usage_error(options, "option '--%s': '%s' is not %s%s%s", info->name, text,
                    is_choice_of ? "one of " : "",
                    domain_of(info),
                    usage_did_you_mean(&options->arena, near));
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
        if (found == '?' && optopt > 0 && optopt < 256) {
            refuse_letter(options, &table, (char)optopt);
            return false;
        }
        const bool is_apart = found != '?' && optarg == argv[optind - 1];
        const char *word = argv[optind - 1 - is_apart];
        if (found == '?' || (found >= 256 && !is_written_out(word, table.info[found - 256]->name))) {
            refuse_option(options, &table, word);
            return false;
        }
        const struct option_info *info =
            found >= 256 ? table.info[found - 256] : find_letter(&table, found);
        enum value_result result = set_option(options, info, optarg);
        if (result != VALUE_OK) {
            refuse_value(options, info, optarg, result);
            return false;
        }
    }
    return true;
}

/* The choice of that name that the command has, or NULL. */
static const struct option_info *find_choice(const struct options *options, const char *name)
{
    for (size_t i = 0; i < n_options; i++) {
        const struct option_info *info = &option_table[i];
        if (info->kind == OPTION_CHOICE && (info->commands & (1u << options->command)) &&
            strcmp(info->name, name) == 0)
            return info;
    }
    return NULL;
}

/* The field of that choice is set to `word` if that is one of its words; else false. */
static bool choose_by_ending(struct options *options, const char *name, const char *word)
{
    const struct option_info *info = find_choice(options, name);
    if (!info || !is_word_of(word, info->argument))
        return false;
    *(const char **)((char *)options + info->field) = word;
    return true;
}

/* A file whose ending promises a picture, or of a drawing anything, that the command does not make would hold
 * something else. */
static bool is_misleading(const struct options *options, const char *ending)
{
    const bool is_drawing = options->command == COMMAND_draw;
    return (is_drawing && strcmp(ending, "gv") != 0) ||
           is_word_of(ending, "svg|png|pdf|bmp|eps|gif|jpeg|jpg|ps|tif|tiff|webp");
}

/* Usage error: 'svg', 'png' and so on, whatever of --to and --format is an ending. */
static void refuse_ending(const struct options *options, const char *ending)
{
    static const char *const names[] = {"to", "format"};
    struct text forms = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct option_info *choice = find_choice(options, names[i]);
        for (const char *word = choice ? choice->argument : NULL; word; word = strchr(word, '|')) {
            word += *word == '|';
            text_printf(&forms, "%s--%s %.*s", forms.length ? ", " : "", names[i], (int)strcspn(word, "|"), word);
        }
    }
    if (forms.length)
        usage_error_with("say which, and the name may be any; without it the ending says so",
                         "'%s' writes no .%s: there is %s", command_table[options->command].name, ending, forms.data);
    else
        usage_error_with("give the file another ending", "'%s' writes no .%s",
                         command_table[options->command].name, ending);
    text_free(&forms);
}

/* What a file is to hold is said by the ending of its name, if by nothing else. False after refusing one. */
static bool take_ending(struct options *options)
{
    const char *slash = options->output ? strrchr(options->output, '/') : NULL;
    const char *name = slash ? slash + 1 : options->output;
    const char *dot = name ? strrchr(name, '.') : NULL;
    if (!dot || dot == name || options->to || options->format || choose_by_ending(options, "to", dot + 1) ||
        choose_by_ending(options, "format", dot + 1) || !is_misleading(options, dot + 1))
        return true;
    refuse_ending(options, dot + 1);
    return false;
}

/* `first` is the first argument that is one too many. */
static void refuse_arguments(const struct options *options, const char *first)
{
    const struct command_info *command = &command_table[options->command];
    const bool lacks_topology =
        (commands_with("topology") & (1u << options->command)) && !options->topology &&
        !options->topologies.n;
    if (command->most == 0)
        usage_error(options, "'%s' takes no arguments", command->name);
    else if (lacks_topology)
        usage_error_with("a network is given with --topology, ranks with --ranks",
                         "too many arguments for '%s %s': '%s'", command->name, command->arguments,
                         first);
    else
        usage_error(options, "too many arguments for '%s %s': '%s'", command->name,
                    command->arguments, first);
}

bool options_parse(int argc, char **argv, struct options *options)
{
    const struct command_info *command = &command_table[options->command];
    if (!take_options(argc, argv, options))
        return false;
    uint32_t n = (uint32_t)(argc - optind);
    if (options->help)
        return true;
    if (n < command->least)
        usage_error(options, "'%s' needs an argument: %s", command->name, command->arguments);
    else if (n > command->most)
        refuse_arguments(options, argv[optind + (int)command->most]);
    if (n < command->least || n > command->most)
        return false;
    for (uint32_t i = 0; i < n; i++)
        options->arguments[i] = argv[optind + (int)i];
    options->n_arguments = n;
    if (!take_ending(options))
        return false;
    if (options->rank_list.n == 1)
        options->ranks = (uint32_t)options->rank_list.items[0];
    return true;
}

void options_free(struct options *options)
{
    arena_free(&options->arena);
}
