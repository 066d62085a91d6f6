/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables as they are written: read back by the reader of the same target, each says for every number
 * of ranks and every size what the plan says, and the linter finds nothing. Plans are made at random.
 */
#include "suite.h"
#include "tables/loaders.h"
#include "tables/rules/plan.h"

#include <stdio.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

enum { MAX_RULES = 64, MAX_RANKS = 24, MAX_BYTES = 5000 };

struct made {
    struct table_plan plan;
    struct plan_rule rules[MAX_RULES];
};

/* True if the algorithm itself runs on all these ranks, as long as there are data enough. */
static bool is_defined(const struct table_loader *loader, uint32_t collective,
                       const struct table_choice *choice,
                       struct span ranks)
{
    for (uint64_t n = ranks.first; n <= ranks.last && n <= ranks.first + MAX_RANKS; n++) {
        const struct table_query query = {
            .collective = collective, .n_ranks = (uint32_t)n, .type_bytes = 1};
        const struct table_range range = loader->writer->outcome(loader, &query, choice, 1 << 30);
        if (range.fails || range.runs_as)
            return false;
    }
    return true;
}

/* An algorithm at random, or the target's own decision. */
static struct table_choice make_choice(const struct table_loader *loader, uint32_t collective,
                                       struct span ranks)
{
    static const uint64_t segments[] = {0, 1024, 65536};
    struct table_algorithm algorithm;
    size_t n = 0;
    while (loader->writer->algorithm(loader, collective, n, &algorithm))
        n++;
    const uint32_t which = below((uint32_t)n + 1);
    if (which == n)
        return (struct table_choice){0};
    loader->writer->algorithm(loader, collective, which, &algorithm);
    const struct table_choice choice = {
        algorithm.name, {algorithm.has_segment ? segments[below(3)] : 0,
                         algorithm.has_fan_out ? 2 + below(4) : 0,
                         algorithm.has_max_requests ? below(3) : 0}};
    return is_defined(loader, collective, &choice, ranks) && plan_is_safe(loader, collective, &choice, 0)
               ? choice
               : (struct table_choice){0};
}

static void add_sizes(struct made *made, uint32_t collective, struct span ranks)
{
    const struct table_loader *loader = made->plan.loader;
    uint64_t at = below(2) ? 0 : 1 + below(100);
    uint32_t n = 1 + below(4);
    if (loader->writer->has_one_choice(loader, collective)) {
        n = 1;
        at = 0;
    }
    for (uint32_t i = 0; i < n && made->plan.n_rules < MAX_RULES; i++) {
        const bool is_last = i + 1 == n && (below(3) || at == 0);
        const uint64_t last = is_last || n == 1 ? SPAN_NO_END : at + below(1500);
        made->rules[made->plan.n_rules++] =
            (struct plan_rule){collective, ranks, ANY_NODES, {at, last},
                make_choice(loader, collective, ranks)};
        at = last + 1 + (below(2) ? below(200) : 0);
    }
}

static void make_plan(const struct table_loader *loader, struct made *made)
{
    made->plan = (struct table_plan){.loader = loader, .rules = made->rules, .title =
        "made at random, with 0 and 1\n"};
    for (uint32_t collective = 0; collective < loader->n_collectives; collective++) {
        struct table_algorithm algorithm;
        if (!loader->writer->algorithm(loader, collective, 0, &algorithm) || below(6))
            continue;
        uint64_t ranks = 1 + below(4);
        for (uint32_t i = below(4); i-- > 0 && made->plan.n_rules < MAX_RULES;) {
            const bool is_last = i == 0 && below(2);
            const struct span span = {ranks, is_last ? SPAN_NO_END : ranks + below(4)};
            add_sizes(made, collective, span);
            ranks = span.last + 1 + (below(2) ? below(4) : 0);
        }
    }
}

static const struct plan_rule *rule_for(const struct table_plan *plan, const struct table_query *query,
                                        uint64_t bytes)
{
    for (size_t i = 0; i < plan->n_rules; i++)
        if (plan->rules[i].collective == query->collective &&
            span_has(plan->rules[i].ranks, query->n_ranks) &&
            span_has(plan->rules[i].bytes, bytes))
            return &plan->rules[i];
    return NULL;
}

