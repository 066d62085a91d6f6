/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See naive_tables.h.
 */
#include "tests/unit/naive_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && !is(*words, word))
        words++;
    return *words != NULL;
}

/* ---- NCCL and RCCL ---- */

static const char *const nccl_collectives[] = {"broadcast",     "reduce",    "allgather",
                                               "reducescatter", "allreduce", NULL};
static const char *const nccl_algorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat", NULL};
static const char *const nccl_protocols[] = {"ll", "ll128", "simple", NULL};

static bool nccl_exists(const char *collective, const char *algorithm)
{
    if (is(collective, "broadcast") || is(collective, "reduce"))
        return is(algorithm, "ring");
    if (is(collective, "allreduce"))
        return !is(algorithm, "pat");
    return !is(algorithm, "tree") && !is(algorithm, "collnet_chain") && !is(algorithm, "nvls_tree");
}

/* Parts of a line between commas; commas beside each other count as one. */
static int split(char *line, char *fields[16])
{
    int n = 0;
    for (char *field = strtok(line, ","); field && n < 16; field = strtok(NULL, ","))
        fields[n++] = field;
    return n;
}

static bool is_any_or(int n, char **fields, int field, long value)
{
    return field >= n || strtol(fields[field], NULL, 10) == -1 || strtol(fields[field], NULL, 10) == value;
}

/* True if the row is for the call; then its choice is written. */
static bool nccl_row(char *line, bool is_rccl, const struct naive_call *call, char *choice, size_t size)
{
    char *fields[16];
    const int n = split(line, fields);
    if (n < 8)
        return false;
    const char *collective = fields[0], *algorithm = fields[3], *protocol = fields[4];
    if (is_rccl && (!is_one_of(collective, nccl_collectives) || !is_one_of(algorithm, nccl_algorithms) ||
                    !is_one_of(protocol, nccl_protocols)))
        return false;
    collective = is_one_of(collective, nccl_collectives) ? collective : "allreduce";
    algorithm = is_one_of(algorithm, nccl_algorithms) ? algorithm : "ring";
    protocol = is_one_of(protocol, nccl_protocols) ? protocol : "simple";
    const bool is_of_all = is(collective, "allgather") || is(collective, "reducescatter");
    const uint64_t bytes = call->bytes * (is_of_all ? (uint64_t)call->n_ranks : 1);
    if (!is(collective, call->collective) || bytes < strtoull(fields[1], NULL, 10) ||
        bytes > strtoull(fields[2], NULL, 10) || !is_any_or(n, fields, 6, call->n_nodes) ||
        !is_any_or(n, fields, 7, call->n_ranks) || !is_any_or(n, fields, 8, 1) ||
        !is_any_or(n, fields, 9, 0) || !nccl_exists(collective, algorithm))
        return false;
    long channels = strtol(fields[5], NULL, 10);
    if (channels == -1)
        channels = is_rccl ? 0 : 1;
    snprintf(choice, size, "%s %s %ld", algorithm, protocol, channels);
    return true;
}

void naive_nccl_choose(const char *text, bool is_rccl, const struct naive_call *call, char *choice,
                       size_t size)
{
    char line[256];
    for (const char *at = text; *at; at += *at == '\n') {
        const size_t whole = strcspn(at, "\n"), length = whole < 255 ? whole : 255;
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        at += length;
        const size_t blanks = is_rccl ? strspn(line, " \t") : 0;
        if (line[blanks] != '#' && nccl_row(line, is_rccl, call, choice, size))
            return;
    }
    snprintf(choice, size, "default");
}

/* ---- coll/han ---- */

/* The collectives of Open MPI, by their numbers. */
static const char *const ompi_names[] = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",      "barrier",
    "bcast",     "exscan",     "gather",    "gatherv",  "reduce",    "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter",    "scatterv",  NULL};
static const char *const han_levels[] = {"intra_node", "inter_node", "global_communicator"};

/* Moves behind blanks and comments, and the word that follows them; a word ends at a bracket, too. */
static void next_word(const char **at, char word[64])
{
    *at += strspn(*at, " \t\r\n");
    while (**at == '#') {
        *at += strcspn(*at, "\n");
        *at += strspn(*at, " \t\r\n");
    }
    const size_t length = strcspn(*at, " \t\r\n#");
    snprintf(word, 64, "%.*s", (int)length, *at);
    *at += length;
}

