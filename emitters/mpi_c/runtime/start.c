/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins and ends a library: MPI_Init reads the table and compares it on all ranks, MPI_Finalize
 * writes the report.
 */
/* Finds a function of the MPI, behind this library. */
static void collc_find(const char *name, void *function, size_t bytes)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, bytes);
}

/* True if the program has another MPI than the one that this library was compiled for: their
 * handles are not alike. */
static int collc_is_foreign(void)
{
#ifdef OPEN_MPI
    static const char own[] = "Open MPI";
#else
    static const char own[] = "MPICH";
#endif
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 8192] = "";
    int length = 0, (*ask)(char *, int *) = NULL;

    collc_find("PMPI_Get_library_version", &ask, sizeof ask);
    if (ask)
        ask(version, &length);
    return version[0] != '\0' && !strstr(version, own) &&
           (strstr(version, "Open MPI") || strstr(version, "MPICH"));
}

/* Leaves this library out of LD_PRELOAD. Returns 0 if it is not there. */
static int collc_leave_preload(const char *file)
{
    const char *list = getenv("LD_PRELOAD");
    char *left = list ? calloc(strlen(list) + 1, 1) : NULL;
    int is_there = 0;

    for (size_t n; left && *list; list += n + (list[n] != '\0')) {
        n = strcspn(list, ": ");
        if (n == strlen(file) && strncmp(list, file, n) == 0)
            is_there = 1;
        else if (n > 0) {
            strcat(left, *left ? ":" : "");
            strncat(left, list, n);
        }
    }
    if (is_there)
        setenv("LD_PRELOAD", left, 1);
    free(left);
    return is_there;
}

/* Starts the program again without this library, which is for another MPI; before any of its code
 * has run. */
static void collc_give_up(char **argv)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    const char *rank = NULL;
    Dl_info here;

    for (size_t i = 0; !rank && i < sizeof ranks / sizeof *ranks; i++)
        rank = getenv(ranks[i]);
    if (!rank || strcmp(rank, "0") == 0)
        fprintf(stderr,
                "collc: the library is not for the MPI of this program: all collectives are the "
                "MPI's own\n");
    if (dladdr(&collc_library, &here) && collc_leave_preload(here.dli_fname))
        execv("/proc/self/exe", argv);
    fprintf(stderr, "collc: the program cannot run with this library: leave it out\n");
    _exit(2);
}

static const void *collc_base_of(const char *name)
{
    Dl_info info;
    void *found = dlsym(RTLD_NEXT, name);

    return found && dladdr(found, &info) ? info.dli_fbase : NULL;
}

/* Finds a tool that has MPI's function behind this library, but not the one with a P before its
 * name, which it calls. */
static void collc_find_tool(const char *with_p, void *function, size_t bytes)
{
    const void *base = collc_base_of(with_p + 1);

    if (base && base != collc_base_of(with_p) && base != collc_base_of("PMPI_Comm_rank"))
        collc_find(with_p + 1, function, bytes);
}

/* True if another library of this kind comes before this one: its functions are called, these are
 * not. Sets where both are loaded from. */
static int collc_is_second(Dl_info *first, Dl_info *second)
{
    const void *version = dlsym(RTLD_DEFAULT, "collc_library_version");

    return version && dladdr(version, first) && dladdr(&collc_library, second) &&
           first->dli_fbase != second->dli_fbase;
}

/* Reads the file into collc_library.text. Returns 0 if it cannot be read. */
static int collc_read_file(const char *name, size_t *length)
{
    enum { most = 1 << 26 };
    FILE *file = fopen(name, "rb");
    size_t room = 0;

    *length = 0;
    while (file && !feof(file) && !ferror(file) && *length < most) {
        if (*length + 1 >= room) {
            char *more = realloc(collc_library.text, room = 2 * room + 4096);

            if (!more)
                break;
            collc_library.text = more;
        }
        *length += fread(collc_library.text + *length, 1, room - *length, file);
    }
    if (!file)
        return 0;
    room = (size_t)(feof(file) && !ferror(file));
    fclose(file);
    return room != 0;
}

/* Puts the table that is built in together, in collc_library.text. Returns 0 if there is no memory.
 */
