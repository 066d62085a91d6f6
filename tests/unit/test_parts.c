/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Subsets of machines and failed links, against a search over the links that are
 * left and against the base.
 */
#include "network/formats/formats.h"
#include "network/restrict.h"
#include "network/graph.h"
#include "tests/unit/suite.h"
#include "network/grid.h"
#include "network/parts.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct topology *must_read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

static const char *const shapes[] = {
    "star:9", "full:7", "torus:8", "mesh:5x4", "torus:5x4", "torus:4x3mx2", "mesh:6",
    "fattree:4x4", "fattree:3x4,up=1x2", "fattree:2x3x2,up=2x2x3",
    "fattree:3x2,up=1x2,cables=2x1", "fattree:2x2x2,up=1x2x1,cables=1x2x3",
    "examples/clusters/ft2_4s8l64h.txt", "examples/clusters/dualrail8.txt",
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* ---- what both have to keep ---- */

static void check_path(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    uint32_t at = source, from, to;
    for (uint32_t i = 0; i < n; i++) {
        CU_ASSERT(topology_has_link(topology, hops[i].link));
        topology_link_ends(topology, hops[i].link, &from, &to);
        CU_ASSERT_EQUAL(from, at);
        at = to;
    }
    CU_ASSERT_EQUAL(at, destination);
}

static void check_links(const struct topology *topology)
{
    uint32_t n_links = 0, from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        topology_link_ends(topology, link, &from, &to);
        CU_ASSERT(from < topology->n_nodes && to < topology->n_nodes);
        if (!topology_has_link(topology, link))
            continue;
        n_links++;
        CU_ASSERT(from != to);
    }
    CU_ASSERT_EQUAL(n_links, topology->n_links);
}

/* ---- subsets ---- */

static uint32_t choose(const struct topology *base, uint64_t *state, uint32_t *machines)
{
    uint32_t n = 0, percent = 10 + (uint32_t)(next_random(state) % 91);
    for (uint32_t machine = 0; machine < base->n_machines; machine++)
        if (next_random(state) % 100 < percent)
            machines[n++] = machine;
    return n;
}

static void check_names(const struct topology *subset, const struct topology *base,
                        const uint32_t *machines)
{
    char here[64], there[64];
    for (uint32_t machine = 0; machine < subset->n_machines; machine++) {
        topology_node_name(subset, machine, here, sizeof here);
        topology_node_name(base, machines[machine], there, sizeof there);
        CU_ASSERT_STRING_EQUAL(here, there);
        CU_ASSERT_EQUAL(topology_find_machine(subset, here, strlen(here)), machine);
    }
    for (uint32_t machine = 0, i = 0; machine < base->n_machines; machine++) {
        bool is_in = i < subset->n_machines && machines[i] == machine;
        i += is_in;
        topology_node_name(base, machine, there, sizeof there);
        if (!is_in)
            CU_ASSERT_EQUAL(topology_find_machine(subset, there, strlen(there)),
                            subset->n_machines);
    }
}

/* Same links in the same order, which are links of the subset and join its nodes. */
static void check_subset_routes(const struct topology *subset, const struct topology *base,
                                const uint32_t *machines)
{
    struct hop *here = mem_alloc(base->max_hops, sizeof *here);
    struct hop *there = mem_alloc(base->max_hops, sizeof *there);
    for (uint32_t a = 0; a < subset->n_machines; a++)
        for (uint32_t b = 0; b < subset->n_machines; b++) {
            uint32_t n = topology_route(subset, a, b, here);
            CU_ASSERT_EQUAL(n, topology_route(base, machines[a], machines[b], there));
            CU_ASSERT(memcmp(here, there, n * sizeof *here) == 0);
            check_path(subset, here, n, a, b);
        }
    free(here);
    free(there);
}

/* A node of the subset and of the base are the same if they have the same name; every
 * link of the base is one of the subset unless a machine at its end is left out. */
static void check_nodes(const struct topology *subset, const struct topology *base)
{
    uint32_t ends[2], base_ends[2];
    for (uint32_t link = 0; link < base->n_link_ids; link++) {
        char here[64], there[64];
        if (!topology_has_link(subset, link))
            continue;
        CU_ASSERT(topology_has_link(base, link));
        topology_link_ends(subset, link, &ends[0], &ends[1]);
        topology_link_ends(base, link, &base_ends[0], &base_ends[1]);
        for (int end = 0; end < 2; end++) {
            topology_node_name(subset, ends[end], here, sizeof here);
            topology_node_name(base, base_ends[end], there, sizeof there);
            CU_ASSERT_STRING_EQUAL(here, there);
        }
    }
}

