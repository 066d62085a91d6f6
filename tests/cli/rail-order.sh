# Hosts that name their adapters in another order than the switches: who they are, and what it costs.
set -e
. "$root/tests/helpers.sh"
plan() { awk -f "$root/tests/cli/rail-plan.awk" -v hosts=4 -v rails=4 -v groups=2 -v spines=4 "$@" </dev/null; }
plan >right.csv
plan -v swap='1:1:3;6:1:3;3:0:2' >order.csv
collc topo right.csv >report 2>&1
present 'shape  *rail:4x4x2,' report
absent 'out of order\|T030' report
collc topo order.csv >report 2>&1
present '^warning: 3 of 8 hosts have adapters in another order .*n1,n6: mlx5_1 and mlx5_3 are swapped; n3: mlx5_0 and mlx5_2 are swapped. \[T030\]' report
present '^  out of order n1,n6: mlx5_1 and mlx5_3 are swapped$' report
absent 'T028\|shape' report
expect json "$(collc topo order.csv --format json 2>/dev/null | jq -c '.out_of_order')" \
    '[{"hosts":["n1","n6"],"order":"mlx5_1 and mlx5_3 are swapped"},{"hosts":["n3"],"order":"mlx5_0 and mlx5_2 are swapped"}]'
# By switches all is as if the names were right; names mean the same adapters as before.
collc topo order.csv --adapters rails-by-switch >report 2>&1
present 'shape  *rail:4x4x2,' report
absent 'out of order\|T030' report
figures() { collc verify alltoall/ring --ranks-per-machine 4 --rank-adapters "$@" --format json 2>/dev/null |
    jq -c '[.contended_steps, .max_link_load, .sum_step_load, .max_fan_in]'; }
expect right "$(figures slot -t right.csv)" '[0,1,31,1]'
expect 'by names' "$(figures slot -t order.csv)" '[18,2,49,1]'
expect 'by switches' "$(figures slot -t order.csv --adapters rails-by-switch)" '[0,1,31,1]'
echo 'mlx5_0 mlx5_1 mlx5_2 mlx5_3' >names
expect 'names' "$(figures names -t order.csv)" "$(figures slot -t order.csv)"
collc topo order.csv --adapters rails-by-switch,rail:1-3 >report
present 'mlx5_1: 8 hosts on 2 switches' report
links() { collc topo order.csv --adapters "$@" --format json 2>/dev/null | jq .links; }
expect 'one adapter' "$(links rails-by-switch,NCCL_IB_HCA=mlx5_1)" "$(links mlx5_1)"
# Planes say which rail a whole group is on.
plan -v planes=1 -v swap='4:0:1;5:0:1;6:0:1;7:0:1' >group.csv
collc topo group.csv >report 2>&1
present '^  out of order n\[4-7\]: mlx5_0 and mlx5_1 are swapped$' report
# A host that lacks a cable has the numbers of its names.
plan -v drop=2:1 >lacks.csv
collc topo lacks.csv >report 2>&1
present 'mlx5_1: 7 hosts on 2 switches' report
present 'mlx5_2: 8 hosts on 2 switches' report
collc verify alltoall/ring -t lacks.csv --ranks-per-machine 4 --rank-adapters slot >report 2>&1
present "'n2' has no cable on rail 1: what would take it takes rail 2" report
# That is no other fabric than one on which the cable has failed.
for rule in slot stripe; do
    expect "$rule" "$(figures $rule -t lacks.csv)" "$(figures $rule -t right.csv --fail n2:leaf0.1)"
done
# Two orders: none is that of the others.
awk -f "$root/tests/cli/rail-plan.awk" -v hosts=2 -v rails=4 -v groups=1 -v spines=4 -v swap=1:1:3 </dev/null >two.csv
collc topo two.csv >/dev/null 2>report
present '^warning: 1 of 2 hosts has adapters in another order than the other, by' report
awk -f "$root/tests/cli/rail-plan.awk" -v hosts=4 -v rails=4 -v groups=1 -v spines=4 -v swap='1:1:3;2:1:3' </dev/null >half.csv
collc topo half.csv >/dev/null 2>report
present '^warning: 2 of 4 hosts have adapters in another order than the other half, by' report
# Topology XML keeps the names of adapters, and of several networks each is looked at.
collc topo order.csv --to xml >order.xml 2>report
collc topo order.xml >/dev/null 2>again
cmp report again
expect 'slot' "$(figures slot -t order.xml)" "$(figures slot -t order.csv)"
{
    echo '<topology version="1"><networks><memory/><network name="InfiniBand" label="IB" bandwidth="25GB/s">'
    sed '1,2d; /<.topology>/d' order.xml
    echo '</network></networks></topology>'
} >networks.xml
collc topo networks.xml >/dev/null 2>again
present "^warning: 3 of 8 hosts of network 'IB' have adapters in another order than the others, by" again
expect adapters "$(collc topo networks.xml --to xml 2>/dev/null | grep -c 'adapter="mlx5_')" 32
# A plan may have parts that nothing joins; so may what --adapters leaves of it.
awk -f "$root/tests/cli/rail-plan.awk" -v hosts=2 -v rails=2 -v groups=2 -v spines=0 </dev/null >apart.csv
expect apart "$(collc topo apart.csv --adapters '^rail:1' --format json 2>/dev/null | jq .links)" 8
# Refused.
refused 'names no rails' collc topo order.csv --adapters rails-by-switch,rail:x
plan -v swap=0:0:1 | sed 's/^leaf0.1,Port 2,n1/leaf0.0,Port 9,n1/' >both.csv
refused 'on no one rail' collc topo both.csv --adapters rails-by-switch
refused 'no host of this network has several' collc topo star:4 --adapters rails-by-switch
