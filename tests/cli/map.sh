# --map and `collc map`: figure 2 of Kawashima et al. 2013, and what is refused.
set -e
. "$root/tests/helpers.sh"
row() { sed -n "s/^# $1 *\([0-9]*\) *\([0-9]*\)$/\1 \2/p" tree.map; }

# The figure: by rank up to 3 hops and routes that overlap, mapped 2 and none.
collc map bcast/binary -t torus:4x4 --bytes 64KiB -o tree.map
expect 'longest route' "$(row 'longest route, links')" '3 2'
expect 'shared cables' "$(row 'cables that routes share, either direction')" '9 0'
expect 'numbers' "$(grep -v '^#' tree.map | tr ' ' '\n' | sort -n | tr '\n' ' ')" "$(seq 0 15 | tr '\n' ' ')"

# There both ways round are equally long: by the better one of each no link is shared, some cables are, both ways.
collc map bcast/binary -t torus:4x4 --routing adaptive -o ways.map
expect 'the same map' "$(grep -v '^#' ways.map)" "$(grep -v '^#' tree.map)"
mv tree.map fixed.map && mv ways.map tree.map
expect 'links, ways chosen' "$(row 'links shared, ways chosen')" '0 0'
expect 'cables, ways chosen' "$(row 'cables shared, ways chosen' | cut -d' ' -f1)" 6
# Two links leave the root, for three messages.
collc map bcast/linear -t torus:4 --routing adaptive -q -o tree.map
expect 'two links for three' "$(row 'links shared, ways chosen')" '1 1'
mv fixed.map tree.map

# The file does what the search does; the time of the report is that of predict.
collc compile bcast/binary -t torus:4x4 --map tree.map -o file.sched
collc compile bcast/binary -t torus:4x4 --map greedy | cmp - file.sched
expect 'time' "$(collc predict --model step bcast/binary -t torus:4x4 --bytes 64KiB --map tree.map --format json |
    jq '.times[0].time_ns')" "$(row 'time by the model step, ns' | cut -d' ' -f2)"
collc verify bcast/binary -t torus:4x4 --map tree.map --max-link-load 1 |
    grep -q 'link load   at most 1 in a step, 1 in all'
collc verify bcast/binary -t torus:4x4 | grep -q 'link load   at most . in a step, 2 in all'

# So it is with other costs of hosts, which choose the algorithm too.
collc map --best bcast -t torus:4x4 --bytes 64KiB --overhead 5us -o best.map 2>said
chosen=$(sed -n 's/^collc: best: \(.*\), .*; next.*/\1/p' said)
expect 'time of the best' "$(collc predict --model step $chosen -t torus:4x4 --bytes 64KiB --overhead 5us --map best.map --to csv |
    sed 1d | cut -d, -f5)" "$(sed -n 's/^# time by the model step, ns *[0-9]* *\([0-9]*\)$/\1/p' best.map)"

# Drawn: 15 arrows of the tree, 16 loaded links.
collc draw bcast/binary -t torus:4x4 --map tree.map --what tree >tree.dot
expect 'arrows' "$(grep -c -- '->' tree.dot)" 15
for v in 1 2; do
    child=$(grep -v '^#' tree.map | tr ' ' '\n' | sed -n "$((v + 1))p")
    grep -Eq "^[[:space:]]0 -> $child[[:space:]]" tree.dot
done

# A schedule file may be mapped, the root stays where it is; a map that moves it is refused.
collc compile bcast/binary -t torus:4x4 -o plain.sched
collc compile plain.sched --map tree.map | cmp - file.sched
seq 15 -1 0 >turned.map
status=0; collc verify plain.sched --map turned.map 2>said || status=$?
expect 'moved root' "$status $(grep -c 'a schedule file keeps its root' said)" '2 1'
collc verify bcast/binary -t torus:4x4 --map turned.map --root 3 -q
expect 'root' "$(collc compile bcast/binary -t torus:4x4 --map turned.map --root 3 | sed -n 's/^root //p')" 3

