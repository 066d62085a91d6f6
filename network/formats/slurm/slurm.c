/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slurm's description of a network, topology.conf or topology.yaml. Slurm's manual pages describe both.
 * Slurm schedules by them, so they state which machines are near each other, and no cables, speeds or
 * routes.
 */
#include "network/formats/slurm/slurm.h"
#include "network/graph_topology.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which of the two ---- */

static bool is_include(const char *line)
{
    return strncasecmp(line, "include ", strlen("include ")) == 0;
}

/* Returns the first line that is no comment, and names no other file. */
static const char *first_line(const struct source *source)
{
    const char *text = source_start(source);
    while (*text == '#' || strncmp(text, "---", 3) == 0 || *text == '%' || is_include(text)) {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    return text;
}

/* True for a file that has nothing but comments and names of other files. */
static bool is_only_includes(const struct source *source)
{
    const char *text = source_start(source);
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    return is_include(text) && !*first_line(source);
}

/* True for "SwitchName=" and its like, in any case. */
static bool is_conf(const struct source *source)
{
    static const char *const keys[] = {"switchname", "blockname", "blocksizes", "ringname",
                                       "aggregatedblock"};
    const char *line = first_line(source);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = strlen(keys[i]);
        if (strncasecmp(line, keys[i], length) == 0 &&
            line[length + strspn(line + length, " \t")] == '=')
            return true;
    }
    return is_only_includes(source);
}

/* True for a list whose first entry begins with `topology`, as Slurm requires. */
static bool is_yaml(const struct source *source)
{
    const char *line = first_line(source);
    size_t marks = strspn(line, "-[{ \t\r\n\"'");
    const char *word = line + marks;
    size_t length = strlen("topology");
    if (!marks || (*line != '-' && *line != '[') || strncmp(word, "topology", length) != 0)
        return false;
    word += length + strspn(word + length, "\"' \t");
    return *word == ':';
}

static bool is_slurm(const struct source *source)
{
    return is_conf(source) || is_yaml(source);
}

/* ---- what the other files use ---- */

struct position slurm_position(const struct slurm_network *network,
                               const struct slurm_value *value, struct slice part)
{
    const struct source *source = value->source ? value->source : network->source;
    size_t length = value->text.length, rest = source->length - value->at;
    if (length <= rest && memcmp(source->text + value->at, value->text.text, length) == 0)
        return source_position(source, value->at + (size_t)(part.text - value->text.text),
                               part.length ? part.length : 1);
    length = strcspn(source->text + value->at, "\r\n");
    return source_position(source, value->at, length ? length : 1);
}

struct diagnostic *slurm_report(struct slurm_network *network, uint32_t code,
                                const struct slurm_value *value, struct slice part,
                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&network->arena, format, args);
    va_end(args);
    network->failed = network->failed || code_table[code].severity == SEVERITY_ERROR;
    struct position position = {0};
    if (network->diagnostics->n_kept[code] < DIAGNOSTICS_KEEP) /* finding a line takes time */
        position = slurm_position(network, value, part);
    return report(network->diagnostics, code, position, "%s", message);
}

bool slurm_expand(struct slurm_network *network, const struct slurm_value *value,
                  struct hostlist *list)
{
    bool good = hostlist_expand(value->text, HOSTLIST_MAX_NAMES - network->n_names, list);
    network->n_names += list->n; /* also after a failure: what it costs is bounded by the file */
    if (good)
        return true;
    slurm_report(network, CODE_T016, value, list->error, "%s", list->problem)->help =
        "names are written like node[01-16,20],login; a file holds at most 1048576";
    return false;
}

struct slurm_group *slurm_add_group(struct slurm_network *network, struct slurm_value name)
{
    network->groups = mem_grow(network->groups, &network->groups_capacity, network->n_groups + 1,
                               sizeof *network->groups);
    struct slurm_group *group = &network->groups[network->n_groups++];
    *group = (struct slurm_group){.name = name};
    return group;
}

void slurm_add_size(struct slurm_network *network, struct slurm_value value)
{
    uint32_t n = 0;
    if (parse_count(value.text, &n) != VALUE_OK)
        n = 0;
    network->sizes =
        mem_grow(network->sizes, &network->sizes_capacity, network->n_sizes + 1, sizeof *network->sizes);
    network->sizes[network->n_sizes++] = (struct slurm_size){value, n};
}

/* True if Slurm takes this size: the first times a power of two, at most 2^15 (block_record.c of its
 * plugin). */
static bool is_size(uint32_t first, uint32_t size)
{
    const uint32_t times = first ? size / first : 0;
    return size && times && size % first == 0 && (times & (times - 1)) == 0 && times <= 1 << 15;
}

uint32_t slurm_check_sizes(struct slurm_network *network, uint32_t code)
{
    for (size_t i = 0; i < network->n_sizes; i++) {
        const struct slurm_size *size = &network->sizes[i];
        if (is_size(network->sizes[0].n, size->n))
            continue;
        const int length = size->value.text.length < 40 ? (int)size->value.text.length : 40;
        slurm_report(network, code, &size->value, size->value.text,
                     "block size '%.*s': Slurm stops at what is not the first size times a power of two", length,
                     size->value.text.text)
            ->help = "sizes are a number of nodes, and that times 2, 4 and so on up to 32768, as in 4, 8, 32";
        return 0;
    }
    return network->n_sizes ? network->sizes[0].n : 0;
}

uint32_t slurm_add_node(struct slurm_network *network, bool is_router,
                        const struct slurm_value *value, struct slice name, struct slice part)
{
    uint32_t node = graph_add_node(network->graph, is_router, name.text, name.length);
    if (node == GRAPH_NONE)
        slurm_report(network, CODE_T004, value, part, "name '%.*s' is taken", (int)name.length,
                     name.text)
            ->help = "a name belongs to one switch or one node";
    return node;
}

/* ---- from the description to the topology ---- */

static void slurm_make_network(struct slurm_network *network)
{
    switch (network->kind) {
    case SLURM_TREE: slurm_make_tree(network); break;
    case SLURM_BLOCK: slurm_make_blocks(network); break;
    case SLURM_RING: slurm_make_rings(network); break;
    case SLURM_TORUS: slurm_make_toruses(network); break;
    case SLURM_FLAT:
    case N_SLURM_KINDS:
        network->failed = true;
        report(network->diagnostics, CODE_T004, source_position(network->source, 0, 1),
               "a flat topology names no machines")
            ->help = "give a string instead: star:24 is 24 machines on one switch";
    }
}

static struct topology *slurm_make_topology(struct slurm_network *network)
{
    struct topology_settings settings = {.name = network->source->path,
                                         .bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    network->graph = graph_new();
    slurm_make_network(network);
    if (network->failed) {
        graph_free(network->graph);
        return NULL;
    }
    struct topology *topology = graph_topology(
        &settings, network->graph, source_position(network->source, 0, 1), network->diagnostics);
    if (topology)
        topology->is_outline = network->kind != SLURM_TORUS;
    return topology;
}

static struct topology *read_slurm(const struct source *source, struct diagnostics *diagnostics)
{
    struct slurm_network network = {.source = source, .diagnostics = diagnostics};
    bool good = is_conf(source) ? slurm_read_conf(&network) : slurm_read_yaml(&network);
    struct topology *topology = good && !network.failed ? slurm_make_topology(&network) : NULL;
    free(network.groups);
    free(network.toruses);
    free(network.regions);
    free(network.sizes);
    arena_free(&network.arena);
    return topology;
}

const struct topology_format slurm_format = {
    .is = is_slurm, .has_parts = true, .read = read_slurm, .write = slurm_write};
