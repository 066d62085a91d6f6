/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of a step as a matrix: a row for each server that sends, a column for each that
 * receives. A column with several cells off the diagonal is a server at which messages meet
 * (head-of-line blocking).
 */
#include "emitters/drawing/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Points between cells, and the most rows; with more servers a row is several consecutive servers. */
enum { CELL = 22, MAX_ROWS = 64 };

struct matrix {
    const struct schedule_header *header;
    const struct step_servers *servers;
    const struct step *step;
    uint32_t n_together, n_rows; /* servers in a row; rows, and columns */
    uint64_t *cells;             /* [receiver * n_rows + sender] messages */
    uint32_t *fan_in;            /* [receiver] the largest of its servers */
    struct drawing *drawing;
};

static void step_matrix_fill(struct matrix *matrix)
{
    const struct step_servers *servers = matrix->servers;
    for (size_t i = 0; i < servers->n_pairs; i++) {
        const uint32_t to = servers->pairs[i].to / matrix->n_together;
        matrix->cells[(size_t)to * matrix->n_rows + servers->pairs[i].from / matrix->n_together]++;
    }
    for (uint32_t i = 0; i < servers->n_servers; i++) {
        uint32_t *fan_in = &matrix->fan_in[i / matrix->n_together];
        *fan_in = servers->fan_in[i] > *fan_in ? servers->fan_in[i] : *fan_in;
    }
}

/* Adds a square or, with the shape "none", a word, centred in a row and a column, which may be fractions. */
static struct drawing_node *add_cell(struct matrix *matrix, const char *name, double column, double row,
                                     const char *label)
{
    char place[64];
    snprintf(place, sizeof place, "%.1f,%.1f", column * CELL, -row * CELL);
    struct drawing_node *node = drawing_node(matrix->drawing, NULL, name, label);
    drawing_node_set(node, "pos", place);
    return node;
}

static void step_matrix_add_word(struct matrix *matrix, const char *name, double column, double row,
                                 const char *label, const char *colour)
{
    struct drawing_node *node = add_cell(matrix, name, column, row, label);
    drawing_node_set(node, "shape", "none");
    drawing_node_set(node, "style", "");
    drawing_node_set(node, "fontcolor", colour);
}

/* Adds the ground below the cells. */
static void add_ground(struct matrix *matrix)
{
    char side[32];
    const double middle = (matrix->n_rows - 1) / 2.0;
    struct drawing_node *ground = add_cell(matrix, "ground", middle, middle, "");
    snprintf(side, sizeof side, "%.3f", matrix->n_rows * CELL / 72.0);
    drawing_node_set(ground, "label", "");
    drawing_node_set(ground, "width", side);
    drawing_node_set(ground, "height", side);
    drawing_node_set(ground, "fillcolor", "#f1f4f8");
    drawing_node_set(ground, "color", "#b8c4d0");
}

/* Adds the number of the first server of each row and column, and below a column where messages meet the
 * number of servers that send to it. */
static void add_numbers(struct matrix *matrix)
{
    for (uint32_t i = 0; i < matrix->n_rows; i++) {
        char name[32], label[32];
        const bool meets = matrix->fan_in[i] > 1;
        snprintf(label, sizeof label, "%" PRIu32, i * matrix->n_together);
        snprintf(name, sizeof name, "from%" PRIu32, i);
        step_matrix_add_word(matrix, name, -1, i, label, "#5a6672");
        snprintf(name, sizeof name, "to%" PRIu32, i);
        step_matrix_add_word(matrix, name, i, -1, label, meets ? DRAW_RED : "#5a6672");
        snprintf(name, sizeof name, "fan_in%" PRIu32, i);
        snprintf(label, sizeof label, "%" PRIu32, matrix->fan_in[i]);
        if (meets)
            step_matrix_add_word(matrix, name, i, matrix->n_rows, label, DRAW_RED);
    }
}

static void step_matrix_add_messages(struct matrix *matrix, uint32_t from, uint32_t to)
{
    char name[64], label[32];
    const uint64_t n = matrix->cells[(size_t)to * matrix->n_rows + from];
    if (!n)
        return;
    snprintf(name, sizeof name, "%" PRIu32 "_%" PRIu32, from, to);
    snprintf(label, sizeof label, "%" PRIu64, n);
    struct drawing_node *node = add_cell(matrix, name, to, from, label);
    const bool is_local = matrix->servers->placement && from == to;
    drawing_node_set(node, "fillcolor", is_local ? DRAW_GREY : matrix->fan_in[to] > 1 ? DRAW_RED : DRAW_BLUE);
}

static void step_matrix_caption(const struct matrix *matrix)
{
    struct text html = {0};
    drawing_name_schedule(matrix->header, &html);
    text_printf(&html, ", step %" PRIu64 ": %zu messages of %" PRIu32 " ranks, by %s%s", matrix->step->index,
                matrix->step->n_sends, matrix->header->n_ranks,
                matrix->servers->placement ? "server" : "rank",
                matrix->n_together > 1 ? "s that lie together" : "");
    text_printf(&html, "; rows send, columns receive");
    drawing_caption_step(matrix->drawing, html.data, "within a server",
                         "to a server that receives from several: so many below");
    text_free(&html);
}

static void step_matrix_draw(struct matrix *matrix)
{
    drawing_set_up(matrix->drawing, "nop");
    drawing_set_nodes(matrix->drawing, "shape", "box");
    drawing_set_nodes(matrix->drawing, "fixedsize", "true");
    drawing_set_nodes(matrix->drawing, "width", "0.28");
    drawing_set_nodes(matrix->drawing, "height", "0.28");
    drawing_set_nodes(matrix->drawing, "fontcolor", "white");
    drawing_set_nodes(matrix->drawing, "color", "white");
    step_matrix_caption(matrix);
    add_ground(matrix);
    add_numbers(matrix);
    for (uint32_t from = 0; from < matrix->n_rows; from++)
        for (uint32_t to = 0; to < matrix->n_rows; to++)
            step_matrix_add_messages(matrix, from, to);
}

void draw_step_matrix(const struct schedule_header *header, const struct step_servers *servers,
                      const struct step *step, struct text *out)
{
    struct matrix matrix = {.header = header, .servers = servers, .step = step};
    matrix.n_together = (servers->n_servers + MAX_ROWS - 1) / MAX_ROWS;
    matrix.n_rows = (servers->n_servers + matrix.n_together - 1) / matrix.n_together;
    matrix.cells = mem_alloc((size_t)matrix.n_rows * matrix.n_rows, sizeof *matrix.cells);
    matrix.fan_in = mem_alloc(matrix.n_rows, sizeof *matrix.fan_in);
    step_matrix_fill(&matrix);
    matrix.drawing = drawing_open("step");
    step_matrix_draw(&matrix);
    drawing_close(matrix.drawing, out);
    free(matrix.cells);
    free(matrix.fan_in);
}
