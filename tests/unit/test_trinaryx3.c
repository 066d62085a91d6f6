/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trinaryx3: that its three trees are what examples/kawashima2013/README.md says, span
 * all ranks and have no link in common, on every torus of extents up to 8 x 8 x 8; and
 * how many steps the broadcast, the reduce and the allreduce over them take.
 */
#include "tests/unit/agree.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>

struct torus {
    uint32_t extent[3], p, n_trees, depth, root;
};

static struct torus torus_of(uint32_t nx, uint32_t ny, uint32_t nz)
{
    struct torus torus = {.extent = {nx, ny, nz}, .p = nx * ny * nz};
    for (int d = 0; d < 3; d++)
        torus.n_trees += torus.extent[d] > 1;
    torus.depth = nx + ny + nz - 3 + (torus.n_trees > 1);
    torus.root = (5 * nx + 3 * ny + nz) % torus.p;
    return torus;
}

/* Coordinates of a rank, counted from the root. */
static void coordinates_of(const struct torus *torus, uint32_t rank, uint32_t at[3])
{
    uint32_t from = torus->root;
    for (int d = 0; d < 3; d++) {
        const uint32_t extent = torus->extent[d];
        at[d] = (rank % extent + extent - from % extent) % extent;
        rank /= extent;
        from /= extent;
    }
}

/* The dimension over which the tree of dimension d reaches a rank: the closed form. */
static int dimension_into(const uint32_t at[3], int d)
{
    int second = (d + 1) % 3, third = (d + 2) % 3;
    if (at[d] == 0)
        return d;
    return at[third] ? third : at[second] ? second : d;
}

/* The dimension of the n-th tree: dimensions of extent 1 have none. */
static int dimension_of_tree(const struct torus *torus, uint32_t n)
{
    int d = 0;
    while (torus->extent[d] == 1 || n-- > 0)
        d++;
    return d;
}

/* True if `child` hears from `parent` in tree n. */
static bool is_edge(const struct torus *torus, uint32_t n, uint32_t parent, uint32_t child)
{
    uint32_t from[3], to[3];
    coordinates_of(torus, parent, from);
    coordinates_of(torus, child, to);
    int into = dimension_into(to, dimension_of_tree(torus, n));
    to[into] = (to[into] + torus->extent[into] - 1) % torus->extent[into];
    return child != torus->root && from[0] == to[0] && from[1] == to[1] && from[2] == to[2];
}

static bool follows_trees(const struct torus *torus, struct schedule *schedule)
{
    bool is_reduce = schedule->header.collective == COLLECTIVE_reduce;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            const struct op *op = &step.sends[i];
            if (is_reduce ? !is_edge(torus, op->chunk, op->peer, op->rank)
                          : !is_edge(torus, op->chunk, op->rank, op->peer))
                return false;
        }
    return true;
}

static void open_torus(struct test_scene *scene, const char *algorithm, const struct torus *torus,
                       int64_t pieces)
{
    char topology[64];
    snprintf(topology, sizeof topology, "torus:%" PRIu32 "x%" PRIu32 "x%" PRIu32,
             torus->extent[0], torus->extent[1], torus->extent[2]);
    struct scene_spec spec = {.algorithm = algorithm, .topology = topology, .root = torus->root,
                              .parameter = "pieces", .value = pieces};
    CU_ASSERT_FATAL(scene_open(scene, &spec));
}

/* One piece: a link that is in two trees would carry two messages in all. As many
 * messages as links are crossed, so that all go to neighbours. */
static bool is_disjoint(const char *algorithm, const struct torus *torus)
{
    struct test_scene scene;
    struct reference engine;
    uint64_t crossed = 0;
    open_torus(&scene, algorithm, torus, 1);
    CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
    for (uint32_t link = 0; link < scene.topology->n_link_ids; link++)
        crossed += engine.report.link_load[link];
    bool is_right = engine.n_findings == 0 && engine.report.is_complete &&
                    engine.report.max_total_load <= 1 &&
                    engine.report.n_messages == (uint64_t)torus->n_trees * (torus->p - 1) &&
                    crossed == engine.report.n_messages &&
                    engine.report.n_steps == torus->depth && engine.report.max_sends <= 3 &&
                    follows_trees(torus, scene.schedule);
    engine_free(&engine);
    scene_close(&scene);
    return is_right;
}

