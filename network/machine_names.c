/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of many machines in one line. See machine_names.h.
 */
#include "network/machine_names.h"

#include "network/networks.h"

#include <string.h>

enum { NAME_BYTES = 256, MAX_DIGITS = 9 };

bool topology_is_one_network(const struct topology *topology, const char *what, const char **problem)
{
    struct text name = {0};
    if (topology_n_networks(topology) <= 1)
        return true;
    text_append_safe(&name, topology->name);
    *problem = arena_printf(topology->arena, "'%s' is several networks, and %s is one",
                            name.data ? name.data : "", what);
    text_free(&name);
    return false;
}

/* A name taken apart: text, and a number of `digits` digits at its end (0: none). */
struct part {
    char name[NAME_BYTES];
    size_t prefix;
    uint32_t digits, number;
};

static struct part take_apart(const struct topology *topology, uint32_t machine)
{
    struct part part;
    topology_node_name(topology, machine, part.name, sizeof part.name);
    part.prefix = strlen(part.name);
    part.digits = part.number = 0;
    while (part.prefix && part.digits < MAX_DIGITS && part.name[part.prefix - 1] >= '0' &&
           part.name[part.prefix - 1] <= '9') {
        part.prefix--;
        part.digits++;
    }
    for (uint32_t i = 0; i < part.digits; i++)
        part.number = part.number * 10 + (uint32_t)(part.name[part.prefix + i] - '0');
    return part;
}

/* n9 is followed by n10, and n09 too, but n009 is not followed by n10. */
static bool follows(const struct part *before, const struct part *after)
{
    bool has_zeros = before->digits > 1 && before->name[before->prefix] == '0';
    bool is_wider = after->digits == before->digits + 1 && !has_zeros &&
                    after->name[after->prefix] != '0';
    return before->digits && after->number == before->number + 1 &&
           (after->digits == before->digits || is_wider) && before->prefix == after->prefix &&
           memcmp(before->name, after->name, before->prefix) == 0;
}

static bool machine_names_is_plain(const char *name)
{
    return *name && strcspn(name, " \t\r\n,;:'\"\\[]*#=$`&|<>()") == strlen(name);
}

/* Returns how many machines from `first` on go into one range; *last is the last of them. */
static uint32_t machine_names_find_run(const struct topology *topology, const uint32_t *machines, uint32_t n,
                                       struct part *last)
{
    uint32_t run = 1;
    for (; run < n; run++) {
        struct part next = take_apart(topology, machines[run]);
        if (!follows(last, &next))
            break;
        *last = next;
    }
    return run;
}

bool topology_write_names(const struct topology *topology, const uint32_t *machines, uint32_t n,
                 char separator, bool has_ranges, struct text *out)
{
    for (uint32_t i = 0, run; i < n; i += run) {
        struct part first = take_apart(topology, machines[i]), last = first;
        if (!machine_names_is_plain(first.name))
            return false;
        run = has_ranges ? machine_names_find_run(topology, machines + i, n - i, &last) : 1;
        if (i)
            text_append(out, &separator, 1);
        if (run == 1)
            text_append(out, first.name, strlen(first.name));
        else
            text_printf(out, "%.*s[%s-%s]", (int)first.prefix, first.name,
                        first.name + first.prefix, last.name + last.prefix);
    }
    return true;
}
