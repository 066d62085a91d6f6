/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a trial ran, in the words of a message. See trials.h.
 */
#include "compiler/driver/trials.h"

void trial_name(const struct trial *trial, enum collective collective, struct text *text)
{
    const struct placement *placement = trial->placement;
    text_printf(text, "%u rank%s on %u server%s", placement->n_ranks, plural(placement->n_ranks),
                placement->n_servers, plural(placement->n_servers));
    if (trial->topology) {
        text_printf(text, ", ");
        text_append_safe(text, trial->topology->name);
    }
    if (collective_table[collective].rooted)
        text_printf(text, ", root %u", trial->root);
}
