/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Emitters: C for an MPI and drawings, as text. That the C is right is the
 * business of tests/mpi/run; here it is that expressions keep their meaning,
 * that nothing unused is printed, that names and comments cannot break the C,
 * and that outputs are those of tests/golden/emit (BLESS=1 rewrites them).
 */
#include "compiler/language/language.h"
#include "emitters/emit.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <cgraph.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- helpers ----------------------------------------------------------- */

static void emit_text(const char *coll, const struct emit_c_options *options, struct text *out)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text messages = {0};
    const struct source *source = source_of_text("test.coll", coll, strlen(coll), &arena);
    struct program *program = program_read(source, &diagnostics);
    if (program) {
        emit_mpi_c_program(program, options, out);
    } else {
        diagnostics_print(&diagnostics, &messages, false);
        printf("\n%s", messages.data);
    }
    CU_ASSERT_FATAL(program != NULL);
    program_free(program);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    text_free(&messages);
}

static bool has(const struct text *text, const char *part)
{
    return text->data && strstr(text->data, part) != NULL;
}

static void check_has(const struct text *text, const char *part, bool wanted, int line)
{
    if (has(text, part) != wanted)
        printf("\n  line %d: '%s' is %s", line, part, wanted ? "missing" : "there");
    CU_ASSERT(has(text, part) == wanted);
}
#define HAS(text, part) check_has(text, part, true, __LINE__)
#define LACKS(text, part) check_has(text, part, false, __LINE__)

static void read_file(const char *path, struct text *out)
{
    char block[4096];
    FILE *file = fopen(path, "r");
    for (size_t n; file && (n = fread(block, 1, sizeof block, file)) > 0;)
        text_append(out, block, n);
    if (file)
        fclose(file);
}

static void compare_golden(const char *name, const struct text *actual)
{
    struct text expected = {0};
    char path[256];
    snprintf(path, sizeof path, "tests/golden/emit/%s", name);
    if (getenv("BLESS")) {
        FILE *file = fopen(path, "w");
        CU_ASSERT_FATAL(file != NULL);
        fwrite(actual->data, 1, actual->length, file);
        fclose(file);
    }
    read_file(path, &expected);
    bool is_same = expected.length == actual->length && expected.length > 0 &&
                   memcmp(expected.data, actual->data, actual->length) == 0;
    if (!is_same)
        printf("\n  the text differs from %s", path);
    CU_ASSERT(is_same);
    text_free(&expected);
}

static struct test_scene *open_scene(const struct scene_spec *spec)
{
    struct test_scene *scene = mem_alloc(1, sizeof *scene);
    bool is_open = scene_open(scene, spec);
    if (!is_open)
        printf("\n  cannot open %s", spec->algorithm);
    CU_ASSERT_FATAL(is_open);
    return scene;
}

static void close_scene(struct test_scene *scene)
{
    scene_close(scene);
    free(scene);
}

/* --- expressions and names --------------------------------------------- */

static void test_expressions(void)
{
    static const struct {
        const char *coll, *c;
    } cases[] = {
        {"r + 1 - 2", "r + 1 - 2"},
        {"r - (1 - 2)", "r - (1 - 2)"},
        {"(r + 1) * 2", "(r + 1) * 2"},
        {"r * (p - 1)", "r * (p - 1)"},
        {"r xor p + 1", "r ^ (p + 1)"},
        {"(r xor 1) + p", "(r ^ 1) + p"},
        {"r xor 1 == p", "(r ^ 1) == p"},
        {"-r - -p", "-r - (-p)"},
        {"- - r", "-(-r)"},
        {"not r == p", "r != p"},
        {"(not r == p) == (p < 3)", "(r != p) == (p < 3)"},
        {"r * (not p)", "r * (p == 0)"},
        {"p + (not (r < 1 and p))", "p + (!(r < 1 && p != 0))"},
        {"p == -r", "p == -r"},
        {"r < 1 and p > 2 or r == 5", "(r < 1 && p > 2) || r == 5"},
        {"r < 1 and (p > 2 or r == 5)", "r < 1 && (p > 2 || r == 5)"},
        {"r and p * 2", "r != 0 && p * 2 != 0"},
        {"r / 2 mod 3", "collc_mod(collc_div(r, 2), 3)"},
        {"2^r^2", "collc_pow(2, collc_pow(r, 2))"},
        {"(r < p) + 1", "(r < p) + 1"},
        {"min(r, max(1, abs(-r)))", "collc_min(r, collc_max(1, collc_abs(-r)))"},
        {"ceil_log2(p) + floor_log2(p)", "collc_ceil_log2(p) + collc_floor_log2(p)"},
        {"ceil_log(3, p) + reverse_bits(r, 4)", "collc_ceil_log(3, p) + collc_reverse_bits(r, 4)"},
        {"reverse_digits(3, r, 2)", "collc_reverse_digits(3, r, 2)"},
        {"circulant_block(p, -r, p - 1)", "collc_circulant_block(p, -r, p - 1)"},
        {"r + 5000000000", "r + INT64_C(5000000000)"},
    };
    const struct emit_c_options options = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text coll = {0}, out = {0}, expected = {0};
        text_printf(&coll, "alltoall test\nranks r: p\nlet v = %s\nstep\n  send in[v] to r\n",
                    cases[i].coll);
        text_printf(&expected, "const int64_t v = %s;", cases[i].c);
        emit_text(coll.data, &options, &out);
        HAS(&out, expected.data);
        text_free(&coll);
        text_free(&out);
        text_free(&expected);
    }
}

