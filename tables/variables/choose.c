/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Picks the algorithm for a call from rules in variables; the loaders' records and the linter.
 */
#include "base/codes.h"
#include "base/suggest.h"
#include "tables/variables/variables.h"

#include <string.h>
#include <strings.h>

const char *const variables_collectives[] = {"allgather", "allgatherv", "allreduce", "alltoall",
                                             "alltoallv", "alltoallw",  "barrier",   "bcast",
                                             "exscan",    "gather",     "gatherv",   "reduce_scatter",
                                             "reduce",    "scan",       "scatter",   "scatterv"};
const uint32_t variables_n_collectives = sizeof variables_collectives / sizeof *variables_collectives;

/* Returns the last algorithm of Intel MPI in its documentation; 0 if unknown here. */
static int64_t last_algorithm(uint32_t collective)
{
    static const int64_t last[sizeof variables_collectives / sizeof *variables_collectives] = {
        5, 0, 12, 4, 2}; /* allgather, allreduce, alltoall, alltoallv */
    return last[collective];
}

/* The words of oneCCL's documentation for any collective. */
static const char *const oneccl_words[] = {"direct", "naive",  "ring",    "ring_rma", "flat",
                                           "multi_bcast", "topo", "rabenseifner", "nreduce", "double_tree",
                                           "recursive_doubling", "2d", "scatter", "tree", "offload"};
enum { N_ONECCL_WORDS = sizeof oneccl_words / sizeof *oneccl_words };

static bool variables_choose_is_word(const struct variables_rule *rule)
{
    size_t i = 0;
    while (i < N_ONECCL_WORDS && !slice_is(rule->algorithm, oneccl_words[i]))
        i++;
    return i < N_ONECCL_WORDS;
}

static bool variables_choose_fits(const struct variables_rule *rule, const struct table_query *query,
                                  uint64_t bytes)
{
    return rule->is_acting && rule->rule.collective == query->collective &&
           span_has(rule->rule.ranks, query->n_ranks) && span_has(rule->rule.keys, bytes);
}

static struct table_range variables_choose(const struct table *table, const struct table_query *query,
                                           bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct variables_table *of = variables_table_of(table);
    const struct variables_rule *found = NULL;
    bool has_others = false;
    for (size_t i = 0; i < of->n_rules; i++) {
        if (!variables_choose_fits(&of->rules[i], query, bytes))
            continue;
        const bool is_better = !found || (found->is_rest && !of->rules[i].is_rest);
        has_others =
            is_better ? found && !found->is_rest : has_others || found->is_rest == of->rules[i].is_rest;
        found = is_better ? &of->rules[i] : found;
    }
    if (!found)
        return (struct table_range){.algorithm = "default", .why = "no rule: the library's own choice"};
    if (!of->version->has_ranks && !variables_choose_is_word(found))
        return (struct table_range){.algorithm = "none",
                                    .rule = &found->rule,
                                    .why = arena_printf(arena, "'%.*s' is no algorithm of oneCCL",
                                                        (int)found->algorithm.length, found->algorithm.text),
                                    .fails = "oneCCL ends the program"};
    const bool is_default = of->version->has_ranks && found->rule.algorithm == 0;
    return (struct table_range){
        .algorithm = is_default ? "default"
                                : arena_strndup(arena, found->algorithm.text, found->algorithm.length),
        .rule = &found->rule,
        .why = has_others ? "the first rule that fits; others do, too, and which acts is not documented"
                          : "rule for these bytes and ranks, as documented"};
}

static void variables_choose_changes(const struct table *table, const struct table_query *query,
                                     void (*note)(void *context, uint64_t bytes), void *context)
{
    (void)query;
    const struct variables_table *of = variables_table_of(table);
    for (size_t i = 0; i < of->n_rules; i++) {
        note(context, of->rules[i].rule.keys.first);
        note(context, of->rules[i].rule.keys.last == SPAN_NO_END ? 0 : of->rules[i].rule.keys.last + 1);
    }
}

/* ---- lint ---- */

static bool overlap(struct span a, struct span b)
{
    return a.first <= b.last && b.first <= a.last;
}

