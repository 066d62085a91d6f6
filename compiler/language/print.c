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
#include "compiler/language/frontend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT_WIDTH = 2, MAX_ALIGNED = 60, COST_WIDTH = 10 };

struct layout {
    const struct program *program;
    struct text *out;
    bool is_tree;       /* no lines of a source */
    const struct known_values *known; /* is_tree; or NULL */
    size_t start;       /* bytes in `out` before the program */
    size_t *line_start; /* [line - 1] offset; n_lines + 1 entries */
    uint32_t n_lines;
    uint32_t line;         /* of the source, which is printed */
    uint32_t next_comment; /* comments of lines before this one are printed */
};

/* --- lines of the source ---------------------------------------------- */

static void find_lines(struct layout *layout)
{
    const struct source *source = layout->program->source;
    size_t capacity = 0, n = 0, at = 0;
    while (at < source->length) {
        layout->line_start = mem_grow(layout->line_start, &capacity, n + 2, sizeof at);
        layout->line_start[n++] = at;
        const char *end = memchr(source->text + at, '\n', source->length - at);
        at = end ? (size_t)(end - source->text) + 1 : source->length;
        layout->line_start[n] = at;
    }
    layout->n_lines = (uint32_t)n;
}

/* The line without blanks around it. */
static const char *line_text(const struct layout *layout, uint32_t line, size_t *length)
{
    const char *from = layout->program->source->text + layout->line_start[line - 1];
    const char *to = layout->program->source->text + layout->line_start[line];
    if (line == 1 && to - from >= 3 && memcmp(from, "\xEF\xBB\xBF", 3) == 0)
        from += 3; /* byte order mark */
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == '\n' || to[-1] == '\r' || to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *length = (size_t)(to - from);
    return from;
}

/* The comment of a line, from its '#'; NULL if there is none. The language has
 * no strings, so every '#' begins a comment. */
static const char *comment_of(const struct layout *layout, uint32_t line, size_t *length)
{
    const char *text = line_text(layout, line, length);
    const char *mark = *length ? memchr(text, '#', *length) : NULL;
    if (mark)
        *length -= (size_t)(mark - text);
    return mark;
}

static bool is_comment_or_blank(const struct layout *layout, uint32_t line)
{
    size_t length;
    const char *text = line_text(layout, line, &length);
    return length == 0 || *text == '#';
}

static void keep_blank_line(struct layout *layout, uint32_t line)
{
    size_t length = 1;
    if (line > 1)
        line_text(layout, line - 1, &length);
    if (length == 0 && layout->out->length > layout->start)
        text_append(layout->out, "\n", 1);
}

static void indent(struct layout *layout, uint32_t depth)
{
    text_printf(layout->out, "%*s", (int)depth * INDENT_WIDTH, "");
}

/* Comment lines above `line`, which is printed next. */
static void print_comments(struct layout *layout, uint32_t line, uint32_t depth)
{
    for (; layout->next_comment < line; layout->next_comment++) {
        size_t length;
        const char *comment = comment_of(layout, layout->next_comment, &length);
        if (!comment)
            continue;
        keep_blank_line(layout, layout->next_comment);
        indent(layout, depth);
        text_append(layout->out, comment, length);
        text_append(layout->out, "\n", 1);
    }
}

static void begin_line(struct layout *layout, uint32_t line, uint32_t depth)
{
    if (layout->is_tree) {
        indent(layout, depth);
        return;
    }
    print_comments(layout, line, depth);
    keep_blank_line(layout, line);
    indent(layout, depth);
    layout->line = line;
}

static void finish_line(struct layout *layout, uint32_t line)
{
    size_t length;
    const char *comment = layout->is_tree ? NULL : comment_of(layout, line, &length);
    if (comment) {
        text_append(layout->out, "  ", 2);
        text_append(layout->out, comment, length);
    }
    layout->next_comment = line + 1;
    text_append(layout->out, "\n", 1);
}

