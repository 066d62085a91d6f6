/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what ranks copy alike, found once (compiler/passes/copy_rows.c), with what each copies: the
 * memory of each rank after each step, kept in arrays here, all that is read for a row being read before any
 * of it is written; the data as the verifier moves it by rows (verify/rows.c) against other such arrays; and
 * all that is said of the schedule, byte for byte, with and without rows. Of built-in algorithms, of their
 * texts with a character changed, of programs drawn by chance, and of programs that are each wrong, or not to
 * be taken together, for one reason.
 */
#include "base/memory.h"
#include "base/embedded.h"
#include "compiler/language/language.h"
#include "tests/unit/expansions.h"
#include "tests/unit/oplist.h"
#include "tests/unit/said.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include "verify/rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    uint64_t random; /* state of the generator */
    unsigned n, with_rows, clean, failed, disagreed;
};

static uint32_t below(struct tally *tally, uint32_t n)
{
    return (uint32_t)random_below(&tally->random, n);
}

/* ---- memory of the test's own ---- */

#define NOTHING UINT32_MAX

struct memory {
    uint32_t *chunk[N_BUFFERS]; /* [rank * n + chunk] */
    uint32_t n[N_BUFFERS];
};

/* Each chunk holds a number of its own; or only those of `in`, which are the data of an all-to-all. */
static struct memory memory_new(const struct schedule_header *header, bool is_full)
{
    struct memory memory = {.n = {0}};
    uint32_t next = 0;
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const uint32_t n = memory.n[buffer] = (uint32_t)schedule_chunks(header, buffer);
        memory.chunk[buffer] = mem_alloc((size_t)n * header->n_ranks + 1, sizeof(uint32_t));
        for (uint32_t i = 0; i < n * header->n_ranks; i++)
            memory.chunk[buffer][i] = is_full || buffer == BUFFER_IN ? next++ : NOTHING;
    }
    return memory;
}

static void memory_free(struct memory *memory)
{
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        free(memory->chunk[buffer]);
}

static uint32_t *at(struct memory *memory, uint32_t rank, uint8_t buffer, int64_t chunk)
{
    if (chunk < 0 || chunk >= memory->n[buffer])
        CU_FAIL_FATAL("no such chunk");
    return &memory->chunk[buffer][(size_t)rank * memory->n[buffer] + (size_t)chunk];
}

/* A combination leaves what tells its operands and their order. What overlaps (R005) is read first. */
static void do_row(struct memory *memory, uint32_t rank, const struct copy_row *row)
{
    const uint32_t n = row->n * row->n_chunks;
    uint32_t *read = mem_alloc(n, sizeof *read);
    CU_ASSERT(row->n == 1 || (row->kind == OP_COPY && row->to_step));
    for (uint32_t i = 0; i < n; i++)
        read[i] = *at(memory, rank, row->buffer,
                      row->chunk + (int64_t)row->step * (i / row->n_chunks) + i % row->n_chunks);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *to = at(memory, rank, row->to_buffer,
                          row->to_chunk + (int64_t)row->to_step * (i / row->n_chunks) + i % row->n_chunks);
        *to = row->kind == OP_COPY ? read[i] : read[i] * 31 + *to * 7 + 1;
    }
    free(read);
}

static void do_copy(struct memory *memory, const struct op *op)
{
    const struct copy_row row = {.chunk = op->chunk,
                                 .to_chunk = op->to_chunk,
                                 .n = 1,
                                 .n_chunks = op->n_chunks,
                                 .kind = op->kind,
                                 .buffer = op->buffer,
                                 .to_buffer = op->to_buffer};
    do_row(memory, op->rank, &row);
}

static void do_copies(struct memory *memory, const struct step *step)
{
    for (size_t i = 0; i < step->n_copies; i++) {
        const struct op *op = &step->copies[i];
        if (op->kind != OP_COPIES) {
            do_copy(memory, op);
            continue;
        }
        CU_ASSERT_FATAL(op->chunk + op->n_chunks <= step->n_rows);
        for (uint32_t row = 0; row < op->n_chunks; row++)
            do_row(memory, op->rank, &step->rows[op->chunk + row]);
    }
}

