/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the element `networks` of the native description: several networks between the same machines
 * (network/networks.h). Each is one of the shapes, or a file in any known format; `machines` names its
 * machines in their order. Machines with one name are one machine, numbered in the order of the list in
 * `networks` or else of their first mention.
 */
#include "network/formats/xml/xml_topology.h"
#include "base/codes.h"
#include "base/text/hostlist.h"
#include "network/formats/opensm/tables.h"
#include "network/graph.h"
#include "network/networks.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

struct networks_reader {
    struct xml_reader *reader;
    const struct topology_settings *settings;
    topology_part_reader *read_part;
    struct graph *names;     /* machines of all networks */
    bool is_listed;          /* they stand in `machines` of the element `networks` */
    uint32_t *seen;          /* [machine] number of the last member that names it, 0: none */
    uint32_t n_seen;         /* machines above that are new */
    size_t seen_capacity;
    struct network_member members[NETWORKS_MAX];
    const xmlNode *element[NETWORKS_MAX]; /* NULL: memory that is not described */
    uint32_t n;
    uint32_t n_places; /* machines of all members so far */
};

static struct diagnostic *report_attribute(struct networks_reader *state, const xmlNode *element,
                                           const char *name, const char *message)
{
    return xml_report(state->reader, CODE_T023,
                      xml_attribute_slice(state->reader, element, name, true),
                      xml_find_attribute(element, name), message);
}

static struct diagnostic *xml_networks_report_element(struct networks_reader *state, const xmlNode *element,
                                                      const char *message)
{
    return xml_report(state->reader, CODE_T023, xml_element_slice(state->reader, element),
                      (const char *)element->name, message);
}

/* ---- names of machines ---- */

typedef bool take_name(struct networks_reader *state, const xmlNode *element, struct slice name);

/* Calls `take` for every name in the attribute `machines`, at most `limit`, until it fails. Returns their
 * number, 0 after reporting. */
static uint32_t xml_networks_take_machines(struct networks_reader *state, const xmlNode *element,
                                           uint32_t limit, take_name *take)
{
    struct slice text = slice_of(xml_find_attribute(element, "machines")), word;
    uint32_t n = 0;
    bool good = true;
    while (good && (word = slice_take_word(&text)).length) {
        struct hostlist list = {0};
        uint32_t room = limit - n < HOSTLIST_MAX_NAMES ? limit - n : HOSTLIST_MAX_NAMES;
        good = hostlist_expand(word, room, &list);
        if (!good)
            report_attribute(state, element, "machines", list.problem)->help =
                "write names between blanks, or ranges of them, as in \"pc[0-3] login\"";
        for (uint32_t i = 0; i < list.n && good; i++)
            good = take(state, element, hostlist_get(&list, i));
        n += list.n;
        hostlist_free(&list);
    }
    if (good && !n)
        report_attribute(state, element, "machines", "no names");
    return good ? n : 0;
}

static bool xml_networks_add_machine(struct networks_reader *state, const xmlNode *element, struct slice name)
{
    if (graph_add_node(state->names, false, name.text, name.length) != GRAPH_NONE)
        return true;
    report_attribute(state, element, "machines",
                     diagnostics_text(state->reader->diagnostics, "machine '%.*s' is named twice",
                                      (int)name.length, name.text));
    return false;
}

/* False if the member being read has the machine already. */
static bool see_machine(struct networks_reader *state, uint32_t machine)
{
    state->seen = mem_grow(state->seen, &state->seen_capacity, (size_t)machine + 1,
                           sizeof *state->seen);
    while (state->n_seen <= machine)
        state->seen[state->n_seen++] = 0;
    if (state->seen[machine] == state->n)
        return false;
    state->seen[machine] = state->n;
    return true;
}

/* Joins a machine of the member being read. Returns its number, or GRAPH_NONE after reporting. */
static uint32_t join_machine(struct networks_reader *state, const xmlNode *element,
                             struct slice name)
{
    struct diagnostics *diagnostics = state->reader->diagnostics;
    const char *where = xml_find_attribute(element, "machines") ? "machines" : "label";
    uint32_t machine = state->is_listed
                           ? GRAPH_NONE
                           : graph_add_node(state->names, false, name.text, name.length);
    if (machine == GRAPH_NONE)
        machine = graph_find(state->names, name.text, name.length);
    if (machine == GRAPH_NONE) {
        report_attribute(state, element, where,
                         diagnostics_text(diagnostics, "unknown machine '%.*s'", (int)name.length,
                                          name.text))
            ->help = "the attribute 'machines' of 'networks' lists all machines: add it there, or "
                     "correct the name";
        return GRAPH_NONE;
    }
    if (!see_machine(state, machine)) {
        report_attribute(state, element, where,
                         diagnostics_text(diagnostics, "machine '%.*s' is named twice",
                                          (int)name.length, name.text));
        return GRAPH_NONE;
    }
    return machine;
}

