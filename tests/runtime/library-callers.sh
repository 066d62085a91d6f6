# A library of algorithms is reached from Fortran by each binding, and tools that watch MPI count all calls, in front
# of it and behind it.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TMPDIR=$PWD UCX_TLS=self,sm
printf 'collc-table 1\nafter 0\nbcast use binomial\nallreduce use ring\n' >table.rules
collc emit table.rules --to library -o library.c
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl

cat >f08.f90 <<'EOF'
program calls
  use mpi_f08
  integer :: a(10), rank, i
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 3
    a = rank + i
    call MPI_Bcast(a, 10, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, a, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  end do
  if (rank == 0) print *, a(10)
  call MPI_Finalize()
end program
EOF
sed 's/use mpi_f08/use mpi/; s/rank, i$/rank, i, ierr/; s/()$/(ierr)/; s/, rank)$/, rank, ierr)/
    s/MPI_COMM_WORLD)$/MPI_COMM_WORLD, ierr)/' f08.f90 >module.f90
sed 's/^  use mpi$/  include "mpif.h"/' module.f90 >header.f90
cat >calls.c <<'EOF'
#include <mpi.h>
int main(int argc, char **argv)
{
    int a = 1, b;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        MPI_Bcast(&a, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
EOF
cat >tool.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
static int n;
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    n++;
    return PMPI_Bcast(data, count, type, root, comm);
}
int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("seen %d\n", n);
        fflush(stdout);
    }
    return PMPI_Finalize();
}
EOF
counted() { awk '!/^#/ { printf "%s %s %s;", $1, $2, $3 }' report; }
ran='bcast binomial 3;allreduce ring 3;'
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || { echo "skipped: no $mpi"; continue; }
    mpicc.$mpi -std=c99 -O1 -shared -fPIC library.c -o library.$mpi.so -ldl -lpthread
    mpicc.$mpi -shared -fPIC tool.c -o tool.$mpi.so
    mpicc.$mpi calls.c -o calls.$mpi
    launch() { # LIBRARIES PROGRAM
        rm -f report
        case $mpi in
        openmpi) set -- -x "LD_PRELOAD=$1:$PWD/idle.so" -x "COLLC_REPORT=$PWD/report" -n 3 "$2" ;;
        mpich) set -- -genv LD_PRELOAD "$1:$PWD/idle.so" -genv COLLC_REPORT "$PWD/report" -n 3 "$2" ;;
        esac
        on_one_core mpirun.$mpi "$@" </dev/null >said
    }
    for order in "$PWD/tool.$mpi.so:$PWD/library.$mpi.so" "$PWD/library.$mpi.so:$PWD/tool.$mpi.so"; do
        launch "$order" ./calls.$mpi
        expect "the tool ($order)" "$(cat said)" 'seen 3'
        expect "the library ($order)" "$(counted)" "$ran"
    done
    other=$(ls library.*.so | grep -vx library.$mpi.so || true)
    if [ -n "$other" ]; then
        launch "$PWD/$other" ./calls.$mpi 2>message
        expect "a library for another MPI ($mpi)" "$(grep -c 'not for the MPI of this program' message)" 1
        [ ! -e report ]
    fi
    command -v mpifort.$mpi gfortran >/dev/null || { echo "skipped: no Fortran of $mpi"; continue; }
    for binding in f08 module header; do
        mpifort.$mpi -fallow-argument-mismatch $binding.f90 -o $binding.$mpi
        launch "$PWD/library.$mpi.so" ./$binding.$mpi
        expect "$binding ($mpi)" "$(tr -d ' ' <said)" 9
        expect "$binding by the library ($mpi)" "$(counted)" "$ran"
    done
done
