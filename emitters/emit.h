/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything collc writes for somebody else. Emitters read the IR, append to a
 * text and know nothing of files; the driver writes aside and renames. targets.def lists them.
 */
#ifndef COLLC_EMITTERS_EMIT_H
#define COLLC_EMITTERS_EMIT_H

#include "ir/program.h"
#include "ir/schedule.h"

/* Ranks renumbered (docs/mapping.md). */
struct rank_map {
    const uint32_t *rank; /* [number in the algorithm] the rank that runs it */
    uint32_t n;
    uint32_t lead;        /* the number of the root it was made for */
};

/* Machines by name, and the cluster of each (network/placement/clusters.h). */
struct cluster_names {
    const char *const *machine;
    const uint32_t *cluster;
    uint32_t n;
};

struct emit_c_options {
    const struct rank_map *map; /* program form only; NULL: none */
    const char *description; /* for the head of the file; NULL: the algorithm's own */
    const char *function;   /* name of the function, emit_c_refusal NULL; or NULL:
                               collc_COLLECTIVE_ALGORITHM */
    bool with_main;         /* add a main that compares with the MPI's own collective */
    /* Values baked in where the program needs the placement: extents of a grid.
     * Ranks, servers and slots are found at run time. */
    uint32_t grid[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t n_grid;
    const struct cluster_names *clusters; /* of the topology; NULL: none are known */
    const int64_t *parameters; /* [variable] value of each VARIABLE_PARAMETER, or NULL: defaults */
};

/* Why a function of C cannot have that name, whatever else is in the file; NULL: it can. */
const char *emit_c_refusal(const char *name);
/* MPI C from the program: loops like the figure, valid for any rank count for
 * which the requirements hold (elsewhere the emitted function calls the MPI's
 * own collective). False if the file has the name of the function for something else. */
bool emit_mpi_c_program(const struct program *program, const struct emit_c_options *options,
                        struct text *out);
/* MPI C from an explicit schedule: tables and one loop; valid for the
 * schedule's rank count only. False if producing a step failed, or for the name as above. */
bool emit_mpi_c_schedule(struct schedule *schedule, const struct emit_c_options *options,
                         struct text *out);

/* An operation on the critical path of a schedule that was played: a message has left, the rank has
 * one, or it has copied or combined. */
struct critical_op {
    uint32_t rank, peer;
    enum op_kind kind;
    uint64_t step, end; /* ns */
};

/* What a target is made from: what its line in targets.def takes is there, the rest may be NULL. */
struct emit_request {
    const struct program *program;      /* NULL: the target is made from the schedule */
    struct schedule *schedule;
    const struct topology *topology;
    const struct placement *placement;  /* of the schedule's ranks; NULL: one per machine */
    const uint64_t *link_load;          /* [link] messages; NULL: not asked for */
    const struct step *step;
    const struct critical_op *critical; /* [n_critical] from the beginning on */
    size_t n_critical;
    struct emit_c_options c;            /* of emitted C */
    struct arena *arena;                /* for the reason of a refusal */
};

/* A target appends itself. Returns NULL, or why nothing can be written: a sentence without full
 * stop, or "" where producing the schedule failed and its diagnostics say it. */
typedef const char *emit_function(const struct emit_request *request, struct text *out);
#define EMIT(name, takes, options, function, title) emit_function function;
#define DRAWING(name, takes, options, function, title) emit_function function;
#define PICTURE(name, title)
#include "emitters/targets.def"

/* The messages of one step between ranks, grouped by server. */
void draw_step(const struct schedule_header *header, const struct placement *placement,
               const struct step *step, struct text *out);
/* Who gets the data from whom, with the step number on each edge (broadcast). */
bool draw_tree(struct schedule *schedule, struct text *out);

#endif
