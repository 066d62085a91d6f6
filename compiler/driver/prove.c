/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc prove: runs a program, or calls of our own, under a rule table and the MPI that is installed, and
 * shows which algorithms ran beside those that 'collc pick' names.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "compiler/driver/emit_library.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/output.h"
#include "compiler/driver/table.h"
#include "reports/observed.h"

#include <stdlib.h>

enum { DEFAULT_SECONDS = 300, MOST_RANKS = 1024 };

/* The ranks of --ranks; by default 2 to 8 for calls of our own, and as mpirun decides for a program. */
static bool take_ranks(const struct options *options, struct observe_request *request, struct arena *arena)
{
    request->ranks = options->rank_list;
    if (request->program && request->ranks.n > 1)
        return usage_refuse(options, "a program runs with one number of ranks");
    if (request->ranks.n &&
        (request->ranks.items[0] < 2 || request->ranks.items[request->ranks.n - 1] > MOST_RANKS))
        return usage_refuse(options,
                            "rules act on two ranks and more, and %d are the most that are started here",
                            MOST_RANKS);
    if (!request->program && !request->ranks.n)
        (void)sizes_parse("2,3,4,5,6,7,8", &request->ranks, arena);
    return true;
}

static bool prove_make_request(const struct options *options, struct observe_request *request,
                               struct arena *arena)
{
    request->program = options->n_arguments > 1 ? &options->arguments[1] : NULL;
    static struct span usual = {1, 1 << 18};
    request->bytes = options->spans.n ? options->spans : (struct span_list){&usual, 1};
    request->seconds = options->time_limit.is_set ? (double)options->time_limit.value * 1e-9
        : DEFAULT_SECONDS;
    char *path = realpath(options->arguments[0], NULL);
    request->path = path ? arena_printf(arena, "%s", path) : NULL;
    free(path);
    if (!request->path)
        return usage_refuse(options, "'%s' has no path that an MPI can open", options->arguments[0]);
    return take_ranks(options, request, arena);
}

/* Observes the calls. Returns STATUS_CLEAN, or another status after saying what is wrong. */
static int prove_observe(const struct options *options, const struct observe_request *request,
                         struct observation *seen, struct arena *arena)
{
    struct mpi *mpi = request->mpi;
    struct text library = {0};
    int status = STATUS_CLEAN;
    if (!mpi_open(mpi, options->target, options->mpicc, options->mpirun, arena))
        status = usage_error_with(mpi->help, "%s", mpi->problem);
    else if (mpi->is_library && !emit_library_text(options, request->table, &library))
        status = STATUS_FAILED;
    mpi->library = library.data;
    if (status == STATUS_CLEAN && !observe(request, seen, arena))
        status = usage_error_with(seen->help, "%s", seen->problem);
    mpi_close(mpi);
    text_free(&library);
    return status;
}

static int driver_prove(const struct options *options, const struct observe_request *request,
                        struct arena *arena)
{
    struct observation seen = {0};
    struct text text = {0};
    int status = prove_observe(options, request, &seen, arena);
    if (status != STATUS_CLEAN) {
        observation_free(&seen);
        return status;
    }
    (option_is(options->format, "json") ? observed_json : observed_text)(request->table, &seen, &text);
    output_text(NULL, &text);
    text_free(&text);
    status = seen.n_different || seen.n_failing || seen.n_left_out ? STATUS_FINDINGS : STATUS_CLEAN;
    observation_free(&seen);
    return status;
}

int command_prove(const struct options *options)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct mpi mpi;
    struct observe_request request = {.mpi = &mpi};
    int status = STATUS_FAILED;
    const struct table_loader *loader = wanted_loader(options);
    request.table = loader ? read_table(loader, options->arguments[0], &arena, &diagnostics) : NULL;
    say_diagnostics(options, &diagnostics);
    if (request.table && prove_make_request(options, &request, &arena))
        status = driver_prove(options, &request, &arena);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return status;
}
