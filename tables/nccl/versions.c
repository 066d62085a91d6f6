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
RELEASE(19, 0, 28, 28, 23, 87.7);
RELEASE(20, 0, 28, 28, 23, 87.7);
RELEASE(21, 0, 28, 28, 25, 141.0);
RELEASE(22, 0, 28, 28, 25, 141.0);
RELEASE(23, 8.4, 4, 14, 25, 141.0);
RELEASE(24, 8.4, 4, 14, 25, 141.0);
RELEASE(25, 8.4, 4, 14, 25, 141.0);
RELEASE(26, 8.4, 4, 14, 25, 141.0);
