/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See uniform_parts.h.
 */
#include "simulate/uniform_parts.h"

#include "base/memory.h"

#include <stdlib.h>

void uniform_add_local(struct uniform *uniform, size_t first, uint64_t units)
{
    struct uniform_run *last = uniform->n_runs > first ? &uniform->runs[uniform->n_runs - 1] : NULL;
    if (last && last->units == units) {
        last->times++;
        return;
    }
    uniform->runs =
        mem_grow(uniform->runs, &uniform->run_capacity, uniform->n_runs + 1, sizeof *uniform->runs);
    uniform->runs[uniform->n_runs++] = (struct uniform_run){units, 1};
}

uint32_t *uniform_add_message(struct uniform *uniform, uint64_t units, uint32_t n_hops)
{
    const size_t first = uniform->n_hops;
    uniform->messages = mem_grow(uniform->messages, &uniform->message_capacity, uniform->n_messages + 1,
                                 sizeof *uniform->messages);
    uniform->messages[uniform->n_messages++] =
        (struct uniform_message){.units = units, .first_hop = first, .n_hops = n_hops};
    uniform->n_hops += n_hops;
    uniform->hops =
        mem_grow(uniform->hops, &uniform->hop_capacity, uniform->n_hops + 1, sizeof *uniform->hops);
    return uniform->hops + first;
}

void uniform_add_step(struct uniform *uniform, const struct uniform_step *step)
{
    uniform->steps =
        mem_grow(uniform->steps, &uniform->step_capacity, uniform->n_steps + 1, sizeof *uniform->steps);
    uniform->steps[uniform->n_steps++] = *step;
    uniform->work += step->work;
    if (step->n_messages > uniform->most_messages)
        uniform->most_messages = step->n_messages;
}

void uniform_free(struct uniform *uniform)
{
    if (!uniform)
        return;
    free(uniform->steps);
    free(uniform->messages);
    free(uniform->runs);
    free(uniform->hops);
    free(uniform->classes);
    free(uniform);
}
