/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See making.h.
 */
#include "study/project/making.h"

#include "base/codes.h"

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

bool making_make(struct making *making)
{
    struct scene *scene = &making->scene;
    if (!scene_read(scene, making->cell->schedule, &making->problems))
        return false;
    making->is_not_for = scene->schedule && !is_for_cell(making);
    return !making->is_not_for && making_place(making) && (scene->schedule || making_expand(making));
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
