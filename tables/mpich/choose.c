/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the algorithm that MPICH takes for a call under a selection file: follows the tree, and checks
 * that the algorithm at its end is defined for the call. It assumes communicators as users make them:
 * intra-communicators within one job; ranks on machines in blocks, on one machine by default; a program
 * with one thread; an operation that does not commute is the user's own, others are MPI's.
 */
#include "tables/mpich/forced.h"

#include "base/integer.h"

#include <string.h>

static bool mpich_choose_is_hierarchical(const struct table_query *query)
{
    return query->n_nodes < query->n_ranks && query->n_ranks > 1;
}

static uint32_t mpich_choose_nodes_of(const struct table_query *query)
{
    return query->n_nodes ? query->n_nodes : 1;
}

static bool is_gather(uint32_t collective)
{
    return collective == MPICH_gather || collective == MPICH_igather;
}
static bool is_scatter(uint32_t collective)
{
    return collective == MPICH_scatter || collective == MPICH_iscatter;
}
static bool is_exchange(uint32_t collective)
{
    return mpich_collectives[collective].asks & ASKS_IN_PLACE;
}

bool mpich_agrees(const struct table *table, const struct table_query *query)
{
    (void)table;
    return !(query->is_in_place && (is_gather(query->collective) || is_scatter(query->collective)));
}

/* Returns the bytes that the loader sees. With MPI_IN_PLACE it reads the send arguments of exchanges and of
 * gather at the root, and the receive arguments of scatter there, all of which MPI ignores. */
static uint64_t mpich_choose_bytes_seen(const struct table_query *query, bool is_elsewhere, uint64_t bytes)
{
    const bool is_rooted = is_gather(query->collective) || is_scatter(query->collective);
    return query->is_in_place && (is_exchange(query->collective) || (is_rooted && !is_elsewhere))
               ? query->insignificant_bytes
               : bytes;
}

static uint64_t mpich_choose_size_of(enum mpich_size size, const struct table_query *query, uint64_t bytes)
{
    switch (size) {
    case SIZE_BYTES: return bytes;
    case SIZE_TOTAL: return multiply_within(bytes, query->n_ranks);
    case SIZE_ELEMENTS: return bytes / query->type_bytes;
    case SIZE_ALL_ELEMENTS: return multiply_within(bytes / query->type_bytes, query->n_ranks);
    case SIZE_NEVER: break;
    }
    return 0;
}

/* Returns the size that the condition compares; SIZE_NEVER also if it compares none. */
static enum mpich_size size_asked(const struct mpich_node *node, uint32_t collective)
{
    const struct mpich_collective_info *info = &mpich_collectives[collective];
    const enum mpich_number number = mpich_conditions[node->test].number;
    return number == NUMBER_AVERAGE ? info->average
           : number == NUMBER_TOTAL ? info->total
           : number == NUMBER_COUNT ? info->count
                                    : SIZE_NEVER;
}

bool mpich_is_defined(const struct mpich_node *node, uint32_t collective)
{
    const struct mpich_condition *condition = &mpich_conditions[node->test];
    const unsigned asks = mpich_collectives[collective].asks;
    if (condition->asked != ASKED_CALL)
        return true;
    if (condition->number != NUMBER_NONE)
        return size_asked(node, collective) != SIZE_NEVER;
    return asks & (node->test == TEST_IN_PLACE   ? ASKS_IN_PLACE
                   : node->test == TEST_REGULAR  ? ASKS_REGULAR
                   : node->test == TEST_COMMUTES ? ASKS_COMMUTES
                                                 : ASKS_BUILT_IN);
}

/* ---- conditions ---- */

/* True if a <= b or a < b, where b is an int of the loader. */
static bool mpich_choose_is_within(uint64_t a, int64_t limit, bool is_below)
{
    return limit >= 0 && (is_below ? a < (uint64_t)limit : a <= (uint64_t)limit);
}

/* Returns the number of the call that the condition compares. */
static uint64_t number_asked(const struct mpich_node *node, const struct table_query *query, uint64_t bytes)
{
    const enum mpich_number number = mpich_conditions[node->test].number;
    if (number == NUMBER_RANKS || number == NUMBER_PPN)
        return query->n_ranks;
    return mpich_choose_size_of(size_asked(node, query->collective), query, bytes);
}

/* True if a condition on a number holds. `comm_size<N` is below N only if the tree is cut down for a
 * communicator; in a call it means comm_size<=N (csel.c). */
static bool is_within_bound(const struct mpich_node *node, const struct table_query *query, uint64_t bytes,
                            bool is_cut)
{
    const struct mpich_condition *condition = &mpich_conditions[node->test];
    const int64_t factor = condition->number == NUMBER_PPN ? mpich_choose_nodes_of(query) : 1;
    const bool is_below = condition->bound == BOUND_BELOW && (is_cut || node->test != TEST_RANKS_LT);
    return mpich_choose_is_within(number_asked(node, query, bytes), node->value * factor, is_below);
}

