/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the component that answers a collective under a rule file of coll/han; the loaders' records. A
 * row names a component. If it cannot answer on the communicator, coll/han hands the call to the
 * component below itself, which is coll/tuned unless priorities were changed.
 */
#include "tables/han/han.h"
#include "tables/ompi/forced.h"

#include <stdlib.h>
#include <string.h>

const char *const han_level_names[HAN_N_LEVELS] = {"intra_node", "inter_node", "global_communicator"};

const char *const han_component_names[HAN_N_COMPONENTS] = {
#define X(name) #name,
    HAN_COMPONENTS(X)
#undef X
};

bool han_has(uint32_t collective, enum han_level level)
{
    switch (collective) {
    case OMPI_allgather:
    case OMPI_allreduce:
    case OMPI_barrier:
    case OMPI_bcast:
    case OMPI_gather:
    case OMPI_reduce:
    case OMPI_scatter: return true;
    case OMPI_allgatherv: return level != HAN_GLOBAL;
    default: return false;
    }
}

/* Returns the component that answers without a row. */
static enum han_component default_of(uint32_t collective, enum han_level level)
{
    (void)collective;
    return level == HAN_GLOBAL ? HAN_han : HAN_tuned;
}

const char *han_lack(enum han_component component, enum han_level level)
{
    switch (component) {
    case HAN_self: return "coll/self is for communicators of one rank";
    case HAN_libnbc: return "coll/libnbc has collectives that do not block alone";
    case HAN_sm:
        return level == HAN_WITHIN ? "coll/sm takes no part unless its priority is raised"
                                   : "coll/sm is for ranks of one machine";
    case HAN_adapt: return "coll/adapt takes no part unless its priority is raised";
    case HAN_han:
        return level == HAN_GLOBAL ? NULL : "coll/han is not called on the communicators that it makes";
    case HAN_basic:
    case HAN_tuned:
    case HAN_N_COMPONENTS: break;
    }
    return NULL;
}

bool han_ends_program(const struct han_version *version, const struct han_row *row)
{
    const int64_t component = row->rule.algorithm - 1;
    return version->mixes_allreduce && row->rule.collective == OMPI_allreduce && row->level == HAN_GLOBAL &&
           (component == HAN_basic || component == HAN_tuned);
}

int han_algorithm(uint32_t collective, const char *name, bool *is_without)
{
    static const char *const intra_and_simple[] = {"default", "intra", "simple", NULL};
    static const char *const reproducible[] = {"default", "intra", "simple", "reproducible", NULL};
    static const char *const simple[] = {"default", "simple", NULL};
    const char *const *names = collective == OMPI_barrier ? simple
                               : collective == OMPI_reduce || collective == OMPI_allreduce ? reproducible
                                                                                           : intra_and_simple;
    int n = 0, number = -1;
    *is_without = !han_has(collective, HAN_GLOBAL) && strcmp(name, names[0]) != 0;
    if (*is_without || strcmp(name, names[0]) == 0)
        return 0;
    for (; names[n]; n++)
        if (strcmp(name, names[n]) == 0)
            number = n;
    if (number >= 0)
        return number;
    char *end;
    const long value = strtol(name, &end, 10);
    return *end == '\0' && value >= 0 && value < n ? (int)value : -1;
}

static enum han_level han_choose_level_of(const struct table_query *query)
{
    switch (query->level) {
    case TABLE_WITHIN: return HAN_WITHIN;
    case TABLE_BETWEEN: return HAN_BETWEEN;
    case TABLE_WHOLE: break;
    }
    return HAN_GLOBAL;
}

static const struct han_row *acting_row(const struct han_table *of, const struct table_query *query,
                                        uint64_t key)
{
    const enum han_level level = han_choose_level_of(query);
    for (size_t i = 0; i < of->n_rows && !of->table.ignored; i++) {
        const struct han_row *row = &of->rows[i];
        if (row->rule.collective == query->collective && row->level == level &&
            span_has(row->rule.ranks, query->n_ranks) && span_has(row->rule.keys, key))
            return row;
    }
    return NULL;
}

/* Returns why coll/han is not asked at all; NULL if it is. */
static const char *why_not(const struct han_table *of, const struct table_query *query, struct arena *arena)
{
    const enum han_level level = han_choose_level_of(query);
    if (!han_has(query->collective, level))
        return "coll/han has no rules for it: the component below it answers";
    if (level != HAN_GLOBAL && !of->version->has_levels)
        return arena_printf(arena, "%s makes these communicators without coll/han: no rule is looked up",
                            of->version->title);
    if (level == HAN_GLOBAL && query->n_nodes == 1)
        return "all ranks are on one machine: coll/han takes no part";
    return NULL;
}

static struct table_range han_choose_by_default(const struct han_table *of, const struct table_query *query,
                                                struct arena *arena)
{
    const enum han_level level = han_choose_level_of(query);
    struct table_range range = {.algorithm = han_component_names[default_of(query->collective, level)]};
    range.why =
        arena_printf(arena, "%s: coll_han_%s_dynamic_%s_module decides, which is %s if nobody sets it",
                     of->table.ignored ? "the file is ignored" : "no row",
                     ompi_collective_names[query->collective], han_level_names[level], range.algorithm);
    return range;
}

