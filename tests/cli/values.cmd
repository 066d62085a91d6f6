# Values of options that are formulas or settings: the place, the cause and how to mend it.
# soon COMMAND...: ends by itself; it needs milliseconds, what it must not do would take hours.
soon() { (ulimit -t 60; "$@"); }
for counts in 'i**2' 100/i i-2 'bytes*i' j 5,x counts.txt '(i' '2^63' 1KiB 99999999999999999999; do
    collc compile allgatherv/ring --ranks 4 --counts "$counts"; echo $?
done
for value in 0 -1 4x 1KiB 3000000000; do
    collc verify bcast/chain --ranks 4 --param segments=$value; echo $?
done
collc verify bcast/chain --ranks 4 --param segmets=4; echo $?
collc verify bcast/chain --ranks 4 --param segments=; echo $?
collc verify allreduce/two_level --ranks 4 --param inner=4; echo $?
# As many loops as there are ranks, not as the radix says.
soon collc verify bcast/knomial --ranks 9 --param radix=1000000000 -q; echo $?
soon collc verify reduce/knomial --ranks 9 --param radix=1000000000 -q; echo $?
