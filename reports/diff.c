/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See diff.h. Reports of one schedule on one network each are compared whatever they are called; of several,
 * those of the same schedule, network, ranks and root.
 */
#include "reports/diff.h"

#include "base/codes.h"
#include "base/text/json.h"

#include <stdlib.h>
#include <string.h>

/* A report as it is found in a file. */
struct found {
    const json_t *report;          /* NULL: it was not verified */
    const char *name, *key;        /* key: by which it is found on the other side */
    const char *verdict;           /* of a project; else "" */
    bool is_taken;
};
struct side {
    json_t *root;
    struct found *items;
    size_t n, capacity;
};

/* The members of a report that are compared. */
static const char *const figures[] = {
    "steps", "idle_steps", "messages", "messages_unrouted", "max_link_load", "max_total_load", "sum_step_load",
    "sum_step_blocks", "contended_steps", "bound_ratio", "routes_bound_ratio", "max_fan_in", "max_fan_out", "max_sends", "hol_steps",
    "max_hol_slowdown"};
/* The members of which true is better. */
static const char *const claims[] = {"matched", "complete", "deadlock_free"};

/* ---- reading ---- */

static json_t *diff_parse(const struct source *source, struct diagnostics *diagnostics)
{
    json_error_t error;
    json_t *root = json_loadb(source->text, source->length, JSON_REJECT_DUPLICATES, &error);
    if (root)
        return root;
    const bool is_inside = error.position > 0 && (size_t)error.position <= source->length;
    const size_t at = is_inside ? (size_t)error.position - 1 : 0;
    report(diagnostics, CODE_K010, source_position(source, at, 1), "this is no JSON: %s", error.text)->help =
        "write it with --format json";
    return NULL;
}

/* "alltoall/ring on star:4, 4 ranks", and the root if it is not 0. `ranks`: their number, which a project may
 * leave to the network. */
static const char *diff_name_of(const json_t *entry, const json_t *report, const json_t *ranks,
                                struct arena *arena)
{
    const bool is_of_project = json_is_string(json_object_get(entry, "schedule"));
    const char *network = json_text(entry, is_of_project ? "network" : "topology");
    const long long root = (long long)json_integer_value(json_object_get(entry, "root"));
    const char *name = is_of_project ? json_text(entry, "schedule")
                                     : arena_printf(arena, "%s/%s", json_text(report, "collective"),
                                                    json_text(report, "algorithm"));
    name = arena_printf(arena, "%s%s%s", name, *network ? " on " : "", network);
    if (json_is_integer(ranks))
        name = arena_printf(arena, "%s, %lld ranks", name, (long long)json_integer_value(ranks));
    return root ? arena_printf(arena, "%s, root %lld", name, root)
                : arena_strndup(arena, name, strlen(name));
}

static bool is_report(const json_t *object)
{
    return json_is_string(json_object_get(object, "collective")) &&
           json_is_array(json_object_get(object, "findings")) &&
           json_is_integer(json_object_get(object, "ranks"));
}

static void diff_add(struct side *side, const json_t *entry, const json_t *report, struct arena *arena)
{
    const char *verdict = json_text(entry, "verdict");
    const json_t *ranks = json_object_get(entry, "ranks"), *of_report = json_object_get(report, "ranks");
    const struct found found = {report, diff_name_of(entry, report, of_report ? of_report : ranks, arena),
                                diff_name_of(entry, report, ranks, arena),
                                arena_strndup(arena, verdict, strlen(verdict)), false};
    side->items = mem_grow(side->items, &side->capacity, side->n + 1, sizeof *side->items);
    side->items[side->n++] = found;
}

/* A combination of a project, of which there may be no report; jobs have their findings beside it. */
static bool is_combination(const json_t *entry)
{
    return json_is_string(json_object_get(entry, "schedule")) &&
           json_is_string(json_object_get(entry, "verdict"));
}

