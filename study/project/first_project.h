/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the first project file for a folder, of what is found in it: networks, schedules, and the rule
 * tables and job scripts that say which algorithms an MPI takes.
 */
#ifndef COLLC_STUDY_PROJECT_FIRST_PROJECT_H
#define COLLC_STUDY_PROJECT_FIRST_PROJECT_H

#include "base/text/file_list.h"

struct first_project {
    size_t n_schedules, n_networks;
    size_t n_tables; /* rule tables, and scripts with settings */
    size_t n_unread; /* files that look like a network and cannot be read; the text names them */
    size_t n_others; /* files that other commands take; the text says which */
};

/* Appends the text of a project with the files that it may name. Of a rule table it asks for the collectives
 * that the table decides and the library has on the networks; of a folder without schedules and tables for
 * those of Open MPI. Other files that collc knows are in comments. Reads each file; their names are from the
 * folder of the project on. */
struct first_project first_project_write(const struct file_list *files, struct text *out);

#endif
