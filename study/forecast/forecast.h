/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicts times of one schedule, or of all built-in algorithms of a collective, for a list of sizes. An
 * algorithm is a row; if it has a parameter that cuts the data in segments, the row has a variant for
 * each number of segments tried, and its time is that of the fastest.
 *
 * The model `step` (predict/predict.h) has measured every variant and gives a time for any size. The
 * other models simulate a schedule for each size (forecast_play.c): one schedule at every size; if
 * algorithms are compared, at each size the small ones and the few that `step` puts first. Each time has
 * its model with it. Variants that are not simulated keep their time by `step`; the best is the least of
 * all.
 */
#ifndef COLLC_STUDY_FORECAST_FORECAST_H
#define COLLC_STUDY_FORECAST_FORECAST_H

#include "base/observer.h"
#include "compiler/passes/expand.h"
#include "predict/predict.h"
#include "simulate/uniform.h"
#include "study/lower_bound.h"
#include "study/simulation.h"
#include "study/sizes.h"

/* A time, and its parts. */
struct forecast_cell {
    const struct variant *variant;
    enum simulation_model model;
    uint64_t time;
    struct time_parts parts;    /* by `step`, waiting for others is head-of-line blocking */
    uint64_t worst;             /* by `step`: the time by the worst choices of adaptive switches; else 0 */
};

/* A simulated time. */
struct variant_played {
    uint64_t bytes;
    struct forecast_cell cell;
    uint64_t work;              /* work of the simulation */
    bool is_whole;              /* it came to its end */
};

/* A schedule, measured. */
struct variant {
    const char *parameter;      /* the varied parameter, or NULL */
    int64_t value;
    uint64_t from_bytes;        /* if segments have a size: it is for sizes from this one, which it was bound
                                   for, up to that of the next variant; 0: for all sizes */
    uint32_t segments;          /* chunks of `buf` */
    uint32_t size_bytes;        /* of the size of a chunk that is told with it (ir/counts.h) */
    bool is_symmetric;          /* measured by symmetry */
    bool is_costly;             /* expensive to measure: it counts only for sizes at which the one before is
                                   the best */
    struct predict_loads loads;
    struct binding *binding;    /* binding that it is expanded from for simulation; NULL:
                                   forecast->schedule */
    struct uniform *uniform;    /* if all its ranks do the same; set once is_looked_at */
    bool is_looked_at;
    struct variant_played *played;
    size_t n_played, played_capacity;
};

struct row {
    const char *name;           /* "alltoall/ring" */
    const char **settings;      /* its settings of --param, "radix=3", in the arena */
    size_t n_settings;
    struct variant *variants;
    size_t n_variants, capacity;
};

/* An algorithm that does not work here. */
struct refusal {
    const char *name;
    uint32_t code;
    const char *reason;
    bool is_of_settings; /* it would work without its settings of --param */
};

/* Input of a forecast. */
struct forecast_request {
    enum collective collective;
    enum collective_form form;
    struct bind_request where;  /* a topology, ranks and counts; the settings are the user's */
    struct simulation_request simulation; /* its model, costs and rules of simulation */
    struct size_list sizes;     /* at least one */
    double budget;              /* CPU seconds for measuring algorithms: one whose estimate exceeds the rest
                                   is refused; 0: no limit */
    struct lower_bound least;         /* lower bounds of all schedules; or unknown */
    bool exact_only;            /* the operation is exact: built-in algorithms whose ranks combine in
                                   different brackets (R010) count, too */
    bool is_own_of_form;        /* algorithms of the user count only if they are written for the form */
    bool no_symmetry;           /* expands each rank, even if some stand for all */
    uint32_t jobs;              /* processes for simulating or measuring; 0: as many as are worthwhile */
    bool is_shared;             /* several processes may compare algorithms: of processes that were launched
                                   together, only number 0 has the forecast */
    struct observer observer;   /* observes the algorithms measured, the schedules simulated or their sizes */
};

