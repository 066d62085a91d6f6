# What representatives put on classes of links gives the times that each message on each link gives, by step and
# where one rank is played for all; and it does so at once where messages are 4.3 x 10^9.
set -e
while read -r schedule; do
    for model in step asap; do
        set -- $schedule --sizes 8,100KiB --per-step --format json --model $model
        collc predict "$@" >symmetric
        collc predict "$@" --no-symmetry >each
        [ -s symmetric ] && cmp symmetric each || { echo "$schedule, $model"; exit 1; }
    done
done <<'END'
alltoall/ring -t star:300
alltoall/pairwise -t fattree:16x4x8,up=1x2x4,bw=4GB/s:2GB/s:1GB/s,lat=1us:3us:9us
alltoall/linear -t star:40 --ranks-per-machine 7
alltoall/a2at -t torus:17x17,lat=1us:4us
alltoall/ring -t torus:18x15,bw=2GB/s:1GB/s,lat=9us:1us
alltoall/ring -t mesh:20x14
alltoall/ring -t full:260
allreduce/allgather_reduce -t star:43 --ranks-per-machine 6
alltoall/multi_leader -t star:32 --ranks-per-machine 8
allreduce/swing_torus_blocks -t torus:16x16
END
for symmetry in '' --no-symmetry; do
    for collective in alltoall allgather; do
        collc best $collective -t star:64 --ranks-per-machine 4 --sizes 8,1KiB,1MiB $symmetry --format json
        collc best $collective -t torus:17x16 --sizes 8,1MiB $symmetry --jobs 2
        collc best $collective -t fattree:16x16 --to ompi-4.1 --sizes 8,1MiB $symmetry
    done >best"$symmetry"
done
[ -s best ] && cmp best best--no-symmetry
collc predict alltoall/pairwise -t star:8192 --ranks-per-machine 8 --sizes 1MiB --model step --budget 5s --format json >large
grep -q '"steps": 65535' large
grep -q '"time_ns": 44270163180' large || { cat large; exit 1; }
collc predict alltoall/pairwise -t star:65536 --sizes 1MiB --budget 5s --format json >large
grep -q '"model": "asap"' large || { cat large; exit 1; }
# Rank by rank it is beyond the budget.
status=0
collc predict alltoall/pairwise -t star:65536 --sizes 1MiB --budget 5s --no-symmetry >out 2>said || status=$?
[ $status = 2 ] && [ ! -s out ] && grep -q 'the budget is 5 s' said
