/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that a name on the command line stands for.
 */
#ifndef COLLC_BASE_TEXT_FILE_LIST_H
#define COLLC_BASE_TEXT_FILE_LIST_H

#include "base/diagnostic.h"

/* Files that a name stands for: itself, or all files of a folder, by name. Reports I001. */
struct file_list {
    char **paths; /* on the heap, each of them too */
    size_t n, capacity;
};
bool file_list_add(struct file_list *list, const char *name, struct diagnostics *diagnostics);
/* Adds the same; of a folder, all files in it and in its folders whose names have this ending, such as
 * ".coll". Does not follow links to folders. Reports a folder without such a file, too. */
bool file_list_add_tree(struct file_list *list, const char *name, const char *ending,
                        struct diagnostics *diagnostics);
/* True if the name is that of a folder. */
bool file_list_is_folder(const char *name);
void file_list_free(struct file_list *list);

#endif
