/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of parameters of coll/tuned.
 */
#include "tables/ompi/forced.h"
#include "tables/ompi/lint.h"

#include "base/suggest.h"

#include <inttypes.h>
#include <string.h>

static struct position at_value(const struct ompi_settings *of, const struct setting *setting)
{
    return settings_position(of->settings, ompi_value(setting));
}

/* ---- what does not act ---- */

/* Names of parameters that belong to no collective. */
static const char *const general_names[] = {
    "coll",
    "coll_tuned_use_dynamic_rules",
    "coll_tuned_dynamic_rules_filename",
    "coll_tuned_priority",
    "coll_tuned_init_tree_fanout",
    "coll_tuned_init_chain_fanout",
    "coll_tuned_init_max_requests",
    "coll_tuned_alltoall_small_msg",
    "coll_tuned_alltoall_intermediate_msg",
    "coll_tuned_alltoall_large_msg",
    "coll_tuned_alltoall_min_procs",
    "coll_tuned_bcast_algorithm_knomial_radix",
    "coll_tuned_scatter_min_procs",
    "coll_tuned_scatter_intermediate_msg",
    "coll_tuned_scatter_large_msg",
    "coll_tuned_scatter_blocking_send_ratio",
    "coll_tuned_dynamic_rules_fileformat",
    "coll_tuned_verbose",
    "coll_tuned_stream",
};
enum { N_GENERAL = sizeof general_names / sizeof *general_names };

/* Returns the parameter whose name is nearest, or NULL. */
static const char *nearest_parameter(struct slice key, struct diagnostics *findings)
{
    enum { MOST = N_GENERAL + OMPI_N_COLLECTIVES * N_OMPI_PARAMETERS };
    const char *names[MOST];
    size_t n = N_GENERAL;
    memcpy(names, general_names, sizeof general_names);
    for (uint32_t i = 0; i < OMPI_N_COLLECTIVES; i++)
        for (unsigned j = 0; j < N_OMPI_PARAMETERS; j++)
            if (ompi_has_parameter(i, (enum ompi_parameter)j))
                names[n++] = diagnostics_text(findings, "coll_tuned_%s_%s", ompi_collective_names[i],
                                              ompi_parameter_names[j]);
    return nearest(key.text, key.length, names, n);
}

static bool is_general(struct slice key)
{
    for (size_t i = 0; i < N_GENERAL; i++)
        if (slice_is(key, general_names[i]))
            return true;
    return false;
}

static void lint_names(const struct ompi_table *of, struct diagnostics *findings)
{
    const struct settings *settings = of->forced->settings;
    for (size_t i = 0; i < settings->n; i++) {
        uint32_t collective;
        enum ompi_parameter parameter;
        const struct slice key = settings_key(&ompi_dialect, &settings->items[i]);
        if (!key.length || is_general(key) || ompi_names_settings(key) ||
            ompi_parameter_of(key, &collective, &parameter))
            continue;
        report(findings, CODE_B029, settings_position(settings, settings->items[i].name),
               "coll/tuned of %s has no parameter '%.*s', and Open MPI says nothing of it",
               of->version->title, (int)key.length, key.text)
            ->help = did_you_mean(&findings->arena, nearest_parameter(key, findings),
                                  "'ompi_info --param coll tuned --level 9' lists those that are");
    }
}

static void lint_idle(const struct ompi_settings *of, const struct setting *setting,
                      struct diagnostics *findings)
{
    struct diagnostic *finding =
        report(findings, CODE_B009, settings_position(of->settings, setting->name),
               of->is_without_tuned ? "'%.*s' has no effect: coll/tuned is not among the components"
                                    : "'%.*s' has no effect without coll_tuned_use_dynamic_rules",
               (int)setting->name.length, setting->name.text);
    const struct setting *cause = of->is_without_tuned ? of->components : of->dynamic;
    finding->help = of->is_without_tuned ? "take tuned into the parameter 'coll'"
                                         : "set coll_tuned_use_dynamic_rules to 1 beside it";
    if (!cause)
        return;
    finding->related = at_value(of, cause);
    finding->related_text =
        of->is_without_tuned ? "these are the components" : "Open MPI takes this for false";
}

static void lint_components(const struct ompi_settings *of, struct diagnostics *findings)
{
    if (of->ends_init)
        report(findings, CODE_B021, at_value(of, of->components), "%s", of->ends_init)->help =
            *ompi_value(of->components).text == '^' ? "leave basic and libnbc out of those that are taken away"
                                                    : "write the list without blanks, and with basic,libnbc,self in it";
}

/* ---- what is forced ---- */

/* Returns the names of the collective's algorithms, "linear, pairwise". */
static const char *lint_algorithms(const struct ompi_table *of, uint32_t collective,
                                   struct diagnostics *findings)
{
    const struct table_loader *loader = of->table.loader;
    struct table_algorithm algorithm;
    const char *names = "";
    for (size_t i = 0; loader->writer->algorithm(loader, collective, i, &algorithm); i++)
        names = diagnostics_text(findings, "%s%s%s", names, i ? ", " : "", algorithm.name);
    return names;
}

