/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rule files of Open MPI's coll/han (coll_han_dynamic_rules_filename), inside this folder. They name
 * the component that answers a collective on a communicator that spans machines, and on the communicators
 * that coll/han makes of it, within each machine and between machines:
 *
 *   file := N {collective}N        collective := NAME|NUMBER N {level}N
 *   level := LEVEL N {size}N       size := RANKS N {row}N
 *   row := BYTES COMPONENT ['[' segment lengths ']']
 *
 * The last of duplicates counts; of sizes and rows the last that is not above the call's.
 */
#ifndef COLLC_TABLES_HAN_HAN_H
#define COLLC_TABLES_HAN_HAN_H

#include "base/text/slice.h"
#include "tables/ompi/numbers.h"
#include "tables/ompi/ompi.h"

/* Numbered as in files. */
enum han_level { HAN_WITHIN, HAN_BETWEEN, HAN_GLOBAL, HAN_N_LEVELS };
extern const char *const han_level_names[HAN_N_LEVELS];

#define HAN_COMPONENTS(X) X(self) X(basic) X(libnbc) X(tuned) X(sm) X(adapt) X(han)
enum han_component {
#define X(name) HAN_##name,
    HAN_COMPONENTS(X)
#undef X
    HAN_N_COMPONENTS
};
extern const char *const han_component_names[HAN_N_COMPONENTS];

struct han_version {
    unsigned number;          /* 41, 50 */
    const char *title;        /* "Open MPI 4.1" */
    bool has_levels;          /* rules act on the communicators that coll/han makes */
    bool has_names;           /* levels by name, and "han @ALGORITHM" */
    bool is_on;               /* coll/han precedes coll/tuned by default */
    bool mixes_allreduce;     /* see han_ends_program */
};

/* rule.ranks and rule.keys are the calls that the row acts on, rule.algorithm its component, from 1
 * (HAN_... + 1). */
struct han_row {
    struct table_rule rule;
    enum han_level level;
    struct ompi_number bytes;
    uint64_t size;            /* the bytes as a number; always decimal, whatever they begin with */
    struct slice at;          /* the component's name */
    const char *algorithm;    /* behind '@', or NULL */
    struct slice segments;    /* text from a '[' behind it, or empty */
};

struct han_size {
    struct ompi_number ranks, n_said;
    size_t first, n;          /* rows */
    struct span acts_on;
};

struct han_level_set {
    enum han_level level;
    struct slice at;
    struct ompi_number n_said;
    size_t first, n;          /* sizes */
    size_t replaced_by;       /* 1 + the index of a later one of the same level; 0: none */
};

struct han_set {
    uint32_t collective;
    struct slice at;
    struct ompi_number n_said;
    size_t first, n;          /* levels */
    size_t replaced_by;       /* 1 + the index of a later one of the same collective; 0: none */
};

struct han_table {
    struct table table;
    const struct han_version *version;
    struct ompi_number n_said;
    struct han_set *sets;
    struct han_level_set *levels;
    struct han_size *sizes;
    struct han_row *rows;
    struct ompi_number *counts;    /* every number that is read as by fscanf("%li") */
    size_t n_sets, n_levels, n_sizes, n_rows, n_counts;
    struct ompi_number trailing;   /* first number behind the last one read; length 0: none */
};

static inline const struct han_table *han_table_of(const struct table *table)
{
    return (const struct han_table *)(const void *)table;
}

/* True if coll/han looks up rules for the collective, on communicators of that level. */
bool han_has(uint32_t collective, enum han_level level);
/* Returns why the component cannot answer there, so that coll/tuned does; NULL if it can. */
const char *han_lack(enum han_component component, enum han_level level);
/* True if the first call that comes to such a row ends the program: for allreduce on the communicator
 * itself 4.1.4 calls the algorithm of coll/han and passes it the data of the other component. */
bool han_ends_program(const struct han_version *version, const struct han_row *row);
/* Returns the number, from 0, of han's own algorithm behind '@', or -1 if it has none of that name.
 * *is_without: the collective has no names at all, and asking for one ends the program. */
int han_algorithm(uint32_t collective, const char *name, bool *is_without);

struct table *han_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                       struct diagnostics *diagnostics);
void han_lint(const struct table *table, struct diagnostics *findings);
void han_convert(const struct table *table, const struct table_loader *to, unsigned unmade,
                  struct text *out, struct diagnostics *lost);


#define HAN_FILENAME "coll_han_dynamic_rules_filename"
extern const struct settings_dialect han_dialect;

#endif
