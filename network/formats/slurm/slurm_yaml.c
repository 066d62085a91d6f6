/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads topology.yaml: a list of topologies, each with a name and exactly one of
 * tree, block, flat, ring and torus3d.
 *
 *   - topology: cluster
 *     cluster_default: true
 *     tree:
 *       switches:
 *         - switch: root
 *           children: leaf[0-1]
 *         - switch: leaf0
 *           nodes: node[00-15]
 */
#include "network/formats/slurm/slurm.h"
#include "base/codes.h"
#include "base/text/yaml_tree.h"

#include <string.h>
#include <strings.h>

enum { MAX_KEYS = 8 };

static bool slurm_yaml_refuse(struct slurm_network *network, const struct yaml_node *node,
                              const char *message, const char *subject)
{
    struct position position = yaml_position(network->source, node);
    network->failed = true;
    report(network->diagnostics, CODE_T016, position, *subject ? "'%s': %s" : "%s%s", subject,
           message)
        ->help = "see topology.yaml(5) of Slurm, and docs/formats.md for what is read of it";
    return false;
}

static const struct yaml_node *slurm_yaml_key_of(const struct yaml_node *node)
{
    return node->key ? node->key : node;
}

/* Reports keys that are not among `known`, which ends in NULL. */
static bool check_keys(struct slurm_network *network, const struct yaml_node *mapping,
                       const char *const *known)
{
    if (mapping->kind != YAML_MAPPING)
        return slurm_yaml_refuse(network, mapping, "expected keys and values here", "");
    for (const struct yaml_node *value = mapping->first; value; value = value->next) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], value->key->text.text) != 0)
            i++;
        if (!known[i])
            return slurm_yaml_refuse(network, value->key, "unknown key", value->key->text.text);
    }
    return true;
}

static const struct yaml_node *slurm_yaml_need(struct slurm_network *network, const struct yaml_node *mapping,
                                               const char *key)
{
    const struct yaml_node *value = yaml_find(mapping, key);
    if (!value)
        slurm_yaml_refuse(network, slurm_yaml_key_of(mapping), "this key is missing", key);
    return value;
}

static const struct yaml_node *need_list(struct slurm_network *network,
                                         const struct yaml_node *mapping, const char *key)
{
    const struct yaml_node *list = slurm_yaml_need(network, mapping, key);
    if (!list || (list->kind == YAML_SEQUENCE && list->first))
        return list;
    slurm_yaml_refuse(network, list, "expected a list", key);
    return NULL;
}

/* Takes the words under a key; length 0 if the key is missing. */
static bool slurm_yaml_take_value(struct slurm_network *network, const struct yaml_node *mapping,
                                  const char *key, struct slurm_value *value)
{
    const struct yaml_node *node = yaml_find(mapping, key);
    if (!node)
        return true;
    if (node->kind != YAML_SCALAR || !node->text.length)
        return slurm_yaml_refuse(network, node, "expected a word", key);
    value->text = (struct slice){
        arena_strndup(&network->arena, node->text.text, node->text.length), node->text.length};
    value->at = node->at;
    return true;
}

static bool slurm_yaml_need_value(struct slurm_network *network, const struct yaml_node *mapping,
                                  const char *key, struct slurm_value *value)
{
    return slurm_yaml_need(network, mapping, key) && slurm_yaml_take_value(network, mapping, key, value);
}

/* ---- switches, blocks, rings ---- */

static void slurm_yaml_read_sizes(struct slurm_network *network, const struct yaml_node *body)
{
    const struct yaml_node *list = yaml_find(body, "block_sizes");
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        const struct slice text = item->kind == YAML_SCALAR ? item->text : (struct slice){"", 0};
        slurm_add_size(network, (struct slurm_value){{arena_strndup(&network->arena, text.text, text.length),
                                                      text.length}, item->at, NULL});
    }
}

/* The list of groups under `list_key`, each with its name under `name_key`. */
static const struct group_form {
    const char *list_key;
    const char *name_key;
    const char *known[MAX_KEYS];
} group_forms[] = {
    [SLURM_TREE] = {"switches", "switch", {"switch", "children", "nodes"}},
    [SLURM_BLOCK] = {"blocks", "block", {"block", "nodes"}},
    [SLURM_RING] = {"rings", "ring", {"ring", "nodes"}},
};

static bool read_groups(struct slurm_network *network, const struct yaml_node *body)
{
    const struct group_form *form = &group_forms[network->kind];
    const char *const known[] = {
        form->list_key, network->kind == SLURM_BLOCK ? "block_sizes" : NULL, NULL};
    const struct yaml_node *list =
        check_keys(network, body, known) ? need_list(network, body, form->list_key) : NULL;
    slurm_yaml_read_sizes(network, body);
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        struct slurm_group group = {0};
        if (!check_keys(network, item, form->known) ||
            !slurm_yaml_need_value(network, item, form->name_key, &group.name) ||
            !slurm_yaml_take_value(network, item, "nodes", &group.nodes) ||
            !slurm_yaml_take_value(network, item, "children", &group.children))
            return false;
        *slurm_add_group(network, group.name) = group;
    }
    return list != NULL;
}

