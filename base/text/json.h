/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the readers of JSON share. jansson parses; it keeps no positions, so places of values are
 * found in the text again by their keys.
 */
#ifndef COLLC_BASE_TEXT_JSON_H
#define COLLC_BASE_TEXT_JSON_H

#include "base/text/slice.h"

#include <jansson.h>

/* jansson makes up to 150 bytes of each byte of text. */
enum { JSON_MAX_BYTES = 8 << 20 };

/* Returns the value that the text is, an object or array; NULL after reporting T006 or T020. Release with
 * json_decref. */
json_t *json_read(const struct source *source, struct diagnostics *diagnostics);
/* Returns the string behind the key, which the object keeps; "" if there is none. */
static inline const char *json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
/* True if the text is an object whose first key is that. */
bool json_first_key_is(const struct source *source, const char *key);
/* Returns the position of the key's first occurrence; the start of the text if there is none. */
struct position json_key_position(const struct source *source, const char *key);

#endif