static bool is_same_word(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The target's own decision stands where the plan says nothing, and where what it says is not defined. */
static bool is_as_planned(const struct table *table, const struct table_plan *plan, const struct table *none,
                          const struct table_query *query,
                          uint64_t bytes, struct arena *arena)
{
    const struct plan_rule *rule = rule_for(plan, query, bytes);
    const struct table_loader *loader = table->loader;
    const struct table_range range = loader->choose(table, query, false, bytes, arena);
    const struct table_parameters *got = &range.parameters;
    if (!rule || !rule->choice.algorithm ||
        loader->writer->outcome(loader, query, &rule->choice, bytes).fails) {
        const struct table_range own = loader->choose(none, query, false, bytes, arena);
        return is_same_word(range.algorithm, own.algorithm) && is_same_word(range.fails, own.fails) &&
               (range.rule == NULL) == (own.rule == NULL) && got->fan_out == own.parameters.fan_out;
    }
    const struct table_parameters *wanted = &rule->choice.parameters;
    return range.rule && strcmp(range.algorithm, rule->choice.algorithm) == 0 &&
           got->segment_bytes == wanted->segment_bytes && got->fan_out == wanted->fan_out &&
           got->max_requests == wanted->max_requests;
}

static bool is_planned(const struct table_plan *plan, uint32_t collective)
{
    for (size_t i = 0; i < plan->n_rules; i++)
        if (plan->rules[i].collective == collective)
            return true;
    return false;
}

/* Returns the target without a file; for a library, without a rule. */
static const struct table *without_rules(const struct table_loader *loader, struct arena *arena)
{
    static const char empty[] = "collc-table 1\n";
    struct diagnostics diagnostics = {0};
    if (loader->writer->none)
        return loader->writer->none(loader, arena);
    const struct source *source = source_of_text("empty", empty, sizeof empty - 1, arena);
    const struct table *table = loader->read(loader, source, arena, &diagnostics);
    CU_ASSERT_FATAL(table != NULL);
    diagnostics_free(&diagnostics);
    return table;
}

/* Returns the number of calls that were compared. */
static unsigned compare(const struct table *table, const struct table_plan *plan, struct arena *arena)
{
    unsigned n = 0, n_other = 0;
    const struct table *none = without_rules(plan->loader, arena);
    struct table_query query = {.type_bytes = 1, .n_nodes = 1};
    for (query.collective = 0; query.collective < table->loader->n_collectives; query.collective++) {
        if (!is_planned(plan, query.collective) && below(12))
            continue;
        for (query.n_ranks = 2; query.n_ranks <= MAX_RANKS; query.n_ranks++)
            for (uint64_t bytes = 1; bytes < MAX_BYTES; bytes += 1 + bytes / 8) {
                n_other += !is_as_planned(table, plan, none, &query, bytes, arena);
                n++;
            }
    }
    for (size_t i = 0; i < plan->n_rules; i++) {
        const struct plan_rule *rule = &plan->rules[i];
        query.collective = rule->collective;
        query.n_ranks = rule->ranks.first < 2 ? 2 : (uint32_t)rule->ranks.first;
        for (uint64_t bytes = rule->bytes.first ? rule->bytes.first - 1
             : 1; bytes <= rule->bytes.first + 1; bytes++)
            n_other += !is_as_planned(table, plan, none, &query, bytes, arena);
    }
    CU_ASSERT_EQUAL(n_other, 0);
    return n;
}

static void check_linter(const struct table *table, const char *text)
{
    struct diagnostics findings = {0};
    table->loader->lint(table, &findings);
    const uint64_t n = findings.n_of_severity[SEVERITY_WARNING] + findings.n_of_severity[SEVERITY_ERROR];
    CU_ASSERT_EQUAL(n, 0);
    if (n) {
        struct text said = {0};
        diagnostics_print(&findings, &said, false);
        printf("%s\n%s", said.data, text);
        text_free(&said);
    }
    diagnostics_free(&findings);
}

/* True if nothing was lost, and all was compared. */
static bool write_and_read(const struct table_plan *plan, unsigned *n_compared)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct text out = {0}, lost = {0};
    plan->loader->writer->write(plan, &out, &lost);
    const struct source *source = source_of_text("written", out.data, out.length, &arena);
    const struct table *table = plan->loader->read(plan->loader, source, &arena, &diagnostics);
    CU_ASSERT_FATAL(table != NULL);
    CU_ASSERT_PTR_NULL(table->ignored);
    check_linter(table, out.data);
    const bool is_whole = lost.length == 0;
    if (is_whole)
        *n_compared += compare(table, plan, &arena);
    text_free(&out);
    text_free(&lost);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_whole;
}

static void test_written(void)
{
    for (size_t i = 0; i < n_table_loaders; i++) {
        unsigned n_whole = 0, n_compared = 0;
        const bool is_tree = strncmp(table_loaders[i]->target, "mpich", 5) == 0; /* a file is large */
        const int n_rounds = is_tree ? (is_least() ? 6 : IS_SHORT ? 12 : 24) : IS_SHORT ? 20 : 120;
        for (int round = 0; round < n_rounds && table_loaders[i]->writer; round++) {
            struct made made;
            make_plan(table_loaders[i], &made);
            n_whole += write_and_read(&made.plan, &n_compared);
        }
        const unsigned least = is_least() ? 0 : is_tree ? 3 : 10;
        CU_ASSERT(!table_loaders[i]->writer || (n_whole > least && n_compared > enough(1000)));
    }
}

static void check_lost(const struct plan_rule *rule, const char *words)
{
    const struct table_plan plan = {.loader = table_loader_find("ompi-4.1"), .rules = rule, .n_rules = 1};
    struct text out = {0}, lost = {0};
    plan.loader->writer->write(&plan, &out, &lost);
    CU_ASSERT(lost.length > 0 && strstr(lost.data, words) != NULL);
    text_free(&out);
    text_free(&lost);
}

static void test_lost(void)
{
    const struct table_loader *loader = table_loader_find("ompi-4.1");
    const struct span all = {0, SPAN_NO_END}, ranks = {4, 8};
    const struct table_choice one = {"linear", {0}}, requests = {"linear_sync", {.max_requests = 4}};
    check_lost(&(struct plan_rule){table_collective(loader, "barrier"), ranks, ANY_NODES, {8, 9}, one},
               "by its size");
    check_lost(&(struct plan_rule){table_collective(loader, "alltoallw"), ranks, ANY_NODES, all, one},
               "no table");
    check_lost(&(struct plan_rule){table_collective(loader, "alltoall"), ranks, {2, 2}, all, one},
               "number of nodes");
    check_lost(&(struct plan_rule){table_collective(loader, "alltoall"), ranks, ANY_NODES, all, requests},
               "number of requests");
    check_lost(&(struct plan_rule){table_collective(loader, "alltoall"), {2, SPAN_NO_END}, ANY_NODES, {1, 9},
        one},
               "the total");
}

UNIT_PROGRAM(test_table_plans)
{
    CU_TestInfo tests[] = {{"what is written says what was planned", test_written},
                           {"what a file cannot say is said", test_lost},
                           CU_TEST_INFO_NULL};
    return run_suite("table plans", tests);
}
