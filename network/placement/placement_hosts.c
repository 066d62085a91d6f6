/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Host files: lines of Open MPI, "name slots=4 max_slots=8", of MPICH, "name:4", of SGE, "name 4 queue
 * processors", of LSF, "name 4 name 2", or just names. What is said of a machine in several lines adds up.
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"
#include "base/text/hostfile.h"

#include <stdlib.h>
#include <string.h>

static bool take_count(struct line_reader *reader, struct slice text, uint32_t *count)
{
    if (parse_count(text, count) == VALUE_OK && *count >= 1 && *count <= MAX_RANKS)
        return true;
    placement_complain(reader, CODE_A003, text, "expected a number of ranks, 1 to 67108864")->help =
        "write NAME, NAME slots=N, NAME:N or NAME N; leave a machine without ranks out";
    return false;
}

/* "slots=4 max_slots=8" after an Open MPI host, "binding=user:0,1" after one of MPICH; of a pair the count. */
static bool read_host_options(struct line_reader *reader, bool has_pairs, uint32_t *count)
{
    struct slice whole, value;
    if (has_pairs)
        return take_count(reader, slice_take_word(&reader->line), count);
    enum hostfile_option option;
    while ((option = hostfile_take_option(&reader->line, &whole, &value)) != HOSTFILE_END) {
        if (option == HOSTFILE_COUNT && !take_count(reader, value, count))
            return false;
        if (option != HOSTFILE_UNKNOWN)
            continue;
        placement_complain(reader, CODE_A003, whole, "unknown word after a host")->help =
            "write NAME, NAME slots=N or NAME:N; docs/placement.md has the other files that are read";
        return false;
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
    uint32_t last;   /* place of the host on the line before */
    bool has_counts; /* a line says how many slots */
    struct position again; /* of the first name that comes again behind others; line 0: none does */
};

static void placement_hosts_add_host(struct hosts *hosts, uint32_t machine, uint32_t count)
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

/* Reads a host off the line. False if the line has another form. */
static bool read_host(struct line_reader *reader, bool has_pairs, struct hosts *hosts)
{
    uint32_t per_machine = reader->request->asked->ranks_per_machine;
    uint32_t count = per_machine ? per_machine : 1;
    const size_t length = slice_trim(reader->line).length;
    struct slice name = slice_take_word(&reader->line);
    if (!split_count(reader, &name, &count) || !read_host_options(reader, has_pairs, &count))
        return false;
    uint32_t machine = placement_find_machine(reader, name, name);
    if (machine == reader->request->topology->n_machines)
        return true;
    const uint32_t before = hosts->index[machine];
    if (before && before != hosts->last && !hosts->again.line)
        hosts->again = (struct position){reader->source, reader->number,
                                         (uint32_t)(name.text - reader->start) + 1, (uint32_t)name.length};
    hosts->has_counts |= name.length < length;
    placement_hosts_add_host(hosts, machine, count);
    hosts->last = hosts->index[machine];
    return true;
}

/* Reads the hosts of a line: one, or pairs of a host and its count. */
static bool read_hosts_of_line(struct line_reader *reader, struct hosts *hosts)
{
    const bool has_pairs = hostfile_has_pairs(reader->line);
    bool is_host = read_host(reader, has_pairs, hosts);
    while (is_host && slice_trim(reader->line).length)
        is_host = read_host(reader, has_pairs, hosts);
    return is_host;
}

static bool placement_hosts_check_places(struct line_reader *reader, uint64_t total, uint64_t n_ranks)
{
    if (!total)
        placement_complain_file(reader, "names no machine")->help =
            "write a line for each machine: NAME, NAME slots=N or NAME:N";
    else if (n_ranks > total)
        placement_complain_file(reader, "has places for %llu ranks, not for %llu",
                                (unsigned long long)total, (unsigned long long)n_ranks)
            ->help = "lower --ranks, or add hosts or slots";
    else if (n_ranks > MAX_RANKS)
        placement_complain_file(reader, "has places for more than %d ranks", MAX_RANKS)->help =
            "ask for fewer with --ranks";
    return !reader->failed;
}

static bool fill_hosts(struct line_reader *reader, const struct hosts *hosts,
                       struct assignment *assignment)
{
    uint32_t wanted = reader->request->asked->n_ranks;
    uint64_t total = 0;
    for (uint32_t i = 0; i < hosts->n; i++)
        total += hosts->slots[i];
    uint64_t n_ranks = wanted ? wanted : total;
    if (!placement_hosts_check_places(reader, total, n_ranks))
        return false;
    assignment->n_ranks = (uint32_t)n_ranks;
    assignment->machine = mem_alloc(n_ranks, sizeof *assignment->machine);
    for (uint32_t i = 0, rank = 0; rank < n_ranks; i++)
        for (uint64_t slot = 0; slot < hosts->slots[i] && rank < n_ranks; slot++)
            assignment->machine[rank++] = hosts->machine[i];
    return true;
}

bool placement_read_hosts(struct line_reader *reader, struct assignment *assignment)
{
    struct hosts hosts = {
        .index = mem_alloc(reader->request->topology->n_machines, sizeof(uint32_t))};
    bool is_host_file = true; /* or else something that one message is enough for */
    while (is_host_file && placement_next_words(reader))
        is_host_file = read_hosts_of_line(reader, &hosts) || hosts.n;
    bool good = !reader->failed && fill_hosts(reader, &hosts, assignment);
    if (good && hosts.again.line && !hosts.has_counts)
        report(reader->request->diagnostics, CODE_A007, hosts.again,
               "the host comes again: as for Open MPI its ranks are next to each other")
            ->help = diagnostics_text(reader->request->diagnostics,
                                      "where each line is a rank, as in a SLURM_HOSTFILE, say --placement slurm:%s",
                                      reader->source->path);
    free(hosts.machine);
    free(hosts.slots);
    free(hosts.index);
    return good;
}
