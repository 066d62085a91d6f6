/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binds and measures every built-in algorithm of a collective, and those of the user, for a forecast. The
 * parameter that cuts the data in segments is not known by its name: its value changes the number of
 * segments.
 */
#include "compiler/algorithms/builtin.h"
#include "base/codes.h"
#include "compiler/language/language.h"
#include "schedules/schedules.h"
#include "study/parallel/pool.h"
#include "study/estimate.h"
#include "study/forecast/forecast.h"
#include "study/forecast/own_files.h"
#include "study/symmetric.h"
#include "study/trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits: of segments, as a factor of the default; and of messages of a variant, above which doubling
 * continues only while it is faster. */
enum { MAX_FACTOR = 1024, MAX_MESSAGES = 1 << 17 };

/* An algorithm on its way into the forecast. */
struct entry {
    struct forecast *forecast;
    const char *name;
    struct program *program;
    struct diagnostics *diagnostics;
    struct parameter_setting *settings; /* its settings of --param, and room for one more */
    size_t n_settings;
    bool is_builtin;
    bool is_proved;  /* built-in in all its parts: the tests verify it */
    bool is_right;   /* is_proved, or symmetry proves the current binding */
    bool is_wrong;   /* the verifier found an error */
};

static struct binding *forecast_algorithms_bind(const struct entry *entry, size_t n_settings, uint64_t bytes)
{
    struct bind_request request = entry->forecast->request.where;
    request.settings = entry->settings;
    request.bytes = bytes;
    request.n_settings = n_settings;
    return bind_program(entry->program, &request, entry->diagnostics);
}

/* True if the verifier finds no error. */
static bool forecast_algorithms_verify(struct entry *entry, const struct binding *binding)
{
    struct trial_run run = {.most_work = UINT64_MAX};
    const struct placement *placement = entry->forecast->request.where.placement;
    struct schedule *schedule = expand_program(binding, entry->diagnostics);
    if (!schedule)
        return false;
    entry->is_wrong =
        trial_run_schedule(&run, schedule, placement, entry->diagnostics) == TRIAL_WRONG;
    schedule->destroy(schedule);
    return !entry->is_wrong;
}

/* Takes what measuring will cost from the budget. False, having said so, if not so much is left: what is
 * compared depends on estimates, not on the speed of the machine. */
static bool pay(struct entry *entry, const struct binding *binding, const struct schedule *alike)
{
    struct forecast *forecast = entry->forecast;
    const double left = forecast->request.budget - forecast->spent;
    if (forecast->request.budget == 0)
        return true;
    const struct estimate estimate = alike ? estimate_alike(alike, binding->topology, left)
                                           : estimate_prediction(binding, false, left);
    if (estimate.is_at_least)
        report(entry->diagnostics, CODE_E010, (struct position){.source = NULL},
               "more than %.2g messages: %.0f s of CPU time and more, of which --budget leaves %.0f",
               estimate.n_messages, estimate.seconds, left);
    else
        forecast->spent += estimate.seconds;
    return !estimate.is_at_least;
}

/* Takes the loads from another process, or measures them. Both are in the same order up to the first
 * failure, here or there. */
static bool measure_or_take(struct entry *entry, const struct binding *binding, struct schedule *alike,
                            struct predict_loads *loads)
{
    struct forecast *forecast = entry->forecast;
    const bool is_paid = pay(entry, binding, alike);
    if (is_paid && forecast_take(forecast, loads, false))
        return true;
    const bool is_measured = is_paid && (entry->is_right || forecast_algorithms_verify(entry, binding)) &&
                             forecast_measure_steps(binding, alike, loads, entry->diagnostics);
    forecast->taken = forecast->taken_end;
    if (!is_measured)
        forecast->handed = NULL;
    if (forecast->handed)
        forecast_hand(forecast, loads, false);
    return is_measured;
}

