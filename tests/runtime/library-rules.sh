# collc prove and tune with libraries of algorithms: what ran is what pick names and what the library reports, and a
# default that is slow on purpose is found and left.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export TMPDIR=$PWD UCX_TLS=self,sm
cat >few.rules <<'EOF'
collc-table 1
bcast bytes=..399 use own/flat.coll
bcast bytes=400..4000 use chain segments=3
bcast use mpi
allreduce exact=yes use recursive_doubling
alltoall hosts=2 per_host=2 use two_level_ring
EOF
mkdir own
flat own/flat.coll
cat >calls.c <<'EOF'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static char data[100000];
    static double a[100], b[100];
    static int c[100], d[100];
    MPI_Init(&argc, &argv);
    for (int i = 1; i < argc; i++)
        MPI_Bcast(data, atoi(argv[i]), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(a, b, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(c, d, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(c, 1, MPI_INT, d, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
EOF
n=0
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || { echo "skipped: no $mpi"; continue; }
    n=$((n + 1))
    mpicc.$mpi -O1 calls.c -o calls
    COLLC_SLOTS=2 collc prove few.rules --target library --mpirun mpirun.$mpi --ranks 4 --format json \
        -- ./calls 399 400 4000 4001 8 8 >seen
    jq -e '.different == 0 and .compared == 8' seen >/dev/null || { cat seen; exit 1; }
    jq -r '.seen[] | select(.algorithm != "default") | "\(.collective) \(.algorithm) \(.calls / 4)"' seen |
        sed 's/ segments=3//' | sort >ran
    { collc emit few.rules --to library | sed 's/^#define _GNU_SOURCE.*/&\n#define COLLC_AFTER 0/' >few.c
      mpicc.$mpi -O1 -shared -fPIC few.c -o few.so -ldl -lpthread; }
    case $mpi in
    openmpi) mpirun.openmpi --oversubscribe -n 4 -x LD_PRELOAD="$PWD/few.so" -x COLLC_SLOTS=2 -x COLLC_REPORT="$PWD/report" \
        ./calls 399 400 4000 4001 8 8 </dev/null ;;
    mpich) mpirun.mpich -n 4 -genv LD_PRELOAD "$PWD/few.so" -genv COLLC_SLOTS 2 -genv COLLC_REPORT "$PWD/report" \
        ./calls 399 400 4000 4001 8 8 </dev/null ;;
    esac
    awk '!/^#/ && $2 != "MPI:" { print $1, $2, $3 }' report | sort | diff ran - || { echo "$mpi: prove, report"; exit 1; }
done
[ $n -gt 0 ] || exit 0
# A rule whose algorithm is not defined on so many ranks is left to the MPI, and does not act.
printf 'collc-table 1\nallgather use neighbor\n' >undefined.rules
status=0
collc prove undefined.rules --target library --ranks 3,4 --bytes 8 >seen || status=$?
[ $status -eq 1 ] && grep -q '^allgather  *3  8  *neighbor as default  *neighbor  DIFFERS$' seen &&
    grep -q '^allgather  *4  8  *neighbor  *neighbor$' seen
printf 'collc-table 1\nalltoall ranks=64 use ring\n' >never.rules
collc prove never.rules --target library --ranks 2 --bytes 8 >seen
grep -qx 'no rule of the table is for any of them' seen
printf 'collc-table 1\nalltoall use nothing\n' >absent.rules
refused "no built-in algorithm 'nothing'" collc prove absent.rules --target library --ranks 4
refused '--segments has no effect with --target library' \
    collc tune bcast --target library --ranks 3 --segments 4KiB -o never.rules

# A pipeline in segments of 64 bytes is no way to send 64 KiB.
command -v mpicc.openmpi mpirun.openmpi >/dev/null || exit 0
mpirun.openmpi --version | grep -q ' 4\.1\.' || exit 0
export OMPI_MCA_coll_tuned_use_dynamic_rules=1
export OMPI_MCA_coll_tuned_bcast_algorithm=3 OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64
tune() { collc tune bcast --target library --ranks 3 --sizes 64KiB "$@"; }
for seconds in 1 4 16; do
    rm -f tuned.rules tuned.rules.times
    tune --mpirun mpirun.openmpi --time ${seconds}s -o tuned.rules >report 2>said || { cat report said; exit 1; }
    ! grep -q '^rules for 1 of 1 points' report || break
done
grep -q '^collc: tune: proved: each rule acts$' said || { cat report said; exit 1; }
grep -q '^bcast ranks=3 use [a-z_]*' tuned.rules || grep -q '^bcast ranks=3 bytes=.* use [a-z_]*' tuned.rules
collc lint tuned.rules --target library --quiet
collc emit tuned.rules --to library -o /dev/null
tune --from tuned.rules.times --decide -o decided.rules -q
grep -v '^#' tuned.rules >first
grep -v '^#' decided.rules | cmp - first
