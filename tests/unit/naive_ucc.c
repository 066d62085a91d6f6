/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Score strings of UCC; see naive_tables.h. Knows items of one collective that has algorithms, the
 * memory types host and cuda, decimal scores, and sections with team_size and nnodes.
 */
#include "tests/unit/naive_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_RANGES = 64 };

/* An item, with the call in view. */
struct item {
    bool is_of_collective, is_of_host, is_of_team, has_score;
    bool said[5]; /* collectives, memory, score, sizes, teams */
    uint64_t score, from[MAX_RANGES], end[MAX_RANGES];
    int n_sizes;
    char collective[32], algorithm[32];
};
/* The ranges of the collective so far, of any item. */
struct taken {
    uint64_t from[MAX_RANGES], end[MAX_RANGES];
    char algorithm[MAX_RANGES][32];
    int n;
};

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static const char *name_of(const char *collective, const char *algorithm)
{
    static const char *const names[][9] = {
        {"allgather", "knomial", "ring", "neighbor", "bruck", "sparbit", "linear", "batched"},
        {"allreduce", "knomial", "sra_knomial", "sliding_window", "dbt", "ring"},
        {"alltoall", "pairwise", "bruck", "onesided"},
        {"bcast", "knomial", "sag_knomial", "dbt"}};
    char number[8];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 1; is(names[i][0], collective) && k < 9 && names[i][k]; k++) {
            snprintf(number, sizeof number, "%d", k - 1);
            if (strcasecmp(algorithm, names[i][k]) == 0 || is(algorithm, number))
                return names[i][k];
        }
    return NULL;
}

static uint64_t size_of(const char **at)
{
    char *end;
    if (strncmp(*at, "inf", 3) == 0) {
        *at += 3;
        return UINT64_MAX;
    }
    const uint64_t value = strtoull(*at, &end, 10);
    const int shift = *end == 'k' ? 10 : *end == 'm' ? 20 : 0;
    *at = end + (shift != 0);
    return value << shift;
}

/* Reads ranges with ',' between; the value in view is in one of them (both ends belong to it). */
static bool in_ranges(const char *at, uint64_t value)
{
    for (;; at++) {
        const uint64_t first = size_of(&at);
        const uint64_t last = *at == '-' ? (at++, size_of(&at)) : first;
        if (first <= value && value <= last)
            return true;
        if (*at != ',')
            return false;
    }
}

static void read_sizes(struct item *item, const char *at)
{
    for (;; at++) {
        item->from[item->n_sizes] = size_of(&at);
        at += *at == '-';
        item->end[item->n_sizes++] = size_of(&at);
        if (*at != ',')
            return;
    }
}

/* False: the part is nothing, or was there already. */
static bool read_part(struct item *item, const char *part, const struct naive_call *call)
{
    const int kind = *part >= 'a' && *part <= 'z' && !is(part, "inf") ? is(part, "host") || is(part, "cuda")
                     : *part == '['                                   ? 4
                     : strchr(part, '-')                              ? 3
                                                                      : 2;
    if (*part == '@') {
        snprintf(item->algorithm, sizeof item->algorithm, "%s", part + 1);
        return true;
    }
    if (item->said[kind])
        return false;
    item->said[kind] = true;
    if (kind == 0)
        snprintf(item->collective, sizeof item->collective, "%s", part);
    else if (kind == 1)
        item->is_of_host = is(part, "host");
    else if (kind == 2)
        item->score = strtoull(part, NULL, 10);
    else if (kind == 3)
        read_sizes(item, part);
    else
        item->is_of_team = in_ranges(part + 1, (uint64_t)call->n_ranks);
    return true;
}

/* False: it meets a range that was taken, or is none. */
static bool take(struct taken *taken, uint64_t from, uint64_t end, const char *algorithm)
{
    for (int i = 0; i < taken->n; i++)
        if (from < taken->end[i] && taken->from[i] < end)
            return false;
    if (from >= end)
        return false;
    taken->from[taken->n] = from;
    taken->end[taken->n] = end;
    snprintf(taken->algorithm[taken->n++], sizeof taken->algorithm[0], "%s", algorithm);
    return true;
}

