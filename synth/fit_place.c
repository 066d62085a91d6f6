/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places messages in steps. See fit.h.
 */
#include "synth/fit.h"

#include <stdlib.h>
#include <string.h>

/* Steps compared for the cheapest, repairs between two checks of the time, and the share by which the
 * number of steps grows if messages are left over. */
enum { WORD = 64, LOOKED_AT = 64, OFTEN = 64, SHARE = 64 };
#define MOST_BYTES (UINT64_C(1) << 30)

/* The owner of each place in each step. */
struct table {
    struct fit *fit;
    uint32_t n_steps, most_steps; /* used so far; that there is memory for */
    size_t n_words;      /* words of a set of steps */
    uint64_t *full;      /* [resource * n_words] steps without a free place */
    size_t *begin;       /* [resource] words before it are all ones */
    size_t *first;       /* [resource] its places: first + step * room */
    uint32_t *taken;     /* [place] message + 1, 0: free */
    uint32_t *queue;     /* messages without a step, a ring */
    size_t n_waiting, at;
    uint64_t seed;
};

/* ---- places ---- */

static uint32_t *fit_place_of(struct table *table, uint32_t resource, uint32_t step)
{
    return &table->taken[table->first[resource] + (size_t)step * table->fit->room[resource]];
}

static void fit_place_take(struct table *table, uint32_t resource, uint32_t step, uint32_t message)
{
    uint32_t *place = fit_place_of(table, resource, step), i = 0;
    const uint32_t room = table->fit->room[resource];
    uint64_t *set = &table->full[resource * table->n_words];
    while (place[i])
        i++;
    place[i] = message + 1;
    while (i < room && place[i])
        i++;
    if (i < room)
        return;
    set[step / WORD] |= UINT64_C(1) << step % WORD;
    while (table->begin[resource] < table->n_words && set[table->begin[resource]] == UINT64_MAX)
        table->begin[resource]++;
}

static void fit_place_leave(struct table *table, uint32_t resource, uint32_t step, uint32_t message)
{
    uint32_t *place = fit_place_of(table, resource, step), i = 0;
    while (place[i] != message + 1)
        i++;
    place[i] = 0;
    table->full[resource * table->n_words + step / WORD] &= ~(UINT64_C(1) << step % WORD);
    if (table->begin[resource] > step / WORD)
        table->begin[resource] = step / WORD;
}

static void fit_place_put(struct table *table, uint32_t message, uint32_t step)
{
    const struct fit_message *self = &table->fit->messages[message];
    for (size_t i = self[0].needs; i < self[1].needs; i++)
        fit_place_take(table, table->fit->needs[i], step, message);
    table->fit->messages[message].step = step;
}

static void queue_up(struct table *table, uint32_t message)
{
    table->queue[(table->at + table->n_waiting++) % table->fit->n] = message;
}

static void turn_out(struct table *table, uint32_t message)
{
    struct fit_message *self = &table->fit->messages[message];
    for (size_t i = self[0].needs; i < self[1].needs; i++)
        fit_place_leave(table, table->fit->needs[i], self->step, message);
    self->step = FIT_NOWHERE;
    self->n_moved++;
    queue_up(table, message);
}

/* Returns the first step with all places, or FIT_NOWHERE. */
static uint32_t first_fit(const struct table *table, uint32_t message)
{
    const struct fit_message *self = &table->fit->messages[message];
    const uint32_t *needs = table->fit->needs;
    size_t word = 0;
    for (size_t i = self[0].needs; i < self[1].needs; i++)
        word = table->begin[needs[i]] > word ? table->begin[needs[i]] : word;
    for (; word < table->n_words; word++) {
        uint64_t full = 0;
        for (size_t i = self[0].needs; i < self[1].needs; i++)
            full |= table->full[needs[i] * table->n_words + word];
        if (full != UINT64_MAX)
            return (uint32_t)(word * WORD) + (uint32_t)__builtin_ctzll(~full);
    }
    return FIT_NOWHERE;
}

/* ---- turning out ---- */

/* Returns the owner of a place in a full step that was evicted least often. */
static uint32_t weakest(struct table *table, uint32_t resource, uint32_t step)
{
    const uint32_t *place = fit_place_of(table, resource, step);
    uint32_t weakest = place[0] - 1;
    for (uint32_t i = 1; i < table->fit->room[resource]; i++)
        if (table->fit->messages[place[i] - 1].n_moved < table->fit->messages[weakest].n_moved)
            weakest = place[i] - 1;
    return weakest;
}

static bool fit_place_is_full(const struct table *table, uint32_t resource, uint32_t step)
{
    return table->full[resource * table->n_words + step / WORD] >> step % WORD & 1;
}

static uint32_t random_below(struct table *table, uint32_t n)
{
    table->seed = table->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((table->seed >> 33) % n);
}

/* Returns the cost of having all places of a message in a step, up to `most`. */
static uint64_t fit_place_cost_of(struct table *table, uint32_t message, uint32_t step, uint64_t most)
{
    const struct fit_message *self = &table->fit->messages[message];
    const uint32_t *needs = table->fit->needs;
    uint64_t cost = 0;
    for (size_t i = self[0].needs; i < self[1].needs && cost < most; i++)
        if (fit_place_is_full(table, needs[i], step))
            cost += 1 + (uint64_t)table->fit->messages[weakest(table, needs[i], step)].n_moved;
    return cost;
}

