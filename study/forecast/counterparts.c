/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See counterparts.h.
 */
#include "study/forecast/counterparts.h"

#include "compiler/algorithms/builtin.h"

#include <string.h>

enum { NO_LIMIT_ON_REQUESTS = 1 << 16 };

#define PLAIN CUT_NOTHING, NULL, NULL, NULL, 0
#define SEGMENTS(name, of) CUT_##of, name, NULL, NULL, 0
#define CHAINS(name) CUT_WHOLE, name, "fanout", NULL, 0
#define SET(name, value) CUT_NOTHING, NULL, NULL, name, value
#define SEGMENTS_SET(segments, name, value) CUT_WHOLE, segments, NULL, name, value
static const struct counterpart counterparts[] = {
#define COUNTERPART(targets, collective, theirs, ours, ...) \
    {targets, #collective, theirs, #collective "/" ours, __VA_ARGS__},
#include "study/forecast/counterparts.def"
};

const struct counterpart *counterpart_find(const char *target, const char *collective, const char *theirs)
{
    for (size_t i = 0; i < sizeof counterparts / sizeof *counterparts; i++) {
        const struct counterpart *found = &counterparts[i];
        if (strncmp(target, found->targets, strlen(found->targets)) == 0 &&
            strcmp(collective, found->collective) == 0 && strcmp(theirs, found->theirs) == 0)
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

size_t counterpart_settings(const struct counterpart *counterpart, uint64_t n_segments, uint64_t fan_out,
                            struct parameter_setting settings[COUNTERPART_SETTINGS])
{
    size_t n = 0;
    if (counterpart->segments)
        settings[n++] = (struct parameter_setting){.name = counterpart->segments, .value =
            (int64_t)n_segments};
    if (counterpart->fan_out)
        settings[n++] =
            (struct parameter_setting){.name = counterpart->fan_out, .value = fan_out ? (int64_t)fan_out : 1};
    if (counterpart->set)
        settings[n++] = (struct parameter_setting){.name = counterpart->set, .value = counterpart->value};
    return n;
}
