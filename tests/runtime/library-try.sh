# A library that chooses while the program runs (COLLC_TRY): a default that is slow on purpose is tried beside others
# and left, on all ranks alike; results stay right, the choice is written as a table, and acts in the next run.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TMPDIR=$PWD UCX_TLS=self,sm
cat >slow.rules <<'EOF'
collc-table 1
after 1
bcast bytes=4KiB.. use chain segments=1000
bcast have binomial
bcast have pipeline segments=2
allreduce exact=yes use ring
EOF
cat >calls.c <<'EOF'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
/* calls N: broadcasts of two sizes, on all ranks and, at other turns, on halves; sums of integers and of floats. */
int main(int argc, char **argv)
{
    static char data[65536];
    int rank, p, wrong = 0, n = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int i = 0; i < n; i++) {
        int number = rank + i, sum;
        double one = 1, ones;
        memset(data, rank == i % p ? i : -1, sizeof data);
        MPI_Bcast(data, 65536, MPI_BYTE, i % p, MPI_COMM_WORLD);
        wrong += data[0] != (char)i || data[65535] != (char)i;
        if (i % 3 == rank % 2)
            MPI_Bcast(data, 4000, MPI_BYTE, 0, half);
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&one, &ones, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != p * i + p * (p - 1) / 2 || ones != p;
    }
    MPI_Comm_free(&half);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong != 0;
}
EOF
cat >short.h <<'EOF'
#include <stdlib.h>
#include <string.h>
static int is_short(void) /* at one call, of rank 1 */
{
    static int n;
    const char *at = getenv("SHORT_AT"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMI_RANK");
    return rank && !strcmp(rank, "1") && at && n++ == atoi(at);
}
static void *short_calloc(size_t n, size_t m) { return is_short() ? NULL : calloc(n, m); }
static void *short_realloc(void *p, size_t n) { return is_short() ? NULL : realloc(p, n); }
#define calloc short_calloc
#define realloc short_realloc
EOF
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl
collc emit slow.rules --to library -o slow.c

# with MPI RANKS LIBRARY VARIABLE=VALUE... PROGRAM ARGUMENT...: nothing of it has blanks
with() {
    with_start="mpirun.$1 -n $2" with_options=
    with_mpi=$1
    set -- "LD_PRELOAD=$3:$PWD/idle.so" "$@"
    with_first=$1
    shift 4
    set -- "$with_first" "$@"
    while case $1 in *=*) true ;; *) false ;; esac; do
        case $with_mpi in
        openmpi) with_options="$with_options -x $1" ;;
        mpich) with_options="$with_options -genv ${1%%=*} ${1#*=}" ;;
        esac
        shift
    done
    on_one_core $with_start $with_options "$@" </dev/null
}
calls_of() { awk -v c="$1" -v a="$2" '$1 == c && $2 == a { n = $3 } END { print n + 0 }' report; }

n=0
for mpi in $(usually 'openmpi mpich' openmpi); do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || { echo "skipped: no $mpi"; continue; }
    n=$((n + 1))
    flags='-std=c99 -O0 -DCOLLC_LEAST_SEGMENT=16 -shared -fPIC'
    mpicc.$mpi $flags -Wall -Wextra -Werror slow.c -o slow.so -ldl -lpthread
    mpicc.$mpi -O1 calls.c -o calls

    # The slow one is left after its turns; floats stay the MPI's. Other work may disturb few turns.
    for turns in 2 5 10; do
        calls=$((4 * turns + 14))
        with $mpi 3 "$PWD/slow.so" COLLC_TRY=$turns COLLC_TRIED="$PWD/tried.rules" COLLC_REPORT="$PWD/report" ./calls $calls
        expect "floats ($mpi)" "$(grep -c "^allreduce .*MPI: no rule  *$calls " report)" 1
        ! grep -q '^# tried: bcast bytes=65536.* us, of 4; chain segments=1000 ' report || break
    done
    [ "$(calls_of bcast chain)" -le $((2 * turns + 2)) ] || { cat report; exit 1; }
    present '^# tried: bcast bytes=65536..131071 ranks=3 hosts=1 per_host=3 use .* us, of 4; chain segments=1000 ' report
    present 'allreduce bytes=4..7 .* commutes=yes exact=yes use' report
    absent 'exact=no' report
    collc lint tried.rules --target library --quiet
    collc pick tried.rules --target library bcast --ranks 3 --nodes 1 --bytes 65536 >picked
    absent chain picked

    # The next run begins with it; without COLLC_TRY nothing is tried.
    with $mpi 3 "$PWD/slow.so" COLLC_TABLE="$PWD/tried.rules" COLLC_REPORT="$PWD/report" ./calls 4
    expect "the next run ($mpi)" "$(calls_of bcast chain)" 0
    absent tried: report

    # Ranks that would not try alike, and no number.
    [ $n -eq 1 ] || [ "$(form)" = long ] || continue
    case $mpi in
    openmpi) mpirun.openmpi -n 1 -x LD_PRELOAD="$PWD/slow.so" ./calls : -n 1 -x LD_PRELOAD="$PWD/slow.so" -x COLLC_TRY=2 \
        ./calls 2>message </dev/null ;;
    mpich) mpirun.mpich -n 1 -env LD_PRELOAD "$PWD/slow.so" ./calls : -n 1 -env LD_PRELOAD "$PWD/slow.so" -env COLLC_TRY 2 \
        ./calls 2>message </dev/null ;;
    esac
    present "different tables, libraries or COLLC_TRY: all collectives are the MPI's own" message
    with $mpi 2 "$PWD/slow.so" COLLC_TRY=few ./calls 2>message
    present "COLLC_TRY is 'few', and should be a number of turns" message

    # A rank without memory: all leave what it cannot try, and nobody waits.
    mpicc.$mpi -D_GNU_SOURCE $flags -include short.h slow.c -o short.so -ldl -lpthread
    for at in $(usually '4 5' '5' '2 3 4 5 6 7 8 9'); do
        with $mpi 2 "$PWD/short.so" COLLC_TRY=1 SHORT_AT=$at ./calls 8 2>message
    done
done
