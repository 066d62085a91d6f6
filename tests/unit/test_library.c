/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of built-in algorithms, every file of compiler/algorithms, by one table of
 * rank counts, placements, grids, roots and parameters:
 *
 *   right wherever it does not refuse, by the engine, and for few ranks by the reference too
 *   on servers with unequal numbers of ranks, whatever their order, if it has max_slots
 *   the cost stated in its head, as formulas, is what its expansion has:
 *     # steps: EXPR      communication steps
 *     # messages: EXPR   the most that one rank sends, messages to itself included
 *     # bytes: EXPR      the most bytes that one rank sends; m is the size of `buf`, or of
 *                        one chunk of `in`
 *     "at most" may stand before a formula; then it must be reached; messages and bytes are
 *     at most those stated where servers are unequal
 *   cost printed in the literature
 *
 * The formulas are in the language itself: they are put into the program as lets of the
 * header, so that parameters and lets of the algorithm may be used in them.
 */
#include "compiler/passes/expand.h"
#include "compiler/topo/topo.h"
#include "ir/embedded.h"
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 840, MAX_PARAMETERS = 3, REFERENCE_RANKS = 9 };

/* STEPS ... BYTES in the order of the names. */
enum { STEPS, MESSAGES, BYTES, N_COSTS };
static const char *const cost_names[N_COSTS] = {"steps", "messages", "bytes"};

/* ---- a program with its formulas ---- */

struct algorithm {
    char name[SCENE_NAME];
    struct arena arena;
    struct diagnostics diagnostics;
    struct program *program;
    uint32_t cost[N_COSTS];                 /* variable of the let */
    bool is_bound[N_COSTS], is_reached[N_COSTS]; /* "at most EXPR"; so many it were once */
    uint32_t printed[2];                    /* variables; 0: none */
    uint32_t parameter[MAX_PARAMETERS], n_parameters;
    bool is_grid, has_slots, is_ragged;
};

/* The text after "NAME: " at the beginning of a line of the head, with the lines after it
 * that are set in, in one line; NULL if there is none. */
static char *formula_of(const struct program *program, const char *name, struct arena *arena)
{
    const char *label = arena_printf(arena, "\n%s: ", name);
    const char *at = program->description ? strstr(program->description, label) : NULL;
    if (!at)
        return NULL;
    at += strlen(label);
    size_t length = strcspn(at, "\n");
    while (at[length] == '\n' && at[length + 1] == ' ')
        length += 1 + strcspn(at + length + 1, "\n");
    char *formula = arena_printf(arena, "%.*s", (int)length, at);
    for (char *c = formula; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return formula;
}

static uint32_t find_variable(const struct program *program, const char *name)
{
    uint32_t i = 0;
    while (i < program->n_variables && strcmp(program->variables[i].name, name) != 0)
        i++;
    return i;
}

static struct program *read_text(struct algorithm *algorithm, const char *text)
{
    const struct source *source =
        source_of_text(algorithm->name, text, strlen(text), &algorithm->arena);
    struct program *program = program_read(source, &algorithm->diagnostics);
    if (!program) {
        struct text shown = {0};
        diagnostics_print(&algorithm->diagnostics, &shown, false);
        fprintf(stderr, "%s\n", shown.data);
        text_free(&shown);
    }
    return program;
}

/* The text of the program with `lets` before its first statement. */
static const char *with_lets(const struct program *program, const char *lets, struct arena *arena)
{
    const char *text = program->source->text, *at = text;
    for (uint32_t line = 1; line < program->body->position.line; line++)
        at = strchr(at, '\n') + 1;
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, lets, at);
}

static const char *lets_of(struct algorithm *algorithm, const struct program *program)
{
    static const char at_most[] = "at most ";
    struct arena *arena = &algorithm->arena;
    const char *lets = arena_printf(arena, "let m = %d%s\n", CHUNK,
                                    program->segments == UINT32_MAX ? "" : " * segments");
    for (int i = 0; i < N_COSTS; i++) {
        const char *formula = formula_of(program, cost_names[i], arena);
        if (!formula) {
            fprintf(stderr, "%s states no %s\n", program->name, cost_names[i]);
            return NULL;
        }
        algorithm->is_bound[i] = !strncmp(formula, at_most, sizeof at_most - 1);
        formula += algorithm->is_bound[i] ? sizeof at_most - 1 : 0;
        lets = arena_printf(arena, "%slet cost_%s = %s\n", lets, cost_names[i], formula);
    }
    return lets;
}

