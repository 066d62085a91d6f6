/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of built-in algorithms, every file of compiler/algorithms, by one table of
 * rank counts, placements, grids, roots and parameters (library_table.h), which it prints:
 *
 *   right wherever it does not refuse, by the engine, and for few ranks by the reference too
 *   the cost that it states, as formulas, is what its expansion has (compiler/passes/stated.h);
 *     with "at most" before it a formula must be reached; messages and bytes are at most those
 *     stated where an algorithm with max_slots runs on unequal servers
 *   cost printed in the literature
 *
 * Algorithms are tried side by side, each in a process of its own. Under the address sanitizer
 * each runs in every kind of setting, too, but for fewer sizes (is_skipped).
 */
#include "compiler/language/language.h"
#include "compiler/passes/stated.h"
#include "base/codes.h"
#include "compiler/passes/variables.h"
#include "network/formats/formats.h"
#include "base/embedded.h"
#include "ir/use.h"
#include "study/scene.h"
#include "tests/unit/agree.h"
#include "tests/unit/library_table.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK = 840, MAX_PARAMETERS = 3, REFERENCE_RANKS = 9 };

enum {
    STEPS = COST_STEPS,
    MESSAGES = COST_MESSAGES,
    BYTES = COST_BYTES
};

/* ---- an algorithm and its formulas ---- */

/* Costs as the literature prints them: coefficients of alpha and beta, by formulas over p and m. */
enum { ALPHA, BETA, N_PRINTED };

struct algorithm {
    char name[SCENE_NAME];
    struct arena arena;
    struct diagnostics diagnostics;
    struct program *program;
    bool is_reached[N_COSTS];               /* the measured cost was the stated one once, above 0 */
    struct formula printed[N_PRINTED];      /* expr NULL: none */
    uint32_t parameter[MAX_PARAMETERS], n_parameters;
    bool is_grid, has_slots, is_ragged;
};

static void show(const struct diagnostics *diagnostics)
{
    struct text shown = {0};
    diagnostics_print(diagnostics, &shown, false);
    fprintf(stderr, "%s\n", shown.data);
    text_free(&shown);
}

static bool states_all(const struct program *program)
{
    bool has_all = true;
    for (enum cost cost = 0; cost < N_COSTS; cost++) {
        if (!program->costs.of[cost].expr)
            fprintf(stderr, "%s states no %s\n", program->name, cost_name[cost]);
        has_all &= program->costs.of[cost].expr != NULL;
    }
    return has_all;
}

static bool read_printed(struct algorithm *algorithm, const char *const printed[N_PRINTED])
{
    static const char *const names[] = {"p", "m"};
    bool done = true;
    for (int i = 0; i < N_PRINTED && done; i++)
        done = formula_read(source_of_text("printed", printed[i], strlen(printed[i]), &algorithm->arena),
                            names, 2, &algorithm->printed[i], &algorithm->diagnostics);
    return done;
}

static int64_t value_of(const struct formula *formula, uint32_t p, uint64_t bytes)
{
    struct diagnostics diagnostics = {0};
    struct environment *environment = environment_new(formula->program, &diagnostics);
    int64_t value = -1;
    variables_assign_uniform(environment, formula->variable[0], p);
    variables_assign_uniform(environment, formula->variable[1], (int64_t)bytes);
    CU_ASSERT(evaluate_uniform(environment, formula->expr, &value));
    environment_free(environment);
    diagnostics_free(&diagnostics);
    return value;
}

/* In a line that does not begin with a comment. */
static bool mentions(const char *text, const char *name)
{
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (*line != '#')
            return true;
    }
    return false;
}

/* Finds what the ranks must be placed on: a grid, servers with equal slots, or anything. */
static void find_needs(struct algorithm *algorithm)
{
    const struct program *program = algorithm->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_PARAMETER)
            algorithm->parameter[algorithm->n_parameters++ % MAX_PARAMETERS] = i;
    }
    algorithm->is_grid = program->needs_grid;
    algorithm->has_slots = mentions(program->source->text, "slots") ||
                           mentions(program->source->text, "max_slots");
    algorithm->is_ragged = program_is_ragged(program);
}

