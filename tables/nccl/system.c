/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what NCCL's cost model starts from: the graphs of NCCL_GRAPH_DUMP_FILE (or NCCL_GRAPH_FILE), and of
 * NCCL_TOPO_DUMP_FILE (or NCCL_TOPO_FILE) the GPUs' compute capability and the kind of CPU. A script names
 * both.
 */
#include "tables/nccl/model.h"

#include "base/codes.h"
#include "base/text/xml.h"

#include <stdlib.h>
#include <string.h>

static struct slice model_key(const struct setting *setting)
{
    static const char *const names[] = {
        "NCCL_ALGO",        "NCCL_PROTO",          "NCCL_TUNER_CONFIG_FILE", "NCCL_GRAPH_DUMP_FILE",
        "NCCL_GRAPH_FILE",  "NCCL_TOPO_DUMP_FILE", "NCCL_TOPO_FILE",         "NCCL_COLLNET_ENABLE",
        "NCCL_NVLS_ENABLE", "NCCL_PAT_ENABLE",     "NCCL_NET_OVERHEAD",      "NCCL_LL128_C2C"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(setting->name, names[i]))
            return setting->name;
    return (struct slice){0};
}

static const char *model_calls(const struct setting *setting, struct arena *arena)
{
    (void)setting;
    (void)arena;
    return "every collective";
}

const struct settings_dialect nccl_model_dialect = {
    .example = "'export NCCL_GRAPH_DUMP_FILE=graph.xml', 'export NCCL_TOPO_DUMP_FILE=topo.xml' or 'mpirun -x "
               "NCCL_ALGO=Ring'",
    .key = model_key,
    .calls = model_calls,
    .names = nccl_variables,
    .prefix = "NCCL_",
    .library = "NCCL"};

struct system_reader {
    const struct settings *settings;
    const struct settings_dialect *dialect;
    struct nccl_system *system;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct xml_reader xml;
};

static const struct setting *acting_setting(const struct system_reader *reader, const char *name)
{
    const struct setting *by = settings_acting(reader->settings, reader->dialect, slice_of(name));
    return by && !by->is_computed ? by : NULL;
}

/* True if the setting is there and is this number. */
static bool is_set_to(const struct system_reader *reader, const char *name, char digit)
{
    const struct setting *by = acting_setting(reader, name);
    return by && by->value.length == 1 && *by->value.text == digit;
}

/* Parses the file that one of the two settings names. NULL after reporting. */
static xmlDoc *system_open_named(struct system_reader *reader, const char *dump, const char *given,
                                 const char *what)
{
    const struct setting *by = acting_setting(reader, dump);
    by = by ? by : acting_setting(reader, given);
    const struct source *file =
        by ? table_named_file(reader->settings->source, by->value, reader->arena) : NULL;
    if (!by)
        report(reader->diagnostics, CODE_B038, source_position(reader->settings->source, 0, 1),
               "no setting names %s: %s", what, dump)
            ->help = "NCCL's cost model starts from it: run once with NCCL_GRAPH_DUMP_FILE=graph.xml and "
                     "NCCL_TOPO_DUMP_FILE=topo.xml, and name both files in the script; --target nccl "
                     "judges NCCL_ALGO and NCCL_PROTO without them";
    else if (!file)
        report(reader->diagnostics, CODE_B038, settings_position(reader->settings, by->value),
               "the file with %s is not here", what);
    reader->xml = (struct xml_reader){.source = file, .diagnostics = reader->diagnostics};
    return file ? xml_parse(&reader->xml) : NULL;
}

/* ---- graphs ---- */

static bool take_number(struct system_reader *reader, const xmlNode *element, const char *name, double most,
                        double *number)
{
    const char *text = xml_find_attribute(element, name);
    char *end = NULL;
    *number = text ? strtod(text, &end) : 0;
    if (!text || (end != text && !*end && *number >= 0 && *number <= most))
        return true;
    xml_report(&reader->xml, CODE_S009, xml_attribute_slice(&reader->xml, element, name, true), text,
               "no such number");
    return false;
}

static enum nccl_way take_way(const xmlNode *element, const char *name)
{
    static const char *const words[] = {
        [NCCL_WAY_LOC] = "LOC", [NCCL_WAY_NVL] = "NVL", [NCCL_WAY_NVB] = "NVB", [NCCL_WAY_C2C] = "C2C",
        [NCCL_WAY_PIX] = "PIX", [NCCL_WAY_PXB] = "PXB", [NCCL_WAY_P2C] = "P2C", [NCCL_WAY_PXN] = "PXN"};
    const char *text = xml_find_attribute(element, name);
    for (enum nccl_way way = 0; text && way < NCCL_WAY_FAR; way++)
        if (strcmp(text, words[way]) == 0)
            return way;
    return NCCL_WAY_FAR;
}

static bool system_take_graph(struct system_reader *reader, const xmlNode *element)
{
    enum { MOST_CHANNELS = 64, MOST_SPEED = 1000000 };
    double id, pattern, channels, inside, between, latency, same;
    if (!take_number(reader, element, "id", 100, &id) ||
        !take_number(reader, element, "pattern", 100, &pattern) ||
        !take_number(reader, element, "nchannels", MOST_CHANNELS, &channels) ||
        !take_number(reader, element, "speedintra", MOST_SPEED, &inside) ||
        !take_number(reader, element, "speedinter", MOST_SPEED, &between) ||
        !take_number(reader, element, "latencyinter", MOST_SPEED, &latency) ||
        !take_number(reader, element, "samechannels", 1, &same))
        return false;
    struct nccl_found *const founds[] = {&reader->system->ring, &reader->system->tree, NULL,
                                         &reader->system->nvls};
    if (id >= 4 || !founds[(int)id])
        return true;
    *founds[(int)id] = (struct nccl_found){.pattern = (uint32_t)pattern,
                                           .n_channels = (uint32_t)channels,
                                           .inside = inside,
                                           .between = between,
                                           .latency = latency,
                                           .way_inside = take_way(element, "typeintra"),
                                           .way_between = take_way(element, "typeinter"),
                                           .is_same = same > 0};
    return true;
}

