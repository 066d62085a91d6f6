/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a topology of the elements of the native description. The schema has been applied already but may
 * have failed: everything is read anyway, so that one run shows every mistake, as libxml2 stops at the
 * first of a list. This file checks attributes and the parts of a graph, the schema the rest.
 */
#include "network/formats/xml/xml_topology.h"
#include "network/formats/synthetic/shape.h"
#include "network/graph_topology.h"
#include "network/host_costs.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

#define HOST_TIME_HELP "write a time like 800ns or 1.5us, at most 1000s"

enum { MAX_NAME_BYTES = 255, MAX_CABLES_OF_LINK = 4096, MAX_CABLES = 1 << 27 };

static const struct vocabulary {
    const char *element;
    const char *attributes[12];
} vocabulary[] = {
    {"topology", {"version", "name", "ports", "bandwidth", "latency"}},
    {"hosts", {"overhead", "gap", "memory-bandwidth", "memory-latency", "process-bandwidth", "inside-bandwidth"}},
    {"star", {"machines"}},
    {"full", {"machines"}},
    {"grid", {"extents", "wraps", "bandwidth", "latency"}},
    {"fattree", {"down", "up", "cables", "bandwidth", "latency"}},
    {"tofu", {"extents", "bandwidth", "latency"}},
    {"networks", {"machines", "addresses"}},
    {"network",
     {"name", "label", "bandwidth", "latency", "machines", "source", "routes", "interface", "device",
      "transport", "addresses"}},
    {"memory", {"name", "label", "bandwidth", "latency"}},
    {"failed", {"link", "node", "number"}},
    {"machines", {NULL}},
    {"graph", {"apart"}},
    {"machine", {"name"}},
    {"router", {"name"}},
    {"link", {"a", "b", "a-adapter", "b-adapter", "cables", "bandwidth", "latency"}},
};

static const struct vocabulary *xml_shape_find_word(const xmlNode *element)
{
    for (size_t i = 0; i < sizeof vocabulary / sizeof *vocabulary; i++)
        if (strcmp(vocabulary[i].element, (const char *)element->name) == 0)
            return &vocabulary[i];
    return NULL;
}

static bool has_attribute(const struct vocabulary *word, const char *name)
{
    for (int i = 0; word->attributes[i]; i++)
        if (strcmp(word->attributes[i], name) == 0)
            return true;
    return false;
}

/* Reports the attributes that the element cannot have. */
void xml_check_attributes(struct xml_reader *reader, const xmlNode *element)
{
    const struct vocabulary *word = xml_shape_find_word(element);
    for (const xmlAttr *attribute = word ? element->properties : NULL; attribute;
         attribute = attribute->next) {
        const char *name = (const char *)attribute->name;
        if (!has_attribute(word, name))
            xml_report(reader, CODE_T002, xml_attribute_slice(reader, element, name, false), name,
                       diagnostics_text(reader->diagnostics, "'%s' has no such attribute",
                                        word->element));
    }
}

/* ---- attributes ---- */

static void xml_shape_read_count(struct xml_reader *reader, const xmlNode *element, const char *name,
                                 uint32_t limit, uint32_t *value)
{
    const char *text = xml_find_attribute(element, name);
    if (!text)
        return;
    enum value_result result = parse_count(slice_of(text), value);
    if (result == VALUE_OK && (!*value || *value > limit))
        result = VALUE_RANGE;
    xml_check_value(reader, element, name, result,
                diagnostics_text(reader->diagnostics, "write a whole number from 1 to %u", limit));
}

void xml_read_numbers(struct xml_reader *reader, const xmlNode *element, uint64_t *bandwidth,
                         uint64_t *latency)
{
    const char *text = xml_find_attribute(element, "bandwidth");
    if (text)
        xml_check_value(reader, element, "bandwidth", parse_bandwidth(slice_of(text), bandwidth),
                    BANDWIDTH_HELP);
    text = xml_find_attribute(element, "latency");
    if (text)
        xml_check_value(reader, element, "latency", parse_latency(slice_of(text), latency),
                    LATENCY_HELP);
}

static void xml_shape_read_factors(struct xml_reader *reader, const xmlNode *element, const char *name,
                                   struct factors *factors)
{
    const char *text = xml_find_attribute(element, name);
    size_t at;
    if (!text)
        return;
    enum value_result result = parse_factors(slice_of(text), factors, &at);
    for (uint32_t i = 0; i < factors->n; i++)
        if (factors->suffix[i])
            result = VALUE_SYNTAX;
    xml_check_value(reader, element, name, result, "write up to 8 numbers joined by 'x', as in 8x8x4");
}

/* ---- implicit shapes ---- */

