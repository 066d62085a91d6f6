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
