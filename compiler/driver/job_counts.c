/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --counts: a file, or a formula. See job.h.
 */
#include "compiler/driver/job.h"
#include "base/codes.h"
#include "compiler/passes/counts.h"

#include <string.h>
#include <unistd.h>

/* At what is wrong first in the line: what follows may come of it. */
static void help_with_formula(struct diagnostics *diagnostics)
{
    struct diagnostic *first = diagnostics->first;
    for (struct diagnostic *other = first; other; other = other->next)
        first = other->position.column < first->position.column ? other : first;
    if (!first || first->code == CODE_E021)
        return;
    if (first->code == CODE_E007 && !first->help)
        first->help = "ranks i (and, of alltoallv, j) are from 0 to p-1; a count is below 2^63 bytes";
    else
        first->help = diagnostics_text(
            diagnostics, "%s%sthere is no file of that name, so it is read as a formula, in bytes: of "
            "whole numbers, p, bytes and the rank i (of alltoallv the sender i and the receiver j)",
            first->help ? first->help : "", first->help ? "; " : "");
}

/* A file of that name, or else a formula. */
static struct counts *read_counts(struct job *job, enum collective collective,
                                  const uint64_t *bytes)
{
    const char *text = job->options->counts;
    uint32_t n_ranks = job->placement->n_ranks;
    const struct source *source;
    if (access(text, F_OK) == 0 || strcmp(text, "-") == 0) {
        if (bytes) {
            usage_error(job->options, "the counts of a file are sizes: --bytes has no effect");
            return NULL;
        }
        source = source_read(text, SCHEDULE_FILE_LIMIT, &job->arena, &job->diagnostics);
        return source ? counts_read(source, counts_needed(collective, n_ranks), &job->diagnostics)
                      : NULL;
    }
    source = source_of_text("<counts>", text, strlen(text), &job->arena);
    struct counts *counts =
        counts_of_formula(source, collective, n_ranks, bytes, &job->diagnostics);
    if (!counts)
        help_with_formula(&job->diagnostics);
    return counts;
}

bool job_read_counts(struct job *job, enum collective collective, enum collective_form form)
{
    const struct options *options = job->options;
    const uint64_t *bytes = options->bytes ? &options->bytes : NULL;
    if (!options->counts || job->counts)
        return true;
    if (form == FORM_EQUAL)
        return usage_refuse(options, "all counts of %s are equal: --counts is for gatherv, scatterv, "
                                    "allgatherv, alltoallv, alltoallw and reduce_scatter",
                           collective_table[collective].name);
    if (options->sizes.n > 1)
        return usage_refuse(options, "--counts are the sizes: give one --bytes for the formula, or none");
    if (options->sizes.n)
        bytes = &options->sizes.items[0];
    job->counts = read_counts(job, collective, bytes);
    return job->counts;
}
