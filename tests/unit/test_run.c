/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Algorithms that run algorithms.
 *
 *   identity   an algorithm run over the only coordinate is that algorithm: operation by
 *              operation the same schedule, for every built-in one that names a rank by
 *              one number, with either way to say the root
 *   pairs      all hierarchical compositions of built-in algorithms, on many shapes and
 *              with every root, by the engine and for few ranks by the reference; on unequal
 *              servers those whose inner algorithm claims to be made for absent ranks, and
 *              whose outer one has chunks of unequal sizes
 *   names      no two values of the header of a composition have the same one
 *   segments   chunks by rank that the inner algorithm cuts, and where it may not
 *   refusals   a file that runs itself, too many algorithms, and maps that make expressions grow
 */
#include "compiler/language/language.h"
#include "compiler/passes/expand.h"
#include "base/codes.h"
#include "base/embedded.h"
#include "tests/unit/agree.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a program on servers ---- */

/* Server i has (i * fewer) mod slots ranks less than `slots`: the first one has all of them. */
struct shape {
    uint32_t servers, slots, fewer;
};

static uint32_t ranks_of(struct shape shape)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < shape.servers; i++)
        n += shape.slots - i * shape.fewer % shape.slots;
    return n;
}

struct bound {
    struct arena arena;
    struct diagnostics diagnostics;
    struct placement *placement;
    struct program *program;
    struct binding *binding;
    struct schedule *schedule;
};

static void bind_on(struct bound *bound, struct shape shape, uint32_t root)
{
    const uint32_t n_ranks = ranks_of(shape);
    uint32_t *machine = arena_alloc(&bound->arena, n_ranks, sizeof *machine), n = 0;
    for (uint32_t server = 0; server < shape.servers; server++)
        for (uint32_t k = server * shape.fewer % shape.slots; k < shape.slots; k++)
            machine[n++] = server;
    bound->placement = placement_of_machines(machine, n_ranks, "block");
    struct bind_request request = {.placement = bound->placement, .root = root};
    bound->binding = bind_program(bound->program, &request, &bound->diagnostics);
    bound->schedule =
        bound->binding ? expand_program(bound->binding, &bound->diagnostics) : NULL;
}

static void unbind(struct bound *bound)
{
    if (bound->schedule)
        bound->schedule->destroy(bound->schedule);
    binding_free(bound->binding);
    if (bound->placement)
        placement_free(bound->placement);
    bound->schedule = NULL;
    bound->binding = NULL;
    bound->placement = NULL;
}

static void open_text(struct bound *bound, const char *text)
{
    *bound = (struct bound){.program = NULL};
    const struct source *source = source_of_text("wrap", text, strlen(text), &bound->arena);
    bound->program = program_read(source, &bound->diagnostics);
}

static void close_bound(struct bound *bound)
{
    unbind(bound);
    program_free(bound->program);
    diagnostics_free(&bound->diagnostics);
    arena_free(&bound->arena);
}

static void say(const struct bound *bound, const char *what)
{
    struct text text = {0};
    diagnostics_print(&bound->diagnostics, &text, false);
    fprintf(stderr, "%s: %s\n", what, text.data ? text.data : "");
    text_free(&text);
}

/* ---- identity ---- */

static bool same_op(const struct op *a, const struct op *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->peer == b->peer &&
           a->buffer == b->buffer && a->chunk == b->chunk && a->n_chunks == b->n_chunks &&
           a->to_buffer == b->to_buffer;
}

static bool same_ops(const struct op *a, size_t n_a, const struct op *b, size_t n_b)
{
    bool is_same = n_a == n_b;
    for (size_t i = 0; i < n_a && is_same; i++)
        is_same = same_op(&a[i], &b[i]);
    return is_same;
}

static bool same_schedules(struct schedule *a, struct schedule *b)
{
    struct step x, y;
    bool is_same = a->header.segments == b->header.segments && a->header.n_tmp == b->header.n_tmp;
    while (is_same) {
        bool more = a->next(a, &x);
        is_same = b->next(b, &y) == more;
        if (!more)
            break;
        is_same = is_same && same_ops(x.sends, x.n_sends, y.sends, y.n_sends) &&
                  same_ops(x.receives, x.n_receives, y.receives, y.n_receives) &&
                  same_ops(x.copies, x.n_copies, y.copies, y.n_copies);
    }
    return is_same;
}

