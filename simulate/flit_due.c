/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events by the cycle at which they are due: a wheel of lists for the next cycles, and a heap for later
 * ones. Also the pools of numbers.
 */
#include "simulate/flit_parts.h"

static bool flit_due_is_before(const void *a, const void *b)
{
    const struct due_later *left = a, *right = b;
    return left->cycle != right->cycle ? left->cycle < right->cycle : left->sequence < right->sequence;
}

void flit_due_later(struct flit_model *model, uint64_t cycle, uint32_t item)
{
    const struct due_later due = {cycle, model->n_put_off++, item};
    heap_push(&model->later, &due, sizeof due, flit_due_is_before);
}

void flit_due_grow(struct flit_model *model, struct due_list *list)
{
    if (!list->n)
        model->n_soon++;
    if (!list->n && model->n_spare) {
        *list = model->spare[--model->n_spare];
        return;
    }
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
}

/* The first of those that are due later, or NULL. */
static const struct due_later *flit_due_first(const struct flit_model *model)
{
    return model->later.n ? model->later.items : NULL;
}

struct due_list *flit_due_now(struct flit_model *model)
{
    const struct due_later *first;
    for (; (first = flit_due_first(model)) && first->cycle <= model->now;
         heap_drop(&model->later, sizeof *first, flit_due_is_before))
        flit_due_at(model, model->now, (enum due)(first->item & ((1u << DUE_BITS) - 1)),
                    first->item >> DUE_BITS);
    return &model->soon[model->now % DUE_SOON];
}

void flit_due_done(struct flit_model *model, struct due_list *list)
{
    if (!list->n)
        return;
    model->n_soon--;
    list->n = 0;
    model->spare = mem_grow(model->spare, &model->spare_capacity, model->n_spare + 1, sizeof *model->spare);
    model->spare[model->n_spare++] = *list;
    *list = (struct due_list){NULL, 0, 0};
}

uint64_t flit_due_next(const struct flit_model *model)
{
    const struct due_later *first = flit_due_first(model);
    const uint64_t later = first ? first->cycle : SIMULATE_NEVER;
    if (!model->n_soon)
        return later;
    uint64_t cycle = model->now;
    while (!model->soon[cycle % DUE_SOON].n)
        cycle++;
    return cycle < later ? cycle : later;
}

uint32_t flit_pool_take(struct flit_pool *pool, void *items_at, size_t size)
{
    if (pool->n_free)
        return pool->free[--pool->n_free];
    void **items = items_at;
    *items = mem_grow(*items, &pool->capacity, (size_t)pool->n + 1, size);
    return pool->n++;
}

void flit_pool_give(struct flit_pool *pool, uint32_t number)
{
    pool->free = mem_grow(pool->free, &pool->free_capacity, (size_t)pool->n_free + 1,
                          sizeof *pool->free);
    pool->free[pool->n_free++] = number;
}
