/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types that the files of symmetry.h share: shapes, the facts known of the expressions of a program, and
 * the walk through it.
 */
#ifndef COLLC_COMPILER_PASSES_SYMMETRY_SYMMETRY_INTERNAL_H
#define COLLC_COMPILER_PASSES_SYMMETRY_SYMMETRY_INTERNAL_H

#include "compiler/passes/symmetry/symmetry.h"
#include "network/topology.h"

enum { WALK_COORDINATES = TOPOLOGY_MAX_DIMENSIONS, MAX_TERMS = WALK_COORDINATES };

/* Term scale * x; x is a coordinate plus something uniform, modulo its extent. Terms of one identity have the
 * same x. */
struct term {
    int64_t scale; /* not 0 */
    uint32_t reduced, identity;
};

/* Facts known of an expression. */
struct shape {
    enum {
        NEITHER,
        UNIFORM,
        AFFINE,
        SCALED, /* only what `terms` say is known */
        DIVIDED, /* what its terms and u say over an extent, rounded down */
        CONGRUENT, /* modulo `value` it is uniform */
        SHIFTED, /* by grid or xor: the rank, shifted by something uniform; by grid it has terms */
        PLACE,   /* BY_MIRROR: a coordinate of a shifted rank, in dimension `name` */
        SIGNED   /* BY_MIRROR: half of `value` plus or minus something uniform, plus at even places of
                    dimension `name` and minus at odd ones; or the other way */
    } kind;
    bool is_known;     /* UNIFORM: the value is `value`, always */
    uint32_t name;     /* BY_MIRROR: two that have the same are the same number; 0: it has none */
    int64_t value;
    int modulus;       /* AFFINE: modulo the extent of this coordinate; -1: it is exact */
    bool is_reduced;   /* AFFINE: it is coordinate `reduced` plus something, from 0 to its extent - 1 */
    uint32_t reduced;  /* DIVIDED: the coordinate whose extent it is */
    int64_t factor[WALK_COORDINATES]; /* AFFINE: growth from a place in the orbit to the next */
    /* Terms; if there are any, the value is their sum plus u, which is uniform. */
    struct term terms[MAX_TERMS];
    uint32_t n_terms;
    uint32_t remainder; /* DIVIDED: the identity of what remains, modulo the extent of its coordinate */
    double low, high;  /* bounds of u; UNIFORM: of the value. It is a multiple of `every` plus something */
    double rest_low, rest_high; /* between these; every = 0: nothing is known of that */
    int64_t every;
    double most;       /* largest absolute value of it and of all intermediate results */
};

enum { MAX_WALKED = 100000, MAX_DEPTH = 200, MAX_USES = 256, MAX_COPIES = 256, MAX_RESTS = 16 };
#define MAX_FACTOR ((int64_t)1 << 31)
#define MAX_VALUE 0x1p61 /* beyond it additions might overflow */
#define MAX_BOUND 0x1p52

/* Kind of the group that is tried. */
enum way { BY_COORDINATES, BY_GRID, BY_XOR, BY_MIRROR, N_WAYS };

static inline bool way_is_by_grid(enum way way)
{
    return way == BY_GRID || way == BY_MIRROR;
}

struct walk {
    enum way way;
    uint32_t n, extent[WALK_COORDINATES]; /* coordinates, of ranks or of the grid */
    const uint32_t *period;    /* [coordinate] it is shifted by multiples of it; of its extent: not at all */
    uint32_t *wanted;          /* [coordinate] periods by which more might be uniform, unless all are 0 */
    const struct binding *binding;
    const struct program *program;
    struct schedule_header header;
    struct diagnostics *diagnostics;
    struct symmetry *symmetry;
    struct shape *shapes;      /* [variable] */
    struct use {
        const struct chunks *chunks;
        uint32_t line;         /* of the statement */
        struct shape shape;
    } *uses;                   /* [n_uses] chunks that follow coordinates by their numbers */
    bool is_by_rank[N_BUFFERS]; /* BY_XOR: chunks have the numbers of ranks */
    uint32_t n_uses;
    uint32_t n_identities;
    uint32_t n_names;
    struct rest {              /* remainders of an expression or range: of one text they have one identity */
        const struct expr *of, *by;
        struct shape shape;
    } *rests;                  /* [n_rests], of MAX_RESTS; NULL: no expression is being looked at */
    uint32_t n_rests;
    uint32_t shift_of[WALK_COORDINATES]; /* [coordinate] in the shifts, which lack those of extent 1 */
    bool turns_first;          /* takes a loop over all of a coordinate for one whose rounds are rotated */
    uint32_t rotated; /* inside loops whose rounds are rotated: a bit for each of their coordinates */
    struct noted_copy {        /* [n_copies] the operations inside of ranks */
        const struct statement *statement;
        bool is_turned;
    } copies[MAX_COPIES];
    uint32_t n_copies;
    uint32_t n_calls;          /* within definitions */
    uint32_t n_walked, depth;
    uint32_t line;             /* of the statement that is looked at */
    const char *reason;
};

