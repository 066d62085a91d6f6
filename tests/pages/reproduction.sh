# The figures of the papers that can be computed, against closed forms and against what they were: see
# docs/papers.md, docs/reproduction.md and docs/beyond.md.
set -e
. "$root/tests/helpers.sh"
page=$root/docs/reproduction.md
# shown ROW: a page has this row of a table, or a row that begins so.
shown() { grep -qF -e "$1" "$page" "$root/docs/beyond.md" || { echo "not on the pages: $1"; exit 1; }; }

# Naruse et al. 2010, section 3.6 and figure 6: 8 servers x 8, steps 8 .. 56:
# 1/(1-a(1-a)) with a = (i mod 8)/8; the 2-level ring has no such step.
collc verify alltoall/ring -t star:8 --ranks-per-machine 8 --per-step --format json >record
jq -r '.per_step[] | "\(.step) \(.hol_slowdown)"' record >slowdown
[ "$(wc -l <slowdown)" -eq 64 ]
awk '$1 >= 8 && $1 <= 56 {
    a = ($1 % 8) / 8; model = 1 / (1 - a * (1 - a)); n++
    if ($2 - model > 1e-6 || model - $2 > 1e-6) { print "step " $1 ": " $2 ", model " model; bad = 1 }
} END { exit bad || n != 49 }' slowdown
collc verify alltoall/two_level_ring -t star:8 --ranks-per-machine 8 --format json >record
expect 'hol steps of the 2-level ring' "$(field hol_steps)" 0
expect 'fan-in of the 2-level ring' "$(field max_fan_in)" 1

# Their cluster: 24 servers x 8; the ring blocks in every step but those of
# i mod 8 = 0 and the 7 first and last.
collc verify alltoall/ring -t star:24 --ranks-per-machine 8 --per-step --format json >record
expect 'fan-in of the ring' "$(field max_fan_in)" 2
expect 'hol steps of the ring' "$(field hol_steps)" 154
expect 'mean slowdown' "$(jq '.per_step[].hol_slowdown' record |
    awk '{ sum += $1 } END { printf "%.3f", sum / NR }')" 1.189
collc verify alltoall/two_level_ring -t star:24 --ranks-per-machine 8 --format json >record
expect 'fan-in of the 2-level ring' "$(field max_fan_in)" 1

# All-to-all bandwidth of a server as in figure 2, in MB/s: ring, 2-level ring and the gain.
time_of() { jq '.times[].time_ns' record; }
bandwidth() { # ALGORITHM SERVERS PROCESSES BYTES
    collc predict --model step "alltoall/$1" -t "star:$2,bw=2GB/s" --ranks-per-machine "$3" --bytes "$4" \
        --format json >record
    time_of | awk -v s="$2" -v l="$3" -v m="$4" '{ printf "%.3f", m * (s * l - l) * l / $1 * 1000 }'
}
both() { # SERVERS PROCESSES BYTES: ring, 2-level ring, gain in percent
    echo "$(bandwidth ring "$@") $(bandwidth two_level_ring "$@")" |
        awk '{ printf "%.0f %.0f %.1f\n", $1, $2, ($2 / $1 - 1) * 100 }'
}
while read -r servers processes size expected; do
    bytes=$(echo "$size" | sed 's/kB/000/; s/MB/000000/')
    expect "bandwidth $servers x $processes, $size" "$(both "$servers" "$processes" "$bytes")" "$expected"
done <<EOF
24 8 1MB 1666 1981 18.9
16 8 1MB 1672 1972 17.9
8 8 1MB 1690 1942 14.9
4 8 1MB 1737 1873 7.8
24 4 1MB 1675 1979 18.2
24 2 1MB 1714 1976 15.3
24 1 1MB 1971 1971 0.0
24 8 100kB 1652 1961 18.7
24 8 10kB 1525 1786 17.1
EOF