static void test_subsets(void)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        for (uint32_t round = 0; round < 6; round++) {
            struct topology *base = must_read(shapes[i]), *same = must_read(shapes[i]);
            uint32_t *machines = mem_alloc(base->n_machines, sizeof *machines);
            uint32_t n = choose(base, &state, machines);
            if (!n)
                machines[n++] = 0;
            struct topology *subset = topology_new_subset(base, machines, n);
            CU_ASSERT_EQUAL(subset->n_machines, n);
            CU_ASSERT_EQUAL(subset->n_nodes, subset->n_machines + subset->n_routers);
            check_links(subset);
            check_names(subset, same, machines);
            check_nodes(subset, same);
            check_subset_routes(subset, same, machines);
            topology_free(subset);
            topology_free(same);
            free(machines);
        }
}

static void test_subset_of_all(void)
{
    struct topology *base = must_read("torus:100x100x100");
    uint32_t *machines = mem_alloc(base->n_machines, sizeof *machines), n = base->n_machines - 2;
    for (uint32_t i = 0; i < n; i++)
        machines[i] = i < 500 ? i : i + 2;
    struct topology *subset = topology_new_subset(base, machines, n);
    struct hop hops[150];
    char name[32];
    CU_ASSERT_EQUAL(subset->n_routers, 2);
    CU_ASSERT_EQUAL(topology_route(subset, 499, 500, hops), 4);
    topology_node_name(subset, n + 1, name, sizeof name);
    CU_ASSERT_STRING_EQUAL(name, "(1,5,0)");
    topology_free(subset);
    free(machines);
}

/* ---- failed links ---- */

/* The links between the ends of `link`, in both directions. */
static uint32_t both_ways(const struct topology *topology, uint32_t link, uint32_t *links)
{
    uint32_t a, b, from, to, n = 0;
    topology_link_ends(topology, link, &a, &b);
    for (uint32_t other = 0; other < topology->n_link_ids; other++) {
        topology_link_ends(topology, other, &from, &to);
        if (topology_has_link(topology, other) &&
            ((from == a && to == b) || (from == b && to == a)))
            links[n++] = other;
    }
    return n;
}

static struct topology *with_faults(const char *shape, uint32_t n_cables, uint64_t *state)
{
    struct topology *base = must_read(shape);
    /* a cable can be drawn again */
    uint32_t *links = mem_alloc((size_t)n_cables * base->n_link_ids, sizeof *links), n = 0;
    for (uint32_t i = 0; i < n_cables;) {
        uint32_t link = (uint32_t)(next_random(state) % base->n_link_ids);
        if (!topology_has_link(base, link))
            continue;
        n += both_ways(base, link, links + n);
        i++;
    }
    struct topology *faulty = topology_new_faulty(base, links, n);
    for (uint32_t i = 0; i < n; i++)
        CU_ASSERT(!topology_has_link(faulty, links[i]));
    free(links);
    return faulty;
}

/* Distances by relaxing all links until nothing changes. */
static void search(const struct topology *topology, uint32_t start, uint32_t *distance)
{
    memset(distance, 0xff, topology->n_nodes * sizeof *distance);
    distance[start] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            bool forwards =
                from == start || topology->machines_forward || from >= topology->n_machines;
            if (forwards && distance[from] != UINT32_MAX && distance[from] + 1 < distance[to]) {
                distance[to] = distance[from] + 1;
                changed = true;
            }
        }
    }
}

/* Returns the number of pairs that a search finds and that have no route. */
static uint32_t check_faulty_routes(const struct topology *topology)
{
    uint32_t *distance = mem_alloc(topology->n_nodes, sizeof *distance), n_lost = 0;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t a = 0; a < topology->n_machines; a++) {
        search(topology, a, distance);
        for (uint32_t b = 0; b < topology->n_machines; b++) {
            uint32_t n = topology_route(topology, a, b, hops);
            CU_ASSERT_FATAL(n <= topology->max_hops);
            n_lost += a != b && !n && distance[b] != UINT32_MAX;
            if (n) {
                check_path(topology, hops, n, a, b);
                CU_ASSERT(n >= distance[b]);
            }
            if (n && topology_as_graph(topology->base))
                CU_ASSERT_EQUAL(n, distance[b]);
        }
    }
    free(hops);
    free(distance);
    return n_lost;
}

