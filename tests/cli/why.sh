# collc why: twenty causes are planted in times that the model flow plays, with noise, and each is named first by
# the model asap. Measured is by schedules on a network that is really so; explained is what the stated network says.
set -e
. "$root/tests/helpers.sh"

slow() { # DOT A B RATE: the cable between A and B has this rate, both ways
    awk -v a="\"$2\"" -v b="\"$3\"" -v rate="$4" \
        '($1 == a && $3 == b) || ($1 == b && $3 == a) { sub(/\]/, ", bandwidth=\"" rate "\"]") } { print }' "$1"
}

# Appends times in the form of OSU to `times`: what the schedule takes by the model flow, within 3 %.
measured() { # TITLE SIZES ARGUMENTS...
    title=$1 sizes=$2
    shift 2
    printf '\n# OSU MPI %s Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n' "$title" >>times
    for bytes in $sizes; do
        ns=$(collc simulate "$@" --bytes "$bytes" --model flow --format json | jq .time_ns)
        seed=$((seed + 1))
        awk -v bytes="$bytes" -v ns="$ns" -v seed=$seed \
            'BEGIN { srand(seed); rand(); printf "%-10d %18.2f\n", bytes, ns / 1000 * (1 + 0.06 * (rand() - 0.5)) }' >>times
    done
}
seed=0 n=0
alltoall='All-to-All Personalized Exchange'
few='16384 131072 1048576'

# The times are explained by a cause of this kind, with these words, first of all.
named() { # KIND WORDS ARGUMENTS...
    kind=$1 words=$2
    shift 2
    n=$((n + 1))
    status=0
    collc why times "$@" --format json >report || status=$?
    [ $status -eq 1 ]
    if ! jq -e --arg kind "$kind" --arg words "$words" \
        '.causes[0] | .kind == $kind and (.words | contains($words))' report >/dev/null; then
        echo "case $n: $kind, $words is not named first, but:"
        jq -r '.causes[0].words' report
        exit 1
    fi
    : >times
}
: >times

# ---- slow cables ----

fabric='fattree:4x2,up=1x1,bw=100MB/s'
collc topo "$fabric" --to dot >tree.dot
slow tree.dot sw0 sw2 25MB/s >bad.dot
measured "$alltoall" "$few" alltoall/linear -t bad.dot
named cable sw0:sw2 -t tree.dot --algorithm alltoall/linear --ranks 8

collc topo star:8,bw=1GB/s --to dot >star.dot
for host in m3 m6; do
    slow star.dot $host sw0 300MB/s >bad.dot
    measured Broadcast "$few" bcast/binomial -t bad.dot
    measured Gather "$few" gather/binomial -t bad.dot
    for half in m0-m3 m0,m1,m4,m5 m0,m2,m4,m6; do
        hosts=$(echo $half | sed 's/m0-m3/m0,m1,m2,m3/')
        echo "hosts $hosts" >>times
        measured "$alltoall" "$few" alltoall/linear -t bad.dot --machines "$hosts"
    done
    named cable $host:sw0 -t star.dot --algorithm alltoall/linear --algorithm bcast/binomial \
        --algorithm gather/binomial --ranks 8
done

collc topo fattree:2x2x4,up=1x1x2,bw=1GB/s --to dot >levels.dot
slow levels.dot m9 sw4 200MB/s >bad.dot
measured Allgather "$few" allgather/ring -t bad.dot
measured "$alltoall" "$few" alltoall/ring -t bad.dot
measured Broadcast "$few" bcast/binomial -t bad.dot
measured Gather "$few" gather/binomial -t bad.dot
named cable 'm9:sw4' -t levels.dot --ranks 16 --algorithm allgather/ring --algorithm alltoall/ring \
    --algorithm bcast/binomial --algorithm gather/binomial