/* Reads "yes", "no", or one of them for each dimension; default yes. */
static void read_wraps(struct xml_reader *reader, const xmlNode *element, struct factors *factors)
{
    const char *text = xml_find_attribute(element, "wraps");
    struct slice rest = slice_of(text ? text : "yes");
    char suffix[TOPOLOGY_MAX_DIMENSIONS + 1];
    uint32_t n = 0;
    bool good = true;
    for (bool more = true; more && n <= TOPOLOGY_MAX_DIMENSIONS; n++) {
        struct slice word = slice_take_until(&rest, ' ');
        good = good && (slice_is(word, "yes") || slice_is(word, "no"));
        suffix[n] = slice_is(word, "yes") ? 't' : 'm';
        more = word.text[word.length] == ' ';
    }
    if (!good || (n != 1 && n != factors->n))
        xml_check_value(reader, element, "wraps", VALUE_SYNTAX,
                    "write yes or no, once or for every dimension, as in \"yes yes no\"");
    for (uint32_t i = 0; i < factors->n && good; i++)
        factors->suffix[i] = n == 1 ? suffix[0] : suffix[i < n ? i : 0];
}

/* Reads one value, or one for each dimension or level. */
static void xml_shape_read_quantities(struct xml_reader *reader, const xmlNode *element, const char *name,
                                      const struct shape_request *request, struct quantities *quantities)
{
    bool is_bandwidth = strcmp(name, "bandwidth") == 0;
    const char *text = xml_find_attribute(element, name);
    struct slice wrong;
    if (!text)
        return;
    enum value_result result = parse_quantities(
        slice_of(text), is_bandwidth ? parse_bandwidth : parse_latency, quantities, &wrong);
    xml_check_value(reader, element, name, result, is_bandwidth ? BANDWIDTH_HELP : LATENCY_HELP);
    uint32_t n_classes = shape_n_classes(request);
    if (result == VALUE_OK && n_classes && quantities->n > 1 && quantities->n != n_classes)
        xml_check_value(reader, element, name, VALUE_SYNTAX,
                    diagnostics_text(reader->diagnostics,
                                     "give one value for all links, or one for each dimension or "
                                     "level, here %u, lowest first with ':' between",
                                     n_classes));
}

static void read_shape_attributes(struct xml_reader *reader, const xmlNode *element,
                                  struct shape_request *request, const char **numbers)
{
    bool is_grid = xml_is(element, "grid") || xml_is(element, "tofu");
    *numbers = is_grid                          ? "extents"
               : xml_is(element, "fattree") ? "down"
                                                : "machines";
    if (!xml_need_attribute(reader, element, *numbers))
        return;
    if (strcmp(*numbers, "machines") == 0) {
        request->down.n = 1;
        xml_shape_read_count(reader, element, "machines", TOPOLOGY_MAX_MACHINES, &request->down.value[0]);
        return;
    }
    xml_shape_read_factors(reader, element, *numbers, &request->down);
    if (xml_is(element, "grid"))
        read_wraps(reader, element, &request->down);
    if (xml_is(element, "fattree")) {
        xml_shape_read_factors(reader, element, "up", &request->up);
        xml_shape_read_factors(reader, element, "cables", &request->cables);
    }
    xml_shape_read_quantities(reader, element, "bandwidth", request, &request->bandwidths);
    xml_shape_read_quantities(reader, element, "latency", request, &request->latencies);
}

static struct topology *read_shape(struct xml_reader *reader, const xmlNode *element,
                                   const struct topology_settings *settings)
{
    struct shape_request request = {.settings = *settings};
    const char *numbers, *problem;
    request.kind = shape_find(slice_of(xml_is(element, "grid") ? "torus" : (const char *)element->name));
    read_shape_attributes(reader, element, &request, &numbers);
    if (!reader->failed && request.up.n && request.up.n != request.down.n)
        xml_check_value(reader, element, "up", VALUE_SYNTAX, "give as many numbers as 'down' has");
    if (!reader->failed && request.cables.n && request.cables.n != request.down.n)
        xml_check_value(reader, element, "cables", VALUE_SYNTAX, "give as many numbers as 'down' has");
    if (reader->failed)
        return NULL;
    struct topology *topology = shape_make(&request, &problem);
    if (!topology)
        xml_report(reader, CODE_T006, xml_attribute_slice(reader, element, numbers, true),
                   xml_find_attribute(element, numbers), problem);
    return topology;
}

/* ---- graphs ---- */

/* A graph being read. */
struct graph_reader {
    struct xml_reader *reader;
    struct graph *graph;
    const xmlNode **elements; /* [node], where it was declared */
    size_t capacity;
    const struct topology_settings *settings;
};

