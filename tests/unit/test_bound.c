/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds: closed forms of the literature, and on small networks every cut there is, with
 * the blocks taken one by one from the meaning of the collective.
 */
#include "bound/bisection.h"
#include "bound/routes.h"
#include "network/formats/formats.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct topology *read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

/* One rank on every machine, or `ranks` of them here and there. */
static struct placement *place(const struct topology *topology, uint32_t ranks, uint32_t seed)
{
    const uint32_t n = ranks ? ranks : topology->n_machines;
    uint32_t *machine = mem_alloc(n, sizeof *machine);
    for (uint32_t rank = 0; rank < n; rank++) {
        seed = seed * 1664525u + 1013904223u;
        machine[rank] = ranks ? (seed >> 8) % topology->n_machines : rank;
    }
    struct placement *placement = placement_of_machines(machine, n, "test");
    free(machine);
    return placement;
}

typedef bool bound_function(const struct bound_request *request, struct bound *bound);

static double load_of(bound_function *function, const struct bound_request *request)
{
    struct bound bound = {.kind = NULL};
    const bool is_known = function(request, &bound);
    CU_ASSERT(is_known == (bound.load.bottom > 0) && is_known == (bound.reason.length > 0));
    CU_ASSERT_PTR_NOT_NULL(bound.kind);
    text_free(&bound.reason);
    return is_known ? fraction_real(bound.load) : 0;
}

static double alltoall_load(bound_function *function, const char *spec)
{
    struct topology *topology = read(spec);
    struct placement *placement = place(topology, 0, 0);
    const struct bound_request request = {COLLECTIVE_alltoall, 0, topology, placement, NULL, false};
    const double load = load_of(function, &request);
    placement_free(placement);
    topology_free(topology);
    return load;
}

/* Takaue et al. 2010, table 1, for odd extents; N^3/4 and N^3/8 for even ones; routes send
 * all of distance N/2 one way. */
static void test_closed_forms(void)
{
    char spec[64];
    for (uint32_t n = 1; n <= 18; n++) {
        const uint64_t cube = n % 2 ? n * (n + 1) * (n - 1) : n * n * n;
        const uint64_t straight = n % 2 ? cube / 8 : n * (n / 2) * (n / 2 + 1) / 2;
        snprintf(spec, sizeof spec, "mesh:%ux%u", n, n);
        CU_ASSERT_EQUAL(alltoall_load(bound_bisection, spec), cube / 4);
        CU_ASSERT_EQUAL(alltoall_load(bound_routes, spec), cube / 4);
        snprintf(spec, sizeof spec, "torus:%ux%u", n, n);
        CU_ASSERT_EQUAL(alltoall_load(bound_bisection, spec), cube / 8);
        CU_ASSERT_EQUAL(alltoall_load(bound_routes, spec), straight);
    }
    CU_ASSERT_EQUAL(alltoall_load(bound_bisection, "torus:6x10"), 75);
    CU_ASSERT_EQUAL(alltoall_load(bound_bisection, "torus:4x4x4"), 32);
    CU_ASSERT_EQUAL(alltoall_load(bound_bisection, "mesh:4x4x4"), 64);
    CU_ASSERT_EQUAL(alltoall_load(bound_bisection, "star:4"), 0);
    CU_ASSERT_EQUAL(alltoall_load(bound_machine, "star:24"), 23);
    /* 8 machines below a router with 4 links: 8 * 56 / 4 */
    CU_ASSERT_EQUAL(alltoall_load(bound_tree, "fattree:8x8,up=1x4"), 112);
    CU_ASSERT_EQUAL(alltoall_load(bound_tree, "torus:4x4"), 0);
}

/* --- every cut ---------------------------------------------------------- */

struct brute {
    const struct bound_request *request;
    uint32_t inside; /* set of nodes */
};

static bool is_inside(const struct brute *brute, uint32_t rank)
{
    return brute->inside >> brute->request->placement->machine[rank] & 1;
}

/* 1 if a block that `source` holds and `destination` needs must leave the set. */
static uint64_t leaves(const struct brute *brute, uint32_t source, uint32_t destination)
{
    return is_inside(brute, source) && !is_inside(brute, destination);
}

