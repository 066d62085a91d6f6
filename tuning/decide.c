/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See decide.h.
 */
#include "tuning/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the test ---- */

static int compare_sizes(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

double signed_rank_p(const double *differences, size_t n_all)
{
    enum { MAX_SUM = DECIDE_MAX_LAUNCHES * (DECIDE_MAX_LAUNCHES + 1) }; /* sums of doubled ranks, which ties
                                                                           share */
    double sorted[DECIDE_MAX_LAUNCHES] = {0}, ways[MAX_SUM + 1] = {1}, below = 0, all = 0;
    size_t n = 0, sum = 0, most = 0;
    for (size_t i = 0; i < n_all && n < DECIDE_MAX_LAUNCHES; i++)
        if (differences[i] != 0)
            sorted[n++] = differences[i];
    qsort(sorted, n, sizeof *sorted, compare_sizes);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && fabs(sorted[end]) <= fabs(sorted[first]);)
            end++;
        const size_t doubled = first + 1 + end; /* ranks first + 1 .. end, twice their mean */
        for (size_t i = first; i < end; i++) {
            sum += sorted[i] > 0 ? doubled : 0;
            for (size_t at = most + 1; at-- > 0;)
                ways[at + doubled] += ways[at];
            most += doubled;
        }
    }
    for (size_t at = 0; at <= most; at++) {
        all += ways[at];
        below += at <= sum ? ways[at] : 0;
    }
    return below / all;
}

/* ---- pairs ---- */

static bool decide_is_at(const struct measurement *item, enum phase phase, const struct point *point)
{
    return item->phase == phase && item->collective == point->collective && item->n_ranks == point->n_ranks &&
           item->bytes == point->bytes;
}

/* Launches in which both ran: the logarithms of ratios, and the times. */
struct pairs {
    double logs[DECIDE_MAX_LAUNCHES], one[DECIDE_MAX_LAUNCHES], other[DECIDE_MAX_LAUNCHES];
    size_t n;
};

static const struct measurement *of_launch(const struct measurements *measurements, uint32_t launch,
                                           enum phase phase,
                                           const struct point *point, const struct table_choice *choice)
{
    const struct measurement *found = NULL;
    for (size_t i = 0; i < measurements->n; i++)
        if (measurements->items[i].launch == launch && decide_is_at(&measurements->items[i], phase, point) &&
            choices_are_alike(&measurements->items[i].choice, choice))
            found = &measurements->items[i];
    return found;
}

static struct pairs pairs_of(const struct measurements *measurements, enum phase phase,
                             const struct point *point,
                             const struct table_choice *one, const struct table_choice *other)
{
    struct pairs pairs = {.n = 0};
    for (size_t i = 0; i < measurements->n && pairs.n < DECIDE_MAX_LAUNCHES; i++) {
        const struct measurement *item = &measurements->items[i];
        if (!decide_is_at(item, phase, point) || !choices_are_alike(&item->choice, one))
            continue;
        const struct measurement *with = of_launch(measurements, item->launch, phase, point, other);
        const bool is_last = of_launch(measurements, item->launch, phase, point, one) == item;
        if (!with || !is_last)
            continue;
        pairs.logs[pairs.n] = log((double)item->median / (double)with->median);
        pairs.one[pairs.n] = (double)item->median;
        pairs.other[pairs.n++] = (double)with->median;
    }
    return pairs;
}

static double median_of(const double *values, size_t n)
{
    double sorted[DECIDE_MAX_LAUNCHES];
    memcpy(sorted, values, n * sizeof *sorted);
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
            const double swap = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = swap;
        }
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* ---- standings ---- */

static int compare_standings(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

struct standing *decide_standings(const struct measurements *measurements, enum phase phase,
                                  const struct point *point, size_t *n)
{
    static const struct table_choice own;
    struct standing *standings = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < measurements->n; i++) {
        const struct measurement *item = &measurements->items[i];
        bool is_new = decide_is_at(item, phase, point) && plan_is_safe(measurements->loader, item->collective,
                                                                       &item->choice, measurements->unmade);
        for (size_t j = 0; j < *n && is_new; j++)
            is_new = !choices_are_alike(&standings[j].choice, &item->choice);
        if (!is_new)
            continue;
        const struct pairs pairs = pairs_of(measurements, phase, point, &item->choice, &own);
        if (pairs.n == 0)
            continue;
        standings = mem_grow(standings, &capacity, *n + 1, sizeof *standings);
        standings[(*n)++] =
            (struct standing){item->choice, (uint32_t)pairs.n, exp(median_of(pairs.logs, pairs.n))};
    }
    if (*n)
        qsort(standings, *n, sizeof *standings, compare_standings);
    return standings;
}

