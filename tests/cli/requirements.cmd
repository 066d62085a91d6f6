# The message says what an algorithm needs of the ranks, with the values that do not fit.
for algorithm in allgather/two_proc allgather/neighbor bcast/bine_scatter_allgather allreduce/recursive_multiplying; do
    collc verify $algorithm -t star:5 --quiet; echo $?
done
collc verify allreduce/recursive_multiplying -t star:9 --param radix=3 --quiet; echo $?
collc verify bcast/knomial -t star:5 --param radix=1 --quiet; echo $?
collc verify alltoall/two_phase -t star:3 --ranks 5 --ranks-per-machine 2 --quiet; echo $?
# Others that work are named by family, those of the same one first.
for schedule in 'alltoall/pairwise -t star:6' 'allgather/neighbor -t star:7' 'barrier/two_proc -t star:3' \
    'allreduce/swing -t star:6' 'alltoallv/pairwise -t star:6'; do
    collc verify $schedule 2>&1 | grep -o "others that .*"
done
# The numbers of ranks beside those there that are taken, or the value of a parameter.
printf '%s\n' 'bcast few(radix = 3)' 'ranks r: p from root' 'requires p mod radix == 0' 'requires radix <= 4' 'step' '  if r == 0 and p > 1  send buf to 1' >few.coll
collc verify few.coll --ranks 4 2>&1 | grep help
collc verify few.coll --ranks 12 --param radix=6 2>&1 | grep help
collc verify alltoall/pairwise -t star:6 2>&1 | grep help
