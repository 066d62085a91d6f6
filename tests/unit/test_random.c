/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs written by chance, expanded both ways (naive.h): one form with expressions of any
 * kind, most of which fail somewhere, and whole programs with every statement over every kind
 * of `ranks` clause, most of which do not.
 */
#include "compiler/language/language.h"
#include "base/codes.h"
#include "network/formats/formats.h"
#include "tests/unit/expansions.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- expressions of any kind --------------------------------------------- */

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void random_expression(uint64_t *state, unsigned depth, struct text *out)
{
    static const char *const leaves[] = {"r", "i", "p", "k", "0", "1", "2", "3", "7", "63", "1000"};
    static const char *const binary[] = {"+",  "-",  "*",  "/", "mod", "+", "-",   "*",
                                         "==", "<=", "!=", ">", "and", "or", "xor", "^"};
    static const char *const functions[] = {"min", "max", "ceil_log", "reverse_bits",
                                            "abs", "ceil_log2", "floor_log2", "circulant_block",
                                            "reverse_digits"};
    uint32_t choice = next_random(state) % 17;
    if (depth == 0 || choice < 3) {
        text_printf(out, "%s", leaves[next_random(state) % 11]);
        return;
    }
    if (choice == 3 || choice == 4) {
        const uint32_t function = next_random(state) % 9;
        const uint32_t arity = function < 4 ? 2 : function < 7 ? 1 : 3;
        text_printf(out, "%s(", functions[function]);
        random_expression(state, depth - 1, out);
        for (uint32_t i = 1; i < arity; i++) {
            text_printf(out, ", ");
            random_expression(state, depth - 1, out);
        }
        text_printf(out, ")");
        return;
    }
    if (choice == 16) {
        text_printf(out, "(");
        random_expression(state, depth - 1, out);
        text_printf(out, " if ");
        random_expression(state, depth - 1, out);
        text_printf(out, " else ");
        random_expression(state, depth - 1, out);
        text_printf(out, ")");
        return;
    }
    text_printf(out, choice == 5 ? "(not " : choice == 6 ? "(-(" : "(");
    random_expression(state, depth - 1, out);
    if (choice > 6) {
        text_printf(out, " %s ", binary[next_random(state) % 16]);
        random_expression(state, depth - 1, out);
    }
    text_printf(out, choice == 6 ? "))" : ")");
}

/* Puts `format` with a random expression in the place of its one %s. */
static void random_line(uint64_t *state, struct text *out, const char *before, const char *behind)
{
    text_printf(out, "%s", before);
    random_expression(state, 3, out);
    text_printf(out, "%s", behind);
}

static void random_program(uint64_t *state, struct text *out)
{
    text_printf(out, "allreduce random\nranks r: p\ntmp 61\nfor i in 0 .. 2\n  step\n    let k = r - i\n");
    random_line(state, out, "    if ", "\n");
    random_line(state, out, "      copy buf to tmp[", " mod 61]\n");
    random_line(state, out, "    let m = ", "\n");
    random_line(state, out, "    for j in ", " mod 5 .. ");
    random_line(state, out, "", " mod 7 by 1 + (r * i) mod 2\n      if j * 3 > m mod 9\n");
    random_line(state, out, "        send tmp[(m + ", ") mod 61] to j\n");
    random_line(state, out, "    recv buf from ", "\n");
}

