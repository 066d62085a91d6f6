# A folder of lldpcli outputs: hosts and switches, cables told once and twice.
set -e
sees() { # SYSTEM CAPABILITY INTERFACE PORT: a neighbour, as an element of `interface`
    printf '{"%s": {"via": "LLDP", "chassis": {"%s": {"id": {"type": "mac", "value": "id-%s"},
      "capability": [{"type": "%s", "enabled": true}, {"type": "Wlan", "enabled": false}]}},
      "port": {"id": {"type": "ifname", "value": "%s"}, "descr": "-"}}}' "$3" "$1" "$1" "$2" "$4"
}
output() { # ELEMENT...
    printf '{"lldp": {"interface": ['
    printf '%s' "$1"; shift
    for element; do printf ',\n%s' "$element"; done
    printf ']}}\n'
}
mkdir site
output "$(sees leaf0.site Bridge eth0 swp1)" "$(sees leaf0.site Bridge eth1 swp2)" >site/n0.json
output "$(sees leaf1.site Bridge eth0 swp1)" >site/n1.json
output "$(sees leaf1.site Bridge eth0 swp2)" >site/n2.json
collc topo site >without 2>&1 && { echo 'no cable between the leaves, but a network'; exit 1; }
grep -q '\[T005\]' without
grep -q "put files of the switches into the folder, too, such as what 'leaf0.site' sees" without

# The file of one leaf adds the cables to the other; one of them is told at both ends.
output "$(sees n0 Station swp1 eth0)" "$(sees n0 Station swp2 eth1)" \
    "$(sees leaf1.site Router swp31 swp31)" "$(sees leaf1.site Router swp32 swp32)" >site/leaf0.json
output "$(sees leaf0.site Bridge swp31 swp31)" "$(sees leaf0.site Bridge swp33 swp33)" >site/leaf1.site.json
collc topo site --to xml >site.xml 2>warning
grep -q 'LLDP tells no bandwidth' warning
[ "$(grep -c warning warning)" = 1 ]
sed -n '/<graph>/,/<\/graph>/p' site.xml >graph
cat >expected <<'END'
  <graph>
    <machine name="n0"/>
    <machine name="n1"/>
    <machine name="n2"/>
    <router name="leaf0"/>
    <router name="leaf1.site"/>
    <link a="n0" b="leaf0" cables="2"/>
    <link a="n1" b="leaf1.site"/>
    <link a="n2" b="leaf1.site"/>
    <link a="leaf0" b="leaf1.site" cables="3"/>
  </graph>
END
diff expected graph

# Hosts on ports of each other, and on a port that the switch itself tells
cp -r site now
output "$(sees leaf1.site Bridge eth0 swp2)" >now/n1.json
output "$(sees leaf1.site Bridge eth0 swp1)" >now/n2.json
output "$(sees n0 Station swp3 eth0)" "$(sees n0 Station swp2 eth1)" \
    "$(sees leaf1.site Router swp31 swp31)" "$(sees leaf1.site Router swp32 swp32)" >now/leaf0.json
collc topo now --against site 2>/dev/null >out
[ "$(head -n 1 out)" = '3 differences: 3 warnings; nothing is missing or slower' ]
for port in "port swp3 of 'leaf0'" "port swp2 of 'leaf1.site'" "port swp1 of 'leaf1.site'"; do
    grep -q "$port: in another port \[G006\]" out
done

# The output of lldpd for one neighbour, for two, and with json0.
data=$root/tests/data/lldp
[ "$(collc topo "$data/one.json" --to xml 2>/dev/null | grep -c 'a="one" b="vm"/>')" = 1 ]
[ "$(collc topo "$data/two.json" --to xml 2>/dev/null | grep -c 'b="vm" cables="2"/>')" = 1 ]
collc topo "$data/two.json" --to xml 2>/dev/null | sed 1,2d >two
collc topo "$data/two.json0" --to xml 2>/dev/null | sed 1,2d | diff two -
