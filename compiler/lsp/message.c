/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See message.h. Where a length was wrong, content is taken for header lines, and the next header may
 * stand at the end of such a line: so it is looked for there.
 */
#include "compiler/lsp/message.h"

#include "base/diagnostic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char length_name[] = "Content-Length:";

/* Bytes kept of a header line, from its end. */
enum { KEPT = 64 };
struct line {
    char text[2 * KEPT + 1];
    size_t length;
};

/* Reads a line without its end, and of a long one the end only; false at the end of the input. */
static bool message_read_line(FILE *in, struct line *line)
{
    int c;
    line->length = 0;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (line->length == 2 * KEPT) {
            memcpy(line->text, line->text + KEPT, KEPT);
            line->length = KEPT;
        }
        line->text[line->length++] = c ? (char)c : '?';
    }
    line->length -= line->length > 0 && line->text[line->length - 1] == '\r';
    line->text[line->length] = '\0';
    return c != EOF;
}

/* Returns the value of Content-Length in a line; NULL: it is another header, or none. */
static const char *length_value(const struct line *line)
{
    const size_t length = strlen(length_name);
    for (const char *at = line->text; *at; at++) {
        const bool begins = at == line->text || at[-1] == '}';
        if (begins && strncasecmp(at, length_name, length) == 0)
            return at + length;
    }
    return NULL;
}

static bool parse_length(const char *text, uint64_t *length)
{
    text += strspn(text, " \t");
    const size_t n_digits = strspn(text, "0123456789");
    const char *end = text + n_digits + strspn(text + n_digits, " \t");
    if (!n_digits || n_digits > 18 || *end)
        return false;
    *length = strtoull(text, NULL, 10);
    return true;
}

/* Reads the header up to the empty line. */
static enum message_state message_read_header(FILE *in, uint64_t *length, const char **problem)
{
    struct line line;
    bool has_length = false;
    *problem = NULL;
    while (message_read_line(in, &line)) {
        const char *value = length_value(&line);
        if (!line.length && has_length && !*problem)
            return MESSAGE_READ;
        if (!line.length) {
            *problem = *problem ? *problem : "a header without Content-Length";
            return MESSAGE_WRONG;
        }
        if (value && !parse_length(value, length))
            *problem = "Content-Length is no number of bytes";
        has_length |= value != NULL;
    }
    return MESSAGE_END;
}

static bool message_skip(FILE *in, uint64_t n)
{
    char unread[4096];
    while (n > 0 && !feof(in) && !ferror(in))
        n -= fread(unread, 1, n < sizeof unread ? (size_t)n : sizeof unread, in);
    return n == 0;
}

enum message_state message_read(FILE *in, struct text *content, const char **problem)
{
    uint64_t length = 0;
    const enum message_state state = message_read_header(in, &length, problem);
    if (state != MESSAGE_READ)
        return state;
    if (length > MESSAGE_MAX_BYTES) {
        *problem = "a message of more than 8 MiB";
        return message_skip(in, length) ? MESSAGE_WRONG : MESSAGE_END;
    }
    content->data = mem_grow(content->data, &content->capacity, (size_t)length + 1, 1);
    content->length = fread(content->data, 1, (size_t)length, in);
    content->data[content->length] = '\0';
    return content->length == length ? MESSAGE_READ : MESSAGE_END;
}

json_t *message_string(const char *words)
{
    struct text text = {0};
    text_append_safe(&text, words);
    json_t *string = json_stringn(text.data ? text.data : "", text.length);
    text_free(&text);
    return string;
}

bool message_write(FILE *out, const json_t *message)
{
    char *content = json_dumps(message, JSON_COMPACT);
    if (!content)
        return false;
    fprintf(out, "Content-Length: %zu\r\n\r\n%s", strlen(content), content);
    free(content);
    return fflush(out) == 0 && !ferror(out);
}
