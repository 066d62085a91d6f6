/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the hierarchy of any network that is no grid, from its links alone. The height of a router is
 * its distance from the nearest machine. A router one higher than a node it is linked to is a parent of
 * it. Linked nodes of one height are a component and get one virtual parent: FULL if every two of them
 * are linked, else MESH with the cables as edges. A fat tree becomes routers only, a dragonfly routers
 * below a MESH.
 *
 * If machines are chosen, heights and components are still those of the whole network, so that ids do not
 * change; routers without chosen machine below them are left out, and components with fewer than two
 * nodes left.
 */
#include "nwtopo/internal.h"

#define UNREACHED UINT32_MAX

struct builder {
    struct nwtopo_topology *topology;
    const struct model *model;
    uint32_t n_nodes, n_machines;
    uint32_t *height;         /* [node] */
    uint32_t *queue;          /* nodes by height */
    uint32_t n_reached;
    bool *is_kept;            /* [node] */
    uint32_t *component;      /* [node] union-find; a root is the lowest of its component */
    uint32_t *n_in_component; /* [root] kept nodes */
    nwtopo_obj_t *object;     /* [node] NULL: left out, or a machine without object */
    uint32_t *mark;           /* [node] scratch of hierarchy_count_edges */
    uint32_t most;            /* links of a node */
    uint32_t *far;            /* neighbours of a node */
    bool *is_parent;          /* [node] scratch of list_parents; all false */
    size_t n_parents;         /* sum over all nodes that list theirs */
    nwtopo_obj_t *parents;    /* room for those that are still to be listed */
};

static void *scratch(struct builder *builder, size_t n, size_t size)
{
    return arena_alloc(&builder->topology->scratch, n, size);
}

/* Writes builder->far; how many. */
static uint32_t neighbours(const struct builder *builder, uint32_t node)
{
    return model_neighbours(builder->model, node, builder->far);
}

/* ---- heights ---- */

static void find_heights(struct builder *builder)
{
    for (uint32_t node = 0; node < builder->n_nodes; node++)
        builder->height[node] = node < builder->n_machines ? 0 : UNREACHED;
    for (; builder->n_reached < builder->n_machines; builder->n_reached++)
        builder->queue[builder->n_reached] = builder->n_reached;
    for (uint32_t at = 0; at < builder->n_reached; at++) {
        uint32_t node = builder->queue[at], degree = neighbours(builder, node);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t far = builder->far[i];
            if (builder->height[far] != UNREACHED)
                continue;
            builder->height[far] = builder->height[node] + 1;
            builder->queue[builder->n_reached++] = far;
        }
    }
}

/* ---- who stays ---- */

static bool has_kept_below(const struct builder *builder, uint32_t router)
{
    uint32_t degree = neighbours(builder, router);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t far = builder->far[i];
        if (builder->height[far] + 1 == builder->height[router] && builder->is_kept[far])
            return true;
    }
    return false;
}

static void keep_nodes(struct builder *builder)
{
    for (uint32_t at = 0; at < builder->n_reached; at++) {
        uint32_t node = builder->queue[at];
        builder->is_kept[node] = node < builder->n_machines
                                     ? has_machine(builder->topology, node)
                                     : has_kept_below(builder, node);
    }
}

/* ---- components: what is linked at one height ---- */

static uint32_t hierarchy_component_of(struct builder *builder, uint32_t node)
{
    while (builder->component[node] != node)
        node = builder->component[node] = builder->component[builder->component[node]];
    return node;
}

static void hierarchy_join(struct builder *builder, uint32_t a, uint32_t b)
{
    a = hierarchy_component_of(builder, a);
    b = hierarchy_component_of(builder, b);
    if (a < b)
        builder->component[b] = a;
    else
        builder->component[a] = b;
}

static void hierarchy_find_components(struct builder *builder)
{
    for (uint32_t node = 0; node < builder->n_nodes; node++)
        builder->component[node] = node;
    for (uint32_t at = 0; at < builder->n_reached; at++) {
        uint32_t node = builder->queue[at], degree = neighbours(builder, node);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t far = builder->far[i];
            if (builder->height[far] == builder->height[node])
                hierarchy_join(builder, node, far);
        }
    }
    for (uint32_t node = 0; node < builder->n_nodes; node++)
        builder->n_in_component[hierarchy_component_of(builder, node)] += builder->is_kept[node];
}

