/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Verification before something is handed out: no C is written of a schedule that breaks its
 * collective, and nothing is chosen or drawn of one without a word.
 */
#ifndef COLLC_STUDY_CERTIFY_H
#define COLLC_STUDY_CERTIFY_H

#include "study/trials.h"

struct certify_request {
    const struct program *program;     /* to be tried for a few numbers of ranks; NULL: is not */
    const int64_t *parameters;         /* [variable] of it; NULL: the defaults */
    struct schedule *schedule;         /* to be verified as it is; NULL: there is none */
    const struct binding *binding;     /* what that is expanded from, and may be verified by its symmetry;
                                          or NULL */
    const struct topology *topology;   /* of the schedule, or NULL */
    const struct placement *placement; /* likewise */
    bool is_for_its_grid;              /* the program runs on that grid and nowhere else */
};

enum certified {
    CERTIFIED_RIGHT, /* as far as it was tried: see notes */
    CERTIFIED_WRONG,
    CERTIFIED_NOT    /* producing the schedule failed: its own diagnostics say why */
};

struct certificate {
    enum certified result;
    struct text notes;           /* what was not verified, a line each */
    /* if it is wrong: */
    struct diagnostics findings;
    bool has_steps;              /* it could be expanded, and breaks its collective */
    struct text where;           /* "bcast/chain with 3 ranks on 3 servers, root 0" */
    const char *help;
};

/* Verifies the schedule, whatever it costs, if there is no program. Tries the program for up to 9
 * ranks and for those of the schedule, if there is one; what would take long is left out, and a
 * note says so. Release with certificate_free. */
struct certificate certify(const struct certify_request *request);
void certificate_free(struct certificate *certificate);

#endif
