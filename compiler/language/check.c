/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that need the whole tree of a program: which values are the same on every rank, whether
 * operations stand in steps, and whether the collective has the buffers and operations used.
 *
 * Order. A definition can only be called from below it. So the body is visited
 * first and the definitions from the last to the first: when one is visited, all
 * its calls have been seen, and an argument is uniform if every call passed a
 * uniform value.
 */
#include "compiler/language/frontend.h"

#include "base/codes.h"

#include <stdlib.h>

enum {
    CONTAINS_STEP = 1,     /* `step`, directly or in a call */
    CONTAINS_TRANSFER = 2, /* send, recv, reduce outside of any step */
    CONTAINS_WINDOW = 4,
    CONTAINS_RUN = 8       /* of another algorithm: steps, but an `if` around them may differ
                              between ranks */
};

struct checker {
    struct program *program;
    struct diagnostics *diagnostics;
    const struct collective_info *collective; /* NULL: unknown, reported before */
    bool in_step, in_window;
    const struct statement *message; /* whose body is checked; or NULL */
};

/* --- uniformity ------------------------------------------------------- */

/* Returns a variable to blame for the expression being different on the ranks. */
static const struct variable *culprit(const struct variable *variables, const struct expr *expr)
{
    if (!expr || expr->is_uniform)
        return NULL;
    if (expr->kind == EXPR_VARIABLE)
        return &variables[expr->variable];
    const struct variable *found = culprit(variables, expr->a);
    if (!found)
        found = culprit(variables, expr->b);
    if (!found && expr->kind == EXPR_CALL)
        found = culprit(variables, expr->definition->value);
    return found ? found : culprit(variables, expr->c);
}

static const char *blame(const struct variable *variable, struct diagnostics *diagnostics)
{
    const char *name = variable_source_name(variable);
    if (variable->kind == VARIABLE_COORDINATE)
        return diagnostics_text(diagnostics, "'%s' is a coordinate of the rank", name);
    if (variable->kind == VARIABLE_ARGUMENT)
        return diagnostics_text(diagnostics,
                                "a call passes for '%s' a value that depends on the rank", name);
    if (variable->kind == VARIABLE_NAMED)
        return diagnostics_text(diagnostics, "'%s' may differ between the groups of a run", name);
    return diagnostics_text(diagnostics, "the value of '%s' depends on the rank", name);
}

/* Returns the coordinates that it depends on, a bit each. */
static uint32_t language_check_coordinates_of(const struct variable *variables, const struct expr *expr)
{
    if (!expr)
        return 0;
    if (expr->kind == EXPR_VARIABLE)
        return variables[expr->variable].coordinates;
    const uint32_t of_function =
        expr->kind == EXPR_CALL ? language_check_coordinates_of(variables, expr->definition->value) : 0;
    return of_function | language_check_coordinates_of(variables, expr->a) |
           language_check_coordinates_of(variables, expr->b) |
           language_check_coordinates_of(variables, expr->c);
}

static void report_rank_dependent(const struct variable *variables, const struct expr *expr,
                                  const char *what, const char *help,
                                  struct diagnostics *diagnostics)
{
    struct diagnostic *diagnostic =
        report(diagnostics, CODE_E006, expr->position, "%s must be the same on every rank", what);
    diagnostic->help = help;
    const struct variable *variable = culprit(variables, expr);
    if (!variable)
        return;
    diagnostic->related = variable->position;
    diagnostic->related_text = blame(variable, diagnostics);
}

void check_uniform(const struct variable *variables, const struct expr *expr, const char *what,
                   struct diagnostics *diagnostics)
{
    if (!expr->is_uniform)
        report_rank_dependent(variables, expr, what, "it is one number for the whole program",
                              diagnostics);
}

/* Reports an expression that decides about steps and is not uniform; a missing expression is fine. */
static void need_uniform(struct checker *checker, const struct expr *expr, const char *what)
{
    if (expr && !expr->is_uniform)
        report_rank_dependent(checker->program->variables, expr, what,
                              "all ranks have the same steps; inside of a step 'if' and 'for' may "
                              "depend on the rank",
                              checker->diagnostics);
}

