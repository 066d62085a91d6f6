/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See kept_flows.h.
 */
#include "study/fabric/kept_flows.h"

#include "base/search.h"
#include "ir/flows.h"
#include "network/load.h"

#include <stdlib.h>

struct kept_flows kept_flows_start(const struct topology *topology, const struct placement *placement)
{
    struct kept_flows kept = {.topology = topology, .placement = placement};
    kept.total = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *kept.total);
    kept.scratch = mem_alloc(1, sizeof *kept.scratch);
    *kept.scratch = link_loads_new(topology, false);
    kept.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *kept.hops);
    kept.first_load = mem_grow(NULL, &kept.first_capacity, 1, sizeof *kept.first_load);
    kept.first_load[0] = 0;
    return kept;
}

void kept_flows_free(struct kept_flows *kept)
{
    free(kept->flows);
    free(kept->first_load);
    free(kept->chunks);
    free(kept->loads);
    free(kept->total);
    free(kept->hops);
    if (kept->scratch)
        link_loads_free(kept->scratch);
    free(kept->scratch);
    *kept = (struct kept_flows){0};
}

bool kept_flow_route(const struct topology *topology, const struct kept_flow *flow, struct hop *hops,
                     uint32_t *n)
{
    const uint32_t n_hops =
        topology_route_over(topology, flow->network, flow->source, flow->destination, hops);
    *n = link_loads_drop_fat_pipes(topology, hops, n_hops);
    return n_hops > 0;
}

static void kept_flows_add_flow(struct kept_flows *kept, const struct flow *flow)
{
    const uint32_t *machine = kept->placement ? kept->placement->server_machine : NULL;
    const struct kept_flow added = {machine ? machine[flow->source] : flow->source,
                                    machine ? machine[flow->destination] : flow->destination,
                                    flow->n_messages, kept->n_steps, flow->network};
    kept->flows = mem_grow(kept->flows, &kept->flows_capacity, kept->n_flows + 1, sizeof *kept->flows);
    kept->flows[kept->n_flows++] = added;
    uint32_t n;
    (void)kept_flow_route(kept->topology, &added, kept->hops, &n);
    link_loads_add(kept->scratch, kept->hops, n, flow->n_messages);
    kept->n_crossings += n;
}

static int kept_flows_compare_loads(const void *a, const void *b)
{
    const struct kept_load *x = a, *y = b;
    return x->link < y->link ? -1 : x->link > y->link;
}

static void keep_loads(struct kept_flows *kept)
{
    const size_t first = kept->n_loads;
    uint64_t at = 0;
    uint32_t link;
    while (link_loads_next(kept->scratch, &at, &link)) {
        const uint64_t messages = kept->scratch->load[link];
        kept->loads = mem_grow(kept->loads, &kept->loads_capacity, kept->n_loads + 1, sizeof *kept->loads);
        kept->loads[kept->n_loads++] = (struct kept_load){link, (uint32_t)messages};
        kept->total[link] += messages;
    }
    link_loads_clear(kept->scratch);
    if (kept->n_loads > first)
        qsort(kept->loads + first, kept->n_loads - first, sizeof *kept->loads, kept_flows_compare_loads);
}

/* Returns the chunks of a message, if all messages of the step have the same. */
static uint64_t kept_flows_chunks_of(const struct flows *flows)
{
    const struct flow *first = &flows->flows[0];
    const uint64_t chunks = first->n_chunks / first->n_messages;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_chunks != chunks * flows->flows[i].n_messages)
            return 0;
    return chunks;
}

void kept_flows_watch(void *context, uint64_t step, const struct flows *flows)
{
    struct kept_flows *kept = context;
    (void)step;
    if (!flows->n || kept->is_too_large)
        return;
    for (size_t i = 0; i < flows->n; i++)
        kept_flows_add_flow(kept, &flows->flows[i]);
    keep_loads(kept);
    kept->chunks =
        mem_grow(kept->chunks, &kept->chunks_capacity, (size_t)kept->n_steps + 1, sizeof *kept->chunks);
    kept->chunks[kept->n_steps++] = kept_flows_chunks_of(flows);
    kept->first_load = mem_grow(kept->first_load, &kept->first_capacity, (size_t)kept->n_steps + 1,
                                sizeof *kept->first_load);
    kept->first_load[kept->n_steps] = kept->n_loads;
    kept->is_too_large = kept->n_crossings > KEPT_MAX_CROSSINGS;
}

uint32_t kept_load_of(const struct kept_flows *kept, uint32_t step, uint32_t link)
{
    const size_t first = kept->first_load[step], end = kept->first_load[step + 1];
    if (first == end)
        return 0;
    const size_t at = search_key(&kept->loads->link, sizeof *kept->loads, first, end, link);
    return at == SEARCH_NONE ? 0 : kept->loads[at].messages;
}