/* Returns why the component cannot answer, including calls in which coll/han gives up (4.1.4, seen by
 * calling it). */
static const char *lack_of(enum han_component component, enum han_level level,
                           const struct table_query *query)
{
    const bool is_any = query->collective == OMPI_allreduce || query->collective == OMPI_barrier;
    if (component != HAN_han || level != HAN_GLOBAL || query->n_nodes == 0)
        return han_lack(component, level);
    if (query->n_nodes == query->n_ranks)
        return "with one rank on each machine coll/han gives up when it is called";
    if (query->n_ranks % query->n_nodes && !is_any)
        return "with more ranks on one machine than on another coll/han gives up when it is called";
    return NULL;
}

static struct table_range han_choose(const struct table *table, const struct table_query *query,
                                     bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    (void)is_elsewhere;
    const struct han_table *of = han_table_of(table);
    if (table->ends_program)
        return (struct table_range){
            .algorithm = "none", .why = "the file is refused",
            .fails = arena_printf(arena, "MPI_Init ends the program: %s", table->ignored)};
    const char *why = why_not(of, query, arena);
    if (why)
        return (struct table_range){.algorithm = "default", .why = why};
    const uint64_t key = query->collective == OMPI_barrier ? 0 : bytes;
    const struct han_row *row = acting_row(of, query, key);
    if (!row)
        return han_choose_by_default(of, query, arena);
    const enum han_component component = (enum han_component)(row->rule.algorithm - 1);
    const char *lack = lack_of(component, row->level, query), *name = han_component_names[component];
    return (struct table_range){
        .algorithm = row->algorithm ? arena_printf(arena, "%s @%s", name, row->algorithm) : name,
        .runs_as = lack ? han_component_names[HAN_tuned] : NULL,
        .rule = &row->rule,
        .fails = han_ends_program(of->version, row) ? "the program ends in a segmentation fault: coll/han "
                                                      "calls an algorithm of its own with what "
                                                      "belongs to the component"
                                                    : NULL,
        .why = arena_printf(arena, "row of size %llu for %llu rank%s and more%s%s",
                            (unsigned long long)row->size, (unsigned long long)row->rule.ranks.first,
                            row->rule.ranks.first == 1 ? "" : "s", lack ? "; " : "", lack ? lack : "")};
}

static void han_choose_changes(const struct table *table, const struct table_query *query,
                               void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct han_table *of = han_table_of(table);
    for (size_t i = 0; i < of->n_rows; i++) {
        const struct table_rule *rule = &of->rows[i].rule;
        if (rule->collective != query->collective)
            continue;
        note(context, rule->keys.first);
        note(context, rule->keys.last == SPAN_NO_END ? 0 : rule->keys.last + 1);
    }
}

static const struct han_version version_4_1 = {
    .number = 41, .title = "Open MPI 4.1", .mixes_allreduce = true};
static const struct han_version version_5_0 = {
    .number = 50, .title = "Open MPI 5.0", .has_levels = true, .has_names = true, .is_on = true};

static struct slice han_key(const struct setting *setting)
{
    const struct slice name = ompi_parameter_name(setting);
    return slice_starts(name, "coll_han_") ? name : (struct slice){0};
}

static const char *han_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective";
}

const struct settings_dialect han_dialect = {
    .example =
        "'mpirun --mca coll_han_use_dynamic_file_rules 1 --mca coll_han_dynamic_rules_filename /site/han.rules'",
    .key = han_key,
    .order_words = "Open MPI takes the command line first, then the environment, and parameter files last",
    .value = ompi_value,
    .calls = han_calls,
    .fault = ompi_fault,
    .refuses = ompi_refuses};

static bool han_is_file(const struct table_loader *loader, const struct source *source,
                        const struct settings *settings)
{
    return !settings_have(settings, loader->dialect) && !settings->is_script && table_is_of_numbers(source);
}

static struct table *han_read_settings(const struct table_loader *loader, const struct settings *settings,
                                       struct arena *arena, struct diagnostics *diagnostics)
{
    return table_read_named(loader, settings, HAN_FILENAME, arena, diagnostics);
}

#define LOADER(name, spelling, record)                                                                       \
    extern const struct table_loader name;                                                                   \
    const struct table_loader name = {.target = spelling,                                                    \
                                      .collectives = ompi_collective_names,                                  \
                                      .n_collectives = OMPI_N_COLLECTIVES,                                   \
                                      .version = &(record),                                                  \
                                      .has_levels = true,                                                    \
                                      .is_file = han_is_file,                                                \
                                      .read = han_read,                                                      \
                                      .dialect = &han_dialect,                                               \
                                      .read_settings = han_read_settings,                                    \
                                      .choose = han_choose,                                                  \
                                      .changes = han_choose_changes,                                         \
                                      .lint = han_lint,                                                      \
                                      .convert = han_convert}
LOADER(ompi_4_1_han_loader, "ompi-4.1-han", version_4_1);
LOADER(ompi_5_0_han_loader, "ompi-5.0-han", version_5_0);
