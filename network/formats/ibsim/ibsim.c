/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads networks of ibsim, the InfiniBand simulator. The text is that of ibnetdiscover with any names for
 * nodes, optional rates and GUIDs, and settings:
 *
 *   switchguid=0x100
 *   Switch  8 "leaf0"  # "description" base port 0 lid 2 lmc 0
 *   [1]  "node7"[1]  w=2 s=4       # "node7 HCA-1" lid 5 4xQDR
 *   @[8] "uplink"                  this port is called so; another says "@uplink"
 *
 * ibsim silently skips lines that it does not know, and drops the line that ends a node's ports, whatever
 * its content. Here both are errors, because the simulated network would not be the intended one.
 */
#include "network/formats/ibsim/ibsim.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_ID = 63, MAX_LINE = 254, MAX_PORTS = 255, MAX_PREFIX = 31, MAX_LMC = 7 };

struct slice ibsim_text(const struct ibsim *ibsim, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&ibsim->fabric.diagnostics->arena, format, args);
    va_end(args);
    return (struct slice){text, strlen(text)};
}

/* ---- pieces of a line ---- */

static struct diagnostic *ibsim_fail_here(struct ibsim *ibsim, const char *message)
{
    return lines_fail_here(&ibsim->lines, CODE_T018, message);
}

static struct diagnostic *ibsim_fail_at(struct ibsim *ibsim, const char *at, const char *message)
{
    ibsim->lines.at = at;
    return ibsim_fail_here(ibsim, message);
}

/* Returns the number behind `name` in the rest of the line; 0 if there is none up to `limit`. */
static uint32_t ibsim_find_field(struct lines *lines, const char *name, uint32_t limit)
{
    const char *start = lines->at;
    uint64_t number = 0;
    if (lines_take_after(lines, name) && (!ibsim_take_number(lines, &number) || number > limit))
        number = 0;
    lines->at = start;
    return (uint32_t)number;
}

static bool has_reserved(struct slice id)
{
    return memchr(id.text, '#', id.length) || memchr(id.text, '@', id.length);
}

/* Returns a name as the whole network knows it: PREFIX#ID in a module. */
static struct slice with_prefix(const struct ibsim *ibsim, struct slice id, char joint)
{
    const struct slice *prefix = &ibsim->prefix;
    if (!prefix->length && joint == '#')
        return id;
    return ibsim_text(ibsim, "%.*s%c%.*s", (int)prefix->length, prefix->text, joint,
                      (int)id.length, id.text);
}

/* ---- nodes ---- */

static const struct node_word {
    const char *word;
    enum fabric_kind kind;
    int guids; /* index in guid_base */
} node_words[] = {{"Switch", FABRIC_SWITCH, 0},
                  {"Hca", FABRIC_HOST, 1},
                  {"Ca", FABRIC_HOST, 1},
                  {"Rt", FABRIC_ROUTER, 2}};
enum { N_NODE_WORDS = sizeof node_words / sizeof *node_words };

/* Returns the word that the line starts with, or NULL. */
static const struct node_word *node_word_of(const struct lines *lines)
{
    for (int i = 0; i < N_NODE_WORDS; i++) {
        const char *after = lines->start + strlen(node_words[i].word);
        if (lines_starts(lines, node_words[i].word) && after < lines->end &&
            (*after == ' ' || *after == '\t'))
            return &node_words[i];
    }
    return NULL;
}

/* Reads # "words" or # words base port 0 lid 2; returns the id if there are none. */
static struct slice ibsim_read_description(struct lines *lines, struct slice id)
{
    static const char *const ends[] = {" enhanced port ", " base port ", " lid ", " lmc ", NULL};
    struct slice words;
    if (!lines_take_after(lines, "#"))
        return id;
    lines_skip_blanks(lines);
    if (lines_starts(lines, "\""))
        return lines_take_quoted(lines, &words) && words.length ? words : id;
    words = (struct slice){lines->at, (size_t)(lines->end - lines->at)};
    const char *start = lines->at;
    for (int i = 0; ends[i]; i++) {
        if (lines_take_after(lines, ends[i])) {
            lines->at -= strlen(ends[i]);
            words.length = (size_t)(lines->at - start);
            break;
        }
    }
    return words.length ? words : id;
}

