/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See naive_msccl.h.
 */
#include "tests/unit/naive_msccl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64* */
uint64_t naive_random(uint64_t *state, uint64_t n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * UINT64_C(2685821657736338717) >> 32) % n;
}

/* ---- text ---- */

/* The value of the attribute in the tag, or "". */
static const char *attribute(const char *tag, const char *name)
{
    const char *end = strchr(tag, '>');
    char key[64];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(tag, key);
    return at && at < end ? at + strlen(key) : "";
}

static int number(const char *tag, const char *name)
{
    return atoi(attribute(tag, name));
}

static void word(const char *tag, const char *name, char *to, size_t size)
{
    const char *value = attribute(tag, name);
    snprintf(to, size, "%.*s", (int)strcspn(value, "\""), value);
}

static struct naive_step read_step(const char *tag)
{
    struct naive_step step = {.source = *attribute(tag, "srcbuf"),
                              .target = *attribute(tag, "dstbuf"),
                              .source_chunk = number(tag, "srcoff"),
                              .target_chunk = number(tag, "dstoff"),
                              .count = number(tag, "cnt"),
                              .depid = number(tag, "depid"),
                              .deps = number(tag, "deps"),
                              .hasdep = number(tag, "hasdep")};
    word(tag, "type", step.type, sizeof step.type);
    return step;
}

static bool is_tag(const char *tag, const char *name)
{
    return strncmp(tag + 1, name, strlen(name)) == 0 && tag[1 + strlen(name)] == ' ';
}

static bool read_tag(const char *tag, struct naive_file *file, int *gpu)
{
    struct naive_block *block = &file->blocks[file->n_blocks - (file->n_blocks > 0)];
    if (is_tag(tag, "algo")) {
        word(tag, "coll", file->coll, sizeof file->coll);
        file->n_gpus = number(tag, "ngpus");
        file->n_chunks = number(tag, "nchunksperloop");
        file->is_in_place = number(tag, "inplace");
        return file->n_gpus <= NAIVE_MAX_GPUS && file->n_chunks <= NAIVE_MAX_CHUNKS;
    }
    if (is_tag(tag, "gpu")) {
        *gpu = number(tag, "id");
        file->i_chunks[*gpu] = number(tag, "i_chunks");
        file->o_chunks[*gpu] = number(tag, "o_chunks");
        file->s_chunks[*gpu] = number(tag, "s_chunks");
        return file->s_chunks[*gpu] <= NAIVE_MAX_CHUNKS;
    }
    if (is_tag(tag, "copy")) {
        int *copy = file->copies[file->n_copies++];
        copy[0] = *gpu;
        copy[1] = number(tag, "i_off");
        copy[2] = number(tag, "o_off");
        return file->n_copies < 256;
    }
    if (is_tag(tag, "tb")) {
        block = &file->blocks[file->n_blocks++];
        *block = (struct naive_block){.gpu = *gpu, .id = number(tag, "id"), .send = number(tag, "send"),
                                      .recv = number(tag, "recv"), .chan = number(tag, "chan")};
        return file->n_blocks < NAIVE_MAX_BLOCKS;
    }
    if (is_tag(tag, "step")) {
        block->steps[block->n_steps++] = read_step(tag);
        return block->n_steps < NAIVE_MAX_STEPS;
    }
    return true;
}

bool naive_msccl_read(const char *text, struct naive_file *file)
{
    struct naive_block *blocks = file->blocks;
    int gpu = 0;
    *file = (struct naive_file){.blocks = blocks};
    for (const char *tag = strchr(text, '<'); tag; tag = strchr(tag + 1, '<'))
        if (!read_tag(tag, file, &gpu))
            return false;
    return file->n_blocks > 0;
}

static void print_block(const struct naive_block *block, struct text *text)
{
    text_printf(text, "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", block->id, block->send,
                block->recv, block->chan);
    for (int s = 0; s < block->n_steps; s++) {
        const struct naive_step *step = &block->steps[s];
        text_printf(text,
                    "      <step s=\"%d\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" dstbuf=\"%c\" dstoff=\"%d\" "
                    "cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
                    s, step->type, step->source, step->source_chunk, step->target, step->target_chunk,
                    step->count, step->depid, step->deps, step->hasdep);
    }
    text_printf(text, "    </tb>\n");
}

