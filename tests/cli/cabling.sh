# Is it cabled as planned? Faults planted in dumps of real layout, by lists of cables that cables.awk makes of them
# (it shares nothing with the readers): each is one finding, first, with both ends; what is intact has none.
set -e
. "$root/tests/helpers.sh"
list_of() { awk -f "$root/tests/cli/cables.awk" "$1"; }
dump() { awk -v write=1 -f "$root/tests/cli/cables.awk" cables >now.txt; }

# judge STATUS: ./cables against $plan, as JSON in ./record
judge() {
    dump
    status=0
    collc topo now.txt --against "$plan" --format json >record || status=$?
    expect "exit status of $what against $plan" "$status" "$1"
}
# one CONDITION: there is one finding, and this holds of it
one() {
    jq -e "(.findings | length == 1) and (.findings[0] | $1)" record >/dev/null ||
        { echo "$what against $plan: not $1"; jq -c '.findings[:4][]' record; exit 1; }
}
# Without a plan the nearest shape is that plan, with the same finding, and what is intact is that shape
nearest() {
    collc topo now.txt --format json >alone
    jq -e --arg plan "$plan" --slurpfile record record '
        if $record[0].findings == [] then .shape == $plan and .nearly == null
        else .shape == null and .nearly == $plan + " but for: " + $record[0].findings[0].message end' alone >/dev/null ||
        { echo "$what: nearest is not $plan"; jq -c '[.shape, .nearly]' alone; exit 1; }
}
# cable N: its fields as $a $p $b $q
cable() { set -- $(sed -n "$1p" list); a=$1 p=$2 b=$3 q=$4; }
ends() { # that two named ends with ports are those of the cable, either way round
    echo "[[.node, .port], [.peer, .peer_port]] | sort == ([[\"$a\", $p], [\"$b\", $q]] | sort)"
}