collc topo fattree:4x4,up=1x2,bw=1GB/s --to dot >leaves.dot
slow leaves.dot sw1 sw4 150MB/s >bad.dot
measured "$alltoall" "$few" alltoall/pairwise -t bad.dot
measured Allreduce "$few" allreduce/recursive_doubling -t bad.dot
named cable sw1:sw4 -t leaves.dot --algorithm alltoall/pairwise --algorithm allreduce/recursive_doubling --ranks 16

# As Open MPI decides.
slow tree.dot sw1 sw2 40MB/s >bad.dot
measured "$alltoall" "$few" alltoall --as ompi-4.1 -q -t bad.dot
measured Broadcast "$few" bcast --as ompi-4.1 -q -t bad.dot
named cable sw1:sw2 -t tree.dot --as ompi-4.1 --ranks 8

# ---- cables that do not work ----

measured "$alltoall" "$few" alltoall/linear -t fattree:4x2,up=1x2,bw=1GB/s --fail sw0:sw2
measured Allgather "$few" allgather/ring -t fattree:4x2,up=1x2,bw=1GB/s --fail sw0:sw2
named failed sw0:sw2 -t fattree:4x2,up=1x2,bw=1GB/s --algorithm alltoall/linear --algorithm allgather/ring --ranks 8

fabric='fattree:4x4,up=1x2,bw=1GB/s'
measured "$alltoall" "$few" alltoall/linear -t "$fabric" --fail sw2:sw5
for hosts in m0,m1,m2,m3,m4,m5,m6,m7 m0,m1,m2,m3,m8,m9,m10,m11; do
    echo "hosts $hosts" >>times
    measured "$alltoall" "$few" alltoall/linear -t "$fabric" --fail sw2:sw5 --machines "$hosts"
done
named failed 'sw2:sw5' -t "$fabric" --algorithm alltoall/linear --ranks 16

# ---- everything slower, slow hosts ----

measured "$alltoall" "$few" alltoall/linear -t star:8,bw=400MB/s
measured Broadcast "$few" bcast/binomial -t star:8,bw=400MB/s
for hosts in m0,m1,m2,m3 m4,m5,m6,m7; do
    echo "hosts $hosts" >>times
    measured Allgather "$few" allgather/ring -t star:8,bw=400MB/s --machines "$hosts"
done
named links '2.5 times slower' -t star:8,bw=1GB/s --algorithm alltoall/linear --algorithm bcast/binomial \
    --algorithm allgather/ring --ranks 8

measured "$alltoall" '8 512 4096' alltoall/linear -t star:8,bw=1GB/s --overhead 12us
measured Broadcast '8 512 4096' bcast/binomial -t star:8,bw=1GB/s --overhead 12us
named overhead 'for a message' -t star:8,bw=1GB/s --algorithm alltoall/linear --algorithm bcast/binomial --ranks 8

# ---- orders of hosts ----

hosts='m0 m4 m1 m5 m2 m6 m3 m7'
echo $hosts | tr ' ' '\n' >dealt
measured Allgather "$few" allgather/ring -t tree.dot --placement dealt
measured Broadcast "$few" bcast/binomial -t tree.dot --placement dealt
named order 'every 4th host first' -t tree.dot --algorithm allgather/ring --algorithm bcast/binomial --ranks 8

# Launched by the letters of names, stated by number.
collc topo fattree:4x4,up=1x1,bw=1GB/s --to dot | sed 's/"m\([0-9]*\)"/"node\1"/g; s/m\([0-9]\)/node\1/g' >named.dot
printf 'node%s\n' 0 1 10 11 12 13 14 15 2 3 4 5 6 7 8 9 >letters
measured Allgather "$few" allgather/ring -t named.dot --placement letters
measured Allreduce "$few" allreduce/recursive_doubling -t named.dot --placement letters
named order 'letters of their names' -t named.dot --ranks 16 --algorithm allgather/ring \
    --algorithm allreduce/recursive_doubling

