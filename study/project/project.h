/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A project file, collc.yaml: the schedules to check, their networks, numbers of ranks, roots and limits
 * (docs/ci.md). All combinations of these are its cells. After them comes a cell for each network on
 * which several jobs run at the same time.
 */
#ifndef COLLC_STUDY_PROJECT_PROJECT_H
#define COLLC_STUDY_PROJECT_PROJECT_H

#include "study/project/keys.h"
#include "verify/verify.h"

enum {
    PROJECT_MAX_CELLS = 1 << 20,
    PROJECT_MAX_NUMBERS = 1 << 12, /* limit of ranks, or roots */
    PROJECT_MAX_JOBS = 1 << 8
};

struct project_words {
    struct key_word *items;
    size_t n, capacity;
};
struct project_numbers {
    uint32_t *items;
    size_t n, capacity;
};

struct project_network {
    struct key_word spec; /* argument of topology_read */
    const char *name;         /* its name in the project; the spec if none is given */
    const char *placement, *order, *machines; /* arguments of the options with these names, or NULL */
    const char *adapters, *rank_adapters, *between_rails; /* the same */
    uint32_t ranks_per_machine;               /* 0: that of the project */
    struct project_words routes, failed;
};

/* Collectives by the algorithms that an MPI takes. */
struct project_as {
    struct key_word target, rules; /* rules: its table; text NULL: what is compiled in */
    struct project_words collectives, bytes;
};

/* One of them, at one size: a schedule of the project. */
struct project_taken {
    const struct project_as *as;
    const char *collective;
    uint64_t bytes;
};

/* Limits for some of the cells. */
struct project_override {
    struct project_words schedules, networks; /* patterns; none: all */
    struct project_numbers ranks;             /* none: all */
    struct verify_limits limits;
};

/* A schedule that runs beside others on a network. */
struct project_job {
    const char *name;
    struct key_word schedule, on;  /* on: name of the network; text NULL: the only one */
    size_t network;                    /* its number, once the file is read */
    uint32_t n_ranks;                  /* 0: all of its machines */
    const char *machines, *placement, *order; /* as for a network; machines NULL: those of the network */
    uint32_t ranks_per_machine;
};

/* Findings that are allowed in some of the cells; see study/project/waivers.h. */
struct project_waiver {
    struct project_words codes;               /* allowed codes */
    struct project_words schedules, networks; /* patterns; none: all */
    const char *because;
    struct key_word until;                /* "2027-01-31"; text NULL: forever */
};

struct project {
    const struct source *source;
    struct project_words patterns;  /* patterns of schedules, as written */
    struct project_words
        schedules; /* their schedules, from project_find_schedules, and behind these `taken` */
    struct project_as *as;
    size_t n_as, as_capacity;
    struct project_taken *taken; /* the last n_taken of `schedules`, in the arena */
    size_t n_taken;
    struct project_network *networks;
    size_t n_networks, networks_capacity; /* none: ranks without a network */
    struct project_numbers ranks;   /* none: all machines of the network */
    struct position ranks_position; /* their position in the file */
    struct project_numbers roots;   /* none: 0 */
    uint32_t ranks_per_machine;
    struct verify_limits limits;
    struct project_override *overrides;
    size_t n_overrides, overrides_capacity;
    struct project_job *jobs;
    size_t n_jobs, jobs_capacity;
    struct project_waiver *waivers;
    size_t n_waivers, waivers_capacity;
};

/* One combination. */
struct project_cell {
    const char *schedule;                  /* "jobs" for a cell of jobs */
    const struct project_taken *taken;     /* what the schedule is, or NULL: a file or a built-in algorithm */
    struct position position;              /* position in the file, or that of the first job */
    bool is_of_jobs;                       /* all jobs of the network together */
    const struct project_network *network; /* NULL: none */
    uint32_t n_ranks;                      /* 0: all machines */
    uint32_t root;
    struct verify_limits limits;
};

/* The keys of the file. */
extern const struct key_table project_keys;
/* Reads a project file. Returns false after reporting K001 (syntax, keys) or K002 (values). Opens no other
 * file. Release with project_free in either case. */
bool project_read(const struct source *source, struct project *project, struct arena *arena,
                  struct diagnostics *diagnostics);
/* Finds the files of the patterns, from the working directory. Returns false after reporting K003: no file
 * matches, or an override matches no cell. */
bool project_find_schedules(struct project *project, struct arena *arena,
                            struct diagnostics *diagnostics);
void project_free(struct project *project);

/* Returns cells by schedule, network, root, ranks, then those of jobs by network. Requires
 * project_find_schedules. */
size_t project_n_cells(const struct project *project);
size_t project_n_combinations(const struct project *project); /* without cells of jobs */
struct project_cell project_cell(const struct project *project, size_t number);
bool project_waiver_covers(const struct project_waiver *waiver, const struct project_cell *cell);
/* Returns the cell of a job by itself. `network` becomes its network, and must live as long. */
struct project_cell project_job_cell(const struct project *project, const struct project_job *job,
                                     struct project_network *network);

#endif
