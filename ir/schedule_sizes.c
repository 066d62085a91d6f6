/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of a schedule file that say sizes where counts are unequal: `counts`, and `like`
 * for chunks of tmp. What is kept of them is as large as their text.
 */
#include "ir/schedule_sizes.h"

#include "base/codes.h"
#include "base/search.h"

#include <stdlib.h>

/* Chunks first .. of the buffer of a rank, or of the rank itself, for the chunks of tmp before `end` that are
 * in no range before. */
#define OWN UINT32_MAX
struct like_range {
    uint64_t end;
    uint32_t first, rank;
};

struct like_line {
    size_t first, n; /* ranges */
};

/* Sizes of tmp from a file: one line for all ranks, or one for each. */
struct like_table {
    struct tmp_sizes sizes; /* first */
    const struct schedule_header *header;
    struct like_line *lines;
    struct like_range *ranges;
    size_t n_lines, n_ranges, lines_capacity, ranges_capacity;
    bool is_for_all;
};

/* More than any form needs, so that sums of them are no overflow. */
#define MAX_COUNTS (UINT64_C(1) << 53)

/* NUMBER or TIMESxNUMBER */
static bool schedule_sizes_scan_count(struct scanner *scanner, struct counts_runs *counts)
{
    const char *from = scanner->at;
    uint64_t times = 1, bytes;
    if (!scan_number(scanner, "a count in bytes", &bytes))
        return false;
    if (scan_char(scanner, 'x')) {
        times = bytes;
        if (!scan_number(scanner, "a count in bytes", &bytes))
            return false;
    }
    if (times < 1 || bytes > INT64_MAX || times > MAX_COUNTS - counts_total(counts)) {
        scan_error(scanner, CODE_S003, from,
                   "counts are up to 2^63-1, repeated 1 to 2^53 times in all");
        return false;
    }
    counts_add(counts, bytes, times);
    return true;
}

bool scan_counts(struct scanner *scanner, struct schedule_header *header)
{
    if (!header->counts)
        header->counts = &counts_new()->counts;
    struct counts_runs *counts = (struct counts_runs *)header->counts;
    bool done;
    do
        done = schedule_sizes_scan_count(scanner, counts);
    while (done && !scan_at_line_end(scanner));
    return done;
}

/* Returns the range in which the chunk is, and how many are before it in *start; NULL if it is in none. */
static const struct like_range *schedule_sizes_find_range(const struct like_table *table, uint32_t rank,
                                                          uint32_t chunk, uint64_t *start)
{
    size_t line = table->is_for_all ? 0 : rank;
    if (line >= table->n_lines)
        return NULL;
    size_t first = table->lines[line].first, low = first, high = first + table->lines[line].n;
    SEARCH_FIRST(low, high, middle, table->ranges[middle].end <= chunk);
    if (low == first + table->lines[line].n)
        return NULL;
    *start = low == first ? 0 : table->ranges[low - 1].end;
    return &table->ranges[low];
}

static uint64_t schedule_sizes_like_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct like_table *table = (const struct like_table *)sizes;
    uint64_t start;
    const struct like_range *range = schedule_sizes_find_range(table, rank, chunk, &start);
    if (!range)
        return NO_DATUM;
    return schedule_chunk_datum(table->header, range->rank == OWN ? rank : range->rank, sizes->buffer,
                                range->first + (uint32_t)(chunk - start));
}

static uint32_t schedule_sizes_like_in_order(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    uint64_t start;
    const struct like_range *range =
        schedule_sizes_find_range((const struct like_table *)sizes, rank, chunk, &start);
    return range ? (uint32_t)(range->end - chunk) : 1;
}

static struct like_table *table_of(struct schedule_header *header)
{
    if (!header->tmp_sizes) {
        struct like_table *table = mem_alloc(1, sizeof *table);
        *table = (struct like_table){.sizes = {.buffer = N_BUFFERS,
                                               .datum = schedule_sizes_like_datum,
                                               .n_in_order = schedule_sizes_like_in_order},
                                     .header = header};
        header->tmp_sizes = &table->sizes;
    }
    return (struct like_table *)header->tmp_sizes;
}

/* RANK: of another rank, or nothing. */
static bool scan_owner(struct scanner *scanner, struct like_table *table, uint32_t *owner)
{
    const char *from = scanner->at;
    uint64_t rank;
    *owner = OWN;
    if (*from < '0' || *from > '9')
        return true;
    if (!scan_number(scanner, "a rank", &rank))
        return false;
    if (rank >= SCHEDULE_MAX_RANKS || !scan_char(scanner, ':')) {
        scan_error(scanner, CODE_S003, from, "no chunks of a rank, such as 2:in[0]");
        return false;
    }
    *owner = (uint32_t)rank;
    table->sizes.is_of_others = true;
    return true;
}

