# Runtimes take the networks that collc tells them: Open MPI reads the file, and UCX
# sends over the network that the script allows. Nothing to do without an MPI.
set -e
export OMPI_MCA_rmaps_base_oversubscribe=1 COLLC_MACHINE=here
cat >net.xml <<'END'
<topology version="1">
  <networks>
    <network label="LO" interface="lo" bandwidth="1Gb/s" latency="20us" machines="here there">
      <star machines="2"/>
    </network>
    <network label="XX" interface="lo" bandwidth="10Mb/s" machines="here there"><star machines="2"/></network>
  </networks>
</topology>
END
cat >sum.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
END
collc topo net.xml --to openmpi-networks -o mca.conf
collc topo net.xml --to ucx-networks -o networks.sh
grep -qx 'btl_tcp_if_include = lo' mca.conf

if command -v mpicc.openmpi >/dev/null; then
    mpicc.openmpi sum.c -o sum
    # Every parameter but those of single interfaces is one that Open MPI knows.
    OMPI_MCA_mca_base_param_files="$PWD/mca.conf" ompi_info --param all all --level 9 --parsable >known
    for name in pml btl btl_tcp_if_include; do
        grep -q ":param:$name:source:file (.*mca.conf" known || { echo "Open MPI does not take $name"; exit 1; }
    done
    # With the file, and by the script.
    mpirun.openmpi --mca mca_base_param_files "$PWD/mca.conf" -np 2 sh networks.sh ./sum >out 2>&1
    [ "$(cat out)" = 'sum 1' ] || { cat out; exit 1; }
fi

if command -v mpicc.mpich >/dev/null; then
    mpicc.mpich sum.c -o sum
    mpirun.mpich -np 2 sh networks.sh ./sum >out 2>&1
    [ "$(cat out)" = 'sum 1' ] || { cat out; exit 1; }
    # Without shared memory UCX goes over the interface that was named, and no other. It has said
    # so, and the sum is there, before MPI_Finalize, in which MPICH at times waits for ever over tcp.
    sed 's/self,sm,/self,/' networks.sh >tcp.sh
    UCX_LOG_LEVEL=info mpirun.mpich -np 2 sh tcp.sh ./sum >out 2>&1 &
    while ! grep -qx 'sum 1' out && kill -0 $! 2>/dev/null; do sleep 0.1; done
    kill $! 2>/dev/null || :
    wait $! || :
    grep -qx 'sum 1' out || { cat out; exit 1; }
    grep -q 'tag(tcp/lo)' out || { cat out; exit 1; }
    [ "$(grep -o 'tcp/[a-z0-9]*' out | sort -u)" = tcp/lo ] || { cat out; exit 1; }
fi

# The functions of table 3 of Sumimoto et al. 2000 over MPI: two hosts of two ranks each.
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_osc=sm,pt2pt
export OMPI_MCA_mpi_yield_when_idle=1
for mpi in openmpi mpich; do
    command -v "mpicc.$mpi" >/dev/null || continue
    "mpicc.$mpi" -std=gnu11 -O2 -Wall -Wextra -Wpedantic -Werror "$root/examples/sumimoto2000/pm.c" -o pm
    PM_HOST=2 "mpirun.$mpi" -np 4 ./pm </dev/null >out 2>err || { cat out err; exit 1; }
    [ "$(sed '5!d' out)" = '0 wrong' ] || { cat out; exit 1; }
    [ "$(sed 4q out | xargs)" = '0 - 1 SH 2 NET 3 NET' ] || { cat out; exit 1; }
    grep -qE '^round trip of 4 bytes: [0-9.]+ us by shmem, [0-9.]+ us within composite$' out
done
