# The links of UFM: made of a real dump by awk, they are the same network as the dump.
set -e
. "$root/tests/helpers.sh"
ports=$root/examples/clusters/ft2_4s8l64h-ports.txt
awk '$7 == "-" && ($1 == "CA" || $4 < $11) {
         split($0, quoted, "\047"); own = quoted[2]; peer = quoted[4]
         if ($1 == "SW") own = own ":" $3
         if ($8 == "SW") peer = peer ":" $10
         printf "%s{\"source_guid\": \"%s\", \"source_port\": \"%s\", \"source_port_node_description\": \"%s\", ",
             n++ ? "," : "[", substr($4, 3), $3, own
         printf "\"destination_guid\": \"%s\", \"destination_port\": \"%s\", ", substr($11, 3), $10
         printf "\"destination_port_node_description\": \"%s\", \"width\": \"IB_%s\"}\n", peer, $5 }
     END { print "]" }' "$ports" >all.json
# a cable between a switch and a machine once, from the machine
jq '[.[] | select((.source_port_node_description | test("node")) or
                  (.destination_port_node_description | test("node") | not))]' all.json >links.json
expect 'cables' "$(jq length links.json)" 96
collc topo links.json --against "$ports" 2>warning | head -n 1 >out
expect 'compared with ibnetdiscover' "$(cat out)" 'nothing has changed'
grep -q 'tells no speeds' warning
collc topo links.json --format json 2>/dev/null | grep '"fingerprint"' >found
collc topo "$ports" --format json | grep '"fingerprint"' >wanted
diff wanted found
