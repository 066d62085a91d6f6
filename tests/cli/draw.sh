# Drawings are DOT that Graphviz reads; svg runs it; without it there is a message.
set -e
collc draw -t star:4 -o net.dot
collc draw alltoall/ring -t star:4 -o load.dot
collc draw alltoall/ring -t torus:3x3 --load step --step 4 -o step-load.dot
collc draw alltoall/ring -t star:4 --ranks-per-machine 2 --what step --step 1 -o step.dot
collc draw bcast/binomial --ranks 8 --what tree -o tree.dot
collc draw allreduce/recursive_doubling -t star:8 --bytes 1MB --what dependencies -o dependencies.dot
for file in *.dot; do dot -Tcanon $file >/dev/null; done
collc draw -t star:4 --to svg -o net.svg
xmllint --noout --nonet --nowarning net.svg 2>/dev/null || grep -q '</svg>' net.svg
status=0; collc draw alltoall/ring -t star:4 --what step --step 99 2>message || status=$?
[ $status -eq 2 ]
grep -q 'no step 99' message
mkdir bin && ln -s "$(command -v collc)" bin/collc
status=0; PATH=$PWD/bin collc draw -t star:4 --to svg -o none.svg 2>message || status=$?
[ $status -eq 2 ]
grep -q "'dot' not found" message
[ ! -e none.svg ]
# The name of the file says what is wanted, if nothing else does.
collc draw -t star:4 -o named.svg
grep -q '</svg>' named.svg
collc draw -t star:4 --to dot -o named.svg
grep -q '^digraph\|^graph' named.svg
# One of a thing is one.
collc draw -t star:1 | grep -q 'star:1: 1 machine, 1 switch, 2 links'
# A picture is one, by the name of its file, too; one that is not made is refused, not text.
collc draw -t star:4 -o net.png
head -c 8 net.png | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'
collc draw -t star:4 -o net.pdf
head -c 5 net.pdf | grep -q '%PDF-'
collc draw bcast/binomial --ranks 4 --what tree --to png | head -c 8 | od -An -tx1 | grep -q '89 50 4e 47'
status=0; collc draw -t star:4 -o net.jpg 2>message || status=$?
[ $status -eq 2 ]
grep -q "'draw' writes no .jpg: there is --to dot, --to svg, --to png, --to pdf" message
[ ! -e net.jpg ]
# The ending of a drawing's file says its form, unless an option does. For reports only endings of pictures do.
status=0; collc draw -t star:4 -o net.foo 2>message || status=$?
[ $status -eq 2 ] && [ ! -e net.foo ] && grep -q 'writes no .foo' message
collc draw -t star:4 -o net.foo --to svg
grep -q '<svg' net.foo
mkdir -p a.b
collc draw -t star:4 -o a.b/net && collc draw -t star:4 -o net.gv
cmp a.b/net net.gv
for words in 'best bcast -t star:4' 'topo star:4' 'compile bcast/chain -t star:4'; do
    status=0; collc $words -o wrong.png 2>message || status=$?
    [ $status -eq 2 ] && [ ! -e wrong.png ] && grep -q 'writes no .png' message
done
# A grid that a dump tells is drawn as one: each switch at a place of its own, with its machine in it.
collc draw -t "$root/examples/clusters/torus4x4x4.txt" >torus.dot
collc draw -t torus:4x4x4 >grid.dot
for file in torus.dot grid.dot; do
    grep -o 'pos="[^"]*!"' $file | sort >$file.places
    [ "$(grep -c . $file.places)" = "$(uniq $file.places | grep -c .)" ]
done
[ "$(grep -c . torus.dot.places)" = "$(grep -c . grid.dot.places)" ]
[ "$(grep -c 'label="sw[0-9.]*.nnode[0-9.]*-0"' torus.dot)" = 64 ]
# A line that is not dashed joins neighbours: one step to the side (of longer names) or one down.
awk -F'"' '/^\tn[0-9]*\t*\[/ { split($1, w, /[\t ]+/); id = w[2] } /pos=/ { sub(/!/, "", $2); split($2, xy, ","); x[id] = xy[1]; y[id] = xy[2] }
    /^\tn[0-9]* -> n[0-9]*/ { split($0, w, /[\t ]+/); n++; dx = x[w[2]] - x[w[4]]; dy = y[w[2]] - y[w[4]]
        far += !((dy == 0 && dx * dx < 1.6 * 1.6) || (dx == 0 && dy * dy < 1.31 * 1.31)) }
    END { print n, far + 0 }' torus.dot >lines
[ "$(cat lines)" = "96 0" ]
# More than 32 machines are part of their switches, on several networks too.
for file in plafrim2-0.txt plafrim2.xml; do
    collc draw -t "$root/examples/clusters/$file" >folded.dot
    grep -q 'the machines of a switch are one node' folded.dot
    [ "$(grep -c ' -> ' folded.dot)" -lt 40 ]
done

