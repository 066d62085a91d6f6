/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of jobs on a network: each by itself, who disturbs whom, and the links where they meet most.
 * From the record of the cell.
 */
#include "reports/check.h"

#include "base/text/json.h"

#include <string.h>

enum { LINKS = 3 };

static long long check_jobs_number_of(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static int widest_of(const json_t *jobs, const char *key, int width)
{
    size_t i;
    const json_t *job;
    json_array_foreach(jobs, i, job) {
        const int length = (int)strlen(json_text(job, key));
        width = length > width ? length : width;
    }
    return width;
}

static void check_jobs_print_jobs(const json_t *jobs, int name_width, struct text *out)
{
    const int width = widest_of(jobs, "schedule", 8);
    size_t i;
    const json_t *job;
    text_printf(out, "  %-*s  %-*s %7s %7s %9s %10s %9s\n", name_width, "job", width, "schedule", "ranks",
                "servers", "summed", "in a step", "in all");
    json_array_foreach(jobs, i, job) {
        text_printf(out, "  %-*s  %-*s %7lld %7lld %9lld %10lld %9lld\n", name_width, json_text(job, "name"),
                    width, json_text(job, "schedule"), check_jobs_number_of(job, "ranks"),
                    check_jobs_number_of(job, "servers"), check_jobs_number_of(job, "sum_step_load"),
                    check_jobs_number_of(job, "max_link_load"), check_jobs_number_of(job, "max_total_load"));
    }
}

/* "a   by b   1.93 times as long at worst, 1.31 on average, on 12 links" */
static void print_disturbance(const char *name, const char *by, const json_t *object, int name_width,
                              struct text *out)
{
    if (!check_jobs_number_of(object, "links"))
        text_printf(out, "  %-*s  by %-*s  not at all\n", name_width, name, name_width, by);
    else
        text_printf(
            out, "  %-*s  by %-*s  up to %.2f times as long, %.2f on average, on %lld link%s\n", name_width,
            name, name_width, by, json_number_value(json_object_get(object, "slowdown_worst")),
            json_number_value(json_object_get(object, "slowdown_mean")),
            check_jobs_number_of(object, "links"), check_jobs_number_of(object, "links") == 1 ? "" : "s");
}

static void print_disturbances(const json_t *jobs, int name_width, struct text *out)
{
    size_t i, k;
    const json_t *job, *other;
    json_array_foreach(jobs, i, job) {
        json_array_foreach(json_object_get(job, "by"), k, other) {
            print_disturbance(json_text(job, "name"), json_text(other, "name"), other, name_width, out);
        }
        if (json_array_size(jobs) > 2)
            print_disturbance(json_text(job, "name"), "all", job, name_width, out);
    }
}

static void check_jobs_print_links(const json_t *jobs, const json_t *links, uint32_t n_shown,
                                   struct text *out)
{
    const size_t most = n_shown > LINKS ? n_shown : LINKS;
    size_t i, k;
    const json_t *link, *job;
    json_array_foreach(links, i, link) {
        const char *separator = "";
        if (i == most) {
            text_printf(out, "  %zu more links are shared; --max-findings lists more\n",
                        json_array_size(links) - i);
            return;
        }
        text_printf(out, "  %s -> %s carries up to %lld messages at once (", json_text(link, "link_from"),
                    json_text(link, "link_to"), check_jobs_number_of(link, "max_link_load"));
        json_array_foreach(jobs, k, job) {
            const json_t *share = json_array_get(json_object_get(link, "max_link_load_of"), k);
            if (!json_integer_value(share))
                continue;
            text_printf(out, "%s%lld of %s", separator, (long long)json_integer_value(share),
                        json_text(job, "name"));
            separator = ", ";
        }
        text_printf(out, ")\n");
    }
}

void check_take_jobs(struct check *check, size_t number, const json_t *record)
{
    const json_t *jobs = json_object_get(record, "jobs"), *links = json_object_get(record, "shared_links");
    struct text table = {0}, *out = &check->cells[number].table;
    if (!json_is_array(jobs))
        return;
    const int name_width = widest_of(jobs, "name", 3);
    text_printf(&table, "jobs on %s, at the same time\n", project_cell(check->project, number).network->name);
    check_jobs_print_jobs(jobs, name_width, &table);
    print_disturbances(jobs, name_width, &table);
    check_jobs_print_links(jobs, links, check->max_shown, &table);
    for (char *line = table.data; *line; line = strchr(line, '\0') + 1) { /* names are the user's */
        *strchr(line, '\n') = '\0';
        text_append_safe(out, line);
        text_append(out, "\n", 1);
    }
    text_free(&table);
}
