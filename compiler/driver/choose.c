/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The best algorithm of a collective, taken instead of a named one. See choose.h.
 */
#include "compiler/driver/choose.h"

#include "compiler/driver/forecast.h"
#include "base/quantity.h"

#include <stdio.h>
#include <string.h>

/* The row with the least time but for the best one, or n_rows. */
static size_t second_best(const struct forecast *forecast)
{
    size_t second = forecast->n_rows;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        uint64_t time = forecast_cell(forecast, row, 0)->prediction.time;
        if (row != forecast->best[0] &&
            (second == forecast->n_rows ||
             time < forecast_cell(forecast, second, 0)->prediction.time))
            second = row;
    }
    return second;
}

/* " (bandwidth 1.2 us more)": the part of the time in which the second is worst. */
static void print_why(const struct prediction *best, const struct prediction *second,
                      struct text *out)
{
    const struct part {
        const char *name;
        uint64_t best, second;
    } parts[] = {{"latency", best->latency, second->latency},
                 {"bandwidth", best->bandwidth, second->bandwidth},
                 {"hol", best->hol, second->hol},
                 {"host", best->host, second->host},
                 {"local", best->local, second->local}};
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

static void print_row(const struct forecast *forecast, size_t row, struct text *out)
{
    const struct forecast_cell *cell = forecast_cell(forecast, row, 0);
    row_print(&forecast->rows[row], cell->variant, out);
    text_append(out, ", ", 2);
    print_time(cell->prediction.time, out);
}

static void say_choice(const struct forecast *forecast)
{
    size_t best = forecast->best[0], second = second_best(forecast);
    struct text words = {0};
    print_row(forecast, best, &words);
    if (second < forecast->n_rows) {
        text_printf(&words, "; next ");
        print_row(forecast, second, &words);
        print_why(&forecast_cell(forecast, best, 0)->prediction,
                  &forecast_cell(forecast, second, 0)->prediction, &words);
    }
    if (!forecast->job->options->quiet)
        fprintf(stderr, "collc: best: %s\n", words.data);
    text_free(&words);
}

/* Which algorithms were no candidates because of --param, and why the first was not. */
static void say_left_out(const struct forecast *forecast)
{
    enum { MAX_NAMED = 4 };
    struct text names = {0};
    size_t n = 0, first = 0;
    for (size_t i = 0; i < forecast->n_refusals; i++) {
        if (!forecast->refusals[i].is_of_settings)
            continue;
        first = n ? first : i;
        if (n++ < MAX_NAMED) {
            text_printf(&names, n > 1 ? ", " : "");
            text_append_safe(&names, forecast->refusals[i].name);
        }
    }
    if (n > MAX_NAMED)
        text_printf(&names, " and %zu more", n - MAX_NAMED);
    if (n && !forecast->job->options->quiet)
        fprintf(stderr, "collc: best: left out by --param: %s (%s)\n", names.data,
                forecast->refusals[first].reason);
    text_free(&names);
}

/* The chosen algorithm's own of the settings of --param, and the one that was varied. */
static void take_settings(struct job *job, const struct variant *variant)
{
    const struct options *options = job->options;
    struct parameter_setting *settings =
        arena_alloc(&job->arena, options->n_settings + 1, sizeof *settings);
    job->n_settings = 0;
    for (size_t i = 0; i < options->n_settings; i++)
        if (program_parameter(job->program, options->settings[i].name))
            settings[job->n_settings++] = options->settings[i];
    if (variant->parameter)
        settings[job->n_settings++] = (struct parameter_setting){
            arena_strndup(&job->arena, variant->parameter, strlen(variant->parameter)),
            variant->value, NULL, {0}};
    job->settings = settings;
}

static int take_best(struct job *job, const struct forecast *forecast)
{
    size_t best = forecast->best[0];
    if (!job_read_named(job, forecast->rows[best].name))
        return STATUS_FAILED;
    take_settings(job, forecast_cell(forecast, best, 0)->variant);
    say_choice(forecast);
    say_left_out(forecast);
    return STATUS_CLEAN;
}

/* Times depend on the size, so there must be one. */
static int measure(struct job *job, struct forecast *forecast, enum collective collective,
                   enum collective_form form)
{
    const struct options *options = job->options;
    uint64_t bytes = options->bytes;
    const int status = forecast_start(forecast, job, collective);
    if (status != STATUS_CLEAN)
        return status;
    forecast->form = form;
    forecast->has_counts = job->counts;
    if (!bytes && !job->counts && collective != COLLECTIVE_barrier)
        return usage_error(options, "the best algorithm depends on the size: give --bytes, above 0");
    forecast->sizes = (struct size_list){&bytes, 1};
    if (!forecast_add_algorithms(forecast, &job->diagnostics))
        return STATUS_FAILED;
    if (!forecast->n_rows)
        return usage_error(options, "no algorithm of %s works here: 'collc best' says why",
                           collective_name(collective, form));
    return forecast_measure(forecast) == STATUS_CLEAN ? take_best(job, forecast) : STATUS_FAILED;
}

int job_choose(struct job *job, const struct options *options)
{
    struct forecast forecast = {0};
    enum collective collective;
    enum collective_form form;
    job->options = options;
    int status = forecast_open(job, &collective, &form);
    if (status == STATUS_CLEAN)
        status = measure(job, &forecast, collective, form);
    forecast_free(&forecast);
    return status;
}
