/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main of emitted C: runs the function and the MPI's own collective on the
 * same data and compares every byte of the result, gaps and guards included.
 * Counts 0, 1, 1000, 1237 and those of the command line; plain, strided and
 * unlike types on the two sides; in place; every root up to 4 and the last; the
 * world and a communicator with the ranks reversed.
 *
 * A barrier has no result: there, no rank may leave before the last one, which
 * comes late, has entered.
 */
#include "emitters/mpi_c.h"

#include <string.h>

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

static const struct c_piece test_head[] = {
    {C_DATA, 0,
     "\n"
     "/* --- comparison with the MPI's own collective --- */\n"
     "\n"
     "/* Data on the two sides: sent and received, or at the root and elsewhere. */\n"
     "struct collc_layout {\n"
     "    const char *name;\n"
     "    MPI_Datatype type[2];\n"
     "    int factor[2]; /* elements of the type per count */\n"
     "    int doubles;   /* the values are of type double */\n"
     "    MPI_Op op;\n"
     "};\n"
     "\n"
     "struct collc_test {\n"
     "    const struct collc_layout *layout;\n"
     "    MPI_Comm comm;\n"
     "    int p, rank, count, root, in_place;\n"},
    {C_UNEQUAL, 0, "    int unit, pattern; /* see collc_count; `count` is the most of a chunk */\n"},
    {C_DATA, 0,
     "    size_t bytes; /* of each buffer */\n"
     "    char *input, *ours, *theirs;\n"
     "};\n"
     "\n"
     "enum { collc_margin = 64, collc_extent = 24 };\n"
     "\n"
     "static int collc_n_cases, collc_n_wrong;\n"
     "\n"
     "static void collc_fill(const struct collc_test *test, char *data, int seed)\n"
     "{\n"
     "    size_t n = test->bytes / sizeof(double);\n"
     "\n"
     "    for (size_t i = 0; i < n; i++) {\n"
     "        int pair[2] = {(int)(i * 7 + (size_t)seed * 131) % 1009,\n"
     "                       (int)(i * 5 + (size_t)seed * 17) % 997};\n"
     "        double value = pair[0];\n"
     "\n"
     "        memcpy(data + i * sizeof value, test->layout->doubles ? (void *)&value : (void *)pair,\n"
     "               sizeof value);\n"
     "    }\n"
     "}\n"
     "\n"},
    {C_REDUCE, 0,
     "/* Adds pairs of integers of the strided type. */\n"
     "static void collc_add_strided(void *in_data, void *in_out, int *n, MPI_Datatype *type)\n"
     "{\n"
     "    (void)type;\n"
     "    for (int i = 0; i < 2 * *n; i++) {\n"
     "        size_t at = (size_t)(i / 2) * collc_extent + (size_t)(i % 2) * 3 * sizeof(int);\n"
     "        int a, b;\n"
     "\n"
     "        memcpy(&a, (char *)in_data + at, sizeof a);\n"
     "        memcpy(&b, (char *)in_out + at, sizeof b);\n"
     "        b += a;\n"
     "        memcpy((char *)in_out + at, &b, sizeof b);\n"
     "    }\n"
     "}\n"
     "\n"
     "/* The maps x -> a x + b modulo 32, as 32 b + a, one after the other: associative, but\n"
     " * not commutative. */\n"
     "static void collc_compose(void *in_data, void *in_out, int *n, MPI_Datatype *type)\n"
     "{\n"
     "    (void)type;\n"
     "    for (int i = 0; i < *n; i++) {\n"
     "        unsigned f, g;\n"
     "\n"
     "        memcpy(&f, (char *)in_data + (size_t)i * sizeof f, sizeof f);\n"
     "        memcpy(&g, (char *)in_out + (size_t)i * sizeof g, sizeof g);\n"
     "        f |= 1;\n"
     "        g |= 1;\n"
     "        g = (f / 32 + f * (g / 32)) % 32 * 32 + f * g % 32;\n"
     "        memcpy((char *)in_out + (size_t)i * sizeof g, &g, sizeof g);\n"
     "    }\n"
     "}\n"
     "\n"},
};