/* Something for the rank leaves the set. */
static bool is_needed(const struct brute *brute, uint32_t destination)
{
    for (uint32_t r = 0; r < brute->request->placement->n_ranks; r++)
        if (leaves(brute, r, destination))
            return true;
    return false;
}

/* Returns the size of a block: 1, or bytes. */
static uint64_t size(const struct brute *brute, uint64_t datum)
{
    struct counts *counts = brute->request->counts;
    return counts ? counts->bytes(counts, datum) : 1;
}

static uint64_t blocks_of(const struct brute *brute)
{
    const uint32_t p = brute->request->placement->n_ranks, root = brute->request->root;
    uint64_t blocks = 0;
    for (uint32_t r = 0; r < p; r++) {
        uint64_t own = 0;
        bool is_alltoall = brute->request->collective == COLLECTIVE_alltoall;
        for (uint32_t other = 0; other < p; other++)
            own += leaves(brute, r, other) * (is_alltoall ? size(brute, (uint64_t)r * p + other) : 1);
        if (is_alltoall)
            blocks += own;
        else if (brute->request->collective == COLLECTIVE_allgather)
            blocks += (own > 0) * size(brute, r);
        else if (brute->request->collective == COLLECTIVE_gather)
            blocks += leaves(brute, r, root) * size(brute, r);
        else if (brute->request->collective == COLLECTIVE_scatter)
            blocks += leaves(brute, root, r) * size(brute, r);
        else if (brute->request->collective == COLLECTIVE_reduce_scatter_block)
            blocks += is_needed(brute, r) * size(brute, r);
        else if (brute->request->collective == COLLECTIVE_bcast)
            blocks |= leaves(brute, root, r);
        else if (brute->request->collective == COLLECTIVE_reduce)
            blocks |= leaves(brute, r, root);
        else
            blocks |= own > 0;
    }
    return blocks;
}

static uint64_t links_out(const struct brute *brute)
{
    const struct topology *topology = brute->request->topology;
    uint64_t n = 0;
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        n += (brute->inside >> from & 1) && !(brute->inside >> to & 1);
    }
    return n;
}

static double best_cut(const struct bound_request *request)
{
    double best = 0;
    struct brute brute = {request, 0};
    for (brute.inside = 1; brute.inside + 1 < 1u << request->topology->n_nodes; brute.inside++) {
        const double n = (double)links_out(&brute), blocks = (double)blocks_of(&brute);
        if (n > 0 && blocks / n > best)
            best = blocks / n;
    }
    return best;
}

static double best_of_ours(const struct bound_request *request)
{
    static bound_function *const all[] = {bound_bisection, bound_tree, bound_machine};
    double best = 0;
    for (size_t i = 0; i < 3; i++) {
        const double load = load_of(all[i], request);
        best = load > best ? load : best;
    }
    return best;
}

static void test_every_cut(void)
{
    static const struct {
        const char *spec;
        bool is_tight; /* one rank a machine: no other cut is better */
    } networks[] = {{"torus:7", true},       {"torus:6", true},          {"mesh:5", true},
                    {"mesh:2x4", true},      {"mesh:3x3", true},         {"torus:3x3", true},
                    {"torus:2x4", true},     {"star:6", true},           {"fattree:2x3,up=1x1", true},
                    {"fattree:3x2,up=1x2", false}, {"full:5", true},     {"torus:2x2x2", true},
                    {"mesh:1x2x3", true},    {"fattree:2x2x2,up=1x1x1", false}};
    static const enum collective collectives[] = {COLLECTIVE_alltoall, COLLECTIVE_allgather,
                                                  COLLECTIVE_gather, COLLECTIVE_scatter,
                                                  COLLECTIVE_bcast, COLLECTIVE_reduce,
                                                  COLLECTIVE_allreduce,
                                                  COLLECTIVE_reduce_scatter_block};
    enum { N = sizeof collectives / sizeof *collectives };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topology *topology = read(networks[i].spec);
        for (uint32_t k = 0; k < 4 * N; k += is_least() ? 3 : 1) {
            struct placement *placement = place(topology, k / N * 4, k);
            const struct bound_request request = {collectives[k % N], placement->n_ranks / 2,
                                                  topology, placement, NULL, false};
            const double best = best_cut(&request), ours = best_of_ours(&request);
            if (ours > best || (k == 0 && networks[i].is_tight && ours != best))
                printf("\n  %s, case %u: %g, every cut %g", networks[i].spec, k, ours, best);
            CU_ASSERT(ours <= best);
            CU_ASSERT(k > 0 || !networks[i].is_tight || ours == best);
            placement_free(placement);
        }
        topology_free(topology);
    }
}

