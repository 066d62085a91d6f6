/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See estimate.h.
 */
#include "study/estimate.h"

#include "base/integer.h"
#include "measure/seen.h"

#include <math.h>
#include <stdlib.h>

/* Limit of sampled ranks of a server, and the number of ranks below which nothing is sampled. */
enum { MOST_OF_SERVER = 64, FEW_RANKS = 64 };

/* Destinations in the last distinct steps, as hashes: those that the verifier does not route again. */
struct recent {
    uint64_t hash[SEEN_STEPS];
    uint32_t next;
};

/* The sampled ranks: the first, the last, and the ranks of one server in between, of which one may be its
 * leader; two ranks if servers have one each. */
struct sampled {
    uint32_t ranks[MOST_OF_SERVER + 3], n; /* ascending */
    uint32_t n_ranks, n_between;           /* n_ranks: all ranks; n_between: those in between */
};

static bool is_at_end(const struct sampled *sampled, uint32_t rank)
{
    return rank == 0 || rank == sampled->n_ranks - 1;
}

static struct sampled choose_ranks(const struct binding *binding)
{
    const struct placement *placement = binding->placement;
    const uint32_t p = binding->n_ranks, server = placement->server[p / 3];
    struct sampled sampled = {.ranks = {0, p - 1}, .n = 2, .n_ranks = p};
    for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++)
        if (sampled.n_between < MOST_OF_SERVER && !is_at_end(&sampled, placement->ranks[i]))
            sampled.ranks[sampled.n + sampled.n_between++] = placement->ranks[i];
    if (sampled.n_between == 1)
        sampled.ranks[sampled.n + sampled.n_between++] = p - p / 3;
    sampled.n += sampled.n_between;
    qsort(sampled.ranks, sampled.n, sizeof *sampled.ranks, compare_uint32);
    return sampled;
}

/* Counts of operations: of the first and last rank, and of those in between. */
struct operations {
    uint64_t at_ends, between;
};
struct sample {
    struct operations seen;
    double all, most_in_step; /* over all ranks */
};

/* Returns the count over all ranks if the others are like those in between. The first and the last rank
 * count once, as they may be a root or the end of a chain. */
static double of_all(const struct sampled *sampled, const struct operations *seen)
{
    return (double)seen->at_ends + (double)seen->between / sampled->n_between * (sampled->n_ranks - 2);
}

/* Returns the cost of an operation: a dense row of copies counts once, any other row once per copy. */
static uint64_t looks_at(const struct op *op, const struct copy_row *rows)
{
    uint64_t n = 0;
    if (op->kind != OP_COPIES)
        return 1;
    for (uint32_t i = 0; i < op->n_chunks; i++)
        n += copy_row_is_dense(&rows[op->chunk + i]) ? 1 : rows[op->chunk + i].n;
    return n;
}

/* Adds the operations of a step. */
static void add_operations(struct sample *sample, const struct sampled *sampled, const struct op *ops,
                           size_t n, const struct copy_row *rows)
{
    struct operations in_step = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (is_at_end(sampled, ops[i].rank))
            in_step.at_ends += looks_at(&ops[i], rows);
        else
            in_step.between += looks_at(&ops[i], rows);
    sample->most_in_step = fmax(sample->most_in_step, of_all(sampled, &in_step));
    sample->seen.at_ends += in_step.at_ends;
    sample->seen.between += in_step.between;
    sample->all = of_all(sampled, &sample->seen);
}

