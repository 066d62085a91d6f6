/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binding and expansion: all built-in algorithms, and programs that use every operator and
 * statement, each compared with the slow expansion of naive.c; then values and messages of
 * binding by hand.
 */
#include "compiler/passes/effect.h"
#include "compiler/passes/variables.h"
#include "compiler/passes/specialise.h"
#include "network/formats/formats.h"
#include "base/embedded.h"
#include "tests/unit/expansions.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- comparison with the naive expansion ------------------------------- */

static bool compare_segments(const struct embedded_file *file, uint32_t p, uint32_t root,
                             unsigned *n_compared)
{
    static const int64_t counts[] = {1, 2, 7};
    bool agrees = true;
    for (size_t i = 0; i < 3; i++) {
        struct parameter_setting setting = {.name = "segments", .value = counts[i]};
        struct bind_request request = {.root = root, .bytes = 1000};
        bool has_segments = strstr(file->text, "(segments");
        request.settings = has_segments ? &setting : NULL;
        request.n_settings = has_segments;
        if (i == 0 || has_segments)
            agrees &= compare(file->text, file->path, place(p, 1, BLOCK), NULL, request, n_compared);
    }
    return agrees;
}

static bool is_rooted(const struct embedded_file *file)
{
    return strstr(file->path, "/bcast/") || strstr(file->path, "/reduce/") ||
           strstr(file->path, "/gather/") || strstr(file->path, "/scatter/");
}

/* Every built-in algorithm of `ranks r: p`, or of servers with one slot. */
static void test_built_in_by_ranks(void)
{
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        char name[SCENE_NAME];
        if (!scene_algorithm(i, name))
            continue;
        for (uint32_t p = 1; p <= (IS_SHORT ? 17 : 64); p += p < by_form(6, 12, 20) ? 1 : 11)
            for (uint32_t root = 0; root < p && root < (is_rooted(file) ? 16 : 1); root += by_form(5, 2, 1))
                agrees &= compare_segments(file, p, root, &n_compared);
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > enough(500));
}

static void test_built_in_by_servers(void)
{
    static const enum layout layouts[] = {BLOCK, CYCLIC, UNEQUAL};
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        char name[SCENE_NAME];
        if (!scene_algorithm(i, name))
            continue;
        for (uint32_t p = 1; p <= (IS_SHORT ? 6 : 24); p += IS_SHORT && p >= 6 ? 6 : 1)
            for (unsigned k = 0; k < 9; k++)
                agrees &= compare(file->text, file->path, place(p, 1 + k / 3, layouts[k % 3]), NULL,
                                  (struct bind_request){.root = p / 3}, &n_compared);
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > enough(1000));
}

static void test_built_in_on_grids(void)
{
    static const char *const shapes[] = {"torus:3x3", "torus:5x5", "torus:4x6",
                                         "mesh:7x3",  "mesh:1x1",  "torus:3x4x5"};
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const struct embedded_file *file = &embedded_files[i];
        char name[SCENE_NAME];
        for (size_t k = 0; scene_algorithm(i, name) && k < 6; k++) {
            struct diagnostics diagnostics = {0};
            struct topology *topology = topology_read(shapes[k], &diagnostics);
            CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
            const uint32_t root = is_rooted(file) ? topology->n_machines / 3 : 0;
            agrees &= compare(file->text, file->path, place(topology->n_machines, 1, BLOCK),
                              topology, (struct bind_request){.root = root}, &n_compared);
            diagnostics_free(&diagnostics);
        }
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > 20);
}

/* Functions of the grid: values that are the same everywhere and that are not, of ranks and
 * dimensions that exist and that do not. */
static const char *const grid_programs[] = {
    "allreduce plain\nranks r: p\ntmp 8 * p\nfor d in 0 .. dimensions\n  for k in -2 .. 3\n    step\n"
    "      copy buf to tmp[shift(r, d, k)]\n      copy buf to tmp[shift(k, d, r)]\n"
    "      copy buf to tmp[coordinate(r - k, d) + extent(d)]\n"
    "      copy buf to tmp[displace(r, 5, k)]\n      copy buf to tmp[displace(k, r, d)]\n"
    "      copy buf to tmp[rotate(r, d)]\n      copy buf to tmp[rotate(k, r)]\n"
    "      copy buf to tmp[coordinate(k, d) + shift(2 * r, r mod 3, k * 100)]\n"
    "      if coordinate(r, d) + 1 < extent(d)  send buf to shift(r, d, 1)\n"
    "      if coordinate(r, d) > 0              recv buf from shift(r, d, -1)\n",
    ("bcast relative(segments = 2)\nranks r: p from root\ntmp 2 * p\n"
     "copy buf[0] to tmp[rotate(r, 1)]\ncopy buf[0] to tmp[displace(r, r, -2)]\nfor d in 0 .. dimensions-1\n"
     "  for k in 0 .. extent(d)-2\n    step\n"
     "      if coordinate(r, d) == k and coordinate(r, d + 1) == 0  send buf to shift(r, d, 1)\n"
     "      if coordinate(r, d) == k + 1 and coordinate(r, d + 1) == 0\n        recv buf from shift(r, d, -1)\n"),
    "alltoall nameless\nrequires extent(dimensions) == 1 and extent(0) <= p\nstep\n"
    "  send in[shift(7, 1, 2)] to shift(-1, 0, 3)\n  recv out[0] from coordinate(9, 1)\n",
};