/* ---- objects ---- */

static uint32_t count_upper(const struct builder *builder)
{
    uint32_t n = 0;
    for (uint32_t node = 0; node < builder->n_nodes; node++) {
        n += node >= builder->n_machines && builder->is_kept[node];
        n += builder->n_in_component[node] > 1;
    }
    return n;
}

static void fill_router(struct builder *builder, nwtopo_obj_t obj, uint32_t node)
{
    struct nwtopo_topology *topology = builder->topology;
    obj->id = node;
    obj->type = NWTOPO_OBJ_ROUTER;
    obj->height = builder->height[node];
    obj->attr->router.num_ports = model_degree(builder->model, node);
    if (!(topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES))
        obj->attr->router.name = model_node_name(builder->model, node, &topology->arena);
}

static void make_upper(struct builder *builder)
{
    struct nwtopo_topology *topology = builder->topology;
    upper_allocate(topology, count_upper(builder));
    nwtopo_obj_t next = topology->upper;
    for (uint32_t node = builder->n_machines; node < builder->n_nodes; node++)
        if (builder->is_kept[node]) {
            fill_router(builder, next, node);
            builder->object[node] = next++;
        }
    for (uint32_t node = 0; node < builder->n_nodes; node++)
        if (builder->n_in_component[node] > 1) {
            next->id = (unsigned long)builder->n_nodes + node;
            next->type = NWTOPO_OBJ_FULL; /* unless an edge is missing */
            next->height = builder->height[node] + 1;
            next++;
        }
}

/* Writes down which component a node is in, for whom the arrays here are gone. */
static void keep_components(struct builder *builder)
{
    struct nwtopo_topology *topology = builder->topology;
    nwtopo_obj_t last = topology->n_upper ? &topology->upper[topology->n_upper - 1] : NULL;
    if (!last || last->id < builder->n_nodes)
        return;
    topology->component =
        arena_alloc(&topology->arena, builder->n_nodes, sizeof *topology->component);
    for (uint32_t node = 0; node < builder->n_nodes; node++) {
        uint32_t root = hierarchy_component_of(builder, node);
        if (builder->is_kept[node] && builder->n_in_component[root] > 1)
            topology->component[node] = builder->n_nodes + root;
    }
}

/* ---- parents and children ---- */

static bool hierarchy_is_among(nwtopo_obj_t const *list, uint32_t n, nwtopo_obj_t obj)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == obj)
            return true;
    return false;
}

/* Writes the parents of a node with that height to list, which needs room for its links and one. `far` are
 * its neighbours. is_parent: all false before and after; NULL: works without it, O(links^2). */
static uint32_t list_parents(const struct nwtopo_topology *topology, uint32_t node, uint32_t height,
                             const uint32_t *far, uint32_t degree, bool *is_parent, nwtopo_obj_t *list)
{
    const uint32_t n_machines = topology->model->network->n_machines;
    uint32_t n = 0;
    for (uint32_t i = 0; i < degree; i++) {
        nwtopo_obj_t obj = far[i] < n_machines ? NULL : upper_object(topology, far[i]);
        if (!obj || obj->height != height + 1 ||
            (is_parent ? is_parent[far[i]] : hierarchy_is_among(list, n, obj)))
            continue;
        list[n++] = obj;
        if (is_parent)
            is_parent[far[i]] = true;
    }
    for (uint32_t i = 0; is_parent && i < n; i++)
        is_parent[list[i]->id] = false;
    if (topology->component && topology->component[node])
        list[n++] = upper_object(topology, topology->component[node]);
    return n;
}

/* Writes them to `room`, where they stay. */
static void set_parents(nwtopo_obj_t obj, nwtopo_obj_t const *parents, uint32_t n, nwtopo_obj_t *room)
{
    obj->num_parents = n;
    obj->parents = room;
    for (uint32_t i = 0; i < n; i++)
        room[i] = parents[i];
}

