/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Searches the fewest rounds: gives formulas for several numbers of rounds to a solver, each for some
 * time, and undecided ones again for twice as long. Checks a solution before it is taken.
 */
#include "synth/exact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SECONDS 0.5
#define MOST_SECONDS 32.0
enum { MOST_SPLITS = 64, MOST_UNDECIDED = 24 };

struct search {
    struct exact *exact;
    int32_t *variable;   /* exact_formula */
    uint32_t n_steps;    /* steps of the best so far */
    double seconds;      /* for a formula */
    bool is_over, has_no_solver, is_wrong;
};

/* ---- what the solver found ---- */

static int exact_search_by_step(const void *a, const void *b)
{
    const struct exact_send *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

/* Takes the sends of a solution and removes useless ones. Returns false if some node lacks what it needs. */
static bool take_sends(const struct search *search, const bool *value, struct exact_send **sends,
                       size_t *n_sends)
{
    const struct exact *exact = search->exact;
    const uint32_t n = exact->n_nodes;
    const size_t n_variables = (size_t)exact->n_chunks * exact->n_arcs * exact->n_steps;
    uint32_t *got = mem_alloc((size_t)exact->n_chunks * n, sizeof *got);   /* step and 1 */
    bool *is_used = mem_alloc((size_t)exact->n_chunks * n, sizeof *is_used);
    size_t capacity = 0, n_kept = 0;
    bool is_right = true;
    *n_sends = 0;
    for (size_t i = 0; i < n_variables; i++)
        if (search->variable[i] && value[search->variable[i]]) {
            *sends = mem_grow(*sends, &capacity, *n_sends + 1, sizeof **sends);
            (*sends)[(*n_sends)++] = (struct exact_send){(uint32_t)(i / exact->n_steps / exact->n_arcs),
                                                         (uint32_t)(i / exact->n_steps % exact->n_arcs),
                                                         (uint32_t)(i % exact->n_steps)};
        }
    if (*n_sends)
        qsort(*sends, *n_sends, sizeof **sends, exact_search_by_step);
    for (size_t i = 0; i < *n_sends; i++) { /* the first of what comes to a node from one that has it */
        const struct exact_send *send = &(*sends)[i];
        const struct exact_arc *arc = &exact->arcs[send->arc];
        const uint32_t there = got[(size_t)send->chunk * n + arc->from];
        uint32_t *here = &got[(size_t)send->chunk * n + arc->to];
        const bool was_there = arc->from == exact->source[send->chunk] || (there && there <= send->step);
        if (was_there && !*here && arc->to != exact->source[send->chunk]) {
            *here = send->step + 1;
            (*sends)[n_kept++] = *send;
        }
    }
    *n_sends = n_kept;
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++)
        for (uint32_t node = 0; node < n; node++)
            if (node != exact->source[chunk] &&
                (exact->target[chunk] == EXACT_ALL || exact->target[chunk] == node)) {
                is_used[(size_t)chunk * n + node] = true;
                is_right = is_right && got[(size_t)chunk * n + node];
            }
    size_t first = n_kept;
    while (n_kept > 0) { /* backwards, as a node that passes a chunk on needs it */
        const struct exact_send send = (*sends)[--n_kept];
        if (!is_used[(size_t)send.chunk * n + exact->arcs[send.arc].to])
            continue;
        is_used[(size_t)send.chunk * n + exact->arcs[send.arc].from] = true;
        (*sends)[--first] = send;
    }
    memmove(*sends, *sends + first, (*n_sends - first) * sizeof **sends);
    *n_sends -= first;
    free(got);
    free(is_used);
    return is_right;
}

static uint32_t rounds_of(const struct exact *exact, const struct exact_send *sends, size_t n_sends)
{
    uint32_t *load = mem_alloc((size_t)exact->n_steps * exact->n_links + 1, sizeof *load), sum = 0;
    for (size_t i = 0; i < n_sends; i++) {
        const struct exact_arc *arc = &exact->arcs[sends[i].arc];
        for (size_t link = arc->first; link < arc->end; link++)
            load[(size_t)sends[i].step * exact->n_links + exact->links[link]]++;
    }
    for (uint32_t step = 0; step < exact->n_steps; step++) {
        uint32_t rounds = 1;
        for (uint32_t link = 0; link < exact->n_links; link++) {
            const uint32_t capacity = exact->capacity[link];
            const uint32_t needed = (load[(size_t)step * exact->n_links + link] + capacity - 1) / capacity;
            rounds = needed > rounds ? needed : rounds;
        }
        sum += rounds;
    }
    free(load);
    return sum;
}

/* ---- questions ---- */

static bool exact_search_goes_on(struct search *search)
{
    const struct exact *exact = search->exact;
    const struct synth_progress progress = {"exact", exact->least,
                                            exact->rounds ? exact->rounds : 2 * exact->least};
    search->is_over = search->is_over || !synth_goes_on(exact->request, &progress);
    return !search->is_over;
}

