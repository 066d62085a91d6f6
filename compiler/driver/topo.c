/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc topo: what a topology file or string says.
 */
#include "compiler/driver/json.h"
#include "compiler/driver/output.h"
#include "compiler/driver/pipeline.h"
#include "compiler/topo/topo.h"

#include <inttypes.h>

enum { N_NETWORKS = 1 }; /* a topology is one fabric */

static void print_text(const struct topology *topology, const char *shape, struct text *out)
{
    text_append_safe(out, topology->name);
    text_append(out, "\n", 1);
    text_printf(out, "  machines     %u\n  routers      %u\n", topology->n_machines,
                topology->n_routers);
    text_printf(out, "  links        %u, one per direction\n", topology->n_links);
    if (topology->kind != TOPOLOGY_GRAPH)
        text_printf(out, "  bandwidth    %" PRIu64 " bytes/s\n  latency      %" PRIu64 " ns\n",
                    topology->bandwidth, topology->latency);
    if (topology->ports)
        text_printf(out, "  ports        %u messages at once per machine\n", topology->ports);
    text_printf(out, "  routes       at most %u links\n", topology->max_hops);
    if (*shape)
        text_printf(out, "  shape        %s\n", shape);
    text_printf(out, "  routing      %s\n", topology_routing_rule(topology));
    text_printf(out, "  fingerprint  %016" PRIx64 "\n", topology->fingerprint);
}

static void print_json(const struct topology *topology, const char *shape, struct text *out)
{
    struct json json = {.out = out};
    bool is_uniform = topology->kind != TOPOLOGY_GRAPH;
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, topology->fingerprint);
    json_open(&json, NULL, '{');
    json_string(&json, "topology", topology->name);
    json_unsigned(&json, "machines", topology->n_machines);
    json_unsigned(&json, "routers", topology->n_routers);
    json_unsigned(&json, "links", topology->n_links);
    json_unsigned(&json, "networks", N_NETWORKS);
    json_string(&json, "shape", *shape ? shape : NULL);
    json_index(&json, "bandwidth", is_uniform ? (int64_t)topology->bandwidth : -1);
    json_index(&json, "latency_ns", is_uniform ? (int64_t)topology->latency : -1);
    json_index(&json, "ports", topology->ports ? (int64_t)topology->ports : -1);
    json_unsigned(&json, "hops_max", topology->max_hops);
    json_string(&json, "routing", topology_routing_rule(topology));
    json_string(&json, "fingerprint", fingerprint);
    json_close(&json, '}');
}

static void print_topology(const struct options *options, const struct topology *topology)
{
    struct text text = {0}, shape = {0};
    topology_shape(topology, &shape);
    const char *name = shape.data ? shape.data : "";
    if (is_choice(options->format, "xml"))
        topology_write_xml(topology, &text);
    else if (is_choice(options->format, "json"))
        print_json(topology, name, &text);
    else
        print_text(topology, name, &text);
    output_text(NULL, &text);
    text_free(&text);
    text_free(&shape);
}

int command_topo(const struct options *options)
{
    struct job job = {.options = options};
    job.topology = topology_read(options->arguments[0], &job.diagnostics);
    if (job.topology)
        print_topology(options, job.topology);
    return job_close(&job, job.topology ? STATUS_CLEAN : STATUS_FAILED);
}
