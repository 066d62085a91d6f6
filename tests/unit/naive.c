/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second, slow expansion of programs. See naive.h.
 */
#include "tests/unit/naive.h"

#include "ir/needs.h"

#include "compiler/passes/circulant.h"
#include "network/view.h"
#include "network/grid.h"
#include "tests/unit/topology_checks.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

struct window {
    struct window *outer;
    int64_t size, n;
};

struct naive {
    const struct binding *binding;
    const struct program *program;
    struct naive_trace *trace;
    uint32_t rank;
    int64_t *value; /* [variable] */
    struct window *window;
    uint32_t *named; /* chunks that the parts of a message have named */
    size_t n_named, named_capacity;
    struct topology *own_grid; /* of neighbours where the ranks are on no grid; made on demand */
    jmp_buf fault;
};

static _Noreturn void fault(struct naive *naive)
{
    naive->trace->failed = true;
    longjmp(naive->fault, 1);
}

static int64_t narrow(struct naive *naive, wide value)
{
    if (value > INT64_MAX || value < INT64_MIN)
        fault(naive);
    return (int64_t)value;
}

static wide floor_quotient(struct naive *naive, wide a, wide b)
{
    if (b == 0)
        fault(naive);
    wide quotient = a / b;
    while (quotient * b > a && b > 0)
        quotient--;
    while (quotient * b < a && b < 0)
        quotient--;
    return quotient;
}

static wide raise(struct naive *naive, wide base, int64_t exponent)
{
    wide result = 1;
    if (exponent < 0 || exponent > 62)
        fault(naive);
    for (int64_t i = 0; i < exponent; i++)
        result = narrow(naive, result * base);
    return result;
}

static wide log2_of(struct naive *naive, int64_t n, bool up)
{
    wide power = 1;
    int k = 0;
    if (n < 1)
        fault(naive);
    for (; power < n; power *= 2)
        k++;
    return up || power == n ? k : k - 1;
}

static wide log_of(struct naive *naive, int64_t base, int64_t n)
{
    wide power = 1;
    int k = 0;
    if (base < 2 || n < 1)
        fault(naive);
    for (; power < n; power *= base)
        k++;
    return k;
}

/* Bit i of n becomes bit k - 1 - i. */
static wide reversed(struct naive *naive, int64_t n, int64_t k)
{
    wide result = 0;
    if (k < 0 || k > 62)
        fault(naive);
    for (int64_t i = 0; i < k; i++)
        if ((uint64_t)n & (UINT64_C(1) << i))
            result += (wide)1 << (k - 1 - i);
    return result;
}

static wide lcm_of(struct naive *naive, int64_t a, int64_t b)
{
    wide multiple = a;
    if (a < 1 || b < 1) {
        fault(naive);
        return 1;
    }
    while (multiple % b != 0)
        multiple += a;
    return multiple;
}

static int64_t value_of(struct naive *naive, const struct expr *expr);

static wide combine(struct naive *naive, enum expr_kind kind, int64_t a, int64_t b)
{
    switch ((int)kind) {
    case EXPR_NEGATE: return -(wide)a;
    case EXPR_NOT: return a == 0;
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    case EXPR_GE: return a >= b;
    case EXPR_XOR: return a ^ b;
    case EXPR_ADD: return (wide)a + b;
    case EXPR_SUB: return (wide)a - b;
    case EXPR_MUL: return (wide)a * b;
    case EXPR_DIV: return floor_quotient(naive, a, b);
    case EXPR_MOD: return a - floor_quotient(naive, a, b) * b;
    case EXPR_POW: return raise(naive, a, b);
    case EXPR_CEIL_LOG2: return log2_of(naive, a, true);
    case EXPR_FLOOR_LOG2: return log2_of(naive, a, false);
    case EXPR_CEIL_LOG: return log_of(naive, a, b);
    case EXPR_REVERSE_BITS: return reversed(naive, a, b);
    case EXPR_MIN: return a < b ? a : b;
    case EXPR_MAX: return a > b ? a : b;
    case EXPR_LCM: return lcm_of(naive, a, b);
    case EXPR_ABS: return a < 0 ? -(wide)a : a;
    default: abort();
    }
}

static uint32_t rank_of_number(struct naive *naive, int64_t number);

/* The grid of the ranks. Neighbours have one everywhere: elsewhere the most square one of two dimensions. */
static const struct topology *naive_grid(struct naive *naive)
{
    const struct binding *binding = naive->binding;
    const uint32_t p = binding->n_ranks;
    const struct topology *grid = binding->topology ? topology_grid(binding->topology) : NULL;
    bool is_whole = grid && binding->topology->n_machines == p;
    for (uint32_t rank = 0; is_whole && rank < p; rank++)
        is_whole = binding->placement->machine[rank] == rank;
    if (is_whole || !collective_is_of_neighbors(naive->program->collective))
        return grid;
    uint32_t rows = 1;
    for (uint32_t d = 1; d * d <= p; d++)
        rows = p % d ? rows : d;
    char spec[64];
    snprintf(spec, sizeof spec, "torus:%ux%u", p / rows, rows);
    if (!naive->own_grid)
        naive->own_grid = must_read(spec);
    return naive->own_grid;
}

