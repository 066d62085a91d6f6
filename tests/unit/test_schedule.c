/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text form of schedules: what is printed reads back to the same
 * operations and prints the same bytes; what is not a schedule is refused with a
 * code and a place.
 */
#include "tests/unit/suite.h"
#include "base/codes.h"
#include "base/embedded.h"
#include "network/formats/formats.h"
#include "study/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

/* A schedule read from text, with what it stands on. */
struct reading {
    struct arena arena;
    struct diagnostics diagnostics;
    struct schedule *schedule;
};

static void open_reading(struct reading *reading, const char *text, size_t length)
{
    reading->schedule = schedule_read(source_of_text("test.sched", text, length, &reading->arena),
                                      &reading->diagnostics);
}

static void close_reading(struct reading *reading)
{
    if (reading->schedule)
        reading->schedule->destroy(reading->schedule);
    diagnostics_free(&reading->diagnostics);
    arena_free(&reading->arena);
}

/* Reads `text` and prints it to `out`; false if it was refused. */
static bool print_again(const char *text, struct text *out)
{
    struct reading reading = {0};
    open_reading(&reading, text, strlen(text));
    bool done = reading.schedule && schedule_print(reading.schedule, append, out);
    if (!done) {
        struct text messages = {0};
        diagnostics_print(&reading.diagnostics, &messages, false);
        fprintf(stderr, "%s", messages.data ? messages.data : "no message\n");
        text_free(&messages);
    }
    close_reading(&reading);
    return done;
}

/* --- round trips ------------------------------------------------------- */

#define HEAD "collc-schedule 1\ncollective alltoall\nalgorithm by_hand\nranks 3\n"

/* Printed form: must come back byte for byte. */
static const char *const canonical[] = {
    HEAD "end\n",
    HEAD "step 0\nstep 1\nend\n",
    HEAD "tmp 2\nchunk-bytes 18446744073709551615\nstep 0\n0 copy in[0..1] to tmp[0..1]\n"
         "0 send in[0] to 0\n0 send in[0..2] to 2 via 255\n0 recv out[0] from 0\n1 send to 2\n"
         "1 recv from 2 via 1\n2 copy tmp[1] to out[2]\nstep 1\n2 recv out[2] from 0\nend\n",
    HEAD "topology \"torus:3\" 0x00000000deadbeef\nend\n",
    HEAD "segments 4\ntmp 2\nlike out[4] out[3]\nstep 0\n0 copy in[11] to tmp[1]\nend\n",
    HEAD "topology \"a \\\"b\\\" \\\\ \\x0ac\\x7f\" 0xffffffffffffffff\nplacement 0x1 5x1 0x1\nend\n",
    HEAD "topology \"\xc3\xa9 \\xc3x \\xff\" 0x0000000000000001\nend\n",
    "collc-schedule 1\ncollective bcast\nalgorithm \"two words\"\nranks 4\nroot 3\nsegments 9\n"
    "step 0\n0 recv buf[0..8] from 3\n3 send buf[0..8] to 0\nend\n",
    "collc-schedule 1\ncollective allreduce\nalgorithm x\nranks 2\nsegments 1\nstep 0\n"
    "0 send buf[0] to 1\n0 reduce buf[0] from 1\n1 send buf[0] to 0\n1 recv buf[0] from 0\nend\n",
    "collc-schedule 1\ncollective barrier\nalgorithm x\nranks 1\nstep 0\n0 send to 0\n"
    "0 recv from 0\nend\n",
};

static void test_canonical(void)
{
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        struct text out = {0};
        CU_ASSERT_TRUE(print_again(canonical[i], &out));
        CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", canonical[i]);
        text_free(&out);
    }
}

/* Comments, blanks, other orders of header lines and operations are accepted. */
static void test_free_form(void)
{
    const char *text = "# made by hand\n\n  collc-schedule 1 # version\r\nranks 2\nalgorithm x\n"
                       "collective alltoall\n\nstep 0\n1  recv   out[0..0]\tfrom 0\n"
                       "  0 send in[1] to 1# last\n1 copy in[1] to out[1]\n0 copy in[0] to out[0]\nend";
    const char *expected = "collc-schedule 1\ncollective alltoall\nalgorithm x\nranks 2\nstep 0\n"
                           "0 copy in[0] to out[0]\n0 send in[1] to 1\n1 copy in[1] to out[1]\n"
                           "1 recv out[0] from 0\nend\n";
    struct text out = {0};
    CU_ASSERT_TRUE(print_again(text, &out));
    CU_ASSERT_STRING_EQUAL(out.data ? out.data : "", expected);
    text_free(&out);
}

