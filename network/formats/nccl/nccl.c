/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the topology files of NCCL and RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): the inside of a
 * machine as its GPUs see it. GPUs are the machines of the network; CPUs, PCI switches, NVSwitches (one
 * node, as NCCL sees them) and adapters its routers. Bandwidths are counted as those libraries count
 * them.
 */
#include "base/text/xml.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 4096 };

struct device {
    struct slice bus_id; /* in the document */
    uint32_t node, cpu;  /* cpu: the node of the processor it is under */
    double link_speed;   /* GB/s of one NVLink or XGMI link of this GPU */
    const xmlNode *gpu;  /* its element, or NULL */
};

/* A link between GPUs, or GPU and switch, as one end states it. */
struct gpu_link {
    uint32_t low, high; /* nodes */
    uint64_t bandwidth;
};

struct machine_reader {
    struct xml_reader xml;
    struct graph *graph;
    struct device *devices;
    struct gpu_link *links;
    uint32_t n_devices, n_links, n_gpus, nv_switch;
    uint32_t n_bare;          /* GPUs without a `gpu` element, the first of them: */
    const xmlNode *bare;
    uint32_t n_to_itself;     /* links from a GPU to itself, the first of them: */
    const xmlNode *to_itself;
    size_t devices_capacity, links_capacity;
};

static bool is_nccl(const struct source *source)
{
    return xml_root_is(source, "system") || xml_root_is(source, "graphs");
}

/* ---- numbers ---- */

static const char *attribute_or(const xmlNode *element, const char *name, const char *otherwise)
{
    const char *value = xml_find_attribute(element, name);
    return value && *value ? value : otherwise;
}

static uint64_t to_bandwidth(double gigabytes)
{
    return (uint64_t)(gigabytes * 1e9 + 0.5);
}

/* Returns GB/s per lane: 12 GB/s for the 16 lanes of a Gen3 link; unknown words count as Gen3. */
static double lane_speed(const char *link_speed)
{
    static const struct {
        double transfers, speed; /* GT/s; 80 times GB/s */
    } generations[] = {{2.5, 15}, {5, 30}, {8, 60}, {16, 120}, {32, 240}, {64, 480}};
    double transfers = strtod(link_speed, NULL);
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (transfers == generations[i].transfers && strstr(link_speed, "GT/s"))
            return generations[i].speed / 80;
    return 60.0 / 80;
}

/* Returns the value of an attribute that is a whole number; `otherwise` if it is missing. */
static uint32_t nccl_read_count(struct machine_reader *reader, const xmlNode *element, const char *name,
                                uint32_t otherwise)
{
    uint32_t count = otherwise;
    const char *value = xml_find_attribute(element, name);
    if (value)
        xml_check_value(&reader->xml, element, name,
                        parse_count((struct slice){value, strlen(value)}, &count),
                        "write a whole number");
    return count;
}

static uint64_t pci_bandwidth(struct machine_reader *reader, const xmlNode *pci)
{
    uint32_t width = nccl_read_count(reader, pci, "link_width", 16);
    if (width > 64) {
        xml_report(&reader->xml, CODE_T006, xml_attribute_slice(&reader->xml, pci, "link_width", true),
                   "link_width", "more than 64 lanes");
        width = 16;
    }
    return to_bandwidth((width ? width : 16) * lane_speed(attribute_or(pci, "link_speed", "")));
}

/* Returns GB/s of one NVLink, by compute capability. */
static double nvlink_speed(unsigned long capability)
{
    if (capability >= 100)
        return 40.1;
    if (capability >= 90)
        return 20.6;
    if (capability == 86)
        return 12;
    return capability >= 70 ? 20 : 18;
}

/* Returns GB/s of one XGMI link, by architecture: "906", "gfx942". */
static double xgmi_speed(const char *gcn)
{
    gcn += strncmp(gcn, "gfx", 3) == 0 ? 3 : 0;
    if (strncmp(gcn, "94", 2) == 0 || strncmp(gcn, "95", 2) == 0)
        return 48;
    return strcmp(gcn, "90a") == 0 || strcmp(gcn, "910") == 0 ? 36 : 24;
}