static void variables_choose_lint_overlap(const struct variables_table *of, size_t i,
                                          struct diagnostics *findings)
{
    const struct variables_rule *rule = &of->rules[i];
    for (size_t j = 0; j < i; j++) {
        const struct variables_rule *other = &of->rules[j];
        const bool is_same =
            rule->algorithm.length == other->algorithm.length &&
            memcmp(rule->algorithm.text, other->algorithm.text, rule->algorithm.length) == 0;
        if (rule->setting != other->setting || is_same || rule->is_rest != other->is_rest ||
            !overlap(rule->rule.keys, other->rule.keys) || !overlap(rule->rule.ranks, other->rule.ranks))
            continue;
        struct diagnostic *finding =
            report(findings, CODE_B036, settings_position(of->table.settings, rule->text),
                   "another rule has some of its calls: which of them acts is not documented");
        finding->help = "let each range end one before the next begins";
        finding->related = settings_position(of->table.settings, other->text);
        finding->related_text = "the other rule";
        return;
    }
}

static void variables_choose_lint_gap(const struct variables_table *of, size_t i,
                                      struct diagnostics *findings)
{
    const struct variables_rule *rule = &of->rules[i];
    if (rule->rule.keys.last == SPAN_NO_END)
        return;
    for (size_t j = 0; j < of->n_rules; j++)
        if (of->rules[j].setting == rule->setting &&
            overlap(of->rules[j].rule.ranks, rule->rule.ranks) &&
            span_has(of->rules[j].rule.keys, rule->rule.keys.last + 1))
            return;
    report(findings, CODE_B030, settings_position(of->table.settings, rule->text),
           "no rule from %llu bytes on: the library "
           "chooses",
           (unsigned long long)rule->rule.keys.last + 1);
}

/* True if no rule before this one is of its collective. */
static bool variables_choose_is_first(const struct variables_table *of, size_t rule)
{
    size_t i = 0;
    while (of->rules[i].rule.collective != of->rules[rule].rule.collective || !of->rules[i].rule.algorithm)
        i++;
    return i == rule;
}

static void variables_choose_lint(const struct table *table, struct diagnostics *findings)
{
    const struct variables_table *of = variables_table_of(table);
    for (size_t i = 0; i < of->n_faults; i++)
        report(findings, CODE_B035, settings_position(of->table.settings, of->faults[i].text), "%s",
               of->faults[i].what)
            ->help = "what the library makes of it is not documented";
    for (size_t i = 0; i < of->n_rules; i++) {
        const struct variables_rule *rule = &of->rules[i];
        const int64_t last = of->version->has_ranks ? last_algorithm(rule->rule.collective) : 0;
        if (last && rule->rule.algorithm > last)
            report(findings, CODE_B010, settings_position(of->table.settings, rule->algorithm),
                   "%s has no documented algorithm %lld: the last is %lld",
                   variables_collectives[rule->rule.collective], (long long)rule->rule.algorithm,
                   (long long)last);
        if (!of->version->has_ranks && !variables_choose_is_word(rule))
            report(findings, CODE_B010, settings_position(of->table.settings, rule->algorithm),
                   "oneCCL has no algorithm '%.*s'", (int)rule->algorithm.length, rule->algorithm.text)
                ->help = did_you_mean(
                &findings->arena,
                nearest(rule->algorithm.text, rule->algorithm.length, oneccl_words, N_ONECCL_WORDS),
                "the words of its documentation are direct, ring, topo and others");
        if (!last && of->version->has_ranks && rule->rule.algorithm && variables_choose_is_first(of, i))
            report(findings, CODE_B041, settings_position(of->table.settings, rule->algorithm),
                   "algorithms of %s are not judged: those of allgather, allreduce, alltoall and alltoallv are",
                   variables_collectives[rule->rule.collective]);
        variables_choose_lint_overlap(of, i, findings);
        variables_choose_lint_gap(of, i, findings);
    }
}

/* True if it is one of the other variables of a collective, "IALLREDUCE" or "BCAST_SEGMENT". */
static bool is_like_collective(struct slice word)
{
    for (uint32_t i = 0; i < variables_n_collectives; i++) {
        const size_t length = strlen(variables_collectives[i]);
        const size_t first = word.length > length && (*word.text | 32) == 'i' ? 1 : 0;
        if (word.length >= length + first &&
            strncasecmp(word.text + first, variables_collectives[i], length) == 0 &&
            (word.length == length + first || word.text[length + first] == '_'))
            return true;
    }
    return false;
}