/* Words of C and of the run time are fine names in the language. */
static void test_names(void)
{
    struct text out = {0};
    const struct emit_c_options options = {.function = "my_alltoall"};
    emit_text("alltoall double(int = 3)\nranks run: p\n"
              "for register in 0 .. int\n  step\n    send in[run+register] to run\n",
              &options, &out);
    HAS(&out, "const int64_t my_int = 3;");
    HAS(&out, "const int64_t my_run = run->coordinate[0];");
    HAS(&out, "for (int64_t my_register = 0; my_register <= my_int; my_register++)");
    HAS(&out, "int my_alltoall(const void *sendbuf");
    HAS(&out, "return my_alltoall(sendbuf"); /* the shim */
    LACKS(&out, "collc_alltoall_double");
    text_free(&out);
}

static void test_comment(void)
{
    struct text out = {0};
    const struct emit_c_options options = {0};
    emit_text("# ends */ here and begins /* again */*/\nbarrier b\nranks r: p\n"
              "step\n  send to r + 1\n  recv from r - 1\n",
              &options, &out);
    const char *first = strstr(out.data, "*/"), *end = strstr(out.data, "#include");
    CU_ASSERT_FATAL(first != NULL && end != NULL);
    HAS(&out, " * ends * / here and begins / * again * / * /");
    /* the licence's comment, the heading's, and nothing between */
    const char *second = strstr(first + 2, "*/");
    CU_ASSERT(second < end && strstr(second + 2, "*/") > end);
    text_free(&out);
}

/* --- nothing unused ---------------------------------------------------- */

static void test_only_what_is_used(void)
{
    struct text out = {0};
    const struct emit_c_options options = {0};
    emit_text("barrier b\nranks r: p\nlet unused = p * 2\ndef never(x)\n  step\n    send to x\n"
              "step\n  send to r + 1\n  recv from r - 1\n",
              &options, &out);
    LACKS(&out, "unused");
    LACKS(&out, "never");
    LACKS(&out, "collc_buffer");
    LACKS(&out, "collc_copy");
    LACKS(&out, "collc_div");
    LACKS(&out, "COLLC_SLOTS");
    LACKS(&out, "int main");
    HAS(&out, "PMPI_Barrier(comm)");
    text_free(&out);
    emit_text("bcast b\nranks r: p from root\nstep\n  if r == 0  send buf to 1\n"
              "  if r == 1  recv buf from 0\n",
              &options, &out);
    LACKS(&out, "collc_reduce");
    LACKS(&out, "collc_unpack");
    LACKS(&out, "collc_move");
    LACKS(&out, "collc_begin_window");
    HAS(&out, "    if (r == 0)\n        collc_send(run, buf, 0, 1, collc_at(run, 1));\n");
    text_free(&out);
}

