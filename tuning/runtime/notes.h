/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records of the libraries that are preloaded with a program. At its end each rank writes a file
 * $COLLC_SPY.PROCESS, a line for each kind of call:
 *
 *   COLLECTIVE RANKS NODES TYPE-BYTES BYTES PLACE FLAGS IGNORED ALGORITHM RUNS SEGMENT FAN-OUT CALLS
 *
 * NODES is the number of machines with these ranks; 0: unknown. PLACE is 'root' or 'elsewhere', 'all' for
 * a collective without root. FLAGS are 'p' (MPI_IN_PLACE), 'o' (the operation does not commute), 'i'
 * (IGNORED is the size in an argument that MPI ignores here), 'u' (counts differ by rank: BYTES is their
 * average), 'e' (the operation is exact), or '-'. RUNS is the algorithm of the same collective that this
 * one called in its turn, or '-'. ALGORITHM is 'fails' if the call failed.
 */
#ifndef COLLC_TUNING_RUNTIME_NOTES_H
#define COLLC_TUNING_RUNTIME_NOTES_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kind {
    const char *collective, *algorithm, *runs;
    long long bytes, ignored;
    int ranks, nodes, type_bytes, segment, fan_out;
    char place[12], flags[8];
};
struct seen {
    struct kind kind;
    long n;
};

static struct seen *all_seen;
static size_t n_seen, capacity;
static int is_locked;

static void lock(void)
{
    while (__sync_lock_test_and_set(&is_locked, 1))
        sched_yield();
}

static int is_same_kind(const struct kind *a, const struct kind *b)
{
    return a->collective == b->collective && a->algorithm == b->algorithm && a->runs == b->runs &&
           a->bytes == b->bytes && a->ignored == b->ignored && a->ranks == b->ranks && a->nodes == b->nodes &&
           a->type_bytes == b->type_bytes && a->segment == b->segment && a->fan_out == b->fan_out &&
           strcmp(a->place, b->place) == 0 && strcmp(a->flags, b->flags) == 0;
}

static void note(const struct kind *kind)
{
    lock();
    size_t i = n_seen;
    while (i > 0 && !is_same_kind(&all_seen[i - 1].kind, kind)) /* mostly the last one */
        i--;
    if (i > 0) {
        all_seen[i - 1].n++;
    } else {
        if (n_seen == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            struct seen *more = realloc(all_seen, capacity * sizeof *more);
            if (!more)
                abort();
            all_seen = more;
        }
        all_seen[n_seen++] = (struct seen){*kind, 1};
    }
    __sync_lock_release(&is_locked);
}

/* ---- the end ---- */

__attribute__((destructor)) static void write_all(void)
{
    enum { MAX_PATH = 4096 };
    const char *prefix = getenv("COLLC_SPY");
    char path[MAX_PATH], aside[MAX_PATH];
    if (!prefix || !n_seen)
        return;
    snprintf(path, sizeof path, "%s.%ld", prefix, (long)getpid());
    snprintf(aside, sizeof aside, "%s.%ld.part", prefix, (long)getpid());
    FILE *file = fopen(aside, "w");
    if (!file)
        return;
    for (size_t i = 0; i < n_seen; i++) {
        const struct kind *kind = &all_seen[i].kind;
        fprintf(file, "%s %d %d %d %lld %s %s %lld %s %s %d %d %ld\n", kind->collective, kind->ranks,
                kind->nodes, kind->type_bytes, kind->bytes, kind->place, kind->flags, kind->ignored,
                kind->algorithm, kind->runs, kind->segment, kind->fan_out, all_seen[i].n);
    }
    if (fclose(file) == 0)
        rename(aside, path);
}

#endif
