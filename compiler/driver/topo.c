/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc topo: what a topology file or string says.
 */
#include "compiler/driver/json.h"
#include "compiler/driver/output.h"
#include "compiler/driver/pipeline.h"
#include "compiler/topo/topo.h"
#include "emitters/topology.h"

#include <inttypes.h>
#include <stdio.h>

enum { N_NETWORKS = 1 }; /* a topology is one fabric */

/* Least and largest value over all links. */
struct range {
    uint64_t least, most;
};

/* O(links) for a graph; the other kinds have one value. */
static struct range range_of(const struct topology *topology,
                             uint64_t (*value)(const struct topology *topology, uint32_t link),
                             uint64_t of_all)
{
    struct range range = {of_all, of_all};
    if (topology->kind != TOPOLOGY_GRAPH || !topology->n_link_ids)
        return range;
    range = (struct range){UINT64_MAX, 0};
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint64_t one = value(topology, link);
        range.least = one < range.least ? one : range.least;
        range.most = one > range.most ? one : range.most;
    }
    return range;
}

static void print_range(struct text *out, const char *what, struct range range,
                        void (*print)(uint64_t value, struct text *out))
{
    text_printf(out, "  %-12s ", what);
    print(range.least, out);
    if (range.most != range.least) {
        text_append(out, " to ", 4);
        print(range.most, out);
    }
    text_append(out, "\n", 1);
}

/* The value under `key`, null if the links differ. */
static void write_range(struct json *json, const char *key, const char *least, const char *most,
                        struct range range)
{
    if (range.least == range.most)
        json_unsigned(json, key, range.least);
    else
        json_null(json, key);
    json_unsigned(json, least, range.least);
    json_unsigned(json, most, range.most);
}

static void print_text(const struct topology *topology, const char *shape, struct text *out)
{
    text_append_safe(out, topology->name);
    text_append(out, "\n", 1);
    text_printf(out, "  machines     %u\n  routers      %u\n", topology->n_machines,
                topology->n_routers);
    text_printf(out, "  links        %u, one per direction\n", topology->n_links);
    print_range(out, "bandwidth", range_of(topology, topology_link_bandwidth, topology->bandwidth),
                topology_print_bandwidth);
    print_range(out, "latency", range_of(topology, topology_link_latency, topology->latency),
                topology_print_latency);
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
    struct range bandwidth = range_of(topology, topology_link_bandwidth, topology->bandwidth);
    struct range latency = range_of(topology, topology_link_latency, topology->latency);
    char fingerprint[20];
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, topology->fingerprint);
    json_open(&json, NULL, '{');
    json_string(&json, "topology", topology->name);
    json_unsigned(&json, "machines", topology->n_machines);
    json_unsigned(&json, "routers", topology->n_routers);
    json_unsigned(&json, "links", topology->n_links);
    json_unsigned(&json, "networks", N_NETWORKS);
    json_string(&json, "shape", *shape ? shape : NULL);
    write_range(&json, "bandwidth", "bandwidth_min", "bandwidth_max", bandwidth);
    write_range(&json, "latency_ns", "latency_min_ns", "latency_max_ns", latency);
    json_index(&json, "ports", topology->ports ? (int64_t)topology->ports : -1);
    json_unsigned(&json, "hops_max", topology->max_hops);
    json_string(&json, "routing", topology_routing_rule(topology));
    json_string(&json, "fingerprint", fingerprint);
    json_close(&json, '}');
}

static void print_report(const struct options *options, const struct topology *topology)
{
    struct text text = {0}, shape = {0};
    topology_shape(topology, &shape);
    const char *name = shape.data ? shape.data : "";
    if (is_choice(options->format, "json"))
        print_json(topology, name, &text);
    else
        print_text(topology, name, &text);
    output_text(options->output, &text);
    text_free(&text);
    text_free(&shape);
}

static int convert(const struct options *options, const struct topology *topology)
{
    struct text text = {0};
    const char *problem = NULL;
    bool is_written = topology_target_find(options->to)->write(topology, &text, &problem);
    if (is_written)
        output_text(options->output, &text);
    else
        fprintf(stderr, "collc: error: '%s' cannot be written as %s: %s\n", topology->name,
                options->to, problem);
    text_free(&text);
    return is_written ? STATUS_CLEAN : STATUS_FAILED;
}

int command_topo(const struct options *options)
{
    struct job job = {.options = options};
    int status = STATUS_FAILED;
    job.topology = topology_read(options->arguments[0], &job.diagnostics);
    if (job.topology && options->to)
        status = convert(options, job.topology);
    else if (job.topology) {
        print_report(options, job.topology);
        status = STATUS_CLEAN;
    }
    return job_close(&job, status);
}
