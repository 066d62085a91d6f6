/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nwtopo: the network that connects the machines of a job, for MPI libraries and applications. The API of
 * Kawashima, Adachi, Odawa, Sumimoto & Ishikawa, "HPC
 * システムにおける汎用ネットワークトポロジ取得 API nwtopo の提案" (IPSJ SIG HPC, 2013), appendix A.1, and
 * the extensions that its conclusion asks for: links, faults, look-up from outside the machine.
 * docs/nwtopo.md separates the paper's API from the additions.
 *
 * Life cycle: nwtopo_topology_init, settings, nwtopo_topology_load (or _shrink), questions,
 * nwtopo_topology_destroy. Functions that return int return 0 or -1, those that return an object return
 * NULL on failure; then errno is:
 *
 *   EINVAL   NULL, unknown flag bits, an object or number out of place, input that is not
 *            a topology (nwtopo_topology_get_error explains)
 *   EBUSY    a setting after load, or a second load
 *   ENOENT   no such object, machine, neighbour or file, or no source of a topology
 *   ENOMEM   out of memory
 *
 * The library never prints and never ends the process. One topology must not be used by two threads at
 * once; different topologies may, unless they share objects (NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS).
 */
#ifndef NWTOPO_H
#define NWTOPO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NWTOPO_EXPORT __attribute__((visibility("default")))
#else
#define NWTOPO_EXPORT
#endif

/* Version of this API, major << 16 | minor << 8 | patch. The function returns the version of the library in
 * use. */
#define NWTOPO_API_VERSION 0x000100
NWTOPO_EXPORT unsigned nwtopo_get_api_version(void);

/* ---- A.1.1 types ---- */

typedef struct nwtopo_topology *nwtopo_topology_t;

typedef enum {
    NWTOPO_OBJ_MACHINE, /* a compute node */
    NWTOPO_OBJ_ROUTER,  /* a router or switch */
    NWTOPO_OBJ_GRID,    /* virtual: its children form a mesh or torus */
    NWTOPO_OBJ_FULL,    /* virtual: every two of its children are connected */
    NWTOPO_OBJ_MESH,    /* virtual: its children are connected by any edges (a graph) */
    NWTOPO_OBJ_MAX
} nwtopo_obj_type_t;

typedef struct nwtopo_obj *nwtopo_obj_t;
typedef struct nwtopo_mesh_edge *nwtopo_mesh_edge_t;
union nwtopo_obj_attr_u;

/* An object of a topology; it lives as long as the topology. Only userdata may be written. `height` is 0
 * for machines and above that of all children. Objects have up to num_parents parents: a leaf switch hangs
 * below all its spines. */
struct nwtopo_obj {
    unsigned long id; /* unique in the topology, the same in every process */
    nwtopo_obj_type_t type;
    unsigned height;
    unsigned num_parents;
    unsigned num_children;        /* may be above 0 although children is NULL, see ON_DEMAND */
    struct nwtopo_obj **parents;
    struct nwtopo_obj **children; /* on a grid in the order of coordinates, the first fastest */
    union nwtopo_obj_attr_u *attr;
    void *userdata;
};

union nwtopo_obj_attr_u {
    struct {
        char *hostname;    /* NULL under NO_HOSTNAMES */
        unsigned num_nics; /* cables into the network; 1 on a grid */
    } machine;
    struct {
        int dummy;
        char *name;         /* added to the paper's; NULL under NO_HOSTNAMES */
        unsigned num_ports; /* cables, whatever is at the other end */
    } router;
    struct {
        bool dense;                      /* a machine at every place */
        unsigned num_dimensions;
        unsigned *dimensions;            /* [num_dimensions] extents */
        unsigned *reference_coordinates; /* coordinates of place (0, 0, ...) on the grid of all machines */
        bool *periodicities;             /* true if the last place is next to the first */
        nwtopo_obj_t *map;               /* [product of extents] the machine there, the first coordinate
                                            fastest; NULL: none (not dense), or no objects (NO_MACHINES,
                                            ON_DEMAND) */
    } grid;
    struct {
        int dummy;
    } full;
    struct {
        unsigned num_edges;
        nwtopo_mesh_edge_t *edges; /* [num_edges], one for every cable */
    } mesh;
};

struct nwtopo_mesh_edge {
    nwtopo_obj_t nodes[2];
};

