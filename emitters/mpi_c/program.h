/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the program form share: use.c finds out what a piece
 * of a program uses, place.c prints where ranks and chunks lie, and
 * program.c prints statements and puts the file together.
 */
#ifndef COLLC_EMITTERS_MPI_C_PROGRAM_H
#define COLLC_EMITTERS_MPI_C_PROGRAM_H

#include "emitters/mpi_c/mpi_c.h"

#include <stdlib.h>

/* A program on its way to C. */
struct c_form {
    const struct program *program;
    const struct emit_c_options *options;
    const struct expr **let_value; /* [variable] value of a `let` of the body, or NULL */
    uint64_t features;             /* complete once everything was looked at */
};

/* What some statements or expressions use. */
struct use {
    const struct c_form *form;
    bool *variable;                /* [variable] */
    bool helper[N_EXPR_KINDS];
    uint64_t features;
    bool rank_at;
};
void use_open(struct use *use, const struct c_form *form);
void use_close(struct use *use);
void use_expr(struct use *use, const struct expr *expr);
void use_statements(struct use *use, const struct statement *statement);

/* Whether the buffer has a chunk for each rank. */
bool is_by_rank(const struct program *program, enum buffer buffer);
/* Whether the chunks are one, named by the coordinates of a rank. */
bool is_by_coordinates(const struct program *program, const struct chunks *chunks);

/* place.c */
/* `const int64_t NAME = ...;` for the variables used that do not come from a
 * statement: named values, parameters, coordinates, lets of the header. */
void c_declarations(const struct use *use, struct text *out);
/* "first, n" of chunks, as arguments of a run-time function. */
void c_chunks(const struct c_form *form, const struct chunks *chunks, struct text *out);
/* The same without their number. */
void c_first_chunk(const struct c_form *form, const struct chunks *chunks, struct text *out);
/* "collc_at(run, ...)": the rank at some coordinates. */
void c_rank_at(const struct c_form *form, struct expr *const *coordinates, uint32_t n,
               struct text *out);
/* C: the server that the program counts as 0. */
const char *c_origin(const struct c_form *form);
void c_define_rank_at(const struct c_form *form, struct text *out);
/* Everything collc_like uses. */
void use_like(struct use *use);
/* collc_like, where counts are unequal and there is tmp. */
void c_define_like(const struct c_form *form, struct text *out);
/* collc_fits: requirements, extents, own coordinates. */
void c_define_fits(const struct c_form *form, const struct use *everything, struct text *out);
/* GRID, DIMENSIONS: what of the grid the run time has to hold. */
uint64_t use_grid(const struct use *use);
/* Everything collc_fits uses. */
void use_header(struct use *use);

#endif
