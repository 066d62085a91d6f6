# The native form read again is the same network, and is valid by the schema.
set -e
for shape in star:3 torus:4x3 mesh:2x2x2 fattree:2x2x2; do
    collc topo $shape --to xml >net.xml
    xmllint --noout --relaxng "$root/docs/schema/topology.rng" net.xml
    collc topo $shape --format json | grep -E 'machines|routers|links' >direct
    collc topo net.xml --format json | grep -E 'machines|routers|links' >read
    diff direct read
done
