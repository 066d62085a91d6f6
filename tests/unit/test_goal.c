/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GOAL as it is written, read again by the grammar of LogGOPSim's scanner and carried out: every
 * send meets a receive of its size, nobody waits for ever, and each rank has the messages that the
 * schedule gives it, in their order, those of a step when those of the steps before are over.
 */
#include "emitters/emit.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 16, MAX_NEEDS = 64 };

struct node {
    char label[LABEL];
    char kind;               /* 's', 'r', 'c' */
    uint32_t rank, peer;
    unsigned long long bytes;
    uint32_t needs[MAX_NEEDS], n_needs;   /* nodes that are to be over */
    uint32_t begun[MAX_NEEDS], n_begun;   /* nodes that are to have begun */
    bool is_begun, is_over;
    uint64_t order;          /* of its beginning */
    uint64_t step;           /* of the schedule, but of a calc */
};

struct goal {
    struct node *nodes;
    uint32_t n;
    size_t capacity;
    uint32_t rank_first;     /* first node of the rank at hand */
    uint32_t n_ranks;
};

static uint32_t find_label(const struct goal *goal, const char *label)
{
    uint32_t node = goal->rank_first;
    while (node < goal->n && strcmp(goal->nodes[node].label, label) != 0)
        node++;
    return node;
}

static bool add_node(struct goal *goal, const char *line, uint32_t rank)
{
    struct node node = {.rank = rank};
    unsigned peer = 0;
    int end = -1;
    if (sscanf(line, "%15[A-Za-z0-9_]: send %llub to %u tag 0%n", node.label, &node.bytes, &peer,
               &end) == 3 &&
        end > 0 && !line[end])
        node.kind = 's';
    else if (sscanf(line, "%15[A-Za-z0-9_]: recv %llub from %u tag 0%n", node.label, &node.bytes, &peer,
                    &end) == 3 && end > 0 && !line[end])
        node.kind = 'r';
    else if (sscanf(line, "%15[A-Za-z0-9_]: calc %llu%n", node.label, &node.bytes, &end) == 2 &&
             end > 0 && !line[end])
        node.kind = 'c';
    else
        return false;
    node.peer = peer;
    if (find_label(goal, node.label) < goal->n)
        return false; /* defined twice */
    goal->nodes = mem_grow(goal->nodes, &goal->capacity, goal->n + 1, sizeof *goal->nodes);
    goal->nodes[goal->n++] = node;
    return true;
}

static bool add_need(struct goal *goal, const char *line)
{
    char label[LABEL], word[LABEL], other[LABEL];
    int end = -1;
    if (sscanf(line, "%15[A-Za-z0-9_] %15[a-z] %15[A-Za-z0-9_]%n", label, word, other, &end) != 3 ||
        line[end])
        return false;
    const uint32_t node = find_label(goal, label), needed = find_label(goal, other);
    if (node == goal->n || needed == goal->n || node == needed)
        return false; /* not defined before it is used */
    struct node *at = &goal->nodes[node];
    if (strcmp(word, "requires") == 0 && at->n_needs < MAX_NEEDS)
        at->needs[at->n_needs++] = needed;
    else if (strcmp(word, "irequires") == 0 && at->n_begun < MAX_NEEDS)
        at->begun[at->n_begun++] = needed;
    else
        return false;
    return true;
}

static bool read_goal(struct goal *goal, char *text)
{
    uint32_t rank = 0;
    bool is_open = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned number;
        if (!goal->n_ranks && sscanf(line, "num_ranks %u", &goal->n_ranks) == 1)
            continue;
        if (sscanf(line, "rank %u {", &number) == 1) {
            if (is_open || number != rank)
                return false;
            is_open = true;
            goal->rank_first = goal->n;
        } else if (strcmp(line, "}") == 0) {
            if (!is_open)
                return false;
            is_open = false;
            rank++;
        } else if (!is_open || (strchr(line, ':') ? !add_node(goal, line, rank)
                                                  : !add_need(goal, line))) {
            return false;
        }
    }
    return !is_open && rank == goal->n_ranks;
}

/* ---- carried out ---- */

static bool may_begin(const struct goal *goal, const struct node *node)
{
    for (uint32_t i = 0; i < node->n_needs; i++)
        if (!goal->nodes[node->needs[i]].is_over)
            return false;
    for (uint32_t i = 0; i < node->n_begun; i++)
        if (!goal->nodes[node->begun[i]].is_begun)
            return false;
    return true;
}

/* True if what the rank of a node sends and receives in earlier steps is over. */
static bool is_in_turn(const struct goal *goal, const struct node *node)
{
    for (const struct node *other = node; other-- > goal->nodes && other->rank == node->rank;)
        if (node->kind != 'c' && other->kind != 'c' && other->step < node->step && !other->is_over)
            return false;
    return true;
}

