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

/* Returns whether the form has an algorithm: the least one the first of each collective, and every sixth. */
static bool is_in_form(size_t index)
{
    const char *form = getenv("COLLC_TESTS_FORM"), *path = embedded_files[index].path;
    if (!form || strcmp(form, "least") != 0 || index == 0)
        return true;
    const size_t n = (size_t)(strrchr(path, '/') - path) + 1;
    return strncmp(path, embedded_files[index - 1].path, n) != 0 ||
           ((uint32_t)index * 2654435761U >> 16) % 6 == 1;
}

const char *scene_algorithm(size_t index, char name[SCENE_NAME])
{
    const char *path = embedded_files[index].path;
    size_t skip = sizeof folder - 1, length = strlen(path), end = strlen(".coll");
    if (!is_in_form(index))
        return NULL;
    if (strncmp(path, folder, skip) != 0 || length <= skip + end || length - skip >= SCENE_NAME)
        return NULL;
    snprintf(name, SCENE_NAME, "%.*s", (int)(length - skip - end), path + skip);
    return name;
}

bool scene_is_packed(const struct test_scene *scene, const struct op *op)
{
    uint64_t next = UINT64_MAX;
    bool is_apart = false;
    if (op->kind != OP_SEND && op->kind != OP_RECV)
        return false;
    for (struct op_ranges ranges = op_ranges(&scene->schedule->header, op); op_ranges_next(&ranges);) {
        is_apart = is_apart || (next != UINT64_MAX && next != ranges.chunk);
        next = (uint64_t)ranges.chunk + ranges.n;
    }
    return is_apart;
}

const struct program *scene_program(const char *path, const char *text,
                                    struct diagnostics *diagnostics)
{
    static struct {
        struct program *program;
        const struct source *source;
        struct arena arena;
        struct diagnostics diagnostics;
    } kept;
    if (kept.program && !strcmp(kept.source->path, path) && !strcmp(kept.source->text, text))
        return kept.program;
    program_free(kept.program);
    diagnostics_free(&kept.diagnostics);
    arena_free(&kept.arena);
    memset(&kept, 0, sizeof kept);
    const char *own = arena_strndup(&kept.arena, text, strlen(text));
    kept.source = source_of_text(arena_strndup(&kept.arena, path, strlen(path)), own, strlen(own),
                                 &kept.arena);
    kept.program = program_read(kept.source, &kept.diagnostics);
    if (!kept.program) /* once more, for the caller to see why */
        program_free(program_read(kept.source, diagnostics));
    return kept.program;
}

static const struct program *program_of(const char *algorithm, struct test_scene *scene)
{
    const char *path = arena_printf(&scene->arena, "%s%s.coll", folder, algorithm);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (!strcmp(embedded_files[i].path, path))
            return scene_program(path, embedded_files[i].text, &scene->diagnostics);
    if (!strstr(algorithm, ".coll"))
        return NULL;
    const struct source *source =
        source_read(algorithm, SCHEDULE_FILE_LIMIT, &scene->arena, &scene->diagnostics);
    return source ? scene_program(algorithm, source->text, &scene->diagnostics) : NULL;
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

static struct placement *place(struct test_scene *scene, const struct scene_spec *spec)
{
    struct placement_request request = {.n_ranks = spec->n_ranks,
                                        .ranks_per_machine = spec->ranks_per_machine,
                                        .rule = spec->placement,
                                        .adapters = spec->adapters,
                                        .between_rails = spec->between_rails};
    struct placement *placement;
    if (spec->placement && !strcmp(spec->placement, "unequal"))
        return place_unequal(scene->topology, spec->n_ranks);
    placement = placement_make(scene->topology, &request, &scene->diagnostics);
    if (!placement || placement_use_adapters(placement, scene->topology, &request, &scene->diagnostics))
        return placement;
    placement_free(placement);
    return NULL;
}

static struct binding *bind(struct test_scene *scene, const struct scene_spec *spec)
{
    struct parameter_setting setting = {.name = spec->parameter, .value = spec->value};
    struct bind_request request = {.topology = scene->topology,
                                   .placement = scene->placement,
                                   .root = spec->root,
                                   .settings = &setting,
                                   .n_settings = spec->parameter != NULL};
    return bind_program(scene->program, &request, &scene->diagnostics);
}

bool scene_open(struct test_scene *scene, const struct scene_spec *spec)
{
    *scene = (struct test_scene){.topology = NULL};
    if (!(scene->program = program_of(spec->algorithm, scene)) ||
        !(scene->topology = topology_read(spec->topology, &scene->diagnostics)) ||
        !(scene->placement = place(scene, spec)) ||
        !(scene->binding = bind(scene, spec)))
        return false;
    scene->request.topology = scene->topology;
    scene->request.placement = scene->placement;
    scene->schedule = expand_program(scene->binding, &scene->diagnostics);
    return scene->schedule != NULL;
}

void scene_close(struct test_scene *scene)
{
    if (scene->schedule)
        scene->schedule->destroy(scene->schedule);
    if (scene->binding)
        binding_free(scene->binding);
    if (scene->placement)
        placement_free(scene->placement);
    if (scene->topology)
        topology_free(scene->topology);
    diagnostics_free(&scene->diagnostics);
    arena_free(&scene->arena);
}

const char *scene_label(struct test_scene *scene, const struct scene_spec *spec)
{
    return arena_printf(&scene->arena, "%s on %s, %u ranks, %u per machine, %s, root %u",
                        spec->algorithm, spec->topology, spec->n_ranks, spec->ranks_per_machine,
                        spec->placement ? spec->placement : "block", spec->root);
}
