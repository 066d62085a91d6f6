# The 2-level ring on trees of switches, beside the bound by cuts and the ring over switches
# that meets it: the closed forms of docs/beyond.md, "Trees of switches".
set -e
. "$root/tests/helpers.sh"
measure() { # ALGORITHM TOPOLOGY RANKS_PER_MACHINE PARAMETER...
    algorithm=$1 topology=$2 ranks=$3
    shift 3
    collc verify "$algorithm" -t "$topology" --ranks-per-machine "$ranks" "$@" --format json >record
}
measure_switches() { # TOPOLOGY RANKS_PER_MACHINE HOSTS TRUNKS
    measure "$root/examples/naruse2010/switch_ring.coll" "$1" "$2" --param hosts="$3" --param trunks="$4"
    expect "$1: complete" "$(field complete)" true
    expect "$1: fan-in over switches" "$(field max_fan_in)" 1
}

# H hosts and u trunks a switch, L switches, S servers of n ranks, c = H/u. Cut: n^2 c (S-H), or
# n^2 (S-1) by the links of servers; 2-level ring: n^2 c (u-1) above the former; switch ring: the cut.
for shape in "4 8 1 1" "4 8 2 1" "4 8 2 3" "4 8 4 2" "6 5 2 1" "6 5 3 2" "8 8 4 1" "8 3 2 2" \
    "4 2 2 1" "4 3 1 2" "12 7 3 1" "12 2 1 1"; do
    set -- $shape
    tree="fattree:$1x$2,up=1x$3"
    servers=$(($1 * $2)) square=$(($4 * $4)) ratio=$(($1 / $3))
    trunks=$((square * ratio * (servers - $1))) links=$((square * (servers - 1)))
    cut=$((trunks > links ? trunks : links))
    collc bound alltoall -t "$tree" --ranks-per-machine "$4" --format json >bounds
    expect "$tree: bound" "$(jq '[.bounds[].bound_load] | max' bounds)" $cut
    measure alltoall/two_level_ring "$tree" "$4"
    expect "$tree: largest load, in all" "$(field max_total_load)" $cut
    expect "$tree: 2-level ring" "$(field sum_step_load)" $((trunks + square * ratio * ($3 - 1)))
    expect "$tree: peak" "$(field max_link_load)" $(($4 * ratio))
    expect "$tree: fan-in" "$(field max_fan_in)" 1
    measure_switches "$tree" "$4" "$1" "$3"
    expect "$tree: steps" "$(field steps)" $((servers * $4))
    expect "$tree: switch ring" "$(field sum_step_load)" $cut
    expect "$tree: peak of it" "$(field max_link_load)" $(($4 * (ratio > 1 ? ratio - ratio / $2 : 1)))
    measure_switches "$tree" "$4" "$1" "$1"
    expect "$tree: not turned" "$(field sum_step_load)" $((trunks + square * ($1 - 1)))
done

# Two layers of switches, halved twice: 16 servers below each of 4 switches with 4 trunks.
for ranks in 1 2; do
    square=$((ranks * ranks)) tree=fattree:4x4x4,up=1x2x2
    measure alltoall/two_level_ring $tree $ranks
    expect "$tree: trunk, in all" "$(field max_total_load)" $((square * 16 * 48 / 4))
    expect "$tree: 2-level ring" "$(field sum_step_load)" $((square * 208))
    measure_switches $tree $ranks 16 4
    expect "$tree: switch ring" "$(field sum_step_load)" $((square * 192))
    expect "$tree: peak of it" "$(field max_link_load)" $((ranks * 3))
done

# As many trunks as servers: the links of the servers bound it, and both meet the bound.
measure alltoall/two_level_ring fattree:4x4x4 3
expect "2-level ring on fattree:4x4x4" "$(field sum_step_load)" $((9 * 63))
measure_switches fattree:4x4x4 3 4 4
expect "switch ring on fattree:4x4x4" "$(field sum_step_load)" $((9 * 63))
