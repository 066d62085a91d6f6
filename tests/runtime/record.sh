# collc record under Open MPI: what each algorithm sends is what the library's sends, for 2 to 9 ranks, or differs as
# docs/record.md says; wrong results are found; other commands take the files; and each way to fail is named, with
# nothing left running.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.openmpi mpirun.openmpi >/dev/null || { echo "skip: no Open MPI"; exit 0; }
mpirun.openmpi --version | grep -q ' 4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export TMPDIR=$PWD
ranks=$(usually 2,4-6 2,4-6 2-9)

# Every algorithm of every collective, in one launch. All are recorded, and all results are right but for data that
# the root of two broadcasts gets again.
status=0
on_one_core collc record allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce \
    reduce_scatter reduce_scatter_block scan scatter --target ompi-4.1 --algorithm all --ranks $ranks --time 400s \
    --format json >all || status=$?
expect status $status 1
holds '[.calls[] | select(.problem)] == []' all
holds '[.calls[] | select(.errors > 0) | .collective + "/" + .algorithm + " " + .found] | unique ==
    ["bcast/scatter_allgather R002", "bcast/scatter_allgather_ring R002"]' all
# The algorithms whose messages differ from those of the one that stands for them (docs/record.md).
jq -r '[.calls[] | select(.algorithm and (.same | not)) | "\(.collective)/\(.algorithm)"] | unique | .[]' all | sort >differ
diff - differ <<END
$(sed -n '/^differs |/,/^$/s/^\(`[^|]*\) |.*/\1/p' "$root/docs/record.md" | tr -d ' `' | tr ',' '\n' | sort)
END
is_short || [ $(jq -r '[.calls[] | select(.algorithm) | "\(.collective)/\(.algorithm)"] | unique | length' all) -eq 63 ]
holds '[.calls[] | select(.algorithm == null and (.same | not)) | .collective] | unique |
    inside(["allgatherv", "barrier", "bcast", "reduce"])' all

# With an operation that does not commute, algorithms that combine out of order are found.
status=0
on_one_core collc record allreduce reduce_scatter --target ompi-4.1 --algorithm all --ranks 3,4 --non-commutative \
    --format json >ordered || status=$?
expect status $status 1
holds '[.calls[] | select(.errors > 0) | "\(.collective)/\(.algorithm) \(.found)"] | unique ==
    ["allreduce/ring R007", "reduce_scatter/recursive_halving R007", "reduce_scatter/ring R007"]' ordered

# Non-blocking calls, of coll/libnbc, and calls in place: all right, but for what allgatherv gives ranks again. An
# iallreduce that is forced combines out of order (open-mpi/ompi#9385).
all='allgather allgatherv allreduce alltoall alltoallv bcast exscan gather reduce reduce_scatter
    reduce_scatter_block scan scatter'
on_one_core collc record $all barrier --target ompi-4.1 --non-blocking --ranks $(usually 5 5 2,5) --format json >nonblocking
holds '[.calls[] | select(.problem or .errors > 0)] == []' nonblocking
for root in 0 1; do
    status=0
    on_one_core collc record $all --target ompi-4.1 --in-place --ranks $(usually 5 5 2,5) --root $root --format json >placed || status=$?
    holds '[.calls[] | select(.problem or .errors > 0) | .collective + .found] - ["allgathervR002"] == []' placed
done
for algorithm in ring recursive_doubling; do
    status=0
    on_one_core collc record allreduce --target ompi-4.1 --non-blocking --non-commutative --ranks 4 \
        --mpirun "mpirun.openmpi --mca coll_libnbc_iallreduce_algorithm $algorithm" >out || status=$?
    expect "status of $algorithm" $status $([ $algorithm = ring ] && echo 1 || echo 0)
done
# Blocks of unequal sizes: all right, and but for what is made of a gather or a reduce like the library's.
counted='allgatherv alltoallv alltoallw gatherv reduce_scatter scatterv'
on_one_core collc record $counted --target ompi-4.1 --algorithm all --ranks $(usually 4 4 2-9) \
    --counts '8*(1+i mod 3)' --format json >counts
holds '[.calls[] | select(.problem or .errors > 0)] == []' counts
holds '[.calls[] | select(.same | not) | .collective + "/" + (.algorithm // "own")] | unique -
    ["allgatherv/default", "allgatherv/own", "reduce_scatter/non-overlapping"] == []' counts
