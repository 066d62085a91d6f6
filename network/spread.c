/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See spread.h. Links that some flow may cross are numbered as they are met.
 */
#include "network/spread.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A link on a way of a flow; nodes as of struct way. */
struct arc {
    uint32_t link, from, to;
    double share, better; /* of the flow's amount: now, and by the cheapest ways */
};

/* A flow with its arcs. */
struct part {
    size_t first, end;
    uint32_t source, n_nodes;
    double amount, once; /* once: all flows of a source together are one */
};

struct met_link {
    uint32_t link;
    uint32_t owner, forced_by; /* source of a flow that may cross it; that must; SPREAD_NOBODY */
    double most;               /* amounts of all flows that may cross it */
    double load, price;        /* price of an amount */
    double weight;             /* load of an amount of 1 */
};
#define SPREAD_NOBODY UINT32_MAX
enum { SPREAD_HALVINGS = 8, SPREAD_LOOKS = SPREAD_HALVINGS + 4 }; /* of a step; at each arc in a round */
#define SPREAD_GAP 5e-3

struct spread {
    struct ways ways;
    struct arc *arcs;
    struct part *parts;
    struct met_link *links;
    size_t n_arcs, n_parts, n_links, arc_capacity, part_capacity, link_capacity;
    uint32_t *met;   /* [link] its number here + 1; 0: not met */
    uint32_t *flows; /* [machine] flows that it sends */
    double *node;    /* [number of a node of a flow] */
    uint32_t *degree;
    size_t node_capacity, degree_capacity;
    uint64_t bandwidth; /* of the fastest link; 0: links are alike */
};

struct spread *spread_new(const struct topology *topology, bool by_time)
{
    struct spread *spread = mem_alloc(1, sizeof *spread);
    for (uint32_t link = 0; by_time && link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) &&
            topology_link_bandwidth(topology, link) > spread->bandwidth)
            spread->bandwidth = topology_link_bandwidth(topology, link);
    spread->ways = ways_new(topology);
    spread->met = mem_alloc(topology->n_link_ids, sizeof *spread->met);
    spread->flows = mem_alloc(topology->n_machines, sizeof *spread->flows);
    return spread;
}

uint64_t spread_bandwidth(const struct spread *spread)
{
    return spread->bandwidth;
}

void spread_free(struct spread *spread)
{
    if (!spread)
        return;
    ways_free(&spread->ways);
    free(spread->arcs);
    free(spread->parts);
    free(spread->links);
    free(spread->met);
    free(spread->flows);
    free(spread->node);
    free(spread->degree);
    free(spread);
}

/* ---- the flows and the links that they may cross ---- */

static struct met_link *spread_meet(struct spread *spread, uint32_t link)
{
    if (!spread->met[link]) {
        spread->links =
            mem_grow(spread->links, &spread->link_capacity, spread->n_links + 1, sizeof *spread->links);
        const uint64_t bandwidth =
            spread->bandwidth ? topology_link_bandwidth(spread->ways.topology, link) : 0;
        spread->links[spread->n_links++] =
            (struct met_link){.link = link,
                              .owner = SPREAD_NOBODY,
                              .forced_by = SPREAD_NOBODY,
                              .weight = bandwidth ? (double)spread->bandwidth / (double)bandwidth : 1};
        spread->met[link] = (uint32_t)spread->n_links;
    }
    return &spread->links[spread->met[link] - 1];
}

/* Notes that a flow may cross a link, or must. Returns what that says of contention. */
static enum contention spread_cross(struct met_link *link, const struct part *part, bool is_forced)
{
    enum contention contention = CONTENTION_NONE;
    link->most += part->amount * link->weight;
    if (link->owner != SPREAD_NOBODY && link->owner != part->source)
        contention = CONTENTION_POSSIBLE;
    if (is_forced && link->forced_by != SPREAD_NOBODY && link->forced_by != part->source)
        contention = CONTENTION_CERTAIN;
    link->owner = part->source;
    if (is_forced)
        link->forced_by = part->source;
    return contention;
}

