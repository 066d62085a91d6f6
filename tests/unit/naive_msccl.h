/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MSCCL XML a second time, and by other means than schedules/msccl: a reader that knows only tags and
 * attributes, an interpreter that runs thread blocks and connections as the runtimes do, in a
 * random order, on symbolic data, and a search for races over all pairs of steps. For tests, of few GPUs.
 */
#ifndef COLLC_TESTS_UNIT_NAIVE_MSCCL_H
#define COLLC_TESTS_UNIT_NAIVE_MSCCL_H

#include "base/memory.h"

enum { NAIVE_MAX_GPUS = 32, NAIVE_MAX_BLOCKS = 2048, NAIVE_MAX_STEPS = 64, NAIVE_MAX_CHUNKS = 512 };

struct naive_step {
    char type[8], source, target; /* buffers by their letters */
    int source_chunk, target_chunk, count, depid, deps, hasdep;
};
struct naive_block {
    int gpu, id, send, recv, chan, n_steps;
    struct naive_step steps[NAIVE_MAX_STEPS];
};
struct naive_file {
    char coll[32];
    int n_gpus, n_chunks, is_in_place;
    int i_chunks[NAIVE_MAX_GPUS], o_chunks[NAIVE_MAX_GPUS], s_chunks[NAIVE_MAX_GPUS];
    int n_copies, copies[256][3]; /* gpu, i_off, o_off */
    int n_blocks;
    struct naive_block *blocks;   /* [NAIVE_MAX_BLOCKS], the caller's */
};

/* True if the file fits in here. */
bool naive_msccl_read(const char *text, struct naive_file *file);
void naive_msccl_print(const struct naive_file *file, struct text *text);

/* A datum, with how often each GPU contributed. */
enum { NAIVE_UNDEFINED = -1, NAIVE_MIXED = -2 };
struct naive_value {
    int datum;
    unsigned counts[NAIVE_MAX_GPUS];
};
struct naive_value naive_combine(const struct naive_value *a, const struct naive_value *b);
/* Return what the input holds at first, and what the output has to hold in the end. */
struct naive_value naive_given(const struct naive_file *file, int gpu, int chunk);
struct naive_value naive_required(const struct naive_file *file, int gpu, int chunk);
int naive_output_chunks(const struct naive_file *file);

/* True if each send has its receive of the same count. */
bool naive_is_matched(const struct naive_file *file);
/* Runs all of it in an order that `*random` decides; output[gpu * NAIVE_MAX_CHUNKS + chunk] is what is left
 * in `o`. False if it came to a standstill. */
bool naive_msccl_run(const struct naive_file *file, uint64_t *random, struct naive_value *output);
/* True if two steps touch a chunk, one of them writing, and none comes behind the other. */
bool naive_has_race(const struct naive_file *file);
uint64_t naive_random(uint64_t *state, uint64_t n); /* 0 .. n-1 */

#endif
