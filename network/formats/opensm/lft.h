/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forwarding tables and service levels as their readers return them. lft.c reads tables without a
 * topology; lft_tables.c puts them into one; psl.c and sl2vl.c add lanes.
 */
#ifndef COLLC_NETWORK_FORMATS_OPENSM_LFT_H
#define COLLC_NETWORK_FORMATS_OPENSM_LFT_H

#include "base/text/file_list.h"
#include "base/text/lines.h"
#include "network/formats/infiniband/subnet_index.h"

struct lft_entry {
    uint32_t lid;
    uint8_t port;       /* FORWARDING_NONE: the table states no port */
    uint64_t port_guid; /* port that had the LID when the table was written; 0: not stated */
};

/* Receives the tables and entries that lft_read finds. `lines` is at the line in question. */
struct lft_listener {
    void *context;
    void (*table)(void *context, struct lines *lines, uint64_t guid, const char *at);
    void (*entry)(void *context, struct lines *lines, const struct lft_entry *entry);
};

/* The text of tables: in memory, or a file, which is read a window at a time (base/text/windows.h). */
struct lft_text {
    const struct source *source; /* NULL: the file */
    const char *path;
};
/* Reads tables in any known form. Returns false after reporting I001, I002, I003, T009. */
bool lft_read(const struct lft_text *text, const struct lft_listener *listener,
              struct diagnostics *diagnostics);

/* A table of 10^4 machines and 10^3 switches has 800 MB of text. */
#define TABLE_FILE_LIMIT ((size_t)2 << 30)

/* Texts of tables; `name` stands for all of them in messages. */
struct lft_request {
    const struct lft_text *texts;
    size_t n_texts;
    const char *name;
    bool keep_lids;
};
/* Do the same as topology_read_routes and topology_read_lanes, from texts. */
bool lft_apply(struct topology *topology, const struct lft_request *request,
               struct diagnostics *diagnostics);
bool lanes_apply_sources(struct topology *topology, const struct source *levels,
                         const struct source *maps, struct diagnostics *diagnostics);

/* Read the levels and the maps. Require forwarding->lanes. */
bool psl_read(const struct source *source, const struct subnet_index *index,
              struct forwarding *forwarding, struct diagnostics *diagnostics);
bool sl2vl_read(const struct source *source, const struct subnet_index *index,
                struct forwarding *forwarding, struct diagnostics *diagnostics);

#endif
