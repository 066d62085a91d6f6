/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the command line to a schedule: read the argument, read the topology,
 * place the ranks, bind and expand. A job holds what came of it.
 */
#ifndef COLLC_DRIVER_PIPELINE_H
#define COLLC_DRIVER_PIPELINE_H

#include "compiler/driver/options.h"
#include "compiler/passes/dump.h"

enum { SOURCE_LIMIT = 1 << 30 }; /* bytes of a schedule argument */

struct job {
    const struct options *options;
    struct diagnostics diagnostics; /* what is wrong with the input */
    struct arena arena;
    const struct source *source;
    bool is_builtin;                /* the argument names a built-in algorithm */
    enum collective_form form;      /* by which it does, or which --counts make of a file */
    const struct parameter_setting *settings; /* for the program: those of --param, or chosen */
    size_t n_settings;
    struct program *program;        /* NULL if the argument is a schedule file */
    struct topology *topology;      /* NULL if none was named */
    struct placement *placement;    /* NULL only for a schedule file that has none */
    struct counts *counts;          /* of --counts, or NULL */
    struct binding *binding;        /* NULL if the argument is a schedule file */
    struct schedule *schedule;
    uint32_t *map;                  /* of --map: [virtual rank] rank, in the arena; or NULL */
};

/* Reads the schedule argument: afterwards job->program or job->schedule is set.
 * False after reporting to job->diagnostics. */
bool job_read(struct job *job, const struct options *options);
/* The same for this argument instead of the one of the options. */
bool job_read_named(struct job *job, const char *argument);
/* The last setting of that parameter by --param, or NULL. */
const struct parameter_setting *job_setting(const struct job *job, const char *name);
/* Whether the first word, behind empty lines and comments, is that of a schedule file. */
bool is_schedule_file(const struct source *source);
/* The same as job_read, or job_choose (choose.h) under --best. Returns a status. */
int job_start(struct job *job, const struct options *options);
/* Reads the topology and the forwarding tables of --routes into job->topology. False
 * after reporting to job->diagnostics. */
bool job_open_topology(struct job *job, const char *spec);
/* Reads topology and placement, and expands a program. Returns a status:
 * STATUS_CLEAN with job->schedule ready, or STATUS_FAILED, with the reason on
 * stderr or in job->diagnostics. */
int job_prepare(struct job *job);
/* The part of it without the schedule: job->topology, where one is named, and
 * job->placement. Nothing to do where that is done. */
int job_locate(struct job *job);
/* Reads --counts, if given and not yet read, for a collective on the ranks of job->placement; a status. */
int job_open_counts(struct job *job, enum collective collective, enum collective_form form);
/* Refuses a --root that is no rank (of job->placement, where that is known), and one of a
 * collective without a root, N_COLLECTIVES: of several; a status. */
int job_check_root(const struct job *job, enum collective collective);
/* Where and with which parameters a program is bound for the job. Requires job_locate. */
struct bind_request job_bind_request(const struct job *job);
/* Both of them. */
int job_open(struct job *job, const struct options *options);
/* After a pass: what it has made of job->program, or job->binding, if that was asked for by
 * --dump-after: then STATUS_DUMPED. */
int job_dump(struct job *job, enum pass pass);
/* Prints diagnostics, those of the job or others, to stderr. */
void job_print(const struct job *job, const struct diagnostics *diagnostics);
/* Prints job->diagnostics to stderr and frees the job. Returns `status`, or
 * STATUS_FAILED if there were errors among them. */
int job_close(struct job *job, int status);

/* True where messages to `descriptor` are to be coloured. */
bool wants_colour(const struct options *options, int descriptor);
/* Monotonic seconds. */
double seconds_now(void);

#endif