/* `run` of an algorithm over the only coordinate: counted from the root, or not. */
static const char *wrapped(const struct program *program, bool from_root, struct arena *arena)
{
    const char *collective = collective_table[program->collective].name;
    bool has_in = collective_chunks(program->collective, BUFFER_IN, 1, 1) > 0;
    bool is_rooted = collective_table[program->collective].rooted;
    return arena_printf(arena, "%s wrap\nranks r: p%s\nrun %s/%s over r%s%s\n", collective,
                        is_rooted && from_root ? " from root" : "", collective, program->name,
                        is_rooted && !from_root ? " from root" : "",
                        has_in ? " with in = in, out = out" : "");
}

/* Counts in *n the cases that were compared. */
static bool compare(struct bound *plain, struct bound *wrap, uint32_t p, unsigned *n)
{
    bool is_rooted = collective_table[plain->program->collective].rooted, is_same = true;
    for (uint32_t root = 0; root < (is_rooted ? p : 1) && is_same; root++) {
        bind_on(plain, (struct shape){p, 1, 0}, root);
        bind_on(wrap, (struct shape){p, 1, 0}, root);
        is_same = !plain->schedule == !wrap->schedule &&
                  (!plain->schedule || same_schedules(plain->schedule, wrap->schedule));
        *n += plain->schedule != NULL;
        unbind(plain);
        unbind(wrap);
    }
    return is_same;
}

/* Not counted from the root, some name ranges of ranks, which wrap around: refused. */
static bool is_refusal(const struct bound *wrap, bool from_root)
{
    return !from_root && !wrap->program && wrap->diagnostics.n_of_code[CODE_E005];
}

