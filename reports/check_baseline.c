/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The baseline: findings that are there already, a line each, so that differences of it read well:
 *
 *   collc-baseline 1
 *   90f1a63c0d2b5e77 27 L001 schedules/ring.coll
 *
 * A finding that has a value fails again when that has grown.
 */
#include "reports/check.h"

#include "base/codes.h"
#include "base/text/lines.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BASELINE_LIMIT = 64 << 20 };
static const char first_line[] = "collc-baseline 1";

static int compare_known(const void *a, const void *b)
{
    const struct check_known *x = a, *y = b;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

static int compare_fingerprints(const void *a, const void *b)
{
    const struct check_finding *x = *(const struct check_finding *const *)a;
    const struct check_finding *y = *(const struct check_finding *const *)b;
    return x->fingerprint < y->fingerprint ? -1 : x->fingerprint > y->fingerprint;
}

void baseline_write(const struct check *check, struct text *out)
{
    const struct check_finding **sorted = mem_alloc(check->n_findings, sizeof *sorted);
    for (size_t i = 0; i < check->n_findings; i++)
        sorted[i] = check->findings[i];
    if (check->n_findings)
        qsort(sorted, check->n_findings, sizeof *sorted, compare_fingerprints);
    text_printf(out, "%s\n", first_line);
    for (size_t i = 0; i < check->n_findings; i++) {
        text_printf(out, "%016" PRIx64 " %.17g %s ", sorted[i]->fingerprint,
                    sorted[i]->is_measured ? sorted[i]->value : 0.0, code_table[sorted[i]->code].id);
        text_append_safe(out, sorted[i]->path ? sorted[i]->path : "-");
        text_append(out, "\n", 1);
    }
    free(sorted);
}

/* 16 hexadecimal digits and a number; the rest of the line is for people. */
static bool read_known(struct lines *lines, struct check_known *known)
{
    const struct slice digits = lines_take_word(lines), number = lines_take_word(lines);
    uint64_t fingerprint = 0;
    bool is_good = digits.length == 16;
    for (size_t i = 0; is_good && i < digits.length; i++) {
        is_good = hexadecimal_digit(digits.text[i]) >= 0;
        fingerprint = fingerprint << 4 | (uint64_t)(hexadecimal_digit(digits.text[i]) & 15);
    }
    char *end = NULL;
    known->fingerprint = fingerprint;
    known->value = number.length ? strtod(number.text, &end) : 0;
    return is_good && number.length && end == number.text + number.length && known->value >= 0;
}

const struct check_known *baseline_read(const char *path, struct arena *arena, size_t *n,
                                        struct diagnostics *diagnostics)
{
    const struct source *source = source_read(path, BASELINE_LIMIT, arena, diagnostics);
    struct check_known *known = NULL;
    struct lines lines;
    *n = 0;
    if (!source || !source_check_utf8(source, diagnostics))
        return NULL;
    size_t n_lines = 1;
    for (const char *at = source->text; (at = strchr(at, '\n')); at++)
        n_lines++;
    known = arena_alloc(arena, n_lines, sizeof *known);
    lines_open(&lines, source, diagnostics);
    if (!lines_next(&lines) || !lines_take_text(&lines, first_line) || !lines_at_end(&lines)) {
        report(diagnostics, CODE_K004, source_position(source, 0, 1),
               "this is no baseline of version 1")
            ->help = "write it again with --write-baseline";
        return NULL;
    }
    while (!lines.failed && lines_next(&lines)) {
        if (lines.start == lines.end || read_known(&lines, &known[*n]))
            *n += lines.start != lines.end;
        else
            lines_fail(&lines, CODE_K004, lines.start, (size_t)(lines.end - lines.start),
                       "a line is a fingerprint of 16 hexadecimal digits, a number, a code and a file")
                ->help = "write it again with --write-baseline";
    }
    if (*n)
        qsort(known, *n, sizeof *known, compare_known);
    return lines.failed ? NULL : known;
}