/* Goes on in a line for that one of the source, which may be the same. */
static void change_line(struct layout *layout, uint32_t line, uint32_t depth)
{
    if (line == layout->line || layout->is_tree) {
        text_append(layout->out, "\n", 1);
        indent(layout, depth);
    } else {
        finish_line(layout, layout->line);
        begin_line(layout, line, depth);
    }
}

/* --- statements ------------------------------------------------------- */

static void print_word(struct layout *layout, const char *word)
{
    text_append(layout->out, word, strlen(word));
}

static void print_loose(struct layout *layout, const char *before, const struct expr *expr)
{
    print_word(layout, before);
    print_expr(layout->program, layout->known, expr, false, layout->out);
}

static void print_tight(struct layout *layout, const char *before, const struct expr *expr)
{
    print_word(layout, before);
    print_expr(layout->program, layout->known, expr, true, layout->out);
}

static void print_list(struct layout *layout, struct expr **list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        print_tight(layout, i ? ", " : "", list[i]);
}

static void print_chunks(struct layout *layout, const struct chunks *chunks)
{
    if (chunks->buffer == N_BUFFERS)
        return;
    text_printf(layout->out, " %s", buffer_name[chunks->buffer]);
    if (chunks->n == 0)
        return;
    print_word(layout, "[");
    print_list(layout, chunks->index, chunks->n);
    if (chunks->last)
        print_tight(layout, " .. ", chunks->last);
    if (chunks->segment)
        print_tight(layout, "; ", chunks->segment);
    if (chunks->last_segment)
        print_tight(layout, " .. ", chunks->last_segment);
    print_word(layout, "]");
}

static void print_transfer(struct layout *layout, const struct statement *statement,
                           const char *word, const char *preposition)
{
    print_word(layout, word);
    print_chunks(layout, &statement->chunks);
    print_word(layout, preposition);
    if (statement->peer.n == 1) {
        print_loose(layout, "", statement->peer.coordinates[0]);
        return;
    }
    print_word(layout, "(");
    print_list(layout, statement->peer.coordinates, statement->peer.n);
    print_word(layout, ")");
}

static void print_maps(struct layout *layout, const struct group_run *run)
{
    const char *before = " with ";
    if (run->is_on) {
        print_word(layout, " on");
        print_chunks(layout, &run->maps[BUFFER_BUF]->chunks);
    }
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const struct run_map *map = run->maps[buffer];
        if (!map || (run->is_on && buffer == BUFFER_BUF))
            continue;
        text_printf(layout->out, "%s%s", before, buffer_name[buffer]);
        if (map->variable != NO_VARIABLE)
            text_printf(layout->out, "[%s]", layout->program->variables[map->variable].name);
        print_word(layout, " =");
        print_chunks(layout, &map->chunks);
        before = ", ";
    }
}

static void print_run(struct layout *layout, const struct group_run *run)
{
    const struct program *program = layout->program;
    const bool is_to = run->collective == COLLECTIVE_reduce || run->collective == COLLECTIVE_gather;
    text_printf(layout->out, "run %s/%s", collective_table[run->collective].name, run->name);
    for (uint32_t i = 0; i < run->n_settings; i++) {
        text_printf(layout->out, "%s%s = ", i ? ", " : "(", run->settings[i].name);
        print_tight(layout, "", run->settings[i].value);
    }
    print_word(layout, run->n_settings ? ")" : "");
    text_printf(layout->out, " over %s",
                program->variables[program->coordinate[run->coordinate]].name);
    if (run->root)
        print_loose(layout, is_to ? " to " : " from ", run->root);
    print_maps(layout, run);
}

static bool is_simple(const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_IF:
    case STATEMENT_FOR:
    case STATEMENT_STEP:
    case STATEMENT_WINDOW: return false;
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_LET:
    case STATEMENT_CALL:
    case STATEMENT_RUN: break;
    }
    return true;
}

