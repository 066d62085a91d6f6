/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Head-of-line blocking by the model of Naruse et al. 2010, section 3.6, carried from two
 * senders per server to any number.
 *
 * A server s sends the share a_sd of its packets to server d. While a packet of
 * s waits at the port of d, the K other servers that send to d at that moment
 * compete with it, each present with probability a_td; one of the K + 1 goes,
 * any with equal chance, so s is blocked with probability K/(K+1). Hence
 *
 *   B_s = sum over d of a_sd * E[K/(K+1)],   slowdown_s = 1 / (1 - B_s)
 *
 * With two senders per port, shares a and 1-a, this is the paper's
 * 1 / (1 - a(1-a)). E[1/(K+1)] is the integral of x^K over 0..1 in the mean,
 * i.e. of prod_t (1 - a_td + a_td x). That is a polynomial, integrated by
 * Gauss-Legendre quadrature: exactly up to degree 31 with one panel. With more
 * senders, of shares that sum up to S, no n-th derivative is above S^n, so the
 * error of one panel is at most S^32 16!^4 / (33 32!^3): 2e-16 for S = 16. Beyond, the
 * product is steep near x = 1, and panels that halve towards 1 keep ten
 * digits. A run of senders of equal shares is one power in the product, and has one
 * integral at a port; ports of the same two runs have one for all. Time O(flows + runs of unlike shares at
 * a port * log^2 S).
 */
#include "measure/hol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL_NODES = 16, MAX_PANELS = 32 };

/* Senders of one share that come to a port one after the other. */
struct run {
    double share;
    uint32_t n; /* 0: none */
};

/* A port that is sent to. */
struct port {
    struct run first, last; /* the last two runs: not in the product */
    bool has_product;       /* there were others, which are in it */
    double share, goes;     /* E[1/(K+1)] of a sender of that share; goes 0: nothing is known */
};

/* A sender of this share at a port of these runs and this product, if any, of one panel. */
struct known {
    double share, product[PANEL_NODES];
    struct run first, last;
    bool has_product;
    double goes; /* 0: nothing is known */
};
enum { N_KNOWN = 64 }; /* a power of two */

struct hol {
    uint32_t n_server_ports;
    bool has_nodes;
    double gauss_node[PANEL_NODES], gauss_weight[PANEL_NODES]; /* on 0..1 */
    double node[PANEL_NODES * MAX_PANELS], weight[PANEL_NODES * MAX_PANELS];
    double factor[PANEL_NODES * MAX_PANELS], integrand[PANEL_NODES * MAX_PANELS]; /* scratch */
    size_t n_nodes;
    uint32_t *sent;  /* [port] messages of the step, zero between steps */
    double *blocked; /* [port] B_s, zero between steps */
    uint32_t *index; /* [port] + 1 among those in use, zero between steps */
    struct port *ports; /* in use */
    double *product; /* [index][node]: of ports in use with a product */
    size_t n_ports, port_capacity, product_capacity;
    struct known known[N_KNOWN];
};

