/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicted times of one schedule, or of all built-in algorithms of a collective, for
 * a list of sizes. An algorithm is a row; where it has a parameter that cuts the data in
 * segments, the row has a variant for each number of segments tried, and its time is
 * that of the fastest.
 */
#ifndef COLLC_DRIVER_FORECAST_H
#define COLLC_DRIVER_FORECAST_H

#include "compiler/driver/pipeline.h"
#include "predict/predict.h"

/* A schedule, measured. */
struct variant {
    const char *parameter;      /* that was varied, or NULL */
    int64_t value;
    uint32_t segments;          /* chunks of `buf` */
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

struct forecast {
    const struct job *job;
    enum collective collective;
    enum collective_form form;
    bool has_counts;            /* sizes are those of --counts, whatever the column says */
    struct predict_costs costs;
    struct size_list sizes;
    struct row *rows;           /* built-in ones in the order of their names */
    size_t n_rows, rows_capacity;
    struct forecast_cell *cells; /* [row][size], in the arena */
    size_t *best;               /* [size] the row with the least time, the first of several */
    struct refusal *refusals;
    size_t n_refusals, refusals_capacity;
    const struct diagnostic *wrong_setting; /* why one of --param is of no use, or NULL */
    bool *is_used;              /* [setting of --param] some algorithm has that parameter */
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

/* The collective that the first argument names, the ranks placed and --counts read; a status. */
int forecast_open(struct job *job, enum collective *collective, enum collective_form *form);
/* What hosts cost: the user's word first, then the topology's on its shared memory, then the
 * defaults. Requires a topology. */
struct predict_costs forecast_costs(const struct job *job);
/* Costs and sizes from the options. Requires job_locate; without a topology, or with a
 * root that is no rank, says so and returns STATUS_FAILED. */
int forecast_start(struct forecast *forecast, const struct job *job, enum collective collective);
void forecast_free(struct forecast *forecast);

/* A row of one variant. False after reporting to `diagnostics`. */
bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           struct diagnostics *diagnostics);
/* A row, or a refusal, for every built-in algorithm of the collective, and for every
 * algorithm of --with. False if one of those cannot be read, reported to `diagnostics`, or
 * is of another collective, or if --param names what none of all has: said. */
bool forecast_add_algorithms(struct forecast *forecast, struct diagnostics *diagnostics);

/* Fills in cells and best, once the rows are there. STATUS_FAILED after saying which time is
 * too long to be counted. */
int forecast_measure(struct forecast *forecast);
const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size);
/* The same at any size. O(variants * unlike steps) */
struct forecast_cell forecast_at(const struct forecast *forecast, size_t row, uint64_t bytes);
/* Bytes of what loads are counted in: chunks, or bytes where there are --counts. */
uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes);
/* What is the best from which size to which: one after another they cover the sizes from the
 * smallest to the largest, and what is named is the best at either end. In the arena; *n of them. */
const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n);
/* Where the row changes from one of them to the next. In the arena; *n of them. */
const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n);

/* What --param has to say for a variant of the row, being not so by default: the i-th of it, from
 * 0, is appended, "segments=4"; false behind the last. variant NULL: without what was varied. */
bool row_setting(const struct row *row, const struct variant *variant, size_t i, struct text *out);
/* The name of the row with those settings, as a shell takes them. */
void row_print(const struct row *row, const struct variant *variant, struct text *out);

/* The reports (forecast_text.c, forecast_json.c); CSV has a line per row and size. */
void forecast_text(struct forecast *forecast, struct text *out);
void forecast_json(struct forecast *forecast, struct text *out);
void forecast_csv(struct forecast *forecast, struct text *out);
void forecast_svg(struct forecast *forecast, struct text *out);
/* Writes the one that --format and --to ask for to --output. */
int forecast_write(struct forecast *forecast);

#endif
