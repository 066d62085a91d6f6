/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what `collc check` reports as new, with waivers and a baseline, with a plain comparison of
 * full lists: random projects with planted defects, edited at random. The comparison here shares
 * nothing with reports/: it takes findings as the verifier gives them, reads waivers by itself,
 * and pairs each new finding with one of before by searching for a matching (Kuhn 1955).
 */
#include "base/codes.h"
#include "reports/check.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_FILES = 2, MAX_FOUND = 4096, KEY = 256 };

static uint64_t state = 88172645463325252u;

/* A number from 0 to n - 1 (xorshift, Marsaglia 2003). */
static unsigned draw(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % n);
}

/* ---- a project ---- */

struct file_plan {
    unsigned window, blank, at, to, below, above, excluded;
    bool has_copy, has_other, has_third, waives_send, waives_copy, waives_other;
};

struct plan {
    struct file_plan files[N_FILES];
    unsigned load, fan_in, ranks;
    bool has_second_network, waives_in_project;
};

static void print_file(const struct file_plan *plan, FILE *file)
{
    fprintf(file, "alltoall x\nranks r: p\n");
    if (plan->excluded)
        fprintf(file, "requires p != %u\n", 3 + plan->excluded);
    fprintf(file, "let w = %u\n", 1 + plan->window);
    for (unsigned i = 0; i < plan->blank; i++)
        fprintf(file, "\n# moved\n");
    fprintf(file, "window w\n  for i in 0 .. p-1\n    step\n%s      send in[r+i] to r + i\n"
                  "      recv out[r-i] from r - i\n",
            plan->waives_send ? "      # collc: allow L001 because it is planted\n\n" : "");
    if (plan->has_copy)
        fprintf(file, "if r == %u\n  copy in[0] to out[%u]%s\n", plan->at, plan->to,
                plan->waives_copy ? "  # collc: allow H001,R006 because it is planted" : "");
    if (plan->has_other)
        fprintf(file, "if r <= %u and p > %u\n%s  copy in[1] to out[0]\n", plan->below, plan->above,
                plan->waives_other ? "  # collc: allow R006 until 2000-01-01 because it was planted\n" : "");
    if (plan->has_third)
        fprintf(file, "if r >= %u\n  copy in[1] to out[0]\n", plan->at);
}

static void write_project(const struct plan *plan)
{
    static const char *const ranks[] = {"[4, 6]", "[4, 6, 8]", "[6, 8]", "8", "[4, 100]"};
    char name[16];
    for (unsigned i = 0; i < N_FILES; i++) {
        snprintf(name, sizeof name, "x%u.coll", i);
        FILE *file = fopen(name, "w");
        print_file(&plan->files[i], file);
        fclose(file);
    }
    FILE *file = fopen("collc.yaml", "w");
    fprintf(file, "schedules: \"x*.coll\"\nnetworks: [star:8%s]\nranks: %s\nlimits: {max-link-load: %u, "
                  "max-fan-in: %u}\n%s",
            plan->has_second_network ? ", \"mesh:8\"" : "", ranks[plan->ranks], 1 + plan->load,
            1 + plan->fan_in,
            plan->waives_in_project ? "waivers: [{allow: H001, schedules: x1.coll, because: planted}]\n" : "");
    fclose(file);
}

static void edit_file(struct file_plan *plan)
{
    switch (draw(12)) {
    case 0: plan->window = draw(6); break;
    case 1: plan->blank = draw(3); break;
    case 2: plan->at = draw(5); break;
    case 3: plan->to = draw(4); break;
    case 4: plan->below = draw(6); break;
    case 5: plan->above = draw(8); break;
    case 6: plan->excluded = draw(4); break;
    case 7: plan->has_copy = !plan->has_copy; break;
    case 8: plan->has_other = !plan->has_other; break;
    case 9: plan->has_third = !plan->has_third; break;
    case 10: plan->waives_send = !plan->waives_send; break;
    default: plan->waives_copy = draw(2), plan->waives_other = draw(2);
    }
}

static void edit(struct plan *plan)
{
    switch (draw(10)) {
    case 0: plan->load = draw(5); break;
    case 1: plan->fan_in = draw(4); break;
    case 2: plan->ranks = draw(5); break;
    case 3: plan->has_second_network = !plan->has_second_network; break;
    case 4: plan->waives_in_project = !plan->waives_in_project; break;
    default: edit_file(&plan->files[draw(N_FILES)]);
    }
}

/* ---- the full list ---- */

struct naive {
    char key[KEY]; /* code, file, text of the line, combination */
    double value;
};
struct list {
    struct naive items[MAX_FOUND];
    size_t n;
};

