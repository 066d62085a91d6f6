/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the messages of two schedules of one collective: from which rank to which other one, and what is
 * in them. Their order, steps, places in buffers and the order of blocks in a message do not matter. What is
 * in a message is which parts of which blocks, and of a reduction whose contributions, in whatever brackets.
 * Both are played chunk by chunk, so this is for schedules of few ranks.
 */
#ifndef COLLC_STUDY_SAME_MESSAGES_H
#define COLLC_STUDY_SAME_MESSAGES_H

#include "ir/schedule.h"

struct same_messages {
    uint64_t n[2], n_same;     /* messages of each, and of both */
    uint64_t n_other_empty[2]; /* of those of one alone: messages without data */
    bool is_comparable;        /* both could be played to their ends, within the work allowed */
    struct text witness;       /* a message of one alone, in words; none if there is none. To be freed */
};

/* Compares them; `names` are for the witness, `elements` are those of a block, which segments do not cut; 0:
 * segments are cut evenly. Rewinds both. O(messages * log + chunks of messages) time, memory
 * O(ranks * chunks of buffers + operations). */
struct same_messages messages_compare(struct schedule *const schedules[2], const char *const names[2],
                                      uint64_t elements);
/* True if all messages are the same. */
static inline bool messages_are_same(const struct same_messages *same)
{
    return same->is_comparable && same->n[0] == same->n_same && same->n[1] == same->n_same;
}

#endif
