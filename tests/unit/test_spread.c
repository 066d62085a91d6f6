/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads where routes are adaptive, against all choices of ways of a few messages one after the other, against
 * the whole linear program, and against closed forms.
 */
#include "lp/lp.h"
#include "network/formats/formats.h"
#include "network/spread.h"
#include "tests/unit/adaptive_nets.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOWS = 5, MAX_WAYS = 64, MAX_HOPS = 24, CHOICES = 20000 };

/* The ways of a flow, written out. */
struct paths {
    uint32_t n, length;
    uint32_t links[MAX_WAYS][MAX_HOPS];
};

/* Adds all ways from a node on, link by link; false if there are too many. */
static bool add_paths(const struct topology *topology, uint32_t node, uint32_t to, uint32_t depth,
                      uint32_t *links, struct paths *paths)
{
    struct hop choices[64];
    if (node == to) {
        paths->length = depth;
        if (paths->n == MAX_WAYS)
            return false;
        memcpy(paths->links[paths->n++], links, depth * sizeof *links);
        return true;
    }
    const uint32_t n = topology_next_choices(topology, node, to, choices);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ends[2];
        topology_link_ends(topology, choices[i].link, &ends[0], &ends[1]);
        links[depth] = choices[i].link;
        if (depth + 1 == MAX_HOPS || !add_paths(topology, ends[1], to, depth + 1, links, paths))
            return false;
    }
    return n > 0;
}

struct by_hand {
    double least, most; /* of the busiest link, over all choices */
    bool has_free, has_contended;
};

/* Looks at one choice: flow f takes way chosen[f]. */
static void look_at(const struct spread_flow *flows, const struct paths *paths, const uint32_t *chosen,
                    uint32_t n, uint32_t n_links, struct by_hand *found)
{
    double *load = mem_alloc(n_links, sizeof *load), most = 0;
    uint32_t *source = mem_alloc(n_links, sizeof *source);
    bool is_contended = false;
    for (uint32_t f = 0; f < n; f++)
        for (uint32_t i = 0; i < paths[f].length; i++) {
            const uint32_t link = paths[f].links[chosen[f]][i];
            load[link] += flows[f].amount;
            most = load[link] > most ? load[link] : most;
            is_contended = is_contended || (source[link] && source[link] != flows[f].source + 1);
            source[link] = flows[f].source + 1;
        }
    found->least = most < found->least ? most : found->least;
    found->most = most > found->most ? most : found->most;
    found->has_free = found->has_free || !is_contended;
    found->has_contended = found->has_contended || is_contended;
    free(load);
    free(source);
}

static struct by_hand try_all(const struct spread_flow *flows, const struct paths *paths, uint32_t n,
                              uint32_t n_links)
{
    struct by_hand found = {.least = 1e9};
    uint32_t chosen[FLOWS] = {0}, at = 0;
    while (at < n) {
        look_at(flows, paths, chosen, n, n_links, &found);
        for (at = 0; at < n && ++chosen[at] == paths[at].n; at++)
            chosen[at] = 0;
    }
    return found;
}

static uint64_t spread_draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Draws flows, each pair once, with small whole amounts; how many. */
static uint32_t draw_flows(const struct topology *topology, uint32_t most, struct spread_flow *flows,
                           uint64_t *state)
{
    uint32_t n = 0;
    for (uint32_t tries = 0; tries < 20 * most && n < most; tries++) {
        const uint32_t near = (uint32_t)(spread_draw(state) % 3); /* some meet at a host */
        struct spread_flow flow = {(uint32_t)(spread_draw(state) % topology->n_machines),
                                   near ? (uint32_t)(spread_draw(state) % topology->n_machines) : 0,
                                   (double)(1 + spread_draw(state) % 3), 0};
        bool is_new = flow.source != flow.destination;
        for (uint32_t i = 0; i < n; i++)
            is_new = is_new && (flows[i].source != flow.source || flows[i].destination != flow.destination);
        if (is_new)
            flows[n++] = flow;
    }
    return n;
}

/* Keeps the flows with a route, and few ways. */
static uint32_t keep_routed(const struct topology *topology, struct spread_flow *flows, uint32_t n,
                            struct paths *paths)
{
    uint32_t n_kept = 0, n_choices = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t links[MAX_HOPS];
        paths[n_kept].n = 0;
        if (!add_paths(topology, flows[i].source, flows[i].destination, 0, links, &paths[n_kept]) ||
            paths[n_kept].n * n_choices > CHOICES)
            continue;
        n_choices *= paths[n_kept].n;
        flows[n_kept++] = flows[i];
    }
    return n_kept;
}

