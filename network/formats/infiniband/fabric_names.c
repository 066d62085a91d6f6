/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the node descriptions of real fabrics say. Linux sets "HOST HCA-1" or
 * "HOST mlx5_0"; Intel's stack "HCA-1 HOST"; an adapter whose host never set
 * it shows its model.
 */
#include "network/formats/infiniband/fabric.h"

#include <string.h>

static bool starts_with(struct slice slice, const char *prefix)
{
    size_t length = strlen(prefix);
    return slice.length >= length && memcmp(slice.text, prefix, length) == 0;
}

static bool contains(struct slice slice, const char *part)
{
    for (; slice.length >= strlen(part); slice.text++, slice.length--)
        if (starts_with(slice, part))
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* HCA-1, mlx4_0, mlx5_12, hfi1_0, qib0, bnxt_re0, irdma0: a known driver name and a
 * number at the end. */
static bool is_adapter(struct slice word)
{
    static const char *const prefixes[] = {"HCA-",   "mlx",     "hfi", "qib",  "mthca", "ipath",
                                           "cxgb", "bnxt_re", "irdma", "ocrdma", "ibp",   NULL};
    if (!word.length || !is_digit(word.text[word.length - 1]))
        return false;
    for (int i = 0; prefixes[i]; i++)
        if (starts_with(word, prefixes[i]))
            return true;
    return false;
}

static bool is_model(struct slice description)
{
    static const char *const parts[] = {"Mellanox Technologies", "ConnectX",       "InfiniHost",
                                        "Infiniband HCA",        "InfiniBand HCA", "BlueField",
                                        "Omni-Path",             NULL};
    for (int i = 0; parts[i]; i++)
        if (contains(description, parts[i]))
            return true;
    return false;
}

static struct slice trim(struct slice slice)
{
    for (; slice.length && (*slice.text == ' ' || *slice.text == '\t'); slice.length--)
        slice.text++;
    while (slice.length && strchr(" \t\r", slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

static size_t last_blank(struct slice slice)
{
    size_t at = slice.length;
    while (at && slice.text[at - 1] != ' ')
        at--;
    return at; /* offset of the last word */
}

struct slice fabric_host_name(struct slice description)
{
    struct slice name = trim(description);
    size_t last = last_blank(name);
    if (last && is_adapter((struct slice){name.text + last, name.length - last}))
        return trim((struct slice){name.text, last - 1});
    const char *blank = memchr(name.text, ' ', name.length);
    size_t first = blank ? (size_t)(blank - name.text) : 0;
    if (first && is_adapter((struct slice){name.text, first}))
        return trim((struct slice){blank, name.length - first});
    return is_model(name) || is_adapter(name) ? (struct slice){name.text, 0} : name;
}

bool fabric_is_aggregation_node(const struct fabric_node *node)
{
    return node->kind == FABRIC_HOST && contains(node->description, "Aggregation Node");
}

/* Takes the digits off the front, without leading zeros. */
static struct slice take_digits(struct slice *slice)
{
    while (slice->length > 1 && *slice->text == '0' && is_digit(slice->text[1]))
        slice->text++, slice->length--;
    struct slice digits = {slice->text, 0};
    for (; slice->length && is_digit(*slice->text); slice->text++, slice->length--)
        digits.length++;
    return digits;
}

static int compare_bytes(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.text, b.text, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_numbers(struct slice a, struct slice b)
{
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return compare_bytes(a, b);
}

int fabric_compare_names(struct slice a, struct slice b)
{
    struct slice rest_a = a, rest_b = b;
    while (rest_a.length && rest_b.length) {
        if (is_digit(*rest_a.text) && is_digit(*rest_b.text)) {
            int order = compare_numbers(take_digits(&rest_a), take_digits(&rest_b));
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
    return compare_bytes(a, b); /* a01 and a1 are two names */
}
