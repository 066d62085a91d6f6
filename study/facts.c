/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads facts of an algorithm from its text. See facts.h.
 */
#include "compiler/language/language.h"
#include "study/facts.h"

#include <string.h>

/* True if a paragraph, or a line, is prose: pictures are indented. */
static bool is_prose(const char *paragraph)
{
    return *paragraph != ' ' && *paragraph;
}

/* Returns the first sentence of the comment above the algorithm, in one line. */
static const char *summary_of(const char *description, struct arena *arena)
{
    struct text text = {0};
    for (const char *from = description; *from && strncmp(from, "\n\n", 2) != 0; from++) {
        if (*from == '\n' && !is_prose(from + 1))
            break;
        bool is_end = from[0] == '.' && (from[1] == '\n' || from[1] == ' ') && text.length > 40;
        text_append(&text, *from == '\n' ? " " : from, 1);
        if (is_end || from[1] == '\0')
            break;
    }
    while (text.length && strchr(" .", text.data[text.length - 1]))
        text.length--;
    const char *summary = arena_strndup(arena, text.data ? text.data : "", text.length);
    text_free(&text);
    return summary;
}

/* Returns the second paragraph, in one line: its source in the literature and other libraries. NULL if
 * there is none. */
static const char *facts_source_of(const char *description, struct arena *arena)
{
    const char *from = strstr(description, "\n\n");
    if (!from || !is_prose(from + 2))
        return NULL;
    from += 2;
    const char *end = strstr(from, "\n\n");
    char *source = arena_strndup(arena, from, end ? (size_t)(end - from) : strlen(from));
    for (char *c = source; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    return source;
}

/* Returns the requirements of an algorithm that follow from the names it uses, or NULL. */
static const char *need_of_names(const struct program *program)
{
    bool over_slots = false, over_clusters = false;
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        const enum named_value named = program_named_extent(program, i);
        over_slots = over_slots || named == NAMED_slots;
        over_clusters = over_clusters || named == NAMED_clusters;
    }
    if (over_clusters)
        return over_slots ? "equal clusters of equal servers" : "equal clusters";
    if (over_slots)
        return "equal slots on all servers";
    return program->needs_grid ? "one rank on every machine of a grid" : NULL;
}

/* Returns the source line of an expression, without its first word. */
const char *facts_requirement(const struct requirement *requirement, struct arena *arena)
{
    const struct position *position = &requirement->expr->position;
    const char *line = position->source->text;
    for (uint32_t n = 1; n < position->line; n++)
        line = strchr(line, '\n') + 1;
    line += strspn(line, " ");
    line += strcspn(line, " \n");
    line += strspn(line, " ");
    size_t length = strcspn(line, "#\r\n");
    while (length && line[length - 1] == ' ')
        length--;
    return arena_strndup(arena, line, length);
}

bool facts_serves(const struct program *program, enum collective_form form)
{
    return form != FORM_EQUAL && program->form == FORM_EQUAL &&
           collective_of_form(form) == program->collective && program_serves(program, form);
}

struct facts facts_read(const struct program *program, struct arena *arena)
{
    const char *description = program->description ? program->description : "";
    return (struct facts){
        .program = program,
        .summary = summary_of(description, arena),
        .source = facts_source_of(description, arena),
        .needs = need_of_names(program),
        .stated = stated_read(program, arena),
    };
}

const struct parameter_setting *facts_setting(const struct bind_request *where, const char *name)
{
    for (size_t i = where->n_settings; i > 0; i--)
        if (strcmp(where->settings[i - 1].name, name) == 0)
            return &where->settings[i - 1];
    return NULL;
}

/* True if a parameter that names an algorithm has another value than its default. */
static bool has_other_parts(const struct program *program, const struct bind_request *where)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        const struct parameter_setting *setting = facts_setting(where, variable->name);
        if (variable->kind == VARIABLE_ALGORITHM && setting && setting->text &&
            strcmp(setting->text, variable->algorithm) != 0)
            return true;
    }
    return false;
}

void facts_place(struct facts *facts, const struct bind_request *where, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct binding *binding = bind_program(facts->program, where, &diagnostics);
    facts->is_placed = true;
    if (!binding && diagnostics.first)
        facts->refusal = arena_printf(arena, "%s", diagnostics.first->message);
    facts->has_other_parts = has_other_parts(facts->program, where);
    facts->has_values = binding && !facts->has_other_parts &&
                        stated_values(facts->program, where, facts->value);
    struct stated_problem problem;
    if (binding && !facts->has_other_parts && !facts->has_values &&
        stated_problem(facts->program, where, &problem, arena))
        facts->problem = arena_printf(arena, "no figures: the %s have no value: %s",
                                      cost_name[problem.cost], problem.message);
    binding_free(binding);
    diagnostics_free(&diagnostics);
}
