/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a load on a link costs those who look for the least one.
 */
#ifndef COLLC_SYNTH_PRICE_H
#define COLLC_SYNTH_PRICE_H

/* The eighth power: the sum over links is least about where the largest load is. */
static inline double price_of_load(double load)
{
    load *= load;
    load *= load;
    return load * load;
}

#endif
