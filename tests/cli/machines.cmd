# What is inside a machine: hwloc, NCCL and RCCL; and where its adapters are cabled.
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
collc topo plafrim2-0.txt --adapters machines
collc topo plafrim2-1.txt --adapters machines --format json
collc topo star:2 --adapters miriel001.xml
collc topo star:2 --adapters azure-ndv5-topo.xml
