/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthesis for unequal counts: what is made is verified, and the bytes of its links are counted apart.
 */
#include "synth/decompose.h"
#include "tests/unit/suite.h"
#include "tests/unit/synth_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sums {
    uint64_t *left; /* what is not taken off yet */
    uint32_t n;
    uint64_t weight, n_found;
};

static void take(void *data, const uint32_t *to, uint64_t weight)
{
    struct sums *sums = data;
    uint64_t is_taken = 0;
    for (uint32_t row = 0; row < sums->n; row++) {
        uint64_t *left = &sums->left[row * sums->n + to[row]];
        is_taken |= UINT64_C(1) << to[row];
        *left -= *left < weight ? *left : weight;
    }
    CU_ASSERT_EQUAL(is_taken, (UINT64_C(1) << sums->n) - 1);
    sums->weight += weight;
    sums->n_found++;
}

static void test_decompose(void)
{
    uint64_t seed = 7, matrix[12 * 12], left[12 * 12];
    for (int i = 0; i < 200; i++) {
        const uint32_t n = 1 + synth_random(&seed, 12);
        uint64_t most = 0;
        struct sums sums = {left, n, 0, 0};
        for (uint32_t cell = 0; cell < n * n; cell++)
            left[cell] = matrix[cell] = synth_random(&seed, 3) ? synth_random(&seed, 1 << (i % 20)) : 0;
        for (uint32_t row = 0; row < n; row++) {
            uint64_t out = 0, in = 0;
            for (uint32_t other = 0; other < n; other++) {
                out += matrix[row * n + other];
                in += matrix[other * n + row];
            }
            most = out > most ? out : most;
            most = in > most ? in : most;
        }
        CU_ASSERT_EQUAL(decompose(matrix, n, take, &sums), most);
        CU_ASSERT_EQUAL(sums.weight, most);
        CU_ASSERT_TRUE(sums.n_found <= (uint64_t)n * n);
        for (uint32_t cell = 0; cell < n * n; cell++)
            CU_ASSERT_EQUAL(left[cell], 0);
    }
}

/* The sum over steps of the bytes on the busiest cable, and the most of a cable in all. */
static void check_star(const struct synth_scene *scene, struct schedule *schedule)
{
    const struct placement *placement = scene->placement;
    uint64_t *bytes = mem_alloc(2 * (size_t)placement->n_servers, sizeof *bytes), sum = 0, bound = 0;
    uint64_t *all = mem_alloc(2 * (size_t)placement->n_servers, sizeof *all);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint64_t most = 0;
        memset(bytes, 0, 2 * placement->n_servers * sizeof *bytes);
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t from = placement->server[step.sends[i].rank];
            const uint32_t to = placement->server[step.sends[i].peer];
            if (from == to)
                continue;
            bytes[from] += schedule_units(&schedule->header, &step.sends[i]);
            bytes[placement->n_servers + to] += schedule_units(&schedule->header, &step.sends[i]);
        }
        for (uint32_t i = 0; i < 2 * placement->n_servers; i++) {
            most = bytes[i] > most ? bytes[i] : most;
            all[i] += bytes[i];
            bound = all[i] > bound ? all[i] : bound;
        }
        sum += most;
    }
    CU_ASSERT_EQUAL(sum, bound);
    free(bytes);
    free(all);
}

static void test_star(void)
{
    uint64_t seed = 21;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 100); i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "star:%u", 1 + synth_random(&seed, 8));
        struct synth_scene scene = synth_scene_of_spec(spec, 1 + i % 3, &seed);
        const uint32_t p = scene.placement->n_ranks, unit = 1 + synth_random(&seed, 1000);
        scene.counts = counts_new();
        for (uint32_t pair = 0; pair < p * p; pair++)
            counts_add(scene.counts, synth_random(&seed, 3) ? unit * synth_random(&seed, 50) : 0, 1);
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0};
        struct schedule *schedule = synth_make_right(&scene, SYNTH_birkhoff, &report);
        CU_ASSERT_TRUE(report.max_fan_in <= 1);
        check_star(&scene, schedule);
        schedule->destroy(schedule);
        verify_report_free(&report);
        synth_scene_close(&scene);
    }
}