# The order of sends by flits: the formula holds where packets are drawn by lot, and nothing blocks by the
# other orders.
by_flits() { # ALGORITHM MACHINES ORDER OPTION...
    simulated=$1 of=$2 order=$3
    shift 3
    collc simulate "alltoall/$simulated" -t "star:$of,bw=2GB/s" --ranks-per-machine 8 --bytes 100000 --model flit \
        --flit flit=2000,packet=1 --memory-bandwidth 40GB/s --send-order "$order" --format json "$@" >record
}
sed -n 's/^\(random\|lockstep\|queue\)[^|]* | \(.*\) | \(.*\) | \(.*\) % | \(.*\)$/\1 \2 \3 \4 \5/p' "$page" >rows
expect 'rows of the table of orders' "$(wc -l <rows)" 3
while read -r order ring two gain twelve; do
    for algorithm in ring two_level_ring; do
        by_flits $algorithm 24 "$order" --process-bandwidth 1800MB/s --eager 12KiB --overhead 20us --gap 2us
        jq -r -L "$root/reproduction" 'include "values"; alltoall_bandwidth | round' record
    done | xargs >found
    expect "both rings by $order" "$(cat found)" "$ring $two"
    expect "gain by $order" "$(awk '{ printf "%.0f", ($2 / $1 - 1) * 100 }' found | sed 's/^-0$/0/')" "$gain"
    by_flits ring 8 "$order" --sync barrier --overhead 0ns --gap 0ns --per-step
    expect "step 12 by $order" "$(jq -r -L "$root/reproduction" 'include "values"; step_times(8)' record |
        awk '$1 == 12 { printf "%.3f", $2 }')" "$twelve"
done <rows

# The largest gain of all combinations is at 24 x 8; one process fills the cable in the model, so the
# 2-level ring does not rise with the processes as measured.
ring= level=
for servers in 4 8 12 16 20 24; do
    for processes in 1 2 4 8; do
        both $servers $processes 1000000 >row
        read -r one two gain <row
        echo "$gain $servers x $processes" >>gains
        [ $servers != 24 ] || { ring="$ring $one" level="$level $two"; }
    done
done
expect 'largest gain' "$(sort -n gains | tail -1)" '18.9 24 x 8'
expect 'the ring by processes' "$ring" ' 1971 1714 1675 1666'
expect 'the 2-level ring by processes' "$level" ' 1971 1976 1979 1981'

# Fitted costs: what is fitted is what the file has, and it predicts what the page says.
collc fit "$root/examples/naruse2010/bandwidth.times" -t star:24,bw=2GB/s --model step -q -o fitted.xml
expect 'costs fitted' "$(cat fitted.xml)" "$(cat "$root/examples/naruse2010/fitted.xml")"
fitted_bandwidth() { # ALGORITHM PROCESSES BYTES, on 24 machines
    collc predict --model step "alltoall/$1" -t fitted.xml --ranks-per-machine "$2" --bytes "$3" --format json >record
    time_of | awk -v l="$2" -v m="$3" '{ printf "%.0f", m * 23 * l * l / $1 * 1000 }'
}
row() { # ALGORITHM
    for processes in 1 2 4 8; do printf ' %s' "$(fitted_bandwidth "$1" $processes 1000000)"; done
}
expect 'the ring, fitted' "$(row ring)" ' 1680 1569 1582 1598'
expect 'the 2-level ring, fitted' "$(row two_level_ring)" ' 1680 1801 1869 1904'
expect 'the ring at 10 kB' "$(fitted_bandwidth ring 8 10000)" 597
expect 'the 2-level ring at 10 kB' "$(fitted_bandwidth two_level_ring 8 10000)" 650
expect 'SA at 10 kB' "$(fitted_bandwidth send_aggregation 8 10000)" 1284
[ "$(fitted_bandwidth send_aggregation 8 50000)" -gt "$(fitted_bandwidth two_level_ring 8 50000)" ]
[ "$(fitted_bandwidth send_aggregation 8 100000)" -lt "$(fitted_bandwidth two_level_ring 8 100000)" ]

