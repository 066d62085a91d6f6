/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What every chunk of every rank holds (values.h), from the state that MPI gives before the
 * call to the one it requires after.
 */
#ifndef COLLC_VERIFY_DATA_H
#define COLLC_VERIFY_DATA_H

#include "ir/schedule.h"
#include "verify/values.h"

struct agreement;
struct verifier;

/* A growing list of runs: what messages carry. `first` counts from the
 * message's first chunk. */
struct run_list {
    struct run *runs;
    size_t n, capacity;
};

struct data {
    struct verifier *verifier;
    const struct schedule_header *header;
    const uint32_t *kept; /* [n_kept] the ranks whose data are kept, which stand for others; NULL: all */
    uint32_t n_kept;
    struct chunk_map *maps[N_BUFFERS]; /* [rank that is kept]; NULL for `in`, which never changes */
    struct rank_sets sets;
    bool is_barrier; /* every message carries the ranks its sender knows of */
    bool has_in_place; /* a chunk of `in` is one of `out` under MPI_IN_PLACE, at some rank */
    uint64_t n_in;     /* chunks of `in` */
    bool reduces;      /* the collective combines: `in` of a rank is its contribution */
    struct agreement *agreement; /* of a collective whose result many ranks have; else NULL */
    uint64_t in_apart; /* how far a datum of `in` is from that of the rank before, in the same chunk */
    bool is_started;
};
/* `kept`: n_kept ranks, the caller's, as long as the data; NULL: all ranks. */
void data_init(struct data *data, struct verifier *verifier, const uint32_t *kept, uint32_t n_kept);
static inline uint32_t data_kept(const struct data *data, uint32_t i)
{
    return data->kept ? data->kept[i] : i;
}
/* Puts the data that MPI gives where it is before the call. `step` is the first
 * step, NULL if there is none: sets of contributions are ordered by it. `group`: the ranks that are kept
 * stand for others by its shifts; NULL: none does. */
void data_start(struct data *data, const struct step *step, const struct shifts *group);
void data_free(struct data *data);
/* Appends what the chunks of a send or copy hold; damaged where they hold nothing. */
void data_read(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* The same of no chunks of `in` and of no barrier, and nobody is told; whether all hold something. */
bool data_read_whole(const struct data *data, const struct op *op, struct run_list *list);
/* Appends damaged chunks in their place. */
void data_read_damaged(const struct op *op, struct run_list *list);
/* Does what a receive, reduce or the writing half of a copy does to its chunks. */
void data_write(struct data *data, const struct op *op, uint64_t step, const struct run *runs,
                size_t n);
/* Has the processor fetch what that will change. Not to be called: a function that does nothing else is
 * dropped. */
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
/* The same with chunks that are damaged; no rule is asked. */
void data_damage(struct data *data, const struct op *op);
/* Does what a receive or reduce does to its chunks when `send` sends chunks of `in`,
 * which never change and need not be kept from the start of the step. */
void data_write_in(struct data *data, const struct op *op, uint64_t step, const struct op *send);
/* The same of the receives of a step from the i-th on, send_of[receive] being the sends, which are all of
 * `in`; up to one that is of no chunks, or not of as many as its send. Its number, or that of receives. */
size_t data_write_all_in(struct data *data, const struct step *step, const uint32_t *send_of, size_t i);
enum { AHEAD = 8 }; /* operations whose data are fetched before they are needed */

/* Contents of a chunk. */
struct chunk_value {
    uint64_t datum, set, expr;
};
/* True if each message of a step is of one chunk, which is not of `in` and is found at once in its map; then
 * value[send] is what it holds. Nobody is told. False: it is not so, and values are void. */
bool data_read_singles(const struct data *data, const struct step *step, struct chunk_value *value);
/* Does what its receives do to their chunks then, send_of[receive] being the sends. */
void data_write_singles(struct data *data, const struct step *step, const uint32_t *send_of,
                        const struct chunk_value *value);
/* Offers what `op` reads of `in` as aliased, where it is so. data_read does that as well. */
void data_read_aliased(struct data *data, const struct op *op, uint64_t step);
/* Offers a local copy or combination. Returns whether a rule says that what it writes is damaged. */
bool data_offer_local(const struct data *data, const struct op *op, uint64_t step);
/* A local copy or combination: reads, then writes. `list` is scratch. */
void data_copy(struct data *data, const struct op *op, uint64_t step, struct run_list *list);
/* Rows of them, which OP_COPIES refers to (rows.c). */
void data_copy_rows(struct data *data, const struct op *op, const struct step *step, struct run_list *list);
/* Returns what MPI requires in chunks chunk, chunk+1 ... of a buffer at the end, with n
 * up to the end of the buffer. False if nothing is required there. */
bool data_required(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                   struct run *required);
/* After the last step: offers what the result lacks (ended.c). */
void data_end(const struct data *data);

/* After data_end, where all ranks are kept: says in the report whether all get the same result, if the data
 * are right, and offers it if they do not. */
void data_judge_agreement(const struct data *data);

/* Chunks first .. first+n-1 of the result of a rank. */
struct held {
    uint32_t rank, first, n;
};
struct held_list {
    const struct held *items; /* by rank, ascending */
    size_t n;
};
/* After the last of some independent steps (parts.h), of which nothing had to be said: appends an array of
 * struct held to `out`. False: something is held that is not required, in `out` or elsewhere. */
bool data_give(const struct data *data, struct text *out);
/* True if n lists together have what is required of `out`, each chunk once. O(held * n). */
bool data_is_complete(const struct data *data, const struct held_list *lists, uint32_t n);

#endif
