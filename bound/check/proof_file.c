/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads certificates strictly by their form. See proof_file.h.
 */
#include "bound/check/proof_file.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 24 };

bool proof_file_number(const json_t *array, size_t index, uint64_t least, uint64_t *number)
{
    const json_t *value = json_array_get(array, index);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return *number >= least;
}

bool proof_file_has_keys(const json_t *object, const char *keys)
{
    size_t n = 0;
    if (!json_is_object(object))
        return false;
    for (const char *key = keys; *key; key += strspn(key, " ")) {
        const bool is_optional = *key == '?';
        char name[32] = "";
        key += is_optional;
        const size_t length = strcspn(key, " ");
        memcpy(name, key, length < sizeof name ? length : sizeof name - 1);
        const bool is_there = json_object_get(object, name) != NULL;
        if (!is_there && !is_optional)
            return false;
        n += is_there;
        key += length;
    }
    return json_object_size(object) == n;
}

/* True for arrays of `width` numbers, the first two of them different nodes, in ascending order. */
static bool is_pair_list(const json_t *list, size_t width, uint32_t n_nodes, uint64_t least)
{
    uint64_t last[2] = {0, 0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        uint64_t ends[2], number;
        if (!json_is_array(item) || json_array_size(item) != width ||
            !proof_file_number(item, 0, 0, &ends[0]) || !proof_file_number(item, 1, 0, &ends[1]) ||
            ends[0] >= n_nodes || ends[1] >= n_nodes || ends[0] == ends[1])
            return false;
        if (i && (ends[0] < last[0] || (ends[0] == last[0] && ends[1] <= last[1])))
            return false;
        for (size_t j = 2; j < width; j++)
            if (!proof_file_number(item, j, least, &number))
                return false;
        memcpy(last, ends, sizeof last);
    }
    return json_is_array(list);
}

static uint64_t proof_file_number_at(const json_t *list, size_t i, size_t j)
{
    return (uint64_t)json_integer_value(json_array_get(json_array_get(list, i), j));
}

static bool proof_file_read_links(const json_t *list, struct proof_file *file)
{
    if (!is_pair_list(list, 4, file->n_nodes, 0) || json_array_size(list) == 0 ||
        json_array_size(list) > UINT32_MAX)
        return false;
    file->n_links = (uint32_t)json_array_size(list);
    file->links = mem_alloc(file->n_links, sizeof *file->links);
    for (size_t i = 0; i < file->n_links; i++) {
        file->links[i] = (struct proof_link){
            (uint32_t)proof_file_number_at(list, i, 0), (uint32_t)proof_file_number_at(list, i, 1),
            proof_file_number_at(list, i, 2), proof_file_number_at(list, i, 3)};
        if (!file->links[i].cables != !file->links[i].bandwidth)
            return false;
    }
    return true;
}

/* Reads the links of an overlay, where cables are links of their own, perhaps several from node to node. */
static bool read_single_links(const json_t *list, struct proof_file *file)
{
    const size_t n = json_array_size(list);
    if (!json_is_array(list) || n == 0 || n > UINT32_MAX)
        return false;
    file->n_links = (uint32_t)n;
    file->links = mem_alloc(n, sizeof *file->links);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        const struct proof_link *last = i ? &file->links[i - 1] : NULL;
        uint64_t from, to, bandwidth;
        if (!json_is_array(item) || json_array_size(item) != 3 || !proof_file_number(item, 0, 0, &from) ||
            !proof_file_number(item, 1, 0, &to) || !proof_file_number(item, 2, 1, &bandwidth) ||
            from >= file->n_nodes || to >= file->n_nodes || from == to ||
            (last && (from < last->from || (from == last->from && to < last->to))))
            return false;
        file->links[i] = (struct proof_link){(uint32_t)from, (uint32_t)to, 1, bandwidth};
    }
    return true;
}

