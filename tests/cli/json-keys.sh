# Every key that is printed has its row in a table of docs/json.md.
set -e
{
    collc verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1 --max-link-load 1 \
        --per-step --format json || [ $? -eq 1 ]
    collc topo torus:3x3 --format json
    collc topo "$root/examples/sumimoto2000/fig1.xml" --format json
    collc verify alltoall/ring -t "$root/examples/sumimoto2000/fig1.xml" --format json
    collc route "$root/examples/sumimoto2000/fig1.xml" --networks --format json
    collc route torus:4x4 --metrics --format json
    collc route star:3 --from m0 --to m1 --format json
    collc route star:3 --link 0 --format json
    collc topo "$root/examples/clusters/plafrim2-0.txt" \
        --hwloc "$root/tests/data/machines/sirocco01.xml" --format json
    collc topo torus:4x4 --fail '(0,0):(0,1)' --against torus:4x4 --format json || [ $? -eq 1 ]
    collc explain --format json
    collc lint "$root/tests/mpi/relay.coll" --format json || [ $? -eq 1 ]
    collc algorithms --format json
    collc predict bcast/chain -t star:3 --sizes 8,1KiB --per-step --format json
    collc simulate bcast/chain -t star:3 --bytes 8 --per-step --over-time --format json
    collc best bcast -t star:8 --format json
    collc diff alltoall/ring alltoall/spread -t torus:4x4 --format json || [ $? -eq 1 ]
    collc pick "$root/tests/data/tables/sound.rules" --target ompi-4.1 scatter --ranks 4 --bytes 1 \
        --insignificant 0 --format json
    collc bound alltoall -t torus:4x4 --format json
    collc synth alltoall -t star:4 --explain --format json
} | grep -o '"[a-z_]*":' | tr -d '":' | sort -u >keys
[ "$(wc -l <keys)" -gt 50 ]
while read -r key; do
    grep -qE "^    ([^ ]*[.])?$key " "$root/docs/json.md" || { echo "docs/json.md has no row of '$key'"; exit 1; }
done <keys

# Every line of a report on a network is explained on the page of what is measured.
collc verify alltoall/ring -t "$root/examples/clusters/torus4x4x4.txt" --ranks-per-machine 2 -v >lines
grep -q '^  routing     assumed, without tables: ' lines
cut -c3-13 lines | sed '1d; s/ *$//' | grep -v '^steps$' >labels
[ "$(wc -l <labels)" = 14 ]
while read -r label; do
    grep -q "^\`$label\` | " "$root/docs/rules.md" || { echo "docs/rules.md does not say what '$label' is"; exit 1; }
done <labels