static const char test_compare[] =
    "static void collc_compare(const struct collc_test *test, int error)\n"
    "{\n"
    "    size_t at = 0;\n"
    "\n"
    "    collc_n_cases++;\n"
    "    while (at < test->bytes && test->ours[at] == test->theirs[at])\n"
    "        at++;\n"
    "    if (error == MPI_SUCCESS && at == test->bytes)\n"
    "        return;\n"
    "    if (collc_n_wrong++ == 0)\n"
    "        printf(\"collc: %s: rank %d of %d: type %s, count %d, root %d%s: error %d; byte %ld of the \"\n"
    "               \"result is the first to differ\\n\",\n"
    "               collc_name, test->rank, test->p, test->layout->name, test->count, test->root,\n"
    "               test->in_place ? \", in place\" : \"\", error, (long)at - collc_margin);\n"
    "}\n"
    "\n"
    "static void collc_try(struct collc_test *test)\n"
    "{\n"
    "    int error;\n"
    "\n"
    "    test->bytes = (size_t)test->p * (size_t)test->count * collc_extent + 2 * collc_margin;\n"
    "    test->input = malloc(test->bytes);\n"
    "    test->ours = malloc(test->bytes);\n"
    "    test->theirs = malloc(test->bytes);\n"
    "    if (!test->input || !test->ours || !test->theirs)\n"
    "        MPI_Abort(MPI_COMM_WORLD, 2);\n"
    "    collc_fill(test, test->input, test->rank + 50 * test->in_place);\n"
    "    collc_fill(test, test->ours, test->rank + 50);\n"
    "    collc_fill(test, test->theirs, test->rank + 50);\n"
    "    error = collc_call(test, 1, test->ours + collc_margin);\n"
    "    collc_call(test, 0, test->theirs + collc_margin);\n"
    "    collc_compare(test, error);\n"
    "    free(test->input);\n"
    "    free(test->ours);\n"
    "    free(test->theirs);\n"
    "}\n"
    "\n";

static const char call_alltoall[] =
    "/* One call, of the function or of the MPI's own. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, test->count * l->factor[0], l->type[0], result,\n"
    "                                    test->count * l->factor[1], l->type[1], test->comm);\n"
    "}\n"
    "\n";

static const char call_bcast[] =
    "/* One call, of the function or of the MPI's own. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    int side = test->rank == test->root ? 0 : 1;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(result, test->count * l->factor[side], l->type[side],\n"
    "                                    test->root, test->comm);\n"
    "}\n"
    "\n";

static const char call_allreduce[] =
    "/* One call, of the function or of the MPI's own. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, result, test->count, l->type[0], l->op, test->comm);\n"
    "}\n"
    "\n";

/* Only the root has a place for the result. In place, the input is what is there. */
static const char call_reduce[] =
    "/* One call, of the function or of the MPI's own. The latter is never in place: there\n"
    " * MPICH 4.0 fails where the root is not rank 0. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    int is_root = test->rank == test->root;\n"
    "    int in_place = test->in_place && is_ours && is_root;\n"
    "    const void *input = in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, is_root ? result : NULL, test->count, l->type[0], l->op,\n"
    "                                    test->root, test->comm);\n"
    "}\n"
    "\n";

/* Where an argument is not significant it is something that must not be looked at. */
static const char call_gather[] =
    "/* One call, of the function or of the MPI's own. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    int is_root = test->rank == test->root;\n"
    "    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, test->count * l->factor[0], l->type[0],\n"
    "                                    is_root ? result : NULL,\n"
    "                                    is_root ? test->count * l->factor[1] : -1,\n"
    "                                    is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root,\n"
    "                                    test->comm);\n"
    "}\n"
    "\n";

/* In place the result is a part of the input, which is compared as a whole. */
static const char call_scatter[] =
    "/* One call, of the function or of the MPI's own. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    int is_root = test->rank == test->root, in_place = test->in_place && is_root;\n"
    "    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, is_root ? test->count * l->factor[0] : -1,\n"
    "                                    is_root ? l->type[0] : MPI_DATATYPE_NULL,\n"
    "                                    in_place ? MPI_IN_PLACE : result,\n"
    "                                    test->count * l->factor[1], l->type[1], test->root,\n"
    "                                    test->comm);\n"
    "}\n"
    "\n";

