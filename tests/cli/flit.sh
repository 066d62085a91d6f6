# The model flit: its settings, its closed form for a lone message, deadlock, and what is refused.
set -e
. "$root/tests/helpers.sh"

# simulated ALGORITHM OPTION...: into ./record; its parts make its time.
simulated() {
    collc simulate "$@" --model flit --overhead 0ns --gap 0ns --memory-bandwidth 1000GB/s \
        --format json >record
    holds '.time_ns == .latency_ns + .bandwidth_ns + .waiting_ns + .host_ns + .local_ns + .memory_ns'
    holds '.model == "flit" and .cycles > 0'
}

# A flit of 64 bytes takes 1 ns at 64 GB/s: 2 links, a router, 2 hosts, and 99 flits behind the first.
simulated bcast/linear -t star:2,bw=64GB/s,lat=0ns --bytes 6400
expect 'a message alone' "$(field time_ns)" $((2 + 1 + 2 + 99))
expect 'its flits' "$(field flits_moved)" 300
holds '.flit == "wormhole,packet,flit=64,packet=32,channels=0,per-destination=0,buffer=0,router=1,credit=1,host=1,latency=1,ports=0,jitter=0"'
simulated bcast/linear -t star:2,bw=64GB/s,lat=10ns --bytes 6400 --flit router=2,host=0,cut-through
expect 'with latency' "$(field time_ns)" $((2 * 12 + 2 + 99))
simulated bcast/linear -t star:2,bw=64GB/s,lat=0ns --bytes 6400 --flit packet=100,buffer=1
expect 'a flit a round trip' "$(field time_ns)" $((2 + 1 + 2 + 99 * 2))

# The same seed, the same times; the settings are those that were read.
ring='alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 4 --bytes 4096'
# shellcheck disable=SC2086
{
    simulated $ring
    cp record first
    simulated $ring --simulation-seed 0 --flit wormhole,packet
    cmp record first
    simulated $ring --simulation-seed 1
    ! cmp -s record first || { echo 'the seed is of no account'; exit 1; }
    simulated $ring --flit takaue2010,age,buffer=7
    holds '.flit | startswith("wormhole,age,flit=64,packet=100,channels=2,per-destination=0,buffer=7,")'
}

# Both orders of A2AND's loops.
for x_first in 0 1; do
    simulated alltoall/a2and -t torus:5x3 --bytes 6400 --param x_first=$x_first --flit takaue2010
done

# A ring without dateline: the cycle is shown, status 1. With a channel for it there is none.
status=0
collc simulate alltoall/spread -t torus:9 --bytes 64000 --model flit --flit takaue2010,channels=1 \
    --format json >record || status=$?
expect 'status after a deadlock' $status 1
holds '.time_ns == null and (.deadlock | contains("(8) -> (0), channel 0, which waits for rank"))'
simulated alltoall/spread -t torus:9 --bytes 64000 --flit takaue2010

# refused REASON LIST
refused() {
    status=0
    collc simulate bcast/linear -t star:2 --bytes 1 --model flit --flit "$2" >out 2>err || status=$?
    expect "status of $2" $status 2
    grep -qF -e "$1" err || { echo "$2: $(cat err)"; exit 1; }
}
refused "'bufer' is no number of the model flit" bufer=4
refused "'buffer' is a number from 0 to 1048576" buffer=1048577
refused "'buffer' is a number from 0 to 1048576" buffer=-1
refused "'buffer' is a number from 0 to 1048576" buffer=
refused "'flit' is a number from 1 to 1048576" flit=0
refused "'ag' is no word of the model flit" ag
refused "'' is no word of the model flit" age,
refused 'virtual cut-through needs buffers of a packet or more' cut-through,buffer=31
status=0
collc simulate bcast/linear -t star:2 --bytes 1 --flit age >out 2>err || status=$?
expect 'status without the model' $status 2
grep -q 'no effect with --model asap' err

# Adaptive routing: as quick as by the rule where nobody is in the way, quicker where the rule sends all by one spine.
for topology in torus:5x4 mesh:3x3x2 fattree:3x4,up=1x2 star:5 full:4 "$root/examples/clusters/torus4x4x4.txt"; do
    simulated bcast/linear -t "$topology" --ranks 2 --bytes 6400
    lone=$(field time_ns)
    holds 'has("routing") | not'
    simulated bcast/linear -t "$topology" --ranks 2 --bytes 6400 --routing adaptive
    expect "a message alone on $topology" "$(field time_ns)" "$lone"
    holds '.routing | startswith("adaptive: ")'
done
simulated alltoall/a2and -t torus:5x5 --bytes 6400 --window 1 --flit takaue2010,channels=3
by_rule=$(field cycles)
simulated alltoall/a2and -t torus:5x5 --bytes 6400 --window 1 --flit takaue2010,channels=3 --routing adaptive
[ "$(field cycles)" -lt "$by_rule" ] || { echo 'choosing is no quicker'; exit 1; }
# not_adaptive REASON COMMAND...
not_adaptive() {
    status=0 reason=$1
    shift
    "$@" --routing adaptive >out 2>err || status=$?
    expect "status of $*" $status 2
    grep -qF -e "$reason" err || { echo "$*: $(cat err)"; exit 1; }
}
not_adaptive 'channels=3 or more' collc simulate bcast/linear -t torus:4 --bytes 1 --model flit --flit takaue2010
not_adaptive 'goes with --model step or flit' collc simulate bcast/linear -t torus:4 --bytes 1 --model asap
not_adaptive 'not in grids and trees' collc simulate bcast/linear -t torus:4x4 --fail '(0,0):(1,0)' --bytes 1 --model flit
not_adaptive 'give each switch one way' collc route "$root/examples/clusters/ft2_4s8l64h.txt" \
    --routes "$root/examples/clusters/ft2_4s8l64h-ftree.dump" --from node001 --to node064
not_adaptive 'give --from and --to' collc route torus:4x4
