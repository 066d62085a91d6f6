/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes zones (ir/symmetry.h) of the uses of a buffer in which chunks follow the rank.
 */
#include "compiler/passes/symmetry/symmetry_internal.h"

#include <math.h>
#include <stdlib.h>

/* The chunks of all blocks of a use: the first and one behind the last, if it were as low or as high as
 * can be. */
static double lowest_of(const struct use *use)
{
    return use->shape.low;
}

static double symmetry_zones_end_of(const struct walk *walk, const struct use *use)
{
    double end = use->shape.high + 1;
    for (uint32_t i = 0; i < use->shape.n_terms; i++)
        end += (double)use->shape.terms[i].scale * (walk->extent[use->shape.terms[i].reduced] - 1.0);
    return end;
}

static int compare_uses(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->chunks->buffer != y->chunks->buffer)
        return x->chunks->buffer < y->chunks->buffer ? -1 : 1;
    if (lowest_of(x) != lowest_of(y))
        return lowest_of(x) < lowest_of(y) ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Layout of a zone, from its uses: the sizes of blocks, ascending, and the coordinates that move them. */
struct layout {
    int64_t size[WALK_COORDINATES];
    uint32_t coordinate[WALK_COORDINATES], n;
};

static int64_t layout_cell(const struct walk *walk, const struct layout *layout)
{
    return layout->size[layout->n - 1] * (int64_t)walk->extent[layout->coordinate[layout->n - 1]];
}

/* False if the coordinate has blocks of another size. */
static bool add_to_layout(struct layout *layout, const struct term *term)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < layout->n; i++)
        if ((layout->coordinate[i] == term->reduced) != (layout->size[i] == term->scale))
            return false;
    while (at < layout->n && layout->size[at] < term->scale)
        at++;
    if (at < layout->n && layout->size[at] == term->scale)
        return true;
    for (uint32_t i = layout->n++; i > at; i--) {
        layout->size[i] = layout->size[i - 1];
        layout->coordinate[i] = layout->coordinate[i - 1];
    }
    layout->size[at] = term->scale;
    layout->coordinate[at] = term->reduced;
    return true;
}

/* True if each block is as many blocks of the size below as their coordinate has places. */
static bool is_layout_whole(const struct walk *walk, const struct layout *layout)
{
    bool is_whole = true;
    for (uint32_t i = 0; i + 1 < layout->n; i++)
        is_whole = is_whole &&
                   layout->size[i] * (int64_t)walk->extent[layout->coordinate[i]] == layout->size[i + 1];
    return is_whole && layout->size[0] <= UINT32_MAX;
}

/* True if the use has its blocks at those of a zone: its terms are some consecutive coordinates of the
 * layout, and its uniform part is less than a block of the first of these, but for whole lines of the last.
 * False if two terms have one coordinate: they move by twice as much. */
static bool is_in_layout(const struct walk *walk, const struct use *use, const struct layout *layout,
                         double first_chunk)
{
    const struct shape *shape = &use->shape;
    uint32_t first = layout->n, last = 0, n = 0;
    bool is_once = true;
    for (uint32_t i = 0; i < layout->n; i++)
        for (uint32_t k = 0; k < shape->n_terms; k++)
            if (shape->terms[k].reduced == layout->coordinate[i] &&
                shape->terms[k].scale == layout->size[i]) {
                is_once = is_once && (!n || last != i);
                first = i < first ? i : first;
                last = i;
                n++;
            }
    if (!n || !is_once || n != shape->n_terms || n != last - first + 1)
        return false;
    const double block = (double)layout->size[first];
    const int64_t line = layout->size[last] * (int64_t)walk->extent[layout->coordinate[last]];
    const bool is_one = shape->every == 0 || shape->high - shape->low < block;
    const double low = is_one ? shape->low : shape->rest_low, high = is_one ? shape->high : shape->rest_high;
    const double place = low - first_chunk - floor((low - first_chunk) / (double)line) * (double)line;
    return (is_one || shape->every % line == 0) && place + (high - low) <= block - 1;
}

/* A zone as uses of a buffer say it; in `end` chunks of its cells are whole. */
struct found {
    struct layout layout;
    double first, behind, end;
};