static bool forecast_algorithms_measure(struct entry *entry, const struct binding *binding,
                                        struct variant *variant)
{
    struct forecast *forecast = entry->forecast;
    struct predict_loads *loads = &variant->loads;
    struct forecast_shortcut shortcut = {.alike = NULL};
    variant->is_symmetric = forecast_take(forecast, loads, true);
    if (variant->is_symmetric)
        return true;
    entry->is_right = entry->is_proved ||
                      (!forecast->request.no_symmetry && is_right_by_symmetry(binding));
    if (entry->is_right && !forecast->request.no_symmetry)
        shortcut = forecast_find_shortcut(binding);
    variant->is_symmetric = forecast_take_shortcut(&shortcut, loads);
    if (variant->is_symmetric && forecast->handed)
        forecast_hand(forecast, loads, true);
    const bool is_measured =
        variant->is_symmetric || measure_or_take(entry, binding, shortcut.alike, loads);
    forecast_shortcut_free(&shortcut);
    return is_measured;
}

/* Measures a bound program as a variant of the row, which keeps the binding. */
static bool add_variant(struct entry *entry, struct row *row, struct binding *binding,
                        struct variant variant)
{
    if (!forecast_algorithms_measure(entry, binding, &variant)) {
        predict_loads_free(&variant.loads);
        binding_free(binding);
        return false;
    }
    variant.segments = binding->segments;
    variant.size_bytes = program_tells_sizes(binding->program) ? BYTES_OF_SIZE : 0;
    variant.binding = binding;
    row->variants =
        mem_grow(row->variants, &row->capacity, row->n_variants + 1, sizeof *row->variants);
    row->variants[row->n_variants++] = variant;
    return true;
}

static struct predict_sized sized(const struct forecast *forecast, const struct variant *variant,
                                  uint64_t bytes)
{
    return (struct predict_sized){&variant->loads, forecast_chunk_bytes(forecast, variant, bytes)};
}

static bool is_next_costly(const struct row *row)
{
    return row->variants[row->n_variants - 1].loads.n_messages > MAX_MESSAGES / 2;
}

/* Compares with the floor by `step` below which no variant with more segments than the last one is. */
bool forecast_can_be_faster(const struct forecast *forecast, const struct row *row, uint64_t bytes)
{
    const struct variant *last = &row->variants[row->n_variants - 1];
    const struct predict_sized none = {0};
    const struct predict_sized before = row->n_variants > 1 ? sized(forecast, last - 1, bytes) : none;
    const uint64_t floor = predict_floor(sized(forecast, last, bytes), before,
                                         &forecast->request.simulation.settings.costs);
    const struct forecast_cell best = forecast_fastest(forecast, row, bytes);
    const bool is_tried = !is_next_costly(row) || best.variant == last;
    return is_tried && floor < best.time;
}

/* True if more segments could be faster at some size. A variant that is left out because of this is the
 * best for no size, so the answer for a size does not depend on the others. */
static bool can_be_faster(const struct forecast *forecast, const struct row *row)
{
    for (size_t i = 0; i < forecast->request.sizes.n; i++)
        if (forecast_can_be_faster(forecast, row, forecast->request.sizes.items[i]))
            return true;
    return false;
}

/* Binds and measures the program with one more setting. Returns false if that is refused or gives the same
 * number of segments as the last variant. */
static bool forecast_algorithms_add_setting(struct entry *entry, struct row *row, const char *name,
                                            int64_t value)
{
    entry->settings[entry->n_settings] = (struct parameter_setting){.name = name, .value = value};
    struct binding *binding =
        forecast_algorithms_bind(entry, entry->n_settings + 1, entry->forecast->request.where.bytes);
    if (!binding || binding->segments == row->variants[row->n_variants - 1].segments) {
        binding_free(binding);
        return false;
    }
    return add_variant(entry, row, binding,
                       (struct variant){
                           .parameter = name, .value = value, .is_costly = is_next_costly(row)});
}

/* Doubles one parameter as long as that gives another number of segments and may make some size
 * faster. */
static void forecast_algorithms_vary(struct entry *entry, struct row *row, const struct variable *parameter,
                                     int64_t value)
{
    struct forecast *forecast = entry->forecast;
    const char *name = arena_strndup(&forecast->arena, parameter->name, strlen(parameter->name));
    for (int64_t factor = 2; factor <= MAX_FACTOR && can_be_faster(forecast, row); factor *= 2) {
        if (!forecast_algorithms_add_setting(entry, row, name, value * factor))
            return;
        row->variants[0].parameter = name;
        row->variants[0].value = value;
    }
}

