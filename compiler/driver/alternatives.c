/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binds the other algorithms of a collective where one was refused. Binding expands
 * nothing: it costs what reading the files costs. See alternatives.h.
 */
#include "compiler/driver/alternatives.h"

#include "compiler/driver/builtin.h"

#include <string.h>

enum { MAX_NAMED = 4 };

/* Of their own parameters all have the default. */
static bool can_be_bound(const struct job *job, const struct embedded_file *file)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text(file->path, file->text, file->length, &arena);
    struct program *program = program_read(source, &diagnostics);
    struct bind_request request = job_bind_request(job);
    request.n_settings = 0;
    bool fits = program && program_take_form(program, job->program->form, &diagnostics);
    struct binding *binding = fits ? bind_program(program, &request, &diagnostics) : NULL;
    bool is_bound = binding != NULL;
    binding_free(binding);
    if (program)
        program_free(program);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return is_bound;
}

static void list_alternatives(struct job *job, struct text *names)
{
    uint32_t n = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(
            &embedded_files[i], job->program->collective, job->program->form, &job->arena);
        if (!name || !can_be_bound(job, &embedded_files[i]))
            continue;
        if (n++ < MAX_NAMED)
            text_printf(names, "%s'%s'", names->length ? ", " : "", name);
    }
    if (n > MAX_NAMED)
        text_printf(names, " and %u more", n - MAX_NAMED);
}

void suggest_alternatives(struct job *job)
{
    struct diagnostic *last = NULL;
    struct text names = {0};
    for (struct diagnostic *d = job->diagnostics.first; d; d = d->next)
        last = d->code == CODE_E009 ? d : last;
    if (!last)
        return;
    list_alternatives(job, &names);
    if (names.length && last->help)
        last->help = diagnostics_text(&job->diagnostics, "%s; what works here: %s", last->help, names.data);
    else if (names.length)
        last->help = diagnostics_text(&job->diagnostics, "what works here: %s", names.data);
    text_free(&names);
}
