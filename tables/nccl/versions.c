/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loaders of tables in CSV, and of the variables beside them; and the releases whose cost model is known.
 */
#include "tables/nccl/model.h"

static const struct nccl_version version_nccl = {.title = "NCCL's example plugin"};
static const struct nccl_version version_rccl = {
    .title = "RCCL", .skips_unknown = true, .has_default = true, .skips_blanks = true};

#define LOADER(name, spelling, record)                                                                     \
    extern const struct table_loader name;                                                                 \
    const struct table_loader name = {.target = spelling,                                                  \
                                      .collectives = nccl_collective_names,                                \
                                      .n_collectives = NCCL_N_COLLECTIVES,                                 \
                                      .version = &(record),                                                \
                                      .is_file = nccl_is_file,                                             \
                                      .read = nccl_read,                                                   \
                                      .dialect = &nccl_dialect,                                            \
                                      .read_settings = nccl_read_settings,                                 \
                                      .choose = nccl_choose,                                               \
                                      .changes = nccl_changes,                                             \
                                      .lint = nccl_lint}
LOADER(nccl_loader, "nccl", version_nccl);
LOADER(rccl_loader, "rccl", version_rccl);

/* GPUs by release; figures of NVLS are of 2.28 and later. */
static const struct nccl_gpu
    volta = {39.0, {20.0, 20.0, 20.0}, {26.5, 18.5, 10.0}, {20.0, 20.0, 20.0}, {26.5, 18.5, 10.0}, 0},
    ampere = {87.7, {20.0, 20.0, 20.0}, {24.0, 23.6, 17.8}, {20.0, 20.0, 20.0}, {24.0, 23.6, 17.8}, 0},
    hopper_19 = {87.7, {36.7, 36.7, 36.7}, {38.7, 41.4, 36.0}, {36.7, 36.7, 29.0}, {0}, 0},
    hopper = {141.0, {36.7, 36.7, 36.7}, {38.7, 41.4, 36.0}, {36.7, 36.7, 29.0}, {0, 57.7, 45.5}, 0.85},
    blackwell_25 = {282.0, {73.4, 73.4, 73.4}, {77.4, 82.8, 72.0}, {73.4, 73.4, 58.0}, {0}, 0},
    blackwell_28 = {282.0, {73.4, 34.6, 73.4}, {70.0, 42.8, 24.0}, {55.6, 31.67, 20.0}, {0, 96.0, 43.8},
                    0.74},
    blackwell_29 = {282.0, {40.0, 40.0, 40.0}, {70.0, 42.8, 24.0}, {55.6, 31.67, 20.0}, {0, 96.0, 43.8},
                    0.74},
    blackwell_30 = {282.0, {40.0, 40.0, 40.0}, {70.0, 42.8, 24.0}, {55.6, 31.67, 20.0}, {0, 96.0, 80.0},
                    0.74};
#define GPUS(of_9, of_10) {&volta, &ampere, &(of_9), &(of_10)}

/* Releases of NCCL, without a table. */
#define RELEASE(n, ...)                                                                                      \
    static const struct nccl_model model_##n = {n, __VA_ARGS__};                                             \
    static const struct nccl_version version_##n = {                                                         \
        .title = "NCCL 2." #n, .model = &model_##n, .has_default = true};                                    \
    extern const struct table_loader nccl_2_##n##_loader;                                                    \
    const struct table_loader nccl_2_##n##_loader = {.target = "nccl-2." #n,                                 \
                                                     .collectives = nccl_collective_names,                   \
                                                     .n_collectives = NCCL_N_COLLECTIVES,                    \
                                                     .version = &version_##n,                                \
                                                     .dialect = &nccl_model_dialect,                         \
                                                     .read_settings = nccl_read_settings,                    \
                                                     .choose = nccl_choose,                                  \
                                                     .changes = nccl_changes,                                \
                                                     .lint = nccl_lint}
RELEASE(19, 0, 28, 28, 23, 14, GPUS(hopper_19, hopper_19));
RELEASE(20, 0, 28, 28, 23, 14, GPUS(hopper_19, hopper_19));
RELEASE(21, 0, 28, 28, 25, 14, GPUS(hopper, hopper));
RELEASE(22, 0, 28, 28, 25, 14, GPUS(hopper, hopper));
RELEASE(23, 8.4, 4, 14, 25, 14, GPUS(hopper, hopper));
RELEASE(24, 8.4, 4, 14, 25, 14, GPUS(hopper, hopper));
RELEASE(25, 8.4, 4, 14, 25, 14, GPUS(hopper, blackwell_25));
RELEASE(26, 8.4, 4, 14, 25, 14, GPUS(hopper, blackwell_25));
RELEASE(27, 8.4, 4, 14, 25, 14, GPUS(hopper, blackwell_25));
RELEASE(28, 8.4, 4, 14, 25, 20.9, GPUS(hopper, blackwell_28));
RELEASE(29, 8.4, 4, 14, 25, 20.9, GPUS(hopper, blackwell_29));
RELEASE(30, 8.4, 4, 14, 25, 20.9, GPUS(hopper, blackwell_30));