# Cyclic, stated as block.
measured Allgather "$few" allgather/ring -t star:4,bw=1GB/s --ranks-per-machine 4 --placement cyclic
measured Broadcast "$few" bcast/binomial -t star:4,bw=1GB/s --ranks-per-machine 4 --placement cyclic
named order cyclic -t star:4,bw=1GB/s --ranks-per-machine 4 --ranks 16 --algorithm allgather/ring \
    --algorithm bcast/binomial

# As stated, and bad.
measured Allgather "$few" allgather/ring -t tree.dot --placement dealt
named 'better order' 'bad order' -t tree.dot --algorithm allgather/ring --placement dealt --ranks 8

# Bad only by a few hosts.
printf 'node%s\n' 0 1 2 13 4 5 6 7 8 9 10 11 12 3 14 15 >swapped
measured Allgather "$few" allgather/ring -t named.dot --placement swapped
named 'better order' 'bad order' -t named.dot --algorithm allgather/ring --placement swapped --ranks 16

# ---- rules ----

# Forced where Open MPI would take others.
measured "$alltoall" "$few" alltoall/bruck -t tree.dot
named algorithm 'modified_bruck ran' -t tree.dot --as ompi-4.1 --ranks 8

measured Broadcast '1024 65536' bcast --as ompi-4.1 -q -t tree.dot
measured Broadcast '262144 1048576' bcast/scatter_allgather_ring -t tree.dot
named algorithm 'scatter_allgather_ring ran, not basic_linear, for bcast of 256KiB to 1MiB' -t tree.dot --as ompi-4.1 --ranks 8

# By a table that is given, and is bad.
printf '%s\n' 1 3 1 8 2 '0 1 0 0' '131072 3 0 0' >bad.rules
measured "$alltoall" "$few" alltoall --as ompi-4.1 --rules bad.rules -q -t tree.dot
named 'better algorithm' 'modified_bruck (line 7 of bad.rules) is a bad choice' -t tree.dot --as ompi-4.1 --ranks 8 \
    --rules bad.rules
# So it is where links are a little slower than stated, too, which gains less.
collc topo "fattree:4x2,up=1x1,bw=88MB/s" --to dot >bad.dot
measured "$alltoall" "$few" alltoall --as ompi-4.1 --rules bad.rules -q -t bad.dot
named 'better algorithm' 'modified_bruck (line 7 of bad.rules) is a bad choice' -t tree.dot --as ompi-4.1 --ranks 8 \
    --rules bad.rules
present '"kind": "links"' report

printf '%s\n' 1 7 1 8 1 '0 1 0 0' >linear.rules
measured Broadcast "$few" bcast --as ompi-4.1 --rules linear.rules -q -t star.dot
named 'better algorithm' 'basic_linear (line 6 of linear.rules)' -t star.dot --as ompi-4.1 --ranks 8 --rules linear.rules

# MPICH.
measured "$alltoall" "$few" alltoall/bruck -t star.dot
named algorithm 'brucks ran' -t star.dot --as mpich-4.0 --ranks 8

[ $n -ge 20 ]

# ---- a whole network that is another one ----

measured "$alltoall" '1024 16384 1048576' alltoall/linear -t torus:4x4,bw=300MB/s
measured Broadcast '1024 16384 1048576' bcast/binomial -t star:16,bw=3GB/s
status=0
collc why times -t fattree:4x4,up=1x2,bw=1GB/s --algorithm alltoall/linear --algorithm bcast/binomial --ranks 16 \
    >said || status=$?
expect 'status where nothing explains the times' $status 1
present 'verdict  nothing that was tried explains the times' said
absent '^  verdict  all links' said
: >times
for line in '65536 4' '262144 4' '524288 4' '1048576 0.2'; do
    ns=$(collc simulate alltoall/linear -t star:8,bw=1GB/s --bytes "${line% *}" --format json | jq .time_ns)
    awk -v line="$line" -v ns="$ns" 'BEGIN { split(line, a, " "); printf "time alltoall/linear 8 %d %dns\n", a[1], a[2] * ns }'