/* Has a zone go as far as a use does; false: behind the end of the buffer. */
static bool symmetry_zones_reach(const struct walk *walk, struct found *found, const struct use *use)
{
    const double cell = (double)layout_cell(walk, &found->layout);
    found->behind = fmax(found->behind, symmetry_zones_end_of(walk, use));
    found->end = found->first + ceil((found->behind - found->first) / cell) * cell;
    const uint32_t number = use->chunks->area;
    const struct tmp_span area =
        number ? walk->binding->areas[number - 1]
               : (struct tmp_span){0, (uint32_t)schedule_chunks(&walk->header, use->chunks->buffer)};
    return found->first >= area.first && found->end <= area.end;
}

/* Finds the zone of uses that overlap, which begins where the lowest of them does: how many they are; 0 if
 * they are of no zone. */
static uint32_t find_zone(const struct walk *walk, const struct use *uses, uint32_t n_uses,
                          struct found *found)
{
    uint32_t n = 0;
    bool is_one = true;
    *found = (struct found){.first = lowest_of(uses)};
    while (is_one && n < n_uses && uses[n].chunks->buffer == uses->chunks->buffer &&
           (n == 0 || lowest_of(&uses[n]) < found->end)) {
        const struct use *use = &uses[n++];
        for (uint32_t i = 0; i < use->shape.n_terms && is_one; i++)
            is_one = add_to_layout(&found->layout, &use->shape.terms[i]);
        is_one = is_one && symmetry_zones_reach(walk, found, use);
    }
    is_one = is_one && is_layout_whole(walk, &found->layout);
    for (uint32_t i = 0; i < n && is_one; i++)
        is_one = is_in_layout(walk, &uses[i], &found->layout, found->first);
    return is_one ? n : 0;
}

/* Uses of scratch that overlap, of several zones. */
struct group {
    struct found zones[PLANES_MAX];
    uint32_t n_zones, n_labels; /* those of the symmetry before it */
    double end;
};

/* Returns the zone that another use of the same line is of; n_zones: none. */
static uint32_t zone_of_line(const struct walk *walk, const struct group *group, uint32_t line)
{
    const struct symmetry *symmetry = walk->symmetry;
    for (uint32_t i = group->n_labels; i < symmetry->n_labels; i++)
        if (symmetry->labels[i].line == line)
            return symmetry->labels[i].plane;
    return group->n_zones;
}

/* True if a use has all blocks of a zone. */
static bool is_of_zone(const struct walk *walk, const struct use *use, const struct found *zone)
{
    return use->shape.n_terms == zone->layout.n && is_in_layout(walk, use, &zone->layout, zone->first);
}

/* Finds the zone of the group that a use is in, or adds a zone; false: there is none. */
static bool zone_of_use(const struct walk *walk, struct group *group, const struct use *use, uint32_t *zone)
{
    const uint32_t of_line = zone_of_line(walk, group, use->line);
    *zone = of_line;
    if (of_line < group->n_zones)
        return is_of_zone(walk, use, &group->zones[of_line]);
    for (*zone = 0; *zone < group->n_zones; ++*zone)
        if (is_of_zone(walk, use, &group->zones[*zone]))
            return true;
    if (group->n_zones + 1 >= PLANES_MAX)
        return false;
    struct found *found = &group->zones[group->n_zones++];
    *found = (struct found){.first = lowest_of(use)};
    bool is_one = true;
    for (uint32_t i = 0; i < use->shape.n_terms && is_one; i++)
        is_one = add_to_layout(&found->layout, &use->shape.terms[i]);
    return is_one && is_layout_whole(walk, &found->layout) && is_of_zone(walk, use, found);
}

_Static_assert((int)LABELS_MAX >= (int)MAX_USES, "each use may have a line of its own");

/* The line uses the zone. */
static void put_label(struct walk *walk, const struct group *group, uint32_t line, uint32_t zone)
{
    struct symmetry *symmetry = walk->symmetry;
    if (zone_of_line(walk, group, line) >= group->n_zones)
        symmetry->labels[symmetry->n_labels++] = (struct label){line, symmetry->n_areas, zone};
}