/* `printed`: formulas of the literature, or NULL. */
static bool algorithm_open(struct algorithm *algorithm, const struct embedded_file *file,
                           const char *name, const char *const printed[N_PRINTED])
{
    *algorithm = (struct algorithm){.is_grid = false};
    snprintf(algorithm->name, sizeof algorithm->name, "%s", name);
    const struct source *source =
        source_of_text(algorithm->name, file->text, file->length, &algorithm->arena);
    algorithm->program = program_read(source, &algorithm->diagnostics);
    if (!algorithm->program || (printed && !read_printed(algorithm, printed))) {
        show(&algorithm->diagnostics);
        return false;
    }
    find_needs(algorithm);
    return states_all(algorithm->program) && algorithm->n_parameters <= MAX_PARAMETERS;
}

static void algorithm_close(struct algorithm *algorithm)
{
    program_free(algorithm->program);
    for (int i = 0; i < N_PRINTED; i++)
        program_free(algorithm->printed[i].program);
    diagnostics_free(&algorithm->diagnostics);
    arena_free(&algorithm->arena);
}

/* ---- one case ---- */

struct one_case {
    struct algorithm *algorithm;
    struct library_row *row;         /* where it is counted, or NULL */
    const struct topology *topology; /* NULL: none */
    const uint32_t *machine;         /* [rank]; NULL: `slots` on each, in order */
    uint32_t p, slots, root;
    bool is_default;                 /* no parameter is set */
    int64_t value[MAX_PARAMETERS];   /* of the parameters */
    uint64_t most[N_COSTS];          /* measured */
    uint64_t bytes;                  /* `m`, for which chunks have CHUNK bytes */
    uint64_t serial;                 /* bytes of the largest message of each step, summed */
};