void naive_msccl_print(const struct naive_file *file, struct text *text)
{
    text_printf(text, "<algo name=\"naive\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"%s\" inplace=\"%d\">\n",
                file->n_chunks, file->n_gpus, file->coll, file->is_in_place);
    for (int gpu = 0; gpu < file->n_gpus; gpu++) {
        text_printf(text, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", gpu,
                    file->i_chunks[gpu], file->o_chunks[gpu], file->s_chunks[gpu]);
        for (int i = 0; i < file->n_copies; i++)
            if (file->copies[i][0] == gpu)
                text_printf(text, "    <copy i_off=\"%d\" o_off=\"%d\"/>\n", file->copies[i][1],
                            file->copies[i][2]);
        for (int b = 0; b < file->n_blocks; b++)
            if (file->blocks[b].gpu == gpu)
                print_block(&file->blocks[b], text);
        text_printf(text, "  </gpu>\n");
    }
    text_printf(text, "</algo>\n");
}

/* ---- data ---- */

struct naive_value naive_combine(const struct naive_value *a, const struct naive_value *b)
{
    struct naive_value sum = *a;
    if (a->datum < 0 || a->datum != b->datum)
        return (struct naive_value){.datum = NAIVE_MIXED};
    for (int gpu = 0; gpu < NAIVE_MAX_GPUS; gpu++)
        sum.counts[gpu] += b->counts[gpu];
    return sum;
}

static bool is_coll(const struct naive_file *file, const char *name)
{
    return strcmp(file->coll, name) == 0;
}

static bool is_scattered(const struct naive_file *file)
{
    return is_coll(file, "reduce_scatter") || is_coll(file, "reducescatter");
}

static int input_chunks(const struct naive_file *file)
{
    return is_coll(file, "allgather") ? file->n_chunks / file->n_gpus : file->n_chunks;
}

int naive_output_chunks(const struct naive_file *file)
{
    return is_scattered(file) ? file->n_chunks / file->n_gpus : file->n_chunks;
}

struct naive_value naive_given(const struct naive_file *file, int gpu, int chunk)
{
    struct naive_value value = {.datum = chunk};
    if (is_coll(file, "allgather") || is_coll(file, "alltoall"))
        value.datum = gpu * input_chunks(file) + chunk;
    value.counts[gpu] = 1;
    return value;
}

struct naive_value naive_required(const struct naive_file *file, int gpu, int chunk)
{
    const int segments = file->n_chunks / file->n_gpus;
    if (is_coll(file, "allgather"))
        return naive_given(file, chunk / segments, chunk % segments);
    if (is_coll(file, "alltoall"))
        return naive_given(file, chunk / segments, gpu * segments + chunk % segments);
    struct naive_value value = {.datum = is_scattered(file) ? gpu * segments + chunk : chunk};
    for (int from = 0; from < file->n_gpus; from++)
        value.counts[from] = 1;
    return value;
}

/* ---- memory: i, o and s of a GPU behind each other; in place i and o are one ---- */

enum { MEMORY = 3 * NAIVE_MAX_CHUNKS };

static int address(const struct naive_file *file, int gpu, char buffer, int chunk)
{
    const int own = gpu * (file->n_chunks / file->n_gpus);
    if (buffer == 's')
        return 2 * NAIVE_MAX_CHUNKS + chunk;
    if (!file->is_in_place)
        return buffer == 'i' ? chunk : NAIVE_MAX_CHUNKS + chunk;
    if ((buffer == 'i' && is_coll(file, "allgather")) || (buffer == 'o' && is_scattered(file)))
        return own + chunk;
    return chunk;
}

