# Simulated times: known ones, what the options do, deadlocks and limits.
set -e
. "$root/tests/helpers.sh"

status_of() { status=0; "$@" >out 2>err || status=$?; echo $status; }

# simulated ALGORITHM OPTION...: into ./record; its parts make its time.
simulated() {
    collc simulate "$@" --format json >record
    holds '.time_ns == .latency_ns + .bandwidth_ns + .waiting_ns + .host_ns + .local_ns + .memory_ns'
}
free='--overhead 0ns --gap 0ns --memory-latency 0ns'

# Imamura 2009, figure 1: the binary tree in units of one message.
for pair in 16/6 22/6 23/7 30/7 31/8 32/8; do
    # shellcheck disable=SC2086
    simulated bcast/binary -t "star:${pair%/*},bw=1GB/s,lat=0ns" --bytes 1000 $free
    expect "binary tree, ${pair%/*} ranks" "$(field time_ns)" "${pair#*/}000"
done

# The report says what is assumed, and the defaults are those of the page.
simulated alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 8 --bytes 64KiB
holds '.model == "asap" and .synchronisation == "local" and .send_order == "random"
    and .simulation_seed == 0 and .window == 0 and .steps == 32 and .messages == 1024'
cp record default
for words in '--model asap --sync local' '--send-order random --simulation-seed 0' '--eager 64KiB'; do
    # shellcheck disable=SC2086
    simulated alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 8 --bytes 64KiB $words
    cmp record default
done
simulated alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 8 --bytes 64KiB --simulation-seed 1
! cmp -s record default || { echo 'the seed is of no account'; exit 1; }
times=
for order in queue lockstep; do
    simulated alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 8 --bytes 64KiB --send-order $order
    times="$times $(field time_ns)"
done
expect 'whole messages take no turns' "${times##* }" "$(echo $times | cut -d' ' -f1)"

# The sum is that of predict.
simulated bcast/chain -t star:9 --bytes 1MiB --model step --per-step
holds '.synchronisation == "lockstep"'
expect 'the sum' "$(field time_ns)" "$(collc predict bcast/chain -t star:9 --bytes 1MiB --model step --format json |
    jq '.times[0].time_ns')"
holds '.per_step[-1].end_ns == .time_ns'

# With barriers nothing is sooner, steps do not overlap, and a rank's send waits for its receives.
for algorithm in alltoall/ring bcast/binary allreduce/ring; do
    times=
    for mode in none local barrier; do
        simulated $algorithm -t torus:4x4,bw=1GB/s --bytes 100kB --sync $mode --per-step
        times="$times $(field time_ns)"
    done
    echo "$times" | awk '{ exit !($1 <= $2 && $2 <= $3) }' || { echo "$algorithm:$times"; exit 1; }
    holds '[.per_step | range(1; length) as $i | .[$i].start_ns >= .[$i - 1].end_ns] | all'
done
# a2at sends `in` only: with a window its steps overlap.
simulated alltoall/a2at -t torus:5x5,bw=1GB/s --bytes 100kB
single=$(field time_ns)
simulated alltoall/a2at -t torus:5x5,bw=1GB/s --bytes 100kB --window 2
[ "$(field time_ns)" -lt "$single" ] || { echo "two controllers: $(field time_ns), one: $single"; exit 1; }

# A slow process does not fill its cable, eight of them do (Naruse et al. 2010, figure 10).
for per in 1 8; do
    simulated alltoall/two_level_ring -t star:8,bw=2GB/s --ranks-per-machine $per --bytes 256KiB \
        --process-bandwidth 1.7GB/s
    jq -r ".servers * 0 + (.ranks - $per) * $per * 262144 / .time_ns * 1000 | floor" record
done >rates
awk 'NR == 1 { one = $1 } NR == 2 { exit !(one < 1700 && $1 > 1.05 * one && $1 < 2000) }' rates ||
    { echo "MB/s of 1 and of 8 processes: $(cat rates)"; exit 1; }

# Ranks that wait for each other: exit status 1, and who waits for whom.
cat >meet.sched <<'END'
collc-schedule 1
collective alltoall
algorithm meet
ranks 2
chunk-bytes 1000
step 0
0 copy in[0] to out[0]
1 copy in[1] to out[1]
0 send in[1] to 1
1 send in[0] to 0
step 1
0 recv out[1] from 1
1 recv out[0] from 0
end
END
simulated meet.sched -t star:2 -q 2>/dev/null || expect 'the schedule is wrong by verify' $? 1
expect 'rendezvous' "$(status_of collc simulate meet.sched -t star:2 --eager 999)" 1
collc simulate meet.sched -t star:2 --eager 999 --format json 2>/dev/null >record || :
holds '.time_ns == null and .deadlock == "ranks wait for each other: rank 0 in step 0 waits to send to rank 1; rank 1 in step 0 waits to send to rank 0"'
collc simulate meet.sched -t star:2 --eager 999 2>/dev/null | grep -q 'deadlock: nothing goes on any more: ranks wait'

