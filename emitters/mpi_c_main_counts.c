/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main of emitted C where counts are unequal: which counts and displacements are tried,
 * and the calls. Chunks lie end to end, apart from each other, and in descending order;
 * counts are equal, skewed, zero but for one, and mixed with zeros. MPI_Alltoallw gets types
 * that change from peer to peer.
 */
#include "emitters/mpi_c.h"

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

static const struct c_piece counts[] = {
    {0, 0,
     "enum { collc_n_patterns = 6 };\n"
     "\n"
     "/* Elements from rank i for rank j, in units of the layout; i == j where there is one count\n"
     " * for each rank. In place both directions have the same. */\n"
     "static int collc_count(const struct collc_test *test, int i, int j)\n"
     "{\n"
     "    int p = test->p, low = test->in_place && j < i ? j : i, high = i + j - low;\n"
     "\n"
     "    switch (test->pattern) {\n"
     "    case 0:\n"
     "        return test->unit;\n"
     "    case 1:\n"
     "        return test->unit * (low + high) / p;\n"
     "    case 2:\n"
     "        return low == p / 2 && (high == low || high == p - 1) ? test->unit : 0;\n"
     "    default:\n"
     "        return (7 * low + 5 * high + test->unit) % (2 * test->unit + 1);\n"
     "    }\n"
     "}\n"
     "\n"
     "/* Counts and places of the chunks on one side: of what this rank sends (0) or gets. */\n"
     "struct collc_side {\n"
     "    int *counts, *places;\n"},
    {C_TYPES, 0, "    MPI_Datatype *types;\n"},
    {0, 0,
     "};\n"
     "\n"},
    {0, C_TYPES,
     "static void collc_lay_out(const struct collc_test *test, int side, struct collc_side *of)\n"
     "{\n"
     "    int factor = test->layout->factor[side], end = 0;\n"
     "\n"
     "    of->counts = calloc((size_t)test->p, 2 * sizeof *of->counts);\n"
     "    if (!of->counts)\n"
     "        MPI_Abort(MPI_COMM_WORLD, 2);\n"
     "    of->places = of->counts + test->p;\n"
     "    for (int i = 0; i < test->p; i++) {\n"
     "        int slot = test->pattern % 3 == 1 ? i : test->p - 1 - i;\n"
     "        int count = COLLC_COUNT(test, side, i);\n"
     "\n"
     "        of->counts[i] = factor * count;\n"
     "        of->places[i] = factor * (test->pattern % 3 ? slot * test->count : end);\n"
     "        end += count;\n"
     "    }\n"
     "}\n"
     "\n"},
    {C_TYPES, 0,
     "/* For odd peers, two integers instead of a strided pair; places are in bytes. */\n"
     "static void collc_lay_out(const struct collc_test *test, int side, struct collc_side *of)\n"
     "{\n"
     "    const struct collc_layout *l = test->layout;\n"
     "    int end = 0, is_strided = !strncmp(l->name, \"strided\", 7) || !strcmp(l->name, \"int to strided\");\n"
     "\n"
     "    of->counts = calloc((size_t)test->p, 2 * sizeof *of->counts);\n"
     "    of->types = calloc((size_t)test->p, sizeof *of->types);\n"
     "    if (!of->counts || !of->types)\n"
     "        MPI_Abort(MPI_COMM_WORLD, 2);\n"
     "    of->places = of->counts + test->p;\n"
     "    for (int i = 0; i < test->p; i++) {\n"
     "        int slot = test->pattern % 3 == 1 ? i : test->p - 1 - i;\n"
     "        int count = COLLC_COUNT(test, side, i), is_pair = is_strided && i % 2;\n"
     "\n"
     "        of->counts[i] = count * (is_pair ? 2 : l->factor[side]);\n"
     "        of->types[i] = is_pair ? MPI_INT : l->type[side];\n"
     "        of->places[i] = collc_extent * (test->pattern % 3 ? slot * test->count : end);\n"
     "        end += count;\n"
     "    }\n"
     "}\n"
     "\n"},
    {0, 0,
     "static void collc_free_side(struct collc_side *side)\n"
     "{\n"
     "    free(side->counts);\n"},
    {C_TYPES, 0, "    free(side->types);\n"},
    {0, 0,
     "}\n"
     "\n"},
};

/* How many elements a chunk has: between this rank and rank i, or those of rank i. */
static const char pairs[] =
    "#define COLLC_COUNT(test, side, i) \\\n"
    "    ((side) ? collc_count(test, i, (test)->rank) : collc_count(test, (test)->rank, i))\n"
    "\n";
static const char ranks[] = "#define COLLC_COUNT(test, side, i) collc_count(test, i, i)\n\n";

#define CALL(body)                                                                \
    "/* One call, of the function or of the MPI's own. */\n"                       \
    "static int collc_call(const struct collc_test *test, int is_ours, char *result)\n" \
    "{\n"                                                                         \
    "    const struct collc_layout *l = test->layout;\n" body                     \
    "    return error;\n"                                                         \
    "}\n"                                                                         \
    "\n"

