/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's classic rule files (coll_tuned_dynamic_rules_filename), inside this folder: the file as its
 * loader parses it, before it becomes the ranges of struct table.
 *
 *   file  := [rule-file-version-N] number-of-blocks block...
 *   block := collective number-of-entries entry...
 *   entry := ranks number-of-rows row...
 *   row   := message-size algorithm fan-out segment-size [max-requests]
 */
#ifndef COLLC_TABLES_OMPI_OMPI_H
#define COLLC_TABLES_OMPI_OMPI_H

#include "base/text/json_tree.h"
#include "tables/ompi/numbers.h"
#include "tables/rules/plan.h"
#include "tables/rules/table.h"

enum ompi_key { KEY_BYTES, KEY_TOTAL, KEY_ZERO, KEY_TYPE, KEY_UNUSED };

enum ompi_collective {
#define COLLECTIVE(name, key, fixed_key, han) OMPI_##name,
#include "tables/ompi/collectives.def"
    OMPI_N_COLLECTIVES
};

struct ompi_collective_info {
    const char *name;
    enum ompi_key key, fixed_key;
    unsigned han_since;    /* version; UINT_MAX: never */
};
extern const struct ompi_collective_info ompi_collectives[OMPI_N_COLLECTIVES];
extern const char *const ompi_collective_names[OMPI_N_COLLECTIVES];

enum ompi_needs {
    NEEDS_ALL, NEEDS_TWO, NEEDS_EVEN, NEEDS_POWER, NEEDS_PER_RANK, NEEDS_PER_POWER,
    NEEDS_COMMUTES, NEEDS_RING, NEEDS_HALVES
};
enum ompi_breaks { BREAKS_NO_CALL, BREAKS_ORDER, BREAKS_TYPES, BREAKS_CUT_TYPES, BREAKS_REDUCE };
enum {
    USES_NOTHING = 0, USES_SEGMENT = 1, USES_FAN_OUT = 2, USES_REQUESTS = 4,
    USES_RADIX = 8 | USES_FAN_OUT /* a fan-out of at least LEAST_RADIX */
};
enum { LEAST_RADIX = 2, OMPI_ALLGATHER_BRUCK = 2 /* its number */ };

struct ompi_algorithm {
    enum ompi_collective collective;
    int64_t number;
    const char *name;
    unsigned since, uses;
    enum ompi_needs needs;
    enum ompi_breaks breaks;
};

/* Version 41, 50 or 60, and its differences. */
struct ompi_version {
    unsigned number;
    const char *title;     /* "Open MPI 4.1" */
    bool has_header;       /* knows "rule-file-version-2" and a fifth number */
    bool has_json;         /* reads JSON, and any other text as a classic file */
    bool takes_first;      /* sizes of communicators end ranges; the first range that fits decides */
};

/* Returns NULL if the version has no such algorithm, or none for the collective. */
const struct ompi_algorithm *ompi_algorithm_find(const struct ompi_version *version,
                                                 uint32_t collective, int64_t number);
/* The same by name. */
const struct ompi_algorithm *ompi_algorithm_named(const struct ompi_version *version, uint32_t collective,
                                                  const char *name);
/* Returns the calls, CALL_..., that a row with the algorithm and this segment size makes wrong. */
unsigned ompi_broken_calls(const struct ompi_algorithm *algorithm, uint64_t segment_bytes);
/* Returns the fan-out that a row must give: the wanted one, or the least with which calls end. */
uint32_t ompi_fan_out(const struct ompi_algorithm *algorithm, uint64_t fan_out);
/* True if coll/han answers before coll/tuned when ranks are on several machines. */
bool ompi_is_of_han(const struct ompi_version *version, uint32_t collective);
/* True if ranks of one call may look it up with different sizes: gather and scatter with arguments that MPI
 * ignores on some ranks, allgatherv with the size of the datatype that each sends. */
bool ompi_differs_by_rank(uint32_t collective);
/* Returns the greatest algorithm number of the version for the collective; 0 if none. */
int64_t ompi_algorithm_last(const struct ompi_version *version, uint32_t collective);

enum { ROW_SIZE, ROW_ALGORITHM, ROW_FAN_OUT, ROW_SEGMENT, ROW_REQUESTS, ROW_NUMBERS };

struct ompi_row {
    struct ompi_number numbers[ROW_NUMBERS];
    unsigned n_numbers;    /* 4, or 5 */
};