/* Returns GB/s between two processors of this kind. */
static double cpu_speed(const xmlNode *cpu)
{
    const char *arch = attribute_or(cpu, "arch", "x86_64");
    if (strcmp(arch, "ppc64") == 0)
        return 32;
    if (strcmp(arch, "x86_64") != 0)
        return 6;
    if (strcmp(attribute_or(cpu, "vendor", ""), "AuthenticAMD") == 0)
        return 16;
    return strtoul(attribute_or(cpu, "modelid", "0"), NULL, 10) >= 85 ? 9 : 6; /* Skylake */
}

/* ---- nodes ---- */

static uint32_t nccl_add_node(struct machine_reader *reader, const xmlNode *element, bool is_router,
                              const char *name)
{
    size_t length = strlen(name);
    uint32_t node = graph_add_node(reader->graph, is_router, name, length < 255 ? length : 255);
    if (node == GRAPH_NONE)
        xml_report(&reader->xml, CODE_T004, xml_element_slice(&reader->xml, element), name,
                   "a second one of that name");
    return node;
}

static void nccl_join(struct machine_reader *reader, uint32_t below, uint32_t above, uint64_t bandwidth)
{
    if (below != GRAPH_NONE && above != GRAPH_NONE)
        graph_add_cable(reader->graph, below, above, bandwidth, TOPOLOGY_DEFAULT_LATENCY);
}

static const xmlNode *nccl_find_child(const xmlNode *element, const char *name)
{
    const xmlNode *child = element->children;
    while (child && !xml_is(child, name))
        child = child->next;
    return child;
}

/* True if the class has the prefix, as NCCL tests it. */
static bool has_class(const xmlNode *pci, const char *prefix)
{
    return strncmp(attribute_or(pci, "class", ""), prefix, strlen(prefix)) == 0;
}

static bool nccl_is_gpu(const xmlNode *pci)
{
    return nccl_find_child(pci, "gpu") || has_class(pci, "0x03") || has_class(pci, "0x12");
}

/* Adds "gpu3" by its `dev`; clouds' files have none, so their GPUs count in order. */
static uint32_t add_gpu(struct machine_reader *reader, const xmlNode *pci)
{
    char name[32];
    const xmlNode *gpu = nccl_find_child(pci, "gpu");
    uint32_t number = reader->n_gpus++;
    if (gpu)
        number = nccl_read_count(reader, gpu, "dev", number);
    else if (!reader->n_bare++)
        reader->bare = pci;
    snprintf(name, sizeof name, "gpu%u", number);
    return nccl_add_node(reader, pci, false, name);
}

/* Adds an adapter named after its first network device; `above` is a PCI device, or a processor. */
static uint32_t nccl_add_adapter(struct machine_reader *reader, const xmlNode *above)
{
    const xmlNode *nic = nccl_find_child(above, "nic"), *net = nic ? nccl_find_child(nic, "net") : NULL;
    const char *name = net ? attribute_or(net, "name", "") : "";
    struct text text = {0};
    text_printf(&text, "nic-%s", attribute_or(above, "busid", ""));
    uint32_t node = nccl_add_node(reader, nic ? nic : above, true, *name ? name : text.data);
    text_free(&text);
    return node;
}

static uint32_t add_switch(struct machine_reader *reader, const xmlNode *pci)
{
    struct text text = {0};
    text_printf(&text, "pci-%s", attribute_or(pci, "busid", ""));
    uint32_t node = nccl_add_node(reader, pci, true, text.data);
    text_free(&text);
    return node;
}

/* Remembers a device by its bus id; T004 if there is another. */
static void keep_device(struct machine_reader *reader, const xmlNode *pci, uint32_t node,
                        uint32_t cpu)
{
    const char *bus_id = xml_need_attribute(&reader->xml, pci, "busid");
    const xmlNode *gpu = nccl_find_child(pci, "gpu");
    if (!bus_id)
        return;
    if (reader->n_devices == MAX_DEVICES) {
        if (!reader->xml.failed)
            xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, pci), bus_id,
                       "more than 4096 devices in a machine");
        return;
    }
    double speed = gpu && xml_find_attribute(gpu, "gcn")
                       ? xgmi_speed(xml_find_attribute(gpu, "gcn"))
                       : nvlink_speed(gpu ? strtoul(attribute_or(gpu, "sm", "70"), NULL, 10) : 70);
    reader->devices = mem_grow(reader->devices, &reader->devices_capacity,
                               (size_t)reader->n_devices + 1, sizeof *reader->devices);
    reader->devices[reader->n_devices++] =
        (struct device){{bus_id, strlen(bus_id)}, node, cpu, speed, gpu};
}

