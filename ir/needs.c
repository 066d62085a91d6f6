/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See needs.h. Where something is combined, terms are taken apart into single
 * chunks: chunks of `in` that meet in a chunk of `out` are united (a forest of
 * trees, union-find), and a tree is a datum.
 */
#include "ir/needs.h"

#include "base/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chunk of `out` needs a chunk of `in`. */
struct contribution {
    uint32_t rank, chunk, from, from_chunk;
    const struct need_term *term;
};

static int needs_compare_terms(const void *left, const void *right)
{
    const struct need_term *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static int needs_compare_contributions(const void *left, const void *right)
{
    const struct contribution *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->from_chunk > b->from_chunk) - (a->from_chunk < b->from_chunk);
}

static bool are_in_the_same(const struct contribution *a, const struct contribution *b)
{
    return a->rank == b->rank && a->chunk == b->chunk;
}

static bool needs_fail(struct need_fault *fault, const struct need_term *a, const struct need_term *b,
                       const char *help)
{
    fault->a = *a;
    fault->b = *b;
    fault->help = help;
    return false;
}

/* ---- without sums ---- */

/* True if some chunk has several terms, or one of several ranks. */
static bool has_sums(const struct needs *needs)
{
    uint64_t end = 0;
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        const bool is_next = i > 0 && term[-1].rank == term->rank;
        if (term->last > term->from || (is_next && term->chunk < end))
            return true;
        end = (is_next && end > (uint64_t)term->chunk + term->n) ? end : (uint64_t)term->chunk + term->n;
    }
    return false;
}

/* Returns the index of the sum of these ranks: of one rank its number, of
 * several one of the last ones if it is the same. */
static uint32_t needs_sum_of(struct needs *needs, const uint32_t *ranks, uint32_t n)
{
    enum { LOOKED_AT = 64 };
    if (n == 1)
        return ranks[0];
    for (size_t i = needs->n_sums; i > needs->n_ranks && i + LOOKED_AT > needs->n_sums; i--) {
        const struct need_sum *sum = &needs->sums[i - 1];
        if (sum->n == n && memcmp(needs->ranks + sum->first, ranks, n * sizeof *ranks) == 0)
            return (uint32_t)(i - 1);
    }
    needs->sums = mem_grow(needs->sums, &needs->sums_capacity, needs->n_sums + 1, sizeof *needs->sums);
    needs->ranks = mem_grow(needs->ranks, &needs->ranks_capacity, needs->n_ranks_of_sums + n, sizeof *ranks);
    memcpy(needs->ranks + needs->n_ranks_of_sums, ranks, n * sizeof *ranks);
    needs->sums[needs->n_sums] = (struct need_sum){needs->n_ranks_of_sums, n};
    needs->n_ranks_of_sums += n;
    return (uint32_t)needs->n_sums++;
}

static void needs_index(struct needs *needs, const uint32_t *rank_of, size_t n)
{
    size_t next = 0;
    needs->first = mem_alloc((size_t)needs->n_ranks + 1, sizeof *needs->first);
    for (uint32_t rank = 0; rank <= needs->n_ranks; rank++) {
        while (next < n && rank_of[next] < rank)
            next++;
        needs->first[rank] = next;
    }
}

static void make_plain(struct needs *needs)
{
    uint32_t *rank_of = mem_alloc(needs->n_terms + 1, sizeof *rank_of);
    needs->items = mem_alloc(needs->n_terms + 1, sizeof *needs->items);
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        rank_of[i] = term->rank;
        needs->items[i] = (struct need){term->chunk, term->n,
                                        (uint64_t)term->from * needs->n_in + term->from_chunk, term->from};
    }
    needs_index(needs, rank_of, needs->n_terms);
    free(rank_of);
}

/* ---- with sums ---- */

static uint64_t find_root(uint64_t *parent, uint64_t place)
{
    while (parent[place] != place)
        place = parent[place] = parent[parent[place]];
    return place;
}

/* The lowest place is the root, and the number of the datum. */
static void unite(uint64_t *parent, uint64_t a, uint64_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

static struct contribution *list_contributions(const struct needs *needs, size_t *n)
{
    struct contribution *list = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        const size_t more = (size_t)term->n * ((size_t)term->last - term->from + 1);
        list = mem_grow(list, &capacity, *n + more, sizeof *list);
        for (uint32_t k = 0; k < term->n; k++)
            for (uint32_t from = term->from; from <= term->last; from++)
                list[(*n)++] =
                    (struct contribution){term->rank, term->chunk + k, from, term->from_chunk + k, term};
    }
    if (*n)
        qsort(list, *n, sizeof *list, needs_compare_contributions);
    return list;
}

/* Refuses a chunk that is said to be two things, or needs two chunks of a rank.
 */