/* Unequal counts on any fabric: right, a message on a link, and none of no bytes is sent. */
static void test_fit_unequal(void)
{
    uint64_t seed = 31;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 60); i++) {
        struct topology *topology = synth_fabric(&seed, 3);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        const uint64_t p = scene.placement->n_ranks;
        uint64_t n_sent = 0;
        scene.counts = counts_new();
        for (uint64_t pair = 0; pair < p * p; pair++) {
            const uint32_t bytes = synth_random(&seed, 3) ? 1 + synth_random(&seed, 1000) : 0;
            counts_add(scene.counts, bytes, 1);
            n_sent += bytes > 0 && pair / p != pair % p;
        }
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0};
        struct schedule *schedule = synth_make_right(&scene, SYNTH_fit, &report);
        CU_ASSERT_TRUE(report.max_link_load <= 1);
        CU_ASSERT_EQUAL(report.n_messages, n_sent);
        schedule->destroy(schedule);
        verify_report_free(&report);
        synth_scene_close(&scene);
    }
}

static uint64_t segment_bytes(const struct synth_scene *scene, uint64_t datum, uint32_t segments)
{
    const uint64_t bytes = scene->counts->counts.bytes(&scene->counts->counts, datum / segments);
    const uint64_t k = datum % segments;
    return bytes * (k + 1) / segments - bytes * k / segments;
}

/* Bytes on the busiest link, by the operations of the schedule: what a message takes from `tmp` is what came
 * there before. */
static uint64_t bytes_on_link(const struct synth_scene *scene, struct schedule *schedule)
{
    const struct schedule_header *header = &schedule->header;
    const uint64_t p = header->n_ranks, s = header->segments;
    uint64_t *load = mem_alloc(scene->topology->n_link_ids, sizeof *load), most = 0;
    uint64_t *held = mem_alloc(p * header->n_tmp + 1, sizeof *held); /* [rank * n_tmp + chunk] datum */
    struct hop *hops = mem_alloc((size_t)scene->topology->max_hops + 1, sizeof *hops);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            const struct op *send = &step.sends[i], *receive = &step.receives[i];
            const uint32_t n = topology_route(scene->topology, scene->placement->machine[send->rank],
                                              scene->placement->machine[send->peer], hops);
            for (uint32_t k = 0; k < send->n_chunks; k++) {
                const uint64_t chunk = send->chunk + k;
                const uint64_t datum = send->buffer == BUFFER_TMP ? held[send->rank * header->n_tmp + chunk]
                                                                  : send->rank * p * s + chunk;
                if (receive->buffer == BUFFER_TMP)
                    held[receive->rank * header->n_tmp + receive->chunk + k] = datum;
                for (uint32_t hop = 0; hop < n; hop++)
                    load[hops[hop].link] += segment_bytes(scene, datum, (uint32_t)s);
            }
        }
    for (uint32_t link = 0; link < scene->topology->n_link_ids; link++)
        most = load[link] > most ? load[link] : most;
    free(hops);
    free(held);
    free(load);
    return most;
}

/* With counts, blocks of all sizes are passed on: the busiest link has less to do than by straight
 * ways. */
static void test_relays_unequal(void)
{
    uint64_t seed = 77;
    uint32_t n_made = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 6 : 40); i++) {
        struct topology *topology = synth_fabric(&seed, 6);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        const uint64_t p = scene.placement->n_ranks;
        scene.counts = counts_new();
        for (uint64_t pair = 0; pair < p * p; pair++)
            counts_add(scene.counts, synth_random(&seed, 4) ? synth_random(&seed, 100000) : 0, 1);
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0}, straight_report = {0};
        struct schedule *schedule = synth_make_relays(&scene, &report);
        if (schedule) {
            struct schedule *straight = synth_make_right(&scene, SYNTH_fit, &straight_report);
            CU_ASSERT_TRUE(bytes_on_link(&scene, schedule) < bytes_on_link(&scene, straight));
            straight->destroy(straight);
            schedule->destroy(schedule);
            n_made++;
        }
        verify_report_free(&report);
        verify_report_free(&straight_report);
        synth_scene_close(&scene);
    }
    printf("relays of unequal blocks: %u fabrics gain: ", n_made);
    CU_ASSERT_TRUE(IS_SHORT || n_made >= 5);
}

UNIT_PROGRAM(test_synth_unequal)
{
    CU_TestInfo tests[] = {{"relays, unequal counts", test_relays_unequal},
                           {"fit, unequal counts", test_fit_unequal},
                           {"sums of permutations", test_decompose},
                           {"unequal counts on a star", test_star},
                           CU_TEST_INFO_NULL};
    return run_suite("synth, unequal counts", tests);
}