/* Adds the arcs of a flow. A link that is the only one at its place on the way has to be crossed. */
static enum contention spread_add(struct spread *spread, const struct spread_flow *flow)
{
    const uint32_t n = ways_find(&spread->ways, flow->source, flow->destination, flow->by_ports);
    const struct way *items = spread->ways.items;
    enum contention contention = CONTENTION_NONE;
    struct part part = {spread->n_arcs,       spread->n_arcs + n, flow->source,
                        spread->ways.n_nodes, flow->amount,       1.0 / spread->flows[flow->source]};
    if (!n)
        return contention;
    spread->arcs = mem_grow(spread->arcs, &spread->arc_capacity, part.end, sizeof *spread->arcs);
    spread->node = mem_grow(spread->node, &spread->node_capacity, part.n_nodes, sizeof *spread->node);
    spread->degree = mem_grow(spread->degree, &spread->degree_capacity, part.n_nodes, sizeof *spread->degree);
    for (uint32_t i = 0; i < n; i++) {
        const bool is_forced = (i == 0 || items[i - 1].place != items[i].place) &&
                               (i + 1 == n || items[i + 1].place != items[i].place);
        struct met_link *link = spread_meet(spread, items[i].link);
        const enum contention here = spread_cross(link, &part, is_forced);
        contention = here > contention ? here : contention;
        spread->arcs[spread->n_arcs++] =
            (struct arc){(uint32_t)(link - spread->links), items[i].from, items[i].to, 0, 0};
    }
    spread->parts =
        mem_grow(spread->parts, &spread->part_capacity, spread->n_parts + 1, sizeof *spread->parts);
    spread->parts[spread->n_parts++] = part;
    return contention;
}

/* ---- divisions ---- */

/* Divides equally at each node over the arcs that are meant: all, or those of which `better` is 1. */
static void spread_divide(struct spread *spread, const struct part *part, bool are_all)
{
    double *node = spread->node;
    uint32_t *degree = spread->degree;
    memset(degree, 0, part->n_nodes * sizeof *degree);
    memset(node, 0, part->n_nodes * sizeof *node);
    for (size_t i = part->first; i < part->end; i++)
        degree[spread->arcs[i].from] += are_all || spread->arcs[i].better > 0;
    node[0] = 1;
    for (size_t i = part->first; i < part->end; i++) {
        struct arc *arc = &spread->arcs[i];
        arc->better = are_all || arc->better > 0 ? node[arc->from] / degree[arc->from] : 0;
        node[arc->to] += arc->better;
    }
}

static double spread_amount(const struct part *part, bool is_once)
{
    return is_once ? part->once : part->amount;
}

/* Makes `better` the division and computes the loads anew. */
static void spread_take_better(struct spread *spread, bool is_once)
{
    for (size_t i = 0; i < spread->n_links; i++)
        spread->links[i].load = 0;
    for (size_t p = 0; p < spread->n_parts; p++) {
        const struct part *part = &spread->parts[p];
        for (size_t i = part->first; i < part->end; i++) {
            struct arc *arc = &spread->arcs[i];
            arc->share = arc->better;
            struct met_link *link = &spread->links[arc->link];
            link->load += spread_amount(part, is_once) * arc->share * link->weight;
        }
    }
}

static double spread_busiest(const struct spread *spread)
{
    double busiest = 0;
    for (size_t i = 0; i < spread->n_links; i++)
        busiest = spread->links[i].load > busiest ? spread->links[i].load : busiest;
    return busiest;
}

/* Prices of loads: 1 of the busiest link, less by a factor e for each 1/sharpness of its load that is
 * missing. Infinite sharpness: 0 of all others. */
struct tariff {
    double busiest, sharpness;
};

static double price_of_link(struct tariff tariff, double load)
{
    const double missing = 1 - load / tariff.busiest;
    return isinf(tariff.sharpness) ? missing < 1e-9 : exp(-tariff.sharpness * missing);
}

/* Sets the price of an amount on every link. Returns the sum of the prices of loads. */
static double spread_price(struct spread *spread, struct tariff tariff)
{
    double sum = 0;
    for (size_t i = 0; i < spread->n_links; i++) {
        struct met_link *link = &spread->links[i];
        const double price = price_of_link(tariff, link->load);
        link->price = price * link->weight;
        sum += price;
    }
    return sum;
}

/* Finds the cheapest ways of a flow: their arcs have 1 as `better`, the others 0. Returns their price. */
static double spread_cheapest(struct spread *spread, const struct part *part)
{
    double *node = spread->node;
    for (uint32_t i = 0; i + 1 < part->n_nodes; i++)
        node[i] = DBL_MAX;
    node[part->n_nodes - 1] = 0;
    for (size_t i = part->end; i-- > part->first;) {
        struct arc *arc = &spread->arcs[i];
        const double price = spread->links[arc->link].price + node[arc->to];
        node[arc->from] = price < node[arc->from] ? price : node[arc->from];
    }
    for (size_t i = part->first; i < part->end; i++) {
        struct arc *arc = &spread->arcs[i];
        const double price = spread->links[arc->link].price + node[arc->to];
        arc->better = price <= node[arc->from] * (1 + 1e-12);
    }
    return node[0];
}

/* Returns the load that no division is below, by these prices, whose sum is given. */
static double spread_floor(struct spread *spread, double sum, bool is_once)
{
    double total = 0;
    for (size_t p = 0; p < spread->n_parts; p++)
        total += spread_amount(&spread->parts[p], is_once) * spread_cheapest(spread, &spread->parts[p]);
    return total / sum;
}

