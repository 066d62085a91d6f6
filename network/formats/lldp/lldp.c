/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the JSON of lldpcli and lldpctl, one file for each system, which is named like the file. Its
 * layout depends on the number of neighbours: a single thing is an object, several are an array; names
 * are keys. With `-f json0` everything is an array and names are members:
 *
 *   "chassis": {"leaf1": {"id": {"type": "mac", "value": "..."}, ...}}
 *   "chassis": [{"id": [{"type": "mac", "value": "..."}], "name": [{"value": "leaf1"}], ...}]
 *
 * lldp_rows.c reads what switches and collectors print, lldp_text.c what lldpcli prints without -f.
 */
#include "network/formats/lldp/lldp.h"

#include "base/codes.h"
#include "base/text/json.h"
#include "network/format.h"

#include <stdlib.h>
#include <string.h>

/* ---- either layout ---- */

/* Returns the value itself, or the first of an array. */
static json_t *one_of(json_t *value)
{
    return json_is_array(value) ? json_array_get(value, 0) : value;
}

static json_t *lldp_member(json_t *object, const char *key)
{
    return one_of(json_object_get(object, key));
}

/* Returns x of "x", {"value": "x"} or [{"value": "x"}]; "" for other values. */
static const char *lldp_text_of(json_t *value)
{
    json_t *inner = one_of(value);
    if (json_is_object(inner))
        inner = json_object_get(inner, "value");
    const char *text = json_string_value(inner);
    return text ? text : "";
}

/* ---- one neighbour ---- */

struct lldp_reader {
    struct lldp *lldp;
    const struct source *source;
    uint32_t system, n_neighbours;
    bool failed;
};

static struct diagnostic *lldp_fail(struct lldp_reader *reader, const char *interface, const char *key,
                                    const char *message)
{
    struct position position = json_key_position(reader->source, interface ? interface : "lldp");
    reader->failed = true;
    struct diagnostic *diagnostic =
        report(reader->lldp->diagnostics, CODE_T020, position, "'lldp.interface%s%.80s%s': %s",
               interface ? "." : "", interface ? interface : "", key, message);
    diagnostic->help = "take the output of 'lldpcli -f json show neighbors' again";
    return diagnostic;
}

static const char *lldp_keep(struct lldp_reader *reader, const char *text)
{
    return arena_strndup(&reader->lldp->diagnostics->arena, text, strlen(text));
}

static bool is_forwarding(json_t *capability)
{
    const char *type = lldp_text_of(json_object_get(capability, "type"));
    return json_is_true(json_object_get(capability, "enabled")) &&
           (strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0);
}

static bool has_forwarding(json_t *capabilities)
{
    if (!json_is_array(capabilities))
        return is_forwarding(capabilities);
    for (size_t i = 0; i < json_array_size(capabilities); i++)
        if (is_forwarding(json_array_get(capabilities, i)))
            return true;
    return false;
}

/* Returns the body of a chassis. Unless its name is a member, the chassis has one key, the name, with the
 * body as value. */
static json_t *open_chassis(json_t *chassis, const char **name)
{
    void *first = json_object_iter(chassis);
    json_t *inner = first ? one_of(json_object_iter_value(first)) : NULL;
    *name = lldp_text_of(json_object_get(chassis, "name"));
    if (json_object_get(chassis, "id") || !json_is_object(inner))
        return chassis;
    *name = json_object_iter_key(first);
    return inner;
}

void lldp_add_entry(struct lldp *lldp, struct lldp_entry entry)
{
    lldp->entries = mem_grow(lldp->entries, &lldp->entries_capacity, (size_t)lldp->n_entries + 1,
                             sizeof *lldp->entries);
    lldp->entries[lldp->n_entries++] = entry;
}

static void read_neighbour(struct lldp_reader *reader, const char *interface, json_t *value)
{
    const char *name;
    json_t *chassis = open_chassis(lldp_member(value, "chassis"), &name), *port = lldp_member(value, "port");
    json_t *port_id = lldp_member(port, "id");
    const char *id = lldp_text_of(json_object_get(chassis, "id"));
    if (!json_is_object(chassis) || (!*id && !*name)) {
        lldp_fail(reader, interface, ".chassis", "missing, or without name and id");
        return;
    }
    const struct lldp_entry entry = {
        .system = reader->system,
        .interface = lldp_keep(reader, interface),
        .peer_name = lldp_keep(reader, name),
        .peer_id = lldp_keep(reader, *id ? id : name),
        .port = lldp_keep(reader, lldp_text_of(port_id)),
        .port_description = lldp_keep(reader, lldp_text_of(json_object_get(port, "descr"))),
        .is_port_interface = strcmp(lldp_text_of(json_object_get(port_id, "type")), "ifname") == 0,
        .peer_forwards = has_forwarding(json_object_get(chassis, "capability")),
    };
    lldp_add_entry(reader->lldp, entry);
}

