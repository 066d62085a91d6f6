/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as DOT, and as the lists and outputs that become explicit networks too:
 * whatever is accepted must have routes that join, unless tables say otherwise, and
 * must be the same network with the same routes when it is written and read again.
 */
#include "network/formats/formats.h"
#include "network/graph.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHECKED = 40, MAX_HOPS = 4096 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        const struct hop *hops, uint32_t n)
{
    uint32_t at = source, from, to;
    require(n <= topology->max_hops);
    for (uint32_t i = 0; i < n; i++) {
        topology_link_ends(topology, hops[i].link, &from, &to);
        require(from == at);
        at = to;
    }
    require(!n || at == destination);
    if (!topology_as_graph(topology)->forwarding)
        require((n > 0) == (source != destination));
}

/* Every route joins and is the same in both. */
static void compare_routes(const struct topology *a, const struct topology *b)
{
    uint32_t n = a->n_machines < MAX_CHECKED ? a->n_machines : MAX_CHECKED;
    if (a->max_hops > MAX_HOPS || b->max_hops > MAX_HOPS)
        return;
    struct hop *hops_a = mem_alloc(a->max_hops, sizeof *hops_a);
    struct hop *hops_b = mem_alloc(b->max_hops, sizeof *hops_b);
    for (uint32_t source = 0; source < n; source++)
        for (uint32_t destination = 0; destination < n; destination++) {
            uint32_t n_a = topology_route(a, source, destination, hops_a);
            uint32_t n_b = topology_route(b, source, destination, hops_b);
            check_route(a, source, destination, hops_a, n_a);
            require(n_a == n_b);
            for (uint32_t i = 0; i < n_a; i++)
                require(hops_a[i].link == hops_b[i].link);
        }
    free(hops_a);
    free(hops_b);
}

static void check_written(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    const char *problem = NULL;
    if (dot_format.write(topology, &text, &problem)) {
        const struct source *source =
            source_of_text("written", text.data, text.length, &diagnostics.arena);
        require(dot_format.is(source));
        struct topology *again = topology_read_source(&dot_format, source, &diagnostics);
        require(again && again->fingerprint == topology->fingerprint);
        bool has_routes = strncmp(text.data, "// without its routes", 21) != 0;
        if (has_routes)
            compare_routes(topology, again);
        topology_free(again);
    }
    text_free(&text);
    diagnostics_free(&diagnostics);
}

static void try_reader(const struct topology_format *format, const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    const struct source *source =
        source_of_text("input", (const char *)data, size, &diagnostics.arena);
    if (source_check_utf8(source, &diagnostics)) {
        struct topology *topology = topology_read_source(format, source, &diagnostics);
        require((topology != NULL) == !diagnostics_has_errors(&diagnostics));
        if (topology)
            check_written(topology);
        topology_free(topology);
    }
    struct text text = {0};
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] == '{')
        try_reader(&lldp_format, data, size);
    else if (size && (data[0] == '<' || (data[0] >= '0' && data[0] <= '9')))
        try_reader(&opa_format, data, size);
    else
        try_reader(&dot_format, data, size);
    return 0;
}
