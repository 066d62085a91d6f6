# Adaptive routing in verdicts: what is certain, what is possible, limits, and what is refused.
set -e
. "$root/tests/helpers.sh"

# verified STATUS OPTION...: into ./record
verified() {
    wanted=$1 status=0
    shift
    collc verify "$@" --routing adaptive --format json >record || status=$?
    expect "status of $*" $status "$wanted"
}

# 8 hosts a leaf, 4 spines. In step 8 each leaf sends 8 messages to the next leaf: 2 on each link by the best division.
verified 0 alltoall/ring -t fattree:8x4,up=1x4
holds '.adaptive.max_link_load == 8 and .adaptive.max_link_load_step == 8 and .adaptive.balanced_link_load == 2'
holds '.adaptive.least_link_load == 2 and .adaptive.contended_steps == 23 and .adaptive.contended_steps_possible == 29'
holds '.max_link_load == null and .contended_steps == null and .bound_ratio == null and .decided_by == "expansion"'
holds '.complete and .deadlock_free and .max_fan_in == 1'

# Full bisection: nothing is certain, and nothing is promised. By the rule every step is free.
verified 0 alltoall/ring -t fattree:8x4 --max-link-load 1 --max-contended-steps 0
holds '.adaptive.balanced_link_load == 1 and .adaptive.contended_steps == 0 and .adaptive.contended_steps_possible > 20'
holds '[.findings[].code] == ["L007", "L007"] and all(.findings[]; .severity == "warning")'
verified 1 alltoall/ring -t fattree:8x4 --max-link-load 1 --fail-on warning

# Two hosts behind one link, and every other choice: certain.
verified 1 alltoall/ring -t fattree:8x4,up=1x1 --max-link-load 7 --max-contended-steps 0
holds '.adaptive.max_link_load == .adaptive.balanced_link_load and .adaptive.max_link_load == 8'
holds '[.findings[].code] == ["L001", "L005"]'

# No choice anywhere: the figures of fixed routes.
collc verify alltoall/ring -t star:12 --format json >fixed
verified 0 alltoall/ring -t star:12
jq -s -e '.[1].adaptive as $a | .[0].max_link_load == $a.max_link_load and $a.balanced_link_load == $a.max_link_load and
    .[0].sum_step_load == $a.sum_balanced and $a.contended_steps == .[0].contended_steps and
    $a.contended_steps_possible == .[0].contended_steps' fixed record >/dev/null

# On every network: least <= by the rule <= most, in the same steps.
for topology in torus:5x4 mesh:4x4 fattree:4x4x2,up=1x2x2 "$root/examples/clusters/torus4x4x4.txt"; do
    for algorithm in alltoall/ring allgather/ring allreduce/recursive_doubling; do
        collc verify "$algorithm" -t "$topology" --ranks 16 --format json >fixed
        verified 0 "$algorithm" -t "$topology" --ranks 16
        jq -s -e '.[0] as $f | .[1].adaptive as $a | $a.least_link_load <= $a.balanced_link_load and
            $a.least_link_load <= $f.max_link_load + 0.000001 and $f.max_link_load <= $a.max_link_load and
            $a.sum_least <= $f.sum_step_load + 0.000001 and
            $a.contended_steps <= $f.contended_steps and $f.contended_steps <= $a.contended_steps_possible' \
            fixed record >/dev/null || { echo "$algorithm on $topology is out of range"; exit 1; }
    done
done

# refused REASON OPTION...
refused() {
    reason=$1 status=0
    shift
    collc verify alltoall/ring "$@" --routing adaptive >out 2>err || status=$?
    expect "status of $*" $status 2
    grep -qF -e "$reason" err || { echo "$*: $(cat err)"; exit 1; }
}
refused '--max-total-load is for fixed routes' -t star:4 --max-total-load 3
refused '--drift is for fixed routes' -t star:4 --drift 2
refused 'routings belong to a topology' --ranks 4
refused 'not in grids and trees' -t torus:4x4 --fail '(0,0):(1,0)'
collc verify alltoall/ring -t fattree:8x4,up=1x4 --routing adaptive >text
grep -q 'adaptive: at most 8 in a step, balanced 2; balanced 51 summed over steps' text
grep -q 'contended   23 of 32 steps for certain, 29 by some choices' text

# Times by step: the balanced load of each step, the one above, and the worst one beside it. 1 MiB takes 83,887 ns on a
# link of 12.5 GB/s (rounded up), 51 of these balanced, and 104,858 ns in memory.
collc predict alltoall/ring -t fattree:8x4,up=1x4 --routing adaptive --bytes 1MiB --per-step --format json >record
holds '.model == "step" and .routing and (.times[0] | .busiest_link_ns == null and .time_ns < .worst_ns)'
per_step=$(jq '[.times[0].per_step[] | .bandwidth_ns * .steps] | add' record)
expect 'bandwidth of 51 messages' $((per_step / 100)) $(((51 * 83887 + 104858) / 100))

# Ranks with adapters of their own: each message has its rail, and no two meet on it. Across rails spines are chosen.
rails='--ranks-per-machine 8 --rank-adapters slot'
verified 0 alltoall/ring -t rail:16x8,up=8 $rails
holds '.adaptive.max_link_load == 1 and .adaptive.contended_steps_possible == 0 and .rank_adapters == "slot"'
verified 0 alltoall/ring -t rail:8x8x2,up=8 $rails --between-rails fabric
holds '.adaptive.balanced_link_load < 2.01 and .adaptive.max_link_load > 4'
# One spine leaves no choice: the figures of fixed routes, as loads and as times.
for between in host fabric; do
    one="alltoall/ring -t rail:4x2x2,up=1 --ranks-per-machine 2 --rank-adapters slot --between-rails $between"
    collc verify $one --format json >fixed
    verified 0 $one
    jq -s -e '.[0].max_link_load == .[1].adaptive.max_link_load and
        .[0].sum_step_load == .[1].adaptive.sum_balanced' fixed record >/dev/null
    collc predict $one --model step --bytes 64KiB --format json >fixed
    collc predict $one --routing adaptive --bytes 64KiB --format json >record
    jq -s -e '[.[].times[0].time_ns] as $t | $t[0] == $t[1] and .[1].times[0].worst_ns == $t[1]' fixed record >/dev/null
done
refused 'no host of' -t star:4 --rank-adapters slot
status=0
collc simulate alltoall/ring -t rail:4x2 $rails --routing adaptive --bytes 64 2>err || status=$?
expect 'status of flit with adapters' $status 2
grep -q 'by the model flit adaptive routes end at any port' err
