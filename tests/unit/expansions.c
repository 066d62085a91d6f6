/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts bound, and expanded both ways. See expansions.h.
 */
#include "tests/unit/expansions.h"

#include "base/codes.h"
#include "tests/unit/naive.h"
#include "tests/unit/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct placement *place(uint32_t n_ranks, uint32_t per_machine, enum layout layout)
{
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    const uint32_t n_machines = (n_ranks + per_machine - 1) / per_machine;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = layout == CYCLIC ? rank % n_machines : rank / per_machine;
    if (layout == UNEQUAL && n_ranks > 2)
        machine[n_ranks - 1] = 0;
    struct placement *placement = placement_of_machines(machine, n_ranks, "test");
    free(machine);
    return placement;
}

void bind_text(struct bound_text *scene, const char *text, struct placement *placement,
               struct topology *topology, struct bind_request request)
{
    scene->placement = placement;
    request.placement = placement;
    scene->topology = topology;
    request.topology = topology;
    scene->program = scene_program("test.coll", text, &scene->diagnostics);
    if (scene->program)
        scene->binding = bind_program(scene->program, &request, &scene->diagnostics);
}

void unbind_text(struct bound_text *scene)
{
    if (scene->binding)
        binding_free(scene->binding);
    if (scene->topology)
        topology_free(scene->topology);
    placement_free(scene->placement);
    diagnostics_free(&scene->diagnostics);
    arena_free(&scene->arena);
}

static void print_diagnostics(const struct bound_text *scene)
{
    struct text text = {0};
    diagnostics_print(&scene->diagnostics, &text, false);
    fputs(text.data ? text.data : "", stderr);
    text_free(&text);
}

bool compare(const char *text, const char *label, struct placement *placement,
             struct topology *topology, struct bind_request request, unsigned *n_compared)
{
    struct bound_text scene = {0};
    bind_text(&scene, text, placement, topology, request);
    bool agrees = !scene.binding && scene.program && scene.diagnostics.n_of_code[CODE_E009];
    if (scene.binding) {
        char name[160];
        snprintf(name, sizeof name, "%s, %u ranks, root %u", label, placement->n_ranks,
                 request.root);
        agrees = naive_agrees(scene.binding, name);
        ++*n_compared;
    } else if (!agrees) {
        print_diagnostics(&scene);
    }
    unbind_text(&scene);
    return agrees;
}