/* What the ranks are placed on: a grid, servers with equal slots, or anything. */
static void find_needs(struct algorithm *algorithm)
{
    const struct program *program = algorithm->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_PARAMETER)
            algorithm->parameter[algorithm->n_parameters++ % MAX_PARAMETERS] = i;
    }
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        const struct expr *extent = program->extent[i];
        if (extent->kind != EXPR_VARIABLE)
            continue;
        const struct variable *variable = &program->variables[extent->variable];
        algorithm->is_grid |= variable->kind == VARIABLE_NAMED && variable->index >= NAMED_nx;
        algorithm->has_slots |= variable->kind == VARIABLE_NAMED &&
                                (variable->index == NAMED_slots || variable->index == NAMED_max_slots);
    }
    algorithm->is_ragged = program_is_ragged(program);
}

/* `more` are lets besides those of the costs. */
static bool algorithm_open(struct algorithm *algorithm, const struct embedded_file *file,
                           const char *name, const char *more)
{
    *algorithm = (struct algorithm){.is_grid = false};
    snprintf(algorithm->name, sizeof algorithm->name, "%s", name);
    struct program *plain = read_text(algorithm, file->text);
    if (!plain)
        return false;
    const char *lets = lets_of(algorithm, plain);
    if (lets)
        lets = arena_printf(&algorithm->arena, "%s%s", lets, more);
    if (lets)
        algorithm->program = read_text(algorithm, with_lets(plain, lets, &algorithm->arena));
    program_free(plain);
    if (!algorithm->program)
        return false;
    for (int i = 0; i < N_COSTS; i++)
        algorithm->cost[i] = find_variable(
            algorithm->program, arena_printf(&algorithm->arena, "cost_%s", cost_names[i]));
    for (int i = 0; more[0] && i < 2; i++)
        algorithm->printed[i] =
            find_variable(algorithm->program, i ? "printed_beta" : "printed_alpha");
    find_needs(algorithm);
    return algorithm->n_parameters <= MAX_PARAMETERS;
}

static void algorithm_close(struct algorithm *algorithm)
{
    if (algorithm->program)
        program_free(algorithm->program);
    diagnostics_free(&algorithm->diagnostics);
    arena_free(&algorithm->arena);
}

/* ---- one case ---- */

struct one_case {
    struct algorithm *algorithm;
    const struct topology *topology; /* NULL: none */
    uint32_t p, slots, root;
    uint32_t shape;                  /* 0: `slots` on each server, else unequal, by this seed */
    int64_t value[MAX_PARAMETERS];   /* of the parameters */
    uint64_t most[N_COSTS];          /* measured */
    int64_t printed[2];              /* alpha and beta as the literature has them, if asked for */
    uint64_t serial;                 /* bytes of the largest message of each step, summed */
};

static const char *label_of(const struct one_case *c)
{
    struct arena *arena = &c->algorithm->arena;
    const char *label = arena_printf(arena, "%s%s%s, p %u, slots %u, shape %u, root %u", c->algorithm->name,
                                     c->topology ? " on " : "", c->topology ? c->topology->name : "",
                                     c->p, c->slots, c->shape, c->root);
    for (uint32_t i = 0; i < c->algorithm->n_parameters; i++)
        label = arena_printf(arena, "%s, %" PRId64, label, c->value[i]);
    return label;
}

/* Returns the chunks of the largest message. */
static uint32_t count_sends(const struct step *step, uint64_t *messages, uint64_t *chunks)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < step->n_sends; i++) {
        messages[step->sends[i].rank]++;
        chunks[step->sends[i].rank] += step->sends[i].n_chunks;
        largest = step->sends[i].n_chunks > largest ? step->sends[i].n_chunks : largest;
    }
    return largest;
}

static void measure(struct one_case *c, struct schedule *schedule)
{
    uint64_t *messages = mem_alloc(c->p, sizeof *messages), *chunks = mem_alloc(c->p, sizeof *chunks);
    bool ends_locally = false;
    struct step step;
    memset(c->most, 0, sizeof c->most);
    c->serial = 0;
    schedule->rewind(schedule);
    for (; schedule->next(schedule, &step); c->most[STEPS]++) {
        ends_locally = step.n_sends == 0 && step.n_copies > 0;
        c->serial += (uint64_t)CHUNK * count_sends(&step, messages, chunks);
    }
    c->most[STEPS] -= ends_locally;
    for (uint32_t rank = 0; rank < c->p; rank++) {
        c->most[MESSAGES] = messages[rank] > c->most[MESSAGES] ? messages[rank] : c->most[MESSAGES];
        if (chunks[rank] * CHUNK > c->most[BYTES])
            c->most[BYTES] = chunks[rank] * CHUNK;
    }
    free(messages);
    free(chunks);
}

