/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places the nodes of a plan on those of a network, one after the other. See fabric_align.h.
 */
#include "study/fabric/fabric_align.h"
#include "base/heap.h"
#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIN_STARTS = 8,            /* ... as long as cables are wrong that need not be */
    MAX_STARTS = 256,          /* ... as long as more than one cable in 32 is */
    MAX_WORK = 300000000,      /* edges looked at after which no further start is tried */
    MAX_SECOND_LOOK = 1 << 20, /* edges looked at to choose among equally good nodes */
    MAX_EXCHANGED = 96         /* nodes with wrong cables of which pairs are exchanged */
};

/* A node to place next. */
struct waiting {
    uint32_t n_placed; /* cables to neighbours that are placed */
    uint32_t stamp, node;
};

struct alignment {
    const struct wiring *plan, *seen;
    bool is_outline;             /* one of the two does not tell cables between switches */
    uint32_t *to_seen, *to_plan; /* ALIGN_NONE: not placed */
    uint32_t *n_placed;          /* [node of the plan] cables to neighbours that are placed */
    struct heap waiting;
    uint32_t stamp, n_start;
    uint32_t *score;          /* [node seen] */
    uint32_t *found, n_found; /* nodes seen with a score */
    uint32_t *expected, *met; /* [node seen] cables at two hops, of the node of the plan and of a candidate */
    uint32_t *touched_expected, n_expected, *touched_met, n_met;
    uint64_t work;
};

static bool fabric_align_is_earlier(const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    return x->n_placed != y->n_placed ? x->n_placed > y->n_placed : x->stamp < y->stamp;
}

/* ---- placing ---- */

/* Puts a node of the plan on a node that was seen; its neighbours come next. */
static void fabric_align_place(struct alignment *alignment, uint32_t node, uint32_t seen)
{
    const struct wiring *plan = alignment->plan;
    alignment->to_seen[node] = seen;
    alignment->to_plan[seen] = node;
    for (uint32_t i = plan->first[node]; i < plan->first[node + 1]; i++) {
        const struct wiring_edge *edge = &plan->edges[i];
        if (plan->is_pendant[edge->node] || alignment->to_seen[edge->node] != ALIGN_NONE)
            continue;
        alignment->n_placed[edge->node] += edge->n_cables;
        const struct waiting next = {alignment->n_placed[edge->node], alignment->stamp++, edge->node};
        heap_push(&alignment->waiting, &next, sizeof next, fabric_align_is_earlier);
    }
    alignment->work += plan->first[node + 1] - plan->first[node];
}

static bool may_stand_for(const struct alignment *alignment, uint32_t node, uint32_t seen)
{
    return alignment->to_plan[seen] == ALIGN_NONE && !alignment->seen->is_pendant[seen] &&
           (node < alignment->plan->n_machines) == (seen < alignment->seen->n_machines);
}

/* Scores the nodes that have cables to where the neighbours of a node of the plan were placed. */
static void fabric_align_find_candidates(struct alignment *alignment, uint32_t node)
{
    const struct wiring *plan = alignment->plan, *seen = alignment->seen;
    alignment->n_found = 0;
    for (uint32_t i = plan->first[node]; i < plan->first[node + 1]; i++) {
        const uint32_t at = alignment->to_seen[plan->edges[i].node];
        if (at == ALIGN_NONE)
            continue;
        alignment->work += wiring_degree(seen, at);
        for (uint32_t k = seen->first[at]; k < seen->first[at + 1]; k++) {
            const struct wiring_edge *edge = &seen->edges[k];
            const uint32_t n =
                plan->edges[i].n_cables < edge->n_cables ? plan->edges[i].n_cables : edge->n_cables;
            if (!may_stand_for(alignment, node, edge->node))
                continue;
            if (!alignment->score[edge->node])
                alignment->found[alignment->n_found++] = edge->node;
            alignment->score[edge->node] += n;
        }
    }
}

/* Returns twice the score of a candidate, one less if its level is another. Such a node can only stand there
 * if most of the cables are right, and told: it has lost its hosts, or got one. */
