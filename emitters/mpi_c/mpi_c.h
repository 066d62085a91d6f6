/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files that write MPI C share. A file of emitted C has five parts:
 *
 *   heading   licence, where it comes from, how to use it   unit.c
 *   run time  structs and helpers, only those that are used runtime/types.c to step.c
 *   schedule  the algorithm as loops, or tables and a loop  program.c (with use.c, place.c, expr.c
 *                                                           and count.c), table.c
 *   entry     the function with MPI's signature             runtime/open.c, layout.c, entry.c
 *   main      compares with the MPI's own, if asked for     runtime/test*.c
 *
 * The files of runtime/ are C as it is emitted, for all algorithms: template.c leaves out what an
 * algorithm does not need (features.def). docs/emitted-c.md describes the result.
 */
#ifndef COLLC_EMITTERS_MPI_C_H
#define COLLC_EMITTERS_MPI_C_H

#include "emitters/emit.h"

/* What an algorithm needs of the run time, as a set: C(COPY) | C(TMP). */
enum c_feature {
#define FEATURE(name) FEATURE_##name,
#include "emitters/mpi_c/features.def"
#undef FEATURE
    N_FEATURES
};
#define C(name) (UINT64_C(1) << FEATURE_##name)

enum { C_NAME_LENGTH = 200 };

struct c_unit {
    enum collective collective;
    enum collective_form form;
    const char *algorithm;
    char name[C_NAME_LENGTH + 1];     /* of the function */
    char function[C_NAME_LENGTH + 1]; /* what is written in its place until the file is complete */
    const char *description; /* or NULL */
    const char *scope;       /* sentence of the heading: where the function is valid */
    uint64_t features;       /* set of enum c_feature */
    const bool *helpers;     /* [enum expr_kind] used of arithmetic.c; or NULL: none */
    const struct rank_map *map; /* or NULL */
    const struct cluster_names *clusters; /* or NULL */
};

/* Sets collective, form, algorithm and function; `features` is what the schedule
 * uses, completed here by what that and the collective entail. */
void c_unit_init(struct c_unit *unit, enum collective collective, enum collective_form form,
                 const char *algorithm, uint64_t features, const struct emit_c_options *options);
/* Whether the name of a condition in runtime/ holds: of a feature, collective or helper. */
bool c_unit_has(const struct c_unit *unit, const char *name, size_t length);
/* Prints what stands in the emitted C for a word of runtime/; false: it stands for itself. */
bool c_unit_text(const struct c_unit *unit, const char *word, size_t length, struct text *out);
/* Whether collc_NAME of arithmetic.c is used, by NAME in capitals; expr.c. */
bool c_helper_is_used(const bool *helpers, const char *name, size_t length, bool *is_helper);

/* Whether some buffer has a chunk for each rank. */
bool c_is_by_rank(enum collective collective);

/* The parts of the file. c_runtime is what comes before the schedule; c_entry, after it, requires
 * collc_fits and collc_steps to have been printed. */
void c_heading(const struct c_unit *unit, struct text *out);
void c_runtime(const struct c_unit *unit, struct text *out);
void c_entry(const struct c_unit *unit, struct text *out);

/* What the unit needs of a file of runtime/. template.c */
void c_template(const struct c_unit *unit, const char *name, struct text *out);
/* A statement of C, in as many lines as it takes. lines.c */
void c_line(size_t indent, const char *text, struct text *out);

/* Names. name.c */

/* Sets the name of the function, NULL: the default, and what stands for it while a file is written. */
void c_name_function(struct c_unit *unit, const char *function);
/* Puts the name into the complete text of the file. False if the code has that name already. */
bool c_name_fill(const struct c_unit *unit, struct text *out);
/* The C name of a variable: its own, or changed if C would not take it. */
void c_name(const char *name, struct text *out);

/* Printing a program: expressions. expr.c */

void c_expr(const struct program *program, const struct expr *expr, struct text *out);
/* How many numbers from the first to the last. count.c */
void c_count(const struct program *program, struct expr *first, struct expr *last,
             struct text *out);
/* An expression as a truth value, for `if`. */
void c_condition(const struct program *program, const struct expr *expr, struct text *out);

#endif
