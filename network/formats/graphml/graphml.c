/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads GraphML, which NetworkX, igraph, Gephi and others write:
 *
 *   <key id="d0" for="node" attr.name="type" attr.type="string"/>
 *   <graph edgedefault="undirected">
 *     <node id="n1"><data key="d0">host</data></node>
 *     <edge source="n1" target="s0"/>
 *
 * Attributes mean the same as in DOT: `type` of a node, `bandwidth` and `latency` of an edge, and the
 * `LinkSpeedRaw` of the Topology Zoo, in bits per second. Without types a node with one neighbour is a
 * machine. In a directed graph the k-th edge from a to b and the k-th from b to a are one cable.
 */
#include "base/codes.h"
#include "base/text/xml.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include <stdlib.h>

enum { MAX_KEYS = 1024, MAX_NAME = 255 };

enum meaning { MEANS_NOTHING, MEANS_TYPE, MEANS_BANDWIDTH, MEANS_LATENCY, MEANS_BITS };

struct key {
    const char *id;
    bool is_of_edges, is_of_nodes;
    enum meaning meaning;
    const char *otherwise; /* its default, or NULL */
};

enum type { TYPE_UNKNOWN, TYPE_MACHINE, TYPE_ROUTER };

struct node {
    const xmlNode *element;
    const char *name;
    enum type type;
    uint32_t neighbour; /* the first; GRAPH_NONE: none */
    bool is_fork;       /* has more than one */
    uint32_t number;    /* in the graph */
};

struct edge {
    const xmlNode *element;
    uint32_t low, high; /* nodes */
    bool is_directed, is_back;
    uint64_t bandwidth, latency;
    uint32_t order;
};

struct reader {
    struct xml_reader xml;
    struct key *keys;
    struct node *nodes;
    struct edge *edges;
    uint32_t n_keys, n_nodes, n_edges;
    size_t keys_capacity, nodes_capacity, edges_capacity;
    struct hash_map by_name; /* nodes by name */
    bool has_odd_type;       /* said already */
};

static struct diagnostic *graphml_refuse(struct reader *reader, const xmlNode *element, const char *subject,
                                         const char *message)
{
    return xml_report(&reader->xml, CODE_T004, xml_element_slice(&reader->xml, element), subject, message);
}

/* ---- attributes ---- */

static enum meaning meaning_of(const char *name)
{
    static const struct {
        const char *name;
        enum meaning meaning;
    } names[] = {{"type", MEANS_TYPE},       {"bandwidth", MEANS_BANDWIDTH},
                 {"latency", MEANS_LATENCY}, {"LinkSpeedRaw", MEANS_BITS}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].meaning;
    return MEANS_NOTHING;
}

/* Returns the text of an element that has nothing else. */
static const char *graphml_text_of(const xmlNode *element)
{
    const xmlNode *child = element ? element->children : NULL;
    const bool is_text = child && (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE);
    return is_text && child->content ? (const char *)child->content : "";
}

static void graphml_read_key(struct reader *reader, const xmlNode *element)
{
    const char *id = xml_need_attribute(&reader->xml, element, "id");
    const char *name = xml_find_attribute(element, "attr.name"), *of = xml_find_attribute(element, "for");
    struct key key = {.id = id, .meaning = meaning_of(name ? name : id ? id : "")};
    const bool is_of_all = !of || strcmp(of, "all") == 0;
    if (!id || key.meaning == MEANS_NOTHING)
        return;
    key.is_of_edges = is_of_all || strcmp(of, "edge") == 0;
    key.is_of_nodes = is_of_all || strcmp(of, "node") == 0;
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "default"))
            key.otherwise = graphml_text_of(child);
    if (reader->n_keys == MAX_KEYS) {
        graphml_refuse(reader, element, id, "more than 1024 keys");
        return;
    }
    reader->keys =
        mem_grow(reader->keys, &reader->keys_capacity, (size_t)reader->n_keys + 1, sizeof *reader->keys);
    reader->keys[reader->n_keys++] = key;
}

