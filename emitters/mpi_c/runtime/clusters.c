/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters of servers. MPI does not tell which network joins two processes, so the file has a table of
 * the machines of the topology that it was emitted for, by name, as in PM/Composite (Sumimoto et al.
 * 2000, section 3.1). Without one all servers are one cluster.
 */
#if CLUSTERS
#if MACHINES
/* The cluster of this machine, whose name may have a domain behind it: the longest name
 * counts. Those that are not in the table are one more. */
static int collc_label(void)
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int n = (int)(sizeof collc_machines / sizeof *collc_machines);
    int length = 0, label = -1;
    size_t longest = 0;

    PMPI_Get_processor_name(name, &length);
    for (int i = 0; i < n; i++) {
        size_t same = strlen(collc_machines[i].name);

        if (same < longest || strncmp(name, collc_machines[i].name, same) != 0 ||
            (name[same] != '\0' && name[same] != '.'))
            continue;
        label = collc_machines[i].cluster;
        longest = same;
    }
    return label;
}

#else
/* All servers are one cluster: no networks are known. */
static int collc_label(void)
{
    return 0;
}

#endif
/* Numbers clusters by their lowest servers, and ranks by cluster, server and slot, from the
 * label of each rank's machine; its first rank speaks for a server. */
static void collc_number_clusters(struct collc_comm *own, const int *label, int *is_done)
{
    for (int s = 0, at = 0; s < own->servers; s++) {
        int n_servers = 0, n_ranks = 0;

        if (is_done[s])
            continue;
        for (int t = s; t < own->servers; t++) {
            const int *ranks = own->rank_at + own->first[t];

            if (label[ranks[0]] != label[own->rank_at[own->first[s]]])
                continue;
            is_done[t] = 1;
            n_servers++;
            for (int k = 0; k < own->n_slots[t]; k++, n_ranks++) {
                own->place[ranks[k]] = at;
                own->at_place[at++] = ranks[k];
            }
        }
        if (own->clusters++ == 0) {
            own->cluster_servers = n_servers;
            own->cluster_ranks = n_ranks;
        }
        if (n_servers != own->cluster_servers)
            own->cluster_servers = 0;
        if (n_ranks != own->cluster_ranks)
            own->cluster_ranks = 0;
    }
}

/* COLLC_CLUSTERS=n in the environment makes clusters of n servers each, the last one
 * of fewer: to try out the schedule on one. */
static int collc_find_clusters(MPI_Comm comm, struct collc_comm *own)
{
    const char *servers = getenv("COLLC_CLUSTERS");
    int n = servers ? atoi(servers) : 0;
    int rank, p, label, error;
    int *all;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    own->place = all = own->rank_at + 2 * p;
    own->at_place = all + p;
    label = n > 0 ? own->server[rank] / n : collc_label();
    error = COLLC_ALLGATHER(&label, 1, MPI_INT, all + 2 * p, 1, MPI_INT, comm);
    if (error == MPI_SUCCESS)
        collc_number_clusters(own, all + 2 * p, all + 3 * p);
    return error;
}

#endif
