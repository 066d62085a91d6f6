# Several processes that play sizes say what one says, byte for byte: also where there is no time, for one size or
# for all.
set -e
same() { # ARGUMENT...
    local one=0 all=0
    collc predict "$@" -j 1 >one 2>one.said || one=$?
    collc predict "$@" -j 3 >all 2>all.said || all=$?
    cmp one all && cmp one.said all.said && [ $one = $all ] || { echo "$*"; exit 1; }
}
same bcast/chain -t mesh:4x4 --param segments=4
same allgather/bine_blocks -t torus:4x4 --format json --per-step
same reduce/two_level -t star:4 --ranks-per-machine 3 --to csv
same alltoall/bruck -t fattree:4x3 --model flow --sizes 8,4KiB,1MiB
same alltoall/ring -t star:100 # one rank for all
same gather/binomial -t star:7 --model step
same gather/binomial -t star:7,bw=1B/s --sizes 8,4KiB,1EiB,2EiB
grep -q "takes too long to be counted" one.said