# Takaue et al. 2010, table 1: the time of A2AT in messages, NCT = window.
for n in 5 7 9 11 13 15 17; do
    total=$((n * (n + 1) * (n - 1)))
    for case in "torus 1 3" "torus 2 6" "torus 4 8" "mesh 2 4"; do
        set -- $case
        collc verify alltoall/a2at -t "$1:${n}x$n" --param window="$2" --format json >record
        expect "A2AT $1 $n window $2" "$(field sum_step_load)" $((total / $3))
    done
done

# A2AT and A2AND have equal loads step by step, and unequal ones in windows of 8 steps.
drift() { # ALGORITHM GRID N: largest link load of 8 neighbouring steps
    collc verify "alltoall/$1" -t "$2:$3x$3" --drift 8 --format json >record
    expect "loads of $1 on $2 $3" "$(field sum_step_load)" $(($3 * ($3 + 1) * ($3 - 1) / 3))
    field drift_link_load
}
for case in 'torus 11' 'torus 17' 'mesh 11' 'mesh 17'; do
    set -- $case
    echo "$(drift a2at "$1" "$2") $(drift a2and "$1" "$2")" |
        awk '{ printf "%d | %d | %.2f", $1, $2, $2 / $1 }' >row
    case $* in
    'torus 11') expect "$*" "$(cat row)" '18 | 40 | 2.22' ;;
    'mesh 11') expect "$*" "$(cat row)" '36 | 40 | 1.11' ;;
    'torus 17') expect "$*" "$(cat row)" '30 | 64 | 2.13' ;;
    *) expect "$*" "$(cat row)" '60 | 64 | 1.07' ;;
    esac
done

# The two misprints are found.
for case in "a2and R001" "a2at R002"; do
    set -- $case
    status=0
    collc verify "$root/examples/takaue2010/$1_as_printed.coll" -t torus:5x5 >found || status=$?
    expect "status of $1 as printed" $status 1
    grep -q "\[$2\]" found
done

# Kawashima et al. 2013: Trinaryx3 on their two shapes; three trees, no link in common.
while read -r nx ny nz; do
    collc verify bcast/trinaryx3 -t "torus:${nx}x${ny}x$nz" --param pieces=100 --format json >record
    expect "trinaryx3 $nx $ny $nz: fan-out" "$(field max_fan_out)" 3
    expect "trinaryx3 $nx $ny $nz: steps" "$(field steps)" $((nx + ny + nz - 2 + 99))
    expect "trinaryx3 $nx $ny $nz: load" "$(field max_link_load)" 1
done <<EOF
2 3 2
4 6 16
EOF

# Their figure 6, predicted: GB/s with 100 pieces.
while IFS=: read -r torus expected; do
    collc predict --model step bcast/trinaryx3 -t "torus:$torus,bw=5GB/s" --param pieces=100 \
        --sizes 1MiB,16MiB,256MiB --to csv >curve
    expect "GB/s on $torus" "$(awk -F, 'NR > 1 { printf " %.2f", $4 / $5 }' curve)" "$expected"
done <<EOF
2x3x2: 2.72 11.37 14.19
4x6x16: 2.30 9.62 11.99
EOF

# Sumimoto et al. 2000, tables 5 and 6, figures 4 and 5: one message between two ranks.
one_message() { # MACHINES RANKS-PER-MACHINE BYTES OPTION...: nanoseconds
    machines=$1 ranks=$2 bytes=$3; shift 3
    collc predict --model step bcast/linear -t "$root/examples/sumimoto2000/fig1.xml" --machines "$machines" \
        --ranks-per-machine "$ranks" --overhead 0ns --gap 0ns --bytes "$bytes" --to csv "$@" | sed -n 2p | cut -d, -f5
}
while IFS='|' read -r machines measured short long; do
    expect "microseconds between $machines" "$(one_message "$machines" 1 4 | awk '{ printf "%.3f", $1 / 1000 }')" "$short"
    expect "MB/s between $machines, above the paper's" "$(echo "$measured $(one_message "$machines" 1 1MiB)" |
        awk '{ rate = 1048576 / $2 * 1000; printf "%.1f %.0f", rate, (rate / $1 - 1) * 100 }')" "$long"
