/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by relays on given routes: closed forms; on small random networks the whole linear program, a flow
 * from each server on each route; and certificates, true and changed. What a certificate proves is counted a
 * third time here, by all distances at once (Floyd and Warshall).
 */
#include "bound/overlay/overlay.h"
#include "bound/overlay/spread.h"
#include "lp/lp.h"
#include "network/formats/formats.h"
#include "network/graph.h"
#include "reports/certificate.h"
#include "tests/unit/bound_scenes.h"
#include "tests/unit/naive_proof.h"
#include "tests/unit/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lp_solver solver = {.seconds = 3600};
static const struct overlay_known nothing = {{0, 0}, {0, 0}, false};

/* ---- the whole program ---- */

/* Adds to a row what a flow puts on the link by each route between servers. */
static void add_routes_over(const struct bound_scene *scene, struct lp *lp, uint32_t link)
{
    const struct topology *topology = scene->topology;
    const uint32_t n = scene->placement->n_servers, *machine = scene->placement->server_machine;
    struct hop *hops = mem_alloc(topology->max_hops + 1, sizeof *hops);
    for (uint32_t pair = 0; pair < n * n; pair++) {
        const uint32_t n_hops = topology_route(topology, machine[pair / n], machine[pair % n], hops);
        for (uint32_t i = 0; i < n_hops; i++)
            for (uint32_t source = 0; hops[i].link == link && source < n; source++)
                lp_add(lp, 1 + source * n * n + pair, 1);
    }
    free(hops);
}

static bool has_route(const struct bound_scene *scene, uint32_t from, uint32_t to)
{
    const uint32_t *machine = scene->placement->server_machine;
    struct hop *hops = mem_alloc(scene->topology->max_hops + 1, sizeof *hops);
    const bool has_any = topology_route(scene->topology, machine[from], machine[to], hops) > 0;
    free(hops);
    return has_any;
}

/* Returns what the busiest link needs in the best flow whose parts go from server to server by routes; 0:
 * there are no demands. */
static double whole_program(const struct bound_scene *scene, bool is_time)
{
    const struct topology *topology = scene->topology;
    const uint32_t n = scene->placement->n_servers, *machine = scene->placement->server_machine;
    struct lp lp = lp_new(1 + n * n * n);
    double demands = 0;
    lp.objective[0] = 1;
    for (uint32_t source = 0; source < n; source++)
        for (uint32_t at = 0; at < n; at++) {
            const double demand = bound_scene_demand(scene, machine[source], machine[at]);
            demands += demand;
            for (uint32_t other = 0; at != source && other < n; other++) {
                if (other != at && has_route(scene, other, at))
                    lp_add(&lp, 1 + source * n * n + other * n + at, 1);
                if (other != at && has_route(scene, at, other))
                    lp_add(&lp, 1 + source * n * n + at * n + other, -1);
            }
            if (at == source)
                continue;
            lp_add(&lp, 0, -demand);
            lp_end_row(&lp, '=', 0);
        }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        add_routes_over(scene, &lp, link);
        lp_end_row(&lp, '<', is_time ? (double)topology_link_bandwidth(topology, link) * 1e-9 : 1);
    }
    double *solution = mem_alloc(lp.n_variables, sizeof *solution);
    double load = 0;
    if (demands > 0) {
        CU_ASSERT_EQUAL_FATAL(lp_solve(&lp, &solver, solution), LP_SOLVED);
        load = 1 / solution[0] * (is_time ? 1e-9 : 1);
    }
    free(solution);
    lp_free(&lp);
    return load;
}

/* The bound is true, and as good as it says. */
static void expect_bound(const struct overlay_proof *proof, double best, uint64_t number)
{
    const double found = fraction_real(proof->quotient);
    const bool is_good = found <= best * (1 + 1e-7) && found >= best * 0.995 &&
                         proof->reached >= best * (1 - 1e-7);
    CU_ASSERT(is_good);
    if (!is_good)
        printf("network %llu: %.12g of %.12g, reached %.12g\n", (unsigned long long)number, found,
               best, proof->reached);
}

