# A run that would take too long is not begun, one that does is stopped. Both say so, with a remedy. Budgets are as in
# budget.sh. Where one is used up first, the next look at the clock or the kernel ends it: either is right.
set -e
. "$root/tests/helpers.sh"
refused() { # WORDS ARGUMENT...
    words=$1
    shift
    status=0
    collc verify "$@" >out 2>said || status=$?
    [ $status -eq 2 ] && [ ! -s out ] || { echo "status $status: $*"; cat out; exit 1; }
    grep -q "$words" said && grep -q 'help: .*--budget allows more' said || { cat said; exit 1; }
}
# By symmetry all is known but the links, on which 10^12 messages would have to be routed.
refused 'to route 1.1e+12 messages takes about .* the budget is 3600 s' alltoall/ring -t mesh:2048x512
grep -q 'that symmetry decides' said
if ! is_short; then
    refused 'to route 3.6e+09 messages takes about' alltoall/ring -t fattree:32x32x64 --ranks 60000 --budget 60s
    refused 'to route 2.5e+09 messages takes about' alltoall/ring -t fattree:32x32x64 --machines 'm[0-49999]' \
        --budget 40s
fi
# Nothing is symmetric where the last server has a rank less than the others.
tournament='alltoall/two_level_tournament --ranks-per-machine 2'
is_short || refused 'to look at more than .* messages takes about' $tournament -t star:524288 --ranks 1048575
refused 'to look at more than .* the budget is 0.0001 s' $tournament -t star:64 --ranks 127 --budget 100us
collc verify $tournament -t star:64 --ranks 127 --budget 0s -q
collc verify $tournament -t star:64 --ranks 127 -q
# Steps with the flows of an earlier one are not routed again, however far it is.
refused 'to look at more than 2.5e+09 messages takes about 100 s' bcast/scatter_allgather_ring -t torus:64x32x32 \
    --budget 50s
# Copies inside of ranks take time and memory, too; two of them in a row count as one.
refused '1.1e+05 messages and 3.4e+07 copies takes about 3 s' allgather/bine -t star:8192 --no-symmetry --budget 1s
collc verify allgather/bine -t star:65536 --no-symmetry >out 2>said && exit 1
grep -q 'a step of 2.1e+09 messages and copies takes about .* of memory' said || { cat said; exit 1; }
# A file, and few ranks with many steps, are stopped on the way; or as the file is read, where that takes a second.
collc compile alltoall/ring --ranks 768 -o ring.sched
refused 'stopped after [0-9]* s.* the budget' ring.sched --budget 1ms
refused 'stopped after' bcast/chain -t star:32 --param segments=100000 --budget 1ms
collc verify ring.sched -q