/* A report; or `reports` of these, or of combinations of a project, of which some have none. */
static bool diff_read_side(const struct source *source, struct side *side, struct arena *arena,
                           struct diagnostics *diagnostics)
{
    side->root = diff_parse(source, diagnostics);
    if (!side->root)
        return false;
    size_t i;
    const json_t *entry, *reports = json_object_get(side->root, "reports");
    if (is_report(side->root))
        diff_add(side, side->root, side->root, arena);
    json_array_foreach(reports, i, entry) {
        const json_t *inner = json_object_get(entry, "report");
        if (is_report(inner) || is_combination(entry))
            diff_add(side, entry, is_report(inner) ? inner : entry, arena);
        else if (is_report(entry))
            diff_add(side, entry, entry, arena);
    }
    if (side->n || json_is_array(reports))
        return true;
    report(diagnostics, CODE_K010, (struct position){source, 0, 0, 1},
           "this is no report of 'collc verify' or 'collc check'")
        ->help = "write one with --format json";
    return false;
}

/* ---- figures ---- */

/* True if both are numbers that mean the same: a ratio to a bound does where both divide by one bound. */
static bool are_comparable(const json_t *old, const json_t *new, const char *figure)
{
    static const char *const ratios[][2] = {{"bound_ratio", "bound_load"},
                                            {"routes_bound_ratio", "routes_bound_load"}};
    bool is_same =
        json_is_number(json_object_get(old, figure)) && json_is_number(json_object_get(new, figure));
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(figure, ratios[i][0]) == 0)
            is_same = is_same &&
                      json_equal(json_object_get(old, ratios[i][1]), json_object_get(new, ratios[i][1]));
    return is_same;
}

static void compare_figures(const json_t *old, const json_t *new, struct diff *diff, struct diff_report *out)
{
    const size_t n_figures = sizeof figures / sizeof *figures, n_claims = sizeof claims / sizeof *claims;
    out->figures = arena_alloc(&diff->arena, n_figures + n_claims, sizeof *out->figures);
    for (size_t i = 0; i < n_claims; i++) {
        const json_t *a = json_object_get(old, claims[i]), *b = json_object_get(new, claims[i]);
        if (json_is_boolean(a) && json_is_boolean(b) && json_is_true(a) != json_is_true(b))
            out->figures[out->n_figures++] =
                (struct diff_figure){arena_printf(&diff->arena, "not %s", claims[i]), json_is_true(a) ? 0 : 1,
                                     json_is_true(b) ? 0 : 1};
    }
    for (size_t i = 0; i < n_figures; i++) {
        const json_t *a = json_object_get(old, figures[i]), *b = json_object_get(new, figures[i]);
        const double x = json_number_value(a), y = json_number_value(b);
        if (are_comparable(old, new, figures[i]) && (x < y || x > y))
            out->figures[out->n_figures++] = (struct diff_figure){figures[i], x, y};
    }
    for (size_t i = 0; i < out->n_figures; i++)
        out->n_worse += out->figures[i].new > out->figures[i].old;
}

/* ---- findings ---- */

struct keyed {
    const char *key; /* by which findings are the same: code, link, machine; without these the file */
    const json_t *finding;
    size_t order;
    double amount;
};

static const char *subject_of(const json_t *finding, struct arena *arena)
{
    const char *from = json_text(finding, "link_from"), *to = json_text(finding, "link_to");
    return *from ? arena_printf(arena, "%s -> %s", from, to)
                 : arena_printf(arena, "%s", json_text(finding, "machine_name"));
}

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : x->order < y->order ? -1 : x->order > y->order;
}

/* Returns the amount: what was measured, or the number of findings like it. */
static double diff_amount_of(const json_t *finding)
{
    const json_t *value = json_object_get(finding, "value");
    return json_is_number(value) ? json_number_value(value)
                                 : 1 + (double)json_integer_value(json_object_get(finding, "more"));
}

/* Sorted by key. Of those with the same one the first is left: of links and machines, and of what has a
 * limit, it is the worst; of others, which have the file for a key, all count. */
