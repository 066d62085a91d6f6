# Steps that are like others are measured once: the times are those of the same steps in a file, where each is
# measured, and at 65,536 ranks, 8.6 x 10^9 messages, they take no hundredth of the budget, by which all are too many.
set -e
. "$root/tests/helpers.sh"
place="$(usually 'star:20 --ranks-per-machine 15' 'star:5 --ranks-per-machine 3')"
times_of() { # SCHEDULE ARGUMENT...
    collc predict "$@" -t $place --sizes 8,100KiB --per-step --format json |
        sed '/"source"/d; /"schedule"/d'
}
for name in allreduce/ring allreduce/rabenseifner alltoall/bruck allreduce/hierarchical_ring reduce_scatter_block/ring; do
    collc compile $name -t $place -o file.sched
    for model in step asap; do
        times_of $name --model $model >alike
        times_of file.sched --model $model >each
        [ -s alike ] && cmp alike each || { echo "$name, $model"; exit 1; }
    done
done
# With ranks renumbered they are not like others.
grid=torus:$(usually 17x17 5x5)
collc predict allreduce/ring -t $grid --model step --sizes 100KiB --per-step --map greedy --format json >mapped
collc compile allreduce/ring -t $grid --map greedy -o mapped.sched
collc predict mapped.sched -t $grid --model step --sizes 100KiB --per-step --format json >each
grep time_ns mapped >mapped.times
grep time_ns each >each.times
[ -s mapped.times ] && cmp mapped.times each.times
! is_short || exit 0 # the rest is about sizes
large="allreduce/ring -t star:8192 --ranks-per-machine 8 --sizes 1MiB"
collc predict $large --model step --budget 400s --format json >large
grep -q '"time_ns": 394324' large || { cat large; exit 1; }
# Played it would be message by message: that is said, and what to ask instead.
status=0
collc predict $large --budget 400s >out 2>said || status=$?
[ $status = 2 ] && [ ! -s out ] && grep -q 'help: --model step, by its symmetry; --budget allows more' said
# One rank stands for all of them here.
collc predict allreduce/ring -t star:65536 --sizes 1MiB --budget 400s -q
