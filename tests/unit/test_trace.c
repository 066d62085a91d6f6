/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules of what ranks recorded: traces of Open MPI (tests/data/traces) become right schedules with the
 * messages of the library's algorithms; traces by hand show steps, segments, copies and what cannot be told.
 */
#include "study/same_messages.h"
#include "study/scene.h"
#include "study/trials.h"
#include "suite.h"
#include "tuning/trace/recorded.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RANKS = 8 };

struct traces {
    struct arena arena;
    struct trace traces[MOST_RANKS];
    uint32_t n;
    bool is_read;
    enum collective_form form; /* with unequal counts */
    struct counts *counts;
};

/* Reads the traces of the ranks, with "-----" between them. */
static struct traces read_ranks(const char *text)
{
    struct traces read = {.is_read = true};
    while (text && read.n < MOST_RANKS) {
        const char *end = strstr(text, "-----\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        const struct source *source = source_of_text("trace", text, length, &read.arena);
        read.is_read &= trace_read(source, &read.traces[read.n++], &read.arena);
        text = end ? end + 6 : NULL;
    }
    return read;
}

static struct recorded make_call(struct traces *read, size_t call, bool is_ordered)
{
    const struct trace_call *calls[MOST_RANKS];
    struct recorded recorded = {0};
    for (uint32_t rank = 0; rank < read->n; rank++) {
        CU_ASSERT_FATAL(call < read->traces[rank].n);
        calls[rank] = &read->traces[rank].calls[call];
    }
    const struct recorded_request request = {.calls = calls,
                                             .n_ranks = read->n,
                                             .title = "test",
                                             .is_ordered = is_ordered,
                                             .form = read->form,
                                             .counts = read->counts};
    recorded_make(&request, &recorded, &read->arena);
    return recorded;
}

/* ---- traces of an MPI ---- */

static const struct {
    const char *like;
    uint32_t root, segments;
    bool is_ordered;
    int64_t cut; /* the parameter `segments` of the algorithm; 0: none */
} known[] = {{"allreduce/ring", 0, 5, false, 0},        {"allgather/bruck", 0, 1, false, 0},
             {"alltoall/bruck", 0, 1, false, 0},        {"alltoall/linear", 0, 1, false, 0},
             {"reduce/linear", 3, 1, true, 0},          {"bcast/pipeline", 2, 4, false, 4},
             {"barrier/dissemination", 0, 1, false, 0}, {"scan/recursive_doubling", 0, 1, false, 0},
             {"gather/binomial", 4, 1, false, 0},       {"reduce_scatter_block/butterfly", 0, 1, false, 0},
             {"scatter/binomial", 1, 1, false, 0}};
enum { N_KNOWN = sizeof known / sizeof *known };

/* Returns the number of the verifier's errors. */
static uint64_t count_errors(struct schedule *schedule, uint32_t n_ranks)
{
    struct diagnostics findings = {0};
    struct trial_run run = {.most_work = UINT64_MAX};
    struct placement *placement = placement_by_slots(n_ranks, 1, false);
    trial_run_schedule(&run, schedule, placement, &findings);
    const uint64_t n = findings.n_of_severity[SEVERITY_ERROR];
    if (n)
        printf("%s\n", findings.first->message);
    placement_free(placement);
    diagnostics_free(&findings);
    return n;
}

static void compare_with_library(struct schedule *schedule, size_t i, const char *name, bool is_same)
{
    struct diagnostics diagnostics = {0};
    const struct placement_request where = {.n_ranks = schedule->header.n_ranks};
    const struct parameter_setting setting = {.name = "segments", .value = known[i].cut};
    struct scene scene = {.settings = &setting, .n_settings = known[i].cut > 0};
    CU_ASSERT_FATAL(scene_read(&scene, name, &diagnostics) && scene_place(&scene, &where, &diagnostics) &&
                    scene_bind(&scene, known[i].root, &diagnostics) && scene_expand(&scene, &diagnostics));
    struct schedule *const both[] = {schedule, scene.schedule};
    const char *const names[] = {"recorded", name};
    struct same_messages same = messages_compare(both, names, 0);
    CU_ASSERT(same.is_comparable && messages_are_same(&same) == is_same);
    CU_ASSERT((same.witness.length == 0) == is_same);
    if (messages_are_same(&same) != is_same)
        printf("%s: %s\n", name, same.witness.length ? same.witness.data : "no difference");
    text_free(&same.witness);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

static const char *other_algorithm(const char *name)
{
    return strcmp(name, "alltoall/linear") == 0 ? "alltoall/bruck" : "alltoall/linear";
}

static void test_real(void)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *file = source_read("tests/data/traces/ompi-5", 1 << 20, &arena, &diagnostics);
    CU_ASSERT_FATAL(file != NULL);
    struct traces read = read_ranks(file->text);
    CU_ASSERT_FATAL(read.is_read && read.n == 5);
    for (size_t i = 0; i < N_KNOWN; i++) {
        struct recorded recorded = make_call(&read, i, known[i].is_ordered);
        CU_ASSERT_FATAL(recorded.problem == NULL);
        CU_ASSERT(recorded.segments == known[i].segments && recorded.n_buffered == 0);
        const struct source *source =
            source_of_text("recorded", recorded.file.data, recorded.file.length, &read.arena);
        struct schedule *schedule = schedule_read(source, &diagnostics);
        CU_ASSERT_FATAL(schedule != NULL);
        CU_ASSERT(count_errors(schedule, read.n) == 0);
        compare_with_library(schedule, i, known[i].like, true);
        if (strncmp(known[i].like, "alltoall/", 9) == 0)
            compare_with_library(schedule, i, other_algorithm(known[i].like), false);
        schedule->destroy(schedule);
        text_free(&recorded.file);
    }
    arena_free(&read.arena);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

/* ---- traces by hand ---- */

/* Rank 0 and rank 1 of a bcast of two elements from rank 0, with these events. */
#define BCAST(events_0, events_1, end_1)                                                                     \
    "call 2 0 2 bcast\nbuffer in 0 0\nbuffer out 100 2\n" events_0 "end 100:2:10000000000\n-----\n"          \
    "call 2 0 2 bcast\nbuffer in 0 0\nbuffer out 100 2\n" events_1 "end " end_1 "\n"

static void check_file(const char *text, const char *file)
{
    struct traces read = read_ranks(text);
    CU_ASSERT_FATAL(read.is_read);
    struct recorded recorded = make_call(&read, 0, false);
    CU_ASSERT(recorded.problem == NULL);
    if (recorded.problem)
        printf("%s\n", recorded.problem);
    CU_ASSERT_FATAL(recorded.file.data != NULL);
    CU_ASSERT_STRING_EQUAL(strstr(recorded.file.data, "segments"), file);
    text_free(&recorded.file);
    arena_free(&read.arena);
}

static void test_by_hand(void)
{
    check_file(BCAST("send 0 1 k 2 100:2:10000000000\ndone 0 -\n",
                     "recv 0 k 2 100:2\ndone 0 - 100:2:10000000000\n", "100:2:10000000000"),
               "segments 1\nchunk-bytes 16\nstep 0\n0 send buf[0] to 1\n1 recv buf[0] from 0\nend\n");
    /* Two messages that are posted together are in one step, in segments. */
    check_file(
        BCAST("send 0 1 k 1 100:1:10000000000\nsend 1 1 k 1 108:1:10000000001\ndone 0 -\ndone 1 -\n",
              "recv 0 k 1 100:1\nrecv 1 k 1 108:1\ndone 0 - 100:1:10000000000\ndone 1 - 108:1:10000000001\n",
              "100:2:10000000000"),
        "segments 2\nchunk-bytes 8\nstep 0\n0 send buf[0] to 1\n0 send buf[1] to 1\n1 recv buf[0] from 0\n"
        "1 recv buf[1] from 0\nend\n");
    /* A rank that waits between them makes two steps. */
    check_file(
        BCAST("send 0 1 k 1 100:1:10000000000\ndone 0 -\nsend 1 1 k 1 108:1:10000000001\ndone 1 -\n",
              "recv 0 k 1 100:1\nrecv 1 k 1 108:1\ndone 0 - 100:1:10000000000\ndone 1 - 108:1:10000000001\n",
              "100:2:10000000000"),
        "segments 2\nchunk-bytes 8\nstep 0\n0 send buf[0] to 1\n1 recv buf[0] from 0\nstep 1\n"
        "0 send buf[1] to 1\n1 recv buf[1] from 0\nend\n");
    /* A message that is received aside is copied to its place; parts that lie apart are packed. */
    check_file(BCAST("send 0 1 k 2 108:1:10000000001 100:1:10000000000\ndone 0 -\n",
                     "recv 0 k 2 900:2\ndone 0 - 900:1:10000000001 908:1:10000000000\n", "100:2:10000000000"),
               "segments 2\ntmp 2\nchunk-bytes 8\nstep 0\n0 copy buf[1] to tmp[0]\n0 copy buf[0] to tmp[1]\n"
               "0 send tmp[0..1] to 1\n1 recv tmp[0..1] from 0\nstep 1\n1 copy tmp[1] to buf[0]\n"
               "1 copy tmp[0] to buf[1]\nend\n");
    /* The key of a receive from anybody is known at its end. */
    check_file(BCAST("send 0 1 k 2 100:2:10000000000\ndone 0 -\n",
                     "recv 0 * 2 100:2\ndone 0 k 100:2:10000000000\n", "100:2:10000000000"),
               "segments 1\nchunk-bytes 16\nstep 0\n0 send buf[0] to 1\n1 recv buf[0] from 0\nend\n");
}

/* An allgatherv of 8 and 16 bytes. Rank 1 receives aside: that chunk of `tmp` is as large as out[0]. */
static void test_counts(void)
{
    static const char head[] =
        "collc-schedule 1\ncollective allgatherv\nalgorithm test\nranks 2\ntmp 1\n"
        "counts 8 16\nlike out[0]\nstep 0\n0 copy in[0] to out[0]\n0 send out[0] to 1\n";
    static const char text[] =
        "call 2 0 1 allgatherv\nbuffer in 10 1\nbuffer out 100 3\nsend 0 1 a 1 100:1:10000000000\n"
        "recv 1 b 2 108:2\ndone 0 -\ndone 1 - 108:2:20000000000\nend 100:1:10000000000 "
        "108:2:20000000000\n-----\n"
        "call 2 0 1 allgatherv\nbuffer in 10 2\nbuffer out 100 3\nrecv 0 a 1 900:1\n"
        "send 1 0 b 2 10:2:20000000000\ndone 0 - 900:1:10000000000\ndone 1 -\n"
        "end 100:1:10000000000 108:2:20000000000\n";
    struct traces read = read_ranks(text);
    struct diagnostics diagnostics = {0};
    struct counts_runs *counts = counts_new();
    counts_add(counts, 8, 1);
    counts_add(counts, 16, 1);
    read.form = FORM_allgatherv;
    read.counts = &counts->counts;
    struct recorded recorded = make_call(&read, 0, false);
    CU_ASSERT_FATAL(read.is_read && recorded.problem == NULL && recorded.file.data != NULL);
    CU_ASSERT(strncmp(recorded.file.data, head, strlen(head)) == 0);
    if (strncmp(recorded.file.data, head, strlen(head)) != 0)
        printf("%s", recorded.file.data);
    struct schedule *schedule = schedule_read(
        source_of_text("recorded", recorded.file.data, recorded.file.length, &read.arena), &diagnostics);
    CU_ASSERT_FATAL(schedule != NULL);
    CU_ASSERT(count_errors(schedule, 2) == 0);
    schedule->destroy(schedule);
    text_free(&recorded.file);
    /* with counts that are not those of the buffers */
    counts_add(counts, 8, 1);
    counts->runs[1].bytes = 24;
    recorded = make_call(&read, 0, false);
    CU_ASSERT(recorded.problem && strstr(recorded.problem, "another buffer"));
    text_free(&recorded.file);
    counts->counts.destroy(&counts->counts);
    arena_free(&read.arena);
    diagnostics_free(&diagnostics);
}

/* Both ranks wait for a send before they receive: one of the messages has been buffered. */
static void test_buffered(void)
{
    struct traces read =
        read_ranks("call 2 0 0 barrier\nsend 0 1 a 0\ndone 0 -\nrecv 1 b 0\ndone 1 -\nend\n-----\n"
                   "call 2 0 0 barrier\nsend 0 0 b 0\ndone 0 -\nrecv 1 a 0\ndone 1 -\nend\n");
    CU_ASSERT_FATAL(read.is_read);
    struct recorded recorded = make_call(&read, 0, false);
    CU_ASSERT(recorded.problem == NULL && recorded.n_buffered == 1 && recorded.n_messages == 2);
    text_free(&recorded.file);
    arena_free(&read.arena);
}

static void check_problem(const char *text, const char *words)
{
    struct traces read = read_ranks(text);
    CU_ASSERT_FATAL(read.is_read);
    struct recorded recorded = make_call(&read, 0, false);
    CU_ASSERT_FATAL(recorded.problem != NULL);
    CU_ASSERT(strstr(recorded.problem, words) != NULL);
    if (!strstr(recorded.problem, words))
        printf("'%s' for '%s'\n", recorded.problem, words);
    text_free(&recorded.file);
    arena_free(&read.arena);
}

static void test_problems(void)
{
    check_problem(BCAST("", "", "100:2:10000000000"), "no message brought it");
    check_problem(BCAST("send 0 1 k 2 100:2:10000000000\ndone 0 -\n", "", "100:1:0 108:1:0"), "was not seen");
    check_problem(BCAST("", "recv 0 k 2 100:2\ndone 0 - 100:2:0\n", "100:1:0 108:1:0"), "was not seen");
    check_problem(
        BCAST("send 0 1 k 1 900:1:7\ndone 0 -\n", "recv 0 k 1 900:1\ndone 0 - 900:1:7\n", "100:1:0 108:1:0"),
        "none of the data");
    check_problem(BCAST("send 0 1 k 2 100:2:10000000000\n", "recv 0 k 1 100:1\n", "100:1:0 108:1:0"),
                  "more than it takes");
    check_problem(BCAST("lost a message of odd size\n", "", "100:2:10000000000"), "a message of odd size");
    check_problem("call 2 0 2 bcast\nfails\n-----\ncall 2 0 2 bcast\nend\n", "an error at rank 0");
    check_problem("call 2 0 2 bcast\nend\n-----\ncall 2 0 2 gather\nend\n", "not of one call");
    check_problem(BCAST("done 5 -\n", "", "100:1:0 108:1:0"), "has not begun");
}

static void test_not_read(void)
{
    static const char *const wrong[] = {"end\n",
                                        "call 2 0 2 bcast\n",
                                        "call 2 0 2 bcast\nend",
                                        "call 2 0 x bcast\nend\n",
                                        "call 2 0 2 bcast\nsend 0 1 k 2 100:1:1\nend\n",
                                        "call 2 0 2 bcast\nsend 0 1 * 0\nend\n",
                                        "call 2 0 2 bcast\nrecv 0 k 1 100\nend\n",
                                        "call 2 0 2 bcast\nend 100:0:1\n",
                                        "call 2 0 2 bcast\ncall 2 0 2 bcast\nend\n",
                                        "call 2 0 2 bcast\nend 100:99999999999999999999:1\n",
                                        "call 2 0 2 bcast\nsnd 0\nend\n",
                                        "call 2 0 2 bcast\nend\nsend 0 1 k 0\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct traces read = read_ranks(wrong[i]);
        CU_ASSERT(!read.is_read && read.traces[0].problem != NULL);
        if (read.is_read)
            printf("read: %s", wrong[i]);
        arena_free(&read.arena);
    }
}

UNIT_PROGRAM(test_trace)
{
    CU_TestInfo tests[] = {{"traces of an MPI", test_real},
                           {"traces by hand", test_by_hand},
                           {"unequal counts", test_counts},
                           {"a message that is buffered", test_buffered},
                           {"what cannot be told", test_problems},
                           {"what is no trace", test_not_read},
                           CU_TEST_INFO_NULL};
    return run_suite("trace", tests);
}
