/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library preloaded with a program under Open MPI. It notes the algorithms that the MPI's collectives
 * use (notes.h).
 *
 * Its functions have the names of Open MPI's own and are found before these: each takes 12 words,
 * whatever is in those that the caller has not passed, and calls the real one. The arguments that give
 * the size of a call are in the same places for all functions of a collective. So no MPI function is
 * wrapped, and the language of the program does not matter.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include "notes.h"

struct algorithm {
    const char *collective, *name, *function;
    int segment, fan_out;
};

static __thread int depth;
static __thread const struct algorithm *outer; /* algorithm of the current call */
static __thread const char *inner;

/* ---- what a call is like ---- */

static int type_size(long word)
{
    const MPI_Datatype type = (MPI_Datatype)word;
    int size = 0;
    if (word && type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return size;
}

static long long size_of(long count, long type)
{
    return (long long)(int)count * type_size(type);
}

/* Returns the average of counts, and whether they differ. */
static long long average(const int *counts, int n, int type_bytes, int *is_unequal)
{
    long long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += counts[i];
        *is_unequal |= counts[i] != counts[0];
    }
    return sum * type_bytes / n;
}

/* Numbers of arguments: the communicator; the root, -1 without one; the operation, or 0. */
struct places {
    const char *collective;
    int comm, root, op;
};
static const struct places all_places[] = {
    {"allgather", 6, -1, 0}, {"allgatherv", 7, -1, 0}, {"allreduce", 5, -1, 4}, {"alltoall", 6, -1, 0},
    {"alltoallv", 8, -1, 0}, {"barrier", 0, -1, 0}, {"bcast", 4, 3, 0}, {"exscan", 5, -1, 4},
    {"gather", 7, 6, 0}, {"reduce", 6, 5, 4}, {"reduce_scatter", 5, -1, 4},
    {"reduce_scatter_block", 5, -1, 4}, {"scan", 5, -1, 4}, {"scatter", 7, 6, 0}};

static const struct places *places_of(const char *collective)
{
    const struct places *places = all_places;
    while (strcmp(places->collective, collective) != 0)
        places++;
    return places;
}

static void take_sizes(struct kind *kind, const long *words, int is_root)
{
    const char *name = kind->collective;
    const int is_in_place = (void *)words[0] == MPI_IN_PLACE;
    int has_ignored = 0, is_unequal = 0;
    if (strcmp(name, "allgather") == 0 || strcmp(name, "alltoall") == 0 ||
        (strcmp(name, "gather") == 0 && is_root)) {
        kind->ignored = size_of(words[1], words[2]);
        kind->bytes = is_in_place ? size_of(words[4], words[5]) : kind->ignored;
        kind->type_bytes = type_size(words[is_in_place ? 5 : 2]);
        has_ignored = is_in_place;
    } else if (strcmp(name, "scatter") == 0 && !is_root) {
        kind->ignored = size_of(words[1], words[2]);
        kind->bytes = size_of(words[4], words[5]);
        kind->type_bytes = type_size(words[5]);
        has_ignored = 1;
    } else if (strcmp(name, "gather") == 0 || strcmp(name, "scatter") == 0 || strcmp(name, "bcast") == 0) {
        kind->bytes = size_of(words[1], words[2]);
        kind->type_bytes = type_size(words[2]);
    } else if (strcmp(name, "allgatherv") == 0) {
        kind->type_bytes = type_size(words[6]);
        kind->bytes = average((const int *)words[4], kind->ranks, kind->type_bytes, &is_unequal);
        kind->ignored = type_size(words[2]);
        has_ignored = is_in_place;
    } else if (strcmp(name, "reduce_scatter") == 0) {
        kind->type_bytes = type_size(words[3]);
        kind->bytes = average((const int *)words[2], kind->ranks, kind->type_bytes, &is_unequal);
    } else if (strcmp(name, "alltoallv") == 0) {
        kind->type_bytes = 1; /* sizes are ignored */
    } else if (strcmp(name, "barrier") != 0) {
        kind->bytes = size_of(words[2], words[3]);
        kind->type_bytes = type_size(words[3]);
    }
    if (!has_ignored)
        kind->ignored = 0;
    snprintf(kind->flags, sizeof kind->flags, "%s%s%s", strcmp(name, "barrier") && is_in_place ? "p" : "",
             has_ignored ? "i" : "", is_unequal ? "u" : "");
}

