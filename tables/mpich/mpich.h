/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH's selection files (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE), inside this folder. A file is a
 * tree of objects in JSON: each key is a condition. Its value is followed if the condition holds, else
 * the key behind it is tested; the leaves are algorithms. A file replaces the whole compiled-in tree.
 */
#ifndef COLLC_TABLES_MPICH_MPICH_H
#define COLLC_TABLES_MPICH_MPICH_H

#include "base/text/json_tree.h"
#include "tables/rules/table.h"

enum mpich_collective {
#define COLLECTIVE(name, capital, average, total, count, asks) MPICH_##name,
#include "tables/mpich/collectives.def"
    MPICH_N_COLLECTIVES
};

enum mpich_size { SIZE_NEVER, SIZE_BYTES, SIZE_TOTAL, SIZE_ELEMENTS, SIZE_ALL_ELEMENTS };
enum { ASKS_COMMUTES = 1, ASKS_BUILT_IN = 2, ASKS_REGULAR = 4, ASKS_IN_PLACE = 8 };

struct mpich_collective_info {
    const char *name, *capital; /* "Bcast", as in names of algorithms */
    enum mpich_size average, total, count;
    unsigned asks;
};
extern const struct mpich_collective_info mpich_collectives[MPICH_N_COLLECTIVES];
extern const char *const mpich_collective_names[MPICH_N_COLLECTIVES];

/* Bits of `needs` in algorithms.def. */
enum {
    NEEDS_POWER = 1, NEEDS_HIERARCHY = 2, NEEDS_PER_POWER = 4, NEEDS_COMMUTES = 8, NEEDS_BUILT_IN = 16,
    NEEDS_IN_PLACE = 32, NEEDS_NOT_IN_PLACE = 64, NEEDS_UNCHECKED = 128, NEEDS_EQUAL_BLOCKS = 256,
    NEEDS_CCL = 512, NEEDS_ONE_HOST = 1024, NEEDS_ONE_THREAD = 2048
};

#define MPICH_PARAMETERS(X)                                                                          \
    X(K, "k") X(CHUNK, "chunk_size") X(TREE, "tree_type") X(PER_CHILD, "buffer_per_child")           \
    X(SCATTERV_K, "scatterv_k") X(ALLGATHERV_K, "allgatherv_k") X(NON_BLOCKING, "is_non_blocking")   \
    X(PRE_POSTED, "recv_pre_posted") X(SINGLE_PHASE, "single_phase_recv") X(CCL, "ccl")
enum mpich_parameter {
#define X(name, spelling) PARAMETER_##name,
    MPICH_PARAMETERS(X)
#undef X
    MPICH_N_PARAMETERS
};
extern const char *const mpich_parameter_names[MPICH_N_PARAMETERS];

struct mpich_algorithm {
    enum mpich_collective collective;
    const char *kind, *name;    /* "intra", "binomial" */
    const char *spelling;       /* "Bcast_intra_binomial", behind "MPIR_" */
    unsigned since, gone;       /* versions; UINT_MAX: never */
    unsigned needs, parameters; /* parameters: a bit each */
};
/* A bit of `parameters`: the composition hands the call on undivided. */
enum { MPICH_WHOLE = 1 << MPICH_N_PARAMETERS };
extern const struct mpich_algorithm mpich_algorithms[];
extern const size_t mpich_n_algorithms;

/* The tree in a file: MPICH's own, or that of its device ch4 or of the device's shared memory, which are
 * asked before it. */
enum mpich_layer { MPICH_OWN, MPICH_CH4, MPICH_POSIX };

/* Version 40 .. 50, and its differences. */
struct mpich_version {
    unsigned number;
    const char *title;     /* "MPICH 4.0" */
    bool has_any;          /* has "any" and all keys that end in "=any"; else four of these */
    bool has_ppn_below;    /* comm_avg_ppn<N */
    bool has_two_kinds;    /* comm_hierarchy=node, node_roots are flat; one host is not consecutive */
};

/* Returns what the key of a leaf names in a file of that layer; NULL if the version has no such. */
const struct mpich_algorithm *mpich_leaf_find(const struct mpich_version *version, enum mpich_layer layer,
                                              const char *key);
/* Returns what stands in the place of a leaf of the device that the version lacks or that is not for a call:
 * a composition that hands it on undivided, another algorithm of shared memory, or NULL. */
const struct mpich_algorithm *mpich_leaf_instead(const struct mpich_version *version, enum mpich_layer layer,
                                                 const struct mpich_algorithm *algorithm);
/* Appends the key of the leaf. */
void mpich_put_leaf_key(enum mpich_layer layer, const struct mpich_algorithm *algorithm, struct text *out);
/* Returns the layer of which the key of a leaf is. */
enum mpich_layer mpich_layer_of(const char *key);
/* Returns the composition with that number (device.def); NULL if there is none. */
const struct mpich_algorithm *mpich_composition(const struct mpich_version *version, uint32_t collective,
                                                unsigned number);