static bool same_array(const struct op *a, size_t n_a, const struct op *b, size_t n_b)
{
    bool same = n_a == n_b;
    for (size_t i = 0; same && i < n_a; i++)
        same = a[i].rank == b[i].rank && a[i].peer == b[i].peer && a[i].chunk == b[i].chunk &&
               a[i].n_chunks == b[i].n_chunks && a[i].kind == b[i].kind &&
               (!a[i].n_chunks || a[i].buffer == b[i].buffer) && a[i].to_buffer == b[i].to_buffer;
    return same;
}

/* Both in the order of the printed form. */
static bool same_steps(struct schedule *a, struct schedule *b)
{
    struct step one, other;
    bool same = true;
    b->rewind(b);
    a->rewind(a);
    while (same && a->next(a, &one))
        same = b->next(b, &other) && one.index == other.index &&
               same_array(one.sends, one.n_sends, other.sends, other.n_sends) &&
               same_array(one.receives, one.n_receives, other.receives, other.n_receives) &&
               same_array(one.copies, one.n_copies, other.copies, other.n_copies);
    return same && !b->next(b, &other);
}

static bool same_header(const struct schedule_header *a, const struct schedule_header *b)
{
    bool same = a->collective == b->collective && strcmp(a->algorithm, b->algorithm) == 0 &&
                a->n_ranks == b->n_ranks && a->root == b->root && a->segments == b->segments &&
                a->n_tmp == b->n_tmp && a->chunk_bytes == b->chunk_bytes &&
                !a->topology == !b->topology && a->fingerprint == b->fingerprint &&
                !a->machine == !b->machine;
    if (same && a->topology)
        same = strcmp(a->topology, b->topology) == 0;
    if (same && a->machine)
        same = memcmp(a->machine, b->machine, a->n_ranks * sizeof *a->machine) == 0;
    return same;
}

/* Text -> schedule -> text of one expansion; the second reading must have the
 * same operations in the same arrays. */
static bool round_trip(struct schedule *schedule, const char *label)
{
    struct text once = {0}, twice = {0};
    struct reading first = {0}, second = {0};
    bool same = schedule_print(schedule, append, &once);
    open_reading(&first, once.data, once.length);
    same = same && first.schedule && schedule_print(first.schedule, append, &twice) &&
           once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0 &&
           same_header(&schedule->header, &first.schedule->header);
    if (same) {
        open_reading(&second, twice.data, twice.length);
        same = second.schedule && same_steps(first.schedule, second.schedule);
    }
    if (!same)
        fprintf(stderr, "%s: comes back different:\n%.2000s\n", label, once.data);
    close_reading(&first);
    close_reading(&second);
    text_free(&once);
    text_free(&twice);
    return same;
}

static bool round_trip_of(const struct embedded_file *file, const char *shape, unsigned *n_done)
{
    struct diagnostics diagnostics = {0};
    struct scene scene = {.bytes = 4096};
    const struct placement_request where = {.ranks_per_machine = strchr(shape, 'x') ? 1 : 3,
                                            .rule = strchr(shape, 'x') ? NULL : "cyclic"};
    scene.topology = scene.owned.topology = topology_read(shape, &diagnostics);
    bool same = scene_read_builtin(&scene, file, FORM_EQUAL, &diagnostics) &&
                scene_place(&scene, &where, &diagnostics);
    if (same && scene_bind(&scene, 2, &diagnostics)) {
        same = scene_expand(&scene, &diagnostics) && round_trip(scene.schedule, file->path);
        ++*n_done;
    }
    same = same && (scene.binding || diagnostics.n_of_code[CODE_E009]);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return same;
}

