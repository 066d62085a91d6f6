/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a table as NCCLX does: rows in CSV, or rules in JSON, which become such rows. See ncclx.h.
 */
#include "base/codes.h"
#include "base/text/json_tree.h"
#include "tables/ncclx/ncclx.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 4096, MAX_DEPTH = 100 };

struct reader {
    struct ncclx_table *of;
    size_t capacity;
};

static bool ncclx_read_drop(struct reader *reader, struct position at, const char *why)
{
    struct table *table = &reader->of->table;
    table->ignored = why;
    table->ignored_at = at;
    table->ends_program = true;
    return false;
}

/* Reads a number that stoll converts as a whole. */
static bool ncclx_read_number(struct slice word, int64_t *value)
{
    word = slice_trim(word);
    const bool is_negative = word.length && *word.text == '-';
    size_t i = word.length && (is_negative || *word.text == '+');
    const size_t begin = i;
    *value = 0;
    for (; i < word.length; i++) {
        if (!text_is_digit(word.text[i]) || *value > (INT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (word.text[i] - '0');
    }
    if (is_negative)
        *value = -*value;
    return i > begin;
}

static uint64_t not_negative(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)value;
}

/* Reads "[0,4)", "(1,)", "7", "*", or nothing: any. */
static bool read_range(struct slice text, struct span *span)
{
    int64_t low = 0, high = 0;
    text = slice_trim(text);
    *span = (struct span){0, SPAN_NO_END};
    if (text.length == 0 || slice_is(text, "*"))
        return true;
    if (*text.text != '[' && *text.text != '(') {
        const bool is_number = ncclx_read_number(text, &low);
        *span = low < 0 ? SPAN_EMPTY : (struct span){(uint64_t)low, (uint64_t)low};
        return is_number;
    }
    const char open = *text.text, shut = text.text[text.length - 1];
    if (text.length < 2 || (shut != ']' && shut != ')'))
        return false;
    struct slice rest = {text.text + 1, text.length - 2};
    const char *comma = memchr(rest.text, ',', rest.length);
    if (!comma)
        return false;
    const struct slice first = slice_trim(slice_take_until(&rest, ',')), last = slice_trim(rest);
    if ((first.length && !ncclx_read_number(first, &low)) ||
        (last.length && !ncclx_read_number(last, &high)) || (first.length && last.length && low > high))
        return false;
    if (first.length)
        span->first = not_negative(low) + (open == '(' && low >= 0);
    if (last.length && (high < 0 || (high == 0 && shut == ')')))
        *span = SPAN_EMPTY;
    else if (last.length)
        span->last = (uint64_t)high - (shut == ')');
    return true;
}

static unsigned ncclx_read_word_of(struct slice word, const char *const *names, unsigned n)
{
    unsigned i = 0;
    while (i < n && !slice_is(word, names[i]))
        i++;
    return i;
}

/* Returns why the columns are no row, or NULL. */
static const char *ncclx_read_take_columns(const struct slice *fields, struct ncclx_row *row)
{
    int64_t chunk = 0;
    const unsigned collective =
        ncclx_read_word_of(fields[NCCLX_COLLECTIVE], nccl_collective_names, NCCL_N_COLLECTIVES);
    const unsigned algorithm =
        ncclx_read_word_of(fields[NCCLX_ALGORITHM], nccl_algorithm_names, NCCL_N_ALGORITHMS);
    const unsigned protocol =
        ncclx_read_word_of(fields[NCCLX_PROTOCOL], nccl_protocol_names, NCCL_N_PROTOCOLS);
    row->channels = -1;
    if (!read_range(fields[NCCLX_BYTES], &row->rule.keys))
        return "the bytes of a rank are no range";
    if (!read_range(fields[NCCLX_NODES], &row->nodes))
        return "the numbers of nodes are no range";
    if (!read_range(fields[NCCLX_LOCAL], &row->local))
        return "the numbers of ranks of a node are no range";
    if (collective == NCCL_N_COLLECTIVES)
        return "there is no such collective";
    if (algorithm == NCCL_N_ALGORITHMS)
        return "there is no such algorithm";
    if (protocol == NCCL_N_PROTOCOLS)
        return "there is no such protocol";
    if (fields[NCCLX_CHANNELS].length && (!ncclx_read_number(fields[NCCLX_CHANNELS], &row->channels) ||
                                          row->channels > INT32_MAX || row->channels < INT32_MIN))
        return "the channels are no whole number";
    if (fields[NCCLX_CHUNK].length && (!ncclx_read_number(fields[NCCLX_CHUNK], &chunk) || chunk < 0))
        return "the chunk size is no whole number, or below 0, as in the layout of before July 2026";
    row->rule.collective = collective;
    row->rule.algorithm = (int64_t)algorithm + 1;
    row->rule.ranks = (struct span){0, SPAN_NO_END};
    row->algorithm = (enum nccl_algorithm)algorithm;
    row->protocol = (enum nccl_protocol)protocol;
    row->chunk_bytes = (uint64_t)chunk;
    return NULL;
}

static bool ncclx_read_add_row(struct reader *reader, const struct slice *fields, struct ncclx_row row)
{
    struct ncclx_table *of = reader->of;
    const char *why = ncclx_read_take_columns(fields, &row);
    if (why)
        return ncclx_read_drop(reader, row.at, why);
    of->rows = mem_grow(of->rows, &reader->capacity, of->n_rows + 1, sizeof *of->rows);
    of->rows[of->n_rows++] = row;
    return true;
}

/* ---- CSV ---- */

/* Splits a line into columns; commas within brackets do not separate. */
static unsigned ncclx_read_split(struct slice line, struct slice *fields, bool *has_more)
{
    unsigned n = 0;
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= line.length; i++) {
        const char c = i < line.length ? line.text[i] : ',';
        depth += c == '(' || c == '[' ? 1 : (c == ')' || c == ']') && depth > 0 ? -1 : 0;
        if (i < line.length && (c != ',' || depth))
            continue;
        if (n == NCCLX_N_FIELDS) {
            *has_more = true;
            break;
        }
        fields[n++] = slice_trim((struct slice){line.text + start, i - start});
        start = i + 1;
    }
    return n;
}