done <<EOF
smp[0-1]|116.1|8.225|159.8 38
pc[0-1]|78.4|34.732|124.5 59
smp0 pc0|11.9|57.920|12.5 5
EOF
expect 'microseconds within smp0' "$(one_message smp0 2 4 --memory-latency 1375ns |
    awk '{ printf "%.3f", $1 / 1000 }')" 1.376

# Imamura 2009: steps of the broadcast trees.
for p in 2 3 7 8 19 32; do
    log=0; while [ $((1 << log)) -lt $p ]; do log=$((log + 1)); done
    log1=0; while [ $((1 << log1)) -lt $((p + 1)) ]; do log1=$((log1 + 1)); done
    for case in "linear $((p - 1))" "chain $((p - 1))" "binomial $log" "binary $((2 * (log1 - 1)))"; do
        set -- $case
        collc verify "bcast/$1" --ranks $p --format json >record
        expect "steps of bcast/$1 at $p ranks" "$(field steps)" "$2"
    done
done

# The turns of a broadcast of one segment in which each rank sends as soon as it can, to one rank at a time.
turns() { # ALGORITHM RANKS [OPTION...]
    algorithm=$1 ranks=$2; shift 2
    collc compile "$algorithm" --ranks "$ranks" "$@" | awk '
        function step_ends(i, t) {
            for (i = 1; i <= n; i++) {
                t = 1 + (free[from[i]] > free[to[i]] ? free[from[i]] : free[to[i]])
                if (t > next_free[from[i]]) next_free[from[i]] = t
                if (t > next_free[to[i]]) next_free[to[i]] = t
                if (t > last) last = t
            }
            for (i = 1; i <= n; i++) { free[from[i]] = next_free[from[i]]; free[to[i]] = next_free[to[i]] }
            n = 0
        }
        $1 == "step" || $1 == "end" { step_ends() }
        $2 == "send" { n++; from[n] = $1; to[n] = $NF }
        END { print last + 0 }'
}
row= steps= predicted=
for p in 2 3 4 5 6 7 8 9 10 15 16 19 22 23 30 31 32 33 63 64; do
    most=0
    for v in $(seq $p); do # rank v - 1 has the message after floor(log2 v) + ones(v) - 1 turns
        log=-1 ones=0 rest=$v
        while [ $rest -gt 0 ]; do log=$((log + 1)) ones=$((ones + rest % 2)) rest=$((rest / 2)); done
        [ $((log + ones - 1)) -le $most ] || most=$((log + ones - 1))
    done
    found=$(turns bcast/binary $p)
    expect "turns of bcast/binary at $p ranks" "$found" $most
    log1=0; while [ $((1 << log1)) -lt $((p + 1)) ]; do log1=$((log1 + 1)); done
    case $p in # the paper's formula holds for 2^k - 1, is two too many for 2^k and above for the others
    3 | 7 | 15 | 31 | 63) expect "2^k - 1: $p" "$found" $((2 * (log1 - 1))) ;;
    4 | 8 | 16 | 32 | 64) expect "2^k: $p" "$found" $((2 * (log1 - 1) - 2)) ;;
    *) [ "$found" -lt $((2 * (log1 - 1))) ] ;;
    esac
    case $p in
    7 | 8 | 19 | 32) row="$row $found" steps="$steps $((2 * (log1 - 1)))" ;;
    esac
    case $p in
    10 | 19 | 32) predicted="$predicted $(collc predict --model step bcast/binary -t star:$p,bw=2GB/s,lat=15us \
        --overhead 1us --bytes 1MB --to csv | sed -n 2p | cut -d, -f5 | awk '{ print $1 / 532000 }')/$found" ;;
    esac
