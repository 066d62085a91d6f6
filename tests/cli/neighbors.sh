# Neighbourhood collectives: neighbours by words and files, the lists that MPI 4.0 section 8.6 gives, a spoiled algorithm, refusals.
. "$root/tests/helpers.sh"
set -e
verdict() { collc verify "$@" --format json | jq -c '[.complete, .messages]'; }
expect() { # WANTED COMMAND...
    wanted=$1
    shift
    [ "$("$@")" = "$wanted" ] || { echo "$*: $("$@"), not $wanted"; exit 1; }
}
for name in neighbor_alltoall/direct neighbor_allgather/direct neighbor_alltoallv/direct; do
    expect '[true,64]' verdict $name -t torus:4x4
    expect '[true,48]' verdict $name -t mesh:4x4
    expect '[true,48]' verdict $name -t torus:4x4 --neighbors open
    expect '[true,128]' verdict $name -t torus:4x4 --neighbors stencil
    expect '[true,4]' verdict $name --ranks 1
done
expect '[true,64]' verdict neighbor_alltoall/combining -t torus:4x4 --neighbors stencil
expect '[true,160]' verdict neighbor_allgather/combining -t torus:4x4x2 --neighbors stencil
# Block k becomes block k xor 1, also where both neighbours in a dimension are one rank.
collc compile neighbor_alltoall/direct -t torus:2x1 | sed -n 's/^needs 0 //p' | tr '\n' ';' >needs
[ "$(cat needs)" = 'out[0] 1:in[1];out[1] 1:in[0];out[2] 0:in[3];out[3] 0:in[2];' ] || { cat needs; exit 1; }
printf '0 1 1\n1 0 1\n1 2 1\n3 3 1\n' >graph.txt
expect '[true,4]' verdict neighbor_alltoall/direct --ranks 5 --neighbors graph.txt
collc compile neighbor_alltoall/direct --ranks 5 --neighbors graph.txt >one.sched
collc compile one.sched >two.sched
cmp one.sched two.sched
# Blocks in the order of their numbers are wrong where a pair has two: with two ranks, not with three.
sed 's/in_turn(r, k)/k/; s/direct/straight/' "$root/compiler/algorithms/neighbor_alltoall/direct.coll" >straight.coll
expect '[true,36]' verdict straight.coll -t torus:3x3
status=0
collc verify straight.coll -t torus:2x2 >said || status=$?
[ $status -eq 1 ] && grep -q R006 said || { cat said; exit 1; }
status=0
collc emit straight.coll -o wrong.c 2>said || status=$?
[ $status -eq 1 ] && [ ! -e wrong.c ] && grep -q 'nothing is written' said || { cat said; exit 1; }
# Counts: each pair has the bytes of the formula, in every form, and a file of a row for each sender says the same.
printf '3 1\n10 12\n21 23\n32 30\n' >rows
for name in neighbor_alltoallv neighbor_alltoallw; do
    collc emit $name/direct -t torus:4 --counts '10*i+j' --to traffic >pairs
    [ "$(wc -l <pairs)" -eq 9 ] && awk -F, 'NR > 1 && $3 != 10 * $1 + $2 { exit 1 }' pairs || { cat pairs; exit 1; }
    collc compile $name/direct -t torus:4 --counts '10*i+j' >of_formula
    collc compile $name/direct -t torus:4 --counts rows >of_rows
    cmp of_formula of_rows
    expect '[true,8]' verdict of_rows