static bool is_set(const struct entry *entry, const char *name)
{
    for (size_t i = 0; i < entry->n_settings; i++)
        if (strcmp(entry->settings[i].name, name) == 0)
            return true;
    return false;
}

static void vary_parameters(struct entry *entry, struct row *row)
{
    const struct program *program = entry->program;
    for (uint32_t i = 0; i < program->n_variables && row->n_variants == 1; i++) {
        const struct variable *parameter = &program->variables[i];
        if (parameter->kind == VARIABLE_PARAMETER && parameter->value->kind == EXPR_INTEGER &&
            parameter->value->integer > 0 && parameter->value->integer < 1 << 20 &&
            !is_set(entry, parameter->name))
            forecast_algorithms_vary(entry, row, parameter, parameter->value->integer);
    }
}

/* Returns the first error or, if there are only warnings, the first of these. */
static const struct diagnostic *first_error(const struct diagnostics *diagnostics)
{
    const struct diagnostic *first = diagnostics->first;
    while (first && first->severity != SEVERITY_ERROR)
        first = first->next;
    return first ? first : diagnostics->first;
}

static void forecast_algorithms_refuse(struct forecast *forecast, const char *name,
                                       const struct diagnostic *why)
{
    forecast->refusals = mem_grow(forecast->refusals, &forecast->refusals_capacity,
                                  forecast->n_refusals + 1, sizeof *forecast->refusals);
    forecast->refusals[forecast->n_refusals++] =
        (struct refusal){.name = name, .code = why->code,
                         .reason = arena_strndup(&forecast->arena, why->message, strlen(why->message))};
}

/* True if it can be bound without the settings of --param. */
static bool is_bound_by_default(const struct entry *entry)
{
    struct binding *binding = entry->n_settings ? forecast_algorithms_bind(entry, 0, 0) : NULL;
    const bool is_bound = binding != NULL;
    binding_free(binding);
    return is_bound;
}

/* Keeps the settings of the user, in the form of the command line. */
static void keep_settings(const struct entry *entry, struct row *row)
{
    struct arena *arena = &entry->forecast->arena;
    row->settings = arena_alloc(arena, entry->n_settings + 1, sizeof *row->settings);
    for (size_t i = 0; i < entry->n_settings; i++) {
        const struct parameter_setting *setting = &entry->settings[i];
        if (setting->bytes)
            continue; /* its variants have numbers */
        row->settings[row->n_settings++] =
            setting->text ? arena_printf(arena, "%s=%s", setting->name, setting->text)
                          : arena_printf(arena, "%s=%" PRId64, setting->name, setting->value);
    }
}

/* Refuses a built-in algorithm whose ranks get different floats, unless that makes no difference. */
static bool is_exact_only(const struct entry *entry)
{
    struct forecast *forecast = entry->forecast;
    if (!entry->is_builtin || !entry->program->exact.line || forecast->request.exact_only)
        return false;
    const struct diagnostic why = {.code = CODE_R010,
                                   .message = "ranks get different floats: --exact-only takes it"};
    forecast_algorithms_refuse(forecast, entry->name, &why);
    return true;
}

/* Adds the variant of the settings or, if one is a size of segments, one for each size that changes their
 * number. */
static bool add_variants(struct entry *entry, struct row *row)
{
    const struct forecast_request *request = &entry->forecast->request;
    const struct parameter_setting *sized = forecast_sized_setting(entry->settings, entry->n_settings);
    bool is_added = true;
    for (size_t i = 0; i < (sized ? request->sizes.n : 1) && is_added; i++) {
        const uint64_t bytes = sized ? request->sizes.items[i] : request->where.bytes;
        struct binding *binding = forecast_algorithms_bind(entry, entry->n_settings, bytes);
        struct variant variant = {0};
        if (sized && binding)
            forecast_set_size(&variant, binding, sized, bytes);
        if (binding && i && variant.value == row->variants[row->n_variants - 1].value)
            binding_free(binding);
        else
            is_added = binding && add_variant(entry, row, binding, variant);
    }
    for (size_t i = 0; i < row->n_variants && !is_added; i++)
        forecast_free_variant(&row->variants[i]);
    if (!is_added)
        free(row->variants);
    return is_added;
}

