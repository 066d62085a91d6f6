/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The k-th send from one rank to another meets the k-th receive there, whatever their steps
 * (ir/schedule.h): a queue per pair of ranks of what waits. See moves.h.
 */
#include "verify/moves.h"

#include <stdlib.h>

/* A send that waits. */
struct waiting {
    struct op op;
    uint32_t next; /* of its pair, or in the free list; number + 1 */
};

/* From one rank to another: sends wait, or receives. */
struct pair {
    uint64_t key; /* source << 32 | destination, + 1; 0 is a free slot */
    uint32_t first, last;
    uint32_t n_receives;
};

struct moves {
    struct pair *pairs; /* open addressing */
    size_t n_pairs, n_slots;
    struct waiting *waiting;
    size_t n_waiting, waiting_capacity;
    uint32_t free;
    size_t n_open, limit; /* sends and receives that wait */
    struct op *moved;
    size_t n_moved, moved_capacity;
};

struct moves *moves_new(size_t limit)
{
    struct moves *moves = mem_alloc(1, sizeof *moves);
    moves->limit = limit;
    return moves;
}

void moves_free(struct moves *moves)
{
    free(moves->pairs);
    free(moves->waiting);
    free(moves->moved);
    free(moves);
}

static struct pair *moves_find_slot(struct pair *pairs, size_t n_slots, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ hash >> 32) & (n_slots - 1);
    while (pairs[at].key && pairs[at].key != key)
        at = (at + 1) & (n_slots - 1);
    return &pairs[at];
}

/* A table twice as large, without the pairs of which nothing waits. */
static void rebuild(struct moves *moves)
{
    const size_t n_slots = moves->n_slots ? moves->n_slots * 2 : 64;
    struct pair *pairs = mem_alloc(n_slots, sizeof *pairs);
    moves->n_pairs = 0;
    for (size_t i = 0; i < moves->n_slots; i++) {
        const struct pair *old = &moves->pairs[i];
        if (!old->first && !old->n_receives)
            continue;
        *moves_find_slot(pairs, n_slots, old->key) = *old;
        moves->n_pairs++;
    }
    free(moves->pairs);
    moves->pairs = pairs;
    moves->n_slots = n_slots;
}

static struct pair *find_pair(struct moves *moves, uint32_t source, uint32_t destination)
{
    const uint64_t key = ((uint64_t)source << 32 | destination) + 1;
    if ((moves->n_pairs + 1) * 2 > moves->n_slots)
        rebuild(moves);
    struct pair *pair = moves_find_slot(moves->pairs, moves->n_slots, key);
    moves->n_pairs += pair->key == 0;
    pair->key = key;
    return pair;
}

static void moves_move(struct moves *moves, const struct op *send)
{
    moves->moved = mem_grow(moves->moved, &moves->moved_capacity, moves->n_moved + 1,
                            sizeof *moves->moved);
    moves->moved[moves->n_moved++] = *send;
}

static void moves_push(struct moves *moves, struct pair *pair, const struct op *send)
{
    uint32_t number = moves->free;
    if (number) {
        moves->free = moves->waiting[number - 1].next;
    } else {
        moves->waiting = mem_grow(moves->waiting, &moves->waiting_capacity, moves->n_waiting + 1,
                                  sizeof *moves->waiting);
        number = (uint32_t)++moves->n_waiting;
    }
    moves->waiting[number - 1] = (struct waiting){*send, 0};
    if (pair->first)
        moves->waiting[pair->last - 1].next = number;
    else
        pair->first = number;
    pair->last = number;
    moves->n_open++;
}

static void pop(struct moves *moves, struct pair *pair)
{
    const uint32_t number = pair->first;
    struct waiting *waiting = &moves->waiting[number - 1];
    moves_move(moves, &waiting->op);
    pair->first = waiting->next;
    waiting->next = moves->free;
    moves->free = number;
    moves->n_open--;
}

static void moves_post_send(struct moves *moves, const struct op *send)
{
    struct pair *pair = find_pair(moves, send->rank, send->peer);
    if (pair->n_receives) {
        pair->n_receives--;
        moves->n_open--;
        moves_move(moves, send);
    } else if (moves->n_open < moves->limit) {
        moves_push(moves, pair, send);
    } else {
        moves_move(moves, send);
    }
}

static void moves_post_receive(struct moves *moves, const struct op *receive)
{
    struct pair *pair = find_pair(moves, receive->peer, receive->rank);
    if (pair->first) {
        pop(moves, pair);
    } else if (moves->n_open < moves->limit) {
        pair->n_receives++;
        moves->n_open++;
    }
}

size_t moves_step(struct moves *moves, const struct step *step, const struct op **sends)
{
    moves->n_moved = 0;
    for (size_t i = 0; i < step->n_sends; i++)
        moves_post_send(moves, &step->sends[i]);
    for (size_t i = 0; i < step->n_receives; i++)
        moves_post_receive(moves, &step->receives[i]);
    *sends = moves->moved;
    return moves->n_moved;
}
