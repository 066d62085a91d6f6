/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the table of all built-in algorithms (library_table.h).
 */
#include "tests/unit/library_table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const headings[] = {
#define COLUMN(name, heading, meaning) heading,
    LIBRARY_COLUMNS
#undef COLUMN
};
static const char *const meanings[] = {
#define COLUMN(name, heading, meaning) meaning,
    LIBRARY_COLUMNS
#undef COLUMN
};

void library_count(struct library_row *row, enum library_column column, bool has_passed)
{
    *(has_passed ? &row->passed[column] : &row->failed[column]) += 1;
}

/* "-" where the algorithm is not defined, "12!1" where one of 13 failed. */
static void print_cell(unsigned passed, unsigned failed)
{
    char text[24];
    int length = snprintf(text, sizeof text, passed || failed ? "%u" : "-", passed);
    if (failed)
        snprintf(text + length, sizeof text - (size_t)length, "!%u", failed);
    printf("%9s", text);
}

static void print_heading(void)
{
    printf("\n  | Built-in algorithms: cases that passed, complete, deadlock-free and matching\n");
    for (int i = 0; i < N_LIBRARY_COLUMNS; i++)
        printf("  |   %-10s %s\n", headings[i], meanings[i]);
    printf("  |   %-10s of all these, checked by the reference verifier as well\n"
           "  |   %-10s ranks in the largest case\n"
           "  |   %-10s steps, messages of the busiest rank at so many ranks (64 or fewer)\n"
           "  | %-42s", "reference", "most", "at", "");
    for (int i = 0; i < N_LIBRARY_COLUMNS; i++)
        printf("%9s", headings[i]);
    printf("%10s%6s%4s%7s%9s\n", "reference", "most", "at", "steps", "messages");
}

static void print_row(const struct library_row *row)
{
    printf("  | %-42s", row->name);
    for (int i = 0; i < N_LIBRARY_COLUMNS; i++)
        print_cell(row->passed[i], row->failed[i]);
    printf("%10u%6" PRIu32, row->n_by_reference, row->most_ranks);
    if (row->typical_ranks)
        printf("%4" PRIu32 "%7" PRIu64 "%9" PRIu64, row->typical_ranks, row->steps, row->messages);
    printf("\n");
}

static struct library_row sum_of(const struct library_row *rows, size_t n)
{
    struct library_row sum = {.most_ranks = 0};
    unsigned total = 0;
    for (size_t k = 0; k < n; k++) {
        for (int i = 0; i < N_LIBRARY_COLUMNS; i++) {
            sum.passed[i] += rows[k].passed[i];
            sum.failed[i] += rows[k].failed[i];
            total += rows[k].passed[i];
        }
        sum.n_by_reference += rows[k].n_by_reference;
        if (rows[k].most_ranks > sum.most_ranks)
            sum.most_ranks = rows[k].most_ranks;
    }
    snprintf(sum.name, sizeof sum.name, "%zu algorithms, %u cases", n, total);
    return sum;
}

void library_print(const struct library_row *rows, size_t n)
{
    const struct library_row sum = sum_of(rows, n);
    print_heading();
    for (size_t k = 0; k < n; k++)
        print_row(&rows[k]);
    print_row(&sum);
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < N_LIBRARY_COLUMNS; i++)
            if (rows[k].passed[i])
                printf("counted %u %s: %s\n", rows[k].passed[i], rows[k].name, headings[i]);
}
