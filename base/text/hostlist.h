/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hostlist expressions, the way Slurm and its kin write many names in one word:
 *
 *   login,n[001-010,012],r[0-3]n[1-4]
 *
 * Commas outside brackets separate items. An item is a name in which every pair of
 * brackets stands for numbers and ranges of them; the last pair counts fastest. A
 * range keeps the zeros that its first number is written with. An item may end in
 * `*N`: it is then said N times, as in Slurm's lists of hosts for tasks.
 */
#ifndef COLLC_BASE_TEXT_HOSTLIST_H
#define COLLC_BASE_TEXT_HOSTLIST_H

#include "base/text/units.h"

enum { HOSTLIST_MAX_NAMES = 1 << 20, HOSTLIST_MAX_LENGTH = 255 /* of a name */ };

struct hostlist_name {
    size_t at;      /* in the pool */
    uint32_t length;
    uint32_t item;  /* index of the item it comes from */
};

struct hostlist {
    struct hostlist_name *names; /* in the order of the expression */
    struct slice *items;         /* as written, in the expression */
    char *pool;                  /* the names, each NUL-terminated */
    uint32_t n, n_items;
    size_t names_capacity, items_capacity, pool_capacity, pool_length;
    struct slice error;  /* what is wrong, in the expression ... */
    const char *problem; /* ... and why: no full stop; NULL: nothing */
};

/* Expands the expression, which must outlive the list. More names than `limit`, itself at
 * most HOSTLIST_MAX_NAMES, are an error. An empty expression, and an empty item, is an
 * error too. False with `error` and `problem` set; release with hostlist_free either way. */
bool hostlist_expand(struct slice expression, uint32_t limit, struct hostlist *list);
void hostlist_free(struct hostlist *list);

static inline struct slice hostlist_get(const struct hostlist *list, uint32_t i)
{
    return (struct slice){list->pool + list->names[i].at, list->names[i].length};
}

#endif
