# Whoever says that hosts have no route says which: by switch, in groups, in short and in full.
set -e
. "$root/tests/helpers.sh"

sh "$root/tests/data/routes/unpack" data
cd data
leaf=TS-i12k00066a00e30076ab
who="hosts of switch $leaf (miriel\[068-075,077-088\]) do not reach 24 hosts "
who="$who(devel11,miriel\[008,047-050,052-063,065-066\],sirocco\[01-04\]), 480 pairs: "
who="${who}switch $leaf has no entry for them"
tables='--routes plafrim2-tables'

# The warning of the tables, the figures, the list.
collc route plafrim2.txt $tables >figures 2>message
present "480 of 9120 pairs of hosts have no route (480 no entry): $who \[T011\]" message
present "20 entries of switch '$leaf' are for ports that have another LID in the topology; the first says LID 63 and counts for LID 94 of 'miriel068' \[T015\]" message
present "^  unrouted      $who$" figures
status=0
collc route plafrim2.txt $tables --unrouted >list 2>message || status=$?
expect 'status with holes' $status 1
present "^plafrim2.txt: 480 of 9120 pairs of hosts have no route$" list
present "^  $who$" list
expect 'lines of the list' "$(wc -l <list)" 2
status=0
collc route plafrim2.txt $tables --unrouted --format json >record 2>message || status=$?
holds '.pairs == 9120 and .pairs_unrouted == 480 and (.groups | length) == 1'
holds '.groups[0] | .from_hosts == 20 and .to_hosts == 24 and .pairs == 480 and (.both_ways | not)'
holds '.groups[0].from == "miriel[068-075,077-088]"'
holds ".groups[0].problem == \"switch $leaf has no entry for it\""

# The list is what --machines takes: those hosts alone reach each other.
collc route plafrim2.txt $tables --unrouted --machines "$(jq -r '.groups[0].from' record)" >list 2>message
present '^plafrim2.txt: 0 of 380 pairs of hosts have no route$' list

# The single route, and whoever needs one that is not there.
status=0
collc route plafrim2.txt $tables --from miriel068 --to devel11 >single 2>message || status=$?
present "no route, switch $leaf has no entry for it" single
status=0
collc verify alltoall/ring -t plafrim2.txt $tables >report 2>message || status=$?
present "error: no route from host .* which communicate in step 1; $who \[L002\]" report
collc verify alltoall/ring -t plafrim2.txt $tables --format json >record 2>message || true
holds ".findings | map(select(.code == \"L002\")) | length == 1 and (.[0].message | contains(\"do not reach 24 hosts\"))"
for command in predict 'simulate --bytes 1KiB'; do
    collc $command alltoall/ring -t plafrim2.txt $tables >report 2>message || true
    present "^note: $who$" message
done
for command in bound synth; do
    collc $command alltoall -t plafrim2.txt $tables >report 2>message || true
    present "error: no route from host .*; $who \[L002\]" message
done
collc best alltoall -t plafrim2.txt $tables >report 2>message || true
present "no algorithm of alltoall works here: some hosts have no route; $who$" message
collc best alltoall -t plafrim2.txt $tables --ranks 96 --sizes 8 --to ompi-4.1 >report 2>message || true
present "^  = note: no route .* (L002); $who$" message

# The hosts with ranks are meant, not all.
printf 'miriel008\nmiriel068\nmiriel069\nmiriel070\n' >job.hosts
collc verify alltoall/ring -t plafrim2.txt $tables --placement job.hosts >report 2>message || true
present 'step 1; of the hosts with ranks no other host reaches host miriel008, 3 pairs: switch' report

# Failures: on a cluster, by tables without a way round, on grids and trees.
list() { collc route "$@" --unrouted >list 2>message || true; }
list ft4.txt --fail node007 --fail node020
present '^  2 hosts (node\[007,020\]) reach no other host, and none reaches them, 250 pairs$' list
list ft4.txt --fail leaf03
present '^  hosts of switch leaf03 (node\[024-031\]) reach no other host, and none reaches them, 952 pairs$' list
list ft4.txt --routes ft4-ftree.dump --fail leaf00:spine00
present '^  hosts of switch leaf00 (node\[000-007\]) do not reach 14 hosts (.*), 112 pairs: a link on the way has failed$' list
list torus:4x4x4 --fail '(0,0,0)' --fail '(0,0,1)'
present '^  2 hosts ((0,0,0) (0,0,1)) reach no other host, and none reaches them, 250 pairs$' list
list mesh:4 --fail '(1):(2)'
present '^  2 hosts ((2) (3)) and all other hosts do not reach each other, 8 pairs$' list
list full:8 --fail m0:m1
present '^  2 hosts (m\[0-1\]) do not reach each other, 2 pairs$' list
list fattree:4x4 --fail m3 --machines 'm[2-7]'
present '^  host m3 reaches no other host, and none reaches it, 10 pairs$' list
list fattree:8x8
present '^fattree:8x8: 0 of 4032 pairs of hosts have no route$' list

# A network that has come apart; each failure of a sweep.
printf 'graph { n1 -- s; n2 -- s; n3 -- t; n4 -- t; n5 -- t }\n' >apart.dot
refused 'hosts of switch s (n[1-2]) and all other hosts do not reach each other, 12 pairs' collc topo dot:apart.dot
printf 'version: 1\nschedules: ring.coll\nnetworks:\n  - network: ft4.txt\nranks: 64\n' >collc.yaml
cp "$root/compiler/algorithms/allgather/ring.coll" .
collc check --fail each --max-findings 100 >report 2>&1
present 'without switch leaf03, no way is left for .* messages of .*; hosts of switch leaf03 (node\[024-031\]) reach no other host, and none reaches them' report
collc check --fail each --format sarif >record
holds '[.runs[0].results[] | select(.message.text | contains("reach no other host, and none reaches"))] | length > 0'

refused 'leave out --unrouted, or --metrics' collc route star:4 --unrouted --metrics
refused 'leave out --link, or --unrouted' collc route star:4 --unrouted --link 0

# A host of ten thousand is named, and the line stays short.
! is_short || exit 0
seq 0 9999 | awk 'BEGIN { print "graph {" } { printf "h%04d -- s%d\n", $1, $1 / 50 }
    END { for (i = 0; i < 200; i++) printf "s%d -- core\n", i; print "}" }' >large.dot
collc verify bcast/binomial -t dot:large.dot --fail s7 --fail h0004 --ranks 10000 >report 2>message || true
present 'no route from host .* 51 hosts (h\[0004,0350-0399\]) reach no other host, and none reaches them, 1017348 pairs' report
[ "$(grep 'L002' report | wc -c)" -lt 400 ]