/* Returns the slope of the sum of prices after a flow has gone so far towards its cheapest ways. */
static double spread_slope(const struct spread *spread, const struct part *part, struct tariff tariff,
                           double amount, double step)
{
    double slope = 0;
    for (size_t i = part->first; i < part->end; i++) {
        const struct arc *arc = &spread->arcs[i];
        const struct met_link *link = &spread->links[arc->link];
        const double change = amount * link->weight * (arc->better - arc->share);
        if (change > 0 || change < 0)
            slope += change * price_of_link(tariff, link->load + step * change);
    }
    return slope;
}

/* Lets a flow go towards its cheapest ways as far as that lowers the sum of prices. */
static void spread_improve(struct spread *spread, const struct part *part, struct tariff tariff,
                           double amount)
{
    double low = 0, high = 1;
    for (size_t i = part->first; i < part->end; i++) {
        struct met_link *link = &spread->links[spread->arcs[i].link];
        link->price = price_of_link(tariff, link->load) * link->weight;
    }
    spread_cheapest(spread, part);
    spread_divide(spread, part, false);
    if (spread_slope(spread, part, tariff, amount, 0) >= 0)
        return;
    for (int i = 0; i < SPREAD_HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (spread_slope(spread, part, tariff, amount, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = part->first; i < part->end; i++) {
        struct arc *arc = &spread->arcs[i];
        const double change = low * (arc->better - arc->share);
        struct met_link *link = &spread->links[arc->link];
        link->load += amount * change * link->weight;
        arc->share += change;
    }
}

/* Encloses the balanced load from both sides. */
static void spread_balance(struct spread *spread, bool is_once, double *balanced, double *least)
{
    const double rounds = (double)SPREAD_WORK / (SPREAD_LOOKS * (double)spread->n_arcs);
    struct tariff tariff = {0, INFINITY};
    for (size_t p = 0; p < spread->n_parts; p++)
        spread_divide(spread, &spread->parts[p], true);
    spread_take_better(spread, is_once);
    *balanced = DBL_MAX;
    *least = 0;
    for (int round = 0;; round++) {
        tariff.busiest = spread_busiest(spread);
        *balanced = tariff.busiest < *balanced ? tariff.busiest : *balanced;
        const double floor = spread_floor(spread, spread_price(spread, tariff), is_once);
        *least = floor > *least ? floor : *least;
        if (*balanced <= *least * (1 + SPREAD_GAP) || round >= SPREAD_ROUNDS || round + 1 >= rounds)
            break;
        tariff.sharpness = 5.0 * pow(1.03, round);
        for (size_t p = 0; p < spread->n_parts; p++)
            spread_improve(spread, &spread->parts[p], tariff, spread_amount(&spread->parts[p], is_once));
    }
    if (*balanced <= *least * (1 + 1e-9))
        *least = *balanced;
}

/* ---- all of it ---- */

static void spread_forget(struct spread *spread, const struct spread_flow *flows, size_t n)
{
    for (size_t i = 0; i < spread->n_links; i++)
        spread->met[spread->links[i].link] = 0;
    for (size_t i = 0; i < n; i++)
        spread->flows[flows[i].source] = 0;
    spread->n_arcs = spread->n_parts = spread->n_links = 0;
}

/* True if the amount of every flow is that of `once`. */
static bool spread_is_once(const struct spread *spread)
{
    for (size_t p = 0; p < spread->n_parts; p++)
        if (fabs(spread->parts[p].amount - spread->parts[p].once) > 1e-12)
            return false;
    return true;
}

/* Flows of one source on a link are no contention, so each source counts once; if even their best division
 * has a link with more than one of these, two sources meet there without division. */
static bool spread_must_meet(struct spread *spread, const struct spread_loads *loads)
{
    double balanced, least = loads->least;
    if (!spread_is_once(spread))
        spread_balance(spread, true, &balanced, &least);
    return least > 1 + 1e-6;
}

struct spread_loads spread_measure(struct spread *spread, const struct spread_flow *flows, size_t n)
{
    struct spread_loads loads = {.contention = CONTENTION_NONE};
    for (size_t i = 0; i < n; i++)
        spread->flows[flows[i].source]++;
    for (size_t i = 0; i < n; i++) {
        const enum contention contention = spread_add(spread, &flows[i]);
        loads.contention = contention > loads.contention ? contention : loads.contention;
    }
    for (size_t i = 0; i < spread->n_links; i++) {
        const struct met_link *link = &spread->links[i];
        if (link->most < loads.most || (link->most <= loads.most && link->link > loads.most_link))
            continue;
        loads.most = link->most;
        loads.most_link = link->link;
    }
    if (spread->n_parts)
        spread_balance(spread, false, &loads.balanced, &loads.least);
    if (loads.contention == CONTENTION_POSSIBLE && spread_must_meet(spread, &loads))
        loads.contention = CONTENTION_CERTAIN;
    spread_forget(spread, flows, n);
    return loads;
}
