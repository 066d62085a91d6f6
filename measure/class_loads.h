/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of links by their classes, where shifts of servers are shifts of the machines of a network: what the
 * flows of a step put on each class, and the sum of all steps (topology_has_shifts).
 */
#ifndef COLLC_MEASURE_CLASS_LOADS_H
#define COLLC_MEASURE_CLASS_LOADS_H

#include "measure/server_flows.h"
#include "network/shifts.h"

/* Unit of the totals of all steps. */
enum class_unit { CLASS_MESSAGES, CLASS_CHUNKS };

/* Load that a flow puts on each link of some positions of a class. */
struct class_piece {
    uint32_t begin, end, next; /* next of the class: index + 1 */
    uint32_t start;
    bool is_shared;            /* by several servers */
    size_t totals;             /* of its class */
    uint64_t messages, chunks;
};

struct class_edge;

struct class_loads {
    const struct topology *topology;
    struct machine_shifts machines; /* points to the extents of the caller */
    enum class_unit unit;
    struct class_load {
        uint32_t first, last;       /* of its pieces in a step: index + 1 */
        size_t totals;              /* where those of its positions begin */
        uint32_t offset;            /* of the last flow that was on some of its links */
    } *classes;
    uint32_t n_classes;
    uint32_t *touched, n_touched;   /* classes with pieces in the step */
    struct class_hops *hops;        /* room for those of an offset */
    struct class_piece *pieces;     /* of the step */
    size_t n_pieces, piece_capacity;
    struct class_edge *edges;
    size_t edge_capacity;
    int64_t *totals;                /* of all steps, at each position: how much more than at the one before;
                                       at the end how much */
    size_t n_totals;
};

/* O(classes * positions) */
void class_loads_init(struct class_loads *loads, const struct topology *topology,
                      const struct machine_shifts *machines, enum class_unit unit);
void class_loads_free(struct class_loads *loads);

/* Puts the flows of a step on the links, replacing those of the step before, and adds them to the total of
 * all steps. O(flows * hops by class) */
void class_loads_lay(struct class_loads *loads, const struct server_flows *flows);
/* Adds the last step n more times to the total of all steps. O(pieces) */
void class_loads_repeat(struct class_loads *loads, uint64_t n);
/* Returns the number of messages of that step on each link of a class at a position. O(pieces of the
 * class) */
uint64_t class_loads_messages(const struct class_loads *loads, uint32_t class, uint32_t position);

/* Largest load on a link of a class that the step loads, the i-th of n_touched. */
struct class_most {
    uint32_t class;
    uint64_t messages, chunks;
    bool is_contended; /* some link has messages of two servers; false if that is not asked */
};
/* O(pieces * log), and pieces^2 until two sources meet where that is asked. */
struct class_most class_loads_most(struct class_loads *loads, uint32_t i, bool asks_contention);

/* Adds the differences between neighbouring positions of each class up to the total of all steps at each;
 * call before totals are read or another step is added. O(positions) */
void class_loads_add_up(struct class_loads *loads);
/* Returns the total on each link of a class at a position, and the most on one link of the class. */
uint64_t class_loads_total(const struct class_loads *loads, uint32_t class, uint32_t position);
uint64_t class_loads_most_total(const struct class_loads *loads, uint32_t class);
/* Forgets all steps. O(positions) */
void class_loads_forget(struct class_loads *loads);

#endif
