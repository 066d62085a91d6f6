# Every command has help; the other forms come from the same table.
set -e
for command in compile verify emit draw topo route algorithms explain fmt help; do
    collc $command --help | grep -q "^usage: collc $command"
    collc help --format man | grep -q "collc $command"
    collc help --format bash | grep -q "$command"
done
# Commands with many options have headings, each above some options; the others have none.
collc help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | while read -r command; do
    collc "$command" --help | awk -v command="$command" '
        /^[A-Z][a-z ]*:$/ && length < 40 { n++; if (is_above) exit bad = 1; is_above = 1 }
        /^  -/ { options++; is_above = 0 }
        END { exit bad || is_above || (options > 16 ? n < 3 : n) }' || { echo "headings of $command"; exit 1; }
done
collc help --format bash >completion
bash -c '. ./completion; COMP_WORDS=(collc verify --max-fan-i); COMP_CWORD=2; _collc; echo "${COMPREPLY[*]}"' |
    grep -x -- --max-fan-in
collc --version | grep -Eqx 'collc [0-9]+\.[0-9]+\.[0-9]+'
