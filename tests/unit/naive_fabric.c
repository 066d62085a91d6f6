/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See naive_fabric.h.
 */
#include "tests/unit/naive_fabric.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- facts ---- */

void naive_facts_add(struct naive_facts *facts, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    facts->items = mem_grow(facts->items, &facts->capacity, facts->n + 1, sizeof *facts->items);
    const size_t size = strlen(line) + 1;
    facts->items[facts->n] = mem_alloc(size, 1);
    memcpy(facts->items[facts->n++], line, size);
}

void naive_facts_add_cable(struct naive_facts *facts, const char *a, int port_a, const char *b, int port_b,
                           uint64_t bandwidth)
{
    char one[200], other[200];
    snprintf(one, sizeof one, "%s:%d", a, port_a);
    snprintf(other, sizeof other, "%s:%d", b, port_b);
    const bool is_turned = strcmp(one, other) > 0;
    naive_facts_add(facts, "cable %s %s %llu", is_turned ? other : one, is_turned ? one : other,
                    (unsigned long long)bandwidth);
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void naive_facts_sort(struct naive_facts *facts)
{
    qsort(facts->items, facts->n, sizeof *facts->items, compare_strings);
}

void naive_facts_free(struct naive_facts *facts)
{
    for (size_t i = 0; i < facts->n; i++)
        free(facts->items[i]);
    free(facts->items);
    *facts = (struct naive_facts){0};
}

/* ---- lines ---- */

enum { MAX_NODES = 2048, MAX_CABLES = 4096, N_GROUPS = 12 };

struct node {
    char id[40], description[128]; /* GUID or LID */
    int port;                      /* the first seen */
    bool is_switch, is_cabled;
};
struct cable {
    int node[2], port[2];
    uint64_t bandwidth;
};
struct fabric {
    struct node nodes[MAX_NODES];
    struct cable cables[MAX_CABLES];
    int n_nodes, n_cables;
    char header[40]; /* iblinkinfo: kind of the block; ibnetdiscover: id of the node */
    char description[128];
};

/* Matches of the groups of a regular expression. */
struct match {
    char of[N_GROUPS][128];
};

/* Returns the expression compiled; each is so once, and kept. */
static const regex_t *compiled(const char *expression)
{
    static struct {
        const char *text;
        regex_t regex;
    } known[16];
    static size_t n;
    for (size_t i = 0; i < n; i++)
        if (known[i].text == expression)
            return &known[i].regex;
    if (n == sizeof known / sizeof *known || regcomp(&known[n].regex, expression, REG_EXTENDED))
        abort();
    known[n].text = expression;
    return &known[n++].regex;
}

static bool matches(const char *line, const char *expression, struct match *match)
{
    regmatch_t groups[N_GROUPS];
    const bool does = regexec(compiled(expression), line, N_GROUPS, groups, 0) == 0;
    for (int i = 0; does && i < N_GROUPS; i++) {
        const int length = groups[i].rm_so < 0 ? 0 : (int)(groups[i].rm_eo - groups[i].rm_so);
        snprintf(match->of[i], sizeof match->of[i], "%.*s", length, length ? line + groups[i].rm_so : "");
    }
    return does;
}

static int node_of(struct fabric *fabric, const char *id, const char *description, bool is_switch, int port)
{
    int i = 0;
    while (i < fabric->n_nodes && strcmp(fabric->nodes[i].id, id) != 0)
        i++;
    struct node *node = &fabric->nodes[i];
    if (i == fabric->n_nodes) {
        if (++fabric->n_nodes > MAX_NODES - 1)
            abort();
        *node = (struct node){.port = port};
        snprintf(node->id, sizeof node->id, "%s", id);
    }
    if (*description)
        snprintf(node->description, sizeof node->description, "%s", description);
    node->is_switch |= is_switch;
    return i;
}

/* In iblinkinfo -l, what has several ports or one above 2 is a switch. */
static int node_by_ports(struct fabric *fabric, const char *id, const char *description, int port)
{
    const int node = node_of(fabric, id, description, port > 2, port);
    fabric->nodes[node].is_switch |= fabric->nodes[node].port != port;
    return node;
}

static void add_cable(struct fabric *fabric, int a, int port_a, int b, int port_b, uint64_t bandwidth)
{
    for (int i = 0; i < fabric->n_cables; i++) {
        struct cable *cable = &fabric->cables[i];
        for (int end = 0; end < 2; end++)
            if (cable->node[end] == a && cable->port[end] == port_a) {
                if (bandwidth < cable->bandwidth)
                    cable->bandwidth = bandwidth;
                return;
            }
    }
    if (fabric->n_cables == MAX_CABLES)
        abort();
    fabric->cables[fabric->n_cables++] = (struct cable){{a, b}, {port_a, port_b}, bandwidth};
}

/* Lanes times the rate of one after coding, in bytes per second. */
static uint64_t bandwidth_of(const char *lanes, const char *rate)
{
    static const struct {
        const char *name;
        uint64_t megabits;
    } rates[] = {{"SDR", 2000},      {"DDR", 4000},       {"QDR", 8000},     {"FDR10", 10000},
                 {"FDR", 13640},     {"EDR", 25000},      {"HDR", 50000},    {"NDR", 100000},
                 {"XDR", 200000},    {"2.5", 2000},       {"5.0", 4000},     {"10.0", 8000},
                 {"14.0625", 13640}, {"25.78125", 25000}, {"53.125", 50000}, {"106.25", 100000},
                 {"212.5", 200000}};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].name, rate) == 0)
            return (uint64_t)atoi(lanes) * rates[i].megabits * 125000;
    return 0;
}