/* One cable down: a grid and a graph lose nothing that is still connected. In a tree
 * a pair may be connected over a third leaf, by a way that goes up again: not taken. */
static void test_one_cable(void)
{
    uint64_t state = 2;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        for (uint32_t round = 0; round < 12; round++) {
            struct topology *faulty = with_faults(shapes[i], 1, &state);
            check_links(faulty);
            uint32_t n_lost = check_faulty_routes(faulty);
            bool is_exact = topology_as_grid(faulty->base) || topology_as_graph(faulty->base);
            if (is_exact)
                CU_ASSERT_EQUAL(n_lost, 0);
            topology_free(faulty);
        }
}

static void test_many_cables(void)
{
    uint64_t state = 3;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        for (uint32_t n_cables = 0; n_cables < 6; n_cables++) {
            struct topology *faulty = with_faults(shapes[i], n_cables, &state);
            check_links(faulty);
            uint32_t n_lost = check_faulty_routes(faulty);
            if (!n_cables || topology_as_graph(faulty->base))
                CU_ASSERT_EQUAL(n_lost, 0);
            topology_free(faulty);
        }
}

/* A spine's cable to one leaf: that leaf is reached by the next spine. */
static void test_next_root(void)
{
    struct topology *base = must_read("fattree:4x4");
    struct hop before[4], after[4];
    CU_ASSERT_EQUAL(topology_route(base, 0, 5, before), 4);
    uint32_t links[2], from, to;
    CU_ASSERT_EQUAL(both_ways(base, before[1].link, links), 2);
    struct topology *faulty = topology_new_faulty(base, links, 2);
    CU_ASSERT_EQUAL(topology_route(faulty, 0, 5, after), 4);
    topology_link_ends(faulty, after[1].link, &from, &to);
    CU_ASSERT_EQUAL(from, 16);          /* the leaf of machine 0 */
    CU_ASSERT_EQUAL(to, 16 + 4 + 2);    /* spine 2: by D-mod-k it was 5 mod 4 = 1 */
    topology_free(faulty);
}

/* On lanes 2 and 3 behind the waypoint. */
static void test_detour_lanes(void)
{
    struct topology *base = must_read("mesh:4x4");
    uint32_t links[2];
    CU_ASSERT_EQUAL(both_ways(base, 0, links), 2); /* (0,0) to (1,0) */
    struct topology *faulty = topology_new_faulty(base, links, 2);
    struct hop hops[12];
    uint32_t n = topology_route(faulty, 0, 3, hops);
    CU_ASSERT_EQUAL(n, 5); /* up to (0,1), along, down again */
    CU_ASSERT_EQUAL(hops[0].lane, 0);
    for (uint32_t i = 1; i < n; i++)
        CU_ASSERT_EQUAL(hops[i].lane, 2);
    CU_ASSERT(topology_has_lanes(faulty));
    topology_free(faulty);
}

static void test_subset_of_faulty(void)
{
    uint64_t state = 4;
    struct topology *faulty = with_faults("torus:5x4", 2, &state);
    uint32_t machines[] = {1, 2, 3, 9, 17};
    struct topology *subset = topology_new_subset(faulty, machines, 5);
    struct hop *hops = mem_alloc(subset->max_hops, sizeof *hops);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < 5; b++)
            check_path(subset, hops, topology_route(subset, a, b, hops), a, b);
    CU_ASSERT_EQUAL(subset->n_nodes, 20);
    free(hops);
    topology_free(subset);
}

/* ---- as XML ---- */

