# Oddities of real dumps beside the plain form: each once, and what becomes of it.
failed=0
says() { grep -qF -- "$2" "$1" || { echo "$1 lacks: $2"; cat "$1"; failed=1; }; }

# A byte order mark, a prompt, progress, chassis, blanks for tabs, IBDIAG's ports, no last newline
printf '\357\273\277admin$ ibnetdiscover -s -g\n' >odd.txt
cat >>odd.txt <<'E2'
DR path slid 0; dlid 0; 0 -> new Switch {0000000000000001} portnum 0 lid 1-1 "MF0;dir:SX6536/L01/U1"
# Topology file: generated on Fri Nov 20 15:47:43 2026
# Reported max hops discovered: 4
Chassis 1 (guid 0x10)
# Spine Nodes
vendid=0x000002c9
switchguid=0x1(1)
Switch	8 "S-0000000000000001"		# "MF0;dir:SX6536/L01/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "two mlx5_0" lid 11 4xEDR
[2](2)  "H-00000000000000b0"[1](b1)   # "HCA-1 intel" lid 13 4xEDR s=32 w=2 v=4
[3]	"S-0000000000000002"[3][ext 3]		# "leaf #2: "quoted"" lid 0 4xEDR
[4]	"S-0000000000000002"[4]		# "leaf #2: "quoted"" lid 0 4xEDR
[5]	"S-0000000000000001"[6]		# "MF0;dir:SX6536/L01/U1" lid 1 4xEDR
[6]	"S-0000000000000001"[5]		# "MF0;dir:SX6536/L01/U1" lid 1 4xEDR
[8]	"H-00000000000000f0"[1](f1) 		# "Mellanox Technologies Aggregation Node" lid 20 4xEDR

Non-Chassis Nodes

switchguid=0x2(2)
Switch	8 "S-0000000000000002"		# "leaf #2: "quoted"" base port 0 lid 0 lmc 0
[1]	"H-00000000000000c0"[1](c1) 		# "two mlx5_1" lid 12 4xEDR
[2]	"H-11111111111host1"[1](d1) 		# "MT4123 ConnectX6   Mellanox Technologies" lid 14 4xDDR
[3]	"S-0000000000000001"[3]		# "MF0;dir:SX6536/L01/U1" lid 1 4xEDR
[4]	"S-0000000000000001"[4]		# "MF0;dir:SX6536/L01/U1" lid 1 4xEDR

Ca	1 "H-00000000000000a0"		# "two mlx5_0"
[1](a1) 	"S-0000000000000001"[1]		# lid 11 lmc 0 "MF0;dir:SX6536/L01/U1" lid 1 4xEDR

Ca	1 "H-00000000000000b0"		# "HCA-1 intel"
[1](b1) 	"S-0000000000000001"[2]		# lid 13 lmc 0 "MF0;dir:SX6536/L01/U1" lid 1 4xEDR s=32 w=2 v=4

Ca	1 "H-00000000000000c0"		# "two mlx5_1"
[1](c1) 	"S-0000000000000002"[1]		# lid  lmc 0 "leaf #2: "quoted"" lid 0 4xEDR

Ca	1 "H-11111111111host1"		# "MT4123 ConnectX6   Mellanox Technologies"
[1](d1) 	"S-0000000000000002"[2]		# lid 14 lmc 0 "leaf #2: "quoted"" lid 0 4xDDR

Ca	1 "H-00000000000000e0"		# "idle HCA-1"

Ca	1 "H-00000000000000f0"		# "Mellanox Technologies Aggregation Node"
[1](f1) 	"S-0000000000000001"[8]		# lid 20 lmc 0 "MF0;dir:SX6536/L01/U1" lid 1 4xEDR
E2
printf 'Ca 1 "H-00000000000000d9"  # "idle2 HCA-1"' >>odd.txt
collc topo odd.txt --format json >odd.json 2>odd.err || { cat odd.err; failed=1; }
jq -e '.machines == 3 and .routers == 2 and .links == 12 and .bandwidth_min == 2000000000 and
    .bandwidth_max == 12500000000' odd.json >/dev/null || { cat odd.json; failed=1; }