/* The coordinates of a rank. On a grid of its own they are MPI_Cart_create's: the last dimension is the
 * fastest. */
static void naive_coordinates(struct naive *naive, uint32_t rank, uint32_t at[])
{
    const struct topology *grid = naive_grid(naive);
    if (grid != naive->own_grid) {
        view_coordinates(grid, rank, at);
        return;
    }
    at[0] = rank / view_extent(grid, 1);
    at[1] = rank % view_extent(grid, 1);
}

static uint32_t naive_rank_at(struct naive *naive, const uint32_t at[])
{
    const struct topology *grid = naive_grid(naive);
    return grid == naive->own_grid ? at[0] * view_extent(grid, 1) + at[1] : view_machine(grid, at);
}

/* The hops from number 0 to a number, each the shorter way round, half of it upwards. */
static void hops_to(struct naive *naive, int64_t number, int64_t hop[])
{
    const struct topology *grid = naive_grid(naive);
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS], origin[TOPOLOGY_MAX_DIMENSIONS];
    naive_coordinates(naive, rank_of_number(naive, number), at);
    naive_coordinates(naive, rank_of_number(naive, 0), origin);
    for (uint32_t d = 0; d < view_n_axes(grid); d++) {
        const int64_t extent = view_extent(grid, d);
        hop[d] = ((int64_t)at[d] - origin[d] + extent + (extent - 1) / 2) % extent - (extent - 1) / 2;
    }
}

/* The number k times some hops after a number. */
static int64_t number_after(struct naive *naive, int64_t number, const int64_t hop[], int64_t k)
{
    const struct topology *grid = naive_grid(naive);
    const uint32_t p = naive->binding->n_ranks, root = rank_of_number(naive, 0);
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS];
    naive_coordinates(naive, rank_of_number(naive, number), at);
    for (uint32_t d = 0; d < view_n_axes(grid); d++) {
        const wide to = at[d] + (wide)k * hop[d], extent = view_extent(grid, d);
        at[d] = (uint32_t)((to % extent + extent) % extent);
    }
    return (naive_rank_at(naive, at) + p - root) % p;
}

static int64_t displaced(struct naive *naive, int64_t number, int64_t way, int64_t k)
{
    int64_t hop[TOPOLOGY_MAX_DIMENSIONS];
    hops_to(naive, way, hop);
    return number_after(naive, number, hop, k);
}

/* By trying: a turn fits if its hops are those of a number, and half of no other extent. */
static int64_t turned(struct naive *naive, int64_t way, uint32_t k)
{
    const struct topology *grid = naive_grid(naive);
    const uint32_t n = view_n_axes(grid), p = naive->binding->n_ranks;
    int64_t hop[TOPOLOGY_MAX_DIMENSIONS], to[TOPOLOGY_MAX_DIMENSIONS] = {0};
    int64_t found[TOPOLOGY_MAX_DIMENSIONS];
    hops_to(naive, way, hop);
    for (uint32_t d = 0; d < n; d++)
        to[(d + k) % n] = hop[d];
    const int64_t number = number_after(naive, 0, to, 1);
    hops_to(naive, number, found);
    for (uint32_t d = 0; d < n; d++) {
        const uint32_t extent = view_extent(grid, d), before = view_extent(grid, (d + n - k) % n);
        if (found[d] != to[d] ||
            (extent != before && (2 * to[d] == extent || 2 * to[d] == before)))
            return p;
    }
    for (uint32_t smaller = 0; smaller < k; smaller++)
        if (turned(naive, way, smaller) == number)
            return p;
    return number;
}

/* extent, coordinate, shift: by the coordinates of the rank and of what numbers count from. */
static int64_t value_in_grid(struct naive *naive, const struct expr *expr)
{
    const struct topology *grid = naive_grid(naive);
    const int64_t a = value_of(naive, expr->a), b = expr->b ? value_of(naive, expr->b) : 0;
    const int64_t c = expr->c ? value_of(naive, expr->c) : 0, d = expr->b ? b : a;
    if (expr->kind == EXPR_DISPLACE)
        return displaced(naive, a, b, c);
    if (expr->kind == EXPR_ROTATE)
        return turned(naive, a, (uint32_t)combine(naive, EXPR_MOD, b, view_n_axes(grid)));
    const uint32_t root = rank_of_number(naive, 0), n = view_n_axes(grid);
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS], origin[TOPOLOGY_MAX_DIMENSIONS];
    if (d < 0)
        fault(naive);
    const int64_t extent = d < n ? view_extent(grid, (uint32_t)d) : 1;
    if (!expr->b)
        return extent;
    naive_coordinates(naive, rank_of_number(naive, a), at);
    naive_coordinates(naive, root, origin);
    if (!expr->c)
        return d < n ? (int64_t)combine(naive, EXPR_MOD, (int64_t)at[d] - origin[d], extent) : 0;
    if (d < n)
        at[d] = (uint32_t)combine(naive, EXPR_MOD,
                                  at[d] + (int64_t)combine(naive, EXPR_MOD, c, extent), extent);
    return (int64_t)combine(naive, EXPR_MOD, (int64_t)naive_rank_at(naive, at) - root,
                            naive->binding->n_ranks);
}

