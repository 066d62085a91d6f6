/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files with a map: numbers of ranks. See mapping_read in mapping.h.
 */
#include "mapping/mapping.h"

#include "base/codes.h"

#include <string.h>

struct reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    size_t at;
    uint32_t n_ranks, n; /* n: numbers so far */
    uint32_t *map;
    bool *is_taken;
};

static const char help[] =
    "a map is a list of all numbers of ranks: the rank that runs rank 0 of the algorithm, that "
    "runs rank 1 ...; 'collc map' writes one";

static bool mapping_read_complain(struct reader *reader, size_t length, const char *message)
{
    struct diagnostic *found =
        report(reader->diagnostics, CODE_A004,
               source_position(reader->source, reader->at, length), "%s", message);
    found->help = help;
    return false;
}

/* Returns the length of blanks, line breaks and comments from here. */
static size_t gap_length(const struct reader *reader)
{
    const char *text = reader->source->text + reader->at, *end = text;
    for (;;) {
        end += strspn(end, " \t\r\n,");
        if (*end != '#')
            return (size_t)(end - text);
        end += strcspn(end, "\n");
    }
}

/* Returns a number, at most n_ranks, which replaces larger ones. */
static uint32_t mapping_read_number_of(const struct reader *reader, size_t length)
{
    uint64_t number = 0;
    const char *word = reader->source->text + reader->at;
    for (size_t i = 0; i < length && number < reader->n_ranks; i++)
        number = 10 * number + (uint64_t)(word[i] - '0');
    return number < reader->n_ranks ? (uint32_t)number : reader->n_ranks;
}

static bool mapping_read_take_number(struct reader *reader)
{
    const char *word = reader->source->text + reader->at;
    size_t length = strspn(word, "0123456789"), all = strcspn(word, " \t\r\n,#");
    if (length != all)
        return mapping_read_complain(reader, all, "a word that is no number of a rank");
    uint32_t rank = mapping_read_number_of(reader, length);
    if (rank == reader->n_ranks)
        return mapping_read_complain(reader, length,
                                     diagnostics_text(reader->diagnostics,
                                                      "%.*s is none of %u ranks, counted from 0",
                                                      length < 20 ? (int)length : 20, word, rank));
    if (reader->is_taken[rank])
        return mapping_read_complain(reader, length,
                                     diagnostics_text(reader->diagnostics, "rank %u is named twice", rank));
    reader->is_taken[rank] = true;
    reader->map[reader->n++] = rank;
    reader->at += length;
    return true;
}

uint32_t *mapping_read(const struct source *source, uint32_t n_ranks, struct arena *arena,
                       struct diagnostics *diagnostics)
{
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    struct reader reader = {.source = source,
                            .diagnostics = diagnostics,
                            .n_ranks = n_ranks,
                            .map = arena_alloc(arena, n_ranks, sizeof(uint32_t)),
                            .is_taken = arena_alloc(arena, n_ranks, sizeof(bool))};
    while (reader.at += gap_length(&reader), reader.at < source->length)
        if (!mapping_read_take_number(&reader))
            return NULL;
    if (reader.n == n_ranks)
        return reader.map;
    mapping_read_complain(&reader, 0,
                          diagnostics_text(diagnostics, "the map has %u of %u ranks", reader.n, n_ranks));
    return NULL;
}
