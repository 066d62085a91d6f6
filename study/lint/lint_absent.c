/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the claim `absent`: that an algorithm works where its last ranks are not there. It is run over the
 * slots of servers of unlike sizes, as the inner part of one over two levels. See lint.h.
 */
#include "base/codes.h"
#include "compiler/language/language.h"
#include "study/lint/lint.h"

#include <string.h>

#define MAX_ABSENT_WORK (UINT64_C(1) << 20)

/* Returns the body of an algorithm over servers and max_slots that runs NAME ("%s") in each server; NULL: none
 * is known for the collective. */
static const char *body_around(enum collective collective)
{
    switch ((int)collective) {
    case COLLECTIVE_reduce: return "run reduce/%s over l\nif l == 0  run reduce/linear over s\n";
    case COLLECTIVE_bcast: return "if l == 0  run bcast/linear over s\nrun bcast/%s over l\n";
    case COLLECTIVE_allreduce:
        return "run allreduce/%s over l\nif l == 0  run allreduce/recursive_doubling over s\nrun bcast/linear over l\n";
    case COLLECTIVE_barrier:
        return "run barrier/%s over l\nif l == 0  run barrier/linear over s\nrun barrier/linear over l\n";
    default: return NULL;
    }
}

/* The first trial that goes wrong. */
struct absent_trials {
    struct trial_run run;
    struct text place; /* where, and the error */
};

static void absent_try(void *context, const struct trial *trial)
{
    struct absent_trials *trials = context;
    struct diagnostics diagnostics = {0};
    const struct placement *placement = trial->placement;
    if (trials->place.length || trial->root || /* in each server the first rank is the root */
        placement->n_ranks == placement->n_servers * placement->max_slots)
        return;
    if (trial_run(&trials->run, trial, &diagnostics) == TRIAL_WRONG && diagnostics.first) {
        trial_name(trial, trials->run.program->collective, &trials->place);
        text_printf(&trials->place, ": %s [%s]", diagnostics.first->message,
                    code_table[diagnostics.first->code].id);
    }
    diagnostics_free(&diagnostics);
}

/* Returns the algorithm around the one in the file, which is run by the name of that; NULL: there is none. */
static struct program *absent_read(const struct program *program, struct arena *arena,
                                   struct diagnostics *diagnostics)
{
    const char *path = program->source->path, *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path, *dot = strrchr(file, '.');
    const char *body = body_around(program->collective);
    const char *collective = collective_table[program->collective].name;
    struct text text = {0};
    if (!body || !dot || strcmp(dot, ".coll") != 0)
        return NULL;
    const char *name = arena_strndup(arena, file, (size_t)(dot - file));
    text_printf(&text, "%s over_servers_of_unlike_sizes\nranks (s: servers, l: max_slots)\n", collective);
    for (const char *hole; (hole = strstr(body, "%s")); body = hole + 2) {
        text_append(&text, body, (size_t)(hole - body));
        text_append(&text, name, strlen(name));
    }
    text_append(&text, body, strlen(body));
    const char *around = arena_printf(arena, "%.*sover servers of unlike sizes", (int)(file - path), path);
    struct program *read = program_read(source_of_text(around, text.data, text.length, arena), diagnostics);
    text_free(&text);
    return read;
}

void lint_absent(const struct program *program, struct diagnostics *findings)
{
    enum { FIRST = 3, LAST = 9 };
    struct diagnostics ignored = {0};
    struct arena arena = {0};
    struct program *around = program->absent.line ? absent_read(program, &arena, &ignored) : NULL;
    struct absent_trials trials = {.run = {.program = around, .most_work = MAX_ABSENT_WORK}};
    for (uint32_t p = FIRST; around && p <= LAST && !trials.place.length; p++)
        trials_of_ranks(around, p, absent_try, &trials);
    if (trials.place.length)
        report(findings, CODE_W008, program->absent,
               "it says 'absent', but run over 'max_slots' it fails where ranks are absent; first with %s",
               trials.place.data)
            ->help = "take 'absent' out, or let each rank have its result from ranks below it alone";
    text_free(&trials.place);
    program_free(around);
    diagnostics_free(&ignored);
    arena_free(&arena);
}