struct ompi_entry {
    struct ompi_number ranks, n_rows_said;
    size_t first_row, n_rows;
    struct span acts_on;   /* numbers of ranks */
};

struct ompi_block {
    struct ompi_number collective, n_entries_said;
    size_t first_entry, n_entries;
    const struct ompi_block *replaced_by; /* a later block of the same collective */
};

/* ---- the form in JSON, of 6 ---- */

enum ompi_distribution { RANKS_ANY, RANKS_ONE_PER_NODE, RANKS_SINGLE_NODE };

/* A rule for sizes. Ranks and keys of `rule` are as written. */
struct ompi_json_row {
    struct table_rule rule;
    const struct json_node *node;
    bool is_disabled;          /* there is no such algorithm */
    bool has_algorithm;        /* false: the fixed decision */
};

/* A rule for communicators. The first that fits decides, and in it the first row that fits. */
struct ompi_json_entry {
    uint32_t collective;
    int32_t first_ranks, last_ranks;
    enum ompi_distribution distribution;
    size_t first_row, n_rows;
    const struct json_node *node;
    bool is_replaced;          /* the collective occurs again further down */
};

/* The row of rules[i] is rows[i]. A table in JSON has neither, but json_entries and json_rows. */
struct ompi_table {
    struct table table;
    const struct json_node *json;      /* NULL: the classic form */
    struct ompi_json_entry *json_entries;
    struct ompi_json_row *json_rows;
    size_t n_json_entries, n_json_rows;
    const struct ompi_settings *forced; /* NULL: a rule file. Else forced.h, and nothing of what follows */
    const struct ompi_version *version;
    uint64_t file_version;             /* version in the header; 1 without */
    struct ompi_number n_blocks_said;
    struct ompi_row *rows;
    struct ompi_entry *entries;
    struct ompi_block *blocks;
    size_t n_rows, n_entries, n_blocks;
    size_t n_numbers;                  /* numbers read, including the trailing one */
    struct ompi_number trailing;       /* first number behind the last one read; length 0: none */
};

static inline const struct ompi_table *ompi_table_of(const struct table *table)
{
    return (const struct ompi_table *)(const void *)table;
}

/* ---- what the loader does, a file each ---- */

struct table *ompi_read(const struct table_loader *loader, const struct source *source,
                        struct arena *arena, struct diagnostics *diagnostics);
bool ompi_agrees(const struct table *table, const struct table_query *query);
struct table_range ompi_choose(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, uint64_t bytes, struct arena *arena);
void ompi_changes(const struct table *table, const struct table_query *query,
                  void (*note)(void *context, uint64_t bytes), void *context);
void ompi_lint(const struct table *table, struct diagnostics *findings);
void ompi_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost);

/* Classic files of 4.1 and 5.0. */
extern const struct table_writer ompi_classic_writer, ompi_5_writer;
/* JSON of 6. */
extern const struct table_writer ompi_json_writer;
/* Reads classic files as 5.0 does with the algorithms of 6, for the conversion to JSON. No target. */
extern const struct table_loader ompi_6_as_5_loader;
/* Returns what the algorithm does for such a call, for writers (choose.c). */
struct table_range ompi_outcome(const struct table_loader *loader, const struct table_query *query,
                                const struct table_choice *choice, uint64_t bytes);

/* Reads `json` of version 6 into the table (json.c). */
void ompi_read_json(struct ompi_table *of, const struct json_node *json, struct arena *arena);
/* Returns NULL if the text is no JSON and so read as a classic file. */
const struct json_node *ompi_json_of(const struct source *source, struct arena *arena);
/* Returns the rule that acts on the call, or NULL. */
const struct table_rule *ompi_json_rule(const struct ompi_table *of, const struct table_query *query,
                                        uint64_t key);
void ompi_lint_json(const struct ompi_table *of, struct diagnostics *findings);

/* ---- fixed decisions ---- */

/* Returns the number of the algorithm, 0 if unknown. `key` is the fixed key. */
int64_t ompi_fixed(uint32_t collective, bool is_ordered, uint64_t n_ranks, uint64_t key);
/* Calls `note` for the keys at which the decision changes for these ranks. */
void ompi_fixed_changes(uint32_t collective, uint64_t n_ranks,
                        void (*note)(void *context, uint64_t key), void *context);

#endif
