/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what shifted messages put on the links of each class, and the time of the longest of their routes,
 * with routes: for each offset one message goes from every machine to where the shift takes it, hop by
 * hop.
 */
#include "network/host_ports.h"
#include "network/shifts.h"
#include "tests/unit/suite.h"
#include "tests/unit/topology_checks.h"

#include <stdlib.h>
#include <string.h>

/* Returns the machine to which the shift that takes machine 0 to `by` takes a machine, digit by digit. */
static uint32_t shift_machine(const struct machine_shifts *shifts, uint32_t machine, uint32_t by)
{
    uint32_t to = 0, stride = 1;
    for (uint32_t i = 0; i < shifts->n; i++) {
        const uint32_t n = shifts->extent[i], a = machine % n, b = by % n;
        const uint32_t digit = shifts->is_xor                   ? a ^ b
                               : shifts->is_mirrored && b % 2 ? (b + n - a) % n
                                                                : (a + b) % n;
        to += digit * stride;
        machine /= n;
        by /= n;
        stride *= n;
    }
    return to;
}

/* An offset, and the way that its messages take where they have ways. */
struct sent_to {
    uint32_t offset;
    uint8_t way;
};

/* The route of a machine's message of that offset; returns its number of links. */
static uint32_t route_to(const struct topology *topology, const struct machine_shifts *shifts,
                         const struct sent_to *to, uint32_t machine, struct hop *hops)
{
    const uint32_t destination = shift_machine(shifts, to->offset, machine);
    if (machine == destination)
        return 0;
    return shifts->has_ways ? topology_route_way(topology, to->way, machine, destination, hops)
                            : topology_route(topology, machine, destination, hops);
}

/* Messages on a link. */
struct load {
    uint32_t n, source; /* source: of one of them */
};

/* Loads by routes of messages to where each machine takes `offset`. */
static void load_by_routes(const struct topology *topology, const struct machine_shifts *shifts,
                           const struct sent_to *to, struct hop *hops, struct load *loads)
{
    memset(loads, 0, topology->n_link_ids * sizeof *loads);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        const uint32_t n = route_to(topology, shifts, to, machine, hops);
        for (uint32_t i = 0; i < n; i++) {
            loads[hops[i].link].n++;
            loads[hops[i].link].source = machine;
        }
    }
}

/* Returns what one offset puts on a link, by classes; *start is of the piece if that is one message. */
static uint32_t load_by_classes(const struct class_hops *hops, uint32_t n, uint32_t class, uint32_t position,
                                uint32_t *start)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (hops[i].class == class && hops[i].begin <= position && position < hops[i].end) {
            sum += hops[i].n;
            *start = hops[i].start;
        }
    return sum;
}

/* The latency of the longest of these routes, and the links of all of them. */
static uint64_t longest_by_routes(const struct topology *topology, const struct machine_shifts *shifts,
                                  const struct sent_to *to, struct hop *hops, uint64_t *n_hops)
{
    uint64_t longest = 0;
    *n_hops = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        const uint32_t n = route_to(topology, shifts, to, machine, hops);
        uint64_t latency = 0;
        for (uint32_t i = 0; i < n; i++)
            latency += topology_link_latency(topology, hops[i].link);
        longest = latency > longest ? latency : longest;
        *n_hops += n;
    }
    return longest;
}

static uint64_t hops_by_classes(const struct topology *topology, const struct machine_shifts *shifts,
                                const struct class_hops *hops, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (uint64_t)hops[i].n * (hops[i].end - hops[i].begin) *
               topology_links_at(topology, shifts, hops[i].class);
    return sum;
}

/* True if a class is loaded alike at all positions, and has as many links as there are machines. */
static bool is_of_each(const struct topology *topology, const struct machine_shifts *shifts,
                       const struct class_hops *hops)
{
    const uint32_t n = topology_n_positions(topology, shifts, hops->class);
    return hops->begin == 0 && hops->end == n &&
           n * topology_links_at(topology, shifts, hops->class) == topology->n_machines;
}

