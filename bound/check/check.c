/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates exactly what lengths prove. See check.h. With the length l of each link and its amount of the
 * measure (c: cables, or bytes per second), some link carries for each unit of it at least
 *
 *     sum over demands of (amount * least sum of l on a path from one to the other) / sum of c * l
 *
 * If routes are given, a path consists of whole routes between nodes with ranks, which are the only ones
 * to relay. For a cut it is blocks / sum of c: of the blocks at the nodes of a set, which are needed
 * outside and get out over the links that leave it; or which all contribute to, and which come in over
 * the links that enter.
 */
#include "bound/check/check.h"

#include "bound/check/proof_file.h"
#include "bound/check/fabric.h"

#include <gmp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FAR UINT64_MAX

/* One bound of the certificate, and its evaluation. */
struct stated {
    const struct proof_file *file;
    bool is_time;
    uint64_t *length;   /* [link] below 2^62 in all */
    uint64_t *route;    /* [route] the lengths of its links together */
    uint64_t *distance; /* [node] distance from the current source */
    bool *inside;       /* [node] of a cut */
    mpz_t top, bottom, term;
};

/* ---- sums ---- */

static void set_u64(mpz_t number, uint64_t value)
{
    mpz_import(number, 1, -1, sizeof value, 0, 0, &value);
}

/* Adds a * b to sum. */
static void add_product(mpz_t sum, mpz_t term, uint64_t a, uint64_t b)
{
    mpz_t factor;
    mpz_init(factor);
    set_u64(term, a);
    set_u64(factor, b);
    mpz_addmul(sum, term, factor);
    mpz_clear(factor);
}

/* True if the path over a link or route from node to node is shorter, which it then takes. Neither is as
 * long as 2^62, so no sum overflows. */
static bool shorten(struct stated *claim, uint32_t from, uint32_t to, uint64_t length)
{
    if (claim->distance[from] == FAR || claim->distance[from] + length >= claim->distance[to])
        return false;
    claim->distance[to] = claim->distance[from] + length;
    return true;
}

/* Goes through the links, or routes, again and again, until no distance gets less (Bellman and Ford). */
static void check_find_distances(struct stated *claim, uint32_t source)
{
    const struct proof_file *file = claim->file;
    bool is_less = true;
    for (uint32_t node = 0; node < file->n_nodes; node++)
        claim->distance[node] = node == source ? 0 : FAR;
    while (is_less) {
        is_less = false;
        for (uint32_t i = 0; i < file->n_links && !file->is_routed; i++)
            is_less |= shorten(claim, file->links[i].from, file->links[i].to, claim->length[i]);
        for (size_t i = 0; i < file->n_routes; i++)
            is_less |= shorten(claim, file->routes[i].from, file->routes[i].to, claim->route[i]);
    }
}

/* Adds a demand. Returns false if there is no path at all. */
static bool check_add_demand(struct stated *claim, uint32_t to, uint64_t amount)
{
    if (claim->distance[to] == FAR)
        return false;
    add_product(claim->top, claim->term, amount, claim->distance[to]);
    return true;
}

static bool add_products(struct stated *claim)
{
    const struct proof_file *file = claim->file;
    const uint64_t *ranks = file->ranks;
    mpz_t rest, own;
    mpz_inits(rest, own, NULL);
    bool reaches = true;
    for (uint32_t from = 0; from < file->n_nodes && reaches; from++) {
        if (ranks[from] == 0)
            continue;
        check_find_distances(claim, from);
        mpz_swap(rest, claim->top); /* keep the sum so far; what is added now is ranks[from] times */
        mpz_set_ui(claim->top, 0);
        for (uint32_t to = 0; to < file->n_nodes && reaches; to++)
            if (to != from && ranks[to])
                reaches = check_add_demand(claim, to, ranks[to]);
        set_u64(own, ranks[from]);
        mpz_addmul(rest, own, claim->top);
        mpz_swap(rest, claim->top);
    }
    mpz_clears(rest, own, NULL);
    return reaches;
}

