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
# One finding for a cause, whatever the number of rows.
printf '1\n3\n3\n' >$OLDPWD/zeros.rules
for ranks in 2 4 8; do printf '%d\n2\n0 0 0 0\n1024 0 0 0\n' $ranks; done >>$OLDPWD/zeros.rules
collc convert $OLDPWD/zeros.rules --target ompi-4.1 --to ompi-6 2>&1 >/dev/null | sed 's|^/.*zeros|zeros|'
