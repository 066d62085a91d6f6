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
/* Describes what is at a byte of the text. */
json_t *answer_hover(const struct document *document, size_t offset);
/* Returns where the name at a byte of the text is declared; for an algorithm that is run, its file, if it has
 * one. */
json_t *answer_definition(const struct document *document, size_t offset);
/* Returns the algorithm, with the parameters, coordinates, values and definitions of the file in it. */
json_t *answer_symbols(const struct document *document);
/* Returns the edit that makes the layout canonical; none while there are errors. */
json_t *answer_formatting(const struct document *document);

#endif
