/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See class_loads.h.
 */
#include "measure/class_loads.h"

#include <stdlib.h>
#include <string.h>

/* A position from which on a piece counts, or does no longer. */
struct class_edge {
    uint32_t position;
    bool is_end;
    const struct class_piece *piece;
};

void class_loads_init(struct class_loads *loads, const struct topology *topology,
                      const struct machine_shifts *machines, enum class_unit unit)
{
    *loads = (struct class_loads){.topology = topology, .machines = *machines, .unit = unit};
    loads->n_classes = topology_n_classes(topology);
    loads->classes = mem_alloc(loads->n_classes, sizeof *loads->classes);
    loads->touched = mem_alloc(loads->n_classes, sizeof *loads->touched);
    loads->hops = mem_alloc(topology_max_class_hops(topology), sizeof *loads->hops);
    for (uint32_t i = 0; i < loads->n_classes; i++) {
        loads->classes[i].totals = loads->n_totals;
        loads->n_totals += topology_n_positions(topology, machines, i) + 1;
    }
    loads->totals = mem_alloc(loads->n_totals, sizeof *loads->totals);
}

void class_loads_free(struct class_loads *loads)
{
    free(loads->classes);
    free(loads->touched);
    free(loads->hops);
    free(loads->pieces);
    free(loads->edges);
    free(loads->totals);
}

/* ---- pieces ---- */

static void add_total(struct class_loads *loads, const struct class_piece *piece, uint64_t times)
{
    const uint64_t amount = (loads->unit == CLASS_CHUNKS ? piece->chunks : piece->messages) * times;
    loads->totals[piece->totals + piece->begin] += (int64_t)amount;
    loads->totals[piece->totals + piece->end] -= (int64_t)amount;
}

static void class_loads_add_piece(struct class_loads *loads, const struct offset_flow *flow,
                                  const struct class_hops *hops)
{
    struct class_load *class = &loads->classes[hops->class];
    loads->pieces = mem_grow(loads->pieces, &loads->piece_capacity, loads->n_pieces + 1,
                             sizeof *loads->pieces);
    struct class_piece *piece = &loads->pieces[loads->n_pieces++];
    *piece = (struct class_piece){.begin = hops->begin,
                                  .end = hops->end,
                                  .start = hops->start,
                                  .is_shared = hops->n > 1,
                                  .totals = class->totals,
                                  .messages = hops->n * flow->n_messages,
                                  .chunks = hops->n * flow->n_chunks};
    if (class->first) {
        loads->pieces[class->last - 1].next = (uint32_t)loads->n_pieces;
    } else {
        class->first = (uint32_t)loads->n_pieces;
        loads->touched[loads->n_touched++] = hops->class;
    }
    class->last = (uint32_t)loads->n_pieces;
    class->offset = flow->offset;
    add_total(loads, piece, 1);
}

void class_loads_lay(struct class_loads *loads, const struct server_flows *flows)
{
    for (uint32_t i = 0; i < loads->n_touched; i++)
        loads->classes[loads->touched[i]].first = 0;
    loads->n_touched = 0;
    loads->n_pieces = 0;
    for (size_t i = 0; i < flows->n; i++) {
        const uint32_t n = topology_class_hops(loads->topology, &loads->machines, flows->items[i].offset,
                                               flows->items[i].way, loads->hops);
        for (uint32_t k = 0; k < n; k++)
            class_loads_add_piece(loads, &flows->items[i], &loads->hops[k]);
    }
}

void class_loads_repeat(struct class_loads *loads, uint64_t n)
{
    for (size_t i = 0; n && i < loads->n_pieces; i++)
        add_total(loads, &loads->pieces[i], n);
}

static bool class_loads_is_at(const struct class_piece *piece, uint32_t position)
{
    return piece->begin <= position && position < piece->end;
}

uint64_t class_loads_messages(const struct class_loads *loads, uint32_t class, uint32_t position)
{
    uint64_t sum = 0;
    for (uint32_t i = loads->classes[class].first; i; i = loads->pieces[i - 1].next)
        if (class_loads_is_at(&loads->pieces[i - 1], position))
            sum += loads->pieces[i - 1].messages;
    return sum;
}

