/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of MPICH: versions, collectives, algorithms.
 */
#include "tables/mpich/forced.h"

#include <limits.h>
#include <string.h>

#define NEVER SIZE_NEVER
#define BYTES SIZE_BYTES
#define TOTAL SIZE_TOTAL
#define ELEMENTS SIZE_ELEMENTS
#define ALL_ELEMENTS SIZE_ALL_ELEMENTS
#define COMMUTES ASKS_COMMUTES
#define BUILT_IN ASKS_BUILT_IN
#define REGULAR ASKS_REGULAR
#define IN_PLACE ASKS_IN_PLACE
const struct mpich_collective_info mpich_collectives[MPICH_N_COLLECTIVES] = {
#define COLLECTIVE(name, capital, average, total, count, asks) {#name, #capital, average, total, count, asks},
#include "tables/mpich/collectives.def"
};
#undef NEVER
#undef COMMUTES
#undef BUILT_IN
#undef IN_PLACE

const char *const mpich_collective_names[MPICH_N_COLLECTIVES] = {
#define COLLECTIVE(name, capital, average, total, count, asks) #name,
#include "tables/mpich/collectives.def"
};

const char *const mpich_parameter_names[MPICH_N_PARAMETERS] = {
#define X(name, spelling) spelling,
    MPICH_PARAMETERS(X)
#undef X
};

enum {
    NEVER = INT_MAX, ALL = 0, POWER = NEEDS_POWER, HIERARCHY = NEEDS_HIERARCHY, PER_POWER = NEEDS_PER_POWER,
    COMMUTES = NEEDS_COMMUTES, BUILT_IN = NEEDS_BUILT_IN, IN_PLACE = NEEDS_IN_PLACE,
    NOT_IN_PLACE = NEEDS_NOT_IN_PLACE, CCL_ONLY = NEEDS_CCL,
    EQUAL_BLOCKS = NEEDS_EQUAL_BLOCKS, UNCHECKED = NEEDS_UNCHECKED, NOTHING = 0,
#define X(name, spelling) name = 1 << PARAMETER_##name,
    MPICH_PARAMETERS(X)
#undef X
};

/* Names of algorithms begin with a capital: MPICH_CAPITAL_... gives the collective's. */
#define ALGORITHM(collective, kind, name, since, gone, needs, parameters) \
    {MPICH_##collective, #kind, #name, #collective "_" #kind "_" #name, since, gone, needs, parameters},
const struct mpich_algorithm mpich_algorithms[] = {
#include "tables/mpich/algorithms.def"
};
const size_t mpich_n_algorithms = sizeof mpich_algorithms / sizeof *mpich_algorithms;

const struct mpich_condition mpich_conditions[TEST_LEAF + 1] = {
#define ANSWER_YES_NO true
#define ANSWER_OTHER false
#define END_MAY_END true
#define END_GOES_ON false
#define CONDITION(name, number, bound, answer, end, asked) \
    [TEST_##name] = {NUMBER_##number, BOUND_##bound, ANSWER_##answer, END_##end, ASKED_##asked},
#include "tables/mpich/conditions.def"
    [TEST_LEAF] = {.number = NUMBER_NONE, .may_end = true},
};
const char *const mpich_number_names[MPICH_N_NUMBERS] = {"comm_size", "comm_avg_ppn", "avg_msg_size",
                                                         "total_msg_size", "count"};

bool mpich_bound_of(const struct mpich_node *node, enum mpich_number *number, int64_t *last)
{
    const struct mpich_condition *condition = &mpich_conditions[node->test];
    *number = condition->number;
    *last = (int64_t)node->value - (condition->bound == BOUND_BELOW);
    return condition->bound != BOUND_OTHER;
}

bool mpich_holds_always(const struct mpich_node *node)
{
    return node->test == TEST_ANY || (node->test == TEST_HIERARCHY && node->value == HIERARCHY_ANY);
}

bool mpich_has(const struct mpich_version *version, const struct mpich_algorithm *algorithm)
{
    return algorithm->since <= version->number && version->number < algorithm->gone;
}

const struct mpich_algorithm *mpich_algorithm_find(const struct mpich_version *version, const char *spelling)
{
    for (size_t i = 0; i < mpich_n_algorithms; i++) {
        const struct mpich_algorithm *algorithm = &mpich_algorithms[i];
        if (algorithm->spelling[0] - 'a' == spelling[0] - 'A' &&
            strcmp(algorithm->spelling + 1, spelling + 1) == 0 && mpich_has(version, algorithm))
            return algorithm;
    }
    return NULL;
}

static const struct mpich_version version_4_0 = {.number = 40, .title = "MPICH 4.0"};
static const struct mpich_version version_4_1 = {.number = 41, .title = "MPICH 4.1"};
static const struct mpich_version version_4_2 = {
    .number = 42, .title = "MPICH 4.2", .has_any = true, .has_ppn_below = true};
static const struct mpich_version version_4_3 = {
    .number = 43, .title = "MPICH 4.3", .has_any = true, .has_ppn_below = true};

static const struct mpich_version version_5_0 = {
    .number = 50, .title = "MPICH 5.0", .has_any = true, .has_ppn_below = true, .has_two_kinds = true};

#define LOADER(name, spelling, record)                                                        \
    extern const struct table_loader name;                                                    \
    const struct table_loader name = {                                                        \
        .target = spelling, .collectives = mpich_collective_names,                            \
        .n_collectives = MPICH_N_COLLECTIVES, .version = &(record), .is_file = mpich_is_file,  \
        .read = mpich_read, .dialect = &mpich_dialect, .read_settings = mpich_read_settings,     \
        .agrees = mpich_agrees, .choose = mpich_choose, .changes = mpich_changes, .lint = mpich_lint,   \
        .convert = mpich_convert, .writer = &mpich_writer}
LOADER(mpich_4_0_loader, "mpich-4.0", version_4_0);
LOADER(mpich_4_1_loader, "mpich-4.1", version_4_1);
LOADER(mpich_4_2_loader, "mpich-4.2", version_4_2);
LOADER(mpich_4_3_loader, "mpich-4.3", version_4_3);
LOADER(mpich_5_0_loader, "mpich-5.0", version_5_0);
