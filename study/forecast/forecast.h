/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicted times of one schedule, or of all built-in algorithms of a collective, for
 * a list of sizes. An algorithm is a row; where it has a parameter that cuts the data in
 * segments, the row has a variant for each number of segments tried, and its time is
 * that of the fastest.
 *
 * The model `step` (predict/predict.h) has measured every variant and gives a time for any size.
 * The other models play a schedule anew for each size (forecast_play.c): of one schedule every size;
 * where algorithms are compared, at each size what is small and the few that `step` puts first.
 * Each time has its model with it. What is not played stays with its time by `step`; the best is the
 * least of all.
 */
#ifndef COLLC_STUDY_FORECAST_FORECAST_H
#define COLLC_STUDY_FORECAST_FORECAST_H

#include "base/observer.h"
#include "compiler/passes/expand.h"
#include "predict/predict.h"
#include "simulate/uniform.h"
#include "study/least.h"
#include "study/simulation.h"
#include "study/sizes.h"

/* A time, and what it is made of. */
struct forecast_cell {
    const struct variant *variant;
    enum simulation_model model;
    uint64_t time;
    struct time_parts parts;    /* by `step`, what waits for others is head-of-line blocking */
};

/* A time that was played. */
struct variant_played {
    uint64_t bytes;
    struct forecast_cell cell;
    uint64_t work;              /* that playing it costs */
    bool is_whole;              /* it came to its end */
};

/* A schedule, measured. */
struct variant {
    const char *parameter;      /* that was varied, or NULL */
    int64_t value;
    uint32_t segments;          /* chunks of `buf` */
    bool is_symmetric;          /* measured by symmetry */
    bool is_costly;             /* to measure: it counts for sizes that the one before is best for */
    struct predict_loads loads;
    struct binding *binding;    /* what it is expanded from to be played; NULL: forecast->schedule */
    struct uniform *uniform;    /* if its ranks all do the same; once that was looked for */
    bool is_looked_at;
    struct variant_played *played;
    size_t n_played, played_capacity;
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

/* What is to be predicted. */
struct forecast_request {
    enum collective collective;
    enum collective_form form;
    struct bind_request where;  /* a topology, ranks and counts; the settings are those of the user */
    struct simulation_request simulation; /* its model, costs and rules of playing */
    struct size_list sizes;     /* at least one */
    double budget;              /* CPU seconds in which algorithms may be measured: one for which, as
                                   estimated, none are left is refused; 0: as many as they want */
    struct least least;         /* what no schedule is below; or nothing is known */
    bool exact_only;            /* the operation is exact: built-in algorithms count, too, whose ranks combine
                                   in different brackets (R010) */
    bool no_symmetry;           /* each rank is looked at, also where some say what all do */
    uint32_t jobs;              /* processes that play sizes, or measure; 0: as many as are worth it */
    bool is_shared;             /* several processes may compare algorithms: of those that were launched
                                   together number 0 alone has the forecast */
    struct observer observer;   /* of the algorithms that are measured, the schedules that are played or the
                                   sizes at which they are */
};

struct forecast {
    struct forecast_request request;
    bool has_counts;            /* sizes are those of counts, whatever the column says */
    bool is_of_schedule;        /* one row, of a schedule; else algorithms are compared */
    struct schedule *schedule;  /* of that row, the caller's, or NULL */
    const struct binding *binding; /* what that is expanded from, the caller's, or NULL */
    struct row *rows;           /* built-in ones in the order of their names */
    size_t n_rows, rows_capacity;
    struct program **programs;  /* of the rows */
    size_t n_programs, programs_capacity;
    double spent;               /* of the budget, as estimated */
    uint64_t n_begun;           /* plays, for the observer */
    struct text *handed;        /* takes what is measured, as long as nothing fails; or NULL */
    const char *taken, *taken_end; /* what another process handed, of the algorithm that is being added */
    struct forecast_cell *cells; /* [row][size], in the arena */
    size_t *best;               /* [size] the row with the least time, the first of several */
    struct best_range *ranges;  /* once they were asked for, in the arena */
    size_t n_ranges;
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
    uint64_t time;              /* at `first` */
};

/* From `from` to another row at the size `bytes`: the first size at which that is faster. */
struct crossover {
    uint64_t bytes;
    size_t from, to;
    const struct variant *variant; /* of `to` */
    uint64_t time;
};

/* What hosts cost: what the topology says of its hosts, of its shared memory, then the defaults. */
struct host_costs forecast_costs(const struct topology *topology);

struct forecast forecast_start(const struct forecast_request *request);
void forecast_free(struct forecast *forecast);

/* What says how much goes where without the operations of all ranks of a bound program, if these are many. */
struct forecast_shortcut {
    bool is_measured;           /* by symmetry: */
    struct predict_loads loads;
    struct schedule *alike;     /* or else by steps that are like others, or NULL
                                   (compiler/passes/symmetry/alike.h) */
};
struct forecast_shortcut forecast_find_shortcut(const struct binding *binding);
/* Takes the loads. False: they are still to be measured, by predict_gather. */
bool forecast_take_shortcut(struct forecast_shortcut *shortcut, struct predict_loads *loads);
void forecast_shortcut_free(struct forecast_shortcut *shortcut);
/* What a bound program puts on the network, by steps alike, or NULL: by all steps. False after reporting. */
bool forecast_measure_steps(const struct binding *binding, struct schedule *alike,
                            struct predict_loads *loads, struct diagnostics *diagnostics);
/* The same by whatever is shortest, unless symmetry is not asked. False after reporting. */
bool forecast_loads(const struct binding *binding, bool no_symmetry, struct predict_loads *loads,
                    struct diagnostics *diagnostics);
/* A row of one variant; binding: of which the schedule is the expansion, or NULL; shortcut: that of the
 * binding, or NULL, whose loads are taken. False after reporting to `diagnostics`. */
bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           const struct binding *binding, struct forecast_shortcut *shortcut,
                           struct diagnostics *diagnostics);
