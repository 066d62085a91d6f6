/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes Slurm's topology.yaml: the switches as a tree, or a torus of up to three dimensions as a
 * torus3d. Slurm has no cables and no speeds, and a switch there has either nodes or switches below it;
 * comments in the file describe the changes.
 */
#include "base/text/hostlist_write.h"
#include "network/formats/slurm/slurm.h"
#include "network/formats/slurm/switch_tree.h"
#include "network/grid.h"
#include "network/recognise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MACHINES = 1 << 20, MAX_EXTENT = UINT16_MAX };

struct form {
    const struct topology *topology;
    struct switch_tree tree;
    uint32_t *below;    /* routers by the one above, and ... */
    uint32_t *first;    /* ... begin of the list of each; also for machines by leaf */
    struct text *out;
    const char *bad_name; /* why a name cannot be written; NULL: all can */
};

static void write_heading(const struct topology *topology, struct text *out)
{
    text_printf(out, "# Topology '");
    text_append_safe(out, topology->name);
    text_printf(out, "' for Slurm, written by collc\n");
}

/* ---- lists of names ---- */

/* Writes name[0-3] for the nodes numbers[0 .. n-1]. */
static void slurm_write_list(struct form *form, const uint32_t *numbers, uint32_t n)
{
    struct hostlist_writer writer = {.out = form->out};
    char name[256];
    for (uint32_t i = 0; i < n; i++) {
        topology_node_name(form->topology, numbers[i], name, sizeof name);
        if (!hostlist_write(&writer, name))
            form->bad_name = "a name has a character that means something in Slurm's lists";
    }
    hostlist_write_end(&writer);
}

static void slurm_write_names(struct form *form, const char *key, const uint32_t *numbers, uint32_t n)
{
    text_printf(form->out, "%s: \"", key);
    slurm_write_list(form, numbers, n);
    text_printf(form->out, "\"\n");
}

/* ---- a tree ---- */

static uint32_t slurm_write_node_of(const struct form *form, uint32_t router)
{
    return form->topology->n_machines + router;
}

/* Sorts items 0 .. n-1 into above[item]: counting sort, keeps the order. SWITCH_NONE: nowhere. */
static void sort_below(const uint32_t *above, uint32_t n, uint32_t n_routers, uint32_t *first,
                       uint32_t *below)
{
    memset(first, 0, ((size_t)n_routers + 2) * sizeof *first);
    for (uint32_t i = 0; i < n; i++)
        if (above[i] < n_routers)
            first[above[i] + 2]++;
    for (uint32_t i = 0; i < n_routers; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < n; i++)
        if (above[i] < n_routers)
            below[first[above[i] + 1]++] = i;
}

/* Writes "# sw8 is sw[8-11], 4 switches with the same neighbours below". */
static void write_joined(struct form *form)
{
    const struct switch_tree *tree = &form->tree;
    sort_below(tree->group, tree->n_routers, tree->n_routers, form->first, form->below);
    for (uint32_t i = 0; i < tree->n_groups; i++) {
        uint32_t group = tree->order[i], *members = form->below + form->first[group];
        uint32_t n = form->first[group + 1] - form->first[group];
        for (uint32_t j = 0; j < n; j++)
            members[j] = slurm_write_node_of(form, members[j]);
        if (n < 2)
            continue;
        text_printf(form->out, "# ");
        slurm_write_list(form, members, 1);
        text_printf(form->out, " is ");
        slurm_write_list(form, members, n);
        text_printf(form->out, ", %u switches with the same neighbours below\n", n);
    }
}

static void slurm_write_cables(struct form *form)
{
    const struct switch_tree *tree = &form->tree;
    if (tree->n_cables > tree->n_branches)
        text_printf(form->out,
                    "# %" PRIu64 " cables between switches are %" PRIu64 " here: Slurm has no "
                    "cables\n",
                    tree->n_cables, tree->n_branches);
}

