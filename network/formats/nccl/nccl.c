/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the topology files of NCCL and RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE): the inside of a
 * machine as its GPUs see it, or of several machines whose GPUs NVSwitches join. GPUs are the machines of
 * the network; CPUs, PCI switches, NVSwitches (one node, as NCCL sees them) and adapters its routers. GPUs
 * that relay have a router each (relays.h).
 * Bandwidths are counted as those libraries count them (ncclTopoGetSystemFromXml, NCCL 2.28).
 */
#include "base/text/xml.h"
#include "network/format.h"
#include "network/formats/nccl/relays.h"
#include "network/graph_topology.h"
#include "network/unrouted.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 4096, MAX_HOSTS = 1024, MAX_KINDS_LEFT_OUT = 16,
       MAX_C2C_SPEED = 10000000 /* MB/s */, MAX_LINK_COUNT = 1024 };

/* GB/s inside a chip, and between the PCI switches that a pcilink joins (LOC_BW). */
#define LOCAL_SPEED 5000

struct device {
    struct slice bus_id; /* in the document */
    uint32_t host;       /* bus ids are those of a host */
    uint32_t node, cpu;  /* cpu: the node of the processor it is under */
    double link_speed;   /* GB/s of one NVLink or XGMI link of this GPU */
    const xmlNode *pci, *gpu; /* its elements; gpu may be NULL */
};

/* A computer of the file, and what is numbered in it. */
struct nccl_host {
    uint64_t hash; /* host_hash */
    uint32_t n_cpus, n_gpus;
};

struct nccl_cpu {
    uint32_t node, host;
};

/* Elements of one name that mean nothing here. */
struct left_out {
    const char *name; /* in the document */
    const xmlNode *first;
    uint32_t n;
};

/* A link between GPUs, GPU and switch, or PCI switches, as one end states it. */
struct gpu_link {
    uint32_t low, high; /* nodes */
    uint32_t from;      /* the one that states it */
    uint64_t bandwidth;
};

struct machine_reader {
    struct xml_reader xml;
    struct graph *graph;
    struct device *devices;
    struct gpu_link *links;
    struct nccl_host *hosts;
    struct left_out left_out[MAX_KINDS_LEFT_OUT];
    uint32_t n_devices, n_links, n_hosts, n_left_out, n_gpus, nv_switch;
    uint32_t host;            /* whose elements are being read */
    uint32_t n_c2c;           /* GPUs with C2C below the processor that is being read */
    bool has_several_hosts;
    uint32_t n_bare;          /* GPUs without a `gpu` element, the first of them: */
    const xmlNode *bare;
    uint32_t n_to_itself;     /* links from a GPU to itself, the first of them: */
    const xmlNode *to_itself;
    size_t devices_capacity, links_capacity, hosts_capacity;
};

static bool is_nccl(const struct source *source)
{
    return xml_root_is(source, "system") || xml_root_is(source, "graphs");
}

/* ---- numbers ---- */

static const xmlNode *nccl_find_child(const xmlNode *element, const char *name)
{
    const xmlNode *child = element->children;
    while (child && !xml_is(child, name))
        child = child->next;
    return child;
}

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
    if (width == 63 || width == 255) /* a virtual machine does not know */
        width = 16;
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
    const unsigned long model = strtoul(attribute_or(cpu, "modelid", "0"), NULL, 10);
    if (model >= 0xcf) /* Emerald Rapids */
        return 40;
    if (model >= 0x8f) /* Sapphire Rapids */
        return 22;
    return model >= 0x55 ? 10 : 6; /* Skylake */
}

/* Returns B/s between a GPU and its processor by NVLink-C2C, 0 without one: `count` links of `bw` MB/s. */
static uint64_t c2c_bandwidth(struct machine_reader *reader, const xmlNode *pci)
{
    const xmlNode *gpu = nccl_find_child(pci, "gpu"), *link = gpu ? nccl_find_child(gpu, "c2c") : NULL;
    if (!link || !xml_need_attribute(&reader->xml, link, "bw") || !xml_need_attribute(&reader->xml, link, "count"))
        return 0;
    const uint32_t speed = nccl_read_count(reader, link, "bw", 0), count = nccl_read_count(reader, link, "count", 0);
    if (speed > MAX_C2C_SPEED || count > MAX_LINK_COUNT) {
        xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, link), "c2c",
                   "more than 1024 links, or more than 10000000 MB/s each");
        return 0;
    }
    return (uint64_t)speed * count * 1000000;
}

