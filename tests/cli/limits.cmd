# A limit makes a measurement a finding; --fail-on and --quiet.
# soon COMMAND...: ends by itself; it needs milliseconds, what it must not do would take hours.
soon() { (ulimit -t 60; "$@"); }
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/two_level_ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --max-link-load 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --ports 1 --quiet | tail -n 1
# A message of 2^31 - 1 chunks costs no more than one of one: sizes are compared by runs.
printf 'bcast whole(segments = 2^31 - 1)\nranks r: p\nstep\n  if r > 0  recv buf from 0\n  else\n    for i in 1 .. p-1\n      send buf to i\n' >whole.coll
soon collc verify whole.coll --ranks 2000 --quiet; echo $?
soon collc verify allgatherv/recursive_doubling --ranks 32768 --counts 1 --quiet; echo $?
# A loop that does nothing takes no time, however often it does; one that does something on some rank does it.
soon collc verify bcast/binomial --ranks 1 --param segments=1000000000; echo $?
printf 'barrier idle\nranks r: p\nstep\n  for i in 0 .. 2^39\n    let a = i * 2\n    for j in a + 2^41 .. a\n      send to r\n    if p < 2\n      send to r\n' >idle.coll
soon collc verify idle.coll --ranks 2 | head -5
printf 'bcast late\nranks r: p\ntmp 1\nfor i in 0 .. 299\n  if r == 1500\n    copy buf to tmp[0]\n' >late.coll
soon collc compile late.coll --ranks 1501 | grep -c 'copy'
soon collc compile late.coll --ranks 1500 | grep -c 'copy'; echo $?
# At the bound no other algorithm is recommended: 2646 blocks over a link, 4 at once, take 662 steps; 26 fit into 125.
for limit in 4 26; do
    collc verify alltoall/ring -t "$root/examples/clusters/plafrim1.txt" --max-link-load $limit --quiet | grep help
done
collc verify alltoall/ring -t star:4 --max-total-load 2 --quiet | grep help
printf 'alltoall gap\nranks r: p\nstep\n  send in[r+1] to r + 1\n  recv out[r-1] from r - 1\n' >gap.coll
collc verify gap.coll -t star:4 --max-link-load 0 --quiet | grep help # what is not complete is at no bound
