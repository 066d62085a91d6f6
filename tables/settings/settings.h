/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings of libraries in any text file: parameter files, job scripts of shells, module files. The reader
 * knows no library. It finds every assignment that a program started from the file can see, and where its
 * value stands.
 *
 *   name = value                           mca-params.conf, ucc.conf; also a line NAME=VALUE of a shell
 *   export N=V, declare -x N=V             sh; several on a line, in quotes, over lines that end in '\'
 *   setenv N V, set -gx N V, ENV N=V       csh and Tcl, fish, Dockerfile
 *   setenv("N", "V"), pushenv("N", "V")    Lua; os.environ["N"] = "V", env["N"] = "V" of Python
 *   N=V command, env N=V command           for one command
 *   -x N=V, -genv N V, -env N=V, -e N=V    launchers; --export=ALL,N=V of Slurm, -v N=V of PBS
 *   --mca N V, -gmca N V                   Open MPI's parameters on the command line
 *   N: V; name: N, value: V                YAML
 *
 * Options of launchers also count in quotes, where scripts keep them for later. Comments, and the words of
 * echo and its like, are no settings.
 */
#ifndef COLLC_TABLES_SETTINGS_SETTINGS_H
#define COLLC_TABLES_SETTINGS_SETTINGS_H

#include "base/text/slice.h"

/* In the order in which a later one wins over those before it, for the same command; of the first two the
 * one that stands further down (settings_same_order). */
enum setting_form {
    SETTING_LINE,     /* name = value, or NAME=VALUE alone on a line */
    SETTING_EXPORT,   /* from here on, for every command */
    SETTING_COMMAND,  /* N=V command */
    SETTING_OPTION,   /* an environment variable in the options of a launcher */
    SETTING_MCA,      /* --mca N V */
    SETTING_GMCA      /* --gmca N V */
};

/* A shell gives a new value to a variable that it has exported by either form. */
static inline enum setting_form settings_same_order(enum setting_form form)
{
    return form == SETTING_LINE ? SETTING_EXPORT : form;
}

/* The setting is of all launches in quotes of its statement. */
enum { SETTING_OF_STATEMENT = 0x7fffffff };

/* A form that sets nothing, and how to mend it. */
struct setting_fault {
    const char *what, *help;
};

struct setting {
    struct slice name;
    struct slice value;      /* without quotes; of the source, or a copy if quotes stand inside */
    struct slice written;    /* the value as it stands in the source; of SETTING_LINE the rest of the line */
    enum setting_form form;
    const struct source *source; /* a file that another setting names; NULL: that of the settings */
    uint32_t line;           /* from 1 */
    uint32_t command;        /* number of the command that it is for; 0: every one that follows */
    uint32_t launch;         /* equal for the programs of one launcher, which a ':' parts; 0: as command */
    uint32_t stretch;        /* equal for settings that no launch and no branch of the script parts */
    bool is_computed;        /* a variable or a command stands in the value */
    const char *assumed;     /* why the value is but assumed, as a default is; NULL: it is known */
    bool is_hidden;          /* a variable of the shell that is not exported: no program sees it */
    bool is_undone;          /* unset again before any launch */
    uint32_t moment;         /* number of the statement; 0: it is in none, and has no order */
    uint32_t undone;         /* number of the statement that unsets it behind a launch; 0: none does */
    uint32_t listed;         /* number from 1 of the launch whose own it is, SETTING_OF_STATEMENT, or 0 */
    bool is_argument;        /* an option behind the program, which gets it as an argument */
    const struct setting_fault *fault; /* it is written in a form that sets nothing; NULL: it is not */
    bool is_followed;        /* it names a file whose settings are among these */
    bool is_behind;          /* the same, and mpirun of Open MPI 4.1 takes it unless it stands before, too */
    bool is_parameter;       /* its line is one of a parameter file, not of a shell */
    bool has_return;         /* the value ends in the carriage return of the line's end */
};

/* A statement of a script that starts programs. */
struct settings_launch {
    size_t first, end;       /* its own settings */
    size_t outer, outer_end; /* those of the statement, which may have several launches in its quotes */
    uint32_t moment;         /* what is exported before it counts; UINT32_MAX: all, it is in a function */
    bool is_launcher;        /* it is one by its name; else it sets variables for a command */
    bool is_small;           /* its programs have no calls of a library, as hostname */
    const struct slice *dropped; /* variables that its own env takes out of the environment */
    size_t n_dropped;
    bool drops_all;          /* it takes all out */
};

