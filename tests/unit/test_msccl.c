/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MSCCL XML, read twice: by schedules/msccl and the verifier, and by the interpreter of naive_msccl.h,
 * which runs thread blocks in random orders on symbolic data. Files of several tools, programs made at
 * random, and mutants of both. What has to be equal:
 *
 *   M001 to M003  whether sends and receives go together
 *   D001          whether a run comes to a standstill, whatever its order
 *   R009          whether two steps conflict and are not ordered, over all pairs
 *   the result    what `o` holds after a run, and after the steps of the schedule
 *   the verdict   whether that is what the collective asks for
 */
#include "schedules/msccl/msccl.h"

#include "base/codes.h"
#include "tests/unit/naive_msccl.h"
#include "tests/unit/suite.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_RUNS = 6, MAX_PAIRED_STEPS = 700 };

struct tally {
    int read, refused, unmatched, deadlocked, raced, right, wrong, strict, staged;
};

struct test_scene {
    struct naive_file file;
    struct naive_value *output;
    uint64_t random;
    struct tally tally;
};

/* ---- the steps of a schedule ---- */

struct queue_item {
    struct op op;
    struct naive_value *values;
    bool is_taken;
};
struct player {
    const struct naive_file *file;
    const struct schedule_header *header;
    struct naive_value *memory[N_BUFFERS]; /* [rank * chunks + chunk] */
    uint64_t n[N_BUFFERS];
    struct queue_item *queue;
    size_t n_queue;
};

static struct naive_value *at(const struct player *player, uint32_t rank, uint8_t buffer, uint32_t chunk)
{
    return &player->memory[buffer][rank * player->n[buffer] + chunk];
}

static void start(struct player *player)
{
    const struct schedule_header *header = player->header;
    const uint8_t given = collective_has(header->collective, BUFFER_BUF) ? BUFFER_BUF : BUFFER_IN;
    for (uint8_t buffer = 0; buffer < N_BUFFERS; buffer++) {
        player->n[buffer] = schedule_chunks(header, (enum buffer)buffer);
        player->memory[buffer] = mem_alloc(header->n_ranks * player->n[buffer], sizeof(struct naive_value));
        for (uint32_t rank = 0; rank < header->n_ranks; rank++)
            for (uint32_t chunk = 0; chunk < player->n[buffer]; chunk++)
                *at(player, rank, buffer, chunk) = buffer == given
                                                       ? naive_given(player->file, (int)rank, (int)chunk)
                                                       : (struct naive_value){.datum = NAIVE_UNDEFINED};
    }
}

static void play_copy(const struct player *player, const struct op *op)
{
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        const struct naive_value from = *at(player, op->rank, op->buffer, op->chunk + i);
        struct naive_value *to = at(player, op->rank, op->to_buffer, op->to_chunk + i);
        *to = op->kind == OP_COPY ? from : naive_combine(to, &from);
    }
}

static void play_send(struct player *player, const struct op *op)
{
    struct queue_item *item = &player->queue[player->n_queue++];
    *item = (struct queue_item){*op, mem_alloc(op->n_chunks, sizeof *item->values), false};
    for (uint32_t i = 0; i < op->n_chunks; i++)
        item->values[i] = *at(player, op->rank, op->buffer, op->chunk + i);
}

static void play_receive(struct player *player, const struct op *op)
{
    struct queue_item *item = player->queue;
    while (item < player->queue + player->n_queue &&
           (item->is_taken || item->op.rank != op->peer || item->op.peer != op->rank))
        item++;
    CU_ASSERT_FATAL(item < player->queue + player->n_queue);
    CU_ASSERT_EQUAL(item->op.n_chunks, op->n_chunks);
    item->is_taken = true;
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        struct naive_value *to = at(player, op->rank, op->buffer, op->chunk + i);
        *to = op->kind == OP_RECV ? item->values[i] : naive_combine(to, &item->values[i]);
    }
}

