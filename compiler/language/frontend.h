/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types and functions that the files of the front end share: tokens, names and the parser's state.
 *
 *   lexer.c         text -> array of tokens, INDENT and DEDENT included
 *   names.c         names in scope
 *   parser_expr.c   expressions, chunks and targets
 *   parser_call.c   calls of functions in expressions
 *   parser.c        statements and blocks
 *   parser_run.c    the statement `run`
 *   parser_header.c header and clauses
 *   parser_definition.c  definitions
 *   parser_costs.c  the clause `costs`
 *   read.c          program_read: all of it in order
 *   formula.c       an expression that stands alone
 *   check.c         what needs the whole tree: uniformity, steps, buffers
 *   inline.c        the statements that stand for a run, with clone*.c (inline.h)
 *   sound.c         what a tree is, for assertions
 *   survey.c        what stands where, for editors
 *   print.c         program -> text; layout.c its lines, print_statements.c and print_expr.c what
 *                   stands on them
 *
 * Errors. A syntax error is reported once and sets `panic`; until the end of
 * the line nothing more is reported or accepted, so one slip gives one message.
 * Expressions are never NULL: a broken one is the integer 0.
 */
#ifndef COLLC_COMPILER_LANGUAGE_FRONTEND_H
#define COLLC_COMPILER_LANGUAGE_FRONTEND_H

#include "compiler/language/language.h"
#include "compiler/language/survey.h"

enum {
    MAX_FILE_BYTES = 1024 * 1024,
    MAX_DEPTH = 64,
    MAX_STATEMENTS = 10000, /* and as many clauses */
    MAX_EXPRESSION_TOKENS = 1000,
    MAX_OPERANDS = 32, /* parameters of an algorithm, arguments of a definition */
    MAX_CALLED = 1 << 16, /* numbers, names and operators of the values of all calls of functions */
    MAX_RUN_DEPTH = 8
};
#define NO_VARIABLE UINT32_MAX

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE,
    TOKEN_INDENT,
    TOKEN_DEDENT,
    TOKEN_INVALID, /* reported by the lexer */
    TOKEN_INTEGER,
    TOKEN_NAME,
#define KEYWORD(kind, spelling, meaning) TOKEN_##kind,
#include "compiler/language/token.def"
#define SIGN(kind, spelling) TOKEN_##kind,
#include "compiler/language/token.def"
#define BINARY(kind, spelling, precedence, right, meaning) TOKEN_##kind,
#include "ir/program.def"
    N_TOKEN_KINDS
};

struct token {
    enum token_kind kind;
    uint32_t offset, length; /* bytes in the source */
    uint32_t line, column;   /* from 1 */
    int64_t integer;         /* TOKEN_INTEGER */
};

/* Reads the tokens of the whole source, ended by TOKEN_END; release with free(). Reports E001 and E007
 * (integer too large). */
struct token *tokens_read(const struct source *source, struct diagnostics *diagnostics);
const char *token_spelling(enum token_kind kind); /* NULL: has no fixed one */

/* Name in the file. At most one meaning is visible at a time, since a name may not be taken twice (E004). */
struct symbol {
    const char *text;
    uint32_t length;
    uint32_t variable;            /* visible variable, or NO_VARIABLE */
    struct definition *definition; /* visible definition, or NULL */
    struct position first;        /* first declaration in the file; line 0: none */
    bool is_function;
    bool is_reported;             /* E003 was reported for it */
    struct symbol *next_of_hash, *next;
};

enum { N_HASH = 1024 };

struct names {
    struct symbol *hash[N_HASH];
    struct symbol *all;       /* newest first */
    struct symbol **scope;    /* visible local names, outermost first */
    size_t n_scope, scope_capacity;
};

/* Definition and what the checker knows about it. */
struct definition_node {
    struct definition definition; /* first: a definition pointer is a node pointer */
    unsigned contents;            /* CONTAINS_... of check.c */
    bool is_called_outside_step;
};

struct parser {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct program *program;
    struct token *tokens;
    const struct token *body; /* its first token, when it has begun */
    size_t at;
    struct names names;
    struct variable *variables; /* moved to the program at the end */
    size_t n_variables, variables_capacity;
    size_t expression_start;
    uint32_t expression_depth, depth;
    uint32_t n_statements, n_clauses, n_parameters, n_called;
    bool keeps_calls; /* of functions, as they are written */
    bool panic;
    bool in_needs, in_has;      /* in the clause `needs` or `has` */
    struct position ranks, needs, has, sizes[N_BUFFERS]; /* the clauses; line 0: not seen */
    struct survey *survey;      /* where names are noted; or NULL */
};

/* State shared by the reading of a file and of the algorithms it runs. */
struct reading {
    const struct parameter_setting *settings; /* of the outermost file */
    size_t n_settings;
    uint32_t depth, n_read; /* algorithms around this one; all that were read */
    const struct source *sources[MAX_RUN_DEPTH + 1]; /* [depth] of this one and those around it */
    uint32_t n_nodes;       /* of expressions made for runs; MAX_NODES + 1: too many */
    bool is_as_written;
};
/* Reads one of them as program_read does; the caller gives `reading` (read.c). */
struct program *program_read_part(const struct source *source, struct reading *reading,
                                  struct diagnostics *diagnostics);

