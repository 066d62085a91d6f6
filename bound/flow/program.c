/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a block to its program, and the solution to whole lengths. See program.h.
 */
#include "bound/flow/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 1 << 17 };

/* Limit of nodes * arcs to try without a program: a few tenths of a second. */
#define MAX_TRIED (UINT64_C(1) << 23)

/* A block and its classes. */
struct problem {
    const struct flow_block *block;
    enum flow_measure measure;
    const struct flow_search *search;
    struct symmetry symmetry;
    uint32_t *like;     /* [node] how many nodes are like it, at the least of them; 0 elsewhere */
    uint64_t *length, *candidate; /* [arc] the best so far; what is tried */
    bool is_turned;     /* the program has distances to destinations, not from sources */
    struct fraction best;
    uint64_t tried;     /* nodes * arcs so far */
};

/* Returns the problem of a block; the classes are found when they are needed. */
static struct problem problem_of(const struct flow_block *block, enum flow_measure measure,
                                 const struct flow_search *search, uint64_t *length)
{
    return (struct problem){.block = block, .measure = measure, .search = search, .length = length,
                            .like = mem_alloc(block->n_nodes, sizeof(uint32_t)),
                            .candidate = mem_alloc(block->n_arcs, sizeof(uint64_t))};
}

static void problem_free(struct problem *problem)
{
    symmetry_free(&problem->symmetry);
    free(problem->like);
    free(problem->candidate);
}

static void find_classes(struct problem *problem)
{
    problem->symmetry = symmetry_of(problem->block);
    for (uint32_t node = 0; node < problem->block->n_nodes; node++)
        problem->like[problem->symmetry.node_like[node]]++;
}

static bool program_has_enough(const struct problem *problem)
{
    const struct fraction enough = problem->search->enough;
    return enough.bottom && !fraction_is_above(enough, problem->best);
}

/* ---- whole lengths ---- */

/* Takes the candidate if it is better than what was taken before. */
static void program_try_candidate(struct problem *problem)
{
    const uint32_t n = problem->block->n_arcs;
    uint64_t divisor = 0;
    problem->tried += (uint64_t)problem->block->n_nodes * n;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t a = problem->candidate[i];
        while (a) {
            const uint64_t rest = divisor % a;
            divisor = a;
            a = rest;
        }
    }
    for (uint32_t i = 0; i < n && divisor; i++)
        problem->candidate[i] /= divisor;
    const struct fraction quotient = flow_quotient(problem->block, problem->measure, problem->candidate);
    if (!fraction_is_above(quotient, problem->best))
        return;
    problem->best = quotient;
    memcpy(problem->length, problem->candidate, n * sizeof *problem->length);
}

static uint64_t *candidate_at(struct problem *problem, uint32_t arc)
{
    static uint64_t nowhere;
    return flow_capacity(&problem->block->arcs[arc], problem->measure) ? &problem->candidate[arc]
                                                                       : &nowhere;
}

/* Tries lengths of classes in 0 .. 1, in multiples of 1 / parts. */
static void program_try_parts(struct problem *problem, const double *length, double parts)
{
    for (uint32_t i = 0; i < problem->block->n_arcs; i++)
        *candidate_at(problem, i) = (uint64_t)(length[problem->symmetry.arc_class[i]] * parts + 0.5);
    program_try_candidate(problem);
}

/* Returns the least denominator up to 4096 with which the number is nearly whole; 0 if none. */
static double denominator_of(double number)
{
    for (double q = 1; q <= 4096; q++)
        if (fabs(number * q - round(number * q)) < 1e-6)
            return q;
    return 0;
}

/* Returns the common denominator of the lengths, as the best ones mostly are ratios of small numbers; 0 if
 * these are not. */
static double common_parts(const double *length, uint32_t n)
{
    double parts = 1;
    for (uint32_t i = 0; i < n && parts > 0 && parts < 1e9; i++)
        parts *= denominator_of(length[i] * parts);
    return parts < 1e9 ? parts : 0;
}

static void try_solution(struct problem *problem, double *length)
{
    const uint32_t n = problem->symmetry.n_arc_classes;
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = length[i] > most ? length[i] : most;
    for (uint32_t i = 0; i < n && most > 0; i++)
        length[i] /= most;
    const double parts = common_parts(length, n);
    if (parts > 0)
        program_try_parts(problem, length, parts);
    program_try_parts(problem, length, 1 << 20);
    program_try_parts(problem, length, (double)(UINT64_C(1) << (LENGTH_BITS - 1)));
}

/* ---- without a solver ---- */