static const char *label_of(const struct one_case *c)
{
    struct arena *arena = &c->algorithm->arena;
    const char *label = arena_printf(arena, "%s%s%s, p %u, slots %u, root %u", c->algorithm->name,
                                     c->topology ? " on " : "", c->topology ? c->topology->name : "",
                                     c->p, c->slots, c->root);
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

/* A schedule that is measured as its steps pass on their way to the verifier. */
struct measured {
    struct schedule schedule, *inner;
    struct one_case *c;
    uint64_t *messages, *chunks; /* [rank] */
};

static bool next_measured(struct schedule *schedule, struct step *step)
{
    struct measured *measured = (struct measured *)schedule;
    bool is_given = measured->inner->next(measured->inner, step);
    schedule->failed = measured->inner->failed;
    if (!is_given)
        return false;
    measured->c->serial += (uint64_t)CHUNK * count_sends(step, measured->messages, measured->chunks);
    measured->c->most[STEPS] += !step_is_local(step);
    return true;
}

static void rewind_measured(struct schedule *schedule)
{
    struct measured *measured = (struct measured *)schedule;
    struct one_case *c = measured->c;
    measured->inner->rewind(measured->inner);
    memset(measured->messages, 0, c->p * sizeof *measured->messages);
    memset(measured->chunks, 0, c->p * sizeof *measured->chunks);
    memset(c->most, 0, sizeof c->most);
    c->serial = 0;
}

static struct measured measure(struct one_case *c, struct schedule *inner)
{
    struct measured measured = {.schedule = *inner, .inner = inner, .c = c};
    measured.schedule.next = next_measured;
    measured.schedule.rewind = rewind_measured;
    measured.messages = mem_alloc(c->p, sizeof *measured.messages);
    measured.chunks = mem_alloc(c->p, sizeof *measured.chunks);
    return measured;
}

/* The figures of the case, when all steps have passed. */
static void measured_end(struct measured *measured)
{
    struct one_case *c = measured->c;
    for (uint32_t rank = 0; rank < c->p; rank++) {
        uint64_t messages = measured->messages[rank], bytes = measured->chunks[rank] * CHUNK;
        c->most[MESSAGES] = messages > c->most[MESSAGES] ? messages : c->most[MESSAGES];
        c->most[BYTES] = bytes > c->most[BYTES] ? bytes : c->most[BYTES];
    }
    free(measured->messages);
    free(measured->chunks);
}

static bool is_as_stated(struct one_case *c, const struct binding *binding)
{
    bool is_same = true, is_unequal = c->algorithm->is_ragged && !binding->placement->slots;
    int64_t value[N_COSTS];
    c->bytes = (uint64_t)CHUNK * binding->segments;
    if (!stated_values_bound(binding, c->bytes, value)) {
        fprintf(stderr, "%s: the costs have no value\n", label_of(c));
        return false;
    }
    for (int i = 0; i < N_COSTS; i++) {
        int64_t stated = value[i], measured = (int64_t)c->most[i];
        bool is_bound = binding->program->costs.of[i].is_at_most || (is_unequal && i != STEPS);
        if (stated == measured)
            c->algorithm->is_reached[i] |= stated > 0;
        if (stated == measured || (is_bound && measured < stated))
            continue;
        fprintf(stderr, "%s: %" PRIu64 " %s, but %" PRId64 " are stated\n", label_of(c),
                c->most[i], cost_name[i], stated);
        is_same = false;
    }
    return is_same;
}

/* Measures it, too. */
static bool is_right(struct one_case *c, struct schedule *schedule, struct placement *placement)
{
    struct verify_request request = {.topology = c->topology, .placement = placement};
    struct measured measured = measure(c, schedule);
    struct reference engine;
    bool is_done = engine_verify(&measured.schedule, &request, &engine);
    bool is_right = is_done && engine.n_findings == 0 && engine.report.is_complete;
    measured_end(&measured);
    if (!is_right)
        fprintf(stderr, "%s: wrong\n", label_of(c));
    if (!is_right || c->p <= REFERENCE_RANKS)
        is_right &= c->p > REFERENCE_MAX_RANKS ||
                    agrees_with(schedule, &request, label_of(c), &engine, is_done);
    engine_free(&engine);
    return is_right;
}

static enum library_column column_of(const struct one_case *c)
{
    if (c->topology && c->machine)
        return COLUMN_CLUSTERS;
    if (c->topology || c->machine)
        return c->topology ? COLUMN_GRIDS : COLUMN_UNEQUAL;
    if (c->slots > 1 || !c->is_default)
        return c->slots > 1 ? COLUMN_SERVERS : COLUMN_VALUES;
    if (c->root)
        return COLUMN_ROOTS;
    return c->p > 64 ? COLUMN_LARGE : COLUMN_RANKS;
}

static void count_case(const struct one_case *c, bool is_done, bool has_passed)
{
    struct library_row *row = c->row;
    if (!row || (has_passed && !is_done))
        return;
    library_count(row, column_of(c), has_passed);
    if (!has_passed)
        return;
    row->n_by_reference += c->p <= REFERENCE_RANKS;
    row->most_ranks = c->p > row->most_ranks ? c->p : row->most_ranks;
    if (c->is_default && c->slots == 1 && !c->machine && c->p <= 64 && c->p >= row->typical_ranks) {
        row->typical_ranks = c->p;
        row->steps = c->most[STEPS];
        row->messages = c->most[MESSAGES];
    }
}

static struct placement *place(const struct one_case *c)
{
    return c->machine ? placement_of_machines(c->machine, c->p, "block")
                      : placement_by_slots(c->p, c->slots, false);
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
    struct scene scene = {.program = program, .topology = c->topology, .settings = settings,
                          .n_settings = c->algorithm->n_parameters};
    scene.placement = scene.owned.placement = place(c);
    struct bind_request request = scene_where(&scene, c->root);
    request.with_costs = true;
    scene.binding = bind_program(program, &request, &diagnostics);
    bool agrees = scene.binding || diagnostics.n_of_code[CODE_E009];
    const bool is_expanded = scene.binding && scene_expand(&scene, &diagnostics);
    if (is_expanded) {
        agrees = is_right(c, scene.schedule, scene.owned.placement);
        agrees &= is_as_stated(c, scene.binding);
        ++*n_done;
    }
    count_case(c, is_expanded, agrees);
    scene_free(&scene);
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
    c->is_default = turn == 0;
    for (uint32_t i = 0; i < c->algorithm->n_parameters; i++, n_turns *= 4) {
        const struct expr *initial = program->variables[c->algorithm->parameter[i]].value;
        c->value[i] = turn ? values[(turn - 1) / n_turns % 4] : initial->integer;
    }
    return turn == 0 || (c->algorithm->n_parameters && turn <= n_turns);
}

static bool try_parameters(struct one_case *c, unsigned *n_done)
{
    bool agrees = true;
    for (unsigned turn = 0; set_parameters(c, turn) && (turn == 0 || c->p <= (IS_SHORT ? 6 : 34));
         turn++)
        agrees &= try_case(c, n_done);
    return agrees;
}

/* All roots of up to 16 ranks, or a few; the first and the last with all parameters. */
static bool try_roots(struct one_case *c, unsigned *n_done)
{
    bool is_rooted = collective_table[c->algorithm->program->collective].rooted, agrees = true;
    uint32_t by = c->p <= (IS_SHORT ? 5 : 16) ? 1 : c->p / 2, end = is_rooted ? c->p : 1;
    for (c->root = 0; c->root < end; c->root += by) {
        set_parameters(c, 0);
        agrees &= c->root == 0 || c->root + 1 == end ? try_parameters(c, n_done)
                                                     : try_case(c, n_done);
    }
    return agrees;
}

/* More than 192 ranks take up to seconds: once with one rank a server, once with five. The short
 * table has 1 to 6 ranks and a few larger numbers, even, odd, prime powers and none. */
static bool is_skipped(const struct one_case *c)
{
    bool is_chosen = c->p <= 6 || c->p == 8 || c->p == 9 || c->p == 12 || c->p == 16 || c->p == 27 ||
                     c->p == 33 || c->p == 81;
    if (IS_SHORT && c->slots > 1)
        is_chosen = c->p <= 6 || c->p == 8 || c->p == 9 || c->p == 12 || c->p == 30;
    return IS_SHORT ? !is_chosen : c->p > 192 && c->slots > 1 && c->slots < 5;
}

static bool try_ranks(struct one_case *c, unsigned *n_done)
{
    static const uint32_t more[] = {72, 81, 96, 97, 100, 125, 128, 192, 1000};
    bool agrees = true;
    for (c->slots = 1; c->slots <= (c->algorithm->has_slots ? 5 : 1); c->slots++) {
        for (c->p = 1; c->p <= 64; c->p++)
            agrees &= is_skipped(c) || try_roots(c, n_done);
        for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
            c->p = more[i];
            agrees &= is_skipped(c) || try_roots(c, n_done);
        }
    }
    return agrees;
}

