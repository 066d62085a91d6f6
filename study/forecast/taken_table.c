/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See taken_table.h.
 */
#include "study/forecast/taken_table.h"

#include "base/codes.h"
#include "study/symmetric.h"

#include <string.h>

#define NOT_KNOWN UINT64_MAX

/* ---- ranges ---- */

/* Adds the ranges of one choice in `bytes`. */
static void taken_table_add_span(struct taken_table *found, struct span bytes, struct arena *arena)
{
    const struct table_query own = table_query_of(&found->query, bytes);
    struct table_ranges ranges = table_pick(found->table, &own, false, bytes, arena);
    struct taken_row *rows = arena_alloc(arena, found->n + ranges.n + 1, sizeof *rows);
    if (found->n)
        memcpy(rows, found->rows, found->n * sizeof *rows);
    found->rows = rows;
    for (size_t i = 0; i < ranges.n; i++) {
        const struct span span = ranges.items[i].bytes;
        found->rows[found->n++] =
            (struct taken_row){.bytes = span, .taken = taken_find(found->table, &own, span.last, arena)};
    }
    table_ranges_free(&ranges);
}

struct taken_table taken_table_of_spans(const struct table *table, const struct table_query *query,
                                        const struct span_list *bytes, struct arena *arena)
{
    struct taken_table found = {.table = table, .query = *query};
    for (size_t i = 0; i < bytes->n; i++)
        taken_table_add_span(&found, bytes->items[i], arena);
    return found;
}

struct taken_table taken_table_of_sizes(const struct table *table, const struct table_query *query,
                                        const struct size_list *sizes, struct arena *arena)
{
    struct taken_table found = {.table = table, .query = *query};
    found.rows = arena_alloc(arena, sizes->n + 1, sizeof *found.rows);
    for (size_t i = 0; i < sizes->n; i++) {
        const uint64_t bytes = sizes->items[i];
        const struct table_query own = table_query_of(query, (struct span){bytes, bytes});
        found.rows[found.n++] =
            (struct taken_row){.bytes = {bytes, bytes}, .taken = taken_find(table, &own, bytes, arena)};
    }
    return found;
}

/* ---- what an algorithm does ---- */

/* Returns the first error in the arena, or another reason. */
static const char *taken_table_reason(const struct diagnostics *diagnostics, struct arena *arena)
{
    const struct diagnostic *why = diagnostics->first;
    while (why && why->severity != SEVERITY_ERROR)
        why = why->next;
    return why ? arena_printf(arena, "%s", why->message) : "it is too large to be judged";
}

/* Returns the finding of a message that has no route, in the arena, or NULL. */
static const char *taken_table_unrouted(const struct diagnostics *findings, struct arena *arena)
{
    for (const struct diagnostic *is = findings->first; is; is = is->next)
        if (is->code == CODE_L002 || is->code == CODE_L003)
            return arena_printf(arena, "error: %s [%s]\n  = help: %s", is->message, code_table[is->code].id,
                                is->help ? is->help : "leave these hosts out by --machines");
    return NULL;
}

static bool taken_table_verify(const struct scene *scene, const struct taken_place *place,
                               struct taken_judgement *is, struct diagnostics *findings, struct arena *arena)
{
    static const struct verify_limits none;
    const struct verify_request request = {
        .topology = scene->topology,
        .placement = scene->placement,
        .limits = scene_limits(scene, &none),
        .least = least_load(&place->least, schedule_block_units(&scene->schedule->header)),
        .budget = place->budget};
    struct verify_report report = {0};
    struct symmetric_verdict symmetric = verify_by_symmetry(scene->binding, &request, &report);
    const bool is_verified =
        symmetric.is_decided || verify_schedule(scene->schedule, &request, &report, findings);
    symmetric_verdict_free(&symmetric);
    is->report = report;
    is->is_right = is_verified && report.is_complete && report.waiting == WAITING_NONE;
    is->unrouted = report.n_unrouted ? taken_table_unrouted(findings, arena) : NULL;
    verify_report_free(&report);
    return is_verified;
}

static uint64_t taken_table_time(const struct scene *scene, const struct taken_place *place, const char *name,
                                 struct diagnostics *diagnostics)
{
    uint64_t bytes = scene->bytes;
    const struct forecast_request request = {.collective = place->collective,
                                             .form = place->form,
                                             .where = scene_where(scene, place->root),
                                             .simulation = place->simulation,
                                             .sizes = {&bytes, 1}};
    struct forecast forecast = forecast_start(&request);
    struct forecast_shortcut shortcut = forecast_find_shortcut(scene->binding);
    const bool is_timed =
        forecast_add_schedule(&forecast, name, scene->schedule, scene->binding, &shortcut, diagnostics) &&
        !diagnostics_has_errors(diagnostics) && forecast_measure(&forecast);
    const uint64_t time = is_timed ? forecast_cell(&forecast, 0, 0)->time : NOT_KNOWN;
    forecast_shortcut_free(&shortcut);
    forecast_free(&forecast);
    return time;
}

