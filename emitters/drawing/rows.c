/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See rows.h. The order of the passes: x of nodes, tracks of brackets, places of lines along the sides of
 * their nodes, y of rows, then points and labels.
 */
#include "emitters/drawing/rows.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double node_gap = 0.4;    /* between neighbours of a row; less where the picture is wide */
static const double least_gap = 0.1;
static const double page_width = 21.9; /* that makes less than 1600 points with its margins */
static const double first_track = 0.3; /* from a row to its nearest bracket */
static const double track_gap = 0.16;  /* between brackets, and around their labels */
static const double margin = 0.04;     /* around a label, free of lines */

/* Limit of labels x lines above which labels do not look for room. */
enum { MAX_COMPARED = 1 << 20, N_SWEEPS = 2 };

/* The end of a line at a side of a node. Ends of brackets that lead to the left come first, the nearest of
 * them leftmost, then straight lines by where they lead, then brackets to the right, so that lines of one
 * node do not cross each other. */
struct end {
    uint32_t node;
    bool is_above;
    int group;    /* -1 bracket to the left, 0 straight, 1 bracket to the right */
    double order; /* within the group */
    size_t line;
    bool is_to; /* the end at `to` */
};

struct layout {
    struct rows_node *nodes;
    size_t n_nodes;
    struct rows_line *lines;
    size_t n_lines;
    uint32_t n_rows;
    double gap;         /* between neighbours of a row */
    double *row_y;      /* [row] */
    uint32_t *n_tracks; /* [row] */
    double *track_size; /* [row] from track to track */
    uint32_t *track;    /* [line] of a bracket */
    double *from_x, *to_x; /* [line] */
};

static bool is_bracket(const struct layout *layout, const struct rows_line *line)
{
    return layout->nodes[line->from].row == layout->nodes[line->to].row;
}

/* --- x of nodes -------------------------------------------------------- */

/* Returns the sum of the widths of the nodes in a row, and their number. */
static double rows_row_width(const struct layout *layout, uint32_t row, size_t *n)
{
    double width = 0;
    *n = 0;
    for (size_t i = 0; i < layout->n_nodes; i++)
        if (layout->nodes[i].row == row) {
            width += layout->nodes[i].width;
            ++*n;
        }
    return width;
}

/* Finds the horizontal extent of the nodes in `placed` rows to which this row has lines. */
static bool find_extent(const struct layout *layout, uint32_t row, const bool *is_placed, double *low,
                        double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct rows_node *a = &layout->nodes[layout->lines[i].from];
        const struct rows_node *b = &layout->nodes[layout->lines[i].to];
        const struct rows_node *other = a->row == row ? b : b->row == row ? a : NULL;
        if (!other || other->row == row || !is_placed[other->row])
            continue;
        *low = fmin(*low, other->at.x - other->width / 2);
        *high = fmax(*high, other->at.x + other->width / 2);
    }
    return *low < *high;
}

/* Places the nodes of a row side by side, evenly over its extent, or around its middle if it is too small. */
static void rows_place_row(struct layout *layout, uint32_t row, bool *is_placed)
{
    double low, high;
    size_t n;
    const double width = rows_row_width(layout, row, &n);
    const bool has_extent = find_extent(layout, row, is_placed, &low, &high);
    const double needed = width + (double)n * layout->gap;
    const double room = has_extent ? fmax(needed, high - low + layout->gap) : needed;
    const double gap = n ? (room - width) / (double)n : 0;
    double x = (has_extent ? (low + high) / 2 : needed / 2) - room / 2;
    for (size_t i = 0; i < layout->n_nodes; i++) {
        struct rows_node *node = &layout->nodes[i];
        if (node->row != row)
            continue;
        node->at.x = x + gap / 2 + node->width / 2;
        x += gap + node->width;
    }
    is_placed[row] = true;
}

/* Places the widest row first, then the rows above and below it. */
static void place_nodes(struct layout *layout)
{
    bool *is_placed = mem_alloc(layout->n_rows, sizeof *is_placed);
    uint32_t widest = 0;
    double most = -1;
    for (uint32_t row = 0; row < layout->n_rows; row++) {
        size_t n;
        const double width = rows_row_width(layout, row, &n);
        if (width + (double)n * node_gap > most) {
            most = width + (double)n * node_gap;
            layout->gap = n ? fmin(node_gap, fmax(least_gap, (page_width - width) / (double)n)) : node_gap;
            widest = row;
        }
    }
    rows_place_row(layout, widest, is_placed);
    for (uint32_t row = widest + 1; row < layout->n_rows; row++)
        rows_place_row(layout, row, is_placed);
    for (uint32_t row = widest; row-- > 0;)
        rows_place_row(layout, row, is_placed);
    free(is_placed);
}

