/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads neighbours as rows of JSON: of the switch that the file is named after, by
 *
 *   show lldp neighbors | json           Arista: {"lldpNeighbors": [{"port": "Ethernet1", "neighborDevice": ...}]}
 *   show lldp neighbors detail | json    Arista: {"lldpNeighbors": {"Ethernet1": {"lldpNeighborInfo": [...]}}}
 *   show lldp neighbors [detail] | json  NX-OS: {"TABLE_nbor": {"ROW_nbor": [{"l_port_id": "Eth1/1", ...}]}}
 *
 * alone or in the answer of a switch's API; or of every system, each row with its name, as of NetQ, SuzieQ:
 *
 *   {"lldp": [{"hostname": "leaf1", "ifname": "swp1", "peer_hostname": "n1", "peer_ifname": "eth1", ...}]}
 *
 * These tell no capabilities: a system is a switch if its ports have names as those of switches.
 */
#include "network/formats/lldp/lldp.h"

#include "base/codes.h"
#include "base/text/json.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 8 };

struct row_form {
    const char *list, *rows; /* keys: of the list, and of an array in it; NULL: the list is the array */
    const char *command, *keys; /* for messages */
    const char *interface;
    const char *peers[3], *ports[2]; /* keys of which the first counts that has a value */
    const char *id, *description, *capabilities;
};

static const struct row_form row_forms[] = {
    {"lldpNeighbors", NULL, "show lldp neighbors | json", "port, neighborDevice and neighborPort", "port",
     {"neighborDevice"}, {"neighborPort"}, NULL, NULL, NULL},
    {"TABLE_nbor", "ROW_nbor", "show lldp neighbors | json", "l_port_id, chassis_id and port_id", "l_port_id",
     {"sys_name", "chassis_id"}, {"port_id"}, "chassis_id", "port_desc", "enabled_capability"},
    {"TABLE_nbor_detail", "ROW_nbor_detail", "show lldp neighbors detail | json",
     "l_port_id, chassis_id and port_id", "l_port_id", {"sys_name", "chassis_id"}, {"port_id"}, "chassis_id",
     "port_desc", "enabled_capability"},
};
static const struct row_form named_form = {
    "lldp", NULL, "netq show lldp json", "hostname, ifname, peer_hostname and peer_ifname", "ifname",
    {"peer_hostname", "peerHostname"}, {"peer_ifname", "peerIfname"}, NULL, NULL, NULL};

struct rows_reader {
    struct lldp *lldp;
    const struct source *source;
    const struct row_form *form;
    uint32_t system, n_neighbours;
    bool failed;
};

static void fail_list(struct rows_reader *reader, const char *message, const char *detail)
{
    reader->failed = true;
    struct diagnostic *diagnostic =
        report(reader->lldp->diagnostics, CODE_T020, json_key_position(reader->source, reader->form->list),
               "'%s': %s%s", reader->form->list, message, detail);
    diagnostic->help = diagnostics_text(reader->lldp->diagnostics, "take the output of '%s' again",
                                        reader->form->command);
}

/* ---- names ---- */

static bool name_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* True for "001c.7312.ab34" and "02:00:00:00:00:01". */
static bool is_address(const char *port)
{
    const size_t length = strlen(port);
    return (length == 14 && port[4] == '.' && port[9] == '.' &&
            strspn(port, "0123456789abcdefABCDEF.") == length) ||
           (length == 17 && port[2] == ':' && strspn(port, "0123456789abcdefABCDEF:") == length);
}

/* True for a port of the management network, which carries no messages of a job. */
static bool is_management(const char *interface)
{
    return name_starts(interface, "Management") || name_starts(interface, "mgmt");
}

/* True for a port as Cumulus, SONiC, Arista, NX-OS and Junos name those of switches. */
static bool is_port_of_switch(const char *interface)
{
    static const char *const begins[] = {"swp", "Ethernet", "Eth1", "xe-", "et-", "ge-", NULL};
    for (size_t i = 0; begins[i]; i++)
        if (name_starts(interface, begins[i]))
            return true;
    return false;
}

/* Keeps a name; "Ethernet1/2" for "Eth1/2", as NX-OS writes its own ports, and x for "\"x\"" of Arista. */
static const char *keep_name(const struct lldp *lldp, const char *name)
{
    struct arena *arena = &lldp->diagnostics->arena;
    const size_t length = strlen(name);
    if (name_starts(name, "Eth") && strspn(name + 3, "0123456789/") == length - 3)
        return arena_printf(arena, "Ethernet%s", name + 3);
    const bool is_quoted = length > 1 && *name == '"' && name[length - 1] == '"';
    return arena_strndup(arena, name + is_quoted, length - 2 * is_quoted);
}

