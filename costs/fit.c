/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See costs.h. The variables of the linear programs are costs in units of their previous value (x = 1 is
 * unchanged), the distance of x from 1, and for each time the relative amounts by which the prediction is
 * above and below the measurement.
 */
#include "costs/predictor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const model_cost_name[N_MODEL_COSTS] = {"latency of a link", "bandwidth of a link",  "overhead",
                                        "gap",               "memory-latency",       "memory-bandwidth",
                                        "process-bandwidth"};

bool cost_is_rate(enum model_cost cost)
{
    return cost == COST_LINK_BYTE || cost == COST_MEMORY_BYTE || cost == COST_PROCESS_BYTE;
}

enum { MAX_ITERATIONS = 24, MAX_STARTS = 4, MAX_SETTLING = 3 };
static const double STEP = 1.0 / 64;      /* step of derivatives */
static const double LEAST_GAIN = 1e-5;    /* least gain of the mean relative error */
static const double STAY = 1e-4;          /* price of moving a cost that nothing depends on */
static const double AS_GOOD = 0.1;        /* relative and absolute increase of the mean error ... */
static const double AS_GOOD_MORE = 0.002; /* ... within which costs are as good */
static const double SLACK = 2e-4;         /* difference within which another error is as good as the best */
static const double FARTHEST = 256;       /* factor of a value in the search for others as good */
static const double LOOSE = 2;
static const double LEAST_VALUE[] = {1, 1e-6}; /* smallest values, which count as none: ns, and ns per byte */

struct fit {
    const struct costs_request *request;
    struct predictor *predictor;
    size_t n;                 /* points */
    struct model_costs costs;
    double error;             /* mean of the relative errors */
    double *times;            /* [point] with `costs` */
    double *trial;            /* [point] */
    double *slope;            /* [cost][point] */
    enum lp_end end;
    bool is_whole;            /* all could be played */
};

static double floor_of(enum model_cost cost)
{
    return LEAST_VALUE[cost_is_rate(cost)];
}

/* Returns the unit of a cost: itself, or a small value if it is zero. */
static double fit_unit_of(const struct fit *fit, enum model_cost cost)
{
    const double value = fit->costs.value[cost];
    return value > floor_of(cost) ? value : floor_of(cost);
}

static double error_of(const struct fit *fit, const double *times)
{
    double sum = 0;
    for (size_t i = 0; i < fit->n; i++) {
        const double measured = fit->request->points->items[i].time;
        sum += fabs(times[i] - measured) / measured;
    }
    return sum / (double)fit->n;
}

static bool fit_evaluate(struct fit *fit, const struct model_costs *costs, double *times)
{
    fit->is_whole &= predictor_times(fit->predictor, costs, false, times);
    return fit->is_whole;
}

static bool is_free(const struct fit *fit, enum model_cost cost)
{
    return !fit->request->is_held[cost];
}

/* Finds slope[cost][point]: ns for each unit of the cost. */
static bool find_slopes(struct fit *fit)
{
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++) {
        double *slope = fit->slope + (size_t)cost * fit->n;
        struct model_costs moved = fit->costs;
        const double unit = fit_unit_of(fit, cost);
        memset(slope, 0, fit->n * sizeof *slope);
        if (!is_free(fit, cost))
            continue;
        moved.value[cost] += unit * STEP;
        if (!fit_evaluate(fit, &moved, fit->trial))
            return false;
        for (size_t i = 0; i < fit->n; i++)
            slope[i] = (fit->trial[i] - fit->times[i]) / STEP;
    }
    return true;
}

static bool fit_is_used(const struct fit *fit, enum model_cost cost)
{
    double most = 0;
    for (size_t i = 0; i < fit->n; i++)
        most = fmax(most, fabs(fit->slope[(size_t)cost * fit->n + i]) / fit->request->points->items[i].time);
    return most > 1e-9;
}

/* ---- linear programs ---- */

/* Returns the index of a variable: x[cost], then distance[cost], then above[point], then below[point]. */
static uint32_t fit_distance_of(enum model_cost cost)
{
    return N_MODEL_COSTS + (uint32_t)cost;
}
static uint32_t above_of(size_t point)
{
    return 2 * N_MODEL_COSTS + 2 * (uint32_t)point;
}

