# Every command has help; the other forms come from the same table.
set -e
collc help --format man >collc.1
for command in $(collc help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
    collc "$command" --help >all
    grep -q "^usage: collc $command" all
    grep -Fq "collc\\-$command (1)" collc.1
    collc help "$command" --format man >page
    grep -q "^\.TH COLLC-$command 1" page
    sed 's/\\-/-/g' page >plain
    # The page has every option that the help has, and the short help every name.
    collc "$command" -h >short
    [ "$(wc -l <short)" -le 50 ] || { echo "'collc $command -h' is longer than a screen"; exit 1; }
    sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' all | sort -u >options
    [ -s options ]
    for place in plain short; do
        grep -o -e '--[a-z0-9-]*' $place | sort -u | comm -23 options - >lacking
        [ ! -s lacking ] || { echo "$command: not in $place:" $(cat lacking); exit 1; }
    done
    ! command -v man >/dev/null || ! MANWIDTH=80 man --warnings -E UTF-8 -l page 2>&1 >/dev/null | grep . || exit 1
done
# Commands with many options have headings, each above some options; the others have none.
collc help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | while read -r command; do
    collc "$command" --help | awk -v command="$command" '
        /^[A-Z][a-z ]*:$/ && length < 40 { n++; if (is_above) exit bad = 1; is_above = 1 }
        /^  -/ { options++; is_above = 0 }
        END { exit bad || is_above || (options > 16 ? n < 3 : n) }' || { echo "headings of $command"; exit 1; }
done
collc --version | grep -Eqx 'collc [0-9]+\.[0-9]+\.[0-9]+'
