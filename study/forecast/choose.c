/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See choose.h.
 */
#include "study/forecast/choose.h"

#include <stdlib.h>
#include <string.h>

/* Returns the row with the least time by the model of the best one, other than the best, or n_rows. */
static size_t second_best(const struct forecast *forecast)
{
    const struct forecast_cell *best = forecast_cell(forecast, forecast->best[0], 0);
    const struct forecast_cell *second = NULL;
    size_t found = forecast->n_rows;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        const struct forecast_cell *cell = forecast_cell(forecast, row, 0);
        if (cell == best || cell->model != best->model || (second && cell->time >= second->time))
            continue;
        second = cell;
        found = row;
    }
    return found;
}

/* True if the row has the setting: it keeps those of its algorithm as "NAME=VALUE". */
static bool has_setting(const struct row *row, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < row->n_settings; i++)
        if (strncmp(row->settings[i], name, length) == 0 && row->settings[i][length] == '=')
            return true;
    return false;
}

static void forecast_choose_take_settings(struct forecast *forecast, struct choice *choice)
{
    const struct bind_request *where = &forecast->request.where;
    const struct variant *variant = forecast_cell(forecast, choice->row, 0)->variant;
    choice->settings =
        arena_alloc(&forecast->arena, where->n_settings + 1, sizeof *choice->settings);
    for (size_t i = 0; i < where->n_settings; i++)
        if (has_setting(&forecast->rows[choice->row], where->settings[i].name))
            choice->settings[choice->n_settings++] = where->settings[i];
    if (variant->parameter)
        choice->settings[choice->n_settings++] =
            (struct parameter_setting){.name = variant->parameter, .value = variant->value};
}

bool choose_algorithm(struct forecast *forecast, struct choice *choice,
                      struct diagnostics *diagnostics)
{
    *choice = (struct choice){0};
    if (!forecast_add_algorithms(forecast, NULL, 0, diagnostics))
        return false;
    if (!forecast->n_rows)
        forecast->problem =
            arena_printf(&forecast->arena, "no algorithm of %s works here: 'collc best' says why",
                         collective_name(forecast->request.collective, forecast->request.form));
    if (!forecast->n_rows || !forecast_measure(forecast))
        return false;
    choice->row = forecast->best[0];
    choice->second = second_best(forecast);
    choice->name = forecast->rows[choice->row].name;
    forecast_choose_take_settings(forecast, choice);
    return true;
}
