/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A row of a forecast as a shell takes it, and what was chosen. See forecast_report.h.
 */
#include "base/quantity.h"
#include "reports/forecast_report.h"

#include <inttypes.h>
#include <string.h>

bool forecast_row_setting(const struct row *row, const struct variant *variant, size_t i, struct text *out)
{
    const bool is_varied = /* the first one is the default */
        variant && (variant != row->variants || variant->from_bytes);
    if (i < row->n_settings)
        text_append(out, row->settings[i], strlen(row->settings[i]));
    else if (i == row->n_settings && is_varied)
        text_printf(out, "%s=%" PRId64, variant->parameter, variant->value);
    else
        return false;
    return true;
}

/* A name of a file that a shell would take apart, in quotes. */
static void print_word(const char *word, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=:@%,";
    const bool is_plain = word[strspn(word, plain)] == '\0';
    text_printf(out, "%s", is_plain ? "" : "'");
    for (size_t length; *word; word += length) {
        struct text part = {0};
        length = *word == '\'' ? 1 : strcspn(word, "'");
        text_append(&part, word, length);
        text_append_safe(out, *word == '\'' ? "'\\''" : part.data);
        text_free(&part);
    }
    text_printf(out, "%s", is_plain ? "" : "'");
}

void forecast_row_print(const struct row *row, const struct variant *variant, struct text *out)
{
    struct text setting = {0};
    print_word(row->name, out);
    for (size_t i = 0; forecast_row_setting(row, variant, i, &setting); i++) {
        text_printf(out, " --param ");
        print_word(setting.data, out);
        text_free(&setting);
    }
}

const char *forecast_waiting_name(enum simulation_model model)
{
    return model == SIMULATION_step ? "hol" : "waiting";
}

const char *forecast_synchronisation(const struct forecast *forecast, enum simulation_model model)
{
    const enum synchronisation played = forecast->request.simulation.settings.synchronisation;
    return model == SIMULATION_step ? "lockstep" : synchronisation_words[played].name;
}

/* ---- what was chosen ---- */

/* " (bandwidth 1.2 us more)": the part of the time in which the second is worst. */
static void forecast_choice_print_why(const struct forecast_cell *best_cell,
                                      const struct forecast_cell *second_cell, struct text *out)
{
    const struct time_parts *best = &best_cell->parts, *second = &second_cell->parts;
    const struct part {
        const char *name;
        uint64_t best, second;
    } parts[] = {{"latency", best->latency, second->latency},
                 {"bandwidth", best->bandwidth, second->bandwidth},
                 {forecast_waiting_name(best_cell->model), best->waiting, second->waiting},
                 {"host", best->host, second->host},
                 {"local", best->local, second->local},
                 {"memory", best->memory, second->memory}};
    const struct part *worst = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].second > parts[i].best &&
            (!worst || parts[i].second - parts[i].best > worst->second - worst->best))
            worst = &parts[i];
    if (!worst)
        return;
    text_printf(out, " (%s ", worst->name);
    print_time(worst->second - worst->best, out);
    text_printf(out, " more)");
}

static void forecast_choice_print_row(const struct forecast *forecast, size_t row, struct text *out)
{
    const struct forecast_cell *cell = forecast_cell(forecast, row, 0);
    forecast_row_print(&forecast->rows[row], cell->variant, out);
    text_append(out, ", ", 2);
    print_time(cell->time, out);
}

/* Prints which row is first by a model that has what this one leaves out. */
static void print_other(const struct forecast *forecast, struct text *out)
{
    struct forecast_blocking blocking;
    if (!forecast_find_blocking(forecast, &blocking))
        return;
    text_printf(out, "; by --model step, which has head-of-line blocking, ");
    forecast_row_print(&forecast->rows[blocking.instead], blocking.instead_by_step.variant, out);
    text_printf(out, " is first");
}

void choice_text(const struct forecast *forecast, const struct choice *choice, struct text *out)
{
    forecast_choice_print_row(forecast, choice->row, out);
    if (choice->second == forecast->n_rows)
        return;
    text_printf(out, "; next ");
    forecast_choice_print_row(forecast, choice->second, out);
    forecast_choice_print_why(forecast_cell(forecast, choice->row, 0),
                              forecast_cell(forecast, choice->second, 0), out);
    print_other(forecast, out);
}

void choice_left_out(const struct forecast *forecast, struct text *out)
{
    enum { MAX_NAMED = 4 };
    size_t n = 0, first = 0;
    for (size_t i = 0; i < forecast->n_refusals; i++) {
        if (!forecast->refusals[i].is_of_settings)
            continue;
        first = n ? first : i;
        if (n++ >= MAX_NAMED)
            continue;
        text_printf(out, n > 1 ? ", " : "");
        text_append_safe(out, forecast->refusals[i].name);
    }
    if (n > MAX_NAMED)
        text_printf(out, " and %zu more", n - MAX_NAMED);
    if (n)
        text_printf(out, " (%s)", forecast->refusals[first].reason);
}
