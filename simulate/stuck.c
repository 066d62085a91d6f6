/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why nothing goes on: each rank that has not ended waits for another, and whoever follows that
 * comes to a rank that has ended, to the network, or in a circle.
 */
#include "simulate/internal.h"

#include <stdio.h>

enum { MAX_SHOWN_RANKS = 8 };

/* Returns the operation that a rank waits for first; NULL: it has ended. */
static const struct player_op *waited_for(const struct player_rank *rank)
{
    for (const struct turn *turn = rank->first; turn; turn = turn->next)
        for (uint32_t i = 0; i < turn->n_sends + turn->n_receives; i++)
            if (!turn->ops[i].is_over &&
                (i < turn->n_sends ? i < turn->n_sends_posted
                                   : i - turn->n_sends < turn->n_receives_posted))
                return &turn->ops[i];
    return NULL;
}

/* True if what it waits for is on the network. */
static bool is_in_flight(const struct player *player, const struct player_op *op)
{
    return op->message != NO_MESSAGE && player->messages[op->message].receive &&
           !player->messages[op->message].has_arrived;
}

static void stuck_describe(const struct player_op *op, struct text *text)
{
    text_printf(text, "rank %u in step %u waits to %s rank %u", op->turn->rank, op->turn->step,
                op->kind == OP_SEND ? "send to" : "receive from", op->peer);
}

/* Describes the ranks from `first` on that wait for each other, up to `end`, excluded. */
static void describe_chain(struct player *player, uint32_t first, uint32_t end, struct text *text)
{
    uint32_t rank = first, n = 0;
    do {
        const struct player_op *op = waited_for(&player->ranks[rank]);
        if (n++ < MAX_SHOWN_RANKS) {
            text_printf(text, "%s", n > 1 ? "; " : "");
            stuck_describe(op, text);
        }
        rank = op->peer;
    } while (rank != end);
    if (n > MAX_SHOWN_RANKS)
        text_printf(text, "; and %u more ranks", n - MAX_SHOWN_RANKS);
}

static void describe_network(struct player *player, struct text *text)
{
    const struct network_model_methods *methods = player->model->methods;
    char *why = NULL;
    const uint32_t n = methods->stuck ? methods->stuck(player->model, &why) : 0;
    if (n || why)
        text_printf(text, "%u message%s block%s each other on the network%s%s", n, plural(n),
                    n == 1 ? "s" : "", why ? ": " : "", why ? why : "");
    free(why);
}

char *player_describe_stuck(struct player *player)
{
    struct text text = {0};
    bool *is_seen = mem_alloc(player->n_ranks, sizeof *is_seen);
    uint32_t rank = 0;
    describe_network(player, &text);
    while (!player->ranks[rank].first)
        rank++;
    const uint32_t start = rank;
    const struct player_op *op = NULL;
    for (; !is_seen[rank]; rank = op->peer) {
        const struct player_op *next = waited_for(&player->ranks[rank]);
        if (!next || is_in_flight(player, next))
            break;
        is_seen[rank] = true;
        op = next;
    }
    if (is_seen[rank]) {
        text_printf(&text, "%sranks wait for each other: ", text.length ? "; " : "");
        describe_chain(player, rank, rank, &text);
    } else if (op && !text.length) {
        describe_chain(player, start, rank, &text);
        text_printf(&text, ", which %s",
                    waited_for(&player->ranks[rank]) ? "waits for the network"
                    : player->ranks[rank].n_unread   ? "waits for all to end the step"
                                                     : "has ended");
    }
    free(is_seen);
    return text.data;
}
