/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the verifier's word on buffers for schedules that end in a deadlock (verify/buffering.c)
 * with a search of all orders. The schedules are random and small: a few ranks, messages of
 * random sizes, sent and received in random steps.
 */
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 4, MAX_MESSAGES = 12, MAX_STEPS = 4 };

/* Message k of a pair of ranks is sent and received as the k-th there. */
struct message {
    uint32_t from, to, size;
    uint64_t sent, received; /* steps */
};

struct puzzle {
    uint32_t n_ranks, n;
    struct message messages[MAX_MESSAGES];
};

/* ---- random schedules ---- */

static void sort_two(uint64_t steps[2])
{
    if (steps[0] > steps[1]) {
        const uint64_t step = steps[0];
        steps[0] = steps[1];
        steps[1] = step;
    }
}

static void add_pair(struct puzzle *puzzle, uint32_t from, uint32_t to, uint64_t *random)
{
    uint64_t sent[2], received[2];
    const uint64_t n = random_below(random, 5) / 2;
    for (size_t i = 0; i < 2; i++) {
        sent[i] = random_below(random, MAX_STEPS);
        received[i] = random_below(random, MAX_STEPS);
    }
    if (n == 2) {
        sort_two(sent);
        sort_two(received);
    }
    for (uint64_t i = 0; i < n && puzzle->n < MAX_MESSAGES; i++)
        puzzle->messages[puzzle->n++] = (struct message){
            from, to, 1 + (uint32_t)random_below(random, 3), sent[i], received[i]};
}

static void make_puzzle(struct puzzle *puzzle, uint64_t *random)
{
    *puzzle = (struct puzzle){.n_ranks = 2 + (uint32_t)random_below(random, MAX_RANKS - 1)};
    for (uint32_t from = 0; from < puzzle->n_ranks; from++)
        for (uint32_t to = 0; to < puzzle->n_ranks; to++)
            if (from != to || random_below(random, 4) == 0)
                add_pair(puzzle, from, to, random);
}

static bool verify_puzzle(const struct puzzle *puzzle, struct verify_report *report)
{
    struct oplist list = {.header = {.collective = COLLECTIVE_allgather, .algorithm = "random",
                                     .n_ranks = puzzle->n_ranks, .segments = 1, .n_tmp = 4}};
    const struct verify_request request = {.topology = NULL};
    struct reference engine;
    for (uint32_t i = 0; i < puzzle->n; i++) {
        const struct message *m = &puzzle->messages[i];
        const struct op send = {.rank = m->from, .peer = m->to, .n_chunks = m->size,
                                .kind = OP_SEND, .buffer = BUFFER_TMP};
        const struct op receive = {.rank = m->to, .peer = m->from, .n_chunks = m->size,
                                   .kind = OP_RECV, .buffer = BUFFER_TMP};
        oplist_append(&list, m->sent, send);
        oplist_append(&list, m->received, receive);
    }
    struct schedule *schedule = oplist_schedule(&list);
    CU_ASSERT_FATAL(engine_verify(schedule, &request, &engine));
    CU_ASSERT(agree(schedule, &request, "random messages"));
    *report = engine.report;
    engine_free(&engine);
    schedule->destroy(schedule);
    oplist_free(&list);
    return report->is_matched && report->waiting != WAITING_NONE;
}

/* ---- all orders ---- */

struct search {
    const struct puzzle *puzzle;
    uint64_t room;
    bool is_seen[1 << MAX_MESSAGES]; /* [messages that were put into a buffer, a bit each] */
    uint64_t at[MAX_RANKS];          /* step a rank is in; MAX_STEPS: done */
};

/* True if the rank has posted the step. */
static bool has_posted(const struct search *search, uint32_t rank, uint64_t step)
{
    return search->at[rank] >= step;
}

/* True if nothing of a rank's step waits. */
static bool is_over(const struct search *search, uint32_t rank, uint32_t buffered)
{
    for (uint32_t i = 0; i < search->puzzle->n; i++) {
        const struct message *m = &search->puzzle->messages[i];
        if (m->from == rank && m->sent == search->at[rank] && !(buffered >> i & 1) &&
            !has_posted(search, m->to, m->received))
            return false;
        if (m->to == rank && m->received == search->at[rank] && !has_posted(search, m->from, m->sent))
            return false;
    }
    return true;
}