static bool has(const struct naive_step *step, const char *types)
{
    const char *at = strstr(types, step->type);
    return at && (at == types || at[-1] == ' ') && strchr(" ", at[strlen(step->type)]);
}
static bool receives(const struct naive_step *step)
{
    return has(step, "r rcs rrs rrc rrcs");
}
static bool sends(const struct naive_step *step)
{
    return has(step, "s rcs rrs rrcs");
}
static bool reads_source(const struct naive_step *step)
{
    return has(step, "s rrs rrc rrcs cpy re");
}
static bool writes(const struct naive_step *step)
{
    return has(step, "r rcs rrc rrcs cpy re");
}
static bool is_in_place_copy(const struct naive_file *file, int gpu, const struct naive_step *step)
{
    return has(step, "cpy") && address(file, gpu, step->source, step->source_chunk) ==
                                   address(file, gpu, step->target, step->target_chunk);
}

/* ---- messages ---- */

/* The n-th step of a connection's sender, or receiver; false: there is none. */
static bool find_end(const struct naive_file *file, int from, int to, int chan, bool of_receiver, int n,
                     int *block, int *step)
{
    for (*block = 0; *block < file->n_blocks; ++*block) {
        const struct naive_block *b = &file->blocks[*block];
        if (b->chan != chan || b->gpu != (of_receiver ? to : from) ||
            (of_receiver ? b->recv != from : b->send != to))
            continue;
        for (*step = 0; *step < b->n_steps; ++*step)
            if ((of_receiver ? receives(&b->steps[*step]) : sends(&b->steps[*step])) && n-- == 0)
                return true;
    }
    return false;
}

/* Finds the receive of the n-th send of a block. */
static bool find_receive(const struct naive_file *file, const struct naive_block *b, int n, int *block,
                         int *step)
{
    return find_end(file, b->gpu, b->send, b->chan, true, n, block, step);
}

static int count_of(const struct naive_block *block, bool of_receives)
{
    int n = 0;
    for (int s = 0; s < block->n_steps; s++)
        n += of_receives ? receives(&block->steps[s]) : sends(&block->steps[s]);
    return n;
}

bool naive_is_matched(const struct naive_file *file)
{
    int n_sent = 0, n_received = 0, block, step;
    for (int b = 0; b < file->n_blocks; b++) {
        const struct naive_block *from = &file->blocks[b];
        n_received += count_of(from, true);
        for (int s = 0, n = 0; s < from->n_steps; s++) {
            if (!sends(&from->steps[s]))
                continue;
            if (!find_receive(file, from, n++, &block, &step) ||
                file->blocks[block].steps[step].count != from->steps[s].count)
                return false;
            n_sent++;
        }
    }
    return n_sent == n_received;
}

/* ---- running ---- */

struct message {
    struct naive_value values[NAIVE_MAX_CHUNKS];
    struct message *next;
};
struct run {
    const struct naive_file *file;
    struct naive_value *memory;     /* [gpu * MEMORY + address] */
    struct message **first, **last; /* [block of the receiver] what is in its connection */
    int *at, *published, *receiver; /* [block] */
};

static struct naive_value *cell(const struct run *run, int gpu, char buffer, int chunk)
{
    return &run->memory[gpu * MEMORY + address(run->file, gpu, buffer, chunk)];
}

static int find_block(const struct naive_file *file, int gpu, int id)
{
    for (int b = 0; b < file->n_blocks; b++)
        if (file->blocks[b].gpu == gpu && file->blocks[b].id == id)
            return b;
    return -1;
}

static bool can_run(const struct run *run, int b)
{
    const struct naive_block *block = &run->file->blocks[b];
    if (run->at[b] >= block->n_steps)
        return false;
    const struct naive_step *step = &block->steps[run->at[b]];
    if (step->depid >= 0 && run->published[find_block(run->file, block->gpu, step->depid)] <= step->deps)
        return false;
    return !receives(step) || run->first[b];
}

static void put(struct run *run, int b, const struct naive_value *values)
{
    struct message *message = mem_alloc(1, sizeof *message);
    const int to = run->receiver[b];
    memcpy(message->values, values, sizeof message->values);
    if (run->first[to])
        run->last[to]->next = message;
    else
        run->first[to] = message;
    run->last[to] = message;
}

