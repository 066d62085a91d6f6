/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See numbers.h. fscanf is that of glibc: a sign without digits is lost, and the x of a 0x without
 * digits, too. tests/unit/test_tables.c compares with the real one.
 */
#include "tables/ompi/numbers.h"

#include "base/text/units.h"

#include <ctype.h>
#include <string.h>

void ompi_numbers_open(struct ompi_numbers *numbers, const struct source *source)
{
    *numbers = (struct ompi_numbers){source, source->text, source->text + source->length, 1};
}

static void numbers_step(struct ompi_numbers *numbers)
{
    numbers->line += *numbers->at++ == '\n';
}

static bool numbers_is_at(const struct ompi_numbers *numbers, char c)
{
    return numbers->at < numbers->end && *numbers->at == c;
}

static void numbers_skip_space(struct ompi_numbers *numbers)
{
    while (numbers->at < numbers->end && isspace((unsigned char)*numbers->at))
        numbers_step(numbers);
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Adds a digit; what does not fit becomes the nearest that does, as with strtol. */
static void add_digit(struct ompi_number *number, int digit, bool is_negative)
{
    const int64_t bound = is_negative ? INT64_MIN : INT64_MAX;
    int64_t value;
    if (__builtin_mul_overflow(number->value, (int64_t)number->base, &value) ||
        __builtin_add_overflow(value, is_negative ? -digit : digit, &value))
        value = bound;
    number->value = number->value == bound ? bound : value;
}

/* Takes the number at the cursor. Returns false if there is none; passes over the text that fscanf has
 * read. */
static bool numbers_take_number(struct ompi_numbers *numbers, struct ompi_number *number)
{
    const char *start = numbers->at;
    *number = (struct ompi_number){.text = start, .line = numbers->line, .base = 10};
    const bool is_negative = numbers_is_at(numbers, '-');
    numbers->at += is_negative || numbers_is_at(numbers, '+');
    bool has_digits = numbers_is_at(numbers, '0');
    if (has_digits) {
        numbers->at++;
        const bool is_hexadecimal = numbers_is_at(numbers, 'x') || numbers_is_at(numbers, 'X');
        number->base = is_hexadecimal ? 16 : 8;
        numbers->at += is_hexadecimal;
    }
    for (; numbers->at < numbers->end; numbers->at++) {
        const int digit = hexadecimal_digit(*numbers->at);
        if (digit < 0 || digit >= number->base)
            break;
        add_digit(number, digit, is_negative);
        has_digits = true;
    }
    number->length = (uint32_t)(numbers->at - start);
    if (number->base == 8 && number->length == 1)
        number->base = 10;
    number->is_glued = (start > numbers->source->text && is_of_word(start[-1])) ||
                       (numbers->at < numbers->end && is_of_word(*numbers->at));
    return has_digits;
}

bool ompi_number_next(struct ompi_numbers *numbers, struct ompi_number *number)
{
    for (;;) {
        numbers_skip_space(numbers);
        if (numbers->at == numbers->end)
            return false;
        if (numbers_take_number(numbers, number))
            return true;
        if (numbers->at == numbers->end)
            return false;
        const bool is_comment = *numbers->at == '#';
        numbers_step(numbers);
        while (is_comment && numbers->at < numbers->end && numbers->at[-1] != '\n')
            numbers_step(numbers);
    }
}

bool ompi_numbers_digit_follows(struct ompi_numbers *numbers)
{
    while (numbers_is_at(numbers, ' ') || numbers_is_at(numbers, '\t'))
        numbers->at++;
    return numbers->at < numbers->end && text_is_digit(*numbers->at);
}

bool ompi_numbers_version(struct ompi_numbers *numbers, uint64_t *version)
{
    const char *word = "rule-file-version-";
    for (; *word && numbers_is_at(numbers, *word); word++)
        numbers->at++;
    if (*word)
        return false;
    numbers_skip_space(numbers);
    const bool is_negative = numbers_is_at(numbers, '-');
    numbers->at += is_negative || numbers_is_at(numbers, '+');
    const char *digits = numbers->at;
    uint64_t value = 0;
    for (; numbers->at < numbers->end && text_is_digit(*numbers->at); numbers->at++)
        value = value < UINT32_MAX ? value * 10 + (uint64_t)(*numbers->at - '0') : value;
    *version = is_negative ? (uint32_t)-(uint32_t)value : value;
    return numbers->at > digits;
}

struct position ompi_number_position(const struct source *source, const struct ompi_number *number)
{
    return source_position(source, (size_t)(number->text - source->text), number->length);
}
