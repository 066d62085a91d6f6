/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The target C for an MPI (emitters/targets.def): loops from a program, a table from a schedule.
 */
#include "emitters/emit.h"

#include "ir/counts.h"

#include <inttypes.h>

/* Returns why the counts cannot be written into a table whose ranks pass on data of others, or NULL. */
static const char *why_not_known(const struct emit_request *request)
{
    const struct schedule_header *header = &request->schedule->header;
    const uint64_t n = counts_needed(header->collective, header->n_ranks);
    if (collective_is_pattern(header->collective))
        return "its chunks have sizes of their own, and the function of a pattern takes chunks of one size";
    if (header->collective != COLLECTIVE_alltoall)
        return "ranks pass on data of others, whose counts MPI does not tell them: that is for alltoallv and "
               "alltoallw only; have chunks of tmp be like chunks of the rank itself";
    if (!header->counts)
        return "ranks pass on data of others, whose counts are not in the schedule: compile it with --counts";
    for (uint64_t datum = 0; datum < n; datum++)
        if (header->counts->bytes(header->counts, datum) > INT32_MAX)
            return arena_printf(request->arena, "a block of %" PRIu64 " bytes is more than MPI counts by an int: "
                                                "make a schedule for smaller ones",
                                header->counts->bytes(header->counts, datum));
    return NULL;
}

const char *emit_mpi_c(const struct emit_request *request, struct text *out)
{
    const char *function = request->c.function;
    const struct tmp_sizes *sizes = request->program ? NULL : request->schedule->header.tmp_sizes;
    const char *why_not = sizes && sizes->is_of_others ? why_not_known(request) : NULL;
    if (why_not)
        return why_not;
    if (request->program ? emit_mpi_c_program(request->program, &request->c, out)
                         : emit_mpi_c_schedule(request->schedule, &request->c, out))
        return NULL;
    if (!request->program && request->schedule->failed)
        return "";
    return function ? arena_printf(request->arena, "'%s' is no name for the function: the emitted C has "
                                                   "it for something else", function)
                    : "the name of the function is one that the emitted C has for something else: give "
                      "another with --function";
}
