/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See judge.h.
 */
#include "tuning/judge.h"

#include "compiler/algorithms/builtin.h"
#include "study/taken.h"
#include "study/trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the verifier ---- */

static void list_codes(const struct diagnostics *findings, struct judged *judged)
{
    for (uint32_t code = 0; code < n_codes; code++) {
        if (code_table[code].severity != SEVERITY_ERROR || !findings->n_of_code[code])
            continue;
        text_printf(&judged->found, "%s%s", judged->found.length ? ", " : "", code_table[code].id);
        judged->n_errors += findings->n_of_code[code];
    }
}

static void judge_verify(struct schedule *schedule, struct judged *judged, struct diagnostics *findings)
{
    struct trial_run run = {.most_work = UINT64_MAX};
    struct placement *placement = placement_by_slots(judged->point->n_ranks, 1, false);
    trial_run_schedule(&run, schedule, placement, findings);
    list_codes(findings, judged);
    placement_free(placement);
}

/* ---- the library ---- */

/* Expands an algorithm of the library for the call. False: it is not for so many ranks. */
static bool expand_like(struct scene *scene, const struct judged *judged, struct diagnostics *diagnostics)
{
    const struct record_point *point = judged->point;
    const struct placement_request where = {.n_ranks = point->n_ranks};
    scene->counts = scene->program ? point->counts : NULL;
    scene->has_counts = scene->counts != NULL;
    scene->neighbors = point->neighbors;
    return scene_place(scene, &where, diagnostics) &&
           (scene->schedule ||
            (scene_bind(scene, point->root, diagnostics) && scene_expand(scene, diagnostics)));
}

static uint64_t elements_of(const struct record_point *point)
{
    return strcmp(point->collective, "barrier") == 0 || point->counts ? 0 : point->bytes / TRACE_ELEMENT;
}

static void compare_with(struct schedule *schedule, struct scene *scene, struct judged *judged)
{
    struct diagnostics diagnostics = {0};
    if (!expand_like(scene, judged, &diagnostics)) {
        judged->unlike = "not for so many ranks";
    } else if (scene->schedule->header.collective != schedule->header.collective) {
        judged->unlike = "of another collective";
    } else {
        struct schedule *const both[] = {schedule, scene->schedule};
        const char *const names[] = {"recorded", judged->like};
        judged->same = messages_compare(both, names, elements_of(judged->point));
        if (!judged->same.is_comparable)
            judged->unlike = "too large to compare, or ranks wait for each other";
    }
    diagnostics_free(&diagnostics);
}

/* Reads what the user names. Errors are reported. */
static bool compare_with_named(const struct judge_request *request, struct schedule *schedule,
                               struct judged *judged, struct diagnostics *diagnostics)
{
    struct scene scene = {.settings = request->settings, .n_settings = request->n_settings};
    const bool is_read = scene_read(&scene, request->like, diagnostics);
    judged->like = request->like;
    if (is_read)
        compare_with(schedule, &scene, judged);
    scene_free(&scene);
    return is_read;
}

/* Returns the counterpart with the parameters that say who sends to whom: "bcast/kary, radix=4". */
static const char *judge_say_like(const struct counterpart *counterpart,
                                  const struct parameter_setting *settings, size_t n, struct arena *arena)
{
    const char *like = counterpart->ours;
    for (size_t i = 0; i < n; i++) {
        const char *name = settings[i].name;
        const bool is_fan_out = counterpart->fan_out && strcmp(name, counterpart->fan_out) == 0;
        if (!is_fan_out && strcmp(name, "radix") != 0 && strcmp(name, "folded") != 0)
            continue;
        like = settings[i].value >= NO_LIMIT_ON_REQUESTS
                   ? arena_printf(arena, "%s, %s=ranks", like, name)
                   : arena_printf(arena, "%s, %s=%" PRId64, like, name, settings[i].value);
    }
    return like;
}

static void compare_with_counterpart(const struct counterpart *counterpart, struct schedule *schedule,
                                     struct judged *judged, struct arena *arena)
{
    struct parameter_setting settings[COUNTERPART_SETTINGS];
    const struct record_point *point = judged->point;
    const struct table_parameters *parameters = &point->choice.parameters;
    struct counterpart_program opened = counterpart_open(counterpart, point->form);
    const uint64_t n_segments =
        counterpart_segments(counterpart, parameters->segment_bytes, point->bytes, point->n_ranks);
    opened.scene.settings = settings;
    opened.scene.n_settings = counterpart_settings(counterpart, n_segments, parameters, settings);
    judged->like = judge_say_like(counterpart, settings, opened.scene.n_settings, arena);
    if (opened.scene.program)
        compare_with(schedule, &opened.scene, judged);
    else
        judged->unlike = "of another form";
    scene_free(&opened.scene);
}

