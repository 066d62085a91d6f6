# Synthesis for whole sites and for large messages: the figures of docs/synthesis.md.
set -e
. "$root/tests/helpers.sh"
plafrim=$root/examples/clusters/plafrim1.txt
login=$root/examples/clusters/loginoff-qdr-fdr10-2014.txt
measure() { collc verify made.sched --max-link-load "$1" --max-fan-in 1 --format json >record; }

collc synth alltoall --method phases -t fattree:4x4x4,up=1x1x1 --ranks-per-machine 3 -o made.sched
measure 1
expect 'fat tree' "$(field complete) $(field steps) $(field sum_step_load)" 'true 6912 6912'

# Sites: the busiest link of PlaFRIM 1 has 2646 messages by any routes, that of the login fabric 472.
collc synth alltoall -t "$plafrim" --max-link-load 1 -o made.sched
measure 1
expect 'PlaFRIM 1' "$(field complete) $(field steps)" 'true 2646'
collc synth alltoall -t "$login" --method fit --explain --format json -o made.sched >explained
measure 1
expect 'login fabric' "$(field complete) $(field steps)" 'true 472'
holds '.method == "fit" and .steps == 472 and .sum_step_load == 472 and .bound_load_exact == "2880/7"' explained
holds '.load_ratio > 1.147 and .load_ratio < 1.148 and .busiest_link_idle_steps == 0' explained
collc synth alltoall -t "$login" --explain --format json >explained
# The routes as they are cannot come near the bound: who sends blocks round comes first, and is faster than they let others be.
holds '[.methods[].method] == ["relays", "ring", "shares", "trees", "greedy", "exact", "phases", "turns", "birkhoff", "fit"]' explained
holds '.methods[-1].problem == "not tried: relays is faster than blocks that go straight can be"' explained
holds '.method == "relays" and .load_ratio < 1.01 and .time_ratio < 1.01 and .max_total_load < 415' explained
collc predict made.sched --bytes 1MiB | grep -q fit
collc emit made.sched | grep -q MPI_Isend

collc synth alltoallv -t "$plafrim" --counts '((i*7919+j*104729) mod 1009)^2' --explain --format json >explained
holds '.method == "relays" and .load_ratio < 1.001' explained

for site in "$plafrim" "$login"; do
    collc synth allgather -t "$site" --bytes 16MiB --explain --format json >explained
    holds '.method == "ring" and .load_ratio == 1 and .time_ratio < 1.01' explained
    holds '.methods[-1].problem | startswith("not tried")' explained
done

collc synth bcast -t torus:4x4 --root 5 --bytes 1GB --explain --format json >explained
holds '.bound_kind == "cut" and .bound_load_exact == "1/4" and .load_ratio < 1.06 and .time_ratio < 1.1' explained
collc synth allgather -t torus:6x6 --bytes 1GB --method trees --explain --format json >explained
holds '.bound_load_exact == "35/4" and .load_ratio >= 1 and .load_ratio < 1.02' explained
collc synth allgather -t torus:6x6 --bytes 1GB --explain --format json >explained
holds '.method == "greedy" and .load_ratio < 1.03 and .time_ratio < 1.175' explained

# Rows of the table are what the script prints.
"$root/scripts/compare-synthesis" --build "$build" mesh 'two rails' >table
grep -E '^(mesh|two)' table >rows
expect 'rows of the table' "$(wc -l <rows)" 2
while read -r row; do
    grep -qxF "$row" "$root/docs/synthesis.md" || { echo "docs/synthesis.md: now $row"; exit 1; }
done <rows
