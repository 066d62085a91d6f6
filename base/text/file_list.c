/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of files, and of folders with one file per switch or machine.
 */
#include "base/text/file_list.h"

#include "base/codes.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 1 << 17 }; /* more switches than LIDs */

static char *copy_path(const char *folder, const char *name)
{
    size_t folder_length = folder ? strlen(folder) + 1 : 0, length = strlen(name);
    char *path = mem_alloc(folder_length + length + 1, 1);
    if (folder) {
        memcpy(path, folder, folder_length - 1);
        path[folder_length - 1] = '/';
    }
    memcpy(path + folder_length, name, length);
    return path;
}

static void file_list_append(struct file_list *list, char *path)
{
    list->paths = mem_grow(list->paths, &list->capacity, list->n + 1, sizeof *list->paths);
    list->paths[list->n++] = path;
}

static bool file_list_is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool file_list_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct diagnostic *report_folder(struct diagnostics *diagnostics, const char *name,
                                        const char *problem)
{
    return report(diagnostics, CODE_I001, (struct position){0}, "'%s': %s", name, problem);
}

static bool add_folder(struct file_list *list, const char *name, struct diagnostics *diagnostics)
{
    DIR *folder = opendir(name);
    size_t before = list->n;
    if (!folder) {
        report_folder(diagnostics, name, strerror(errno));
        return false;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL && list->n < MAX_FILES;) {
        char *path = entry->d_name[0] == '.' ? NULL : copy_path(name, entry->d_name);
        if (path && file_list_is_regular(path))
            file_list_append(list, path);
        else
            free(path);
    }
    closedir(folder);
    if (list->n == before || list->n == MAX_FILES) {
        report_folder(diagnostics, name, list->n == before ? "no file in the folder"
                                                           : "too many files in the folder")
            ->help = "name a folder that holds the files of one network and nothing else";
        return false;
    }
    qsort(list->paths + before, list->n - before, sizeof *list->paths, compare_paths);
    return true;
}

bool file_list_add(struct file_list *list, const char *name, struct diagnostics *diagnostics)
{
    if (file_list_is_folder(name))
        return add_folder(list, name, diagnostics);
    file_list_append(list, copy_path(NULL, name));
    return true;
}

static bool file_list_ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), n = strlen(ending);
    return length > n && strcmp(name + length - n, ending) == 0;
}

/* Files at any depth; what cannot be opened is reported. */
static bool add_below(struct file_list *list, const char *name, const char *ending, int depth,
                      struct diagnostics *diagnostics)
{
    enum { MAX_FOLDERS_DEEP = 64 };
    DIR *folder = opendir(name);
    bool is_good = folder && depth < MAX_FOLDERS_DEEP;
    if (!is_good)
        report_folder(diagnostics, name, folder ? "folders nested too deep" : strerror(errno));
    for (struct dirent *entry; is_good && (entry = readdir(folder)) != NULL;) {
        struct stat info;
        char *path = entry->d_name[0] == '.' ? NULL : copy_path(name, entry->d_name);
        const bool is_here = path && lstat(path, &info) == 0;
        if (is_here && S_ISDIR(info.st_mode))
            is_good = add_below(list, path, ending, depth + 1, diagnostics);
        else if (is_here && file_list_ends_with(path, ending) && file_list_is_regular(path)) {
            file_list_append(list, path);
            path = NULL;
        }
        free(path);
    }
    if (folder)
        closedir(folder);
    return is_good;
}

bool file_list_add_tree(struct file_list *list, const char *name, const char *ending,
                        struct diagnostics *diagnostics)
{
    const size_t before = list->n;
    if (!file_list_is_folder(name))
        return file_list_add(list, name, diagnostics);
    if (!add_below(list, name, ending, 0, diagnostics))
        return false;
    if (list->n == before) {
        report(diagnostics, CODE_I001, (struct position){0}, "'%s': no file%s%s in the folder", name,
               *ending ? " *" : "", ending);
        return false;
    }
    qsort(list->paths + before, list->n - before, sizeof *list->paths, compare_paths);
    return true;
}

void file_list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->paths[i]);
    free(list->paths);
}
