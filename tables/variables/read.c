/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads rules from the values of settings:
 *
 *   value := algorithm [':' sizes] [';' ...]
 *   sizes := first ['-' last] ['@' first ['-' last]] [',' ...]     Intel MPI: bytes @ ranks
 *   sizes := first '-' last, or 'max'                               oneCCL
 */
#include "base/codes.h"
#include "tables/variables/variables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_RULES = 4096 };

struct reader {
    struct variables_table *of;
    struct slice item;
    uint32_t collective, line, setting;
    bool is_acting;
    size_t rule_capacity, fault_capacity; /* capacities of the arrays, which are on the heap meanwhile */
};

static bool variables_read_fail(struct reader *reader, struct slice text, const char *what)
{
    struct variables_table *of = reader->of;
    of->faults = mem_grow(of->faults, &reader->fault_capacity, of->n_faults + 1, sizeof *of->faults);
    of->faults[of->n_faults++] = (struct variables_fault){text.length ? text : reader->item, what};
    return false;
}

/* Reads decimal digits, or 'max' if the version has that word. */
static bool variables_read_number(const struct reader *reader, struct slice text, uint64_t *value)
{
    text = slice_trim(text);
    if (!reader->of->version->has_ranks && slice_is(text, "max")) {
        *value = SPAN_NO_END;
        return true;
    }
    uint64_t number = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (!text_is_digit(text.text[i]) || number > (UINT64_MAX - 9) / 10)
            return false;
        number = number * 10 + (uint64_t)(text.text[i] - '0');
    }
    *value = number;
    return text.length > 0;
}

static bool variables_read_span(struct reader *reader, struct slice text, struct span *span)
{
    struct slice rest = text, first = slice_take_until(&rest, '-');
    const bool has_last = first.length < text.length;
    if (!variables_read_number(reader, first, &span->first) ||
        (has_last && !variables_read_number(reader, rest, &span->last)))
        return variables_read_fail(reader, text, "it is no range of numbers");
    if (!has_last && !reader->of->version->has_ranks)
        return variables_read_fail(reader, text, "a range has two ends");
    if (!has_last)
        span->last = span->first;
    return span->first <= span->last || variables_read_fail(reader, text, "the range ends before it begins");
}

static void add_rule(struct reader *reader, struct slice algorithm, struct span bytes, struct span ranks)
{
    struct variables_table *of = reader->of;
    int64_t number = 0;
    for (size_t i = 0; i < algorithm.length && number < INT32_MAX && text_is_digit(algorithm.text[i]); i++)
        number = number * 10 + (algorithm.text[i] - '0');
    of->rules = mem_grow(of->rules, &reader->rule_capacity, of->n_rules + 1, sizeof *of->rules);
    of->rules[of->n_rules++] = (struct variables_rule){
        {reader->collective, number, ranks, bytes, {0}, reader->line}, algorithm, reader->item, false,
        reader->setting, reader->is_acting};
}

static void variables_read_condition(struct reader *reader, struct slice algorithm, struct slice text)
{
    struct span bytes = {0}, ranks = {0, SPAN_NO_END};
    struct slice rest = text, sizes = text;
    if (reader->of->version->has_ranks)
        sizes = slice_take_until(&rest, '@');
    const bool has_ranks = sizes.length < text.length;
    if (variables_read_span(reader, sizes, &bytes) &&
        (!has_ranks || variables_read_span(reader, rest, &ranks)))
        add_rule(reader, algorithm, bytes, ranks);
}

static void variables_read_item(struct reader *reader, struct slice item)
{
    struct slice rest = item, algorithm = slice_trim(slice_take_until(&rest, ':'));
    const bool has_conditions = (size_t)(rest.text - item.text) > 0 && item.length > 0 &&
                                memchr(item.text, ':', item.length) != NULL;
    reader->item = item;
    if (algorithm.length == 0) {
        variables_read_fail(reader, item, "there is no algorithm");
        return;
    }
    for (size_t i = 0; i < algorithm.length && reader->of->version->has_ranks; i++)
        if (!text_is_digit(algorithm.text[i])) {
            variables_read_fail(reader, algorithm, "algorithms are numbers");
            return;
        }
    if (!has_conditions) {
        add_rule(reader, algorithm, (struct span){0, SPAN_NO_END}, (struct span){0, SPAN_NO_END});
        reader->of->rules[reader->of->n_rules - 1].is_rest = true;
        return;
    }
    if (!reader->of->version->has_ranks) {
        variables_read_condition(reader, algorithm, slice_trim(rest));
        return;
    }
    do {
        variables_read_condition(reader, algorithm, slice_trim(slice_take_until(&rest, ',')));
    } while (rest.length);
}

uint32_t variables_collective(const struct variables_version *version, struct slice name)
{
    const size_t prefix = strlen(version->prefix);
    if (!slice_starts(name, version->prefix))
        return variables_n_collectives;
    const struct slice word = {name.text + prefix, name.length - prefix};
    uint32_t collective = 0;
    while (collective < variables_n_collectives &&
           (strlen(variables_collectives[collective]) != word.length ||
            strncasecmp(variables_collectives[collective], word.text, word.length) != 0))
        collective++;
    return collective;
}

static void variables_read_setting(struct reader *reader, const struct setting *setting)
{
    struct slice rest = setting->value;
    reader->item = setting->value;
    reader->line = setting->line;
    do {
        variables_read_item(reader, slice_trim(slice_take_until(&rest, ';')));
    } while (rest.length && reader->of->n_rules <= MAX_RULES);
}

struct table *variables_read(const struct table_loader *loader, const struct settings *settings,
                             struct arena *arena, struct diagnostics *diagnostics)
{
    struct variables_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct variables_table){
        .table = {.loader = loader, .source = settings->source, .settings = settings},
        .version = loader->version};
    struct reader reader = {.of = of};
    for (size_t i = 0; i < settings->n && of->n_rules <= MAX_RULES; i++) {
        const struct setting *setting = &settings->items[i];
        const struct slice key = settings_key(loader->dialect, setting);
        reader.collective = variables_collective(of->version, key);
        if (!key.length || reader.collective == variables_n_collectives || setting->is_computed)
            continue; /* another variable of the library, or a value that is not known */
        reader.setting = (uint32_t)i;
        reader.is_acting = settings_acting(settings, loader->dialect, key) == setting;
        variables_read_setting(&reader, setting);
    }
    of->rules = arena_take(of->rules, of->n_rules, sizeof *of->rules, arena);
    of->faults = arena_take(of->faults, of->n_faults, sizeof *of->faults, arena);
    if (of->n_rules > MAX_RULES)
        report(diagnostics, CODE_B020, source_position(settings->source, 0, 1), "more than %d rules",
               MAX_RULES);
    return of->n_rules > MAX_RULES ? NULL : &of->table;
}
