/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop that few ranks go through, turned round: for each of them its iterations are the
 * lanes. See post_turned() in expansion.h.
 *
 * What the body reads from outside has one value at that rank, and gets it for the time of the
 * loop. Operations are made statement by statement, with the iteration in the place of the rank;
 * then they are put in the order of the iterations. Where the body fails nothing has happened:
 * the loop is carried out the ordinary way, to say what is wrong.
 */
#include "compiler/passes/expansion.h"
#include "compiler/passes/variables.h"

#include <stdlib.h>

enum {
    FEW = 16,         /* iterations for each rank from which it pays */
    MAX_PINNED = 64,  /* variables read in the body, and assigned there */
    MAX_VISITS = 4096 /* statements and operands of the body, calls written out */
};

/* A variable that has one value for the time of the loop. */
struct pin {
    uint32_t variable;
    int64_t value;
    struct slot before;
};

struct turn {
    struct environment *environment;
    struct lanes rank; /* one lane */
    uint32_t n_pins, n_assigned, n_visits;
    struct pin pins[MAX_PINNED];
    uint32_t assigned[MAX_PINNED];
};

/* --- what the body reads ---------------------------------------------- */

static bool is_assigned(const struct turn *turn, uint32_t variable)
{
    for (uint32_t i = 0; i < turn->n_assigned; i++)
        if (turn->assigned[i] == variable)
            return true;
    return false;
}

static bool is_pinned(const struct turn *turn, uint32_t variable)
{
    for (uint32_t i = 0; i < turn->n_pins; i++)
        if (turn->pins[i].variable == variable)
            return true;
    return false;
}

/* The value at the rank, for later: what is evaluated now reads other variables as they were. */
static bool pin(struct turn *turn, const struct expr *expr)
{
    const uint32_t variable = expr->variable;
    const struct slot *slot = &turn->environment->slots[variable];
    struct value value;
    if (slot->kind == SLOT_UNIFORM || is_pinned(turn, variable) ||
        (slot->kind != SLOT_FIXED && is_assigned(turn, variable)))
        return true;
    if (turn->n_pins == MAX_PINNED ||
        !read_variable(turn->environment, expr, &turn->rank, 0, &value))
        return false;
    turn->pins[turn->n_pins++] = (struct pin){variable, value_at(&value, 0), {0}};
    return true;
}

static bool pin_expr(struct turn *turn, const struct expr *expr)
{
    if (!expr)
        return true;
    if (++turn->n_visits > MAX_VISITS)
        return false;
    if (expr->kind == EXPR_VARIABLE)
        return pin(turn, expr);
    return pin_expr(turn, expr->a) && pin_expr(turn, expr->b) && pin_expr(turn, expr->c);
}

static bool pin_all(struct turn *turn, struct expr *const *expr, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!pin_expr(turn, expr[i]))
            return false;
    return true;
}

static bool pin_list(struct turn *turn, const struct statement *statement)
{
    for (; statement; statement = statement->next) {
        const struct definition *called = statement->definition;
        if (!pin_expr(turn, statement->expr) || !pin_expr(turn, statement->last) ||
            !pin_expr(turn, statement->by) ||
            !pin_all(turn, statement->chunks.index, statement->chunks.n) ||
            !pin_expr(turn, statement->chunks.last) ||
            !pin_all(turn, statement->to_chunks.index, statement->to_chunks.n) ||
            !pin_expr(turn, statement->to_chunks.last) ||
            !pin_all(turn, statement->peer.coordinates, statement->peer.n) ||
            !pin_all(turn, statement->arguments, called ? called->n_arguments : 0) ||
            !pin_list(turn, statement->body) || !pin_list(turn, statement->otherwise) ||
            (called && !pin_list(turn, called->body)))
            return false;
    }
    return true;
}

/* A fixed variable has its value at the rank from the beginning. */
static bool note(struct turn *turn, uint32_t variable)
{
    const struct expr read = {.kind = EXPR_VARIABLE, .variable = variable};
    if (turn->environment->slots[variable].kind == SLOT_FIXED)
        return pin(turn, &read);
    if (turn->n_assigned == MAX_PINNED)
        return false;
    turn->assigned[turn->n_assigned++] = variable;
    return true;
}

static bool note_list(struct turn *turn, const struct statement *statement)
{
    bool done = true;
    for (; statement && done; statement = statement->next) {
        const struct definition *called = statement->definition;
        if (++turn->n_visits > MAX_VISITS)
            return false;
        if (statement->kind == STATEMENT_LET || statement->kind == STATEMENT_FOR)
            done = note(turn, statement->variable);
        for (uint32_t i = 0; done && called && i < called->n_arguments; i++)
            done = note(turn, called->arguments[i]);
        done = done && note_list(turn, statement->body) &&
               note_list(turn, statement->otherwise) && (!called || note_list(turn, called->body));
    }
    return done;
}

