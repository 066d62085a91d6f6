/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Program -> text in the canonical layout. The lines stay what they are; the
 * printer settles indentation, blanks and parentheses. Comments are not part of
 * the program: they are found again in its source and put before, or behind, the
 * line they stood at. One empty line is kept where there were some.
 *
 * The tree of a program whose parts are from several files has no such lines: it is printed a
 * statement a line (program_print_tree).
 */
#include "compiler/language/layout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COST_WIDTH = 10 };

/* --- header ----------------------------------------------------------- */

void program_print_extent(const struct program *program, uint32_t coordinate, struct text *out)
{
    print_expr(program, NULL, program->extent[coordinate], STYLE_TIGHT, out);
}

void program_print_default(const struct program *program, const struct variable *parameter,
                           struct text *out)
{
    if (parameter->kind == VARIABLE_ALGORITHM)
        text_printf(out, "%s", parameter->algorithm);
    else
        print_expr(program, NULL, parameter->value, STYLE_TIGHT, out);
}

/* True if the printed program keeps the parameter. */
static bool print_is_kept(const struct layout *layout, const struct variable *variable)
{
    if (variable->kind == VARIABLE_ALGORITHM)
        return !layout->is_tree;
    return variable->kind == VARIABLE_PARAMETER && !layout->known;
}

static void print_header_line(struct layout *layout)
{
    const struct program *program = layout->program;
    uint32_t line = 1;
    while (!layout->is_tree && layout_is_comment_or_blank(layout, line))
        line++;
    layout_begin_line(layout, line, 0);
    text_printf(layout->out, "%s %s", collective_name(program->collective, program->form),
                program->name);
    bool is_open = false;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (!print_is_kept(layout, variable))
            continue;
        text_printf(layout->out, "%s%s = ", is_open ? ", " : "(", variable->name);
        program_print_default(program, variable, layout->out);
        is_open = true;
    }
    layout_word(layout, is_open ? ")" : "");
    layout_finish_line(layout, line);
}

/* A clause of the header: exactly one of the pointers, or none for
 * `ranks`. */
struct clause {
    uint32_t line;
    const struct costs *costs;
    const char *claim; /* "ordered", "exact", "absent" */
    const struct variable *let;
    const struct requirement *requirement;
    const struct definition *definition;
    const struct needs_clause *needs;
    const struct tmp_area *area;
    const struct expr *size; /* chunks of `buffer` */
    enum buffer buffer;
};

static int compare_clauses(const void *a, const void *b)
{
    uint32_t x = ((const struct clause *)a)->line, y = ((const struct clause *)b)->line;
    return (x > y) - (x < y);
}

struct clauses {
    struct clause *list;
    size_t n, capacity;
};

static void add_clause(struct clauses *clauses, struct clause clause)
{
    clauses->list =
        mem_grow(clauses->list, &clauses->capacity, clauses->n + 1, sizeof *clauses->list);
    clauses->list[clauses->n++] = clause;
}

/* Returns the number of chunks that a clause gives the buffer, or NULL: there is none, or neighbours say it.
 */
static const struct expr *print_size_of(const struct program *program, enum buffer buffer)
{
    if (buffer != BUFFER_TMP && !collective_is_pattern(program->collective))
        return NULL;
    return buffer == BUFFER_IN    ? program->n_in
           : buffer == BUFFER_OUT ? program->n_out
           : buffer == BUFFER_TMP ? program->n_tmp
                                  : NULL;
}