void hierarchy_set_parents(struct nwtopo_topology *topology, nwtopo_obj_t machine)
{
    uint32_t node = (uint32_t)machine->id;
    size_t most = (size_t)model_degree(topology->model, node) + 1;
    nwtopo_obj_t *list = arena_alloc(&topology->scratch, most, sizeof(nwtopo_obj_t));
    uint32_t *far = arena_alloc(&topology->scratch, most, sizeof *far);
    const uint32_t degree = model_neighbours(topology->model, node, far);
    const uint32_t n = list_parents(topology, node, 0, far, degree, NULL, list);
    set_parents(machine, list, n, arena_alloc(&topology->arena, n, sizeof *list));
    arena_free(&topology->scratch);
}

/* True if the children of an object above the node are listed. */
static bool hierarchy_is_listed(const struct builder *builder, uint32_t node)
{
    return builder->is_kept[node] &&
           (node >= builder->n_machines || machines_are_made(builder->topology));
}

/* Counts, or with `fills` lists, the children and parents of everything by going over all nodes. */
static void visit_children(struct builder *builder, nwtopo_obj_t *list, bool fills)
{
    struct nwtopo_topology *topology = builder->topology;
    bool has_none = topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES;
    for (uint32_t node = 0; node < builder->n_nodes; node++) {
        bool counts = builder->is_kept[node] && (node >= builder->n_machines || !has_none);
        if (!(fills ? hierarchy_is_listed(builder, node) : counts))
            continue;
        uint32_t degree = neighbours(builder, node);
        uint32_t n = list_parents(topology, node, builder->height[node], builder->far, degree,
                                  builder->is_parent, list);
        for (uint32_t i = 0; i < n && fills; i++)
            list[i]->children[list[i]->num_children++] = builder->object[node];
        for (uint32_t i = 0; i < n && !fills; i++)
            list[i]->num_children++;
        bool is_own = node >= builder->n_machines || (!topology->base && topology->machines);
        if (fills && is_own) {
            set_parents(builder->object[node], list, n, builder->parents);
            builder->parents += n;
        }
        builder->n_parents += !fills && is_own && hierarchy_is_listed(builder, node) ? n : 0;
    }
}

/* True unless the children are machines without objects. */
static bool lists_children(const struct nwtopo_topology *topology, nwtopo_obj_t obj)
{
    return obj->height > 1 || machines_are_made(topology);
}

static void link_objects(struct builder *builder)
{
    struct nwtopo_topology *topology = builder->topology;
    nwtopo_obj_t *list = scratch(builder, (size_t)builder->most + 1, sizeof *list);
    size_t n_children = 0;
    visit_children(builder, list, false);
    for (uint32_t i = 0; i < topology->n_upper; i++)
        n_children += lists_children(topology, &topology->upper[i]) ? topology->upper[i].num_children : 0;
    nwtopo_obj_t *room = arena_alloc(&topology->arena, n_children, sizeof *room);
    for (uint32_t i = 0; i < topology->n_upper; i++) {
        nwtopo_obj_t obj = &topology->upper[i];
        if (!lists_children(topology, obj))
            continue;
        obj->children = room;
        room += obj->num_children;
        obj->num_children = 0;
    }
    builder->parents = arena_alloc(&topology->arena, builder->n_parents, sizeof *builder->parents);
    visit_children(builder, list, true);
}

/* ---- edges ---- */

/* Returns the virtual object above both ends, if the link stays inside a component and is seen from its
 * lower end. */
static nwtopo_obj_t component_of_link(const struct nwtopo_topology *topology, uint32_t from,
                                      uint32_t to)
{
    if (from >= to || !topology->component[from] ||
        topology->component[from] != topology->component[to])
        return NULL;
    return upper_object(topology, topology->component[from]);
}

/* Counts in n_pairs[] and the edges of every component; a pair once, however many its cables. */
static void hierarchy_count_edges(struct builder *builder, uint64_t *n_pairs)
{
    struct nwtopo_topology *topology = builder->topology;
    for (uint32_t node = 0; node < builder->n_nodes; node++) {
        uint32_t degree = neighbours(builder, node);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t far = builder->far[i];
            nwtopo_obj_t component = component_of_link(topology, node, far);
            if (!component)
                continue;
            component->attr->mesh.num_edges++;
            n_pairs[component - topology->upper] += builder->mark[far] != node + 1;
            builder->mark[far] = node + 1;
        }
    }
}