static bool check_pair(const struct contribution *a, const struct contribution *b, struct need_fault *fault)
{
    if (!are_in_the_same(a, b))
        return true;
    if (!a->term->adds || !b->term->adds) {
        snprintf(fault->words, sizeof fault->words,
                 "out[%u] of rank %u needs in[%u] of rank %u, and in[%u] of rank %u", a->chunk, a->rank,
                 a->from_chunk, a->from, b->from_chunk, b->from);
        return needs_fail(fault, b->term, a->term,
                          "a chunk holds one datum: write '+=' in both lines if "
                          "the two are to be combined");
    }
    if (a->from != b->from)
        return true;
    snprintf(fault->words, sizeof fault->words,
             "out[%u] of rank %u needs in[%u] and in[%u] of rank %u combined", a->chunk, a->rank,
             a->from_chunk, b->from_chunk, a->from);
    return needs_fail(fault, b->term, a->term,
                      "a rank contributes one chunk to a result: combine them in one first");
}

/* Each datum has one contribution of a rank, wherever it is needed. */
static bool check_data(const struct needs *needs, const struct contribution *list, size_t n,
                       struct need_fault *fault)
{
    const size_t n_places = (size_t)needs->n_ranks * needs->n_in;
    const struct contribution **of_place = mem_alloc(n_places, sizeof *of_place);
    uint64_t *last = mem_alloc(n_places, sizeof *last); /* place + 1 of the rank at hand that a
                                                           datum was seen at */
    bool is_right = true;
    for (size_t i = 0; i < n; i++)
        of_place[(size_t)list[i].from * needs->n_in + list[i].from_chunk] = &list[i];
    for (size_t place = 0; place < n_places && is_right; place++) {
        const uint64_t datum = needs->datum_of[place], rank = place / needs->n_in, before = last[datum];
        last[datum] = place + 1;
        if (!before || (before - 1) / needs->n_in != rank)
            continue;
        snprintf(fault->words, sizeof fault->words,
                 "in[%llu] and in[%llu] of rank %llu are contributions to one result",
                 (unsigned long long)((before - 1) % needs->n_in), (unsigned long long)(place % needs->n_in),
                 (unsigned long long)rank);
        is_right = needs_fail(fault, of_place[place]->term, of_place[before - 1]->term,
                              "what is combined with one of them must not be combined "
                              "with the other one elsewhere");
    }
    free(of_place);
    free(last);
    return is_right;
}

static bool make_data(struct needs *needs, const struct contribution *list, size_t n,
                      struct need_fault *fault)
{
    const size_t n_places = (size_t)needs->n_ranks * needs->n_in;
    needs->datum_of = mem_alloc(n_places + 1, sizeof *needs->datum_of);
    for (size_t place = 0; place < n_places; place++)
        needs->datum_of[place] = place;
    for (size_t i = 1; i < n; i++) {
        if (!check_pair(&list[i - 1], &list[i], fault))
            return false;
        if (are_in_the_same(&list[i - 1], &list[i]))
            unite(needs->datum_of, (uint64_t)list[i - 1].from * needs->n_in + list[i - 1].from_chunk,
                  (uint64_t)list[i].from * needs->n_in + list[i].from_chunk);
    }
    for (size_t place = 0; place < n_places; place++)
        needs->datum_of[place] = find_root(needs->datum_of, place);
    return check_data(needs, list, n, fault);
}

/* True if the item goes on with the one before it. */
static bool goes_on(const struct need *before, const struct need *item, bool is_same_rank)
{
    return is_same_rank && before->chunk + before->n == item->chunk &&
           before->datum + before->n == item->datum && before->sum == item->sum;
}

static void make_items(struct needs *needs, const struct contribution *list, size_t n)
{
    uint32_t *rank_of = mem_alloc(n + 1, sizeof *rank_of), *ranks = mem_alloc(n + 1, sizeof *ranks);
    size_t n_items = 0;
    needs->items = mem_alloc(n + 1, sizeof *needs->items);
    for (size_t i = 0, next; i < n; i = next) {
        uint32_t n_from = 0;
        for (next = i; next < n && are_in_the_same(&list[i], &list[next]); next++)
            ranks[n_from++] = list[next].from;
        const struct need item = {list[i].chunk, 1, needs_datum_of(needs, list[i].from, list[i].from_chunk),
                                  needs_sum_of(needs, ranks, n_from)};
        struct need *before = n_items ? &needs->items[n_items - 1] : NULL;
        if (before && goes_on(before, &item, rank_of[n_items - 1] == list[i].rank)) {
            before->n++;
            continue;
        }
        rank_of[n_items] = list[i].rank;
        needs->items[n_items++] = item;
    }
    needs_index(needs, rank_of, n_items);
    free(rank_of);
    free(ranks);
}

