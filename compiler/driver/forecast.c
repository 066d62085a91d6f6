/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows and variants of a forecast, and their times. See forecast.h.
 */
#include "compiler/driver/forecast.h"

#include "compiler/driver/output.h"
#include "base/quantity.h"
#include "base/suggest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char default_sizes[] = "8..4MiB";

struct predict_costs forecast_costs(const struct job *job)
{
    const struct options *options = job->options;
    struct predict_costs costs = PREDICT_DEFAULTS;
    if (topology_n_networks(job->topology) > 1) {
        const struct network *memory = topology_network_info(job->topology, NETWORK_MEMORY);
        if (memory->bandwidth) {
            costs.memory_bandwidth = memory->bandwidth;
            costs.memory_latency = memory->latency;
        }
    }
    costs.overhead = options->overhead.is_set ? options->overhead.value : costs.overhead;
    costs.gap = options->gap.is_set ? options->gap.value : costs.gap;
    if (options->memory_bandwidth.is_set)
        costs.memory_bandwidth = options->memory_bandwidth.value;
    if (options->memory_latency.is_set)
        costs.memory_latency = options->memory_latency.value;
    return costs;
}

/* A barrier has no size, and --counts are sizes. */
static void choose_sizes(struct forecast *forecast)
{
    const struct options *options = forecast->job->options;
    bool has_none = forecast->collective == COLLECTIVE_barrier || options->counts;
    const char *text = has_none ? "0" : default_sizes;
    if (options->sizes.n && forecast->collective != COLLECTIVE_barrier)
        forecast->sizes = options->sizes;
    else
        (void)parse_sizes(text, &forecast->sizes, &forecast->arena);
}

int forecast_open(struct job *job, enum collective *collective, enum collective_form *form)
{
    const char *name = job->options->arguments[0];
    *collective = collective_find_form(name, strlen(name), form);
    if (*collective == N_COLLECTIVES)
        return usage_error(job->options, "'%s' is no collective: 'collc algorithms' lists them%s",
                           name, or_rather(&job->arena, collective_nearest(name, strlen(name))));
    const int status = job_locate(job);
    return status == STATUS_CLEAN ? job_open_counts(job, *collective, *form) : status;
}

int forecast_start(struct forecast *forecast, const struct job *job, enum collective collective)
{
    const struct options *options = job->options;
    *forecast = (struct forecast){.job = job, .collective = collective};
    if (!job->topology)
        return usage_error(options, "times are those of a network: give --topology");
    if (options->to && options->format)
        return usage_error(options, "--format is that of the report: leave out --to or --format");
    const int status = job_check_root(job, collective);
    if (status != STATUS_CLEAN)
        return status;
    forecast->costs = forecast_costs(job);
    choose_sizes(forecast);
    return STATUS_CLEAN;
}

void forecast_free(struct forecast *forecast)
{
    for (size_t row = 0; row < forecast->n_rows; row++) {
        for (size_t i = 0; i < forecast->rows[row].n_variants; i++)
            predict_loads_free(&forecast->rows[row].variants[i].loads);
        free(forecast->rows[row].variants);
    }
    free(forecast->rows);
    free(forecast->refusals);
    arena_free(&forecast->arena);
}

bool forecast_add_schedule(struct forecast *forecast, const char *name, struct schedule *schedule,
                           struct diagnostics *diagnostics)
{
    struct variant variant = {.segments = schedule->header.segments};
    forecast->has_counts = schedule->header.counts;
    bool is_measured = predict_gather(schedule, forecast->job->topology, forecast->job->placement,
                                      &variant.loads, diagnostics);
    struct row row = {.name = arena_strndup(&forecast->arena, name, strlen(name))};
    row.variants = mem_grow(NULL, &row.capacity, 1, sizeof *row.variants);
    row.variants[row.n_variants++] = variant;
    forecast->rows = mem_grow(forecast->rows, &forecast->rows_capacity, forecast->n_rows + 1,
                              sizeof *forecast->rows);
    forecast->rows[forecast->n_rows++] = row;
    return is_measured;
}

