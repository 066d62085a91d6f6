# 'collc verify COLLECTIVE --as MPI' takes what runs: the calls of 'collc prove' under the MPIs that are installed, with
# tables and without a row, compared with the record "as" of verify, or with what it says where the library has no
# counterpart.
set -e
. "$root/tests/helpers.sh"

# compare TARGET TABLE RANKS: 'collc prove' of the table, call by call.
compare() {
    n=0
    stands=0
    collc prove "$2" --target "$1" --ranks "$3" --bytes "$(usually 1..64KiB 1..16KiB 1..1MiB)" --format json >seen || {
        jq -c '.seen[] | select(.differs)' seen
        exit 1
    }
    jq -r '.seen[] | select((.in_place or .elsewhere or .algorithm == "fails") | not) |
        [.collective, .ranks, .last, .type_bytes, .ordered, .algorithm, .runs_as // "-", .segment_bytes, .fan_out] |
        @tsv' seen >calls
    while read -r collective ranks bytes type ordered algorithm runs segment fan_out; do
        case $collective in i* | neighbor*) continue ;; esac # not of the library
        [ "$ordered" = false ] || collective="$collective --non-commutative"
        status=0
        # shellcheck disable=SC2086 # an option may be behind the collective
        collc verify $collective --as "$1" --rules "$2" --ranks "$ranks" --ranks-per-machine "$ranks" \
            --bytes "$((bytes ? bytes : 1))" --type-bytes "$type" --format json >verdict 2>said || status=$?
        wanted="$algorithm $runs $segment $fan_out"
        if [ $status -eq 2 ]; then
            grep -q "has no counterpart here$" said || { cat said; exit 1; }
            grep -Eq ": $algorithm( |,|\$).*" said || { echo "$collective $ranks $bytes: $wanted"; cat said; exit 1; }
        else
            found=$(jq -r '.as | [.algorithm, .runs_as // "-", .segment_bytes // 0, .fan_out // 0] | join(" ")' verdict)
            [ "$found" = "$wanted" ] || {
                echo "$1 $2: $collective, $ranks ranks, $bytes bytes: --as takes $found, and $wanted ran"
                exit 1
            }
            stands=$((stands + 1))
        fi
        n=$((n + 1))
    done <calls
    echo "$1: $n kinds of calls, $stands have a counterpart"
    [ "$stands" -gt "$4" ]
}

if command -v mpirun.openmpi >where; then
    compare ompi-4.1 "$root/tests/data/tables/sound.rules" "$(usually 4,6 5 2,3,4,5,6,7,8)" 8
    printf '1\n7\n1\n2\n1\n0 0 0 0\n2\n1\n2\n1\n0 0 0 0\n' | sed 1s/1/2/ >zero.rules # 0: the fixed decision
    compare ompi-4.1 "$PWD/zero.rules" "$(usually 3,8 4 2,3,4,5,6,7,8)" 3
else
    echo 'skipped: no Open MPI'
fi
if command -v mpirun.mpich >where; then
    compare mpich-4.0 "$root/tables/mpich/compiled_in_4_0.json" "$(usually 4,5 3 2,3,4,5,6,7,8)" 20
else
    echo 'skipped: no MPICH'
fi