/* False if more is combined, or might be, than can be kept. */
static bool is_combined_size(const struct needs *needs, struct need_fault *fault)
{
    enum { MOST = NEEDS_MAX_PLACES };
    uint64_t n = 0;
    if ((uint64_t)needs->n_ranks * needs->n_in > MOST) {
        snprintf(fault->words, sizeof fault->words, "all ranks have more than %d chunks of 'in'", MOST);
        return needs_fail(fault, needs->terms, needs->terms,
                          "so many can be needed only where nothing is combined");
    }
    for (size_t i = 0; i < needs->n_terms; i++) {
        n += (uint64_t)needs->terms[i].n * (needs->terms[i].last - needs->terms[i].from + 1);
        if (n <= MOST)
            continue;
        snprintf(fault->words, sizeof fault->words, "more than %d chunks are combined", MOST);
        return needs_fail(fault, &needs->terms[i], &needs->terms[i], "combine larger chunks");
    }
    return true;
}

static bool make_combined(struct needs *needs, struct need_fault *fault)
{
    size_t n;
    if (!is_combined_size(needs, fault))
        return false;
    struct contribution *list = list_contributions(needs, &n);
    const bool is_right = make_data(needs, list, n, fault);
    if (is_right)
        make_items(needs, list, n);
    free(list);
    return is_right;
}

/* Refuses terms that need what the rank does not have. */
static bool check_has(const struct needs *needs, struct need_fault *fault)
{
    for (size_t i = 0; i < needs->n_terms; i++) {
        const struct need_term *term = &needs->terms[i];
        for (uint32_t from = term->from; from <= term->last; from++)
            for (uint32_t k = 0; k < term->n; k++) {
                if (needs_has(needs, from, term->from_chunk + k))
                    continue;
                snprintf(fault->words, sizeof fault->words,
                         "out[%u] of rank %u needs in[%u] of rank %u, which does not have it",
                         term->chunk + k, term->rank, term->from_chunk + k, from);
                return needs_fail(fault, term, term, "the clause 'has' says which chunks of 'in' a rank has");
            }
    }
    return true;
}

struct needs *needs_new(uint32_t n_ranks, uint32_t n_in, struct need_term *terms, size_t n_terms, bool *has,
                        struct need_fault *fault)
{
    struct needs *needs = mem_alloc(1, sizeof *needs);
    *needs = (struct needs){.n_ranks = n_ranks, .n_in = n_in, .terms = terms, .n_terms = n_terms, .has = has};
    needs->sums = mem_grow(NULL, &needs->sums_capacity, n_ranks, sizeof *needs->sums);
    needs->ranks = mem_grow(NULL, &needs->ranks_capacity, n_ranks, sizeof *needs->ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        needs->sums[rank] = (struct need_sum){rank, 1};
        needs->ranks[rank] = rank;
    }
    needs->n_sums = needs->n_ranks_of_sums = n_ranks;
    if (n_terms)
        qsort(terms, n_terms, sizeof *terms, needs_compare_terms);
    if (has && !check_has(needs, fault)) {
        needs_free(needs);
        return NULL;
    }
    if (!has_sums(needs)) {
        make_plain(needs);
        return needs;
    }
    if (make_combined(needs, fault))
        return needs;
    needs_free(needs);
    return NULL;
}

void needs_free(struct needs *needs)
{
    if (!needs)
        return;
    free(needs->first);
    free(needs->items);
    free(needs->sums);
    free(needs->ranks);
    free(needs->datum_of);
    free(needs->has);
    free(needs->terms);
    free(needs);
}

struct needs *needs_rename(const struct needs *needs, const uint32_t *map)
{
    struct need_term *terms = NULL;
    size_t n = 0, capacity = 0;
    struct need_fault fault;
    for (size_t i = 0; i < needs->n_terms; i++)
        for (uint32_t from = needs->terms[i].from; from <= needs->terms[i].last; from++) {
            terms = mem_grow(terms, &capacity, n + 1, sizeof *terms);
            terms[n] = needs->terms[i];
            terms[n].rank = map[terms[n].rank];
            terms[n].from = terms[n].last = map[from];
            n++;
        }
    bool *has = needs->has ? mem_alloc((size_t)needs->n_ranks * needs->n_in + 1, sizeof *has) : NULL;
    for (uint32_t rank = 0; has && rank < needs->n_ranks; rank++)
        memcpy(has + (size_t)map[rank] * needs->n_in, needs->has + (size_t)rank * needs->n_in,
               needs->n_in * sizeof *has);
    return needs_new(needs->n_ranks, needs->n_in, terms, n, has, &fault);
}

const struct need *needs_find(const struct needs *needs, uint32_t rank, uint32_t chunk)
{
    size_t low = needs->first[rank], high = needs->first[rank + 1];
    SEARCH_FIRST(low, high, middle, (uint64_t)needs->items[middle].chunk + needs->items[middle].n <= chunk);
    return low < needs->first[rank + 1] ? &needs->items[low] : NULL;
}
