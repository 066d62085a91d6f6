# No command writes over what it reads, or writes two things to one file: every command with every pair of its options
# that name files, by their roles in options.def, and its arguments. And what is read because another file names it.
set -e
. "$root/tests/helpers.sh"

# lines "NAME ARGUMENT ROLE" of the options that name files
tr '\n' ' ' <"$root/compiler/driver/options.def" | grep -o 'OPTION("[a-z0-9-]*", [^,]*, "[^"]*", [A-Z]*_FILES\?, [a-z_0-9]*, [^"]*"' |
    sed 's/OPTION("\([^"]*\)", [^,]*, "\([^"]*\)", \([A-Z]*\)_FILES*, [a-z_0-9]*, \(.*\)/\1 \2 \3 \4/' >roles
# options COMMAND ROLE: the command's options of that role
options() {
    collc help "$1" | grep -o -e '--[a-z0-9-]* [^ ]*' | awk -v command="$1" -v role="$2" '
        FNR == NR { shown[$0]; next }
        $3 == role && "--" $1 " " $2 in shown && /ON\(fmt\)/ == (command == "fmt") { print "--" $1 }' - roles | sort -u
}
n_pairs=0
# refuse WORDS COMMAND ARGUMENT...: unchanged shows that it left the inputs alone
refuse() {
    n_pairs=$((n_pairs + 1))
    refused "$@"
}
# unchanged: nothing was changed in the folder of inputs since it was copied
unchanged() { diff -r --no-dereference inputs before; }
mkdir inputs
echo words >inputs/file
echo words >inputs/other
ln inputs/file inputs/hard
ln -s file inputs/soft
ln -s new inputs/ahead
sed -n 's/^COMMAND(\([a-z]*\), "\([^"]*\)", \([0-9]\).*/\1 \3/p' "$root/compiler/driver/commands.def" >commands
grep -q '^tune 1$' commands || echo 'tune 1' >>commands
grep -q '^prove 1$' commands || echo 'prove 1' >>commands
cp -r inputs before
while read -r command least; do
    argument=
    ins=$(options "$command" IN) outs=$(options "$command" OUT)
    [ "$least" -eq 0 ] || argument=inputs/other
    [ "$least" -le 1 ] || argument="$argument inputs/other"
    for out in $outs; do
        for in in $ins; do
            case "$command $in" in 'topo --topology' | 'route --topology') words= label=argument ;; *) words=$argument label=$in ;; esac
            for name in file ../inputs/file hard soft; do
                refuse "$out) is the input file 'inputs/file' ($label)" collc "$command" $words "$in" inputs/file "$out" inputs/$name
            done
        done
        [ "$least" -eq 0 ] || refuse "$out) is the input file 'inputs/other' (argument)" \
            collc "$command" $argument "$out" inputs/other
        for other in $outs; do
            [ "$out" = "$other" ] || for name in new ../inputs/new ahead; do
                refuse 'is the output file' collc "$command" $argument "$out" inputs/new "$other" inputs/$name
            done
        done
    done
    unchanged
done <commands
[ $n_pairs -gt 250 ] || { echo "$n_pairs pairs"; exit 1; }

# Behind the first argument, and of an option that is given twice.
refuse "(--output) is the input file 'inputs/other' (argument)" collc fit inputs/file inputs/other -t star:8 -o inputs/other
refuse "(--output) is the input file 'inputs/other' (--beside)" \
    collc simulate inputs/file -t star:8 --beside inputs/hard --beside inputs/other -o inputs/other
unchanged

# A project file and what it names, tables in a folder.
cp -r "$root/examples/ci" inputs/ci
chmod -R u+w inputs/ci
mkdir inputs/tables
cp "$root/tests/golden/rules/L002/hole.dump" inputs/tables/
cp "$root/tests/golden/rules/L002/pair.txt" inputs/
rm -r before
cp -r inputs before
for file in collc.yaml schedules/halves.coll; do
    refuse 'is an input file' collc check inputs/ci -q --write-baseline inputs/ci/$file
done
refuse 'is an input file' collc topo inputs/pair.txt --routes inputs/tables -o inputs/tables/hole.dump
unchanged
rm -r before

# A baseline may be renewed, and an algorithm laid out in its own file.
collc check inputs/ci -q --write-baseline known.json
collc check inputs/ci -q --baseline known.json --write-baseline known.json
cp "$root/compiler/algorithms/alltoall/ring.coll" own.coll
collc fmt own.coll -o own.coll
collc fmt own.coll --in-place
cmp own.coll "$root/compiler/algorithms/alltoall/ring.coll"

# Standard input, if it is a file; the file to which standard output goes is written to, not replaced.
cp "$root/tests/golden/rules/L002/pair.txt" net.txt
cp net.txt before
refuse_stdin() { ! "$@" <net.txt 2>said && grep -q 'is an input file\|is the input file' said && cmp net.txt before; }
refuse_stdin collc topo - --to xml -o net.txt
refuse_stdin collc draw -t - -o net.txt --to svg
cp own.coll laid.coll
sed 's/^  */&  /' own.coll >laid.coll
collc fmt - -o laid.coll <laid.coll
cmp laid.coll own.coll
echo first >log
collc topo star:4 --to shape -o /dev/stdout >>log
[ "$(cat log)" = "$(printf 'first\nstar:4')" ]
refused 'is the output file' collc bound alltoall -t star:4 --certificate - --schedule -

# The files that the processes of a check read.
mkdir job
cp own.coll job/
printf 'allgather named\nranks r: p\nrun allgather/inner over r with in = in, out = out\n' >job/named.coll
sed 's/^alltoall ring/allgather inner/' "$root/compiler/algorithms/allgather/ring.coll" >job/inner.coll
printf 'm0\nm1\nm2\nm3\n' >job/place.txt
printf 'schedules: [own.coll, named.coll]\nnetworks: [{network: "star:8", placement: place.txt}]\nranks: [4]\n' >job/collc.yaml
for file in place.txt inner.coll; do
    cp job/$file before
    refused 'is an input file' collc check job -q --write-baseline job/$file
    cmp job/$file before
done

# The times that tune measures are a file, too.
refused 'is the file of the measured times' \
    collc tune alltoall --target ompi-4.1 --ranks 2 --sizes 8 -o own.rules --chart ./own.rules.times