/* What recvbuf holds behind the result after a call in place is the MPI's affair. */
static const char call_reduce_scatter_block[] =
    "/* One call, of the function or of the MPI's own. The latter is never in place. */\n"
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n"
    "{\n"
    "    const struct collc_layout *l = test->layout;\n"
    "    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "\n"
    "    return (is_ours ? %s : PMPI_%s)(input, result, test->count, l->type[0], l->op, test->comm);\n"
    "}\n"
    "\n";

/* Roots and in-place variants of one layout and count. */
static const struct c_piece test_variants[] = {
    {C_ROOT, C_IN_PLACE,
     "static void collc_try_all(struct collc_test *test)\n"
     "{\n"
     "    for (test->root = 0; test->root < test->p; test->root++)\n"
     "        if (test->root < 5 || test->root == test->p - 1)\n"
     "            collc_try(test);\n"
     "}\n"
     "\n"},
    {C_ROOT | C_IN_PLACE, 0,
     "/* In place only what is not left to the MPI's own. */\n"
     "static void collc_try_root(struct collc_test *test)\n"
     "{\n"
     "    int before = collc_n_delegated;\n"
     "\n"
     "    test->in_place = 0;\n"
     "    collc_try(test);\n"
     "    test->in_place = 1;\n"
     "    if (collc_n_delegated == before && test->layout->type[0] == test->layout->type[1])\n"
     "        collc_try(test);\n"
     "}\n"
     "\n"
     "static void collc_try_all(struct collc_test *test)\n"
     "{\n"
     "    for (test->root = 0; test->root < test->p; test->root++)\n"
     "        if (test->root < 5 || test->root == test->p - 1)\n"
     "            collc_try_root(test);\n"
     "}\n"
     "\n"},
    {C_UNEQUAL | C_REDUCE, 0,
     "/* In place only what is not left to the MPI's own, which may write behind the result. */\n"},
    {0, C_ROOT,
     "static void collc_try_all(struct collc_test *test)\n"
     "{\n"},
    {C_UNEQUAL | C_REDUCE, 0, "    int before = collc_n_delegated;\n\n"},
    {0, C_ROOT,
     "    test->in_place = 0;\n"
     "    collc_try(test);\n"
     "    test->in_place = 1;\n"},
    {C_UNEQUAL | C_REDUCE, 0,
     "    if (collc_n_delegated > before)\n"
     "        return;\n"},
    {0, C_ROOT,
     "    if (test->layout->type[0] == test->layout->type[1])\n"
     "        collc_try(test);\n"
     "}\n"
     "\n"},
};

static const char test_equal[] =
    "static void collc_try_layouts(MPI_Comm comm, const struct collc_layout *layouts, int n, int count)\n"
    "{\n"
    "    struct collc_test test = {0};\n"
    "\n"
    "    test.comm = comm;\n"
    "    test.count = count;\n"
    "    MPI_Comm_rank(comm, &test.rank);\n"
    "    MPI_Comm_size(comm, &test.p);\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        test.layout = &layouts[i];\n"
    "        collc_try_all(&test);\n"
    "    }\n"
    "}\n"
    "\n";

static const char test_layouts[] =
    "/* Two integers, three apart, in an extent that begins before them. */\n"
    "static MPI_Datatype collc_make_strided(void)\n"
    "{\n"
    "    MPI_Datatype pair, strided;\n"
    "\n"
    "    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);\n"
    "    MPI_Type_create_resized(pair, -4, collc_extent, &strided);\n"
    "    MPI_Type_commit(&strided);\n"
    "    MPI_Type_free(&pair);\n"
    "    return strided;\n"
    "}\n"
    "\n";

