/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements as users ask for them: block, cyclic, a host file or an explicit
 * list. Every kind ends in machine[rank], from which ir/placement.c makes the
 * rest.
 */
#include "compiler/topo/readers.h"

#include <stdlib.h>
#include <string.h>

/* 2^26 ranks need 1 GiB of placement. */
enum { MAX_RANKS = 1 << 26 };
#define HOST_FILE_LIMIT ((size_t)64 << 20)

struct request {
    const struct topology *topology;
    const struct placement_request *asked;
    struct diagnostics *diagnostics;
};

/* machine[rank] in the making. */
struct assignment {
    uint32_t *machine;
    size_t capacity;
    uint32_t n_ranks;
};

/* ---- block and cyclic ---- */

static struct placement *refuse(const struct request *request, const char *message,
                                const char *help)
{
    report(request->diagnostics, CODE_A001, (struct position){0}, "%s", message)->help = help;
    return NULL;
}

static const char *too_many_text(const struct request *request, uint32_t n_ranks,
                                 uint32_t per_machine)
{
    uint32_t n_machines = request->topology->n_machines;
    return diagnostics_text(request->diagnostics,
                            "%u ranks at %u per machine do not fit on %u machine%s", n_ranks,
                            per_machine, n_machines, n_machines == 1 ? "" : "s");
}

static struct placement *place_by_rule(const struct request *request, bool cyclic)
{
    uint32_t per_machine =
        request->asked->ranks_per_machine ? request->asked->ranks_per_machine : 1;
    uint64_t n_ranks = request->asked->n_ranks;
    if (!n_ranks)
        n_ranks = (uint64_t)request->topology->n_machines * per_machine;
    if (n_ranks > MAX_RANKS)
        return refuse(request, "more than 67108864 ranks", "ask for fewer with --ranks");
    uint32_t n_machines = (uint32_t)((n_ranks + per_machine - 1) / per_machine);
    if (n_machines > request->topology->n_machines)
        return refuse(request, too_many_text(request, (uint32_t)n_ranks, per_machine),
                      "raise --ranks-per-machine or lower --ranks");
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = cyclic ? rank % n_machines : rank / per_machine;
    struct placement *placement =
        placement_of_machines(machine, (uint32_t)n_ranks, cyclic ? "cyclic" : "block");
    free(machine);
    return placement;
}

/* ---- lines of words ---- */

struct line_reader {
    const struct request *request;
    const struct source *source;
    struct slice rest; /* of the file */
    struct slice line; /* what is left of the current line */
    uint32_t number;
    const char *start; /* of the current line */
    bool failed;
};

