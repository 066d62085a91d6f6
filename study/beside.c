/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See beside.h.
 */
#include "study/beside.h"

#include "ir/counts.h"

#include <stdlib.h>
#include <string.h>

/* ---- one schedule of several ---- */

struct part {
    struct schedule *schedule;
    uint32_t first_rank;
    bool is_over;
};

/* Operations of a step, with ranks of the whole. */
struct ops {
    struct op *items;
    size_t n, capacity;
};

struct joined {
    struct schedule schedule;
    struct part *parts;
    size_t n;
    uint64_t index;
    struct ops sends, receives, copies;
    struct text name;
};

static void beside_add_ops(struct ops *ops, const struct op *from, size_t n, uint32_t first_rank)
{
    ops->items = mem_grow(ops->items, &ops->capacity, ops->n + n, sizeof *ops->items);
    for (size_t i = 0; i < n; i++) {
        struct op *op = &ops->items[ops->n++];
        *op = from[i];
        op->rank += first_rank;
        op->line = 0; /* line of another source than the whole's */
        if (!op_is_local(op))
            op->peer += first_rank;
    }
}

static bool joined_next(struct schedule *schedule, struct step *step)
{
    struct joined *joined = (struct joined *)schedule;
    bool is_any = false;
    joined->sends.n = joined->receives.n = joined->copies.n = 0;
    for (size_t i = 0; i < joined->n; i++) {
        struct part *part = &joined->parts[i];
        struct step of_part;
        part->is_over = part->is_over || !part->schedule->next(part->schedule, &of_part);
        schedule->failed = schedule->failed || part->schedule->failed;
        if (part->is_over)
            continue;
        is_any = true;
        beside_add_ops(&joined->sends, of_part.sends, of_part.n_sends, part->first_rank);
        beside_add_ops(&joined->receives, of_part.receives, of_part.n_receives, part->first_rank);
        beside_add_ops(&joined->copies, of_part.copies, of_part.n_copies, part->first_rank);
    }
    *step = (struct step){.index = joined->index++,
                          .sends = joined->sends.items,
                          .receives = joined->receives.items,
                          .copies = joined->copies.items,
                          .n_sends = joined->sends.n,
                          .n_receives = joined->receives.n,
                          .n_copies = joined->copies.n};
    return is_any && !schedule->failed;
}

static void joined_rewind(struct schedule *schedule)
{
    struct joined *joined = (struct joined *)schedule;
    joined->index = 0;
    for (size_t i = 0; i < joined->n; i++) {
        joined->parts[i].is_over = false;
        joined->parts[i].schedule->rewind(joined->parts[i].schedule);
    }
}

static void joined_destroy(struct schedule *schedule)
{
    struct joined *joined = (struct joined *)schedule;
    free(joined->parts);
    free(joined->sends.items);
    free(joined->receives.items);
    free(joined->copies.items);
    text_free(&joined->name);
    free(joined);
}

struct schedule *beside_schedule(const struct beside_job *jobs, size_t n)
{
    struct joined *joined = mem_alloc(1, sizeof *joined);
    const struct schedule_header *first = &jobs[0].schedule->header;
    joined->parts = mem_alloc(n, sizeof *joined->parts);
    joined->n = n;
    joined->schedule = (struct schedule){
        .next = joined_next, .rewind = joined_rewind, .destroy = joined_destroy};
    struct schedule_header *header = &joined->schedule.header;
    *header = (struct schedule_header){
        .collective = first->collective, .form = first->form, .segments = 1};
    for (size_t i = 0; i < n; i++) {
        const struct schedule_header *of = &jobs[i].schedule->header;
        joined->parts[i] = (struct part){jobs[i].schedule, header->n_ranks, false};
        header->n_ranks += of->n_ranks;
        if (i)
            text_printf(&joined->name, " beside %s/", collective_name(of->collective, of->form));
        text_printf(&joined->name, "%s", of->algorithm);
    }
    header->algorithm = joined->name.data;
    return &joined->schedule;
}

struct placement *beside_placement(const struct beside_job *jobs, size_t n)
{
    uint32_t *machine = NULL;
    size_t n_ranks = 0, capacity = 0;
    for (size_t i = 0; i < n; i++) {
        const struct placement *of = jobs[i].placement;
        machine = mem_grow(machine, &capacity, n_ranks + of->n_ranks, sizeof *machine);
        memcpy(machine + n_ranks, of->machine, of->n_ranks * sizeof *machine);
        n_ranks += of->n_ranks;
    }
    struct placement *all = placement_of_machines(machine, (uint32_t)n_ranks, "jobs");
    free(machine);
    return all;
}

/* ---- its time ---- */

/* Data of each rank of the whole. */
struct seats {
    uint32_t *job;
    uint64_t *unit_bytes;
    struct simulation_job *jobs;
};

static void note_end(void *context, const struct played_op *op)
{
    struct seats *seats = context;
    struct simulation_job *job = &seats->jobs[seats->job[op->rank]];
    if (op->end > job->time)
        job->time = op->end;
}

static uint64_t time_alone(const struct simulation_request *request, const struct beside_job *job,
                           struct diagnostics *diagnostics)
{
    struct simulation_request alone = *request;
    struct simulation simulation;
    alone.has_over_time = false;
    alone.settings.placement = job->placement;
    alone.settings.chunk_bytes = schedule_unit_bytes(&job->schedule->header);
    alone.settings.max_events = 0;
    simulation_run(&alone, job->schedule, &simulation, diagnostics);
    const uint64_t time =
        simulation.played.outcome == PLAYED_WHOLE ? simulation.played.time : UINT64_MAX;
    simulation_free(&simulation);
    return time;
}

void beside_run(const struct simulation_request *request, const struct beside_job *jobs, size_t n,
                struct schedule *all, struct simulation *simulation, struct diagnostics *diagnostics)
{
    const uint32_t n_ranks = all->header.n_ranks;
    struct simulation_request together = *request;
    struct seats seats = {.job = mem_alloc(n_ranks, sizeof *seats.job),
                          .unit_bytes = mem_alloc(n_ranks, sizeof *seats.unit_bytes),
                          .jobs = mem_alloc(n, sizeof *seats.jobs)};
    uint32_t rank = 0;
    for (size_t i = 0; i < n; i++) {
        const struct schedule_header *header = &jobs[i].schedule->header;
        seats.jobs[i] = (struct simulation_job){.name = jobs[i].name,
                                                .first_rank = rank,
                                                .n_ranks = header->n_ranks,
                                                .alone = time_alone(request, &jobs[i], diagnostics)};
        for (uint32_t k = 0; k < header->n_ranks; k++, rank++) {
            seats.job[rank] = (uint32_t)i;
            seats.unit_bytes[rank] = schedule_unit_bytes(header);
        }
    }
    together.settings.unit_bytes = seats.unit_bytes;
    together.settings.observe = note_end;
    together.settings.context = &seats;
    simulation_run(&together, all, simulation, diagnostics);
    simulation->request.settings.unit_bytes = NULL;
    simulation->request.settings.observe = NULL;
    simulation->request.settings.context = NULL;
    simulation->jobs = seats.jobs;
    simulation->n_jobs = n;
    free(seats.job);
    free(seats.unit_bytes);
}
