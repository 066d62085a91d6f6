/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the collective of a file, and the places of its buffers' chunks in a schedule. The three buffers
 * of a GPU are i, the input, o, the output, and s, the scratch. `inplace` makes i and o one memory. In
 * that case, and if a schedule must not write what a file writes, the input is first copied to a place
 * where it may:
 *
 *   collective      inplace  i                     o               copied first         last
 *   allreduce ...   1        buf                   buf
 *                   0        tmp                   buf             buf to tmp
 *   allgather       1        own block of out      out             in to the own block
 *                   0        in, or tmp            out             (in to tmp)
 *   alltoall        1        out                   out             in to out
 *                   0        in, or tmp            out             (in to tmp)
 *   reduce_scatter  1        tmp                   own block of i  in to tmp            own block to out
 *                   0        in, or tmp            out             (in to tmp)
 *
 * In brackets: only if instructions write the input or, in an allgather, put other data over the block of
 * out that is the input of a call with MPI_IN_PLACE. s is behind the input in tmp.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <string.h>

/* A word of `coll`, and its collective. */
static const struct {
    const char *word;
    enum collective collective;
} collective_words[] = {
    {"allreduce", COLLECTIVE_allreduce},
    {"allgather", COLLECTIVE_allgather},
    {"alltoall", COLLECTIVE_alltoall},
    {"reduce_scatter", COLLECTIVE_reduce_scatter_block}, /* msccl-tools, microsoft/msccl */
    {"reducescatter", COLLECTIVE_reduce_scatter_block},  /* Azure/msccl-executor-nccl */
    {"broadcast", COLLECTIVE_bcast},
    {"reduce", COLLECTIVE_reduce},
};

#define COLLECTIVES_HELP \
    "coll is one of allreduce, allgather, alltoall, reduce_scatter, broadcast and reduce: write there what the " \
    "schedule is for"

static bool find_collective(const struct msccl_file *file, enum collective *collective)
{
    struct diagnostics *diagnostics = file->diagnostics;
    for (size_t i = 0; file->collective && i < sizeof collective_words / sizeof *collective_words; i++) {
        if (strcmp(file->collective, collective_words[i].word) == 0) {
            *collective = collective_words[i].collective;
            return true;
        }
    }
    if (file->collective)
        report(diagnostics, CODE_S005, file->collective_place, "'%.80s': no collective that can be judged",
               file->collective)
            ->help = COLLECTIVES_HELP;
    else
        report(diagnostics, CODE_S005, file->collective_place, "'algo': attribute 'coll' missing")->help =
            COLLECTIVES_HELP;
    return false;
}

/* ---- the root ---- */

/* Finds the only GPU without a thread block that receives (of a broadcast), or sends (of a reduce); every
 * other one must. */
static bool buffers_find_root(const struct msccl_file *file, struct msccl_layout *layout)
{
    const bool is_bcast = collective_table[layout->header.collective].before == HELD_ROOT;
    bool *is_other = arena_alloc(&file->diagnostics->arena, file->n_gpus, sizeof *is_other);
    for (size_t i = 0; i < file->n_ops; i++) {
        const struct instruction_info *info = op_info(&file->ops[i]);
        if (is_bcast ? info->receives : info->sends)
            is_other[file->blocks[file->ops[i].block].gpu] = true;
    }
    uint32_t n_roots = 0;
    for (uint32_t gpu = 0; gpu < file->n_gpus; gpu++) {
        if (!is_other[gpu] && !n_roots++)
            layout->header.root = gpu;
    }
    if (n_roots == 1)
        return true;
    report(file->diagnostics, CODE_S005, file->collective_place,
           "'%s': no root can be told: %u GPUs %s nothing", file->collective, n_roots,
           is_bcast ? "receive" : "send")
        ->help = "such a file does not say its root: it is the only GPU that receives nothing in a broadcast, and "
                 "sends nothing in a reduce";
    return false;
}

/* ---- sizes ---- */

/* Returns the chunks of i or o by nchunksperloop. */
static uint32_t count_chunks(const struct msccl_file *file, enum collective collective,
                             enum msccl_buffer buffer)
{
    const enum buffer ours = buffer == MSCCL_INPUT ? BUFFER_IN : BUFFER_OUT;
    const bool is_block = collective_has(collective, ours) && !collective_is_by_rank(collective, ours);
    return is_block ? file->n_chunks / file->n_gpus : file->n_chunks;
}

