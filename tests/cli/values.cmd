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
# a number of segments by their size
collc predict bcast/chain -t star:8,bw=1Gb/s --bytes 96000 --param segments=4KiB --to csv >sized
collc predict bcast/chain -t star:8,bw=1Gb/s --bytes 96000 --param segments=24 --to csv | cmp - sized
collc compile bcast/split_binary --ranks 8 --bytes 96000 --param pieces=1KiB | grep '^segments'
collc verify bcast/chain --ranks 4 --param segments=4KiB
collc verify alltoall/a2at -t torus:3x3 --bytes 10000 --param window=4KiB
collc emit bcast/chain --param segments=4KiB
