# Open MPI 4.1 does what collc pick says of it: every table of tests/data/tables
# in a launch of its own, collectives on communicators of 2 to 8 ranks with sizes on both sides of
# where choices change (a file that is ignored changes nothing: two sizes), the algorithm that each
# call went to beside the one picked; also in place, with nothing for arguments that MPI ignores, and
# with an operation that does not commute.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.openmpi mpirun.openmpi ompi_info >/dev/null || { echo "skip: no Open MPI"; exit 0; }
ompi_info --version | grep -q 'v4\.1\.' || { echo "skip: not Open MPI 4.1"; exit 0; }
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none

mpicc.openmpi -std=c99 -O1 -Wall -Wextra -Werror -I "$root/tuning/runtime" -o spy \
    "$root/tests/runtime/tables_spy.c" -ldl
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl # else other load takes each turn that a rank gives up

# (basic_inplace is a function that libmpi does not export: nobody sees that it is called.)

# Lines of the spy from the standard input, a record of pick for each kind of call from $2: what
# differs, and how many calls were compared.
compare() {
    awk -v table="$1" '
        NR == FNR {
            key = $1 " " $2 " " $3 " " $4 " " $5
            n[key]++
            first[key, n[key]] = $6; last[key, n[key]] = $7
            said[key, n[key]] = $8 " " $9 " " $10 " " $11
            next
        }
        {
            key = $1 " " $2 " " $3 " " $4 " " $5
            found = "nothing"
            for (i = 1; i <= n[key]; i++)
                if (first[key, i] <= $6 && $6 <= last[key, i])
                    found = said[key, i]
            compared++
            if (found != $7 " " $8 " " $9 " " $10)
                print table ": " $0 ": picked " found
        }
        END { print compared " compared" >"compared" }' "$2" -
}

total=0
for table in "$root"/tests/data/tables/*.rules; do
    name=$(basename "$table" .rules)
    sizes=$(usually '64 4096 65536' '64 65536' '1 16 64 512 4096 65536 262144')
    ! collc lint "$table" --target ompi-4.1 --quiet | grep -q '\[B001\]' || sizes='64 65536'
    on_one_core mpirun.openmpi -x LD_PRELOAD="$PWD/idle.so" -np 8 --mca coll_tuned_use_dynamic_rules 1 \
        --mca coll_tuned_dynamic_rules_filename "$table" ./spy $sizes >seen
    cut -d ' ' -f 1-4 seen | sort -u | while read -r collective ranks type mode; do
        case $mode in
        plain) option= ;;
        in-place) option=--in-place ;;
        ignored) option='--insignificant 0' ;;
        ordered) option=--non-commutative ;;
        esac
        echo "\"$collective $ranks $type $mode\""
        collc pick "$table" --target ompi-4.1 "$collective" --ranks "$ranks" --bytes 1..1MiB \
            --type-bytes "$type" $option --format json
    done | jq -rn 'foreach inputs as $next ({}; if ($next | type) == "string" then {key: $next}
        else {key, record: $next} end; select(.record)) | .key as $key |
        (.record.ranges[] | . + {place: "root"}), (.record.elsewhere // [] | .[] | . + {place: "elsewhere"}) |
        "\($key) \(.place) \(.first) \(.last) " + if .fails then "fails - 0 0"
        else "\(.algorithm) \(if .runs_as == "basic_inplace" then "-" else .runs_as // "-" end)" +
        " \(.segment_bytes // 0) \(.fan_out // 0)" end' >picked
    compare "$name" picked <seen >differences
    [ ! -s differences ] || { head -n 20 differences; echo "$name: $(wc -l <differences) differ"; exit 1; }
    total=$((total + $(cut -d ' ' -f 1 compared)))
done
[ "$total" -gt $(usually 6000 5000 15000) ] || { echo "only $total calls compared"; exit 1; }
echo "$total calls compared"
