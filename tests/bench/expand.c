/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expand ALGORITHM TOPOLOGY RANKS_PER_MACHINE [RANKS | PARAMETER VALUE]: expands the program
 * and throws its steps away; with RANKS the last machine may have fewer of them. Prints
 *   OPERATIONS STEPS CHUNKS SECONDS
 * where messages of sets have so many CHUNKS.
 * CPU seconds of the fastest of five times (or of as many as go into two seconds), without
 * reading and binding.
 */
#include "tests/unit/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct amount {
    uint64_t ops, steps, chunks;
};

static uint64_t in_sets(const struct op *messages, size_t n)
{
    uint64_t n_chunks = 0;
    for (size_t i = 0; i < n; i++)
        n_chunks += messages[i].is_set ? messages[i].n_chunks : 0;
    return n_chunks;
}

static struct amount expand(struct schedule *schedule)
{
    struct amount amount = {0, 0, 0};
    struct step step;
    schedule->rewind(schedule);
    for (; schedule->next(schedule, &step); amount.steps++) {
        amount.ops += step.n_sends + step.n_receives + step.n_copies;
        amount.chunks += in_sets(step.sends, step.n_sends) + in_sets(step.receives, step.n_receives);
    }
    return amount;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 6) {
        fprintf(stderr, "usage: expand ALGORITHM TOPOLOGY RANKS_PER_MACHINE [RANKS | PARAMETER VALUE]\n");
        return 2;
    }
    struct scene_spec spec = {.algorithm = argv[1], .topology = argv[2],
                              .ranks_per_machine = (uint32_t)strtoul(argv[3], NULL, 10),
                              .n_ranks = argc == 5 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0,
                              .parameter = argc == 6 ? argv[4] : NULL,
                              .value = argc == 6 ? strtol(argv[5], NULL, 10) : 0};
    struct test_scene scene;
    struct amount amount = {0, 0, 0};
    double begin = now(), best = 1e9;
    bool done = scene_open(&scene, &spec);
    for (int i = 0; done && i < 5 && (i == 0 || now() - begin < 2); i++) {
        double start = now();
        amount = expand(scene.schedule);
        best = now() - start < best ? now() - start : best;
        done = !scene.schedule->failed;
    }
    if (done)
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.6f\n", amount.ops, amount.steps, amount.chunks, best);
    else
        fprintf(stderr, "expand: %s cannot be expanded on %s\n", spec.algorithm, spec.topology);
    scene_close(&scene);
    return !done;
}
