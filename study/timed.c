/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See timed.h. Times are kept for all operations at once, as the player ends them in the order of time,
 * and readers of the steps want the order of the schedule.
 */
#include "study/timed.h"

#include <stdlib.h>
#include <string.h>

enum { SENDS, RECEIVES, COPIES, N_LISTS };

struct timed {
    struct schedule schedule;  /* first */
    struct schedule *inner;
    struct op_time *times;     /* [operation] step by step, list by list */
    size_t *first;             /* [step * N_LISTS + list] */
    size_t n_lists, capacity;
};

static bool timed_next(struct schedule *schedule, struct step *step)
{
    struct timed *timed = (struct timed *)schedule;
    const bool is_given = timed->inner->next(timed->inner, step);
    schedule->failed = timed->inner->failed;
    if (!is_given)
        return false;
    const size_t *first = &timed->first[step->index * N_LISTS];
    step->send_times = timed->times + first[SENDS];
    step->receive_times = timed->times + first[RECEIVES];
    step->copy_times = timed->times + first[COPIES];
    return true;
}

static void timed_rewind(struct schedule *schedule)
{
    struct timed *timed = (struct timed *)schedule;
    timed->inner->rewind(timed->inner);
    schedule->failed = timed->inner->failed;
}

static void timed_destroy(struct schedule *schedule)
{
    struct timed *timed = (struct timed *)schedule;
    free(timed->times);
    free(timed->first);
    free(timed);
}

static void note_time(void *context, const struct played_op *op)
{
    struct timed *timed = context;
    const int list = op->kind == OP_SEND ? SENDS : op->kind < OP_COPY ? RECEIVES : COPIES;
    timed->times[timed->first[op->step * N_LISTS + (size_t)list] + op->number] =
        (struct op_time){op->start, op->end};
}

static void timed_make_room(struct timed *timed)
{
    struct step step;
    size_t n = 0;
    timed->inner->rewind(timed->inner);
    while (timed->inner->next(timed->inner, &step)) {
        const size_t lengths[N_LISTS] = {step.n_sends, step.n_receives, step.n_copies};
        timed->first = mem_grow(timed->first, &timed->capacity, timed->n_lists + N_LISTS,
                                sizeof *timed->first);
        for (int list = 0; list < N_LISTS; n += lengths[list++])
            timed->first[timed->n_lists++] = n;
    }
    timed->times = mem_alloc(n + 1, sizeof *timed->times);
}

struct schedule *timed_new(struct schedule *schedule, const struct simulation_request *request,
                           char **problem, struct diagnostics *diagnostics)
{
    struct timed *timed = mem_alloc(1, sizeof *timed);
    struct simulation_request observed = *request;
    struct simulation simulation;
    *timed = (struct timed){.schedule = {.header = schedule->header,
                                         .source = schedule->source,
                                         .next = timed_next,
                                         .rewind = timed_rewind,
                                         .destroy = timed_destroy},
                            .inner = schedule};
    timed->schedule.header.is_timed = true;
    timed_make_room(timed);
    observed.settings.observe = note_time;
    observed.settings.context = timed;
    simulation_run(&observed, schedule, &simulation, diagnostics);
    const bool is_whole = simulation.played.outcome == PLAYED_WHOLE;
    *problem = NULL;
    if (simulation.played.problem)
        *problem = strdup(simulation.played.problem);
    simulation_free(&simulation);
    if (is_whole)
        return &timed->schedule;
    timed_destroy(&timed->schedule);
    return NULL;
}
