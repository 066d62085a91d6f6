# Predicted times: what the forms have in common, and the chart.
set -e
expect() { [ "$2" = "$3" ] || { echo "$1: $2, expected $3"; exit 1; }; }

# The least time of the CSV is the best one of the JSON, at every size.
place="-t star:16,bw=2GB/s --ranks-per-machine 2"
for collective in alltoall bcast allgather reduce allreduce barrier; do
    collc best $collective $place --to csv >table
    collc best $collective $place --format json |
        sed -n '/"best"/,/\]/s/.*"bytes": \([0-9]*\), "algorithm": "\([^"]*\)", "time_ns": \([0-9]*\).*/\1 \2 \3/p' >best
    awk -F, 'NR > 1 && (!($4 in t) || $5 < t[$4]) { t[$4] = $5; a[$4] = $1; if (!n[$4]++) order[++k] = $4 }
        END { for (i = 1; i <= k; i++) print order[i], a[order[i]], t[order[i]] }' table | cmp - best
    awk -F, 'NR > 1 && $5 != $6 + $7 + $8 + $9 + $10 { print; bad = 1 } END { exit bad }' table
done

# At a crossover the new one is at least as fast, a byte below it the old one is.
collc best bcast -t star:32 --format json |
    sed -n '/"crossovers"/,/\]/s/.*"bytes": \([0-9]*\), "from": "\([^"]*\)", "to": "\([^"]*\)".*/\1 \2 \3/p' >crossovers
[ "$(wc -l <crossovers)" -ge 1 ]
while read -r bytes from to; do
    for size in $((bytes - 1)) "$bytes"; do
        collc best bcast -t star:32 --bytes $size --format json |
            sed -n '/"best"/,/\]/s/.*"algorithm": "\([^"]*\)".*/\1/p'
    done | tr '\n' ' ' >two
    expect "best around $bytes" "$(cat two)" "$from $to "
done <crossovers

# An algorithm of one's own, under a name that CSV and XML must quote.
printf 'bcast mine\nranks r: p from root\nfor d in 1 .. p-1\n  step\n    if r == 0  send buf to d\n    if r == d  recv buf from 0\n' >'a,"b"<&>.coll'
collc best bcast -t star:5 --with 'a,"b"<&>.coll' --to csv >table
expect 'quoted' "$(sed -n 's/^"a,""b""<&>.coll",//p' table)" "$(sed -n 's/^bcast.linear,//p' table)"
collc best bcast -t star:5 --with 'a,"b"<&>.coll' --to svg -o own.svg
xmllint --noout --nonet own.svg
status=0; collc best reduce -t star:5 --with 'a,"b"<&>.coll' 2>err || status=$?
expect 'other collective' $status 2
grep -q 'is an algorithm of bcast, not of reduce' err
status=0; collc best bcast -t star:5 --with none.coll 2>err || status=$?
expect 'no file' "$status $(grep -c I001 err)" '2 1'

# A schedule file for every size has the times of its algorithm.
collc compile bcast/binary -t star:9 --param segments=4 -o b.sched
collc predict b.sched --to csv >of_file
collc predict bcast/binary -t star:9 --param segments=4 --to csv | cmp - of_file

# Several networks: the pair takes the fastest they share, memory what is said of it.
fig1=$root/examples/sumimoto2000/fig1.xml
collc predict alltoall/ring -t "$fig1" --bytes 1MB --to csv >slow
collc predict alltoall/ring -t "$fig1" --bytes 1MB --memory-bandwidth 1MB/s --to csv >slower
awk -F, 'FNR == 2 { t[++n] = $5 } END { exit !(n == 2 && t[1] < t[2]) }' slow slower

# The chart is XML, the same each time, with a line for each algorithm and in the legend.
collc best bcast -t star:32 --to svg -o a.svg
collc best bcast -t star:32 --to svg | cmp - a.svg
xmllint --noout --nonet a.svg
algorithms=$(collc best bcast -t star:32 --to csv | cut -d, -f1 | sort -u | grep -c /)
expect 'lines' "$(grep -c '<polyline' a.svg)" $((2 * algorithms))
expect 'marks' "$(grep -c '<circle' a.svg)" $(($(wc -l <crossovers) + 1))
for sizes in 0 8 0,1,2 18446744073709551615 1..18446744073709551615; do
    collc best allreduce -t star:3 --sizes $sizes --to svg -o b.svg
    xmllint --noout --nonet b.svg
    if grep -Eq 'nan|inf' b.svg; then exit 1; fi
done

# A time out of range is the limit, not a small number.
collc predict bcast/linear -t star:3,bw=1B/s --bytes 18446744073709551615 --to csv >table
expect 'limit' "$(sed -n 2p table | cut -d, -f5)" 18446744073709551615