/* Ranks of each server counted one by one. */
static int64_t groups_before(struct naive *naive, int64_t s, int64_t k)
{
    const struct placement *placement = naive->binding->placement;
    const int64_t origin =
        naive->binding->program->from_root ? placement->server[naive->binding->root] : 0;
    int64_t n = 0;
    if (k < 1 || s < 0 || s > placement->n_servers)
        fault(naive);
    for (uint32_t rank = 0; rank < naive->binding->n_ranks; rank++)
        n += combine(naive, EXPR_MOD, placement->server[rank] - origin, placement->n_servers) < s &&
             (placement->slot[rank] + 1) % k == 0;
    return n;
}

/* Digit i of n becomes digit k - 1 - i. */
static int64_t reversed_digits(struct naive *naive, int64_t base, int64_t n, int64_t k)
{
    wide result = 0;
    if (base < 2 || n < 0 || k < 0 || k > 62)
        fault(naive);
    for (int64_t i = 0; i < k; i++) {
        int64_t digit = n;
        for (int64_t below = 0; below < k - 1 - i; below++)
            digit /= base;
        if (digit % base) /* no power is needed of what is 0 */
            result = narrow(naive, result + digit % base * raise(naive, base, i));
    }
    return (int64_t)result;
}

/* The function itself: that its values are right, test_circulant.c says. */
static int64_t circulant(struct naive *naive, int64_t n, int64_t r, int64_t k)
{
    int64_t block = 0;
    if (!circulant_block(n, r, k, &block))
        fault(naive);
    return block;
}

/* Coordinate d of a rank, by counting up to its place. */
static uint32_t place_on(const struct neighborhood *of, uint32_t rank, uint32_t d)
{
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS] = {0};
    for (uint32_t place = 0; place < of->place_of[rank]; place++)
        for (uint32_t i = 0; ++at[i] == of->extent[i]; i++)
            at[i] = 0;
    return at[d];
}

/* Steps forward in dimension d from one rank to the line of another one. */
static int64_t steps_to(const struct neighborhood *of, uint32_t from, uint32_t to, int64_t d)
{
    if (d >= of->n_dimensions)
        return 0;
    const uint32_t goal = place_on(of, to, (uint32_t)d);
    int64_t steps = 0;
    for (uint32_t at = place_on(of, from, (uint32_t)d); at != goal; at = (at + 1) % of->extent[d])
        steps++;
    return steps;
}

static bool are_as_far(const struct neighborhood *of, uint32_t a, uint32_t to_a, uint32_t b, uint32_t to_b,
                       int64_t last)
{
    bool are = true;
    for (int64_t d = 0; d <= last && d < of->n_dimensions; d++)
        are = are && steps_to(of, a, to_a, d) == steps_to(of, b, to_b, d);
    return are;
}

/* The block of `rank` that block k of another one is: search all ranks for one that lies so, and the edge. */
static int64_t block_from(struct naive *naive, const struct neighborhood *of, uint32_t rank, int64_t k)
{
    const struct neighbor *out = &of->list[SIDE_OUT][of->first[SIDE_OUT][rank]];
    for (uint32_t from = 0; from < of->n_ranks; from++) {
        const size_t first = of->first[SIDE_OUT][from];
        if (of->list[SIDE_OUT][first + (size_t)k].rank == rank &&
            are_as_far(of, from, rank, rank, out[k].rank, of->n_dimensions))
            return of->list[SIDE_OUT][first + (size_t)k].place;
    }
    fault(naive);
    return 0;
}

static int64_t value_of_neighbors(struct naive *naive, enum expr_kind kind, int64_t r, int64_t b, int64_t c)
{
    const struct neighborhood *of = naive->binding->neighbors;
    const bool comes = kind == EXPR_IN_DEGREE || kind == EXPR_IN_NEIGHBOR || kind == EXPR_IN_TURN;
    const size_t first = of->first[comes][r], n = of->first[comes][r + 1] - first;
    const struct neighbor *list = &of->list[comes][first];
    int64_t found = 0;
    if (kind == EXPR_IN_DEGREE || kind == EXPR_OUT_DEGREE)
        return (int64_t)n;
    if (kind == EXPR_OUT_HOPS) {
        for (size_t i = 0; i < n; i++)
            found += b < of->n_dimensions && list[i].rank < of->n_ranks &&
                     steps_to(of, (uint32_t)r, list[i].rank, b) == c;
        return b < 0 || c < 0 ? (fault(naive), 0) : found;
    }
    if (b < 0 || b >= (int64_t)n || c < 0)
        fault(naive);
    if (kind == EXPR_IN_TURN)
        return of->is_cartesian ? b + 1 - 2 * (b % 2) : b;
    if (kind == EXPR_IN_PLACE)
        return block_from(naive, of, (uint32_t)r, b);
    if (kind == EXPR_OUT_HOP)
        return list[b].rank < of->n_ranks ? steps_to(of, (uint32_t)r, list[b].rank, c) : (fault(naive), 0);
    if (kind != EXPR_OUT_LIKE)
        return list[b].rank;
    while (found < b && (list[found].rank == of->n_ranks || list[b].rank == of->n_ranks ||
                         !are_as_far(of, (uint32_t)r, list[found].rank, (uint32_t)r, list[b].rank, c)))
        found++;
    return found;
}