static bool same_memory(const struct memory *a, const struct memory *b, uint32_t n_ranks)
{
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (memcmp(a->chunk[buffer], b->chunk[buffer],
                   (size_t)a->n[buffer] * n_ranks * sizeof(uint32_t)) != 0)
            return false;
    return true;
}

static bool same_ops(const struct op *a, size_t n_a, const struct op *b, size_t n_b)
{
    return n_a == n_b && (!n_a || memcmp(a, b, n_a * sizeof *a) == 0);
}

/* Both to the end, of all ranks, or of n of them; *has_rows: it was not for nothing. */
static bool same_steps(const struct binding *binding, const uint32_t *ranks, uint32_t n, bool *has_rows)
{
    struct diagnostics of_each = {0}, of_rows = {0};
    struct schedule *each = expand_witnesses(binding, ranks, n, &of_each);
    struct schedule *rows = expand_witnesses(binding, ranks, n, &of_rows);
    struct step a, b;
    bool is_same = each && rows;
    *has_rows = false;
    if (is_same) {
        struct memory x = memory_new(&each->header, true), y = memory_new(&rows->header, true);
        rows->use.takes_rows = true;
        while (is_same && each->next(each, &a)) {
            is_same = rows->next(rows, &b) && same_ops(a.sends, a.n_sends, b.sends, b.n_sends) &&
                      same_ops(a.receives, a.n_receives, b.receives, b.n_receives) && !a.n_rows;
            *has_rows |= is_same && b.n_rows;
            if (is_same) {
                do_copies(&x, &a);
                do_copies(&y, &b);
                is_same = same_memory(&x, &y, each->header.n_ranks);
            }
        }
        is_same = is_same && !rows->next(rows, &b) && each->failed == rows->failed;
        memory_free(&x);
        memory_free(&y);
    }
    if (each)
        each->destroy(each);
    if (rows)
        rows->destroy(rows);
    diagnostics_free(&of_each);
    diagnostics_free(&of_rows);
    return is_same;
}

/* ---- the verifier's data ---- */

static uint32_t held(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk)
{
    const struct chunk_map *map = &data->maps[buffer][rank];
    const struct run *run = chunk_map_run(map, chunk_map_find(map, chunk));
    if (!run || run->first > chunk || run_is_poison(run))
        return NOTHING;
    return (uint32_t)(run_datum(run, chunk - run->first));
}

static bool same_data(const struct data *data, struct memory *memory, uint32_t n_ranks)
{
    static const enum buffer written[] = {BUFFER_OUT, BUFFER_TMP};
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        for (int i = 0; i < 2; i++)
            for (uint32_t chunk = 0; chunk < memory->n[written[i]]; chunk++)
                if (held(data, rank, written[i], chunk) != *at(memory, rank, (uint8_t)written[i], chunk))
                    return false;
    return true;
}

/* True if copies rank by rank and copies by rows leave the same data. It takes an all-to-all and leaves its
 * messages out. */
static bool same_moves(const struct binding *binding)
{
    struct diagnostics unread = {0};
    struct schedule *each = expand_program(binding, &unread), *rows = expand_program(binding, &unread);
    struct verify_request request = {.placement = binding->placement};
    struct verify_report report = {.n_steps = 0};
    struct verifier verifier = {.schedule = rows, .request = &request, .report = &report,
                                .diagnostics = &unread, .n_ranks = binding->n_ranks};
    struct memory memory = memory_new(&each->header, false);
    struct run_list list = {0};
    struct data data;
    struct step a, b;
    bool is_same = true;
    rows->use.takes_rows = true;
    data_init(&data, &verifier, NULL, binding->n_ranks);
    while (is_same && each->next(each, &a) && rows->next(rows, &b)) {
        if (!data.is_started)
            data_start(&data, &b, NULL);
        do_copies(&memory, &a);
        for (size_t i = 0; i < b.n_copies; i++) {
            if (b.copies[i].kind == OP_COPIES)
                data_copy_rows(&data, &b.copies[i], &b, &list);
            else
                data_copy(&data, &b.copies[i], b.index, &list);
        }
        is_same = same_data(&data, &memory, binding->n_ranks);
    }
    data_free(&data);
    memory_free(&memory);
    free(list.runs);
    each->destroy(each);
    rows->destroy(rows);
    diagnostics_free(&unread);
    return is_same;
}