/* symmetry_walk.c. Notes the reason for not knowing more, unless there is one already; returns false. */
bool walk_give_up(struct walk *walk, struct position position, const char *what);
/* Looks at statements in their order. False: the program is not symmetric by this group, as `reason` says. */
bool walk_look_at_list(struct walk *walk, const struct statement *first);
/* Gives a variable the shape of an expression, which must be uniform or follow the rank. */
bool walk_assign(struct walk *walk, uint32_t variable, const struct expr *expr);
/* True if the operations of a loop whose rounds are rotated are known by their lines. */
bool walk_are_copies_alone(struct walk *walk);
/* Makes zones of the uses, and planes of scratch where they differ (symmetry_zones.c). */
bool walk_make_zones(struct walk *walk);

/* True if a coordinate is not shifted: it is the same on all ranks of an orbit, uniform. */
bool walk_is_fixed(const struct walk *walk, uint32_t i);
/* True if the number of a point depends on this coordinate. */
bool walk_has_place(const struct walk *walk, uint32_t i);
/* Asks for periods by which `b` divides so many periods of each coordinate, unless some are asked for. */
void walk_want(struct walk *walk, const int64_t *factor, int64_t b);

/* symmetry_sums.c: what is known of a coordinate, of something uniform between two bounds, and of what is
 * made of them. */
extern const struct shape shape_unknown;
struct shape shape_of_coordinate(struct walk *walk, uint32_t i);
struct shape shape_of_constant(int64_t value);
/* Returns a number in the block of so many of a coordinate. */
struct shape shape_of_block(const struct shape *coordinate, int64_t size);
struct shape shape_within(double low, double high, double most);
/* True if it is a known number of moderate size. */
bool shape_is_small(const struct shape *shape);
/* Returns the shape of a number from 0 on, made of all coordinates that are shifted, each plus something
 * uniform, modulo its extent: the first the fastest, or the last. By grid it is a rank, of all
 * coordinates. */
struct shape shape_of_point(struct walk *walk, bool is_first_fastest);
/* True if it is a sum of terms plus something uniform, and so not uniform. */
bool shape_has_terms(const struct shape *shape);
/* True if the expression, modulo the extent of coordinate i of the ranks, is that coordinate plus something
 * uniform. */
bool shape_follows(const struct walk *walk, const struct shape *shape, uint32_t i);
/* True if it is coordinate i of the walk plus something uniform, modulo its extent. */
bool shape_is_along(const struct walk *walk, const struct shape *shape, uint32_t i);
/* True if it is uniform or has terms. */
bool shape_is_sum(const struct shape *shape);
/* Returns a uniform shape of which only is known how large intermediate results may be. */
struct shape shape_uniform(double most);
/* Makes the value known if the bounds of something uniform leave only one. */
struct shape shape_known(struct shape shape);
/* Returns the farthest from 0 that a value can be itself, whatever is on the way to it. */
double shape_size(const struct shape *shape);
/* Returns a uniform shape with `size` as its largest absolute value; its operands may have larger
 * intermediate results. */
struct shape shape_sized(double size, const struct shape *a, const struct shape *b);
/* a + sign * b; a * b; a / b rounded down, or what remains. */
struct shape shape_sum(const struct walk *walk, const struct shape *a, const struct shape *b, int sign);
struct shape shape_product(const struct walk *walk, const struct shape *a, const struct shape *b);
struct shape shape_quotient(struct walk *walk, const struct shape *a, const struct shape *b, bool is_rest);

/* Returns the shape of an expression (symmetry_shape.c). */
struct shape shape_of(struct walk *walk, const struct expr *expr);
/* Bounds of the variables that a condition compares with something uniform, narrowed where it is true, or
 * false; shape_widen takes them back. */
struct narrowed {
    uint32_t variable; /* UINT32_MAX: none */
    struct shape shape;
};
struct narrowed shape_narrow(struct walk *walk, const struct expr *condition, bool is_true);
void shape_widen(struct walk *walk, const struct narrowed *narrowed);
/* Returns the rank in dimension d, if that is known, shifted by something uniform; in others it is the
 * same. */
struct shape shape_shift_on_grid(struct walk *walk, struct shape rank, const struct shape *d);
/* Returns the shape BY_MIRROR of an expression that is no comparison and has an operand that is not uniform.
 * The other: gives a uniform value a name, unless it has one (symmetry_mirror.c). */
struct shape shape_by_mirror(struct walk *walk, enum expr_kind kind, const struct shape *a,
                             const struct shape *b, const struct shape *c);
void shape_give_name(struct walk *walk, struct shape *shape);
/* True if the difference of two expressions, at the same place of the walk, is uniform. */
bool shape_is_beside(struct walk *walk, const struct expr *a, const struct expr *b);

/* True if sizes of chunks of `tmp` are shifted with them (symmetry_sizes.c). Requires the zones. */
bool symmetry_has_shifted_sizes(struct walk *walk);

#endif