static uint32_t fabric_align_weigh(const struct alignment *alignment, uint32_t node, uint32_t candidate)
{
    const uint32_t score = alignment->score[candidate];
    if (alignment->plan->level[node] == alignment->seen->level[candidate])
        return 2 * score;
    return !alignment->is_outline && 2 * score > alignment->n_placed[node] && score > 1 ? 2 * score - 1 : 0;
}

/* Keeps the candidates with the highest score, and forgets the scores. */
static void fabric_align_keep_best(struct alignment *alignment, uint32_t node)
{
    uint32_t best = 1, n = 0;
    for (uint32_t i = 0; i < alignment->n_found; i++) {
        const uint32_t weight = fabric_align_weigh(alignment, node, alignment->found[i]);
        best = weight > best ? weight : best;
    }
    for (uint32_t i = 0; i < alignment->n_found; i++) {
        const uint32_t candidate = alignment->found[i];
        if (fabric_align_weigh(alignment, node, candidate) == best)
            alignment->found[n++] = candidate;
        alignment->score[candidate] = 0;
    }
    alignment->n_found = n;
}

/* ---- among equals: who is two hops away ---- */

/* Counts the ways from a node over neighbours that are not placed to nodes that are, by where these stand;
 * returns the number of ways. `place` NULL: the node is one that was seen. */
static uint64_t count_ways(struct alignment *alignment, const struct wiring *wiring, uint32_t node,
                           const uint32_t *place, uint32_t *count, uint32_t *touched, uint32_t *n_touched)
{
    const uint32_t *is_placed = place ? place : alignment->to_plan;
    uint64_t n = 0;
    *n_touched = 0;
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++) {
        const uint32_t middle = wiring->edges[i].node;
        if (is_placed[middle] != ALIGN_NONE || wiring->is_pendant[middle])
            continue;
        alignment->work += wiring_degree(wiring, middle);
        for (uint32_t k = wiring->first[middle]; k < wiring->first[middle + 1]; k++) {
            const uint32_t far = wiring->edges[k].node;
            if (is_placed[far] == ALIGN_NONE)
                continue;
            const uint32_t at = place ? place[far] : far;
            if (!count[at]++)
                touched[(*n_touched)++] = at;
            n++;
        }
    }
    return n;
}

/* Returns the number of ways to nodes two hops away that one of the two has and the other has not, and
 * forgets those of the candidate. */
static uint64_t compare_ways(struct alignment *alignment, uint64_t n_expected, uint32_t candidate)
{
    const uint64_t n_met = count_ways(alignment, alignment->seen, candidate, NULL, alignment->met,
                                      alignment->touched_met, &alignment->n_met);
    uint64_t n_common = 0;
    for (uint32_t i = 0; i < alignment->n_met; i++) {
        const uint32_t at = alignment->touched_met[i];
        n_common +=
            alignment->met[at] < alignment->expected[at] ? alignment->met[at] : alignment->expected[at];
        alignment->met[at] = 0;
    }
    return n_expected + n_met - 2 * n_common;
}

/* Returns the difference in cables and hosts of two nodes. */
static uint64_t fabric_align_compare_sizes(const struct alignment *alignment, uint32_t node, uint32_t seen)
{
    const struct wiring *plan = alignment->plan, *other = alignment->seen;
    const int64_t pendants = (int64_t)plan->n_pendants[node] - other->n_pendants[seen];
    const int64_t degree = (int64_t)wiring_degree(plan, node) - wiring_degree(other, seen);
    return (uint64_t)(llabs(degree) + llabs(pendants));
}

/* Returns how far the order of equal candidates is turned: another way at each start, none at the first. */
static uint32_t turn_of(const struct alignment *alignment, uint32_t node)
{
    const uint64_t hash =
        (alignment->n_start * UINT64_C(0x9e3779b97f4a7c15)) ^ (node * UINT64_C(0xc2b2ae3d27d4eb4f));
    return alignment->n_start ? (uint32_t)((hash * UINT64_C(0xbf58476d1ce4e5b9)) >> 40) % alignment->n_found
                              : 0;
}

