/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See measurements.h.
 */
#include "tuning/measurements.h"

#include "base/codes.h"
#include "base/text/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const phase_name[N_PHASES] = {"sample", "confirm", "again"};

bool choices_are_alike(const struct table_choice *a, const struct table_choice *b)
{
    if (!a->algorithm || !b->algorithm)
        return a->algorithm == b->algorithm;
    return strcmp(a->algorithm, b->algorithm) == 0 &&
           a->parameters.segment_bytes == b->parameters.segment_bytes &&
           a->parameters.fan_out == b->parameters.fan_out;
}

void measurements_add(struct measurements *measurements, const struct measurement *measurement)
{
    measurements->items = mem_grow(measurements->items, &measurements->capacity, measurements->n + 1,
                                   sizeof *measurements->items);
    measurements->items[measurements->n++] = *measurement;
    if (measurement->launch > measurements->n_launches)
        measurements->n_launches = measurement->launch;
}

void measurements_free(struct measurements *measurements)
{
    free(measurements->items);
    *measurements = (struct measurements){0};
}

void measurement_put_algorithm(const char *name, struct text *out)
{
    for (; *name; name++)
        text_append(out, *name == ' ' ? "," : name, 1);
}

void measurement_print(const struct table_loader *loader, const struct measurement *measurement,
                       struct text *out)
{
    const struct table_choice *choice = &measurement->choice;
    text_printf(out, "time %s %u %" PRIu64 " ", loader->collectives[measurement->collective],
                measurement->n_ranks, measurement->bytes);
    measurement_put_algorithm(choice->algorithm ? choice->algorithm : "default", out);
    text_printf(out, " %" PRIu64 " %" PRIu64 " %u %" PRIu64 " %" PRIu64 "\n",
                choice->parameters.segment_bytes, choice->parameters.fan_out, measurement->repetitions,
                measurement->median, measurement->least);
}

/* ---- reading ---- */

/* Takes a whole decimal number below 2^63. */
static bool measurements_take_number(struct lines *lines, uint64_t *value)
{
    const struct slice word = lines_take_word(lines);
    *value = 0;
    for (size_t i = 0; i < word.length; i++) {
        const uint64_t digit = (uint64_t)(word.text[i] - '0');
        if (digit > 9 || *value > (INT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return word.length > 0;
}

static bool take_small(struct lines *lines, uint32_t *value)
{
    uint64_t wide;
    const bool is_number = measurements_take_number(lines, &wide) && wide <= INT32_MAX;
    *value = (uint32_t)wide;
    return is_number;
}

static bool take_launch(struct lines *lines, struct measurement *next)
{
    if (!take_small(lines, &next->launch))
        return lines_fail_here(lines, CODE_Y001, "the number of a launch is expected") == NULL;
    const struct slice word = lines_take_word(lines);
    for (next->phase = 0; next->phase < N_PHASES; next->phase++)
        if (slice_is(word, phase_name[next->phase]))
            return true;
    return lines_fail(lines, CODE_Y001, word.text, word.length, "'%.*s' is none of sample, confirm and again",
                      (int)word.length, word.text) == NULL;
}

static bool take_collective(struct lines *lines, const struct table_loader *loader, uint32_t *collective)
{
    const struct slice word = lines_take_word(lines);
    for (*collective = 0; *collective < loader->n_collectives; ++*collective)
        if (slice_is(word, loader->collectives[*collective]))
            return true;
    return lines_fail(lines, CODE_Y001, word.text, word.length, "'%s' has no collective '%.*s'",
                      loader->target,
                      (int)word.length, word.text) == NULL;
}

/* True if the word is the name, whose blanks are written as commas. */
static bool is_algorithm(struct slice word, const char *name)
{
    bool is_same = strlen(name) == word.length;
    for (size_t i = 0; is_same && i < word.length; i++)
        is_same = word.text[i] == (name[i] == ' ' ? ',' : name[i]);
    return is_same;
}

static bool take_algorithm(struct lines *lines, const struct table_loader *loader, uint32_t collective,
                           struct table_choice *choice)
{
    const struct slice word = lines_take_word(lines);
    struct table_algorithm algorithm;
    *choice = (struct table_choice){0};
    if (slice_is(word, "default"))
        return true;
    for (size_t i = 0; loader->writer->algorithm(loader, collective, i, &algorithm); i++)
        if (is_algorithm(word, algorithm.name)) {
            choice->algorithm = algorithm.name;
            return true;
        }
    return lines_fail(lines, CODE_Y001, word.text, word.length, "%s of '%s' has no algorithm '%.*s'",
                      loader->collectives[collective], loader->target, (int)word.length, word.text) == NULL;
}

static bool measurements_take_time(struct lines *lines, const struct table_loader *loader,
                                   struct measurement *next)
{
    if (!take_collective(lines, loader, &next->collective))
        return false;
    bool is_read = take_small(lines, &next->n_ranks) && measurements_take_number(lines, &next->bytes);
    if (is_read && !take_algorithm(lines, loader, next->collective, &next->choice))
        return false;
    is_read = is_read && measurements_take_number(lines, &next->choice.parameters.segment_bytes) &&
              measurements_take_number(lines, &next->choice.parameters.fan_out) &&
              take_small(lines, &next->repetitions) && measurements_take_number(lines, &next->median) &&
              measurements_take_number(lines, &next->least);
    if (!is_read || next->n_ranks < 2 || next->median == 0)
        return lines_fail_here(lines, CODE_Y001, "ranks, a size, an algorithm with segment and fan-out, "
                               "repetitions and two times are expected") == NULL;
    return true;
}

static bool measurements_take_line(struct measurements *measurements, struct lines *lines,
                                   struct measurement *next)
{
    const struct slice word = lines_take_word(lines);
    if (word.length == 0 || *word.text == '#')
        return true;
    if (slice_is(word, "launch"))
        return take_launch(lines, next);
    if (!slice_is(word, "time"))
        return lines_fail(lines, CODE_Y001, word.text, word.length,
                          "a line begins with 'launch' or 'time'") == NULL;
    if (next->launch == 0)
        return lines_fail(lines, CODE_Y001, word.text, word.length,
                          "no 'launch' stands before this time") == NULL;
    if (!measurements_take_time(lines, measurements->loader, next))
        return false;
    measurements_add(measurements, next);
    return true;
}

bool measurements_read(struct measurements *measurements, const struct source *source,
                       struct diagnostics *diagnostics)
{
    struct lines lines;
    struct measurement next = {0};
    lines_open(&lines, source, diagnostics);
    while (lines_next(&lines))
        if (!measurements_take_line(measurements, &lines, &next))
            return false;
    return true;
}
