# A library of many algorithms before an MPI: results are byte for byte those of the MPI alone, what ran is what
# the table says, and it is off, with a line, where it must be.
set -e
. "$root/tests/helpers.sh"
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export TMPDIR=$PWD UCX_TLS=self,sm
mpis=
for mpi in openmpi mpich; do
    if command -v mpicc.$mpi mpirun.$mpi >/dev/null; then mpis="$mpis $mpi"; else echo "skipped: no $mpi"; fi
done
[ -n "$mpis" ] || exit 0

# The K-th of the words, counted around from 0.
kth() { # K WORD...
    k=$1
    shift
    shift $((k % $#))
    echo "$1"
}

# A table in which the algorithms of each collective take turns with the size, from the N-th on.
turns() { # N
    printf 'collc-table 1\nafter 1\n'
    for folder in "$root"/compiler/algorithms/*/; do
        collective=$(basename "$folder")
        case $collective in neighbor_*) continue ;; esac # libraries leave these to the MPI
        names=$(cd "$folder" && ls ./*.coll | sed 's|.*/||; s|\.coll$||')
        case $collective in
        alltoall) forms='alltoallv alltoallw' ;;
        gather | scatter | allgather) forms=${collective}v ;;
        barrier) forms=; echo "barrier use $(kth "$1" $names)" ;;
        *) forms= ;;
        esac
        i=$1 first=0
        [ $collective = barrier ] || for last in 4 20 80 400 10000 ''; do
            echo "$collective bytes=$first..$last use $(kth $i $names)"
            first=$((last + 1)) i=$((i + 1))
        done
        for form in $forms; do # the first from the N-th on that serves it
            i=$1
            until collc emit $form/"$(kth $i $names)" -o /dev/null 2>/dev/null; do i=$((i + 1)); done
            echo "$form use $(kth $i $names)"
        done
    done
    echo '* have *'
}

# Ranks that wait hand their core on.
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl

# with MPI RANKS LIBRARIES VARIABLE=VALUE... PROGRAM ARGUMENT...: nothing of it has blanks
with() {
    with_mpi=$1 with_ranks=$2 with_options=
    set -- "LD_PRELOAD=$3$PWD/idle.so" "$@"
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
    on_one_core "mpirun.$with_mpi" $with_options -n "$with_ranks" "$@" </dev/null
}
build_library() { # TABLE NAME MPI
    [ -e "$2.c" ] || collc emit "$1" --to library -o "$2.c"
    "mpicc.$3" -std=c99 -O1 -DCOLLC_LEAST_SEGMENT=16 -shared -fPIC "$2.c" -o "$2.$3.so" -ldl -lpthread
}

# ---- results ----

