/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files that write MPI C share. A file of emitted C has five parts:
 *
 *   heading   licence, where it comes from, how to use it   mpi_c_entry.c
 *   run time  structs and helpers, only those that are used mpi_c_runtime.c, mpi_c_comm.c,
 *                                                           mpi_c_data.c
 *   schedule  the algorithm as loops, or tables and a loop  mpi_c_program.c, mpi_c_schedule.c
 *   entry     the function with MPI's signature             mpi_c_entry.c, mpi_c_counts.c, mpi_c_cut.c
 *   main      compares with the MPI's own, if asked for     mpi_c_main.c, mpi_c_main_counts.c
 *
 * docs/emitted-c.md describes the result.
 */
#ifndef COLLC_EMITTERS_MPI_C_H
#define COLLC_EMITTERS_MPI_C_H

#include "emitters/emit.h"

/* What an algorithm needs of the run time. */
enum c_feature {
    C_DATA = 1,          /* messages carry data: everything but barrier */
    C_COPY = 1 << 1,     /* local copies of chunks */
    C_MOVE = 1 << 2,     /* local copies of any kind */
    C_REDUCE = 1 << 3,   /* the collective combines */
    C_TMP = 1 << 4,
    C_RANGE = 1 << 5,    /* messages of several blocks: more than INT_MAX elements perhaps */
    C_WINDOW = 1 << 6,
    C_SERVERS = 1 << 7,
    C_COORDINATES = 1 << 8, /* loops over a rank with coordinates: the program form */
    C_SEGMENTS = 1 << 9, /* `buf` is cut in chunks, or each chunk by rank in segments */
    C_HELD = C_TMP | C_SEGMENTS, /* chunks of `tmp` hold more or less, unless C_UNEQUAL */
    C_SIGNAL = 1 << 10,  /* C_DATA, but there are messages without any */
    C_ROOT = 1 << 11,
    C_PACK = 1 << 12,    /* C_SEGMENTS of data whose type may differ between ranks */
    C_ALLOC = 1 << 13,
    C_MAIN = 1 << 14,
    C_GRID = 1 << 15,    /* extents of a grid, found at run time */
    C_SEND = 1 << 16,
    C_RECV = 1 << 17,
    C_REDUCE_OP = 1 << 18,
    C_ORIGIN = 1 << 19,  /* coordinates count from the root's */
    C_COMBINE = 1 << 20, /* local combining of chunks */
    C_ORDERED = 1 << 21, /* combines in rank order */
    C_IN_PLACE = 1 << 22, /* C_ROOT, and the root may be in place */
    C_DIMENSIONS = 1 << 23, /* functions of the grid, or the number of its dimensions */
    C_UNEQUAL = 1 << 24, /* some buffer has chunks with a place and a count of their own: with
                            unequal counts, or `tmp` of chunks like segments */
    C_TYPES = 1 << 25, /* C_UNEQUAL, and a type */
    C_MAP = 1 << 26,     /* a map of ranks */
    C_PLACE = 1 << 27,   /* C_MAP, and chunks are named by ranks */
    C_EACH = 1 << 28,    /* the chunks of a message travel one by one */
    C_RAGGED = 1 << 29,  /* coordinates over servers and max_slots: some have no rank */
    C_CLUSTERS = 1 << 30 /* C_SERVERS, and their clusters */
};

enum { C_NAME_LENGTH = 200 };

struct c_unit {
    enum collective collective;
    enum collective_form form;
    const char *algorithm;
    char name[C_NAME_LENGTH + 1];     /* of the function */
    char function[C_NAME_LENGTH + 1]; /* what is written in its place until the file is complete */
    const char *description; /* or NULL */
    const char *scope;       /* sentence of the heading: where the function is valid */
    unsigned features;       /* of enum c_feature */
    uint32_t n_coordinates;  /* program form */
    const struct rank_map *map; /* or NULL */
    const struct cluster_names *clusters; /* or NULL */
};

/* What is particular to each collective, or form of it. */
struct c_entry {
    const char *mpi_name, *parameters, *arguments;
    const char *unfit; /* what the MPI's own has to answer for, besides !collc_open */
    const char *unfit_at; /* the same, once the rank is known */
    unsigned features;
};
/* Of the forms with unequal counts: mpi_c_counts.c */
const struct c_entry *c_entry_of_form(enum collective_form form);
void c_layout_of_form(enum collective_form form, unsigned features, struct text *out);

/* Sets collective, form, algorithm and function; `features` is what the schedule
 * uses, completed here by what that and the collective entail. */
void c_unit_init(struct c_unit *unit, enum collective collective, enum collective_form form,
                 const char *algorithm, unsigned features, const struct emit_c_options *options);

/* A run of lines and what has to be in `features` for it to be printed. */
struct c_piece {
    unsigned needs, unless;
    const char *text;
};
void c_pieces(const struct c_piece *pieces, size_t n, unsigned features, struct text *out);

/* Where the unit has C_SEGMENTS, mpi_c_cut.c: functions that lay out what is cut, what is besides a
 * reason to leave a call to the MPI's own, and what is done once the steps are. */
void c_runtime_cut(const struct c_unit *unit, struct text *out);
void c_cut_unfit(const struct c_unit *unit, struct text *out);
void c_cut_end(const struct c_unit *unit, struct text *out);
/* Lines of C, each after the first below that column. */
void c_hanging(const char *lines, size_t column, struct text *out);

void c_heading(const struct c_unit *unit, struct text *out);
void c_runtime(const struct c_unit *unit, struct text *out);
/* The map of a unit with C_MAP. mpi_c_map.c */
void c_map(const struct c_unit *unit, struct text *out);
/* Of a unit with C_CLUSTERS, how they are found. mpi_c_clusters.c */
void c_clusters(const struct c_unit *unit, struct text *out);
bool c_is_by_rank(enum collective collective); /* some buffer has a chunk for each rank */
/* Parts of it. */
void c_runtime_comm(unsigned features, struct text *out);
void c_runtime_data(const struct c_unit *unit, struct text *out);
/* Requires collc_fits and collc_steps to have been printed. */
void c_entry(const struct c_unit *unit, struct text *out);
void c_main(const struct c_unit *unit, struct text *out);
/* The parts of it that differ where counts are unequal: one call, and what is tried. */
void c_main_counts_call(const struct c_unit *unit, struct text *out);
extern const char c_main_counts_patterns[];

/* Names. mpi_c_name.c */

/* Sets the name of the function, NULL: the default, and its placeholder. */
void c_name_function(struct c_unit *unit, const char *function);
/* Puts the name into the complete text of the file. False if the code has that name already. */
bool c_name_fill(const struct c_unit *unit, struct text *out);
/* The C name of a variable: its own, or changed if C would not take it. */
void c_name(const char *name, struct text *out);

/* Printing a program: expressions. mpi_c_expr.c */

/* Kinds of expressions that occur, for those C has no operator for. */
struct c_helpers {
    bool is_used[N_EXPR_KINDS];
    const char *origin; /* C: the server that the program counts as 0 */
};
void c_expr(const struct program *program, const struct expr *expr, struct text *out);
/* The same as a truth value, for `if`. */
void c_condition(const struct program *program, const struct expr *expr, struct text *out);
/* The helper functions of those kinds. */
void c_expr_helpers(const struct c_helpers *helpers, struct text *out);

#endif