static void test_expanded(void)
{
    static const char *const shapes[] = {"star:5", "torus:5x5", "star:8", "fattree:4x2"};
    unsigned n_done = 0;
    for (size_t i = 0; i < n_embedded_files; i++)
        for (size_t k = 0; strstr(embedded_files[i].path, ".coll") && k < 4; k++)
            CU_ASSERT_TRUE(round_trip_of(&embedded_files[i], shapes[k], &n_done));
    CU_ASSERT_TRUE(n_done > 30);
}

/* --- the sort by rank --------------------------------------------------- */

/* A schedule of one step over given operations. */
struct one_step {
    struct schedule schedule;
    struct step step;
    bool is_given;
};

static bool give_once(struct schedule *schedule, struct step *step)
{
    struct one_step *one = (struct one_step *)schedule;
    bool is_new = !one->is_given;
    *step = one->step;
    one->is_given = true;
    return is_new;
}

static void give_again(struct schedule *schedule)
{
    ((struct one_step *)schedule)->is_given = false;
}

/* Ranks of two digits of the radix sort, in falling order, each with two sends
 * that must keep theirs. */
static void test_order(void)
{
    enum { N = 6000 };
    struct op *ops = mem_alloc(N, sizeof *ops);
    struct text out = {0};
    for (uint32_t i = 0; i < N; i++)
        ops[i] = (struct op){.rank = 700 * (N / 2 - i % (N / 2)), .peer = i, .kind = OP_SEND};
    struct one_step one = {.schedule = {.header = {.collective = COLLECTIVE_barrier,
                                                   .algorithm = "x",
                                                   .n_ranks = 700 * N,
                                                   .segments = 1},
                                        .next = give_once,
                                        .rewind = give_again},
                           .step = {.sends = ops, .n_sends = N}};
    CU_ASSERT_TRUE(schedule_print(&one.schedule, append, &out));
    const char *at = strstr(out.data, "step 0\n") + strlen("step 0\n");
    bool in_order = true;
    for (uint32_t i = 0; i < N && in_order; i++) {
        char line[80];
        uint32_t peer = N / 2 - 1 - i / 2 + (i % 2 ? N / 2 : 0);
        int length = snprintf(line, sizeof line, "%u send to %u\n", 700 * (i / 2 + 1), peer);
        in_order = strncmp(at, line, (size_t)length) == 0;
        if (!in_order)
            fprintf(stderr, "line %u: found '%.30s', expected '%s'\n", i, at, line);
        at += length;
    }
    CU_ASSERT_TRUE(in_order);
    free(ops);
    text_free(&out);
}

/* A writer that refuses ends the printing. */
static bool refuse(void *context, const char *data, size_t length)
{
    (void)data, (void)length;
    ++*(unsigned *)context;
    return false;
}

static void test_write_fails(void)
{
    struct reading reading = {0};
    unsigned n_calls = 0;
    open_reading(&reading, canonical[2], strlen(canonical[2]));
    CU_ASSERT_FALSE(schedule_print(reading.schedule, refuse, &n_calls));
    CU_ASSERT_EQUAL(n_calls, 1);
    close_reading(&reading);
}

/* --- what is refused ---------------------------------------------------- */

