/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The formula of the method `exact`. A variable says that a node has a chunk by the end of a step, or
 * that a chunk crosses an arc in a step; there is none if the chunk cannot be there yet, or would come
 * too late. The clauses:
 *
 *   a chunk that is sent was there before; it arrives, and was not at its end before
 *   a chunk that is there was there before, or arrives
 *   no chunk arrives twice
 *   each node that needs a chunk has it after the last step
 *   a link passes in a step no more than its rounds allow
 *   and, if the rounds of each step are given and all nodes need all chunks, no less than that except for the
 *   total that the cables of its end can be idle: with nothing to spare that leaves little to try
 */
#include "synth/exact.h"

#include <stdlib.h>
#include <string.h>

/* Values beside variables, which are above 0. */
enum { NEVER = 0, ALWAYS = -1 };

struct making {
    const struct exact *exact;
    struct sat *sat;
    int32_t *variable;      /* exact_formula */
    int32_t *has;           /* [node * (n_steps + 1) + step] of the chunk at hand, step 0: before all */
};

static int32_t *has_at(const struct making *making, uint32_t node, uint32_t step)
{
    return &making->has[(size_t)node * (making->exact->n_steps + 1) + step];
}

static int32_t *send_at(const struct making *making, uint32_t chunk, uint32_t arc, uint32_t step)
{
    const struct exact *exact = making->exact;
    return &making->variable[((size_t)chunk * exact->n_arcs + arc) * exact->n_steps + step];
}

static void set_has(const struct making *making, uint32_t chunk)
{
    const struct exact *exact = making->exact;
    const uint32_t n = exact->n_nodes, source = exact->source[chunk], target = exact->target[chunk];
    for (uint32_t node = 0; node < n; node++) {
        const uint32_t before = exact->distance[source * n + node];
        const uint32_t after = target == EXACT_ALL ? 0 : exact->distance[node * n + target];
        for (uint32_t step = 0; step <= exact->n_steps; step++)
            *has_at(making, node, step) = node == source ? ALWAYS
                                          : before > step || after > exact->n_steps - step
                                              ? NEVER
                                              : sat_variable(making->sat);
    }
}

/* Adds the arrivals at a node in a step; appends the sends to `arriving`. */
static size_t add_arrivals(const struct making *making, uint32_t chunk, uint32_t node, uint32_t step,
                           int32_t *arriving)
{
    const struct exact *exact = making->exact;
    const int32_t had = *has_at(making, node, step), has = *has_at(making, node, step + 1);
    size_t n = 0;
    for (uint32_t arc = 0; arc < exact->n_arcs; arc++) {
        const int32_t there = *has_at(making, exact->arcs[arc].from, step);
        if (exact->arcs[arc].to != node || there == NEVER)
            continue;
        const int32_t send = *send_at(making, chunk, arc, step) = sat_variable(making->sat);
        if (there != ALWAYS)
            sat_either(making->sat, -send, there, 0);
        if (had != NEVER)
            sat_either(making->sat, -send, -had, 0);
        sat_either(making->sat, -send, has, 0);
        arriving[n++] = send;
    }
    return n;
}

static void exact_formula_add_node(const struct making *making, uint32_t chunk, uint32_t node)
{
    const struct exact *exact = making->exact;
    int32_t *arriving = mem_alloc((size_t)exact->n_arcs * exact->n_steps + 2, sizeof *arriving);
    size_t n = 0;
    for (uint32_t step = 0; step < exact->n_steps; step++) {
        const int32_t had = *has_at(making, node, step), has = *has_at(making, node, step + 1);
        if (has == NEVER)
            continue;
        const size_t first = n;
        n += add_arrivals(making, chunk, node, step, arriving + n);
        arriving[n] = -has;
        arriving[n + 1] = had;
        sat_clause(making->sat, arriving + first, n - first + 1 + (had != NEVER));
        if (had != NEVER)
            sat_either(making->sat, -had, has, 0);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            sat_either(making->sat, -arriving[i], -arriving[j], 0);
    if (exact->target[chunk] == EXACT_ALL || exact->target[chunk] == node)
        sat_clause(making->sat, has_at(making, node, exact->n_steps), 1);
    free(arriving);
}

/* ---- rounds ---- */

/* Lists the sends over a link in a step. */
static size_t list_sends(const struct making *making, uint32_t link, uint32_t step, int32_t *sends)
{
    const struct exact *exact = making->exact;
    size_t n = 0;
    for (uint32_t arc = 0; arc < exact->n_arcs; arc++)
        for (size_t i = exact->arcs[arc].first; i < exact->arcs[arc].end; i++)
            for (uint32_t chunk = 0; exact->links[i] == link && chunk < exact->n_chunks; chunk++)
                if (*send_at(making, chunk, arc, step))
                    sends[n++] = *send_at(making, chunk, arc, step);
    return n;
}

/* Returns the most chunks that a cable can pass in so many rounds and does not, as a node gets each chunk
 * once. UINT64_MAX if the link is no cable between two nodes, or some chunk is not for all. */
static uint64_t idle_on(const struct exact *exact, uint32_t link, uint32_t total)
{
    uint32_t end = exact->n_nodes;
    uint64_t room = 0, needed = 0;
    for (uint32_t arc = 0; arc < exact->n_arcs; arc++)
        if (exact->arcs[arc].end != exact->arcs[arc].first + 1)
            return UINT64_MAX;
        else if (exact->links[exact->arcs[arc].first] == link)
            end = exact->arcs[arc].to;
    for (uint32_t arc = 0; arc < exact->n_arcs; arc++)
        if (exact->arcs[arc].to == end)
            room += (uint64_t)exact->capacity[exact->links[exact->arcs[arc].first]] * total;
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++)
        if (exact->target[chunk] != EXACT_ALL)
            return UINT64_MAX;
        else
            needed += exact->source[chunk] != end;
    return room - needed; /* a cut says that there is room */
}