done
expect 'turns of 7, 8, 19 and 32 ranks' "$row" ' 4 4 6 8'
# The same by the model asap, in the two settings of the page: 1 us a message.
for p in $(seq 16 32); do
    most=6
    [ $p -lt 23 ] || most=7
    [ $p -lt 31 ] || most=8
    expect "bcast/binary, asap, $p ranks" "$(collc simulate bcast/binary -t star:$p,bw=1GB/s,lat=0ns --bytes 1000 \
        --overhead 0ns --gap 0ns --format json | jq .time_ns)" $((1000 * most))
    case $p in
    22 | 23 | 30 | 31) ;;
    *) continue ;;
    esac
    expect "bcast/binary, asap, a gap of the latency, $p ranks" "$(collc simulate bcast/binary \
        -t star:$p,bw=1GB/s,lat=500ns --bytes 1 --overhead 0ns --gap 1us --format json |
        jq '.time_ns / 1000 | floor')" $most
done
expect 'bcast/binary, asap, no gap' "$(collc simulate bcast/binary -t star:22,bw=1GB/s,lat=500ns --bytes 1 \
    --overhead 0ns --gap 0ns --format json | jq '.time_ns / 1000 | floor')" 4
expect 'the same by the formula' "$steps" ' 4 6 8 10'
expect 'turns predicted, and taken' "$predicted" ' 6/4 8/6 9/8'
shown "as soon as possible, one segment | 16492 | 16492 | $((532 * $(turns bcast/binary 32))) | 2660"

# The times of the page; the formulas are in tests/unit/test_predict.c.
while read -r algorithm segments expected; do
    collc predict --model step "bcast/$algorithm" -t star:32,bw=2GB/s,lat=15us --overhead 1us --bytes 1MB \
        ${segments:+--param segments=$segments} --format json >record
    expect "bcast/$algorithm, $segments segments" "$(time_of)" "$expected"
done <<EOF
chain 1 16492000
chain 16 2909500
binary 1 4788000
binary 16 2466750
binomial 1 2660000
binomial 16 5060000
EOF
collc predict --model step bcast/linear -t star:32,bw=2GB/s,lat=15us --overhead 1us --bytes 1MB --format json >record
expect bcast/linear "$(time_of)" 16492000
shown 'collc, one segment | 16492 | 16492 | 4788 | 2660'
shown 'collc, 16 segments | | 2909.5 | 2466.75 | 5060'

# Gigabit Ethernet, 8 servers x 4: who overtakes whom.
faster() { # A B BYTES: is A the faster one?
    for algorithm in "$1" "$2"; do
        collc best --model step bcast -t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us \
            --bytes "$3" --to csv | awk -F, -v a="bcast/$algorithm" '$1 == a { print $5 }'
    done | awk '{ t[NR] = $1 } END { exit !(NR == 2 && t[1] < t[2]) }'
}
faster binomial binary 33000
faster binary binomial 34000
faster binomial chain 6037
faster chain binomial 6038

# Kawashima et al. 2013, figure 2: a binary tree by rank, and mapped.
collc map bcast/binary -t torus:4x4 >map
for row in 'longest route, links:3 2' 'all routes, links:32 16' 'links that routes share:9 0' \
    'cables that routes share, either direction:9 0'; do
    expect "figure 2: ${row%:*}" "$(sed -n "s/^# ${row%:*}  *\([0-9]*\)  *\([0-9]*\)$/\1 \2/p" map)" "${row#*:}"
done

