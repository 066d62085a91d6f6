/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two paths are of one file if the file system has the same number for both: links, too.
 */
#define _XOPEN_SOURCE 700 /* stat */
#include "study/forecast/own_files.h"

#include "base/text/file_list.h"
#include "compiler/language/language.h"
#include "schedules/schedules.h"
#include "tables/library/rules.h"

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

/* True if the file has the algorithm by whose name it is called, as a library wants it. */
static bool own_files_is_called_by_algorithm(const struct found_file *file)
{
    const char *path = file->own.path;
    if (!S_ISREG(file->on_disk.st_mode))
        return false; /* it may be read once only */
    const struct collc_word name = collc_algorithm_name((struct collc_word){path, strlen(path)});
    struct diagnostics ignored = {0};
    const struct source *source = source_read(path, SCHEDULE_FILE_LIMIT, &ignored.arena, &ignored);
    const bool is_read = source && !schedules_is_file(source);
    struct program *program = is_read ? program_read_as_written(source, &ignored) : NULL;
    const bool is_called = program && collc_is_word(name, program->name);
    if (program)
        program_free(program);
    diagnostics_free(&ignored);
    return is_called;
}

/* True if the first path of a file is better than the second: the user named it, else it is called by its
 * algorithm, else it is no link, else it is shorter. So the order of options does not matter. */
static bool own_files_is_better(const struct found_file *a, const struct found_file *b)
{
    const char *path = a->own.path, *other = b->own.path;
    struct stat on_disk;
    if (a->own.is_named != b->own.is_named || strcmp(path, other) == 0)
        return a->own.is_named && !b->own.is_named;
    const bool is_called = own_files_is_called_by_algorithm(a);
    if (is_called != own_files_is_called_by_algorithm(b))
        return is_called;
    const bool is_link = lstat(path, &on_disk) == 0 && S_ISLNK(on_disk.st_mode);
    if (is_link != (lstat(other, &on_disk) == 0 && S_ISLNK(on_disk.st_mode)))
        return !is_link;
    const size_t length = strlen(path), its = strlen(other);
    return length != its ? length < its : strcmp(path, other) < 0;
}

/* Keeps each file once, in its first turn, by its best path. Returns their number. */
static size_t own_files_join(struct found_file *files, size_t n)
{
    size_t n_kept = 0;
    qsort(files, n, sizeof *files, own_files_compare);
    for (size_t i = 0; i < n; i++)
        if (!n_kept || !found_are_one(&files[n_kept - 1], &files[i]))
            files[n_kept++] = files[i];
        else if (own_files_is_better(&files[i], &files[n_kept - 1]))
            files[n_kept - 1].own = files[i].own;
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