static struct keyed *key_findings(const json_t *report, struct arena *arena, size_t *n)
{
    const json_t *list = json_object_get(report, "findings"), *finding;
    struct keyed *keyed = arena_alloc(arena, json_array_size(list) + 1, sizeof *keyed);
    size_t i, n_all = 0;
    *n = 0;
    json_array_foreach(list, i, finding) {
        const char *subject = subject_of(finding, arena);
        const char *key = arena_printf(arena, "%s\n%s", json_text(finding, "code"),
                                       *subject ? subject : json_text(finding, "file"));
        keyed[n_all++] = (struct keyed){key, finding, i, diff_amount_of(finding)};
    }
    if (n_all)
        qsort(keyed, n_all, sizeof *keyed, compare_keyed);
    for (i = 0; i < n_all; i++) {
        if (*n == 0 || strcmp(keyed[i].key, keyed[*n - 1].key) != 0)
            keyed[(*n)++] = keyed[i];
        else if (!json_is_number(json_object_get(keyed[i].finding, "limit")))
            keyed[*n - 1].amount += keyed[i].amount;
    }
    return keyed;
}

static const char *diff_keep(const char *text, struct arena *arena)
{
    return arena_strndup(arena, text, strlen(text));
}

static bool is_load(const json_t *finding)
{
    const char *code = json_text(finding, "code");
    const json_t *limit = json_object_get(finding, "limit");
    return json_is_number(limit) && !(json_number_value(limit) > 0) &&
           (strcmp(code, "L001") == 0 || strcmp(code, "L004") == 0);
}

/* One of them NULL: it is on one side only. Nothing is added if nothing has changed. */
static void compare_finding(const struct keyed *of_old, const struct keyed *of_new, struct arena *arena,
                            struct diff_report *out)
{
    const json_t *old = of_old ? of_old->finding : NULL, *new = of_new ? of_new->finding : NULL;
    const json_t *either = new ? new : old;
    const struct diff_finding found = {
        .code = diff_keep(json_text(either, "code"), arena),
        .message = diff_keep(json_text(either, "message"), arena),
        .subject = subject_of(either, arena),
        .old_message = old ? diff_keep(json_text(old, "message"), arena) : NULL,
        .is_old = old,
        .is_new = new,
        .is_measured = json_is_number(json_object_get(either, "value")),
        .is_load = is_load(either),
        .old = of_old ? of_old->amount : 0,
        .new = of_new ? of_new->amount : 0,
    };
    if (old && new && !(found.old < found.new || found.old > found.new))
        return;
    out->findings[out->n_findings++] = found;
    out->n_worse += diff_finding_is_worse(&found);
    out->n_new += diff_finding_is_worse(&found) && !found.is_old;
}

static int diff_compare_changes(const void *a, const void *b)
{
    const struct diff_finding *x = a, *y = b;
    const double by_x = x->new - x->old, by_y = y->new - y->old;
    if (diff_finding_is_worse(x) != diff_finding_is_worse(y))
        return diff_finding_is_worse(x) ? -1 : 1;
    if (x->is_measured != y->is_measured)
        return x->is_measured ? 1 : -1;
    if (by_x < by_y || by_x > by_y)
        return by_x > by_y ? -1 : 1;
    const int order = strcmp(x->code, y->code);
    return order ? order : strcmp(x->subject, y->subject);
}

static void diff_compare_findings(const json_t *old, const json_t *new, struct arena *arena,
                                  struct diff_report *out)
{
    size_t n_old, n_new, i = 0, k = 0;
    const struct keyed *of_old = key_findings(old, arena, &n_old);
    const struct keyed *of_new = key_findings(new, arena, &n_new);
    out->findings = arena_alloc(arena, n_old + n_new + 1, sizeof *out->findings);
    while (i < n_old || k < n_new) {
        const int order = i == n_old ? 1 : k == n_new ? -1 : strcmp(of_old[i].key, of_new[k].key);
        compare_finding(order <= 0 ? &of_old[i] : NULL, order >= 0 ? &of_new[k] : NULL, arena, out);
        i += order <= 0;
        k += order >= 0;
    }
    if (out->n_findings)
        qsort(out->findings, out->n_findings, sizeof *out->findings, diff_compare_changes);
}

/* ---- all ---- */

