# Predicted times: what the forms have in common, and the chart.
set -e
. "$root/tests/helpers.sh"

# The least time of the CSV is the best one of the JSON, at every size.
place="-t star:$(usually 8 4 16),bw=2GB/s --ranks-per-machine 2 $(usually "" "--sizes 8,64KiB")"
for collective in $(usually 'allgather reduce allreduce barrier' '') alltoall bcast 'alltoall --model step' 'bcast --model step'; do
    collc best $collective $place --to csv >table
    collc best $collective $place --format json |
        jq -r '.best[] | "\(.bytes) \(.algorithm) \(.time_ns)"' >best
    awk -F, 'NR > 1 && (!($4 in t) || $5 < t[$4]) { t[$4] = $5; a[$4] = $1; if (!n[$4]++) order[++k] = $4 }
        END { for (i = 1; i <= k; i++) print order[i], a[order[i]], t[order[i]] }' table | cmp - best
    awk -F, 'NR > 1 && $5 != $6 + $7 + $8 + $9 + $10 + $11 + $12 { print; bad = 1 } END { exit bad }' table
done

# At a crossover the new one is at least as fast, a byte below it the old one is.
collc best bcast -t star:32 --model step --format json |
    jq -r '.crossovers[] | "\(.bytes) \(.from) \(.to)"' >crossovers
[ "$(wc -l <crossovers)" -ge 1 ]
cut -d' ' -f1 crossovers >crossover_bytes
while read -r bytes from to; do
    for size in $((bytes - 1)) "$bytes"; do
        collc best bcast -t star:32 --model step --bytes $size --format json |
            jq -r '.best[].algorithm'
    done | tr '\n' ' ' >two
    expect "best around $bytes" "$(cat two)" "$from $to "
done <crossovers

# An algorithm of one's own, under a name that CSV and XML must quote.
printf 'bcast mine\nranks r: p from root\nfor d in 1 .. p-1\n  step\n    if r == 0  send buf to d\n    if r == d  recv buf from 0\n' >'a,"b"<&>.coll'
collc best bcast -t star:5 --with 'a,"b"<&>.coll' --to csv >table
expect 'quoted' "$(sed -n 's/^"a,""b""<&>.coll",//p' table)" "$(sed -n 's/^bcast.linear,//p' table)"
collc best bcast -t star:5 --with 'a,"b"<&>.coll' --model step --to svg -o own.svg
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
collc best bcast -t star:32 --model step --to svg -o a.svg
collc best bcast -t star:32 --model step --to svg | cmp - a.svg
xmllint --noout --nonet a.svg
algorithms=$(collc best bcast -t star:32 --model step --to csv | cut -d, -f1 | sort -u | grep -c /)
expect 'lines' "$(grep -c '<polyline' a.svg)" $((2 * algorithms))
expect 'marks' "$(grep -c '<circle' a.svg)" $(($(wc -l <crossovers) + 1))
for sizes in 0 8 0,1,2 9223372036854775807 1..9223372036854775807; do
    collc best allreduce -t star:3 --model step --sizes $sizes --to svg -o b.svg
    xmllint --noout --nonet b.svg
    if grep -Eq 'nan|inf' b.svg; then exit 1; fi
done

# A time out of range is said to be, and not a small number.
collc predict bcast/linear -t star:3,bw=1MB/s,lat=0ns --model step --bytes 9223372036854775 --overhead 0ns --gap 0ns --to csv >table
expect 'nearly the longest time' "$(sed -n 2p table | cut -d, -f5)" 18446744073709550000
status=0
collc predict bcast/linear -t star:3,bw=1MB/s --model step --bytes 9223372036854776 --to csv >table 2>err || status=$?
expect 'no time is longer' "$status $(grep -c 'too long to be counted' err) $(wc -c <table)" '2 1 0'

# Columns hold whatever the length of a name: all rows end in the same column.
cp "$root/compiler/algorithms/bcast/binary.coll" a_name_that_is_longer_than_thirty_characters.coll
for sizes in 1KiB 1KiB,1MiB; do
    collc best bcast -t star:4 --with a_name_that_is_longer_than_thirty_characters.coll --sizes $sizes >table
    grep -E '^. (a_name|bcast).* ([nu]s.|[0-9.]+)$' table >rows
    expect 'columns' "$(awk '{print length}' rows | sort -u | wc -l) $(grep -c a_name rows)" '1 1'
done