static const struct {
    const char *text;
    uint32_t code;
    uint32_t line, column;
    const char *message;
} refused[] = {
    {"", CODE_S001, 1, 1, "not a schedule file"},
    {"alltoall ring\n", CODE_S001, 1, 1, "not a schedule file"},
    {"collc-schedule 3\n", CODE_S002, 1, 16, "version 3 of the format is not known"},
    {"collc-schedule\n", CODE_S001, 1, 15, "expected the version of the format, a number"},
    {"collc-schedule 1\nend\n", CODE_S002, 2, 1, "header has no line 'collective'"},
    {"collc-schedule 1\ncollective alltoallx\n", CODE_S001, 2, 12, "unknown collective 'alltoallx'"},
    {"collc-schedule 1\nranks 4000000000\n", CODE_S003, 2, 7, "must be between 1 and 67108864"},
    {"collc-schedule 1\nranks 0\n", CODE_S003, 2, 7, "must be between 1 and"},
    {"collc-schedule 1\nranks 99999999999999999999999\n", CODE_S003, 2, 7, "does not fit in 64 bits"},
    {"collc-schedule 1\nranks four\n", CODE_S001, 2, 7, "expected the number of ranks, a number"},
    {"collc-schedule 1\nranks 4 5\n", CODE_S001, 2, 9, "unexpected text"},
    {"collc-schedule 1\ncolour red\n", CODE_S001, 2, 1, "unknown line in the header"},
    {HEAD "ranks 3\nend\n", CODE_S002, 5, 1, "second line 'ranks'"},
    {HEAD "root 1\nend\n", CODE_S002, 6, 1, "'root' does not apply to alltoall"},
    {"collc-schedule 1\ncollective barrier\nalgorithm x\nranks 3\nsegments 2\nend\n", CODE_S002, 6, 1,
     "'segments' does not apply to barrier"},
    {"collc-schedule 1\ncollective alltoall\nalgorithm x\nranks 3\nsegments 1000000000\nend\n", CODE_S003,
     6, 1, "3000000000 chunks in a buffer, more than 2147483648"},
    {HEAD "placement 0x3\nend\n", CODE_S002, 6, 1, "'placement' without 'topology'"},
    {HEAD "topology \"t\" 0x1\nplacement 0x2\nend\n", CODE_S002, 7, 1, "placement has 2 ranks"},
    {HEAD "topology \"t\" 0x1\nplacement 0x99999999999\nend\n", CODE_S003, 6, 13, "must be between"},
    {HEAD "topology \"t\" 0x1\nplacement 3\nend\n", CODE_S001, 6, 11, "expected MACHINExRANKS"},
    {HEAD "topology \"t 0x1\nend\n", CODE_S001, 5, 10, "no closing quote"},
    {HEAD "topology \"\\x00\" 0x1\nend\n", CODE_S001, 5, 11, "unknown escape"},
    {HEAD "topology \"t\" 17\nend\n", CODE_S001, 5, 14, "expected the fingerprint"},
    {"collc-schedule 1\ncollective bcast\nalgorithm x\nranks 3\nend\n", CODE_S002, 5, 1,
     "header has no line 'root'"},
    {"collc-schedule 1\ncollective bcast\nalgorithm x\nranks 3\nroot 3\nend\n", CODE_S002, 6, 1,
     "root 3 is not one of 3 ranks"},
    {HEAD, CODE_S001, 5, 1, "file ends without 'end'"},
    {HEAD "step 0\n0 send in[0] to 1\n", CODE_S001, 7, 1, "file ends without 'end'"},
    {HEAD "step 0\nend\nstep 1\n", CODE_S001, 7, 1, "text after 'end'"},
    {HEAD "step 1\nend\n", CODE_S003, 5, 6, "step 1 where step 0 is due"},
    {HEAD "step 0\nstep 0\nend\n", CODE_S003, 6, 6, "step 0 where step 1 is due"},
    {HEAD "0 send in[0] to 1\nend\n", CODE_S001, 5, 1, "expected 'step 0'"},
    {HEAD "step 0\n3 send in[0] to 1\nend\n", CODE_S003, 6, 1, "the rank is 3, but there are 3 ranks"},
    {HEAD "step 0\n0 send in[0] to 3\nend\n", CODE_S003, 6, 17, "the peer is 3, but there are 3 ranks"},
    {HEAD "step 0\n0 send in[3] to 1\nend\n", CODE_S003, 6, 8, "chunk 3 of 'in' is outside its 3 chunks"},
    {HEAD "step 0\n0 send in[2..1] to 1\nend\n", CODE_S003, 6, 8, "range 2..1 is empty"},
    {HEAD "step 0\n0 send tmp[0] to 1\nend\n", CODE_S003, 6, 8, "has no buffer 'tmp'"},
    {HEAD "step 0\n0 send buf[0] to 1\nend\n", CODE_S003, 6, 8, "has no buffer 'buf'"},
    {HEAD "step 0\n0 copy in[0..1] to out[0]\nend\n", CODE_S003, 6, 8, "copy of 2 chunks to 1"},
    {HEAD "step 0\n0 copy in[0]\nend\n", CODE_S001, 6, 13, "expected 'to' and the chunks written"},
    {HEAD "step 0\n0 recv out[0] to 1\nend\n", CODE_S001, 6, 15, "expected 'from' and a rank"},
    {HEAD "step 0\n0 get out[0] from 1\nend\n", CODE_S001, 6, 3, "expected send, recv, reduce or copy"},
    {HEAD "step 0\n0 send in(0) to 1\nend\n", CODE_S001, 6, 8, "expected chunks"},
    {HEAD "step 0\n0 send in[0 to 1\nend\n", CODE_S001, 6, 13, "expected ']'"},
    {HEAD "step 0\n0 send in[0] to 1 via 256\nend\n", CODE_S003, 6, 19, "network must be between"},
    {HEAD "step 0\n0 send in[0] to 1 quickly\nend\n", CODE_S001, 6, 19, "unexpected text"},
    {HEAD "step 0\n\xff\nend\n", CODE_I003, 6, 1, ""},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct reading reading = {0};
        open_reading(&reading, refused[i].text, strlen(refused[i].text));
        const struct diagnostic *first = reading.diagnostics.first;
        bool as_expected = !reading.schedule && first && first->code == refused[i].code &&
                           first->position.line == refused[i].line &&
                           first->position.column == refused[i].column &&
                           strstr(first->message, refused[i].message);
        if (!as_expected)
            fprintf(stderr, "case %zu: %s\nfound %s %u:%u %s\n", i, refused[i].text,
                    first ? code_table[first->code].id : "nothing", first ? first->position.line : 0,
                    first ? first->position.column : 0, first ? first->message : "");
        CU_ASSERT_TRUE(as_expected);
        close_reading(&reading);
    }
}