static void take(struct run *run, int b, struct naive_value *values)
{
    struct message *message = run->first[b];
    memcpy(values, message->values, sizeof message->values);
    run->first[b] = message->next;
    free(message);
}

static void run_step(struct run *run, int b)
{
    static struct naive_value values[NAIVE_MAX_CHUNKS];
    const struct naive_block *block = &run->file->blocks[b];
    const struct naive_step *step = &block->steps[run->at[b]];
    if (receives(step))
        take(run, b, values);
    for (int c = 0; c < step->count && !has(step, "nop"); c++) {
        const struct naive_value *source = reads_source(step)
                                               ? cell(run, block->gpu, step->source, step->source_chunk + c)
                                               : NULL;
        struct naive_value *target =
            writes(step) ? cell(run, block->gpu, step->target, step->target_chunk + c) : NULL;
        if (has(step, "rrs rrc rrcs"))
            values[c] = naive_combine(&values[c], source);
        else if (has(step, "re"))
            values[c] = naive_combine(target, source);
        else if (source)
            values[c] = *source;
        if (target)
            *target = values[c];
    }
    if (sends(step))
        put(run, b, values);
    run->at[b]++;
    if (step->hasdep)
        run->published[b] = run->at[b];
}

static void begin(struct run *run)
{
    const struct naive_file *file = run->file;
    for (int i = 0; i < file->n_gpus * MEMORY; i++)
        run->memory[i].datum = NAIVE_UNDEFINED;
    for (int gpu = 0; gpu < file->n_gpus; gpu++)
        for (int c = 0; c < input_chunks(file); c++)
            *cell(run, gpu, 'i', c) = naive_given(file, gpu, c);
    for (int i = 0; i < file->n_copies; i++) {
        const int *copy = file->copies[i];
        *cell(run, copy[0], 'o', copy[2]) = *cell(run, copy[0], 'i', copy[1]);
    }
    for (int b = 0, step; b < file->n_blocks; b++)
        if (count_of(&file->blocks[b], false))
            find_receive(file, &file->blocks[b], 0, &run->receiver[b], &step);
}

/* Runs thread blocks while any can; returns how many steps were done. By turns that are drawn for each
 * step, or by ranks that are drawn once, so that some are far ahead of others. */
static int run_all(struct run *run, uint64_t *random)
{
    const int n = run->file->n_blocks;
    const bool is_ranked = naive_random(random, 2);
    uint64_t *rank = mem_alloc((size_t)n, sizeof *rank);
    int done = 0, next;
    do {
        next = -1;
        for (int b = 0; b < n; b++) {
            if (!is_ranked || !rank[b])
                rank[b] = 1 + naive_random(random, 1 << 20);
            if (can_run(run, b) && (next < 0 || rank[b] > rank[next]))
                next = b;
        }
        if (next >= 0)
            run_step(run, next);
        done += next >= 0;
    } while (next >= 0);
    free(rank);
    return done;
}

bool naive_msccl_run(const struct naive_file *file, uint64_t *random, struct naive_value *output)
{
    const size_t n = (size_t)file->n_blocks;
    struct run run = {.file = file,
                      .memory = mem_alloc((size_t)file->n_gpus * MEMORY, sizeof *run.memory),
                      .first = mem_alloc(n, sizeof *run.first),
                      .last = mem_alloc(n, sizeof *run.last),
                      .at = mem_alloc(n, sizeof *run.at),
                      .published = mem_alloc(n, sizeof *run.published),
                      .receiver = mem_alloc(n, sizeof *run.receiver)};
    static struct naive_value dropped[NAIVE_MAX_CHUNKS];
    int n_steps = 0;
    begin(&run);
    const int done = run_all(&run, random);
    for (size_t b = 0; b < n; b++) {
        n_steps += file->blocks[b].n_steps;
        while (run.first[b])
            take(&run, (int)b, dropped);
    }
    for (int gpu = 0; gpu < file->n_gpus; gpu++)
        for (int c = 0; c < naive_output_chunks(file); c++)
            output[gpu * NAIVE_MAX_CHUNKS + c] = *cell(&run, gpu, 'o', c);
    void *const all[] = {run.memory, run.first, run.last, run.at, run.published, run.receiver};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return done == n_steps;
}

