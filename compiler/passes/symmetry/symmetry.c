/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetry.h.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include "base/integer.h"
#include "compiler/passes/coordinates.h"
#include "compiler/passes/neighbors.h"

#include <stdlib.h>
#include <string.h>

/* A zone whose blocks have the numbers of ranks. */
static void add_rank_zone(struct symmetry *symmetry, enum buffer buffer, uint32_t block)
{
    const struct shifts *shifts = &symmetry->shifts;
    struct zone *zone = &symmetry->zones[buffer][symmetry->n_zones[buffer]++];
    *zone = (struct zone){0, shifts->n_ranks * block, block, shifts->n_ranks * block, 0, {0}};
    for (uint32_t stride = 1, i = 0; stride < shifts->n_ranks; stride *= shifts->extent[i]) {
        for (i = 0; shifts->stride[i] != stride || shifts->extent[i] == 1;)
            i++;
        zone->coordinate[zone->n++] = (uint8_t)i;
    }
}

/* Variables of the header: what the binding gave them, or what their expression says. */
static bool symmetry_start(struct walk *walk)
{
    const struct program *program = walk->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        walk->shapes[i] = (struct shape){.kind = NEITHER, .modulus = -1};
        if (variable->kind != VARIABLE_ALGORITHM && variable->is_uniform &&
            (variable->kind != VARIABLE_LET || variable->value) && variable->kind != VARIABLE_LOOP &&
            variable->kind != VARIABLE_ARGUMENT && variable->kind != VARIABLE_AREA)
            walk->shapes[i] = shape_of_constant(walk->binding->value[i]);
        else if (variable->kind == VARIABLE_LET && variable->value &&
                 !walk_assign(walk, i, variable->value))
            return false;
        for (uint32_t k = 0; k < program->n_coordinates; k++)
            if (program->coordinate[k] == i)
                walk->shapes[i] = way_is_by_grid(walk->way) ? shape_of_point(walk, true)
                                                       : shape_of_coordinate(walk, k);
    }
    return true;
}

/* Ranks are numbered by their coordinates, and there is one at each point. */
static bool symmetry_take_coordinates(struct walk *walk)
{
    struct arena arena = {0};
    struct coordinates coordinates;
    struct shifts *shifts = &walk->symmetry->shifts;
    coordinates_make(&coordinates, walk->binding, &arena);
    bool is_plain = !coordinates.ragged && !coordinates.shift;
    for (uint32_t rank = 0; coordinates.ranks && is_plain && rank < coordinates.n_ranks; rank++)
        is_plain = coordinates.ranks[rank] == rank;
    for (uint32_t i = 0; i < coordinates.n; i++) {
        if (coordinates.extent[i] == 1) /* no shift */
            continue;
        walk->shift_of[i] = shifts->n;
        shifts->extent[shifts->n] = coordinates.extent[i];
        shifts->stride[shifts->n] = coordinates.stride[i];
        walk->symmetry->period[shifts->n] = walk->period[i];
        walk->symmetry->coordinate[shifts->n++] =
            variable_source_name(&walk->program->variables[walk->program->coordinate[i]]);
    }
    arena_free(&arena);
    if (!is_plain)
        walk->reason = "ranks are not numbered by their coordinates";
    return is_plain;
}

/* Ranks are numbered by their places in the grid; or by the bits of their numbers. */
static void symmetry_take_digits(struct walk *walk)
{
    static const char *const names[] = {"x", "y", "z", "4th", "5th", "6th", "7th", "8th"};
    const struct rank_grid *grid = &walk->binding->grid;
    struct shifts *shifts = &walk->symmetry->shifts;
    shifts->is_xor = walk->way == BY_XOR;
    shifts->is_mirrored = walk->way == BY_MIRROR;
    for (uint32_t i = 0; way_is_by_grid(walk->way) && i < grid->n_dimensions; i++) {
        walk->shift_of[i] = i;
        shifts->extent[i] = grid->extent[i].value;
        shifts->stride[i] = grid->step[i];
        walk->symmetry->coordinate[i] = names[i];
        walk->symmetry->period[i] = walk->period[i];
        shifts->n++;
    }
    for (uint32_t bit = 1; walk->way == BY_XOR && bit < walk->binding->n_ranks; bit *= 2) {
        walk->symmetry->period[shifts->n] = 1;
        shifts->extent[shifts->n] = 2;
        shifts->stride[shifts->n++] = bit;
    }
}

