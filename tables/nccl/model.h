/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cost model by which NCCL takes algorithm and protocol, inside this folder: of each pair a latency and a
 * bandwidth, which follow from the graphs that NCCL has found, the ranks and nodes, the GPUs and the CPU. The
 * time of a call is the latency and its bytes by the bandwidth; the least one decides. Facts and figures are
 * those of src/graph/tuning.cc of each release; calls are single.
 */
#ifndef COLLC_TABLES_NCCL_MODEL_H
#define COLLC_TABLES_NCCL_MODEL_H

#include "tables/nccl/nccl.h"

/* Kinds of ways, near ones first (src/include/graph.h). */
enum nccl_way {
    NCCL_WAY_LOC,
    NCCL_WAY_NVL,
    NCCL_WAY_NVB,
    NCCL_WAY_C2C,
    NCCL_WAY_PIX,
    NCCL_WAY_PXB,
    NCCL_WAY_P2C, /* from 2.27 on */
    NCCL_WAY_PXN,
    NCCL_WAY_FAR
};

/* The properties of what NCCL has found for an algorithm. */
struct nccl_found {
    uint32_t pattern, n_channels; /* 0 channels: it has none */
    double inside, between;       /* GB/s of a channel on a host, and between hosts */
    double latency;               /* us of the network, added */
    enum nccl_way way_inside, way_between;
    bool is_same; /* channels are alike */
};

enum nccl_cpu { NCCL_CPU_INTEL, NCCL_CPU_AMD, NCCL_CPU_OTHER };

struct nccl_system {
    struct nccl_found ring, tree, nvls;
    uint32_t least_sm, most_sm; /* of its GPUs: 90 is 9.0; 0: not known */
    enum nccl_cpu cpu;
    bool is_power, is_x86;
    bool has_pat;        /* unless NCCL_PAT_ENABLE=0 */
    bool has_ll128_c2c;  /* unless NCCL_LL128_C2C=0 */
    double net_overhead; /* us of NCCL_NET_OVERHEAD; below 0: the CPU's */
};

/* The classes of GPUs: of compute capability 7 and less, 8, 9, 10 and more; and of nodes: one, two, more. */
enum { NCCL_N_GPUS = 4, NCCL_N_NODE_CLASSES = 3 };

/* GB/s at most, for a class of GPUs. */
struct nccl_gpu {
    double ll; /* on one node, of all channels */
    double ring_ll128[NCCL_N_NODE_CLASSES], tree[NCCL_N_NODE_CLASSES], tree_ll128[NCCL_N_NODE_CLASSES],
        nvls_tree[NCCL_N_NODE_CLASSES]; /* of a channel */
    double nvls_reach;                  /* part of the bandwidth that NVLS reaches */
};

/* A release's figures: of a minor version those of its last patch. */
struct nccl_model {
    uint32_t minor; /* 21: of 2.21 */
    double tree_base, tree_inside,
        tree_between;         /* us of tree, simple: in all, a hop on a host, and by the network */
    double nvls_inside;       /* us of NVLS by NVLink */
    double nvls_tree_between; /* us of NVLS trees, a hop by the network */
    const struct nccl_gpu *gpus[NCCL_N_GPUS];
};

/* Reads the system from the files that settings name. NULL after reporting B038 or what is wrong in them. */
const struct nccl_system *nccl_system_read(const struct settings *settings,
                                           const struct settings_dialect *dialect, struct arena *arena,
                                           struct diagnostics *diagnostics);
extern const struct settings_dialect nccl_model_dialect;

struct nccl_costs {
    struct nccl_cost {
        double latency, bandwidth; /* us, and GB/s of the library's bytes; 0: it cannot be taken */
    } of[NCCL_N_ALGORITHMS][NCCL_N_PROTOCOLS];
    uint64_t plateau; /* library's bytes from which on ring, simple takes longer by `factor`; 0: never */
    double factor;
    bool corrects_nvls_tree; /* by the part that trees reach */
};
/* Finds the costs for a collective on so many ranks and nodes, without regard to what a user selects. */
struct nccl_costs nccl_model_costs(const struct nccl_model *model, const struct nccl_system *system,
                                   uint32_t collective, uint32_t n_ranks, uint32_t n_nodes);
/* Returns us for a call of the library's bytes; below 0: it cannot be taken. */
double nccl_model_time(const struct nccl_costs *costs, uint32_t collective, enum nccl_algorithm algorithm,
                       enum nccl_protocol protocol, uint64_t bytes);

/* As of a table (tables/rules/table.h). */
struct table_range nccl_model_choose(const struct nccl_table *of, const struct table_query *query,
                                     uint64_t bytes);
void nccl_model_changes(const struct nccl_table *of, const struct table_query *query,
                        void (*note)(void *context, uint64_t bytes), void *context);

#endif
