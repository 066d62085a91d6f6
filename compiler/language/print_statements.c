/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statements as text. See layout.h.
 */
#include "compiler/language/layout.h"

#include <string.h>

enum { MAX_ALIGNED = 60 };

/* Prints what commas are between; or one that is the beginning of a range. */
static void print_list(struct layout *layout, struct expr **list, uint32_t n, bool is_range)
{
    for (uint32_t i = 0; i < n; i++) {
        layout_word(layout, i ? ", " : "");
        print_expr(layout->program, layout->known, list[i], is_range ? STYLE_TIGHT : STYLE_LISTED,
                   layout->out);
    }
}

static void print_loop(struct layout *layout, const struct statement *loop)
{
    text_printf(layout->out, "for %s in ", layout->program->variables[loop->variable].name);
    layout_tight(layout, "", loop->expr);
    layout_tight(layout, " .. ", loop->last);
    if (loop->by)
        layout_tight(layout, " by ", loop->by);
}

/* Loops and conditions of a set, down to its part. */
static void print_set_loops(struct layout *layout, const struct statement *at)
{
    for (; at->kind != STATEMENT_PART; at = at->body) {
        layout_word(layout, " ");
        if (at->kind == STATEMENT_FOR)
            print_loop(layout, at);
        else
            layout_tight(layout, "if ", at->expr);
    }
}

/* `set`: the loops of which the chunks are the part; or NULL. */
static void print_chunks(struct layout *layout, const struct chunks *chunks, const struct statement *set)
{
    if (chunks->buffer == N_BUFFERS)
        return;
    const struct program *program = layout->program;
    const bool has_name = chunks->area && !layout->is_tree;
    text_printf(layout->out, " %s",
                has_name ? program->variables[program->areas[chunks->area - 1].variable].name
                         : buffer_name[chunks->buffer]);
    if (chunks->n == 0)
        return;
    layout_word(layout, "[");
    print_list(layout, chunks->index, chunks->n, chunks->last);
    if (chunks->last)
        layout_tight(layout, " .. ", chunks->last);
    if (chunks->segment)
        layout_tight(layout, "; ", chunks->segment);
    if (chunks->last_segment)
        layout_tight(layout, " .. ", chunks->last_segment);
    if (set)
        print_set_loops(layout, set);
    layout_word(layout, "]");
}

void layout_target(struct layout *layout, const struct target *target)
{
    if (target->n == 1) {
        layout_loose(layout, "", target->coordinates[0]);
        return;
    }
    layout_word(layout, "(");
    print_list(layout, target->coordinates, target->n, false);
    layout_word(layout, ")");
}

void layout_chunks(struct layout *layout, const struct chunks *chunks)
{
    print_chunks(layout, chunks, NULL);
}

/* The parts of a message, with commas between them. */
static void print_parts(struct layout *layout, const struct statement *part)
{
    for (; part; part = part->next) {
        const struct statement *inner = part;
        while (inner->kind != STATEMENT_PART)
            inner = inner->body;
        print_chunks(layout, &inner->chunks, part);
        layout_word(layout, part->next ? "," : "");
    }
}

static void print_statements_print_transfer(struct layout *layout, const struct statement *statement,
                                            const char *word, const char *preposition)
{
    layout_word(layout, word);
    layout_chunks(layout, &statement->chunks);
    print_parts(layout, statement->body);
    layout_word(layout, preposition);
    layout_target(layout, &statement->peer);
    if (statement->network)
        text_printf(layout->out, " via %s", layout->program->networks[statement->network - 1]);
}

/* Prints chunks at the beginning of a line, without the blank before them. */
static void print_first_chunks(struct layout *layout, const struct chunks *chunks)
{
    struct text text = {0}, *out = layout->out;
    layout->out = &text;
    layout_chunks(layout, chunks);
    layout->out = out;
    layout_word(layout, text.data + 1);
    text_free(&text);
}

/* out[...] = in[...] of RANK */
static void print_need(struct layout *layout, const struct statement *need)
{
    print_first_chunks(layout, &need->chunks);
    layout_word(layout, need->kind == STATEMENT_REDUCE ? " +=" : " =");
    layout_chunks(layout, &need->to_chunks);
    layout_word(layout, " of ");
    layout_target(layout, &need->peer);
}

static void print_maps(struct layout *layout, const struct group_run *run)
{
    const char *before = " with ";
    if (run->is_on) {
        layout_word(layout, " on");
        layout_chunks(layout, &run->maps[BUFFER_BUF]->chunks);
    }
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const struct run_map *map = run->maps[buffer];
        if (!map || (run->is_on && buffer == BUFFER_BUF))
            continue;
        text_printf(layout->out, "%s%s", before, buffer_name[buffer]);
        if (map->variable != NO_VARIABLE)
            text_printf(layout->out, "[%s]", layout->program->variables[map->variable].name);
        layout_word(layout, " =");
        layout_chunks(layout, &map->chunks);
        before = ", ";
    }
}

static void print_statements_print_run(struct layout *layout, const struct group_run *run)
{
    const struct program *program = layout->program;
    const bool is_to = collective_table[run->collective].after == HELD_ROOT;
    text_printf(layout->out, "run %s/%s", collective_table[run->collective].name, run->name);
    for (uint32_t i = 0; i < run->n_settings; i++) {
        text_printf(layout->out, "%s%s = ", i ? ", " : "(", run->settings[i].name);
        layout_tight(layout, "", run->settings[i].value);
    }
    layout_word(layout, run->n_settings ? ")" : "");
    text_printf(layout->out, " over %s",
                program->variables[program->coordinate[run->coordinate]].name);
    if (run->root)
        layout_loose(layout, is_to ? " to " : " from ", run->root);
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
    case STATEMENT_PART:
    case STATEMENT_LET:
    case STATEMENT_CALL:
    case STATEMENT_RUN: break;
    }
    return true;
}

