/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads and binds the other algorithms of a collective after one was refused, if the ranks are known.
 * Binding expands nothing, so it costs no more than reading the files. See alternatives.h.
 */
#include "study/alternatives.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "ir/use.h"
#include "study/scene.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 4 };

/* An algorithm that works here. */
struct candidate {
    const char *name;      /* "bcast/binary" */
    uint32_t distance;     /* distance of its kind: 0 for the refused one's, the others in their order */
    uint32_t family_distance; /* distance of its family from the refused one's, in the order of
                                 families.def */
};

struct candidates {
    const struct program *refused;
    const struct bind_request *where; /* they are to be bound there; NULL: nowhere */
    struct arena *arena;       /* owner of their names */
    struct candidate *items;
    size_t n, capacity;
};

/* Returns < 0 if a is more similar: a nearer kind, then a nearer family, then by name. */
static int alternatives_compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    if (a->family_distance != b->family_distance)
        return a->family_distance < b->family_distance ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Returns how far the families of two names are from each other; the same for all if one has none. */
static uint32_t family_distance(const char *name, const char *other)
{
    const int family = builtin_family(name), other_family = builtin_family(other);
    if (family < 0 || other_family < 0)
        return UINT32_MAX;
    return (uint32_t)abs(family - other_family);
}

static bool can_be_bound(const struct program *program, const struct bind_request *request)
{
    struct diagnostics diagnostics = {0};
    struct binding *binding = bind_program(program, request, &diagnostics);
    const bool is_bound = binding != NULL;
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return is_bound;
}

/* True if it can be bound there, with its default parameters. */
static bool works(const struct program *program, const struct bind_request *where)
{
    struct bind_request request = *where;
    request.n_settings = 0;
    return can_be_bound(program, &request);
}

/* True if it can be bound on so many ranks, as many on each host as there, without a network. */
static bool works_on(const struct program *program, const struct bind_request *where, uint32_t n_ranks)
{
    struct bind_request request = *where;
    struct placement *placement = placement_by_slots(n_ranks, where->placement->max_slots, false);
    request.placement = placement;
    request.topology = NULL;
    const bool is_bound = can_be_bound(program, &request);
    placement_free(placement);
    return is_bound;
}

/* Returns the number of ranks nearest to those there, in steps of +1 or -1, on which it can be bound; 0: none
 * is found, or the network has no room for it. */
static uint32_t nearest_ranks(const struct program *program, const struct bind_request *where, int step)
{
    enum { MOST_RANKS_TRIED = 1 << 18 }; /* of all tries together */
    const struct placement *there = where->placement;
    const uint64_t room = where->topology ? (uint64_t)where->topology->n_machines * there->max_slots
                                          : SCHEDULE_MAX_RANKS;
    uint64_t n_tried = 0;
    const int64_t least = where->root + 1;
    for (int64_t n = (int64_t)there->n_ranks + step; n >= least && n <= (int64_t)room; n += step) {
        n_tried += (uint64_t)n;
        if (n_tried > MOST_RANKS_TRIED)
            return 0;
        if (works_on(program, where, (uint32_t)n))
            return (uint32_t)n;
    }
    return 0;
}

/* Names the numbers of ranks, below and above those there, that it takes. */
static void alternatives_name_ranks(const struct program *program, const struct bind_request *where,
                                    struct text *names)
{
    if (where->counts || where->neighbors || works_on(program, where, where->placement->n_ranks))
        return; /* or it is not the number that is refused */
    const uint32_t below = nearest_ranks(program, where, -1), above = nearest_ranks(program, where, 1);
    if (below && above)
        text_printf(names, "it takes %u or %u ranks; ", below, above);
    else if (below || above)
        text_printf(names, "it takes %u rank%s; ", below + above, plural(below + above));
}

/* Names the value nearest to that of a parameter with which it can be bound, if one is given. */
static void name_value(const struct program *program, const struct bind_request *where, struct text *names)
{
    enum { FARTHEST = 64 };
    struct bind_request request = *where;
    if (where->n_settings != 1 || where->settings[0].text)
        return;
    struct parameter_setting setting = where->settings[0];
    request.settings = &setting;
    for (int64_t far = 1; far <= FARTHEST; far++)
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            setting.value = where->settings[0].value + sign * far;
            if (setting.value > 0 && can_be_bound(program, &request)) {
                text_printf(names, ", and with --param %s=%lld", setting.name, (long long)setting.value);
                return;
            }
        }
}

static void add_if_works(struct candidates *list, const struct program *program, const char *name)
{
    const enum program_kind kind = program_kind(program);
    if (list->where && !works(program, list->where))
        return;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] =
        (struct candidate){name, kind == program_kind(list->refused) ? 0 : kind + 1,
                           family_distance(list->refused->name, program->name)};
}

static void alternatives_add_file(struct candidates *list, const struct embedded_file *file, const char *name)
{
    struct scene scene = {.source = NULL};
    struct diagnostics diagnostics = {0};
    if (scene_read_builtin(&scene, file, list->refused->form, &diagnostics))
        add_if_works(list, scene.program, name);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

static void alternatives_find_candidates(struct candidates *list)
{
    const struct program *refused = list->refused;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(&embedded_files[i], refused->collective, refused->form,
                                                list->arena);
        if (name)
            alternatives_add_file(list, &embedded_files[i], name);
    }
}

/* Names the other candidates after "others that `work`", the most similar first. */
static void name_others(struct candidates *list, const char *work, struct text *names)
{
    qsort(list->items, list->n, sizeof *list->items, alternatives_compare);
    text_printf(names, "others that %s: ", work);
    for (size_t i = 0; i < list->n && i < MAX_NAMED; i++)
        text_printf(names, "%s'%s'", i ? ", " : "", list->items[i].name);
    if (list->n > MAX_NAMED)
        text_printf(names, " and %zu more", list->n - MAX_NAMED);
}

static struct diagnostic *last_of(const struct diagnostics *diagnostics, uint32_t code)
{
    struct diagnostic *last = NULL;
    for (struct diagnostic *d = diagnostics->first; d; d = d->next)
        last = d->code == code ? d : last;
    return last;
}

void alternatives_bound(const struct program *refused, const struct bind_request *where,
                        struct diagnostics *diagnostics)
{
    struct diagnostic *last = last_of(diagnostics, CODE_E009);
    struct candidates list = {.refused = refused, .where = where, .arena = &diagnostics->arena};
    struct text names = {0};
    if (!last)
        return;
    alternatives_find_candidates(&list);
    if (where->n_settings && works(refused, where)) { /* it is the values of --param */
        text_printf(&names, "without --param it works here");
        name_value(refused, where, &names);
    } else {
        alternatives_name_ranks(refused, where, &names);
        if (list.n)
            name_others(&list, "work here", &names);
        else if (names.length)
            names.data[names.length -= 2] = '\0'; /* "; " */
    }
    if (names.length)
        last->help = diagnostics_text(diagnostics, "%s%s%s", last->help ? last->help : "",
                                      last->help ? "; " : "", names.data);
    text_free(&names);
    free(list.items);
}

void alternatives_serving(const struct program *refused, struct diagnostics *diagnostics)
{
    struct diagnostic *last = last_of(diagnostics, CODE_E020);
    struct candidates list = {.refused = refused, .arena = &diagnostics->arena};
    struct text names = {0};
    if (!last)
        return;
    alternatives_find_candidates(&list);
    if (list.n) {
        name_others(&list, "serve unequal counts", &names);
        last->help = diagnostics_text(diagnostics, "%s", names.data);
    }
    text_free(&names);
    free(list.items);
}
