# InfiniBand networks and tables that collc writes: read again they are what they were, whatever
# form the network came in; what cannot be a subnet is refused.
"$root/tests/data/routes/unpack" data
failed=0
cd data || exit 1
fingerprint() { collc topo "$@" --format json 2>/dev/null | jq -r .fingerprint; }
same() { [ -n "$2" ] && [ "$2" = "$3" ] || { echo "$1: '$2' is not '$3'"; failed=1; }; }

# One fabric by ibnetdiscover, as an ibsim network read either way, and by OpenSM's list of ports
for name in star24 ft4 ft8 torus mesh dualrail plafrim1 plafrim2; do
    collc topo $name.txt --to ibsim -o $name.net 2>/dev/null || { echo "$name: status $?"; failed=1; }
    same "$name.net" "$(fingerprint $name.txt)" "$(fingerprint $name.net)"
    same "ibsim:$name.net" "$(fingerprint $name.txt)" "$(fingerprint ibsim:$name.net)"
    # LIDs and port GUIDs are those of the dump, so its tables still fit, and the text stays
    collc topo $name.net --to ibsim 2>/dev/null | cmp - $name.net || failed=1
done
gzip -dc "$root/tests/data/ibsim/opensm-subnet.lst.gz" >list.lst
same 'opensm-subnet.lst' "$(fingerprint torus.txt)" "$(fingerprint list.lst)"

# entries FILE: switch, LID and port
entries() { awk '/^Unicast/ { sub(/.* guid 0x/, ""); guid = $1; next } /^0x/ { print guid, $1, $2 + 0 }' "$1" | sort; }
# Tables that were read are written as they are, from any of the networks
for tables in star24-lfts ft4-minhop ft4-nue torus-dfsssp torus-t2q mesh-dor; do
    for network in "${tables%%-*}.txt" "${tables%%-*}.net" "ibsim:${tables%%-*}.net"; do
        collc topo $network --routes $tables.dump --to lfts -o again.dump || failed=1
        entries $tables.dump >wanted
        entries again.dump | cmp - wanted || { echo "$network $tables"; failed=1; }
    done
done
# Real tables with holes: the same holes
collc topo plafrim1.txt --routes plafrim1-tables --to lfts -o again.dump || failed=1
collc route plafrim1.txt --routes plafrim1-tables --format json 2>/dev/null | grep -v '"routing"' >wanted
collc route plafrim1.txt --routes again.dump --format json 2>/dev/null | grep -v '"routing"' | cmp - wanted || failed=1

# Routes by rule, and the tables made of them, do the same to the network
keys='"(hosts|switches|pairs|pairs_unrouted|hops_max|channels|efi_max|efi_min|efi_mean|dependency_cycle)"'
for rule in star:24 fattree:8x8 fattree:8x8,up=1x4 fattree:4x4x4,up=1x2x3 mesh:4x5 torus:8x8 torus:3x2x4 \
    full:8 torus:2 plafrim1.txt ft4.txt torus.txt; do
    collc topo $rule --to lfts -o rule.dump && collc topo $rule --to ibsim -o rule.net || failed=1
    collc route $rule --format json 2>/dev/null | grep -E "$keys" >wanted
    collc route rule.net --routes rule.dump --format json 2>messages | grep -E "$keys" >found
    # machines of a full mesh become switches: their links are channels then
    case $rule in full*) sed -i '/switches\|hops_max\|channels\|efi/d' wanted found ;; esac
    cmp found wanted && [ ! -s messages ] || { echo "$rule"; cat messages; diff wanted found; failed=1; }
done
# An LMC: each LID of a port has its route
sed 's/lid 8 lmc 0/lid 8 lmc 1/; s/lid 9/lid 12/; s/lid 10/lid 14/' "$root/tests/golden/rules/L002/pair.txt" >lmc.txt
collc topo lmc.txt --to lfts | awk '/^0x000[89]/ { print $1, $2, $7 }' | sort | uniq -c >found
printf '      1 0x0008 001 0x00000000000000b0:\n      1 0x0008 003 0x00000000000000b0:\n' >wanted
printf '      1 0x0009 001 0x00000000000000b0:\n      1 0x0009 003 0x00000000000000b0:\n' >>wanted
cmp found wanted || { cat found; failed=1; }

# refused MESSAGE ARGUMENTS...: exit 2, the reason, and no file
refused() {
    message=$1
    shift
    rm -f no
    collc topo "$@" -o no >out 2>&1
    [ $? -eq 2 ] && [ ! -e no ] && grep -q "$message" out || { echo "$*: not refused with '$message'"; cat out; failed=1; }
}
cat >rails.xml <<'X'
<topology version="1"><graph>
  <machine name="a"/><machine name="b"/><machine name="two"/><router name="r1"/><router name="r2"/>
  <link a="a" b="r1"/><link a="b" b="r2"/><link a="two" b="r1"/><link a="two" b="r2"/><link a="r1" b="r2"/>
</graph></topology>
X
printf '<topology version="1"><graph><machine name="a&quot;b"/></graph></topology>' >quote.xml
printf '<topology version="1"><graph><machine name="%064d"/></graph></topology>' 0 >long.xml
printf '<topology version="1"><graph><machine name="alone"/></graph></topology>' >alone.xml
refused "'two' from 'a' and from 'b' arrive at different ports" rails.xml --to lfts
refused "'sw0' has more than 254 ports" star:300 --to ibsim
refused 'has a quote or a control character' quote.xml --to ibsim
refused 'is longer than the 63 bytes' long.xml --to ibsim
refused 'it has no switches' alone.xml --to lfts
refused 'has more nodes than a subnet has LIDs' full:60000 --to ibsim
refused 'needs more LIDs than a subnet has' torus:30x30x30 --to ibsim
refused 'more than 2^25 entries' torus:20x20x20 --to lfts
refused 'T012' "$root/tests/golden/rules/L002/pair.txt" --routes "$root/tests/golden/rules/L002/loop.dump" --to lfts
leaf="$root/examples/clusters/ft2_4s8l64h"
refused 'tables with failed links' "$leaf.txt" --routes "$leaf-ftree.dump" --fail leaf00:spine00 --to lfts
refused 'tables with failed links' "$leaf.txt" --routes "$leaf-ftree.dump" --fail leaf00:spine00 --machines 'node[000-009]' --to lfts
# The XML form says that it has no tables, and is read nonetheless
collc topo "$leaf.txt" --routes "$leaf-ftree.dump" --machines 'node[000-009]' --to xml -o routed.xml &&
    grep -q '<!-- without its forwarding tables' routed.xml && collc topo routed.xml >/dev/null &&
    ! collc topo "$leaf.txt" --to xml | grep -q '<!--' || { echo 'XML with tables'; failed=1; }
refused 'T010' star:4 --routes star24-lfts.dump --to lfts
# A rate that InfiniBand does not have is told
collc topo star:2,bw=3333MB/s --to ibsim | grep -q '^# 2 cables have no InfiniBand rate' || failed=1
collc topo star:2,bw=3333MB/s --to ibsim | grep -c '1xEDR' | grep -qx 4 || failed=1
exit $failed