struct forecast {
    struct forecast_request request;
    bool has_counts;            /* sizes are those of counts, whatever the column says */
    bool is_of_schedule;        /* one row, of a schedule; else algorithms are compared */
    struct schedule *schedule;  /* schedule of that row, owned by the caller, or NULL */
    const struct binding *binding; /* binding that it is expanded from, owned by the caller, or NULL */
    struct row *rows;           /* built-in ones in the order of their names */
    size_t n_rows, rows_capacity;
    struct program **programs;  /* programs of the rows */
    size_t n_programs, programs_capacity;
    double spent;               /* estimated part of the budget */
    uint64_t n_begun;           /* number of simulations, for the observer */
    struct text *handed;        /* receives the measurements, as long as nothing fails; or NULL */
    const char *taken, *taken_end; /* measurements from another process for the algorithm that is being
                                      added */
    struct forecast_cell *cells; /* [row][size], in the arena */
    size_t *best;               /* [size] row with the least time, the first of several */
    struct best_range *ranges;  /* set on request, in the arena */
    size_t n_ranges;
    struct refusal *refusals;
    size_t n_refusals, refusals_capacity;
    const char *problem;        /* reason why there is no forecast, unless a diagnostic says it; or NULL */
    const struct diagnostic *wrong_setting; /* reason why one of the settings is useless, or NULL */
    bool *is_used;              /* [setting] some algorithm has that parameter */
    struct arena arena;
};

/* A range of sizes, `first` to `last`, with one variant of one row as the best. */
struct best_range {
    uint64_t first, last;
    size_t row;
    const struct variant *variant;
    uint64_t time;              /* at `first` */
};

/* A change of the best row, at the size `bytes`: the first size at which `to` is faster. */
struct crossover {
    uint64_t bytes;
    size_t from, to;
    const struct variant *variant; /* variant of `to` */
    uint64_t time;
};

enum { FORECAST_MOST_PLAYED = 1 << 25 }; /* work of plays that nobody asks for: some 3 s */

/* Returns the costs of hosts: those that the topology states for hosts and for shared memory, then the
 * defaults. */
struct host_costs forecast_costs(const struct topology *topology);

struct forecast forecast_start(const struct forecast_request *request);
void forecast_free(struct forecast *forecast);

/* A way to measure a bound program without the operations of all ranks, if these are many. */
struct forecast_shortcut {
    bool is_measured;           /* measured by symmetry: */
    struct predict_loads loads;
    struct schedule *alike;     /* or else by steps equal to others, or NULL
                                   (compiler/passes/symmetry/congruent.h) */
};
struct forecast_shortcut forecast_find_shortcut(const struct binding *binding);
/* Takes the loads. Returns false if predict_gather must still measure them. */
bool forecast_take_shortcut(struct forecast_shortcut *shortcut, struct predict_loads *loads);
void forecast_shortcut_free(struct forecast_shortcut *shortcut);
/* Measures the load of a bound program on the network, by steps alike, or NULL: by all steps. Returns false
 * after reporting. */
bool forecast_measure_steps(const struct binding *binding, struct schedule *alike,
                            struct predict_loads *loads, struct diagnostics *diagnostics);
/* Measures it in the shortest way, without symmetry if no_symmetry, as a variant, which then owns it. Returns
 * false after reporting. */
bool forecast_measure_variant(struct binding *binding, bool no_symmetry, struct variant *variant,
                              struct diagnostics *diagnostics);
void forecast_free_variant(struct variant *variant);
/* Adds a row of one variant. binding: source of the schedule, or NULL; shortcut: that of the binding, whose
 * loads are taken, or NULL. Returns false after reporting to `diagnostics`. */
bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           const struct binding *binding, struct forecast_shortcut *shortcut,
                           struct diagnostics *diagnostics);
