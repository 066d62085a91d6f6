# Output is whole or absent; devices are written in place; a full disk is an error.
set -e
collc compile alltoall/ring --ranks 4 -o a.sched
collc compile alltoall/ring --ranks 4 >b.sched
collc compile alltoall/ring --ranks 4 -o - | cmp - a.sched
cmp a.sched b.sched
[ "$(ls)" = "$(printf 'a.sched\nb.sched')" ]

chmod 640 a.sched
collc compile alltoall/ring --ranks 5 -o a.sched
[ "$(stat -c %a a.sched)" = 640 ]

ln -s a.sched link.sched
collc compile alltoall/ring --ranks 4 -o link.sched
[ -L link.sched ]
cmp a.sched b.sched

# A link to nothing stays one, and its target is made; a circle of links is no place.
mkdir folder
ln -s folder/new.sched ahead.sched
ln -s ../ahead.sched folder/two.sched
collc compile alltoall/ring --ranks 4 -o folder/two.sched
[ -L folder/two.sched ]
[ -L ahead.sched ]
cmp folder/new.sched b.sched
ln -s circle.sched circle.sched
status=0; collc compile alltoall/ring --ranks 4 -o circle.sched 2>message || status=$?
[ $status -eq 2 ]
grep -q 'symbolic links' message
[ -L circle.sched ]
rm -r folder ahead.sched circle.sched

collc compile alltoall/ring --ranks 4 -o /dev/null
[ -c /dev/null ]

status=0; collc compile alltoall/ring --ranks 4 -o /dev/full 2>message || status=$?
[ $status -eq 2 ]
grep -q 'No space left' message
status=0; collc verify alltoall/ring --ranks 4 >/dev/full 2>message || status=$?
[ $status -eq 2 ]
grep -q 'No space left' message
status=0; collc --help >/dev/full 2>message || status=$?
[ $status -eq 2 ]
status=0; collc compile alltoall/ring --ranks 4 -o no/such/folder.sched 2>message || status=$?
[ $status -eq 2 ]
grep -q 'No such file' message

# An error leaves what was there.
cp a.sched before
status=0; collc compile alltoall/two_level_ring --ranks 5 --param nonsense=1 -o a.sched 2>message || status=$?
[ $status -eq 2 ]
cmp a.sched before
[ -z "$(find . -name '*.??????' -newer before)" ]

# The output may not be an input, whatever it is called.
cp "$root/compiler/algorithms/alltoall/ring.coll" ring.coll
ln ring.coll hard.coll
ln -s ring.coll soft.coll
for name in ring.coll ./ring.coll hard.coll soft.coll; do
    status=0; collc compile ring.coll --ranks 4 -o $name 2>message || status=$?
    [ $status -eq 2 ]
    grep -q 'is the input file' message
done
collc map alltoall/ring -t torus:2x2 -o four.map
echo 4 4 4 4 >four.counts
echo 'n[0-3]' >four.hosts
cp four.map before
for options in "emit alltoall/ring --table -t torus:2x2 --map four.map -o four.map" \
        "predict allgatherv/ring -t star:4 --counts four.counts -o four.counts" \
        "best alltoall -t star:4 --with ring.coll -o ring.coll" \
        "compile alltoall/ring -t star:4 --machines four.hosts -o four.hosts"; do
    status=0; collc $options 2>message || status=$?
    [ $status -eq 2 ]
    grep -q 'is the input file' message
done
cmp four.map before
cmp ring.coll "$root/compiler/algorithms/alltoall/ring.coll"

# A file its owner protected stays (root may write everywhere).
if [ "$(id -u)" -ne 0 ]; then
    cp a.sched before; chmod 444 a.sched
    status=0; collc compile alltoall/ring --ranks 7 -o a.sched 2>message || status=$?
    [ $status -eq 2 ]
    grep -q 'Permission denied' message
    cmp a.sched before
fi

# Standard streams that are closed are no place for results or messages.
status=0; collc compile alltoall/ring --ranks 4 >&- 2>message || status=$?
[ $status -eq 2 ]
grep -q 'cannot write standard output' message
collc compile alltoall/ring --ranks 4 -o closed.sched <&- >&- 2>&-
cmp closed.sched b.sched
status=0; collc compile alltoall/two_level_ring --ranks 4 --param a=1 -o none.sched 2>&- || status=$?
[ $status -eq 2 ]
[ ! -e none.sched ]
status=0; collc verify - --ranks 4 <&- 2>message || status=$?
[ $status -eq 2 ]

# A killed process leaves nothing behind, where files without a name can be made.
rm -rf kill; mkdir kill
collc compile alltoall/ring --ranks 4000 -o kill/a.sched & child=$!
until ls -l /proc/$child/fd 2>/dev/null | grep -q "$PWD/kill/"; do kill -0 $child 2>/dev/null || break; done
kill -KILL $child 2>/dev/null || :
wait $child 2>/dev/null || :
case $(stat -f -c %T kill) in
ext* | tmpfs | xfs | btrfs) [ -z "$(ls kill | grep -v '^a.sched$')" ] ;;
esac

# If no algorithm works there is no file; the reasons are printed all the same.
for format in '' '--format json' '--to svg' '--to csv'; do
    status=0; collc best alltoall -t mesh:3 --fail '(0):(1)' $format -o none >out 2>message || status=$?
    [ $status -eq 2 ]
    [ ! -e none ]
    [ ! -s out ]
    grep -q 'no route' message
    status=0; collc best alltoall -t mesh:3 --fail '(0):(1)' $format >out 2>message || status=$?
    [ $status -eq 2 ]
    case $format in
    --to*)
        [ ! -s out ]
        grep -q 'no route' message ;;
    *) grep -q 'no route' out ;;
    esac
done

# The ending of the name says the form, as --to and --format do, and nothing where one of them is given.
place="-t star:4"
while read -r ending form command; do
    collc $command $place $(echo "$form" | tr = ' ') >said
    collc $command $place -o "file$ending"
    cmp said "file$ending"
done <<'CASES'
.csv --to=csv best bcast --model step
.svg --to=svg best bcast --model step
.json --format=json best bcast --model step
.svg --to=svg predict bcast/chain
.json --format=json predict bcast/chain
.dot --to=dot draw alltoall/ring
.svg --to=svg draw alltoall/ring
CASES
for form in '--to xml' '--to dot' '--to shape-map' '--format json'; do
    collc topo star:4 $form >said
    collc topo star:4 -o "file.${form#* }"
    cmp said "file.${form#* }"
done
collc best bcast --model step $place --to csv >said
collc best bcast --model step $place --to csv -o file.json
cmp said file.json
collc best bcast --model step $place --format text >said
collc best bcast --model step $place --format text -o file.svg
cmp said file.svg
for name in file.txt svg folder.svg/file; do
    mkdir -p folder.svg
    collc best bcast --model step $place -o $name
    cmp said $name
done
collc emit bcast/chain -o file.json
grep -q MPI_ file.json
