/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The placement that the user asks for: by a rule or by a file.
 */
#ifndef COLLC_NETWORK_PLACEMENT_PLACEMENT_MAKE_H
#define COLLC_NETWORK_PLACEMENT_PLACEMENT_MAKE_H

#include "base/text/slice.h"
#include "network/placement/placement.h"

/* Distances of adapters from the places of a host where ranks run, its units: the GPU of the number of the
 * slot, or, without GPUs, a core, of which slots take equally many, the first first. */
struct near_adapters {
    const char *path;   /* file that tells so, for people */
    uint32_t n_units, n_adapters;
    bool are_gpus;
    const char **names; /* [adapter] */
    uint32_t *distance; /* [unit * n_adapters + adapter]; UINT32_MAX: there is no way */
};

/* Wishes of the user; 0 or NULL where nothing was said. */
struct placement_request {
    uint32_t n_ranks;           /* --ranks */
    uint32_t ranks_per_machine; /* --ranks-per-machine */
    const char *rule;           /* --placement: "block" (default), "cyclic", or a file */
    const char *order;          /* --order: "name" (default), "switch" or "random"; for a rule */
    uint32_t seed;              /* of a random order */
    const char *adapters;       /* --rank-adapters: "slot", "block", "stripe", "near:FILE" or a file; NULL: as
                                   routes lead */
    const char *between_rails;  /* --between-rails: "host" (default) or "fabric" */
    const struct near_adapters *near; /* with "near:FILE" as `adapters`; NULL: by another rule */
};

/* block: the first machine gets ranks 0..n-1, the second the next n ...; cyclic: rank r on
 * machine r mod (machines used). With --ranks N and --ranks-per-machine n the
 * number of machines used is ceil(N / n), the last one perhaps with fewer ranks;
 * without --ranks all machines are used; without --ranks-per-machine one rank
 * per machine. Machines are taken in the order of their numbers; or switch by switch
 * and, at a switch, in the order of cables; or in the order of a permutation that depends
 * on the seed and the number of machines only. The kinds of files, and how they are told
 * apart, are in docs/placement.md.
 * Returns NULL after reporting A001, A002, A003. */
struct placement *placement_make(const struct topology *topology,
                                 const struct placement_request *request,
                                 struct diagnostics *diagnostics);

/* Gives the ranks of a placement the adapters of the request; does nothing where it names none.
 *
 *   slot   the rank in slot k of a host uses its rail k mod n, of n
 *   block  the first of s ranks of a host use rail 0, the next rail 1 ...: slot k rail k * n / s
 *   stripe each message is cut into equal parts, one for each rail that all hosts have
 *   near:FILE  of the adapters that its host has on this network, the one nearest to the unit of its slot; of
 *          several as near the ranks with the same ones take one after the other
 *   FILE   adapters by name, "mlx5_0", or by number, one for each slot; or after a first word "rank" one for
 *          each rank (docs/rails.md)
 *
 * False after reporting A005: the network has no such ports, a host lacks an adapter that a rank of it uses,
 * or would need to send to another rail. O(ranks * ports) */
bool placement_use_adapters(struct placement *placement, const struct topology *topology,
                            const struct placement_request *request, struct diagnostics *diagnostics);

#endif
