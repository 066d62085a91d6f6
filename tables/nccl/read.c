/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the CSV as its two loaders do (plugins/tuner/example/plugin.c of NCCL 2.30, csv_tuner.cc of
 * RCCL): lines of at most 255 bytes, of which the rest is the next line; strtok takes adjacent commas for
 * one; atoi and strtoull convert numbers.
 */
#include "base/codes.h"
#include "tables/nccl/nccl.h"

#include <stdlib.h>
#include <string.h>

/* Limits of a line in bytes and of rows; tables that people and tools write have ten rows, or a hundred. */
enum { MAX_LINE = 255, MAX_ROWS = 4096 };

const char *const nccl_collective_names[NCCL_N_COLLECTIVES] = {"broadcast", "reduce", "allgather",
                                                               "reducescatter", "allreduce"};
const char *const nccl_algorithm_names[NCCL_N_ALGORITHMS] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
const char *const nccl_protocol_names[NCCL_N_PROTOCOLS] = {"ll", "ll128", "simple"};

bool nccl_can_act(uint32_t collective, enum nccl_algorithm algorithm)
{
    switch ((enum nccl_collective)collective) {
    case NCCL_BROADCAST:
    case NCCL_REDUCE: return algorithm == NCCL_RING;
    case NCCL_ALLGATHER:
    case NCCL_REDUCESCATTER:
        return algorithm != NCCL_TREE && algorithm != NCCL_NVLS_TREE && algorithm != NCCL_COLLNET_CHAIN;
    case NCCL_ALLREDUCE: return algorithm != NCCL_PAT;
    case NCCL_N_COLLECTIVES: break;
    }
    return false;
}

/* Returns the number of the word, or n. */
static unsigned nccl_read_word_of(struct slice word, const char *const *names, unsigned n)
{
    unsigned i = 0;
    while (i < n && !slice_is(word, names[i]))
        i++;
    return i;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct slice nccl_read_trimmed(struct slice word)
{
    while (word.length && is_blank(*word.text)) {
        word.text++;
        word.length--;
    }
    while (word.length > 1 && is_blank(word.text[word.length - 1]))
        word.length--;
    return word;
}

/* Splits a line into the fields that strtok finds. */
static void nccl_read_split(struct nccl_row *row, struct nccl_line *line)
{
    const char *at = line->text.text, *end = at + line->text.length;
    bool is_comma = false;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (stop == at)
            line->has_empty |= is_comma || row->n_fields == 0;
        else if (row->n_fields < N_FIELDS)
            row->fields[row->n_fields++] = nccl_read_trimmed((struct slice){at, (size_t)(stop - at)});
        else
            line->has_more = true;
        is_comma = comma != NULL;
        at = comma ? comma + 1 : end;
    }
}

/* Returns the field as text with a NUL. */
static const char *nccl_read_text_of(struct slice field, char *copy)
{
    memcpy(copy, field.text, field.length);
    copy[field.length] = '\0';
    return copy;
}

int64_t nccl_number(struct slice field)
{
    char copy[MAX_LINE + 1];
    return strtoll(nccl_read_text_of(field, copy), NULL, 10);
}

/* Returns the number in a field, -1 if it is missing. */
static int32_t nccl_read_number_of(const struct nccl_row *row, unsigned field)
{
    return field < row->n_fields ? (int32_t)(uint32_t)(uint64_t)nccl_number(row->fields[field]) : -1;
}

static uint64_t nccl_read_bytes_of(const struct nccl_row *row, unsigned field)
{
    char copy[MAX_LINE + 1];
    return strtoull(nccl_read_text_of(row->fields[field], copy), NULL, 10);
}

