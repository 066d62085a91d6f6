/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a certificate: numbers in order and in range, nothing proved yet.
 */
#ifndef COLLC_BOUND_CHECK_PROOF_FILE_H
#define COLLC_BOUND_CHECK_PROOF_FILE_H

#include "base/diagnostic.h"

#include <jansson.h>

struct proof_link {
    uint32_t from, to;
    uint64_t cables, bandwidth;
};

/* The links that messages from node to node cross: proof_file->hops from `first` on. */
struct proof_route {
    uint32_t from, to;
    size_t first, n_hops;
};

struct proof_demand {
    uint32_t from, to;
    uint64_t amount;
};

struct proof_file {
    const char *collective, *topology, *unit;
    uint32_t n_nodes, n_links;
    const json_t *nodes;             /* names */
    struct proof_link *links;
    uint64_t *ranks;                 /* [node] or NULL */
    bool is_listed;                  /* demands are listed; else products of ranks at both ends */
    struct proof_demand *demands;
    size_t n_demands;
    bool is_routed;                  /* messages go by these routes alone, between nodes with ranks */
    struct proof_route *routes;
    size_t n_routes;
    uint32_t *hops;                  /* numbers of links */
    uint64_t *blocks;                /* [node] of a cut: blocks that all need, or all contribute to; else
                                        NULL */
    const json_t *bounds;
    json_t *root; /* owner of everything here */
};

/* Reads the text. Returns false, with the reason in `why`, if it is not of the form. Release with
 * proof_file_free in any case. */
bool proof_file_read(const char *text, size_t length, struct proof_file *file,
                      struct text *why);
void proof_file_free(struct proof_file *file);

/* Reads a number of an array of the certificate. Returns false unless it is from `least` to 2^63 - 1. */
bool proof_file_number(const json_t *array, size_t index, uint64_t least, uint64_t *number);
/* True if it is an object with exactly these keys, separated by blanks; '?' before one: optional. */
bool proof_file_has_keys(const json_t *object, const char *keys);

#endif
