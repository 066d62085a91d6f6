/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The language: what trees the parser makes, which values are the same on every
 * rank, limits at their exact border, and that printing and reading are inverse.
 * The wording of messages is tested by tests/golden/language.
 */
#include "tests/unit/suite.h"
#include "compiler/language/language.h"
#include "base/embedded.h"
#include "base/codes.h"
#include "ir/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One text read; open, look, close. */
struct reading {
    struct diagnostics diagnostics;
    struct arena arena;
    struct program *program;
};

static void open_text(struct reading *reading, const char *text, size_t length)
{
    *reading = (struct reading){.program = NULL};
    const struct source *source = source_of_text("test", text, length, &reading->arena);
    reading->program = program_read_as_written(source, &reading->diagnostics);
}

static void close_text(struct reading *reading)
{
    program_free(reading->program);
    diagnostics_free(&reading->diagnostics);
    arena_free(&reading->arena);
}

static bool says_why(const struct reading *reading, const char *what)
{
    if (reading->program)
        return true;
    struct text text = {0};
    diagnostics_print(&reading->diagnostics, &text, false);
    printf("%s was refused:\n%s", what, text.data);
    text_free(&text);
    return false;
}

static void print_of(const char *text, size_t length, const char *what, struct text *out)
{
    struct reading reading;
    open_text(&reading, text, length);
    if (says_why(&reading, what))
        program_print(reading.program, out);
    close_text(&reading);
}

/* --- built-in algorithms ----------------------------------------------- */

static bool is_algorithm(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".coll") == 0;
}

static void test_built_in(void)
{
    int n = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (!is_algorithm(file->path))
            continue;
        struct text text = {0};
        print_of(file->text, file->length, file->path, &text);
        bool is_same =
            text.length == file->length && memcmp(text.data, file->text, text.length) == 0;
        if (!is_same)
            printf("%s is not in canonical layout\n", file->path);
        CU_ASSERT(is_same);
        text_free(&text);
        n++;
    }
    CU_ASSERT(n >= 14);
}

static void test_names_match_paths(void)
{
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (!is_algorithm(file->path))
            continue;
        struct reading reading;
        char path[256];
        open_text(&reading, file->text, file->length);
        CU_ASSERT_FATAL(says_why(&reading, file->path));
        snprintf(path, sizeof path, "compiler/algorithms/%s/%s.coll",
                 collective_name(reading.program->collective, reading.program->form), reading.program->name);
        CU_ASSERT_STRING_EQUAL(path, file->path);
        CU_ASSERT(strlen(reading.program->description) > 80);
        close_text(&reading);
    }
}

/* --- expressions -------------------------------------------------------- */

static void dump(const struct program *program, const struct expr *expr, struct text *out)
{
    static const char *const names[N_EXPR_KINDS] = {
        [EXPR_NEGATE] = "neg",
        [EXPR_NOT] = "not",
        [EXPR_CHOICE] = "if",
#define BINARY(kind, spelling, precedence, right, meaning) [EXPR_##kind] = spelling,
#define FUNCTION(kind, name, arity, meaning) [EXPR_##kind] = #name,
#include "ir/program.def"
    };
    if (expr->kind == EXPR_INTEGER) {
        text_printf(out, "%lld", (long long)expr->integer);
    } else if (expr->kind == EXPR_VARIABLE) {
        text_printf(out, "%s", program->variables[expr->variable].name);
    } else {
        text_printf(out, "(%s ", names[expr->kind]);
        dump(program, expr->a, out);
        const struct expr *const rest[] = {expr->b, expr->c};
        for (int i = 0; i < 2 && rest[i]; i++) {
            text_append(out, " ", 1);
            dump(program, rest[i], out);
        }
        text_append(out, ")", 1);
    }
}

static void expect_tree(const char *expression, const char *tree)
{
    struct reading reading;
    struct text source = {0}, found = {0};
    text_printf(&source, "barrier test\nrequires %s\nstep\n  send to p\n", expression);
    open_text(&reading, source.data, source.length);
    if (says_why(&reading, expression))
        dump(reading.program, reading.program->requirements->expr, &found);
    bool is_same = found.data && strcmp(found.data, tree) == 0;
    if (!is_same)
        printf("%s is %s, not %s\n", expression, found.data ? found.data : "nothing", tree);
    CU_ASSERT(is_same);
    text_free(&source);
    text_free(&found);
    close_text(&reading);
}

