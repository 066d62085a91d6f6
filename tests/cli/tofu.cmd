# Tofu: six dimensions as a network, three for programs.
collc topo tofu:24x18x16
collc topo tofu:2x1x3,bw=5GB/s --to xml >tofu.xml && cat tofu.xml && collc topo tofu.xml
collc route tofu:1x1x1 --from m0 --to m11
# every message between logical neighbours crosses one link of its own
collc verify bcast/trinaryx3 -t tofu:2x3x1 --root 7 --param pieces=2
collc verify bcast/trinaryx3 -t torus:2x3x1x2mx3x2m
for wrong in tofu:2x2 tofu:2x2mx2 tofu:0x1x1 tofu:2x2x2,up=1x1x1 tofu:2x2x2,bw=1GB/s:2GB/s:3GB/s; do
    collc topo $wrong
done
sed 's/extents="2x1x3"/extents="2x1" wraps="yes"/' tofu.xml >wrong.xml
collc topo wrong.xml