/* Adds a variant to the row of the schedule, for sizes from `bytes` on, above those of the variants before;
 * it owns the binding. For segments of a size, of which larger data have more. False after reporting. */
bool forecast_add_size(struct forecast *forecast, struct binding *binding, uint64_t bytes,
                       struct diagnostics *diagnostics);
/* Returns the setting whose value is a size of segments, or NULL. */
const struct parameter_setting *forecast_sized_setting(const struct parameter_setting *settings, size_t n);
/* Makes the variant one of the sizes from `bytes` on, with the value that the setting has in the binding. */
void forecast_set_size(struct variant *variant, const struct binding *binding,
                       const struct parameter_setting *setting, uint64_t bytes);
/* Returns the first variant of the row for the size. */
struct variant *forecast_variant(const struct row *row, uint64_t bytes);
/* Adds a row, or a refusal, for every built-in algorithm of the collective, and for those in the n files; a
 * folder stands for all its .coll files that are of this collective; warns of damaged ones. Each file counts
 * once. Returns false if one that is named itself cannot be read or is of another collective, or if a setting
 * names a parameter that no algorithm has: `diagnostics` or forecast->problem say it. Launched processes that
 * share the work have no rows. */
bool forecast_add_algorithms(struct forecast *forecast, const char *const *files, size_t n,
                             struct diagnostics *diagnostics);

/* Fills in cells and best, after the rows. Returns false if a time overflows, or if the one schedule cannot
 * be simulated to its end: forecast->problem says which. */
bool forecast_measure(struct forecast *forecast);
const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size);
/* True if some of these times are by the model `step`, and others not. */
bool forecast_is_mixed(const struct forecast *forecast);
/* True if some of the row's times for sizes first .. end - 1 are by the model `step`, and the request is
 * for another. */
bool forecast_row_is_mixed(const struct forecast *forecast, size_t row, size_t first, size_t end);
/* Finds a choice that rests on a model without head-of-line blocking: the size at which the best has, by
 * `step`, the most of it and is behind another row because of it. Returns false if it matters nowhere. */
struct forecast_blocking {
    size_t size, instead;       /* row that `step` puts first */
    struct forecast_cell best_by_step, instead_by_step;
};
bool forecast_find_blocking(const struct forecast *forecast, struct forecast_blocking *blocking);
/* Returns the head-of-line blocking by `step` that a time by a model without it leaves out; 0 for other
 * times. O(distinct steps) */
uint64_t forecast_hol_left_out(const struct forecast *forecast, const struct forecast_cell *cell,
                               uint64_t bytes);
/* Returns a time; one by `step` without what the model of the request leaves out. */
uint64_t forecast_hope(const struct forecast *forecast, const struct forecast_cell *cell);
/* True if the row was not played, and may be faster than the best, which was. */
bool forecast_may_be_best(const struct forecast *forecast, size_t row, size_t size);
/* Converts a prediction of the model `step`. */
struct forecast_cell forecast_step(const struct variant *variant, struct prediction prediction);
/* Returns the fastest variant of a row, by the model `step`. O(variants * distinct steps) */
struct forecast_cell forecast_fastest(const struct forecast *forecast, const struct row *row,
                                      uint64_t bytes);
/* True if more segments than those of the row's last variant could be faster at the size, by `step`, than
 * all of its variants. O(variants * distinct steps) */
bool forecast_can_be_faster(const struct forecast *forecast, const struct row *row, uint64_t bytes);
/* The best row at a size. forecast_choose finds it, and the cells of all rows. */
struct forecast_choice {
    size_t row;
    uint64_t work;              /* work of simulating for it, even if it was done before */
};
struct forecast_choice forecast_choose(struct forecast *forecast, uint64_t bytes,
                                       struct forecast_cell *cells);