# A chart is as wide as its longest name needs, and those that are best somewhere are in bold.
collc best bcast -t star:4 --with a_name_that_is_longer_than_thirty_characters.coll --model step --to svg -o wide.svg
expect 'width' "$(sed -n 's/^<svg.* width="\([0-9]*\)".*/\1/p' wide.svg)" $((774 + 8 * 50))
bold() { sed -n 's/.*class="start strong"[^>]*>\([^<]*\)<.*/\1/p' | sort; }
collc best bcast -t star:32 --model step --format json | jq -r '.ranges[].algorithm' | sort -u >best_somewhere
[ "$(wc -l <best_somewhere)" -gt 1 ]
collc best bcast -t star:32 --model step --to svg | bold | cmp - best_somewhere
expect 'one line' "$(collc predict bcast/chain -t star:4 --to svg | bold)" ''

# A file that is no algorithm is shown where it is wrong, also behind the comparison.
printf 'bcast wrong\nstep step\n' >wrong.coll
status=0; collc best bcast -t star:4 --with wrong.coll 2>message || status=$?
[ $status -eq 2 ]
grep -q '^wrong.coll:2:.*error' message
grep -q 'step step' message

# A last step of copies only is counted by neither command.
expect 'steps' "$(collc predict allgather/bruck -t star:4 --bytes 8 --format json | jq .steps)" \
    "$(collc verify allgather/bruck -t star:4 --format json | jq .steps)"

# In a chart 0 bytes have a place of their own, left of 1; what has no size has no axis of sizes.
labels() { sed -n 's/.*class="middle"[^>]*>\([^<]*\)<.*/\1/p' | tr '\n' ' '; }
points() { sed -n 's/.*points="\([^"]*\)".*/\1/p' | head -1; }
expect 'labels' "$(collc predict bcast/chain -t star:4 --bytes 0,1,2 --to svg | labels)" '0 1 2 bytes '
expect 'places' "$(collc predict bcast/chain -t star:4 --bytes 0,1,2 --to svg | points | tr ' ' '\n' | cut -d. -f1 | tr '\n' ' ')" '80 395 710 '
expect 'barrier' "$(collc predict barrier/dissemination -t star:4 --to svg | labels)" ' '
expect 'counts' "$(collc best allgatherv -t star:4 --counts 'i*100' --to svg | labels)" '--counts '
expect 'head of counts' "$(collc best allgatherv -t star:4 --counts 'i*100' | grep -A1 'best$' | sed 1d | cut -d' ' -f3)" '--counts'

# A schedule file is no algorithm to compare with.
status=0; collc best bcast -t star:9 --with b.sched 2>message || status=$?
expect 'schedule file' "$status $(grep -c "'b.sched' is a schedule file, not an algorithm" message)" '2 1'

# A name for a number and a number for a name are wrong for every algorithm that has the parameter.
for wrong in segments=chain outer=3; do
    for command in "best bcast" "verify bcast --best"; do
        status=0; collc $command -t star:4 --bytes 1MiB --param $wrong >/dev/null 2>message || status=$?
        expect "$wrong" "$status $(grep -c 'must be .*E003' message)" '2 1'
    done
done

# A row, a range or a chart can be given back: a border to --bytes, a row to any command.
check_ends() { # PLACE
    while read -r first last row; do
        for size in "$first" "$last"; do
            collc best bcast $1 --model step --bytes "$size" >one
            expect "$1, best for $size" "$(sed -n "s/^  $size  *\(bcast\)/\1/p" one)" "$row"
        done
    done <ranges
}
# On the first place rounding decides between several for some bytes only.
for network in $(usually torus:3x3x2 '') star:32; do
    place="-t $network"
    collc best bcast $place --model step | sed -n 's/^  \([0-9][^ ]*\) \.\. \([0-9][^ ]*\)  *\(bcast.*\)/\1 \2 \3/p' >ranges
    check_ends "$place"
done
[ "$(wc -l <ranges)" -gt "$(wc -l <crossovers)" ]
collc best bcast -t star:32 --model step --format json |
    jq -r '.ranges[] | "\(.first) \(.last) \(.algorithm)" + ([.settings[] | " --param " + .] | add // "")' >of_json
awk '{ for (i = 1; i <= 2; i++) $i = $i * ($i ~ /KiB/ ? 1024 : $i ~ /MiB/ ? 1048576 : 1); print }' ranges >of_text
cmp of_text of_json
sed -n 's/.*<circle class="mark".*<title>[^<]* from \([^<]*\)<.*/\1/p' a.svg | cmp - crossover_bytes
# A size stands beside its mark, in three digits, but where another is too near.
awk '{ n = $1 * ($1 ~ /KiB/ ? 1024 : $1 ~ /MiB/ ? 1048576 : 1)
       for (unit = 0; n >= 1023.5; unit++) n /= 1024
       printf (n == int(n) || n >= 99.95 ? "%.0f" : n >= 9.995 ? "%.1f" : "%.2f") "%s\n", n, unit ? substr("KM", unit, 1) "iB" : "" }' \
    crossover_bytes >crossover_labels
