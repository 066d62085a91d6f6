# Rule tables: picked from, judged, and what is wrong with a command line.
cd "$root/tests/data/tables"
collc pick sound.rules --target ompi-4.1 alltoall --ranks 3 --bytes 1..1MiB; echo $?
collc pick sound.rules --target ompi-4.1 bcast --ranks 4 --bytes 1..1MiB; echo $?
collc pick sound.rules --target ompi-6 bcast --ranks 4 --nodes 1 --bytes 1..1MiB; echo $?
collc pick sound.rules --target ompi-5.0 bcast --ranks 4 --nodes 2 --bytes 64KiB; echo $?
collc pick sound.rules --target ompi-4.1 allreduce --ranks 6 --bytes 1..1MiB --type-bytes 8; echo $?
collc pick sound.rules --target ompi-4.1 reduce --ranks 6 --bytes 1..16KiB --non-commutative; echo $?
collc pick sound.rules --target ompi-4.1 scatter --ranks 4 --bytes 1..64 --insignificant 0; echo $?
collc pick sound.rules --target ompi-5.0 reduce --ranks 4 --bytes 1; echo $?
collc pick first-not-0.rules --target ompi-4.1 bcast --ranks 4 --bytes 8KiB --format json; echo $?
collc pick fewer-ranks.rules --target ompi-4.1 alltoall --ranks 3 --bytes 8KiB; echo $?
collc lint sound.rules too-few.rules --target ompi-4.1 --quiet; echo $?
collc lint words.rules too-few.rules --target ompi-4.1 --format json | jq -r '.[].code'; echo $?
collc lint sound.rules --target ompi-4.1 --fail-on error; echo $?
collc pick sound.rules --target ompi-4.1 broadcast --ranks 4 --bytes 1; echo $?
collc pick sound.rules --target ompi-4.1 bcast --bytes 1; echo $?
collc pick sound.rules --target ompi-4.1 bcast --ranks 4; echo $?
collc pick sound.rules --target ompi-4.1 bcast --ranks 4 --bytes 2..1; echo $?
collc pick sound.rules --target ompi-4.1 bcast --ranks 4 --bytes 1.. ; echo $?
collc pick sound.rules --target ompi-4.1 bcast --ranks 4 --nodes 5 --bytes 1; echo $?
collc pick sound.rules --target ompi-3 bcast --ranks 4 --bytes 1; echo $?
collc pick sound.rules bcast --ranks 4 --bytes 1; echo $?
collc pick nowhere.rules --target ompi-4.1 bcast --ranks 4 --bytes 1; echo $?
collc lint --target ompi-4.1; echo $?
collc lint nowhere.rules sound.rules --target ompi-4.1 --quiet; echo $?
printf '1 7 1\0 0' | collc lint - --target ompi-4.1; echo $?
