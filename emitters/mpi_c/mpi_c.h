/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files that write MPI C. A file of emitted C has five parts:
 *
 *   heading   licence, origin, usage                          unit.c
 *   run time  structs and helpers, only those that are used   runtime/types.c to step.c
 *   schedule  the algorithm as loops, or tables and a loop    program.c (with use.c, place.c, expr.c
 *                                                             and count.c), table.c
 *   entry     the function with MPI's signature               runtime/open.c, layout.c, entry.c
 *   main      comparison with the MPI's own, on request       runtime/test*.c
 *
 * A library (library.c) has the run time once, the schedules of many algorithms, and an entry for each
 * collective.
 *
 * The files of runtime/ are C as it is emitted, for all algorithms: template.c leaves out the parts that
 * an algorithm does not need (features.def). docs/emitted-c.md describes the result.
 */
#ifndef COLLC_EMITTERS_MPI_C_H
#define COLLC_EMITTERS_MPI_C_H

#include "emitters/emit.h"

/* Parts of the run time that an algorithm needs, as a set: C(COPY) | C(TMP). */
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
    char name[C_NAME_LENGTH + 1];     /* name of the function */
    char function[C_NAME_LENGTH + 1]; /* stand-in for the name until the file is complete */
    const char *description; /* or NULL */
    const char *scope;       /* sentence of the heading: where the function is valid */
    uint64_t features;       /* set of enum c_feature */
    const bool *helpers;     /* [enum expr_kind] functions of arithmetic.c that are used; or NULL: none */
    const struct rank_map *map; /* or NULL */
    const struct cluster_names *clusters; /* or NULL */
};

/* The algorithms whose run time is written, one or those of a library. */
struct c_set {
    const struct c_unit *const *units; /* [n] the first one is asked for the texts of words */
    size_t n;
    bool is_library;
    size_t collective;   /* of a library: number of the units' collective, where they have one */
    const char *version; /* of a library */
    bool *traits;    /* [C_MAX_TRAITS] those that the run time asks a call for; filled in */
};
enum { C_MAX_TRAITS = N_FEATURES + N_FORMS + N_COLLECTIVES };

/* Sets collective, form, algorithm and function. `features` are those of the schedule; adds those that they
 * and the collective imply. */
void c_unit_init(struct c_unit *unit, enum collective collective, enum collective_form form,
                 const char *algorithm, uint64_t features, const struct emit_c_options *options);
/* True if the condition with that name holds in runtime/: a feature, collective or helper. */
bool c_unit_has(const struct c_unit *unit, const char *name, size_t length);
/* Returns the name of a trait, in capitals: a feature or a collective; NULL behind the last one. */
const char *c_trait_name(size_t trait);
/* True if the unit has that trait. */
bool c_unit_has_trait(const struct c_unit *unit, size_t trait);
/* Prints how C asks a call for the trait of that name, and notes in the set that it does. */
void c_trait(const struct c_set *set, const char *name, size_t length, struct text *out);
/* Prints the text that replaces a word of runtime/ in the emitted C. Returns false if the word stays. */
/* Prints a list in parentheses, without these, with other words around its counts: `instead` comes in the
 * place of `before`. */
void c_change_counts(const char *list, const char *before, const char *instead, const char *behind,
                     struct text *out);
bool c_unit_text(const struct c_set *set, const char *word, size_t length, struct text *out);
/* True if collc_NAME of arithmetic.c is used, by NAME in capitals; expr.c. */
bool c_helper_is_used(const bool *helpers, const char *name, size_t length, bool *is_helper);

/* True if some buffer has a chunk for each rank. */
bool c_is_by_rank(enum collective collective);

/* The beginning of the function of `main` that says what a rank needs, by calls of collc_need. */
extern const char c_needs_begin[];

/* Print the parts of the file. c_runtime comes before the schedule; c_entry, after it, requires that
 * collc_fits and collc_steps have been printed. */
void c_heading(const struct c_unit *unit, struct text *out);
void c_runtime(const struct c_unit *unit, struct text *out);
void c_entry(const struct c_unit *unit, struct text *out);

/* Prints the parts of a file of runtime/ that the algorithms need. template.c */
void c_template(const struct c_set *set, const char *name, struct text *out);
/* Prints those that one algorithm needs. unit.c */
void c_template_one(const struct c_unit *unit, const char *name, struct text *out);
/* Prints a statement of C, in as many lines as it takes. lines.c */
void c_line(size_t indent, const char *text, struct text *out);

/* Names. name.c */

/* Sets the name of the function, NULL for the default, and its stand-in while a file is written. */
void c_name_function(struct c_unit *unit, const char *function);
/* Sets the suffix of the functions of an algorithm in a library, of its default name. */
void c_suffix(const struct c_unit *unit, char suffix[C_NAME_LENGTH + 1]);
/* Puts the name into the complete text of the file. Returns false if the code has that name already. */
bool c_name_fill(const struct c_unit *unit, struct text *out);
/* Prints the C name of a variable: its own, or a changed one if C does not allow it. */
void c_name(const char *name, struct text *out);

/* Printing a program: expressions. expr.c */

void c_expr(const struct program *program, const struct expr *expr, struct text *out);
/* Prints the count of numbers from the first to the last. count.c */
void c_count(const struct program *program, struct expr *first, struct expr *last,
             struct text *out);
/* Prints an expression as a truth value, for `if`. */
void c_condition(const struct program *program, const struct expr *expr, struct text *out);

#endif