static int64_t value_of(struct naive *naive, const struct expr *expr)
{
    if (is_neighbor_function(expr->kind))
        return value_of_neighbors(naive, expr->kind, value_of(naive, expr->a),
                                  expr->b ? value_of(naive, expr->b) : 0,
                                  expr->c ? value_of(naive, expr->c) : 0);
    if (is_grid_function(expr->kind))
        return value_in_grid(naive, expr);
    if (expr->kind == EXPR_INTEGER)
        return expr->integer;
    if (expr->kind == EXPR_VARIABLE)
        return naive->value[expr->variable];
    int64_t a = value_of(naive, expr->a);
    if (expr->kind == EXPR_CHOICE)
        return a == 0 ? value_of(naive, expr->c) : value_of(naive, expr->b);
    if (expr->kind == EXPR_AND)
        return a != 0 && value_of(naive, expr->b) != 0;
    if (expr->kind == EXPR_OR)
        return a != 0 || value_of(naive, expr->b) != 0;
    int64_t b = expr->b ? value_of(naive, expr->b) : 0;
    if (expr->kind == EXPR_GROUPS_BEFORE)
        return groups_before(naive, a, b);
    if (expr->kind == EXPR_REVERSE_DIGITS)
        return reversed_digits(naive, a, b, value_of(naive, expr->c));
    if (expr->kind == EXPR_CIRCULANT_BLOCK)
        return circulant(naive, a, b, value_of(naive, expr->c));
    return narrow(naive, combine(naive, expr->kind, a, b));
}

/* --- ranks ------------------------------------------------------------ */

static bool is_named(const struct program *program, uint32_t i, enum named_value named)
{
    const struct expr *extent = program->extent[i];
    return extent->kind == EXPR_VARIABLE &&
           program->variables[extent->variable].kind == VARIABLE_NAMED &&
           program->variables[extent->variable].index == named;
}

static bool is_server_name(const struct program *program, uint32_t i)
{
    return is_named(program, i, NAMED_servers) || is_named(program, i, NAMED_slots) ||
           is_named(program, i, NAMED_max_slots);
}

/* Over clusters where all servers are one: by server, then slot. */
static uint32_t place_in_cluster(const struct binding *binding, uint32_t number, uint32_t i)
{
    const struct placement *placement = binding->placement;
    const uint32_t server = placement->server[number];
    if (is_named(binding->program, i, NAMED_clusters))
        return 0;
    if (is_named(binding->program, i, NAMED_cluster_ranks))
        return placement->first[server] + placement->slot[number];
    return is_named(binding->program, i, NAMED_cluster_servers) ? server : placement->slot[number];
}

/* The i-th coordinate of a rank's place, from the meaning of the `ranks` clause. */
static uint32_t place_of(const struct binding *binding, uint32_t number, uint32_t i)
{
    const struct program *program = binding->program;
    uint32_t below = 1;
    if (program->n_coordinates && is_named(program, 0, NAMED_clusters))
        return place_in_cluster(binding, number, i);
    if (is_server_name(program, i)) {
        bool all = true;
        for (uint32_t j = 0; j < program->n_coordinates; j++)
            all = all && is_server_name(program, j);
        if (all)
            return is_named(program, i, NAMED_servers) ? binding->placement->server[number]
                                                       : binding->placement->slot[number];
    }
    if (is_named(program, 0, NAMED_nx) || is_named(program, 0, NAMED_ny) ||
        is_named(program, 0, NAMED_nz)) {
        const uint32_t nx = topology_as_grid(binding->topology)->extent[0].value;
        const uint32_t ny = topology_as_grid(binding->topology)->extent[1].value;
        return is_named(program, i, NAMED_nx)   ? number % nx
               : is_named(program, i, NAMED_ny) ? number / nx % ny
                                                : number / nx / ny;
    }
    for (uint32_t j = i + 1; j < program->n_coordinates; j++)
        below *= binding->extent[j];
    return number / below % binding->extent[i];
}

static uint32_t coordinate_of(const struct binding *binding, uint32_t rank, uint32_t i)
{
    uint32_t extent = binding->extent[i];
    const uint32_t at = place_of(binding, rank, i);
    if (is_named(binding->program, i, NAMED_max_slots)) { /* ranks on the server */
        const uint32_t *first = binding->placement->first + binding->placement->server[rank];
        extent = first[1] - first[0];
        if (binding->program->from_root)
            return (at + extent - place_of(binding, binding->root, i) % extent) % extent;
    }
    return binding->program->from_root ? (at + extent - place_of(binding, binding->root, i)) % extent
                                       : at;
}

static uint32_t rank_of_number(struct naive *naive, int64_t number)
{
    const uint32_t p = naive->binding->n_ranks;
    number = (int64_t)combine(naive, EXPR_MOD, number, p);
    return (uint32_t)((number + (naive->program->from_root ? naive->binding->root : 0)) % p);
}

