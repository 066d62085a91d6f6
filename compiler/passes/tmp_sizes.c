/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What chunks of tmp are as large as where counts are unequal: the clause `like` for one
 * rank and chunk at a time, so that no table of ranks times chunks is kept. The coordinates
 * of the rank are set as values that all lanes have.
 */
#include "compiler/passes/expansion.h"

static void set_rank(struct like *like, uint32_t rank, uint32_t chunk)
{
    const struct program *program = like->binding->program;
    for (uint32_t i = 0; i < like->coordinates->n; i++)
        assign_uniform(like->environment, program->coordinate[i],
                       like->coordinates->of_rank[i][rank]);
    if (program->tmp_index != UINT32_MAX)
        assign_uniform(like->environment, program->tmp_index, chunk);
}

/* The chunk of in or out; false if arithmetic has no result. Without an index it is the one
 * of that number, cyclic. */
static bool find_chunk(struct like *like, uint32_t rank, uint32_t chunk, uint32_t *found)
{
    const struct lanes one = {1, NULL};
    const struct chunks *chunks = &like->binding->program->tmp_like;
    uint64_t n = schedule_chunks(like->header, chunks->buffer);
    *found = (uint32_t)(chunk % n);
    if (!chunks->n || n == 1)
        return true;
    set_rank(like, rank, chunk);
    return coordinates_find(like->coordinates, like->environment, chunks->index, chunks->n, &one,
                            found);
}

static uint64_t like_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    struct like *like = (struct like *)sizes;
    uint32_t found;
    if (!find_chunk(like, rank, chunk, &found))
        return NO_DATUM;
    return schedule_chunk_datum(like->header, rank, like->binding->program->tmp_like.buffer, found);
}

void like_open(struct like *like, const struct binding *binding,
               const struct coordinates *coordinates, struct diagnostics *diagnostics)
{
    *like = (struct like){.sizes = {binding->program->tmp_like.buffer, like_datum},
                          .binding = binding,
                          .coordinates = coordinates,
                          .environment = environment_new(binding->program, diagnostics)};
    like->environment->n_ranks = binding->n_ranks;
    like->environment->grid = binding->grid;
    like->environment->servers.placement = binding->placement;
    for (uint32_t i = 0; i < binding->program->n_variables; i++)
        assign_uniform(like->environment, i, binding->value[i]);
}

void like_close(struct like *like)
{
    environment_free(like->environment);
}
