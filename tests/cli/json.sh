# The record for programs: flat, these keys, null where nothing was measured.
set -e
. "$root/tests/helpers.sh"
collc verify alltoall/ring -t star:24 --ranks-per-machine 8 --format json --per-step >record
holds '.collective == "alltoall" and .ranks == 192 and .servers == 24 and .steps == 192'
holds '.messages == 36864 and .complete == true and .deadlock_free == true and .max_fan_in == 2'
holds '.decided_by == "symmetry" and .shifts == [192] and .why_expanded == null and .findings == []'
for key in algorithm topology routing max_link_load max_total_load sum_step_load contended_steps \
    max_fan_out hol_steps max_hol_slowdown max_sends seconds per_step; do
    field $key >/dev/null
done
holds '[.per_step[].step] | length == 192'
collc verify alltoall/ring --ranks 6 --format json >record
holds 'has("max_link_load") and .max_link_load == null and has("topology") and .topology == null'
# Nor is any load of links known in a step; in text it is a dash.
collc verify alltoall/ring --ranks 6 --format json --per-step >record
holds '[.per_step[] | select(has("max_link_load") and .max_link_load == null and
    has("contended") and .contended == null)] | length == 6'
[ "$(collc verify alltoall/ring --ranks 6 --per-step | awk '/^  1\.\./ { print $3, $7 }')" = '- -' ]
[ "$(collc verify alltoall/ring -t star:6 --per-step | awk '/^  1\.\./ { print $3, $7 }')" = '1 no' ]
# A command that fails has no report: words on standard error only.
status=0
collc verify alltoall/ring -t star:4 --ranks 5 --format json >record 2>said || status=$?
[ "$status" -eq 2 ]
[ ! -s record ]
[ -s said ]
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --format json >record && exit 1
[ $? -eq 1 ]
holds 'any(.findings[]; .code == "H001" and .severity == "error")'
# Links above a limit have one finding each, the worst first, all of them, with all there is to say.
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-link-load 1 --format json >record || [ $? -eq 1 ]
holds '.findings | length == 8 and all(.[]; .code == "L001" and .value == 2 and .limit == 1 and
    .unit == "messages" and .line == 23 and .column == 5 and .steps == [[2, 6]] and .step == 2)'
holds '.findings[0] | .link_from == "m0" and .link_to == "sw0" and .ranks == [0, 1] and .machines == ["m0"]'
[ "$(collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-link-load 1 -q | grep -c L001.$)" = 5 ]
[ "$(collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-link-load 1 -q --max-findings 7 |
    grep -c L001.$)" = 7 ]
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-link-load 1 --max-findings 3 --format json >record ||
    [ $? -eq 1 ]
holds '(.findings | length == 3) and .findings_total == 8'
# The limit is one of a number: 0 forbids, a factor is at least 1, links need a network.
collc verify alltoall/ring -t star:4 --max-contended-steps 0 --max-idle-steps 1 -q
for wrong in '--max-hol-slowdown 0.5' '--max-hol-slowdown 1.' '--max-steps -1' '--max-total-load 1' \
    '--max-contended-steps 0' '--max-findings 0'; do
    status=0
    collc verify alltoall/ring --ranks 4 $wrong >out 2>said || status=$?
    [ $status -eq 2 ] && [ ! -s out ] && [ -s said ]
done
# A message without a route does not arrive: not complete, and a finding.
cp "$root"/tests/golden/rules/L002/* .
status=0
collc verify fires-no-entry.sched -t pair.txt --routes hole.dump --format json >record 2>said || status=$?
[ $status -eq 1 ]
holds '.matched == true and .complete == false and .messages_unrouted == 1'
holds 'any(.findings[]; .code == "L002")'
# Several schedules and networks: a report for each with each; what cannot be done has none.
collc verify alltoall/ring alltoall/linear -t star:4 -t mesh:4 --format json >record
holds '.version == 1 and [.reports[] | [.algorithm, .topology]] ==
    [["ring", "star:4"], ["ring", "mesh:4"], ["linear", "star:4"], ["linear", "mesh:4"]]'
status=0
collc verify alltoall/ring allgather/two_proc --ranks 4 --format json >record 2>said || status=$?
[ $status -eq 2 ] && grep -q E009 said
holds '.reports | length == 1'
status=0
collc verify - alltoall/ring -t - </dev/null 2>said || status=$?
[ $status -eq 2 ] && grep -q 'once only' said
