/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as an ibsim network, a list of OpenSM or a dump of ibnetdiscover, iblinkinfo,
 * ibdiagnet or UFM. What is accepted and can be written as an ibsim network must read back with the
 * same machines, routers and links, and the tables written for it must route every pair there.
 */
#include "network/formats/formats.h"
#include "network/formats/opensm/lft.h"
#include "network/graph.h"

#include <stdlib.h>

enum { MAX_MACHINES = 64 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* False if two machines have names that a node description makes one, or none: the
 * reader takes adapters' names off and leaves pseudo-hosts out. */
static bool keeps_names(const struct topology *topology, const struct topology *again)
{
    char a[256], b[256];
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, a, sizeof a);
        topology_node_name(again, node, b, sizeof b);
        if (strcmp(a, b) != 0)
            return false;
    }
    return true;
}

static void check_tables(const struct topology *topology, struct topology *again)
{
    struct diagnostics diagnostics = {0};
    struct text tables = {0};
    const char *problem = NULL;
    if (lfts_format.write(topology, &tables, &problem)) {
        const struct source *source =
            source_of_text("tables", tables.data, tables.length, &diagnostics.arena);
        struct lft_text text = {.source = source};
        struct lft_request request = {&text, 1, "tables", false};
        require(lft_apply(again, &request, &diagnostics));
        const uint64_t n = again->n_machines;
        require(topology_as_graph(again)->forwarding->pairs[FATE_ARRIVES] == n * (n - 1));
    } else {
        require(problem != NULL);
    }
    text_free(&tables);
    diagnostics_free(&diagnostics);
}

static void check_written(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct text network = {0};
    const char *problem = NULL;
    if (ibsim_format.write(topology, &network, &problem)) {
        const struct source *source =
            source_of_text("network", network.data, network.length, &diagnostics.arena);
        struct topology *again = topology_read_source(&ibnetdiscover_format, source, &diagnostics);
        if (again && again->n_nodes == topology->n_nodes && keeps_names(topology, again)) {
            require(again->n_links == topology->n_links);
            check_tables(topology, again);
        }
        topology_free(again);
    } else {
        require(problem != NULL);
    }
    text_free(&network);
    diagnostics_free(&diagnostics);
}

static void try_reader(const struct topology_format *format, const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    struct topology *topology = NULL;
    if (source_check_utf8(source, &diagnostics))
        topology = topology_read_source(format, source, &diagnostics);
    require((topology != NULL) == !diagnostics_has_errors(&diagnostics));
    if (topology && topology->n_machines <= MAX_MACHINES)
        check_written(topology);
    struct text text = {0};
    diagnostics_print(&diagnostics, &text, false);
    text_free(&text);
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    if (opensm_subnet_format.is(source))
        try_reader(&opensm_subnet_format, data, size);
    else if (ufm_format.is(source))
        try_reader(&ufm_format, data, size);
    else if (iblinkinfo_format.is(source))
        try_reader(&iblinkinfo_format, data, size);
    else if (net_dump_format.is(source))
        try_reader(&net_dump_format, data, size);
    else if (ibnetdiscover_format.is(source))
        try_reader(&ibnetdiscover_format, data, size);
    if (ibsim_format.is(source) || !ibnetdiscover_format.is(source))
        try_reader(&ibsim_format, data, size);
    arena_free(&arena);
    return 0;
}
