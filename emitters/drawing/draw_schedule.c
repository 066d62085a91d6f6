/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules as drawings: the messages of one step, and the tree along which
 * data spreads. See docs/drawing.md.
 *
 * A step has every rank twice, sending above and receiving below, in boxes for
 * the servers; so a permutation looks like one, and several source servers of one
 * destination server (head-of-line blocking) are seen where they meet.
 */
#include "emitters/drawing/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char grey[] = "#8a939c", blue[] = "#2b6cb0", red[] = "#b3132b";

static void set_up(struct drawing *drawing, const char *layout)
{
    drawing_set(drawing, "layout", layout);
    drawing_set(drawing, "fontname", "Helvetica");
    drawing_set(drawing, "fontsize", "11");
    drawing_set_nodes(drawing, "fontname", "Helvetica");
    drawing_set_nodes(drawing, "fontsize", "10");
    drawing_set_nodes(drawing, "style", "filled");
    drawing_set_nodes(drawing, "fillcolor", "#f6f6f2");
    drawing_set_nodes(drawing, "width", "0.4");
    drawing_set_nodes(drawing, "height", "0.3");
    drawing_set_nodes(drawing, "margin", "0.05,0.02");
    drawing_set_edges(drawing, "fontname", "Helvetica");
    drawing_set_edges(drawing, "fontsize", "9");
    drawing_set_edges(drawing, "arrowsize", "0.6");
    drawing_set_edges(drawing, "color", grey);
}

/* --- one step ----------------------------------------------------------- */

struct step_map {
    const struct schedule_header *header;
    const struct placement *placement; /* or NULL: every rank is a server */
    const struct step *step;
    bool by_server;                    /* too many ranks: servers are drawn */
    uint32_t n_nodes, n_servers;
    uint32_t *fan_in;                  /* [server] source servers, itself left out */
    struct drawing *drawing;
    struct drawing_node **nodes;       /* [2 * n_nodes]: senders, then receivers */
    size_t *n_sent, *sent;             /* [rank] messages it sends, and the last of them */
};

static uint32_t server_of(const struct step_map *map, uint32_t rank)
{
    bool is_placed = map->placement && rank < map->placement->n_ranks;
    return is_placed ? map->placement->server[rank] : rank;
}

static uint32_t node_of(const struct step_map *map, uint32_t rank)
{
    return map->by_server ? server_of(map, rank) : rank;
}

