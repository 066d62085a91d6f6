/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of collectives. See collective.h.
 */
#include "ir/collective.h"

#include "base/suggest.h"

#include <string.h>

const struct collective_info collective_table[N_COLLECTIVES] = {
#define X(name, numbering, before, after, combines)                                                          \
    {#name,                                                                                                  \
     NUMBERED_##numbering,                                                                                   \
     HELD_##before,                                                                                          \
     HELD_##after,                                                                                           \
     COMBINES_##combines,                                                                                    \
     HELD_##before == HELD_ROOT || HELD_##after == HELD_ROOT,                                                \
     COMBINES_##combines != COMBINES_NONE && NUMBERED_##numbering != NUMBERED_NONE},
    COLLECTIVES(X)
#undef X
};

const char *const buffer_name[N_BUFFERS] = {"in", "out", "buf", "tmp"};

enum collective collective_find(const char *name, uint64_t length)
{
    enum collective found = 0;
    while (found < N_MPI_COLLECTIVES && (strlen(collective_table[found].name) != length ||
                                     memcmp(collective_table[found].name, name, length) != 0))
        found++;
    return found < N_MPI_COLLECTIVES ? found : N_COLLECTIVES;
}

static const struct {
    const char *name;
    enum collective base;
} form_table[N_FORMS] = {
#define X(name, base) [FORM_##name] = {#name, COLLECTIVE_##base},
    COLLECTIVE_FORMS(X)
#undef X
};

const char *collective_name(enum collective collective, enum collective_form form)
{
    return form == FORM_EQUAL ? collective_table[collective].name : form_table[form].name;
}

enum collective collective_of_form(enum collective_form form)
{
    return form_table[form].base;
}

enum collective collective_find_form(const char *name, uint64_t length, enum collective_form *form)
{
    for (*form = FORM_EQUAL + 1; *form < N_FORMS; ++*form)
        if (strlen(form_table[*form].name) == length &&
            memcmp(form_table[*form].name, name, length) == 0)
            return form_table[*form].base;
    *form = FORM_EQUAL;
    return collective_find(name, length);
}

enum collective collective_find_any(const char *name, uint64_t length, enum collective_form *form)
{
    const char *pattern = collective_table[COLLECTIVE_pattern].name;
    if (strlen(pattern) != length || memcmp(pattern, name, length) != 0)
        return collective_find_form(name, length, form);
    *form = FORM_EQUAL;
    return COLLECTIVE_pattern;
}

/* Each name, then names outside of MPI, with what they mean. */
static const struct {
    const char *name, *meaning;
} usual_names[] = {
#define X(name, numbering, before, after, combines) {#name, #name},
    COLLECTIVES(X)
#undef X
#define X(name, base) {#name, #name},
    COLLECTIVE_FORMS(X)
#undef X
    {"broadcast", "bcast"}, {"exclusive_scan", "exscan"}, {"inclusive_scan", "scan"},
};

const char *collective_nearest(const char *name, uint64_t length)
{
    enum { N_NAMES = sizeof usual_names / sizeof *usual_names };
    const char *names[N_NAMES];
    if (length > 4 && memcmp(name, "MPI_", 4) == 0)
        return collective_nearest(name + 4, length - 4);
    for (int i = 0; i < N_NAMES; i++)
        names[i] = usual_names[i].name;
    const char *near = nearest(name, length, names, N_NAMES);
    for (int i = 0; i < N_NAMES; i++)
        if (near == names[i])
            return usual_names[i].meaning;
    return NULL;
}

/* The number of blocks in a buffer: none, one, one per rank, or that at the root only. */
enum extent { EXTENT_0, EXTENT_1, EXTENT_P, EXTENT_R };

/* The extent of `in`, whose blocks are held as before, or of `out`, whose blocks are held as after. */
#define EXTENT(numbering, holder)                                                                            \
    ((numbering) < NUMBERED_RANKS || (holder) == HELD_SAID    ? EXTENT_0                                     \
     : (holder) == HELD_ROOT                                  ? EXTENT_R                                     \
     : (holder) == HELD_EACH && (numbering) == NUMBERED_RANKS ? EXTENT_1                                     \
                                                              : EXTENT_P)

static const unsigned char extent_table[N_COLLECTIVES][3] = {
#define X(name, numbering, before, after, combines)                                                          \
    {EXTENT(NUMBERED_##numbering, HELD_##before), EXTENT(NUMBERED_##numbering, HELD_##after),                \
     NUMBERED_##numbering == NUMBERED_WHOLE ? EXTENT_1 : EXTENT_0},
    COLLECTIVES(X)
#undef X
};

uint64_t collective_chunk_bytes(enum collective collective, uint32_t segments, uint64_t bytes)
{
    if (!collective_has_data(collective))
        return 0;
    return bytes / segments + (bytes % segments != 0);
}

uint64_t collective_chunks(enum collective collective, enum buffer buffer, uint32_t n_ranks,
                           uint32_t segments)
{
    if (buffer > BUFFER_BUF)
        return 0;
    const uint64_t blocks[] = {0, 1, n_ranks, n_ranks};
    return blocks[extent_table[collective][buffer]] * segments;
}

bool collective_is_by_rank(enum collective collective, enum buffer buffer)
{
    return collective_chunks(collective, buffer, 2, 1) == 2;
}

bool collective_has(enum collective collective, enum buffer buffer)
{
    return collective_chunks(collective, buffer, 1, 1) > 0;
}

bool collective_has_data(enum collective collective)
{
    return collective_table[collective].numbering != NUMBERED_NONE;
}

bool collective_has_pairs(enum collective collective)
{
    return collective_table[collective].numbering == NUMBERED_PAIRS;
}

bool collective_hides_counts(enum collective collective)
{
    return collective_has_pairs(collective) || collective_at_root(collective, BUFFER_IN) ||
           collective_at_root(collective, BUFFER_OUT);
}

bool collective_is_scan(enum collective collective)
{
    const enum combining combines = collective_table[collective].combines;
    return combines == COMBINES_THROUGH || combines == COMBINES_BELOW;
}

bool collective_spreads(enum collective collective)
{
    const struct collective_info *info = &collective_table[collective];
    return info->before != HELD_ALL && info->after == HELD_ALL;
}

bool collective_collects(enum collective collective)
{
    const struct collective_info *info = &collective_table[collective];
    return info->before == HELD_ALL && info->after != HELD_ALL;
}

bool collective_agrees(enum collective collective)
{
    const struct collective_info *info = &collective_table[collective];
    return info->reduces && info->combines == COMBINES_ALL && info->after == HELD_ALL;
}

bool collective_at_root(enum collective collective, enum buffer buffer)
{
    return buffer <= BUFFER_BUF && extent_table[collective][buffer] == EXTENT_R;
}