static void test_against_whole_program(void)
{
    const uint64_t n = by_form(40, 100, 200);
    uint32_t n_known = 0, n_uneven = 0, n_exact = 0;
    for (uint64_t number = 0; number < n; number++) {
        uint64_t seed = number;
        struct bound_scene scene = bound_scene_random(&seed);
        const double load = scene.placement->n_servers < 2 ? 0 : whole_program(&scene, false);
        struct overlay overlay = overlay_of(&scene.request, &nothing, OVERLAY_WORK);
        CU_ASSERT_EQUAL(overlay.n_proofs > 0, load > 0);
        if (overlay.n_proofs) {
            const struct overlay_proof *last = &overlay.proof[overlay.n_proofs - 1];
            expect_bound(&overlay.proof[0], load, number);
            n_exact += fabs(fraction_real(overlay.proof[0].quotient) - load) < 1e-7 * load;
            if (last->measure == FLOW_TIME)
                expect_bound(last, whole_program(&scene, true), number);
            n_known++;
            n_uneven += last->measure == FLOW_TIME;
        }
        overlay_free(&overlay);
        bound_scene_free(&scene);
    }
    printf("%u of %u to the last digit ... ", n_exact, n_known);
    CU_ASSERT(n_known > n / 2 && n_uneven > n / 20 && n_exact > n_known / 2);
}

/* ---- closed forms ---- */

/* Machines of a torus, by a box of them. */
static struct bound_scene box_scene(uint32_t x, uint32_t y, uint32_t z)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("torus:8x8x8", &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    uint32_t machine[512], n = 0;
    for (uint32_t i = 0; i < 512; i++)
        if (i % 8 < x && i / 8 % 8 < y && i / 64 < z)
            machine[n++] = i;
    struct placement *placement = placement_of_machines(machine, n, "box");
    diagnostics_free(&diagnostics);
    return (struct bound_scene){topology, placement, NULL,
                                {COLLECTIVE_alltoall, 0, topology, placement, NULL, false}};
}

static void expect_box(uint32_t x, uint32_t y, uint32_t z, uint64_t load)
{
    struct bound_scene scene = box_scene(x, y, z);
    struct overlay overlay = overlay_of(&scene.request, &nothing, OVERLAY_WORK);
    const struct fraction found = overlay.proof[0].quotient;
    const bool is_equal = overlay.n_proofs == 1 && found.bottom == 1 && found.top == load;
    CU_ASSERT(is_equal && overlay_is_best(&overlay));
    if (!is_equal)
        printf("%u x %u x %u: %.9g\n", x, y, z, found.bottom ? fraction_real(found) : 0);
    overlay_free(&overlay);
    bound_scene_free(&scene);
}

/* A plane is a torus of its own, and what is at most half as wide is a mesh: routes within it stay in it. */
static void test_closed_forms(void)
{
    expect_box(8, 8, 1, 64);
    expect_box(4, 4, 4, 64);
    expect_box(4, 4, 1, 16);
    expect_box(4, 1, 1, 4);
    expect_box(8, 4, 1, 32);
}

/* If relays are of no use, or cannot be better than any ways, nothing is looked for. */
static void test_left_out(void)
{
    const struct overlay_known known = {fraction_of(64, 1), {0, 0}, true};
    struct bound_scene scene = bound_scene_plain("torus:8x8");
    struct overlay overlay = overlay_of(&scene.request, &known, OVERLAY_WORK);
    CU_ASSERT(overlay.n_proofs == 0 && overlay.network.n_links == 256);
    overlay_free(&overlay);
    overlay = overlay_of(&scene.request, &nothing, 1000);
    CU_ASSERT(overlay.n_proofs == 0);
    overlay_free(&overlay);
    bound_scene_free(&scene);
    scene = bound_scene_plain("star:8");
    const struct overlay_known of_star = {fraction_of(7, 1), {0, 0}, false};
    overlay = overlay_of(&scene.request, &of_star, OVERLAY_WORK);
    CU_ASSERT(overlay.n_proofs == 0 && !overlay_is_best(&overlay));
    overlay_free(&overlay);
    bound_scene_free(&scene);
}

