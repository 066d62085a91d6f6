/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the rates in the line of a port of an ibsim network: w= s= e=, the masks of supported rates, and
 * the rate that ibnetdiscover saw, which overrides them.
 */
#include "network/formats/ibsim/ibsim.h"

#include "base/codes.h"

bool ibsim_take_number(struct lines *lines, uint64_t *number)
{
    uint32_t value;
    lines_skip_blanks(lines);
    if (lines_take_hexadecimal(lines, number))
        return true;
    if (!lines_take_decimal(lines, &value))
        return false;
    *number = value;
    return true;
}

/* Reads w=2, s=7, e=3, or v=4, which ibnetdiscover adds. */
static bool ibsim_rate_read_option(struct lines *lines, struct slice word, struct ibsim_rate *rate)
{
    struct slice number = {word.text + 2, word.length - 2};
    static const struct { char letter; uint32_t least, most; } options[] = {
        {'w', 1, 31}, {'s', 0, 7}, {'e', 0, 15}, {'v', 0, 255}};
    uint32_t value, i = 0;
    while (i < 4 && (options[i].letter != word.text[0] || word.text[1] != '='))
        i++;
    if (i == 4) {
        lines_fail(lines, CODE_T018, word.text, word.length, "unknown option '%.*s'",
                   (int)word.length, word.text)
            ->help = "a port has the options w= (width), s= (speed) and e= (extended speed)";
        return false;
    }
    if (parse_count(number, &value) != VALUE_OK || value < options[i].least ||
        value > options[i].most) {
        lines_fail(lines, CODE_T006, word.text, word.length, "'%.*s' is not from %u to %u",
                   (int)word.length, word.text, options[i].least, options[i].most);
        return false;
    }
    if (i == 0)
        rate->widths = (uint8_t)value;
    else if (i == 1)
        rate->speeds = (uint8_t)(value ? value : 4);
    else if (i == 2)
        rate->extended = (uint8_t)value;
    return true;
}

/* Reads all words with '=' that are not in quotes. */
static bool ibsim_rate_read_options(struct lines *lines, struct ibsim_rate *rate)
{
    bool is_quoted = false, good = true;
    const char *word = lines->at;
    for (const char *at = lines->at; at <= lines->end && good; at++) {
        if (at < lines->end && *at == '"')
            is_quoted = !is_quoted;
        if (at < lines->end && *at != ' ' && *at != '\t' && *at != '"' && *at != '#')
            continue;
        struct slice slice = {word, (size_t)(at - word)};
        if (!is_quoted && slice.length > 1 && memchr(slice.text, '=', slice.length))
            good = ibsim_rate_read_option(lines, slice, rate);
        word = at + 1;
    }
    return good;
}

/* Adds the rates that a port showing this rate supports. */
static bool enable(struct slice width, struct slice speed, struct ibsim_rate *rate)
{
    static const struct { uint64_t lanes; uint8_t bits; } widths[] = {
        {1, 1}, {2, 16}, {4, 3}, {8, 4}, {12, 11}};
    static const struct { const char *name; struct ibsim_rate rate; } speeds[] = {
        {"SDR", {0, 1, 0, false}},  {"DDR", {0, 3, 0, false}},  {"QDR", {0, 7, 0, false}},
        {"FDR10", {0, 7, 0, true}}, {"FDR", {0, 7, 1, true}},   {"EDR", {0, 7, 3, true}},
        {"HDR", {0, 7, 7, true}},   {"NDR", {0, 7, 15, true}},  {"XDR", {0, 7, 31, true}}};
    uint32_t i = 0, j = 0;
    while (i < 5 && widths[i].lanes != fabric_lanes(width))
        i++;
    while (j < 9 && (strlen(speeds[j].name) != speed.length ||
                     memcmp(speeds[j].name, speed.text, speed.length) != 0))
        j++;
    if (i == 5 || j == 9)
        return false;
    *rate = speeds[j].rate;
    rate->widths = widths[i].bits;
    return true;
}

/* Reads "lid 5 4xQDR" behind the last quote; without it the rate stays. */
static bool read_comment_rate(struct lines *lines, struct ibsim_rate *rate)
{
    uint64_t lid;
    for (const char *at = lines->at; at < lines->end; at++)
        if (*at == '"')
            lines->at = at + 1;
    if (!lines_take_after(lines, "lid ") || !ibsim_take_number(lines, &lid))
        return true;
    lines_skip_blanks(lines);
    struct slice word = {lines->at, 0};
    while (word.text + word.length < lines->end && !strchr(" \t", word.text[word.length]))
        word.length++;
    const char *x = memchr(word.text, 'x', word.length);
    size_t width = x ? (size_t)(x - word.text) + 1 : 0;
    if (!word.length || memchr(word.text, '=', word.length))
        return true;
    if (enable((struct slice){word.text, width},
               (struct slice){word.text + width, word.length - width}, rate))
        return true;
    lines_fail(lines, CODE_T006, word.text, word.length,
               "'%.*s': unknown width or speed of a cable", (int)word.length, word.text);
    return false;
}

bool ibsim_read_rate(struct lines *lines, struct ibsim_rate *rate)
{
    return ibsim_rate_read_options(lines, rate) && read_comment_rate(lines, rate);
}
