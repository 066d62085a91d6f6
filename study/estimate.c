/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See estimate.h.
 */
#include "study/estimate.h"

#include <string.h>

/* Of fewer ranks three are too large a part. */
enum { FEW_RANKS = 64 };
/* Bytes that a message of a step takes, both ends, its data and its flow, and that a copy takes; seconds of a
 * copy of one chunk that lies apart from others: rules of thumb from measurements. */
enum { MESSAGE_BYTES = 400, COPY_BYTES = 64 };
#define COPY_SECONDS 100e-9
/* And of a message of a step that has the flows of an earlier one. */
#define REPEATED_SECONDS 40e-9

/* Steps with the flows of one of so many unlike ones before them are not routed again (verify/seen.h). */
enum { REMEMBERED = 4 };

/* To whom the three send in the last unlike steps. */
struct recent {
    uint64_t hash[REMEMBERED];
    uint32_t next;
};

/* Operations of a sort, by three ranks: the first, one in the middle, and the last. */
struct sample {
    uint64_t n[3], in_step[3];
    double all, most_in_step; /* of all ranks */
};

/* Of all ranks, if the others are like the middle one and the last; what the first does, such as a
 * root, it does alone. */
static double of_all(uint32_t n_ranks, const uint64_t n[3])
{
    return (double)n[0] + (double)(n[1] + n[2]) / 2 * (n_ranks - 1);
}

/* What is looked at for an operation: of rows of copies dense ones once, others copy by copy. */
static uint64_t looks_at(const struct op *op, const struct copy_row *rows)
{
    uint64_t n = 0;
    if (op->kind != OP_COPIES)
        return 1;
    for (uint32_t i = 0; i < op->n_chunks; i++)
        n += copy_row_is_dense(&rows[op->chunk + i]) ? 1 : rows[op->chunk + i].n;
    return n;
}

static void add_operations(struct sample *sample, const struct op *ops, size_t n, const uint32_t ranks[3],
                           const struct copy_row *rows)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            sample->in_step[k] += ops[i].rank == ranks[k] ? looks_at(&ops[i], rows) : 0;
}

static void end_step(struct sample *sample, uint32_t n_ranks)
{
    const double in_step = of_all(n_ranks, sample->in_step);
    sample->most_in_step = in_step > sample->most_in_step ? in_step : sample->most_in_step;
    for (int k = 0; k < 3; k++)
        sample->n[k] += sample->in_step[k];
    sample->all = of_all(n_ranks, sample->n);
    memset(sample->in_step, 0, sizeof sample->in_step);
}

/* Whether the three send to the same ranks as in one of the last unlike steps. */
static bool is_repeated(struct recent *recent, const struct step *step)
{
    uint64_t hash = step->n_sends + 1;
    for (size_t i = 0; i < step->n_sends; i++) {
        hash ^= (uint64_t)step->sends[i].rank << 32 | step->sends[i].peer;
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (int i = 0; i < REMEMBERED; i++)
        if (recent->hash[i] == hash)
            return true;
    recent->hash[recent->next++ % REMEMBERED] = hash;
    return false;
}

/* Whether operations take from `in` and give to `out`. */
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

/* takes_rows: what ranks copy alike is found once. */
static struct estimate look(const struct binding *binding, double enough, bool takes_rows)
{
    const uint32_t p = binding->n_ranks;
    const uint32_t ranks[3] = {0, p / 2, p - 1};
    struct estimate estimate = {.n_messages = 0};
    struct sample sends = {0}, copies = {0};
    struct recent recent = {{0}, 0};
    double n_routed = 0;
    uint64_t n_steps = 0;
    bool is_independent = true;
    struct diagnostics unread = {0};
    struct step step;
    if (p < FEW_RANKS)
        return estimate;
    struct schedule *schedule = expand_witnesses(binding, ranks, 3, &unread);
    if (schedule)
        schedule->use.takes_rows = takes_rows;
    while (schedule && !estimate.is_at_least && schedule->next(schedule, &step)) {
        const double before = sends.all;
        add_operations(&sends, step.sends, step.n_sends, ranks, NULL);
        add_operations(&copies, step.copies, step.n_copies, ranks, step.rows);
        is_independent = is_independent && are_independent(&step);
        n_steps++;
        end_step(&sends, p);
        end_step(&copies, p);
        n_routed += is_repeated(&recent, &step) ? 0 : sends.all - before;
        estimate.seconds = verify_seconds(binding->topology, n_routed) +
                           (sends.all - n_routed) * REPEATED_SECONDS + copies.all * COPY_SECONDS;
        estimate.is_at_least = estimate.seconds > enough;
    }
    estimate.n_independent = is_independent && schedule && !schedule->failed ? n_steps : 0;
    estimate.n_messages = sends.all;
    estimate.n_copies = copies.all;
    if (2 * sends.most_in_step <= (double)SCHEDULE_MAX_STEP_OPS) /* more are never produced */
        estimate.bytes = sends.most_in_step * MESSAGE_BYTES;
    estimate.bytes += copies.most_in_step * COPY_BYTES;
    estimate.most_in_step = sends.most_in_step + copies.most_in_step;
    if (schedule)
        schedule->destroy(schedule);
    diagnostics_free(&unread);
    return estimate;
}

struct estimate estimate_verification(const struct binding *binding, double enough)
{
    return look(binding, enough, true);
}

enum {
    AS_LONG = 8,       /* as to route messages; copies cost nothing but that they are verified */
    ALIKE_AS_LONG = 4, /* of unlike steps, which are not played */
    AS_MUCH = 2
};

struct estimate estimate_prediction(const struct binding *binding, double enough)
{
    struct estimate estimate = look(binding, enough / AS_LONG, false);
    estimate.seconds += (AS_LONG - 1) * verify_seconds(binding->topology, estimate.n_messages);
    estimate.bytes /= AS_MUCH;
    return estimate;
}

struct estimate estimate_alike(const struct schedule *alike, const struct topology *topology, double enough)
{
    struct estimate estimate = {.n_messages = (double)alike_n_operations(alike) / 2};
    estimate.seconds = ALIKE_AS_LONG * verify_seconds(topology, estimate.n_messages);
    estimate.is_at_least = estimate.seconds > enough;
    return estimate;
}
