/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any text as the description of a machine: as one of NCCL if it looks like that,
 * else as one of hwloc, whose own reading of what we let through is tried as well.
 */
#include "base/codes.h"
#include "network/formats/formats.h"

#include <stdlib.h>
#include <string.h>

/* Names of machines begin with the number of their host, where there are several: "host0-gpu1". */
static bool are_of_one_host(const struct topology *topology, uint32_t a, uint32_t b)
{
    char x[64], y[64];
    topology_node_name(topology, a, x, sizeof x);
    topology_node_name(topology, b, y, sizeof y);
    const size_t n = strcspn(x, "-");
    const bool is_numbered = x[n] && y[strcspn(y, "-")]; /* else the file has one host */
    return !is_numbered || (n == strcspn(y, "-") && memcmp(x, y, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    const struct source *source =
        source_of_text("fuzz", (const char *)data, size, &diagnostics.arena);
    struct topology *topology = NULL;
    if (source_check_utf8(source, &diagnostics))
        topology = topology_read_source(nccl_format.is(source) ? &nccl_format : &hwloc_format, source,
                                        &diagnostics);
    if (!topology && !diagnostics_has_errors(&diagnostics))
        abort(); /* nothing said */
    struct hop *hops = topology ? mem_alloc(topology->max_hops, sizeof *hops) : NULL;
    for (uint32_t machine = 1; topology && machine < topology->n_machines && machine < 16; machine++)
        if (!topology_route(topology, 0, machine, hops) &&
            (!diagnostics.n_of_code[CODE_T008] || are_of_one_host(topology, 0, machine)))
            abort(); /* hosts may be apart, where that is said, but not what is in one */
    free(hops);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return 0;
}
