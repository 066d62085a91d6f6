/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says which measurement to take next: messages between two hosts whose route crosses about half of the
 * suspected cables, the same call on half of their hosts, or what tells a kind of cause from another.
 */
#include "costs/causes_search.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 16 };

/* The cables that the causes suspect. */
struct suspects {
    const struct topology *topology;
    bool *is_suspect; /* [link] */
    uint32_t n;       /* cables */
};

static void suspects_add(struct suspects *suspects, const struct cause *cause)
{
    for (size_t i = 0; i < cause->n_cables; i++) {
        suspects->n += !suspects->is_suspect[cause->cables[i].link];
        suspects->is_suspect[cause->cables[i].link] = true;
        suspects->is_suspect[cause->cables[i].back] = true;
    }
}

/* Returns how many suspected links a route crosses. */
static uint32_t suspects_crossed(const struct suspects *suspects, uint32_t from, uint32_t to,
                                 struct hop *hops)
{
    const uint32_t n = topology_route(suspects->topology, from, to, hops);
    uint32_t crossed = 0;
    for (uint32_t i = 0; i < n; i++)
        crossed += suspects->is_suspect[hops[i].link];
    return crossed;
}

/* Finds the pair of hosts whose route crosses as near to half of the suspects as can be, but some of them; of
 * one suspect, that one. */
static bool suspects_find_pair(const struct suspects *suspects, uint32_t pair[2])
{
    const uint32_t n = suspects->topology->n_machines;
    const uint32_t wanted = suspects->n > 1 ? suspects->n / 2 : 1;
    struct hop *hops = mem_alloc((size_t)suspects->topology->max_hops + 1, sizeof *hops);
    uint32_t best = UINT32_MAX, n_pairs = 0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < n && n_pairs < MOST_PAIRS && best; b++) {
            const uint32_t crossed = suspects_crossed(suspects, a, b, hops);
            const uint32_t far = crossed > wanted ? crossed - wanted : wanted - crossed;
            n_pairs++;
            if (a == b || !crossed || far >= best || (crossed == suspects->n && crossed > 1))
                continue;
            best = far;
            pair[0] = a;
            pair[1] = b;
        }
    free(hops);
    return best != UINT32_MAX;
}

/* Appends half of the hosts that suspected cables lead to, where there are more than two. */
static bool suspects_print_half(const struct suspects *suspects, struct text *out)
{
    const struct topology *topology = suspects->topology;
    uint32_t n = 0, from, to;
    char name[256];
    for (uint32_t pass = 0, i = 0; pass < 2; pass++, i = 0)
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            if (!suspects->is_suspect[link] || !topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            if (from >= topology->n_machines)
                continue;
            n += pass == 0;
            if (pass == 1 && n > 3 && i++ < n / 2) {
                topology_node_name(topology, from, name, sizeof name);
                text_printf(out, i == 1 ? "" : ",");
                text_append_safe(out, name);
            }
        }
    return n > 3;
}

static void next_print_pair(const struct suspects *suspects, const uint32_t pair[2], struct text *out)
{
    char from[256], to[256];
    topology_node_name(suspects->topology, pair[0], from, sizeof from);
    topology_node_name(suspects->topology, pair[1], to, sizeof to);
    text_printf(out, "messages between %s and %s, such as osu_bw, below a line 'hosts %s,%s'", from, to, from,
                to);
}

static void next_of_cables(const struct suspects *suspects, struct text *out)
{
    struct text half = {0};
    uint32_t pair[2];
    if (suspects_print_half(suspects, &half))
        text_printf(out, "the same on half of the suspected hosts, below a line 'hosts %s'", half.data);
    else if (suspects_find_pair(suspects, pair))
        next_print_pair(suspects, pair, out);
    else
        text_printf(out, "the rates and errors of these cables (ibdiagnet, perfquery, ethtool)");
    text_free(&half);
}

static bool has_kind(const struct cause *causes, size_t n, enum cause_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (causes[i].kind == kind)
            return true;
    return false;
}

const char *search_next(const struct search *search, const struct cause *first, const struct cause *rivals,
                        size_t n_rivals)
{
    const struct topology *topology = search->request->costs.topology;
    struct suspects suspects = {topology, mem_alloc((size_t)topology->n_link_ids + 1, sizeof(bool)), 0};
    struct text out = {0};
    const char *next = NULL;
    if (!first) {
        free(suspects.is_suspect);
        return search->error > CAUSES_TOLERANCE
                   ? "times of messages between two hosts (osu_latency, osu_bw), and 'collc fit' with them"
                   : NULL;
    }
    suspects_add(&suspects, first);
    for (size_t i = 0; i < n_rivals; i++)
        suspects_add(&suspects, &rivals[i]);
    if (first->kind == CAUSE_ALGORITHM || has_kind(rivals, n_rivals, CAUSE_ALGORITHM))
        text_printf(
            &out,
            "which algorithm runs: 'collc prove' with the job's script or parameter file, 'collc record', "
            "or the same with the algorithm forced");
    else if (first->kind == CAUSE_ORDER || has_kind(rivals, n_rivals, CAUSE_ORDER))
        text_printf(&out,
                    "where ranks run: the launcher's map (mpirun --display-map, srun -l hostname), given as "
                    "--placement");
    else if (suspects.n)
        next_of_cables(&suspects, &out);
    if (!out.length)
        text_printf(&out,
                    "times of messages between two hosts (osu_latency, osu_bw), and 'collc fit' with them");
    next = arena_strndup(search->arena, out.data, out.length);
    text_free(&out);
    free(suspects.is_suspect);
    return next;
}
