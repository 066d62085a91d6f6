/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses while the program runs (COLLC_TRY): on the first calls of a collective with about as many
 * bytes the candidates take turns, behind a barrier. All ranks compare the same times, the longest
 * of all ranks, so all keep the same algorithm.
 */
enum { collc_most_classes = 64, collc_most_tries = 1000, collc_hopeless = 3 };

/* Calls on a communicator that have one choice. */
struct collc_class {
    int collective, operation; /* operation: 1 if it commutes, 2 if it is exact, 3 if both */
    int size; /* b: 2^(b-1) to 2^b - 1 bytes; 0: none; -1: not known to all ranks */
    int is_used;
    const struct collc_rule *best; /* NULL: what the table says */
    struct collc_trial *trial;     /* NULL: it is over */
};

/* The candidates of a class. Each has a turn in each round, the first of which counts little. */
struct collc_trial {
    struct collc_found head;
    struct collc_class *class;
    struct collc_kept *kept;
    uint64_t number[collc_n_keys]; /* of its first call */
    int n, at, round;
    const struct collc_rule **rule; /* [n] the first one is that of the table, or NULL */
    int64_t *ns;                    /* [n][1 + tries] */
    int64_t *time;                  /* [n] by which they are compared */
    unsigned char *is_out;          /* [n] */
};

/* The time in ns; not 0. */
static int64_t collc_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + 1;
}

/* True if the rules have the same algorithm with the same parameters. NULL stands for the MPI's
 * own. */
