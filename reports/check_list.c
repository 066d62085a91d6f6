/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the findings of all cells, each cause once, and chooses which of them reports show. See
 * check_found.h.
 */
#include "reports/check_found.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with_one_of(const char *id, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(id, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

bool check_wants(const struct check *check, uint32_t code)
{
    const struct check_filter *filter = &check->filter;
    const char *id = code_table[code].id;
    return (!filter->n_selected || begins_with_one_of(id, filter->selected, filter->n_selected)) &&
           !begins_with_one_of(id, filter->ignored, filter->n_ignored);
}

static uint32_t check_list_hash_of(const void *items, uint32_t item)
{
    struct check_finding *const *findings = items;
    return map_hash_number(findings[item]->fingerprint);
}

static bool is_finding(const void *items, uint32_t item, const void *key)
{
    struct check_finding *const *findings = items;
    return findings[item]->fingerprint == *(const uint64_t *)key;
}

/* The finding that has the same cause, or NULL. */
static struct check_finding *find_same(const struct check *check, uint64_t fingerprint)
{
    const uint32_t item = map_find(&check->map, map_hash_number(fingerprint), is_finding,
                                   check->findings, &fingerprint);
    return item == MAP_NONE ? NULL : check->findings[item];
}

static void append_finding(struct check *check, struct check_finding *finding)
{
    check->findings = mem_grow(check->findings, &check->capacity, check->n_findings + 1,
                               sizeof *check->findings);
    map_reserve(&check->map, check_list_hash_of, check->findings);
    uint32_t *slot = map_slot(&check->map, map_hash_number(finding->fingerprint), is_finding,
                              check->findings, &finding->fingerprint);
    map_fill(&check->map, slot);
    check->findings[check->n_findings++] = finding;
}

static const char *check_list_keep_text(struct check *check, const char *text)
{
    return arena_strndup(&check->arena, text, strlen(text));
}

static uint32_t check_list_subject_hash(const void *items, uint32_t item)
{
    const struct found *const *found = items;
    return map_hash_text(map_hash_text(0, found[item]->from, strlen(found[item]->from)), found[item]->to,
                         strlen(found[item]->to));
}

static bool check_list_is_subject(const void *items, uint32_t item, const void *key)
{
    const struct found *const *found = items, *other = key;
    return strcmp(found[item]->from, other->from) == 0 && strcmp(found[item]->to, other->to) == 0;
}

/* Puts each of n findings into subjects[n], a link or a machine once however many are of it (a machine sends
 * and receives), all of those of lines. Returns how many there are. */
static size_t check_list_subjects(const struct found *found, size_t n, const struct found **subjects)
{
    struct hash_map map = {0};
    size_t n_subjects = 0;
    for (size_t i = 0; i < n; i++) {
        const struct found *key = &found[i];
        subjects[n_subjects] = key;
        if (!key->kind) {
            n_subjects++;
            continue;
        }
        map_reserve(&map, check_list_subject_hash, subjects);
        uint32_t *slot = map_slot(&map, check_list_subject_hash(&key, 0), check_list_is_subject, subjects,
                                  key);
        if (*slot == MAP_NONE) {
            map_fill(&map, slot);
            n_subjects++;
        }
    }
    map_free(&map);
    return n_subjects;
}

/* Returns the message with the others of the cause: of links and machines "; 23 more links are above it,
 * 'a' -> 'b' with 2, 'c' -> 'd' with 2 ...", of lines "; also in line 14, 20". */
static const char *check_list_message_of(struct check *check, const struct found *found, size_t n_found)
{
    enum { MAX_NAMED = 3 };
    const char *kind = found->kind ? found->kind : "like it", *message = NULL;
    const struct found **subjects = mem_alloc(n_found, sizeof *subjects);
    const size_t n = check_list_subjects(found, n_found, subjects);
    struct text text = {0};
    text_printf(&text, "%s", found->finding.message);
    if (n > 1 && found->finding.is_measured)
        text_printf(&text, "; %zu more %s%s above it", n - 1, kind,
                    !found->kind ? ""
                    : n > 2      ? "s are"
                                 : " is");
    for (size_t i = 1; i < n && i <= MAX_NAMED; i++) {
        const struct found *other = subjects[i];
        if (!found->finding.is_measured)
            text_printf(&text, "%s%u", i > 1 ? ", " : "; also in line ",
                        other->finding.position.line);
        else if (other->kind)
            text_printf(&text, *other->to ? ", '%s' -> '%s' with %.6g" : ", '%s'%s with %.6g", other->from,
                        other->to, other->value);
    }
    if (n > MAX_NAMED + 1)
        text_printf(&text, " ...");
    message = check_list_keep_text(check, text.data);
    text_free(&text);
    free(subjects);
    return message;
}

static struct check_entry *check_list_add_entry(struct check *check, struct check_finding *finding,
                                                size_t cell, size_t n)
{
    struct check_entry *entry = arena_alloc(&check->arena, 1, sizeof *entry);
    check->entries = mem_grow(check->entries, &check->entries_capacity, check->n_entries + 1,
                              sizeof *check->entries);
    check->entries[check->n_entries++] = entry;
    *entry = (struct check_entry){.finding = finding, .cell = cell, .n = n};
    entry->values = arena_alloc(&check->arena, n, sizeof *entry->values);
    return entry;
}