/* The statement, or the first line of one with a block. */
static void print_head(struct layout *layout, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SEND: print_transfer(layout, s, "send", " to "); break;
    case STATEMENT_RECV: print_transfer(layout, s, "recv", " from "); break;
    case STATEMENT_REDUCE: print_transfer(layout, s, "reduce", " from "); break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        print_word(layout, s->kind == STATEMENT_COPY ? "copy" : "reduce");
        print_chunks(layout, &s->chunks);
        print_word(layout, " to");
        print_chunks(layout, &s->to_chunks);
        break;
    case STATEMENT_LET:
        text_printf(layout->out, "let %s = ", layout->program->variables[s->variable].name);
        print_loose(layout, "", s->expr);
        break;
    case STATEMENT_IF: print_loose(layout, "if ", s->expr); break;
    case STATEMENT_FOR:
        text_printf(layout->out, "for %s in ", layout->program->variables[s->variable].name);
        print_tight(layout, "", s->expr);
        print_tight(layout, " .. ", s->last);
        if (s->by)
            print_tight(layout, " by ", s->by);
        break;
    case STATEMENT_STEP: print_word(layout, "step"); break;
    case STATEMENT_WINDOW: print_loose(layout, "window ", s->expr); break;
    case STATEMENT_CALL:
        text_printf(layout->out, "%s(", s->definition->name);
        print_list(layout, s->arguments, s->definition->n_arguments);
        print_word(layout, ")");
        break;
    case STATEMENT_RUN: print_run(layout, s->run); break;
    }
}

static void print_block(struct layout *layout, const struct statement *statement, uint32_t depth);

static bool is_one_line_if(const struct layout *layout, const struct statement *statement)
{
    return !layout->is_tree && statement->kind == STATEMENT_IF &&
           statement->body->position.line == statement->position.line;
}

static size_t head_width(struct layout *layout, const struct statement *statement)
{
    struct text text = {0}, *out = layout->out;
    layout->out = &text;
    print_head(layout, statement);
    layout->out = out;
    size_t width = text.length;
    text_free(&text);
    return width;
}

/* The last of one-line ifs on consecutive lines, whose statements are aligned. */
static const struct statement *end_of_row(const struct layout *layout,
                                         const struct statement *first)
{
    const struct statement *last = first;
    while (last->next && !last->otherwise && is_one_line_if(layout, last->next) &&
           last->next->position.line == last->position.line + 1)
        last = last->next;
    return last;
}

/* Width of the conditions of a row, 0 if too wide to be aligned. */
static size_t row_width(struct layout *layout, const struct statement *first,
                        const struct statement *last)
{
    size_t width = 0;
    for (const struct statement *s = first; s != last->next; s = s->next) {
        size_t w = head_width(layout, s);
        width = w > width ? w : width;
    }
    return width > MAX_ALIGNED ? 0 : width;
}

static void print_else(struct layout *layout, const struct statement *otherwise, uint32_t depth);

/* What follows the condition; the cursor stands behind it. */
static void print_branches(struct layout *layout, const struct statement *s, uint32_t depth)
{
    if (is_one_line_if(layout, s)) {
        print_word(layout, "  ");
        print_head(layout, s->body);
        finish_line(layout, s->position.line);
    } else {
        finish_line(layout, s->position.line);
        print_block(layout, s->body, depth + 1);
    }
    if (s->otherwise)
        print_else(layout, s->otherwise, depth);
}

/* The word, not the beginning of a name such as `elsewhere`. */
static bool starts_with_else(const struct layout *layout, uint32_t line)
{
    static const char name[] = "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t length;
    const char *text = line_text(layout, line, &length);
    return length >= 4 && memcmp(text, "else", 4) == 0 && (length == 4 || !strchr(name, text[4]));
}

/* In a tree: what it is known by is that it stands there. */
static void print_tree_else(struct layout *layout, const struct statement *otherwise, uint32_t depth)
{
    indent(layout, depth);
    print_word(layout, "else");
    if (otherwise->kind == STATEMENT_IF && !otherwise->next) {
        print_word(layout, " ");
        print_head(layout, otherwise);
        print_branches(layout, otherwise, depth);
    } else {
        print_word(layout, "\n");
        print_block(layout, otherwise, depth + 1);
    }
}

