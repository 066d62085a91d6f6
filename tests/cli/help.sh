# Every command has help; the other forms come from the same table.
set -e
for command in compile verify emit draw topo route algorithms explain fmt help; do
    collc $command --help | grep -q "^usage: collc $command"
    collc help --format man | grep -q "collc $command"
    collc help --format bash | grep -q "$command"
done
collc help --format bash >completion
bash -c '. ./completion; COMP_WORDS=(collc verify --max-fan-i); COMP_CWORD=2; _collc; echo "${COMPREPLY[*]}"' |
    grep -x -- --max-fan-in
collc --version | grep -Eqx 'collc [0-9]+\.[0-9]+\.[0-9]+'
