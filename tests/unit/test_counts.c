/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives with unequal counts: every built-in algorithm as every form of its collective
 * that it serves, for 1 to 64 ranks and some grids, every root of few ranks.
 *
 * The schedule is carried out on real arrays, whose sizes are those that MPI gives (written
 * down here once more) and, for tmp, what the algorithm says. What comes must fit exactly,
 * and the result must be MPI's. The engine must find nothing, and the bytes that it counts
 * must be those that moved.
 */
#include "compiler/language/language.h"
#include "compiler/passes/counts.h"
#include "base/codes.h"
#include "compiler/passes/expand.h"
#include "network/formats/formats.h"
#include "base/embedded.h"
#include "study/scene.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- counts ---- */

/* Zeros, ones and a few large ones. */
static uint64_t size_of(uint64_t seed, uint64_t datum)
{
    uint64_t x = (datum + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
    x ^= x >> 32;
    return x % 3 == 0 ? 0 : x % 7 == 0 ? 23 + x % 11 : x % 6;
}

static struct counts *counts_of(uint64_t seed, uint64_t n)
{
    struct counts_runs *counts = counts_new();
    for (uint64_t datum = 0; datum < n; datum++)
        counts_add(counts, size_of(seed, datum), 1);
    return &counts->counts;
}

/* ---- the machine ---- */

struct chunk_room {
    uint64_t n;
    uint64_t *values;
};

struct message {
    uint32_t n_chunks;
    struct chunk_room *chunks;
    struct message *next;
};

struct machine {
    const struct schedule_header *header;
    uint64_t seed, n_moved;
    struct chunk_room *buffers[N_BUFFERS]; /* [rank * n_chunks + chunk] */
    uint64_t n_chunks[N_BUFFERS];
    struct message **queues;          /* [from * p + to] */
    bool is_right;
};

/* MPI 4.0, sections 6.5 to 6.10: whose count the block of a number has. */
static uint64_t size_of_block(const struct machine *machine, uint32_t rank, enum buffer buffer,
                              uint64_t chunk)
{
    const struct schedule_header *header = machine->header;
    uint64_t p = header->n_ranks, i = rank;
    switch (header->form) {
    case FORM_alltoallv:
    case FORM_alltoallw:
        i = buffer == BUFFER_IN ? rank * p + chunk : chunk * p + rank;
        break;
    case FORM_gatherv:
    case FORM_allgatherv: i = buffer == BUFFER_OUT ? chunk : rank; break;
    case FORM_scatterv:
    case FORM_reduce_scatter: i = buffer == BUFFER_IN ? chunk : rank; break;
    case FORM_neighbor_alltoallv:
    case FORM_neighbor_alltoallw:
    case FORM_neighbor_allgatherv: /* tests/mpi/run */
    case FORM_EQUAL:
    case N_FORMS: break;
    }
    return size_of(machine->seed, i);
}

/* The k-th element that `rank` has for the chunk of that number. */
static uint64_t value_of(const struct machine *machine, uint32_t rank, uint64_t chunk, uint64_t k)
{
    return (rank * 131 + chunk * 7 + machine->seed) * 1009 + k;
}

static struct chunk_room *place_of(const struct machine *machine, uint32_t rank, uint32_t buffer,
                              uint64_t chunk)
{
    return &machine->buffers[buffer][rank * machine->n_chunks[buffer] + chunk];
}

/* Segment g of s of n elements begins at element n * g / s. */
static uint64_t size_of_chunk(const struct machine *machine, uint32_t rank, enum buffer buffer,
                              uint64_t chunk)
{
    const uint64_t s = machine->header->segments, g = chunk % s;
    const uint64_t n = size_of_block(machine, rank, buffer, chunk / s);
    return n * (g + 1) / s - n * g / s;
}

/* The k-th element that `rank` has for that chunk, a segment of a block. */
static uint64_t input_of(const struct machine *machine, uint32_t rank, uint64_t chunk, uint64_t k)
{
    const uint64_t s = machine->header->segments;
    const uint64_t n = size_of_block(machine, rank, BUFFER_IN, chunk / s);
    return value_of(machine, rank, chunk / s, k + n * (chunk % s) / s);
}

static void machine_open(struct machine *machine)
{
    const struct schedule_header *header = machine->header;
    uint32_t p = header->n_ranks;
    machine->is_right = true;
    machine->queues = mem_alloc((size_t)p * p, sizeof *machine->queues);
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        uint64_t n = machine->n_chunks[buffer] = schedule_chunks(header, buffer);
        machine->buffers[buffer] = mem_alloc((size_t)(n * p + 1), sizeof(struct chunk_room));
        for (uint32_t rank = 0; rank < p; rank++)
            for (uint64_t chunk = 0; chunk < n; chunk++) {
                struct chunk_room *place = place_of(machine, rank, buffer, chunk);
                uint32_t like = buffer == BUFFER_TMP
                                    ? schedule_like_chunk(header, rank, (uint32_t)chunk)
                                    : (uint32_t)chunk;
                const uint32_t owner = buffer == BUFFER_TMP
                                           ? schedule_like_rank(header, rank, (uint32_t)chunk)
                                           : rank;
                place->n = size_of_chunk(
                    machine, owner, buffer == BUFFER_TMP ? header->tmp_sizes->buffer : buffer, like);
                place->values = mem_alloc((size_t)place->n + 1, sizeof(uint64_t));
                for (uint64_t k = 0; k < place->n; k++)
                    place->values[k] =
                        buffer == BUFFER_IN ? input_of(machine, rank, chunk, k) : 999;
            }
    }
}