/* Reads the links of one route from item[2] on; none twice. */
static bool read_hops(const json_t *item, struct proof_file *file, struct proof_route *route,
                      size_t *last_seen, size_t number)
{
    for (size_t i = 2; i < json_array_size(item); i++) {
        uint64_t link;
        if (!proof_file_number(item, i, 0, &link) || link >= file->n_links || last_seen[link] == number)
            return false;
        last_seen[link] = number;
        file->hops[route->first + route->n_hops++] = (uint32_t)link;
    }
    return true;
}

static bool read_route(const json_t *item, struct proof_file *file, size_t first, struct proof_route *route)
{
    uint64_t from, to;
    if (!json_is_array(item) || !proof_file_number(item, 0, 0, &from) ||
        !proof_file_number(item, 1, 0, &to) || from >= file->n_nodes || to >= file->n_nodes ||
        from == to || !file->ranks[from] || !file->ranks[to])
        return false;
    *route = (struct proof_route){(uint32_t)from, (uint32_t)to, first, 0};
    return true;
}

/* Reads the routes, in the order of their ends, with at least one over each link. */
static bool proof_file_read_routes(const json_t *list, struct proof_file *file)
{
    const size_t n = json_array_size(list);
    size_t n_hops = 0, *last_seen = mem_alloc(file->n_links, sizeof *last_seen);
    bool is_good = json_is_array(list);
    for (size_t i = 0; i < n; i++)
        n_hops += json_array_size(json_array_get(list, i));
    file->routes = mem_alloc(n, sizeof *file->routes);
    file->hops = mem_alloc(n_hops, sizeof *file->hops);
    file->n_routes = n;
    n_hops = 0;
    for (size_t i = 0; i < n && is_good; i++) {
        const json_t *item = json_array_get(list, i);
        struct proof_route *route = &file->routes[i];
        is_good = read_route(item, file, n_hops, route) && read_hops(item, file, route, last_seen, i + 1) &&
                  (i == 0 || route->from > route[-1].from ||
                   (route->from == route[-1].from && route->to > route[-1].to));
        n_hops += is_good ? route->n_hops : 0;
    }
    for (uint32_t link = 0; link < file->n_links && is_good; link++)
        is_good = last_seen[link] > 0;
    free(last_seen);
    return is_good;
}

static bool read_demands(const json_t *list, struct proof_file *file)
{
    if (!is_pair_list(list, 3, file->n_nodes, 1))
        return false;
    file->n_demands = json_array_size(list);
    file->demands = mem_alloc(file->n_demands, sizeof *file->demands);
    for (size_t i = 0; i < file->n_demands; i++)
        file->demands[i] = (struct proof_demand){(uint32_t)proof_file_number_at(list, i, 0),
                                                 (uint32_t)proof_file_number_at(list, i, 1),
                                                 proof_file_number_at(list, i, 2)};
    return true;
}

/* Reads a number for each node, on the heap. Returns NULL if they are none. */
static uint64_t *proof_file_read_numbers(const json_t *list, const struct proof_file *file)
{
    if (!json_is_array(list) || json_array_size(list) != file->n_nodes)
        return NULL;
    uint64_t *numbers = mem_alloc(file->n_nodes, sizeof *numbers);
    for (size_t i = 0; i < file->n_nodes; i++)
        if (!proof_file_number(list, i, 0, &numbers[i])) {
            free(numbers);
            return NULL;
        }
    return numbers;
}

