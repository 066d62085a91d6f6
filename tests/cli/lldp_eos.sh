# Files of Arista switches: the network that lldpcli tells of the same cables, and a folder of both forms.
set -e
eos() { # PORT NEIGHBOUR ITS-PORT ...
    printf '{"tablesLastChangeTime": 1652231658.9, "tablesAgeOuts": 2, "lldpNeighbors": ['
    comma=
    while [ $# -gt 0 ]; do
        printf '%s{"ttl": 120, "port": "%s", "neighborDevice": "%s", "neighborPort": "%s"}' "$comma" "$1" "$2" "$3"
        comma=', '
        shift 3
    done
    printf '], "tablesDrops": 0}\n'
}
mkdir eos both
eos Ethernet1 n0 0c42.a103.0001 Ethernet2 n1 0c42.a103.0002 Ethernet49/1 spine1.site Ethernet1/1 \
    Management1 office ge-0/0/1 >eos/leaf1.json
eos Ethernet1 n2 eth0 Ethernet49/1 spine1.site Ethernet2/1 Ethernet50/1 spine1.site Ethernet3/1 >eos/leaf2.json
eos Ethernet1/1 leaf1.site Ethernet49/1 Ethernet2/1 leaf2.site Ethernet49/1 \
    Ethernet3/1 leaf2.site Ethernet50/1 >eos/spine1.json
collc topo eos --to xml >eos.xml 2>warning
grep -q 'left out 1 neighbour of management ports' warning
cat >expected <<'END'
  <graph>
    <machine name="n0"/>
    <machine name="n1"/>
    <machine name="n2"/>
    <router name="leaf1"/>
    <router name="leaf2"/>
    <router name="spine1"/>
    <link a="n0" b="leaf1"/>
    <link a="n1" b="leaf1"/>
    <link a="n2" b="leaf2"/>
    <link a="leaf1" b="spine1"/>
    <link a="leaf2" b="spine1" cables="2"/>
  </graph>
END
sed -n '/<graph>/,/<\/graph>/p' eos.xml | diff expected -

# A machine's own file, of lldpd, tells one of these cables again.
cp eos/* both
printf '{"lldp": {"interface": {"eth0": {"via": "LLDP", "chassis": {"leaf2": {"id": {"type": "mac", "value": "x"}}},
    "port": {"id": {"type": "ifname", "value": "Ethernet1"}}}}}}' >both/n2.json
collc topo both --to xml 2>both.warning | sed -n '/<graph>/,/<\/graph>/p' | diff expected -

wrong() { # TEXT MESSAGE
    printf '%s' "$1" >wrong.json
    status=0; collc topo wrong.json 2>message || status=$?
    [ $status -eq 2 ]
    grep -q "$2" message
    grep -q 'wrong.json:[0-9]*:[0-9]*: error' message
}
wrong '{"lldpNeighbors": 7}' 'not an array'
wrong '{"lldpNeighbors": [{"port": "Ethernet1", "neighborDevice": "n0"}]}' 'has port, neighborDevice and neighborPort'
wrong '{"lldpNeighbors": [7]}' 'has port, neighborDevice and neighborPort'
wrong '{"lldpNeighbors": []}' 'no machines'
wrong '{"lldpNeighbors": [' 'JSON'