/* True if the sampled ranks send to the same ranks as in one of the last distinct steps. */
static bool is_repeated(struct recent *recent, const struct step *step)
{
    uint64_t hash = step->n_sends + 1;
    for (size_t i = 0; i < step->n_sends; i++) {
        hash ^= (uint64_t)step->sends[i].rank << 32 | step->sends[i].peer;
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (int i = 0; i < SEEN_STEPS; i++)
        if (recent->hash[i] == hash)
            return true;
    recent->hash[recent->next++ % SEEN_STEPS] = hash;
    return false;
}

/* True if operations read from `in` and write to `out`. */
static bool are_independent(const struct step *step)
{
    for (size_t i = 0; i < step->n_sends; i++)
        if (step->sends[i].buffer != BUFFER_IN)
            return false;
    for (size_t i = 0; i < step->n_receives; i++)
        if (step->receives[i].buffer != BUFFER_OUT)
            return false;
    for (size_t i = 0; i < step->n_copies; i++)
        if (step->copies[i].kind != OP_COPY || step->copies[i].buffer != BUFFER_IN ||
            step->copies[i].to_buffer != BUFFER_OUT)
            return false;
    return true;
}

/* Estimates by the sampled ranks. takes_rows: equal copies of ranks are found once. as_long: cost of a
 * message relative to routing it. */
static struct estimate estimate_look(const struct binding *binding, double enough, bool takes_rows,
                                     int as_long)
{
    struct estimate estimate = {.n_messages = 0};
    struct sample sends = {0}, copies = {0};
    struct recent recent = {{0}, 0};
    double n_routed = 0;
    uint64_t n_steps = 0;
    bool is_independent = true;
    struct diagnostics unread = {0};
    struct step step;
    if (binding->n_ranks < FEW_RANKS)
        return estimate;
    const struct sampled sampled = choose_ranks(binding);
    struct schedule *schedule = expand_witnesses(binding, sampled.ranks, sampled.n, &unread);
    if (schedule)
        schedule->use.takes_rows = takes_rows;
    while (schedule && !estimate.is_at_least && schedule->next(schedule, &step)) {
        const double before = sends.all;
        add_operations(&sends, &sampled, step.sends, step.n_sends, NULL);
        add_operations(&copies, &sampled, step.copies, step.n_copies, step.rows);
        is_independent = is_independent && are_independent(&step);
        n_steps++;
        n_routed += is_repeated(&recent, &step) ? 0 : sends.all - before;
        estimate.seconds = verify_seconds(binding->topology, n_routed) +
                           (as_long - 1) * verify_seconds(binding->topology, sends.all) +
                           (sends.all - n_routed) * VERIFY_REPEATED_SECONDS +
                           copies.all * VERIFY_COPY_SECONDS;
        estimate.is_at_least = estimate.seconds > enough;
    }
    estimate.n_independent = is_independent && schedule && !schedule->failed ? n_steps : 0;
    estimate.n_messages = sends.all;
    estimate.n_copies = copies.all;
    if (2 * sends.most_in_step <= (double)SCHEDULE_MAX_STEP_OPS) /* more are never produced */
        estimate.bytes = sends.most_in_step * VERIFY_MESSAGE_BYTES;
    estimate.bytes += copies.most_in_step * VERIFY_COPY_BYTES;
    estimate.most_in_step = sends.most_in_step + copies.most_in_step;
    if (schedule)
        schedule->destroy(schedule);
    diagnostics_free(&unread);
    return estimate;
}

struct estimate estimate_verification(const struct binding *binding, double enough)
{
    return estimate_look(binding, enough, true, 1);
}

/* Costs of a message relative to routing it; copies cost only their verification. And the divisor of
 * memory. */
enum { MEASURED_AS_LONG = 4, PLAYED_AS_LONG = 8, AS_MUCH = 2 };

struct estimate estimate_prediction(const struct binding *binding, bool is_played, double enough)
{
    const int as_long = is_played ? PLAYED_AS_LONG : MEASURED_AS_LONG;
    struct estimate estimate = estimate_look(binding, enough, false, as_long);
    estimate.bytes /= AS_MUCH;
    return estimate;
}

struct estimate estimate_alike(const struct schedule *alike, const struct topology *topology, double enough)
{
    struct estimate estimate = {.n_messages = (double)congruent_n_operations(alike) / 2};
    estimate.seconds = MEASURED_AS_LONG * verify_seconds(topology, estimate.n_messages);
    estimate.is_at_least = estimate.seconds > enough;
    return estimate;
}