# Naruse et al. 2010, figure 12: up to about 30 kB send-side aggregation, beyond the 2-level ring.
# By turns: the gain of figure 10, at 300 kB; never a loss (figure 11); where SA is overtaken (figure 12).
turns() { # ALGORITHM PROCESSES BYTES
    collc simulate "alltoall/$1" --format json -t star:24,bw=2GB/s --ranks-per-machine "$2" --bytes "$3" --model flit \
        --flit flit=2000,packet=1,jitter=30 --process-bandwidth 1800MB/s --eager 12KiB --overhead 14us --gap 2us \
        --memory-bandwidth 26GB/s --send-order lockstep | jq .time_ns
}
expect 'gain by turns' "$(echo "$(turns ring 8 300000) $(turns two_level_ring 8 300000)" |
    awk '{ printf "%.1f", 100 * ($1 / $2 - 1) }')" 23.2
for bytes in 10000 20000 30000; do
    [ "$(turns two_level_ring 2 $bytes)" -lt "$(turns ring 2 $bytes)" ] || { echo "a loss at $bytes"; exit 1; }
done
[ "$(turns send_aggregation 8 30000)" -lt "$(turns two_level_ring 8 30000)" ] || { echo 'SA behind at 30 kB'; exit 1; }
[ "$(turns send_aggregation 8 32000)" -gt "$(turns two_level_ring 8 32000)" ] || { echo 'SA ahead at 32 kB'; exit 1; }
naruse='-t star:24,bw=2GB/s --ranks-per-machine 8 --overhead 5us --gap 2us --memory-bandwidth 40GB/s'
collc best --model step alltoall $naruse --sizes 10kB,1MB | grep ' \.\. ' >ranges
expect 'who is best where' "$(sed 's/  */ /g; s/^ //' ranges)" '10000 .. 29730 alltoall/send_aggregation
29731 .. 1000000 alltoall/two_level_tournament'
time_at() { # ALGORITHM BYTES OPTION...
    algorithm=$1; bytes=$2; shift 2
    collc predict --model step "$algorithm" "$@" --bytes "$bytes" --to csv | sed -n 2p | cut -d, -f5
}
less() { [ "$2" -lt "$3" ] || { echo "$1: $2 is not less than $3"; exit 1; }; }
for bytes in 29803 29804; do
    for algorithm in send_aggregation two_level_ring; do
        # shellcheck disable=SC2086
        time_at alltoall/$algorithm $bytes $naruse
    done >times
    expect "faster at $bytes bytes" "$(awk '{ t[NR] = $1 } END { print t[1] < t[2] ? "aggregation" : "ring" }' times)" \
        "$([ $bytes = 29803 ] && echo aggregation || echo ring)"
done
for bytes in 10kB 30kB 100kB 1MB; do
    less "2-level ring at $bytes" "$(time_at alltoall/two_level_ring $bytes $naruse)" \
        "$(time_at alltoall/ring $bytes $naruse)"
done
while read -r algorithm row; do
    # shellcheck disable=SC2086
    collc predict --model step alltoall/$algorithm $naruse --sizes 10kB,20kB,30kB,50kB,100kB,300kB,1MB --to csv |
        awk -F, 'NR > 1 { printf " %.0f", $4 * (192 - 8) * 8 / $5 * 1000 }' >found
    expect "MB/s of alltoall/$algorithm" "$(cat found)" " $row"
done <<EOF
ring 1076 1309 1410 1504 1582 1639 1660
two_level_ring 1202 1501 1636 1763 1872 1953 1983
send_aggregation 1557 1614 1634 1651 1663 1672 1674
EOF

# With the default costs of hosts SA and the 2-level ring cross earlier, and SA falls behind the ring.
defaults='-t star:24,bw=2GB/s --ranks-per-machine 8'
less 'SA at 1,260 bytes' "$(time_at alltoall/send_aggregation 1260 $defaults)" \
    "$(time_at alltoall/two_level_ring 1260 $defaults)"
less '2-level ring at 1,261 bytes' "$(time_at alltoall/two_level_ring 1261 $defaults)" \
    "$(time_at alltoall/send_aggregation 1261 $defaults)"