static void print_else(struct layout *layout, const struct statement *otherwise, uint32_t depth)
{
    uint32_t line = otherwise->position.line;
    if (layout->is_tree) {
        print_tree_else(layout, otherwise, depth);
        return;
    }
    while (!starts_with_else(layout, line))
        line--;
    begin_line(layout, line, depth);
    print_word(layout, "else");
    if (otherwise->position.line != line) {
        finish_line(layout, line);
        print_block(layout, otherwise, depth + 1);
    } else if (otherwise->kind == STATEMENT_IF) {
        print_word(layout, " ");
        print_head(layout, otherwise);
        print_branches(layout, otherwise, depth);
    } else {
        print_word(layout, "  ");
        print_head(layout, otherwise);
        finish_line(layout, line);
    }
}

/* A row of one-line ifs, or one `if` of any form; returns the last one. */
static const struct statement *print_ifs(struct layout *layout, const struct statement *s,
                                         uint32_t depth)
{
    const struct statement *last = is_one_line_if(layout, s) ? end_of_row(layout, s) : s;
    size_t width = s == last ? 0 : row_width(layout, s, last);
    for (const struct statement *end = last->next; s != end; s = s->next) {
        begin_line(layout, s->position.line, depth);
        size_t from = layout->out->length;
        print_head(layout, s);
        size_t printed = layout->out->length - from;
        if (printed < width)
            text_printf(layout->out, "%*s", (int)(width - printed), "");
        print_branches(layout, s, depth);
    }
    return last;
}

/* Simple statements of one line; returns the last one. */
static const struct statement *print_simple(struct layout *layout, const struct statement *s,
                                            uint32_t depth)
{
    uint32_t line = s->position.line;
    begin_line(layout, line, depth);
    print_head(layout, s);
    for (; !layout->is_tree && s->next && s->next->position.line == line; s = s->next) {
        print_word(layout, "; ");
        print_head(layout, s->next);
    }
    finish_line(layout, line);
    return s;
}

static void print_block(struct layout *layout, const struct statement *s, uint32_t depth)
{
    if (!s && depth) { /* a block is not empty in the language */
        indent(layout, depth);
        print_word(layout, "let nothing = 0\n");
    }
    for (; s; s = s->next) {
        if (is_simple(s)) {
            s = print_simple(layout, s, depth);
        } else if (s->kind == STATEMENT_IF) {
            s = print_ifs(layout, s, depth);
        } else {
            begin_line(layout, s->position.line, depth);
            print_head(layout, s);
            finish_line(layout, s->position.line);
            print_block(layout, s->body, depth + 1);
        }
    }
}

/* --- header ----------------------------------------------------------- */

void program_print_extent(const struct program *program, uint32_t coordinate, struct text *out)
{
    print_expr(program, NULL, program->extent[coordinate], true, out);
}

void program_print_default(const struct program *program, const struct variable *parameter,
                           struct text *out)
{
    if (parameter->kind == VARIABLE_ALGORITHM)
        text_printf(out, "%s", parameter->algorithm);
    else
        print_expr(program, NULL, parameter->value, true, out);
}

/* Whether the parameter is one of the program that is printed. */
static bool is_kept(const struct layout *layout, const struct variable *variable)
{
    if (variable->kind == VARIABLE_ALGORITHM)
        return !layout->is_tree;
    return variable->kind == VARIABLE_PARAMETER && !layout->known;
}

static void print_header_line(struct layout *layout)
{
    const struct program *program = layout->program;
    uint32_t line = 1;
    while (!layout->is_tree && is_comment_or_blank(layout, line))
        line++;
    begin_line(layout, line, 0);
    text_printf(layout->out, "%s %s", collective_name(program->collective, program->form),
                program->name);
    bool is_open = false;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (!is_kept(layout, variable))
            continue;
        text_printf(layout->out, "%s%s = ", is_open ? ", " : "(", variable->name);
        program_print_default(program, variable, layout->out);
        is_open = true;
    }
    print_word(layout, is_open ? ")" : "");
    finish_line(layout, line);
}

