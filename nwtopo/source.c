/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a network, and answers the library's questions about it. A model is read once and shared, so
 * nothing in it changes except caches under its lock.
 */
#include "nwtopo/internal.h"

#include "base/codes.h"
#include "network/formats/formats.h"
#include "network/full.h"
#include "network/grid.h"
#include "network/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading ---- */

static void take_error(struct nwtopo_topology *topology, struct text *text)
{
    free(topology->error);
    topology->error = text->data;
}

static struct topology *fail_reading(struct nwtopo_topology *topology, int error,
                                     const char *subject, const char *cause)
{
    struct text text = {0};
    text_printf(&text, "'%s': %s", subject, cause);
    take_error(topology, &text);
    errno = error;
    return NULL;
}

static struct topology *source_read_network(struct nwtopo_topology *topology, const char *spec)
{
    struct text text = {0};
    struct diagnostics *diagnostics = topology->diagnostics =
        mem_alloc(1, sizeof *topology->diagnostics);
    struct topology *network = topology_read(spec, diagnostics);
    if (!network)
        diagnostics_print(diagnostics, &text, false); /* otherwise warnings, and no error */
    take_error(topology, &text);
    errno = diagnostics->n_of_code[CODE_I001] ? ENOENT : EINVAL;
    return network;
}

/* The network that a site describes for all its programs. */
#define SITE_FILE "/etc/nwtopo.xml"

static struct topology *read_source(struct nwtopo_topology *topology)
{
    const char *spec = topology->source, *file = getenv("NWTOPO_FILE");
    bool is_file = topology->is_file;
    if (!spec) {
        is_file = file && *file;
        spec = is_file ? file : getenv("NWTOPO_SYNTHETIC");
    }
    if ((!spec || !*spec) && !access(SITE_FILE, F_OK)) {
        is_file = true;
        spec = SITE_FILE;
    }
    if (!spec || !*spec)
        return fail_reading(topology, ENOENT, "",
                            "no source of a topology: call nwtopo_topology_set_file or "
                            "nwtopo_topology_set_synthetic, or set NWTOPO_FILE or "
                            "NWTOPO_SYNTHETIC in the environment, or write " SITE_FILE);
    if (!is_file && !strchr(spec, ':'))
        return fail_reading(topology, EINVAL, spec,
                            "no synthetic topology: write a kind and numbers, as in torus:8x8x8");
    return source_read_network(topology, spec);
}

/* ---- links of a node ---- */

static void source_count_links(struct model *model)
{
    const struct topology *network = model->network;
    uint32_t from, to;
    for (uint32_t link = 0; link < network->n_link_ids; link++)
        if (topology_has_link(network, link)) {
            topology_link_ends(network, link, &from, &to);
            model->first[from + 1]++;
        }
    for (uint32_t node = 0; node < network->n_nodes; node++)
        model->first[node + 1] += model->first[node];
}

static void source_fill_links(struct model *model)
{
    const struct topology *network = model->network;
    uint32_t *next = mem_alloc((size_t)network->n_nodes + 1, sizeof *next), from, to;
    memcpy(next, model->first, network->n_nodes * sizeof *next);
    for (uint32_t link = 0; link < network->n_link_ids; link++)
        if (topology_has_link(network, link)) {
            topology_link_ends(network, link, &from, &to);
            model->out[next[from]++] = link;
        }
    free(next);
}

/* Indexes the links, unless their numbers are arithmetic: on a grid, in a full mesh and in a tree. */
static void index_links(struct model *model)
{
    const struct topology *network = model->network;
    const struct grid *grid = topology_as_grid(network);
    if (grid)
        model->degree = 2 * grid->n_dimensions;
    else if (topology_is_full(network))
        model->degree = network->n_machines - 1;
    model->is_tree = topology_as_tree(network);
    if (model->degree || model->is_tree)
        return;
    model->first = mem_alloc((size_t)network->n_nodes + 1, sizeof *model->first);
    source_count_links(model);
    model->out = mem_alloc(model->first[network->n_nodes], sizeof *model->out);
    source_fill_links(model);
}