/* Draws the counts of p ranks, or of pairs of them. */
static struct counts *random_counts(enum collective collective, uint32_t p, uint32_t seed)
{
    struct counts_runs *counts = counts_new();
    for (uint64_t i = 0; i < counts_needed(collective, p); i++) {
        seed = seed * 1664525u + 1013904223u;
        counts_add(counts, seed >> 16 & 1 ? seed >> 20 : 0, 1);
    }
    return &counts->counts;
}

/* No bound is above what crosses some cut. */
static void test_unequal_counts(void)
{
    static const char *const networks[] = {"torus:7", "torus:6", "mesh:5", "mesh:2x4", "mesh:3x3",
                                           "torus:2x4", "star:6", "fattree:2x3,up=1x1", "full:5"};
    static const enum collective collectives[] = {COLLECTIVE_alltoall, COLLECTIVE_allgather,
                                                  COLLECTIVE_gather, COLLECTIVE_scatter,
                                                  COLLECTIVE_reduce_scatter_block};
    enum { N = sizeof collectives / sizeof *collectives };
    uint32_t n_found = 0;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topology *topology = read(networks[i]);
        for (uint32_t k = 0; k < 8 * N; k++) {
            struct placement *placement = place(topology, k / N % 4 * 4, k);
            const struct bound_request request = {
                collectives[k % N], placement->n_ranks / 2, topology, placement,
                random_counts(collectives[k % N], placement->n_ranks, k), false};
            const double ours = best_of_ours(&request);
            CU_ASSERT(ours <= best_cut(&request));
            n_found += ours > 0;
            request.counts->destroy(request.counts);
            placement_free(placement);
        }
        topology_free(topology);
    }
    printf("%u bounds ", n_found);
    CU_ASSERT(n_found > 200);
}

static uint64_t blocks_of_bisection(const struct bound_request *request)
{
    struct bound bound = {.kind = NULL};
    (void)bound_bisection(request, &bound);
    text_free(&bound.reason);
    return bound.blocks;
}

/* Slabs are found by pairs as they are by numbers of ranks. */
static void test_equal_pairs(void)
{
    static const char *const networks[] = {"torus:7",   "torus:6", "torus:2x5", "torus:1x3x4",
                                           "mesh:5",    "mesh:1x2", "mesh:3x4",  "torus:2",
                                           "torus:9x2", "mesh:8",  "torus:8x3"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topology *topology = read(networks[i]);
        for (uint32_t k = 0; k < 20; k++) {
            struct placement *placement = place(topology, k, k);
            struct counts_runs *counts = counts_new();
            counts_add(counts, 3, (uint64_t)placement->n_ranks * placement->n_ranks);
            struct bound_request request = {COLLECTIVE_alltoall, 0, topology, placement, NULL, false};
            const uint64_t blocks = blocks_of_bisection(&request);
            request.counts = &counts->counts;
            CU_ASSERT_EQUAL(blocks_of_bisection(&request), 3 * blocks);
            counts->counts.destroy(&counts->counts);
            placement_free(placement);
        }
        topology_free(topology);
    }
}

/* Whatever one rank alone has for another is in the way of both. */
static void test_one_pair(void)
{
    static const char *const networks[] = {"torus:7", "torus:6", "torus:2", "torus:3", "mesh:5", "mesh:2"};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct topology *topology = read(networks[i]);
        struct placement *placement = place(topology, 0, 0);
        const uint32_t p = placement->n_ranks;
        for (uint32_t pair = 1; pair < p * p; pair++) {
            struct counts_runs *counts = counts_new();
            counts_add(counts, 0, pair);
            counts_add(counts, 7, 1);
            if (pair + 1 < p * p)
                counts_add(counts, 0, p * p - pair - 1);
            const struct bound_request request = {COLLECTIVE_alltoall, 0, topology, placement,
                                                  &counts->counts, false};
            CU_ASSERT_EQUAL(blocks_of_bisection(&request), pair % (p + 1) ? 7 : 0);
            counts->counts.destroy(&counts->counts);
        }
        placement_free(placement);
        topology_free(topology);
    }
}

