/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators of a log: which members are ranks of the same one. Processes
 * name a communicator by addresses of their own. Since 2.18 lines have its
 * commId, and of one that was split off its parent and color; in older logs the
 * k-th communicator of a size of each process is taken for the same.
 */
#include "schedules/nccl/comms.h"

#include <stdlib.h>

struct comms_reader {
    struct nccl_comms *comms;
    const struct nccl_log *log;
    uint32_t *last;    /* [process] its last member so far that is in a communicator,
                          NCCL_NONE */
    uint32_t *before;  /* [member] the one before it, of the same process */
    struct text *keys; /* [communicator] what it is known by */
    size_t keys_capacity;
};

/* Writes what the communicator of a member is known by. */
static void comms_write_key(struct comms_reader *reader, uint32_t i, struct text *key)
{
    const struct nccl_member *member = &reader->log->members[i];
    uint32_t n_like = 0, parent = NCCL_NONE;
    for (uint32_t j = reader->last[member->of_process]; j != NCCL_NONE; j = reader->before[j]) {
        const struct nccl_member *other = &reader->log->members[j];
        if (parent == NCCL_NONE && member->parent.length && slice_compare(other->handle, member->parent) == 0)
            parent = reader->comms->of_member[j];
        n_like += other->n_ranks == member->n_ranks && !other->id.length && !other->color.length &&
                  slice_compare(other->device, member->device) == 0;
    }
    if (member->color.length)
        text_printf(key, "%u of %u %.*s %.*s", member->n_ranks, parent, (int)member->color.length,
                    member->color.text, (int)member->split.length, member->split.text);
    else if (member->id.length)
        text_printf(key, "%u id %.*s", member->n_ranks, (int)member->id.length, member->id.text);
    else
        text_printf(key, "%u number %u", member->n_ranks, n_like);
}

/* Returns the communicator of that key, perhaps a new one. */
static uint32_t comms_of_key(struct comms_reader *reader, struct text *key, const struct nccl_member *member)
{
    struct nccl_comms *comms = reader->comms;
    for (uint32_t i = comms->n; i-- > 0;)
        if (reader->keys[i].length == key->length &&
            memcmp(reader->keys[i].data, key->data, key->length) == 0) {
            text_free(key);
            return i;
        }
    reader->keys = mem_grow(reader->keys, &reader->keys_capacity, (size_t)comms->n + 1, sizeof *reader->keys);
    comms->items = mem_grow(comms->items, &comms->capacity, (size_t)comms->n + 1, sizeof *comms->items);
    reader->keys[comms->n] = *key;
    comms->items[comms->n] = (struct nccl_comm){.n_ranks = member->n_ranks,
                                                .line = member->line,
                                                .has_id = member->id.length || member->color.length};
    return comms->n++;
}

/* ---- members whose rank is not said, as lines are missing ---- */

/* Finds ranks by what members say of rings and trees, and the size by the
 * longest ring. */
static uint32_t comms_guess_ranks(const struct nccl_log *log, uint32_t *rank)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < log->n_sayings; i++) {
        const struct nccl_saying *saying = &log->sayings[i];
        uint32_t *of = &rank[saying->member], n = 0, ring[1];
        if (saying->topic == NCCL_RING)
            n = nccl_read_ring(saying->text, ring, 1);
        if (n && *of == NCCL_NONE)
            *of = ring[0];
        if (saying->topic == NCCL_TREES && *of == NCCL_NONE)
            *of = nccl_rank_of_trees(saying->text);
        if (n > size)
            size = n;
    }
    return size;
}

/* Returns the member of the same process and device that is a rank of a
 * communicator; NCCL_NONE: none, or several. */
static uint32_t comms_find_alone(const struct comms_reader *reader, uint32_t of)
{
    const struct nccl_member *members = reader->log->members;
    uint32_t found = NCCL_NONE, n = 0;
    for (uint32_t i = reader->last[members[of].of_process]; i != NCCL_NONE && n < 2; i = reader->before[i])
        if (slice_compare(members[i].device, members[of].device) == 0) {
            found = i;
            n++;
        }
    return n == 1 ? found : NCCL_NONE;
}

/* Joins those whose communicator is not said with the one that there is. */
static void comms_adopt(struct comms_reader *reader, uint32_t *rank)
{
    struct nccl_comms *comms = reader->comms;
    const struct nccl_log *log = reader->log;
    const uint32_t size = comms_guess_ranks(log, rank);
    const bool is_single = comms->n <= 1;
    for (uint32_t i = 0; i < log->n_members; i++) {
        if (log->members[i].n_ranks)
            continue;
        const uint32_t alone = comms_find_alone(reader, i);
        if (alone != NCCL_NONE) {
            rank[i] = log->members[alone].rank;
            comms->of_member[i] = comms->of_member[alone];
        } else if (is_single && rank[i] != NCCL_NONE) {
            struct text key = {0};
            if (!comms->n && size)
                comms_of_key(reader, &key,
                             &(struct nccl_member){.n_ranks = size, .line = log->members[i].line});
            comms->of_member[i] = comms->n ? 0 : NCCL_NONE;
        }
        comms->n_lost += comms->of_member[i] == NCCL_NONE;
    }
}

void nccl_comms_find(struct nccl_comms *comms, const struct nccl_log *log)
{
    const uint32_t n_processes = log->process_map.n;
    struct comms_reader reader = {.comms = comms,
                                  .log = log,
                                  .last = mem_alloc((size_t)n_processes + 1, sizeof(uint32_t)),
                                  .before = mem_alloc((size_t)log->n_members + 1, sizeof(uint32_t))};
    *comms = (struct nccl_comms){.of_member = mem_alloc((size_t)log->n_members + 1, sizeof(uint32_t)),
                                 .rank = mem_alloc((size_t)log->n_members + 1, sizeof(uint32_t))};
    memset(reader.last, 0xff, n_processes * sizeof *reader.last);
    for (uint32_t i = 0; i < log->n_members; i++) {
        const struct nccl_member *member = &log->members[i];
        struct text key = {0};
        comms->of_member[i] = NCCL_NONE;
        comms->rank[i] = member->rank;
        if (!member->n_ranks)
            continue;
        comms_write_key(&reader, i, &key);
        comms->of_member[i] = comms_of_key(&reader, &key, member);
        reader.before[i] = reader.last[member->of_process];
        reader.last[member->of_process] = i;
    }
    comms_adopt(&reader, comms->rank);
    for (uint32_t i = 0; i < comms->n; i++)
        text_free(&reader.keys[i]);
    free(reader.keys);
    free(reader.before);
    free(reader.last);
}

void nccl_comms_free(struct nccl_comms *comms)
{
    free(comms->items);
    free(comms->of_member);
    free(comms->rank);
}
