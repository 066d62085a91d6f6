# collc prove under MPICH: the function that ran is the algorithm that was picked, of calls of our own, where
# ranks share a machine and where they do not, and of a program; what acts besides the table shows; and each
# way to fail is named, with nothing left running. (tables_mpich.sh compares pick with the messages sent.)
set -e
. "$root/tests/helpers.sh"
command -v mpicc.mpich mpirun.mpich mpichversion >/dev/null || { echo "skip: no MPICH"; exit 0; }
mpichversion | grep -q 'Version:[[:space:]]*4\.0\.' && mpichversion | grep -q 'ch4:ucx' ||
    { echo "skip: not MPICH 4.0 with ch4:ucx"; exit 0; }
export TMPDIR=$PWD
tables=$root/tests/data/tables/mpich

for table in sound smp; do
    collc prove "$tables/$table.json" --target mpich-4.0 --ranks $(usually 2,4 4 2,3,4) --bytes 1..16KiB --format json >seen || true
    holds ".different == 0 and .compared > $(usually 120 60 200)" seen
done
holds '[.seen[] | select(.collective == "alltoall" and .ranks == 4) | .algorithm] | unique | length > 1' seen
# A file written from the model: its rules act, and so does the tree around them.
collc best bcast allgather --to mpich-4.0 -t star:1 --ranks-per-machine 4 --ranks 3,4 --sizes 8..64KiB -o best.json -q
collc prove best.json --target mpich-4.0 --ranks 3,4 --bytes 1..32KiB --format json >seen || true
holds '.different == 0' seen

# A program of somebody else's, on two machines: the third rank has one for itself.
mpicc.mpich -o program "$root/tests/runtime/broadcasts.c"
cat >tree.json <<'END'
{ "collective=bcast": { "comm_type=intra": {
    "comm_hierarchy=parent": { "comm_avg_ppn<=1": { "algorithm=MPIR_Bcast_intra_binomial": {} },
        "comm_size=any": { "avg_msg_size<=400": { "algorithm=MPIR_Bcast_intra_smp": {} },
            "avg_msg_size=any": { "algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {} } } },
    "comm_size=any": { "algorithm=MPIR_Bcast_intra_binomial": {} } } } }
END
# One that is linked with Open MPI says so, where it would crash.
if command -v mpicc.openmpi >/dev/null; then
    mpicc.openmpi -o other "$root/tests/runtime/broadcasts.c"
    collc prove tree.json --target mpich-4.0 --ranks 2 -- ./other >out 2>said && exit 1
    present 'linked with Open MPI' said
fi
collc prove tree.json --target mpich-4.0 --ranks 3 -- ./program --said >seen 2>said || true
expect 'lines of ranks' "$(grep -c '^--said$' said)" 3
present '^bcast  *3  400  *smp  *smp$' seen
present '^bcast  *3  20000  *scatter_ring_allgather  *scatter_ring_allgather$' seen
present '^2 kinds of calls compared, 0 differ$' seen
export MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_CLIQUES_BY_BLOCK=1
collc prove tree.json --target mpich-4.0 --ranks 3 -- ./program >seen || true
present '^2 kinds of calls compared, 0 differ$' seen
unset MPIR_CVAR_NUM_CLIQUES MPIR_CVAR_CLIQUES_BY_BLOCK

# A variable comes before the table.
status=0
MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial collc prove tree.json --target mpich-4.0 --ranks 3 -- ./program >seen || status=$?
expect status $status 1
present '400 .* binomial .* smp .*DIFFERS' seen

# Programs that end before MPI_Init are no case here: mpirun.mpich then ends by SIGPIPE now and then, as it writes to
# a proxy that is gone.
cat >silent.c <<'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
mpicc.mpich -o silent silent.c
refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" collc prove "$tables/sound.json" --target mpich-4.0 "$@"
}
refuse 'no collective of the program was seen' --ranks 2 -- ./silent
refuse "there is no command 'no.such'" --mpirun no.such
refuse 'is not of MPICH' --mpirun echo
refuse 'ended with status 7' --ranks 2 -- ./silent 7
stayer
refuse 'took longer than 1 s' --ranks 2 --time 1s -- "$PWD/stayer" 7779
none_stays
expect 'what is left' "$(ls -d collc.* 2>/dev/null)" ''
