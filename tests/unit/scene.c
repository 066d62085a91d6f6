/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Built-in algorithms set up for verification (scene.h).
 */
#include "compiler/language/language.h"
#include "tests/unit/scene.h"

#include "base/embedded.h"
#include "network/placement/placement_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = "compiler/algorithms/";

size_t scene_n_files(void)
{
    return n_embedded_files;
}

const char *scene_algorithm(size_t index, char name[SCENE_NAME])
{
    const char *path = embedded_files[index].path;
    size_t skip = sizeof folder - 1, length = strlen(path), end = strlen(".coll");
    if (strncmp(path, folder, skip) != 0 || length <= skip + end || length - skip >= SCENE_NAME)
        return NULL;
    snprintf(name, SCENE_NAME, "%.*s", (int)(length - skip - end), path + skip);
    return name;
}

static const struct source *source_of(const char *algorithm, struct arena *arena)
{
    const char *path = arena_printf(arena, "%s%s.coll", folder, algorithm);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (!strcmp(embedded_files[i].path, path))
            return source_of_text(path, embedded_files[i].text, embedded_files[i].length, arena);
    return NULL;
}

/* 1, 2, 3, 1, 2, 3 ... ranks on machines 0, 1, 2 ...; NULL if that needs more
 * machines than there are. */
static struct placement *place_unequal(const struct topology *topology, uint32_t n_ranks)
{
    uint32_t *machine = mem_alloc(n_ranks + 1, sizeof *machine), at = 0, left = 1;
    for (uint32_t rank = 0; rank < n_ranks; rank++, left--) {
        if (left == 0)
            left = ++at % 3 + 1;
        machine[rank] = at;
    }
    struct placement *placement =
        at < topology->n_machines ? placement_of_machines(machine, n_ranks, "unequal") : NULL;
    free(machine);
    return placement;
}

static struct placement *place(struct scene *scene, const struct scene_spec *spec)
{
    struct placement_request request = {.n_ranks = spec->n_ranks,
                                        .ranks_per_machine = spec->ranks_per_machine,
                                        .rule = spec->placement};
    if (spec->placement && !strcmp(spec->placement, "unequal"))
        return place_unequal(scene->topology, spec->n_ranks);
    return placement_make(scene->topology, &request, &scene->diagnostics);
}

static struct binding *bind(struct scene *scene, const struct scene_spec *spec)
{
    struct parameter_setting setting = {spec->parameter, spec->value, NULL,
                                        (struct position){.line = 0}};
    struct bind_request request = {.topology = scene->topology,
                                   .placement = scene->placement,
                                   .root = spec->root,
                                   .settings = &setting,
                                   .n_settings = spec->parameter != NULL};
    return bind_program(scene->program, &request, &scene->diagnostics);
}

bool scene_open(struct scene *scene, const struct scene_spec *spec)
{
    const struct source *source;
    *scene = (struct scene){.topology = NULL};
    source = source_of(spec->algorithm, &scene->arena);
    if (!source || !(scene->topology = topology_read(spec->topology, &scene->diagnostics)) ||
        !(scene->placement = place(scene, spec)) ||
        !(scene->program = program_read(source, &scene->diagnostics)) ||
        !(scene->binding = bind(scene, spec)))
        return false;
    scene->request.topology = scene->topology;
    scene->request.placement = scene->placement;
    scene->schedule = expand_program(scene->binding, &scene->diagnostics);
    return scene->schedule != NULL;
}

void scene_close(struct scene *scene)
{
    if (scene->schedule)
        scene->schedule->destroy(scene->schedule);
    if (scene->binding)
        binding_free(scene->binding);
    if (scene->program)
        program_free(scene->program);
    if (scene->placement)
        placement_free(scene->placement);
    if (scene->topology)
        topology_free(scene->topology);
    diagnostics_free(&scene->diagnostics);
    arena_free(&scene->arena);
}

const char *scene_label(struct scene *scene, const struct scene_spec *spec)
{
    return arena_printf(&scene->arena, "%s on %s, %u ranks, %u per machine, %s, root %u",
                        spec->algorithm, spec->topology, spec->n_ranks, spec->ranks_per_machine,
                        spec->placement ? spec->placement : "block", spec->root);
}
