/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc algorithms: what is built in, read from the algorithms themselves.
 */
#include "compiler/driver/builtin.h"
#include "compiler/driver/json.h"
#include "compiler/driver/options.h"
#include "compiler/driver/output.h"
#include "compiler/driver/wrap.h"
#include "ir/program.h"

#include <inttypes.h>
#include <string.h>

enum { INDENT = 30 };

static const char folder[] = "compiler/algorithms/";

/* Prints one algorithm to the list. */
typedef void printer(const struct program *program, void *out);

/* The first sentence of the comment above the algorithm, in one line. */
static void summary_of(const struct program *program, struct text *text)
{
    const char *from = program->description ? program->description : "";
    for (; *from && !(from[0] == '\n' && from[1] == '\n'); from++) {
        bool is_end = from[0] == '.' && (from[1] == '\n' || from[1] == ' ') && text->length > 40;
        text_append(text, *from == '\n' ? " " : from, 1);
        if (is_end || from[1] == '\0')
            break;
    }
    while (text->length && (text->data[text->length - 1] == ' ' ||
                            text->data[text->length - 1] == '.'))
        text->data[--text->length] = '\0';
}

/* Of the program itself: others are those of the algorithms that it runs by default. */
static bool is_own(const struct program *program, const struct requirement *requirement)
{
    return !requirement->text && requirement->expr->position.source == program->source;
}

/* The source line of an expression, without its first word. */
static void requirement_text(const struct requirement *requirement, struct text *text)
{
    const struct position *position = &requirement->expr->position;
    const char *line = position->source->text;
    for (uint32_t n = 1; n < position->line; n++)
        line = strchr(line, '\n') + 1;
    line += strspn(line, " ");
    line += strcspn(line, " \n");
    line += strspn(line, " ");
    size_t length = strcspn(line, "#\n");
    while (length && line[length - 1] == ' ')
        length--;
    text_append(text, line, length);
}

/* What an algorithm needs because of the names its coordinates run over, or NULL. */
static const char *need_of_coordinates(const struct program *program)
{
    for (uint32_t i = 0; i < program->n_coordinates; i++) {
        const struct expr *extent = program->extent[i];
        if (extent->kind != EXPR_VARIABLE)
            continue;
        const struct variable *variable = &program->variables[extent->variable];
        if (variable->kind == VARIABLE_NAMED && variable->index == NAMED_slots)
            return "equal slots on all servers";
        if (variable->kind == VARIABLE_NAMED && variable->index >= NAMED_nx)
            return "one rank on every machine of a grid";
    }
    return NULL;
}

static void print_parameters(const struct program *program, struct text *text)
{
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *variable = &program->variables[i];
        if (variable->kind == VARIABLE_ALGORITHM)
            text_printf(text, "%*s--param %s=%s\n", INDENT, "", variable->name,
                        variable->algorithm);
        if (variable->kind != VARIABLE_PARAMETER)
            continue;
        text_printf(text, "%*s--param %s=", INDENT, "", variable->name);
        if (variable->value->kind == EXPR_INTEGER)
            text_printf(text, "%" PRId64 "\n", variable->value->integer);
        else
            text_printf(text, "...\n");
    }
}

static void print_text(const struct program *program, void *out)
{
    struct text *text = out, line = {0};
    const char *collective = collective_table[program->collective].name;
    summary_of(program, &line);
    size_t start = text->length;
    text_printf(text, "%s/%-*s ", collective, (int)(INDENT - 2 - strlen(collective)),
                program->name);
    text_wrap(text, line.data ? line.data : "", text->length - start, INDENT);
    text_free(&line);
    print_parameters(program, text);
    if (need_of_coordinates(program))
        text_printf(text, "%*sneeds %s\n", INDENT, "", need_of_coordinates(program));
    for (const struct requirement *r = program->requirements; r; r = r->next) {
        if (!is_own(program, r))
            continue;
        text_printf(text, "%*srequires ", INDENT, "");
        requirement_text(r, text);
        text_printf(text, "\n");
    }
}

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

static void write_json(const struct program *program, void *out)
{
    struct json *json = out;
    struct text text = {0};
    json_open(json, NULL, '{');
    json_string(json, "collective", collective_table[program->collective].name);
    json_string(json, "algorithm", program->name);
    summary_of(program, &text);
    json_string(json, "summary", text.data ? text.data : "");
    text_free(&text);
    write_parameters(program, json);
    json_open(json, "requires", '[');
    for (const struct requirement *r = program->requirements; r; r = r->next) {
        if (!is_own(program, r))
            continue;
        requirement_text(r, &text);
        json_string(json, NULL, text.data);
        text_free(&text);
    }
    json_close(json, ']');
    json_string(json, "needs", need_of_coordinates(program));
    json_close(json, '}');
}

/* An embedded algorithm that does not parse is a fault of ours. */
static void print_file(const struct embedded_file *file, printer *print, void *out)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text(file->path, file->text, file->length, &arena);
    struct program *program = program_read(source, &diagnostics);
    if (!program)
        fatal("built-in algorithm '%s' cannot be read: please report this", file->path);
    print(program, out);
    program_free(program);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static void print_all(printer *print, void *out)
{
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strncmp(embedded_files[i].path, folder, strlen(folder)) == 0)
            print_file(&embedded_files[i], print, out);
}

int command_algorithms(const struct options *options)
{
    struct text text = {0};
    if (is_choice(options->format, "json")) {
        struct json json = {.out = &text};
        json_open(&json, NULL, '[');
        print_all(write_json, &json);
        json_close(&json, ']');
    } else {
        print_all(print_text, &text);
    }
    output_text(NULL, &text);
    text_free(&text);
    return STATUS_CLEAN;
}