/* Returns the name of the variable that names a file of the layer, behind its prefix. */
const char *mpich_layer_variable(enum mpich_layer layer);
/* Returns NULL if the version has none of that spelling. */
const struct mpich_algorithm *mpich_algorithm_find(const struct mpich_version *version, const char *spelling);
bool mpich_has(const struct mpich_version *version, const struct mpich_algorithm *algorithm);

enum mpich_test {
#define CONDITION(name, number, bound, answer, end, asked) TEST_##name,
#include "tables/mpich/conditions.def"
    TEST_LEAF
};
enum mpich_number {
    NUMBER_RANKS, NUMBER_PPN, NUMBER_AVERAGE, NUMBER_TOTAL, NUMBER_COUNT, MPICH_N_NUMBERS,
    NUMBER_NONE = MPICH_N_NUMBERS
};
enum mpich_bound { BOUND_OTHER, BOUND_UP_TO, BOUND_BELOW };
enum mpich_asked { ASKED_ROOT, ASKED_COMM, ASKED_CALL };
struct mpich_condition {
    enum mpich_number number;
    enum mpich_bound bound;
    bool is_yes_no, may_end;
    enum mpich_asked asked;
};
extern const struct mpich_condition mpich_conditions[TEST_LEAF + 1]; /* by enum mpich_test */
extern const char *const mpich_number_names[MPICH_N_NUMBERS];        /* spelling in keys */
enum { HIERARCHY_ANY = -1, HIERARCHY_OTHER = 0, HIERARCHY_PARENT = 1, HIERARCHY_FLAT = 2 };

/* The text between the quotes of a parameter's key. */
struct mpich_setting {
    bool is_set;
    int32_t value;         /* value by atoi; meaningless for tree_type and ccl */
    const char *text;
};

struct mpich_node {
    enum mpich_test test;
    int32_t value;         /* number compared with; 1 or 0 for yes and no; HIERARCHY_...; collective */
    const char *digits;    /* number in the key without blanks; else NULL */
    const char *key;       /* without blanks */
    const struct json_node *json;  /* its key */
    struct mpich_node *success, *failure, *above;
    /* only of a leaf: */
    const struct mpich_algorithm *algorithm;
    const struct json_node *given;  /* the object of its parameters */
    struct mpich_setting settings[MPICH_N_PARAMETERS];
    struct table_rule rule;        /* its line */
};

struct mpich_table {
    struct table table;
    const struct mpich_version *version;
    enum mpich_layer layer;
    const struct mpich_settings *forced; /* NULL: a file. Else forced.h, and no tree */
    struct json_node *json;
    struct mpich_node *root;       /* NULL: an empty or refused tree */
    struct mpich_node **all;       /* each node, by place in the file */
    size_t n_all;
};

static inline const struct mpich_table *mpich_table_of(const struct table *table)
{
    return (const struct mpich_table *)(const void *)table;
}

/* ---- the loader's parts, a file each ---- */

struct table *mpich_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics);
/* Reads a file of that layer; of the layer that it says itself if `layer` is NULL. */
struct table *mpich_read_layer(const struct table_loader *loader, const struct source *source,
                               const enum mpich_layer *layer, struct arena *arena,
                               struct diagnostics *diagnostics);
/* True if the device's file chooses a composition that hands the call on undivided, or says nothing of it. */
bool mpich_hands_on(const struct table *table, const struct table_query *query, uint64_t bytes);
bool mpich_agrees(const struct table *table, const struct table_query *query);
struct table_range mpich_choose(const struct table *table, const struct table_query *query, bool is_elsewhere,
                                uint64_t bytes, struct arena *arena);
void mpich_changes(const struct table *table, const struct table_query *query,
                   void (*note)(void *context, uint64_t bytes), void *context);
void mpich_lint(const struct table *table, struct diagnostics *findings);
void mpich_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost);

/* Returns how a call of the algorithm ends if it is not defined for it; NULL if it is (choose.c). */
const char *mpich_undefined_for(const struct mpich_algorithm *algorithm, const struct table_query *query,
                                uint64_t bytes);
extern const struct table_writer mpich_writer;
extern const struct table_loader mpich_4_0_loader;

/* Finds the number that a condition compares, and the last value for which it holds. Returns false if it
 * compares none. `comm_size<N` counts as below N: a call tests it as <=, but the compiled-in tree has it
 * only where it is not. */
bool mpich_bound_of(const struct mpich_node *node, enum mpich_number *number, int64_t *last);
/* True if it holds for every call that reaches it. */
bool mpich_holds_always(const struct mpich_node *node);

/* True if the condition is defined for the collective. */
bool mpich_is_defined(const struct mpich_node *node, uint32_t collective);

/* True if it is tested when the tree is cut down for a communicator, not in each call. Once one is not,
 * none behind and below it is. `is_inside`: below a collective. */
bool mpich_is_cut(const struct mpich_node *node, bool is_inside);

#endif
