/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expansion: program -> lazy schedule, one step at a time. See expand.h.
 *
 * Control around steps is the same on every rank. It is walked here, with an
 * explicit stack, so that the walk can stop after each step and go on at the
 * next call. What stands in a step, and whatever outside of steps depends on the
 * rank (copies and values), is carried out by post.c for all ranks.
 *
 * Copies outside of steps are collected for the next step; if none follows they
 * make a last step of their own. Steps under a `window` are collected until
 * their group is full or the window's block ends.
 */
#include "compiler/passes/effect.h"
#include "base/codes.h"
#include "compiler/passes/expansion.h"
#include "compiler/passes/needs.h"
#include "compiler/passes/specialise.h"
#include "compiler/passes/variables.h"
#include "network/networks.h"

#include <assert.h>
#include <stdlib.h>

enum progress { GOING_ON, STEP_READY, FAILED };

/* Returns a limit of work that takes a second or two, plus eight statements for each pair of ranks, which are
 * carried out for BLOCK_LANES ranks at once. */
static uint64_t work_limit(uint64_t n_ranks)
{
    const uint64_t of_pairs = n_ranks * n_ranks / (BLOCK_LANES / 8);
    return LEAST_WORK_LIMIT + (of_pairs < MOST_WORK_OF_PAIRS ? of_pairs : MOST_WORK_OF_PAIRS);
}

/* Counts a statement. False, after failing, above the limit of statements without a step that has operations.
 * A process that shares such steps with others has its part of the limit. */
bool expand_count_work(struct expansion *expansion, const struct statement *statement)
{
    const uint32_t n_sharing = expansion->schedule.use.n_sharing;
    if (++expansion->work < (n_sharing ? expansion->work_limit / n_sharing : expansion->work_limit))
        return true;
    evaluate_fail(expansion->environment, CODE_E010, statement->position, -1,
                  "more than %llu statements without the end of a step that has operations",
                  (unsigned long long)expansion->work_limit);
    expansion->environment->fault.help =
        "bound the loops around it by numbers of ranks or segments, and end steps in them";
    return false;
}

bool expand_fail_operations(struct expansion *expansion, const struct statement *statement)
{
    evaluate_fail(expansion->environment, CODE_E010, statement->position, -1,
                  "a step of more than %llu operations", (unsigned long long)SCHEDULE_MAX_STEP_OPS);
    expansion->environment->fault.help =
        "a step is in memory as a whole: end it earlier, such as by a 'window' around steps of one message "
        "each, or take fewer ranks";
    return false;
}

bool expand_count_iterations(struct environment *environment, const struct statement *loop, int64_t first,
                             int64_t last, int64_t by, uint64_t *n)
{
    *n = 0;
    if (by == 0) {
        evaluate_fail(environment, CODE_E007, loop->by->position, -1, "'%s' is zero: the loop never ends",
                      expression_text(environment, loop->by));
        environment->fault.help = "'by' is 1 or more, or below 0 for a loop that goes down";
        return false;
    }
    if (by > 0 ? last < first : last > first)
        return true;
    const uint64_t up = (uint64_t)last - (uint64_t)first;
    const uint64_t distance = by > 0 ? up : -up, stride = by > 0 ? (uint64_t)by : -(uint64_t)by;
    if (distance / stride >= MAX_ITERATIONS) {
        evaluate_fail(environment, CODE_E010, loop->position, -1,
                      "a loop of more than %llu iterations, %lld .. %lld",
                      (unsigned long long)MAX_ITERATIONS, (long long)first, (long long)last);
        environment->fault.help = "bound it by numbers of ranks or segments";
        return false;
    }
    *n = distance / stride + 1;
    return true;
}

static struct frame *push_frame(struct expansion *expansion, const struct statement *body,
                                const struct statement *owner)
{
    expansion->frames = mem_grow(expansion->frames, &expansion->frame_capacity,
                                 expansion->n_frames + 1, sizeof *expansion->frames);
    struct frame *frame = &expansion->frames[expansion->n_frames++];
    *frame = (struct frame){.next = body, .owner = owner};
    return frame;
}

/* Did the evaluation fail because the expression depends on the rank? */
static bool is_rank_dependent(const struct expansion *expansion)
{
    return expansion->environment->fault.code == CODE_E006;
}

static enum progress going_on(bool done)
{
    return done ? GOING_ON : FAILED;
}

