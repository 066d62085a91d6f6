/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses thread blocks and their instructions. The dialects differ in attributes that only their loaders
 * need (nchannels, proto, minBytes, redop ...): these are ignored. Values that are out of range, missing
 * or contradictory are reported, and reading goes on.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"
#include "base/text/xml.h"

#include <stdlib.h>
#include <string.h>

const struct instruction_info instruction_table[N_INSTRUCTIONS] = {
#define X(name, receives, reduces, stores, sends, is_local) \
    {#name, receives, reduces, stores, sends, is_local},
    INSTRUCTIONS(X)
#undef X
};
const char msccl_buffer_letter[N_MSCCL_BUFFERS] = {'i', 'o', 's'};

/* Limits far above those of the loaders: 2^15 chunks, of which an instruction has at most 71. */
enum {
    MAX_GPUS = 1 << 16,
    MAX_CHUNKS = 1 << 20,
    MAX_COUNT = 1 << 12,
    MAX_CHANNELS = 1 << 10,
    MAX_TOUCHED = 1 << 26 /* chunks of all instructions: what the reader does and keeps grows with them */
};

/* Finds the lines of elements, which are asked for in the order of the text. */
struct line_finder {
    const char *at, *line_start;
    uint32_t line;
};

/* The instruction that another one waits for, as written: depid and deps. */
struct dependency {
    uint32_t block, step;
    const xmlNode *element;
};

struct parser {
    struct xml_reader xml;
    struct line_finder lines;
    struct msccl_file *file;
    struct dependency *dependencies; /* [instruction] the one it waits for */
    size_t blocks_capacity, ops_capacity, copies_capacity, dependencies_capacity;
    uint64_t n_touched;
};

struct position msccl_op_place(const struct msccl_file *file, const struct msccl_op *op)
{
    return (struct position){file->source, op->line, op->column, (uint32_t)strlen("step")};
}

struct position msccl_block_place(const struct msccl_file *file, const struct msccl_block *block)
{
    return (struct position){file->source, block->line, block->column, (uint32_t)strlen("tb")};
}

struct position msccl_gpu_place(const struct msccl_file *file, const struct msccl_gpu *gpu)
{
    return (struct position){file->source, gpu->line, gpu->column, (uint32_t)strlen("gpu")};
}

/* ---- elements and attributes ---- */

static struct diagnostic *msccl_parse_refuse(struct parser *parser, const xmlNode *element,
                                             const char *attribute, const char *message)
{
    const struct slice slice = attribute
                                   ? xml_attribute_slice(&parser->xml, element, attribute, true)
                                   : xml_element_slice(&parser->xml, element);
    const char *subject = attribute ? xml_find_attribute(element, attribute) : NULL;
    return xml_report(&parser->xml, CODE_S005, slice, subject ? subject : (const char *)element->name,
                      message);
}

static const char *msccl_parse_words(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *msccl_parse_words(struct parser *parser, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&parser->file->diagnostics->arena, format, args);
    va_end(args);
    return text;
}

static const char *msccl_parse_need(struct parser *parser, const xmlNode *element, const char *name)
{
    const char *value = xml_find_attribute(element, name);
    if (!value)
        msccl_parse_refuse(parser, element, NULL, msccl_parse_words(parser, "attribute '%s' missing", name));
    return value;
}

/* Reads a whole number up to `most`; -1 is NONE if `or_none`. Returns false after reporting. */
static bool msccl_parse_read_number(struct parser *parser, const xmlNode *element, const char *name,
                                    uint32_t most, bool or_none, uint32_t *value)
{
    const char *text = msccl_parse_need(parser, element, name);
    *value = NONE;
    if (!text || (or_none && strcmp(text, "-1") == 0))
        return text;
    if (parse_count(slice_of(text), value) == VALUE_OK && *value <= most)
        return true;
    *value = NONE;
    msccl_parse_refuse(parser, element, name,
                       msccl_parse_words(parser, "attribute '%s' is a number from %s to %u", name,
                                         or_none ? "-1" : "0", most));
    return false;
}

static void place_element(struct parser *parser, const xmlNode *element, uint32_t *line, uint32_t *column)
{
    struct line_finder *lines = &parser->lines;
    const char *to = element->_private;
    while (to && lines->at < to) {
        const char *end = memchr(lines->at, '\n', (size_t)(to - lines->at));
        lines->at = end ? end + 1 : to;
        if (end) {
            lines->line++;
            lines->line_start = lines->at;
        }
    }
    *line = lines->line;
    *column = to ? (uint32_t)(to - lines->line_start) + 2 : 1; /* behind '<' */
}

/* ---- instructions ---- */

/* Reads one side of an instruction: its buffer and the first chunk. */
static void msccl_parse_read_side(struct parser *parser, const xmlNode *element, const char *buffer_attribute,
                                  const char *offset_attribute, uint8_t *buffer, uint32_t *chunk)
{
    const char *letter = msccl_parse_need(parser, element, buffer_attribute);
    for (unsigned i = 0; letter && i < N_MSCCL_BUFFERS; i++) {
        if (letter[0] == msccl_buffer_letter[i] && !letter[1]) {
            *buffer = (uint8_t)i;
            msccl_parse_read_number(parser, element, offset_attribute, MAX_CHUNKS, false, chunk);
            return;
        }
    }
    if (letter)
        msccl_parse_refuse(parser, element, buffer_attribute, "no buffer: one of i, o and s");
}

static bool read_instruction(struct parser *parser, const xmlNode *element, struct msccl_op *op)
{
    const char *type = msccl_parse_need(parser, element, "type");
    for (unsigned i = 0; type && i < N_INSTRUCTIONS; i++) {
        if (strcmp(type, instruction_table[i].name) == 0) {
            op->instruction = (uint8_t)i;
            return true;
        }
    }
    if (!type)
        return false;
    struct diagnostic *diagnostic =
        msccl_parse_refuse(parser, element, "type", "no instruction that is read");
    diagnostic->help = strcmp(type, "ra") == 0
                           ? "'ra' adds buffers that are not those of the collective, so no schedule can say it"
                           : "instructions are s, r, rcs, rrs, rrc, rrcs, cpy, re and nop";
    return false;
}

/* Sends and receives need the peer that their thread block says. */
static void check_peers(struct parser *parser, const xmlNode *element, const struct msccl_block *block,
                        const struct msccl_op *op)
{
    if (op_info(op)->sends && block->send_peer == NONE)
        msccl_parse_refuse(parser, element, "type", "sends, but its thread block says no GPU to send to")
            ->help = "the attribute 'send' of <tb> is that GPU";
    if (op_info(op)->receives && block->receive_peer == NONE)
        msccl_parse_refuse(parser, element, "type",
                           "receives, but its thread block says no GPU to receive from")
            ->help = "the attribute 'recv' of <tb> is that GPU";
}

static void count_touched(struct parser *parser, const xmlNode *element, uint32_t count)
{
    const bool was_within = parser->n_touched <= MAX_TOUCHED;
    parser->n_touched += count == NONE ? 0 : count;
    if (was_within && parser->n_touched > MAX_TOUCHED)
        msccl_parse_refuse(parser, element, "cnt",
                           msccl_parse_words(parser, "more than %d chunks in all steps", MAX_TOUCHED));
}

static void msccl_parse_read_step(struct parser *parser, const xmlNode *element, struct msccl_block *block)
{
    struct msccl_file *file = parser->file;
    struct msccl_op op = {.after = NONE};
    struct dependency dependency = {.element = element};
    uint32_t number = NONE, publishes = 0;
    place_element(parser, element, &op.line, &op.column);
    if (msccl_parse_read_number(parser, element, "s", MAX_CHUNKS, false, &number) && number != block->n)
        msccl_parse_refuse(parser, element, "s", msccl_parse_words(parser, "where step %u is due", block->n))
            ->help = "the steps of a thread block are numbered 0, 1, 2 ... in the order of the file";
    if (read_instruction(parser, element, &op)) {
        if (op_reads_source(&op))
            msccl_parse_read_side(parser, element, "srcbuf", "srcoff", &op.source_buffer, &op.source);
        if (op_uses_target(&op))
            msccl_parse_read_side(parser, element, "dstbuf", "dstoff", &op.target_buffer, &op.target);
        if (op.instruction != INSTRUCTION_nop &&
            msccl_parse_read_number(parser, element, "cnt", MAX_COUNT, false, &op.count) && op.count == 0)
            msccl_parse_refuse(parser, element, "cnt", "an instruction is about one chunk or more");
        count_touched(parser, element, op.count);
        check_peers(parser, element, block, &op);
    }
    msccl_parse_read_number(parser, element, "depid", MAX_CHUNKS, true, &dependency.block);
    msccl_parse_read_number(parser, element, "deps", MAX_CHUNKS, true, &dependency.step);
    msccl_parse_read_number(parser, element, "hasdep", 1, false, &publishes);
    op.publishes = publishes == 1;
    file->ops = mem_grow(file->ops, &parser->ops_capacity, file->n_ops + 1, sizeof *file->ops);
    parser->dependencies = mem_grow(parser->dependencies, &parser->dependencies_capacity, file->n_ops + 1,
                                    sizeof *parser->dependencies);
    parser->dependencies[file->n_ops] = dependency;
    file->ops[file->n_ops++] = op;
    block->n++;
}

/* ---- thread blocks ---- */

static void msccl_parse_read_peer(struct parser *parser, const xmlNode *element, const char *name,
                                  uint32_t gpu, uint32_t *peer)
{
    if (!msccl_parse_read_number(parser, element, name, MAX_GPUS, true, peer) || *peer == NONE)
        return;
    if (*peer >= parser->file->n_gpus)
        msccl_parse_refuse(parser, element, name,
                           msccl_parse_words(parser, "there are %u GPUs", parser->file->n_gpus))
            ->help = "GPUs count from 0; -1 stands for none";
    else if (*peer == gpu)
        msccl_parse_refuse(parser, element, name, "a GPU has no connection to itself")->help =
            "a cpy moves data within a GPU";
}

static void msccl_parse_read_block(struct parser *parser, const xmlNode *element, uint32_t gpu)
{
    struct msccl_file *file = parser->file;
    struct msccl_block block = {.gpu = gpu, .first = (uint32_t)file->n_ops};
    place_element(parser, element, &block.line, &block.column);
    msccl_parse_read_number(parser, element, "id", MAX_CHUNKS, false, &block.id);
    msccl_parse_read_peer(parser, element, "send", gpu, &block.send_peer);
    msccl_parse_read_peer(parser, element, "recv", gpu, &block.receive_peer);
    msccl_parse_read_number(parser, element, "chan", MAX_CHANNELS, false, &block.channel);
    for (const xmlNode *child = element->children; child; child = child->next) {
        if (xml_is(child, "step"))
            msccl_parse_read_step(parser, child, &block);
        else if (child->type == XML_ELEMENT_NODE)
            msccl_parse_refuse(parser, child, NULL, "a <tb> holds <step>");
    }
    file->blocks = mem_grow(file->blocks, &parser->blocks_capacity, file->n_blocks + 1, sizeof *file->blocks);
    file->blocks[file->n_blocks++] = block;
}

/* Sorts the thread blocks of a GPU by their ids, which must be 0 .. n-1. */
static void sort_blocks(struct parser *parser, const xmlNode *element, const struct msccl_gpu *gpu)
{
    struct msccl_file *file = parser->file;
    struct msccl_block *sorted = mem_alloc(gpu->n, sizeof *sorted);
    bool *is_taken = mem_alloc(gpu->n, sizeof *is_taken), is_whole = true;
    for (uint32_t i = 0; i < gpu->n; i++) {
        const struct msccl_block *block = &file->blocks[gpu->first + i];
        const bool is_right = block->id < gpu->n && !is_taken[block->id];
        if (is_right) {
            is_taken[block->id] = true;
            sorted[block->id] = *block;
        }
        is_whole = is_whole && is_right;
    }
    if (is_whole && gpu->n)
        memcpy(file->blocks + gpu->first, sorted, gpu->n * sizeof *sorted);
    else if (gpu->n)
        msccl_parse_refuse(parser, element, NULL,
                           msccl_parse_words(parser,
                                             "the ids of its %u thread blocks are not 0 to %u, each once",
                                             gpu->n, gpu->n - 1));
    free(sorted);
    free(is_taken);
}

/* Finds the instruction that a dependency names, which must publish. */
static void msccl_parse_resolve(struct parser *parser, const struct msccl_gpu *gpu, struct msccl_op *op,
                                const struct dependency *dependency)
{
    const struct msccl_file *file = parser->file;
    if (dependency->block == NONE)
        return;
    if (dependency->block >= gpu->n) {
        msccl_parse_refuse(parser, dependency->element, "depid",
                           msccl_parse_words(parser, "no thread block: this GPU has %u of them", gpu->n));
        return;
    }
    const struct msccl_block *block = &file->blocks[gpu->first + dependency->block];
    if (dependency->step >= block->n) {
        msccl_parse_refuse(
            parser, dependency->element, "deps",
            msccl_parse_words(parser, "no step: thread block %u has %u of them", block->id, block->n));
        return;
    }
    uint32_t step = dependency->step;
    while (step < block->n && !file->ops[block->first + step].publishes)
        step++;
    if (step < block->n)
        op->after = block->first + step;
    else
        msccl_parse_refuse(
            parser, dependency->element, "deps",
            msccl_parse_words(parser, "neither this step of thread block %u nor a later one has hasdep=\"1\"",
                              block->id))
            ->help =
            "only a step with hasdep=\"1\" tells others how far its thread block is: this one would wait "
            "for ever";
}

static void resolve_all(struct parser *parser, const struct msccl_gpu *gpu)
{
    struct msccl_file *file = parser->file;
    for (uint32_t b = gpu->first; b < gpu->first + gpu->n; b++) {
        const struct msccl_block *block = &file->blocks[b];
        for (uint32_t i = block->first; i < block->first + block->n; i++) {
            file->ops[i].block = b;
            msccl_parse_resolve(parser, gpu, &file->ops[i], &parser->dependencies[i]);
        }
    }
}

/* ---- GPUs ---- */

static void msccl_parse_read_copy(struct parser *parser, const xmlNode *element, uint32_t gpu)
{
    struct msccl_file *file = parser->file;
    struct msccl_copy copy = {.gpu = gpu};
    uint32_t column;
    place_element(parser, element, &copy.line, &column);
    msccl_parse_read_number(parser, element, "i_off", MAX_CHUNKS, false, &copy.input);
    msccl_parse_read_number(parser, element, "o_off", MAX_CHUNKS, false, &copy.output);
    file->copies = mem_grow(file->copies, &parser->copies_capacity, file->n_copies + 1, sizeof *file->copies);
    file->copies[file->n_copies++] = copy;
}

static void read_gpu(struct parser *parser, const xmlNode *element)
{
    static const char *const attributes[N_MSCCL_BUFFERS] = {"i_chunks", "o_chunks", "s_chunks"};
    struct msccl_file *file = parser->file;
    uint32_t id;
    if (!msccl_parse_read_number(parser, element, "id", MAX_GPUS, false, &id))
        return;
    if (id >= file->n_gpus || file->gpus[id].is_read) {
        msccl_parse_refuse(parser, element, "id",
                           id < file->n_gpus ? "this GPU stands in the file twice"
                                             : msccl_parse_words(parser, "there are %u GPUs", file->n_gpus));
        return;
    }
    struct msccl_gpu *gpu = &file->gpus[id];
    gpu->is_read = true;
    gpu->first = (uint32_t)file->n_blocks;
    gpu->first_copy = (uint32_t)file->n_copies;
    place_element(parser, element, &gpu->line, &gpu->column);
    for (unsigned i = 0; i < N_MSCCL_BUFFERS; i++)
        msccl_parse_read_number(parser, element, attributes[i], MAX_CHUNKS, false, &gpu->n_chunks[i]);
    for (const xmlNode *child = element->children; child; child = child->next) {
        if (xml_is(child, "tb"))
            msccl_parse_read_block(parser, child, id);
        else if (xml_is(child, "copy"))
            msccl_parse_read_copy(parser, child, id);
        else if (child->type == XML_ELEMENT_NODE)
            msccl_parse_refuse(parser, child, NULL, "a <gpu> holds <tb>, and <copy>");
    }
    gpu->n = (uint32_t)file->n_blocks - gpu->first;
    gpu->n_copies = (uint32_t)file->n_copies - gpu->first_copy;
    sort_blocks(parser, element, gpu);
    if (!parser->xml.failed)
        resolve_all(parser, gpu);
}

static void read_gpus(struct parser *parser, const xmlNode *root)
{
    struct msccl_file *file = parser->file;
    file->gpus = mem_alloc(file->n_gpus, sizeof *file->gpus);
    for (const xmlNode *child = root->children; child; child = child->next) {
        if (xml_is(child, "gpu"))
            read_gpu(parser, child);
        else if (child->type == XML_ELEMENT_NODE)
            msccl_parse_refuse(parser, child, NULL, "an <algo> holds <gpu>");
    }
    for (uint32_t id = 0; id < file->n_gpus && !parser->xml.failed; id++)
        if (!file->gpus[id].is_read)
            msccl_parse_refuse(parser, root, "ngpus", msccl_parse_words(parser, "GPU %u is missing", id));
}

/* ---- the file ---- */

static const char *msccl_parse_keep_text(struct msccl_file *file, const char *text)
{
    return text ? arena_strndup(&file->arena, text, strlen(text)) : NULL;
}

static bool read_algo(struct parser *parser, const xmlNode *root)
{
    struct msccl_file *file = parser->file;
    uint32_t in_place = 0;
    file->name = msccl_parse_keep_text(file, xml_find_attribute(root, "name"));
    file->collective = msccl_parse_keep_text(file, xml_find_attribute(root, "coll"));
    const struct slice place = file->collective ? xml_attribute_slice(&parser->xml, root, "coll", true)
                                                : xml_element_slice(&parser->xml, root);
    file->collective_place = slice_position(file->source, place);
    bool is_read = msccl_parse_read_number(parser, root, "ngpus", MAX_GPUS, false, &file->n_gpus);
    is_read = msccl_parse_read_number(parser, root, "nchunksperloop", MAX_CHUNKS, false, &file->n_chunks) &&
              is_read;
    is_read = msccl_parse_read_number(parser, root, "inplace", 1, false, &in_place) && is_read;
    if (!is_read)
        return false;
    file->is_in_place = in_place;
    if (file->n_gpus && file->n_chunks)
        return true;
    msccl_parse_refuse(parser, root, file->n_gpus ? "nchunksperloop" : "ngpus", "at least 1 is needed");
    return false;
}

/* Moves arrays that grew to the arena. */
static void keep_arrays(struct msccl_file *file)
{
    file->gpus = arena_take(file->gpus, file->gpus ? file->n_gpus : 0, sizeof *file->gpus, &file->arena);
    file->blocks = arena_take(file->blocks, file->n_blocks, sizeof *file->blocks, &file->arena);
    file->ops = arena_take(file->ops, file->n_ops, sizeof *file->ops, &file->arena);
    file->copies = arena_take(file->copies, file->n_copies, sizeof *file->copies, &file->arena);
}

bool msccl_parse(const struct source *source, struct diagnostics *diagnostics, struct msccl_file *file)
{
    *file = (struct msccl_file){.source = source, .diagnostics = diagnostics};
    struct parser parser = {.xml = {.source = source, .diagnostics = diagnostics},
                            .lines = {source->text, source->text, 1},
                            .file = file};
    xmlDoc *document = xml_parse(&parser.xml);
    const xmlNode *root = document ? libxml2()->xmlDocGetRootElement(document) : NULL;
    if (root && read_algo(&parser, root))
        read_gpus(&parser, root);
    libxml2()->xmlFreeDoc(document);
    free(parser.dependencies);
    keep_arrays(file);
    return !parser.xml.failed;
}
