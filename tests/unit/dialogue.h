/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The language server, spoken to as an editor does: bytes in, bytes out.
 */
#include "base/memory.h"
#include "compiler/lsp/lsp.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

struct dialogue {
    struct text said;
    json_t *heard;   /* messages of the server, in order */
    bool ended_well;
    int n_requests;
};

static inline void say_bytes(struct dialogue *dialogue, const char *bytes)
{
    text_append(&dialogue->said, bytes, strlen(bytes));
}

static inline void say_json(struct dialogue *dialogue, json_t *message)
{
    char *content = json_dumps(message, 0);
    text_printf(&dialogue->said, "Content-Length: %zu\r\n\r\n%s", strlen(content), content);
    free(content);
    json_decref(message);
}

static inline void tell(struct dialogue *dialogue, const char *method, json_t *parameters)
{
    say_json(dialogue, json_pack("{s:s, s:s, s:o*}", "jsonrpc", "2.0", "method", method, "params", parameters));
}

/* Returns the id. */
static inline int ask(struct dialogue *dialogue, const char *method, json_t *parameters)
{
    const int id = ++dialogue->n_requests;
    say_json(dialogue, json_pack("{s:s, s:i, s:s, s:o*}", "jsonrpc", "2.0", "id", id, "method", method, "params",
                                 parameters));
    return id;
}

static inline void open_text(struct dialogue *dialogue, const char *uri, const char *text, size_t length)
{
    tell(dialogue, "textDocument/didOpen",
         json_pack("{s:{s:s, s:s, s:i, s:s%}}", "textDocument", "uri", uri, "languageId", "collc", "version", 1,
                   "text", text, length));
}

static inline int ask_place(struct dialogue *dialogue, const char *method, const char *uri, int line,
                            int character)
{
    return ask(dialogue, method, json_pack("{s:{s:s}, s:{s:i, s:i}}", "textDocument", "uri", uri, "position",
                                           "line", line, "character", character));
}

static inline int ask_document(struct dialogue *dialogue, const char *method, const char *uri)
{
    return ask(dialogue, method, json_pack("{s:{s:s}}", "textDocument", "uri", uri));
}

static inline struct dialogue begin(void)
{
    struct dialogue dialogue = {.n_requests = 0};
    ask(&dialogue, "initialize", json_object());
    tell(&dialogue, "initialized", json_object());
    return dialogue;
}

/* Takes what the server wrote apart: nothing but whole messages. */
static inline json_t *messages_of(const char *bytes, size_t length)
{
    json_t *messages = json_array();
    while (length > 0) {
        size_t n_bytes = 0, n_header = 0;
        CU_ASSERT_EQUAL_FATAL(sscanf(bytes, "Content-Length: %zu\r\n\r\n", &n_bytes), 1);
        n_header = (size_t)(strstr(bytes, "\r\n\r\n") + 4 - bytes);
        CU_ASSERT_FATAL(n_header + n_bytes <= length);
        json_t *message = json_loadb(bytes + n_header, n_bytes, 0, NULL);
        CU_ASSERT_FATAL(json_is_object(message));
        CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(message, "jsonrpc")), "2.0");
        json_array_append_new(messages, message);
        bytes += n_header + n_bytes;
        length -= n_header + n_bytes;
    }
    return messages;
}

/* The server gets all of it and leaves. */
static inline void listen(struct dialogue *dialogue)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *in = fmemopen(dialogue->said.data, dialogue->said.length, "r"), *out = open_memstream(&bytes, &length);
    dialogue->ended_well = lsp_serve(in, out, "0");
    fclose(in);
    fclose(out);
    dialogue->heard = messages_of(bytes, length);
    free(bytes);
}

static inline void end(struct dialogue *dialogue)
{
    text_free(&dialogue->said);
    json_decref(dialogue->heard);
}

/* The answer to a request: there is exactly one. */
static inline json_t *answer_to(const struct dialogue *dialogue, int id)
{
    json_t *found = NULL, *message;
    size_t i;
    json_array_foreach(dialogue->heard, i, message) {
        if (json_integer_value(json_object_get(message, "id")) != id)
            continue;
        CU_ASSERT_PTR_NULL(found);
        found = message;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    return found;
}

static inline json_t *result_of(const struct dialogue *dialogue, int id)
{
    json_t *result = json_object_get(answer_to(dialogue, id), "result");
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    return result;
}

/* 0: it is no error. */
static inline int error_code(const json_t *answer)
{
    return (int)json_integer_value(json_object_get(json_object_get(answer, "error"), "code"));
}

/* The last diagnostics of a document. */
static inline json_t *diagnostics_of(const struct dialogue *dialogue, const char *uri)
{
    json_t *found = NULL, *message;
    size_t i;
    json_array_foreach(dialogue->heard, i, message) {
        json_t *parameters = json_object_get(message, "params");
        const char *of = json_string_value(json_object_get(parameters, "uri"));
        if (of && strcmp(of, uri) == 0)
            found = json_object_get(parameters, "diagnostics");
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    return found;
}

/* A place such as {"range": {"start": {"line": ...}}} as LINE:CHARACTER-LINE:CHARACTER. */
static inline void expect_range(json_t *range, const char *wanted)
{
    char found[100];
    int at[4] = {-1, -1, -1, -1};
    json_unpack(range, "{s:{s:i, s:i}, s:{s:i, s:i}}", "start", "line", &at[0], "character", &at[1], "end",
                "line", &at[2], "character", &at[3]);
    snprintf(found, sizeof found, "%d:%d-%d:%d", at[0], at[1], at[2], at[3]);
    CU_ASSERT_STRING_EQUAL(found, wanted);
    if (strcmp(found, wanted) != 0)
        printf("range %s, expected %s\n", found, wanted);
}

static inline const char *hover_text(const struct dialogue *dialogue, int id)
{
    const char *value =
        json_string_value(json_object_get(json_object_get(result_of(dialogue, id), "contents"), "value"));
    return value ? value : "";
}

static inline const char *line_of(const char *text, int line)
{
    for (; line > 0; line--)
        text = strchr(text, '\n') + 1;
    return text;
}

/* The bytes of a range in one line, in ASCII text: without another way to count. */
static inline void text_at(const char *text, json_t *range, char found[], size_t size)
{
    int line = 0, from = 0, to = 0;
    json_unpack(range, "{s:{s:i, s:i}, s:{s:i}}", "start", "line", &line, "character", &from, "end", "character",
                &to);
    snprintf(found, size, "%.*s", to - from, line_of(text, line) + from);
}

static const char uri[] = "file:///nowhere/own.coll";
