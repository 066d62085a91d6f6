/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a plan as a classic rule file of Open MPI 4.1 or 5.0, or as JSON for 6. An entry of the file
 * acts from its number of ranks up to the next entry's; the first one also acts below its own. So a gap
 * in the plan, and the range above its last rule, get an entry with the row '0 0 0 0', the fixed
 * decision.
 *
 * If keys are totals, a row's size depends on the number of ranks. Then each number of ranks of a rule
 * has an entry of its own; above MAX_ENTRIES of them only as many that sizes are wrong by 1/32, and never
 * more than MAX_ENTRIES.
 */
#include "tables/ompi/ompi.h"

#include <assert.h>
#include <string.h>

enum { MAX_ENTRIES = 64, LEAST_RANKS = 2 };

struct writing {
    const struct table_plan *plan;
    const struct ompi_version *version;
    struct text *out, *lost;
    bool has_requests;      /* rows have a fifth number */
};

/* Rules first .. end - 1 have the same collective, ranks and nodes. */
struct group {
    size_t first, end;
    struct span ranks;      /* ranks that can occur */
};

static enum ompi_key key_of_rule(const struct writing *writing, size_t rule)
{
    return ompi_collectives[writing->plan->rules[rule].collective].key;
}

static struct group ompi_write_group_from(const struct writing *writing, size_t first)
{
    const struct plan_rule *rules = writing->plan->rules;
    struct group group = {first, plan_like_end(writing->plan, first), rules[first].ranks};
    if (group.ranks.first < LEAST_RANKS)
        group.ranks.first = LEAST_RANKS;
    if (group.ranks.last > INT32_MAX)
        group.ranks.last = INT32_MAX;
    return group;
}

/* ---- rows ---- */

static void ompi_write_put_row(const struct writing *writing, struct text *rows, uint32_t collective,
                               uint64_t size, const struct table_choice *choice)
{
    const struct ompi_algorithm *algorithm =
        choice->algorithm ? ompi_algorithm_named(writing->version, collective, choice->algorithm) : NULL;
    const unsigned uses = algorithm ? algorithm->uses : 0;
    const struct table_parameters *of = &choice->parameters;
    text_printf(rows, "%llu %lld %llu %llu", (unsigned long long)size,
                algorithm ? (long long)algorithm->number : 0,
                uses & USES_FAN_OUT ? (unsigned long long)ompi_fan_out(algorithm, of->fan_out) : 0,
                uses & USES_SEGMENT ? (unsigned long long)of->segment_bytes : 0);
    if (writing->has_requests)
        text_printf(rows, " %llu", uses & USES_REQUESTS ? (unsigned long long)of->max_requests : 0);
    text_printf(rows, " # %s\n", algorithm ? algorithm->name : "fixed decision");
}

static bool ompi_write_is_same_choice(const struct table_choice *a, const struct table_choice *b)
{
    if (!a->algorithm || !b->algorithm)
        return a->algorithm == b->algorithm;
    return strcmp(a->algorithm, b->algorithm) == 0 &&
           a->parameters.segment_bytes == b->parameters.segment_bytes &&
           a->parameters.fan_out == b->parameters.fan_out &&
           a->parameters.max_requests == b->parameters.max_requests;
}

/* Returns the choice that runs instead of an algorithm not defined on so many ranks, for any size. */
static struct table_choice on_ranks(const struct writing *writing, const struct plan_rule *rule,
                                    uint64_t ranks)
{
    const struct ompi_algorithm *algorithm =
        rule->choice.algorithm
            ? ompi_algorithm_named(writing->version, rule->collective, rule->choice.algorithm)
            : NULL;
    if (algorithm && algorithm->needs == NEEDS_EVEN && ranks % 2)
        return (struct table_choice){.algorithm = "ring"};
    if (algorithm && algorithm->needs == NEEDS_POWER && (ranks & (ranks - 1)))
        return (struct table_choice){
            .algorithm = ompi_algorithm_find(writing->version, rule->collective, OMPI_ALLGATHER_BRUCK)->name};
    return rule->choice;
}

