/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The price of a load on a link, for searches of the least load.
 */
#ifndef COLLC_SYNTH_PRICE_H
#define COLLC_SYNTH_PRICE_H

/* Returns the eighth power: its sum over links is about least if the largest load is. */
static inline double price_of_load(double load)
{
    load *= load;
    load *= load;
    return load * load;
}

#endif
