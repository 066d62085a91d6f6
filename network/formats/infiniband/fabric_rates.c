/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up the rates of InfiniBand cables in the spelling of the tools: "4x" and "EDR".
 */
#include "network/formats/infiniband/fabric.h"

#include <string.h>

/* Bytes per second of one lane after coding: 8b/10b from SDR to QDR, 64b/66b from FDR on. */
static const struct lane_rate {
    const char *name;
    uint64_t bandwidth;
} lane_rates[] = {
    {"SDR", 250000000},  {"DDR", 500000000},  {"QDR", 1000000000},  {"FDR10", 1250000000},
    {"FDR", 1705000000}, {"EDR", 3125000000}, {"HDR", 6250000000}, {"NDR", 12500000000},
    {"XDR", 25000000000}};

uint64_t fabric_lane_bandwidth(struct slice name)
{
    for (size_t i = 0; i < sizeof lane_rates / sizeof *lane_rates; i++)
        if (slice_is(name, lane_rates[i].name))
            return lane_rates[i].bandwidth;
    return 0;
}

struct slice fabric_speed_name(struct slice speed)
{
    static const char *const speeds[][2] = {
        {"2.5", "SDR"}, {"5", "DDR"},  {"10", "QDR"},  {"14", "FDR"},     {"25", "EDR"},
        {"50", "HDR"},  {"100", "NDR"}, {"200", "XDR"}, {"FDR10", "FDR10"}};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (slice_is(speed, speeds[i][0]))
            return slice_of(speeds[i][1]);
    return slice_of("");
}

uint64_t fabric_lanes(struct slice name)
{
    static const struct { const char *name; uint64_t lanes; } widths[] = {
        {"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"12x", 12}};
    char small[4] = "";
    if (name.length && name.length < sizeof small)
        memcpy(small, name.text, name.length);
    if (name.length && name.text[name.length - 1] == 'X') /* as some tools print it */
        small[(name.length - 1) % sizeof small] = 'x';
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(small, widths[i].name) == 0)
            return widths[i].lanes;
    return 0;
}