static void forecast_algorithms_add_entry(struct entry *entry)
{
    struct forecast *forecast = entry->forecast;
    struct row row = {.name = entry->name};
    if (is_exact_only(entry))
        return;
    bool fits = program_take_form(entry->program, forecast->request.form, entry->diagnostics);
    bool is_added = fits && add_variants(entry, &row);
    if (!is_added) {
        forecast_algorithms_refuse(forecast, entry->name, first_error(entry->diagnostics));
        struct refusal *refusal = &forecast->refusals[forecast->n_refusals - 1];
        if (entry->is_wrong)
            refusal->reason = arena_printf(&forecast->arena, "it is wrong: %s", refusal->reason);
        else
            refusal->is_of_settings = fits && is_bound_by_default(entry);
        return;
    }
    vary_parameters(entry, &row);
    keep_settings(entry, &row);
    forecast->rows = mem_grow(forecast->rows, &forecast->rows_capacity, forecast->n_rows + 1,
                              sizeof *forecast->rows);
    forecast->rows[forecast->n_rows++] = row;
}

static const struct diagnostic *forecast_algorithms_keep(struct forecast *forecast,
                                                         const struct diagnostic *why)
{
    struct arena *arena = &forecast->arena;
    struct diagnostic *kept = arena_alloc(arena, 1, sizeof *kept);
    *kept = *why;
    kept->message = arena_strndup(arena, why->message, strlen(why->message));
    kept->help = why->help ? arena_strndup(arena, why->help, strlen(why->help)) : NULL;
    return kept;
}

/* Takes the settings of --param that the program has; a number in place of a name, or a name in place of a
 * number, is useless to it. */
static void forecast_algorithms_take_settings(struct entry *entry)
{
    struct forecast *forecast = entry->forecast;
    const struct bind_request *where = &forecast->request.where;
    entry->settings = mem_alloc(where->n_settings + 1, sizeof *entry->settings);
    for (size_t i = 0; i < where->n_settings; i++) {
        const struct parameter_setting *setting = &where->settings[i];
        if (!program_parameter(entry->program, setting->name))
            continue;
        entry->settings[entry->n_settings++] = *setting;
        if (bind_check_setting(entry->program, setting, entry->diagnostics))
            forecast->is_used[i] = true;
        else if (!forecast->wrong_setting)
            forecast->wrong_setting = forecast_algorithms_keep(forecast, entry->diagnostics->last);
    }
}

/* True if a setting puts an algorithm of the user's choice into it. */
static bool has_parts(const struct entry *entry)
{
    for (size_t i = 0; i < entry->n_settings; i++)
        if (entry->settings[i].text)
            return true;
    return false;
}

/* Adds a program, which the forecast owns from now on. */
static void add_program(struct forecast *forecast, struct program *program, const char *name,
                        bool is_builtin)
{
    struct diagnostics diagnostics = {0};
    struct entry entry = {
        .forecast = forecast, .name = name, .program = program, .diagnostics = &diagnostics,
        .is_builtin = is_builtin};
    forecast->programs = mem_grow(forecast->programs, &forecast->programs_capacity,
                                  forecast->n_programs + 1, sizeof *forecast->programs);
    forecast->programs[forecast->n_programs++] = program;
    forecast_algorithms_take_settings(&entry);
    entry.is_proved = is_builtin && !has_parts(&entry);
    forecast_algorithms_add_entry(&entry);
    free(entry.settings);
    diagnostics_free(&diagnostics);
}

/* Refuses an algorithm whose part, named by a parameter of the user, does not exist or cannot be run. In
 * the latter case the parameter is useful if another algorithm can use it. */
static void refuse_parts(struct forecast *forecast, const char *name, const struct diagnostic *why)
{
    const struct bind_request *where = &forecast->request.where;
    for (size_t i = 0; i < where->n_settings; i++) {
        const struct parameter_setting *setting = &where->settings[i];
        if (why->code != CODE_E003 || why->position.source != setting->position.source)
            forecast->is_used[i] = forecast->is_used[i] || setting->text;
        else if (!forecast->wrong_setting)
            forecast->wrong_setting = forecast_algorithms_keep(forecast, why);
    }
    forecast_algorithms_refuse(forecast, name, why);
}