/* --- brackets ---------------------------------------------------------- */

struct bracket {
    double left, right;
    uint32_t row;
    size_t line;
};

/* Orders short brackets first, so that they are nearest to their row. */
static int compare_brackets(const void *left, const void *right)
{
    const struct bracket *a = left, *b = right;
    const double difference = (a->right - a->left) - (b->right - b->left);
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (fabs(difference) > 1e-9)
        return difference < 0 ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Returns the lowest track that no earlier bracket above or below this one has. `is_taken` is all false
 * before and after. */
static uint32_t free_track(const struct layout *layout, const struct bracket *brackets, size_t i,
                           bool *is_taken)
{
    const struct bracket *bracket = &brackets[i];
    size_t first = i;
    uint32_t track = 0;
    while (first > 0 && brackets[first - 1].row == bracket->row)
        first--;
    for (size_t j = first; j < i; j++)
        if (brackets[j].left < bracket->right - 1e-9 && bracket->left < brackets[j].right - 1e-9)
            is_taken[layout->track[brackets[j].line]] = true;
    while (is_taken[track])
        track++;
    for (size_t j = first; j < i; j++)
        is_taken[layout->track[brackets[j].line]] = false;
    return track;
}

/* Finds the tracks; brackets above each other need one each. */
static void find_tracks(struct layout *layout)
{
    struct bracket *brackets = mem_alloc(layout->n_lines, sizeof *brackets);
    bool *is_taken = mem_alloc(layout->n_lines + 1, sizeof *is_taken);
    size_t n = 0;
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct rows_line *line = &layout->lines[i];
        if (!is_bracket(layout, line))
            continue;
        const double a = layout->nodes[line->from].at.x, b = layout->nodes[line->to].at.x;
        brackets[n++] = (struct bracket){fmin(a, b), fmax(a, b), layout->nodes[line->from].row, i};
    }
    qsort(brackets, n, sizeof *brackets, compare_brackets);
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = brackets[i].row, track = free_track(layout, brackets, i, is_taken);
        layout->track[brackets[i].line] = track;
        if (layout->n_tracks[row] <= track)
            layout->n_tracks[row] = track + 1;
        layout->track_size[row] =
            fmax(layout->track_size[row], layout->lines[brackets[i].line].label_height + track_gap);
    }
    free(is_taken);
    free(brackets);
}

/* --- ends -------------------------------------------------------------- */

static int rows_compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->is_above != b->is_above)
        return a->is_above ? 1 : -1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (fabs(a->order - b->order) > 1e-9)
        return a->order < b->order ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static struct end rows_end_of(const struct layout *layout, size_t i, bool is_to)
{
    const struct rows_line *line = &layout->lines[i];
    const uint32_t node = is_to ? line->to : line->from, other = is_to ? line->from : line->to;
    const struct rows_node *here = &layout->nodes[node], *there = &layout->nodes[other];
    struct end end = {.node = node, .is_above = here->row < there->row, .line = i, .is_to = is_to};
    end.order = there->at.x;
    if (is_bracket(layout, line)) {
        end.is_above = here->row > 0;
        end.group = there->at.x < here->at.x ? -1 : 1;
        end.order = -(double)end.group * (double)layout->track[i];
    }
    return end;
}

/* Ends on one side of a node share it evenly, no further apart than is needed to tell them apart. */
static void place_ends(struct layout *layout)
{
    const size_t n = 2 * layout->n_lines;
    struct end *ends = mem_alloc(n, sizeof *ends);
    for (size_t i = 0; i < n; i++)
        ends[i] = rows_end_of(layout, i / 2, i % 2);
    qsort(ends, n, sizeof *ends, rows_compare_ends);
    for (size_t i = 0, after; i < n; i = after) {
        const struct rows_node *node = &layout->nodes[ends[i].node];
        after = i + 1;
        while (after < n && ends[after].node == ends[i].node && ends[after].is_above == ends[i].is_above)
            after++;
        const double count = (double)(after - i), apart = fmin(0.22, 0.9 * node->width / count);
        for (size_t j = i; j < after; j++) {
            double *x = ends[j].is_to ? layout->to_x : layout->from_x;
            x[ends[j].line] = node->at.x + ((double)(j - i) - (count - 1) / 2) * apart;
        }
    }
    free(ends);
}