static uint64_t ibsim_take_guid(struct ibsim *ibsim, const struct node_word *word, uint32_t n_ports)
{
    uint64_t guid = ibsim->next_guid[word->guids];
    ibsim->next_guid[word->guids] += word->kind == FABRIC_SWITCH ? 1 : n_ports + 1;
    return guid;
}

static void ibsim_add_node(struct ibsim *ibsim, const struct node_word *word, struct slice id,
                           uint32_t n_ports)
{
    struct lines *lines = &ibsim->lines;
    uint64_t guid = ibsim_take_guid(ibsim, word, n_ports);
    uint32_t index =
        fabric_node(&ibsim->fabric, word->kind, ibsim_text(ibsim, "%016" PRIx64, guid));
    struct fabric_node *node = &ibsim->fabric.nodes[index];
    if (node->is_declared)
        lines_fail(lines, CODE_T004, id.text, id.length,
                   "node '%.*s': another one has its GUID 0x%016" PRIx64, (int)id.length, id.text,
                   guid);
    struct slice full = with_prefix(ibsim, id, '#');
    node->is_declared = true;
    node->description = ibsim_read_description(lines, full);
    node->lid = word->kind == FABRIC_SWITCH ? (uint16_t)ibsim_find_field(lines, "lid ", SUBNET_LIDS - 1) : 0;
    ibsim->nodes = mem_grow(ibsim->nodes, &ibsim->nodes_capacity, (size_t)ibsim->n_nodes + 1,
                            sizeof *ibsim->nodes);
    ibsim->nodes[ibsim->n_nodes] = (struct ibsim_node){
        full, index, guid, n_ports, lines_position(lines, id.text, id.length)};
    ibsim->node = ibsim->n_nodes++;
    ibsim->ports_left = n_ports;
    ibsim->is_lost = false;
}

static void ibsim_read_node(struct ibsim *ibsim, const struct node_word *word)
{
    struct lines *lines = &ibsim->lines;
    struct slice id;
    uint64_t n_ports;
    ibsim->node = GRAPH_NONE;
    ibsim->is_lost = true;
    lines_take_text(lines, word->word);
    lines_skip_blanks(lines);
    const char *at = lines->at;
    if (!ibsim_take_number(lines, &n_ports) || n_ports < 1 || n_ports > MAX_PORTS) {
        ibsim_fail_at(ibsim, at, "expected the number of ports, 1 to 255");
        return;
    }
    lines_skip_blanks(lines);
    at = lines->at;
    if (!lines_take_quoted(lines, &id) || !id.length || id.length > MAX_ID) {
        ibsim_fail_at(ibsim, at, "expected the name of the node in quotes, at most 63 bytes");
        return;
    }
    if (has_reserved(id))
        lines_fail(lines, CODE_T018, id.text, id.length,
                   "'%.*s': '#' and '@' are reserved in the names of nodes", (int)id.length,
                   id.text);
    else
        ibsim_add_node(ibsim, word, id, (uint32_t)n_ports);
}

/* ---- ports ---- */

/* Takes [1]. */
static bool ibsim_take_port(struct ibsim *ibsim, uint32_t *port)
{
    struct lines *lines = &ibsim->lines;
    const char *at = lines->at;
    if (lines_take_text(lines, "[") && lines_take_decimal(lines, port) &&
        lines_take_text(lines, "]") && *port)
        return true;
    ibsim_fail_at(ibsim, at, "expected a port such as [1]");
    return false;
}

/* Skips "(2c90400000001)": ibsim derives the GUIDs of ports from the node's. */
static bool skip_guid(struct ibsim *ibsim)
{
    struct lines *lines = &ibsim->lines;
    if (!lines_starts(lines, "(") || lines_take_after(lines, ")"))
        return true;
    ibsim_fail_here(ibsim, "bracket not closed");
    return false;
}

