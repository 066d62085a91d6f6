# Reports of predicted times.
collc predict alltoall/ring -t star:4,bw=2GB/s --ranks-per-machine 2 --sizes 8,1MB
collc predict bcast/chain -t star:5,bw=1GB/s,lat=100ns --param segments=4 --bytes 4000 --per-step
collc predict bcast/binomial -t star:3,bw=1GB/s --bytes 1000 --overhead 0ns --gap 0ns --format json --per-step
collc predict barrier/dissemination -t star:5 --to csv
collc compile bcast/chain -t star:3 --bytes 3000 --param segments=3 -o c.sched && collc predict c.sched --to csv
collc best bcast -t star:8
collc best alltoall -t torus:3x3,bw=2GB/s --bytes 64KiB
collc best bcast -t star:6 --param segments=4 --sizes 1MB --format json
collc best alltoall -t star:3 --sizes 1000,8..32 --to csv
collc best alltoall -t star:3 --sizes 1000 --to csv --model step
collc predict bcast/chain -t star:5,bw=1GB/s,lat=100ns --param segments=4 --bytes 4000 --per-step --model step
collc predict bcast/binomial -t star:3,bw=1GB/s --bytes 1000 --overhead 0ns --gap 0ns --format json --per-step --model step
collc best bcast -t star:6 --sizes 8,1MiB --model step
collc predict bcast/chain -t star:4 --bytes 8 --model step --sync barrier; echo "status $?"
collc predict bcast/chain -t star:4 --bytes 8 --flit takaue2010; echo "status $?"
collc predict alltoall/ring --ranks 4; echo "status $?"
collc predict alltoall/ring -t star:4 --sizes 8..; echo "status $?"
collc predict alltoall/ring -t star:4 --sizes 64..8; echo "status $?"
collc predict alltoall/ring -t star:4 --overhead fast; echo "status $?"
collc predict alltoall/ring -t star:4 --memory-bandwidth 0GB/s; echo "status $?"
collc predict alltoall/ring -t star:4 --to svg --format json; echo "status $?"
collc best gossip -t star:4; echo "status $?"
collc best bcast -t star:4 --root 4; echo "status $?"
collc best bcast -t star:4 --param teeth=4; echo "status $?"
collc predict alltoall/ring -t mesh:3 --fail '(0):(1)'; echo "status $?"
collc best alltoall -t mesh:3 --fail '(0):(1)'; echo "status $?"
collc verify alltoall/pairwise -t star:6; echo "status $?"
# A barrier has no bytes.
collc best barrier -t star:3
collc predict barrier/tree -t star:3