/* In the order of the file, because a let may be used by what is below it. */
static struct clauses collect_clauses(const struct program *program)
{
    struct clauses clauses = {0};
    if (program->n_coordinates)
        add_clause(&clauses, (struct clause){
                                 .line = program->variables[program->coordinate[0]].position.line});
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *v = &program->variables[i];
        if (v->kind == VARIABLE_LET && v->value)
            add_clause(&clauses, (struct clause){.line = v->position.line, .let = v});
    }
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const struct expr *size = print_size_of(program, buffer);
        if (size && !(buffer == BUFFER_TMP && program->n_areas))
            add_clause(&clauses,
                       (struct clause){.line = size->position.line, .size = size, .buffer = buffer});
    }
    for (uint32_t i = 0; i < program->n_areas; i++)
        add_clause(&clauses,
                   (struct clause){.line = program->areas[i].n->position.line, .area = &program->areas[i]});
    if (program->needs.position.line)
        add_clause(&clauses, (struct clause){.line = program->needs.position.line, .needs = &program->needs});
    if (program->has.position.line)
        add_clause(&clauses, (struct clause){.line = program->has.position.line, .needs = &program->has});
    if (program->ordered.line)
        add_clause(&clauses, (struct clause){.line = program->ordered.line, .claim = "ordered"});
    if (program->exact.line)
        add_clause(&clauses, (struct clause){.line = program->exact.line, .claim = "exact"});
    if (program->absent.line)
        add_clause(&clauses, (struct clause){.line = program->absent.line, .claim = "absent"});
    if (program->costs.position.line)
        add_clause(&clauses, (struct clause){.line = program->costs.position.line,
                                             .costs = &program->costs});
    for (const struct requirement *r = program->requirements; r; r = r->next)
        add_clause(&clauses,
                   (struct clause){.line = r->expr->position.line, .requirement = r});
    for (const struct definition *d = program->functions; d; d = d->next)
        add_clause(&clauses, (struct clause){.line = d->position.line, .definition = d});
    for (const struct definition *d = program->definitions; d; d = d->next)
        add_clause(&clauses, (struct clause){.line = d->position.line, .definition = d});
    if (clauses.n)
        qsort(clauses.list, clauses.n, sizeof *clauses.list, compare_clauses);
    return clauses;
}

/* Prints the extent of a coordinate by name, as a coordinate over `slots` tells by it which ranks are
 * where. */
static void print_extent(struct layout *layout, uint32_t coordinate)
{
    const struct program *program = layout->program;
    const enum named_value named = program_named_extent(program, coordinate);
    if (named == NAMED_p || named == N_NAMED)
        layout_tight(layout, "", program->extent[coordinate]);
    else
        program_print_extent(program, coordinate, layout->out);
}

static void language_print_ranks(struct layout *layout)
{
    const struct program *program = layout->program;
    bool is_many = program->n_coordinates > 1;
    layout_word(layout, is_many ? "ranks (" : "ranks ");
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        text_printf(layout->out, "%s%s: ", i ? ", " : "",
                    program->variables[program->coordinate[i]].name);
        print_extent(layout, i);
    }
    layout_word(layout, is_many ? ")" : "");
    layout_word(layout, program->from_root ? " from root" : "");
}

static void print_definition_head(struct layout *layout, const struct definition *definition)
{
    text_printf(layout->out, "def %s(", definition->name);
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        text_printf(layout->out, "%s%s", i ? ", " : "",
                    layout->program->variables[definition->arguments[i]].name);
    layout_word(layout, definition->value ? ") = " : ")");
    if (definition->value)
        layout_alone(layout, "", definition->value);
}

static void print_tmp(struct layout *layout)
{
    const struct program *program = layout->program;
    layout_word(layout, "tmp ");
    if (program->tmp_index != NO_VARIABLE)
        text_printf(layout->out, "%s: ", program->variables[program->tmp_index].name);
    layout_loose(layout, "", program->n_tmp);
    if (!program->like.line)
        return;
    layout_word(layout, " like");
    layout_chunks(layout, &program->tmp_like);
    if (!program->tmp_like_rank.n)
        return;
    layout_word(layout, " of ");
    layout_target(layout, &program->tmp_like_rank);
}

static uint32_t print_last_line(const struct expr *expr)
{
    if (!expr)
        return 0;
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    uint32_t last = expr->position.line;
    for (int i = 0; i < 3; i++) {
        const uint32_t line = print_last_line(operands[i]);
        last = line > last ? line : last;
    }
    return last;
}