/* in[A] or in[A..B], always of one buffer */
static bool scan_range(struct scanner *scanner, struct like_table *table, uint64_t *end)
{
    uint32_t owner;
    if (!scan_owner(scanner, table, &owner))
        return false;
    const char *from = scanner->at;
    uint64_t first, last;
    enum buffer buffer = scan_word(scanner, "in")    ? BUFFER_IN
                         : scan_word(scanner, "out") ? BUFFER_OUT
                                                     : N_BUFFERS;
    bool is_other = table->sizes.buffer != N_BUFFERS && table->sizes.buffer != buffer;
    if (buffer == N_BUFFERS || is_other || !scan_char(scanner, '[')) {
        scan_error(scanner, CODE_S001, from, "expected chunks of %s, such as out[0..3]",
                   is_other ? buffer_name[table->sizes.buffer] : "in or out");
        return false;
    }
    table->sizes.buffer = buffer;
    if (!scan_number(scanner, "a chunk", &first))
        return false;
    last = first;
    if (scan_char(scanner, '.') && (!scan_char(scanner, '.') || !scan_number(scanner, "a chunk", &last)))
        return false;
    if (last < first || last >= SCHEDULE_MAX_CHUNKS || !scan_char(scanner, ']')) {
        scan_error(scanner, CODE_S003, from, "no range of chunks");
        return false;
    }
    scan_blanks(scanner);
    *end += last - first + 1;
    table->ranges = mem_grow(table->ranges, &table->ranges_capacity, table->n_ranges + 1,
                             sizeof *table->ranges);
    table->ranges[table->n_ranges++] = (struct like_range){*end, (uint32_t)first, owner};
    return true;
}

/* The ranks come in order, or none is said. */
static bool scan_like_rank(struct scanner *scanner, struct like_table *table)
{
    const char *from = scanner->at;
    uint64_t rank = 0;
    bool has_rank = *scanner->at >= '0' && *scanner->at <= '9';
    if (has_rank && !scan_number(scanner, "a rank", &rank))
        return false;
    if (table->is_for_all || rank != table->n_lines || (!has_rank && table->n_lines)) {
        scan_error(scanner, CODE_S002, from, "expected the line 'like' of rank %zu", table->n_lines)
            ->help = "there is one for all ranks, without a rank, or one for each, in their order";
        return false;
    }
    table->is_for_all = !has_rank;
    return true;
}

bool scan_like(struct scanner *scanner, struct schedule_header *header)
{
    struct like_table *table = table_of(header);
    uint64_t end = 0;
    if (!scan_like_rank(scanner, table))
        return false;
    size_t first = table->n_ranges;
    if (table->is_for_all && scan_at_line_end(scanner))
        return scan_range(scanner, table, &end); /* says what is missing */
    while (!scan_at_line_end(scanner))
        if (!scan_range(scanner, table, &end))
            return false;
    table->lines = mem_grow(table->lines, &table->lines_capacity, table->n_lines + 1,
                            sizeof *table->lines);
    table->lines[table->n_lines++] = (struct like_line){first, table->n_ranges - first};
    return true;
}

/* Every line names chunks that are there, and as many as tmp has, or fewer where ranks have the data of
 * others. */
static bool schedule_sizes_fits(const struct like_table *table)
{
    const struct schedule_header *header = table->header;
    uint64_t n_chunks = schedule_chunks(header, table->sizes.buffer);
    bool done = table->is_for_all || table->n_lines == header->n_ranks;
    for (size_t i = 0; i < table->n_lines && done; i++) {
        const struct like_line *line = &table->lines[i];
        uint64_t start = 0;
        const uint64_t n_named = line->n ? table->ranges[line->first + line->n - 1].end : 0;
        done = n_named == header->n_tmp || (schedule_has_own_tmp(header) && n_named < header->n_tmp);
        for (size_t k = line->first; k < line->first + line->n && done; k++) {
            const struct like_range *range = &table->ranges[k];
            done = range->first + (range->end - start) <= n_chunks &&
                   (range->rank == OWN || range->rank < header->n_ranks);
            start = range->end;
        }
    }
    return done;
}

static void schedule_sizes_check_counts(struct scanner *scanner, const struct schedule_header *header)
{
    uint32_t row;
    const uint64_t n = schedule_n_counts(header, &row);
    uint64_t total = counts_total((const struct counts_runs *)header->counts);
    if (header->chunk_bytes)
        scan_error(scanner, CODE_S002, scanner->at, "both 'chunk-bytes' and 'counts'");
    if (total != n)
        scan_error(scanner, CODE_S002, scanner->at, "%llu counts, but %s with %u ranks has %llu",
                   (unsigned long long)total, collective_name(header->collective, header->form),
                   header->n_ranks, (unsigned long long)n);
}

void scan_check_sizes(struct scanner *scanner, const struct schedule_header *header)
{
    const struct like_table *table = (const struct like_table *)header->tmp_sizes;
    const bool is_pattern = collective_is_said(header->collective) && (header->counts || table);
    const bool is_equal = header->form == FORM_EQUAL && !is_pattern;
    if (is_equal && (header->counts || (table && header->segments == 1)))
        scan_error(scanner, CODE_S002, scanner->at, "'%s', but all counts of %s are equal",
                   header->counts ? "counts" : "like",
                   collective_name(header->collective, header->form));
    if ((is_equal && !table) || scanner->failed)
        return;
    if (header->counts)
        schedule_sizes_check_counts(scanner, header);
    if (!table && header->n_tmp)
        scan_error(scanner, CODE_S002, scanner->at, "header has no line 'like'")->help =
            "say which chunks of in or out those of tmp are as large as: like out[0..3]";
    if (table && (collective_at_root(header->collective, table->sizes.buffer) || !schedule_sizes_fits(table)))
        scan_error(scanner, CODE_S002, scanner->at,
                   "the lines 'like' do not name chunks that every rank has, one for each of tmp")
            ->help = "one line for all ranks or one for each, and as many chunks in it as 'tmp' says";
}

void schedule_sizes_free(struct schedule_header *header)
{
    struct like_table *table = (struct like_table *)header->tmp_sizes;
    if (header->counts)
        header->counts->destroy(header->counts);
    if (!table)
        return;
    free(table->lines);
    free(table->ranges);
    free(table);
}
