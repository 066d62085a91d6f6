/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what an algorithm says of itself and costs where ranks are, for people and for programs.
 */
#ifndef COLLC_REPORTS_ALGORITHM_H
#define COLLC_REPORTS_ALGORITHM_H

#include "reports/json.h"
#include "study/facts.h"

enum { ALGORITHM_LEAST_COLUMN = 30 };

/* The form in which it is shown to people. */
struct algorithm_page {
    const struct bind_request *where; /* settings, and the size for which bytes have a value, or 0 */
    bool is_long;         /* with source and formulas */
    size_t column;        /* where what is said beside the name begins; 0: behind it */
    struct arena *arena;
    struct text *text;
};
void algorithm_text(struct algorithm_page *page, const struct facts *facts);

/* An object with the keys of docs/json.md; `has_size`: the bytes stated have a value. */
void algorithm_json(const struct facts *facts, bool has_size, struct arena *arena,
                    struct json *json);

#endif
