# MPICH's noncommutative reduce_scatter is for blocks of one size, too.
printf '%s' '{"collective=reduce_scatter": {"comm_size=pow2": {"algorithm=MPIR_Reduce_scatter_intra_noncommutative": {}},
  "comm_size=any": {"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling": {}}}}' |
    collc lint - --target mpich-4.0 | grep -A1 B011