static const xmlNode *first_declared(const struct graph_reader *state, const char *name)
{
    return state->elements[graph_find(state->graph, name, strlen(name))];
}

static void xml_shape_report_taken(struct graph_reader *state, const xmlNode *element, const char *name)
{
    struct xml_reader *reader = state->reader;
    struct diagnostic *diagnostic =
        xml_report(reader, CODE_T004, xml_attribute_slice(reader, element, "name", true), name,
                   "name already taken");
    if (diagnostic->position.line) {
        struct slice first =
            xml_attribute_slice(reader, first_declared(state, name), "name", true);
        diagnostic->related = slice_position(reader->source, first);
        diagnostic->related_text = "first used here";
    }
}

/* Returns the name that the attribute has; of length 0: none, or a wrong one, which is reported. */
static struct slice xml_shape_read_name(struct xml_reader *reader, const xmlNode *element,
                                        const char *attribute)
{
    const char *text = xml_find_attribute(element, attribute);
    const struct slice name = slice_of(text ? text : "");
    if (!text || (name.length && name.length <= MAX_NAME_BYTES))
        return name;
    xml_check_value(reader, element, attribute, VALUE_RANGE, "a name has 1 to 255 bytes");
    return (struct slice){0};
}

static void xml_shape_read_node(struct graph_reader *state, const xmlNode *element)
{
    if (!xml_need_attribute(state->reader, element, "name"))
        return;
    const struct slice name = xml_shape_read_name(state->reader, element, "name");
    if (!name.length)
        return;
    uint32_t node = graph_add_node(state->graph, xml_is(element, "router"), name.text, name.length);
    if (node == GRAPH_NONE) {
        xml_shape_report_taken(state, element, name.text);
        return;
    }
    state->elements = mem_grow(state->elements, &state->capacity, (size_t)node + 1,
                               sizeof *state->elements);
    state->elements[node] = element;
}

static uint32_t xml_shape_read_end(struct graph_reader *state, const xmlNode *element, const char *end)
{
    const char *name = xml_need_attribute(state->reader, element, end);
    if (!name)
        return GRAPH_NONE;
    uint32_t node = graph_find(state->graph, name, strlen(name));
    if (node == GRAPH_NONE)
        xml_report(state->reader, CODE_T004,
                   xml_attribute_slice(state->reader, element, end, true), name,
                   "no machine or router has this name");
    return node;
}

static void xml_shape_read_link(struct graph_reader *state, const xmlNode *element)
{
    struct xml_reader *reader = state->reader;
    uint64_t bandwidth = state->settings->bandwidth, latency = state->settings->latency;
    uint32_t n_cables = 1;
    xml_read_numbers(reader, element, &bandwidth, &latency);
    xml_shape_read_count(reader, element, "cables", MAX_CABLES_OF_LINK, &n_cables);
    uint32_t a = xml_shape_read_end(state, element, "a"), b = xml_shape_read_end(state, element, "b");
    if (a != GRAPH_NONE && a == b)
        xml_report(reader, CODE_T004, xml_attribute_slice(reader, element, "b", true),
                   xml_find_attribute(element, "b"), "both ends of the link are the same");
    if (state->graph->n_cables + n_cables > MAX_CABLES)
        xml_check_value(reader, element, "b", VALUE_RANGE, "a network has at most 134217728 cables");
    const struct slice adapters[] = {xml_shape_read_name(reader, element, "a-adapter"),
                                     xml_shape_read_name(reader, element, "b-adapter")};
    for (uint32_t i = 0; i < n_cables && !reader->failed; i++) {
        graph_add_cable(state->graph, a, b, bandwidth, latency);
        for (uint32_t side = 0; side < 2; side++)
            if (adapters[side].length)
                graph_name_adapter(state->graph, 2 * state->graph->n_cables - 2 + side, adapters[side].text,
                                   adapters[side].length);
    }
}

/* Checks an element inside `graph`. */
static void check_part(struct xml_reader *reader, const xmlNode *node)
{
    if (node->type != XML_ELEMENT_NODE)
        return;
    if (xml_is(node, "machine") || xml_is(node, "router") || xml_is(node, "link"))
        xml_check_attributes(reader, node);
    else
        xml_report(reader, CODE_T002, xml_element_slice(reader, node), (const char *)node->name,
                   "not an element of a graph")
            ->help = "a graph holds machine, router and link";
}

