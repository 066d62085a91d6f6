/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the size of clusters, and the names of their hosts. See zones_cluster.h; routes are in
 * zones_cluster_routes.c, links in zones_cluster_links.c.
 */
#include "network/formats/simgrid/zones_cluster.h"

#include "network/kind.h"

#include <stdlib.h>
#include <string.h>

/* ---- the numbers of the hosts ---- */

void cluster_add_range(struct cluster *cluster, uint32_t first, uint32_t last)
{
    uint32_t before = 0;
    if (cluster->n_ranges) {
        struct cluster_range *end = &cluster->ranges[cluster->n_ranges - 1];
        if (end->last + 1 == first) {
            end->last = last;
            return;
        }
        before = end->before + (end->last - end->first + 1);
    }
    cluster->ranges = mem_grow(cluster->ranges, &cluster->ranges_capacity,
                               (size_t)cluster->n_ranges + 1, sizeof *cluster->ranges);
    cluster->ranges[cluster->n_ranges++] = (struct cluster_range){first, last, before};
}

static uint64_t count_numbers(const struct cluster *cluster)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < cluster->n_ranges; i++)
        n += (uint64_t)cluster->ranges[i].last - cluster->ranges[i].first + 1;
    return n;
}

/* Leaves the first n_hosts numbers. */
static void trim_ranges(struct cluster *cluster)
{
    uint32_t n = cluster->n_ranges;
    while (n && cluster->ranges[n - 1].before >= cluster->n_hosts)
        n--;
    struct cluster_range *end = &cluster->ranges[n - 1];
    if (end->last - end->first >= cluster->n_hosts - end->before)
        end->last = end->first + (cluster->n_hosts - end->before) - 1;
    cluster->n_ranges = n;
}

static int zones_cluster_compare_ranges(const void *a, const void *b)
{
    const struct cluster_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* False if a number occurs twice. */
static bool sort_ranges(struct cluster *cluster)
{
    cluster->by_number = mem_alloc(cluster->n_ranges, sizeof *cluster->by_number);
    memcpy(cluster->by_number, cluster->ranges, cluster->n_ranges * sizeof *cluster->ranges);
    qsort(cluster->by_number, cluster->n_ranges, sizeof *cluster->by_number, zones_cluster_compare_ranges);
    for (uint32_t i = 1; i < cluster->n_ranges; i++)
        if (cluster->by_number[i].first <= cluster->by_number[i - 1].last)
            return false;
    return true;
}

static uint32_t number_of_host(const struct cluster *cluster, uint32_t host)
{
    uint32_t low = 0, high = cluster->n_ranges;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cluster->ranges[middle].before <= host)
            low = middle;
        else
            high = middle;
    }
    return cluster->ranges[low].first + (host - cluster->ranges[low].before);
}

