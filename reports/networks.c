/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which network each rank uses towards every other (PM/Composite's destination table,
 * Sumimoto et al. 2000, table 1), and what networks there are.
 */
#include "reports/networks.h"

#include "reports/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS_A_ROW = 4, LEAST_WIDTH = 3, NAME_SIZE = 256 };

/* ---- what networks there are ---- */

void networks_text(const struct topology *topology, struct text *out)
{
    uint32_t n = topology_n_networks(topology);
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        const struct network *network = topology_network_info(topology, i);
        text_printf(out, "  %-12s %-*s ", i ? "" : "networks", NETWORK_LABEL_MAX, network->label);
        if (i == NETWORK_MEMORY) {
            text_printf(out, "within a machine");
        } else {
            topology_print_bandwidth(network->bandwidth, out);
            text_printf(out, ", %u machine%s", network->n_machines, plural(network->n_machines));
        }
        text_append(out, ", ", 2);
        text_append_safe(out, network->name);
        text_append(out, "\n", 1);
    }
    uint64_t apart = topology_pairs_apart(topology);
    if (apart)
        text_printf(out, "  apart        %" PRIu64 " ordered pairs of machines have no network in "
                         "common\n", apart);
}

uint32_t networks_n_listed(const struct topology *topology)
{
    const uint32_t n = topology_n_networks(topology);
    return n > 1 ? n : 0;
}

/* ---- the table of a rank ---- */

struct tables {
    const struct topology *topology;
    const struct placement *placement;
    int rank_width, label_width;
    bool is_used[NO_NETWORK + 1]; /* [network] in what was shown */
};

static uint32_t network_between(const struct tables *tables, uint32_t source,
                                uint32_t destination)
{
    return topology_network(tables->topology, tables->placement->machine[source],
                            tables->placement->machine[destination]);
}

static const char *networks_label_of(const struct tables *tables, uint32_t network)
{
    return network == NO_NETWORK ? "?" : topology_network_info(tables->topology, network)->label;
}

static void networks_print_heading(const struct tables *tables, uint32_t rank, struct text *out)
{
    char name[NAME_SIZE];
    topology_node_name(tables->topology, tables->placement->machine[rank], name, sizeof name);
    text_printf(out, "PE %u on ", rank);
    text_append_safe(out, name);
    text_append(out, "\n", 1);
    uint32_t n = tables->placement->n_ranks < PAIRS_A_ROW ? tables->placement->n_ranks
                                                          : PAIRS_A_ROW;
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%*s  %s%*s", i ? "  " : "", tables->rank_width, "PE#", "dev",
                    i + 1 < n ? tables->label_width - LEAST_WIDTH : 0, "");
    text_append(out, "\n", 1);
}

static void networks_print_table(struct tables *tables, uint32_t rank, struct text *out)
{
    uint32_t n_ranks = tables->placement->n_ranks;
    networks_print_heading(tables, rank, out);
    for (uint32_t peer = 0; peer < n_ranks; peer++) {
        uint32_t network = network_between(tables, rank, peer);
        bool ends_row = peer % PAIRS_A_ROW == PAIRS_A_ROW - 1 || peer + 1 == n_ranks;
        tables->is_used[network] |= peer != rank;
        text_printf(out, "%*u  %-*s%s", tables->rank_width, peer, ends_row ? 0 : tables->label_width,
                    peer == rank ? "-" : networks_label_of(tables, network), ends_row ? "\n" : "  ");
    }
}

/* "SH=Shmem. MY=Myrinet", of the networks that were shown. */
static void networks_print_legend(const struct tables *tables, struct text *out)
{
    const char *separator = "";
    for (uint32_t i = 0; i < topology_n_networks(tables->topology); i++) {
        const struct network *network = topology_network_info(tables->topology, i);
        if (!tables->is_used[i])
            continue;
        text_printf(out, "%s%s=", separator, network->label);
        text_append_safe(out, network->name);
        separator = ". ";
    }
    if (tables->is_used[NO_NETWORK])
        text_printf(out, "%s?=no network in common", separator);
    text_append(out, "\n", 1);
}

static struct tables tables_of(const struct rank_networks *ranks)
{
    struct tables tables = {.topology = ranks->topology, .placement = ranks->placement};
    char number[16];
    int width = snprintf(number, sizeof number, "%u", tables.placement->n_ranks - 1);
    tables.rank_width = width > LEAST_WIDTH ? width : LEAST_WIDTH;
    tables.label_width = LEAST_WIDTH;
    for (uint32_t i = 0; i < topology_n_networks(tables.topology); i++) {
        int length = (int)strlen(networks_label_of(&tables, i));
        tables.label_width = length > tables.label_width ? length : tables.label_width;
    }
    return tables;
}

bool rank_networks_text(const struct rank_networks *ranks, struct text *out)
{
    struct tables tables = tables_of(ranks);
    for (uint32_t rank = ranks->first; rank < ranks->end; rank++) {
        networks_print_table(&tables, rank, out);
        if (rank + 1 < ranks->end)
            text_append(out, "\n", 1);
    }
    networks_print_legend(&tables, out);
    return !tables.is_used[NO_NETWORK];
}

static const char *networks_host_name(const struct tables *tables, uint32_t rank, char *name)
{
    topology_node_name(tables->topology, tables->placement->machine[rank], name, NAME_SIZE);
    return name;
}

/* Returns NULL if there is no network between them, which it notes. */
static const char *networks_label_towards(struct tables *tables, uint32_t rank, uint32_t peer)
{
    const uint32_t network = network_between(tables, rank, peer);
    tables->is_used[network] |= peer != rank;
    return peer == rank || network == NO_NETWORK ? NULL : networks_label_of(tables, network);
}

#include "reports/networks.def"

bool rank_networks_json(const struct rank_networks *ranks, struct text *out)
{
    struct tables tables = tables_of(ranks);
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    rank_networks_write(&json, &tables, ranks);
    json_close(&json, '}');
    return !tables.is_used[NO_NETWORK];
}
