/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program form of an algorithm: the checked tree of a .coll file. Its size
 * is that of the text, whatever the number of ranks. docs/language.md gives
 * grammar and meaning. A program knows no numbers of ranks; compiler/passes
 * binds it to some and expands it into a schedule.
 *
 * A *uniform* expression has the same value on every rank. Loop bounds, `if`
 * around steps, window sizes, `segments`, requirements and parameters are
 * uniform (checked, E006), so all ranks have the same steps.
 *
 * A `run` of another algorithm is in the tree as written only: the front end puts the
 * statements in its place that it stands for (compiler/language/inline.h). So is a call of a
 * function, in whose place the front end puts the function's value (parser_expr.c).
 */
#ifndef COLLC_IR_PROGRAM_H
#define COLLC_IR_PROGRAM_H

#include "ir/collective.h"
#include "base/diagnostic.h"

enum expr_kind {
    EXPR_INTEGER,
    EXPR_VARIABLE,
    EXPR_NEGATE,
    EXPR_NOT,
    EXPR_CHOICE, /* b if a else c: of b and c only one is evaluated */
    EXPR_CALL, /* of a function of the file: `a` is its first EXPR_ARGUMENT. As written only */
    EXPR_ARGUMENT, /* value `a`; the next one is `b`, or NULL */
#define BINARY(kind, spelling, precedence, right, meaning) EXPR_##kind,
#define FUNCTION(kind, name, arity, meaning) EXPR_##kind,
#include "ir/program.def"
    N_EXPR_KINDS
};

/* True for functions of the grid: extent ... rotate. */
static inline bool is_grid_function(enum expr_kind kind)
{
    return kind >= EXPR_EXTENT && kind <= EXPR_ROTATE;
}

/* True for functions of the neighbourhood: out_degree ... out_hops. */
static inline bool is_neighbor_function(enum expr_kind kind)
{
    return kind >= EXPR_OUT_DEGREE && kind <= EXPR_OUT_HOPS;
}

enum named_value {
#define NAMED(name, meaning) NAMED_##name,
#include "ir/program.def"
    N_NAMED
};

enum cost {
#define COST(kind, name) COST_##kind,
#include "ir/program.def"
    N_COSTS
};
extern const char *const cost_name[N_COSTS];

enum variable_kind {
    VARIABLE_NAMED,      /* `index` is an enum named_value */
    VARIABLE_PARAMETER,  /* of the algorithm; `value` is its default */
    VARIABLE_COORDINATE, /* of the rank; `index` is which one */
    VARIABLE_LET,
    VARIABLE_LOOP,
    VARIABLE_ARGUMENT,   /* of a def */
    VARIABLE_ALGORITHM,  /* a parameter whose value is the name of an algorithm */
    VARIABLE_AREA        /* of tmp; `index` is which one */
};

struct variable {
    const char *name;
    enum variable_kind kind;
    uint32_t index;
    bool is_uniform;
    struct expr *value;        /* PARAMETER default, header LET; else NULL */
    struct position position;
    const char *algorithm;     /* ALGORITHM: its value */
    const char *source_name;   /* its name in the file, if a run made it leave its block; or NULL */
    uint32_t coordinates;      /* coordinates that it depends on, a bit each */
    struct position run;       /* header LET made for a run: where that stands; or line 0 */
};

struct expr {
    enum expr_kind kind;
    bool is_uniform;
    int64_t integer;           /* EXPR_INTEGER */
    uint32_t variable;         /* EXPR_VARIABLE: index into program->variables */
    const struct definition *definition; /* EXPR_CALL: the function */
    struct expr *a, *b, *c;    /* operands; those that are not there are NULL */
    struct position position;  /* whole expression's first token or operator */
};

/* Rank written as coordinates: one expression per coordinate of the `ranks` clause. Each is taken modulo its
 * extent, so r+1 on the last rank is rank 0. */
struct target {
    uint32_t n;
    struct expr **coordinates;
    struct position position;
};

/* Chunks of a buffer. How they are named depends on the buffer:
 *   by rank (buffers of a block for each rank): a rank's coordinates, cyclic;
 *     or one expression, a rank number in the same (root-relative) numbering;
 *     of that block all segments, or segment .. last_segment
 *   by number (buf, tmp, in and out of one block): first .. last, not cyclic; E008 when outside
 *   whole (n == 0): all chunks of the buffer
 */
struct chunks {
    enum buffer buffer;
    uint32_t n;                /* expressions in `index`; 0 = whole buffer */
    struct expr **index;
    struct expr *last;         /* NULL: one chunk, or block */
    struct expr *segment;      /* NULL: all segments; only without `last` */
    struct expr *last_segment; /* NULL: one segment */
    uint32_t area;             /* 1 + number of an area of tmp that they must be within; 0: none. The index is
                                  from the beginning of tmp, but as written from that of the area */
    struct position position;
};

