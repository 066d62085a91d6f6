/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes one JSON value: objects and arrays nest, commas and line breaks come
 * by themselves. The outermost object has a member per line, an array in it an
 * element per line; what is deeper stays on its line.
 */
#ifndef COLLC_REPORTS_JSON_H
#define COLLC_REPORTS_JSON_H

#include "base/diagnostic.h"

struct json {
    struct text *out;
    unsigned depth;
    bool has_member; /* the innermost object or array has one: a comma is due */
};

/* `key` is NULL inside an array and for the outermost value. */
void json_open(struct json *json, const char *key, char bracket);  /* '{' or '[' */
void json_close(struct json *json, char bracket);                  /* '}' or ']' */
/* NULL is written as null. Bytes that are not UTF-8 become U+FFFD. */
void json_put_string(struct json *json, const char *key, const char *value);
void json_put_unsigned(struct json *json, const char *key, uint64_t value);
/* null if negative: the indices of a place that does not apply */
void json_put_index(struct json *json, const char *key, int64_t value);
void json_put_bool(struct json *json, const char *key, bool value);
void json_put_null(struct json *json, const char *key);
void json_put_real(struct json *json, const char *key, double value);
/* A pair [first, last]. */
void json_put_span(struct json *json, const char *key, struct step_span span);

#endif
