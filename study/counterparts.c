/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See counterparts.h.
 */
#include "study/counterparts.h"

#include "base/integer.h"
#include "compiler/algorithms/builtin.h"

#include <string.h>


#define PLAIN .cut_from = CUT_NOTHING
#define POWERS .is_of_powers = true
#define SEGMENTS(name, of) .cut_from = CUT_##of, .segments = name
#define CHAINS(name) .cut_from = CUT_WHOLE, .segments = name, .fan_out = "fanout", .value = 1
#define RADIX(name) .fan_out = name, .value = 2
#define REQUESTS(name) .requests = name
#define SET(name, number) .set = name, .value = number
#define SEGMENTS_SET(name, parameter, number)                                                                \
    .cut_from = CUT_WHOLE, .segments = name, .set = parameter, .value = number
static const struct counterpart counterparts[] = {
#define COUNTERPART(targets_, collective_, theirs_, ours_, ...)                                              \
    {.targets = targets_,                                                                                    \
     .collective = #collective_,                                                                             \
     .theirs = theirs_,                                                                                      \
     .ours = #collective_ "/" ours_,                                                                         \
     __VA_ARGS__},
#include "study/counterparts.def"
};

const struct counterpart *counterpart_find(const char *target, const char *collective, const char *theirs,
                                           uint32_t n_ranks)
{
    for (size_t i = 0; i < sizeof counterparts / sizeof *counterparts; i++) {
        const struct counterpart *found = &counterparts[i];
        if (strncmp(target, found->targets, strlen(found->targets)) == 0 &&
            strcmp(collective, found->collective) == 0 && strcmp(theirs, found->theirs) == 0 &&
            (!found->is_of_powers || is_power_of_two(n_ranks)))
            return found;
    }
    return NULL;
}

uint64_t counterpart_segments(const struct counterpart *counterpart, uint64_t segment_bytes, uint64_t bytes,
                              uint32_t n_ranks)
{
    const uint64_t parts = counterpart->cut_from == CUT_HALF   ? 2
                           : counterpart->cut_from == CUT_RANK ? n_ranks
                                                               : 1;
    const uint64_t of = bytes / parts + (bytes % parts != 0);
    if (counterpart->cut_from == CUT_NOTHING || segment_bytes == 0 || segment_bytes >= of)
        return 1;
    return of / segment_bytes + (of % segment_bytes != 0);
}

struct counterpart_program counterpart_open(const struct counterpart *counterpart, enum collective_form form)
{
    struct counterpart_program opened = {.of = counterpart};
    struct diagnostics diagnostics = {0};
    enum collective_form named;
    if (!scene_read_builtin(&opened.scene, builtin_of_name(counterpart->ours, &named), form, &diagnostics))
        opened.scene.program = NULL;
    diagnostics_free(&diagnostics);
    return opened;
}

/* Returns the target's number, or the counterpart's `value` if the number is less. */
static int64_t counterparts_at_least(const struct counterpart *counterpart, uint64_t number)
{
    return number < (uint64_t)counterpart->value || number > INT32_MAX ? counterpart->value : (int64_t)number;
}

size_t counterpart_settings(const struct counterpart *counterpart, uint64_t n_segments,
                            const struct table_parameters *parameters,
                            struct parameter_setting settings[COUNTERPART_SETTINGS])
{
    size_t n = 0;
    if (counterpart->segments)
        settings[n++] =
            (struct parameter_setting){.name = counterpart->segments, .value = (int64_t)n_segments};
    if (counterpart->fan_out)
        settings[n++] = (struct parameter_setting){
            .name = counterpart->fan_out, .value = counterparts_at_least(counterpart, parameters->fan_out)};
    if (counterpart->requests)
        settings[n++] = (struct parameter_setting){
            .name = counterpart->requests,
            .value = parameters->max_requests && parameters->max_requests < NO_LIMIT_ON_REQUESTS
                         ? (int64_t)parameters->max_requests
                         : NO_LIMIT_ON_REQUESTS};
    if (counterpart->set)
        settings[n++] = (struct parameter_setting){.name = counterpart->set, .value = counterpart->value};
    return n;
}