# An ordered algorithm loses its order; a scan cannot be renumbered.
collc compile reduce_scatter_block/noncommutative --ranks 16 | grep -q '^ordered'
collc compile reduce_scatter_block/noncommutative --ranks 16 --map turned.map >mapped.sched
if grep -q '^ordered' mapped.sched; then exit 1; fi
status=0; collc verify scan/linear --ranks 16 --map turned.map 2>said || status=$?
expect 'scan' "$status $(grep -c 'the ranks of scan cannot be renumbered' said)" '2 1'
status=0; collc map bcast/binary --ranks 16 2>said || status=$?
expect 'no network' "$status $(grep -c 'no topology is given' said)" '2 1'

# Loads are chunks alone where all links are equally fast, else the report says what they are.
expect 'weighed' "$(collc map bcast/binary -t "$root/examples/clusters/plafrim1.txt" --ranks 12 |
    grep -c 'as many times as its link is slower') $(grep -c 'is slower' tree.map || :)" '1 0'

# Errors of the file have a place.
printf '0 1 2\n1 3\n' >twice.map
status=0; collc verify bcast/binary --ranks 5 --map twice.map 2>said || status=$?
expect 'twice' "$status $(grep -c '^twice.map:2:1: error: rank 1 is named twice \[A004\]' said)" '2 1'
status=0; collc verify bcast/binary --ranks 16 --map nowhere 2>said || status=$?
expect 'no file' "$status $(grep -c 'I001' said)" '2 1'

# Ranks of a machine next to each other: a ring over ranks placed in turn on 4 machines.
expect 'servers' "$(collc verify allgather/ring -t star:4 --ranks-per-machine 8 --placement cyclic \
    --map greedy | grep -c 'link load   at most 1 in a step')" 1

# Files of hosts: the algorithm placed by them has the figures that it has mapped.
fabric=$root/examples/clusters/loginoff-qdr-fdr10-2014.txt
collc map bcast/binary -t "$fabric" --ranks 48 -o hosts.map
collc verify bcast/binary -t "$fabric" --ranks 48 --map hosts.map --format json >mapped
figures() { jq '[.max_link_load, .max_total_load, .sum_step_load, .contended_steps, .max_fan_in]' "$1"; }
for form in slurm openmpi mpich; do
    collc map bcast/binary -t "$fabric" --ranks 48 --to $form -o hosts.$form 2>said
    grep -q '^# busiest link of each step' said
    collc verify bcast/binary -t "$fabric" --placement hosts.$form --format json >placed
    expect "hosts for $form" "$(figures placed)" "$(figures mapped)"
done
expect 'slurm' "$(sed 's/.*=\(.*\) slot=0$/\1/' hosts.openmpi)" "$(cat hosts.slurm)"
expect 'mpich' "$(sed 's/:1$//' hosts.mpich)" "$(cat hosts.slurm)"
collc map alltoall/bruck -t star:4 --ranks-per-machine 2 --to openmpi -q >ranks
expect 'slots' "$(grep -c 'slot=0$' ranks) $(grep -c 'slot=1$' ranks)" '4 4'
collc verify alltoall/bruck -t star:4 --placement ranks -q
# A map that does not leave the ranks of a host together, names that are none.
status=0; collc map alltoall/ring -t star:4 --ranks-per-machine 2 --placement cyclic --to mpich >none 2>said || status=$?
expect 'no blocks' "$status $(grep -c 'next to each other' said)" '2 1'
[ ! -s none ]
status=0; collc map bcast/binomial -t torus:4x4 --to slurm >none 2>said || status=$?
expect 'no hosts' "$status $(grep -c 'no name that a launcher takes' said)" '2 1'
[ ! -s none ]

# Whoever asks for a map is told that there is no better one, and not where there is.
collc map alltoall/ring -t star:5 -o none.map 2>said
grep -q 'nothing better was found' said
collc map alltoall/ring -t star:5 -q -o none.map 2>said
[ ! -s said ]

