/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A scene is a schedule in its place: an algorithm or a schedule file, the topology, the ranks on its
 * hosts, their counts, and the schedule that follows from these. The command line, the cells of a project,
 * trials, the linter and the points of a fit all make their schedules here.
 *
 * The caller sets what it has already and calls the steps for the rest, in this order: read, place, bind,
 * expand. A step returns false after reporting to `diagnostics`, which must outlive the scene.
 */
#ifndef COLLC_STUDY_SCENE_H
#define COLLC_STUDY_SCENE_H

#include "base/embedded.h"
#include "compiler/passes/expand.h"
#include "network/placement/placement_make.h"
#include "study/lower_bound.h"

struct scene {
    struct arena arena;                       /* of the source, and of the caller */
    const struct source *source;              /* NULL: the program is the caller's */
    const char *part;                         /* taken of a file with several schedules, or NULL */
    bool is_builtin;                          /* the source is a built-in algorithm */
    enum collective_form form;                /* form that the name or `has_counts` asks for */
    bool has_counts;                          /* counts are unequal: those of the caller may follow later */
    const struct program *program;            /* NULL: a schedule file */
    const struct parameter_setting *settings; /* the other parameters have their defaults */
    size_t n_settings;
    const struct topology *topology;          /* NULL: none is known */
    const char *topology_spec;                /* spec of the caller; NULL: none, or that of a schedule file */
    const struct placement *placement;
    bool is_as_stated;                        /* placed as a schedule file states */
    uint64_t bytes;                           /* 0: not known */
    struct counts *counts;                    /* NULL: all equal */
    const struct neighborhood *neighbors;     /* NULL: those of a Cartesian communicator */
    struct binding *binding;                  /* NULL: a schedule file */
    struct schedule *schedule;
    struct {
        struct program *program;
        struct topology *topology;
        struct placement *placement;
        struct counts *counts;
    } owned;                                  /* parts that scene_free frees; set by steps, or the caller */
};

/* Reads the built-in algorithm or the file of that name, perhaps with ':PART' behind it: sets `source`, and
 * `program` or `schedule`. A program takes the form; where it cannot, E020 is reported, and it is kept. */
bool scene_read(struct scene *scene, const char *name, struct diagnostics *diagnostics);
/* Reads the source that the caller has set. */
bool scene_read_source(struct scene *scene, struct diagnostics *diagnostics);
/* Reads a built-in algorithm, to be one of this form. NULL: there is none, which is not reported. */
bool scene_read_builtin(struct scene *scene, const struct embedded_file *file, enum collective_form form,
                        struct diagnostics *diagnostics);
/* Places the ranks. Those of a schedule file are where it states, unless the request states something or
 * the topology is not the one that the file is for. Without a topology, consecutive ranks, or by the rule
 * "cyclic" every n-th, share hosts. Reports S004 and what placement_make does. */
bool scene_place(struct scene *scene, const struct placement_request *request,
                 struct diagnostics *diagnostics);
/* Binds the program with this root. */
bool scene_bind(struct scene *scene, uint32_t root, struct diagnostics *diagnostics);
/* Makes the schedule of the binding, unless there is one. */
bool scene_expand(struct scene *scene, struct diagnostics *diagnostics);
void scene_free(struct scene *scene);

/* Returns the place and the parameters with which scene_bind binds. */
struct bind_request scene_where(const struct scene *scene, uint32_t root);
/* Returns the limits; where they have none for ports, those of the topology. */
struct verify_limits scene_limits(const struct scene *scene, const struct verify_limits *limits);
/* Returns the lower bound for the schedule; of a pattern for its demand (study/demand.h). */
struct lower_bound scene_bound(const struct scene *scene);
/* Returns the lower bound of the load for the schedule, from the cache if there is one (or NULL). */
struct least_load scene_least(const struct scene *scene, struct lower_bound_cache *cache);

#endif
