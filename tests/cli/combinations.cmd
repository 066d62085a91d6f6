# Options that would change nothing are refused, with status 2.
collc compile alltoall/ring --ranks 4 --machines 'n[0-3]'; echo $?
collc compile alltoall/ring --ranks 4 --fail a:b; echo $?
collc compile alltoall/ring --ranks 4 --routes x.lfts; echo $?
collc compile alltoall/ring -t star:4 --lids table; echo $?
collc compile alltoall/ring -t star:4 --seed 5; echo $?
collc compile alltoall/ring --ranks 4 --overhead 1us; echo $?
collc map alltoall/ring -t torus:2x2 --gap 1us; echo $?
collc emit alltoall/ring --overhead 1us; echo $?
collc emit alltoall/ring --placement cyclic; echo $?
collc emit alltoall/ring --ranks-per-machine 2; echo $?
collc emit alltoall/ring --routes x.lfts; echo $?
collc draw -t star:4 --ranks 3; echo $?
collc draw -t star:4 --best; echo $?
collc draw -t star:4 --load step; echo $?
collc draw alltoall/ring -t star:4 --step 2; echo $?
collc draw alltoall/ring -t star:4 --what step --load step; echo $?
collc draw bcast/binomial -t star:4 --what tree --step 2; echo $?
collc topo star:4 --to xml --format json; echo $?
collc topo star:4 --to xml --hwloc machines; echo $?
collc topo star:4 --lids table; echo $?
collc route star:4 --all; echo $?
collc route star:4 --ranks 4; echo $?
collc route star:4 --from m0 --to m1 --seed 3; echo $?
collc route star:4 --link 0 --matchings 5; echo $?
collc route star:4 --link 0 --from m0 --to m1; echo $?
collc predict alltoall/ring -t star:4 --to csv --per-step; echo $?
collc algorithms bcast --root 3; echo $?
collc algorithms bcast --placement cyclic; echo $?
# No root, or one that the call says.
for command in compile verify predict bound map draw algorithms best; do
    case $command in bound | best) name=alltoall ;; *) name=alltoall/ring ;; esac
    collc $command $name -t star:4 --root 1; echo $?
done
collc algorithms --ranks 4 --root 4; echo $?
collc emit alltoall/ring --root 1; echo $?
collc emit alltoall/ring --table -t star:4 --root 1; echo $?
collc compile allgather --best --bytes 8 -t star:4 --root 1; echo $?
collc emit bcast/binomial --root 1; echo $?
collc emit bcast/binomial -t star:4 --root 1; echo $?
# The same options where they do something.
collc compile alltoall/ring -t star:4 --machines 'm[0-2]' --order random --seed 5 -o a.sched; echo $?
collc emit alltoall/ring --ranks 4 --placement cyclic -o a.c; echo $?
collc draw alltoall/ring -t star:4 --step 2 --load step -o a.dot; echo $?
collc route star:4 --from m0 --to m1 --all | head -n 1; echo $?
collc algorithms bcast/binomial --ranks 4 --root 3 | grep here; echo $?
collc draw -t star:4 --ranks 3 --help | head -n 1; echo $?
collc emit bcast/binomial -t star:4 --root 1 --table -o a.c; echo $?
collc emit bcast --best --bytes 8 -t star:4 --root 1 -q -o a.c; echo $?
collc emit bcast/binomial -t star:4 --root 1 --map greedy -o a.c; echo $?
collc algorithms --ranks 4 --root 1 >list; echo $?
# Nothing is written where no report is wanted.
collc predict alltoall/ring -t star:4 -q -o none; [ ! -e none ]; echo $?
