/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See uri.h.
 */
#include "base/text/uri.h"

#include "base/helper.h"

#include <string.h>

const char *uri_of_path(const char *path, struct arena *arena)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    if (path[0] != '/')
        return NULL;
    struct text uri = {0};
    text_printf(&uri, "file://");
    for (; *path; path++)
        text_printf(&uri, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
    const char *kept = arena_strndup(arena, uri.data, uri.length);
    text_free(&uri);
    return kept;
}

const char *uri_of_code(const char *id, struct arena *arena)
{
    char path[HELPER_PATH];
    return helper_find_page(arena_printf(arena, "codes/%s.md", id), path) ? uri_of_path(path, arena) : NULL;
}
