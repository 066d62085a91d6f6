/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc algorithms: what is built in, or one algorithm in full, read from the algorithms
 * themselves; where ranks are given, with what it costs there.
 */
#include "compiler/driver/algorithms.h"
#include "compiler/driver/builtin.h"
#include "compiler/driver/output.h"
#include "compiler/driver/wrap.h"
#include "compiler/language/language.h"

#include <inttypes.h>
#include <string.h>

enum { LEAST_COLUMN = 30 };

static const char folder[] = "compiler/algorithms/";

/* The list on its way. */
struct listing {
    struct job *job;
    enum collective collective; /* N_COLLECTIVES: all */
    enum collective_form form;  /* that a listed one has or serves; of all: FORM_EQUAL */
    bool is_long, is_placed; /* in full; with ranks */
    size_t column;           /* where what is said beside the names begins */
    struct text text;
    struct json json;        /* writes to the text */
    struct arena arena;      /* of one algorithm */
};

/* ---- for people ---- */

static void indent(struct listing *listing)
{
    text_printf(&listing->text, "%*s", (int)listing->column, "");
}

static void print_item(struct listing *listing, const char *label, const char *words)
{
    indent(listing);
    text_printf(&listing->text, "%s", label);
    text_wrap(&listing->text, words, listing->column + strlen(label), listing->column + 2);
}

static void print_parameter(struct listing *listing, const struct program *program,
                            const struct variable *variable)
{
    struct text *text = &listing->text;
    const struct parameter_setting *setting = job_setting(listing->job, variable->name);
    indent(listing);
    text_printf(text, "--param %s=", variable->name);
    if (setting && setting->text)
        text_append_safe(text, setting->text);
    else if (setting)
        text_printf(text, "%" PRId64, setting->value);
    text_printf(text, "%s", setting ? ", by default " : "");
    program_print_default(program, variable, text);
    text_append(text, "\n", 1);
}

static void print_parameters(struct listing *listing, const struct program *program)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_ALGORITHM || variable->kind == VARIABLE_PARAMETER)
            print_parameter(listing, program, variable);
    }
}

static void print_forms(struct listing *listing, const struct program *program)
{
    struct text *text = &listing->text;
    const char *before = "also ";
    for (enum collective_form form = 0; form < N_FORMS; form++) {
        if (!facts_serves(program, form))
            continue;
        if (*before != ',')
            indent(listing);
        text_printf(text, "%s%s", before, collective_name(program->collective, form));
        before = ", ";
    }
    text_printf(text, "%s", *before == ',' ? "\n" : "");
}

static void print_formulas(struct listing *listing, const struct facts *facts)
{
    static const char *const labels[N_COSTS] = {"steps: ", "messages of a rank: ",
                                                 "bytes of a rank: "};
    for (int i = 0; i < N_COSTS; i++)
        if (facts->stated.formula[i])
            print_item(listing, labels[i],
                       arena_printf(&listing->arena, "%s%s", facts->stated.is_bound[i] ? "at most " : "",
                                    facts->stated.formula[i]));
}

static const char *bound_of(const struct facts *facts, int i)
{
    return facts->stated.is_bound[i] ? "at most " : "";
}

/* What the formulas are with these ranks. Bytes without a size would say nothing. */
static void print_values(struct listing *listing, const struct facts *facts)
{
    struct text *text = &listing->text;
    if (facts->refusal)
        print_item(listing, "not here: ", facts->refusal);
    else if (facts->has_other_parts)
        print_item(listing, "here: ", "no figures: the formulas are those of the default algorithms");
    else if (facts->problem)
        print_item(listing, "here: ", facts->problem);
    if (!facts->has_values)
        return;
    const int64_t *value = facts->value;
    indent(listing);
    text_printf(text, "here: %s%" PRId64 " step%s, %s%" PRId64 " message%s", bound_of(facts, COST_STEPS), value[COST_STEPS],
                plural((uint64_t)value[COST_STEPS]), bound_of(facts, COST_MESSAGES),
                value[COST_MESSAGES], plural((uint64_t)value[COST_MESSAGES]));
    if (listing->job->options->bytes)
        text_printf(text, " and %s%" PRId64 " byte%s", bound_of(facts, COST_BYTES),
                    value[COST_BYTES], plural((uint64_t)value[COST_BYTES]));
    text_printf(text, " of a rank\n");
}

/* As written: what the algorithms bring that it runs is no part of its header. */
static void add_clauses(const struct program *program, struct text *clauses)
{
    struct diagnostics diagnostics = {0};
    struct program *written = program_read_as_written(program->source, &diagnostics);
    program_print_clauses(written, clauses);
    program_free(written);
    diagnostics_free(&diagnostics);
}

/* In the list what is required; in full every line of the header. */
static void print_header(struct listing *listing, const struct program *program)
{
    struct text clauses = {0};
    if (listing->is_long)
        add_clauses(program, &clauses);
    for (const struct requirement *r = program->requirements; r && !listing->is_long; r = r->next)
        if (!r->of_run)
            text_printf(&clauses, "requires %s\n", facts_requirement(r, &listing->arena));
    const char *line = clauses.data ? clauses.data : "";
    for (size_t length; (length = strcspn(line, "\n")) > 0; line += length + 1) {
        indent(listing);
        text_append(&listing->text, line, length + 1);
    }
    text_free(&clauses);
}

static void print_text(struct listing *listing, const struct facts *facts)
{
    struct text *text = &listing->text;
    const struct program *program = facts->program;
    size_t start = text->length;
    text_printf(text, "%s/%s", collective_name(program->collective, program->form), program->name);
    if (!listing->column)
        listing->column = wrap_column(text->length - start, LEAST_COLUMN);
    text_to_column(text, start, listing->column);
    text_wrap(text, facts->summary, listing->column, listing->column);
    if (listing->is_long && facts->source)
        print_item(listing, "source: ", facts->source);
    print_parameters(listing, program);
    print_forms(listing, program);
    if (facts->needs) {
        indent(listing);
        text_printf(text, "needs %s\n", facts->needs);
    }
    print_header(listing, program);
    if (listing->is_long)
        print_formulas(listing, facts);
    print_values(listing, facts);
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
        algorithm_json(&facts, listing->job->options->bytes > 0, &listing->arena, &listing->json);
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

/* The path has the name: folder, collective/name, ".coll". */
static void find_column(struct listing *listing)
{
    size_t longest = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *path = embedded_files[i].path;
        if (is_listed(listing, &embedded_files[i]) &&
            strlen(path) - strlen(folder) - strlen(".coll") > longest)
            longest = strlen(path) - strlen(folder) - strlen(".coll");
    }
    listing->column = wrap_column(longest, LEAST_COLUMN);
}

static void list_all(struct listing *listing)
{
    find_column(listing);
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
    return status == STATUS_CLEAN ? job_check_root(job, collective) : status;
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
