# Every built-in algorithm is in canonical layout, and --check sees when one is not.
set -e
for file in "$root"/compiler/algorithms/*/*.coll; do
    collc fmt --check "$file"
    collc fmt "$file" | cmp - "$file"
done
sed 's/ \.\. /../; s/^  /   /' "$root/compiler/algorithms/alltoall/ring.coll" >other.coll
status=0; collc fmt --check other.coll >message || status=$?
[ $status -eq 1 ] && grep -q 'canonical' message
collc fmt other.coll | cmp - "$root/compiler/algorithms/alltoall/ring.coll"
status=0; printf 'collc-schedule 1\n' | collc fmt - 2>message || status=$?
[ $status -eq 2 ]
