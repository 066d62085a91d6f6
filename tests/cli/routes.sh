# The figures of routes as other tools computed them from the same tables: hops, edge forwarding
# index and dependency cycles exactly, the worst shift exactly, the effective bisection bandwidth
# (random matchings there and here) to 0.02.
. "$root/tests/helpers.sh"
"$root/tests/data/routes/unpack" data
failed=0

# value KEY: of the report of the last run
value() {
    if ! cmp -s report.json seen.json; then
        cp report.json seen.json
        jq -r 'to_entries[] | "\(.key) \(.value | tojson)"' report.json >values
    fi
    sed -n "s/^$1 //p" values
}

# expect CASE KEY VALUE: of the last row, if that was not left out
expect() {
    [ -z "$is_left_out" ] || return 0
    [ "$(value "$2")" = "$3" ] || { echo "$1: $2 is $(value "$2"), expected $3"; failed=1; }
}

# row CASE HOPS EFI-MAX EFI-MIN CYCLE CYCLE-WITH-LANES BISECTION WORST-SHIFT ARGUMENTS...; '-' does not matter. The short
# form leaves two of three out.
n_rows=0
by=$(usually 1 3)
row() {
    is_left_out=
    [ $((n_rows % by)) = 0 ] || is_left_out=yes
    n_rows=$((n_rows + 1))
    [ -z "$is_left_out" ] || return 0
    case=$1 hops=$2 most=$3 least=$4 cycle=$5 lanes=$6 bisection=$7 shift=$8
    shift 8
    collc route "$@" --metrics --format json >report.json || { echo "$case: status $?"; failed=1; }
    expect "$case" hops_max "$hops"
    expect "$case" efi_max "$most"
    [ "$least" = - ] || expect "$case" efi_min "$least"
    expect "$case" dependency_cycle "$cycle"
    expect "$case" dependency_cycle_lanes "$lanes"
    expect "$case" pairs_unrouted 0
    [ "$shift" = - ] || expect "$case" worst_shift_load "$shift"
    [ "$bisection" = - ] ||
        awk -v a="$(value effective_bisection_bandwidth)" -v b="$bisection" 'BEGIN { exit !(a - b <= 0.02 && b - a <= 0.02) }' ||
        { echo "$case: bisection $(value effective_bisection_bandwidth), expected $bisection"; failed=1; }
}

cd data
for tables in star24-lfts.dump star24-dump_lfts.txt star24.fdbs; do
    row "star24 $tables" 1 null null false null 1.000 1 star24.txt --routes $tables
done
for engine in minhop updn ftree dfsssp; do
    row "ft4 $engine" 3 112 112 false null 0.652 2 ft4.txt --routes ft4-$engine.dump
done
row 'ft4 dump_lfts' 3 112 112 false null 0.652 2 ft4-ports.txt --routes ft4-dump_lfts.txt
row 'ft4 fdbs' 3 112 112 false null 0.652 2 ft4.txt --routes ft4.fdbs
row 'ft4 nue' 3 136 80 false null 0.642 5 ft4.txt --routes ft4-nue.dump
row 'ft4 dor' 3 448 448 false null 0.311 8 ft4.txt --routes ft4-dor.dump
row 'ft8 ftree' 3 56 56 false null 0.861 1 ft8.txt --routes ft8-ftree.dump
row 'torus minhop' 7 65 12 true null 0.796 5 torus.txt --routes torus-minhop.dump
row 'torus dor' 7 48 16 true null 0.825 2 torus.txt --routes torus-dor.dump
row 'torus lash' 7 48 16 true null 0.825 2 torus.txt --routes torus-lash.dump
row 'torus dfsssp' 7 60 15 true null 0.805 5 torus.txt --routes torus-dfsssp.dump
row 'torus t2q' 7 48 16 false null 0.853 2 torus.txt --routes torus-t2q.dump
row 'torus nue' 12 235 3 false null 0.736 7 torus.txt --routes torus-nue.dump
row 'torus updn' 7 158 1 false null 0.775 16 torus.txt --routes torus-updn-root0.dump
for engine in dfsssp:60:15:true:8 lash:48:16:true:4 t2q:48:16:false:2; do
    IFS=: read -r name most least cycle used <<END
