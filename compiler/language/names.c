/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names. Every spelling has one symbol; a symbol means at most one thing at a
 * time, because no name may hide another one. Leaving a scope takes the meaning
 * away from the names declared in it.
 */
#include "compiler/language/frontend.h"
#include "base/codes.h"
#include "base/suggest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Chains rather than a table of base/map.h: symbols stay where they are, in the arena of the program,
 * and there are dozens. */
static uint32_t language_names_hash_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash % N_HASH;
}

static struct symbol *language_names_intern(struct parser *parser, const char *text, size_t length)
{
    struct symbol **slot = &parser->names.hash[language_names_hash_of(text, length)];
    for (struct symbol *symbol = *slot; symbol; symbol = symbol->next_of_hash)
        if (symbol->length == length && memcmp(symbol->text, text, length) == 0)
            return symbol;
    struct symbol *symbol = arena_alloc(parser->program->arena, 1, sizeof *symbol);
    symbol->text = arena_strndup(parser->program->arena, text, length);
    symbol->length = (uint32_t)length;
    symbol->variable = NO_VARIABLE;
    symbol->next_of_hash = *slot;
    symbol->next = parser->names.all;
    *slot = parser->names.all = symbol;
    return symbol;
}

struct symbol *names_symbol(struct parser *parser, const struct token *token)
{
    return language_names_intern(parser, parser->source->text + token->offset, token->length);
}

static uint32_t new_variable(struct parser *parser, const char *name, enum variable_kind kind,
                             struct position position)
{
    parser->variables = mem_grow(parser->variables, &parser->variables_capacity,
                                 parser->n_variables + 1, sizeof *parser->variables);
    parser->variables[parser->n_variables] =
        (struct variable){.name = name, .kind = kind,
                          .is_uniform = kind != VARIABLE_COORDINATE, .position = position};
    return (uint32_t)parser->n_variables++;
}

uint32_t names_add(struct parser *parser, const char *name, enum variable_kind kind)
{
    uint32_t variable = new_variable(parser, name, kind, (struct position){.source = NULL});
    language_names_intern(parser, name, strlen(name))->variable = variable;
    return variable;
}

static void make_local(struct names *names, struct symbol *symbol)
{
    names->scope =
        mem_grow(names->scope, &names->scope_capacity, names->n_scope + 1, sizeof(struct symbol *));
    names->scope[names->n_scope++] = symbol;
}

void names_begin_formula(struct parser *parser)
{
    static const char *const functions[] = {
#define FUNCTION(kind, name, arity, meaning) #name,
#include "ir/program.def"
    };
    for (uint32_t i = 0; i < sizeof functions / sizeof *functions; i++)
        language_names_intern(parser, functions[i], strlen(functions[i]))->is_function = true;
}

void names_begin(struct parser *parser)
{
    static const char *const named[] = {
#define NAMED(name, meaning) #name,
#include "ir/program.def"
    };
    for (uint32_t i = 0; i < sizeof named / sizeof *named; i++) {
        uint32_t variable = names_add(parser, named[i], VARIABLE_NAMED);
        parser->variables[variable].index = i;
        parser->variables[variable].is_uniform = i != NAMED_present; /* groups differ */
    }
    names_begin_formula(parser);
}

void names_end(struct parser *parser)
{
    free(parser->names.scope);
}

size_t scope_open(const struct parser *parser)
{
    return parser->names.n_scope;
}

void scope_close(struct parser *parser, size_t mark)
{
    assert(mark <= parser->names.n_scope);
    while (parser->names.n_scope > mark)
        parser->names.scope[--parser->names.n_scope]->variable = NO_VARIABLE;
}

static void language_names_report_taken(struct parser *parser, const struct token *token,
                                        const struct symbol *symbol)
{
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E004, token_position(parser, token),
               symbol->is_function      ? "'%s' is a function of the language"
               : !symbol->first.line    ? "'%s' is a name of the language"
                                        : "the name '%s' is already taken",
               symbol->text);
    diagnostic->help = "choose another name";
    if (!symbol->first.line)
        return;
    diagnostic->related = symbol->first;
    diagnostic->related_text = "it was declared here";
}

