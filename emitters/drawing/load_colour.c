/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See draw.h.
 */
#include "emitters/drawing/draw.h"

#include <stdio.h>
#include <string.h>

void load_colour(uint64_t load, uint64_t max, char colour[8])
{
    static const double stop[3][3] = {{247, 200, 95}, {226, 95, 40}, {128, 0, 38}};
    if (load == 0 || max == 0) {
        strcpy(colour, "#c4c9cf");
        return;
    }
    double at = max == 1 ? 1 : 2 * (double)(load - 1) / (double)(max - 1);
    int from = at >= 1 ? 1 : 0;
    unsigned byte[3];
    for (int i = 0; i < 3; i++)
        byte[i] = (unsigned)(stop[from][i] + (stop[from + 1][i] - stop[from][i]) * (at - from) + 0.5);
    snprintf(colour, 8, "#%02x%02x%02x", byte[0] & 255, byte[1] & 255, byte[2] & 255);
}
