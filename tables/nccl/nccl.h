/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of GPU collectives in CSV, inside this folder: of NCCL's example tuner plugin and of the tuner
 * built into RCCL, which uses the same words. A row is
 *
 *   collective, first byte, last byte, algorithm, protocol, channels, nodes, ranks[, pipe ops[, registered]]
 *
 * -1 means any, or in channels the library's choice. The first row that fits and can act decides.
 */
#ifndef COLLC_TABLES_NCCL_NCCL_H
#define COLLC_TABLES_NCCL_NCCL_H

#include "tables/rules/table.h"

enum nccl_collective {
    NCCL_BROADCAST,
    NCCL_REDUCE,
    NCCL_ALLGATHER,
    NCCL_REDUCESCATTER,
    NCCL_ALLREDUCE,
    NCCL_N_COLLECTIVES
};
enum nccl_algorithm {
    NCCL_TREE,
    NCCL_RING,
    NCCL_COLLNET_DIRECT,
    NCCL_COLLNET_CHAIN,
    NCCL_NVLS,
    NCCL_NVLS_TREE,
    NCCL_PAT,
    NCCL_N_ALGORITHMS
};
enum nccl_protocol { NCCL_LL, NCCL_LL128, NCCL_SIMPLE, NCCL_N_PROTOCOLS };
extern const char *const nccl_collective_names[NCCL_N_COLLECTIVES];
extern const char *const nccl_algorithm_names[NCCL_N_ALGORITHMS];
extern const char *const nccl_protocol_names[NCCL_N_PROTOCOLS];

struct nccl_version {
    const char *title;
    bool skips_unknown; /* skips rows with unknown words; else these mean allreduce, ring and simple */
    bool has_default;   /* has a default of channels for -1 and calls without a row; else one */
    const struct nccl_model *model; /* cost model of a release (model.h); NULL: none is known */
    bool skips_blanks;  /* skips blanks before a '#'; fields of blanks drop their row */
};

enum {
    FIELD_COLLECTIVE,
    FIELD_FIRST,
    FIELD_LAST,
    FIELD_ALGORITHM,
    FIELD_PROTOCOL,
    FIELD_CHANNELS,
    FIELD_NODES,
    FIELD_RANKS,
    FIELD_PIPE_OPS,
    FIELD_REGISTERED,
    N_FIELDS,
    LEAST_FIELDS = FIELD_PIPE_OPS
};

struct nccl_row {
    struct table_rule rule; /* keys as written; ranks: one number, or all */
    struct slice fields[N_FIELDS];
    unsigned n_fields; /* fields read */
    enum nccl_algorithm algorithm;
    enum nccl_protocol protocol;
    int32_t channels, nodes, ranks, pipe_ops, registered; /* values by atoi */
    bool is_known[3];                                     /* collective, algorithm and protocol */
    bool is_read;                                         /* false: the loader skips the line */
};

struct nccl_line {
    struct slice text; /* text as the loader has it: up to 255 bytes */
    bool is_cut;       /* the rest of it is the next line */
    bool has_more;     /* more fields than N_FIELDS */
    bool has_empty;    /* two commas side by side, which the loader sees as one */
};

/* A variable that selects, and what it selects of each collective, a bit for each word. */
struct nccl_list {
    const struct setting *by;      /* NULL: none, and all is selected */
    const char *noun;              /* "algorithm" */
    const char *const *words;
    unsigned n_words;
    unsigned selected[NCCL_N_COLLECTIVES];
    struct slice wrong;            /* a word that is refused; length 0: none */
    const char *what;              /* it is no such thing; NULL: a list lacks its collective */
};

struct nccl_forced {
    struct nccl_list algorithms, protocols;
    const struct setting *file;
    const struct table *rows;      /* of the file that is named; NULL: none, or it is not here */
    struct table_rule rule;        /* line of the variable with the algorithms */
};

struct nccl_system;

struct nccl_table {
    struct table table;
    const struct nccl_version *version;
    const struct nccl_system *system; /* of a version with a model */
    const struct nccl_forced *forced; /* NULL: a table. Else variables, and no rows */
    struct nccl_row *rows;   /* rows that are no comments, including the rest of cut lines, in order */
    struct nccl_line *lines; /* line of each row */
    size_t n_rows;
};

static inline const struct nccl_table *nccl_table_of(const struct table *table)
{
    return (const struct nccl_table *)(const void *)table;
}

/* Returns the value that atoi and its like give a field, before they cut it to their type. */
int64_t nccl_number(struct slice field);
/* True if NCCL ever has the algorithm for the collective (src/graph/tuning.cc). */
bool nccl_can_act(uint32_t collective, enum nccl_algorithm algorithm);

struct table *nccl_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                        struct diagnostics *diagnostics);
struct table_range nccl_choose(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, uint64_t bytes, struct arena *arena);
void nccl_changes(const struct table *table, const struct table_query *query,
                  void (*note)(void *context, uint64_t bytes), void *context);
void nccl_lint(const struct table *table, struct diagnostics *findings);


/* ---- variables (forced.c) ---- */

extern const struct settings_dialect nccl_dialect;
bool nccl_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings);
struct table *nccl_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics);
bool nccl_is_selected(const struct nccl_forced *of, uint32_t collective, enum nccl_algorithm algorithm,
                      enum nccl_protocol protocol);
/* Returns the choice where no row of a table acts. */
struct table_range nccl_choose_selected(const struct nccl_forced *of, uint32_t collective);
void nccl_lint_settings(const struct nccl_table *of, struct diagnostics *findings);

/* Fills in the variables of NCCL, as for the dialect of settings. */
size_t nccl_variables(const char **names, struct arena *arena);

#endif