/* Plays the schedule, in which messages are received in the step in which they are sent. */
static void play(struct player *player, struct schedule *schedule)
{
    struct step step;
    start(player);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        player->queue = mem_alloc(step.n_sends, sizeof *player->queue);
        player->n_queue = 0;
        for (size_t i = 0; i < step.n_copies; i++)
            play_copy(player, &step.copies[i]);
        for (size_t i = 0; i < step.n_sends; i++)
            play_send(player, &step.sends[i]);
        for (size_t i = 0; i < step.n_receives; i++)
            play_receive(player, &step.receives[i]);
        CU_ASSERT_EQUAL(step.n_sends, step.n_receives);
        for (size_t i = 0; i < player->n_queue; i++)
            free(player->queue[i].values);
        free(player->queue);
    }
}

/* True if the schedule leaves in the result what a run left in `o`. */
static bool leaves(struct schedule *schedule, const struct naive_file *file, const struct naive_value *output)
{
    struct player player = {.file = file, .header = &schedule->header};
    const bool has_buf = collective_has(schedule->header.collective, BUFFER_BUF);
    bool is_same = true;
    play(&player, schedule);
    for (int gpu = 0; gpu < file->n_gpus; gpu++) {
        for (int c = 0; c < naive_output_chunks(file); c++) {
            const struct naive_value *run = &output[gpu * NAIVE_MAX_CHUNKS + c];
            const bool is_kept = has_buf && !file->is_in_place && run->datum == NAIVE_UNDEFINED;
            const struct naive_value *left =
                at(&player, (uint32_t)gpu, has_buf ? BUFFER_BUF : BUFFER_OUT, (uint32_t)c);
            is_same = is_same && (is_kept || memcmp(run, left, sizeof *run) == 0);
        }
    }
    for (unsigned buffer = 0; buffer < N_BUFFERS; buffer++)
        free(player.memory[buffer]);
    return is_same;
}

/* ---- comparing ---- */

static bool is_found(const struct schedule *schedule, uint32_t code)
{
    return schedule->found && schedule->found->n_of_code[code];
}

static bool is_right(const struct naive_file *file, const struct naive_value *output)
{
    for (int gpu = 0; gpu < file->n_gpus; gpu++) {
        for (int c = 0; c < naive_output_chunks(file); c++) {
            const struct naive_value required = naive_required(file, gpu, c);
            if (memcmp(&required, &output[gpu * NAIVE_MAX_CHUNKS + c], sizeof required) != 0)
                return false;
        }
    }
    return true;
}

/* Data that is read before it is there, or arrives where it already is, need not spoil the result: of a
 * result that is right the verifier finds nothing else. */
static bool is_only_strict(const struct diagnostics *findings)
{
    for (const struct diagnostic *d = findings->first; d; d = d->next)
        if (d->code != CODE_R002 && d->code != CODE_R003 && d->code != CODE_R004 && d->code != CODE_R005)
            return false;
    return true;
}

static void compare_verdict(struct test_scene *scene, struct schedule *schedule, const char *label)
{
    const struct verify_request request = {0};
    struct verify_report report;
    struct diagnostics findings = {.is_joined = true};
    CU_ASSERT_FATAL(verify_schedule(schedule, &request, &report, &findings));
    const bool is_run_right = is_right(&scene->file, scene->output);
    const bool is_strict = is_run_right && !report.is_complete && is_only_strict(&findings);
    CU_ASSERT_TRUE(report.waiting == WAITING_NONE);
    CU_ASSERT_TRUE(report.is_complete == is_run_right || is_strict);
    if (report.is_complete != is_run_right && !is_strict)
        printf("%s: a run is %s, the verdict is the opposite\n", label, is_run_right ? "right" : "wrong");
    scene->tally.strict += is_strict;
    scene->tally.right += report.is_complete;
    scene->tally.wrong += !report.is_complete;
    verify_report_free(&report);
    diagnostics_free(&findings);
}

static size_t count_steps(const struct naive_file *file)
{
    size_t n = 0;
    for (int b = 0; b < file->n_blocks; b++)
        n += (size_t)file->blocks[b].n_steps;
    return n;
}

static void count_staged(struct test_scene *scene, struct schedule *schedule)
{
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_copies; i++)
            if (step.copies[i].buffer == BUFFER_TMP && step.copies[i].to_buffer != BUFFER_TMP) {
                scene->tally.staged++;
                return;
            }
    }
}