static void test_grid_functions(void)
{
    static const char *const shapes[] = {"torus:5",         "mesh:4x3",    "torus:3x4x5",
                                         "torus:2x3x2x3x2", "mesh:1x5x1x2", "tofu:2x2x1", "mesh:7x7x2"};
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < sizeof grid_programs / sizeof *grid_programs; i++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (uint32_t root = 0; root < (i == 1 ? 4 : 1); root++) {
                struct diagnostics diagnostics = {0};
                struct topology *topology = topology_read(shapes[k], &diagnostics);
                CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
                agrees &= compare(grid_programs[i], shapes[k], place(topology->n_machines, 1, BLOCK),
                                  topology, (struct bind_request){.root = root}, &n_compared);
                diagnostics_free(&diagnostics);
            }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_EQUAL(n_compared, 7 * (1 + 4 + 1));
}

/* Each exercises something the built-in algorithms do not. */
static const char *const programs[] = {
    /* every operator, negative operands, values that differ between ranks */
    "allreduce operators\nranks r: p\ntmp 64\nfor i in -3 .. 3\n  step\n"
    "    if i != 0\n      copy buf to tmp[((r - 7) / i) mod 64]\n"
    "      copy buf to tmp[(r * i - 5) mod 64]\n"
    "      let a = (r - 2) mod i\n      copy buf to tmp[a + 32]\n"
    "    copy buf to tmp[abs(i - r) mod 64]\n    copy buf to tmp[min(r, i) + 32]\n"
    "    copy buf to tmp[max(r, i) mod 64]\n    copy buf to tmp[(-i - -r) mod 64]\n"
    "    copy buf to tmp[ceil_log2(r + 1) + floor_log2(r + 1)]\n"
    "    copy buf to tmp[ceil_log(max(2, i), r + 1) + reverse_bits(r, 3)]\n"
    "    copy buf to tmp[reverse_bits(i - r, 6)]\n"
    "    copy buf to tmp[(r xor i) mod 64]\n    copy buf to tmp[(r mod 4) ^ 2 + 2 ^ (r mod 5)]\n"
    "    if not (r < 3) and r mod 2 == 1 or i >= 2  send buf to r + i\n"
    "    if r > 4 or r <= 2 and i != 1  reduce buf from r - i\n"
    "    if r == i  recv buf from -r\n",
    /* functions of three operands, each of them differing between ranks or not */
    "allreduce circulant\nranks r: p\ntmp 64\nfor k in 0 .. 3\n  step\n"
    "    copy buf to tmp[32 + circulant_block(9 + p, r - 2, k)]\n"
    "    copy buf to tmp[32 + circulant_block(1000, k, (r + k) mod 10)]\n"
    "    copy buf to tmp[32 + circulant_block(2 ^ (r mod 20 + k) + 9, 7 * r, min(r, 3))]\n"
    "    copy buf to tmp[32 + circulant_block(k + 9, 5, 3)]\n"
    "    copy buf to tmp[reverse_digits(3, r * r, k)]\n"
    "    copy buf to tmp[reverse_digits(2 + r mod 3, k * 71, 2)]\n",
    /* the right operand of `and` and `or` is not evaluated where the left decides */
    "allreduce circuit\nranks r: p\ntmp 8\nstep\n"
    "  if r > 0 and 12 / r > 2  send buf to r + 1\n"
    "  if r == 0 or 12 mod r == 0  recv buf from r - 1\n"
    "  if p == 0 and 1 / 0 == 1  send buf to 0\n",
    /* loops whose bounds and increments depend on the rank; lets in loops */
    "alltoall loops\nranks r: p\nstep\n  for i in r .. p - 1\n    send in[i] to i\n"
    "    let twice = 2 * i - r\n    for k in twice .. i by -1 - r mod 2\n"
    "      if k mod 3 == 0\n        recv out[k] from k\n      else\n        send in[k] to i\n"
    "  for i in p .. r\n    send in[0] to 0\n",
    "alltoall down\nranks r: p\nfor i in p-1 .. 0 by -2\n  step\n    send in[i] to r - i\n",
    /* definitions with values that differ, called in and around steps */
    "alltoall defs\nranks r: p\ndef put(i, whom)\n  send in[i] to whom\ndef pair(i)\n  put(r + i, r + i)\n"
    "  put(i, -i)\ndef whole(n, x)\n  step\n    pair(n)\n    put(x, n)\n"
    "for i in 0 .. 3\n  whole(i, r * i)\n  whole(2 * i, i)\n  step\n    pair(r)\n",
    /* copies around steps, alone at the end, under rank-dependent control */
    "alltoall copies\nranks r: p\ntmp 3\nlet odd = r mod 2\ncopy in[r] to tmp[odd]\n"
    "if odd == 1\n  copy tmp[odd] to out[r]\nelse\n  for i in 0 .. 4\n    copy in[i] to tmp[i mod 3]\n"
    "for i in 0 .. 2\n  copy in[i] to tmp[i]\n  step\n    copy tmp[i] to out[i + odd]\n    send tmp to r+1\n"
    "copy in[r] to out[r]\n",
    /* windows: partial groups, nested, with uneven numbers of steps */
    "alltoall windows\nranks r: p\nwindow 3\n  for i in 0 .. 6\n    step\n      send in[i] to i\n"
    "    copy in[i] to out[i]\n  step\n    send in[0] to 0\nfor i in 0 .. 2\n"
    "  window i + 1\n    for k in 0 .. 3\n      step\n        send in[k] to r + i\n    copy in[i] to out[0]\n",
    /* ranges, empty ones too; whole buffers */
    "allreduce ranges(segments = 8)\nranks r: p\ntmp 16\nfor k in 0 .. 3\n  step\n"
    "    send buf[2*k .. 2*k + 1] to r + 1\n    reduce buf[r mod 3 .. 7] from r - 1\n"
    "    send buf[k .. k - 1] to r\n    recv tmp[8 .. 8 + k] from r\n    copy buf to tmp[0 .. 7]\n"
    "    copy buf[k .. k - 1] to tmp[16 .. 15]\n",
    "allgather by_rank\nranks r: p\nstep\n  send out[0 .. r] to r + 1\n  recv out[r .. p - 1] from r - 1\n"
    "  send out[-1 .. -1] to 1\n  send out[3 * p - 1] to 1\n  send in to 0\n  send out to -1\n",
    /* other coordinates */
    "alltoall matrix\nranks (a: 2, b: (p + 1) / 2)\nrequires p mod 2 == 0\nfor i in 0 .. p\n  step\n"
    "    send in[a+i, b-i] to (a - i, b + 3 * i)\n    recv out[i] from (a + i, b)\n",
    "alltoall turned(far = 1000000007)\nranks (l: slots, s: servers)\nstep\n  send in[l+far, s-far] to (l + 1, s - 1)\n"
    "  recv out[l-s, s*l*far] from (-l, -s)\n",
    /* coordinates without a rank: servers are unequal where p is no multiple of 3 */
    "alltoall ragged\nranks (l: max_slots, s: servers)\nfor j in 0 .. servers-1\n"
    "  for k in -1 .. max_slots\n    step\n      send in[l+k, s+j] to (l + k, s + j)\n"
    "      recv out[l-k, s-j] from (l - k, s - j)\n      recv out[3*s+l] from (s, l)\n",
    "alltoall absent\nranks (s: servers, l: max_slots)\nstep\n  send in[s, l] to (s, l + 1)\n"
    "step\n  recv out[s, l+1] from (s, l)\n  send in[s+1, l] to (s + 1, l)\n",
    "alltoall copied\nranks (s: servers, l: max_slots)\nstep\n  send in[s+1, 2] to (s + 1, 2)\n"
    "copy in[s, l+1] to out[s+1, 1]\n",
    "bcast unequal(segments = 3)\nranks (s: servers, l: max_slots) from root\nstep\n  send buf[l] to (s + 1, -l)\n"
    "  recv buf[0 .. l] from (s * s, l + 2)\nstep\n  if l == 0  send buf[2] to (s + 5, root)\n",
    "bcast counted(segments = 40)\nranks (s: servers, l: max_slots) from root\nlet all = groups_before(servers, 1)\n"
    "step\n  send buf[groups_before(s, 1) .. groups_before(s + 1, 1) - 1] to (s + 1, 0)\n"
    "  if s * s < servers  send buf[groups_before(s * s, 2)] to (all, present)\n",
    "barrier far(n = 10 ^ 12)\nranks (s: servers, l: max_slots)\nstep\n  send to (s + n, l - n * s)\n",
    "bcast relative(segments = 3)\nranks r: p from root\nstep\n  if r == 0\n    for i in 1 .. p-1\n"
    "      send buf to i\n  else\n    recv buf from 0\nstep\n  send buf[r mod 3] to -r\n",
    "barrier none\nranks r: p\nstep\n  send to r + 1; recv from r - 1\nfor i in 1 .. 0\n  step\n    send to 0\nstep\n  let x = 1\n",
    /* faults: some lanes only, inside of conditions, in bounds and chunks */
    "barrier zero\nranks r: p\nfor i in 0 .. 3\n  step\n    send to r + 1\n    if r > 1  recv from p / (r - 2 - i)\n",
    "barrier large\nranks r: p\nlet big = 2 ^ 62\nstep\n  send to r\nstep\n  if r > 2  send to big * (r - 2)\n",
    "barrier sum\nranks r: p\nlet big = 2 ^ 62 - 1 + 2 ^ 62\nstep\n  send to big - r\n  send to big + r\n",
    "barrier difference\nranks r: p\nlet low = 0 - 2 ^ 62 - 2 ^ 62\nstep\n  send to low + r\n"
    "  send to low - r\n",
    "barrier logs\nranks r: p\nstep\n  recv from ceil_log2(3 - r)\n  send to floor_log2(r)\n",
    "barrier bases\nranks r: p\nstep\n  recv from ceil_log(3 - r, p)\n  send to ceil_log(2, r)\n",
    "barrier bits\nranks r: p\nstep\n  recv from reverse_bits(r, 61 + r)\n  send to reverse_bits(1, -r)\n",
    "barrier rounds\nranks r: p\nstep\n  recv from circulant_block(9, r, r)\n"
    "  send to circulant_block(1 - r, r, 0)\n",
    "barrier digits\nranks r: p\nstep\n  recv from reverse_digits(10, r - 3, 3)\n"
    "  send to reverse_digits(r, 5, 1)\n",
    "barrier many\nranks r: p\nstep\n  send to reverse_digits(10, 9, 15 + r)\n",
    "barrier powers\nranks r: p\nstep\n  send to 2 ^ (r - 5)\n",
    "barrier ends\nranks r: p\nstep\n  for i in 0 .. r by 3 - r\n    send to i\n",
    "allreduce outside(segments = 4)\nranks r: p\nfor i in 0 .. 4\n  step\n    send buf[r / 7 + i] to r\n",
    "allreduce backward(segments = 4)\nranks r: p\nstep\n  send buf[0 .. 2 - r] to r\n",
    "allreduce unequal(segments = 4)\nranks r: p\ntmp 4\nstep\n  copy buf[0 .. r mod 4] to tmp[0 .. 2]\n",
    "allgather wraps\nranks r: p\nstep\n  send out[r .. r + 2] to r\n",
    /* of the rank and a constant, looked at before the constant is made */
    "barrier constants\nranks r: p\ndef turn(m)\n  if (m - r) mod 17 == 5\n    send to r + 1\nstep\n"
    "  for i in 1 .. 256\n    let n = 5*p + 3\n    if (n - r) mod 17 == 3\n      send to r\n"
    "    turn(7*p + 2)\n",
};

