/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the installed MPI: its commands, and whether it is the target's; compiles our programs for it
 * (tuning/runtime/) in a temporary folder.
 */
#ifndef COLLC_TUNING_MPI_H
#define COLLC_TUNING_MPI_H

#include "base/memory.h"
#include "tables/rules/table.h"
#include "tuning/launch.h"

enum { MPI_MAX_WORDS = 256 };

struct mpi_command;

/* The properties of an MPI (ompi.c, mpich.c). */
struct mpi_kind {
    struct mpi_release {
        const char *target;  /* "ompi-4.1" */
        const char *number;  /* beginning of its version number: "4.1" */
        bool is_recorded_alone; /* what ran is not seen, and algorithms are forced by name, for a launch */
    } releases[3];           /* those that can be run, up to NULL */
    const char *name;        /* "Open MPI" */
    const char *suffix;      /* suffix of its commands if several MPIs are installed: ".openmpi" */
    /* Returns the place of its version number in the output of `mpirun --version`; NULL if that is another
     * MPI's. */
    const char *(*find_release)(const char *said);
    const char *spy;         /* preloaded library (tuning/runtime/), and its included files, up to NULL */
    const char *spy_parts[4];
    const char *variables;   /* what the names of its settings begin with in the environment: "OMPI_MCA_" */
    const char *fixed_collective; /* one whose algorithm cannot be changed while a program runs; NULL: none */
    /* Returns the environment variable that forces an algorithm of the collective. */
    const char *(*forced_variable)(const char *collective, struct arena *arena);
    const char *file_variable; /* environment variable that names a parameter file; NULL: there is none */
    const char *table_variable; /* environment variable by which a user names a table */
    const char *record_variable; /* environment variable that is 1 where messages are recorded; NULL: none */
    bool fails_end_program;  /* a call that fails ends the program */
    const char *run_option;  /* option of mpirun for an environment variable */
    bool is_set_with_equals; /* ... NAME=VALUE is one word */
    /* Add words for the number of ranks, and for the table; see mpi_add_rules. */
    void (*add_run)(struct mpi_command *command);
    void (*add_rules)(struct mpi_command *command, const char *table);
    /* Adds words beside settings that stand for a table; NULL: none are needed. */
    void (*add_beside)(struct mpi_command *command);
    /* Adds words for a launch before, in which the spy learns and writes to `known`; NULL: it knows
     * everything. */
    void (*add_lesson)(struct mpi_command *command, const char *known);
};
extern const struct mpi_kind mpi_kind_ompi, mpi_kind_mpich;

/* True if our driver can call the collective, and the spy watches it. */
bool mpi_has_collective(const char *name);
/* True if our driver can call it, and its messages can be recorded. */
bool mpi_can_record(const char *name);

struct mpi {
    const struct mpi_kind *kind;
    const char *target;      /* of the release that is installed, or "library" */
    bool is_recorded_alone;  /* ... see its release */
    const char *mpicc[MPI_MAX_WORDS], *mpirun[MPI_MAX_WORDS]; /* commands with their first arguments, up to
                                                                 NULL */
    bool is_library;         /* the target is a library of collc's under the MPI that is there */
    const char *library;     /* its C text, which the user sets before mpi_compile_spy */
    const char *version;     /* "Open MPI 4.1.4" */
    char *folder;            /* temporary folder; NULL: none yet */
    const char *driver, *spy; /* paths of the compiled programs; NULL: not yet */
    const char *problem, *help; /* failure, and how to mend it */
    struct arena *arena;
};

/* Finds the commands: `mpicc` and `mpirun` of the user (with arguments) or those of the target's MPI by
 * their usual names; for the target "library", and without one (NULL), any MPI will do. Returns false with
 * `problem` and `help` if there are none, or they are of another MPI or version. */
bool mpi_open(struct mpi *mpi, const char *target, const char *mpicc, const char *mpirun,
              struct arena *arena);
/* Removes the folder and its files. */
void mpi_close(struct mpi *mpi);
/* Compile the programs; return false with a problem. The spy of a library is the library itself. */
bool mpi_compile_driver(struct mpi *mpi);
bool mpi_compile_spy(struct mpi *mpi);
/* Returns the path of a file in the folder, in the arena. */
const char *mpi_path(struct mpi *mpi, const char *name);
/* Writes a file there and returns its path. */
const char *mpi_write(struct mpi *mpi, const char *name, const struct text *text);

/* A command that launches a program, word for word. */
struct mpi_command {
    struct mpi *mpi;
    const char *words[MPI_MAX_WORDS + 1024];
    size_t n;
};
/* Returns mpirun for n_ranks ranks; 0: mpirun's own decision. */
struct mpi_command mpi_command(struct mpi *mpi, uint32_t n_ranks);
void mpi_add(struct mpi_command *command, const char *word);
/* Adds the rules in `table` (an absolute path; NULL: no rules), and options to use the variables set for
 * each communicator. */
void mpi_add_rules(struct mpi_command *command, const char *table);
/* Adds the settings of a table that was read from such, in the environment of the ranks; a parameter file is
 * handed to the MPI as it is. */
void mpi_add_settings(struct mpi_command *command, const struct table *table);
/* Adds an environment variable of each rank. */
void mpi_add_variable(struct mpi_command *command, const char *name, const char *value);
/* Adds the spy, whose records get this prefix; `known` is its file of knowledge, or NULL. */
void mpi_add_spy(struct mpi_command *command, const char *prefix, const char *known);

#endif