enum nwtopo_topology_flags_e {
    /* the dimensions of the hardware (Tofu: six), not those shown to programs (three) */
    NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW = (1 << 0),
    /* all machines, not only those of the job (nwtopo_topology_set_machines) */
    NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM = (1 << 1),
    /* no machine objects: num_children 0 above them; about 100 bytes for a grid */
    NWTOPO_TOPOLOGY_FLAG_NO_MACHINES = (1 << 2),
    /* no names of machines and routers */
    NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES = (1 << 3),
    /* nwtopo_topology_shrink: take the machine objects of the base, userdata included.
     * Their parents are those in the base; ask nwtopo_topology_get_object for the new */
    NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS = (1 << 4),
    /* added: machine objects are made when a function first returns them; children and
     * map of what is above them stay NULL. Large systems load in constant time. */
    NWTOPO_TOPOLOGY_FLAG_ON_DEMAND = (1 << 5)
};

/* The spellings in the paper's appendix. */
#define NWTOTOPO_OBJ_MACHINE NWTOPO_OBJ_MACHINE
#define NWTOTOPO_OBJ_ROUTER NWTOPO_OBJ_ROUTER
#define NWTOTOPO_OBJ_GRID NWTOPO_OBJ_GRID
#define NWTOTOPO_OBJ_FULL NWTOPO_OBJ_FULL
#define NWTOTOPO_OBJ_MESH NWTOPO_OBJ_MESH
#define NWTOTOPO_OBJ_MAX NWTOPO_OBJ_MAX
#define NWTPOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW
#define NWTPOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM
#define NWTPOPO_TOPOLOGY_FLAG_NO_MACHINES NWTOPO_TOPOLOGY_FLAG_NO_MACHINES
#define NWTPOPO_TOPOLOGY_FLAG_NO_HOSTNAMES NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES
#define NWTPOPO_TOPOLOGY_FLAG_REUSE_OBJECTS NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS

/* ---- A.1.2 making and destroying ---- */

/* Makes a new topology without content. EINVAL, ENOMEM. */
NWTOPO_EXPORT int nwtopo_topology_init(nwtopo_topology_t *topologyp);
/* Reads the network, by the flags and settings, from the first source that exists: nwtopo_topology_set_file
 * or _set_synthetic (the later call), then the environment: NWTOPO_FILE, NWTOPO_SYNTHETIC. EBUSY, ENOENT,
 * EINVAL, ENOMEM; a topology whose load failed can be set and loaded again. */
NWTOPO_EXPORT int nwtopo_topology_load(nwtopo_topology_t topology);
/* Makes new_topology (initialised, not loaded) the part of base_topology that connects the given machines,
 * in any order, none twice. A sub-box of a grid is a grid, and wraps in a dimension that it spans if that
 * wraps; another set is a grid with dense == false, the smallest box round it. Only routers with a machine
 * below them stay. Objects keep their ids. The view, and the links that have failed so far, are those of
 * the base, which may be destroyed before. EINVAL: no machines, one twice or not of the base, or
 * PHYSICAL_VIEW on another view; EBUSY, ENOMEM. */
NWTOPO_EXPORT int nwtopo_topology_shrink(nwtopo_topology_t new_topology,
                                         nwtopo_topology_t base_topology, unsigned num_machines,
                                         nwtopo_obj_t *machines);
/* Releases the topology and its objects; NULL is allowed. */
NWTOPO_EXPORT void nwtopo_topology_destroy(nwtopo_topology_t topology);

/* ---- A.1.3 settings ---- */

NWTOPO_EXPORT unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology);
/* Sets the flags, an or of nwtopo_topology_flags_e. EINVAL: unknown bits; EBUSY. */
NWTOPO_EXPORT int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags);

/* ---- A.1.4 questions ---- */

/* Returns the height of the highest object; machines have 0. */
NWTOPO_EXPORT unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology);
/* Returns the object with that id, or NULL (ENOENT). O(1), O(log objects) after shrink. */
NWTOPO_EXPORT nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology,
                                                            unsigned long id);
/* Returns the machine this process runs on, or NULL (ENOENT): the one named by
 * nwtopo_topology_set_this_machine, else by the environment variable NWTOPO_HOSTNAME, else by gethostname.
 * A name is compared whole, then both without domain. */
NWTOPO_EXPORT nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology);

/* ---- A.1.5 mesh and torus ---- */

/* Find an object of a grid by coordinates, or by shifts from another one. coords and shifts have an entry
 * for each dimension of the grid. In a periodic dimension, coordinates and shifts are taken modulo its
 * extent. EINVAL: not a grid or a machine of this topology, a direction that is not below num_dimensions, a
 * coordinate outside a dimension that is not periodic; ENOENT with *objp NULL: a shift that leaves a
 * dimension that is not periodic, a place without machine, or NO_MACHINES. */
NWTOPO_EXPORT int nwtopo_grid_get_obj(nwtopo_topology_t topology, nwtopo_obj_t grid, int *coords,
                                      nwtopo_obj_t *objp);
NWTOPO_EXPORT int nwtopo_grid_get_shifted_obj(nwtopo_topology_t topology, nwtopo_obj_t grid,
                                              nwtopo_obj_t base, int *shifts,
                                              nwtopo_obj_t *objp);