static bool read_nodes(const json_t *list, struct proof_file *file)
{
    const size_t n = json_array_size(list);
    for (size_t i = 0; i < n; i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    file->nodes = list;
    file->n_nodes = (uint32_t)n;
    return n > 0 && n <= MAX_NODES;
}

enum kind { KIND_FLOW, KIND_CUT, KIND_OVERLAY, N_KINDS };
static const char *const kind_name[N_KINDS] = {"collc-flow-1", "collc-cut-1", "collc-overlay-1"};

/* Reads the amounts: of a flow ranks or demands, of a cut ranks and blocks, of an overlay ranks and perhaps
 * demands. Returns their error, or NULL. */
static const char *read_amounts(struct proof_file *file, enum kind kind)
{
    const json_t *root = file->root;
    const json_t *ranks = json_object_get(root, "ranks"), *demands = json_object_get(root, "demands");
    if (ranks && !(file->ranks = proof_file_read_numbers(ranks, file)))
        return "'ranks' are not a number for each node";
    if (kind == KIND_CUT && !(file->blocks = proof_file_read_numbers(json_object_get(root, "blocks"), file)))
        return "'blocks' are not a number for each node";
    file->is_listed = demands != NULL;
    if (demands && !read_demands(demands, file))
        return "'demands' are not [from, to, amount] of different nodes in ascending order";
    return NULL;
}

static bool has_members(const json_t *root, enum kind kind)
{
    if (kind == KIND_CUT)
        return proof_file_has_keys(root, "certificate collective topology unit nodes ranks blocks links "
                                         "bounds");
    if (kind == KIND_OVERLAY)
        return proof_file_has_keys(root, "certificate collective topology unit nodes ranks ?demands links "
                                         "routes bounds");
    return proof_file_has_keys(root, "certificate collective topology unit nodes ?ranks ?demands links "
                                     "bounds") &&
           !json_object_get(root, "ranks") == !!json_object_get(root, "demands");
}

/* Reads links and their data. Returns their error, or NULL. */
static const char *proof_file_read_network(struct proof_file *file, enum kind kind)
{
    const json_t *links = json_object_get(file->root, "links");
    const char *problem = read_amounts(file, kind);
    if (kind != KIND_OVERLAY && !proof_file_read_links(links, file))
        return "'links' are not [from, to, cables, bandwidth] of different nodes in ascending order";
    if (problem || kind != KIND_OVERLAY)
        return problem;
    if (!read_single_links(links, file))
        return "'links' are not [from, to, bandwidth] of different nodes in ascending order";
    file->is_routed = true;
    if (!proof_file_read_routes(json_object_get(file->root, "routes"), file))
        return "'routes' are not [from, to, link, ...] of different nodes with ranks in ascending order, no "
               "link twice and each in some route";
    return NULL;
}

/* Reads everything. Returns its error, or NULL. */
static const char *proof_file_read_all(struct proof_file *file)
{
    const json_t *root = file->root;
    const char *version = json_string_value(json_object_get(root, "certificate"));
    enum kind kind = 0;
    file->collective = json_string_value(json_object_get(root, "collective"));
    file->topology = json_string_value(json_object_get(root, "topology"));
    file->unit = json_string_value(json_object_get(root, "unit"));
    file->bounds = json_object_get(root, "bounds");
    while (version && kind < N_KINDS && strcmp(version, kind_name[kind]) != 0)
        kind++;
    if (!version || kind == N_KINDS)
        return "it is no certificate of the kinds collc-flow-1, collc-cut-1 and collc-overlay-1";
    if (!has_members(root, kind))
        return "it does not have the members of a certificate, and no others";
    if (!file->collective || !file->topology || !file->unit)
        return "its collective, topology or unit is no word";
    if (!read_nodes(json_object_get(root, "nodes"), file))
        return "'nodes' are not 1 to 2^24 names";
    return proof_file_read_network(file, kind);
}

bool proof_file_read(const char *text, size_t length, struct proof_file *file,
                      struct text *why)
{
    json_error_t error;
    *file = (struct proof_file){.root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error)};
    if (!file->root) {
        text_printf(why, "line %d is no JSON: ", error.line);
        text_append_safe(why, error.text);
        return false;
    }
    const char *problem = json_is_object(file->root) ? proof_file_read_all(file) : "it is no object";
    if (problem)
        text_printf(why, "%s", problem);
    return !problem;
}

void proof_file_free(struct proof_file *file)
{
    free(file->links);
    free(file->ranks);
    free(file->demands);
    free(file->blocks);
    free(file->routes);
    free(file->hops);
    json_decref(file->root);
}