/* True if all dimensions have an even number of places, or one. */
static bool has_mirrors(const struct rank_grid *grid)
{
    bool is_even = true;
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        is_even = is_even && (grid->extent[i].value == 1 || grid->extent[i].value % 2 == 0);
    return is_even;
}

/* True if the way can apply to the program, which must count ranks by their numbers unless the way is
 * BY_COORDINATES. */
static bool symmetry_is_open(const struct binding *binding, enum way way)
{
    const uint32_t p = binding->n_ranks;
    const bool is_by_number =
        binding->program->n_coordinates == 1 && program_named_extent(binding->program, 0) == NAMED_p;
    if (way_is_by_grid(way))
        return is_by_number && binding->grid.n_ranks == p && binding->grid.is_even &&
               (way == BY_GRID || has_mirrors(&binding->grid));
    return way == BY_COORDINATES || (is_by_number && !(p & (p - 1)));
}

static const char *symmetry_obstacle(const struct binding *binding)
{
    const struct program *program = binding->program;
    if (collective_table[program->collective].rooted)
        return "the collective has a root";
    if (collective_is_of_neighbors(program->collective) && !binding->neighbors->is_shifted)
        return "the neighbours of ranks differ by more than a shift";
    if (collective_is_scan(program->collective))
        return "the results of ranks differ by more than a shift";
    if (binding->counts)
        return "counts are unequal";
    if (program->ordered.line || program->from_root)
        return "the program has a clause 'ordered' or 'from root'";
    if (!program->n_coordinates || binding->n_ranks < 2)
        return "there are no coordinates to shift";
    return NULL;
}

static void add_by(struct symmetry *symmetry, uint32_t by)
{
    uint32_t i = 0;
    while (i < symmetry->n_by && symmetry->by[i] != by)
        i++;
    if (i == symmetry->n_by)
        symmetry->by[symmetry->n_by++] = by;
}

/* The first of each orbit and the last one, the extremes of what is affine; where that costs little,
 * one in between; and of loops whose rounds are rotated one for each shift that generates the group. */
static void choose_witnesses(struct symmetry *symmetry)
{
    enum { MANY_RANKS = 1 << 18 };
    const struct shifts *shifts = &symmetry->shifts;
    const uint32_t last = symmetry_shift_to(symmetry, shifts->n_ranks - 1);
    const uint32_t middle = symmetry_shift_to(symmetry, last / 2 + 1);
    symmetry->n_by = 1;
    if (middle < last && last < MANY_RANKS)
        add_by(symmetry, middle);
    for (uint32_t i = 0; i < shifts->n && symmetry->n_rotated; i++)
        add_by(symmetry, (shifts->extent[i] - symmetry->period[i]) * shifts->stride[i]);
    add_by(symmetry, last);
    for (uint32_t orbit = 0; orbit < symmetry->n_orbits; orbit++)
        for (uint32_t i = 0; i < symmetry->n_by; i++)
            symmetry->witness[symmetry->n_witnesses++] =
                symmetry_representative(symmetry, orbit) + symmetry->by[i];
    qsort(symmetry->witness, symmetry->n_witnesses, sizeof *symmetry->witness, compare_uint32);
    for (uint32_t i = 0; i < symmetry->n_witnesses; i++) {
        const uint32_t by = symmetry_shift_to(symmetry, symmetry->witness[i]);
        uint32_t k = 0;
        while (symmetry->by[k] != by)
            k++;
        symmetry->place[i] =
            (uint16_t)(k * symmetry->n_orbits + symmetry_orbit(symmetry, symmetry->witness[i]));
    }
}

