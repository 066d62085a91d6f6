/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Readers: text of any known format -> topology, and the placement of ranks on
 * it. One file per format; read.c tells them apart by their content.
 */
#ifndef COLLC_NETWORK_FORMATS_FORMATS_H
#define COLLC_NETWORK_FORMATS_FORMATS_H

#include "network/placement/placement.h"

/* Reads `spec`: a synthetic string ("star:24,bw=2GB/s,lat=1us"), or a file or
 * folder whose format is recognised by its content or named before it
 * ("slurm:topology.conf"); network/formats/formats.def lists them.
 * Returns NULL after reporting what is wrong. Release with topology_free. */
struct topology *topology_read(const char *spec, struct diagnostics *diagnostics);

/* The name of the format that the content of a file is recognised by, or NULL. */
const char *topology_format(const struct source *source);

/* What is left of a network; 0 or NULL where nothing was said. */
struct topology_restriction {
    const char *const *failed; /* "A:B" every cable between two nodes, "A" every cable of a */
    size_t n_failed;           /* node, or the number of a link: its cable */
    const char *machines;      /* a file or a list: host lists, boxes "(0-3,0-3,2)" of a grid */
};
/* The topology without what has failed and with only those machines (topology_new_faulty,
 * topology_new_subset); owns `topology` from now on. NULL after reporting T024, I001. */
struct topology *topology_restrict(struct topology *topology,
                                   const struct topology_restriction *restriction,
                                   struct diagnostics *diagnostics);

/* The names that a host list without blanks stands for, "node[001-016],gpu3", in its order, a
 * line end after each; in the arena. NULL and *problem, a sentence without full stop that is
 * never freed, if it is none. */
char *machine_list_expand(const char *expression, struct arena *arena, const char **problem);

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
    const char *order;          /* --order: "name" (default), "switch" or "random"; for a rule */
    uint32_t seed;              /* of a random order */
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

#endif
