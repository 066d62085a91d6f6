/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See model.h.
 */
#include "tables/nccl/model.h"

#include <math.h>
#include <string.h>

/* ---- figures that all releases share ---- */

enum hardware { HARDWARE_NVLINK, HARDWARE_PCI, HARDWARE_NET };

/* us: of ring and tree in all, and of each hop; those of tree, simple are the release's. */
static const double base_latency[2][NCCL_N_PROTOCOLS] = {{6.8, 14.0, 0}, {6.6, 14.0, 8.4}};
static const double hop_latency[3][2][NCCL_N_PROTOCOLS] = {
    {{0.6, 1.25, 0}, {0.6, 1.9, 3.4}}, {{1.0, 1.9, 0}, {1.0, 2.5, 5.7}}, {{5.0, 8.5, 0}, {2.7, 4.0, 14.0}}};
static const double nvls_between = 18; /* us */

/* GB/s at most of LL between two nodes and between more, with CPUs of others and of AMD. */
static const double ll_between[2][2] = {{39.0, 20.4}, {22.5, 19.0}};

/* Part of the bandwidth that trees reach, for powers of two from 64 bytes on. */
enum { N_CORRECTIONS = 23, N_NVLS_CORRECTIONS };
static const double tree_reach[NCCL_N_PROTOCOLS][N_NVLS_CORRECTIONS] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

/* ---- a call ---- */

struct model_call {
    const struct nccl_model *model;
    const struct nccl_system *system;
    uint32_t collective, n_ranks, n_nodes;
    unsigned nodes_class;
    const struct nccl_gpu *gpu;
    double per_node; /* ranks */
};

static bool is_between_all(const struct model_call *call)
{
    return call->collective == NCCL_ALLGATHER || call->collective == NCCL_REDUCESCATTER;
}

static double ring_steps(const struct model_call *call)
{
    return call->collective == NCCL_ALLREDUCE ? 2.0 * (call->n_ranks - 1)
           : is_between_all(call)             ? call->n_ranks - 1.0
                                              : call->n_ranks;
}

/* Returns the greatest power of two that is not greater. */
static double floor_log(uint64_t n)
{
    double log = 0;
    while (n >>= 1)
        log++;
    return log;
}

static double most_of_ll(const struct model_call *call)
{
    if (call->nodes_class > 0)
        return ll_between[call->system->cpu == NCCL_CPU_AMD][call->nodes_class - 1];
    return call->gpu->ll;
}

/* ---- bandwidths ---- */

static double ring_bandwidth(const struct model_call *call, enum nccl_protocol protocol)
{
    const struct nccl_found *ring = &call->system->ring;
    const double channel = call->n_nodes <= 2 ? ring->inside : ring->between;
    const bool is_reduced = call->collective == NCCL_ALLREDUCE || call->collective == NCCL_REDUCE;
    double all = ring->n_channels * channel;
    if (protocol == NCCL_LL && call->model->minor >= 21)
        all = fmin(most_of_ll(call), all * 0.5);
    else if (protocol == NCCL_LL)
        all = fmin(most_of_ll(call), all * (call->n_nodes > 1 || is_reduced ? 1.0 / 4 : 1.0 / 3));
    else if (protocol == NCCL_LL128)
        all = fmin(all * (call->per_node < 2 && call->model->minor < 23 ? 0.7 : 0.92),
                   ring->n_channels * call->gpu->ring_ll128[call->nodes_class]);
    return all * call->n_ranks / ring_steps(call);
}