/* Checks that i_chunks and o_chunks follow from nchunksperloop, or are 0 if the buffer is unused. */
static bool check_sizes(const struct msccl_file *file, enum collective collective)
{
    bool is_right = true;
    for (uint32_t id = 0; id < file->n_gpus; id++) {
        const struct msccl_gpu *gpu = &file->gpus[id];
        for (unsigned buffer = MSCCL_INPUT; buffer <= MSCCL_OUTPUT; buffer++) {
            const uint32_t expected = count_chunks(file, collective, (enum msccl_buffer)buffer);
            if (!gpu->n_chunks[buffer] || gpu->n_chunks[buffer] == expected)
                continue;
            report(file->diagnostics, CODE_S005, msccl_gpu_place(file, gpu),
                   "GPU %u has %c_chunks=\"%u\", where %u %s due", id, msccl_buffer_letter[buffer],
                   gpu->n_chunks[buffer], expected, expected == 1 ? "is" : "are")
                ->help = diagnostics_text(file->diagnostics, "%s of %u GPUs with nchunksperloop=\"%u\"",
                                          file->collective, file->n_gpus, file->n_chunks);
            is_right = false;
        }
    }
    return is_right;
}

static bool buffers_is_inside(const struct msccl_file *file, const struct msccl_layout *layout,
                              const struct msccl_op *op, enum msccl_buffer buffer, uint32_t first)
{
    const struct msccl_block *block = &file->blocks[op->block];
    const uint32_t n = buffer == MSCCL_SCRATCH ? file->gpus[block->gpu].n_chunks[buffer]
                                               : count_chunks(file, layout->header.collective, buffer);
    if ((uint64_t)first + op->count <= n)
        return true;
    report(file->diagnostics, CODE_S005, msccl_op_place(file, op),
           "chunk %u of '%c' is outside its %u chunks", first + op->count - 1, msccl_buffer_letter[buffer], n)
        ->help = buffer == MSCCL_SCRATCH ? "s_chunks of <gpu> is how many there are"
                                         : "nchunksperloop and ngpus of <algo> say how many there are";
    return false;
}

static bool check_op(const struct msccl_file *file, const struct msccl_layout *layout,
                     const struct msccl_op *op)
{
    const enum collective collective = layout->header.collective;
    if (op_info(op)->reduces && !collective_table[collective].reduces) {
        report(file->diagnostics, CODE_S005, msccl_op_place(file, op), "'%s' reduces, and '%s' does not",
               op_info(op)->name, file->collective);
        return false;
    }
    const bool is_source_inside =
        !op_reads_source(op) || buffers_is_inside(file, layout, op, op->source_buffer, op->source);
    const bool is_target_inside =
        !op_uses_target(op) || buffers_is_inside(file, layout, op, op->target_buffer, op->target);
    return is_source_inside && is_target_inside;
}

static bool buffers_check_copy(const struct msccl_file *file, const struct msccl_layout *layout,
                               const struct msccl_copy *copy)
{
    const enum collective collective = layout->header.collective;
    const uint32_t n_input = count_chunks(file, collective, MSCCL_INPUT);
    const uint32_t n_output = count_chunks(file, collective, MSCCL_OUTPUT);
    if (copy->input < n_input && copy->output < n_output)
        return true;
    const struct position place = {file->source, copy->line, 1, 1};
    report(file->diagnostics, CODE_S005, place, "copies chunk %u of the input to chunk %u of the output, "
           "which have %u and %u chunks", copy->input, copy->output, n_input, n_output);
    return false;
}

static bool check_all(const struct msccl_file *file, const struct msccl_layout *layout)
{
    bool is_right = check_sizes(file, layout->header.collective);
    for (size_t i = 0; i < file->n_ops; i++)
        is_right &= check_op(file, layout, &file->ops[i]);
    for (size_t i = 0; i < file->n_copies; i++)
        is_right &= buffers_check_copy(file, layout, &file->copies[i]);
    return is_right;
}

/* ---- where they are ---- */

/* True if an instruction writes the input; or, in an allgather, writes anything but the same chunk of the
 * input to the own block of the output. */
static bool disturbs_input(const struct msccl_file *file, const struct msccl_layout *layout,
                           const struct msccl_op *op)
{
    if (!op_uses_target(op))
        return false;
    if (op->target_buffer == MSCCL_INPUT)
        return true;
    if (layout->header.collective != COLLECTIVE_allgather || op->target_buffer != MSCCL_OUTPUT)
        return false;
    const uint32_t own = file->blocks[op->block].gpu * layout->segments;
    if (op->target >= own + layout->segments || op->target + op->count <= own)
        return false;
    return op->instruction != INSTRUCTION_cpy || op->source_buffer != MSCCL_INPUT ||
           op->source + own != op->target;
}

