# The commands of README that need an MPI, as they stand there: a program runs under the rules, prove shows what ran,
# and the preloaded library takes the place of MPI's function; and others that come with pages. Nothing to do without
# an MPI.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
ln -s "$root/examples" .
cat >app.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, in[64], out[64], wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ranks; i++)
        in[i] = 100 * rank + i;
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        wrong |= out[i] != 100 * i + rank;
    if (rank == 0)
        printf("%d ranks are %s\n", ranks, wrong ? "wrong" : "right");
    MPI_Finalize();
    return wrong;
}
END
# run WORDS: the one command of README that has these words.
run() {
    sed 's/^\$ //; s/  *# .*//; s|PROGRAM|./app|' "$root/README.md" | grep '^ *\(mpi\|collc \)' | grep -- "$1" >command
    [ "$(wc -l <command)" -eq 1 ] || { echo "of README, with '$1':"; cat command; exit 1; }
    eval "$(cat command)"
}
mpicc() { mpicc.$mpi "$@"; }
mpirun() { mpirun.$mpi -n 3 "$@"; }
run 'emit.*-o a2a.c'
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || { echo "skipped: no $mpi"; continue; }
    mpicc app.c -o app
    run DCOLLC_SHIM
    case $mpi in openmpi) words='mpirun -x LD_PRELOAD' ;; *) words='mpirun -genv LD_PRELOAD' ;; esac
    LD_DEBUG=bindings LD_DEBUG_OUTPUT=$PWD/bound.$mpi run "$words" >out
    grep -qx '3 ranks are right' out
    cat bound.$mpi.* | grep -q "binding file ./app .* to $PWD/a2a.so .* .MPI_Alltoall'"
    # The kernels of docs/measured.md check their results.
    mpicc -O2 "$root/measured/kernels.c" -o kernels -lm
    case $mpi in openmpi) preload="-x LD_PRELOAD=$PWD/a2a.so" ;; *) preload="-genv LD_PRELOAD $PWD/a2a.so" ;; esac
    for kernel in 'ft 32' 'is 1000' 'cg 32' 'lu 8' 'bt 8 1000'; do
        # shellcheck disable=SC2086
        mpirun.$mpi -n 4 $preload ./kernels $kernel | grep -q "^${kernel%% *} on 4 ranks: "
    done
    mpirun.$mpi -n 4 ./kernels ft 30 2>said >out || true
    grep -q 'N is a power of two' said
done
# The clock of steps in the main of emitted C, docs/emitted-c.md.
collc emit alltoall/ring --main -o main.c
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || continue
    mpicc main.c -o main
    mpirun ./main steps=100 >out
    [ "$(grep -c '^collc: alltoall/ring: step [0-2]: [0-9.]* us$' out)" -eq 3 ]
    grep -qx 'collc: alltoall/ring on 3 ranks: ok (.* cases)' out
done
# The rules are those of Open MPI 4.1.
if command -v ompi_info >/dev/null && ompi_info --version | grep -q 'v4\.1\.'; then
    mpi=openmpi
    mpicc app.c -o app
    run 'best alltoall -t examples/tuning/hosts' >out
    run '--mca coll_tuned_use_dynamic_rules 1' | grep -qx '3 ranks are right'
    run 'prove site.rules' >out 2>said
    grep -q '^1 kind of calls compared, 0 differ$' out
    # There are no such machines: it comes as far as the launch.
    status=0
    run 'tune alltoall' >out 2>said || status=$?
    [ $status -eq 2 ] && grep -q 'hostfile hosts' said && absent -F -e '--help' said
fi
# So acts what best writes for MPICH 4.0, by the command that it prints.
if command -v mpirun.mpich >/dev/null && mpichversion | grep -q 'Version:.*[^0-9.]4\.0\.'; then
    mpi=mpich
    mpicc app.c -o app
    collc best alltoall -t star:4 --to mpich-4.0 -o site.json | sed -n 's/PROGRAM/.\/app/p' >command
    grep -q 'TUNING_JSON_FILE=site.json mpirun ./app$' command
    . ./command | grep -qx '3 ranks are right'
fi