/* Returns the fastest of the candidates with the most launches: others were left out as slow. */
static struct table_choice least_at(const struct measurements *measurements, const struct point *point)
{
    size_t n;
    uint32_t most = 0;
    struct table_choice least = {0};
    struct standing *standings = decide_standings(measurements, PHASE_SAMPLE, point, &n);
    for (size_t i = 0; i < n; i++)
        most = standings[i].n_launches > most ? standings[i].n_launches : most;
    for (size_t i = n; i-- > 0;)
        if (standings[i].n_launches == most)
            least = standings[i].choice;
    free(standings);
    return least;
}

static bool is_same_set(const struct point *a, const struct point *b)
{
    return a->collective == b->collective && a->n_ranks == b->n_ranks;
}

/* Returns the sum of logarithms of a choice over all points of the set; NaN if one has no launches of it. */
static double sum_of_logs(const struct measurements *measurements, const struct point *points, size_t n,
                          const struct point *of, const struct table_choice *choice)
{
    static const struct table_choice own;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_same_set(&points[i], of))
            continue;
        const struct pairs pairs = pairs_of(measurements, PHASE_SAMPLE, &points[i], choice, &own);
        if (pairs.n == 0)
            return NAN;
        sum += median_of(pairs.logs, pairs.n);
    }
    return sum;
}

static struct table_choice least_of_set(const struct measurements *measurements, const struct point *points,
                                        size_t n,
                                        const struct point *of)
{
    size_t n_standings;
    struct table_choice least = {0};
    double best = 0;
    struct standing *standings = decide_standings(measurements, PHASE_SAMPLE, of, &n_standings);
    for (size_t i = 0; i < n_standings; i++) {
        const double sum = sum_of_logs(measurements, points, n, of, &standings[i].choice);
        if (sum < best) {
            best = sum;
            least = standings[i].choice;
        }
    }
    free(standings);
    return least;
}

struct table_choice decide_candidate(const struct measurements *measurements, const struct point *points,
                                     size_t n,
                                     size_t which)
{
    const struct table_loader *loader = measurements->loader;
    return loader->writer->has_one_choice(loader, points[which].collective)
               ? least_of_set(measurements, points, n, &points[which])
               : least_at(measurements, &points[which]);
}

uint32_t decide_launches(size_t n_points)
{
    uint32_t n = 5;
    while (n < 16 && ldexp(2 * (double)n_points, -(int)n) > DECIDE_LEVEL)
        n++;
    return n;
}

/* ---- decisions ---- */

static void test(const struct measurements *measurements, struct decision *decision)
{
    static const struct table_choice own;
    decision->ratio = decision->p = 1;
    if (!decision->candidate.algorithm)
        return;
    const struct pairs pairs =
        pairs_of(measurements, PHASE_CONFIRM, &decision->point, &decision->candidate, &own);
    if (pairs.n == 0)
        return;
    decision->n_launches = (uint32_t)pairs.n;
    decision->ratio = exp(median_of(pairs.logs, pairs.n));
    decision->p = signed_rank_p(pairs.logs, pairs.n);
    decision->time = (uint64_t)median_of(pairs.one, pairs.n);
    decision->default_time = (uint64_t)median_of(pairs.other, pairs.n);
}

static int compare_p(const void *a, const void *b)
{
    const struct decision *x = *(struct decision *const *)a, *y = *(struct decision *const *)b;
    return (x->p > y->p) - (x->p < y->p);
}

static bool is_faster_enough(const struct decision *decision)
{
    return decision->ratio <= 1 - DECIDE_LEAST_PERCENT / 100.0;
}

/* Accepts by Holm: compares the least p with the level over all of them, the next over one fewer, up to the
 * first that fails. */
static void accept(struct decision *decisions, size_t n)
{
    struct decision **sorted = mem_alloc(n, sizeof *sorted);
    size_t n_tested = 0;
    for (size_t i = 0; i < n; i++)
        if (decisions[i].candidate.algorithm)
            sorted[n_tested++] = &decisions[i];
    qsort(sorted, n_tested, sizeof(struct decision *), compare_p);
    for (size_t i = 0; i < n_tested && sorted[i]->p <= DECIDE_LEVEL / (double)(n_tested - i); i++)
        if (is_faster_enough(sorted[i]))
            sorted[i]->choice = sorted[i]->candidate;
    free(sorted);
}

