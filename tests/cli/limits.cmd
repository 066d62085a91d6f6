# A limit makes a measurement a finding; --fail-on and --quiet.
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/two_level_ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --max-link-load 1 --quiet; echo $?
collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --ports 1 --quiet | tail -n 1
