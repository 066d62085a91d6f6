# Hosts with several adapters: ports, not hosts, are what is contended; and which adapters count.
cp "$root"/tests/data/rails/*.txt .
collc verify alltoall/ring -t four-rails.txt --ranks-per-machine 4 --max-fan-in 1
collc verify alltoall/ring -t storage.txt 2>&1
collc verify alltoall/ring -t storage.txt --adapters '^switch:stor*' 2>&1
collc topo storage.txt --adapters mlx5_2 2>&1
collc topo four-rails.txt --adapters NCCL_IB_HCA=mlx5_1 --to slurm
collc topo four-rails.txt --adapters rail:0-1,switch:rail3 | grep links
collc topo four-rails.txt --adapters UCX_NET_DEVICES=mlx5_0:1,mlx5_3:1 | grep links
collc topo four-rails.txt --adapters rate:50GB/s; echo $?
collc topo four-rails.txt --adapters mlx5_0,mlx5_7; echo $?
collc topo four-rails.txt --adapters rail:3-1; echo $?
collc topo four-rails.txt --adapters mlx5_0:x; echo $?
collc topo four-rails.txt --adapters ''; echo $?
collc topo four-rails.txt --adapters '^mlx5_*'; echo $?
collc topo star:4 --adapters mlx5_0; echo $?
collc verify alltoall/ring --ranks 4 --adapters mlx5_0; echo $?
# In a project, a network says its adapters.
printf '%s\n' 'schedules: alltoall/ring' 'networks:' '  - network: storage.txt' '    adapters: switch:leaf*' >collc.yaml
collc check collc.yaml 2>&1
# One switch sends several servers to one adapter.
cat >one.xml <<'XML'
<topology version="1"><graph><machine name="a"/><machine name="b"/><machine name="c"/>
<router name="r0"/><router name="r1"/>
<link a="a" b="r0"/><link a="a" b="r1"/><link a="b" b="r0"/><link a="c" b="r0"/></graph></topology>
XML
printf '%s\n' 'alltoall all_at_once' 'ranks r: p' 'step' '  for d in 1 .. p-1' '    send in[r+d] to r+d' '    recv out[r-d] from r-d' >a.coll
collc verify a.coll -t one.xml --max-fan-in 1 2>&1 | grep -v routing
# ':1' is a port, be it in the name that the file has or the number of the port; an interface is told.
sed 's|a="\([abc]\)" b="r\([01]\)"|a="\1" b="r\2" a-adapter="mlx5_0:\2"|g; s/mlx5_0:1/mlx5_0:2/g; s/mlx5_0:0/mlx5_0:1/g' one.xml >named.xml
for list in mlx5_0:1 mlx5_0 'mlx5_0:*' mlx5_0:3 ib0; do collc topo named.xml --adapters $list 2>&1 | grep -E 'error|help|^  links'; done
for word in mlx5_0:1 mlx5_0:2 ib0; do echo $word >words; collc verify alltoall/ring -t four-rails.txt --rank-adapters words 2>&1 | grep -E 'error|help|verdict'; done