static bool expand_assign(struct expansion *expansion, uint32_t variable, const struct expr *expr)
{
    int64_t value;
    if (evaluate_uniform(expansion->environment, expr, &value)) {
        variables_assign_uniform(expansion->environment, variable, value);
        return true;
    }
    return is_rank_dependent(expansion) && post_assignment(expansion, variable, expr);
}

/* --- steps ------------------------------------------------------------ */

/* A step is complete: is a step of the schedule, too? Each window around counts
 * it, from the innermost outwards, as long as groups become full. */
static enum progress finish_step(struct expansion *expansion)
{
    for (size_t i = expansion->n_frames; i > 0; i--) {
        struct frame *frame = &expansion->frames[i - 1];
        if (!frame->owner || frame->owner->kind != STATEMENT_WINDOW)
            continue;
        if (++frame->n_steps < frame->left)
            return GOING_ON;
        frame->n_steps = 0;
    }
    return STEP_READY;
}

static bool fail_steps(struct expansion *expansion, const struct statement *statement)
{
    evaluate_fail(expansion->environment, CODE_E010, statement->position, -1, "more than %d steps",
                  SCHEDULE_MAX_STEPS);
    expansion->environment->fault.help = "take fewer segments, or fewer ranks";
    return false;
}

static bool has_loop(const struct statement *statement)
{
    while (statement && statement->kind != STATEMENT_FOR)
        statement = statement->next;
    return statement;
}

/* A step that is sure to have too many operations is refused before it takes the memory. Of few
 * ranks that is seen in its loops, too (do_uniform_for). */
static bool check_operations(struct expansion *expansion, const struct statement *step)
{
    enum { MANY_RANKS = 4096 };
    const uint64_t n_ranks = expansion->environment->n_ranks;
    return n_ranks < MANY_RANKS || !has_loop(step->body) ||
           effect_least_posts(expansion->environment, step->body) * n_ranks <= SCHEDULE_MAX_STEP_OPS ||
           expand_fail_operations(expansion, step);
}

static enum progress walk_step(struct expansion *expansion, const struct statement *statement)
{
    if (expansion->next_step == SCHEDULE_MAX_STEPS)
        return going_on(fail_steps(expansion, statement));
    if (expansion->is_skipped)
        return finish_step(expansion);
    if (!check_operations(expansion, statement))
        return FAILED;
    return post_statements(expansion, statement->body) ? finish_step(expansion) : FAILED;
}

/* --- control around steps --------------------------------------------- */

static enum progress walk_if(struct expansion *expansion, const struct statement *statement)
{
    int64_t condition;
    if (!evaluate_uniform(expansion->environment, statement->expr, &condition))
        return going_on(is_rank_dependent(expansion) && post_statement(expansion, statement));
    push_frame(expansion, condition ? statement->body : statement->otherwise, NULL);
    return GOING_ON;
}

static bool loop_bounds(struct expansion *expansion, const struct statement *loop, int64_t *first,
                        int64_t *last, int64_t *by)
{
    struct environment *environment = expansion->environment;
    *by = 1;
    return evaluate_uniform(environment, loop->expr, first) &&
           evaluate_uniform(environment, loop->last, last) &&
           (!loop->by || evaluate_uniform(environment, loop->by, by));
}

/* Steps in a group of the windows around; saturates. */
static uint64_t group_size(const struct expansion *expansion)
{
    uint64_t size = 1;
    for (size_t i = 0; i < expansion->n_frames && size <= SCHEDULE_MAX_STEPS; i++) {
        const struct frame *frame = &expansion->frames[i];
        if (frame->owner && frame->owner->kind == STATEMENT_WINDOW)
            size = frame->left <= SCHEDULE_MAX_STEPS ? size * frame->left : UINT64_MAX;
    }
    return size;
}

/* A loop that is sure to exceed the limit is refused before it begins. */
static bool check_steps(struct expansion *expansion, const struct statement *loop, uint64_t steps)
{
    return expansion->next_step + steps / group_size(expansion) <= SCHEDULE_MAX_STEPS ||
           fail_steps(expansion, loop);
}

/* On all ranks. What happens in a loop is counted by walking it, where that is asked for. */
static struct effect effect_of(struct expansion *expansion, const struct statement *loop, uint64_t n,
                               struct range values)
{
    struct environment *environment = expansion->environment;
    if (n < FEW_ITERATIONS)
        return (struct effect){0, 0, false};
    environment->block_first = 0;
    struct effect effect = effect_of_loop(environment, loop, n, values);
    for (uint32_t at = BLOCK_LANES; effect.is_idle && at < environment->n_ranks; at += BLOCK_LANES) {
        environment->block_first = at;
        effect.is_idle = effect_of_loop(environment, loop, n, values).is_idle;
    }
    effect.is_idle = effect.is_idle && !expansion->binding->coverage;
    return effect;
}

