/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a rule file of coll/han as its loader does: counts, levels and numbers of ranks as fscanf("%li")
 * finds them (tables/ompi/numbers.h), sizes of messages by "%zu", names by "%32s". The first error drops
 * the whole file. Then turns the order in which rules are searched, from the last to the first, into
 * ranges.
 */
#include "base/codes.h"
#include "base/text/slice.h"
#include "tables/han/han.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 32 };

struct reader {
    struct han_table *of;
    struct ompi_numbers numbers;
    struct arena *arena;
    /* capacities of the arrays, which are on the heap meanwhile */
    size_t set_capacity, level_capacity, size_capacity, row_capacity, count_capacity;
};

static bool han_read_reject(struct reader *reader, struct slice where, const char *why)
{
    reader->of->table.ignored = why;
    reader->of->table.ignored_at = slice_position(reader->numbers.source, where);
    return false;
}

static struct slice han_read_text_of(const struct ompi_number *number)
{
    return (struct slice){number->text, number->length};
}

static bool reject_end(struct reader *reader, const char *what)
{
    const struct source *source = reader->numbers.source;
    return han_read_reject(reader, (struct slice){source->text + source->length, 0},
                           arena_printf(reader->arena, "the file ends where %s is expected", what));
}

/* ---- words of the file ---- */

/* Takes a number as "%li" finds it, of at least `least`. */
static bool han_read_take(struct reader *reader, const char *what, int64_t least, struct ompi_number *number)
{
    struct han_table *of = reader->of;
    if (!ompi_number_next(&reader->numbers, number))
        return reject_end(reader, what);
    of->counts = mem_grow(of->counts, &reader->count_capacity, of->n_counts + 1, sizeof *of->counts);
    of->counts[of->n_counts++] = *number;
    if (number->value < least)
        return han_read_reject(reader, han_read_text_of(number),
                               arena_printf(reader->arena,
                                            "%lld stands where %s is expected, of %lld at least",
                                            (long long)number->value, what, (long long)least));
    return true;
}

static void han_read_step(struct ompi_numbers *numbers)
{
    numbers->line += *numbers->at++ == '\n';
}

static void han_read_skip_line(struct ompi_numbers *numbers)
{
    while (numbers->at < numbers->end && *numbers->at != '\n')
        numbers->at++;
    if (numbers->at < numbers->end)
        han_read_step(numbers);
}

static void han_read_skip_space(struct ompi_numbers *numbers)
{
    while (numbers->at < numbers->end && isspace((unsigned char)*numbers->at))
        han_read_step(numbers);
}

/* Takes a word of up to 32 bytes; one that begins with '#' is skipped with its line. */
static bool take_name(struct reader *reader, const char *what, const char **name, struct slice *at)
{
    struct ompi_numbers *numbers = &reader->numbers;
    for (;;) {
        han_read_skip_space(numbers);
        const char *start = numbers->at;
        while (numbers->at < numbers->end && numbers->at - start < MAX_NAME &&
               !isspace((unsigned char)*numbers->at))
            numbers->at++;
        if (numbers->at == start)
            return reject_end(reader, what);
        if (*start == '#') {
            han_read_skip_line(numbers);
            continue;
        }
        *at = (struct slice){start, (size_t)(numbers->at - start)};
        *name = arena_strndup(reader->arena, at->text, at->length);
        return true;
    }
}

/* Takes bytes as "%zu" does, decimal, wrapping around below 0; skips other characters as with "%li". */
static bool take_bytes(struct reader *reader, struct ompi_number *number, uint64_t *value)
{
    struct ompi_numbers *numbers = &reader->numbers;
    for (;;) {
        han_read_skip_space(numbers);
        const char *start = numbers->at;
        const uint32_t line = numbers->line;
        const bool is_signed = start < numbers->end && (*start == '-' || *start == '+');
        numbers->at += is_signed;
        const char *digits = numbers->at;
        bool is_over = false;
        for (*value = 0; numbers->at < numbers->end && text_is_digit(*numbers->at); numbers->at++) {
            const uint64_t digit = (uint64_t)(*numbers->at - '0');
            is_over |= *value > (UINT64_MAX - digit) / 10;
            *value = is_over ? UINT64_MAX : *value * 10 + digit;
        }
        if (numbers->at > digits) {
            *value = is_signed && *start == '-' && !is_over ? -*value : *value;
            *number = (struct ompi_number){.text = start, .length = (uint32_t)(numbers->at - start),
                                           .line = line, .base = 10};
            return true;
        }
        if (numbers->at == numbers->end)
            return reject_end(reader, "a message size");
        if (*numbers->at == '#')
            han_read_skip_line(numbers);
        else
            han_read_step(numbers);
    }
}

