/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says who of several is served first. See rules.h.
 */
#include "simulate/rules.h"

#include "base/map.h"

/* Returns the number by which requests of a rank at one time come before or after those of others. */
static uint64_t draw(const struct player_settings *settings, uint64_t now, uint32_t rank)
{
    const uint64_t drawn =
        (settings->seed * UINT64_C(0xd1342543de82ef95) + now) * UINT64_C(0x2545f4914f6cdd1d) + rank;
    return map_hash_number(drawn ^ drawn >> 29);
}

void requests_add(struct requests *requests, const struct player_settings *settings, uint64_t now,
                  uint32_t rank, uint64_t number, uint32_t message)
{
    const uint64_t drawn = settings->order == SEND_RANDOM ? draw(settings, now, rank) : 0;
    if (requests->n == requests->capacity)
        requests->items =
            mem_grow(requests->items, &requests->capacity, requests->n + 1, sizeof *requests->items);
    requests->items[requests->n++] = (struct request){drawn << 32 | rank, number, rank, message};
}

static void order_by_key(struct requests *requests)
{
    struct keyed *items = requests->order.items;
    for (size_t i = 0; i < requests->n; i++)
        items[i].key = requests->items[items[i].index].key;
    key_order_sort(&requests->order, requests->n);
}

static bool is_served_before(const struct request *a, const struct request *b)
{
    return a->key != b->key ? a->key < b->key : a->number <= b->number;
}

/* True if all requests are in their order. */
static bool are_in_order(const struct requests *requests)
{
    const struct keyed *items = requests->order.items;
    for (size_t i = 1; i < requests->n; i++)
        if (!is_served_before(&requests->items[items[i - 1].index], &requests->items[items[i].index]))
            return false;
    return true;
}

/* Requests of one rank mostly come in their order, so that by their keys alone all are in order. */
void requests_order(struct requests *requests)
{
    struct keyed *items = key_order_items(&requests->order, requests->n);
    for (size_t i = 0; i < requests->n; i++)
        items[i] = (struct keyed){.index = (uint32_t)i};
    if (are_in_order(requests))
        return;
    order_by_key(requests);
    if (are_in_order(requests))
        return;
    items = requests->order.items;
    for (size_t i = 0; i < requests->n; i++)
        items[i].key = requests->items[items[i].index].number;
    key_order_sort(&requests->order, requests->n);
    order_by_key(requests);
}

void requests_free(struct requests *requests)
{
    free(requests->items);
    key_order_free(&requests->order);
}
