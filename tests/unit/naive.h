/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second expansion of programs, for tests to compare with the real one: it
 * walks the tree for one rank from the first statement to the last, one value at
 * a time in 128-bit arithmetic, and finds ranks by trying them all. It shares no
 * code with compiler/passes.
 */
#ifndef COLLC_TESTS_NAIVE_H
#define COLLC_TESTS_NAIVE_H

#include "compiler/passes/expand.h"

struct naive_op {
    uint64_t step;
    struct op op;
    uint32_t *set; /* its chunks, if they do not lie in a row; else NULL */
};

/* The operations of one rank, in program order. */
struct naive_trace {
    struct naive_op *ops;
    size_t n, capacity;
    uint64_t n_steps;     /* steps ended; operations of step n_steps stand after the last */
    bool failed;          /* the program has no meaning from step n_steps on */
};

void naive_run(const struct binding *binding, uint32_t rank, struct naive_trace *trace);
void naive_free(struct naive_trace *trace);

/* Expands the binding both ways and compares steps and operations, or, if the
 * expansion reports a fault, that the rank it names has one in that step. Prints
 * the first difference with `label`. */
bool naive_agrees(const struct binding *binding, const char *label);

#endif