/* Runs the ranks as far as they come when these messages were put into buffers. */
static bool run_ranks(struct search *search, uint32_t buffered)
{
    uint32_t n_done = 0;
    memset(search->at, 0, sizeof search->at);
    for (bool is_moved = true; is_moved;) {
        is_moved = false;
        n_done = 0;
        for (uint32_t rank = 0; rank < search->puzzle->n_ranks; rank++) {
            if (search->at[rank] == MAX_STEPS) {
                n_done++;
            } else if (is_over(search, rank, buffered)) {
                search->at[rank]++;
                is_moved = true;
            }
        }
    }
    return n_done == search->puzzle->n_ranks;
}

static uint64_t held_at(const struct search *search, uint32_t rank, uint32_t buffered)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < search->puzzle->n; i++) {
        const struct message *m = &search->puzzle->messages[i];
        if ((buffered >> i & 1) && m->to == rank && !has_posted(search, rank, m->received))
            sum += m->size;
    }
    return sum;
}

/* The messages that could be put into a buffer next. */
static uint32_t choices(const struct search *search, uint32_t buffered)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < search->puzzle->n; i++) {
        const struct message *m = &search->puzzle->messages[i];
        const bool waits = has_posted(search, m->from, m->sent) &&
                           !has_posted(search, m->to, m->received) && !(buffered >> i & 1);
        if (waits && held_at(search, m->to, buffered) + m->size <= search->room)
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

/* True if an order that begins with these ends in a deadlock. */
static bool find_deadlock(struct search *search, uint32_t buffered)
{
    if (search->is_seen[buffered])
        return false;
    search->is_seen[buffered] = true;
    if (run_ranks(search, buffered))
        return false;
    const uint32_t mask = choices(search, buffered);
    bool is_found = mask == 0;
    for (uint32_t i = 0; i < search->puzzle->n && !is_found; i++)
        if (mask >> i & 1)
            is_found = find_deadlock(search, buffered | UINT32_C(1) << i);
    return is_found;
}

static bool may_deadlock(const struct puzzle *puzzle, uint64_t room)
{
    static struct search search;
    memset(&search, 0, sizeof search);
    search.puzzle = puzzle;
    search.room = room;
    return find_deadlock(&search, 0);
}

/* ---- both ---- */

enum { ALL = 3 * MAX_MESSAGES }; /* room for everything */

static bool is_right(const struct puzzle *puzzle, const struct verify_report *report)
{
    if (report->eager == EAGER_IN_VAIN)
        return report->waiting == WAITING_CERTAIN && may_deadlock(puzzle, ALL) && !report->eager_chunks;
    bool right = report->eager == EAGER_HELPS && report->waiting == WAITING_POSSIBLE &&
                 report->eager_chunks_least <= report->eager_chunks &&
                 may_deadlock(puzzle, report->eager_chunks_least - 1);
    for (uint64_t room = report->eager_chunks; room <= ALL; room++)
        right = right && !may_deadlock(puzzle, room);
    return right;
}

static void test_random(void)
{
    uint64_t random = 20260101;
    uint32_t n_helped = 0, n_in_vain = 0, n_exact = 0, n_wrong = 0;
    for (uint32_t i = 0; i < (is_least() ? 800 : 8000); i++) {
        struct puzzle puzzle;
        struct verify_report report;
        make_puzzle(&puzzle, &random);
        if (!verify_puzzle(&puzzle, &report))
            continue;
        n_wrong += !is_right(&puzzle, &report);
        n_helped += report.eager == EAGER_HELPS;
        n_in_vain += report.eager == EAGER_IN_VAIN;
        n_exact += report.eager == EAGER_HELPS && report.eager_chunks_least == report.eager_chunks;
    }
    printf("\n    %u deadlocks that buffers end, the two bounds equal in %u; %u that they do not;",
           n_helped, n_exact, n_in_vain);
    CU_ASSERT(n_wrong == 0);
    CU_ASSERT(n_helped > enough(1000) && n_in_vain > enough(1000));
    CU_ASSERT(n_exact > n_helped / 2);
}

UNIT_PROGRAM(test_buffers)
{
    CU_TestInfo tests[] = {{"random messages", test_random}, CU_TEST_INFO_NULL};
    return run_suite("buffers", tests);
}