$engine
END
    row "torus $name, lanes" 7 "$most" "$least" "$cycle" false - - torus.txt \
        --routes "torus-$name.dump" --sl "torus-$name.psl" --sl2vl "torus-$name.sl2vl"
    expect "torus $name, lanes" lanes "$used"
done
# saquery prints levels as 0x1
awk '{ $3 = sprintf("0x%x", $3) } 1' torus-dfsssp.psl >torus-hexadecimal.psl
row "torus dfsssp, lanes, levels as saquery prints them" 7 60 15 true false - - torus.txt \
    --routes torus-dfsssp.dump --sl torus-hexadecimal.psl --sl2vl torus-dfsssp.sl2vl
row 'mesh dor' 7 16 12 false null 0.842 2 mesh.txt --routes mesh-dor.dump
row 'mesh minhop' 7 21 6 true null 0.776 4 mesh.txt --routes mesh-minhop.dump
row 'PlaFRIM 1' 6 2646 - false null 0.383 27 plafrim1.txt --routes plafrim1-tables
expect 'PlaFRIM 1' pairs 15500
# A file for each switch, one by one
set --
for file in plafrim1-tables/*; do set -- "$@" --routes "$file"; done
row 'PlaFRIM 1, nine files' 6 2646 - false null 0.383 27 plafrim1.txt "$@"
# Two rails on two switches: all go by the first one, within its switch
row 'dual rail' 1 null null false null 1.000 1 dualrail.txt --routes dualrail-minhop.dump

is_left_out=
# Real tables with holes: 9,120 pairs, of which the LIDs as written route 7,005
collc route plafrim2.txt --routes plafrim2-tables --lids table --format json >report.json 2>messages
expect 'PlaFRIM 2' pairs 9120
expect 'PlaFRIM 2' pairs_unrouted 2115
[ "$(value unrouted)" = '{"no_lid":0,"no_table":0,"no_entry":2095,"no_cable":0,"astray":20,"loop":0}' ] ||
    { grep unrouted report.json; failed=1; }
grep -q '2115 of 9120 pairs of hosts have no route' messages || { cat messages; failed=1; }
# The GUIDs beside the LIDs tell more
collc route plafrim2.txt --routes plafrim2-tables --format json >report.json 2>messages
expect 'PlaFRIM 2 by GUID' pairs_unrouted 480
grep -q 'T015' messages || { cat messages; failed=1; }

# The same figures by rule alone, without tables: closed forms
row 'torus:8x8' 9 80 48 true false - 4 torus:8x8
row 'mesh:4x4' 7 16 12 false null 0.842 2 mesh:4x4
row 'fattree:8x8,up=1x4' 3 112 112 false null 0.652 2 fattree:8x8,up=1x4
row 'fattree:8x8' 3 56 56 false null 0.861 1 fattree:8x8
row full:8 0 null null false null 1.000 1 full:8
# Tables as a log has them: a prompt, the host or a time before each line. They say the same.
tables=$root/examples/clusters/ft2_4s8l64h-ftree.dump
{ echo '[root@m ~]# dump_lfts.sh'; cat "$tables"; echo '[root@m ~]# exit'; } >prompt.dump
sed 's/^/node1: /' "$tables" >host.dump
sed 's/^/2024-03-05T10:21:33Z /' "$tables" >time.dump
for dump in "$tables" prompt.dump host.dump time.dump; do
    collc route "$root/examples/clusters/ft2_4s8l64h.txt" --routes "$dump" --from node017 --to node040 >said
    test -e plain || cp said plain
    cmp said plain || failed=1
done
# Equal seeds give equal reports
collc route torus:4x4 --seed 7 --format json >a && collc route torus:4x4 --seed 7 --format json >b
cmp a b || failed=1
exit $failed
