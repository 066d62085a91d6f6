# Figure 2, as printed. The segment size has no effect: the parameter is coll_tuned_bcast_algorithm_segmentsize.
mpirun -np 19 -mca coll_tuned_use_dynamic_rules 1 -mca coll_tuned_bcast_algorithm 6 -mca coll_tuned_bcast_segmentsize 4096 ./a.out