/* Accepts sets with one choice: it holds for all sizes if it is accepted at one, and slower at none. */
static void accept_sets(const struct table_loader *loader, struct decision *decisions, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        bool is_accepted = false, is_slower = false;
        for (end = first; end < n && is_same_set(&decisions[end].point, &decisions[first].point); end++) {
            is_accepted |= decisions[end].choice.algorithm != NULL;
            is_slower |= decisions[end].ratio > 1 + DECIDE_LEAST_PERCENT / 100.0 ||
                !decisions[end].n_launches;
        }
        if (!loader->writer->has_one_choice(loader, decisions[first].point.collective))
            continue;
        for (struct decision *of = &decisions[first]; of < &decisions[end]; of++)
            of->choice = is_accepted && !is_slower ? of->candidate : (struct table_choice){0};
    }
}

/* Extends the choice of the size before if it is accepted against the default here, and the size's own
 * choice is not faster: so rows do not change within noise. */
static void join_sizes(const struct measurements *measurements, struct decision *decisions, size_t n)
{
    static const struct table_choice own;
    for (size_t i = 1; i < n; i++) {
        const struct decision *before = &decisions[i - 1];
        struct decision *decision = &decisions[i];
        if (!is_same_set(&before->point, &decision->point) || !before->choice.algorithm ||
            !decision->choice.algorithm || choices_are_alike(&before->choice, &decision->choice))
            continue;
        const struct pairs beside =
            pairs_of(measurements, PHASE_CONFIRM, &decision->point, &decision->choice, &before->choice);
        const struct pairs against = pairs_of(measurements, PHASE_CONFIRM, &decision->point, &before->choice,
                                              &own);
        if (beside.n == 0 || against.n == 0 || signed_rank_p(beside.logs, beside.n) <= DECIDE_LEVEL ||
            signed_rank_p(against.logs, against.n) > decision->p)
            continue;
        decision->choice = before->choice;
        decision->ratio = exp(median_of(against.logs, against.n));
        decision->time = (uint64_t)median_of(against.one, against.n);
    }
}

void decide(const struct measurements *measurements, const struct point *points, size_t n,
            struct decision *decisions)
{
    for (size_t i = 0; i < n; i++) {
        decisions[i] = (struct decision){
            .point = points[i], .candidate = decide_candidate(measurements, points, n, i)};
        test(measurements, &decisions[i]);
    }
    accept(decisions, n);
    accept_sets(measurements->loader, decisions, n);
    join_sizes(measurements, decisions, n);
}

/* ---- the second series ---- */

/* Returns the slowest launch of the default at the point over its fastest, sampling left out. */
static double spread_of(const struct measurements *measurements, const struct point *point)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < measurements->n; i++) {
        const struct measurement *item = &measurements->items[i];
        if (item->choice.algorithm ||
            (!decide_is_at(item, PHASE_CONFIRM, point) && !decide_is_at(item, PHASE_AGAIN, point)))
            continue;
        least = item->median < least ? item->median : least;
        most = item->median > most ? item->median : most;
    }
    return most ? (double)most / (double)least : 0;
}

static int compare_again(const void *a, const void *b)
{
    const struct decision *x = *(struct decision *const *)a, *y = *(struct decision *const *)b;
    return (x->again_p > y->again_p) - (x->again_p < y->again_p);
}

static void test_again(const struct measurements *measurements, struct decision *decision)
{
    static const struct table_choice own;
    decision->spread = spread_of(measurements, &decision->point);
    if (!decision->choice.algorithm)
        return;
    const struct pairs pairs =
        pairs_of(measurements, PHASE_AGAIN, &decision->point, &decision->choice, &own);
    if (pairs.n == 0)
        return;
    decision->repeated = decision->choice;
    if (!decision->n_launches) {
        decision->time = (uint64_t)median_of(pairs.one, pairs.n);
        decision->default_time = (uint64_t)median_of(pairs.other, pairs.n);
    }
    decision->again_ratio = exp(median_of(pairs.logs, pairs.n));
    decision->again_p = signed_rank_p(pairs.logs, pairs.n);
}

