/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See draw.h.
 */
#include "emitters/drawing/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double calm_stops[3][3] = {{198, 219, 239}, {107, 174, 214}, {33, 113, 181}};
static const double alarm_stops[3][3] = {{247, 200, 95}, {226, 95, 40}, {128, 0, 38}};

void load_colour(double load, double calm, double largest, char colour[8])
{
    const double as_little = 1.005, most = fmax(4, largest / calm); /* times the calm load */
    if (!(load > 0) || !(calm > 0)) {
        strcpy(colour, "#c4c9cf");
        return;
    }
    const double ratio = load / calm;
    const bool is_calm = ratio <= as_little;
    const double(*stop)[3] = is_calm ? calm_stops : alarm_stops;
    const double at = is_calm ? 2 * fmin(ratio, 1) : 2 * fmin(log2(ratio) / log2(most), 1);
    const int from = at >= 1 ? 1 : 0;
    unsigned byte[3];
    for (int i = 0; i < 3; i++)
        byte[i] = (unsigned)(stop[from][i] + (stop[from + 1][i] - stop[from][i]) * (at - from) + 0.5);
    snprintf(colour, 8, "#%02x%02x%02x", byte[0] & 255, byte[1] & 255, byte[2] & 255);
}
