# Tables of what an MPI takes size by size: each row says what 'verify --as' and 'predict --as' say of its last size, and what changes
# from one MPI or table to another: each range has what both sides' tables have. And 'as:' of a project file.
set -e
. "$root/tests/helpers.sh"
cat >chain.rules <<X
1
7 # bcast
1
2
3
0 6 0 0
8192 2 8 4096
262144 3 0 65536
X
place='-t fattree:4x2,up=1x2'

# rows TARGET COLLECTIVE OPTION...: compares the rows of the table with reports of single sizes.
rows() {
    target=$1
    collective=$2
    shift 2
    collc verify "$collective" --as "$target" $place "$@" --format json >table
    holds '.rows | length > 0 and all(.[]; .right)' table
    holds '[.rows[] | .first] == ([8] + [.rows[:-1][] | .last + 1]) and .rows[-1].last == 4194304' table
    jq -r '.rows[] | [.last, .as.stands_for_it, .max_link_load, .contended_steps, .max_fan_in, .hol_steps, .steps,
        .messages, .bound_ratio // "none", .time_ns] | map(tostring) | join(" ")' table >rows
    while read -r bytes name load contended fan hol steps messages ratio time; do
        one="--as $target $place $* --bytes $bytes --type-bytes 1"
        collc verify "$collective" $one --format json >one 2>said
        [ "$(jq -r '"\(.max_link_load) \(.contended_steps) \(.max_fan_in) \(.hol_steps) \(.steps) \(.messages) \(.bound_ratio // "none")"' one)" = \
            "$load $contended $fan $hol $steps $messages $ratio" ] || { echo "$target $collective $bytes"; exit 1; }
        [ "$(jq -r .as.stands_for_it one)" = "$name" ]
        found=$(collc predict "$collective" $one --model step --format json --quiet | jq '[.. | .time_ns? // empty][0]')
        [ "$found" = "$time" ] || { echo "$target $collective $bytes: $time in the table, $found by predict"; exit 1; }
    done <rows
}
# shellcheck disable=SC2086 # options
{
    rows ompi-4.1 alltoall
    rows ompi-4.1 bcast
    rows ompi-4.1 bcast --rules chain.rules
    rows mpich-4.0 allreduce
    rows ompi-5.0 reduce_scatter --non-commutative
}
# If each rank has another host of its own the same is taken by 5.0.
collc verify bcast --as ompi-4.1 -t star:8 >four
collc verify bcast --as ompi-5.0 -t star:8 >five
sed s/ompi-5.0/ompi-4.1/ five | diff four -
[ "$(collc verify bcast --as ompi-4.1 -t star:8 --bytes 8..4MiB)" = "$(cat four)" ]
collc predict bcast --as ompi-4.1 -t star:8 --sizes 8,1KiB,64KiB --format json >times
holds '[.rows[] | .last] == [8, 1024, 65536] and .model == "asap" and all(.rows[]; .first == .last)' times
[ "$(jq '.rows[2].time_ns' times)" = "$(collc predict bcast --as ompi-4.1 -t star:8 --sizes 64KiB --format json -q |
    jq '[.. | .time_ns? // empty][0]')" ]

status=0
collc verify allreduce --as ompi-5.0 -t star:4 --ranks-per-machine 2 >out || status=$?
expect status $status 2
present "^8..4194304  *han  *'han' has no counterpart here$" out
refused 'several sizes are for --as: give one' collc verify alltoall/ring -t star:4 --bytes 8..16
refused '--per-step is of one size' collc verify alltoall --as ompi-4.1 -t star:4 --per-step
refused '--to is of one size' collc predict alltoall --as ompi-4.1 -t star:4 --to csv
refused 'a table of sizes is of one collective on one network' collc verify alltoall bcast --as ompi-4.1 -t star:4
refused 'times are those of a network' collc predict alltoall --as ompi-4.1 --ranks 4
refused "'8-4M' is not a size" collc verify alltoall --as ompi-4.1 -t star:4 --bytes 8-4M

# Changes: for each size the choices differ inside the ranges and nowhere else, by 'pick' of both.
changes() {
    old=$1
    new=$2
    shift 2
    collc pick allreduce $old --diff $new --ranks 6 --bytes 1..64KiB -t star:6 --format json >changes
    for bytes in 1 5 6 7 8 9 15 16 100 2048 8191 8192 10000 65536; do
        in=$(jq --argjson b $bytes '[.changes[] | select(.first <= $b and $b <= .last)] | length' changes)
        for side in "$1" "$2"; do
            collc verify allreduce --as $side -t star:6 --bytes $bytes --type-bytes 1 --format json 2>said |
                jq -c '.as | [.stands_for_it, .parameters]'
        done >sides
        [ "$(uniq sides | wc -l)" -eq $((in + 1)) ] || { echo "$old, $new, $bytes"; cat sides changes; exit 1; }
    done
}
changes '--target ompi-4.1' mpich-4.0 ompi-4.1 mpich-4.0
changes '--target mpich-4.0' ompi-6 mpich-4.0 ompi-6
holds 'any(.changes[]; .from_ns > .to_ns and .from.target == "mpich-4.0" and .to.target == "ompi-6")' changes
collc pick bcast --target ompi-4.1 --diff chain.rules --ranks 8 --bytes 8..4MiB -t star:8 >out
present '^262144..4194304  *basic_linear (algorithm 1)  *pipeline (algorithm 3), segment 64KiB .* -[0-9.]* %$' out
collc pick chain.rules bcast --target ompi-4.1 --diff none --ranks 8 --bytes 8..4MiB -t star:8 --format json >back
collc pick bcast --target ompi-4.1 --diff chain.rules --ranks 8 --bytes 8..4MiB -t star:8 --format json >there
[ "$(jq -c '[.changes[] | [.first, .last, .from_ns, .to_ns]]' back)" = \
    "$(jq -c '[.changes[] | [.first, .last, .to_ns, .from_ns]]' there)" ]
collc pick chain.rules bcast --target ompi-4.1 --diff chain.rules --ranks 8 --bytes 8..4MiB >out
present ': nothing changes$' out
collc pick bcast --target ompi-4.1 --diff ompi-5.0 --ranks 8 --nodes 2 --bytes 8..4MiB >out
present 'knomial (algorithm 7)  *han$' out
refused "cannot open 'missing'" collc pick bcast --target ompi-4.1 --diff missing --ranks 8 --bytes 8
refused "what 'rccl' takes without a rule table is not known here" \
    collc pick bcast --target ompi-4.1 --diff rccl --ranks 8 --bytes 8
collc pick allreduce --target ompi-5.0 --diff ucc --ranks 16 --bytes 8..4MiB >out
present 'sra_knomial' out
refused '--topology has no effect without --diff' collc pick bcast --target ompi-4.1 -t star:8 --ranks 8 --bytes 8

# Projects.
cp -r "$root/examples/as" project
status=0
collc check project >out 2>said || status=$?
expect status $status 1
present '^alltoall --as ompi-4.1 --bytes 64KiB  *star:16  *ok$' out
present '^alltoall --as ompi-4.1 --bytes 64KiB  *two-levels  *L001$' out
present '^bcast --as ompi-4.1 --rules site.rules --bytes 1MiB  *two-levels  *ok$' out
present 'note: in alltoall --as ompi-4.1 --bytes 1KiB on two-levels; and in 1 more combination' out
sed 's/ompi-4.1/ompi-5.0/; s/name: two-levels/&\n    ranks-per-machine: 2/' project/collc.yaml >project/five.yaml
status=0
collc check project/five.yaml >out 2>said || status=$?
expect status $status 2
present "ompi-5.0 takes for bcast of 32 ranks on 16 hosts: 'han' has no counterpart here \[K003\]" out
for wrong in 's/ompi-4.1/omp-4.1/ .omp-4.1. is none of' 's/alltoall/alltoal/ there is no collective .alltoal.' \
    's/64KiB/0/ .0. is no size above 0' '/bytes/d the key .bytes. is missing' \
    's/site.rules/none.rules/ cannot open .none.rules.' 's/rules:/rule:/ unknown key .rule.'; do
    sed "${wrong%% *}" project/collc.yaml >project/wrong.yaml
    status=0
    collc check project/wrong.yaml >out 2>&1 || status=$?
    expect "status of ${wrong%% *}" $status 2
    present "${wrong#* }" out
done
