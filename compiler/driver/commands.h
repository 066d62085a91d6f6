/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of commands, from commands.def. Which function a command is, main.c knows.
 */
#ifndef COLLC_DRIVER_COMMANDS_H
#define COLLC_DRIVER_COMMANDS_H

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