static void try_equal(struct problem *problem)
{
    for (uint32_t i = 0; i < problem->block->n_arcs; i++)
        *candidate_at(problem, i) = 1;
    program_try_candidate(problem);
}

/* Tries the arcs out of the node, or into it, with the highest load. */
static void program_try_nodes(struct problem *problem)
{
    const struct flow_block *block = problem->block;
    const uint32_t n = block->n_nodes;
    double *capacity = mem_alloc((size_t)2 * n, sizeof *capacity), most = 0;
    double *demand = mem_alloc((size_t)2 * n, sizeof *demand);
    uint32_t best = 0;
    for (uint32_t i = 0; i < block->n_arcs; i++) {
        const uint64_t own = flow_capacity(&block->arcs[i], problem->measure);
        capacity[block->arcs[i].from] += own ? (double)own : HUGE_VAL;
        capacity[n + block->arcs[i].to] += own ? (double)own : HUGE_VAL;
    }
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            demand[from] += (double)flow_block_demand(block, from, to);
            demand[n + to] += (double)flow_block_demand(block, from, to);
        }
    for (uint32_t i = 0; i < 2 * n; i++)
        if (demand[i] > most * capacity[i]) {
            most = demand[i] / capacity[i];
            best = i;
        }
    free(capacity);
    free(demand);
    for (uint32_t i = 0; i < block->n_arcs; i++)
        *candidate_at(problem, i) =
            best < n ? block->arcs[i].from == best : block->arcs[i].to == best - n;
    program_try_candidate(problem);
}

/* Returns the group of a node in a cut of the machines. */
static uint32_t program_group_of(const struct problem *problem, const struct topology_cut *cut, uint32_t node)
{
    return (uint32_t)(problem->block->node[node] / cut->stride % cut->n_groups);
}

/* Tries the arcs out of the groups first, first + 1, ... (`n` of them, cyclic), and into them. */
static void program_try_slab(struct problem *problem, const struct topology_cut *cut, uint32_t first,
                             uint32_t n)
{
    for (uint32_t i = 0; i < problem->block->n_arcs; i++) {
        const struct flow_arc *arc = &problem->block->arcs[i];
        const uint32_t from = program_group_of(problem, cut, arc->from),
                       to = program_group_of(problem, cut, arc->to);
        const bool starts = (from + cut->n_groups - first) % cut->n_groups < n;
        const bool ends = (to + cut->n_groups - first) % cut->n_groups < n;
        *candidate_at(problem, i) = starts != ends;
    }
    program_try_candidate(problem);
}

/* Tries the cuts of grids in which all nodes are machines. */
static void try_cuts(struct problem *problem)
{
    const struct topology *topology = problem->search->topology;
    struct topology_cut cut;
    for (uint32_t i = 0; topology->n_nodes == topology->n_machines && topology_find_cut(topology, i, &cut) &&
                         !program_has_enough(problem);
         i++)
        for (uint32_t first = 0; cut.shape != CUT_TREE && first < cut.n_groups &&
                                 problem->tried < MAX_TRIED; first++)
            if (cut.shape == CUT_RING)
                program_try_slab(problem, &cut, first, cut.n_groups / 2);
            else
                program_try_slab(problem, &cut, 0, first);
}

/* Tries each class alone. */
static void try_classes(struct problem *problem)
{
    const uint32_t n_classes = problem->symmetry.n_arc_classes;
    for (uint32_t class = 0; n_classes > 1 && class < n_classes && problem->tried < MAX_TRIED; class++) {
        for (uint32_t i = 0; i < problem->block->n_arcs; i++)
            *candidate_at(problem, i) = problem->symmetry.arc_class[i] == class;
        program_try_candidate(problem);
    }
}

/* ---- the program ---- */

/* Returns the demand from a source or, if the program is turned, to it. */
static uint64_t program_demand_of(const struct problem *problem, uint32_t source, uint32_t node)
{
    return problem->is_turned ? flow_block_demand(problem->block, node, source)
                              : flow_block_demand(problem->block, source, node);
}

static bool is_source(const struct problem *problem, uint32_t node)
{
    bool has_demand = false;
    if (!problem->like[node])
        return false;
    for (uint32_t other = 0; other < problem->block->n_nodes && !has_demand; other++)
        has_demand = program_demand_of(problem, node, other) > 0;
    return has_demand;
}

static uint64_t program_count_sources(const struct problem *problem)
{
    uint64_t n = 0;
    for (uint32_t node = 0; node < problem->block->n_nodes; node++)
        n += is_source(problem, node);
    return n;
}

