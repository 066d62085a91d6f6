/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See schema.h.
 */
#include "reports/schema.h"

#include "reports/json.h"

#include <string.h>

static void schema_put_table(struct json *json, const struct key_table *table);

static void schema_put_number(struct json *json, const struct key_kind *kind)
{
    json_put_string(json, "type", kind->number);
    json_put_unsigned(json, "minimum", kind->least);
    if (kind->most)
        json_put_unsigned(json, "maximum", kind->most);
}

static void schema_put_text(struct json *json, const struct key_kind *kind)
{
    json_put_string(json, "type", "string");
    json_put_string(json, "pattern", kind->pattern);
}

static void schema_put_words(struct json *json, const char *words)
{
    struct text word = {0};
    json_open(json, "enum", '[');
    while (words) {
        const size_t length = strcspn(words, "|");
        word.length = 0;
        text_append(&word, words, length);
        json_put_string(json, NULL, word.data);
        words = words[length] ? words + length + 1 : NULL;
    }
    json_close(json, ']');
    text_free(&word);
}

/* YAML makes numbers and truth values of some texts. */
static void schema_put_any(struct json *json)
{
    json_open(json, "type", '[');
    json_put_string(json, NULL, "string");
    json_put_string(json, NULL, "number");
    json_put_string(json, NULL, "boolean");
    json_close(json, ']');
}

/* Members of the schema of one value; of several ways to write it, each is one of `anyOf`. */
static void schema_put_kind(struct json *json, const struct key_kind *kind)
{
    const bool has[] = {kind->number, kind->pattern, kind->keys};
    const int n = has[0] + has[1] + has[2];
    if (n == 0 && kind->words)
        schema_put_words(json, kind->words);
    else if (n == 0)
        schema_put_any(json);
    if (n > 1)
        json_open(json, "anyOf", '[');
    for (int i = 0; i < 3; i++) {
        if (!has[i])
            continue;
        if (n > 1)
            json_open(json, NULL, '{');
        if (i == 0)
            schema_put_number(json, kind);
        else if (i == 1)
            schema_put_text(json, kind);
        else
            schema_put_table(json, kind->keys);
        if (n > 1)
            json_close(json, '}');
    }
    if (n > 1)
        json_close(json, ']');
}

static void schema_put_list(struct json *json, const struct key_kind *kind)
{
    json_open(json, "anyOf", '[');
    json_open(json, NULL, '{');
    schema_put_kind(json, kind);
    json_close(json, '}');
    json_open(json, NULL, '{');
    json_put_string(json, "type", "array");
    json_put_unsigned(json, "minItems", 1);
    json_open(json, "items", '{');
    schema_put_kind(json, kind);
    json_close(json, '}');
    json_close(json, '}');
    json_close(json, ']');
}

static void schema_put_table(struct json *json, const struct key_table *table)
{
    bool needs_any = false;
    json_put_string(json, "type", "object");
    json_put_bool(json, "additionalProperties", false);
    for (size_t i = 0; i < table->n; i++)
        needs_any |= table->items[i].needed != NULL;
    if (needs_any) {
        json_open(json, "required", '[');
        for (size_t i = 0; i < table->n; i++)
            if (table->items[i].needed)
                json_put_string(json, NULL, table->items[i].name);
        json_close(json, ']');
    }
    json_open(json, "properties", '{');
    for (size_t i = 0; i < table->n; i++) {
        const struct key *key = &table->items[i];
        json_open(json, key->name, '{');
        json_put_string(json, "description", key->meaning);
        if (key->is_list)
            schema_put_list(json, key->kind);
        else
            schema_put_kind(json, key->kind);
        json_close(json, '}');
    }
    json_close(json, '}');
}

void schema_write(const struct key_table *table, const char *title, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    json_put_string(&json, "$schema", "http://json-schema.org/draft-07/schema#");
    json_put_string(&json, "title", title);
    schema_put_table(&json, table);
    json_close(&json, '}');
    text_append(out, "\n", 1);
}
