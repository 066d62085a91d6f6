/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as a platform of SimGrid: routes stay within their bound and use links that
 * exist, names lead back to their machines, and what is written as a platform again has
 * routes over as many links.
 */
#include "network/formats/formats.h"
#include "network/formats/simgrid/zones.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHECKED = 24, MAX_HOPS = 1 << 16 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_link(const struct topology *topology, uint32_t link)
{
    struct text name = {0};
    uint32_t from, to;
    require(topology_has_link(topology, link) && topology_link_bandwidth(topology, link));
    topology_link_ends(topology, link, &from, &to);
    require(from < topology->n_nodes && to < topology->n_nodes);
    zones_link_name(topology_as_zones(topology), link, &name);
    require(name.length > 0);
    text_free(&name);
}

static void check_name(const struct topology *topology, uint32_t machine)
{
    char name[1024];
    topology_node_name(topology, machine, name, sizeof name);
    require(topology_find_machine(topology, name, strlen(name)) == machine);
}

static void check_routes(const struct topology *topology, struct hop *hops)
{
    uint32_t n = topology->n_machines < MAX_CHECKED ? topology->n_machines : MAX_CHECKED;
    for (uint32_t source = 0; source < n; source++) {
        uint32_t last = topology->n_machines - 1 - source;
        check_name(topology, last);
        for (uint32_t destination = 0; destination < n; destination++) {
            uint32_t n_hops = topology_route(topology, last, destination, hops);
            require(n_hops <= topology->max_hops && (n_hops == 0 || last != destination));
            for (uint32_t i = 0; i < n_hops; i++)
                check_link(topology, hops[i].link);
        }
    }
}

static void check_written(const struct topology *topology, struct hop *hops)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct text text = {0};
    const char *problem = NULL;
    if (!simgrid_format.write(topology, &text, &problem)) {
        require(problem != NULL);
        text_free(&text);
        return;
    }
    const struct source *source = source_of_text("written", text.data, text.length, &arena);
    struct topology *again = topology_read_source(&simgrid_format, source, &diagnostics);
    bool is_faithful = memchr(text.data + 21, '?', text.length - 21) == NULL;
    require(again || !is_faithful);
    for (uint32_t a = 0; again && a < topology->n_machines; a++)
        for (uint32_t b = 0; b < topology->n_machines; b++)
            require(topology_route(topology, a, b, hops) == topology_route(again, a, b, hops));
    topology_free(again);
    text_free(&text);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    struct topology *topology = NULL;
    if (source_check_utf8(source, &diagnostics))
        topology = topology_read_source(&simgrid_format, source, &diagnostics);
    require((topology != NULL) == !diagnostics_has_errors(&diagnostics));
    if (topology && topology->max_hops <= MAX_HOPS) {
        struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
        check_routes(topology, hops);
        if (topology->n_machines <= MAX_CHECKED)
            check_written(topology, hops);
        free(hops);
    }
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
    return 0;
}