/* ---- nodes ---- */

/* Adds "gpu3", or "host1-gpu3" where the file has several hosts. */
static uint32_t nccl_add_node(struct machine_reader *reader, const xmlNode *element, bool is_router,
                              const char *name)
{
    struct text text = {0};
    if (reader->has_several_hosts)
        text_printf(&text, "host%u-", reader->host);
    text_printf(&text, "%s", name);
    const size_t length = text.length < 255 ? text.length : 255;
    uint32_t node = graph_add_node(reader->graph, is_router, text.data, length);
    if (node == GRAPH_NONE)
        xml_report(&reader->xml, CODE_T004, xml_element_slice(&reader->xml, element), text.data,
                   "a second one of that name");
    text_free(&text);
    return node;
}

/* Counts an element that means nothing here. */
static void nccl_leave_out(struct machine_reader *reader, const xmlNode *element)
{
    uint32_t i = 0;
    while (i < reader->n_left_out && strcmp(reader->left_out[i].name, (const char *)element->name) != 0)
        i++;
    if (i == MAX_KINDS_LEFT_OUT)
        i--;
    if (i == reader->n_left_out)
        reader->left_out[reader->n_left_out++] = (struct left_out){(const char *)element->name, element, 0};
    reader->left_out[i].n++;
}

/* Counts the children that are not of these kinds, and of those `once` all but the first. */
static void nccl_leave_out_others(struct machine_reader *reader, const xmlNode *element,
                                  const char *const *known, const char *once)
{
    for (const xmlNode *child = element->children; child; child = child->next) {
        if (child->type != XML_ELEMENT_NODE)
            continue;
        size_t i = 0;
        while (known[i] && !xml_is(child, known[i]))
            i++;
        if (!known[i] || (xml_is(child, once) && child != nccl_find_child(element, once)))
            nccl_leave_out(reader, child);
    }
}

static void nccl_join(struct machine_reader *reader, uint32_t below, uint32_t above, uint64_t bandwidth)
{
    if (below != GRAPH_NONE && above != GRAPH_NONE)
        graph_add_cable(reader->graph, below, above, bandwidth, TOPOLOGY_DEFAULT_LATENCY);
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
    static const char *const known[] = {"nvlink", "xgmi", "c2c", NULL};
    char name[32];
    const xmlNode *gpu = nccl_find_child(pci, "gpu");
    uint32_t number = reader->hosts[reader->host].n_gpus++;
    reader->n_gpus++;
    if (gpu)
        nccl_leave_out_others(reader, gpu, known, "c2c");
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
        (struct device){{bus_id, strlen(bus_id)}, reader->host, node, cpu, speed, pci, gpu};
}

/* True if an NVSwitch is at the end of a link of this GPU. */
static bool has_nv_switch(const xmlNode *pci)
{
    const xmlNode *gpu = nccl_find_child(pci, "gpu");
    for (const xmlNode *link = gpu ? gpu->children : NULL; link; link = link->next) {
        const char *class = xml_is(link, "nvlink") ? attribute_or(link, "tclass", "") : "";
        if (strncmp(class, "0x0680", 6) == 0 && strncmp(class, "0x068001", 8) != 0)
            return true;
    }
    return false;
}

/* Joins the node to the one above by a router, the port of the device that is above it. Returns that. */
static uint32_t nccl_add_port(struct machine_reader *reader, const xmlNode *pci, const char *kind,
                              uint32_t node, uint64_t bandwidth)
{
    struct text text = {0};
    text_printf(&text, "%s-%s", kind, attribute_or(pci, "busid", ""));
    uint32_t port = nccl_add_node(reader, pci, true, text.data);
    text_free(&text);
    nccl_join(reader, node, port, bandwidth);
    return port;
}

/* Joins a device to the one above. A GPU right below its processor has one cable to it, C2C if that is wider
 * than PCI, as NCCL chooses of the two; else C2C is a cable of its own. NCCL prefers NVSwitches to any way by
 * PCI and C2C. So that these are longer, a GPU with NVSwitches is on PCI by its port, a router; and on C2C
 * too if it is one of more than two below a processor. Of two ways between the two, which follow each other,
 * the rule for routes takes the second: by the NVSwitches. */
