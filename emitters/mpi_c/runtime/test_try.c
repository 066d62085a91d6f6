/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cases of a test (test.c): both calls on the same data, their results compared, and the times of steps.
 */
static void collc_compare(const struct collc_test *test, int error)
{
    size_t at = 0;

    collc_n_cases++;
    if (error == MPI_SUCCESS && !memcmp(test->ours, test->theirs, test->bytes))
        return;
    while (at < test->bytes && test->ours[at] == test->theirs[at])
        at++;
    if (collc_n_wrong++ == 0)
        printf("collc: %s: rank %d of %d: type %s, count %d, root %d%s: error %d; byte %ld of the "
               "result is the first to differ\n",
               collc_name, test->rank, test->p, test->layout->name, test->count, test->root,
               test->in_place ? ", in place" : "", error, (long)at - collc_margin);
}

/* The most bytes that any buffer of a call has. */
static size_t collc_data_bytes(const struct collc_test *test)
{
#if PATTERN
    size_t n_chunks = collc_most_chunks(test->comm);
#elif NEIGHBORS
    size_t n_chunks = (size_t)(test->n_blocks[0] > test->n_blocks[1] ? test->n_blocks[0] : test->n_blocks[1]);
#elif BCAST || REDUCE || ALLREDUCE || SCAN || EXSCAN
    size_t n_chunks = 1;
#else
    size_t n_chunks = (size_t)test->p;
#endif
    size_t extent = 0;

    for (int side = 0; side < 2; side++) {
        MPI_Aint low, of_type;

        MPI_Type_get_extent(test->layout->type[side], &low, &of_type);
        if (extent < (size_t)of_type * (size_t)test->layout->factor[side])
            extent = (size_t)of_type * (size_t)test->layout->factor[side];
    }
#if TYPES
    extent = collc_extent; /* the unit of places */
#endif
    return (n_chunks * (size_t)test->count * extent + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

#if !COUNTS
/* Prints how long each step takes: from when all ranks have ended the one before to the end of its last rank,
 * and of that the least of ten calls. */
static void collc_time_steps(const struct collc_test *test)
{
    const int n = collc_n_ended;
    int range[2] = {n, -n}; /* the most, and less the least */
    double *least = calloc((size_t)n + 1, 2 * sizeof *least), *times = least + n + 1;

    PMPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, test->comm);
    for (int call = 0; least && range[0] == -range[1] && call < 10; call++) {
        PMPI_Barrier(test->comm);
        collc_step_times = times;
        collc_n_ended = 0;
        collc_step_began = PMPI_Wtime();
        collc_call(test, 1, test->ours + collc_margin);
        collc_step_times = NULL;
        PMPI_Allreduce(MPI_IN_PLACE, times, n, MPI_DOUBLE, MPI_MAX, test->comm);
        for (int i = 0; i < n; i++)
            least[i] = call == 0 || times[i] < least[i] ? times[i] : least[i];
    }
    if (test->rank == 0 && range[0] != -range[1])
        printf("collc: %s: ranks have %d to %d steps: no times\n", collc_name, -range[1], range[0]);
    for (int i = 0; least && test->rank == 0 && range[0] == -range[1] && i < n; i++)
        printf("collc: %s: step %d: %.3f us\n", collc_name, i, 1000000 * least[i]);
    free(least);
}

static int collc_is_timing;
#endif
static void collc_try(struct collc_test *test)
{
    int error;

    test->bytes = collc_data_bytes(test) + 2 * collc_margin;
    test->input = malloc(test->bytes);
    test->ours = malloc(test->bytes);
    test->theirs = malloc(test->bytes);
    if (!test->input || !test->ours || !test->theirs)
        MPI_Abort(MPI_COMM_WORLD, 2);
    collc_fill(test, test->input, test->rank + 50 * test->in_place);
    collc_fill(test, test->ours, test->rank + 50);
    memcpy(test->theirs, test->ours, test->bytes);
#if NEIGHBORS
    const int n_before = collc_n_delegated;

    collc_n_ended = 0;
    error = collc_call(test, 1, test->ours + collc_margin);
    if (collc_n_delegated == n_before)
        collc_call(test, 0, test->theirs + collc_margin);
    else /* MPICH 4.0 exchanges blocks where two are between the same ranks */
        memcpy(test->theirs, test->ours, test->bytes);
#else
    collc_n_ended = 0;
    error = collc_call(test, 1, test->ours + collc_margin);
    collc_call(test, 0, test->theirs + collc_margin);
#endif
    collc_compare(test, error);
#if !COUNTS
    if (collc_is_timing && !test->in_place && test->root == 0)
        collc_time_steps(test);
#endif
    free(test->input);
    free(test->ours);
    free(test->theirs);
}

#if IN_PLACE || REDUCE_SCATTER
/* Not in place and, unless that is left to the MPI's own, in place: the MPI's own
 * reduce_scatter may then write behind the result. */
static void collc_try_both(struct collc_test *test)
{
    int before = collc_n_delegated;

    test->in_place = 0;
    collc_try(test);
    test->in_place = 1;
    if (collc_n_delegated == before && test->layout->type[0] == test->layout->type[1])
        collc_try(test);
}

#elif PATTERN || NEIGHBORS
static void collc_try_both(struct collc_test *test)
{
    test->in_place = 0;
    collc_try(test);
}

#elif !BCAST
static void collc_try_both(struct collc_test *test)
{
    test->in_place = 0;
    collc_try(test);
    test->in_place = 1;
    if (test->layout->type[0] == test->layout->type[1])
        collc_try(test);
}

#endif
#if ROOT
static void collc_try_all(struct collc_test *test)
{
    for (test->root = 0; test->root < test->p; test->root++)
        if (test->root < 5 || test->root == test->p - 1)
#if BCAST
            collc_try(test);
#else
            collc_try_both(test);
#endif
}

#endif
#if KNOWN
/* The known counts, if they are whole numbers of what the layout counts. 0: they are not, or are
 * for another number of ranks; 2: both directions have the same, as in place. */
static int collc_use_known(struct collc_test *test)
{
    const int p = test->p;
    int size, unit, most = 0, is_symmetric = 1;

    if (p != collc_known_ranks)
        return 0;
    MPI_Type_size(test->layout->type[0], &size);
    unit = size * test->layout->factor[0];
    for (int i = 0; i < p * p; i++) {
        if (collc_bytes[i] % unit)
            return 0;
        most = collc_bytes[i] > most ? collc_bytes[i] : most;
        is_symmetric = is_symmetric && collc_bytes[i] == collc_bytes[i % p * p + i / p];
    }
    test->known_unit = unit;
    test->count = most / unit + 1;
    return 1 + is_symmetric;
}

/* The counts that the table is for; then others on two ranks only, with which all ranks must leave
 * it to the MPI. */
static void collc_try_known(struct collc_test *test)
{
    const int is_known = collc_use_known(test);
    int before;

    if (!is_known)
        return;
    for (test->pattern = 0; test->pattern < 3; test->pattern++)
        if (is_known > 1)
            collc_try_both(test);
        else
            collc_try(test);
    before = collc_n_delegated;
    test->is_other = 1;
    test->in_place = 0;
    collc_try(test);
    if (collc_n_delegated == before && collc_n_wrong++ == 0)
        printf("collc: %s: rank %d of %d does not see other counts\n", collc_name, test->rank,
               test->p);
    collc_n_delegated = before;
}

#endif
static void collc_try_layouts(MPI_Comm comm, const struct collc_layout *layouts, int n, int count)
{
    struct collc_test test = {0};

    test.comm = comm;
#if COUNTS
    test.unit = count;
    test.count = 2 * count + 4;
#else
    test.count = count;
#endif
    MPI_Comm_rank(comm, &test.rank);
    MPI_Comm_size(comm, &test.p);
#if NEIGHBORS
    struct collc_run run = {.rank = test.rank};
    int kind = collc_count_neighbors(comm, test.rank, &test.n_blocks[0], &test.n_blocks[1]);
    struct collc_neighbors *of = collc_new_neighbors(kind, test.n_blocks[0], test.n_blocks[1]);

    if (!of || collc_list_neighbors(comm, kind, run.rank, of) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    test.is_cartesian = of->is_cartesian;
    test.neighbor[0] = of->out;
    test.neighbor[1] = of->in;
#endif
#if KNOWN
    for (int i = 0; test.p == collc_known_ranks && i < n; i++) {
        test = (struct collc_test){
            .comm = comm, .rank = test.rank, .p = test.p, .layout = &layouts[i]};
        collc_try_known(&test);
    }
    if (test.p == collc_known_ranks)
        return;
#endif
#if COUNTS
    for (int i = 0; i < n * collc_n_patterns; i++) {
        test.layout = &layouts[i / collc_n_patterns];
        test.pattern = i % collc_n_patterns;
        if ((test.pattern + i / collc_n_patterns) % 2 == 0)
#if ROOT
            collc_try_all(&test);
#else
            collc_try_both(&test);
#endif
    }
#else
    for (int i = 0; i < n; i++) {
        test.layout = &layouts[i];
#if ROOT
        collc_try_all(&test);
#else
        collc_try_both(&test);
#endif
    }
#endif
#if NEIGHBORS
    free(of);
#endif
}

#if NEIGHBORS
/* Communicators with neighbours: grids that wrap round and that do not, all around on a grid, and a graph of
 * unlike ranks, with some pairs twice. Returns 0 behind the last one. */
static int collc_make_topology(int i, MPI_Comm *comm)
{
    int rank, p, n = 0, extent[3] = {0}, wraps[3] = {1, i != 1, i != 1}, to[16], weight[16];
    const int dimensions = i == 1 ? 3 : 2;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, dimensions, extent);
    if (i < 2)
        MPI_Cart_create(MPI_COMM_WORLD, dimensions, extent, wraps, 0, comm);
    for (int k = 0; i == 2 && k < 9; k++) {
        const int row = (rank / extent[1] + k / 3 + extent[0] - 1) % extent[0];
        const int column = (rank % extent[1] + k % 3 + extent[1] - 1) % extent[1];

        if (k != 4)
            to[n++] = row * extent[1] + column;
    }
    for (int k = 0; i == 3 && k < 4; k++)
        if ((rank + k) % 3)
            to[n++] = (rank * rank + k / 2) % p;
    for (int k = 0; k < n; k++)
        weight[k] = 1;
    if (i == 2 || i == 3)
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &n, to, weight, MPI_INFO_NULL, 0, comm);
    return i < 4;
}