/* Requires at least that many of the sends. */
static void need_sends(struct sat *sat, const int32_t *sends, size_t n, uint64_t at_least)
{
    if (at_least > n) {
        const int32_t never = sat_variable(sat);
        sat_either(sat, never, 0, 0);
        sat_either(sat, -never, 0, 0);
        return;
    }
    const size_t idle = n - (size_t)at_least;
    int32_t *is_idle = mem_alloc(n + 1, sizeof *is_idle), *count = mem_alloc(idle + 2, sizeof *count);
    for (size_t i = 0; i < n; i++)
        is_idle[i] = -sends[i];
    if (sat_count(sat, is_idle, n, idle + 1, count) > idle)
        sat_either(sat, -count[idle], 0, 0);
    free(count);
    free(is_idle);
}

/* Limits the sends over a link. extra[k]: the step has more than k + 1 rounds; NULL: it has `fixed`
 * rounds. */
static void limit_link(const struct making *making, uint32_t link, uint32_t step, uint32_t fixed,
                       const int32_t *extra, uint32_t most)
{
    const struct exact *exact = making->exact;
    const uint32_t capacity = exact->capacity[link], rounds = extra ? most + 1 : fixed;
    int32_t *sends = mem_alloc((size_t)exact->n_chunks * exact->n_arcs + 1, sizeof *sends);
    int32_t *count = mem_alloc((size_t)rounds * capacity + 2, sizeof *count);
    const size_t n = list_sends(making, link, step, sends);
    const size_t limit = (size_t)rounds * capacity + 1;
    const size_t n_count = n > capacity ? sat_count(making->sat, sends, n, limit, count) : 0;
    for (size_t k = extra ? capacity : (size_t)rounds * capacity; k < n_count; k++) {
        const size_t needed = k / capacity + 1; /* rounds, for more than k */
        if (needed > rounds)
            sat_either(making->sat, -count[k], 0, 0);
        else
            sat_either(making->sat, -count[k], extra[needed - 2], 0);
    }
    free(count);
    free(sends);
}

/* Requires links to be filled if the rounds are given. */
static void exact_formula_fill_links(const struct making *making, uint32_t total, const uint32_t *rounds)
{
    const struct exact *exact = making->exact;
    int32_t *sends = mem_alloc((size_t)exact->n_chunks * exact->n_arcs + 1, sizeof *sends);
    for (uint32_t link = 0; link < exact->n_links; link++) {
        const uint64_t idle = idle_on(exact, link, total);
        for (uint32_t step = 0; step < exact->n_steps; step++) {
            const uint64_t room = (uint64_t)exact->capacity[link] * rounds[step];
            if (room > idle)
                need_sends(making->sat, sends, list_sends(making, link, step, sends), room - idle);
        }
    }
    free(sends);
}

static void limit_all(const struct making *making, uint32_t total, const uint32_t *rounds)
{
    const struct exact *exact = making->exact;
    const uint32_t n_steps = exact->n_steps, most = rounds ? 0 : total - n_steps;
    int32_t *extra = mem_alloc((size_t)most * n_steps + 1, sizeof *extra);
    int32_t *count = mem_alloc((size_t)most + 2, sizeof *count);
    for (uint32_t i = 0; i < most * n_steps; i++) {
        extra[i] = sat_variable(making->sat);
        if (i % most)
            sat_either(making->sat, -extra[i], extra[i - 1], 0);
    }
    for (uint32_t step = 0; step < n_steps; step++)
        for (uint32_t link = 0; link < exact->n_links; link++)
            limit_link(making, link, step, rounds ? rounds[step] : 1, most ? extra + step * most : NULL,
                       most);
    const size_t n = sat_count(making->sat, extra, (size_t)most * n_steps, (size_t)most + 1, count);
    if (n > most && most)
        sat_either(making->sat, -count[most], 0, 0);
    free(count);
    free(extra);
}

bool exact_formula(const struct exact *exact, uint32_t total, const uint32_t *rounds, struct sat *sat,
                   int32_t *variable)
{
    struct making making = {exact, sat, variable, NULL};
    making.has = mem_alloc((size_t)exact->n_nodes * (exact->n_steps + 1), sizeof *making.has);
    memset(variable, 0, (size_t)exact->n_chunks * exact->n_arcs * exact->n_steps * sizeof *variable);
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++) {
        set_has(&making, chunk);
        for (uint32_t node = 0; node < exact->n_nodes; node++)
            if (node != exact->source[chunk])
                exact_formula_add_node(&making, chunk, node);
    }
    free(making.has);
    if (total >= exact->n_steps)
        limit_all(&making, total, rounds);
    if (total >= exact->n_steps && rounds)
        exact_formula_fill_links(&making, total, rounds);
    return total >= exact->n_steps && sat->n_variables <= SAT_MOST_VARIABLES;
}
