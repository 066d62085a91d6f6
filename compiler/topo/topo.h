/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Readers: text of any known format -> topology, and the placement of ranks on
 * it. One file per format; read.c tells them apart by their content.
 */
#ifndef COLLC_COMPILER_TOPO_TOPO_H
#define COLLC_COMPILER_TOPO_TOPO_H

#include "ir/placement.h"

/* Reads `spec`: a synthetic string ("star:24,bw=2GB/s,lat=1us") or the name of
 * a file whose format is recognised by its content (native XML, ibnetdiscover).
 * Returns NULL after reporting what is wrong. Release with topology_free. */
struct topology *topology_read(const char *spec, struct diagnostics *diagnostics);

/* Writes the native XML of a topology: reading it again gives the same
 * fingerprint and the same link ids. */
void topology_write_xml(const struct topology *topology, struct text *out);

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
