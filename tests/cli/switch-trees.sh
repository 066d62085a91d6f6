# The 2-level ring on trees of switches, beside the bound by cuts and a ring with one more
# level: the closed forms of docs/reproduction.md, "Trees of switches".
set -e
field() { sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" record; }
expect() { [ "$2" = "$3" ] || { echo "$1: $2, expected $3"; exit 1; }; }
measure() { # ALGORITHM TOPOLOGY RANKS_PER_MACHINE PARAMETER...
    algorithm=$1 topology=$2 ranks=$3
    shift 3
    collc verify "$algorithm" -t "$topology" --ranks-per-machine "$ranks" "$@" --format json >record
}
three=$root/examples/naruse2010/three_level_ring.coll

# H hosts and u trunks a switch, S servers of n ranks, c = H/u: cut n^2 c (S-H), 2-level ring
# n^2 c (u-1) more, 3-level ring n^2 (H-1) more.
for shape in "4 8 1 1" "4 8 2 1" "4 8 2 3" "4 8 4 2" "6 5 2 1" "6 5 3 2" "8 8 4 1" "8 3 2 2"; do
    set -- $shape
    tree="fattree:$1x$2,up=1x$3"
    servers=$(($1 * $2)) square=$(($4 * $4)) ratio=$(($1 / $3))
    cut=$((square * ratio * (servers - $1)))
    measure alltoall/two_level_ring "$tree" "$4"
    expect "$tree: trunk, in all" "$(field max_total_load)" \
        $((cut > square * (servers - 1) ? cut : square * (servers - 1)))
    expect "$tree: 2-level ring" "$(field sum_step_load)" $((cut + square * ratio * ($3 - 1)))
    expect "$tree: peak" "$(field max_link_load)" $(($4 * ratio))
    expect "$tree: fan-in" "$(field max_fan_in)" 1
    measure "$three" "$tree" "$4" --param hosts="$1"
    expect "$tree: 3-level ring" "$(field sum_step_load)" $((cut + square * ($1 - 1)))
    expect "$tree: peak of 3 levels" "$(field max_link_load)" $(($4 * ratio))
done

# Two layers of switches, halved twice: 16 servers below each of 4 switches with 4 trunks.
for ranks in 1 2; do
    square=$((ranks * ranks)) tree=fattree:4x4x4,up=1x2x2
    measure alltoall/two_level_ring $tree $ranks
    expect "$tree: trunk, in all" "$(field max_total_load)" $((square * 16 * 48 / 4))
    expect "$tree: 2-level ring" "$(field sum_step_load)" $((square * 208))
    measure "$three" $tree $ranks --param hosts=4
    expect "$tree: 3-level ring" "$(field sum_step_load)" $((square * 203))
done

# As many trunks as servers: the links of the servers bound it, and both meet the bound.
for algorithm in alltoall/two_level_ring "$three"; do
    measure "$algorithm" fattree:4x4x4 3
    expect "$algorithm on fattree:4x4x4" "$(field sum_step_load)" $((9 * 63))
done