static void machine_close(struct machine *machine)
{
    uint32_t p = machine->header->n_ranks;
    for (unsigned buffer = 0; buffer < N_BUFFERS; buffer++) {
        for (uint64_t i = 0; i < machine->n_chunks[buffer] * p; i++)
            free(machine->buffers[buffer][i].values);
        free(machine->buffers[buffer]);
    }
    free(machine->queues);
}

static struct chunk_room copy_of(const struct chunk_room *place)
{
    struct chunk_room copy = {place->n, mem_alloc((size_t)place->n + 1, sizeof(uint64_t))};
    memcpy(copy.values, place->values, (size_t)place->n * sizeof(uint64_t));
    return copy;
}

/* Only what has the size of the place may be put there. */
static void put(struct machine *machine, struct chunk_room *to, const struct chunk_room *from, bool combines)
{
    if (to->n != from->n)
        machine->is_right = false;
    for (uint64_t k = 0; k < to->n && machine->is_right; k++)
        to->values[k] = combines ? to->values[k] + from->values[k] : from->values[k];
}

static void do_local(struct machine *machine, const struct op *op)
{
    for (uint32_t i = 0; i < op->n_chunks; i++)
        put(machine, place_of(machine, op->rank, op->to_buffer, (uint64_t)op->peer + i),
            place_of(machine, op->rank, op->buffer, (uint64_t)op->chunk + i),
            op->kind == OP_COMBINE);
}

/* The i-th chunk of a message: of a set, rows from `chunk` on have its chunks in their order. */
static struct chunk_room *place_in_message(struct machine *machine, const struct op *op, uint32_t i)
{
    uint64_t chunk = (uint64_t)op->chunk + i;
    if (op->is_set) {
        const struct chunk_row *row = &machine->header->sets->rows[op->chunk];
        for (; i >= row->n * row->n_chunks; row++)
            i -= row->n * row->n_chunks;
        chunk = (uint64_t)((int64_t)row->chunk + (int64_t)row->step * (i / row->n_chunks)) +
                i % row->n_chunks;
    }
    return place_of(machine, op->rank, op->buffer, chunk);
}

static void do_send(struct machine *machine, const struct op *op)
{
    struct message *message = mem_alloc(1, sizeof *message);
    struct message **last = &machine->queues[(size_t)op->rank * machine->header->n_ranks + op->peer];
    while (*last)
        last = &(*last)->next;
    *last = message;
    message->n_chunks = op->n_chunks;
    message->chunks = mem_alloc(op->n_chunks + 1, sizeof *message->chunks);
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        message->chunks[i] = copy_of(place_in_message(machine, op, i));
        machine->n_moved += message->chunks[i].n;
    }
}

static void do_receive(struct machine *machine, const struct op *op)
{
    struct message **first = &machine->queues[(size_t)op->peer * machine->header->n_ranks + op->rank];
    struct message *message = *first;
    if (!message || message->n_chunks != op->n_chunks) {
        machine->is_right = false;
        return;
    }
    *first = message->next;
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        put(machine, place_in_message(machine, op, i), &message->chunks[i], op->kind == OP_REDUCE);
        free(message->chunks[i].values);
    }
    free(message->chunks);
    free(message);
}

/* The built-in algorithms receive in the step in which is sent. */
static void run(struct machine *machine, struct schedule *schedule, uint64_t *n_counted)
{
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_copies; i++)
            do_local(machine, &step.copies[i]);
        for (size_t i = 0; i < step.n_sends; i++) {
            do_send(machine, &step.sends[i]);
            *n_counted += schedule_units(&schedule->header, &step.sends[i]);
        }
        for (size_t i = 0; i < step.n_receives; i++)
            do_receive(machine, &step.receives[i]);
    }
}

