/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of variables that are nearly one of the library's.
 */
#include "base/suggest.h"
#include "tables/settings/settings.h"

enum { MAX_EDITS = 2 };

/* True if the name is written in place of the candidate: with few letters changed, without one of its words,
 * or cut short. */
static bool slips_to(const char *name, size_t length, const char *candidate)
{
    const size_t whole = strlen(candidate);
    return slip_distance(name, length, candidate) <= MAX_EDITS ||
           (slip_distance(name, length, candidate) == SIZE_MAX && nearest(name, length, &candidate, 1)) ||
           (length < whole && 2 * length >= whole && memcmp(name, candidate, length) == 0);
}

const char *settings_slip(const struct settings_dialect *dialect, const struct setting *setting,
                          struct arena *arena)
{
    const struct slice name = setting->name;
    const size_t prefix = dialect->names ? strlen(dialect->prefix) : 0;
    const char *names[SETTINGS_MOST_NAMES], *near[SETTINGS_MOST_NAMES];
    size_t n_near = 0;
    if (!prefix || name.length <= prefix || !slice_starts(name, dialect->prefix) ||
        (dialect->key(setting).length && !dialect->takes_prefix))
        return NULL;
    const struct slice rest = {name.text + prefix, name.length - prefix};
    const size_t n = dialect->names(names, arena);
    for (size_t i = 0; i < n; i++) {
        if (slice_is(rest, names[i]))
            return NULL;
        if (slips_to(rest.text, rest.length, names[i]))
            near[n_near++] = names[i];
    }
    const char *best = nearest(rest.text, rest.length, near, n_near);
    best = best || !n_near ? best : near[0];
    return best ? arena_printf(arena, "%s%s", dialect->prefix, best) : NULL;
}