static void test_random_programs(void)
{
    const unsigned n = by_form(2000, 4000, 40000);
    unsigned n_compared = 0;
    bool agrees = true;
    for (uint64_t seed = 0; seed < n && agrees; seed++) {
        struct text text = {0};
        uint64_t state = seed;
        random_program(&state, &text);
        const uint32_t n_ranks = seed % 30 ? 1 + (uint32_t)seed % 19 : 500 + (uint32_t)seed / 5;
        agrees = compare(text.data, text.data, place(n_ranks, 1, BLOCK), NULL,
                         (struct bind_request){0}, &n_compared);
        text_free(&text);
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_EQUAL(n_compared, n);
}

/* --- whole programs ----------------------------------------------------- */

enum { MAX_NAMES = 24 };

struct shape {
    const char *header;        /* first lines */
    const char *coordinate[2]; /* the second may be NULL */
    const char *from[5];       /* chunks that may be sent; "" are none; "%" is an expression */
    const char *to[4];         /* chunks that may be received into */
    const char *runs[5];       /* statements that run another algorithm, or NULL */
    const char *topology;      /* NULL: servers of some ranks */
};

static const struct shape shapes[] = {
    {.header = "barrier random\nranks r: p\n", .coordinate = {"r"}, .from = {""}, .to = {""}},
    {.header = "barrier random\nranks (l: max_slots, s: servers)\n",
     .coordinate = {"l", "s"},
     .from = {""},
     .to = {""},
     .runs = {"run barrier/linear over l", "run barrier/dissemination over s"}},
    {.header = "allreduce random(segments = 4)\nranks r: p\ntmp 13\n",
     .coordinate = {"r"},
     .from = {"buf", "buf[% mod 4]", "tmp[% mod 13]", "tmp[% mod 6 .. 5 + % mod 7]", ""},
     .to = {"buf", "buf[% mod 3 .. 2 + % mod 2]", "tmp[% mod 13]", ""}},
    {.header = "allreduce random(segments = 4)\nranks (s: servers, l: max_slots)\ntmp 13\n",
     .coordinate = {"s", "l"},
     .from = {"buf", "buf[% mod 4]", "tmp[% mod 13]", "tmp[% mod 6 .. 5 + % mod 7]", ""},
     .to = {"buf", "buf[% mod 3 .. 2 + % mod 2]", "tmp[% mod 13]", ""},
     .runs = {"run reduce/binomial over l", "run allreduce/recursive_doubling over s",
              "run bcast/knomial(radix = 3) over s from $", "run bcast/linear over l on tmp[2 .. 5]",
              "run reduce/linear over s to $ on tmp[0 .. 1]"}},
    {.header = "bcast random(segments = 4)\nranks (s: servers, l: max_slots) from root\ntmp 13\n",
     .coordinate = {"s", "l"},
     .from = {"buf", "buf[% mod 4]", "tmp[% mod 13]", "tmp[3 .. 2]", ""},
     .to = {"buf", "buf[% mod 3 .. 2 + % mod 2]", "tmp[% mod 13]", ""},
     .runs = {"run bcast/binomial over l", "run bcast/binomial over s from $",
              "run bcast/linear over s from l + $", "run bcast/pipeline over s from $",
              "run bcast/chain(segments = 2) over l"}},
    {.header =
         "bcast random(segments = 4)\nranks (i: ceil_log2(p) + 1, j: p / (ceil_log2(p) + 1)) from root\n"
         "requires p mod (ceil_log2(p) + 1) == 0\ntmp 13\n",
     .coordinate = {"i", "j"},
     .from = {"buf", "buf[% mod 4]", "tmp[% mod 13]", ""},
     .to = {"buf", "tmp[% mod 13]", ""},
     .runs = {"run bcast/binomial over j from i * $", "run bcast/scatter_allgather over i from j + $",
              "run bcast/linear over i from -j"}},
    {.header = "alltoall random\nranks (s: servers, l: max_slots)\ntmp 13\n",
     .coordinate = {"s", "l"},
     .from = {"in[s, l]", "in[%]", "tmp[% mod 13]", "in[% mod p .. p - 1]", ""},
     .to = {"out[s, l]", "out[%]", "tmp[% mod 13]", "out[0 .. % mod p]"},
     .runs = {"run alltoall/ring over s with in[k] = tmp[k mod 13], out[k] = tmp[(k + l) mod 13]"}},
    {.header = "alltoall random\nranks r: p\ntmp 13\n",
     .coordinate = {"r"},
     .from = {"in[%]", "tmp[% mod 13]", "in[% mod p .. p - 1]", ""},
     .to = {"out[%]", "tmp[% mod 13]", "out[0 .. % mod p]"}},
    {.header = "allgather random\nranks r: p\ntmp 13\n",
     .coordinate = {"r"},
     .from = {"in", "out[%]", "tmp[% mod 13]", "out[% mod p .. p - 1]", ""},
     .to = {"out[r]", "out[%]", "tmp[% mod 13]", "out[0 .. % mod p]"}},
    {.header = "alltoall random(segments = 3)\nranks (s: servers, l: max_slots)\ntmp 13\n",
     .coordinate = {"s", "l"},
     .from = {"in[s, l; % mod 3]", "in[%; % mod 2 .. 1 + % mod 2]", "tmp[% mod 13]", "in[% mod p .. p - 1]",
              "in[%]"},
     .to = {"out[s, l; % mod 3]", "out[%; 2]", "out[%, %; % mod 4]", "out[0 .. % mod p]"}},
    {.header = "gather random(segments = 5)\nranks r: p from root\ntmp 13\n",
     .coordinate = {"r"},
     .from = {"in", "in[% mod 5]", "in[% mod 3 .. 1 + % mod 4]", "tmp[% mod 13]", ""},
     .to = {"tmp[% mod 13]", "tmp[% mod 6 .. 5 + % mod 7]"}},
    {.header = "allgather random(segments = 2)\nranks (y: ny, x: nx)\ntmp 13\n",
     .coordinate = {"x", "y"},
     .from = {"in", "in[% mod 2]", "out[%; % mod 2]", "tmp[% mod 13]", "out[%, %]"},
     .to = {"out[x, y; % mod 2]", "out[%]", "out[%, %; % mod 2 .. 1]", "out[0 .. % mod p]"},
     .topology = "mesh:4x4"},
    {.header = "bcast random(segments = 4)\nranks r: p from root\ntmp 13\n",
     .coordinate = {"r"},
     .from = {"buf", "buf[% mod 4]", "tmp[% mod 13]", ""},
     .to = {"buf", "tmp[% mod 13]", ""},
     .topology = "torus:3x2x5"},
    {.header = "alltoall random\nranks (y: ny, x: nx)\ntmp 13\n",
     .coordinate = {"x", "y"},
     .from = {"in[y, x]", "in[%]", "tmp[% mod 13]", "in[%, %]", ""},
     .to = {"out[x, y]", "out[%]", "tmp[% mod 13]", "out[%, %]"},
     .runs = {"run alltoall/ring over x with in[k] = in[y, k], out[k] = out[k, x]"},
     .topology = "mesh:4x4"},
};

/* A program in the making. */
struct maker {
    uint64_t state;
    struct text text;
    const struct shape *shape;
    struct {
        char text[8];
        bool is_uniform;
    } name[MAX_NAMES]; /* in scope */
    unsigned n_names, n_made;
    bool has_action, has_phase, has_functions; /* definitions that are finished */
    bool in_window;
};

static uint32_t below(struct maker *maker, uint32_t n)
{
    return next_random(&maker->state) % n;
}

static void say(struct maker *maker, const char *text)
{
    text_printf(&maker->text, "%s", text);
}

static void indent(struct maker *maker, unsigned depth)
{
    text_printf(&maker->text, "%*s", (int)(2 * depth), "");
}

/* A name that is not in use. */
struct name {
    char text[8];
};

static struct name new_name(struct maker *maker)
{
    struct name name;
    snprintf(name.text, sizeof name.text, "v%u", maker->n_made++ % 100000);
    return name;
}

/* From here on expressions may have it. */
static void declare(struct maker *maker, struct name name, bool is_uniform)
{
    if (maker->n_names == MAX_NAMES)
        return;
    memcpy(maker->name[maker->n_names].text, name.text, sizeof name.text);
    maker->name[maker->n_names++].is_uniform = is_uniform;
}

static void leaf(struct maker *maker, bool uniform)
{
    static const char *const values[] = {"p", "0", "1", "2", "3", "5", "max_slots", "servers", "37"};
    const uint32_t choice = below(maker, 4);
    const unsigned i = maker->n_names ? below(maker, maker->n_names) : 0;
    const struct shape *shape = maker->shape;
    if (choice < 2 && maker->n_names && (maker->name[i].is_uniform || !uniform))
        say(maker, maker->name[i].text);
    else if (choice < 3 && !uniform)
        say(maker, shape->coordinate[shape->coordinate[1] ? below(maker, 2) : 0]);
    else
        say(maker, values[below(maker, sizeof values / sizeof *values)]);
}

static void expression(struct maker *maker, unsigned depth, bool uniform);

/* A form, with an expression for each %, a uniform one for each $, and the same name for each @. */
static void fill_in(struct maker *maker, const char *form, unsigned depth, bool uniform)
{
    for (; *form; form++)
        if (*form == '%' || *form == '$')
            expression(maker, depth, uniform || *form == '$');
        else if (*form == '@')
            say(maker, uniform ? "p" : maker->shape->coordinate[0]);
        else
            text_printf(&maker->text, "%c", *form);
}

/* Nearly all of these have a value whatever their operands are. */
static void expression(struct maker *maker, unsigned depth, bool uniform)
{
    static const char *const forms[] = {"(% if % else %)",
                                        "(% / (@ - 3) if @ != 3 else %)",
                                        "(% if @ == 1 else 40 / (@ - 1))",
                                        "(% + %)",
                                        "(% - %)",
                                        "(% + %)",
                                        "(% - %)",
                                        "(% * %)",
                                        "(% mod 7)",
                                        "(% / 3)",
                                        "(% mod 4)",
                                        "(% == %)",
                                        "(% < %)",
                                        "(% >= %)",
                                        "(% and %)",
                                        "(% or %)",
                                        "(not %)",
                                        "(-%)",
                                        "(% xor %)",
                                        "min(%, %)",
                                        "max(%, %)",
                                        "abs(%)",
                                        "2 ^ (% mod 6)",
                                        "reverse_bits(%, 5)",
                                        "ceil_log2(1 + abs(%))",
                                        "floor_log2(1 + abs(%))",
                                        "ceil_log(2 + % mod 3, 1 + abs(%))",
                                        "lcm(1 + % mod 6, 4)",
                                        "groups_before(% mod (servers + 1), 1 + % mod 3)",
                                        "circulant_block(9 + p, %, % mod 4)",
                                        "circulant_block(2 + % mod 30, %, 0)",
                                        "reverse_digits(3, % mod 1000, 4)",
                                        "reverse_digits(2 + % mod 4, % mod 99, % mod 7)",
                                        "(@ != 3 and 40 / (@ - 3) > %)",
                                        "(@ < 2 or % mod (@ - 1) == 0)",
                                        "(% / (1 + % mod 5))",
                                        "(% mod (2 - % mod 2))"};
    static const char *const risks[] = {"(% / %)", "(% mod %)", "% ^ %", "ceil_log2(%)", "lcm(%, %)",
                                        "circulant_block(%, %, %)", "reverse_digits(%, %, %)"};
    static const char *const grid[] = {"shift(%, % mod 4, %)", "coordinate(%, % mod 4)",
                                       "displace(%, %, %)", "rotate(%, %)", "extent(% mod 4)"};
    if (depth == 0 || below(maker, 4) == 0)
        leaf(maker, uniform);
    else if (maker->has_functions && below(maker, 8) == 0)
        fill_in(maker, uniform || below(maker, 2) ? "f(%, %)" : "g(%)", depth - 1, uniform);
    else if (maker->shape->topology && below(maker, 4) == 0)
        fill_in(maker, grid[below(maker, 5)], depth - 1, uniform);
    else if (below(maker, 2000) == 0)
        fill_in(maker, risks[below(maker, 7)], depth - 1, uniform);
    else
        fill_in(maker, forms[below(maker, sizeof forms / sizeof *forms)], depth - 1, uniform);
}

static uint32_t count_of(const char *const *list, uint32_t n)
{
    uint32_t count = 0;
    while (count < n && list[count])
        count++;
    return count;
}

static const char *chunks_from(struct maker *maker)
{
    return maker->shape->from[below(maker, count_of(maker->shape->from, 5))];
}

static const char *chunks_to(struct maker *maker)
{
    return maker->shape->to[below(maker, count_of(maker->shape->to, 4))];
}

/* Chunks of a message that need not lie in a row, or NULL. */
static const char *set_of_chunks(struct maker *maker, bool is_send)
{
    static const char *const sets[] = {
        "tmp[(% mod 13 + q * 2) mod 13 for q in 0 .. % mod 5]",
        "tmp[q for q in % mod 4 .. 12 by 1 + % mod 3 if q mod 3 != 1]",
        "tmp[% mod 4], tmp[5 + % mod 3 .. 8], tmp[12 - q for q in 0 .. 2]",
        "tmp[3 * q + w for q in 0 .. 2 for w in 0 .. % mod 3 if q != w]",
        "tmp[q for q in $ mod 4 .. 12 by 1 + $ mod 3]"};
    const char *header = maker->shape->header;
    const bool has_ranks = strstr(header, "alltoall") && !maker->shape->coordinate[1];
    if (!strstr(header, "tmp") || below(maker, 4))
        return NULL;
    if (has_ranks && below(maker, 2))
        return is_send ? "in[% + q for q in 0 .. % mod p]" : "out[% - q for q in 0 .. p - 1 if q mod 3 == 1]";
    return sets[below(maker, 5)];
}

static void message(struct maker *maker)
{
    const bool is_send = below(maker, 2);
    const char *set = set_of_chunks(maker, is_send);
    const char *chunks = set ? set : is_send ? chunks_from(maker) : chunks_to(maker);
    const bool reduces = *chunks && below(maker, 2) && strstr(maker->shape->header, "reduce");
    say(maker, is_send ? "send " : reduces ? "reduce " : "recv ");
    fill_in(maker, chunks, 2, false);
    say(maker, is_send ? " to " : " from ");
    fill_in(maker, maker->shape->coordinate[1] ? "(%, %)" : "%", 2, false);
    say(maker, "\n");
}

static void local(struct maker *maker)
{
    const bool reduces = below(maker, 2) && strstr(maker->shape->header, "reduce");
    fill_in(maker,
            reduces ? "reduce tmp[% mod 6] to tmp[% mod 13]\n" : "copy tmp[% mod 6] to tmp[% mod 13]\n", 2,
            false);
}

static void let(struct maker *maker, bool uniform)
{
    const struct name name = new_name(maker);
    text_printf(&maker->text, "let %s = ", name.text);
    expression(maker, 3, uniform);
    say(maker, "\n");
    declare(maker, name, uniform);
}

static void call(struct maker *maker, const char *name)
{
    text_printf(&maker->text, "%s", name);
    fill_in(maker, "(%, $)\n", 2, false);
}

/* for NAME in FIRST .. LAST, of few values. */
static void loop_head(struct maker *maker, bool uniform)
{
    const struct name name = new_name(maker);
    text_printf(&maker->text, "for %s in ", name.text);
    fill_in(maker, below(maker, 3) ? "% mod 4 .. 1 + % mod 4\n" : "3 .. % mod 4 by -1 - % mod 2\n", 2,
            uniform);
    declare(maker, name, uniform);
}

typedef void statement_maker(struct maker *, unsigned depth, unsigned deepest);

static void block(struct maker *maker, unsigned depth, unsigned deepest, statement_maker *statement)
{
    const unsigned mark = maker->n_names;
    for (uint32_t n = 1 + below(maker, 3); n > 0; n--) {
        indent(maker, depth);
        statement(maker, depth, deepest);
    }
    maker->n_names = mark;
}

static statement_maker copying;

/* A condition with two blocks, or a loop. */
static void control(struct maker *maker, unsigned depth, unsigned deepest, bool uniform,
                    statement_maker *statement)
{
    const unsigned mark = maker->n_names;
    const bool is_loop = below(maker, 2);
    if (is_loop)
        loop_head(maker, uniform || statement == copying);
    else
        fill_in(maker, below(maker, 3) ? "if % mod 3 == 1\n" : "if % < %\n", 3, uniform);
    block(maker, depth + 1, deepest, statement);
    if (!is_loop && below(maker, 2)) {
        indent(maker, depth);
        say(maker, "else\n");
        block(maker, depth + 1, deepest, statement);
    }
    maker->n_names = mark;
}

/* Writes something that may stand in a step. */
static void action(struct maker *maker, unsigned depth, unsigned deepest)
{
    const uint32_t choice = below(maker, 10);
    if (choice < 2)
        let(maker, false);
    else if (choice < 5 && depth < deepest)
        control(maker, depth, deepest, false, action);
    else if (choice == 5 && maker->has_action)
        call(maker, "action");
    else if (choice == 6 && strstr(maker->shape->header, "tmp"))
        local(maker);
    else
        message(maker);
}

/* Writes something that may stand outside of steps under a condition on the rank. */
static void copying(struct maker *maker, unsigned depth, unsigned deepest)
{
    const uint32_t choice = below(maker, 6);
    if (choice < 2 && depth < deepest)
        control(maker, depth, deepest, false, copying);
    else if (choice < 4 || !strstr(maker->shape->header, "tmp"))
        let(maker, false);
    else
        local(maker);
}

static void run(struct maker *maker, unsigned depth)
{
    const char *form = maker->shape->runs[below(maker, count_of(maker->shape->runs, 5))];
    if (below(maker, 2)) {
        fill_in(maker, "if % mod 3 != 1\n", 2, false);
        indent(maker, depth + 1);
    }
    fill_in(maker, form, 2, true);
    say(maker, "\n");
}

/* Statements that begin with a step. */
static statement_maker phase;
static void stepping(struct maker *maker, unsigned depth, unsigned deepest)
{
    indent(maker, depth);
    say(maker, "step\n");
    block(maker, depth + 1, deepest + 2, action);
    block(maker, depth, deepest, phase);
}

/* Writes something that may stand outside of steps. */
static void phase(struct maker *maker, unsigned depth, unsigned deepest)
{
    const uint32_t choice = below(maker, 12);
    if (choice < 2)
        let(maker, below(maker, 2));
    else if (choice < 4 && depth < deepest)
        control(maker, depth, deepest, true, phase);
    else if (choice == 4 && depth < deepest && !maker->in_window) {
        say(maker, "window 1 + p mod 3\n");
        maker->in_window = true;
        stepping(maker, depth + 1, deepest);
        maker->in_window = false;
    } else if (choice == 5 && depth < deepest)
        control(maker, depth, deepest, false, copying);
    else if (choice == 6 && maker->has_phase)
        call(maker, "phase");
    else if (choice < 9 && maker->shape->runs[0] && maker->has_phase)
        run(maker, depth);
    else {
        say(maker, "step\n");
        block(maker, depth + 1, deepest + 2, action);
    }
}

static void definition(struct maker *maker, const char *name, bool is_phase)
{
    const struct name a = new_name(maker), b = new_name(maker);
    text_printf(&maker->text, "def %s(%s, %s)\n", name, a.text, b.text);
    declare(maker, a, false);
    declare(maker, b, is_phase);
    maker->in_window = true; /* none in a definition, which may be called in one */
    if (is_phase)
        stepping(maker, 1, 3);
    else
        block(maker, 1, 3, action);
    maker->in_window = false;
    maker->n_names = 0;
}

/* Two functions: of f the value is uniform if its arguments are; g calls it. */
static void functions(struct maker *maker)
{
    const char *const shape_coordinate = maker->shape->coordinate[0];
    const struct name a = new_name(maker), b = new_name(maker), c = new_name(maker);
    declare(maker, a, true);
    declare(maker, b, true);
    text_printf(&maker->text, "def f(%s, %s) = ", a.text, b.text);
    expression(maker, 3, true);
    maker->n_names = 0;
    declare(maker, c, false);
    text_printf(&maker->text, "\ndef g(%s) = f(%s, %s) + ", c.text, shape_coordinate, c.text);
    expression(maker, 2, false);
    say(maker, "\n");
    maker->n_names = 0;
    maker->has_functions = true;
}

static void make_program(struct maker *maker)
{
    say(maker, maker->shape->header);
    functions(maker);
    definition(maker, "action", false);
    maker->has_action = true;
    definition(maker, "phase", true);
    maker->has_phase = true;
    stepping(maker, 0, 3);
    block(maker, 0, 3, phase);
}

static bool try_program(struct maker *maker, unsigned *n_compared)
{
    const char *shape = maker->shape->topology;
    struct diagnostics diagnostics = {0};
    struct topology *topology = shape ? topology_read(shape, &diagnostics) : NULL;
    const uint32_t p = topology             ? topology->n_machines
                       : below(maker, 100) ? 1 + below(maker, 20)
                                           : 500 + below(maker, 40);
    const uint32_t per_machine = topology ? 1 : 1 + below(maker, 4);
    const enum layout layout = topology ? BLOCK : (enum layout)below(maker, 3);
    const bool agrees = compare(maker->text.data, maker->text.data, place(p, per_machine, layout), topology,
                                (struct bind_request){.root = below(maker, p)}, n_compared);
    diagnostics_free(&diagnostics);
    return agrees;
}

static void test_whole_programs(void)
{
    const unsigned n = is_least() ? 150 : by_form(600, 1000, 10000);
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    unsigned n_compared = 0;
    bool agrees = true;
    for (uint64_t seed = 0; seed < n && agrees; seed++) {
        struct maker maker = {.state = seed * 977, .shape = &shapes[seed % N_SHAPES]};
        make_program(&maker);
        agrees = try_program(&maker, &n_compared);
        if (!agrees)
            fprintf(stderr, "seed %u\n%s", (unsigned)seed, maker.text.data);
        text_free(&maker.text);
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > n / 2);
}

/* --- functions, written out --------------------------------------------- */

/* The file with the bodies of its functions f and g in the place of their calls, as text. */
struct written_out {
    char name[2][8], value[2][4096];
    char argument[2][2][8];
    unsigned n_arguments[2];
    struct text text;
};

static const char *end_of_operand(const char *at)
{
    int depth = 0;
    for (; depth > 0 || (*at != ',' && *at != ')'); at++)
        depth += (*at == '(') - (*at == ')');
    return at;
}

static bool is_word_at(const char *text, const char *at, const char *word)
{
    const size_t length = strlen(word);
    const bool is_inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    return !is_inside && strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) &&
           at[length] != '_';
}