/* Drops choices that fail by Holm over the repeated ones. One choice for all sizes must hold at one, and be
 * slower at none. */
static void drop_failed(const struct table_loader *loader, struct decision **sorted, size_t n)
{
    bool is_rejected = false;
    for (size_t i = 0; i < n; i++) {
        struct decision *decision = sorted[i];
        is_rejected |= decision->again_p > DECIDE_LEVEL / (double)(n - i);
        const bool is_one = loader->writer->has_one_choice(loader, decision->point.collective);
        if (is_one ? decision->again_ratio > 1 + DECIDE_LEAST_PERCENT / 100.0
                   : is_rejected || decision->again_ratio > 1 - DECIDE_LEAST_PERCENT / 100.0)
            decision->choice = (struct table_choice){0};
    }
}

/* Takes a choice for all sizes away where it failed at one, or stands at none. */
static void drop_sets(const struct table_loader *loader, struct decision *decisions, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        bool is_failed = false, is_clear = false, is_repeated = false;
        for (end = first; end < n && is_same_set(&decisions[end].point, &decisions[first].point); end++) {
            const struct decision *decision = &decisions[end];
            is_repeated |= decision->repeated.algorithm != NULL;
            is_failed |= decision->repeated.algorithm && !decision->choice.algorithm;
            is_clear |= decision->repeated.algorithm && decision->again_p <= DECIDE_LEVEL &&
                        decision->again_ratio <= 1 - DECIDE_LEAST_PERCENT / 100.0;
        }
        if (!loader->writer->has_one_choice(loader, decisions[first].point.collective) || !is_repeated ||
            (!is_failed && is_clear))
            continue;
        for (size_t i = first; i < end; i++)
            decisions[i].choice = (struct table_choice){0};
    }
}

void decide_again(const struct measurements *measurements, struct decision *decisions, size_t n)
{
    struct decision **sorted = mem_alloc(n, sizeof *sorted);
    size_t n_repeated = 0;
    for (size_t i = 0; i < n; i++) {
        test_again(measurements, &decisions[i]);
        if (decisions[i].repeated.algorithm)
            sorted[n_repeated++] = &decisions[i];
    }
    if (n_repeated)
        qsort(sorted, n_repeated, sizeof(struct decision *), compare_again);
    drop_failed(measurements->loader, sorted, n_repeated);
    drop_sets(measurements->loader, decisions, n);
    free(sorted);
}

/* ---- rules ---- */

/* Returns the number of ranks up to which the choices of a set act: below the next measured number. */
static uint64_t last_ranks(const struct decision *decisions, size_t n, const struct decision *of)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (decisions[i].point.collective == of->point.collective &&
            decisions[i].point.n_ranks > of->point.n_ranks &&
            decisions[i].point.n_ranks < next)
            next = decisions[i].point.n_ranks;
    return next == UINT64_MAX ? of->point.n_ranks : next - 1;
}

/* Returns the size at which the choice of a size gives way to the next one's: their geometric mean, above
 * `size`. */
static uint64_t between(uint64_t size, uint64_t next)
{
    const uint64_t mean = (uint64_t)sqrt((double)size * (double)next);
    return mean > size ? mean : size + 1;
}

struct plan_rule *decide_rules(const struct table_loader *loader, const struct decision *decisions,
                               size_t n_decisions,
                               size_t *n)
{
    struct plan_rule *rules = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < n_decisions; i++) {
        const struct decision *decision = &decisions[i];
        const bool has_next = i + 1 < n_decisions && is_same_set(&decision[1].point, &decision->point);
        const bool has_before = i > 0 && is_same_set(&decision[-1].point, &decision->point);
        const bool is_one = loader->writer->has_one_choice(loader, decision->point.collective);
        if (!decision->choice.algorithm || (is_one && has_before))
            continue;
        struct span bytes = {
            has_before ? between(decision[-1].point.bytes, decision->point.bytes) : decision->point.bytes,
            has_next ? between(decision->point.bytes, decision[1].point.bytes) - 1 : decision->point.bytes};
        if (is_one)
            bytes = (struct span){0, SPAN_NO_END};
        rules = mem_grow(rules, &capacity, *n + 1, sizeof *rules);
        rules[(*n)++] = (struct plan_rule){decision->point.collective,
                                           {decision->point.n_ranks,
                                               last_ranks(decisions, n_decisions, decision)},
                                           ANY_NODES, bytes, decision->choice};
    }
    return rules;
}
