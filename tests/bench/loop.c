/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the verifier is compared with: a loop by hand over a ring all-to-all on a fat tree of any shape with
 * full bisection, rank i on machine i. In step s rank i sends to rank i + s, by D-mod-k: up to the nearest
 * common ancestor and down again, the ports being the digits of the destination. It counts the messages
 * of each link in each step, and of all steps, and nothing else: no data, no matching, no machines, no
 * findings.
 *
 * loop CHILDREN...: children of a node, level by level, such as 16 16 16; prints
 *   MESSAGES SECONDS BUSIEST_IN_A_STEP BUSIEST_OF_ALL_STEPS
 * CPU seconds of the fastest of three times. The last two are those that 'collc verify' reports.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_LEVELS = 8 };

/* Links up and down of each level, one behind the other: as many as machines, as bisection is full. */
struct tree {
    uint32_t n_levels, n_machines, n_links;
    uint32_t below[MAX_LEVELS]; /* machines below the lower end of a link of the level, and as many nodes
                                   in parallel there */
    uint32_t *step;             /* [link] messages */
    uint64_t *total;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Adds a message to the links of its route; the largest load on it then. */
static inline uint32_t send(const struct tree *tree, uint32_t from, uint32_t to)
{
    uint32_t most = 0;
    for (uint32_t level = 0; level < tree->n_levels; level++) {
        const uint32_t below = tree->below[level], port = to % below;
        const uint32_t upper = from / below, lower = to / below;
        if (upper == lower)
            break;
        uint32_t *up = tree->step + 2 * level * tree->n_machines, *down = up + tree->n_machines;
        const uint32_t a = ++up[upper * below + port], b = ++down[lower * below + port];
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return most;
}

static uint32_t run(const struct tree *tree)
{
    uint32_t most = 0;
    memset(tree->total, 0, tree->n_links * sizeof *tree->total);
    for (uint32_t step = 1; step < tree->n_machines; step++) {
        memset(tree->step, 0, tree->n_links * sizeof *tree->step);
        for (uint32_t rank = 0, peer = step; rank < tree->n_machines; rank++) {
            const uint32_t load = send(tree, rank, peer);
            most = load > most ? load : most;
            peer = peer + 1 == tree->n_machines ? 0 : peer + 1;
        }
        for (uint32_t link = 0; link < tree->n_links; link++)
            tree->total[link] += tree->step[link];
    }
    return most;
}

int main(int argc, char **argv)
{
    struct tree tree = {.n_machines = 1};
    for (int i = 1; i < argc && i <= MAX_LEVELS; i++) {
        tree.below[tree.n_levels++] = tree.n_machines;
        tree.n_machines *= (uint32_t)strtoul(argv[i], NULL, 10);
    }
    tree.n_links = 2 * tree.n_levels * tree.n_machines;
    tree.step = calloc(tree.n_links + 1, sizeof *tree.step);
    tree.total = calloc(tree.n_links + 1, sizeof *tree.total);
    if (argc < 2 || argc > MAX_LEVELS + 1 || !tree.n_machines || !tree.step || !tree.total) {
        fprintf(stderr, "usage: loop CHILDREN...\n");
        return 2;
    }
    double best = 1e9;
    uint32_t most = 0;
    uint64_t most_of_all = 0;
    for (int i = 0; i < 3; i++) {
        const double start = now();
        most = run(&tree);
        best = now() - start < best ? now() - start : best;
    }
    for (uint32_t link = 0; link < tree.n_links; link++)
        most_of_all = tree.total[link] > most_of_all ? tree.total[link] : most_of_all;
    printf("%" PRIu64 " %.6f %" PRIu32 " %" PRIu64 "\n", (uint64_t)tree.n_machines * (tree.n_machines - 1), best,
           most, most_of_all);
    free(tree.step);
    free(tree.total);
    return 0;
}