/* ---- tori ---- */

/* Reads { x: 4, y: 4, z: 2 }. */
static bool need_triple(struct slurm_network *network, const struct yaml_node *mapping,
                        const char *key, uint32_t least, uint32_t *triple)
{
    static const char *const axes[] = {"x", "y", "z", NULL};
    const struct yaml_node *value = slurm_yaml_need(network, mapping, key);
    if (!value || !check_keys(network, value, axes))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        const struct yaml_node *number = slurm_yaml_need(network, value, axes[i]);
        if (!number)
            return false;
        if (number->kind != YAML_SCALAR || parse_count(number->text, &triple[i]) != VALUE_OK ||
            triple[i] < least || triple[i] > UINT16_MAX)
            return slurm_yaml_refuse(
                network, number,
                least ? "expected a number from 1 to 65535" : "expected a number from 0 to 65535", axes[i]);
    }
    return true;
}

static struct slurm_region *slurm_yaml_add_region(struct slurm_network *network, struct slurm_torus *torus)
{
    network->regions = mem_grow(network->regions, &network->regions_capacity,
                                network->n_regions + 1, sizeof *network->regions);
    torus->n_regions++;
    network->regions[network->n_regions] = (struct slurm_region){0};
    return &network->regions[network->n_regions++];
}

static bool read_regions(struct slurm_network *network, const struct yaml_node *mapping,
                         struct slurm_torus *torus)
{
    static const char *const known[] = {"anchor", "dims", "nodes", NULL};
    const struct yaml_node *list = need_list(network, mapping, "regions");
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        struct slurm_region *region = slurm_yaml_add_region(network, torus);
        if (!check_keys(network, item, known) || !need_triple(network, item, "anchor", 0, region->anchor) ||
            !need_triple(network, item, "dims", 1, region->extent) ||
            !slurm_yaml_need_value(network, item, "nodes", &region->nodes))
            return false;
    }
    return list != NULL;
}

/* Reads all nodes in order as one region. */
static bool read_all_nodes(struct slurm_network *network, const struct yaml_node *mapping,
                           struct slurm_torus *torus)
{
    if (yaml_find(mapping, "regions"))
        return slurm_yaml_refuse(network, slurm_yaml_key_of(yaml_find(mapping, "regions")),
                                 "either nodes or regions are given", "regions");
    struct slurm_region *region = slurm_yaml_add_region(network, torus);
    memcpy(region->extent, torus->extent, sizeof region->extent);
    return slurm_yaml_need_value(network, mapping, "nodes", &region->nodes);
}

static bool read_torus(struct slurm_network *network, const struct yaml_node *item)
{
    static const char *const known[] = {"name", "dims", "nodes", "regions", "placements", NULL};
    struct slurm_torus torus = {.first_region = network->n_regions};
    if (!check_keys(network, item, known) || !slurm_yaml_need_value(network, item, "name", &torus.name) ||
        !need_triple(network, item, "dims", 1, torus.extent))
        return false;
    bool has_nodes = yaml_find(item, "nodes") || !yaml_find(item, "regions");
    if (!(has_nodes ? read_all_nodes(network, item, &torus) : read_regions(network, item, &torus)))
        return false;
    network->toruses = mem_grow(network->toruses, &network->toruses_capacity,
                                network->n_toruses + 1, sizeof *network->toruses);
    network->toruses[network->n_toruses++] = torus;
    return true;
}

static bool read_toruses(struct slurm_network *network, const struct yaml_node *body)
{
    static const char *const known[] = {"toruses", NULL};
    const struct yaml_node *list =
        check_keys(network, body, known) ? need_list(network, body, "toruses") : NULL;
    for (const struct yaml_node *item = list ? list->first : NULL; item; item = item->next)
        if (!read_torus(network, item))
            return false;
    return list != NULL;
}

/* ---- topologies ---- */

static const char *const kind_keys[N_SLURM_KINDS + 1] = {
    [SLURM_TREE] = "tree",       [SLURM_BLOCK] = "block", [SLURM_RING] = "ring",
    [SLURM_TORUS] = "torus3d", [SLURM_FLAT] = "flat"};

/* Returns the only value under a key that names a kind. */
static const struct yaml_node *find_kind(struct slurm_network *network,
                                         const struct yaml_node *topology)
{
    const struct yaml_node *body = NULL;
    for (size_t kind = 0; kind < N_SLURM_KINDS; kind++) {
        const struct yaml_node *found = yaml_find(topology, kind_keys[kind]);
        if (found && body) {
            slurm_yaml_refuse(network, slurm_yaml_key_of(found), "a topology is of one kind",
                              kind_keys[kind]);
            return NULL;
        }
        if (found)
            network->kind = (enum slurm_kind)kind;
        body = found ? found : body;
    }
    if (!body)
        slurm_yaml_refuse(network, topology, "expected one of tree, block, ring, torus3d, flat", "");
    return body;
}

