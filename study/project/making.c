/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See making.h.
 */
#include "study/project/making.h"

#include "base/codes.h"
#include "study/known_file.h"
#include "study/taken.h"
#include "tables/loaders.h"

#include <string.h>

/* True if a schedule file is for the cell's ranks and root. */
static bool is_for_cell(const struct making *making)
{
    const struct project_cell *cell = making->cell;
    const struct schedule_header *header = &making->scene.schedule->header;
    return (!cell->n_ranks || cell->n_ranks == header->n_ranks) &&
           (!making->project->roots.n || cell->root == header->root);
}

static bool making_place(struct making *making)
{
    const struct project_network *network = making->cell->network;
    struct placement_request where = {.n_ranks = making->cell->n_ranks,
                                      .ranks_per_machine = making->project->ranks_per_machine};
    if (network) {
        if (network->ranks_per_machine)
            where.ranks_per_machine = network->ranks_per_machine;
        where.rule = network->placement;
        where.order = network->order;
        where.adapters = network->rank_adapters;
        where.between_rails = network->between_rails;
        making->scene.topology_spec = network->spec.text;
    }
    return scene_place(&making->scene, &where, &making->problems);
}

/* Expands the program. A collective without root runs once, for the first root of the project. */
static bool making_expand(struct making *making)
{
    struct scene *scene = &making->scene;
    const struct project_numbers *roots = &making->project->roots;
    const uint32_t root = making->cell->root;
    const bool is_rooted = collective_table[scene->program->collective].rooted;
    making->is_not_for =
        is_rooted ? root >= scene->placement->n_ranks : root != (roots->n ? roots->items[0] : 0);
    if (making->is_not_for && is_rooted)
        report(&making->problems, CODE_E009, (struct position){0}, "root %u is not among %u ranks", root,
               scene->placement->n_ranks)->is_domain = true;
    return !making->is_not_for && scene_bind(scene, is_rooted ? root : 0, &making->problems) &&
           scene_expand(scene, &making->problems);
}

/* Returns the table of an MPI: that of the project, or what is compiled in. NULL after reporting. */
static const struct table *making_table(struct making *making)
{
    const struct project_as *as = making->cell->taken->as;
    const struct table_loader *loader = table_loader_find(as->target.text);
    struct arena *arena = &making->scene.arena;
    if (as->rules.text) {
        const struct source *source = source_read(as->rules.text, TABLE_FILE_LIMIT, arena, &making->problems);
        return source ? table_read(loader, source, arena, &making->problems) : NULL;
    }
    const struct table *alone = table_without_file(loader, arena);
    if (alone)
        return alone;
    report(&making->problems, CODE_K003, as->target.position,
           "what '%s' takes without a rule table is not known here", loader->target)
        ->help = loader->is_file ? "write rules: with its table"
                                 : "write rules: with a script that has its settings";
    return NULL;
}

/* Reads the algorithm that an MPI takes on the ranks that are placed. */
static bool making_take(struct making *making)
{
    const struct project_taken *wanted = making->cell->taken;
    const struct table *table = making_table(making);
    struct scene *scene = &making->scene;
    enum collective_form form;
    if (!table)
        return false;
    const struct table_query query = {.collective = table_collective(table->loader, wanted->collective),
                                      .n_ranks = scene->placement->n_ranks,
                                      .n_nodes = scene->placement->n_servers,
                                      .type_bytes = table_type_bytes(wanted->bytes)};
    if (query.collective == table->loader->n_collectives) {
        report(&making->problems, CODE_K003, making->cell->position, "'%s' of '%s' is not known here",
               wanted->collective, table->loader->target)
            ->help = "'collc pick' says which are";
        return false;
    }
    struct taken *taken = arena_alloc(&scene->arena, 1, sizeof *taken);
    *taken = taken_find(table, &query, wanted->bytes, &scene->arena);
    if (taken->problem) {
        report(&making->problems, CODE_K003, making->cell->position,
               "%s takes for %s of %u ranks on %u hosts: %s", table->loader->target, wanted->collective,
               query.n_ranks, query.n_nodes, taken->problem)
            ->help = wanted->as->rules.text
                         ? diagnostics_text(&making->problems, "'collc lint %s --target %s' says what is wrong with the "
                                            "rules; else leave the collective or size out", wanted->as->rules.text,
                                            table->loader->target)
                         : "'collc pick' lists what is taken for other sizes; leave the collective or size out";
        return false;
    }
    collective_find_form(wanted->collective, strlen(wanted->collective), &form);
    scene->bytes = wanted->bytes;
    return scene_read_taken(scene, taken, form, &making->problems);
}

static bool making_try(struct making *making)
{
    struct scene *scene = &making->scene;
    if (making->cell->taken)
        return making_place(making) && making_take(making) && making_expand(making);
    if (!scene_read(scene, making->cell->schedule, &making->problems))
        return false;
    making->is_not_for = scene->schedule && !is_for_cell(making);
    return !making->is_not_for && making_place(making) && (scene->schedule || making_expand(making));
}

bool making_make(struct making *making)
{
    const bool is_made = making_try(making);
    if (!is_made)
        known_file_help(&making->problems);
    return is_made;
}

void making_free(struct making *making)
{
    scene_free(&making->scene);
    diagnostics_free(&making->problems);
}

bool making_is_not_for(const struct making *making)
{
    const struct diagnostics *problems = &making->problems;
    const uint64_t n_room = problems->n_of_code[CODE_A001];
    return making->is_not_for || diagnostics_has_domain(problems) ||
           (n_room && problems->n_of_severity[SEVERITY_ERROR] == n_room);
}