/* Linear congruential (Knuth, MMIX): the upper half, below n. */
static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % n);
}

enum { SHAPE_SERVERS = 9, SHAPE_SLOTS = 5 };

static void mix(uint64_t *state, uint32_t n, uint32_t machine[])
{
    for (uint32_t rank = n; rank > 1; rank--) {
        uint32_t other = draw(state, rank), swap = machine[other];
        machine[other] = machine[rank - 1];
        machine[rank - 1] = swap;
    }
}

/* Servers of 1 to 5 ranks, 2 to 9 of them; every other time the ranks are not in their
 * order. Returns how many ranks. */
static uint32_t draw_shape(uint64_t *state, bool is_mixed, uint32_t machine[])
{
    uint32_t n = 0, n_servers = 2 + draw(state, SHAPE_SERVERS - 1);
    for (uint32_t server = 0; server < n_servers; server++)
        for (uint32_t slots = 1 + draw(state, SHAPE_SLOTS); slots > 0; slots--)
            machine[n++] = server;
    if (is_mixed)
        mix(state, n, machine);
    return n;
}

static bool try_shapes(struct one_case *c, unsigned *n_done)
{
    uint32_t machine[SHAPE_SERVERS * SHAPE_SLOTS];
    bool is_rooted = collective_table[c->algorithm->program->collective].rooted, agrees = true;
    uint64_t state = 1;
    c->slots = 1;
    c->machine = machine;
    set_parameters(c, 0);
    for (unsigned shape = 0; shape < by_form(30, 50, 400); shape++) {
        c->p = draw_shape(&state, shape % 2, machine);
        uint32_t root = draw(&state, c->p);
        c->root = is_rooted ? root : 0;
        agrees &= try_case(c, n_done);
        if (c->algorithm->is_ragged && is_rooted && c->p <= 16)
            agrees &= try_roots(c, n_done);
    }
    c->machine = NULL;
    return agrees;
}

