/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See taken.h.
 */
#include "study/taken.h"

#include "compiler/algorithms/builtin.h"
#include "tables/library/library.h"

#include <stdlib.h>
#include <string.h>

static int64_t taken_number(const struct table_loader *loader, uint32_t collective, const char *name)
{
    struct table_algorithm algorithm;
    for (size_t i = 0; loader->writer && loader->writer->algorithm(loader, collective, i, &algorithm); i++)
        if (strcmp(algorithm.name, name) == 0)
            return algorithm.number;
    return 0;
}

/* Returns why no algorithm of the library stands for the choice, or NULL. */
static const char *taken_problem(const struct taken *taken, struct arena *arena)
{
    const bool is_ours = strcmp(taken->table->loader->target, "library") == 0;
    if (!taken->number && strcmp(taken->runs, "default") == 0)
        return is_ours ? "give the MPI itself by --as" : "what it takes there is not known here";
    if (taken->range.fails)
        return arena_printf(arena, "'%s' fails there: %s", taken->runs, taken->range.fails);
    if (!taken->counterpart && is_ours)
        return arena_printf(arena, "no algorithm is called '%s': the library is off", taken->runs);
    if (!taken->counterpart && strncmp(taken->table->loader->target, "nccl-", 5) == 0)
        return arena_printf(arena, "'%s' is as NCCL finds it there: take it from its log (docs/nccl.md)",
                            taken->runs);
    if (!taken->counterpart)
        return arena_printf(arena, "'%s' has no counterpart here", taken->runs);
    return NULL;
}

/* Finds the algorithm that a table of a library names, with its parameters. */
static void taken_find_ours(struct taken *taken, const char *collective, struct arena *arena)
{
    enum collective_form form;
    struct slice rest = slice_of(taken->runs), word = slice_take_word(&rest), name;
    const char *own = taken->range.rule && !taken->range.runs_as
                          ? library_own_file(taken->table, taken->range.rule)
                          : NULL;
    const char *ours =
        own ? own : arena_printf(arena, "%s/%.*s", collective, (int)word.length, word.text);
    if (!own && !builtin_of_name(ours, &form))
        return;
    struct counterpart *counterpart = arena_alloc(arena, 1, sizeof *counterpart);
    *counterpart = (struct counterpart){.targets = "library", .theirs = taken->runs, .ours = ours};
    taken->counterpart = counterpart;
    for (word = slice_take_word(&rest); word.length; word = slice_take_word(&rest)) {
        name = slice_take_until(&word, '=');
        taken->settings[taken->n_settings++] = (struct parameter_setting){
            .name = arena_strndup(arena, name.text, name.length), .value = strtoll(word.text, NULL, 10)};
    }
}

struct taken taken_find(const struct table *table, const struct table_query *query, uint64_t bytes,
                        struct arena *arena)
{
    const struct table_loader *loader = table->loader;
    const char *collective = loader->collectives[query->collective];
    struct taken taken = {.table = table, .query = *query, .bytes = bytes, .n_segments = 1};
    taken.range = loader->choose(table, query, false, bytes, arena);
    taken.range.bytes = (struct span){bytes, bytes};
    taken.runs = taken.range.runs_as ? taken.range.runs_as : taken.range.algorithm;
    taken.number = taken_number(loader, query->collective, taken.range.algorithm);
    if (strcmp(loader->target, "library") == 0) {
        taken_find_ours(&taken, collective, arena);
        taken.problem = taken_problem(&taken, arena);
        return taken;
    }
    taken.counterpart = counterpart_find(loader->target, collective, taken.runs, query->n_ranks);
    taken.problem = taken_problem(&taken, arena);
    if (!taken.counterpart)
        return taken;
    taken.n_segments =
        counterpart_segments(taken.counterpart, taken.range.parameters.segment_bytes, bytes, query->n_ranks);
    taken.n_settings =
        counterpart_settings(taken.counterpart, taken.n_segments, &taken.range.parameters, taken.settings);
    return taken;
}

bool scene_read_taken(struct scene *scene, const struct taken *taken, enum collective_form form,
                      struct diagnostics *diagnostics)
{
    enum collective_form named;
    scene->settings = taken->settings;
    scene->n_settings = taken->n_settings;
    const struct embedded_file *file = builtin_of_name(taken->counterpart->ours, &named);
    return file ? scene_read_builtin(scene, file, form, diagnostics)
                : scene_read(scene, taken->counterpart->ours, diagnostics);
}
