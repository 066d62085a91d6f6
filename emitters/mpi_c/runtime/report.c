/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts the calls of a library, for the file that COLLC_REPORT names.
 */
struct collc_tally {
    int64_t calls, sized, bytes, ns; /* sized: calls of which the bytes are known */
    int64_t most, least; /* bytes; least: negative, as the largest of all ranks is taken */
};

static struct collc_tally collc_done[collc_n_algorithms];
static struct collc_tally collc_left[collc_n_collectives][collc_n_reasons];

/* The time in ns, or 0 if there is no report. */
static int64_t collc_begin(void)
{
    return collc_library.is_reporting ? collc_now() : 0;
}

#ifdef COLLC_SPY
#include COLLC_SPY
#endif

/* Counts a call that has ended. Its first rank counts it for all. */
static void collc_count(const struct collc_run *run)
{
    struct collc_tally *tally = run->algorithm ? &collc_done[run->algorithm - collc_algorithms]
                                               : &collc_left[run->collective][run->reason];
    const int64_t bytes = run->is_sized ? (int64_t)run->bytes : 0, ns = collc_now() - run->begin;

    if (run->trial)
        collc_take_turn(run, ns);
    if (run->algorithm && run->reason != collc_n_reasons)
        tally = &collc_left[run->collective][run->reason];
#ifdef COLLC_SPY
    collc_spy(run);
#endif
    if (run->is_stranger)
        return;
    pthread_mutex_lock(&collc_library.lock);
    if (run->is_sized) {
        tally->least = tally->sized == 0 || -bytes > tally->least ? -bytes : tally->least;
        tally->most = bytes > tally->most ? bytes : tally->most;
    }
    tally->calls++;
    tally->sized += run->is_sized;
    tally->bytes += bytes;
    tally->ns += ns;
    pthread_mutex_unlock(&collc_library.lock);
}

/* Adds up what all ranks have counted, on rank 0. */
static int collc_gather_tally(struct collc_tally *tally, int n)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < n && error == MPI_SUCCESS; i++) {
        struct collc_tally mine = tally[i];

        if (mine.sized == 0)
            mine.least = INT64_MIN;
        error = collc_real.Reduce(&mine, &tally[i], 4, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (error == MPI_SUCCESS)
            error = collc_real.Reduce(&mine.most, &tally[i].most, 2, MPI_INT64_T, MPI_MAX, 0,
                                      MPI_COMM_WORLD);
    }
    return error;
}

static void collc_print_tally(FILE *file, const char *collective, const char *what,
                              const struct collc_tally *tally)
{
    char least[24] = "-", most[24] = "-";

    if (tally->calls == 0)
        return;
    if (tally->sized > 0) {
        snprintf(least, sizeof least, "%lld", -(long long)tally->least);
        snprintf(most, sizeof most, "%lld", (long long)tally->most);
    }
    fprintf(file, "%-20s %-28s %10lld %12s %12s %14lld %14.3f\n", collective, what,
            (long long)tally->calls, least, most, (long long)tally->bytes,
            (double)tally->ns * 1e-6);
}

static void collc_print_report(FILE *file)
{
    static const char *const reasons[collc_n_reasons] = {
        "MPI: library off", "MPI: one rank or inter", "MPI: arguments",
        "MPI: first calls", "MPI: no communicator",   "MPI: no rule",
        "MPI: by rule",     "MPI: not defined here"};

    fprintf(file, "# collc %s, table %s\n", collc_library_version, collc_library.name);
    if (!collc_library.is_on)
        fprintf(file, "# off: %s\n", collc_library.why_off);
    fprintf(file, "%-20s %-28s %10s %12s %12s %14s %14s\n", "# collective", "algorithm", "calls",
            "least", "most", "bytes", "ms");
    for (int i = 0; i < collc_n_algorithms; i++)
        collc_print_tally(file, collc_collectives[collc_algorithms[i].collective],
                          collc_algorithms[i].name, &collc_done[i]);
    for (int i = 0; i < collc_n_collectives; i++)
        for (int reason = 0; reason < collc_n_reasons; reason++)
            collc_print_tally(file, collc_collectives[i], reasons[reason], &collc_left[i][reason]);
    collc_print_tried(file, "# tried: ");
}

/* Writes the report, before MPI ends. */
static void collc_report(void)
{
    int rank = 1;
    int error = collc_gather_tally(collc_done, collc_n_algorithms);
    const char *name = getenv("COLLC_REPORT");
    FILE *file;

    if (error == MPI_SUCCESS)
        error = collc_gather_tally(&collc_left[0][0], collc_n_collectives * collc_n_reasons);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (error != MPI_SUCCESS || rank != 0 || !name || !*name)
        return;
    file = fopen(name, "w");
    if (file)
        collc_print_report(file);
    if (!file || fclose(file) != 0)
        fprintf(stderr, "collc: '%s' cannot be written\n", name);
}