static void test_precedence(void)
{
    expect_tree("1 + 2 * 3", "(+ 1 (* 2 3))");
    expect_tree("1 if p else 2", "(if p 1 2)");
    expect_tree("1 or 0 if p > 2 and p < 4 else 2 + 1", "(if (and (> p 2) (< p 4)) (or 1 0) (+ 2 1))");
    expect_tree("1 if 2 else 3 if 4 else 5", "(if 2 1 (if 4 3 5))");
    expect_tree("(1 if 2 else 3) if 4 else 5", "(if 4 (if 2 1 3) 5)");
    expect_tree("1 if (2 if 3 else 4) else 5", "(if (if 3 2 4) 1 5)");
    expect_tree("1 + (2 if 3 else 4) * 5", "(+ 1 (* (if 3 2 4) 5))");
    expect_tree("min(1 if 2 else 3, not p if p else p)", "(min (if 2 1 3) (if p (not p) p))");
    expect_tree("1 - 2 - 3", "(- (- 1 2) 3)");
    expect_tree("2 ^ 3 ^ 4", "(^ 2 (^ 3 4))");
    expect_tree("-2 ^ 4", "(neg (^ 2 4))");
    expect_tree("2 ^ -p + 1", "(+ (^ 2 (neg p)) 1)");
    expect_tree("-p * p", "(* (neg p) p)");
    expect_tree("p mod 4 / 2 * 3", "(* (/ (mod p 4) 2) 3)");
    expect_tree("p xor 1 + 2", "(xor p (+ 1 2))");
    expect_tree("p xor 1 == 2", "(== (xor p 1) 2)");
    expect_tree("not p == 2 and p < 3 or p", "(or (and (not (== p 2)) (< p 3)) p)");
    expect_tree("p or p and p", "(or p (and p p))");
    expect_tree("not not p", "(not (not p))");
    expect_tree("(p or p) and p", "(and (or p p) p)");
    expect_tree("min(1, max(p, 3)) - abs(-p)", "(- (min 1 (max p 3)) (abs (neg p)))");
    expect_tree("ceil_log(3, p) + reverse_bits(p, 4)", "(+ (ceil_log 3 p) (reverse_bits p 4))");
    expect_tree("circulant_block(p, 5, 1 - p)", "(circulant_block p 5 (- 1 p))");
    expect_tree("ceil_log2(p) >= floor_log2(p)", "(>= (ceil_log2 p) (floor_log2 p))");
    expect_tree("9223372036854775807", "9223372036854775807");
    expect_tree("p!=1", "(!= p 1)");
    expect_tree("p<=1", "(<= p 1)");
}

/* --- programs ------------------------------------------------------------ */

/* The two programs that the design of the language started from. */
static const char two_level_ring[] = "# Naruse et al. 2010, figure 7\n"
                                     "alltoall two_level_ring\n"
                                     "ranks (s: servers, l: slots)\n"
                                     "for j in 0 .. servers-1\n"
                                     "  for k in 0 .. slots-1\n"
                                     "    step\n"
                                     "      send in[s+j, l+k] to (s+j, l+k)\n"
                                     "      recv out[s-j, l-k] from (s-j, l-k)\n";
static const char binomial[] =
    "# Imamura 2009, figure 1: binomial tree, segmented\n"
    "bcast binomial(segments = 1)\n"
    "ranks r: p from root\n"
    "for g in 0 .. segments-1\n"
    "  for k in 0 .. ceil_log2(p)-1\n"
    "    step\n"
    "      if r < 2^k and r + 2^k < p     send buf[g] to r + 2^k\n"
    "      if 2^k <= r and r < 2^(k+1)    recv buf[g] from r - 2^k\n";

static void test_two_level_ring(void)
{
    struct reading reading;
    open_text(&reading, two_level_ring, strlen(two_level_ring));
    CU_ASSERT_FATAL(says_why(&reading, "two_level_ring"));
    const struct program *program = reading.program;
    CU_ASSERT_EQUAL(program->collective, COLLECTIVE_alltoall);
    CU_ASSERT_STRING_EQUAL(program->name, "two_level_ring");
    CU_ASSERT_STRING_EQUAL(program->description, "Naruse et al. 2010, figure 7");
    CU_ASSERT_EQUAL(program->n_coordinates, 2);
    CU_ASSERT_STRING_EQUAL(program->variables[program->coordinate[1]].name, "l");
    CU_ASSERT_EQUAL(program->variables[program->extent[0]->variable].index, NAMED_servers);
    CU_ASSERT_EQUAL(program->segments, UINT32_MAX);
    CU_ASSERT_FALSE(program->from_root);
    const struct statement *step = program->body->body->body;
    CU_ASSERT_EQUAL_FATAL(step->kind, STATEMENT_STEP);
    const struct statement *send = step->body, *recv = send->next;
    CU_ASSERT_EQUAL(send->kind, STATEMENT_SEND);
    CU_ASSERT_EQUAL(send->chunks.buffer, BUFFER_IN);
    CU_ASSERT_EQUAL(send->chunks.n, 2);
    CU_ASSERT_PTR_NULL(send->chunks.last);
    CU_ASSERT_EQUAL(send->peer.n, 2);
    CU_ASSERT_EQUAL(recv->kind, STATEMENT_RECV);
    CU_ASSERT_EQUAL(recv->position.line, 8);
    CU_ASSERT_EQUAL(recv->position.column, 7);
    CU_ASSERT_PTR_NULL(recv->next);
    close_text(&reading);
}

