/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See repository.h.
 */
#include "study/project/repository.h"

#include <string.h>
#include <unistd.h>

/* Returns the length of the path of the nearest folder above that has a `.git`, which is a file in a work
 * tree; 0 if none has. */
static size_t root_length(const char *folder)
{
    for (size_t length = strlen(folder);;) {
        struct text git = {0};
        text_append(&git, folder, length);
        text_printf(&git, "/.git");
        const bool is_there = access(git.data, F_OK) == 0;
        text_free(&git);
        if (is_there)
            return length ? length : 1;
        if (!length)
            return 0;
        while (length && folder[length - 1] != '/')
            length--;
        length -= length > 0; /* the slash */
    }
}

/* Takes the next word of a path, without "." and empty ones: it begins at *at, which moves behind it. */
static size_t next_word(const char **at, const char *end)
{
    size_t length;
    do {
        *at += strspn(*at, "/");
        *at = *at < end ? *at : end;
        length = strcspn(*at, "/");
        length = length < (size_t)(end - *at) ? length : (size_t)(end - *at);
        *at += length;
    } while (length == 1 && (*at)[-1] == '.');
    return length;
}

/* Appends the way from one folder to a place, "../a/b/". */
static void way_between(const char *from, const char *from_end, const char *to, struct text *out)
{
    const char *to_end = to + strlen(to);
    for (;;) {
        const char *from_word = from, *to_word = to;
        const size_t length = next_word(&from_word, from_end);
        if (!length || next_word(&to_word, to_end) != length ||
            memcmp(from_word - length, to_word - length, length) != 0)
            break;
        from = from_word;
        to = to_word;
    }
    while (next_word(&from, from_end))
        text_printf(out, "../");
    for (size_t length; (length = next_word(&to, to_end)) > 0;)
        text_printf(out, "%.*s/", (int)length, to - length);
}

void repository_way(const char *folder, const char *start, struct text *out)
{
    const size_t root = root_length(folder);
    const char *from = root ? folder : start;
    way_between(from, from + (root ? root : strlen(start)), folder, out);
}

void repository_relative(const char *folder, const char *path, struct text *out)
{
    way_between(folder, folder + strlen(folder), path, out);
    if (out->length)
        out->data[--out->length] = '\0';
}

/* True if the last word of what was written can be taken back: there is one, and it is not "..". */
static bool ends_in_name(const struct text *out, size_t begin)
{
    const size_t n = out->length - begin;
    return n && !(n >= 3 && memcmp(out->data + out->length - 3, "../", 3) == 0 &&
                  (n == 3 || out->data[out->length - 4] == '/'));
}

void repository_path(const char *way, const char *path, struct text *out)
{
    struct text whole = {0};
    const size_t begin = out->length;
    if (*path == '/') {
        text_append(out, path, strlen(path));
        return;
    }
    text_printf(&whole, "%s%s", way, path);
    const char *at = whole.data, *end = whole.data + whole.length;
    for (size_t length; (length = next_word(&at, end)) > 0;) {
        if (length == 2 && memcmp(at - 2, "..", 2) == 0 && ends_in_name(out, begin)) {
            out->length--;
            while (out->length > begin && out->data[out->length - 1] != '/')
                out->length--;
            out->data[out->length] = '\0';
        } else {
            text_append(out, at - length, length);
            text_append(out, "/", 1);
        }
    }
    if (out->length > begin)
        out->data[--out->length] = '\0';
    text_free(&whole);
}
