# Files of fabrics as they lie at sites: figures that were worked out by hand.
. "$root/tests/helpers.sh"
golden=$root/tests/golden/topology

# cable FILE A B BANDWIDTH: the only cable between two nodes
cable() {
    collc topo "$1" --to xml 2>messages >network.xml
    found=$(grep -E "<link a=\"$2\" b=\"$3\"|<link a=\"$3\" b=\"$2\"" network.xml | sed 's/.*bandwidth="\([^"]*\)".*/\1/')
    expect "$1: $2 to $3" "$found" "$4"
}

# C2C: 7 x 40 GB/s and 9 x 22 GB/s, where PCI would be 0.75 and 12 GB/s.
cable "$golden/nccl/grace.xml" gpu0 cpu0 280GB/s
cable "$golden/nccl/two-hosts.xml" host1-gpu1 host1-cpu1 198GB/s
# All NVSwitches are one; processors are joined within their host only.
cable "$golden/nccl/two-hosts.xml" host1-gpu0 nvswitch 721800MB/s
cable "$golden/nccl/two-hosts.xml" host0-cpu0 host0-cpu1 6GB/s
cable "$golden/nccl/two-hosts.xml" host0-cpu0 host1-cpu0 ''
# Three GPUs at the one processor of a virtual machine: all ways are by NVSwitches.
for pair in 'gpu0 gpu1' 'gpu0 gpu2' 'gpu1 gpu2' 'gpu2 gpu0'; do
    set -- $pair
    collc route "$golden/nccl/virtual.xml" --from "$1" --to "$2" >route
    present "$1 -> nvswitch" route
done
cable "$golden/nccl/virtual.xml" port-0008:01:00.0 cpu 12GB/s

# One tree of several is as a file with that tree alone.
printf 'SwitchName=top Switches=leaf[0-1]\nSwitchName=leaf0 Nodes=a[0-2]\nSwitchName=leaf1 Nodes=b[0-1]\n' >alone.conf
for collective in allreduce/ring alltoall/pairwise; do
    collc verify $collective -t alone.conf 2>messages | sed 1d >alone
    collc verify $collective -t "$golden/slurm/forest.conf" --machines 'a[0-2],b[0-1]' 2>messages | sed 1d >part
    cmp alone part
done
collc predict allreduce/ring -t alone.conf --sizes 1MiB 2>messages | sed 1d >alone
collc predict allreduce/ring -t "$golden/slurm/forest.conf" --machines 'a[0-2],b[0-1]' --sizes 1MiB 2>messages | sed 1d >part
cmp alone part
collc verify allreduce/ring -t "$golden/slurm/forest.conf" >report 2>messages && exit 1
present 'no route from host' report
# 5 + 4 hosts: 2 x 20 of 72 ordered pairs have none
collc route "$golden/slurm/forest.conf" --unrouted >report 2>messages && exit 1
present '40' report
# It can be written, and read again.
collc topo "$golden/slurm/forest.conf" --to xml 2>messages >forest.xml
expect fingerprint "$(collc topo forest.xml --format json | jq -r .fingerprint)" \
    "$(collc topo "$golden/slurm/forest.conf" --format json 2>messages | jq -r .fingerprint)"
refused "not a value of attribute 'apart'" collc topo /dev/stdin <<'END'
<topology version="1"><graph apart="no"><machine name="a"/></graph></topology>
END

# One of several topologies is named.
collc topo "$golden/slurm/several.yaml:first" --to xml >network.xml
present 'a="n3" b="s"' network.xml
refused "no topology is named 'fourth'" collc topo "$golden/slurm/several.yaml:fourth"
present "there are 'first' (tree), 'second' (block), 'third' (flat)" message
refused 'has no named topologies' collc topo "$golden/slurm/forest.conf:top"
refused 'holds one network' collc topo "$golden/nccl/grace.xml:cpu0"

# Whatever is around a dump, it is the same network.
plain=$(collc topo "$golden/excerpt/no-tabs.txt" --format json | jq -r .fingerprint)
for name in prompt colours times quoted fence aggregation; do
    expect "$name" "$(collc topo "$golden/excerpt/$name.txt" --format json 2>messages | jq -r .fingerprint)" "$plain"
done
dump=$golden/excerpt/no-tabs.txt
cat -n "$dump" >numbered
grep -n '' "$dump" >grepped
sed 's/"\([^"]*\)"/\xe2\x80\x9c\1\xe2\x80\x9d/g; s/  */\xc2\xa0/g' "$dump" >typeset
sed 's/^/Jan  2 10:00:00 n1 ibnetdiscover[12]: /' "$dump" >journal
{ echo 'Script started on 2024-01-02 10:00:00+00:00'; echo '$ ibnetdiscover'; cat "$dump"; printf '$ exit\nexit\n\nScript done on 2024-01-02\n'; } >script
{ echo '[root@n1 ~]# ibnetdiscover'; cat "$dump"; printf '[root@n1 ~]# logout\nConnection to n1 closed.\n'; } >session
for name in numbered grepped typeset journal script session; do
    expect "$name" "$(collc topo $name --format json 2>messages | jq -r .fingerprint)" "$plain"
