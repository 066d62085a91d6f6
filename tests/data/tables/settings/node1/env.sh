# of a node of the tests
export I_MPI_ADJUST_ALLTOALL=3 I_MPI_FABRICS=shm:ofi