static double tree_bandwidth(const struct model_call *call, enum nccl_protocol protocol)
{
    enum { ONE_GPU_PATTERN = 3 };
    const struct nccl_found *tree = &call->system->tree;
    double all = tree->n_channels * (call->n_nodes <= 2 ? tree->inside : tree->between);
    if (call->collective != NCCL_ALLREDUCE)
        return 0;
    all = fmin(all * 0.92, tree->n_channels * call->gpu->tree[call->nodes_class]);
    if (protocol == NCCL_LL)
        all = fmin(all / 3.8, most_of_ll(call));
    if (protocol == NCCL_LL128)
        all = fmin(all * (call->n_nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                   tree->n_channels * call->gpu->tree_ll128[call->nodes_class]);
    return all * (tree->pattern == ONE_GPU_PATTERN ? 0.85 : 1) * 0.5;
}

/* Up to 2.27. */
static double early_nvls_bandwidth(const struct model_call *call, bool is_tree)
{
    const struct nccl_found *nvls = &call->system->nvls;
    const double between = is_tree && call->n_nodes > 2 ? nvls->between / 2 : nvls->between;
    if (!is_between_all(call) || call->model->minor < 23)
        return nvls->n_channels * fmin(nvls->inside, between) * 5.0 / 6;
    if (call->model->minor < 27)
        return nvls->n_channels * fmin(nvls->inside, between);
    return nvls->n_channels * fmin(nvls->inside * (call->per_node - 1) / call->per_node, between * 0.9);
}

static double late_nvls_bandwidth(const struct model_call *call, bool is_tree)
{
    const struct nccl_found *nvls = &call->system->nvls;
    const double n = nvls->n_channels;
    if (n < 2)
        return 0;
    const double inside = nvls->inside * call->gpu->nvls_reach * (n - 1) / n *
                          (is_between_all(call) ? (call->per_node - 1) / call->per_node : 2);
    const double between = nvls->between * (is_tree && call->n_nodes == 2 ? 2 : 1);
    const double most = is_tree ? call->gpu->nvls_tree[call->nodes_class] : INFINITY;
    return n * fmin(fmin(inside, between), most) *
           (is_between_all(call) ? 1 : call->n_ranks / ring_steps(call));
}

static double nvls_bandwidth(const struct model_call *call, bool is_tree)
{
    if (!nccl_can_act(call->collective, is_tree ? NCCL_NVLS_TREE : NCCL_NVLS) ||
        is_tree != (call->n_nodes > 1))
        return 0;
    return call->model->minor < 28 ? early_nvls_bandwidth(call, is_tree) : late_nvls_bandwidth(call, is_tree);
}

/* PAT is of releases from 2.23 on, where each node has one rank. */
static double pat_bandwidth(const struct model_call *call)
{
    const struct nccl_found *tree = &call->system->tree;
    if (!is_between_all(call) || call->model->minor < 23 || call->n_nodes != call->n_ranks ||
        !call->system->has_pat)
        return 0;
    return tree->n_channels * (call->n_nodes <= 2 ? tree->inside : tree->between) *
           (call->model->minor < 24 ? 0.85 : 0.75);
}

/* True if LL128 is taken without being asked for. */
static bool has_ll128(const struct model_call *call, const struct nccl_found *found)
{
    const uint32_t sm = call->system->least_sm, minor = call->model->minor;
    const bool is_by_pxn = sm >= 90 && (minor < 27 || call->system->has_ll128_c2c);
    const bool is_near =
        found->way_between <= NCCL_WAY_PXB || (is_by_pxn && found->way_between <= NCCL_WAY_PXN);
    const bool is_known = minor >= 27
                              ? sm >= 70
                              : sm == 70 || sm == 80 || sm == 90 || (minor >= 25 && (sm == 100 || sm == 120));
    const bool is_alike = sm == call->system->most_sm || (minor >= 30 && sm >= 90);
    return is_near && found->way_inside <= NCCL_WAY_NVB && is_alike && is_known;
}

/* ---- latencies ---- */

static double tree_hop(const struct model_call *call, enum hardware hardware, enum nccl_protocol protocol)
{
    if (protocol != NCCL_SIMPLE)
        return hop_latency[hardware][0][protocol];
    if (hardware == HARDWARE_PCI && call->system->is_power)
        return hop_latency[HARDWARE_PCI][1][NCCL_SIMPLE];
    return hardware == HARDWARE_NET ? call->model->tree_between : call->model->tree_inside;
}

static enum hardware hardware_inside(const struct nccl_found *found)
{
    return found->way_inside == NCCL_WAY_NVL ? HARDWARE_NVLINK : HARDWARE_PCI;
}

static double added_between(const struct nccl_found *found, enum nccl_protocol protocol)
{
    return found->latency * (protocol == NCCL_SIMPLE ? 2 : 1);
}

static double ring_latency(const struct model_call *call, enum nccl_protocol protocol)
{
    const struct nccl_found *ring = &call->system->ring;
    const enum hardware inside = hardware_inside(ring);
    const double steps = ring_steps(call), base = base_latency[1][protocol];
    const bool is_late = call->model->minor >= 23;
    if (call->collective == NCCL_BROADCAST || call->collective == NCCL_REDUCE) {
        const enum hardware hardware = call->n_nodes == 1 ? inside : HARDWARE_NET;
        if (ring->is_same)
            return base + hop_latency[hardware][1][protocol];
        return base + steps * (protocol == NCCL_SIMPLE ? tree_hop(call, hardware, protocol)
                                                       : hop_latency[hardware][1][protocol]);
    }
    const double of_cpu = call->system->cpu == NCCL_CPU_AMD ? 2 : 1;
    const double overhead = call->system->net_overhead < 0 ? of_cpu : call->system->net_overhead;
    const double between = (is_late && call->per_node == 1 ? tree_hop(call, HARDWARE_NET, protocol)
                                                           : hop_latency[HARDWARE_NET][1][protocol]) +
                           added_between(ring, protocol);
    const double posted = call->n_nodes > 1 ? overhead * (protocol == NCCL_SIMPLE ? 3 : 1) : 0;
    double n_between = call->n_nodes - 1.0;
    if (call->collective == NCCL_ALLREDUCE)
        n_between = call->n_nodes == 1 ? 0 : 2.0 * (is_late ? call->n_nodes - 1 : call->n_nodes);
    return base + (steps - n_between) * fmax(hop_latency[inside][1][protocol], posted) + n_between * between;
}

static double tree_latency(const struct model_call *call, enum nccl_protocol protocol)
{
    const struct nccl_found *tree = &call->system->tree;
    const double base = protocol == NCCL_SIMPLE ? call->model->tree_base : base_latency[0][protocol];
    const double between = tree_hop(call, HARDWARE_NET, protocol) + added_between(tree, protocol);
    return base + 2 * ((double)(call->n_ranks / call->n_nodes - 1) *
                           tree_hop(call, hardware_inside(tree), protocol) +
                       floor_log(call->n_nodes) * between);
}

static double nvls_latency(const struct model_call *call, bool is_tree)
{
    const struct nccl_found *nvls = &call->system->nvls;
    const double inside = hardware_inside(nvls) == HARDWARE_NVLINK ? call->model->nvls_inside : 0;
    const double between = added_between(nvls, NCCL_SIMPLE);
    const bool is_exposed = call->model->minor >= 23 && call->per_node == 1;
    const double hop =
        is_exposed ? tree_hop(call, HARDWARE_NET, NCCL_SIMPLE) : call->model->nvls_tree_between;
    if (is_tree)
        return inside + 2 * floor_log(call->n_nodes) * (hop + between);
    return inside + (call->n_nodes > 1 ? nvls_between + between : 0);
}

static double pat_latency(const struct model_call *call)
{
    const double between =
        tree_hop(call, HARDWARE_NET, NCCL_SIMPLE) + added_between(&call->system->tree, NCCL_SIMPLE);
    return 8 + floor_log(call->n_nodes) * (between / 3.5) + call->n_ranks * 2.8;
}

/* ---- costs ---- */

/* Returns the channels that a communicator has in the end: each is there twice, on several nodes of compute
 * capability 9 (from 2.25 on: and above) with fast rings four times. */
static uint64_t channels_in_all(const struct model_call *call)
{
    enum { FEW = 16 };
    const uint32_t minor = call->model->minor, sm = call->system->least_sm;
    const uint64_t most = minor < 25 ? 32 : 64, few = minor == 19 ? FEW : FEW - 1;
    uint64_t n = 2 * (uint64_t)call->system->ring.n_channels;
    n = n < most ? n : most;
    if ((sm == 90 || (minor >= 25 && sm > 90)) && call->n_nodes > 1 && call->system->ring.inside > 45 &&
        n <= few)
        n *= 2;
    const bool has_nvls = minor > 19 && minor < 28 && n < call->system->nvls.n_channels;
    return has_nvls ? call->system->nvls.n_channels : n;
}

struct nccl_costs nccl_model_costs(const struct nccl_model *model, const struct nccl_system *system,
                                   uint32_t collective, uint32_t n_ranks, uint32_t n_nodes)
{
    const uint32_t sm = system->least_sm;
    const struct model_call call = {.model = model,
                                    .system = system,
                                    .collective = collective,
                                    .n_ranks = n_ranks,
                                    .n_nodes = n_nodes,
                                    .nodes_class = n_nodes <= 2 ? n_nodes - 1 : 2,
                                    .gpu = model->gpus[(sm >= 80) + (sm >= 90) + (sm >= 100)],
                                    .per_node = (double)n_ranks / n_nodes};
    struct nccl_costs costs = {.factor = sm < 80 ? 1.9 : 1.4,
                               .corrects_nvls_tree = model->minor >= 29 && sm >= 100 && system->is_x86};
    for (enum nccl_protocol p = 0; p < NCCL_N_PROTOCOLS; p++) {
        costs.of[NCCL_RING][p] = (struct nccl_cost){ring_latency(&call, p), ring_bandwidth(&call, p)};
        costs.of[NCCL_TREE][p] = (struct nccl_cost){tree_latency(&call, p), tree_bandwidth(&call, p)};
    }
    for (int is_tree = 0; is_tree < 2; is_tree++)
        costs.of[is_tree ? NCCL_NVLS_TREE : NCCL_NVLS][NCCL_SIMPLE] =
            (struct nccl_cost){nvls_latency(&call, is_tree), nvls_bandwidth(&call, is_tree)};
    costs.of[NCCL_PAT][NCCL_SIMPLE] = (struct nccl_cost){pat_latency(&call), pat_bandwidth(&call)};
    if (n_nodes > 1 && collective == NCCL_ALLREDUCE)
        costs.plateau = 64 * channels_in_all(&call) * n_ranks;
    return costs;
}

double nccl_model_time(const struct nccl_costs *costs, uint32_t collective, enum nccl_algorithm algorithm,
                       enum nccl_protocol protocol, uint64_t bytes)
{
    const struct nccl_cost *cost = &costs->of[algorithm][protocol];
    const double log = floor_log(bytes >> 6);
    double latency = cost->latency, bandwidth = cost->bandwidth;
    if (bandwidth <= 0)
        return -1;
    if ((algorithm == NCCL_TREE && collective == NCCL_ALLREDUCE && log < N_CORRECTIONS) ||
        (algorithm == NCCL_NVLS_TREE && costs->corrects_nvls_tree && log < N_NVLS_CORRECTIONS))
        bandwidth *= tree_reach[protocol][(int)log];
    if (algorithm == NCCL_RING && protocol == NCCL_SIMPLE && costs->plateau && bytes >= costs->plateau)
        latency *= costs->factor;
    return latency + (double)bytes / (1000 * bandwidth);
}

/* ---- as of a table ---- */

/* Costs of what is selected; LL128 only where it is asked for, or safe. */
static struct nccl_costs selected_costs(const struct nccl_table *of, const struct table_query *query)
{
    const struct nccl_forced *forced = of->forced;
    const struct nccl_system *system = of->system;
    const uint32_t n_nodes = query->n_nodes ? query->n_nodes : 1;
    const struct model_call call = {.model = of->version->model, .system = system};
    struct nccl_costs costs =
        nccl_model_costs(of->version->model, system, query->collective, query->n_ranks, n_nodes);
    struct nccl_cost ring[NCCL_N_PROTOCOLS];
    bool is_any = false;
    memcpy(ring, costs.of[NCCL_RING], sizeof ring);
    const struct nccl_found *founds[NCCL_N_ALGORITHMS] = {
        [NCCL_TREE] = &system->tree, [NCCL_RING] = &system->ring};
    for (enum nccl_algorithm a = 0; a < NCCL_N_ALGORITHMS; a++)
        for (enum nccl_protocol p = 0; p < NCCL_N_PROTOCOLS; p++)
            if (!nccl_is_selected(forced, query->collective, a, p) ||
                (p == NCCL_LL128 && !forced->protocols.by && founds[a] && !has_ll128(&call, founds[a])))
                costs.of[a][p].bandwidth = 0;
            else
                is_any |= costs.of[a][p].bandwidth > 0;
    /* Releases before 2.24 take rings where nothing else is left. */
    for (enum nccl_protocol p = 0; p < NCCL_N_PROTOCOLS && of->version->model->minor < 24; p++)
        if (!is_any && forced->protocols.selected[query->collective] >> p & 1 &&
            (p != NCCL_LL128 || forced->protocols.by || has_ll128(&call, &system->ring)))
            costs.of[NCCL_RING][p] = ring[p];
    return costs;
}

/* Returns the library's bytes for a byte of the user's. */
static uint64_t model_factor(const struct table_query *query)
{
    return query->collective == NCCL_ALLGATHER || query->collective == NCCL_REDUCESCATTER ? query->n_ranks
                                                                                          : 1;
}

struct least {
    enum nccl_algorithm algorithm;
    enum nccl_protocol protocol;
    double time; /* below 0: there is none */
};

static struct least find_least(const struct nccl_costs *costs, uint32_t collective, uint64_t bytes)
{
    struct least least = {.time = -1};
    for (enum nccl_algorithm a = 0; a < NCCL_N_ALGORITHMS; a++)
        for (enum nccl_protocol p = 0; p < NCCL_N_PROTOCOLS; p++) {
            const double time = nccl_model_time(costs, collective, a, p, bytes);
            if (time >= 0 && (least.time < 0 || time < least.time))
                least = (struct least){a, p, time};
        }
    return least;
}

struct table_range nccl_model_choose(const struct nccl_table *of, const struct table_query *query,
                                     uint64_t bytes)
{
    if (query->n_ranks < 2)
        return (struct table_range){.algorithm = nccl_algorithm_names[NCCL_RING],
                                    .protocol = nccl_protocol_names[NCCL_SIMPLE],
                                    .why = "one rank: nothing is compared"};
    const struct nccl_costs costs = selected_costs(of, query);
    const uint64_t all = bytes * model_factor(query);
    const struct least least = find_least(&costs, query->collective, all);
    if (least.time < 0)
        return nccl_choose_selected(of->forced, query->collective);
    return (struct table_range){.algorithm = nccl_algorithm_names[least.algorithm],
                                .protocol = nccl_protocol_names[least.protocol],
                                .rule = of->forced->algorithms.by ? &of->forced->rule : NULL,
                                .why = "least time by NCCL's cost model"};
}

/* Notes where the times of two pairs are equal, in the user's bytes. */
static void note_crossings(const struct nccl_costs *costs, const struct table_query *query, uint64_t begin,
                           uint64_t end, void (*note)(void *context, uint64_t bytes), void *context)
{
    const uint64_t n = model_factor(query);
    for (unsigned i = 0; i < NCCL_N_ALGORITHMS * NCCL_N_PROTOCOLS; i++)
        for (unsigned j = 0; j < i; j++) {
            double time[2][2]; /* [at begin, at end][of i, of j] */
            for (int side = 0; side < 2; side++)
                for (int which = 0; which < 2; which++) {
                    const unsigned k = which ? j : i;
                    time[side][which] = nccl_model_time(costs, query->collective, k / NCCL_N_PROTOCOLS,
                                                        k % NCCL_N_PROTOCOLS, side ? end - 1 : begin);
                }
            const double before = time[0][0] - time[0][1], after = time[1][0] - time[1][1];
            if (time[0][0] < 0 || time[0][1] < 0 || before * after > 0 || before == after)
                continue;
            const double at = (double)begin + before / (before - after) * (double)(end - 1 - begin);
            for (int64_t by = -1; by <= 2; by++)
                note(context, (uint64_t)fmax(0, floor(at / (double)n) + (double)by));
        }
}

void nccl_model_changes(const struct nccl_table *of, const struct table_query *query,
                        void (*note)(void *context, uint64_t bytes), void *context)
{
    enum { LAST_BIT = 44 };
    if (query->n_ranks < 2)
        return;
    const struct nccl_costs costs = selected_costs(of, query);
    const uint64_t n = model_factor(query);
    for (int bit = 0; bit <= LAST_BIT; bit++) {
        const uint64_t begin = bit ? UINT64_C(1) << bit : 0, end = UINT64_C(2) << bit;
        const bool is_cut = costs.plateau > begin && costs.plateau < end;
        note(context, (begin + n - 1) / n);
        if (is_cut)
            note(context, (costs.plateau + n - 1) / n);
        note_crossings(&costs, query, begin, is_cut ? costs.plateau : end, note, context);
        if (is_cut)
            note_crossings(&costs, query, costs.plateau, end, note, context);
    }
}
