/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates expressions of a program for a block of ranks at once: ranks in a row, or
 * some that were chosen. A *lane* is the place of a rank within the block; a set of
 * lanes selects the ranks for which a statement is carried out. An expression that has
 * the same value on all of them is evaluated once.
 *
 * The last assignment decides whether a variable is uniform, not the checker's
 * flags, so an argument of a `def` may be uniform in one
 * call and differ between ranks in another.
 */
#ifndef COLLC_COMPILER_PASSES_EVALUATE_H
#define COLLC_COMPILER_PASSES_EVALUATE_H

#include "compiler/passes/arithmetic.h"
#include "compiler/passes/circulant.h"
#include "compiler/passes/neighbors.h"
#include "compiler/passes/range.h"
#include "compiler/passes/rank_grid.h"
#include "compiler/passes/servers.h"

enum { MAX_SCRATCH = 1024 }; /* right-nested operands of one expression */

/* Lanes of the block in ascending order. */
struct lanes {
    uint32_t n;
    const uint16_t *index; /* NULL: `n` consecutive lanes from `first` on */
    uint32_t first;
};

static inline uint32_t lane_at(const struct lanes *lanes, uint32_t i)
{
    return lanes->index ? lanes->index[i] : lanes->first + i;
}

/* Values for one block of a vector that has a value for each rank. */
struct block_memo {
    enum { MEMO_UNKNOWN, MEMO_READY, MEMO_FAILED } state; /* FAILED: no value at some rank */
    struct range range;
};

enum slot_kind {
    SLOT_UNIFORM,  /* the same everywhere: `scalar` */
    SLOT_LANES,    /* differs between the lanes of this block: `block` */
    SLOT_DEFERRED, /* `expr`, which has a value on `lanes`; evaluated when it is read */
    SLOT_RANKS,    /* differs between ranks: `all`, with `memo` */
    SLOT_FIXED     /* the same, of `expr`, which never changes at a rank: each block is evaluated when it is
                      first needed */
};

/* A variable's value. */
struct slot {
    enum slot_kind kind;
    bool is_let;               /* FIXED: assigned by the program */
    int64_t scalar;
    struct range range;        /* LANES, DEFERRED: bounds in this block */
    const struct expr *expr;   /* DEFERRED, FIXED */
    struct lanes lanes;        /* DEFERRED: lanes of the block of statements that it is a variable of */
    uint32_t chain;            /* DEFERRED: length of the longest chain of such variables that read each
                                  other */
    uint32_t reads;            /* DEFERRED: reads of such variables, theirs included; saturates at a limit */
    uint32_t depth;            /* DEFERRED: vectors that its evaluation holds at once */
    int64_t *block;            /* [lane], or NULL: not yet needed */
    int64_t *all;              /* [position of a rank, repeats included], or NULL */
    struct block_memo *memo;   /* [block], with `all`; after the last one that of all ranks */
};

/* Reason for a missing value. */
struct fault {
    uint32_t code;         /* E006, E007, E008, E009 or E010 */
    struct position position;
    int64_t rank;           /* -1: not of one rank */
    const char *message;    /* constant, or in the arena of the environment's diagnostics */
    const char *help;       /* or NULL */
    bool is_domain;         /* a parameter has a value that the language does not allow there */
};

struct environment {
    const struct program *program;
    struct diagnostics *diagnostics; /* its arena has the messages; nothing is reported */
    struct slot *slots;              /* [variable] */
    uint32_t n_slots;                /* variables of the program, and those a pass has added */
    struct rank_grid grid;                /* without ranks: functions of the grid have no value */
    const struct neighborhood *neighbors; /* NULL: the program has none */
    struct servers servers;          /* without placement: groups_before has no value */
    struct circulant circulant;
    const uint32_t *ranks;           /* [position] ranks that are looked at, ascending; NULL: all */
    uint32_t n_ranks;                /* number of these */
    uint32_t n_repeats;              /* if not 0, `ranks` has them so many times one after the other, in one
                                        block: a lane is a rank in one of several iterations (ahead.h) */
    uint32_t block_first;            /* position of lane 0 */
    bool is_whole;                   /* bounds are for all ranks, as if in one block */
    bool is_trial;                   /* a failure is expected: it is not described */
    struct fault fault;              /* fault of the last evaluation that returned false */
    int64_t *scratch[MAX_SCRATCH];   /* vectors, made when first needed */
};

static inline uint32_t environment_rank(const struct environment *environment, uint32_t lane)
{
    const uint32_t position = environment->block_first + lane;
    return environment->ranks ? environment->ranks[position] : position;
}

struct environment *environment_new(const struct program *program, struct diagnostics *diagnostics);
void environment_free(struct environment *environment);

/* Evaluates on the given lanes; the vector of the value, if it is one, lives until the next evaluation at
 * this or a lower depth, or belongs to a variable. `depth` is the number of values the caller holds. False:
 * see the fault. */
bool evaluate(struct environment *environment, const struct expr *expr, const struct lanes *lanes,
              uint32_t depth, struct value *value);
/* Evaluates an expression that reads nothing which differs between ranks. False, without a fault: it does, or
 * has no value. Faster than any other evaluation. */
bool evaluate_scalar(struct environment *environment, const struct expr *expr, int64_t *value);
/* Evaluates an expression that may not differ between ranks; fails with code E006 if it does. */
bool evaluate_uniform(struct environment *environment, const struct expr *expr, int64_t *value);

/* Returns the lanes where the condition is true (or, not `wanted`, false), written to `index` unless they are
 * in a row. */
struct lanes evaluate_select_lanes(const struct lanes *lanes, const struct value *condition, bool wanted,
                                   uint16_t index[BLOCK_LANES]);

/* Finds the lanes where an expression is true, in the same form. `a and b`: evaluates b on the lanes of a
 * only, and makes no value of the whole. False: see the fault. */
bool evaluate_select_where(struct environment *environment, const struct expr *condition,
                           const struct lanes *lanes, uint16_t index[BLOCK_LANES], struct lanes *selected);

/* Narrows *ranks, consecutive ranks, to those for which a condition is true, if bounds of all ranks tell: the
 * ranks that act are then known without looking at the others. False: they do not tell. Requires that what
 * the condition reads has a value for each rank. */
bool evaluate_select_ranks(struct environment *environment, const struct expr *condition,
                           struct lanes *ranks);

/* Returns room for a vector at this depth. */
int64_t *evaluate_scratch(struct environment *environment, uint32_t depth);
/* True if every lane of the block, in any set, has a value of the expression within *range. False: a lane may
 * have none, or it is not known. Leaves vectors below `depth` alone. */
bool evaluate_range(struct environment *environment, const struct expr *expr, uint32_t depth,
                    struct range *range);

/* Source text of an expression, for messages; in the diagnostics' arena. */
const char *expression_text(struct environment *environment, const struct expr *expr);
/* Fills the fault; returns false for the caller to return. */
bool evaluate_fail(struct environment *environment, uint32_t code, struct position position, int64_t rank,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
