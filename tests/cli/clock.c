/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded: whoever looks at the monotonic clock sees that a second has gone by.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*original)(clockid_t, struct timespec *);
    static time_t n_looks;
    if (!original)
        *(void **)&original = dlsym(RTLD_NEXT, "clock_gettime");
    const int status = original(clock, now);
    if (clock == CLOCK_MONOTONIC)
        now->tv_sec += ++n_looks;
    return status;
}