fault_missing() {
    what="missing $1"
    cable "$1"
    sed "$1d" list >cables
    judge 1
    one ".code == \"G003\" and ($(ends))"
    nearest
}
fault_slow() {
    what="slow $1"
    cable "$1"
    sed "$1s/4x.*/4xSDR/" list >cables
    judge 1
    one ".code == \"G005\" and .change == \"cables_slower_than_most\" and .new_bytes_per_s == 1000000000 and ($(ends))"
    nearest
}
# The far ends of two cables are exchanged
fault_swapped() {
    what="swapped $1 $2"
    awk -v m="$1" -v n="$2" '{ l[NR] = $0 }
        END { split(l[m], x, " "); split(l[n], y, " ")
              l[m] = x[1] " " x[2] " " y[3] " " y[4] " " x[5]; l[n] = y[1] " " y[2] " " x[3] " " x[4] " " y[5]
              for (i = 1; i <= NR; i++) print l[i] }' list >cables
    judge 1
    cable "$1"
    near="$a:$p" far="$b:$q"
    cable "$2"
    one ".change == \"cables_swapped\" and .code == \"G004\" and
         ([.node, .other, .peer, .new_peer] | map(tostring) | sort) ==
         ([\"${near%:*}\", \"${far%:*}\", \"$a\", \"$b\"] | sort) and
         ([.port, .other_port, .peer_port, .new_peer_port] | sort) == ([${near#*:}, ${far#*:}, $p, $q] | sort)"
    nearest
}
# A host on the switch of another one, in a port that nothing else uses
fault_host() {
    what="host $1 on the switch of $2"
    cable "$2"
    other=$b
    cable "$1"
    [ "$b" != "$other" ] || return 0
    awk -v n="$1" -v at="$other" 'NR == n { $3 = at; $4 = 35 } 1' list >cables
    judge 1
    one ".code == \"G004\" and .change == \"machine_moved\" and .node == \"$a\" and .peer == \"$b\" and
         .new_peer == \"$other\" and .new_peer_port == 35"
    nearest
}

# fabric PLAN: all faults in ./list, whose hosts' names begin with n
fabric() {
    plan=$1 what=intact
    cp list cables
    judge 0
    jq -e '.findings == [] and .by_structure' record >/dev/null || { jq -c '.findings[]' record; exit 1; }
    [ "$plan" = fattree:4x4x6 ] || nearest # its string has the rates
    what='other numbers of nodes'
    sort -k4,4r -k3,3r -k1,1r list >cables
    judge 0
    holds '.findings == []'
    grep -n '^n' list | cut -d: -f1 >hosts
    grep -nv '^n' list | cut -d: -f1 >uplinks
    for k in $(usually "1 3" 2 "1 2 3 4"); do
        fault_missing "$(sed -n "$((k * $(wc -l <uplinks) / 5))p" uplinks)"
        fault_slow "$(sed -n "$((k * $(wc -l <uplinks) / 6 + 1))p" uplinks)"
        fault_slow "$(sed -n "$((k * $(wc -l <hosts) / 6 + 1))p" hosts)"
        fault_host "$(sed -n "$((k * $(wc -l <hosts) / 5))p" hosts)" \
            "$(sed -n "$((k * 7 % $(wc -l <hosts) + 1))p" hosts)"
    done
}

list_of "$root/examples/clusters/ft2_4s8l64h.txt" | sort >list
fabric fattree:8x8,up=1x4
fault_swapped "$(grep -n '^leaf06.*spine01' list | cut -d: -f1)" "$(grep -n '^leaf02.*spine03' list | cut -d: -f1)"
list_of "$root/examples/clusters/ft2_8s8l64h.txt" | sort >list
fabric fattree:8x8
fault_swapped "$(grep -n '^leaf00.*spine07' list | cut -d: -f1)" "$(grep -n '^leaf07.*spine00' list | cut -d: -f1)"
list_of "$root/examples/clusters/torus4x4x4.txt" | sort >list
fabric torus:4x4x4
fault_swapped "$(grep -n '^sw0.2.0 .*sw3.2.0' list | cut -d: -f1)" "$(grep -n '^sw2.0.3 .*sw2.3.3' list | cut -d: -f1)"
list_of "$root/tests/data/cabling/mesh4x4.txt" | sort >list
fabric mesh:4x4

# A tree of three levels, a torus of unlike extents
awk 'BEGIN { for (pod = 0; pod < 6; pod++) {
    for (leaf = 0; leaf < 4; leaf++) for (k = 0; k < 4; k++) {
        print "n" (pod * 4 + leaf) * 4 + k, 1, "leaf" pod "-" leaf, k + 1, "4xEDR"
        print "leaf" pod "-" leaf, 5 + k, "mid" pod "-" k, leaf + 1, "4xEDR" }
    for (k = 0; k < 4; k++) for (core = 0; core < 4; core++)
        print "mid" pod "-" k, 5 + core, "core" k "-" core, pod + 1, "4xHDR" } }' >list
fabric fattree:4x4x6
fault_swapped "$(grep -n '^leaf2-1.*mid2-3' list | cut -d: -f1)" "$(grep -n '^leaf4-0.*mid4-1' list | cut -d: -f1)"
fault_swapped "$(grep -n '^mid2-1.*core1-3' list | cut -d: -f1)" "$(grep -n '^mid3-0.*core0-1' list | cut -d: -f1)"
awk 'BEGIN { split("7 5 6", e, " ")
    for (x = 0; x < 7; x++) for (y = 0; y < 5; y++) for (z = 0; z < 6; z++) {
        print "n" x "." y "." z, 1, "s" x "." y "." z, 7, "4xEDR"
        print "s" x "." y "." z, 1, "s" (x + 1) % 7 "." y "." z, 2, "4xEDR"
        print "s" x "." y "." z, 3, "s" x "." (y + 1) % 5 "." z, 4, "4xEDR"
        print "s" x "." y "." z, 5, "s" x "." y "." (z + 1) % 6, 6, "4xEDR" } }' >list
fabric torus:7x6x5
fault_swapped "$(grep -n '^s1.2.3 1 ' list | cut -d: -f1)" "$(grep -n '^s5.0.1 3 ' list | cut -d: -f1)"

# A network that is no shape at all has no nearest one
for irregular in plafrim1 plafrim2-0; do
    collc topo "$root/examples/clusters/$irregular.txt" --format json >alone
    jq -e '.shape == null and .nearly == null' alone >/dev/null || { echo "$irregular is near a shape"; exit 1; }
done

# A leaf that is missing is told with its hosts; a host less is told where
list_of "$root/examples/clusters/ft2_8s8l64h.txt" | sort >list
plan=fattree:8x8 what='a leaf less, with its hosts'
grep -v leaf03 list >cables
judge 1
one '.change == "switch_missing" and .count == 16'
what='a host less'
grep -v '^node019 ' list >cables
judge 1
one '.change == "machine_missing" and .peer == "leaf02"'
collc topo now.txt --against fattree:8x8 >out && exit 1
grep -q "now.txt: error: a machine is missing on 'leaf02' \[G002\]" out

# A plan is any other network without the same names, here as DOT; what it states of rates counts
collc topo "$root/examples/clusters/ft2_8s8l64h.txt" --to dot |
    sed 's/node\([0-9]\)/host-a\1/g; s/leaf/edge/g; s/spine/top/g' >plan.dot
cp list cables
plan=plan.dot what=intact
judge 0
sed 's/^leaf04 1[0-9] spine02 .*/&x/' list | sed '/x$/d' >cables
what='missing against DOT'
judge 1
holds '.findings | length == 1'
holds '.findings[0] | .change == "cables_missing" and ([.node, .peer] | sort == ["leaf04", "spine02"])'
cp list cables
plan=fattree:8x8,bw=200Gb/s what='rates stated'
judge 1
holds '[.findings[] | select(.change == "cables_slower") | .count] | add == 128'

# A plan of another size: what is too much is new, what is too little is missing
plan=fattree:8x7 what='a leaf more'
judge 0
holds '[.findings[] | select(.change == "switch_new")] | length == 1'
plan=fattree:8x9 what='smaller than planned'
judge 1
one '.change == "switch_missing" and .count == 16'

# Bad plans
collc topo now.txt --against fattree:8y8 2>err && exit 1
grep -q "fattree:8y8" err
collc topo now.txt --against hypercube:4 2>err && exit 1
grep -q 'hypercube' err

# Without a plan: of each pair of switches with two cables one is taken out, in a network that is no shape; then many.
fabric() ( # LEAF:SPINE...: pairs with one cable, all others have two
    echo '<topology version="1"><graph>'
    for leaf in 0 1 2 3 4; do
        for host in $(seq $((8 - leaf))); do echo "<machine name='n$leaf-$host'/>"; done
    done
    for leaf in 0 1 2 3 4; do echo "<router name='leaf$leaf'/>"; done
    for spine in 0 1 2 3; do echo "<router name='spine$spine'/>"; done
    for leaf in 0 1 2 3 4; do
        for host in $(seq $((8 - leaf))); do echo "<link a='n$leaf-$host' b='leaf$leaf'/>"; done
        for spine in 0 1 2 3; do
            cables=2
            case " $* " in *" $leaf:$spine "*) cables=1 ;; esac
            echo "<link a='leaf$leaf' b='spine$spine' cables='$cables'/>"
        done
    done
    echo '</graph></topology>'
)
for leaf in 0 1 2 3 4; do
    for spine in $(usually '0 3' '0 1 2 3'); do
        fabric $leaf:$spine >thin.xml
        collc topo thin.xml 2>&1 | grep T029 >said
        expect "without a cable of leaf$leaf and spine$spine" "$(cat said)" \
            "warning: 'leaf$leaf' and 'spine$spine' are joined by 1 cable, each to most others of that level by 2 [T029]"
    done
done
for pairs in '' '0:0 1:1 2:2 3:3'; do
    fabric $pairs >thin.xml
    expect "pairs '$pairs'" "$(collc topo thin.xml 2>&1 | grep -c T029)" 0
done

# Parallel cables: a plan has them as a string, in XML and in DOT; one too few is one finding, by each plan.
{
    echo 'graph g {'
    for leaf in 0 1 2 3 4; do
        echo "leaf$leaf [shape=box];"
        for host in 0 1 2 3; do echo "h${leaf}_$host -- leaf$leaf;"; done
        for spine in 0 1; do
            for cable in 1 2 3; do echo "leaf$leaf -- spine$spine;"; done
        done
    done
    echo 'spine0 [shape=box]; spine1 [shape=box]; }'
} >parallel.dot
plan='fattree:4x5,up=1x2,cables=1x3'
collc topo "$plan" --to xml -o parallel.xml
collc topo parallel.dot --to xml -o graph.xml
expect 'shape of parallel cables' "$(collc topo parallel.dot --to shape)" "$plan"
expect 'shape of the element' "$(collc topo parallel.xml --to shape)" "$plan"
awk '/leaf2 -- spine1/ && !n++ { next } { print }' parallel.dot >lacks.dot
for plan in "$plan" parallel.xml graph.xml parallel.dot; do
    collc topo parallel.dot --against "$plan" --format json | jq -e '.findings == []' >/dev/null
    status=0
    collc topo lacks.dot --against "$plan" --format json >record || status=$?
    expect "exit status of parallel cables against $plan" $status 1
    holds '(.findings | length) == 1 and .findings[0].code == "G003" and (.findings[0].message | test("1 of 3 cables"))' record
done
# A real fabric that lacks one of four cables, and has two hosts with a second one
collc topo "$root/examples/clusters/loginoff-qdr-fdr10-2014.txt" --format json >alone
holds '.nearly | startswith("fattree:24x6,up=1x2,cables=1x4 but for: 1 of 4 cables from port 25 of") and (split("; ") | length) == 4' alone
# Around a failed cable its neighbour is taken, up and down.
collc verify alltoall/ring -t 'fattree:2x2,up=1x1,cables=1x2' --fail 8 --fail 15 --format json >record
holds '.complete and .messages_unrouted == 0' record
# A plan with two levels of switches and a file with three, which tells no cables: the hosts of a leaf are compared.
printf 'SwitchName=%s\n' 'leaf1 Nodes=n[1-4]' 'leaf2 Nodes=n[5-8]' 'middle1 Switches=leaf[1-2]' 'leaf3 Nodes=n[9-12]' \
    'leaf4 Nodes=n[13-16]' 'middle2 Switches=leaf[3-4]' 'core Switches=middle1,middle2' >levels.conf
expect 'two levels planned' "$(collc topo levels.conf --against fattree:4x4 --format json | jq -c .findings)" '[]'
expect 'three levels planned' "$(collc topo fattree:4x4 --against levels.conf --format json | jq -c .findings)" '[]'
sed 's/n\[1-4\]/n[1-3]/; s/n\[5-8\]/n[4-8]/' levels.conf >moved.conf
collc topo moved.conf --against fattree:4x4 --format json >record || :
holds '[.findings[].code] == ["G004"]' record
# Two shapes are compared by structure: a number is another place in each.
collc topo fattree:8x8 --against fattree:8x9 --format json >record || :
holds '[.findings[] | [.code, .message]] == [["G002", "switch \u0027sw8\u0027 of the plan is missing, with 16 cables"]]' record

# Plans that state ports: a list of cables, a graph, and one with ports of other names, which are not compared
list_of "$root/examples/clusters/ft2_8s8l64h.txt" >list
sed 's/4x//; s/ /,Port /; s/ \([0-9]*\) \([A-Z]*\)$/,Port \1,\2/; s/ /,/2; 1i StartDevice,StartPort,EndDevice,EndPort,Speed' \
    list | sed 's/\(Port [0-9]*\) /\1,/' >plan.csv
{ echo 'graph {'; sed 's/\(.*\) \(.*\) \(.*\) \(.*\) .*/"\1":"\2" -- "\3":"\4:n" [bandwidth="12.5GB\/s"]/' list; echo '}'; } >plan.dot
sed 's/Port /etp/g' plan.csv >other.csv
for plan in plan.csv plan.dot other.csv; do
    cp list cables
    what=intact
    judge 0
    holds '.findings == []'
    collc topo now.txt --against "$plan" >out
    expect 'verdict' "$(head -n 1 out)" 'nothing has changed'
done
present 'all routes; not ports, which have other names in each' out
exchange() { # A B: the near ends of two cables
    awk -v a="$1" -v b="$2" '{ line[NR] = $0 } END { split(line[a], x); split(line[b], y)
        for (i = 1; i <= NR; i++) { $0 = line[i]
            if (i == a) { $1 = y[1]; $2 = y[2] } if (i == b) { $1 = x[1]; $2 = x[2] } print } }' list >cables
}
neighbours=$(grep -n '^node.* leaf03 ' list | head -n 2 | cut -d: -f1 | tr '\n' ' ')
uplinks="$(grep -n '^leaf0[12] .* spine0[45]' list | sed -n '1s/:.*//p;$s/:.*//p' | tr '\n' ' ')"
for plan in plan.csv plan.dot; do
    what='hosts on ports of each other'
    exchange $neighbours
    judge 0
    holds '[.findings[] | .change + .peer] == ["other_portsleaf03", "other_portsleaf03"]'
    what='crossed uplinks'
    exchange $uplinks
    judge 1
    one '.change == "cables_swapped" and .port and .peer_port and .new_peer_port and .other_port'
done
