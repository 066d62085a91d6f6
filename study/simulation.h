/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the time of a schedule at one size, by one of the models of simulate/models.def: simulated
 * (simulate/player.h) or, by the model `step`, summed (predict/predict.h).
 */
#ifndef COLLC_STUDY_SIMULATION_H
#define COLLC_STUDY_SIMULATION_H

#include "measure/in_flight.h"
#include "simulate/flit.h"
#include "simulate/player.h"

/* Limit of events that are kept for the critical path: 48 bytes each. */
#define SIMULATION_MAX_EVENTS (UINT32_C(1) << 22)

enum simulation_model {
#define SUM(name, title) SIMULATION_##name,
#define MODEL(name, title) SIMULATION_##name,
#include "simulate/models.def"
    N_SIMULATION_MODELS
};

struct simulation_model_info {
    const char *name, *title;
    struct network_model *(*make)(const struct network_model_settings *); /* NULL: a sum */
};
extern const struct simulation_model_info simulation_models[N_SIMULATION_MODELS];

/* The words of --sync and --send-order, with their meanings. */
struct simulation_word {
    const char *name, *title;
};
extern const struct simulation_word synchronisation_words[N_SYNCHRONISATIONS];
extern const struct simulation_word send_order_words[N_SEND_ORDERS];

/* The time at which a step begins on its first rank, and the time at which it ends on its last. */
struct simulation_step {
    uint64_t start, end;
};

struct simulation_request {
    enum simulation_model model;
    struct player_settings settings; /* the model `step` uses those that apply to it */
    struct flit_settings flit;       /* only for the model `flit` */
    bool has_steps;                  /* `steps` are wanted */
    bool has_over_time;              /* `over_time` is wanted, which a sum lacks */
};

/* One of several schedules that are simulated together (study/beside.h). */
struct simulation_job {
    const char *name;
    uint32_t first_rank, n_ranks;
    uint64_t time, alone;            /* its end; alone: without the others, UINT64_MAX: it does not end */
};

struct simulation {
    struct simulation_request request;
    const struct schedule_header *header;
    struct played played;            /* by `step`, waiting for others is head-of-line blocking */
    struct simulation_step *steps;   /* [played.n_steps, and one of copies], or NULL; start UINT64_MAX:
                                        idle */
    size_t n_steps, capacity;
    uint64_t worst;                  /* by `step`: the time by the worst choices of adaptive switches */
    struct over_time over_time;      /* messages in flight */
    struct simulation_job *jobs;     /* NULL: the schedule is one job */
    size_t n_jobs;
    uint64_t cycles, flits;          /* by `flit`: cycles, and flits that left a buffer */
};

/* Finds the time. simulation->played says whether it could. */
void simulation_run(const struct simulation_request *request, struct schedule *schedule,
                    struct simulation *simulation, struct diagnostics *diagnostics);
void simulation_free(struct simulation *simulation);

#endif
