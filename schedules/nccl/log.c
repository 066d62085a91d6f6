/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the lines of a log. See log.h.
 */
#include "schedules/nccl/log.h"

#include <stdlib.h>

/* ---- a line ---- */

#define NCCL_MARK "NCCL INFO "
enum { NCCL_MARK_WITHIN = 4 << 20 }; /* bytes; a program may print a lot before */

/* Returns the place of the mark, a word of the line; NULL: there is none. */
static const char *log_find_mark(const struct lines *lines)
{
    const size_t n = sizeof NCCL_MARK - 1;
    for (const char *at = lines->start; at + n <= lines->end; at++)
        if (*at == 'N' && memcmp(at, NCCL_MARK, n) == 0 && (at == lines->start || text_is_blank(at[-1])))
            return at;
    return NULL;
}

bool nccl_log_is(const struct source *source)
{
    const size_t n = source->length < NCCL_MARK_WITHIN ? source->length : NCCL_MARK_WITHIN;
    struct lines lines;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines) && lines.start < source->text + n)
        if (log_find_mark(&lines))
            return true;
    return false;
}

/* Returns the last word of the text start .. *end, and moves *end before it. */
static struct slice log_last_word(const char *start, const char **end)
{
    while (*end > start && text_is_blank((*end)[-1]))
        --*end;
    const char *stop = *end;
    while (*end > start && !text_is_blank((*end)[-1]))
        --*end;
    return (struct slice){*end, (size_t)(stop - *end)};
}

/* Takes the last field of a word away, with its ':'. False: it has one only. */
static bool log_drop_field(struct slice *word)
{
    size_t n = word->length;
    while (n && word->text[n - 1] != ':')
        n--;
    word->length = n ? n - 1 : word->length;
    return n;
}

/* Launchers write '[1,0]<stdout>:' and the like before a line, so the name of the host begins behind the last
 * ':', '>' or ']' before it. */
static void log_drop_prefix(struct nccl_log_line *line)
{
    size_t n = line->host.length;
    while (n && !strchr(":>])", line->host.text[n - 1]))
        n--;
    line->host = (struct slice){line->host.text + n, line->host.length - n};
    line->process = (struct slice){line->process.text + n, line->process.length - n};
    line->thread = (struct slice){line->thread.text + n, line->thread.length - n};
}

bool nccl_log_line_read(const struct lines *lines, struct nccl_log_line *line)
{
    const char *mark = log_find_mark(lines);
    if (!mark)
        return false;
    const char *end = mark;
    struct slice word = log_last_word(lines->start, &end);
    *line = (struct nccl_log_line){
        .said = {mark + sizeof NCCL_MARK - 1, (size_t)(lines->end - mark) - (sizeof NCCL_MARK - 1)}};
    if (slice_starts(word, "[") && word.text[word.length - 1] == ']') {
        line->device = word;
        word = log_last_word(lines->start, &end);
    }
    line->thread = line->process = word;
    if (!log_drop_field(&line->process))
        return word.length;
    line->host = line->process;
    log_drop_field(&line->host);
    log_drop_prefix(line);
    return true;
}

bool nccl_log_has_sends(const struct source *source)
{
    struct lines lines;
    struct nccl_log_line line;
    bool has_sends = false;
    if (!nccl_log_is(source))
        return false;
    lines_open(&lines, source, NULL);
    while (!has_sends && lines_next(&lines))
        has_sends = nccl_log_line_read(&lines, &line) && slice_starts(line.said, "Send:");
    return has_sends;
}

struct slice nccl_behind(struct slice said, const char *word)
{
    while (said.length)
        if (slice_is(slice_take_word(&said), word))
            return slice_take_word(&said);
    return (struct slice){said.text, 0};
}

/* ---- communicators ---- */

bool nccl_member_read(const struct nccl_log_line *line, struct nccl_member *member)
{
    const struct slice handle = nccl_behind(line->said, "comm");
    struct slice n_ranks = nccl_behind(line->said, "nranks"), color = nccl_behind(line->said, "color");
    uint32_t rank, n;
    if (!n_ranks.length)
        n_ranks = nccl_behind(line->said, "nRanks");
    if (!handle.length || parse_count(nccl_behind(line->said, "rank"), &rank) != VALUE_OK ||
        parse_count(n_ranks, &n) != VALUE_OK || rank >= n || n > SCHEDULE_MAX_RANKS)
        return false;
    member->host = line->host;
    member->process = line->process;
    member->device = line->device;
    member->handle = handle;
    member->rank = rank;
    member->n_ranks = n;
    if (color.length) {
        member->color = color;
        member->parent = nccl_behind(line->said, "parent");
        member->split = nccl_behind(line->said, "splitCount");
    }
    const struct slice id = nccl_behind(line->said, "commId");
    member->id = id.length ? id : member->id;
    return true;
}