/* Copies line number `line` of a file; "" if there is none. */
static void get_line(const char *path, uint32_t line, char out[KEY])
{
    FILE *file = fopen(path, "r");
    *out = '\0';
    for (uint32_t i = 0; file && i < line; i++)
        if (!fgets(out, KEY, file))
            *out = '\0';
    if (file)
        fclose(file);
}

static bool names_code(const char *comment, const char *code)
{
    const char *allow = strstr(comment, "collc: allow ");
    return allow && !strstr(allow, "until 2000") && strstr(allow, code) &&
           strstr(allow, code) < strstr(allow, " because");
}

static bool is_waived_here(const char *path, uint32_t line, const char *code)
{
    char text[KEY];
    get_line(path, line, text);
    bool is_waived = names_code(text, code);
    for (uint32_t above = line - 1; above > 0 && !is_waived; above--) {
        get_line(path, above, text);
        const char *word = text + strspn(text, " \n");
        if (*word && *word != '#')
            break;
        is_waived = names_code(text, code);
    }
    return is_waived;
}

struct naive_cell {
    const struct project_cell *cell;
    const struct plan *plan;
    struct list *list;
    struct text record;
};

static void add_naive(struct naive_cell *of, const struct diagnostic *d)
{
    char text[KEY], *end = text;
    const char *path = d->position.source ? d->position.source->path : "-", *code = code_table[d->code].id;
    if (is_waived_here(path, d->position.line, code) ||
        (of->plan->waives_in_project && strcmp(code, "H001") == 0 && strcmp(of->cell->schedule, "x1.coll") == 0))
        return;
    get_line(path, d->position.line, text);
    text[strcspn(text, "#\n")] = '\0';
    end += strlen(text);
    while (end > text && end[-1] == ' ')
        *--end = '\0';
    struct naive *item = &of->list->items[of->list->n++];
    CU_ASSERT_FATAL(of->list->n < MAX_FOUND);
    snprintf(item->key, KEY, "%s %s: %s @ %s on %s, %u", code, path, text + strspn(text, " "),
             of->cell->schedule, of->cell->network->name, of->cell->n_ranks);
    item->value = d->is_measured                                     ? d->counted.value
                  : d->counted.unit && d->counted.value > 1 ? d->counted.value + (double)d->n_more
                                                                     : 1 + (double)d->n_more;
}

static void show(void *context, const struct cell_result *result)
{
    struct naive_cell *of = context;
    CU_ASSERT(result->outcome != CELL_BROKEN);
    cell_record(result, true, &of->record);
    const bool is_verified = result->outcome == CELL_VERIFIED;
    for (const struct diagnostic *d = is_verified ? result->findings->first : NULL; d; d = d->next)
        add_naive(of, d);
}

/* Gives new finding `i` a counterpart, and another one to who has it so far. */
static bool pair(const struct list *new, const struct list *old, size_t i, size_t *of_old, bool *is_tried)
{
    for (size_t k = 0; k < old->n; k++) {
        if (is_tried[k] || strcmp(new->items[i].key, old->items[k].key) != 0 ||
            new->items[i].value > old->items[k].value)
            continue;
        is_tried[k] = true;
        if (of_old[k] == SIZE_MAX || pair(new, old, of_old[k], of_old, is_tried)) {
            of_old[k] = i;
            return true;
        }
    }
    return false;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorts keys, and leaves each once. */
static size_t sort_once(char (*keys)[KEY], size_t n)
{
    size_t n_left = 0;
    if (n)
        qsort(keys, n, sizeof *keys, compare_texts);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(keys[i], keys[n_left - 1]) != 0)
            memmove(keys[n_left++], keys[i], KEY);
    return n_left;
}

static size_t find_new(const struct list *new, const struct list *old, char (*keys)[KEY])
{
    size_t *of_old = mem_alloc(old->n + 1, sizeof *of_old), n = 0;
    bool *is_tried = mem_alloc(old->n + 1, sizeof *is_tried);
    for (size_t k = 0; k < old->n; k++)
        of_old[k] = SIZE_MAX;
    for (size_t i = 0; i < new->n; i++) {
        memset(is_tried, 0, old->n + 1);
        if (!pair(new, old, i, of_old, is_tried))
            memcpy(keys[n++], new->items[i].key, KEY);
    }
    free(of_old);
    free(is_tried);
    return sort_once(keys, n);
}

/* ---- the same by the check ---- */

static size_t entries_new(const struct check *check, char (*keys)[KEY])
{
    size_t n = 0;
    for (size_t i = 0; i < check->n_entries; i++) {
        const struct check_entry *entry = check->entries[i];
        if (entry->is_known || entry->cell == CHECK_NO_CELL)
            continue;
        const struct project_cell cell = project_cell(check->project, entry->cell);
        memset(keys[n], 0, KEY);
        snprintf(keys[n++], KEY, "%s %s: %s @ %s on %s, %u", code_table[entry->finding->code].id,
                 entry->finding->path, entry->finding->place, cell.schedule, cell.network->name,
                 cell.n_ranks);
    }
    return sort_once(keys, n);
}