void program_print_expr(const struct program *program, const struct expr *expr, struct text *out)
{
    print_expr(program, NULL, expr, STYLE_ALONE, out);
}

/* A formula goes on below its beginning. */
static void go_on_with_cost(void *of, uint32_t line)
{
    struct layout *layout = of;
    layout_change_line(layout, line, 1);
    text_printf(layout->out, "%*s", COST_WIDTH, "");
}

/* In one line if they are, else a line for each. */
static void print_costs(struct layout *layout)
{
    const struct costs *costs = &layout->program->costs;
    uint32_t last = 0;
    for (enum cost cost = 0; cost < N_COSTS; cost++)
        last = costs->of[cost].expr ? print_last_line(costs->of[cost].expr) : last;
    const bool is_one_line = last == costs->position.line;
    struct line_breaks breaks = {.go_on = go_on_with_cost, .layout = layout};
    layout_word(layout, "costs");
    for (enum cost cost = 0; cost < N_COSTS; cost++) {
        if (!costs->of[cost].expr)
            continue;
        if (is_one_line) {
            text_printf(layout->out, " %s ", cost_name[cost]);
        } else {
            layout_change_line(layout, costs->of[cost].position.line, 1);
            text_printf(layout->out, "%-*s", COST_WIDTH, cost_name[cost]);
        }
        layout_word(layout, costs->of[cost].is_at_most ? "at most " : "");
        print_expr_lines(layout->program, costs->of[cost].expr, &breaks, layout->out);
    }
}

/* True if the line stands behind the word. */
static bool is_one_line(const struct needs_clause *needs)
{
    return needs->body && needs->body->position.line == needs->position.line;
}

static void print_clause(struct layout *layout, const struct clause *clause)
{
    if (clause->costs) {
        print_costs(layout);
    } else if (clause->needs) {
        layout_word(layout, clause->needs == &layout->program->has ? "has" : "needs");
        if (!layout->is_tree && is_one_line(clause->needs)) {
            layout_word(layout, " ");
            layout_statement(layout, clause->needs->body);
        }
    } else if (clause->let) {
        text_printf(layout->out, "let %s = ", clause->let->name);
        layout_alone(layout, "", clause->let->value);
    } else if (clause->requirement) {
        layout_alone(layout, "requires ", clause->requirement->expr);
    } else if (clause->area) {
        text_printf(layout->out, "tmp %s[", layout->program->variables[clause->area->variable].name);
        print_expr(layout->program, layout->known, clause->area->n, STYLE_LISTED, layout->out);
        layout_word(layout, "]");
    } else if (clause->size && clause->buffer == BUFFER_TMP) {
        print_tmp(layout);
    } else if (clause->size) {
        layout_word(layout, buffer_name[clause->buffer]);
        layout_loose(layout, " ", clause->size);
    } else if (clause->definition) {
        print_definition_head(layout, clause->definition);
    } else if (clause->claim) {
        layout_word(layout, clause->claim);
    } else {
        language_print_ranks(layout);
    }
}

void program_print_clauses(const struct program *program, struct text *out)
{
    struct layout layout = {.program = program, .out = out};
    struct clauses clauses = collect_clauses(program);
    for (size_t i = 0; i < clauses.n; i++) {
        if (clauses.list[i].definition || clauses.list[i].costs || clauses.list[i].needs)
            continue;
        print_clause(&layout, &clauses.list[i]);
        layout_word(&layout, "\n");
    }
    free(clauses.list);
}

/* --- the tree --------------------------------------------------------- */

static bool has_value(const struct layout *layout, uint32_t variable)
{
    const struct expr name = {.kind = EXPR_VARIABLE, .variable = variable};
    int64_t value;
    return layout->known && layout->known->value_of(layout->known->of, &name, &value);
}

static void print_tree_clause(struct layout *layout, struct clause clause)
{
    print_clause(layout, &clause);
    layout_word(layout, "\n");
}