static bool add_demands(struct stated *claim)
{
    const struct proof_file *file = claim->file;
    if (!file->is_listed)
        return add_products(claim);
    for (size_t i = 0; i < file->n_demands; i++) {
        const struct proof_demand *demand = &file->demands[i];
        if (i == 0 || demand->from != file->demands[i - 1].from)
            check_find_distances(claim, demand->from);
        if (!check_add_demand(claim, demand->to, demand->amount))
            return false;
    }
    return true;
}

/* ---- one bound ---- */

/* Reads the lengths. Returns their error, or NULL. */
static const char *read_lengths(const json_t *lengths, struct stated *claim)
{
    const struct proof_file *file = claim->file;
    uint64_t sum = 0, divisor = 0;
    if (!json_is_array(lengths) || json_array_size(lengths) != file->n_links)
        return "its lengths are not one for each link";
    for (uint32_t i = 0; i < file->n_links; i++) {
        const struct proof_link *link = &file->links[i];
        uint64_t a, b = divisor;
        if (!proof_file_number(lengths, i, 0, &claim->length[i]) ||
            claim->length[i] >= (UINT64_C(1) << 62) - sum)
            return "its lengths are not numbers from 0 on, below 2^62 together";
        if (link->cables == 0 && claim->length[i])
            return "a link that any number of messages crosses at no cost has a length";
        sum += claim->length[i];
        for (a = claim->length[i]; a; a = b % a, b = divisor)
            divisor = a;
        add_product(claim->bottom, claim->term, claim->is_time ? link->bandwidth : link->cables,
                    claim->length[i]);
    }
    if (divisor != 1)
        return "its lengths have a common divisor, or are all 0";
    return NULL;
}

static void measure_routes(struct stated *claim)
{
    const struct proof_file *file = claim->file;
    for (size_t i = 0; i < file->n_routes; i++)
        for (size_t hop = 0; hop < file->routes[i].n_hops; hop++)
            claim->route[i] += claim->length[file->hops[file->routes[i].first + hop]];
}

/* ---- one cut ---- */

/* Reads the set. Returns its error, or NULL. */
static const char *read_inside(const json_t *inside, struct stated *claim)
{
    const struct proof_file *file = claim->file;
    uint64_t node, next = 0;
    bool is_needed = false;
    for (size_t i = 0; i < json_array_size(inside); i++) {
        if (!proof_file_number(inside, i, next, &node) || node >= file->n_nodes)
            return "'inside' are not nodes in ascending order";
        claim->inside[node] = true;
        next = node + 1;
    }
    for (uint32_t other = 0; other < file->n_nodes; other++)
        is_needed |= file->ranks[other] && !claim->inside[other];
    return is_needed ? NULL : "all ranks are inside";
}

/* The blocks of a collective that all need or all contribute to. */
enum blocks { BLOCKS_ONE, BLOCKS_RANKS, BLOCKS_COUNTS };
static const struct meaning {
    const char *collective;
    enum blocks blocks;
    bool gets_out, comes_in;
} meanings[] = {
    {"allgather", BLOCKS_RANKS, true, false},
    {"allgatherv", BLOCKS_COUNTS, true, false},
    {"bcast", BLOCKS_ONE, true, false},
    {"reduce", BLOCKS_ONE, false, true},
    {"reduce_scatter_block", BLOCKS_RANKS, false, true},
    {"reduce_scatter", BLOCKS_COUNTS, false, true},
    {"allreduce", BLOCKS_ONE, true, true}, /* the block of any one rank: it comes from all and gets to all */
};

