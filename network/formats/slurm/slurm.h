/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the Slurm reader. slurm.c recognises the format; slurm_conf.c reads
 * topology.conf and slurm_yaml.c topology.yaml into the same description; slurm_tree.c and slurm_torus.c
 * make the network of it.
 */
#ifndef COLLC_NETWORK_FORMATS_SLURM_SLURM_H
#define COLLC_NETWORK_FORMATS_SLURM_SLURM_H

#include "base/text/hostlist.h"
#include "network/format.h"
#include "network/graph.h"

/* Words of the file: the text at `at` of the source, unless quotes, folding or a continued line changed
 * it. */
struct slurm_value {
    struct slice text; /* length 0: not given */
    size_t at;
    const struct source *source; /* a file that the file includes; NULL: the file */
};

/* A switch, a block or a ring. */
struct slurm_group {
    struct slurm_value name, nodes, children;
};

/* Nodes for a box of positions in a torus, x fastest. */
struct slurm_region {
    struct slurm_value nodes;
    uint32_t anchor[3], extent[3];
};

/* A size of BlockSizes, in nodes; 0 where it is no number. */
struct slurm_size {
    struct slurm_value value;
    uint32_t n;
};

struct slurm_torus {
    struct slurm_value name;
    uint32_t extent[3];
    size_t first_region, n_regions;
};

enum slurm_kind { SLURM_TREE, SLURM_BLOCK, SLURM_RING, SLURM_TORUS, SLURM_FLAT, N_SLURM_KINDS };

/* The content of a file. */
struct slurm_network {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct arena arena; /* texts */
    bool failed;
    enum slurm_kind kind;
    struct slurm_group *groups;
    struct slurm_torus *toruses;
    struct slurm_region *regions;
    struct slurm_size *sizes;
    size_t n_groups, n_toruses, n_regions, n_sizes;
    size_t groups_capacity, toruses_capacity, regions_capacity, sizes_capacity;
    uint32_t n_names; /* names expanded from hostlists so far, at most HOSTLIST_MAX_NAMES */
    struct graph *graph;
};

/* Reports at `part` of the value; sets failed for an error. */
struct diagnostic *slurm_report(struct slurm_network *network, uint32_t code,
                                const struct slurm_value *value, struct slice part,
                                const char *format, ...) __attribute__((format(printf, 5, 6)));
struct position slurm_position(const struct slurm_network *network,
                               const struct slurm_value *value, struct slice part);
/* Expands the value; reports T016. Release with hostlist_free either way. */
bool slurm_expand(struct slurm_network *network, const struct slurm_value *value,
                  struct hostlist *list);
/* Returns the part of a value that a name was expanded from. */
static inline struct slice slurm_part(const struct hostlist *list, uint32_t i)
{
    return list->items[list->names[i].item];
}
struct slurm_group *slurm_add_group(struct slurm_network *network, struct slurm_value name);
/* Adds a size of BlockSizes; a word that is no number is reported when the sizes are checked. */
void slurm_add_size(struct slurm_network *network, struct slurm_value value);
/* Returns the size that is the base of all, 0 if there is none, or if they are none for Slurm: that is
 * reported with this code. */
uint32_t slurm_check_sizes(struct slurm_network *network, uint32_t code);
/* Adds a machine or a router to the graph. Returns GRAPH_NONE after reporting that the name is taken. */
uint32_t slurm_add_node(struct slurm_network *network, bool is_router,
                        const struct slurm_value *value, struct slice name, struct slice part);

/* Read the file; false after reporting. */
bool slurm_read_conf(struct slurm_network *network);
bool slurm_read_yaml(struct slurm_network *network);
/* Make the graph; set failed after reporting. */
void slurm_make_tree(struct slurm_network *network);
void slurm_make_blocks(struct slurm_network *network);
void slurm_make_rings(struct slurm_network *network);
void slurm_make_toruses(struct slurm_network *network);

topology_writer slurm_write; /* slurm_write.c */

#endif