/* ---- sayings ---- */

/* A thread, and the communicator that it is about. */
struct log_thread {
    struct slice name;
    uint32_t open, last; /* members: not complete yet, the last that was; NCCL_NONE */
};

struct log_reader {
    struct nccl_log *log;
    struct lines lines;
    struct nccl_log_line line;
    struct log_thread *threads;
    size_t capacity;
    struct hash_map map; /* of threads */
};

static uint32_t log_hash_name(struct slice name)
{
    return map_hash_text(0, name.text, name.length);
}

static uint32_t log_hash_thread(const void *items, uint32_t item)
{
    return log_hash_name(((const struct log_thread *)items)[item].name);
}

static bool log_is_thread(const void *items, uint32_t item, const void *key)
{
    return slice_compare(((const struct log_thread *)items)[item].name, *(const struct slice *)key) == 0;
}

static struct log_thread *log_thread_of_line(struct log_reader *reader)
{
    const struct slice name = reader->line.thread;
    map_reserve(&reader->map, log_hash_thread, reader->threads);
    uint32_t *slot = map_slot(&reader->map, log_hash_name(name), log_is_thread, reader->threads, &name);
    if (*slot == MAP_NONE) {
        reader->threads =
            mem_grow(reader->threads, &reader->capacity, (size_t)reader->map.n + 1, sizeof *reader->threads);
        reader->threads[map_fill(&reader->map, slot)] = (struct log_thread){name, NCCL_NONE, NCCL_NONE};
    }
    return &reader->threads[*slot];
}

static uint32_t log_hash_process(const void *items, uint32_t item)
{
    return log_hash_name(((const struct nccl_process *)items)[item].name);
}

static bool log_is_process(const void *items, uint32_t item, const void *key)
{
    return slice_compare(((const struct nccl_process *)items)[item].name, *(const struct slice *)key) == 0;
}

static uint32_t log_process_of_line(struct log_reader *reader)
{
    struct nccl_log *log = reader->log;
    const struct slice name = reader->line.process;
    map_reserve(&log->process_map, log_hash_process, log->processes);
    uint32_t *slot = map_slot(&log->process_map, log_hash_name(name), log_is_process, log->processes, &name);
    if (*slot == MAP_NONE) {
        log->processes = mem_grow(log->processes, &log->processes_capacity, (size_t)log->process_map.n + 1,
                                  sizeof *log->processes);
        log->processes[map_fill(&log->process_map, slot)] = (struct nccl_process){.name = name};
    }
    return *slot;
}

static uint32_t log_new_member(struct log_reader *reader)
{
    struct nccl_log *log = reader->log;
    log->members =
        mem_grow(log->members, &log->members_capacity, (size_t)log->n_members + 1, sizeof *log->members);
    log->members[log->n_members] = (struct nccl_member){.host = reader->line.host,
                                                        .process = reader->line.process,
                                                        .device = reader->line.device,
                                                        .rank = NCCL_NONE,
                                                        .of_process = log_process_of_line(reader),
                                                        .line = reader->lines.line};
    return log->n_members++;
}

/* True if text ends so. */
static bool log_ends(struct slice text, const char *ending)
{
    const size_t n = strlen(ending);
    return text.length >= n && memcmp(text.text + text.length - n, ending, n) == 0;
}

/* Takes a line about a communicator. False: it is none. */
static bool log_take_member(struct log_reader *reader)
{
    struct nccl_member said = {.line = reader->lines.line};
    const bool is_end = log_ends(reader->line.said, "Init COMPLETE");
    if (!is_end && !log_ends(reader->line.said, "Init START") &&
        !nccl_behind(reader->line.said, "nNodes").length)
        return false;
    if (!nccl_member_read(&reader->line, &said))
        return false;
    struct log_thread *thread = log_thread_of_line(reader);
    const struct nccl_member *open = thread->open == NCCL_NONE ? NULL : &reader->log->members[thread->open];
    if (!open || (open->handle.length && slice_compare(open->handle, said.handle) != 0))
        thread->open = log_new_member(reader);
    nccl_member_read(&reader->line, &reader->log->members[thread->open]);
    if (is_end) {
        thread->last = thread->open;
        thread->open = NCCL_NONE;
    }
    return true;
}