/* Messages that do not cross n links of such a class. */
static unsigned count_unlike(const struct topology *topology, const struct machine_shifts *shifts,
                             const struct sent_to *to, const struct class_hops *hops, struct hop *route)
{
    unsigned n_unlike = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        const uint32_t n = route_to(topology, shifts, to, machine, route);
        uint32_t n_crossed = 0, position;
        for (uint32_t i = 0; i < n; i++)
            n_crossed += topology_link_class(topology, shifts, route[i].link, &position) == hops->class;
        n_unlike += n_crossed != hops->n;
    }
    return n_unlike;
}

struct tally {
    unsigned n_of_each, n_links, n_loads, n_pairs, n_routes, n_wrong;
};

/* Two offsets: the loads of each, and on links with one message of either whether they have one source. */
static void check_offsets(const struct topology *topology, const struct machine_shifts *shifts,
                          const struct sent_to to[2], struct tally *tally)
{
    struct hop *route = calloc(topology->max_hops + 1, sizeof *route);
    struct load *loads[2];
    struct class_hops *hops[2];
    uint32_t n[2];
    for (int k = 0; k < 2; k++) {
        loads[k] = calloc(topology->n_link_ids, sizeof *loads[k]);
        hops[k] = calloc(topology_max_class_hops(topology), sizeof *hops[k]);
        load_by_routes(topology, shifts, &to[k], route, loads[k]);
        n[k] = topology_class_hops(topology, shifts, to[k].offset, to[k].way, hops[k]);
        uint64_t n_hops;
        const uint64_t longest = longest_by_routes(topology, shifts, &to[k], route, &n_hops);
        tally->n_wrong += n[k] > topology_max_class_hops(topology);
        tally->n_wrong += longest != topology_offset_latency(topology, shifts, to[k].offset, to[k].way);
        tally->n_wrong += n_hops != hops_by_classes(topology, shifts, hops[k], n[k]);
        tally->n_routes += topology->n_machines;
        for (uint32_t i = 0; i < n[k]; i++)
            if (is_of_each(topology, shifts, &hops[k][i])) {
                tally->n_of_each++;
                tally->n_wrong += count_unlike(topology, shifts, &to[k], &hops[k][i], route);
            }
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t position, start[2];
        if (!topology_has_link(topology, link))
            continue;
        const uint32_t class = topology_link_class(topology, shifts, link, &position);
        const struct link_class of_class = topology_links_of(topology, class);
        tally->n_wrong += of_class.bandwidth != topology_link_bandwidth(topology, link) ||
                          of_class.latency != topology_link_latency(topology, link);
        tally->n_wrong += class >= topology_n_classes(topology) ||
                          position >= topology_n_positions(topology, shifts, class);
        for (int k = 0; k < 2; k++)
            tally->n_wrong += load_by_classes(hops[k], n[k], class, position, &start[k]) != loads[k][link].n;
        tally->n_links++;
        tally->n_loads += loads[0][link].n > 0;
        if (loads[0][link].n != 1 || loads[1][link].n != 1)
            continue;
        tally->n_pairs++;
        tally->n_wrong += (start[0] == start[1]) != (loads[0][link].source == loads[1][link].source);
    }
    for (int k = 0; k < 2; k++) {
        free(loads[k]);
        free(hops[k]);
    }
    free(route);
}

/* All offsets of few machines, and some of more, each beside another one. */
static void check_shifts(const char *spec, const struct machine_shifts *shifts, struct tally *tally)
{
    enum { SOME = 48 };
    struct topology *topology = must_read(spec);
    const uint32_t n = topology->n_machines, step = n / SOME + 1;
    bool is_free;
    CU_ASSERT_FATAL(topology_has_shifts(topology, shifts, &is_free) && !is_free);
    for (uint32_t offset = 0; offset < n; offset += step) {
        struct sent_to both[] = {{offset, 0}, {(offset * 7 + 3) % n, 0}};
        for (int k = 0; k < 2 && shifts->has_ways; k++) {
            const uint32_t n_ports = topology_n_host_ports(topology), out = (offset + (uint32_t)k) % n_ports;
            both[k].way = host_ports_way(out, shifts->crosses_rails ? offset / 3 % n_ports : out);
        }
        check_offsets(topology, shifts, both, tally);
    }
    topology_free(topology);
}