/* Returns the text of a member; "" if it says that nothing was told. */
static const char *row_text(const json_t *row, const char *key)
{
    const char *text = key ? json_text(row, key) : "";
    return strcmp(text, "null") == 0 || strcmp(text, "not advertised") == 0 ? "" : text;
}

static const char *first_text(const json_t *row, const char *const *keys, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n && keys[i] && !*text; i++)
        text = row_text(row, keys[i]);
    return text;
}

/* ---- rows ---- */

static bool count_row(struct rows_reader *reader)
{
    if (++reader->n_neighbours <= LLDP_MAX_NEIGHBOURS)
        return true;
    report(reader->lldp->diagnostics, CODE_T006, json_key_position(reader->source, reader->form->list),
           "more than %d neighbours of one system", LLDP_MAX_NEIGHBOURS);
    reader->failed = true;
    return false;
}

static void add_row(struct rows_reader *reader, struct lldp_entry entry)
{
    struct lldp *lldp = reader->lldp;
    entry.system = reader->system;
    entry.interface = keep_name(lldp, entry.interface);
    entry.port = keep_name(lldp, entry.port);
    const char *name = *entry.peer_name ? entry.peer_name : entry.port;
    entry.peer_id = keep_name(lldp, *entry.peer_id ? entry.peer_id : name);
    entry.peer_name = keep_name(lldp, entry.peer_name);
    entry.port_description = keep_name(lldp, entry.port_description);
    entry.is_port_interface = !is_address(entry.port);
    lldp_add_entry(lldp, entry);
}

static void read_row(struct rows_reader *reader, const json_t *row)
{
    const struct row_form *form = reader->form;
    const char *capabilities = row_text(row, form->capabilities);
    const struct lldp_entry entry = {
        .interface = row_text(row, form->interface),
        .peer_name = first_text(row, form->peers, sizeof form->peers / sizeof *form->peers),
        .peer_id = row_text(row, form->id),
        .port = first_text(row, form->ports, sizeof form->ports / sizeof *form->ports),
        .port_description = row_text(row, form->description),
        .peer_forwards = strpbrk(capabilities, "BR") != NULL,
    };
    const bool has_port = json_object_get(row, form->ports[0]) || *entry.port;
    if (!*entry.interface || !has_port || (!*entry.peer_name && !*entry.port))
        fail_list(reader, "a neighbour has ", form->keys);
    else if (is_management(entry.interface))
        reader->lldp->n_management++;
    else
        add_row(reader, entry);
}

static void read_rows(struct rows_reader *reader, const json_t *rows)
{
    reader->lldp->systems[reader->system].forwards = true;
    if (json_is_object(rows)) /* one row */
        read_row(reader, rows);
    else if (!json_is_array(rows))
        fail_list(reader, "not an array", "");
    for (size_t i = 0; i < json_array_size(rows) && !reader->failed; i++)
        if (count_row(reader))
            read_row(reader, json_array_get(rows, i));
}

/* Reads a neighbour of Arista's detailed form. */
static void read_detail(struct rows_reader *reader, const char *interface, const json_t *row)
{
    const json_t *port = json_object_get(row, "neighborInterfaceInfo");
    const json_t *capabilities = json_object_get(row, "systemCapabilities");
    const struct lldp_entry entry = {
        .interface = interface,
        .peer_name = json_text(row, "systemName"),
        .peer_id = json_text(row, "chassisId"),
        .port = json_text(port, "interfaceId"),
        .port_description = json_text(port, "interfaceDescription"),
        .peer_forwards = json_is_true(json_object_get(capabilities, "bridge")) ||
                         json_is_true(json_object_get(capabilities, "router")),
    };
    if (!*entry.peer_name && !*entry.peer_id)
        fail_list(reader, "a neighbour has systemName or chassisId", "");
    else if (is_management(interface))
        reader->lldp->n_management++;
    else
        add_row(reader, entry);
}

static void read_details(struct rows_reader *reader, json_t *interfaces)
{
    reader->lldp->systems[reader->system].forwards = true;
    for (void *at = json_object_iter(interfaces); at && !reader->failed;
         at = json_object_iter_next(interfaces, at)) {
        const json_t *list = json_object_get(json_object_iter_value(at), "lldpNeighborInfo");
        if (!json_is_array(list))
            fail_list(reader, "an interface has no lldpNeighborInfo: ", json_object_iter_key(at));
        for (size_t i = 0; i < json_array_size(list) && !reader->failed; i++)
            if (count_row(reader))
                read_detail(reader, json_object_iter_key(at), json_array_get(list, i));
    }
}

/* ---- rows of many systems ---- */

/* Returns the number of the system with the name, which has rows; that of a new one otherwise. */
static uint32_t system_of_rows(struct rows_reader *reader, json_t *known, const char *name)
{
    const json_t *number = json_object_get(known, name);
    if (number)
        return (uint32_t)json_integer_value(number);
    const uint32_t system = lldp_add_system(
        reader->lldp,
        (struct lldp_system){.name = keep_name(reader->lldp, name), .id = "", .source = reader->source});
    json_object_set_new(known, name, json_integer(system));
    return system;
}

