/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second opinion of InfiniBand fabrics: reads both layouts of ibnetdiscover and of iblinkinfo line by line,
 * with regular expressions written from docs/formats.md, and shares nothing with network/formats.
 */
#ifndef COLLC_TESTS_UNIT_NAIVE_FABRIC_H
#define COLLC_TESTS_UNIT_NAIVE_FABRIC_H

#include "base/memory.h"

/* Sentences about a network, sorted: "machine NAME", "router NAME",
 * "cable NAME:PORT NAME:PORT BANDWIDTH" in bytes per second, the lesser end first. */
struct naive_facts {
    char **items;
    size_t n, capacity;
};
void naive_facts_add(struct naive_facts *facts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void naive_facts_add_cable(struct naive_facts *facts, const char *a, int port_a, const char *b, int port_b,
                           uint64_t bandwidth);
void naive_facts_sort(struct naive_facts *facts);
void naive_facts_free(struct naive_facts *facts);

/* Adds what the text says of a fabric, sorted; nothing if no line has a cable. */
void naive_fabric_read(const char *text, struct naive_facts *facts);

#endif