grep -o 'class="halo"[^>]*>[0-9][^<]*' a.svg | sed 's/.*>//' >beside
[ "$(wc -l <beside)" -ge 1 ]
[ "$(grep -cxFf crossover_labels beside)" = "$(wc -l <beside)" ]
check_rows() { # PLACE SETTINGS
    collc best bcast $1 $2 --bytes 1MiB |
        sed -n 's/^[* ] \(bcast[^ ]*\( --param [^ ]*\)*\)   *\([0-9.]* .s\) .*/\1:\3/p' >rows
    [ "$(wc -l <rows)" -gt 10 ]
    while IFS=: read -r row time; do
        expect "$row" "$(collc predict $row $1 --bytes 1MiB | sed -n 's/^ *1MiB  *\([0-9.]* .s\) .*/\1/p')" "$time"
    done <rows
}
check_rows '-t star:32' ''
grep -q ' --param segments=.:' rows
check_rows '-t star:4 --ranks-per-machine 3' '--param radix=3 --param outer=linear'
grep -q 'bcast/kary --param radix=3 --param segments=' rows
grep -q 'bcast/hierarchical --param outer=linear:' rows
cp "$root/compiler/algorithms/bcast/binary.coll" "one's own.coll"
row=$(collc best bcast -t star:9 --bytes 1MiB --with "one's own.coll" | sed -n 's/^[* ] \(.*own.*=[0-9]*\)  .*/\1/p')
expect 'quoted for a shell' "$row" "'one'\\''s own.coll' --param segments=16"
eval "collc predict $row -t star:9 --bytes 1MiB" | grep -q 'bcast/binary'

# The fastest number of segments is found behind a rise: 2 and 4 are slower here than 1, 32 is not.
collc best scan -t star:8,bw=1Gb/s,lat=15us --ranks-per-machine 4 --overhead 2us --bytes 100000 --model step >one
expect 'segments behind a rise' "$(grep -c '^\* scan/linear --param segments=32  *3.406 ms' one)" 1
# The best algorithm for a size does not depend on the other sizes.
for network in star:16,lat=15us $(usually torus:4x4 ''); do
    place="-t $network"
    collc best bcast $place --sizes 64..4MiB --to csv >all
    for size in 4096 32768 1048576; do
        collc best bcast $place --sizes $size --to csv | sed 1d >alone
        grep ",$size," all | cut -d, -f1,4- >of_all
        cut -d, -f1,4- alone | cmp - of_all
    done
done

# A wrong algorithm wins nothing, and what is said of it is said to be of a wrong one.
printf 'allreduce cheat\nranks r: p\nstep\n  send buf to r + 1\n  recv buf from r - 1\n' >cheat.coll
collc best allreduce -t star:8 --sizes 8..1KiB --with cheat.coll >table
expect 'no row' "$(grep -c '^  cheat' table) $(grep -c 'cheat.coll  *it is wrong: rank' table)" '1 1'
collc best allreduce -t star:8 --bytes 8 --with cheat.coll --format json >record
expect 'refused' "$(jq -r '.refused[] | select(.algorithm == "cheat.coll") | .code' record)" R005
collc compile cheat.coll -t star:8 -o cheat.sched
for subject in cheat.coll cheat.sched; do
    for command in "predict $subject --sizes 8" "draw $subject" "draw $subject --what step"; do
        status=0; collc $command -t star:8 >out 2>message || status=$?
        expect "$command" "$status $(grep -c 'allreduce/cheat with 8 ranks on 8 servers, star:8 is wrong' message)" '1 1'
        [ -s out ]
    done
done
# A part that the user put into a built-in algorithm is not proved by its name.
status=0; collc predict bcast/binomial -t star:8 --sizes 8 -q 2>message || status=$?
expect 'built in' "$status $(wc -c <message)" '0 0'

# A latency of memory counts without its bandwidth.
collc predict alltoall/ring -t "$fig1" --bytes 8 | grep -q 'memory 10GB/s and 1375ns'
sed 's/ latency="1375ns"//' "$fig1" >no_latency.xml
collc predict alltoall/ring -t no_latency.xml --bytes 8 | grep -q 'memory 10GB/s and 300ns'