static bool is_as_stated(struct one_case *c, const struct binding *binding)
{
    bool is_same = true, is_unequal = c->algorithm->is_ragged && !binding->placement->slots;
    for (int i = 0; i < N_COSTS; i++) {
        int64_t stated = binding->value[c->algorithm->cost[i]], measured = (int64_t)c->most[i];
        if (stated == measured)
            c->algorithm->is_reached[i] |= stated > 0;
        bool is_bound = c->algorithm->is_bound[i] || (is_unequal && i != STEPS);
        if (stated == measured || (is_bound && measured < stated))
            continue;
        fprintf(stderr, "%s: %" PRIu64 " %s, but %" PRId64 " are stated\n", label_of(c),
                c->most[i], cost_names[i], stated);
        is_same = false;
    }
    return is_same;
}

static bool is_right(struct one_case *c, struct schedule *schedule, struct placement *placement)
{
    struct verify_request request = {.topology = c->topology, .placement = placement};
    struct reference engine;
    bool is_right = engine_verify(schedule, &request, &engine) && engine.n_findings == 0 &&
                    engine.report.is_complete && engine.report.is_deadlock_free &&
                    engine.report.is_matched;
    if (!is_right)
        fprintf(stderr, "%s: wrong\n", label_of(c));
    if (!is_right || c->p <= REFERENCE_RANKS)
        is_right &= c->p > REFERENCE_MAX_RANKS || agree(schedule, &request, label_of(c));
    engine_free(&engine);
    return is_right;
}

/* Servers with 1 to 5 ranks, one after the other or, of every third shape, mixed. */
static void place_unequal(const struct one_case *c, uint32_t *machine)
{
    uint64_t random = c->shape;
    uint32_t server = 0, left = (uint32_t)random_below(&random, 5) + 1;
    for (uint32_t rank = 0; rank < c->p; rank++, left--) {
        server += left == 0;
        left = left ? left : (uint32_t)random_below(&random, 5) + 1;
        machine[rank] = server;
    }
    for (uint32_t rank = 0; c->shape % 3 == 0 && rank < c->p; rank++) {
        uint32_t other = (uint32_t)random_below(&random, c->p), swap = machine[rank];
        machine[rank] = machine[other];
        machine[other] = swap;
    }
}

static struct placement *place(const struct one_case *c)
{
    uint32_t *machine = mem_alloc(c->p, sizeof *machine);
    for (uint32_t rank = 0; rank < c->p; rank++)
        machine[rank] = rank / c->slots;
    if (c->shape)
        place_unequal(c, machine);
    struct placement *placement = placement_of_machines(machine, c->p, "block");
    free(machine);
    return placement;
}

/* False if the algorithm is wrong, or not what it says it costs; counts in n_done the
 * cases that it does not refuse. */
static bool try_case(struct one_case *c, unsigned *n_done)
{
    struct diagnostics diagnostics = {0};
    struct parameter_setting settings[MAX_PARAMETERS];
    const struct program *program = c->algorithm->program;
    for (uint32_t i = 0; i < c->algorithm->n_parameters; i++)
        settings[i] = (struct parameter_setting){
            .name = program->variables[c->algorithm->parameter[i]].name, .value = c->value[i]};
    struct placement *placement = place(c);
    struct bind_request request = {.topology = c->topology, .placement = placement,
                                   .root = c->root, .settings = settings,
                                   .n_settings = c->algorithm->n_parameters};
    struct binding *binding = bind_program(program, &request, &diagnostics);
    bool agrees = binding || diagnostics.n_of_code[CODE_E009];
    struct schedule *schedule = binding ? expand_program(binding, &diagnostics) : NULL;
    if (schedule) {
        measure(c, schedule);
        agrees = is_right(c, schedule, placement);
        agrees &= is_as_stated(c, binding);
        for (int i = 0; c->algorithm->printed[0] && i < 2; i++)
            c->printed[i] = binding->value[c->algorithm->printed[i]];
        ++*n_done;
        schedule->destroy(schedule);
    }
    if (binding)
        binding_free(binding);
    placement_free(placement);
    diagnostics_free(&diagnostics);
    return agrees;
}

/* ---- all cases ---- */

/* Every parameter with its default, then all combinations of 1, 2, 3 and 7. */
static bool set_parameters(struct one_case *c, unsigned turn)
{
    static const int64_t values[] = {1, 2, 3, 7};
    const struct program *program = c->algorithm->program;
    unsigned n_turns = 1;
    for (uint32_t i = 0; i < c->algorithm->n_parameters; i++, n_turns *= 4) {
        const struct expr *initial = program->variables[c->algorithm->parameter[i]].value;
        c->value[i] = turn ? values[(turn - 1) / n_turns % 4] : initial->integer;
    }
    return turn == 0 || (c->algorithm->n_parameters && turn <= n_turns);
}

