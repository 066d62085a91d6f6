/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map of ranks (docs/mapping.md): the steps count in the numbers of the algorithm, `run->number` and
 * `run->lead` for the rank and the root. collc_rank_of converts a number to a rank where a message or
 * chunk is looked up. The table is for one number of ranks; with any other, every number is its rank.
 */
#if ROOT
/* The rank that runs `number` of the algorithm. The root of the call changes
 * places with the one that the map was made for. */
#else
/* The rank that runs `number` of the algorithm. */
#endif
static int64_t collc_rank_of(const struct collc_run *run, int64_t number)
{
    if (!run->is_mapped)
        return number;
#if ROOT
    if (number == COLLC_LEAD)
        return run->root;
    if (number == run->stand_in)
        return COLLC_LEAD_RANK;
#endif
    return collc_map[number];
}

#if ROOT
/* Finds the numbers of this rank and of the root in the algorithm. */
#else
/* Finds the numbers of this rank in the algorithm. */
#endif
static void collc_renumber(struct collc_run *run)
{
    run->is_mapped = run->p == COLLC_MAP_RANKS;
    run->number = run->rank;
#if ROOT
    run->lead = run->is_mapped ? COLLC_LEAD : run->root;
    for (int i = 0; run->is_mapped && i < run->p; i++)
        if (collc_map[i] == run->root)
            run->stand_in = i;
#endif
    for (int i = 0; run->is_mapped && i < run->p; i++)
        if (collc_rank_of(run, i) == run->rank)
            run->number = i;
}

#if PLACE
/* Where a chunk lies: that of a number, at its rank. */
static int64_t collc_place_of(const struct collc_run *run, int which, int64_t chunk)
{
#if ALLTOALL
    int is_by_rank = which == in || which == out;
#elif ALLGATHER || GATHER
    int is_by_rank = which == out;
#else
    int is_by_rank = which == in;
#endif

#if SEGMENTS
    return is_by_rank ? collc_rank_of(run, chunk / run->segments) * run->segments +
                            chunk % run->segments
                      : chunk;
#else
    return is_by_rank ? collc_rank_of(run, chunk) : chunk;
#endif
}

#endif