/* Keeps a saying. Connections may be made after the communicator is complete.
 */
static void log_say(struct log_reader *reader, struct nccl_saying saying)
{
    struct nccl_log *log = reader->log;
    struct log_thread *thread = log_thread_of_line(reader);
    const bool is_late = saying.topic != NCCL_RING && saying.topic != NCCL_TREES;
    saying.line = reader->lines.line;
    if (thread->open == NCCL_NONE && is_late && thread->last != NCCL_NONE)
        saying.member = thread->last;
    else
        saying.member = thread->open = thread->open == NCCL_NONE ? log_new_member(reader) : thread->open;
    log->sayings =
        mem_grow(log->sayings, &log->sayings_capacity, (size_t)log->n_sayings + 1, sizeof *log->sayings);
    log->sayings[log->n_sayings++] = saying;
}

/* Takes digits, and what stands in brackets right behind them. */
static bool log_take_rank(struct slice *rest, uint32_t *rank)
{
    slice_skip_blanks(rest);
    size_t n = 0;
    while (n < rest->length && text_is_digit(rest->text[n]))
        n++;
    if (parse_count((struct slice){rest->text, n}, rank) != VALUE_OK || *rank >= SCHEDULE_MAX_RANKS)
        return false;
    *rest = (struct slice){rest->text + n, rest->length - n};
    if (slice_starts(*rest, "["))
        slice_take_until(rest, ']');
    return true;
}

static bool log_take(struct slice *rest, const char *text)
{
    slice_skip_blanks(rest);
    if (!slice_starts(*rest, text))
        return false;
    *rest = (struct slice){rest->text + strlen(text), rest->length - strlen(text)};
    return true;
}

/* Returns the number of the adapter in 'NET/IB/0/GDRDMA'; names of networks may
 * have blanks. */
static uint32_t log_adapter_of(struct slice via)
{
    uint32_t number;
    if (!log_take(&via, "NET/"))
        return NCCL_NONE;
    slice_take_until(&via, '/');
    return log_take_rank(&via, &number) ? number : NCCL_NONE;
}

/* Takes '0[0] -> 1[1] ...': a connection, or a place in a ring. */
static void log_take_link(struct log_reader *reader, struct slice rest, struct nccl_saying saying)
{
    if (!log_take_rank(&rest, &saying.from) || !log_take(&rest, "->") || !log_take_rank(&rest, &saying.to))
        return;
    if (log_take(&rest, "->")) {
        const uint32_t before = saying.from;
        saying.from = saying.to;
        saying.topic = NCCL_LINK;
        if (log_take_rank(&rest, &saying.to)) {
            log_say(reader, saying);
            saying.to = saying.from;
            saying.from = before;
            log_say(reader, saying);
        }
        return;
    }
    saying.topic = log_take(&rest, "[receive]") ? NCCL_RECEIVE : NCCL_SEND;
    log_take(&rest, "[send]");
    if (!log_take(&rest, "via"))
        return;
    slice_skip_blanks(&rest);
    saying.device = log_adapter_of(rest);
    log_say(reader, saying);
}

/* Takes what stands behind 'Channel' or 'Ring': '00/04 : 0 1 2 3', '00/0 : 0[0]
 * -> 1[1] via ...'. */
static void log_take_channel(struct log_reader *reader, struct slice rest)
{
    struct nccl_saying saying = {.device = NCCL_NONE, .n_channels = NCCL_NONE};
    uint32_t first;
    if (!log_take_rank(&rest, &saying.channel) || saying.channel >= 1024)
        return;
    if (log_take(&rest, "/") && !log_take_rank(&rest, &saying.n_channels))
        return;
    if (!log_take(&rest, ":"))
        return;
    struct slice text = rest;
    if (!log_take_rank(&text, &first))
        return;
    slice_skip_blanks(&text);
    if (slice_starts(text, "->")) {
        if (saying.n_channels == NCCL_NONE || saying.n_channels == 0) /* else of ncclSend */
            log_take_link(reader, rest, saying);
        return;
    }
    saying.topic = NCCL_RING;
    saying.text = rest;
    log_say(reader, saying);
}

/* Takes 'NET/IB : Using [0]mlx5_0:1/IB [1]...'. */
static void log_take_adapters(struct log_reader *reader, struct slice rest)
{
    slice_take_until(&rest, ':');
    if (!log_take(&rest, "Using") || !log_take(&rest, "["))
        return;
    const uint32_t number = log_process_of_line(reader);
    struct nccl_process *process = &reader->log->processes[number];
    if (!process->adapters.length)
        process->adapters = rest;
}