static bool try_parameters(struct one_case *c, unsigned *n_done)
{
    bool agrees = true;
    for (unsigned turn = 0; set_parameters(c, turn) && (turn == 0 || c->p <= 34); turn++)
        agrees &= try_case(c, n_done);
    return agrees;
}

/* All roots of up to 16 ranks, or a few. */
static bool try_roots(struct one_case *c, unsigned *n_done)
{
    bool is_rooted = collective_table[c->algorithm->program->collective].rooted, agrees = true;
    uint32_t by = c->p <= 16 ? 1 : c->p / 2;
    for (c->root = 0; c->root < (is_rooted ? c->p : 1); c->root += by)
        agrees &= c->root ? try_case(c, n_done) : try_parameters(c, n_done);
    return agrees;
}

/* Is that many ranks more than a second's work? Chunks that move without regularity cost
 * the verifier memory and time with the square of the ranks. */
static bool is_slow(const struct one_case *c)
{
    static const char *const slow[] = {"allreduce/segmented_ring", "alltoall/bruck",
                                       "alltoall/linear", "alltoall/hierarchical"};
    for (size_t i = 0; c->p > 192 && i < sizeof slow / sizeof *slow; i++)
        if (!strcmp(c->algorithm->name, slow[i]))
            return true;
    return c->p > 192 && c->slots > 1 && c->slots < 5;
}

static bool try_ranks(struct one_case *c, unsigned *n_done)
{
    static const uint32_t more[] = {72, 81, 96, 97, 100, 125, 128, 192, 1000};
    bool agrees = true;
    for (c->slots = 1; c->slots <= (c->algorithm->has_slots ? 5 : 1); c->slots++) {
        for (c->p = 1; c->p <= 64; c->p++)
            agrees &= try_roots(c, n_done);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            c->p = more[i];
            agrees &= is_slow(c) || try_roots(c, n_done);
        }
    }
    return agrees;
}

/* Three shapes for each number of ranks. */
static bool try_shapes(struct one_case *c, unsigned *n_done)
{
    bool agrees = true;
    c->slots = 1;
    for (c->p = 2; c->p <= 33; c->p++)
        for (uint32_t i = 0; i < 3; i++) {
            c->shape = 3 * c->p + i;
            agrees &= try_roots(c, n_done);
        }
    c->shape = 0;
    return agrees;
}

