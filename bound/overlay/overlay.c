/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts prices to whole lengths, and describes the bound. See overlay.h.
 */
#include "bound/overlay/overlay.h"

#include "base/integer.h"
#include "bound/overlay/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 10 };

/* Least ratio of the reached to the proved load that is reported. */
#define WORTH_SAYING 1.001

/* ---- whole lengths ---- */

struct rounding {
    const struct overlay_network *network;
    struct overlay_proof *proof;
    const double *length; /* [link] 0 .. 1 */
    double *candidate;
};

static void divide_by_common(double *length, uint32_t n)
{
    uint64_t divisor = 0;
    for (uint32_t i = 0; i < n; i++)
        divisor = common_divisor(divisor, (uint64_t)length[i]);
    for (uint32_t i = 0; i < n && divisor; i++)
        length[i] /= (double)divisor;
}

/* Tries lengths in multiples of 1 / parts of the longest; takes them if they prove more. */
static void overlay_try_parts(const struct rounding *rounding, double parts)
{
    const uint32_t n = rounding->network->n_links;
    struct overlay_proof *proof = rounding->proof;
    for (uint32_t i = 0; i < n; i++)
        rounding->candidate[i] = floor(rounding->length[i] * parts + 0.5);
    divide_by_common(rounding->candidate, n);
    const struct fraction quotient = overlay_quotient(rounding->network, proof->measure, rounding->candidate);
    if (!fraction_is_above(quotient, proof->quotient))
        return;
    proof->quotient = quotient;
    for (uint32_t i = 0; i < n; i++)
        proof->length[i] = (uint64_t)rounding->candidate[i];
}

/* Rounds the lengths; the best ones often are ratios of small numbers. */
static void round_lengths(const struct overlay_network *network, const struct overlay_flow *flow,
                          struct overlay_proof *proof)
{
    static const double parts[] = {1, 2, 3, 4, 5, 6, 8, 12, 1 << 12, 1 << 20, 1 << OVERLAY_LENGTH_BITS};
    const size_t n_parts = sizeof parts / sizeof *parts;
    struct rounding rounding = {network, proof, flow->length, mem_alloc(network->n_links, sizeof(double))};
    double most = 0;
    for (uint32_t i = 0; i < network->n_links; i++)
        most = fmax(most, flow->length[i]);
    for (uint32_t i = 0; i < network->n_links && most > 0; i++)
        flow->length[i] /= most;
    for (size_t i = 0; i < n_parts && most > 0; i++)
        overlay_try_parts(&rounding, parts[i]);
    free(rounding.candidate);
}

/* ---- proofs ---- */

static uint64_t least_capacity(const struct overlay_network *network, enum flow_measure measure)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < network->n_links; i++)
        if (overlay_capacity(&network->links[i], measure) < least)
            least = overlay_capacity(&network->links[i], measure);
    return least;
}

/* Returns the unit of loads in the flow. */
static double overlay_unit_of(const struct overlay_network *network, enum flow_measure measure)
{
    return 1 / (double)least_capacity(network, measure);
}

/* Looks for one proof. With `least` (overlay_effort) ways that need hardly more than that end the search. */
static void overlay_prove(const struct overlay_network *network, enum flow_measure measure, double least,
                          uint64_t work, struct overlay_proof *proof)
{
    const struct overlay_effort effort = {work, 0, least};
    struct overlay_flow flow = overlay_spread(network, measure, &effort);
    *proof = (struct overlay_proof){.measure = measure};
    proof->length = mem_alloc(network->n_links, sizeof *proof->length);
    proof->reached = flow.most * overlay_unit_of(network, measure);
    round_lengths(network, &flow, proof);
    overlay_flow_free(&flow);
}

/* Proves all measures. If only one of them is above the known bound, searches lengths for the other one
 * again, as both are shown together. */
static void prove_all(struct overlay *overlay, const struct overlay_known *known, uint64_t work)
{
    const struct overlay_network *network = &overlay->network;
    const struct fraction all[] = {known->load, known->time};
    bool is_above[2] = {false, false};
    overlay->n_proofs = network->is_even ? 1 : 2;
    for (uint32_t i = 0; i < overlay->n_proofs; i++) {
        const double unit = overlay_unit_of(network, (enum flow_measure)i);
        const double least = all[i].bottom ? fraction_real(all[i]) / unit : 0;
        overlay_prove(network, (enum flow_measure)i, least, work, &overlay->proof[i]);
        is_above[i] = fraction_is_above(overlay->proof[i].quotient, all[i]);
    }
    if (!is_above[0] && !is_above[1]) {
        overlay->n_proofs = 0;
        return;
    }
    for (uint32_t i = 0; i < overlay->n_proofs; i++)
        if (!is_above[i]) {
            free(overlay->proof[i].length);
            overlay_prove(network, (enum flow_measure)i, 0, work, &overlay->proof[i]);
        }
}