/* True if the next byte but blanks, line ends and comments is `expected`, which it then passes over.
 * Otherwise only the blanks before it are passed over; *is_end at the end of the file. */
static bool next_is(struct ompi_numbers *numbers, char expected, bool *is_end)
{
    *is_end = false;
    while (numbers->at < numbers->end) {
        const char c = *numbers->at;
        if (c == expected) {
            han_read_step(numbers);
            return true;
        }
        if (c == '#')
            han_read_skip_line(numbers);
        else if (c == '\n' || c == ' ' || c == '\t')
            han_read_step(numbers);
        else
            return false;
    }
    *is_end = true;
    return false;
}

/* ---- names ---- */

/* Returns the collective of a name. For names that end in v or w, except scatterv, the rest of the word is
 * ignored. */
static uint32_t collective_of(const char *name)
{
    for (uint32_t i = 0; i < OMPI_N_COLLECTIVES; i++) {
        const char *known = ompi_collective_names[i];
        const size_t length = strlen(known);
        const bool is_open =
            (known[length - 1] == 'v' || known[length - 1] == 'w') && i != OMPI_scatterv;
        if (is_open ? strncmp(name, known, length) == 0 : strcmp(name, known) == 0)
            return i;
    }
    return OMPI_N_COLLECTIVES;
}

/* Converts the whole word as strtol does. Returns false if something is behind the number. */
static bool han_read_number_of(const char *word, int64_t *value)
{
    char *end;
    *value = strtol(word, &end, 10);
    return *end == '\0';
}

static bool han_read_collective(struct reader *reader, struct han_set *set)
{
    const char *name = "";
    int64_t number = 0;
    if (!take_name(reader, "a collective", &name, &set->at))
        return false;
    set->collective = collective_of(name);
    if (set->collective < OMPI_N_COLLECTIVES)
        return true;
    if (!han_read_number_of(name, &number) || number < 0 || number >= OMPI_N_COLLECTIVES)
        return han_read_reject(reader, set->at, "there is no such collective");
    set->collective = (uint32_t)number;
    return true;
}

static bool read_level_name(struct reader *reader, struct han_level_set *set)
{
    const char *name = "";
    int64_t number = -1;
    if (!take_name(reader, "a level", &name, &set->at))
        return false;
    for (unsigned i = 0; i < HAN_N_LEVELS; i++)
        if (strcmp(name, han_level_names[i]) == 0)
            number = i;
    if (number < 0 && (!han_read_number_of(name, &number) || number < 0 || number >= HAN_N_LEVELS))
        return han_read_reject(reader, set->at, "there is no such level");
    set->level = (enum han_level)number;
    return true;
}

static bool read_level_number(struct reader *reader, struct han_level_set *set)
{
    struct ompi_number number;
    if (!han_read_take(reader, "the number of a level", 0, &number))
        return false;
    set->at = han_read_text_of(&number);
    if (number.value >= HAN_N_LEVELS)
        return han_read_reject(reader, set->at,
                               "there is no such level: 0 is within a machine, 1 between machines, 2 the "
                               "communicator itself");
    set->level = (enum han_level)number.value;
    return true;
}

static bool han_read_algorithm(struct reader *reader, uint32_t collective, struct han_row *row)
{
    struct slice at = {0};
    bool is_without = false;
    if (!take_name(reader, "an algorithm", &row->algorithm, &at))
        return false;
    const int number = han_algorithm(collective, row->algorithm, &is_without);
    if (is_without) {
        reader->of->table.ends_program = true;
        return han_read_reject(reader, at,
                               "coll/han has no algorithms of this collective to look the name up in, and "
                               "does so all the same");
    }
    return number >= 0 || han_read_reject(reader, at, "coll/han has no such algorithm of this collective");
}