static void join_device(struct machine_reader *reader, const xmlNode *pci, uint32_t node, uint32_t above,
                        uint32_t cpu)
{
    const uint64_t by_pci = pci_bandwidth(reader, pci), by_c2c = c2c_bandwidth(reader, pci);
    const uint64_t wider = above == cpu && by_pci > by_c2c ? by_pci : by_c2c;
    if (by_c2c && has_nv_switch(pci) && reader->n_c2c > 2)
        nccl_join(reader, nccl_add_port(reader, pci, "c2c", node, wider), cpu, wider);
    else if (by_c2c)
        nccl_join(reader, node, cpu, wider);
    if (by_c2c && above == cpu)
        return;
    nccl_join(reader, has_nv_switch(pci) ? nccl_add_port(reader, pci, "port", node, by_pci) : node, above, by_pci);
}

static void add_pci(struct machine_reader *reader, const xmlNode *pci, uint32_t above,
                    uint32_t cpu)
{
    static const char *const known[] = {"pci", "gpu", "nic", "pcilink", NULL};
    uint32_t node;
    if (nccl_is_gpu(pci))
        node = add_gpu(reader, pci);
    else if (has_class(pci, "0x02") || nccl_find_child(pci, "nic"))
        node = nccl_add_adapter(reader, pci);
    else if (has_class(pci, "0x0604"))
        node = add_switch(reader, pci);
    else
        return; /* NVSwitches are met again as targets; disks send no messages */
    nccl_leave_out_others(reader, pci, known, "gpu");
    join_device(reader, pci, node, above, cpu);
    keep_device(reader, pci, node, cpu);
    for (const xmlNode *child = pci->children; child; child = child->next)
        if (xml_is(child, "pci"))
            add_pci(reader, child, node, cpu);
}

/* Returns the number of the host of a processor; MAX_HOSTS after reporting that there are too many. */
static uint32_t nccl_find_host(struct machine_reader *reader, const xmlNode *cpu)
{
    const uint64_t hash = strtoull(attribute_or(cpu, "host_hash", "0"), NULL, 16);
    for (uint32_t i = 0; i < reader->n_hosts; i++)
        if (reader->hosts[i].hash == hash)
            return i;
    if (reader->n_hosts == MAX_HOSTS) {
        xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, cpu), "cpu", "more than 1024 hosts");
        return MAX_HOSTS;
    }
    reader->hosts =
        mem_grow(reader->hosts, &reader->hosts_capacity, (size_t)reader->n_hosts + 1, sizeof *reader->hosts);
    reader->hosts[reader->n_hosts] = (struct nccl_host){.hash = hash};
    return reader->n_hosts++;
}

/* Adds "cpu1" by its NUMA node; "cpu" where the kernel names none, -1, as in virtual machines. */
static uint32_t add_cpu_node(struct machine_reader *reader, const xmlNode *cpu)
{
    char name[32] = "cpu";
    const uint32_t number = reader->hosts[reader->host].n_cpus;
    if (strcmp(attribute_or(cpu, "numaid", ""), "-1") != 0)
        snprintf(name, sizeof name, "cpu%u", nccl_read_count(reader, cpu, "numaid", number));
    return nccl_add_node(reader, cpu, true, name);
}

/* Returns the number of GPUs with C2C below an element. */
static uint32_t count_c2c(const xmlNode *element)
{
    const xmlNode *gpu = nccl_find_child(element, "gpu");
    uint32_t n = gpu && nccl_find_child(gpu, "c2c");
    for (const xmlNode *child = element->children; child; child = child->next)
        n += xml_is(child, "pci") ? count_c2c(child) : 0;
    return n;
}

static void add_cpu(struct machine_reader *reader, const xmlNode *cpu, uint32_t node)
{
    static const char *const known[] = {"pci", "nic", NULL};
    nccl_leave_out_others(reader, cpu, known, "");
    reader->n_c2c = count_c2c(cpu);
    if (nccl_find_child(cpu, "nic")) /* a network of the processor, not of a PCI device */
        nccl_join(reader, nccl_add_adapter(reader, cpu), node, TOPOLOGY_DEFAULT_BANDWIDTH);
    for (const xmlNode *child = cpu->children; child; child = child->next)
        if (xml_is(child, "pci"))
            add_pci(reader, child, node, node);
}

