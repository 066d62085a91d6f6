# What README, docs and examples show under a line '$ collc ...' is printed by that command, and the
# tables of README are those of `make demo`. (tests/lint runs all such commands; language.md has a
# test of its own.)
. "$root/tests/helpers.sh"
failed=0
mkdir tree
ln -s "$root"/* tree
cd tree || exit 1

for page in README.md docs/*.md examples/*/README.md; do
    [ "$page" != docs/language.md ] || continue
    awk -v page="$page" '
        /^ *\$ collc / { match($0, /^ */); indent = RLENGTH; command = substr($0, indent + 3)
            if (command ~ /^collc compile .* -o [a-z.]*$/) print page "\t" command "\t"
            next }
        /^```/ || ($0 != "" && match($0, /^ */) && RLENGTH < indent) { command = "" }
        command == "" || $0 == "" { next }
        { line = substr($0, indent + 1) }
        line ~ /^(\.\.\.|opensm |collc )/ || line ~ /^ *\.\.\.$/ { next }
        { print page "\t" command "\t" line }' "$page"
done >../shown
[ "$(wc -l <../shown)" -ge 15 ] || { echo "only $(wc -l <../shown) lines are shown"; failed=1; }
last=
while IFS="$(printf '\t')" read -r page command line; do
    [ "$command" = "$last" ] || sh -c "$command" 2>&1 </dev/null | sed 's/ *$//' >../printed
    last=$command
    [ -n "$line" ] || continue # what others go on with
    grep -qxF -e "$line" ../printed || { echo "$page: '$command' does not print '$line'"; failed=1; }
done <../shown

# A table of the first block of README: from the line that begins with TITLE to the next empty one.
table() { sed -n "/^$1/,/^\$/p" README.md | sed '1d; /^$/d'; }
cluster='-t examples/clusters/naruse2010.xml --ranks-per-machine 8'
# shellcheck disable=SC2086
collc best alltoall --model step $cluster --bytes 64,4KiB,256KiB |
    sed -n '/time, /,/^ *does not work/p' | sed '/does not work/d; /^$/d; s/ *$//' >../times
table 'Which is the fastest' | diff - ../times || failed=1
table '24 servers with' | sed 1d >../rows
[ "$(wc -l <../rows)" -eq "$(grep -c '^  alltoall/.* [mu]s' ../times)" ] || { echo 'rows are missing'; failed=1; }
while read -r name row; do
    # shellcheck disable=SC2086
    collc verify "$name" $cluster --format json >record
    set -- "$(field steps)" "$(field max_link_load)" "$(field contended_steps)" of "$(field steps)" \
        "$(field max_fan_in)" "$(printf %.2f "$(field max_hol_slowdown)")"
    [ "$*" = "$(echo $row)" ] || { echo "README.md: $name: $*, shown $row"; failed=1; }
done <../rows

# The programs of README are the built-in algorithms of their names: equal schedules.
awk '/^```/ { file = ""; n += open = !open; next } open { print >("../block" n) }' README.md
programs=0
for block in $(grep -l '^ranks ' ../block*); do
    mv "$block" ../program.coll
    name=$(sed -n 's/^alltoall \([a-z_]*\)$/\1/p' ../program.coll)
    for file in ../program.coll "alltoall/$name"; do
        collc compile "$file" -t star:5 --ranks-per-machine 3 --ranks 13 | grep -v '^algorithm '
    done >../twice
    half=$(($(wc -l <../twice) / 2))
    [ $half -gt 100 ] && [ "$(head -n $half ../twice)" = "$(tail -n $half ../twice)" ] ||
        { echo "README.md: the program '$name' is another than alltoall/$name"; failed=1; }
    programs=$((programs + 1))
done
[ $programs -eq 2 ] || { echo "README.md: $programs programs"; failed=1; }

# The library: each algorithm is in one family, with the numbers of names, families and collectives.
collc algorithms --long | sed -n 's|^\([a-z_]*\)/\([a-z0-9_]*\).*|\1 \2|p' >../library
sed -n '/^There are [0-9]* built-in/,/[.] Many/p' README.md | tr '\n' ' ' >../said
grep -q "^There are $(wc -l <../library) built-in algorithms: " ../said || { echo "README.md: not $(wc -l <../library) algorithms"; failed=1; }
cut -d' ' -f1 ../library | sort | uniq -c | while read -r count collective; do
    grep -q "[ ,]$count for $collective[ ,.]" ../said || echo "README.md: no '$count for $collective'"
done >../wrong
sed -n '/^| family | algorithms |/,/^$/p' README.md | sed '1,2d; /^$/d' >../families
[ "$(wc -l <../families)" -ge 10 ] || echo 'README.md: the table of families is gone' >>../wrong
while IFS='|' read -r _ family count names _; do
    echo "$names" | tr -d '` ' | tr ',' '\n' | tee -a ../named >../family
    found=$(awk 'NR == FNR { has[$1]; next } $2 in has { n++ } END { print n + 0 }' ../family ../library)
    [ "$found" = "$(echo $count)" ] || echo "README.md: $found algorithms are$family, not$count"
done <../families >>../wrong
sort ../named | uniq -d | sed 's/^/README.md: in two families: /' >>../wrong
cut -d' ' -f2 ../library | sort -u >../names
sort -u ../named | comm -3 - ../names | sed 's/^/README.md: in no family, or no algorithm: /' >>../wrong
[ ! -s ../wrong ] || { cat ../wrong; failed=1; }

# The loops in emitted-c.md.
collc emit alltoall/two_level_ring -o ../loops.c
sed -n '/^    for (int64_t j/,/^```/p' docs/emitted-c.md | sed '/^```/d' >../shown
[ -s ../shown ] && tr '\n' '\t' <../loops.c | grep -qF "$(tr '\n' '\t' <../shown)" ||
    { echo 'docs/emitted-c.md shows other loops'; failed=1; }
exit $failed
