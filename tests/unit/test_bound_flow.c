/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by flows: closed forms; on small random networks the whole linear program, a flow from each
 * source on each link, without any of what makes it small; and certificates, true and changed. What
 * a certificate proves is counted a third time here, by all distances at once (Floyd and Warshall).
 */
#include "bound/flow/flow.h"
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

/* ---- the whole program ---- */

static bool has_rank(const struct bound_scene *scene, uint32_t machine)
{
    for (uint32_t rank = 0; rank < scene->placement->n_ranks; rank++)
        if (scene->placement->machine[rank] == machine)
            return true;
    return false;
}

/* A machine of a graph or tree that has no ranks passes nothing on. */
static bool is_usable(const struct bound_scene *scene, uint32_t node)
{
    return scene->topology->machines_forward || node >= scene->topology->n_machines ||
           has_rank(scene, node);
}

/* The largest share of all demands that can be met at once, 1 / load; by a flow from each machine on
 * each link. 0: there are no demands. */
static double naive_load(const struct bound_scene *scene, bool is_time)
{
    const struct topology *topology = scene->topology;
    const uint32_t n_links = topology->n_link_ids, n_machines = topology->n_machines;
    struct lp lp = lp_new(1 + n_machines * n_links);
    double demands = 0;
    lp.objective[0] = 1;
    for (uint32_t source = 0; source < n_machines; source++)
        for (uint32_t node = 0; node < topology->n_nodes; node++) {
            const double demand = node < n_machines ? bound_scene_demand(scene, source, node) : 0;
            demands += demand;
            if (node == source)
                continue;
            for (uint32_t link = 0; link < n_links; link++) {
                uint32_t from, to;
                if (!topology_has_link(topology, link))
                    continue;
                topology_link_ends(topology, link, &from, &to);
                if (to == node && is_usable(scene, from) && is_usable(scene, to))
                    lp_add(&lp, 1 + source * n_links + link, 1);
                if (from == node && is_usable(scene, from) && is_usable(scene, to))
                    lp_add(&lp, 1 + source * n_links + link, -1);
            }
            lp_add(&lp, 0, -demand);
            lp_end_row(&lp, '=', 0);
        }
    for (uint32_t link = 0; link < n_links; link++) {
        if (!topology_has_link(topology, link))
            continue;
        for (uint32_t source = 0; source < n_machines; source++)
            lp_add(&lp, 1 + source * n_links + link, 1);
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

static void expect_near(double found, double expected, uint64_t number)
{
    const bool is_near = fabs(found - expected) <= 1e-6 * expected;
    CU_ASSERT(is_near);
    if (!is_near)
        printf("network %llu: %.12g, expected %.12g\n", (unsigned long long)number, found, expected);
}

static void test_against_whole_program(void)
{
    const uint64_t n = by_form(60, 150, 300);
    uint32_t n_known = 0, n_uneven = 0, n_fractions = 0;
    for (uint64_t number = 0; number < n; number++) {
        uint64_t seed = number;
        struct bound_scene scene = bound_scene_random(&seed);
        const double load = naive_load(&scene, false);
        struct flow flow = flow_of(&scene.request, &solver);
        CU_ASSERT_EQUAL(flow.n_proofs > 0, load > 0);
        if (flow.n_proofs) {
            const struct flow_proof *last = &flow.proof[flow.n_proofs - 1];
            expect_near(fraction_real(flow.proof[0].quotient), load, number);
            if (last->measure == FLOW_TIME)
                expect_near(fraction_real(last->quotient), naive_load(&scene, true), number);
            CU_ASSERT_EQUAL(flow.proof[0].end, LP_SOLVED);
            n_known++;
            n_uneven += last->measure == FLOW_TIME;
            n_fractions += flow.proof[0].quotient.bottom > 1;
        }
        flow_free(&flow);
        bound_scene_free(&scene);
    }
    CU_ASSERT(n_known > n / 2 && n_uneven > n / 20 && n_fractions > n / 20);
}

/* ---- closed forms ---- */

static struct fraction load_on(const char *spec)
{
    struct bound_scene scene = bound_scene_plain(spec);
    struct flow flow = flow_of(&scene.request, &solver);
    const struct fraction load = flow.n_proofs ? flow.proof[0].quotient : (struct fraction){0, 0};
    flow_free(&flow);
    bound_scene_free(&scene);
    return load;
}

static void expect_load(const char *spec, uint64_t top, uint64_t bottom)
{
    const struct fraction load = load_on(spec);
    const bool is_equal = load.bottom && load.top == top && load.bottom == bottom;
    CU_ASSERT(is_equal);
    if (!is_equal)
        printf("%s: %.12g\n", spec, load.bottom ? fraction_real(load) : 0);
}

static void test_closed_forms(void)
{
    char spec[64];
    static const uint64_t tori[][2] = {{3, 3}, {4, 8}, {5, 15}, {8, 64}, {10, 125}};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        snprintf(spec, sizeof spec, "torus:%dx%d", (int)tori[i][0], (int)tori[i][0]);
        expect_load(spec, tori[i][1], 1);
    }
    for (uint64_t n = 3; n <= 11; n += 2) { /* Takaue et al. 2010, table 1 */
        snprintf(spec, sizeof spec, "mesh:%dx%d", (int)n, (int)n);
        expect_load(spec, n * (n + 1) * (n - 1) / 4, 1);
    }
    expect_load("star:24", 23, 1);
    expect_load("full:9", 1, 1);
    expect_load("mesh:4", 4, 1);
    expect_load("torus:4x4x4", 32, 1);
    expect_load("examples/clusters/plafrim1.txt", 2646, 1);
    expect_load("examples/clusters/loginoff-qdr-fdr10-2014.txt", 2880, 7); /* 24 * 120 over 7 cables */
}

/* ---- fractions ---- */

static void test_fractions(void)
{
    uint64_t seed = 1;
    struct text text = {0};
    for (int i = 0; i < 10000; i++) {
        const uint32_t a = bound_random(&seed, 50), b = 1 + bound_random(&seed, 50);
        const uint32_t c = bound_random(&seed, 50), d = 1 + bound_random(&seed, 50);
        CU_ASSERT_EQUAL(fraction_is_above(fraction_of(a, b), fraction_of(c, d)), a * d > c * b);
    }
    const wide huge = ((wide)1 << 126) + 1;
    CU_ASSERT(fraction_is_above(fraction_of(huge, huge - 1), fraction_of(1, 1)));
    CU_ASSERT(fraction_is_above(fraction_of(huge, huge - 1), fraction_of(huge + 1, huge)));
    CU_ASSERT(!fraction_is_above((struct fraction){0, 0}, fraction_of(0, 1)));
    CU_ASSERT(fraction_is_above(fraction_of(0, 1), (struct fraction){0, 0}));
    fraction_print(fraction_of((wide)1 << 100, 3), &text);
    CU_ASSERT_STRING_EQUAL(text.data, "1267650600228229401496703205376/3");
    text_free(&text);
    uint64_t top, bottom;
    fraction_narrow(fraction_of(huge, huge - 1), &top, &bottom);
    CU_ASSERT(top < (UINT64_C(1) << 62) && bottom < (UINT64_C(1) << 62) && top <= bottom && bottom - top < 3);
}

/* ---- certificates ---- */

static void test_certificates(void)
{
    const uint64_t n = by_form(60, 150, 300);
    uint32_t n_written = 0;
    for (uint64_t number = 0; number < n; number++) {
        uint64_t seed = number;
        struct bound_scene scene = bound_scene_random(&seed);
        struct flow flow = flow_of(&scene.request, &solver);
        const struct check_subject subject = {bound_scene_name(&scene), &scene.request};
        struct text text = {0};
        if (flow.n_proofs) {
            flow_certificate(&flow, &scene.request, bound_scene_name(&scene), &text);
            CU_ASSERT(certificate_passes(&text, NULL) && certificate_passes(&text, &subject));
            CU_ASSERT(naive_proves_all(&text));
            n_written++;
        }
        text_free(&text);
        flow_free(&flow);
        bound_scene_free(&scene);
    }
    CU_ASSERT(n_written > n / 2);
}

/* ---- certificates that somebody changed ---- */

/* The certificate without its lengths: what it states. */
static json_t *statement_of(const struct text *text)
{
    json_t *root = json_loadb(text->data, text->length, 0, NULL);
    for (size_t i = 0; i < json_array_size(json_object_get(root, "bounds")); i++)
        json_object_del(json_array_get(json_object_get(root, "bounds"), i), "lengths");
    return root;
}

/* A mutant that passes states the same and proves it; one that passes without the fabric is true. */
static void look_at_accepted(const struct text *text, const struct text *mutant, bool has_fabric)
{
    json_t *before = statement_of(text), *after = statement_of(mutant);
    CU_ASSERT(naive_proves_all(mutant));
    CU_ASSERT(!has_fabric || json_equal(before, after));
    json_decref(before);
    json_decref(after);
}

static void test_tampered(void)
{
    static const char *const networks[] = {"torus:3x4", "mesh:3x3", "star:6", "fattree:3x3",
                                           "torus:3x3,bw=1GB/s:3GB/s"};
    enum { WANTED = 1000 };
    uint32_t n_refused = 0, n_other_proofs = 0, n_other_fabrics = 0;
    uint64_t seed = 14;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct bound_scene scene = bound_scene_plain(networks[i]);
        if (i == 1) { /* one with demands listed */
            scene.counts = bound_random_counts(81, &seed);
            scene.request.counts = &scene.counts->counts;
        }
        struct flow flow = flow_of(&scene.request, &solver);
        const struct check_subject subject = {bound_scene_name(&scene), &scene.request};
        struct text text = {0};
        flow_certificate(&flow, &scene.request, bound_scene_name(&scene), &text);
        for (uint32_t n = 0; n < WANTED / 4;) {
            struct text mutant = certificate_mutant(&text, &seed);
            if (!is_same_certificate(&text, &mutant)) {
                const bool is_accepted = certificate_passes(&mutant, &subject);
                const bool is_true = certificate_passes(&mutant, NULL);
                CU_ASSERT(is_true || !is_accepted);
                if (is_accepted || is_true)
                    look_at_accepted(&text, &mutant, is_accepted);
                n += !is_accepted;
                n_refused += !is_accepted;
                n_other_proofs += is_accepted;
                n_other_fabrics += is_true && !is_accepted;
            }
            text_free(&mutant);
        }
        text_free(&text);
        flow_free(&flow);
        bound_scene_free(&scene);
    }
    printf("%u refused; %u other proofs of the same; %u true of another fabric ... ", n_refused,
           n_other_proofs, n_other_fabrics);
    CU_ASSERT(n_refused >= WANTED);
}

UNIT_PROGRAM(test_bound_flow)
{
    CU_TestInfo tests[] = {
        {"closed forms", test_closed_forms},
        {"against the whole program", test_against_whole_program},
        {"fractions", test_fractions},
        {"certificates", test_certificates},
        {"certificates that were changed", test_tampered},
        CU_TEST_INFO_NULL,
    };
    return run_suite("flow", tests);
}