# Nothing need be sent of counts that are 0, and all else is right.
on_one_core collc record $counted --target ompi-4.1 --algorithm all --ranks 4 --root 2 --counts '8*(i*i mod 3)' --format json >zero
holds '[.calls[] | select(.problem or .errors > 0)] == [] and (.calls | length > 8)' zero
on_one_core collc record $counted --target ompi-4.1 --non-blocking --ranks 4 --root 2 --counts '8*(1+i mod 3)' >out
collc record alltoallv --target ompi-4.1 --ranks 3 --counts '16*(1+i+2*j)' -o v.sched >out
collc verify v.sched -t star:3 >out
present 'complete    yes' out
collc verify alltoallv/linear -t star:3 --counts '16*(1+i+2*j)' | grep heaviest >stated
grep heaviest out | diff - stated

# Neighbours, on grids and graphs.
of_neighbors='neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw'
printf '%s\n' '0 1 1' '0 1 1' '1 0 1' '2 2 1' '2 0 1' >graph
for kind in cartesian open stencil graph; do
    on_one_core collc record $of_neighbors --target ompi-4.1 --neighbors $kind --ranks $(usually 4,6 4) \
        --format json >near
    holds '[.calls[] | select(.problem or .errors > 0 or (.same | not))] == []' near
done
on_one_core collc record neighbor_alltoallv --target ompi-4.1 --neighbors open --counts '8*(1+(i+j) mod 3)' \
    --non-blocking --ranks 6 -o near.sched >out
present 'right .*direct' out

# Without coll/tuned another component answers.
on_one_core collc record bcast --target ompi-4.1 --ranks 4 --mpirun 'mpirun.openmpi --mca coll ^tuned' >out

# A file is taken by other commands as it is.
collc record bcast --target ompi-4.1 --ranks 4 --root 3 --sizes 64KiB --algorithm pipeline --segment 8KiB -o a.sched >out
present 'bcast/pipeline$' out
collc verify a.sched -t star:4 >out
present 'complete    yes' out
present 'steps       10, messages 24' out
collc bound bcast -t star:4 --root 3 >/dev/null
collc predict a.sched -t star:4 --bytes 64KiB >out
collc draw a.sched -t star:4 >out
collc compile a.sched >again
grep -v '^#' a.sched | diff - again

# Like another one or not.
collc record alltoall --target ompi-4.1 --ranks 4 --algorithm linear --like alltoall/linear >out
status=0
collc record alltoall --target ompi-4.1 --ranks 4 --algorithm linear --like alltoall/bruck >out || status=$?
expect status $status 1
present 'not alltoall/bruck' out
present 'alone: rank' out

# Files of several calls.
collc record gather --target ompi-4.1 --ranks 2-3 --root 0,1 -o g.sched >out
expect files "$(echo g*.sched)" \
    'g-gather-default-2-0-32.sched g-gather-default-2-1-32.sched g-gather-default-3-0-48.sched g-gather-default-3-1-48.sched'

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc record "$@" --target ompi-4.1
}
refuse 'say on how many ranks' allreduce
refuse "cannot be recorded; did you mean 'alltoall'" MPI_Alltoall --ranks 2
refuse "has no algorithm 'rng' of allreduce" allreduce --ranks 2 --algorithm rng
refuse 'multiples of 8 bytes' allreduce --ranks 2 --sizes 4
refuse 'on 2 to 1024 ranks' allreduce --ranks 1
refuse 'collectives that have one' allreduce --ranks 2 --root 1
refuse 'no root is below' bcast --ranks 2 --root 2
refuse 'by --mpirun, forces' allreduce --ranks 2 --non-blocking --algorithm ring
refuse 'count 2 is 12 bytes' alltoallv --ranks 2 --counts '12*i'
refuse 'all counts of alltoall are equal' alltoall --ranks 2 --counts 8
refuse 'has no neighbours' alltoall --ranks 2 --neighbors open
refuse "there is no command 'no.such'" allreduce --ranks 2 --mpirun no.such
refuse 'is not of Open MPI' allreduce --ranks 2 --mpirun echo
refuse 'returned an error at rank 0' alltoall --ranks 3 --algorithm two_proc
# A launcher that does not start anything, and one that does not end.
printf '#!/bin/sh\n[ "$1" = --version ] && echo "mpirun (Open MPI) 4.1.4"\nexit 0\n' >idle
printf '#!/bin/sh\n[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit; }\nexec "%s/stayer" 7777\n' "$PWD" >slow
printf '#!/bin/sh\n[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit; }\nkill -SEGV $$\n' >dying
chmod +x idle slow dying
stayer
refuse 'has recorded nothing' allreduce --ranks 2 --mpirun "$PWD/idle"
refuse 'took longer than 1 s' allreduce --ranks 2 --time 1s --mpirun "$PWD/slow"
refuse 'was ended by signal 11' allreduce --ranks 2 --mpirun "$PWD/dying"
none_stays
[ -z "$(ls -d collc.* 2>/dev/null)" ]
