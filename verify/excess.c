/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values above their limits, one report for each link, port and machine: one cause is one finding, however
 * many steps show it.
 *
 * The first time that the steps are measured, each subject (a link, say) keeps its worst value, where
 * that was and how often the limit was passed: 24 bytes. At the end those above the limit are sorted, the
 * worst first, and those that are to be listed become entries. Only then, if there are any, the
 * steps are measured once more to find out what an entry says: all steps above the limit, and who
 * sends what meets in the worst one, from which line. So a schedule within its limits pays nothing for
 * that, and memory is O(links + entries and what they say).
 */
#include "verify/internal.h"

#include "base/integer.h"
#include "network/load.h"

#include <stdlib.h>

enum { MAX_LINES = 8 /* that an entry tells apart, to find the one with most messages */ };

/* Worst value of a subject, the first step that has it, and how often the subject was above its limit. */
struct peak {
    uint64_t last;   /* step: the last of those measured together */
    uint32_t value;
    uint32_t width;  /* how many these were */
    uint32_t n_over;
};

/* Subject to be listed. */
struct entry {
    enum gauge gauge;
    uint32_t subject;
    double value;
    struct peak peak;
    struct step_span *steps;
    uint32_t *ranks;
    size_t n_steps, steps_capacity, n_ranks, ranks_capacity;
    struct op line[MAX_LINES]; /* sends of different lines */
    uint32_t n_of_line[MAX_LINES];
    uint32_t n_lines;
};

struct gauge_state {
    bool is_judged;
    double limit;
    uint32_t threshold;  /* a step is one of the finding if the value in it is above this */
    size_t n_subjects;
    struct peak *peaks;  /* [subject] */
    uint32_t *entry_of;  /* [subject] 1 + its entry; 0: none. Only once entries are made */
    struct entry of_schedule; /* instead, where there is one subject only */
    size_t n_over, n_entries; /* subjects above the limit, and those of them that are listed */
};

struct excess {
    struct verifier *verifier;
    struct gauge_state gauges[N_GAUGES];
    bool is_again;         /* the second time */
    struct entry *entries; /* by gauge, the worst first */
    size_t n_entries, capacity;
    struct entry **by_time; /* those with a worst step, by the first of its window */
    struct entry **near;    /* those of which that has begun, and is not over */
    size_t n_by_time, next, n_near;
    uint64_t step;          /* of which sends come */
};

static const struct limit *limit_of_gauge(const struct verify_limits *limits, enum gauge gauge)
{
    switch (gauge) {
    case GAUGE_LINK: return &limits->max_link_load;
    case GAUGE_TOTAL: return &limits->max_total_load;
    case GAUGE_FAN_IN: return &limits->max_fan_in;
    case GAUGE_FAN_OUT: return &limits->max_fan_out;
    case GAUGE_PORTS: return &limits->ports;
    case GAUGE_CONTENDED: return &limits->max_contended_steps;
    case GAUGE_BOUND: return &limits->max_bound_ratio;
    case GAUGE_HOL: return &limits->max_hol_slowdown;
    case GAUGE_STEPS: return &limits->max_steps;
    case GAUGE_IDLE: return &limits->max_idle_steps;
    case N_GAUGES: break;
    }
    return NULL;
}

static bool is_of_links(enum gauge gauge)
{
    return gauge == GAUGE_LINK || gauge == GAUGE_TOTAL || gauge == GAUGE_CONTENDED ||
           gauge == GAUGE_BOUND;
}

static size_t count_subjects(const struct verifier *verifier, enum gauge gauge)
{
    const struct verify_request *request = verifier->request;
    const size_t n_servers = request->placement ? request->placement->n_servers : verifier->n_ranks;
    if (is_of_links(gauge))
        return request->topology->n_link_ids;
    return gauge == GAUGE_PORTS ? 2 * n_servers : n_servers * topology_n_host_ports(request->topology);
}