/* Takes the groups without a machine below them out of the tree; a network with machines keeps
 * its root. */
static void leave_out_idle(struct form *form)
{
    struct switch_tree *tree = &form->tree;
    uint32_t n_groups = tree->n_groups, n_idle = 0;
    bool *is_used = mem_alloc(tree->n_routers, sizeof *is_used);
    for (uint32_t i = n_groups; i-- > 0;) {
        uint32_t group = tree->order[i], parent = tree->parent[group];
        is_used[group] = is_used[group] || tree->has_machine[group];
        if (!is_used[group])
            tree->parent[group] = SWITCH_NONE;
        else if (parent != SWITCH_NONE)
            is_used[parent] = true;
    }
    tree->n_groups = 0;
    for (uint32_t i = 0; i < n_groups; i++)
        if (is_used[tree->order[i]])
            tree->order[tree->n_groups++] = tree->order[i];
    tree->n_branches -= n_groups - tree->n_groups;
    for (uint32_t router = 0; router < tree->n_routers; router++)
        n_idle += !is_used[tree->group[router]];
    if (n_idle)
        text_printf(form->out, "# left out: %u of %u switches, which lead to no machine\n", n_idle,
                    tree->n_routers);
    free(is_used);
}

static bool has_children(const struct form *form, uint32_t group)
{
    return form->first[group + 1] > form->first[group];
}

/* Writes the name of the part of a switch that has the switches below it. */
static void write_upper_name(struct form *form, uint32_t group)
{
    struct hostlist_writer writer = {.out = form->out};
    char name[256 + 4];
    topology_node_name(form->topology, slurm_write_node_of(form, group), name, 256);
    if (form->tree.has_machine[group])
        strcat(name, ".up");
    hostlist_write(&writer, name);
    hostlist_write_end(&writer);
}

/* Writes the children: leaves by their names; a switch with both parts by the upper one, which a list
 * cannot shorten. */
static void write_children(struct form *form, uint32_t group)
{
    const struct switch_tree *tree = &form->tree;
    struct hostlist_writer writer = {.out = form->out};
    char name[256 + 4];
    text_printf(form->out, "      - switch: \"");
    write_upper_name(form, group);
    text_printf(form->out, "\"\n        children: \"");
    if (tree->has_machine[group]) {
        topology_node_name(form->topology, slurm_write_node_of(form, group), name, 256);
        hostlist_write(&writer, name);
    }
    for (uint32_t i = form->first[group]; i < form->first[group + 1]; i++) {
        uint32_t child = form->below[i];
        topology_node_name(form->topology, slurm_write_node_of(form, child), name, 256);
        if (tree->has_machine[child] && has_children(form, child))
            strcat(name, ".up");
        hostlist_write(&writer, name);
    }
    hostlist_write_end(&writer);
    text_printf(form->out, "\"\n");
}

static void write_upper_switches(struct form *form)
{
    const struct switch_tree *tree = &form->tree;
    sort_below(tree->parent, tree->n_routers, tree->n_routers, form->first, form->below);
    for (uint32_t i = 0; i < tree->n_groups; i++)
        if (has_children(form, tree->order[i]))
            write_children(form, tree->order[i]);
}

static void write_leaves(struct form *form)
{
    const struct switch_tree *tree = &form->tree;
    uint32_t *machines = mem_alloc(tree->n_machines, sizeof *machines);
    sort_below(tree->leaf, tree->n_machines, tree->n_routers, form->first, machines);
    for (uint32_t i = 0; i < tree->n_groups; i++) {
        uint32_t leaf = tree->order[i], node = slurm_write_node_of(form, leaf);
        if (!tree->has_machine[leaf])
            continue;
        slurm_write_names(form, "      - switch", &node, 1);
        slurm_write_names(form, "        nodes", machines + form->first[leaf],
                          form->first[leaf + 1] - form->first[leaf]);
    }
    free(machines);
}