static void test_binomial(void)
{
    struct reading reading;
    open_text(&reading, binomial, strlen(binomial));
    CU_ASSERT_FATAL(says_why(&reading, "binomial"));
    const struct program *program = reading.program;
    CU_ASSERT_TRUE(program->from_root);
    CU_ASSERT_NOT_EQUAL_FATAL(program->segments, UINT32_MAX);
    const struct variable *segments = &program->variables[program->segments];
    CU_ASSERT_EQUAL(segments->kind, VARIABLE_PARAMETER);
    CU_ASSERT_EQUAL(segments->value->integer, 1);
    const struct statement *first = program->body->body->body->body;
    CU_ASSERT_EQUAL(first->kind, STATEMENT_IF);
    CU_ASSERT_FALSE(first->expr->is_uniform);
    CU_ASSERT_EQUAL(first->body->kind, STATEMENT_SEND);
    CU_ASSERT_PTR_NULL(first->body->next);
    CU_ASSERT_EQUAL(first->next->body->kind, STATEMENT_RECV);
    close_text(&reading);
}

static const struct variable *find(const struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (strcmp(program->variables[i].name, name) == 0)
            return &program->variables[i];
    return NULL;
}

static void test_uniformity(void)
{
    static const char text[] = "bcast test(segments = 2)\n"
                               "ranks r: p\n"
                               "let top = p - 1\n"
                               "def same(a)\n"
                               "  for g in 0 .. a\n"
                               "    step\n"
                               "      send buf[g] to r\n"
                               "def varied(b, c)\n"
                               "  same(b)\n"
                               "  let d = c + 1\n"
                               "let half = r / 2\n"
                               "let twice = half + half\n"
                               "varied(top, 1)\n"
                               "varied(3, twice)\n"
                               "for k in 0 .. top\n"
                               "  let e = k * 2\n"
                               "  step\n"
                               "    for m in 0 .. r\n"
                               "      let f = e\n"
                               "      send buf to m\n";
    static const struct {
        const char *name;
        bool is_uniform;
    } expected[] = {{"p", true},     {"root", true},  {"segments", true}, {"r", false},
                    {"top", true},   {"a", true},     {"g", true},        {"b", true},
                    {"c", false},    {"d", false},    {"half", false},    {"twice", false},
                    {"k", true},     {"e", true},     {"m", false},       {"f", true}};
    struct reading reading;
    open_text(&reading, text, strlen(text));
    CU_ASSERT_FATAL(says_why(&reading, "uniformity"));
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct variable *variable = find(reading.program, expected[i].name);
        CU_ASSERT_PTR_NOT_NULL_FATAL(variable);
        if (variable->is_uniform != expected[i].is_uniform)
            printf("'%s' is %suniform\n", variable->name, variable->is_uniform ? "" : "not ");
        CU_ASSERT_EQUAL(variable->is_uniform, expected[i].is_uniform);
    }
    /* above the body the value is kept with the variable; in it, with the statement */
    CU_ASSERT_PTR_NOT_NULL(find(reading.program, "top")->value);
    CU_ASSERT_PTR_NULL(find(reading.program, "half")->value);
    CU_ASSERT_EQUAL(reading.program->body->kind, STATEMENT_LET);
    close_text(&reading);
}

static void test_description(void)
{
    static const char text[] = "# first\n#\n\n#  indented # twice\n  #last \nbarrier b # no\n# no\n"
                               "step\n  send to 0\n";
    struct reading reading;
    open_text(&reading, text, strlen(text));
    CU_ASSERT_FATAL(says_why(&reading, "description"));
    CU_ASSERT_STRING_EQUAL(reading.program->description, "first\n\n\n indented # twice\nlast");
    close_text(&reading);
}

