/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the files of the library. A topology is a *model* (the network as collc reads it, shared by
 * all topologies shrunk from it), a choice of its machines, and objects made of the two:
 *
 *   machines   numbers below model->network->n_machines; id = number
 *   routers    the nodes above; id = node
 *   virtual    grid and full: id = n_nodes; the object that connects routers of one height:
 *              n_nodes + the lowest node in it. So ids follow from the network alone
 *
 * The topology's arena owns everything that lives as long as the topology; `scratch` owns the rest while
 * it is made. Code under `nwtopo_guarded` allocates without checks: if memory runs out it does not
 * return, and `content_release` frees both.
 */
#ifndef COLLC_NWTOPO_INTERNAL_H
#define COLLC_NWTOPO_INTERNAL_H

#include "base/diagnostic.h"
#include "base/map.h"
#include "network/topology.h"
#include "nwtopo/nwtopo.h"

#include <pthread.h>
#include <stdatomic.h>

struct model {
    struct topology *network;
    atomic_uint users;
    pthread_mutex_t lock; /* routes of a graph fill caches in the network */
    uint32_t degree;      /* a node's links are node * degree ...; 0: for a tree, or as in first and out */
    bool is_tree;
    uint32_t *first, *out; /* [n_nodes + 1], links that leave a node in the order of ids */
    const struct topology *shape; /* the grid or full mesh that the machines are; NULL: neither */
    struct topology *recognised;  /* `shape`, if it is not part of the network */
    uint32_t *place;      /* [node of the network] its node in the shape; NULL: the same number */
    uint32_t *machine_at; /* [node of the shape] machine there, NOBODY: none; NULL: the same number */
};
#define NOBODY UINT32_MAX

/* A grid's shape, in the view of the topology. */
struct box {
    uint32_t n;
    uint32_t whole[TOPOLOGY_MAX_DIMENSIONS];  /* extents of the grid of all machines */
    uint32_t first[TOPOLOGY_MAX_DIMENSIONS];  /* coordinates there of place (0, 0, ...) */
    uint32_t extent[TOPOLOGY_MAX_DIMENSIONS];
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    uint64_t n_places;
};

/* Machine objects that are made on demand. */
struct demand {
    struct hash_map by_number;
    nwtopo_obj_t *objects;
    size_t capacity;
};

struct nwtopo_topology {
    atomic_uint users; /* 1, and one for each topology that reuses the objects */
    bool is_loaded;
    unsigned long flags;
    char *source;       /* argument of topology_read; NULL: the environment's */
    bool is_file;
    char *job;          /* names of the job's machines, or NULL */
    char *this_machine; /* name, or NULL */
    char *error;
    uint32_t *failed;   /* link ids, ascending */
    uint32_t n_failed;
    size_t failed_capacity;
    /* content, once loaded */
    struct model *model;
    struct nwtopo_topology *base; /* owner of the machine objects (REUSE_OBJECTS) */
    uint32_t n_machines;
    uint32_t *chosen;             /* [n_machines] numbers, ascending; NULL: all */
    struct nwtopo_obj *machines;  /* [n_machines], in the order of numbers; or NULL */
    struct nwtopo_obj **parent;   /* the single parent of all machines; or NULL */
    struct nwtopo_obj *upper;     /* [n_upper], all objects above machines, by ascending id */
    uint32_t n_upper;
    uint32_t *by_height;          /* [n_upper] indices into upper by height, then id */
    uint32_t *first_of_height;    /* [max_height + 2] into by_height; height 0 has none */
    uint32_t max_height;
    struct box box;               /* shape of a grid; box.n == 0: no grid */
    uint32_t *component;          /* [n_nodes] id of the virtual object above, 0: none; or NULL */
    struct demand demand;
    struct arena arena, scratch;
    struct diagnostics *diagnostics; /* while reading */
};

/* Sets errno and returns -1. */
int nwtopo_fail(int error);
/* Returns work(topology, argument), or -1 with ENOMEM if memory runs out in it. */
int nwtopo_guarded(struct nwtopo_topology *topology,
            int (*work)(struct nwtopo_topology *topology, void *argument), void *argument);

