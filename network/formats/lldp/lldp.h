/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the LLDP reader: lldp.c, lldp_rows.c and lldp_text.c read what each
 * system sees, lldp_network.c joins it.
 */
#ifndef COLLC_NETWORK_FORMATS_LLDP_LLDP_H
#define COLLC_NETWORK_FORMATS_LLDP_LLDP_H

#include "base/diagnostic.h"
#include "base/text/json.h"
#include "network/topology.h"

enum { LLDP_MAX_NEIGHBOURS = 4096 }; /* neighbours of one system */

/* One neighbour as a system sees it on one of its interfaces. Absent strings are "". The list of
 * diagnostics owns all strings. */
struct lldp_entry {
    uint32_t system, peer;         /* `peer` is set by lldp_network.c */
    const char *interface;         /* interface of the system that sees it */
    const char *peer_name, *peer_id;
    const char *port, *port_description; /* port of the neighbour */
    bool is_port_interface;        /* `port` is the name of an interface */
    bool peer_forwards;            /* bridge or router is among its enabled capabilities */
    bool is_left_out, is_matched;
};

struct lldp_system {
    const char *name, *id;
    const struct source *source; /* NULL: only seen by others */
    bool forwards;
    uint32_t node;
};

struct lldp {
    struct diagnostics *diagnostics;
    struct lldp_system *systems; /* systems with a file first */
    struct lldp_entry *entries;
    uint32_t n_systems, n_files, n_entries, n_management; /* n_management: neighbours that are left out */
    size_t systems_capacity, entries_capacity;
};

void lldp_add_entry(struct lldp *lldp, struct lldp_entry entry);

/* lldp_rows.c: true for rows of neighbours as JSON. */
bool lldp_are_rows(const struct source *source);
/* It has no rows; it is read; it is reported as T020 or T006. */
enum lldp_read { LLDP_OTHER, LLDP_READ, LLDP_WRONG };
/* Reads such rows: of many systems, or of that with the name, which is added. */
enum lldp_read lldp_read_rows(struct lldp *lldp, const char *name, const struct source *source, json_t *root);

/* lldp_text.c: true for the text that lldpcli prints without -f. */
bool lldp_is_text(const struct source *source);
/* Reads what the system sees from such a text; false after reporting T020. */
bool lldp_read_text(struct lldp *lldp, uint32_t system, const struct source *source);

uint32_t lldp_add_system(struct lldp *lldp, struct lldp_system system);
/* Returns NULL after reporting T004 or T005. */
struct topology *lldp_topology(struct lldp *lldp);

#endif