/* False: the string is refused for this item. */
static bool read_item(char *text, const struct naive_call *call, struct taken *taken)
{
    static const char *const names[] = {"allgather", "allreduce", "alltoall", "bcast"};
    struct item item = {.is_of_host = true, .is_of_team = true};
    char *rest;
    for (char *part = strtok_r(text, ":", &rest); part; part = strtok_r(NULL, ":", &rest))
        if (!read_part(&item, part, call))
            return false;
    if (!item.is_of_team || (!item.said[2] && !*item.algorithm))
        return true;
    size_t number = 0;
    while (number < 4 && !is(names[number], item.collective))
        number++;
    if (number < 4 && *item.algorithm && !name_of(item.collective, item.algorithm))
        return false;
    if (number == 4 || !item.is_of_host)
        return true;
    const char *algorithm = item.said[2] && item.score == 0 ? "none"
                            : *item.algorithm               ? name_of(item.collective, item.algorithm)
                                                            : "default";
    bool is_taken = true;
    if (item.n_sizes == 0)
        is_taken = take(&taken[number], 0, UINT64_MAX, algorithm);
    for (int i = 0; i < item.n_sizes; i++)
        is_taken = take(&taken[number], item.from[i], item.end[i], algorithm);
    return is_taken;
}

static void choose_by_string(char *text, const struct naive_call *call, char *choice, size_t size)
{
    static struct taken taken[4];
    const int number = is(call->collective, "allgather")   ? 0
                       : is(call->collective, "allreduce") ? 1
                       : is(call->collective, "alltoall")  ? 2
                                                           : 3;
    const uint64_t key = call->bytes * (number % 2 ? 1 : (uint64_t)call->n_ranks);
    memset(taken, 0, sizeof taken);
    char *rest;
    for (char *item = strtok_r(text, "#", &rest); item; item = strtok_r(NULL, "#", &rest))
        if (!read_item(item, call, taken))
            return;
    for (int i = 0; i < taken[number].n && (number < 3 || is(call->collective, "bcast")); i++)
        if (taken[number].from[i] <= key && key < taken[number].end[i])
            snprintf(choice, size, "%s", taken[number].algorithm[i]);
}

static bool fits(const char *section, const char *key, int value)
{
    const char *at = strstr(section, key);
    return !at || in_ranges(at + strlen(key), (uint64_t)value);
}

/* Writes what tl/ucp takes by itself. */
static void choose_own(const struct naive_call *call, char *choice, size_t size)
{
    const bool is_small = call->bytes < 32768;
    if (is(call->collective, "allgather"))
        snprintf(choice, size, "%s", call->bytes * (uint64_t)call->n_ranks < 4096 ? "knomial"
                                     : call->n_ranks % 2                          ? "ring"
                                                                                  : "neighbor");
    if (is(call->collective, "allreduce"))
        snprintf(choice, size, "%s", call->bytes < 4096 ? "knomial" : "sra_knomial");
    if (is(call->collective, "alltoall"))
        snprintf(choice, size, "%s", call->bytes <= 128 ? "bruck" : "pairwise");
    if (is(call->collective, "bcast"))
        snprintf(choice, size, "%s", call->n_ranks == 2 || is_small ? "knomial" : "sag_knomial");
    if (is(call->collective, "reduce"))
        snprintf(choice, size, "%s", is_small ? "knomial" : "srg");
}

void naive_ucc_choose(const char *text, const struct naive_call *call, char *choice, size_t size)
{
    static const char variable[] = "UCC_TL_UCP_TUNE=";
    char line[4096], found[4096] = "";
    bool does_fit = true, is_of_section = false, is_found = false;
    snprintf(choice, size, "default");
    for (const char *at = text; *at; at += *at == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        at += strcspn(at, "\n");
        const char *value = strstr(line, variable);
        if (*line == '[') {
            does_fit = fits(line, "team_size=", call->n_ranks) && fits(line, "nnodes=", call->n_nodes);
            is_of_section = true;
        } else if (value && does_fit) {
            value += sizeof variable - 1;
            value += *value == '"';
            snprintf(found, sizeof found, "%.*s", (int)strcspn(value, "\""), value);
            is_found = true;
            if (is_of_section)
                break;
        }
    }
    if (is_found)
        choose_by_string(found, call, choice, size);
    if (is(choice, "default"))
        choose_own(call, choice, size);
    if (is(choice, "neighbor") && call->n_ranks % 2)
        snprintf(choice, size, "neighbor by ring");
    const bool is_mapped = is(choice, "onesided") || is(choice, "sliding_window");
    if (is_mapped) {
        char own[32] = "";
        choose_own(call, own, sizeof own);
        snprintf(choice + strlen(choice), size - strlen(choice), " by %s", own);
    }
}