enum statement_kind {
    STATEMENT_SEND,    /* chunks to peer */
    STATEMENT_RECV,    /* chunks from peer */
    STATEMENT_REDUCE,  /* chunks from peer, combined */
    STATEMENT_COPY,    /* chunks to to_chunks, local */
    STATEMENT_COMBINE, /* chunks into to_chunks, local */
    STATEMENT_PART,    /* chunks, of the message in whose body it stands */
    STATEMENT_LET,     /* variable = expr, to the end of the block */
    STATEMENT_IF,      /* expr, body, otherwise */
    STATEMENT_FOR,     /* variable in expr .. last [by step_by], body */
    STATEMENT_STEP,    /* body holds what is posted together */
    STATEMENT_WINDOW,  /* expr consecutive steps of the body make one step */
    STATEMENT_CALL,    /* definition, arguments */
    STATEMENT_RUN      /* run; as written only */
};

/* Map BUFFER = CHUNKS, all of a buffer of the algorithm that runs, cut into equal parts; or BUFFER[NAME] =
 * CHUNKS, one chunk of it. */
struct run_map {
    enum buffer buffer;
    uint32_t variable;             /* NAME; UINT32_MAX: the first form */
    struct chunks chunks;          /* of the algorithm that runs it */
    struct position position;
};

struct run_setting {
    const char *name;
    struct expr *value;
    struct position position;
};

/* run COLLECTIVE/NAME(SETTINGS) over COORDINATE from ROOT on CHUNKS with MAPS */
struct group_run {
    enum collective collective;
    const char *name;
    uint32_t parameter;            /* variable that says the name; UINT32_MAX: none */
    uint32_t n_settings;
    struct run_setting *settings;
    uint32_t coordinate;           /* number of the coordinate; the others are fixed */
    struct expr *root;             /* NULL: 0 */
    struct run_map *maps[N_BUFFERS]; /* [buffer of the algorithm that runs] or NULL */
    bool is_on;                    /* written with `on` */
    struct position position;      /* of COLLECTIVE/NAME */
};

struct statement {
    enum statement_kind kind;
    uint32_t number;               /* of the program, in the order of the text, from 0 */
    bool of_run;                   /* in the place of a run, whose number it has */
    bool is_need;                  /* of the clause `needs`: RECV or REDUCE of `chunks` of `out` from `peer`,
                                      where to_chunks, of `in`, lie */
    struct position position;
    struct chunks chunks;          /* all of the above; buffer N_BUFFERS: no data */
    struct chunks to_chunks;       /* COPY COMBINE */
    struct target peer;            /* SEND RECV REDUCE */
    uint32_t network;              /* SEND: 1 + index in program->networks; 0: as the topology chooses */
    struct expr *expr, *last, *by; /* LET IF FOR WINDOW; by NULL means 1 */
    uint32_t variable;             /* LET FOR */
    struct statement *body;        /* IF FOR STEP WINDOW; of SEND RECV REDUCE the parts of the message, under
                                      FOR and IF: then it has no chunks of its own */
    struct statement *otherwise;   /* IF */
    struct definition *definition; /* CALL */
    struct expr **arguments;       /* CALL */
    struct group_run *run;               /* RUN */
    struct statement *next;        /* following statement of the same block */
};

/* Named group of statements, or a function: a named value. Called, never recursive (only definitions above
 * can be called). */
struct definition {
    const char *name;
    uint32_t n_arguments;
    uint32_t *arguments;           /* variable indices */
    struct statement *body;
    struct expr *value; /* of a function; NULL: it is a group of statements */
    bool is_called; /* a function */
    struct position position;
    struct definition *next;
};

enum { PROGRAM_MAX_COORDINATES = 4 };

/* Clause `needs` of a pattern: lines `out[...] = in[...] of RANK`, below loops, conditions and lets. */
struct needs_clause {
    struct position position;      /* of the word; line 0: there is no clause */
    struct statement *body;
};

/* Clause `costs`: the costs that the algorithm states, by uniform formulas. They do not affect what it does:
 * a program may be bound where they have no value. */
struct costs {
    struct position position;      /* of the word `costs`; line 0: there is no clause */
    struct {
        struct expr *expr;         /* NULL: not stated */
        bool is_at_most;           /* a bound that is reached somewhere */
        struct position position;  /* of the word before it, such as `steps` */
    } of[N_COSTS];
    uint32_t size;                 /* variable `m`: bytes of `buf`, or of a chunk of `in` */
};

/* Part of tmp with a name: `tmp NAME[EXPR]`. Areas lie one behind the other. */
struct tmp_area {
    uint32_t variable;             /* its name */
    struct expr *n;                /* number of its chunks */
    struct expr *first, *end;      /* its first chunk, NULL: 0; and the one behind its last */
    bool is_used;
};
enum { PROGRAM_MAX_AREAS = 16, PROGRAM_MAX_NETWORKS = 16, PROGRAM_NETWORK_LENGTH = 8 };

