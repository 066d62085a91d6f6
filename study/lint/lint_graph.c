/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of graph files of NCCL: S011 is what its reader (ncclTopoGetGraphFromXml of src/graph/search.cc,
 * 2.5 to 2.30) refuses, passes over or takes otherwise, and what the host does not have. See lint.h.
 */
#include "study/lint/lint.h"

#include "base/codes.h"
#include "schedules/nccl/graph.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_CHANNELS = 64 }; /* MAXCHANNELS; 32 up to 2.24 */
enum { PATTERN_TREES = 3, PATTERN_RING = 4 };

struct graph_lint {
    struct xml_reader xml;
    const struct nccl_graph *graph;
    const struct topology *topology; /* the host, or NULL */
    struct diagnostics *findings;
};

static struct diagnostic *lint_graph_report(struct graph_lint *lint, const xmlNode *element,
                                            const char *attribute, const char *message)
{
    const bool has = attribute && xml_find_attribute(element, attribute);
    const struct slice at = has ? xml_attribute_slice(&lint->xml, element, attribute, true)
                                : xml_element_slice(&lint->xml, element);
    return xml_report(&lint->xml, CODE_S011, at,
                      has ? xml_find_attribute(element, attribute) : (const char *)element->name, message);
}

/* Attributes without which NCCL refuses the file. */
static void lint_graph_attributes(struct graph_lint *lint)
{
    static const char *const needed[] = {"id",         "crossnic",  "pattern",   "nchannels",   "speedintra",
                                         "speedinter", "typeintra", "typeinter", "samechannels"};
    static const char *const types[] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C",
                                        "PXN", "PHB", "SYS", "NET", "DIS", "XGMI"};
    const xmlNode *element = lint->graph->element;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const char *value = xml_find_attribute(element, needed[i]);
        bool is_known = strncmp(needed[i], "type", 4) != 0;
        for (size_t k = 0; value && k < sizeof types / sizeof *types; k++)
            is_known |= strcmp(value, types[k]) == 0;
        if (!value)
            lint_graph_report(
                lint, element, NULL,
                diagnostics_text(lint->findings, "attribute '%s' missing: NCCL ends here", needed[i]));
        else if (!is_known)
            lint_graph_report(lint, element, needed[i], "no type of a path that NCCL knows")->help =
                "types are LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS, NET and DIS";
    }
}

static void lint_graph_channels(struct graph_lint *lint)
{
    const struct nccl_graph *graph = lint->graph;
    if (graph->n_stated < graph->n_channels)
        lint_graph_report(lint, graph->element, "nchannels",
                          diagnostics_text(lint->findings,
                                           "the graph has %u channels: NCCL takes the first of them",
                                           graph->n_channels))
            ->help = "nchannels is the number of channels";
    else if (graph->n_stated != UINT32_MAX && graph->n_stated > graph->n_channels)
        lint_graph_report(lint, graph->element, "nchannels",
                          diagnostics_text(lint->findings,
                                           "the graph has %u channel%s: NCCL makes the others up",
                                           graph->n_channels, plural(graph->n_channels)))
            ->help = "nchannels is the number of channels";
    if (graph->n_channels > MOST_CHANNELS)
        lint_graph_report(lint, graph->element, NULL,
                          diagnostics_text(lint->findings, "%u channels: NCCL has room for %d",
                                           graph->n_channels, MOST_CHANNELS));
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        const struct nccl_graph_channel *channel = &graph->channels[c];
        if (channel->n_nets == 2 && graph->cross == 0 && graph->pattern == PATTERN_RING &&
            channel->net[0] != channel->net[1])
            lint_graph_report(lint, channel->element, NULL,
                              "leaves by another adapter than it arrives by, and crossnic is 0")
                ->help = "with crossnic=\"1\" NCCL leaves the graph out where NCCL_CROSS_NIC=0 is set";
        if (channel->n_nets == 1 || channel->n_nets > 2)
            lint_graph_report(lint, channel->element, NULL, "has not two adapters, or none")->help =
                "<net> stands before the first GPU and behind the last one";
    }
}

/* Numbers of devices: the dump of 2.21 and later writes 0xa, and its reader takes 10 for 16. */
static void lint_graph_devices(struct graph_lint *lint)
{
    for (uint32_t i = 0; i < lint->graph->n_devices; i++) {
        const struct nccl_graph_device *device = &lint->graph->devices[i];
        const char *text = xml_find_attribute(device->element, "dev");
        char name[32];
        if (device->number >= 10 && text && text[0] != '0')
            lint_graph_report(lint, device->element, "dev", "NCCL from 2.21 on reads it as hexadecimal")
                ->help = "write 0xa for 10: older versions read that, too";
        snprintf(name, sizeof name, "gpu%u", device->number);
        if (!lint->topology ||
            topology_find_machine(lint->topology, name, strlen(name)) < lint->topology->n_machines)
            continue;
        lint_graph_report(lint, device->element, "dev",
                          "the host has no such GPU: NCCL says 'dev not found' and ends")
            ->help = "the file is for another host; NCCL_GRAPH_FILE may be set in /etc/nccl.conf";
        return;
    }
}

/* A channel has each GPU once. */
static void lint_graph_repeated(struct graph_lint *lint)
{
    const struct nccl_graph *graph = lint->graph;
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        const struct nccl_graph_device *devices = &graph->devices[graph->channels[c].first];
        for (uint32_t i = 1; i < graph->channels[c].n; i++)
            for (uint32_t k = 0; k < i; k++)
                if (devices[i].number == devices[k].number) {
                    lint_graph_report(lint, devices[i].element, "dev", "the GPU is in this channel twice")
                        ->help = "NCCL says 'ring does not loop back' or 'does not contain rank', and ends";
                    i = graph->channels[c].n - 1;
                    break;
                }
    }
}

