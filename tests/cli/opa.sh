# Omni-Path: the links inside a director switch, with hosts on its leaves, as list and as XML.
set -e
. "$root/tests/helpers.sh"
data=$root/tests/data/opa
if collc topo "$data/linksum_swd06.csv" 2>message; then exit 1; fi
grep -q 'no links to hosts' message
sed 's/ZzNAMEqQ/director/g' "$data/linksum_swd06.csv" >fabric.csv
for leaf in 101A 102B 103A 106B; do
    for port in 1 2; do
        echo "100g;10240;0;;3m;;1;FI;host-$leaf-$port hfi1_0;$port;SW;director L$leaf"
    done
done >>fabric.csv
collc topo fabric.csv --format json >list
holds '.machines == 8 and .routers == 18 and .links == 592 and .bandwidth_min == 12500000000' list

awk -F ';' '
    function port(number, type, node) {
        return "<Port><PortNum>" number "</PortNum><NodeDesc>" node "</NodeDesc><NodeType>" type "</NodeType></Port>"
    }
    BEGIN { print "<?xml version=\"1.0\"?>\n<Topology><LinkSummary>" }
    { print "<Link><Rate>" $1 "</Rate><Internal>" $3 "</Internal>" port($7, $8, $9) port($10, $11, $12) "</Link>" }
    END { print "</LinkSummary></Topology>" }' fabric.csv >fabric.xml
collc topo fabric.xml --format json | grep fingerprint >xml
grep fingerprint list | diff - xml

# 19 columns, with GUIDs; one of the hosts has no description.
sed 's/Switch 2345 Leaf 5/Switch 1234 Leaf 4/; s/mindy2 hfi1_0//' "$data/opatopology_links.csv" >long.csv
collc topo long.csv --to xml | sed -n '/<graph>/,/<\/graph>/p' >graph
cat >expected <<'END'
  <graph>
    <machine name="0x001175010025a678"/>
    <machine name="bender"/>
    <router name="Switch 1234 Leaf 4"/>
    <link a="0x001175010025a678" b="Switch 1234 Leaf 4" bandwidth="3125MB/s"/>
    <link a="bender" b="Switch 1234 Leaf 4" a-adapter="hfi1_0" bandwidth="3125MB/s"/>
  </graph>
END
diff expected graph
