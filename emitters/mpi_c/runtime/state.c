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
    char *text;       /* of the table, if it was read from a file */
    int mark;         /* of the rules: equal where they are */
    int asks_hosts;   /* some rule does */
    int is_reporting;
    unsigned n_forgotten; /* communicators with rules that were freed */
} collc_library = {.lock = PTHREAD_MUTEX_INITIALIZER, .why_off = "MPI_Init has not been called"};

/* Calls on a communicator that are the MPI's: the table's number, unless the compiler has another. */
#ifndef COLLC_AFTER
#define COLLC_AFTER collc_library.rules.after
#endif

/* For those who look which library is loaded. */
extern const char collc_library_version[];
const char collc_library_version[] = COLLC_VERSION;
