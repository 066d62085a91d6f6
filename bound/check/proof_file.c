/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads certificates by the letter. See proof_file.h.
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

/* Arrays of `width` numbers, the first two of them different nodes, in ascending order. */
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

static uint64_t number_at(const json_t *list, size_t i, size_t j)
{
    return (uint64_t)json_integer_value(json_array_get(json_array_get(list, i), j));
}

static bool read_links(const json_t *list, struct proof_file *file)
{
    if (!is_pair_list(list, 4, file->n_nodes, 0) || json_array_size(list) == 0 ||
        json_array_size(list) > UINT32_MAX)
        return false;
    file->n_links = (uint32_t)json_array_size(list);
    file->links = mem_alloc(file->n_links, sizeof *file->links);
    for (size_t i = 0; i < file->n_links; i++) {
        file->links[i] = (struct proof_link){
            (uint32_t)number_at(list, i, 0), (uint32_t)number_at(list, i, 1), number_at(list, i, 2),
            number_at(list, i, 3)};
        if (!file->links[i].cables != !file->links[i].bandwidth)
            return false;
    }
    return true;
}

static bool read_demands(const json_t *list, struct proof_file *file)
{
    if (!is_pair_list(list, 3, file->n_nodes, 1))
        return false;
    file->n_demands = json_array_size(list);
    file->demands = mem_alloc(file->n_demands, sizeof *file->demands);
    for (size_t i = 0; i < file->n_demands; i++)
        file->demands[i] = (struct proof_demand){
            (uint32_t)number_at(list, i, 0), (uint32_t)number_at(list, i, 1), number_at(list, i, 2)};
    return true;
}

/* A number for each node, on the heap; NULL: they are none. */
static uint64_t *read_numbers(const json_t *list, const struct proof_file *file)
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

/* Of a flow ranks or demands, of a cut ranks and blocks. What is wrong with them, or NULL. */
static const char *read_amounts(struct proof_file *file, bool is_cut)
{
    const json_t *root = file->root;
    const json_t *ranks = json_object_get(root, "ranks"), *demands = json_object_get(root, "demands");
    if (ranks && !(file->ranks = read_numbers(ranks, file)))
        return "'ranks' are not a number for each node";
    if (is_cut && !(file->blocks = read_numbers(json_object_get(root, "blocks"), file)))
        return "'blocks' are not a number for each node";
    if (demands && !read_demands(demands, file))
        return "'demands' are not [from, to, amount] of different nodes in ascending order";
    return NULL;
}

static bool has_members(const json_t *root, bool is_cut)
{
    if (is_cut)
        return proof_file_has_keys(root, "certificate collective topology unit nodes ranks blocks links "
                                         "bounds");
    return proof_file_has_keys(root, "certificate collective topology unit nodes ?ranks ?demands links "
                                     "bounds") &&
           !json_object_get(root, "ranks") == !!json_object_get(root, "demands");
}

/* What is wrong with it, or NULL. */
static const char *read_all(struct proof_file *file)
{
    const json_t *root = file->root;
    const char *version = json_string_value(json_object_get(root, "certificate"));
    file->collective = json_string_value(json_object_get(root, "collective"));
    file->topology = json_string_value(json_object_get(root, "topology"));
    file->unit = json_string_value(json_object_get(root, "unit"));
    file->bounds = json_object_get(root, "bounds");
    const bool is_cut = version && strcmp(version, "collc-cut-1") == 0;
    if (!version || (!is_cut && strcmp(version, "collc-flow-1") != 0))
        return "it is no certificate of the kinds collc-flow-1 and collc-cut-1";
    if (!has_members(root, is_cut))
        return "it does not have the members of a certificate, and no others";
    if (!file->collective || !file->topology || !file->unit)
        return "its collective, topology or unit is no word";
    if (!read_nodes(json_object_get(root, "nodes"), file))
        return "'nodes' are not 1 to 2^24 names";
    if (!read_links(json_object_get(root, "links"), file))
        return "'links' are not [from, to, cables, bandwidth] of different nodes in ascending order";
    return read_amounts(file, is_cut);
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
    const char *problem = json_is_object(file->root) ? read_all(file)
                                                             : "it is no object";
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
    json_decref(file->root);
}
