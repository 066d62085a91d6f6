/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the tree along which data spreads, or is gathered. See docs/drawing.md.
 */
#include "emitters/drawing/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct arc {
    uint32_t from, to;
    uint64_t first, last, n; /* steps, messages */
};

struct tree {
    const struct schedule_header *header;
    struct arc *arcs;
    size_t n, capacity;
    uint32_t *depth;         /* [rank] edges from or to the root; UINT32_MAX: no way */
};

static int compare_arcs(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Merges equal arcs into one, which limits memory to the number of pairs. */
static void merge_arcs(struct tree *tree)
{
    size_t n = 0;
    if (tree->n == 0)
        return;
    qsort(tree->arcs, tree->n, sizeof *tree->arcs, compare_arcs);
    for (size_t i = 0; i < tree->n; i++) {
        struct arc *arc = &tree->arcs[i], *before = n ? &tree->arcs[n - 1] : NULL;
        if (!before || before->from != arc->from || before->to != arc->to) {
            tree->arcs[n++] = *arc;
            continue;
        }
        before->last = arc->last > before->last ? arc->last : before->last;
        before->n += arc->n;
    }
    tree->n = n;
}

static void add_sends(struct tree *tree, const struct step *step)
{
    tree->arcs = mem_grow(tree->arcs, &tree->capacity, tree->n + step->n_sends, sizeof *tree->arcs);
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *op = &step->sends[i];
        if (op->rank >= tree->header->n_ranks || op->peer >= tree->header->n_ranks)
            continue;
        tree->arcs[tree->n++] = (struct arc){op->rank, op->peer, step->index, step->index, 1};
        uint32_t *depth = &tree->depth[op->peer];
        if (*depth == UINT32_MAX && tree->depth[op->rank] != UINT32_MAX)
            *depth = tree->depth[op->rank] + 1;
    }
}

static bool drawing_tree_read_tree(struct tree *tree, struct schedule *schedule)
{
    size_t limit = 4096;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        add_sends(tree, &step);
        if (tree->n < limit)
            continue;
        merge_arcs(tree);
        limit = tree->n > limit / 2 ? 2 * limit : limit;
    }
    merge_arcs(tree);
    return !schedule->failed;
}

static int compare_last(const void *left, const void *right)
{
    const struct arc *a = left, *b = right;
    return a->last != b->last ? (a->last < b->last ? 1 : -1) : compare_arcs(left, right);
}

/* Finds depths in a reduce or gather: backwards from the root, the last arcs first. */
static void find_depths_backwards(struct tree *tree)
{
    if (tree->n)
        qsort(tree->arcs, tree->n, sizeof *tree->arcs, compare_last);
    for (size_t i = 0; i < tree->n; i++) {
        const struct arc *arc = &tree->arcs[i];
        if (tree->depth[arc->from] == UINT32_MAX && tree->depth[arc->to] != UINT32_MAX)
            tree->depth[arc->from] = tree->depth[arc->to] + 1;
    }
}

static void drawing_tree_add_arc(struct drawing *drawing, struct drawing_node *const *nodes,
                                 const struct arc *arc)
{
    char label[96];
    struct drawing_edge *edge = drawing_edge(drawing, nodes[arc->from], nodes[arc->to]);
    if (arc->n == 1)
        snprintf(label, sizeof label, "%" PRIu64, arc->first);
    else
        snprintf(label, sizeof label, "%" PRIu64 "..%" PRIu64 " (%" PRIu64 ")", arc->first, arc->last,
                 arc->n);
    drawing_edge_set(edge, "label", label);
}

static void draw_ranks(const struct tree *tree, struct drawing *drawing)
{
    uint32_t n_ranks = tree->header->n_ranks;
    struct drawing_node **nodes = mem_alloc(n_ranks, sizeof(struct drawing_node *));
    bool is_rooted = collective_table[tree->header->collective].rooted;
    for (uint32_t i = 0; i < n_ranks; i++) {
        /* the root first, so that it stands at the top left */
        uint32_t rank = is_rooted ? (i + tree->header->root) % n_ranks : i;
        char name[32];
        snprintf(name, sizeof name, "%" PRIu32, rank);
        nodes[rank] = drawing_node(drawing, NULL, name, NULL);
        if (is_rooted && rank == tree->header->root)
            drawing_node_set(nodes[rank], "fillcolor", "#f7c85f");
    }
    for (size_t i = 0; i < tree->n; i++)
        drawing_tree_add_arc(drawing, nodes, &tree->arcs[i]);
    free(nodes);
}

/* Draws one node for all ranks of a depth, if there are too many ranks. */
static void draw_depths(const struct tree *tree, struct drawing *drawing)
{
    uint32_t n_ranks = tree->header->n_ranks;
    uint32_t *count = mem_alloc((size_t)n_ranks + 1, sizeof *count);
    struct drawing_node *before = NULL;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        count[tree->depth[rank] < n_ranks ? tree->depth[rank] : n_ranks]++;
    for (uint32_t depth = 0; depth <= n_ranks && depth < DRAW_MAX_NODES; depth++) {
        char name[32], label[64];
        if (!count[depth])
            continue;
        snprintf(name, sizeof name, "depth%" PRIu32, depth);
        snprintf(label, sizeof label, "%" PRIu32 " rank%s at depth %" PRIu32, count[depth],
                 count[depth] == 1 ? "" : "s", depth);
        struct drawing_node *node = drawing_node(drawing, NULL, name, label);
        if (before)
            drawing_edge(drawing, before, node);
        before = node;
    }
    free(count);
}

static void caption_tree(const struct tree *tree, bool is_whole, struct drawing *drawing)
{
    const struct schedule_header *header = tree->header;
    struct text html = {0};
    drawing_name_schedule(header, &html);
    text_printf(&html, ", %" PRIu32 " ranks: %s", header->n_ranks,
                is_whole ? "an edge has its step, or first..last step (messages)"
                         : "too many to draw each, so one node for each depth");
    drawing_caption(drawing, html.data);
    text_free(&html);
}

bool draw_tree(struct schedule *schedule, struct text *out)
{
    struct tree tree = {.header = &schedule->header};
    uint32_t n_ranks = tree.header->n_ranks;
    bool is_rooted = collective_table[tree.header->collective].rooted;
    tree.depth = mem_alloc(n_ranks, sizeof *tree.depth);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        tree.depth[rank] = is_rooted && rank != tree.header->root ? UINT32_MAX : 0;
    bool done = drawing_tree_read_tree(&tree, schedule);
    if (collective_table[tree.header->collective].after == HELD_ROOT)
        find_depths_backwards(&tree);
    if (done) {
        bool is_whole = n_ranks <= DRAW_MAX_NODES && tree.n <= DRAW_MAX_EDGES;
        struct drawing *drawing = drawing_open("tree");
        drawing_set_up(drawing, "dot");
        drawing_set(drawing, "ranksep", "0.5");
        drawing_set_nodes(drawing, "shape", is_whole ? "circle" : "box");
        caption_tree(&tree, is_whole, drawing);
        if (is_whole)
            draw_ranks(&tree, drawing);
        else
            draw_depths(&tree, drawing);
        drawing_close(drawing, out);
    }
    free(tree.arcs);
    free(tree.depth);
    return done;
}

const char *emit_drawing_tree(const struct emit_request *request, struct text *out)
{
    return draw_tree(request->schedule, out) ? NULL : "";
}