collc best --model step alltoall $defaults --sizes 64..1MiB | grep -qx '  105 \.\. 1203  *alltoall/send_aggregation'
expect 'SA at 1 MB, in percent of the ring' "$(echo "$(time_at alltoall/send_aggregation 1MB $defaults)" \
    "$(time_at alltoall/ring 1MB $defaults)" | awk '{ printf "%.0f", $1 / $2 * 100 }')" 148

# Table 3: by how much the time of the all-to-all falls.
for algorithm in ring two_level_ring; do
    collc predict --model step alltoall/$algorithm -t star:16,bw=2GB/s --ranks-per-machine 8 \
        --sizes 8KiB,32KiB,128KiB,512KiB,2MiB --to csv | cut -d, -f1-10 >$algorithm.csv
done
expect 'time of the all-to-all, in percent' "$(paste -d, ring.csv two_level_ring.csv |
    awk -F, 'NR > 1 { printf " -%.1f", (1 - $15 / $5) * 100 }')" ' -13.8 -14.8 -15.1 -15.2 -15.2'
expect 'SA at 1 MB, in percent of the ring' "$(echo "$(time_at alltoall/send_aggregation 1MB $naruse)" \
    "$(time_at alltoall/ring 1MB $naruse)" | awk '{ printf "%.0f", $1 / $2 * 100 }')" 99

# Imamura 2009, figures 3 and 4: binomial for the short, binary for the long, linear never.
collc best --model step bcast -t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us \
    --sizes 1000,8000,16000,40000,96000,512000 --to csv >curves
curve() { sed -n "s|^bcast/$1,[^,]*,[^,]*,$2,\([0-9]*\),.*|\1|p" curves; }
for bytes in 1000 8000 16000; do
    less "binomial at $bytes" "$(curve binomial $bytes)" "$(curve binary $bytes)"
done
for bytes in 40000 96000 512000; do
    less "binary at $bytes" "$(curve binary $bytes)" "$(curve binomial $bytes)"
done
for bytes in 1000 8000 16000 40000 96000 512000; do
    less "binary at $bytes, before linear" "$(curve binary $bytes)" "$(curve linear $bytes)"
done

while read -r algorithm row; do
    expect "us of bcast/$algorithm" "$(awk -F, -v a="bcast/$algorithm" '$1 == a { printf " %.0f", $5 / 1000 }' curves)" \
        " $row"
done <<EOF
linear 1189 2759 4554 9937 22498 115806
binomial 209 883 1653 3964 9357 49418
binary 404 1166 1876 3838 8186 37873
split_binary 374 898 1405 2777 5722 26325
chain 400 808 1276 2189 3277 8659
EOF

# The tuned rule of figure 3 over Open MPI's default, split binary in segments of 1 KB: the model does not
# find the third that tuning took off.
row=
while read -r bytes algorithm segments; do
    gigabit='-t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us'
    row="$row $(echo "$(time_at bcast/$algorithm "$bytes" $gigabit --param segments="$segments")" \
        "$(time_at bcast/split_binary "$bytes" $gigabit --param pieces=$(((bytes + 2047) / 2048)))" |
        awk '{ printf "%.2f", $1 / $2 }')"
done <<EOF
4000 binomial 4
8000 binomial 4
16000 binomial 4
40000 binary 10
96000 binary 12
EOF
expect 'time of the rule over that of the default' "$row" ' 1.33 1.29 1.25 1.10 1.02'
for bytes in 1000 8000 16000 40000 96000 512000; do
    less "split binary at $bytes" "$(curve split_binary $bytes)" "$(curve binary $bytes)"
done
for bytes in 16000 40000 96000 512000; do
    less "split binary at $bytes, before binomial" "$(curve split_binary $bytes)" "$(curve binomial $bytes)"
done
for segments in 2 4 8; do
    less "binomial whole, not in $segments" "$(curve binomial 40000)" \
        "$(time_at bcast/binomial 40000 $gigabit --param segments=$segments)"
done

