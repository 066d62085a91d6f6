# A library of algorithms is reached from Fortran by each binding, with the results of the MPI alone, and by large
# counts. Tools that watch MPI count all calls, in front of it and behind it.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TMPDIR=$PWD UCX_TLS=self,sm
cat >table.rules <<'EOF'
collc-table 1
after 0
bcast use binomial
allreduce use ring
reduce use binomial
scan use linear
exscan use linear
gather use binomial
scatter use binomial
allgather use ring
alltoall use bruck
gatherv use linear
scatterv use linear
allgatherv use bruck
alltoallv use spread
alltoallw use spread
reduce_scatter use pairwise
reduce_scatter_block use recursive_halving
barrier use dissemination
EOF
collc emit table.rules --to library -o library.c
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl

# All collectives, each on its own data; each rank prints what it has then.
cat >f08.f90 <<'EOF'
program calls
  use mpi_f08
  integer :: a(9), b(9), c(16), n(3) = (/ 1, 2, 3 /), at(3) = (/ 0, 1, 3 /), bytes(3) = (/ 0, 4, 12 /), rank, i
  type(MPI_Datatype) :: t(3)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  t = MPI_INTEGER
  do i = 1, 2
    call fill(0)
    call MPI_Bcast(b, 9, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call fill(1)
    call MPI_Allreduce(MPI_IN_PLACE, b, 9, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call fill(2)
    call MPI_Reduce(a, b, 9, MPI_INTEGER, MPI_MAX, 2, MPI_COMM_WORLD)
    call fill(3)
    call MPI_Scan(a, b, 9, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call fill(4)
    call MPI_Exscan(a, b, 9, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call fill(5)
    call MPI_Gather(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call fill(6)
    call MPI_Scatter(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call fill(7)
    call MPI_Allgather(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, MPI_COMM_WORLD)
    call fill(8)
    call MPI_Alltoall(a, 3, MPI_INTEGER, b, 3, MPI_INTEGER, MPI_COMM_WORLD)
    call fill(9)
    call MPI_Gatherv(a, n(rank + 1), MPI_INTEGER, b, n, at, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call fill(10)
    call MPI_Scatterv(a, n, at, MPI_INTEGER, b, n(rank + 1), MPI_INTEGER, 1, MPI_COMM_WORLD)
    call fill(11)
    call MPI_Allgatherv(a, n(rank + 1), MPI_INTEGER, b, n, at, MPI_INTEGER, MPI_COMM_WORLD)
    call fill(12)
    n = rank + 1
    at = (/ 0, 3, 6 /)
    bytes = 4 * at
    call MPI_Alltoallv(a, (/ 1, 2, 3 /), at, MPI_INTEGER, b, n, at, MPI_INTEGER, MPI_COMM_WORLD)
    call fill(13)
    call MPI_Alltoallw(a, (/ 1, 2, 3 /), bytes, t, b, n, bytes, t, MPI_COMM_WORLD)
    call fill(14)
    n = (/ 1, 2, 3 /)
    at = (/ 0, 1, 3 /)
    call MPI_Reduce_scatter(a, b, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call fill(15)
    call MPI_Reduce_scatter_block(a, b, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call fill(16)
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  print '(20i9)', rank, c
  call MPI_Finalize()
contains
  subroutine fill(before)
    integer :: before, j
    if (before > 0) c(before) = dot_product(b, (/ (j, j = 1, 9) /))
    a = (/ (10 * rank + j + before, j = 1, 9) /)
    b = a
  end subroutine
end program
EOF
sed 's/use mpi_f08/use mpi/; s/rank, i$/rank, i, ierr/; s/, rank)$/, rank, ierr)/
    s/MPI_COMM_WORLD)$/MPI_COMM_WORLD, ierr)/; s/\(MPI_Init\|MPI_Finalize\)()$/\1(ierr)/
    s/type(MPI_Datatype)/integer/' f08.f90 >module.f90
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
cat >large.c <<'EOF'
#include <mpi.h>
#include <stdio.h>
enum { N = 1500 }; /* 6000 bytes */
int main(int argc, char **argv)
{
    static int a[8 * N], b[8 * N];
    int rank, p, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Count few = 10, many = N;
    for (int k = 0; k < 2; k++) {
        MPI_Count n = k ? many : few;
        for (int i = 0; i < 8 * N; i++)
            a[i] = 1000 * rank + i;
        MPI_Bcast_c(a, n, MPI_INT, 0, MPI_COMM_WORLD);
        wrong += rank && a[n - 1] != n - 1;
        for (int i = 0; i < 8 * N; i++)
            a[i] = 1000 * rank + i;
        MPI_Allreduce_c(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += b[n - 1] != p * (p - 1) / 2 * 1000 + p * (n - 1);
        MPI_Allgather_c(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < p; r++)
            wrong += b[r * n] != 1000 * r;
        MPI_Alltoall_c(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
        for (int r = 0; r < p; r++)
            wrong += b[r * n + 1] != 1000 * r + rank * n + 1;
        MPI_Gather_c(a, n, MPI_INT, b, rank == 1 ? n : (MPI_Count)1 << 40, MPI_INT, 1, MPI_COMM_WORLD);
        for (int r = 0; r < p && rank == 1; r++)
            wrong += b[r * n] != 1000 * r;
        MPI_Scatter_c(a, rank == 1 ? n : (MPI_Count)1 << 40, MPI_INT, b, n, MPI_INT, 1, MPI_COMM_WORLD);
        wrong += b[0] != 1000 + rank * n;
    }
    printf("wrong %d\n", wrong);
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
    # Large counts: as others while a block has few bytes.
    echo '#include <mpi.h>' | mpicc.$mpi -E -dM - | awk '$2 == "MPI_VERSION" && $3 >= 4 { v = 1 } END { exit !v }' && {
        mpicc.$mpi -std=c99 -O1 -DCOLLC_MOST_SMALL=4000 -shared -fPIC library.c -o library.$mpi.so -ldl -lpthread
        mpicc.$mpi large.c -o large.$mpi
        launch "$PWD/library.$mpi.so" ./large.$mpi
        expect "large counts ($mpi)" "$(sort -u said)" 'wrong 0'
        expect "large counts by the library ($mpi)" "$(counted | tr ';' '\n' | sort | tr '\n' ';')" \
            'allgather ring 1;allreduce ring 1;alltoall bruck 1;bcast binomial 1;gather binomial 1;scatter binomial 1;'
    }
    command -v mpifort.$mpi gfortran >/dev/null || { echo "skipped: no Fortran of $mpi"; continue; }
    for binding in f08 module header; do
        mpifort.$mpi -fallow-argument-mismatch $binding.f90 -o $binding.$mpi
        launch "" ./$binding.$mpi
        sort said >alone
        launch "$PWD/library.$mpi.so" ./$binding.$mpi
        sort said | diff alone - || { echo "$binding ($mpi): not as the MPI alone"; exit 1; }
        expect "$binding by the library ($mpi)" "$(awk '$2 !~ /MPI/ && $3 == 2' report | wc -l)" 17
    done
done
