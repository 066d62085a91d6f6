# Blocks of one size are asked for.
printf '%s' '{"collective=reduce_scatter": {"is_block_regular=yes": {
  "comm_size=pow2": {"algorithm=MPIR_Reduce_scatter_intra_noncommutative": {}},
  "comm_size=any": {"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling": {}}},
  "is_block_regular=no": {"algorithm=MPIR_Reduce_scatter_intra_recursive_doubling": {}}}}' |
    collc lint - --target mpich-4.0