static void forecast_algorithms_add_builtin(struct forecast *forecast, const struct embedded_file *file,
                                            const char *name)
{
    struct diagnostics diagnostics = {0};
    const struct bind_request *where = &forecast->request.where;
    const struct source *source =
        source_of_text(file->path, file->text, file->length, &forecast->arena);
    struct program *program =
        program_read_with(source, where->settings, where->n_settings, &diagnostics);
    if (program)
        add_program(forecast, program, name, true);
    else
        refuse_parts(forecast, name, diagnostics.first);
    diagnostics_free(&diagnostics);
}

/* True if the program, of the user, is one of the forecast's collective. */
static bool forecast_algorithms_serves(const struct forecast *forecast, const struct program *program)
{
    return program->collective == forecast->request.collective &&
           (program->form == forecast->request.form ||
            (program->form == FORM_EQUAL && !forecast->request.is_own_of_form));
}

/* True if the first error is that of a setting, and not of the file. */
static bool forecast_algorithms_is_of_setting(const struct forecast *forecast, const struct diagnostics *said)
{
    const struct bind_request *where = &forecast->request.where;
    for (size_t i = 0; said->first && i < where->n_settings; i++)
        if (said->first->position.source == where->settings[i].position.source)
            return true;
    return false;
}

/* Warns of a file that the folder has and that is no algorithm. Its position is in a source that `said` does
 * not own. */
static void forecast_algorithms_warn(const char *path, const struct source *source,
                                     const struct diagnostics *said, struct diagnostics *diagnostics)
{
    const struct diagnostic *why = said->first;
    struct position at = why ? why->position : source_position(source, 0, 1);
    if (at.source && at.source != source)
        at.source = source_of_text(at.source->path, at.source->text, at.source->length, &diagnostics->arena);
    report(diagnostics, CODE_I004, at, "'%s' is left out: %s", path,
           why ? why->message : "it is a schedule, not an algorithm")
        ->help = diagnostics_text(diagnostics, "mend it, or take it from the folder%s%s",
                                  why && why->help ? "; " : "", why && why->help ? why->help : "");
}

/* True if the file of a folder is not to be compared: an algorithm of another collective, or none at all,
 * which is said. */
static bool forecast_algorithms_leaves_out(const struct forecast *forecast, const char *path,
                                           struct diagnostics *diagnostics)
{
    const struct bind_request *where = &forecast->request.where;
    struct diagnostics said = {0}, ignored = {0};
    const struct source *source = source_read(path, SCHEDULE_FILE_LIMIT, &diagnostics->arena, &said);
    const bool is_read = source && !schedules_is_file(source);
    struct program *program =
        is_read ? program_read_with(source, where->settings, where->n_settings, &said) : NULL;
    const bool is_wrong = !program && !forecast_algorithms_is_of_setting(forecast, &said);
    if (is_read && !program)
        program = program_read_as_written(source, &ignored);
    const bool is_other = program && !forecast_algorithms_serves(forecast, program);
    if (is_wrong && !is_other)
        forecast_algorithms_warn(path, source, &said, diagnostics);
    if (program)
        program_free(program);
    diagnostics_free(&ignored);
    diagnostics_free(&said);
    return is_wrong || is_other;
}

/* Adds an algorithm of the user, whose text lives as long as the diagnostics. */
static bool forecast_algorithms_add_file(struct forecast *forecast, const struct own_file *file,
                                         struct diagnostics *diagnostics)
{
    const char *path = file->path;
    if (!file->is_named && forecast_algorithms_leaves_out(forecast, path, diagnostics))
        return true;
    const char *collective = collective_name(forecast->request.collective, forecast->request.form);
    const struct source *source = source_read(path, SCHEDULE_FILE_LIMIT, &diagnostics->arena, diagnostics);
    if (!source && builtin_of_name(path, &(enum collective_form){0}))
        diagnostics->last->help = "--with takes a file; built-in algorithms are compared anyway";
    const struct bind_request *where = &forecast->request.where;
    if (source && schedules_is_file(source)) {
        forecast->problem =
            arena_printf(&forecast->arena, "'%s' is a schedule file, not an algorithm", path);
        return false;
    }
    struct program *program =
        source ? program_read_with(source, where->settings, where->n_settings, diagnostics)
               : NULL;
    if (!program)
        return false;
    if (forecast_algorithms_serves(forecast, program)) {
        add_program(forecast, program, path, false);
        return true;
    }
    const char *own = collective_name(program->collective, program->form);
    forecast->problem =
        arena_printf(&forecast->arena,
                     "'%s' is an algorithm of %s, not of %s: 'collc best %s' compares it", path, own,
                     collective, own);
    program_free(program);
    return false;
}