/* Returns a step, among some behind a random one, whose owners were evicted least often. */
static uint32_t cheapest_step(struct table *table, uint32_t message)
{
    const uint32_t start = random_below(table, table->n_steps);
    const uint32_t n = table->n_steps < LOOKED_AT ? table->n_steps : LOOKED_AT;
    uint32_t best = start;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t step = start + i < table->n_steps ? start + i : start + i - table->n_steps;
        const uint64_t cost = fit_place_cost_of(table, message, step, least);
        if (cost < least) {
            least = cost;
            best = step;
        }
    }
    return best;
}

static void force(struct table *table, uint32_t message, uint32_t step)
{
    const struct fit_message *self = &table->fit->messages[message];
    for (size_t i = self[0].needs; i < self[1].needs; i++)
        if (fit_place_is_full(table, table->fit->needs[i], step))
            turn_out(table, weakest(table, table->fit->needs[i], step));
    fit_place_put(table, message, step);
}

/* Places waiting messages by evicting others. Returns false if time is up. */
static bool repair(struct table *table, uint64_t effort)
{
    const struct synth_request *request = table->fit->request;
    for (uint64_t n = 0; table->n_waiting && n < effort; n++) {
        const uint32_t message = table->queue[table->at];
        const struct synth_progress progress = {"fit", table->fit->n - table->n_waiting, table->fit->n};
        if (n % OFTEN == 0 && !synth_goes_on(request, &progress))
            return false;
        table->at = (table->at + 1) % table->fit->n;
        table->n_waiting--;
        const uint32_t step = first_fit(table, message);
        if (step != FIT_NOWHERE)
            fit_place_put(table, message, step);
        else
            force(table, message, cheapest_step(table, message));
    }
    return true;
}

/* ---- more steps ---- */

/* Opens the table for n steps; those behind them are full. */
static void open_steps(struct table *table, uint32_t n_steps)
{
    const uint32_t n = table->fit->n_resources;
    for (uint32_t step = table->n_steps; step < n_steps; step++)
        for (size_t i = 0; i < n; i++)
            table->full[i * table->n_words + step / WORD] &= ~(UINT64_C(1) << step % WORD);
    for (uint32_t i = 0; i < n; i++)
        if (table->begin[i] > table->n_steps / WORD)
            table->begin[i] = table->n_steps / WORD;
    table->n_steps = n_steps;
}

/* Gives messages that still wait steps behind the others, each the first with all places. */
static void fit_place_add_steps(struct table *table)
{
    struct fit *fit = table->fit;
    uint32_t *n_taken = mem_alloc(fit->n_resources, sizeof *n_taken), step = table->n_steps;
    for (; table->n_waiting; step++) {
        memset(n_taken, 0, fit->n_resources * sizeof *n_taken);
        for (size_t left = table->n_waiting; left > 0; left--) {
            const uint32_t message = table->queue[table->at];
            const struct fit_message *self = &fit->messages[message];
            size_t i = self[0].needs;
            table->at = (table->at + 1) % fit->n;
            table->n_waiting--;
            while (i < self[1].needs && n_taken[fit->needs[i]] < fit->room[fit->needs[i]])
                i++;
            if (i < self[1].needs) {
                queue_up(table, message);
                continue;
            }
            for (i = self[0].needs; i < self[1].needs; i++)
                n_taken[fit->needs[i]]++;
            fit->messages[message].step = step;
        }
    }
    free(n_taken);
}

/* ---- all ---- */

static bool table_new(struct fit *fit, struct table *table)
{
    const uint32_t most = fit->least + fit->least / 4 + 4;
    size_t n_places = 0;
    uint64_t bytes;
    *table = (struct table){.fit = fit, .most_steps = most, .n_words = most / WORD + 1,
                            .seed = (uint64_t)fit->request->seed + 1};
    table->first = mem_alloc(fit->n_resources, sizeof *table->first);
    for (uint32_t i = 0; i < fit->n_resources; i++) {
        table->first[i] = n_places;
        n_places += (size_t)fit->room[i] * most;
    }
    if (!mem_multiply(n_places, sizeof *table->taken, &bytes) || bytes > MOST_BYTES)
        return false;
    table->taken = mem_alloc(n_places, sizeof *table->taken);
    table->full = mem_alloc(fit->n_resources * table->n_words, sizeof *table->full);
    table->begin = mem_alloc(fit->n_resources, sizeof *table->begin);
    table->queue = mem_alloc(fit->n, sizeof *table->queue);
    memset(table->full, 0xff, fit->n_resources * table->n_words * sizeof *table->full);
    open_steps(table, fit->is_unequal ? most : fit->least);
    return true;
}

static void table_free(struct table *table)
{
    free(table->full);
    free(table->begin);
    free(table->first);
    free(table->taken);
    free(table->queue);
}

/* Fills the table: first fit, then repairs with more and more steps. */
static void fit_place_fill(struct table *table, uint64_t effort)
{
    bool goes_on = true;
    for (uint32_t i = 0; i < table->fit->n; i++) {
        const uint32_t step = first_fit(table, i);
        if (step == FIT_NOWHERE)
            queue_up(table, i);
        else
            fit_place_put(table, i, step);
    }
    while (table->n_waiting && goes_on && !table->fit->is_unequal) {
        goes_on = repair(table, effort);
        const uint32_t n_steps = table->n_steps + table->n_steps / SHARE + 1;
        if (!table->n_waiting || n_steps > table->most_steps)
            break;
        open_steps(table, n_steps);
    }
    fit_place_add_steps(table);
}

bool fit_place(struct fit *fit, uint64_t effort, struct text *problem)
{
    struct table table;
    const bool is_made = table_new(fit, &table);
    if (is_made)
        fit_place_fill(&table, effort);
    else
        text_printf(problem, "a table of %u steps for each link would take more than 1 GiB", fit->least);
    table_free(&table);
    return is_made;
}
