/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verifies a schedule before it is used: no C is written of one that breaks its collective, and none is
 * chosen or drawn without a report.
 */
#ifndef COLLC_STUDY_CERTIFY_H
#define COLLC_STUDY_CERTIFY_H

#include "study/trials.h"

struct certify_request {
    const struct program *program;     /* to be tried with a few numbers of ranks; NULL: none */
    const int64_t *parameters;         /* [variable] its values; NULL: the defaults */
    struct schedule *schedule;         /* to be verified as it is; NULL: none */
    const struct binding *binding;     /* binding that the schedule is expanded from, which may be verified by
                                          its symmetry; or NULL */
    const struct topology *topology;   /* topology of the schedule, or NULL */
    const struct placement *placement; /* placement of the schedule, or NULL */
    bool is_for_its_grid;              /* the program runs on that grid only */
    bool is_untested;                  /* no test of collc's own covers the program: more ranks are tried, and
                                          a note says which */
};

enum certified {
    CERTIFIED_RIGHT, /* as far as it was tried: see notes */
    CERTIFIED_WRONG,
    CERTIFIED_NOT    /* producing the schedule failed with its own diagnostics */
};

struct certificate {
    enum certified result;
    struct text notes;           /* the parts that were not verified, and how the others were, a line each */
    /* if the result is CERTIFIED_WRONG: */
    struct diagnostics findings;
    bool has_steps;              /* it could be expanded, and breaks its collective */
    struct text where;           /* "bcast/chain with 3 ranks on 3 servers, root 0" */
    const char *help;
};

/* Verifies the schedule, at any cost, if there is no program. Tries the program with up to 9 ranks, or more,
 * and with those of the schedule, if there is one; leaves out what would take long, with a note. Release
 * with certificate_free. */
struct certificate certify(const struct certify_request *request);
void certificate_free(struct certificate *certificate);

#endif
