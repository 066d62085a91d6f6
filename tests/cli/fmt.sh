# Every built-in algorithm is in canonical layout, and --check sees when one is not.
set -e
for file in "$root"/compiler/algorithms/*/*.coll; do
    collc fmt --check "$file"
    collc fmt "$file" | cmp - "$file"
done
sed 's/ \.\. /../; s/^  /   /' "$root/compiler/algorithms/alltoall/ring.coll" >other.coll
status=0; collc fmt --check other.coll >message || status=$?
[ $status -eq 1 ]
grep -q 'canonical' message
collc fmt other.coll | cmp - "$root/compiler/algorithms/alltoall/ring.coll"
# In place: whole, or as it was where it is no algorithm.
cp other.coll own.coll
[ -z "$(collc fmt own.coll -o own.coll)" ]
cmp own.coll "$root/compiler/algorithms/alltoall/ring.coll"
printf 'alltoall ring\nsend\n' >wrong.coll; cp wrong.coll before
status=0; collc fmt -o wrong.coll wrong.coll 2>message || status=$?
[ $status -eq 2 ]
cmp wrong.coll before
status=0; collc fmt --check own.coll -o own.coll 2>message || status=$?
[ $status -eq 2 ]
grep -q 'leave out one of them' message
status=0; printf 'collc-schedule 1\n' | collc fmt - 2>message || status=$?
[ $status -eq 2 ]
