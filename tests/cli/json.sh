# The record for programs: flat, these keys, null where nothing was measured.
set -e
collc verify alltoall/ring -t star:24 --ranks-per-machine 8 --format json --per-step >record
has() { grep -qF "$1" record || { echo "no $1"; cat record; exit 1; }; }
has '"collective": "alltoall"'
has '"ranks": 192'
has '"servers": 24'
has '"steps": 192'
has '"messages": 36864'
has '"complete": true'
has '"deadlock_free": true'
has '"max_fan_in": 2'
has '"decided_by": "expansion"'
has '"findings": []'
for key in algorithm topology routing max_link_load max_total_load sum_step_load contended_steps \
    max_fan_out hol_steps max_hol_slowdown max_sends seconds per_step; do
    has "\"$key\": "
done
[ "$(grep -c '"step": ' record)" -eq 192 ]
collc verify alltoall/ring --ranks 6 --format json >record
has '"max_link_load": null'
has '"topology": null'
# Nor is any load of links known in a step; in text it is a dash.
collc verify alltoall/ring --ranks 6 --format json --per-step >record
[ "$(grep -c '"step": .*"max_link_load": null.*"contended": null' record)" -eq 6 ]
[ "$(collc verify alltoall/ring --ranks 6 --per-step | awk '/^  1\.\./ { print $3, $7 }')" = '- -' ]
[ "$(collc verify alltoall/ring -t star:6 --per-step | awk '/^  1\.\./ { print $3, $7 }')" = '1 no' ]
# What cannot be done has no report: words on standard error only.
status=0
collc verify alltoall/ring -t star:4 --ranks 5 --format json >record 2>said || status=$?
[ "$status" -eq 2 ]
[ ! -s record ]
[ -s said ]
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --format json >record && exit 1
[ $? -eq 1 ]
has '"code": "H001"'
has '"severity": "error"'
# A message without a route does not arrive: not complete, and a finding.
cp "$root"/tests/golden/rules/L002/* .
status=0
collc verify fires-no-entry.sched -t pair.txt --routes hole.dump --format json >record 2>said || status=$?
[ $status -eq 1 ]
has '"matched": true'
has '"complete": false'
has '"messages_unrouted": 1'
has '"code": "L002"'