#endif
/* Two integers, three apart, in an extent that begins before them. */
static MPI_Datatype collc_make_strided(void)
{
    MPI_Datatype pair, strided;

    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
    MPI_Type_create_resized(pair, -4, collc_extent, &strided);
    MPI_Type_commit(&strided);
    MPI_Type_free(&pair);
    return strided;
}

static void collc_test_counts(int n_counts, char **counts)
{
#if COUNTS
    static const int usual[] = {100, 0, 1, 37};
#else
    static const int usual[] = {1000, 0, 1, 337};
#endif
    MPI_Datatype strided = collc_make_strided();
#if REDUCTION
    MPI_Op add, compose;
    struct collc_layout layouts[] = {
        {"int", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_SUM},
        {"double", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_SUM},
        {"byte", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_BXOR},
        {"strided", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},
        {"int, not commutative", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},
    };
#else
    const struct collc_layout layouts[] = {
        {"int", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},
        {"double", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_OP_NULL},
        {"byte", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_OP_NULL},
        {"strided", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},
        {"strided to int", {strided, MPI_INT}, {1, 2}, 0, MPI_OP_NULL},
        {"int to strided", {MPI_INT, strided}, {2, 1}, 0, MPI_OP_NULL},
    };
#endif
    int n = (int)(sizeof layouts / sizeof *layouts), rank;
    MPI_Comm reversed;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if !NEIGHBORS
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
#endif
#if REDUCTION
    MPI_Op_create(collc_add_strided, 1, &add);
    MPI_Op_create(collc_compose, 0, &compose);
    layouts[3].op = add;
    layouts[4].op = compose;
#endif
#if NEIGHBORS
    for (int i = 0; collc_make_topology(i, &reversed); i++) {
        for (int k = 0; k < 4; k++)
            collc_try_layouts(reversed, layouts, n, usual[k]);
        for (int k = 0; k < n_counts; k++)
            collc_try_layouts(reversed, layouts, n, atoi(counts[k]));
        MPI_Comm_free(&reversed);
    }
    MPI_Type_free(&strided);
    return;
#endif
    collc_try_layouts(MPI_COMM_WORLD, layouts, n, usual[0]);
    if (collc_n_delegated < collc_n_cases) { /* else the MPI would be compared with itself */
#if !KNOWN
        for (int i = 1; i < 4; i++)
            collc_try_layouts(MPI_COMM_WORLD, layouts, n, usual[i]);
        for (int i = 0; i < n_counts; i++) {
#if !COUNTS
            collc_is_timing = !strncmp(counts[i], "steps=", 6);
            if (collc_is_timing) {
                collc_try_layouts(MPI_COMM_WORLD, layouts, 1, atoi(counts[i] + 6));
                continue;
            }
#endif
            collc_try_layouts(MPI_COMM_WORLD, layouts, n, atoi(counts[i]));
        }
#if !COUNTS
        collc_is_timing = 0;
#endif
#else
        (void)counts, (void)n_counts;
#endif
        collc_try_layouts(reversed, layouts, n, 100);
    }
    MPI_Comm_free(&reversed);
    MPI_Type_free(&strided);
#if REDUCTION
    MPI_Op_free(&add);
    MPI_Op_free(&compose);
#endif
}

