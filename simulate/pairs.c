/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which message meets which receive: those from one rank to another in the order in which both
 * were posted (MPI 4.0, section 3.5). A pair is kept only as long as something of it waits, so
 * there are never more pairs than operations in flight. The table is one of chains.
 */
#include "simulate/internal.h"

#include "base/map.h"

static uint32_t *bucket_of(struct pairs *pairs, uint32_t from, uint32_t to)
{
    return &pairs->buckets[map_hash_number((uint64_t)from << 32 | to) & (pairs->n_buckets - 1)];
}

static void make_buckets(struct pairs *pairs)
{
    uint32_t *old = pairs->buckets;
    const size_t n_old = pairs->n_buckets;
    pairs->n_buckets = n_old ? 2 * n_old : 64;
    pairs->buckets = mem_alloc(pairs->n_buckets, sizeof *pairs->buckets);
    for (size_t i = 0; i < pairs->n_buckets; i++)
        pairs->buckets[i] = NO_MESSAGE;
    for (size_t i = 0; i < n_old; i++)
        for (uint32_t at = old[i], next; at != NO_MESSAGE; at = next) {
            struct pair *pair = &pairs->pairs[at];
            uint32_t *bucket = bucket_of(pairs, pair->from, pair->to);
            next = pair->next;
            pair->next = *bucket;
            *bucket = at;
        }
    free(old);
}

/* The link of its chain at which the pair is, or is not: the end of the chain. */
static uint32_t *simulate_pairs_find(struct pairs *pairs, uint32_t from, uint32_t to)
{
    uint32_t *link = bucket_of(pairs, from, to);
    while (*link != NO_MESSAGE &&
           (pairs->pairs[*link].from != from || pairs->pairs[*link].to != to))
        link = &pairs->pairs[*link].next;
    return link;
}

static struct pair *simulate_pairs_add(struct pairs *pairs, uint32_t from, uint32_t to)
{
    if (pairs->n_used + 1 > pairs->n_buckets)
        make_buckets(pairs);
    uint32_t at = pairs->free;
    if (pairs->n_used == pairs->n) {
        pairs->pairs = mem_grow(pairs->pairs, &pairs->capacity, pairs->n + 1, sizeof *pairs->pairs);
        at = (uint32_t)pairs->n++;
    } else {
        pairs->free = pairs->pairs[at].next;
    }
    uint32_t *bucket = bucket_of(pairs, from, to);
    pairs->pairs[at] = (struct pair){.from = from, .to = to, .next = *bucket,
                                     .first_message = NO_MESSAGE, .last_message = NO_MESSAGE};
    *bucket = at;
    pairs->n_used++;
    return &pairs->pairs[at];
}

/* Nothing of the pair at that link waits any more. */
static void simulate_pairs_take_out(struct pairs *pairs, uint32_t *link)
{
    const uint32_t at = *link;
    *link = pairs->pairs[at].next;
    pairs->pairs[at].next = pairs->free;
    pairs->free = at;
    pairs->n_used--;
}

uint32_t pairs_post_receive(struct player *player, struct player_op *receive)
{
    struct pairs *pairs = &player->pairs;
    const uint32_t from = receive->peer, to = receive->turn->rank;
    uint32_t *link = pairs->n_buckets ? simulate_pairs_find(pairs, from, to) : NULL;
    struct pair *pair = link && *link != NO_MESSAGE ? &pairs->pairs[*link] : NULL;
    receive->next = NULL;
    if (pair && pair->first_message != NO_MESSAGE) {
        const uint32_t message = pair->first_message;
        pair->first_message = player->messages[message].next;
        if (pair->first_message == NO_MESSAGE)
            simulate_pairs_take_out(pairs, link);
        return message;
    }
    if (!pair)
        pair = simulate_pairs_add(pairs, from, to);
    if (pair->first_receive)
        pair->last_receive->next = receive;
    else
        pair->first_receive = receive;
    pair->last_receive = receive;
    return NO_MESSAGE;
}

struct player_op *pairs_post_message(struct player *player, uint32_t message)
{
    struct pairs *pairs = &player->pairs;
    const struct transit *transit = &player->messages[message].transit;
    uint32_t *link = pairs->n_buckets ? simulate_pairs_find(pairs, transit->from, transit->to) : NULL;
    struct pair *pair = link && *link != NO_MESSAGE ? &pairs->pairs[*link] : NULL;
    player->messages[message].next = NO_MESSAGE;
    if (pair && pair->first_receive) {
        struct player_op *receive = pair->first_receive;
        pair->first_receive = receive->next;
        if (!pair->first_receive)
            simulate_pairs_take_out(pairs, link);
        receive->next = NULL;
        return receive;
    }
    if (!pair)
        pair = simulate_pairs_add(pairs, transit->from, transit->to);
    if (pair->first_message != NO_MESSAGE)
        player->messages[pair->last_message].next = message;
    else
        pair->first_message = message;
    pair->last_message = message;
    return NULL;
}

void player_pairs_free(struct pairs *pairs)
{
    free(pairs->pairs);
    free(pairs->buckets);
    *pairs = (struct pairs){0};
}