static bool read_component(struct reader *reader, uint32_t collective, struct han_row *row)
{
    const char *name = "";
    bool is_end;
    if (!take_name(reader, "the name of a component", &name, &row->at))
        return false;
    unsigned component = 0;
    while (component < HAN_N_COMPONENTS && strcmp(name, han_component_names[component]) != 0)
        component++;
    if (component == HAN_N_COMPONENTS)
        return han_read_reject(reader, row->at, "there is no component of that name");
    row->rule.algorithm = (int64_t)component + 1;
    return component != HAN_han || !reader->of->version->has_names ||
           !next_is(&reader->numbers, '@', &is_end) || han_read_algorithm(reader, collective, row);
}

/* Reads segment lengths, which have no effect. */
static bool read_segments(struct reader *reader, struct han_row *row)
{
    struct ompi_number number;
    bool is_end;
    if (!next_is(&reader->numbers, '[', &is_end))
        return true;
    row->segments = (struct slice){reader->numbers.at - 1, 1};
    while (!next_is(&reader->numbers, ']', &is_end) && !is_end)
        if (!ompi_number_next(&reader->numbers, &number))
            return reject_end(reader, "']'");
    return true;
}

/* ---- the file ---- */

static bool han_read_row(struct reader *reader, const struct han_set *set, enum han_level level,
                         bool is_first)
{
    struct han_table *of = reader->of;
    struct han_row row = {.level = level, .rule = {.collective = set->collective, .keys = SPAN_EMPTY,
                                                   .ranks = SPAN_EMPTY}};
    if (!take_bytes(reader, &row.bytes, &row.size))
        return false;
    if (is_first && row.size > 1)
        return han_read_reject(reader, han_read_text_of(&row.bytes),
                               arena_printf(reader->arena,
                                            "the first message size of a number of ranks is %llu; it has "
                                            "to be 0",
                                            (unsigned long long)row.size));
    row.rule.line = row.bytes.line;
    if (!read_component(reader, set->collective, &row) || !read_segments(reader, &row))
        return false;
    of->rows = mem_grow(of->rows, &reader->row_capacity, of->n_rows + 1, sizeof *of->rows);
    of->rows[of->n_rows++] = row;
    return true;
}

static bool read_size(struct reader *reader, const struct han_set *set, enum han_level level, bool is_first)
{
    struct han_table *of = reader->of;
    struct han_size size = {.first = of->n_rows, .acts_on = SPAN_EMPTY};
    if (!han_read_take(reader, "a number of ranks", 1, &size.ranks))
        return false;
    if (is_first && size.ranks.value > 1)
        return han_read_reject(reader, han_read_text_of(&size.ranks),
                               arena_printf(reader->arena,
                                            "the first number of ranks of a level is %lld; it has to be 1",
                                            (long long)size.ranks.value));
    if (!han_read_take(reader, "a number of message sizes", 0, &size.n_said))
        return false;
    for (int64_t i = 0; i < size.n_said.value; i++)
        if (!han_read_row(reader, set, level, i == 0))
            return false;
    size.n = of->n_rows - size.first;
    of->sizes = mem_grow(of->sizes, &reader->size_capacity, of->n_sizes + 1, sizeof *of->sizes);
    of->sizes[of->n_sizes++] = size;
    return true;
}

static bool read_level(struct reader *reader, const struct han_set *set)
{
    struct han_table *of = reader->of;
    struct han_level_set level = {.first = of->n_sizes};
    if (!(of->version->has_names ? read_level_name : read_level_number)(reader, &level) ||
        !han_read_take(reader, "how many numbers of ranks follow", 0, &level.n_said))
        return false;
    for (int64_t i = 0; i < level.n_said.value; i++)
        if (!read_size(reader, set, level.level, i == 0))
            return false;
    level.n = of->n_sizes - level.first;
    of->levels = mem_grow(of->levels, &reader->level_capacity, of->n_levels + 1, sizeof *of->levels);
    of->levels[of->n_levels++] = level;
    return true;
}

