/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a library in a process.
 */
static struct {
    pthread_mutex_t lock;
    int is_on;
    const char *why_off;
    struct collc_rules rules;
    const char *name; /* of the table */
    char *text;       /* [length] of the table */
    size_t length;
    int mark;         /* of the rules: equal where they are */
    int asks_hosts;   /* some rule does */
    int is_reporting;
    int tries;                     /* turns of each candidate; 0: the table alone decides */
    struct collc_rules candidates; /* of all collectives, if there are tries */
    char *tried;                   /* lines of what was chosen here, at the end everywhere */
    unsigned n_forgotten; /* communicators with rules that were freed */
} collc_library = {.lock = PTHREAD_MUTEX_INITIALIZER, .why_off = "MPI_Init has not been called"};

/* Calls on a communicator that are the MPI's: the table's number, unless the compiler has another. */
#ifndef COLLC_AFTER
#define COLLC_AFTER collc_library.rules.after
#endif

/* Why a call is left to the MPI. */
enum collc_reason {
    collc_is_off,       /* the library is off, or MPI was not begun by MPI_Init */
    collc_is_no_place,  /* one rank, or an intercommunicator */
    collc_is_wrong,     /* arguments are wrong here, for the MPI to report */
    collc_is_first,     /* one of the first calls on its communicator */
    collc_is_full,      /* there is no private communicator to be had */
    collc_is_unnamed,   /* no rule is for it */
    collc_is_mpi,       /* a rule leaves it to the MPI */
    collc_is_undefined, /* the algorithm is not defined for it: ranks, root, operation */
    collc_n_reasons
};

/* For those who look which library is loaded. */
extern const char collc_library_version[];
const char collc_library_version[] = COLLC_VERSION;