/* ---- clusters ---- */

enum { CLUSTER_RANKS = 96 };

/* So many clusters of so many servers, each with a network, and one between all. */
static struct topology *cluster_topology(uint32_t n_clusters, uint32_t n_servers)
{
    char path[] = "/tmp/collc-clusters-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    struct diagnostics diagnostics = {0};
    uint32_t n = n_clusters * n_servers;
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "<topology version=\"1\" name=\"%" PRIu32 " clusters of %" PRIu32 "\">"
            "<networks machines=\"m[0-%" PRIu32 "]\">\n", n_clusters, n_servers, n - 1);
    for (uint32_t i = 0; i < n_clusters; i++)
        fprintf(file, "<network label=\"N%" PRIu32 "\" machines=\"m[%" PRIu32 "-%" PRIu32 "]\" "
                "bandwidth=\"10Gb/s\"><star machines=\"%" PRIu32 "\"/></network>\n", i,
                i * n_servers, i * n_servers + n_servers - 1, n_servers);
    fprintf(file, "<network label=\"E\" machines=\"m[0-%" PRIu32 "]\" bandwidth=\"1Gb/s\">"
            "<star machines=\"%" PRIu32 "\"/></network></networks></topology>\n", n - 1, n);
    fclose(file);
    struct topology *topology = topology_read(path, &diagnostics);
    remove(path);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

/* The ranks of server i on machine i, and then in another order. */
static bool try_cluster(struct one_case *c, uint32_t n_clusters, uint32_t n_servers, uint32_t slots,
                        unsigned *n_done)
{
    uint32_t machine[CLUSTER_RANKS];
    uint64_t state = n_clusters + n_servers + slots;
    struct topology *topology = cluster_topology(n_clusters, n_servers);
    c->topology = topology;
    c->machine = machine;
    c->p = n_clusters * n_servers * slots;
    c->slots = slots;
    for (uint32_t rank = 0; rank < c->p; rank++)
        machine[rank] = rank / slots;
    bool agrees = try_roots(c, n_done);
    mix(&state, c->p, machine);
    agrees &= try_roots(c, n_done);
    c->machine = NULL;
    c->topology = NULL;
    topology_free(topology);
    return agrees;
}

static bool try_clusters(struct one_case *c)
{
    static const uint32_t shapes[][3] = {{2, 2, 1}, {2, 1, 1}, {3, 1, 2}, {2, 3, 2}, {4, 2, 2},
                                         {5, 3, 1}, {3, 2, 5}, {7, 1, 3}, {8, 2, 4}, {1, 4, 2},
                                         {2, 8, 3}, {6, 2, 2}, {4, 4, 6}};
    bool agrees = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        unsigned n = 0;
        agrees &= try_cluster(c, shapes[i][0], shapes[i][1], shapes[i][2], &n) && n > 0;
    }
    return agrees;
}