/* parser.c: moving through the tokens */
const struct token *parser_peek(const struct parser *parser);
static inline bool parser_is_line_end(const struct parser *parser)
{
    const enum token_kind kind = parser_peek(parser)->kind;
    return kind == TOKEN_NEWLINE || kind == TOKEN_END;
}
struct position token_position(const struct parser *parser, const struct token *token);
/* Returns the position from the token `first` to the last one consumed. */
struct position parser_span_from(const struct parser *parser, const struct token *first);
bool parser_accept(struct parser *parser, enum token_kind kind);
bool parser_expect(struct parser *parser, enum token_kind kind);
/* Does the same with a help for when the token found is no slip of a word. */
bool parser_expect_or(struct parser *parser, enum token_kind kind, const char *help);
/* Reports E002 "expected WHAT, found ..." at the next token, unless in panic;
 * returns the diagnostic for its help. */
struct diagnostic *parser_expected(struct parser *parser, const char *what);
/* Does the same with a help for when the token found is no slip of a word. */
struct diagnostic *parser_expected_or(struct parser *parser, const char *what, const char *help);
/* Consumes the rest of the line; reports what is left over. True if the line was clean so far. */
bool parser_end_line(struct parser *parser);
/* Reports E011 at the position if the collective, where it is known, has no root (parser_header.c). */
void parser_need_root(struct parser *parser, enum collective collective, struct position position);
/* Parses a clause `needs` or `has`; false: the line is none (parser_needs.c). */
bool parser_needs_clause(struct parser *parser);
/* Parses a statement in such a clause; NULL in case of panic. */
struct statement *parser_simple_need(struct parser *parser);
/* Parses let NAME = EXPR. */
struct statement *parse_let(struct parser *parser);
struct statement *parser_new_statement(struct parser *parser, enum statement_kind kind);
/* Parses { for NAME in EXPR .. EXPR [ by EXPR ] [ if EXPR ] } of a set, each in the body of the one before;
 * returns where what is in the last one goes. */
struct statement **parse_set_loops(struct parser *parser, struct statement **tail);
/* Parses an indented block after the keyword of `head`; opens a scope of its own. A missing block is reported
 * unless `head` is NULL. */
struct statement *parse_block(struct parser *parser, const struct position *head);
/* Returns help for what follows a name behind `let` instead of `=`, or NULL. */
const char *parser_help_with_let(const struct parser *parser);
/* Parses SIMPLE { ; SIMPLE }, appends it at `tail`; returns the new tail. */
struct statement **parse_line(struct parser *parser, struct statement **tail);
/* Parses statements up to the end of the enclosing block. */
struct statement *parse_statements(struct parser *parser);

/* names.c */
struct symbol *names_symbol(struct parser *parser, const struct token *token);
void names_begin(struct parser *parser);
/* Makes only functions known, for a formula of its own. The other: adds one more name. */
void names_begin_formula(struct parser *parser);
uint32_t names_add(struct parser *parser, const char *name, enum variable_kind kind);
/* Adds a name that is visible to the end of the scope. Reports E004, and why it is a name here, at `position`
 * if it is taken. */
uint32_t names_add_local(struct parser *parser, const char *name, const char *why,
                         struct position position);
void names_end(struct parser *parser);
size_t scope_open(const struct parser *parser);
void scope_close(struct parser *parser, size_t mark);
/* Declares a variable named by `token`, visible to the end of the scope, or of the file if `is_global`.
 * Reports E004 if the name is taken; then the variable exists but cannot be seen. */
uint32_t names_declare(struct parser *parser, const struct token *token, enum variable_kind kind,
                       bool is_global);
/* True if a name may be given to a new thing; reports E004 if not. */
bool names_is_free(struct parser *parser, const struct token *token, bool is_global);
/* Reports E003 for a name, once per name and file. */
void names_unknown(struct parser *parser, const struct token *token, bool is_call);

/* parser_help.c */
/* Returns what the statement or clause at the next token is like, by the last word before it that begins one
 * on its line; NULL: there is none. */
const char *parser_form(const struct parser *parser);
/* Returns what to write instead of a word that other languages have, or NULL. */
const char *parser_foreign_word(const char *text, size_t length);

/* parser_expr.c */
struct expr *parse_expression(struct parser *parser);
/* Parses one of the loops of a set: a choice stands in parentheses, as `if` begins the condition of a set. */
struct expr *parse_in_set(struct parser *parser);
struct expr *parser_new_expr(struct parser *parser, enum expr_kind kind, const struct token *first);
/* Gives the expression its span, from `first` to what was consumed last, and `is_uniform`; returns it. */
struct expr *parser_finish_expr(struct parser *parser, struct expr *expr, const struct token *first);
struct expr *parser_sum(struct parser *parser, struct expr *a, struct expr *b);
void parse_chunks(struct parser *parser, struct chunks *chunks);
/* Parses CHUNKS { , CHUNKS } of a message, each of which may be a set: as its chunks, or as parts of its
 * body. */
