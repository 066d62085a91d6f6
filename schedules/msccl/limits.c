/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Warns of valid files that the runtimes refuse for their size (S006): the constants of microsoft/msccl,
 * which Azure/msccl-executor-nccl and ROCm/rccl share (MSCCL_MAX_NUM_STEPS, MSCCL_MAX_COUNT and
 * MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL). The runtime does not use such a file and runs its own
 * algorithm.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <stdlib.h>

enum { MOST_STEPS = 256, MOST_COUNT = 71, MOST_CONNECTIONS = 32 };

static void warn(const struct msccl_file *file, struct position place, const char *words, uint32_t value,
                 uint32_t most)
{
    if (!diagnostics_only_counts(file->diagnostics, CODE_S006))
        report(file->diagnostics, CODE_S006, place, "%u %s, and MSCCL's runtimes take %u at most", value, words,
               most)
            ->help = "they refuse the file and run something else; what is found here is right as far as the file "
                     "goes";
}

static void check_block(const struct msccl_file *file, const struct msccl_block *block)
{
    if (block->n > MOST_STEPS)
        warn(file, msccl_block_place(file, block), "steps in a thread block", block->n, MOST_STEPS);
}

/* Checks the number of thread blocks of a GPU that send, or receive, on each channel. */
static void check_channels(const struct msccl_file *file, const struct msccl_gpu *gpu, bool of_receives)
{
    const struct position place = msccl_gpu_place(file, gpu);
    uint32_t n_channels = 0;
    for (uint32_t b = gpu->first; b < gpu->first + gpu->n; b++)
        if (file->blocks[b].channel >= n_channels)
            n_channels = file->blocks[b].channel + 1;
    uint32_t *n_connections = mem_alloc(n_channels, sizeof *n_connections);
    for (uint32_t b = gpu->first; b < gpu->first + gpu->n; b++) {
        const struct msccl_block *block = &file->blocks[b];
        n_connections[block->channel] += (of_receives ? block->receive_peer : block->send_peer) != NONE;
    }
    for (uint32_t channel = 0; channel < n_channels; channel++)
        if (n_connections[channel] > MOST_CONNECTIONS)
            warn(file, place,
                 of_receives ? "thread blocks that receive on one channel" : "thread blocks that send on one channel",
                 n_connections[channel], MOST_CONNECTIONS);
    free(n_connections);
}

void msccl_check_limits(const struct msccl_file *file)
{
    for (uint32_t id = 0; id < file->n_gpus; id++) {
        check_channels(file, &file->gpus[id], false);
        check_channels(file, &file->gpus[id], true);
    }
    for (size_t i = 0; i < file->n_blocks; i++)
        check_block(file, &file->blocks[i]);
    for (size_t i = 0; i < file->n_ops; i++)
        if (file->ops[i].count > MOST_COUNT)
            warn(file, msccl_op_place(file, &file->ops[i]), "chunks in one step", file->ops[i].count, MOST_COUNT);
}
