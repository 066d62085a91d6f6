/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the places of instances in the network of a cloud, as clouds publish them: for each instance the
 * nodes of the network above it, the outermost first.
 *
 *   AWS   aws ec2 describe-instance-topology
 *         {"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["nn-1", "nn-2", "nn-4"], ...}]}
 *   GCP   gcloud compute instances list --format json, or the same of the REST interface, in {"items": []}
 *         [{"name": "vm-1", "resourceStatus": {"physicalHostTopology":
 *           {"cluster": "c", "block": "b", "subblock": "s", "host": "h"}}, ...}]
 *   OCI   bare metal hosts of a compute capacity topology, or compute hosts, of the REST interface or the oci
 *         tool, which spells compute-hpc-island-id
 *         {"items": [{"computeHpcIslandId": "i", "computeNetworkBlockId": "n", "computeLocalBlockId": "l",
 *           "instanceId": "o", ...}]}
 *
 * The result is a tree, without numbers of cables and without bandwidths. All instances reach each other,
 * so a node is assumed over several outermost nodes.
 */
#include "base/codes.h"
#include "base/text/json_tree.h"
#include "base/text/units.h"
#include "network/format.h"
#include "network/graph.h"
#include "network/graph_topology.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_LEVELS = 8, MAX_NAME = 255 };

struct reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct arena arena;
    struct graph *graph;
    const struct json_node **above; /* [node of the graph] the node above a router, or NULL */
    const struct json_node **told;  /* [node of the graph] first place in the file */
    size_t above_capacity, told_capacity;
    uint32_t n_left_out; /* instances without a place */
    bool has_failed, is_partial;
};

/* An instance: its name, and the nodes above it, the outermost first. */
struct instance {
    const struct json_node *name;
    const struct json_node *path[MAX_LEVELS];
    unsigned n;
};

static void cloud_refuse(struct reader *reader, uint32_t code, const struct json_node *at,
                         const char *message)
{
    reader->has_failed = true;
    report(reader->diagnostics, code, json_node_position(reader->source, at), "%s", message);
}

/* ---- the forms ---- */

/* Compares keys without case and separators: "computeHpcIslandId" is "compute-hpc-island-id". */
static bool is_key(const char *key, const char *wanted)
{
    for (;; key++, wanted++) {
        key += strspn(key, "-_");
        if ((*key >= 'A' && *key <= 'Z' ? *key - 'A' + 'a' : *key) != *wanted)
            return false;
        if (!*key)
            return true;
    }
}

static bool is_null(const struct json_node *node)
{
    return !node || (node->kind == JSON_WORD_NODE && strcmp(node->text, "null") == 0) ||
           (node->kind == JSON_STRING_NODE && !*node->text);
}

/* Returns the member with that name; NULL if there is none, or it is null. */
static const struct json_node *cloud_member(const struct json_node *object, const char *name)
{
    const struct json_node *found = NULL;
    if (object && object->kind == JSON_OBJECT_NODE)
        for (const struct json_node *node = object->first; node; node = node->next)
            if (is_key(node->key, name))
                found = node;
    return is_null(found) ? NULL : found;
}

static bool cloud_is_name(const struct json_node *node)
{
    return node->kind == JSON_STRING_NODE && strlen(node->text) <= MAX_NAME && node->text[0] != '%';
}

static bool cloud_add_level(struct reader *reader, struct instance *instance, const struct json_node *id)
{
    if (!id)
        return true;
    if (!cloud_is_name(id)) {
        cloud_refuse(reader, CODE_T020, id,
                     "a node of the network is a text of at most 255 bytes, not begun by '%'");
        return false;
    }
    if (instance->n == MAX_LEVELS) {
        cloud_refuse(reader, CODE_T020, id, "an instance has more than 8 nodes of the network above it");
        return false;
    }
    instance->path[instance->n++] = id;
    return true;
}

static bool read_aws(struct reader *reader, const struct json_node *object, struct instance *instance)
{
    const struct json_node *nodes = cloud_member(object, "networknodes");
    instance->name = cloud_member(object, "instanceid");
    if (nodes && nodes->kind != JSON_ARRAY_NODE) {
        cloud_refuse(reader, CODE_T020, nodes, "NetworkNodes is no array");
        return false;
    }
    for (const struct json_node *id = nodes ? nodes->first : NULL; id; id = id->next)
        if (!cloud_add_level(reader, instance, id))
            return false;
    return true;
}

/* Reads the members of an object, from the outermost node to the innermost. */
static bool read_levels(struct reader *reader, const struct json_node *object, const char *const *names,
                        struct instance *instance)
{
    for (; *names; names++)
        if (!cloud_add_level(reader, instance, cloud_member(object, *names)))
            return false;
    return true;
}

