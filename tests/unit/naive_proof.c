/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See naive_proof.h.
 */
#include "tests/unit/naive_proof.h"

#include "bound/fraction.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_in(const json_t *list, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(list, i));
}

/* Between neighbours: over links, or over whole routes where these are given. */
static void add_arcs(const json_t *root, const json_t *lengths, size_t n, uint64_t *distance)
{
    const json_t *routes = json_object_get(root, "routes"), *links = json_object_get(root, "links");
    for (size_t i = 0; !routes && i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        distance[number_in(link, 0) * n + number_in(link, 1)] = number_in(lengths, i);
    }
    for (size_t i = 0; i < json_array_size(routes); i++) {
        const json_t *route = json_array_get(routes, i);
        uint64_t *own = &distance[number_in(route, 0) * n + number_in(route, 1)];
        *own = 0;
        for (size_t hop = 2; hop < json_array_size(route); hop++)
            *own += number_in(lengths, number_in(route, hop));
    }
}

static uint64_t *all_distances(const json_t *root, const json_t *lengths, size_t n)
{
    uint64_t *distance = malloc(n * n * sizeof *distance);
    for (size_t i = 0; i < n * n; i++)
        distance[i] = i % (n + 1) == 0 ? 0 : UINT64_MAX / 2;
    add_arcs(root, lengths, n, distance);
    for (size_t via = 0; via < n; via++)
        for (size_t i = 0; i < n * n; i++) {
            const uint64_t way = distance[i / n * n + via] + distance[via * n + i % n];
            distance[i] = way < distance[i] ? way : distance[i];
        }
    return distance;
}

/* Amounts times distances: of listed demands, else of all pairs of ranks. */
static wide all_ways(const json_t *root, const uint64_t *distance, size_t n)
{
    const json_t *ranks = json_object_get(root, "ranks"), *demands = json_object_get(root, "demands");
    wide sum = 0;
    for (size_t i = 0; !demands && i < n * n; i++)
        if (i / n != i % n && number_in(ranks, i / n) && number_in(ranks, i % n))
            sum += (wide)number_in(ranks, i / n) * number_in(ranks, i % n) * distance[i];
    for (size_t i = 0; i < json_array_size(demands); i++) {
        const json_t *demand = json_array_get(demands, i);
        sum += (wide)number_in(demand, 2) * distance[number_in(demand, 0) * n + number_in(demand, 1)];
    }
    return sum;
}

/* Links of routes are [from, to, bandwidth], others [from, to, cables, bandwidth of all]. */
static wide all_capacity(const json_t *root, const json_t *bound)
{
    const json_t *links = json_object_get(root, "links"), *lengths = json_object_get(bound, "lengths");
    const bool is_time = !strcmp(json_string_value(json_object_get(bound, "measure")), "time");
    const bool is_routed = json_object_get(root, "routes");
    wide sum = 0;
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        const uint64_t cables = is_routed ? 1 : number_in(link, 2);
        sum += (wide)(is_time ? number_in(link, is_routed ? 2 : 3) : cables) * number_in(lengths, i);
    }
    return sum;
}

static bool naive_proves(const json_t *root, const json_t *bound)
{
    const size_t n = json_array_size(json_object_get(root, "nodes"));
    uint64_t *distance = all_distances(root, json_object_get(bound, "lengths"), n);
    const wide top = all_ways(root, distance, n), bottom = all_capacity(root, bound);
    struct text exact = {0};
    free(distance);
    if (bottom)
        fraction_print(fraction_of(top, bottom), &exact);
    const bool is_proved = bottom && !strcmp(exact.data, json_string_value(json_object_get(bound, "bound")));
    text_free(&exact);
    return is_proved;
}

bool naive_proves_all(const struct text *text)
{
    json_t *root = json_loadb(text->data, text->length, 0, NULL);
    const json_t *bounds = json_object_get(root, "bounds");
    bool is_proved = json_array_size(bounds) > 0;
    for (size_t i = 0; i < json_array_size(bounds); i++)
        is_proved &= naive_proves(root, json_array_get(bounds, i));
    json_decref(root);
    return is_proved;
}
