# Logs of NCCL: docs/nccl.md has the usual commands, these are the others. tests/unit/test_nccl.c reads the dialects.
set -e
. "$root/tests/helpers.sh"
data=$root/tests/data/nccl
fabric="$data/two-leaves.conf"
rails=$root/tests/data/rails/four-rails.txt

# The prototype: two rings on two leaves.
collc verify "$data/two-leaves.log:allgather" -t "$fabric" --format json >record 2>said
expect 'two leaves' "$(jq -c '[.max_link_load, .hol_steps, .steps, [.channels[].to_another_switch]]' record)" '[3,7,7,[2,4]]'
holds '.complete and .deadlock_free'

# Rails: each ring on its own, or from one to another; trees.
collc verify "$data/rails.log" -t "$rails" --format json >record
holds '.max_link_load == 1 and .rank_adapters == "as the schedule says" and ([.channels[] | .to_another_rail] == [0, 0, 0, 0])'
collc verify "$data/crossing.log" -t "$rails" --format json >record
holds '.max_link_load == 4 and ([.channels[] | .to_another_rail] == [4, 4, 4, 4]) and .channels[0].link_from == "rail0"'
collc verify "$data/rails.log" -t "$rails" --rank-adapters slot --format json >record
holds '.rank_adapters == "slot"'
for part in allgather reduce_scatter bcast,root=5 reduce,root=5,segments=3 allreduce/tree,segments=4 channels=1-2; do
    collc verify "$data/rails.log:$part" -t "$rails" -q
done

# Compiled, the schedule keeps hosts and adapters.
collc compile "$data/crossing.log" -t "$rails" -o c.sched
collc compile c.sched | cmp - c.sched
collc verify c.sched -t "$rails" --format json >record
holds '.max_link_load == 4 and .max_total_load == 120'

collc draw "$data/crossing.log" -t "$rails" --to svg -o c.svg
present 'rail3' c.svg

# Another order of the hosts: whole hosts change places, and the first launcher's file is a ring of the leaves.
collc map "$data/shuffled.log" -t "$data/shuffled.conf" --to torchrun >hosts 2>said
expect 'node ranks' "$(tr '\n' ' ' <hosts)" 'n1 0 n2 1 n3 2 n4 3 n9 4 n10 5 n11 6 n12 7 '
collc map "$data/shuffled.log" -t "$data/shuffled.conf" --to slurm >hosts 2>said
expect 'host file' "$(uniq -c hosts | awk '{ print $1 }' | sort -u) $(wc -l <hosts)" '4 32'
collc map "$data/shuffled.log" -t "$data/shuffled.conf" -o order.map 2>said
for map in greedy order.map; do
    collc verify "$data/shuffled.log" -t "$data/shuffled.conf" --map $map --format json >record 2>said
    holds '.complete and .sum_step_load == 248 and ([.channels[] | .to_another_switch] == [2, 2, 2, 2])'
done
refused 'next to each other' collc map alltoall/ring -t star:4 --ranks-per-machine 2 --placement cyclic --to torchrun

# Graph files: on the inside of a host, of several hosts as their log has it, linted, written and read again.
host=$root/tests/data/machines/topo_8p_940.xml
collc emit allgather/ring -t "$host" --machines 'gpu[0-7]' --to nccl-graph -o made.xml
cmp made.xml "$data/eight.xml"
collc verify made.xml -t "$host" --format json >record 2>said
holds '.complete and .max_link_load == 1'
collc lint made.xml -t "$host" >out
expect 'nothing found' "$(cat out)" '1 graph file, 0 findings'
collc emit "$data/rails.log" -t "$rails" --to nccl-graph -o rails.xml
present 'nchannels="4" speedintra="25"' rails.xml
steps() { collc compile "$1" | grep -v '^adapters'; }
for part in allgather allreduce; do
    steps "rails.xml:$part,hosts=4" >made
    steps "$data/rails.log:$part" | cmp - made
done
sed 's/ nchannels="2"/ nchannels="3"/; s/<gpu dev="1"/<gpu dev="10"/; s/"NVL"/"NVLINK"/; s/ pattern="1"//' \
    "$data/two-hosts.xml" >wrong.xml