/* A clause of the header: exactly one of the pointers, or none for
 * `ranks`. */
struct clause {
    uint32_t line;
    const struct costs *costs;
    const char *claim; /* "ordered", "absent" */
    const struct variable *let;
    const struct requirement *requirement;
    const struct definition *definition;
    const struct expr *n_tmp;
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
    if (program->n_tmp)
        add_clause(&clauses, (struct clause){.line = program->n_tmp->position.line,
                                             .n_tmp = program->n_tmp});
    if (program->ordered.line)
        add_clause(&clauses, (struct clause){.line = program->ordered.line, .claim = "ordered"});
    if (program->absent.line)
        add_clause(&clauses, (struct clause){.line = program->absent.line, .claim = "absent"});
    if (program->costs.position.line)
        add_clause(&clauses, (struct clause){.line = program->costs.position.line,
                                             .costs = &program->costs});
    for (const struct requirement *r = program->requirements; r; r = r->next)
        add_clause(&clauses,
                   (struct clause){.line = r->expr->position.line, .requirement = r});
    for (const struct definition *d = program->definitions; d; d = d->next)
        add_clause(&clauses, (struct clause){.line = d->position.line, .definition = d});
    if (clauses.n)
        qsort(clauses.list, clauses.n, sizeof *clauses.list, compare_clauses);
    return clauses;
}

/* Which ranks are where in a coordinate over `slots` follows from that name. */
static void print_extent(struct layout *layout, uint32_t coordinate)
{
    const struct program *program = layout->program;
    const enum named_value named = program_named_extent(program, coordinate);
    if (named == NAMED_p || named == N_NAMED)
        print_tight(layout, "", program->extent[coordinate]);
    else
        program_print_extent(program, coordinate, layout->out);
}

static void print_ranks(struct layout *layout)
{
    const struct program *program = layout->program;
    bool is_many = program->n_coordinates > 1;
    print_word(layout, is_many ? "ranks (" : "ranks ");
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        text_printf(layout->out, "%s%s: ", i ? ", " : "",
                    program->variables[program->coordinate[i]].name);
        print_extent(layout, i);
    }
    print_word(layout, is_many ? ")" : "");
    print_word(layout, program->from_root ? " from root" : "");
}

static void print_definition_head(struct layout *layout, const struct definition *definition)
{
    text_printf(layout->out, "def %s(", definition->name);
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        text_printf(layout->out, "%s%s", i ? ", " : "",
                    layout->program->variables[definition->arguments[i]].name);
    print_word(layout, ")");
}

static void print_tmp(struct layout *layout)
{
    const struct program *program = layout->program;
    print_word(layout, "tmp ");
    if (program->tmp_index != NO_VARIABLE)
        text_printf(layout->out, "%s: ", program->variables[program->tmp_index].name);
    print_loose(layout, "", program->n_tmp);
    if (!program->like.line)
        return;
    print_word(layout, " like");
    print_chunks(layout, &program->tmp_like);
}

static uint32_t last_line(const struct expr *expr)
{
    if (!expr)
        return 0;
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    uint32_t last = expr->position.line;
    for (int i = 0; i < 3; i++) {
        const uint32_t line = last_line(operands[i]);
        last = line > last ? line : last;
    }
    return last;
}

void program_print_cost(const struct program *program, enum cost cost, struct text *out)
{
    print_expr(program, NULL, program->costs.of[cost].expr, false, out);
}

/* A formula goes on below its beginning. */
static void go_on_with_cost(void *of, uint32_t line)
{
    struct layout *layout = of;
    change_line(layout, line, 1);
    text_printf(layout->out, "%*s", COST_WIDTH, "");
}