static void test_all_choices(void)
{
    static struct paths paths[FLOWS];
    struct topology *topology;
    struct spread_flow flows[FLOWS];
    uint64_t state = 7;
    uint32_t n_cases = 0, n_certain = 0, n_possible = 0, n_open = 0, n_wrong = 0;
    for (uint32_t i = 0; (topology = adaptive_net(i, 1)); i++) {
        struct spread *spread = spread_new(topology, false);
        for (uint32_t k = 0; k < by_form(6, 30, 200); k++) {
            const uint32_t n_drawn = draw_flows(topology, 2 + k % (FLOWS - 1), flows, &state);
            const uint32_t n = keep_routed(topology, flows, n_drawn, paths);
            if (!n)
                continue;
            const struct by_hand found = try_all(flows, paths, n, topology->n_link_ids);
            const struct spread_loads loads = spread_measure(spread, flows, n);
            n_wrong += fabs(loads.most - found.most) > 1e-9;
            n_wrong += ceil(loads.least - 1e-6) > found.least + 1e-9 || loads.least > loads.balanced;
            n_wrong += (loads.contention == CONTENTION_NONE) != !found.has_contended;
            n_wrong += loads.contention == CONTENTION_CERTAIN && found.has_free;
            n_open += loads.contention == CONTENTION_POSSIBLE && !found.has_free;
            n_certain += loads.contention == CONTENTION_CERTAIN;
            n_possible += loads.contention == CONTENTION_POSSIBLE;
            n_cases++;
        }
        spread_free(spread);
        topology_free(topology);
    }
    printf(
        "\n    %u sets of messages; contention certain in %u, possible in %u, in %u of which it is certain",
        n_cases, n_certain, n_possible, n_open);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_certain > n_cases / 10 && n_possible > n_cases / 10 && n_open <= n_possible / 20 + 1);
}

/* Solves the whole program: amounts of each flow on each of its arcs, conserved at nodes, and the load of the
 * busiest link, variable 0, of which as little as possible is wanted. fastest: bandwidth of the fastest link,
 * where loads are by time; 0: all links count alike. Negative without a solver. */
static double solve(const struct topology *topology, const struct spread_flow *flows, uint32_t n,
                    uint64_t fastest)
{
    struct ways ways = ways_new(topology);
    uint32_t n_arcs = 0;
    for (uint32_t f = 0; f < n; f++)
        n_arcs += ways_find(&ways, flows[f].source, flows[f].destination, 0);
    struct lp lp = lp_new(1 + n_arcs);
    double *solution = mem_alloc(1 + n_arcs, sizeof *solution);
    uint32_t *link_of = mem_alloc(1 + n_arcs, sizeof *link_of), first = 1;
    lp.objective[0] = -1;
    for (uint32_t f = 0; f < n; f++) {
        const uint32_t n_ways = ways_find(&ways, flows[f].source, flows[f].destination, 0);
        for (uint32_t node = 0; node + 1 < ways.n_nodes; node++) {
            for (uint32_t i = 0; i < n_ways; i++) {
                if (ways.items[i].from == node)
                    lp_add(&lp, first + i, 1);
                if (ways.items[i].to == node)
                    lp_add(&lp, first + i, -1);
            }
            lp_end_row(&lp, '=', node ? 0 : flows[f].amount);
        }
        for (uint32_t i = 0; i < n_ways; i++)
            link_of[first + i] = ways.items[i].link;
        first += n_ways;
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        bool is_used = false;
        for (uint32_t i = 1; i <= n_arcs; i++)
            if (link_of[i] == link) {
                lp_add(&lp, i, 1);
                is_used = true;
            }
        if (!is_used)
            continue;
        lp_add(&lp, 0, fastest ? -(double)topology_link_bandwidth(topology, link) / (double)fastest : -1);
        lp_end_row(&lp, '<', 0);
    }
    const enum lp_end end = lp_solve(&lp, &(struct lp_solver){.seconds = 20}, solution);
    const double busiest = end == LP_SOLVED ? solution[0] : -1;
    CU_ASSERT(end == LP_SOLVED || end == LP_NO_SOLVER);
    free(solution);
    free(link_of);
    lp_free(&lp);
    ways_free(&ways);
    return busiest;
}

/* Gaps of the enclosures. */
struct gaps {
    double widest;
    uint32_t n_cases, n_exact;
};