/* Writes the text; `operand`: what stands for the arguments of function `of`, or NULL. */
static void write_out(struct written_out *written, const char *text, const char *end, int of,
                      char (*operand)[8192])
{
    for (const char *at = text; at < end;) {
        int called = is_word_at(text, at, "f") && at[1] == '('   ? 0
                     : is_word_at(text, at, "g") && at[1] == '(' ? 1
                                                                 : -1;
        unsigned i = 0;
        while (operand && i < written->n_arguments[of] && !is_word_at(text, at, written->argument[of][i]))
            i++;
        if (operand && i < written->n_arguments[of]) {
            text_printf(&written->text, "(%s)", operand[i]);
            at += strlen(written->argument[of][i]);
        } else if (called < 0) {
            text_printf(&written->text, "%c", *at++);
        } else {
            char own[2][8192];
            at++;
            for (unsigned k = 0; k < written->n_arguments[called]; k++) {
                const char *first = at + 1;
                struct text outer = written->text;
                at = end_of_operand(first);
                written->text = (struct text){0};
                write_out(written, first, at, of, operand);
                snprintf(own[k], sizeof own[k], "%s", written->text.data);
                text_free(&written->text);
                written->text = outer;
            }
            at++;
            text_printf(&written->text, "(");
            const char *value = written->value[called];
            write_out(written, value, value + strlen(value), called, own);
            text_printf(&written->text, ")");
        }
    }
}