static int collc_is_same(const struct collc_rule *a, const struct collc_rule *b)
{
    if (!a || !a->found || !b || !b->found)
        return (!a || !a->found) && (!b || !b->found);
    return a->found == b->found && a->is_set == b->is_set &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* Adds a candidate. Of its conditions those count that are about results. Returns 0 if there is no
 * memory. */
static int collc_add_candidate(struct collc_rule rule, const char *collective)
{
    struct collc_rules *all = &collc_library.candidates;

    for (int key = 0; key < collc_key_commutes; key++)
        rule.range[key] = (struct collc_range){0, UINT64_MAX};
    rule.collective = (struct collc_word){collective, strlen(collective)};
    rule.is_had = 0;
    if (!collc_more_rules(all))
        return 0;
    all->items[all->n++] = rule;
    return 1;
}

/* Adds what a line of the table has for a collective. Returns 0 if there is no memory. */
static int collc_add_line(const struct collc_rule *line, int collective)
{
    struct collc_rule rule = *line;
    int is_added = 1;

    if (!line->is_had || !collc_is_word(line->algorithm, "*"))
        return collc_add_candidate(rule, collc_collectives[collective]);
    for (int i = 0; i < collc_n_algorithms && is_added; i++) {
        rule.found = &collc_algorithms[i];
        if (collc_algorithms[i].collective == collective)
            is_added = collc_add_candidate(rule, collc_collectives[collective]);
    }
    return is_added;
}

/* Lists the candidates: what lines of the table name, and the MPI's own. Returns 0 if there is no
 * memory. */
static int collc_find_candidates(void)
{
    const struct collc_rules *rules = &collc_library.rules;
    int is_added = 1;

    for (int c = 0; c < collc_n_collectives && is_added; c++) {
        struct collc_rule mpi = {.found = NULL};

        for (int key = 0; key < collc_n_keys; key++)
            mpi.range[key].last = UINT64_MAX;
        for (size_t i = 0; i < rules->n && is_added; i++)
            if (collc_is_word(rules->items[i].collective, collc_collectives[c]) ||
                (rules->items[i].is_had && collc_is_word(rules->items[i].collective, "*")))
                is_added = collc_add_line(&rules->items[i], c);
        is_added = is_added && collc_add_candidate(mpi, collc_collectives[c]);
    }
    return is_added;
}

/* True if the candidate is for the call, and no earlier one is the same. */
static int collc_is_candidate(const struct collc_run *run, const uint64_t *number, size_t which)
{
    const struct collc_rule *all = collc_library.candidates.items, *rule = &all[which];
    const char *collective = collc_collectives[run->collective];

    if (!collc_is_word(rule->collective, collective) || !collc_is_met(rule, number) ||
        collc_is_same(run->rule, rule))
        return 0;
    for (size_t i = 0; i < which; i++)
        if (collc_is_word(all[i].collective, collective) && collc_is_met(&all[i], number) &&
            collc_is_same(&all[i], rule))
            return 0;
    return 1;
}

/* Begins to try the candidates of a class, unless a rank has no memory or there is but one. */
static void collc_begin_trial(const struct collc_run *run, struct collc_class *class,
                              struct collc_kept *kept, const uint64_t *number)
{
    const size_t n_all = collc_library.candidates.n, times = 1 + (size_t)collc_library.tries;
    struct collc_trial *trial;
    size_t n = 1; /* what the table says */
    int is_short;

    for (size_t i = 0; i < n_all; i++)
        n += (size_t)collc_is_candidate(run, number, i);
    if (n == 1)
        return;
    trial = calloc(1, sizeof *trial +
                          n * ((times + 1) * sizeof(int64_t) + sizeof(struct collc_rule *) + 1));
    is_short = !trial;
    if (collc_agree(kept->comm, &is_short) != MPI_SUCCESS || is_short) {
        free(trial);
        return;
    }
    *trial =
        (struct collc_trial){.head = {.next = kept->found}, .class = class, .kept = kept, .n = 1};
    memcpy(trial->number, number, sizeof trial->number);
    trial->ns = (int64_t *)(void *)(trial + 1);
    trial->time = trial->ns + n * times;
    trial->rule = (const struct collc_rule **)(void *)(trial->time + n);
    trial->is_out = (unsigned char *)(trial->rule + n);
    trial->rule[0] = run->rule;
    for (size_t i = 0; i < n_all; i++)
        if (collc_is_candidate(run, number, i))
            trial->rule[trial->n++] = &collc_library.candidates.items[i];
    kept->found = &trial->head;
    class->trial = trial;
}

/* Ends a trial: the class keeps the rule, or what the table says. */
static void collc_end_trial(struct collc_trial *trial, const struct collc_rule *best)
{
    struct collc_found **at = &trial->kept->found;

    while (*at != &trial->head)
        at = &(*at)->next;
    *at = trial->head.next;
    trial->class->best = best;
    trial->class->trial = NULL;
    free(trial);
}

/* Gives the call its candidate, or what was the fastest; on all ranks alike. */
static void collc_try(struct collc_run *run, struct collc_class *classes, struct collc_kept *kept,
                      const uint64_t *number)
{
    const int size = !run->is_sized ? -1 : run->bytes ? 64 - __builtin_clzll(run->bytes) : 0;
    const int operation = (number[collc_key_commutes] == 1) | (number[collc_key_exact] == 1) << 1;
    int i = 0;

    while (i < collc_most_classes && classes[i].is_used &&
           (classes[i].collective != run->collective || classes[i].size != size ||
            classes[i].operation != operation))
        i++;
    if (i == collc_most_classes)
        return;
    if (!classes[i].is_used) {
        classes[i] = (struct collc_class){run->collective, operation, size, .is_used = 1};
        collc_begin_trial(run, &classes[i], kept, number);
    }
    if (classes[i].best)
        run->rule = classes[i].best;
    run->trial = classes[i].trial;
    if (!run->trial)
        return;
    if (run->trial->at > 0)
        run->rule = run->trial->rule[run->trial->at];
    collc_real.Barrier(kept->comm);
    run->begin = collc_now();
}

/* Appends to a text that has room. */
__attribute__((format(printf, 3, 4))) static void collc_put(char *text, size_t room,
                                                            const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}

/* Appends the algorithm with its parameters. */
static void collc_put_rule(const struct collc_rule *rule, char *text, size_t room)
{
    const struct collc_algorithm *algorithm = rule ? rule->found : NULL;

    collc_put(text, room, "%s", algorithm ? algorithm->name : "mpi");
    for (int k = 0; algorithm && k < collc_most_parameters && algorithm->parameter[k]; k++)
        if (rule->is_set >> k & 1)
            collc_put(text, room, " %s=%lld", algorithm->parameter[k], (long long)rule->value[k]);
}

/* Appends the conditions of the calls that were compared. */
static void collc_put_conditions(const struct collc_trial *trial, char *text, size_t room)
{
    static const char *const keys[] = {"bytes", "ranks", "hosts", "per_host", "commutes", "exact"};
    const uint64_t *number = trial->number;
    const int size = trial->class->size;

    if (size >= 0)
        collc_put(text, room, " bytes=%llu..%llu", size ? 1ull << (size - 1) : 0,
                  size ? (2ull << (size - 1)) - 1 : 0);
    for (int key = collc_key_ranks; key < collc_n_keys; key++)
        if (number[key] != UINT64_MAX && key < collc_key_commutes)
            collc_put(text, room, " %s=%llu", keys[key], (unsigned long long)number[key]);
        else if (number[key] != UINT64_MAX)
            collc_put(text, room, " %s=%s", keys[key], number[key] ? "yes" : "no");
}

/* Keeps a line for the end of the program. One for which there is no memory is left out. */
static void collc_keep_line(const char *line)
{
    size_t had;
    char *more;

    pthread_mutex_lock(&collc_library.lock);
    had = collc_library.tried ? strlen(collc_library.tried) : 0;
    more = realloc(collc_library.tried, had + strlen(line) + 1);
    if (more) {
        memcpy(more + had, line, strlen(line) + 1);
        collc_library.tried = more;
    }
    pthread_mutex_unlock(&collc_library.lock);
}

/* Notes a choice on the lowest rank: a rule, or a comment if the table's own stays. */
static void collc_note_choice(const struct collc_trial *trial, int best)
{
    char line[700] = "";
    int rank = 1, other = 0;

    PMPI_Comm_rank(trial->kept->comm, &rank);
    if (rank != 0)
        return;
    for (int i = 1; i < trial->n && best == 0; i++)
        if (trial->time[i] > 0 && (other == 0 || trial->time[i] < trial->time[other]))
            other = i;
    collc_put(line, sizeof line, "%s%s", best ? "" : "# ",
              collc_collectives[trial->class->collective]);
    collc_put_conditions(trial, line, sizeof line);
    collc_put(line, sizeof line, " use ");
    collc_put_rule(trial->rule[best], line, sizeof line);
    collc_put(line, sizeof line, " # %s%.3f us, of %d; ",
              best ? "" : "stays: ", (double)trial->time[best] * 1e-3, trial->n);
    collc_put_rule(trial->rule[other], line, sizeof line);
    collc_put(line, sizeof line, " %.3f us\n", (double)trial->time[other] * 1e-3);
    collc_keep_line(line);
}

static int collc_order(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

    return (first > second) - (first < second);
}

/* The time of a candidate: after two rounds the lesser, at the end the median of all but the first. */
static int64_t collc_time_of(const struct collc_trial *trial, int i)
{
    int64_t *ns = trial->ns + i * (1 + collc_library.tries);

    if (trial->round <= collc_library.tries)
        return ns[0] < ns[1] ? ns[0] : ns[1];
    qsort(ns + 1, (size_t)collc_library.tries, sizeof *ns, collc_order);
    return ns[1 + (collc_library.tries - 1) / 2];
}

/* Compares times that are equal on all ranks: leaves out what is hopeless, and decides at the end.
 * The table's own stays unless another one is faster by more than 2 %. Returns 0 if it is decided. */
static int collc_compare(struct collc_trial *trial)
{
    const int n = trial->n * (1 + collc_library.tries);
    int best = -1, n_left = 0;

    if (collc_real.Allreduce(MPI_IN_PLACE, trial->ns, n, MPI_INT64_T, MPI_MAX, trial->kept->comm) !=
        MPI_SUCCESS) {
        collc_end_trial(trial, NULL);
        return 0;
    }
    for (int i = 0; i < trial->n; i++) {
        if (trial->is_out[i])
            continue;
        trial->time[i] = collc_time_of(trial, i);
        if (best < 0 || trial->time[i] < trial->time[best])
            best = i;
    }
    for (int i = 0; i < trial->n; i++) {
        trial->is_out[i] |= trial->time[i] > collc_hopeless * trial->time[best];
        n_left += !trial->is_out[i];
    }
    if (n_left > 1 && trial->round <= collc_library.tries)
        return 1;
    if (trial->time[0] / 100 * 98 <= trial->time[best])
        best = 0;
    collc_note_choice(trial, best);
    collc_end_trial(trial, best > 0 ? trial->rule[best] : NULL);
    return 0;
}

/* Takes the time of a call that was a turn. A candidate that is not defined for it is out. */
static void collc_take_turn(const struct collc_run *run, int64_t ns)
{
    struct collc_trial *trial = run->trial;

    trial->ns[trial->at * (1 + collc_library.tries) + trial->round] = ns;
    if (run->reason == collc_is_undefined && trial->at > 0)
        trial->is_out[trial->at] = 1;
    do
        trial->at++;
    while (trial->at < trial->n && trial->is_out[trial->at]);
    if (trial->at < trial->n)
        return;
    trial->at = 0;
    trial->round++;
    if ((trial->round == 2 || trial->round > collc_library.tries) && !collc_compare(trial))
        return;
    while (trial->is_out[trial->at])
        trial->at++;
}
