/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How findings speak of servers and data.
 */
#include "verify/internal.h"

void place_at_op(struct diagnostic *finding, const struct op *op, uint64_t step)
{
    finding->place.rank = op->rank;
    finding->place.peer = op_is_local(op) ? -1 : (int64_t)op->peer;
    finding->place.step = (int64_t)step;
}

const char *from_text(const struct verifier *verifier, const struct op *op)
{
    return op_is_local(op) ? "" : diagnostics_text(verifier->diagnostics, " from rank %u", op->peer);
}

struct position whole_schedule(const struct verifier *verifier)
{
    return (struct position){verifier->schedule->source, 0, 0, 1};
}

const char *steps_text(const struct verifier *verifier, uint64_t first, uint64_t last)
{
    if (first == last)
        return diagnostics_text(verifier->diagnostics, "step %llu", (unsigned long long)last);
    return diagnostics_text(verifier->diagnostics, "steps %llu..%llu", (unsigned long long)first,
                            (unsigned long long)last);
}

uint32_t server_machine(const struct verifier *verifier, uint32_t server)
{
    const struct placement *placement = verifier->request->placement;
    return placement ? placement->server_machine[server] : server;
}

const char *machine_name(const struct verifier *verifier, uint32_t server)
{
    const struct topology *topology = verifier->request->topology;
    char name[128];
    uint32_t machine = server_machine(verifier, server);
    if (!topology)
        return diagnostics_text(verifier->diagnostics, "m%u", machine);
    topology_node_name(topology, machine, name, sizeof name);
    return diagnostics_text(verifier->diagnostics, "%s", name);
}

/* A datum, or all segments of one. */
static const char *block_text(const struct data *data, uint64_t datum)
{
    const struct schedule_header *header = data->header;
    struct diagnostics *diagnostics = data->verifier->diagnostics;
    if (header->collective == COLLECTIVE_alltoall)
        return diagnostics_text(diagnostics, "in[%llu] of rank %llu",
                                (unsigned long long)(datum % header->n_ranks),
                                (unsigned long long)(datum / header->n_ranks));
    if (header->collective == COLLECTIVE_allgather || header->collective == COLLECTIVE_gather)
        return diagnostics_text(diagnostics, "in of rank %llu", (unsigned long long)datum);
    if (header->collective == COLLECTIVE_scatter)
        return diagnostics_text(diagnostics, "in[%llu] of the root", (unsigned long long)datum);
    return diagnostics_text(diagnostics, "chunk %llu", (unsigned long long)datum);
}

static const char *segment_text(const struct data *data, uint64_t datum)
{
    const uint32_t segments = data->header->segments;
    return diagnostics_text(data->verifier->diagnostics, "segment %llu of %s",
                            (unsigned long long)(datum % segments),
                            block_text(data, datum / segments));
}

const char *datum_text(const struct data *data, uint64_t datum)
{
    const struct schedule_header *header = data->header;
    if (header->segments > 1 && !collective_has(header->collective, BUFFER_BUF))
        return segment_text(data, datum);
    return block_text(data, datum);
}
