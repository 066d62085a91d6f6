# Numbers of predict and best beside those of simulate, and what is said of how they were found.
set -e
. "$root/tests/helpers.sh"

# predict and best say what simulate says, by each model and with each of its options; they do
# not know of each other but for the player.
played() { collc simulate "$@" --format json | jq -c '[.time_ns, .latency_ns, .bandwidth_ns, .waiting_ns, .host_ns, .local_ns, .memory_ns]'; }
predicted() { collc predict "$@" --format json |
    jq -c '.times[0] | [.time_ns, .latency_ns, .bandwidth_ns, .waiting_ns + .hol_ns, .host_ns, .local_ns, .memory_ns]'; }
while read -r arguments; do
    expect "$arguments" "$(predicted $arguments)" "$(played $arguments)"
done <<'END'
alltoall/two_level_ring -t star:4,bw=2GB/s --ranks-per-machine 3 --bytes 64KiB
alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 3 --bytes 100000 --simulation-seed 7
alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 3 --bytes 100000 --sync barrier --model flow
alltoall/a2at -t torus:5x5 --bytes 1000 --window 2 --send-order queue
alltoall/a2at -t torus:3x3 --bytes 1000 --model flit --flit takaue2010
allreduce/ring -t fattree:4x4,up=1x2 --bytes 1MiB --eager 0
bcast/double_tree -t star:32 --bytes 1MiB --overhead 2us
bcast/chain -t mesh:3x3 --bytes 1MB --model step
alltoallv/ring -t star:5 --counts (i*7+j*13)mod(97)
barrier/dissemination -t star:9
END
# The time and the parts of what best names are those of simulate, too; no other of its few is faster.
collc best bcast -t star:32 --sizes 1KiB,64KiB,1MiB --format json >record
jq -r '.best[] | "\(.bytes) \(.time_ns) \(.algorithm)" + ([.settings[] | " --param " + .] | add // "")' record >named
while read -r bytes time row; do
    expect "$row" "$(collc simulate $row -t star:32 --bytes "$bytes" --format json | jq .time_ns)" "$time"
done <named
expect 'all are played' "$(jq -c '[.algorithms[].times[].model] | unique' record)" '["asap"]'
expect 'labels' "$(jq -c '[.model, .synchronisation, .best[0].model, .best[0].synchronisation]' record)" '["asap","local","asap","local"]'
# The first size of a range is one at which that was seen to be the best.
collc best bcast -t star:16 --format json | jq -r '.ranges[] | "\(.first) \(.algorithm)"' >ranges
[ "$(wc -l <ranges)" -gt 2 ]
while read -r first algorithm; do
    expect "best at $first" "$(collc best bcast -t star:16 --bytes "$first" --format json | jq -r '.best[0].algorithm')" "$algorithm"
done <ranges
# An algorithm that is too much to be played has its time by step, and says so; the least of all numbers is named.
collc best alltoall -t fattree:8x8x8 --sizes 8,64KiB --format json >record
expect 'mixed' "$(jq -c '[.algorithms[].times[].model] | unique' record)" '["asap","step"]'
expect 'of the sums' "$(jq -c '[.algorithms[].times[] | select(.model == "step") | .synchronisation] | unique' record)" '["lockstep"]'
expect 'the least' "$(jq -c '.best[1].time_ns' record)" "$(jq -c '[.algorithms[].times[1].time_ns] | min' record)"
collc best alltoall -t fattree:8x8x8 --sizes 8,64KiB >table
expect 'marked' "$(grep -c '^  ~  *by the model step' table)" 1
expect 'as many' "$(sed '1,/^  time/d' table | grep -o '~' | wc -l)" "$(jq '[.algorithms[].times[] | select(.model == "step")] | length' record)"
expect 'below the others' "$(sed -n '/^  time/,/^$/p' table | sed '1,/^  not played/d' | grep -c '^  alltoall.*~')" \
    "$(sed '1,/^  time/d' table | grep -c '~')"
# The named one was played, and is the same whatever other sizes are asked for, which several processes play.
collc best alltoall -t fattree:8x8x4 --sizes 8,512,4KiB,256KiB --format json >record
expect 'named' "$(jq -c '[.best[].model] | unique' record)" '["asap"]'
jq -r '.best[] | "\(.bytes) \(.algorithm) \(.time_ns)"' record >named
while read -r bytes name time; do
    expect "$name" "$(collc simulate $name -t fattree:8x8x4 --bytes "$bytes" --format json | jq .time_ns)" "$time"
    expect "alone $bytes" "$(collc best alltoall -t fattree:8x8x4 --bytes "$bytes" --format json | jq -c '[.algorithms[].times[]]')" \
        "$(jq -c --argjson bytes "$bytes" '[.algorithms[].times[] | select(.bytes == $bytes)]' record)"
done <named
# If one rank stands for all, an all-to-all of any size is played.
collc best alltoall -t star:512 --sizes 8,1MiB --format json >record
expect 'played' "$(jq -c '[.algorithms[].times[].model] | unique' record)" '["asap"]'
for name in alltoall/linear alltoall/ring; do
    expect "$name" "$(collc simulate $name -t star:512 --bytes 1MiB --format json | jq .time_ns)" \
        "$(jq --arg name $name '.algorithms[] | select(.algorithm == $name).times[1].time_ns' record)"
done
# A choice that rests on there being no head-of-line blocking is not left alone.
where='-t star:8,bw=2GB/s --ranks-per-machine 8'
note='asap has no head-of-line blocking, and that decides for 1MiB. By the model step, which has, first is alltoall/pairwise with 241.8 ms, and alltoall/linear takes 356.8 ms. The same command with --bytes 1MiB --model flit plays them packet by packet'
expect 'note' "$(collc best alltoall $where --sizes 64,1MiB | sed -n '/^  note/,/^$/p' | tr -s ' \n' ' ')" " note $note "
collc best alltoall $where --bytes 64KiB --format json >record
for name in spread two_level_ring linear; do
    expect "$name" "$(jq -c --arg name alltoall/$name '.algorithms[] | select(.algorithm == $name).times[0] | [.model, .time_ns, .hol_ns, .hol_left_out_ns]' record)" \
        "$({ collc simulate alltoall/$name $where --bytes 64KiB --format json
             collc predict alltoall/$name $where --bytes 64KiB --model step --format json; } |
            jq -sc '["asap", .[0].time_ns, 0, .[1].times[0].hol_ns]')"
done
expect 'in the others' "$(jq -c '[.algorithms[].times[] | select(.model == "step").hol_left_out_ns] | unique' record)" '[0]'
collc best alltoall $where --bytes 64KiB >table
expect 'column' "$(grep -c '^  hol+  *head-of-line blocking by the model step' table) $(grep -c ' x bound  *hol+$' table)" '1 1'
expect 'of spread' "$(sed -n 's/^. alltoall.spread .* +\([0-9.]* .s\) *$/\1/p' table)" \
    "$(collc predict alltoall/spread $where --bytes 64KiB --model step | sed -n 's/^ *64KiB \( *[0-9.]* .s\)\{3\} *\([0-9.]* .s\).*/\2/p')"
grep -q 'by --model step, which has head-of-line blocking, alltoall/[a-z_]* is first$' <<END
$(collc emit --best alltoall $where --bytes 1MiB -o a2a.c 2>&1)
END
expect 'no column' "$(collc best bcast -t star:8 --bytes 64 | grep -c 'hol' || :)" 0
expect 'no note' "$(collc best bcast -t star:8 --sizes 64,1MiB | grep -c '^  note' || :)" 0
