/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the phases of a skewed all-to-all-v by themselves, without reading counts and without
 * the schedule: 64 servers with 8 ranks each, counts up to 1 MB ((i*7919 + j*104729) mod 1009)^2, one
 * cable a server. Prints
 *   MILLISECONDS STEPS RATIO
 * CPU time of the fastest of five times; the time of all steps by that of the busiest cable.
 */
#include "synth/decompose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N_SERVERS = 64, RANKS = 8, N_RANKS = N_SERVERS * RANKS };

static uint64_t demand[N_SERVERS * N_SERVERS], left[N_SERVERS * N_SERVERS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the bytes of the busiest cable. */
static uint64_t fill_demand(void)
{
    uint64_t busiest = 0;
    for (uint64_t i = 0; i < N_RANKS; i++)
        for (uint64_t j = 0; j < N_RANKS; j++) {
            const uint64_t root = (i * 7919 + j * 104729) % 1009;
            if (i / RANKS != j / RANKS)
                demand[i / RANKS * N_SERVERS + j / RANKS] += root * root;
        }
    for (size_t server = 0; server < N_SERVERS; server++) {
        uint64_t out = 0, in = 0;
        for (size_t other = 0; other < N_SERVERS; other++) {
            out += demand[server * N_SERVERS + other];
            in += demand[other * N_SERVERS + server];
        }
        busiest = out > busiest ? out : busiest;
        busiest = in > busiest ? in : busiest;
    }
    return busiest;
}

static void count(void *data, const uint32_t *to, uint64_t weight)
{
    (void)to;
    (void)weight;
    ++*(uint64_t *)data;
}

int main(void)
{
    const uint64_t busiest = fill_demand();
    uint64_t n_steps = 0, sum = 0;
    double least = 1e9;
    for (int i = 0; i < 5; i++) {
        memcpy(left, demand, sizeof left);
        n_steps = 0;
        const double before = now();
        sum = decompose(left, N_SERVERS, count, &n_steps);
        const double time = now() - before;
        least = time < least ? time : least;
    }
    printf("%.3f %" PRIu64 " %.4f\n", 1e3 * least, n_steps, (double)sum / (double)busiest);
    return 0;
}
