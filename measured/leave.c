/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For MPICH over UCX on TCP. In MPI_Finalize it closes each connection in turn and waits until the
 * other side has confirmed that; but a rank that has closed all of its own waits in a barrier of the
 * launcher, where it answers nobody, and the others wait for ever (pmodels/mpich issue 2514). Preloaded,
 * this calls a connection closed as soon as there is nothing left to do for it on this side.
 *
 * It needs the declarations below of UCX's header (ucp/api/ucp.h), in which all pointers are opaque.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int ucp_worker_create(void *context, const void *parameters, void **worker);
void *ucp_disconnect_nb(void *endpoint);

enum { QUIET_CALLS = 1000 };

static void *last_worker; /* a rank has one */

int ucp_worker_create(void *context, const void *parameters, void **worker)
{
    int (*real)(void *, const void *, void **), status;

    *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_create");
    status = real(context, parameters, worker);
    last_worker = *worker;
    return status;
}

/* NULL says that it is done. */
void *ucp_disconnect_nb(void *endpoint)
{
    unsigned (*progress)(void *);

    (void)endpoint;
    *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    for (int quiet = 0; last_worker && quiet < QUIET_CALLS; quiet++)
        if (progress(last_worker) > 0)
            quiet = 0;
    return NULL;
}