/* True if it was looked at, and breaks nothing: that is lost where it no longer is. */
static bool is_checked(const struct found *found)
{
    return !*found->verdict || strcmp(found->verdict, "ok") == 0 || strcmp(found->verdict, "known") == 0 ||
           strcmp(found->verdict, "waived") == 0 || strcmp(found->verdict, "findings") == 0;
}

static bool is_refused(const struct found *found)
{
    return strcmp(found->verdict, "broken") == 0 || strcmp(found->verdict, "wrong") == 0;
}

static void diff_compare(const struct found *old, const struct found *new, struct diff *diff)
{
    diff->reports = mem_grow(diff->reports, &diff->reports_capacity, diff->n_reports + 1,
                             sizeof *diff->reports);
    struct diff_report *out = &diff->reports[diff->n_reports++];
    const bool is_verdict = *old->verdict && *new->verdict && strcmp(old->verdict, new->verdict) != 0;
    *out = (struct diff_report){.old_name = old->name,
                                .new_name = new->name,
                                .old_verdict = is_verdict ? old->verdict : "",
                                .new_verdict = is_verdict ? new->verdict : ""};
    out->is_lost = is_verdict && ((is_checked(old) && !is_checked(new)) ||
                                  (!is_refused(old) && is_refused(new)));
    compare_figures(old->report, new->report, diff, out);
    diff_compare_findings(old->report, new->report, &diff->arena, out);
    out->n_worse += out->is_lost;
}

static int diff_compare_names(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void diff_add_name(struct diff *diff, const char ***names, size_t *n, size_t *capacity,
                          const struct found *found)
{
    *names = mem_grow(*names, capacity, *n + 1, sizeof **names);
    (*names)[(*n)++] = *found->verdict && strcmp(found->verdict, "ok") != 0
                           ? arena_printf(&diff->arena, "%s (%s)", found->name, found->verdict)
                           : found->name;
}

static void compare_sides(struct side *old, struct side *new, struct diff *diff)
{
    if (old->n == 1 && new->n == 1) {
        diff_compare(&old->items[0], &new->items[0], diff);
        return;
    }
    if (new->n)
        qsort(new->items, new->n, sizeof *new->items, diff_compare_names);
    for (size_t i = 0; i < old->n; i++) {
        struct found *same =
            new->n ? bsearch(&old->items[i], new->items, new->n, sizeof *new->items, diff_compare_names)
                   : NULL;
        if (same && !same->is_taken)
            diff_compare(&old->items[i], same, diff);
        else {
            diff_add_name(diff, &diff->gone, &diff->n_gone, &diff->gone_capacity, &old->items[i]);
            diff->n_lost += is_checked(&old->items[i]);
        }
        if (same)
            same->is_taken = true;
    }
    for (size_t i = 0; i < new->n; i++)
        if (!new->items[i].is_taken) {
            diff_add_name(diff, &diff->added, &diff->n_added, &diff->added_capacity, &new->items[i]);
            diff->n_lost += is_refused(&new->items[i]);
        }
}

bool diff_make(const struct source *old, const struct source *new, struct diff *diff,
               struct diagnostics *diagnostics)
{
    struct side sides[2] = {{.n = 0}, {.n = 0}};
    *diff = (struct diff){.n_reports = 0};
    const bool is_old_read = diff_read_side(old, &sides[0], &diff->arena, diagnostics);
    const bool is_read = diff_read_side(new, &sides[1], &diff->arena, diagnostics) && is_old_read;
    if (is_read)
        compare_sides(&sides[0], &sides[1], diff);
    for (size_t i = 0; i < 2; i++) {
        json_decref(sides[i].root);
        free(sides[i].items);
    }
    return is_read;
}

void diff_free(struct diff *diff)
{
    free(diff->reports);
    free(diff->gone);
    free(diff->added);
    arena_free(&diff->arena);
    *diff = (struct diff){.n_reports = 0};
}

bool diff_is_worse(const struct diff *diff)
{
    for (size_t i = 0; i < diff->n_reports; i++)
        if (diff->reports[i].n_worse)
            return true;
    return diff->n_lost > 0;
}