/* Returns the value of x for `costs`. */
static double middle(const struct fit *fit, enum model_cost cost)
{
    return fit->costs.value[cost] / fit_unit_of(fit, cost);
}

static void add_bound(struct lp *lp, uint32_t variable, double sign, double right)
{
    lp_add(lp, variable, sign);
    lp_end_row(lp, '<', sign * right);
}

/* Adds x between low and high, and its distance from another value. */
static void add_cost(struct lp *lp, enum model_cost cost, double low, double high, double other)
{
    add_bound(lp, cost, 1, high);
    if (low > 0)
        add_bound(lp, cost, -1, low);
    for (int sign = -1; sign <= 1; sign += 2) {
        lp_add(lp, cost, sign);
        lp_add(lp, fit_distance_of(cost), -1);
        lp_end_row(lp, '<', sign * other);
    }
}

/* Adds sum slope x - above + below = measured - (time - sum slope middle), all relative to measured. */
static void fit_add_points(struct lp *lp, const struct fit *fit)
{
    for (size_t i = 0; i < fit->n; i++) {
        const double measured = fit->request->points->items[i].time;
        double right = measured - fit->times[i];
        for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++) {
            const double slope = fit->slope[(size_t)cost * fit->n + i];
            right += slope * middle(fit, cost);
            if (slope != 0)
                lp_add(lp, cost, slope / measured);
        }
        lp_add(lp, above_of(i), -1);
        lp_add(lp, above_of(i) + 1, 1);
        lp_end_row(lp, '=', right / measured);
    }
}

/* Makes the program; distances are from `other`. */
static struct lp fit_program_of(const struct fit *fit, double radius, const struct model_costs *other)
{
    struct lp lp = lp_new(2 * N_MODEL_COSTS + 2 * (uint32_t)fit->n);
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++) {
        const double at = middle(fit, cost);
        const bool may_move = is_free(fit, cost);
        add_cost(&lp, cost, may_move ? at - radius * at : at, may_move ? at + radius * fmax(at, 1) : at,
                 other->value[cost] / fit_unit_of(fit, cost));
    }
    fit_add_points(&lp, fit);
    return lp;
}

/* Limits the mean error to `most`, by derivatives. */
static void add_error(struct lp *lp, const struct fit *fit, double most)
{
    for (uint32_t i = 2 * N_MODEL_COSTS; i < lp->n_variables; i++)
        lp_add(lp, i, 1.0 / (double)fit->n);
    lp_end_row(lp, '<', most);
}

/* Solves and frees it. */
static bool fit_solve(struct fit *fit, struct lp *lp, struct model_costs *found)
{
    double *solution = mem_alloc(lp->n_variables, sizeof *solution);
    fit->end = lp_solve(lp, &fit->request->solver, solution);
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        found->value[cost] =
            is_free(fit, cost) ? solution[cost] * fit_unit_of(fit, cost) : fit->costs.value[cost];
    free(solution);
    lp_free(lp);
    return fit->end == LP_SOLVED;
}

/* Finds the best costs within the trust region, by derivatives. */
static bool next_costs(struct fit *fit, double radius, struct model_costs *next)
{
    struct lp lp = fit_program_of(fit, radius, &fit->costs);
    for (uint32_t i = 2 * N_MODEL_COSTS; i < lp.n_variables; i++)
        lp.objective[i] = -1.0 / (double)fit->n;
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        lp.objective[fit_distance_of(cost)] = -STAY;
    return fit_solve(fit, &lp, next);
}

/* ---- the search ---- */

static bool fit_take(struct fit *fit, const struct model_costs *costs)
{
    fit->costs = *costs;
    if (!fit_evaluate(fit, costs, fit->times))
        return false;
    fit->error = error_of(fit, fit->times);
    return true;
}