/* --- refusals ------------------------------------------------------------- */

/* Exactly one error, of this code, there. */
static void expect_error(const char *text, uint32_t code, uint32_t line, uint32_t column)
{
    struct reading reading;
    open_text(&reading, text, strlen(text));
    const struct diagnostic *first = reading.diagnostics.first;
    bool is_it = !reading.program && first && !first->next && first->code == code &&
                 first->position.line == line && first->position.column == column;
    if (!is_it) {
        struct text found = {0};
        diagnostics_print(&reading.diagnostics, &found, false);
        printf("expected only %s at %u:%u of\n%s\n%s", code_table[code].id, line, column, text,
               found.data ? found.data : "accepted\n");
        text_free(&found);
    }
    CU_ASSERT(is_it);
    close_text(&reading);
}

static void test_refusals(void)
{
#define BARRIER "barrier b\nranks r: p\n"
#define BCAST "bcast b\nranks r: p from root\n"
#define STEP "step\n  send to r\n"
    expect_error("", CODE_E002, 1, 1);
    expect_error("   \n# nothing\n", CODE_E002, 3, 1);
    expect_error("  barrier b\nstep\n  send to 0\n", CODE_E001, 1, 3);
    expect_error("barrier 7\nranks r: p\n" STEP, CODE_E002, 1, 9);
    expect_error(BARRIER "step\n  send to r r\n", CODE_E002, 4, 13);
    expect_error(BARRIER "requires 1 < 2 == 3\n" STEP, CODE_E002, 3, 16);
    expect_error(BARRIER "requires (1 < 2) == 3 + $\n" STEP, CODE_E001, 3, 25);
    expect_error(BARRIER "step\nfor i in 0 .. 1\n  step\n    send to r\n", CODE_E002, 3, 1);
    expect_error(BARRIER "send to r\n", CODE_E002, 3, 1);
    expect_error(BARRIER "if r == 0\n  step\n    send to r\n", CODE_E006, 3, 4);
    expect_error(BARRIER "for i in 0 .. r\n  step\n    send to r\n", CODE_E006, 3, 15);
    expect_error(BARRIER "for i in 0 .. p by r\n  step\n    send to r\n", CODE_E006, 3, 20);
    expect_error(BARRIER "let r = 2\n" STEP, CODE_E004, 3, 5);
    expect_error(BARRIER "step\n  recv from rr\n", CODE_E003, 4, 13);
    expect_error(BARRIER "step\n  recv from (r, r)\n", CODE_E005, 4, 13);
    expect_error(BARRIER "step\n  reduce from r\n", CODE_E011, 4, 3);
    expect_error(BCAST "let segments = r\ncopy buf to buf\n", CODE_E006, 3, 16);
    expect_error(BCAST "step\n  send buf[0, 1] to r\n", CODE_E005, 4, 8);
    expect_error(BCAST "copy buf to buf\nlet segments = 3\n", CODE_E002, 4, 5);
    expect_error(BCAST "copy buf to tmp\n", CODE_E011, 3, 13);
    expect_error(BCAST "for i in 0 .. 1\n  copy buf to buf\ncopy buf to buf[i]\n", CODE_E003, 5,
                 17);
#undef BARRIER
#undef BCAST
#undef STEP
}

static void test_other_bytes(void)
{
    expect_error("barrier b\nstep\n  send to 0 # \xff\n", CODE_I003, 3, 15);
    struct reading reading;
    static const char text[] = "barrier b\nstep\n  send to 0\0\n";
    open_text(&reading, text, sizeof text - 1);
    CU_ASSERT_PTR_NULL(reading.program);
    CU_ASSERT_EQUAL(reading.diagnostics.n_of_code[CODE_I003], 1);
    close_text(&reading);
}

/* --- limits --------------------------------------------------------------- */

static void repeat(struct text *text, const char *piece, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_append(text, piece, strlen(piece));
}

static void expect_limit(struct text *text, bool is_accepted, const char *what)
{
    struct reading reading;
    open_text(&reading, text->data, text->length);
    if (is_accepted) {
        CU_ASSERT(says_why(&reading, what));
    } else {
        CU_ASSERT_PTR_NULL(reading.program);
        CU_ASSERT_EQUAL(reading.diagnostics.n_of_code[CODE_E010], 1);
        CU_ASSERT_EQUAL(reading.diagnostics.n_of_severity[SEVERITY_ERROR], 1);
    }
    close_text(&reading);
    text_free(text);
}