static void add_edges(struct builder *builder, uint32_t node)
{
    uint32_t degree = neighbours(builder, node);
    for (uint32_t i = 0; i < degree; i++) {
        uint32_t far = builder->far[i];
        nwtopo_obj_t component = component_of_link(builder->topology, node, far);
        if (!component || component->type != NWTOPO_OBJ_MESH || !component->attr->mesh.edges)
            continue;
        nwtopo_mesh_edge_t edge = component->attr->mesh.edges[component->attr->mesh.num_edges++];
        edge->nodes[0] = builder->object[node];
        edge->nodes[1] = builder->object[far];
    }
}

static nwtopo_mesh_edge_t *new_edges(struct nwtopo_topology *topology, unsigned n)
{
    nwtopo_mesh_edge_t *edges = arena_alloc(&topology->arena, n, sizeof *edges);
    struct nwtopo_mesh_edge *all = arena_alloc(&topology->arena, n, sizeof *all);
    for (unsigned i = 0; i < n; i++)
        edges[i] = &all[i];
    return edges;
}

/* Makes the edges; those between machines need their objects. */
static void make_edges(struct builder *builder)
{
    struct nwtopo_topology *topology = builder->topology;
    uint64_t *n_pairs = scratch(builder, topology->n_upper, sizeof *n_pairs);
    hierarchy_count_edges(builder, n_pairs);
    for (uint32_t i = 0; i < topology->n_upper; i++) {
        nwtopo_obj_t obj = &topology->upper[i];
        if (obj->id < builder->n_nodes)
            continue;
        uint64_t n = builder->n_in_component[obj->id - builder->n_nodes];
        bool is_full = n_pairs[i] == n * (n - 1) / 2;
        obj->type = is_full ? NWTOPO_OBJ_FULL : NWTOPO_OBJ_MESH;
        if (!is_full && (obj->height > 1 || machines_are_made(topology)))
            obj->attr->mesh.edges = new_edges(topology, obj->attr->mesh.num_edges);
        obj->attr->mesh.num_edges = 0;
    }
    for (uint32_t node = 0; node < builder->n_nodes; node++)
        add_edges(builder, node);
}

void hierarchy_make(struct nwtopo_topology *topology)
{
    const struct topology *network = topology->model->network;
    struct builder builder = {.topology = topology,
                              .model = topology->model,
                              .n_nodes = network->n_nodes,
                              .n_machines = network->n_machines};
    uint32_t n = builder.n_nodes;
    builder.height = scratch(&builder, n, sizeof *builder.height);
    builder.queue = scratch(&builder, n, sizeof *builder.queue);
    builder.is_kept = scratch(&builder, n, sizeof *builder.is_kept);
    builder.component = scratch(&builder, n, sizeof *builder.component);
    builder.n_in_component = scratch(&builder, n, sizeof *builder.n_in_component);
    builder.object = scratch(&builder, n, sizeof(nwtopo_obj_t));
    builder.mark = scratch(&builder, n, sizeof *builder.mark);
    builder.is_parent = scratch(&builder, n, sizeof *builder.is_parent);
    for (uint32_t node = 0; node < n; node++) {
        const uint32_t degree = model_degree(builder.model, node);
        builder.most = degree > builder.most ? degree : builder.most;
    }
    builder.far = scratch(&builder, (size_t)builder.most + 1, sizeof *builder.far);
    find_heights(&builder);
    keep_nodes(&builder);
    hierarchy_find_components(&builder);
    make_upper(&builder);
    keep_components(&builder);
    machines_make(topology);
    for (uint32_t i = 0; i < topology->n_machines && machines_are_made(topology); i++) {
        const uint32_t machine = nwtopo_machine_at(topology, i);
        builder.object[machine] = machine_object(topology, machine);
    }
    link_objects(&builder);
    if (topology->component)
        make_edges(&builder);
}
