/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the dependencies. A node is a rank after one of its steps, or at its beginning. An edge from a
 * rank to itself is its step. An edge to another rank is a message: from the sender's node before the
 * step in which it sends to the receiver's node after the step in which it receives. So there are no
 * cycles, even if two ranks exchange. The critical path (emit_request.critical) is red.
 *
 * If the schedule is large it draws only the path and the other dependencies of its steps.
 */
#include "emitters/drawing/draw.h"

#include "base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WHOLE_EDGES = 400, MOST_EDGES = 2000 };

static const char grey[] = "#8a939c", blue[] = "#2b6cb0", red[] = "#b3132b";

/* A rank in a step in which it has operations. */
struct turn {
    uint32_t rank;
    bool is_critical;      /* it ends on the critical path ... */
    bool is_path;          /* ... and its own edge is part of that */
    uint64_t step;
    struct drawing_node *behind; /* NULL: not yet drawn */
};

/* One end of a message; those of a pair of ranks meet in order (ir/schedule.h). */
struct end {
    uint32_t from, to;
    uint64_t step, order;
};

struct dependencies {
    const struct emit_request *request;
    struct turn *turns;    /* by rank and step */
    size_t n_turns, turn_capacity;
    struct drawing_node **begins; /* [rank] NULL: not yet drawn */
    struct end *sends, *receives;
    size_t n_sends, send_capacity, n_receives, receive_capacity;
    struct drawing *drawing;
    size_t n_edges;
    bool is_whole;
};

/* ---- what is there ---- */