/* ---- what is said ---- */

/* A schedule that hands no wish for rows on. */
struct plain {
    struct schedule schedule; /* first */
    struct schedule *from;
};

static bool plain_next(struct schedule *schedule, struct step *step)
{
    struct plain *plain = (struct plain *)schedule;
    plain->from->use.sends_only = schedule->use.sends_only;
    const bool is_there = plain->from->next(plain->from, step);
    schedule->failed = plain->from->failed;
    return is_there;
}

static void plain_rewind(struct schedule *schedule)
{
    struct plain *plain = (struct plain *)schedule;
    plain->from->rewind(plain->from);
    schedule->failed = false;
}

static struct text said_of(struct schedule *schedule, const struct verify_request *request,
                           struct diagnostics *errors, bool *is_clean)
{
    struct verify_report report = {0};
    struct diagnostics findings = {.is_joined = true};
    const bool is_done = verify_schedule(schedule, request, &report, &findings);
    struct text text = said_of_verdict(&schedule->header, request, &report, &findings, is_done);
    diagnostics_print(errors, &text, false);
    *is_clean = is_done && !findings.first;
    verify_report_free(&report);
    diagnostics_free(&findings);
    return text;
}

static bool says_same(const struct binding *binding, const struct verify_request *request, const char *label,
                      struct tally *tally)
{
    struct diagnostics of_rows = {0}, of_each = {0};
    struct schedule *rows = expand_program(binding, &of_rows), *each = expand_program(binding, &of_each);
    bool is_clean = false, is_same = rows && each;
    if (is_same) {
        struct plain plain = {.from = each};
        plain.schedule = *each;
        plain.schedule.next = plain_next;
        plain.schedule.rewind = plain_rewind;
        struct text a = said_of(rows, request, &of_rows, &is_clean);
        struct text b = said_of(&plain.schedule, request, &of_each, &is_clean);
        is_same = a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
        if (!is_same)
            printf("\n  %s, by rows:\n%s  each:\n%s", label, a.data, b.data);
        tally->failed += each->failed;
        text_free(&a);
        text_free(&b);
    }
    tally->clean += is_clean;
    if (rows)
        rows->destroy(rows);
    if (each)
        each->destroy(each);
    diagnostics_free(&of_rows);
    diagnostics_free(&of_each);
    return is_same;
}

/* All of it; whether rows came up. */
static bool compare_both(const struct binding *binding, const struct verify_request *request,
                         const char *label, struct tally *tally)
{
    const uint32_t few[] = {0, binding->n_ranks / 2, binding->n_ranks - 1};
    bool has_rows = false, has_few;
    const bool is_same = same_steps(binding, few, 3, &has_few) && same_steps(binding, NULL, 0, &has_rows) &&
                         says_same(binding, request, label, tally) &&
                         (binding->program->collective != COLLECTIVE_alltoall || binding->segments > 1 ||
                          same_moves(binding));
    tally->n++;
    tally->with_rows += has_rows;
    tally->disagreed += !is_same;
    if (!is_same)
        printf("\n  %s differs\n", label);
    return has_rows;
}

static void print_tally(const struct tally *tally)
{
    printf("\n    %u, %u with rows, %u clean, %u failed, %u disagreed; ", tally->n, tally->with_rows,
           tally->clean, tally->failed, tally->disagreed);
    CU_ASSERT(tally->disagreed == 0);
}

/* ---- built-in algorithms ---- */

static const struct {
    const char *topology;
    uint32_t per_machine;
    const char *placement;
} networks[] = {{"star:16", 1, NULL},      {"star:8", 4, NULL},    {"torus:4x4x2", 1, NULL},
                {"star:9", 2, "unequal"},  {"torus:8x3", 1, NULL}, {"star:6", 8, "cyclic"},
                {"star:64", 1, NULL}};
enum { N_NETWORKS = sizeof networks / sizeof *networks };