/* Simulates the time of the one schedule. Returns false with the reason in forecast->problem. */
bool forecast_play_schedule(struct forecast *forecast, uint64_t bytes, struct forecast_cell *cell);
/* Returns the time of a variant, simulated once for each size. NULL if it does not come to its end. */
const struct forecast_cell *forecast_play_variant(struct forecast *forecast, struct variant *variant,
                                                  uint64_t bytes);
/* Returns the work of a simulation at a size. If one rank stands for all, it simulates a variant that is
 * not small to find out. */
uint64_t forecast_work_at(const struct forecast *forecast, struct variant *variant, uint64_t bytes);
/* Keeps a simulated time of a variant. */
const struct variant_played *forecast_keep_played(struct variant *variant, struct variant_played played);
/* Simulates with several processes what forecast_choose is going to need at the sizes from the second one
 * on, if that is worthwhile after a first one with that work, or if the processes were launched
 * together. */
void forecast_share_choices(struct forecast *forecast, uint64_t work);
/* Measures n algorithms with several processes, if that is worthwhile; `add` adds one to a forecast as
 * forecast_add_algorithms does. Returns the measurements by algorithm, in the arena, for forecast->taken in
 * the turn of each algorithm; missing ones are then measured. Returns NULL if it is not worthwhile. */
struct handed_loads {
    const char *data;
    size_t length;
};
typedef void forecast_adder(struct forecast *forecast, void *context, size_t algorithm);
const struct handed_loads *forecast_share_measuring(struct forecast *forecast, size_t n, forecast_adder *add,
                                                    void *context);
/* The first appends loads to forecast->handed, is_free: known by symmetry, at no cost of the budget; the
 * second takes the next from forecast->taken, and returns false if it is of the other kind, or there is
 * none. */
void forecast_hand(struct forecast *forecast, const struct predict_loads *loads, bool is_free);
bool forecast_take(struct forecast *forecast, struct predict_loads *loads, bool is_free);
/* Finds the times of the one schedule at all sizes, with request->jobs processes, or with those that were
 * launched together: of these only number 0 gets them. The times do not depend on the processes. Returns
 * false as above. */
bool forecast_play_sizes(struct forecast *forecast, struct forecast_cell *cells);
/* True if one rank of the one schedule stands for all at that size, and the schedule is not small. */
bool forecast_is_uniform(const struct forecast *forecast, uint64_t bytes);
/* Returns the work of playing the one schedule at all sizes, in operations and links that messages cross; 0
 * if nothing is played, or one rank stands for all. */
uint64_t forecast_work(struct forecast *forecast);
/* Returns the share of the best time at a size, by `step`, that costs of hosts take which nobody has said:
 * the rate of memory, or overhead and gap. Requires forecast_measure. */
double forecast_share_of_default(const struct forecast *forecast, size_t size, bool of_memory);
/* Returns false and sets forecast->problem: a time that overflows can be neither shown nor compared. */
bool forecast_refuse_time(struct forecast *forecast, size_t row, size_t size);
/* Simulates a variant. The caller frees the simulation. */
void forecast_simulate(const struct forecast *forecast, const struct variant *variant, uint64_t bytes,
                       bool has_steps, struct simulation *simulation);
/* True if times are ranges, which `worst` ends: by `step` where routes are adaptive. */
bool forecast_has_worst(const struct forecast *forecast);
/* True if the request is for simulated times. */
bool forecast_is_played(const struct forecast_request *request);
/* Returns the bytes of the unit of loads: chunks, or bytes with --counts. */
uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes);
/* Returns the lower bound of the time for that many bytes, without latencies; 0 if unknown. */
uint64_t forecast_least(const struct forecast *forecast, uint64_t bytes);
/* Returns the best rows by ranges of sizes, *n of them. The ranges cover the sizes from the smallest to the
 * largest. Each names the best at its first size, and also at its last if the border behind it was searched
 * to the byte (forecast_ranges.c). */
const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n);
/* Returns the changes of the row from one range to the next. In the arena; *n of them. */
const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n);

#endif