/* Puts uses that overlap into several zones: how many uses they are; 0: into none. */
static uint32_t find_zones(struct walk *walk, const struct use *uses, uint32_t n_uses, struct group *group)
{
    uint32_t n = 0, zone;
    while (n < n_uses && uses[n].chunks->buffer == BUFFER_TMP &&
           (n == 0 || lowest_of(&uses[n]) < group->end)) {
        if (!zone_of_use(walk, group, &uses[n], &zone) ||
            !symmetry_zones_reach(walk, &group->zones[zone], &uses[n]))
            return 0;
        group->end = fmax(group->end, group->zones[zone].end);
        put_label(walk, group, uses[n++].line, zone);
    }
    return n;
}

static struct zone zone_of(const struct walk *walk, const struct found *found, uint32_t plane)
{
    const struct layout *layout = &found->layout;
    struct zone zone = {(uint32_t)found->first + plane, (uint32_t)found->end + plane,
                        (uint32_t)layout->size[0], (uint32_t)layout_cell(walk, layout), layout->n, {0}};
    for (uint32_t i = 0; i < layout->n; i++)
        zone.coordinate[i] = (uint8_t)walk->shift_of[layout->coordinate[i]];
    return zone;
}

/* True if scratch may have planes. It may not if its chunks have sizes: rules look these up by the chunks'
 * numbers. */
static bool has_planes(const struct walk *walk)
{
    const struct program *program = walk->program;
    return !(program->like.line && (program->form != FORM_EQUAL || walk->binding->segments > 1)) &&
           schedule_chunks(&walk->header, BUFFER_TMP) * PLANES_MAX <= UINT32_MAX;
}

/* Makes zones of uses that overlap: one, or scratch as an area that has a plane for each of them, and one
 * without. Returns the number of uses; 0 if they are of no zones. */
static uint32_t make_zones(struct walk *walk, const struct use *uses, uint32_t n_uses)
{
    struct symmetry *symmetry = walk->symmetry;
    const enum buffer buffer = uses->chunks->buffer;
    const bool is_scratch = buffer == BUFFER_TMP && has_planes(walk);
    struct group group = {.n_zones = 1, .n_labels = symmetry->n_labels};
    uint32_t n = find_zone(walk, uses, n_uses, &group.zones[0]), *n_zones = &symmetry->n_zones[buffer];
    group.end = group.zones[0].end;
    for (uint32_t i = 0; i < n && is_scratch; i++)
        put_label(walk, &group, uses[i].line, 0);
    if (!n && is_scratch) {
        group = (struct group){.n_labels = symmetry->n_labels};
        n = find_zones(walk, uses, n_uses, &group);
    }
    if (!n || *n_zones + group.n_zones > ZONES_MAX)
        return 0;
    const uint32_t plane = is_scratch ? (uint32_t)schedule_chunks(&walk->header, BUFFER_TMP) : 0;
    for (uint32_t i = 0; i < group.n_zones; i++)
        symmetry->zones[buffer][(*n_zones)++] = zone_of(walk, &group.zones[i], i * plane);
    if (is_scratch) {
        symmetry->plane = plane;
        symmetry->areas[symmetry->n_areas++] =
            (struct area){(uint32_t)lowest_of(uses), (uint32_t)group.end, group.n_zones + 1};
    }
    return n;
}

static int compare_zones(const void *a, const void *b)
{
    const struct zone *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

bool walk_make_zones(struct walk *walk)
{
    struct symmetry *symmetry = walk->symmetry;
    qsort(walk->uses, walk->n_uses, sizeof *walk->uses, compare_uses);
    for (uint32_t i = 0, n; i < walk->n_uses; i += n) {
        n = make_zones(walk, &walk->uses[i], walk->n_uses - i);
        if (!n)
            return walk_give_up(walk, walk->uses[i].chunks->position,
                                "chunks of a buffer follow the rank in one place, and do not in another");
    }
    qsort(symmetry->zones[BUFFER_TMP], symmetry->n_zones[BUFFER_TMP], sizeof(struct zone), compare_zones);
    return true;
}