#define ABSENT UINT32_MAX /* no rank has these coordinates */

static uint32_t rank_at(struct naive *naive, struct expr *const *point, uint32_t n)
{
    int64_t wanted[PROGRAM_MAX_COORDINATES];
    if (n != naive->program->n_coordinates || (n == 1 && is_named(naive->program, 0, NAMED_p)))
        return rank_of_number(naive, value_of(naive, point[0]));
    for (uint32_t i = 0; i < n; i++)
        wanted[i] = (int64_t)combine(naive, EXPR_MOD, value_of(naive, point[i]),
                                     naive->binding->extent[i]);
    for (uint32_t rank = 0; rank < naive->binding->n_ranks; rank++) {
        uint32_t i = 0;
        while (i < n && coordinate_of(naive->binding, rank, i) == wanted[i])
            i++;
        if (i == n)
            return rank;
    }
    return ABSENT;
}

/* --- operations ------------------------------------------------------- */

struct range {
    uint32_t first, n;
};

static uint64_t size_of(const struct naive *naive, enum buffer buffer)
{
    if (collective_is_said(naive->program->collective) && buffer != BUFFER_TMP)
        return buffer == BUFFER_IN ? naive->binding->n_in : buffer == BUFFER_OUT ? naive->binding->n_out : 0;
    return buffer == BUFFER_TMP
               ? naive->binding->n_tmp
               : collective_chunks(naive->program->collective, buffer, naive->binding->n_ranks,
                                   naive->binding->segments);
}

/* Chunks of `segments` for each rank. */
static struct range range_by_rank(struct naive *naive, const struct chunks *chunks)
{
    const wide p = naive->binding->n_ranks, segments = naive->binding->segments;
    if (chunks->last) {
        wide first = value_of(naive, chunks->index[0]), last = value_of(naive, chunks->last);
        wide n = last - first + 1, rank = rank_of_number(naive, (int64_t)first);
        if (n < 0 || n > p || (n > 0 && rank + n > p))
            fault(naive);
        return (struct range){(uint32_t)(rank * segments), (uint32_t)(n * segments)};
    }
    const uint32_t rank = rank_at(naive, chunks->index, chunks->n);
    if (rank == ABSENT)
        fault(naive);
    if (!chunks->segment)
        return (struct range){(uint32_t)(rank * segments), (uint32_t)segments};
    wide from = value_of(naive, chunks->segment);
    wide to = chunks->last_segment ? value_of(naive, chunks->last_segment) : (int64_t)from;
    if (from < 0 || to >= segments || to + 1 < from)
        fault(naive);
    return (struct range){(uint32_t)(rank * segments + from), (uint32_t)(to - from + 1)};
}

static struct range range_of(struct naive *naive, const struct chunks *chunks)
{
    const enum collective collective = naive->program->collective;
    if (chunks->buffer == N_BUFFERS)
        return (struct range){0, 0};
    const wide size = (wide)size_of(naive, chunks->buffer);
    const bool is_in = chunks->buffer == BUFFER_IN, is_out = chunks->buffer == BUFFER_OUT;
    const bool by_rank =
        (is_in && (collective == COLLECTIVE_alltoall || collective == COLLECTIVE_scatter ||
                   collective == COLLECTIVE_reduce_scatter_block)) ||
        (is_out && (collective == COLLECTIVE_alltoall || collective == COLLECTIVE_allgather ||
                    collective == COLLECTIVE_gather));
    if (naive->rank != naive->binding->root && ((is_in && collective == COLLECTIVE_scatter) ||
                                                (is_out && collective == COLLECTIVE_gather)))
        fault(naive);
    if (chunks->n == 0)
        return (struct range){0, (uint32_t)size};
    if (by_rank)
        return range_by_rank(naive, chunks);
    wide first = value_of(naive, chunks->index[0]);
    wide last = chunks->last ? value_of(naive, chunks->last) : (int64_t)first;
    wide n = last - first + 1, low = 0, high = size;
    for (uint32_t i = 0; i + 1 < chunks->area; i++)
        low += value_of(naive, naive->program->areas[i].n);
    if (chunks->area)
        high = low + value_of(naive, naive->program->areas[chunks->area - 1].n);
    if (n < 0 || n > high - low || first < low || (n > 0 && first + n > high) || first > high)
        fault(naive);
    return (struct range){(uint32_t)first, (uint32_t)n};
}

static void add(struct naive *naive, struct op op, const struct statement *statement)
{
    struct naive_trace *trace = naive->trace;
    trace->ops = mem_grow(trace->ops, &trace->capacity, trace->n + 1, sizeof *trace->ops);
    op.rank = naive->rank;
    op.line = statement->position.line;
    trace->ops[trace->n++] = (struct naive_op){trace->n_steps, op, NULL};
}

static void name_part(struct naive *naive, const struct statement *part)
{
    const struct range range = range_of(naive, &part->chunks);
    naive->named =
        mem_grow(naive->named, &naive->named_capacity, naive->n_named + range.n + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < range.n; i++)
        naive->named[naive->n_named++] = range.first + i;
}

static void run(struct naive *naive, const struct statement *statement);

