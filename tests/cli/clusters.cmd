# Algorithms over clusters: what the slow network between them carries, whatever the order of
# the ranks; and where there are no clusters, or unequal ones.
paper=$root/examples/sumimoto2000
for hosts in pes mixed; do
    for algorithm in allreduce/ring "$paper/allreduce_clusters.coll" "$paper/allreduce_parts.coll" \
        bcast/binomial "$paper/bcast_clusters.coll" allgather/ring "$paper/allgather_clusters.coll"; do
        echo "$hosts $(basename "$algorithm")" $(collc verify "$algorithm" -t "$paper/fig1.xml" \
            --placement "$paper/$hosts.hosts" --bytes 64KiB | sed -n '/complete/p; s/^ *FE \([0-9]\)/FE \1/p')
    done
done
# the table of examples/sumimoto2000/README.md
for hosts in pes mixed; do
    for algorithm in allreduce/ring allreduce/rabenseifner bcast/binomial allgather/ring \
        "$paper/allreduce_clusters.coll" "$paper/allreduce_parts.coll" "$paper/bcast_clusters.coll" \
        "$paper/allgather_clusters.coll"; do
        echo "$hosts $(basename "$algorithm")" $(collc predict "$algorithm" -t "$paper/fig1.xml" \
            --placement "$paper/$hosts.hosts" --bytes 64KiB | sed -n 's/^ *64KiB *\([0-9.]* .s\).*/\1/p')
    done
done
for algorithm in allreduce bcast; do
    collc verify "$paper/${algorithm}_three_levels.coll" -t "$paper/fig1.xml" --ranks-per-machine 2 \
        --machines 'smp[0-3] pc[0-3]' --bytes 64KiB | sed -n '2p;/steps/p;/FE/p'
done
cp "$paper"/*.coll .
collc verify allreduce_three_levels.coll -t "$paper/fig1.xml" 2>&1 | grep -v help
collc verify allreduce_clusters.coll -t "$paper/fig1.xml" 2>&1 | grep -v help
collc verify allreduce_clusters.coll -t star:4 2>&1 | grep -v help
collc verify allreduce_clusters.coll --ranks 4 2>&1 | grep -v help
collc emit allreduce_clusters.coll --to mpi-c -o -
collc emit allreduce_clusters.coll --to mpi-c --table -t "$paper/fig1.xml" --placement "$paper/pes.hosts" -o - | grep -q MPI_Isend && echo a table