/* ---- source.c ---- */
/* Reads the network. Returns NULL with errno and topology->error set. Under `nwtopo_guarded`. */
struct model *model_read(struct nwtopo_topology *topology);
struct model *model_use(struct model *model);
void model_release(struct model *model);
/* The first returns the number of links that leave a node, the second number i of them; ids at the border
 * of a mesh that name no link are included. */
uint32_t model_degree(const struct model *model, uint32_t node);
uint32_t model_link(const struct model *model, uint32_t node, uint32_t i);
/* Returns the node at the far end; the node itself if the id names no link. */
uint32_t model_far_end(const struct model *model, uint32_t link);
/* Writes the far ends of all links of a node to far[0 .. degree-1] and returns the degree. */
uint32_t model_neighbours(const struct model *model, uint32_t node, uint32_t *far);
/* Returns the machine with that name, compared whole, then both without domain; n_machines if none. */
uint32_t model_find_machine(const struct model *model, const char *name);
char *model_node_name(const struct model *model, uint32_t node, struct arena *arena);

/* ---- shape.c ---- */
/* Finds the shape of a network that was read. */
void model_find_shape(struct model *model);
/* The first returns the node of the shape where a machine is, the second the machine at one (NOBODY:
 * none). */
uint32_t model_place(const struct model *model, uint32_t machine);
uint32_t model_machine_at(const struct model *model, uint32_t place);
/* Returns the machine at whose place in the shape a node is: itself, or the only one at a router; NOBODY if
 * there is no shape or the router has none. */
uint32_t model_machine_of(const struct model *model, uint32_t node);

/* ---- load.c ---- */
/* Releases everything that load or shrink made. */
void content_release(struct nwtopo_topology *topology);

/* ---- machines.c ---- */
bool has_machine(const struct nwtopo_topology *topology, uint64_t number);
/* Returns the number of the machine at `index` in the order of numbers. */
uint32_t nwtopo_machine_at(const struct nwtopo_topology *topology, uint32_t index);
/* Returns the object of a machine, made if necessary (under `nwtopo_guarded` if ON_DEMAND); NULL if it has
 * none. */
nwtopo_obj_t machine_object(struct nwtopo_topology *topology, uint32_t number);
/* Calls machine_object under `nwtopo_guarded`, with errno. */
nwtopo_obj_t machine_object_safe(struct nwtopo_topology *topology, uint32_t number);
/* True if the object is a machine of this topology. */
bool is_machine_of(struct nwtopo_topology *topology, nwtopo_obj_t obj);
/* Makes the objects of the machines, all at once, unless the flags say otherwise; parents are missing. */
void machines_make(struct nwtopo_topology *topology);
bool machines_are_made(const struct nwtopo_topology *topology);

/* ---- upper.c ---- */
nwtopo_obj_t upper_object(const struct nwtopo_topology *topology, uint64_t id);
/* Fills by_height and max_height from the heights of `upper`. */
void upper_index(struct nwtopo_topology *topology);
/* Makes room for n objects above machines, each with its attributes. */
void upper_allocate(struct nwtopo_topology *topology, uint32_t n);
/* Makes the object FULL over all machines. */
void full_make(struct nwtopo_topology *topology);
/* Puts one object above all machines. */
void set_only_parent(struct nwtopo_topology *topology, nwtopo_obj_t obj);

/* ---- grid.c ---- */
/* Makes the grid of the topology's machines in its view. */
void grid_make(struct nwtopo_topology *topology);

/* ---- hierarchy.c ---- */
/* Makes routers, and the objects that connect nodes of one height, from the links alone. */
void hierarchy_make(struct nwtopo_topology *topology);
/* Fills in the parents of one machine, if they differ between machines. */
void hierarchy_set_parents(struct nwtopo_topology *topology, nwtopo_obj_t machine);

/* ---- links.c ---- */
/* True if all ids kept before load are links; makes them a set. */
bool faults_check(struct nwtopo_topology *topology);
void faults_copy(struct nwtopo_topology *to, const struct nwtopo_topology *from);

#endif