/* ---- races ---- */

/* Steps are numbered block by block. */
struct reach {
    const struct naive_file *file;
    int *number, n; /* [block] of its first step */
    bool *is_direct, *is_met;
};

static void add_ways(struct reach *reach, int b)
{
    const struct naive_file *file = reach->file;
    const struct naive_block *block = &file->blocks[b];
    for (int s = 0, n_sent = 0; s < block->n_steps; s++) {
        const struct naive_step *step = &block->steps[s];
        const int own = reach->number[b] + s;
        int other, at;
        if (s)
            reach->is_direct[(own - 1) * reach->n + own] = true;
        if (step->depid >= 0) {
            other = find_block(file, block->gpu, step->depid);
            for (at = step->deps; !file->blocks[other].steps[at].hasdep;)
                at++;
            reach->is_direct[(reach->number[other] + at) * reach->n + own] = true;
        }
        if (sends(step) && find_receive(file, block, n_sent++, &other, &at))
            reach->is_direct[own * reach->n + reach->number[other] + at] = true;
    }
}

static void meet(struct reach *reach, int from)
{
    for (int to = 0; to < reach->n; to++) {
        if (!reach->is_direct[from * reach->n + to] || reach->is_met[to])
            continue;
        reach->is_met[to] = true;
        meet(reach, to);
    }
}

/* True if one writes what the other touches. */
static bool is_conflict(const struct naive_file *file, int gpu, const struct naive_step *a,
                        const struct naive_step *b)
{
    if (!writes(a) || is_in_place_copy(file, gpu, a) || is_in_place_copy(file, gpu, b))
        return false;
    const int first = address(file, gpu, a->target, a->target_chunk);
    for (int c = 0; c < b->count; c++) {
        const int source = reads_source(b) ? address(file, gpu, b->source, b->source_chunk + c) : -1;
        const int target = writes(b) ? address(file, gpu, b->target, b->target_chunk + c) : -1;
        if ((source >= first && source < first + a->count) || (target >= first && target < first + a->count))
            return true;
    }
    return false;
}

/* True if steps of two blocks of a GPU that conflict are ordered; is_met[] is of step `a` of block x. */
static bool is_race(struct reach *reach, int x, int a, bool *behind)
{
    const struct naive_file *file = reach->file;
    const struct naive_block *block = &file->blocks[x];
    for (int y = 0; y < file->n_blocks; y++) {
        const struct naive_block *other = &file->blocks[y];
        for (int b = 0; b < other->n_steps && other->gpu == block->gpu && y != x; b++) {
            const int to = reach->number[y] + b;
            const bool is_behind = behind[(reach->number[x] + a) * reach->n + to];
            const bool is_before = behind[to * reach->n + reach->number[x] + a];
            if (!is_behind && !is_before &&
                is_conflict(file, block->gpu, &block->steps[a], &other->steps[b]))
                return true;
        }
    }
    return false;
}

bool naive_has_race(const struct naive_file *file)
{
    struct reach reach = {.file = file, .number = mem_alloc((size_t)file->n_blocks, sizeof *reach.number)};
    for (int b = 0; b < file->n_blocks; b++) {
        reach.number[b] = reach.n;
        reach.n += file->blocks[b].n_steps;
    }
    const size_t n = (size_t)reach.n;
    bool *behind = mem_alloc(n * n, sizeof *behind), has_one = false;
    reach.is_direct = mem_alloc(n * n, sizeof *reach.is_direct);
    for (int b = 0; b < file->n_blocks; b++)
        add_ways(&reach, b);
    for (int from = 0; from < reach.n; from++) {
        reach.is_met = behind + (size_t)from * n;
        meet(&reach, from);
    }
    for (int b = 0; b < file->n_blocks; b++)
        for (int s = 0; s < file->blocks[b].n_steps; s++)
            has_one = has_one || is_race(&reach, b, s, behind);
    free(reach.number);
    free(reach.is_direct);
    free(behind);
    return has_one;
}