/* True if a buffer or an area of tmp is the next token. */
bool parser_begins_chunks(struct parser *parser);
void parse_message(struct parser *parser, struct statement *message);
void parse_target(struct parser *parser, struct target *target);
/* Parses expressions, separated by commas, up to `close`, at most `limit`; array in the arena. */
struct expr **parse_list(struct parser *parser, enum token_kind close, uint32_t limit,
                         uint32_t *n);

/* Parses ( ... ) of a function in an expression; its name was consumed (parser_call.c). */
struct expr *parse_value_call(struct parser *parser, const struct token *name);
/* Reports a name or a function of neighbours, `name`, where the collective has none, or where `rank`, its
 * operand, is not the rank itself; NULL: it has no operand. */
void parser_check_neighbors(struct parser *parser, const struct token *name, const struct expr *rank);

/* Consumes a NAME, its text in the arena; reports that `what` is expected. */
const struct token *parser_expect_word(struct parser *parser, const char *what);
const char *token_text(const struct parser *parser, const struct token *token);
bool token_is(const struct parser *parser, const struct token *token, const char *word);
/* True if the token is a name that is this word, which the language knows in its place only. */
bool token_is_word(const struct parser *parser, const struct token *token, const char *word);

/* parser_run.c */
bool parser_begins_run(const struct parser *parser);
/* Fills in the statement at the word `run`. */
void parse_run(struct parser *parser, struct statement *statement);
/* True if the file runs algorithms by that name, which is then a parameter that names one. */
bool parser_is_run_name(const struct parser *parser, const struct token *name);
static inline bool are_operands_uniform(const struct expr *expr)
{
    return (!expr->a || expr->a->is_uniform) && (!expr->b || expr->b->is_uniform) &&
           (!expr->c || expr->c->is_uniform);
}

/* parser_header.c */
/* Parses a file that its lexer can read; never NULL, whatever was reported. `survey`: gets a mention
 * of each name; or NULL. `is_as_written`: keeps calls of functions, for whose values they stand otherwise. */
struct program *parse_program(const struct source *source, struct survey *survey, bool is_as_written,
                              struct diagnostics *diagnostics);
struct program *parser_new_program(const struct source *source);
void parser_keep_variables(struct parser *parser); /* moves them to the program */
/* Parses def ... (parser_definition.c). */
void parse_definition(struct parser *parser);
bool parse_clause(struct parser *parser); /* false: the next line is no clause */
/* Begins a clause that may stand once, at the next token: reports E002 and sets panic if it has been seen,
 * else notes where. */
void parser_only_once(struct parser *parser, struct position *seen);

/* parser_costs.c */
bool parser_begins_costs(const struct parser *parser);
void parse_costs(struct parser *parser);
/* True if the block below the end of a line, a token, belongs to a clause `costs`. */
bool parser_is_costs_block(const struct parser *parser, const struct token *line_end);
/* Joins the lines of the clause that begins at the next token. */
void parser_join_costs(struct parser *parser);

/* check.c */
/* Requires a parsed program; gives `is_uniform` of every body expression and
 * variable; reports E002 (steps), E005, E006, E011. */
void check_program(struct program *program, struct diagnostics *diagnostics);
/* Reports E006 unless `expr`, a number of the header, is uniform. `what` names it:
 * "a requirement". */
void check_uniform(const struct variable *variables, const struct expr *expr, const char *what,
                   struct diagnostics *diagnostics);

/* Notes what the token mentions, if there is a survey (survey.c); NULL: the position that it has. */
void survey_note_mention(struct parser *parser, const struct token *token, struct mention mention);

/* print_expr.c */
enum expr_style {
    STYLE_ALONE, /* behind `=`: a choice needs no parentheses */
    STYLE_LOOSE,
    STYLE_TIGHT, /* arithmetic without spaces, as inside brackets and ranges */
    STYLE_LISTED /* the same between commas: alone */
};
/* `known`: numbers to print instead, or NULL. */
void print_expr(const struct program *program, const struct known_values *known, const struct expr *expr,
                enum expr_style style, struct text *out);

/* Places where an expression on several lines continues. */
struct line_breaks {
    uint32_t line;             /* of the source, of what was printed last */
    void (*go_on)(void *layout, uint32_t line); /* begins the line for that one */
    void *layout;
};
/* Does the same with its lines as they are; they begin with an operator or an operand of a function. */
void print_expr_lines(const struct program *program, const struct expr *expr,
                      struct line_breaks *breaks, struct text *out);

/* Operators by token, for parser and printer. */
struct binary_operator {
    const char *spelling;
    int precedence;
    bool is_right;
};
enum {
    PRECEDENCE_CHOICE = 0,
    PRECEDENCE_NOT = 3,
    PRECEDENCE_COMPARISON = 4,
    PRECEDENCE_NEGATE = 8,
    PRECEDENCE_ATOM = 10
};
/* Returns the operator of an expression kind, or NULL if it is not binary. */
const struct binary_operator *parser_binary_operator(enum expr_kind kind);
/* Returns the name and arity of a function kind; NULL if it is none. */
const char *parser_function_name(enum expr_kind kind, uint32_t *arity);

#endif