bool names_is_free(struct parser *parser, const struct token *token, bool is_global)
{
    const struct symbol *symbol = names_symbol(parser, token);
    bool is_taken = symbol->is_function || symbol->definition ||
                    symbol->variable != NO_VARIABLE || (is_global && symbol->first.line);
    if (is_taken)
        language_names_report_taken(parser, token, symbol);
    return !is_taken;
}

uint32_t names_declare(struct parser *parser, const struct token *token, enum variable_kind kind,
                       bool is_global)
{
    struct symbol *symbol = names_symbol(parser, token);
    struct position position = token_position(parser, token);
    uint32_t variable = new_variable(parser, symbol->text, kind, position);
    survey_note_mention(parser, token, (struct mention){.kind = MENTION_VARIABLE, .is_declaration = true,
                                                        .variable = variable});
    if (!names_is_free(parser, token, is_global))
        return variable;
    symbol->variable = variable;
    symbol->first = position;
    if (!is_global)
        make_local(&parser->names, symbol);
    return variable;
}

uint32_t names_add_local(struct parser *parser, const char *name, const char *why,
                         struct position position)
{
    struct symbol *symbol = language_names_intern(parser, name, strlen(name));
    uint32_t variable = new_variable(parser, symbol->text, VARIABLE_LOOP, position);
    if (symbol->variable == NO_VARIABLE && !symbol->definition) {
        symbol->variable = variable;
        make_local(&parser->names, symbol);
        return variable;
    }
    struct diagnostic *diagnostic = report(parser->diagnostics, CODE_E004, position,
                                           "the name '%s' is already taken", name);
    diagnostic->help = why;
    diagnostic->related = symbol->first;
    diagnostic->related_text = "it was declared here";
    return variable;
}

static const char *nearest_symbol(const struct parser *parser, const struct symbol *unknown,
                                  bool is_call)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (const struct symbol *s = parser->names.all; s; s = s->next) {
        bool is_visible = is_call ? s->definition || s->is_function
                                  : s->variable != NO_VARIABLE || s->is_function;
        size_t d = is_visible ? slip_distance(unknown->text, unknown->length, s->text) : SIZE_MAX;
        if (d < best_distance) {
            best_distance = d;
            best = s->text;
        }
    }
    return best;
}

static bool language_names_is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Help with what MPI programs call the rank or the number of ranks as they like, or NULL. */
static const char *help_with_rank(const struct parser *parser, const char *name)
{
    static const char *const of_rank[] = {"rank", "myrank", "my_rank", "me", "self", "r"};
    static const char *const of_ranks[] = {"n", "N", "P", "np", "nprocs", "nranks", "size"};
    const struct program *program = parser->program;
    const char *meant = NULL;
    if (language_names_is_one_of(name, of_ranks, sizeof of_ranks / sizeof *of_ranks) && *program->name)
        meant = "p";
    if (!meant && !language_names_is_one_of(name, of_rank, sizeof of_rank / sizeof *of_rank))
        return NULL;
    if (!meant && program->n_coordinates == 1 &&
        parser->variables[program->coordinate[0]].kind == VARIABLE_COORDINATE)
        meant = parser->variables[program->coordinate[0]].name;
    else if (!meant && program->n_coordinates > 1)
        return diagnostics_text(parser->diagnostics, "a rank is named by its coordinates: '%s' and so on",
                                parser->variables[program->coordinate[0]].name);
    if (!meant && !parser->ranks.line && *program->name)
        return "a rank has no name here: a line 'ranks r: p' below the header gives it one";
    return did_you_mean(&parser->diagnostics->arena, meant, NULL);
}