/* False for calls before MPI_Init is over and after MPI_Finalize has begun, which cannot be examined. */
static int describe(const struct algorithm *algorithm, const long *words, struct kind *kind)
{
    int is_ready = 0, is_over = 0, is_between = 0, rank = 0, commutes = 1;
    PMPI_Initialized(&is_ready);
    PMPI_Finalized(&is_over);
    if (!is_ready || is_over)
        return 0;
    const struct places *places = places_of(algorithm->collective);
    const MPI_Comm comm = (MPI_Comm)words[places->comm];
    PMPI_Comm_test_inter(comm, &is_between);
    if (is_between)
        return 0;
    memset(kind, 0, sizeof *kind);
    kind->collective = algorithm->collective;
    PMPI_Comm_size(comm, &kind->ranks);
    PMPI_Comm_rank(comm, &rank);
    const int is_root = places->root >= 0 && (int)words[places->root] == rank;
    snprintf(kind->place, sizeof kind->place, "%s", places->root < 0 ? "all" : is_root ? "root"
             : "elsewhere");
    take_sizes(kind, words, is_root);
    if (places->op) {
        PMPI_Op_commutative((MPI_Op)words[places->op], &commutes);
        if (!commutes)
            strcat(kind->flags, "o");
    }
    if (!kind->flags[0])
        strcpy(kind->flags, "-");
    if (kind->type_bytes < 1)
        kind->type_bytes = 1;
    kind->segment = algorithm->segment ? (int)words[algorithm->segment] : 0;
    kind->fan_out = algorithm->fan_out ? (int)words[algorithm->fan_out] : 0;
    return 1;
}

/* ---- the functions ---- */

#define WORDS(X) X(a), X(b), X(c), X(d), X(e), X(f), X(g), X(h), X(i), X(j), X(k), X(l)
#define DECLARED(x) long x
#define PASSED(x) x

static int pass_on(const struct algorithm *algorithm, WORDS(DECLARED))
{
    const long words[] = {WORDS(PASSED)};
    int (*real)(WORDS(DECLARED));
    struct kind kind;
    *(void **)&real = dlsym(RTLD_NEXT, algorithm->function);
    if (depth > 0) {
        if (outer && outer->collective == algorithm->collective)
            inner = algorithm->name;
        return real(WORDS(PASSED));
    }
    const int is_noted = describe(algorithm, words, &kind);
    depth++;
    outer = is_noted ? algorithm : NULL;
    inner = "-";
    const int result = real(WORDS(PASSED));
    depth--;
    kind.algorithm = result == MPI_SUCCESS ? algorithm->name : "fails";
    kind.runs = result == MPI_SUCCESS ? inner : "-";
    if (is_noted)
        note(&kind);
    return result;
}

#define SPY(collective, name, function, segment, fan_out)                                   \
    int ompi_coll_base_##collective##_##function(WORDS(DECLARED));                          \
    int ompi_coll_base_##collective##_##function(WORDS(DECLARED))                           \
    {                                                                                       \
        static const struct algorithm algorithm = {                                         \
            name_of_##collective, name, "ompi_coll_base_" #collective "_" #function, segment, fan_out}; \
        return pass_on(&algorithm, WORDS(PASSED));                                          \
    }
static const char name_of_allgather[] = "allgather", name_of_allgatherv[] = "allgatherv",
                  name_of_allreduce[] = "allreduce", name_of_alltoall[] = "alltoall",
                  name_of_alltoallv[] = "alltoallv", name_of_barrier[] = "barrier", name_of_bcast[] = "bcast",
                  name_of_exscan[] = "exscan", name_of_gather[] = "gather", name_of_reduce[] = "reduce",
                  name_of_reduce_scatter[] = "reduce_scatter",
                  name_of_reduce_scatter_block[] = "reduce_scatter_block", name_of_scan[] = "scan",
                  name_of_scatter[] = "scatter";
#include "ompi_functions.def"
