/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The properties of MPICH 4.0 and 4.2.
 */
#include "tuning/mpi.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char table_variable[] = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

/* Finds the release in Hydra's output: "HYDRA build details:", and further down "    Version:    4.0.2". */
static const char *mpich_find_release(const char *said)
{
    static const char before[] = "Version:";
    const char *at = strstr(said, "HYDRA") ? strstr(said, before) : NULL;
    if (!at)
        return NULL;
    at += strlen(before);
    return at + strspn(at, " \t");
}

/* Adds nothing: it starts as many ranks as it is told to. */
static void mpich_add_run(struct mpi_command *command)
{
    (void)command;
}

/* Disables the device's own collectives, which come before the table (B017). */
static void mpich_add_beside(struct mpi_command *command)
{
    if (!getenv("MPIR_CVAR_DEVICE_COLLECTIVES"))
        mpi_add_variable(command, "MPIR_CVAR_DEVICE_COLLECTIVES", "none");
}

static void mpich_add_rules(struct mpi_command *command, const char *table)
{
    mpich_add_beside(command);
    if (table)
        mpi_add_variable(command, table_variable, table);
}

/* Disables the table, even if the user has one: an empty name is none. */
static void add_lesson(struct mpi_command *command, const char *known)
{
    mpich_add_rules(command, "");
    mpi_add_variable(command, "COLLC_LEARN", known);
}

static const char *mpich_forced_variable(const char *collective, struct arena *arena)
{
    char *variable = arena_printf(arena, "MPIR_CVAR_%s_INTRA_ALGORITHM", collective);
    for (char *c = variable; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return variable;
}

const struct mpi_kind mpi_kind_mpich = {.releases = {{"mpich-4.0", "4.0", false}, {"mpich-4.2", "4.2", true}},
                                        .name = "MPICH",
                                        .suffix = ".mpich",
                                        .find_release = mpich_find_release,
                                        .spy = "mpich_spy.c",
                                        .spy_parts = {"notes.h", "mpich_algorithms.def"},
                                        .variables = "MPIR_CVAR_",
                                        .forced_variable = mpich_forced_variable,
                                        .table_variable = table_variable,
                                        .record_variable = "MPIR_CVAR_NOLOCAL",
                                        .fails_end_program = true,
                                        .run_option = "-genv",
                                        .add_run = mpich_add_run,
                                        .add_rules = mpich_add_rules,
                                        .add_beside = mpich_add_beside,
                                        .add_lesson = add_lesson};