/* Channels have all GPUs of the host. */
static void lint_graph_count(struct graph_lint *lint)
{
    uint32_t n_gpus = 0;
    char name[64];
    for (uint32_t machine = 0; lint->topology && machine < lint->topology->n_machines; machine++) {
        topology_node_name(lint->topology, machine, name, sizeof name);
        n_gpus += strncmp(name, "gpu", 3) == 0;
    }
    for (uint32_t c = 0; n_gpus && lint->graph->pattern <= PATTERN_RING && c < lint->graph->n_channels; c++) {
        const struct nccl_graph_channel *channel = &lint->graph->channels[c];
        if (channel->n == n_gpus)
            continue;
        lint_graph_report(
            lint, channel->element, NULL,
            diagnostics_text(lint->findings, "%u GPUs, but the host has %u", channel->n, n_gpus))
            ->help = "NCCL reads as many as the communicator has on a host, whatever stands there";
        return;
    }
}

/* Adds the speed of a hop to its links. */
static void lint_graph_load(const struct topology *topology, uint32_t from, uint32_t to, double speed,
                            double *load, struct hop *hops)
{
    const uint32_t n = from == to ? 0 : topology_route(topology, from, to, hops);
    for (uint32_t i = 0; i < n; i++)
        load[hops[i].link] += speed;
}

static void lint_graph_say_load(struct graph_lint *lint, const double *load)
{
    const struct topology *topology = lint->topology;
    uint32_t worst = UINT32_MAX, from, to;
    double most = 1.01; /* rounding */
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const double bandwidth = load[link] > 0 ? (double)topology_link_bandwidth(topology, link) : 0;
        if (bandwidth > 0 && load[link] / bandwidth > most) {
            most = load[link] / bandwidth;
            worst = link;
        }
    }
    if (worst == UINT32_MAX)
        return;
    char names[2][64];
    topology_link_ends(topology, worst, &from, &to);
    topology_node_name(topology, from, names[0], sizeof names[0]);
    topology_node_name(topology, to, names[1], sizeof names[1]);
    lint_graph_report(
        lint, lint->graph->element, "speedintra",
        diagnostics_text(
            lint->findings, "the channels take %.4g GB/s of the link from '%s' to '%s', which has %.4g GB/s",
            load[worst] / 1e9, names[0], names[1], (double)topology_link_bandwidth(topology, worst) / 1e9))
        ->help =
        "NCCL chooses algorithms by this speed; 'collc verify FILE -t HOST' shows what each link carries";
}

/* Compares the speed that channels are said to have with the links of the host. */
static void lint_graph_speed(struct graph_lint *lint)
{
    const struct nccl_graph *graph = lint->graph;
    const struct topology *topology = lint->topology;
    const char *text = xml_find_attribute(graph->element, "speedintra");
    const double speed = text ? strtod(text, NULL) * 1e9 : 0;
    if (!topology || !(speed > 0) || graph->pattern > PATTERN_RING)
        return;
    double *load = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *load);
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    for (uint32_t c = 0; c < graph->n_channels; c++) {
        const struct nccl_graph_channel *channel = &graph->channels[c];
        const bool closes = graph->pattern == PATTERN_RING && !channel->n_nets;
        for (uint32_t i = 0; i + !closes < channel->n; i++) {
            uint32_t ends[2];
            for (uint32_t k = 0; k < 2; k++) {
                char name[32];
                snprintf(name, sizeof name, "gpu%u",
                         graph->devices[channel->first + (i + k) % channel->n].number);
                ends[k] = topology_find_machine(topology, name, strlen(name));
            }
            if (ends[0] >= topology->n_machines || ends[1] >= topology->n_machines)
                continue;
            lint_graph_load(topology, ends[0], ends[1], speed, load, hops);
            if (graph->pattern <= PATTERN_TREES)
                lint_graph_load(topology, ends[1], ends[0], speed, load, hops);
        }
    }
    lint_graph_say_load(lint, load);
    free(hops);
    free(load);
}

void lint_graph(const struct source *source, const struct topology *topology, struct diagnostics *findings)
{
    struct graph_lint lint = {
        .xml = {.source = source, .diagnostics = findings}, .topology = topology, .findings = findings};
    uint32_t n_channels = 0;
    xmlDoc *document = xml_parse(&lint.xml);
    for (const xmlNode *node = document ? nccl_graph_next(document, NULL) : NULL; node;
         node = nccl_graph_next(document, node)) {
        struct nccl_graph graph;
        lint.graph = &graph;
        lint.xml.failed = false;
        if (nccl_graph_read(&graph, &lint.xml, node)) {
            lint_graph_attributes(&lint);
            lint_graph_channels(&lint);
            lint_graph_devices(&lint);
            lint_graph_repeated(&lint);
            lint_graph_count(&lint);
            lint_graph_speed(&lint);
        }
        n_channels += graph.n_channels;
        nccl_graph_free(&graph);
    }
    if (document && !n_channels && !diagnostics_has_errors(findings))
        lint_graph_report(&lint, libxml2()->xmlDocGetRootElement(document), NULL,
                          "no graph with a channel: NCCL takes nothing from the file")
            ->help = "NCCL_GRAPH_DUMP_FILE writes a file with <graph id=\"0\" pattern=\"4\" ...> and <channel> in it";
    if (document)
        libxml2()->xmlFreeDoc(document);
}
