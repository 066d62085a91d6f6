/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes times of loads: the closed forms of predict.h, in whole nanoseconds.
 */
#include "predict/predict.h"

#include "base/integer.h"

static uint64_t time_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return mem_multiply(a, b, &product) ? product : UINT64_MAX;
}

/* a * b / divisor, rounded up; UINT64_MAX if it is more. */
static uint64_t time_scale(divider_product a, uint64_t b, uint64_t divisor)
{
    if (a / divisor > UINT64_MAX)
        return UINT64_MAX;
    divider_product rest = a % divisor * b; /* both below 2^64 */
    divider_product quotient = a / divisor * b + rest / divisor + (rest % divisor != 0);
    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
}

/* Slowed by so many millionths; rounded once. */
static uint64_t slowed_time(const struct transfer *transfer, uint64_t chunk_bytes,
                            uint64_t slowdown)
{
    if (!transfer->bandwidth)
        return 0;
    if (transfer->chunks == UINT64_MAX) /* of counts, or more */
        return UINT64_MAX;
    return time_scale((divider_product)transfer->chunks * chunk_bytes, multiply(slowdown, 1000),
                      transfer->bandwidth);
}

static uint64_t time_transfer_time(const struct transfer *transfer, uint64_t chunk_bytes)
{
    return slowed_time(transfer, chunk_bytes, 1000000);
}

/* k messages one after the other, the first not counted. */
static uint64_t behind_first(uint32_t k, uint64_t each)
{
    return k ? multiply(k - 1, each) : 0;
}

static uint64_t host_time(const struct step_load *load, const struct host_costs *costs)
{
    if (!load->rank_messages)
        return 0;
    uint64_t of_rank = behind_first(load->rank_messages, costs->overhead);
    uint64_t of_server = behind_first(load->server_messages, costs->gap);
    return time_add(multiply(2, costs->overhead), of_rank > of_server ? of_rank : of_server);
}

/* latency, bandwidth and hol of the messages between servers. */
static struct prediction network_time(const struct step_load *load, uint64_t chunk_bytes)
{
    struct prediction network = {0};
    if (load->latency == UINT64_MAX)
        return network;
    network.latency = load->latency;
    network.bandwidth = time_transfer_time(&load->link, chunk_bytes);
    uint64_t sender = slowed_time(&load->sender, chunk_bytes, load->slowdown);
    network.hol = sender > network.bandwidth ? sender - network.bandwidth : 0;
    return network;
}

static struct prediction time_step(const struct step_load *load, const struct host_costs *costs,
                                   uint64_t chunk_bytes)
{
    struct prediction step = network_time(load, chunk_bytes);
    const struct transfer inside = {load->memory_chunks, host_costs_inside(costs)};
    const struct transfer local = {load->local_chunks, costs->memory_bandwidth};
    uint64_t memory = time_transfer_time(&inside, chunk_bytes);
    uint64_t network = time_add(time_add(step.latency, step.bandwidth), step.hol);
    if (load->has_memory && time_add(costs->memory_latency, memory) > network)
        step = (struct prediction){.latency = costs->memory_latency, .bandwidth = memory};
    step.host = host_time(load, costs);
    step.local = time_transfer_time(&local, chunk_bytes);
    step.time =
        time_add(time_add(time_add(step.latency, step.bandwidth), time_add(step.hol, step.host)), step.local);
    return step;
}

struct prediction predict_step(const struct step_load *load, const struct host_costs *costs,
                               uint64_t chunk_bytes)
{
    struct prediction step = time_step(load, costs, chunk_bytes);
    struct step_load worst = *load;
    step.worst = step.time;
    if (!load->worst.bandwidth)
        return step;
    worst.link = load->worst;
    step.worst = time_step(&worst, costs, chunk_bytes).time;
    return step;
}

static void accumulate(uint64_t *sum, uint64_t each, uint64_t n)
{
    *sum = time_add(*sum, multiply(each, n));
}

uint64_t predict_busiest_link(const struct predict_loads *loads, uint64_t chunk_bytes)
{
    return time_transfer_time(&loads->link_total, chunk_bytes);
}

struct prediction predict_time(const struct predict_loads *loads,
                               const struct host_costs *costs, uint64_t chunk_bytes)
{
    struct prediction sum = {0};
    for (size_t i = 0; i < loads->n_unlike; i++) {
        const struct prediction step = predict_step(&loads->unlike[i], costs, chunk_bytes);
        uint64_t n = loads->unlike[i].n_steps;
        accumulate(&sum.time, step.time, n);
        accumulate(&sum.worst, step.worst, n);
        accumulate(&sum.latency, step.latency, n);
        accumulate(&sum.bandwidth, step.bandwidth, n);
        accumulate(&sum.hol, step.hol, n);
        accumulate(&sum.host, step.host, n);
        accumulate(&sum.local, step.local, n);
    }
    return sum;
}

/* a of a + c / n, from the values at n and at n / 2. */
static uint64_t limit(uint64_t at_n, uint64_t at_half)
{
    const uint64_t fall = at_half > at_n ? at_half - at_n : 0;
    return at_n > fall ? at_n - fall : 0;
}

uint64_t predict_floor(struct predict_sized last, struct predict_sized before,
                       const struct host_costs *costs)
{
    uint64_t host = 0, longest = 0, network = 0, memory = 0, local = 0;
    for (size_t i = 0; i < last.loads->n_unlike; i++) {
        const struct step_load *load = &last.loads->unlike[i];
        const uint64_t of_network = load->latency == UINT64_MAX ? 0 : load->latency;
        const uint64_t of_memory = load->has_memory ? costs->memory_latency : 0;
        accumulate(&host, host_time(load, costs), load->n_steps);
        accumulate(&longest, larger(of_network, of_memory), load->n_steps);
        accumulate(&network, of_network, load->n_steps);
        accumulate(&memory, of_memory, load->n_steps);
    }
    if (before.loads) {
        const struct transfer inside[] = {{last.loads->memory_total, host_costs_inside(costs)},
                                          {before.loads->memory_total, host_costs_inside(costs)}};
        const struct transfer combined[] = {{last.loads->local_total, costs->memory_bandwidth},
                                            {before.loads->local_total, costs->memory_bandwidth}};
        network = time_add(network, limit(time_transfer_time(&last.loads->link_total, last.chunk_bytes),
                                          time_transfer_time(&before.loads->link_total, before.chunk_bytes)));
        memory = time_add(memory, limit(time_transfer_time(&inside[0], last.chunk_bytes),
                                        time_transfer_time(&inside[1], before.chunk_bytes)));
        local = limit(time_transfer_time(&combined[0], last.chunk_bytes),
                      time_transfer_time(&combined[1], before.chunk_bytes));
    }
    return time_add(time_add(host, local), larger(longest, larger(network, memory)));
}