/* Returns the name behind the first `def` that defines it, or where it is no call, behind the `let` or `for`
 * that declares it; NULL: nothing does. */
static const struct token *find_declaration(const struct parser *parser, const struct token *name,
                                            bool is_call)
{
    const char *text = parser->source->text;
    for (const struct token *token = parser->tokens; token->kind != TOKEN_END; token++)
        if ((is_call ? token->kind == TOKEN_DEF : token->kind == TOKEN_LET || token->kind == TOKEN_FOR) &&
            token[1].length == name->length &&
            memcmp(text + token[1].offset, text + name->offset, name->length) == 0)
            return token + 1;
    return NULL;
}

/* A call of a definition from within itself, or from above it. Returns false if there is no such definition.
 */
static bool report_recursion(struct parser *parser, const struct token *name)
{
    const struct token *defined = find_declaration(parser, name, true);
    if (!defined)
        return false;
    const bool is_above = defined > name;
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E003, token_position(parser, name),
               is_above ? "'%s' is called above its definition" : "'%s' calls itself",
               names_symbol(parser, name)->text);
    diagnostic->related = token_position(parser, defined);
    diagnostic->related_text = "it is defined here";
    diagnostic->help =
        is_above ? "move the definition up: it is known from its line on, so none calls itself by others"
                 : "say by a loop over 'for', or in closed form, what it repeats";
    return true;
}

/* Returns help with a name that has no likely spelling, and relates where the file declares it. */
static const char *help_with_declaration(struct parser *parser, const struct token *name, bool is_call,
                                         struct diagnostic *diagnostic)
{
    const struct symbol *symbol = names_symbol(parser, name);
    const struct token *declared = is_call ? NULL : find_declaration(parser, name, false);
    if (!*parser->program->name)
        return NULL; /* a formula */
    if (!symbol->first.line && (!declared || declared->line == name->line))
        return is_call ? "a function is defined above the body: 'def NAME(x) = EXPR'"
                       : "a name is declared above its use: by 'let NAME = EXPR', by 'for' or 'ranks', or "
                         "behind the name of the algorithm as a parameter";
    diagnostic->related = symbol->first.line ? symbol->first : token_position(parser, declared);
    diagnostic->related_text =
        symbol->first.line ? "a name is visible only in its block" : "it is known only below this";
    return symbol->first.line || declared < name ? "use it there, or declare it above the block"
                                                 : "move its declaration above this line";
}

void names_unknown(struct parser *parser, const struct token *token, bool is_call)
{
    enum { ENOUGH = 20 }; /* suggestions cost a walk over all names */
    struct symbol *symbol = names_symbol(parser, token);
    const struct token *next = parser_peek(parser);
    const bool is_known = symbol->is_reported || parser->panic;
    const bool is_operand = next->kind == TOKEN_INTEGER || next->kind == TOKEN_NAME;
    /* two operands make no expression: the rest of the line is not read */
    parser->panic |= (is_operand && next->line == token->line) || strcmp(symbol->text, "lambda") == 0 ||
                     strcmp(symbol->text, "range") == 0;
    if (is_known)
        return;
    symbol->is_reported = true;
    if (is_call && parser->diagnostics->n_of_code[CODE_E003] <= ENOUGH && report_recursion(parser, token))
        return;
    struct diagnostic *diagnostic =
        report(parser->diagnostics, CODE_E003, token_position(parser, token), "unknown name '%s'",
               symbol->text);
    if (parser->diagnostics->n_of_code[CODE_E003] > ENOUGH)
        return;
    const char *near = nearest_symbol(parser, symbol, is_call);
    diagnostic->help = parser_foreign_word(symbol->text, symbol->length);
    if (diagnostic->help)
        return;
    const char *help = is_call ? NULL : help_with_rank(parser, symbol->text);
    if (!near && !help)
        help = help_with_declaration(parser, token, is_call, diagnostic);
    diagnostic->help = did_you_mean(&parser->diagnostics->arena, near, help);
}
