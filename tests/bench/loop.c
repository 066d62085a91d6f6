/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The yardstick of the verifier: a loop by hand over a ring all-to-all on a fat tree of any shape with
 * full bisection, or on a torus, rank i on machine i. In step s rank i sends to rank i + s: on the tree by
 * D-mod-k, up to the nearest common ancestor and down again, the ports being the digits of the destination;
 * on the torus by dimensions, the shorter way round, + on a tie, hop by hop. It counts the messages
 * of each link in each step, and of all steps, and nothing else: no data, no matching, no machines, no
 * findings.
 *
 * loop fattree|torus NUMBERS...: children of a node, level by level, or extents, such as 16 16 16; prints
 *   MESSAGES SECONDS BUSIEST_IN_A_STEP BUSIEST_OF_ALL_STEPS
 * CPU seconds of the fastest of three times. The last two are those that 'collc verify' reports.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_LEVELS = 8 }; /* or dimensions */

/* The links of a tree are those up and down of each level, one behind the other. A level has as many as there
 * are machines, as bisection is full. */
struct network {
    uint32_t n_levels, n_machines, n_links;
    uint32_t extent[MAX_LEVELS]; /* children, or machines along the dimension */
    uint32_t below[MAX_LEVELS]; /* their product: machines below the lower end of a link of the level, and as
                                   many nodes in parallel there; from a machine to the next of a dimension */
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
static inline uint32_t send_by_tree(const struct network *tree, uint32_t from, uint32_t to)
{
    uint32_t most = 0;
    for (uint32_t level = 0, upper = from, lower = to; upper != lower; level++) {
        const uint32_t below = tree->below[level], port = to - lower * below;
        uint32_t *up = tree->step + 2 * level * tree->n_machines, *down = up + tree->n_machines;
        const uint32_t a = ++up[upper * below + port], b = ++down[lower * below + port];
        most = a > most ? a : most;
        most = b > most ? b : most;
        if (level + 1 == tree->n_levels)
            break;
        upper /= tree->extent[level];
        lower /= tree->extent[level];
    }
    return most;
}

/* The same. Machine m has the links 2 * dimensions * m + 2 * dimension, and one more for -. */
static inline uint32_t send_by_torus(const struct network *torus, uint32_t from, uint32_t to)
{
    uint32_t most = 0;
    for (uint32_t i = 0, node = from; i < torus->n_levels; i++) {
        const uint32_t extent = torus->extent[i], stride = torus->below[i];
        uint32_t at = from / stride % extent;
        const uint32_t end = to / stride % extent, ahead = (end + extent - at) % extent;
        const uint32_t is_minus = ahead > extent - ahead;
        while (at != end) {
            const uint32_t load = ++torus->step[(node * torus->n_levels + i) * 2 + is_minus];
            const uint32_t next = is_minus ? (at ? at - 1 : extent - 1) : at + 1 < extent ? at + 1 : 0;
            node += (next - at) * stride;
            at = next;
            most = load > most ? load : most;
        }
    }
    return most;
}

static inline uint32_t run(const struct network *network, bool is_torus)
{
    uint32_t most = 0;
    memset(network->total, 0, network->n_links * sizeof *network->total);
    for (uint32_t step = 1; step < network->n_machines; step++) {
        memset(network->step, 0, network->n_links * sizeof *network->step);
        for (uint32_t rank = 0, peer = step; rank < network->n_machines; rank++) {
            const uint32_t load =
                is_torus ? send_by_torus(network, rank, peer) : send_by_tree(network, rank, peer);
            most = load > most ? load : most;
            peer = peer + 1 == network->n_machines ? 0 : peer + 1;
        }
        for (uint32_t link = 0; link < network->n_links; link++)
            network->total[link] += network->step[link];
    }
    return most;
}

int main(int argc, char **argv)
{
    struct network network = {.n_machines = 1};
    const bool is_torus = argc > 1 && strcmp(argv[1], "torus") == 0;
    for (int i = 2; i < argc && i < MAX_LEVELS + 2; i++) {
        network.below[network.n_levels] = network.n_machines;
        network.extent[network.n_levels] = (uint32_t)strtoul(argv[i], NULL, 10);
        network.n_machines *= network.extent[network.n_levels++];
    }
    network.n_links = 2 * network.n_levels * network.n_machines;
    network.step = calloc(network.n_links + 1, sizeof *network.step);
    network.total = calloc(network.n_links + 1, sizeof *network.total);
    if (argc < 3 || argc > MAX_LEVELS + 2 || !network.n_machines || !network.step || !network.total) {
        fprintf(stderr, "usage: loop fattree|torus NUMBERS...\n");
        return 2;
    }
    double best = 1e9;
    uint32_t most = 0;
    uint64_t most_of_all = 0;
    for (int i = 0; i < 3; i++) {
        const double start = now();
        most = is_torus ? run(&network, true) : run(&network, false);
        best = now() - start < best ? now() - start : best;
    }
    for (uint32_t link = 0; link < network.n_links; link++)
        most_of_all = network.total[link] > most_of_all ? network.total[link] : most_of_all;
    printf("%" PRIu64 " %.6f %" PRIu32 " %" PRIu64 "\n",
           (uint64_t)network.n_machines * (network.n_machines - 1), best, most, most_of_all);
    free(network.step);
    free(network.total);
    return 0;
}