struct excess *excess_new(struct verifier *verifier)
{
    struct excess *excess = mem_alloc(1, sizeof *excess);
    excess->verifier = verifier;
    for (enum gauge gauge = 0; gauge < N_GAUGES; gauge++) {
        struct gauge_state *state = &excess->gauges[gauge];
        const struct limit *limit = limit_of_gauge(&verifier->request->limits, gauge);
        if (!limit->is_set || (is_of_links(gauge) && !verifier->request->topology))
            continue;
        state->is_judged = true;
        state->limit = limit->most;
        state->threshold = gauge == GAUGE_TOTAL ? 0 : (uint32_t)limit->most;
        state->of_schedule.gauge = gauge;
        state->n_subjects = gauge <= GAUGE_PORTS ? count_subjects(verifier, gauge) : 0;
        state->peaks = mem_alloc(state->n_subjects, sizeof *state->peaks);
    }
    return excess;
}

void excess_free(struct excess *excess)
{
    for (enum gauge gauge = 0; gauge < N_GAUGES; gauge++) {
        free(excess->gauges[gauge].peaks);
        free(excess->gauges[gauge].entry_of);
        free(excess->gauges[gauge].of_schedule.steps);
    }
    for (size_t i = 0; i < excess->n_entries; i++) {
        free(excess->entries[i].steps);
        free(excess->entries[i].ranks);
    }
    free(excess->entries);
    free(excess->by_time);
    free(excess->near);
    free(excess);
}

/* ---- measured ---- */

/* Steps come in rising order; windows may overlap. */
static void excess_add_span(struct entry *entry, uint64_t first, uint64_t last)
{
    if (entry->n_steps && first <= entry->steps[entry->n_steps - 1].last + 1) {
        entry->steps[entry->n_steps - 1].last = last;
        return;
    }
    entry->steps =
        mem_grow(entry->steps, &entry->steps_capacity, entry->n_steps + 1, sizeof *entry->steps);
    entry->steps[entry->n_steps++] = (struct step_span){first, last};
}

/* The value of a subject in the steps first .. last. */
static inline void excess_see(struct excess *excess, struct gauge_state *state, size_t subject,
                              uint32_t value, uint64_t first, uint64_t last)
{
    if (value <= state->threshold)
        return;
    if (excess->is_again) {
        if (state->entry_of && state->entry_of[subject])
            excess_add_span(&excess->entries[state->entry_of[subject] - 1], first, last);
        return;
    }
    struct peak *peak = &state->peaks[subject];
    peak->n_over++;
    if (value <= peak->value)
        return;
    peak->value = value;
    peak->last = last;
    peak->width = (uint32_t)(last - first + 1);
}

static void measure_links(struct excess *excess, enum gauge gauge, const struct loads *loads)
{
    struct gauge_state *state = &excess->gauges[gauge];
    uint64_t at = 0;
    uint32_t link;
    if (!state->is_judged || loads->figures->max_link_load <= state->threshold)
        return;
    while (link_loads_next(&loads->meter->messages, &at, &link))
        excess_see(excess, state, link, (uint32_t)loads->meter->messages.load[link], loads->first,
                   loads->last);
}

static void measure_fan_in(struct excess *excess, const struct loads *loads)
{
    struct gauge_state *state = &excess->gauges[GAUGE_FAN_IN];
    if (!state->is_judged || loads->figures->max_fan_in <= state->threshold)
        return;
    for (size_t port = 0; port < state->n_subjects; port++)
        excess_see(excess, state, port, loads->meter->ports[port].fan_in, loads->first, loads->last);
}

static void measure_fan_out(struct excess *excess, const struct loads *loads)
{
    struct gauge_state *state = &excess->gauges[GAUGE_FAN_OUT];
    if (!state->is_judged || loads->figures->max_fan_out <= state->threshold)
        return;
    for (size_t port = 0; port < state->n_subjects; port++)
        excess_see(excess, state, port, loads->meter->ports[port].fan_out, loads->first, loads->last);
}