/* Returns the text of the <data> of an element under a key, *at, or the default; NULL if neither exists. */
static const char *find_value(const struct reader *reader, const xmlNode *element, enum meaning meaning,
                              bool of_edge, const xmlNode **at)
{
    const char *otherwise = NULL;
    *at = element;
    for (uint32_t i = 0; i < reader->n_keys; i++) {
        const struct key *key = &reader->keys[i];
        if (key->meaning != meaning || !(of_edge ? key->is_of_edges : key->is_of_nodes))
            continue;
        for (const xmlNode *data = element->children; data; data = data->next) {
            const char *of = xml_is(data, "data") ? xml_find_attribute(data, "key") : NULL;
            if (of && strcmp(of, key->id) == 0) {
                *at = data;
                return graphml_text_of(data);
            }
        }
        otherwise = key->otherwise ? key->otherwise : otherwise;
    }
    return otherwise;
}

static struct slice graphml_trimmed(const char *text)
{
    return slice_trim(slice_of(text));
}

static void refuse_value(struct reader *reader, const xmlNode *at, struct slice value, const char *help)
{
    char shown[80];
    snprintf(shown, sizeof shown, "%.*s", value.length < 79 ? (int)value.length : 79, value.text);
    xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, at), shown, "not understood")->help =
        help;
}

/* Parses bits per second, "1000000000.0". */
static enum value_result parse_bits(struct slice slice, uint64_t *value)
{
    char text[64];
    char *end;
    if (!slice.length || slice.length >= sizeof text)
        return VALUE_SYNTAX;
    memcpy(text, slice.text, slice.length);
    text[slice.length] = '\0';
    const double bits = strtod(text, &end);
    if (*end || !(bits >= 8 && bits <= 8e15))
        return VALUE_RANGE;
    *value = (uint64_t)(bits / 8 + 0.5);
    return VALUE_OK;
}

static void read_costs(struct reader *reader, struct edge *edge)
{
    const struct {
        enum meaning meaning;
        enum value_result (*parse)(struct slice, uint64_t *);
        uint64_t *value;
        const char *help;
    } all[] = {{MEANS_BITS, parse_bits, &edge->bandwidth, "write bits per second, 1e9"},
               {MEANS_BANDWIDTH, parse_bandwidth, &edge->bandwidth, BANDWIDTH_HELP},
               {MEANS_LATENCY, parse_latency, &edge->latency, LATENCY_HELP}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const xmlNode *at;
        const char *text = find_value(reader, edge->element, all[i].meaning, true, &at);
        if (text && all[i].parse(graphml_trimmed(text), all[i].value) != VALUE_OK)
            refuse_value(reader, at, graphml_trimmed(text), all[i].help);
    }
}

static enum type read_type(struct reader *reader, const xmlNode *element)
{
    const xmlNode *at;
    const char *text = find_value(reader, element, MEANS_TYPE, false, &at);
    const struct slice value = graphml_trimmed(text ? text : "");
    if (slice_is(value, "host") || slice_is(value, "machine"))
        return TYPE_MACHINE;
    if (slice_is(value, "switch") || slice_is(value, "router"))
        return TYPE_ROUTER;
    if (text && !reader->has_odd_type) /* a type of other programs */
        report(reader->xml.diagnostics, CODE_T008,
               slice_position(reader->xml.source, xml_element_slice(&reader->xml, at)),
               "'%.*s' is no type of nodes that is known: by their neighbours it is told what they are",
               value.length < 80 ? (int)value.length : 80, value.text)
            ->help = "a node is a host (or machine), or a switch (or router)";
    reader->has_odd_type |= text != NULL;
    return TYPE_UNKNOWN;
}

/* ---- nodes and edges ---- */

static uint32_t graphml_hash_of_node(const void *items, uint32_t item)
{
    const char *name = ((const struct node *)items)[item].name;
    return map_hash_text(0, name, strlen(name));
}

static bool graphml_is_node(const void *items, uint32_t item, const void *key)
{
    return strcmp(((const struct node *)items)[item].name, key) == 0;
}

static uint32_t *graphml_slot_of(struct reader *reader, const char *name)
{
    map_reserve(&reader->by_name, graphml_hash_of_node, reader->nodes);
    return map_slot(&reader->by_name, map_hash_text(0, name, strlen(name)), graphml_is_node, reader->nodes,
                    name);
}

