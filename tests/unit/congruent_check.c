/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See alike_check.h.
 */
#include "tests/unit/congruent_check.h"

#include "compiler/passes/symmetry/congruent.h"
#include "simulate/uniform.h"
#include "study/symmetric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation of a rank: its place in the list, its peer and its number of chunks. */
struct deed {
    uint32_t list, rank, place, kind, network, n_chunks, peer;
};

struct deeds {
    struct deed *items;
    size_t n, capacity;
    uint64_t n_more; /* steps like it that are still to come */
};

static void add_list(struct deeds *deeds, uint32_t list, const struct op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        deeds->items = mem_grow(deeds->items, &deeds->capacity, deeds->n + 1, sizeof *deeds->items);
        deeds->items[deeds->n++] = (struct deed){
            list, op->rank, (uint32_t)i, op->kind, op->network, op->n_chunks, list == 2 ? 0 : op->peer};
    }
}

static int compare_deeds(const void *a, const void *b)
{
    const struct deed *x = a, *y = b;
    if (x->list != y->list)
        return x->list < y->list ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Returns the deeds of a step, rank by rank; the caller frees the items. */
static struct deeds deeds_of(const struct step *step)
{
    struct deeds deeds = {.n_more = step->n_more};
    add_list(&deeds, 0, step->sends, step->n_sends);
    add_list(&deeds, 1, step->receives, step->n_receives);
    add_list(&deeds, 2, step->copies, step->n_copies);
    if (deeds.n)
        qsort(deeds.items, deeds.n, sizeof *deeds.items, compare_deeds);
    for (size_t i = 0; i < deeds.n; i++)
        deeds.items[i].place = 0;
    return deeds;
}

static bool same_deeds(const struct deeds *a, const struct deeds *b)
{
    return a->n == b->n && (!a->n || memcmp(a->items, b->items, a->n * sizeof *a->items) == 0);
}

/* Steps that others are like, by number. */
struct known {
    struct deeds *items;
    size_t n, capacity;
};

static bool same_step(struct known *known, const struct step *alike, const struct step *step,
                      unsigned *n_likes)
{
    struct deeds expected = deeds_of(step);
    bool is_same = alike->index == step->index;
    if (alike->like) {
        struct deeds *like = alike->like <= known->n ? &known->items[alike->like - 1] : NULL;
        is_same = is_same && like && like->n_more-- > 0 && same_deeds(like, &expected);
        ++*n_likes;
    } else {
        struct deeds own = deeds_of(alike);
        is_same = is_same && same_deeds(&own, &expected);
        if (alike->n_more) {
            known->items = mem_grow(known->items, &known->capacity, known->n + 1, sizeof *known->items);
            known->items[known->n++] = own;
        } else {
            free(own.items);
        }
    }
    free(expected.items);
    return is_same;
}

static bool same_steps(struct schedule *alike, struct schedule *schedule, unsigned *n_likes)
{
    struct known known = {0};
    struct step of_alike, step;
    bool is_same = true, is_next = true;
    alike->rewind(alike);
    schedule->rewind(schedule);
    while (is_same && is_next) {
        is_next = alike->next(alike, &of_alike);
        is_same = schedule->next(schedule, &step) == is_next &&
                  (!is_next || same_step(&known, &of_alike, &step, n_likes));
    }
    for (size_t i = 0; i < known.n; i++) {
        is_same = is_same && known.items[i].n_more == 0;
        free(known.items[i].items);
    }
    free(known.items);
    return is_same && !schedule->failed;
}

static bool same_transfer(struct transfer a, struct transfer b)
{
    return a.chunks == b.chunks && a.bandwidth == b.bandwidth;
}

static bool same_load(const struct step_load *a, const struct step_load *b)
{
    return a->first == b->first && a->n_steps == b->n_steps && a->latency == b->latency &&
           same_transfer(a->link, b->link) && same_transfer(a->sender, b->sender) &&
           a->slowdown == b->slowdown && a->memory_chunks == b->memory_chunks &&
           a->local_chunks == b->local_chunks && a->rank_messages == b->rank_messages &&
           a->server_messages == b->server_messages && a->has_memory == b->has_memory;
}

static bool same_measures(const struct predict_loads *a, const struct predict_loads *b)
{
    bool is_same = a->n == b->n && a->n_unlike == b->n_unlike && a->n_steps == b->n_steps &&
                   a->n_messages == b->n_messages && a->n_operations == b->n_operations &&
                   a->n_crossings == b->n_crossings && same_transfer(a->link_total, b->link_total) &&
                   a->memory_total == b->memory_total && a->local_total == b->local_total;
    for (size_t i = 0; is_same && i < a->n; i++)
        is_same = same_load(&a->loads[i], &b->loads[i]);
    return is_same;
}

static bool same_loads(struct schedule *alike, struct schedule *schedule, const struct topology *topology,
                       const struct placement *placement)
{
    struct predict_loads of_alike, loads;
    struct diagnostics diagnostics = {0};
    const bool is_measured = predict_gather(schedule, topology, placement, &loads, &diagnostics);
    const bool is_same = predict_gather(alike, topology, placement, &of_alike, &diagnostics) == is_measured &&
                         (!is_measured || same_measures(&of_alike, &loads));
    predict_loads_free(&of_alike);
    predict_loads_free(&loads);
    diagnostics_free(&diagnostics);
    return is_same;
}

/* True if representatives put on classes of links what all ranks put on their links. */
static bool same_by_symmetry(const struct binding *binding, struct schedule *schedule,
                             struct alike_tally *tally)
{
    struct predict_loads by_symmetry, loads;
    struct diagnostics diagnostics = {0};
    bool is_same = true;
    if (predict_by_symmetry(binding, &by_symmetry)) {
        tally->n_symmetric++;
        is_same = schedule &&
                  predict_gather(schedule, binding->topology, binding->placement, &loads, &diagnostics) &&
                  same_measures(&by_symmetry, &loads);
        if (schedule)
            predict_loads_free(&loads);
    }
    predict_loads_free(&by_symmetry);
    diagnostics_free(&diagnostics);
    return is_same;
}

static bool same_time(const struct uniform *a, const struct uniform *b, const struct topology *topology,
                      const struct placement *placement)
{
    const struct player_settings settings = {.topology = topology,
                                             .placement = placement,
                                             .costs = {500, 200, UINT64_C(10000000000), 300, 0, 0},
                                             .chunk_bytes = 3000,
                                             .eager_limit = PLAYER_EAGER_LIMIT,
                                             .synchronisation = SYNC_LOCAL};
    uint64_t time_a = 0, time_b = 0;
    struct time_parts parts_a = {0}, parts_b = {0};
    const bool is_played = uniform_play(a, &settings, &time_a, &parts_a);
    return uniform_play(b, &settings, &time_b, &parts_b) == is_played &&
           (!is_played || (time_a == time_b && memcmp(&parts_a, &parts_b, sizeof parts_a) == 0)) &&
           uniform_work(a) == uniform_work(b);
}

static bool same_uniform(struct schedule *alike, struct schedule *schedule, const struct topology *topology,
                         const struct placement *placement, struct alike_tally *tally)
{
    struct uniform *of_alike = uniform_find(alike, topology, placement);
    struct uniform *uniform = uniform_find(schedule, topology, placement);
    const bool is_same =
        uniform && of_alike ? same_time(of_alike, uniform, topology, placement) : uniform == of_alike;
    tally->uniform += uniform != NULL;
    uniform_free(of_alike);
    uniform_free(uniform);
    return is_same;
}

/* One rank for all, by its symmetry, where that is known. */
static bool same_uniform_by_symmetry(const struct binding *binding, struct schedule *schedule,
                                     struct alike_tally *tally)
{
    struct uniform *by_symmetry = uniform_by_symmetry(binding);
    if (!by_symmetry)
        return true;
    struct uniform *uniform = schedule ? uniform_find(schedule, binding->topology, binding->placement) : NULL;
    const bool is_same = uniform && same_time(by_symmetry, uniform, binding->topology, binding->placement);
    tally->n_uniform_symmetric++;
    uniform_free(by_symmetry);
    uniform_free(uniform);
    return is_same;
}

bool alike_is_right(const struct binding *binding, struct schedule *schedule, const struct topology *topology,
                    const struct placement *placement, const char *label, struct alike_tally *tally)
{
    struct schedule *alike = expand_congruent(binding);
    const char *what = NULL;
    tally->n++;
    tally->known += alike != NULL;
    if (alike && (!schedule || schedule->failed || !same_steps(alike, schedule, &tally->n_likes)))
        what = "what ranks do";
    else if (alike && topology && !same_loads(alike, schedule, topology, placement))
        what = "what is measured";
    else if (alike && topology && !same_uniform(alike, schedule, topology, placement, tally))
        what = "whether one stands for all";
    else if (binding->topology && !same_by_symmetry(binding, schedule, tally))
        what = "loads by symmetry";
    else if (binding->topology && !same_uniform_by_symmetry(binding, schedule, tally))
        what = "one rank for all by symmetry";
    if (what)
        printf("\n  steps alike (%s): %s\n", what, label);
    tally->disagreed += what != NULL;
    if (alike)
        alike->destroy(alike);
    return !what;
}