static void test_programs(void)
{
    unsigned n_compared = 0;
    const size_t n = sizeof programs / sizeof *programs;
    bool agrees = true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t p = 1; p <= 33; p++)
            for (uint32_t per_machine = 1; per_machine <= 3; per_machine += 2)
                agrees &= compare(programs[i], programs[i], place(p, per_machine, BLOCK), NULL,
                                  (struct bind_request){.root = p / 3}, &n_compared);
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > n * 33);
}

/* More ranks than lanes of a block, with the last block in part. Programs whose
 * work grows with a power of the ranks are left out. */
static void test_many_ranks(void)
{
    static const uint32_t sizes[] = {511, 512, 513, 1025};
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        bool is_large = strstr(programs[i], " loops") || strstr(programs[i], " down") ||
                        strstr(programs[i], " matrix") || strstr(programs[i], " copies") ||
                        strstr(programs[i], " turned") || strstr(programs[i], " ragged");
        for (size_t k = 0; !is_large && k < 4; k++)
            agrees &= compare(programs[i], programs[i], place(sizes[k], 3, CYCLIC), NULL,
                              (struct bind_request){.root = 500}, &n_compared);
    }
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_TRUE(n_compared > 60);
}

/* Expressions that are evaluated for whole blocks, or later, or not at all, and have no value on some ranks:
 * under conditions that exclude these, and in cases that are to fail. */
