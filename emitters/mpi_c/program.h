/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the program form: use.c finds the parts that a piece of a program uses, place.c
 * prints the places of ranks and chunks, and program.c prints statements and puts the file together.
 */
#ifndef COLLC_EMITTERS_MPI_C_PROGRAM_H
#define COLLC_EMITTERS_MPI_C_PROGRAM_H

#include "emitters/mpi_c/mpi_c.h"

#include <stdlib.h>

/* A program on its way to C. */
struct c_form {
    const struct program *program;
    const struct emit_c_options *options;
    const char *suffix;            /* of the names of its functions; "" in a file of its own */
    const struct expr **let_value; /* [variable] value of a `let` in the body, or NULL */
    uint64_t features;             /* complete after the whole program was visited */
};

/* The variables, helpers and features that some statements or expressions use. */
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

/* True if the buffer has a chunk for each rank. */
bool is_by_rank(const struct program *program, enum buffer buffer);
/* True if the chunks are one, named by the coordinates of a rank. */
bool is_by_coordinates(const struct program *program, const struct chunks *chunks);

/* A program with its form, what it uses, and its unit. */
struct c_program {
    struct c_form form;
    struct use use;
    struct c_unit unit;
    char suffix[C_NAME_LENGTH + 1];
};
/* Finds out what the run time must have. program and options must outlive it. Release with
 * c_program_close. */
void c_program_open(struct c_program *c, const struct program *program, const struct emit_c_options *options);
void c_program_close(struct c_program *c);
/* Prints the functions of the algorithm: collc_fits, collc_like if it has one, collc_steps. */
void c_program_print(const struct c_program *c, struct text *out);

/* place.c */
/* Returns the number of a parameter among the parameters. */
uint32_t c_parameter_index(const struct program *program, uint32_t variable);
/* Prints `const int64_t NAME = ...;` for the variables used that do not come from a statement: named
 * values, parameters, coordinates, lets of the header. */
void c_declarations(const struct use *use, struct text *out);
/* Prints "first, n" of chunks, as arguments of a run-time function. */
void c_chunks(const struct c_form *form, const struct chunks *chunks, struct text *out);
/* Prints the same without their number. */
void c_first_chunk(const struct c_form *form, const struct chunks *chunks, struct text *out);
/* Prints "collc_at(run, ...)": the rank at some coordinates. */
void c_rank_at(const struct c_form *form, struct expr *const *coordinates, uint32_t n,
               struct text *out);
/* Returns the C expression of the server that the program counts as 0. */
const char *c_origin(const struct c_form *form);
void c_define_rank_at(const struct c_form *form, struct text *out);
/* True if an algorithm of these features has collc_like. */
bool c_program_has_like(uint64_t features);
/* Adds everything that collc_like uses. */
void use_like(struct use *use);
/* Prints collc_like, for unequal counts with tmp. */
void c_define_like(const struct c_form *form, struct text *out);
/* Prints collc_fits: requirements, extents, own coordinates. */
void c_define_fits(const struct c_form *form, const struct use *everything, struct text *out);
/* Returns GRID and DIMENSIONS as far as the run time must hold them. */
uint64_t use_grid(const struct use *use);
/* Adds everything that collc_fits uses. */
void use_header(struct use *use);

#endif
