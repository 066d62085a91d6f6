# The ratio to the lower bound, by the cables and on the routes, of tables that lead everything over one of four
# spines: the limit says the same of 64 machines and of 72, and no comparison calls these tables better.
set -e
. "$root/tests/helpers.sh"

for leaves in 8 9; do
    collc topo "fattree:8x$leaves,up=1x4" --to ibsim -o net
    collc topo net --to lfts -o spread.lfts
    awk -v leaves=$leaves '
        /^Unicast/ { name = $0; sub(/.*\(.sw/, "", name); is_leaf = name + 0 < leaves }
        is_leaf && /^0x/ && $2 + 0 > 9 { $2 = "009" }
        { print }' spread.lfts >one.lfts
    for tables in spread one; do
        collc verify alltoall/ring -t net --routes $tables.lfts --format json >$tables.json
    done
    holds '.bound_ratio < 1.4 and .routes_bound_ratio == .bound_ratio and .bound_kind == "flow"' spread.json
    holds '.bound_ratio == 4 and .routes_bound_ratio == 1 and .routes_bound_kind == "overlay"' one.json
    status=0
    collc verify alltoall/ring -t net --routes one.lfts --max-bound-ratio 3 >text || status=$?
    expect "limit on $leaves leaves" $status 1
    present 'carry 4 times what some link must (flow), the limit is 3.*L006' text
    present 'help: on these routes no schedule carries much less' text
    grep -q '^  x bound     4.00: .*(flow)$' text
    grep -q '^  on routes   1.00: .*(overlay)$' text
    collc diff spread.json one.json >changes || [ $? -eq 1 ]
    absent ' better$' changes
    present '^  bound_ratio .* 4 .*worse' changes
done

# Too many servers for a search are said, as is a collective without such a bound by saying nothing.
collc verify alltoall/ring -t torus:8x8x8 >text
present '^  on routes   not computed: there are too many servers' text
collc verify alltoall/ring -t torus:8x8x8 --format json | jq -e '.bound_ratio > 1 and .routes_bound_ratio == null' >/dev/null
collc verify allgather/ring -t torus:4x4 >text
absent 'on routes' text
# A cable less is another bound: its ratio is not compared.
collc verify alltoall/ring -t fattree:4x4 --format json >whole
collc verify alltoall/ring -t fattree:4x4,up=1x1 --format json >narrow
holds '.bound_load' whole
collc diff whole narrow >changes || [ $? -eq 1 ]
[ "$(jq .bound_load whole)" = "$(jq .bound_load narrow)" ] || absent bound_ratio changes

# Fast and slow links of a host count alike in a load, which is said; a time is by their rates.
hosts=$root/tests/golden/topology/nccl/two-hosts.xml
alike='links of 6GB/s to 721800MB/s'
collc bound alltoall -t "$hosts" >out
present "^  a load counts $alike alike; --bytes gives times, which do not$" out
collc bound alltoall -t "$hosts" --bytes 1MiB >out
absent 'alike' out
collc verify alltoall/ring -t "$hosts" >out 2>/dev/null
present "^  x bound .*; $alike count alike$" out
collc verify alltoall/ring -t star:4 >out 2>/dev/null
absent 'alike' out
