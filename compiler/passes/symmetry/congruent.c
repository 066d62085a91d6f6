/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks at what representatives do in all steps before the first one is given, and keeps each unlike step of
 * them. See alike.h.
 */
#include "compiler/passes/symmetry/congruent.h"

#include "compiler/passes/symmetry/symmetry.h"
#include "ir/shifted_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_UNLIKE = 256, /* steps: with more of them there are mostly as many as steps */
    N_LISTS = 3       /* sends, receives, copies */
};

/* Operations of the representatives in a group of congruent steps. */
struct unlike {
    uint64_t hash;
    struct op *ops;             /* list by list, orbit by orbit */
    size_t *begin;              /* [list * (n_orbits + 1) + orbit] in the list */
    size_t n_ops;
    uint64_t n_times, like;     /* like: its number, of those that come again */
    bool is_given;
};

struct alike {
    struct schedule schedule;
    struct schedule *witnesses; /* have what the header points to */
    struct symmetry symmetry;
    struct unlike unlike[MAX_UNLIKE];
    uint32_t n_unlike;
    uint16_t *number;           /* [step] of the unlike one */
    size_t n_steps, step_capacity, at;
    uint64_t n_operations;      /* of all ranks, in unlike steps */
    bool is_too_much;           /* by whatever group: steps are alike if all ranks do the same in them */
    struct op *ops;             /* of a step of all ranks, or of representatives */
    size_t capacity;
};

/* ---- what representatives do ---- */

/* True if two operations are of one kind and move the same amount over the same network, all that counts
 * here. */
