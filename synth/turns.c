/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the steps of `phases` apart in time. No link has two messages in one of those steps, but nothing
 * holds ranks to the steps: a rank without operations in some goes ahead, and its message meets others.
 * Here a message waits for those that crossed its links before. The receiver of the last message over a
 * link tells the sender of the next one, by a message without data (Faraj & Yuan 2005 have such messages
 * between neighbouring phases). They go in steps of their own, each before the step that waits.
 *
 * Time O(messages * hops), memory O(messages + links).
 */
#include "network/load.h"
#include "synth/method.h"

#include <stdlib.h>
#include <string.h>

#define NO_MESSAGE UINT32_MAX

struct turns {
    const struct bound_request *what;
    struct synth_steps *steps;
    struct hop *hops;
    uint32_t *last;     /* [link] the message that crossed it last, in the steps done */
    uint32_t *number;   /* [step] what it becomes */
};

/* Orders messages by steps, which are numbered without gaps. */
static int turns_by_step(const void *left, const void *right)
{
    const struct synth_message *a = left, *b = right;
    return a->step != b->step ? (a->step > b->step) - (a->step < b->step)
                              : (a->from > b->from) - (a->from < b->from);
}

static uint32_t links_of(struct turns *turns, const struct synth_message *message)
{
    const struct topology *topology = turns->what->topology;
    const uint32_t *machine = turns->what->placement->machine;
    const uint32_t n = topology_route(topology, machine[message->from], machine[message->to], turns->hops);
    return link_loads_drop_fat_pipes(topology, turns->hops, n);
}

/* Makes a message wait for the last one on each of its links, unless that came from the same rank, where it
 * queues anyway, or to it. Adds notices in the step before and returns their number. */
static uint32_t turns_tell(struct turns *turns, const struct synth_message *message, uint32_t step)
{
    const uint32_t n = links_of(turns, message), from = message->from;
    uint32_t n_told = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t last = turns->last[turns->hops[i].link];
        if (last == NO_MESSAGE)
            continue;
        const struct synth_message *before = &turns->steps->messages[last];
        bool is_told = before->from == from || before->to == from;
        for (size_t k = turns->steps->n_messages - n_told; k < turns->steps->n_messages; k++)
            is_told |= turns->steps->messages[k].from == before->to;
        if (is_told)
            continue;
        synth_steps_send(turns->steps, &(struct synth_message){.step = step, .from = before->to, .to = from});
        n_told++;
    }
    return n_told;
}

/* Takes the messages of one step, [first, end). */
static void turns_take_step(struct turns *turns, size_t first, size_t end, uint32_t *n_steps)
{
    const uint32_t step = turns->steps->messages[first].step;
    uint32_t n_told = 0;
    for (size_t i = first; i < end; i++) {
        const struct synth_message message = turns->steps->messages[i];
        n_told += turns_tell(turns, &message, *n_steps);
    }
    *n_steps += n_told > 0;
    turns->number[step] = (*n_steps)++;
    for (size_t i = first; i < end; i++) {
        const uint32_t n = links_of(turns, &turns->steps->messages[i]);
        for (uint32_t k = 0; k < n; k++)
            turns->last[turns->hops[k].link] = (uint32_t)i;
    }
    for (size_t i = first; i < end; i++)
        turns->steps->messages[i].step = turns->number[step];
}

static void keep_apart(struct turns *turns)
{
    struct synth_steps *steps = turns->steps;
    const size_t n = steps->n_messages;
    uint32_t n_steps = 0;
    if (n == 0)
        return;
    qsort(steps->messages, n, sizeof *steps->messages, turns_by_step);
    turns->number = mem_alloc((size_t)steps->messages[n - 1].step + 1, sizeof *turns->number);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && steps->messages[end].step == steps->messages[first].step;)
            end++;
        turns_take_step(turns, first, end, &n_steps);
    }
    for (size_t i = 0; i < steps->n_locals; i++)
        steps->locals[i].step = turns->number[steps->locals[i].step];
    free(turns->number);
}

static bool turns_make(const struct synth_request *request, struct synth_steps *steps,
                       struct schedule_header *header, struct text *problem)
{
    const struct topology *topology = request->what.topology;
    struct turns turns = {.what = &request->what, .steps = steps};
    if (!phases_method.make(request, steps, header, problem))
        return false;
    turns.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *turns.hops);
    turns.last = mem_alloc(topology->n_link_ids, sizeof *turns.last);
    memset(turns.last, 0xff, topology->n_link_ids * sizeof *turns.last);
    keep_apart(&turns);
    free(turns.hops);
    free(turns.last);
    return true;
}

const struct synth_method turns_method = {"turns", turns_make, true};