static bool slurm_yaml_read_topology(struct slurm_network *network, const struct yaml_node *topology)
{
    static const char *const known[] = {"topology", "cluster_default", "tree",    "block",
                                        "ring",     "flat",            "torus3d", NULL};
    const struct yaml_node *body =
        check_keys(network, topology, known) ? find_kind(network, topology) : NULL;
    if (!body || network->kind == SLURM_FLAT)
        return body != NULL;
    return network->kind == SLURM_TORUS ? read_toruses(network, body) : read_groups(network, body);
}

static bool is_true(const struct yaml_node *node)
{
    static const char *const words[] = {"true", "yes", "on", "1", NULL};
    for (size_t i = 0; node && node->kind == YAML_SCALAR && words[i]; i++)
        if (strcasecmp(node->text.text, words[i]) == 0)
            return true;
    return false;
}

static const char *slurm_yaml_name_of(const struct yaml_node *topology)
{
    const struct yaml_node *name = yaml_find(topology, "topology");
    return name && name->kind == YAML_SCALAR ? name->text.text : "";
}

/* Returns the word that names the kind of a topology. */
static const char *slurm_yaml_kind_of(const struct yaml_node *topology)
{
    size_t kind = 0;
    while (kind < N_SLURM_KINDS && !yaml_find(topology, kind_keys[kind]))
        kind++;
    return kind < N_SLURM_KINDS ? kind_keys[kind] : "of no kind";
}

/* Appends "'topo2' (block), 'topo3' (flat)": all topologies but one. */
static void print_topologies(const struct yaml_node *list, const struct yaml_node *but, struct text *out)
{
    for (const struct yaml_node *item = list->first; item; item = item->next) {
        if (item == but || item->kind != YAML_MAPPING)
            continue;
        text_printf(out, "%s'", out->length ? ", " : "");
        text_append_safe(out, slurm_yaml_name_of(item));
        text_printf(out, "' (%s)", slurm_yaml_kind_of(item));
    }
}

/* Returns the topology that the user named; NULL after reporting that there is none. */
static const struct yaml_node *find_topology(struct slurm_network *network, const struct yaml_node *list)
{
    const char *name = network->source->part;
    for (const struct yaml_node *item = list->first; item; item = item->next)
        if (item->kind == YAML_MAPPING && strcmp(slurm_yaml_name_of(item), name) == 0)
            return item;
    struct text others = {0};
    print_topologies(list, NULL, &others);
    network->failed = true;
    report(network->diagnostics, CODE_T024, yaml_position(network->source, list), "no topology is named '%s'", name)
        ->help = diagnostics_text(network->diagnostics, "there are %s", others.data ? others.data : "none");
    text_free(&others);
    return NULL;
}

/* Warns of sizes of topologies that are left out: Slurm stops at them. */
static void check_other_sizes(struct slurm_network *network, const struct yaml_node *list,
                              const struct yaml_node *chosen)
{
    for (const struct yaml_node *item = list->first; item; item = item->next) {
        const struct yaml_node *body = item->kind == YAML_MAPPING ? yaml_find(item, "block") : NULL;
        if (item == chosen || !body || body->kind != YAML_MAPPING)
            continue;
        slurm_yaml_read_sizes(network, body);
        slurm_check_sizes(network, CODE_T008);
        network->n_sizes = 0;
    }
}

/* Chooses the topology that is named, the default of the cluster, or else the first; lists those left out.
 * NULL after reporting. */
static const struct yaml_node *slurm_yaml_choose(struct slurm_network *network, const struct yaml_node *list)
{
    const struct yaml_node *chosen = network->source->part ? find_topology(network, list) : NULL;
    if (network->source->part)
        return chosen;
    for (const struct yaml_node *item = list->first; item && !chosen; item = item->next)
        if (item->kind == YAML_MAPPING && is_true(yaml_find(item, "cluster_default")))
            chosen = item;
    chosen = chosen ? chosen : list->first;
    struct text others = {0};
    print_topologies(list, chosen, &others);
    if (others.length && chosen->kind == YAML_MAPPING)
        report(network->diagnostics, CODE_T008, yaml_position(network->source, chosen),
               "of several topologies '%s' is taken; left out: %s", slurm_yaml_name_of(chosen), others.data)
            ->help = "the one with 'cluster_default: true' is taken, else the first; FILE:NAME takes another";
    text_free(&others);
    return chosen;
}

bool slurm_read_yaml(struct slurm_network *network)
{
    const struct yaml_node *list =
        yaml_read(network->source, CODE_T016, &network->arena, network->diagnostics);
    if (!list)
        return false;
    if (list->kind != YAML_SEQUENCE || !list->first)
        return slurm_yaml_refuse(network, list, "expected a list of topologies, '- topology: NAME'", "");
    const struct yaml_node *chosen = slurm_yaml_choose(network, list);
    if (!chosen)
        return false;
    check_other_sizes(network, list, chosen);
    if (chosen->kind != YAML_MAPPING || !slurm_yaml_need(network, chosen, "topology"))
        return !network->failed && slurm_yaml_refuse(network, chosen, "expected keys and values here", "");
    return slurm_yaml_read_topology(network, chosen);
}
