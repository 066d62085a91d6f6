/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Readers: text of any known format -> topology, and the placement of ranks on
 * it. One file per format; read.c tells them apart by their content.
 */
#ifndef COLLC_COMPILER_TOPO_TOPO_H
#define COLLC_COMPILER_TOPO_TOPO_H

#include "ir/placement.h"

/* Reads `spec`: a synthetic string ("star:24,bw=2GB/s,lat=1us"), or a file or
 * folder whose format is recognised by its content or named before it
 * ("slurm:topology.conf"); compiler/topo/formats.def lists them.
 * Returns NULL after reporting what is wrong. Release with topology_free. */
struct topology *topology_read(const char *spec, struct diagnostics *diagnostics);

/* Forwarding tables: files, and folders of files. */
struct route_files {
    const char *const *names;
    size_t n_names;
    bool keep_lids; /* ignore the port GUIDs beside entries */
};
/* Routes a topology that was read from a subnet's dump by the forwarding tables in
 * the named files and folders (output of dump_lfts, ibroute or opensm), instead of
 * by the shortest-path rule. Where an entry gives the GUID of its port, it is for the
 * LID that the port has in the topology. True if the tables decide from now on; holes
 * in them are reported as T011, entries for unknown LIDs as T013, for other LIDs than
 * written as T015, a loop as T012. False after reporting I001, I002, I003, T009 or T010. */
bool topology_read_routes(struct topology *topology, const struct route_files *request,
                          struct diagnostics *diagnostics);
/* Adds lanes to table routes: `levels` is a file of lines "0xSOURCE_GUID DLID SL",
 * `maps` an opensm-sl2vl.dump; either may be NULL. False after reporting I001,
 * I002, I003, T010 or T014; what is missing in them is T011. */
bool topology_read_lanes(struct topology *topology, const char *levels, const char *maps,
                         struct diagnostics *diagnostics);

/* What the user asked for; 0 or NULL where nothing was said. */
struct placement_request {
    uint32_t n_ranks;           /* --ranks */
    uint32_t ranks_per_machine; /* --ranks-per-machine */
    const char *rule;           /* --placement: "block" (default), "cyclic", or a file */
};

/* block: machine 0 gets ranks 0..n-1, machine 1 the next n ...; cyclic: rank r
 * on machine r mod (machines used). With --ranks N and --ranks-per-machine n the
 * number of machines used is ceil(N / n), the last one perhaps with fewer ranks;
 * without --ranks all machines are used; without --ranks-per-machine one rank
 * per machine. A file is a host file (Open MPI "name slots=4", MPICH
 * "name:4", one name a line; repeated names add up; '#' comments; --ranks cuts
 * it short; --ranks-per-machine stands in where a line has no number) or, if
 * its first word is `rank`, an explicit list of lines "rank 3 node005", every
 * rank once.
 * Returns NULL after reporting A001, A002, A003. */
struct placement *placement_make(const struct topology *topology,
                                 const struct placement_request *request,
                                 struct diagnostics *diagnostics);

#endif
