# Selection files of MPICH: picked from, where calls fail, and versions.
cd "$root/tests/data/tables/mpich"
collc pick sound.json --target mpich-4.0 alltoall --ranks 6 --bytes 1..1MiB; echo $?
collc pick sound.json --target mpich-4.0 barrier --ranks 6 --nodes 6 --bytes 1; echo $?
collc pick ranks.json --target mpich-4.0 exscan --ranks 3 --bytes 8; echo $?
collc pick elements.json --target mpich-4.0 gather --ranks 4 --type-bytes 4 --bytes 1..64KiB; echo $?
collc pick elements.json --target mpich-4.0 gather --ranks 4 --in-place --bytes 4KiB; echo $?
collc pick smp.json --target mpich-4.0 allreduce --ranks 4 --nodes 2 --bytes 4KiB --non-commutative; echo $?
collc pick sound.json --target mpich-4.0 ibcast --ranks 4 --bytes 1MiB --format json | jq -c '.ranges[]'; echo $?
collc pick sound.json --target mpich-4.2 bcast --ranks 4 --bytes 1; echo $?
collc lint sound.json turned.json --target mpich-4.0 --fail-on warning; echo $?