static const struct c_piece test_body[] = {
    {0, 0,
     "static void collc_test_counts(int n_counts, char **counts)\n"
     "{\n"},
    {0, C_UNEQUAL, "    static const int usual[] = {0, 1, 1000, 1237};\n"},
    {C_UNEQUAL, 0, "    static const int usual[] = {0, 1, 100, 307};\n"},
    {0, 0,
     "    MPI_Datatype strided = collc_make_strided();\n"},
    {C_REDUCE, 0,
     "    MPI_Op add, compose;\n"
     "    struct collc_layout layouts[] = {\n"
     "        {\"int\", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_SUM},\n"
     "        {\"double\", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_SUM},\n"
     "        {\"byte\", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_BXOR},\n"
     "        {\"strided\", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},\n"
     "        {\"int, not commutative\", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},\n"
     "    };\n"},
    {0, C_REDUCE,
     "    const struct collc_layout layouts[] = {\n"
     "        {\"int\", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},\n"
     "        {\"double\", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_OP_NULL},\n"
     "        {\"byte\", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_OP_NULL},\n"
     "        {\"strided\", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},\n"
     "        {\"strided to int\", {strided, MPI_INT}, {1, 2}, 0, MPI_OP_NULL},\n"
     "        {\"int to strided\", {MPI_INT, strided}, {2, 1}, 0, MPI_OP_NULL},\n"
     "    };\n"},
    {0, 0,
     "    int n = (int)(sizeof layouts / sizeof *layouts), rank;\n"
     "    MPI_Comm reversed;\n"
     "\n"
     "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
     "    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);\n"},
    {C_REDUCE, 0,
     "    MPI_Op_create(collc_add_strided, 1, &add);\n"
     "    MPI_Op_create(collc_compose, 0, &compose);\n"
     "    layouts[3].op = add;\n"
     "    layouts[4].op = compose;\n"},
    {0, 0,
     "    for (int i = 0; i < 4; i++)\n"
     "        collc_try_layouts(MPI_COMM_WORLD, layouts, n, usual[i]);\n"
     "    for (int i = 0; i < n_counts; i++)\n"
     "        collc_try_layouts(MPI_COMM_WORLD, layouts, n, atoi(counts[i]));\n"
     "    collc_try_layouts(reversed, layouts, n, 100);\n"
     "    MPI_Comm_free(&reversed);\n"
     "    MPI_Type_free(&strided);\n"},
    {C_REDUCE, 0,
     "    MPI_Op_free(&add);\n"
     "    MPI_Op_free(&compose);\n"},
    {0, 0, "}\n\n"},
};

static const char test_barrier[] =
    "\n"
    "/* --- no rank may leave before the last has entered --- */\n"
    "\n"
    "static int collc_n_cases, collc_n_wrong;\n"
    "\n"
    "static double collc_now(void)\n"
    "{\n"
    "    struct timespec now;\n"
    "\n"
    "    clock_gettime(CLOCK_MONOTONIC, &now); /* one clock for all ranks of a machine */\n"
    "    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n"
    "}\n"
    "\n"
    "static void collc_try(MPI_Comm comm, int late, int shares_clock)\n"
    "{\n"
    "    int rank, error;\n"
    "    double entered, left, last;\n"
    "\n"
    "    MPI_Comm_rank(comm, &rank);\n"
    "    PMPI_Barrier(comm);\n"
    "    for (entered = collc_now(); rank == late && collc_now() < entered + 0.002;)\n"
    "        ;\n"
    "    entered = collc_now();\n"
    "    error = %s(comm);\n"
    "    left = collc_now();\n"
    "    PMPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, comm);\n"
    "    collc_n_cases++;\n"
    "    if (error == MPI_SUCCESS && (left >= last || !shares_clock))\n"
    "        return;\n"
    "    if (collc_n_wrong++ == 0)\n"
    "        printf(\"collc: %%s: rank %%d: error %%d; left %%.0f us before rank %%d had entered\\n\",\n"
    "               collc_name, rank, error, (last - left) * 1e6, late);\n"
    "}\n"
    "\n"
    "static void collc_test_counts(int n_counts, char **counts)\n"
    "{\n"
    "    MPI_Comm machine, reversed;\n"
    "    int p, rank, on_machine;\n"
    "\n"
    "    (void)n_counts, (void)counts;\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Comm_size(MPI_COMM_WORLD, &p);\n"
    "    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);\n"
    "    MPI_Comm_size(machine, &on_machine);\n"
    "    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);\n"
    "    for (int i = 0; i < 3 * p; i++)\n"
    "        collc_try(i %% 3 == 2 ? reversed : MPI_COMM_WORLD, i / 3, on_machine == p);\n"
    "    MPI_Comm_free(&machine);\n"
    "    MPI_Comm_free(&reversed);\n"
    "}\n"
    "\n";