/* Digits in a word are a number, too. */
static uint64_t next_value(const char **at, int base)
{
    while (**at && (**at < '0' || **at > '9'))
        *at += **at == '#' ? strcspn(*at, "\n") : 1;
    char *end;
    const uint64_t value = strtoull(*at, &end, base);
    *at = end;
    return value;
}

static int next_number(const char **at)
{
    return (int)next_value(at, 0);
}

static bool is_of_han(const char *collective, int level)
{
    static const char *const names[] = {"allgather", "allreduce", "barrier", "bcast",
                                        "gather",    "reduce",    "scatter", NULL};
    return is_one_of(collective, names) || (is(collective, "allgatherv") && level != 2);
}

/* True if what the row names cannot answer the call. */
static bool lacks(const char *component, const struct naive_call *call)
{
    static const char *const answering[] = {"basic", "tuned", NULL};
    if (is_one_of(component, answering))
        return false;
    if (!is(component, "han") || call->level != 2)
        return true;
    const bool is_any = is(call->collective, "allreduce") || is(call->collective, "barrier");
    return call->n_nodes == call->n_ranks || (call->n_ranks % call->n_nodes != 0 && !is_any);
}

static bool names_collective(const char *word, const char *collective)
{
    char *end;
    const long number = strtol(word, &end, 0);
    return is(word, collective) ||
           (*word && !*end && number >= 0 && number < 17 && is(ompi_names[number], collective));
}

/* Reads a level: by number, for Open MPI 5.0 also by name. */
static bool next_is_level(const char **at, bool is_5, int level)
{
    const char *behind = *at;
    char word[64];
    next_word(&behind, word);
    for (int i = 0; i < 3 && is_5; i++)
        if (is(word, han_levels[i])) {
            *at = behind;
            return i == level;
        }
    return next_number(at) == level;
}

/* Reads the rows of a number of ranks. The last that is not above the call's size is written, if they are the
 * call's rows and there is one. */
static void han_rows(const char **at, bool is_5, bool is_for_call, const struct naive_call *call, char *row)
{
    char component[64], algorithm[64];
    if (is_for_call)
        *row = 0;
    for (int n = next_number(at); n > 0; n--) {
        const uint64_t from = next_value(at, 10);
        next_word(at, component);
        const char *before = *at;
        next_word(at, algorithm);
        if (!is_5 || *algorithm != '@') {
            *at = before;
            *algorithm = 0;
        }
        const uint64_t bytes = is(call->collective, "barrier") ? 0 : call->bytes;
        if (is_for_call && from <= bytes)
            snprintf(row, 140, "%s%s%s", component, *algorithm ? " " : "", algorithm);
    }
}

/* Finds the row of the call, empty if there is none. */
static void han_row(const char *text, bool is_5, const struct naive_call *call, char *row)
{
    char word[64];
    const char *at = text;
    *row = 0;
    for (int n_collectives = next_number(&at); n_collectives > 0; n_collectives--) {
        next_word(&at, word);
        const bool is_collective = names_collective(word, call->collective);
        if (is_collective)
            *row = 0;
        for (int n_levels = next_number(&at); n_levels > 0; n_levels--) {
            const bool is_level = next_is_level(&at, is_5, call->level) && is_collective;
            if (is_level)
                *row = 0;
            for (int n_ranks = next_number(&at); n_ranks > 0; n_ranks--) {
                const int from = next_number(&at);
                han_rows(&at, is_5, is_level && from <= call->n_ranks, call, row);
            }
        }
    }
}

void naive_han_choose(const char *text, bool is_5, const struct naive_call *call, char *choice, size_t size)
{
    char row[140], component[64];
    snprintf(choice, size, "default");
    if (!is_of_han(call->collective, call->level) || (call->level != 2 && !is_5) ||
        (call->level == 2 && call->n_nodes == 1))
        return;
    han_row(text, is_5, call, row);
    snprintf(component, sizeof component, "%.*s", (int)strcspn(row, " "), row);
    if (*row)
        snprintf(choice, size, "%s%s", row, lacks(component, call) ? " by tuned" : "");
    else
        snprintf(choice, size, "%s", call->level == 2 ? "han" : "tuned");
}