static void add_pci(struct machine_reader *reader, const xmlNode *pci, uint32_t above,
                    uint32_t cpu)
{
    uint32_t node;
    if (nccl_is_gpu(pci))
        node = add_gpu(reader, pci);
    else if (has_class(pci, "0x02") || nccl_find_child(pci, "nic"))
        node = nccl_add_adapter(reader, pci);
    else if (has_class(pci, "0x0604"))
        node = add_switch(reader, pci);
    else
        return; /* NVSwitches are met again as targets; disks send no messages */
    nccl_join(reader, node, above, pci_bandwidth(reader, pci));
    keep_device(reader, pci, node, cpu);
    for (const xmlNode *child = pci->children; child; child = child->next)
        if (xml_is(child, "pci"))
            add_pci(reader, child, node, cpu);
}

/* Adds the processors, joined with each other. */
static void add_cpus(struct machine_reader *reader, const xmlNode *root)
{
    uint32_t *cpus = NULL, n = 0;
    size_t capacity = 0;
    for (const xmlNode *cpu = root->children; cpu; cpu = cpu->next) {
        char name[32];
        if (!xml_is(cpu, "cpu"))
            continue;
        snprintf(name, sizeof name, "cpu%u", nccl_read_count(reader, cpu, "numaid", n));
        uint32_t node = nccl_add_node(reader, cpu, true, name);
        for (uint32_t i = 0; i < n && n < 64; i++)
            nccl_join(reader, node, cpus[i], to_bandwidth(cpu_speed(cpu)));
        cpus = mem_grow(cpus, &capacity, (size_t)n + 1, sizeof *cpus);
        cpus[n++] = node;
        if (nccl_find_child(cpu, "nic")) /* a network of the processor, not of a PCI device */
            nccl_join(reader, nccl_add_adapter(reader, cpu), node, TOPOLOGY_DEFAULT_BANDWIDTH);
        for (const xmlNode *child = cpu->children; child; child = child->next)
            if (xml_is(child, "pci"))
                add_pci(reader, child, node, node);
    }
    free(cpus);
    if (n > 64)
        xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, root), "system",
                   "more than 64 processors");
}

/* ---- NVLink and XGMI ---- */

static const struct device *find_device(const struct machine_reader *reader, const char *bus_id)
{
    for (uint32_t i = 0; i < reader->n_devices; i++)
        if (strcmp(reader->devices[i].bus_id.text, bus_id) == 0)
            return &reader->devices[i];
    return NULL;
}

static uint32_t nv_switch(struct machine_reader *reader)
{
    if (reader->nv_switch == GRAPH_NONE)
        reader->nv_switch = graph_add_node(reader->graph, true, "nvswitch", strlen("nvswitch"));
    return reader->nv_switch;
}

/* Returns the far end of a link; class 0x068001 is the processor's end of a bridge. */
static uint32_t link_target(struct machine_reader *reader, const struct device *from,
                            const xmlNode *link)
{
    const char *class = attribute_or(link, "tclass", "");
    if (strncmp(class, "0x068001", 8) == 0)
        return from->cpu;
    if (strncmp(class, "0x0680", 6) == 0)
        return nv_switch(reader);
    const char *target = xml_need_attribute(&reader->xml, link, "target");
    const struct device *device = target ? find_device(reader, target) : NULL;
    if (target && !device)
        xml_report(&reader->xml, CODE_T004, xml_attribute_slice(&reader->xml, link, "target", true),
                   target, "no device has this bus id");
    return device ? device->node : GRAPH_NONE;
}

static void add_gpu_link(struct machine_reader *reader, const struct device *from,
                         const xmlNode *link)
{
    uint32_t count = nccl_read_count(reader, link, "count", 1);
    uint32_t to = link_target(reader, from, link), node = from->node;
    if (to == node && node != GRAPH_NONE && !reader->n_to_itself++)
        reader->to_itself = link;
    if (to == GRAPH_NONE || node == GRAPH_NONE || to == node || !count || count > 1024)
        return;
    reader->links = mem_grow(reader->links, &reader->links_capacity, (size_t)reader->n_links + 1,
                             sizeof *reader->links);
    reader->links[reader->n_links++] = (struct gpu_link){
        node < to ? node : to, node < to ? to : node, to_bandwidth(count * from->link_speed)};
}