static bool is_identity(const char *name, const struct embedded_file *file, bool from_root,
                        unsigned *n)
{
    struct bound plain, wrap = {.program = NULL};
    bool is_same = true;
    open_text(&plain, file->text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(plain.program);
    if (!collective_is_of_neighbors(plain.program->collective) && plain.program->n_coordinates == 1 &&
        !plain.program->ordered.line &&
        !plain.program->needs_grid && plain.program->form == FORM_EQUAL) {
        open_text(&wrap, wrapped(plain.program, from_root, &plain.arena));
        is_same = wrap.program != NULL;
        for (uint32_t p = 1; p <= (IS_SHORT ? 5 : 17) && is_same; p += by_form(2, 2, 1))
            is_same = compare(&plain, &wrap, p, n);
        is_same = is_same || is_refusal(&wrap, from_root);
        if (!is_same)
            say(&wrap, name);
        close_bound(&wrap);
    }
    close_bound(&plain);
    return is_same;
}

static void test_identity(void)
{
    char name[SCENE_NAME];
    unsigned n = 0;
    for (size_t i = 0; i < n_embedded_files; i++)
        if (scene_algorithm(i, name))
            for (int from_root = 0; from_root < 2; from_root++)
                CU_ASSERT(is_identity(name, &embedded_files[i], from_root, &n));
    printf("%u schedules ", n);
    CU_ASSERT(n > enough(by_form(500, 2500, 5000)));
}

/* ---- pairs ---- */

static bool is_right(struct bound *bound, const char *label)
{
    struct verify_request request = {.placement = bound->placement};
    struct reference engine;
    bool is_done = engine_verify(bound->schedule, &request, &engine);
    bool is_right = is_done && engine.n_findings == 0 && engine.report.is_complete;
    if (!is_right)
        fprintf(stderr, "%s: wrong\n", label);
    if (!is_right || bound->schedule->header.n_ranks <= 8)
        is_right &= agrees_with(bound->schedule, &request, label, &engine, is_done);
    engine_free(&engine);
    return is_right;
}

/* The number of times that pairs are defined, and that they are so on unequal servers. */
struct count {
    unsigned all, unequal;
};

static bool is_unequal(struct shape shape)
{
    return shape.fewer && ranks_of(shape) < shape.servers * shape.slots;
}

/* One pair on all shapes. */
static bool try_shapes(struct bound *bound, const char *label, struct count *n)
{
    static const struct shape shapes[] = {
        {1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {1, 5, 0}, {5, 1, 0}, {2, 2, 0}, {2, 3, 0}, {3, 2, 0},
        {4, 2, 0}, {2, 4, 0}, {4, 4, 0}, {3, 5, 0}, {8, 2, 0}, {7, 3, 0}, /* unequal: */
        {2, 2, 1}, {2, 3, 1}, {2, 3, 2}, {2, 5, 4}, {4, 4, 1}, {3, 7, 4}, {3, 8, 3}, {9, 3, 2}};
    const bool is_rooted = collective_table[bound->program->collective].rooted;
    bool right = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && right; i++) {
        const uint32_t p = ranks_of(shapes[i]), by = IS_SHORT ? p / 2 + 1 : p < 7 ? 1 : p / 3;
        if (IS_SHORT && p > 9)
            continue;
        for (uint32_t root = 0; root < (is_rooted ? p : 1) && right; root += by) {
            bind_on(bound, shapes[i], root);
            right = bound->schedule ? is_right(bound, label)
                                    : bound->diagnostics.n_of_code[CODE_E009] > 0;
            n->all += bound->schedule != NULL;
            n->unequal += bound->schedule && is_unequal(shapes[i]);
            unbind(bound);
        }
    }
    return right;
}

/* True if the pair is right. Algorithms with several coordinates cannot be part of a pair, and say so. */
static bool try_pair(const struct embedded_file *file, const char *outer, const char *inner,
                     struct count *n)
{
    const struct parameter_setting settings[] = {{.name = "outer", .text = outer},
                                                 {.name = "inner", .text = inner}};
    struct bound bound = {.program = NULL};
    const struct source *source =
        source_of_text(file->path, file->text, file->length, &bound.arena);
    const char *label = arena_printf(&bound.arena, "%s of %s and %s", file->path, outer, inner);
    bound.program = program_read_with(source, settings, 2, &bound.diagnostics);
    bool right = bound.program ? try_shapes(&bound, label, n)
                               : bound.diagnostics.n_of_code[CODE_E011] ||
                                     bound.diagnostics.n_of_code[CODE_E003];
    if (!right)
        say(&bound, label);
    close_bound(&bound);
    return right;
}

/* The name in "COLLECTIVE/NAME", or NULL for another collective. */
static const char *name_of(const char *algorithm, const char *collective)
{
    size_t length = strlen(collective);
    bool is_of = strncmp(algorithm, collective, length) == 0 && algorithm[length] == '/';
    return is_of ? algorithm + length + 1 : NULL;
}

static struct count try_pairs(const struct embedded_file *file, const char *outers,
                              const char *inners)
{
    char outer[SCENE_NAME], inner[SCENE_NAME];
    struct count n_pairs = {0, 0};
    for (size_t i = 0; i < n_embedded_files; i++)
        for (size_t j = 0; j < n_embedded_files; j++) {
            struct count n = {0, 0};
            if ((IS_SHORT && (i + j) % 4) || !scene_algorithm(i, outer) || !name_of(outer, outers) ||
                !scene_algorithm(j, inner) || !name_of(inner, inners))
                continue;
            CU_ASSERT(try_pair(file, name_of(outer, outers), name_of(inner, inners), &n));
            n_pairs.all += n.all > 0;
            n_pairs.unequal += n.unequal > 0;
        }
    return n_pairs;
}

static const struct embedded_file *file_of(const char *name)
{
    char path[SCENE_NAME];
    snprintf(path, sizeof path, "compiler/algorithms/%s.coll", name);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, path) == 0)
            return &embedded_files[i];
    return NULL;
}

