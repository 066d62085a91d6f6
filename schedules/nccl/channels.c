/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Channels, whatever told them. See channels.h.
 */
#include "schedules/nccl/channels.h"

#include "base/codes.h"

#include <stdarg.h>
#include <stdlib.h>

struct diagnostic *nccl_refuse(struct nccl_channels *channels, uint32_t line, const char *format, ...)
{
    struct diagnostics *diagnostics = channels->request->diagnostics;
    struct position position = {.source = channels->request->source};
    if (line)
        position = schedule_line(channels->request->source, line);
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&diagnostics->arena, format, args);
    va_end(args);
    channels->failed = true;
    return report(diagnostics, CODE_S009, position, "%s", message);
}

struct nccl_channel *nccl_channels_add(struct nccl_channels *channels, uint32_t number)
{
    channels->items =
        mem_grow(channels->items, &channels->capacity, (size_t)channels->n + 1, sizeof *channels->items);
    channels->items[channels->n] = (struct nccl_channel){.number = number, .n_times = 1};
    return &channels->items[channels->n++];
}

static bool channels_is_name(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

uint8_t nccl_channels_via(struct nccl_channels *channels, const struct schedule_via *via)
{
    if (!channels->n_vias) {
        channels->vias = mem_grow(channels->vias, &channels->vias_capacity, 1, sizeof *channels->vias);
        channels->vias[channels->n_vias++] = (struct schedule_via){.out = NULL};
    }
    for (uint32_t i = 1; i < channels->n_vias; i++) {
        const struct schedule_via *known = &channels->vias[i];
        if (known->out_number == via->out_number && known->in_number == via->in_number &&
            channels_is_name(known->out, via->out) && channels_is_name(known->in, via->in))
            return (uint8_t)i;
    }
    if (channels->n_vias > SCHEDULE_MAX_VIAS)
        return 0;
    channels->vias = mem_grow(channels->vias, &channels->vias_capacity, (size_t)channels->n_vias + 1,
                              sizeof *channels->vias);
    channels->vias[channels->n_vias] = *via;
    return (uint8_t)channels->n_vias++;
}

/* ---- equal channels ---- */

static bool channels_have_same(const void *a, const void *b, size_t size)
{
    return a && b ? memcmp(a, b, size) == 0 : a == b;
}

static bool channels_are_equal(const struct nccl_channel *a, const struct nccl_channel *b, uint32_t n_ranks)
{
    const size_t size = n_ranks * sizeof(uint32_t);
    return channels_have_same(a->ring, b->ring, size) && channels_have_same(a->up, b->up, size) &&
           channels_have_same(a->down, b->down, size) && channels_have_same(a->via, b->via, n_ranks) &&
           channels_have_same(a->via_down, b->via_down, n_ranks);
}

/* Writes the numbers of channels that are equal to number i: "0-3,8". Channels
 * go up. */
static void channels_write_name(const uint32_t *first, const struct nccl_channel *items, uint32_t n,
                                uint32_t i, struct text *name)
{
    for (uint32_t j = i; j < n; j++) {
        uint32_t end = j + 1;
        if (first[j] != i)
            continue;
        while (end < n && first[end] == i && items[end].number == items[end - 1].number + 1)
            end++;
        text_printf(name, name->length ? ",%u" : "%u", items[j].number);
        if (end > j + 1)
            text_printf(name, "-%u", items[end - 1].number);
        j = end - 1;
    }
}

static uint32_t channels_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void nccl_channels_join(struct nccl_channels *channels)
{
    uint32_t *first = mem_alloc((size_t)channels->n + 1, sizeof *first), n = 0, divisor = 0;
    for (uint32_t i = 0; i < channels->n; i++) {
        first[i] = i;
        for (uint32_t j = 0; j < i && first[i] == i; j++)
            if (first[j] == j &&
                channels_are_equal(&channels->items[j], &channels->items[i], channels->n_ranks))
                first[i] = j;
        if (first[i] != i)
            channels->items[first[i]].n_times++;
    }
    for (uint32_t i = 0; i < channels->n; i++) {
        struct text name = {0};
        if (first[i] != i)
            continue;
        channels_write_name(first, channels->items, channels->n, i, &name);
        channels->items[i].name = arena_strndup(&channels->arena, name.data, name.length);
        divisor = channels_common_divisor(channels->items[i].n_times, divisor);
        text_free(&name);
    }
    for (uint32_t i = 0; i < channels->n; i++)
        if (first[i] == i)
            channels->items[n++] = channels->items[i];
    for (uint32_t i = 0; i < n; i++)
        channels->items[i].n_times /= divisor;
    channels->n = n;
    free(first);
}