/* Reads "leaf0"[3], "@uplink" or "other@uplink". */
static bool ibsim_read_peer(struct ibsim *ibsim, struct ibsim_port *port)
{
    struct lines *lines = &ibsim->lines;
    struct slice name;
    lines_skip_blanks(lines);
    if (!lines_starts(lines, "\"") || !lines_take_quoted(lines, &name) || !name.length) {
        ibsim_fail_here(ibsim, "expected the name of a node in quotes");
        return false;
    }
    port->position = lines_position(lines, name.text, name.length);
    port->to_alias = !port->is_alias && memchr(name.text, '@', name.length);
    if (port->to_alias)
        port->peer = name;
    else if (port->is_alias)
        port->peer = with_prefix(ibsim, name, '@');
    else
        port->peer = memchr(name.text, '#', name.length) ? name : with_prefix(ibsim, name, '#');
    port->peer_port = 1;
    if (port->is_alias && has_reserved(name)) {
        ibsim_fail_at(ibsim, name.text - 1, "'#' and '@' are reserved in the names of ports");
        return false;
    }
    if (port->to_alias && *name.text == '@' && ibsim->prefix.length) {
        lines_fail(lines, CODE_T018, name.text, name.length,
                   "'%.*s': in a module, ibsim finds a port by its whole name only",
                   (int)name.length, name.text)
            ->help = diagnostics_text(lines->diagnostics, "write '%.*s%.*s'",
                                      (int)ibsim->prefix.length, ibsim->prefix.text,
                                      (int)name.length, name.text);
        return false;
    }
    return port->is_alias || port->to_alias || !lines_starts(lines, "[") ||
           ibsim_take_port(ibsim, &port->peer_port);
}

static void add_port(struct ibsim *ibsim, struct ibsim_port port)
{
    ibsim->ports = mem_grow(ibsim->ports, &ibsim->ports_capacity, (size_t)ibsim->n_ports + 1,
                            sizeof *ibsim->ports);
    ibsim->ports[ibsim->n_ports++] = port;
}

static void ibsim_read_port(struct ibsim *ibsim)
{
    struct lines *lines = &ibsim->lines;
    const struct ibsim_node *node = &ibsim->nodes[ibsim->node];
    struct ibsim_port port = {.node = ibsim->node, .rate = ibsim->rate};
    ibsim->ports_left--;
    port.is_alias = lines_take_text(lines, "@");
    const char *at = lines->at;
    if (!ibsim_take_port(ibsim, &port.port))
        return;
    if (port.port > node->n_ports) {
        lines_fail(lines, CODE_T006, at, (size_t)(lines->at - at),
                   "port %u of a node with %u port%s", port.port, node->n_ports,
                   plural(node->n_ports));
        return;
    }
    if (!skip_guid(ibsim) || !ibsim_read_peer(ibsim, &port) || !skip_guid(ibsim))
        return;
    if (ibsim->fabric.nodes[node->node].kind == FABRIC_HOST) {
        port.lid = (uint16_t)ibsim_find_field(lines, "lid ", SUBNET_LIDS - 1);
        port.lmc = (uint8_t)ibsim_find_field(lines, "lmc ", MAX_LMC);
    }
    if (ibsim_read_rate(lines, &port.rate))
        add_port(ibsim, port);
}

/* ---- settings ---- */

enum setting { SWITCH_GUID, HOST_GUID, ROUTER_GUID, WIDTH, SPEED, EXTENDED, MODULE, IGNORED,
               INCLUDE, COMMAND };

static const struct setting_word {
    const char *word;
    enum setting setting;
} setting_words[] = {
    {"switchguid", SWITCH_GUID}, {"caguid", HOST_GUID}, {"hcaguids", HOST_GUID},
    {"rtguid", ROUTER_GUID},     {"width", WIDTH},      {"speed", SPEED},
    {"extspeed", EXTENDED},      {"module", MODULE},    {"vendid", IGNORED},
    {"devid", IGNORED},          {"sysimgguid", IGNORED}, {"pdebug", IGNORED},
    {"include", INCLUDE},        {"do", COMMAND}};
enum { N_SETTINGS = sizeof setting_words / sizeof *setting_words };

static const struct setting_word *ibsim_setting_of(const struct lines *lines)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        const char *after = lines->start + strlen(setting_words[i].word);
        if (lines_starts(lines, setting_words[i].word) && after < lines->end &&
            strchr("=+ \t\"", *after) && *after)
            return &setting_words[i];
    }
    return NULL;
}