static void test_pairs(void)
{
    static const struct {
        const char *name, *outers, *inners;
        unsigned least, least_unequal;
    } all[] = {{"bcast/hierarchical", "bcast", "bcast", 100, 100},
               {"reduce/hierarchical", "reduce", "reduce", 49, 90},
               {"allreduce/hierarchical", "allreduce", "reduce", 50, 140},
               {"allgather/hierarchical", "allgather", "gather", 16, 36},
               {"gather/hierarchical", "gather", "gather", 4, 16},
               {"scatter/hierarchical", "scatter", "scatter", 4, 9},
               {"reduce_scatter_block/hierarchical", "reduce_scatter_block",
                "reduce_scatter_block", 36, 0},
               {"reduce_scatter_block/two_level", "reduce_scatter_block", "scatter", 48, 21},
               {"alltoall/two_phase", "alltoall", "alltoall", 36, 0},
               {"barrier/hierarchical", "barrier", "barrier", 49, 16}};
    printf("pairs, and on unequal servers:");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct embedded_file *file = file_of(all[i].name);
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        struct count n = try_pairs(file, all[i].outers, all[i].inners);
        printf(" %u %u,", n.all, n.unequal);
        CU_ASSERT(n.all >= enough(all[i].least / (IS_SHORT ? 8 : 1)));
        CU_ASSERT(n.unequal >= enough(all[i].least_unequal / (IS_SHORT ? 8 : 1)));
    }
    printf(" ");
}

/* ---- names ---- */

/* True if names differ. It looks at names of the header, which are in one block. */
static bool are_names_unique(const struct program *program)
{
    bool is_unique = true;
    for (uint32_t i = 0; i < program->n_variables; i++)
        for (uint32_t j = 0; j < i && is_unique; j++)
            is_unique = !program->variables[i].value || !program->variables[j].value ||
                        strcmp(program->variables[i].name, program->variables[j].name) != 0;
    return is_unique;
}

static void test_names(void)
{
    static const char *const names[] = {"alltoall/two_phase", "allgather/hierarchical",
                                        "allreduce/hierarchical", "bcast/hierarchical"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct embedded_file *file = file_of(names[i]);
        struct bound bound;
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        open_text(&bound, file->text);
        CU_ASSERT_PTR_NOT_NULL_FATAL(bound.program);
        CU_ASSERT(are_names_unique(bound.program));
        close_bound(&bound);
    }
}

/* ---- refusals ---- */

enum { MULTIPLE_LEVELS = 7 };

static uint64_t refusals_of(const char *path, uint32_t code)
{
    struct bound bound = {.program = NULL};
    const struct source *source = source_read(path, 1 << 20, &bound.arena, &bound.diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    bound.program = program_read(source, &bound.diagnostics);
    CU_ASSERT_PTR_NULL(bound.program);
    uint64_t n = bound.diagnostics.n_of_code[code];
    close_bound(&bound);
    return n;
}

static void write_file(const char *path, const char *run, unsigned n)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "barrier self\nranks r: p\n");
    for (unsigned i = 0; i < n; i++)
        fprintf(file, "run barrier/%s over r\n", run);
    fclose(file);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "%s", text);
    fclose(file);
}

/* out[k] = out[k + k + ...]: every run around makes twenty of one. */
static void write_multiple(const char *folder, unsigned level)
{
    char path[64];
    snprintf(path, sizeof path, "%s/n%u.coll", folder, level);
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "allgather n%u\nranks r: p\nrun allgather/", level);
    fprintf(file, level < MULTIPLE_LEVELS ? "n%u" : "ring", level + 1);
    fprintf(file, " over r with in = in, out[k] = out[k");
    for (unsigned i = 1; i < 20; i++)
        fprintf(file, " + k");
    fprintf(file, "]\n");
    fclose(file);
}