static bool fit_descend(struct fit *fit)
{
    double radius = 4;
    for (int i = 0; i < MAX_ITERATIONS && radius > 1.0 / 128; i++) {
        struct model_costs next;
        if (!find_slopes(fit) || !next_costs(fit, radius, &next) || !fit_evaluate(fit, &next, fit->trial))
            return false;
        const double error = error_of(fit, fit->trial);
        const double gain = fit->error - error;
        if (gain > 0) {
            fit->costs = next;
            fit->error = error;
            memcpy(fit->times, fit->trial, fit->n * sizeof *fit->times);
        }
        if (gain < LEAST_GAIN)
            radius /= 8;
    }
    return true;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the median of n values, which it sorts. */
static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Free costs all as many times as high as lets half of the times be predicted too long. */
static bool scale_to_times(struct fit *fit, struct model_costs *costs)
{
    if (!fit_evaluate(fit, costs, fit->trial))
        return false;
    for (size_t i = 0; i < fit->n; i++)
        fit->trial[i] = fit->trial[i] > 0 ? fit->request->points->items[i].time / fit->trial[i] : 1;
    const double factor = median(fit->trial, fit->n);
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        if (is_free(fit, cost))
            costs->value[cost] *= factor;
    return true;
}

/* Returns one of a few beginnings: costs as they are, and shifted between hosts and links; maxima make
 * results differ. */
static struct model_costs beginning(const struct costs_request *request, int number)
{
    struct model_costs costs = request->start;
    double *value = costs.value;
    if (number == 1) {
        value[COST_OVERHEAD] *= 8;
        value[COST_GAP] *= 8;
    } else if (number == 2) {
        value[COST_LINK_LATENCY] *= 8;
        value[COST_MEMORY_LATENCY] *= 8;
    } else if (number == 3) {
        value[COST_PROCESS_BYTE] = value[COST_LINK_BYTE] * 1.25;
        value[COST_GAP] /= 8;
    }
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        if (request->is_held[cost])
            value[cost] = request->start.value[cost];
    return costs;
}

/* Rounds to whole ns, and four digits of a bandwidth. */
static void round_costs(struct model_costs *costs)
{
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++) {
        double *value = &costs->value[cost];
        if (!cost_is_rate(cost)) {
            *value = floor(*value + 0.5);
        } else if (*value > 0) {
            const double unit = pow(10, floor(log10(1e9 / *value)) - 3);
            *value = 1e9 / (floor(1e9 / *value / unit + 0.5) * unit);
        }
    }
}

/* Settles on the costs nearest to the beginning among those that predict as well: costs that the times do
 * not determine stay the same. */
static bool fit_settle(struct fit *fit)
{
    const double least = fit->error;
    for (int i = 0; i < MAX_SETTLING; i++) {
        struct model_costs near;
        if (!find_slopes(fit))
            return false;
        struct lp lp = fit_program_of(fit, FARTHEST, &fit->request->start);
        add_error(&lp, fit, least + SLACK / 2);
        for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
            lp.objective[fit_distance_of(cost)] =
                -fit_unit_of(fit, cost) / fmax(fit->request->start.value[cost], floor_of(cost));
        if (!fit_solve(fit, &lp, &near))
            return fit->end == LP_FAILED; /* nothing is as good: it stays */
        for (int halving = 0; halving < MAX_SETTLING; halving++) {
            if (!fit_evaluate(fit, &near, fit->trial))
                return false;
            if (error_of(fit, fit->trial) <= least + SLACK)
                break;
            for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
                near.value[cost] = (near.value[cost] + fit->costs.value[cost]) / 2;
        }
        if (error_of(fit, fit->trial) > least + SLACK)
            return true;
        if (!fit_take(fit, &near))
            return false;
    }
    return true;
}

static bool fit_search(struct fit *fit)
{
    struct model_costs best = fit->request->start;
    double least = INFINITY;
    for (int i = 0; i < MAX_STARTS; i++) {
        struct model_costs costs = beginning(fit->request, i);
        if (!scale_to_times(fit, &costs) || !fit_take(fit, &costs) || !fit_descend(fit))
            return false;
        if (fit->error < least - 10 * LEAST_GAIN) {
            least = fit->error;
            best = fit->costs;
        }
    }
    if (!fit_take(fit, &best) || !fit_settle(fit))
        return false;
    best = fit->costs;
    round_costs(&best);
    if (!fit_take(fit, &best) || !find_slopes(fit))
        return false;
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        if (!fit_is_used(fit, cost))
            fit->costs.value[cost] = fit->request->start.value[cost];
    return true;
}