/* Compares on a topology, which is freed; by_time: the bandwidth of links counts. */
static void compare_programs(struct topology *topology, bool by_time, uint64_t *state, struct gaps *gaps)
{
    enum { MANY = 40 };
    struct spread_flow flows[MANY];
    struct spread *spread = spread_new(topology, by_time);
    for (uint32_t k = 0; k < by_form(1, 4, 20); k++) {
        const uint32_t most = 4 + (uint32_t)(spread_draw(state) % (MANY - 4));
        const uint32_t n = draw_flows(topology, most, flows, state);
        uint32_t kept = 0;
        struct hop choice[64];
        for (uint32_t f = 0; f < n; f++)
            if (topology_next_choices(topology, flows[f].source, flows[f].destination, choice))
                flows[kept++] = flows[f];
        if (!kept)
            continue;
        const double optimum = solve(topology, flows, kept, spread_bandwidth(spread));
        const struct spread_loads loads = spread_measure(spread, flows, kept);
        if (optimum < 0)
            continue;
        CU_ASSERT(loads.least <= optimum * (1 + 1e-6) && optimum <= loads.balanced * (1 + 1e-6));
        const double gap = loads.balanced / loads.least - 1;
        gaps->widest = gap > gaps->widest ? gap : gaps->widest;
        gaps->n_exact += gap <= 0;
        gaps->n_cases++;
    }
    spread_free(spread);
    topology_free(topology);
}

static void test_linear_program(void)
{
    static const char *const unlike[] = {"fattree:8x4,up=1x4,bw=1GB/s:2GB/s", "torus:5x4,bw=1GB/s:3GB/s",
                                         "fattree:4x3x2,up=1x2x2,bw=4GB/s:1GB/s:3GB/s"};
    struct diagnostics diagnostics = {0};
    struct topology *topology;
    struct gaps gaps = {0, 0, 0};
    uint64_t state = 11;
    for (uint32_t i = 0; (topology = adaptive_net(i, 1)); i++)
        compare_programs(topology, false, &state, &gaps);
    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++) {
        topology = topology_read(unlike[i], &diagnostics);
        CU_ASSERT_PTR_NULL_FATAL(topology_set_adaptive(topology));
        compare_programs(topology, true, &state, &gaps);
    }
    diagnostics_free(&diagnostics);
    printf("\n    %u programs, %u solved exactly, the widest gap %.2f %%", gaps.n_cases, gaps.n_exact,
           100 * gaps.widest);
    CU_ASSERT(gaps.n_cases == 0 || (gaps.n_exact > gaps.n_cases / 2 && gaps.widest < 0.06));
}

/* Measures a shift of all machines of a topology by an offset. */
static struct spread_loads of_shift(const char *string, uint32_t offset)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(string, &diagnostics);
    CU_ASSERT_PTR_NULL_FATAL(topology_set_adaptive(topology));
    const uint32_t n = topology->n_machines;
    struct spread_flow *flows = mem_alloc(n, sizeof *flows);
    struct spread *spread = spread_new(topology, false);
    for (uint32_t i = 0; i < n; i++)
        flows[i] = (struct spread_flow){i, (i + offset) % n, 1, 0};
    const struct spread_loads loads = spread_measure(spread, flows, n);
    spread_free(spread);
    free(flows);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return loads;
}

static void test_closed_forms(void)
{
    /* leaves of 8 machines: each sends 8 messages over 4 spines; one link may get all 8 */
    struct spread_loads loads = of_shift("fattree:8x4,up=1x4", 8);
    CU_ASSERT(fabs(loads.balanced - 2) < 1e-9 && loads.least >= loads.balanced);
    CU_ASSERT(fabs(loads.most - 8) < 1e-9);
    CU_ASSERT_EQUAL(loads.contention, CONTENTION_CERTAIN);
    /* full bisection: no more than 1 is needed */
    loads = of_shift("fattree:8x8", 8);
    CU_ASSERT(fabs(loads.balanced - 1) < 1e-9 && loads.least >= loads.balanced);
    CU_ASSERT_EQUAL(loads.contention, CONTENTION_POSSIBLE);
    /* a ring of 8, each 4 further on: 4 links each, half of them either way round */
    loads = of_shift("torus:8", 4);
    CU_ASSERT(fabs(loads.balanced - 2) < 1e-9 && loads.least >= loads.balanced &&
              fabs(loads.most - 4) < 1e-9);
    loads = of_shift("torus:9", 4);
    CU_ASSERT(fabs(loads.balanced - 4) < 1e-9 && fabs(loads.most - 4) < 1e-9);
    loads = of_shift("star:8", 3);
    CU_ASSERT_EQUAL(loads.contention, CONTENTION_NONE);
    CU_ASSERT(fabs(loads.most - 1) < 1e-9);
}

UNIT_PROGRAM(test_spread)
{
    CU_TestInfo tests[] = {
        {"all choices of a few messages", test_all_choices},
        {"the whole linear program", test_linear_program},
        {"shifts", test_closed_forms},
        CU_TEST_INFO_NULL,
    };
    return run_suite("spread", tests);
}
