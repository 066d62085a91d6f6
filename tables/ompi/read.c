/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a classic rule file as coll/tuned does: it trusts the counts, the first error drops the whole
 * file, and text behind the last counted block is never read. Then turns the order in which the loader
 * searches into ranges.
 */
#include "base/codes.h"
#include "base/text/slice.h"
#include "tables/ompi/ompi.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct ompi_table *of;
    struct ompi_numbers numbers;
    struct arena *arena;
    size_t row_capacity, entry_capacity, block_capacity; /* capacities of the arrays, which are on the heap
                                                            meanwhile */
};

static bool ompi_read_reject(struct reader *reader, struct position where, const char *why)
{
    reader->of->table.ignored = why;
    reader->of->table.ignored_at = where;
    return false;
}

/* Takes the next number, which must be there and not negative. */
static bool ompi_read_take(struct reader *reader, const char *what, struct ompi_number *number)
{
    const struct source *source = reader->numbers.source;
    if (!ompi_number_next(&reader->numbers, number))
        return ompi_read_reject(reader, source_position(source, source->length, 1),
                                arena_printf(reader->arena, "the file ends where %s is expected", what));
    reader->of->n_numbers++;
    if (number->value < 0)
        return ompi_read_reject(reader, ompi_number_position(source, number),
                                arena_printf(reader->arena, "%lld is negative where %s is expected",
                                             (long long)number->value, what));
    return true;
}

static bool ompi_read_row(struct reader *reader, bool is_first)
{
    static const char *const words[] = {"a message size", "the number of an algorithm",
                                        "a fan-out", "a segment size", "a number of requests"};
    struct ompi_table *of = reader->of;
    struct ompi_row row = {0};
    for (; row.n_numbers <= ROW_SEGMENT; row.n_numbers++)
        if (!ompi_read_take(reader, words[row.n_numbers], &row.numbers[row.n_numbers]))
            return false;
    if (of->file_version > 1 && ompi_numbers_digit_follows(&reader->numbers) &&
        !ompi_read_take(reader, words[ROW_REQUESTS], &row.numbers[row.n_numbers++]))
        return false;
    if (is_first && row.numbers[ROW_SIZE].value != 0)
        return ompi_read_reject(reader, ompi_number_position(reader->numbers.source, &row.numbers[ROW_SIZE]),
                                arena_printf(reader->arena,
                                             "the first message size of a communicator size is %lld; it "
                                             "has to be 0",
                                             (long long)row.numbers[ROW_SIZE].value));
    of->rows = mem_grow(of->rows, &reader->row_capacity, of->n_rows + 1, sizeof *of->rows);
    of->rows[of->n_rows++] = row;
    return true;
}

static bool ompi_read_entry(struct reader *reader)
{
    struct ompi_table *of = reader->of;
    struct ompi_entry entry = {.first_row = of->n_rows, .acts_on = SPAN_EMPTY};
    if (!ompi_read_take(reader, "a communicator size", &entry.ranks) ||
        !ompi_read_take(reader, "a number of message sizes", &entry.n_rows_said))
        return false;
    for (int64_t i = 0; i < entry.n_rows_said.value; i++)
        if (!ompi_read_row(reader, i == 0))
            return false;
    entry.n_rows = of->n_rows - entry.first_row;
    of->entries = mem_grow(of->entries, &reader->entry_capacity, of->n_entries + 1, sizeof *of->entries);
    of->entries[of->n_entries++] = entry;
    return true;
}

static bool ompi_read_block(struct reader *reader)
{
    struct ompi_table *of = reader->of;
    struct ompi_block block = {.first_entry = of->n_entries};
    if (!ompi_read_take(reader, "the number of a collective", &block.collective))
        return false;
    if (block.collective.value >= OMPI_N_COLLECTIVES)
        return ompi_read_reject(reader, ompi_number_position(reader->numbers.source, &block.collective),
                                arena_printf(reader->arena, "there is no collective %lld: the last is %d",
                                             (long long)block.collective.value, OMPI_N_COLLECTIVES - 1));
    if (!ompi_read_take(reader, "a number of communicator sizes", &block.n_entries_said))
        return false;
    for (int64_t i = 0; i < block.n_entries_said.value; i++)
        if (!ompi_read_entry(reader))
            return false;
    block.n_entries = of->n_entries - block.first_entry;
    of->blocks = mem_grow(of->blocks, &reader->block_capacity, of->n_blocks + 1, sizeof *of->blocks);
    of->blocks[of->n_blocks++] = block;
    return true;
}