/* --- expressions ------------------------------------------------------ */

/* Gives is_uniform anew: arguments are known better than when parsing. */
static void check_expr(struct checker *checker, struct expr *expr)
{
    if (!expr)
        return;
    if (expr->kind == EXPR_VARIABLE) {
        expr->is_uniform = checker->program->variables[expr->variable].is_uniform;
        return;
    }
    check_expr(checker, expr->a);
    check_expr(checker, expr->b);
    check_expr(checker, expr->c);
    expr->is_uniform =
        are_operands_uniform(expr) && (expr->kind != EXPR_CALL || expr->definition->value->is_uniform);
}

static void check_exprs(struct checker *checker, struct expr **list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        check_expr(checker, list[i]);
}

/* --- chunks and targets ----------------------------------------------- */

static bool has_buffer(const struct checker *checker, enum buffer buffer)
{
    const struct program *program = checker->program;
    if (buffer == BUFFER_TMP)
        return program->n_tmp != NULL;
    if (collective_is_said(program->collective))
        return (buffer == BUFFER_IN && program->n_in) || (buffer == BUFFER_OUT && program->n_out);
    return collective_has(checker->program->collective, buffer);
}

static bool has_data(const struct checker *checker)
{
    if (collective_is_said(checker->program->collective))
        return true;
    return has_buffer(checker, BUFFER_OUT) || has_buffer(checker, BUFFER_BUF);
}

static void report_no_data(struct checker *checker, struct position position, const char *help)
{
    report(checker->diagnostics, CODE_E011, position, "'%s' moves no data", checker->collective->name)
        ->help = help;
}

static const char *buffers_of(const struct checker *checker)
{
    struct text text = {0};
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (has_buffer(checker, buffer))
            text_printf(&text, "%s'%s'", text.length ? ", " : "", buffer_name[buffer]);
    const char *result =
        diagnostics_text(checker->diagnostics, "its buffers: %s", text.length ? text.data : "none");
    text_free(&text);
    return result;
}

static void report_no_buffer(struct checker *checker, const struct chunks *chunks)
{
    struct diagnostic *diagnostic =
        report(checker->diagnostics, CODE_E011, chunks->position, "'%s' has no buffer '%s'",
               checker->collective->name, buffer_name[chunks->buffer]);
    const bool is_said =
        chunks->buffer == BUFFER_TMP ||
        (chunks->buffer != BUFFER_BUF && collective_is_pattern(checker->program->collective));
    diagnostic->help = is_said ? diagnostics_text(checker->diagnostics,
                                                  "give its number of chunks above the body: '%s N'",
                                                  buffer_name[chunks->buffer])
                               : buffers_of(checker);
}

/* [... ; segment]: of a chunk by rank, where data are cut. */
static void check_segment(struct checker *checker, const struct chunks *chunks)
{
    if (!chunks->segment)
        return;
    if (!collective_is_by_rank(checker->program->collective, chunks->buffer))
        report(checker->diagnostics, CODE_E005, chunks->position,
               "'%s' has no chunk for each rank to name a segment of", buffer_name[chunks->buffer])
            ->help = "its segments are chunks with numbers of their own: one index, or a range";
    else if (checker->program->segments == NO_VARIABLE)
        report(checker->diagnostics, CODE_E005, chunks->position,
               "segments of '%s', but its chunks are not cut", buffer_name[chunks->buffer])
            ->help = "say above the body how many segments a chunk has: 'let segments = 2'";
}

