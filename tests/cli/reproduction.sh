# The figures of the papers that can be computed, against closed forms: see
# docs/reproduction.md.
set -e
field() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" record; }
expect() { [ "$2" = "$3" ] || { echo "$1: $2, expected $3"; exit 1; }; }

# Naruse et al. 2010, section 3.6 and figure 6: 8 servers x 8, steps 8 .. 56:
# 1/(1-a(1-a)) with a = (i mod 8)/8; the 2-level ring has no such step.
collc verify alltoall/ring -t star:8 --ranks-per-machine 8 --per-step --format json >record
sed -n 's/.*"step": \([0-9]*\),.*"hol_slowdown": \([0-9.]*\).*/\1 \2/p' record >slowdown
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
expect 'mean slowdown' "$(sed -n 's/.*"hol_slowdown": \([0-9.]*\).*/\1/p' record |
    awk '{ sum += $1 } END { printf "%.3f", sum / NR }')" 1.189
collc verify alltoall/two_level_ring -t star:24 --ranks-per-machine 8 --format json >record
expect 'fan-in of the 2-level ring' "$(field max_fan_in)" 1

# All-to-all bandwidth of a server as in figure 2, in MB/s: ring, 2-level ring and the gain.
time_of() { sed -n 's/.*"bytes": [0-9]*, \(.*"value": [0-9]*, \)\{0,1\}"time_ns": \([0-9]*\).*/\2/p' record; }
bandwidth() { # ALGORITHM SERVERS PROCESSES BYTES
    collc predict "alltoall/$1" -t "star:$2,bw=2GB/s" --ranks-per-machine "$3" --bytes "$4" \
        --format json >record
    time_of | awk -v s="$2" -v l="$3" -v m="$4" '{ printf "%.3f", m * (s * l - l) * l / $1 * 1000 }'
}
while read -r servers processes bytes expected; do
    ring=$(bandwidth ring "$servers" "$processes" "$bytes")
    level=$(bandwidth two_level_ring "$servers" "$processes" "$bytes")
    expect "bandwidth $servers x $processes, $bytes bytes" "$(echo "$ring $level" |
        awk '{ printf "%.0f %.0f %.1f", $1, $2, ($2 / $1 - 1) * 100 }')" "$expected"
done <<EOF
24 8 1000000 1666 1981 18.9
16 8 1000000 1672 1972 17.9
8 8 1000000 1690 1942 14.9
4 8 1000000 1737 1873 7.8
24 2 1000000 1714 1976 15.3
24 1 1000000 1971 1971 0.0
24 8 100000 1652 1961 18.7
24 8 10000 1525 1786 17.1
EOF

# Takaue et al. 2010, table 1: the time of A2AT in messages, NCT = window.
for n in 5 7 9 11 13 15 17; do
    total=$((n * (n + 1) * (n - 1)))
    for case in "torus 1 3" "torus 2 6" "torus 4 8" "mesh 2 4"; do
        set -- $case
        collc verify alltoall/a2at -t "$1:${n}x$n" --param window="$2" --format json >record
        expect "A2AT $1 $n window $2" "$(field sum_step_load)" $((total / $3))
    done
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

# The times of the page; the formulas are in tests/unit/test_predict.c.
while read -r algorithm segments expected; do
    collc predict "bcast/$algorithm" -t star:32,bw=2GB/s,lat=15us --overhead 1us --bytes 1MB \
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
collc predict bcast/linear -t star:32,bw=2GB/s,lat=15us --overhead 1us --bytes 1MB --format json >record
expect bcast/linear "$(time_of)" 16492000

# Gigabit Ethernet, 8 servers x 4: who overtakes whom.
faster() { # A B BYTES: is A the faster one?
    for algorithm in "$1" "$2"; do
        collc best bcast -t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us \
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
naruse='-t star:24,bw=2GB/s --ranks-per-machine 8 --overhead 5us --gap 2us --memory-bandwidth 40GB/s'
collc best alltoall $naruse --sizes 10kB,1MB | grep ' \.\. ' >ranges
expect 'who is best where' "$(sed 's/  */ /g; s/^ //' ranges)" '10000 .. 29730 alltoall/send_aggregation
29731 .. 1000000 alltoall/two_level_tournament'
time_at() { # ALGORITHM BYTES OPTION...
    algorithm=$1; bytes=$2; shift 2
    collc predict "$algorithm" "$@" --bytes "$bytes" --to csv | sed -n 2p | cut -d, -f5
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
for algorithm in ring two_level_ring send_aggregation; do
    # shellcheck disable=SC2086
    collc predict alltoall/$algorithm $naruse --sizes 10kB,20kB,30kB,50kB,100kB,300kB,1MB --to csv |
        awk -F, 'NR > 1 { printf " %.0f |", $4 * (192 - 8) * 8 / $5 * 1000 }' >row
    grep -qxF "| alltoall/$algorithm |$(cat row)" "$root/docs/reproduction.md" ||
        { echo "MB/s of alltoall/$algorithm:$(cat row)"; exit 1; }
done
expect 'SA at 1 MB, in percent of the ring' "$(echo "$(time_at alltoall/send_aggregation 1MB $naruse)" \
    "$(time_at alltoall/ring 1MB $naruse)" | awk '{ printf "%.0f", $1 / $2 * 100 }')" 99

# Imamura 2009, figures 3 and 4: binomial for the short, binary for the long, linear never.
collc best bcast -t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us \
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

for algorithm in linear binomial binary split_binary chain; do
    awk -F, -v a="bcast/$algorithm" '$1 == a { printf " %.0f |", $5 / 1000 }' curves >row
    grep -qxF "| bcast/$algorithm |$(cat row)" "$root/docs/reproduction.md" ||
        { echo "us of bcast/$algorithm:$(cat row)"; exit 1; }
done

# Juerss et al. 2026: messages on the busiest link, step by step; Bruck's go to 3^k and 2*3^k.
loads() {
    collc verify "$@" --per-step --format json |
        sed -n 's/.*"step": .*"max_link_load": \([0-9]*\).*/\1/p' | tr '\n' ' '
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
    collc predict "allreduce/$algorithm" -t "torus:$torus,bw=1GB/s,lat=0ns" --bytes $m --format json >record
    expect "bytes of $algorithm on $torus" "$(sed -n 's/.*"bandwidth_ns": \([0-9]*\).*/\1/p' record |
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

# Up to which size, in MB, the model puts an algorithm of Trivance first, and what comes next.
while read -r torus expected; do
    collc best allreduce -t "torus:$torus,bw=100GB/s,lat=100ns" --overhead 250ns --gap 0ns \
        --memory-bandwidth 1TB/s --sizes 1KiB,1MiB,128MiB | grep ' \.\. ' >ranges
    expect "Trivance is best on $torus" "$(awk '$4 !~ /trivance/ { printf "%.1f %s", last / 1e6, $4 }
        { last = $3 }' ranges)" "$expected allreduce/bucket_multiport"
done <<EOF
27 3.3
9x9 16.0
9x9x9 52.9
EOF
