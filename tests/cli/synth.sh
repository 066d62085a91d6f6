# Synthesis: what is written verifies, is as good as promised, and can be predicted and emitted; what is
# refused leaves nothing behind.
set -e
. "$root/tests/helpers.sh"
measure() { collc verify made.sched --max-link-load "$1" --max-fan-in 1 --format json >record; }

# Trees of switches: as many steps as messages on the busiest link, one on a link in each.
for case in '207 star:24 3' '20 mesh:9 1' '48 fattree:4x4,up=1x1 1'; do
    set -- $case
    collc synth alltoall --method phases -t "$2" --ranks-per-machine "$3" -o made.sched
    measure 1
    expect "$2" "$(field complete) $(field steps) $(field sum_step_load)" "true $1 $1"
done

# Ranks that keep no common step: by flows that share links as they are, the bound and some latencies.
slow=fattree:4x2,up=1x1,bw=10Mb/s
for method in phases turns; do
    collc synth alltoall --method $method -t $slow -o made.sched
    collc verify made.sched -t $slow --format json >record
    expect "$method" "$(field complete) $(field deadlock_free)" 'true true'
    collc predict made.sched -t $slow --bytes 64KiB --model flow --format json >$method.times
done
holds '.times[0].bound_ratio > 1.3' phases.times
holds '.times[0].bound_ratio < 1.001' turns.times

# By the model flow turns are what is chosen, by steps they are not.
collc synth alltoall -t $slow --bytes 64KiB --model flow --explain --format json >explained
holds '.method == "turns" and .model == "flow" and .time_ratio < 1.001' explained
holds '.methods[0].predicted_ns > 1.3 * .bound_ns and .methods[1].predicted_ns == .predicted_ns' explained
collc synth alltoall -t $slow --bytes 64KiB --explain --format json >explained
holds '.method == "phases" and .model == "step"' explained

# A failed cable: another tree, or none.
collc synth alltoall -t fattree:4x4,up=1x2 --fail sw0:sw4 -o made.sched
collc verify made.sched -t fattree:4x4,up=1x2 --fail sw0:sw4 --max-link-load 1 --format json >record
expect 'failed cable' "$(field complete)" true

# Unequal counts: as long as the busiest cable is busy.
collc synth alltoallv -t star:16 --ranks-per-machine 4 --counts '((i*7919+j*104729) mod 1009)^2' --explain \
    --format json -o made.sched >explained
holds '.load_ratio == 1 and .sum_step_load == 84419793 and .steps < 226' explained
collc verify made.sched --max-fan-in 1 --format json >record
expect 'unequal counts' "$(field complete)" true

# All must be right everywhere, and within the first and last steps of the bound.
for case in 'allgather torus:4x4 1' 'bcast torus:4x4 1' 'allreduce mesh:3x3 1' 'reduce fattree:4x4,up=1x2 2' \
    'reduce_scatter_block star:4 3' 'allgather star:1 3' 'bcast star:1 2' 'allreduce star:1 1'; do
    set -- $case
    collc synth "$1" -t "$2" --ranks-per-machine "$3" -o made.sched
    collc verify made.sched --format json >record
    expect "$1 on $2" "$(field complete)" true
done
# Relays take load off links that routes of an even torus prefer.
collc synth alltoall -t torus:6x4 --ranks-per-machine 2 --method relays --explain --format json -o made.sched >explained
holds '.bound_load == 72 and .max_total_load < 74 and .methods[0].busiest_link_ns < .builtin_ns' explained
collc verify made.sched --quiet

# Blocks of unequal counts go round, too, as all counts are in the file, and in its C, where an int counts them.
collc synth alltoallv -t torus:4x4 --counts '1000 + 7 * i + 11 * j' --method relays --explain --format json \
    -o made.sched >explained
holds '.load_ratio < 1.1 and .max_total_load < 1.02 * .bound_load' explained
collc verify made.sched --quiet
collc compile made.sched | cmp - made.sched
collc emit made.sched -o made.c
grep -q 'Valid for 16 ranks and the counts below' made.c
sed 's/^counts 1000/counts 3000000000/' made.sched >large.sched
! collc emit large.sched -o none.c 2>said || exit 1
grep -q '3000000000 bytes is more than MPI counts' said && [ ! -e none.c ]

