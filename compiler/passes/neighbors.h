/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The neighbourhood of MPI's neighbourhood collectives: which ranks each rank sends a block to, and which it
 * receives one from. It is that of a Cartesian communicator (MPI 4.0 section 8.6: of each dimension the rank
 * before, then the rank after), or of a graph. Block k of a rank becomes block k xor 1 of a Cartesian
 * neighbour; of a graph, blocks between two ranks come in the order in which these name each other.
 */
#ifndef COLLC_COMPILER_PASSES_NEIGHBORS_H
#define COLLC_COMPILER_PASSES_NEIGHBORS_H

#include "ir/needs.h"
#include "ir/program.h"
#include "network/topology.h"

enum neighbor_side { SIDE_OUT, SIDE_IN, N_SIDES };

/* A block from one rank to another one. */
struct neighbor_edge {
    uint32_t from, to;
};

struct neighborhood {
    uint32_t n_ranks;
    bool is_cartesian;
    bool is_isomorphic; /* all ranks have the same neighbours, as seen from them on the grid, and blocks can
                           come from each rank to every other one */
    bool is_shifted;    /* the lists of a rank, of both sides, are those of rank 0 shifted on the grid */
    uint32_t n_dimensions, extent[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t *place_of, *rank_at; /* place of a rank on the grid, x fastest, and back */
    size_t *first[N_SIDES];       /* [rank] in the lists below; n_ranks + 1 of them */
    struct neighbor {
        uint32_t rank;  /* n_ranks: none, beyond the border */
        uint32_t place; /* number of the block there */
    } * list[N_SIDES];
    uint32_t most[N_SIDES]; /* neighbours of a rank */
};

enum neighborhood_kind {
    NEIGHBORS_CARTESIAN, /* of a Cartesian communicator */
    NEIGHBORS_OPEN,      /* the same, which does not wrap round */
    NEIGHBORS_STENCIL    /* a graph of all ranks around, those across corners included */
};
/* Makes that of the grid of the topology, which wraps round where the topology does; without a grid (NULL) of
 * the most square one of two dimensions, which wraps round. */
const struct neighborhood *neighborhood_of_grid(const struct topology *grid, uint32_t n_ranks,
                                                enum neighborhood_kind kind, struct arena *arena);
/* Makes that of a graph, whose edges name ranks below n_ranks, on the same grid. */
const struct neighborhood *neighborhood_of_edges(const struct topology *grid, uint32_t n_ranks,
                                                 const struct neighbor_edge *edges, size_t n,
                                                 struct arena *arena);
/* Returns the number of data: blocks that ranks have room for, or (is_spread) one of each rank. */
uint64_t neighborhood_n_data(const struct neighborhood *neighborhood, bool is_spread);
/* Returns the rank that a datum of blocks goes to, or n_ranks: there is none. */
uint32_t neighborhood_receiver(const struct neighborhood *neighborhood, uint64_t datum);
/* Computes a function of the neighbourhood. False: it has no value. */
bool neighborhood_apply(const struct neighborhood *neighborhood, enum expr_kind kind,
                        const int64_t operand[3], int64_t *result);
/* Returns what ranks have and need: blocks by places, or (is_spread) one block that all neighbours get. */
struct needs *neighborhood_needs(const struct neighborhood *neighborhood, bool is_spread);

#endif
