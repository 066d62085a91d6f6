/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of commands, from commands.def. Which function a command is, main.c knows.
 */
#ifndef COLLC_DRIVER_COMMANDS_H
#define COLLC_DRIVER_COMMANDS_H

#include <stddef.h>
#include <stdint.h>

enum command {
#define COMMAND(name, arguments, least, most, groups, summary, description) COMMAND_##name,
#include "compiler/driver/commands.def"
    N_COMMANDS
};

/* Groups of commands that have the same options; a group has those of the group in it, too. */
enum command_group {
    GROUP_NONE = 0,
    GROUP_PLACED = 1,                         /* lay ranks on a network */
    GROUP_LOCATED = 2 | GROUP_PLACED,         /* and look at its links */
    GROUP_SCHEDULES = 4 | GROUP_LOCATED,      /* and expand algorithms */
    GROUP_SIZED = 8 | GROUP_SCHEDULES,        /* and that for one size, which may choose the algorithm */
    GROUP_PREDICTIONS = 16 | GROUP_SCHEDULES, /* or for many sizes */
    GROUP_MAPPED = 32                         /* renumber ranks by a map */
};

enum { MAX_ARGUMENTS = 1000 }; /* no command takes more */

struct command_info {
    const char *name, *arguments;
    uint32_t least, most;  /* number of arguments */
    const char *summary, *description;
};
extern const struct command_info command_table[N_COMMANDS];

/* The commands in the order of the help, with the sections between them. */
struct command_row {
    const char *section;  /* its title; NULL: a command */
    enum command command; /* N_COMMANDS: a section */
};
extern const struct command_row command_rows[];
extern const size_t n_command_rows;

/* An example of a command. */
struct command_example {
    enum command command;
    const char *arguments, *answers; /* what stands behind the name of the command, and what it shows */
};
extern const struct command_example command_examples[];
extern const size_t n_command_examples;

/* Returns the command of that name, or N_COMMANDS. */
enum command command_find(const char *name);
/* Returns the command nearest to a name that is none, or NULL. */
const char *command_nearest(const char *name);

/* Runs a command, one function for each; returns the exit status. */
struct options;
#define COMMAND(name, arguments, least, most, groups, summary, description) \
    int command_##name(const struct options *options);
#include "compiler/driver/commands.def"

#endif
