# Open MPI 4.1 does what collc pick says of rule files of coll/han: every file of tests/data/tables/han in
# a launch of 6 ranks on what it takes for two machines, collectives on communicators of 4 and 6 ranks of both. At
# verbosity 80 coll/han says which row it found, of which numbers of ranks and bytes, and whether the component
# answers; it says nothing of communicators within and between machines, where it looks nothing up.
set -e
command -v mpicc.openmpi mpirun.openmpi ompi_info >/dev/null || { echo "skip: no Open MPI"; exit 0; }
ompi_info --version | grep -q 'v4\.1\.' && ompi_info --param coll han --level 9 | grep -q coll_han_dynamic_rules_filename ||
    { echo "skip: no coll/han of Open MPI 4.1"; exit 0; }

mpicc.openmpi -std=c99 -O1 -Wall -Wextra -Werror -o calls "$root/tests/runtime/han_calls.c"
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -o host_name.so "$root/tests/runtime/host_name.c" -ldl
gcc -O1 -shared -fPIC "$root/tests/mpi/idle.c" -o idle.so -ldl
cat >agent <<END
#!/bin/sh
while :; do case \$1 in -*) shift ;; *) break ;; esac; done
HOST_NAME=\$1
shift
export HOST_NAME LD_PRELOAD="$PWD/host_name.so"
exec sh -c "\$*"
END
chmod +x agent

# Per call what is first looked up for it: "COLLECTIVE RANKS BYTES RANKS-OF-ROW BYTES-OF-ROW COMPONENT IN-ITS-PLACE".
# Components call other collectives in their turn, and so does what creates communicators, behind "CALL none".
observed() {
    awk '
        function flush() { if (call != "" && call !~ /^none/) print call, found == "" ? "- - -" : found, place }
        $1 == "CALL" { flush(); call = $2 " " $3 " " $4; own = "(" $2 ")"; found = ""; place = "-"; n = 0; next }
        /topological level [01] / { print "looked up on a communicator of coll/han: " $0 }
        /get_dynamic_rule HAN searched/ && index($0, own) && n++ == 0 && match($0, /Found a rule.*/) {
            rule = substr($0, RSTART)
            match(rule, /for a [0-9]+ configuration size/); ranks = substr(rule, RSTART + 6); sub(/ .*/, "", ranks)
            match(rule, /for a [0-9]+ sized message/); bytes = substr(rule, RSTART + 6); sub(/ .*/, "", bytes)
            component = rule; sub(/.*\(/, "", component); sub(/\).*/, "", component)
            found = ranks " " bytes " " component
        }
        /did not find any valid module|but this module cannot handle/ && index($0, own) && n == 1 { place = "tuned" }
        END { flush() }' "$1"
}

launch() { # TABLE
    rm -rf said
    HOST_NAME=machine0 LD_PRELOAD=$PWD/host_name.so mpirun.openmpi --mca plm_rsh_agent "$PWD/agent" \
        --host machine0:3,machine1:3 -np 6 --mca pml ob1 --mca btl self,vader,tcp --mca btl_vader_single_copy_mechanism none \
        --mca mpi_yield_when_idle 1 --mca coll_han_priority 100 --mca coll_han_use_dynamic_file_rules 1 \
        --mca coll_han_dynamic_rules_filename "$1" --mca coll_base_verbose 80 --output-filename said:nocopy,nojobid \
        -x LD_PRELOAD="$PWD/host_name.so:$PWD/idle.so" ./calls 1 8 16 100 8192 70000 >/dev/null 2>&1
}

total=0
for table in "$root"/tests/data/tables/han/*.rules; do
    name=$(basename "$table" .rules)
    launch "$table" || { echo "$name: mpirun failed"; exit 1; }
    observed said/rank.0/stderr >seen
    is_ignored=$(grep -c 'could not fully read' said/rank.0/stderr || true)
    [ "$is_ignored" -eq "$(collc lint "$table" --target ompi-4.1-han | grep -c '\[B001\]')" ] || { echo "$name: ignored, or not"; exit 1; }
    cut -d ' ' -f 1,2 seen | sort -u | while read -r collective ranks; do
        collc pick "$table" --target ompi-4.1-han "$collective" --ranks "$ranks" --nodes 2 --bytes 0..1MiB --format json |
            jq -r --arg key "$collective $ranks" '.ranges[] | "\($key) \(.first) \(.last) " + if .line == null then "- - - -" else
                (.why | capture("row of size (?<bytes>[0-9]+) for (?<ranks>[0-9]+)")) as $row |
                "\($row.ranks) \($row.bytes) \(.algorithm) \(.runs_as // "-")" end'
    done >picked
    awk -v table="$name" '
        NR == FNR { n++; key[n] = $1 " " $2; first[n] = $3; last[n] = $4; said[n] = $5 " " $6 " " $7 " " $8; next }
        {
            found = "nothing"
            for (i = 1; i <= n; i++)
                if (key[i] == $1 " " $2 && first[i] <= $3 && $3 <= last[i])
                    found = said[i]
            if (found != $4 " " $5 " " $6 " " $7)
                print table ": " $0 ": picked " found
        }' picked seen >differences
    [ ! -s differences ] || { head -n 20 differences; exit 1; }
    total=$((total + $(wc -l <seen)))
done

# A row that ends programs, and the collective that it is for.
printf '2 bcast 1 2 1 1 1 0 tuned allreduce 1 2 1 1 2 0 han 100 tuned\n' >ends.rules
! launch "$PWD/ends.rules" || { echo "allreduce by coll/tuned ran"; exit 1; }
[ "$(grep -a '^CALL' said/rank.0/stderr | tail -n 1)" = 'CALL allreduce 6 100' ]
collc pick ends.rules --target ompi-4.1-han allreduce --ranks 6 --bytes 1..100 --format json >picked
jq -e '[.ranges[] | [.first, .fails != null]] == [[1, false], [100, true]]' picked >/dev/null
[ "$total" -gt 1000 ] || { echo "only $total calls compared"; exit 1; }
echo "$total calls compared"
