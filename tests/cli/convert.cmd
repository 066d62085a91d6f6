# Rule tables converted, and command lines that are none.
cd "$root/tests/data/tables"
all="--commutative-only --same-types-only"
collc convert sound.rules --target ompi-4.1 --to ompi-6 $all; echo $?
collc convert ompi-6/sound.json --target ompi-6 --to ompi-5.0 $all 2>/dev/null; echo $?
collc convert mpich/sound.json --target mpich-4.0 --to mpich-4.3 | grep -A1 'hierarchy\|chunk'; echo $?
collc convert unordered.rules --target ompi-4.1 --to ompi-4.1 $all; echo $?
collc convert first-not-0.rules --target ompi-4.1 --to ompi-6; echo $?
collc convert sound.rules --target ompi-4.1 --to mpich-4.0; echo $?
collc convert sound.rules --target ompi-4.1; echo $?
collc convert nowhere.rules --target ompi-4.1 --to ompi-6; echo $?
