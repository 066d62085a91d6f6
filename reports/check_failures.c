/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of single failures of a cell, from its record. Failures that differ in nothing but their name
 * are one row.
 */
#include "reports/check.h"

#include <jansson.h>
#include <string.h>

enum { ROWS = 10 };

/* Keys and heads of the columns. */
static const char *const figures[] = {"lost", "moved", "sum_step_load", "max_link_load", "max_total_load"};
static const char *const headings[] = {"lost", "moved", "summed", "in a step", "in all"};
enum { N_FIGURES = 5, FIGURE_WIDTH = 10 };

static const char *check_failures_name_of(const json_t *failure)
{
    const char *name = json_string_value(json_object_get(failure, "name"));
    return name ? name : "";
}

static bool check_failures_are_alike(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < N_FIGURES; i++)
        if (!json_equal(json_object_get(a, figures[i]), json_object_get(b, figures[i])))
            return false;
    return json_equal(json_object_get(a, "bound_ratio"), json_object_get(b, "bound_ratio")) &&
           json_equal(json_object_get(a, "bound_kind"), json_object_get(b, "bound_kind")) &&
           json_equal(json_object_get(a, "part"), json_object_get(b, "part"));
}

/* "cable a:b", "cable a:b and 124 alike". */
static void check_failures_print_label(const json_t *failure, size_t n_alike, struct text *out)
{
    text_append_safe(out, check_failures_name_of(failure));
    if (n_alike > 1)
        text_printf(out, " and %zu alike", n_alike - 1);
}

/* Returns the number of failures from number `first` on that are one row. */
static size_t check_failures_count_alike(const json_t *each, size_t first)
{
    const size_t n = json_array_size(each);
    size_t end = first + 1;
    while (end < n && check_failures_are_alike(json_array_get(each, first), json_array_get(each, end)))
        end++;
    return end - first;
}

static void check_failures_print_figures(const json_t *object, const char *label, int width, struct text *out)
{
    text_printf(out, "  %-*s", width, label);
    for (size_t i = 0; i < N_FIGURES; i++)
        text_printf(out, " %*lld", FIGURE_WIDTH,
                    (long long)json_integer_value(json_object_get(object, figures[i])));
    const json_t *ratio = json_object_get(object, "bound_ratio");
    if (json_is_number(ratio))
        text_printf(out, " %*.2f  %s", FIGURE_WIDTH, json_number_value(ratio),
                    json_string_value(json_object_get(object, "bound_kind")));
    else
        text_printf(out, " %*s", FIGURE_WIDTH, "-");
    text_append(out, "\n", 1);
}

/* Visits the rows; those behind the last are counted. Returns the width of the labels. */
static int each_row(const json_t *each, size_t n_rows, int width, struct text *out)
{
    size_t first = 0, row = 0;
    int widest = (int)strlen("nothing");
    for (; first < json_array_size(each) && row < n_rows; row++) {
        const json_t *failure = json_array_get(each, first);
        const size_t n = check_failures_count_alike(each, first);
        struct text label = {0};
        check_failures_print_label(failure, n, &label);
        widest = (int)label.length > widest ? (int)label.length : widest;
        if (out)
            check_failures_print_figures(failure, label.data, width, out);
        text_free(&label);
        first += n;
    }
    if (out && first < json_array_size(each))
        text_printf(out, "  %zu more; --max-findings lists more\n", json_array_size(each) - first);
    return widest;
}

void check_take_failures(struct check *check, size_t number, const json_t *failures)
{
    const json_t *each = json_object_get(failures, "each");
    struct text *out = &check->cells[number].table;
    const size_t n_rows = check->max_shown > ROWS ? check->max_shown : ROWS;
    if (!json_is_array(each))
        return;
    check_cell_name(check, number, out);
    text_printf(out, ": %zu single failures, the worst first; %lld messages\n", json_array_size(each),
                (long long)json_integer_value(json_object_get(failures, "messages")));
    const int width = each_row(each, n_rows, 0, NULL);
    text_printf(out, "  %-*s", width, "without");
    for (size_t i = 0; i < N_FIGURES; i++)
        text_printf(out, " %*s", FIGURE_WIDTH, headings[i]);
    text_printf(out, " %*s  by\n", FIGURE_WIDTH, "x bound");
    check_failures_print_figures(failures, "nothing", width, out);
    (void)each_row(each, n_rows, width, out);
}