/* The first that has begun and is not over of that kind from one rank to another. */
static struct node *first_open(struct goal *goal, char kind, uint32_t rank, uint32_t peer)
{
    struct node *first = NULL;
    for (uint32_t i = 0; i < goal->n; i++) {
        struct node *node = &goal->nodes[i];
        if (node->kind == kind && node->rank == rank && node->peer == peer && node->is_begun &&
            !node->is_over && (!first || node->order < first->order))
            first = node;
    }
    return first;
}

/* Rendezvous. Returns the number of nodes that are over at the end. */
static uint32_t carry_out(struct goal *goal)
{
    uint32_t n_over = 0;
    uint64_t order = 0;
    bool is_ordered = true;
    for (bool is_moved = true; is_moved;) {
        is_moved = false;
        for (uint32_t i = 0; i < goal->n; i++) {
            struct node *node = &goal->nodes[i];
            if (!node->is_begun && may_begin(goal, node)) {
                node->is_begun = is_moved = true;
                is_ordered = is_ordered && is_in_turn(goal, node);
                node->order = order++;
                node->is_over = node->kind == 'c';
                n_over += node->is_over;
            }
            if (node->kind != 's' || !node->is_begun || node->is_over)
                continue;
            struct node *send = first_open(goal, 's', node->rank, node->peer);
            struct node *receive = first_open(goal, 'r', node->peer, node->rank);
            if (!receive)
                continue;
            CU_ASSERT_EQUAL(send->bytes, receive->bytes);
            send->is_over = receive->is_over = is_moved = true;
            n_over += 2;
        }
    }
    CU_ASSERT(is_ordered);
    return n_over;
}

/* True if the messages of each rank are those of the schedule, in the order of its steps; notes the steps. */
static bool has_messages_of(struct goal *goal, struct test_scene *scene)
{
    struct step step;
    uint32_t *next = mem_alloc((size_t)goal->n_ranks * 2, sizeof *next); /* [rank][sends, receives] */
    uint64_t n = 0, n_messages = 0, n_steps = 0;
    bool is_right = true;
    for (uint32_t i = 0; i < goal->n; i++)
        n_messages += goal->nodes[i].kind != 'c';
    scene->schedule->rewind(scene->schedule);
    for (; scene->schedule->next(scene->schedule, &step); n_steps++)
        for (int list = 0; list < 2; list++)
            for (size_t i = 0; i < (list ? step.n_receives : step.n_sends); i++, n++) {
                const struct op *op = list ? &step.receives[i] : &step.sends[i];
                uint32_t *at = &next[op->rank * 2 + (uint32_t)list];
                while (*at < goal->n && (goal->nodes[*at].rank != op->rank ||
                                         goal->nodes[*at].kind != (list ? 'r' : 's')))
                    ++*at;
                is_right = is_right && *at < goal->n && goal->nodes[*at].peer == op->peer &&
                           goal->nodes[*at].bytes == (op->n_chunks ? op->n_chunks * 10ull : 1);
                if (*at < goal->n)
                    goal->nodes[*at].step = n_steps;
                ++*at;
            }
    free(next);
    return is_right && n == n_messages;
}

static void check(const struct scene_spec *spec)
{
    struct test_scene scene;
    if (scene_open(&scene, spec)) {
        struct text text = {0};
        struct goal goal = {.n = 0};
        scene.schedule->header.chunk_bytes = 10;
        const struct emit_request request = {.schedule = scene.schedule,
                                             .topology = scene.topology,
                                             .placement = scene.placement};
        CU_ASSERT_PTR_NULL_FATAL(emit_goal(&request, &text));
        const bool is_read = read_goal(&goal, text.data);
        if (!is_read)
            printf("\n%s: GOAL is not understood\n", scene_label(&scene, spec));
        CU_ASSERT(is_read);
        CU_ASSERT_EQUAL(goal.n_ranks, scene.schedule->header.n_ranks);
        CU_ASSERT(has_messages_of(&goal, &scene));
        CU_ASSERT_EQUAL(carry_out(&goal), goal.n);
        free(goal.nodes);
        text_free(&text);
    }
    scene_close(&scene);
}

static void test_all(void)
{
    static const struct scene_spec places[] = {
        {.topology = "star:6"}, {.topology = "star:3", .ranks_per_machine = 2, .root = 4},
        {.topology = "torus:3x3"}};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = IS_SHORT ? i % 3 : 0; k < 3; k += IS_SHORT ? 3 : 1) {
            struct scene_spec spec = places[k];
            spec.algorithm = scene_algorithm(i, name);
            if (spec.algorithm)
                check(&spec);
        }
}

UNIT_PROGRAM(test_goal)
{
    CU_TestInfo tests[] = {{"GOAL, read and carried out", test_all}, CU_TEST_INFO_NULL};
    return run_suite("goal", tests);
}