static void set_pins(struct turn *turn)
{
    for (uint32_t i = 0; i < turn->n_pins; i++) {
        struct pin *set = &turn->pins[i];
        set->before = turn->environment->slots[set->variable];
        assign_uniform(turn->environment, set->variable, set->value);
    }
}

static void remove_pins(const struct turn *turn)
{
    for (uint32_t i = 0; i < turn->n_pins; i++) {
        struct slot *slot = &turn->environment->slots[turn->pins[i].variable], before = turn->pins[i].before;
        before.block = slot->block;
        *slot = before;
    }
}

/* --- the order of the iterations -------------------------------------- */

/* The operations from `begin` on: by iteration, which is in the place of the rank, those of one
 * iteration in the order in which they are. */
static void settle(struct op_list *list, size_t begin, uint32_t rank)
{
    struct op *const ops = list->ops + begin;
    const size_t n = list->n - begin;
    size_t first[BLOCK_LANES + 1] = {0};
    bool is_sorted = true;
    for (size_t i = 1; i < n; i++)
        is_sorted &= ops[i - 1].rank <= ops[i].rank;
    struct op *from = is_sorted ? NULL : mem_alloc(n, sizeof *from);
    for (size_t i = 0; from && i < n; i++) {
        from[i] = ops[i];
        first[ops[i].rank + 1]++;
    }
    for (uint32_t i = 0; from && i < BLOCK_LANES; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; from && i < n; i++)
        ops[first[from[i].rank]++] = from[i];
    free(from);
    for (size_t i = 0; i < n; i++)
        ops[i].rank = rank;
}

/* --- the loop --------------------------------------------------------- */

static bool run_iterations(struct expansion *expansion, const struct statement *loop, int64_t first,
                           int64_t by, uint32_t n)
{
    const size_t n_sends = expansion->sends.n, n_receives = expansion->receives.n;
    const size_t n_copies = expansion->copies.n;
    const int64_t last = first + (n - 1) * by;
    const struct lanes lanes = {n, NULL, 0};
    int64_t value[BLOCK_LANES];
    for (uint32_t i = 0; i < n; i++)
        value[i] = first + i * by;
    assign_lanes(expansion->environment, loop->variable, &lanes, &(struct value){value, 0});
    struct range range = by > 0 ? range_between(first, last) : range_between(last, first);
    range.slope = by == 1 || by == -1 ? (int)by : 0;
    bound_variable(expansion->environment, loop->variable, range);
    if (!post_list(expansion, loop->body, &lanes))
        return false;
    settle(&expansion->sends, n_sends, expansion->turned_rank);
    settle(&expansion->receives, n_receives, expansion->turned_rank);
    settle(&expansion->copies, n_copies, expansion->turned_rank);
    return true;
}

/* All of them at the one rank of the block. */
static bool run_at(struct expansion *expansion, const struct statement *loop, uint32_t lane,
                   int64_t first, int64_t by, uint64_t n)
{
    struct environment *environment = expansion->environment;
    struct turn turn = {.environment = environment, .rank = {1, NULL, lane}};
    const uint32_t block_first = environment->block_first;
    if (!note(&turn, loop->variable) || !note_list(&turn, loop->body) || !pin_list(&turn, loop->body))
        return false;
    bool done = true;
    set_pins(&turn);
    expansion->turned_rank = block_first + lane;
    environment->block_first = 0;
    for (uint64_t i = 0; done && i < n; i += BLOCK_LANES) {
        const uint32_t now = n - i < BLOCK_LANES ? (uint32_t)(n - i) : BLOCK_LANES;
        done = run_iterations(expansion, loop, first + (int64_t)i * by, by, now);
    }
    environment->block_first = block_first;
    remove_pins(&turn);
    return done;
}

bool post_turned(struct expansion *expansion, const struct statement *loop, const struct lanes *lanes,
                 const int64_t bounds[3], uint64_t n)
{
    struct environment *environment = expansion->environment;
    const size_t n_sends = expansion->sends.n, n_receives = expansion->receives.n;
    const size_t n_copies = expansion->copies.n;
    const uint64_t work = expansion->work;
    const uint32_t depth = expansion->depth;
    const bool was_trial = environment->is_trial;
    bool done = true;
    if (expansion->is_turned || expansion->binding->coverage || n / FEW < lanes->n)
        return false;
    expansion->is_turned = environment->is_trial = true;
    for (uint32_t i = 0; done && i < lanes->n; i++)
        done = run_at(expansion, loop, lane_at(lanes, i), bounds[0], bounds[2], n);
    expansion->is_turned = false;
    environment->is_trial = was_trial;
    if (done)
        return true;
    expansion->sends.n = n_sends;
    expansion->receives.n = n_receives;
    expansion->copies.n = n_copies;
    expansion->work = work;
    expansion->depth = depth;
    return false;
}