/* True if straight ways load some link more than the known bound; else there is no room for a bound. */
static bool leaves_room(const struct overlay_network *network, enum flow_measure measure,
                        struct fraction known)
{
    struct overlay_flow straight = overlay_spread(network, measure, &(struct overlay_effort){.work = 0});
    const double most = straight.most * overlay_unit_of(network, measure);
    overlay_flow_free(&straight);
    return known.bottom == 0 || most > fraction_real(known) * (1 + 1e-9);
}

/* True if all nodes are servers and each link is the route between its ends: then ways over relays are all
 * paths. */
static bool has_all_ways(const struct topology *topology, const struct placement *placement,
                         const struct overlay_network *network)
{
    const uint32_t n = network->n_servers;
    if (topology->n_nodes != n || network->n_links != topology->n_links)
        return false;
    uint32_t *server_at = mem_alloc(n, sizeof *server_at);
    bool has_all = true;
    for (uint32_t server = 0; server < n; server++)
        server_at[placement->server_machine[server]] = server;
    for (uint32_t link = 0; link < network->n_links && has_all; link++) {
        uint32_t from, to;
        topology_link_ends(topology, network->links[link].id, &from, &to);
        const size_t pair = (size_t)server_at[from] * n + server_at[to];
        has_all = network->first[pair + 1] == network->first[pair] + 1 &&
                  network->route[network->first[pair]] == link;
    }
    free(server_at);
    return has_all;
}

/* True if routes may need more than what is known. */
static bool is_worth_it(const struct bound_request *request, const struct overlay_network *network,
                        const struct overlay_known *known)
{
    if (known->is_flow && has_all_ways(request->topology, request->placement, network))
        return false;
    return leaves_room(network, FLOW_LOAD, known->load) ||
           (!network->is_even && leaves_room(network, FLOW_TIME, known->time));
}

struct overlay_known overlay_known_by(const struct flow *flow)
{
    return (struct overlay_known){flow->proof[0].quotient, flow->proof[1].quotient, flow->n_proofs > 0};
}

struct overlay overlay_of(const struct bound_request *request, const struct overlay_known *known,
                          uint64_t work)
{
    struct overlay overlay = {.n_proofs = 0};
    const struct overlay_network *network = &overlay.network;
    if (!overlay_network_of(request, &overlay.network))
        overlay.missing = request->placement->n_servers > OVERLAY_MAX_SERVERS
                              ? "there are too many servers"
                              : "it needs one network with a route for each two servers";
    else if (!is_worth_it(request, network, known))
        overlay.missing = NULL;
    else if (overlay_round_work(network) > work / LEAST_ROUNDS)
        overlay.missing = leaves_room(network, FLOW_LOAD, known->load)
                              ? "there are too many servers for a short search"
                              : NULL;
    else
        prove_all(&overlay, known, work);
    return overlay;
}

void overlay_free(struct overlay *overlay)
{
    for (int i = 0; i < 2; i++)
        free(overlay->proof[i].length);
    overlay_network_free(&overlay->network);
}

/* ---- the bound ---- */

static bool is_best(const struct overlay_proof *proof)
{
    return proof->reached <= fraction_real(proof->quotient) * WORTH_SAYING;
}

bool overlay_is_best(const struct overlay *overlay)
{
    bool is_whole = overlay->n_proofs > 0;
    for (uint32_t i = 0; i < overlay->n_proofs; i++)
        is_whole &= is_best(&overlay->proof[i]);
    return is_whole;
}

static void overlay_say_why(const struct overlay *overlay, const struct bound_request *request,
                            struct text *reason)
{
    const struct overlay_proof *proof = &overlay->proof[0];
    wide sum = 0;
    for (uint32_t i = 0; i < overlay->network.n_links; i++)
        sum += proof->length[i];
    text_printf(reason, "on these routes, whoever relays: by lengths of the links that are ");
    wide_print(sum, reason);
    text_printf(reason, " together, all %s have ", bound_unit(request));
    wide_print(proof->quotient.top * (sum / proof->quotient.bottom), reason);
    text_printf(reason, " to go");
    if (!is_best(proof))
        text_printf(reason, "; perhaps not the best lengths: the best ways that were found need %.2f",
                    proof->reached);
}

bool overlay_bound(const struct overlay *overlay, const struct bound_request *request, struct bound *bound)
{
    if (overlay->n_proofs == 0)
        return false;
    struct fraction time = overlay->proof[overlay->n_proofs - 1].quotient;
    bound->kind = "overlay";
    bound->load = overlay->proof[0].quotient;
    if (overlay->n_proofs == 1) {
        uint64_t top, bottom;
        fraction_narrow(time, &top, &bottom);
        time = fraction_of(top, (wide)bottom * overlay->network.links[0].bandwidth);
    }
    fraction_narrow(time, &bound->blocks, &bound->bandwidth);
    overlay_say_why(overlay, request, &bound->reason);
    return true;
}