static const char *const block_programs[] = {
    "barrier guarded\nranks r: p\nfor i in 0 .. 5\n  step\n"
    "    if r > i and (i + 700 / r) mod 3 == 0  send to r + 700 / r\n"
    "    if r < 5 or 3000 / (r - 4) > i * 9  recv from r - 3000 / (r + 1) * i\n",
    "barrier lets\nranks r: p\nfor i in 0 .. 5\n  step\n    if r > 2 + 500 * (i mod 2)\n"
    "      let q = 9000 / (r - 2)\n      let s = q * q + r mod 7\n"
    "      if s mod (i + 2) == 0  send to s\n      else  recv from s + q / (r - 1)\n",
    "barrier late\nranks r: p\nfor i in 0 .. 3\n  step\n    send to i\n"
    "    if r >= 500 and i == 2  send to 5 / (r - 510 - 2 * i)\n",
    "barrier unread\nranks r: p\nfor i in 0 .. 3\n  step\n    send to r + i\n"
    "    if i == 1\n      let x = 1 / (r - 510)\n",
    "barrier unread_few\nranks r: p\nfor i in 0 .. 3\n  step\n    if r > 505 + i\n"
    "      let x = i / (r - 510)\n      if r == 508  send to x\n",
    "barrier calls\nranks r: p\ndef talk(a, b)\n  let far = a * 3 + b / 2\n"
    "  if far mod 5 < b  send to far\n  if far mod 3 == 1  recv from a - far\n"
    "def twice(a)\n  talk(a, r mod 4)\n  talk(r mod 9 - a, a * a)\n"
    "for i in 0 .. 3\n  step\n    twice(i); twice(r / 7 + 1); twice(r - i)\n",
    "barrier shadow\nranks r: p\ndef two(x)\n  let y = x * x + 1\n  for j in 0 .. x mod 3\n"
    "    let z = y + j * x\n    if z mod 2 == 0  send to z\n  recv from y\n"
    "for i in 0 .. 2\n  step\n    two(r mod 5); two(i); two(r + i)\n",
    "barrier rows\nranks r: p\nfor i in 0 .. 40\n  step\n    let g = 13 * i - r\n    let h = g * g\n"
    "    if 0 <= g and g < 100  send to h\n    if not (0 <= g and g < 100) and g mod 64 == 1  recv from h\n"
    "    if g < 0 or g > 300 and h mod 2 == 1\n      if r mod 8 == i mod 8  send to r + g\n"
    "      else\n        if r mod 96 < 40  recv from g\n",
    "barrier outside\nranks r: p\nfor i in 0 .. 6\n  let w = (r + i) mod 100\n  let v = w * w - r / 3\n"
    "  for k in 0 .. 2\n    step\n      if w / (k + 1) == 3  send to v\n"
    "      for j in 1 .. w mod 3\n        recv from v + j\n",
    "barrier chain\nranks r: p\nfor i in 0 .. 2\n  step\n    let a = r mod 50 + i\n    let b = a + 1 + i\n"
    "    let c = b + a\n    let d = c + b\n    let e = d + c\n    let f = e + d\n    let g = f + e\n"
    "    let h = g + f\n    let j = h + g\n    let k = j + h\n    let l = k + j\n    let m = l + k\n"
    "    let n = m + l\n    let o = n + m\n    let q = o + n\n    let s = q + o\n    let t = s + q\n"
    "    let u = t + s\n    let v = u + t\n    if r mod 100 == i  send to v\n    if r mod 2 == 0  recv from u\n",
    "barrier few\nranks r: p\nstep\n  let a = r mod 7\n"
    "  let b = (a + a + a + a) mod 7\n  let c = (b + b + b + b) mod 7\n"
    "  let d = (c + c + c + c) mod 7\n  let e = (d + d + d + d) mod 7\n"
    "  let f = (e + e + e + e) mod 7\n  let g = (f + f + f + f) mod 7\n"
    "  let h = (g + g + g + g) mod 7\n  let j = (h + h + h + h) mod 7\n"
    "  let k = (j + j + j + j) mod 7\n  let l = (k + k + k + k) mod 7\n"
    "  let m = (l + l + l + l) mod 7\n  let n = (m + m + m + m) mod 7\n"
    "  let o = (n + n + n + n) mod 7\n"
    "  if r == 0  send to o\n  if r == o  recv from 0\n",
    /* comparisons that are true on ranks in a row, either way round, of each other's ranks */
    "barrier compared\nranks r: p\nfor i in -1 .. 8\n  step\n    let x = r - 90 * i\n"
    "    if x < 7  send to r + 1\n    if 7 <= x  recv from r - 1\n    if x == 3  send to i\n"
    "    if x > 500 and 3 > 510 - x  recv from x\n    if r >= i and i >= r - 1  send to x\n"
    "    if i + r <= 514 and 3 + x > 9 and r mod 3 == 0 and r < 140 * i and 120 * i - 60 <= r  recv from r\n"
    "    let y = 40 * i - r\n    if y > 3  send to y\n    if 0 <= y and y < 5  send to 1\n"
    "    if -600 > y  recv from 1\n    if y == -i or y - 3 >= -2 and 4 - y >= 0  recv from y\n    if y <= -510 - i  recv from 2\n"
    "    if 5 == r - 2 * i or r == 511 + i  send to 2\n    if 512 < r  recv from 1\n",
    "barrier falling\nranks r: p\nfor i in -1 .. 8\n  step\n    if i - r > -4  send to i\n    if i - r == -520  send to r\n"
    "    if 600 - r < i and -r > -1000  recv from i\n",
    "barrier halves\nranks r: p\nlet half = r / 512\nlet other = r - 3\nfor i in 0 .. 3\n  step\n"
    "    if half == i  send to r\n    if i >= half and r > 3  recv from r\n"
    "    if other < i * 200 and 2 < other  send to other\n    if other == i + 509  recv from 1\n"
    "  let w = r + i\n  step\n    if w == 600  send to 2\n    if w < 4 or w > 600  send to 3\n"
    "  let z = (r + i) mod 700\n  step\n    if z == 600  send to z\n    if z < 4  recv from i\n",
    "bcast rooted\nranks r: p from root\nstep\n  if r == 0  send buf to 600\n  if r >= p - 3  recv buf from 1\n"
    "  if 4 > r and r mod 2 == 1  send buf to 2 * r\n",
    /* loops of few ranks and many iterations: values from outside, calls, loops in them, what is
     * read after them, faults in an iteration */
    "alltoall leaders\nranks r: p\ntmp 64\ndef both(i, z, own)\n  let w = z + own * i\n"
    "  send in[w] to i\n  if w mod 5 != own  send in[i] to w\nlet own = (7 * r + 3) mod 11\n"
    "for g in 0 .. 1\n  step\n    let x = r mod 5 + g\n    let y = own * x + 1\n"
    "    if r mod 300 == 2\n      for i in 1199 .. g by -1\n        let z = i * x + y\n"
    "        let a = r * r\n        if i < 700 and 35 != i  both(i, z, own)\n        if z mod 3 == 0\n"
    "          for k in 0 .. z mod 4\n            recv out[k+i] from z + a\n            copy in[z] to tmp[k]\n"
    "        else\n          recv out[i] from z\n          recv out[a] from r\n      send in[x] to y\n",
    "alltoall few_leaders\nranks r: p\nstep\n  let y = r * r\n  if r > p - 4\n"
    "    let far = y + r\n    for i in 0 .. 80\n      if i mod 7 == r mod 7  send in[far] to i\n"
    "      send in[i] to far + y\n  else  recv out[y] from 0\n",
    "alltoall guarded_leader\nranks r: p\nstep\n  if r == 1\n    for i in 0 .. 99\n"
    "      if i > 200\n        let none = 1 / (r - 1)\n        send in[none] to i\n      send in[i] to r\n",
    "allreduce late_fault(segments = 900)\nranks r: p\nstep\n  if r == 2\n    for i in 0 .. 999\n"
    "      send buf[i] to 10 / (i - 950)\n      if i mod 2 == 0  recv buf[3 * i / 2] from i\n",
    "scatter from_root\nranks r: p from root\nstep\n  if r == 0\n    for i in 0 .. p-1\n"
    "      send in[i] to i\n  if r == 1\n    for i in 0 .. p-2\n      recv out from 0\n"
    "step\n  if r == 2\n    for i in 0 .. 40\n      send in[i] to i\n",
};