/* Returns the best of the candidates: by those two hops away, then by size, then in turn. */
static uint32_t choose_candidate(struct alignment *alignment, uint32_t node)
{
    const struct wiring *plan = alignment->plan;
    uint32_t degree = 0;
    if (alignment->n_found == 1)
        return alignment->found[0];
    for (uint32_t i = plan->first[node]; i < plan->first[node + 1]; i++)
        if (wiring_degree(plan, plan->edges[i].node) > degree)
            degree = wiring_degree(plan, plan->edges[i].node);
    const uint64_t cost = (uint64_t)wiring_degree(plan, node) * degree;
    const bool looks_again = cost * alignment->n_found <= MAX_SECOND_LOOK;
    const uint64_t n_expected =
        looks_again ? count_ways(alignment, plan, node, alignment->to_seen, alignment->expected,
                                 alignment->touched_expected, &alignment->n_expected)
                    : 0;
    uint64_t least = UINT64_MAX;
    uint32_t best = ALIGN_NONE;
    const uint32_t turn = turn_of(alignment, node);
    for (uint32_t k = 0; k < alignment->n_found && least; k++) {
        const uint32_t candidate = alignment->found[(k + turn) % alignment->n_found];
        uint64_t difference = fabric_align_compare_sizes(alignment, node, candidate);
        if (looks_again)
            difference += compare_ways(alignment, n_expected, candidate) << 16;
        if (difference < least) {
            least = difference;
            best = candidate;
        }
    }
    for (uint32_t i = 0; looks_again && i < alignment->n_expected; i++)
        alignment->expected[alignment->touched_expected[i]] = 0;
    return best;
}

static void place_waiting(struct alignment *alignment)
{
    while (alignment->waiting.n) {
        const struct waiting next = *(struct waiting *)alignment->waiting.items;
        heap_drop(&alignment->waiting, sizeof next, fabric_align_is_earlier);
        if (alignment->to_seen[next.node] != ALIGN_NONE || next.n_placed != alignment->n_placed[next.node])
            continue;
        fabric_align_find_candidates(alignment, next.node);
        fabric_align_keep_best(alignment, next.node);
        if (alignment->n_found)
            fabric_align_place(alignment, next.node, choose_candidate(alignment, next.node));
    }
}

/* ---- where to begin ---- */

/* Precision of a look: down to the neighbours, the number of neighbours, or only the level. */
enum precision { BY_NEIGHBOURS, BY_DEGREE, BY_LEVEL, N_PRECISIONS };

