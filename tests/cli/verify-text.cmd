# The report for people: equal steps are one row, nothing depends on the clock.
collc verify alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 2 --per-step
collc verify alltoall/two_level_ring -t star:4,bw=2GB/s --ranks-per-machine 2
collc verify alltoall/ring --ranks 4
