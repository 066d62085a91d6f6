/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc algorithms: what is built in, or one algorithm in full, read from the algorithms
 * themselves; where ranks are given, with what it costs there.
 */
#include "compiler/driver/builtin.h"
#include "compiler/driver/facts.h"
#include "compiler/driver/json.h"
#include "compiler/driver/output.h"
#include "compiler/driver/wrap.h"

#include <inttypes.h>
#include <string.h>

enum { INDENT = 30 };

static const char folder[] = "compiler/algorithms/";

/* The list on its way. */
struct listing {
    struct job *job;
    enum collective collective; /* N_COLLECTIVES: all */
    enum collective_form form;  /* that a listed one has or serves; of all: FORM_EQUAL */
    bool is_long, is_placed; /* in full; with ranks */
    struct text text;
    struct json json;        /* writes to the text */
    struct arena arena;      /* of one algorithm */
};

/* ---- for people ---- */

static void print_item(struct text *text, const char *label, const char *words)
{
    text_printf(text, "%*s%s", INDENT, "", label);
    text_wrap(text, words, INDENT + strlen(label), INDENT + 2);
}

static void print_default(const struct variable *variable, struct text *text)
{
    if (variable->kind == VARIABLE_ALGORITHM)
        text_printf(text, "%s", variable->algorithm);
    else if (variable->value->kind == EXPR_INTEGER)
        text_printf(text, "%" PRId64, variable->value->integer);
    else
        text_printf(text, "...");
}

static void print_parameter(const struct variable *variable,
                            const struct parameter_setting *setting, struct text *text)
{
    text_printf(text, "%*s--param %s=", INDENT, "", variable->name);
    if (setting && setting->text)
        text_append_safe(text, setting->text);
    else if (setting)
        text_printf(text, "%" PRId64, setting->value);
    text_printf(text, "%s", setting ? ", by default " : "");
    print_default(variable, text);
    text_append(text, "\n", 1);
}

static void print_parameters(const struct job *job, const struct program *program,
                             struct text *text)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_ALGORITHM || variable->kind == VARIABLE_PARAMETER)
            print_parameter(variable, job_setting(job, variable->name), text);
    }
}

/* The forms of its collective with unequal counts that it serves as well. */
static void forms_of(const struct program *program, bool serves[N_FORMS])
{
    for (enum collective_form form = FORM_EQUAL + 1; form < N_FORMS; form++)
        serves[form] = program->form == FORM_EQUAL &&
                       collective_of_form(form) == program->collective &&
                       program_serves(program, form);
}

static void print_forms(const struct program *program, struct text *text)
{
    bool serves[N_FORMS] = {false};
    const char *before = "also ";
    forms_of(program, serves);
    for (enum collective_form form = 0; form < N_FORMS; form++) {
        if (!serves[form])
            continue;
        if (*before != ',')
            text_printf(text, "%*s", INDENT, "");
        text_printf(text, "%s%s", before, collective_name(program->collective, form));
        before = ", ";
    }
    text_printf(text, "%s", *before == ',' ? "\n" : "");
}

static void print_formulas(const struct facts *facts, struct arena *arena, struct text *text)
{
    static const char *const labels[N_STATED] = {"steps: ", "messages of a rank: ",
                                                 "bytes of a rank: "};
    for (int i = 0; i < N_STATED; i++)
        if (facts->stated.formula[i])
            print_item(text, labels[i],
                       arena_printf(arena, "%s%s", facts->stated.is_bound[i] ? "at most " : "",
                                    facts->stated.formula[i]));
}

static const char *bound_of(const struct facts *facts, int i)
{
    return facts->stated.is_bound[i] ? "at most " : "";
}

