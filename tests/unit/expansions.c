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

/* True if two messages have the same ranges of chunks, whether as sets or not. */
static bool same_ranges(const struct op *a, const struct schedule *of_a, const struct op *b,
                        const struct schedule *of_b)
{
    struct op_ranges x = op_ranges(&of_a->header, a), y = op_ranges(&of_b->header, b);
    while (op_ranges_next(&x))
        if (!op_ranges_next(&y) || x.chunk != y.chunk || x.n != y.n)
            return false;
    return !op_ranges_next(&y);
}

static bool is_same(const struct op *a, const struct schedule *of_a, const struct op *b,
                    const struct schedule *of_b)
{
    struct op renamed = *b;
    if (op_is_local(a) || op_is_local(b) || !b->is_set)
        return memcmp(a, b, sizeof *a) == 0;
    renamed.chunk = a->chunk;
    renamed.is_set = a->is_set;
    return memcmp(a, &renamed, sizeof *a) == 0 && same_ranges(a, of_a, b, of_b);
}

/* True if the operations of the chosen ranks among all of a kind are `own`, those of each rank in order. */
static bool has_own(const struct op *all, size_t n_all, const struct op *own, size_t n_own,
                    const bool *is_chosen, const struct schedule *whole, const struct schedule *chosen)
{
    const uint32_t n_ranks = whole->header.n_ranks;
    size_t *at = mem_alloc(n_ranks, sizeof *at), n = 0; /* [rank] of its operations, those behind the last */
    bool are = true;
    for (size_t i = 0; i < n_all && are; i++) {
        const uint32_t rank = all[i].rank;
        if (!is_chosen[rank])
            continue;
        while (at[rank] < n_own && own[at[rank]].rank != rank)
            at[rank]++;
        are = at[rank] < n_own && is_same(&all[i], whole, &own[at[rank]], chosen);
        at[rank]++;
        n++;
    }
    free(at);
    return are && n == n_own;
}

/* True if two ranks of five and the last, expanded alone, do what they do among all. If the expansion of all
 * fails, the comparison ends there. */
static bool chosen_agree(struct bound_text *scene)
{
    const uint32_t n_ranks = scene->binding->n_ranks;
    struct diagnostics unread = {0};
    uint32_t *ranks = mem_alloc(n_ranks, sizeof *ranks), n = 0;
    bool *is_chosen = mem_alloc(n_ranks, sizeof *is_chosen), agrees = true;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if ((is_chosen[rank] = rank % 5 == 1 || rank % 5 == 2 || rank + 1 == n_ranks))
            ranks[n++] = rank;
    struct schedule *whole = expand_program(scene->binding, &unread);
    struct schedule *chosen = whole ? expand_witnesses(scene->binding, ranks, n, &unread) : NULL;
    struct step all, own;
    while (chosen && agrees && whole->next(whole, &all)) {
        const bool is_there = chosen->next(chosen, &own);
        if (!is_there)
            own = (struct step){0};
        agrees =
            !chosen->failed &&
            has_own(all.sends, all.n_sends, own.sends, own.n_sends, is_chosen, whole, chosen) &&
            has_own(all.receives, all.n_receives, own.receives, own.n_receives, is_chosen, whole, chosen) &&
            has_own(all.copies, all.n_copies, own.copies, own.n_copies, is_chosen, whole, chosen);
    }
    agrees = agrees && (!chosen || whole->failed || !chosen->next(chosen, &own));
    if (whole)
        whole->destroy(whole);
    if (chosen)
        chosen->destroy(chosen);
    free(ranks);
    free(is_chosen);
    diagnostics_free(&unread);
    return agrees;
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
        if (*n_compared % 4 == 0 && !chosen_agree(&scene)) { /* it takes as long again */
            fprintf(stderr, "%s: ranks differ when they are expanded alone\n", name);
            agrees = false;
        }
        ++*n_compared;
    } else if (!agrees) {
        print_diagnostics(&scene);
    }
    unbind_text(&scene);
    return agrees;
}
