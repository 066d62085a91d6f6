/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hands a linear program to its solver and reads what that says. See lp.h.
 */
#include "base/helper.h"
#include "lp/lp.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 128, GRACE_SECONDS = 1 };

/* Returns the variable that a word names, or n_variables. */
static uint32_t variable_of(const struct lp *lp, const char *word)
{
    char *end;
    if (word[0] != 'x' || !isdigit((unsigned char)word[1]))
        return lp->n_variables;
    const unsigned long number = strtoul(word + 1, &end, 10);
    return *end == '\0' && number < lp->n_variables ? (uint32_t)number : lp->n_variables;
}

/* The next word, as much of it as there is room for; false: there is none. */
static bool solve_read_word(FILE *file, char word[WORD])
{
    int c, n = 0;
    while ((c = getc(file)) != EOF && isspace(c))
        continue;
    for (; c != EOF && !isspace(c); c = getc(file))
        if (n < WORD - 1)
            word[n++] = (char)c;
    word[n] = '\0';
    return n > 0;
}

/* False if the text names no variable above 0. */
static bool read_solution(const struct lp *lp, FILE *file, double *solution)
{
    char word[WORD];
    uint32_t variable = lp->n_variables;
    bool has_any = false;
    memset(solution, 0, lp->n_variables * sizeof *solution);
    while (solve_read_word(file, word)) {
        char *end;
        const double value = strtod(word, &end);
        if (variable < lp->n_variables && end != word && *end == '\0' && isfinite(value) && value > 0) {
            solution[variable] = value;
            has_any = true;
        }
        variable = variable_of(lp, word);
    }
    return has_any;
}

static enum lp_end run_solver(const struct lp *lp, const struct lp_solver *solver, const char *path,
                              FILE *files[2], double *solution)
{
    char seconds[32];
    char *arguments[] = {(char[]){"collc-lp"}, seconds, NULL};
    struct timespec start, stop;
    snprintf(seconds, sizeof seconds, "%.3f", solver->seconds);
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (!lp_write(lp, files[0]) || lseek(fileno(files[0]), 0, SEEK_SET) != 0)
        return LP_FAILED;
    const enum helper_end end =
        helper_run(path, arguments, files[0], files[1], solver->seconds + GRACE_SECONDS);
    if (end == HELPER_NOT_STARTED)
        return LP_NO_SOLVER;
    clock_gettime(CLOCK_MONOTONIC, &stop);
    rewind(files[1]);
    if (end != HELPER_TOO_LATE && end != HELPER_BADLY && read_solution(lp, files[1], solution))
        return LP_SOLVED;
    const double taken = (double)(stop.tv_sec - start.tv_sec) + (double)(stop.tv_nsec - start.tv_nsec) * 1e-9;
    return end == HELPER_TOO_LATE || taken >= solver->seconds ? LP_TOO_LATE : LP_FAILED;
}

enum lp_end lp_solve(const struct lp *lp, const struct lp_solver *solver, double *solution)
{
    char path[HELPER_PATH];
    if (!solver->path && !helper_find("collc-lp", path))
        return LP_NO_SOLVER;
    FILE *files[2] = {tmpfile(), tmpfile()};
    enum lp_end end = LP_FAILED;
    if (files[0] && files[1])
        end = run_solver(lp, solver, solver->path ? solver->path : path, files, solution);
    for (int i = 0; i < 2; i++)
        if (files[i])
            fclose(files[i]);
    return end;
}

const char *lp_problem(enum lp_end end)
{
    switch (end) {
    case LP_NO_SOLVER: return "no solver of linear programs is to be found";
    case LP_TOO_LATE: return "the solver of linear programs took too long";
    case LP_FAILED: return "the solver of linear programs found nothing";
    case LP_TOO_LARGE: return "the linear program would be too large";
    case LP_SOLVED: break;
    }
    return "";
}