static bool join_named(struct networks_reader *state, const xmlNode *element, struct slice name)
{
    struct network_member *member = &state->members[state->n];
    uint32_t machine = join_machine(state, element, name);
    if (machine != GRAPH_NONE)
        member->machine[member->network.n_machines++] = machine;
    return machine != GRAPH_NONE;
}

/* Joins the machines by their names in the member. */
static void join_by_own_names(struct networks_reader *state, const xmlNode *element)
{
    const struct topology *topology = state->members[state->n].topology;
    bool good = true;
    for (uint32_t machine = 0; machine < topology->n_machines && good; machine++) {
        char name[NAME_BYTES];
        topology_node_name(topology, machine, name, sizeof name);
        good = join_named(state, element, (struct slice){name, strlen(name)});
    }
}

static void report_number(struct networks_reader *state, const xmlNode *element, uint32_t n,
                          bool is_more)
{
    uint32_t n_machines = state->members[state->n].topology->n_machines;
    report_attribute(state, element, "machines",
                     diagnostics_text(state->reader->diagnostics,
                                      "%s%u name%s for a network of %u machine%s",
                                      is_more ? "more than " : "", n, plural(n), n_machines,
                                      plural(n_machines)))
        ->help = "name every machine of the network once, in the order in which it numbers them";
}

static void name_machines(struct networks_reader *state, const xmlNode *element)
{
    struct network_member *member = &state->members[state->n];
    uint32_t n_machines = member->topology->n_machines;
    if (n_machines > NETWORKS_MAX_PLACES - state->n_places) {
        xml_networks_report_element(state, element,
                                    n_machines > NETWORKS_MAX_PLACES
                                        ? "a network of more than 1048576 machines"
                                        : "more than 1048576 machines in all networks up to this one");
        return;
    }
    state->n_places += n_machines;
    member->machine = mem_alloc(n_machines, sizeof *member->machine);
    if (!xml_find_attribute(element, "machines")) {
        join_by_own_names(state, element);
        return;
    }
    /* counts first, to report a surplus as such */
    struct networks_reader counting = *state;
    counting.names = graph_new();
    uint32_t n = xml_networks_take_machines(&counting, element, n_machines + 1, xml_networks_add_machine);
    graph_free(counting.names);
    if (n && n != n_machines)
        report_number(state, element, n > n_machines ? n_machines : n, n > n_machines);
    else if (n)
        xml_networks_take_machines(state, element, n_machines, join_named);
}

/* ---- attributes ---- */

static void check_label(struct networks_reader *state, const xmlNode *element, const char *label)
{
    if (!network_is_label(label))
        xml_check_value(state->reader, element, "label", VALUE_SYNTAX,
                        "a label is a word of up to 8 letters and digits, such as FE");
    for (uint32_t i = 0; i < state->n; i++) {
        if (strcmp(state->members[i].network.label, label) != 0)
            continue;
        struct diagnostic *finding = report_attribute(state, element, "label", "label taken");
        if (!state->element[i])
            finding->help = "shared memory has this label unless an element 'memory' gives it "
                            "another";
    }
}

/* Reads a name for parameter files. Reports one with a character that would end a line or a word there. */
static const char *xml_networks_read_word(struct networks_reader *state, const xmlNode *element,
                                          const char *name)
{
    const char *text = xml_find_attribute(element, name);
    if (text && (!*text || strcspn(text, " \t\r\n,;'\"\\$`=#") != strlen(text)))
        xml_check_value(state->reader, element, name, VALUE_SYNTAX,
                        "write the one word by which the machines know it, such as eth0, mlx5_0:1 "
                        "or tcp");
    return text;
}

static void xml_networks_report_addresses(struct networks_reader *state, const xmlNode *element,
                                          const char *problem)
{
    report_attribute(state, element, "addresses", problem)->help =
        "write an IP address for each machine, in their order, as in \"10.1.0.[1-4],10.1.1.7\"";
}

