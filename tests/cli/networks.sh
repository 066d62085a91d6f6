# Several networks: table 1 of Sumimoto et al. 2000, schedules that carry networks, what
# runtimes are told, and a real machine with two subnets.
set -e
cp -r "$root/examples/sumimoto2000" paper
cp -r "$root/examples/clusters" clusters
cd paper

# Table 1, byte for byte.
cat >table1 <<'END'
PE 0 on smp0
PE#  dev  PE#  dev  PE#  dev  PE#  dev
  0  -      1  SH     2  MY     3  MY
  4  MY     5  MY     6  MY     7  MY
  8  FE     9  FE    10  FE    11  FE
 12  FE    13  FE    14  FE    15  FE
SH=Shmem. MY=Myrinet. FE=Fast Ethernet
END
collc route fig1.xml --networks --placement pes.hosts --from 0 | diff table1 -
collc route fig1.xml --networks --placement pes.hosts --from smp0 | diff table1 -
[ "$(collc route fig1.xml --networks --placement pes.hosts | grep -c '^PE [0-9]')" = 16 ]
collc route fig1.xml --networks --placement pes.hosts --from 15 | tail -n 3 >last
printf '%s\n' '  8  GE     9  GE    10  GE    11  GE' ' 12  GE    13  GE    14  GE    15  -' \
    'GE=Gigabit Ethernet. FE=Fast Ethernet' | diff - last
collc route fig1.xml --networks --ranks 3 --ranks-per-machine 2 --format json >json
jq -e 'any(.. | .destinations? ; . == [null, "SH", "MY"])' json >/dev/null
if collc route fig1.xml --networks --from nobody 2>err; then exit 1; fi
grep -q "there is no rank 'nobody'" err
if collc route star:4 --networks 2>err; then exit 1; fi
grep -q 'has one network only' err

# A schedule says over which network each message goes, and says it again when read.
collc compile alltoall/ring -t fig1.xml --placement pes.hosts --bytes 1KiB -o ring.sched
grep -q '^networks SH MY GE FE$' ring.sched
grep -q '^0 send in\[1\] to 1 via SH$' ring.sched
grep -q '^0 send in\[2\] to 2 via MY$' ring.sched
grep -q '^8 send in\[9\] to 9 via GE$' ring.sched
grep -q '^7 send in\[8\] to 8 via FE$' ring.sched
[ "$(grep -c ' send ' ring.sched)" = "$(grep -c ' via ' ring.sched)" ]
collc compile ring.sched | cmp - ring.sched
collc verify ring.sched >report
sed -n '/^  networks/,/FE/p' report >loads
printf '%s\n' '  networks    SH 24 messages, 24576 bytes' '              MY 48 messages, 49152 bytes' \
    '              GE 56 messages, 57344 bytes' '              FE 128 messages, 131072 bytes' | diff - loads
collc verify alltoall/ring -t fig1.xml --placement pes.hosts | diff - report | grep -q bytes
collc verify ring.sched --format json |
    jq -e 'any(.networks[]; . == {label: "FE", messages: 128, chunks: 128, bytes: 131072})' >/dev/null
# Over Fast Ethernet where Myrinet would be: allowed, and measured.
sed 's/via MY/via FE/' ring.sched >slow.sched
collc verify slow.sched | grep -q 'FE 176 messages'
# Emitted C leaves the choice to the MPI, which is said where it matters.
collc emit ring.sched -o ring.c 2>said
[ ! -s said ]
collc emit slow.sched -o slow.c 2>said
grep -q "names networks with 'via': which one a message takes is left to the MPI" said
# Another network altogether has no such choice: the labels say nothing there.
collc verify ring.sched -t star:16 >/dev/null
if collc verify slow.sched -t star:16 | grep -q 'networks'; then exit 1; fi

# Drawn in a colour for each network; the caption names them.
collc draw -t fig1.xml | grep -q 'Gigabit Ethernet'

