/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the other algorithms of a collective where one was refused, and binds them where ranks
 * are known. Binding expands nothing: it costs what reading the files costs. See alternatives.h.
 */
#include "study/alternatives.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/language/language.h"
#include "compiler/passes/stated.h"
#include "ir/use.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 4, LEAST_WORD = 4 };

/* An algorithm that works here. */
struct candidate {
    const char *name;      /* "bcast/binary" */
    uint32_t n_words;      /* of its name that are words of the refused one's, too */
    uint32_t strangeness;  /* of its kind: 0 the refused one's, the others in their order */
    uint32_t n_works;      /* cited by both */
    int64_t bytes, steps;  /* by how much those stated differ; INT64_MAX: not known */
};

struct candidates {
    const struct program *refused;
    const struct bind_request *where; /* they are to be bound there; NULL: nowhere */
    struct arena *arena;       /* of their names */
    int64_t stated[N_STATED]; /* costs that it states for these ranks, or 0 */
    struct candidate *items;
    size_t n, capacity;
};

/* ---- how near two algorithms are ---- */

/* Words of LEAST_WORD letters or more that are between '_' in both names. */
static uint32_t common_words(const char *a, const char *b)
{
    uint32_t n = 0;
    for (size_t length; *a; a += length + (a[length] == '_')) {
        length = strcspn(a, "_");
        bool is_common = false;
        for (const char *at = b; *at && length >= LEAST_WORD; at += strcspn(at, "_"), at += *at == '_')
            is_common |= strcspn(at, "_") == length && strncmp(a, at, length) == 0;
        n += is_common;
    }
    return n;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next year in a text, from 1900 to 2099, or NULL. */
static const char *next_year(const char *text)
{
    for (; *text; text++)
        if ((strncmp(text, "19", 2) == 0 || strncmp(text, "20", 2) == 0) && is_digit(text[2]) &&
            is_digit(text[3]) && !is_digit(text[4]))
            return text;
    return NULL;
}

/* The last capital before a year: an author's name begins there, in "Bruck et al. 1997", too. */
static const char *author_before(const char *text, const char *year)
{
    while (year > text && !(year[0] >= 'A' && year[0] <= 'Z'))
        year--;
    return year;
}

/* Author and year of a work stand in the text, close together. */
static bool cites(const char *text, const char *author, const char *year)
{
    for (const char *other = next_year(text); other; other = next_year(other + 4)) {
        const char *name = author_before(text, other);
        size_t length = strcspn(name, " ,.\n");
        if (strncmp(other, year, 4) == 0 && strncmp(name, author, length + 1) == 0)
            return true;
    }
    return false;
}

static uint32_t common_works(const struct program *a, const struct program *b)
{
    uint32_t n = 0;
    if (!a->description || !b->description)
        return 0;
    for (const char *year = next_year(a->description); year; year = next_year(year + 4))
        n += cites(b->description, author_before(a->description, year), year);
    return n;
}

/* < 0 if a is nearer: more words in common, then the like kind, then more works in common, then
 * the like bytes, then steps; then by name. */
static int compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->n_words != b->n_words)
        return a->n_words > b->n_words ? -1 : 1;
    if (a->strangeness != b->strangeness)
        return a->strangeness < b->strangeness ? -1 : 1;
    if (a->n_works != b->n_works)
        return a->n_works > b->n_works ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->steps != b->steps)
        return a->steps < b->steps ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* ---- what works here ---- */

/* Formulas are compared for some size, whether or not one is given. */
static struct bind_request request_of(const struct bind_request *where)
{
    enum { SOME_BYTES = 1 << 20 };
    struct bind_request request = *where;
    request.bytes = request.bytes ? request.bytes : SOME_BYTES;
    return request;
}

static int64_t difference(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

static struct candidate candidate_of(const struct candidates *list, const struct program *program,
                                     const char *name)
{
    const struct program *refused = list->refused;
    const enum program_kind kind = program_kind(program);
    return (struct candidate){.name = name,
                              .n_words = common_words(refused->name, program->name),
                              .strangeness = kind == program_kind(refused) ? 0 : kind + 1,
                              .n_works = common_works(refused, program),
                              .bytes = INT64_MAX, .steps = INT64_MAX};
}

/* Of its own parameters it has the defaults. False: it does not work for the ranks. */
static bool compare_stated(const struct candidates *list, const struct program *program,
                           struct candidate *candidate)
{
    struct diagnostics diagnostics = {0};
    struct bind_request request = request_of(list->where);
    request.n_settings = 0;
    struct binding *binding = bind_program(program, &request, &diagnostics);
    bool works = binding != NULL;
    int64_t value[N_STATED];
    if (works && stated_values(program, &request, value)) {
        candidate->bytes = difference(value[STATED_BYTES], list->stated[STATED_BYTES]);
        candidate->steps = difference(value[STATED_STEPS], list->stated[STATED_STEPS]);
    }
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return works;
}

static void add_if_works(struct candidates *list, const struct program *program, const char *name)
{
    struct candidate candidate = candidate_of(list, program, name);
    if (list->where && !compare_stated(list, program, &candidate))
        return;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = candidate;
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
                                                list->arena);
        if (name)
            add_file(list, &embedded_files[i], name);
    }
}

/* ---- what is said ---- */

/* Bound with its defaults the refused one would work itself: it is the values of --param. */
static bool works_by_default(const struct candidates *list)
{
    const struct program *refused = list->refused;
    struct diagnostics diagnostics = {0};
    struct bind_request request = request_of(list->where);
    bool is_set = request.n_settings > 0;
    request.n_settings = 0;
    struct binding *binding = is_set ? bind_program(refused, &request, &diagnostics) : NULL;
    bool is_bound = binding != NULL;
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return is_bound;
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

static struct diagnostic *last_of(const struct diagnostics *diagnostics, uint32_t code)
{
    struct diagnostic *last = NULL;
    for (struct diagnostic *d = diagnostics->first; d; d = d->next)
        last = d->code == code ? d : last;
    return last;
}

void alternatives_bound(const struct program *refused, const struct bind_request *where,
                        struct diagnostics *diagnostics)
{
    struct diagnostic *last = last_of(diagnostics, CODE_E009);
    struct candidates list = {.refused = refused, .where = where, .arena = &diagnostics->arena};
    struct text names = {0};
    if (!last)
        return;
    struct bind_request request = request_of(where);
    stated_values_anyway(refused, &request, list.stated);
    find_candidates(&list);
    if (list.n && works_by_default(&list))
        text_printf(&names, "without --param it works here");
    else if (list.n)
        name_nearest(&list, "works here", &names);
    if (list.n)
        last->help = diagnostics_text(diagnostics, "%s%s%s", last->help ? last->help : "",
                                      last->help ? "; " : "", names.data);
    text_free(&names);
    free(list.items);
}

void alternatives_serving(const struct program *refused, struct diagnostics *diagnostics)
{
    struct diagnostic *last = last_of(diagnostics, CODE_E020);
    struct candidates list = {.refused = refused, .arena = &diagnostics->arena};
    struct text names = {0};
    if (!last)
        return;
    find_candidates(&list);
    if (list.n) {
        name_nearest(&list, "serves unequal counts", &names);
        last->help = diagnostics_text(diagnostics, "%s", names.data);
    }
    text_free(&names);
    free(list.items);
}
