/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI that is installed: its commands, whether it is the one of a target, and our programs,
 * compiled for it (tuning/runtime/) in a folder that is gone with us.
 */
#ifndef COLLC_TUNING_MPI_H
#define COLLC_TUNING_MPI_H

#include "base/memory.h"
#include "tuning/launch.h"

enum { MPI_MAX_WORDS = 256 };

struct mpi {
    const char *target;
    const char *mpicc[MPI_MAX_WORDS], *mpirun[MPI_MAX_WORDS]; /* commands with their first arguments,
        up to NULL */
    const char *version;     /* "Open MPI 4.1.4" */
    char *folder;            /* ours; NULL: none yet */
    const char *driver, *spy; /* compiled; NULL: not yet */
    const char *problem, *help; /* what failed, and what to do */
    struct arena *arena;
};

/* Finds the commands, `mpicc` and `mpirun` of the user (with arguments) or those of the MPI of the target by
 * their usual names. False with `problem` and `help`: there are none, or of another MPI or version. */
bool mpi_open(struct mpi *mpi, const char *target, const char *mpicc, const char *mpirun,
              struct arena *arena);
/* Takes away the folder and what is in it. */
void mpi_close(struct mpi *mpi);
/* Compile the programs; false with a problem. */
bool mpi_compile_driver(struct mpi *mpi);
bool mpi_compile_spy(struct mpi *mpi);
/* The path of a file in the folder, in the arena. */
const char *mpi_path(struct mpi *mpi, const char *name);
/* Writes a file there; its path. */
const char *mpi_write(struct mpi *mpi, const char *name, const struct text *text);

/* A command to launch a program with, word for word. */
struct mpi_command {
    struct mpi *mpi;
    const char *words[MPI_MAX_WORDS + 1024];
    size_t n;
};
/* mpirun for so many ranks; 0: as mpirun itself decides. */
struct mpi_command mpi_command(struct mpi *mpi, uint32_t n_ranks);
void mpi_add(struct mpi_command *command, const char *word);
/* With the rules in `table` (an absolute path; NULL: without any), whose loader also has to be asked for what
 * each communicator says. */
void mpi_add_rules(struct mpi_command *command, const char *table);
/* With the spy, whose records get this prefix. */
void mpi_add_spy(struct mpi_command *command, const char *prefix);

#endif
