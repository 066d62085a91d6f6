# Files of --tune are read: the first wins, and what stands on the command line or in the environment before both.
collc lint near-tune.txt --target ompi-4.1
collc pick near-tune.txt alltoall --target ompi-4.1 --ranks 4 --bytes 8
sed 's/ -np/ --mca coll_tuned_alltoall_algorithm 3&/' near-tune.txt | collc pick - alltoall --target ompi-4.1 --ranks 4 --bytes 8 || true