static enum progress walk_for(struct expansion *expansion, const struct statement *loop)
{
    int64_t first, last, by;
    uint64_t n;
    if (!loop_bounds(expansion, loop, &first, &last, &by))
        return going_on(is_rank_dependent(expansion) && post_statement(expansion, loop));
    if (!expand_count_iterations(expansion->environment, loop, first, last, by, &n))
        return FAILED;
    if (n == 0)
        return GOING_ON;
    const struct effect effect = effect_of(expansion, loop, n, loop_values(first, last));
    if (!check_steps(expansion, loop, effect.steps))
        return FAILED;
    if (effect.is_idle || (copy_rows_are_for(expansion, loop, n) && copy_rows_post_all(expansion, loop)))
        return GOING_ON;
    variables_assign_uniform(expansion->environment, loop->variable, first);
    struct frame *frame = push_frame(expansion, loop->body, loop);
    frame->value = first;
    frame->by = by;
    frame->left = n - 1;
    frame->is_ahead = ahead_is_for(expansion, loop);
    return GOING_ON;
}

/* A parameter that is the window is one for values from 1 on: no place of the algorithm has others. */
static enum progress refuse_window(struct expansion *expansion, const struct expr *window, int64_t size)
{
    const struct variable *variables = expansion->environment->program->variables;
    const bool is_parameter =
        window->kind == EXPR_VARIABLE && variables[window->variable].kind == VARIABLE_PARAMETER;
    evaluate_fail(expansion->environment, CODE_E009, window->position, -1,
                  "a window of %lld steps, but it must be at least 1", (long long)size);
    expansion->environment->fault.help = "give 1 or more, such as by 'max(k, 1)', or refuse others by 'requires'";
    expansion->environment->fault.is_domain = is_parameter;
    return FAILED;
}

static enum progress walk_window(struct expansion *expansion, const struct statement *window)
{
    int64_t size;
    if (!evaluate_uniform(expansion->environment, window->expr, &size))
        return FAILED;
    if (size < 1)
        return refuse_window(expansion, window->expr, size);
    push_frame(expansion, window->body, window)->left = (uint64_t)size;
    return GOING_ON;
}

static enum progress walk_call(struct expansion *expansion, const struct statement *statement)
{
    const struct definition *definition = statement->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        if (!expand_assign(expansion, definition->arguments[i], statement->arguments[i]))
            return FAILED;
    push_frame(expansion, definition->body, NULL);
    return GOING_ON;
}

static enum progress walk_statement(struct expansion *expansion, const struct statement *statement)
{
    if (!expand_count_work(expansion, statement))
        return FAILED;
    if (statement->kind >= STATEMENT_LET) /* others: when they are posted */
        count_coverage(expansion, statement, expansion->binding->n_ranks);
    switch (statement->kind) {
    case STATEMENT_STEP:
        return walk_step(expansion, statement);
    case STATEMENT_LET:
        return going_on(expand_assign(expansion, statement->variable, statement->expr));
    case STATEMENT_IF:
        return walk_if(expansion, statement);
    case STATEMENT_FOR:
        return walk_for(expansion, statement);
    case STATEMENT_WINDOW:
        return walk_window(expansion, statement);
    case STATEMENT_CALL:
        return walk_call(expansion, statement);
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_PART:
    case STATEMENT_RUN:
        break;
    }
    return going_on(post_statement(expansion, statement));
}

/* Ends the innermost block. */
static enum progress end_block(struct expansion *expansion)
{
    struct frame *frame = &expansion->frames[expansion->n_frames - 1];
    if (frame->owner && frame->owner->kind == STATEMENT_FOR && frame->left > 0) {
        frame->left--;
        frame->value += frame->by;
        frame->next = frame->owner->body;
        variables_assign_uniform(expansion->environment, frame->owner->variable, frame->value);
        return GOING_ON;
    }
    const bool has_part_of_group = frame->n_steps > 0;
    expansion->n_frames--;
    return has_part_of_group ? finish_step(expansion) : GOING_ON;
}

static enum progress expand_advance(struct expansion *expansion)
{
    assert(expansion->n_frames > 0);
    struct frame *frame = &expansion->frames[expansion->n_frames - 1];
    const struct statement *statement = frame->next;
    if (!statement)
        return end_block(expansion);
    if (frame->is_ahead && statement == frame->owner->body && ahead_post(expansion))
        return STEP_READY;
    frame->next = statement->next;
    expansion->at = statement;
    return walk_statement(expansion, statement);
}

