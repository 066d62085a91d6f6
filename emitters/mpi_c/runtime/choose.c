/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the algorithm of a call in a library, by the rules of its table. Only what MPI makes
 * equal on all ranks decides.
 */
/* The rules that may act on a communicator, by collective. */
struct collc_choice {
    struct collc_found head;
    struct collc_class *classes;           /* of calls that are tried; NULL: none is */
    uint64_t number[collc_n_keys];         /* of the communicator; of a call UINT64_MAX */
    int asks[collc_n_collectives];         /* bit KEY: some rule asks for it */
    size_t first[collc_n_collectives + 1]; /* index into `rule` */
    const struct collc_rule *rule[];
};

static int collc_may_act(const struct collc_rule *rule, const uint64_t *number)
{
    struct collc_rule of_calls = *rule;

    for (int key = 0; key < collc_n_keys; key++)
        if (number[key] == UINT64_MAX && key != collc_key_per_host)
            of_calls.range[key] = (struct collc_range){0, UINT64_MAX};
    return collc_is_met(&of_calls, number);
}

/* Selects the rules for a communicator. Returns NULL if there is no memory. */
static struct collc_choice *collc_select(const uint64_t *number)
{
    const struct collc_rules *rules = &collc_library.rules;
    const size_t tried = collc_library.tries ? collc_most_classes * sizeof(struct collc_class) : 0;
    struct collc_choice *choice =
        calloc(1, sizeof *choice + rules->n * sizeof *choice->rule + tried);
    size_t n = 0;

    for (int collective = 0; choice && collective < collc_n_collectives; collective++) {
        choice->first[collective] = n;
        for (size_t i = 0; i < rules->n; i++) {
            const struct collc_rule *rule = &rules->items[i];

            if (!collc_is_word(rule->collective, collc_collectives[collective]) ||
                !collc_may_act(rule, number))
                continue;
            choice->rule[n++] = rule;
            for (int key = 0; key < collc_n_keys; key++)
                choice->asks[collective] |= collc_asks(rule, key) << key;
        }
        choice->first[collective + 1] = n;
        if (tried)
            choice->asks[collective] |=
                1 << collc_key_bytes | 1 << collc_key_commutes | 1 << collc_key_exact;
    }
    if (choice)
        memcpy(choice->number, number, sizeof choice->number);
    if (choice && tried)
        choice->classes = (struct collc_class *)(void *)(choice->rule + rules->n);
    return choice;
}

/* Finds hosts, and ranks of each if all have as many; on all ranks. */
static int collc_find_hosts(struct collc_kept *kept, uint64_t *number)
{
    struct collc_comm *own;
    const int error = collc_find_own(kept, &own);

    if (error != MPI_SUCCESS)
        return error;
    number[collc_key_hosts] = (uint64_t)own->servers;
    if (own->slots > 0)
        number[collc_key_per_host] = (uint64_t)own->slots;
    return MPI_SUCCESS;
}

/* Finds the rules of a communicator for which there is a private one. Returns NULL if a rank has no
 * memory for them. */
static const struct collc_choice *collc_find_choice(const struct collc_run *run,
                                                    struct collc_kept *kept)
{
    static char owner;
    uint64_t number[collc_n_keys];
    struct collc_choice *made;
    int is_short, error = MPI_SUCCESS;

    for (struct collc_found *found = kept->found; found; found = found->next)
        if (found->owner == &owner)
            return (struct collc_choice *)(void *)found; /* `head` is its first member */
    for (int key = 0; key < collc_n_keys; key++)
        number[key] = UINT64_MAX;
    number[collc_key_ranks] = (uint64_t)run->p;
    if (collc_library.asks_hosts)
        error = collc_find_hosts(kept, number);
    made = error == MPI_SUCCESS ? collc_select(number) : NULL;
    is_short = !made;
    error = collc_agree(kept->comm, &is_short);
    if (error != MPI_SUCCESS || is_short) {
        free(made);
        return NULL;
    }
    made->head = (struct collc_found){.next = kept->found, .owner = &owner};
    kept->found = &made->head;
    return made;
}

/* Finds the bytes of a block, of unequal ones the mean. Returns 0 if not all ranks know them, -1 if
 * arguments are wrong on this rank. */
static int collc_find_bytes(const struct collc_run *run, uint64_t *bytes)
{
    struct collc_data block = {NULL, 0, MPI_BYTE};
    int64_t count = 0, blocks = 1;
    MPI_Count size = 0;

#if GATHER
    block = run->rank == run->root ? run->to : run->from;
    count = block.count;
#elif SCATTER
    block = run->rank == run->root ? run->from : run->to;
    count = block.count;
#elif ALLGATHERV
    if (!run->to_blocks.counts)
        return -1;
    block.type = run->to_blocks.type;
    for (int i = 0; i < run->p; i++)
        count += run->to_blocks.counts[i];
    blocks = run->p;
#elif REDUCE_SCATTER
    if (!run->from_blocks.counts)
        return -1;
    block.type = run->from_blocks.type;
    for (int i = 0; i < run->p; i++)
        count += run->from_blocks.counts[i];
    blocks = run->p;
#elif COUNTS || BARRIER
    (void)run, (void)bytes;
    return 0;
#else
    block = run->to;
    count = block.count;
#endif
    if (count < 0 || block.type == MPI_DATATYPE_NULL ||
        PMPI_Type_size_x(block.type, &size) != MPI_SUCCESS || size < 0)
        return -1;
    *bytes = (uint64_t)(count * (int64_t)size / blocks);
    return 1;
}

