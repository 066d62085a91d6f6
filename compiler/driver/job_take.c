/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --as: the algorithm that an MPI takes. See job.h.
 */
#include "compiler/driver/job.h"
#include "compiler/driver/table.h"
#include "ir/counts.h"
#include "reports/taken.h"
#include "tables/loaders.h"

#include <stdio.h>

const struct table *job_table(struct job *job)
{
    const struct options *options = job->options;
    struct arena *arena = &job->scene.arena;
    const struct table_loader *loader = table_loader_find(options->as);
    if (options->rules)
        return read_table(loader, options->rules, arena, &job->diagnostics);
    const char *with_file = arena_printf(arena, "--as %s --rules FILE", options->as);
    return is_known_without_file(loader, with_file) ? table_without_file(loader, arena) : NULL;
}

bool job_query(struct job *job, const struct table *table, const char *collective, struct table_query *query)
{
    const struct options *options = job->options;
    *query = (struct table_query){.collective = table_collective(table->loader, collective),
                                  .n_ranks = job->scene.placement->n_ranks,
                                  .n_nodes = job->scene.placement->n_servers,
                                  .type_bytes = options->type_bytes,
                                  .is_ordered = options->ordered};
    if (query->collective < table->loader->n_collectives)
        return true;
    refuse_collective(options, table->loader, collective, &job->scene.arena);
    return false;
}

/* Returns the size by which an MPI decides; of unequal counts of ranks their mean. */
static uint64_t job_take_bytes(const struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    const uint32_t n_ranks = job->scene.placement->n_ranks;
    struct counts *counts = job->scene.counts;
    uint64_t total = 0;
    if (options->bytes || options->sizes.n)
        return options->bytes ? options->bytes : options->sizes.items[0];
    if (!counts || collective_has_pairs(collective))
        return 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        total = units_sum(total, counts->bytes(counts, rank));
    return total / n_ranks;
}

static void job_take_say(const struct options *options, const struct taken *taken)
{
    struct text text = {0};
    taken_text(taken, &text);
    if (!options->quiet)
        fprintf(stderr, "collc: %s\n", text.data);
    text_free(&text);
}

/* Says which algorithm it is that the library has not. Returns false. */
static bool refuse_taken(const struct taken *taken)
{
    struct text text = {0};
    taken_text(taken, &text);
    usage_error_with("'collc pick' lists what is taken for other sizes", "%s: %s", text.data, taken->problem);
    text_free(&text);
    return false;
}

bool job_take(struct job *job)
{
    enum collective collective;
    enum collective_form form;
    struct table_query query;
    const struct options *options = job->options;
    if (!job_open_collective(job, &collective, &form) || !job_check_root(job, collective))
        return false;
    const uint64_t bytes = job_take_bytes(job, collective);
    if (!bytes && !job->scene.counts && collective_has_data(collective))
        return usage_refuse(options, "what an MPI takes depends on the size: give --bytes, above 0");
    const struct table *table = job_table(job);
    if (!table || !job_query(job, table, collective_name(collective, form), &query))
        return false;
    if (!query.type_bytes)
        query.type_bytes = table_type_bytes(bytes);
    struct taken *taken = arena_alloc(&job->scene.arena, 1, sizeof *taken);
    *taken = taken_find(table, &query, bytes, &job->scene.arena);
    if (taken->problem)
        return refuse_taken(taken);
    job->argument = taken->counterpart->ours;
    job->taken = taken;
    job_take_say(options, taken);
    return scene_read_taken(&job->scene, taken, form, &job->diagnostics);
}
