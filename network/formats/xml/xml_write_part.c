/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a part of a network in the native XML: `failed`, by nodes if all cables of one have failed, else
 * by pairs of nodes, else by numbers; `machines`, as boxes of a grid or as a host list.
 */
#include "base/integer.h"
#include "base/text/hostlist_write.h"
#include "base/text/xml_write.h"
#include "network/formats/xml/xml_topology.h"
#include "network/grid.h"
#include "network/parts.h"
#include "network/view.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* ---- failed links ---- */

/* A link between two nodes that both have failed links. */
struct tie {
    uint64_t pair; /* the lower node in the upper half */
    uint32_t link;
    bool goes_down; /* from the higher node to the lower */
    bool has_failed;
};

struct failures {
    const struct topology *topology, *whole;
    uint32_t *n_links, *n_failed; /* [node] */
    struct tie *ties;
    size_t n_ties, capacity;
};

static int xml_write_part_compare_ties(const void *left, const void *right)
{
    const struct tie *a = left, *b = right;
    if (a->pair != b->pair)
        return a->pair > b->pair ? 1 : -1;
    if (a->goes_down != b->goes_down)
        return a->goes_down ? 1 : -1;
    return (a->link > b->link) - (a->link < b->link);
}

static void xml_write_part_count_links(struct failures *failures)
{
    uint32_t from, to;
    for (uint32_t link = 0; link < failures->whole->n_link_ids; link++) {
        if (!topology_has_link(failures->whole, link))
            continue;
        bool has_failed = !topology_has_link(failures->topology, link);
        topology_link_ends(failures->whole, link, &from, &to);
        failures->n_links[from]++;
        failures->n_links[to]++;
        failures->n_failed[from] += has_failed;
        failures->n_failed[to] += has_failed;
    }
}

/* True if a node has several cables and all have failed. */
static bool is_down(const struct failures *failures, uint32_t node)
{
    return failures->n_failed[node] == failures->n_links[node] && failures->n_links[node] > 2;
}

/* Finds the links of pairs that no `failed node` covers. */
static void xml_write_part_find_ties(struct failures *failures)
{
    for (uint32_t link = 0; link < failures->whole->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(failures->whole, link))
            continue;
        topology_link_ends(failures->whole, link, &from, &to);
        if (!failures->n_failed[from] || !failures->n_failed[to] || is_down(failures, from) ||
            is_down(failures, to))
            continue;
        failures->ties = mem_grow(failures->ties, &failures->capacity, failures->n_ties + 1,
                                  sizeof *failures->ties);
        failures->ties[failures->n_ties++] =
            (struct tie){from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from, link,
                         from > to, !topology_has_link(failures->topology, link)};
    }
    if (failures->n_ties)
        qsort(failures->ties, failures->n_ties, sizeof *failures->ties, xml_write_part_compare_ties);
}

static void xml_write_part_write_nodes(const struct failures *failures, struct text *out)
{
    char name[NAME_BYTES];
    for (uint32_t node = 0; node < failures->whole->n_nodes; node++) {
        if (!is_down(failures, node))
            continue;
        topology_node_name(failures->whole, node, name, sizeof name);
        text_printf(out, "  <failed");
        xml_write_attribute("node", name, out);
        text_printf(out, "/>\n");
    }
}

/* Writes all links of a pair. Returns false if a name contains ':', so that its end is ambiguous. */
static bool write_pair(const struct failures *failures, uint64_t pair, struct text *out)
{
    char a[NAME_BYTES], b[NAME_BYTES];
    topology_node_name(failures->whole, (uint32_t)(pair >> 32), a, sizeof a);
    topology_node_name(failures->whole, (uint32_t)pair, b, sizeof b);
    if (strchr(a, ':') || strchr(b, ':'))
        return false;
    text_printf(out, "  <failed link=\"");
    xml_write_escaped(a, out);
    text_append(out, ":", 1);
    xml_write_escaped(b, out);
    text_printf(out, "\"/>\n");
    return true;
}

/* Writes cable by cable: the k-th link there with the k-th back. Returns false if only one has failed. */
static bool xml_write_part_write_cables(const struct tie *ties, size_t n, struct text *out)
{
    size_t n_up = 0;
    while (n_up < n && !ties[n_up].goes_down)
        n_up++;
    for (size_t i = 0; i < n_up || n_up + i < n; i++) {
        const struct tie *there = i < n_up ? &ties[i] : NULL;
        const struct tie *back = n_up + i < n ? &ties[n_up + i] : NULL;
        if (there && back && there->has_failed != back->has_failed)
            return false;
        const struct tie *either = there ? there : back;
        if (either->has_failed)
            text_printf(out, "  <failed number=\"%u\"/>\n", either->link);
    }
    return true;
}

static bool write_ties(const struct failures *failures, struct text *out)
{
    const struct tie *ties = failures->ties;
    for (size_t i = 0, n; i < failures->n_ties; i += n) {
        size_t n_failed = 0;
        for (n = 0; i + n < failures->n_ties && ties[i + n].pair == ties[i].pair; n++)
            n_failed += ties[i + n].has_failed;
        if (n_failed == n && write_pair(failures, ties[i].pair, out))
            continue;
        if (n_failed && !xml_write_part_write_cables(ties + i, n, out))
            return false;
    }
    return true;
}

