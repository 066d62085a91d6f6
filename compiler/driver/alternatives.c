/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the other algorithms of a collective where one was refused, and binds them where ranks
 * are known. Binding expands nothing: it costs what reading the files costs. See alternatives.h.
 */
#include "compiler/driver/alternatives.h"

#include "compiler/driver/builtin.h"
#include "compiler/language/language.h"
#include "ir/use.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 4 };

/* An algorithm that works here. */
struct candidate {
    const char *name;      /* "bcast/binary" */
    uint32_t distance;     /* of its kind: 0 the refused one's, the others in their order */
};

struct candidates {
    struct job *job;
    const struct program *refused;
    bool is_bound;         /* they are to be bound for the ranks of the job */
    struct candidate *items;
    size_t n, capacity;
};

/* < 0 if a is nearer: of a nearer kind, then by name. */
static int compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Whether it can be bound for the ranks of the job, with its default parameters. */
static bool works(const struct job *job, const struct program *program)
{
    struct diagnostics diagnostics = {0};
    struct bind_request request = job_bind_request(job);
    request.n_settings = 0;
    struct binding *binding = bind_program(program, &request, &diagnostics);
    const bool is_bound = binding != NULL;
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return is_bound;
}

static void add_if_works(struct candidates *list, const struct program *program, const char *name)
{
    const enum program_kind kind = program_kind(program);
    if (list->is_bound && !works(list->job, program))
        return;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] =
        (struct candidate){name, kind == program_kind(list->refused) ? 0 : kind + 1};
}

static void add_file(struct candidates *list, const struct embedded_file *file, const char *name)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text(file->path, file->text, file->length, &arena);
    struct program *program = program_read(source, &diagnostics);
    if (program) {
        if (program_take_form(program, list->refused->form, &diagnostics))
            add_if_works(list, program, name);
        program_free(program);
    }
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static void find_candidates(struct candidates *list)
{
    const struct program *refused = list->refused;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(&embedded_files[i], refused->collective, refused->form,
                                                &list->job->arena);
        if (name)
            add_file(list, &embedded_files[i], name);
    }
}

/* The nearest first, each of which `does` what is wanted. */
static void name_nearest(struct candidates *list, const char *does, struct text *names)
{
    qsort(list->items, list->n, sizeof *list->items, compare);
    text_printf(names, "the nearest that %s: '%s'", does, list->items[0].name);
    for (size_t i = 1; i < list->n && i < MAX_NAMED; i++)
        text_printf(names, "%s'%s'", i > 1 ? ", " : "; also ", list->items[i].name);
    if (list->n > MAX_NAMED)
        text_printf(names, " and %zu more", list->n - MAX_NAMED);
}

static struct diagnostic *last_of(struct job *job, enum code code)
{
    struct diagnostic *last = NULL;
    for (struct diagnostic *d = job->diagnostics.first; d; d = d->next)
        last = d->code == code ? d : last;
    return last;
}

void suggest_alternatives(struct job *job)
{
    struct diagnostic *last = last_of(job, CODE_E009);
    struct candidates list = {.job = job, .refused = job->program, .is_bound = true};
    struct text names = {0};
    if (!last)
        return;
    find_candidates(&list);
    if (list.n && job->n_settings && works(job, job->program)) /* it is the values of --param */
        text_printf(&names, "without --param it works here");
    else if (list.n)
        name_nearest(&list, "works here", &names);
    if (list.n)
        last->help = diagnostics_text(&job->diagnostics, "%s%s%s", last->help ? last->help : "",
                                      last->help ? "; " : "", names.data);
    text_free(&names);
    free(list.items);
}

void suggest_serving(struct job *job, const struct program *refused)
{
    struct diagnostic *last = last_of(job, CODE_E020);
    struct candidates list = {.job = job, .refused = refused};
    struct text names = {0};
    if (!last)
        return;
    find_candidates(&list);
    if (list.n) {
        name_nearest(&list, "serves unequal counts", &names);
        last->help = diagnostics_text(&job->diagnostics, "%s", names.data);
    }
    text_free(&names);
    free(list.items);
}
