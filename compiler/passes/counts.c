/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and evaluates counts. See counts.h.
 */
#include "compiler/language/language.h"
#include "compiler/passes/counts.h"

#include "base/codes.h"
#include "compiler/passes/variables.h"
#include "ir/use.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- files ------------------------------------------------------------ */

/* Past blanks, commas and comments. */
static const char *skip_between(const char *at)
{
    while (at += strspn(at, " \t\r\n,"), *at == '#')
        at += strcspn(at, "\n");
    return at;
}

static struct diagnostic *counts_complain(const struct source *source, const char *at, size_t length,
                                          struct diagnostics *diagnostics, const char *message)
{
    return report(diagnostics, CODE_E021,
                  source_position(source, (size_t)(at - source->text), length ? length : 1), "%s",
                  message);
}

/* A number that ends where a number may end; false after reporting. */
static bool counts_read_number(const struct source *source, const char **at, struct diagnostics *diagnostics,
                               uint64_t *number)
{
    const char *from = *at;
    size_t length = strcspn(from, " \t\r\n,#"), n_digits = strspn(from, "0123456789");
    *number = 0;
    if (n_digits != length) {
        counts_complain(source, from, length, diagnostics, "expected a number of bytes")->help =
            "counts are decimal numbers between blanks or commas, such as: 1024, 0, 512";
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(from[i] - '0');
        if (*number > (INT64_MAX - digit) / 10) {
            counts_complain(source, from, length, diagnostics, "a count of 2^63 bytes or more");
            return false;
        }
        *number = 10 * *number + digit;
    }
    *at = from + length;
    return true;
}

struct counts *counts_read(const struct source *source, uint64_t n, struct diagnostics *diagnostics)
{
    struct counts_runs *counts = counts_new();
    uint64_t number = 0, n_read = 0;
    bool done = source_check_utf8(source, diagnostics);
    const char *at = skip_between(source->text);
    for (; done && *at && n_read < n; at = skip_between(at), n_read++) {
        done = counts_read_number(source, &at, diagnostics, &number);
        if (done)
            counts_add(counts, number, 1);
    }
    if (done && (*at || n_read < n)) {
        counts_complain(
            source, at, *at ? strcspn(at, " \t\r\n,#") : 1, diagnostics,
            *at ? diagnostics_text(diagnostics, "more than %" PRIu64 " counts", n)
                : diagnostics_text(diagnostics, "fewer than %" PRIu64 " counts: %" PRIu64, n, n_read))
            ->help = "there is one for each rank, of alltoallv and alltoallw one for each pair: a row "
                     "for each sender; of neighbor_alltoallv and its like a row has a count for each block";
        done = false;
    }
    if (done)
        return &counts->counts;
    counts->counts.destroy(&counts->counts);
    return NULL;
}

/* --- formulas --------------------------------------------------------- */

/* Counts that are evaluated when the formula is read, so that what is wrong with it is said
 * at once; of more, those that are used. */
enum { EVALUATED_FIRST = 1 << 20 };

enum { NAME_P, NAME_BYTES, NAME_I, NAME_J };

struct formula_counts {
    struct counts counts; /* first */
    struct formula formula;
    struct environment *environment;
    struct diagnostics *diagnostics;
    const struct neighborhood *neighbors; /* of blocks of neighbours; or NULL */
    bool is_of_pairs, failed;
    uint32_t n_ranks;
};

/* The ranks that a datum is of: from i to j, of pairs. */
static uint64_t counts_sender_of(const struct formula_counts *counts, uint64_t datum)
{
    return datum / (counts->neighbors ? counts->neighbors->most[SIDE_OUT] : counts->n_ranks);
}
static uint64_t counts_receiver_of(const struct formula_counts *counts, uint64_t datum)
{
    return counts->neighbors ? neighborhood_receiver(counts->neighbors, datum) : datum % counts->n_ranks;
}

static void set(struct formula_counts *counts, uint32_t name, uint64_t value)
{
    variables_assign_uniform(counts->environment, counts->formula.variable[name], (int64_t)value);
}

static void report_value(struct formula_counts *counts, bool has_value, uint64_t datum,
                         int64_t value)
{
    const struct fault *fault = &counts->environment->fault;
    const char *of = diagnostics_text(counts->diagnostics, "of rank %" PRIu64, datum);
    if (counts->is_of_pairs)
        of = diagnostics_text(counts->diagnostics, "from rank %" PRIu64 " to rank %" PRIu64,
                              counts_sender_of(counts, datum), counts_receiver_of(counts, datum));
    if (has_value)
        report(counts->diagnostics, CODE_E021, counts->formula.expr->position,
               "the count %s is %" PRId64, of, value)
            ->help = "a count is a number of bytes: 'max(0, ...)' keeps it from being negative";
    else
        report(counts->diagnostics, fault->code, fault->position, "%s, in the count %s",
               fault->message, of);
}