# At the ends of a gatherv not all ranks could see that counts are others.
cat >gatherv.sched <<'END'
collc-schedule 1
collective gatherv
algorithm relay
ranks 3
root 0
tmp 1
counts 1 2 3
like 0
like 1 2:in[0]
like 2
step 0
0 copy in[0] to out[0]
1 recv tmp[0] from 2
2 send in[0] to 1
step 1
0 recv out[2] from 1
1 send tmp[0] to 0
step 2
0 recv out[1] from 1
1 send in[0] to 0
end
END
! collc emit gatherv.sched -o none.c 2>said || exit 1
grep -q 'that is for alltoallv and alltoallw only' said && [ ! -e none.c ]

# Round a ring and along trees every collective is right, and neighbours are found where machines are not numbered by
# switches: each cable is crossed once in each step.
for collective in allgather reduce_scatter_block allreduce bcast reduce; do
    for method in ring shares; do
        collc synth "$collective" -t fattree:3x2,up=1x2 --ranks-per-machine 2 --method $method |
            collc verify - --quiet
    done
done
printf 'm0\nm4\nm1\nm5\nm2\nm6\nm3\nm7\n' >hosts
collc synth allgather -t fattree:4x2,up=1x1 --placement hosts --method ring -o made.sched
measure 1
expect 'ring on a tree' "$(field complete) $(field steps) $(field sum_step_load)" 'true 7 7'

# The fewest rounds, and how that is known; a solver that is wrong, or missing, makes nothing wrong.
collc synth alltoall -t torus:6 --method exact --explain --format json -o made.sched >explained
holds '.steps == 3 and .methods[0].note[:20] == "5 rounds in 3 steps " and (.methods[0].note | contains("a cut"))' explained
collc verify made.sched --quiet
collc synth allreduce -t mesh:3x2 --method exact --steps 4 --chunks 2 | collc verify - --quiet
mkdir liar
for answer in 'SATISFIABLE; echo v 1 2 3 4 5 6 7 8 9 0' UNSATISFIABLE; do
    printf '#!/bin/sh\ncat >/dev/null\necho s %s\n' "$answer" >liar/collc-lp
    chmod +x liar/collc-lp
    ! COLLC_LIBEXEC=$PWD/liar collc synth alltoall -t torus:4 --method exact -o none.sched 2>said || exit 1
    grep -q 'solver of formulas is wrong' said && [ ! -e none.sched ]
done
cp "$(command -v collc)" alone
! COLLC_LIBEXEC= ./alone synth alltoall -t torus:4 --method exact -o none.sched 2>said || exit 1
grep -q 'collc-lp is not to be found' said && [ ! -e none.sched ]

# The same request gives the same schedule, and standard output the same as a file.
collc synth alltoall -t torus:5x5 --seed 3 >one.sched
collc synth alltoall -t torus:5x5 --seed 3 -o two.sched
cmp one.sched two.sched
collc compile two.sched | cmp - two.sched
collc synth alltoall -t torus:5x5 --explain | grep -q 'x bound'

refuse() { # WHY ARGUMENTS
    why=$1 status=0
    shift
    collc synth "$@" -o none.sched >said 2>&1 || status=$?
    expect "status of synth $*" $status 2
    grep -q -- "$why" said || { cat said; exit 1; }
    [ ! -e none.sched ]
}
refuse 'give --topology' alltoall --ranks 4
refuse 'give --counts' alltoallv -t star:4
refuse 'is no collective' gossip -t star:4
refuse '--time is zero' alltoall -t star:4 --time 0s
refuse '--format' alltoall -t star:4 --format json
refuse 'in a ring' alltoall -t torus:4x4 --method phases
refuse 'no method makes scan' scan -t star:4
refuse 'is no star' alltoallv -t torus:4x4 --counts 7 --method birkhoff
refuse 'no route from host' alltoall -t mesh:4 --fail m1:m2
refuse 'has no effect' alltoall -t star:4 --root 1
refuse 'counts are unequal' allgatherv -t star:4 --counts 7 --method trees
refuse 'no relay takes load off' alltoall -t star:4 --method relays
refuse 'no relay takes load off' alltoallv -t star:4 --counts 7 --method relays
refuse 'one rank a machine' alltoall -t star:4 --ranks-per-machine 2 --method exact
refuse 'at least: some are as many cables apart' allgather -t torus:8 --method exact --steps 3
refuse 'give --method exact' allgather -t torus:8 --steps 3
refuse 'for 2 to 12 ranks' allgather -t torus:4x4 --method exact
refuse 'counts are unequal' alltoallv -t torus:4 --counts 7 --method exact
refuse 'counts are equal' alltoall -t star:4 --method birkhoff
status=0
collc synth alltoall -t star:4 --explain -o - >said 2>&1 || status=$?
expect 'both to standard output' $status 2
