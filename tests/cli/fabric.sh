# Changes between two dumps of a fabric, each made by hand in a real dump and counted by awk.
set -e
. "$root/tests/helpers.sh"
ports=$root/examples/clusters/ft2_4s8l64h-ports.txt
trees=$root/examples/clusters

# against OLD STATUS: ./now against it as JSON in ./record
against() {
    status=0
    collc topo now --against "$1" --format json >record || status=$?
    expect "exit status against ${1##*/}" "$status" "$2"
}
# cut A PORT: both lines of a cable leave the dump on standard input; A is a description
cut_cable() {
    awk -v name="'$1" -v port="$2" '
        { split($0, part, "\\( "); own = index(part[2], name) == 1
          split(part[2], ends, " - "); peer = index(ends[2], name) == 1 }
        !(own && $3 == port) && !(peer && $10 == port)'
}
kinds() { jq -r '[.findings[].change] | unique | join(" ")' record; }

# The two layouts of one dump, and two moments of a fabric, are the same
collc topo "$trees/ft2_4s8l64h.txt" --against "$ports" >out
expect verdict "$(head -n 1 out)" 'nothing has changed'

# A cable between switches: which, and that all routes still arrive
cut_cable leaf07 9 <"$ports" >now
[ $(($(wc -l <"$ports") - $(wc -l <now))) = 2 ] || { echo 'no cable was cut'; exit 1; }
against "$ports" 1
expect kinds "$(kinds)" 'cables_missing'
holds '.findings[0] | .code == "G003" and .count == 1 and .count_before == 1 and .node == "leaf07"'
holds '.new.cables == .old.cables - 1 and .routes_compared == 64 * 63'

# A failed part takes neither ports nor GUIDs from the rest
sed 's/node063 HCA/renamed HCA/' "$ports" >now
status=0
collc topo now --fail leaf00:spine00 --against "$ports" >out || status=$?
expect 'exit status with a failed cable' "$status" 1
grep -q "cable from port 9 of 'leaf00' to port 1 of 'spine00' is missing" out || { cat out; exit 1; }
grep -q "'node063' is called 'renamed'" out || { cat out; exit 1; }

# A cable that was not there is new
cut_cable leaf07 9 <"$ports" >now
cp "$ports" now.all
cp now before
cp now.all now
against before 0
expect kinds "$(kinds)" 'cables_new'
holds '.findings[-1] | .code == "G007" and .severity == "note" and .count == 1'
collc topo now --against before --fail-on note >out && { echo 'a note does not count'; exit 1; }

# A spine with all its cables, told once
grep -v "'spine02'" "$ports" >now
n=$(grep -c " - SW .*( 'spine02' - " "$ports")
against "$ports" 1
holds ".findings[0] | .change == \"switch_missing\" and .node == \"spine02\" and .count == $n"
holds '[.findings[] | select(.code == "G003")] == []'

# A leaf that is cut off: no other command reads such a dump, what has changed is told all the same. Its 8 machines
# reach each other and not the other 56, nor do these reach them.
for port in $(awk '/ .leaf07. - .spine/ { print $3 }' "$ports"); do
    printf '%s ' "$port"
done >cut.ports
cp "$ports" now
for port in $(cat cut.ports); do
    cut_cable leaf07 "$port" <now >now.next
    mv now.next now
done
collc topo now 2>said && { echo 'a split network is read'; exit 1; }
grep -q 'T005' said
n=$(wc -w <cut.ports)
against "$ports" 1
holds '.findings[0] | .code == "G001" and .change == "routes_lost" and .count == 2 * 8 * 56'
holds "[.findings[] | select(.change == \"cables_missing\") | .count] | add == $n"
mv now split
cp "$ports" now
against split 0
holds "[.findings[] | select(.change == \"cables_new\") | .count] | add == $n"

# A machine that is down
grep -v "node017 HCA-1'" "$ports" >now
against "$ports" 1
expect kinds "$(kinds)" 'machine_missing'

# A machine on another leaf, and one in another port of its leaf
awk '/node063 HCA-1/ { gsub(/SW +36 +8 0x0002c90300000070/, "SW    31 30 0x0002c90300000060"); gsub(/leaf07/, "leaf06") } 1' \
    "$ports" >now
against "$ports" 1
holds '.findings[0] | .code == "G004" and .change == "machine_moved" and .node == "node063" and
       .peer == "leaf07" and .peer_port == 8 and .new_peer == "leaf06" and .new_peer_port == 30'
awk '/node063 HCA-1/ { gsub(/SW +36 +8 0x/, "SW    36 30 0x") } 1' "$ports" >now
against "$ports" 0
expect kinds "$(kinds)" 'other_ports'
collc topo now --against "$ports" | grep -q "port 30 of 'leaf07': in another port \[G006\]"

# A cable that leads from a leaf to another spine than before: one change, not one gone and one new
awk '$1 == "SW" && / .leaf00. - .spine00. / && !done++ { port = $3 }
     { line[NR] = $0 }
     END { for (i = 1; i <= NR; i++) {
         $0 = line[i]
         if (/.leaf00. - .spine00. / && $3 == port) { far = $10; sub("SW +" $9 " +" far " " $11, "SW " lid " 35 " guid); sub("spine00", "spine01") }
         if (/.spine00. - .leaf00. / && $10 == port) { sub("SW +" $2 " +" $3 " " $4, "SW " lid " 35 " guid); sub("spine00", "spine01") }
         print } }' lid="$(awk '/ .spine01. - / { print $2; exit }' "$ports")" \
    guid="$(awk '/ .spine01. - / { print $4; exit }' "$ports")" "$ports" >now