static void test_algorithms(void)
{
    struct tally tally = {.random = 1};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++) {
        for (size_t k = 0; scene_algorithm(i, name) && k < N_NETWORKS; k += IS_SHORT ? 3 : 1) {
            const struct scene_spec spec = {.algorithm = name,
                                            .topology = networks[k].topology,
                                            .ranks_per_machine = networks[k].per_machine,
                                            .n_ranks = networks[k].placement ? 17 : 0,
                                            .placement = networks[k].placement};
            struct test_scene scene;
            if (scene_open(&scene, &spec))
                compare_both(scene.binding, &scene.request, scene_label(&scene, &spec), &tally);
            scene_close(&scene);
        }
    }
    print_tally(&tally);
    CU_ASSERT(tally.with_rows >= enough(IS_SHORT ? 20 : 60));
    CU_ASSERT(tally.clean >= tally.n / 2);
}

/* ---- texts ---- */

static void compare_text(const char *text, uint32_t n_ranks, const char *label, struct tally *tally,
                         bool *has_rows)
{
    struct bound_text scene = {0};
    bind_text(&scene, text, place(n_ranks, 1, BLOCK), NULL, (struct bind_request){.root = 0});
    const struct verify_request request = {.placement = scene.placement};
    *has_rows = scene.binding && compare_both(scene.binding, &request, label, tally);
    unbind_text(&scene);
}

/* ---- programs drawn by chance ---- */

/* A number, of the variable j, of one that tells sorts of ranks apart (q), seldom of the rank itself (r). */
static void draw_number(struct text *text, struct tally *tally)
{
    const unsigned a = 1 + below(tally, 3), b = below(tally, 9);
    switch (below(tally, 9)) {
    case 0: text_printf(text, "%u*j+%u*q", a, b); return;
    case 1: text_printf(text, "p+%u-j", b); return;
    case 2: text_printf(text, "j/2+%u", b); return;
    case 3: text_printf(text, "j xor %u", b); return;
    case 4: text_printf(text, "j*j+q"); return;
    case 5: text_printf(text, below(tally, 6) ? "j+%u" : "j+r+%u", b); return;
    case 6: text_printf(text, "2*j+1-q mod 2"); return;
    case 7: text_printf(text, "j mod %u*p+j/%u", a, a); return;
    default: text_printf(text, "%u*j+%u", a, b); return;
    }
}

/* Some chunks of tmp; now and then what may be none. */
static void draw_tmp(struct text *text, unsigned n, struct tally *tally)
{
    struct text number = {0};
    draw_number(&number, tally);
    if (below(tally, 60) == 0)
        text_printf(text, "tmp[%s .. %s+%u]", number.data, number.data, n - 1);
    else if (n > 1)
        text_printf(text, "tmp[(%s) mod p*4 .. (%s) mod p*4+%u]", number.data, number.data, n - 1);
    else
        text_printf(text, "tmp[(%s) mod (4*p)]", number.data);
    text_free(&number);
}

static void draw_side(struct text *text, const char *buffer, unsigned n, struct tally *tally)
{
    if (n > 1 || below(tally, 3)) {
        draw_tmp(text, n, tally);
        return;
    }
    text_printf(text, "%s[", buffer);
    draw_number(text, tally);
    text_printf(text, "]");
}

static void draw_copy(struct text *text, const char *indent, struct tally *tally)
{
    const unsigned n = below(tally, 4) ? 1 : 2 + below(tally, 2);
    text_printf(text, "%s", indent);
    if (below(tally, 5) == 0)
        text_printf(text, "if (j + q) mod %u == 0  ", 2 + below(tally, 3));
    text_printf(text, "copy ");
    draw_side(text, "in", n, tally);
    text_printf(text, " to ");
    draw_side(text, "out", n, tally);
    text_printf(text, "\n");
}

