/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scales capacities to whole numbers. See packing.h.
 */
#include "synth/packing_internal.h"

#include "base/integer.h"

#include <stdlib.h>

/* Limits of trees for a block; if exactness needs more than MOST_TREES, capacities are rounded down. */
enum { MOST_TREES = 4096, ROUNDED_TREES = 64, TRIES = 64 };
#define LARGEST (UINT64_C(1) << 40)

static uint64_t divisor_of_capacities(const struct cut_network *network)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < network->n_arcs; i++)
        divisor = common_divisor(divisor, network->arcs[i].capacity);
    return divisor ? divisor : 1;
}

/* Sets the capacity of each arc: the least number of trees that leaves no cut too narrow is k * ratio *
 * capacity; more than all trees are useless. */
static void packing_scale(struct pack_network *network, const struct ratio_cut *cut, uint32_t more)
{
    const struct cut_network *given = network->request->network;
    const wide most = (wide)network->k * network->all;
    for (size_t i = 0; i < (size_t)network->n_nodes * network->n_nodes; i++)
        network->capacity[i] = 0;
    for (uint32_t i = 0; i < given->n_arcs; i++) {
        wide trees = (wide)network->k * cut->ratio.top * given->arcs[i].capacity / cut->ratio.bottom;
        trees += trees * more / TRIES;
        trees = trees > most ? most : trees;
        *pack_capacity(network, given->arcs[i].from, given->arcs[i].to) += (uint64_t)trees;
    }
}

/* True if all trees fit. */
static bool packing_fits(const struct pack_network *network)
{
    struct max_flow flow = max_flow_new(network->n_nodes + 1);
    bool is_good = true;
    for (uint32_t from = 0; from < network->n_nodes; from++)
        for (uint32_t to = 0; to < network->n_nodes; to++)
            if (*pack_capacity(network, from, to))
                max_flow_add(&flow, from, to, *pack_capacity(network, from, to));
    for (uint32_t member = 0; member < network->n_members; member++)
        max_flow_add(&flow, network->n_nodes, member,
                     network->k * network->request->network->weight[member]);
    for (uint32_t member = 0; is_good && member < network->n_members; member++)
        is_good = max_flow_run(&flow, network->n_nodes, member, network->k * network->all) ==
                  network->k * network->all;
    max_flow_free(&flow);
    return is_good;
}

static bool find_scale(struct pack_network *network, const struct ratio_cut *cut)
{
    const uint64_t divisor = divisor_of_capacities(network->request->network);
    const struct fraction ratio = fraction_of(cut->ratio.top * divisor, cut->ratio.bottom);
    network->k = ratio.bottom <= MOST_TREES ? (uint64_t)ratio.bottom : ROUNDED_TREES;
    for (uint32_t more = 0; more <= TRIES; more++) {
        packing_scale(network, cut, more);
        if (packing_fits(network))
            return true;
    }
    return false;
}

static bool pack(struct pack_network *network, const struct ratio_cut *cut, struct packing *packing,
                 struct text *problem)
{
    network->k = 1;
    if (network->n_members > 1 && !find_scale(network, cut)) {
        text_printf(problem, "capacities differ too much");
        return false;
    }
    network->n_expected = (uint64_t)network->n_members * network->n_members;
    packing->k = network->k;
    if (pack_split(network) && pack_grow(network, packing))
        return true;
    text_printf(problem, "time was up before all trees were found");
    return false;
}

bool packing_find(const struct packing_request *request, struct packing *packing, struct text *problem)
{
    const struct cut_network *given = request->network;
    struct pack_network network = {.request = request, .n_nodes = given->n_nodes,
                                   .n_members = request->n_members};
    struct ratio_cut cut;
    *packing = (struct packing){0};
    for (uint32_t member = 0; member < request->n_members; member++)
        network.all += given->weight[member];
    bool is_done = ratio_cut_find(given, &cut) && network.all <= LARGEST;
    if (!is_done)
        text_printf(problem, "numbers are too large to be counted");
    if (is_done && cut.is_apart) {
        text_printf(problem, "not all machines can reach each other");
        is_done = false;
    }
    if (is_done && !cut.ratio.bottom && request->n_members > 1) {
        text_printf(problem, "nobody has a block for others");
        is_done = false;
    }
    if (is_done) {
        network.capacity = mem_alloc((size_t)network.n_nodes * network.n_nodes, sizeof *network.capacity);
        is_done = pack(&network, &cut, packing, problem);
        free(network.capacity);
    }
    ratio_cut_free(&cut);
    if (!is_done)
        packing_free(packing);
    return is_done;
}

void packing_free(struct packing *packing)
{
    for (uint32_t i = 0; i < packing->n_trees; i++) {
        free(packing->trees[i].order);
        free(packing->trees[i].from);
        free(packing->trees[i].depth);
    }
    free(packing->trees);
    *packing = (struct packing){0};
}