static void nccl_read_row(const struct nccl_version *version, struct nccl_row *row, uint32_t line)
{
    const unsigned collective =
        nccl_read_word_of(row->fields[FIELD_COLLECTIVE], nccl_collective_names, NCCL_N_COLLECTIVES);
    const unsigned algorithm =
        nccl_read_word_of(row->fields[FIELD_ALGORITHM], nccl_algorithm_names, NCCL_N_ALGORITHMS);
    const unsigned protocol =
        nccl_read_word_of(row->fields[FIELD_PROTOCOL], nccl_protocol_names, NCCL_N_PROTOCOLS);
    row->is_known[0] = collective < NCCL_N_COLLECTIVES;
    row->is_known[1] = algorithm < NCCL_N_ALGORITHMS;
    row->is_known[2] = protocol < NCCL_N_PROTOCOLS;
    row->algorithm = row->is_known[1] ? (enum nccl_algorithm)algorithm : NCCL_RING;
    row->protocol = row->is_known[2] ? (enum nccl_protocol)protocol : NCCL_SIMPLE;
    row->channels = nccl_read_number_of(row, FIELD_CHANNELS);
    row->nodes = nccl_read_number_of(row, FIELD_NODES);
    row->ranks = nccl_read_number_of(row, FIELD_RANKS);
    row->pipe_ops = nccl_read_number_of(row, FIELD_PIPE_OPS);
    row->registered = nccl_read_number_of(row, FIELD_REGISTERED);
    row->rule.collective = row->is_known[0] ? collective : NCCL_ALLREDUCE;
    row->rule.algorithm = (int64_t)row->algorithm + 1;
    row->rule.keys = (struct span){nccl_read_bytes_of(row, FIELD_FIRST), nccl_read_bytes_of(row, FIELD_LAST)};
    row->rule.line = line;
    row->is_read = !version->skips_unknown || (row->is_known[0] && row->is_known[1] && row->is_known[2]);
}

static bool has_blank_field(const struct nccl_row *row)
{
    bool has = false;
    for (unsigned i = 0; i < row->n_fields; i++)
        has |= row->fields[i].length == 0 || (row->fields[i].length == 1 && is_blank(*row->fields[i].text));
    return has;
}

/* Reads the next line as the loader gets it. Returns false at the end. */
static bool nccl_read_next_line(const struct source *source, size_t *at, struct nccl_line *line,
                                uint32_t *number)
{
    if (*at >= source->length)
        return false;
    const char *text = source->text + *at;
    const char *end = memchr(text, '\n', source->length - *at);
    size_t length = end ? (size_t)(end - text) : source->length - *at;
    *number += *at > 0 && text[-1] == '\n';
    *line = (struct nccl_line){.is_cut = length > MAX_LINE || (length == MAX_LINE && end)};
    length = length > MAX_LINE ? MAX_LINE : length;
    line->text = (struct slice){text, length};
    *at += length + (!line->is_cut && end);
    return true;
}

static bool nccl_read_is_comment(const struct nccl_version *version, struct slice text)
{
    while (version->skips_blanks && text.length && (is_blank(*text.text) || *text.text == '\r')) {
        text.text++;
        text.length--;
    }
    return text.length == 0 || *text.text == '#';
}

struct table *nccl_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                        struct diagnostics *diagnostics)
{
    struct nccl_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct nccl_table){.table = {.loader = loader, .source = source}, .version = loader->version};
    struct nccl_row *rows = NULL;
    struct nccl_line line, *lines = NULL;
    size_t at = 0, row_capacity = 0, line_capacity = 0;
    uint32_t number = 1;
    while (of->n_rows <= MAX_ROWS && nccl_read_next_line(source, &at, &line, &number)) {
        struct nccl_row row = {0};
        const bool is_of_text = nccl_read_is_comment(of->version, line.text);
        if (is_of_text && !line.is_cut)
            continue;
        if (!is_of_text)
            nccl_read_split(&row, &line);
        row.rule.line = number;
        if (row.n_fields >= LEAST_FIELDS && !(of->version->skips_blanks && has_blank_field(&row)))
            nccl_read_row(of->version, &row, number);
        rows = mem_grow(rows, &row_capacity, of->n_rows + 1, sizeof *rows);
        lines = mem_grow(lines, &line_capacity, of->n_rows + 1, sizeof *lines);
        rows[of->n_rows] = row;
        lines[of->n_rows++] = line;
    }
    of->rows = arena_alloc(arena, of->n_rows, sizeof *of->rows);
    of->lines = arena_alloc(arena, of->n_rows, sizeof *of->lines);
    if (of->n_rows) {
        memcpy(of->rows, rows, of->n_rows * sizeof *rows);
        memcpy(of->lines, lines, of->n_rows * sizeof *lines);
    }
    free(rows);
    free(lines);
    if (of->n_rows > MAX_ROWS)
        report(diagnostics, CODE_B020, source_position(source, 0, 1), "a table of more than %d rows",
               MAX_ROWS);
    return of->n_rows > MAX_ROWS ? NULL : &of->table;
}