done >most
collc why most -t star:8,bw=1GB/s --algorithm alltoall/linear >said || true
present '^  nearest  all links are 4 times slower' said

# ---- ranks on hosts as nccl-tests prints them ----

nccl() { # SCHEDULE-ARGUMENTS...: what all_gather_perf prints of ranks on the hosts of ./dealt
    awk '{ printf "#  Rank %2d Group  0 Pid %d on %10s device  0 [0x0f] Some GPU\n", NR - 1, 1000 + NR, $1 }' dealt
    for bytes in 1048576 8388608; do
        ns=$(collc simulate allgather/ring "$@" --bytes $((bytes / 8)) --format json | jq .time_ns)
        awk -v bytes="$bytes" -v ns="$ns" \
            'BEGIN { printf "%d %d float none -1 %.2f 1 1 0 %.2f 1 1 0\n", bytes, bytes / 4, ns / 1000, ns / 1000 }'
    done
}
{ echo '# nThread 1 nGpus 1 minBytes 8 maxBytes 8388608 step: 2(factor)'; nccl -t tree.dot --placement dealt; } >old
sed '1i # Collective test starting: all_gather_perf' old >new
sed -i '/^#  Rank  7/a # size count type redop root time algbw busbw #wrong time algbw busbw #wrong' old new
as_printed() { # FILE ARGUMENTS...: predicted by the order that the file prints, which is bad
    status=0
    collc why "$@" -t tree.dot --format json >report || status=$?
    expect "status of $1" $status 1
    jq -e '.error < 0.01 and .explained and .times[0].hosts == "m0,m4,m1,m5,m2,m6,m3,m7" and
        (.causes | map(.kind) | index("better order")) and (.causes | map(.kind) | index("order") | not)' report >out ||
        { cat report; exit 1; }
}
as_printed new --algorithm allgather/ring
as_printed new --algorithm allgather/ring --algorithm bcast/binomial
as_printed old --algorithm allgather/ring
# With NCCL_DEBUG=INFO, NCCL writes between the parts of a row, without a blank; a host's name may begin with a digit.
awk -v log_of=':12:34 [0] NCCL INFO AllGather: opCount 0 count 2097152' '$3 != "float" { print; next }
    { printf "1 2 3 0\n %s %s float none -1m0%s\n10-0-0-1%s\n", $1, $2, log_of, log_of
      printf "   %s 1 1 010-0-0-1%s\nm1%s\n   %s 1 1 0\n", $6, log_of, log_of, $10 }' new >debug
as_printed debug --algorithm allgather/ring
mv report of_debug
as_printed new --algorithm allgather/ring
expect 'rows in parts' "$(jq -c '[.times[] | {bytes, measured_ns}]' of_debug)" "$(jq -c '[.times[] | {bytes, measured_ns}]' report)"
refused 'does not name its collective' collc why old -t tree.dot --algorithm allgather/ring --algorithm bcast/binomial
status=0
collc why new -t tree.dot --algorithm allgather/ring --placement block --format json >report || status=$?
jq -e '.error > 0.1 and (.times[0] | has("hosts") | not)' report >out
sed 's/ m5 / node5 /' new >strange
refused "'node5' is no host of the topology" collc why strange -t tree.dot --algorithm allgather/ring
sed 's/ m\([0-9]\) / node\1 /' new >strange
collc why strange -t tree.dot --algorithm allgather/ring >out 2>message || true
present 'has none of the hosts that the output names (node0 ...)' message

# ---- two sizes are explained by one cause at most ----

: >few.times
for line in '16KiB 9ms' '1MiB 400ms' '16KiB 9.1ms'; do echo "time alltoall/linear 8 $line" >>few.times; done
status=0
collc why few.times -t tree.dot --algorithm alltoall/linear --format json >report || status=$?
[ $status -eq 1 ]
holds '[.causes[] | select(.kind | startswith("better") | not)] | length <= 1' report
holds '.too_few_times == true' report
collc why few.times -t tree.dot --algorithm alltoall/linear >out || true
present '^  few  *each cause needs two times' out