static bool mpich_choose_holds(const struct mpich_table *of, const struct mpich_node *node,
                               const struct table_query *query, uint64_t bytes, bool is_cut)
{
    const bool is_yes = node->value != 0;
    switch (node->test) {
    case TEST_RANKS_LE:
    case TEST_RANKS_LT:
    case TEST_PPN_LE:
    case TEST_PPN_LT:
    case TEST_AVERAGE_LE:
    case TEST_AVERAGE_LT:
    case TEST_TOTAL_LE:
    case TEST_TOTAL_LT:
    case TEST_COUNT_LE: return is_within_bound(node, query, bytes, is_cut);
    case TEST_COUNT_POWER: return number_asked(node, query, bytes) < power_of_two_within(query->n_ranks);
    case TEST_INTRA:
    case TEST_ANY: return true;
    case TEST_RANKS_NODE:
        return mpich_choose_nodes_of(query) == 1 && query->n_ranks > 1;
    case TEST_RANKS_POWER: return is_power_of_two(query->n_ranks);
    case TEST_HIERARCHY:
        return node->value == HIERARCHY_ANY ||
               node->value == (mpich_choose_is_hierarchical(query) ? HIERARCHY_PARENT : HIERARCHY_FLAT);
    case TEST_CONSECUTIVE:
        return (mpich_choose_is_hierarchical(query) &&
                !(of->version->has_two_kinds && mpich_choose_nodes_of(query) == 1)) == is_yes;
    case TEST_THREADS: return !is_yes;
    case TEST_COLLECTIVE: return node->value == (int32_t)query->collective;
    case TEST_IN_PLACE: return query->is_in_place == is_yes;
    case TEST_REGULAR:
        return is_yes != query->is_irregular;
    case TEST_COMMUTES:
    case TEST_BUILT_IN: return query->is_ordered != is_yes;
    case TEST_INTER:
    case TEST_LEAF: break;
    }
    return false;
}

bool mpich_is_cut(const struct mpich_node *node, bool is_inside)
{
    return node->test == TEST_ANY || (node->test == TEST_COLLECTIVE && !is_inside) ||
           mpich_conditions[node->test].asked == ASKED_COMM;
}

/* Returns the leaf at the end of the way or, with *is_undefined, the condition that ends the program; NULL
 * if neither. */
static const struct mpich_node *found(const struct mpich_table *of, const struct table_query *query,
                                      uint64_t bytes, bool *is_undefined)
{
    bool is_cut = true, is_inside = false; /* a collective */
    *is_undefined = false;
    const struct mpich_node *node = of->root;
    while (node && node->test != TEST_LEAF) {
        is_cut = is_cut && mpich_is_cut(node, is_inside);
        if (!mpich_is_defined(node, query->collective)) {
            *is_undefined = true;
            return node;
        }
        const bool is_so = mpich_choose_holds(of, node, query, bytes, is_cut);
        is_inside |= is_so && node->test == TEST_COLLECTIVE;
        node = is_so ? node->success : node->failure;
    }
    return node;
}

/* ---- the answer ---- */

const char *mpich_undefined_for(const struct mpich_algorithm *algorithm, const struct table_query *query,
                                uint64_t bytes)
{
    const unsigned needs = algorithm->needs;
    if (needs & NEEDS_ONE_HOST && mpich_choose_nodes_of(query) > 1)
        return "it is for ranks of one machine: others have no memory in common";
    if (needs & NEEDS_CCL)
        return "the program ends in an endless recursion: it is for buffers of a GPU, with NCCL or RCCL";
    if (needs & NEEDS_POWER && !is_power_of_two(query->n_ranks))
        return "the program ends: it is for powers of two of ranks";
    if (needs & NEEDS_EQUAL_BLOCKS && query->is_irregular)
        return "the program ends: it is for blocks of one size";
    if (needs & NEEDS_COMMUTES && query->is_ordered)
        return "the program ends: it is for operations that commute";
    if (needs & NEEDS_BUILT_IN && query->is_ordered)
        return "the program ends: it is for operations of MPI's own";
    if (needs & NEEDS_PER_POWER && bytes / query->type_bytes < power_of_two_within(query->n_ranks))
        return "the program ends: it needs an element for each rank of a power of two";
    if (needs & NEEDS_NOT_IN_PLACE && query->is_in_place)
        return "the program ends: it is not for MPI_IN_PLACE";
    if (needs & NEEDS_IN_PLACE && !query->is_in_place)
        return needs & NEEDS_UNCHECKED ? "wrong data and no error: it is for MPI_IN_PLACE"
                                       : "the program ends: it is for MPI_IN_PLACE";
    if (needs & NEEDS_HIERARCHY && !mpich_choose_is_hierarchical(query))
        return needs & NEEDS_UNCHECKED ? "wrong data and no error: no machine has several of the ranks"
                                       : "the program ends: no machine has several of the ranks";
    return NULL;
}