/* A message of all chunks that its parts name, each once. Those in a row are a range. */
static void transfer_set(struct naive *naive, const struct statement *statement, struct op op)
{
    bool is_row = true;
    naive->n_named = 0;
    run(naive, statement->body);
    for (size_t i = 0; i < naive->n_named; i++) {
        is_row = is_row && naive->named[i] == naive->named[0] + i;
        for (size_t k = 0; k < i; k++)
            if (naive->named[i] == naive->named[k])
                fault(naive);
    }
    if (!naive->n_named)
        fault(naive);
    const struct statement *part = statement->body;
    while (part->kind != STATEMENT_PART)
        part = part->body;
    op.buffer = (uint8_t)part->chunks.buffer;
    op.chunk = naive->named[0];
    op.n_chunks = (uint32_t)naive->n_named;
    op.is_set = !is_row;
    add(naive, op, statement);
    if (is_row)
        return;
    struct naive_op *added = &naive->trace->ops[naive->trace->n - 1];
    added->set = mem_alloc(naive->n_named, sizeof *added->set);
    memcpy(added->set, naive->named, naive->n_named * sizeof *added->set);
}

static void transfer(struct naive *naive, const struct statement *statement, enum op_kind kind)
{
    const uint32_t peer = rank_at(naive, statement->peer.coordinates, statement->peer.n);
    if (peer == ABSENT)
        return;
    if (statement->body) {
        transfer_set(naive, statement, (struct op){.kind = (uint8_t)kind, .peer = peer});
        return;
    }
    struct range range = range_of(naive, &statement->chunks);
    if (statement->is_need) {
        struct range needed = range_of(naive, &statement->to_chunks);
        if (needed.n != range.n)
            fault(naive);
        add(naive, (struct op){.kind = OP_SEND, .peer = peer, .chunk = needed.first, .n_chunks = needed.n},
            statement);
    }
    add(naive,
        (struct op){.kind = (uint8_t)kind,
                    .peer = peer,
                    .chunk = range.first,
                    .n_chunks = range.n,
                    .buffer = statement->chunks.buffer == N_BUFFERS
                                  ? 0
                                  : (uint8_t)statement->chunks.buffer},
        statement);
}

static void copy(struct naive *naive, const struct statement *statement)
{
    struct range from = range_of(naive, &statement->chunks);
    struct range to = range_of(naive, &statement->to_chunks);
    if (from.n != to.n)
        fault(naive);
    if (from.n)
        add(naive,
            (struct op){.kind = statement->kind == STATEMENT_COPY ? OP_COPY : OP_COMBINE,
                        .chunk = from.first,
                        .n_chunks = from.n,
                        .to_chunk = to.first,
                        .buffer = (uint8_t)statement->chunks.buffer,
                        .to_buffer = (uint8_t)statement->to_chunks.buffer},
            statement);
}

/* --- control ---------------------------------------------------------- */

static void end_step(struct naive *naive)
{
    for (struct window *window = naive->window; window; window = window->outer) {
        if (++window->n < window->size)
            return;
        window->n = 0;
    }
    naive->trace->n_steps++;
}

static void run_window(struct naive *naive, const struct statement *statement)
{
    struct window window = {naive->window, value_of(naive, statement->expr), 0};
    if (window.size < 1)
        fault(naive);
    naive->window = &window;
    run(naive, statement->body);
    naive->window = window.outer;
    if (window.n > 0)
        end_step(naive);
}

static void run_for(struct naive *naive, const struct statement *statement)
{
    wide first = value_of(naive, statement->expr), last = value_of(naive, statement->last);
    wide by = statement->by ? value_of(naive, statement->by) : 1;
    if (by == 0)
        fault(naive);
    for (wide i = first; by > 0 ? i <= last : i >= last; i += by) {
        naive->value[statement->variable] = (int64_t)i;
        run(naive, statement->body);
    }
}

static void run_call(struct naive *naive, const struct statement *statement)
{
    const struct definition *definition = statement->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        naive->value[definition->arguments[i]] = value_of(naive, statement->arguments[i]);
    run(naive, definition->body);
}

static void run_one(struct naive *naive, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_SEND: transfer(naive, statement, OP_SEND); break;
    case STATEMENT_RECV: transfer(naive, statement, OP_RECV); break;
    case STATEMENT_REDUCE: transfer(naive, statement, OP_REDUCE); break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE: copy(naive, statement); break;
    case STATEMENT_PART: name_part(naive, statement); break;
    case STATEMENT_LET:
        naive->value[statement->variable] = value_of(naive, statement->expr);
        break;
    case STATEMENT_IF:
        run(naive, value_of(naive, statement->expr) ? statement->body : statement->otherwise);
        break;
    case STATEMENT_FOR: run_for(naive, statement); break;
    case STATEMENT_STEP:
        run(naive, statement->body);
        end_step(naive);
        break;
    case STATEMENT_WINDOW: run_window(naive, statement); break;
    case STATEMENT_CALL: run_call(naive, statement); break;
    case STATEMENT_RUN: break;
    }
}

static void run(struct naive *naive, const struct statement *statement)
{
    for (; statement; statement = statement->next)
        run_one(naive, statement);
}