static bool try_grids(struct one_case *c, unsigned *n_done)
{
    static const char *const grids[] = {
        "torus:1",     "torus:2",     "torus:5",     "torus:8",     "torus:3x3",   "torus:2x2",
        "torus:4x4",   "torus:8x8",   "torus:5x5",   "torus:7x7",   "torus:4x2",   "torus:2x3",
        "torus:6x5",   "mesh:3x3",    "mesh:5x5",    "mesh:4x6",    "torus:2x2x2", "torus:3x3x3",
        "torus:4x4x4", "torus:2x3x4", "torus:4x1x2", "torus:5x4x3", "torus:8x4x4"};
    bool agrees = true;
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

static void test_algorithms(void)
{
    const char *only = getenv("COLLC_TEST_ALGORITHM");
    char name[SCENE_NAME];
    for (size_t i = 0; i < n_embedded_files; i++) {
        struct algorithm algorithm;
        struct one_case c = {.algorithm = &algorithm};
        unsigned n_done = 0;
        if (!scene_algorithm(i, name) || (only && !strstr(name, only)))
            continue;
        bool agrees = algorithm_open(&algorithm, &embedded_files[i], name, "");
        if (agrees)
            agrees = algorithm.is_grid ? try_grids(&c, &n_done) : try_ranks(&c, &n_done);
        if (agrees && algorithm.is_ragged)
            agrees = try_shapes(&c, &n_done);
        printf("\n    %-36s %5u cases%s", name, n_done, agrees ? "" : ", some of them wrong");
        CU_ASSERT(agrees);
        CU_ASSERT(n_done > 0);
        for (int cost = 0; cost < N_COSTS; cost++)
            CU_ASSERT(!algorithm.is_bound[cost] || algorithm.is_reached[cost]);
        algorithm_close(&algorithm);
    }
}

/* ---- printed costs ---- */

static bool is_power(uint32_t p)
{
    return (p & (p - 1)) == 0;
}

static bool is_full_tree(uint32_t p)
{
    return is_power(p + 1);
}

/* The coefficients of alpha and beta, with m as above, where all messages of a step take as
 * long as its largest; for which numbers of ranks, NULL for all that are not refused. */
static const struct printed {
    const char *algorithm, *alpha, *beta;
    bool (*holds)(uint32_t p);
} printed[] = {
    /* Imamura 2009, figure 1, one segment */
    {"bcast/linear", "p - 1", "(p - 1) * m", NULL},
    {"bcast/chain", "p - 1", "(p - 1) * m", NULL},
    {"bcast/binary", "2 * (ceil_log2(p + 1) - 1)", "2 * (ceil_log2(p + 1) - 1) * m", is_full_tree},
    {"bcast/binomial", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    /* Thakur, Rabenseifner and Gropp 2005, sections 4.1 (allgather), 4.2 (all-to-all), 4.3
     * (broadcast), 4.5 (reduce and allreduce); n is p * m for the first two */
    {"allgather/ring", "p - 1", "(p - 1) * m", NULL},
    {"allgather/recursive_doubling", "ceil_log2(p)", "(p - 1) * m", is_power},
    {"allgather/bruck", "ceil_log2(p)", "(p - 1) * m", NULL},
    {"alltoall/bruck", "ceil_log2(p)", "p * m / 2 * ceil_log2(p)", is_power},
    {"bcast/scatter_allgather", "2 * ceil_log2(p)", "2 * (p - 1) * m / p", is_power},
    {"bcast/scatter_allgather_ring", "ceil_log2(p) + p - 1", "2 * (p - 1) * m / p", is_power},
    {"reduce/binomial", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    {"reduce/rabenseifner", "2 * ceil_log2(p)", "2 * (p - 1) * m / p", is_power},
    {"allreduce/recursive_doubling", "ceil_log2(p)", "ceil_log2(p) * m", is_power},
    {"allreduce/rabenseifner", "2 * ceil_log2(p)", "2 * (p - 1) * m / p", is_power},
    /* Patarasuk and Yuan 2009 */
    {"allreduce/ring", "2 * (p - 1)", "2 * (p - 1) * m / p", NULL},
    /* De Sensi et al. 2024 */
    {"allreduce/swing", "2 * ceil_log2(p)", "2 * (p - 1) * m / p", NULL},
    /* Chen et al. 2005 */
    {"allgather/neighbor", "p / 2", "(p - 1) * m", NULL},
    /* Hensgen, Finkel and Manber 1988 */
    {"barrier/dissemination", "ceil_log2(p)", "0", NULL},
};

/* Of one number of ranks; true as well where the algorithm refuses it. */
static bool is_as_printed(struct algorithm *algorithm, uint32_t p, unsigned *n_done)
{
    struct one_case c = {.algorithm = algorithm, .p = p, .slots = 1};
    unsigned before = *n_done;
    set_parameters(&c, 0);
    bool is_right = try_case(&c, n_done);
    if (!is_right || *n_done == before)
        return is_right;
    int64_t alpha = c.printed[0], beta = c.printed[1];
    if (alpha == (int64_t)c.most[STEPS] && beta == (int64_t)c.serial)
        return true;
    fprintf(stderr, "%s: %" PRIu64 " steps of %" PRIu64 " bytes, but %" PRId64 " of %" PRId64
            " are printed\n", label_of(&c), c.most[STEPS], c.serial, alpha, beta);
    return false;
}

static void test_printed(void)
{
    for (size_t i = 0; i < n_embedded_files; i++)
        for (size_t k = 0; k < sizeof printed / sizeof *printed; k++) {
            struct algorithm algorithm;
            char name[SCENE_NAME];
            unsigned n_done = 0;
            if (!scene_algorithm(i, name) || strcmp(name, printed[k].algorithm) != 0)
                continue;
            char lets[200];
            snprintf(lets, sizeof lets, "let printed_alpha = %s\nlet printed_beta = %s\n",
                     printed[k].alpha, printed[k].beta);
            bool agrees = algorithm_open(&algorithm, &embedded_files[i], name, lets);
            for (uint32_t p = 1; agrees && p <= 128; p += p < 64 ? 1 : 16)
                agrees = (printed[k].holds && !printed[k].holds(p)) ||
                         is_as_printed(&algorithm, p, &n_done);
            CU_ASSERT(agrees);
            CU_ASSERT(n_done >= 6);
            algorithm_close(&algorithm);
        }
}

int main(void)
{
    CU_TestInfo tests[] = {{"every algorithm: right, and of the cost it states", test_algorithms},
                           {"costs as printed in the literature", test_printed},
                           CU_TEST_INFO_NULL};
    return run_suite("library", tests);
}