/* The statement, or the first line of one with a block. */
void layout_statement(struct layout *layout, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SEND:
        print_statements_print_transfer(layout, s, "send", " to ");
        break;
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        if (s->is_need)
            print_need(layout, s);
        else
            print_statements_print_transfer(layout, s, s->kind == STATEMENT_RECV ? "recv" : "reduce",
                                            " from ");
        break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        if (s->is_need) {
            print_first_chunks(layout, &s->chunks);
            break;
        }
        layout_word(layout, s->kind == STATEMENT_COPY ? "copy" : "reduce");
        layout_chunks(layout, &s->chunks);
        layout_word(layout, " to");
        layout_chunks(layout, &s->to_chunks);
        break;
    case STATEMENT_LET:
        text_printf(layout->out, "let %s = ", layout->program->variables[s->variable].name);
        layout_alone(layout, "", s->expr);
        break;
    case STATEMENT_IF: layout_loose(layout, "if ", s->expr); break;
    case STATEMENT_FOR:
        print_loop(layout, s);
        break;
    case STATEMENT_PART: break; /* in its message */
    case STATEMENT_STEP: layout_word(layout, "step"); break;
    case STATEMENT_WINDOW: layout_loose(layout, "window ", s->expr); break;
    case STATEMENT_CALL:
        text_printf(layout->out, "%s(", s->definition->name);
        print_list(layout, s->arguments, s->definition->n_arguments, false);
        layout_word(layout, ")");
        break;
    case STATEMENT_RUN:
        print_statements_print_run(layout, s->run);
        break;
    }
}

static bool is_one_line_if(const struct layout *layout, const struct statement *statement)
{
    return !layout->is_tree && statement->kind == STATEMENT_IF &&
           statement->body->position.line == statement->position.line;
}

static size_t head_width(struct layout *layout, const struct statement *statement)
{
    struct text text = {0}, *out = layout->out;
    layout->out = &text;
    layout_statement(layout, statement);
    layout->out = out;
    size_t width = text.length;
    text_free(&text);
    return width;
}

/* Returns the last of one-line ifs on consecutive lines, whose statements are aligned. */
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
static size_t print_statements_row_width(struct layout *layout, const struct statement *first,
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

/* Prints what follows the condition; the cursor stands behind it. */
static void print_branches(struct layout *layout, const struct statement *s, uint32_t depth)
{
    if (is_one_line_if(layout, s)) {
        layout_word(layout, "  ");
        layout_statement(layout, s->body);
        layout_finish_line(layout, s->position.line);
    } else {
        layout_finish_line(layout, s->position.line);
        layout_block(layout, s->body, depth + 1);
    }
    if (s->otherwise)
        print_else(layout, s->otherwise, depth);
}

/* The word, not the beginning of a name such as `elsewhere`. */
static bool starts_with_else(const struct layout *layout, uint32_t line)
{
    static const char name[] = "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t length;
    const char *text = layout_line_text(layout, line, &length);
    return length >= 4 && memcmp(text, "else", 4) == 0 && (length == 4 || !strchr(name, text[4]));
}

/* In a tree: what it is known by is that it stands there. */
static void print_tree_else(struct layout *layout, const struct statement *otherwise, uint32_t depth)
{
    layout_indent(layout, depth);
    layout_word(layout, "else");
    if (otherwise->kind == STATEMENT_IF && !otherwise->next) {
        layout_word(layout, " ");
        layout_statement(layout, otherwise);
        print_branches(layout, otherwise, depth);
    } else {
        layout_word(layout, "\n");
        layout_block(layout, otherwise, depth + 1);
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
    layout_begin_line(layout, line, depth);
    layout_word(layout, "else");
    if (otherwise->position.line != line) {
        layout_finish_line(layout, line);
        layout_block(layout, otherwise, depth + 1);
    } else if (otherwise->kind == STATEMENT_IF) {
        layout_word(layout, " ");
        layout_statement(layout, otherwise);
        print_branches(layout, otherwise, depth);
    } else {
        layout_word(layout, "  ");
        layout_statement(layout, otherwise);
        layout_finish_line(layout, line);
    }
}

/* Prints a row of one-line ifs, or one `if` of any form; returns the last one. */
static const struct statement *print_ifs(struct layout *layout, const struct statement *s,
                                         uint32_t depth)
{
    const struct statement *last = is_one_line_if(layout, s) ? end_of_row(layout, s) : s;
    size_t width = s == last ? 0 : print_statements_row_width(layout, s, last);
    for (const struct statement *end = last->next; s != end; s = s->next) {
        layout_begin_line(layout, s->position.line, depth);
        size_t from = layout->out->length;
        layout_statement(layout, s);
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
    layout_begin_line(layout, line, depth);
    layout_statement(layout, s);
    for (; !layout->is_tree && s->next && s->next->position.line == line; s = s->next) {
        layout_word(layout, "; ");
        layout_statement(layout, s->next);
    }
    layout_finish_line(layout, line);
    return s;
}

void layout_block(struct layout *layout, const struct statement *s, uint32_t depth)
{
    if (!s && depth) { /* a block is not empty in the language */
        layout_indent(layout, depth);
        layout_word(layout, "let nothing = 0\n");
    }
    for (; s; s = s->next) {
        if (is_simple(s)) {
            s = print_simple(layout, s, depth);
        } else if (s->kind == STATEMENT_IF) {
            s = print_ifs(layout, s, depth);
        } else {
            layout_begin_line(layout, s->position.line, depth);
            layout_statement(layout, s);
            layout_finish_line(layout, s->position.line);
            layout_block(layout, s->body, depth + 1);
        }
    }
}