static const char call_gatherv[] = CALL(
    "    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);\n"
    "    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "    struct collc_side to;\n"
    "    int error;\n"
    "\n"
    "    collc_lay_out(test, 1, &to);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, n * l->factor[0], l->type[0],\n"
    "                                     is_root ? result : NULL, is_root ? to.counts : NULL,\n"
    "                                     is_root ? to.places : NULL,\n"
    "                                     is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root,\n"
    "                                     test->comm);\n"
    "    collc_free_side(&to);\n");

/* In place the result is a part of the input, which is compared as a whole. */
static const char call_scatterv[] = CALL(
    "    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);\n"
    "    int in_place = test->in_place && is_root;\n"
    "    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;\n"
    "    struct collc_side from;\n"
    "    int error;\n"
    "\n"
    "    collc_lay_out(test, 0, &from);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, is_root ? from.counts : NULL,\n"
    "                                     is_root ? from.places : NULL,\n"
    "                                     is_root ? l->type[0] : MPI_DATATYPE_NULL,\n"
    "                                     in_place ? MPI_IN_PLACE : result, n * l->factor[1],\n"
    "                                     l->type[1], test->root, test->comm);\n"
    "    collc_free_side(&from);\n");

static const char call_allgatherv[] = CALL(
    "    int n = collc_count(test, test->rank, test->rank);\n"
    "    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "    struct collc_side to;\n"
    "    int error;\n"
    "\n"
    "    collc_lay_out(test, 1, &to);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, n * l->factor[0], l->type[0], result, to.counts,\n"
    "                                     to.places, l->type[1], test->comm);\n"
    "    collc_free_side(&to);\n");

static const char call_alltoallv[] = CALL(
    "    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "    struct collc_side from, to;\n"
    "    int error;\n"
    "\n"
    "    collc_lay_out(test, 0, &from);\n"
    "    collc_lay_out(test, 1, &to);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, from.counts, from.places, l->type[0], result,\n"
    "                                     to.counts, to.places, l->type[1], test->comm);\n"
    "    collc_free_side(&from);\n"
    "    collc_free_side(&to);\n");

static const char call_alltoallw[] = CALL(
    "    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "    struct collc_side from, to;\n"
    "    int error;\n"
    "\n"
    "    (void)l;\n"
    "    collc_lay_out(test, 0, &from);\n"
    "    collc_lay_out(test, 1, &to);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, from.counts, from.places, from.types, result,\n"
    "                                     to.counts, to.places, to.types, test->comm);\n"
    "    collc_free_side(&from);\n"
    "    collc_free_side(&to);\n");

/* What recvbuf holds behind the result after a call in place is the MPI's affair. */
static const char call_reduce_scatter[] = CALL(
    "    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;\n"
    "    struct collc_side of;\n"
    "    int error;\n"
    "\n"
    "    collc_lay_out(test, 0, &of);\n"
    "    error = (is_ours ? %s : PMPI_%s)(input, result, of.counts, l->type[0], l->op, test->comm);\n"
    "    collc_free_side(&of);\n");

void c_main_counts_call(const struct c_unit *unit, struct text *out)
{
    bool is_of_pairs = unit->collective == COLLECTIVE_alltoall;
    text_printf(out, "%s", is_of_pairs ? pairs : ranks);
    PRINT(counts, unit->features, out);
    switch (unit->form) {
    case FORM_gatherv: text_printf(out, call_gatherv, unit->function, "Gatherv"); break;
    case FORM_scatterv: text_printf(out, call_scatterv, unit->function, "Scatterv"); break;
    case FORM_allgatherv: text_printf(out, call_allgatherv, unit->function, "Allgatherv"); break;
    case FORM_alltoallv: text_printf(out, call_alltoallv, unit->function, "Alltoallv"); break;
    case FORM_alltoallw: text_printf(out, call_alltoallw, unit->function, "Alltoallw"); break;
    case FORM_reduce_scatter:
        text_printf(out, call_reduce_scatter, unit->function, "Reduce_scatter");
        break;
    case FORM_EQUAL:
    case N_FORMS: break;
    }
}

const char c_main_counts_patterns[] =
    "static void collc_try_layouts(MPI_Comm comm, const struct collc_layout *layouts, int n, int count)\n"
    "{\n"
    "    struct collc_test test = {0};\n"
    "\n"
    "    test.comm = comm;\n"
    "    test.unit = count;\n"
    "    test.count = 2 * count + 4;\n"
    "    MPI_Comm_rank(comm, &test.rank);\n"
    "    MPI_Comm_size(comm, &test.p);\n"
    "    for (int i = 0; i < n * collc_n_patterns; i++) {\n"
    "        test.layout = &layouts[i / collc_n_patterns];\n"
    "        test.pattern = i % collc_n_patterns;\n"
    "        if ((test.pattern + i / collc_n_patterns) % 2 == 0)\n"
    "            collc_try_all(&test);\n"
    "    }\n"
    "}\n"
    "\n";
