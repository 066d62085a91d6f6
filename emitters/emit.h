/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The outputs of collc for other programs. Emitters read the IR, append to a text and do not touch files;
 * the driver writes aside and renames. targets.def lists them.
 */
#ifndef COLLC_EMITTERS_EMIT_H
#define COLLC_EMITTERS_EMIT_H

#include "ir/program.h"
#include "ir/schedule.h"

/* A renumbering of the ranks (docs/mapping.md). */
struct rank_map {
    const uint32_t *rank; /* [number in the algorithm] the rank that runs it */
    uint32_t n;
    uint32_t lead;        /* number of the root it was made for */
};

/* Machines by name, and the cluster of each (network/placement/clusters.h). */
struct cluster_names {
    const char *const *machine;
    const uint32_t *cluster;
    uint32_t n;
};

struct emit_c_options {
    const struct rank_map *map; /* program form only; NULL: none */
    const char *description; /* text for the head of the file; NULL: the algorithm's own */
    const char *function;   /* name of the function, for which emit_c_refusal is NULL; or NULL:
                               collc_COLLECTIVE_ALGORITHM */
    bool is_library;        /* the file has several algorithms, whose parameters a table gives */
    bool with_main;         /* add a main that compares with the MPI's own collective */
    /* Extents of a grid, constants in the file if the program needs the placement. Ranks, servers and slots
     * are found at run time. */
    uint32_t grid[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t n_grid;
    const struct cluster_names *clusters; /* clusters of the topology's machines; NULL: unknown */
    const int64_t *parameters; /* [variable] value of each VARIABLE_PARAMETER, or NULL: defaults */
};

/* Several algorithms in one library (docs/library.md). */
struct emit_library {
    const struct program *const *programs; /* [n] no two of one collective have a name */
    size_t n;
    const char *table;   /* text of the table that is built in, which names no others */
    const char *version;
};
/* Returns why no function of C can have that name, in any file; NULL: it can. */
const char *emit_c_refusal(const char *name);
/* Emits MPI C from the program: loops as in the figure, valid for all rank counts for which the
 * requirements hold (for others the emitted function calls the MPI's own collective). Returns false if the
 * file uses the function's name for something else. */
bool emit_mpi_c_program(const struct program *program, const struct emit_c_options *options,
                        struct text *out);
/* Emits MPI C from an explicit schedule: tables and one loop, valid for the schedule's rank count only.
 * Returns false if producing a step failed, or for the name as above. */
bool emit_mpi_c_schedule(struct schedule *schedule, const struct emit_c_options *options,
                         struct text *out);

/* An operation on the critical path of a simulated schedule: the end of a send, a receive, a copy or a
 * combination. */
struct critical_op {
    uint32_t rank, peer;
    enum op_kind kind;
    uint64_t step, end; /* ns */
};

/* The input of a target. Everything that its line in targets.def takes is set; the rest may be NULL. */
struct emit_request {
    const struct program *program;      /* NULL: the schedule is the input */
    struct schedule *schedule;
    const struct topology *topology;
    const struct placement *placement;  /* placement of the schedule's ranks; NULL: one per machine */
    const uint64_t *link_load;          /* [link] chunks, of one step messages, or with counts bytes; NULL:
                                           no loads */
    double least_load;                  /* of machines' own links in any schedule; 0: not known */
    uint32_t most_rows;                 /* of a chart of links; 0: as many as are drawn by default */
    const struct step *step;
    const struct critical_op *critical; /* [n_critical] from the beginning on */
    size_t n_critical;
    const struct emit_library *library; /* algorithms of a table */
    struct emit_c_options c;            /* options of emitted C */
    struct arena *arena;                /* owner of the reason of a refusal */
};

/* Appends the output of a target. Returns NULL, or why nothing can be written: a sentence without full
 * stop, or "" if producing the schedule failed with diagnostics. */
typedef const char *emit_function(const struct emit_request *request, struct text *out);
#define EMIT(name, takes, options, function, title) emit_function function;
#define DRAWING(name, takes, options, function, title) emit_function function;
#define PICTURE(name, title)
#include "emitters/targets.def"

/* Draws the messages of one step between ranks, grouped by server. */
void draw_step(const struct schedule_header *header, const struct placement *placement,
               const struct step *step, struct text *out);
/* Draws the tree of the data's way, with the step number on each edge (broadcast). */
bool draw_tree(struct schedule *schedule, struct text *out);

#endif