/* Writes the rows of a group for a number of ranks. A choice begins at the least key that has its bytes;
 * gaps between rules get the fixed decision. */
static void put_entry(const struct writing *writing, const struct group *group, uint64_t ranks,
                      struct text *out)
{
    static const struct table_choice fixed = {0};
    const struct plan_rule *rules = writing->plan->rules;
    const enum ompi_key key = key_of_rule(writing, group->first);
    const uint64_t factor = key == KEY_TOTAL ? ranks : 1;
    struct text rows = {0};
    struct table_choice last = {0};
    uint64_t at = 0;        /* first bytes without a row yet */
    unsigned n_rows = 0;
    if (key == KEY_ZERO || key == KEY_TYPE) { /* nothing but the first row would act */
        text_printf(out, "%llu # ranks\n1 # rows\n", (unsigned long long)ranks);
        ompi_write_put_row(writing, out, rules[group->first].collective, 0, &rules[group->first].choice);
        return;
    }
    for (size_t i = group->first; i <= group->end; i++) {
        const bool is_behind = i == group->end;
        if (is_behind && at == 0) /* the last rule has no end */
            break;
        if (is_behind || rules[i].bytes.first > at) {
            uint64_t size;
            if (!mem_multiply(at, factor, &size) || size > INT64_MAX)
                break;
            if (!n_rows || !ompi_write_is_same_choice(&last, &fixed)) {
                ompi_write_put_row(writing, &rows, rules[group->first].collective, size, &fixed);
                n_rows++;
            }
            last = fixed;
        }
        if (is_behind)
            break;
        uint64_t size;
        if (!mem_multiply(rules[i].bytes.first, factor, &size) || size > INT64_MAX)
            break;
        const struct table_choice choice = on_ranks(writing, &rules[i], ranks);
        if (!n_rows || !ompi_write_is_same_choice(&last, &choice)) {
            ompi_write_put_row(writing, &rows, rules[i].collective, size, &choice);
            n_rows++;
        }
        last = choice;
        at = rules[i].bytes.last == SPAN_NO_END ? 0 : rules[i].bytes.last + 1;
    }
    text_printf(out, "%llu # ranks\n%u # rows\n", (unsigned long long)ranks, n_rows);
    text_append(out, rows.data, rows.length);
    text_free(&rows);
}

/* ---- entries ---- */

static void put_fixed_entry(const struct writing *writing, uint64_t ranks, uint32_t collective,
                            struct text *out)
{
    static const struct table_choice fixed = {0};
    text_printf(out, "%llu # ranks\n1 # rows\n", (unsigned long long)ranks);
    ompi_write_put_row(writing, out, collective, 0, &fixed);
}

/* True if the rows depend on the number of ranks. */
static bool ompi_write_depends_on_ranks(const struct writing *writing, const struct group *group)
{
    const struct plan_rule *rules = writing->plan->rules;
    return key_of_rule(writing, group->first) == KEY_TOTAL &&
           (group->end - group->first > 1 || rules[group->first].bytes.first > 0 ||
            rules[group->first].bytes.last != SPAN_NO_END);
}

/* Writes the entries of the group and returns their number. */
static unsigned ompi_write_put_group(const struct writing *writing, const struct group *group,
                                     struct text *out)
{
    enum { STEP = 32 };
    const bool depends = ompi_write_depends_on_ranks(writing, group);
    const bool is_exact = group->ranks.last - group->ranks.first < MAX_ENTRIES;
    unsigned n = 0;
    for (uint64_t ranks = group->ranks.first; ranks <= group->ranks.last && n < MAX_ENTRIES;
         ranks += is_exact || ranks < STEP ? 1 : ranks / STEP) {
        put_entry(writing, group, ranks, out);
        n++;
        if (!depends)
            return n;
    }
    if (!is_exact)
        text_printf(
            writing->lost,
            "%s is looked up with the total of all ranks: of %llu ranks and more there is not a row for "
            "each number, and sizes are not exact\n",
            ompi_collective_names[writing->plan->rules[group->first].collective],
            (unsigned long long)group->ranks.first);
    return n;
}