done
collc emit neighbor_alltoallv/direct -t mesh:4x2 --counts '10*i+j' --to traffic >pairs
[ "$(wc -l <pairs)" -eq 21 ] && awk -F, 'NR > 1 && $3 != 10 * $1 + $2 { exit 1 }' pairs || { cat pairs; exit 1; }
collc emit neighbor_allgatherv/direct -t torus:4x4 --counts '7*i+1' --to traffic >pairs
[ "$(wc -l <pairs)" -eq 65 ] && awk -F, 'NR > 1 && $3 != 7 * $1 + 1 { exit 1 }' pairs || { cat pairs; exit 1; }
# Blocks need an alltoallv: bounds and schedules are those.
printf '0 1 0 3\n10 0 12 0\n0 21 0 23\n30 0 32 0\n' >matrix
collc bound neighbor_alltoallv -t torus:4 --counts rows | tail -n +2 >of_blocks
collc bound alltoallv -t torus:4 --counts matrix | tail -n +2 >of_pairs
[ -s of_blocks ] && diff of_blocks of_pairs
collc synth neighbor_alltoallv -t torus:4 --counts rows -o synth.sched
expect true sh -c 'collc verify synth.sched --format json | jq .complete'
collc best neighbor_alltoallv -t torus:4 --counts rows | grep -q '^\* neighbor_alltoallv/direct'
refuses() { # WORDS COMMAND...
    words=$1 status=0
    shift
    "$@" >out 2>&1 || status=$?
    [ $status -eq 2 ] && grep -q -- "$words" out || { echo "$*: status $status: $(head -3 out)"; exit 1; }
}
printf '1\n0\n2\n' >ranks.map
refuses "'isomorphic' does not hold" collc verify neighbor_alltoall/combining -t mesh:3x3
refuses 'has no neighbours' collc verify alltoall/ring --ranks 4 --neighbors open
refuses 'there are 3' collc verify neighbor_alltoall/direct --ranks 3 --neighbors graph.txt
refuses 'a schedule file says' collc verify one.sched --neighbors open
refuses 'no pairs of ranks' collc verify neighbor_alltoall/direct --ranks 3 --neighbors straight.coll
refuses 'cannot open' collc verify neighbor_alltoall/direct --ranks 3 --neighbors missing.txt
refuses 'all counts of neighbor_alltoall are equal' collc verify neighbor_alltoall/direct --ranks 3 --counts 8
refuses 'fewer than 12 counts' collc verify neighbor_alltoallv/direct --ranks 3 --counts ranks.map
refuses 'from rank 0 to rank 2 is -5' collc verify neighbor_alltoallv/direct --ranks 3 --counts 'i-5'
refuses 'without --table' collc emit neighbor_alltoall/direct --table --ranks 4
refuses 'renumber its ranks' collc emit neighbor_alltoall/direct --ranks 3 --map ranks.map
printf 'alltoall a\nranks r: p\nstep\n  send in to out_neighbor(r, 0)\n' >other.coll
refuses 'has no neighbours' collc verify other.coll --ranks 3
printf 'neighbor_alltoall a\nranks r: p\nstep\n  send in[0] to out_neighbor(r + 1, 0)\n' >far.coll
refuses 'is of the rank itself' collc verify far.coll --ranks 3
printf 'neighbor_alltoall a\nranks r: p\nstep\n  send in[9] to r\n  recv out[out_neighbor(r, 9)] from r\n' >beyond.coll
refuses 'E00[78]' collc verify beyond.coll --ranks 3
printf 'allreduce a\nranks (x: nx, y: ny)\nrun neighbor_alltoall/direct over x\n' >run.coll
refuses 'not of a group of its ranks' collc verify run.coll -t torus:3x3
collc bound neighbor_alltoall -t torus:4x4 --bytes 8 --neighbors stencil >bound
collc best neighbor_allgather -t torus:4x4 --neighbors stencil --bytes 8 | grep -q '^\* neighbor_allgather/combining'
# Off a grid the ranks are on the most square one: combining serves it, too.
for network in star:6 full:9 fattree:2x3 star:7 'torus:3x3 --ranks 6'; do
    expect true sh -c "collc verify neighbor_alltoall/combining -t $network --format json | jq .complete"
    expect true sh -c "collc verify neighbor_allgather/combining -t $network --format json | jq .complete"
done
# No MPI is known to take an algorithm for them, and libraries leave them to it.
refused "not known here" collc verify neighbor_alltoall --as ompi-4.1 -t star:4
refused "not known here" collc predict neighbor_allgather --as mpich-4.0 -t star:4
refused "to the MPI" collc best neighbor_alltoall -t torus:2x2 --to library
printf 'collc-table 1\nneighbor_alltoall use direct\n' >neighbors.rules
refused=0; collc lint neighbors.rules --target library >lint || refused=$?
[ $refused -eq 1 ]
present "no collective of libraries" lint