static void test_blocks(void)
{
    static const uint32_t sizes[] = {3, 40, 511, 513, 1100};
    const size_t n = sizeof block_programs / sizeof *block_programs;
    unsigned n_compared = 0;
    bool agrees = true;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 5; k++)
            agrees &= compare(block_programs[i], block_programs[i], place(sizes[k], 1, BLOCK), NULL,
                              (struct bind_request){.root = sizes[k] / 2}, &n_compared);
    CU_ASSERT_TRUE(agrees);
    CU_ASSERT_EQUAL(n_compared, 5 * n);
}

/* However often a definition is called, what changes in it has the variables of its text: each
 * may hold a value for every rank. */
static void test_shared_variables(void)
{
    static const char text[] =
        "barrier calls\nranks r: p\ndef turn(i)\n  let a = r + i\n  for j in 0 .. 1\n    let b = a * j\n"
        "    step\n      send to b\nfor k in 0 .. 1\n  turn(k); turn(k + 1); turn(-k)\n";
    struct bound_text scene = {0};
    bind_text(&scene, text, place(8, 1, BLOCK), NULL, (struct bind_request){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene.binding);
    struct environment *environment = environment_new(scene.program, &scene.diagnostics);
    environment->n_ranks = 8;
    specialise(scene.program, environment, &scene.arena);
    CU_ASSERT_EQUAL(environment->n_slots, scene.program->n_variables);
    environment_free(environment);
    unbind_text(&scene);
}

/* --- binding ----------------------------------------------------------- */

/* Binds and gives the first message with its code and help, "" if there is none. */
static const char *message_of(const char *text, struct placement *placement,
                              const char *shape, struct bind_request request)
{
    static char message[600];
    struct bound_text scene = {0};
    struct diagnostics diagnostics = {0};
    bind_text(&scene, text, placement, shape ? topology_read(shape, &diagnostics) : NULL, request);
    const struct diagnostic *first = scene.diagnostics.first;
    snprintf(message, sizeof message, "%s%s%s%s%s", first ? code_table[first->code].id : "",
             first ? ": " : "", first ? first->message : "", first && first->help ? "; " : "",
             first && first->help ? first->help : "");
    unbind_text(&scene);
    diagnostics_free(&diagnostics);
    return message;
}

static void expect_message(const char *found, const char *expected)
{
    if (!strstr(found, expected) || (!*expected && *found))
        fprintf(stderr, "found '%s'\nexpected '%s'\n", found, expected);
    CU_ASSERT_PTR_NOT_NULL(strstr(found, expected));
    CU_ASSERT_TRUE(*expected || !*found);
}

#define BARRIER_STEP "step\n  send to r\n"

static void test_requirements(void)
{
    const struct bind_request none = {0};
    expect_message(message_of("barrier b\nranks r: p\nrequires 2 * p == 9\n" BARRIER_STEP,
                              place(4, 1, BLOCK), NULL, none),
                   "E009: '2 * p == 9' does not hold: p = 4");
    expect_message(message_of("barrier b(n = p / 0)\nranks r: p\n" BARRIER_STEP, place(4, 1, BLOCK),
                              NULL, none),
                   "E007: 'p / 0' divides by zero: 4 / 0");
    expect_message(message_of("barrier b\nranks (r: 3, q: 2)\n" BARRIER_STEP, place(4, 1, BLOCK),
                              NULL, none),
                   "E");
    expect_message(message_of("alltoall b\nranks (s: 3, l: 2)\nstep\n  send in[0] to (s, l)\n",
                              place(4, 1, BLOCK), NULL, none),
                   "E009: the coordinates have 3 x 2 points, but there are 4 ranks");
    expect_message(message_of("alltoall b\nranks (s: servers, l: slots)\nstep\n  send in[0] to (s, l)\n",
                              place(5, 2, UNEQUAL), NULL, none),
                   "E009: 'slots' has no value: the servers have unequal numbers of ranks, up to 3");
    expect_message(message_of("barrier b\nranks r: p\n" BARRIER_STEP, place(5, 2, UNEQUAL), NULL, none),
                   "");
}

static void test_grids(void)
{
    const struct bind_request none = {0};
    const char *text = "alltoall b\nranks (x: nx, y: ny)\nrequires nx == ny\nstep\n  send in[0] to (x, y)\n";
    const char *deep = "alltoall b\nranks (x: nx, y: ny, z: nz)\nstep\n  send in[0] to (x, y, z)\n";
    expect_message(message_of(text, place(72, 1, BLOCK), "torus:8x9", none),
                   "E009: 'nx == ny' does not hold: nx = 8, ny = 9");
    expect_message(message_of(text, place(64, 1, BLOCK), NULL, none),
                   "E009: 'nx' is an extent of a grid, but no topology is given");
    expect_message(message_of(text, place(64, 1, BLOCK), "star:64", none), "'star:64' is no grid");
    expect_message(message_of(text, place(32, 1, BLOCK), "torus:8x8", none), "not one on every machine");
    expect_message(message_of(deep, place(64, 1, BLOCK), "torus:8x8", none), ""); /* nz is 1 */
    expect_message(message_of(text, place(512, 1, BLOCK), "torus:8x8x8", none),
                   "E009: the coordinates have 8 x 8 points, but there are 512 ranks");
    expect_message(message_of(deep, place(60, 1, BLOCK), "mesh:3x4x5", none), "");
    const char *function = "barrier b\nranks r: p\nstep\n  send to shift(r, 0, 1)\n";
    expect_message(message_of(function, place(64, 1, BLOCK), NULL, none),
                   "E009: 'shift(r, 0, 1)' is a function of a grid, but no topology is given");
    expect_message(message_of(function, place(64, 1, BLOCK), "star:64", none), "'star:64' is no grid");
    expect_message(message_of("barrier b\nrequires dimensions == 2\nstep\n  send to 0\n",
                              place(8, 1, BLOCK), "star:8", none),
                   "E009: 'dimensions' is the number of dimensions of a grid, but 'star:8' is no grid");
    expect_message(message_of("barrier b\nrequires extent(-1) == 2\nstep\n  send to 0\n",
                              place(9, 1, BLOCK), "torus:3x3", none),
                   "E007: 'extent(-1)' names a dimension below 0: -1");
}

static void test_settings(void)
{
    const char *text = "bcast b(segments = 2 * p, extra = segments + 1)\nranks r: p\nrequires extra != 6\n"
                       "step\n  send buf to r\n";
    struct parameter_setting setting[] = {{.name = "segments", .value = 5},
                                          {.name = "segment", .value = 5}};
    expect_message(message_of(text, place(4, 1, BLOCK), NULL, (struct bind_request){0}), "");
    expect_message(message_of(text, place(4, 1, BLOCK), NULL,
                              (struct bind_request){.settings = setting, .n_settings = 1}),
                   "E009: 'extra != 6' does not hold: extra = 6");
    expect_message(message_of(text, place(4, 1, BLOCK), NULL,
                              (struct bind_request){.settings = setting + 1, .n_settings = 1}),
                   "E003: 'b' has no parameter 'segment'; did you mean 'segments'?");
    setting[0].value = 0;
    expect_message(message_of(text, place(4, 1, BLOCK), NULL,
                              (struct bind_request){.settings = setting, .n_settings = 1}),
                   "E009: 'segments' is 0, but must be between 1 and 2147483648");
    expect_message(message_of(text, place(4, 1, BLOCK), NULL, (struct bind_request){.root = 4}),
                   "E009: root 4 is not one of 4 ranks");
}

static void test_values(void)
{
    struct bound_text scene = {0};
    bind_text(&scene, "bcast b(segments = 3)\nranks r: p from root\ntmp p + segments\nstep\n  send buf to r\n",
               place(6, 2, BLOCK), NULL, (struct bind_request){.root = 2, .bytes = 1000});
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene.binding);
    CU_ASSERT_EQUAL(scene.binding->n_ranks, 6);
    CU_ASSERT_EQUAL(scene.binding->segments, 3);
    CU_ASSERT_EQUAL(scene.binding->n_tmp, 9);
    CU_ASSERT_EQUAL(scene.binding->bytes, 1000);
    CU_ASSERT_EQUAL(scene.binding->chunk_bytes, 334);
    CU_ASSERT_EQUAL(scene.binding->extent[0], 6);
    CU_ASSERT_EQUAL(scene.binding->root, 2);
    unbind_text(&scene);
}

