/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what the process that runs a cell says of it, for check.c, which reads it with jansson: the names of
 * that and of reports/json.h do not go together in one file.
 */
#include "reports/check.h"

#include "reports/json.h"
#include "reports/verdict.h"

const char *const cell_outcome_name[] = {"verified", "not-for", "broken"};

/* Writes what there was before, then every failure, the worst first. */
static void write_loads(uint64_t sum_step_load, uint32_t max_link_load, uint64_t max_total_load,
                        struct json *json)
{
    json_put_unsigned(json, "sum_step_load", sum_step_load);
    json_put_unsigned(json, "max_link_load", max_link_load);
    json_put_unsigned(json, "max_total_load", max_total_load);
}

static void write_ratio(double ratio, const char *kind, struct json *json)
{
    if (ratio > 0) {
        json_put_real(json, "bound_ratio", ratio);
        json_put_string(json, "bound_kind", kind);
    } else {
        json_put_null(json, "bound_ratio");
        json_put_null(json, "bound_kind");
    }
}

static void write_failure(const struct failure *failure, const struct topology *topology, struct json *json)
{
    static const char *const parts[] = {"cable", "switch", "machine"};
    struct text name = {0};
    failure_print(failure, topology, &name);
    json_open(json, NULL, '{');
    json_put_string(json, "part", parts[failure->part]);
    json_put_string(json, "name", name.data);
    json_put_index(json, "link", failure->part == FAILED_CABLE ? (int64_t)failure->link : -1);
    json_put_index(json, "node", failure->part == FAILED_CABLE ? -1 : (int64_t)failure->node);
    json_put_unsigned(json, "lost", failure->n_lost);
    json_put_unsigned(json, "gone", failure->n_gone);
    json_put_unsigned(json, "moved", failure->n_moved);
    write_loads(failure->sum_step_load, failure->max_link_load, failure->max_total_load, json);
    write_ratio(failure->bound_ratio, failure->bound_kind, json);
    json_close(json, '}');
    text_free(&name);
}

static void check_record_write_failures(const struct cell_result *result, struct json *json)
{
    const struct failures *failures = result->failures;
    if (!failures)
        return;
    json_open(json, "failures", '{');
    json_put_unsigned(json, "messages", failures->n_messages);
    write_loads(failures->sum_step_load, failures->max_link_load, failures->max_total_load, json);
    write_ratio(failures->bound_ratio, failures->bound_kind, json);
    json_open(json, "each", '[');
    for (size_t i = 0; i < failures->n; i++)
        write_failure(&failures->items[i], result->topology, json);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_disturbance(const struct disturbance *disturbance, struct json *json)
{
    json_put_unsigned(json, "links", disturbance->n_links);
    json_put_real(json, "slowdown_worst", disturbance->worst);
    json_put_real(json, "slowdown_mean", disturbance->mean);
}

static void write_job(const struct jobs *jobs, size_t number, struct json *json)
{
    const struct job_run *run = &jobs->runs[number];
    json_open(json, NULL, '{');
    json_put_string(json, "name", run->job->name);
    json_put_string(json, "schedule", run->job->schedule.text);
    json_put_unsigned(json, "ranks", run->making.placement->n_ranks);
    json_put_unsigned(json, "servers", run->making.placement->n_servers);
    json_put_bool(json, "complete", run->report.is_complete);
    write_loads(run->report.sum_step_load, run->report.max_link_load, run->report.max_total_load, json);
    write_disturbance(&jobs->by_all[number], json);
    json_open(json, "by", '[');
    for (size_t other = 0; other < jobs->n; other++) {
        if (other == number)
            continue;
        json_open(json, NULL, '{');
        json_put_string(json, "name", jobs->runs[other].job->name);
        write_disturbance(&jobs->by[number * jobs->n + other], json);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_shared(const struct jobs *jobs, const struct shared_link *shared, struct json *json)
{
    char name[256];
    uint32_t end[2];
    topology_link_ends(jobs->topology, shared->link, &end[0], &end[1]);
    json_open(json, NULL, '{');
    json_put_unsigned(json, "link", shared->link);
    topology_node_name(jobs->topology, end[0], name, sizeof name);
    json_put_string(json, "link_from", name);
    topology_node_name(jobs->topology, end[1], name, sizeof name);
    json_put_string(json, "link_to", name);
    json_put_unsigned(json, "max_link_load", shared->peak);
    json_put_unsigned(json, "max_total_load", shared->total);
    json_open(json, "max_link_load_of", '[');
    for (size_t i = 0; i < jobs->n; i++)
        json_put_unsigned(json, NULL, jobs->runs[i].peak[shared->link]);
    json_close(json, ']');
    json_close(json, '}');
}

static void check_record_write_jobs(const struct jobs *jobs, struct json *json)
{
    json_open(json, "jobs", '[');
    for (size_t i = 0; i < jobs->n; i++)
        write_job(jobs, i, json);
    json_close(json, ']');
    json_open(json, "shared_links", '[');
    for (size_t i = 0; i < jobs->n_links; i++)
        write_shared(jobs, &jobs->links[i], json);
    json_close(json, ']');
}

static void check_record_write_list(const struct topology *topology, const struct diagnostics *list,
                                    bool is_brief, const char *key, struct json *json)
{
    json_open(json, key, '[');
    for (const struct diagnostic *d = list->first; d; d = d->next) {
        json_open(json, NULL, '{');
        finding_write(json, topology, d, is_brief);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_brief_report(const struct cell_result *result, struct json *json)
{
    json_open(json, "report", '{');
    check_record_write_list(result->topology, result->findings, true, "findings", json);
    json_close(json, '}');
}

/* Writes what was counted and is not in the list, by code. */
static void write_left(const struct diagnostics *list, struct json *json)
{
    uint64_t n_listed[MAX_CODES] = {0}, n_left = 0;
    for (const struct diagnostic *d = list->first; d; d = d->next)
        n_listed[d->code] += 1 + d->n_more;
    for (uint32_t code = 0; code < n_codes; code++)
        n_left += list->n_of_code[code] - n_listed[code];
    if (!n_left)
        return;
    json_open(json, "left", '[');
    for (uint32_t code = 0; code < n_codes; code++) {
        if (list->n_of_code[code] == n_listed[code])
            continue;
        json_open(json, NULL, '{');
        json_put_string(json, "code", code_table[code].id);
        json_put_unsigned(json, "n", list->n_of_code[code] - n_listed[code]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void cell_record(const struct cell_result *result, bool is_brief, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_put_string(&json, "outcome", cell_outcome_name[result->outcome]);
    check_record_write_list(result->topology, result->problems, is_brief, "problems", &json);
    if (result->jobs) {
        check_record_write_jobs(result->jobs, &json);
        check_record_write_list(result->topology, result->findings, is_brief, "findings", &json);
    } else if (result->outcome == CELL_VERIFIED && is_brief) {
        write_brief_report(result, &json);
        check_record_write_failures(result, &json);
    } else if (result->outcome == CELL_VERIFIED) {
        const struct diagnostics none = {0};
        const struct verdict verdict = {.header = result->header,
                                        .source = result->source,
                                        .topology = result->topology,
                                        .placement = result->placement,
                                        .report = result->report,
                                        .least = result->least,
                                        .symmetric = result->symmetric,
                                        .warnings = &none,
                                        .findings = result->findings};
        verdict_json(&verdict, "report", &json);
        check_record_write_failures(result, &json);
    }
    if (result->outcome == CELL_VERIFIED)
        write_left(result->findings, &json);
    json_close(&json, '}');
}