/* Adds the processors; those of a host are joined with each other. */
static void add_cpus(struct machine_reader *reader, const xmlNode *root)
{
    struct nccl_cpu *cpus = NULL;
    uint32_t n = 0;
    size_t capacity = 0;
    for (const xmlNode *cpu = root->children; cpu; cpu = cpu->next) {
        if (!xml_is(cpu, "cpu") || (reader->host = nccl_find_host(reader, cpu)) == MAX_HOSTS)
            continue;
        uint32_t node = add_cpu_node(reader, cpu), *n_cpus = &reader->hosts[reader->host].n_cpus;
        for (uint32_t i = 0; i < n && *n_cpus < 64; i++)
            if (cpus[i].host == reader->host)
                nccl_join(reader, node, cpus[i].node, to_bandwidth(cpu_speed(cpu)));
        if (++*n_cpus == 65)
            xml_report(&reader->xml, CODE_T006, xml_element_slice(&reader->xml, cpu), "cpu",
                       "more than 64 processors of a host");
        cpus = mem_grow(cpus, &capacity, (size_t)n + 1, sizeof *cpus);
        cpus[n++] = (struct nccl_cpu){node, reader->host};
        add_cpu(reader, cpu, node);
    }
    free(cpus);
}

/* Finds the hosts first: names depend on their number. */
static void find_hosts(struct machine_reader *reader, const xmlNode *root)
{
    static const char *const known[] = {"cpu", NULL};
    for (const xmlNode *cpu = root->children; cpu && reader->n_hosts < MAX_HOSTS; cpu = cpu->next)
        if (xml_is(cpu, "cpu"))
            nccl_find_host(reader, cpu);
    reader->has_several_hosts = reader->n_hosts > 1;
    nccl_leave_out_others(reader, root, known, "");
}

/* ---- NVLink and XGMI ---- */

static const struct device *find_device(const struct machine_reader *reader, uint32_t host,
                                        const char *bus_id)
{
    for (uint32_t i = 0; i < reader->n_devices; i++)
        if (reader->devices[i].host == host && strcmp(reader->devices[i].bus_id.text, bus_id) == 0)
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
    const struct device *device = target ? find_device(reader, from->host, target) : NULL;
    if (target && !device)
        xml_report(&reader->xml, CODE_T004, xml_attribute_slice(&reader->xml, link, "target", true),
                   target, "no device has this bus id");
    return device ? device->node : GRAPH_NONE;
}

static void keep_link(struct machine_reader *reader, uint32_t node, uint32_t to, uint64_t bandwidth)
{
    reader->links = mem_grow(reader->links, &reader->links_capacity, (size_t)reader->n_links + 1,
                             sizeof *reader->links);
    reader->links[reader->n_links++] = (struct gpu_link){
        node < to ? node : to, node < to ? to : node, node, bandwidth};
}

static void add_gpu_link(struct machine_reader *reader, const struct device *from,
                         const xmlNode *link)
{
    uint32_t count = nccl_read_count(reader, link, "count", 1);
    uint32_t to = link_target(reader, from, link), node = from->node;
    if (to == node && node != GRAPH_NONE && !reader->n_to_itself++)
        reader->to_itself = link;
    if (to != GRAPH_NONE && node != GRAPH_NONE && to != node && count && count <= MAX_LINK_COUNT)
        keep_link(reader, node, to, to_bandwidth(count * from->link_speed));
}

/* Adds a link between PCI switches; as for NCCL one to a switch that is not there is none. */
static void add_pci_link(struct machine_reader *reader, const struct device *from, const xmlNode *link)
{
    const char *target = xml_need_attribute(&reader->xml, link, "target");
    const struct device *to = target ? find_device(reader, from->host, target) : NULL;
    if (to && to != from && !to->gpu && from->node != GRAPH_NONE && to->node != GRAPH_NONE)
        keep_link(reader, from->node, to->node, to_bandwidth(LOCAL_SPEED));
    else
        nccl_leave_out(reader, link);
}

static int nccl_compare_links(const void *a, const void *b)
{
    const struct gpu_link *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    if (left->high != right->high)
        return left->high < right->high ? -1 : 1;
    return (left->from > right->from) - (left->from < right->from);
}

/* Joins a pair by one cable for the links from the first on, as NCCL counts them: those that one end states
 * add up, such as a GPU's to each NVSwitch; the other end states them again. Returns the place behind the
 * pair. */
static uint32_t nccl_join_pair(struct machine_reader *reader, uint32_t first)
{
    const struct gpu_link *links = reader->links, *pair = &links[first];
    uint64_t sums[2] = {0};
    uint32_t i = first;
    for (; i < reader->n_links && links[i].low == pair->low && links[i].high == pair->high; i++)
        sums[links[i].from == pair->high] += links[i].bandwidth;
    nccl_join(reader, pair->low, pair->high, sums[0] > sums[1] ? sums[0] : sums[1]);
    return i;
}

