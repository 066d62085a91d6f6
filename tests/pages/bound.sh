# Bounds, and A2AT on grids of all kinds against them: every row of the tables of
# docs/beyond.md whose first column is a grid and whose second is a window, and more of them.
set -e
. "$root/tests/helpers.sh"
bound() { jq ".bounds[] | select(.kind == \"$1\") | .bound_load" bounds; }

rows=0
sed -n 's/^`\([a-z]*:[0-9x]*\)` | \([0-9]*\) | \(.*\)$/\1 \2 \3/p' "$root/docs/beyond.md" |
    tr -d '|' | tr -s ' ' >table
cat >>table <<EOF
torus:11x11 1 165 165 120 440 5 440 5
torus:11x11 4 165 165 30 165 10 400 20
torus:6x10 1 75 90 59 169 5 169 5
torus:4x4x4 1 32 48 63 100 2 100 2
mesh:8x8 1 128 128 63 172 4 172 4
mesh:11x11 1 330 330 120 440 5 440 5
mesh:11x11 4 330 330 30 330 20 435 20
mesh:6x10 1 150 150 59 169 5 169 5
mesh:4x4x4 1 64 64 63 100 2 100 2
mesh:4x4x4 6 64 64 11 64 10 94 12
torus:8x8 2 64 80 32 100 7 168 8
torus:9x9 1 90 90 80 240 4 240 4
torus:9x9 2 90 90 40 120 4 230 8
torus:9x9 4 90 90 20 90 8 220 16
torus:11x11 2 165 165 60 220 5 414 10
torus:6x10 2 75 90 30 114 10 143 7
torus:4x4x4 2 32 48 32 72 4 94 4
torus:4x4x4 4 32 48 16 62 7 85 8
mesh:8x8 2 128 128 32 128 7 171 8
mesh:9x9 1 180 180 80 240 4 240 4
mesh:9x9 2 180 180 40 180 8 240 8
mesh:9x9 4 180 180 20 180 16 237 16
mesh:11x11 2 330 330 60 330 10 440 10
mesh:6x10 2 150 150 30 159 10 168 9
mesh:4x4x4 2 64 64 32 81 4 98 4
mesh:4x4x4 4 64 64 16 74 7 92 8
EOF
# The cut through the middle of the longest dimension, and the busiest link of it where messages go straight, half way
# round a ring of an even length all one way: of the shape alone.
shaped() {
    n=1 l=0
    for d in $(echo "${1#*:}" | tr x ' '); do n=$((n * d)) l=$((d > l ? d : l)); done
    half=$((l / 2)) links=$((n / l)) way=$((half * (l - half)))
    case $1 in torus:*) links=$((2 * links)) way=$((half * (half + 1) / 2)) ;; esac
    cut=$((n / l * half * (n / l) * (l - half)))
    echo "$(((cut + links - 1) / links)) $((n / l * way))"
}
while read -r grid window expected; do
    collc bound alltoall -t "$grid" --format json >bounds
    straight=$(bound routes)
    expect "$grid by its shape" "$(bound bisection) $straight" "$(shaped "$grid")"
    row="$(bound bisection) $straight"
    for algorithm in a2at_nd a2and; do
        collc verify "alltoall/$algorithm" -t "$grid" --param window="$window" --format json >record
        expect "$algorithm on $grid: all steps" "$(field max_total_load)" "$straight"
        [ "$algorithm" = a2and ] || row="$row $(field steps)"
        row="$row $(field sum_step_load) $(field max_link_load)"
        [ "$(field sum_step_load)" -ge "$straight" ]
    done
    expect "$grid, window $window" "$row" "$expected"
    rows=$((rows + 1))
done <table
expect 'rows of the table' $rows 32

# The general algorithm is as good as the paper's own on its squares.
for n in 3 5 7 13; do
    for case in "torus 1 3" "torus 2 6" "torus 4 8" "mesh 2 4"; do
        set -- $case
        collc verify alltoall/a2at_nd -t "$1:${n}x$n" --param window="$2" --format json >record
        expect "a2at_nd $1 $n window $2" "$(field sum_step_load)" $((n * (n + 1) * (n - 1) / $3))
    done
done

