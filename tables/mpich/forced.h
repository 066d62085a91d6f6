/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Variables of MPICH in scripts, inside this folder: algorithms that are forced
 * (MPIR_CVAR_BCAST_INTRA_ALGORITHM), and the selection file that is named. What is forced comes first; where
 * it is not made for a call, MPICH decides as if nothing were forced.
 */
#ifndef COLLC_TABLES_MPICH_FORCED_H
#define COLLC_TABLES_MPICH_FORCED_H

#include "tables/mpich/mpich.h"

struct mpich_forced {
    const struct setting *by;                /* NULL: nothing is forced */
    const struct mpich_algorithm *algorithm; /* NULL: MPICH's own decision, or there is none of that name */
    struct table_rule rule;                  /* its line */
};

/* The variables that name files: MPICH's own, the device's, its shared memory's, and these two for GPUs. */
enum {
    MPICH_FILE, MPICH_FILE_CH4, MPICH_FILE_CH4_GPU, MPICH_FILE_POSIX, MPICH_FILE_POSIX_GPU, MPICH_N_FILES
};

struct mpich_settings {
    const struct settings *settings;
    const struct setting *named[MPICH_N_FILES];
    const struct table *files[MPICH_N_FILES]; /* NULL: none is named, or it is not here */
    const struct table *base;  /* MPICH's own file, else what is compiled in; NULL: it is not here */
    bool fails_otherwise;      /* MPIR_CVAR_COLLECTIVE_FALLBACK=error */
    bool is_without_device;    /* MPIR_CVAR_DEVICE_COLLECTIVES=none */
    struct mpich_forced of[MPICH_N_COLLECTIVES];
    struct mpich_forced composed[MPICH_N_COLLECTIVES]; /* the same by MPIR_CVAR_..._COMPOSITION */
    const struct setting *refused; /* a value for which MPI_Init ends the program; NULL: none */
};

bool mpich_is_file(const struct table_loader *loader, const struct source *source,
                   const struct settings *settings);
struct table *mpich_read_settings(const struct table_loader *loader, const struct settings *settings,
                                  struct arena *arena, struct diagnostics *diagnostics);
extern const struct settings_dialect mpich_dialect;
/* Returns the choice under settings. */
struct table_range mpich_choose_forced(const struct mpich_settings *of, const struct table_query *query,
                                       bool is_elsewhere, uint64_t bytes, struct arena *arena);
void mpich_lint_settings(const struct mpich_table *of, struct diagnostics *findings);

#endif