/* Expands the algorithm and finds its figures, if has_verdict, and its time. */
static struct taken_judgement taken_table_judge_one(const struct taken *taken,
                                                    const struct taken_place *place, bool has_verdict,
                                                    struct arena *arena)
{
    struct taken_judgement is = {.problem = taken->problem, .time = NOT_KNOWN};
    struct diagnostics diagnostics = {0}, findings = {.is_joined = true};
    struct scene scene = {.topology = place->topology,
                          .topology_spec = place->topology_spec,
                          .placement = place->placement,
                          .bytes = taken->bytes};
    if (is.problem)
        return is;
    const bool is_made = scene_read_taken(&scene, taken, place->form, &diagnostics) &&
                         scene_bind(&scene, place->root, &diagnostics) && scene_expand(&scene, &diagnostics);
    if (!is_made || (has_verdict && !taken_table_verify(&scene, place, &is, &findings, arena)))
        is.problem = taken_table_reason(&diagnostics, arena);
    else if (place->topology)
        is.time = taken_table_time(&scene, place, taken->counterpart->ours, &diagnostics);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    diagnostics_free(&findings);
    return is;
}

void taken_table_judge(struct taken_table *table, const struct taken_place *place, struct arena *arena)
{
    for (size_t i = 0; i < table->n; i++)
        table->rows[i].is = taken_table_judge_one(&table->rows[i].taken, place, true, arena);
}

/* ---- two tables ---- */

/* True if both send the same messages at one size, whatever they are called. */
static bool are_same_messages(const struct taken *a, const struct taken *b)
{
    bool is_same = !a->problem && !b->problem && strcmp(a->counterpart->ours, b->counterpart->ours) == 0 &&
                   a->n_settings == b->n_settings && !a->range.wrong == !b->range.wrong;
    for (size_t i = 0; is_same && i < a->n_settings; i++)
        is_same = a->settings[i].value == b->settings[i].value;
    return is_same;
}

/* True if both are the same choice, by the target's words. */
static bool are_taken_alike(const struct taken *a, const struct taken *b)
{
    return strcmp(a->runs, b->runs) == 0 &&
           a->range.parameters.segment_bytes == b->range.parameters.segment_bytes &&
           a->range.parameters.fan_out == b->range.parameters.fan_out &&
           a->range.parameters.max_requests == b->range.parameters.max_requests &&
           !a->range.fails == !b->range.fails && !a->range.wrong == !b->range.wrong;
}

/* True if the change goes on in the next range. */
static bool is_continued(const struct taken_change *before, const struct taken_change *next)
{
    return before->bytes.last + 1 == next->bytes.first && are_taken_alike(&before->from, &next->from) &&
           are_taken_alike(&before->to, &next->to);
}

static void taken_table_time_change(struct taken_change *change, const struct taken_place *place,
                                    struct arena *arena)
{
    const struct taken_judgement from = taken_table_judge_one(&change->from, place, false, arena);
    const struct taken_judgement to = taken_table_judge_one(&change->to, place, false, arena);
    change->from_time = from.time;
    change->to_time = to.time;
    change->problem = from.problem ? from.problem : to.problem;
}

/* Both queries have a size of elements. */
struct taken_comparing {
    const struct table *from, *to;
    struct table_query from_query, to_query;
};

static void taken_table_add_changes(const struct taken_comparing *tables, struct span bytes,
                                    struct taken_changes *changes, struct arena *arena)
{
    const struct span_list one = {&bytes, 1};
    const struct taken_table old = taken_table_of_spans(tables->from, &tables->from_query, &one, arena);
    const struct taken_table new = taken_table_of_spans(tables->to, &tables->to_query, &one, arena);
    struct taken_change *items = arena_alloc(arena, changes->n + old.n + new.n + 1, sizeof *items);
    if (changes->n)
        memcpy(items, changes->items, changes->n * sizeof *items);
    changes->items = items;
    uint64_t first = bytes.first;
    for (size_t i = 0, j = 0; i < old.n && j < new.n;) {
        const uint64_t end_old = old.rows[i].bytes.last, end_new = new.rows[j].bytes.last;
        const uint64_t last = end_old < end_new ? end_old : end_new;
        struct taken_change change = {.bytes = {first, last},
                                      .from = taken_find(tables->from, &tables->from_query, last, arena),
                                      .to = taken_find(tables->to, &tables->to_query, last, arena),
                                      .from_time = NOT_KNOWN,
                                      .to_time = NOT_KNOWN};
        const bool is_change =
            !are_taken_alike(&change.from, &change.to) && !are_same_messages(&change.from, &change.to);
        if (is_change && changes->n && is_continued(&items[changes->n - 1], &change)) {
            change.bytes.first = items[changes->n - 1].bytes.first;
            items[changes->n - 1] = change;
        } else if (is_change) {
            items[changes->n++] = change;
        }
        i += end_old == last;
        j += end_new == last;
        first = last + 1;
    }
}

struct taken_changes taken_compare(const struct table *from, const struct table_query *from_query,
                                   const struct table *to, const struct table_query *to_query,
                                   const struct span_list *bytes, const struct taken_place *place,
                                   struct arena *arena)
{
    struct taken_changes changes = {NULL, 0};
    for (size_t i = 0; i < bytes->n; i++) {
        const struct taken_comparing tables = {from, to, table_query_of(from_query, bytes->items[i]),
                                               table_query_of(to_query, bytes->items[i])};
        taken_table_add_changes(&tables, bytes->items[i], &changes, arena);
    }
    for (size_t i = 0; place && i < changes.n; i++)
        taken_table_time_change(&changes.items[i], place, arena);
    return changes;
}
