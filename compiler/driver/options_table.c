/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of options, from options.def, and the words of those that are choices, from the tables of
 * whoever knows them.
 */
#include "compiler/driver/options.h"

#define ON(name) (1u << COMMAND_##name)

/* The commands of each group, by commands.def. */
#define MEMBER(name, groups, group) | (((groups) & GROUP_##group) == GROUP_##group ? ON(name) : 0)
enum {
    PLACED = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, PLACED)
#include "compiler/driver/commands.def"
    , LOCATED = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, LOCATED)
#include "compiler/driver/commands.def"
    , SCHEDULES = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, SCHEDULES)
#include "compiler/driver/commands.def"
    , SIZED = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, SIZED)
#include "compiler/driver/commands.def"
    , PREDICTIONS = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, PREDICTIONS)
#include "compiler/driver/commands.def"
    , MAPPED = 0
#define COMMAND(name, arguments, least, most, groups, summary, description) MEMBER(name, groups, MAPPED)
#include "compiler/driver/commands.def"
};

/* The commands that take an algorithm, and so one that an MPI takes. */
#define TAKING (SCHEDULES & ~ON(best))
#define EVERY ((1u << N_COMMANDS) - 1)
/* Commands that route messages of ranks, which may use adapters of their own. */
#define RAILED (ON(verify) | ON(report) | ON(compile) | ON(draw) | ON(simulate) | ON(why) | PREDICTIONS)

/* "|xml|...": without the first character, the choices of `topo --to`. */
/* "|parse|inline ..." */
static const char pass_names[] =
#define PASS(name, help) "|" #name
#include "compiler/passes/passes.def"
    ;
static const char topology_targets[] =
#define WRITES(name, spelling, title) "|" spelling
#include "network/formats/formats.def"
    ;

/* The same of emitters/targets.def, with a help that says what each is. */
static const char emit_targets[] =
#define EMIT(name, takes, options, function, title) "|" name
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
#define LISTED "(default: the first)"
static const char emit_titles[] = "what to write " LISTED
#define EMIT(name, takes, options, function, title) "; " name ": " title
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
static const char drawings[] =
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title) "|" name
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
static const char drawing_titles[] = "what to draw " LISTED
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title) "; " name ": " title
#define PICTURE(name, title)
#include "emitters/targets.def"
    ;
/* The same of synth/methods.def. */
static const char synth_methods[] =
#define SYNTH_METHOD(name, title) "|" #name
#include "synth/methods.def"
    ;
static const char synth_titles[] = "how (default: the best of those that serve)"
#define SYNTH_METHOD(name, title) "; " #name ": " title
#include "synth/methods.def"
    ;
static const char pictures[] =
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title) "|" name
#include "emitters/targets.def"
    ;
static const char picture_titles[] = "what to write " LISTED
#define EMIT(name, takes, options, function, title)
#define DRAWING(name, takes, options, function, title)
#define PICTURE(name, title) "; " name ": " title
#include "emitters/targets.def"
    ;

/* reports/formats.def: for check all of it, for verify and lint reports of its own and lists of findings. */
static const char finding_formats[] =
#define REPORT(name, title) "|" #name
#define FINDINGS(name, title) "|" #name
#include "reports/formats.def"
    ;
static const char check_format_titles[] = "form " LISTED
#define REPORT(name, title) "; " #name ": " title
#define FINDINGS(name, title) "; " #name ": " title
#include "reports/formats.def"
    ;
static const char verify_format_titles[] =
    "form of the report (default text), or of the findings of all reports, as 'collc check' writes them"
#define FINDINGS(name, title) "; " #name ": " title
#include "reports/formats.def"
    ;

/* simulate/models.def and words.def: words, and what they mean. */
static const char simulation_names[] =
#define SUM(name, title) "|" #name
#define MODEL(name, title) "|" #name
#include "simulate/models.def"
    ;
static const char simulation_titles[] = "how times are found (default asap)"
#define SUM(name, title) "; " #name ": " title
#define MODEL(name, title) "; " #name ": " title
#include "simulate/models.def"
    ;
static const char sync_names[] =
#define SYNCHRONISATION(name, spelling, title) "|" spelling
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
    ;
static const char sync_titles[] = "when a rank goes on to its next step " LISTED
#define SYNCHRONISATION(name, spelling, title) "; " spelling ": " title
#define SEND_ORDER(name, spelling, title)
#include "simulate/words.def"
    ;
static const char order_names[] =
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) "|" spelling
#include "simulate/words.def"
    ;
static const char order_titles[] = "whose messages leave a machine first, of ranks that send at once " LISTED
#define SYNCHRONISATION(name, spelling, title)
#define SEND_ORDER(name, spelling, title) "; " spelling ": " title
#include "simulate/words.def"
    ;
/* "|ompi-4.1|..." */
static const char table_targets[] =
#define TARGET(name, spelling, title) "|" spelling
#include "tables/loaders.def"
    ;
/* The tables that best writes, behind its other forms. */
static const char best_forms[] = "csv|svg|html|library"
#define TARGET(name, spelling, title)
#define WRITTEN_TARGET(name, spelling, title) "|" spelling
#include "tables/loaders.def"
    ;
static const char best_titles[] =
    "write something else instead of a report; csv: a table; svg: a chart of time against size; html: a page; library: rules for a "
    "library of algorithms; the others: rules for this MPI, by --target of 'collc pick' which file";
static const char table_titles[] = "whose rule table it is"
#define TARGET(name, spelling, title) "; " spelling ": " title
#include "tables/loaders.def"
    ;

/* Kinds that name a file are parsed as text, or as a list of texts. */
#define OPTION_IN_FILE OPTION_TEXT
#define OPTION_IN_FILES OPTION_LIST
#define OPTION_OUT_FILE OPTION_TEXT
#define OPTION_OLD_FILE OPTION_TEXT
#define OPTION_SAME_FILE OPTION_TEXT
enum {
    ROLE_IN_FILE = ROLE_IN, ROLE_IN_FILES = ROLE_IN, ROLE_OUT_FILE = ROLE_OUT, ROLE_OLD_FILE = ROLE_OLD,
    ROLE_SAME_FILE = ROLE_SAME,
    /* of all others */
    ROLE_FLAG = ROLE_NONE, ROLE_TEXT = ROLE_NONE, ROLE_CHOICE = ROLE_NONE, ROLE_NUMBER = ROLE_NONE,
    ROLE_COUNT = ROLE_NONE, ROLE_RANKS = ROLE_NONE, ROLE_LIMIT = ROLE_NONE, ROLE_FACTOR = ROLE_NONE,
    ROLE_SIZE = ROLE_NONE, ROLE_SPANS = ROLE_NONE, ROLE_SIZES = ROLE_NONE, ROLE_RANK_LIST = ROLE_NONE,
    ROLE_TIME = ROLE_NONE, ROLE_DURATION = ROLE_NONE, ROLE_RATE = ROLE_NONE, ROLE_AMOUNT = ROLE_NONE,
    ROLE_LIST = ROLE_NONE, ROLE_SETTING = ROLE_NONE
};

const struct option_info option_table[] = {
#define HEADING(title) {.name = "", .help = title},
#define OPTION(name, letter, argument, kind, field, commands, help) \
    {name,     letter, argument, OPTION_##kind, (enum option_role)ROLE_##kind, \
     offsetof(struct options, field), commands, help},
#include "compiler/driver/options.def"
};
const size_t n_options = sizeof option_table / sizeof *option_table;
