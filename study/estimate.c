/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See estimate.h.
 */
#include "study/estimate.h"

#include <string.h>

/* Of fewer ranks three are too large a part. */
enum { FEW_RANKS = 64 };
/* That a message of a step takes, both ends, its data and its flow; a rule of thumb from measurements. */
enum { BYTES = 400 };

/* Messages of all ranks, if the others are like the middle one and the last; what the first does, such as a
 * root, it does alone. */
static double messages_of_all(uint32_t n_ranks, const uint64_t sent[3])
{
    return (double)sent[0] + (double)(sent[1] + sent[2]) / 2 * (n_ranks - 1);
}

struct estimate estimate_verification(const struct binding *binding, double enough)
{
    const uint32_t p = binding->n_ranks;
    const uint32_t ranks[3] = {0, p / 2, p - 1};
    struct estimate estimate = {.n_messages = 0};
    struct diagnostics unread = {0};
    uint64_t sent[3] = {0}, before[3], in_step[3];
    struct step step;
    if (p < FEW_RANKS)
        return estimate;
    struct schedule *schedule = expand_witnesses(binding, ranks, 3, &unread);
    while (schedule && !estimate.is_at_least && schedule->next(schedule, &step)) {
        memcpy(before, sent, sizeof before);
        for (size_t i = 0; i < step.n_sends; i++)
            for (int k = 0; k < 3; k++)
                sent[k] += step.sends[i].rank == ranks[k];
        for (int k = 0; k < 3; k++)
            in_step[k] = sent[k] - before[k];
        const double n_in_step = messages_of_all(p, in_step);
        estimate.most_in_step = n_in_step > estimate.most_in_step ? n_in_step : estimate.most_in_step;
        estimate.n_messages = messages_of_all(p, sent);
        estimate.seconds = verify_seconds(binding->topology, estimate.n_messages);
        estimate.is_at_least = estimate.seconds > enough;
    }
    if (2 * estimate.most_in_step <= (double)SCHEDULE_MAX_STEP_OPS) /* more are never produced */
        estimate.bytes = estimate.most_in_step * BYTES;
    if (schedule)
        schedule->destroy(schedule);
    diagnostics_free(&unread);
    return estimate;
}

struct estimate estimate_prediction(const struct binding *binding, double enough)
{
    enum { AS_LONG = 8, AS_MUCH = 2 }; /* the same */
    struct estimate estimate = estimate_verification(binding, enough / AS_LONG);
    estimate.seconds *= AS_LONG;
    estimate.bytes /= AS_MUCH;
    return estimate;
}
