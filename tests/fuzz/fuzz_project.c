/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as a project file, and as a schedule with waivers. What is accepted has cells, and what is
 * refused a reason. Patterns stand for themselves: no file is looked for.
 */
#include "study/project/project.h"
#include "study/project/waivers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_LOOKED_AT = 2000 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void look_at_cells(struct project *project)
{
    project->schedules = project->patterns;
    project->patterns = (struct project_words){0};
    size_t n = project_n_cells(project);
    require(n > 0 || project->n_as); /* what an MPI takes is found when the schedules are */
    for (size_t i = 0; i < n && i < CELLS_LOOKED_AT && n <= PROJECT_MAX_CELLS; i++) {
        const struct project_cell cell = project_cell(project, i);
        require(cell.schedule && *cell.schedule);
        require(!cell.network || (cell.network->name && cell.network->spec.text));
        require(cell.network || cell.n_ranks);
#define LIMIT(field, option, kind, needs_network, measured, words) require(cell.limits.field.most >= 0);
#include "verify/limits.def"
    }
}

static void look_at_waivers(const struct source *source, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct waivers waivers = {0};
    const bool is_read = waivers_read(source, "2026-11-22", &waivers, arena, &diagnostics);
    require(is_read == !diagnostics_has_errors(&diagnostics));
    for (size_t i = 0; is_read && i < waivers.n; i++) {
        const struct waiver *waiver = &waivers.items[i];
        require(waiver->code < n_codes && waiver->position.line > 0);
        require(!waiver->line || waiver->line >= waiver->position.line);
        require(!waiver->is_expired || waiver->until);
    }
    waivers_free(&waivers);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct project project;
    struct text text = {0};
    const struct source *source = source_of_text("collc.yaml", (const char *)data, size, &arena);
    const bool is_read = project_read(source, &project, &arena, &diagnostics);
    require(is_read == !diagnostics_has_errors(&diagnostics));
    if (is_read)
        look_at_cells(&project);
    look_at_waivers(source, &arena);
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    project_free(&project);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return 0;
}