struct shape {
    const char *spec;
    uint32_t n, extent[TOPOLOGY_MAX_DIMENSIONS];
    bool is_xor, is_mirrored;
};

/* One where messages have ways. */
struct shape_of_rails {
    struct shape shape;
    bool crosses_rails;
};

static struct machine_shifts shifts_of(const struct shape *shape)
{
    return (struct machine_shifts){.n = shape->n,
                                   .extent = shape->extent,
                                   .is_xor = shape->is_xor,
                                   .is_mirrored = shape->is_mirrored};
}

static struct machine_shifts shifts_with_ways(const struct shape_of_rails *shape)
{
    struct machine_shifts shifts = shifts_of(&shape->shape);
    shifts.has_ways = true;
    shifts.crosses_rails = shape->crosses_rails;
    return shifts;
}

static const struct shape shapes_with_shifts[] = {
    {"torus:2", 1, {2}, false, true},
    {"torus:4", 1, {4}, false, true},
    {"torus:6", 1, {6}, false, true},
    {"torus:14", 1, {14}, false, true},
    {"torus:2x2", 2, {2, 2}, false, true},
    {"torus:6x4", 2, {6, 4}, false, true},
    {"torus:1x8", 1, {8}, false, true},
    {"torus:10x1x4", 2, {10, 4}, false, true},
    {"torus:4x6x2", 3, {4, 6, 2}, false, true},
    {"torus:8x2x6", 3, {8, 2, 6}, false, true},
    {"torus:2x4x2x6", 4, {2, 4, 2, 6}, false, true},
    {"torus:6x4", 2, {6, 4}, false, false},
    {"torus:5x4", 2, {5, 4}, false, false},
    {"torus:5x4x3", 2, {20, 3}, false, false},
    {"torus:3x1x7", 1, {21}, false, false},
    {"mesh:5x3", 2, {5, 3}, false, false},
    {"torus:4x5m", 2, {4, 5}, false, false},
    {"fattree:4x3x2", 1, {24}, false, false},
    {"fattree:4x4x4,up=1x2x2", 1, {64}, false, false},
    {"fattree:4x3x2,up=1x2x1,cables=1x2x3", 1, {24}, false, false},
    {"fattree:4x4x2,up=1x2x1,cables=1x2x4,lat=1us:2us:5us", 5, {2, 2, 2, 2, 2}, true, false},
    {"torus:4x8", 5, {2, 2, 2, 2, 2}, true, false},
    {"mesh:8x2", 4, {2, 2, 2, 2}, true, false},
    {"fattree:4x4x2,up=1x2x4", 5, {2, 2, 2, 2, 2}, true, false},
    {"torus:5x4x3,lat=1us:30ns:7us,bw=1GB/s:2GB/s:3GB/s", 1, {60}, false, false},
    {"torus:5x4x3,lat=1us:30ns:7us", 2, {5, 12}, false, false},
    {"torus:4x6m,lat=10ns:1us", 1, {24}, false, false},
    {"torus:6mx4x1x5,lat=1us:5us:1s:3us", 2, {24, 5}, false, false},
    {"torus:3x1x7m,lat=2us:9us:1us", 1, {21}, false, false},
    {"mesh:8x4,lat=1us:20us", 5, {2, 2, 2, 2, 2}, true, false},
    {"torus:8x2x6,lat=1us:50us:7us", 3, {8, 2, 6}, false, true},
    {"fattree:4x3x2,lat=1us:2us:5us", 1, {24}, false, false},
    {"fattree:4x3x1,lat=1us:2us:5us", 1, {12}, false, false},
    {"fattree:4x4x2,up=1x2x4,lat=1us:2us:5us,bw=1GB/s:2GB/s:3GB/s", 5, {2, 2, 2, 2, 2}, true, false},
};

