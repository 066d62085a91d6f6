/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Busiest links and ports, and the lines that most comes from, whether or not there is a limit. excess.c
 * describes values above a limit.
 */
#include "verify/internal.h"

#include <stdlib.h>

bool worst_raise(struct worst *worst, uint64_t step, uint32_t value, uint32_t subject)
{
    if (value <= worst->value)
        return false;
    worst->value = value;
    worst->subject = subject;
    worst->step = step;
    worst->line = 0;
    return true;
}

void worst_raise_total(struct verify_report *report, uint32_t link, uint64_t load)
{
    if (load <= report->max_total_load)
        return;
    report->max_total_load = load;
    report->total_link = link;
}

void worst_raise_bytes(struct verify_report *report, const struct topology *topology, uint32_t link,
                       uint64_t bytes)
{
    struct transfer most = {report->heaviest_bytes, 0};
    const struct transfer transfer = {bytes, topology_link_bandwidth(topology, link)};
    if (!bytes)
        return;
    if (report->heaviest_bytes)
        most.bandwidth = topology_link_bandwidth(topology, report->heaviest_link);
    const struct transfer before = most;
    transfer_raise(&most, transfer);
    if (most.chunks == before.chunks && most.bandwidth == before.bandwidth)
        return;
    report->heaviest_bytes = bytes;
    report->heaviest_link = link;
}

static int worst_compare_lines(const void *a, const void *b)
{
    const struct line_count *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

uint32_t worst_line(struct line_count *counts, size_t n)
{
    struct line_count most = {0, 0}, sum = {0, 0};
    if (n)
        qsort(counts, n, sizeof *counts, worst_compare_lines);
    for (size_t i = 0; i < n; i++) {
        if (counts[i].line != sum.line)
            sum = (struct line_count){counts[i].line, 0};
        sum.n += counts[i].n;
        most = sum.n > most.n ? sum : most;
    }
    return most.line;
}

uint32_t worst_only_line(const struct op *sends, size_t n, bool *is_one)
{
    *is_one = true;
    for (size_t i = 1; *is_one && i < n; i++)
        *is_one = sends[i].line == sends[0].line;
    return *is_one && n ? sends[0].line : 0;
}
