/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a topology as a network that ibsim simulates: OpenSM can then route it and ibnetdiscover read
 * it. The text is that of an ibnetdiscover topology file, with an empty line after each node, which ibsim
 * needs. Adapters come first, because the subnet manager runs on the first node of the file.
 */
#include "network/formats/ibsim/ibsim.h"
#include "network/formats/infiniband/subnet_plan.h"

#include <inttypes.h>

/* All rates of InfiniBand, slowest first; among equal rates only the one with four lanes. */
static const struct rate {
    uint64_t bandwidth; /* bytes per second */
    const char *name;
} rates[] = {
    {250000000, "1xSDR"},    {500000000, "1xDDR"},    {1000000000, "4xSDR"},
    {1250000000, "1xFDR10"}, {1705000000, "1xFDR"},   {2000000000, "4xDDR"},
    {3000000000, "12xSDR"},  {3125000000, "1xEDR"},   {4000000000, "4xQDR"},
    {5000000000, "4xFDR10"}, {6000000000, "12xDDR"},  {6250000000, "1xHDR"},
    {6820000000, "4xFDR"},   {8000000000, "8xQDR"},   {12000000000, "12xQDR"},
    {12500000000, "4xEDR"},  {13640000000, "8xFDR"},  {15000000000, "12xFDR10"},
    {20460000000, "12xFDR"}, {25000000000, "4xHDR"},  {37500000000, "12xEDR"},
    {50000000000, "4xNDR"},  {75000000000, "12xHDR"}, {100000000000, "4xXDR"},
    {150000000000, "12xNDR"}, {200000000000, "8xXDR"}, {300000000000, "12xXDR"}};
enum { N_RATES = sizeof rates / sizeof *rates };

/* Returns the fastest rate that is not above the bandwidth. */
static const struct rate *rate_of(uint64_t bandwidth)
{
    uint32_t i = N_RATES - 1;
    while (i && rates[i].bandwidth > bandwidth)
        i--;
    return &rates[i];
}

static void write_end(const struct plan *plan, const struct plan_end *end, struct text *out)
{
    const struct plan_end *peer = &plan->ends[end->peer];
    const struct plan_device *device = &plan->devices[end->device];
    const struct plan_device *other = &plan->devices[peer->device];
    char name[PLAN_NAME_SIZE];
    plan_describe(plan, other, name);
    text_printf(out, "[%u]", end->port);
    if (device->adapter)
        text_printf(out, "(%" PRIx64 ")", plan_port_guid(plan, end));
    text_printf(out, "\t\"%c-%016" PRIx64 "\"[%u]", other->adapter ? 'H' : 'S', other->guid,
                peer->port);
    if (other->adapter)
        text_printf(out, "(%" PRIx64 ")", plan_port_guid(plan, peer));
    text_printf(out, "\t\t# ");
    if (device->adapter)
        text_printf(out, "lid %u lmc %u ", end->lid, end->lmc);
    text_printf(out, "\"%s\" lid %u %s\n", name, other->adapter ? peer->lid : other->lid,
                rate_of(end->bandwidth)->name);
}

static void write_device(const struct plan *plan, const struct plan_device *device,
                         struct text *out)
{
    char name[PLAN_NAME_SIZE];
    plan_describe(plan, device, name);
    text_printf(out, "\n%sguid=0x%" PRIx64 "\n", device->adapter ? "ca" : "switch", device->guid);
    text_printf(out, "%s\t%u \"%c-%016" PRIx64 "\"\t\t# \"%s\"", device->adapter ? "Ca" : "Switch",
                device->n_ports, device->adapter ? 'H' : 'S', device->guid, name);
    if (!device->adapter)
        text_printf(out, " base port 0 lid %u lmc 0", device->lid);
    text_printf(out, "\n");
    for (uint32_t i = 0; i < device->n; i++)
        write_end(plan, &plan->ends[plan->order[device->first + i]], out);
}

/* Counts cables with a rate that InfiniBand does not have. */
static uint32_t count_rounded(const struct plan *plan)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_ends; i++)
        n += i < plan->ends[i].peer &&
             rate_of(plan->ends[i].bandwidth)->bandwidth != plan->ends[i].bandwidth;
    return n;
}

static void ibsim_write_plan(const struct plan *plan, struct text *out)
{
    uint32_t n_rounded = count_rounded(plan);
    text_printf(out, "# network for ibsim: %u switches, %u adapters, %u cables\n",
                plan->n_switches, plan->n_devices - plan->n_switches, plan->n_ends / 2);
    text_printf(out, "# ibsim -s -N %u -S %u -P %u FILE\n", plan->n_devices + 1,
                plan->n_switches + 1, 255 * plan->n_devices + 1);
    if (n_rounded)
        text_printf(out, "# %u cables have no InfiniBand rate; the next lower one is given\n",
                    n_rounded);
    for (uint32_t i = plan->n_switches; i < plan->n_devices; i++)
        write_device(plan, &plan->devices[i], out);
    for (uint32_t i = 0; i < plan->n_switches; i++)
        write_device(plan, &plan->devices[i], out);
}

bool ibsim_write(const struct topology *topology, struct text *out, const char **problem)
{
    struct plan plan;
    bool is_made = plan_make(&plan, topology, problem);
    if (is_made)
        ibsim_write_plan(&plan, out);
    plan_free(&plan);
    return is_made;
}