static void test_trees(void)
{
    unsigned wrong = 0;
    const uint32_t by = is_least() ? 3 : 1;
    for (uint32_t nx = 1; nx <= 8; nx += by)
        for (uint32_t ny = 1; ny <= 8; ny += by)
            for (uint32_t nz = 1; nz <= 8; nz += by) {
                struct torus torus = torus_of(nx, ny, nz);
                bool is_right = is_disjoint("bcast/trinaryx3", &torus) &&
                                is_disjoint("reduce/trinaryx3", &torus);
                if (!is_right && wrong++ == 0)
                    fprintf(stderr, "trees on %u x %u x %u\n", nx, ny, nz);
            }
    CU_ASSERT(wrong == 0);
}

static void check_pipeline(const char *algorithm, struct torus torus, int64_t pieces,
                           uint64_t n_steps, uint64_t load)
{
    struct test_scene scene;
    struct reference engine;
    open_torus(&scene, algorithm, &torus, pieces);
    CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
    CU_ASSERT(engine.report.is_complete && engine.n_findings == 0);
    CU_ASSERT(engine.report.n_steps == n_steps);
    CU_ASSERT(engine.report.max_link_load == load);
    CU_ASSERT(engine.report.sum_step_load == (load == 1 ? n_steps : engine.report.sum_step_load));
    CU_ASSERT(engine.report.contended_steps == 0);
    engine_free(&engine);
    scene_close(&scene);
}

static void test_pipeline(void)
{
    const struct torus tori[] = {torus_of(4, 6, 16), torus_of(3, 3, 3), torus_of(5, 1, 4),
                                 torus_of(1, 7, 1)};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++)
        for (uint32_t pieces = 1; pieces <= 9; pieces += 4) {
            uint32_t depth = tori[i].depth;
            check_pipeline("bcast/trinaryx3", tori[i], pieces, depth + pieces - 1, 1);
            check_pipeline("reduce/trinaryx3", tori[i], pieces, depth + pieces - 1, 1);
            check_pipeline("allreduce/trinaryx3", tori[i], pieces, 2 * depth + pieces - 1, 1);
        }
    /* extent 2: one link for + and -, and only the allreduce uses both */
    check_pipeline("bcast/trinaryx3", torus_of(2, 2, 2), 9, 4 + 8, 1);
    check_pipeline("allreduce/trinaryx3", torus_of(2, 2, 2), 9, 8 + 8, 2);
}

/* Neighbours in the logical view of a Tofu network are neighbours in it. */
static void test_tofu(void)
{
    static const char *const algorithms[] = {"bcast/trinaryx3", "reduce/trinaryx3",
                                             "allreduce/trinaryx3"};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t root = 0; root < 96; root += 19) {
            struct scene_spec spec = {.algorithm = algorithms[i], .topology = "tofu:2x2x2",
                                      .root = root, .parameter = "pieces", .value = 3};
            struct test_scene scene;
            struct reference engine;
            CU_ASSERT_FATAL(scene_open(&scene, &spec));
            CU_ASSERT_FATAL(engine_verify(scene.schedule, &scene.request, &engine));
            CU_ASSERT(engine.report.is_complete && engine.n_findings == 0);
            CU_ASSERT(engine.report.max_link_load == 1);
            engine_free(&engine);
            scene_close(&scene);
        }
}

UNIT_PROGRAM(test_trinaryx3)
{
    CU_TestInfo tests[] = {{"trees", test_trees},
                           {"pipeline", test_pipeline},
                           {"tofu", test_tofu},
                           CU_TEST_INFO_NULL};
    return run_suite("trinaryx3", tests);
}