static struct topology *through_xml(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct text xml = {0};
    const char *problem = NULL;
    CU_ASSERT_FATAL(xml_format.write(topology, &xml, &problem));
    const struct source *source =
        source_of_text("part.xml", xml.data, xml.length, &diagnostics.arena);
    struct topology *again = topology_read_source(&xml_format, source, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    text_free(&xml);
    diagnostics_free(&diagnostics);
    return again;
}

static void check_equal(const struct topology *a, const struct topology *b)
{
    struct hop *here = mem_alloc(a->max_hops, sizeof *here);
    struct hop *there = mem_alloc(a->max_hops, sizeof *there);
    CU_ASSERT_EQUAL_FATAL(a->max_hops, b->max_hops);
    CU_ASSERT_EQUAL(a->fingerprint, b->fingerprint);
    CU_ASSERT_EQUAL(a->n_links, b->n_links);
    CU_ASSERT_EQUAL_FATAL(a->n_machines, b->n_machines);
    for (uint32_t source = 0; source < a->n_machines; source++)
        for (uint32_t destination = 0; destination < a->n_machines; destination++) {
            uint32_t n = topology_route(a, source, destination, here);
            CU_ASSERT_EQUAL_FATAL(n, topology_route(b, source, destination, there));
            CU_ASSERT(memcmp(here, there, n * sizeof *here) == 0);
        }
    free(here);
    free(there);
}

static struct topology *random_subset(struct topology *base, uint64_t *state)
{
    uint32_t *machines = mem_alloc(base->n_machines, sizeof *machines);
    uint32_t n = choose(base, state, machines);
    if (n && n < base->n_machines)
        base = topology_new_subset(base, machines, n);
    free(machines);
    return base;
}

static void test_xml(void)
{
    uint64_t state = 5;
    for (uint32_t i = 0; i < N_SHAPES; i++)
        for (uint32_t round = 0; round < 8; round++) {
            struct topology *part = round % 2 ? with_faults(shapes[i], round, &state)
                                              : must_read(shapes[i]);
            if (round % 4 != 1)
                part = random_subset(part, &state);
            struct topology *again = through_xml(part);
            check_equal(part, again);
            topology_free(again);
            topology_free(part);
        }
}

/* One of two parallel cables, and one of the two of a ring of two. */
static void test_xml_numbers(void)
{
    static const char *const specs[] = {"torus:2x3", "examples/sumimoto2000/fig1.xml"};
    struct diagnostics diagnostics = {0};
    for (int i = 0; i < 2; i++) {
        struct failed_word words[] = {{FAILED_NUMBER, "0", NULL, {NULL, 0}},
                                      {FAILED_ANY, "3", NULL, {NULL, 0}}};
        struct topology *part = restrict_links(must_read(specs[i]), words, 2, &diagnostics);
        CU_ASSERT_PTR_NOT_NULL_FATAL(part);
        CU_ASSERT_EQUAL(part->base->n_links - part->n_links, 4);
        struct topology *again = through_xml(part);
        check_equal(part, again);
        topology_free(again);
        topology_free(part);
    }
    diagnostics_free(&diagnostics);
}

/* A link that has failed in one direction only has no element. */
static void test_xml_one_way(void)
{
    uint32_t link = 0;
    struct topology *faulty = topology_new_faulty(must_read("torus:4x4"), &link, 1);
    struct text xml = {0};
    const char *problem = NULL;
    CU_ASSERT(!xml_format.write(faulty, &xml, &problem));
    CU_ASSERT_PTR_NOT_NULL(problem);
    text_free(&xml);
    topology_free(faulty);
}

/* In whatever order links fail and machines are chosen. */
static void test_orders(void)
{
    uint32_t first[] = {1, 2, 3, 5, 9, 17}, second[] = {0, 2, 3, 5}, both[] = {1, 3, 5, 17};
    uint32_t early[] = {0, 11}, late[] = {24, 31}, links[] = {0, 11, 24, 31};
    struct topology *a = topology_new_subset(must_read("torus:5x4"), first, 6);
    a = topology_new_faulty(a, early, 2);
    a = topology_new_subset(a, second, 4);
    a = topology_new_faulty(a, late, 2);
    struct topology *b = topology_new_faulty(must_read("torus:5x4"), links, 4);
    b = topology_new_subset(b, both, 4);
    check_equal(a, b);
    CU_ASSERT(topology_is_subset(a));
    CU_ASSERT(topology_is_faulty(a->base));
    CU_ASSERT(topology_as_grid(a->base->base) != NULL);
    topology_free(a);
    topology_free(b);
}

UNIT_PROGRAM(test_parts)
{
    CU_TestInfo tests[] = {{"machines of a job", test_subsets},
                           {"all but two of a million machines", test_subset_of_all},
                           {"one cable down", test_one_cable},
                           {"several cables down", test_many_cables},
                           {"a tree takes the next root", test_next_root},
                           {"a grid takes other lanes", test_detour_lanes},
                           {"machines of a faulty network", test_subset_of_faulty},
                           {"written as XML and read", test_xml},
                           {"parallel cables by number in XML", test_xml_numbers},
                           {"one direction of a cable in XML", test_xml_one_way},
                           {"order of failures and machines", test_orders},
                           CU_TEST_INFO_NULL};
    return run_suite("parts", tests);
}