static void graphml_read_node(struct reader *reader, const xmlNode *element)
{
    const char *name = xml_need_attribute(&reader->xml, element, "id");
    if (!name)
        return;
    if (!*name || strlen(name) > MAX_NAME) {
        graphml_refuse(reader, element, name, "a name has 1 to 255 bytes");
        return;
    }
    uint32_t *slot = graphml_slot_of(reader, name);
    if (*slot != MAP_NONE) {
        graphml_refuse(reader, element, name, "a second node of that id");
        return;
    }
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "graph"))
            graphml_refuse(reader, child, name, "a graph within a node cannot be read");
    reader->nodes =
        mem_grow(reader->nodes, &reader->nodes_capacity, (size_t)reader->n_nodes + 1, sizeof *reader->nodes);
    reader->nodes[reader->n_nodes++] = (struct node){
        .element = element, .name = name, .type = read_type(reader, element), .neighbour = GRAPH_NONE};
    map_fill(&reader->by_name, slot);
}

static uint32_t find_end(struct reader *reader, const xmlNode *element, const char *attribute)
{
    const char *name = xml_need_attribute(&reader->xml, element, attribute);
    const uint32_t node = name ? *graphml_slot_of(reader, name) : MAP_NONE;
    if (name && node == MAP_NONE)
        xml_report(&reader->xml, CODE_T004, xml_attribute_slice(&reader->xml, element, attribute, true), name,
                   "no node has this id");
    return node;
}

static void graphml_meet(struct node *node, uint32_t other)
{
    node->is_fork |= node->neighbour != GRAPH_NONE && node->neighbour != other;
    node->neighbour = other;
}

static void read_edge(struct reader *reader, const xmlNode *element, bool is_directed)
{
    const char *own = xml_find_attribute(element, "directed");
    const uint32_t source = find_end(reader, element, "source"), target = find_end(reader, element, "target");
    if (source == MAP_NONE || target == MAP_NONE)
        return;
    if (source == target) {
        graphml_refuse(reader, element, reader->nodes[source].name, "joined to itself");
        return;
    }
    struct edge edge = {.element = element,
                        .low = source < target ? source : target,
                        .high = source < target ? target : source,
                        .is_directed = own ? strcmp(own, "true") == 0 : is_directed,
                        .is_back = source > target,
                        .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                        .latency = TOPOLOGY_DEFAULT_LATENCY,
                        .order = reader->n_edges};
    read_costs(reader, &edge);
    graphml_meet(&reader->nodes[source], target);
    graphml_meet(&reader->nodes[target], source);
    reader->edges =
        mem_grow(reader->edges, &reader->edges_capacity, (size_t)reader->n_edges + 1, sizeof *reader->edges);
    reader->edges[reader->n_edges++] = edge;
}

/* Reads the elements of a graph; nodes before edges, wherever they stand, because edges name nodes. */
static void graphml_read_graph(struct reader *reader, const xmlNode *graph)
{
    const char *way = xml_find_attribute(graph, "edgedefault");
    const bool is_directed = way && strcmp(way, "directed") == 0;
    for (const xmlNode *child = graph->children; child; child = child->next)
        if (xml_is(child, "node"))
            graphml_read_node(reader, child);
    for (const xmlNode *child = graph->children; child; child = child->next) {
        if (xml_is(child, "edge"))
            read_edge(reader, child, is_directed);
        if (xml_is(child, "hyperedge"))
            graphml_refuse(reader, child, "hyperedge", "a cable has two ends");
    }
}

/* ---- the network ---- */