static bool read_csv(struct reader *reader, const struct source *source)
{
    struct slice rest = {source->text, source->length};
    for (uint32_t number = 1; rest.length && reader->of->n_rows <= MAX_ROWS; number++) {
        const struct slice line = slice_trim(slice_take_until(&rest, '\n'));
        struct slice fields[NCCLX_N_FIELDS] = {{0}};
        struct ncclx_row row = {.rule = {.line = number}};
        if (line.length == 0 || *line.text == '#')
            continue;
        row.at = slice_position(source, line);
        if (ncclx_read_split(line, fields, &row.has_more) < NCCLX_LEAST_FIELDS)
            return ncclx_read_drop(reader, row.at, "a row has seven columns at least");
        if (!ncclx_read_add_row(reader, fields, row))
            return false;
    }
    return true;
}

/* ---- JSON ---- */

static struct slice ncclx_read_text_of(const struct json_node *object, const char *key)
{
    const struct json_node *value = json_member(object, key);
    return value && value->text ? slice_trim(slice_of(value->text)) : (struct slice){"", 0};
}

static bool read_rule(struct reader *reader, const struct source *source, const struct json_node *rule)
{
    const struct json_node *filter = json_member(rule, "filter"), *config = json_member(rule, "config");
    struct ncclx_row row = {.rule = {.line = rule->line}, .at = json_node_position(source, rule)};
    if (!filter || filter->kind != JSON_OBJECT_NODE || !config || config->kind != JSON_OBJECT_NODE)
        return ncclx_read_drop(reader, row.at, "a rule has an object 'filter' and an object 'config'");
    const struct slice fields[NCCLX_N_FIELDS] = {[NCCLX_COLLECTIVE] =
                                                     ncclx_read_text_of(filter, "collective"),
                                                 [NCCLX_BYTES] = ncclx_read_text_of(filter, "bytesPerRank"),
                                                 [NCCLX_ALGORITHM] = ncclx_read_text_of(config, "algorithm"),
                                                 [NCCLX_PROTOCOL] = ncclx_read_text_of(config, "protocol"),
                                                 [NCCLX_CHANNELS] = ncclx_read_text_of(config, "channels"),
                                                 [NCCLX_NODES] = ncclx_read_text_of(filter, "nNodes"),
                                                 [NCCLX_LOCAL] = ncclx_read_text_of(filter, "nLocalRanks"),
                                                 [NCCLX_CHUNK] = ncclx_read_text_of(config, "chunkSize")};
    return ncclx_read_add_row(reader, fields, row);
}

static bool read_json(struct reader *reader, const struct source *source, struct arena *arena)
{
    const struct json_dialect dialect = {.max_depth = MAX_DEPTH};
    struct json_fault fault = {0};
    const struct json_node *tree = json_tree(source, &dialect, arena, &fault);
    if (!tree)
        return ncclx_read_drop(reader, source_position(source, fault.at, 1),
                               arena_printf(arena, "it is no JSON: %s", fault.what));
    const struct json_node *rules = json_member(tree, "rules");
    if (!rules || rules->kind != JSON_ARRAY_NODE)
        return ncclx_read_drop(reader, json_node_position(source, tree), "there is no array 'rules'");
    const struct json_node *rule = rules->first;
    for (; rule && reader->of->n_rows <= MAX_ROWS; rule = rule->next)
        if (!read_rule(reader, source, rule))
            return false;
    return true;
}

struct table *ncclx_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics)
{
    struct ncclx_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct ncclx_table){.table = {.loader = loader, .source = source}};
    struct reader reader = {.of = of};
    const size_t length = strlen(source->path);
    const bool is_json = length >= 5 && strcmp(source->path + length - 5, ".json") == 0;
    if (is_json)
        (void)read_json(&reader, source, arena);
    else
        (void)read_csv(&reader, source);
    of->rows = arena_take(of->rows, of->n_rows, sizeof *of->rows, arena);
    if (of->n_rows > MAX_ROWS)
        report(diagnostics, CODE_B020, source_position(source, 0, 1), "a table of more than %d rows",
               MAX_ROWS);
    return of->n_rows > MAX_ROWS ? NULL : &of->table;
}
