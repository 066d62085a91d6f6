# Several processes that play sizes, or measure algorithms, say what one says, byte for byte: also where there is no
# time, for one size or for all, and where a budget leaves algorithms out.
set -e
same() { # COMMAND ARGUMENT...
    local one=0 all=0
    collc "$@" -j 1 >one 2>one.said || one=$?
    collc "$@" -j 3 >all 2>all.said || all=$?
    cmp one all && cmp one.said all.said && [ $one = $all ] || { echo "$*"; exit 1; }
}
same predict bcast/chain -t mesh:4x4 --param segments=4
same predict allgather/bine_blocks -t torus:4x4 --format json --per-step
same predict reduce/two_level -t star:4 --ranks-per-machine 3 --to csv
same predict alltoall/bruck -t fattree:4x3 --model flow --sizes 8,4KiB,1MiB
same predict alltoall/ring -t star:100 # one rank for all
same predict gather/binomial -t star:7 --model step
same predict gather/binomial -t star:7,bw=1B/s --sizes 8,4KiB,1EiB,2EiB
grep -q "takes too long to be counted" one.said
# Algorithms with segments; of the user; one of the user that is wrong, that is none; settings that none has; a
# budget for some of them, which no process knows on its own.
sed 's/reduce buf/recv buf/' "$root/tests/mpi/relay.coll" >wrong.coll
same best bcast -t mesh:3x4 --model step --format json --param segments=2
same best allreduce -t mesh:3x3 --sizes 8..64KiB --with "$root/tests/mpi/relay.coll" --with wrong.coll
same best allreduce -t star:6 --model step --with /dev/null
same best allreduce -t star:6 --model step --param colour=3
same best allgather -t star:16384 --sizes 1KiB --model step --budget 5s --no-symmetry
grep -q 'of which --budget leaves' one
same best alltoallv -t star:5 --ranks-per-machine 2 --counts '8*(i+j)'
