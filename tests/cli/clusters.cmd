# Algorithms over clusters: what the slow network between them carries, whatever the order of
# the ranks; and where all servers are one cluster, or there are unequal ones.
paper=$root/examples/sumimoto2000
for hosts in pes mixed; do
    for algorithm in allreduce/ring allreduce/multi_cluster allreduce/multi_cluster_parts \
        bcast/binomial bcast/multi_cluster reduce/multi_cluster allgather/ring allgather/multi_cluster \
        gather/multi_cluster scatter/multi_cluster reduce_scatter_block/multi_cluster \
        alltoall/spread alltoall/multi_cluster; do
        echo "$hosts $algorithm" $(collc verify $algorithm -t "$paper/fig1.xml" \
            --placement "$paper/$hosts.hosts" --bytes 64KiB | sed -n '/^  complete/p; s/^ *FE \([0-9]\)/FE \1/p')
    done
    echo "$hosts barrier" $(collc verify barrier/multi_cluster -t "$paper/fig1.xml" \
        --placement "$paper/$hosts.hosts" | sed -n '/^  complete/p; s/^ *FE \([0-9]\)/FE \1/p')
done
# the table of examples/sumimoto2000/README.md
for hosts in pes mixed; do
    for algorithm in allreduce/ring allreduce/rabenseifner allreduce/multi_cluster \
        allreduce/multi_cluster_parts bcast/binomial bcast/multi_cluster allgather/ring \
        allgather/multi_cluster alltoall/spread alltoall/multi_cluster; do
        echo "$hosts $algorithm" $(collc predict --model step $algorithm -t "$paper/fig1.xml" \
            --placement "$paper/$hosts.hosts" --bytes 64KiB | sed -n 's/^ *64KiB *\([0-9.]* .s\).*/\1/p')
    done
done
# the best one of them all
for collective in alltoall allreduce bcast reduce reduce_scatter_block allgather; do
    collc best --model step $collective -t "$paper/fig1.xml" --placement "$paper/mixed.hosts" --bytes 64KiB | sed -n 's,^\* \([^ ]*\).*,\1,p'
done
for algorithm in allreduce bcast reduce barrier; do
    collc verify $algorithm/three_level -t "$paper/fig1.xml" --ranks-per-machine 2 \
        --machines 'smp[0-3] pc[0-3]' $([ $algorithm = barrier ] || echo --bytes 64KiB) |
        sed -n '2p;3,${/steps/p;/FE/p;}'
done
# one network, or none known: one cluster
collc verify allreduce/three_level -t star:4 --ranks-per-machine 2 | sed -n '1,2p;3,${/steps/p;}'
collc verify allreduce/multi_cluster --ranks 4 | sed -n '1,2p;3,${/steps/p;}'
# unequal clusters; with some words in common, of the same kind
collc verify allreduce/three_level -t "$paper/fig1.xml"
collc verify bcast/multi_cluster -t "$paper/fig1.xml"
# the loops know the machines of several clusters, the table its ranks; one cluster needs no names
collc emit allreduce/multi_cluster -t "$paper/fig1.xml" --placement "$paper/mixed.hosts" -o - | grep '{"'
collc emit allreduce/multi_cluster -o - | grep -A3 'no networks are known'
collc emit allreduce/multi_cluster -t star:4 -o - | grep -c 'no networks are known'
collc emit allreduce/multi_cluster --to mpi-c --table -t "$paper/fig1.xml" --placement "$paper/pes.hosts" -o - | grep -q MPI_Isend && echo a table