static void draw_loop(struct text *text, const char *indent, unsigned number, bool is_in_step,
                      struct tally *tally)
{
    static const char *const bounds[] = {"0 .. p-1", "0 .. 2*p-1", "p-1 .. 0 by -1", "0 .. p/2-1 by 2",
                                         "0 .. 15", "1 .. 3*p/2", "q .. p+q"};
    text_printf(text, "%sfor j in %s\n", indent, bounds[below(tally, is_in_step ? 7 : 6)]);
    char deeper[32];
    snprintf(deeper, sizeof deeper, "%s  ", indent);
    if (below(tally, 4) == 0)
        text_printf(text, "%slet k%u = (q + j) mod %u\n%scopy in[k%u] to tmp[j+k%u]\n", deeper, number,
                    1 + below(tally, 3), deeper, number, number);
    for (unsigned n = 1 + below(tally, 3); n > 0; n--)
        draw_copy(text, deeper, tally);
}

static void draw_program(struct text *text, struct tally *tally)
{
    text_printf(text, "alltoall drawn\nranks r: p\ntmp 4 * p\nlet q = r mod %u\n", 1 + below(tally, 4));
    text_printf(text, "for j in 0 .. 4*p-1\n  copy in[j%s] to tmp[j]\n", below(tally, 8) ? "" : "+r");
    for (unsigned n = 1 + below(tally, 3); n > 0; n--) {
        const unsigned around = below(tally, 5);
        if (around == 0)
            text_printf(text, "for o%u in 0 .. 2\n  copy in[o%u] to tmp[o%u]\n", n, n, n);
        else if (around == 1)
            text_printf(text, "if r mod 3 == 1\n");
        else if (around == 2)
            text_printf(text, "step\n  send tmp[0 .. 3] to r+1\n  recv tmp[4 .. 7] from r-1\n");
        draw_loop(text, around < 3 ? "  " : "", n, around == 2, tally);
    }
    text_printf(text, "for i in 0 .. p-1\n  step\n    send in[r+i] to r+i\n    recv out[r-i] from r-i\n");
}

static void test_programs(void)
{
    struct tally tally = {.random = 424242};
    bool has_rows;
    for (unsigned i = 0; i < by_form(60, 200, 400); i++) {
        struct text text = {0};
        draw_program(&text, &tally);
        compare_text(text.data, 16 + below(&tally, 24), text.data, &tally, &has_rows);
        text_free(&text);
    }
    print_tally(&tally);
    CU_ASSERT(tally.n >= by_form(50, 170, 350));
    CU_ASSERT(tally.with_rows >= tally.n / 3);
    CU_ASSERT(tally.failed >= by_form(1, 4, 8));
    CU_ASSERT(tally.clean >= tally.n / 20);
}

/* ---- built-in algorithms with a character changed ---- */

/* A digit, or a sign, of a line that says what is copied. False: this place is none. */
static bool change(char *text, size_t at, struct tally *tally)
{
    const char *line = text + at;
    while (line > text && line[-1] != '\n')
        line--;
    const size_t indent = strspn(line, " ");
    const bool is_meant = !strncmp(line + indent, "copy", 4) || !strncmp(line + indent, "for", 3) ||
                          !strncmp(line + indent, "let", 3);
    if (!is_meant || !strchr("0123456789+-", text[at]))
        return false;
    text[at] = text[at] == '+' ? '-' : text[at] == '-' ? '+' : (char)('0' + below(tally, 4));
    return true;
}

static void test_changed(void)
{
    struct tally tally = {.random = 77};
    const unsigned wanted = by_form(60, 320, 640), with_rows = enough(by_form(3, 12, 25));
    for (unsigned found = 0; found < wanted || (found < 3 * wanted && tally.with_rows < with_rows);) {
        const struct embedded_file *file = &embedded_files[below(&tally, (uint32_t)scene_n_files())];
        char name[SCENE_NAME], label[SCENE_NAME + 64];
        const uint32_t length = (uint32_t)strlen(file->text);
        if (!scene_algorithm((size_t)(file - embedded_files), name) || !strstr(file->text, "copy"))
            continue;
        char *text = mem_alloc((size_t)length + 1, 1);
        memcpy(text, file->text, length);
        const uint32_t place = below(&tally, length);
        bool has_rows;
        if (change(text, place, &tally)) {
            snprintf(label, sizeof label, "%s, character %" PRIu32, name, place);
            compare_text(text, found % 2 ? 16 : 18 + below(&tally, 15), label, &tally, &has_rows);
            found++;
        }
        free(text);
    }
    print_tally(&tally);
    CU_ASSERT(tally.with_rows >= with_rows);
    CU_ASSERT(tally.failed >= enough(by_form(1, 5, 10)));
}