/* In one line if they are, else a line for each. */
static void print_costs(struct layout *layout)
{
    const struct costs *costs = &layout->program->costs;
    uint32_t last = 0;
    for (enum cost cost = 0; cost < N_COSTS; cost++)
        last = costs->of[cost].expr ? last_line(costs->of[cost].expr) : last;
    const bool is_one_line = last == costs->position.line;
    struct line_breaks breaks = {.go_on = go_on_with_cost, .layout = layout};
    print_word(layout, "costs");
    for (enum cost cost = 0; cost < N_COSTS; cost++) {
        if (!costs->of[cost].expr)
            continue;
        if (is_one_line) {
            text_printf(layout->out, " %s ", cost_name[cost]);
        } else {
            change_line(layout, costs->of[cost].position.line, 1);
            text_printf(layout->out, "%-*s", COST_WIDTH, cost_name[cost]);
        }
        print_word(layout, costs->of[cost].is_at_most ? "at most " : "");
        print_expr_lines(layout->program, costs->of[cost].expr, &breaks, layout->out);
    }
}

static void print_clause(struct layout *layout, const struct clause *clause)
{
    if (clause->costs) {
        print_costs(layout);
    } else if (clause->let) {
        text_printf(layout->out, "let %s = ", clause->let->name);
        print_loose(layout, "", clause->let->value);
    } else if (clause->requirement) {
        print_loose(layout, "requires ", clause->requirement->expr);
    } else if (clause->n_tmp) {
        print_tmp(layout);
    } else if (clause->definition) {
        print_definition_head(layout, clause->definition);
    } else if (clause->claim) {
        print_word(layout, clause->claim);
    } else {
        print_ranks(layout);
    }
}

void program_print_clauses(const struct program *program, struct text *out)
{
    struct layout layout = {.program = program, .out = out};
    struct clauses clauses = collect_clauses(program);
    for (size_t i = 0; i < clauses.n; i++) {
        if (clauses.list[i].definition || clauses.list[i].costs)
            continue;
        print_clause(&layout, &clauses.list[i]);
        print_word(&layout, "\n");
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
    print_word(layout, "\n");
}

/* What the chunks are cut by has another name where a run says it. */
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
    print_loose(layout, "let segments = ", &value);
    print_word(layout, "\n");
}

/* The requirements that stand above the variable; returns the first one below it. */
static const struct requirement *print_requirements(struct layout *layout,
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
        requirement = print_requirements(layout, requirement, i);
        if (variable->kind == VARIABLE_COORDINATE && program->coordinate[0] == i)
            print_tree_clause(layout, (struct clause){.line = 0});
        if (variable->kind == VARIABLE_LET && variable->value && !has_value(layout, i))
            print_tree_clause(layout, (struct clause){.let = variable});
    }
    print_requirements(layout, requirement, UINT32_MAX);
    print_segments(layout);
    if (program->n_tmp)
        print_tree_clause(layout, (struct clause){.n_tmp = program->n_tmp});
    if (program->ordered.line)
        print_tree_clause(layout, (struct clause){.claim = "ordered"});
    if (program->absent.line)
        print_tree_clause(layout, (struct clause){.claim = "absent"});
    if (program->costs.position.line && !layout->known)
        print_tree_clause(layout, (struct clause){.costs = &program->costs});
    for (const struct definition *d = program->definitions; d; d = d->next) {
        print_tree_clause(layout, (struct clause){.definition = d});
        print_block(layout, d->body, 1);
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
    print_block(&layout, program->body, 0);
}

/* --- as written ------------------------------------------------------- */

void program_print(const struct program *program, struct text *out)
{
    struct layout layout = {
        .program = program, .out = out, .start = out->length, .next_comment = 1};
    find_lines(&layout);
    print_header_line(&layout);
    struct clauses clauses = collect_clauses(program);
    for (size_t i = 0; i < clauses.n; i++) {
        const struct clause *clause = &clauses.list[i];
        begin_line(&layout, clause->line, 0);
        print_clause(&layout, clause);
        finish_line(&layout, layout.line);
        if (clause->definition)
            print_block(&layout, clause->definition->body, 1);
    }
    print_block(&layout, program->body, 0);
    print_comments(&layout, layout.n_lines + 1, 0);
    free(clauses.list);
    free(layout.line_start);
}
