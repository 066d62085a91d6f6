/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what was chosen while the program ran: into the report, and as a table (COLLC_TRIED).
 */
/* Brings the lines of all ranks to rank 0, in collc_library.tried. */
static void collc_gather_tried(void)
{
    char *mine = collc_library.tried, *all = NULL;
    int rank = 1, p = 1, length = mine ? (int)strlen(mine) : 0, is_short = 0, total = 0;
    int *counts = NULL;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    if (rank == 0) {
        counts = calloc((size_t)p, 2 * sizeof *counts); /* lengths and places */
        is_short = !counts;
    }
    if (collc_agree(MPI_COMM_WORLD, &is_short) == MPI_SUCCESS && !is_short &&
        collc_real.Gather(&length, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD) ==
            MPI_SUCCESS) {
        for (int i = 0; i < p && rank == 0; i++) {
            is_short |= counts[i] > INT_MAX / 2 - total;
            counts[p + i] = total;
            total += is_short ? 0 : counts[i];
        }
        all = rank == 0 ? calloc((size_t)total + 1, 1) : NULL;
        is_short |= rank == 0 && !all;
        if (collc_agree(MPI_COMM_WORLD, &is_short) == MPI_SUCCESS && !is_short &&
            collc_real.Gatherv(mine, length, MPI_CHAR, all, counts, rank == 0 ? counts + p : NULL,
                               MPI_CHAR, 0, MPI_COMM_WORLD) == MPI_SUCCESS) {
            collc_library.tried = all;
            all = mine;
        }
    }
    free(counts);
    free(all);
}

static int collc_compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The length of the conditions of a line. */
static size_t collc_conditions(const char *line)
{
    const char *end = strstr(line, " use ");

    return end ? (size_t)(end - line) : strlen(line);
}

/* Prints the lines in order, behind a word. Of communicators that are alike the first choice
 * counts. */
static void collc_print_tried(FILE *file, const char *before)
{
    char *text = collc_library.tried, *at = text, **lines = NULL;
    size_t n = 0;

    for (const char *c = text; c && *c; c++)
        n += *c == '\n';
    lines = n ? malloc(n * sizeof *lines) : NULL;
    for (size_t i = 0; lines && i < n; i++) {
        lines[i] = at;
        at += strcspn(at, "\n") + 1;
        at[-1] = '\0';
    }
    if (lines)
        qsort(lines, n, sizeof *lines, collc_compare_lines);
    for (size_t i = 0; lines && i < n; i++)
        if (i == 0 || collc_conditions(lines[i]) != collc_conditions(lines[i - 1]) ||
            strncmp(lines[i], lines[i - 1], collc_conditions(lines[i])) != 0)
            fprintf(file, "%s%s\n", before, lines[i]);
    for (char *c = text; lines && c < at; c++)
        *c = *c == '\0' ? '\n' : *c;
    free(lines);
}

/* Prints the lines of the table behind its version. */
static void collc_print_table(FILE *file)
{
    const char *end = collc_library.text + collc_library.length;
    struct collc_scan scan = {.at = collc_library.text};

    for (const char *line = scan.at; line < end; line = scan.end + 1) {
        const char *next = memchr(line, '\n', (size_t)(end - line));

        scan.at = line;
        scan.end = next ? next : end;
        if (!collc_is_word(collc_next_word(&scan), "collc-table"))
            fprintf(file, "%.*s\n", (int)((next ? next : end) - line), line);
        scan.end = next ? next : end;
    }
}

/* Writes the table that COLLC_TRIED names: the choices, and behind them the table of this run. */
static void collc_write_tried(void)
{
    const char *name = getenv("COLLC_TRIED");
    int rank = 1;
    FILE *file;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 || !name || !*name)
        return;
    file = fopen(name, "w");
    if (file) {
        fprintf(file, "collc-table 1\n# Chosen while a program ran.\n");
        collc_print_tried(file, "");
        collc_print_table(file);
    }
    if (!file || fclose(file) != 0)
        fprintf(stderr, "collc: '%s' cannot be written\n", name);
}