/* Writes the rules of a collective from `first` on and returns the first rule of the next one. Counts a
 * block if it has any rule that can act. */
static size_t ompi_write_put_collective(const struct writing *writing, size_t first, struct text *out,
                                        unsigned *n_blocks)
{
    const struct table_plan *plan = writing->plan;
    const uint32_t collective = plan->rules[first].collective;
    struct text entries = {0};
    unsigned n_entries = 0;
    uint64_t next = LEAST_RANKS; /* first number of ranks without an entry yet; 0: all have one */
    size_t at = first;
    while (at < plan->n_rules && plan->rules[at].collective == collective) {
        const struct group group = ompi_write_group_from(writing, at);
        at = group.end;
        if (group.ranks.first > group.ranks.last || next == 0 || group.ranks.first < next)
            continue; /* below two ranks, or of other nodes */
        if (group.ranks.first > next) {
            put_fixed_entry(writing, next, collective, &entries);
            n_entries++;
        }
        n_entries += ompi_write_put_group(writing, &group, &entries);
        next = group.ranks.last == INT32_MAX ? 0 : group.ranks.last + 1;
    }
    if (next && n_entries) {
        put_fixed_entry(writing, next, collective, &entries);
        n_entries++;
    }
    if (n_entries) {
        text_printf(out, "%u # %s\n%u # numbers of ranks\n", collective, ompi_collective_names[collective],
                    n_entries);
        text_append(out, entries.data, entries.length);
        ++*n_blocks;
    }
    text_free(&entries);
    return at;
}

/* ---- what is lost ---- */

static void say_lost_keys(const struct writing *writing, const struct group *group)
{
    const struct plan_rule *rules = writing->plan->rules;
    const enum ompi_key key = key_of_rule(writing, group->first);
    const bool has_sizes = group->end - group->first > 1 || rules[group->first].bytes.first > 0 ||
                           rules[group->first].bytes.last != SPAN_NO_END;
    if ((key == KEY_ZERO || key == KEY_TYPE) && has_sizes)
        text_printf(writing->lost,
                    "%s is not looked up by its size: the first rule of %llu ranks acts on all sizes\n",
                    ompi_collective_names[rules[group->first].collective],
                    (unsigned long long)group->ranks.first);
}

static void ompi_write_say_lost(const struct writing *writing)
{
    const struct table_plan *plan = writing->plan;
    bool has_nodes = false, has_requests = false;
    for (size_t i = 0; i < plan->n_rules;) {
        const struct group group = ompi_write_group_from(writing, i);
        if (key_of_rule(writing, i) == KEY_UNUSED)
            text_printf(writing->lost, "%s looks at no table\n",
                        ompi_collective_names[plan->rules[i].collective]);
        say_lost_keys(writing, &group);
        i = group.end;
    }
    for (size_t i = 0; i < plan->n_rules; i++) {
        has_nodes |= plan->rules[i].nodes.first > 1 || plan->rules[i].nodes.last != SPAN_NO_END;
        has_requests |= plan->rules[i].choice.parameters.max_requests != 0;
    }
    if (has_nodes)
        text_printf(writing->lost,
                    "no row goes by the number of nodes: for each number of ranks the rules of the "
                    "least act\n");
    if (has_requests && !writing->has_requests)
        text_printf(writing->lost, "rows of %s have no number of requests\n", writing->version->title);
}

static void ompi_write_put_title(const char *title, struct text *out)
{
    while (title && *title) {
        const size_t length = strcspn(title, "\n");
        text_printf(out, "# %.*s\n", (int)length, title);
        title += length + (title[length] == '\n');
    }
}