static void measure_machines(struct excess *excess, const struct loads *loads)
{
    struct gauge_state *state = &excess->gauges[GAUGE_PORTS];
    if (!state->is_judged ||
        (loads->figures->max_sends <= state->threshold && loads->figures->max_received <= state->threshold))
        return;
    for (uint32_t server = 0; server < loads->meter->n_servers; server++) {
        const struct server_counts counts = meter_server(loads->meter, server);
        excess_see(excess, state, 2 * (size_t)server, counts.sent, loads->first, loads->last);
        excess_see(excess, state, 2 * (size_t)server + 1, counts.received, loads->first, loads->last);
    }
}

void excess_measure(struct excess *excess, const struct loads *loads)
{
    if (loads->is_widest && loads->meter->topology)
        measure_links(excess, GAUGE_LINK, loads);
    if (loads->is_widest)
        measure_fan_in(excess, loads);
    if (loads->is_window)
        return;
    measure_fan_out(excess, loads);
    if (loads->meter->topology)
        measure_links(excess, GAUGE_TOTAL, loads);
    measure_machines(excess, loads);
}

/* ---- whole steps ---- */

/* A step that counts against a limit of the whole schedule; `badness` tells which is the worst. */
static void see_step(struct excess *excess, enum gauge gauge, uint64_t step, double badness)
{
    struct entry *entry = &excess->gauges[gauge].of_schedule;
    if (!excess->gauges[gauge].is_judged)
        return;
    excess_add_span(entry, step, step);
    if (badness <= entry->value)
        return;
    entry->value = badness;
    entry->peak = (struct peak){.last = step, .width = 1};
}

void excess_step(struct excess *excess, const struct step *step, const struct step_record *record)
{
    if (excess->is_again)
        return;
    if (record->is_contended)
        see_step(excess, GAUGE_CONTENDED, step->index, record->max_link_load);
    if (record->max_link_load)
        see_step(excess, GAUGE_BOUND, step->index, record->max_link_load);
    if (record->hol_slowdown > excess->gauges[GAUGE_HOL].limit)
        see_step(excess, GAUGE_HOL, step->index, record->hol_slowdown);
    if (step_is_idle(step))
        see_step(excess, GAUGE_IDLE, step->index, 1);
}

/* ---- the end ---- */

static struct entry *excess_add_entry(struct excess *excess, const struct entry *entry)
{
    excess->entries = mem_grow(excess->entries, &excess->capacity, excess->n_entries + 1,
                               sizeof *excess->entries);
    excess->entries[excess->n_entries] = *entry;
    return &excess->entries[excess->n_entries++];
}

struct candidate {
    double value;
    uint32_t n_over, subject;
};

static int excess_compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value > y->value ? -1 : 1;
    if (x->n_over != y->n_over)
        return x->n_over > y->n_over ? -1 : 1;
    return x->subject < y->subject ? -1 : x->subject > y->subject;
}

/* Returns the subjects of a gauge above its limit, the worst first; on the heap. */
static struct candidate *excess_find_candidates(struct gauge_state *state, const uint64_t *total_load)
{
    struct candidate *candidates = NULL;
    size_t n = 0, capacity = 0;
    for (size_t subject = 0; subject < state->n_subjects; subject++) {
        const struct peak *peak = &state->peaks[subject];
        const double value = total_load ? (double)total_load[subject] : (double)peak->value;
        if (value <= state->limit)
            continue;
        candidates = mem_grow(candidates, &capacity, n + 1, sizeof *candidates);
        candidates[n++] = (struct candidate){value, peak->n_over, (uint32_t)subject};
    }
    if (n)
        qsort(candidates, n, sizeof *candidates, excess_compare_candidates);
    state->n_over = n;
    return candidates;
}

