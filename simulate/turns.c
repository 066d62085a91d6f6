/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads steps and cuts them into turns, one for each rank that does something in a step.
 * Operations whose data are of no bytes by the counts are left out, as both ends do.
 */
#include "simulate/internal.h"

#include "ir/counts.h"

#include <string.h>

enum { COUNT_SENDS, COUNT_RECEIVES, COUNT_COPIES, N_COUNTS };

static uint32_t *counts_of(struct player *player, uint32_t rank)
{
    return &player->step_counts[(size_t)rank * N_COUNTS];
}

bool turns_count(struct player *player)
{
    struct schedule *schedule = player->schedule;
    const struct schedule_header *header = &schedule->header;
    uint64_t *seen = mem_alloc(player->n_ranks, sizeof *seen); /* the step after the last one */
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        const struct op *const lists[N_COUNTS] = {step.sends, step.receives, step.copies};
        const size_t lengths[N_COUNTS] = {step.n_sends, step.n_receives, step.n_copies};
        player->played->n_steps += !step_is_local(&step);
        for (int list = 0; list < N_COUNTS; list++)
            for (size_t i = 0; i < lengths[list]; i++) {
                const struct op *op = &lists[list][i];
                if (list != COUNT_COPIES && !schedule_is_sent(header, op))
                    continue;
                player->played->n_messages += list == COUNT_SENDS;
                player->ranks[op->rank].n_unread += seen[op->rank] != step.index + 1;
                seen[op->rank] = step.index + 1;
            }
    }
    free(seen);
    return !schedule->failed;
}

/* ---- turns in memory ---- */

static struct turn *turn_new(struct player *player, uint32_t n_ops)
{
    struct turn **free_turns = n_ops <= TURN_SIZES ? &player->free_turns[n_ops] : NULL;
    struct turn *turn = free_turns ? *free_turns : NULL;
    const size_t size = sizeof *turn + n_ops * sizeof turn->ops[0];
    if (turn) {
        *free_turns = turn->next;
        memset(turn, 0, size);
    } else {
        turn = mem_alloc(1, size);
    }
    player->n_ahead += n_ops;
    return turn;
}

void turn_free(struct player *player, struct turn *turn)
{
    const uint32_t n_ops = turn->n_sends + turn->n_receives + turn->n_copies;
    player->n_ahead -= n_ops;
    if (n_ops > TURN_SIZES) {
        free(turn);
        return;
    }
    turn->next = player->free_turns[n_ops];
    player->free_turns[n_ops] = turn;
}

static void free_chain(struct turn *turn)
{
    while (turn) {
        struct turn *next = turn->next;
        free(turn);
        turn = next;
    }
}

void turns_free_all(struct player *player)
{
    for (uint32_t rank = 0; rank < player->n_ranks; rank++)
        free_chain(player->ranks[rank].first);
    for (size_t i = 0; i <= TURN_SIZES; i++)
        free_chain(player->free_turns[i]);
}

/* ---- a step ---- */

/* Counts the operations of each rank in a list; returns how many ranks are listed. */
static uint32_t count_list(struct player *player, const struct op *ops, size_t n, int list,
                           uint32_t n_touched)
{
    const struct schedule_header *header = &player->schedule->header;
    for (size_t i = 0; i < n; i++) {
        uint32_t *counts = counts_of(player, ops[i].rank);
        if (list != COUNT_COPIES && !schedule_is_sent(header, &ops[i]))
            continue;
        if (!counts[COUNT_SENDS] && !counts[COUNT_RECEIVES] && !counts[COUNT_COPIES])
            player->touched[n_touched++] = ops[i].rank;
        counts[list]++;
    }
    return n_touched;
}

/* An empty turn for a rank; its counts become where its next operation of each list goes. */
static void begin_turn(struct player *player, uint32_t rank, uint64_t step)
{
    uint32_t *counts = counts_of(player, rank);
    const uint32_t n_ops = counts[COUNT_SENDS] + counts[COUNT_RECEIVES] + counts[COUNT_COPIES];
    struct turn *turn = turn_new(player, n_ops);
    turn->rank = rank;
    turn->step = (uint32_t)step;
    turn->n_sends = counts[COUNT_SENDS];
    turn->n_receives = counts[COUNT_RECEIVES];
    turn->n_copies = counts[COUNT_COPIES];
    turn->n_open = turn->n_sends + turn->n_receives;
    turn->is_free = turn->n_copies == 0;
    counts[COUNT_COPIES] = turn->n_sends + turn->n_receives;
    counts[COUNT_RECEIVES] = turn->n_sends;
    counts[COUNT_SENDS] = 0;
    player->step_turns[rank] = turn;
}

static void fill_list(struct player *player, const struct op *ops, size_t n, int list)
{
    const struct schedule_header *header = &player->schedule->header;
    const struct player_settings *settings = player->settings;
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        if (list != COUNT_COPIES && !schedule_is_sent(header, op))
            continue;
        struct turn *turn = player->step_turns[op->rank];
        struct player_op *made = &turn->ops[counts_of(player, op->rank)[list]++];
        uint64_t bytes;
        const uint64_t unit_bytes =
            settings->unit_bytes ? settings->unit_bytes[op->rank] : settings->chunk_bytes;
        if (!mem_multiply(schedule_carried_units(header, op), unit_bytes, &bytes))
            bytes = UINT64_MAX;
        *made = (struct player_op){.turn = turn,
                                   .bytes = bytes,
                                   .peer = list == COUNT_COPIES ? op->rank : op->peer,
                                   .number = (uint32_t)i,
                                   .message = NO_MESSAGE,
                                   .kind = op->kind,
                                   .network = op->network,
                                   .is_packed = schedule_packed_units(header, op) > 0};
        turn->is_free = turn->is_free && op->kind != OP_REDUCE && !made->is_packed &&
                        (list != COUNT_SENDS || (op->n_chunks && op->buffer == BUFFER_IN));
    }
}

static void append_turn(struct player *player, struct turn *turn)
{
    struct player_rank *rank = &player->ranks[turn->rank];
    if (rank->last)
        rank->last->next = turn;
    else
        rank->first = turn;
    rank->last = turn;
    if (!rank->posting)
        rank->posting = turn;
    for (int kind = SENDS; kind <= RECEIVES; kind++)
        if (!rank->asked[kind].turn)
            rank->asked[kind].turn = turn;
    rank->n_unread--;
    player->n_active++;
}

uint32_t turns_read(struct player *player)
{
    struct step step;
    uint32_t n_touched = 0;
    if (!player->schedule->next(player->schedule, &step)) {
        player->is_all_read = true;
        return 0;
    }
    n_touched = count_list(player, step.sends, step.n_sends, COUNT_SENDS, n_touched);
    n_touched = count_list(player, step.receives, step.n_receives, COUNT_RECEIVES, n_touched);
    n_touched = count_list(player, step.copies, step.n_copies, COUNT_COPIES, n_touched);
    for (uint32_t i = 0; i < n_touched; i++)
        begin_turn(player, player->touched[i], step.index);
    fill_list(player, step.sends, step.n_sends, COUNT_SENDS);
    fill_list(player, step.receives, step.n_receives, COUNT_RECEIVES);
    fill_list(player, step.copies, step.n_copies, COUNT_COPIES);
    for (uint32_t i = 0; i < n_touched; i++) {
        append_turn(player, player->step_turns[player->touched[i]]);
        memset(counts_of(player, player->touched[i]), 0, N_COUNTS * sizeof(uint32_t));
    }
    if (player->n_ahead > player->played->most_ahead)
        player->played->most_ahead = player->n_ahead;
    return n_touched;
}