static const struct shape_of_rails rails_with_shifts[] = {
    {{"rail:6x2,up=0", 1, {6}, false, false}, false},
    {{"rail:6x3x4,up=3,lat=1us:2us,bw=1GB/s:2GB/s", 1, {24}, false, false}, false},
    {{"rail:6x3x4,up=3,lat=1us:2us,bw=1GB/s:2GB/s", 1, {24}, false, false}, true},
    {{"rail:6x12x2", 1, {12}, false, false}, true},
    {{"rail:4x2,up=1", 1, {4}, false, false}, true},
    {{"rail:5x4x3,up=5x0", 1, {15}, false, false}, false},
    {{"rail:4x3x4,up=2", 4, {2, 2, 2, 2}, true, false}, true},
};

static void test_classes(void)
{
    struct tally tally = {0};
    for (size_t i = 0; i < sizeof shapes_with_shifts / sizeof *shapes_with_shifts; i++) {
        const struct machine_shifts shifts = shifts_of(&shapes_with_shifts[i]);
        check_shifts(shapes_with_shifts[i].spec, &shifts, &tally);
    }
    for (size_t i = 0; i < sizeof rails_with_shifts / sizeof *rails_with_shifts; i++) {
        const struct machine_shifts shifts = shifts_with_ways(&rails_with_shifts[i]);
        check_shifts(rails_with_shifts[i].shape.spec, &shifts, &tally);
    }
    printf("%u links, %u with messages, %u with one message of two, %u routes: %u wrong ", tally.n_links,
           tally.n_loads, tally.n_pairs, tally.n_routes, tally.n_wrong);
    CU_ASSERT_EQUAL(tally.n_wrong, 0);
    CU_ASSERT(tally.n_pairs > 1000 && tally.n_of_each > 100);
}

static void check_refused(const char *spec, struct machine_shifts shifts)
{
    struct topology *topology = must_read(spec);
    bool is_free;
    CU_ASSERT_FALSE(topology_has_shifts(topology, &shifts, &is_free));
    topology_free(topology);
}

/* Mirrored shifts have digits that are the dimensions, of even extents, all of which wrap. */
static void test_refused(void)
{
    static const struct shape refused[] = {
        {"mesh:6x4", 2, {6, 4}, false, true},      {"torus:6x4m", 2, {6, 4}, false, true},
        {"torus:6x4", 1, {24}, false, true},       {"torus:6x5", 2, {6, 5}, false, true},
        {"torus:4x6", 2, {6, 4}, false, true},     {"torus:4x6", 3, {4, 6, 2}, false, true},
        {"torus:4x6", 1, {4}, false, true},        {"fattree:4x4", 1, {16}, false, true},
        {"rail:6x2", 1, {6}, false, false},
    };
    static const struct shape_of_rails rails[] = {
        {{"star:6", 1, {6}, false, false}, false},
        {{"rail:6x2,up=4", 1, {6}, false, false}, true},
        {{"rail:6x2x2,up=4", 1, {12}, false, false}, false},
        {{"rail:6x2x2,up=3x2", 1, {12}, false, false}, false},
        {{"rail:6x2x2,up=3x0", 1, {12}, false, false}, true},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_refused(refused[i].spec, shifts_of(&refused[i]));
    for (size_t i = 0; i < sizeof rails / sizeof *rails; i++)
        check_refused(rails[i].shape.spec, shifts_with_ways(&rails[i]));
}

UNIT_PROGRAM(test_shifts)
{
    CU_TestInfo tests[] = {{"loads by classes and by routes", test_classes},
                                        {"mirrored where they cannot be", test_refused},
                                        CU_TEST_INFO_NULL};
    return run_suite("shifts", tests);
}
