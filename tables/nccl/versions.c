/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loaders of tables in CSV, and of the variables beside them.
 */
#include "tables/nccl/nccl.h"

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
