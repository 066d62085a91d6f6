/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI C from the program form: the loops of the figure, valid for all numbers of ranks for which the
 * requirements hold. Statements become C statements one to one, which call the run time (runtime/).
 */
#include "emitters/mpi_c/program.h"

#include <string.h>

enum { INDENT = 4 };

static void program_put(int depth, struct text *line, struct text *out)
{
    c_line((size_t)depth * INDENT, line->data ? line->data : "", out);
    text_free(line);
}

/* --- statements -------------------------------------------------------- */

struct printer {
    const struct c_form *form;
    const struct use *use; /* names used in the function being printed */
};

static void program_print_block(const struct printer *printer, const struct statement *statement, int depth,
                                struct text *out);

static const char *program_kind_of(const struct statement *statement)
{
    return statement->kind == STATEMENT_SEND ? "send" : statement->kind == STATEMENT_RECV ? "recv" : "reduce";
}

static void print_part(const struct printer *printer, const struct chunks *chunks, int depth,
                       struct text *out)
{
    struct text line = {0};
    if (printer->form->features & C(SIZED))
        text_printf(&line, "collc_add_part(run, %s, ", buffer_name[chunks->buffer]);
    else
        text_printf(&line, "collc_part(run, ");
    c_chunks(printer->form, chunks, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
}

/* A message whose parts say how large they are. */
static void print_sized(const struct printer *printer, const struct statement *statement, int depth,
                        struct text *out)
{
    struct text line = {0};
    text_printf(&line, "collc_begin_sized(run, collc_is_%s, ", program_kind_of(statement));
    c_rank_at(printer->form, statement->peer.coordinates, statement->peer.n, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
    if (statement->chunks.buffer != N_BUFFERS)
        print_part(printer, &statement->chunks, depth, out);
    program_print_block(printer, statement->body, depth, out);
}

/* A message of several parts: they are collected by the loops of its body. */
static void print_set(const struct printer *printer, const struct statement *statement, int depth,
                      struct text *out)
{
    struct text line = {0};
    text_printf(&line, "collc_begin_set(run, collc_is_%s, %s, ", program_kind_of(statement),
                buffer_name[message_part(statement)->chunks.buffer]);
    c_rank_at(printer->form, statement->peer.coordinates, statement->peer.n, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
    program_print_block(printer, statement->body, depth, out);
    text_printf(out, "%*s%s\n", depth * INDENT, "", "collc_end_set(run);");
}

static void program_print_transfer(const struct printer *printer, const struct statement *statement,
                                   int depth, struct text *out)
{
    struct text line = {0};
    const char *name = program_kind_of(statement);
    const bool is_signal =
        statement->chunks.buffer == N_BUFFERS && printer->form->features & C(SIGNAL);
    if (is_signal)
        text_printf(&line, "collc_signal(run, collc_is_%s, ", name);
    else
        text_printf(&line, "collc_%s(run, ", name);
    if (statement->chunks.buffer != N_BUFFERS) {
        text_printf(&line, "%s, ", buffer_name[statement->chunks.buffer]);
        c_chunks(printer->form, &statement->chunks, &line);
        text_printf(&line, ", ");
    }
    c_rank_at(printer->form, statement->peer.coordinates, statement->peer.n, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
}

static void program_print_need(const struct printer *printer, const struct statement *need, int depth,
                               struct text *out)
{
    struct text line = {0};
    text_printf(&line, "collc_need(run, ");
    c_chunks(printer->form, &need->chunks, &line);
    text_printf(&line, ", ");
    c_first_chunk(printer->form, &need->to_chunks, &line);
    text_printf(&line, ", ");
    c_rank_at(printer->form, need->peer.coordinates, need->peer.n, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
}

static void print_copy(const struct printer *printer, const struct statement *statement,
                       int depth, struct text *out)
{
    struct text line = {0};
    text_printf(&line, "collc_%s(run, %s, ",
                statement->kind == STATEMENT_COPY ? "copy" : "combine_local",
                buffer_name[statement->chunks.buffer]);
    c_chunks(printer->form, &statement->chunks, &line);
    text_printf(&line, ", %s, ", buffer_name[statement->to_chunks.buffer]);
    c_first_chunk(printer->form, &statement->to_chunks, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
}

static void print_let(const struct printer *printer, const struct statement *statement, int depth,
                      struct text *out)
{
    struct text line = {0};
    const struct program *program = printer->form->program;
    if (!printer->use->variable[statement->variable])
        return;
    text_printf(&line, "const int64_t ");
    c_name(program->variables[statement->variable].name, &line);
    text_printf(&line, " = ");
    c_expr(program, statement->expr, &line);
    text_printf(&line, ";");
    program_put(depth, &line, out);
}

/* Prints `name <= last`, or `name < n` if last is n - 1. */
static void program_print_bound(const struct program *program, const char *name, const char *comparison,
                                const struct expr *last, struct text *line)
{
    bool is_minus_one = last->kind == EXPR_SUB && last->b->kind == EXPR_INTEGER &&
                        last->b->integer == 1 && comparison[0] == '<';
    c_name(name, line);
    text_printf(line, " %s ", is_minus_one ? "<" : comparison);
    c_expr(program, is_minus_one ? last->a : last, line);
}

static void print_increment(const struct program *program, const char *name,
                            const struct expr *by, struct text *line)
{
    const bool is_down = by && by->kind == EXPR_NEGATE;
    const struct expr *size = is_down ? by->a : by;
    c_name(name, line);
    if (!size || (size->kind == EXPR_INTEGER && size->integer == 1)) {
        text_printf(line, is_down ? "--" : "++");
        return;
    }
    text_printf(line, is_down ? " -= " : " += ");
    c_expr(program, size, line);
}

/* Returns 1 or -1 if the increment is known to be positive or negative, else 0. */
static int program_sign_of(const struct expr *by)
{
    const struct expr *base = by && by->kind == EXPR_POW ? by->a : by; /* base of a power */
    if (!by || (base->kind == EXPR_INTEGER && base->integer > 0))
        return 1;
    return by->kind == EXPR_NEGATE && by->a->kind == EXPR_INTEGER ? -1 : 0;
}

static void print_for(const struct printer *printer, const struct statement *statement, int depth,
                      struct text *out)
{
    struct text line = {0};
    const struct program *program = printer->form->program;
    const char *name = program->variables[statement->variable].name;
    int sign = program_sign_of(statement->by);
    text_printf(&line, "for (int64_t ");
    c_name(name, &line);
    text_printf(&line, " = ");
    c_expr(program, statement->expr, &line);
    text_printf(&line, "; ");
    if (sign == 0) {
        text_printf(&line, "(");
        c_expr(program, statement->by, &line);
        text_printf(&line, ") > 0 ? ");
    }
    if (sign >= 0)
        program_print_bound(program, name, "<=", statement->last, &line);
    if (sign == 0) {
        text_printf(&line, " : (");
        c_expr(program, statement->by, &line);
        text_printf(&line, ") < 0 && ");
    }
    if (sign <= 0)
        program_print_bound(program, name, ">=", statement->last, &line);
    text_printf(&line, "; ");
    print_increment(program, name, statement->by, &line);
    text_printf(&line, ") {");
    program_put(depth, &line, out);
    program_print_block(printer, statement->body, depth + 1, out);
    text_printf(out, "%*s%s\n", depth * INDENT, "", "}");
}

/* True for a branch that needs no braces. */
static bool program_is_plain(const struct printer *printer, const struct statement *statement)
{
    const bool is_line = !(printer->form->features & C(SIZED));
    return statement && !statement->next && !statement->body &&
           ((is_line && (statement->kind == STATEMENT_SEND || statement->kind == STATEMENT_RECV ||
                         statement->kind == STATEMENT_REDUCE)) ||
            statement->kind == STATEMENT_PART ||
            statement->kind == STATEMENT_COPY || statement->kind == STATEMENT_COMBINE ||
            statement->kind == STATEMENT_CALL);
}

static void print_if(const struct printer *printer, const struct statement *statement,
                     const char *before, int depth, struct text *out)
{
    struct text line = {0};
    const struct statement *otherwise = statement->otherwise;
    bool is_chain = otherwise && otherwise->kind == STATEMENT_IF && !otherwise->next;
    bool braces = before[0] || otherwise || !program_is_plain(printer, statement->body);
    text_printf(&line, "%sif (", before);
    c_condition(printer->form->program, statement->expr, &line);
    text_printf(&line, braces ? ") {" : ")");
    program_put(depth, &line, out);
    program_print_block(printer, statement->body, depth + 1, out);
    if (is_chain) {
        print_if(printer, otherwise, "} else ", depth, out);
        return;
    }
    if (otherwise) {
        text_printf(out, "%*s%s\n", depth * INDENT, "", "} else {");
        program_print_block(printer, otherwise, depth + 1, out);
    }
    if (braces)
        text_printf(out, "%*s%s\n", depth * INDENT, "", "}");
}

static void program_print_call(const struct printer *printer, const struct statement *statement, int depth,
                               struct text *out)
{
    struct text line = {0};
    text_printf(&line, "do_%s%s(run", statement->definition->name, printer->form->suffix);
    for (uint32_t i = 0; i < statement->definition->n_arguments; i++) {
        text_printf(&line, ", ");
        c_expr(printer->form->program, statement->arguments[i], &line);
    }
    text_printf(&line, ");");
    program_put(depth, &line, out);
}

/* Prints the statements of a step or a window, as a block of its own only if they declare something. */
static void print_scope(const struct printer *printer, const struct statement *first, int depth,
                        struct text *out)
{
    bool has_let = false;
    for (const struct statement *s = first; s; s = s->next)
        has_let = has_let || (s->kind == STATEMENT_LET && printer->use->variable[s->variable]);
    if (has_let)
        text_printf(out, "%*s%s\n", depth * INDENT, "", "{");
    program_print_block(printer, first, depth + has_let, out);
    if (has_let)
        text_printf(out, "%*s%s\n", depth * INDENT, "", "}");
}

static void print_window(const struct printer *printer, const struct statement *statement,
                         int depth, struct text *out)
{
    struct text line = {0};
    text_printf(&line, "collc_begin_window(run, ");
    c_expr(printer->form->program, statement->expr, &line);
    text_printf(&line, ");");
    program_put(depth, &line, out);
    print_scope(printer, statement->body, depth, out);
    text_printf(out, "%*s%s\n", depth * INDENT, "", "collc_end_window(run);");
}

static void print_statement(const struct printer *printer, const struct statement *statement,
                            int depth, struct text *out)
{
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        if (statement->is_need)
            program_print_need(printer, statement, depth, out);
        else if (printer->form->features & C(SIZED))
            print_sized(printer, statement, depth, out);
        else if (statement->body)
            print_set(printer, statement, depth, out);
        else
            program_print_transfer(printer, statement, depth, out);
        break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE: print_copy(printer, statement, depth, out); break;
    case STATEMENT_LET: print_let(printer, statement, depth, out); break;
    case STATEMENT_IF: print_if(printer, statement, "", depth, out); break;
    case STATEMENT_FOR: print_for(printer, statement, depth, out); break;
    case STATEMENT_STEP:
        print_scope(printer, statement->body, depth, out);
        text_printf(out, "%*s%s\n", depth * INDENT, "", "collc_end_step(run);");
        break;
    case STATEMENT_WINDOW: print_window(printer, statement, depth, out); break;
    case STATEMENT_CALL:
        program_print_call(printer, statement, depth, out);
        break;
    case STATEMENT_PART: print_part(printer, &statement->chunks, depth, out); break;
    case STATEMENT_RUN: break;
    }
}

static void program_print_block(const struct printer *printer, const struct statement *statement, int depth,
                                struct text *out)
{
    for (; statement; statement = statement->next)
        print_statement(printer, statement, depth, out);
}

/* --- functions --------------------------------------------------------- */

static void print_body(const struct c_form *form, const struct statement *body, struct text *out)
{
    struct use use;
    use_open(&use, form);
    use_statements(&use, body);
    c_declarations(&use, out);
    program_print_block(&(struct printer){form, &use}, body, 1, out);
    use_close(&use);
}

static bool uses_argument(const struct c_form *form, const struct definition *definition,
                          uint32_t argument)
{
    struct use use;
    use_open(&use, form);
    use_statements(&use, definition->body);
    bool is_used = use.variable[argument];
    use_close(&use);
    return is_used;
}

static void define_definition(const struct c_form *form, const struct definition *definition,
                              struct text *out)
{
    const struct variable *variables = form->program->variables;
    struct text head = {0};
    text_printf(&head, "static void do_%s%s(struct collc_run *run", definition->name, form->suffix);
    for (uint32_t i = 0; i < definition->n_arguments; i++) {
        text_printf(&head, ", int64_t ");
        c_name(variables[definition->arguments[i]].name, &head);
    }
    text_printf(&head, ")");
    program_put(0, &head, out);
    text_printf(out, "{\n");
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        if (!uses_argument(form, definition, definition->arguments[i])) {
            text_printf(out, "    (void)");
            c_name(variables[definition->arguments[i]].name, out);
            text_printf(out, ";\n");
        }
    print_body(form, definition->body, out);
    text_printf(out, "}\n\n");
}

/* --- the whole --------------------------------------------------------- */

static void find_lets(struct c_form *form, const struct statement *statement)
{
    for (; statement; statement = statement->next) {
        if (statement->kind == STATEMENT_LET)
            form->let_value[statement->variable] = statement->expr;
        find_lets(form, statement->body);
        find_lets(form, statement->otherwise);
    }
}

static bool calls(const struct statement *statement, const struct definition *definition)
{
    for (; statement; statement = statement->next)
        if ((statement->kind == STATEMENT_CALL && statement->definition == definition) ||
            calls(statement->body, definition) || calls(statement->otherwise, definition))
            return true;
    return false;
}

/* True if the body calls it, perhaps through other definitions. Only later definitions can, so the
 * recursion ends. */
static bool program_is_reached(const struct program *program, const struct definition *definition)
{
    if (calls(program->body, definition))
        return true;
    for (const struct definition *d = definition->next; d; d = d->next)
        if (calls(d->body, definition) && program_is_reached(program, d))
            return true;
    return false;
}

/* True if chunks of tmp have the sizes in the clause `like`: with unequal counts, or if data are cut in
 * segments of unequal sizes. */
static bool has_tmp_sizes(const struct program *program)
{
    const bool is_cut = program->segments != UINT32_MAX && program->like.line;
    return program->form != FORM_EQUAL ||
           (is_cut && !collective_at_root(program->collective, program->tmp_like.buffer));
}

bool c_program_has_like(uint64_t features)
{
    return (features & C(TMP)) && (features & C(UNEQUAL)) && !(features & C(SIZED));
}

static void use_everything(struct use *use, struct c_form *form)
{
    const struct program *program = form->program;
    const struct statement *needs = form->options->with_main ? program->needs.body : NULL;
    find_lets(form, program->body);
    find_lets(form, needs);
    use_statements(use, needs);
    for (const struct definition *d = program->definitions; d; d = d->next)
        find_lets(form, d->body);
    use_statements(use, program->body);
    for (const struct definition *d = program->definitions; d; d = d->next)
        if (program_is_reached(program, d))
            use_statements(use, d->body);
    use_header(use);
    if (has_tmp_sizes(program) && !program_tells_sizes(program) && (use->features & C(TMP)))
        use_like(use);
}

/* True if the number of segments comes from the parameters: then chunks do not belong to ranks. */
static bool is_of_parameters(const struct program *program, const struct expr *expr)
{
    if (!expr)
        return true;
    if (expr->kind == EXPR_VARIABLE) {
        const struct variable *v = &program->variables[expr->variable];
        return v->kind == VARIABLE_PARAMETER ||
               (v->kind == VARIABLE_LET && v->value && is_of_parameters(program, v->value));
    }
    return is_of_parameters(program, expr->a) && is_of_parameters(program, expr->b) &&
           is_of_parameters(program, expr->c);
}

static uint64_t program_features(const struct use *use)
{
    const struct program *program = use->form->program;
    uint64_t features = use->features | C(COORDINATES);
    for (uint32_t i = 0; i < program->n_variables; i++) {
        const struct variable *v = &program->variables[i];
        if (!use->variable[i] || v->kind != VARIABLE_NAMED)
            continue;
        if (v->index >= NAMED_servers && v->index <= NAMED_cluster_ranks)
            features |= C(SERVERS);
        if (v->index >= NAMED_clusters && v->index <= NAMED_cluster_ranks)
            features |= C(CLUSTERS);
    }
    features |= use_grid(use);
    features |= use->helper[EXPR_GROUPS_BEFORE] ? C(SERVERS) : 0;
    if (program->segments != UINT32_MAX) {
        const struct expr segments = {.kind = EXPR_VARIABLE, .variable = program->segments};
        features |= C(SEGMENTS) | (is_of_parameters(program, &segments) ? C(LEAST) : 0);
    }
    features |= (features & C(TMP)) && has_tmp_sizes(program) ? C(UNEQUAL) : 0;
    features |= (features & C(TMP)) && program_tells_sizes(program) ? C(SIZED) : 0;
    features |= program->from_root ? C(ORIGIN) : 0;
    features |= program_is_ragged(program) ? C(RAGGED) | C(SERVERS) : 0;
    features |= program->ordered.line ? C(ORDERED) : 0;
    features |= program->exact.line ? C(EXACT) : 0;
    return features;
}

void c_program_print(const struct c_program *c, struct text *out)
{
    const struct c_form *form = &c->form;
    if (c->use.rank_at)
        c_define_rank_at(form, out);
    c_define_fits(form, &c->use, out);
    if (c_program_has_like(form->features))
        c_define_like(form, out);
    for (const struct definition *d = form->program->definitions; d; d = d->next)
        if (program_is_reached(form->program, d))
            define_definition(form, d, out);
    text_printf(out, "/* The algorithm. */\nstatic void collc_steps%s(struct collc_run *run)\n{\n",
                form->suffix);
    print_body(form, form->program->body, out);
    text_printf(out, "}\n\n");
    if (!form->options->with_main || !collective_is_pattern(form->program->collective))
        return;
    text_printf(out, "%s", c_needs_begin);
    print_body(form, form->program->needs.body, out);
    text_printf(out, "%s", form->program->needs.body ? "}\n\n" : "    (void)run;\n}\n\n");
}

void c_program_open(struct c_program *c, const struct program *program, const struct emit_c_options *options)
{
    *c = (struct c_program){.form = {.program = program, .options = options, .suffix = c->suffix}};
    c->form.let_value = mem_alloc(program->n_variables, sizeof *c->form.let_value);
    use_open(&c->use, &c->form);
    use_everything(&c->use, &c->form);
    c_unit_init(&c->unit, program->collective, program->form, program->name, program_features(&c->use),
                options);
    c->form.features = c->unit.features;
    c->unit.description = options->description ? options->description : program->description;
    c->use.helper[EXPR_MOD] |= c->use.rank_at || program->from_root;
    c->unit.helpers = c->use.helper;
    if (options->is_library)
        c_suffix(&c->unit, c->suffix);
}

void c_program_close(struct c_program *c)
{
    use_close(&c->use);
    free(c->form.let_value);
}

bool emit_mpi_c_program(const struct program *program, const struct emit_c_options *options,
                        struct text *out)
{
    struct c_program c;
    c_program_open(&c, program, options);
    c.unit.scope = collective_is_pattern(program->collective)
                       ? "Valid for every number of ranks for which the pattern is defined."
                       : "Valid for every number of ranks for which the algorithm is defined; for others it\n"
                         " * calls the MPI's own collective.";
    c_heading(&c.unit, out);
    c_runtime(&c.unit, out);
    c_template_one(&c.unit, "arithmetic.c", out);
    c_program_print(&c, out);
    c_entry(&c.unit, out);
    c_program_close(&c);
    return c_name_fill(&c.unit, out);
}
