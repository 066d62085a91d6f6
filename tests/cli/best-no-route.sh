# Rules for an MPI on a fabric whose tables have holes: the reason is the missing route and no size, the rules for
# what has routes are written, and the exit status is 1.
set -e
. "$root/tests/helpers.sh"

sh "$root/tests/data/routes/unpack" data
cd data
status=0
collc best alltoall allreduce -t plafrim2.txt --routes plafrim2-tables --ranks 8,96 --sizes 8,1MiB --to ompi-4.1 \
    -o holes.rules >said 2>notes || status=$?
expect 'status with holes' $status 1
present "^  = note: no route from host '.*' to '.*', which communicate in step .* (L002)" notes
present 'stands at all sizes: allreduce on 96 ranks' notes
present 'stands at all sizes: alltoall on 96 ranks' notes
present 'rules for fewer ranks are for the first hosts by name' notes
absent 'too large' notes
absent 'on 8 ranks' notes
present '^alltoall, 8 ranks, .*for 8' said
present '^alltoall, 96 ranks, all sizes: default$' said
[ -s holes.rules ]

collc best alltoall -t plafrim1.txt --ranks 8 --sizes 8 --to ompi-4.1 -o whole.rules >said 2>notes
absent 'L002\|first machines' notes