/* Adds the systems that have rows, and finds out which of them are switches. */
static void read_systems(struct rows_reader *reader, const json_t *rows, json_t *known)
{
    for (size_t i = 0; i < json_array_size(rows) && !reader->failed; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_text(row, "hostname");
        if (!*name || !*json_text(row, "ifname")) {
            fail_list(reader, "a neighbour has ", reader->form->keys);
            return;
        }
        const uint32_t system = system_of_rows(reader, known, name);
        reader->lldp->systems[system].forwards |= is_port_of_switch(json_text(row, "ifname"));
    }
}

/* True if "eth0" of a system is its management port, as on switches. */
static bool has_management(const struct rows_reader *reader, json_t *known, const char *name,
                           const char *port)
{
    const json_t *number = json_object_get(known, name);
    return number && strcmp(port, "eth0") == 0 &&
           reader->lldp->systems[json_integer_value(number)].forwards;
}

static void read_named_rows(struct rows_reader *reader, const json_t *rows)
{
    json_t *known = json_object();
    read_systems(reader, rows, known);
    for (size_t i = 0; i < json_array_size(rows) && !reader->failed; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *name = json_text(row, "hostname"), *interface = json_text(row, "ifname");
        const char *peer = first_text(row, named_form.peers, 2), *port = first_text(row, named_form.ports, 2);
        reader->system = system_of_rows(reader, known, name);
        if (has_management(reader, known, name, interface) || has_management(reader, known, peer, port)) {
            reader->lldp->n_management++;
            continue;
        }
        read_row(reader, row);
        if (!reader->failed && !is_management(interface))
            reader->lldp->entries[reader->lldp->n_entries - 1].peer_forwards = is_port_of_switch(port);
    }
    json_decref(known);
}

/* ---- a file ---- */

/* Returns the list of rows of a form, also within the answer of an API; NULL if there is none. */
static json_t *find_list_of_rows(json_t *value, const struct row_form **form, unsigned depth)
{
    for (size_t i = 0; i < sizeof row_forms / sizeof *row_forms; i++) {
        json_t *list = json_object_get(value, row_forms[i].list);
        *form = &row_forms[i];
        if (list)
            return row_forms[i].rows ? json_object_get(list, row_forms[i].rows) : list;
    }
    static const char *const outer[] = {"result", "ins_api", "outputs", "output", "body"};
    json_t *found = json_is_array(value) && depth < MOST_NESTED
                        ? find_list_of_rows(json_array_get(value, 0), form, depth + 1)
                        : NULL;
    for (size_t i = 0; i < sizeof outer / sizeof *outer && !found && depth < MOST_NESTED; i++) {
        json_t *inner = json_object_get(value, outer[i]);
        found = inner ? find_list_of_rows(inner, form, depth + 1) : NULL;
    }
    return found;
}

/* Returns the rows of many systems; NULL if there are none. */
static const json_t *named_rows(const json_t *root)
{
    const json_t *rows = json_is_array(root) ? root : json_object_get(root, named_form.list);
    return json_object_get(json_array_get(rows, 0), "hostname") ? rows : NULL;
}

bool lldp_are_rows(const struct source *source)
{
    const char *text = source_start(source);
    const bool is_json = *text == '{' || *text == '[';
    for (size_t i = 0; i < sizeof row_forms / sizeof *row_forms && is_json; i++) {
        const char *at = strstr(text, row_forms[i].list);
        if (at && at[-1] == '"' && at[strlen(row_forms[i].list)] == '"')
            return true;
    }
    return is_json && strstr(text, "\"hostname\"") && strstr(text, "\"ifname\"") &&
           (strstr(text, "\"peer_hostname\"") || strstr(text, "\"peerHostname\""));
}

enum lldp_read lldp_read_rows(struct lldp *lldp, const char *name, const struct source *source, json_t *root)
{
    struct rows_reader reader = {.lldp = lldp, .source = source, .form = &named_form};
    const json_t *named = named_rows(root);
    json_t *rows = named ? NULL : find_list_of_rows(root, &reader.form, 0);
    if (!named && !rows)
        return LLDP_OTHER;
    if (named) {
        read_named_rows(&reader, named);
        return reader.failed ? LLDP_WRONG : LLDP_READ;
    }
    reader.system = lldp_add_system(lldp, (struct lldp_system){.name = name, .id = "", .source = source});
    if (json_is_object(rows) && !reader.form->rows)
        read_details(&reader, rows);
    else
        read_rows(&reader, rows);
    return reader.failed ? LLDP_WRONG : LLDP_READ;
}