/* ---- one reason each ---- */

#define HEAD "alltoall trap\nranks r: p\ntmp 4 * p\n"
#define FILL "for j in 0 .. 4*p-1\n  copy in[j] to tmp[j]\n"

static const struct {
    const char *reason, *text;
    bool has_rows; /* found once for several ranks: part of it may be all the same */
} traps[] = {
    {"only the root has it",
     "scatter trap\nranks r: p\ntmp p\nfor j in 0 .. p-1\n  copy in[j] to tmp[j]\n", false},
    {"a rank's own chunk", HEAD "for j in 0 .. p-1\n  copy in[j+r] to tmp[j]\n", false},
    {"two sorts of ranks",
     HEAD FILL "let q = r mod 2\nfor j in 0 .. p-1\n  copy tmp[j+q] to tmp[2*p+j]\n", true},
    {"by a let in the loop",
     HEAD FILL "for j in 0 .. p-1\n  let k = j + r / 8\n  copy tmp[k] to tmp[2*p+j]\n", true},
    {"by a condition",
     HEAD FILL "let q = r mod 2\nfor j in 0 .. p-1\n  if q == 1  copy tmp[j] to tmp[2*p+j]\n", true},
    {"by a bound within",
     HEAD FILL "let q = r mod 2\nstep\n  for j in 0 .. p-1\n    for k in 0 .. q\n"
     "      copy tmp[j+k] to tmp[2*p+j]\n",
     true},
    {"by the end of a range",
     HEAD FILL "let q = r mod 2\nfor j in 0 .. p-1\n  copy tmp[j+1 .. j+1+q] to tmp[2*p+j .. 2*p+j+q]\n",
     true},
    {"by an argument",
     HEAD "def part(n, m)\n  for j in 0 .. p-1\n    copy tmp[n+j] to tmp[m+j]\n" FILL
          "part(r mod 2, p); part(r mod 2, 2*p); part(r mod 3, p)\n",
     true},
    {"by an argument within",
     HEAD "def one(n, j)\n  copy tmp[n+j] to tmp[2*p+j]\n" FILL "let q = r mod 2\nfor j in 0 .. p-1\n"
     "  one(q, j)\n",
     true},
    {"by a segment",
     "alltoall trap(segments = 2)\nranks r: p\ntmp p\nlet q = r mod 2\nfor j in 0 .. p-1\n"
     "  copy in[j; q] to tmp[j]\n", true},
    {"by the end of segments",
     "alltoall trap(segments = 2)\nranks r: p\nlet q = r mod 2\nfor j in 0 .. p-1\n"
     "  copy in[j; 0 .. q] to out[j; 0 .. q]\n", true},
    {"by the stride within",
     HEAD FILL "let q = r mod 2\nstep\n  for j in 0 .. p-1\n    for k in 0 .. 2 by q+1\n"
     "      copy tmp[j+k] to tmp[2*p+2*j+k mod 2]\n",
     true},
    {"by the loop around it",
     HEAD FILL "for o in 0 .. 3\n  for j in 0 .. p-1\n    copy tmp[j+o] to tmp[2*p+j+o]\n", true},
    {"each reads what the one before wrote",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j] to tmp[j+1]\n", true},
    {"one in two does", HEAD FILL "for j in 0 .. p-1\n  copy tmp[2*j] to tmp[j+8]\n", true},
    {"the other way", HEAD FILL "for j in p-1 .. 0 by -1\n  copy tmp[j+1] to tmp[j]\n", true},
    {"none does", HEAD FILL "for j in 0 .. p-1\n  copy tmp[2*j+1] to tmp[j]\n", true},
    {"all write one chunk", HEAD FILL "for j in 0 .. p-1\n  copy tmp[j] to tmp[2*p]\n", true},
    {"the second reads what the first writes",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j] to tmp[2*p+j]\n  copy tmp[2*p+j] to tmp[3*p+j]\n", true},
    {"the first reads what the second wrote",
     HEAD FILL "for j in 0 .. p-2\n  copy tmp[2*p+j] to tmp[j]\n  copy tmp[j] to tmp[2*p+j+1]\n", true},
    {"the second overwrites what the first reads later",
     HEAD FILL "for j in 0 .. p-2\n  copy tmp[j] to tmp[2*p+j]\n  copy tmp[3*p+j] to tmp[j+1]\n", true},
    {"the first overwrites what the second reads later",
     HEAD FILL "for j in 0 .. p-2\n  copy tmp[3*p+j] to tmp[j+1]\n  copy tmp[j+1] to tmp[2*p+j]\n", true},
    {"both write there",
     HEAD FILL "for j in 0 .. p-2\n  copy tmp[j] to tmp[2*p+j+1]\n  copy tmp[p+j] to tmp[2*p+j]\n", true},
    {"ranges that overlap",
     HEAD FILL "for j in 0 .. p-3\n  copy tmp[j .. j+1] to tmp[2*p+j .. 2*p+j+1]\n", true},
    {"ranges that read what was written",
     HEAD FILL "for j in 0 .. p-3\n  copy tmp[2*j .. 2*j+1] to tmp[2*j+2 .. 2*j+3]\n", true},
    {"backwards", HEAD FILL "for j in 0 .. p-1\n  copy tmp[j] to tmp[3*p-1-j]\n", true},
    {"backwards from both ends", HEAD FILL "for j in 0 .. p-1\n  copy tmp[p-1-j] to tmp[3*p-1-j]\n", true},
    {"apart in both", HEAD FILL "for j in 0 .. p-1\n  copy tmp[2*j] to tmp[2*p+2*j]\n", true},
    {"one chunk to all", HEAD FILL "for j in 0 .. p-1\n  copy tmp[3] to tmp[2*p+j]\n", true},
    {"nothing is there", HEAD "for j in 0 .. p-1\n  copy tmp[j] to tmp[2*p+j]\n", true},
    {"one is not there",
     HEAD "for j in 0 .. p-2\n  copy in[j] to tmp[j]\nfor j in 0 .. p-1\n  copy tmp[j] to tmp[2*p+j]\n",
     true},
    {"a rank of the second sort fails, later ones would before",
     HEAD FILL "let q = r mod 4\nfor j in 0 .. p-1\n  copy tmp[j+q*p-q] to tmp[j]\n"
     "  copy tmp[4*p+8-j*q] to tmp[j]\n",
     false},
    {"one divides by zero",
     HEAD FILL "let q = r mod 4\nfor j in 0 .. p-1\n  copy tmp[j/(q-2)+p] to tmp[j]\n", false},
    {"received in the step after",
     HEAD "for j in 0 .. p-1\n  copy in[j] to tmp[j]\nstep\n  send tmp[r] to r+1\nfor j in 0 .. p-1\n"
          "  copy in[j] to tmp[p+j]\nstep\n  recv tmp[2*p+r] from r-1\nfor j in 0 .. p-1\n"
     "  copy tmp[p+j] to tmp[j]\n",
     true},
    {"never received",
     HEAD "step\n  send in[r] to r+1\nfor j in 0 .. p-1\n  copy in[j] to tmp[p+j]\nstep\n"
     "  send in[r] to r+1\n", true},
    {"the first rank of the second block is unlike the others there",
     "alltoall trap\nranks r: p\ntmp 16\nlet q = r / 512 * r\nfor j in 0 .. 15\n"
     "  copy in[j+q] to tmp[j]\n", false},
    {"pieces that each overlap themselves",
     HEAD FILL "for j in 0 .. p-2\n  copy tmp[2*j+1 .. 2*j+2] to tmp[2*j .. 2*j+1]\n", true},
    {"in place that is gone",
     "allgather trap\nranks r: p\ntmp p\nfor j in 0 .. p-1\n  copy in to tmp[j]\nfor j in 0 .. p-1\n"
     "  copy tmp[j] to out[j]\nfor i in 1 .. p-1\n  step\n    send in to r+i\n"
     "    recv out[r-i] from r-i\n", true},
    {"in place that is gone in between",
     "allgather trap\nranks r: p\ntmp 3 * p\ncopy in to tmp[0]\nfor i in 1 .. p-1\n  step\n"
     "    send tmp[0] to r+i\n    recv tmp[p+(r-i) mod p] from r-i\ncopy tmp[0] to tmp[p+r]\n"
     "for j in 0 .. p-1\n"
     "  copy in to tmp[2*p+j]\n  copy tmp[p+(j+1) mod p] to out[j]\nfor j in 0 .. p-1\n"
     "  copy tmp[p+j] to out[j]\n", true},
    {"combined in an order",
     "allreduce trap(segments = p)\nranks r: p\ntmp 2 * p\nfor j in 0 .. p-1\n  copy buf[j] to tmp[j]\n"
     "for j in 0 .. p-2\n  reduce buf[j] to tmp[j+1]\n  copy tmp[j+1] to tmp[p+j]\n", true},
    {"one in two is combined",
     "allreduce trap(segments = p)\nranks r: p\ntmp 2 * p\nfor j in 0 .. p-1\n  copy buf[j] to tmp[j]\n"
     "for j in 0 .. p-1\n  if j mod 5 == 4  reduce buf[j] to tmp[j]\n  else\n    copy buf[j] to tmp[j]\n",
     true},
    {"in one line, to one buffer from two",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j+1] to tmp[2*p+2*j]; copy in[j+1] to tmp[2*p+2*j+1]\n",
     true},
    {"in one line, from one buffer to two",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j+1] to tmp[2*p+2*j]; copy tmp[j+1] to out[2*p+2*j+1]\n",
     true},
    {"in one line, one and combined",
     "allreduce trap(segments = 2*p)\nranks r: p\ntmp 3 * p\nfor j in 0 .. 2*p-1\n  copy buf[j] to tmp[j]\n"
     "for j in 0 .. p-1\n  copy buf[2*j] to tmp[2*j]; reduce buf[2*j+1] to tmp[2*j+1]\n", true},
    {"one by one and two by two",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j+1 .. j+1+j mod 2] to tmp[2*p+j .. 2*p+j+j mod 2]\n", true},
    {"two by two after one",
     HEAD FILL "for j in 0 .. p-1\n  copy tmp[j .. j+j/(p-1)] to tmp[2*p+j .. 2*p+j+j/(p-1)]\n", true},
    {"of a constant in the loop and the rank",
     HEAD FILL "for j in 0 .. p-1\n  let n = 5*p+3\n  copy tmp[(n + r) mod 3] to tmp[2*p+j]\n", true},
    {"of another size",
     "alltoallv trap\nranks r: p\ntmp p like in[0]\nfor j in 0 .. p-1\n  copy in[j] to tmp[j]\n", true},
};

