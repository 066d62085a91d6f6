/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formulas as data, as text, and before their solver. See sat.h.
 */
#include "lp/sat.h"

#include "base/helper.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sat_free(struct sat *sat)
{
    free(sat->literals);
    *sat = (struct sat){0};
}

int32_t sat_variable(struct sat *sat)
{
    return ++sat->n_variables;
}

void sat_clause(struct sat *sat, const int32_t *literals, size_t n)
{
    sat->literals = mem_grow(sat->literals, &sat->capacity, sat->n + n + 1, sizeof *sat->literals);
    for (size_t i = 0; i < n; i++) {
        assert(literals[i] && abs(literals[i]) <= sat->n_variables);
        sat->literals[sat->n++] = literals[i];
    }
    sat->literals[sat->n++] = 0;
    sat->n_clauses++;
}

void sat_either(struct sat *sat, int32_t a, int32_t b, int32_t c)
{
    const int32_t given[3] = {a, b, c};
    int32_t literals[3];
    size_t n = 0;
    for (int i = 0; i < 3; i++)
        if (given[i])
            literals[n++] = given[i];
    sat_clause(sat, literals, n);
}

/* Two halves are counted and merged: more than i of one and more than j of the other are more than i + j + 1
 * of both (Bailleux & Boufkhad 2003). */
size_t sat_count(struct sat *sat, const int32_t *literals, size_t n, size_t limit, int32_t *count)
{
    if (n <= 1) {
        if (n)
            count[0] = literals[0];
        return n;
    }
    int32_t *half[2];
    size_t n_half[2];
    for (int i = 0; i < 2; i++) {
        const size_t first = i ? n / 2 : 0, end = i ? n : n / 2;
        half[i] = mem_alloc(limit + 1, sizeof *half[i]);
        n_half[i] = sat_count(sat, literals + first, end - first, limit, half[i]);
    }
    const size_t n_count = n_half[0] + n_half[1] < limit ? n_half[0] + n_half[1] : limit;
    for (size_t k = 0; k < n_count; k++)
        count[k] = sat_variable(sat);
    for (size_t i = 0; i <= n_half[0]; i++)
        for (size_t j = 0; j <= n_half[1]; j++)
            if (i + j > 0)
                sat_either(sat, i ? -half[0][i - 1] : 0, j ? -half[1][j - 1] : 0,
                           count[i + j < n_count ? i + j - 1 : n_count - 1]);
    for (size_t k = 1; k < n_count; k++)
        sat_either(sat, -count[k], count[k - 1], 0);
    free(half[0]);
    free(half[1]);
    return n_count;
}

/* ---- the solver ---- */

static bool write_formula(const struct sat *sat, FILE *file)
{
    fprintf(file, "p cnf %" PRId32 " %zu\n", sat->n_variables, sat->n_clauses);
    for (size_t i = 0; i < sat->n; i++)
        fprintf(file, sat->literals[i] ? "%" PRId32 " " : "%" PRId32 "\n", sat->literals[i]);
    return fflush(file) == 0 && !ferror(file) && lseek(fileno(file), 0, SEEK_SET) == 0;
}

/* "s SATISFIABLE", then lines "v" with the literals that hold; or "s UNSATISFIABLE". */
static enum sat_end read_answer(const struct sat *sat, FILE *file, bool *value)
{
    char word[64];
    enum sat_end end = SAT_UNDECIDED;
    memset(value, 0, ((size_t)sat->n_variables + 1) * sizeof *value);
    while (fscanf(file, "%63s", word) == 1) {
        const long literal = strtol(word, NULL, 10);
        if (strcmp(word, "SATISFIABLE") == 0)
            end = SAT_FOUND;
        else if (strcmp(word, "UNSATISFIABLE") == 0)
            end = SAT_NONE;
        else if (literal > 0 && literal <= sat->n_variables)
            value[literal] = true;
    }
    return end;
}

enum sat_end sat_solve(const struct sat *sat, double seconds, bool *value)
{
    enum { WAIT = 8 }; /* times as long, where others have the processor */
    char path[HELPER_PATH], limit[32];
    char *arguments[] = {(char[]){"collc-lp"}, limit, (char[]){"sat"}, NULL};
    if (!helper_find("collc-lp", path))
        return SAT_NO_SOLVER;
    snprintf(limit, sizeof limit, "%.3f", seconds);
    FILE *files[2] = {tmpfile(), tmpfile()};
    enum sat_end end = SAT_UNDECIDED;
    if (files[0] && files[1] && write_formula(sat, files[0])) {
        if (helper_run(path, arguments, files[0], files[1], WAIT * seconds + 1) == HELPER_NOT_STARTED)
            end = SAT_NO_SOLVER;
        rewind(files[1]);
        if (end == SAT_UNDECIDED)
            end = read_answer(sat, files[1], value);
    }
    for (int i = 0; i < 2; i++)
        if (files[i])
            fclose(files[i]);
    return end;
}
