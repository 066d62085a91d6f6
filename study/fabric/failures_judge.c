/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports the findings of failures. See failures.h.
 */
#include "base/codes.h"
#include "network/restrict.h"
#include "study/fabric/failures.h"

#include <stdlib.h>

/* A figure that is judged of each failure. */
struct judgement {
    uint32_t code;
    double limit;
    double (*value_of)(const struct failure *failure);
    const char *words, *help; /* words: behind "without NAME, "; of the value, then of another number */
    double other;             /* the other figure */
};

static double lost_of(const struct failure *failure)
{
    return (double)failure->n_lost;
}

static double link_load_of(const struct failure *failure)
{
    return failure->max_link_load;
}

static double total_of(const struct failure *failure)
{
    return (double)failure->max_total_load;
}

static struct diagnostic *
failures_judge_report_at(struct diagnostics *findings, const struct judgement *judgement,
                         struct position position, uint64_t n_left, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static struct diagnostic *failures_judge_report_at(struct diagnostics *findings,
                                                   const struct judgement *judgement,
                                                   struct position position, uint64_t n_left,
                                                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct diagnostic *found =
        report_measured_va(findings, judgement->code, position, n_left, format, args);
    va_end(args);
    return found;
}

/* Lists the links that fail with a part; to be freed. */
static uint32_t *links_of_failure(const struct failure *failure, const struct topology *topology, uint32_t *n)
{
    uint32_t *links = mem_alloc((size_t)topology->n_link_ids + 2, sizeof *links), from, to;
    *n = 0;
    for (uint32_t link = 0; link < topology->n_link_ids && failure->part != FAILED_CABLE; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from == failure->node || to == failure->node)
            links[(*n)++] = link;
    }
    if (failure->part == FAILED_CABLE) {
        links[(*n)++] = failure->link;
        links[(*n)++] = failure->back;
    }
    return links;
}

/* Appends a pair without route after the failure. */
static void print_cut_off(const struct failure *failure, const struct failures_subject *subject,
                          struct text *out)
{
    uint32_t n;
    uint32_t *links = links_of_failure(failure, subject->topology, &n);
    topology_fail_besides(subject->rest, links, n);
    placement_say_unrouted(subject->rest, subject->placement, out);
    topology_fail_besides(subject->rest, NULL, 0);
    free(links);
}

static void failures_judge_find(const struct failure *failure, const struct judgement *judgement,
                                const struct failures_subject *subject, uint64_t n_left,
                                struct diagnostics *findings)
{
    const double value = judgement->value_of(failure);
    const bool is_cut_off = judgement->code == CODE_F001;
    struct text name = {0}, who = {0};
    failure_print(failure, subject->topology, &name);
    if (is_cut_off && subject->rest)
        print_cut_off(failure, subject, &who);
    struct diagnostic *finding = failures_judge_report_at(
        findings, judgement, subject->position, n_left, "without %s, %s %.0f messages %s %.0f%s", name.data,
        is_cut_off ? "no way is left for" : "a link carries", value, judgement->words, judgement->other,
        who.data ? who.data : "");
    text_free(&name);
    text_free(&who);
    if (failure->part == FAILED_CABLE)
        finding->place.link = failure->link;
    else
        finding->place.machine = failure->node;
    finding->counted = (struct counted){"messages", value, judgement->limit};
    finding->help = judgement->help;
}

/* A failure and its judged figure. */
struct judged {
    double value;
    bool is_of_host; /* a cable of a machine, which cuts that off alone */
    const struct failure *failure;
};

/* Failures above a limit, the worst first; cables of machines last, as these are what one expects. */
struct judged_list {
    const struct judgement *judgement;
    struct judged *items;
    size_t n, n_kept, n_reported;
};

static int compare_judged(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    if (x->is_of_host != y->is_of_host)
        return x->is_of_host ? 1 : -1;
    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? -1 : 1;
    return x->failure < y->failure ? -1 : x->failure > y->failure;
}

static bool is_cable_of_host(const struct failure *failure, const struct topology *topology)
{
    uint32_t from = topology->n_machines, to = from;
    if (failure->part == FAILED_CABLE)
        topology_link_ends(topology, failure->link, &from, &to);
    return from < topology->n_machines || to < topology->n_machines;
}

static struct judged_list find_judged(const struct failures *failures, const struct judgement *judgement,
                                      const struct failures_subject *subject)
{
    struct judged_list list = {judgement, mem_alloc(failures->n + 1, sizeof *list.items), 0, 0, 0};
    for (size_t i = 0; i < failures->n; i++) {
        const struct failure *failure = &failures->items[i];
        const double value = judgement->value_of(failure);
        const bool is_of_host = judgement->code == CODE_F001 && is_cable_of_host(failure, subject->topology);
        if (value > judgement->limit)
            list.items[list.n++] = (struct judged){value, is_of_host, failure};
    }
    if (list.n)
        qsort(list.items, list.n, sizeof *list.items, compare_judged);
    list.n_kept = subject->keep && list.n > subject->keep ? subject->keep : list.n;
    return list;
}

/* Reports those kept that were not yet; of_hosts: cables of machines, too. */
static void report_judged(struct judged_list *list, bool of_hosts, const struct failures_subject *subject,
                          struct diagnostics *findings)
{
    for (; list->n_reported < list->n_kept; list->n_reported++) {
        const struct judged *judged = &list->items[list->n_reported];
        if (judged->is_of_host && !of_hosts)
            return;
        failures_judge_find(judged->failure, list->judgement, subject,
                            list->n_reported + 1 == list->n_kept ? list->n - list->n_kept : 0, findings);
    }
}

static void judge_limit(const struct failures *failures, const struct limit *limit, double before,
                        double (*value_of)(const struct failure *failure), const char *words,
                        const struct failures_subject *subject, struct diagnostics *findings)
{
    const struct judgement judgement = {CODE_F002, limit->most, value_of, words,
                                        "leave room for a failure: in the limit of the network as it is, "
                                        "or by more cables", limit->most};
    if (!limit->is_set || before > limit->most)
        return;
    struct judged_list list = find_judged(failures, &judgement, subject);
    report_judged(&list, true, subject, findings);
    free(list.items);
}

void failures_judge(const struct failures *failures, const struct failures_subject *subject,
                    struct diagnostics *findings)
{
    const struct judgement lost = {CODE_F001, 0, lost_of, "of", "a second cable or switch would keep "
                                   "these machines in", (double)failures->n_messages};
    struct judged_list list = find_judged(failures, &lost, subject);
    report_judged(&list, false, subject, findings);
    judge_limit(failures, &subject->limits->max_link_load, failures->max_link_load, link_load_of,
                "in a step, the limit is", subject, findings);
    judge_limit(failures, &subject->limits->max_total_load, (double)failures->max_total_load, total_of,
                "in all, the limit is", subject, findings);
    report_judged(&list, true, subject, findings);
    free(list.items);
}