static bool next_line(struct line_reader *reader)
{
    if (!reader->rest.length)
        return false;
    const char *newline = memchr(reader->rest.text, '\n', reader->rest.length);
    size_t length = newline ? (size_t)(newline - reader->rest.text) : reader->rest.length;
    size_t taken = length + (newline != NULL);
    const char *comment = memchr(reader->rest.text, '#', length);
    reader->start = reader->rest.text;
    reader->line.text = reader->start;
    reader->line.length = comment ? (size_t)(comment - reader->start) : length;
    reader->rest.text += taken;
    reader->rest.length -= taken;
    reader->number++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; length 0 at its end. */
static struct slice take_word(struct line_reader *reader)
{
    struct slice *line = &reader->line;
    for (; line->length && is_blank(*line->text); line->length--)
        line->text++;
    struct slice word = {line->text, 0};
    for (; line->length && !is_blank(*line->text); line->length--, line->text++)
        word.length++;
    return word;
}

static bool slice_is(struct slice slice, const char *text)
{
    return strlen(text) == slice.length && memcmp(text, slice.text, slice.length) == 0;
}

static struct diagnostic *complain(struct line_reader *reader, enum code code, struct slice slice,
                                   const char *message)
{
    reader->failed = true;
    struct position position = {reader->source, reader->number,
                                (uint32_t)(slice.text - reader->start) + 1,
                                slice.length ? (uint32_t)slice.length : 1};
    int shown = slice.length < 80 ? (int)slice.length : 80;
    return report(reader->request->diagnostics, code, position, "'%.*s': %s", shown, slice.text,
                  message);
}

/* The machine of that name, or n_machines after reporting. */
static uint32_t find_machine(struct line_reader *reader, struct slice name)
{
    const struct topology *topology = reader->request->topology;
    uint32_t machine = topology_find_machine(topology, name.text, name.length);
    if (machine == topology->n_machines) {
        char example[64];
        topology_node_name(topology, 0, example, sizeof example);
        complain(reader, CODE_A002, name, "the topology has no machine of this name")->help =
            diagnostics_text(reader->request->diagnostics, "machines have names like '%s'",
                             example);
    }
    return machine;
}

/* ---- host files ---- */

static bool take_count(struct line_reader *reader, struct slice text, uint32_t *count)
{
    if (parse_count(text, count) == VALUE_OK && *count >= 1 && *count <= MAX_RANKS)
        return true;
    complain(reader, CODE_A003, text, "expected a number of ranks, 1 to 67108864")->help =
        "write NAME, NAME slots=N or NAME:N; leave a machine without ranks out";
    return false;
}

/* "slots=4 max_slots=8" after an Open MPI host. */
static bool read_host_options(struct line_reader *reader, uint32_t *count)
{
    for (struct slice word = take_word(reader); word.length; word = take_word(reader)) {
        struct slice value = {word.text + 6, word.length - 6};
        if (word.length > 6 && memcmp(word.text, "slots=", 6) == 0) {
            if (!take_count(reader, value, count))
                return false;
        } else if (word.length < 10 || (memcmp(word.text, "max_slots=", 10) != 0 &&
                                        memcmp(word.text, "max-slots=", 10) != 0)) {
            complain(reader, CODE_A003, word, "unknown word after a host")->help =
                "write NAME, NAME slots=N or NAME:N";
            return false;
        }
    }
    return true;
}

/* MPICH's "name:4"; a machine name may hold colons of its own. */
static bool split_count(struct line_reader *reader, struct slice *name, uint32_t *count)
{
    const struct topology *topology = reader->request->topology;
    size_t at = name->length;
    while (at && name->text[at - 1] != ':')
        at--;
    if (!at || topology_find_machine(topology, name->text, name->length) < topology->n_machines)
        return true;
    struct slice number = {name->text + at, name->length - at};
    name->length = at - 1;
    return take_count(reader, number, count);
}

/* Hosts in the order of first mention, with their ranks added up. */
struct hosts {
    uint32_t *machine;
    uint64_t *slots;
    size_t machine_capacity, slots_capacity;
    uint32_t n;
    uint32_t *index; /* [machine] 1 + place in the list, 0: not mentioned */
};

static void add_host(struct hosts *hosts, uint32_t machine, uint32_t count)
{
    if (!hosts->index[machine]) {
        size_t need = (size_t)hosts->n + 1;
        hosts->machine =
            mem_grow(hosts->machine, &hosts->machine_capacity, need, sizeof *hosts->machine);
        hosts->slots = mem_grow(hosts->slots, &hosts->slots_capacity, need, sizeof *hosts->slots);
        hosts->machine[hosts->n] = machine;
        hosts->slots[hosts->n++] = 0;
        hosts->index[machine] = hosts->n;
    }
    hosts->slots[hosts->index[machine] - 1] += count;
}

static void read_host(struct line_reader *reader, struct hosts *hosts)
{
    uint32_t per_machine = reader->request->asked->ranks_per_machine;
    uint32_t count = per_machine ? per_machine : 1;
    struct slice name = take_word(reader);
    if (!name.length || !split_count(reader, &name, &count) || !read_host_options(reader, &count))
        return;
    uint32_t machine = find_machine(reader, name);
    if (machine < reader->request->topology->n_machines)
        add_host(hosts, machine, count);
}

static bool check_places(struct line_reader *reader, uint64_t total, uint64_t n_ranks)
{
    struct diagnostics *diagnostics = reader->request->diagnostics;
    struct position position = {reader->source, 0, 0, 0};
    const char *path = reader->source->path;
    if (!total)
        report(diagnostics, CODE_A001, position, "'%s' names no machine", path)->help =
            "write a line for each machine: NAME, NAME slots=N or NAME:N";
    else if (n_ranks > total)
        report(diagnostics, CODE_A001, position, "'%s' has places for %llu ranks, not for %llu",
               path, (unsigned long long)total, (unsigned long long)n_ranks)
            ->help = "lower --ranks, or add hosts or slots";
    else if (n_ranks > MAX_RANKS)
        report(diagnostics, CODE_A001, position, "'%s' has places for more than %d ranks", path,
               MAX_RANKS)
            ->help = "ask for fewer with --ranks";
    else
        return true;
    return false;
}

static bool fill_hosts(struct line_reader *reader, const struct hosts *hosts,
                       struct assignment *assignment)
{
    uint32_t wanted = reader->request->asked->n_ranks;
    uint64_t total = 0;
    for (uint32_t i = 0; i < hosts->n; i++)
        total += hosts->slots[i];
    uint64_t n_ranks = wanted ? wanted : total;
    if (!check_places(reader, total, n_ranks))
        return false;
    assignment->n_ranks = (uint32_t)n_ranks;
    assignment->machine = mem_alloc(n_ranks, sizeof *assignment->machine);
    for (uint32_t i = 0, rank = 0; rank < n_ranks; i++)
        for (uint64_t slot = 0; slot < hosts->slots[i] && rank < n_ranks; slot++)
            assignment->machine[rank++] = hosts->machine[i];
    return true;
}

static bool read_host_file(struct line_reader *reader, struct assignment *assignment)
{
    struct hosts hosts = {
        .index = mem_alloc(reader->request->topology->n_machines, sizeof(uint32_t))};
    while (next_line(reader))
        read_host(reader, &hosts);
    bool good = !reader->failed && fill_hosts(reader, &hosts, assignment);
    free(hosts.machine);
    free(hosts.slots);
    free(hosts.index);
    return good;
}

/* ---- "rank 3 node005" ---- */

enum { UNPLACED = UINT32_MAX };

static void set_rank(struct assignment *assignment, uint32_t rank, uint32_t machine)
{
    size_t before = assignment->capacity;
    assignment->machine = mem_grow(assignment->machine, &assignment->capacity, (size_t)rank + 1,
                                   sizeof *assignment->machine);
    for (size_t i = before; i < assignment->capacity; i++)
        assignment->machine[i] = UNPLACED;
    assignment->machine[rank] = machine;
    assignment->n_ranks = rank >= assignment->n_ranks ? rank + 1 : assignment->n_ranks;
}

static void read_rank_line(struct line_reader *reader, struct assignment *assignment)
{
    struct slice keyword = take_word(reader), number = take_word(reader), name = take_word(reader);
    struct slice more = take_word(reader);
    uint32_t rank;
    if (!keyword.length)
        return;
    if (!slice_is(keyword, "rank") || !name.length || more.length) {
        complain(reader, CODE_A003, more.length ? more : keyword, "expected 'rank NUMBER MACHINE'")
            ->help = "a file whose first word is 'rank' has one such line for every rank";
        return;
    }
    if (parse_count(number, &rank) != VALUE_OK || rank >= MAX_RANKS) {
        complain(reader, CODE_A003, number, "expected a rank, 0 to 67108863")->help =
            "ranks are numbered from 0 on";
        return;
    }
    uint32_t machine = find_machine(reader, name);
    if (machine == reader->request->topology->n_machines)
        return;
    if (rank < assignment->n_ranks && assignment->machine[rank] != UNPLACED)
        complain(reader, CODE_A003, number, "rank placed twice");
    else
        set_rank(assignment, rank, machine);
}

static bool check_ranks(struct line_reader *reader, const struct assignment *assignment)
{
    uint32_t rank = 0, wanted = reader->request->asked->n_ranks;
    struct position position = {reader->source, 0, 0, 0};
    while (rank < assignment->n_ranks && assignment->machine[rank] != UNPLACED)
        rank++;
    if (rank < assignment->n_ranks || rank < wanted)
        report(reader->request->diagnostics, CODE_A001, position,
               "rank '%u' has no machine in '%s'", rank, reader->source->path)
            ->help = "every rank from 0 on needs a line 'rank NUMBER MACHINE'";
    return rank == assignment->n_ranks && rank >= wanted;
}

static bool read_rank_file(struct line_reader *reader, struct assignment *assignment)
{
    while (next_line(reader))
        read_rank_line(reader, assignment);
    if (reader->failed || !check_ranks(reader, assignment))
        return false;
    uint32_t wanted = reader->request->asked->n_ranks;
    assignment->n_ranks = wanted ? wanted : assignment->n_ranks;
    return true;
}

/* ---- files ---- */

/* True if the first word of the file is `rank`. */
static bool is_rank_file(struct line_reader reader)
{
    struct slice word = {NULL, 0};
    while (!word.length && next_line(&reader))
        word = take_word(&reader);
    return word.length && slice_is(word, "rank");
}

static struct placement *place_by_file(const struct request *request)
{
    const struct source *source = source_read(request->asked->rule, HOST_FILE_LIMIT,
                                              &request->diagnostics->arena, request->diagnostics);
    if (!source || !source_check_utf8(source, request->diagnostics))
        return NULL;
    struct line_reader reader = {
        .request = request, .source = source, .rest = {source->text, source->length}};
    struct assignment assignment = {0};
    bool good = is_rank_file(reader) ? read_rank_file(&reader, &assignment)
                                     : read_host_file(&reader, &assignment);
    struct placement *placement =
        good ? placement_of_machines(assignment.machine, assignment.n_ranks, source->path) : NULL;
    free(assignment.machine);
    return placement;
}

struct placement *placement_make(const struct topology *topology,
                                 const struct placement_request *asked,
                                 struct diagnostics *diagnostics)
{
    struct request request = {topology, asked, diagnostics};
    if (!asked->rule || strcmp(asked->rule, "block") == 0)
        return place_by_rule(&request, false);
    if (strcmp(asked->rule, "cyclic") == 0)
        return place_by_rule(&request, true);
    return place_by_file(&request);
}