static void slurm_write_tree(struct form *form)
{
    size_t n = (size_t)form->tree.n_routers + 2;
    form->first = mem_alloc(n, sizeof *form->first);
    form->below = mem_alloc(n, sizeof *form->below);
    write_heading(form->topology, form->out);
    leave_out_idle(form);
    slurm_write_cables(form);
    if (form->tree.n_trees > 1)
        text_printf(form->out, "# %u trees that nothing joins: no job crosses them\n", form->tree.n_trees);
    write_joined(form);
    text_printf(form->out, "- topology: network\n  cluster_default: true\n  tree:\n"
                           "    switches:\n");
    write_upper_switches(form);
    write_leaves(form);
    free(form->first);
    free(form->below);
}

/* Writes the tree, or the problem into `out`, whose content is not needed then. */
static bool try_tree(const struct topology *topology, struct text *out, const char **problem)
{
    struct form form = {.topology = topology, .out = out};
    struct text sentence = {0};
    bool good = switch_tree_make(topology, &form.tree, &sentence);
    if (good) {
        slurm_write_tree(&form);
    } else {
        out->length = 0;
        text_append(out, sentence.data, sentence.length);
        *problem = out->data;
    }
    if (form.bad_name)
        *problem = form.bad_name;
    text_free(&sentence);
    switch_tree_free(&form.tree);
    return good && !form.bad_name;
}

/* ---- a torus ---- */

static bool is_torus(const struct topology *topology)
{
    const struct grid *grid = topology_as_grid(topology);
    if (!grid || grid->n_dimensions > 3)
        return false;
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        if ((!grid->wraps[i] && grid->extent[i].value > 1) || grid->extent[i].value > MAX_EXTENT)
            return false;
    return true;
}

/* Returns machines[position] of the torus, x fastest; without image both are the same. */
static uint32_t *machines_of(const struct topology *shape, const uint32_t *image)
{
    uint32_t *machines = mem_alloc(shape->n_machines, sizeof *machines);
    for (uint32_t i = 0; i < shape->n_machines; i++)
        machines[image ? image[i] : i] = i;
    return machines;
}

static uint32_t slurm_write_extent_of(const struct topology *shape, uint32_t i)
{
    const struct grid *grid = topology_as_grid(shape);
    return i < grid->n_dimensions ? grid->extent[i].value : 1;
}

/* Writes a torus. A grid has no names of hosts, so they are made up. */
static bool write_torus(const struct topology *topology, const struct topology *shape,
                        const uint32_t *image, struct text *out)
{
    struct form form = {.topology = topology, .out = out};
    write_heading(topology, out);
    text_printf(out,
                "- topology: network\n  cluster_default: true\n  torus3d:\n    toruses:\n"
                "      - name: torus\n        dims: {x: %u, y: %u, z: %u}\n",
                slurm_write_extent_of(shape, 0), slurm_write_extent_of(shape, 1),
                slurm_write_extent_of(shape, 2));
    if (topology_as_grid(topology) && topology->n_machines > 1) {
        text_printf(out, "        nodes: \"m[0-%u]\" # x fastest\n", topology->n_machines - 1);
        return true;
    }
    uint32_t *machines = machines_of(shape, image);
    slurm_write_names(&form, "        nodes", machines, shape->n_machines);
    free(machines);
    return !form.bad_name;
}

/* ---- which of them ---- */

bool slurm_write(const struct topology *topology, struct text *out, const char **problem)
{
    struct recognition recognition;
    if (topology->n_machines > MAX_MACHINES) {
        *problem = "it has more than 1048576 machines";
        return false;
    }
    recognise(topology, &recognition);
    const struct topology *shape = recognition.shape ? recognition.shape : topology;
    bool torus = is_torus(shape), good;
    if (torus) {
        good = write_torus(topology, shape, recognition.image, out);
        *problem = good ? NULL : "a name has a character that means something in Slurm's lists";
    } else {
        good = try_tree(topology, out, problem);
    }
    recognition_free(&recognition);
    return good;
}
