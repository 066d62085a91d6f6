/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc lsp: an editor is at the other end of standard input and output.
 */
#include "compiler/lsp/lsp.h"
#include "compiler/driver/messages.h"
#include "compiler/driver/version.h"

int command_lsp(const struct options *options)
{
    (void)options;
    return lsp_serve(stdin, stdout, COLLC_VERSION) ? STATUS_CLEAN : STATUS_FINDINGS;
}
