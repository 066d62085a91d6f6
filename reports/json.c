/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See json.h. RFC 8259.
 */
#include "reports/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void append_quoted(struct text *out, const char *value)
{
    text_append(out, "\"", 1);
    while (*value) {
        unsigned char byte = (unsigned char)*value;
        size_t length = utf8_length(value, UTF8_LONGEST);
        if (length == 0)
            text_append(out, "\xef\xbf\xbd", 3);
        else if (byte == '"' || byte == '\\')
            text_printf(out, "\\%c", byte);
        else if (byte == '\n')
            text_append(out, "\\n", 2);
        else if (byte < 0x20 || byte == 0x7f)
            text_printf(out, "\\u%04x", byte);
        else
            text_append(out, value, length);
        value += length ? length : 1;
    }
    text_append(out, "\"", 1);
}

static void begin_member(struct json *json, const char *key)
{
    if (json->has_member)
        text_append(json->out, ",", 1);
    if (json->depth == 1 || (json->depth == 2 && !key))
        text_printf(json->out, "\n%*s", 2 * (int)json->depth, "");
    else if (json->has_member)
        text_append(json->out, " ", 1);
    if (key) {
        append_quoted(json->out, key);
        text_append(json->out, ": ", 2);
    }
    json->has_member = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_member(json, key);
    text_append(json->out, &bracket, 1);
    json->depth++;
    json->has_member = false;
}

void json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->has_member && (json->depth == 0 || (json->depth == 1 && bracket == ']')))
        text_printf(json->out, "\n%*s", 2 * (int)json->depth, "");
    text_append(json->out, &bracket, 1);
    if (json->depth == 0)
        text_append(json->out, "\n", 1);
    json->has_member = true;
}

void json_put_string(struct json *json, const char *key, const char *value)
{
    begin_member(json, key);
    if (value)
        append_quoted(json->out, value);
    else
        text_append(json->out, "null", 4);
}

void json_put_unsigned(struct json *json, const char *key, uint64_t value)
{
    begin_member(json, key);
    text_printf(json->out, "%" PRIu64, value);
}

void json_put_index(struct json *json, const char *key, int64_t value)
{
    if (value < 0)
        json_put_null(json, key);
    else
        json_put_unsigned(json, key, (uint64_t)value);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
    begin_member(json, key);
    text_printf(json->out, "%s", value ? "true" : "false");
}

void json_put_null(struct json *json, const char *key)
{
    json_put_string(json, key, NULL);
}

void json_put_real(struct json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        json_put_null(json, key);
        return;
    }
    begin_member(json, key);
    text_printf(json->out, "%.12g", value);
}

void json_put_span(struct json *json, const char *key, struct step_span span)
{
    json_open(json, key, '[');
    json_put_unsigned(json, NULL, span.first);
    json_put_unsigned(json, NULL, span.last);
    json_close(json, ']');
}