struct pair {
    uint32_t from, to;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* Servers of the step's messages, sorted; to be freed. */
static struct pair *sort_pairs(const struct step_map *map)
{
    const struct step *step = map->step;
    struct pair *pairs = mem_alloc(step->n_sends, sizeof *pairs);
    for (size_t i = 0; i < step->n_sends; i++)
        pairs[i] = (struct pair){server_of(map, step->sends[i].rank),
                                 server_of(map, step->sends[i].peer)};
    qsort(pairs, step->n_sends, sizeof *pairs, compare_pairs);
    return pairs;
}

static void find_fan_in(struct step_map *map)
{
    const struct step *step = map->step;
    struct pair *pairs = sort_pairs(map);
    for (size_t i = 0; i < step->n_sends; i++) {
        bool is_new = i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0;
        if (is_new && pairs[i].from != pairs[i].to && pairs[i].to < map->n_servers)
            map->fan_in[pairs[i].to]++;
    }
    free(pairs);
}

/* Inches between neighbours in a row, more between servers, and between rows. */
static const double spacing = 0.66, gap = 0.35, height = 2.4;

static void pin(struct drawing_node *node, double x, double y)
{
    char value[64];
    snprintf(value, sizeof value, "%.2f,%.2f!", x, y);
    drawing_node_set(node, "pos", value);
}

/* The box of a server; drawn before its ranks, so that they lie on it. */
static void add_box(struct step_map *map, uint32_t server, double x, double y, uint32_t n)
{
    char name[48], label[64], width[32];
    bool receives = y < 0.0;
    snprintf(name, sizeof name, "%s_server%" PRIu32, receives ? "to" : "from", server);
    if (receives && map->fan_in[server] > 1)
        snprintf(label, sizeof label, "%" PRIu32 ": from %" PRIu32 " servers", server,
                 map->fan_in[server]);
    else
        snprintf(label, sizeof label, "server %" PRIu32, server);
    snprintf(width, sizeof width, "%.2f", n * spacing + 0.1);
    struct drawing_node *box = drawing_node(map->drawing, NULL, name, label);
    bool is_wide = n > 1 && (n > 2 || !receives || map->fan_in[server] < 2);
    drawing_node_set(box, "label", is_wide ? label : "");
    drawing_node_set(box, "shape", "box");
    drawing_node_set(box, "fixedsize", "true");
    drawing_node_set(box, "width", width);
    drawing_node_set(box, "height", "0.95");
    drawing_node_set(box, "labelloc", receives ? "b" : "t");
    drawing_node_set(box, "fillcolor", receives && map->fan_in[server] > 1 ? "#fbe3e4" : "#e8eef5");
    drawing_node_set(box, "color", "#b8c4d0");
    pin(box, x + (n - 1) * spacing / 2, y + (receives ? -0.14 : 0.14));
}

static void label_chunks(const struct op *op, struct text *label)
{
    if (op->n_chunks == 0)
        return;
    text_printf(label, "%s[%" PRIu32, buffer_name[op->buffer], op->chunk);
    if (op->n_chunks > 1)
        text_printf(label, "..%" PRIu32, op->chunk + op->n_chunks - 1);
    text_printf(label, "]");
}

/* What a rank sends, if that is one message: below its number. */
static void label_message(const struct step_map *map, uint32_t rank, struct text *label)
{
    size_t n = map->by_server ? 0 : map->n_sent[rank];
    if (n != 1 || map->step->sends[map->sent[rank]].n_chunks == 0)
        return;
    text_printf(label, "\\n");
    label_chunks(&map->step->sends[map->sent[rank]], label);
}

static void add_node(struct step_map *map, uint32_t node, double x, double y)
{
    char name[32];
    struct text label = {0};
    bool receives = y < 0.0;
    snprintf(name, sizeof name, "%s%" PRIu32, receives ? "to" : "from", node);
    text_printf(&label, "%" PRIu32, node);
    if (!receives)
        label_message(map, node, &label);
    struct drawing_node *added = drawing_node(map->drawing, NULL, name, label.data);
    map->nodes[node + (receives ? map->n_nodes : 0)] = added;
    pin(added, x, y);
    text_free(&label);
}

/* The boxes of all servers first: what is drawn later lies on top. */
static void add_boxes(struct step_map *map, double y)
{
    const struct placement *placement = map->by_server ? NULL : map->placement;
    double x = 0;
    for (uint32_t server = 0; placement && server < placement->n_servers; server++) {
        uint32_t n = placement->first[server + 1] - placement->first[server];
        add_box(map, server, x, y, n);
        x += n * spacing + gap;
    }
}

static void add_row(struct step_map *map, double y)
{
    const struct placement *placement = map->by_server ? NULL : map->placement;
    double x = 0;
    for (uint32_t node = 0; !placement && node < map->n_nodes; node++)
        add_node(map, node, spacing * node, y);
    for (uint32_t server = 0; placement && server < placement->n_servers; server++) {
        for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++) {
            add_node(map, placement->ranks[i], x, y);
            x += spacing;
        }
        x += gap;
    }
}

static void add_message(struct step_map *map, const struct op *op)
{
    uint32_t from = server_of(map, op->rank), to = server_of(map, op->peer);
    struct drawing_edge *edge = drawing_edge(map->drawing, map->nodes[node_of(map, op->rank)],
                                             map->nodes[map->n_nodes + node_of(map, op->peer)]);
    struct text label = {0};
    bool is_local = map->placement && from == to;
    bool meets = map->placement && to < map->n_servers && map->fan_in[to] > 1;
    drawing_edge_set(edge, "color", is_local ? grey : meets ? red : blue);
    if (is_local)
        drawing_edge_set(edge, "style", "dashed");
    label_chunks(op, &label);
    if (label.length)
        drawing_edge_set(edge, "tooltip", label.data);
    text_free(&label);
}

/* Messages between servers, each pair once. */
static void add_server_messages(struct step_map *map)
{
    const struct step *step = map->step;
    struct pair *pairs = sort_pairs(map);
    for (size_t i = 0, n; i < step->n_sends; i += n) {
        char label[32];
        for (n = 1; i + n < step->n_sends && compare_pairs(&pairs[i], &pairs[i + n]) == 0;)
            n++;
        struct drawing_edge *edge = drawing_edge(map->drawing, map->nodes[pairs[i].from],
                                                 map->nodes[map->n_nodes + pairs[i].to]);
        snprintf(label, sizeof label, "%zu", n);
        drawing_edge_set(edge, "taillabel", label);
        bool is_local = pairs[i].from == pairs[i].to;
        drawing_edge_set(edge, "color", is_local ? grey : map->fan_in[pairs[i].to] > 1 ? red : blue);
    }
    free(pairs);
}