# Written as XML and read again it is the same topology.
for file in fig1.xml ../clusters/plafrim2.xml; do
    collc topo "$file" --to xml -o again.xml
    collc topo again.xml --to xml | cmp - again.xml
    [ "$(collc topo "$file" | grep fingerprint)" = "$(collc topo again.xml | grep fingerprint)" ]
done

# Forms that hold one network refuse several.
for format in ibsim lfts dot simgrid; do
    for file in fig1.xml ../clusters/plafrim2.xml; do
        status=0
        collc topo "$file" --to $format >out 2>err || status=$?
        [ $status = 2 ]
        [ ! -s out ]
        grep -q "is several networks, and a .* is one" err
    done
done

# Two subnets of PlaFRIM 2, joined by the names of hosts: one host is on both.
collc topo ../clusters/plafrim2.xml >plafrim2
grep -q 'machines     118' plafrim2
grep -q 'apart        4180 ordered pairs' plafrim2
[ "$(collc topo ../clusters/plafrim2.xml --format json | jq .pairs_apart)" -eq 4180 ]
status=0
collc route ../clusters/plafrim2.xml --networks --from sirocco05 >table || status=$?
[ $status = 1 ]
grep -q '?=no network in common' table
status=0
collc verify allgather/ring -t ../clusters/plafrim2.xml >report || status=$?
[ $status = 1 ]
grep -q '\[L003\]' report

# Some of the machines, or a failed cable, leave the networks as they are.
collc route fig1.xml --networks --machines 'smp[1-2],pc0' --from 0 >some
printf '%s\n' 'PE 0 on smp1' 'PE#  dev  PE#  dev  PE#  dev' '  0  -      1  MY     2  FE' \
    'MY=Myrinet. FE=Fast Ethernet' | diff - some
collc verify alltoall/ring -t fig1.xml --machines 'smp[1-2],pc0' | grep -q 'networks    SH 3 messages'
status=0
collc verify alltoall/ring -t fig1.xml --fail smp0:MY:sw0 >failed 2>&1 || status=$?
[ $status = 1 ]
grep -q "no route from host 'smp0'" failed

# Routes: to each other host by the network that the table of destinations names.
collc topo fig1.xml --to ip-routes >routes.sh
for host in smp0 smp3 pc0 pc7; do
    COLLC_MACHINE=$host.site.org sh routes.sh --print | awk '/^ip route replace/ { print $4, $6, $8, $10 }' | sort >printed
    collc route fig1.xml --networks --from $host --format json | jq -r '
        .tables[0] | .rank as $own | .destinations | to_entries[] | select(.value) | (.key + 1) as $n |
        {MY: ["10.1", "myri0"], GE: ["10.2", "eth1"], FE: ["10.3", "eth0"]}[.value] as $net |
        "10.9.0.\($n)/32 \($net[0]).0.\($n) \($net[1]) 10.9.0.\($own + 1)"' | sort >wanted
    [ "$(wc -l <wanted)" = 11 ]
    diff wanted printed
    COLLC_MACHINE=$host sh routes.sh --print | awk '/^ip route replace/ { print "ip route delete " $4 }' >undone
    echo 'ip link delete collc0' | cat - undone >undo
    mkdir -p bin && printf '#!/bin/sh\necho "ip $*"\n' >bin/ip && chmod +x bin/ip
    PATH=$PWD/bin:$PATH COLLC_MACHINE=$host sh routes.sh --undo | diff undo -
done
if COLLC_MACHINE=pc8 sh routes.sh --print 2>err; then exit 1; fi
grep -q "machine 'pc8' is not in the topology" err

