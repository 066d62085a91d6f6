/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the grid or full mesh that the machines of a network are: the network itself, the network it is
 * part of, or the shape that an explicit network is recognised as (network/recognise.h). Then its
 * machines have places in the shape, and a router with one machine is at the machine's place.
 */
#include "nwtopo/internal.h"

#include "network/full.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/parts.h"
#include "network/recognise.h"
#include "network/view.h"

#include <stdlib.h>
#include <string.h>

static bool is_grid_or_full(const struct topology *topology)
{
    return topology_as_grid(topology) || topology_is_full(topology);
}

/* Inverts model->place. */
static void shape_invert(struct model *model)
{
    uint32_t n = model->shape->n_nodes;
    model->machine_at = mem_alloc(n, sizeof *model->machine_at);
    memset(model->machine_at, 0xff, n * sizeof *model->machine_at);
    for (uint32_t machine = 0; machine < model->network->n_machines; machine++)
        model->machine_at[model->place[machine]] = machine;
}

/* Uses part of a grid's nodes as machines; the others are routers of the network. */
static void use_part(struct model *model, const struct topology *grid)
{
    const struct topology *network = model->network;
    model->shape = grid;
    model->place = mem_alloc(network->n_nodes, sizeof *model->place);
    for (uint32_t node = 0; node < network->n_nodes; node++)
        model->place[node] = topology_base_node(network, node);
    shape_invert(model);
}

static void use_recognised(struct model *model)
{
    struct recognition recognition;
    if (recognise(model->network, &recognition) && is_grid_or_full(recognition.shape)) {
        model->shape = model->recognised = recognition.shape;
        model->place = recognition.image;
        recognition.shape = NULL;
        recognition.image = NULL;
        shape_invert(model);
    }
    recognition_free(&recognition);
}

void model_find_shape(struct model *model)
{
    const struct topology *network = model->network, *grid = topology_grid(network);
    bool is_part = topology_is_subset(network) && topology_grid(network->base);
    if (grid || topology_is_full(network))
        model->shape = grid ? grid : network;
    else if (is_part)
        use_part(model, topology_grid(network->base));
    else if (topology_as_graph(network))
        use_recognised(model);
}

uint32_t model_place(const struct model *model, uint32_t machine)
{
    return model->place ? model->place[machine] : machine;
}

uint32_t model_machine_at(const struct model *model, uint32_t place)
{
    return model->machine_at ? model->machine_at[place] : place;
}

uint32_t model_machine_of(const struct model *model, uint32_t node)
{
    if (node < model->network->n_machines)
        return node;
    return model->shape ? model_machine_at(model, model_place(model, node)) : NOBODY;
}