static int nccl_compare_links(const void *a, const void *b)
{
    const struct gpu_link *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return (left->high > right->high) - (left->high < right->high);
}

/* Joins the links between GPUs, which both ends state, to one cable for all links of a pair, as NCCL counts
 * them. Links of several GPUs to the switch stay apart. */
static void add_gpu_links(struct machine_reader *reader)
{
    for (uint32_t i = 0; i < reader->n_devices; i++) {
        const xmlNode *gpu = reader->devices[i].gpu;
        for (const xmlNode *child = gpu ? gpu->children : NULL; child; child = child->next)
            if (xml_is(child, "nvlink") || xml_is(child, "xgmi"))
                add_gpu_link(reader, &reader->devices[i], child);
    }
    if (reader->n_links)
        qsort(reader->links, reader->n_links, sizeof *reader->links, nccl_compare_links);
    for (uint32_t i = 0; i < reader->n_links; i++)
        if (!i || nccl_compare_links(&reader->links[i - 1], &reader->links[i]) != 0)
            nccl_join(reader, reader->links[i].low, reader->links[i].high, reader->links[i].bandwidth);
}

/* ---- the file ---- */

/* Reports missing NVLinks. A cloud's file names GPUs by their PCI devices alone: NCCL fills in their `gpu`
 * elements and NVLinks where it runs (ncclTopoGetXmlFromGpu). Files that it dumped have them: if these name
 * no link there is none. */
static void say_what_is_missing(struct machine_reader *reader)
{
    if (reader->n_bare && reader->n_gpus > 1)
        report(reader->xml.diagnostics, CODE_T008,
               slice_position(reader->xml.source, xml_element_slice(&reader->xml, reader->bare)),
               "%u of %u GPUs have no 'gpu' element, which is where NVLinks are told: without them their "
               "traffic is on PCI",
               reader->n_bare, reader->n_gpus)
            ->help = "NCCL fills them in where it runs: take the file that NCCL_TOPO_DUMP_FILE=FILE writes "
                     "there, or put them in, such as "
                     "<gpu sm=\"80\"><nvlink count=\"12\" tclass=\"0x068000\"/></gpu> "
                     "for 12 links to NVSwitches (docs/formats.md)";
    if (reader->n_to_itself)
        report(reader->xml.diagnostics, CODE_T008,
               slice_position(reader->xml.source, xml_element_slice(&reader->xml, reader->to_itself)),
               "left out %u link%s of a GPU to itself", reader->n_to_itself,
               plural(reader->n_to_itself))
            ->help = "the target of a link is the bus id of another GPU";
}

/* Refuses a graph file of NCCL (NCCL_GRAPH_DUMP_FILE), which is no topology. */
static bool is_of_graphs(struct machine_reader *reader, const xmlNode *root)
{
    if (!xml_is(root, "graphs"))
        return false;
    xml_report(&reader->xml, CODE_T007, xml_element_slice(&reader->xml, root), "graphs",
               "a graph file of NCCL: the rings and trees that it chose, and not the topology it chose them on")
        ->help = "give the topology: the file that NCCL_TOPO_FILE names, or that NCCL_TOPO_DUMP_FILE=FILE writes";
    return true;
}

static struct topology *read_nccl(const struct source *source, struct diagnostics *diagnostics)
{
    struct machine_reader reader = {
        .xml = {.source = source, .diagnostics = diagnostics, .allows_document_type = true},
        .nv_switch = GRAPH_NONE};
    xmlDoc *document = xml_parse(&reader.xml);
    if (!document)
        return NULL;
    reader.graph = graph_new();
    if (!is_of_graphs(&reader, libxml2()->xmlDocGetRootElement(document))) {
        add_cpus(&reader, libxml2()->xmlDocGetRootElement(document));
        add_gpu_links(&reader);
        say_what_is_missing(&reader);
    }
    free(reader.devices);
    free(reader.links);
    libxml2()->xmlFreeDoc(document);
    if (reader.xml.failed) {
        graph_free(reader.graph);
        return NULL;
    }
    struct topology_settings settings = {.name = source->path,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    return graph_topology(&settings, reader.graph, source_position(source, 0, 1), diagnostics);
}

const struct topology_format nccl_format = {.is = is_nccl, .read = read_nccl};