/* def f(a, b) = VALUE */
static const char *read_function(struct written_out *written, int i, const char *line)
{
    written->n_arguments[i] = i == 0 ? 2 : 1;
    const int n =
        i == 0 ? sscanf(line, "def f(%7[a-z0-9], %7[a-z0-9]) = %4095[^\n]", written->argument[0][0],
                        written->argument[0][1], written->value[0])
               : sscanf(line, "def g(%7[a-z0-9]) = %4095[^\n]", written->argument[1][0], written->value[1]);
    CU_ASSERT_EQUAL(n, i == 0 ? 3 : 2);
    return strchr(line, '\n') + 1;
}

/* False: an expression is too long. */
static bool print_inlined(const char *text, struct text *out)
{
    struct bound_text scene = {0};
    scene.program = scene_program("test.coll", text, &scene.diagnostics);
    if (scene.program)
        program_print_tree(scene.program, NULL, out);
    const bool is_short = !scene.diagnostics.n_of_code[CODE_E010];
    diagnostics_free(&scene.diagnostics);
    return is_short;
}

/* A call means what its function's value means, with the arguments in parentheses. */
static void test_functions(void)
{
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const unsigned n = is_least() ? 60 : by_form(200, 600, 4000);
    unsigned n_same = 0, n_read = 0;
    for (uint64_t seed = 0; seed < n; seed++) {
        struct maker maker = {.state = seed * 1979, .shape = &shapes[seed % N_SHAPES]};
        make_program(&maker);
        static struct written_out written;
        struct text called = {0}, out = {0};
        const char *text = maker.text.data, *at = strstr(text, "def f(");
        written.text = (struct text){0};
        text_append(&written.text, text, (size_t)(at - text));
        at = read_function(&written, 1, read_function(&written, 0, at));
        write_out(&written, at, text + strlen(text), 0, NULL);
        print_inlined(text, &called);
        const bool is_short = print_inlined(written.text.data, &out);
        n_read += called.length > 0 && is_short;
        n_same += called.length && is_short && called.length == out.length &&
                  memcmp(called.data, out.data, out.length) == 0;
        text_free(&maker.text);
        text_free(&written.text);
        text_free(&called);
        text_free(&out);
    }
    CU_ASSERT_EQUAL(n_same, n_read);
    CU_ASSERT(n_read > n * 9 / 10);
}

UNIT_PROGRAM(test_random)
{
    CU_TestInfo tests[] = {{"expressions of any kind", test_random_programs},
                           {"whole programs", test_whole_programs},
                           {"functions, written out", test_functions},
                           CU_TEST_INFO_NULL};
    return run_suite("random", tests);
}
