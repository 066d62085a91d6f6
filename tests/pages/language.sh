# The examples of docs/language.md: every block "```coll FILE" is a file, the line "    $ COMMAND" after
# it is run, and the block "```output" after that is exactly what it prints. Each algorithm is right
# with 1 to 16 ranks, on servers of one or two ranks or on a grid, or refuses them (E009).
page=$root/docs/language.md
failed=0
complain() { echo "$1"; failed=1; }

awk '
    /^```coll / { file = $2; n++; command = "command." n; expected = "expected." n; inside = 1; next }
    /^```output/ { if (expected == "") { print "output without a file: line " NR > "orphans" }
                   target = expected; expected = ""; printf "" > target; next }
    /^```/ { if (inside) { print file > "names" } inside = 0; target = ""; next }
    inside { print > file }
    target != "" { print > target }
    /^    \$ / && command != "" { print substr($0, 7) > command; command = "" }
' "$page"
[ ! -s orphans ] || complain "$(cat orphans)"
[ "$(wc -l <names)" -ge 6 ] || complain "only $(wc -l <names) examples"

n=0
while read -r file; do
    n=$((n + 1))
    [ -s "command.$n" ] && [ -s "expected.$n" ] || { complain "$file: no command or output"; continue; }
    sh "./command.$n" >found 2>found.errors
    diff "expected.$n" found >difference || complain "$file: $(cat "command.$n"): $(cat difference found.errors)"
done <names

# verdict FILE OPTION...: right, refused or wrong
verdict() {
    collc verify "$@" --quiet >message 2>&1
    status=$?
    if [ $status -eq 0 ]; then
        echo right
    elif [ $status -eq 2 ] && grep -q '\[E009\]' message; then
        echo refused
    else
        echo wrong
    fi
}
grids_of() { # RANKS
    for x in 1 2 3 4 5; do
        [ $(($1 % x)) -ne 0 ] || echo "torus:${x}x$(($1 / x))"
    done
    [ $(($1 % 4)) -ne 0 ] || echo "mesh:2x$(($1 / 4))x2"
}
while read -r file; do
    : >verdicts
    for p in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        verdict "$file" --ranks $p >>verdicts
        [ $((p % 2)) -ne 0 ] || verdict "$file" --ranks $p --ranks-per-machine 2 >>verdicts
        ! grep -q 'n[xyz]\|dimensions' "$file" || for grid in $(grids_of $p); do
            verdict "$file" --topology "$grid" >>verdicts
        done
        ! grep -q wrong verdicts || { complain "$file, $p ranks: $(cat message)"; break; }
    done
    [ "$(grep -c right verdicts)" -ge 4 ] || complain "$file is hardly ever right: $(sort verdicts | uniq -c)"
    collc fmt --check "$file" || complain "$file is not in canonical layout"
done <names
exit $failed