# Juerss et al. 2026: messages on the busiest link, step by step; Bruck's go to 3^k and 2*3^k.
loads() {
    collc verify "$@" --per-step --format json |
        jq '.per_step[].max_link_load' | tr '\n' ' '
}
for steps in 2 3 4; do
    trivance= bruck= n=1
    for k in $(seq $steps); do
        trivance="$trivance$n "
        n=$((3 * n))
        [ "$k" = $steps ] || bruck="$bruck$n "
    done
    expect "Trivance on a ring of $n" "$(loads allreduce/trivance -t torus:$n)" "$trivance"
    expect "Bruck on a ring of $n" "$(loads barrier/k_dissemination --param radix=3 -t torus:$n)" \
        "$bruck$((n / 3)) "
done
expect 'Trivance on 9x9' "$(loads allreduce/trivance_torus -t torus:9x9)" '1 3 1 3 '
expect 'Trivance on 9x9x9' "$(loads allreduce/trivance_torus -t torus:9x9x9)" '1 3 1 3 1 3 '
expect 'Trivance on 8x4x2' "$(loads allreduce/trivance_torus -t torus:8x4x2)" '1 4 3 3 3 '

# The same and De Sensi et al. 2024: bytes on the busiest link against the closed form, and in
# units of (1 - 1/p) m/D. The size is such that no time is rounded.
while read -r radix algorithm n dimensions expected; do
    torus=$n p=$n
    for d in $(seq 2 "$dimensions"); do torus=${torus}x$n p=$((p * n)); done
    m=$((4 * p * p * dimensions))
    collc predict --model step "allreduce/$algorithm" -t "torus:$torus,bw=1GB/s,lat=0ns" --bytes $m --format json >record
    expect "bytes of $algorithm on $torus" "$(jq '.times[].bandwidth_ns' record |
        awk -v m=$m -v p=$p -v d="$dimensions" '{ printf "%.0f %.4f", $1, $1 / ((1 - 1 / p) * m / d) }')" \
        "$(awk -v r="$radix" -v n="$n" -v d="$dimensions" -v m=$m 'BEGIN {
            for (j = 1; j <= d; j++) series += r^-j
            for (k = 0; r^k < n; k++)
                sum += (r == 2 ? (2^(k+1) + (-1)^k) / 3 / 2 : 3^k) * r^(-k*d)
            printf "%.0f", 2 * m / d * sum * series }') $expected"
done <<EOF
3 trivance_torus_bandwidth 27 1 2.0769
3 trivance_torus_bandwidth 81 1 2.7000
3 trivance_torus_bandwidth 9 2 1.2000
3 trivance_torus_bandwidth 27 2 1.2857
3 trivance_torus_bandwidth 9 3 1.0714
2 swing_torus 64 1 2.1429
2 swing_torus 8 2 1.0952
2 swing_torus 16 2 1.1412
2 swing_torus 8 3 1.0274
EOF
shown "closed form, and collc's \`bandwidth_ns\` at 1 GB/s | 2.0769, 1.2000, 1.0714 | 2.1429, 1.0952, 1.0274"

# Up to which size, in MB, the model puts an algorithm of Trivance first, and what comes next.
while read -r torus expected; do
    collc best --exact-only --model step allreduce -t "torus:$torus,bw=100GB/s,lat=100ns" --overhead 250ns --gap 0ns \
        --memory-bandwidth 1TB/s --sizes 1KiB,1MiB,128MiB | grep ' \.\. ' >ranges
    expect "Trivance is best on $torus" "$(awk '$4 !~ /trivance/ { printf "%.1f %s", last / 1e6, $4 }
        { last = $3 }' ranges)" "$expected allreduce/bucket_multiport"
done <<EOF
27 3.3
9x9 16.0
9x9x9 52.9
EOF
shown 'first up to 3.3 MB on a'
shown 'torus of 27, 16.0 on 9 x 9 and 52.9 on 9 x 9 x 9'
