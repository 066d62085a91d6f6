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
    const struct failure *failure;
};

/* Orders the largest value first, then by the list. */
static int compare_judged(const void *a, const void *b)
{
    const struct judged *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? -1 : 1;
    return x->failure < y->failure ? -1 : x->failure > y->failure;
}

static void fabric_failures_judge(const struct failures *failures, const struct judgement *judgement,
                                  const struct failures_subject *subject, struct diagnostics *findings)
{
    struct judged *above = mem_alloc(failures->n + 1, sizeof *above);
    size_t n = 0;
    for (size_t i = 0; i < failures->n; i++) {
        const double value = judgement->value_of(&failures->items[i]);
        if (value > judgement->limit)
            above[n++] = (struct judged){value, &failures->items[i]};
    }
    if (n)
        qsort(above, n, sizeof *above, compare_judged);
    const size_t n_kept = subject->keep && n > subject->keep ? subject->keep : n;
    for (size_t i = 0; i < n_kept; i++)
        failures_judge_find(above[i].failure, judgement, subject, i + 1 == n_kept ? n - n_kept : 0, findings);
    free(above);
}

static void judge_limit(const struct failures *failures, const struct limit *limit, double before,
                        double (*value_of)(const struct failure *failure), const char *words,
                        const struct failures_subject *subject, struct diagnostics *findings)
{
    const struct judgement judgement = {CODE_F002, limit->most, value_of, words,
                                        "leave room for a failure: in the limit of the network as it is, "
                                        "or by more cables", limit->most};
    if (limit->is_set && before <= limit->most)
        fabric_failures_judge(failures, &judgement, subject, findings);
}

void failures_judge(const struct failures *failures, const struct failures_subject *subject,
                    struct diagnostics *findings)
{
    const struct judgement lost = {CODE_F001, 0, lost_of, "of", "a second cable or switch would keep "
                                   "these machines in", (double)failures->n_messages};
    fabric_failures_judge(failures, &lost, subject, findings);
    judge_limit(failures, &subject->limits->max_link_load, failures->max_link_load, link_load_of,
                "in a step, the limit is", subject, findings);
    judge_limit(failures, &subject->limits->max_total_load, (double)failures->max_total_load, total_of,
                "in all, the limit is", subject, findings);
}