static void caption_step(const struct step_map *map)
{
    const struct schedule_header *header = map->header;
    struct text html = {0};
    drawing_escape(collective_name(header->collective, header->form), &html);
    text_printf(&html, "/");
    drawing_escape(header->algorithm ? header->algorithm : "schedule", &html);
    text_printf(&html, ", step %" PRIu64 ": %zu messages of %" PRIu32 " ranks%s, senders above",
                map->step->index, map->step->n_sends, header->n_ranks,
                map->by_server ? ", drawn by server with the number of messages" : "");
    if (map->placement)
        text_printf(&html, "<BR/><FONT COLOR=\"%s\">within a server</FONT> - "
                           "<FONT COLOR=\"%s\">between servers</FONT> - "
                           "<FONT COLOR=\"%s\">to a server that receives from several</FONT>",
                    grey, blue, red);
    drawing_caption(map->drawing, html.data);
    text_free(&html);
}

static void caption_too_large(struct drawing *drawing, size_t n_messages, uint32_t n_nodes)
{
    struct text html = {0};
    text_printf(&html, "a step of %zu messages between %" PRIu32 " ends is too large to draw",
                n_messages, n_nodes);
    drawing_caption(drawing, html.data);
    text_free(&html);
}

static void draw_messages(struct step_map *map)
{
    caption_step(map);
    add_boxes(map, 0);
    add_boxes(map, -height);
    add_row(map, 0);
    add_row(map, -height);
    if (map->by_server)
        add_server_messages(map);
    for (size_t i = 0; !map->by_server && i < map->step->n_sends; i++)
        if (map->step->sends[i].rank < map->n_nodes && map->step->sends[i].peer < map->n_nodes)
            add_message(map, &map->step->sends[i]);
}

void draw_step(const struct schedule_header *header, const struct placement *placement,
               const struct step *step, struct text *out)
{
    struct step_map map = {.header = header, .placement = placement, .step = step};
    map.n_servers = placement ? placement->n_servers : header->n_ranks;
    map.by_server = placement && header->n_ranks > DRAW_MAX_NODES / 4;
    map.n_nodes = map.by_server ? map.n_servers : header->n_ranks;
    map.fan_in = mem_alloc(map.n_servers, sizeof *map.fan_in);
    map.nodes = mem_alloc(2 * (size_t)map.n_nodes, sizeof(struct drawing_node *));
    map.n_sent = mem_alloc(header->n_ranks, sizeof *map.n_sent);
    map.sent = mem_alloc(header->n_ranks, sizeof *map.sent);
    for (size_t i = 0; i < step->n_sends; i++) {
        map.n_sent[step->sends[i].rank]++;
        map.sent[step->sends[i].rank] = i;
    }
    find_fan_in(&map);
    map.drawing = drawing_open("step");
    set_up(map.drawing, "neato");
    drawing_set(map.drawing, "splines", "line");
    drawing_set(map.drawing, "outputorder", "nodesfirst");
    drawing_set_edges(map.drawing, "labeldistance", "2.2");
    drawing_set_edges(map.drawing, "labelangle", "0");
    drawing_set_nodes(map.drawing, "shape", "ellipse");
    if (map.n_nodes > DRAW_MAX_NODES || step->n_sends > 100 * (size_t)DRAW_MAX_NODES)
        caption_too_large(map.drawing, step->n_sends, map.n_nodes);
    else
        draw_messages(&map);
    drawing_close(map.drawing, out);
    free(map.n_sent);
    free(map.sent);
    free(map.fan_in);
    free(map.nodes);
}

/* --- the tree of a broadcast or a reduce -------------------------------------------- */

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

/* Equal ends become one arc; keeps memory to the number of pairs. */
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

static bool read_tree(struct tree *tree, struct schedule *schedule)
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

/* In a reduce or gather the data goes to the root: from it backwards, what comes last first. */
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

static void add_arc(struct drawing *drawing, struct drawing_node *const *nodes,
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
        add_arc(drawing, nodes, &tree->arcs[i]);
    free(nodes);
}

/* Too many ranks: one node for all ranks of a depth. */
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
    drawing_escape(collective_name(header->collective, header->form), &html);
    text_printf(&html, "/");
    drawing_escape(header->algorithm ? header->algorithm : "schedule", &html);
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
    bool done = read_tree(&tree, schedule);
    if (tree.header->collective == COLLECTIVE_reduce || tree.header->collective == COLLECTIVE_gather)
        find_depths_backwards(&tree);
    if (done) {
        bool is_whole = n_ranks <= DRAW_MAX_NODES && tree.n <= DRAW_MAX_EDGES;
        struct drawing *drawing = drawing_open("tree");
        set_up(drawing, "dot");
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

const char *emit_drawing_step(const struct emit_request *request, struct text *out)
{
    draw_step(&request->schedule->header, request->placement, request->step, out);
    return NULL;
}

const char *emit_drawing_tree(const struct emit_request *request, struct text *out)
{
    return draw_tree(request->schedule, out) ? NULL : "";
}
