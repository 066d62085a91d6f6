# Lines '$ collc ...' of README, docs and examples run, with status 0 or 1, in a folder where they see the project but
# cannot write to it. They print what is shown under them, in that order: a line '...' stands for any lines, ' ...' behind
# a line for the rest of it. The table of docs/demo.md is that of `make demo`. The pages of docs/start also have files,
# each a block that begins with ```KIND NAME, and commands of MPIs. (Lines that language.md shows have a test of their own.)
. "$root/tests/helpers.sh"
failed=0
mkdir tree
ln -s "$root"/* tree
cd tree || exit 1

for page in README.md docs/*.md docs/start/*.md examples/*/README.md; do
    awk -v page="$page" '
        page ~ /^docs\/start\// && /^```[a-z]+ [a-z_]+[.][a-z]+$/ { file = $2
            while ((getline line) > 0 && line !~ /^```/) print line >file
            close(file)
            next }
        /^ *\$ (collc|mpicc|mpirun|cat)[ .]/ { match($0, /^ */); indent = RLENGTH; command = substr($0, indent + 3)
            n++
            if (command ~ /^collc/ || page ~ /^docs\/start\//) print page "\t" n "\t" command "\t"
            next }
        page == "docs/language.md" { next }
        /^```/ || ($0 != "" && match($0, /^ */) && RLENGTH < indent) { command = "" }
        command == "" || $0 == "" { next }
        { line = substr($0, indent + 1) }
        line ~ /^(opensm |collc |mpicc |mpirun )/ { next }
        { print page "\t" n "\t" command "\t" line }' "$page"
done >../shown
[ "$(cut -f 4 ../shown | grep -c .)" -ge 250 ] || { echo "only $(cut -f 4 ../shown | grep -c .) lines are shown"; failed=1; }
# Commands under which nothing is shown run once.
awk -F '\t' '{ at = $1 FS $2 FS $3; if ($4 != "") shows[at] = 1; if (!(at in seen)) { seen[at]; order[++n] = at } }
    END { for (i = 1; i <= n; i++) { split(order[i], part, FS)
          if (order[i] in shows || part[1] ~ /^docs\/start\// || !ran[part[3]]++) print order[i] } }' ../shown >../commands
[ "$(wc -l <../commands)" -ge 200 ] || { echo "only $(wc -l <../commands) commands"; failed=1; }
mkdir ../printed
i=0
while IFS="$(printf '\t')" read -r _ _ command; do
    i=$((i + 1)) status=0
    (eval "$command") >../printed/$i 2>&1 </dev/null || status=$?
    echo $status
done <../commands >../statuses
# Compares the output of each with the lines that are shown; empty ones count for nothing.
awk -F '\t' '
    FILENAME == "../shown" { if ($4 != "") shown[$1, $2, ++lines[$1, $2]] = $4; next }
    FILENAME == "../statuses" { status[FNR] = $1; next }
    {
        n = 0
        file = "../printed/" FNR
        while ((getline line <file) > 0) { sub(/ *$/, "", line); if (line != "") printed[++n] = line }
        close(file)
        # A pipe of docs/start ends as its last command does.
        if (status[FNR] >= 2 && !($1 ~ /^docs\/start\// && $3 ~ /[|] /)) {
            print $1 ": \047" $3 "\047 ends with status " status[FNR] ":"
            for (i = 1; i <= 5 && i <= n; i++) print printed[i]
        }
        if (lines[$1, $2]) compare($1, $2, $1 ": \047" $3 "\047 ") # else it writes what others go on with
    }
    function compare(page, number, what,   i, at, is_gap) {
        for (i = 1; i <= lines[page, number]; i++) {
            line = shown[page, number, i]
            if (line ~ /^ *\.\.\.$/) { is_gap = 1; continue }
            do at++; while (is_gap && at <= n && !fits(printed[at], line))
            if (at > n || !fits(printed[at], line)) {
                print what "does not print, at this place, \047" line "\047"
                return
            }
            is_gap = 0
        }
        if (!is_gap && at < n) print what "goes on with \047" printed[at + 1] "\047"
    }
    function fits(line, shown) {
        return line == shown || (sub(/ \.\.\.$/, "", shown) && index(line, shown " ") == 1)
    }' ../shown ../statuses ../commands >../wrong
[ ! -s ../wrong ] || { cat ../wrong; failed=1; }

# The table of docs/demo.md: from the line behind its title to the end of the block.
cluster='-t examples/clusters/naruse2010.xml --ranks-per-machine 8'
# shellcheck disable=SC2086
collc best alltoall --model step $cluster --bytes 64,4KiB,256KiB |
    sed -n '/time, /,/^ *does not work/p' | sed '/does not work/d; /^$/d; s/ *$//' >../times
sed -n '/^Which is the fastest/,/^```/p' docs/demo.md | sed '1d; $d' | diff - ../times || failed=1

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
tr -d '`,' <../families |
    sed 's/^| \(.*\) | [0-9]* | \(.*\) |$/\1: \2/' >../told
sed -n '/^FAMILY/,$p' compiler/algorithms/families.def | sed 's/^FAMILY("\(.*\)",$/\1: /; s/)$/@/' | tr -d '",\n' |
    tr '@' '\n' | tr -s ' ' |
    diff - ../told | sed 's/^/README.md, families.def: /' >>../wrong
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