status=0; collc lint wrong.xml >out || status=$?
expect 'lint' "$status $(grep -c S011 out), $(tail -n 1 out)" '1 4, 1 graph file, 9 findings'
status=0; collc lint "$data/two-hosts.xml" -t "$host" >out || status=$?
present '2 GPUs, but the host has 8' out
sed 's/<gpu dev="1"/<gpu dev="0"/' "$data/two-hosts.xml" >twice.xml
status=0; collc lint twice.xml >out || status=$?
present 'the GPU is in this channel twice' out
refused 'a GPU is in it twice' collc verify twice.xml
sed 's/<gpu dev="1"/<gpu dev="9"/' "$data/two-hosts.xml" >other.xml
refused "'gpu9': the topology has no machine of this name" collc verify other.xml -t "$host"
printf '<graphs version="1">\n  <graph id="0" pattern="4"/>\n</graphs>\n' >empty.xml
status=0; collc lint empty.xml >out || status=$?
present 'no graph with a channel: NCCL takes nothing from the file' out
printf '<graphs version="1"/>\n' >empty.xml
status=0; collc lint empty.xml >out || status=$?
expect 'lint of no graph' "$status $(grep -c S011 out)" '1 1'
refused 'different rings inside' collc emit "$data/crossing.log" -t "$rails" --to nccl-graph
refused 'follow no rings' collc emit alltoall/ring -t star:4 --to nccl-graph
refused 'does not say by which adapter' collc emit "$data/two-leaves.log" -t "$fabric" --to nccl-graph

# A log that is cut, mixed, or of something else.
grep 'Channel .* : .*[0-9] [0-9]' "$data/rails.log" | grep -v -- '->' >cut.log
collc verify cut.log --ranks-per-machine 4 >out 2>said
present 'so it does not tell the hosts' said
refused 'tells no tree' collc verify "$data/two-leaves.log:allreduce/tree" -t star:8 --placement block
head -c 9000 "$data/rails.log" >head.log
refused 'S009' collc verify head.log:allreduce/tree
cat "$data/two-leaves.log" "$data/two-leaves.log" | sed '11,$ s/node/other/' >twice.log
refused 'is there twice' collc verify twice.log
refused 'takes no part' collc verify "$data/rails.log:alltoall"
refused 'takes no part of this file' collc verify c.sched:allgather
refused 'cannot open' collc verify none.log:allgather
sed 's/NCCL INFO/NCCL/' "$data/rails.log" >damaged.log
refused "damaged.log: error: no log or graph file of NCCL, so ':allgather' takes no part of it" \
    collc verify damaged.log:allgather
echo '<graphs' >damaged.xml
refused 'damaged.xml' collc verify damaged.xml:allgather

# A program may print a lot before.
{ yes 'epoch 1 of 90' | head -3000; cat "$data/rails.log"; } >late.log
collc verify late.log:allgather -t "$rails" >/dev/null
# A schedule may name NCCL in a comment.
{ echo 'collc-schedule 1'; echo '# as in: n0:1:1 [0] NCCL INFO Channel 00/01 : 0 1'; printf '%s\n' 'collective barrier' \
    'algorithm "x"' 'ranks 2' 'step 0' '0 send to 1' '1 recv from 0' '1 send to 0' '0 recv from 1' end; } >named.sched
collc verify named.sched -t star:2 >/dev/null

# The algorithm of each call that the log names, and what is connected besides.
taken() { # BYTES ALGORITHM CHANNELS
    echo "n0:3000:3000 [0] NCCL INFO AllReduce: $1 Bytes -> Algo $2 proto SIMPLE channel{Lo..Hi}={$3}"
}
{
    cat "$data/rails.log"
    echo 'n0:3000:3000 [0] NCCL INFO Connected NVLS tree'
    echo 'n0:3000:3000 [0] NCCL INFO CollNet 00/0 : 0 [send] via COLLNET/SHARP/0'
    echo 'n0:3000:3000 [0] NCCL INFO Connected binomial trees'
    taken 1024 TREE 0..0
    taken 8388608 RING 0..3
    taken 67108864 NVLS_TREE 0..15
} >took.log
collc verify took.log -t "$rails" --format json >record 2>said
present 'left out: NVLS, CollNet, PAT, which NCCL has connected' said
call() { collc verify "took.log:allreduce,bytes=$1" -t "$rails" --format json >record 2>said; }
call 1KiB
holds '.complete and (.channels | length == 1) and (.channels[0] | .algorithm == "tree" and .channels == "0")'
call 8MiB
holds '.complete and (.channels | all(.algorithm == "ring"))'
refused 'NCCL took NVLS_TREE here' collc verify took.log:bytes=64MiB
refused 'no call of allreduce with 4096 bytes' collc verify took.log:bytes=4KiB
present 'it has them with 1024, 8388608, 67108864 bytes' message
refused 'no call of allgather with 1024 bytes' collc verify took.log:allgather,bytes=1KiB
present 'NCCL_DEBUG_SUBSYS=TUNING' message