/* Carries out the body, or another list of statements. */
static void run_list(const struct binding *binding, uint32_t rank, const struct statement *first,
                     struct naive_trace *trace)
{
    const struct program *program = binding->program;
    struct naive *naive = mem_alloc(1, sizeof *naive);
    *naive = (struct naive){.binding = binding, .program = program, .trace = trace, .rank = rank};
    naive->value = mem_alloc(program->n_variables, sizeof *naive->value);
    for (uint32_t i = 0; i < program->n_variables; i++)
        naive->value[i] = binding->value[i];
    for (uint32_t i = 0; i < program->n_coordinates; i++)
        naive->value[program->coordinate[i]] = coordinate_of(binding, rank, i);
    if (!setjmp(naive->fault))
        run(naive, first);
    free(naive->value);
    free(naive->named);
    topology_free(naive->own_grid);
    free(naive);
}

void naive_run(const struct binding *binding, uint32_t rank, struct naive_trace *trace)
{
    run_list(binding, rank, binding->program->body, trace);
}

void naive_free(struct naive_trace *trace)
{
    for (size_t i = 0; i < trace->n; i++)
        free(trace->ops[i].set);
    free(trace->ops);
    *trace = (struct naive_trace){0};
}

/* --- comparison ------------------------------------------------------- */

/* Rows from the first on, each of some ranges, have these chunks. */
static bool same_set(const struct chunk_row *row, const uint32_t *set, uint32_t n)
{
    uint32_t at = 0;
    for (; at < n; row++)
        for (int64_t k = 0; k < row->n; k++)
            for (uint32_t i = 0; i < row->n_chunks; i++, at++)
                if (at >= n || set[at] != row->chunk + k * row->step + i)
                    return false;
    return true;
}

static bool same_op(const struct naive_op *want, const struct op *b, const struct chunk_sets *sets)
{
    const struct op *a = &want->op;
    const bool is_set = want->set != NULL;
    return a->rank == b->rank && a->peer == b->peer && (is_set || a->chunk == b->chunk) &&
           (!is_set || (b->is_set && same_set(&sets->rows[b->chunk], want->set, a->n_chunks))) &&
           a->n_chunks == b->n_chunks && a->kind == b->kind && a->buffer == b->buffer &&
           a->to_buffer == b->to_buffer && a->network == b->network && a->line == b->line;
}

/* Which array of a step an operation stands in. */
static unsigned array_of(const struct op *op)
{
    return op->kind == OP_SEND ? 0 : op_is_local(op) ? 2 : 1;
}

struct comparison {
    const char *label;
    struct naive_trace *traces; /* [rank] */
    size_t (*next)[3];          /* [rank][array] index of the operation expected next */
    uint32_t n_ranks;
    bool failed;
};

static bool differ(struct comparison *comparison, uint32_t rank, uint64_t step, const char *what)
{
    fprintf(stderr, "%s: rank %u, step %llu: %s\n", comparison->label, rank,
            (unsigned long long)step, what);
    comparison->failed = true;
    return false;
}

/* The next operation of the rank for that array, or NULL. */
static const struct naive_op *expected(struct comparison *comparison, uint32_t rank, unsigned array)
{
    const struct naive_trace *trace = &comparison->traces[rank];
    size_t *next = &comparison->next[rank][array];
    while (*next < trace->n && array_of(&trace->ops[*next].op) != array)
        (*next)++;
    return *next < trace->n ? &trace->ops[*next] : NULL;
}

static bool compare_array(struct comparison *comparison, uint64_t step, unsigned array,
                          const struct op *ops, size_t n, const struct chunk_sets *sets)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t rank = ops[i].rank;
        if (rank >= comparison->n_ranks)
            return differ(comparison, rank, step, "no such rank");
        const struct naive_op *want = expected(comparison, rank, array);
        if (!want || want->step != step || !same_op(want, &ops[i], sets))
            return differ(comparison, rank, step, "another operation expected");
        comparison->next[rank][array]++;
    }
    return true;
}

/* After the last step: nothing may be missing. */
static void compare_end(struct comparison *comparison, uint64_t n_steps)
{
    bool has_rest = false; /* copies behind the last step make one more */
    for (uint32_t rank = 0; rank < comparison->n_ranks; rank++) {
        const struct naive_trace *trace = &comparison->traces[rank];
        has_rest |= trace->n && trace->ops[trace->n - 1].step == trace->n_steps;
    }
    for (uint32_t rank = 0; rank < comparison->n_ranks && !comparison->failed; rank++) {
        if (comparison->traces[rank].failed)
            differ(comparison, rank, n_steps, "a fault was expected");
        else if (comparison->traces[rank].n_steps + has_rest != n_steps)
            differ(comparison, rank, n_steps, "another number of steps expected");
        for (unsigned array = 0; array < 3 && !comparison->failed; array++)
            if (expected(comparison, rank, array))
                differ(comparison, rank, n_steps, "operations missing");
    }
}

