# collc fit: costs that times were made of are found again, by the closed forms of benchmarks and by playing; what
# times do not determine is said; wrong files are refused at their line.
set -e
. "$root/tests/helpers.sh"
times="$root/tests/data/times"

# Outputs of OSU, IMB and nccl-tests, made of o 900 ns, 700 ns and 3 GB/s a link by closed forms (tests/data/times).
collc fit "$times/osu-network.txt" "$times/imb-8.txt" "$times/nccl-tests-8.txt" -t star:8 --model step \
    --algorithm bcast/binomial --algorithm allgather/ring --algorithm barrier/dissemination -o site.xml \
    >report 2>notes
grep -q 'fitted to 81 times' report
grep -q '<hosts overhead="900ns"' site.xml
grep -q 'bandwidth="3GB/s" latency="700ns"' site.xml
grep -q '^  gap .*no time depends on it' report
grep -q 'imb-8.txt:56: 1 row is left out, .*: the benchmark is not known' notes
collc predict bcast/binomial -t site.xml --model step --bytes 1KiB | grep -q 'overhead 900ns'

# Predicted times of algorithms, of costs that are not near the defaults. By the model step all are found; by asap
# those that these times determine, and predictions that are as good.
near() { # NAME WANTED
    awk -v name="$1" -v wanted="$2" 'index($0, "  " name) == 1 && !/is known/ {
        value = substr($0, 24) + 0
        found = value > 0.98 * wanted && value < 1.02 * wanted }
        END { if (!found) print name " is not " wanted; exit !found }' report
}
for model in $(usually "asap step" step); do
    while read -r algorithm ranks per; do
        for bytes in 8 4KiB 256KiB; do
            ns=$(collc simulate "$algorithm" -t star:6,bw=700MB/s,lat=2us --ranks "$ranks" --ranks-per-machine "$per" \
                --bytes "$bytes" --overhead 3us --gap 2us --memory-bandwidth 2GB/s --memory-latency 4us \
                --model $model --format json | jq .time_ns)
            echo "time $algorithm $ranks $bytes ${ns}ns ranks-per-machine=$per"
        done
    done >played <<END
bcast/linear 2 1
bcast/binomial 6 1
bcast/kary 6 1
allreduce/recursive_doubling 8 2
alltoall/spread 6 1
alltoall/spread 12 2
allgather/ring 4 4
alltoall/spread 4 4
END
    collc fit played -t star:6 --model $model -o played.xml >report
    near memory-bandwidth 2
    near 'bandwidth of a link' 700
    awk '/^predicted times are off by/ { exit !($6 < 2) }' report
done
all_near() {
    near overhead 3
    near gap 2
    near memory-latency 4
    near memory-bandwidth 2
    near 'latency of a link' 2
    near 'bandwidth of a link' 700
}
all_near
# One wild time among them moves nothing.
sed '4s/ [0-9]*ns / 99ms /' played >wild
collc fit wild -t star:6 --model step >report
all_near
# Given costs stay, and links do.
collc fit played -t star:6,bw=700MB/s,lat=2us --model step --keep-links --gap 2us -o kept.xml >report
all_near
grep -q '^  latency of a link .*as given' report
grep -q '^  gap .*as given' report
grep -q 'bandwidth="700MB/s" latency="2us"' kept.xml
grep -q 'gap="2us"' kept.xml

# A message alone has 2 o + 2 links: neither is known, their sum is.
grep 'bcast/linear' played >alone
collc fit alone -t star:6 --model step >report
grep -q '^  overhead .*not determined' report
grep -q '^  latency of a link + overhead is known: 4[.]9.* us to 5[.].* us' report
collc fit alone -t star:6 --model step --format json >record
jq -e '.costs.overhead.state == "not determined" and .costs.memory_latency.state == "unused" and
    .sums[0].first == "link_latency" and .sums[0].second == "overhead" and .sums[0].factor == 1 and
    (.sums[0] | .least < 5000 and .most >= 5000) and (.times | length) > 0 and
    ([.times[] | (.predicted_ns - .measured_ns) / .measured_ns | fabs] | add / length) as $mean |
    ($mean - .mean_error | fabs) < 1e-6' record >/dev/null || { cat record; exit 1; }

# Times of collc tune, by the names of the MPI.
awk '$1 != "time" || $4 < 4000' "$root/examples/tuning/bcast.times" >tuned.times
collc fit tuned.times --target ompi-4.1 -t star:1 --ranks-per-machine 8 --model step >report
grep -q '^predicted times are off by' report
if collc fit "$root/examples/tuning/bcast.times" -t star:1 --ranks-per-machine 8 2>said; then exit 1; fi
grep -q "say of which" said
# Collectives of a benchmark want a name.
collc fit "$times/imb-8.txt" -t star:8 --model step >/dev/null 2>said
grep -q '13 times are left out, .*(bcast, barrier)' said
# A heading of another library, or of a one-sided test, ends the benchmark before it.
printf '# OSU %s Broadcast Latency Test v7.3\n# Size Avg Latency(us)\n1024 4.1\n65536 48.5\n' \
    MPI OpenSHMEM UPC++ MPI_Put >shmem.txt
collc fit shmem.txt -t star:4 --model step --ranks 4 --algorithm bcast/binomial -o /dev/null >report 2>notes
grep -q 'fitted to 2 times' report
grep -q "shmem.txt:7: 6 rows are left out, of 'OpenSHMEM Broadcast Latency', 'UPC++ Broadcast.* not known here" notes

refused() {
    printf '%b' "$1" >wrong
    if collc fit wrong -t star:4 >/dev/null 2>said; then echo "taken: $1"; exit 1; fi
    grep -q "$2" said || { cat said; exit 1; }
}
refused 'time bcast 4 8 1us\n' 'wrong:1:6: error: an algorithm'
refused 'time bcast/binomial 4 8 1\n' 'a time above 0'
refused 'time bcast/binomial 0 8 1us\n' 'a number of ranks'
refused 'time bcast/binomial 4 8 1us segments\n' 'NAME=NUMBER'
refused 'time bcast/nothing 4 8 1us\n' 'wrong:1:1: error: bcast/nothing cannot be predicted'
refused 'time bcast/binomial 5 8 1us\n' '5 ranks'
refused 'hello\n' "'time', or what a benchmark prints"
refused '' 'there is no time'
# A comment that begins as a heading does is no heading: faults behind it are said.
refused '# OSU numbers of May\ntime bcast/binomial 4 8 1us\ntime bcast 4 8 1us\n' 'wrong:3:6: error: an algorithm'
refused '# Benchmarking by hand\ntme bcast/binomial 4 8 1us\n' "wrong:2:1: error: 'time', or"
refused '# OSU MPI Broadcast Latency Test v7\n# Size Avg Latency(us)\n8 nothing\n' 'a row with a size and a time'
refused '# OSU MPI Broadcast Latency Test v7\n# Size Avg Latency(us)\n8 1.5\n' 'by --ranks'
if collc fit played 2>said; then exit 1; fi
grep -q 'give --topology' said
# Collectives without data say nothing; links of a file keep what they cost, each its own
refused 'time bcast/binomial 4 0 1us\n' 'there is no time'
collc topo star:8,bw=25GB/s --to dot -o alike.dot
printf 'time alltoall/ring 8 1MB 1ms\ntime alltoall/ring 8 0 70ns\n' >own
collc fit own -t alike.dot -o /dev/null >out 2>said
grep -q 'bandwidth of a link  25 GB/s  *as given' out
grep -q "the links of '.*' keep what they cost: those of a file" said
