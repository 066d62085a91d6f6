/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the method `exact`: chunks go from neighbour to neighbour in a few steps, and each step takes some
 * rounds, in which a link passes as many chunks as it has capacity. What is asked for is the fewest rounds of
 * all steps together, as in SCCL (Cai et al., "Synthesizing optimal collective algorithms", PPoPP 2021).
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
    size_t first, end; /* of its links: links[first] .. */
};

/* What crosses an arc when. */
struct exact_send {
    uint32_t chunk, arc, step; /* steps from 0 */
};

struct exact {
    const struct synth_request *request;
    uint32_t n_nodes, n_arcs, n_links;
    struct exact_arc *arcs;
    uint32_t *links, *capacity;  /* capacity[link] chunks in a round */
    uint32_t *distance;          /* [from * n_nodes + to] arcs; EXACT_ALL: there is no way */
    uint32_t chunks;             /* of each block */
    uint32_t n_chunks;           /* of all */
    uint32_t *source, *target;   /* [chunk]; EXACT_ALL: all nodes need it */
    uint32_t most_steps;         /* that are asked for, */
    uint32_t n_steps;            /* and those of the formula at hand; of what was found in the end */
    struct exact_send *sends;    /* the best so far, in any order: each node gets a chunk once, and only */
    size_t n_sends;              /* what it needs or passes on */
    uint32_t rounds;             /* that they take; 0: nothing was found */
    uint32_t least;              /* there is nothing with fewer */
    bool is_by_solver;           /* that is what the solver says; else a cut */
};

/* Rounds that any cut of the nodes needs, and all messages together. O(2^nodes * arcs) */
uint32_t exact_cut(const struct exact *exact);

/* A formula that holds for schedules of so many rounds in all, or, if rounds is not NULL, of rounds[step]
 * in each step. In variable[(chunk * n_arcs + arc) * n_steps + step] the variable of a send, or 0. False:
 * there is no such schedule, or it would be too large. */
bool exact_formula(const struct exact *exact, uint32_t total, const uint32_t *rounds, struct sat *sat,
                   int32_t *variable);

/* Searches until the watch says that time is up. False after saying in `problem` why nothing was found. */
bool exact_search(struct exact *exact, struct text *problem);
/* An all-to-all: method.h. */
bool exact_alltoall(const struct synth_request *request, struct synth_steps *steps,
                    struct schedule_header *header, struct text *problem);
/* What all need, as trees whose depths are steps. */
bool exact_trees(const struct synth_request *request, struct packing *packing, struct text *problem);

#endif
