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

struct mpi_command;

/* What is particular to an MPI (ompi.c, mpich.c). */
struct mpi_kind {
    const char *target;      /* that its release is of: "ompi-4.1" */
    const char *name;        /* "Open MPI" */
    const char *suffix;      /* of its commands where several are installed: ".openmpi" */
    const char *release;     /* what its number begins with: "4.1" */
    /* Where the number of its release is in what `mpirun --version` says; NULL: it is of another MPI. */
    const char *(*find_release)(const char *said);
    const char *spy;         /* what is preloaded (tuning/runtime/), and what that includes, up to NULL */
    const char *spy_parts[4];
    const char *table_variable; /* in the environment, by which a user names a table */
    bool fails_end_program;  /* a call that fails, fails for good */
    const char *run_option;  /* of mpirun for a variable in the environment */
    bool is_set_with_equals; /* ... NAME=VALUE is one word */
    /* Words for as many ranks as are asked for, and for the table; see mpi_add_rules. */
    void (*add_run)(struct mpi_command *command);
    void (*add_rules)(struct mpi_command *command, const char *table);
    /* Words for a launch before, in which the spy learns what it writes to `known`; NULL: it knows all. */
    void (*add_lesson)(struct mpi_command *command, const char *known);
};
extern const struct mpi_kind mpi_kind_ompi, mpi_kind_mpich;

/* The collectives that our driver calls, and that are watched. */
bool mpi_has_collective(const char *name);

struct mpi {
    const struct mpi_kind *kind;
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
/* With a variable in the environment of each rank. */
void mpi_add_variable(struct mpi_command *command, const char *name, const char *value);
/* With the spy, whose records get this prefix; `known` is what it has learnt, or NULL. */
void mpi_add_spy(struct mpi_command *command, const char *prefix, const char *known);

#endif