/* Finds a neighbour. direction: the number of the dimension; shift: places along it, possibly negative. */
NWTOPO_EXPORT int nwtopo_grid_get_neighbor_obj(nwtopo_topology_t topology, nwtopo_obj_t grid,
                                               nwtopo_obj_t base, unsigned direction, int shift,
                                               nwtopo_obj_t *objp);
NWTOPO_EXPORT int nwtopo_grid_get_coords(nwtopo_topology_t topology, nwtopo_obj_t grid,
                                         nwtopo_obj_t obj, int *coords);

/* ======== Added to the paper ======== */

/* ---- where a topology comes from ---- */

/* Sets a file in any format that collc reads, perhaps with the format's name and a colon before it; load
 * reads it. EINVAL, EBUSY, ENOMEM. */
NWTOPO_EXPORT int nwtopo_topology_set_file(nwtopo_topology_t topology, const char *path);
/* Sets a synthetic string: "torus:8x8x8", "tofu:24x18x16", "fattree:16x16". */
NWTOPO_EXPORT int nwtopo_topology_set_synthetic(nwtopo_topology_t topology, const char *string);
/* Sets the machines of the job: names and host lists ("node[000-007],login"), separated by blanks or line
 * ends; a word that is itself a name is that machine. Without WHOLE_SYSTEM load keeps only these, as shrink
 * does; a name that the network does not have, or one named twice, is EINVAL. Without this call the
 * environment variable NWTOPO_MACHINES holds them, or that of Slurm, SLURM_JOB_NODELIST, if the network has
 * some of its hosts; else the job has all machines. */
NWTOPO_EXPORT int nwtopo_topology_set_machines(nwtopo_topology_t topology, const char *names);
/* Sets another machine than the one this process is on. Also allowed after load. */
NWTOPO_EXPORT int nwtopo_topology_set_this_machine(nwtopo_topology_t topology,
                                                   const char *hostname);
/* Returns the error in the source of the last failed load, as "file:line:col: error: cause [CODE]", the
 * line, and how to mend it; "" if there was none. */
NWTOPO_EXPORT const char *nwtopo_topology_get_error(nwtopo_topology_t topology);

/* ---- all objects ---- */

/* The first returns the number of objects of that height; the second object number `index` of them, in the
 * order of ids, or NULL (ENOENT). Under NO_MACHINES and ON_DEMAND height 0 has none. */
NWTOPO_EXPORT unsigned nwtopo_topology_get_num_objects(nwtopo_topology_t topology,
                                                       unsigned height);
NWTOPO_EXPORT nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height,
                                                      unsigned index);
/* Returns the number of machines in the topology, with or without objects. */
NWTOPO_EXPORT unsigned nwtopo_topology_get_num_machines(nwtopo_topology_t topology);

/* ---- links ---- */

/* A link is one direction of a cable, as in the hardware, whatever the view. */
struct nwtopo_link {
    unsigned long id;
    unsigned long ends[2]; /* ids of the objects at its begin and end; also of switches that are no objects,
                              because they are one with their machine (GRID, FULL) */
    uint64_t bandwidth;    /* bytes per second */
    uint64_t latency;      /* ns */
    bool failed;
};
typedef struct nwtopo_link *nwtopo_link_t;

/* Finds the link with that id. ENOENT. */
NWTOPO_EXPORT int nwtopo_topology_get_link(nwtopo_topology_t topology, unsigned long id,
                                           nwtopo_link_t link);
/* Finds the links that leave a machine or router, or those between the children of a virtual object (and
 * switches that are one with them), including failed ones, but none to objects outside the topology.
 * *num_links is the size of ids[] before the call and the number of links after it; ids[] gets as many as
 * fit, in ascending order. */
NWTOPO_EXPORT int nwtopo_obj_get_links(nwtopo_topology_t topology, nwtopo_obj_t obj,
                                       unsigned *num_links, unsigned long *ids);
/* Marks a link as failed or as mended. Before load the ids are kept, and load checks them (EINVAL). Routes
 * of this topology avoid failed links from now on. ENOENT. */
NWTOPO_EXPORT int nwtopo_topology_set_link_failed(nwtopo_topology_t topology, unsigned long id,
                                                  bool failed);
/* Finds the links that a message between two machines crosses, in order; *num_links as above, 0 if `from`
 * and `to` are the same. EHOSTUNREACH: no route. */
NWTOPO_EXPORT int nwtopo_topology_get_route(nwtopo_topology_t topology, nwtopo_obj_t from,
                                            nwtopo_obj_t to, unsigned *num_links,
                                            unsigned long *ids);

#ifdef __cplusplus
}
#endif

#endif
