/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Answers about a document, as objects of the protocol. They are new objects, which the caller releases;
 * none is the JSON null.
 */
#ifndef COLLC_COMPILER_LSP_ANSWERS_H
#define COLLC_COMPILER_LSP_ANSWERS_H

#include "compiler/lsp/document.h"

/* Returns the parameters of textDocument/publishDiagnostics. */
json_t *answer_diagnostics(const struct document *document);
/* Returns one of them. */
json_t *answer_diagnostic(const struct document *document, const struct diagnostic *diagnostic);
/* Describes what is at a byte of the text. */
json_t *answer_hover(const struct document *document, size_t offset);
/* Returns where the name at a byte of the text is declared; for an algorithm that is run, its file, if it has
 * one. */
json_t *answer_definition(const struct document *document, size_t offset);
/* Returns the algorithm, with the parameters, coordinates, values and definitions of the file in it. */
json_t *answer_symbols(const struct document *document);
/* Returns the places of the name at a byte: of what is declared in this file. */
json_t *answer_references(const struct document *document, size_t offset, bool with_declaration);
/* Returns the range of the name at a byte, if it can get another one. */
json_t *answer_prepare_rename(const struct document *document, size_t offset);
/* Returns the edits that give the name at a byte another one; NULL after saying in `problem` why not. */
json_t *answer_rename(const struct document *document, size_t offset, const char *name, const char **problem);
/* Returns the words and names that may stand at a byte and begin as what is there. */
json_t *answer_completion(const struct document *document, size_t offset);
/* Returns what mends the errors that touch these bytes: a receive for a message, a condition on the ranks. */
json_t *answer_actions(const struct document *document, size_t first, size_t last);
/* Returns the edit that makes the layout canonical; none while there are errors. */
json_t *answer_formatting(const struct document *document);

#endif
