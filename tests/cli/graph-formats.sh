# One network as GraphML and for BookSim, both made from its XML by awk: the same network as the XML.
set -e
. "$root/tests/helpers.sh"
collc topo "$root/examples/clusters/ft2_8s8l64h.txt" --to xml | sed 's/name="[^ ]*txt"//; s/12500MB/3125MB/; s/1us/3ns/' >explicit.xml
sed -n 's/^ *<\(machine\|router\|link\) /\1 /p' explicit.xml | sed 's/[/>]//g' >lines
[ "$(grep -c . lines)" -gt 60 ] || { head explicit.xml; exit 1; }
figures() { collc topo "$1" 2>/dev/null | grep -v "^$1"; collc route "$1" --metrics 2>/dev/null | grep -v "^$1"; }

awk 'BEGIN { print "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\"/>"
             print "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\"><default>25Gb/s</default></key>"
             print "<key id=\"l\" for=\"edge\" attr.name=\"latency\"><default>3ns</default></key><graph edgedefault=\"directed\">" }
     { for (i = 2; i <= NF; i++) if (split($i, part, "\"") > 1) value[part[1]] = part[2] }
     $1 != "link" { print "<node id=\"" value["name="] "\"><data key=\"t\">" $1 "</data></node>" }
     $1 == "link" { print "<edge source=\"" value["a="] "\" target=\"" value["b="] "\"/>"
                    print "<edge source=\"" value["b="] "\" target=\"" value["a="] "\"/>" }
     END { print "</graph></graphml>" }' lines >network.graphml
figures explicit.xml >expected
figures network.graphml >got
diff expected got

# BookSim knows no bandwidth, and one channel between two routers: those of the tree are single, too.
awk '{ for (i = 2; i <= NF; i++) if (split($i, part, "\"") > 1) value[part[1]] = part[2] }
     $1 == "machine" { number[value["name="]] = "node " n_nodes++ }
     $1 == "router" { number[value["name="]] = "router " n_routers++ }
     $1 == "link" { print number[value["a="]] " " number[value["b="]] " 3" }' lines >network.anynet
collc topo network.anynet 2>said | grep -E 'machines|routers|links  ' >got
grep -q T008 said
grep -E 'machines|routers|links  ' expected >wanted
diff wanted got
keys='{hosts, switches, pairs, hops_max, channels, efi_max}'
collc route network.anynet --metrics --format json 2>/dev/null | jq "$keys" >got
collc route explicit.xml --metrics --format json | jq "$keys" >wanted
diff wanted got