# With counts a message of no bytes costs nothing: emitted C does not send it.
collc predict --model step alltoallv/linear -t star:4 --counts '8*(1-(i+3)/4)' --to csv >few
collc predict --model step alltoallv/linear -t star:4 --counts 8 --to csv >many
collc predict --model step alltoallv/linear -t star:4 --counts 0 --to csv >none
expect 'no bytes, no time' "$(sed -n 2p none | cut -d, -f5)" 0
[ "$(sed -n 2p few | cut -d, -f5)" -lt "$(sed -n 2p many | cut -d, -f5)" ]

# Costs of hosts in a topology file are taken as the options of those names are, by every command;
# an option goes before it. Parts of the network keep it, and a file that is written has it.
printf '<topology version="1" bandwidth="2GB/s"><hosts overhead="5us" gap="2us" memory-bandwidth="40GB/s" process-bandwidth="1.5GB/s"/><star machines="4"/></topology>' >hosts.xml
said='--overhead 5us --gap 2us --memory-bandwidth 40GB/s --process-bandwidth 1.5GB/s'
same() { # COMMAND...: the same times with the file and with options
    "$@" -t hosts.xml >one
    "$@" -t star:4,bw=2GB/s $said | sed 's/star:4,bw=2GB\/s/hosts.xml/' | cmp - one
}
same collc simulate alltoall/ring --ranks-per-machine 2 --bytes 1MB
same collc predict alltoall/ring --ranks-per-machine 2 --sizes 8,1MB
same collc best alltoall --ranks-per-machine 2 --bytes 1MB --to csv
same collc simulate bcast/chain --machines 'm[0-2]' --bytes 1MB
collc simulate alltoall/ring -t hosts.xml --bytes 1MB --overhead 1us | grep -q 'hosts  *overhead 1us, gap 2us'
collc topo hosts.xml --to xml >written.xml
collc simulate alltoall/ring -t written.xml --bytes 1MB --format json | jq .time_ns >one
collc simulate alltoall/ring -t hosts.xml --bytes 1MB --format json | jq .time_ns | cmp - one
expect 'as JSON' "$(collc topo hosts.xml --format json | jq -c '[.hosts.overhead_ns, .hosts.memory_latency_ns]')" '[5000,null]'

# Defaults of hosts that take much of a time are named, until somebody says them.
collc predict allreduce/ring -t star:8 --sizes 8,1GiB | grep -q "^  default     the memory's 10GB/s take 3[0-9] % of the time at 1GiB, by step: say yours, --memory-bandwidth"
collc predict alltoall/linear -t star:32 --sizes 8 | grep -q '^  default     500ns and 200ns for a message take [0-9]* % of the time at 8, by step: say yours, --overhead'
collc simulate allreduce/ring -t star:8 --bytes 1GiB | grep -q "^  default     the memory's 10GB/s take"
for said in "predict --sizes 1GiB" "simulate --bytes 1GiB"; do
    expect "$said" "$(collc $said allreduce/ring -t star:8 --memory-bandwidth 100GB/s | grep -c '^  default')" 0
done
expect 'of the file' "$(collc predict allreduce/ring -t hosts.xml --sizes 1GiB | grep -c '^  default')" 0

# A schedule with much to play is summed up by steps, unless somebody asks for a model or for what only plays know.
large='allreduce/ring -t rail:25x8x4,up=8 --ranks-per-machine 8 --rank-adapters slot'
collc predict $large --to csv 2>said >by_default
grep -q '^collc: note: 1.3e+06 messages at 20 sizes are many to play, so times are those of the model step' said
collc predict $large --model step --to csv | cmp - by_default
expect 'few sizes' "$(collc predict $large --sizes 8 --to csv 2>&1 | sed -n '2s/.*\(asap\).*/\1/p')" asap

# An algorithm with head-of-line blocking by step, which asap has not, may be the fastest: it is played. One that is
# too large for that is marked.
collc best alltoall -t fattree:8x8 --bytes 128KiB >blocked
present '^\* alltoall/linear  *678\.7 us ' blocked
absent '^?' blocked
collc predict alltoall/linear -t fattree:8x8 --bytes 128KiB | grep -q ' 678\.7 us '
collc best allgather -t star:32 --ranks-per-machine 8 --bytes 4KiB >doubted
present '^  ?  *may be faster than \*' doubted
present '^? allgather/[a-z]* .*~' doubted
absent '^? [^~]*$' doubted
