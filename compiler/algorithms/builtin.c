/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up embedded files by name.
 */
#include "compiler/algorithms/builtin.h"

#include "base/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Takes `part` off the front of *text, if it is there. */
static bool builtin_skip(const char **text, const char *part)
{
    size_t length = strlen(part);
    if (strncmp(*text, part, length) != 0)
        return false;
    *text += length;
    return true;
}

const struct embedded_file *builtin_find(const char *folder, const char *name,
                                         const char *extension)
{
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *path = embedded_files[i].path;
        if (builtin_skip(&path, folder) && builtin_skip(&path, "/") && builtin_skip(&path, name) &&
            builtin_skip(&path, ".") && strcmp(path, extension) == 0)
            return &embedded_files[i];
    }
    return NULL;
}

const struct embedded_file *builtin_of_name(const char *name, enum collective_form *form)
{
    const struct embedded_file *file = builtin_find("compiler/algorithms", name, "coll");
    const char *slash = strchr(name, '/');
    *form = FORM_EQUAL;
    if (file || !slash)
        return file;
    enum collective base = collective_find_form(name, (size_t)(slash - name), form);
    if (*form == FORM_EQUAL)
        return NULL;
    char path[256];
    snprintf(path, sizeof path, "%s%s", collective_table[base].name, slash);
    return builtin_find("compiler/algorithms", path, "coll");
}

const char *builtin_algorithm(const struct embedded_file *file, const char *collective,
                              struct arena *arena)
{
    const char *path = file->path;
    if (!builtin_skip(&path, "compiler/algorithms/"))
        return NULL;
    const char *name = path;
    if (!builtin_skip(&path, collective) || !builtin_skip(&path, "/"))
        return NULL;
    const char *end = strrchr(name, '.');
    return end ? arena_strndup(arena, name, (size_t)(end - name)) : NULL;
}

const char *builtin_algorithm_of(const struct embedded_file *file, enum collective collective,
                                 enum collective_form form, struct arena *arena)
{
    const char *own = builtin_algorithm(file, collective_name(collective, form), arena);
    if (own || form == FORM_EQUAL)
        return own;
    const char *base = builtin_algorithm(file, collective_table[collective].name, arena);
    if (!base)
        return NULL;
    const char *name =
        arena_printf(arena, "%s%s", collective_name(collective, form), strchr(base, '/'));
    return builtin_find("compiler/algorithms", name, "coll") ? NULL : name;
}

/* "bcast/chain" in the arena, of whatever collective, or NULL. */
static const char *whole_name(const struct embedded_file *file, struct arena *arena)
{
    const char *path = file->path;
    if (!builtin_skip(&path, "compiler/algorithms/"))
        return NULL;
    return arena_strndup(arena, path, (size_t)(strrchr(path, '.') - path));
}

const char *builtin_namesakes(const char *name, struct arena *arena)
{
    enum { MAX_NAMED = 6 };
    const char *names = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *whole = whole_name(&embedded_files[i], arena);
        if (!whole || strcmp(strchr(whole, '/') + 1, name) != 0)
            continue;
        if (n < MAX_NAMED)
            names = arena_printf(arena, "%s%s'%s'", n ? names : "", n ? ", " : "", whole);
        n++;
    }
    return n > MAX_NAMED ? arena_printf(arena, "%s and %u more", names, n - MAX_NAMED) : names;
}

const char *builtin_names_of(enum collective collective, enum collective_form form, struct arena *arena)
{
    const char *names = NULL;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name = builtin_algorithm_of(&embedded_files[i], collective, form, arena);
        if (name)
            names = arena_printf(arena, "%s%s%s", names ? names : "", names ? ", " : "", strchr(name, '/') + 1);
    }
    return names;
}

/* Returns the distance of a name from that of an algorithm, "alltoall/ring"; each part must be a slip of its
 * own. */
static size_t builtin_distance_of(const char *name, const char *whole)
{
    const char *slash = strchr(name, '/'), *algorithm = strchr(whole, '/') + 1;
    if (!slash)
        return slip_distance(name, strlen(name), algorithm);
    char collective[64];
    snprintf(collective, sizeof collective, "%.*s", (int)(algorithm - 1 - whole), whole);
    const size_t of_collective = slip_distance(name, (size_t)(slash - name), collective);
    const size_t of_algorithm = slip_distance(slash + 1, strlen(slash + 1), algorithm);
    return of_collective == SIZE_MAX || of_algorithm == SIZE_MAX ? SIZE_MAX : of_collective + of_algorithm;
}

const char *builtin_nearest(const char *name, struct arena *arena)
{
    const char *best = NULL;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *whole = whole_name(&embedded_files[i], arena);
        if (!whole)
            continue;
        size_t d = builtin_distance_of(name, whole);
        best = d < least ? whole : best;
        least = d < least ? d : least;
    }
    return best;
}

/* True if the word is one of the words, separated by blanks. */
static bool builtin_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

int builtin_family(const char *name)
{
    static const char *const families[] = {
#define FAMILY(title, names) names,
#include "compiler/algorithms/families.def"
#undef FAMILY
    };
    for (size_t i = 0; *name && i < sizeof families / sizeof *families; i++)
        if (builtin_has_word(families[i], name))
            return (int)i;
    return -1;
}
