/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the node descriptions of real fabrics. Linux sets "HOST HCA-1" or "HOST mlx5_0"; Intel's stack
 * "HCA-1 HOST"; an adapter whose host never set it shows its model.
 */
#include "network/formats/infiniband/fabric.h"

#include <string.h>

static bool fabric_names_contains(struct slice slice, const char *part)
{
    for (; slice.length >= strlen(part); slice.text++, slice.length--)
        if (slice_starts(slice, part))
            return true;
    return false;
}

/* True for HCA-1, mlx4_0, mlx5_12, hfi1_0, qib0, bnxt_re0, irdma0: a known driver name and a number at the
 * end. */
static bool is_adapter(struct slice word)
{
    static const char *const prefixes[] = {"HCA-",   "mlx",     "hfi", "qib",  "mthca", "ipath",
                                           "cxgb", "bnxt_re", "irdma", "ocrdma", "ibp",   NULL};
    if (!word.length || !text_is_digit(word.text[word.length - 1]))
        return false;
    for (int i = 0; prefixes[i]; i++)
        if (slice_starts(word, prefixes[i]))
            return true;
    return false;
}

static bool is_model(struct slice description)
{
    static const char *const parts[] = {"Mellanox Technologies", "ConnectX",       "InfiniHost",
                                        "Infiniband HCA",        "InfiniBand HCA", "BlueField",
                                        "Omni-Path",             NULL};
    for (int i = 0; parts[i]; i++)
        if (fabric_names_contains(description, parts[i]))
            return true;
    return false;
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
    struct slice name = slice_trim(description);
    size_t last = last_blank(name);
    if (last && is_adapter((struct slice){name.text + last, name.length - last}))
        return slice_trim((struct slice){name.text, last - 1});
    const char *blank = memchr(name.text, ' ', name.length);
    size_t first = blank ? (size_t)(blank - name.text) : 0;
    if (first && is_adapter((struct slice){name.text, first}))
        return slice_trim((struct slice){blank, name.length - first});
    return is_model(name) || is_adapter(name) ? (struct slice){name.text, 0} : name;
}

struct slice fabric_adapter_name(struct slice description)
{
    const struct slice name = slice_trim(description);
    const size_t last = last_blank(name);
    const struct slice end = {name.text + last, name.length - last};
    const char *blank = memchr(name.text, ' ', name.length);
    const struct slice start = {name.text, blank ? (size_t)(blank - name.text) : name.length};
    return is_adapter(end) ? end : is_adapter(start) ? start : (struct slice){name.text, 0};
}

bool fabric_is_aggregation_node(const struct fabric_node *node)
{
    return node->kind == FABRIC_HOST && fabric_names_contains(node->description, "Aggregation Node");
}
