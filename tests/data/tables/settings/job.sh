#!/bin/bash
#SBATCH --nodes=1 --export=ALL,OMPI_MCA_coll_tuned_gather_algorithm=2
# A job script that forces algorithms in several ways (written for the tests).
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_alltoall_algorithm=2 OMPI_MCA_coll_tuned_allgather_algorithm='ring'
segment=1k
mpirun --mca coll_tuned_bcast_algorithm 2 \
    --mca coll_tuned_bcast_algorithm_segmentsize "$segment" --mca coll_tuned_bcast_algorithm_chain_fanout 2 \
    -x OMPI_MCA_coll_tuned_allreduce_algorithm=rabenseifner ./app
