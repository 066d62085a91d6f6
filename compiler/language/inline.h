/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of algorithms by algorithms. A run becomes the statements of the algorithm that
 * runs, in the place where it stands:
 *
 *   its names          p is the extent of the coordinate, the rank is the coordinate
 *                      counted from the root of the group; parameters and lets of its
 *                      header become lets of our header, all other names are new
 *   its ranks          ours with the other coordinates as they are
 *   its chunks         chunks here, as the maps say; a chunk of it may be several of ours,
 *                      `width` of them; its tmp is an area of our tmp
 *   its definitions    are put in where they are called
 *   its requirements   are ours
 *
 * An `if` around runs that depends on the rank goes into their steps.
 *
 *   inline.c         the tree: where runs stand, and what is around them
 *   instance.c       one run: the algorithm, its names and sizes
 *   clone.c          its statements
 *   clone_chunks.c   its chunks and ranks
 *   terms.c          building expressions, without what cancels
 */
#ifndef COLLC_COMPILER_LANGUAGE_INLINE_H
#define COLLC_COMPILER_LANGUAGE_INLINE_H

#include "compiler/language/frontend.h"

enum { MAX_ALGORITHMS_READ = 256, MAX_NODES = 1 << 20 };

struct inliner {
    struct program *program; /* to be changed */
    struct reading *reading;
    struct diagnostics *diagnostics;
    struct variable *variables; /* those of the program and new ones */
    size_t n_variables, variables_capacity;
    struct instance *instances; /* in the order of the tree */
    struct instance **tail;
    struct instance *next;      /* to be put in */
    struct expr *segments;      /* of `buf`, if the program does not say it; or NULL */
    struct expr *own_tmp;       /* chunks of tmp that the program has without its runs */
    uint32_t n_copies;          /* makes names unique */
    uint32_t n_statements;      /* statements made, clauses of the header included */
    uint32_t number;            /* of the run: that of all its statements */
};

/* A buffer of the algorithm that is run, as chunks of ours. Each of its chunks is a row of equally many of
 * ours; or as a map says; or, of its tmp, as many as the chunk of another buffer that it is like. */
struct area {
    enum buffer buffer;         /* N_BUFFERS: not there */
    struct expr *first;         /* number of its first chunk */
    struct expr *n;             /* chunks here in all */
    struct expr *parts;         /* chunks the algorithm has of it */
    struct expr *width;         /* n / parts */
    const struct run_map *map;  /* map of a single chunk, then no `first`; else NULL */
    const struct area *like;    /* with a map: tmp has chunks as large as those; else NULL */
    struct expr *start;         /* `like`: chunk, of the algorithm, that the first one is as large as */
    bool is_reported;
};

/* One `run` statement that is being inlined. */
struct instance {
    struct inliner *inliner;
    const struct group_run *run;
    const struct program *algorithm;
    struct expr **value;        /* [variable of the algorithm]; NULL: has none here */
    struct area areas[N_BUFFERS];
    struct expr *extent, *rank; /* of the group; the coordinate */
    struct expr *root;          /* NULL: 0 */
    struct expr *segments;      /* segments of its data, as it cuts them */
    uint32_t copy;              /* suffix of its names */
    struct instance *following;
};

/* Replaces all runs by statements (inline.c); false if there were none. Reports E003 (no such algorithm or
 * parameter), E005, E006, E010, E011. */
bool inline_runs(struct program *program, struct reading *reading,
                 struct diagnostics *diagnostics);
/* Adds a variable NAME_COPY. */
uint32_t inline_new_copy(struct inliner *inliner, const struct variable *of, uint32_t copy);
/* Adds a let to the header, for the run at that position. */
struct expr *inline_header_let(struct inliner *inliner, const char *name, uint32_t copy,
                               struct expr *value, struct position run);
bool inline_is_of_header(const struct inliner *inliner, const struct expr *expr);
/* Counts a statement or a clause that the program gets. Reports E010 above MAX_STATEMENTS. */
void inline_count_statement(struct inliner *inliner, struct position position);
struct statement *inline_copy_statement(struct inliner *inliner, enum statement_kind kind,
                                        struct position position);

/* instance.c */
/* Reads the algorithm and gives its header's names their values; NULL after reporting. */
struct instance *instance_new(struct inliner *inliner, const struct group_run *run);
/* Places its buffers, once all instances are known, and `segments` with them. */
void instance_place(struct instance *instance);

/* Clones the statements (clone.c); *tail is where they were appended. Returns their end. */
struct statement **clone_instance(struct instance *instance, struct position position,
                                  struct statement **tail);
struct expr *clone_expr(struct instance *instance, const struct expr *expr);

/* clone_chunks.c */
/* Returns the first chunk of ours of the chunk of that number, as the map of the area says. */
struct expr *map_first(struct instance *instance, const struct area *area, struct expr *number);
/* True if by that map each chunk begins where the one before it ends. */
bool is_map_in_row(struct instance *instance, const struct area *area);
void clone_chunks(struct instance *instance, const struct chunks *from, struct chunks *to);
void clone_target(struct instance *instance, const struct target *from, struct target *to);

/* terms.c: new expressions at the position of a run */
/* Counts nodes that are made or shared once more. Reports E010 above MAX_NODES in all: a chunk that a map
 * names k times is k chunks for the next run around. */
void expr_count_nodes(struct inliner *inliner, uint32_t n, struct position position);
uint32_t expr_n_nodes(const struct expr *expr);
/* True if statements or expressions are too many, which was reported: no more are to be made. */
bool inliner_is_full(const struct inliner *inliner);
struct expr *expr_new_integer(struct inliner *inliner, int64_t value, struct position position);
struct expr *expr_new_variable(struct inliner *inliner, uint32_t variable,
                               struct position position);
struct expr *expr_new_operation(struct inliner *inliner, enum expr_kind kind, struct expr *a,
                                struct expr *b);
/* Returns a + b + constant, or a - b + constant; b may be NULL. */
struct expr *term_sum(struct inliner *inliner, struct expr *a, struct expr *b, int64_t constant);
struct expr *term_difference(struct inliner *inliner, struct expr *a, struct expr *b,
                             int64_t constant);
struct expr *term_product(struct inliner *inliner, struct expr *a, struct expr *b);
struct expr *term_quotient(struct inliner *inliner, struct expr *a, struct expr *b);
bool expr_is_integer(const struct expr *expr, int64_t value);

#endif
