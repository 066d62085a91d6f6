# collc pick without a file: what is compiled into the MPI, of no line; of Open MPI 4.1 as with a table of no rows,
# of MPICH 4.1 to 5.0 as of 4.0, but for the barrier, and for scan on one host of 5.0.
set -e
. "$root/tests/helpers.sh"
ranges() { # JSON
    jq -c '[.ranges[] | [.first, .last, .algorithm, .fan_out, .line, .fails]]' "$1"
}

echo 0 >none.rules
for collective in bcast allreduce $(usually "alltoall reduce_scatter gather scan" ""); do
    for ranks in $(usually "7 64" 7 "2 7 8 64"); do
        call="$collective --ranks $ranks --bytes 1..1MiB --type-bytes 1 --format json"
        collc pick --target ompi-4.1 $call >own
        collc pick none.rules --target ompi-4.1 $call >none
        ranges none >wanted
        ranges own | cmp - wanted
        for nodes in 1 $ranks; do
            collc pick --target mpich-4.0 $call --nodes $nodes >own
            ranges own >wanted
            for version in 4.1 4.2 4.3 5.0; do
                [ "$collective $version $nodes" != 'scan 5.0 1' ] || continue
                collc pick --target mpich-$version $call --nodes $nodes >own
                ranges own | cmp - wanted
            done
        done
    done
done
collc pick --target mpich-4.0 bcast --ranks 8 --bytes 1..1MiB --nodes 8 --format json >record
holds '.table == null and [.ranges[] | [.last, .algorithm, .line]] == [[12288, "binomial", null],
    [524288, "scatter_recursive_doubling_allgather", null], [1048576, "scatter_ring_allgather", null]]'
collc pick --target mpich-4.3 barrier --ranks 8 --bytes 1 --nodes 8 --format json >record
holds '.ranges | length == 1 and .[0].algorithm == "k_dissemination" and .[0].fan_out == 2'
collc pick --target mpich-4.3 bcast --ranks 8 --bytes 1 >said
grep -q '^bcast of 8 ranks, mpich-4.3, without a table$' said

refused "what 'nccl' takes without a rule table is not known here" collc pick --target nccl allreduce --ranks 8 --bytes 8
refused '--level has no effect with --target ompi-4.1' collc pick --target ompi-4.1 bcast --ranks 8 --bytes 8 --level within

# The report says which algorithms came later.
printf '{"collective=bcast": {"per_proc_msg_size<=8": {"algorithm=MPIR_Bcast_intra_binomial": {}}}}' >later.json
! collc lint later.json --target mpich-4.3 >said || exit 1
grep -q 'which no release has \[B021\]' said

# Without a file that comes first; with one, a collective may be called as MPI calls it.
refused "what 'nccl' takes without a rule table is not known here" collc pick --target nccl bcast --ranks 8 --bytes 8
present 'give a file: collc pick FILE bcast --target nccl' message
refused "'alltoallv' of 'ucc' is not known here" collc pick --target ucc alltoallv --ranks 8 --bytes 8
collc pick --target ucc allreduce --ranks 16 --bytes 8..4MiB >said
present '^8..4095  *knomial ' said
# Releases of UCC: what each has, and takes.
ucc() { collc pick "$@" --ranks 4 --bytes 1MiB --format json | jq -r '.ranges[0].algorithm'; }
expect allgather "$(ucc --target ucc-1.2 allgather) $(ucc --target ucc-1.3 allgather)" 'ring neighbor'
expect reduce "$(ucc --target ucc-1.3 reduce) $(ucc --target ucc-1.4 reduce) $(ucc --target ucc reduce)" 'knomial srg srg'
printf 'UCC_TL_UCP_TUNE=allreduce:@2\n' >ucc.conf
expect 'number 2' "$(ucc ucc.conf --target ucc allreduce)" sliding_window
for target in ucc-1.3:1 ucc-1.4:0; do
    n=$(collc lint ucc.conf --target ${target%:*} | grep -c "tl/ucp has no algorithm '2'" || :)
    expect "findings of ${target%:*}" $n ${target#*:}
done
collc lint ucc.conf --target ucc-1.3 | grep -q 'UCC 1.4 and later have it' || exit 1
sound=$root/tests/data/tables/nccl/sound.csv
collc pick "$sound" --target nccl bcast --ranks 8 --bytes 8 >said
present '^broadcast of 8 ranks, nccl' said
collc pick "$sound" --target nccl reduce_scatter --ranks 8 --bytes 8 >said
present '^reducescatter of 8 ranks, nccl' said
refused "'alltoallv' of 'nccl' is not known here" collc pick "$sound" --target nccl alltoallv --ranks 8 --bytes 8
refused "did you mean 'bcast'?" collc pick "$sound" --target nccl bcats --ranks 8 --bytes 8

# A list of sizes has the answers of its members, each for elements of its own; what overlaps or touches is one range.
for target in ompi-4.1 mpich-4.0; do
    for size in 64 1000 4096..65536; do
        collc pick reduce_scatter --target $target --ranks 12 --bytes $size --format json | jq -c '.ranges[]'
    done >singly
    collc pick reduce_scatter --target $target --ranks 12 --bytes 4KiB..64KiB,64,1000 --format json | jq -c '.ranges[]' >listed
    diff singly listed
done
collc pick bcast --target ompi-4.1 --ranks 8 --bytes 1..100 >whole
collc pick bcast --target ompi-4.1 --ranks 8 --bytes 50..100,1..49,20..60 | diff whole -
collc pick bcast --target ompi-4.1 --ranks 8 --bytes 64,1MiB --diff mpich-4.0 --format json >changes
holds '[.changes[] | .first, .last] == [64, 64, 1048576, 1048576]' changes
refused 'is not a size, such as 64KiB, two' collc pick bcast --target ompi-4.1 --ranks 8 --bytes 64,,2
refused 'several sizes are for --as' collc verify bcast/binomial --ranks 4 --bytes 8,16
collc verify bcast --as ompi-4.1 --ranks 8 --bytes 64,1MiB --format json >rows
holds '[.rows[] | .first, .last] == [64, 64, 1048576, 1048576]' rows