static void test_traps(void)
{
    static const char rest[] =
        "for i in 0 .. p-1\n  step\n    send in[r+i] to r+i\n    recv out[r-i] from r-i\n";
    struct tally tally = {.random = 1};
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        const unsigned before = tally.n;
        const bool is_large = strstr(traps[i].text, "512");
        bool has_rows;
        struct text text = {0};
        /* what else is to be done is right, so that it depends on the copies what is said */
        const bool is_whole = is_large || strncmp(traps[i].text, "alltoall trap", 13) != 0;
        text_printf(&text, "%s%s", traps[i].text, is_whole ? "" : rest);
        compare_text(text.data, is_large ? 600 : i % 2 ? 16 : 20, traps[i].reason, &tally, &has_rows);
        text_free(&text);
        if (tally.n == before || has_rows != traps[i].has_rows)
            printf("\n  %s: %s", traps[i].reason,
                   tally.n == before ? "no program" : has_rows ? "rows" : "none");
        CU_ASSERT(tally.n > before);
        CU_ASSERT(has_rows == traps[i].has_rows);
    }
    print_tally(&tally);
}

UNIT_PROGRAM(test_rows)
{
    CU_TestInfo tests[] = {{"of one reason", test_traps},
                           {"built-in algorithms", test_algorithms},
                           {"programs", test_programs},
                           {"changed algorithms", test_changed},
                           CU_TEST_INFO_NULL};
    return run_suite("rows", tests);
}
