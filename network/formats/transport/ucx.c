/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes several networks for UCX (MPICH, pml ucx of Open MPI): a shell script that starts every process.
 * It sets UCX's environment by the name of the machine, because machines with other networks need other
 * values, and then becomes the program. It sets the interfaces of Open MPI's btl tcp, too.
 */
#include "network/formats/transport/selection.h"
#include "network/format.h"
#include "network/formats/transport/groups.h"
#include "network/machine_names.h"

static const char head[] =
    "#!/bin/sh\n"
    "# UCX, the fastest network that two machines share. Start every process by it:\n"
    "#   mpirun ... sh THIS_FILE ./program\n"
    "# COLLC_MACHINE is the name of the machine where its host name is another.\n";

static const char tail[] =
    "    *) return 1 ;;\n"
    "    esac\n"
    "}\n"
    "machine=${COLLC_MACHINE:-$(uname -n)}\n"
    "if ! choose \"$machine\" && ! choose \"${machine%%.*}\"; then\n"
    "    echo \"$0: machine '$machine' is not in the topology\" >&2\n"
    "    exit 1\n"
    "fi\n"
    "# one network for each destination: no message in parts over several\n"
    "export UCX_TLS UCX_NET_DEVICES UCX_MAX_EAGER_RAILS=1 UCX_MAX_RNDV_RAILS=1\n";

static const char openmpi_tail[] = "export OMPI_MCA_btl_tcp_if_include=\"$UCX_NET_DEVICES\"\n";

static const char last[] =
    "exec \"$@\"\n";

static bool write_group(const struct topology *topology, const struct network_group *group,
                        struct text *out)
{
    struct network_order order;
    selection_by_speed(topology, &group->machines[0], &order);
    text_append(out, "    ", 4);
    if (!topology_write_names(topology, group->machines, group->n_machines, '|', false, out))
        return false;
    text_printf(out, ")\n        UCX_TLS=");
    selection_write_transports(topology, &order, out);
    text_printf(out, "\n        UCX_NET_DEVICES=");
    if (selection_is_routed(topology))
        text_printf(out, ROUTED_INTERFACE);
    else
        selection_write_devices(topology, &order, out);
    text_printf(out, " ;;\n");
    return true;
}

static bool ucx_write_ucx(const struct topology *topology, struct text *out, const char **problem)
{
    struct network_order order;
    *problem = selection_obstacle(topology, true);
    if (*problem)
        return false;
    selection_by_speed(topology, NULL, &order);
    text_append(out, head, sizeof head - 1);
    selection_write_comment(topology, &order, out);
    text_printf(out, "choose() {\n    case $1 in\n");
    struct network_groups groups = network_groups(topology);
    bool done = true;
    for (uint32_t i = 0; i < groups.n && done; i++)
        done = write_group(topology, &groups.items[i], out);
    network_groups_free(&groups);
    text_append(out, tail, sizeof tail - 1);
    if (!selection_has_adapter(topology))
        text_append(out, openmpi_tail, sizeof openmpi_tail - 1);
    text_append(out, last, sizeof last - 1);
    if (!done)
        *problem = "the name of a machine has a character that means something to a shell";
    return done;
}

const struct topology_format ucx_networks_format = {.write = ucx_write_ucx};
