/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the worst block, and describes the bound. See flow.h.
 */
#include "bound/flow/flow.h"

#include "bound/flow/program.h"
#include "bound/routes.h"

#include <stdlib.h>
#include <string.h>

/* Limit of sources * arcs for a walk. */
#define MAX_WALKED (UINT64_C(1) << 25)

/* Puts the lengths of the block that has the highest quotient into the proof. */
static void take_block(struct flow *flow, struct flow_proof *proof, const struct flow_block *block,
                       const struct flow_search *search)
{
    uint64_t *length = mem_alloc(block->n_arcs, sizeof *length);
    const struct flow_block_bound bound = flow_block_solve(block, proof->measure, search, length);
    if (bound.end != LP_SOLVED)
        proof->end = bound.end;
    if (fraction_is_above(bound.quotient, proof->quotient)) {
        proof->quotient = bound.quotient;
        memset(proof->length, 0, flow->network.n_arcs * sizeof *proof->length);
        for (uint32_t i = 0; i < block->n_arcs; i++)
            proof->length[block->arc[i]] = length[i];
    }
    free(length);
}

static bool is_apart(const struct bound_request *request, const struct flow_blocks *blocks,
                     uint32_t apart[2])
{
    if (!blocks->is_whole) {
        apart[0] = request->placement->server_machine[0];
        apart[1] = blocks->apart;
        return flow_is_product(request) || !request->counts;
    }
    for (uint32_t i = 0; i < blocks->n; i++)
        if (!flow_reaches(&blocks->all[i], &apart[0], &apart[1]))
            return true;
    return false;
}

/* Returns the load by the routes of the network, if known. */
static struct fraction load_of_routes(const struct bound_request *request)
{
    struct bound bound = {.kind = NULL};
    const bool is_known = bound_routes(request, &bound);
    text_free(&bound.reason);
    return is_known ? bound.load : (struct fraction){0, 0};
}

static bool flow_has_enough(const struct flow_proof *proof, const struct flow_search *search)
{
    return search->enough.bottom && !fraction_is_above(search->enough, proof->quotient);
}

/* Proves blocks of two nodes first: they take no time, and may be the worst. */
static void flow_prove(struct flow *flow, const struct flow_blocks *blocks,
                       const struct bound_request *request, const struct lp_solver *solver)
{
    struct flow_search search = {request->topology, solver, load_of_routes(request)};
    const uint32_t n_measures = flow->network.is_even ? 1 : 2;
    for (uint32_t i = 0; i < n_measures; i++) {
        struct flow_proof *proof = &flow->proof[i];
        proof->measure = i == 0 ? FLOW_LOAD : FLOW_TIME;
        proof->length = mem_alloc(flow->network.n_arcs, sizeof *proof->length);
        for (uint32_t j = 0; j < 2 * blocks->n && !flow_has_enough(proof, &search); j++)
            if ((blocks->all[j % blocks->n].n_nodes == 2) == (j < blocks->n))
                take_block(flow, proof, &blocks->all[j % blocks->n], &search);
        search.enough = (struct fraction){0, 0}; /* no time is known beforehand */
    }
    flow->n_proofs = flow->proof[0].quotient.top ? n_measures : 0;
}

static bool flow_is_too_large(const struct flow_network *network, const struct flow_blocks *blocks)
{
    for (uint32_t i = 0; i < blocks->n; i++)
        if ((uint64_t)blocks->all[i].n_nodes * blocks->all[i].n_arcs > MAX_WALKED)
            return true;
    return blocks->is_too_large || network->n_arcs == 0;
}

struct flow flow_of(const struct bound_request *request, const struct lp_solver *solver)
{
    struct flow flow = {.n_proofs = 0};
    if (!flow_serves(request) || request->placement->n_servers < 2 ||
        !flow_network_of(request, &flow.network))
        return flow;
    struct flow_blocks blocks = flow_blocks_of(request, &flow.network);
    if (!flow_is_too_large(&flow.network, &blocks)) {
        flow.is_apart = is_apart(request, &blocks, flow.apart);
        if (!flow.is_apart && blocks.is_whole)
            flow_prove(&flow, &blocks, request, solver);
    }
    flow_blocks_free(&blocks);
    return flow;
}

void flow_free(struct flow *flow)
{
    for (int i = 0; i < 2; i++)
        free(flow->proof[i].length);
    flow_network_free(&flow->network);
}

/* ---- the bound ---- */

static void flow_say_why(const struct flow *flow, const struct bound_request *request, struct text *reason)
{
    const struct flow_proof *proof = &flow->proof[0];
    wide sum = 0;
    for (uint32_t i = 0; i < flow->network.n_arcs; i++)
        sum += (wide)proof->length[i] * flow->network.arcs[i].cables;
    text_printf(reason, "whatever the routes: by lengths of the links that are ");
    wide_print(sum, reason);
    text_printf(reason, " together, all %s have ", bound_unit(request));
    wide_print(proof->quotient.top * (sum / proof->quotient.bottom), reason);
    text_printf(reason, " to go");
    for (uint32_t i = 0; i < flow->n_proofs; i++)
        if (flow->proof[i].end != LP_SOLVED) {
            text_printf(reason, "; perhaps not the best lengths: %s", lp_problem(flow->proof[i].end));
            break;
        }
}

bool flow_bound(const struct flow *flow, const struct bound_request *request, struct bound *bound)
{
    if (flow->n_proofs == 0)
        return false;
    struct fraction time = flow->proof[flow->n_proofs - 1].quotient;
    bound->kind = "flow";
    bound->load = flow->proof[0].quotient;
    if (flow->n_proofs == 1) {
        const struct flow_arc *arc = flow->network.arcs;
        uint64_t top, bottom;
        while (arc->cables == 0)
            arc++;
        fraction_narrow(time, &top, &bottom);
        time = fraction_of(top, (wide)bottom * (arc->bandwidth / arc->cables));
    }
    fraction_narrow(time, &bound->blocks, &bound->bandwidth);
    flow_say_why(flow, request, &bound->reason);
    return true;
}