/* --- by hand ----------------------------------------------------------- */

/* After a rewind all is given again; a step is valid until the next call. */
static void test_rewind(void)
{
    struct bound_text scene = {0};
    struct step step;
    bind_text(&scene, "alltoall b\nranks r: p\nfor i in 0 .. 2\n  step\n    send in[r+i] to r + i\ncopy in[r] to out[r]\n",
               place(3, 1, BLOCK), NULL, (struct bind_request){0});
    struct schedule *schedule = expand_program(scene.binding, &scene.diagnostics);
    for (unsigned turn = 0; turn < 3; turn++) {
        CU_ASSERT_TRUE(schedule->next(schedule, &step));
        CU_ASSERT_TRUE(schedule->next(schedule, &step));
        CU_ASSERT_EQUAL(step.index, 1);
        CU_ASSERT_EQUAL(step.n_sends, 3);
        CU_ASSERT_EQUAL(step.sends[2].peer, 0);
        CU_ASSERT_EQUAL(step.sends[2].chunk, 0);
        CU_ASSERT_EQUAL(step.sends[2].line, 5);
        for (unsigned i = 0; i < turn; i++)
            CU_ASSERT_TRUE(schedule->next(schedule, &step));
        CU_ASSERT_EQUAL(step.n_copies, turn == 2 ? 3 : 0);
        CU_ASSERT_TRUE(turn < 2 || !schedule->next(schedule, &step));
        schedule->rewind(schedule);
    }
    schedule->destroy(schedule);
    unbind_text(&scene);
}

