/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as forwarding tables, service levels and SL2VL tables of a small
 * fabric. Whatever is accepted must give routes that join, and as many of them as
 * the tables say arrive.
 */
#include "network/formats/opensm/lft.h"
#include "base/codes.h"
#include "network/formats/formats.h"
#include "routes/metrics.h"
#include "network/graph.h"

#include <stdlib.h>

static const char fabric[] =
    "Switch 4 \"S-0000000000000001\" # \"sw0\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-00000000000000a0\"[1](b0) # \"red HCA-1\" lid 8 4xEDR\n"
    "[2] \"H-00000000000000a1\"[1](b1) # \"blue HCA-1\" lid 10 4xEDR\n"
    "[3] \"S-0000000000000002\"[3] # \"sw1\" lid 2 4xEDR\n"
    "[4] \"S-0000000000000002\"[4] # \"sw1\" lid 2 4xEDR\n"
    "Switch 4 \"S-0000000000000002\" # \"sw1\" base port 0 lid 2 lmc 0\n"
    "[1] \"H-00000000000000a2\"[1](b2) # \"green HCA-1\" lid 12 4xEDR\n"
    "[3] \"S-0000000000000001\"[3] # \"sw0\" lid 1 4xEDR\n"
    "[4] \"S-0000000000000001\"[4] # \"sw0\" lid 1 4xEDR\n"
    "Ca 1 \"H-00000000000000a0\" # \"red HCA-1\"\n"
    "[1](b0) \"S-0000000000000001\"[1] # lid 8 lmc 1 \"sw0\" lid 1 4xEDR\n"
    "Ca 1 \"H-00000000000000a1\" # \"blue HCA-1\"\n"
    "[1](b1) \"S-0000000000000001\"[2] # lid 10 lmc 1 \"sw0\" lid 1 4xEDR\n"
    "Ca 1 \"H-00000000000000a2\" # \"green HCA-1\"\n"
    "[1](b2) \"S-0000000000000002\"[1] # lid 12 lmc 1 \"sw1\" lid 2 4xEDR\n";

static const char tables[] =
    "Unicast lids [0-13] of switch Lid 1 guid 0x0000000000000001 ('sw0'):\n"
    "0x0008 001\n0x000a 002\n0x000c 003\n"
    "Unicast lids [0-13] of switch Lid 2 guid 0x0000000000000002 ('sw1'):\n"
    "0x0008 003\n0x000a 004\n0x000c 001\n";

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_routes(const struct topology *topology)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint64_t n_routed = 0;
    for (uint32_t source = 0; source < topology->n_machines; source++)
        for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
            uint32_t n = topology_route(topology, source, destination, hops), at = source, from, to;
            require(n <= topology->max_hops);
            for (uint32_t i = 0; i < n; i++) {
                topology_link_ends(topology, hops[i].link, &from, &to);
                require(from == at && hops[i].lane < 16);
                at = to;
            }
            require(!n || at == destination);
            n_routed += n > 0;
            if (source != destination)
                require((n > 0) == (forwarding_end(topology_as_graph(topology), source, destination).fate ==
                                    FATE_ARRIVES));
        }
    require(n_routed == topology_as_graph(topology)->forwarding->pairs[FATE_ARRIVES]);
    struct metrics metrics = metrics_measure(topology, &(struct metrics_request){1, 2, {0}});
    require(metrics.pairs - metrics.pairs_unrouted == n_routed);
    metrics_free(&metrics);
    free(hops);
}

/* The input is one of the three; the other two are as they should be. */
static bool apply(struct topology *topology, const struct source *input, uint8_t what,
                  struct diagnostics *diagnostics)
{
    const struct source *good =
        source_of_text("tables", tables, sizeof tables - 1, &diagnostics->arena);
    struct lft_text text = {.source = what < 2 ? input : good};
    struct lft_request request = {&text, 1, "input", what == 1};
    bool is_read = lft_apply(topology, &request, diagnostics);
    if (is_read && what == 2)
        is_read = lanes_apply_sources(topology, input, NULL, diagnostics);
    if (is_read && what == 3)
        is_read = lanes_apply_sources(topology, NULL, input, diagnostics);
    return is_read;
}

static void try_input(const uint8_t *data, size_t size, uint8_t what)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    const struct source *source =
        source_of_text("fabric", fabric, sizeof fabric - 1, &diagnostics.arena);
    struct topology *topology = topology_read_source(&ibnetdiscover_format, source, &diagnostics);
    require(topology != NULL);
    const struct source *input =
        source_of_text("input", (const char *)data, size, &diagnostics.arena);
    bool is_read = source_check_utf8(input, &diagnostics) &&
                   apply(topology, input, what, &diagnostics);
    bool loops = diagnostics.n_of_code[CODE_T012] > 0;
    require(is_read == !diagnostics_has_errors(&diagnostics) || (is_read && loops));
    if (is_read)
        check_routes(topology);
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t what = size ? data[size - 1] % 4 : 0; /* the last byte is free text as a rule */
    for (uint8_t i = 0; i < 4; i++)
        if (size < 4096 || i == what)
            try_input(data, size, i);
    return 0;
}