static const char test_main[] =
    "int main(int argc, char **argv)\n"
    "{\n"
    "    int rank, p, n_wrong;\n"
    "\n"
    "    MPI_Init(&argc, &argv);\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Comm_size(MPI_COMM_WORLD, &p);\n"
    "    collc_test_counts(argc - 1, argv + 1);\n"
    "    PMPI_Allreduce(&collc_n_wrong, &n_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
    "    if (rank == 0 && n_wrong == 0) {\n"
    "        printf(\"collc: %s on %d ranks: ok (%d cases)\\n\", collc_name, p, collc_n_cases);\n"
    "        if (collc_n_delegated > 0)\n"
    "            printf(\"collc: %d of them by the MPI's own collective\\n\", collc_n_delegated);\n"
    "    }\n"
    "    MPI_Finalize();\n"
    "    return n_wrong != 0;\n"
    "}\n";

/* `format` has two %s: the function and the MPI's own name for it. */
static void print_call(const struct c_unit *unit, struct text *out)
{
    switch (unit->collective) {
    case COLLECTIVE_alltoall: text_printf(out, call_alltoall, unit->function, "Alltoall"); break;
    case COLLECTIVE_allgather: text_printf(out, call_alltoall, unit->function, "Allgather"); break;
    case COLLECTIVE_bcast: text_printf(out, call_bcast, unit->function, "Bcast"); break;
    case COLLECTIVE_reduce: text_printf(out, call_reduce, unit->function, "Reduce"); break;
    case COLLECTIVE_allreduce: text_printf(out, call_allreduce, unit->function, "Allreduce"); break;
    case COLLECTIVE_gather: text_printf(out, call_gather, unit->function, "Gather"); break;
    case COLLECTIVE_scatter: text_printf(out, call_scatter, unit->function, "Scatter"); break;
    case COLLECTIVE_reduce_scatter_block:
        text_printf(out, call_reduce_scatter_block, unit->function, "Reduce_scatter_block");
        break;
    case COLLECTIVE_scan: text_printf(out, call_allreduce, unit->function, "Scan"); break;
    case COLLECTIVE_exscan: text_printf(out, call_allreduce, unit->function, "Exscan"); break;
    case COLLECTIVE_barrier:
    case N_COLLECTIVES: break;
    }
}

void c_main(const struct c_unit *unit, struct text *out)
{
    /* here it stands for what the call is given, not for tmp */
    const unsigned features = unit->form == FORM_EQUAL ? unit->features & ~(unsigned)C_UNEQUAL
                                                       : unit->features;
    if (!(features & C_MAIN))
        return;
    text_printf(out, "\n#include <stdio.h>\n#include <string.h>\n%s",
                features & C_DATA ? "" : "#include <time.h>\n");
    text_printf(out, "\nstatic const char collc_name[] = \"%s/",
                collective_name(unit->collective, unit->form));
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("\"\\\n%", *c) ? '_' : *c);
    text_printf(out, "\";\n");
    PRINT(test_head, features, out);
    if (unit->form == FORM_EQUAL)
        print_call(unit, out);
    else
        c_main_counts_call(unit, out);
    if (features & C_DATA) {
        text_printf(out, "%s", test_compare);
        PRINT(test_variants, features, out);
        text_printf(out, "%s%s", unit->form == FORM_EQUAL ? test_equal : c_main_counts_patterns,
                    test_layouts);
        PRINT(test_body, features, out);
    } else {
        text_printf(out, test_barrier, unit->function);
    }
    text_printf(out, "%s", test_main);
}
