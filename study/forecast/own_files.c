/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two paths are of one file if the file system has the same number for both: links, too.
 */
#define _XOPEN_SOURCE 700 /* stat */
#include "study/forecast/own_files.h"

#include "base/text/file_list.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct found_file {
    struct own_file own;
    struct stat on_disk; /* all 0: there is no such file, as the reader is going to say */
    size_t turn;
};

static bool found_are_one(const struct found_file *a, const struct found_file *b)
{
    return a->on_disk.st_ino && a->on_disk.st_ino == b->on_disk.st_ino &&
           a->on_disk.st_dev == b->on_disk.st_dev;
}

static int own_files_compare_turns(const void *a, const void *b)
{
    const struct found_file *x = a, *y = b;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

static int own_files_compare(const void *a, const void *b)
{
    const struct found_file *x = a, *y = b;
    if (x->on_disk.st_dev != y->on_disk.st_dev)
        return x->on_disk.st_dev < y->on_disk.st_dev ? -1 : 1;
    if (x->on_disk.st_ino != y->on_disk.st_ino)
        return x->on_disk.st_ino < y->on_disk.st_ino ? -1 : 1;
    return own_files_compare_turns(a, b);
}

/* Keeps each file once, in its first turn. Returns their number. */
static size_t own_files_join(struct found_file *files, size_t n)
{
    size_t n_kept = 0;
    qsort(files, n, sizeof *files, own_files_compare);
    for (size_t i = 0; i < n; i++)
        if (n_kept && found_are_one(&files[n_kept - 1], &files[i]))
            files[n_kept - 1].own.is_named |= files[i].own.is_named;
        else
            files[n_kept++] = files[i];
    qsort(files, n_kept, sizeof *files, own_files_compare_turns);
    return n_kept;
}

bool own_files_find(const char *const *names, size_t n, struct own_files *files, struct arena *arena,
                    struct diagnostics *diagnostics)
{
    struct file_list list = {0};
    struct found_file *found = NULL;
    size_t capacity = 0, n_found = 0;
    bool is_done = true;
    for (size_t i = 0; i < n && is_done; i++) {
        const bool is_named = !file_list_is_folder(names[i]);
        is_done = file_list_add_tree(&list, names[i], ".coll", diagnostics);
        found = mem_grow(found, &capacity, list.n + 1, sizeof *found);
        for (; n_found < list.n; n_found++) {
            struct found_file *file = &found[n_found];
            const char *path = arena_strndup(arena, list.paths[n_found], strlen(list.paths[n_found]));
            *file = (struct found_file){.own = {path, is_named}, .turn = n_found};
            if (stat(path, &file->on_disk) != 0)
                file->on_disk = (struct stat){0};
        }
    }
    n_found = n_found ? own_files_join(found, n_found) : 0;
    struct own_file *items = arena_alloc(arena, n_found + 1, sizeof *items);
    for (size_t i = 0; i < n_found; i++)
        items[i] = found[i].own;
    *files = (struct own_files){items, n_found};
    free(found);
    file_list_free(&list);
    return is_done;
}
