/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the method `exact`: chunks go from neighbour to neighbour in a few steps, and each step takes
 * some rounds, in which a link passes as many chunks as its capacity. The aim is the fewest rounds of all
 * steps together, as in SCCL (Cai et al., "Synthesizing optimal collective algorithms", PPoPP 2021).
 */
#ifndef COLLC_SYNTH_EXACT_H
#define COLLC_SYNTH_EXACT_H

#include "lp/sat.h"
#include "synth/method.h"
#include "synth/packing.h"

#define EXACT_ALL UINT32_MAX
enum { EXACT_MOST_NODES = 12, EXACT_MOST_STEPS = 32 };

struct exact_arc {
    uint32_t from, to;
    size_t first, end; /* its links: links[first] up to end */
};

/* A chunk that crosses an arc in a step. */
struct exact_send {
    uint32_t chunk, arc, step; /* steps from 0 */
};

struct exact {
    const struct synth_request *request;
    uint32_t n_nodes, n_arcs, n_links;
    struct exact_arc *arcs;
    uint32_t *links, *capacity;  /* [link] chunks in a round */
    uint32_t *distance;          /* [from * n_nodes + to] arcs; EXACT_ALL: no path */
    uint32_t chunks;             /* chunks of each block */
    uint32_t n_chunks;           /* chunks of all blocks */
    uint32_t *source, *target;   /* [chunk]; EXACT_ALL: all nodes need it */
    uint32_t most_steps;         /* steps that are allowed, */
    uint32_t n_steps;            /* steps of the current formula, in the end of the best schedule */
    struct exact_send *sends;    /* the best so far, in any order: each node gets a chunk at most once, and
                                    only if */
    size_t n_sends;              /* it needs it or passes it on */
    uint32_t rounds;             /* rounds of these sends; 0: nothing found */
    uint32_t least;              /* lower bound of the rounds */
    bool is_by_solver;           /* the lower bound is the solver's, else a cut's */
};

/* Returns the rounds that any cut of the nodes needs, and all messages together. O(2^nodes * arcs) */
uint32_t exact_cut(const struct exact *exact);

/* Makes a formula that holds for schedules of `total` rounds or, if rounds is not NULL, of rounds[step] in
 * each step. variable[(chunk * n_arcs + arc) * n_steps + step] gets the variable of a send, or 0. Returns
 * false if there is no such schedule, or it would be too large. */
bool exact_formula(const struct exact *exact, uint32_t total, const uint32_t *rounds, struct sat *sat,
                   int32_t *variable);

/* Searches until the watch ends it. Returns false after adding to `problem` why nothing was found. */
bool exact_search(struct exact *exact, struct text *problem);
/* Makes an all-to-all: method.h. */
bool exact_alltoall(const struct synth_request *request, struct synth_steps *steps,
                    struct schedule_header *header, struct text *problem);
/* Makes trees whose depths are steps, for collectives in which all ranks need the same. */
bool exact_trees(const struct synth_request *request, struct packing *packing, struct text *problem);

#endif
