/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of settings, inside this folder: words.c splits text as a shell does, assign.c adds assignments
 * and finds the values of variables, launch.c reads options of launchers, statements.c the statements of
 * shells, forms.c lines that are no statements (parameter files, YAML, JSON, Lua, Python), and read.c goes
 * through a text.
 */
#ifndef COLLC_TABLES_SETTINGS_READER_H
#define COLLC_TABLES_SETTINGS_READER_H

#include "tables/settings/settings.h"

enum { SETTINGS_MAX_WORDS = 1024, SETTINGS_MAX_LOOKED_AT = 4096, SETTINGS_MAX_BRACKETS = 16 };

struct word {
    struct slice written; /* with its quotes */
    struct slice value;   /* without */
    bool is_quoted, is_computed;
    const char *assumed; /* as of struct setting */
};

struct reader {
    struct settings *of;
    struct arena *arena;
    const char *at, *end; /* what is left of the text, or of the quoted words in view */
    const char *counted;  /* lines are counted up to here ... */
    uint32_t line;        /* ... and this is its line */
    size_t capacity;
    size_t n_visible; /* settings whose values a statement can use: of its own only plain assignments */
    uint32_t command, n_commands, launch;
    uint32_t stretch, n_stretches; /* the one that is read; later ones have greater numbers */
    uint32_t outer;     /* behind && or ||: the stretch that goes on behind the statement */
    uint32_t moment;    /* number of the statement */
    bool is_statement;  /* in one, outside of quotes */
    bool has_launcher;  /* the statement starts programs ... */
    bool has_variables; /* ... or sets variables for a command */
    uint32_t n_programs; /* that the statement starts and that may have calls of a library */
    struct slice *dropped; /* variables that env takes out of the environment of the statement's command */
    size_t n_dropped, dropped_capacity;
    bool drops_all;     /* it takes all out */
    uint32_t last_command; /* number of the last statement that may start something, or may be run again */
    bool is_shell;      /* the statement starts a shell with commands in quotes */
    bool is_kept;       /* in quotes that are kept for later commands */
    struct settings_bracket { /* a '(' that is not closed: of a subshell, or of anything else */
        size_t first; /* settings before it */
        bool is_shell;
    } brackets[SETTINGS_MAX_BRACKETS];
    size_t n_brackets;
    bool in_function;   /* in the body of one */
    unsigned n_branches; /* if, for and the like around the statement */
    size_t launches_capacity;
    bool is_awaited;    /* a statement has to come behind && or || */
    bool is_make;           /* by its name or by ':=' it is a file of make */
    bool is_plain;          /* the file has nothing but NAME=VALUE, and comments */
    bool is_parameters;     /* the file is one of parameters, by its lines */
    bool keeps_returns;     /* a carriage return before a line's end belongs to the last word */
    bool exports_all;       /* after set -a */
    bool is_build;          /* in a line RUN of a Dockerfile: what it sets is gone when the image is made */
    bool is_behind;         /* likewise, in a launch by mpirun */
    bool is_argument;       /* behind the program of a launcher: what stands there is handed to that */
    struct slice *exported; /* names of `export NAME` */
    size_t n_exported, exported_capacity;
    struct slice mapping; /* the NAME of `name: NAME` on the line before */
    unsigned depth;
};

/* Begins a stretch that lasts: a launch, or a branch over several statements. */
static inline void settings_part(struct reader *reader)
{
    reader->stretch = reader->outer = ++reader->n_stretches;
}

/* ---- words.c ---- */

bool settings_is_name_letter(char c);
bool settings_is_name(struct slice name);
bool settings_has_capital(struct slice name);
static inline bool settings_is_line_end(char c)
{
    return c == '\n';
}
bool settings_is_one_of(struct slice word, const char *const *list);
/* Returns the length of a line end behind a backslash; 0 if none is there. */
size_t settings_continuation(const char *at, const char *end);
/* Returns the quote that ends the one at `at`, or NULL if there is none on the line. */
const char *settings_closing_quote(const char *at, const char *end);
/* Returns the word that begins at `at`, or is there up to `end` if that is before a word ends. */
struct word settings_word_at(const struct reader *reader, const char *at, const char *end);
void settings_skip_line(struct reader *reader);
/* Takes the words of a statement; returns their number. */
size_t settings_take_statement(struct reader *reader, struct word *words);

/* ---- assign.c ---- */

/* Adds a setting, if the name is one. NAME=VALUE alone on a line is hidden until settings_show_exported. */
void settings_add(struct reader *reader, struct slice name, struct word value, enum setting_form form,
                  bool is_parameter);
/* Adds what is written like a setting of a parameter and sets nothing, if the name is one. */
void settings_add_fault(struct reader *reader, struct slice name, struct word value,
                        const struct setting_fault *fault);
/* Adds a variable of the script, which no program sees. */
void settings_add_variable(struct reader *reader, struct slice name, struct word value);
/* Returns the part of a word from `first` of its value on. */
struct word settings_word_from(const struct word *word, size_t first);
/* Adds NAME=VALUE; returns false if the word is none. */
bool settings_add_assignment(struct reader *reader, const struct word *word, enum setting_form form);
/* Adds the parts of a list N=V,N=V from `first` of its value on; words without '=' only name variables. */
void settings_add_list(struct reader *reader, struct word list, size_t first, char stop);
void settings_undo(struct reader *reader, struct slice name);
void settings_note_exported(struct reader *reader, struct slice name);
/* Shows NAME=VALUE where it is more than a variable of a shell: in a file without anything else, or where the
 * script exports the name. */
void settings_show_exported(struct reader *reader);

/* ---- launch.c ---- */

bool settings_is_launcher(struct slice word);
/* True if the word surely is one: no program of the script's own folder, and no variable of any name. */
bool settings_is_surely_launcher(struct slice word);
/* True for the name of a program without calls of a library, such as hostname. */
bool settings_is_small_program(struct slice word);
/* Returns the place of the launcher among the words from `first` on, which may stand behind other programs
 * such as numactl; n if there is none. */
size_t settings_launcher_among(const struct word *words, size_t first, size_t n);
/* Reads the options of a launcher among the words from `first` on. */
void settings_read_options(struct reader *reader, const struct word *words, size_t first, size_t n);

/* ---- statements.c ---- */

void settings_read_statement(struct reader *reader, const struct word *words, size_t n);
/* Ends a shell that has started programs: what it exports, from setting number `first` on, ends with it. */
void settings_end_shell(struct reader *reader, size_t first);

/* ---- forms.c ---- */

/* Take a line, or a part of one, that has the form; return false if it has not. */
bool settings_take_parameter(struct reader *reader);
bool settings_take_environment(struct reader *reader);
bool settings_take_mapping(struct reader *reader);
bool settings_take_item(struct reader *reader);
bool settings_take_sequence(struct reader *reader);
bool settings_take_pair(struct reader *reader);
bool settings_take_call(struct reader *reader);
/* Skips a comment; one that is read by a batch system loses its '#' instead. */
bool settings_skip_comment(struct reader *reader, bool is_at_line);

/* ---- read.c ---- */

void settings_read_text(struct reader *reader, const char *begin, const char *end);

#endif