static bool xml_write_part_write_failures(const struct topology *topology, struct text *out,
                                          const char **problem)
{
    struct failures failures = {.topology = topology, .whole = topology->base};
    failures.n_links = mem_alloc(topology->n_nodes, sizeof *failures.n_links);
    failures.n_failed = mem_alloc(topology->n_nodes, sizeof *failures.n_failed);
    xml_write_part_count_links(&failures);
    xml_write_part_find_ties(&failures);
    xml_write_part_write_nodes(&failures, out);
    bool done = write_ties(&failures, out);
    if (!done)
        *problem = "of a cable only one direction has failed, which this form cannot say";
    free(failures.n_links);
    free(failures.n_failed);
    free(failures.ties);
    return done;
}

/* ---- machines of a grid ---- */

struct box {
    uint32_t low[TOPOLOGY_MAX_DIMENSIONS], high[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t along; /* the dimension in which boxes are joined next */
};

/* Orders boxes so that those that differ only in the dimension `along` are neighbours. */
static int compare_boxes(const void *left, const void *right)
{
    const struct box *a = left, *b = right;
    for (uint32_t i = TOPOLOGY_MAX_DIMENSIONS; i-- > 0;) {
        int order = compare_numbers(a->low[i], b->low[i]);
        if (order == 0)
            order = compare_numbers(a->high[i], b->high[i]);
        if (i != a->along && order)
            return order;
    }
    return compare_numbers(a->low[a->along], b->low[b->along]);
}

static bool xml_write_part_continues(const struct box *before, const struct box *after)
{
    for (uint32_t i = 0; i < TOPOLOGY_MAX_DIMENSIONS; i++)
        if (i != before->along &&
            (before->low[i] != after->low[i] || before->high[i] != after->high[i]))
            return false;
    return before->high[before->along] + 1 == after->low[before->along];
}

/* Joins boxes along a dimension; how many are left. */
static uint32_t join_boxes(struct box *boxes, uint32_t n, uint32_t along)
{
    uint32_t n_left = 0;
    for (uint32_t i = 0; i < n; i++)
        boxes[i].along = along;
    qsort(boxes, n, sizeof *boxes, compare_boxes);
    for (uint32_t i = 0; i < n; i++)
        if (n_left && xml_write_part_continues(&boxes[n_left - 1], &boxes[i]))
            boxes[n_left - 1].high[along] = boxes[i].high[along];
        else
            boxes[n_left++] = boxes[i];
    return n_left;
}

static struct box box_of(const struct grid *grid, uint32_t machine)
{
    struct box box = {.along = 0};
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        uint32_t above = divide(machine, &grid->extent[i]);
        box.low[i] = box.high[i] = machine - above * grid->extent[i].value;
        machine = above;
    }
    return box;
}

static void write_box(const struct box *box, uint32_t n_dimensions, struct text *out)
{
    for (uint32_t i = 0; i < n_dimensions; i++) {
        text_printf(out, "%s%u", i ? "," : "(", box->low[i]);
        if (box->high[i] > box->low[i])
            text_printf(out, "-%u", box->high[i]);
    }
    text_append(out, ")", 1);
}

static void write_boxes(const struct topology *topology, const struct grid *grid,
                        struct text *out)
{
    enum { BOXES_IN_LINE = 8 };
    struct box *boxes = mem_alloc(topology->n_machines, sizeof *boxes);
    uint32_t n = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        struct box box = box_of(grid, topology_base_node(topology, machine));
        if (n && xml_write_part_continues(&boxes[n - 1], &box))
            boxes[n - 1].high[0]++;
        else
            boxes[n++] = box;
    }
    for (uint32_t i = 1; i < grid->n_dimensions; i++)
        n = join_boxes(boxes, n, i);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_printf(out, i % BOXES_IN_LINE ? " " : "\n            ");
        write_box(&boxes[i], grid->n_dimensions, out);
    }
    free(boxes);
}

/* ---- machines by name ---- */

/* Limit of a reader for the names of one pair of brackets. */
enum { MAX_NAMES = 1 << 20 };

static bool write_some_names(const struct topology *topology, uint32_t first, uint32_t end,
                             struct text *out)
{
    struct hostlist_writer writer = {.out = out};
    char name[NAME_BYTES];
    bool good = true;
    for (uint32_t machine = first; machine < end && good; machine++) {
        topology_node_name(topology, machine, name, sizeof name);
        good = !strpbrk(name, "#()") && hostlist_write(&writer, name);
    }
    hostlist_write_end(&writer);
    return good;
}

static bool xml_write_part_write_names(const struct topology *topology, struct text *out)
{
    struct text names = {0};
    bool good = true;
    for (uint32_t machine = 0, end; machine < topology->n_machines && good; machine = end) {
        end = topology->n_machines - machine < MAX_NAMES ? topology->n_machines
                                                         : machine + MAX_NAMES;
        text_append(&names, " ", machine > 0);
        good = write_some_names(topology, machine, end, &names);
    }
    xml_write_escaped(names.data, out);
    text_free(&names);
    return good;
}

static bool xml_write_part_write_machines(const struct topology *topology, struct text *out,
                                          const char **problem)
{
    const struct topology *grid = topology_grid(topology->base);
    text_printf(out, "  <machines>");
    if (grid)
        write_boxes(topology, topology_as_grid(grid), out);
    bool done = grid || xml_write_part_write_names(topology, out);
    if (!done)
        *problem = "the name of a machine has a character that means something in a list of names";
    text_printf(out, "</machines>\n");
    return done;
}

/* Writes the steps from the whole network to this one, in their order. */
bool xml_write_part(const struct topology *topology, struct text *out, const char **problem)
{
    if (!topology->base)
        return true;
    if (!xml_write_part(topology->base, out, problem))
        return false;
    return topology_is_subset(topology) ? xml_write_part_write_machines(topology, out, problem)
                                        : xml_write_part_write_failures(topology, out, problem);
}