/* A network of which the busiest links of the load and of the time are others. */
static struct bound_scene uneven_scene(void)
{
    enum { N = 6 };
    static const struct {
        uint32_t a, b, n_cables, mbytes; /* machines, then routers; per second */
    } cables[] = {{7, 6, 2, 1000},  {8, 6, 1, 1000}, {9, 6, 2, 12500}, {9, 7, 3, 12500}, {0, 8, 2, 12500},
                  {0, 8, 1, 1000},  {1, 8, 1, 500},  {1, 7, 1, 2000},  {2, 7, 1, 2000},  {2, 1, 1, 3000},
                  {3, 8, 2, 2000},  {4, 8, 1, 2000}, {5, 6, 3, 500}};
    struct graph *graph = graph_new();
    for (uint32_t i = 0; i < N + 4; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        graph_add_node(graph, i >= N, name, 1);
    }
    for (size_t i = 0; i < sizeof cables / sizeof *cables; i++)
        for (uint32_t n = cables[i].n_cables; n-- > 0;)
            graph_add_cable(graph, cables[i].a, cables[i].b, cables[i].mbytes * UINT64_C(1000000), 0);
    graph_seal(graph);
    struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "uneven"}, graph);
    struct placement *placement = placement_of_machines((const uint32_t[]){0, 1, 2, 3, 4, 5}, N, "all");
    return (struct bound_scene){topology, placement, NULL,
                                {COLLECTIVE_alltoall, 0, topology, placement, NULL, false}};
}

/* If only the time is above that by flows, the load is proved as well as by these. */
static void test_beside_flows(void)
{
    struct bound_scene scene = uneven_scene();
    struct flow flow = flow_of(&scene.request, &solver);
    const struct overlay_known known = overlay_known_by(&flow);
    struct overlay overlay = overlay_of(&scene.request, &known, OVERLAY_WORK);
    CU_ASSERT_FATAL(overlay.n_proofs == 2 && flow.n_proofs == 2);
    CU_ASSERT(!fraction_is_above(overlay.proof[0].quotient, known.load));
    CU_ASSERT(!fraction_is_above(known.load, overlay.proof[0].quotient));
    CU_ASSERT(fraction_is_above(overlay.proof[1].quotient, known.time));
    overlay_free(&overlay);
    flow_free(&flow);
    bound_scene_free(&scene);
}

/* ---- flows ---- */

/* Adds to loads what a way puts on links; returns where it ends. */
static uint32_t follow(const struct overlay_network *network, const struct overlay_flow *flow,
                       const struct overlay_way *way, uint32_t at, double *load)
{
    for (uint32_t i = 0; i < way->n_stops; i++) {
        const uint32_t to = flow->stops[way->stop + i];
        const size_t pair = (size_t)at * network->n_servers + to;
        CU_ASSERT(network->is_routed[pair]);
        for (size_t hop = network->first[pair]; hop < network->first[pair + 1]; hop++)
            load[network->route[hop]] += way->flow;
        at = to;
    }
    return at;
}

/* All demands are met, each way is of routes, and loads are those of the ways. */
static void check_flow(const struct overlay_network *network)
{
    const struct overlay_effort effort = {.work = OVERLAY_WORK};
    struct overlay_flow flow = overlay_spread(network, FLOW_LOAD, &effort);
    double *load = mem_alloc(network->n_links, sizeof *load);
    const uint32_t n = network->n_servers;
    for (size_t pair = 0; pair < (size_t)n * n; pair++) {
        double sum = 0;
        for (uint32_t number = flow.way[pair]; number != OVERLAY_NONE; number = flow.ways[number].next) {
            const struct overlay_way *way = &flow.ways[number];
            CU_ASSERT(way->flow > -1e-9);
            CU_ASSERT_EQUAL(follow(network, &flow, way, (uint32_t)(pair / n), load), pair % n);
            sum += way->flow;
        }
        CU_ASSERT(fabs(sum - (double)network->demand[pair]) < 1e-6 * (1 + sum));
    }
    for (uint32_t link = 0; link < network->n_links; link++) {
        CU_ASSERT(fabs(load[link] - flow.load[link]) < 1e-6 * (1 + load[link]));
        CU_ASSERT(load[link] < flow.most + 1e-6 * (1 + flow.most));
    }
    free(load);
    overlay_flow_free(&flow);
}

