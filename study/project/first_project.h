/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the first project file for a folder, of the networks and schedules that are found in it.
 */
#ifndef COLLC_STUDY_PROJECT_FIRST_PROJECT_H
#define COLLC_STUDY_PROJECT_FIRST_PROJECT_H

#include "base/text/file_list.h"

struct first_project {
    size_t n_schedules, n_networks;
    size_t n_unread; /* files that look like a network and cannot be read; the text names them */
};

/* Appends the text of a project with those of the files that are schedules or networks. A project without
 * schedules asks for the algorithms that Open MPI takes. Reads each file; their names are from the folder of
 * the project on. */
struct first_project first_project_write(const struct file_list *files, struct text *out);

#endif
