/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sparse matrix of Matrix Market, as scipy.io.mmwrite and many collections of matrices have it (Boisvert,
 * Pozo & Remington, The Matrix Market Exchange Formats, NISTIR 5935, 1996):
 *
 *   %%MatrixMarket matrix coordinate integer general
 *   % a comment
 *   4 4 2                        rows, columns, entries
 *   1 2 4096                     sender and receiver, both from 1 on, and bytes
 */
#include "schedules/traffic/internal.h"

#include <strings.h>

bool coordinate_is_form(const struct source *source)
{
    return strncasecmp(source_start(source), "%%MatrixMarket", 14) == 0;
}

/* Reads the words of the first line. Returns false after reporting; sets whether an entry stands for two. */
static bool coordinate_read_head(struct traffic *traffic, bool *is_symmetric)
{
    static const struct {
        const char *words; /* '|' between them */
        const char *help;
    } asked[] = {
        {"matrix", "'matrix' follows '%%MatrixMarket'"},
        {"coordinate", "entries are listed, as 'coordinate' says; a dense matrix stands as rows of numbers"},
        {"integer|real|double", "entries are sizes in bytes: 'integer' or 'real'"},
        {"general|symmetric", "'general', or 'symmetric': both send as many bytes to each other"}};
    struct lines *lines = &traffic->lines;
    lines_next(lines);
    lines_take_word(lines);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct slice word = lines_take_word(lines);
        const char *at = asked[i].words;
        size_t n = strcspn(at, "|");
        while (*at && (n != word.length || strncasecmp(at, word.text, n) != 0)) {
            at += n + (at[n] == '|');
            n = strcspn(at, "|");
        }
        if (!*at) {
            traffic_refuse(traffic, word, "'%.*s' is no word of such a matrix", (int)word.length, word.text)
                ->help = asked[i].help;
            return false;
        }
    }
    *is_symmetric = lines->at[-1] == 'c' || lines->at[-1] == 'C';
    return true;
}

/* Reads rows, columns and entries. */
static bool coordinate_read_size(struct traffic *traffic, uint64_t size[3])
{
    struct lines *lines = &traffic->lines;
    const struct slice line = traffic_next_line(traffic) ? lines_rest(lines) : (struct slice){lines->end, 1};
    bool is_good = true;
    for (int i = 0; i < 3 && is_good; i++) {
        struct slice field = {0};
        is_good = traffic_take_field(traffic, &field) && traffic_is_whole(field) &&
                  parse_size(field, &size[i]) == VALUE_OK;
    }
    if (is_good && size[0] == size[1] && size[0] >= 1 && size[0] <= SCHEDULE_MAX_RANKS)
        return true;
    if (is_good && size[0] == size[1] && size[0] > SCHEDULE_MAX_RANKS)
        traffic_refuse(traffic, line, "%llu rows and columns, which are ranks", (unsigned long long)size[0])
            ->help = "there are up to 67108864 ranks";
    else
        traffic_refuse(traffic, line, "expected rows, columns and entries")->help =
            "three whole numbers, the first two equal: a row and a column for each rank";
    return false;
}

/* Reads the entry of the current line. */
static void coordinate_read_entry(struct traffic *traffic, bool is_symmetric, uint32_t n_ranks)
{
    uint32_t end[2];
    uint64_t bytes;
    struct slice field = {traffic->lines.end, 1};
    for (int i = 0; i < 2; i++) {
        traffic_take_field(traffic, &field);
        if (!traffic_take_rank(traffic, field, &end[i]))
            return;
        if (end[i] < 1 || end[i] > n_ranks) {
            traffic_refuse(traffic, field, "%u is outside of the matrix", end[i])->help =
                "rows and columns count from 1 on";
            return;
        }
    }
    field = (struct slice){traffic->lines.end, 1};
    traffic_take_field(traffic, &field);
    if (!traffic_take_size(traffic, field, 1, &bytes))
        return;
    traffic_add(traffic, end[0] - 1, end[1] - 1, bytes);
    if (is_symmetric && end[0] != end[1])
        traffic_add(traffic, end[1] - 1, end[0] - 1, bytes);
}

void coordinate_read(struct traffic *traffic)
{
    bool is_symmetric;
    uint64_t size[3], n = 0;
    if (!coordinate_read_head(traffic, &is_symmetric) || !coordinate_read_size(traffic, size))
        return;
    for (; !traffic->failed && traffic_next_line(traffic); n++)
        coordinate_read_entry(traffic, is_symmetric, (uint32_t)size[0]);
    if (!traffic->failed && n != size[2])
        traffic_refuse(traffic, (struct slice){traffic->lines.start, 1},
                       "%llu entries, and the head says %llu", (unsigned long long)n,
                       (unsigned long long)size[2])
            ->help = "the file may have been cut short";
    traffic->n_ranks = (uint32_t)size[0];
}