/* True if the blocks and their direction fit the collective. */
static bool is_meant(const struct proof_file *file, const char *direction)
{
    const struct meaning *meaning = NULL;
    uint64_t n_ones = 0;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(meanings[i].collective, file->collective) == 0)
            meaning = &meanings[i];
    if (!meaning || !direction ||
        !((meaning->gets_out && !strcmp(direction, "out")) ||
          (meaning->comes_in && !strcmp(direction, "in"))))
        return false;
    for (uint32_t node = 0; node < file->n_nodes; node++) {
        if ((file->blocks[node] && !file->ranks[node]) ||
            (meaning->blocks == BLOCKS_RANKS && file->blocks[node] != file->ranks[node]) ||
            (meaning->blocks == BLOCKS_ONE && file->blocks[node] > 1))
            return false;
        n_ones += file->blocks[node] > 0;
    }
    return meaning->blocks != BLOCKS_ONE || n_ones == 1;
}

static const char *add_cut(struct stated *claim, const json_t *bound)
{
    const struct proof_file *file = claim->file;
    const char *direction = json_string_value(json_object_get(bound, "direction"));
    const char *problem = read_inside(json_object_get(bound, "inside"), claim);
    if (problem || !is_meant(file, direction))
        return problem ? problem : "its blocks or their direction are not those of the collective";
    for (uint32_t node = 0; node < file->n_nodes; node++)
        if (claim->inside[node])
            add_product(claim->top, claim->term, file->blocks[node], 1);
    for (uint32_t i = 0; i < file->n_links; i++) {
        const struct proof_link *link = &file->links[i];
        const bool goes_in = strcmp(direction, "in") == 0;
        const uint32_t first = goes_in ? link->to : link->from, last = goes_in ? link->from : link->to;
        if (!claim->inside[first] || claim->inside[last])
            continue;
        if (link->cables == 0)
            return "a link that any number of messages crosses at no cost leads out of the set";
        add_product(claim->bottom, claim->term, claim->is_time ? link->bandwidth : link->cables, 1);
    }
    return mpz_sgn(claim->bottom) ? NULL : "no link leads out of the set";
}

/* Returns the quotient as the certificate must state it. */
static char *quotient_of(struct stated *claim, mpq_t quotient)
{
    mpz_set(mpq_numref(quotient), claim->top);
    mpz_set(mpq_denref(quotient), claim->bottom);
    mpq_canonicalize(quotient);
    return mpq_get_str(NULL, 10, quotient);
}

static bool check_compare(struct stated *claim, const char *stated, struct text *why)
{
    mpq_t proved, said;
    const char *proofs = claim->file->blocks ? "the cut proves" : "the lengths prove";
    mpq_inits(proved, said, NULL);
    char *exact = quotient_of(claim, proved);
    const bool is_equal = strcmp(exact, stated) == 0;
    if (!is_equal && strspn(stated, "0123456789/") == strlen(stated) && strlen(stated) < 1000 &&
        mpq_set_str(said, stated, 10) == 0 && mpz_sgn(mpq_denref(said)) != 0) {
        mpq_canonicalize(said);
        const int order = mpq_cmp(proved, said);
        text_printf(why, "%s %s, which is %s what is stated", proofs, exact,
                    order < 0 ? "less than" : order > 0 ? "more than" : "another way to write");
    } else if (!is_equal) {
        text_printf(why, "%s %s, and what is stated is no fraction", proofs, exact);
    }
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(exact, strlen(exact) + 1);
    mpq_clears(proved, said, NULL);
    return is_equal;
}

static bool check_prove(struct stated *claim, const json_t *bound, struct text *why)
{
    const bool is_cut = claim->file->blocks;
    const char *problem =
        is_cut ? add_cut(claim, bound) : read_lengths(json_object_get(bound, "lengths"), claim);
    if (!problem)
        measure_routes(claim);
    if (!problem && !is_cut && !add_demands(claim))
        problem = "there is no way from one node to another, as the demands ask for";
    if (problem)
        text_printf(why, "%s", problem);
    return !problem && check_compare(claim, json_string_value(json_object_get(bound, "bound")), why);
}

