/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The distance of Damerau 1964 ("A technique for computer detection and correction of
 * spelling errors") without second edits of a swapped pair, by three rows. See suggest.h.
 */
#include "base/suggest.h"

#include <dirent.h>
#include <stdint.h>
#include <string.h>

enum { MAX_COMPARED = 64 };

struct rows {
    size_t before[MAX_COMPARED + 1], last[MAX_COMPARED + 1], here[MAX_COMPARED + 1];
};

static size_t suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The row of a[i - 1] from the two before it. */
static void fill_row(struct rows *rows, const char *a, size_t i, const char *b, size_t n_b)
{
    rows->here[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
        rows->here[j] = suggest_least(rows->last[j], rows->here[j - 1]) + 1;
        rows->here[j] =
            suggest_least(rows->here[j], rows->last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
        if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
            lower(a[i - 2]) == lower(b[j - 1]))
            rows->here[j] = suggest_least(rows->here[j], rows->before[j - 2] + 1);
    }
}

static size_t suggest_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    struct rows rows;
    for (size_t j = 0; j <= n_b; j++)
        rows.last[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        fill_row(&rows, a, i, b, n_b);
        memcpy(rows.before, rows.last, sizeof rows.before);
        memcpy(rows.last, rows.here, sizeof rows.last);
    }
    return rows.last[n_b];
}

size_t slip_distance(const char *text, size_t length, const char *candidate)
{
    size_t n = strlen(candidate);
    size_t longest = length > n ? length : n, d = 2 * longest - length - n; /* no distance is less */
    if (longest > MAX_COMPARED || length == 0 || d * 3 > longest)
        return SIZE_MAX;
    d = suggest_distance(text, length, candidate, n);
    return d * 3 <= longest ? d : SIZE_MAX;
}

static bool suggest_parts(char c)
{
    return c == '_' || c == '-';
}

/* Returns the number of words of the candidate, parted by '_' and '-', that the text lacks, which has all
 * others in their order; SIZE_MAX: it is not so, or the text is one word, or it lacks none. */
static size_t words_lacking(const char *text, size_t length, const char *candidate)
{
    size_t at = 0, n_words = 0, n_lacking = 0;
    while (*candidate && suggest_parts(*candidate) && at < length && text[at] == *candidate)
        candidate++, at++; /* the hyphens of an option */
    for (size_t n; *candidate; candidate += n + (candidate[n] != '\0')) {
        for (n = 0; candidate[n] && !suggest_parts(candidate[n]); n++)
            ;
        const bool has_word = at + n <= length && memcmp(text + at, candidate, n) == 0 &&
                              (at + n == length || suggest_parts(text[at + n]));
        at += has_word ? n + (at + n < length) : 0;
        n_words += has_word;
        n_lacking += !has_word;
    }
    return at == length && n_words > 1 && n_lacking ? n_lacking : SIZE_MAX;
}

const char *nearest(const char *text, size_t length, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const size_t lacking = candidates[i] ? words_lacking(text, length, candidates[i]) : SIZE_MAX;
        size_t d = candidates[i] ? slip_distance(text, length, candidates[i]) : SIZE_MAX;
        d = lacking < d ? lacking : d;
        if (d < best_distance) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

/* Returns the distance of two file names; with the same ending that of what stands before it. */
static size_t distance_of_files(const char *name, const char *candidate)
{
    const char *dot = strrchr(name, '.'), *other = strrchr(candidate, '.');
    if (!dot || !other || dot == name || other == candidate || strcmp(dot, other) != 0)
        return slip_distance(name, strlen(name), candidate);
    struct text stem = {0};
    text_append(&stem, candidate, (size_t)(other - candidate));
    const size_t d = slip_distance(name, (size_t)(dot - name), stem.data);
    text_free(&stem);
    return d;
}

/* Returns the nearest name in the folder; of two as near the first by name, so that the order of the folder
 * does not matter. */
const char *nearest_file(const char *path, struct arena *arena)
{
    enum { MAX_FILES = 4096 };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *best = NULL;
    const char *folder = slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1) : "";
    DIR *files = opendir(slash ? folder : ".");
    size_t n = 0, least_distance = SIZE_MAX;
    for (const struct dirent *file; files && (file = readdir(files)) && n <= MAX_FILES; n++) {
        const size_t d = *file->d_name == '.' ? SIZE_MAX : distance_of_files(name, file->d_name);
        if (d < least_distance || (best && d == least_distance && strcmp(file->d_name, best) < 0)) {
            best = arena_strndup(arena, file->d_name, strlen(file->d_name));
            least_distance = d;
        }
    }
    if (files)
        closedir(files);
    return best && n <= MAX_FILES ? arena_printf(arena, "%s%s", folder, best) : NULL;
}

const char *did_you_mean(struct arena *arena, const char *near, const char *otherwise)
{
    return near ? arena_printf(arena, "did you mean '%s'?", near) : otherwise;
}
