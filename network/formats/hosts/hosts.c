/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the host file of an MPI as a network, for a site that has nothing else:
 *
 *   node017 slots=48
 *   node005:48
 *   node101
 *   node7 16 all.q@node7 UNDEFINED
 *   node8 16 node9 16
 *
 * All named machines are on one switch. Ranks do not belong to the network: as a placement
 * (docs/placement.md) the same file states them.
 */
#include "base/codes.h"
#include "base/text/hostfile.h"
#include "base/text/lines.h"
#include "network/format.h"
#include "network/graph_topology.h"

static bool hosts_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_host_sign(char c)
{
    return hosts_is_letter(c) || text_is_digit(c) || c == '.' || c == '-' || c == '_';
}

/* Takes the name at the front of a line, without anything behind ':'; length 0 if there is none. */
static struct slice take_host(struct slice *rest)
{
    const struct slice word = slice_take_word(rest);
    struct slice host = {word.text, 0};
    while (host.length < word.length && is_host_sign(host.text[host.length]))
        host.length++;
    if (host.length < word.length && host.text[host.length] != ':')
        host.length = 0;
    return host;
}

static struct slice without_comment(struct slice line)
{
    return slice_trim(slice_take_until(&line, '#'));
}

static void hosts_add_host(struct graph *graph, struct slice host)
{
    const uint32_t machine = graph_add_node(graph, false, host.text, host.length);
    if (machine != GRAPH_NONE) /* a name that is repeated adds ranks */
        graph_add_cable(graph, machine, 0, TOPOLOGY_DEFAULT_BANDWIDTH, TOPOLOGY_DEFAULT_LATENCY);
}

/* Adds the hosts of a line: one, or pairs of a host and its count. */
static void hosts_read_line(struct lines *lines, struct slice line, struct graph *graph)
{
    const bool has_pairs = hostfile_has_pairs(line);
    do {
        const struct slice from = line, host = take_host(&line);
        if (!host.length) {
            lines_fail(lines, CODE_A003, from.text, from.length, "expected the name of a machine")->help =
                "a line is 'node005', 'node005 slots=48', 'node005:48' or 'node005 48'";
            return;
        }
        hosts_add_host(graph, host);
        (void)slice_take_word(&line);
    } while (has_pairs && line.length);
}

static struct graph *hosts_read_lines(struct lines *lines)
{
    struct graph *graph = graph_new();
    (void)graph_add_node(graph, true, "(switch)", strlen("(switch)"));
    while (!lines->failed && lines_next(lines)) {
        const struct slice line = without_comment(lines_rest(lines));
        if (line.length)
            hosts_read_line(lines, line, graph);
    }
    return graph;
}

static struct topology *hosts_read_hosts(const struct source *source, struct diagnostics *diagnostics)
{
    struct lines lines;
    lines_open(&lines, source, diagnostics);
    struct graph *graph = hosts_read_lines(&lines);
    if (lines.failed) {
        graph_free(graph);
        return NULL;
    }
    const struct topology_settings settings = {.name = source->path, .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct topology *topology =
        graph_topology(&settings, graph, (struct position){source, 0, 0, 1}, diagnostics);
    if (topology)
        report(diagnostics, CODE_T008, (struct position){source, 0, 0, 0},
               "'%s' is a host file and tells no network: all machines on one switch are assumed", source->path)
            ->help = "give what ibnetdiscover, LLDP or Slurm say of the network (docs/formats.md); "
                     "the ranks of a host file are read by --placement";
    return topology;
}

/* True for a name with an option such as slots=48, or for a name that has a letter and is alone or has a
 * count. */
static bool is_host_line(struct slice rest)
{
    const bool has_pairs = hostfile_has_pairs(rest);
    const struct slice host = take_host(&rest);
    struct slice whole, value;
    const enum hostfile_option option = hostfile_take_option(&rest, &whole, &value);
    bool has_letter = false;
    for (size_t i = 0; i < host.length; i++)
        has_letter = has_letter || hosts_is_letter(host.text[i]);
    const bool is_plain = option == HOSTFILE_COUNT && value.text == whole.text; /* "node7 16" */
    slice_skip_blanks(&rest);
    if (is_plain && rest.length && !has_pairs &&
        hostfile_take_option(&rest, &whole, &value) != HOSTFILE_OTHER)
        return false;
    return host.length && option != HOSTFILE_UNKNOWN &&
           ((option != HOSTFILE_END && !is_plain) || has_letter);
}

/* True if two lines are such, or if the first line gives its ranks in a word of its own: other files, too,
 * begin with a word and a number, so behind these the others have to be such. */
static bool is_hosts(const struct source *source)
{
    struct slice text = slice_of(source_start(source));
    size_t n = 0;
    bool has_several = false; /* words behind a number */
    while (text.length) {
        struct slice line = without_comment(slice_take_until(&text, '\n'));
        if (!line.length)
            continue;
        if (!is_host_line(line))
            return false;
        (void)slice_take_word(&line);
        slice_skip_blanks(&line);
        if (n++ == 0 && line.length && !text_is_digit(*line.text))
            return true;
        (void)slice_take_word(&line);
        has_several |= slice_trim(line).length > 0;
    }
    return n > 1 || has_several;
}

const struct topology_format hosts_format = {.is = is_hosts, .read = hosts_read_hosts};