uint64_t forecast_chunk_bytes(const struct forecast *forecast, const struct variant *variant,
                              uint64_t bytes)
{
    if (forecast->has_counts)
        return 1;
    return collective_chunk_bytes(forecast->collective, variant->segments, bytes);
}

struct forecast_cell forecast_at(const struct forecast *forecast, size_t row, uint64_t bytes)
{
    struct forecast_cell best = {0};
    for (size_t i = 0; i < forecast->rows[row].n_variants; i++) {
        const struct variant *variant = &forecast->rows[row].variants[i];
        uint64_t chunk = forecast_chunk_bytes(forecast, variant, bytes);
        struct prediction prediction = predict_time(&variant->loads, &forecast->costs, chunk);
        if (!best.variant || prediction.time < best.prediction.time)
            best = (struct forecast_cell){variant, prediction};
    }
    return best;
}

/* A time that is no number can be neither shown nor compared. */
static int refuse_time(const struct forecast *forecast, size_t row, size_t size)
{
    struct text text = {0};
    if (!forecast->has_counts)
        print_size(forecast->sizes.items[size], &text);
    int status = usage_error(forecast->job->options,
                             "the time of '%s' for %s is too long to be counted, 2^64 ns (584 years) or "
                             "more: give smaller %s", forecast->rows[row].name,
                             text.data ? text.data : "--counts", text.data ? "sizes" : "counts");
    text_free(&text);
    return status;
}

int forecast_measure(struct forecast *forecast)
{
    size_t n_sizes = forecast->sizes.n;
    forecast->cells =
        arena_alloc(&forecast->arena, forecast->n_rows * n_sizes + 1, sizeof *forecast->cells);
    forecast->best = arena_alloc(&forecast->arena, n_sizes + 1, sizeof *forecast->best);
    for (size_t row = 0; row < forecast->n_rows; row++)
        for (size_t i = 0; i < n_sizes; i++) {
            struct forecast_cell *cell = &forecast->cells[row * n_sizes + i];
            *cell = forecast_at(forecast, row, forecast->sizes.items[i]);
            if (cell->prediction.time == UINT64_MAX)
                return refuse_time(forecast, row, i);
            if (cell->prediction.time <
                forecast_cell(forecast, forecast->best[i], i)->prediction.time)
                forecast->best[i] = row;
        }
    return STATUS_CLEAN;
}

const struct forecast_cell *forecast_cell(const struct forecast *forecast, size_t row, size_t size)
{
    return &forecast->cells[row * forecast->sizes.n + size];
}

bool row_setting(const struct row *row, const struct variant *variant, size_t i, struct text *out)
{
    const bool is_varied = variant && variant != row->variants; /* the first one is the default */
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

void row_print(const struct row *row, const struct variant *variant, struct text *out)
{
    struct text setting = {0};
    print_word(row->name, out);
    for (size_t i = 0; row_setting(row, variant, i, &setting); i++) {
        text_printf(out, " --param ");
        print_word(setting.data, out);
        text_free(&setting);
    }
}

int forecast_write(struct forecast *forecast)
{
    const struct options *options = forecast->job->options;
    struct text text = {0};
    if (forecast_measure(forecast) != STATUS_CLEAN)
        return STATUS_FAILED;
    if (is_choice(options->to, "csv"))
        forecast_csv(forecast, &text);
    else if (is_choice(options->to, "svg"))
        forecast_svg(forecast, &text);
    else if (is_choice(options->format, "json"))
        forecast_json(forecast, &text);
    else
        forecast_text(forecast, &text);
    if (!options->quiet || options->to || options->format)
        output_text(options->output, &text);
    text_free(&text);
    return STATUS_CLEAN;
}