static bool ompi_read_file(struct reader *reader)
{
    struct ompi_table *of = reader->of;
    of->file_version = 1;
    if (of->version->has_header && !ompi_numbers_version(&reader->numbers, &of->file_version))
        of->file_version = 1;
    if (!ompi_read_take(reader, "the number of collectives", &of->n_blocks_said))
        return false;
    if (of->n_blocks_said.value > OMPI_N_COLLECTIVES)
        return ompi_read_reject(reader, ompi_number_position(reader->numbers.source, &of->n_blocks_said),
                                arena_printf(reader->arena,
                                             "rules for %lld collectives are announced, and there are "
                                             "%d",
                                             (long long)of->n_blocks_said.value, OMPI_N_COLLECTIVES));
    for (int64_t i = 0; i < of->n_blocks_said.value; i++)
        if (!ompi_read_block(reader))
            return false;
    if (ompi_number_next(&reader->numbers, &of->trailing))
        of->n_numbers++;
    else
        of->trailing.length = 0;
    return true;
}

/* Returns the value as the loader keeps it, in an int. */
static int64_t as_int(int64_t value)
{
    return (int32_t)(uint32_t)(uint64_t)value;
}

/* Returns the range of an item in a search that stops at the first number above the wanted one and takes
 * the item before it, or the first: from the greatest number so far up to the next one. The range is empty
 * if the next number is not greater. */
static struct span ompi_read_searched(int64_t greatest, bool is_first, bool is_last, int64_t next)
{
    const int64_t from = is_first || greatest < 0 ? 0 : greatest;
    const int64_t end = is_first && next < greatest ? greatest : next;
    if (is_last)
        return (struct span){(uint64_t)from, SPAN_NO_END};
    return end > from ? (struct span){(uint64_t)from, (uint64_t)end - 1} : SPAN_EMPTY;
}

/* 4.1 and 5.0: finds the last communicator size that is not above the number of ranks. */
static void search_entries(struct ompi_table *of, const struct ompi_block *block)
{
    int64_t greatest = INT64_MIN;
    for (size_t i = 0; i < block->n_entries; i++) {
        struct ompi_entry *entry = &of->entries[block->first_entry + i];
        const int64_t ranks = as_int(entry->ranks.value);
        greatest = ranks > greatest ? ranks : greatest;
        const bool is_last = i + 1 == block->n_entries;
        entry->acts_on =
            ompi_read_searched(greatest, i == 0, is_last, is_last ? 0 : as_int(entry[1].ranks.value));
    }
}

/* 6: ends the range of rows at their own communicator size, except for the last; the first range that has
 * the number of ranks decides. */
static void bound_entries(struct ompi_table *of, const struct ompi_block *block)
{
    int64_t first = 0;
    uint64_t decided = 0; /* up to here, exclusive, earlier ranges have all */
    for (size_t i = 0; i < block->n_entries; i++) {
        struct ompi_entry *entry = &of->entries[block->first_entry + i];
        const int64_t last = i + 1 == block->n_entries ? INT32_MAX : as_int(entry->ranks.value) - 1;
        const uint64_t from = first > (int64_t)decided ? (uint64_t)first : decided;
        entry->acts_on = last >= (int64_t)from ? (struct span){from, (uint64_t)last} : SPAN_EMPTY;
        if (last >= (int64_t)from)
            decided = (uint64_t)last + 1;
        first = last + 1;
    }
}

