# No program has an operation that does not commute: the leaf stays.
printf '%s' '{"collective=reduce_scatter": {"algorithm=MPIR_Reduce_scatter_intra_pairwise": {}}}' |
    collc convert - --target mpich-4.0 --to mpich-4.1 --commutative-only 2>&1
