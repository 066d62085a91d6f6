/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A server of the Language Server Protocol 3.17 for .coll files (docs/editors.md). An editor sends what
 * is open in it, and gets diagnostics, hovers, definitions, references, completion, symbols, the canonical
 * layout, other names, and what mends an error.
 *
 *   message.c     bytes <-> messages
 *   lsp.c         messages -> answers: which methods there are
 *   document.c    an open file: its text and what the front end makes of it; places in it
 *   answers.c     what is said of a document
 *   names.c       its names: where they stand, others for them, what may stand at a place
 *   actions.c     what would mend it
 */
#ifndef COLLC_COMPILER_LSP_LSP_H
#define COLLC_COMPILER_LSP_LSP_H

#include <stdbool.h>
#include <stdio.h>

/* Serves until the client says `exit` or the input ends. True if it ended as the protocol has it:
 * `exit` after `shutdown`. Ends the process where `out` cannot be written. */
bool lsp_serve(FILE *in, FILE *out, const char *version);

#endif