/* ---- what is known ---- */

static double good_error(const struct fit *fit)
{
    return fit->error * (1 + AS_GOOD) + AS_GOOD_MORE;
}

/* Finds costs with the least (sign -1) or largest value[first] + factor * value[second] that are as good by
 * derivatives. */
static bool find_extreme(struct fit *fit, enum model_cost first, double factor, enum model_cost second,
                         double sign, struct model_costs *found)
{
    struct lp lp = fit_program_of(fit, FARTHEST, &fit->costs);
    add_error(&lp, fit, good_error(fit));
    lp.objective[first] += sign * fit_unit_of(fit, first);
    lp.objective[second] += sign * factor * fit_unit_of(fit, second);
    return fit_solve(fit, &lp, found);
}

/* Pulls costs back if derivatives reached too far, as another maximum counts there: to the farthest point
 * on the way that really is as good. */
enum { HALVINGS = 10 };
static bool pull_back(struct fit *fit, struct model_costs *far)
{
    double good = 0, bad = 1;
    struct model_costs at = *far;
    for (int i = 0; i <= HALVINGS; i++) {
        const double part = i == 0 ? 1 : (good + bad) / 2;
        for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
            at.value[cost] = fit->costs.value[cost] + part * (far->value[cost] - fit->costs.value[cost]);
        if (!fit_evaluate(fit, &at, fit->trial))
            return false;
        const bool is_good = error_of(fit, fit->trial) <= good_error(fit);
        if (i == 0 && is_good)
            return true;
        *(is_good ? &good : &bad) = part;
    }
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++)
        far->value[cost] = fit->costs.value[cost] + good * (far->value[cost] - fit->costs.value[cost]);
    return true;
}

/* Finds the span by derivatives alone. */
static bool find_span(struct fit *fit, enum model_cost first, double factor, enum model_cost second,
                      double span[2])
{
    struct model_costs low, high;
    if (!find_extreme(fit, first, factor, second, -1, &low) ||
        !find_extreme(fit, first, factor, second, 1, &high))
        return false;
    span[0] = low.value[first] + factor * low.value[second];
    span[1] = high.value[first] + factor * high.value[second];
    return true;
}

static bool find_true_span(struct fit *fit, enum model_cost cost, double span[2])
{
    struct model_costs low, high;
    if (!find_extreme(fit, cost, 0, cost, -1, &low) || !find_extreme(fit, cost, 0, cost, 1, &high) ||
        !pull_back(fit, &low) || !pull_back(fit, &high))
        return false;
    span[0] = low.value[cost];
    span[1] = high.value[cost];
    return true;
}

static bool is_loose(enum model_cost cost, const double span[2])
{
    return span[1] > floor_of(cost) && span[1] > LOOSE * span[0];
}

static bool judge_costs(struct fit *fit, struct fitted *fitted)
{
    for (enum model_cost cost = 0; cost < N_MODEL_COSTS; cost++) {
        struct fitted_cost *found = &fitted->costs[cost];
        const double value = fit->costs.value[cost];
        double span[2] = {value, value};
        found->state = !is_free(fit, cost) ? COST_HELD : fit_is_used(fit, cost) ? COST_KNOWN : COST_UNUSED;
        if (found->state == COST_KNOWN) {
            if (!find_true_span(fit, cost, span))
                return false;
            if (is_loose(cost, span))
                found->state = COST_LOOSE;
        }
        found->value = value;
        found->least = span[0];
        found->most = span[1];
    }
    return true;
}

/* Finds the known sum of two loose costs that compensate each other. */
static bool judge_sums(struct fit *fit, struct fitted *fitted)
{
    for (enum model_cost first = 0; first < N_MODEL_COSTS; first++)
        for (enum model_cost second = first + 1;
             second < N_MODEL_COSTS && fitted->n_sums < N_MODEL_COSTS; second++) {
            const struct fitted_cost *a = &fitted->costs[first], *b = &fitted->costs[second];
            double span[2], of_first[2], of_second[2];
            if (a->state != COST_LOOSE || b->state != COST_LOOSE ||
                cost_is_rate(first) != cost_is_rate(second))
                continue;
            if (!find_span(fit, first, 0, first, of_first) || !find_span(fit, second, 0, second, of_second))
                return false;
            const double factor = (of_first[1] - of_first[0]) / (of_second[1] - of_second[0]);
            const double round = factor > 1 ? floor(factor + 0.5) : 1 / floor(1 / factor + 0.5);
            if (!find_span(fit, first, round, second, span))
                return false;
            if (span[1] <= 1.25 * span[0])
                fitted->sums[fitted->n_sums++] = (struct known_sum){
                    first, second, round, a->value + round * b->value, span[0], span[1]};
        }
    return true;
}

