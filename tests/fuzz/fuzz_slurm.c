/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as Slurm's topology.conf or topology.yaml; and, behind a line "@", as a
 * placement on a small grid and on a small cluster. A topology that is accepted and can
 * be written for Slurm must read back with as many machines; a placement must put
 * every rank on a machine.
 */
#include "network/formats/formats.h"
#include "network/placement/placement_files.h"
#include "network/formats/slurm/slurm.h"
#include "network/formats/synthetic/shape.h"
#include "network/placement/placement_make.h"

#include <stdlib.h>
#include <string.h>

static void require(bool condition)
{
    if (!condition)
        abort();
}

static struct topology *read_text(const char *text, size_t length, struct arena *arena,
                                  struct diagnostics *diagnostics)
{
    const struct source *source = source_of_text("input", text, length, arena);
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    struct topology *topology = topology_read_source(&slurm_format, source, diagnostics);
    require((topology != NULL) == !diagnostics_has_errors(diagnostics));
    return topology;
}

static void check_written(const struct topology *topology, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    const char *problem = NULL;
    if (slurm_format.write(topology, &text, &problem)) {
        struct topology *again = read_text(text.data, text.length, arena, &diagnostics);
        require(again && again->n_machines == topology->n_machines);
        topology_free(again);
    } else {
        require(problem != NULL);
    }
    text_free(&text);
    diagnostics_free(&diagnostics);
}

static void print(const struct diagnostics *diagnostics)
{
    struct text text = {0};
    diagnostics_print(diagnostics, &text, false);
    text_free(&text);
}

static void try_topology(const char *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct topology *topology = read_text(data, size, &arena, &diagnostics);
    if (topology && topology->n_machines < 5000)
        check_written(topology, &arena);
    print(&diagnostics);
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

static void try_placement(const char *shape, const char *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct placement_request asked = {.n_ranks = size % 3 ? 0 : 4};
    const struct source *spec = source_of_text("shape", shape, strlen(shape), &arena);
    const struct source *source = source_of_text("input", data, size, &arena);
    struct topology *topology = synthetic_read(spec, &(struct shape_others){0}, &diagnostics);
    struct request request = {topology, &asked, &diagnostics};
    struct placement *placement =
        source_check_utf8(source, &diagnostics) ? place_by_source(&request, source) : NULL;
    require((placement != NULL) == !diagnostics_has_errors(&diagnostics));
    for (uint32_t rank = 0; placement && rank < placement->n_ranks; rank++)
        require(placement->machine[rank] < topology->n_machines);
    print(&diagnostics);
    placement_free(placement);
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size > 2 && memcmp(text, "@\n", 2) == 0) {
        try_placement("torus:3x2", text + 2, size - 2);
        try_placement("star:8", text + 2, size - 2);
    } else {
        try_topology(text, size);
    }
    return 0;
}