/* Makes entries of the worst subjects of a gauge. */
static void judge_subjects(struct excess *excess, enum gauge gauge, const uint64_t *total_load)
{
    struct gauge_state *state = &excess->gauges[gauge];
    const uint32_t keep = excess->verifier->request->keep_measured;
    struct candidate *candidates = excess_find_candidates(state, gauge == GAUGE_TOTAL ? total_load : NULL);
    if (state->n_over)
        state->entry_of = mem_alloc(state->n_subjects, sizeof *state->entry_of);
    state->n_entries = keep && state->n_over > keep ? keep : state->n_over;
    for (size_t i = 0; i < state->n_entries; i++) {
        const struct candidate *found = &candidates[i];
        excess_add_entry(excess, &(struct entry){.gauge = gauge,
                                                 .subject = found->subject,
                                                 .value = found->value,
                                                 .peak = state->peaks[found->subject]});
        state->entry_of[found->subject] = (uint32_t)excess->n_entries;
    }
    free(candidates);
}

/* Does the same for a value that is measured once for the schedule. */
static void judge_schedule(struct excess *excess, enum gauge gauge, double value)
{
    struct gauge_state *state = &excess->gauges[gauge];
    state->n_over = state->n_entries = state->is_judged && value > state->limit;
    if (!state->n_over)
        return;
    excess_add_entry(excess, &state->of_schedule)->value = value;
    state->of_schedule = (struct entry){.gauge = gauge}; /* its list of steps has moved */
}

static uint64_t first_step(const struct entry *entry)
{
    return entry->peak.last + 1 - entry->peak.width;
}

static int excess_compare_times(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    const uint64_t at_x = first_step(x), at_y = first_step(y);
    return at_x != at_y ? (at_x < at_y ? -1 : 1) : (x > y) - (x < y);
}

bool excess_end(struct excess *excess, const uint64_t *total_load)
{
    const struct verify_report *report = excess->verifier->report;
    for (enum gauge gauge = 0; gauge <= GAUGE_PORTS; gauge++)
        if (excess->gauges[gauge].is_judged)
            judge_subjects(excess, gauge, total_load);
    judge_schedule(excess, GAUGE_CONTENDED, (double)report->contended_steps);
    judge_schedule(excess, GAUGE_BOUND, report->bound_ratio);
    judge_schedule(excess, GAUGE_HOL, report->max_hol_slowdown);
    judge_schedule(excess, GAUGE_STEPS, (double)report->n_steps);
    judge_schedule(excess, GAUGE_IDLE, (double)report->n_idle);
    excess->is_again = true;
    excess->by_time = mem_alloc(excess->n_entries + 1, sizeof *excess->by_time);
    excess->near = mem_alloc(excess->n_entries + 1, sizeof *excess->near);
    for (size_t i = 0; i < excess->n_entries; i++)
        if (excess->entries[i].peak.width) /* its worst step is known */
            excess->by_time[excess->n_by_time++] = &excess->entries[i];
    if (excess->n_by_time)
        qsort(excess->by_time, excess->n_by_time, sizeof *excess->by_time, excess_compare_times);
    return excess->n_by_time > 0;
}

/* ---- the second time ---- */

bool excess_wants_sends(struct excess *excess, uint64_t step)
{
    size_t n = 0;
    for (size_t i = 0; i < excess->n_near; i++)
        if (excess->near[i]->peak.last >= step)
            excess->near[n++] = excess->near[i];
    while (excess->next < excess->n_by_time && first_step(excess->by_time[excess->next]) <= step)
        excess->near[n++] = excess->by_time[excess->next++];
    excess->n_near = n;
    excess->step = step;
    return n > 0;
}

static void excess_add_line(struct entry *entry, const struct op *send)
{
    uint32_t i = 0;
    while (i < entry->n_lines && entry->line[i].line != send->line)
        i++;
    if (i == MAX_LINES)
        return;
    if (i == entry->n_lines)
        entry->line[entry->n_lines++] = *send;
    entry->n_of_line[i]++;
}

static void excess_add_send(struct entry *entry, const struct op *send)
{
    entry->ranks =
        mem_grow(entry->ranks, &entry->ranks_capacity, entry->n_ranks + 1, sizeof *entry->ranks);
    entry->ranks[entry->n_ranks++] = send->rank;
    excess_add_line(entry, send);
}

