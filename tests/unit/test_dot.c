/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks in DOT: which nodes are machines, which edges are cables, which routes the
 * comments state, and that one text leaves nothing behind for the next.
 */
#include "network/formats/formats.h"
#include "base/codes.h"
#include "network/forwarding.h"
#include "network/graph.h"
#include "tests/unit/suite.h"
#include "network/graph.h"

#include <string.h>

static struct topology *read_text(const char *text, struct diagnostics *diagnostics)
{
    return topology_read_source(&dot_format, source_of_text("test.dot", text, strlen(text), &diagnostics->arena),
                    diagnostics);
}

/* Machines, routers and links of a text; zeros if it is refused. */
struct shape {
    uint32_t machines, routers, links;
};

static struct shape shape_of(const char *text)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = read_text(text, &diagnostics);
    struct shape shape = {0};
    if (topology)
        shape = (struct shape){topology->n_machines, topology->n_routers, topology->n_links};
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return shape;
}

static bool has_shape(const char *text, uint32_t machines, uint32_t routers, uint32_t links)
{
    struct shape shape = shape_of(text);
    return shape.machines == machines && shape.routers == routers && shape.links == links;
}

static bool is_refused(const char *text, uint32_t code)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = read_text(text, &diagnostics);
    bool is_it = !topology && diagnostics.n_of_code[code];
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return is_it;
}

static void types(void)
{
    CU_ASSERT(has_shape("graph { a -- b; c -- b }", 2, 1, 4));
    CU_ASSERT(has_shape("graph { a -- b; a -- b; c -- b }", 2, 1, 6));
    CU_ASSERT(has_shape("graph { b [type=host]; a -- b; a -- c }", 2, 1, 4));
    CU_ASSERT(has_shape("graph { H1 -- S1; H2 -- S1; S1 -- S2; H3 -- S2; S3 -- S2 }", 3, 3, 10));
    CU_ASSERT(has_shape("graph { Hub -- a; Hub -- b }", 2, 1, 4));
    CU_ASSERT(has_shape("graph { a [type=machine] b [type=router] a -- b c [type=host] c -- b }",
                        2, 1, 4));
    CU_ASSERT(is_refused("graph { a [type=other]; a -- b }", CODE_T019));
}

static void cables(void)
{
    CU_ASSERT(has_shape("digraph { a -> s; s -> a; b -> s; s -> b }", 2, 1, 4));
    CU_ASSERT(has_shape("digraph { s -> a; s -> b; b -> s; a -> s }", 2, 1, 4));
    CU_ASSERT(has_shape("digraph { edge [dir=both]; a -> s; b -> s }", 2, 1, 4));
    CU_ASSERT(has_shape("graph { a -- s; b -- s; s -- s }", 2, 1, 4));
    CU_ASSERT(has_shape("strict graph { a -- s; a -- s; b -- s }", 2, 1, 4));
    CU_ASSERT(has_shape("graph { s -- { a b c } }", 3, 1, 6));
    CU_ASSERT(is_refused("digraph { a -> s; a -> s; s -> a; b -> s; s -> b }", CODE_T004));
}

/* The order of cables is that of their first channels, whichever way they go. */
static void order(void)
{
    struct diagnostics diagnostics = {0};
    uint32_t from, to;
    struct topology *topology = read_text("digraph { bandwidth=\"2GB/s\"; s -> b; a -> s "
                                          "[latency=\"3us\"]; b -> s; s -> a [latency=\"3us\"] }",
                                          &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    topology_link_ends(topology, 0, &from, &to);
    CU_ASSERT(from == 2 && to == 0); /* s -> b: b was named before a */
    topology_link_ends(topology, 2, &from, &to);
    CU_ASSERT(from == 1 && to == 2);
    CU_ASSERT(topology_link_latency(topology, 2) == 3000);
    CU_ASSERT(topology_link_latency(topology, 0) == 1000);
    CU_ASSERT(topology_link_bandwidth(topology, 3) == 2000000000);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

/* The long way round a triangle of switches, because the comments say so. */
static const char detour[] =
    "digraph { H0 -> S0 [comment=\"*\"]; S0 -> H0 [comment=H0]"
    "H1 -> S1 [comment=\"*\"]; S1 -> H1 [comment=\"H1\"]"
    "S0 -> S1 [key=7]; S1 -> S0 [comment=\"*\"]"
    "S0 -> S2 [comment=\" H1 ,\" key=7]; S2 -> S0;"
    "S2 -> S1 [comment=\"H1\"]; S1 -> S2 }";

static void routes(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = read_text(detour, &diagnostics);
    struct hop hops[8];
    CU_ASSERT_FATAL(topology != NULL && topology->max_hops <= 8);
    CU_ASSERT(topology_route(topology, 0, 1, hops) == 4);
    CU_ASSERT(topology_route(topology, 1, 0, hops) == 3);
    const struct subnet *subnet = topology_as_graph(topology)->subnet;
    CU_ASSERT(subnet->numbers[4] == 7);                             /* the first to claim it */
    CU_ASSERT(subnet->numbers[6] != 7 && subnet->numbers[6] != 0); /* gets another */
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void holes(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology =
        read_text("digraph { H0 -> S0 [comment=\"*\"]; S0 -> H0 [comment=H0]"
                  "H1 -> S0 [comment=\"*\"]; S0 -> H1 }",
                  &diagnostics);
    struct hop hops[8];
    CU_ASSERT_FATAL(topology != NULL);
    CU_ASSERT(diagnostics.n_of_code[CODE_T011] == 1);
    CU_ASSERT(topology_route(topology, 0, 1, hops) == 0);
    CU_ASSERT(topology_route(topology, 1, 0, hops) == 2);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void written(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology =
        read_text("graph { \"a \\\"b\\\"\" -- \"s\\\\n\"; \"c,d\" -- \"s\\\\n\" [bandwidth=\"1GB/s\"] }",
                  &diagnostics);
    struct text text = {0};
    const char *problem = NULL;
    CU_ASSERT_FATAL(topology != NULL);
    CU_ASSERT_FATAL(dot_format.write(topology, &text, &problem));
    struct topology *again = read_text(text.data, &diagnostics);
    CU_ASSERT_FATAL(again != NULL);
    CU_ASSERT(again->fingerprint == topology->fingerprint);
    topology_free(again);
    topology_free(topology);
    text_free(&text);
    diagnostics_free(&diagnostics);
}

/* The parser of cgraph has its state in globals. */
static void one_after_the_other(void)
{
    static const char *const bad[] = {
        "graph { a -- ] }",  "graph { a -- \"b }", "graph { a /* b }",  "graph { a -- <b }",
        "graph { a } junk {", "graph { a -- b",     "digraph { a -- b }", "graph { a } graph { b }",
        "\"\"#\"\"\"\n<<\"\"\"\"\"\"\"\"\"\"\"\"\"" /* cgraph ends in HTML, two deep */};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CU_ASSERT(is_refused(bad[i], CODE_T019));
        CU_ASSERT(has_shape("graph { a -- b; c -- b }", 2, 1, 4));
    }
}

UNIT_PROGRAM(test_dot)
{
    CU_TestInfo tests[] = {{"machines and routers", types},
                           {"cables", cables},
                           {"order of cables", order},
                           {"routes", routes},
                           {"routes with holes", holes},
                           {"written and read", written},
                           {"one text after the other", one_after_the_other},
                           CU_TEST_INFO_NULL};
    return run_suite("dot", tests);
}
