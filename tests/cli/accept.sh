# A finding in a baseline is known from then on, and is no error of that run. Waivers in files that only jobs
# name are read.
set -e
. "$root/tests/helpers.sh"

run() { # STATUS ARGUMENT...
    wanted=$1
    shift
    status=0
    collc check "$@" >out 2>said || status=$?
    [ $status -eq "$wanted" ] || { echo "check $*: $status, not $wanted"; cat out said; exit 1; }
}
printf 'alltoall a\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n' >a.coll
printf 'schedules: [a.coll]\nnetworks: ["fattree:4x4,up=1x2"]\nranks: [8, 16]\nlimits: {max-link-load: 1}\n' >collc.yaml
run 1
grep -q 'error: link' out
run 0 --write-baseline known
absent 'error\|help' out
grep -Eq '^a.coll +fattree:4x4,up=1x2 +known +known$' out
grep -q '^2 combinations: 2 known to the baseline; the baseline written now knows 1 finding$' out
run 0 --baseline known
grep -q '; the baseline knows 1 finding$' out
run 0 --write-baseline again --format json
holds '.verdicts.known == 2 and all(.findings[]; .known)' out
cmp known again
run 0 --write-baseline again --format concise
absent ': error:' out
run 0 --write-baseline again --fail-on note

# On an old baseline: what is new is known now, and what the old one knew in vain is no matter of the new one.
sed 's/8 x 2/9 x 2/' known >old
run 0 --baseline old
grep -q 'K012' out
run 0 --baseline old --write-baseline new --fail-on warning
absent K012 out
cmp known new

# A check that cannot be made is not accepted, nor a project without checks.
echo nonsense >b.coll
sed -i 's/a.coll/a.coll, b.coll/' collc.yaml
run 2 --write-baseline new
grep -q '^b.coll:1:1: error' out
cmp known new
sed -i 's/a.coll, b.coll/a.coll/; s/8, 16/100/' collc.yaml
run 1 --write-baseline new
grep -q K011 out

# Waivers of jobs: of a file that two of them name, once.
sed 's/^    recv.*/    recv out[r] from r - i/' a.coll >w.coll
printf 'networks:\n  - network: fattree:4x4\n    name: tree\njobs:\n' >collc.yaml
for job in 'x: m[0-5]' 'y: m[6-11]'; do
    echo "  - {name: ${job%:*}, network: tree, schedule: w.coll, machines: \"${job#*: }\"}" >>collc.yaml
done
run 1
grep -q 'R001' out && grep -q 'R002' out && grep -q 'R006' out
sed -i 's/^    recv.*/&  # collc: allow R001,R002,R006 because it is a test/' w.coll
run 0 --fail-on warning
grep -q '; waivers cover [1-9]' out
sed -i 's/R001,R002,R006/R001,R002,R006,R003/' w.coll
run 1 --fail-on warning
expect 'waivers that cover nothing' "$(grep -c 'K007' out)" 1
sed -i 's/because.*/until 2020-01-31 &/' w.coll
run 1
grep -q K008 out