/* The fault reported must be there, behind `n_steps`; one around the steps names none. */
static void compare_fault(struct comparison *comparison, const struct diagnostics *diagnostics,
                          uint64_t n_steps)
{
    const struct diagnostic *found = diagnostics->first;
    if (!found) {
        differ(comparison, 0, 0, "failed without a diagnostic");
        return;
    }
    uint32_t rank = found->place.rank < 0 ? 0 : (uint32_t)found->place.rank;
    const bool is_there = found->place.step < 0 || (uint64_t)found->place.step == n_steps;
    if (!comparison->traces[rank].failed || comparison->traces[rank].n_steps != n_steps || !is_there)
        differ(comparison, rank, n_steps, found->message);
}

/* Returns the number of steps. */
static uint64_t compare_steps(struct comparison *comparison, struct schedule *schedule)
{
    struct step step;
    uint64_t n_steps = 0;
    while (!comparison->failed && schedule->next(schedule, &step)) {
        if (step.index != n_steps++)
            differ(comparison, 0, step.index, "wrong number of a step");
        const struct chunk_sets *sets = schedule->header.sets;
        if (compare_array(comparison, step.index, 0, step.sends, step.n_sends, sets) &&
            compare_array(comparison, step.index, 1, step.receives, step.n_receives, sets))
            compare_array(comparison, step.index, 2, step.copies, step.n_copies, sets);
    }
    if (!comparison->failed && !schedule->failed)
        compare_end(comparison, n_steps);
    return n_steps;
}

/* True if some term says of the chunk of a rank what two operations say of it: a send of `in` and a receive
 * of `out`. */
static bool is_said(const struct needs *needs, const struct op *send, const struct op *receive)
{
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        if (term->rank == receive->rank && term->chunk == receive->chunk && term->n == receive->n_chunks &&
            term->from == receive->peer && term->last == receive->peer && term->from_chunk == send->chunk &&
            term->adds == (receive->kind == OP_REDUCE) && term->line == receive->line)
            return true;
    }
    return false;
}

/* The clause `needs` by the second expansion: all terms, and no other ones. */
static void compare_needs(struct comparison *comparison, const struct binding *binding,
                          const struct needs *needs)
{
    size_t n = 0;
    for (uint32_t rank = 0; rank < binding->n_ranks && !comparison->failed; rank++) {
        struct naive_trace trace = {0};
        run_list(binding, rank, binding->program->needs.body, &trace);
        for (size_t i = 0; i + 1 < trace.n && needs; i += 2) {
            if (trace.ops[i].op.n_chunks == 0)
                continue;
            n++;
            if (!is_said(needs, &trace.ops[i].op, &trace.ops[i + 1].op))
                differ(comparison, rank, i / 2, "something else is needed");
        }
        if (trace.failed == (needs != NULL))
            differ(comparison, rank, 0, "a fault in what is needed");
        naive_free(&trace);
    }
    if (needs && n != needs->n_terms && !comparison->failed)
        differ(comparison, 0, n, "another number of chunks is needed");
}

/* The clause `has` by the second expansion: these chunks of `in`, and no other ones. */
static void compare_has(struct comparison *comparison, const struct binding *binding,
                        const struct needs *needs)
{
    const uint32_t n_in = binding->n_in;
    bool *has = mem_alloc((size_t)n_in + 1, sizeof *has);
    for (uint32_t rank = 0; rank < binding->n_ranks && !comparison->failed; rank++) {
        struct naive_trace trace = {0};
        run_list(binding, rank, binding->program->has.body, &trace);
        for (uint32_t chunk = 0; chunk < n_in; chunk++)
            has[chunk] = false;
        for (size_t i = 0; i < trace.n; i++)
            for (uint32_t k = 0; k < trace.ops[i].op.n_chunks; k++)
                has[trace.ops[i].op.chunk + k] = true;
        for (uint32_t chunk = 0; chunk < n_in && !comparison->failed; chunk++)
            if (!needs->has || needs->has[(size_t)rank * n_in + chunk] != has[chunk])
                differ(comparison, rank, chunk, "the rank has something else");
        naive_free(&trace);
    }
    free(has);
}

bool naive_agrees(const struct binding *binding, const char *label)
{
    const uint32_t p = binding->n_ranks;
    struct diagnostics diagnostics = {0};
    struct comparison comparison = {.label = label, .n_ranks = p};
    comparison.traces = mem_alloc(p, sizeof *comparison.traces);
    comparison.next = mem_alloc(p, sizeof *comparison.next);
    for (uint32_t rank = 0; rank < p; rank++)
        naive_run(binding, rank, &comparison.traces[rank]);
    struct schedule *schedule = expand_program(binding, &diagnostics);
    if (binding->program->needs.position.line)
        compare_needs(&comparison, binding, schedule->header.needs);
    if (binding->program->has.position.line && schedule->header.needs)
        compare_has(&comparison, binding, schedule->header.needs);
    const uint64_t n_steps = compare_steps(&comparison, schedule);
    if (!comparison.failed && schedule->failed)
        compare_fault(&comparison, &diagnostics, n_steps);
    schedule->destroy(schedule);
    for (uint32_t rank = 0; rank < p; rank++)
        naive_free(&comparison.traces[rank]);
    free(comparison.traces);
    free(comparison.next);
    diagnostics_free(&diagnostics);
    return !comparison.failed;
}
