/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests with more ranks than cores under an MPI over UCX, whose ranks poll
 * while they wait and so keep the others from running. Preloaded, it hands the
 * core on whenever there was nothing to do. It changes no message.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    unsigned n_events;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    n_events = real(worker);
    if (n_events == 0)
        sched_yield();
    return n_events;
}