static void test_parameters_and_grid(void)
{
    struct text out = {0};
    const char *coll = "alltoall g(k = 2)\nranks (x: nx, y: ny)\nrequires nx == ny\n"
                       "for i in 1 .. k\n  step\n    send in[x+i, y] to (x+i, y)\n"
                       "    recv out[x-i, y] from (x-i, y)\n";
    struct emit_c_options options = {.grid = {3, 5}, .n_grid = 2};
    emit_text(coll, &options, &out);
    HAS(&out, "const int64_t nx = 3;");
    HAS(&out, "if (run->p != 3 * 5)");
    HAS(&out, "run->stride[0] = 1;"); /* x is fastest */
    LACKS(&out, "MPI_Dims_create");
    text_free(&out);
    options.n_grid = 0;
    int64_t values[64] = {0};
    for (size_t i = 0; i < 64; i++)
        values[i] = 7;
    options.parameters = values;
    emit_text(coll, &options, &out);
    HAS(&out, "MPI_Dims_create(run->p, 2, run->grid)");
    HAS(&out, "const int64_t k = 7;");
    HAS(&out, "if (nx != ny)");
    text_free(&out);
}

static void test_grid_functions(void)
{
    struct text out = {0};
    const char *coll = "bcast g\nranks r: p from root\nfor d in 0 .. dimensions-1\n  step\n"
                       "    send buf to shift(r, d, 1)\n    recv buf from shift(r, d, -1)\n";
    struct emit_c_options options = {.grid = {3, 5, 2, 2}, .n_grid = 4};
    emit_text(coll, &options, &out);
    HAS(&out, "const int64_t dimensions = 4;");
    HAS(&out, "if (run->p != 3 * 5 * 2 * 2)");
    HAS(&out, "run->grid[3] = 2;");
    HAS(&out, "run->first = run->root;");
    HAS(&out, "collc_at(run, collc_shift(run, r, d, 1))");
    LACKS(&out, "collc_coordinate(");
    text_free(&out);
    options.n_grid = 0;
    emit_text(coll, &options, &out);
    HAS(&out, "MPI_Dims_create(run->p, 3, run->grid)");
    HAS(&out, "const int64_t dimensions = run->dimensions;");
    text_free(&out);
}

/* --- golden texts ------------------------------------------------------ */