static bool read_gcp(struct reader *reader, const struct json_node *object, struct instance *instance)
{
    static const char *const levels[] = {"cluster", "block", "subblock", NULL};
    instance->name = cloud_member(object, "name");
    const struct json_node *place =
        cloud_member(cloud_member(object, "resourcestatus"), "physicalhosttopology");
    return read_levels(reader, place, levels, instance);
}

static bool read_oci(struct reader *reader, const struct json_node *object, struct instance *instance)
{
    static const char *const hosts[] = {"computehpcislandid", "computenetworkblockid", "computelocalblockid",
                                        NULL};
    static const char *const levels[] = {"hpcislandid", "networkblockid", "localblockid", NULL};
    instance->name = cloud_member(object, "instanceid");
    if (!instance->name)
        instance->name = cloud_member(object, "id");
    return read_levels(reader, object, hosts, instance) &&
           (instance->n || read_levels(reader, object, levels, instance));
}

static const struct form {
    const char *keys[2]; /* one of them is in the text, spelled in some way */
    bool (*read)(struct reader *reader, const struct json_node *object, struct instance *instance);
} forms[] = {{{"\"NetworkNodes\"", NULL}, read_aws},
             {{"\"physicalHostTopology\"", NULL}, read_gcp},
             {{"etworkBlockId\"", "network-block-id\""}, read_oci}};

static const struct form *find_form(const struct source *source)
{
    const char *text = source_start(source);
    for (size_t i = 0; (*text == '{' || *text == '[') && i < sizeof forms / sizeof *forms; i++)
        for (int k = 0; k < 2 && forms[i].keys[k]; k++)
            if (strstr(text, forms[i].keys[k]))
                return &forms[i];
    return NULL;
}

/* Returns the list of instances: the array itself, or the array in the wrapping of the tools. */
static const struct json_node *find_list(struct reader *reader, const struct json_node *root)
{
    static const char *const wraps[] = {"data", "items", "instances"};
    static const char *const tokens[] = {"nexttoken", "nextpagetoken", "opcnextpage"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        reader->is_partial |= cloud_member(root, tokens[i]) != NULL;
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++) {
        const struct json_node *inner = cloud_member(root, wraps[i]);
        if (inner && (inner->kind == JSON_ARRAY_NODE || inner->kind == JSON_OBJECT_NODE))
            root = inner;
    }
    if (root->kind == JSON_ARRAY_NODE)
        return root;
    cloud_refuse(reader, CODE_T020, root, "there is no list of instances");
    return NULL;
}

/* ---- the tree ---- */

static uint32_t cloud_add_node(struct reader *reader, bool is_router, const struct json_node *id)
{
    const uint32_t node = graph_add_node(reader->graph, is_router, id->text, strlen(id->text));
    if (node == GRAPH_NONE) {
        cloud_refuse(reader, CODE_T004, id,
                     diagnostics_text(reader->diagnostics, "'%s' is there twice", id->text));
        return node;
    }
    reader->told = mem_grow(reader->told, &reader->told_capacity, node + 1, sizeof *reader->told);
    reader->above = mem_grow(reader->above, &reader->above_capacity, node + 1, sizeof *reader->above);
    reader->told[node] = id;
    reader->above[node] = NULL;
    return node;
}

static void connect(struct reader *reader, uint32_t lower, uint32_t upper)
{
    graph_add_cable(reader->graph, lower, upper, TOPOLOGY_DEFAULT_BANDWIDTH, TOPOLOGY_DEFAULT_LATENCY);
}

/* True if a known node is below the same node as before; reports if not. */
static bool cloud_is_same_place(struct reader *reader, uint32_t node, const struct json_node *id,
                                const struct json_node *upper)
{
    const struct json_node *before = reader->above[node];
    const bool is_same = !before || !upper ? before == upper : strcmp(before->text, upper->text) == 0;
    if (is_same && reader->graph->nodes[node].is_router)
        return true;
    reader->has_failed = true;
    struct diagnostic *diagnostic =
        report(reader->diagnostics, CODE_T004, json_node_position(reader->source, id),
               "'%s' is in two places of the network", id->text);
    diagnostic->related = json_node_position(reader->source, reader->told[node]);
    diagnostic->related_text = "the other one is here";
    return false;
}

/* Adds the nodes above an instance, the outermost first. Returns the innermost, or GRAPH_NONE. */
static uint32_t add_path(struct reader *reader, const struct instance *instance)
{
    uint32_t upper = GRAPH_NONE;
    for (unsigned i = 0; i < instance->n; i++) {
        const struct json_node *id = instance->path[i], *over = i ? instance->path[i - 1] : NULL;
        uint32_t node = graph_find(reader->graph, id->text, strlen(id->text));
        if (node != GRAPH_NONE && !cloud_is_same_place(reader, node, id, over))
            return GRAPH_NONE;
        if (node == GRAPH_NONE) {
            node = cloud_add_node(reader, true, id);
            if (node == GRAPH_NONE)
                return GRAPH_NONE;
            reader->above[node] = over;
            if (upper != GRAPH_NONE)
                connect(reader, node, upper);
        }
        upper = node;
    }
    return upper;
}