/* What the formulas are with these ranks. Bytes without a size would say nothing. */
static void print_values(const struct listing *listing, const struct facts *facts,
                         struct text *text)
{
    if (facts->refusal)
        print_item(text, "not here: ", facts->refusal);
    else if (facts->has_other_parts)
        print_item(text, "here: ", "no figures: the formulas are those of the default algorithms");
    if (!facts->has_values)
        return;
    const int64_t *value = facts->value;
    text_printf(text, "%*shere: %s%" PRId64 " step%s, %s%" PRId64 " message%s", INDENT, "",
                bound_of(facts, STATED_STEPS), value[STATED_STEPS],
                plural((uint64_t)value[STATED_STEPS]), bound_of(facts, STATED_MESSAGES),
                value[STATED_MESSAGES], plural((uint64_t)value[STATED_MESSAGES]));
    if (listing->job->options->bytes)
        text_printf(text, " and %s%" PRId64 " byte%s", bound_of(facts, STATED_BYTES),
                    value[STATED_BYTES], plural((uint64_t)value[STATED_BYTES]));
    text_printf(text, " of a rank\n");
}

static void print_text(struct listing *listing, const struct facts *facts)
{
    struct text *text = &listing->text;
    const struct program *program = facts->program;
    const char *collective = collective_name(program->collective, program->form);
    size_t start = text->length;
    text_printf(text, "%s/%-*s ", collective, (int)(INDENT - 2 - strlen(collective)),
                program->name);
    text_wrap(text, facts->summary, text->length - start, INDENT);
    if (listing->is_long && facts->source)
        print_item(text, "source: ", facts->source);
    print_parameters(listing->job, program, text);
    print_forms(program, text);
    if (facts->needs)
        text_printf(text, "%*sneeds %s\n", INDENT, "", facts->needs);
    for (const struct requirement *r = program->requirements; r; r = r->next)
        if (!r->of_run)
            text_printf(text, "%*srequires %s\n", INDENT, "",
                        facts_requirement(r, &listing->arena));
    if (listing->is_long)
        print_formulas(facts, &listing->arena, text);
    print_values(listing, facts, text);
}

/* ---- for programs ---- */

static void write_parameters(const struct program *program, struct json *json)
{
    json_open(json, "parameters", '[');
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind != VARIABLE_PARAMETER && variable->kind != VARIABLE_ALGORITHM)
            continue;
        json_open(json, NULL, '{');
        json_string(json, "name", variable->name);
        if (variable->kind == VARIABLE_ALGORITHM)
            json_string(json, "default", variable->algorithm);
        else if (variable->value->kind == EXPR_INTEGER)
            json_real(json, "default", (double)variable->value->integer);
        else
            json_null(json, "default");
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_forms(const struct program *program, struct json *json)
{
    bool serves[N_FORMS] = {false};
    forms_of(program, serves);
    json_open(json, "unequal_counts", '[');
    for (enum collective_form form = 0; form < N_FORMS; form++)
        if (serves[form])
            json_string(json, NULL, collective_name(program->collective, form));
    json_close(json, ']');
}

