# On what the bits of a reduction depend: an algorithm is tried, a schedule file has its chunks only.
collc verify allreduce/recursive_doubling -t star:5 --reproducible | sed -n '/reproducible/,$p'
collc verify reduce/binomial --ranks 6 --reproducible | sed -n '/reproducible/,$p'
collc verify reduce/hypercube --ranks 8 --reproducible | sed -n '/reproducible/,$p'
collc verify allreduce/hierarchical_ring -t star:4 --ranks-per-machine 2 --reproducible | sed -n '/reproducible/,$p'
collc verify scan/linear --ranks 4 --param segments=2 --reproducible --format json | jq -c .reproducible
# In a file of more ranks than an algorithm is tried with, too.
collc compile allreduce/ring --ranks 24 --output ring.sched
collc verify ring.sched --reproducible | sed -n '/reproducible/,$p'
collc compile allreduce/recursive_doubling --ranks 24 --output doubling.sched
collc verify doubling.sched --reproducible --format json | jq -c .reproducible
# One that is for one number of ranks, and one for none that is tried.
printf 'allreduce three\nrequires p == 3\nranks r: p\n\nrun allreduce/ring over r on buf\n' >three.coll
collc verify three.coll --ranks 3 --reproducible | sed -n '/reproducible/,$p'
printf 'allreduce many\nrequires p > 20\nranks r: p\n\nrun allreduce/ring over r on buf\n' >many.coll
collc verify many.coll --ranks 21 --reproducible | sed -n '/reproducible/,$p'
# One that is wrong with other ranks is compared where it is right.
collc verify bcast/binomial --ranks 4 --reproducible | sed -n '/reproducible/,$p'
collc verify bcast/binomial --ranks 4 --reproducible --format json | jq -c .reproducible
collc best allreduce --reproducible -t star:4; echo $?
