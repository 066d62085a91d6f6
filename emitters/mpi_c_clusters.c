/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters of servers in emitted C. MPI does not tell which network joins two processes, so the
 * file has a table of the machines of the topology that it was emitted for, by name, as it is
 * PM/Composite's way (Sumimoto et al. 2000, section 3.1). Without one all servers are one cluster.
 */
#include "emitters/mpi_c.h"

static const char numbering[] =
    "/* Numbers clusters by their lowest servers, and ranks by cluster, server and slot, from the\n"
    " * label of each rank's machine; its first rank speaks for a server. */\n"
    "static void collc_number_clusters(struct collc_comm *own, const int *label, int *is_done)\n"
    "{\n"
    "    for (int s = 0, at = 0; s < own->servers; s++) {\n"
    "        int n_servers = 0, n_ranks = 0;\n"
    "\n"
    "        if (is_done[s])\n"
    "            continue;\n"
    "        for (int t = s; t < own->servers; t++) {\n"
    "            const int *ranks = own->rank_at + own->first[t];\n"
    "\n"
    "            if (label[ranks[0]] != label[own->rank_at[own->first[s]]])\n"
    "                continue;\n"
    "            is_done[t] = 1;\n"
    "            n_servers++;\n"
    "            for (int k = 0; k < own->n_slots[t]; k++, n_ranks++) {\n"
    "                own->place[ranks[k]] = at;\n"
    "                own->at_place[at++] = ranks[k];\n"
    "            }\n"
    "        }\n"
    "        if (own->clusters++ == 0) {\n"
    "            own->cluster_servers = n_servers;\n"
    "            own->cluster_ranks = n_ranks;\n"
    "        }\n"
    "        if (n_servers != own->cluster_servers)\n"
    "            own->cluster_servers = 0;\n"
    "        if (n_ranks != own->cluster_ranks)\n"
    "            own->cluster_ranks = 0;\n"
    "    }\n"
    "}\n"
    "\n"
    "/* COLLC_CLUSTERS=n in the environment makes clusters of n servers each, the last one\n"
    " * of fewer: to try out the schedule on one. */\n"
    "static int collc_find_clusters(struct collc_comm *own)\n"
    "{\n"
    "    const char *servers = getenv(\"COLLC_CLUSTERS\");\n"
    "    int n = servers ? atoi(servers) : 0;\n"
    "    int rank, p, label, error;\n"
    "    int *all;\n"
    "\n"
    "    MPI_Comm_rank(own->comm, &rank);\n"
    "    MPI_Comm_size(own->comm, &p);\n"
    "    own->place = all = own->rank_at + 2 * p;\n"
    "    own->at_place = all + p;\n"
    "    label = n > 0 ? own->server[rank] / n : collc_label();\n"
    "    error = PMPI_Allgather(&label, 1, MPI_INT, all + 2 * p, 1, MPI_INT, own->comm);\n"
    "    if (error == MPI_SUCCESS)\n"
    "        collc_number_clusters(own, all + 2 * p, all + 3 * p);\n"
    "    return error;\n"
    "}\n"
    "\n";

/* A name as a string of C: what is no plain character of it in octal. */
static void print_string(const char *name, struct text *out)
{
    text_printf(out, "\"");
    for (const char *c = name; *c; c++) {
        const bool is_plain = *c >= ' ' && *c <= '~' && *c != '"' && *c != '\\' && *c != '?';
        text_printf(out, is_plain ? "%c" : "\\%03o", (unsigned)(unsigned char)*c);
    }
    text_printf(out, "\"");
}

static void print_machines(const struct cluster_names *names, struct text *out)
{
    text_printf(out, "/* The clusters of the machines of the topology. */\n"
                     "static const struct {\n    const char *name;\n    int cluster;\n"
                     "} collc_machines[] = {\n");
    for (uint32_t i = 0; i < names->n; i++) {
        text_printf(out, "    {");
        print_string(names->machine[i], out);
        text_printf(out, ", %u},\n", (unsigned)names->cluster[i]);
    }
    text_printf(out,
                "};\n\n"
                "/* The cluster of this machine, whose name may have a domain behind it: the longest name\n"
                " * counts. Those that are not in the table are one more. */\n"
                "static int collc_label(void)\n"
                "{\n"
                "    char name[MPI_MAX_PROCESSOR_NAME + 1] = \"\";\n"
                "    int n = (int)(sizeof collc_machines / sizeof *collc_machines);\n"
                "    int length = 0, label = -1;\n"
                "    size_t longest = 0;\n"
                "\n"
                "    MPI_Get_processor_name(name, &length);\n"
                "    for (int i = 0; i < n; i++) {\n"
                "        size_t same = strlen(collc_machines[i].name);\n"
                "\n"
                "        if (same < longest || strncmp(name, collc_machines[i].name, same) != 0 ||\n"
                "            (name[same] != '\\0' && name[same] != '.'))\n"
                "            continue;\n"
                "        label = collc_machines[i].cluster;\n"
                "        longest = same;\n"
                "    }\n"
                "    return label;\n"
                "}\n\n");
}

void c_clusters(const struct c_unit *unit, struct text *out)
{
    if (unit->clusters)
        print_machines(unit->clusters, out);
    else
        text_printf(out, "/* All servers are one cluster: no networks are known. */\n"
                         "static int collc_label(void)\n{\n    return 0;\n}\n\n");
    text_printf(out, "%s", numbering);
}