/* Returns what MPI wants in the k-th element of out[chunk] of the rank. */
static uint64_t wanted(const struct machine *machine, uint32_t rank, uint64_t chunk, uint64_t k)
{
    uint64_t sum = 0;
    switch (machine->header->form) {
    case FORM_alltoallv:
    case FORM_alltoallw: return value_of(machine, (uint32_t)chunk, rank, k);
    case FORM_gatherv:
    case FORM_allgatherv: return value_of(machine, (uint32_t)chunk, 0, k);
    case FORM_scatterv: return value_of(machine, machine->header->root, rank, k);
    case FORM_reduce_scatter:
        for (uint32_t from = 0; from < machine->header->n_ranks; from++)
            sum += value_of(machine, from, rank, k);
        return sum;
    case FORM_neighbor_alltoallv:
    case FORM_neighbor_alltoallw:
    case FORM_neighbor_allgatherv: /* tests/mpi/run */
    case FORM_EQUAL:
    case N_FORMS: break;
    }
    return 0;
}

/* The k-th element of a segment is one of the whole block. */
static uint64_t wanted_in_segment(const struct machine *machine, uint32_t rank, uint64_t chunk,
                                  uint64_t k)
{
    const uint64_t segments = machine->header->segments;
    const uint64_t n = size_of_block(machine, rank, BUFFER_OUT, chunk / segments);
    return wanted(machine, rank, chunk / segments, k + n * (chunk % segments) / segments);
}

static bool has_result(const struct machine *machine)
{
    for (uint32_t rank = 0; rank < machine->header->n_ranks; rank++)
        for (uint64_t chunk = 0; chunk < machine->n_chunks[BUFFER_OUT]; chunk++) {
            const struct chunk_room *place = place_of(machine, rank, BUFFER_OUT, chunk);
            bool is_wanted = schedule_has(machine->header, rank, BUFFER_OUT);
            for (uint64_t k = 0; is_wanted && k < place->n; k++)
                if (place->values[k] != wanted_in_segment(machine, rank, chunk, k))
                    return false;
        }
    return true;
}

/* ---- cases ---- */

struct one_case {
    const char *name;
    struct program *program; /* of the form */
    const struct topology *topology;
    uint32_t p, slots, root;
};

/* True if data that are said to be a progression, by which chunks have their sizes, are one. */
static bool is_in_order(const struct schedule_header *header)
{
    bool is_right = true;
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        for (uint32_t rank = 0; rank < header->n_ranks; rank += 1 + header->n_ranks / 5)
            for (uint64_t n = schedule_chunks(header, buffer), first = 0, end; first < n; first = end) {
                const uint32_t found = schedule_chunk_progression(header, rank, buffer, (uint32_t)first);
                end = found < n - first ? first + found : n;
                for (uint64_t chunk = first + 2; chunk < end; chunk++) {
                    uint64_t datum[3];
                    for (uint32_t i = 0; i < 3; i++)
                        datum[i] = schedule_chunk_datum(header, rank, buffer, (uint32_t)chunk - i);
                    is_right &= datum[0] - datum[1] == datum[1] - datum[2];
                }
                is_right &= end > first;
            }
    return is_right;
}

static bool is_right(struct schedule *schedule, uint64_t seed, struct placement *placement)
{
    struct diagnostics diagnostics = {0};
    struct verify_request request = {.placement = placement};
    struct verify_report report;
    struct machine machine = {.header = &schedule->header, .seed = seed};
    uint64_t n_counted = 0;
    machine_open(&machine);
    run(&machine, schedule, &n_counted);
    bool is_right = machine.is_right && has_result(&machine) && n_counted == machine.n_moved;
    is_right = verify_schedule(schedule, &request, &report, &diagnostics) && is_right &&
               report.is_complete && diagnostics.first == NULL && is_in_order(&schedule->header);
    verify_report_free(&report);
    machine_close(&machine);
    diagnostics_free(&diagnostics);
    return is_right;
}