#if REDUCTION
/* Finds whether the operation commutes and is exact, where rules ask for that. Returns 0 if it is
 * none. */
static int collc_find_operation(const struct collc_run *run, int asks, uint64_t *number)
{
    int commutes = 0;

    if (run->op == MPI_OP_NULL)
        return 0;
    if (asks >> collc_key_commutes & 1) {
        if (PMPI_Op_commutative(run->op, &commutes) != MPI_SUCCESS)
            return 0;
        number[collc_key_commutes] = commutes != 0;
    }
    if (asks >> collc_key_exact & 1)
        number[collc_key_exact] = (uint64_t)collc_is_exact(run->op, run->type);
    return 1;
}

#endif
/* Looks a call up. Returns NULL if no rule is for it. O(rules of the collective on the
 * communicator). */
static const struct collc_rule *collc_look_up(const struct collc_choice *choice, int collective,
                                              const uint64_t *number)
{
    for (size_t i = choice->first[collective]; i < choice->first[collective + 1]; i++)
        if (collc_is_met(choice->rule[i], number))
            return choice->rule[i];
    return NULL;
}

#ifdef COLLC_HAS_LARGE
#ifndef COLLC_MOST_SMALL
#define COLLC_MOST_SMALL INT_MAX
#endif

/* True if the data of a call with a large count are few. Wrong arguments are. */
static int collc_is_small(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    return type == MPI_DATATYPE_NULL || count <= 0 ||
           PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0 ||
           count <= COLLC_MOST_SMALL / size;
}

/* The count as an int; a larger one is of elements without data. */
static int collc_small(MPI_Count count)
{
    return count < INT_MAX ? (int)count : INT_MAX;
}

#endif
/* The communicator of this thread's last call. It holds while none is freed, as the handle of a
 * freed one may be that of another. */
static __thread struct {
    MPI_Comm comm;
    unsigned n_forgotten;
    int rank, p;
    struct collc_kept *kept;
    const struct collc_choice *choice;
} collc_last;

static unsigned collc_count_forgotten(void)
{
    return __atomic_load_n(&collc_library.n_forgotten, __ATOMIC_SEQ_CST);
}

/* Finds the private communicator and its rules. Returns 0 if there are none, and says why. */
static int collc_find_rules(struct collc_run *run, MPI_Comm comm)
{
    const unsigned n_forgotten = collc_count_forgotten();
    struct collc_kept *kept;
    const struct collc_choice *choice;

    run->reason = collc_is_no_place;
    if (!collc_is_usable(comm))
        return 0;
    PMPI_Comm_rank(comm, &run->rank);
    PMPI_Comm_size(comm, &run->p);
    run->is_stranger = run->rank > 0;
    if (run->p == 1)
        return 0;
    run->reason = collc_is_full;
    if (collc_find_kept(comm, &kept) != MPI_SUCCESS)
        return 0;
    run->reason = kept ? collc_is_full : collc_is_first;
    if (!kept || kept->comm == MPI_COMM_NULL)
        return 0;
    choice = collc_find_choice(run, kept);
    if (!choice)
        return 0;
    collc_last.comm = comm;
    collc_last.n_forgotten = n_forgotten;
    collc_last.rank = run->rank;
    collc_last.p = run->p;
    collc_last.kept = kept;
    collc_last.choice = choice;
    return 1;
}

#ifdef COLLC_SPY
/* For who includes a file here: the numbers of this thread's call, and a rule in the place of all. */
static __thread struct {
    uint64_t number[collc_n_keys];
    const struct collc_rule *forced;
} collc_seen;

#endif
/* Chooses the algorithm. Returns 0 if the MPI's own collective has to do it, and says why. */
static int collc_choose(struct collc_run *run, MPI_Comm comm, struct collc_kept **kept)
{
    uint64_t number[collc_n_keys];
    int asks;

    if ((collc_last.comm != comm || !collc_last.kept ||
         collc_last.n_forgotten != collc_count_forgotten()) &&
        !collc_find_rules(run, comm))
        return 0;
    *kept = collc_last.kept;
    run->rank = collc_last.rank;
    run->p = collc_last.p;
    run->is_stranger = run->rank > 0;
    memcpy(number, collc_last.choice->number, sizeof number);
    run->reason = collc_is_wrong;
    asks = collc_last.choice->asks[run->collective];
    if (asks >> collc_key_bytes & 1 || run->begin)
        run->is_sized = collc_find_bytes(run, &run->bytes);
    if (run->is_sized < 0 && asks >> collc_key_bytes & 1)
        return 0;
    run->is_sized = run->is_sized > 0;
    if (run->is_sized)
        number[collc_key_bytes] = run->bytes;
#if REDUCTION
#ifdef COLLC_SPY
    asks |= 1 << collc_key_commutes | 1 << collc_key_exact;
#endif
    if (!collc_find_operation(run, asks, number))
        return 0;
#endif
    run->rule = collc_look_up(collc_last.choice, run->collective, number);
    if (collc_last.choice->classes)
        collc_try(run, collc_last.choice->classes, collc_last.kept, number);
#ifdef COLLC_SPY
    memcpy(collc_seen.number, number, sizeof number);
    if (collc_seen.forced &&
        collc_is_word(collc_seen.forced->collective, collc_collectives[run->collective]))
        run->rule = collc_seen.forced;
#endif
    run->reason = run->rule ? collc_is_mpi : collc_is_unnamed;
    if (!run->rule || !run->rule->found)
        return 0;
    run->algorithm = run->rule->found;
    run->has = run->algorithm->has;
    return 1;
}