/* True if the program is symmetric by shifts of this kind. */
static bool try_way(struct walk *walk)
{
    struct symmetry *symmetry = walk->symmetry;
    const struct program *program = walk->program;
    *symmetry = (struct symmetry){.source = program->source};
    if (!symmetry_start(walk) || !walk_look_at_list(walk, program->body) ||
        (walk->way == BY_COORDINATES && !symmetry_take_coordinates(walk)))
        return false;
    symmetry->shifts.n_ranks = walk->binding->n_ranks;
    if (walk->way != BY_COORDINATES)
        symmetry_take_digits(walk);
    symmetry->n_orbits = 1;
    for (uint32_t i = 0; i < symmetry->shifts.n; i++)
        symmetry->n_orbits *= symmetry->period[i];
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++)
        if (walk->is_by_rank[buffer])
            add_rank_zone(symmetry, buffer, 1);
        else if (buffer < BUFFER_TMP && collective_is_by_rank(program->collective, buffer))
            add_rank_zone(symmetry, buffer, walk->binding->segments);
    if (!walk_are_copies_alone(walk) || !walk_make_zones(walk))
        return false;
    if (!symmetry_has_shifted_sizes(walk))
        return walk_give_up(walk, program->like, "chunks of tmp have sizes that do not follow the rank");
    choose_witnesses(symmetry);
    return true;
}

/* A group, and how loops are taken that might be turned. */
struct candidate {
    enum way way;
    uint32_t period[WALK_COORDINATES];
    bool turns_first;
    uint64_t n_orbits;
};

static uint32_t list_extents(const struct binding *binding, enum way way, uint32_t *extent)
{
    const bool is_by_grid = way_is_by_grid(way);
    const uint32_t n = is_by_grid ? binding->grid.n_dimensions : binding->program->n_coordinates;
    for (uint32_t i = 0; i < n; i++)
        extent[i] = is_by_grid ? binding->grid.extent[i].value : binding->extent[i];
    return n;
}

/* Tries one group, and says why it is none of the program's, and which periods might help: 0, none. */
static bool symmetry_try_candidate(const struct binding *binding, const struct candidate *candidate,
                                   uint32_t *wanted, struct symmetry *symmetry,
                                   struct diagnostics *diagnostics, const char **reason)
{
    const struct program *program = binding->program;
    struct walk walk = {.way = candidate->way,
                        .period = candidate->period,
                        .wanted = wanted,
                        .turns_first = candidate->turns_first,
                        .binding = binding,
                        .program = program,
                        .header = {.collective = program->collective,
                                   .n_ranks = binding->n_ranks,
                                   .segments = binding->segments,
                                   .n_tmp = binding->n_tmp,
                                   .n_in = binding->n_in,
                                   .n_out = binding->n_out},
                        .diagnostics = diagnostics,
                        .symmetry = symmetry};
    memset(wanted, 0, WALK_COORDINATES * sizeof *wanted);
    walk.n = list_extents(binding, candidate->way, walk.extent);
    walk.shapes = mem_alloc(program->n_variables, sizeof *walk.shapes);
    walk.uses = mem_alloc(MAX_USES, sizeof *walk.uses);
    const bool is_symmetric = try_way(&walk) && (!candidate->turns_first || symmetry->n_rotated);
    free(walk.shapes);
    free(walk.uses);
    *reason = walk.reason;
    return is_symmetric;
}

/* Orders candidates by the number of orbits, then by way. */
static int symmetry_compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->n_orbits != y->n_orbits)
        return x->n_orbits < y->n_orbits ? -1 : 1;
    if (x->way != y->way)
        return x->way < y->way ? -1 : 1;
    if (x->turns_first != y->turns_first)
        return x->turns_first ? 1 : -1;
    for (uint32_t i = WALK_COORDINATES; i-- > 0;)
        if (x->period[i] != y->period[i])
            return x->period[i] < y->period[i] ? -1 : 1;
    return 0;
}

enum { MAX_CANDIDATES = 2 * N_WAYS + (2 << PROGRAM_MAX_COORDINATES) };

