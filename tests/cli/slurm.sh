# Slurm's topologies: what the files say, and that what is written reads back as the same
# machines under the same leaves.
set -e
clusters=$root/examples/clusters
fail() { echo "$*"; exit 1; }

# shape FILE EXPECTED
shape() {
    found=$(collc topo "$1" --to shape 2>messages)
    [ "$found" = "$2" ] || fail "$1: shape $found, expected $2"
}
shape "$clusters/slurm-tree.conf" fattree:8x2x6,up=1x1x1
grep -q 'slurm-tree.conf: warning: .*one from each switch to every switch above it is assumed \[T008\]' messages
shape "$clusters/slurm-blocks.conf" fattree:8x12,up=1x1
grep -q 'one from each block to a switch over all blocks is assumed \[T008\]' messages
shape "$clusters/slurm-torus.yaml" torus:4x4x4
grep -q "of several topologies 'torus' is taken; left out: '[a-z]*' ([a-z]*) \[T008\]" messages

# Everything topology.conf allows: case, comments, continued lines, quotes, several parents (a
# fat tree with its two spines), an empty switch, and, with a warning, a node under two leaves.
cat >topology.conf <<'END'
# spines first
SWITCHNAME=spine0 switches=leaf[0-1] LinkSpeed=100   # the unit is anybody's
SwitchName = "spine1" Switches = "leaf[0-1]"
SwitchName=leaf0 \
    Nodes=node[00-01],\
login
SwitchName=leaf1 Nodes=node[02-03],login
SwitchName=spare
END
collc topo topology.conf --format json >report 2>messages
jq -e '.machines == 5 and .routers == 5 and .links == 20' report >/dev/null ||
    fail "$(cat report)"
grep -q "topology.conf:7:36: warning: node 'login' is under switch 'leaf0' and under 'leaf1' \[T008\]" messages ||
    fail "$(cat messages)"
collc route topology.conf --from node00 --to node03 2>messages >route
grep -q 'node00 -> node03: 4 links' route

# The tree is taken where a file has switches and blocks.
printf 'BlockName=b Nodes=n[0-1]\nSwitchName=s Nodes=n[0-3]\nBlockSizes=2,4\n' >both.conf
shape both.conf star:4
grep -q 'both.conf:1:11: warning: left out 1 block: the file describes switches, too \[T008\]' messages ||
    fail "$(cat messages)"

# A ring, and a torus without a node at every place.
printf 'RingName=r Nodes=n[0-5]\n' >ring.conf
shape ring.conf torus:6
cat >part.yaml <<'END'
- topology: part
  torus3d:
    toruses:
      - name: t
        dims: {x: 3, y: 2, z: 1}
        regions: [{anchor: {x: 1, y: 0, z: 0}, dims: {x: 2, y: 2, z: 1}, nodes: 'n[1-4]'}]
END
collc route part.yaml --from n1 --to n4 >route
grep -q 'n1 -> n4: 4 links' route

# leaves FILE: every machine and its leaf switch, from the links of the XML form
leaves() {
    collc topo "$1" --to xml 2>messages |
        sed -n 's/.*<machine name="\([^"]*\)".*/machine \1/p; s/.*<link a="\([^"]*\)" b="\([^"]*\)".*/link \1 \2/p' |
        awk '$1 == "machine" { is[$2] = 1 } $1 == "link" && is[$2] { print $2, $3 }
             $1 == "link" && is[$3] { print $3, $2 }' | sort
}
for topology in "$clusters/slurm-tree.conf" "$clusters/star24.txt" "$clusters/ft2_4s8l64h.txt" \
    "$clusters/ft2_8s8l64h.txt"; do
    collc topo "$topology" --to slurm -o written.yaml 2>messages
    leaves "$topology" >before
    leaves written.yaml >after
    [ -s before ] && diff before after || fail "$topology: other leaves"
done
grep -q '^# spine00 is spine\[00-07\], 8 switches with the same neighbours below$' written.yaml
grep -q '^# 64 cables between switches are 8 here: Slurm has no cables$' written.yaml
for string in star:5 fattree:4x4,up=1x1 torus:4x3x2 torus:5x4 torus:7; do
    collc topo "$string" --to slurm -o written.yaml
    shape written.yaml "$string"
done
collc topo "$clusters/slurm-torus.yaml" --to slurm -o written.yaml 2>messages
grep -q 'nodes: "rack0n\[00-31\],rack1n\[00-31\]"' written.yaml
shape written.yaml torus:4x4x4
# Aggregation switches are joined first, the cores above them then.
collc topo fattree:2x2x2 --to slurm >written.yaml
[ "$(grep -c -- '- switch:' written.yaml)" -eq 7 ] || fail "$(cat written.yaml)"

# A switch with nodes and switches below it becomes two, which Slurm asks for.
cat >chain.xml <<'END'
<topology version="1"><graph>
  <machine name="a"/> <machine name="b"/> <machine name="c"/>
  <router name="s"/> <router name="t"/> <router name="u"/>
  <link a="a" b="s"/> <link a="b" b="t"/> <link a="c" b="u"/> <link a="s" b="t"/> <link a="t" b="u"/>
</graph></topology>
END
collc topo chain.xml --to slurm >written.yaml
grep -q 'switch: "t.up"' written.yaml && grep -q 'children: "t,s,u"' written.yaml || fail "$(cat written.yaml)"
collc topo written.yaml >report 2>messages

# A switch with nothing below it has no place there.
printf 'BlockName=a Nodes=n[1-4]\nBlockName=b\nBlockName=d Nodes=n[5-8]\nBlockSizes=4\n' >idle.conf
collc topo idle.conf --to slurm >written.yaml 2>messages
grep -q '^# left out: 1 of 4 switches, which lead to no machine$' written.yaml || fail "$(cat written.yaml)"
shape written.yaml fattree:4x2,up=1x1

# Trees that nothing joins stay apart.
printf 'SwitchName=a Nodes=n[1-4]\nSwitchName=b1 Nodes=n[5-6]\nSwitchName=b2 Nodes=n[7-8]\nSwitchName=b Switches=b[1-2]\n' >forest.conf
collc topo forest.conf --to slurm >written.yaml 2>messages
grep -q '^# 2 trees that nothing joins' written.yaml && grep -q 'children: "b\[1-2\]"' written.yaml || fail "$(cat written.yaml)"
collc topo forest.conf 2>messages | sed 1d | grep -v fingerprint >first
collc topo written.yaml 2>messages | sed 1d | grep -v fingerprint >again
cmp -s first again || fail "$(diff first again)"

# Networks that it cannot hold
refuse() { # TOPOLOGY SENTENCE
    status=0
    collc topo "$1" --to slurm >written.yaml 2>messages || status=$?
    [ $status -eq 2 ] && [ ! -s written.yaml ] && grep -q "$2" messages || fail "$1: $(cat messages)"
}
refuse full:4 "'m0' is cabled to another machine"
refuse mesh:3x3 "is cabled to another machine"
refuse "$clusters/dualrail8.txt" "'node000' is cabled to several switches"
refuse "$clusters/plafrim1.txt" 'its switches form no tree'
sed 's/name="a"/name="a,b"/; s/a="a"/a="a,b"/' chain.xml >comma.xml
refuse comma.xml "a name has a character that means something in Slurm's lists"
