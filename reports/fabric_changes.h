/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what has changed in a fabric, as text and as JSON.
 */
#ifndef COLLC_REPORTS_FABRIC_CHANGES_H
#define COLLC_REPORTS_FABRIC_CHANGES_H

#include "study/fabric/fabric_changes.h"

/* Reports every change as a finding G001 to G007, the worst first, at the file of the new network. */
void fabric_changes_find(const struct fabric_changes *changes, const struct source *source,
                         struct diagnostics *findings);
void fabric_changes_text(const struct fabric_changes *changes, const struct diagnostics *findings,
                         bool colour, struct text *out);
void fabric_changes_json(const struct fabric_changes *changes, struct text *out);

/* Appends the changes as a sentence: "cable from ... is missing; ...", of many the worst five. */
void fabric_changes_sentence(const struct fabric_changes *changes, struct text *out);

#endif