static struct table_rule rule_of(const struct ompi_table *of, const struct ompi_block *block,
                                 const struct ompi_entry *entry, const struct ompi_row *row)
{
    const bool has_requests = row->n_numbers > ROW_REQUESTS;
    return (struct table_rule){
        (uint32_t)block->collective.value, as_int(row->numbers[ROW_ALGORITHM].value),
        block->replaced_by ? SPAN_EMPTY : entry->acts_on, SPAN_EMPTY,
        {(uint64_t)as_int(row->numbers[ROW_SEGMENT].value), (uint64_t)as_int(row->numbers[ROW_FAN_OUT].value),
         has_requests && of->version->has_header ? (uint64_t)as_int(row->numbers[ROW_REQUESTS].value) : 0},
        row->numbers[ROW_SIZE].line};
}

/* Sets the keys of the rows of an entry, as with communicator sizes. But 6 ends each row one byte before
 * the next begins, so that out of order an earlier row may end before it begins. */
static void ompi_read_bound_rows(struct ompi_table *of, const struct ompi_entry *entry)
{
    int64_t greatest = 0;
    uint64_t decided = 0;
    for (size_t i = 0; i < entry->n_rows; i++) {
        struct table_rule *rule = &of->table.rules[entry->first_row + i];
        const struct ompi_row *row = &of->rows[entry->first_row + i];
        const int64_t size = row->numbers[ROW_SIZE].value;
        const bool is_last = i + 1 == entry->n_rows;
        const int64_t next = is_last ? 0 : row[1].numbers[ROW_SIZE].value;
        greatest = size > greatest ? size : greatest;
        if (!of->version->takes_first) {
            rule->keys = ompi_read_searched(greatest, false, is_last, next);
            continue;
        }
        const uint64_t from = (uint64_t)size > decided ? (uint64_t)size : decided;
        const uint64_t last = is_last ? SPAN_NO_END : (uint64_t)next - 1;
        const bool is_done = i > 0 && decided == 0; /* an earlier row has every key */
        rule->keys = last >= from && !is_done ? (struct span){from, last} : SPAN_EMPTY;
        if (last >= from && !is_done)
            decided = last + 1;
    }
}

static void ompi_read_make_ranges(struct ompi_table *of, struct arena *arena)
{
    of->table.rules = arena_alloc(arena, of->n_rows, sizeof *of->table.rules);
    of->table.n_rules = of->n_rows;
    const struct ompi_block *last_of[OMPI_N_COLLECTIVES] = {NULL};
    for (size_t i = of->n_blocks; i-- > 0;) {
        struct ompi_block *block = &of->blocks[i];
        block->replaced_by = last_of[block->collective.value];
        if (!block->replaced_by)
            last_of[block->collective.value] = block;
        (of->version->takes_first ? bound_entries : search_entries)(of, block);
        for (size_t j = 0; j < block->n_entries; j++) {
            const struct ompi_entry *entry = &of->entries[block->first_entry + j];
            for (size_t k = entry->first_row; k < entry->first_row + entry->n_rows; k++)
                of->table.rules[k] = rule_of(of, block, entry, &of->rows[k]);
            ompi_read_bound_rows(of, entry);
        }
    }
}

struct table *ompi_read(const struct table_loader *loader, const struct source *source,
                        struct arena *arena, struct diagnostics *diagnostics)
{
    (void)diagnostics;
    struct ompi_table *of = arena_alloc(arena, 1, sizeof *of);
    struct reader reader = {.of = of, .arena = arena};
    *of = (struct ompi_table){.table = {.loader = loader, .source = source}, .version = loader->version};
    const struct json_node *json = of->version->has_json ? ompi_json_of(source, arena) : NULL;
    if (json) {
        ompi_read_json(of, json, arena);
        return &of->table;
    }
    ompi_numbers_open(&reader.numbers, source);
    const bool is_read = ompi_read_file(&reader);
    of->rows = arena_take(of->rows, of->n_rows, sizeof *of->rows, arena);
    of->entries = arena_take(of->entries, of->n_entries, sizeof *of->entries, arena);
    of->blocks = arena_take(of->blocks, of->n_blocks, sizeof *of->blocks, arena);
    if (is_read)
        ompi_read_make_ranges(of, arena);
    return &of->table;
}
