/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The language of algorithms (docs/language.md): text to program, program to text. This is all
 * that the other folders see of it; the files in here share frontend.h.
 */
#ifndef COLLC_COMPILER_LANGUAGE_LANGUAGE_H
#define COLLC_COMPILER_LANGUAGE_LANGUAGE_H

#include "ir/program.h"

/* Parses and checks one algorithm; reports every error of the file. NULL if there was one. Algorithms that it
 * runs are those built in or, if there is none of that name, the file NAME.coll beside it. The source and the
 * diagnostics must outlive the program. */
struct program *program_read(const struct source *source, struct diagnostics *diagnostics);
/* Does the same with other values for parameters that name algorithms; ignores other settings. */
struct program *program_read_with(const struct source *source,
                                  const struct parameter_setting *settings, size_t n_settings,
                                  struct diagnostics *diagnostics);
/* Returns the tree as written, with its runs: to print and to say what is in it, but not to bind. */
struct program *program_read_as_written(const struct source *source,
                                        struct diagnostics *diagnostics);
/* True if the algorithm can be one of a form of its collective: see program_take_form. */
bool program_serves(const struct program *program, enum collective_form form);
/* Makes it an algorithm of a form of its collective with unequal counts. Reports E020, and returns false, if
 * a rank would need counts that MPI does not tell it. The verifier judges what is put into `out` and `tmp`
 * (R008). */
bool program_take_form(struct program *program, enum collective_form form,
                       struct diagnostics *diagnostics);
/* Expression that stands alone, such as the counts of a collective with unequal counts. */
enum { FORMULA_MAX_NAMES = 8 };
struct formula {
    struct program *program;       /* holds variables, no statements; program_free */
    struct expr *expr;
    uint32_t variable[FORMULA_MAX_NAMES]; /* of the names that were given */
};
/* Reads a formula over `names`, `n` of them, and the functions of the language; reports every error. The
 * source must outlive the formula. */
bool formula_read(const struct source *source, const char *const *names, uint32_t n,
                  struct formula *formula, struct diagnostics *diagnostics);
/* Prints a program as written in the language (canonical layout): read again, it
 * gives an equal program and prints the same bytes. */
void program_print(const struct program *program, struct text *out);
/* Prints the clauses of its header below the first line, one a line; no definitions and no costs. */
void program_print_clauses(const struct program *program, struct text *out);
/* Prints one of its expressions, in one line. */
void program_print_expr(const struct program *program, const struct expr *expr, struct text *out);
/* Prints the extent of a coordinate. */
void program_print_extent(const struct program *program, uint32_t coordinate, struct text *out);
/* Prints the default of a parameter as in the header: a number, a formula or a name. */
void program_print_default(const struct program *program, const struct variable *parameter,
                           struct text *out);
/* True if every expression, statement and name has what its kind needs, and there is no `run` unless it may
 * be. For assertions. O(tree). */
bool program_is_sound(const struct program *program, bool may_run);
/* True if the same holds for statements that replace its body, over the first `n_variables`. */
bool statements_are_sound(const struct program *program, const struct statement *first,
                          uint32_t n_variables);
/* Numbers to print in the place of expressions. */
struct known_values {
    bool (*value_of)(const void *of, const struct expr *expr, int64_t *value); /* false: not known */
    const void *of;
};
/* Prints the tree, whichever files its parts are from: a statement a line, no comments, and no parameters
 * that name algorithms, whose runs must be gone. Read again, it is an equal program and prints the same
 * bytes, wherever the language can express it. With `known` values (or NULL) it has no parameters,
 * requirements, costs and lets of the header, for which there are numbers. */
void program_print_tree(const struct program *program, const struct known_values *known,
                        struct text *out);
void program_free(struct program *program);

#endif
