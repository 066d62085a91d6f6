/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc best --to library: the table of a library of algorithms (docs/library.md), by predicted times. All
 * built-in algorithms are candidates, and those of --with. Rules for a number of ranks act up to the next of
 * the list, and those of the last act on it alone; the MPI has what no rule is for.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/text/file_list.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/driver/predict.h"
#include "compiler/driver/progress.h"
#include "compiler/driver/table.h"
#include "reports/forecast_report.h"
#include "study/forecast/model_table.h"
#include "study/parallel/pool.h"
#include "tables/library/library.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct best_library {
    const struct options *options;
    struct text *out;
    uint64_t ranks, next; /* of the rules: from one up to below the other */
};

struct best_library_pick {
    size_t row;
    const struct variant *variant;
};

/* Appends the conditions but that of sizes: ranks, as many on each host as the placement has, and exactness.
 */
static void best_library_put_where(const struct best_library *best, const struct forecast_request *request,
                                   struct text *out)
{
    const struct placement *placement = request->where.placement;
    text_printf(out, "%s ranks=%" PRIu64, collective_name(request->collective, request->form), best->ranks);
    if (best->next > best->ranks + 1)
        text_printf(out, "..%" PRIu64, best->next - 1);
    if (placement->n_ranks % placement->n_servers == 0)
        text_printf(out, " per_host=%u", placement->n_ranks / placement->n_servers);
    if (request->exact_only && collective_table[request->collective].reduces)
        text_printf(out, " exact=yes");
}

/* Appends the name of a built-in algorithm, or the path of the site's own: the table finds it from its
 * folder. A path that is made absolute keeps its last part: a link is known by its own name. */
static void best_library_put_name(const struct best_library *best, const char *name, struct text *out)
{
    const char *output = best->options->output, *last = strrchr(name, '/');
    if (!collc_is_file((struct collc_word){name, strlen(name)})) {
        text_printf(out, "%s", last + 1);
        return;
    }
    char *folder = last ? mem_alloc((size_t)(last - name) + 2, 1) : NULL;
    if (folder)
        memcpy(folder, name, (size_t)(last - name) + (last == name));
    char *path = output && strchr(output, '/') ? realpath(folder ? folder : ".", NULL) : NULL;
    if (path)
        text_printf(out, "%s/%s", strcmp(path, "/") ? path : "", last ? last + 1 : name);
    else
        text_printf(out, "%s", name);
    free(folder);
    free(path);
}

/* True if a library finds the site's own algorithm by the name of its file, as the linter of the table is
 * going to ask; else says why not. */
static bool best_library_check_own(const struct forecast *forecast, size_t row)
{
    const struct forecast_request *request = &forecast->request;
    const char *collective = collective_name(request->collective, request->form);
    const char *name = forecast->rows[row].name;
    const struct collc_word path = {name, strlen(name)}, own = collc_algorithm_name(path);
    struct diagnostics said = {0};
    const char *help;
    const struct source *source = source_read(name, SCHEDULE_FILE_LIMIT, &said.arena, &said);
    const struct embedded_file file = {name, source ? source->text : "", source ? source->length : 0};
    const char *fault = library_own_fault(collective, path, source ? &file : NULL, &said.arena, &help);
    bool is_known = fault == NULL;
    if (fault)
        usage_error_with(help, "'%s' cannot stand in a table: it %s", name, fault);
    for (size_t i = 0; i < row && is_known; i++) {
        const char *other = forecast->rows[i].name;
        const struct collc_word its = collc_algorithm_name((struct collc_word){other, strlen(other)});
        is_known = its.length != own.length || memcmp(its.text, own.text, own.length) != 0;
        if (!is_known)
            usage_error_with("give one of them, and its file, another name",
                             "'%s' and '%s' cannot stand in one table: both have the algorithm '%.*s'", other,
                             name, (int)own.length, own.text);
    }
    diagnostics_free(&said);
    return is_known;
}

/* A table has blanks between its words, and no quotes. */
static bool best_library_check_names(const struct best_library *best, const struct forecast *forecast)
{
    bool is_good = true;
    for (size_t i = 0; i < forecast->n_rows && is_good; i++) {
        struct text name = {0};
        best_library_put_name(best, forecast->rows[i].name, &name);
        if (name.data[strcspn(name.data, " \t\r\n#")])
            is_good = usage_refuse(best->options, "'%s' cannot stand in a table: its path has blanks or a '#'",
                                   name.data);
        else if (collc_is_file((struct collc_word){name.data, name.length}))
            is_good = best_library_check_own(forecast, i);
        text_free(&name);
    }
    return is_good;
}

/* A rule is for sizes from one up to below another; 0 and UINT64_MAX: without an end. */
static void best_library_put_rule(const struct best_library *best, const struct forecast *forecast,
                                  uint64_t first, uint64_t end, const struct best_library_pick *pick)
{
    const struct row *row = &forecast->rows[pick->row];
    struct text setting = {0};
    best_library_put_where(best, &forecast->request, best->out);
    if (first || end < UINT64_MAX)
        text_printf(best->out, " bytes=");
    if (first)
        text_printf(best->out, "%" PRIu64, first);
    if (first || end < UINT64_MAX)
        text_printf(best->out, "..");
    if (end < UINT64_MAX)
        text_printf(best->out, "%" PRIu64, end - 1);
    text_printf(best->out, " use ");
    best_library_put_name(best, row->name, best->out);
    for (size_t k = 0; forecast_row_setting(row, pick->variant, k, &setting); k++) {
        text_printf(best->out, " %s", setting.data);
        text_free(&setting);
    }
    text_append(best->out, "\n", 1);
}

