/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes from an editor: first as they are, then as the text of a document behind a right beginning,
 * with questions about places in eight of its lines. What comes back is whole messages.
 */
#include "base/memory.h"
#include "compiler/lsp/lsp.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

/* Headers and contents, each a JSON object. */
static void look_at_answers(const char *bytes, size_t length)
{
    while (length > 0) {
        char *end;
        require(strncmp(bytes, "Content-Length: ", 16) == 0);
        const size_t n = strtoul(bytes + 16, &end, 10), n_header = (size_t)(end - bytes) + 4;
        require(strncmp(end, "\r\n\r\n", 4) == 0 && n_header + n <= length);
        json_t *message = json_loadb(end + 4, n, 0, NULL);
        require(json_is_object(message));
        json_decref(message);
        bytes += n_header + n;
        length -= n_header + n;
    }
}

static void serve(struct text *said)
{
    char *bytes = NULL;
    size_t length = 0;
    if (said->length == 0)
        return;
    FILE *in = fmemopen(said->data, said->length, "r"), *out = open_memstream(&bytes, &length);
    lsp_serve(in, out, "fuzz");
    fclose(in);
    fclose(out);
    look_at_answers(bytes, length);
    free(bytes);
}

static void say(struct text *said, json_t *message)
{
    char *content = json_dumps(message, 0);
    if (content)
        text_printf(said, "Content-Length: %zu\r\n\r\n%s", strlen(content), content);
    free(content);
    json_decref(message);
}

static void say_begin(struct text *said)
{
    say(said, json_pack("{s:i, s:s, s:{}}", "id", 1, "method", "initialize", "params"));
}

static void ask(struct text *said, const char *method, int line)
{
    say(said, json_pack("{s:i, s:s, s:{s:{s:s}, s:{s:i, s:i}}}", "id", 2, "method", method, "params",
                        "textDocument", "uri", "untitled:a", "position", "line", line, "character", line % 9));
}

static int lines_of(const uint8_t *data, size_t size)
{
    int n = 1;
    for (size_t i = 0; i < size; i++)
        n += data[i] == '\n';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { N_ASKED_LINES = 8 };
    const int n_lines = lines_of(data, size);
    struct text said = {0};
    say_begin(&said);
    text_append(&said, (const char *)data, size);
    serve(&said);
    said.length = 0;
    say_begin(&said);
    json_t *text = json_stringn((const char *)data, size); /* NULL: no UTF-8 */
    if (text)
        say(&said, json_pack("{s:s, s:{s:{s:s, s:o}}}", "method", "textDocument/didOpen", "params", "textDocument",
                             "uri", "untitled:a", "text", text));
    for (int line = 0; text && line < n_lines; line += 1 + n_lines / N_ASKED_LINES) {
        ask(&said, "textDocument/hover", line);
        ask(&said, "textDocument/definition", line);
        ask(&said, "textDocument/references", line);
        ask(&said, "textDocument/completion", line);
        say(&said, json_pack("{s:i, s:s, s:{s:{s:s}, s:{s:i, s:i}, s:s}}", "id", 2, "method", "textDocument/rename",
                             "params", "textDocument", "uri", "untitled:a", "position", "line", line, "character",
                             line % 9, "newName", "other"));
    }
    say(&said, json_pack("{s:i, s:s, s:{s:{s:s}, s:{s:{s:i, s:i}, s:{s:i, s:i}}}}", "id", 2, "method",
                         "textDocument/codeAction", "params", "textDocument", "uri", "untitled:a", "range", "start",
                         "line", 0, "character", 0, "end", "line", n_lines, "character", 0));
    ask(&said, "textDocument/documentSymbol", 0);
    ask(&said, "textDocument/formatting", 0);
    serve(&said);
    text_free(&said);
    return 0;
}
