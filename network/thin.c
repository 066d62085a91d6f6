/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks for cables that are missing among parallel ones, without a plan or an older dump. See thin.h.
 */
#include "network/thin.h"

#include "base/codes.h"
#include "network/guess.h"

enum { FEWEST_ALIKE = 3, MOST_SAID = 5 };

/* Returns the number of cables that a switch has to more than half of its neighbours of a level; 0: there is
 * no such number, or they are few. */
static uint32_t usual_cables(const struct wiring *wiring, uint32_t node, uint8_t level)
{
    uint32_t candidate = 0, n = 0, n_same = 0;
    int balance = 0; /* Boyer and Moore: what more than half have is left over */
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++) {
        const struct wiring_edge *edge = &wiring->edges[i];
        if (wiring->level[edge->node] != level)
            continue;
        candidate = balance ? candidate : edge->n_cables;
        balance += edge->n_cables == candidate ? 1 : -1;
        n++;
    }
    for (uint32_t i = wiring->first[node]; i < wiring->first[node + 1]; i++)
        n_same += wiring->level[wiring->edges[i].node] == level && wiring->edges[i].n_cables == candidate;
    return n > FEWEST_ALIKE && 2 * n_same > n ? candidate : 0;
}

/* Returns the cables that two switches should have between them, as far as both sides say so; 0: they do
 * not. */
static uint32_t cables_meant(const struct wiring *wiring, uint32_t a, uint32_t b)
{
    const uint32_t from_a = usual_cables(wiring, a, wiring->level[b]);
    return from_a == usual_cables(wiring, b, wiring->level[a]) ? from_a : 0;
}

static bool is_switch_of_level(const struct wiring *wiring, uint32_t node)
{
    return node >= wiring->n_machines && wiring->level[node] != WIRING_NO_LEVEL;
}

static void say_thin(const struct wiring *wiring, uint32_t a, const struct wiring_edge *edge, uint32_t meant,
                     struct diagnostics *diagnostics)
{
    char name[256], other[256];
    topology_node_name(wiring->topology, a, name, sizeof name);
    topology_node_name(wiring->topology, edge->node, other, sizeof other);
    report(diagnostics, CODE_T029, (struct position){.source = NULL},
           "'%s' and '%s' are joined by %u cable%s, each to most others of that level by %u", name,
           other, edge->n_cables, edge->n_cables == 1 ? "" : "s", meant)
        ->help = "look for a cable that is missing or down; --against OLD or a plan names ports";
}

void topology_warn_of_thin(const struct topology *topology, struct diagnostics *diagnostics)
{
    if (!guess_is_possible(topology))
        return;
    struct wiring wiring = wiring_of(topology);
    uint32_t n = 0, n_thin = 0;
    for (int says = 0; says <= 1 && (!says || n_thin * GUESS_TOLERANCE <= n); says++) {
        uint32_t n_said = 0;
        for (uint32_t a = wiring.n_machines; a < wiring.n; a++)
            for (uint32_t i = wiring.first[a]; i < wiring.first[a + 1] && n_said < MOST_SAID; i++) {
                const struct wiring_edge *edge = &wiring.edges[i];
                if (edge->node < a || !is_switch_of_level(&wiring, a) ||
                    !is_switch_of_level(&wiring, edge->node))
                    continue;
                const uint32_t meant = cables_meant(&wiring, a, edge->node);
                const bool is_thin = edge->n_cables < meant;
                n += !says;
                n_thin += !says && is_thin;
                if (says && is_thin) {
                    say_thin(&wiring, a, edge, meant, diagnostics);
                    n_said++;
                }
            }
    }
    wiring_free(&wiring);
}
