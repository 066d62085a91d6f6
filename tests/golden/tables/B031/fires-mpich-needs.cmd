# A need of the algorithm of a leaf that no condition asks for is not copied.
printf '%s' '{"collective=reduce_scatter": {"comm_size<=8": {"algorithm=MPIR_Reduce_scatter_intra_pairwise": {}},
  "is_commutative=yes": {"algorithm=MPIR_Reduce_scatter_intra_recursive_halving": {}},
  "is_commutative=no": {"algorithm=MPIR_Reduce_scatter_intra_noncommutative": {}}}}' |
    collc convert - --target mpich-4.0 --to mpich-4.0 2>&1