#define RATE  "([0-9]+)x ?([SDQFEHNX]DR(10)?)"
#define PORT  "([0-9]+)\\[[^]]*\\]"
#define ARROW " ==\\( *([0-9]+)X +([0-9.]+) Gbps( \\(FDR10\\))?.*\\)==> +"

static void read_discover_line(struct fabric *fabric, const char *line)
{
    struct match m;
    if (matches(line, "^(Switch|Ca|Rt)[ \t].*\"([SHR]-[^\"]*)\"[^#]*# *\"(.*)\"", &m)) {
        snprintf(fabric->header, sizeof fabric->header, "%.39s", m.of[2]);
        node_of(fabric, m.of[2], m.of[3], *m.of[2] == 'S', 0);
    } else if (matches(line, "^\\[([0-9]+)\\].*\"([SHR]-[^\"]*)\"\\[([0-9]+)\\].*[ \t]" RATE, &m)) {
        const int here = node_of(fabric, fabric->header, "", false, 0);
        const int there = node_of(fabric, m.of[2], "", *m.of[2] == 'S', 0);
        add_cable(fabric, here, atoi(m.of[1]), there, atoi(m.of[3]), bandwidth_of(m.of[4], m.of[5]));
    } else if (matches(line,
                       "^(CA|SW) +[0-9]+ +([0-9]+) (0x[0-9a-f]+) " RATE " - (CA|SW) +[0-9]+ +([0-9]+) "
                       "(0x[0-9a-f]+) \\( '(.*)' - '(.*)' \\)",
                       &m)) {
        const int here = node_of(fabric, m.of[3], m.of[10], *m.of[1] == 'S', 0);
        const int there = node_of(fabric, m.of[9], m.of[11], *m.of[7] == 'S', 0);
        add_cable(fabric, here, atoi(m.of[2]), there, atoi(m.of[8]), bandwidth_of(m.of[4], m.of[5]));
    }
}

static void read_linkinfo_line(struct fabric *fabric, const char *line)
{
    struct match m;
    if (matches(line, "^(CA|Switch):? (0x[0-9a-f]+ )?(.*):$", &m)) {
        snprintf(fabric->header, sizeof fabric->header, "%.39s", m.of[1]);
        snprintf(fabric->description, sizeof fabric->description, "%s", m.of[3]);
    } else if (matches(line, "^ +(0x[0-9a-f]+ )? *([0-9]+) +" PORT ARROW "([0-9]+) +" PORT " \"(.*)\" \\(",
                       &m)) {
        const int here = node_of(fabric, m.of[2], fabric->description, *fabric->header == 'S', 0);
        const int there = node_of(fabric, m.of[7], m.of[9], false, 0);
        add_cable(fabric, here, atoi(m.of[3]), there, atoi(m.of[8]),
                  bandwidth_of(m.of[4], *m.of[6] ? "FDR10" : m.of[5]));
    } else if (matches(line,
                       "^(0x[0-9a-f]+) \" *(.*)\" +[0-9]+ +" PORT ARROW "(0x[0-9a-f]+) +[0-9]+ +" PORT
                       " \"(.*)\" \\(",
                       &m)) {
        const int here = node_by_ports(fabric, m.of[1], m.of[2], atoi(m.of[3]));
        const int there = node_by_ports(fabric, m.of[7], m.of[9], atoi(m.of[8]));
        add_cable(fabric, here, atoi(m.of[3]), there, atoi(m.of[8]),
                  bandwidth_of(m.of[4], *m.of[6] ? "FDR10" : m.of[5]));
    } else if (matches(line, "^(0x[0-9a-f]+) \" *(.*)\" +[0-9]+ +" PORT " ==\\( +Down", &m)) {
        node_by_ports(fabric, m.of[1], m.of[2], atoi(m.of[3]));
    }
}