static void lint_unknown(const struct ompi_table *of, uint32_t collective, struct diagnostics *findings)
{
    const struct setting *setting = of->forced->of[collective].by[PARAMETER_ALGORITHM];
    const struct slice value = ompi_value(setting);
    const bool has_more = value.length && strcspn(value.text, "\"'# \t") < value.length;
    report(findings, CODE_B010, at_value(of->forced, setting),
           "%s of %s has no algorithm '%.*s': the last is %lld", ompi_collective_names[collective],
           of->version->title, (int)(value.length < 60 ? value.length : 60), value.text,
           (long long)ompi_algorithm_last(of->version, collective))
        ->help =
        has_more && setting->form == SETTING_LINE
            ? "parameter files have no quotes, and no comments behind a value: all of the line counts"
            : diagnostics_text(findings,
                               "Open MPI warns of an invalid value, and goes on with its fixed decision; it has %s",
                               lint_algorithms(of, collective, findings));
}

static void lint_unused(const struct ompi_table *of, uint32_t collective,
                        const struct ompi_algorithm *algorithm, struct diagnostics *findings)
{
    static const unsigned uses[N_OMPI_PARAMETERS] = {[PARAMETER_SEGMENT] = USES_SEGMENT,
                                                     [PARAMETER_CHAIN] = USES_FAN_OUT,
                                                     [PARAMETER_REQUESTS] = USES_REQUESTS};
    const struct ompi_forced *forced = &of->forced->of[collective];
    const bool is_set = forced->by[PARAMETER_ALGORITHM] != NULL;
    for (unsigned i = PARAMETER_SEGMENT; i < N_OMPI_PARAMETERS; i++) {
        if (!forced->by[i] || (algorithm && (i == PARAMETER_TREE || (algorithm->uses & uses[i]))) ||
            (is_set && !algorithm))
            continue;
        report(findings, CODE_B014, at_value(of->forced, forced->by[i]),
               algorithm ? "%s of %s takes no %s: it does nothing"
                         : "%s%s is not forced: its %s does nothing",
               algorithm ? algorithm->name : "", ompi_collective_names[collective], ompi_parameter_names[i])
            ->help = algorithm ? "take it away" : "set the algorithm, too";
    }
}

/* Reports that rows of the file with algorithm 0 do not come to the fixed decision, but to what is forced. */
static void lint_overruled(const struct ompi_table *of, uint32_t collective,
                           const struct ompi_algorithm *algorithm, struct diagnostics *findings)
{
    const struct ompi_settings *settings = of->forced;
    const struct table *file = settings->rules;
    size_t n = 0;
    uint32_t line = 0;
    for (size_t i = 0; file && !file->ignored && i < file->n_rules; i++)
        if (file->rules[i].collective == collective && file->rules[i].algorithm == 0)
            line = n++ == 0 ? file->rules[i].line : line;
    if (!n || !settings->is_dynamic || settings->is_without_tuned)
        return;
    report(findings, CODE_B009, at_value(settings, settings->of[collective].by[PARAMETER_ALGORITHM]),
           "the rule file leaves calls of %s to the fixed decision (line %" PRIu32 "), and this forces %s there",
           ompi_collective_names[collective], line, algorithm->name)
        ->help = "take the setting away, or name algorithms in the rows";
}

static void lint_one_forced(const struct ompi_table *of, uint32_t collective, struct diagnostics *findings)
{
    const struct ompi_forced *forced = &of->forced->of[collective];
    const struct setting *setting = forced->by[PARAMETER_ALGORITHM];
    const struct ompi_algorithm *algorithm =
        ompi_algorithm_find(of->version, collective, forced->rule.algorithm);
    lint_unused(of, collective, algorithm, findings);
    if (!setting)
        return;
    const struct position at = at_value(of->forced, setting);
    if (ompi_forced_number(of->version, collective, ompi_value(setting)) < 0) {
        lint_unknown(of, collective, findings);
        return;
    }
    if (!algorithm)
        return;
    lint_overruled(of, collective, algorithm, findings);
    if (algorithm->needs == NEEDS_TWO)
        report(findings, CODE_B011, at, "two_proc is for 2 ranks, and it is forced on all communicators")
            ->help = "calls on others end in MPI_ERR_UNSUPPORTED_OPERATION: name it in a rule file, for "
                     "communicator size 2";
    ompi_lint_safety(of->version, &forced->rule, "setting", at, findings);
    if (ompi_is_of_han(of->version, collective))
        report(findings, CODE_B017, at,
               "where ranks are on several machines coll/han answers %s before coll/tuned",
               ompi_collective_names[collective])
            ->help = "'--mca coll ^han' takes it away";
}

void ompi_lint_settings(const struct ompi_table *of, struct diagnostics *findings)
{
    const struct ompi_settings *forced = of->forced;
    lint_names(of, findings);
    lint_components(forced, findings);
    const bool is_idle = !forced->is_dynamic || forced->is_without_tuned;
    if (is_idle && forced->filename)
        lint_idle(forced, forced->filename, findings);
    for (uint32_t i = 0; i < OMPI_N_COLLECTIVES; i++) {
        if (is_idle && forced->of[i].by[PARAMETER_ALGORITHM])
            lint_idle(forced, forced->of[i].by[PARAMETER_ALGORITHM], findings);
        lint_one_forced(of, i, findings);
    }
    const struct slice name = forced->filename ? ompi_value(forced->filename) : (struct slice){0};
    if (name.length && !forced->rules && !strchr("/~$", *name.text) && !forced->filename->is_computed)
        report(findings, CODE_B038, at_value(forced, forced->filename), "the rule file is not beside this one")
            ->help = "without it Open MPI takes its fixed decisions, and says nothing of it";
    else if (name.length && !forced->rules)
        report(findings, CODE_B041, at_value(forced, forced->filename),
               "the rule file is not here: it is not judged");
    if (forced->rules)
        ompi_lint(forced->rules, findings);
}
