/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters of coll/tuned in scripts and parameter files, inside this folder: algorithms that are forced
 * (coll_tuned_bcast_algorithm), what goes with them, and the rule file that is named. The loader looks for a
 * row of the file first, then for what is forced, then into its fixed decision.
 */
#ifndef COLLC_TABLES_OMPI_FORCED_H
#define COLLC_TABLES_OMPI_FORCED_H

#include "tables/ompi/ompi.h"

/* The ends of names, behind coll_tuned_<collective>_. */
enum ompi_parameter {
    PARAMETER_ALGORITHM, PARAMETER_SEGMENT, PARAMETER_TREE, PARAMETER_CHAIN, PARAMETER_REQUESTS,
    N_OMPI_PARAMETERS
};
extern const char *const ompi_parameter_names[N_OMPI_PARAMETERS];

struct ompi_forced {
    const struct setting *by[N_OMPI_PARAMETERS]; /* the settings that act; NULL: none */
    struct table_rule rule; /* algorithm 0: nothing is forced. For all ranks and sizes */
};

struct ompi_settings {
    const struct settings *settings;
    const struct setting *dynamic, *filename, *components;
    bool is_dynamic;           /* coll_tuned_use_dynamic_rules; without it nothing here acts */
    bool is_without_tuned;     /* the parameter `coll` takes coll/tuned away */
    const char *ends_init;     /* why MPI_Init ends every program with these components; NULL: it does not */
    const struct table *rules; /* the file that is named; NULL: none, or it is not there */
    struct ompi_forced of[OMPI_N_COLLECTIVES];
};

/* Returns the text that Open MPI takes for the value: parameter files keep quotes and comments in it. */
struct slice ompi_value(const struct setting *setting);
/* Returns the algorithm's number as the MPI understands the value; -1 if it does not. */
int64_t ompi_forced_number(const struct ompi_version *version, uint32_t collective, struct slice value);
/* Returns the name of the parameter that is meant, without prefixes; of length 0 in a form that sets none. */
struct slice ompi_parameter_name(const struct setting *setting);
/* Returns why Open MPI does not look at the setting, NULL: it does. */
const struct setting_fault *ompi_fault(const struct setting *setting);
/* True if mpirun starts nothing, as both give a value to one parameter. */
bool ompi_refuses(const struct setting *first, const struct setting *again);
/* Finds which parameter of which collective the key is. False if it is no such parameter. */
bool ompi_parameter_of(struct slice key, uint32_t *collective, enum ompi_parameter *parameter);
/* True if coll/tuned looks at a parameter of the collective. */
bool ompi_has_parameter(uint32_t collective, enum ompi_parameter parameter);

bool ompi_is_file(const struct table_loader *loader, const struct source *source,
                  const struct settings *settings);
struct table *ompi_read_settings(const struct table_loader *loader, const struct settings *settings,
                                 struct arena *arena, struct diagnostics *diagnostics);
extern const struct settings_dialect ompi_dialect;
/* True for a parameter that names files with more settings, such as that of --tune. */
bool ompi_names_settings(struct slice name);

void ompi_lint_settings(const struct ompi_table *of, struct diagnostics *findings);

#endif