# ---- --ranks that the output has not ----

refused 'there is no time of 4 ranks: the output has 8' collc why new -t tree.dot --algorithm allgather/ring --ranks 4
printf '%s\n' 'time allgather/ring 4 1MiB 90ms' >>new
collc why new -t tree.dot --algorithm allgather/ring --ranks 4 --format json >report 2>message || true
present '2 times of other numbers of ranks than 4 are left out' message
jq -e '[.times[].ranks] == [4]' report >out

# ---- a file without rows ----
grep '^#' old >bare || true
refused "no time to explain in 'bare'" collc why bare -t tree.dot --algorithm allgather/ring

# ---- all that is not said, at once; all that is assumed ----

osu="$root/examples/why/slow-host.osu" net='-t fattree:4x2,up=1x1,bw=20Mb/s'
refused "give --topology; say what ran: --as MPI, such as '--as ompi-4.1', or --algorithm NAME; for output of OSU also --ranks" collc why "$osu"
refused 'or --algorithm NAME; for output of OSU also --ranks' collc why "$osu" $net
collc why "$osu" $net --as ompi-4.1 --ranks 8 >out || true
present "^  assumed  ranks run on the hosts in the topology's order: --placement says" out
present 'binary_tree or basic_linear is a bad choice for bcast of 8KiB to 128KiB' out
collc why "$osu" $net --as ompi-4.1 --ranks 8 --placement block >out || true
absent '^  assumed' out
for number in 8,192 8.192.000 8K 8KiB "8'192"; do
    sed "s/^8192 /$number /" "$osu" >spelt
    refused 'spelt:6:1: error: a number without separators or unit' collc why spelt $net --as ompi-4.1 --ranks 8
done
sed '6s/^/2026-12-01 start\n12:30 7\n/' "$osu" >spelt
collc why spelt $net --as ompi-4.1 --ranks 8 -q || [ $? -eq 1 ]
sed 's/all_gather_perf/all_reduce_perf/' "$root/tests/data/times/nccl-tests-8.txt" >reduced
collc why reduced -t star:8 --algorithm allreduce/ring >out 2>message || true
present "^  default     the memory's 10GB/s take [0-9]* % of the time that is the longest" out
collc why reduced -t star:8 --algorithm allreduce/ring --memory-bandwidth 10GB/s >out 2>message || true
absent '^  default' out

# Tables that lead all to the other leaf over one cable: without them times shrink. A line of one's own names what ran.
collc topo fattree:4x2,up=1x2 --to ibsim -o net
collc topo net --to lfts -o spread.lfts
awk '/switch/ { leaf = /sw[01].\)/ } leaf && /Channel/ { sub(/ 006 /, " 005 ") } { print }' spread.lfts >one.lfts
own() { # PERCENT ARGUMENTS...: times there, of 64 KiB so much too long
    late=$1
    shift
    for bytes in 4096 65536 1048576; do
        ns=$(collc simulate alltoall/linear "$@" --bytes $bytes --format json | jq .time_ns)
        [ $bytes != 65536 ] || ns=$((ns * (100 + late) / 100))
        echo "time alltoall/linear 8 $bytes ${ns}ns"
    done
}
own 0 -t net --routes one.lfts >times
named 'better routes' "which 'collc route' names" -t net --routes one.lfts
# Each time counts, not the mean alone
own 10 -t star:8 >times
collc why times -t star:8 >out
present 'the times are as predicted, and nothing' out
own 25 -t star:8 >times
collc why times -t star:8 >out && exit 1
present 'explains how far times are off, or is better; furthest off is alltoall/linear of 64KiB, by 25 %' out

echo "$n causes"