static void compare_read(struct test_scene *scene, struct schedule *schedule, const char *label)
{
    const struct naive_file *file = &scene->file;
    const bool is_matched = naive_is_matched(file);
    CU_ASSERT_EQUAL(is_matched, !is_found(schedule, CODE_M001) && !is_found(schedule, CODE_M002) &&
                                    !is_found(schedule, CODE_M003));
    scene->tally.unmatched += !is_matched;
    if (!is_matched)
        return;
    const bool is_raced = is_found(schedule, CODE_R009), is_dead = is_found(schedule, CODE_D001);
    scene->tally.deadlocked += is_dead;
    scene->tally.raced += !is_dead && is_raced;
    if (!is_dead && count_steps(file) <= MAX_PAIRED_STEPS)
        CU_ASSERT_EQUAL(is_raced, naive_has_race(file));
    count_staged(scene, schedule);
    for (int i = 0; i < N_RUNS; i++) {
        const bool is_through = naive_msccl_run(file, &scene->random, scene->output);
        CU_ASSERT_EQUAL(is_through, !is_dead);
        if (is_through == is_dead)
            printf("%s: a run %s\n", label, is_through ? "came to its end" : "stood still");
        if (is_dead || is_raced || is_found(schedule, CODE_R004))
            continue;
        const bool is_same = leaves(schedule, file, scene->output);
        CU_ASSERT_TRUE(is_same);
        if (!is_same)
            printf("%s: a run leaves something else than the steps\n", label);
    }
    if (!is_dead && !is_raced && !is_found(schedule, CODE_R004))
        compare_verdict(scene, schedule, label);
}

