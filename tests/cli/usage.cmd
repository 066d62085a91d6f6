# What is wrong with a command line, one line each, and status 2.
collc; echo $?
collc frobnicate; echo $?
collc verify; echo $?
collc verify a b; echo $?
collc verify alltoall/ring --no-such; echo $?
collc verify alltoall/ring --ranks; echo $?
collc verify alltoall/ring --ranks -3; echo $?
collc verify alltoall/ring --ranks 99999999999; echo $?
collc verify alltoall/ring --ranks 4 --bytes 1QB; echo $?
collc verify alltoall/ring --ranks 4 --bytes 99999999999GiB; echo $?
collc verify alltoall/ring --ranks 4 --param segments; echo $?
collc verify alltoall/ring --ranks 4 --format xml; echo $?
collc verify alltoall/ring; echo $?
collc verify alltoall/ring --ranks 0; echo $?
collc verify bcast/binomial --ranks 4 --root 4; echo $?
collc verify alltoall/ring --ranks 4 --placement hosts.txt; echo $?
collc emit alltoall/ring --function 2x; echo $?
collc draw; echo $?
collc draw --what tree -t star:4; echo $?
collc draw alltoall/ring --ranks 4; echo $?
collc explain X999; echo $?
collc help frobnicate; echo $?