static void set_guid(struct ibsim *ibsim, int which, bool is_relative)
{
    uint64_t number;
    if (!ibsim_take_number(&ibsim->lines, &number)) {
        ibsim_fail_here(ibsim, "expected a GUID such as 0x2c90300000000");
        return;
    }
    if (!is_relative)
        ibsim->guid_base[which] = number;
    ibsim->next_guid[which] = ibsim->guid_base[which] + (is_relative ? number : 0);
}

static void set_mask(struct ibsim *ibsim, uint8_t *mask, uint32_t least, uint32_t most)
{
    uint64_t number;
    const char *at = ibsim->lines.at;
    if (!ibsim_take_number(&ibsim->lines, &number) || number < least || number > most)
        ibsim_fail_at(
            ibsim, at,
            diagnostics_text(ibsim->lines.diagnostics, "expected a number from %u to %u", least, most));
    else
        *mask = (uint8_t)number;
}

static void set_module(struct ibsim *ibsim)
{
    struct slice prefix;
    const char *at = ibsim->lines.at;
    if (!lines_take_quoted(&ibsim->lines, &prefix) || prefix.length > MAX_PREFIX || has_reserved(prefix))
        ibsim_fail_at(ibsim, at, "expected a prefix in quotes, at most 31 bytes, without '#' and '@'");
    else
        ibsim->prefix = prefix;
}

static void read_setting(struct ibsim *ibsim, const struct setting_word *word)
{
    struct lines *lines = &ibsim->lines;
    lines_take_text(lines, word->word);
    if (word->setting == INCLUDE || word->setting == COMMAND) {
        lines->at = lines->start;
        ibsim_fail_here(ibsim, word->setting == INCLUDE ? "other files are not read from here"
                                                        : "commands of the simulator are not run")
            ->help = word->setting == INCLUDE ? "put the text of that file in place of this line"
                                              : "state the network as it is after the command";
        return;
    }
    lines_skip_blanks(lines);
    bool is_relative = lines_take_text(lines, "+");
    if (!is_relative && !lines_take_text(lines, "=")) {
        ibsim_fail_here(ibsim, "expected '='");
        return;
    }
    switch (word->setting) {
    case SWITCH_GUID:
    case HOST_GUID:
    case ROUTER_GUID: set_guid(ibsim, (int)word->setting, is_relative); break;
    case WIDTH: set_mask(ibsim, &ibsim->rate.widths, 1, 31); break;
    case SPEED: set_mask(ibsim, &ibsim->rate.speeds, 1, 7); break;
    case EXTENDED: set_mask(ibsim, &ibsim->rate.extended, 0, 15); break;
    case MODULE: set_module(ibsim); break;
    case IGNORED:
    case INCLUDE:
    case COMMAND: break;
    }
}

/* ---- lines that are nothing ---- */

static const char *likely_word(struct slice word)
{
    const char *words[N_NODE_WORDS + N_SETTINGS];
    size_t n = 0;
    for (int i = 0; i < N_NODE_WORDS; i++)
        words[n++] = node_words[i].word;
    for (int i = 0; i < N_SETTINGS; i++)
        words[n++] = setting_words[i].word;
    return nearest(word.text, word.length, words, n);
}

static void ibsim_report_port(struct ibsim *ibsim)
{
    if (ibsim->node != GRAPH_NONE)
        ibsim_fail_here(ibsim, "more lines than the node has ports, which ibsim passes over");
    else if (!ibsim->is_lost)
        ibsim_fail_here(ibsim, "a port without a node before it")->help =
            "the ports follow their node without an empty line";
}

static void ibsim_report_unknown(struct ibsim *ibsim)
{
    struct lines *lines = &ibsim->lines;
    struct slice word = {lines->start, 0};
    while (word.text + word.length < lines->end && !strchr(" \t=+\"", word.text[word.length]))
        word.length++;
    const char *known = likely_word(word);
    ibsim->is_lost = true;
    ibsim_fail_here(ibsim, "not a line of an ibsim network, which ibsim passes over")->help =
        did_you_mean(&lines->diagnostics->arena, known, "comments start with '#'");
}

/* ---- all lines ---- */