static bool try_grids(struct one_case *c, unsigned *n_done)
{
    static const char *const grids[] = {
        "torus:1",     "torus:2",     "torus:5",     "torus:8",     "torus:3x3",   "torus:2x2",
        "torus:4x4",   "torus:8x8",   "torus:5x5",   "torus:7x7",   "torus:4x2",   "torus:2x3",
        "torus:6x5",   "mesh:3x3",    "mesh:5x5",    "mesh:4x6",    "torus:2x2x2", "torus:3x3x3",
        "torus:4x4x4", "torus:2x3x4", "torus:4x1x2", "torus:5x4x3", "torus:8x4x4",
        "torus:1x1",   "mesh:1x6",    "torus:9",     "mesh:2x5",    "torus:6x10",  "mesh:10x6",
        "mesh:4x4x4",  "torus:1x2x4", "mesh:3x5x7",  "torus:2x2x2x2",   "torus:2x3x2x3",
        "torus:3x3x3x3", "mesh:3x3x3x3", "mesh:2x3x4x2", "torus:2x1x2x2x2",
        "torus:2x2x2x2x2x2x2", "tofu:2x1x1"};
    bool agrees = true;
    c->slots = 1;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct diagnostics diagnostics = {0};
        struct topology *topology = topology_read(grids[i], &diagnostics);
        CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
        c->topology = topology;
        c->p = topology->n_machines;
        agrees &= (IS_SHORT && c->p > 36) || try_roots(c, n_done);
        topology_free(topology);
        diagnostics_free(&diagnostics);
    }
    return agrees;
}

/* Whatever its needs are, an algorithm that is not defined for any number of ranks alone
 * is tried on grids. */
static bool try_all(struct algorithm *algorithm, struct library_row *row)
{
    struct one_case c = {.algorithm = algorithm, .row = row};
    unsigned n_done = 0;
    bool agrees = try_ranks(&c, &n_done) && try_shapes(&c, &n_done);
    if (algorithm->is_grid || n_done == 0)
        agrees &= try_grids(&c, &n_done);
    if (program_kind(algorithm->program) == KIND_CLUSTERS)
        agrees &= try_clusters(&c);
    return agrees && n_done > 0;
}

static bool is_algorithm_right(const struct embedded_file *file, struct library_row *row)
{
    struct algorithm algorithm;
    bool agrees = algorithm_open(&algorithm, file, row->name, NULL) && try_all(&algorithm, row);
    for (int cost = 0; agrees && cost < N_COSTS; cost++)
        if (algorithm.program->costs.of[cost].is_at_most && !algorithm.is_reached[cost]) {
            fprintf(stderr, "%s never has the %s stated as its most\n", row->name,
                    cost_name[cost]);
            agrees = false;
        }
    algorithm_close(&algorithm);
    return agrees;
}

/* ---- side by side ---- */

/* Rows that the processes share. */
static struct library_row *shared_rows(size_t n)
{
    FILE *file = tmpfile();
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_FATAL(ftruncate(fileno(file), (off_t)(n * sizeof(struct library_row))) == 0);
    struct library_row *rows = mmap(NULL, n * sizeof *rows, PROT_READ | PROT_WRITE, MAP_SHARED,
                                    fileno(file), 0);
    CU_ASSERT_FATAL(rows != MAP_FAILED);
    fclose(file);
    return rows;
}

/* Waits for one of the processes; which row is whose is in `pids`. */
static void wait_for_one(const pid_t *pids, const struct library_row *rows, size_t n)
{
    int status = -1;
    pid_t pid = wait(&status);
    size_t i = 0;
    while (i < n && pids[i] != pid)
        i++;
    CU_ASSERT_FATAL(i < n);
    if (status != 0)
        fprintf(stderr, "%s: failed (wait status %d)\n", rows[i].name, status);
    CU_ASSERT(status == 0);
}