static bool needs_input_copy(const struct msccl_file *file, const struct msccl_layout *layout)
{
    if (file->is_in_place)
        return layout->header.collective == COLLECTIVE_reduce_scatter_block;
    if (collective_has(layout->header.collective, BUFFER_BUF))
        return true;
    for (size_t i = 0; i < file->n_ops; i++)
        if (disturbs_input(file, layout, &file->ops[i]))
            return true;
    return false;
}

static uint32_t most_scratch(const struct msccl_file *file)
{
    uint32_t most = 0;
    for (uint32_t id = 0; id < file->n_gpus; id++)
        if (file->gpus[id].n_chunks[MSCCL_SCRATCH] > most)
            most = file->gpus[id].n_chunks[MSCCL_SCRATCH];
    return most;
}

bool msccl_lay_out(const struct msccl_file *file, struct msccl_layout *layout)
{
    *layout = (struct msccl_layout){.header = {.algorithm = file->name && *file->name ? file->name : "msccl",
                                               .n_ranks = file->n_gpus}};
    struct schedule_header *header = &layout->header;
    if (!find_collective(file, &header->collective))
        return false;
    const bool is_cut = !collective_has(header->collective, BUFFER_BUF);
    if (is_cut && file->n_chunks % file->n_gpus) {
        report(file->diagnostics, CODE_S005, file->collective_place,
               "nchunksperloop=\"%u\" is no multiple of ngpus=\"%u\"", file->n_chunks, file->n_gpus)
            ->help = diagnostics_text(file->diagnostics, "in %s every GPU has equally many of these chunks",
                                      file->collective);
        return false;
    }
    layout->segments = is_cut ? file->n_chunks / file->n_gpus : file->n_chunks;
    header->segments = layout->segments;
    if (!check_all(file, layout) ||
        (collective_table[header->collective].rooted && !buffers_find_root(file, layout)))
        return false;
    layout->copies_input = needs_input_copy(file, layout);
    layout->copies_output = file->is_in_place && header->collective == COLLECTIVE_reduce_scatter_block;
    layout->output_is_undefined = !file->is_in_place && collective_has(header->collective, BUFFER_BUF);
    const uint32_t n_input = layout->copies_input ? count_chunks(file, header->collective, MSCCL_INPUT) : 0;
    header->n_tmp = n_input + most_scratch(file);
    return true;
}

static enum buffer buffers_result_buffer(const struct msccl_layout *layout)
{
    return collective_has(layout->header.collective, BUFFER_BUF) ? BUFFER_BUF : BUFFER_OUT;
}

struct chunks msccl_buffer_chunks(const struct msccl_file *file, const struct msccl_layout *layout,
                                  uint32_t gpu, enum msccl_buffer buffer)
{
    const enum collective collective = layout->header.collective;
    const uint32_t n_input = count_chunks(file, collective, MSCCL_INPUT);
    const uint32_t own = gpu * layout->segments;
    const uint8_t result = (uint8_t)buffers_result_buffer(layout);
    if (buffer == MSCCL_SCRATCH)
        return (struct chunks){BUFFER_TMP, layout->copies_input ? n_input : 0,
                               file->gpus[gpu].n_chunks[MSCCL_SCRATCH]};
    if (buffer == MSCCL_OUTPUT && layout->copies_output)
        return (struct chunks){BUFFER_TMP, own, layout->segments};
    if (buffer == MSCCL_OUTPUT)
        return (struct chunks){result, 0, count_chunks(file, collective, MSCCL_OUTPUT)};
    if (layout->copies_input)
        return (struct chunks){BUFFER_TMP, 0, n_input};
    if (!file->is_in_place)
        return (struct chunks){BUFFER_IN, 0, n_input};
    return (struct chunks){result, collective == COLLECTIVE_allgather ? own : 0, n_input};
}

bool msccl_first_copy(const struct msccl_file *file, const struct msccl_layout *layout, uint32_t gpu,
                      struct chunks *from, struct chunks *to)
{
    const enum collective collective = layout->header.collective;
    const bool has_buf = collective_has(collective, BUFFER_BUF);
    *to = msccl_buffer_chunks(file, layout, gpu, MSCCL_INPUT);
    *from = (struct chunks){has_buf ? BUFFER_BUF : BUFFER_IN, 0, to->n};
    if (has_buf && file->is_in_place)
        return false;
    if (collective_table[collective].before == HELD_ROOT && gpu != layout->header.root)
        return false;
    return file->is_in_place || layout->copies_input;
}

bool msccl_last_copy(const struct msccl_file *file, const struct msccl_layout *layout, uint32_t gpu,
                     struct chunks *from, struct chunks *to)
{
    *from = msccl_buffer_chunks(file, layout, gpu, MSCCL_OUTPUT);
    *to = (struct chunks){BUFFER_OUT, 0, from->n};
    return layout->copies_output;
}
