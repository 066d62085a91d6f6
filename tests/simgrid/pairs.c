/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: pairs PLATFORM
 * Links and the route of every pair of hosts as collc reads them, in the form of
 * tests/simgrid/reference.cpp:
 *
 *   link NAME BYTES-PER-SECOND NS shared|free
 *   route FROM TO NS LINK...
 */
#include "network/formats/formats.h"
#include "network/formats/simgrid/zones.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_link(const struct topology *topology, uint32_t link)
{
    struct text name = {0};
    zones_link_name(topology_as_zones(topology), link, &name);
    printf("link %s %" PRIu64 " %" PRIu64 " %s\n", name.data,
           topology_link_bandwidth(topology, link), topology_link_latency(topology, link),
           topology_link_contends(topology, link) ? "shared" : "free");
    text_free(&name);
}

static void print_route(const struct topology *topology, uint32_t from, uint32_t to,
                        struct hop *hops)
{
    struct text line = {0};
    char name[1024];
    uint64_t latency = 0;
    uint32_t n = topology_route(topology, from, to, hops);
    for (uint32_t i = 0; i < n; i++)
        latency += topology_link_latency(topology, hops[i].link);
    topology_node_name(topology, from, name, sizeof name);
    text_printf(&line, "route %s ", name);
    topology_node_name(topology, to, name, sizeof name);
    text_printf(&line, "%s", name);
    if (n)
        text_printf(&line, " %" PRIu64, latency);
    for (uint32_t i = 0; i < n; i++) {
        text_append(&line, " ", 1);
        zones_link_name(topology_as_zones(topology), hops[i].link, &line);
    }
    puts(line.data);
    text_free(&line);
}

static void print_all(const struct topology *topology)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        print_link(topology, link);
    for (uint32_t from = 0; from < topology->n_machines; from++)
        for (uint32_t to = 0; to < topology->n_machines; to++)
            if (from != to)
                print_route(topology, from, to, hops);
    free(hops);
}

int main(int argc, char **argv)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    struct topology *topology = argc == 2 ? topology_read(argv[1], &diagnostics) : NULL;
    diagnostics_print(&diagnostics, &text, false);
    fputs(text.data ? text.data : "", stderr);
    text_free(&text);
    bool is_read = topology && topology_as_zones(topology);
    if (is_read)
        print_all(topology);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return is_read ? 0 : 2;
}