static int collc_join_table(size_t *length)
{
    size_t at = 0;

    *length = 0;
    for (size_t i = 0; i < sizeof collc_table / sizeof *collc_table; i++)
        *length += strlen(collc_table[i]);
    collc_library.text = malloc(*length + 1);
    for (size_t i = 0; collc_library.text && i < sizeof collc_table / sizeof *collc_table; i++) {
        memcpy(collc_library.text + at, collc_table[i], strlen(collc_table[i]));
        at += strlen(collc_table[i]);
    }
    return collc_library.text != NULL;
}

/* Finds the algorithm that a rule names, and sorts its parameters as the algorithm has them.
 * Returns the fault, or NULL. */
static const char *collc_resolve(struct collc_rule *rule)
{
    const struct collc_algorithm *algorithm = NULL;
    int64_t value[collc_most_parameters] = {0};
    unsigned is_set = 0;

    if (rule->is_had && (!collc_library.tries || collc_is_word(rule->algorithm, "*")))
        return NULL;
    if (collc_is_word(rule->algorithm, "mpi"))
        return rule->n_parameters > 0 ? "the MPI's own decision has no parameters" : NULL;
    for (int i = 0; !algorithm && i < collc_n_algorithms; i++)
        if (collc_is_word(collc_algorithm_name(rule->algorithm), collc_algorithms[i].name) &&
            collc_is_word(rule->collective, collc_collectives[collc_algorithms[i].collective]))
            algorithm = &collc_algorithms[i];
    if (!algorithm)
        return "the library has no such algorithm";
    for (int i = 0; i < rule->n_parameters; i++) {
        int k = 0;

        while (k < collc_most_parameters && algorithm->parameter[k] &&
               !collc_is_word(rule->parameter[i], algorithm->parameter[k]))
            k++;
        if (k == collc_most_parameters || !algorithm->parameter[k])
            return "the algorithm has no such parameter";
        value[k] = rule->value[i];
        is_set |= 1u << k;
    }
    memcpy(rule->value, value, sizeof value);
    rule->is_set = is_set;
    rule->found = algorithm;
    return NULL;
}

/* The length of a word in a message. */
static int collc_shown(struct collc_word word)
{
    return word.length < 80 ? (int)word.length : 80;
}

/* Reads a number of turns. Returns 0 if it is none. */
static int collc_read_tries(const char *text)
{
    uint64_t number = 0;

    if (!collc_read_number((struct collc_word){text, strlen(text)}, 0, &number) ||
        number > collc_most_tries)
        return 0;
#ifndef COLLC_SPY
    collc_library.tries = (int)number;
#endif
    return 1;
}

/* Reads the table. Returns 0 and a line that says why it cannot be used. */
static int collc_load(char *why, size_t room)
{
    const char *name = getenv("COLLC_TABLE"), *tries = getenv("COLLC_TRY"), *text;
    size_t length = 0;
    struct collc_fault fault = {0};
    uint32_t mark = 2166136261u;

    collc_library.name = name && *name ? name : "the table built in";
    if (!(name && *name ? collc_read_file(name, &length) : collc_join_table(&length))) {
        snprintf(why, room, "%s cannot be read", collc_library.name);
        return 0;
    }
    text = collc_library.text;
    collc_library.length = length;
    if (tries && *tries && !collc_read_tries(tries)) {
        snprintf(why, room, "COLLC_TRY is '%.80s', and should be a number of turns, 1 to %d", tries,
                 collc_most_tries);
        return 0;
    }
    if (!collc_read_rules(text, length, &collc_library.rules, &fault)) {
        snprintf(why, room, "%s:%d: %s: '%.*s'", collc_library.name, fault.line, fault.cause,
                 collc_shown(fault.at), fault.at.text);
        return 0;
    }
    for (size_t i = 0; i < collc_library.rules.n; i++) {
        struct collc_rule *rule = &collc_library.rules.items[i];
        const char *cause = collc_resolve(rule);

        if (cause) {
            snprintf(why, room, "%s:%d: %s: '%.*s/%.*s'", collc_library.name, rule->line, cause,
                     collc_shown(rule->collective), rule->collective.text,
                     collc_shown(rule->algorithm), rule->algorithm.text);
            return 0;
        }
        collc_library.asks_hosts |=
            collc_asks(rule, collc_key_hosts) || collc_asks(rule, collc_key_per_host);
    }
    if (collc_library.rules.after == UINT64_MAX)
        collc_library.rules.after = collc_usual_after;
    for (size_t i = 0; i < length; i++)
        mark = (mark ^ (unsigned char)text[i]) * 16777619u;
    for (const char *c = collc_library_version; *c; c++)
        mark = (mark ^ (unsigned char)*c) * 16777619u;
    mark ^= (uint32_t)collc_library.tries * 2654435761u;
    mark ^= collc_build ^ (uint32_t)sizeof(struct collc_run);
#ifdef COLLC_LEAST_SEGMENT
    mark ^= (uint32_t)COLLC_LEAST_SEGMENT << 16;
#endif
    collc_library.asks_hosts |= collc_library.tries > 0;
    collc_library.mark = (int)(mark >> 2);
    if (!collc_library.tries || collc_find_candidates())
        return 1;
    snprintf(why, room, "there is no memory for what COLLC_TRY asks for");
    return 0;
}