static bool try_case(const struct one_case *c, unsigned *n_done)
{
    struct diagnostics diagnostics = {0};
    const uint64_t seed = c->p * 31 + c->root;
    struct scene scene = {.program = c->program, .topology = c->topology};
    scene.counts = scene.owned.counts = counts_of(seed, counts_needed(c->program->collective, c->p));
    scene.placement = scene.owned.placement = placement_by_slots(c->p, c->slots, false);
    bool agrees = scene_bind(&scene, c->root, &diagnostics) || diagnostics.n_of_code[CODE_E009];
    if (scene.binding && scene_expand(&scene, &diagnostics)) {
        agrees = is_right(scene.schedule, seed, scene.owned.placement);
        ++*n_done;
    }
    if (!agrees)
        fprintf(stderr, "%s as %s: wrong with p %u, slots %u, root %u\n", c->name,
                collective_name(c->program->collective, c->program->form), c->p, c->slots, c->root);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return agrees;
}

static bool try_roots(struct one_case *c, unsigned *n_done)
{
    bool is_rooted = collective_table[c->program->collective].rooted, agrees = true;
    for (c->root = 0; c->root < (is_rooted ? c->p : 1); c->root += c->p <= 9 ? 1 : c->p / 2)
        agrees &= try_case(c, n_done);
    return agrees;
}

static bool try_ranks(struct one_case *c, unsigned *n_done)
{
    static const char *const grids[] = {"torus:3x3", "mesh:4x6", "torus:5x5", "torus:2x3x4"};
    bool agrees = true;
    for (c->slots = 1; c->slots <= 3; c->slots++)
        for (c->p = 1; c->p <= 64; c->p += c->p >= by_form(9, 17, 64) ? by_form(11, 5, 1) : 1)
            agrees &= try_roots(c, n_done);
    c->slots = 1;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct diagnostics diagnostics = {0};
        struct topology *topology = topology_read(grids[i], &diagnostics);
        CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
        c->topology = topology;
        c->p = topology->n_machines;
        agrees &= try_roots(c, n_done);
        topology_free(topology);
        diagnostics_free(&diagnostics);
    }
    return agrees;
}

static struct program *read_form(const struct embedded_file *file, enum collective_form form,
                                 struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text(file->path, file->text, file->length, arena);
    struct program *program = program_read(source, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    bool is_of = collective_of_form(form) == program->collective &&
                 (program->form == FORM_EQUAL || program->form == form);
    if (!is_of || !program_take_form(program, form, &diagnostics)) {
        CU_ASSERT(!is_of || diagnostics.n_of_code[CODE_E020] == 1);
        program_free(program);
        program = NULL;
    }
    diagnostics_free(&diagnostics);
    return program;
}

static void test_forms(void)
{
    char name[SCENE_NAME];
    unsigned n_pairs = 0;
    for (size_t i = 0; i < n_embedded_files; i++)
        for (enum collective_form form = FORM_EQUAL + 1; form < N_FORMS; form++) {
            struct arena arena = {0};
            if (!scene_algorithm(i, name))
                continue;
            struct one_case c = {.name = name, .program = read_form(&embedded_files[i], form, &arena)};
            unsigned n_done = 0;
            const bool is_counted = /* the others by tests/mpi/run */
                c.program && !collective_is_of_neighbors(c.program->collective);
            if (is_counted) {
                CU_ASSERT(try_ranks(&c, &n_done));
                CU_ASSERT(n_done > 0);
                n_pairs++;
            }
            if (c.program)
                program_free(c.program);
            arena_free(&arena);
        }
    CU_ASSERT(n_pairs >= enough(30));
}

static const struct embedded_file *find_file(const char *path)
{
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, path) == 0)
            return &embedded_files[i];
    return NULL;
}

/* A rank's copies and messages cost by ranges of chunks that lie in a row. There are few of these. */
static void test_ranges(void)
{
    static const struct {
        const char *path;
        enum collective_form form;
        uint32_t n_ranges; /* of tmp of rank 5 */
    } cases[] = {
        {"compiler/algorithms/reduce_scatter/ring.coll", FORM_reduce_scatter, 1},
        {"compiler/algorithms/allgather/bruck.coll", FORM_allgatherv, 2},
        {"compiler/algorithms/reduce_scatter_block/recursive_halving.coll", FORM_reduce_scatter, 1},
        {"compiler/algorithms/reduce_scatter_block/butterfly.coll", FORM_reduce_scatter, 2},
    };
    struct placement *placement = placement_by_slots(64, 1, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct diagnostics diagnostics = {0};
        const struct embedded_file *file = find_file(cases[i].path);
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        struct program *program = read_form(file, cases[i].form, &arena);
        struct bind_request request = {.placement = placement};
        struct binding *binding = bind_program(program, &request, &diagnostics);
        struct schedule *schedule = expand_program(binding, &diagnostics);
        CU_ASSERT_PTR_NOT_NULL_FATAL(schedule);
        uint32_t n_ranges = 0;
        for (uint32_t chunk = 0; chunk < schedule->header.n_tmp; n_ranges++)
            chunk += schedule_chunk_progression(&schedule->header, 5, BUFFER_TMP, chunk);
        CU_ASSERT_EQUAL(n_ranges, cases[i].n_ranges);
        schedule->destroy(schedule);
        binding_free(binding);
        program_free(program);
        diagnostics_free(&diagnostics);
        arena_free(&arena);
    }
    placement_free(placement);
}