static bool forecast_algorithms_check_settings(struct forecast *forecast, struct diagnostics *diagnostics)
{
    const struct diagnostic *wrong = forecast->wrong_setting;
    const struct bind_request *where = &forecast->request.where;
    for (size_t i = 0; i < where->n_settings; i++) {
        if (forecast->is_used[i])
            continue;
        if (wrong && wrong->position.source == where->settings[i].position.source)
            report(diagnostics, wrong->code, wrong->position, "%s", wrong->message)->help =
                diagnostics_text(diagnostics, "%s", wrong->help ? wrong->help : "");
        else
            forecast->problem =
                arena_printf(&forecast->arena, "no algorithm of %s has a parameter '%s'",
                             collective_name(forecast->request.collective, forecast->request.form),
                             where->settings[i].name);
        return false;
    }
    return true;
}

/* The origins of algorithms: built-in ones, then those of the user. */
struct origins {
    const struct embedded_file **builtins;
    const char **names; /* [builtin] */
    size_t n_builtins;
    struct own_files own;
};

static struct origins find_origins(struct forecast *forecast)
{
    struct arena *arena = &forecast->arena;
    struct origins origins = {.builtins = arena_alloc(arena, n_embedded_files, sizeof *origins.builtins),
                              .names = arena_alloc(arena, n_embedded_files, sizeof *origins.names)};
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(&embedded_files[i], forecast->request.collective,
                                                forecast->request.form, arena);
        if (!name)
            continue;
        origins.builtins[origins.n_builtins] = &embedded_files[i];
        origins.names[origins.n_builtins++] = name;
    }
    return origins;
}

static bool forecast_algorithms_add_origin(struct forecast *forecast, const struct origins *origins, size_t i,
                                           struct diagnostics *diagnostics)
{
    const size_t n = origins->n_builtins;
    if (i >= n)
        return forecast_algorithms_add_file(forecast, &origins->own.items[i - n], diagnostics);
    forecast_algorithms_add_builtin(forecast, origins->builtins[i], origins->names[i]);
    return true;
}

static void start_settings(struct forecast *forecast)
{
    forecast->is_used =
        arena_alloc(&forecast->arena, forecast->request.where.n_settings + 1, sizeof *forecast->is_used);
}

/* Adds an algorithm without reporting; the process that has all of them reports. */
static void add_apart(struct forecast *forecast, void *context, size_t i)
{
    struct diagnostics diagnostics = {0};
    start_settings(forecast);
    forecast_algorithms_add_origin(forecast, context, i, &diagnostics);
    diagnostics_free(&diagnostics);
}

bool forecast_add_algorithms(struct forecast *forecast, const char *const *files, size_t n,
                             struct diagnostics *diagnostics)
{
    struct origins origins = find_origins(forecast);
    if (!own_files_find(files, n, &origins.own, &forecast->arena, diagnostics))
        return false;
    const size_t n_all = origins.n_builtins + origins.own.n;
    const struct handed_loads *handed = forecast_share_measuring(forecast, n_all, add_apart, &origins);
    bool is_done = true;
    if (handed && pool_number() > 0)
        return true;
    start_settings(forecast);
    for (size_t i = 0; i < n_all && is_done; i++) {
        forecast->taken = handed ? handed[i].data : NULL;
        forecast->taken_end = handed ? handed[i].data + handed[i].length : NULL;
        is_done = forecast_algorithms_add_origin(forecast, &origins, i, diagnostics);
        if (!handed)
            observer_tell(&forecast->request.observer, "algorithms", i + 1, n_all);
    }
    return is_done && forecast_algorithms_check_settings(forecast, diagnostics);
}
