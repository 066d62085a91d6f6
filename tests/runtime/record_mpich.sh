# collc record under MPICH 4.0 on UCX: what each algorithm sends is what the library's sends, or
# differs as docs/record.md says; nothing is wrong but what the root of two broadcasts gets again.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.mpich mpirun.mpich >/dev/null || { echo "skip: no MPICH"; exit 0; }
mpichversion 2>/dev/null | grep -q 'ch4:ucx' || { echo "skip: MPICH is not on UCX"; exit 0; }
export TMPDIR=$PWD
ranks=$(usually 3,6 4 2-9)

status=0
collc record allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce reduce_scatter \
    reduce_scatter_block scan scatter --target mpich-4.0 --algorithm all --ranks $ranks --time 400s --format json >all ||
    status=$?
expect status $status 1
holds '[.calls[] | select(.problem)] == []' all
jq -r '.calls[] | select(.errors > 0) | .collective + "/" + .algorithm + " " + .found' all | sort -u >wrong
printf 'bcast/scatter_recursive_doubling_allgather R002\nbcast/scatter_ring_allgather R002\n' | diff - wrong
jq -r '.calls[] | select(.algorithm and .algorithm != "nb" and (.same | not)) | "\(.collective)/\(.algorithm)"' all |
    sort -u >differ
is_short || diff - differ <<END
$(sed -n '/^differs in MPICH/,/^$/s/^\(`[^|]*\) |.*/\1/p' "$root/docs/record.md" | tr -d ' `' | tr ',' '\n' | sort)
END
# MPICH takes by itself what the library says that it takes.
holds '[.calls[] | select(.algorithm == null and (.same | not)) | .collective] | unique |
    inside(["allgatherv", "bcast", "reduce_scatter", "reduce_scatter_block"])' all

# MPICH's algorithms for operations of its own run: what a sum of the user's program gets.
collc record allreduce --target mpich-4.0 --ranks 6 --sizes 16KiB --format json >own
holds '[.calls[] | [.like, .same, .errors]] == [["allreduce/rabenseifner, folded=0", true, 0]]' own

# Data of other ranks' blocks that are combined and forgotten are no fault of an ordered operation.
collc record allreduce reduce_scatter reduce_scatter_block reduce scan --target mpich-4.0 --ranks $(usually 5 3 3-5) \
    --non-commutative >ordered
absent 'R0' ordered

collc record allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce reduce_scatter \
    reduce_scatter_block scan scatter --target mpich-4.0 --non-blocking --ranks $(usually 3 3 3,4) --format json >nonblocking
holds '[.calls[] | select(.problem or .errors > 0)] == []' nonblocking
collc record allgather allgatherv allreduce alltoall alltoallv exscan gather reduce reduce_scatter \
    reduce_scatter_block scan scatter --target mpich-4.0 --in-place --ranks $(usually 4 4 3,4) --root 1 --format json >placed
holds '[.calls[] | select(.problem or .errors > 0)] == []' placed

counted='allgatherv alltoallv alltoallw gatherv reduce_scatter scatterv'
collc record $counted --target mpich-4.0 --algorithm all --ranks $(usually 3,4 3 2-9) --counts '8*(1+i mod 3)' \
    --format json >counts
holds '[.calls[] | select(.problem or .errors > 0)] == []' counts
# MPICH exchanges blocks between the same two ranks (mpi-forum/mpi-issues#153): that is found.
status=0
collc record neighbor_allgather neighbor_alltoall neighbor_alltoallv --target mpich-4.0 --ranks 2,9 --format json \
    >near || status=$?
expect status $status 1
holds '[.calls[] | select(.problem or (.same | not))] == []' near
holds '[.calls[] | select(.errors > 0) | "\(.collective) \(.ranks) \(.found)"] == ["neighbor_alltoallv 2 R006"]' near

refused "is not of MPICH" collc record allreduce --ranks 2 --target mpich-4.0 --mpirun echo
refused "is not of Open MPI" collc record allreduce --ranks 2 --target ompi-4.1 --mpirun mpirun.mpich
none_stays