/* Nodes and weights by Newton's method on the Legendre polynomial, when they are first needed. */
static void gauss_legendre(struct hol *hol)
{
    hol->has_nodes = true;
    const double pi = acos(-1.0);
    for (int k = 0; k < PANEL_NODES; k++) {
        double x = cos(pi * (k + 0.75) / (PANEL_NODES + 0.5)), slope = 1;
        for (int round = 0; round < 50; round++) {
            double before = 1, value = x;
            for (int n = 2; n <= PANEL_NODES; n++) {
                double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
                before = value;
                value = next;
            }
            slope = PANEL_NODES * (x * value - before) / (x * x - 1);
            double next = x - value / slope;
            if (next == x)
                break;
            x = next;
        }
        hol->gauss_node[k] = (1 + x) / 2;
        hol->gauss_weight[k] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* Panels 0..1/2, 1/2..3/4, ... , the last one up to 1. `shares`: the most that a port gets in all; 0: no port
 * has more senders than one panel is exact for. */
static void set_panels(struct hol *hol, double shares)
{
    size_t n_panels = shares > PANEL_NODES ? 5 : 1;
    if (!hol->has_nodes)
        gauss_legendre(hol);
    for (uint32_t reach = 2 * PANEL_NODES; reach < shares; reach *= 2)
        n_panels++;
    double start = 0;
    hol->n_nodes = 0;
    for (size_t panel = 0; panel < n_panels; panel++) {
        double width = panel + 1 < n_panels ? (1 - start) / 2 : 1 - start;
        for (int k = 0; k < PANEL_NODES; k++, hol->n_nodes++) {
            hol->node[hol->n_nodes] = start + width * hol->gauss_node[k];
            hol->weight[hol->n_nodes] = width * hol->gauss_weight[k];
        }
        start += width;
    }
}

struct hol *hol_new(uint32_t n_servers, uint32_t n_ports)
{
    struct hol *hol = mem_alloc(1, sizeof *hol);
    const size_t n = (size_t)n_servers * n_ports;
    hol->n_server_ports = n_ports;
    hol->sent = mem_alloc(n, sizeof *hol->sent);
    hol->blocked = mem_alloc(n, sizeof *hol->blocked);
    hol->index = mem_alloc(n, sizeof *hol->index);
    return hol;
}

void hol_free(struct hol *hol)
{
    free(hol->sent);
    free(hol->blocked);
    free(hol->index);
    free(hol->ports);
    free(hol->product);
    free(hol);
}

/* Makes room for one more port. */
static void hol_make_room(struct hol *hol)
{
    hol->ports = mem_grow(hol->ports, &hol->port_capacity, hol->n_ports + 1, sizeof *hol->ports);
    hol->product = mem_grow(hol->product, &hol->product_capacity, (hol->n_ports + 1) * hol->n_nodes,
                            sizeof *hol->product);
}

static inline struct port *port_in_use(struct hol *hol, size_t port)
{
    uint32_t *index = &hol->index[port];
    if (!*index) {
        hol_make_room(hol);
        hol->ports[hol->n_ports] = (struct port){.goes = 0};
        *index = (uint32_t)++hol->n_ports;
    }
    return &hol->ports[*index - 1];
}

static double *product_of(const struct hol *hol, const struct port *port)
{
    return hol->product + (size_t)(port - hol->ports) * hol->n_nodes;
}

/* Multiplies a product by the factors of a run: a power of one. */
static void multiply_in(struct hol *hol, double *product, struct run run)
{
    double *factor = hol->factor;
    for (size_t k = 0; run.n && k < hol->n_nodes; k++)
        factor[k] = 1 - run.share + run.share * hol->node[k];
    for (; run.n; run.n >>= 1) {
        for (size_t k = 0; run.n & 1 && k < hol->n_nodes; k++)
            product[k] *= factor[k];
        for (size_t k = 0; run.n > 1 && k < hol->n_nodes; k++)
            factor[k] *= factor[k];
    }
}

/* A third run brings the first one into the product. */
static void begin_run(struct hol *hol, struct port *port)
{
    if (port->first.n) {
        double *product = product_of(hol, port);
        for (size_t k = 0; !port->has_product && k < hol->n_nodes; k++)
            product[k] = 1;
        multiply_in(hol, product, port->first);
        port->has_product = true;
    }
    port->first = port->last;
    port->last.n = 0;
}

static void add_sender(struct hol *hol, struct port *port, double share)
{
    if (port->last.n && port->last.share != share)
        begin_run(hol, port);
    port->last.share = share;
    port->last.n++;
}

/* A server has a queue at each of its ports. */
static size_t sending_port(const struct hol *hol, const struct flow *flow)
{
    return (size_t)flow->source * hol->n_server_ports + flow->out;
}

static size_t receiving_port(const struct hol *hol, const struct flow *flow)
{
    return (size_t)flow->destination * hol->n_server_ports + flow->in;
}

static double share_of(const struct hol *hol, const struct flow *flow)
{
    return (double)flow->n_messages / hol->sent[sending_port(hol, flow)];
}

/* E[1/(K+1)] for a sender of share a at a port: the port's product without the
 * sender's own factor. The nodes are inside (0, 1), so no factor is 0. */
static double integrate(struct hol *hol, const struct port *port, double share)
{
    double goes = 0, *product = hol->integrand;
    for (size_t k = 0; k < hol->n_nodes; k++)
        product[k] = port->has_product ? product_of(hol, port)[k] : 1;
    multiply_in(hol, product, port->first);
    multiply_in(hol, product, port->last);
    for (size_t k = 0; k < hol->n_nodes; k++)
        goes += hol->weight[k] * product[k] / (1 - share + share * hol->node[k]);
    return goes;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static struct known *known_at(struct hol *hol, const struct port *port, double share)
{
    uint64_t hash = bits_of(share) ^ bits_of(port->last.share) << 1;
    hash ^= port->first.n ^ (uint64_t)port->last.n << 8;
    hash ^= port->first.n ? bits_of(port->first.share) << 2 : 0;
    hash ^= port->has_product ? bits_of(*product_of(hol, port)) << 3 : 0;
    return &hol->known[hash * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (N_KNOWN - 1)];
}

static bool is_run(const struct run *a, const struct run *b)
{
    return a->n == b->n && (!a->n || a->share == b->share);
}

static bool is_known(const struct hol *hol, const struct known *known, const struct port *port, double share)
{
    return known->goes != 0 && known->share == share && is_run(&known->first, &port->first) &&
           is_run(&known->last, &port->last) && known->has_product == port->has_product &&
           (!port->has_product ||
            memcmp(known->product, product_of(hol, port), sizeof known->product) == 0);
}

/* Integrates at a port. Remembers results for the smallest number of quadrature nodes, which most ports
 * need. */
static double goes_at(struct hol *hol, const struct port *port, double share)
{
    if (hol->n_nodes != PANEL_NODES)
        return integrate(hol, port, share);
    struct known *known = known_at(hol, port, share);
    if (!is_known(hol, known, port, share)) {
        known->goes = integrate(hol, port, share);
        known->share = share;
        known->first = port->first;
        known->last = port->last;
        known->has_product = port->has_product;
        if (port->has_product)
            memcpy(known->product, product_of(hol, port), sizeof known->product);
    }
    return known->goes;
}

/* E[K/(K+1)] */
static double blocked_at(struct hol *hol, struct port *port, double share)
{
    if (port->goes == 0 || port->share != share) {
        port->goes = goes_at(hol, port, share);
        port->share = share;
    }
    return 1 - port->goes;
}

/* Returns the most that the shares of the senders to a port sum up to. */
static double most_shares(struct hol *hol, const struct flow *flows, size_t n)
{
    double *sum = hol->blocked, most = 0; /* of receiving ports, for now */
    for (size_t i = 0; i < n; i++) {
        const size_t port = receiving_port(hol, &flows[i]);
        sum[port] += share_of(hol, &flows[i]);
        most = sum[port] > most ? sum[port] : most;
    }
    for (size_t i = 0; i < n; i++)
        sum[receiving_port(hol, &flows[i])] = 0;
    return most;
}

/* Adds all senders to their ports. */
static void add_senders(struct hol *hol, const struct flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_sender(hol, port_in_use(hol, receiving_port(hol, &flows[i])), share_of(hol, &flows[i]));
}

static void clear(struct hol *hol, const struct flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hol->sent[sending_port(hol, &flows[i])] = 0;
        hol->blocked[sending_port(hol, &flows[i])] = 0;
        hol->index[receiving_port(hol, &flows[i])] = 0;
    }
    hol->n_ports = 0;
}

double hol_slowdown(struct hol *hol, const struct flows *set, uint32_t max_fan_in,
                    double *slowdown)
{
    const struct flow *flows = set->flows;
    const size_t n = set->n;
    double slowest = 0;
    for (size_t i = 0; i < n; i++)
        hol->sent[sending_port(hol, &flows[i])] += flows[i].n_messages;
    set_panels(hol, max_fan_in > 2 * PANEL_NODES ? most_shares(hol, flows, n) : 0);
    add_senders(hol, flows, n);
    for (size_t i = 0; i < n; i++) {
        double share = share_of(hol, &flows[i]);
        struct port *port = port_in_use(hol, receiving_port(hol, &flows[i]));
        double *blocked = &hol->blocked[sending_port(hol, &flows[i])];
        *blocked += share * blocked_at(hol, port, share);
        slowest = *blocked > slowest ? *blocked : slowest;
    }
    for (size_t i = 0; slowdown && i < n; i++)
        slowdown[i] = 1 / (1 - hol->blocked[sending_port(hol, &flows[i])]);
    clear(hol, flows, n);
    return 1 / (1 - slowest);
}