/* [index] by coordinates, by number, or a range of numbers. */
static void check_index(struct checker *checker, const struct chunks *chunks)
{
    uint32_t n_coordinates = checker->program->n_coordinates;
    bool by_rank = collective_is_by_rank(checker->program->collective, chunks->buffer);
    check_segment(checker, chunks);
    if (chunks->n <= 1 || (by_rank && chunks->n == n_coordinates))
        return;
    struct diagnostic *diagnostic =
        report(checker->diagnostics, CODE_E005, chunks->position, "'%s' indexed by %u numbers",
               buffer_name[chunks->buffer], chunks->n);
    if (!by_rank)
        diagnostic->help = "its chunks are numbered: one index, or a range";
    else
        diagnostic->help = diagnostics_text(checker->diagnostics, "a rank has %u coordinate%s here",
                                            n_coordinates, n_coordinates == 1 ? "" : "s");
}

static void check_buffer(struct checker *checker, const struct chunks *chunks, bool is_written)
{
    if (!has_buffer(checker, chunks->buffer))
        report_no_buffer(checker, chunks);
    else if (is_written && chunks->buffer == BUFFER_IN)
        report(checker->diagnostics, CODE_E011, chunks->position, "'in' is written")->help =
            "the caller's data must stay as they are; write to 'out' or 'tmp'";
    else
        check_index(checker, chunks);
}

static void check_chunk_exprs(struct checker *checker, const struct chunks *chunks)
{
    check_exprs(checker, chunks->index, chunks->n);
    check_expr(checker, chunks->last);
    check_expr(checker, chunks->segment);
    check_expr(checker, chunks->last_segment);
}

static const char *keyword_of(const struct statement *statement)
{
    static const enum token_kind kinds[] = {
        [STATEMENT_SEND] = TOKEN_SEND, [STATEMENT_RECV] = TOKEN_RECV,
        [STATEMENT_REDUCE] = TOKEN_REDUCE, [STATEMENT_COPY] = TOKEN_COPY,
        [STATEMENT_COMBINE] = TOKEN_REDUCE};
    return token_spelling(kinds[statement->kind]);
}

static void language_check_chunks(struct checker *checker, const struct statement *statement,
                                  const struct chunks *chunks, bool is_written)
{
    check_chunk_exprs(checker, chunks);
    if (!checker->collective)
        return;
    if (!has_data(checker)) {
        if (chunks->buffer != N_BUFFERS)
            report_no_data(checker, chunks->position, "write 'send to ...' and 'recv from ...'");
    } else if (chunks->buffer != N_BUFFERS)
        check_buffer(checker, chunks, is_written);
    else if (statement->kind == STATEMENT_REDUCE)
        report(checker->diagnostics, CODE_E005, statement->position, "'reduce' names no chunks")
            ->help = buffers_of(checker);
}

static void check_target(struct checker *checker, const struct target *target)
{
    uint32_t n = checker->program->n_coordinates;
    check_exprs(checker, target->coordinates, target->n);
    if (target->n == n || (n == 0 && target->n == 1))
        return;
    report(checker->diagnostics, CODE_E005, target->position, "a rank named by %u coordinate%s",
           target->n, target->n == 1 ? "" : "s")
        ->help = diagnostics_text(checker->diagnostics, "the 'ranks' clause gives it %u",
                                  n ? n : 1);
}

/* --- statements ------------------------------------------------------- */

static unsigned contents(const struct statement *statement);

static unsigned contents_of_call(const struct statement *statement)
{
    unsigned found = ((const struct definition_node *)statement->definition)->contents;
    return found & CONTAINS_RUN ? found | CONTAINS_STEP : found;
}

static unsigned contents_of_one(const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE: return CONTAINS_TRANSFER;
    case STATEMENT_STEP: return CONTAINS_STEP | (contents(statement->body) & CONTAINS_WINDOW);
    case STATEMENT_WINDOW: return CONTAINS_WINDOW | contents(statement->body);
    case STATEMENT_IF: return contents(statement->body) | contents(statement->otherwise);
    case STATEMENT_FOR: return contents(statement->body);
    case STATEMENT_CALL: return contents_of_call(statement);
    case STATEMENT_RUN: return CONTAINS_RUN;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_PART:
    case STATEMENT_LET: break;
    }
    return 0;
}