static void test_golden_programs(void)
{
    static const struct {
        const char *algorithm, *topology, *file;
        bool with_main;
    } cases[] = {
        {"alltoall/two_level_ring", "star:4", "two_level_ring.txt", false},
        {"allreduce/recursive_doubling", "star:4", "recursive_doubling.txt", false},
        {"reduce/trinaryx3", "torus:3x2x1", "trinaryx3.txt", false},
        {"barrier/dissemination", "star:4", "dissemination-main.txt", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct scene_spec spec = {.algorithm = cases[i].algorithm,
                                        .topology = cases[i].topology};
        const struct emit_c_options options = {.with_main = cases[i].with_main};
        struct test_scene *scene = open_scene(&spec);
        struct text out = {0};
        emit_mpi_c_program(scene->program, &options, &out);
        compare_golden(cases[i].file, &out);
        text_free(&out);
        close_scene(scene);
    }
}

static void test_golden_table(void)
{
    const struct scene_spec spec = {
        .algorithm = "bcast/chain", .topology = "star:3", .parameter = "segments", .value = 2, .root = 1};
    const struct emit_c_options options = {0};
    struct test_scene *scene = open_scene(&spec);
    struct text out = {0};
    CU_ASSERT(emit_mpi_c_schedule(scene->schedule, &options, &out));
    HAS(&out, "return run->p == 3 && run->root == 1;");
    compare_golden("chain-table.txt", &out);
    text_free(&out);
    close_scene(scene);
}

static bool next_fails(struct schedule *schedule, struct step *step)
{
    (void)step;
    schedule->failed = true;
    return false;
}

static void rewind_nothing(struct schedule *schedule)
{
    schedule->failed = false;
}

static void test_failed_schedule(void)
{
    struct schedule schedule = {.header = {.collective = COLLECTIVE_bcast, .n_ranks = 2, .segments = 1},
                                .next = next_fails,
                                .rewind = rewind_nothing};
    const struct emit_c_options options = {0};
    struct text out = {0};
    CU_ASSERT(!emit_mpi_c_schedule(&schedule, &options, &out));
    CU_ASSERT(!draw_tree(&schedule, &out));
    CU_ASSERT(out.length == 0);
    text_free(&out);
}

/* --- drawings ---------------------------------------------------------- */

static size_t count(const struct text *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text->data; at && (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void draw_spec(const char *spec, uint64_t load_of_first, struct text *out)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    uint64_t *load = mem_alloc(topology->n_link_ids, sizeof *load);
    uint32_t first = 0;
    while (!topology_has_link(topology, first))
        first++;
    load[first] = load_of_first;
    const struct emit_request request = {.topology = topology, .link_load = load_of_first ? load : NULL};
    CU_ASSERT(!emit_drawing_topology(&request, out));
    free(load);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_golden_drawings(void)
{
    static const struct {
        const char *spec, *file;
        uint64_t load;
    } cases[] = {{"star:3", "star.dot", 0},
                 {"fattree:2x2", "fattree-load.dot", 5},
                 {"torus:3x3", "torus-load.dot", 3},
                 {"full:3", "full.dot", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        draw_spec(cases[i].spec, cases[i].load, &out);
        compare_golden(cases[i].file, &out);
        text_free(&out);
    }
}

/* One direction loaded: one arrow each way; no load: one line for both. */
static void test_directions(void)
{
    struct text with = {0}, without = {0};
    draw_spec("star:3", 4, &with);
    draw_spec("star:3", 0, &without);
    CU_ASSERT(count(&without, " -> ") == 3);
    CU_ASSERT(count(&with, " -> ") == 4);
    CU_ASSERT(count(&with, "dir=none") == 2);
    text_free(&with);
    text_free(&without);
}

static void test_large_topologies(void)
{
    static const char *const specs[] = {"star:5000", "fattree:50x50x4", "torus:60x60", "full:300"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct text out = {0}, again = {0};
        draw_spec(specs[i], 9, &out);
        draw_spec(specs[i], 9, &again);
        HAS(&out, "too many to draw each");
        HAS(&out, "machines");
        if (out.length > 4000000)
            printf("\n  %s: %zu bytes", specs[i], out.length);
        CU_ASSERT(out.length <= 4000000);
        CU_ASSERT(out.length == again.length && memcmp(out.data, again.data, out.length) == 0);
        text_free(&out);
        text_free(&again);
    }
}

/* --- fabrics in rows: places read by cgraph, measured by points on lines --- */

struct drawn_box {
    double x, y, width, height; /* inches */
};

static struct drawn_box box_of(Agnode_t *node)
{
    struct drawn_box box = {0};
    CU_ASSERT(sscanf(agget(node, (char *)"pos"), "%lf,%lf", &box.x, &box.y) == 2);
    box.x /= 72;
    box.y /= 72;
    box.width = atof(agget(node, (char *)"width"));
    box.height = atof(agget(node, (char *)"height"));
    return box;
}

static bool has_point(const struct drawn_box *box, double x, double y)
{
    return fabs(x - box->x) < box->width / 2 && fabs(y - box->y) < box->height / 2;
}

/* Points of a line that lie in a box, of many that it is sampled at: cubic curves as DOT has them. */
static size_t points_within(Agedge_t *edge, const struct drawn_box *box)
{
    enum { N_SAMPLES = 200 };
    const char *at = agget(edge, (char *)"pos");
    double x[4], y[4];
    int used;
    size_t n_within = 0;
    while (*at == 'e' || *at == 's')
        at = strchr(at, ' ') + 1;
    CU_ASSERT_FATAL(sscanf(at, "%lf,%lf%n", &x[0], &y[0], &used) == 2);
    at += used;
    while (sscanf(at, " %lf,%lf %lf,%lf %lf,%lf%n", &x[1], &y[1], &x[2], &y[2], &x[3], &y[3], &used) == 6) {
        at += used;
        for (int i = 0; i <= N_SAMPLES; i++) {
            const double t = (double)i / N_SAMPLES, u = 1 - t;
            const double part[] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
            double at_x = 0, at_y = 0;
            for (int k = 0; k < 4; k++) {
                at_x += part[k] * x[k] / 72;
                at_y += part[k] * y[k] / 72;
            }
            n_within += has_point(box, at_x, at_y);
        }
        x[0] = x[3];
        y[0] = y[3];
    }
    return n_within;
}

/* Lines that run through the box of a node, and of those the ones through its very middle. */
static void count_through(Agraph_t *graph, const struct drawn_box *box, size_t *n, size_t *n_middle)
{
    const struct drawn_box middle = {box->x, box->y, 0.12, 0.12};
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node))
        for (Agedge_t *edge = agfstout(graph, node); edge; edge = agnxtout(graph, edge)) {
            *n += points_within(edge, box) > 0;
            *n_middle += points_within(edge, &middle) > 0;
        }
}

static bool is_label(Agnode_t *node)
{
    return strncmp(agnameof(node), "label", 5) == 0;
}

/* Labels in a drawing, those that hide another line, too, and pairs of boxes that overlap. */
struct figures {
    size_t n_labels, n_hiding, n_overlaps;
};

static struct figures measure(const struct text *dot)
{
    struct figures found = {0};
    Agraph_t *graph = agmemread(dot->data);
    CU_ASSERT_FATAL(graph != NULL);
    for (Agnode_t *node = agfstnode(graph); node; node = agnxtnode(graph, node)) {
        const struct drawn_box box = box_of(node);
        size_t n = 0, n_middle = 0;
        for (Agnode_t *other = agnxtnode(graph, node); other; other = agnxtnode(graph, other)) {
            const struct drawn_box to = box_of(other);
            found.n_overlaps += fabs(box.x - to.x) < (box.width + to.width) / 2 &&
                                fabs(box.y - to.y) < (box.height + to.height) / 2;
        }
        if (!is_label(node))
            continue;
        count_through(graph, &box, &n, &n_middle);
        found.n_labels++;
        found.n_hiding += n > 1;
        CU_ASSERT(n_middle >= 1 && n >= 1);
    }
    agclose(graph);
    return found;
}

/* Every label lies on a line, on no box and no other label, and almost none hides a second line. */
static void test_labels_in_rows(void)
{
    static const struct {
        const char *file;
        size_t n_labels, most_hiding;
    } cases[] = {{"examples/clusters/loginoff-qdr-fdr10-2014.txt", 12, 2},
                 {"examples/clusters/plafrim1.txt", 8, 0},
                 {"examples/clusters/plafrim2-0.txt", 10, 1},
                 {"fattree:24x4,up=1x3", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        draw_spec(cases[i].file, 7, &out);
        const struct figures found = measure(&out);
        if (found.n_labels != cases[i].n_labels || found.n_hiding > cases[i].most_hiding || found.n_overlaps)
            printf("\n  %s: %zu labels, %zu hide a line, %zu overlaps", cases[i].file, found.n_labels,
                   found.n_hiding, found.n_overlaps);
        CU_ASSERT(found.n_labels == cases[i].n_labels);
        CU_ASSERT(found.n_hiding <= cases[i].most_hiding);
        CU_ASSERT(found.n_overlaps == 0);
        text_free(&out);
    }
}

static void test_golden_steps(void)
{
    struct step step;
    const struct scene_spec spec = {.algorithm = "alltoall/ring",
                                    .topology = "star:3",
                                    .n_ranks = 5,
                                    .ranks_per_machine = 2,
                                    .placement = "block"};
    struct test_scene *scene = open_scene(&spec);
    struct text out = {0};
    scene->schedule->rewind(scene->schedule);
    for (int i = 0; i <= 1; i++)
        CU_ASSERT_FATAL(scene->schedule->next(scene->schedule, &step));
    draw_step(&scene->schedule->header, scene->placement, &step, &out);
    /* rank 4, alone on its server, sends to server 0, and so does rank 0 of it */
    compare_golden("ring-step.dot", &out);
    text_free(&out);
    draw_step(&scene->schedule->header, NULL, &step, &out);
    CU_ASSERT(count(&out, " -> ") == 5);
    LACKS(&out, "server");
    text_free(&out);
    close_scene(scene);
}

static void test_golden_tree(void)
{
    const struct scene_spec spec = {.algorithm = "bcast/binomial", .topology = "star:5", .root = 2};
    struct test_scene *scene = open_scene(&spec);
    struct text out = {0};
    CU_ASSERT(draw_tree(scene->schedule, &out));
    CU_ASSERT(count(&out, " -> ") == 4);
    compare_golden("binomial-tree.dot", &out);
    text_free(&out);
    close_scene(scene);
}

UNIT_PROGRAM(test_emit)
{
    CU_TestInfo tests[] = {
        {"expressions", test_expressions},
        {"names", test_names},
        {"comment", test_comment},
        {"only what is used", test_only_what_is_used},
        {"parameters and grid", test_parameters_and_grid},
        {"functions of grids", test_grid_functions},
        {"golden programs", test_golden_programs},
        {"golden table", test_golden_table},
        {"failed schedule", test_failed_schedule},
        {"golden drawings", test_golden_drawings},
        {"directions", test_directions},
        {"large topologies", test_large_topologies},
        {"labels in rows", test_labels_in_rows},
        {"golden steps", test_golden_steps},
        {"golden tree", test_golden_tree},
        CU_TEST_INFO_NULL,
    };
    return run_suite("emit", tests);
}