/* Returns "comm_size=pow2, avg_msg_size<=2048": the conditions on the way, from below the collective on. */
static const char *way_to(const struct mpich_node *node, struct arena *arena)
{
    const char *way = "";
    for (const struct mpich_node *at = node->above; at && at->test != TEST_COLLECTIVE; at = at->above)
        way = arena_printf(arena, "%s%s%s", at->key, *way ? ", " : "", way);
    return *way ? way : "whatever the call";
}

static struct table_range of_leaf(const struct mpich_node *leaf, const struct table_query *query,
                                  uint64_t bytes, struct arena *arena)
{
    const struct mpich_algorithm *algorithm = leaf->algorithm;
    const struct mpich_setting *chunk = &leaf->settings[PARAMETER_CHUNK], *k = &leaf->settings[PARAMETER_K];
    struct table_range range = {
        .algorithm = algorithm->name, .rule = &leaf->rule, .why = way_to(leaf, arena)};
    range.has_segment = algorithm->parameters & (1u << PARAMETER_CHUNK);
    range.has_fan_out = algorithm->parameters & (1u << PARAMETER_K);
    range.parameters.segment_bytes =
        range.has_segment && chunk->is_set ? (uint64_t)(uint32_t)chunk->value : 0;
    range.parameters.fan_out = range.has_fan_out && k->is_set ? (uint64_t)(uint32_t)k->value : 0;
    if (algorithm->collective != query->collective)
        range.fails = arena_printf(arena, "the program ends: it is an algorithm of %s",
                                   mpich_collectives[algorithm->collective].name);
    else if (strcmp(algorithm->kind, "inter") == 0)
        range.fails = "it is for inter-communicators";
    else
        range.fails = mpich_undefined_for(algorithm, query, bytes);
    return range;
}

struct table_range mpich_choose(const struct table *table, const struct table_query *query,
                                bool is_elsewhere, uint64_t bytes, struct arena *arena)
{
    const struct mpich_table *of = mpich_table_of(table);
    struct table_range none = {.algorithm = "none", .why = "no way through the tree"};
    if (of->forced)
        return mpich_choose_forced(of->forced, query, is_elsewhere, bytes, arena);
    if (table->ignored) {
        none.why = "the file is refused";
        none.fails = arena_printf(arena, "MPI_Init ends the program: %s", table->ignored);
        return none;
    }
    bool is_undefined;
    const uint64_t seen = mpich_choose_bytes_seen(query, is_elsewhere, bytes);
    const struct mpich_node *node = found(of, query, seen, &is_undefined);
    if (node && !is_undefined)
        return of_leaf(node, query, bytes, arena);
    if (!node && of->layer != MPICH_OWN)
        return (struct table_range){.algorithm = "default",
                                    .why = "no condition holds: MPICH's own table decides"};
    none.fails = is_undefined ? arena_printf(arena, "the program ends: '%s' is not defined for %s",
                                             node->key, mpich_collective_names[query->collective])
                              : "the program ends: no condition of the tree holds for the call";
    return none;
}

bool mpich_hands_on(const struct table *table, const struct table_query *query, uint64_t bytes)
{
    bool is_undefined;
    const struct mpich_node *leaf = found(mpich_table_of(table), query, bytes, &is_undefined);
    return !leaf || (!is_undefined && leaf->algorithm->parameters & MPICH_WHOLE);
}

/* ---- where it changes ---- */

void mpich_changes(const struct table *table, const struct table_query *query,
                   void (*note)(void *context, uint64_t bytes), void *context)
{
    const struct mpich_table *of = mpich_table_of(table);
    const uint64_t n = query->n_ranks, type = query->type_bytes;
    if (of->forced && of->forced->base)
        mpich_changes(of->forced->base, query, note, context);
    if (of->forced && of->forced->files[MPICH_FILE_CH4])
        mpich_changes(of->forced->files[MPICH_FILE_CH4], query, note, context);
    note(context, multiply_within(power_of_two_within(n), type));
    note(context, multiply_within(divide_up(power_of_two_within(n), n), type));
    for (size_t i = 0; i < of->n_all && !table->ignored; i++) {
        const struct mpich_node *node = of->all[i];
        const enum mpich_size size = size_asked(node, query->collective);
        if (size == SIZE_NEVER || node->value < 0 || node->test == TEST_COUNT_POWER)
            continue;
        /* The least size for which the condition does not hold, and the least bytes that have it. */
        const bool is_below = mpich_conditions[node->test].bound == BOUND_BELOW;
        const uint64_t first = (uint64_t)node->value + !is_below;
        const bool is_total = size == SIZE_TOTAL || size == SIZE_ALL_ELEMENTS;
        const uint64_t share = is_total ? first / n + (first % n != 0) : first;
        note(context, size == SIZE_ELEMENTS || size == SIZE_ALL_ELEMENTS ? multiply_within(share, type)
                                                                         : share);
    }
}
