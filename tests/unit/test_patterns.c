/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The patterns of examples/patterns in many places: steps and needs as the
 * naive expansion has them (naive.h), verdicts of the verifier as those of the
 * reference (agree.h), and its schedule file says the same. Small texts whose
 * needs are compared with what is written here by hand.
 */
#include "ir/needs.h"
#include "network/formats/formats.h"
#include "study/scene.h"
#include "tests/unit/agree.h"
#include "tests/unit/naive.h"
#include "tests/unit/oplist.h"
#include "tests/unit/suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "examples/patterns/";

/* Opens a source on a network, n ranks on each host. False if it is not for
 * that place. */
static bool patterns_open(struct scene *scene, const char *topology, uint32_t n_on_host,
                          struct diagnostics *diagnostics)
{
    scene->topology = scene->owned.topology = topology_read(topology, diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene->topology);
    scene->placement = scene->owned.placement =
        placement_by_slots(scene->topology->n_machines * n_on_host, n_on_host, false);
    CU_ASSERT_FATAL(scene_read_source(scene, diagnostics));
    return scene_bind(scene, 0, diagnostics) && scene_expand(scene, diagnostics);
}

/* True if the printed schedule, read again, has the same needs. */
static bool has_same_needs(const struct schedule *a, const struct schedule *b)
{
    const struct needs *x = a->header.needs, *y = b->header.needs;
    bool is_same = x && y && x->n_terms == y->n_terms && !x->datum_of == !y->datum_of;
    for (uint32_t rank = 0; is_same && rank < x->n_ranks; rank++) {
        is_same = x->first[rank + 1] == y->first[rank + 1];
        for (size_t i = x->first[rank]; is_same && i < x->first[rank + 1]; i++)
            is_same = x->items[i].chunk == y->items[i].chunk && x->items[i].n == y->items[i].n &&
                      x->items[i].datum == y->items[i].datum &&
                      x->sums[x->items[i].sum].n == y->sums[y->items[i].sum].n;
    }
    return is_same;
}

static bool is_right(struct scene *scene, const char *label)
{
    const struct verify_request request = {
        .topology = scene->topology, .placement = scene->placement, .least = scene_least(scene, NULL)};
    struct reference engine;
    struct oplist list;
    struct arena arena = {0};
    bool is_right = naive_agrees(scene->binding, label);
    is_right = engine_verify(scene->schedule, &request, &engine) && engine.report.is_complete &&
               engine.n_findings == 0 && is_right;
    if (!request.least.kind && scene->topology->n_machines > 1 && engine.report.n_messages > 0) {
        fprintf(stderr, "%s has no bound\n", label);
        is_right = false;
    }
    if (request.least.kind && engine.report.bound_ratio < 1 - 1e-9) {
        fprintf(stderr, "%s is better than its bound: %g\n", label, engine.report.bound_ratio);
        is_right = false;
    }
    engine_free(&engine);
    if (scene->binding->n_ranks <= 16)
        is_right = agree(scene->schedule, &request, label) && is_right;
    is_right = oplist_capture(scene->schedule, &list) && is_right;
    struct schedule *again = oplist_reread(&list, &arena);
    is_right = again && has_same_needs(scene->schedule, again) && is_right;
    if (again)
        again->destroy(again);
    oplist_free(&list);
    arena_free(&arena);
    return is_right;
}

static bool judge_file(const char *name, const char *topology, uint32_t n_on_host)
{
    char path[512];
    struct diagnostics diagnostics = {0};
    struct scene scene = {.source = NULL};
    snprintf(path, sizeof path, "%s%s", folder, name);
    scene.source = source_read(path, SCHEDULE_FILE_LIMIT, &scene.arena, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene.source);
    const bool is_open = patterns_open(&scene, topology, n_on_host, &diagnostics);
    if (is_open && !is_right(&scene, path)) {
        fprintf(stderr, "%s on %s is not right\n", path, topology);
        CU_FAIL("a pattern is wrong");
    }
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return is_open;
}

static void test_examples(void)
{
    static const struct {
        const char *topology;
        uint32_t n_on_host;
    } places[] = {{"torus:1x1", 1}, {"torus:2x2", 1}, {"torus:3x3", 1},   {"torus:4x4", 1},
                  {"torus:1x5", 1}, {"mesh:2x3", 1},  {"torus:2x3x2", 1}, {"mesh:6x6", 1},
                  {"star:2", 3},    {"star:3", 4},    {"star:7", 1},      {"star:4", 2}};
    DIR *directory = opendir(folder);
    CU_ASSERT_PTR_NOT_NULL_FATAL(directory);
    uint32_t n_files = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        uint32_t n_open = 0;
        if (!strstr(entry->d_name, ".coll"))
            continue;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            n_open += judge_file(entry->d_name, places[i].topology, places[i].n_on_host);
        CU_ASSERT(n_open >= 3);
        n_files++;
    }
    closedir(directory);
    CU_ASSERT(n_files >= 9);
}

/* The needs of a text on a star of 3, as a text:
 * "rank.chunk=datum/contributors" of each run. */
static void expect_needs(const char *text, const char *expected)
{
    struct diagnostics diagnostics = {0};
    struct scene scene = {.source = NULL};
    struct text found = {0};
    scene.source = source_of_text("text", text, strlen(text), &scene.arena);
    CU_ASSERT_FATAL(patterns_open(&scene, "star:3", 1, &diagnostics));
    const struct needs *needs = scene.schedule->header.needs;
    for (uint32_t rank = 0; rank < needs->n_ranks; rank++)
        for (size_t i = needs->first[rank]; i < needs->first[rank + 1]; i++) {
            const struct need *need = &needs->items[i];
            text_printf(&found, "%u.%u+%u=%llu/%u ", rank, need->chunk, need->n,
                        (unsigned long long)need->datum, needs->sums[need->sum].n);
        }
    CU_ASSERT_STRING_EQUAL(found.length ? found.data : "", expected);
    text_free(&found);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

static void test_needs(void)
{
    expect_needs("pattern a\nranks r: p\nin 2\nout 2\nneeds out = in of r + "
                 "1\nstep\n  send to r\n  recv from r\n",
                 "0.0+2=2/1 1.0+2=4/1 2.0+2=0/1 ");
    expect_needs("pattern b\nranks r: p\nin 2\nout 2\nneeds\n  if r == 1\n    for k in 0 "
                 ".. p-1\n      out += in of k\n"
                 "  if r == 2  out[1] = in[0] of 0\nstep\n  send to r\n  recv from r\n",
                 "1.0+2=0/3 2.1+1=0/1 ");
    expect_needs("pattern c\nranks r: p\nin 3\nout 3\nneeds\n  out[2] = in[0] of "
                 "r\n  for k in 0 .. r-1\n"
                 "    out[0] += in[1] of k\nstep\n  send to r\n  recv from r\n",
                 "0.2+1=0/1 1.0+1=1/1 1.2+1=3/1 2.0+1=1/2 2.2+1=6/1 ");
    expect_needs("pattern d\nranks r: p\nin 1\nout 1\nneeds\n  if r > p  out = "
                 "in of r\nstep\n  send to r\n  recv from r\n",
                 "");
}

UNIT_PROGRAM(test_patterns)
{
    CU_TestInfo tests[] = {{"examples", test_examples}, {"needs", test_needs}, CU_TEST_INFO_NULL};
    return run_suite("patterns", tests);
}