static void add_instance(struct reader *reader, const struct form *form, const struct json_node *object)
{
    struct instance instance = {0};
    if (object->kind != JSON_OBJECT_NODE) {
        cloud_refuse(reader, CODE_T020, object, "an instance is an object");
        return;
    }
    if (!form->read(reader, object, &instance))
        return;
    if (!instance.name || !cloud_is_name(instance.name)) {
        cloud_refuse(reader, CODE_T020, instance.name ? instance.name : object,
                     "an instance has a name of at most 255 bytes, not begun by '%'");
        return;
    }
    if (!instance.n) {
        reader->n_left_out++;
        return;
    }
    const uint32_t leaf = add_path(reader, &instance);
    const uint32_t machine = leaf == GRAPH_NONE ? GRAPH_NONE : cloud_add_node(reader, false, instance.name);
    if (machine != GRAPH_NONE)
        connect(reader, machine, leaf);
}

/* Adds one more node, with a free name, over several outermost nodes. */
static bool add_root(struct reader *reader)
{
    const uint32_t n_nodes = reader->graph->n_nodes;
    uint32_t n_tops = 0;
    char name[16] = "network";
    size_t length = strlen(name);
    for (uint32_t node = 0; node < n_nodes; node++)
        n_tops += reader->graph->nodes[node].is_router && !reader->above[node];
    if (n_tops < 2)
        return false;
    while (length + 1 < sizeof name && graph_find(reader->graph, name, length) != GRAPH_NONE)
        name[length++] = '_';
    const uint32_t root = graph_add_node(reader->graph, true, name, length);
    if (root == GRAPH_NONE)
        return false; /* the reader of graphs reports unconnected nodes */
    for (uint32_t node = 0; node < n_nodes; node++)
        if (reader->graph->nodes[node].is_router && !reader->above[node])
            connect(reader, node, root);
    return true;
}

static void cloud_say_assumed(struct reader *reader, bool has_root)
{
    const struct position whole = {.source = reader->source};
    const char *path = reader->source->path;
    report(reader->diagnostics, CODE_T008, whole,
           "'%s' tells no cables and no bandwidths: one cable of 100 Gb/s from each instance and node to the "
           "node above it is assumed%s",
           path, has_root ? ", and a node over the outermost ones" : "")
        ->help = "write it as XML (collc topo FILE --to xml), give its links their cables and bandwidth, and "
                 "use that";
    if (reader->n_left_out)
        report(reader->diagnostics, CODE_T008, whole,
               "'%s': left out %u instance%s without a place in the network", path, reader->n_left_out,
               plural(reader->n_left_out))
            ->help = "clouds tell it of running instances of certain types";
    if (reader->is_partial)
        report(reader->diagnostics, CODE_T008, whole, "'%s' is one page of several", path)->help =
            "put the lists of all pages into one, as the clouds' own tools do";
}

/* ---- all of it ---- */

static bool is_cloud(const struct source *source)
{
    return find_form(source) != NULL;
}

static bool read_instances(struct reader *reader)
{
    struct json_fault fault = {0, NULL};
    const struct json_dialect dialect = {.has_mark = true, .max_depth = MAX_DEPTH};
    const struct form *form = find_form(reader->source);
    const struct json_node *root = json_tree(reader->source, &dialect, &reader->arena, &fault), *list;
    if (!root) {
        report(reader->diagnostics, CODE_T020, source_position(reader->source, fault.at, 1), "%s", fault.what);
        return false;
    }
    list = find_list(reader, root);
    if (!form && list)
        cloud_refuse(reader, CODE_T020, list,
                     "no instance has NetworkNodes, physicalHostTopology or a network block");
    for (const struct json_node *object = list && form ? list->first : NULL; object; object = object->next)
        add_instance(reader, form, object);
    if (!reader->has_failed && !reader->graph->n_machines)
        cloud_refuse(reader, CODE_T004, root, "no instance has a place in the network");
    return !reader->has_failed;
}

static struct topology *read_cloud(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {.source = source, .diagnostics = diagnostics, .graph = graph_new()};
    struct topology *topology = NULL;
    if (read_instances(&reader)) {
        const bool has_root = add_root(&reader);
        const struct topology_settings settings = {.name = source->path,
                                                   .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                                                   .latency = TOPOLOGY_DEFAULT_LATENCY};
        topology = graph_topology(&settings, reader.graph, source_position(source, 0, 1), diagnostics);
        reader.graph = NULL;
        if (topology) {
            topology->is_outline = true;
            cloud_say_assumed(&reader, has_root);
        }
    }
    graph_free(reader.graph);
    free(reader.above);
    free(reader.told);
    arena_free(&reader.arena);
    return topology;
}

const struct topology_format cloud_format = {.is = is_cloud, .read = read_cloud};
