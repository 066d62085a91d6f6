# A network written in DOT is the same when it is read, and has the same routes.
set -e
clusters=$root/examples/clusters
fingerprint() { collc topo "$@" --format json | jq -r .fingerprint; }
figures() { collc route "$@" --metrics --format json | jq 'del(.topology, .routing, .routes, .unrouted)'; }

for file in plafrim1.txt dualrail8.txt ft2_4s8l64h.txt torus4x4x4.txt loginoff-qdr-fdr10-2014.txt; do
    collc topo "$clusters/$file" --to dot -o graph.dot
    [ "$(fingerprint "$clusters/$file")" = "$(fingerprint graph.dot)" ] ||
        { echo "$file: another network in DOT"; exit 1; }
done

# Tables, hop by hop.
collc topo "$clusters/ft2_4s8l64h.txt" --routes "$clusters/ft2_4s8l64h-ftree.dump" --to dot -o routed.dot
for pair in 'node000 node063' 'node017 node040' 'node009 node008'; do
    set -- $pair
    collc route "$clusters/ft2_4s8l64h.txt" --routes "$clusters/ft2_4s8l64h-ftree.dump" \
        --from "$1" --to "$2" | grep ' link ' >expected
    collc route routed.dot --from "$1" --to "$2" | grep ' link ' >actual
    diff expected actual
done
figures "$clusters/ft2_4s8l64h.txt" --routes "$clusters/ft2_4s8l64h-ftree.dump" >expected
figures routed.dot >actual
diff expected actual

# The rule of a tree becomes tables, too.
collc topo fattree:4x4x4,up=1x2x4 --to dot -o tree.dot
figures fattree:4x4x4,up=1x2x4 | sort >expected
figures tree.dot | sort >actual
diff expected actual

# A message names what DOT cannot hold.
collc topo fattree:64x64 --to dot | head -n 1 | grep -q '^// without its routes: there are too many$'
if collc topo torus:4x4 --to dot 2>message; then exit 1; fi
grep -q 'machines forward nothing' message
collc topo full:5 --to dot | collc topo dot:- | grep -q 'shape *full:5'

# Graphviz reads it as we do.
dot -Tcanon routed.dot >canonical.dot
collc route canonical.dot --from node017 --to node040 | sed 's/^ *link [0-9]* *//' >actual
collc route routed.dot --from node017 --to node040 | sed 's/^ *link [0-9]* *//' >expected
diff expected actual
