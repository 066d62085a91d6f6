/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line: which command, which options, and the table they come from
 * (commands.def, options.def), which help.c prints.
 */
#ifndef COLLC_DRIVER_OPTIONS_H
#define COLLC_DRIVER_OPTIONS_H

#include "compiler/passes/expand.h"
#include "base/text/units.h"

/* Exit statuses: of every command. */
enum { STATUS_CLEAN = 0, STATUS_FINDINGS = 1, STATUS_FAILED = 2 };
/* Within a job: --dump-after has printed and nothing else is to be done. job_close makes it clean. */
enum { STATUS_DUMPED = -1 };

enum command {
#define COMMAND(name, arguments, least, most, summary, description) COMMAND_##name,
#include "compiler/driver/commands.def"
    N_COMMANDS
};

enum { MAX_ARGUMENTS = 1000 }; /* no command takes more */

struct text_list {
    const char **items;
    size_t n;
};

/* Message sizes: ascending, all different. */
struct size_list {
    uint64_t *items;
    size_t n;
};

/* A time (ns) or a bandwidth (B/s), of which 0 is a value like any other. */
struct quantity {
    bool is_set;
    uint64_t value;
};

/* Values as parsed; 0, NULL or false where nothing was said. */
struct options {
    enum command command;
    const char *arguments[MAX_ARGUMENTS];
    uint32_t n_arguments;
    const char *topology, *placement, *order, *map;
    uint32_t ranks, ranks_per_machine, root;
    uint64_t bytes;
    struct parameter_setting *settings;
    size_t n_settings;
    struct text_list routes, failed, with;
    const char *machines, *adapters;
    const char *lids, *from, *link, *sl, *sl2vl;
    const char *counts, *dump_after;
    bool all, metrics, networks;
    uint32_t seed, matchings, work;
    const char *to, *function, *what, *load, *output, *schedule, *format, *fail_on, *colour;
    bool with_main, table, check, is_long, best;
    uint32_t step, max_link_load, max_fan_in, ports, drift;
    struct size_list sizes;
    struct quantity overhead, gap, memory_bandwidth, memory_latency;
    bool per_step, quiet, verbose, help;
    struct arena arena; /* settings and their sources */
};

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_CHOICE,  /* one of the words of `argument`, separated by '|' */
    OPTION_NUMBER,  /* uint32_t */
    OPTION_COUNT,   /* uint32_t, at least 1 */
    OPTION_SIZE,    /* uint64_t bytes, with a unit */
    OPTION_SIZES,   /* sizes and ranges of sizes, added to a struct size_list */
    OPTION_TIME,    /* struct quantity, with a unit */
    OPTION_RATE,    /* struct quantity, with a unit */
    OPTION_LIST,    /* text, appended to a struct text_list */
    OPTION_SETTING  /* NAME=INTEGER, appended to options->settings */
};

struct option_info {
    const char *name;
    int short_name;        /* 0: none */
    const char *argument;  /* NULL: takes none */
    enum option_kind kind;
    size_t field;          /* offset in struct options */
    unsigned commands;     /* bit 1 << command: option of that command */
    const char *help;
};

struct command_info {
    const char *name, *arguments;
    uint32_t least, most;  /* number of arguments */
    const char *summary, *description;
    int (*run)(const struct options *options); /* exit status */
};

extern const struct option_info option_table[];
extern const size_t n_options;
extern const struct command_info command_table[N_COMMANDS];

/* The command of that name, or N_COMMANDS. */
enum command command_find(const char *name);

/* Parses the options and arguments of `options->command`; argv[0] is the name of
 * the command. False after saying on stderr what is wrong. */
bool options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);

/* "64,1KiB" or "8..4MiB" (8, 16, 32 ... as long as not above the end), added to the list.
 * VALUE_RANGE if one is too large; VALUE_SYNTAX if that is no list of sizes, or of more than
 * MAX_SIZES. */
enum { MAX_SIZES = 256 };
enum value_result parse_sizes(const char *text, struct size_list *sizes, struct arena *arena);

/* Says "collc: error: ..." on stderr with a pointer to the help of the command;
 * returns STATUS_FAILED, so that a command can return it. */
int usage_error(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with a help of its own: what to write instead. */
int usage_error_with(const char *help, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For the end of such a message: "; did you mean 'NEAR'?", or nothing if `near` is NULL. In
 * the arena. */
const char *or_rather(struct arena *arena, const char *near);
/* The command nearest to a name that is none, or NULL. */
const char *nearest_command(const char *name);

/* True if the value of a choice, or its default (NULL), is `word`. */
bool is_choice(const char *value, const char *word);

/* One function per command. */
#define COMMAND(name, arguments, least, most, summary, description) \
    int command_##name(const struct options *options);
#include "compiler/driver/commands.def"

#endif
