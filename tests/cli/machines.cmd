# The inside of a machine: hwloc, NCCL and RCCL; and where its adapters are cabled.
data=$root/tests/data/machines
cp "$data"/*.xml .
collc topo miriel001.xml
collc topo nvidiaDGX2.xml
collc route nvidiaDGX2.xml --from gpu0 --to gpu7
collc route power8gpudistances.xml --from gpu0 --to gpu1
collc route power8gpudistances.xml --from gpu0 --to core4
collc topo azure-ncv4-topo.xml
collc topo azure-ndv5-topo.xml
collc verify alltoall/ring -t topo_8p_940.xml --quiet && echo fine
collc route topo_8p_940.xml --from gpu0 --to gpu7
mkdir machines
cp miriel001.xml mistral03.xml sirocco01.xml machines
cp "$root"/examples/clusters/plafrim2-?.txt .
collc topo plafrim2-0.txt --hwloc machines
collc topo plafrim2-1.txt --hwloc machines --format json
collc topo star:2 --hwloc miriel001.xml
# A cloud's file tells no NVLinks: said, and put in by hand.
collc topo azure-ndv4-topo.xml 2>&1
sed 's|\(class="0x030200".*\)/>|\1><gpu sm="80"><nvlink count="12" tclass="0x068000"/></gpu></pci>|' azure-ndv4-topo.xml >nvlinks.xml
collc route nvlinks.xml --from gpu0 --to gpu7
collc topo star:2 --hwloc azure-ndv5-topo.xml
