# The patterns of examples/patterns are verified, predicted, simulated, drawn and mapped, and read again as schedule
# files; what a command cannot do with a pattern it refuses.
. "$root/tests/helpers.sh"
set -e
ln -s "$root/examples" .
n=0
every=1
if is_least; then every=3; fi
for file in $(ls examples/patterns/*.coll | awk -v every=$every 'NR % every == 1 % every'); do
    collc fmt --check "$file"
    n_right=0
    for where in '--ranks 3' 'star:5' 'torus:4x4' 'mesh:3x3' 'torus:2x2' 'torus:3x2x4' 'torus:2x2 --ranks-per-machine 2'; do
        case $where in -*) ;; *) where="-t $where" ;; esac
        status=0
        # shellcheck disable=SC2086
        collc verify "$file" $where --format json >verdict 2>why || status=$?
        [ $status -ne 2 ] || { grep -q E009 why || { cat why; exit 1; }; continue; }
        jq -e '(.findings == []) and .matched and .deadlock_free and .complete' verdict >/dev/null || {
            echo "$file $where:"; jq -c '.findings' verdict; exit 1; }
        n_right=$((n_right + 1))
        # shellcheck disable=SC2086
        collc compile "$file" $where >one.sched
        collc compile one.sched >two.sched
        cmp one.sched two.sched
        collc verify one.sched --format json >again
        figures='[.matched, .complete, .messages, .max_link_load]'
        [ "$(jq -c "$figures" verdict)" = "$(jq -c "$figures" again)" ] || {
            echo "$file $where: $figures of its schedule file"; jq -c "$figures" verdict again; exit 1; }
    done
    [ $n_right -ge 3 ] || { echo "$file: right in $n_right places only"; exit 1; }
    for command in predict simulate 'simulate --model flow' 'predict --model step'; do
        # shellcheck disable=SC2086
        collc $command "$file" -t torus:4x4 --bytes 4KiB >/dev/null
    done
    for what in topology step tree dependencies; do
        collc draw "$file" -t torus:4x4 --bytes 4KiB --what $what --to dot | grep -q 'graph'
    done
    collc bound "$file" -t torus:4x4 --bytes 4KiB >/dev/null
    collc map "$file" -t torus:4x4 >/dev/null
    collc diff "$file" "$file" -t torus:4x4 >/dev/null
    collc lint "$file" >/dev/null
    collc compile "$file" -t torus:4x4 --bytes 4KiB --timed -o timed.sched
    collc verify timed.sched >/dev/null
    for target in ti-trace goal; do collc emit "$file" -t torus:4x4 --bytes 4KiB --to $target >/dev/null; done
    n=$((n + 1))
done
[ $((n * every)) -ge 9 ]

refuses() { # WORDS COMMAND...
    words=$1 status=0
    shift
    "$@" >out 2>&1 || status=$?
    [ $status -eq 2 ] && grep -q -- "$words" out || { echo "$*: status $status: $(head -3 out)"; exit 1; }
}
halo=examples/patterns/halo2d.coll
printf 'pattern twice\nranks r: p\nin 1\nout 2\nstep\n  send in to r + 1\n  send in to r + 2\n  recv out[0] from r - 1\n  recv out[1] from r - 2\n' >twice.coll
sed '/^needs/,/^$/d' $halo >free.coll
refuses 'is one algorithm' collc bound examples/composition/allreduce_3d.coll -t torus:2x2x2
refuses 'is sent to several ranks' collc bound twice.coll -t torus:4x4 --bytes 8
refuses 'results are combined' collc best examples/patterns/rows.coll -t torus:4x4 --bytes 8
collc best examples/patterns/transpose.coll -t mesh:4x4 --bytes 1KiB >/dev/null
refuses 'nothing is known of all patterns' collc bound pattern -t torus:4x4
refuses 'nothing is known of all patterns' collc best pattern -t torus:4x4 --bytes 8
refuses 'nothing is known of all patterns' collc synth pattern -t torus:4x4
collc emit $halo --to mpi-c --main -o halo.c
collc emit $halo --table --ranks 4 -o halo.c 2>why || grep -q 'E009' why
refuses 'have sizes of their own' collc emit examples/traffic/hosts.csv -t examples/clusters/ft2_4s8l64h.txt
refuses "MPI's reductions" collc verify $halo -t torus:4x4 --reproducible
refuses 'is for gatherv' collc verify $halo -t torus:4x4 --counts 8
refuses 'has no root' collc verify $halo -t torus:4x4 --root 1
refuses 'no pattern is built in' collc verify pattern/halo
# Without the clause nothing is claimed; with it a lost message, a wrong side and a wrong rank are found.
[ "$(collc verify free.coll -t torus:4x4 --format json | jq .complete)" = null ]
sed '/send in\[west\]/d; /recv out\[east\]/d' $halo >lost.coll
sed 's/send in\[west\]/send in[south]/' $halo >side.coll
sed 's/send in\[west\] to (x-1, y)/send in[west] to (x-2, y)/; s/from (x+1, y)/from (x+2, y)/' $halo >far.coll
sed 's/recv out\[west\]/recv out[east]/' $halo >race.coll
for wrong in 'lost R001' 'side R006' 'far R006' 'race R005'; do
    status=0
    collc verify "${wrong% *}.coll" -t torus:5x5 --format json >wrong.json || status=$?
    [ $status -eq 1 ] && jq -e --arg code "${wrong#* }" '[.findings[].code] | index($code)' wrong.json >/dev/null || {
        echo "$wrong: $(jq -c '[.findings[].code]' wrong.json)"; exit 1; }
done
# A map of ranks takes along what they need.
printf '%s\n' 5 3 0 1 2 4 8 7 6 >order
collc map $halo -t torus:3x3 -o found.map >/dev/null 2>&1
collc verify $halo -t torus:3x3 --map order --format json | jq -e .complete >/dev/null

refuses 'bound' collc verify twice.coll -t torus:4x4 --max-bound-ratio 1.1

# A project has them like others, and --fail each takes out cables.
cat >collc.yaml <<'END'
version: 1
schedules: [examples/patterns/halo2d.coll, examples/patterns/transpose.coll]
networks: ['torus:4x4']
END
collc check . >/dev/null
collc check . --fail each >/dev/null
echo "$n patterns"
# Messages of sets carry chunks that are known one by one.
printf 'pattern parts\nranks r: p\nin 6\nout 6\nstep\n  send in[0], in[1], in[3] to r + 1\n  send in[2], in[4], in[5] to r + 2\n  recv out[0 .. 2] from r - 1\n  recv out[3 .. 5] from r - 2\n' >parts.coll
sed 's/in\[0\], in\[1\], in\[3\]/in[0 .. 2]/; s/in\[2\], in\[4\], in\[5\]/in[3 .. 5]/' parts.coll >rows.coll
for file in parts rows; do collc bound $file.coll -t star:5 --format json | jq -c .bounds >$file.bounds; done
cmp parts.bounds rows.bounds
sed 's/in\[4\], in\[5\]/in[3], in[5]/' parts.coll >twice.coll
refuses 'is sent to several ranks' collc bound twice.coll -t star:5
