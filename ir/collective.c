/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of collectives. See collective.h.
 */
#include "ir/collective.h"

#include "base/suggest.h"

#include <string.h>

const struct collective_info collective_table[N_COLLECTIVES] = {
#define X(name, rooted, reduces, in, out, buf) {#name, rooted, reduces},
    COLLECTIVES(X)
#undef X
};

const char *const buffer_name[N_BUFFERS] = {"in", "out", "buf", "tmp"};

enum collective collective_find(const char *name, uint64_t length)
{
    enum collective found = 0;
    while (found < N_COLLECTIVES && (strlen(collective_table[found].name) != length ||
                                     memcmp(collective_table[found].name, name, length) != 0))
        found++;
    return found;
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

/* Each name, then names outside of MPI, with what they mean. */
static const struct {
    const char *name, *meaning;
} usual_names[] = {
#define X(name, rooted, reduces, in, out, buf) {#name, #name},
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

enum extent { EXTENT_0, EXTENT_1, EXTENT_P, EXTENT_R };

static const unsigned char extent_table[N_COLLECTIVES][3] = {
#define X(name, rooted, reduces, in, out, buf) {EXTENT_##in, EXTENT_##out, EXTENT_##buf},
    COLLECTIVES(X)
#undef X
};

uint64_t collective_chunk_bytes(enum collective collective, uint32_t segments, uint64_t bytes)
{
    if (collective == COLLECTIVE_barrier)
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

bool collective_agrees(enum collective collective)
{
    return collective == COLLECTIVE_allreduce;
}

bool collective_at_root(enum collective collective, enum buffer buffer)
{
    return buffer <= BUFFER_BUF && extent_table[collective][buffer] == EXTENT_R;
}