/* ---- the most of a step ---- */

static int class_loads_compare_edges(const void *a, const void *b)
{
    const struct class_edge *x = a, *y = b;
    return (x->position > y->position) - (x->position < y->position);
}

/* Sorts the edges of the pieces of a class in the order of positions. */
static size_t class_loads_sort_edges(struct class_loads *loads, uint32_t first)
{
    size_t n = 0;
    bool is_sorted = true;
    loads->edges = mem_grow(loads->edges, &loads->edge_capacity, 2 * loads->n_pieces, sizeof *loads->edges);
    for (uint32_t i = first; i; i = loads->pieces[i - 1].next) {
        const struct class_piece *piece = &loads->pieces[i - 1];
        is_sorted = is_sorted && (!n || piece->begin >= loads->edges[n - 1].position);
        loads->edges[n++] = (struct class_edge){piece->begin, false, piece};
        loads->edges[n++] = (struct class_edge){piece->end, true, piece};
    }
    if (!is_sorted)
        qsort(loads->edges, n, sizeof *loads->edges, class_loads_compare_edges);
    return n;
}

/* True if messages of different servers meet where a position is in several pieces. */
static bool has_two_sources(const struct class_loads *loads, uint32_t first, uint32_t position)
{
    const struct class_piece *other = NULL;
    for (uint32_t i = first; i; i = loads->pieces[i - 1].next) {
        const struct class_piece *piece = &loads->pieces[i - 1];
        if (!class_loads_is_at(piece, position))
            continue;
        if (other && other->start != piece->start)
            return true;
        other = piece;
    }
    return false;
}

/* A link has messages of two servers if one flow puts several there, or two flows have different sources. */
struct class_most class_loads_most(struct class_loads *loads, uint32_t i, bool asks_contention)
{
    struct class_most most = {.class = loads->touched[i]};
    const uint32_t first = loads->classes[most.class].first;
    const size_t n = class_loads_sort_edges(loads, first);
    uint64_t messages = 0, chunks = 0, n_pieces = 0;
    for (size_t k = 0; k < n; k++) {
        const struct class_edge *edge = &loads->edges[k];
        const bool is_last = k + 1 == n || loads->edges[k + 1].position != edge->position;
        messages += edge->is_end ? -edge->piece->messages : edge->piece->messages;
        chunks += edge->is_end ? -edge->piece->chunks : edge->piece->chunks;
        n_pieces += edge->is_end ? -UINT64_C(1) : 1;
        if (asks_contention && !most.is_contended)
            most.is_contended = edge->piece->is_shared ||
                                (is_last && n_pieces > 1 && has_two_sources(loads, first, edge->position));
        most.messages = is_last && messages > most.messages ? messages : most.messages;
        most.chunks = is_last && chunks > most.chunks ? chunks : most.chunks;
    }
    return most;
}

/* ---- all steps ---- */

/* Returns the end of the totals of a class. */
static size_t totals_end(const struct class_loads *loads, uint32_t class)
{
    return class + 1 < loads->n_classes ? loads->classes[class + 1].totals : loads->n_totals;
}

void class_loads_add_up(struct class_loads *loads)
{
    for (uint32_t i = 0; i < loads->n_classes; i++) {
        const size_t end = totals_end(loads, i);
        for (size_t at = loads->classes[i].totals + 1; at < end; at++)
            loads->totals[at] += loads->totals[at - 1];
    }
}

uint64_t class_loads_total(const struct class_loads *loads, uint32_t class, uint32_t position)
{
    return (uint64_t)loads->totals[loads->classes[class].totals + position];
}

uint64_t class_loads_most_total(const struct class_loads *loads, uint32_t class)
{
    int64_t most = 0;
    for (size_t at = loads->classes[class].totals; at < totals_end(loads, class); at++)
        most = loads->totals[at] > most ? loads->totals[at] : most;
    return (uint64_t)most;
}

void class_loads_forget(struct class_loads *loads)
{
    memset(loads->totals, 0, loads->n_totals * sizeof *loads->totals);
}