/* Takes '4 coll channels, 0 collnet channels, 16 nvls channels, ...'. */
static void log_take_numbers(struct log_reader *reader, struct slice rest)
{
    uint32_t n;
    struct slice before = {0};
    while (rest.length) {
        const struct slice word = slice_take_word(&rest);
        if (slice_is(word, "nvls") && parse_count(before, &n) == VALUE_OK && n)
            reader->log->has |= NCCL_HAS_NVLS;
        before = word;
    }
}

/* Takes what stands behind 'AllReduce:': '8388608 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}'.
 * False: it is no such line. */
static bool log_take_taken(struct log_reader *reader, struct slice name, struct slice rest)
{
    static const struct {
        const char *name;
        enum collective collective;
    } collectives[] = {{"AllReduce:", COLLECTIVE_allreduce},
                       {"AllGather:", COLLECTIVE_allgather},
                       {"ReduceScatter:", COLLECTIVE_reduce_scatter_block},
                       {"Broadcast:", COLLECTIVE_bcast},
                       {"Reduce:", COLLECTIVE_reduce}};
    struct nccl_log *log = reader->log;
    struct nccl_taken taken = {.collective = N_COLLECTIVES, .last = NCCL_NONE, .line = reader->lines.line};
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (slice_is(name, collectives[i].name))
            taken.collective = collectives[i].collective;
    if (taken.collective == N_COLLECTIVES || parse_size(slice_take_word(&rest), &taken.bytes) != VALUE_OK ||
        !log_take(&rest, "Bytes -> Algo "))
        return false;
    taken.algorithm = slice_take_word(&rest);
    slice_take_until(&rest, '=');
    if (log_take(&rest, "{")) {
        struct slice last = slice_take_until(&rest, '}');
        const struct slice first = slice_take_until(&last, '.');
        uint32_t ends[2];
        if (log_take(&last, ".") && parse_count(first, &ends[0]) == VALUE_OK &&
            parse_count(last, &ends[1]) == VALUE_OK) {
            taken.first = ends[0];
            taken.last = ends[1];
        }
    }
    log->taken = mem_grow(log->taken, &log->taken_capacity, (size_t)log->n_taken + 1, sizeof *log->taken);
    log->taken[log->n_taken++] = taken;
    return true;
}

static void log_take_line(struct log_reader *reader)
{
    struct slice rest = reader->line.said;
    const struct slice word = slice_take_word(&rest);
    struct nccl_saying saying = {.text = rest};
    if (slice_is(word, "Channel") || slice_is(word, "Ring")) {
        log_take_channel(reader, rest);
    } else if (slice_is(word, "Trees")) {
        saying.topic = NCCL_TREES;
        log_say(reader, saying);
    } else if (slice_is(word, "Connected")) {
        saying.topic = log_take(&rest, "all rings") ? NCCL_RINGS_DONE : NCCL_TREES_DONE;
        if (saying.topic == NCCL_RINGS_DONE || log_take(&rest, "all trees") ||
            log_take(&rest, "binomial trees"))
            log_say(reader, saying);
        const struct slice what = nccl_behind(reader->line.said, "Connected");
        reader->log->has |= slice_is(what, "binomial") ? NCCL_HAS_PAT : slice_is(what, "NVLS") ? NCCL_HAS_NVLS : 0;
    } else if (slice_is(word, "CollNet")) {
        reader->log->has |= NCCL_HAS_COLLNET;
    } else if (word.length && text_is_digit(*word.text)) {
        log_take_numbers(reader, reader->line.said);
    } else if (slice_starts(word, "NET/")) {
        log_take_adapters(reader, reader->line.said);
    } else if (!log_take_taken(reader, word, rest)) {
        log_take_member(reader);
    }
}

void nccl_log_read(struct nccl_log *log, const struct source *source)
{
    struct log_reader reader = {.log = log};
    *log = (struct nccl_log){.source = source};
    lines_open(&reader.lines, source, NULL);
    while (lines_next(&reader.lines))
        if (nccl_log_line_read(&reader.lines, &reader.line))
            log_take_line(&reader);
    free(reader.threads);
    map_free(&reader.map);
}

void nccl_log_free(struct nccl_log *log)
{
    free(log->members);
    free(log->sayings);
    free(log->processes);
    free(log->taken);
    map_free(&log->process_map);
}