/* The file of the scene, printed, read and compared. */
static void compare(struct test_scene *scene, const char *label)
{
    struct text text = {0};
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    naive_msccl_print(&scene->file, &text);
    const struct source *source = source_of_text("naive.xml", text.data, text.length, &arena);
    CU_ASSERT_TRUE(msccl_is_file(source));
    struct schedule *schedule = msccl_read(source, &diagnostics);
    CU_ASSERT_EQUAL(schedule == NULL, diagnostics_has_errors(&diagnostics));
    const unsigned failed = CU_get_number_of_failures();
    if (schedule) {
        scene->tally.read++;
        compare_read(scene, schedule, label);
        schedule->destroy(schedule);
    } else {
        scene->tally.refused++;
    }
    if (CU_get_number_of_failures() > failed)
        printf("%s\n", text.data);
    text_free(&text);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

/* ---- mutants ---- */

static struct naive_step *any_step(struct test_scene *scene, struct naive_block **block)
{
    for (;;) {
        *block = &scene->file.blocks[naive_random(&scene->random, (uint64_t)scene->file.n_blocks)];
        if ((*block)->n_steps)
            return &(*block)->steps[naive_random(&scene->random, (uint64_t)(*block)->n_steps)];
    }
}

static void drop_step(struct naive_block *block, struct naive_step *step)
{
    memmove(step, step + 1, (size_t)(block->steps + --block->n_steps - step) * sizeof *step);
}

static void mutate(struct test_scene *scene)
{
    static const char *const types[] = {"s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"};
    uint64_t *random = &scene->random;
    struct naive_block *block;
    struct naive_step *step = any_step(scene, &block), other;
    const int chunk = (int)naive_random(random, (uint64_t)scene->file.n_chunks);
    switch (naive_random(random, 9)) {
    case 0: drop_step(block, step); break;
    case 1: step->depid = step->deps = -1; break;
    case 2: step->source_chunk = chunk; break;
    case 3: step->target_chunk = chunk; break;
    case 4: snprintf(step->type, sizeof step->type, "%s", types[naive_random(random, 9)]); break;
    case 5:
        step->depid = (int)naive_random(random, 6);
        step->deps = (int)naive_random(random, 4);
        break;
    case 6: step->hasdep = !step->hasdep; break;
    case 7: step->count = 1 + (int)naive_random(random, 2); break;
    case 8: /* two steps of a thread block change places */
        other = *step;
        *step = block->steps[0];
        block->steps[0] = other;
        break;
    default: break;
    }
}

static void compare_mutants(struct test_scene *scene, const char *label, int n)
{
    const struct naive_file base = scene->file;
    struct naive_block *blocks = mem_alloc((size_t)base.n_blocks, sizeof *blocks);
    memcpy(blocks, base.blocks, (size_t)base.n_blocks * sizeof *blocks);
    for (int i = 0; i < n; i++) {
        mutate(scene);
        compare(scene, label);
        scene->file = base;
        memcpy(base.blocks, blocks, (size_t)base.n_blocks * sizeof *blocks);
    }
    free(blocks);
}

/* ---- the files ---- */

static void open_scene(struct test_scene *scene)
{
    *scene = (struct test_scene){.random = 12345};
    scene->file.blocks = mem_alloc(NAIVE_MAX_BLOCKS, sizeof *scene->file.blocks);
    scene->output = mem_alloc((size_t)NAIVE_MAX_GPUS * NAIVE_MAX_CHUNKS, sizeof *scene->output);
}

static void close_scene(struct test_scene *scene, const char *what)
{
    const struct tally *t = &scene->tally;
    printf("\n    %s: %d read, %d refused; unmatched %d, deadlock %d, races %d, right %d (and %d by strict rules "
           "not), wrong %d; messages kept in tmp %d\n    ",
           what, t->read, t->refused, t->unmatched, t->deadlocked, t->raced, t->right, t->strict, t->wrong,
           t->staged);
    free(scene->file.blocks);
    free(scene->output);
}

#define FOLDER "tests/data/msccl/"
static const char *const files[] = {
    FOLDER "ring8.xml", FOLDER "agring8.xml", FOLDER "a2a2ll.xml", FOLDER "ar_tree_12_LL.xml",
    FOLDER "ar_hier_12_Simple.xml", FOLDER "alltoall-8n-0-9kb.xml", FOLDER "64MB.xml",
    FOLDER "64MB_msccl_strict.xml", FOLDER "presynth-allgather16.xml"};

static void read_scene(struct test_scene *scene, const char *path)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_read(path, SCHEDULE_FILE_LIMIT, &arena, &diagnostics);
    CU_ASSERT_FATAL(source != NULL);
    CU_ASSERT_FATAL(naive_msccl_read(source->text, &scene->file));
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

static void test_files(void)
{
    struct test_scene scene;
    open_scene(&scene);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        read_scene(&scene, files[i]);
        compare(&scene, files[i]);
    }
    CU_ASSERT_EQUAL(scene.tally.right, 8);
    CU_ASSERT_EQUAL(scene.tally.deadlocked, 1);
    close_scene(&scene, "files");
}

static void test_mutants(void)
{
    struct test_scene scene;
    open_scene(&scene);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        read_scene(&scene, files[i]);
        compare_mutants(&scene, files[i], (int)by_form(3, 8, 60));
    }
    CU_ASSERT_TRUE(scene.tally.unmatched > 0 && scene.tally.wrong > 0);
    close_scene(&scene, "mutants");
}

/* ---- programs made at random ---- */

/* Three GPUs, on each two thread blocks, of which each sends to one of the others and receives from
 * one. */
static void begin_program(struct test_scene *scene)
{
    static const char *const colls[] = {"allreduce", "allgather", "alltoall", "reduce_scatter"};
    enum { N_GPUS = 3, N_CHUNKS = 3, N_SCRATCH = 2 };
    struct naive_file *file = &scene->file;
    file->n_gpus = N_GPUS;
    file->n_chunks = N_CHUNKS;
    file->n_blocks = file->n_copies = 0;
    file->is_in_place = (int)naive_random(&scene->random, 2);
    snprintf(file->coll, sizeof file->coll, "%s", colls[naive_random(&scene->random, 4)]);
    for (int gpu = 0; gpu < N_GPUS; gpu++) {
        file->i_chunks[gpu] = file->o_chunks[gpu] = 0;
        file->s_chunks[gpu] = N_SCRATCH;
        for (int id = 0; id < 2; id++)
            file->blocks[file->n_blocks++] = (struct naive_block){.gpu = gpu, .id = id,
                                                                  .send = (gpu + 1 + id) % N_GPUS,
                                                                  .recv = (gpu + 2 - id) % N_GPUS};
    }
}