# A bound is of what is there: two ranks a machine are four times the blocks.
collc bound alltoall -t torus:5x5 --ranks-per-machine 2 --format json >bounds
expect 'two ranks a machine' "$(bound bisection)" 60
collc bound alltoall -t torus:8x8,bw=1GB/s --bytes 1MB --format json >bounds
holds 'any(.bounds[]; .kind == "bisection" and .bound_load == 64 and .bound_ns == 64000000)' bounds
collc bound gather -t mesh:4 --root 3 --format json >bounds
expect 'gather to the end of a line' "$(bound bisection)" 3
collc bound bcast -t star:4,bw=1GB/s --bytes 1MB --format json >bounds
holds 'any(.bounds[]; .kind == "machine" and .bound_load == 1 and .bound_ns == 1000000)' bounds
collc bound bcast -t torus:2x8,bw=1GB/s --bytes 1MB --format json >bounds # 4 links, not 16
holds 'any(.bounds[]; .kind == "bisection" and .bound_load == 0.25 and .bound_ns == 250000)' bounds
collc bound bcast -t star:4 --ranks 1 >text
grep -q 'no bound is known' text

# No schedule is below its bound.
for name in bcast/linear reduce/linear allreduce/recursive_doubling reduce_scatter_block/ring; do
    collc bound ${name%/*} -t torus:2x4 --format json >bounds
    collc verify $name -t torus:2x4 --format json >record
    jq -e --argjson least "$(bound bisection)" '.max_total_load >= $least' record
done

for bad in 'alltoall' 'gossip -t star:4' 'gather -t star:4 --root 4' 'alltoall -t star:4 --param x=1'; do
    status=0
    # shellcheck disable=SC2086
    collc bound $bad >/dev/null 2>said || status=$?
    expect "status of bound $bad" $status 2
    [ -s said ]
done

# Steps: no algorithm has fewer; with an even number of servers the tournament has no more, nor has
# the schedule that is found here.
for shape in "4 3 12 met" "4 5 20 met" "4 3 11 met" "6 3 13 above" "5 4 17 above" "1 1 1 met" "2 4 7 met"; do
    set -- $shape
    place="-t star:$1 --ranks-per-machine $2 --ranks $3"
    collc bound alltoall $place --format json >bounds
    collc verify alltoall/spread $place --format json >any
    [ "$(field steps any)" -ge "$(field bound_steps bounds)" ]
    for algorithm in two_level_ring two_level_tournament; do
        collc verify alltoall/$algorithm $place --max-fan-in 1 --format json >record
        [ "$(field steps record)" -ge "$(field bound_steps_fan_in_1 bounds)" ]
    done
    [ "$4" = above ] || expect "$shape" "$(field steps record)" "$(field bound_steps_fan_in_1 bounds)"
    collc bound alltoall $place --schedule planned.sched >/dev/null
    collc verify planned.sched --max-fan-in 1 --format json >record
    expect "$shape: planned" "$(field steps record)" "$(field bound_steps_fan_in_1 bounds)"
done
# Unequal counts: those of a file or a formula, in bytes; no algorithm takes less time, and by routes
# none that goes straight.
status=0; collc bound alltoallv -t star:4 2>message || status=$?
expect 'no counts' "$status $(grep -c "of alltoallv are of --counts: give them, or name 'alltoall'" message)" '2 1'
status=0; collc bound alltoall -t star:4 --counts 3 2>message || status=$?
expect 'equal counts' "$status $(grep -c 'all counts of alltoall are equal' message)" '2 1'
status=0; collc bound scatterv -t star:4 --counts '2^61+i' 2>message || status=$?
expect 'too much' "$status $(grep -c '2^63 bytes or more in all' message)" '2 1'
status=0; collc bound alltoallw -t star:4097 --counts 1 2>message || status=$?
expect 'too many' "$status $(grep -c '4096 ranks at most, these are 4097' message)" '2 1'
for schedule in '--schedule x' '--max-fan-in 2'; do
    status=0; collc bound alltoallv -t star:4 --counts 1 $schedule 2>message || status=$?
    expect "$schedule of counts" "$status $(grep -c 'is for' message)" '2 1'
done
collc bound gatherv -t fattree:4x4,bw=1GB/s --ranks 12 --counts 'bytes*i' --bytes 1KiB --root 3 --format json >bounds
expect 'into the root' "$(bound machine)" $(((66 - 3) * 1024))
holds '.collective == "gatherv" and .bytes == 1024' bounds
expect 'of equal ones' "$(collc bound allgatherv -t torus:4x4,bw=1GB/s --counts 'bytes' --bytes 7KiB | grep -o '[0-9.]*us  links')" \
    "$(collc bound allgather -t torus:4x4,bw=1GB/s --bytes 7KiB | grep -o '[0-9.]*us  links')"
free="--overhead 0ns --gap 0ns --memory-bandwidth 1000TB/s --memory-latency 0ns"
cases=0
for place in 'torus:4x3,bw=1GB/s,lat=0ns' 'mesh:2x2x2,bw=1GB/s,lat=0ns' 'fattree:3x3,up=1x2,bw=1GB/s,lat=0ns' \
        'star:5,bw=1GB/s,lat=0ns --ranks-per-machine 2'; do
    for collective in allgatherv gatherv scatterv reduce_scatter alltoallv; do
        p=$(collc bound allgather -t $place | sed -n 's/^allgather: \([0-9]*\) ranks.*/\1/p')
        [ $collective = alltoallv ] && n=$((p * p)) || n=$p
        awk -v n="$n" -v seed="$cases" 'BEGIN { srand(seed)
            for (i = 0; i < n; i++) print rand() < 0.3 ? 0 : int(rand() * 100000) }' >some.counts
        collc bound $collective -t $place --counts some.counts --format json >bounds
        collc best $collective -t $place --counts some.counts $free --to csv >times
        jq -r '.bounds[] | "\(.kind) \(.bound_ns)"' bounds >known
        [ -s known ]
        [ "$(wc -l <times)" -gt 1 ]
        awk -F '[ ,]' 'NR == FNR { if ($1 == "routes") straight = $2; else if ($2 > most) most = $2; next }
            FNR > 1 && ($5 < most || ($1 ~ /(linear|pairwise|ring|spread)$/ && $5 < straight)) { print; bad = 1 }
            END { exit bad }' known times || { echo "$collective on $place: below its bounds"; cat known; exit 1; }
        cases=$((cases + 1))
    done
