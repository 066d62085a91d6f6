/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that say an order and no host for each rank: the MPICH_RANK_ORDER of Cray's MPICH, ranks in the
 * order of their places,
 *
 *   0,4,1,5        # the first node, with --ranks-per-machine 4
 *   2,6-7,3
 *
 * and opensm-ftree-ca-order.dump, the adapters in an order in which shifts do not contend,
 *
 *   0x0007  node007 HCA-1
 *   0xFFFF  DUMMY
 */
#include "network/placement/placement_files.h"

#include "base/codes.h"
#include "base/text/units.h"

#include <stdlib.h>
#include <string.h>

static uint32_t order_ranks_per_machine(const struct line_reader *reader)
{
    const uint32_t asked = reader->request->asked->ranks_per_machine;
    return asked ? asked : 1;
}

/* ---- MPICH_RANK_ORDER ---- */

/* True if all words are numbers and ranges with commas between them, and there is such a comma or range. */
bool placement_is_rank_order(struct line_reader reader)
{
    bool has_list = false;
    do {
        for (struct slice word = slice_take_word(&reader.line); word.length; word =
             slice_take_word(&reader.line)) {
            for (size_t i = 0; i < word.length; i++) {
                if (!text_is_digit(word.text[i]) && word.text[i] != ',' && word.text[i] != '-')
                    return false;
                has_list = has_list || !text_is_digit(word.text[i]);
            }
        }
    } while (placement_next_words(&reader));
    return has_list;
}

/* Gives the next places, from *slot on, to the ranks first to last. */
static bool place_rank_range(struct line_reader *reader, struct assignment *assignment, struct slice where,
                             uint32_t first, uint32_t last, uint64_t *slot)
{
    const uint32_t n_machines = reader->request->topology->n_machines;
    const uint32_t per_machine = order_ranks_per_machine(reader);
    for (uint32_t rank = first; rank <= last && !reader->failed; rank++, ++*slot) {
        if (*slot / per_machine < n_machines) {
            place_rank(reader, assignment, rank, (uint32_t)(*slot / per_machine), where);
            continue;
        }
        placement_complain(reader, CODE_A001, where, "more ranks than the hosts have places")->help =
            "the file has no hosts: they are taken as the network numbers them, and --ranks-per-machine ranks are "
            "on each";
    }
    return !reader->failed;
}

/* Reads "3" or "0-7". */
static bool read_rank_range(struct line_reader *reader, struct assignment *assignment, struct slice item,
                            uint64_t *slot)
{
    const char *dash = memchr(item.text, '-', item.length);
    const struct slice low = {item.text, dash ? (size_t)(dash - item.text) : item.length};
    const struct slice high =
        dash ? (struct slice){dash + 1, item.length - low.length - 1} : low;
    uint32_t first, last;
    if (!placement_take_rank(reader, low, &first) || !placement_take_rank(reader, high, &last))
        return false;
    if (first <= last)
        return place_rank_range(reader, assignment, item, first, last, slot);
    placement_complain(reader, CODE_A003, item, "the range ends before it begins")->help = "write it as in 0-7";
    return false;
}

bool placement_read_rank_order(struct line_reader *reader, struct assignment *assignment)
{
    uint64_t slot = 0;
    while (placement_next_words(reader)) {
        for (struct slice word = slice_take_word(&reader->line); word.length;
             word = slice_take_word(&reader->line))
            while (word.length) {
                const struct slice item = slice_take_until(&word, ',');
                if (item.length && !read_rank_range(reader, assignment, item, &slot))
                    return false;
            }
    }
    return placement_finish_ranks(reader, assignment, "every rank from 0 on stands in the list once");
}

/* ---- opensm-ftree-ca-order.dump ---- */

/* True for a line "0x0007 DESCRIPTION". */
bool placement_is_adapter_order(struct line_reader reader)
{
    const struct slice lid = slice_take_word(&reader.line);
    if (!slice_starts(lid, "0x") || lid.length < 3 || lid.length > 6)
        return false;
    for (size_t i = 2; i < lid.length; i++)
        if (hexadecimal_digit(lid.text[i]) < 0)
            return false;
    return slice_take_word(&reader.line).length != 0;
}

/* Returns the machine that an adapter's description names: all of it, or without its last or first word.
 * n_machines after reporting. */
static uint32_t find_ordered_adapter(struct line_reader *reader, struct slice description)
{
    const struct topology *topology = reader->request->topology;
    size_t last = description.length;
    while (last && !text_is_blank(description.text[last - 1]))
        last--;
    struct slice rest = description;
    slice_take_word(&rest);
    const struct slice names[] = {description, slice_trim((struct slice){description.text, last}),
        slice_trim(rest)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const uint32_t machine = topology_find_machine(topology, names[i].text, names[i].length);
        if (names[i].length && machine < topology->n_machines)
            return machine;
    }
    return placement_find_machine(reader, names[1].length ? names[1] : description, description);
}

bool placement_read_adapter_order(struct line_reader *reader, struct assignment *assignment)
{
    const uint32_t n_machines = reader->request->topology->n_machines;
    bool *is_placed = mem_alloc(n_machines, sizeof *is_placed), good = true;
    while (good && placement_next_words(reader)) {
        slice_take_word(&reader->line); /* the LID */
        const struct slice description = slice_trim(reader->line);
        if (slice_is(description, "DUMMY"))
            continue;
        const uint32_t machine = find_ordered_adapter(reader, description);
        if (machine == n_machines || is_placed[machine])
            continue; /* reported, or another adapter of it */
        is_placed[machine] = true;
        good = placement_append_ranks(reader, assignment, machine, order_ranks_per_machine(reader),
                                      description);
    }
    free(is_placed);
    return good && placement_finish_ranks(reader, assignment, "each adapter has a line: LID DESCRIPTION");
}