static unsigned contents(const struct statement *statement)
{
    unsigned found = 0;
    for (; statement; statement = statement->next)
        found |= contents_of_one(statement);
    return found;
}

static void check_statements(struct checker *checker, struct statement *statement);

static void report_structure(struct checker *checker, const struct statement *statement,
                             const char *message, const char *help)
{
    report(checker->diagnostics, CODE_E002, statement->position, "%s", message)->help = help;
}

static bool check_combines(struct checker *checker, const struct statement *statement,
                           const char *help)
{
    if (!checker->collective || checker->collective->reduces)
        return true;
    report(checker->diagnostics, CODE_E011, statement->position, "'%s' combines no data",
           checker->collective->name)
        ->help = help;
    return false;
}

static void check_transfer(struct checker *checker, struct statement *statement)
{
    bool is_reduce = statement->kind == STATEMENT_REDUCE;
    if (!checker->in_step)
        report(checker->diagnostics, CODE_E002, statement->position, "'%s' outside of a step",
               keyword_of(statement))
            ->help = "put it in the block of a 'step'";
    check_target(checker, &statement->peer);
    if (is_reduce && !check_combines(checker, statement, "write 'recv'"))
        return;
    const struct statement *outer = checker->message;
    checker->message = statement;
    if (statement->body)
        check_statements(checker, statement->body);
    else
        language_check_chunks(checker, statement, &statement->chunks, statement->kind != STATEMENT_SEND);
    checker->message = outer;
    if (statement->is_need)
        language_check_chunks(checker, statement, &statement->to_chunks, false);
}

/* One part of a message. All are of one buffer. */
static void language_check_part(struct checker *checker, const struct statement *part)
{
    const struct statement *message = checker->message, *first = message_part(message);
    language_check_chunks(checker, message, &part->chunks, message->kind != STATEMENT_SEND);
    if (first->chunks.buffer == part->chunks.buffer || part->chunks.buffer == N_BUFFERS)
        return;
    report(checker->diagnostics, CODE_E005, part->chunks.position, "a message of chunks of '%s' and of '%s'",
           buffer_name[first->chunks.buffer], buffer_name[part->chunks.buffer])
        ->help = "chunks of a message are of one buffer: copy them together, or send two messages";
}

static void language_check_copy(struct checker *checker, struct statement *statement)
{
    if (checker->collective && !has_data(checker)) {
        report_no_data(checker, statement->position,
                       "take it out: 'send to ...' and 'recv from ...' are all that it has");
        return;
    }
    if (statement->kind == STATEMENT_COMBINE && !check_combines(checker, statement, "write 'copy'"))
        return;
    language_check_chunks(checker, statement, &statement->chunks, false);
    language_check_chunks(checker, statement, &statement->to_chunks, !statement->is_need);
}

static void check_let(struct checker *checker, struct statement *statement)
{
    check_expr(checker, statement->expr);
    checker->program->variables[statement->variable].is_uniform = statement->expr->is_uniform;
    checker->program->variables[statement->variable].coordinates =
        language_check_coordinates_of(checker->program->variables, statement->expr);
}

static void check_if(struct checker *checker, struct statement *statement)
{
    check_expr(checker, statement->expr);
    if (!checker->in_step && contents_of_one(statement) & CONTAINS_STEP)
        need_uniform(checker, statement->expr, "the condition of an 'if' around steps");
    check_statements(checker, statement->body);
    check_statements(checker, statement->otherwise);
}

static void check_for(struct checker *checker, struct statement *statement)
{
    check_expr(checker, statement->expr);
    check_expr(checker, statement->last);
    check_expr(checker, statement->by);
    if (!checker->in_step) {
        const char *bounds = "a bound of a 'for' outside of steps";
        need_uniform(checker, statement->expr, bounds);
        need_uniform(checker, statement->last, bounds);
        need_uniform(checker, statement->by, "the increment of a 'for' outside of steps");
    }
    /* outside of steps other bounds were reported: no second message follows */
    checker->program->variables[statement->variable].is_uniform =
        !checker->in_step || (statement->expr->is_uniform && statement->last->is_uniform &&
                              (!statement->by || statement->by->is_uniform));
    check_statements(checker, statement->body);
}

