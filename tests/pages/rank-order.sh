# The order of machines on networks with real tables: the figures that docs/beyond.md tells of.
set -e
. "$root/tests/helpers.sh"
"$root/tests/data/routes/unpack" data
failed=0

# row FABRIC ALGORITHM ORDER LOAD CONTENDED HOL ARGUMENTS...
row() {
    fabric=$1 algorithm=$2 order=$3 expected="$4 $5 $6"
    shift 6
    collc verify "alltoall/$algorithm" -t "data/$fabric.txt" --order $order "$@" --format json >record
    found=$(jq -r '"\(.max_link_load) \(.contended_steps) \(.hol_steps)"' record)
    [ "$found" = "$expected" ] || { echo "$fabric $algorithm $order: $found, expected $expected"; failed=1; }
}
plafrim() { row plafrim1 "$@" --routes data/plafrim1-tables --ranks-per-machine 8; }
plafrim ring name 216 999 861
plafrim ring switch 232 983 861
plafrim ring 'random --seed 1' 208 999 861
plafrim two_level_ring name 216 992 0
plafrim two_level_ring switch 232 976 0
plafrim two_level_ring 'random --seed 1' 208 992 0
fattree() { row ft8 "$@" --routes data/ft8-ftree.dump --ranks-per-machine 8; }
fattree ring name 8 434 434
fattree ring switch 8 434 434
fattree ring 'random --seed 1' 32 511 434
fattree two_level_ring name 8 0 0
fattree two_level_ring switch 8 0 0
fattree two_level_ring 'random --seed 1' 32 504 0

# Equal seeds give equal schedules, on files as on strings; the report names the order.
collc compile alltoall/ring -t star:9 --order random --seed 5 >a
collc compile alltoall/ring -t star:9 --order random --seed 5 >b
collc compile alltoall/ring -t star:9 --order random --seed 6 >c
cmp a b || failed=1
! cmp -s a c || failed=1
collc verify alltoall/ring -t star:9 --order random --seed 5 >report
present 'block, machines in random order (seed 5)' report

# Without anything to order
echo m0 >hosts
refused 'give --topology' collc verify alltoall/ring --ranks 4 --order switch
refused '--order is for block and cyclic' collc verify alltoall/ring -t star:4 --placement hosts --order switch
exit $failed