static bool is_shared_noise(const struct lines *lines)
{
    return lines_starts(lines, "#") || lines_starts(lines, "Chassis ") ||
           lines_starts(lines, "Non-Chassis ");
}

static void read_outside(struct ibsim *ibsim)
{
    const struct lines *lines = &ibsim->lines;
    const struct node_word *node = node_word_of(lines);
    const struct setting_word *setting = ibsim_setting_of(lines);
    if (node)
        ibsim_read_node(ibsim, node);
    else if (setting)
        read_setting(ibsim, setting);
    else if (lines_starts(lines, "[") || lines_starts(lines, "@"))
        ibsim_report_port(ibsim);
    else if (!is_shared_noise(lines) && !lines_at_end(lines))
        ibsim_report_unknown(ibsim);
}

static void ibsim_read_line(struct ibsim *ibsim)
{
    struct lines *lines = &ibsim->lines;
    if (lines->end - lines->start > MAX_LINE) {
        lines_fail(lines, CODE_T018, lines->start, 1,
                   "a line of more than 254 bytes, of which ibsim makes two");
        return;
    }
    if (ibsim->node == GRAPH_NONE || !ibsim->ports_left) {
        read_outside(ibsim);
    } else if (lines_starts(lines, "[") || lines_starts(lines, "@")) {
        ibsim_read_port(ibsim);
    } else if (!lines_starts(lines, "#")) {
        ibsim->node = GRAPH_NONE;
        ibsim->is_lost = !lines_at_end(lines);
        if (ibsim->is_lost)
            ibsim_fail_here(ibsim, "it ends the ports of the node before, and ibsim drops it")->help =
                "put an empty line before it";
    }
}

static struct topology *read_ibsim(const struct source *source, struct diagnostics *diagnostics)
{
    struct ibsim ibsim = {.fabric = {.source = source, .diagnostics = diagnostics},
                          .node = GRAPH_NONE,
                          .prefix = {"", 0},
                          .guid_base = {0x200000, 0x100000, 0x300000},
                          .next_guid = {0x200000, 0x100000, 0x300000},
                          .rate = {2, 1, 0, false}};
    lines_open(&ibsim.lines, source, diagnostics);
    while (lines_next(&ibsim.lines))
        ibsim_read_line(&ibsim);
    struct topology *topology = ibsim.lines.failed ? NULL : ibsim_topology(&ibsim);
    fabric_free(&ibsim.fabric);
    free(ibsim.nodes);
    free(ibsim.ports);
    return topology;
}

/* ---- is it one ---- */

/* True for "Switch 8 "; the node list of ibnetdiscover -l continues with a colon. */
static bool ibsim_is_header(struct lines *lines)
{
    const struct node_word *word = node_word_of(lines);
    uint32_t n_ports;
    if (!word)
        return false;
    lines_take_text(lines, word->word);
    lines_skip_blanks(lines);
    return lines_take_decimal(lines, &n_ports);
}

/* True for "S-0002c90300000000", a name that ibnetdiscover gives. */
static bool is_dump_name(struct slice id)
{
    return id.length > 2 && id.text[1] == '-' && memchr("SHR", id.text[0], 3);
}

static bool is_ibsim(const struct source *source)
{
    struct lines lines;
    struct slice id;
    bool has_nodes = false, is_own = false, has_ports = false, has_comments = false;
    lines_open(&lines, source, NULL);
    while (lines_next(&lines)) {
        if (lines_starts(&lines, "# Topology file: generated on"))
            return false;
        const struct setting_word *setting = ibsim_setting_of(&lines);
        is_own = is_own || lines_starts(&lines, "@[") ||
                 (setting && setting->setting >= WIDTH && setting->setting != IGNORED);
        if (ibsim_is_header(&lines) && lines_take_quoted(&lines, &id)) {
            has_nodes = true;
            is_own = is_own || !is_dump_name(id);
        } else if (lines_starts(&lines, "[") && lines_take_quoted(&lines, &id)) {
            has_ports = true;
            has_comments = has_comments || lines_take_after(&lines, "#");
        }
    }
    return has_nodes && (is_own || (has_ports && !has_comments));
}

const struct topology_format ibsim_format = {
    .is = is_ibsim, .read = read_ibsim, .write = ibsim_write};