done
# Errors have the line of the file.
refused 'wrapped.txt:13:' collc topo "$golden/excerpt/wrapped.txt"
# XML, JSON and files that are named by their format, out of a terminal.
{ echo 'n1$ cat topo.xml'; cat "$golden/nccl/grace.xml"; echo 'n1$ '; } >log.txt
cable log.txt gpu0 cpu0 280GB/s
{ echo 'the file:'; echo '```xml'; sed 's/^/  /' "$golden/nccl/grace.xml"; echo '```'; echo 'what of it?'; } >page.md
cable nccl:page.md gpu0 cpu0 280GB/s
# A folder of several logs
mkdir -p lldp
for file in "$root"/tests/data/lldp/*.json; do
    { echo "$ lldpcli -f json show neighbors"; cat "$file"; echo '$ '; } >"lldp/$(basename "$file")"
done
expect lldp "$(collc topo lldp --format json 2>messages | jq -r .fingerprint)" \
    "$(collc topo "$root/tests/data/lldp" --format json 2>messages | jq -r .fingerprint)"

# Text of lldpcli: the network that the same in JSON makes.
mkdir -p text json
neighbour() {
    printf 'Interface:    %s, via: LLDP, RID: 1\n  Chassis:\n    ChassisID:    mac %s\n    SysName:      %s\n' "$1" "$2" "$3"
    printf '    Capability:   Bridge, on\n  Port:\n    PortID:       ifname %s\n' "$4"
}
for i in 1 2 3; do
    { printf -- '---\nLLDP neighbors:\n---\n'; neighbour eth0 02:00:00:00:00:0a leaf "Ethernet$i"; } >"text/n$i.txt"
    echo '{"lldp": {"interface": {"eth0": {"chassis": {"leaf": {"id": {"type": "mac", "value": "02:00:00:00:00:0a"},
        "capability": {"type": "Bridge", "enabled": true}}}, "port": {"id": {"type": "ifname",
        "value": "Ethernet'$i'"}}}}}}' >"json/n$i.json"
done
expect lldp "$(collc topo text --format json 2>messages | jq -r '.fingerprint, .machines, .routers')" \
    "$(collc topo json --format json 2>messages | jq -r '.fingerprint, .machines, .routers')"
expect machines "$(collc topo text --format json 2>messages | jq -r .machines)" 3

# ibdiagnet's database: NDR and HDR at the ends of a cable are HDR, 25 GB/s.
cable "$golden/db_csv/ports.csv" n2 'MF0;leaf:MQM9700\/U1' 25GB/s
# Two servers with four GPUs each, by NVSwitches: 300 GB/s within, three cables of 100 GB/s above each leaf.
cable "$golden/ns3/simai.txt" node0 nvswitch8 300GB/s
collc route "$golden/ns3/simai.txt" --from node0 --to node3 >route
present 'node0 -> nvswitch8' route

# Orders of ranks: Cray's list has the ranks in the order of their places, OpenSM's the adapters.
printf '# two on each host\n0,2\n\n3,1\n' >order-a
printf 'rank 0 m0\nrank 2 m0\nrank 3 m1\nrank 1 m1\n' >order-b
for collective in bcast/binomial allgather/ring; do
    for file in order-a order-b; do
        collc verify $collective -t star:2 --ranks 4 --ranks-per-machine 2 --placement $file | sed 's/order-[ab]/FILE/' >"$file.report"
    done
    cmp order-a.report order-b.report
done
printf '0-3\n' >bad && refused 'more ranks than the hosts have places' collc verify bcast/binomial -t star:2 --placement bad
printf '0,0\n' >bad && refused 'rank placed twice' collc verify bcast/binomial -t star:2 --placement bad
printf '0,2\n' >bad && refused 'no machine for rank 1' collc verify bcast/binomial -t star:3 --placement bad
printf '1-0\n' >bad && refused 'ends before it begins' collc verify bcast/binomial -t star:3 --placement bad
printf '0x0003\tn3 mlx5_0\n0xFFFF\tDUMMY\n0x0001\tn1 mlx5_0\n0x0004\tn3 mlx5_1\n0x0002\tn2 mlx5_0\n' >order-a
printf 'n3\nn1\nn2\n' >order-b
for file in order-a order-b; do
    collc verify bcast/binomial -t "$golden/excerpt/no-tabs.txt" --placement $file | sed 's/order-[ab]/FILE/' >"$file.report"
done
cmp order-a.report order-b.report
# A map that is written is the map that is read.
collc map bcast/binary -t fattree:2x2,up=1x1 --ranks-per-machine 2 --to mpich-rank-order -o order-a 2>messages
expect ranks "$(tr ',' '\n' <order-a | sort -n | tr '\n' ' ')" '0 1 2 3 4 5 6 7 '
collc map bcast/binary -t fattree:2x2,up=1x1 --ranks-per-machine 2 --to openmpi -o order-b 2>messages
collc map bcast/binary -t fattree:2x2,up=1x1 --ranks-per-machine 2 --to slurm -o order-c 2>messages
for file in order-a order-b order-c; do
    collc verify bcast/binary -t fattree:2x2,up=1x1 --ranks-per-machine 2 --placement "$(echo $file | sed 's/.*c$/slurm:&/')" |
        sed 's/order-[abc]/FILE/' >"$file.report"
done
cmp order-a.report order-b.report
cmp order-a.report order-c.report
# The same as a host file, where names that come again add up: that is said.
collc verify bcast/binary -t fattree:2x2,up=1x1 --placement order-c 2>messages >report
present '^order-c:.*the host comes again: .* \[A007\]' messages
present 'say --placement slurm:order-c' messages
printf 'm0 slots=1\nm1\nm0\n' >hosts && collc verify bcast/binomial -t star:2 --placement hosts >report 2>messages && [ ! -s messages ]
