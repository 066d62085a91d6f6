/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the regular shape that a network is (network/recognise.h), and the places of its machines: a
 * placement file that puts rank r on the r-th machine of the shape, so that an algorithm made for the
 * shape finds its neighbours on the real network.
 */
#include "network/format.h"
#include "network/recognise.h"

#include <stdlib.h>
#include <string.h>

/* Returns the topology itself if it is implicit, else the shape that it is recognised as, else NULL. */
static const struct topology *shape_write_shape_of(const struct topology *topology,
                                                   struct recognition *recognition)
{
    struct text text = {0};
    topology_shape(topology, &text);
    bool is_implicit = text.length > 0;
    text_free(&text);
    recognise(topology, recognition);
    return is_implicit ? topology : recognition->shape;
}

/* Writes the problem into `out`, whose content is no longer needed. */
static bool shape_write_give_up(const struct recognition *recognition, struct text *out, const char **problem)
{
    if (recognition->nearly.length)
        text_printf(out, "it is only nearly regular: %s", recognition->nearly.data);
    else
        text_printf(out, "it is no star, full mesh, mesh, torus or fat tree");
    *problem = out->data;
    return false;
}

static bool shape_write_shape(const struct topology *topology, struct text *out, const char **problem)
{
    struct recognition recognition;
    const struct topology *shape = shape_write_shape_of(topology, &recognition);
    bool is_regular = shape != NULL;
    if (is_regular) {
        topology_shape(shape, out);
        text_append(out, "\n", 1);
    } else {
        shape_write_give_up(&recognition, out, problem);
    }
    recognition_free(&recognition);
    return is_regular;
}

/* ---- who is where ---- */

/* Returns machine_at[rank], the inverse of `image`; without image both are the same. */
static uint32_t *shape_write_invert(const uint32_t *image, uint32_t n)
{
    uint32_t *machine_at = mem_alloc(n, sizeof *machine_at);
    for (uint32_t machine = 0; machine < n; machine++)
        machine_at[image ? image[machine] : machine] = machine;
    return machine_at;
}

/* Writes "rank 3 node003  # (3,0)". Returns false for a name that a placement file cannot hold. */
static bool write_rank(const struct topology *topology, uint32_t machine,
                       const struct topology *shape, uint32_t rank, struct text *out)
{
    char name[256], place[256];
    topology_node_name(topology, machine, name, sizeof name);
    topology_node_name(shape, rank, place, sizeof place);
    text_printf(out, "rank %u %s  # %s\n", rank, name, place);
    return !strpbrk(name, " \t\r\n#");
}

static bool shape_write_map(const struct topology *topology, const struct topology *shape,
                            const uint32_t *image, struct text *out, const char **problem)
{
    uint32_t *machine_at = shape_write_invert(image, shape->n_machines);
    bool good = true;
    text_printf(out, "# rank, machine and its place in ");
    topology_shape(shape, out);
    text_append(out, "\n", 1);
    for (uint32_t rank = 0; rank < shape->n_machines && good; rank++)
        good = write_rank(topology, machine_at[rank], shape, rank, out);
    if (!good)
        *problem = "the name of a machine has a blank or '#' in it";
    free(machine_at);
    return good;
}

static bool write_shape_map(const struct topology *topology, struct text *out, const char **problem)
{
    struct recognition recognition;
    const struct topology *shape = shape_write_shape_of(topology, &recognition);
    bool is_written = shape ? shape_write_map(topology, shape, recognition.image, out, problem)
                            : shape_write_give_up(&recognition, out, problem);
    recognition_free(&recognition);
    return is_written;
}

const struct topology_format shape_format = {.write = shape_write_shape};
const struct topology_format shape_map_format = {.write = write_shape_map};