/* A row, or a refusal, for every built-in algorithm of the collective, and for those in the n
 * files. False if one of those cannot be read, is of another collective, or if a setting names
 * what none of all has: `diagnostics` or forecast->problem say it. If they are shared with others that
 * were launched, these have no row. */
bool forecast_add_algorithms(struct forecast *forecast, const char *const *files, size_t n,
                             struct diagnostics *diagnostics);

/* Fills in cells and best, once the rows are there. False if a time is too long to be counted, or
 * the one schedule cannot be played to its end: forecast->problem says which. */
bool forecast_measure(struct forecast *forecast);
const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size);
/* Whether some of these times are by the model `step`, the others not. */
bool forecast_is_mixed(const struct forecast *forecast);
/* Whether some of the row's times for sizes first .. end - 1 are by the model `step`, that of the request
 * being another. */
bool forecast_row_is_mixed(const struct forecast *forecast, size_t row, size_t first, size_t end);
/* Where the choice rests on a model that knows no head-of-line blocking: the size at which the best has,
 * by `step`, the most of it for which it is behind another row there. False: nowhere by much. */
struct forecast_blocking {
    size_t size, instead;       /* the row that `step` puts first */
    struct forecast_cell best_by_step, instead_by_step;
};
bool forecast_find_blocking(const struct forecast *forecast, struct forecast_blocking *blocking);
/* What head-of-line blocking would add by `step`, of a time by a model that knows none: it is not in that
 * time. 0 of other times. O(unlike steps) */
uint64_t forecast_hol_left_out(const struct forecast *forecast, const struct forecast_cell *cell,
                               uint64_t bytes);
/* What a prediction of the model `step` says. */
struct forecast_cell forecast_step(const struct variant *variant, struct prediction prediction);
/* The fastest variant of a row on its way into a forecast, by the model `step`. O(variants * unlike
 * steps) */
struct forecast_cell forecast_fastest(const struct forecast *forecast, const struct row *row,
                                      uint64_t bytes);
/* Whether for the size more segments than the row's last variant has could be faster, by `step`, than
 * all of its variants. O(variants * unlike steps) */
bool forecast_can_be_faster(const struct forecast *forecast, const struct row *row, uint64_t bytes);
/* What is the best at any size: the row, and the cells of all rows there. */
struct forecast_choice {
    size_t row;
    uint64_t work;              /* what playing for it costs, whether or not that was done before */
};
struct forecast_choice forecast_choose(struct forecast *forecast, uint64_t bytes,
                                       struct forecast_cell *cells);
/* The time of the one schedule, played. False: forecast->problem says why there is none. */
bool forecast_play_schedule(struct forecast *forecast, uint64_t bytes, struct forecast_cell *cell);
/* What was played of a variant, kept. */
const struct variant_played *forecast_keep_played(struct variant *variant, struct variant_played played);
/* Plays by several processes what forecast_choose is going to ask for at the sizes from the second one on,
 * if that is worth it after a first one that cost so much work, or they were launched together. */
void forecast_share_choices(struct forecast *forecast, uint64_t work);
/* Measures n algorithms by several processes, if that is worth it; `add` adds one to a forecast as
 * forecast_add_algorithms does. The texts of what was handed, by algorithm, in the arena: for forecast->taken
 * when it is its turn here, where what is not in them is measured. NULL: it is not worth it. */
struct handed_loads {
    const char *data;
    size_t length;
};
typedef void forecast_adder(struct forecast *forecast, void *context, size_t algorithm);
const struct handed_loads *forecast_share_measuring(struct forecast *forecast, size_t n, forecast_adder *add,
                                                    void *context);
/* To forecast->handed, is_free: known by symmetry, so that they cost nothing of the budget; and from
 * forecast->taken, false: the next ones are not so, or there is nothing more. */
void forecast_hand(struct forecast *forecast, const struct predict_loads *loads, bool is_free);
bool forecast_take(struct forecast *forecast, struct predict_loads *loads, bool is_free);
/* The times of the one schedule at all sizes, by request->jobs processes, or by those that were launched
 * together: of these number 0 alone has them. The same whatever these are. False: as above. */
bool forecast_play_sizes(struct forecast *forecast, struct forecast_cell *cells);
/* Whether one rank of the one schedule stands for all at that size, and it is not small. */
bool forecast_is_uniform(const struct forecast *forecast, uint64_t bytes);
/* False: a time that is no number can be neither shown nor compared; forecast->problem says so. */
bool forecast_refuse_time(struct forecast *forecast, size_t row, size_t size);
/* Plays a variant. The caller frees the simulation. */
void forecast_simulate(const struct forecast *forecast, const struct variant *variant, uint64_t bytes,
                       bool has_steps, struct simulation *simulation);
/* Whether the request is for times that are played. */
bool forecast_is_played(const struct forecast_request *request);
/* Bytes of what loads are counted in: chunks, or bytes where there are --counts. */
uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes);
/* A time that no schedule is below, for so many bytes, latencies left out; 0: none is known. */
uint64_t forecast_least(const struct forecast *forecast, uint64_t bytes);
/* What is the best from which size to which: one after another they cover the sizes from the
 * smallest to the largest, and what is named is the best at the first of them, and at the last, too,
 * where the border behind it was looked for to the byte (forecast_ranges.c). *n of them. */
const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n);
/* Where the row changes from one of them to the next. In the arena; *n of them. */
const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n);

#endif
