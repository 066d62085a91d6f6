# Rules for an MPI from the model: the linter finds nothing in them, pick takes what the report says,
# and a time in the report is that of the counterpart in the library with so many segments.
set -e
. "$root/tests/helpers.sh"
all='allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce reduce_scatter
    reduce_scatter_block scan scatter'
place='-t star:16 --ranks-per-machine 2'

for target in $(usually "ompi-4.1 ompi-5.0 ompi-6 mpich-4.0 mpich-4.3" "ompi-4.1 mpich-4.0"); do
    collc best $all --to $target $place --ranks 2,3,6,8..32 --sizes 8..256KiB -o $target.rules >$target.report 2>said
    collc lint $target.rules --target $target --fail-on warning --quiet >findings
    ! grep -v ' note: \|^ *|\|^ *[0-9]* |\|^ *=' findings | grep . || exit 1
done
grep -q 'is not predicted and stands' said
# Gather and scatter have one choice for each number of ranks, and so have those that are not looked up by size.
for collective in gather scatter barrier scan exscan alltoallv; do
    [ "$(grep -c "^$collective, " ompi-4.1.report)" -eq 6 ]
done

sed -n 's/^\([a-z_]*\), \([0-9]*\) ranks, \(.*\): \([^;]*\);.* for \([0-9A-Za-z]*\)$/\1|\2|\3|\4|\5/p' ompi-4.1.report >lines
[ "$(wc -l <lines)" -gt 100 ]
n=0
while IFS='|' read -r collective ranks range choice at; do
    n=$((n + 1))
    [ $((n % 7)) -eq 0 ] || continue
    bytes=$(echo "$range" | sed 's/ bytes//; s/all sizes/1..1MiB/; s/^from \([0-9]*\) on$/\1..2MiB/; s/^0\.\./1../')
    collc pick ompi-4.1.rules --target ompi-4.1 "$collective" --ranks "$ranks" --bytes "$bytes" --format json >picked
    name=$(echo "$choice" | sed 's/,.*//')
    [ "$name" = default ] && jq -e 'all(.ranges[]; .line == null)' picked >/dev/null && continue
    jq -e --arg name "$name" 'all(.ranges[]; .algorithm == $name and .line)' picked >/dev/null ||
        { echo "$collective $ranks $range $choice:"; cat picked; exit 1; }
done <lines

# The same of MPICH, whose files have the own decision in them: each machine has two of the ranks.
sed -n 's/^\([a-z_]*\), \([0-9]*\) ranks, \(.*\): \([^;]*\);.* for \([0-9A-Za-z]*\)$/\1|\2|\3|\4|\5/p' mpich-4.0.report >lines
[ "$(wc -l <lines)" -gt 60 ]
n=0
while IFS='|' read -r collective ranks range choice at; do
    n=$((n + 1))
    [ $((n % 7)) -eq 0 ] && [ "$choice" != default ] || continue
    bytes=$(echo "$range" | sed 's/ bytes//; s/all sizes/1..1MiB/; s/^from \([0-9]*\) on$/\1..2MiB/; s/^0\.\./1../')
    collc pick mpich-4.0.rules --target mpich-4.0 "$collective" --ranks "$ranks" --nodes $(((ranks + 1) / 2)) --bytes "$bytes" \
        --format json >picked
    jq -e --arg name "$choice" 'any(.ranges[]; .algorithm == $name)' picked >/dev/null ||
        { echo "$collective $ranks $range $choice:"; cat picked; exit 1; }
done <lines

# 8 ranks: 4MiB in segments of 128 KiB are 32; the own decision has the root send to each rank at once.
collc best bcast --to ompi-4.1 -t star:8 --ranks 8 --sizes 1MiB,4MiB -o t.rules --same-types-only >report
grep -q '^# only for programs that make no call with unlike datatypes' t.rules
grep -q '^bcast, 8 ranks, .*: pipeline, segment 128KiB; .* for 4MiB$' report || { cat report; exit 1; }
seen=$(sed -n 's/.*128KiB; \([0-9.]* [a-z]*\) .* for 4MiB$/\1/p' report)
own=$(sed -n 's/.* instead of \([0-9.]* [a-z]*\) for 4MiB$/\1/p' report)
collc predict bcast/pipeline -t star:8 --param segments=32 --bytes 4MiB | grep -q " $seen "
collc predict bcast/kary -t star:8 --param radix=7 --bytes 4MiB | grep -q " $own "
# Times are those that predict gives, and a rule stands only where the model step agrees: by that alone linear
# would be taken for 256 bytes, which is slower as played.
ft2='-t examples/clusters/ft2_4s8l64h.txt --routes examples/clusters/ft2_4s8l64h-ftree.dump'
here=$PWD
for model in asap step flow; do
    (cd "$root" && collc best alltoall $ft2 --to ompi-4.1 --ranks 64 --sizes 256,1MiB --model $model -o "$here/ft2.rules") >ft2.$model