static void check_step(struct checker *checker, struct statement *statement)
{
    if (checker->in_step) {
        if (statement->position.line) /* else it is none that is written: stray_block of parser.c */
            report_structure(checker, statement, "'step' inside a step", "steps do not nest");
        check_statements(checker, statement->body);
        return;
    }
    checker->in_step = true;
    check_statements(checker, statement->body);
    checker->in_step = false;
}

static void check_window(struct checker *checker, struct statement *statement)
{
    bool was_in_window = checker->in_window;
    check_expr(checker, statement->expr);
    if (checker->in_step || checker->in_window)
        report_structure(checker, statement,
                         checker->in_step ? "'window' inside a step" : "'window' inside a window",
                         "a window is put around steps");
    else if (!diagnostics_has_errors(checker->diagnostics) &&
             !(contents(statement->body) & (CONTAINS_STEP | CONTAINS_RUN)))
        report_structure(checker, statement, "'window' without a step in its block",
                         "a window is put around steps");
    need_uniform(checker, statement->expr, "the size of a window");
    checker->in_window = true;
    check_statements(checker, statement->body);
    checker->in_window = was_in_window;
}

/* Returns what of the definition does not fit where it is called, and how to mend it, or NULL. */
static const char *misfit(const struct checker *checker, unsigned found, const char **help)
{
    *help = "call it outside of the step, or write its messages without 'step'";
    if (checker->in_step && found & CONTAINS_STEP)
        return "definition with steps called inside a step";
    *help = "call it in the block of a 'step', or write a 'step' around its messages";
    if (!checker->in_step && found & CONTAINS_TRANSFER && !(found & CONTAINS_STEP))
        return "definition that sends or receives called outside of a step";
    *help = "a window is put around steps: call it outside, or take one of the two out";
    if (checker->in_window && found & CONTAINS_WINDOW)
        return "definition with a window called inside a window";
    return NULL;
}

static void language_check_call(struct checker *checker, struct statement *statement)
{
    struct definition_node *node = (struct definition_node *)statement->definition;
    const struct definition *definition = &node->definition;
    const char *help, *message = misfit(checker, contents_of_call(statement), &help);
    node->is_called_outside_step |= !checker->in_step;
    if (message) {
        struct diagnostic *diagnostic =
            report(checker->diagnostics, CODE_E002, statement->position, "%s", message);
        diagnostic->help = help;
        diagnostic->related = definition->position;
        diagnostic->related_text = "it is defined here";
    }
    check_exprs(checker, statement->arguments, definition->n_arguments);
    for (uint32_t i = 0; i < definition->n_arguments; i++) {
        struct variable *variable = &checker->program->variables[definition->arguments[i]];
        variable->is_uniform &= statement->arguments[i]->is_uniform;
        variable->coordinates |=
            language_check_coordinates_of(checker->program->variables, statement->arguments[i]);
    }
}

/* Checks a map of a buffer to chunks of ours. Whether it is written is checked with the statements of the
 * run. */
static void language_check_map(struct checker *checker, const struct group_run *run,
                               const struct run_map *map)
{
    const struct chunks *chunks = &map->chunks;
    if (!collective_has(run->collective, map->buffer))
        report(checker->diagnostics, CODE_E011, map->position, "'%s' has no buffer '%s'",
               collective_table[run->collective].name, buffer_name[map->buffer])
            ->help = collective_has(run->collective, BUFFER_BUF) ? "its data are in 'buf': 'on CHUNKS'"
                     : collective_has_data(run->collective)      ? "its data are in 'in' and 'out'"
                                                                 : "it moves no data: leave 'with' out";
    check_chunk_exprs(checker, chunks);
    if (checker->collective && chunks->buffer != N_BUFFERS)
        check_buffer(checker, chunks, false);
}

