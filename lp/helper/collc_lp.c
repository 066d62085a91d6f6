/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: collc-lp SECONDS <MODEL.lp >SOLUTION
 *        collc-lp SECONDS sat <FORMULA.cnf >ANSWER
 * Solves a linear program in CPLEX-LP by GLPK, and writes each variable that is not 0 with its
 * value. Exit status 1 if there is no best solution, or none within the time. Or decides a formula in the
 * DIMACS form by the MiniSat in GLPK, and writes "s SATISFIABLE" and the variables that are true in a line "v",
 * or "s UNSATISFIABLE"; it ends by a signal when that has taken so many seconds of the processor. GLPK is under the GPL
 * and ends the process on what it takes for misuse, so it has a process of its own (lp/solve.c starts
 * it), with the code of nobody else in it.
 */
#include <glpk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* Limits the memory of GLPK, to leave some to other processes. Not with a sanitizer, which maps more than
 * that at once. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    const rlim_t most = (rlim_t)4 << 30;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
    setrlimit(RLIMIT_AS, &limit);
#endif
}

static int write_solution(glp_prob *problem)
{
    printf("status optimal\n");
    for (int i = 1; i <= glp_get_num_cols(problem); i++) {
        const double value = glp_get_col_prim(problem, i);
        if (value < 0 || value > 0)
            printf("%s %.17g\n", glp_get_col_name(problem, i), value);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

static int collc_lp_decide(glp_prob *problem, double seconds)
{
    const struct itimerval limit = {
        .it_value = {(time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    if (glp_read_cnfsat(problem, "/dev/stdin") != 0 || glp_minisat1(problem) != 0) {
        fprintf(stderr, "collc-lp: the formula cannot be read or decided\n");
        return 1;
    }
    if (glp_mip_status(problem) == GLP_NOFEAS) {
        printf("s UNSATISFIABLE\n");
    } else {
        printf("s SATISFIABLE\nv");
        for (int i = 1; i <= glp_get_num_cols(problem); i++)
            if (glp_mip_col_val(problem, i) > 0.5)
                printf(" %d", i);
        printf(" 0\n");
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

static int collc_lp_solve(glp_prob *problem, double seconds)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.tm_lim = (int)(seconds * 1000) + 1;
    parameters.meth = GLP_DUALP;
    parameters.presolve = GLP_ON;
    if (glp_read_lp(problem, NULL, "/dev/stdin") != 0)
        fprintf(stderr, "collc-lp: the model cannot be read\n");
    else if (glp_simplex(problem, &parameters) != 0 || glp_get_status(problem) != GLP_OPT)
        fprintf(stderr, "collc-lp: no best solution\n");
    else
        return write_solution(problem);
    return 1;
}

int main(int argc, char **argv)
{
    const int is_formula = argc == 3 && strcmp(argv[2], "sat") == 0;
    const double seconds = argc == 2 || is_formula ? strtod(argv[1], NULL) : 0;
    if (!(seconds > 0 && seconds < 1e6)) {
        fprintf(stderr, "usage: collc-lp SECONDS <MODEL.lp >SOLUTION\n"
                        "       collc-lp SECONDS sat <FORMULA.cnf >ANSWER\n");
        return 2;
    }
    if (!is_formula)
        alarm((unsigned)seconds + 2);
    limit_memory();
    glp_term_out(GLP_OFF);
    glp_prob *problem = glp_create_prob();
    const int status = is_formula ? collc_lp_decide(problem, seconds) : collc_lp_solve(problem, seconds);
    glp_delete_prob(problem);
    return status;
}
