/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows of a file. See windows.h.
 */
#include "base/text/windows.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_BYTES = 1 << 18 };

bool windows_open(struct windows *windows, const char *path, size_t limit,
                  struct diagnostics *diagnostics)
{
    *windows = (struct windows){.diagnostics = diagnostics, .limit = limit, .next_line = 1};
    windows->file = source_open(path, limit, diagnostics);
    windows->failed = !windows->file;
    windows->window = arena_alloc(&diagnostics->arena, 1, sizeof *windows->window);
    *windows->window =
        (struct source){.path = arena_strndup(&diagnostics->arena, path, strlen(path))};
    return !windows->failed;
}

/* Moves what is behind the last window to the front. */
static void drop_window(struct windows *windows)
{
    struct source *window = windows->window;
    const char *at = windows->buffer, *end = at + window->length;
    if (!window->length)
        return;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        windows->next_line++;
        at++;
    }
    windows->buffer[window->length] = windows->behind;
    memmove(windows->buffer, windows->buffer + window->length, windows->held - window->length);
    windows->held -= window->length;
    window->length = 0;
}

/* Reads until the buffer has a whole line, or the file has ended; the length of all whole lines,
 * or of what there is at the end. */
static size_t fill_buffer(struct windows *windows)
{
    for (size_t searched = windows->held;; searched = windows->held) {
        windows->buffer = mem_grow(windows->buffer, &windows->capacity,
                                   windows->held + WINDOW_BYTES + 1, 1);
        size_t n = fread(windows->buffer + windows->held, 1, WINDOW_BYTES, windows->file);
        windows->held += n;
        windows->n_read += n;
        if (!n || windows->n_read > windows->limit)
            return windows->held;
        for (size_t at = windows->held; at > searched; at--)
            if (windows->buffer[at - 1] == '\n')
                return at;
    }
}

/* The text stays for the diagnostic that was reported. */
static const struct source *windows_fail(struct windows *windows)
{
    struct source *window = windows->window;
    window->text = arena_strndup(&windows->diagnostics->arena, window->text ? window->text : "",
                                 window->length);
    windows->failed = true;
    return NULL;
}

const struct source *windows_next(struct windows *windows)
{
    struct source *window = windows->window;
    drop_window(windows);
    size_t length = fill_buffer(windows);
    if (ferror(windows->file)) {
        source_report_unreadable("read", window->path, windows->diagnostics);
        return windows_fail(windows);
    }
    if (windows->n_read > windows->limit) {
        source_report_too_large(window->path, windows->limit, windows->diagnostics);
        return windows_fail(windows);
    }
    if (!length)
        return NULL;
    windows->buffer[windows->held] = '\0';
    windows->behind = windows->buffer[length];
    windows->buffer[length] = '\0';
    window->text = windows->buffer;
    window->length = length;
    window->first_line = windows->next_line;
    return source_check_utf8(window, windows->diagnostics) ? window : windows_fail(windows);
}

void windows_close(struct windows *windows)
{
    if (windows->file)
        fclose(windows->file);
    free(windows->buffer);
}
