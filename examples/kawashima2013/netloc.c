/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nwtopo beside netloc, of which Kawashima et al. 2013 say in section 2 that it takes much memory, and that a
 * program has to search its graph for what it is. A torus is loaded with nwtopo, written with netloc's own
 * functions as netloc's data, and loaded by netloc. Then all neighbours are asked of both, and compared.
 *
 *   mkdir data
 *   ./netloc torus:4x6x16 data
 *
 * prints the hosts, the bytes of heap and the ms of each load, the bytes of nwtopo with NO_MACHINES, and the
 * hosts whose neighbours differ. For netloc 0.5 or 0.6 (README.md says where it is and how it is built).
 */
#include <malloc.h>
#include <netloc.h>
#include <netloc_dc.h>
#include <private/netloc.h> /* makers of nodes and edges, as netloc's own readers use them */
#include <nwtopo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ID = sizeof "0000:0000:0000:0000" };

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

static size_t heap(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* netloc knows a host by its GUID: here the id that nwtopo gives it. */
static char *guid(unsigned long id, char *text)
{
    snprintf(text, ID, "0000:0000:%04lx:%04lx", id >> 16 & 0xffff, id & 0xffff);
    return text;
}

static nwtopo_topology_t load_nwtopo(const char *spec, unsigned long flags)
{
    nwtopo_topology_t topology;
    if (nwtopo_topology_init(&topology) || nwtopo_topology_set_synthetic(topology, spec) ||
        nwtopo_topology_set_flags(topology, flags) || nwtopo_topology_load(topology))
        stop("nwtopo");
    return topology;
}

/* Neighbour number 2 d + up of a host; NULL: there is none, or it has been named (extent 2). */
static nwtopo_obj_t neighbour(nwtopo_topology_t topology, nwtopo_obj_t host, unsigned i)
{
    nwtopo_obj_t grid = host->parents[0], found;
    const unsigned extent = grid->attr->grid.dimensions[i / 2];
    if (extent == 1 || (extent == 2 && i % 2))
        return NULL;
    return nwtopo_grid_get_neighbor_obj(topology, grid, host, i / 2, i % 2 ? -1 : 1, &found) ? NULL : found;
}

static unsigned n_ways(nwtopo_obj_t host)
{
    return 2 * host->parents[0]->attr->grid.num_dimensions;
}

static netloc_network_t *network_of(void)
{
    netloc_network_t *network = netloc_dt_network_t_construct();
    network->network_type = NETLOC_NETWORK_TYPE_INFINIBAND;
    network->subnet_id = strdup("fe80:0000:0000:0000");
    return network;
}

static void write_edges(netloc_data_collection_handle_t *data, nwtopo_topology_t topology, nwtopo_obj_t host)
{
    char from[ID], to[ID];
    for (unsigned i = 0; i < n_ways(host); i++) {
        nwtopo_obj_t next = neighbour(topology, host, i);
        if (!next)
            continue;
        netloc_edge_t *edge = netloc_dt_edge_t_construct();
        edge->src_node_id = strdup(guid(host->id, from));
        edge->dest_node_id = strdup(guid(next->id, to));
        edge->src_node_type = edge->dest_node_type = NETLOC_NODE_TYPE_HOST;
        edge->src_port_id = strdup("1"), edge->dest_port_id = strdup("1");
        edge->speed = strdup("5"), edge->width = strdup("4"), edge->description = strdup("");
        netloc_dc_append_edge_to_node_by_id(data, from, edge);
        netloc_dt_edge_t_destruct(edge);
    }
}

/* Writes all hosts and links as netloc's data. */
static void write_data(nwtopo_topology_t topology, char *folder)
{
    netloc_network_t *network = network_of();
    netloc_data_collection_handle_t *data = netloc_dc_create(network, folder);
    const unsigned n = nwtopo_topology_get_num_machines(topology);
    char id[ID];
    if (!data)
        stop(folder);
    for (unsigned i = 0; i < n; i++) {
        nwtopo_obj_t host = nwtopo_topology_get_object(topology, 0, i);
        netloc_node_t *node = netloc_dt_node_t_construct();
        node->network_type = NETLOC_NETWORK_TYPE_INFINIBAND;
        node->node_type = NETLOC_NODE_TYPE_HOST;
        node->physical_id = strdup(guid(host->id, id));
        node->logical_id = strdup("1");
        node->subnet_id = strdup(network->subnet_id);
        node->description = strdup(host->attr->machine.hostname);
        netloc_dc_append_node(data, node);
        netloc_dt_node_t_destruct(node);
    }
    for (unsigned i = 0; i < n; i++)
        write_edges(data, topology, nwtopo_topology_get_object(topology, 0, i));
    if (netloc_dc_close(data))
        stop(folder);
    netloc_dt_data_collection_handle_t_destruct(data);
    netloc_dt_network_t_destruct(network);
}

static netloc_topology_t load_netloc(const char *folder)
{
    netloc_network_t *network = network_of();
    netloc_topology_t topology;
    netloc_dt_lookup_table_t nodes;
    char uri[4096];
    snprintf(uri, sizeof uri, "file://%s", folder);
    if (netloc_find_network(uri, network) || netloc_attach(&topology, *network) ||
        netloc_get_all_nodes(topology, &nodes)) /* which reads them */
        stop("netloc");
    netloc_lookup_table_destroy(nodes);
    free(nodes);
    netloc_dt_network_t_destruct(network);
    return topology;
}

/* True if netloc's edges of a host lead to what nwtopo calls its neighbours. */
static bool is_equal(nwtopo_topology_t topology, netloc_topology_t other, nwtopo_obj_t host)
{
    char id[ID];
    int n_edges = 0, n_found = 0;
    netloc_edge_t **edges;
    netloc_node_t *node = netloc_get_node_by_physical_id(other, guid(host->id, id));
    if (!node || netloc_get_all_edges(other, node, &n_edges, &edges))
        return false;
    for (unsigned i = 0; i < n_ways(host); i++) {
        nwtopo_obj_t next = neighbour(topology, host, i);
        bool is_there = !next;
        for (int e = 0; e < n_edges && !is_there; e++)
            is_there = strcmp(edges[e]->dest_node_id, guid(next->id, id)) == 0;
        if (!is_there)
            return false;
        n_found += next != NULL;
    }
    return n_found == n_edges;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: netloc SYNTHETIC FOLDER\n");
        return 2;
    }
    size_t before = heap();
    nwtopo_topology_t bare = load_nwtopo(argv[1], NWTOPO_TOPOLOGY_FLAG_NO_MACHINES);
    const size_t bare_bytes = heap() - before;
    nwtopo_topology_destroy(bare);
    before = heap();
    double start = now_ms();
    nwtopo_topology_t topology = load_nwtopo(argv[1], 0);
    const double own_ms = now_ms() - start;
    const size_t own_bytes = heap() - before;
    write_data(topology, argv[2]);
    before = heap(), start = now_ms();
    netloc_topology_t other = load_netloc(argv[2]);
    const double other_ms = now_ms() - start;
    const size_t other_bytes = heap() - before;
    const unsigned n = nwtopo_topology_get_num_machines(topology);
    unsigned n_bad = 0;
    for (unsigned i = 0; i < n; i++)
        n_bad += !is_equal(topology, other, nwtopo_topology_get_object(topology, 0, i));
    printf("%u hosts: nwtopo %zu bytes, %.1f ms, %zu bytes without hosts; netloc %zu bytes, %.1f ms; "
           "neighbours differ on %u hosts\n", n, own_bytes, own_ms, bare_bytes, other_bytes, other_ms, n_bad);
    netloc_detach(other);
    nwtopo_topology_destroy(topology);
    return n_bad != 0;
}
