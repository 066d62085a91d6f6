# Verdicts by symmetry: the record says so, the proof is short, and the expansion says the same.
set -e
. "$root/tests/helpers.sh"
without() { grep -v 'seconds\|decided_by\|why_expanded' "$1" | tr -d ' \n' | sed 's/"shifts":\[[^]]*\],//'; }
while read -r algorithm network per; do
    collc verify $algorithm -t $network --ranks-per-machine $per --per-step --format json >record
    holds '.decided_by == "symmetry" and .why_expanded == null'
    collc verify $algorithm -t $network --ranks-per-machine $per --per-step --format json --no-symmetry >expanded
    [ "$(without record)" = "$(without expanded)" ]
    [ "$(collc verify $algorithm -t $network --ranks-per-machine $per --explain | wc -l)" -le 44 ]
done <<'END'
alltoall/ring star:6 4
alltoall/two_level_ring star:6 4
alltoall/a2at torus:7x7 1
allreduce/ring fattree:3x4 1
allgather/ring mesh:4x4 1
alltoall/ring torus:4x3x2 2
alltoall/pairwise torus:8x4 2
alltoall/ring mesh:4x3 2
alltoall/pairwise fattree:4x2x2,up=1x2x2 2
allgather/hierarchical star:6 4
allgather/hierarchical fattree:2x4 3
allgather/neighbor torus:8 1
allreduce/hierarchical_ring torus:6 4
alltoall/two_phase star:5 3
alltoall/hierarchical torus:4x2 2
alltoall/send_aggregation star:6 4
alltoall/multi_leader star:5 8
reduce_scatter_block/two_level fattree:2x4 3
barrier/hierarchical star:6 4
allreduce/bucket torus:4x3x2 1
allreduce/bucket_nd torus:3x2x2x2 1
allreduce/bucket_multiport torus:4x3x2 1
reduce_scatter_block/bucket torus:4x3x2 1
reduce_scatter_block/bucket_multiport torus:4x3x2 1
allgather/bucket_nd torus:3x2x2x2 1
END
is_short && exit 0 # the others are large
# A million ranks: 10^12 messages.
collc verify alltoall/a2at -t torus:1023x1023 --format json >record
holds '.decided_by == "symmetry" and .complete and .messages == 1095221901312 and .shifts == [1023, 1023]'
[ "$(collc verify alltoall/a2at -t torus:1023x1023 --explain | sed -n 's/^  decided by  //p')" = symmetry ]
# Shifts of ranks are none of a tree or torus, but the load of a link follows from its position.
for network in fattree:32x32x64 torus:64x32x32 mesh:64x32x32; do
    collc verify alltoall/ring -t $network --format json >record
    holds '.decided_by == "symmetry" and .complete and .messages == 4294967296'
done
collc verify alltoall/linear -t fattree:32x32x64 -q
# Rings in one dimension after the other, of blocks in blocks.
collc verify allreduce/bucket_multiport -t torus:64x32x32 --format json >record
holds '.decided_by == "symmetry" and .complete and .messages == 98304000'
# Leaders and others: eight ranks stand for 65,536.
collc verify allgather/hierarchical -t star:8192 --ranks-per-machine 8 --format json >record
holds '.decided_by == "symmetry" and .complete and .messages == 67215360 and .shifts == [8192]'
[ "$(collc verify allgather/hierarchical -t star:8192 --ranks-per-machine 8 --explain |
    grep -c '^  orbits      8, of 8192 ranks each')" = 1 ]
# One rank that does otherwise, and why it is not by symmetry; what has a finding is expanded.
cat >broken.coll <<'END'
alltoall broken
ranks r: p
for i in 0 .. p-1
  step
    if r != 5  send in[r+i] to r + i
    recv out[r-i] from r - i
END
collc verify broken.coll -t star:8 --format json >record && exit 1
holds '.decided_by == "expansion" and (.findings | length > 0) and .why_expanded == "a condition depends on the rank (line 5)"'
collc verify broken.coll -t star:8 --explain >text && exit 1
grep -q 'as by symmetry it cannot be:' text
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --format json >record && exit 1
holds '.decided_by == "expansion" and .why_expanded == "something is above its limit"'
