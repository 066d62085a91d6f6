/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs that an algorithm states. See stated.h.
 */
#include "compiler/language/language.h"
#include "compiler/passes/stated.h"

#include <inttypes.h>
#include <string.h>

const char *const stated_name[N_STATED] = {"steps", "messages", "bytes"};

static const char at_most[] = "at most ";

/* The text after "NAME: " at the beginning of a line of the head, with the lines after it
 * that are set in, in one line; NULL if there is none. */
static const char *formula_of(const char *description, const char *name, struct arena *arena)
{
    const char *label = arena_printf(arena, "\n%s: ", name);
    const char *at = strstr(description, label);
    if (!at)
        return NULL;
    at += strlen(label);
    size_t length = strcspn(at, "\n");
    while (at[length] == '\n' && at[length + 1] == ' ')
        length += 1 + strcspn(at + length + 1, "\n");
    char *formula = arena_alloc(arena, length + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_blank = at[i] == ' ' || at[i] == '\n';
        if (!is_blank || (n > 0 && formula[n - 1] != ' '))
            formula[n++] = is_blank ? ' ' : at[i];
    }
    return formula;
}

struct stated stated_read(const struct program *program, struct arena *arena)
{
    struct stated stated = {0};
    const char *description =
        arena_printf(arena, "\n%s", program->description ? program->description : "");
    for (int i = 0; i < N_STATED; i++) {
        const char *formula = formula_of(description, stated_name[i], arena);
        stated.is_bound[i] = formula && strncmp(formula, at_most, sizeof at_most - 1) == 0;
        stated.formula[i] = stated.is_bound[i] ? formula + sizeof at_most - 1 : formula;
    }
    return stated;
}

const char *stated_program(const struct program *program, const struct stated *stated,
                           const char *more, struct arena *arena)
{
    const char *text = program->source->text, *at = text;
    for (uint32_t line = 1; program->body && line < program->body->position.line; line++)
        at = strchr(at, '\n') + 1;
    for (int i = 0; i < N_STATED; i++)
        if (stated->formula[i])
            more = arena_printf(arena, "%slet stated_%s = %s\n", more, stated_name[i],
                                stated->formula[i]);
    return arena_printf(arena, "%.*s%s%s", (int)(at - text), text, more, at);
}

/* False if the program has no such let. */
static bool value_of(const struct binding *binding, const char *name, int64_t *value)
{
    const struct program *program = binding->program;
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const char *let = program->variables[i].name;
        if (strncmp(let, "stated_", 7) != 0 || strcmp(let + 7, name) != 0)
            continue;
        *value = binding->value[i];
        return true;
    }
    return false;
}

/* Those of a program that has the lets. */
static bool values_of(const struct program *program, const struct bind_request *request,
                      struct diagnostics *diagnostics, int64_t value[N_STATED])
{
    struct binding *binding = bind_program(program, request, diagnostics);
    int64_t found[N_STATED];
    bool has_all = binding != NULL;
    for (int i = 0; i < N_STATED && has_all; i++)
        has_all = value_of(binding, stated_name[i], &found[i]);
    if (has_all)
        memcpy(value, found, sizeof found);
    binding_free(binding);
    return has_all;
}

/* What is wrong goes to `diagnostics`, at the lines of the text with the lets. */
static bool read_values(const struct program *program, const struct bind_request *request,
                        bool is_required, struct diagnostics *diagnostics, int64_t value[N_STATED])
{
    struct arena *arena = &diagnostics->arena;
    struct stated stated = stated_read(program, arena);
    const char *size = arena_printf(arena, "let m = %" PRIu64 "\n", request->bytes);
    const char *text = stated_program(program, &stated, size, arena);
    const struct source *source = source_of_text(program->source->path, text, strlen(text), arena);
    struct program *with_lets = program_read(source, diagnostics);
    if (with_lets && !is_required)
        with_lets->requirements = NULL;
    bool has_all = with_lets && values_of(with_lets, request, diagnostics, value);
    if (with_lets)
        program_free(with_lets);
    return has_all;
}

bool stated_values(const struct program *program, const struct bind_request *request,
                   int64_t value[N_STATED])
{
    struct diagnostics diagnostics = {0};
    bool has_all = read_values(program, request, true, &diagnostics, value);
    diagnostics_free(&diagnostics);
    return has_all;
}

bool stated_values_anyway(const struct program *program, const struct bind_request *request,
                          int64_t value[N_STATED])
{
    struct diagnostics diagnostics = {0};
    bool has_all = read_values(program, request, false, &diagnostics, value);
    diagnostics_free(&diagnostics);
    return has_all;
}

/* Which formula the let in this line is of; N_STATED: none. */
static int formula_in_line(const struct position *position)
{
    const char *at = position->source ? position->source->text : NULL;
    for (uint32_t line = 1; at && line < position->line; line++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    for (int i = 0; at && i < N_STATED; i++) {
        size_t length = strlen(stated_name[i]);
        if (strncmp(at, "let stated_", 11) == 0 && strncmp(at + 11, stated_name[i], length) == 0)
            return i;
    }
    return N_STATED;
}

bool stated_problem(const struct program *program, const struct bind_request *request,
                    struct stated_problem *problem, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    int64_t value[N_STATED];
    bool has_all = read_values(program, request, true, &diagnostics, value);
    bool is_found = false;
    for (const struct diagnostic *d = diagnostics.first; !has_all && !is_found && d; d = d->next) {
        *problem = (struct stated_problem){.formula = formula_in_line(&d->position)};
        is_found = problem->formula < N_STATED;
        if (is_found)
            problem->message = arena_printf(arena, "%s [%s]", d->message, code_table[d->code].id);
    }
    diagnostics_free(&diagnostics);
    return is_found;
}

struct position stated_position(const struct program *program, int formula)
{
    const char *text = program->source->text;
    const size_t length = strlen(stated_name[formula]);
    for (const char *at = text; at && *at == '#'; at += at != NULL) {
        const char *name = at + 1 + (at[1] == ' ');
        if (strncmp(name, stated_name[formula], length) == 0 && name[length] == ':')
            return source_position(program->source, (size_t)(name - text), strcspn(name, "\r\n"));
        at = strchr(at, '\n');
    }
    return source_position(program->source, 0, 1);
}