/* ---- the result ---- */

static void say_errors(struct fit *fit, struct fitted *fitted, struct arena *arena)
{
    fitted->predicted = arena_alloc(arena, fit->n, sizeof *fitted->predicted);
    fit->is_whole &= predictor_times(fit->predictor, &fit->costs, true, fitted->predicted);
    fitted->mean_error = error_of(fit, fitted->predicted);
    for (size_t i = 0; i < fit->n; i++) {
        const double measured = fit->request->points->items[i].time;
        fit->trial[i] = fabs(fitted->predicted[i] - measured) / measured;
        if (fit->trial[i] > fit->trial[fitted->worst])
            fitted->worst = i;
    }
    fitted->median_error = median(fit->trial, fit->n);
}

static void say_hosts(const struct fit *fit, struct fitted *fitted)
{
    const struct host_costs found = costs_of_hosts(&fit->costs);
    const struct {
        enum model_cost cost;
        uint64_t *to, value;
    } all[] = {{COST_OVERHEAD, &fitted->hosts.overhead, found.overhead},
               {COST_GAP, &fitted->hosts.gap, found.gap},
               {COST_MEMORY_LATENCY, &fitted->hosts.memory_latency, found.memory_latency},
               {COST_MEMORY_BYTE, &fitted->hosts.memory_bandwidth, found.memory_bandwidth},
               {COST_PROCESS_BYTE, &fitted->hosts.process_bandwidth, found.process_bandwidth}};
    fitted->hosts = HOST_COSTS_UNKNOWN;
    if (fit->request->inside_bandwidth)
        fitted->hosts.inside_bandwidth = fit->request->inside_bandwidth;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (fitted->costs[all[i].cost].state != COST_UNUSED &&
            (all[i].value || all[i].cost != COST_PROCESS_BYTE))
            *all[i].to = all[i].value;
}

/* Drops the rate of a process that no time shows. */
static void drop_unseen(struct fit *fit)
{
    if (is_free(fit, COST_PROCESS_BYTE) &&
        (!fit_is_used(fit, COST_PROCESS_BYTE) ||
         fit->costs.value[COST_PROCESS_BYTE] <= floor_of(COST_PROCESS_BYTE)))
        fit->costs.value[COST_PROCESS_BYTE] = 0;
}

bool costs_fit(const struct costs_request *request, struct fitted *fitted, struct arena *arena,
               struct diagnostics *diagnostics)
{
    struct fit fit = {.request = request, .n = request->points->n, .is_whole = true, .end = LP_SOLVED};
    *fitted = (struct fitted){.problem = NULL};
    fit.predictor = predictor_new(request, diagnostics);
    if (!fit.predictor)
        return false;
    fit.times = mem_alloc(fit.n, sizeof *fit.times);
    fit.trial = mem_alloc(fit.n, sizeof *fit.trial);
    fit.slope = mem_alloc(fit.n * N_MODEL_COSTS, sizeof *fit.slope);
    bool is_done = fit_search(&fit) && judge_costs(&fit, fitted) && judge_sums(&fit, fitted);
    if (is_done) {
        drop_unseen(&fit);
        say_errors(&fit, fitted, arena);
        say_hosts(&fit, fitted);
        costs_set_links(request->topology, &fit.costs);
    }
    if (!fit.is_whole)
        fitted->problem = "with some costs a schedule takes too long to be counted";
    else if (!is_done)
        fitted->problem = lp_problem(fit.end);
    predictor_free(fit.predictor);
    free(fit.times);
    free(fit.trial);
    free(fit.slope);
    return !fitted->problem;
}