static uint64_t formula_bytes(struct counts *of, uint64_t datum)
{
    struct formula_counts *counts = (struct formula_counts *)of;
    int64_t value = 0;
    if (counts->is_of_pairs && counts_receiver_of(counts, datum) == counts->n_ranks)
        return 0;
    set(counts, NAME_I, counts->is_of_pairs ? counts_sender_of(counts, datum) : datum);
    if (counts->is_of_pairs)
        set(counts, NAME_J, counts_receiver_of(counts, datum));
    bool has_value = evaluate_uniform(counts->environment, counts->formula.expr, &value);
    if (has_value && value >= 0)
        return (uint64_t)value;
    if (!counts->failed)
        report_value(counts, has_value, datum, value);
    counts->failed = true;
    return 0;
}

static void formula_destroy(struct counts *of)
{
    struct formula_counts *counts = (struct formula_counts *)of;
    environment_free(counts->environment);
    program_free(counts->formula.program);
    free(counts);
}

/* False after reporting a function of the network: counts are evaluated without a placement and a
 * topology. */
static bool check_functions(const struct expr *expr, struct diagnostics *diagnostics)
{
    if (!expr)
        return true;
    if (!is_grid_function(expr->kind) && expr->kind != EXPR_GROUPS_BEFORE)
        return check_functions(expr->a, diagnostics) && check_functions(expr->b, diagnostics) &&
               check_functions(expr->c, diagnostics);
    report(diagnostics, CODE_E021, expr->position, "a function of the network, not of a count")
        ->help = "a count is made of p, bytes and i (and, of alltoallv, j)";
    return false;
}

/* There is a size if, and only if, the formula uses it. */
static bool check_bytes(const struct formula *formula, bool is_given, struct diagnostics *diagnostics)
{
    const struct expr *use = expr_use(formula->expr, formula->variable[NAME_BYTES]);
    if (!use == !is_given)
        return true;
    if (use)
        report(diagnostics, CODE_E021, use->position, "the counts depend on the size")->help = "give --bytes";
    else
        report(diagnostics, CODE_E021, formula->expr->position,
               "the counts do not depend on the size: --bytes has no effect")
            ->help = "leave it out, or use 'bytes' in the formula";
    return false;
}

struct counts *counts_of_formula(const struct source *source, enum collective collective,
                                 const struct neighborhood *neighbors, uint32_t n_ranks,
                                 const uint64_t *bytes, struct diagnostics *diagnostics)
{
    static const char *const names[] = {[NAME_P] = "p", [NAME_BYTES] = "bytes", [NAME_I] = "i",
                                        [NAME_J] = "j"};
    const bool is_spread = collective == COLLECTIVE_neighbor_allgather;
    const bool is_of_pairs = collective_has_pairs(collective) || (neighbors && !is_spread);
    struct formula formula;
    if (!formula_read(source, names, is_of_pairs ? 4 : 3, &formula, diagnostics))
        return NULL;
    if (!check_functions(formula.expr, diagnostics) ||
        !check_bytes(&formula, bytes != NULL, diagnostics)) {
        program_free(formula.program);
        return NULL;
    }
    struct formula_counts *counts = mem_alloc(1, sizeof *counts);
    *counts = (struct formula_counts){.counts = {.bytes = formula_bytes, .destroy = formula_destroy},
                                      .formula = formula,
                                      .environment = environment_new(formula.program, diagnostics),
                                      .diagnostics = diagnostics,
                                      .neighbors = is_spread ? NULL : neighbors,
                                      .is_of_pairs = is_of_pairs,
                                      .n_ranks = n_ranks};
    counts->environment->n_ranks = n_ranks;
    set(counts, NAME_P, n_ranks);
    set(counts, NAME_BYTES, bytes ? *bytes : 0);
    const uint64_t n =
        neighbors ? neighborhood_n_data(neighbors, is_spread) : counts_needed(collective, n_ranks);
    for (uint64_t datum = 0; datum < n && datum < EVALUATED_FIRST && !counts->failed; datum++)
        formula_bytes(&counts->counts, datum);
    if (!counts->failed)
        return &counts->counts;
    formula_destroy(&counts->counts);
    return NULL;
}