/* Asks for a schedule of `total` rounds by exact_formula; keeps it if it is the best so far. */
static enum sat_end exact_search_ask(struct search *search, uint32_t total, const uint32_t *rounds)
{
    struct exact *exact = search->exact;
    struct sat sat = {0};
    struct exact_send *sends = NULL;
    size_t n_sends;
    enum sat_end end = SAT_UNDECIDED;
    const uint32_t n_steps = exact->n_steps;
    exact->n_steps = total < exact->most_steps ? total : exact->most_steps;
    if (exact_search_goes_on(search) && exact_formula(exact, total, rounds, &sat, search->variable)) {
        bool *value = mem_alloc((size_t)sat.n_variables + 1, sizeof *value);
        end = sat_solve(&sat, search->seconds, value);
        const bool is_right = end == SAT_FOUND && take_sends(search, value, &sends, &n_sends);
        const uint32_t needed = is_right ? rounds_of(exact, sends, n_sends) : 0;
        if (end == SAT_FOUND && (!is_right || needed > total))
            search->is_wrong = true;
        if (end == SAT_FOUND && !search->is_wrong && (!exact->rounds || needed < exact->rounds)) {
            free(exact->sends);
            exact->sends = sends;
            exact->n_sends = n_sends;
            search->n_steps = exact->n_steps;
            exact->rounds = needed;
            sends = NULL;
        }
        free(value);
    }
    exact->n_steps = n_steps;
    search->has_no_solver = search->has_no_solver || end == SAT_NO_SOLVER;
    search->is_over = search->is_over || search->is_wrong || end == SAT_NO_SOLVER;
    free(sends);
    sat_free(&sat);
    return search->is_wrong ? SAT_UNDECIDED : end;
}

/* Returns the number of ways to distribute `total` rounds over n steps, or more than MOST_SPLITS. */
static uint64_t count_splits(uint32_t total, uint32_t n)
{
    uint64_t ways = 1;
    for (uint32_t i = 1; i < n && ways <= MOST_SPLITS; i++)
        ways = ways * (total - i) / i;
    return ways;
}

/* Moves to the next way in the order of numbers. Returns false after the last one. */
static bool next_split(uint32_t *rounds, uint32_t n)
{
    uint32_t last = n - 1;
    while (last > 0 && rounds[last] == 1)
        last--;
    if (last == 0)
        return false;
    rounds[last - 1]++;
    const uint32_t left = rounds[last] - 1;
    rounds[last] = 1;
    rounds[n - 1] += left - 1;
    return true;
}

/* Asks for each way by itself, which is a smaller formula. */
static enum sat_end ask_splits(struct search *search, uint32_t total)
{
    const uint32_t n = search->exact->most_steps;
    enum sat_end end = SAT_NONE;
    if (n < 2 || total <= n || count_splits(total, n) > MOST_SPLITS)
        return SAT_UNDECIDED;
    uint32_t *rounds = mem_alloc(n, sizeof *rounds);
    for (uint32_t i = 0; i < n; i++)
        rounds[i] = i + 1 < n ? 1 : total - (n - 1);
    do {
        const enum sat_end answer = exact_search_ask(search, total, rounds);
        end = answer == SAT_FOUND ? SAT_FOUND : answer == SAT_NONE ? end : SAT_UNDECIDED;
    } while (end != SAT_FOUND && !search->is_over && next_split(rounds, n));
    free(rounds);
    return end;
}

/* Tries numbers of rounds from the fewest on, as decided ones need not be asked again. If none is decided,
 * more rounds are easier, and something is found. */
static void look_through(struct search *search, bool by_splits)
{
    struct exact *exact = search->exact;
    const uint64_t one_by_one = (uint64_t)exact->n_chunks * exact->n_nodes; /* rounds of sending one by one; a
                                                                               'no' to these is wrong */
    uint32_t n_undecided = 0;
    for (uint32_t total = exact->least; !search->is_over && (!exact->rounds || total < exact->rounds);) {
        const bool is_new = !by_splits || search->seconds > FIRST_SECONDS;
        enum sat_end end = is_new ? exact_search_ask(search, total, NULL) : SAT_UNDECIDED;
        if (end == SAT_UNDECIDED && by_splits)
            end = ask_splits(search, total);
        if (end == SAT_NONE && total == exact->least) {
            exact->least++;
            exact->is_by_solver = true;
        }
        n_undecided += end == SAT_UNDECIDED;
        total += exact->rounds ? 1 : 1 + n_undecided / 2;
        search->is_wrong = search->is_wrong || exact->least > one_by_one;
        search->is_over = search->is_over || search->is_wrong || n_undecided > MOST_UNDECIDED;
    }
}

bool exact_search(struct exact *exact, struct text *problem)
{
    struct search search = {.exact = exact, .seconds = FIRST_SECONDS};
    search.variable = mem_alloc((size_t)exact->n_chunks * exact->n_arcs * exact->n_steps,
                                sizeof *search.variable);
    exact->least = exact_cut(exact);
    look_through(&search, false);
    while (!search.is_over && exact->rounds > exact->least && search.seconds <= MOST_SECONDS) {
        look_through(&search, true);
        search.seconds *= 2;
    }
    if (!exact->rounds)
        text_printf(problem, search.has_no_solver ? "collc-lp is not to be found, which decides formulas"
                             : search.is_wrong    ? "the solver of formulas is wrong"
                                                  : "nothing was found within the time");
    exact->n_steps = search.n_steps;
    free(search.variable);
    return exact->rounds > 0;
}