/* The message of a fault while stepping. */
static void expect_fault(const char *text, uint32_t n_ranks, const char *expected)
{
    struct bound_text scene = {0};
    struct step step;
    bind_text(&scene, text, place(n_ranks, 1, BLOCK), NULL, (struct bind_request){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene.binding);
    struct schedule *schedule = expand_program(scene.binding, &scene.diagnostics);
    while (schedule->next(schedule, &step))
        continue;
    CU_ASSERT_TRUE(schedule->failed);
    CU_ASSERT_FALSE(schedule->next(schedule, &step));
    expect_message(scene.diagnostics.first ? scene.diagnostics.first->message : "", expected);
    schedule->destroy(schedule);
    unbind_text(&scene);
}

static void test_faults(void)
{
    expect_fault("barrier b\nranks r: p\nfor i in 0 .. 3\n  step\n    send to 7 / (r - i - 3)\n", 5,
                 "'7 / (r - i - 3)' divides by zero: 7 / 0, at rank 3 in step 0");
    expect_fault("barrier b\nranks r: p\nstep\n  send to r\nstep\n  send to 2^62 * (r + 1)\n", 5,
                 "overflows 64 bits: 4611686018427387904 * 2, at rank 1 in step 1");
    expect_fault("barrier b\nranks r: p\nstep\n  send to 2 ^ (p + 60)\n", 5,
                 "'2 ^ (p + 60)' has an exponent outside 0 .. 62: 2 ^ 65, at rank 0 in step 0");
    expect_fault("barrier b\nranks r: p\nfor i in 0 .. 3\n  step\n    send to r\n    if r >= 2 * i\n"
                 "      let x = 7 * i / ((r + 1) mod 521) + 60 / (r / 2 - 258)\n", 1100,
                 "'7 * i / ((r + 1) mod 521)' divides by zero: 0 / 0, at rank 520 in step 0");
    expect_fault("barrier b\nranks r: p\nfor i in 0 .. 3\n  step\n    send to r\n    if r >= 520 - i\n"
                 "      let x = 60 / (r - 518)\n", 1100,
                 "'60 / (r - 518)' divides by zero: 60 / 0, at rank 518 in step 2");
    expect_fault("allreduce b(segments = 3)\nranks r: p\nstep\n  send buf[r] to r\n", 5,
                 "chunk 3 of 'buf' is outside: it has 3, at rank 3 in step 0");
    expect_fault("barrier b\nranks r: p\nfor i in 0 .. 2^41\n  step\n    send to r\n", 2,
                 "iterations, 0 .. 2199023255552");
    expect_fault("barrier b\nranks r: p\nwindow p - 3\n  step\n    send to r\n", 3,
                 "a window of 0 steps, but it must be at least 1");
    expect_fault("allgather b\nranks r: p\nstep\n  send out[r .. r + 1] to r\n", 3,
                 "2 chunks of 'out' from 2 on go past the last of 3, at rank 2 in step 0");
}

/* Returns what is known of the loop i = 0 .. 299 around `body`, with 4 ranks. */
static struct effect known_effect(const char *body)
{
    struct bound_text scene = {0};
    const char *text = arena_printf(&scene.arena, "barrier b\nranks r: p\nfor i in 0 .. 299\n%s",
                                    body);
    bind_text(&scene, text, place(4, 1, BLOCK), NULL, (struct bind_request){0});
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene.program);
    struct environment *environment = environment_new(scene.program, &scene.diagnostics);
    environment->n_ranks = 4;
    for (uint32_t i = 0; i < scene.program->n_variables; i++)
        if (scene.program->variables[i].kind != VARIABLE_COORDINATE)
            variables_assign_uniform(environment, i, scene.binding->value[i]);
    const struct effect effect =
        effect_of_loop(environment, scene.program->body, 300, range_between(0, 299));
    environment_free(environment);
    unbind_text(&scene);
    return effect;
}