static void any_place(struct test_scene *scene, char *buffer, int *chunk)
{
    const struct naive_file *file = &scene->file;
    const bool is_gathered = strcmp(file->coll, "allgather") == 0;
    *buffer = "ioos"[naive_random(&scene->random, 4)];
    const int n = *buffer == 'i'   ? is_gathered ? file->n_chunks / file->n_gpus : file->n_chunks
                  : *buffer == 'o' ? naive_output_chunks(file)
                                   : file->s_chunks[0];
    *chunk = (int)naive_random(&scene->random, (uint64_t)n);
}

static void add_step(struct test_scene *scene, struct naive_block *block, const char *type)
{
    const struct naive_block *other = block + (block->id ? -1 : 1);
    struct naive_step step = {.count = 1, .depid = -1, .deps = -1, .hasdep = 1};
    snprintf(step.type, sizeof step.type, "%s", type);
    any_place(scene, &step.source, &step.source_chunk);
    any_place(scene, &step.target, &step.target_chunk);
    if (naive_random(&scene->random, 4) == 0) { /* as many loaders write it */
        step.target = step.source;
        step.target_chunk = step.source_chunk;
    }
    if (other->n_steps && naive_random(&scene->random, 8)) {
        step.depid = other->id;
        step.deps = other->n_steps - 1;
    }
    block->steps[block->n_steps++] = step;
}

/* In the order in which they might run, so that the program does not deadlock; a connection may hold
 * messages. */
static void make_program(struct test_scene *scene, int n_steps)
{
    int waiting[6] = {0}; /* messages on the way to a thread block */
    begin_program(scene);
    const bool reduces = strcmp(scene->file.coll, "allreduce") == 0 || strchr(scene->file.coll, '_');
    for (int i = 0; i < n_steps || memcmp(waiting, (int[6]){0}, sizeof waiting) != 0; i++) {
        const int b = (int)naive_random(&scene->random, 6);
        struct naive_block *block = &scene->file.blocks[b];
        const int receiver = 2 * block->send + block->id;
        const bool is_late = i >= n_steps, goes_on = !is_late && naive_random(&scene->random, 3) == 0;
        if (waiting[b] && (is_late || naive_random(&scene->random, 2))) {
            const bool adds = reduces && naive_random(&scene->random, 2);
            waiting[b]--;
            waiting[receiver] += goes_on;
            add_step(scene, block, adds ? goes_on ? naive_random(&scene->random, 2) ? "rrs" : "rrcs" : "rrc"
                                   : goes_on ? "rcs"
                                             : "r");
        } else if (!is_late && naive_random(&scene->random, 4) == 0) {
            add_step(scene, block, reduces && naive_random(&scene->random, 2) ? "re" : "cpy");
        } else if (!is_late) {
            waiting[receiver]++;
            add_step(scene, block, "s");
        }
    }
}

static void test_programs(void)
{
    struct test_scene scene;
    open_scene(&scene);
    for (int i = 0; i < (is_least() ? 100 : (int)by_form(200, 1000, 10000)); i++) {
        make_program(&scene, 2 + i % 24);
        compare(&scene, "a program");
        compare_mutants(&scene, "a mutant of a program", 2);
    }
    const struct tally *tally = &scene.tally;
    const int few = (int)enough(10);
    CU_ASSERT_TRUE(tally->read > tally->refused && tally->wrong > (int)enough(100) && tally->staged > few);
    CU_ASSERT_TRUE(tally->raced > few && tally->deadlocked > few && tally->unmatched > few);
    close_scene(&scene, "programs");
}

UNIT_PROGRAM(test_msccl)
{
    CU_TestInfo tests[] = {
        {"files of several tools are judged as runs of them end", test_files},
        {"so are mutants of them", test_mutants},
        {"so are programs made at random, and mutants of these", test_programs},
        CU_TEST_INFO_NULL,
    };
    return run_suite("msccl", tests);
}