/* True if this entry says more of the finding than what is said so far. */
static bool is_worse_entry(const struct check_entry *entry, const struct check_finding *finding)
{
    const bool is_known = finding->n_known == finding->n_cells; /* of what was added before */
    if (!finding->n_cells || entry->is_known != is_known)
        return !finding->n_cells || is_known;
    if (entry->values[0] < finding->value || entry->values[0] > finding->value)
        return entry->values[0] > finding->value;
    return entry->n != finding->n_places ? entry->n > finding->n_places
                                         : entry->cell < finding->cell;
}

static void tell_of(struct check *check, struct check_finding *finding,
                    const struct check_entry *entry, const struct check_finding *of)
{
    const size_t n_cells = finding->n_cells, n_known = finding->n_known;
    *finding = *of;
    finding->n_cells = n_cells;
    finding->n_known = n_known;
    finding->message = entry->message;
    finding->help = of->help ? check_list_keep_text(check, of->help) : NULL;
    finding->value = entry->values[0];
    finding->n_places = entry->n;
}

/* True of what the baseline has, or the one that is written now. */
static bool knows(const struct check *check, const struct check_entry *entry)
{
    const bool is_in_old = check->baseline && baseline_knows(check->baseline, check, entry);
    return is_in_old || check->accepts;
}

const struct check_entry *check_list_add(struct check *check, const struct found *found, size_t n,
                                         bool may_be_known)
{
    const struct check_finding *of = &found->finding;
    struct check_finding *finding = find_same(check, of->fingerprint);
    if (!finding) {
        finding = arena_alloc(&check->arena, 1, sizeof *finding);
        *finding = *of;
        append_finding(check, finding);
    }
    struct check_entry *entry = check_list_add_entry(check, finding, of->cell, n);
    for (size_t i = 0; i < n; i++)
        entry->values[i] = found[i].value;
    entry->message = check_list_message_of(check, found, n);
    entry->is_known = may_be_known && knows(check, entry);
    if (is_worse_entry(entry, finding))
        tell_of(check, finding, entry, of);
    finding->n_cells++;
    finding->n_known += entry->is_known;
    finding->is_known = finding->n_known == finding->n_cells;
    return entry;
}

/* ---- the list ---- */

static int check_list_compare_findings(const void *a, const void *b)
{
    const struct check_finding *x = *(const struct check_finding *const *)a;
    const struct check_finding *y = *(const struct check_finding *const *)b;
    if (x->is_known != y->is_known)
        return x->is_known ? 1 : -1;
    if (x->is_measured != y->is_measured)
        return x->is_measured ? 1 : -1;
    if (x->is_measured && x->code != y->code)
        return x->code < y->code ? -1 : 1;
    if (x->is_measured && (x->value < y->value || x->value > y->value))
        return x->value > y->value ? -1 : 1;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    if (x->position.line != y->position.line)
        return x->position.line < y->position.line ? -1 : 1;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

void check_add_of_no_cell(struct check *check, const struct check_finding *of, const char *key,
                          bool is_firm)
{
    struct check_finding *finding = arena_alloc(&check->arena, 1, sizeof *finding);
    *finding = *of;
    finding->path = of->position.source->path;
    finding->message = finding->place = check_list_keep_text(check, of->message);
    finding->help = of->help ? check_list_keep_text(check, of->help) : NULL;
    finding->fingerprint = found_fingerprint_of_no_cell(finding, key);
    if (find_same(check, finding->fingerprint) || (!is_firm && !check_wants(check, finding->code)))
        return;
    append_finding(check, finding);
    if (!is_firm) {
        struct check_entry *entry = check_list_add_entry(check, finding, CHECK_NO_CELL, 1);
        entry->values[0] = 1;
        entry->message = finding->message;
        finding->is_known = entry->is_known = knows(check, entry);
    }
    check->fails_by_itself |= is_firm || check_fails_by(check, finding);
}

bool check_fails_by(const struct check *check, const struct check_finding *finding)
{
    return !finding->n_cells && !finding->is_known && finding->severity >= check->filter.least;
}

/* Findings of a code in a file. */
struct listed {
    uint32_t code;
    const char *path;
    size_t n;
};

/* Moves those behind the others of which there are more than are listed. */
static void cut_list(struct check *check)
{
    struct check_finding **left = mem_alloc(check->n_findings + 1, sizeof *left);
    struct listed *counts = NULL;
    size_t n_left = 0, n_counts = 0, capacity = 0;
    check->n_listed = 0;
    for (size_t i = 0; i < check->n_findings; i++) {
        struct check_finding *finding = check->findings[i];
        size_t k = 0;
        while (k < n_counts && (counts[k].code != finding->code || counts[k].path != finding->path))
            k++;
        if (k == n_counts) {
            counts = mem_grow(counts, &capacity, n_counts + 1, sizeof *counts);
            counts[n_counts++] = (struct listed){finding->code, finding->path, 0};
        }
        if (finding->is_measured || !check->max_listed || counts[k].n++ < check->max_listed)
            check->findings[check->n_listed++] = finding;
        else
            left[n_left++] = finding;
    }
    if (n_left)
        memcpy(&check->findings[check->n_listed], left, n_left * sizeof *left);
    free(left);
    free(counts);
}

void check_list_end(struct check *check)
{
    if (check->n_findings)
        qsort(check->findings, check->n_findings, sizeof *check->findings, check_list_compare_findings);
    cut_list(check);
}
