/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C for an MPI as a target (emitters/targets.def): loops from a program, a table from a schedule.
 */
#include "emitters/emit.h"

#include "ir/counts.h"

const char *emit_mpi_c(const struct emit_request *request, struct text *out)
{
    const char *function = request->c.function;
    const struct tmp_sizes *sizes = request->program ? NULL : request->schedule->header.tmp_sizes;
    if (sizes && sizes->is_of_others)
        return "ranks pass on data of others, whose counts MPI does not tell them: 'collc synth --method fit' "
               "makes one in which all goes straight";
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