static struct topology *xml_shape_read_graph(struct xml_reader *reader, const xmlNode *element,
                                             const struct topology_settings *settings)
{
    struct graph_reader state = {.reader = reader, .graph = graph_new(), .settings = settings};
    const char *apart = xml_find_attribute(element, "apart");
    if (apart && strcmp(apart, "true") != 0)
        xml_check_value(reader, element, "apart", VALUE_SYNTAX, "write true, or leave it out");
    state.graph->may_be_apart = apart != NULL;
    for (const xmlNode *child = element->children; child; child = child->next) {
        check_part(reader, child);
        if (xml_is(child, "machine") || xml_is(child, "router"))
            xml_shape_read_node(&state, child);
    }
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "link"))
            xml_shape_read_link(&state, child);
    free(state.elements);
    if (reader->failed) {
        graph_free(state.graph);
        return NULL;
    }
    struct position position =
        slice_position(reader->source, xml_element_slice(reader, element));
    struct topology *topology =
        graph_topology(settings, state.graph, position, reader->diagnostics);
    reader->failed = !topology;
    return topology;
}

/* ---- the root ---- */

static void xml_shape_read_settings(struct xml_reader *reader, const xmlNode *root,
                                    struct topology_settings *settings)
{
    const char *version = xml_need_attribute(reader, root, "version");
    if (version && strcmp(version, "1") != 0)
        xml_check_value(reader, root, "version", VALUE_RANGE, "this program reads version 1");
    const char *name = xml_find_attribute(root, "name");
    *settings = (struct topology_settings){.name = name && *name ? name : reader->source->path,
                                           .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                                           .latency = TOPOLOGY_DEFAULT_LATENCY};
    xml_read_numbers(reader, root, &settings->bandwidth, &settings->latency);
    xml_shape_read_count(reader, root, "ports", 65536, &settings->ports);
}

/* Reads the host costs of the element. */
static void xml_shape_read_hosts(struct xml_reader *reader, const xmlNode *element, struct host_costs *costs)
{
    const struct {
        const char *name, *help;
        enum value_result (*parse)(struct slice slice, uint64_t *value);
        uint64_t *value;
    } attributes[] = {{"overhead", HOST_TIME_HELP, parse_latency, &costs->overhead},
                      {"gap", HOST_TIME_HELP, parse_latency, &costs->gap},
                      {"memory-bandwidth", BANDWIDTH_HELP, parse_bandwidth, &costs->memory_bandwidth},
                      {"memory-latency", HOST_TIME_HELP, parse_latency, &costs->memory_latency},
                      {"process-bandwidth", BANDWIDTH_HELP, parse_bandwidth, &costs->process_bandwidth},
                      {"inside-bandwidth", BANDWIDTH_HELP, parse_bandwidth, &costs->inside_bandwidth}};
    xml_check_attributes(reader, element);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *text = xml_find_attribute(element, attributes[i].name);
        if (text)
            xml_check_value(reader, element, attributes[i].name,
                            attributes[i].parse(slice_of(text), attributes[i].value), attributes[i].help);
    }
}

static struct topology *with_hosts(struct topology *topology, const struct host_costs *costs)
{
    if (topology && costs) {
        struct host_costs *kept = arena_alloc(topology->arena, 1, sizeof *kept);
        *kept = *costs;
        topology->hosts = kept;
    }
    return topology;
}

static bool is_implicit(const xmlNode *node)
{
    return xml_is(node, "star") || xml_is(node, "full") || xml_is(node, "grid") ||
           xml_is(node, "fattree") || xml_is(node, "tofu");
}

bool xml_is_shape(const xmlNode *node)
{
    return is_implicit(node) || xml_is(node, "graph");
}

struct topology *xml_shape(struct xml_reader *reader, const xmlNode *element,
                           const struct topology_settings *settings)
{
    xml_check_attributes(reader, element);
    return xml_is(element, "graph") ? xml_shape_read_graph(reader, element, settings)
                                    : read_shape(reader, element, settings);
}

struct topology *xml_topology(struct xml_reader *reader, const xmlNode *root,
                              topology_part_reader *read_part)
{
    struct topology_settings settings;
    struct host_costs costs = HOST_COSTS_UNKNOWN;
    bool has_costs = false;
    xml_check_attributes(reader, root);
    xml_shape_read_settings(reader, root, &settings);
    for (const xmlNode *child = root->children; child; child = child->next) {
        struct topology *topology = NULL;
        if (xml_is(child, "hosts")) {
            xml_shape_read_hosts(reader, child, &costs);
            has_costs = true;
            continue;
        }
        if (!xml_is_shape(child) && !xml_is(child, "networks"))
            continue;
        topology = xml_is_shape(child) ? xml_shape(reader, child, &settings)
                                       : xml_networks(reader, child, &settings, read_part);
        return xml_restrict(reader, with_hosts(topology, has_costs ? &costs : NULL), child->next);
    }
    return NULL;
}