/* All ranks of a group, which differ in one coordinate, must name the same root. */
static void language_check_root(struct checker *checker, const struct group_run *run)
{
    const struct program *program = checker->program;
    if (run->coordinate >= program->n_coordinates ||
        !(language_check_coordinates_of(program->variables, run->root) >> run->coordinate & 1))
        return;
    const struct variable *over = &program->variables[program->coordinate[run->coordinate]];
    struct diagnostic *diagnostic =
        report(checker->diagnostics, CODE_E006, run->root->position,
               "the root of a run over '%s' must be the same for all ranks of a group", over->name);
    diagnostic->help = "it may depend on the other coordinates, in which a group does not differ";
    diagnostic->related = over->position;
    diagnostic->related_text = "in this coordinate the ranks of a group differ";
}

static void check_run(struct checker *checker, struct statement *statement)
{
    struct group_run *run = statement->run;
    if (checker->in_step)
        report_structure(checker, statement, "'run' inside a step",
                         "the algorithm that runs has steps of its own, and steps do not nest");
    if (checker->collective && run->collective != N_COLLECTIVES &&
        collective_table[run->collective].reduces)
        check_combines(checker, statement, "it cannot run an algorithm that does");
    for (uint32_t i = 0; i < run->n_settings; i++) {
        check_expr(checker, run->settings[i].value);
        check_uniform(checker->program->variables, run->settings[i].value, "a parameter",
                      checker->diagnostics);
    }
    check_expr(checker, run->root);
    language_check_root(checker, run);
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (run->maps[buffer])
            language_check_map(checker, run, run->maps[buffer]);
}

static void check_kind(struct checker *checker, struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE: check_transfer(checker, statement); break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE: language_check_copy(checker, statement); break;
    case STATEMENT_PART: language_check_part(checker, statement); break;
    case STATEMENT_LET: check_let(checker, statement); break;
    case STATEMENT_IF: check_if(checker, statement); break;
    case STATEMENT_FOR: check_for(checker, statement); break;
    case STATEMENT_STEP: check_step(checker, statement); break;
    case STATEMENT_WINDOW: check_window(checker, statement); break;
    case STATEMENT_CALL: language_check_call(checker, statement); break;
    case STATEMENT_RUN: check_run(checker, statement); break;
    }
}

/* Checks a statement. Faults of a statement that a run brought here are attributed to the run, as they lie in
 * another file. */
static void check_statement(struct checker *checker, struct statement *statement)
{
    const struct diagnostic *last = checker->diagnostics->last;
    check_kind(checker, statement);
    if (statement->of_run)
        diagnostics_of_run(checker->diagnostics, last, statement->position);
}

static void check_statements(struct checker *checker, struct statement *statement)
{
    for (; statement; statement = statement->next)
        check_statement(checker, statement);
}

/* --- the whole -------------------------------------------------------- */

/* Checks the rank whose chunk a chunk of tmp is as large as: one is named where it matters, as no rank knows
 * all counts. */
static void check_like_rank(struct checker *checker)
{
    const struct program *program = checker->program;
    check_target(checker, &program->tmp_like_rank);
    if (collective_hides_counts(program->collective))
        return;
    report(checker->diagnostics, CODE_E011, program->tmp_like_rank.position,
           "a chunk of 'tmp' of '%s' is as large as one of the rank itself", checker->collective->name)
        ->help = "'of RANK' is for alltoall, gather and scatter, where a rank does not know the counts of "
                 "others";
}