static bool read_set(struct reader *reader)
{
    struct han_table *of = reader->of;
    struct han_set set = {.first = of->n_levels};
    if (!han_read_collective(reader, &set) || !han_read_take(reader, "a number of levels", 0, &set.n_said))
        return false;
    for (int64_t i = 0; i < set.n_said.value; i++)
        if (!read_level(reader, &set))
            return false;
    set.n = of->n_levels - set.first;
    of->sets = mem_grow(of->sets, &reader->set_capacity, of->n_sets + 1, sizeof *of->sets);
    of->sets[of->n_sets++] = set;
    return true;
}

static bool han_read_file(struct reader *reader)
{
    struct han_table *of = reader->of;
    if (!han_read_take(reader, "the number of collectives", 1, &of->n_said))
        return false;
    for (int64_t i = 0; i < of->n_said.value; i++)
        if (!read_set(reader))
            return false;
    if (!ompi_number_next(&reader->numbers, &of->trailing))
        of->trailing.length = 0;
    return true;
}

/* ---- ranges ---- */

/* Returns the range of an item in a search from the last to the first: from its number up to the least
 * number behind it. */
static struct span han_read_searched(uint64_t number, bool is_last, uint64_t least_behind)
{
    if (is_last)
        return (struct span){number, SPAN_NO_END};
    return number < least_behind ? (struct span){number, least_behind - 1} : SPAN_EMPTY;
}

static void han_read_bound_rows(struct han_table *of, struct han_size *size)
{
    const size_t end = size->first + size->n;
    uint64_t least = UINT64_MAX;
    for (size_t i = end; i-- > size->first;) {
        struct han_row *row = &of->rows[i];
        row->rule.keys = han_read_searched(row->size, i + 1 == end, least);
        row->rule.ranks = size->acts_on;
        least = row->size < least ? row->size : least;
    }
}

/* Bounds the sizes: the loader keeps numbers of ranks in an int. */
static void bound_sizes(struct han_table *of, const struct han_level_set *level)
{
    const size_t end = level->first + level->n;
    uint64_t least = UINT64_MAX;
    for (size_t i = end; i-- > level->first;) {
        struct han_size *size = &of->sizes[i];
        const int32_t as_int = (int32_t)(uint32_t)(uint64_t)size->ranks.value;
        const uint64_t ranks = as_int < 0 ? 0 : (uint64_t)as_int;
        if (level->replaced_by == 0)
            size->acts_on = han_read_searched(ranks, i + 1 == end, least);
        least = ranks < least ? ranks : least;
        han_read_bound_rows(of, size);
    }
}

static void han_read_make_ranges(struct han_table *of)
{
    size_t last_set[OMPI_N_COLLECTIVES] = {0};
    for (size_t i = of->n_sets; i-- > 0;) {
        struct han_set *set = &of->sets[i];
        size_t last_level[HAN_N_LEVELS] = {0};
        set->replaced_by = last_set[set->collective];
        if (!set->replaced_by)
            last_set[set->collective] = i + 1;
        for (size_t j = set->first + set->n; j-- > set->first;) {
            struct han_level_set *level = &of->levels[j];
            level->replaced_by = set->replaced_by ? SIZE_MAX : last_level[level->level];
            if (!last_level[level->level])
                last_level[level->level] = j + 1;
            bound_sizes(of, level);
        }
    }
}

struct table *han_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                       struct diagnostics *diagnostics)
{
    (void)diagnostics;
    struct han_table *of = arena_alloc(arena, 1, sizeof *of);
    struct reader reader = {.of = of, .arena = arena};
    *of = (struct han_table){.table = {.loader = loader, .source = source}, .version = loader->version};
    ompi_numbers_open(&reader.numbers, source);
    const bool is_read = han_read_file(&reader);
    of->sets = arena_take(of->sets, of->n_sets, sizeof *of->sets, arena);
    of->levels = arena_take(of->levels, of->n_levels, sizeof *of->levels, arena);
    of->sizes = arena_take(of->sizes, of->n_sizes, sizeof *of->sizes, arena);
    of->rows = arena_take(of->rows, of->n_rows, sizeof *of->rows, arena);
    of->counts = arena_take(of->counts, of->n_counts, sizeof *of->counts, arena);
    if (is_read)
        han_read_make_ranges(of);
    return &of->table;
}
