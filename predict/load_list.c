/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The list of loads. See load_list.h.
 */
#include "predict/load_list.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_LENGTH = 13 };

/* All that a time depends on. */
static void load_list_key_of(const struct step_load *load, uint64_t key[KEY_LENGTH])
{
    const uint64_t words[KEY_LENGTH] = {
        load->latency,       load->link.chunks,   load->link.bandwidth, load->sender.chunks,
        load->sender.bandwidth, load->slowdown,   load->memory_chunks,  load->local_chunks,
        load->rank_messages, load->server_messages, load->has_memory,    load->worst.chunks,
        load->worst.bandwidth};
    memcpy(key, words, sizeof words);
}

static int load_list_compare_loads(const void *a, const void *b)
{
    uint64_t key_a[KEY_LENGTH], key_b[KEY_LENGTH];
    load_list_key_of(a, key_a);
    load_list_key_of(b, key_b);
    for (size_t i = 0; i < KEY_LENGTH; i++)
        if (key_a[i] != key_b[i])
            return key_a[i] < key_b[i] ? -1 : 1;
    return 0;
}

void load_take_figures(struct step_load *load, const struct step_figures *figures)
{
    load->latency = figures->latency;
    load->link = figures->link;
    load->worst = figures->worst;
    load->sender = figures->sender;
    load->slowdown = figures->slowdown;
    load->server_messages = figures->port_messages;
}

void load_list_merge(struct predict_loads *loads)
{
    struct step_load *unlike = mem_alloc(loads->n + 1, sizeof *unlike);
    size_t n = 0;
    if (loads->n)
        memcpy(unlike, loads->loads, loads->n * sizeof *unlike);
    qsort(unlike, loads->n, sizeof *unlike, load_list_compare_loads);
    for (size_t i = 0; i < loads->n; i++) {
        if (n && load_list_compare_loads(&unlike[n - 1], &unlike[i]) == 0)
            unlike[n - 1].n_steps += unlike[i].n_steps;
        else
            unlike[n++] = unlike[i];
    }
    loads->unlike = unlike;
    loads->n_unlike = n;
}

void load_list_add(struct predict_loads *loads, const struct step_load *load)
{
    struct step_load *last = loads->n ? &loads->loads[loads->n - 1] : NULL;
    if (!load->rank_messages && !load->local_chunks)
        return;
    if (last && last->first + last->n_steps == load->first && load_list_compare_loads(last, load) == 0) {
        last->n_steps++;
        return;
    }
    loads->loads = mem_grow(loads->loads, &loads->capacity, loads->n + 1, sizeof *loads->loads);
    loads->loads[loads->n++] = *load;
}

void predict_loads_free(struct predict_loads *loads)
{
    free(loads->loads);
    free(loads->unlike);
    *loads = (struct predict_loads){0};
}
