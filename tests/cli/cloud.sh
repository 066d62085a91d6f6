# The list of a cloud's instances is the tree that jq makes of it as Slurm's topology.conf.
set -e
list=$root/examples/clusters/aws-instances.json
jq -r '.Instances as $all
    | ($all | group_by(.NetworkNodes[-1])[] | "SwitchName=\(.[0].NetworkNodes[-1]) Nodes=\(map(.InstanceId) | join(","))"),
      (range(1; $all[0].NetworkNodes | length) as $n
          | $all | map(.NetworkNodes[$n - 1:$n + 1]) | unique | group_by(.[0])[]
          | "SwitchName=\(.[0][0]) Switches=\(map(.[1]) | join(","))")' "$list" >topology.conf
[ "$(grep -c Switches= topology.conf)" = 3 ]
collc topo "$list" --against topology.conf >same 2>/dev/null
collc topo topology.conf --against "$list" >same 2>/dev/null

# An instance on another node is found.
jq '.Instances[3].NetworkNodes = .Instances[0].NetworkNodes' "$list" >moved.json
[ "$(jq -c '[.Instances[0, 3].NetworkNodes[2]] | unique | length' "$list")" = 2 ]
status=0; collc topo "$list" --against moved.json >moved 2>/dev/null || status=$?
[ $status -eq 1 ]
grep -q "$(jq -r '.Instances[3].InstanceId' "$list")" moved

# The same tree from all clouds: cluster, block and sub-block are island, network block and local block.
jq '[.Instances[] | {name: .InstanceId, resourceStatus: {physicalHostTopology:
        ([["cluster", "block", "subblock"], .NetworkNodes] | transpose | map({(.[0]): .[1]}) | add)}}]' "$list" >gcp.json
jq '{data: {items: [.Instances[] | {"instance-id": .InstanceId, "compute-hpc-island-id": .NetworkNodes[0],
        "compute-network-block-id": .NetworkNodes[1], "compute-local-block-id": .NetworkNodes[2]}]}}' "$list" >oci.json
for file in "$list" gcp.json oci.json; do collc topo "$file" --format json 2>/dev/null | jq -r .fingerprint; done >prints
[ "$(sort -u prints | wc -l)" = 1 ]