/* Reports an address that is none, or that the list has twice. */
static bool xml_networks_check_address(struct networks_reader *state, const xmlNode *element,
                                       struct slice address, struct graph *known)
{
    const bool has_colon = memchr(address.text, ':', address.length);
    const bool is_address = strspn(address.text, has_colon ? "0123456789abcdefABCDEF.:" : "0123456789.") ==
                                address.length &&
                            (has_colon || memchr(address.text, '.', address.length));
    if (is_address && graph_add_node(known, false, address.text, address.length) != GRAPH_NONE)
        return true;
    xml_networks_report_addresses(
        state, element,
        diagnostics_text(state->reader->diagnostics,
                         is_address ? "address '%.*s' is there twice" : "'%.*s' is no IP address",
                         (int)address.length, address.text));
    return false;
}

/* Returns the addresses of n machines, a host list, or NULL: there are none, or it was reported. */
static const char *xml_networks_read_addresses(struct networks_reader *state, const xmlNode *element,
                                               uint32_t n)
{
    const char *text = xml_find_attribute(element, "addresses");
    if (!text)
        return NULL;
    struct hostlist list = {0};
    struct graph *known = graph_new();
    bool good = hostlist_expand(slice_of(text), HOSTLIST_MAX_NAMES, &list);
    if (!good)
        xml_networks_report_addresses(state, element, list.problem);
    else if (list.n != n)
        xml_networks_report_addresses(state, element,
                                      diagnostics_text(state->reader->diagnostics, "%u address%s for %u machine%s",
                                                       list.n, list.n == 1 ? "" : "es", n, plural(n)));
    good = good && list.n == n;
    for (uint32_t i = 0; good && i < n; i++)
        good = xml_networks_check_address(state, element, hostlist_get(&list, i), known);
    graph_free(known);
    hostlist_free(&list);
    return good ? text : NULL;
}

static struct network read_network_attributes(struct networks_reader *state,
                                              const xmlNode *element)
{
    const char *label = xml_need_attribute(state->reader, element, "label");
    const char *name = xml_find_attribute(element, "name");
    struct network network = {.label = label ? label : "",
                              .bandwidth = state->settings->bandwidth,
                              .latency = state->settings->latency};
    network.name = name && *name ? name : network.label;
    if (label)
        check_label(state, element, label);
    xml_read_numbers(state->reader, element, &network.bandwidth, &network.latency);
    network.interface = xml_networks_read_word(state, element, "interface");
    network.device = xml_networks_read_word(state, element, "device");
    network.transport = xml_networks_read_word(state, element, "transport");
    return network;
}

/* ---- networks ---- */

static uint64_t highest_bandwidth(const struct topology *topology)
{
    uint64_t highest = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) && topology_link_bandwidth(topology, link) > highest)
            highest = topology_link_bandwidth(topology, link);
    return highest ? highest : topology->bandwidth;
}

static bool xml_networks_read_routes(struct networks_reader *state, const xmlNode *element,
                                     struct topology *topology)
{
    const char *routes = xml_find_attribute(element, "routes");
    if (!routes)
        return true;
    char *path = source_beside(state->reader->source, routes);
    const char *names[] = {path};
    struct route_files files = {names, 1, false};
    bool done = topology_read_routes(topology, &files, state->reader->diagnostics);
    free(path);
    return done;
}

static struct topology *xml_networks_read_file(struct networks_reader *state, const xmlNode *element,
                                               struct network *network)
{
    struct xml_reader *reader = state->reader;
    struct topology *topology = state->read_part(xml_find_attribute(element, "source"),
                                                 reader->source, reader->diagnostics);
    if (topology && !xml_networks_read_routes(state, element, topology)) {
        topology_free(topology);
        topology = NULL;
    }
    reader->failed |= !topology;
    if (topology && !xml_find_attribute(element, "bandwidth"))
        network->bandwidth = highest_bandwidth(topology);
    return topology;
}

static struct topology *xml_networks_read_member(struct networks_reader *state, const xmlNode *element,
                                                 struct network *network)
{
    const xmlNode *shape = element->children;
    while (shape && !xml_is_shape(shape))
        shape = shape->next;
    bool has_file = xml_find_attribute(element, "source");
    if (shape ? has_file : !has_file) {
        xml_networks_report_element(state, element,
                                    shape ? "both a file and a shape" : "neither a file nor a shape")
            ->help = "a network has the attribute 'source', or holds one of star, full, grid, "
                     "fattree, tofu and graph";
        return NULL;
    }
    if (!shape)
        return xml_restrict(state->reader, xml_networks_read_file(state, element, network),
                            element->children);
    if (xml_find_attribute(element, "routes"))
        report_attribute(state, element, "routes", "routes of a network that is no file");
    struct topology_settings settings = {.name = network->name,
                                         .bandwidth = network->bandwidth,
                                         .latency = network->latency};
    return xml_restrict(state->reader, xml_shape(state->reader, shape, &settings), shape->next);
}