/* Reports names that are no variable, but nearly one, and variables that are not known. */
static void variables_choose_lint_names(const struct variables_table *of, struct diagnostics *findings)
{
    const size_t prefix = strlen(of->version->prefix);
    for (size_t i = 0; i < of->table.settings->n; i++) {
        const struct setting *setting = &of->table.settings->items[i];
        const struct slice key = settings_key(of->table.loader->dialect, setting);
        if (!key.length || !slice_starts(key, of->version->prefix) ||
            variables_collective(of->version, key) < variables_n_collectives)
            continue;
        const struct slice word = {key.text + prefix, key.length - prefix};
        const char *near = is_like_collective(word) ? NULL
                                                    : nearest(word.text, word.length, variables_collectives,
                                                              variables_n_collectives);
        if (!near)
            report(findings, CODE_B041, settings_position(of->table.settings, setting->name),
                   "'%.*s' is not judged: collc does not know this variable", (int)key.length, key.text);
        else
            report(findings, CODE_B029, settings_position(of->table.settings, setting->name),
                   "'%.*s' is no variable of %s", (int)key.length, key.text, of->version->title)
                ->help = diagnostics_text(findings, "did you mean the collective '%s'?", near);
    }
}

static void variables_lint(const struct table *table, struct diagnostics *findings)
{
    variables_choose_lint_names(variables_table_of(table), findings);
    variables_choose_lint(table, findings);
}

/* ---- loaders ---- */

static const struct variables_version version_intel = {"Intel MPI", "I_MPI_ADJUST_", true};
static const struct variables_version version_oneccl = {"oneCCL", "CCL_", false};

static const char tuning_file[] = "I_MPI_TUNING_BIN";

static struct slice key_of_intel(const struct setting *setting)
{
    return slice_starts(setting->name, version_intel.prefix) || slice_is(setting->name, tuning_file)
               ? setting->name
               : (struct slice){0};
}

static const char *unread_of_intel(const struct setting *setting)
{
    return slice_is(setting->name, tuning_file)
               ? "it names binary data, which decide where no variable I_MPI_ADJUST_... does"
               : NULL;
}

/* CCL_ begins many other variables: only those with a collective select an algorithm. */
static struct slice key_of_oneccl(const struct setting *setting)
{
    return variables_collective(&version_oneccl, setting->name) < variables_n_collectives ? setting->name
                                                                                          : (struct slice){0};
}

static const char *calls_of_intel(const struct setting *setting, struct arena *arena)
{
    (void)arena;
    const uint32_t collective = variables_collective(&version_intel, setting->name);
    return collective < variables_n_collectives ? variables_collectives[collective] : NULL;
}

static const char *calls_of_oneccl(const struct setting *setting, struct arena *arena)
{
    (void)arena;
    const uint32_t collective = variables_collective(&version_oneccl, setting->name);
    return collective < variables_n_collectives ? variables_collectives[collective] : NULL;
}

/* Adds the names that select an algorithm, with or without a place of the GPU path behind them. */
static size_t names_of_oneccl(const char **names, struct arena *arena)
{
    static const char *const all[] = {
        "ALLGATHER", "ALLGATHERV",     "ALLREDUCE",      "ALLTOALL", "ALLTOALLV",      "BARRIER",
        "BCAST",     "BROADCAST",      "REDUCE",         "REDUCE_SCATTER", "SEND",     "RECV",
        "ALLGATHER_SCALEOUT", "ALLGATHERV_SCALEOUT", "ALLREDUCE_SCALEOUT", "ALLTOALL_SCALEOUT",
        "ALLTOALLV_SCALEOUT", "REDUCE_SCALEOUT", "REDUCE_SCATTER_SCALEOUT"};
    (void)arena;
    memcpy(names, all, sizeof all);
    return sizeof all / sizeof *all;
}

static const struct settings_dialect dialect_intel = {
    .example = "'export I_MPI_ADJUST_ALLREDUCE=2' or 'mpirun -genv I_MPI_ADJUST_ALLREDUCE 2'",
    .key = key_of_intel,
    .calls = calls_of_intel,
    .unread = unread_of_intel};
static const struct settings_dialect dialect_oneccl = {
    .example = "'export CCL_ALLREDUCE=ring'", .key = key_of_oneccl, .calls = calls_of_oneccl,
    .names = names_of_oneccl, .prefix = "CCL_", .library = "oneCCL"};

#define LOADER(name, spelling, record, words)                                                                \
    extern const struct table_loader name;                                                                   \
    const struct table_loader name = {.target = spelling,                                                    \
                                      .collectives = variables_collectives,                                  \
                                      .n_collectives =                                                       \
                                          sizeof variables_collectives / sizeof *variables_collectives,      \
                                      .version = &(record),                                                  \
                                      .dialect = &(words),                                                   \
                                      .read_settings = variables_read,                                       \
                                      .choose = variables_choose,                                            \
                                      .changes = variables_choose_changes,                                   \
                                      .lint = variables_lint}
LOADER(intel_mpi_loader, "intel-mpi", version_intel, dialect_intel);
LOADER(oneccl_loader, "oneccl", version_oneccl, dialect_oneccl);