/* False after reporting if it is one too many; `key` is where. */
static bool count_neighbour(struct lldp_reader *reader, const char *key)
{
    if (++reader->n_neighbours <= LLDP_MAX_NEIGHBOURS)
        return true;
    report(reader->lldp->diagnostics, CODE_T006, json_key_position(reader->source, key),
           "more than %d neighbours of one system", LLDP_MAX_NEIGHBOURS);
    reader->failed = true;
    return false;
}

/* ---- one file ---- */

/* Reads {"eth0": {...}}. */
static void lldp_read_named(struct lldp_reader *reader, json_t *object)
{
    for (void *at = json_object_iter(object); at && !reader->failed;
         at = json_object_iter_next(object, at)) {
        json_t *value = json_object_iter_value(at);
        size_t n = json_is_array(value) ? json_array_size(value) : 1;
        for (size_t i = 0; i < n && !reader->failed; i++)
            if (count_neighbour(reader, json_object_iter_key(at)))
                read_neighbour(reader, json_object_iter_key(at),
                               json_is_array(value) ? json_array_get(value, i) : value);
    }
}

/* Reads {"name": "eth0", "chassis": [...], ...}, or the form above. */
static void read_interface(struct lldp_reader *reader, json_t *value)
{
    const char *name = json_string_value(json_object_get(value, "name"));
    if (!json_is_object(value))
        lldp_fail(reader, NULL, "", "not an object or an array of objects");
    else if (!name || !json_object_get(value, "chassis"))
        lldp_read_named(reader, value);
    else if (count_neighbour(reader, name))
        read_neighbour(reader, name, value);
}

static void read_interfaces(struct lldp_reader *reader, json_t *root)
{
    json_t *lldp = lldp_member(root, "lldp"), *list = json_object_get(lldp, "interface");
    if (!json_is_object(lldp))
        lldp_fail(reader, NULL, "", "missing: 'lldp' is not an object");
    else if (json_is_array(list))
        for (size_t i = 0; i < json_array_size(list) && !reader->failed; i++)
            read_interface(reader, json_array_get(list, i));
    else if (list)
        read_interface(reader, list);
}

/* Returns "node007" for "rack1/node007.json". */
static const char *system_name(struct lldp *lldp, const char *path)
{
    static const char *const endings[] = {".json", ".json0", ".txt"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(name + length - n, endings[i]) == 0)
            return arena_strndup(&lldp->diagnostics->arena, name, length - n);
    }
    return name;
}

static bool read_system(struct lldp *lldp, const struct source *source)
{
    const struct lldp_system system = {.name = system_name(lldp, source->path), .id = "", .source = source};
    if (lldp_is_text(source))
        return lldp_read_text(lldp, lldp_add_system(lldp, system), source);
    json_t *root = json_read(source, lldp->diagnostics);
    if (!root)
        return false;
    const enum lldp_read rows = lldp_read_rows(lldp, system.name, source, root);
    struct lldp_reader reader = {lldp, source, 0, 0, rows == LLDP_WRONG};
    if (rows == LLDP_OTHER) {
        reader.system = lldp_add_system(lldp, system);
        read_interfaces(&reader, root);
    }
    json_decref(root);
    return !reader.failed;
}

static bool is_lldp(const struct source *source)
{
    return json_first_key_is(source, "lldp") || lldp_are_rows(source) || lldp_is_text(source);
}

static struct topology *read_lldp(const struct source_list *files, struct diagnostics *diagnostics)
{
    struct lldp lldp = {.diagnostics = diagnostics};
    bool good = true;
    for (size_t i = 0; i < files->n; i++)
        good = read_system(&lldp, files->items[i]) && good;
    lldp.n_files = lldp.n_systems;
    struct topology *topology = good ? lldp_topology(&lldp) : NULL;
    free(lldp.systems);
    free(lldp.entries);
    return topology;
}

const struct topology_format lldp_format = {.is = is_lldp, .read_files = read_lldp};
