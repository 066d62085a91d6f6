# Loads that representatives put on classes of links, or on each link, give the times that each message on each link
# gives, by step and with one rank played for all; also with 4.3 x 10^9 messages. That it looks at few
# of them is seen by a budget a little above half of what all would take, by estimate: it needs less than a hundredth.
set -e
. "$root/tests/helpers.sh"
same() { # ARGUMENT...
    collc predict "$@" --format json >symmetric
    collc predict "$@" --format json --no-symmetry >each
    [ -s symmetric ] && cmp symmetric each || { echo "$*"; exit 1; }
}
sh "$root/tests/bench/fabric" 16 16 8 >fabric.txt
some_of 3 <<'END' >schedules
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
alltoall/bruck -t fabric.txt
alltoall/linear -t fabric.txt
alltoall/ring -t fabric.txt
alltoall/hierarchical -t fabric.txt --ranks-per-machine 2
allreduce/bine_blocks -t fabric.txt
alltoall/ring -t torus:16x17,lat=1us:4us,bw=1GB/s:3GB/s --fail 3
alltoall/multi_leader -t torus:8x9,lat=1us:4us,bw=1GB/s:4GB/s --ranks-per-machine 4 --fail 5
END
while read -r schedule; do
    same $schedule --sizes 8,100KiB --per-step --model step
done <schedules
# One that is wrong is told so.
sed 's/recv out\[/recv out[1+/' "$root/compiler/algorithms/alltoall/ring.coll" >wrong.coll
status=0
collc predict wrong.coll -t star:300 --sizes 8 --model step >out 2>said || status=$?
[ $status = 1 ] && grep -q 'R006' said && grep -q 'is wrong: it breaks its collective' said
# The rest is about sizes.
! is_short || exit 0
# A step that could not be expanded has a time on a fabric read from a file, too, and best does not leave it out.
sh "$root/tests/bench/fabric" 96 96 48 >large.txt
collc predict alltoall/bruck -t large.txt --sizes 64 --model step >out
refused 'to look at more than' collc predict alltoall/bruck -t large.txt --sizes 64 --model step --budget 5s --no-symmetry
same alltoall/ring -t star:300 --sizes 100KiB
same alltoall/a2at -t torus:17x17,lat=1us:4us --sizes 100KiB
for symmetry in '' --no-symmetry; do
    {
        collc best alltoall -t star:64 --ranks-per-machine 4 --sizes 8,1MiB --model step $symmetry --format json
        collc best alltoall -t torus:17x16 --sizes 1KiB $symmetry --jobs 2
        collc best allgather -t fattree:16x16 --to ompi-4.1 --sizes 8,1MiB $symmetry
    } >best"$symmetry"
done
[ -s best ] && cmp best best--no-symmetry
collc predict alltoall/pairwise -t star:8192 --ranks-per-machine 8 --sizes 1MiB --model step --budget 200s --format json >large
grep -q '"steps": 65535' large
grep -q '"time_ns": 44270163180' large || { cat large; exit 1; }
collc predict alltoall/pairwise -t star:65536 --sizes 1MiB --budget 400s --format json >large
grep -q '"model": "asap"' large || { cat large; exit 1; }
# Rank by rank it is beyond the budget.
status=0
collc predict alltoall/pairwise -t star:65536 --sizes 1MiB --budget 400s --no-symmetry >out 2>said || status=$?
[ $status = 2 ] && [ ! -s out ] && grep -q 'the budget is 400 s' said
# Measured in a moment, but no one rank is found to stand for all, and 10^12 messages are not gone through for it.
status=0
collc predict alltoall/a2at -t torus:1023x1023 --sizes 8 --budget 60s >out 2>said || status=$?
[ $status = 2 ] && [ ! -s out ] && grep -q 'help: --model step, by its symmetry' said
# A user's own program is verified by its symmetry before it is measured by it: also where a step has more
# operations than could be expanded.
cp "$root/compiler/algorithms/alltoall/ring.coll" "$root/compiler/algorithms/alltoall/linear.coll" .
for name in ring linear; do
    case $name in ring) star=star:65536 ;; *) star=star:8256 ;; esac
    collc predict $name.coll -t $star --sizes 8 --budget 400s | tail -n +2 >own
    collc predict alltoall/$name -t $star --sizes 8 --budget 400s | tail -n +2 >builtin
    [ -s own ] && cmp own builtin
done
collc best alltoall -t star:8192 --ranks-per-machine 8 --sizes 1MiB --with ring.coll --budget 200s --to csv >all
grep -q '^ring.coll,' all || { cat all; exit 1; }