/* Returns the group whose shifts of some coordinates are by multiples of a period. */
static struct candidate candidate_of(const struct binding *binding, enum way way, const uint32_t *period)
{
    struct candidate candidate = {.way = way, .n_orbits = 1};
    uint32_t extent[WALK_COORDINATES];
    const uint32_t n = list_extents(binding, way, extent);
    for (uint32_t i = 0; i < n; i++) {
        candidate.period[i] = period ? period[i] : 1;
        candidate.n_orbits *= candidate.period[i];
    }
    return candidate;
}

/* Periods that the text asks for as it takes remainders of coordinates, one after the other, as long as it
 * asks for more: false if it comes to none. */
static bool passes_symmetry_refine(const struct binding *binding, struct candidate *candidate)
{
    struct symmetry *symmetry = mem_alloc(1, sizeof *symmetry);
    struct diagnostics unread = {0};
    uint32_t wanted[WALK_COORDINATES];
    const char *reason;
    bool is_found = false, is_more = true;
    while (!is_found && is_more) {
        const uint64_t n_orbits = candidate->n_orbits;
        is_found = symmetry_try_candidate(binding, candidate, wanted, symmetry, &unread, &reason);
        if (!is_found && wanted[0])
            *candidate = candidate_of(binding, candidate->way, wanted);
        is_more = candidate->n_orbits > n_orbits && candidate->n_orbits <= ORBITS_MAX &&
                  candidate->n_orbits < binding->n_ranks;
    }
    diagnostics_free(&unread);
    free(symmetry);
    return is_found;
}

/* Lists the groups to try, those with the fewest orbits first. */
static uint32_t list_candidates(const struct binding *binding, struct candidate *candidates)
{
    const uint32_t n_coordinates = binding->program->n_coordinates;
    uint32_t n = 0;
    for (enum way way = BY_COORDINATES; way < N_WAYS; way++) {
        if (!symmetry_is_open(binding, way))
            continue;
        struct candidate *whole = &candidates[n++];
        *whole = candidate_of(binding, way, NULL);
        candidates[n] = *whole;
        const bool has_periods = way == BY_COORDINATES || way == BY_GRID;
        if (has_periods && passes_symmetry_refine(binding, &candidates[n]) && candidates[n].n_orbits > 1)
            n++;
    }
    for (uint32_t set = 0; set < 1u << n_coordinates; set++) {
        uint32_t period[WALK_COORDINATES];
        bool is_new = true; /* a coordinate of extent 1 is fixed in any case */
        for (uint32_t i = 0; i < n_coordinates; i++) {
            period[i] = set >> i & 1 ? binding->extent[i] : 1;
            is_new = is_new && (period[i] > 1 || !(set >> i & 1));
        }
        struct candidate candidate = candidate_of(binding, BY_COORDINATES, period);
        if (!is_new || candidate.n_orbits > ORBITS_MAX || candidate.n_orbits >= binding->n_ranks)
            continue;
        if (set)
            candidates[n++] = candidate;
        candidate.turns_first = true;
        candidates[n++] = candidate;
    }
    qsort(candidates, n, sizeof *candidates, symmetry_compare_candidates);
    return n;
}

bool symmetry_find(const struct binding *binding, uint32_t *next, struct symmetry *symmetry,
                   struct diagnostics *diagnostics, const char **reason)
{
    struct candidate candidates[MAX_CANDIDATES];
    const char *others = NULL;
    uint32_t wanted[WALK_COORDINATES];
    *symmetry = (struct symmetry){.source = binding->program->source};
    *reason = symmetry_obstacle(binding);
    if (*reason)
        return false;
    const uint32_t first = *next, n = list_candidates(binding, candidates);
    bool is_found = false;
    while (*next < n && !is_found) {
        const struct candidate *candidate = &candidates[*next];
        const char **why = *next == first ? reason : &others;
        ++*next;
        is_found = symmetry_try_candidate(binding, candidate, wanted, symmetry, diagnostics, why);
    }
    return is_found;
}
