# Wrong command lines: one line each, and status 2.
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
# Names of options are written out.
collc verify bcast/binary --to star:8; echo $?
collc verify bcast/binary --ranks 4 --step 1; echo $?
collc verify bcast/binary --ranks 4 --steps 1; echo $?
collc map bcast/binary --topo star:8; echo $?
collc verify alltoall/ring --rank=4; echo $?
collc verify alltoall/ring --ranks=4 --quiet=3; echo $?
collc verify alltoall/ring --ranks 4 --quie; echo $?
collc verify alltoall/ring --ranks=4 -qZ; echo $?
collc verify -q --ranks=4 alltoall/ring; echo $?
# Values with a unit.
collc predict alltoall/ring -t star:4 --bytes 8EiB; echo $?
collc predict alltoall/ring -t star:4 --sizes 1KiB,99999999999999999999; echo $?
collc predict alltoall/ring -t star:4 --bytes 1.5MiB; echo $?
collc predict alltoall/ring -t star:4 --gap 1001s; echo $?
collc predict alltoall/ring -t star:4 --memory-bandwidth 0B/s; echo $?
collc predict alltoall/ring -t star:2,bw=1B/s --bytes 7EiB; echo $?
collc best alltoallv -t star:2,bw=1B/s --counts 9223372036854775807; echo $?
collc map bcast/binary -t star:2,bw=1B/s --bytes 7EiB; echo $?
collc map bcast/binary -t star:2 --work 0; echo $?
# Options before the command.
collc -t star:4 verify alltoall/ring; echo $?
