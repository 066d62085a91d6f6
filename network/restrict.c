/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Restricts a topology: without the links that have failed, and with only the machines of a job. See
 * topology_restrict.
 */
#include "network/restrict.h"

#include "base/suggest.h"
#include "network/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A list of a million names. */
#define MACHINES_LIMIT ((size_t)64 << 20)

/* ---- names that are not there ---- */

/* True if the words are a part of a name as dumps print them: "leaf01" of "MF0;leaf01:MQM8700/U1". */
static bool is_part_of_name(struct slice words, const char *name)
{
    static const char between[] = ";:/ ";
    for (const char *part = name;;) {
        const size_t length = strcspn(part, between);
        if (length == words.length && length && memcmp(part, words.text, length) == 0)
            return true;
        if (!part[length])
            return false;
        part += length + 1;
    }
}

const char *topology_nearest_node(const struct topology *topology, struct slice words, bool is_machine,
                                  struct arena *arena)
{
    const uint32_t n = is_machine ? topology->n_machines : topology->n_nodes;
    char name[128], near[sizeof name] = "";
    size_t least = SIZE_MAX;
    for (uint32_t node = 0; node < n && least > 0; node++) {
        topology_node_name(topology, node, name, sizeof name);
        const size_t distance =
            is_part_of_name(words, name) ? 1 : slip_distance(words.text, words.length, name);
        if (distance >= least)
            continue;
        least = distance;
        memcpy(near, name, sizeof near);
    }
    return least < SIZE_MAX ? arena_strndup(arena, near, strlen(near)) : NULL;
}

/* True if two names differ only in their numbers, as that of a machine beyond the last does. */
static bool differ_by_numbers(struct slice a, const char *b)
{
    size_t i = 0;
    for (;; i++, b++) {
        while (i < a.length && text_is_digit(a.text[i]))
            i++;
        while (text_is_digit(*b))
            b++;
        if (i == a.length || !*b || a.text[i] != *b)
            return i == a.length && !*b;
    }
}

const char *topology_help_with_machine(const struct topology *topology, struct slice name,
                                       struct arena *arena)
{
    const char *near = topology_nearest_node(topology, name, true, arena);
    char first[64], last[sizeof first];
    if (near && !differ_by_numbers(name, near))
        return did_you_mean(arena, near, NULL);
    topology_node_name(topology, 0, first, sizeof first);
    topology_node_name(topology, topology->n_machines - 1, last, sizeof last);
    return topology->n_machines == 1
               ? arena_printf(arena, "there is one machine, '%s'", first)
               : arena_printf(arena, "there are %u machines, from '%s' to '%s'", topology->n_machines, first, last);
}

/* ---- failed links ---- */

static struct topology *restrict_fail_links(struct topology *topology,
                                            const struct topology_restriction *restriction,
                                            struct diagnostics *diagnostics)
{
    struct failed_word *words = mem_alloc(restriction->n_failed, sizeof *words);
    for (size_t i = 0; i < restriction->n_failed; i++)
        words[i].text = restriction->failed[i];
    topology = restrict_links(topology, words, restriction->n_failed, diagnostics);
    free(words);
    return topology;
}

/* ---- machines ---- */

static const struct source *machines_source(const char *spec, struct diagnostics *diagnostics)
{
    if (strcmp(spec, "-") == 0 || access(spec, F_OK) == 0)
        return source_read(spec, MACHINES_LIMIT, &diagnostics->arena, diagnostics);
    return source_of_text("<machines>", spec, strlen(spec), &diagnostics->arena);
}

static struct topology *subset_of(struct topology *topology, const bool *is_in)
{
    uint32_t n_in = 0, n = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        n_in += is_in[machine];
    if (n_in == topology->n_machines)
        return topology;
    uint32_t *machines = mem_alloc(n_in, sizeof *machines);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        if (is_in[machine])
            machines[n++] = machine;
    topology = topology_new_subset(topology, machines, n);
    free(machines);
    return topology;
}

struct topology *restrict_machines(struct topology *topology, const struct machine_words *words,
                                   struct diagnostics *diagnostics)
{
    bool *is_in = mem_alloc(topology->n_machines, sizeof *is_in);
    bool is_read = mark_machines(topology, words, is_in, diagnostics);
    if (is_read)
        topology = subset_of(topology, is_in);
    free(is_in);
    if (is_read)
        return topology;
    topology_free(topology);
    return NULL;
}

static struct topology *keep_machines(struct topology *topology, const char *spec,
                                      struct diagnostics *diagnostics)
{
    const struct source *source = machines_source(spec, diagnostics);
    if (source && source_check_utf8(source, diagnostics)) {
        struct machine_words words = {source->text, source, {source->text, source->length}};
        return restrict_machines(topology, &words, diagnostics);
    }
    topology_free(topology);
    return NULL;
}

struct topology *topology_restrict(struct topology *topology,
                                   const struct topology_restriction *restriction,
                                   struct diagnostics *diagnostics)
{
    topology = restrict_fail_links(topology, restriction, diagnostics);
    if (topology && restriction->machines)
        topology = keep_machines(topology, restriction->machines, diagnostics);
    return topology;
}