/* Equal counts are blocks of that many bytes; one count alone is all that crosses. */
static void test_counts_by_hand(void)
{
    struct topology *topology = read("mesh:4");
    struct placement *placement = place(topology, 0, 0);
    static const uint64_t bytes[] = {5, 0, 7, 100};
    struct counts_runs *counts = counts_new(), *equal = counts_new();
    for (size_t i = 0; i < 4; i++)
        counts_add(counts, bytes[i], 1);
    counts_add(equal, 3, 16);
    struct bound_request request = {COLLECTIVE_allgather, 0, topology, placement, &counts->counts, false};
    CU_ASSERT_EQUAL(load_of(bound_bisection, &request), 107); /* into coordinates 0 and 1 */
    request.collective = COLLECTIVE_gather;
    CU_ASSERT_EQUAL(load_of(bound_bisection, &request), 107);
    request.collective = COLLECTIVE_scatter;
    request.root = 3;
    CU_ASSERT_EQUAL(load_of(bound_bisection, &request), 12);
    request.collective = COLLECTIVE_reduce_scatter_block;
    CU_ASSERT_EQUAL(load_of(bound_bisection, &request), 107);
    request.collective = COLLECTIVE_alltoall;
    request.counts = &equal->counts;
    CU_ASSERT_EQUAL(load_of(bound_bisection, &request), 12);
    CU_ASSERT_EQUAL(load_of(bound_machine, &request), 9);   /* of 0 and of 3, by one link */
    CU_ASSERT_EQUAL(load_of(bound_routes, &request), 12);
    counts->counts.destroy(&counts->counts);
    equal->counts.destroy(&equal->counts);
    placement_free(placement);
    topology_free(topology);
}

static void test_nothing_claimed(void)
{
    struct topology *topology = read("torus:4x4");
    struct placement *all = place(topology, 0, 0), *one = place(topology, 1, 0);
    const struct bound_request scan = {COLLECTIVE_scan, 0, topology, all, NULL, false};
    const struct bound_request alone = {COLLECTIVE_alltoall, 0, topology, one, NULL, false};
    CU_ASSERT_EQUAL(best_of_ours(&scan), 0);
    CU_ASSERT_EQUAL(load_of(bound_routes, &scan), 0);
    CU_ASSERT_EQUAL(best_of_ours(&alone), 0);
    CU_ASSERT_EQUAL(load_of(bound_routes, &alone), 0);
    placement_free(all);
    placement_free(one);
    topology_free(topology);
}

static void test_time(void)
{
    const struct bound bound = {.blocks = 1024, .bandwidth = 16};
    CU_ASSERT_EQUAL(bound_time(&bound, 3), UINT64_C(192000000000));
    CU_ASSERT_EQUAL(bound_time(&(struct bound){.blocks = 1, .bandwidth = 3}, 1), 333333334);
    CU_ASSERT_EQUAL(bound_time(&(struct bound){.blocks = 1}, 1), 0);
    CU_ASSERT_EQUAL(bound_time(&bound, UINT64_MAX), UINT64_MAX);
    CU_ASSERT_EQUAL(bound_time(&bound, UINT64_MAX / 4096), UINT64_MAX);
}

UNIT_PROGRAM(test_bound)
{
    CU_TestInfo tests[] = {
        {"closed forms", test_closed_forms},
        {"every cut of small networks", test_every_cut},
        {"unequal counts", test_unequal_counts},
        {"equal counts of pairs", test_equal_pairs},
        {"one pair", test_one_pair},
        {"unequal counts by hand", test_counts_by_hand},
        {"nothing is claimed", test_nothing_claimed},
        {"times", test_time},
        CU_TEST_INFO_NULL,
    };
    return run_suite("bound", tests);
}