/* Runs all combinations: their full list, what the check says is new, and its baseline. */
static size_t run(const struct plan *plan, const char *known, struct list *list, char (*keys)[KEY],
                  struct text *baseline)
{
    struct arena arena = {0};
    struct diagnostics said = {0};
    struct waivers waivers = {0};
    struct project project;
    struct lower_bound_cache bounds = {0};
    struct topology *topologies[2] = {NULL, NULL};
    write_project(plan);
    CU_ASSERT_FATAL(project_read(source_read("collc.yaml", 1 << 20, &arena, &said), &project, &arena, &said) &&
                    project_find_schedules(&project, &arena, &said));
    for (size_t i = 0; i < project.schedules.n; i++)
        CU_ASSERT_FATAL(waivers_read(source_read(project.schedules.items[i].text, 1 << 20, &arena, &said),
                                     "2026-11-28", &waivers, &arena, &said));
    waivers_of_project(&project, "2026-11-28", &waivers);
    for (size_t i = 0; i < project.n_networks; i++)
        topologies[i] = cell_open_network(&project.networks[i], &said);
    struct check check = check_begin(&project);
    check.filter.least = SEVERITY_ERROR;
    check.waivers = &waivers;
    check.baseline = known ? baseline_read(known, &arena, &said) : NULL;
    CU_ASSERT_FATAL(!known || check.baseline);
    list->n = 0;
    for (size_t i = 0; i < project_n_cells(&project); i++) {
        const struct project_cell cell = project_cell(&project, i);
        struct naive_cell of = {&cell, plan, list, {0}};
        cell_run(&project, &cell,
                 (struct cell_place){topologies[cell.network - project.networks], NULL, &bounds, NULL},
                 (struct cell_keep){.per_code = 1 << 16}, show, &of);
        check_add(&check, i, of.record.data, of.record.length, 0);
        text_free(&of.record);
    }
    check_end(&check);
    const size_t n = entries_new(&check, keys);
    baseline_write(&check, baseline);
    baseline_free(check.baseline);
    check_free(&check);
    waivers_free(&waivers);
    lower_bound_cache_free(&bounds);
    for (size_t i = 0; i < 2; i++)
        topology_free(topologies[i]);
    project_free(&project);
    diagnostics_free(&said);
    arena_free(&arena);
    return n;
}

static void write_text(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "w");
    fwrite(text->data, 1, text->length, file);
    fclose(file);
}

static void test_edits(void)
{
    static struct list old, new;
    static char of_check[MAX_FOUND][KEY], of_naive[MAX_FOUND][KEY];
    char folder[] = "/tmp/collc-check-XXXXXX", start[4096];
    struct plan plan = {.load = 1};
    const unsigned n_edits = by_form(60, 400, 5000);
    size_t n_differ = 0, n_new = 0, n_quiet = 0;
    CU_ASSERT_FATAL(getcwd(start, sizeof start) && mkdtemp(folder) && chdir(folder) == 0);
    for (unsigned turn = 0; turn < n_edits; turn++) {
        struct text baseline = {0}, ignored = {0};
        run(&plan, NULL, &old, of_check, &baseline);
        write_text("base", &baseline);
        for (unsigned n = 1 + draw(3); n > 0; n--)
            edit(&plan);
        const size_t n = run(&plan, "base", &new, of_check, &ignored);
        const size_t n_wanted = find_new(&new, &old, of_naive);
        bool is_same = n == n_wanted;
        for (size_t i = 0; is_same && i < n; i++)
            is_same = strcmp(of_check[i], of_naive[i]) == 0;
        n_differ += !is_same;
        n_new += n;
        n_quiet += !n && new.n;
        text_free(&baseline);
        text_free(&ignored);
    }
    CU_ASSERT_EQUAL(n_differ, 0);
    CU_ASSERT(n_new > n_edits / 4 && n_quiet > n_edits / 20);
    for (unsigned i = 0; i < N_FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%u.coll", i);
        unlink(name);
    }
    unlink("collc.yaml");
    unlink("base");
    CU_ASSERT(chdir(start) == 0 && rmdir(folder) == 0);
    printf("%u edits, %zu combinations with something new, %zu edits with nothing new: %zu differ\n", n_edits,
           n_new, n_quiet, n_differ);
}

UNIT_PROGRAM(test_check)
{
    CU_TestInfo tests[] = {{"random projects and edits: what is new, by a comparison of full lists", test_edits},
                           CU_TEST_INFO_NULL};
    return run_suite("check", tests);
}