static void test_known_effects(void)
{
    static const struct {
        const char *body;
        uint64_t n;
        bool is_idle;
    } cases[] = {
        {"  step\n    send to r\n", 300, false},
        {"  for j in 1 .. p\n    step\n      send to r\n", 1200, false},
        {"  for j in 0 .. i\n    step\n      send to r\n", 300, false},
        {"  for j in i .. 299\n    step\n      send to r\n", 300, false},
        {"  for j in i .. 0 by -2\n    step\n      send to r\n", 300, false},
        {"  for j in 9 .. 0 by -2\n    step\n      send to r\n", 1500, false},
        {"  for j in 1 .. i\n    step\n      send to r\n", 0, false},
        {"  for j in 9 .. 1\n    step\n      send to r\n", 0, true},
        {"  if i < 5\n    step\n      send to r\n", 0, false},
        {"  if i < 300\n    step\n      send to r\n", 300, false},
        {"  if i < 5\n    step\n      send to r\n  else\n    for j in 1 .. 3\n      step\n"
         "        send to r\n", 300, false},
        {"  let n = min(i, 2) + 1\n  for j in 1 .. n\n    step\n      send to r\n", 300, false},
        {"  window 4\n    for j in 1 .. 9\n      step\n        send to r\n", 600, false},
        {"  window i\n    for j in 1 .. 9\n      step\n        send to r\n", 0, false},
        {"  for j in 1 .. 10^6\n    for k in 1 .. 10^6\n      step\n        send to r\n", UINT32_MAX, false},
        {"  for j in 1 .. ceil_log2(p / 4)\n    step\n      send to r\n", 0, true},
        {"  let n = i / 2\n  for j in n .. n - 1\n    let k = n\n", 0, true},
        {"  let n = i / (i - 5)\n", 0, false},
        {"  if i > 299\n    step\n      send to r\n", 0, true},
        {"  if i > 298\n    step\n      send to r\n", 0, false},
        {"  if i > 7\n    for j in 0 .. i\n      let k = j\n  else\n    let k = i\n", 0, true},
        {"  for j in 0 .. i by 2 - i\n    let k = i\n", 0, false},
        {"  for j in 0 .. i * 2^40\n    let k = i\n", 0, false},
        {"  window 3\n    for j in p .. 3\n      step\n        send to r\n", 0, true},
        {"  window i\n    for j in p .. 3\n      step\n        send to r\n", 0, false},
        {"  step\n    if p == 3\n      send to r\n", 300, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct effect effect = known_effect(cases[i].body);
        CU_ASSERT_EQUAL(effect.steps, cases[i].n);
        CU_ASSERT_EQUAL(effect.is_idle, cases[i].is_idle);
        if (effect.steps != cases[i].n || effect.is_idle != cases[i].is_idle)
            fprintf(stderr, "%llu steps, idle %d, instead of %llu, %d of\n%s",
                    (unsigned long long)effect.steps, effect.is_idle, (unsigned long long)cases[i].n,
                    cases[i].is_idle, cases[i].body);
    }
}

/* Too many steps are refused before the first one; steps of a window are one step. */
static void test_too_many_steps(void)
{
    expect_fault("barrier b\nranks r: p\nfor i in 1 .. 10^9\n  step\n    send to r\n    recv from r\n",
                 3, "more than 8388608 steps");
    expect_fault("barrier b\nranks r: p\ndef f(n)\n  for k in 1 .. n\n    step\n      send to r\n"
                 "step\n  send to r\nfor i in 1 .. 10^6\n  f(i + 9)\n",
                 3, "more than 8388608 steps, after step 0");
    expect_fault("barrier b\nranks r: p\nwindow 8\n  for i in 1 .. 10^9\n    step\n      send to r\n",
                 3, "more than 8388608 steps");
    expect_fault("barrier b\nranks r: p\nfor i in 1 .. 10^9\n  if i < 4\n    step\n      send to 1 / (r - r)\n",
                 3, "divides by zero: 1 / 0, at rank 0 in step 0");
    expect_fault("barrier b\nranks r: p\nwindow 10^6\n  for i in 1 .. 10^9\n    step\n"
                 "      send to 1 / (r - r)\n", 3,
                 "divides by zero: 1 / 0, at rank 0 in step 0");
}

UNIT_PROGRAM(test_expand)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("expand", NULL, NULL);
    CU_add_test(suite, "built-in algorithms, by ranks and roots", test_built_in_by_ranks);
    CU_add_test(suite, "built-in algorithms, by servers", test_built_in_by_servers);
    CU_add_test(suite, "built-in algorithms, on grids", test_built_in_on_grids);
    CU_add_test(suite, "programs", test_programs);
    CU_add_test(suite, "more ranks than a block has lanes", test_many_ranks);
    CU_add_test(suite, "blocks of ranks", test_blocks);
    CU_add_test(suite, "variables of calls", test_shared_variables);
    CU_add_test(suite, "requirements", test_requirements);
    CU_add_test(suite, "grids", test_grids);
    CU_add_test(suite, "functions of grids", test_grid_functions);
    CU_add_test(suite, "settings", test_settings);
    CU_add_test(suite, "values", test_values);
    CU_add_test(suite, "rewind", test_rewind);
    CU_add_test(suite, "faults", test_faults);
    CU_add_test(suite, "steps known before expansion", test_known_effects);
    CU_add_test(suite, "too many steps", test_too_many_steps);
    CU_basic_run_tests();
    unsigned n_failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return n_failures ? 1 : 0;
}
