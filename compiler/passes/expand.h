/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binding and expansion: program + placement + parameters -> schedule.
 */
#ifndef COLLC_COMPILER_PASSES_EXPAND_H
#define COLLC_COMPILER_PASSES_EXPAND_H

#include "compiler/passes/neighbors.h"
#include "compiler/passes/rank_grid.h"
#include "ir/program.h"
#include "ir/schedule.h"

struct bind_request {
    const struct topology *topology;   /* for nx, extent(d) ...; may be NULL */
    const char *topology_spec;         /* spec by which it can be read again; kept, not copied */
    const struct placement *placement; /* p, servers, slots, coordinates */
    uint32_t root;
    uint64_t bytes;                    /* --bytes; 0: not said */
    struct counts *counts;             /* of a form with unequal counts, or NULL: all `bytes` */
    const struct neighborhood
        *neighbors; /* of a neighbourhood collective; NULL: of a Cartesian communicator */
    const struct parameter_setting *settings;
    size_t n_settings;
    bool with_costs;                   /* names of the clause `costs` must have a value, too */
};

/* Values of the named values, parameters and header lets of a program for one number of ranks. Enough to
 * evaluate loops on any rank. */
struct binding {
    const struct program *program;
    const struct topology *topology;
    const char *topology_spec;
    const struct placement *placement;
    uint32_t root, n_ranks;
    uint32_t segments, n_tmp;
    struct tmp_span {
        uint32_t first, end;
    } areas[PROGRAM_MAX_AREAS]; /* of tmp, those of the program */
    uint32_t n_in, n_out;        /* of a pattern: chunks of `in` and `out`; else 0 */
    uint64_t bytes, chunk_bytes;
    struct counts *counts;
    uint32_t extent[PROGRAM_MAX_COORDINATES];
    const struct neighborhood *neighbors;   /* of a neighbourhood collective */
    struct rank_grid grid;                  /* if functions of the grid are used */
    int64_t *value;                    /* [variable]: uniform ones known before the body */
    uint64_t *coverage;                /* [statement] expansions add how many ranks carried it
                                          out, unless NULL; the caller's */
    struct arena arena;
};

/* Binds a checked program. Reports E003 (unknown --param), E007, E009 (requirement, coordinates that do not
 * cover the ranks, `slots` with unequal servers, nx without a grid), E010 (too many ranks). NULL after
 * reporting. Source and program must outlive the binding. */
struct binding *bind_program(const struct program *program, const struct bind_request *request,
                             struct diagnostics *diagnostics);
/* True if the program has such a parameter; reports E003 if not. */
bool bind_check_setting(const struct program *program, const struct parameter_setting *setting,
                        struct diagnostics *diagnostics);
void binding_free(struct binding *binding);

/* Returns the lazy schedule of a bound program. Memory O(ranks + operations of one step), and 32 MiB at most
 * for values kept for all steps; time O(operations + ranks * statements) per step, that of ranks only where
 * bounds of the block do not decide what is carried out (evaluate_range), else once for each block, or, where
 * those of all ranks decide it (select_ranks), for the blocks of ranks that act. Errors of arithmetic and
 * range (E007, E008) are reported while stepping, with the rank and step, and set schedule->failed; those of
 * `like` before, and NULL is returned. The binding outlives the schedule and stays as it is. */
struct schedule *expand_program(const struct binding *binding, struct diagnostics *diagnostics);
/* Does the same, but for the operations of some ranks only, ascending, which the caller keeps; a block is
 * then 512 of these. Time O(ranks) once, and as above of so many ranks. */
struct schedule *expand_witnesses(const struct binding *binding, const uint32_t *ranks, uint32_t n_ranks,
                                  struct diagnostics *diagnostics);

#endif