static void test_multiple(void)
{
    char folder[] = "/tmp/collc-run-XXXXXX", path[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    for (unsigned level = 1; level <= MULTIPLE_LEVELS; level++)
        write_multiple(folder, level);
    snprintf(path, sizeof path, "%s/n1.coll", folder);
    CU_ASSERT_EQUAL(refusals_of(path, CODE_E010), 1);
    for (unsigned level = 1; level <= MULTIPLE_LEVELS; level++) {
        snprintf(path, sizeof path, "%s/n%u.coll", folder, level);
        remove(path);
    }
    rmdir(folder);
}

/* True if the algorithm of a file does what it should. */
static bool is_complete(const char *path, uint32_t servers, uint32_t slots)
{
    struct bound bound = {.program = NULL};
    const struct source *source = source_read(path, 1 << 20, &bound.arena, &bound.diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(source);
    bound.program = program_read(source, &bound.diagnostics);
    if (bound.program)
        bind_on(&bound, (struct shape){servers, slots, 0}, 0);
    bool is_complete = false;
    if (bound.schedule) {
        struct verify_request request = {.placement = bound.placement};
        struct verify_report report = {0};
        is_complete = verify_schedule(bound.schedule, &request, &report, &bound.diagnostics) &&
                      report.is_complete && !diagnostics_has_errors(&bound.diagnostics);
        verify_report_free(&report);
    }
    if (!is_complete)
        say(&bound, path);
    close_bound(&bound);
    return is_complete;
}

/* The halves of every chunk go round in two directions; the segments are those of p ranks, and
 * here of the ranks of a server. */
static void test_segments(void)
{
    static const char inner[] =
        "allgather cut(segments = 2)\nranks r: p\ntmp j: p*segments like out[j/segments; j mod segments]\n"
        "copy in to out[r]\nfor i in 0 .. p-2\n  step\n"
        "    copy out[r-i; segments-1] to tmp[(i+1)*segments-1]\n"
        "    send out[r-i; 0 .. segments-2] to r + 1\n    send tmp[(i+1)*segments-1] to r + 1\n"
        "    recv out[r-i-1; 0 .. segments-2] from r - 1\n    recv out[r-i-1; segments-1] from r - 1\n";
    static const char outer[] =
        "allgather outer\nranks (s: servers, l: slots)\ntmp 3 * slots + 3\n"
        "let own = 3 * slots\n"
        "copy in to tmp[own+2]\ncopy in to tmp[own+1]\ncopy in to tmp[own]\n"
        "run allgather/cut(segments = 3) over l with in = tmp[own .. own+2], out = tmp[0 .. own-1]\n"
        "for k in 0 .. slots-1\n  copy tmp[3*k+1] to out[s, k]\n"
        "if servers > 1\n  for j in 1 .. servers-1\n    step\n      for k in 0 .. slots-1\n"
        "        send tmp[3*k+2] to (s+j, l)\n        recv out[s-j, k] from (s-j, l)\n";
    char folder[] = "/tmp/collc-run-XXXXXX", path[2][64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path[0], sizeof path[0], "%s/cut.coll", folder);
    snprintf(path[1], sizeof path[1], "%s/outer.coll", folder);
    write_text(path[0], inner);
    write_text(path[1], outer);
    CU_ASSERT(is_complete(path[0], 5, 1));
    for (uint32_t slots = 1; slots <= 4; slots++)
        CU_ASSERT(is_complete(path[1], 3, slots));
    write_text(path[1], "allgather outer\nranks r: p\nrun allgather/cut over r with in = in, out[k] = out[k]\n");
    CU_ASSERT_EQUAL(refusals_of(path[1], CODE_E011), 1);
    write_text(path[1], "allgather outer(segments = 2)\nranks r: p\n"
                        "run allgather/ring over r with in = in, out = out\n");
    CU_ASSERT_EQUAL(refusals_of(path[1], CODE_E011), 1);
    remove(path[0]);
    remove(path[1]);
    rmdir(folder);
}

static void test_refusals(void)
{
    char folder[] = "/tmp/collc-run-XXXXXX", path[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/self.coll", folder);
    write_file(path, "self", 3);
    CU_ASSERT_EQUAL(refusals_of(path, CODE_E010), 1);
    write_file(path, "dissemination", 1000);
    CU_ASSERT_EQUAL(refusals_of(path, CODE_E010), 1);
    remove(path);
    rmdir(folder);
}

UNIT_PROGRAM(test_run)
{
    CU_TestInfo tests[] = {{"an algorithm over all ranks is that algorithm", test_identity},
                           {"all pairs", test_pairs},
                           {"names", test_names},
                           {"refusals", test_refusals},
                           {"segments", test_segments},
                           {"expressions that multiply", test_multiple},
                           CU_TEST_INFO_NULL};
    return run_suite("runs of algorithms", tests);
}