# The files for runtimes: by these routes one interface is enough.
collc topo fig1.xml --to openmpi-networks >mca.conf
grep -qx 'btl_tcp_if_include = collc0' mca.conf
collc topo fig1.xml --to ucx-networks >networks.sh
[ "$(COLLC_MACHINE=smp2 sh networks.sh sh -c 'echo $UCX_TLS $UCX_NET_DEVICES')" = 'self,sm,tcp collc0' ]
if COLLC_MACHINE=pc8 sh networks.sh true 2>/dev/null; then exit 1; fi
# Without them hosts that differ cannot be served.
sed 's/ addresses="[^"]*"//' fig1.xml >apart.xml
for target in openmpi-networks ucx-networks; do
    if collc topo apart.xml --to $target 2>err; then exit 1; fi
    grep -q "hosts are on different networks" err
done
if collc topo apart.xml --to ip-routes 2>err; then exit 1; fi
grep -q "'networks' has no attribute 'addresses'" err
sed 's/ addresses="10.2[^"]*"//' fig1.xml >one.xml
if collc topo one.xml --to ip-routes 2>err; then exit 1; fi
grep -q "network 'GE' has no 'addresses'" err
sed 's/pc\[0-7\]/smp[4-11]/; s/machines="smp\[0-3\]"/machines="smp[0-11]"/; s/star machines="[48]"/star machines="12"/
    s/machines="pc\[0-7\]"/machines="smp[0-11]"/; s/smp\[0-3\] pc\[0-7\]/smp[0-11]/; s/smp\[0-3\] smp/smp/; s/smp\[4-11\]/smp[0-11]/' apart.xml >alike.xml
collc topo alike.xml --to openmpi-networks >mca.conf
grep -qx 'btl_tcp_if_include = myri0,eth1,eth0' mca.conf
grep -qx 'btl_tcp_bandwidth_myri0 = 1280' mca.conf
grep -qx 'btl_tcp_latency_myri0 = 8' mca.conf # from end to end: two links of 4.1 us
grep -qx 'btl_tcp_latency_eth0 = 58' mca.conf # 57.6
collc topo alike.xml --to ucx-networks >networks.sh
[ "$(COLLC_MACHINE=smp2 sh networks.sh sh -c 'echo $UCX_TLS $UCX_NET_DEVICES')" = 'self,sm,tcp myri0,eth1,eth0' ]
# Addresses are read, and written again; what is wrong with them is said where it is.
collc topo fig1.xml --to xml >again.xml
collc topo again.xml --to ip-routes | diff routes.sh -
address() { # OLD NEW WORDS
    sed "s/$1/$2/" fig1.xml >bad.xml
    status=0
    collc topo bad.xml 2>err || status=$?
    [ $status -eq 2 ] && grep -q "^bad.xml:[0-9]*:[0-9]*: error: .*$3" err || { cat err; exit 1; }
}
address '10.1.0.\[1-4\]' '10.1.0.[1-3]' '3 addresses for 4 machines'
address '10.9.0.\[1-12\]' '10.9.0.7' '1 address for 12 machines'
address '10.1.0.\[1-4\]' '10.1.0.[1-3],10.1.0.2' "address '10.1.0.2' is there twice"
address '10.1.0.\[1-4\]' 'host[1-4]' "'host1' is no IP address"
address '10.1.0.\[1-4\]' '10.1.0.[1-' ''
sed 's/interface="myri0" transport="tcp"/device="mlx5_0:1" transport="rc"/' fig1.xml >rdma.xml
collc topo rdma.xml --to openmpi-networks |
    grep -qx 'mca_base_env_list = UCX_TLS=self,sm,rc,tcp;UCX_NET_DEVICES=mlx5_0:1,eth1,eth0;UCX_MAX_EAGER_RAILS=1;UCX_MAX_RNDV_RAILS=1'
if collc topo star:4 --to ucx-networks 2>err; then exit 1; fi
grep -q 'one network only' err
sed 's/interface="eth0"//' fig1.xml >nameless.xml
if collc topo nameless.xml --to openmpi-networks 2>err; then exit 1; fi
grep -q "neither 'interface' nor 'device'" err
