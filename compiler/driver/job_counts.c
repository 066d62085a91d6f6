/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --counts: a file, or a formula. See job.h.
 */
#include "compiler/driver/job.h"
#include "base/codes.h"
#include "compiler/passes/counts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FORMULA \
    "a formula, in bytes: of whole numbers, p, bytes and the rank i (of alltoallv the sender i and the receiver j)"

/* Returns the leftmost finding of the line, which may have caused the others; NULL: there is none. */
static struct diagnostic *first_in_line(const struct diagnostics *diagnostics)
{
    struct diagnostic *first = diagnostics->first;
    for (struct diagnostic *other = first; other; other = other->next)
        first = other->position.column < first->position.column ? other : first;
    return first;
}

static void help_with_formula(struct diagnostics *diagnostics)
{
    struct diagnostic *first = first_in_line(diagnostics);
    if (!first || first->code == CODE_E021)
        return;
    if (first->code == CODE_E007)
        first->help = "ranks i (and, of alltoallv, j) are from 0 to p-1; a count is below 2^63 bytes";
    else
        first->help = diagnostics_text(diagnostics, "%s%sthere is no file of that name, so it is read as " FORMULA,
                                       first->help ? first->help : "", first->help ? "; " : "");
}

/* True if it may be the name of a file that was meant: 'counts/a.txt', not 'j' or '2*k'. */
static bool is_like_path(const char *text)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789./~-");
    return n > 1 && !text[n] && (strchr(letters, *text) || strchr("./~", *text));
}

/* Refuses a text that looks like the name of a file and is no formula: says both. Returns true if it did. */
static bool refuse_path(struct job *job, const char *text, const struct diagnostics *of_formula, int error)
{
    const struct diagnostic *first = first_in_line(of_formula);
    if (!first || !is_like_path(text) ||
        (first->code != CODE_E001 && first->code != CODE_E002 && first->code != CODE_E003))
        return false;
    const struct source *source = source_of_text(text, "", 0, &job->scene.arena);
    struct diagnostic *refusal =
        report(&job->diagnostics, CODE_I001, (struct position){.source = source},
               "cannot open '%s': %s; nor is it a formula: %s", text, strerror(error), first->message);
    const char *meant = first->code == CODE_E003 && first->help ? first->help : NULL;
    refusal->help = diagnostics_text(&job->diagnostics, "give a file of numbers, or " FORMULA "%s%s",
                                     meant ? "; " : "", meant ? meant : "");
    return true;
}

/* Reads a file of that name, or else a formula. */
static struct counts *job_counts_read_counts(struct job *job, enum collective collective,
                                             const uint64_t *bytes)
{
    const char *text = job->options->counts;
    const struct neighborhood *neighbors =
        collective_is_of_neighbors(collective) ? job->scene.neighbors : NULL;
    const uint32_t n_ranks = job->scene.placement->n_ranks;
    const uint64_t n = neighbors
                           ? neighborhood_n_data(neighbors, collective == COLLECTIVE_neighbor_allgather)
                           : counts_needed(collective, n_ranks);
    const struct source *source;
    if (access(text, F_OK) == 0 || strcmp(text, "-") == 0) {
        if (bytes) {
            usage_error(job->options, "the counts of a file are sizes: --bytes has no effect");
            return NULL;
        }
        source = source_read(text, SCHEDULE_FILE_LIMIT, &job->scene.arena, &job->diagnostics);
        return source ? counts_read(source, n, &job->diagnostics) : NULL;
    }
    const int error = errno;
    source = source_of_text("<counts>", text, strlen(text), &job->scene.arena);
    struct diagnostics tried = {0};
    struct counts *counts = counts_of_formula(source, collective, neighbors, n_ranks, bytes, &tried);
    if (!counts && !refuse_path(job, text, &tried, error)) {
        (void)counts_of_formula(source, collective, neighbors, n_ranks, bytes, &job->diagnostics);
        help_with_formula(&job->diagnostics);
    }
    diagnostics_free(&tried);
    return counts;
}

bool job_read_counts(struct job *job, enum collective collective, enum collective_form form)
{
    const struct options *options = job->options;
    const uint64_t *bytes = options->bytes ? &options->bytes : NULL;
    if (!options->counts || job->scene.counts)
        return true;
    if (form == FORM_EQUAL)
        return usage_refuse(options, "all counts of %s are equal: --counts is for gatherv, scatterv, allgatherv, "
                                    "alltoallv, alltoallw and reduce_scatter, and for neighbor_alltoallv, "
                                    "neighbor_alltoallw and neighbor_allgatherv",
                           collective_table[collective].name);
    if (options->sizes.n > 1)
        return usage_refuse(options, "--counts are the sizes: give one --bytes for the formula, or none");
    if (options->sizes.n)
        bytes = &options->sizes.items[0];
    job->scene.counts = job->scene.owned.counts = job_counts_read_counts(job, collective, bytes);
    return job->scene.counts;
}