static void ompi_write(const struct table_plan *plan, struct text *out, struct text *lost)
{
    struct writing writing = {.plan = plan, .version = plan->loader->version, .out = out, .lost = lost};
    struct text blocks = {0};
    unsigned n_blocks = 0;
    for (size_t i = 0; i < plan->n_rules; i++)
        writing.has_requests |= writing.version->has_header && plan->rules[i].choice.parameters.max_requests;
    ompi_write_say_lost(&writing);
    for (size_t i = 0; i < plan->n_rules;) {
        if (key_of_rule(&writing, i) == KEY_UNUSED) {
            i++;
            continue;
        }
        i = ompi_write_put_collective(&writing, i, &blocks, &n_blocks);
    }
    if (writing.has_requests)
        text_printf(out, "rule-file-version-2\n");
    ompi_write_put_title(plan->title, out);
    text_printf(out, "%u # collectives\n", n_blocks);
    if (blocks.length)
        text_append(out, blocks.data, blocks.length);
    text_free(&blocks);
}

/* ---- the target ---- */

static bool ompi_write_list_algorithm(const struct table_loader *loader, uint32_t collective, size_t i,
                                      struct table_algorithm *algorithm)
{
    const struct ompi_algorithm *found = ompi_algorithm_find(loader->version, collective, (int64_t)i + 1);
    if (!found)
        return false;
    *algorithm = (struct table_algorithm){
        found->name, found->number, found->uses & USES_SEGMENT, found->uses & USES_FAN_OUT,
        found->uses & USES_REQUESTS && ((const struct ompi_version *)loader->version)->has_header};
    return true;
}

static unsigned broken_calls(const struct table_loader *loader, uint32_t collective,
                             const struct table_choice *choice)
{
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_named(loader->version, collective, choice->algorithm);
    return algorithm ? ompi_broken_calls(algorithm, choice->parameters.segment_bytes) : 0;
}

static const struct table *without_table(const struct table_loader *loader, struct arena *arena)
{
    struct ompi_table *of = arena_alloc(arena, 1, sizeof *of);
    *of = (struct ompi_table){.table = {.loader = loader}, .version = loader->version};
    return &of->table;
}

static bool ompi_write_has_one_choice(const struct table_loader *loader, uint32_t collective)
{
    (void)loader;
    const enum ompi_key key = ompi_collectives[collective].key;
    return ompi_differs_by_rank(collective) || key == KEY_ZERO || key == KEY_TYPE;
}

/* Writes a classic file in which sizes of communicators mean the same as in 5.0, with the algorithms of 6,
 * and converts it. JSON has no comments, so the title is left out. */
static void ompi_write_json(const struct table_plan *plan, struct text *out, struct text *lost)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct text classic = {0};
    struct table_plan as_classic = *plan;
    as_classic.loader = &ompi_6_as_5_loader;
    as_classic.title = NULL;
    ompi_write(&as_classic, &classic, lost);
    const struct source *source = source_of_text("rules", classic.data, classic.length, &arena);
    const struct table *table = ompi_read(as_classic.loader, source, &arena, &diagnostics);
    assert(table && !table->ignored);
    ompi_convert(table, plan->loader, CALL_ORDERED | CALL_UNLIKE_TYPES, out, &diagnostics);
    text_free(&classic);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

#define LAUNCH(options)                                                                                      \
    {                                                                                                        \
        "mpirun " options "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename ",   \
            " PROGRAM"                                                                                       \
    }
#define WITHOUT_HAN                                                                                          \
    "--mca coll ^han " /* which else answers before, where ranks are on several machines (B017) */
const struct table_writer ompi_json_writer = {
    ompi_write_list_algorithm, ompi_outcome,    broken_calls,       without_table,
    ompi_write_has_one_choice, ompi_write_json, LAUNCH(WITHOUT_HAN)};
const struct table_writer ompi_classic_writer = {
    ompi_write_list_algorithm, ompi_outcome, broken_calls, without_table,
    ompi_write_has_one_choice, ompi_write,   LAUNCH("")};
const struct table_writer ompi_5_writer = {
    ompi_write_list_algorithm, ompi_outcome, broken_calls,       without_table,
    ompi_write_has_one_choice, ompi_write,   LAUNCH(WITHOUT_HAN)};
