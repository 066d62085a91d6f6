/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc algorithms: what is built in, or one algorithm in full, read from the algorithms
 * themselves; where ranks are given, with what it costs there.
 */
#include "compiler/algorithms/builtin.h"
#include "compiler/driver/job.h"
#include "compiler/driver/output.h"
#include "compiler/language/language.h"
#include "reports/algorithm.h"
#include "reports/wrap.h"

#include <string.h>

static const char folder[] = "compiler/algorithms/";

enum { NAMES_COLUMN = 28 };

/* The list on its way. */
struct listing {
    struct job *job;
    enum collective collective; /* N_COLLECTIVES: all */
    enum collective_form form;  /* that a listed one has or serves; of all: FORM_EQUAL */
    bool is_long, is_placed; /* in full; with ranks */
    size_t column;           /* where what is said beside the names begins; 0: to be found */
    struct text text;
    struct json json;        /* writes to the text */
    struct arena arena;      /* of one algorithm */
};

static void list_program(struct listing *listing, const struct program *program)
{
    if (program->form != listing->form && !program_serves(program, listing->form))
        return;
    const struct bind_request where = job_bind_request(listing->job);
    struct facts facts = facts_read(program, &listing->arena);
    if (listing->is_placed)
        facts_place(&facts, &where, &listing->arena);
    if (option_is(listing->job->options->format, "json")) {
        algorithm_json(&facts, where.bytes > 0, &listing->arena, &listing->json);
        return;
    }
    struct algorithm_page page = {&where, listing->is_long, listing->column, &listing->arena,
                                  &listing->text};
    algorithm_text(&page, &facts);
}

/* An embedded algorithm that does not parse is a fault of ours. */
static void list_file(struct listing *listing, const struct embedded_file *file)
{
    struct scene scene = {.source = NULL};
    struct diagnostics diagnostics = {0};
    if (scene_read_builtin(&scene, file, FORM_EQUAL, &diagnostics))
        list_program(listing, scene.program);
    else
        fatal("built-in algorithm '%s' cannot be read: please report this", file->path);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    arena_free(&listing->arena);
    listing->arena = (struct arena){0};
}

static bool algorithms_is_listed(struct listing *listing, const struct embedded_file *file)
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
        if (algorithms_is_listed(listing, &embedded_files[i]) &&
            strlen(path) - strlen(folder) - strlen(".coll") > longest)
            longest = strlen(path) - strlen(folder) - strlen(".coll");
    }
    listing->column = wrap_column(longest, ALGORITHM_LEAST_COLUMN);
}

static void list_all(struct listing *listing)
{
    find_column(listing);
    for (size_t i = 0; i < n_embedded_files; i++)
        if (algorithms_is_listed(listing, &embedded_files[i]))
            list_file(listing, &embedded_files[i]);
}

/* Appends a row of names: those of the collective of this file, and the files of the same folder that follow
 * it. Returns how many they are. */
static size_t list_names_from(size_t first, struct text *rows)
{
    const char *collective = embedded_files[first].path + strlen(folder);
    const size_t length = strcspn(collective, "/"), in_all = strlen(folder) + length + 1;
    const size_t start = rows->length;
    struct text names = {0};
    size_t n = 0;
    while (first + n < n_embedded_files &&
           !strncmp(embedded_files[first + n].path, embedded_files[first].path, in_all)) {
        const char *name = embedded_files[first + n++].path + strlen(folder) + length + 1;
        text_printf(&names, "%.*s ", (int)(strlen(name) - strlen(".coll")), name);
    }
    text_printf(rows, "%.*s (%zu)", (int)length, collective, n);
    text_to_column(rows, start, NAMES_COLUMN);
    text_wrap(rows, names.data, NAMES_COLUMN, NAMES_COLUMN);
    text_free(&names);
    return n;
}

/* All by their names only, as there are many. */
static void list_names(struct listing *listing)
{
    struct text rows = {0};
    size_t n = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const size_t n_more =
            algorithms_is_listed(listing, &embedded_files[i]) ? list_names_from(i, &rows) : 0;
        n += n_more;
        i += n_more ? n_more - 1 : 0;
    }
    text_printf(&listing->text,
                "%zu algorithms. More of those of a collective, or of one: collc algorithms NAME;\n"
                "of all: --long\n\n", n);
    text_append(&listing->text, rows.data, rows.length);
    text_free(&rows);
}

/* Lists one; behind it its text from the header on, unless its figures are asked for. */
static void list_one(struct listing *listing, const struct program *program, bool is_of_figures)
{
    const char *text = program->source->text;
    list_program(listing, program);
    for (uint32_t line = 1; line < program->head.line && *text; line++)
        text += strcspn(text, "\n") + 1;
    if (!is_of_figures)
        text_printf(&listing->text, "\n%s", text);
}

static void algorithms_list(struct listing *listing)
{
    struct job *job = listing->job;
    const bool is_json = option_is(job->options->format, "json");
    const bool is_short = !job->options->n_arguments && !listing->is_long && !listing->is_placed;
    listing->json.out = &listing->text;
    if (is_json)
        json_open(&listing->json, NULL, '[');
    if (job->scene.program)
        list_one(listing, job->scene.program, is_json || listing->is_placed);
    else if (is_short && !is_json)
        list_names(listing);
    else
        list_all(listing);
    if (is_json)
        json_close(&listing->json, ']');
    output_text(NULL, &listing->text);
}

/* Opens the algorithm, if one is named and not a collective, and where the ranks are, if that is said. */
static int open_job(struct listing *listing)
{
    struct job *job = listing->job;
    const struct options *options = job->options;
    const bool is_placed = listing->is_placed;
    const char *name = options->n_arguments ? options->arguments[0] : "";
    listing->collective = collective_find_form(name, strlen(name), &listing->form);
    listing->is_long |= options->n_arguments && listing->collective == N_COLLECTIVES;
    if (options->n_arguments && listing->collective == N_COLLECTIVES && !job_read(job))
        return STATUS_FAILED;
    if (job->scene.schedule)
        return usage_error(options, "'%s' is a schedule file, not an algorithm",
                           options->arguments[0]);
    if (!is_placed && (options->bytes || options->n_settings))
        return usage_error(options, "costs depend on the ranks: give --ranks or --topology");
    if (!job->scene.program && options->n_settings)
        return usage_error(options, "parameters are those of one algorithm: name it");
    const struct program *program = job->scene.program;
    const enum collective collective = program ? program->collective : listing->collective;
    const bool is_open = (!is_placed || job_locate(job)) && job_check_root(job, collective);
    return is_open ? STATUS_CLEAN : STATUS_FAILED;
}

int command_algorithms(const struct options *options)
{
    struct job job = job_begin(options);
    struct listing listing = {.job = &job,
                              .is_long = options->is_long,
                              .is_placed = options->topology || options->ranks};
    int status = open_job(&listing);
    if (status == STATUS_CLEAN)
        algorithms_list(&listing);
    text_free(&listing.text);
    arena_free(&listing.arena);
    return job_close(&job, status);
}