/* --- y, and points ----------------------------------------------------- */

static double bracket_height(const struct layout *layout, uint32_t row, uint32_t tracks)
{
    return tracks ? first_track + layout->track_size[row] * tracks : 0;
}

/* True if a line from that row down has a label. */
static bool has_labels_below(const struct layout *layout, uint32_t row)
{
    for (size_t i = 0; i < layout->n_lines; i++) {
        const struct rows_line *line = &layout->lines[i];
        const uint32_t a = layout->nodes[line->from].row, b = layout->nodes[line->to].row;
        if (line->label_width > 0 && a != b && (a > b ? a : b) == row)
            return true;
    }
    return false;
}

/* Places the rows. Wide rows stand further apart so that their lines are not too flat to tell apart, and to
 * have room for labels. */
static void place_rows(struct layout *layout)
{
    double low = INFINITY, high = -INFINITY, tallest = 0;
    for (size_t i = 0; i < layout->n_nodes; i++) {
        struct rows_node *node = &layout->nodes[i];
        low = fmin(low, node->at.x);
        high = fmax(high, node->at.x);
        tallest = fmax(tallest, node->height);
    }
    const double labelled = fmin(fmax((high - low) / 3.5, 1.6), 5);
    const double plain = fmin(fmax((high - low) / 10, 0.8), 5);
    for (uint32_t row = 1; row < layout->n_rows; row++)
        layout->row_y[row] = layout->row_y[row - 1] + tallest +
                             (has_labels_below(layout, row) ? labelled : plain) +
                             (row > 1 ? bracket_height(layout, row - 1, layout->n_tracks[row - 1]) : 0);
    for (size_t i = 0; i < layout->n_nodes; i++)
        layout->nodes[i].at.y = layout->row_y[layout->nodes[i].row];
}

static void place_line(struct layout *layout, size_t i)
{
    struct rows_line *line = &layout->lines[i];
    const struct rows_node *from = &layout->nodes[line->from], *to = &layout->nodes[line->to];
    const double from_x = layout->from_x[i], to_x = layout->to_x[i];
    if (is_bracket(layout, line)) {
        const double up = from->row > 0 ? 1 : -1;
        const double y = from->at.y + up * (from->height / 2 + first_track +
                                            layout->track_size[from->row] * layout->track[i]);
        line->n_points = 4;
        line->points[0] = (struct rows_point){from_x, from->at.y + up * from->height / 2};
        line->points[1] = (struct rows_point){from_x, y};
        line->points[2] = (struct rows_point){to_x, y};
        line->points[3] = (struct rows_point){to_x, to->at.y + up * to->height / 2};
        return;
    }
    const double up = from->row < to->row ? 1 : -1;
    line->n_points = 2;
    line->points[0] = (struct rows_point){from_x, from->at.y + up * from->height / 2};
    line->points[1] = (struct rows_point){to_x, to->at.y - up * to->height / 2};
}

/* --- labels ------------------------------------------------------------ */

struct box {
    double left, right, bottom, top;
};

static struct box box_around(struct rows_point at, double width, double height)
{
    return (struct box){at.x - width / 2, at.x + width / 2, at.y - height / 2, at.y + height / 2};
}

static struct box node_box(const struct rows_node *node)
{
    return box_around(node->at, node->width, node->height);
}

static struct box label_box(const struct rows_line *line, struct rows_point at)
{
    return box_around(at, line->label_width + 2 * margin, line->label_height + 2 * margin);
}

