/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of jansson's parser. See json.h. Depth is bounded by jansson.
 */
#include "base/text/json.h"

#include "base/codes.h"

#include <string.h>

json_t *json_read(const struct source *source, struct diagnostics *diagnostics)
{
    json_error_t error;
    const char *text = source_start(source);
    size_t skipped = (size_t)(text - source->text);
    if (source->length > JSON_MAX_BYTES) {
        report(diagnostics, CODE_T006, source_position(source, 0, 1), "'%s': more than %d bytes",
               source->path, JSON_MAX_BYTES)
            ->help = "this is more than a description of one machine or network needs";
        return NULL;
    }
    json_t *value = json_loadb(text, source->length - skipped, 0, &error);
    if (value)
        return value;
    size_t at = skipped + (error.position > 0 ? (size_t)error.position - 1 : 0);
    at = at < source->length ? at : source->length;
    report(diagnostics, CODE_T020, source_position(source, at, 1), "not well-formed JSON: %s",
           error.text)
        ->help = "the output was cut off or edited: take it again";
    return NULL;
}

bool json_first_key_is(const struct source *source, const char *key)
{
    const char *at = source_start(source);
    size_t length = strlen(key);
    if (*at != '{')
        return false;
    at += 1 + strspn(at + 1, " \t\r\n");
    return *at == '"' && strncmp(at + 1, key, length) == 0 && at[1 + length] == '"';
}

struct position json_key_position(const struct source *source, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = source->text; length && (at = strstr(at, key)) != NULL; at++)
        if (at > source->text && at[-1] == '"' && at[length] == '"')
            return source_position(source, (size_t)(at - source->text), length);
    return source_position(source, 0, 1);
}