/* --- the schedule ----------------------------------------------------- */

/* In a step, or in copies and values that become part of the next one; not around the steps,
 * where the same happens on all ranks. */
static bool is_in_step(const struct expansion *expansion)
{
    const struct statement *at = expansion->at;
    return at && (at->kind < STATEMENT_LET || at->kind == STATEMENT_STEP ||
                  (at->kind > STATEMENT_LET && expansion->environment->fault.rank >= 0));
}

/* ", at rank 3 in step 4": of these what is known. */
static const char *place_of_fault(struct expansion *expansion)
{
    const long long rank = expansion->environment->fault.rank;
    const unsigned long long step = expansion->next_step;
    struct arena *arena = &expansion->diagnostics->arena;
    const char *at = rank >= 0 ? arena_printf(arena, ", at rank %lld", rank) : "";
    if (is_in_step(expansion))
        return arena_printf(arena, "%s%sin step %llu", at, *at ? " " : ", ", step);
    return step ? arena_printf(arena, "%s, after step %llu", at, step - 1) : at;
}

static void expand_report_fault(struct expansion *expansion)
{
    const struct fault *fault = &expansion->environment->fault;
    const struct statement *at = expansion->at;
    expansion->schedule.failed = true;
    expansion->is_done = true;
    if (expansion->schedule.use.n_sharing)
        return;
    struct diagnostic *diagnostic = report(expansion->diagnostics, fault->code, fault->position, "%s%s",
                                           fault->message, place_of_fault(expansion));
    diagnostic->help = fault->help;
    diagnostic->is_domain = fault->is_domain;
    if (at && at->of_run)
        diagnostic_of_run(diagnostic, at->position);
    diagnostic->place.rank = fault->rank;
    diagnostic->place.step = is_in_step(expansion) ? (int64_t)expansion->next_step : -1;
}

/* The ranks' own coordinates. */
static void set_coordinates(struct expansion *expansion)
{
    struct environment *environment = expansion->environment;
    for (uint32_t i = 0; i < expansion->coordinates.n; i++) {
        const uint32_t variable = expansion->binding->program->coordinate[i];
        variable_of_ranks(environment, variable);
        for (uint32_t at = 0; at < environment->n_ranks; at += BLOCK_LANES) {
            environment->block_first = at;
            int64_t lane[BLOCK_LANES];
            for (uint32_t k = 0; k < variables_block_lanes(environment).n; k++)
                lane[k] = expansion->coordinates.of_rank[i][environment_rank(environment, k)];
            variables_assign_block(environment, variable, &(struct value){lane, 0});
        }
    }
}

/* Names of the header that are the same on all ranks. */
static void set_constants(struct expansion *expansion)
{
    const struct binding *binding = expansion->binding;
    for (uint32_t i = 0; i < binding->program->n_variables; i++) {
        const struct variable *variable = &binding->program->variables[i];
        if (variable->is_uniform && variable->kind != VARIABLE_COORDINATE)
            variables_assign_uniform(expansion->environment, i, binding->value[i]);
    }
}

/* Makes what takes O(ranks) and is not needed for the header alone. */
static void expand_prepare(struct expansion *expansion)
{
    if (expansion->is_prepared)
        return;
    expansion->is_prepared = true;
    coordinates_make(&expansion->coordinates, expansion->binding, &expansion->arena);
    set_coordinates(expansion);
    set_constants(expansion);
    expansion->body = specialise(expansion->binding->program, expansion->environment, &expansion->arena);
}

/* Header lets that differ between ranks have no value in the binding. */
static bool expand_start(struct expansion *expansion)
{
    const struct program *program = expansion->binding->program;
    struct environment *environment = expansion->environment;
    expand_prepare(expansion);
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        bool is_let = variable->kind == VARIABLE_LET && variable->value;
        if (is_let && !expand_assign(expansion, i, variable->value))
            return false;
        if (!is_let && variable->kind != VARIABLE_COORDINATE)
            variables_assign_uniform(environment, i, expansion->binding->value[i]);
    }
    push_frame(expansion, expansion->body, NULL);
    return true;
}