done
(cd "$root" && collc best alltoall $ft2 --to ompi-4.1 --ranks 64 --sizes 256,1MiB -o "$here/ft2.rules") | cmp - ft2.asap
(cd "$root" && collc predict alltoall --as ompi-4.1 $ft2 --sizes 256,1MiB) >ft2.own
present '^256 .* 40\.60 us$' ft2.own
present '^1048576 .* 10\.35 ms$' ft2.own
[ "$(sed '/a program runs/,$d' ft2.asap)" = 'alltoall, 64 ranks, 0..262335 bytes: default; 40.60 us for 256
alltoall, 64 ranks, from 262336 bytes on: linear; 9.841 ms instead of 10.35 ms for 1MiB
times by the model asap; a rule is faster by the model step, too' ]
present 'linear; 38\.32 us instead of 45\.76 us for 256$' ft2.step
present '^times by the model step$' ft2.step
present '^times by the model flow; a rule is faster by the model step, too$' ft2.flow
# A schedule that is too large to be played goes by step alone, and is marked.
collc best alltoall -t torus:5x4x3x3x3 --to ompi-4.1 --ranks 540 --sizes 8..4MiB >large.rules
present '^# alltoall, 540 ranks, .* ~[0-9.]* [mu]s instead of ~' large.rules
present '^# times by .*; ~: by step alone, too large to be played$' large.rules
# No row is unsafe for a legal call, and where one is left out the best of the others is taken; with
# --commutative-only a file has them, and says so.
reductions='allreduce reduce reduce_scatter --to ompi-4.1 -t fattree:4x2,up=1x2 --ranks 4,8 --model step'
collc best $reductions -o safe.rules -q
collc lint safe.rules --target ompi-4.1 --quiet >findings
absent 'B037\|B043' findings
absent commute safe.rules
grep -q '^# allreduce, 8 ranks, 8192\.\.[0-9]* bytes: recursive_doubling' safe.rules
collc best $reductions --commutative-only -o unsafe.rules -q
grep -q '^# only for programs that make no call with an operation that does not commute$' unsafe.rules
collc lint unsafe.rules --target ompi-4.1 --quiet >findings || true
present 'allreduce by ring is unsafe for a legal call.*\[B037\]' findings
present 'reduce_scatter by recursive_halving is unsafe for a legal call.*\[B037\]' findings
collc pick unsafe.rules --target ompi-4.1 allreduce --ranks 8 --bytes 4MiB --non-commutative | grep -q 'ring .* wrong data'

# A row for a grid of ranks holds for each of its numbers alone. Other numbers keep the MPI's own decision.
collc best bcast --to ompi-4.1 -t star:16 --ranks 4,8 -o both.rules -q
collc best bcast --to ompi-4.1 -t star:16 --ranks 8 -o one.rules -q
pick() { collc pick "$1" --target ompi-4.1 bcast --ranks "$2" --bytes 1..8MiB --format json | jq -c '.ranges[]|del(.line)'; }
[ "$(pick both.rules 8)" = "$(pick one.rules 8)" ]
[ "$(pick both.rules 6)" = "$(pick both.rules 4)" ]
collc pick one.rules --target ompi-4.1 bcast --ranks 9 --bytes 1..8MiB --format json | jq -e 'all(.ranges[]; .line == null)' >/dev/null

# Without -o the file is the output, and it is the same.
collc best bcast --to ompi-4.1 -t star:16 --ranks 8 | cmp - one.rules

# Each number of ranks reads the network again; what is said of it is said once. Where the file goes is how it acts.
printf 'a slots=2\nb slots=2\nc slots=2\n' >hosts
collc best bcast --to ompi-5.0 -t hosts --placement hosts -o hosts.rules >report 2>said
[ "$(grep -c T008 said)" -eq 1 ]
tail -n 1 report | grep -qx '  mpirun --mca coll ^han .* --mca coll_tuned_dynamic_rules_filename hosts.rules PROGRAM'

# Launched so, coll/han does not answer: calls without a rule get the decision of coll/tuned, and that is compared.
present "the rules also replace 'han', which answers without them and is not predicted: bcast on " said
collc best allreduce --to ompi-5.0 -t star:4 --ranks-per-machine 2 --ranks 8 --sizes 8,64KiB -o han.rules >report 2>said
present "also replace 'han', .*: allreduce on 8 ranks" said
absent 'is not predicted at every size\|stands at all sizes' said
collc best allreduce --to ompi-4.1 -t star:4 --ranks-per-machine 2 --ranks 8 --sizes 8,64KiB 2>/dev/null | grep '^# allreduce' >four
grep '^allreduce' report | sed 's/^/# /' | cmp - four

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc "$@"
}
refuse 'one collective at a time' best bcast reduce -t star:4
refuse 'several numbers of ranks are for' best bcast -t star:4 --ranks 2,4
refuse 'give --topology' best bcast --to ompi-4.1 --ranks 4
refuse 'have no rules for' best gatherv --to ompi-4.1 -t star:4
refuse 'have no rules for' best nothing --to ompi-4.1 -t star:4
refuse 'is named twice' best bcast bcast --to ompi-4.1 -t star:4
refuse 'two ranks and more' best bcast --to ompi-4.1 -t star:4 --ranks 1
refuse 'two ranks and more' best bcast --to ompi-4.1 -t star:1
# Its pairwise all-to-all goes round any number of ranks, not along a hypercube.
collc best alltoall --to ompi-4.1 -t star:12 --sizes 64KiB --ranks 12 --model step >round.rules
grep -q '^# alltoall, 12 ranks, all sizes: pairwise; 97.23 us instead of' round.rules
collc predict alltoall/spread -t star:12 --sizes 64KiB --model step --format json | jq -e '.times[0].time_ns == 97227' >/dev/null

refuse 'have no effect' best bcast --to ompi-4.1 -t star:4 --param segments=4
refuse 'has no effect with --model step' best bcast --to ompi-4.1 -t star:4 --model step --sync barrier
refuse 'is not one of' best bcast --to nccl -t star:4
refuse 'is not a list of numbers' best bcast --to ompi-4.1 -t star:4 --ranks 4KiB
[ ! -e none.rules ]
