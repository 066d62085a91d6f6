/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The properties of Open MPI 4.1 and 5.0.
 */
#include "tuning/mpi.h"

#include <stdlib.h>
#include <string.h>

/* Finds the release in "mpirun (Open MPI) 4.1.4", or in "mpirun.openmpi (OpenRTE) 4.1.4" under another
 * name. */
static const char *ompi_find_release(const char *said)
{
    return strstr(said, "(Open MPI) ") || strstr(said, "(OpenRTE) ") ? strchr(said, ')') + 2 : NULL;
}

static void ompi_add_setting(struct mpi_command *command, const char *name, const char *value)
{
    mpi_add(command, "--mca");
    mpi_add(command, name);
    mpi_add(command, value);
}

/* Adds options to start as many ranks as are asked for. The launcher of 5.0 has a setting of its own for
 * that, which any option of the user's overrides. */
static void ompi_add_run(struct mpi_command *command)
{
    setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 0);
    if (!getenv("OMPI_MCA_rmaps_base_oversubscribe"))
        ompi_add_setting(command, "rmaps_base_oversubscribe", "1");
}

/* Adds the rules, and the option to use the variables set for each communicator. */
static void ompi_add_rules(struct mpi_command *command, const char *table)
{
    ompi_add_setting(command, "coll_tuned_use_dynamic_rules", "1");
    if (table)
        ompi_add_setting(command, "coll_tuned_dynamic_rules_filename", table);
}

static const char *ompi_forced_variable(const char *collective, struct arena *arena)
{
    return arena_printf(arena, "OMPI_MCA_coll_tuned_%s_algorithm", collective);
}

const struct mpi_kind mpi_kind_ompi = {.releases = {{"ompi-4.1", "4.1", false}, {"ompi-5.0", "5.0", false}},
                                       .name = "Open MPI",
                                       .suffix = ".openmpi",
                                       .find_release = ompi_find_release,
                                       .spy = "ompi_spy.c",
                                       .spy_parts = {"notes.h", "ompi_functions.def"},
                                       .variables = "OMPI_MCA_",
                                       .fixed_collective = "allgatherv",
                                       .forced_variable = ompi_forced_variable,
                                       .file_variable = "OMPI_MCA_mca_base_param_files",
                                       .table_variable = "OMPI_MCA_coll_tuned_dynamic_rules_filename",
                                       .run_option = "-x",
                                       .is_set_with_equals = true,
                                       .add_run = ompi_add_run,
                                       .add_rules = ompi_add_rules};