/* Turns the program if there are fewer destinations than sources. Returns the number of these. */
static uint64_t choose_ends(struct problem *problem)
{
    const uint64_t n_sources = program_count_sources(problem);
    problem->is_turned = true;
    const uint64_t n_destinations = program_count_sources(problem);
    problem->is_turned = n_destinations < n_sources;
    return problem->is_turned ? n_destinations : n_sources;
}

/* Adds rows that keep nodes as near as the arcs to them allow; variables from `first` on are distances. */
static void add_distances(const struct problem *problem, struct lp *lp, uint32_t source, uint32_t first)
{
    const struct flow_block *block = problem->block;
    for (uint32_t i = 0; i < block->n_arcs; i++) {
        const struct flow_arc *arc = &block->arcs[i];
        const uint32_t near = problem->is_turned ? arc->to : arc->from;
        const uint32_t far = problem->is_turned ? arc->from : arc->to;
        if (far == source)
            continue;
        lp_add(lp, first + far, 1);
        if (near != source)
            lp_add(lp, first + near, -1);
        if (flow_capacity(arc, problem->measure))
            lp_add(lp, problem->symmetry.arc_class[i], -1);
        lp_end_row(lp, '<', 0);
    }
}

static double most_demand(const struct problem *problem)
{
    const struct flow_block *block = problem->block;
    double most = 1;
    for (uint32_t from = 0; from < block->n_nodes; from++)
        for (uint32_t to = 0; problem->like[from] && to < block->n_nodes; to++) {
            const double demand = (double)program_demand_of(problem, from, to) * problem->like[from];
            most = demand > most ? demand : most;
        }
    return most;
}

/* Makes the program, with demands and capacities scaled to about 1. */
static struct lp flow_program_of(const struct problem *problem, uint32_t n_sources)
{
    const struct flow_block *block = problem->block;
    const uint32_t n_classes = problem->symmetry.n_arc_classes;
    const double unit = most_demand(problem);
    struct lp lp = lp_new(n_classes + n_sources * block->n_nodes);
    double *capacity = mem_alloc(n_classes, sizeof *capacity), most = 0;
    uint32_t first = n_classes;
    for (uint32_t i = 0; i < block->n_arcs; i++)
        capacity[problem->symmetry.arc_class[i]] +=
            (double)flow_capacity(&block->arcs[i], problem->measure);
    for (uint32_t i = 0; i < n_classes; i++)
        most = fmax(most, capacity[i]);
    for (uint32_t i = 0; i < n_classes; i++)
        lp_add(&lp, i, capacity[i] / most);
    lp_end_row(&lp, '=', 1);
    free(capacity);
    for (uint32_t source = 0; source < block->n_nodes; source++) {
        if (!is_source(problem, source))
            continue;
        for (uint32_t node = 0; node < block->n_nodes; node++)
            if (node != source)
                lp.objective[first + node] =
                    (double)program_demand_of(problem, source, node) * problem->like[source] / unit;
        add_distances(problem, &lp, source, first);
        first += block->n_nodes;
    }
    return lp;
}

static enum lp_end program_solve(struct problem *problem)
{
    const struct flow_block *block = problem->block;
    const uint64_t n_sources = choose_ends(problem);
    const uint64_t n_rows = n_sources * block->n_arcs, most = problem->search->solver->most_rows;
    if (n_rows > MAX_ROWS || (most && n_rows > most))
        return LP_TOO_LARGE;
    struct lp lp = flow_program_of(problem, (uint32_t)n_sources);
    double *solution = mem_alloc(lp.n_variables, sizeof *solution);
    const enum lp_end end = lp_solve(&lp, problem->search->solver, solution);
    if (end == LP_SOLVED)
        try_solution(problem, solution);
    free(solution);
    lp_free(&lp);
    return end;
}

struct flow_block_bound flow_block_solve(const struct flow_block *block, enum flow_measure measure,
                                         const struct flow_search *search, uint64_t *length)
{
    struct problem problem = problem_of(block, measure, search, length);
    struct flow_block_bound bound = {.end = LP_SOLVED};
    try_equal(&problem);
    const bool has_demand = problem.best.top > 0; /* demands at no cost do not count */
    if (has_demand && !program_has_enough(&problem))
        program_try_nodes(&problem);
    if (has_demand && !program_has_enough(&problem))
        try_cuts(&problem);
    if (has_demand && !program_has_enough(&problem)) {
        find_classes(&problem);
        try_classes(&problem);
        /* with one class, or two nodes, nothing else is better */
        if (problem.symmetry.n_arc_classes > 1 && block->n_nodes > 2 && !program_has_enough(&problem))
            bound.end = program_solve(&problem);
    }
    bound.quotient = problem.best;
    problem_free(&problem);
    return bound;
}