static void xml_networks_read_network(struct networks_reader *state, const xmlNode *element)
{
    xml_check_attributes(state->reader, element);
    if (state->n == NETWORKS_MAX) {
        xml_networks_report_element(state, element, "more than 16 networks");
        return;
    }
    struct network network = read_network_attributes(state, element);
    struct topology *topology = xml_networks_read_member(state, element, &network);
    state->members[state->n] = (struct network_member){network, topology, NULL};
    state->element[state->n] = element;
    if (topology) {
        name_machines(state, element);
        state->members[state->n].network.addresses =
            xml_networks_read_addresses(state, element, topology->n_machines);
    }
    state->n++;
}

/* Adds shared memory, which is always there; an element gives its name and speed. */
static void read_memory(struct networks_reader *state, const xmlNode *element)
{
    struct network network = {.name = "shared memory", .label = "SH"};
    const xmlNode *second = element ? element->next : NULL;
    while (second && !xml_is(second, "memory"))
        second = second->next;
    if (second)
        xml_networks_report_element(state, second, "second memory");
    if (element) {
        const char *name = xml_find_attribute(element, "name");
        const char *label = xml_find_attribute(element, "label");
        xml_check_attributes(state->reader, element);
        network.name = name && *name ? name : network.name;
        network.label = label ? label : network.label;
        check_label(state, element, network.label);
        xml_read_numbers(state->reader, element, &network.bandwidth, &network.latency);
    }
    state->members[NETWORK_MEMORY] = (struct network_member){network, NULL, NULL};
    state->element[NETWORK_MEMORY] = element;
    state->n = NETWORK_MEMORY + 1;
}

static const xmlNode *xml_networks_find_child(const xmlNode *element, const char *name)
{
    const xmlNode *child = element->children;
    while (child && !xml_is(child, name))
        child = child->next;
    return child;
}

/* Reports a machine of the list that is on no network. */
static void check_all_used(struct networks_reader *state, const xmlNode *element)
{
    for (uint32_t machine = 0; machine < state->names->n_machines; machine++) {
        if (machine < state->n_seen && state->seen[machine])
            continue;
        report_attribute(state, element, "machines",
                         diagnostics_text(state->reader->diagnostics,
                                          "machine '%s' is on no network",
                                          graph_name(state->names, machine)))
            ->help = "name it in a network, or take it out of the list";
        return;
    }
}

static void xml_networks_read_all(struct networks_reader *state, const xmlNode *element)
{
    xml_check_attributes(state->reader, element);
    if (state->reader->source->named_by) {
        xml_networks_report_element(state, element, "networks inside of a network")->help =
            "describe each network by a file of its own that holds one";
        return;
    }
    state->is_listed = xml_find_attribute(element, "machines");
    if (state->is_listed)
        xml_networks_take_machines(state, element, NETWORKS_MAX_PLACES, xml_networks_add_machine);
    read_memory(state, xml_networks_find_child(element, "memory"));
    bool failed = state->reader->failed;
    for (const xmlNode *child = element->children; child; child = child->next) {
        if (!xml_is(child, "network"))
            continue;
        state->reader->failed = false; /* each is judged, whatever is wrong with another */
        xml_networks_read_network(state, child);
        failed |= state->reader->failed;
    }
    state->reader->failed = failed;
    if (state->n == NETWORK_MEMORY + 1)
        xml_networks_report_element(state, element, "no network in it");
    else if (state->is_listed && !state->reader->failed)
        check_all_used(state, element);
    if (!state->reader->failed)
        state->members[NETWORK_MEMORY].network.addresses =
            xml_networks_read_addresses(state, element, state->names->n_machines);
}

struct topology *xml_networks(struct xml_reader *reader, const xmlNode *element,
                              const struct topology_settings *settings,
                              topology_part_reader *read_part)
{
    struct networks_reader state = {.reader = reader,
                                    .settings = settings,
                                    .read_part = read_part,
                                    .names = graph_new()};
    const char *problem;
    struct topology *topology = NULL;
    xml_networks_read_all(&state, element);
    free(state.seen);
    if (reader->failed) {
        network_members_free(state.members, state.n);
        graph_free(state.names);
        return NULL;
    }
    topology = topology_new_composite(settings, state.names, state.members, state.n, &problem);
    if (!topology)
        xml_report(reader, CODE_T006, xml_element_slice(reader, element), "networks", problem);
    return topology;
}
