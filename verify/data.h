/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Contents of every chunk of every rank (values.h), from the state that MPI gives before the call to the
 * one it requires after.
 */
#ifndef COLLC_VERIFY_DATA_H
#define COLLC_VERIFY_DATA_H

#include "ir/schedule.h"
#include "verify/values.h"

struct agreement;
struct verifier;

/* Growing list of runs that messages carry. `first` counts from the message's first chunk. */
struct run_list {
    struct run *runs;
    size_t n, capacity;
};

struct data {
    struct verifier *verifier;
    const struct schedule_header *header;
    const uint32_t *kept; /* [n_kept] ranks whose data are kept, which represent others; NULL: all */
    uint32_t n_kept;
    struct chunk_map *maps[N_BUFFERS]; /* [rank that is kept]; NULL for `in`, which never changes */
    struct rank_sets sets;
    bool is_barrier; /* every message carries the set of ranks its sender knows of */
    bool has_in_place; /* a chunk of `in` is one of `out` under MPI_IN_PLACE, at some rank */
    uint64_t n_in;     /* chunks of `in` */
    bool reduces;      /* the collective combines: `in` of a rank is its contribution */
    struct agreement *agreement; /* of a collective whose result many ranks have; else NULL */
    uint64_t in_apart; /* distance of a datum of `in` to that of the rank before, in the same chunk */
    const struct needs *needs; /* of a pattern that says what ranks need; else NULL */
    uint64_t *needed_set;      /* [sum of needs] ranks that contribute; NULL: nothing is combined */
    bool is_started;
};
/* Prepares the data. `kept`: n_kept ranks, the caller's, as long as the data; NULL: all ranks. */
void data_init(struct data *data, struct verifier *verifier, const uint32_t *kept, uint32_t n_kept);
static inline uint32_t data_kept(const struct data *data, uint32_t i)
{
    return data->kept ? data->kept[i] : i;
}
/* Puts the data that MPI gives where it is before the call. `step` is the first step, NULL if there is none:
 * sets of contributions are ordered by it. `group`: the kept ranks represent others by its shifts; NULL: they
 * do not. */
void data_start(struct data *data, const struct step *step, const struct shifts *group);
/* Orders the ranks for sets of contributions by the first step (data_order.c). O(ranks + receives). */
void data_order_ranks(struct data *data, const struct step *step);
void data_free(struct data *data);
/* Appends the contents of the chunks of a send or copy; damaged where they hold nothing. */
void data_read(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* Does the same without chunks of `in` and not for a barrier; asks no rule. True if all chunks hold
 * something. */
bool data_read_whole(const struct data *data, const struct op *op, struct run_list *list);
/* Appends damaged chunks instead. */
void data_read_damaged(const struct op *op, struct run_list *list);
/* Applies a receive, reduce or the writing half of a copy to its chunks. */
void data_write(struct data *data, const struct op *op, uint64_t step, const struct run *runs,
                size_t n);
/* Prefetches what data_write will change. Inlined: the compiler drops calls of a function that does nothing
 * else. */
__attribute__((always_inline)) static inline void data_prefetch(const struct data *data, const struct op *op)
{
    if (!data->maps[op->buffer])
        return;
    const struct run_block *block = &data->maps[op->buffer][op->rank].one;
    __builtin_prefetch(block->runs, 1);
    if (block->n > 1) { /* more than one line of the cache */
        __builtin_prefetch(block->runs + block->n / 2, 1);
        __builtin_prefetch((const char *)(block->runs + block->n) - 1, 1);
    }
    if (block->n > 4) { /* where a search looks after the middle */
        __builtin_prefetch(block->runs + block->n / 4, 1);
        __builtin_prefetch(block->runs + block->n / 4 * 3, 1);
    }
}
/* Does the same with damaged chunks; asks no rule. */
void data_damage(struct data *data, const struct op *op);
/* Applies a receive or reduce to its chunks when `send` sends chunks of `in`, which never change and need not
 * be kept from the start of the step. */
void data_write_in(struct data *data, const struct op *op, uint64_t step, const struct op *send);
/* Does the same for the receives of a step from the i-th on, send_of[receive] being the sends, all of `in`.
 * Stops at one without chunks, or with another number than its send. Returns its number, or that of
 * receives. */
size_t data_write_all_in(struct data *data, const struct step *step, const uint32_t *send_of, size_t i);
enum { AHEAD = 8 }; /* operations whose data are fetched before they are needed */

/* True if each message of a step is one chunk, which is not of `in` and is found at once in its map; then
 * value[send] is what it holds. Asks no rule. False: it is not so, and values are void. */
bool data_read_singles(const struct data *data, const struct step *step, struct chunk_value *value);
/* Applies the receives of such a step to their chunks, send_of[receive] being the sends. */
void data_write_singles(struct data *data, const struct step *step, const uint32_t *send_of,
                        const struct chunk_value *value);
/* Offers the chunks of `in` that `op` reads as aliased, where they are. data_read does that as well. */
void data_read_aliased(struct data *data, const struct op *op, uint64_t step);
/* Offers a local copy or combination. True if a rule says that what it writes is damaged. */
bool data_offer_local(const struct data *data, const struct op *op, uint64_t step);
/* Carries out a local copy or combination: reads, then writes. `list` is scratch. */
void data_copy(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* Carries out rows of them, which OP_COPIES refers to (rows.c). */
void data_copy_rows(struct data *data, const struct op *op, const struct step *step, struct run_list *list);
/* Returns what MPI requires in chunks chunk, chunk+1 ... of a buffer at the end, with n
 * up to the end of the buffer. False if nothing is required there; then n is for how many chunks, perhaps
 * beyond the end of the buffer. */
bool data_required(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                   struct run *required);
/* Offers what the result lacks, after the last step (ended.c). */
void data_end(const struct data *data);

/* Reports, after data_end, where all ranks are kept: all ranks get the same result, if the data are right;
 * offers it if they do not. */
void data_judge_agreement(const struct data *data);

/* Chunks first .. first+n-1 of the result of a rank. */
struct held {
    uint32_t rank, first, n;
};
struct held_list {
    const struct held *items; /* by rank, ascending */
    size_t n;
};
/* Appends an array of struct held to `out`, after the last of some independent steps (parts.h) without
 * findings. False: something is held that is not required, in `out` or elsewhere. */
bool data_give(const struct data *data, struct text *out);
/* True if n lists together have what is required of `out`, each chunk once. O(held * n). */
bool data_is_complete(const struct data *data, const struct held_list *lists, uint32_t n);

#endif