done
expect 'random counts' $cases 20
status=0; collc bound scan -t star:4 2>message || status=$?
expect 'not served' "$status $(grep -c "no bound of scan is known: .* in alltoall, bcast" message)" '2 1'

# With fan-in 2 servers of 4, 4 and 2 ranks need p - 1 steps, with 1 one more; the file says where.
place="-t star:3 --ranks 10 --ranks-per-machine 4"
for case in "1 10" "2 9" "3 9"; do
    set -- $case
    collc bound alltoall $place --max-fan-in "$1" --schedule - >planned.sched
    collc verify planned.sched --max-fan-in "$1" --format json >record
    expect "steps with fan-in $1" "$(field steps record)" "$2"
done
for bad in "allgather -t star:4 --schedule x" "alltoall -t star:4 --max-fan-in 1" "alltoall -t star:513 --schedule x"; do
    status=0
    # shellcheck disable=SC2086
    collc bound $bad >/dev/null 2>said || status=$?
    expect "status of bound $bad" $status 2
    [ -s said ]
    [ ! -e x ]
done

# A schedule names the topology as it was given; servers that are cut off have none.
cat >two.xml <<'F'
<topology version="1" name="two switches">
  <graph>
    <machine name="n0"/> <machine name="n1"/> <machine name="n2"/>
    <router name="a"/> <router name="b"/>
    <link a="n0" b="a"/> <link a="n1" b="a"/> <link a="n2" b="b"/> <link a="a" b="b"/>
  </graph>
</topology>
F
collc bound alltoall -t two.xml --ranks-per-machine 2 --schedule named.sched >/dev/null
collc verify named.sched >/dev/null
status=0; collc bound alltoall -t two.xml --fail a:b --schedule cut.sched >out 2>message || status=$?
expect 'cut off' "$status $(grep -c "no route from host 'n0' to 'n2'.*L002" message)" '2 1'
[ ! -s out ]
[ ! -e cut.sched ]