/* Joins GPUs, and PCI switches, by the links that they state. */
static void add_gpu_links(struct machine_reader *reader)
{
    for (uint32_t i = 0; i < reader->n_devices; i++) {
        for (const xmlNode *child = reader->devices[i].pci->children; child; child = child->next)
            if (xml_is(child, "pcilink"))
                add_pci_link(reader, &reader->devices[i], child);
        const xmlNode *gpu = reader->devices[i].gpu;
        for (const xmlNode *child = gpu ? gpu->children : NULL; child; child = child->next)
            if (xml_is(child, "nvlink") || xml_is(child, "xgmi"))
                add_gpu_link(reader, &reader->devices[i], child);
    }
    if (reader->n_links)
        qsort(reader->links, reader->n_links, sizeof *reader->links, nccl_compare_links);
    for (uint32_t i = 0; i < reader->n_links;)
        i = nccl_join_pair(reader, i);
}

/* Lets the GPUs of each host relay where they do. NVSwitches join all of theirs. */
static void add_relays(struct machine_reader *reader, const xmlNode *root)
{
    for (uint32_t host = 0; host < reader->n_hosts && reader->nv_switch == GRAPH_NONE; host++) {
        uint32_t gpus[RELAYS_MAX], n = 0;
        for (uint32_t i = 0; i < reader->n_devices; i++) {
            const struct device *device = &reader->devices[i];
            if (device->host != host || !nccl_is_gpu(device->pci) || device->node == GRAPH_NONE)
                continue;
            if (n == RELAYS_MAX)
                return;
            gpus[n++] = device->node;
        }
        const char *taken = nccl_add_relays(reader->graph, gpus, n);
        if (taken)
            xml_report(&reader->xml, CODE_T004, xml_element_slice(&reader->xml, root), taken,
                       "GPUs relay here, so they have routers of such names");
    }
}

/* ---- the file ---- */

static void nccl_say_left_out(struct machine_reader *reader)
{
    for (uint32_t i = 0; i < reader->n_left_out; i++) {
        const struct left_out *left_out = &reader->left_out[i];
        report(reader->xml.diagnostics, CODE_T008,
               slice_position(reader->xml.source, xml_element_slice(&reader->xml, left_out->first)),
               "left out %u element%s '%.80s'", left_out->n, plural(left_out->n), left_out->name)
            ->help = "docs/formats.md says what is read of NCCL's topology: cpu, pci, pcilink, gpu, nvlink, xgmi, "
                     "c2c, nic and net; of a PCI device one GPU";
    }
}

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

/* Says that NVSwitches do not join all GPUs of several hosts: adapters do, and the file has no cables of
 * these. */
static void nccl_say_apart(const struct machine_reader *reader, const struct topology *topology,
                           const struct graph_gap *gap)
{
    const struct graph *graph = topology_as_graph(topology);
    struct text who = {0};
    unrouted_say(topology, NULL, 0, ": ", &who);
    report(reader->xml.diagnostics, CODE_T008, (struct position){.source = reader->xml.source},
           "no NVSwitch joins '%s' and '%s', which are of several hosts%s", graph_name(graph, gap->from),
           graph_name(graph, gap->to), who.data ? who.data : "")
        ->help = "NCCL goes from host to host by adapters, whose cables are not in its file: give a dump of the "
                 "fabric, or --machines with the GPUs of one host";
    text_free(&who);
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
        find_hosts(&reader, libxml2()->xmlDocGetRootElement(document));
        reader.graph->may_be_apart = reader.has_several_hosts;
        add_cpus(&reader, libxml2()->xmlDocGetRootElement(document));
        add_gpu_links(&reader);
        add_relays(&reader, libxml2()->xmlDocGetRootElement(document));
        say_what_is_missing(&reader);
        nccl_say_left_out(&reader);
    }
    free(reader.hosts);
    free(reader.devices);
    free(reader.links);
    libxml2()->xmlFreeDoc(document);
    if (reader.xml.failed) {
        graph_free(reader.graph);
        return NULL;
    }
    struct topology_settings settings = {.name = source->path,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct topology *topology =
        graph_topology(&settings, reader.graph, source_position(source, 0, 1), diagnostics);
    struct graph_gap gap;
    if (topology && reader.has_several_hosts && graph_find_gap(topology_as_graph(topology), &gap))
        nccl_say_apart(&reader, topology, &gap);
    return topology;
}

const struct topology_format nccl_format = {.is = is_nccl, .read = read_nccl};