static bool boxes_meet(struct box a, struct box b)
{
    return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

/* Cuts from [*first, *last], the part of a line that is inside, what is on the wrong side of one edge of a
 * box; `value` grows by `step` along the line. False: nothing is left (Liang and Barsky 1984). */
static bool clip(double value, double step, double low, double high, double *first, double *last)
{
    if (fabs(step) < 1e-12)
        return low < value && value < high;
    const double a = (low - value) / step, b = (high - value) / step;
    *first = fmax(*first, fmin(a, b));
    *last = fmin(*last, fmax(a, b));
    return *first < *last;
}

static bool rows_crosses(const struct rows_line *line, struct box box)
{
    for (unsigned i = 0; i + 1 < line->n_points; i++) {
        const struct rows_point a = line->points[i], b = line->points[i + 1];
        double first = 0, last = 1;
        if (clip(a.x, b.x - a.x, box.left, box.right, &first, &last) &&
            clip(a.y, b.y - a.y, box.bottom, box.top, &first, &last))
            return true;
    }
    return false;
}

/* Fractions of the way at which a label is tried, the middle first; along the track for a bracket. */
static const double tried[] = {0.5,  0.45, 0.55, 0.4,  0.6,  0.35, 0.65, 0.3, 0.7,
                               0.25, 0.75, 0.2,  0.8,  0.15, 0.85, 0.1,  0.9};
enum { N_TRIED = sizeof tried / sizeof *tried };

static struct rows_point label_at(const struct rows_line *line, unsigned i)
{
    const struct rows_point *a = &line->points[line->n_points / 2 - 1], *b = a + 1;
    return (struct rows_point){a->x + (b->x - a->x) * tried[i], a->y + (b->y - a->y) * tried[i]};
}

/* Returns the cost of what a label at that place hides: lines by weight, more for another label, most for a
 * node. */
static double hidden(const struct layout *layout, size_t i, struct rows_point at)
{
    const struct box box = label_box(&layout->lines[i], at);
    double cost = 0;
    for (size_t j = 0; j < layout->n_lines; j++) {
        const struct rows_line *other = &layout->lines[j];
        if (j == i)
            continue;
        if (rows_crosses(other, box))
            cost += 1 + 2 * other->weight;
        if (other->label_width > 0 && boxes_meet(box, label_box(other, other->label)))
            cost += 6;
    }
    for (size_t j = 0; j < layout->n_nodes; j++)
        if (boxes_meet(box, node_box(&layout->nodes[j])))
            cost += 12;
    return cost;
}

static void place_label(struct layout *layout, size_t i)
{
    double least = INFINITY;
    struct rows_point best = layout->lines[i].label;
    for (unsigned k = 0; k < N_TRIED && least > 0; k++) {
        const struct rows_point at = label_at(&layout->lines[i], k);
        const double cost = hidden(layout, i, at);
        if (cost < least - 1e-9) {
            least = cost;
            best = at;
        }
    }
    layout->lines[i].label = best;
}

static void place_labels(struct layout *layout)
{
    size_t n_labels = 0;
    for (size_t i = 0; i < layout->n_lines; i++) {
        layout->lines[i].label = label_at(&layout->lines[i], (unsigned)(n_labels % 5));
        n_labels += layout->lines[i].label_width > 0;
    }
    if (n_labels * (layout->n_lines + layout->n_nodes) > MAX_COMPARED)
        return;
    for (int sweep = 0; sweep < N_SWEEPS; sweep++)
        for (size_t i = 0; i < layout->n_lines; i++)
            if (layout->lines[i].label_width > 0)
                place_label(layout, i);
}

/* --- the whole --------------------------------------------------------- */

void rows_lay_out(struct rows_node *nodes, size_t n_nodes, struct rows_line *lines, size_t n_lines)
{
    struct layout layout = {.nodes = nodes, .n_nodes = n_nodes, .lines = lines, .n_lines = n_lines};
    for (size_t i = 0; i < n_nodes; i++)
        layout.n_rows = nodes[i].row >= layout.n_rows ? nodes[i].row + 1 : layout.n_rows;
    layout.row_y = mem_alloc(layout.n_rows, sizeof *layout.row_y);
    layout.n_tracks = mem_alloc(layout.n_rows, sizeof *layout.n_tracks);
    layout.track_size = mem_alloc(layout.n_rows, sizeof *layout.track_size);
    layout.track = mem_alloc(n_lines, sizeof *layout.track);
    layout.from_x = mem_alloc(n_lines, sizeof *layout.from_x);
    layout.to_x = mem_alloc(n_lines, sizeof *layout.to_x);
    place_nodes(&layout);
    find_tracks(&layout);
    place_ends(&layout);
    place_rows(&layout);
    for (size_t i = 0; i < n_lines; i++)
        place_line(&layout, i);
    place_labels(&layout);
    free(layout.row_y);
    free(layout.n_tracks);
    free(layout.track_size);
    free(layout.track);
    free(layout.from_x);
    free(layout.to_x);
}
