/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operation of a call: whether the algorithm may combine with it.
 */
#if REDUCTION
#if EXACT || LIBRARY
/* True if the operation gives the same bits in whatever order it combines: on integers and truth
 * values. Not the largest and least of floats: which of +0 and -0, and what of a NaN, is a matter
 * of order. */
static int collc_is_exact(MPI_Op op, MPI_Datatype type)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_LAND,
                          MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    const MPI_Datatype types[] = {
        MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
        MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T,
        MPI_UINT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_INTEGER, MPI_LOGICAL, MPI_C_BOOL,
        MPI_BYTE};
    int is_known = 0;

    for (size_t i = 0; !is_known && i < sizeof ops / sizeof *ops; i++)
        is_known = op == ops[i];
    for (size_t i = 0; is_known && i < sizeof types / sizeof *types; i++)
        if (type == types[i])
            return 1;
    return 0;
}

#endif
/* Makes the rank lost if the operation is not defined for its type, as far as MPI tells of no
 * elements. */
static void collc_vet_operation(struct collc_run *run)
{
    char none[2] = "";
    int error = MPI_SUCCESS;

    if (!run->is_lost)
        error = PMPI_Reduce_local(&none[0], &none[1], 0, run->type, run->op);
    if (error != MPI_SUCCESS)
        collc_lose(run, error);
}

/* True if the algorithm may combine with this operation; else all ranks leave the call to the MPI.
 * Operation and type decide, and nothing else. */
static int collc_may_use(const struct collc_run *run)
{
    if (run->op == MPI_OP_NULL)
        return 0;
#if EXACT
    if (!collc_is_exact(run->op, run->type))
        return 0;
#endif
#if ORDERED
    return 1;
#else
    int commutes = 0;

    return PMPI_Op_commutative(run->op, &commutes) == MPI_SUCCESS && commutes;
#endif
}

#endif
