# A schedule file knows its topology and placement; a changed one is refused (S004).
set -e
collc topo star:4 --to xml >net.xml
collc compile alltoall/ring -t net.xml --ranks-per-machine 2 -o a.sched
[ "$(collc verify a.sched --format json | jq .servers)" -eq 4 ]
collc topo star:6 --to xml >net.xml
status=0; collc verify a.sched 2>message || status=$?
[ $status -eq 2 ]
grep -q '\[S004\]' message
collc verify a.sched -t star:8 >report
grep -q 'on 8 servers' report
status=0; collc verify a.sched -t star:8 --ranks 9 2>message || status=$?
[ $status -eq 2 ]
grep -q 'schedule of 8 ranks' message