/* Each send says which of several networks it takes, those that name none that of the topology. */
static void expand_choose_networks(struct expansion *expansion)
{
    const struct topology *topology = expansion->binding->topology;
    const uint32_t *machine = expansion->schedule.header.machine;
    for (size_t i = 0; expansion->first_named && i < expansion->sends.n; i++) {
        struct op *send = &expansion->sends.ops[i];
        if (send->network == NO_NETWORK)
            send->network =
                (uint8_t)topology_network(topology, machine[send->rank], machine[send->peer]);
    }
}

/* All that is posted as one step, unless it is of several. */
static void expand_make_step(struct expansion *expansion, struct step *step)
{
    expand_choose_networks(expansion);
    if (ahead_take(expansion, step))
        return;
    *step = (struct step){.sends = expansion->sends.ops,
                          .n_sends = expansion->sends.n,
                          .receives = expansion->receives.ops,
                          .n_receives = expansion->receives.n,
                          .copies = expansion->copies.ops,
                          .n_copies = expansion->copies.n,
                          .rows = expansion->rows.rows,
                          .n_rows = expansion->rows.n};
}

/* Goes on to the end of the next step. False: there is none. */
static bool expand_find_step(struct expansion *expansion)
{
    const struct schedule *schedule = &expansion->schedule;
    enum progress progress = GOING_ON;
    if (expansion->is_skipped) /* whoever looks at it counts that */
        expansion->work = expansion->work_before;
    else if (expansion->sends.n || expansion->receives.n || expansion->copies.n)
        expansion->work = 0;
    expansion->work_before = expansion->work;
    expansion->sends.n = expansion->receives.n = expansion->copies.n = 0;
    copy_rows_clear(&expansion->rows);
    chunk_sets_clear(&expansion->sets);
    expansion->ahead.next = expansion->ahead.n = 0;
    expansion->depth = 0;
    expansion->is_skipped =
        schedule->use.is_wanted && !schedule->use.is_wanted(schedule->use.wanting, expansion->next_step);
    if (expansion->n_frames == 0)
        progress = going_on(expand_start(expansion));
    while (progress == GOING_ON && expansion->n_frames > 0)
        progress = expand_advance(expansion);
    if (progress == FAILED) {
        expand_report_fault(expansion);
        return false;
    }
    expansion->is_done = progress == GOING_ON;
    return progress == STEP_READY || expansion->copies.n > 0;
}

static bool expansion_next(struct schedule *schedule, struct step *step)
{
    struct expansion *expansion = (struct expansion *)schedule;
    if (expansion->like.failed)
        schedule->failed = expansion->is_done = true;
    if (expansion->is_done)
        return false;
    if (!ahead_take(expansion, step)) {
        if (!expand_find_step(expansion))
            return false;
        expand_make_step(expansion, step);
    }
    step->index = expansion->next_step++;
    return true;
}

static void expansion_rewind(struct schedule *schedule)
{
    struct expansion *expansion = (struct expansion *)schedule;
    expansion->n_frames = 0;
    expansion->at = NULL;
    expansion->next_step = expansion->work = expansion->work_before = 0;
    expansion->ahead.next = expansion->ahead.n = 0;
    expansion->is_done = false;
    schedule->failed = false;
}

static void expansion_destroy(struct schedule *schedule)
{
    struct expansion *expansion = (struct expansion *)schedule;
    environment_free(expansion->environment);
    needs_free(expansion->schedule.header.needs);
    like_close(&expansion->like);
    free(expansion->sends.ops);
    free(expansion->receives.ops);
    free(expansion->copies.ops);
    free(expansion->sends.lane);
    free(expansion->receives.lane);
    free(expansion->copies.lane);
    ahead_free(&expansion->ahead);
    copy_rows_free(&expansion->rows);
    parts_free(&expansion->parts);
    free(expansion->sets.rows);
    free(expansion->frames);
    arena_free(&expansion->arena);
    free(expansion);
}

/* A topology read from a file has a name that need not be that of the file. */
static const char *expansion_spec(const struct binding *binding)
{
    return binding->topology_spec ? binding->topology_spec : binding->topology->name;
}

static struct schedule_header make_header(const struct binding *binding)
{
    const struct topology *topology = binding->topology;
    return (struct schedule_header){.collective = binding->program->collective,
                                    .form = binding->program->form,
                                    .counts = binding->counts,
                                    .algorithm = binding->program->name,
                                    .n_ranks = binding->n_ranks,
                                    .root = binding->root,
                                    .segments = binding->segments,
                                    .n_tmp = binding->n_tmp,
                                    .n_in = binding->n_in,
                                    .n_out = binding->n_out,
                                    .is_ordered = binding->program->ordered.line > 0,
                                    .is_exact = binding->program->exact.line > 0,
                                    .chunk_bytes = binding->chunk_bytes,
                                    .topology = topology ? expansion_spec(binding) : NULL,
                                    .fingerprint = topology ? topology->fingerprint : 0,
                                    .machine = topology ? binding->placement->machine : NULL};
}

