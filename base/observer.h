/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Observer of the progress of long work.
 */
#ifndef COLLC_BASE_OBSERVER_H
#define COLLC_BASE_OBSERVER_H

#include <stdint.h>

/* Zero: nobody. */
struct observer {
    /* Now and then: n_done of n items are done, such as "messages". n 0: it is not known how many there
     * are. */
    void (*tell)(void *data, const char *items, uint64_t n_done, uint64_t n);
    void *data;
};

static inline void observer_tell(const struct observer *observer, const char *items, uint64_t n_done,
                                 uint64_t n)
{
    if (observer->tell)
        observer->tell(observer->data, items, n_done, n);
}

#endif