/* Prints the number of segments as a `let` if it is no parameter named `segments`. */
static void print_segments(struct layout *layout)
{
    const struct program *program = layout->program;
    const uint32_t segments = program->segments;
    if (segments == NO_VARIABLE)
        return;
    const char *name = program->variables[segments].name;
    if (strcmp(name, "segments") == 0 && !has_value(layout, segments))
        return;
    const struct expr value = {.kind = EXPR_VARIABLE, .variable = segments};
    layout_loose(layout, "let segments = ", &value);
    layout_word(layout, "\n");
}

/* Prints the requirements that stand above the variable; returns the first one below it. */
static const struct requirement *language_print_requirements(struct layout *layout,
                                                             const struct requirement *r, uint32_t variable)
{
    for (; r && r->before <= variable; r = r->next)
        if (!layout->known)
            print_tree_clause(layout, (struct clause){.requirement = r});
    return r;
}

/* In the order of the names, each of which may use those before it. */
static void print_tree_clauses(struct layout *layout)
{
    const struct program *program = layout->program;
    const struct requirement *requirement = program->requirements;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        requirement = language_print_requirements(layout, requirement, i);
        if (variable->kind == VARIABLE_COORDINATE && program->coordinate[0] == i)
            print_tree_clause(layout, (struct clause){.line = 0});
        if (variable->kind == VARIABLE_LET && variable->value && !has_value(layout, i))
            print_tree_clause(layout, (struct clause){.let = variable});
    }
    language_print_requirements(layout, requirement, UINT32_MAX);
    print_segments(layout);
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (print_size_of(program, buffer))
            print_tree_clause(layout,
                              (struct clause){.size = print_size_of(program, buffer), .buffer = buffer});
    if (program->has.position.line) {
        print_tree_clause(layout, (struct clause){.needs = &program->has});
        layout_block(layout, program->has.body, 1);
    }
    if (program->needs.position.line) {
        print_tree_clause(layout, (struct clause){.needs = &program->needs});
        layout_block(layout, program->needs.body, 1);
    }
    if (program->ordered.line)
        print_tree_clause(layout, (struct clause){.claim = "ordered"});
    if (program->exact.line)
        print_tree_clause(layout, (struct clause){.claim = "exact"});
    if (program->absent.line)
        print_tree_clause(layout, (struct clause){.claim = "absent"});
    if (program->costs.position.line && !layout->known)
        print_tree_clause(layout, (struct clause){.costs = &program->costs});
    for (const struct definition *d = program->definitions; d; d = d->next) {
        print_tree_clause(layout, (struct clause){.definition = d});
        layout_block(layout, d->body, 1);
    }
}

void program_print_tree(const struct program *program, const struct known_values *known,
                        struct text *out)
{
    struct layout layout = {
        .program = program, .out = out, .start = out->length, .is_tree = true, .known = known};
    assert(program_is_sound(program, false));
    print_header_line(&layout);
    print_tree_clauses(&layout);
    layout_block(&layout, program->body, 0);
}

/* --- as written ------------------------------------------------------- */

void program_print(const struct program *program, struct text *out)
{
    struct layout layout = {
        .program = program, .out = out, .start = out->length, .next_comment = 1};
    layout_find_lines(&layout);
    print_header_line(&layout);
    struct clauses clauses = collect_clauses(program);
    for (size_t i = 0; i < clauses.n; i++) {
        const struct clause *clause = &clauses.list[i];
        layout_begin_line(&layout, clause->line, 0);
        print_clause(&layout, clause);
        layout_finish_line(&layout, layout.line);
        if (clause->definition && !clause->definition->value)
            layout_block(&layout, clause->definition->body, 1);
        if (clause->needs && !is_one_line(clause->needs))
            layout_block(&layout, clause->needs->body, 1);
    }
    layout_block(&layout, program->body, 0);
    layout_comments(&layout, layout.n_lines + 1, 0);
    free(clauses.list);
    free(layout.line_start);
}