/* Adds the send to the subject's entry if the subject is listed, and this is the worst of its steps. */
static void add_send_of(struct excess *excess, enum gauge gauge, size_t subject,
                        const struct op *send)
{
    const struct gauge_state *state = &excess->gauges[gauge];
    if (!state->entry_of || !state->entry_of[subject])
        return;
    struct entry *entry = &excess->entries[state->entry_of[subject] - 1];
    if (first_step(entry) <= excess->step && excess->step <= entry->peak.last)
        excess_add_send(entry, send);
}

void excess_send(struct excess *excess, const struct op *send, const struct route_of *route)
{
    for (uint32_t i = 0; i < route->n_hops; i++) {
        add_send_of(excess, GAUGE_LINK, route->hops[i].link, send);
        add_send_of(excess, GAUGE_TOTAL, route->hops[i].link, send);
    }
    add_send_of(excess, GAUGE_FAN_IN, route->destination_port, send);
    add_send_of(excess, GAUGE_FAN_OUT, route->source_port, send);
    add_send_of(excess, GAUGE_PORTS, 2 * (size_t)route->source, send);
    add_send_of(excess, GAUGE_PORTS, 2 * (size_t)route->destination + 1, send);
    for (size_t i = 0; i < excess->n_near; i++)
        if (excess->near[i]->gauge > GAUGE_PORTS)
            excess_add_line(excess->near[i], send);
}

/* ---- what the rules are told ---- */

/* Returns the line with most messages in the worst step, the first of those; NULL: none is known. */
static const struct op *busiest_line(const struct entry *entry)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < entry->n_lines; i++)
        if (entry->n_of_line[i] > entry->n_of_line[most])
            most = i;
    return entry->n_lines ? &entry->line[most] : NULL;
}

/* Sorts numbers and leaves each once; how many there are then. */
static size_t make_set(uint32_t *numbers, size_t n)
{
    size_t n_kept = 0;
    if (n)
        qsort(numbers, n, sizeof *numbers, compare_uint32);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || numbers[i] != numbers[i - 1])
            numbers[n_kept++] = numbers[i];
    return n_kept;
}

static void report_entry(struct excess *excess, struct entry *entry, uint64_t n_left)
{
    const struct placement *placement = excess->verifier->request->placement;
    struct fact_excess fact = {.gauge = entry->gauge,
                               .subject = entry->subject,
                               .value = entry->value,
                               .limit = excess->gauges[entry->gauge].limit,
                               .n_left = n_left,
                               .steps = entry->steps,
                               .n_steps = entry->n_steps,
                               .ranks = entry->ranks,
                               .send = busiest_line(entry)};
    if (entry->peak.width)
        fact.worst = (struct step_span){first_step(entry), entry->peak.last};
    fact.n_ranks = make_set(entry->ranks, entry->n_ranks);
    uint32_t *machines = mem_alloc(fact.n_ranks, sizeof *machines);
    for (size_t i = 0; i < fact.n_ranks; i++)
        machines[i] = placement ? placement->machine[fact.ranks[i]] : fact.ranks[i];
    fact.machines = machines;
    fact.n_machines = make_set(machines, fact.n_ranks);
    offer_excess(excess->verifier, &fact);
    free(machines);
}

void excess_report(struct excess *excess)
{
    size_t n_of_gauge[N_GAUGES] = {0};
    for (size_t i = 0; i < excess->n_entries; i++) {
        struct entry *entry = &excess->entries[i];
        const struct gauge_state *state = &excess->gauges[entry->gauge];
        const bool is_last = ++n_of_gauge[entry->gauge] == state->n_entries;
        report_entry(excess, entry, is_last ? state->n_over - state->n_entries : 0);
        free(entry->steps);
        free(entry->ranks);
        entry->steps = NULL;
        entry->ranks = NULL;
    }
}