/* Compares with what the MPI is known to take by itself. */
static void compare_with_taken(const struct judge_request *request, struct schedule *schedule,
                               struct judged *judged, struct arena *arena)
{
    const struct table_loader *loader = request->loader;
    const struct record_point *point = judged->point;
    const struct table_query query = {.collective = table_collective(loader, point->collective),
                                      .n_ranks = point->n_ranks,
                                      .n_nodes = request->has_host_each ? point->n_ranks : 0,
                                      .type_bytes = TRACE_ELEMENT,
                                      .is_ordered = schedule->header.is_ordered,
                                      .is_irregular = point->counts != NULL};
    const struct taken taken = taken_find(loader->writer->none(loader, arena), &query, point->bytes, arena);
    struct diagnostics diagnostics = {0};
    struct scene scene = {0};
    if (taken.counterpart && scene_read_taken(&scene, &taken, point->form, &diagnostics)) {
        judged->like = judge_say_like(taken.counterpart, taken.settings, taken.n_settings, arena);
        compare_with(schedule, &scene, judged);
    }
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

/* True of the plain algorithms, which others become on few ranks. */
static bool is_plain(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash && (strcmp(slash, "/linear") == 0 || strcmp(slash, "/direct") == 0);
}

/* Compares with an algorithm of the library, and takes it if it has the same messages. */
static void try_like(struct schedule *schedule, const struct embedded_file *file, const char *name,
                     struct judged *judged)
{
    struct judged tried = {.point = judged->point, .like = name};
    struct diagnostics diagnostics = {0};
    struct scene scene = {0};
    if (scene_read_builtin(&scene, file, judged->point->form, &diagnostics))
        compare_with(schedule, &scene, &tried);
    if (messages_are_same(&tried.same)) {
        judged->like = tried.like;
        judged->same = tried.same;
        tried.same = (struct same_messages){0};
    }
    judged_free(&tried);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

/* Finds the first algorithm of the library with the same messages: plain ones first, then in the order of
 * names. */
static void search_like(struct schedule *schedule, struct judged *judged, struct arena *arena)
{
    const char *collective = collective_table[schedule->header.collective].name;
    for (int are_others = 0; are_others < 2; are_others++)
        for (size_t i = 0; i < n_embedded_files && !judged->like; i++) {
            const char *name = builtin_algorithm(&embedded_files[i], collective, arena);
            if (name && is_plain(name) != are_others)
                try_like(schedule, &embedded_files[i], name, judged);
        }
}

/* Compares with the counterpart of a forced algorithm; of the MPI's own decision with that of what it is
 * known to take, and, if that is another one, with all. */
static void compare_with_usual(const struct judge_request *request, struct schedule *schedule,
                               struct judged *judged, struct arena *arena)
{
    const struct record_point *point = judged->point;
    const char *forced = point->choice.algorithm;
    const struct counterpart *counterpart =
        forced ? counterpart_find(request->loader->target, point->collective, forced, point->n_ranks) : NULL;
    if (counterpart) {
        compare_with_counterpart(counterpart, schedule, judged, arena);
        return;
    }
    if (!forced && table_collective(request->loader, point->collective) < request->loader->n_collectives)
        compare_with_taken(request, schedule, judged, arena);
    if (messages_are_same(&judged->same))
        return;
    const struct judged taken = *judged;
    judged->same = (struct same_messages){0};
    judged->like = judged->unlike = NULL;
    search_like(schedule, judged, arena);
    if (judged->like) {
        struct text witness = taken.same.witness;
        text_free(&witness);
    } else {
        *judged = taken;
    }
}

static bool judge_compare(const struct judge_request *request, struct schedule *schedule,
                          struct judged *judged, struct diagnostics *diagnostics, struct arena *arena)
{
    if (request->like)
        return compare_with_named(request, schedule, judged, diagnostics);
    compare_with_usual(request, schedule, judged, arena);
    return true;
}

bool judge(const struct judge_request *request, const struct record_point *point,
           const struct recorded *recorded, const char *path, struct judged *judged,
           struct diagnostics *findings, struct arena *arena)
{
    *judged = (struct judged){.point = point, .recorded = recorded};
    const struct source *source = source_of_text(path, recorded->file.data, recorded->file.length, arena);
    struct schedule *schedule = schedule_read(source, findings);
    if (!schedule)
        return false;
    judge_verify(schedule, judged, findings);
    const bool is_compared = judge_compare(request, schedule, judged, findings, arena);
    schedule->destroy(schedule);
    return is_compared;
}

void judged_free(struct judged *judged)
{
    text_free(&judged->found);
    text_free(&judged->same.witness);
}

bool judged_is_well(const struct judge_request *request, const struct judged *judged)
{
    return judged->recorded->problem == NULL && judged->n_errors == 0 &&
           (!request->like || (!judged->unlike && messages_are_same(&judged->same)));
}