says odd.err 'left out 1 aggregation node [T008]'
says odd.err 'left out 1 cable with both ends in one node [T008]'
says odd.err 'left out 2 host adapters without cable [T008]'
[ "$(grep -c T008 odd.err)" = 3 ] || { cat odd.err; failed=1; }
collc topo odd.txt --to xml 2>err >odd.xml
says odd.xml 'machine name="11111111111host1"'
says odd.xml 'machine name="intel"'
says odd.xml 'machine name="two"'
says odd.xml 'router name="MF0;dir:SX6536/L01/U1"'
says odd.xml 'router name="leaf #2: &quot;quoted&quot;"'
says odd.xml 'cables="2"'

# Tables as ibroute prints them, with what a shell and a failing tool leave around them
cat >odd.dump <<'E2'
admin$ dump_lfts
Unicast lids [0x0-0x14] of switch Lid 1 guid 0x0000000000000001 (MF0;dir:SX6536/L01/U1):
  Lid  Out   Destination
       Port     Info
0x000b 001 : (Channel Adapter portguid 0x00000000000000a1: 'two mlx5_0')
0x000c 003 : (Channel Adapter portguid 0x00000000000000c1: 'two mlx5_1')
0x000d 002 : (Channel Adapter portguid 0x00000000000000b1: 'HCA-1 intel')
0x000e 004 : (Channel Adapter portguid 0x00000000000000d1: 'MT4123')
0x0014 255 : (illegal port)
iberror: failed: dump tables: linear forwarding table get failed
Unicast lids [0x0-0x14] of switch DR path slid 0; dlid 0; 0,3 guid 0x0000000000000002 (leaf):
0x000b 004 : (Channel Adapter portguid 0x00000000000000a1: 'two mlx5_0')
0x000d 003 : (Channel Adapter portguid 0x00000000000000b1: 'HCA-1 intel')
0x000e 002 :
/usr/sbin/ibroute: iberror: failed: dump tables: linear forwarding table get failed
E2
collc route odd.txt --routes odd.dump --format json >odd.json 2>odd.err || { cat odd.err; failed=1; }
jq -e '.pairs == 6 and .pairs_unrouted == 0' odd.json >/dev/null || { cat odd.json; failed=1; }

# Messages of the tool itself, with its path
{ cat odd.txt; printf '\n%s\n' '/usr/sbin/ibnetdiscover: ibwarn: [4711] mad_rpc: _do_madrpc failed'; } >noisy.txt
collc topo noisy.txt >out 2>&1 || { cat out; failed=1; }

# Half of it: cut off in a line, between lines, in the tables
head -c 1400 odd.txt >half.txt
collc topo half.txt >out 2>&1; [ $? -eq 2 ] || { cat out; failed=1; }
says out 'half.txt:28:79: error: the port line does not end in a rate'
head -n 30 odd.txt >half.txt
collc topo half.txt >out 2>&1; [ $? -eq 2 ] || { cat out; failed=1; }
says out 'has no entry of its own'
"$root/tests/data/routes/unpack" data
head -c 40000 data/ft4-dump_lfts.txt >cut.dump
collc route data/ft4.txt --routes cut.dump >out 2>&1; [ $? -eq 2 ] || { cat out; failed=1; }
says out 'cut.dump:556:1: error: the last table has no end'
# Two dumps in one file, and tables of another subnet
cat data/star24.txt data/torus.txt >two.txt
collc topo two.txt >out 2>&1; [ $? -eq 2 ] || { cat out; failed=1; }
says out 'two.txt:204:1: error: '
says out 'a second dump in this file [T004]'
[ "$(grep -c 'error:' out)" = 1 ] || { cat out; failed=1; }
collc route odd.txt --routes data/plafrim2-tables >out 2>&1; [ $? -eq 2 ] || { cat out; failed=1; }
says out 'take topology and tables from the same subnet'
# A LID that nobody has
sed 's/^0x0014 255/0x0033 003/' odd.dump >nobody.dump
collc route odd.txt --routes nobody.dump >out 2>&1 || { cat out; failed=1; }
says out 'the tables have entries for 2 LIDs that no port of the topology has'
exit $failed
