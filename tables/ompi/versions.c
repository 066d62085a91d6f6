/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of Open MPI: versions, collectives, algorithms.
 */
#include "tables/ompi/forced.h"

#include <limits.h>
#include <string.h>

#define NEVER UINT_MAX
const struct ompi_collective_info ompi_collectives[OMPI_N_COLLECTIVES] = {
#define COLLECTIVE(name, key, fixed_key, han) {#name, KEY_##key, KEY_##fixed_key, han},
#include "tables/ompi/collectives.def"
};

const char *const ompi_collective_names[OMPI_N_COLLECTIVES] = {
#define COLLECTIVE(name, key, fixed_key, han) #name,
#include "tables/ompi/collectives.def"
};

#define NOTHING USES_NOTHING
#define SEGMENT USES_SEGMENT
#define FAN_OUT USES_FAN_OUT
#define REQUESTS USES_REQUESTS
#define RADIX USES_RADIX
static const struct ompi_algorithm algorithms[] = {
#define ALGORITHM(collective, number, name, since, uses, needs, breaks) \
    {OMPI_##collective, number, #name, since, uses, NEEDS_##needs, BREAKS_##breaks},
#include "tables/ompi/algorithms.def"
};
enum { N_ALGORITHMS = sizeof algorithms / sizeof *algorithms };

const struct ompi_algorithm *ompi_algorithm_find(const struct ompi_version *version,
                                                 uint32_t collective, int64_t number)
{
    for (size_t i = 0; i < N_ALGORITHMS; i++)
        if (algorithms[i].collective == collective && algorithms[i].number == number &&
            algorithms[i].since <= version->number)
            return &algorithms[i];
    return NULL;
}

const struct ompi_algorithm *ompi_algorithm_named(const struct ompi_version *version, uint32_t collective,
                                                  const char *name)
{
    for (size_t i = 0; i < N_ALGORITHMS; i++)
        if (algorithms[i].collective == collective && strcmp(algorithms[i].name, name) == 0 &&
            ompi_algorithm_find(version, collective, algorithms[i].number) == &algorithms[i])
            return &algorithms[i];
    return NULL;
}

unsigned ompi_broken_calls(const struct ompi_algorithm *algorithm, uint64_t segment_bytes)
{
    switch (algorithm->breaks) {
    case BREAKS_ORDER: return CALL_ORDERED;
    case BREAKS_TYPES: return CALL_UNLIKE_TYPES;
    case BREAKS_CUT_TYPES: return segment_bytes ? CALL_UNLIKE_TYPES : 0;
    case BREAKS_REDUCE: /* the row for reduce is judged itself */
    case BREAKS_NO_CALL: break;
    }
    return 0;
}

uint32_t ompi_fan_out(const struct ompi_algorithm *algorithm, uint64_t fan_out)
{
    const bool is_radix = (algorithm->uses & USES_RADIX) == USES_RADIX;
    return is_radix && (uint32_t)fan_out < LEAST_RADIX ? LEAST_RADIX : (uint32_t)fan_out;
}

bool ompi_differs_by_rank(uint32_t collective)
{
    return collective == OMPI_gather || collective == OMPI_scatter || collective == OMPI_allgatherv;
}

bool ompi_is_of_han(const struct ompi_version *version, uint32_t collective)
{
    return ompi_collectives[collective].han_since <= version->number;
}

int64_t ompi_algorithm_last(const struct ompi_version *version, uint32_t collective)
{
    int64_t last = 0;
    while (ompi_algorithm_find(version, collective, last + 1))
        last++;
    return last;
}

static const struct ompi_version version_4_1 = {.number = 41, .title = "Open MPI 4.1"};
static const struct ompi_version version_5_0 = {
    .number = 50, .title = "Open MPI 5.0", .has_header = true};
static const struct ompi_version version_6 = {
    .number = 60, .title = "Open MPI 6", .has_header = true, .has_json = true, .takes_first = true};
static const struct ompi_version version_6_as_5 = {.number = 60, .title = "Open MPI 6", .has_header = true};

#define LOADER(name, spelling, record, made_by)                                           \
    extern const struct table_loader name;                                                \
    const struct table_loader name = {                                                    \
        .target = spelling, .collectives = ompi_collective_names,                         \
        .n_collectives = OMPI_N_COLLECTIVES, .version = &(record), .is_file = ompi_is_file,     \
        .read = ompi_read, .dialect = &ompi_dialect, .read_settings = ompi_read_settings,  \
        .agrees = ompi_agrees, .choose = ompi_choose, .changes = ompi_changes,             \
        .lint = ompi_lint, .convert = ompi_convert, .writer = made_by}
LOADER(ompi_4_1_loader, "ompi-4.1", version_4_1, &ompi_classic_writer);
LOADER(ompi_5_0_loader, "ompi-5.0", version_5_0, &ompi_5_writer);
LOADER(ompi_6_loader, "ompi-6", version_6, &ompi_json_writer);
LOADER(ompi_6_as_5_loader, "ompi-6", version_6_as_5, NULL);
