/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A document: a .coll file as it stands in the editor, saved or not. Its name is a URI; its places are
 * lines from 0 and, in a line, characters as UTF-16 counts them.
 */
#ifndef COLLC_COMPILER_LSP_DOCUMENT_H
#define COLLC_COMPILER_LSP_DOCUMENT_H

#include "compiler/language/survey.h"

#include <jansson.h>

/* Offsets at which lines begin. */
struct line_starts {
    size_t *offset;
    size_t n, capacity;
};

struct document {
    char *uri;
    json_int_t version;             /* version, as the editor counts */
    const struct source *source;
    struct diagnostics diagnostics; /* errors; without errors, the findings of a linter in the text, and of
                                       the verifier with few ranks */
    struct program *program;        /* NULL: there are errors */
    struct survey survey;           /* its program is NULL if the text is none */
    struct arena arena;             /* of the text */
    struct line_starts lines;       /* lines of the protocol, which end in LF, CR LF or CR */
    struct line_starts own_lines;   /* lines of the language, which do not end in CR alone */
    struct document *next;
};

/* Sets a new text, reads and judges all of it. The path is that of the URI: algorithms that it runs may be
 * files beside it. */
void document_set(struct document *document, const char *text, size_t length);
/* Judges it again, as a file beside it may have changed. */
void document_renew(struct document *document);
/* Makes a document without a text: document_set is to be called first. */
struct document *document_new(const char *uri);
void document_free(struct document *document);

/* Returns the text of a place on its line, as {"start", "end"}; the first place if it has no line. */
json_t *document_range(const struct document *document, struct position position);
/* Returns the range of some bytes. */
json_t *document_bytes(const struct document *document, size_t start, size_t end);
/* Returns the text from a place of the source on; NULL: it has no line, or none that is there. */
const char *document_text_at(const struct document *document, struct position position);
/* Returns the name at a byte of the text, or NULL. */
const struct mention *document_mention(const struct document *document, size_t offset);
/* True of what names and words are made of. */
static inline bool document_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/* Returns the range of all of it. */
json_t *document_whole(const struct document *document);
/* Returns the byte of a line and character; beyond the end of a line that end, beyond the last line the end
 * of the text. */
size_t document_offset(const struct document *document, json_int_t line, json_int_t character);

#endif