# Hosts in no order: each order of hosts is tried, so no map is worse than a sorted host file, also on
# pairs too many for a search.
summed() { sed -n 's/^# busiest link of each step, sum, chunks  *[0-9]*  *\([0-9]*\)$/\1/p'; }
while read -r algorithm sorted; do
    found=$(collc map "$algorithm" -t fattree:8x8 --order random --seed 3 | summed)
    [ "$found" -le "$sorted" ] || { echo "$algorithm: $found, sorted $sorted"; exit 1; }
done <<ROWS
alltoall/ring 63
alltoall/pairwise 63
alltoall/bruck 192
allgather/recursive_doubling 63
allgather/ring 63
allreduce/recursive_doubling 6
bcast/binomial 6
ROWS
if ! is_short; then
    collc map alltoall/ring -t fattree:24x24 --order random --seed 3 -o many.map
    grep -q 'communicate: only orders of hosts were tried' many.map
    grep -q '^# hosts sorted by name$' many.map
    expect 'many' "$(summed <many.map)" 575
    collc map alltoall/ring -t fattree:24x24 --order random --work 1000 -q -o few.map
    grep -q 'no map was searched for; --work allows more' few.map
    expect 'few' "$(grep -v '^#' few.map | tr ' ' '\n')" "$(seq 0 575)"
fi
# A root stays where it is.
for root in 0 5; do
    collc map bcast/binomial -t fattree:8x8 --order random --seed 3 --root $root | grep -v '^#' | tr ' ' '\n' |
        sed -n "$((root + 1))p" | grep -qx $root
done

# Names that have nothing to do with cables: host n on switch n mod 4; the first has none. verify names the order.
{
    echo 'graph net {'
    for i in 0 1 2 3; do echo "l$i [type=switch] l$i -- s0 l$i -- s1"; done
    echo 's0 [type=switch] s1 [type=switch]'
    for i in $(seq 1 16); do echo "n$i -- l$((i % 4))"; done
    echo '}'
} >names.dot
printf 'n%s slots=1\n' 3 14 7 1 12 16 5 10 2 9 13 6 4 8 11 15 >shuffled.hosts
better() { sed -n 's/^  better      \(.*\) chunks summed over steps; .collc map. writes it, with --to as a file of hosts$/\1/p'; }
collc verify allgather/ring -t names.dot --placement shuffled.hosts >report
expect 'by switch' "$(better <report)" 'hosts sorted by switch: 15 instead of 45'
collc verify allgather/ring -t names.dot --placement shuffled.hosts --format json |
    jq -e '.host_order == {"order": "sorted by switch", "sum_step_chunks": 15, "sum_step_chunks_placed": 45}' >/dev/null
collc map allgather/ring -t names.dot --placement shuffled.hosts --to openmpi -o sorted.hosts 2>said
absent 'the root' said
# A schedule that is in order, is mapped, is asked for quietly, or cannot be renumbered gets no such line.
for arguments in 'allgather/ring --placement sorted.hosts' 'allgather/ring' 'scan/linear --placement shuffled.hosts' \
    'allgather/ring --placement shuffled.hosts --map greedy' 'allgather/ring --placement shuffled.hosts -q'; do
    collc verify $arguments -t names.dot >report
    expect "no order: $arguments" "$(better <report)" ''
done
# Unequal numbers of ranks, and a part of the hosts: the figure is that of the map.
printf 'n%s slots=%s\n' 3 2 14 1 7 3 1 2 12 2 16 1 5 1 >unequal.hosts
collc verify allgather/ring -t names.dot --placement unequal.hosts >report
order=$(sed -n 's/^  better .*: \([0-9]*\) instead .*/\1/p' report)
[ "$(collc map allgather/ring -t names.dot --placement unequal.hosts | summed)" -le "$order" ]
# Ranks that are dealt to hosts in turn stay so where the algorithm has hosts in mind.
collc verify allreduce/hierarchical_ring -t fattree:8x8 --ranks-per-machine 4 --placement cyclic --order random >report
expect 'in turn' "$(better <report)" 'hosts sorted by name: 504 instead of 1512'