static int draw_dependencies_compare_turns(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static int draw_dependencies_compare_ends(const void *left, const void *right)
{
    const struct end *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void add_turns(struct dependencies *all, const struct op *ops, size_t n, uint64_t step, uint64_t *seen)
{
    for (size_t i = 0; i < n; i++) {
        if (seen[ops[i].rank] == step + 1)
            continue;
        seen[ops[i].rank] = step + 1;
        all->turns = mem_grow(all->turns, &all->turn_capacity, all->n_turns + 1, sizeof *all->turns);
        all->turns[all->n_turns++] = (struct turn){.rank = ops[i].rank, .step = step};
    }
}

static void draw_dependencies_add_ends(struct dependencies *all, const struct step *step)
{
    all->sends = mem_grow(all->sends, &all->send_capacity, all->n_sends + step->n_sends, sizeof *all->sends);
    for (size_t i = 0; i < step->n_sends; i++, all->n_sends++)
        all->sends[all->n_sends] =
            (struct end){step->sends[i].rank, step->sends[i].peer, step->index, all->n_sends};
    all->receives = mem_grow(all->receives, &all->receive_capacity, all->n_receives + step->n_receives,
                             sizeof *all->receives);
    for (size_t i = 0; i < step->n_receives; i++, all->n_receives++)
        all->receives[all->n_receives] =
            (struct end){step->receives[i].peer, step->receives[i].rank, step->index, all->n_receives};
}

/* False if producing a step failed. */
static bool draw_dependencies_gather(struct dependencies *all)
{
    struct schedule *schedule = all->request->schedule;
    uint64_t *seen = mem_alloc(schedule->header.n_ranks, sizeof *seen);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        add_turns(all, step.sends, step.n_sends, step.index, seen);
        add_turns(all, step.receives, step.n_receives, step.index, seen);
        add_turns(all, step.copies, step.n_copies, step.index, seen);
        draw_dependencies_add_ends(all, &step);
    }
    free(seen);
    if (all->n_turns)
        qsort(all->turns, all->n_turns, sizeof *all->turns, draw_dependencies_compare_turns);
    if (all->n_sends)
        qsort(all->sends, all->n_sends, sizeof *all->sends, draw_dependencies_compare_ends);
    if (all->n_receives)
        qsort(all->receives, all->n_receives, sizeof *all->receives, draw_dependencies_compare_ends);
    all->is_whole = all->n_turns + all->n_sends <= WHOLE_EDGES;
    return !schedule->failed;
}

static struct turn *find_turn(const struct dependencies *all, uint32_t rank, uint64_t step)
{
    const struct turn wanted = {.rank = rank, .step = step};
    return all->n_turns
               ? bsearch(&wanted, all->turns, all->n_turns, sizeof wanted, draw_dependencies_compare_turns)
               : NULL;
}

/* ---- the critical path ---- */

/* True if the path reaches the rank of an operation by the message, not by the rank's own step. `before` is
 * the operation before it on the path, NULL for the first. */
static bool is_by_message(const struct critical_op *op, const struct critical_op *before)
{
    return op->kind == OP_RECV && op->peer != op->rank && (!before || before->rank == op->peer);
}

/* Marks a rank's own edges as part of the path, after step `first` up to step `last`. */
static void mark_steps(struct dependencies *all, uint32_t rank, uint64_t first, uint64_t last)
{
    for (struct turn *turn = find_turn(all, rank, last); turn; turn--) {
        if (turn->rank != rank || turn->step <= first)
            return;
        turn->is_critical = turn->is_path = true;
        if (turn == all->turns)
            return;
    }
}

static struct turn *turn_before(const struct dependencies *all, struct turn *turn)
{
    return turn && turn > all->turns && turn[-1].rank == turn->rank ? turn - 1 : NULL;
}

/* Returns the step in which the message of this receive was sent. */
static uint64_t step_of_send(const struct dependencies *all, const struct critical_op *op)
{
    const struct end wanted = {op->peer, op->rank, 0, 0};
    size_t low = 0, high = all->n_receives;
    SEARCH_FIRST(low, high, middle, draw_dependencies_compare_ends(&all->receives[middle], &wanted) < 0);
    for (; low < all->n_receives && low < all->n_sends; low++) {
        const struct end *end = &all->receives[low];
        if (end->from != op->peer || end->to != op->rank)
            break;
        if (end->step == op->step)
            return all->sends[low].step;
    }
    return op->step;
}

static void mark_path(struct dependencies *all)
{
    const struct critical_op *path = all->request->critical;
    for (size_t i = 0; i < all->request->n_critical; i++) {
        const struct critical_op *before = i ? &path[i - 1] : NULL;
        struct turn *turn = find_turn(all, path[i].rank, path[i].step);
        if (!turn)
            continue;
        turn->is_critical = true;
        if (!is_by_message(&path[i], before)) {
            mark_steps(all, path[i].rank, before && before->rank == path[i].rank ? before->step : UINT64_MAX,
                       path[i].step);
            turn->is_path = turn->is_path || !before || before->rank != path[i].rank ||
                            before->step != path[i].step;
        } else if (before) {
            const struct turn *last =
                turn_before(all, find_turn(all, path[i].peer, step_of_send(all, &path[i])));
            if (last)
                mark_steps(all, path[i].peer, before->step, last->step);
        }
    }
}

/* True if the message of this receive is on the path. */
static bool draw_dependencies_is_on_path(const struct dependencies *all, const struct end *receive)
{
    const struct critical_op *path = all->request->critical;
    for (size_t i = 0; i < all->request->n_critical; i++)
        if (path[i].rank == receive->to && path[i].peer == receive->from && path[i].step == receive->step &&
            is_by_message(&path[i], i ? &path[i - 1] : NULL))
            return true;
    return false;
}

/* ---- the drawing ---- */

static struct drawing_node *draw_dependencies_add_node(struct dependencies *all, uint32_t rank,
                                                       const struct turn *turn)
{
    char name[64], label[64];
    if (turn)
        snprintf(name, sizeof name, "r%" PRIu32 "s%" PRIu64, rank, turn->step);
    else
        snprintf(name, sizeof name, "r%" PRIu32, rank);
    if (turn)
        snprintf(label, sizeof label, "%" PRIu32 "\\nstep %" PRIu64, rank, turn->step);
    else
        snprintf(label, sizeof label, "%" PRIu32, rank);
    struct drawing_node *node = drawing_node(all->drawing, NULL, name, label);
    if (turn && turn->is_critical)
        drawing_node_set(node, "color", red);
    if (!turn)
        drawing_node_set(node, "fillcolor", "#e8eef5");
    return node;
}

static struct drawing_node *node_behind(struct dependencies *all, struct turn *turn)
{
    if (!turn->behind)
        turn->behind = draw_dependencies_add_node(all, turn->rank, turn);
    return turn->behind;
}

static struct drawing_node *node_before(struct dependencies *all, struct turn *turn)
{
    struct turn *before = turn_before(all, turn);
    if (before)
        return node_behind(all, before);
    if (!all->begins[turn->rank])
        all->begins[turn->rank] = draw_dependencies_add_node(all, turn->rank, NULL);
    return all->begins[turn->rank];
}

static void draw_dependencies_add_edge(struct dependencies *all, struct drawing_node *from,
                                       struct drawing_node *to, bool is_path, bool is_message)
{
    struct drawing_edge *edge = drawing_edge(all->drawing, from, to);
    all->n_edges++;
    drawing_edge_set(edge, "color", is_path ? red : is_message ? blue : grey);
    if (is_path)
        drawing_edge_set(edge, "penwidth", "2.5");
    if (!is_message)
        drawing_edge_set(edge, "style", is_path ? "solid" : "dotted");
}

static void draw_dependencies_add_steps(struct dependencies *all)
{
    for (size_t i = 0; i < all->n_turns; i++) {
        struct turn *turn = &all->turns[i];
        if (all->is_whole || turn->is_path)
            draw_dependencies_add_edge(all, node_before(all, turn), node_behind(all, turn), turn->is_path,
                                       false);
    }
}

/* Adds messages; those on the path first, so that the limit drops them last. */
static void draw_dependencies_add_messages(struct dependencies *all, bool of_path)
{
    const size_t n = all->n_sends < all->n_receives ? all->n_sends : all->n_receives;
    for (size_t i = 0; i < n && all->n_edges < MOST_EDGES; i++) {
        const struct end *send = &all->sends[i], *receive = &all->receives[i];
        struct turn *from = find_turn(all, send->from, send->step);
        struct turn *to = find_turn(all, receive->to, receive->step);
        if (!from || !to || send->from == send->to || (!all->is_whole && !to->is_critical) ||
            (to->is_critical && draw_dependencies_is_on_path(all, receive)) != of_path)
            continue;
        draw_dependencies_add_edge(all, node_before(all, from), node_behind(all, to), of_path, true);
    }
}

static void draw_dependencies_caption(struct dependencies *all)
{
    const struct emit_request *request = all->request;
    const struct schedule_header *header = &request->schedule->header;
    struct text html = {0};
    char path[64];
    drawing_escape(collective_name(header->collective, header->form), &html);
    text_printf(&html, "/");
    drawing_escape(header->algorithm ? header->algorithm : "schedule", &html);
    text_printf(&html, ", %" PRIu32 " ranks%s", header->n_ranks,
                all->is_whole ? "" : ": the critical path and what its steps wait for");
    snprintf(path, sizeof path, "the critical path, %" PRIu64 " ns, model asap",
             request->n_critical ? request->critical[request->n_critical - 1].end : 0);
    const struct drawing_colour colours[] = {
        {grey, "a rank behind its steps: dotted"}, {blue, "messages"}, {red, path}};
    drawing_caption_colours(all->drawing, html.data, colours, sizeof colours / sizeof *colours);
    text_free(&html);
}

static void set_up(struct drawing *drawing)
{
    drawing_set(drawing, "layout", "dot");
    drawing_set(drawing, "fontname", "Helvetica");
    drawing_set(drawing, "fontsize", "11");
    drawing_set_nodes(drawing, "fontname", "Helvetica");
    drawing_set_nodes(drawing, "fontsize", "10");
    drawing_set_nodes(drawing, "style", "filled");
    drawing_set_nodes(drawing, "shape", "box");
    drawing_set_nodes(drawing, "fillcolor", "#f6f6f2");
    drawing_set_nodes(drawing, "height", "0.3");
    drawing_set_nodes(drawing, "margin", "0.05,0.06");
    drawing_set_edges(drawing, "arrowsize", "0.5");
}

const char *emit_drawing_dependencies(const struct emit_request *request, struct text *out)
{
    struct dependencies all = {.request = request};
    const bool is_there = draw_dependencies_gather(&all);
    if (is_there) {
        mark_path(&all);
        all.begins = mem_alloc(request->schedule->header.n_ranks, sizeof(struct drawing_node *));
        all.drawing = drawing_open("dependencies");
        set_up(all.drawing);
        draw_dependencies_caption(&all);
        draw_dependencies_add_steps(&all);
        draw_dependencies_add_messages(&all, true);
        draw_dependencies_add_messages(&all, false);
        drawing_close(all.drawing, out);
    }
    free(all.turns);
    free(all.begins);
    free(all.sends);
    free(all.receives);
    return is_there ? NULL : "";
}