for mpi in $mpis; do "mpicc.$mpi" -O1 "$root/tests/mpi/conform.c" -o "conform.$mpi"; done
for shift in $(usually 0 0 "$(seq 0 25)"); do
    turns "$shift" >"turns$shift.rules"
    for mpi in $mpis; do
        build_library "turns$shift.rules" "turns$shift" "$mpi"
        for ranks in $(usually 3 2 "$(seq 1 9)"); do
            # MPICH 4.0 alone fails where operations do not commute: the words of Open MPI count, where it is.
            first=${mpis# } first=${first%% *}
            [ -e "alone.$ranks" ] || with "$first" "$ranks" "" "./conform.$first" 3 | sort >"alone.$ranks"
            with "$mpi" "$ranks" "$PWD/turns$shift.$mpi.so:" "COLLC_REPORT=$PWD/report" \
                "./conform.$mpi" 3 | sort >found
            cmp -s found "alone.$ranks" || {
                echo "$mpi, $ranks ranks, turns $shift: not as without a library"
                diff "alone.$ranks" found | head -n 5
                exit 1
            }
            [ "$ranks" -lt 3 ] || [ "$(awk '$2 !~ /MPI/ && !/^#/' report | wc -l)" -gt 60 ] || { cat report; exit 1; }
        done
    done
done

# ---- what ran ----

cat >few.rules <<'EOF'
collc-table 1
after 0
bcast bytes=..399 use binomial
bcast bytes=400..4000 use chain segments=3
bcast use mpi
allreduce exact=yes use recursive_doubling
allreduce commutes=no use mpi
alltoall hosts=2 per_host=2 use two_level_ring
alltoall hosts=2 use bruck
EOF
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
    MPI_Bcast(data, 7, MPI_BYTE, 0, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
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
static void *short_malloc(size_t n) { return is_short() ? NULL : malloc(n); }
static void *short_calloc(size_t n, size_t m) { return is_short() ? NULL : calloc(n, m); }
static void *short_realloc(void *p, size_t n) { return is_short() ? NULL : realloc(p, n); }
#define malloc short_malloc
#define calloc short_calloc
#define realloc short_realloc
EOF
# Prints lines of the report: ALGORITHM CALLS LEAST MOST.
reported() { # COLLECTIVE
    awk -v c="$1" '$1 == c { sub(/MPI: /, "MPI:"); gsub(/ +/, " "); print }' report |
        awk '{ n = NF; name = $2; for (i = 3; i <= n - 5; i++) name = name " " $i; print name, $(n - 4), $(n - 3), $(n - 2) }' |
        sort | tr '\n' ';'
}
for mpi in $mpis; do
    "mpicc.$mpi" -O1 calls.c -o "calls.$mpi"
    build_library few.rules few "$mpi"
    here=$PWD/few.$mpi.so:
    with "$mpi" 4 "$here" COLLC_REPORT="$PWD/report" COLLC_SLOTS=2 "./calls.$mpi" 399 400 4000 4001 8 8
    expect "bcast ($mpi)" "$(reported bcast)" \
        'MPI:by rule 1 4001 4001;MPI:one rank or inter 4 - -;binomial 3 8 399;chain 2 400 4000;'
    expect "allreduce ($mpi)" "$(reported allreduce)" 'MPI:no rule 1 800 800;recursive_doubling 1 400 400;'
    expect "alltoall ($mpi)" "$(reported alltoall)" 'two_level_ring 1 4 4;'
    with "$mpi" 3 "$here" COLLC_REPORT="$PWD/report" COLLC_SLOTS=2 "./calls.$mpi" 1
    expect "alltoall on 2 and 1 ($mpi)" "$(reported alltoall)" 'bruck 1 4 4;'

    # Other rules, without compiling.
    printf 'collc-table 1\nafter 2\nbcast use chain\n' >other.rules
    with "$mpi" 2 "$here" COLLC_REPORT="$PWD/report" COLLC_TABLE="$PWD/other.rules" "./calls.$mpi" 1 2 3 4
    expect "after 2 ($mpi)" "$(reported bcast)" 'MPI:first calls 2 - -;MPI:one rank or inter 2 - -;chain 2 3 4;'

    # Off, with and without a word.
    with "$mpi" 2 "$here" COLLC_REPORT="$PWD/report" COLLC_OFF=1 "./calls.$mpi" 1 2 2>message
    [ ! -s message ] && present 'off: COLLC_OFF is set' report
    for bad in 'collc-table 2|for another version' 'collc-table 1;bcast use nothing|no such algorithm' \
        'collc-table 1;bcast use chain size=3|no such parameter' 'collc-table 1;bcast bytes=4k use chain|no range' \
        'x|no table of a library'; do
        echo "${bad%|*}" | tr ';' '\n' >bad.rules
        with "$mpi" 2 "$here" COLLC_TABLE="$PWD/bad.rules" "./calls.$mpi" 1 2>message
        expect "lines ($mpi, $bad)" "$(wc -l <message)" 1
        present "${bad#*|}" message
    done
    with "$mpi" 2 "$here" COLLC_TABLE="$PWD/absent" "./calls.$mpi" 1 2>message
    present 'cannot be read' message

    # Ranks with different tables.
    case $mpi in
    openmpi) mpirun.openmpi -n 1 -x "LD_PRELOAD=$here" "./calls.$mpi" 8 : -n 1 -x "LD_PRELOAD=$here" -x COLLC_TABLE="$PWD/other.rules" \
        "./calls.$mpi" 8 2>message </dev/null ;;
    mpich) mpirun.mpich -n 1 -env LD_PRELOAD "$PWD/few.mpich.so" "./calls.$mpi" 8 : -n 1 \
        -env LD_PRELOAD "$PWD/few.mpich.so" -env COLLC_TABLE "$PWD/other.rules" "./calls.$mpi" 8 2>message </dev/null ;;
    esac
    present 'ranks have different tables, libraries or COLLC_TRY' message

    # Two of them: the first acts.
    cp "few.$mpi.so" "twin.$mpi.so"
    with "$mpi" 2 "$PWD/few.$mpi.so:$PWD/twin.$mpi.so:" COLLC_REPORT="$PWD/report" "./calls.$mpi" 8 2>message
    expect "two libraries ($mpi)" "$(reported bcast)" 'MPI:one rank or inter 2 - -;binomial 1 8 8;'
    expect "lines ($mpi)" "$(wc -l <message)" 1
    present "two libraries are loaded: .*few.$mpi.so' acts, .*twin.$mpi.so' does not" message

    # A rank without memory for the table, or for what is kept with a communicator: calls are the MPI's.
    "mpicc.$mpi" -D_GNU_SOURCE -std=c99 -O1 -include short.h -shared -fPIC few.c -o short.so -ldl -lpthread
    for at in 0 1 2 3; do
        with "$mpi" 2 "$PWD/short.so:" COLLC_REPORT="$PWD/report" SHORT_AT=$at "./calls.$mpi" 8 2>message
        case $at in
        0 | 1) present "rank cannot use its table: all collectives are the MPI's own" message ;;
        *) expect "no memory ($mpi, $at)" "$(reported bcast)" 'MPI:no communicator 1 - -;MPI:one rank or inter 2 - -;' ;;
        esac
    done
done
