/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slices and sources. See slice.h.
 */
#include "base/text/slice.h"

#include "base/memory.h"

struct position slice_position(const struct source *source, struct slice slice)
{
    return source_position(source, (size_t)(slice.text - source->text),
                           slice.length ? slice.length : 1);
}

const char *source_start(const struct source *source)
{
    const char *text = source->text;
    if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    return text + strspn(text, " \t\r\n");
}

char *source_beside(const struct source *source, const char *path)
{
    const char *slash = strrchr(source->path, '/');
    size_t folder = slash && *path != '/' ? (size_t)(slash - source->path) + 1 : 0;
    struct text joined = {0};
    text_append(&joined, source->path, folder);
    text_append(&joined, path, strlen(path));
    return joined.data;
}

/* ---- pieces ---- */

struct slice slice_take_word(struct slice *rest)
{
    slice_skip_blanks(rest);
    struct slice word = {rest->text, 0};
    for (; rest->length && !text_is_blank(*rest->text); rest->length--, rest->text++)
        word.length++;
    return word;
}

struct slice slice_take_until(struct slice *rest, char stop)
{
    const char *found = memchr(rest->text, stop, rest->length);
    size_t length = found ? (size_t)(found - rest->text) : rest->length;
    struct slice piece = {rest->text, length};
    rest->text += length + (found != NULL);
    rest->length -= length + (found != NULL);
    return piece;
}

struct slice slice_trim(struct slice slice)
{
    slice_skip_blanks(&slice);
    while (slice.length && text_is_blank(slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

struct slice slice_unquoted(struct slice slice)
{
    const bool is_quoted = slice.length >= 2 && (*slice.text == '"' || *slice.text == '\'') &&
                           slice.text[slice.length - 1] == *slice.text;
    return is_quoted ? (struct slice){slice.text + 1, slice.length - 2} : slice;
}

/* ---- order ---- */

int slice_compare(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.text, b.text, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Takes the digits off the front, without leading zeros. */
static struct slice slice_take_digits(struct slice *slice)
{
    while (slice->length > 1 && *slice->text == '0' && text_is_digit(slice->text[1]))
        slice->text++, slice->length--;
    struct slice digits = {slice->text, 0};
    for (; slice->length && text_is_digit(*slice->text); slice->text++, slice->length--)
        digits.length++;
    return digits;
}

static int slice_compare_numbers(struct slice a, struct slice b)
{
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return slice_compare(a, b);
}

int slice_compare_names(struct slice a, struct slice b)
{
    struct slice rest_a = a, rest_b = b;
    while (rest_a.length && rest_b.length) {
        if (text_is_digit(*rest_a.text) && text_is_digit(*rest_b.text)) {
            int order = slice_compare_numbers(slice_take_digits(&rest_a), slice_take_digits(&rest_b));
            if (order)
                return order;
            continue;
        }
        if (*rest_a.text != *rest_b.text)
            return (unsigned char)*rest_a.text < (unsigned char)*rest_b.text ? -1 : 1;
        rest_a.text++, rest_a.length--;
        rest_b.text++, rest_b.length--;
    }
    if (rest_a.length || rest_b.length)
        return rest_a.length ? 1 : -1;
    return slice_compare(a, b); /* a01 and a1 are two names */
}
