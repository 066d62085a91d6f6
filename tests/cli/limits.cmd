# A limit makes a measurement a finding; --fail-on and --quiet.
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/two_level_ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --max-link-load 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --ports 1 --quiet | tail -n 1
# A message of 2^31 - 1 chunks costs no more than one of one: sizes are compared by runs.
printf 'bcast whole(segments = 2^31 - 1)\nranks r: p\nstep\n  if r > 0  recv buf from 0\n  else\n    for i in 1 .. p-1\n      send buf to i\n' >whole.coll
timeout 10 collc verify whole.coll --ranks 2000 --quiet; echo $?
timeout 10 collc verify allgatherv/recursive_doubling --ranks 32768 --counts 1 --quiet; echo $?
