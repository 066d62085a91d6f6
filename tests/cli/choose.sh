# --best: the algorithm that `collc best` names, with the parameters that made it the best.
set -e
. "$root/tests/helpers.sh"

for collective in alltoall bcast allgather reduce allreduce gather scatter; do
    place="-t star:12,bw=2GB/s --ranks-per-machine 2"
    case $collective in bcast | reduce | gather | scatter) place="$place --root 3" ;; esac
    for bytes in $(usually "8 4096 1MiB" 4096); do
        best=$(collc best $collective $place --bytes $bytes --format json |
            jq -r '.best[].algorithm')
        collc compile --best $collective $place --bytes $bytes -o chosen 2>said
        expect "$collective $bytes" "$collective/$(sed -n 's/^algorithm //p' chosen)" "$best"
        grep -q "^collc: best: $best[ ,]" said
        parameters=$(sed -n 's/^[^;,]*\(--param [^,]*\),.*/\1/p' said)
        collc compile "$best" $place --bytes $bytes $parameters | cmp - chosen
    done
done

# A setting goes to the algorithms that have such a parameter; one that none has is refused.
collc compile --best bcast $place --bytes 8 --param radix=5 -q -o chosen 2>said
expect 'quiet' "$(cat said)" ''
status=0; collc compile --best bcast $place --bytes 8 --param colour=5 2>said || status=$?
expect 'unknown parameter' "$status $(grep -c "no algorithm of bcast has a parameter 'colour'" said)" '2 1'

# Host costs take part in the choice, and are refused where there is none.
dear=$(collc compile --best barrier -t star:32 --overhead 1ms 2>&1 >chosen | cut -d, -f1)
free=$(collc compile --best barrier -t star:32 --overhead 0ns --gap 0ns 2>&1 >chosen | cut -d, -f1)
[ "$dear" != "$free" ]
status=0; collc verify barrier/tree -t star:32 --gap 1us 2>said || status=$?
expect 'costs without a choice' "$status $(grep -c 'give --best' said)" '2 1'

# C of the chosen one, with its parameter as the default.
collc emit --best bcast -t star:32 --bytes 512KiB -o best.c 2>said
expect 'emitted' "$(grep -c "^/\* MPI_Bcast by the algorithm $(sed 's/.*bcast.\([a-z_]*\).*;.*/\1/' said)" best.c)" 1
collc verify --best allreduce -t torus:4x4 --bytes 1MiB 2>said | grep -q 'complete    yes'

for wrong in "bcast $place" 'bcast --ranks 4 --bytes 8' 'broadcast -t star:4 --bytes 8' \
    'alltoall/ring -t star:4 --bytes 8'; do
    status=0; collc compile --best $wrong -o never 2>said || status=$?
    expect "$wrong" "$status" 2
    grep -q '^collc: error:' said
    [ ! -e never ]
done

# The report names algorithms that --param left out of the choice, and none that would not work anyway.
collc compile --best bcast -t star:8 --bytes 1MiB --param segments=0 -o /dev/null 2>said
expect 'left out' "$(grep -c "^collc: best: left out by --param: bcast/binary, .* and [0-9]* more ('segments' is 0" said)" 1
collc compile --best bcast -t star:8 --bytes 1MiB --param radix=1 -o /dev/null 2>said
expect 'the others' "$(sed -n 's/.*left out by --param: \(.*\) (.*/\1/p' said)" 'bcast/kary, bcast/knomial, bcast/scatter_allgather_recexch'
collc compile --best bcast -t star:8 --bytes 1MiB --param segments=2 -o /dev/null 2>said
if grep 'left out' said; then exit 1; fi
collc draw --best allgatherv -t star:4 --counts 'i*100' --what step 2>said | grep -q 'allgatherv/'
grep -q '^collc: best: allgatherv/' said