# Requests that are refused.
refused() {
    words=$1
    shift
    expect "$*" "$(status_of collc simulate "$@")" 2
    collc simulate "$@" 2>&1 | grep -q -- "$words" || { collc simulate "$@"; exit 1; }
}
refused 'give --topology' alltoall/ring --ranks 4 --bytes 8
refused 'give --bytes' alltoall/ring -t star:4
refused 'longer than the limit' alltoall/ring -t star:4 --bytes 1GiB --time-limit 1ms
refused 'longer than the limit' alltoall/ring -t star:4 --bytes 1GiB --time-limit 1ms --model step
refused 'no effect with --model step' alltoall/ring -t star:4 --bytes 8 --model step --sync barrier
refused "is not one of" alltoall/ring -t star:4 --bytes 8 --sync often
refused "from 1 to" alltoall/ring -t star:4 --bytes 8 --window 0
refused 'times are at most' alltoall/ring -t star:4 --bytes 8 --overhead 2000s
refused 'too long to be counted' alltoall/ring -t star:4,bw=1B/s --bytes 5EB
sed '/^chunk-bytes/d' meet.sched >bare.sched
refused 'compile it with --bytes' bare.sched -t star:2

# Times in a schedule: those of asap pass N001, come back as they were, and are those of simulate.
for algorithm in alltoall/ring bcast/binary allreduce/rabenseifner; do
    collc compile $algorithm -t torus:3x3,bw=1GB/s --bytes 9000 --timed -o timed.sched
    head -1 timed.sched | grep -qx 'collc-schedule 2'
    collc compile timed.sched | cmp - timed.sched
    collc verify timed.sched -q
    simulated $algorithm -t torus:3x3,bw=1GB/s --bytes 9000
    expect "last end of $algorithm" "$(sed -n 's/.* until \([0-9]*\)ns$/\1/p' timed.sched | sort -n | tail -1)" \
        "$(field time_ns)"
    collc compile $algorithm -t torus:3x3,bw=1GB/s --bytes 9000 -o plain.sched
    sed 's/ at [0-9]*ns until [0-9]*ns$//; 1s/2/1/' timed.sched | cmp - plain.sched
done
sed 's/until \([0-9]*\)\([0-9]\)ns$/until \1ns/' timed.sched >short.sched
expect 'times too short' "$(status_of collc verify short.sched)" 1
grep -q N001 out
collc emit timed.sched 2>&1 >/dev/null | grep -q "times of 'timed.sched' are left out"
printf '%s\n' 1 0 2 3 4 5 6 7 8 >other.map
collc compile timed.sched --map other.map 2>note | head -1 | grep -qx 'collc-schedule 1'
grep -q 'times of .* are left out' note
expect 'no size' "$(status_of collc compile alltoall/ring -t star:4 --timed)" 2
expect 'no network' "$(status_of collc compile alltoall/ring --ranks 4 --bytes 8 --timed)" 2

# The times as a trace: every operation begins and ends once, and the last ends with the schedule.
collc compile alltoall/ring -t star:3 --ranks-per-machine 2 --bytes 1000 --timed -o timed.sched
collc emit timed.sched --to perfetto >record
holds '[.traceEvents[] | select(.ph == "b")] | length == 72'
holds '([.traceEvents[] | select(.ph == "b") | .id] | sort) == ([.traceEvents[] | select(.ph == "e") | .id] | sort)'
holds '[.traceEvents[] | select(.name == "thread_name") | .pid] == [0, 0, 1, 1, 2, 2]'
expect 'the last end' "$(jq '[.traceEvents[] | .ts // 0] | max * 1000 | round' record)" \
    "$(sed -n 's/.* until \([0-9]*\)ns$/\1/p' timed.sched | sort -n | tail -1)"
expect 'no times' "$(status_of collc emit alltoall/ring --ranks 4 --bytes 8 --to perfetto)" 2
grep -q 'collc compile --timed' err
expect 'no size' "$(status_of collc emit alltoall/ring --ranks 4 --to goal)" 2

# The same as a chart: a bar for each operation, behind the white ground, and well-formed.
collc emit timed.sched --to gantt >chart.svg
expect 'bars' "$(grep -c '<rect .*<title>' chart.svg)" 72
xmllint --noout chart.svg
expect 'no times' "$(status_of collc emit alltoall/ring --ranks 4 --bytes 8 --to gantt)" 2

# Copies of a rank right after each other are one bar, which says how many.
collc compile alltoall/bruck -t star:8 --bytes 64KiB --timed -o bruck.sched
collc emit bruck.sched --to gantt >bruck.svg
expect 'copies' "$(sed -n 's/.*> *<title>rank [0-9]* copies\( \([0-9]*\) times\)\?, .*/\2/p' bruck.svg |
    awk '{ n += $1 ? $1 : 1 } END { print n, NR < n / 2 }')" "$(grep -c ' copy ' bruck.sched) 1"

