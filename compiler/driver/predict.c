/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc predict: the time of one schedule. collc best: the times of all algorithms of
 * a collective, and which is the least.
 */
#include "compiler/driver/forecast.h"

#include <stdio.h>
#include <string.h>

/* The size that was said when a schedule file was made; none: the default sizes. */
static void take_header_size(struct forecast *forecast, const struct schedule_header *header)
{
    uint64_t bytes = header->chunk_bytes;
    if (forecast->job->options->sizes.n || (!bytes && !header->counts))
        return;
    if (!mem_multiply(bytes, header->segments, &bytes))
        return;
    forecast->sizes.items[0] = bytes;
    forecast->sizes.n = 1;
}

static int predict_job(struct job *job)
{
    const struct schedule_header *header = &job->schedule->header;
    struct forecast forecast;
    struct text name = {0};
    int status = forecast_start(&forecast, job, header->collective);
    forecast.form = header->form;
    if (status == STATUS_CLEAN && header->counts && !job->counts && job->options->sizes.n)
        status = usage_error(job->options, "'%s' has counts of its own: leave out --sizes",
                             job->source->path);
    text_printf(&name, "%s/", collective_name(header->collective, header->form));
    text_append_safe(&name, header->algorithm);
    if (status == STATUS_CLEAN) {
        take_header_size(&forecast, header);
        bool is_added =
            forecast_add_schedule(&forecast, name.data, job->schedule, &job->diagnostics);
        is_added = is_added && !diagnostics_has_errors(&job->diagnostics);
        status = is_added ? forecast_write(&forecast) : STATUS_FAILED;
    }
    text_free(&name);
    forecast_free(&forecast);
    return status;
}

int command_predict(const struct options *options)
{
    struct job job = {.options = options};
    int status = job_open(&job, options);
    if (status == STATUS_CLEAN)
        status = predict_job(&job);
    return job_close(&job, status);
}

/* Nothing to choose from is no answer, and no file is written; the reasons are printed all the
 * same. */
static int refuse_all(struct forecast *forecast)
{
    const struct options *options = forecast->job->options;
    const bool is_file = options->output && strcmp(options->output, "-") != 0;
    struct text reasons = {0};
    if (!is_file && !options->to) {
        forecast_write(forecast);
    } else if (!options->quiet) {
        forecast_text(forecast, &reasons);
        fwrite(reasons.data, 1, reasons.length, stderr);
        text_free(&reasons);
    }
    return usage_error(options, "no algorithm of %s works here",
                       collective_name(forecast->collective, forecast->form));
}

static int compare_all(struct job *job, enum collective collective, enum collective_form form)
{
    struct forecast forecast;
    int status = forecast_start(&forecast, job, collective);
    forecast.form = form;
    forecast.has_counts = job->counts;
    if (status == STATUS_CLEAN && !forecast_add_algorithms(&forecast, &job->diagnostics))
        status = STATUS_FAILED;
    if (status == STATUS_CLEAN && diagnostics_has_errors(&job->diagnostics))
        status = STATUS_FAILED;
    if (status == STATUS_CLEAN)
        status = forecast.n_rows ? forecast_write(&forecast) : refuse_all(&forecast);
    forecast_free(&forecast);
    return status;
}

int command_best(const struct options *options)
{
    enum collective_form form;
    enum collective collective;
    struct job job = {.options = options};
    int status = forecast_open(&job, &collective, &form);
    if (status == STATUS_CLEAN)
        status = compare_all(&job, collective, form);
    return job_close(&job, status);
}