static bool is_as_much(const struct op *a, const struct op *b)
{
    return a->kind == b->kind && a->n_chunks == b->n_chunks && a->network == b->network &&
           (op_is_local(a) || a->is_set == b->is_set);
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t congruent_hash_of(const struct unlike *unlike)
{
    uint64_t hash = unlike->n_ops;
    for (size_t i = 0; i < unlike->n_ops; i++) {
        const struct op *op = &unlike->ops[i];
        hash = mixed(hash, (uint64_t)op->rank << 32 | (op_is_local(op) ? 0 : op->peer));
        hash = mixed(hash, (uint64_t)op->n_chunks << 16 | (uint64_t)op->kind << 8 | op->network);
    }
    return hash;
}

static bool is_like(const struct unlike *a, const struct unlike *b, uint32_t n_orbits)
{
    if (a->hash != b->hash || a->n_ops != b->n_ops ||
        memcmp(a->begin, b->begin, (size_t)N_LISTS * (n_orbits + 1) * sizeof *a->begin) != 0)
        return false;
    for (size_t i = 0; i < a->n_ops; i++)
        if (!is_as_much(&a->ops[i], &b->ops[i]) || a->ops[i].rank != b->ops[i].rank ||
            (!op_is_local(&a->ops[i]) && a->ops[i].peer != b->ops[i].peer))
            return false;
    return true;
}

/* ---- all steps ---- */

/* Notes of each message only whether it is packed. False: that is so on some ranks only. */
static bool note_packed(const struct symmetry *symmetry, struct unlike *unlike)
{
    enum packed_on on = PACKED_ON_NONE;
    for (size_t i = 0; i < unlike->n_ops && on != PACKED_ON_SOME; i++) {
        struct op *op = &unlike->ops[i];
        if (op_is_local(op))
            continue;
        on = shifted_packed_on(symmetry, op);
        op->is_set = on == PACKED_ON_ALL;
    }
    return on != PACKED_ON_SOME;
}

/* Makes *unlike a step of representatives, with its operations in the room for a step and `begin` that of a
 * list. False: ranks of an orbit do not do as much. */
static bool unlike_of(struct alike *alike, const struct shifted_steps *steps, const struct step *own,
                      size_t *begin, struct unlike *unlike)
{
    const size_t n_begin = alike->symmetry.n_orbits + 1;
    const struct op *const lists[N_LISTS] = {own->sends, own->receives, own->copies};
    const size_t n[N_LISTS] = {own->n_sends, own->n_receives, own->n_copies};
    alike->ops = mem_grow(alike->ops, &alike->capacity, n[0] + n[1] + n[2] + 1, sizeof *alike->ops);
    *unlike = (struct unlike){.ops = alike->ops, .begin = begin};
    for (size_t list = 0; list < N_LISTS; list++) {
        memcpy(begin + list * n_begin, steps->begin[list], n_begin * sizeof *begin);
        if (n[list])
            memcpy(unlike->ops + unlike->n_ops, lists[list], n[list] * sizeof *unlike->ops);
        unlike->n_ops += n[list];
    }
    unlike->hash = congruent_hash_of(unlike);
    return note_packed(&alike->symmetry, unlike);
}

/* Returns the number of operations of all ranks, given that of the representatives. */
static uint64_t n_of_all(const struct alike *alike, size_t n_ops)
{
    return (uint64_t)n_ops * (alike->symmetry.shifts.n_ranks / alike->symmetry.n_orbits);
}

/* Keeps a step that is unlike those before. False: there is no room for it. */
static bool congruent_keep(struct alike *alike, const struct unlike *own)
{
    const size_t n_begin = (size_t)N_LISTS * (alike->symmetry.n_orbits + 1);
    const uint64_t n_all = n_of_all(alike, own->n_ops);
    alike->is_too_much = alike->n_unlike == MAX_UNLIKE || n_all > SCHEDULE_MAX_STEP_OPS;
    if (alike->is_too_much)
        return false;
    struct unlike *unlike = &alike->unlike[alike->n_unlike++];
    *unlike = *own;
    unlike->ops = mem_alloc(own->n_ops + 1, sizeof *unlike->ops);
    unlike->begin = mem_alloc(n_begin, sizeof *unlike->begin);
    if (own->n_ops)
        memcpy(unlike->ops, own->ops, own->n_ops * sizeof *unlike->ops);
    memcpy(unlike->begin, own->begin, n_begin * sizeof *unlike->begin);
    alike->n_operations += n_all;
    return true;
}

/* The number of the unlike step that it is like, itself perhaps. Those that come again are the last ones. */
static bool congruent_find(struct alike *alike, const struct unlike *own, uint32_t *number)
{
    for (*number = alike->n_unlike; *number > 0; --*number)
        if (is_like(&alike->unlike[*number - 1], own, alike->symmetry.n_orbits))
            break;
    if (*number == 0 && !congruent_keep(alike, own))
        return false;
    *number = *number ? *number - 1 : alike->n_unlike - 1;
    return true;
}

/* Finds or keeps a step. False: it is not known what all ranks do in it, or there is no room. */
static bool congruent_look_at(struct alike *alike, struct shifted_steps *steps, const struct step *step,
                          size_t *begin)
{
    struct step own;
    uint32_t number;
    if (step->index != alike->n_steps || shifted_steps_take(steps, step, &own) ||
        !shifted_turns_as_much(&alike->symmetry, &own))
        return false;
    struct unlike unlike;
    if (!unlike_of(alike, steps, &own, begin, &unlike) || !congruent_find(alike, &unlike, &number))
        return false;
    alike->unlike[number].n_times++;
    alike->number =
        mem_grow(alike->number, &alike->step_capacity, alike->n_steps + 1, sizeof *alike->number);
    alike->number[alike->n_steps++] = (uint16_t)number;
    return true;
}

static bool look_at_all(struct alike *alike)
{
    struct schedule *witnesses = alike->witnesses;
    struct shifted_steps steps;
    struct step step;
    bool is_known = true;
    size_t *begin = mem_alloc((size_t)N_LISTS * (alike->symmetry.n_orbits + 1), sizeof *begin);
    shifted_steps_init(&steps, &alike->symmetry);
    while (is_known && witnesses->next(witnesses, &step))
        is_known = congruent_look_at(alike, &steps, &step, begin);
    shifted_steps_free(&steps);
    free(begin);
    return is_known && !witnesses->failed;
}

static void congruent_forget(struct alike *alike)
{
    if (alike->witnesses)
        alike->witnesses->destroy(alike->witnesses);
    for (uint32_t i = 0; i < alike->n_unlike; i++) {
        free(alike->unlike[i].ops);
        free(alike->unlike[i].begin);
    }
    alike->n_unlike = 0;
    alike->n_steps = 0;
    alike->n_operations = 0;
}

/* ---- the schedule ---- */

/* Writes the operations of all ranks in a list, the first of each rank, then the second ones; returns how
 * many. */
static size_t make_list(const struct alike *alike, const struct unlike *unlike, int list,
                        const struct op *own, struct op *made)
{
    const struct symmetry *symmetry = &alike->symmetry;
    const size_t *begin = unlike->begin + (size_t)list * (symmetry->n_orbits + 1);
    const uint64_t n = n_of_all(alike, begin[symmetry->n_orbits]);
    size_t n_made = 0;
    for (size_t turn = 0; n_made < n; turn++)
        for (uint32_t rank = 0; rank < symmetry->shifts.n_ranks; rank++) {
            const uint32_t orbit = symmetry_orbit(symmetry, rank);
            if (begin[orbit] + turn >= begin[orbit + 1])
                continue;
            struct op *op = &made[n_made++];
            *op = own[begin[orbit] + turn];
            op->rank = rank;
            if (!op_is_local(op))
                op->peer = shifts_add(&symmetry->shifts, op->peer, symmetry_shift_to(symmetry, rank));
        }
    return n_made;
}

static void congruent_make_step(struct alike *alike, const struct unlike *unlike, struct step *step)
{
    const uint32_t n_orbits = alike->symmetry.n_orbits;
    const struct op *own = unlike->ops;
    alike->ops =
        mem_grow(alike->ops, &alike->capacity, n_of_all(alike, unlike->n_ops) + 1, sizeof *alike->ops);
    size_t n[N_LISTS];
    struct op *made = alike->ops;
    for (int list = 0; list < N_LISTS; list++) {
        n[list] = make_list(alike, unlike, list, own, made);
        own += unlike->begin[(size_t)list * (n_orbits + 1) + n_orbits];
        made += n[list];
    }
    *step = (struct step){.index = step->index,
                          .sends = alike->ops,
                          .n_sends = n[0],
                          .receives = alike->ops + n[0],
                          .n_receives = n[1],
                          .copies = alike->ops + n[0] + n[1],
                          .n_copies = n[2],
                          .n_more = unlike->n_times - 1};
}

static void congruent_rewind(struct schedule *schedule)
{
    struct alike *alike = (struct alike *)schedule;
    alike->at = 0;
    for (uint32_t i = 0; i < alike->n_unlike; i++)
        alike->unlike[i].is_given = false;
}

static bool congruent_next(struct schedule *schedule, struct step *step)
{
    struct alike *alike = (struct alike *)schedule;
    if (alike->at == alike->n_steps)
        return false;
    struct unlike *unlike = &alike->unlike[alike->number[alike->at]];
    *step = (struct step){.index = alike->at++, .like = unlike->is_given ? unlike->like : 0};
    if (!unlike->is_given)
        congruent_make_step(alike, unlike, step);
    unlike->is_given = true;
    return true;
}

static void congruent_destroy(struct schedule *schedule)
{
    struct alike *alike = (struct alike *)schedule;
    congruent_forget(alike);
    free(alike->number);
    free(alike->ops);
    free(alike);
}

/* Tries one group of shifts. True if it holds. */
static bool congruent_try_group(struct alike *alike, const struct binding *binding,
                                struct diagnostics *unread)
{
    const struct symmetry *symmetry = &alike->symmetry;
    congruent_forget(alike);
    alike->witnesses = expand_witnesses(binding, symmetry->witness, symmetry->n_witnesses, unread);
    if (!alike->witnesses)
        return false;
    alike->symmetry.schedule = alike->witnesses;
    alike->schedule.header = alike->witnesses->header;
    alike->schedule.source = alike->witnesses->source;
    const bool differs = alike->schedule.header.counts || alike->schedule.header.n_networks; /* by rank */
    return !differs && look_at_all(alike);
}

/* Numbers those that come again. They are in the order in which they come first. */
static void number_likes(struct alike *alike)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < alike->n_unlike; i++)
        alike->unlike[i].like = alike->unlike[i].n_times > 1 ? ++n : 0;
}

struct schedule *expand_congruent(const struct binding *binding)
{
    struct alike *alike = mem_alloc(1, sizeof *alike);
    struct diagnostics unread = {0};
    const char *reason;
    bool is_known = false;
    for (uint32_t next = 0; !is_known && !alike->is_too_much &&
                            symmetry_find(binding, &next, &alike->symmetry, &unread, &reason);)
        is_known = congruent_try_group(alike, binding, &unread);
    diagnostics_free(&unread);
    number_likes(alike);
    alike->schedule.next = congruent_next;
    alike->schedule.rewind = congruent_rewind;
    alike->schedule.destroy = congruent_destroy;
    if (is_known)
        return &alike->schedule;
    congruent_destroy(&alike->schedule);
    return NULL;
}

uint64_t congruent_n_operations(const struct schedule *alike)
{
    return ((const struct alike *)alike)->n_operations;
}