struct settings {
    const struct source *source;
    struct setting *items;
    size_t n;
    struct settings_launch *launches;
    size_t n_listed;         /* of these */
    uint32_t n_launches;     /* commands that start programs */
    bool is_script;          /* it exports variables, or starts programs */
};

enum { SETTINGS_MOST_NAMES = 512 };

/* The ways in which a library reads its settings. */
struct settings_dialect {
    const char *example;     /* of a setting, for messages */
    /* Returns the name without what forms of it differ in; of length 0 if it is none of the library's. */
    struct slice (*key)(const struct setting *setting);
    /* Returns a number: of two settings with one key and for one command the one with the greater number
     * wins, the last of equal ones. NULL: the order of enum setting_form. */
    unsigned (*order)(const struct setting *setting);
    const char *order_words; /* this order, for messages; NULL: that of enum setting_form */
    /* Returns the text that the library takes for the value. NULL: the value. */
    struct slice (*value)(const struct setting *setting);
    /* Returns the calls for which ranks need the same value: a collective, or "every collective"; NULL if
     * ranks may differ in it. */
    const char *(*calls)(const struct setting *setting, struct arena *arena);
    /* Returns why what the setting stands for is not judged, such as a file in another form; NULL: it is. The
     * function NULL: everything is judged. */
    const char *(*unread)(const struct setting *setting);
    /* True if the library takes both values for the same. NULL: where the texts are equal. */
    bool (*same)(const struct setting *a, const struct setting *b);
    /* Returns why the library does not look at the setting, NULL: it does. The function NULL: at all. */
    const struct setting_fault *(*fault)(const struct setting *setting);
    /* Fills `names` with the names, without the prefix, of variables that the library reads; returns their
     * number, at most SETTINGS_MOST_NAMES. NULL: slips are not looked for. */
    size_t (*names)(const char **names, struct arena *arena);
    const char *prefix, *library; /* of these, "NCCL_", "NCCL" */
    bool takes_prefix;       /* `key` takes every name with the prefix */
    /* True if a launcher refuses to start programs with both. NULL: it takes the one that wins. */
    bool (*refuses)(const struct setting *first, const struct setting *again);
};

/* Returns the numbers of the launches that count for the library, by their launcher or settings of their own;
 * *n is 0 if all programs of the file see the same. A launch of small programs counts if it is alone. */
const size_t *settings_launches(const struct settings *settings, const struct settings_dialect *dialect,
                                size_t *n, struct arena *arena);
/* Returns what launch `number` sees of the library: its own settings, what is exported before it and not
 * undone, and what is of no launch. The last also sees what is exported behind it. */
const struct settings *settings_of_launch(const struct settings *settings,
                                          const struct settings_dialect *dialect, size_t number, bool is_last,
                                          struct arena *arena);
/* Reads all settings of the source. Never fails: text without any has none. */
const struct settings *settings_read(const struct source *source, struct arena *arena);
/* Returns the key of a setting that a program sees; of length 0 if it is none of the library's. */
struct slice settings_key(const struct settings_dialect *dialect, const struct setting *setting);
/* Returns the variable of the library in whose place the setting's name stands by a slip; NULL if it is one
 * of its own, or near none. */
const char *settings_slip(const struct settings_dialect *dialect, const struct setting *setting,
                          struct arena *arena);
/* True if a setting of the library is there, one that no program sees included. */
bool settings_have(const struct settings *settings, const struct settings_dialect *dialect);
/* Returns the setting with the key that wins for the last command of the file; NULL if there is none. */
const struct setting *settings_acting(const struct settings *settings, const struct settings_dialect *dialect,
                                      struct slice key);
/* Reports settings of the library that have no effect, and values that are not known (B039, B040, B041). */
void settings_lint(const struct settings *settings, const struct settings_dialect *dialect,
                   struct diagnostics *findings);
/* Reports settings that act on the collective and whose values are not known (B041). */
void settings_lint_unknown(const struct settings *settings, const struct settings_dialect *dialect,
                           const char *collective, struct diagnostics *findings);
/* The settings of one node of a job. */
struct settings_node {
    const char *name;
    const struct settings *settings;
};
/* Reports settings of the library that differ between nodes, where a call can then hang (B042). */
void settings_compare(const struct settings_node *nodes, size_t n, const struct settings_dialect *dialect,
                      struct diagnostics *findings);
/* Returns settings with those of a file that one of them names, to which the library looks where it looks for
 * parameter files: options of launchers there are such parameters. */
const struct settings *settings_followed(const struct settings *settings, const struct setting *by,
                                         const struct source *file, struct arena *arena);
/* Returns the place of a part of a value, also of one that is a copy: then of the value. */
struct position settings_position(const struct settings *settings, struct slice part);

#endif