static bool check_bound(const struct proof_file *file, bool is_time, const json_t *bound,
                        struct text *why)
{
    const char *measure = json_string_value(json_object_get(bound, "measure"));
    const char *wanted = is_time ? "time" : "load";
    const char *keys = file->blocks ? "measure bound direction inside" : "measure bound lengths";
    if (!proof_file_has_keys(bound, keys) || !measure ||
        !json_is_string(json_object_get(bound, "bound")) || strcmp(measure, wanted) != 0) {
        text_printf(why, "it is not the measure '%s', with just these members: %s", wanted, keys);
        return false;
    }
    struct stated claim = {.file = file, .is_time = is_time,
                             .length = mem_alloc(file->n_links, sizeof(uint64_t)),
                             .route = mem_alloc(file->n_routes, sizeof(uint64_t)),
                             .distance = mem_alloc(file->n_nodes, sizeof(uint64_t)),
                             .inside = mem_alloc(file->n_nodes, sizeof(bool))};
    mpz_inits(claim.top, claim.bottom, claim.term, NULL);
    const bool is_proved = check_prove(&claim, bound, why);
    mpz_clears(claim.top, claim.bottom, claim.term, NULL);
    free(claim.length);
    free(claim.route);
    free(claim.distance);
    free(claim.inside);
    return is_proved;
}

/* ---- all of it ---- */

/* True if all cables have the same bandwidth, so that the load determines the time. */
static bool is_even(const struct proof_file *file)
{
    uint64_t bandwidth = 0;
    for (uint32_t i = 0; i < file->n_links; i++) {
        const struct proof_link *link = &file->links[i];
        if (link->cables == 0)
            continue;
        if (link->bandwidth % link->cables != 0 ||
            (bandwidth && link->bandwidth / link->cables != bandwidth))
            return false;
        bandwidth = link->bandwidth / link->cables;
    }
    return true;
}

/* Checks the load and, if it adds something, the time. */
static bool check_bounds(const struct proof_file *file, struct text *why)
{
    const size_t n = is_even(file) ? 1 : 2;
    struct text problem = {0};
    bool is_good = json_array_size(file->bounds) == n;
    if (!is_good)
        text_printf(why, "'bounds' are not of the load%s", n == 2 ? " and the time" : " alone");
    for (size_t i = 0; i < n && is_good; i++) {
        is_good = check_bound(file, i == 1, json_array_get(file->bounds, i), &problem);
        if (!is_good)
            text_printf(why, "bound %zu: %s", i + 1, problem.data);
    }
    text_free(&problem);
    return is_good;
}

static void say_what_is_proved(const struct proof_file *file, struct text *out)
{
    const bool is_bytes = !strcmp(file->unit, "bytes");
    text_append_safe(out, file->collective);
    text_printf(out, " on ");
    text_append_safe(out, file->topology);
    for (size_t i = 0; i < json_array_size(file->bounds); i++) {
        const json_t *bound = json_array_get(file->bounds, i);
        const bool is_time = !strcmp(json_string_value(json_object_get(bound, "measure")), "time");
        text_printf(out, "%s at least %s ", i ? ", and" : ":",
                    json_string_value(json_object_get(bound, "bound")));
        text_append_safe(out, is_time ? "seconds" : file->unit);
        text_printf(out, !is_time ? " on some link" : is_bytes ? "" : ", if a block is a byte");
    }
    text_printf(out, "\n");
}

bool proof_file_check(const char *text, size_t length, const struct check_subject *subject,
                       struct text *verdict)
{
    struct proof_file file;
    struct text why = {0};
    const bool is_good = proof_file_read(text, length, &file, &why) &&
                         (!subject || proof_file_is_about(&file, subject, &why)) &&
                         check_bounds(&file, &why);
    if (is_good) {
        text_printf(verdict, "proved: ");
        say_what_is_proved(&file, verdict);
    } else {
        text_printf(verdict, "refused: %s\n", why.data);
    }
    proof_file_free(&file);
    text_free(&why);
    return is_good;
}