# On a network: a row for each link that carries something, and as many messages as share one.
collc compile alltoall/ring -t star:3,bw=1GB/s --bytes 1MB --timed -o star.sched
collc emit star.sched -t star:3,bw=1GB/s --to heatmap >map.svg
xmllint --noout map.svg
expect 'links' "$(grep -c ' to .*</text>' map.svg)" 6
grep -q '<title>m0 to sw0, .*: 1.00 messages</title>' map.svg
collc emit star.sched --to heatmap | cmp - map.svg # the file names its topology
expect 'no network' "$(status_of collc emit alltoall/ring --ranks 4 --bytes 8 --to heatmap)" 2
grep -q 'give --topology' err
expect 'no times' "$(status_of collc emit alltoall/ring -t star:4 --bytes 8 --to heatmap)" 2

# Messages on the network at once: in lock step no two machines send to one by the 2-level ring, and they do
# once ranks drift.
for sync in barrier local; do
    collc simulate alltoall/two_level_ring -t star:8,bw=2GB/s --ranks-per-machine 8 --bytes 256KiB \
        --sync $sync --over-time --format json >record
    holds '.over_time.intervals | length <= 32 and .[0].start_ns == 0 and
        all(.[1:][].start_ns; . > 0) and ([.[].fan_in] | max) == '"$(jq .over_time.max_fan_in record)"
    holds '.time_ns == .over_time.intervals[-1].end_ns'
    jq -c '.over_time | [.max_fan_in, .contended_ns > 0, .fan_in_ns > 0, .max_link_load]' record
done >drift
expect 'fan-in in lock step and with drift' "$(paste -sd ' ' drift)" '[1,false,false,8] [2,true,true,9]'
collc simulate alltoall/ring -t star:8 --ranks-per-machine 8 --bytes 64KiB --sync barrier --over-time >report
grep -q "Link load: at most 8, from 'm0' to 'sw0'; messages of several machines share a link for" report
expect 'no times of a sum' "$(status_of collc simulate bcast/chain -t star:3 --bytes 8 --model step --over-time)" 2

# The critical path: times go up to the end, what was waited for is the part of that name, and each
# operation follows one of its rank or of its peer; the first waits for nobody.
while read -r arguments; do
    collc simulate $arguments --format json >record
    holds '.critical_path | length > 0'
    holds '[.critical_path[].end_ns] | . == sort'
    holds '.critical_path[-1].end_ns == .time_ns and .critical_path[-1].rank == .last_rank'
    holds '([.critical_path[].waiting_ns] | add) == .waiting_ns'
    holds '.critical_path as $p | all(range(1; $p | length); . as $i |
        $p[$i - 1].rank == $p[$i].rank or $p[$i - 1].rank == $p[$i].peer)'
    holds '[.waits[].time_ns] | . == (sort | reverse) and all(.[]; . > 0)'
    holds '.longest_wait == null or ([.waits[].longest_ns] | max) <= .longest_wait.time_ns'
done <<'END'
bcast/binary -t star:22 --bytes 1MB
bcast/chain -t star:9 --bytes 1MB --param segments=8
alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 3 --bytes 64KiB
alltoall/a2at -t torus:5x5 --bytes 10000 --window 2
allreduce/rabenseifner -t fattree:4x4,up=1x2 --bytes 1MiB
allreduce/ring -t mesh:3x3 --bytes 1MB --model flow --overhead 2us
END
# By hand: the binary tree of 7 ranks, a message 8 us, a route 2 us of latency, o 500 ns at either end.
collc simulate bcast/binary -t star:7,bw=1GB/s,lat=1us --bytes 8000 --gap 0ns --format json >record
expect 'by hand' "$(jq -c '[.critical_path[] | [.operation, .rank, .end_ns]]' record)" \
    '[["send",0,8500],["receive",2,19500],["send",2,28000],["receive",6,39000]]'
# Drawn, the path is as long: an edge for each of its steps, and one node for each of its ends.
collc draw bcast/binary -t star:7,bw=1GB/s,lat=1us --bytes 8000 --gap 0ns --what dependencies >path.dot
expect 'red edges' "$(grep -c 'penwidth=2.5' path.dot)" 4
expect 'other messages' "$(grep -c '#2b6cb0"\];' path.dot)" 4
collc draw allreduce/ring -t star:64 --bytes 1MB --what dependencies >path.dot
[ "$(grep -c -- '->' path.dot)" -lt 1000 ]
grep -q 'the critical path and what its steps wait for' path.dot
status=0; collc draw bcast/binary -t star:7 --what dependencies >path.dot 2>message || status=$?
expect 'no size' "$status $(grep -c 'times depend on the size' message)" '2 1'
# A schedule file of equal chunks takes as long, for a size that is given, as the algorithm that it is of.
collc compile allreduce/ring --ranks 4 -o ring.sched
for bytes in 1000 1MiB; do
    collc simulate allreduce/ring -t star:4 --bytes $bytes --format json | jq '.time_ns' >direct
    collc simulate ring.sched -t star:4 --bytes $bytes --format json | jq '.time_ns' >of_file
    expect "time of a schedule file for $bytes" "$(cat of_file)" "$(cat direct)"
done
expect 'counts of a schedule file' "$(status_of collc simulate ring.sched -t star:4 --bytes 8 --counts i)" 2