static void test_algorithms(void)
{
    const char *only = getenv("COLLC_TEST_ALGORITHM");
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN), n_running = 0;
    struct library_row *rows = shared_rows(n_embedded_files);
    pid_t *pids = mem_alloc(n_embedded_files, sizeof *pids);
    size_t n = 0;
    char name[SCENE_NAME];
    for (size_t i = 0; i < n_embedded_files; i++) {
        if (!scene_algorithm(i, name) || (only && !strstr(name, only)))
            continue;
        for (; n_running > 0 && n_running >= n_cores; n_running--)
            wait_for_one(pids, rows, n);
        snprintf(rows[n].name, sizeof rows[n].name, "%.63s", name);
        fflush(NULL);
        pids[n] = fork();
        if (pids[n] == 0)
            exit(!is_algorithm_right(&embedded_files[i], &rows[n]));
        CU_ASSERT_FATAL(pids[n] > 0);
        n++, n_running++;
    }
    for (; n_running > 0; n_running--)
        wait_for_one(pids, rows, n);
    library_print(rows, n);
    munmap(rows, n_embedded_files * sizeof *rows);
    free(pids);
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
    /* Thakur, Rabenseifner and Gropp 2005; n is p * m for allgather and all-to-all */
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
    {"allreduce/swing_latency", "ceil_log2(p)", "ceil_log2(p) * m", is_power},
    /* Traeff 2024, ceil(log2 p) rounds and p - 1 blocks, twice that for allreduce */
    {"reduce_scatter_block/circulant", "ceil_log2(p)", "(p - 1) * m", NULL},
    {"allgather/circulant", "ceil_log2(p)", "(p - 1) * m", NULL},
    {"allreduce/circulant", "2 * ceil_log2(p)", "2 * (p - 1) * m / p", NULL},
    /* Traeff and Ripke 2008, n - 1 + ceil(log2 p) rounds, one segment */
    {"bcast/hypercube", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    /* Traeff 2025, the same for any number of ranks */
    {"bcast/circulant", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    {"reduce/circulant", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    {"allreduce/circulant_reduce_bcast", "2 * ceil_log2(p)", "2 * ceil_log2(p) * m", NULL},
    /* Traeff 2026 */
    {"exscan/inclusive_exclusive", "ceil_log2(p)", "ceil_log2(p) * m", NULL},
    /* Chen et al. 2005 */
    {"allgather/neighbor", "p / 2", "(p - 1) * m", NULL},
    /* Hensgen, Finkel and Manber 1988 */
    {"barrier/dissemination", "ceil_log2(p)", "0", NULL},
};

/* True if the costs are as printed for one number of ranks, or if the algorithm refuses that number. */
static bool is_as_printed(struct algorithm *algorithm, uint32_t p, unsigned *n_done)
{
    struct one_case c = {.algorithm = algorithm, .p = p, .slots = 1};
    unsigned before = *n_done;
    set_parameters(&c, 0);
    bool is_right = try_case(&c, n_done);
    if (!is_right || *n_done == before)
        return is_right;
    int64_t alpha = value_of(&algorithm->printed[ALPHA], p, c.bytes);
    int64_t beta = value_of(&algorithm->printed[BETA], p, c.bytes);
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
            const char *const formulas[] = {[ALPHA] = printed[k].alpha, [BETA] = printed[k].beta};
            bool agrees = algorithm_open(&algorithm, &embedded_files[i], name, formulas);
            for (uint32_t p = 1; agrees && p <= 128; p += p < 64 ? 1 : 16)
                agrees = (printed[k].holds && !printed[k].holds(p)) ||
                         is_as_printed(&algorithm, p, &n_done);
            CU_ASSERT(agrees);
            CU_ASSERT(n_done >= 6);
            algorithm_close(&algorithm);
        }
}

UNIT_PROGRAM(test_library)
{
    CU_TestInfo tests[] = {{"every algorithm: right, and of the cost it states", test_algorithms},
                           {"costs as printed in the literature", test_printed},
                           CU_TEST_INFO_NULL};
    return run_suite("library", tests);
}