/* Returns a number that nodes have in common which look alike; 0: pendant. */
static uint64_t look_of(const struct wiring *wiring, uint32_t node, enum precision precision)
{
    uint64_t sum = precision == BY_DEGREE ? (uint64_t)wiring_degree(wiring, node) << 8 : 0;
    if (wiring->is_pendant[node])
        return 0;
    for (uint32_t i = wiring->first[node]; precision == BY_NEIGHBOURS && i < wiring->first[node + 1]; i++) {
        const uint32_t peer = wiring->edges[i].node;
        uint64_t look = (wiring->level[peer] * UINT64_C(0x9e3779b97f4a7c15)) ^
                        (wiring_degree(wiring, peer) * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                        wiring->edges[i].n_cables;
        look = (look ^ look >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
        sum += look ^ look >> 32;
    }
    sum ^= (uint64_t)(wiring->level[node] + 1U) << 56 ^ (uint64_t)(node < wiring->n_machines) << 48;
    return sum | 1;
}

/* A node by its look. */
struct look {
    uint64_t look;
    uint32_t node, n_alike;
};

static int compare_looks(const void *a, const void *b)
{
    const struct look *x = a, *y = b;
    return x->look != y->look ? (x->look < y->look ? -1 : 1) : compare_numbers(x->node, y->node);
}

/* Lists nodes that are not placed by their looks and returns their number. */
static uint32_t list_looks(const struct wiring *wiring, const uint32_t *place, enum precision precision,
                           struct look *looks)
{
    uint32_t n = 0;
    for (uint32_t node = 0; node < wiring->n; node++) {
        const uint64_t look = place[node] == ALIGN_NONE ? look_of(wiring, node, precision) : 0;
        if (look)
            looks[n++] = (struct look){look, node, 0};
    }
    qsort(looks, n, sizeof *looks, compare_looks);
    for (uint32_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && looks[i + run].look == looks[i].look;)
            run++;
        for (uint32_t k = 0; k < run; k++)
            looks[i + k].n_alike = run;
    }
    return n;
}

/* Places a first node of what is left: one of the look that most nodes of both networks have. False if no
 * node of one looks as one of the other. */
static bool begin_by(struct alignment *alignment, enum precision precision)
{
    const struct wiring *plan = alignment->plan, *seen = alignment->seen;
    struct look *planned = mem_alloc((size_t)plan->n + seen->n + 1, sizeof *planned);
    struct look *looks = planned + plan->n;
    const uint32_t n_planned = list_looks(plan, alignment->to_seen, precision, planned);
    const uint32_t n = list_looks(seen, alignment->to_plan, precision, looks);
    const struct look *best = NULL, *best_planned = NULL;
    for (uint32_t i = 0, j = 0; i < n_planned && j < n;) {
        if (planned[i].look == looks[j].look && (!best || looks[j].n_alike > best->n_alike)) {
            best = &looks[j];
            best_planned = &planned[i];
        }
        const bool is_behind = planned[i].look < looks[j].look;
        const bool is_ahead = planned[i].look > looks[j].look;
        i += is_behind ? 1 : is_ahead ? 0 : planned[i].n_alike;
        j += is_ahead ? 1 : is_behind ? 0 : looks[j].n_alike;
    }
    if (best)
        fabric_align_place(alignment, best_planned->node,
                           best[alignment->n_start * 7919U % best->n_alike].node);
    free(planned);
    return best != NULL;
}

static bool fabric_align_begin(struct alignment *alignment)
{
    for (int precision = BY_NEIGHBOURS; precision < N_PRECISIONS; precision++)
        if (begin_by(alignment, (enum precision)precision))
            return true;
    return false;
}

/* ---- how good it is ---- */

/* Returns the number of cables of a node of the plan that are missing or left over at its place, if pendants
 * do not count. */
static uint64_t wrong_cables(const struct alignment *alignment, uint32_t node)
{
    const struct wiring *plan = alignment->plan, *seen = alignment->seen;
    const uint32_t at = alignment->to_seen[node];
    uint64_t n_common = 0, n = 0;
    for (uint32_t i = plan->first[node]; i < plan->first[node + 1]; i++) {
        const struct wiring_edge *edge = &plan->edges[i];
        if (plan->is_pendant[edge->node])
            continue;
        n += edge->n_cables;
        const uint32_t peer = alignment->to_seen[edge->node];
        const uint32_t there = at == ALIGN_NONE || peer == ALIGN_NONE ? 0 : wiring_cables(seen, at, peer);
        n_common += edge->n_cables < there ? edge->n_cables : there;
    }
    for (uint32_t i = at == ALIGN_NONE ? 0 : seen->first[at]; at != ALIGN_NONE && i < seen->first[at + 1];
         i++)
        n += seen->is_pendant[seen->edges[i].node] ? 0 : seen->edges[i].n_cables;
    return n - 2 * n_common;
}

static uint64_t count_wrong(const struct alignment *alignment)
{
    const struct wiring *plan = alignment->plan, *seen = alignment->seen;
    uint64_t n_common = 0;
    for (uint32_t node = 0; node < plan->n; node++) {
        const uint32_t at = alignment->to_seen[node];
        if (at == ALIGN_NONE || plan->is_pendant[node])
            continue;
        for (uint32_t i = plan->first[node]; i < plan->first[node + 1]; i++) {
            const struct wiring_edge *edge = &plan->edges[i];
            if (edge->node < node || plan->is_pendant[edge->node] ||
                alignment->to_seen[edge->node] == ALIGN_NONE)
                continue;
            const uint32_t there = wiring_cables(seen, at, alignment->to_seen[edge->node]);
            n_common += edge->n_cables < there ? edge->n_cables : there;
        }
    }
    return plan->n_switch_cables + seen->n_switch_cables - 2 * n_common;
}

static void fabric_align_exchange(struct alignment *alignment, uint32_t a, uint32_t b)
{
    const uint32_t at_a = alignment->to_seen[a], at_b = alignment->to_seen[b];
    alignment->to_seen[a] = at_b;
    alignment->to_seen[b] = at_a;
    alignment->to_plan[at_a] = b;
    alignment->to_plan[at_b] = a;
}

/* Exchanges the places of two nodes that have wrong cables, as long as that makes less of them. */
static void exchange_places(struct alignment *alignment)
{
    uint32_t nodes[MAX_EXCHANGED], n = 0;
    for (uint32_t node = 0; node < alignment->plan->n && n < MAX_EXCHANGED; node++)
        if (!alignment->plan->is_pendant[node] && alignment->to_seen[node] != ALIGN_NONE &&
            wrong_cables(alignment, node))
            nodes[n++] = node;
    for (bool is_better = n < MAX_EXCHANGED; is_better;) {
        is_better = false;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < i; k++) {
                const uint32_t a = nodes[i], b = nodes[k];
                if (alignment->plan->level[a] != alignment->plan->level[b])
                    continue;
                const uint64_t before = wrong_cables(alignment, a) + wrong_cables(alignment, b);
                fabric_align_exchange(alignment, a, b);
                if (wrong_cables(alignment, a) + wrong_cables(alignment, b) < before)
                    is_better = true;
                else
                    fabric_align_exchange(alignment, a, b);
            }
    }
}