# Above 150 lines, switches and machines that are alike are one node: in a fabric without a fault those of a level.
collc draw alltoall/ring -t fattree:24x24 -o whole.dot
[ "$(grep -c 'label="[0-9]* [a-z]*\\nlike' whole.dot)" = 3 ]
[ "$(grep -c -- '-> ' whole.dot)" = 2 ]
grep -q 'label="576 machines\\nlike m0"' whole.dot && grep -q '576 cables<BR/>up to 575' whole.dot
# With a cable less its switches are others, and so are the machines of one of them.
collc draw -t fattree:24x24 --fail sw3:sw30 -o part.dot
for label in '23 switches\\nlike sw0' '24 machines\\nlike m72' '552 machines\\nlike m0'; do
    grep -q "label=\"$label\"" part.dot
done
grep -q 'label=sw3,' part.dot && grep -q 'label=sw30,' part.dot
# Blue is as much as the busiest link carries at least: a schedule that nothing can beat has no alarm.
alarms() { sed -n 's/.*\bcolor="#\(..\)..\(..\)".*/\1 \2/p' $1 | awk '("x" $1) > ("x" $2) { n++ } END { print n + 0 }'; } # redder than blue
collc draw alltoall/ring -t fattree:8x8 -o best.dot
grep -q '63, needed at least' best.dot && [ "$(alarms best.dot)" = 0 ]
# Bruck sends 3 times 32 of 64 blocks in each direction of three more steps: 192 for 63 that are enough.
collc draw alltoall/bruck -t fattree:8x8 -o more.dot
grep -q '8 machines\\nup to 192' more.dot && [ "$(alarms more.dot)" -gt 0 ]
# Loads are blocks, whatever a message carries: 3 messages of 4 blocks from each host.
collc draw alltoall/bruck -t star:8 -o blocks.dot
[ "$(grep -c 'tooltip="load 12"' blocks.dot)" = 8 ]
# A machine whose own link is the harm stands alone.
collc draw bcast/linear -t fattree:8x8 -o root.dot
grep -q 'label=m0' root.dot && grep -q '7 machines' root.dot && [ "$(grep -c 'label=m[0-9]' root.dot)" = 1 ]

# The busiest cable has its load beside it, where it is one: of 15 messages to the root all end there.
collc draw gather/linear -t fattree:4x4,up=1x2 -o busiest.dot
[ "$(grep -c 'xlabel=' busiest.dot)" = 1 ]
grep -q 'xlabel=<.*>15</TD>' busiest.dot
collc draw alltoall/ring -t fattree:4x4,up=1x2 -o even.dot
! grep -q 'xlabel=' even.dot || exit 1

# It is the link that the verdict names for all steps together, which is another than the busiest of a step.
collc draw bcast/binomial -t "$root/examples/clusters/plafrim1.txt" -o hottest.dot
collc verify bcast/binomial -t "$root/examples/clusters/plafrim1.txt" --format json >verdict.json
jq -e '.busiest_link_in_all.value == 31 and .max_total_load == 31' verdict.json >/dev/null
jq -e '.busiest_link_in_all.link != .busiest_link.link' verdict.json >/dev/null
set -- $(awk '/ -> / { sub(/\[.*/, "", $3); from = $1; to = $3; dir = "forward" }
    /dir=/ { dir = $0; gsub(/.*dir=|,.*/, "", dir) }
    /tooltip="load 31"/ { print dir == "back" ? to " " from : from " " to }' hottest.dot)
[ $# -eq 2 ]
[ "$(grep -c 'label=31,' hottest.dot)" = 1 ]
for key in from to; do
    name=$(jq -r ".busiest_link_in_all.link_$key" verdict.json)
    grep -A5 "^	*$1	*\[" hottest.dot | grep -q -F "label=\"$name\\n"
    shift
done

# Switches that form no levels are no row; those that do are one each, whatever hangs on a switch of the core.
# Without a few cables it is the same grid, with these lines missing; without a switch it is no grid any more.
for network in "$root/examples/clusters/torus4x4x4.txt sw0.0.0:sw0.0.1 sw1.1.1:sw1.2.1" "torus:4x4x4 m0:m1 m21:m22"; do
    set -- $network
    collc draw -t "$1" >whole.dot
    collc draw -t "$1" --fail "$2" --fail "$3" >part.dot
    grep -o 'pos="[-0-9.,]*!"' whole.dot | sort -u >all
    grep -o 'pos="[-0-9.,]*!"' part.dot | sort -u | cmp - all
    n=$(grep -c -- ' -> ' whole.dot)
    [ "$(grep -c -- ' -> ' part.dot)" = $((n - 2)) ] && grep -q 'layout=neato' part.dot
done
collc draw -t "$root/examples/clusters/torus4x4x4.txt" --fail sw0.0.0 >flat.dot
grep -q 'layout=neato' flat.dot && grep -q 'overlap=false' flat.dot
if grep -q 'rank=same' flat.dot; then exit 1; fi
collc draw -t "$root/examples/clusters/ft2_4s8l64h.txt" | grep -q 'layout=nop2'
collc draw -t "$root/examples/clusters/loginoff-qdr-fdr10-2014.txt" >rows.dot
y_of() { sed -n "/label=\"MF0;ib$1:/,/pos=/s/.*pos=\"[^,]*,\([^\"]*\)\".*/\1/p" rows.dot; }
[ "$(y_of 7)" = "$(y_of 8)" ]
[ "$(y_of 6)" = "$(y_of 1)" ]
[ "$(y_of 7)" != "$(y_of 6)" ]

# With a cable failed that tables still use, messages have no route: said, and status 1; the drawing has the others.
ft2=$root/examples/clusters/ft2_4s8l64h
set -- alltoall/ring -t "$ft2.txt" --routes "$ft2-ftree.dump"
collc draw "$@" -o whole.dot
status=0; collc draw "$@" --fail leaf00:spine00 -o less.dot 2>said || status=$?
[ "$status" = 1 ] && [ -s less.dot ]
grep -q 'warning: 224 of 4096 messages have no route' said
collc verify "$@" --fail leaf00:spine00 | grep -q 'complete    no: 224 of 4096 messages have no route'
