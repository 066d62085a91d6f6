# MPICH 4.0 does what collc pick says of it: every table of tests/data/tables/mpich in
# a launch of 8 ranks, each on a machine of its own, two of them also with 4 ranks two by two, collectives
# on communicators of 2 to 8 ranks with sizes on both sides of where choices change. Of each call the algorithms that send
# the same messages are known (mpich_spy.c): the one picked is among them.
set -e
. "$root/tests/helpers.sh"
command -v mpicc.mpich mpirun.mpich mpichversion >/dev/null || { echo "skip: no MPICH"; exit 0; }
mpichversion | grep -q 'Version:[[:space:]]*4\.0\.' && mpichversion | grep -q 'ch4:ucx' ||
    { echo "skip: not MPICH 4.0 with ch4:ucx"; exit 0; }

mpicc.mpich -std=c99 -O1 -Wall -Wextra -Werror -o spy "$root/tests/runtime/mpich_spy.c" -ldl
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl # else ranks that wait keep the core from the others

# Lines of the spy from the standard input, records of pick for each kind of call from $2: what differs,
# and how many calls were compared. Where machines have several ranks, what they send to each other
# there is not seen: $3 is the number of machines, as in the records.
compare() {
    awk -v table="$1" '
        NR == FNR {
            key = $1 " " $2 " " $3 " " $4
            n[key]++
            first[key, n[key]] = $5; last[key, n[key]] = $6; said[key, n[key]] = $7
            next
        }
        {
            key = $1 " " $2 " " $3 " " $4
            found = "nothing"
            for (i = 1; i <= n[key]; i++)
                if (first[key, i] <= $5 && $5 <= last[key, i])
                    found = said[key, i]
            compared++
            alone += NF == 6
            is_among = 0
            for (i = 6; i <= NF; i++)
                is_among += $i == found
            if (!is_among)
                print table ": " $0 ": picked " found
        }
        END { print compared, alone >"compared" }' "$2" -
}

total=0
alone=0
for table in "$root"/tests/data/tables/mpich/*.json; do
    name=$(basename "$table" .json)
    for place in alone paired; do
        case $name-$place in sound-paired | smp-paired | *-alone) ;; *) continue ;; esac
        case $place in # the last of three lies alone
        alone) ranks_of_node=1 on="-np 8 -genv MPIR_CVAR_NOLOCAL 1" fallback=error ;;
        paired) ranks_of_node=2 on="-np 4 -genv MPIR_CVAR_NUM_CLIQUES 2 -genv MPIR_CVAR_CLIQUES_BY_BLOCK 1" fallback=silent ;;
        esac
        on_one_core mpirun.mpich $on -genv MPIR_CVAR_COLLECTIVE_FALLBACK $fallback \
            -genv MPIR_CVAR_DEVICE_COLLECTIVES none -genv LD_PRELOAD "$PWD/idle.so" -genv UCX_TLS self,sm \
            -genv MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE "$table" ./spy $(usually "4 2048" "4 2048" "4 64 256 2048 32768") >seen
        cut -d ' ' -f 1-4 seen | sort -u | while read -r collective ranks type mode; do
            case $mode in
            plain) option= ;;
            in-place) option=--in-place ;;
            ordered) option=--non-commutative ;;
            esac
            echo "\"$collective $ranks $type $mode\""
            collc pick "$table" --target mpich-4.0 "$collective" --ranks "$ranks" --bytes 1..32KiB \
                --nodes $(((ranks + ranks_of_node - 1) / ranks_of_node)) --type-bytes "$type" $option --format json
        done | jq -rn 'foreach inputs as $next ({}; if ($next | type) == "string" then {key: $next}
            else {key, record: $next} end; select(.record)) | .key as $key | .record.ranges[] |
            "\($key) \(.first) \(.last) \(if .fails then "fails" else .algorithm end)"' >picked
        compare "$name, $place" picked <seen >differences
        [ ! -s differences ] || { head -n 20 differences; echo "$name: $(wc -l <differences) differ"; exit 1; }
        read -r calls one <compared
        total=$((total + calls))
        alone=$((alone + one))
    done
done
[ "$total" -gt $(usually 5000 5000 14000) ] && [ "$alone" -gt $(usually 4000 4000 12000) ] || { echo "only $total calls compared, $alone of one"; exit 1; }
echo "$total calls compared, $alone of which one algorithm alone explains"