against "$ports" 1
holds '.findings[0] | .change == "cable_moved" and .node == "leaf00" and .peer == "spine00" and
       .new_peer == "spine01" and .new_peer_port == 35'
holds '[.findings[] | select(.code == "G003")] == []'

# Slower and narrower cables; the larger loss comes first
awk '/leaf01/ && /spine00/ { sub(/4x EDR/, "4x QDR") } /node005/ { sub(/4x EDR/, "1x EDR") } 1' "$ports" >now
against "$ports" 1
expect kinds "$(kinds)" 'cables_slower'
holds '[.findings[] | [.node, .count, .old_bytes_per_s, .new_bytes_per_s]] ==
       [["node005", 1, 12500000000, 3125000000], ["leaf01", 1, 12500000000, 4000000000]]'

# Another name is the same switch: by its GUID, and without one by what is cabled to it
sed "s/'leaf03'/'rack3-ib'/" "$ports" >now
against "$ports" 0
holds '.findings == [.findings[0]] and .findings[0].change == "other_name" and .findings[0].peer == "rack3-ib"'
collc topo "$ports" --to dot >before.dot
collc topo now --to dot >now.dot
collc topo now.dot --against before.dot --format json >record
holds '.findings[0].change == "other_name" and .findings[0].node == "leaf03"'

# Tables of another engine: as many routes differ as differ when both are followed through the cables here
gzip -dc "$root/tests/data/routes/ft4-ftree.dump.gz" >tables
gzip -dc "$root/tests/data/routes/ft4-nue.dump.gz" >nue
differ=$(awk '
    FILENAME ~ /ports/ && $7 == "-" { peer[$4, $3] = $11; if ($1 == "CA") { lid[$4] = sprintf("0x%04x", $2); leaf[$4] = $11 } next }
    /^Unicast/ { match($0, /guid 0x[0-9a-f]+/); at = substr($0, RSTART + 5, RLENGTH - 5); next }
    /^0x/ { exit_of[FILENAME, at, tolower($1)] = $2 + 0 }
    END { for (a in lid) for (b in lid) {
        if (a == b) continue
        here = there = leaf[a]
        while (here != b && here == there) {
            p = exit_of["tables", here, lid[b]]; q = exit_of["nue", there, lid[b]]
            if (p != q) { n++; break }
            here = there = peer[here, p] } }
        print n + 0 }' "$ports" tables nue)
cp "$ports" now
collc topo now --routes nue --against "$ports" --against-routes tables --format json >record
holds ".findings[0].change == \"other_routes\" and .findings[0].code == \"G006\" and .findings[0].count == $differ"
[ "$differ" -gt 2000 ] || { echo "only $differ routes differ"; exit 1; }

# Tables: one entry less takes the routes of the eight machines of that leaf, as many as there are on it
lid=$(awk '/node000 HCA-1. - / && $1 == "CA" { print $2; exit }' "$ports")
guid=$(awk '/ .leaf07. - / { print $4; exit }' "$ports")
awk -v guid="$guid" -v lid="$(printf '0x%04X' "$lid")" '
    /^Unicast/ { here = index($0, guid) } !(here && tolower($1) == tolower(lid))' tables >tables.less
[ "$(wc -l <tables.less)" = $(($(wc -l <tables) - 1)) ] || { echo 'no entry was taken away'; exit 1; }
cp "$ports" now
status=0
collc topo now --routes tables.less --against "$ports" --against-routes tables --format json >record 2>warning ||
    status=$?
expect 'exit status of lost routes' "$status" 1
grep -q T011 warning
holds '.findings[0] | .code == "G001" and .count == 8 and .peer == "node000"'

# Slurm's view of it: the leaves as they are cabled, then with two nodes exchanged and one cable slow
conf() {
    awk '$1 == "CA" { split($0, q, "\047"); sub(/ .*/, "", q[2]); nodes[q[4]] = nodes[q[4]] "," q[2] }
         END { for (leaf in nodes) { print "SwitchName=s_" leaf " Nodes=" substr(nodes[leaf], 2); all = all ",s_" leaf }
               print "SwitchName=core Switches=" substr(all, 2) }' "$ports"
}
conf >topology.conf
against topology.conf 0
expect kinds "$(kinds)" 'other_name' # s_leaf00 is leaf00, as most of its machines say
holds '.outline and .findings_total == null and ([.findings[] | select(.code != "G006")] == [])'
sed 's/node003/X/; s/node060/node003/; s/X/node060/' topology.conf >wrong.conf
awk '/node009/ { sub(/4x EDR/, "1x EDR") } 1' "$ports" >now
against wrong.conf 1
holds '[.findings[] | select(.severity == "error") | [.code, .node, .new_peer, .other, .peer]] ==
       [["G004", "node003", "leaf00", "node060", "leaf07"], ["G005", "node009", null, null, "leaf01"]]'
collc topo now --against wrong.conf >out || true
grep -q "port 1 of 'node009' to port [0-9]* of .*: 3125MB/s, most have 12500MB/s \[G005\]" out

# Shapes: names are those of grids and trees; one failed cable
collc topo torus:4x4 --fail '(0,0):(0,1)' --against torus:4x4 --format json >record && exit 1
holds '[.findings[] | select(.code == "G003")] | length == 1 and .[0].count == 1'
holds '[.findings[] | select(.change == "routes_longer")][0].new_hops == 3'

# Dumps that cannot be
refused() { collc topo "$@" 2>err && exit 1; [ $? = 2 ] || exit 1; }
refused star:4 --against star:4 --to xml
grep -q -- '--to has no effect with --against' err
refused star:4 --max-findings 3
refused star:4 --against nowhere.txt
grep -q 'I001' err
