/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The engine (verify/) beside the reference verifier: one schedule, both
 * verdicts, and where they differ.
 *
 * Equal must be: every number of the report but eager_* (test_buffers.c), hol_slowdown within
 * 1e-12, the three verdicts, and the findings of the rules that the reference knows, as sets of
 *   M001 M002        rank, peer, step
 *   M003             the two ranks, whichever end was named
 *   D001             how many; the rank named must be in a cycle, and the step the one it is in
 *   R002 .. R008     rank, step, for findings at an operation
 *   R001 R006        at the end: the engine names one or more of the kinds of
 *                    fault of a rank, the reference all of them
 *   L002             the step of the first
 *   L001 L005 H001 H002 H003 P001   all steps of all of them
 *   L004 C001 C002   that there is one
 * Limits on links and fan-in are to be given without drift: by which step of a
 * window it is named is the engine's choice.
 * After an R005 the data depends on what is faster, so other R findings of such
 * a schedule are not compared.
 */
#ifndef COLLC_TESTS_AGREE_H
#define COLLC_TESTS_AGREE_H

#include "tests/unit/reference.h"

/* The engine's verdict in the form of the reference: all findings (not only
 * the first of each code), sorted. False if verify_schedule failed. */
bool engine_verify(struct schedule *schedule, const struct verify_request *request,
                   struct reference *result);
void engine_free(struct reference *result);

/* Runs both. Prints what differs, with `label`, the findings of both and the
 * schedule, to stderr; returns whether nothing did. */
bool agree(struct schedule *schedule, const struct verify_request *request, const char *label);
/* The same where engine_verify has run: what it found, and returned. */
bool agrees_with(struct schedule *schedule, const struct verify_request *request, const char *label,
                 const struct reference *engine, bool is_done);

/* "M001 rank=0 peer=1 step=2", one a line. */
void print_findings(const struct reference *result, struct text *out);

#endif