/* ---- all starts ---- */

static uint64_t align_from(struct alignment *alignment, uint32_t n_start)
{
    alignment->n_start = n_start;
    alignment->stamp = 0;
    memset(alignment->to_seen, 0xff, alignment->plan->n * sizeof *alignment->to_seen);
    memset(alignment->to_plan, 0xff, alignment->seen->n * sizeof *alignment->to_plan);
    memset(alignment->n_placed, 0, alignment->plan->n * sizeof *alignment->n_placed);
    while (fabric_align_begin(alignment))
        place_waiting(alignment);
    exchange_places(alignment);
    return count_wrong(alignment);
}

/* True if one more start may find fewer wrong cables, which are at least as many as the networks differ by.
 */
static bool needs_start(uint32_t start, uint64_t wrong, uint64_t difference, uint64_t n_cables, uint64_t work)
{
    if (!start || work >= MAX_WORK || wrong <= difference)
        return !start;
    return start < MIN_STARTS || (start < MAX_STARTS && 32 * wrong > n_cables);
}

uint64_t fabric_align(const struct wiring *plan, const struct wiring *seen, uint32_t *partner)
{
    const size_t n_plan = (size_t)plan->n + 1, n_seen = (size_t)seen->n + 1;
    uint32_t *scratch = mem_alloc(2 * n_plan + 7 * n_seen, sizeof *scratch);
    struct alignment alignment = {.plan = plan,
                                  .seen = seen,
                                  .is_outline = topology_whole(plan->topology)->is_outline ||
                                                topology_whole(seen->topology)->is_outline,
                                  .to_seen = scratch,
                                  .n_placed = scratch + n_plan,
                                  .to_plan = scratch + 2 * n_plan,
                                  .score = scratch + 2 * n_plan + n_seen,
                                  .found = scratch + 2 * n_plan + 2 * n_seen,
                                  .expected = scratch + 2 * n_plan + 3 * n_seen,
                                  .met = scratch + 2 * n_plan + 4 * n_seen,
                                  .touched_expected = scratch + 2 * n_plan + 5 * n_seen,
                                  .touched_met = scratch + 2 * n_plan + 6 * n_seen};
    const uint64_t difference = plan->n_switch_cables > seen->n_switch_cables
                                    ? plan->n_switch_cables - seen->n_switch_cables
                                    : seen->n_switch_cables - plan->n_switch_cables;
    uint64_t least = UINT64_MAX;
    for (uint32_t start = 0; needs_start(start, least, difference, plan->n_switch_cables, alignment.work);
         start++) {
        const uint64_t wrong = align_from(&alignment, start);
        if (wrong < least) {
            least = wrong;
            memcpy(partner, alignment.to_seen, plan->n * sizeof *partner);
        }
    }
    free(alignment.waiting.items);
    free(scratch);
    return least;
}
