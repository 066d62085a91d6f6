/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The leaves of selection files by layer: algorithms of MPICH's own, compositions of its device ch4, and
 * algorithms of the device's shared memory.
 */
#include "tables/mpich/mpich.h"

#include <limits.h>
#include <string.h>

enum {
    NEVER = INT_MAX, ALL = 0, HIERARCHY = NEEDS_HIERARCHY, COMMUTES = NEEDS_COMMUTES,
    UNCHECKED = NEEDS_UNCHECKED, ONE_HOST = NEEDS_ONE_HOST, ONE_THREAD = NEEDS_ONE_THREAD,
    WHOLE = MPICH_WHOLE, PARTS = 0
};

#define ROW(collective, kind, name, since, gone, needs, reach) \
    {MPICH_##collective, kind, #name, #name, since, gone, needs, reach},
static const struct mpich_algorithm leaves[] = {
#define COMPOSITION(collective, name, since, gone, needs, reach) \
    ROW(collective, "composition", name, since, gone, needs, reach)
#define BY_VARIABLE(collective, name, since, gone, needs, reach) \
    ROW(collective, "variable", name, since, gone, needs, reach)
#define POSIX(collective, name, since, gone, needs, reach) \
    ROW(collective, "posix", name, since, gone, needs, reach)
#include "tables/mpich/device.def"
};
enum { N_LEAVES = sizeof leaves / sizeof *leaves };

/* The keys: what stands before and behind the collective, and before the name. */
static const struct {
    const char *kind, *before, *after;
    bool is_capital;
} forms[] = {[MPICH_OWN] = {"", "algorithm=MPIR_", "", false},
             [MPICH_CH4] = {"composition", "composition=MPIDI_", "_intra_", true},
             [MPICH_POSIX] = {"posix", "algorithm=MPIDI_POSIX_mpi_", "_", false}};

const struct mpich_algorithm *mpich_leaf_find(const struct mpich_version *version, enum mpich_layer layer,
                                              const char *key)
{
    const size_t before = strlen(forms[layer].before);
    if (strncmp(key, forms[layer].before, before) != 0)
        return NULL;
    if (layer == MPICH_OWN)
        return mpich_algorithm_find(version, key + before);
    for (size_t i = 0; i < N_LEAVES; i++) {
        const struct mpich_collective_info *of = &mpich_collectives[leaves[i].collective];
        const size_t name = strlen(of->name), after = strlen(forms[layer].after);
        const char *at = key + before;
        if (strcmp(leaves[i].kind, forms[layer].kind) == 0 && mpich_has(version, &leaves[i]) &&
            (forms[layer].is_capital ? at[0] == of->name[0] - 'a' + 'A' : at[0] == of->name[0]) &&
            strncmp(at + 1, of->name + 1, name - 1) == 0 &&
            strncmp(at + name, forms[layer].after, after) == 0 &&
            strcmp(at + name + after, leaves[i].name) == 0)
            return &leaves[i];
    }
    return NULL;
}

const struct mpich_algorithm *mpich_leaf_instead(const struct mpich_version *version, enum mpich_layer layer,
                                                 const struct mpich_algorithm *algorithm)
{
    for (size_t i = 0; i < N_LEAVES; i++)
        if (leaves[i].collective == algorithm->collective && strcmp(leaves[i].kind, forms[layer].kind) == 0 &&
            mpich_has(version, &leaves[i]) && &leaves[i] != algorithm &&
            (layer == MPICH_POSIX || leaves[i].parameters & MPICH_WHOLE))
            return &leaves[i];
    return NULL;
}

void mpich_put_leaf_key(enum mpich_layer layer, const struct mpich_algorithm *algorithm, struct text *out)
{
    const char *name =
        layer == MPICH_OWN ? algorithm->spelling : mpich_collective_names[algorithm->collective];
    const bool is_capital = layer == MPICH_OWN || forms[layer].is_capital;
    text_printf(out, "%s%c%s%s%s", forms[layer].before, is_capital ? name[0] - 'a' + 'A' : name[0], name + 1,
                forms[layer].after, layer == MPICH_OWN ? "" : algorithm->name);
}

enum mpich_layer mpich_layer_of(const char *key)
{
    return strncmp(key, "composition=", strlen("composition=")) == 0 ? MPICH_CH4
           : strncmp(key, "algorithm=MPIDI_POSIX_", strlen("algorithm=MPIDI_POSIX_")) == 0 ? MPICH_POSIX
                                                                                           : MPICH_OWN;
}

const char *mpich_layer_variable(enum mpich_layer layer)
{
    static const char *const names[] = {"COLL_SELECTION_TUNING_JSON_FILE",
                                        "CH4_COLL_SELECTION_TUNING_JSON_FILE",
                                        "CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"};
    return names[layer];
}

const struct mpich_algorithm *mpich_composition(const struct mpich_version *version, uint32_t collective,
                                                unsigned number)
{
    for (size_t i = 0; i < N_LEAVES && version->number >= 41; i++)
        if (leaves[i].collective == collective && collective != MPICH_scan &&
            strcmp(leaves[i].kind, "posix") != 0 && mpich_has(version, &leaves[i]) && --number == 0)
            return &leaves[i];
    return NULL;
}