static void write_costs(const struct facts *facts, bool has_size, struct json *json)
{
    json_open(json, "costs", '{');
    for (int i = 0; i < N_STATED; i++) {
        bool has_value = facts->has_values && (i != STATED_BYTES || has_size);
        json_open(json, stated_name[i], '{');
        json_string(json, "formula", facts->stated.formula[i]);
        json_bool(json, "at_most", facts->stated.is_bound[i]);
        json_index(json, "value", has_value ? facts->value[i] : -1);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void write_json(struct listing *listing, const struct facts *facts)
{
    struct json *json = &listing->json;
    const struct program *program = facts->program;
    json_open(json, NULL, '{');
    json_string(json, "collective", collective_name(program->collective, program->form));
    json_string(json, "algorithm", program->name);
    json_string(json, "summary", facts->summary);
    json_string(json, "source", facts->source);
    write_parameters(program, json);
    write_forms(program, json);
    json_open(json, "requires", '[');
    for (const struct requirement *r = program->requirements; r; r = r->next)
        if (!r->of_run)
            json_string(json, NULL, facts_requirement(r, &listing->arena));
    json_close(json, ']');
    json_string(json, "needs", facts->needs);
    write_costs(facts, listing->job->options->bytes > 0, json);
    if (facts->is_placed)
        json_string(json, "refusal", facts->refusal);
    json_close(json, '}');
}

/* ---- which ---- */

static void list_program(struct listing *listing, const struct program *program)
{
    if (program->form != listing->form && !program_serves(program, listing->form))
        return;
    struct facts facts = facts_read(program, &listing->arena);
    if (listing->is_placed)
        facts_place(&facts, listing->job, &listing->arena);
    if (is_choice(listing->job->options->format, "json"))
        write_json(listing, &facts);
    else
        print_text(listing, &facts);
}

/* An embedded algorithm that does not parse is a fault of ours. */
static void list_file(struct listing *listing, const struct embedded_file *file)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text(file->path, file->text, file->length, &arena);
    struct program *program = program_read(source, &diagnostics);
    if (program)
        list_program(listing, program);
    else
        fatal("built-in algorithm '%s' cannot be read: please report this", file->path);
    program_free(program);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    arena_free(&listing->arena);
    listing->arena = (struct arena){0};
}

static bool is_listed(struct listing *listing, const struct embedded_file *file)
{
    if (strncmp(file->path, folder, strlen(folder)) != 0)
        return false;
    return listing->collective == N_COLLECTIVES ||
           builtin_algorithm_of(file, listing->collective, listing->form, &listing->arena);
}

static void list_all(struct listing *listing)
{
    for (size_t i = 0; i < n_embedded_files; i++)
        if (is_listed(listing, &embedded_files[i]))
            list_file(listing, &embedded_files[i]);
}

static void list(struct listing *listing)
{
    struct job *job = listing->job;
    bool is_json = is_choice(job->options->format, "json");
    listing->json.out = &listing->text;
    if (is_json)
        json_open(&listing->json, NULL, '[');
    if (job->program)
        list_program(listing, job->program);
    else
        list_all(listing);
    if (is_json)
        json_close(&listing->json, ']');
    output_text(NULL, &listing->text);
}

/* The algorithm, if one is named and not a collective, and where the ranks are, if that is
 * said. */
static int open_job(struct listing *listing)
{
    struct job *job = listing->job;
    const struct options *options = job->options;
    const bool is_placed = listing->is_placed;
    const char *name = options->n_arguments ? options->arguments[0] : "";
    listing->collective = collective_find_form(name, strlen(name), &listing->form);
    listing->is_long |= options->n_arguments && listing->collective == N_COLLECTIVES;
    if (options->n_arguments && listing->collective == N_COLLECTIVES && !job_read(job, options))
        return STATUS_FAILED;
    if (job->schedule)
        return usage_error(options, "'%s' is a schedule file, not an algorithm",
                           options->arguments[0]);
    if (!is_placed && (options->bytes || options->n_settings))
        return usage_error(options, "costs depend on the ranks: give --ranks or --topology");
    if (!job->program && options->n_settings)
        return usage_error(options, "parameters are those of one algorithm: name it");
    const enum collective collective = job->program ? job->program->collective : listing->collective;
    const int status = is_placed ? job_locate(job) : STATUS_CLEAN;
    return status == STATUS_CLEAN && collective < N_COLLECTIVES ? job_check_root(job, collective)
                                                                : status;
}

int command_algorithms(const struct options *options)
{
    struct job job = {.options = options};
    struct listing listing = {.job = &job,
                              .is_long = options->is_long,
                              .is_placed = options->topology || options->ranks};
    int status = open_job(&listing);
    if (status == STATUS_CLEAN)
        list(&listing);
    text_free(&listing.text);
    arena_free(&listing.arena);
    return job_close(&job, status);
}