struct program {
    enum collective collective;
    enum collective_form form;     /* FORM_EQUAL, or the form with unequal counts */
    const char *name;
    const char *description;       /* the comment lines above the header, without '#' */
    struct position head;          /* COLLECTIVE NAME */
    const struct source *source;
    struct variable *variables;
    uint32_t n_variables;
    uint32_t n_own_variables;      /* the first ones; others are of algorithms that are run */
    uint32_t n_coordinates;
    uint32_t coordinate[PROGRAM_MAX_COORDINATES];    /* variable index */
    struct expr *extent[PROGRAM_MAX_COORDINATES];    /* uniform */
    bool from_root;                /* coordinates count from the root's, mod their extents */
    bool needs_grid;               /* uses values or functions of the grid */
    uint32_t segments;             /* variable index of `segments`, or UINT32_MAX: one */
    struct expr *n_in, *n_out;     /* of a pattern `in EXPR`, `out EXPR`: chunks of these; NULL: none */
    struct needs_clause needs;     /* of a pattern */
    struct needs_clause has;       /* of a pattern that has `needs`: lines `in[...]`, COPY of these */
    struct expr *n_tmp;            /* `tmp EXPR`: chunks of tmp, or of all its areas; NULL: none */
    struct tmp_area *areas;
    uint32_t n_areas;
    struct position like;          /* `like BUFFER[...]` behind it; line 0: not said */
    struct chunks tmp_like;        /* chunk that a chunk of tmp is as large as; n == 0: the chunk of that
                                      number, cyclic */
    struct target tmp_like_rank;   /* `of RANK` behind it: whose chunk that is; n == 0: the rank's own */
    uint32_t tmp_index;            /* variable: number of the chunk of tmp, or UINT32_MAX */
    const char *networks[PROGRAM_MAX_NETWORKS]; /* labels that sends name */
    uint32_t n_networks;
    struct requirement *requirements;
    struct costs costs;
    struct position ordered;       /* of the clause `ordered`: combines in rank order; or line 0 */
    struct position exact;         /* of the clause `exact`: for exact operations only; or line 0 */
    struct position absent;        /* of the clause `absent`: the last ranks may be; or line 0 */
    struct definition *definitions;
    struct definition *functions; /* definitions with a value: to print and to say what is in the file */
    struct statement *body;
    uint32_t n_statements;
    struct arena *arena;           /* owns all of it */
    struct program *parts;         /* algorithms whose statements are in this one; owned */
    struct program *next_part;
};

struct requirement {
    struct expr *expr;             /* must be true (non-zero) */
    uint32_t before;               /* the first variable below it, which may need that it holds */
    bool of_run;                   /* of an algorithm that it runs */
    const char *text;              /* what is required, in words; NULL: the expression */
    const char *help;              /* how the algorithm is changed to hold it; or NULL */
    struct position run;           /* position of the run of the algorithm that requires it; or line 0 */
    struct requirement *next;
};

/* --param NAME=VALUE, or a size of segments: NAME=4KiB */
struct parameter_setting {
    const char *name;
    int64_t value;
    const char *text;         /* NULL; else a word, of a parameter that names an algorithm */
    uint64_t bytes;           /* 0; else of the segments, whose number is then the value (bind_program) */
    struct position position; /* in a source over the option's text */
};

/* Returns the name for messages. */
static inline const char *variable_source_name(const struct variable *variable)
{
    return variable->source_name ? variable->source_name : variable->name;
}
/* True if two expressions have the same text: the same operators, numbers and variables; or both are NULL.
 * O(text). */
bool expr_is_same(const struct expr *a, const struct expr *b);
/* Returns the named value that extent `i` is, or N_NAMED if it is another expression. */
enum named_value program_named_extent(const struct program *program, uint32_t i);
/* True if all extents are named values from `low` to `high`, and there is one. */
bool program_extents_within(const struct program *program, enum named_value low,
                            enum named_value high);
/* True if the coordinates are over servers and slots. */
bool program_is_over_servers(const struct program *program);
/* True if the coordinates are over clusters, their servers or ranks, and slots. */
bool program_is_over_clusters(const struct program *program);
/* Writes the coordinates from the fastest to the slowest: the last first, except that slots and nx are
 * fastest, and clusters, servers and nz slowest, whatever their place. */
void program_order_coordinates(const struct program *program, uint32_t order[]);
/* Returns help for a name that is no parameter: the one that was meant, or all of them. In the arena of the
 * diagnostics. */
const char *program_help_with_parameters(const struct program *program, const char *name,
                                         struct diagnostics *diagnostics);
/* True if the coordinates are over `servers` and `max_slots`: there need not be a rank at each of them. */
bool program_is_ragged(const struct program *program);

/* Returns the first part of a message of several; NULL if it is of one range, or has no data. */
const struct statement *message_part(const struct statement *message);

/* True if ranks pass on data whose sizes they do not know, so that messages tell them. */
bool program_tells_sizes(const struct program *program);

/* Adds a network that sends name, unless it is there. Returns 1 + its index; 0 if there are too many. */
uint32_t program_add_network(struct program *program, const char *label);

/* Returns the parameter of that name, or NULL. */
const struct variable *program_parameter(const struct program *program, const char *name);

#endif
