/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounds by a cut: the blocks that some machines hold and others need cross the links between the two.
 *
 * Let S be a set of machines with a of the p ranks, and b = p - a. Whatever the algorithm and its relays,
 * every block that is in S before and needed outside after crosses one of the links out of S at least
 * once, and a block cannot be recovered from fewer bytes than it has. These blocks are
 *
 *   alltoall    a * b    every rank of S has a block of its own for every rank outside
 *   allgather   a        every rank outside needs the block of each rank of S (b > 0)
 *   gather      a        if the root is outside
 *   scatter     b        if the root is in S
 *   bcast       1        if the root is in S (b > 0)
 *   reduce      1        if the root is outside (a > 0)
 *   allreduce   1        if neither a nor b is 0
 *   reduce_scatter_block
 *               b        the result of each rank outside depends on the data of S for it (a > 0)
 *
 * (nothing is claimed here about other collectives). With unequal counts blocks differ in bytes, and
 * their sum crosses: the blocks of the ranks of S for a, those of the ranks outside for b, and in an
 * alltoallv those of the pairs from S to outside.
 *
 * A block of `buf` is all of it. The data that S gives to a reduction may be combined into one block, but
 * not into less: with a sum modulo 2^n the result reveals every bit of it, if the rest is known. One of c
 * links carries at least the c-th part of them. The same holds for the links into S, with a and b
 * exchanged.
 */
#ifndef COLLC_BOUND_BISECTION_H
#define COLLC_BOUND_BISECTION_H

#include "bound/bound.h"

/* Bounds a grid by slabs across each dimension. A mesh of extent n is cut once, between any two
 * neighbouring coordinates; a torus twice, around half of the coordinates beginning anywhere. With N
 * machines N/n links cross each place of a cut in each direction. With one rank on every machine the middle
 * is best; for n even an all-to-all has (N/2)^2 / (N/n) = N * n / 4 blocks for each link of the mesh and
 * half of it on the torus; for n odd n^2 - 1 replaces n^2. This is N(N+1)(N-1)/4 and /8 of Takaue et al.
 * 2010, table 1, whose N is the extent of a square. Like the functions below it returns false if no bound
 * is known; else the reason is to be freed with text_free. */
bool bound_bisection(const struct bound_request *request, struct bound *bound);

/* Bounds a tree: the machines below a router of some level, which share the links up from the routers of
 * that level. */
bool bound_tree(const struct bound_request *request, struct bound *bound);

/* Bounds any network with explicit links: all links of a machine, if all contend. */
bool bound_machine(const struct bound_request *request, struct bound *bound);

#endif
