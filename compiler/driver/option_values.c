/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The values of options: taken, or refused. See options_internal.h.
 */
#include "compiler/driver/options_internal.h"

#include "base/suggest.h"
#include "compiler/driver/messages.h"
#include "ir/schedule.h"
#include "tables/loaders.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- taking ---- */

/* The name of an algorithm, or the path of its file. */
static bool is_algorithm_name(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
               strlen(text) &&
           strpbrk(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static bool option_values_add_setting(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(equals + 1, &end, 10);
    const bool is_number = !errno && *end == '\0';
    uint64_t bytes = 0;
    if (*end == '\0' || parse_size((struct slice){equals + 1, strlen(equals + 1)}, &bytes) != VALUE_OK)
        bytes = 0;
    if (!is_number && !bytes && !is_algorithm_name(equals + 1))
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
        is_number || bytes ? NULL : equals + 1, bytes, source_position(source, 0, length)};
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

/* Parses "64KiB" or "1..1MiB". */
static enum value_result option_values_parse_span(struct slice text, struct span *span)
{
    size_t length = 0;
    while (length + 1 < text.length && strncmp(text.text + length, "..", 2) != 0)
        length++;
    const bool has_dots = length + 1 < text.length;
    enum value_result result =
        parse_size((struct slice){text.text, has_dots ? length : text.length}, &span->first);
    span->last = span->first;
    if (result == VALUE_OK && has_dots)
        result = parse_size((struct slice){text.text + length + 2, text.length - length - 2}, &span->last);
    return result == VALUE_OK && span->first > span->last ? VALUE_SYNTAX : result;
}

/* Puts a range among those of a list, which it may touch or overlap. */
static void option_values_add_span(struct span_list *list, struct span span)
{
    size_t first = 0, end;
    while (first < list->n && list->items[first].last < span.first)
        first++;
    for (end = first; end < list->n && list->items[end].first <= span.last; end++) {
        span.first = list->items[end].first < span.first ? list->items[end].first : span.first;
        span.last = list->items[end].last > span.last ? list->items[end].last : span.last;
    }
    memmove(list->items + first + 1, list->items + end, (list->n - end) * sizeof *list->items);
    list->items[first] = span;
    list->n = list->n - (end - first) + 1;
}

/* Takes "64KiB", "1..1MiB" or a list of such; a single size is options->bytes, too. */
static enum value_result add_spans(struct options *options, struct span_list *list, const char *text)
{
    struct slice rest = slice_of(text);
    enum value_result result = VALUE_OK;
    for (bool is_last = false; !is_last && result == VALUE_OK;) {
        struct span span;
        is_last = !memchr(rest.text, ',', rest.length);
        result = option_values_parse_span(slice_take_until(&rest, ','), &span);
        if (result != VALUE_OK)
            break;
        struct span *items = arena_alloc(&options->arena, list->n + 1, sizeof *items);
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        option_values_add_span(list, span);
    }
    options->bytes = list->n == 1 && list->items->first == list->items->last ? list->items->first : 0;
    return result;
}

/* Adds each number of "2-9". */
static enum value_result add_each_rank(struct size_list *list, const char *text, struct arena *arena)
{
    uint32_t first, last;
    const size_t length = strcspn(text, "-");
    enum value_result result = VALUE_OK;
    if (parse_count((struct slice){text, length}, &first) != VALUE_OK ||
        parse_count((struct slice){text + length + 1, strlen(text + length + 1)}, &last) != VALUE_OK ||
        first > last || last - first >= SIZES_MAX)
        return VALUE_SYNTAX;
    for (uint32_t rank = first; rank <= last && result == VALUE_OK; rank++)
        result = sizes_parse(arena_printf(arena, "%u", rank), list, arena);
    return result;
}

/* "8", "2..64" (2, 4, 8 ...) or "2-9" (each) */
static enum value_result add_ranks(struct size_list *list, const char *text, struct arena *arena)
{
    enum value_result result = strspn(text, "0123456789,.-") == strlen(text) ? VALUE_OK : VALUE_SYNTAX;
    for (bool is_last = false; !is_last && result == VALUE_OK; text += strcspn(text, ",") + 1) {
        const char *word = arena_strndup(arena, text, strcspn(text, ","));
        is_last = text[strlen(word)] == '\0';
        result = strchr(word, '-') ? add_each_rank(list, word, arena) : sizes_parse(word, list, arena);
    }
    const bool is_inside =
        result == VALUE_OK && list->items[0] > 0 && list->items[list->n - 1] <= SCHEDULE_MAX_RANKS;
    return result == VALUE_OK && !is_inside ? VALUE_SYNTAX : result;
}

static bool set_number(uint32_t *field, const char *text, uint32_t least)
{
    return parse_count((struct slice){text, strlen(text)}, field) == VALUE_OK && *field >= least;
}

static bool set_ranks(uint32_t *field, const char *text)
{
    return set_number(field, text, 1) && *field <= SCHEDULE_MAX_RANKS;
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

enum value_result option_take(struct options *options, const struct option_info *info,
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
    case OPTION_RANKS:
        return ok_or_syntax(set_ranks(field, text));
    case OPTION_LIMIT:
        return ok_or_syntax(set_limit(field, text));
    case OPTION_FACTOR:
        ((struct limit *)field)->is_set = true;
        return parse_factor((struct slice){text, strlen(text)}, &((struct limit *)field)->most);
    case OPTION_SIZE:
        return parse_size((struct slice){text, strlen(text)}, field);
    case OPTION_SPANS:
        return add_spans(options, field, text);
    case OPTION_SIZES:
        return sizes_parse(text, field, &options->arena);
    case OPTION_RANK_LIST:
        return add_ranks(field, text, &options->arena);
    case OPTION_TIME:
        return set_quantity(field, text, parse_latency);
    case OPTION_DURATION:
        return set_quantity(field, text, parse_duration);
    case OPTION_RATE:
        return set_quantity(field, text, parse_bandwidth);
    case OPTION_AMOUNT:
        return set_quantity(field, text, parse_size);
    case OPTION_LIST:
        return ok_or_syntax(add_text(options, field, text));
    case OPTION_SETTING:
        return ok_or_syntax(option_values_add_setting(options, text));
    }
    return VALUE_SYNTAX;
}

/* ---- refusing ---- */

const char *option_domain(const struct option_info *info, struct arena *arena)
{
    switch (info->kind) {
    case OPTION_COUNT:
        return "a number from 1 to 4294967295";
    case OPTION_RANKS:
        return arena_printf(arena, "a number from 1 to %d", SCHEDULE_MAX_RANKS);
    case OPTION_NUMBER:
    case OPTION_LIMIT:
        return "a number from 0 to 4294967295";
    case OPTION_SPANS:
        return "a size, such as 64KiB, two with '..' between, the lesser first, such as 1..1MiB, or a list of such";
    case OPTION_FACTOR:
        return "a number from 1 on, such as 1.5";
    case OPTION_SIZE:
    case OPTION_AMOUNT:
        return "a size, such as 1000, 64KiB or 1MiB";
    case OPTION_SIZES:
        return "a list of up to 256 sizes, such as 8,1000,64KiB or 8..4MiB";
    case OPTION_RANK_LIST:
        return arena_printf(arena, "a list of numbers from 1 to %d, such as 8, 2-9 or 2,6,8..64", SCHEDULE_MAX_RANKS);
    case OPTION_TIME:
        return "a time, such as 0ns, 800ns or 1.5us";
    case OPTION_DURATION:
        return "a time, such as 600s, 10min or 2h";
    case OPTION_RATE:
        return "a bandwidth, such as 10GB/s or 500MiB/s";
    case OPTION_SETTING:
        return "of the form NAME=VALUE, with a 64-bit integer, a size of segments such as 4KiB, or the name of an algorithm";
    case OPTION_TEXT:
    case OPTION_LIST:
        return "a value: it is empty";
    case OPTION_FLAG:
    case OPTION_CHOICE:
        break;
    }
    return info->argument;
}

/* Returns the range of a value with a unit, as a message of it ends. */
static const char *option_values_range_of(const struct option_info *info)
{
    switch (info->kind) {
    case OPTION_SIZE:
    case OPTION_SPANS:
    case OPTION_SIZES:
    case OPTION_AMOUNT:
        return "too large: sizes are below 2^63 bytes (8EiB)";
    case OPTION_TIME:
        return "too long: times are at most 1000s";
    case OPTION_DURATION:
        return "too long: it may be up to 1000000s, 11 days";
    case OPTION_RATE:
        return "out of range: bandwidths are from 1B/s to 1000TB/s";
    case OPTION_FLAG:
    case OPTION_CHOICE:
    case OPTION_TEXT:
    case OPTION_NUMBER:
    case OPTION_COUNT:
    case OPTION_RANKS:
    case OPTION_RANK_LIST:
    case OPTION_LIMIT:
    case OPTION_LIST:
    case OPTION_SETTING:
        break;
    case OPTION_FACTOR:
        return "out of range: factors are from 1 to 1000000";
    }
    return "out of range";
}

/* True if a word begins with what was written, signs and the case of letters aside: "ompi5" for "ompi-5.0".
 * Less than three letters are none. */
static bool begins_as(const char *word, const char *text)
{
    static const char signs[] = "-_. ";
    size_t n = 0;
    for (;; word++, text++, n++) {
        word += strspn(word, signs);
        text += strspn(text, signs);
        if (!*text || tolower((unsigned char)*word) != tolower((unsigned char)*text))
            return !*text && n >= 3;
    }
}

/* Returns the word of a choice that was meant. */
/* Returns the MPI of a list that people call so, "openmpi-4.1.5", and if there is none of the version, the first
 * of any, as for "Intel MPI 2021"; NULL if there is none. */
static const char *choice_of_mpi(const char *text, const char *const *list, size_t n, bool is_any)
{
    static const char *const names[][2] = {
        {"openmpi", "ompi-"}, {"open-mpi", "ompi-"}, {"open mpi", "ompi-"}, {"ompi", "ompi-"},     {"impi", "intel-"},
        {"intel", "intel-"},  {"mpich", "mpich-"},   {"mvapich3", "mpich-"}, {"mvapich4", "mpich-"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncasecmp(text, names[i][0], strlen(names[i][0])) != 0)
            continue;
        const char *version = text + strlen(names[i][0]) + strspn(text + strlen(names[i][0]), " -_/vV");
        const char *found = NULL;
        for (size_t k = 0; k < n; k++) {
            const size_t length = strlen(names[i][1]);
            if (strncmp(list[k], names[i][1], length) != 0)
                continue;
            if (strncmp(version, list[k] + length, strlen(list[k] + length)) == 0)
                return list[k];
            found = found || !is_any ? found : list[k];
        }
        return found;
    }
    return NULL;
}

static const char *nearest_choice(const char *text, const char *words, struct arena *arena)
{
    enum { MAX_WORDS = 64 };
    const char *list[MAX_WORDS];
    size_t n = 0;
    for (const char *word = words; word && n < MAX_WORDS; word = strchr(word, '|')) {
        word += *word == '|';
        list[n++] = arena_strndup(arena, word, strcspn(word, "|"));
    }
    for (size_t i = 0; i < n; i++)
        if (begins_as(list[i], text))
            return list[i];
    for (size_t i = 0; begins_as("openmpi", text) && i < n; i++)
        if (begins_as(list[i], "ompi")) /* as its own files and variables call it */
            return list[i];
    const char *near = choice_of_mpi(text, list, n, false);
    near = near ? near : nearest(text, strlen(text), list, n);
    return near ? near : choice_of_mpi(text, list, n, true);
}

/* Returns a word that the option does not take here: other commands do, or it is an option itself; NULL:
 * neither. */
static const char *help_with_choice(struct options *options, const struct option_info *info, const char *text)
{
    uint32_t commands = 0;
    const struct option_info *own = NULL;
    for (size_t i = 0; i < n_options; i++) {
        const struct option_info *other = &option_table[i];
        if (other->kind == OPTION_CHOICE && strcmp(other->name, info->name) == 0 &&
            is_word_of(text, other->argument))
            commands |= other->commands;
        if (strcmp(other->name, text) == 0 && (other->commands & (1u << options->command)))
            own = other;
    }
    if (commands)
        return arena_printf(&options->arena, "'--%s %s' is for %s", info->name, text,
                            options_list_commands(commands, &options->arena));
    if (strcmp(info->name, "target") == 0 || strcmp(info->name, "as") == 0)
        return table_loader_help(text);
    return own ? arena_printf(&options->arena, "'--%s%s%s' is an option of its own: %s", text,
                              own->argument ? " " : "", own->argument ? own->argument : "", own->help)
               : NULL;
}

/* Returns where the number begins that ends before `end`, as 1.5 in "8..1.5k". */
static const char *number_before(const char *text, const char *end)
{
    const char *at = end;
    for (; at > text; at--) {
        const bool is_point = at[-1] == '.' && at > text + 1 && isdigit((unsigned char)at[-2]);
        if (!is_point && !isdigit((unsigned char)at[-1]))
            break;
    }
    return at;
}

/* Returns what may be meant by a size with half a unit, "1M" in "8,1M", or NULL. */
static const char *help_with_half_unit(const char *text, struct arena *arena)
{
    for (const char *at = text; *at; at++) {
        const char *behind = at + 1;
        if (!strchr("kKMGT", *at) || at == text || !isdigit((unsigned char)at[-1]) ||
            (*behind && *behind != ',' && *behind != '.'))
            continue;
        const char *number = number_before(text, at);
        const int length = (int)(at - number), upper = toupper((unsigned char)*at);
        return arena_printf(arena, "did you mean '%.*s%cB', of 1000, or '%.*s%ciB', of 1024?", length, number,
                            upper == 'K' ? 'k' : upper, length, number, upper);
    }
    return NULL;
}

/* Returns how to write a range of sizes, "8-64KiB" or "8:1M"; NULL: the text is something else. */
static const char *option_values_help_with_range(const char *text, struct arena *arena)
{
    const size_t first = strspn(text, "0123456789");
    const char *last = text + first + 1;
    if (!first || (text[first] != '-' && text[first] != ':') || !isdigit((unsigned char)*last))
        return NULL;
    const bool is_half = strchr("KMG", last[strlen(last) - 1]);
    return arena_printf(arena, "a range is written %.*s..%s%s, the smaller size first", (int)first, text, last,
                        is_half ? "iB" : "");
}

/* Returns how to write several numbers of ranks, "2-8", "2..8" or "2,8", or who takes them; NULL: the text is
 * something else. */
static const char *option_values_help_with_ranks(const struct option_info *info, const char *text,
                                                 struct arena *arena)
{
    const size_t first = strspn(text, "0123456789");
    const size_t between = strspn(text + first, "-.,:");
    const char *last = text + first + between;
    uint32_t commands = 0;
    if (!first || !between || !*last || strspn(last, "0123456789,.") != strlen(last))
        return NULL;
    if (info->kind == OPTION_RANK_LIST)
        return arena_printf(arena, "a range is written %.*s..%s, the smaller number first", (int)first, text, last);
    for (size_t i = 0; i < n_options; i++)
        if (option_table[i].kind == OPTION_RANK_LIST && strcmp(option_table[i].name, info->name) == 0)
            commands |= option_table[i].commands;
    return arena_printf(arena, "one number is taken here; several, as %.*s..%s, by 'ranks:' in the project file of "
                        "'check'%s%s", (int)first, text, last, commands ? ", and by " : "",
                        commands ? options_list_commands(commands, arena) : "");
}

/* Returns how to write a value with a unit, or a list or range of such values; NULL: it has no unit. */
static const char *help_with_units(const struct option_info *info, const char *text)
{
    switch (info->kind) {
    case OPTION_SIZES:
        if (strpbrk(text, "-:") || strstr(text, ".."))
            return "a range is written 8..4MiB, the smaller size first";
        if (strpbrk(text, " \t"))
            return "between the sizes of a list there is a comma, and no blank";
        return "units are kB, MB, GB ... of 1000 and KiB, MiB, GiB ... of 1024 bytes";
    case OPTION_SPANS:
        if (strstr(text, ".."))
            return NULL;
        return "units are kB, MB, GB ... of 1000 and KiB, MiB, GiB ... of 1024 bytes";
    case OPTION_SIZE:
    case OPTION_AMOUNT:
        return "units are kB, MB, GB ... of 1000 and KiB, MiB, GiB ... of 1024 bytes";
    case OPTION_TIME:
        return "units are ns, us, ms and s";
    case OPTION_DURATION:
        return "units are ms, s, min and h";
    case OPTION_RATE:
        return "units are MB/s, GB/s ... of 1000, MiB/s, GiB/s of 1024 bytes, and Mb/s, Gb/s of bits";
    case OPTION_FLAG:
    case OPTION_TEXT:
    case OPTION_CHOICE:
    case OPTION_NUMBER:
    case OPTION_COUNT:
    case OPTION_RANKS:
    case OPTION_LIMIT:
    case OPTION_FACTOR:
    case OPTION_RANK_LIST:
    case OPTION_LIST:
    case OPTION_SETTING:
        break;
    }
    return NULL;
}

/* Returns how to write a value of that kind, by what was written; NULL: nothing is known. */
static const char *help_with_value(const struct option_info *info, const char *text, struct arena *arena)
{
    const bool is_size = info->kind == OPTION_SIZE || info->kind == OPTION_SPANS ||
                         info->kind == OPTION_SIZES || info->kind == OPTION_AMOUNT;
    const char *help = NULL;
    if (info->kind == OPTION_SPANS || info->kind == OPTION_SIZES)
        help = option_values_help_with_range(text, arena);
    if (is_size && !help)
        help = help_with_half_unit(text, arena);
    else if (info->kind == OPTION_RANKS || info->kind == OPTION_RANK_LIST)
        help = option_values_help_with_ranks(info, text, arena);
    return help ? help : help_with_units(info, text);
}

void option_refuse_value(struct options *options, const struct option_info *info, const char *text,
                         enum value_result result)
{
    if (result == VALUE_RANGE) {
        usage_error(options, "option '--%s': '%s' is %s", info->name, text, option_values_range_of(info));
        return;
    }
    const char *domain = option_domain(info, &options->arena);
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
        usage_error_with(help, "option '--%s': '%s' is not one of %s", info->name, text, domain);
    else if ((help = help_with_value(info, text, &options->arena)))
        usage_error_with(help, "option '--%s': '%s' is not %s", info->name, text, domain);
    else
        usage_error(options, "option '--%s': '%s' is not %s%s%s", info->name, text,
                    is_choice_of ? "one of " : "",
                    domain,
                    usage_did_you_mean(&options->arena, near));
}
