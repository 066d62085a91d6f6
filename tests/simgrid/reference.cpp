/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: reference PLATFORM
 * What SimGrid makes of a platform: its links, and the links and latency of the route of
 * every pair of hosts, in the form of tests/simgrid/pairs.c.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

static void print_link(const s4u::Link *link)
{
    const char *name = link->get_cname(), *end = strstr(name, "loopback");
    if (!end) /* within a host */
        printf("link %s %.0f %.0f %s\n", name, link->get_bandwidth(), link->get_latency() * 1e9,
               link->get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE ? "free" : "shared");
}

static void print_route(const s4u::Host *from, const s4u::Host *to)
{
    std::vector<s4u::Link *> links;
    double latency = 0;
    try {
        from->route_to(to, links, &latency);
    } catch (const std::exception &) {
        links.clear();
    }
    printf("route %s %s", from->get_cname(), to->get_cname());
    if (!links.empty())
        printf(" %.0f", latency * 1e9);
    for (const s4u::Link *link : links)
        printf(" %s", link->get_cname());
    printf("\n");
}

int main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    if (argc != 2)
        return 2;
    engine.load_platform(argv[1]);
    engine.get_netzone_root()->seal();
    for (const s4u::Link *link : engine.get_all_links())
        print_link(link);
    const auto hosts = engine.get_all_hosts();
    for (const s4u::Host *from : hosts)
        for (const s4u::Host *to : hosts)
            if (from != to)
                print_route(from, to);
    fflush(stdout);
    _Exit(ferror(stdout) ? 2 : 0); /* there is nothing to simulate */
}