/* Checks the `like` of a chunk of tmp: one chunk of in or out. */
static void check_like(struct checker *checker)
{
    const struct chunks *like = &checker->program->tmp_like;
    if (!checker->program->like.line)
        return;
    check_chunk_exprs(checker, like);
    if (!checker->collective || like->buffer == N_BUFFERS) /* reported by the parser */
        return;
    if (checker->program->tmp_like_rank.n)
        check_like_rank(checker);
    if (like->buffer != BUFFER_IN && like->buffer != BUFFER_OUT)
        report(checker->diagnostics, CODE_E011, like->position,
               "a chunk of 'tmp' is as large as one of 'in' or 'out', not of '%s'",
               buffer_name[like->buffer])
            ->help = "name such a chunk, 'tmp j: p like out[r+j]', or leave 'like' out";
    else if (like->last || like->last_segment)
        report(checker->diagnostics, CODE_E005, like->position,
               "a chunk of 'tmp' is as large as one chunk, not as a range")
            ->help = "name the chunk by the number of the one in 'tmp': 'tmp j: p like out[r+j]'";
    else if (like->n && !like->segment && checker->program->segments != NO_VARIABLE &&
             collective_is_by_rank(checker->program->collective, like->buffer))
        report(checker->diagnostics, CODE_E005, like->position,
               "a chunk of 'tmp' is as large as one segment, not as a whole chunk of '%s'",
               buffer_name[like->buffer])
            ->help = "say which segment: 'tmp j: p*segments like out[j/segments; j mod segments]'";
    else
        check_buffer(checker, like, false);
}

static void language_check_header(struct checker *checker)
{
    struct program *program = checker->program;
    for (uint32_t i = 0; i < program->n_variables; i++)
        check_expr(checker, program->variables[i].value);
    for (uint32_t i = 0; i < program->n_coordinates; i++)
        check_expr(checker, program->extent[i]);
    for (struct requirement *r = program->requirements; r; r = r->next)
        check_expr(checker, r->expr);
    checker->in_step = true;
    check_statements(checker, program->needs.body);
    check_statements(checker, program->has.body);
    checker->in_step = false;
    if (program->has.position.line && !program->needs.position.line)
        report(checker->diagnostics, CODE_E011, program->has.position, "'has' without 'needs'")->help =
            "what ranks have matters where it is said what they need: add a clause 'needs'";
    check_expr(checker, program->n_in);
    check_expr(checker, program->n_out);
    check_expr(checker, program->n_tmp);
    for (enum cost cost = 0; cost < N_COSTS; cost++)
        check_expr(checker, program->costs.of[cost].expr);
    check_like(checker);
    bool has_segments = program->segments != NO_VARIABLE;
    if (has_segments && checker->collective && !has_data(checker))
        report(checker->diagnostics, CODE_E011, program->variables[program->segments].position,
               "'%s' has no data to cut in segments", checker->collective->name)
            ->help = "leave 'segments' out, or give the value another name";
    if (program->n_tmp && checker->collective && !has_data(checker))
        report_no_data(checker, program->n_tmp->position, "leave 'tmp' out: there is nothing to put there");
}

/* The definition's place is where it is called; transfers without a step say
 * that it is meant for the inside of one. */
static void check_definition(struct checker *checker, struct definition_node *node)
{
    bool only_transfers = (node->contents & CONTAINS_TRANSFER) && !(node->contents & CONTAINS_STEP);
    bool is_plain = !(node->contents & (CONTAINS_TRANSFER | CONTAINS_STEP | CONTAINS_RUN));
    checker->in_step = only_transfers || (is_plain && !node->is_called_outside_step);
    check_statements(checker, node->definition.body);
    checker->in_step = false;
}

void check_program(struct program *program, struct diagnostics *diagnostics)
{
    bool is_known = program->collective != N_COLLECTIVES;
    struct checker checker = {program, diagnostics,
                              is_known ? &collective_table[program->collective] : NULL, false,
                              false, NULL};
    size_t n = 0, capacity = 0;
    struct definition_node **nodes = NULL;
    for (struct definition *d = program->definitions; d; d = d->next) {
        nodes = mem_grow(nodes, &capacity, n + 1, sizeof *nodes);
        nodes[n] = (struct definition_node *)d;
        nodes[n++]->contents = contents(d->body);
    }
    language_check_header(&checker);
    check_statements(&checker, program->body);
    while (n > 0)
        check_definition(&checker, nodes[--n]);
    free(nodes);
}
