/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicted times of one schedule, or of all built-in algorithms of a collective, for
 * a list of sizes. An algorithm is a row; where it has a parameter that cuts the data in
 * segments, the row has a variant for each number of segments tried, and its time is
 * that of the fastest.
 */
#ifndef COLLC_STUDY_FORECAST_H
#define COLLC_STUDY_FORECAST_H

#include "compiler/passes/expand.h"
#include "predict/predict.h"
#include "study/least.h"
#include "study/sizes.h"

/* A schedule, measured. */
struct variant {
    const char *parameter;      /* that was varied, or NULL */
    int64_t value;
    uint32_t segments;          /* chunks of `buf` */
    bool is_costly;             /* to measure: it counts for sizes that the one before is best for */
    struct predict_loads loads;
};

struct row {
    const char *name;           /* "alltoall/ring" */
    const char **settings;      /* those of --param it has, "radix=3", in the arena */
    size_t n_settings;
    struct variant *variants;
    size_t n_variants, capacity;
};

/* An algorithm that does not work here. */
struct refusal {
    const char *name;
    uint32_t code;
    const char *reason;
    bool is_of_settings; /* it would work without those of --param that it has */
};

/* The fastest of a row at a size. */
struct forecast_cell {
    const struct variant *variant;
    struct prediction prediction;
};

/* What is to be predicted. */
struct forecast_request {
    enum collective collective;
    enum collective_form form;
    struct bind_request where;  /* a topology, ranks and counts; the settings are those of the user */
    struct host_costs costs;
    struct size_list sizes;     /* at least one */
    struct least least;         /* what no schedule is below; or nothing is known */
};

struct forecast {
    struct forecast_request request;
    bool has_counts;            /* sizes are those of counts, whatever the column says */
    bool is_of_schedule;        /* one row, of a schedule; else algorithms are compared */
    struct row *rows;           /* built-in ones in the order of their names */
    size_t n_rows, rows_capacity;
    struct forecast_cell *cells; /* [row][size], in the arena */
    size_t *best;               /* [size] the row with the least time, the first of several */
    struct refusal *refusals;
    size_t n_refusals, refusals_capacity;
    const char *problem;        /* why there is no forecast, where no diagnostic says it, or NULL */
    const struct diagnostic *wrong_setting; /* why one of the settings is of no use, or NULL */
    bool *is_used;              /* [setting] some algorithm has that parameter */
    struct arena arena;
};

/* From size `first` to size `last` one variant of one row is the best. */
struct best_range {
    uint64_t first, last;
    size_t row;
    const struct variant *variant;
};

/* From `from` to another row at the size `bytes`: the first size at which that is faster. */
struct crossover {
    uint64_t bytes;
    size_t from, to;
};

/* What hosts cost: what the topology says of its shared memory, then the defaults. */
struct host_costs forecast_costs(const struct topology *topology);

struct forecast forecast_start(const struct forecast_request *request);
void forecast_free(struct forecast *forecast);

/* A row of one variant. False after reporting to `diagnostics`. */
bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           struct diagnostics *diagnostics);
/* A row, or a refusal, for every built-in algorithm of the collective, and for those in the n
 * files. False if one of those cannot be read, is of another collective, or if a setting names
 * what none of all has: `diagnostics` or forecast->problem say it. */
bool forecast_add_algorithms(struct forecast *forecast, const char *const *files, size_t n,
                             struct diagnostics *diagnostics);

/* Fills in cells and best, once the rows are there. False if a time is too long to be counted:
 * forecast->problem says which. */
bool forecast_measure(struct forecast *forecast);
const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size);
/* The same at any size. O(variants * unlike steps) */
struct forecast_cell forecast_at(const struct forecast *forecast, size_t row, uint64_t bytes);
/* The fastest variant of a row on its way into a forecast. */
struct forecast_cell forecast_fastest(const struct forecast *forecast, const struct row *row,
                                      uint64_t bytes);
/* Bytes of what loads are counted in: chunks, or bytes where there are --counts. */
uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes);
/* A time that no schedule is below, for so many bytes, latencies left out; 0: none is known. */
uint64_t forecast_least(const struct forecast *forecast, uint64_t bytes);
/* What is the best from which size to which: one after another they cover the sizes from the
 * smallest to the largest, and what is named is the best at either end. In the arena; *n of them. */
const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n);
/* Where the row changes from one of them to the next. In the arena; *n of them. */
const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n);

#endif