/* True if the pick of the sizes before stays at this one, as nothing is faster by more than
 * MODEL_TOLERANCE_PERCENT. */
static bool best_library_stays(const struct best_library_pick *pick, const struct forecast_cell *cells,
                               size_t fastest)
{
    const struct forecast_cell *cell = &cells[pick->row];
    return cell->variant == pick->variant &&
           cell->time - cell->time / 100 * MODEL_TOLERANCE_PERCENT <= cells[fastest].time;
}

static void best_library_put_rules(const struct best_library *best, struct forecast *forecast)
{
    size_t n;
    const struct best_range *ranges = forecast_ranges(forecast, &n);
    struct forecast_cell *cells = mem_alloc(forecast->n_rows, sizeof *cells);
    struct best_library_pick pick = {ranges[0].row, ranges[0].variant};
    uint64_t first = 0;
    for (size_t i = 1; i < n; i++) {
        const struct best_range *range = &ranges[i];
        bool stays = true;
        const uint64_t tried[] = {range->first + (range->last - range->first) / 2, range->last};
        for (size_t k = 0; k < 2 && stays; k++) {
            const size_t fastest = forecast_choose(forecast, tried[k], cells).row;
            stays = best_library_stays(&pick, cells, fastest);
        }
        if (stays)
            continue;
        best_library_put_rule(best, forecast, first, range->first, &pick);
        pick = (struct best_library_pick){range->row, range->variant};
        first = range->first;
    }
    best_library_put_rule(best, forecast, first, UINT64_MAX, &pick);
    free(cells);
}

static bool best_library_take(const struct best_library *best, struct job *job,
                              struct forecast_request *request)
{
    struct progress progress = progress_begin(job->options);
    request->observer = progress_observer(&progress);
    request->is_own_of_form = true;
    struct forecast forecast = forecast_start(request);
    const struct text_list *with = &best->options->with;
    bool is_done = forecast_add_algorithms(&forecast, with->items, with->n, &job->diagnostics) &&
                   !diagnostics_has_errors(&job->diagnostics);
    const char *name = collective_name(request->collective, request->form);
    if (forecast.problem)
        is_done = usage_refuse(job->options, "%s", forecast.problem);
    if (is_done && !forecast.n_rows)
        is_done =
            usage_refuse(job->options, "no algorithm of %s works on %" PRIu64 " ranks", name, best->ranks);
    is_done = is_done && best_library_check_names(best, &forecast);
    if (is_done && !forecast_measure(&forecast))
        is_done = usage_refuse(job->options, "%s", forecast.problem);
    if (is_done)
        best_library_put_rules(best, &forecast);
    forecast_free(&forecast);
    progress_end(&progress);
    return is_done;
}

/* One collective on one number of ranks; 0: all. */
static bool best_library_choose(struct best_library *best, const char *name, const struct size_list *ranks,
                                size_t which)
{
    struct options options = *best->options;
    enum collective collective;
    enum collective_form form;
    struct forecast_request request;
    options.arguments[0] = name;
    options.n_arguments = 1;
    options.ranks = ranks->n ? (uint32_t)ranks->items[which] : 0;
    struct job job = job_begin(&options);
    bool is_done = job_open_collective(&job, &collective, &form) &&
                   predict_make_request(&job, collective, form, &request);
    if (is_done) {
        best->ranks = request.where.placement->n_ranks;
        best->next = which + 1 < ranks->n ? ranks->items[which + 1] : best->ranks + 1;
        is_done = best_library_take(best, &job, &request);
    }
    return job_close(&job, is_done ? STATUS_CLEAN : STATUS_FAILED) == STATUS_CLEAN;
}

/* An own algorithm is one of a single collective, a folder may have some of each. */
static bool best_library_check_with(const struct options *options, const char *name)
{
    const bool is_folder = file_list_is_folder(name);
    if (!is_folder && options->n_arguments != 1)
        return usage_refuse(options, "--with FILE is for the rules of one collective: name one");
    if (!is_folder && !collc_is_file((struct collc_word){name, strlen(name)}))
        return usage_refuse(options, "'%s' is no name for a table: end it with .coll", name);
    return true;
}

static bool best_library_check(const struct options *options)
{
    if (options->counts || options->n_settings)
        return usage_refuse(options, "rules are for all sizes and parameters: --counts and --param have no effect");
    for (size_t i = 0; i < options->with.n; i++)
        if (!best_library_check_with(options, options->with.items[i]))
            return false;
    for (uint32_t i = 0; i < options->n_arguments; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(options->arguments[i], options->arguments[j]) == 0)
                return usage_refuse(options, "'%s' is named twice", options->arguments[i]);
    for (size_t i = 0; i < options->rank_list.n; i++)
        if (options->rank_list.items[i] < 2)
            return usage_refuse(options, "rules are for two ranks and more, not for 1");
    return true;
}

int write_best_library(const struct options *options)
{
    struct text out = {0};
    struct best_library best = {.options = options, .out = &out};
    const size_t n = options->rank_list.n ? options->rank_list.n : 1;
    bool is_done = pool_number() == 0 && best_library_check(options);
    if (pool_number() > 0)
        return STATUS_CLEAN; /* number 0 does all of it */
    text_printf(&out,
                "collc-table 1\n# Written by collc best from predicted times. Other calls are the MPI's.\n");
    for (uint32_t i = 0; is_done && i < options->n_arguments; i++)
        for (size_t j = 0; is_done && j < n; j++)
            is_done = best_library_choose(&best, options->arguments[i], &options->rank_list, j);
    if (is_done)
        output_text(options->output, &out);
    text_free(&out);
    return is_done ? STATUS_CLEAN : STATUS_FAILED;
}