/* ---- names ---- */

static void host_of(const char *description, char *host, size_t size)
{
    struct match m;
    if (matches(description, "^HCA-[0-9]+ (.*)$", &m) ||
        matches(description, "^(.*) (HCA-[0-9]+|mlx[0-9]+_[0-9]+|qib[0-9]+)$", &m))
        description = m.of[1];
    snprintf(host, size, "%s", description);
}

/* True if the host has some description twice, of which one names an adapter. */
static bool has_namesake(const struct fabric *fabric, const char *host)
{
    char other[128];
    for (int i = 0; i < fabric->n_nodes; i++) {
        const struct node *node = &fabric->nodes[i];
        host_of(node->description, other, sizeof other);
        if (strcmp(other, host) != 0 || strcmp(node->description, host) == 0)
            continue;
        for (int j = 0; j < i; j++)
            if (strcmp(fabric->nodes[j].description, node->description) == 0)
                return true;
    }
    return false;
}

static void name_of(const struct fabric *fabric, const struct node *node, char *name, size_t size)
{
    struct match m;
    const bool has_guid = node->id[1] == '-' || node->id[1] == 'x';
    snprintf(name, size, "%s", node->description);
    if (node->is_switch)
        return;
    host_of(node->description, name, size);
    const bool is_model = has_guid && matches(node->description, "^MT[0-9]+ ", &m);
    if (is_model || (node->id[1] == '-' && has_namesake(fabric, name))) /* others tell ports, not adapters */
        snprintf(name, size, "%s", node->id + 2);
}

static bool is_left_out(const struct fabric *fabric, const struct cable *cable)
{
    return cable->node[0] == cable->node[1] ||
           strstr(fabric->nodes[cable->node[0]].description, "Aggregation Node") ||
           strstr(fabric->nodes[cable->node[1]].description, "Aggregation Node");
}

static void add_facts(struct fabric *fabric, struct naive_facts *facts)
{
    char names[2][128];
    for (int i = 0; i < fabric->n_cables; i++) {
        const struct cable *cable = &fabric->cables[i];
        if (is_left_out(fabric, cable))
            continue;
        for (int end = 0; end < 2; end++) {
            fabric->nodes[cable->node[end]].is_cabled = true;
            name_of(fabric, &fabric->nodes[cable->node[end]], names[end], sizeof names[end]);
        }
        naive_facts_add_cable(facts, names[0], cable->port[0], names[1], cable->port[1], cable->bandwidth);
    }
    for (int i = 0; i < fabric->n_nodes; i++) {
        name_of(fabric, &fabric->nodes[i], names[0], sizeof names[0]);
        if (fabric->nodes[i].is_cabled)
            naive_facts_add(facts, "%s %s", fabric->nodes[i].is_switch ? "router" : "machine", names[0]);
    }
    naive_facts_sort(facts);
}

/* A machine with several adapters is one. Requires the facts sorted. */
static void drop_twins(struct naive_facts *facts)
{
    size_t kept = 0;
    for (size_t i = 0; i < facts->n; i++)
        if (kept && strncmp(facts->items[i], "machine ", 8) == 0 &&
            strcmp(facts->items[i], facts->items[kept - 1]) == 0)
            free(facts->items[i]);
        else
            facts->items[kept++] = facts->items[i];
    facts->n = kept;
}

void naive_fabric_read(const char *text, struct naive_facts *facts)
{
    struct fabric *fabric = mem_alloc(1, sizeof *fabric);
    char line[1024];
    *fabric = (struct fabric){.n_nodes = 0};
    for (const char *at = text; *at; at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        read_discover_line(fabric, line);
        read_linkinfo_line(fabric, line);
        at += length;
    }
    add_facts(fabric, facts);
    drop_twins(facts);
    free(fabric);
}
