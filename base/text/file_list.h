/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that a name on the command line stands for.
 */
#ifndef COLLC_BASE_TEXT_FILE_LIST_H
#define COLLC_BASE_TEXT_FILE_LIST_H

#include "base/diagnostic.h"

/* The files a name stands for: itself, or all files of a folder, by name. Reports I001. */
struct file_list {
    char **paths; /* on the heap, each of them too */
    size_t n, capacity;
};
bool file_list_add(struct file_list *list, const char *name, struct diagnostics *diagnostics);
/* The same, of a folder all files in it and in the folders in it whose names end so, such as ".coll".
 * Links to folders are not followed. A folder without such a file is reported, too. */
bool file_list_add_tree(struct file_list *list, const char *name, const char *ending,
                        struct diagnostics *diagnostics);
void file_list_free(struct file_list *list);

#endif