uint32_t model_degree(const struct model *model, uint32_t node)
{
    struct tree_row rows[2];
    if (!model->is_tree)
        return model->degree ? model->degree : model->first[node + 1] - model->first[node];
    tree_links_of(model->network, node, rows);
    return tree_row_length(&rows[0]) + tree_row_length(&rows[1]);
}

uint32_t model_link(const struct model *model, uint32_t node, uint32_t i)
{
    struct tree_row rows[2];
    if (!model->is_tree)
        return model->degree ? node * model->degree + i : model->out[model->first[node] + i];
    tree_links_of(model->network, node, rows);
    const uint32_t n_down = tree_row_length(&rows[0]);
    return i < n_down ? tree_row_link(&rows[0], i) : tree_row_link(&rows[1], i - n_down);
}

uint32_t model_far_end(const struct model *model, uint32_t link)
{
    uint32_t from, to;
    topology_link_ends(model->network, link, &from, &to);
    return to;
}

uint32_t model_neighbours(const struct model *model, uint32_t node, uint32_t *far)
{
    struct tree_row rows[2];
    uint32_t n = 0;
    if (!model->is_tree) {
        for (const uint32_t degree = model_degree(model, node); n < degree; n++)
            far[n] = model_far_end(model, model_link(model, node, n));
        return n;
    }
    tree_links_of(model->network, node, rows);
    for (int way = 0; way < 2; way++)
        for (uint32_t i = 0; i < tree_row_length(&rows[way]); i++)
            far[n++] = tree_row_node(&rows[way], i);
    return n;
}

/* ---- names ---- */

/* Returns the length of a host name without domain; an address in digits has none. */
static size_t short_length(const char *name)
{
    return name[strspn(name, "0123456789.")] ? strcspn(name, ".") : strlen(name);
}

enum { MAX_NAME = 4096 };

static uint32_t find_short(const struct model *model, const char *name, size_t length)
{
    char other[MAX_NAME];
    uint32_t n = model->network->n_machines;
    for (uint32_t machine = 0; machine < n && !model->degree; machine++) {
        topology_node_name(model->network, machine, other, sizeof other);
        if (short_length(other) == length && memcmp(other, name, length) == 0)
            return machine;
    }
    return n;
}

uint32_t model_find_machine(const struct model *model, const char *name)
{
    size_t length = short_length(name);
    uint32_t n = model->network->n_machines;
    uint32_t machine = topology_find_machine(model->network, name, strlen(name));
    if (machine >= n)
        machine = topology_find_machine(model->network, name, length);
    return machine < n ? machine : find_short(model, name, length);
}

char *model_node_name(const struct model *model, uint32_t node, struct arena *arena)
{
    char name[MAX_NAME];
    topology_node_name(model->network, node, name, sizeof name);
    return arena_strndup(arena, name, strlen(name));
}

/* ---- life ---- */

struct model *model_read(struct nwtopo_topology *topology)
{
    struct model *model = mem_alloc(1, sizeof *model);
    atomic_init(&model->users, 1);
    pthread_mutex_init(&model->lock, NULL);
    topology->model = model; /* so that content_release frees it whatever happens */
    model->network = read_source(topology);
    if (!model->network)
        return NULL;
    index_links(model);
    model_find_shape(model);
    return model;
}

struct model *model_use(struct model *model)
{
    atomic_fetch_add(&model->users, 1);
    return model;
}

void model_release(struct model *model)
{
    if (!model || atomic_fetch_sub(&model->users, 1) > 1)
        return;
    topology_free(model->network);
    topology_free(model->recognised);
    free(model->place);
    free(model->machine_at);
    pthread_mutex_destroy(&model->lock);
    free(model->first);
    free(model->out);
    free(model);
}