static bool system_take_graphs(struct system_reader *reader)
{
    xmlDoc *document = system_open_named(reader, "NCCL_GRAPH_DUMP_FILE", "NCCL_GRAPH_FILE", "NCCL's graphs");
    bool is_well = document != NULL;
    if (!document)
        return false;
    const xmlNode *root = libxml2()->xmlDocGetRootElement(document);
    for (const xmlNode *node = root ? root->children : NULL; node && is_well; node = node->next)
        is_well = !xml_is(node, "graph") || system_take_graph(reader, node);
    struct nccl_found *ring = &reader->system->ring, *tree = &reader->system->tree;
    if (is_well && (!ring->n_channels || !tree->n_channels)) {
        xml_report(&reader->xml, CODE_S009, xml_element_slice(&reader->xml, root), (const char *)root->name,
                   "no rings and trees with channels")
            ->help = "the file that NCCL writes by NCCL_GRAPH_DUMP_FILE has both, as graphs 0 and 1";
        is_well = false;
    }
    if (ring->n_channels > tree->n_channels)
        ring->n_channels = tree->n_channels;
    tree->n_channels = ring->n_channels;
    libxml2()->xmlFreeDoc(document);
    return is_well;
}

/* ---- the host ---- */

static void take_gpu(struct nccl_system *system, const xmlNode *element)
{
    const char *text = xml_find_attribute(element, "sm");
    const int sm = text ? atoi(text) : 0;
    if (sm <= 0 || sm > 1000)
        return;
    if (!system->least_sm || (uint32_t)sm < system->least_sm)
        system->least_sm = (uint32_t)sm;
    if ((uint32_t)sm > system->most_sm)
        system->most_sm = (uint32_t)sm;
}

static void take_cpu(struct nccl_system *system, const xmlNode *element)
{
    const char *arch = xml_find_attribute(element, "arch"), *vendor = xml_find_attribute(element, "vendor");
    const bool is_x86 = arch && strcmp(arch, "x86_64") == 0;
    system->is_x86 = is_x86;
    system->is_power = arch && strcmp(arch, "ppc64") == 0;
    system->cpu = is_x86 && vendor && strcmp(vendor, "AuthenticAMD") == 0   ? NCCL_CPU_AMD
                  : is_x86 && vendor && strcmp(vendor, "GenuineIntel") == 0 ? NCCL_CPU_INTEL
                                                                            : NCCL_CPU_OTHER;
}

static void system_take_host(struct nccl_system *system, const xmlNode *parent, unsigned depth)
{
    enum { DEEPEST = 64 };
    for (const xmlNode *node = parent->children; node && depth < DEEPEST; node = node->next) {
        if (xml_is(node, "cpu"))
            take_cpu(system, node);
        if (xml_is(node, "gpu"))
            take_gpu(system, node);
        system_take_host(system, node, depth + 1);
    }
}

static bool system_take_hosts(struct system_reader *reader)
{
    xmlDoc *document =
        system_open_named(reader, "NCCL_TOPO_DUMP_FILE", "NCCL_TOPO_FILE", "the host's GPUs and CPUs");
    if (!document)
        return false;
    const xmlNode *root = libxml2()->xmlDocGetRootElement(document);
    if (root)
        system_take_host(reader->system, root, 0);
    const bool is_well = reader->system->least_sm > 0;
    if (!is_well && root)
        xml_report(&reader->xml, CODE_S009, xml_element_slice(&reader->xml, root), (const char *)root->name,
                   "no GPU says its compute capability")
            ->help =
            "in the file that NCCL writes by NCCL_TOPO_DUMP_FILE they do: <gpu dev=\"0\" sm=\"90\" ...>";
    libxml2()->xmlFreeDoc(document);
    return is_well;
}

const struct nccl_system *nccl_system_read(const struct settings *settings,
                                           const struct settings_dialect *dialect, struct arena *arena,
                                           struct diagnostics *diagnostics)
{
    struct system_reader reader = {.settings = settings,
                                   .dialect = dialect,
                                   .system = arena_alloc(arena, 1, sizeof(struct nccl_system)),
                                   .arena = arena,
                                   .diagnostics = diagnostics};
    const struct setting *collnet = acting_setting(&reader, "NCCL_COLLNET_ENABLE");
    const struct setting *overhead = acting_setting(&reader, "NCCL_NET_OVERHEAD");
    if (collnet && is_set_to(&reader, "NCCL_COLLNET_ENABLE", '1')) {
        report(diagnostics, CODE_B020, settings_position(settings, collnet->value),
               "CollNet is on, whose costs are not known here")
            ->help = "without this setting rings, trees, NVLS and PAT are compared";
        return NULL;
    }
    if (!system_take_graphs(&reader) || !system_take_hosts(&reader))
        return NULL;
    if (is_set_to(&reader, "NCCL_NVLS_ENABLE", '0'))
        reader.system->nvls = (struct nccl_found){0};
    reader.system->has_ll128_c2c = !is_set_to(&reader, "NCCL_LL128_C2C", '0');
    reader.system->has_pat = !is_set_to(&reader, "NCCL_PAT_ENABLE", '0');
    reader.system->net_overhead = -1;
    if (overhead)
        reader.system->net_overhead =
            0.001 * atof(arena_strndup(arena, overhead->value.text, overhead->value.length));
    return reader.system;
}