/* Orders by the ends, undirected edges before those ahead and those back, each in the order of the file. */
static int graphml_compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->is_directed != y->is_directed)
        return x->is_directed ? 1 : -1;
    if (x->is_directed && x->is_back != y->is_back)
        return x->is_back ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_same_pair(const struct edge *a, const struct edge *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Leaves one of the two that are a cable. Returns what is behind the edges of the pair. */
static uint32_t pair_edges(struct reader *reader, uint32_t first, struct edge *cables, uint32_t *n)
{
    struct edge *edges = reader->edges;
    uint32_t end = first, ahead = first, back;
    while (end < reader->n_edges && is_same_pair(&edges[end], &edges[first]))
        end++;
    while (ahead < end && !edges[ahead].is_directed)
        cables[(*n)++] = edges[ahead++];
    for (back = ahead; back < end && !edges[back].is_back;)
        back++;
    const uint32_t n_ahead = back - ahead, n_back = end - back;
    for (uint32_t i = 0; i < n_ahead && i < n_back; i++) {
        const struct edge *there = &edges[ahead + i], *here = &edges[back + i];
        if (there->bandwidth != here->bandwidth || there->latency != here->latency)
            graphml_refuse(reader, here->element, reader->nodes[here->high].name,
                           "the way back has another bandwidth or latency");
        cables[(*n)++] = *there;
    }
    if (n_ahead != n_back) {
        const struct edge *alone = n_ahead > n_back ? &edges[ahead + n_back] : &edges[back + n_ahead];
        graphml_refuse(reader, alone->element, reader->nodes[alone->is_back ? alone->high : alone->low].name,
                       "no edge leads back: a cable leads both ways")
            ->help = "write edgedefault=\"undirected\", with which each edge is a cable, or an edge each way";
    }
    return end;
}

static int compare_orders(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Pairs edges into cables, in the order of the file. */
static void join_edges(struct reader *reader)
{
    struct edge *cables = mem_alloc((size_t)reader->n_edges + 1, sizeof *cables);
    uint32_t n = 0;
    if (reader->n_edges)
        qsort(reader->edges, reader->n_edges, sizeof *reader->edges, graphml_compare_edges);
    for (uint32_t first = 0; first < reader->n_edges;)
        first = pair_edges(reader, first, cables, &n);
    if (n)
        qsort(cables, n, sizeof *cables, compare_orders);
    free(reader->edges);
    reader->edges = cables;
    reader->n_edges = n;
}

static struct graph *graphml_make_graph(struct reader *reader)
{
    struct graph *graph = graph_new();
    for (int are_routers = 0; are_routers < 2; are_routers++)
        for (uint32_t i = 0; i < reader->n_nodes; i++) {
            struct node *node = &reader->nodes[i];
            const bool is_router = node->type ? node->type == TYPE_ROUTER : node->is_fork;
            if (is_router == are_routers)
                node->number = graph_add_node(graph, is_router, node->name, strlen(node->name));
        }
    for (uint32_t i = 0; i < reader->n_edges; i++)
        graph_add_cable(graph, reader->nodes[reader->edges[i].low].number,
                        reader->nodes[reader->edges[i].high].number, reader->edges[i].bandwidth,
                        reader->edges[i].latency);
    return graph;
}

static struct topology *graphml_read_document(struct reader *reader, const xmlNode *root)
{
    const struct source *source = reader->xml.source;
    const xmlNode *graph = NULL;
    for (const xmlNode *child = root->children; child; child = child->next)
        if (xml_is(child, "key"))
            graphml_read_key(reader, child);
    for (const xmlNode *child = root->children; child; child = child->next) {
        if (xml_is(child, "graph") && graph)
            graphml_refuse(reader, child, "graph", "a second graph: one file for each network");
        else if (xml_is(child, "graph"))
            graphml_read_graph(reader, graph = child);
    }
    join_edges(reader);
    if (reader->xml.failed)
        return NULL;
    const struct topology_settings settings = {.name = source->path, .latency = TOPOLOGY_DEFAULT_LATENCY};
    return graph_topology(&settings, graphml_make_graph(reader), (struct position){source, 0, 0, 1},
                          reader->xml.diagnostics);
}

static struct topology *read_graphml(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {
        .xml = {.source = source, .diagnostics = diagnostics, .allows_document_type = true}};
    xmlDoc *document = xml_parse(&reader.xml);
    if (!document)
        return NULL;
    struct topology *topology = graphml_read_document(&reader, libxml2()->xmlDocGetRootElement(document));
    free(reader.keys);
    free(reader.nodes);
    free(reader.edges);
    map_free(&reader.by_name);
    libxml2()->xmlFreeDoc(document);
    return topology;
}

static bool is_graphml(const struct source *source)
{
    return xml_root_is(source, "graphml");
}

const struct topology_format graphml_format = {.is = is_graphml, .read = read_graphml};
