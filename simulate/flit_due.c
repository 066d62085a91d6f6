/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events by the cycle at which they are due: a wheel of lists for the next cycles, and a heap for later
 * ones. Also the pools of numbers.
 */
#include "simulate/flit_parts.h"

#include "base/memory.h"

static bool flit_due_is_before(const struct due_later *a, const struct due_later *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->sequence < b->sequence;
}

void flit_due_later(struct flit_model *model, uint64_t cycle, uint32_t item)
{
    const struct due_later due = {cycle, model->n_put_off++, item};
    model->later = mem_grow(model->later, &model->later_capacity, model->n_later + 1,
                            sizeof *model->later);
    size_t at = model->n_later++;
    for (; at && flit_due_is_before(&due, &model->later[(at - 1) / 2]); at = (at - 1) / 2)
        model->later[at] = model->later[(at - 1) / 2];
    model->later[at] = due;
}

static void pop_later(struct flit_model *model)
{
    const struct due_later last = model->later[--model->n_later];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < model->n_later; at = child) {
        child +=
            child + 1 < model->n_later && flit_due_is_before(&model->later[child + 1], &model->later[child]);
        if (!flit_due_is_before(&model->later[child], &last))
            break;
        model->later[at] = model->later[child];
    }
    model->later[at] = last;
}

void flit_due_grow(struct due_list *list)
{
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
}

struct due_list *flit_due_now(struct flit_model *model)
{
    for (; model->n_later && model->later[0].cycle <= model->now; pop_later(model))
        flit_due_at(model, model->now, (enum due)(model->later[0].item & ((1u << DUE_BITS) - 1)),
                    model->later[0].item >> DUE_BITS);
    return &model->soon[model->now % DUE_SOON];
}

void flit_due_done(struct flit_model *model, struct due_list *list)
{
    model->n_soon -= list->n;
    list->n = 0;
}

uint64_t flit_due_next(const struct flit_model *model)
{
    const uint64_t later = model->n_later ? model->later[0].cycle : SIMULATE_NEVER;
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