/* Decides, on all ranks alike, whether the library acts. */
static void collc_start(void)
{
    enum { off, bad, other, least, report, n };
    static char why[300];
    const char *is_off = getenv("COLLC_OFF"), *name = getenv("COLLC_REPORT");
    int mine[n] = {0}, most[n] = {0}, rank = 0, is_fine;

    mine[off] = is_off && *is_off && strcmp(is_off, "0") != 0;
    mine[bad] = !collc_load(why, sizeof why);
    mine[other] = collc_library.mark;
    mine[least] = -collc_library.mark;
    mine[report] = name && *name;
    is_fine = collc_real.Allreduce(mine, most, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    collc_library.is_reporting = is_fine && most[report];
    collc_library.is_on = is_fine && !most[off] && !most[bad] && most[other] == -most[least];
    if (collc_library.is_on)
        return;
    if (!is_fine)
        collc_library.why_off = "the ranks cannot agree";
    else if (most[off])
        collc_library.why_off = "COLLC_OFF is set";
    else if (mine[bad])
        collc_library.why_off = why;
    else if (most[bad])
        collc_library.why_off = "another rank cannot use its table";
    else
        collc_library.why_off = "ranks have different tables, libraries or COLLC_TRY";
    if (rank == 0 && !most[off])
        fprintf(stderr, "collc: %s: all collectives are the MPI's own\n", collc_library.why_off);
}

/* Begins the library after MPI. A second one says in a line that it does not act. */
static void collc_begin_all(void)
{
    Dl_info first, second;
    int rank = 0;

    if (!collc_is_second(&first, &second)) {
        collc_start();
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "collc: two libraries are loaded: '%s' acts, '%s' does not\n",
                first.dli_fname, second.dli_fname);
}

static int collc_init(int *argc, char ***argv)
{
    const int error = collc_real.Init(argc, argv);

    if (error == MPI_SUCCESS)
        collc_begin_all();
    return error;
}

static int collc_init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int error = collc_real.Init_thread(argc, argv, required, provided);

    if (error == MPI_SUCCESS)
        collc_begin_all();
    return error;
}

static int collc_end(void)
{
    int error;

    if (collc_library.is_on && collc_library.tries) {
        collc_gather_tried();
        collc_write_tried();
    }
    if (collc_library.is_reporting)
        collc_report();
    collc_library.is_on = collc_library.is_reporting = 0;
    error = collc_real.Finalize();
    free(collc_library.rules.items);
    free(collc_library.candidates.items);
    free(collc_library.text);
    free(collc_library.tried);
    collc_library.rules.items = collc_library.candidates.items = NULL;
    collc_library.text = collc_library.tried = NULL;
    return error;
}

int PMPI_Init(int *argc, char ***argv)
{
    return collc_init(argc, argv);
}

int MPI_Init(int *argc, char ***argv)
{
    return collc_tool.Init ? collc_tool.Init(argc, argv) : collc_init(argc, argv);
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return collc_init_thread(argc, argv, required, provided);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return collc_tool.Init_thread ? collc_tool.Init_thread(argc, argv, required, provided)
                                  : collc_init_thread(argc, argv, required, provided);
}

int PMPI_Finalize(void)
{
    return collc_end();
}

int MPI_Finalize(void)
{
    return collc_tool.Finalize ? collc_tool.Finalize() : collc_end();
}