static void test_statement_limit(void)
{
    for (size_t n = 10000; n <= 10001; n++) {
        struct text text = {0};
        text_printf(&text, "bcast b\n");
        repeat(&text, "copy buf to buf\n", n);
        expect_limit(&text, n == 10000, "10000 statements");
    }
}

static void test_depth_limit(void)
{
    for (int n = 63; n <= 64; n++) {
        struct text text = {0};
        text_printf(&text, "barrier b\n");
        for (int i = 0; i < n; i++)
            text_printf(&text, "%*sfor i%d in 0 .. 1\n", i, "", i);
        text_printf(&text, "%*sstep\n%*ssend to 0\n", n, "", n + 1, "");
        expect_limit(&text, n == 63, "64 blocks");
    }
}

static void test_expression_limits(void)
{
    for (size_t n = 60; n <= 70; n += 10) {
        struct text text = {0};
        text_printf(&text, "barrier b\nrequires ");
        repeat(&text, "(", n);
        repeat(&text, "p", 1);
        repeat(&text, ")", n);
        text_printf(&text, "\nstep\n  send to 0\n");
        expect_limit(&text, n == 60, "60 parentheses");
    }
    for (size_t n = 499; n <= 501; n += 2) {
        struct text text = {0};
        text_printf(&text, "barrier b\nrequires p");
        repeat(&text, " + 1", n);
        text_printf(&text, "\nstep\n  send to 0\n");
        expect_limit(&text, n == 499, "999 words");
    }
}

static void test_size_limit(void)
{
    enum { LIMIT = 1024 * 1024 };
    for (size_t extra = 0; extra <= 1; extra++) {
        struct text text = {0};
        text_printf(&text, "barrier b\nstep\n  send to 0\n#");
        while (text.length < LIMIT + extra)
            text_append(&text, "x", 1);
        expect_limit(&text, extra == 0, "a file of 1 MiB");
    }
}

/* --- printing -------------------------------------------------------------- */

static void expect_print(const char *text, const char *printed)
{
    struct text once = {0}, twice = {0};
    print_of(text, strlen(text), text, &once);
    CU_ASSERT_PTR_NOT_NULL_FATAL(once.data);
    if (strcmp(once.data, printed) != 0)
        printf("printed:\n%s\nnot:\n%s\n", once.data, printed);
    CU_ASSERT_STRING_EQUAL(once.data, printed);
    print_of(once.data, once.length, "the printed text", &twice);
    CU_ASSERT_PTR_NOT_NULL_FATAL(twice.data);
    CU_ASSERT_STRING_EQUAL(once.data, twice.data);
    text_free(&once);
    text_free(&twice);
}

static void test_print(void)
{
    expect_print("barrier b()\nstep\n    send to(p)\n", "barrier b\nstep\n  send to p\n");
    expect_print("\n\n# a\n\n\n\n# b\nbarrier b\nstep #c\n  send to p;recv from p;#d\n#e\n\n",
                 "# a\n\n# b\nbarrier b\nstep  #c\n  send to p; recv from p  #d\n#e\n");
    expect_print("bcast b(k=(1))\nif p==k copy buf to buf\nelse if(p>2)\n     copy buf to buf\n"
                 "else copy buf[0..0] to buf[ 0 ]",
                 "bcast b(k = 1)\nif p == k  copy buf to buf\nelse if p > 2\n  copy buf to buf\n"
                 "else  copy buf[0 .. 0] to buf[0]\n");
    expect_print("bcast b\nif 1 copy buf to buf\nif 1 == 1 copy buf to buf\n\nif 1 copy buf to buf",
                 "bcast b\nif 1       copy buf to buf\nif 1 == 1  copy buf to buf\n\n"
                 "if 1  copy buf to buf\n");
    expect_print(two_level_ring, two_level_ring);
}

UNIT_PROGRAM(test_frontend)
{
    CU_TestInfo tests[] = {
        {"built-in algorithms are accepted and canonical", test_built_in},
        {"built-in algorithms are named as their files", test_names_match_paths},
        {"precedence and associativity", test_precedence},
        {"tree of the 2-level ring", test_two_level_ring},
        {"tree of the binomial tree", test_binomial},
        {"uniformity", test_uniformity},
        {"description", test_description},
        {"refusals: one error at the right place", test_refusals},
        {"refusals: not UTF-8 text", test_other_bytes},
        {"limit of statements", test_statement_limit},
        {"limit of nesting", test_depth_limit},
        {"limits of expressions", test_expression_limits},
        {"limit of the file", test_size_limit},
        {"printing", test_print},
        CU_TEST_INFO_NULL,
    };
    return run_suite("frontend", tests);
}