/* Every error of a file is told, not only the first. */
static void test_all_errors(void)
{
    const char *text = HEAD "step 0\n9 send in[0] to 1\n0 send in[9] to 1\n0 send in[0] 1\n"
                            "0 send in[0] to 1\nstep 7\nstep 8\nmore\nend\n";
    struct reading reading = {0};
    open_reading(&reading, text, strlen(text));
    CU_ASSERT_PTR_NULL(reading.schedule);
    CU_ASSERT_EQUAL(reading.diagnostics.n_of_code[CODE_S003], 3);
    CU_ASSERT_EQUAL(reading.diagnostics.n_of_code[CODE_S001], 2);
    close_reading(&reading);
}

/* Cut anywhere, a file is refused; never read as a shorter schedule. */
static void test_truncated(void)
{
    const size_t length = strlen(canonical[2]);
    for (size_t cut = 0; cut + 1 < length; cut++) { /* all but the last newline is needed */
        struct reading reading = {0};
        open_reading(&reading, canonical[2], cut);
        CU_ASSERT_PTR_NULL(reading.schedule);
        CU_ASSERT_TRUE(diagnostics_has_errors(&reading.diagnostics));
        close_reading(&reading);
    }
}

static void test_position(void)
{
    struct reading reading = {0};
    struct step step;
    const char *text = HEAD "step 0\n   0 send in[1] to 1   # why\nend\n";
    open_reading(&reading, text, strlen(text));
    CU_ASSERT_TRUE(reading.schedule->next(reading.schedule, &step));
    struct position position = schedule_position(reading.schedule, &step.sends[0]);
    CU_ASSERT_EQUAL(position.line, 6);
    CU_ASSERT_EQUAL(position.column, 4);
    CU_ASSERT_EQUAL(position.length, strlen("0 send in[1] to 1"));
    CU_ASSERT_EQUAL(schedule_chunks(&reading.schedule->header, BUFFER_OUT), 3);
    CU_ASSERT_EQUAL(schedule_chunks(&reading.schedule->header, BUFFER_BUF), 0);
    CU_ASSERT_EQUAL(schedule_chunks(&reading.schedule->header, BUFFER_TMP), 0);
    close_reading(&reading);
}

UNIT_PROGRAM(test_schedule)
{
    CU_TestInfo tests[] = {
        {"printed form comes back", test_canonical},
        {"free form", test_free_form},
        {"expanded algorithms come back", test_expanded},
        {"order by rank", test_order},
        {"writing fails", test_write_fails},
        {"refused", test_refused},
        {"all errors", test_all_errors},
        {"truncated", test_truncated},
        {"position", test_position},
        CU_TEST_INFO_NULL,
    };
    return run_suite("schedule", tests);
}