/* Bytes of data in a row are those of each, added up, as far as a sum goes. */
static void test_sums(void)
{
    struct counts *counts = counts_of(11, 200);
    for (uint64_t first = 0; first < 205; first += 3)
        for (uint32_t n = 1; n < 205; n += 2) {
            uint64_t sum = 0;
            for (uint64_t datum = first; datum < first + n; datum++)
                sum += datum < 200 ? size_of(11, datum) : 0;
            CU_ASSERT_EQUAL(counts->sum(counts, first, n), sum);
        }
    counts->destroy(counts);
    struct counts_runs *large = counts_new();
    counts_add(large, INT64_MAX, 2);
    CU_ASSERT_EQUAL(large->counts.sum(&large->counts, 0, 2), 2 * (uint64_t)INT64_MAX);
    counts_add(large, 2, 1);
    CU_ASSERT_PTR_NULL(large->counts.sum);
    large->counts.destroy(&large->counts);
}

/* ---- counts from text ---- */

static struct counts *read_text(const char *text, uint64_t n, struct diagnostics *diagnostics,
                                struct arena *arena)
{
    return counts_read(source_of_text("counts", text, strlen(text), arena), n, diagnostics);
}

static void test_files(void)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct counts *counts = read_text("1, 2 ,2\n# note\n9223372036854775807\t0", 5, &diagnostics, &arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(counts);
    static const uint64_t expected[] = {1, 2, 2, INT64_MAX, 0};
    for (uint64_t i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(counts->bytes(counts, i), expected[i]);
    counts->destroy(counts);
    static const char *const wrong[] = {"1 2", "1 2 3 4", "1 -2 3", "1 2 9223372036854775808", "", "1;2 3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t before = diagnostics.n_of_code[CODE_E021];
        CU_ASSERT_PTR_NULL(read_text(wrong[i], 3, &diagnostics, &arena));
        CU_ASSERT_EQUAL(diagnostics.n_of_code[CODE_E021], before + 1);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static struct counts *read_formula(const char *text, enum collective collective,
                                   struct diagnostics *diagnostics, struct arena *arena)
{
    const uint64_t bytes = 10;
    return counts_of_formula(source_of_text("formula", text, strlen(text), arena), collective, NULL, 7,
                             strstr(text, "bytes") ? &bytes : NULL, diagnostics);
}

static void test_formulas(void)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    struct counts *counts =
        read_formula("max(0, bytes*(i-j)+p)", COLLECTIVE_alltoall, &diagnostics, &arena);
    CU_ASSERT_PTR_NOT_NULL_FATAL(counts);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            int value = 10 * (i - j) + 7;
            CU_ASSERT_EQUAL(counts->bytes(counts, (uint64_t)(7 * i + j)),
                            (uint64_t)(value > 0 ? value : 0));
        }
    counts->destroy(counts);
    static const struct {
        const char *text;
        uint32_t code;
    } wrong[] = {{"i - 3", CODE_E021}, {"j", CODE_E003}, {"2^(60+i)", CODE_E007}, {"i i", CODE_E002},
                 {"", CODE_E002},      {"root", CODE_E003}};
    const uint64_t useless = 1;
    CU_ASSERT_PTR_NULL(counts_of_formula(source_of_text("formula", "i", 1, &arena), COLLECTIVE_gather, NULL, 7,
                                         &useless, &diagnostics));
    CU_ASSERT_EQUAL(diagnostics.n_of_code[CODE_E021], 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t before = diagnostics.n_of_code[wrong[i].code];
        CU_ASSERT_PTR_NULL(read_formula(wrong[i].text, COLLECTIVE_gather, &diagnostics, &arena));
        CU_ASSERT_EQUAL(diagnostics.n_of_code[wrong[i].code], before + 1);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

UNIT_PROGRAM(test_counts)
{
    CU_TestInfo tests[] = {{"every algorithm as every form it serves", test_forms},
                           {"chunks whose sizes are in a row", test_ranges},
                           {"sums of counts", test_sums},
                           {"counts from files", test_files},
                           {"counts from formulas", test_formulas},
                           CU_TEST_INFO_NULL};
    return run_suite("counts", tests);
}
