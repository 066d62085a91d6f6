# Regular shapes are found in real dumps, proved by the map, and refused where one cable differs.
set -e
clusters=$root/examples/clusters
shape_of() {
    [ "$(collc topo "$1" --to shape)" = "$2" ] || { echo "$1 is not $2"; exit 1; }
}
shape_of "$clusters/star24.txt" star:24
shape_of "$clusters/torus4x4x4.txt" torus:4x4x4
shape_of "$clusters/ft2_4s8l64h.txt" fattree:8x8,up=1x4
shape_of "$clusters/ft2_8s8l64h.txt" fattree:8x8
for text in torus:4x3,bw=1GB/s:2GB/s mesh:5 full:4 fattree:4x2x2,lat=500ns:1us:1us; do
    shape_of "$text" "$text"
done
collc topo "$clusters/torus4x4x4.txt" | grep -q '^  shape        torus:4x4x4$'
[ "$(collc topo "$clusters/torus4x4x4.txt" --format json | jq -r .shape)" = torus:4x4x4 ]

# The map is a placement: with it, neighbours in the torus are one switch apart.
collc topo "$clusters/torus4x4x4.txt" --to shape-map -o ranks
[ "$(grep -c '^rank ' ranks)" -eq 64 ]
grep -q '^rank 63 node.*  # (3,3,3)$' ranks
collc verify allgather/ring -t "$clusters/torus4x4x4.txt" --placement ranks -q

# One cable between two leaves and a spine changes its speed: nearly, but no shape.
cat >net.xml <<'XML'
<topology version="1"><graph>
  <machine name="a"/><machine name="b"/><machine name="c"/><machine name="d"/>
  <router name="l0"/><router name="l1"/><router name="s0"/><router name="s1"/>
  <link a="a" b="l0"/><link a="b" b="l0"/><link a="c" b="l1"/><link a="d" b="l1"/>
  <link a="l0" b="s0"/><link a="l0" b="s1"/><link a="l1" b="s0"/><link a="l1" b="s1"/>
</graph></topology>
XML
shape_of net.xml fattree:2x2
sed 's|a="l1" b="s1"|a="l1" b="s1" bandwidth="1GB/s"|' net.xml >slow.xml
if collc topo slow.xml --to shape 2>message; then exit 1; fi
grep -q 'only nearly regular: fattree:2x2 but for the bandwidth or latency of some cables' message
[ "$(collc topo slow.xml --format json | jq .shape)" = null ]
sed 's|a="l1" b="s1"|a="l1" b="s0"|' net.xml >moved.xml
if collc topo moved.xml --to shape 2>message; then exit 1; fi
grep -q 'cannot be written as shape' message

# Classes of links survive XML.
for text in fattree:16x16,up=1x8,bw=1GB/s:2GB/s,lat=500ns:1us torus:4x4x2m,bw=1GB/s:2GB/s:3GB/s; do
    collc topo $text --to xml >net.xml
    xmllint --noout --relaxng "$root/docs/schema/topology.rng" net.xml 2>/dev/null
    shape_of net.xml "$text"
done

# Strings that ask too much: where, why and how to mend it.
refused() { # STRING COLUMN WORDS
    if collc topo "$1" 2>message; then exit 1; fi
    grep -q "^<topology>:1:$2: error: .*$3" message && grep -q '= help: ' message ||
        { echo "$1"; cat message; exit 1; }
}
refused torus:100000x100000 7 'more than 1073741824 machines'
refused torus:0x4 7 'an extent of a grid is between 1'
refused fattree:4x0 9 'parents or cables is 0'
refused star:8,bw=-1GB/s 11 'not a number with a known unit'
refused torus:4x4,lat=-1us 15 'not a number with a known unit'
refused torus:4x4,bw=1GB/s:2GB/s:3GB/s 14 'not as many values as dimensions or levels'
refused torus:4x4,bw=1GB/s: 20 'not a number with a known unit'
refused star:4,lat=1us:2us 12 'not as many values'
refused torus:4x4,bw=1B/s:0B/s 19 'value out of range'
refused fattree:4294967296 9 'at most 8 numbers'
refused mesh:2x2x2x2x2x2x2x2x2 22 'at most 8 numbers'
shape_of rail:8x4 rail:8x4
[ "$(collc topo rail:8x4,up=0x0 --format json | jq -r .shape)" = rail:8x4,up=0 ]
for string in dragonfly+:4x4x5 dragonfly+:2x3x7,up=6x2,bw=1GB/s:2GB/s:4GB/s dragonfly+:8x4x3,up=4x1; do
    shape_of "$string" "$string"
done
refused dragonfly+:4x4x1 12 'it has two groups at least'