/* The labels, where there are several networks, and behind them those that sends name: who renames ranks
 * tells by that which ones the topology chose. */
static void name_networks(struct expansion *expansion)
{
    const struct topology *topology = expansion->binding->topology;
    const struct program *program = expansion->binding->program;
    const uint32_t n_networks = topology ? topology_n_networks(topology) : 0;
    const uint32_t several = n_networks > 1 ? n_networks : 0;
    const uint32_t n = several + program->n_networks;
    const char **labels = arena_alloc(&expansion->arena, n + 1, sizeof *labels);
    for (uint32_t i = 0; i < n; i++)
        labels[i] = i < several ? topology_network_info(topology, i)->label : program->networks[i - several];
    expansion->first_named = several;
    expansion->schedule.header.networks = labels;
    expansion->schedule.header.n_networks = n;
}

/* True if chunks of tmp have sizes to be known: where counts or segments differ. */
static bool has_sizes(const struct binding *binding)
{
    const struct program *program = binding->program;
    const bool is_cut =
        binding->segments > 1 && !collective_at_root(program->collective, program->tmp_like.buffer);
    return program->like.line && (program->form != FORM_EQUAL || is_cut);
}

/* Restricts the expansion to few ranks, which leave room in a block for several iterations. */
static void expand_look_at(struct expansion *expansion, const uint32_t *ranks)
{
    struct environment *environment = expansion->environment;
    const uint32_t n = environment->n_ranks, repeats = n < BLOCK_LANES ? BLOCK_LANES / n : 1;
    uint32_t *repeated = arena_alloc(&expansion->arena, (size_t)repeats * n, sizeof *repeated);
    for (uint32_t i = 0; i < repeats * n; i++)
        repeated[i] = ranks[i % n];
    environment->ranks = repeated;
    environment->n_repeats = repeats > 1 ? repeats : 0;
}

struct schedule *expand_program(const struct binding *binding, struct diagnostics *diagnostics)
{
    return expand_witnesses(binding, NULL, 0, diagnostics);
}

struct schedule *expand_witnesses(const struct binding *binding, const uint32_t *ranks, uint32_t n_ranks,
                                  struct diagnostics *diagnostics)
{
    assert(binding->n_ranks > 0 && binding->root < binding->n_ranks && binding->segments > 0);
    struct expansion *expansion = mem_alloc(1, sizeof *expansion);
    expansion->binding = binding;
    expansion->diagnostics = diagnostics;
    expansion->work_limit = work_limit(binding->n_ranks);
    expansion->schedule = (struct schedule){.header = make_header(binding),
                                            .source = binding->program->source,
                                            .next = expansion_next,
                                            .rewind = expansion_rewind,
                                            .destroy = expansion_destroy};
    name_networks(expansion);
    expansion->schedule.header.sets = &expansion->sets;
    expansion->sets.has_all = ranks != NULL;
    expansion->environment = environment_new(binding->program, diagnostics);
    expansion->environment->n_ranks = ranks ? n_ranks : binding->n_ranks;
    if (ranks)
        expand_look_at(expansion, ranks);
    expansion->environment->grid = binding->grid;
    expansion->environment->neighbors = binding->neighbors;
    servers_begin(&expansion->environment->servers, binding);
    if (binding->neighbors)
        expansion->schedule.header.needs = neighborhood_needs(
            binding->neighbors, binding->program->collective == COLLECTIVE_neighbor_allgather);
    if (binding->program->needs.position.line) {
        expansion->schedule.header.needs = needs_of_binding(binding, diagnostics);
        if (expansion->schedule.header.needs)
            return &expansion->schedule;
        expansion_destroy(&expansion->schedule);
        return NULL;
    }
    if (!has_sizes(binding))
        return &expansion->schedule;
    expand_prepare(expansion);
    like_open(&expansion->like, binding, &expansion->coordinates, diagnostics);
    expansion->like.header = &expansion->schedule.header;
    expansion->schedule.header.tmp_sizes = &expansion->like.sizes;
    if (like_check(&expansion->like))
        return &expansion->schedule;
    expansion_destroy(&expansion->schedule);
    return NULL;
}