static uint32_t host_of_number(const struct cluster *cluster, uint32_t number)
{
    uint32_t low = 0, high = cluster->n_ranges;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (cluster->by_number[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    const struct cluster_range *range = &cluster->by_number[low];
    bool is_in = number >= range->first && number <= range->last;
    return is_in ? range->before + (number - range->first) : ZONES_NONE;
}

/* ---- sizes ---- */

/* Returns the product, 0 if it is 0 or above 2^30. */
static uint32_t product(const uint32_t *factors, uint32_t n)
{
    uint64_t value = 1;
    for (uint32_t i = 0; i < n && value; i++) {
        value *= factors[i];
        if (value > TOPOLOGY_MAX_MACHINES)
            value = 0;
    }
    return (uint32_t)value;
}

/* Counts switches and cables level by level, bottom up. Returns false if there are too many. */
static bool lay_out_fat_tree(struct cluster *cluster)
{
    uint64_t nodes = cluster->n_hosts, cables = 0, switches = 0;
    for (uint32_t i = 0; i < cluster->n_levels; i++) {
        uint64_t up = (uint64_t)cluster->up[i] * cluster->ports[i], more;
        cluster->level_cables[i] = (uint32_t)cables;
        cluster->level_nodes[i] = (uint32_t)switches;
        if (!mem_multiply(nodes, up, &more))
            return false;
        cables += more;
        nodes = nodes / cluster->down[i] * cluster->up[i];
        switches += nodes;
        if (cables > UINT32_MAX / 2 || switches > UINT32_MAX / 4)
            return false;
    }
    cluster->n_cables = (uint32_t)cables;
    cluster->n_switches = (uint32_t)switches;
    return true;
}

/* Returns the number of pairs. */
static uint64_t pairs(uint64_t n)
{
    return n * (n - 1) / 2;
}

static bool lay_out_dragonfly(struct cluster *cluster)
{
    const uint64_t groups = cluster->down[DRAGONFLY_GROUPS];
    const uint64_t chassis = cluster->down[DRAGONFLY_CHASSIS];
    const uint64_t blades = cluster->down[DRAGONFLY_BLADES];
    uint64_t green, black;
    if (!mem_multiply(groups * chassis, pairs(blades), &green) ||
        !mem_multiply(groups * blades, pairs(chassis), &black) ||
        green > UINT32_MAX / 2 || black > UINT32_MAX / 2 || pairs(groups) > UINT32_MAX / 2)
        return false;
    uint64_t n = cluster->n_hosts + green + black + pairs(groups);
    cluster->level_cables[1] = cluster->n_hosts;
    cluster->level_cables[2] = (uint32_t)(cluster->n_hosts + green);
    cluster->level_cables[3] = (uint32_t)(cluster->n_hosts + green + black);
    cluster->n_cables = (uint32_t)n;
    cluster->n_switches = (uint32_t)(groups * chassis * blades);
    return n <= UINT32_MAX / 2;
}

static bool lay_out_shape(struct cluster *cluster)
{
    switch (cluster->shape) {
    case CLUSTER_FLAT:
        cluster->n_cables = cluster->n_hosts;
        cluster->n_switches = cluster->has_backbone ? 2 : 1;
        return true;
    case CLUSTER_TORUS:
        cluster->n_cables = cluster->n_hosts * cluster->n_levels;
        return (uint64_t)cluster->n_hosts * cluster->n_levels < UINT32_MAX / 2;
    case CLUSTER_FAT_TREE: return lay_out_fat_tree(cluster);
    case CLUSTER_DRAGONFLY: return lay_out_dragonfly(cluster);
    }
    return false;
}

/* Counts nodes with a limiter: hosts and, in trees and dragonflies, switches. */
static uint64_t count_limiters(const struct cluster *cluster)
{
    bool of_switches =
        cluster->shape == CLUSTER_FAT_TREE || cluster->shape == CLUSTER_DRAGONFLY;
    if (!cluster->limiter)
        return 0;
    return (uint64_t)cluster->n_hosts + (of_switches ? cluster->n_switches : 0);
}

static const char *check_hosts(struct cluster *cluster)
{
    uint64_t n_numbers = count_numbers(cluster);
    if (n_numbers > TOPOLOGY_MAX_MACHINES)
        return "more than 1073741824 hosts";
    cluster->n_hosts = (uint32_t)n_numbers;
    if (cluster->shape != CLUSTER_FLAT)
        cluster->n_hosts = product(cluster->down, cluster->n_levels);
    if (!cluster->n_hosts)
        return "no hosts, or more than 1073741824";
    if (cluster->n_hosts > n_numbers)
        return "'radical' has fewer numbers than the topology has hosts";
    trim_ranges(cluster);
    return sort_ranges(cluster) ? NULL : "'radical' has a number twice";
}

const char *cluster_lay_out(struct cluster *cluster)
{
    const char *problem = check_hosts(cluster);
    if (problem)
        return problem;
    if (cluster->shape == CLUSTER_DRAGONFLY &&
        cluster->down[DRAGONFLY_GROUPS] > cluster->down[DRAGONFLY_BLADES])
        return "more groups than blades in a chassis: SimGrid ends with a fault on this";
    if (!lay_out_shape(cluster))
        return "more than 4294967294 links";
    uint64_t n_limiters = count_limiters(cluster);
    uint64_t n = (uint64_t)cluster->n_cables * (cluster->is_split ? 2 : 1) + n_limiters +
                 cluster->has_backbone;
    if (n >= UINT32_MAX || cluster->n_switches + n_limiters > UINT32_MAX / 2)
        return "more than 4294967294 links";
    cluster->n_link_ids = (uint32_t)n;
    cluster->n_routers = cluster->n_switches + (uint32_t)n_limiters;
    return NULL;
}

void cluster_free(struct cluster *cluster)
{
    if (!cluster)
        return;
    free(cluster->ranges);
    free(cluster->by_number);
    free(cluster);
}

/* ---- names of hosts ---- */

static void zones_cluster_append_name(const struct zones *zones, struct zone_name name, struct text *out)
{
    text_append(out, zones_text(zones, name), name.length);
}

void cluster_host_name(const struct zones *zones, const struct cluster *cluster, uint32_t host,
                       struct text *out)
{
    zones_cluster_append_name(zones, cluster->prefix, out);
    text_printf(out, "%u", number_of_host(cluster, host));
    zones_cluster_append_name(zones, cluster->suffix, out);
}

uint32_t cluster_find_number(const struct cluster *cluster, const char *digits, size_t length)
{
    const char *cursor = digits;
    uint32_t number;
    if (!length || (*digits == '0' && length > 1) ||
        !topology_scan_number(&cursor, digits + length, &number) || cursor != digits + length)
        return ZONES_NONE;
    return host_of_number(cluster, number);
}

uint32_t cluster_find_host(const struct zones *zones, const struct cluster *cluster,
                           const char *name, size_t length)
{
    size_t prefix = cluster->prefix.length, suffix = cluster->suffix.length;
    if (length < prefix + suffix || memcmp(name, zones_text(zones, cluster->prefix), prefix) != 0 ||
        memcmp(name + length - suffix, zones_text(zones, cluster->suffix), suffix) != 0)
        return ZONES_NONE;
    return cluster_find_number(cluster, name + prefix, length - prefix - suffix);
}

uint32_t cluster_host_number(const struct cluster *cluster, uint32_t host)
{
    return number_of_host(cluster, host);
}

/* ---- do two clusters name a host the same? ---- */

static bool is_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* True if one of the names is the other with digits added, on the right or on the left. */
static bool differ_by_digits(const struct zones *zones, struct zone_name a, struct zone_name b,
                             bool on_the_right)
{
    if (a.length > b.length)
        return differ_by_digits(zones, b, a, on_the_right);
    const char *shorter = zones_text(zones, a), *longer = zones_text(zones, b);
    size_t more = b.length - a.length;
    if (on_the_right)
        return memcmp(shorter, longer, a.length) == 0 && is_digits(longer + a.length, more);
    return memcmp(shorter, longer + more, a.length) == 0 && is_digits(longer, more);
}

/* Finds the first number that both have; their prefix and suffix must be the same. */
static bool share_number(const struct cluster *a, const struct cluster *b, uint32_t *number)
{
    for (uint32_t i = 0, k = 0; i < a->n_ranges && k < b->n_ranges;) {
        const struct cluster_range *x = &a->by_number[i], *y = &b->by_number[k];
        *number = x->first > y->first ? x->first : y->first;
        if (*number <= x->last && *number <= y->last)
            return true;
        if (x->last < y->last)
            i++;
        else
            k++;
    }
    return false;
}

enum { MAX_COMPARED = 1 << 20 };

/* Looks up every host of the smaller one in the other. */
static int zones_cluster_compare_all(const struct zones *zones, const struct cluster *a,
                                     const struct cluster *b, struct text *name)
{
    if (a->n_hosts > b->n_hosts)
        return zones_cluster_compare_all(zones, b, a, name);
    if (a->n_hosts > MAX_COMPARED)
        return -1;
    for (uint32_t host = 0; host < a->n_hosts; host++) {
        name->length = 0;
        cluster_host_name(zones, a, host, name);
        if (cluster_find_host(zones, b, name->data, name->length) != ZONES_NONE)
            return 1;
    }
    return 0;
}

int cluster_clash(const struct zones *zones, const struct cluster *a, const struct cluster *b,
                  struct text *name)
{
    if (!differ_by_digits(zones, a->prefix, b->prefix, true) ||
        !differ_by_digits(zones, a->suffix, b->suffix, false))
        return 0;
    if (a->prefix.length != b->prefix.length || a->suffix.length != b->suffix.length)
        return zones_cluster_compare_all(zones, a, b, name);
    uint32_t number;
    if (!share_number(a, b, &number))
        return 0;
    cluster_host_name(zones, a, host_of_number(a, number), name);
    return 1;
}

/* ---- fingerprint ---- */

static uint64_t zones_cluster_hash_name(const struct zones *zones, struct zone_name name, uint64_t hash)
{
    return fingerprint_text(hash, zones_text(zones, name), name.length);
}

static uint64_t hash_numbers(const struct cluster *cluster, uint64_t hash)
{
    const uint64_t numbers[] = {cluster->shape,
                                cluster->n_hosts,
                                cluster->bandwidth,
                                cluster->latency,
                                cluster->is_split,
                                cluster->has_backbone,
                                cluster->backbone_contends,
                                cluster->backbone_bandwidth,
                                cluster->backbone_latency,
                                cluster->limiter,
                                cluster->n_levels,
                                cluster->position};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = fingerprint_number(hash, numbers[i]);
    for (uint32_t i = 0; i < cluster->n_levels; i++) {
        hash = fingerprint_number(hash, cluster->down[i]);
        hash = fingerprint_number(hash, (uint64_t)cluster->up[i] << 32 | cluster->ports[i]);
    }
    return hash;
}

uint64_t cluster_fingerprint(const struct zones *zones, const struct cluster *cluster,
                             uint64_t hash)
{
    hash = zones_cluster_hash_name(zones, cluster->name, hash);
    hash = zones_cluster_hash_name(zones, cluster->prefix, hash);
    hash = zones_cluster_hash_name(zones, cluster->suffix, hash);
    hash = zones_cluster_hash_name(zones, cluster->router, hash);
    for (uint32_t i = 0; i < cluster->n_ranges; i++)
        hash = fingerprint_number(hash, (uint64_t)cluster->ranges[i].first << 32 |
                                            cluster->ranges[i].last);
    return hash_numbers(cluster, hash);
}
