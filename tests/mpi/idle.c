/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests with more ranks than cores, under MPIs whose ranks poll while they wait and so keep
 * the others from running. Preloaded, it lets a rank sleep that has nothing to do. It changes no
 * message.
 *
 *   an MPI over UCX (MPICH): hands the core on a few times, which costs its peers nothing; then until
 *                 UCX says that something has come, for which it is asked to be able to
 *                 (UCP_FEATURE_WAKEUP). An MPI may wait for what UCX knows nothing of: never for long
 *   Open MPI      hands the core on by sched_yield, which is the quickest while only its own ranks
 *                 want it. A stranger that computes keeps it for a whole slice of time, again and
 *                 again: naps for a while after such a slice, and where nothing comes for long
 *
 * It repeats from UCX's header (ucp/api/ucp.h) the beginning of ucp_params_t, a flag and UCS_OK.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAKEUP = 1 << 4, UCX_OK = 0, YIELDS = 8, MOST_MILLISECONDS = 10 };

/* In nanoseconds. Who yields less than AT_ONCE after the last time has got nothing to do since. */
enum { AT_ONCE = 5000, NAP = 100000, LONG = 10000000, SLICE = 2000000, AFTER_SLICE = 30000000 };

struct ucx_parameters {
    uint64_t field_mask, features;
};

int ucp_init_version(unsigned major, unsigned minor, struct ucx_parameters *parameters,
                     const void *config, void *context);
unsigned ucp_worker_progress(void *worker);

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int sched_yield(void)
{
    static int64_t idle_since, last, nap_until;
    int64_t before = now();

    if (before - last > AT_ONCE)
        idle_since = before;
    if (before < nap_until || before - idle_since > LONG)
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
    else
        syscall(SYS_sched_yield);
    last = now();
    if (before >= nap_until && last - before > SLICE)
        nap_until = last + AFTER_SLICE;
    return 0;
}

int ucp_init_version(unsigned major, unsigned minor, struct ucx_parameters *parameters,
                     const void *config, void *context)
{
    int (*real)(unsigned, unsigned, struct ucx_parameters *, const void *, void *);

    *(void **)&real = dlsym(RTLD_NEXT, "ucp_init_version");
    parameters->features |= WAKEUP;
    return real(major, minor, parameters, config, context);
}

/* Returns at once if something has come since it was last asked. */
static void sleep_until_event(void *worker)
{
    static int (*arm)(void *), (*descriptor_of)(void *, int *);
    struct pollfd event = {.events = POLLIN};

    if (!arm) {
        *(void **)&descriptor_of = dlsym(RTLD_NEXT, "ucp_worker_get_efd");
        *(void **)&arm = dlsym(RTLD_NEXT, "ucp_worker_arm");
    }
    if (descriptor_of(worker, &event.fd) != UCX_OK)
        sched_yield();
    else if (arm(worker) == UCX_OK)
        poll(&event, 1, MOST_MILLISECONDS);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *), n_idle;
    unsigned n_events;

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    n_events = real(worker);
    if (n_events)
        n_idle = 0;
    else if (n_idle++ < YIELDS)
        syscall(SYS_sched_yield);
    else
        sleep_until_event(worker);
    return n_events;
}
