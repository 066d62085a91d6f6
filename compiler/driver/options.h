/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line as parsed, and the table of options that it is parsed by
 * (options.def), which help.c prints.
 */
#ifndef COLLC_DRIVER_OPTIONS_H
#define COLLC_DRIVER_OPTIONS_H

#include "compiler/driver/commands.h"
#include "ir/program.h"
#include "study/sizes.h"
#include "tables/rules/table.h"
#include "verify/verify.h"

struct text_list {
    const char **items;
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
    struct size_list rank_list; /* of best; a single one is `ranks`, too */
    uint64_t bytes;
    struct parameter_setting *settings;
    size_t n_settings;
    struct text_list topologies, routes, against_routes, failed, with, beside, selected, ignored;
    const char *rank_adapters, *between_rails;
    const char *machines, *adapters, *hwloc, *against, *baseline, *write_baseline;
    const char *routing, *lids, *from, *link, *sl, *sl2vl;
    const char *counts, *neighbors, *dump_after;
    const char *solver, *certificate, *certificate_to_check;
    bool all, metrics, unrouted, networks;
    uint32_t seed, matchings, work;
    const char *to, *function, *what, *load, *output, *schedule, *format, *fail_on, *fail_each, *colour;
    bool with_main, table, check, is_long, best, stdio, diff;
    uint32_t step, max_fan_in, drift, max_findings, jobs;
    struct verify_limits limits;
    struct size_list sizes;
    struct quantity overhead, gap, memory_bandwidth, memory_latency, inside_bandwidth;
    const char *model, *sync, *send_order, *flit; /* of simulate */
    uint32_t simulation_seed, window;
    bool timed, explain, reproducible;
    const char *method;       /* of synth */
    uint32_t most_on_link, synth_steps, synth_chunks;
    struct quantity eager, process_bandwidth, time_limit;
    bool exact_only;
    bool no_symmetry;
    struct quantity budget; /* of verify, in ns */
    bool per_step, over_time, quiet, verbose, usage, help;
    struct text_list algorithms; /* of fit and record */
    const char *like;            /* of record */
    struct size_list roots;
    uint64_t segment_bytes;
    uint32_t fan_out;
    bool keep_links;
    const char *target, *mpicc, *mpirun, *strategy, *chart, *level, *rules_to_check;
    const char *as, *rules, *compared;
    bool decide;
    struct size_list segments;
    uint32_t nodes;
    struct span_list spans; /* of sizes */
    uint64_t type_bytes;
    bool in_place, ordered, commutative_only, same_types_only, nonblocking;
    struct quantity insignificant; /* bytes */
    bool is_usual;      /* the network is that of the environment or of a config (usual.h) */
    bool is_usual_site; /* of a config, with its routes and adapters */
    struct arena arena; /* settings and their sources */
};

enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_CHOICE,  /* one of the words of `argument`, separated by '|' */
    OPTION_NUMBER,  /* uint32_t */
    OPTION_COUNT,   /* uint32_t, at least 1 */
    OPTION_RANKS,   /* uint32_t, 1 to SCHEDULE_MAX_RANKS */
    OPTION_LIMIT,   /* struct limit, a number from 0 */
    OPTION_FACTOR,  /* struct limit, a number from 1, such as 1.25 */
    OPTION_SIZE,    /* uint64_t bytes, with a unit */
    OPTION_SPANS,   /* struct span_list: sizes, and pairs of them with '..' between */
    OPTION_SIZES,   /* sizes and ranges of sizes, added to a struct size_list */
    OPTION_RANK_LIST, /* the same of numbers of ranks, 1 to SCHEDULE_MAX_RANKS */
    OPTION_TIME,    /* struct quantity, with a unit */
    OPTION_DURATION, /* the same of the time that a command may take */
    OPTION_RATE,    /* struct quantity, with a unit */
    OPTION_AMOUNT,  /* struct quantity, bytes with a unit */
    OPTION_LIST,    /* text, appended to a struct text_list */
    OPTION_SETTING  /* NAME=INTEGER, appended to options->settings */
};

/* The role of the file that an option names. Arguments of commands are read. */
enum option_role { ROLE_NONE, ROLE_IN, ROLE_OUT, ROLE_OLD, ROLE_SAME };

/* An option of some commands; or, of no command and with an empty name, a heading above those that follow:
 * its title is `help`. */
struct option_info {
    const char *name;
    int short_name;        /* 0: none */
    const char *argument;  /* NULL: takes none */
    enum option_kind kind;
    enum option_role role;
    size_t field;          /* offset in struct options */
    unsigned commands;     /* bit 1 << command: option of that command */
    const char *help;
};

extern const struct option_info option_table[];
extern const size_t n_options;

/* Parses the options and arguments of `options->command`; argv[0] is the name of
 * the command. False after saying on stderr what is wrong. */
bool options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);
/* Returns false after saying that a file which would be written is also read, or written twice. */
bool options_check_files(const struct options *options);

/* True if `text` is one of the words, which '|' separates. */
bool is_word_of(const char *text, const char *words);
/* True if the value of a choice, or its default (NULL), is `word`. */
bool option_is(const char *value, const char *word);

#endif
