/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replaces powers by exclusive ors in the text and tries both. It works on the text, since 'xor' binds
 * like the '^' of C, and not like the power. See powers.h.
 */
#include "study/lint/powers.h"

#include "base/codes.h"
#include "ir/use.h"
#include "study/scene.h"

#include <string.h>

enum { MAX_POWERS = 64, MAX_OWN_RANKS = 64 };
#define MAX_WORK (UINT64_C(1) << 22)

/* Returns the '^' of a power in the text; NULL if it is in another file, which is run. */
static const char *powers_sign_of(const struct expr *power, const struct source *of)
{
    const struct position *position = &power->b->position;
    const char *line = of->text;
    if (position->source != of)
        return NULL;
    for (uint32_t i = 1; i < position->line; i++)
        line = strchr(line, '\n') + 1;
    const char *at = line + position->column - 1;
    while (at > line && *at != '^')
        at--;
    return *at == '^' ? at : NULL;
}

/* The scene of the program, with 'xor' in place of powers of ranks. */
struct rewritten {
    struct scene scene;
    struct diagnostics ignored;
};

static bool rewritten_read(struct rewritten *rewritten, const struct program *program, const char *text,
                           size_t length)
{
    scene_free(&rewritten->scene);
    rewritten->scene = (struct scene){.form = program->form};
    rewritten->scene.source = source_of_text(program->source->path, text, length, &rewritten->scene.arena);
    return scene_read_source(&rewritten->scene, &rewritten->ignored);
}

/* Replaces one '^' after the other until there is no such power. False if that fails. */
static bool rewrite(struct rewritten *rewritten, const struct program *program)
{
    bool is_read = rewritten_read(rewritten, program, program->source->text, program->source->length);
    for (int i = 0; i < MAX_POWERS && is_read; i++) {
        const struct source *source = rewritten->scene.source;
        const struct expr *power = program_use(rewritten->scene.program, A_POWER_OF_RANKS);
        const char *sign = power ? powers_sign_of(power, source) : NULL;
        struct text text = {0};
        if (!sign)
            return !power;
        text_append(&text, source->text, (size_t)(sign - source->text));
        text_printf(&text, " xor %s", sign + 1);
        is_read = rewritten_read(rewritten, program, text.data, text.length);
        text_free(&text);
    }
    return false;
}

static enum outcome powers_try_program(const struct program *program, const struct trial *trial,
                                       const struct trial_run *settings)
{
    struct diagnostics diagnostics = {0};
    struct trial_run run = {.program = program, .most_work = MAX_WORK};
    if (settings) {
        run.settings = settings->settings;
        run.n_settings = settings->n_settings;
    }
    const enum outcome outcome = trial_run(&run, trial, &diagnostics);
    diagnostics_free(&diagnostics);
    return outcome;
}

/* True if only the second program is right there. */
static bool is_mended(const struct program *program, const struct program *mended,
                      const struct trial *trial, const struct trial_run *settings)
{
    return powers_try_program(program, trial, settings) == TRIAL_WRONG &&
           powers_try_program(mended, trial, settings) == TRIAL_RIGHT;
}

/* Returns the number of ranks, one on each server, for which only the second is right; 0: none. */
static uint32_t find_mended(const struct program *program, const struct program *mended,
                            const struct trial_run *settings)
{
    static const uint32_t ranks[] = {8, 4, 16};
    uint32_t found = 0;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !found; i++) {
        struct placement *placement = placement_by_slots(ranks[i], 1, false);
        const struct trial trial = {.placement = placement};
        found = is_mended(program, mended, &trial, settings) ? ranks[i] : 0;
        placement_free(placement);
    }
    return found;
}

bool powers_check(const struct program *program, const struct trial *own,
                  const struct trial_run *settings, struct diagnostics *diagnostics)
{
    const struct expr *power = program_use(program, A_POWER_OF_RANKS);
    struct rewritten rewritten = {.scene = {.source = NULL}};
    uint32_t n_ranks = 0;
    if (!power)
        return false;
    const bool is_rewritten = rewrite(&rewritten, program);
    if (is_rewritten && own && own->placement->n_ranks <= MAX_OWN_RANKS &&
        is_mended(program, rewritten.scene.program, own, settings))
        n_ranks = own->placement->n_ranks;
    if (is_rewritten && !n_ranks)
        n_ranks = find_mended(program, rewritten.scene.program, settings);
    if (n_ranks)
        report(diagnostics, CODE_W013, power->position,
               "'^' is the power here; with 'xor' in its place the algorithm is right for %u "
               "ranks, and as it is it is not", n_ranks)
            ->help = "for exclusive or, bit by bit, write 'xor', as in 'r xor 2^k'";
    scene_free(&rewritten.scene);
    diagnostics_free(&rewritten.ignored);
    return n_ranks > 0;
}
