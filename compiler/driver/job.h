/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A job makes a schedule from the command line: it reads the argument, reads the topology, places the
 * ranks, binds and expands (study/scene.h). It holds the results.
 *
 * job_open is the list of the steps. Each of them can be called alone by a command that needs no
 * more: it does nothing where it is done, or was not asked for, and returns false after saying what
 * is wrong, on stderr or in job->diagnostics.
 */
#ifndef COLLC_DRIVER_JOB_H
#define COLLC_DRIVER_JOB_H

#include "compiler/driver/messages.h"
#include "compiler/passes/dump.h"
#include "study/taken.h"

struct job {
    const struct options *options;
    struct diagnostics diagnostics; /* faults of the input */
    struct scene scene;             /* its schedule in its place */
    const char *argument;           /* the algorithm: as named, or chosen; NULL: there is none */
    const struct taken *taken;      /* of --as, in the arena; or NULL */
    const char *demand;             /* name of the pattern whose demand the counts are; or NULL */
    bool counts_blocks;             /* of that, in blocks: its size is not said */
    bool is_dumped;                 /* --dump-after has printed: no other step follows */
    uint32_t *map;                  /* of --map: [virtual rank] rank, in the arena; or NULL */
};

struct job job_begin(const struct options *options);
/* All steps: with STATUS_CLEAN the schedule of its scene is ready; else STATUS_FAILED. */
int job_open(struct job *job);
/* Prints job->diagnostics to stderr and frees the job. Returns `status`, or STATUS_FAILED if there were
 * errors among them; STATUS_CLEAN after a dump. */
int job_close(struct job *job, int status);

/* Returns the binding that the schedule is the expansion of, rank by rank; NULL: the schedule is from a
 * file, or --map renumbered it. */
static inline const struct binding *job_expanded_from(const struct job *job)
{
    return job->map ? NULL : job->scene.binding;
}

/* ---- the steps ---- */

/* Chooses the algorithm with the least predicted time (--best), or the one that an MPI takes (--as, which
 * sets job->taken): job->argument, the name of a collective, becomes that of the algorithm, which is read,
 * with its settings; says which it is and why (job_choose.c, job_take.c). */
bool job_choose(struct job *job);
/* Reads the argument: the program or the schedule is set (job_read.c). */
bool job_read(struct job *job);
/* Reads the topology that is named, or that of a schedule file (job_place.c). */
bool job_read_topology(struct job *job);
/* Places the ranks. Requires job_read_topology. */
bool job_place(struct job *job);
/* Reads job->map if --map names a file. Requires job_place (job_map.c). */
bool job_read_map(struct job *job);
/* Reads --counts for a collective on the ranks that are placed (job_counts.c). */
bool job_read_counts(struct job *job, enum collective collective, enum collective_form form);
/* Reads --neighbors for a neighbourhood collective on these ranks (job_neighbors.c). */
bool job_read_neighbors(struct job *job, enum collective collective);
/* Searches job->map if --map names a method, and renumbers the ranks of the schedule. */
bool job_apply_map(struct job *job);
/* Prints, after a pass, what it has made of the algorithm if --dump-after names it, and returns false: no
 * other step is to follow (dump.c). */
bool job_dump(struct job *job, enum pass pass);

/* ---- parts of them ---- */

/* Does both job_read_topology and job_place. */
bool job_locate(struct job *job);
/* Opens the same topology once more, for failures_sweep: without tables, with links that may fail. NULL: it
 * cannot be. Release with topology_free. */
struct topology *job_open_rest(struct job *job);
/* Opens the topology `spec` with --adapters, --routes, --fail and --machines (network_open). */
bool job_open_topology(struct job *job, const char *spec);
/* Does the part of job_choose for --as. */
bool job_take(struct job *job);
/* Reads the table of --as, or makes the one without rules. NULL after saying why not (job_take.c). */
const struct table *job_table(struct job *job);
/* Fills the query of --as about the collective. False after saying why not. Requires placed ranks. */
bool job_query(struct job *job, const struct table *table, const char *collective, struct table_query *query);
/* Finds the collective that the argument names, places the ranks and reads --counts. */
bool job_open_collective(struct job *job, enum collective *collective, enum collective_form *form);
/* Refuses a --root that is no rank (if ranks are placed), and one of a collective without a root,
 * N_COLLECTIVES: of several. */
bool job_check_root(const struct job *job, enum collective collective);
/* Reports that there is no route from the first of these machines to the second. */
void job_report_apart(struct job *job, const uint32_t machine[2]);
/* Returns the place and the parameters with which a program is bound for the job. Requires job_locate. */
struct bind_request job_bind_request(const struct job *job);
/* Returns the virtual rank that `root` runs. */
uint32_t job_virtual_root(const struct job *job, uint32_t root);
/* Searches a map; result->map is job->map. Requires the schedule. */
struct mapping_result;
bool job_search_map(struct job *job, struct mapping_result *result);
/* True if the algorithm is built in, with its own parts: tests prove it. */
bool job_is_proved(const struct job *job);
/* Verifies a schedule that the user made; tests prove the built-in algorithms. False after saying what is
 * wrong with it. Requires the schedule. */
bool job_is_right(struct job *job);
/* Renumbers the ranks of the schedule by job->map. */
bool job_rename_ranks(struct job *job);
/* Returns the costs of hosts: the user's word first, then forecast_costs. Requires a topology. */
struct host_costs job_costs(const struct job *job);

/* Fills the model and the rules by which times are found, as the options say, but not the size. False after
 * saying what is wrong. Requires a topology (simulate.c). */
struct simulation_request;
bool job_rules(const struct job *job, struct simulation_request *request);
/* True if no option, and no cost of the topology, asks for a model or for what only models that are played
 * know. */
bool job_leaves_model(const struct job *job);
/* True if measuring or playing its schedule once is estimated to fit into the --budget; else says so, and
 * what takes long. */
bool job_is_affordable(const struct job *job);
/* Does the same as job_rules, and fills the size. False after saying what is wrong or missing. Requires the
 * schedule. */
bool job_simulation(const struct job *job, struct simulation_request *request);

/* Monotonic seconds. */
double seconds_now(void);

#endif