static void test_flow(void)
{
    uint64_t seed = 5;
    uint32_t n_checked = 0;
    for (int i = 0; i < 20; i++) {
        struct bound_scene scene = bound_scene_random(&seed);
        struct overlay_network network;
        if (overlay_network_of(&scene.request, &network)) {
            check_flow(&network);
            n_checked++;
        }
        overlay_network_free(&network);
        bound_scene_free(&scene);
    }
    CU_ASSERT(n_checked > 10);
}

/* ---- certificates ---- */

static void test_certificates(void)
{
    const uint64_t n = by_form(40, 100, 200);
    uint32_t n_written = 0;
    for (uint64_t number = 0; number < n; number++) {
        uint64_t seed = number;
        struct bound_scene scene = bound_scene_random(&seed);
        struct overlay overlay = overlay_of(&scene.request, &nothing, OVERLAY_WORK);
        const struct check_subject subject = {bound_scene_name(&scene), &scene.request};
        struct text text = {0};
        if (overlay.n_proofs) {
            overlay_certificate(&overlay, &scene.request, bound_scene_name(&scene), &text);
            CU_ASSERT(certificate_passes(&text, NULL) && certificate_passes(&text, &subject));
            CU_ASSERT(naive_proves_all(&text));
            n_written++;
        }
        text_free(&text);
        overlay_free(&overlay);
        bound_scene_free(&scene);
    }
    CU_ASSERT(n_written > n / 2);
}

/* A mutant passes beside its fabric with other lengths alone; without it what passes is true. */
static void test_tampered(void)
{
    enum { WANTED = 1000 };
    static const uint64_t seeds[] = {0, 3, 8, 15, 21, 34};
    uint32_t n_refused = 0, n_passed = 0;
    uint64_t seed = 14;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        uint64_t own = seeds[i];
        struct bound_scene scene = bound_scene_random(&own);
        struct overlay overlay = overlay_of(&scene.request, &nothing, OVERLAY_WORK);
        const struct check_subject subject = {bound_scene_name(&scene), &scene.request};
        struct text text = {0};
        if (overlay.n_proofs)
            overlay_certificate(&overlay, &scene.request, bound_scene_name(&scene), &text);
        for (uint32_t n = 0; text.length && n < WANTED / 4;) {
            struct text mutant = certificate_mutant(&text, &seed);
            if (!is_same_certificate(&text, &mutant)) {
                const bool is_accepted = certificate_passes(&mutant, &subject);
                const bool is_true = certificate_passes(&mutant, NULL);
                CU_ASSERT(is_true || !is_accepted);
                CU_ASSERT(!is_true || naive_proves_all(&mutant));
                n += !is_accepted;
                n_refused += !is_accepted;
                n_passed += is_accepted;
            }
            text_free(&mutant);
        }
        text_free(&text);
        overlay_free(&overlay);
        bound_scene_free(&scene);
    }
    printf("%u refused; %u other proofs of the same ... ", n_refused, n_passed);
    CU_ASSERT(n_refused >= WANTED);
}

UNIT_PROGRAM(test_bound_overlay)
{
    CU_TestInfo tests[] = {
        {"closed forms", test_closed_forms},
        {"against the whole program", test_against_whole_program},
        {"left out", test_left_out},
        {"beside bounds by flows", test_beside_flows},
        {"flows", test_flow},
        {"certificates", test_certificates},
        {"certificates that were changed", test_tampered},
        CU_TEST_INFO_NULL,
    };
    return run_suite("overlay", tests);
}
