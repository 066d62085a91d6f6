# Every built-in algorithm is in canonical layout, and --check sees when one is not.
set -e
. "$root/tests/helpers.sh"
collc fmt --check "$root/compiler/algorithms"
cp -R "$root/compiler/algorithms" algorithms
collc fmt --in-place algorithms
diff -r "$root/compiler/algorithms" algorithms
for file in "$root"/compiler/algorithms/barrier/*.coll; do collc fmt "$file" | cmp - "$file"; done
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

# Several files and folders: all of them are looked at, and each of the three says what is to be done.
mkdir -p tree/deep/.hidden tree/none
cp "$root/compiler/algorithms/alltoall/ring.coll" tree/good.coll
cp other.coll tree/deep/other.coll; cp other.coll tree/deep/.hidden/other.coll; cp other.coll tree/notes.txt
ln -s .. tree/deep/up
status=0; collc fmt tree 2>message || status=$?
[ $status -eq 2 ]
grep -q -- '--in-place, --check or --diff' message
status=0; collc fmt --check tree >message || status=$?
[ $status -eq 1 ]
[ "$(cat message)" = 'tree/deep/other.coll: not in canonical layout' ]
status=0; collc fmt --diff tree/none tree 2>message >found || status=$?
[ $status -eq 2 ]
grep -q "'tree/none': no file \*.coll" message
grep -q '^--- tree/deep/other.coll$' found
status=0; collc fmt --in-place --diff tree 2>message || status=$?
[ $status -eq 2 ]
cp wrong.coll tree/
status=0; collc fmt -i tree >message 2>&1 || status=$?
[ $status -eq 2 ]
cmp tree/wrong.coll before
cmp tree/deep/other.coll tree/good.coll
cmp tree/deep/.hidden/other.coll other.coll
rm tree/wrong.coll
collc fmt --check tree
[ -z "$(collc fmt --diff tree)" ]
status=0; collc fmt -i alltoall/ring 2>message || status=$?
[ $status -eq 2 ]
grep -q 'built in' message

# The hooks of pre-commit for algorithms take them by name.
mkdir hooks
cp other.coll hooks/first.coll; cp other.coll hooks/second.coll
grep -A4 -E '^- id: collc-(fmt|lint)$' "$root/.pre-commit-hooks.yaml" | sed -n 's/^  entry: //p' >entries
[ "$(wc -l <entries)" -eq 2 ]
while read -r entry; do $entry hooks/first.coll hooks/second.coll; done <entries
collc fmt --check hooks

# The printed difference makes one file of the other: by patch, of all layouts of the tests and of
# algorithms of which every line differs, every third, all but a few, or the last line has no end.
command -v patch >/dev/null || { echo 'skipped: no patch'; exit 0; }
n=0
for spoil in '' 's/^  */&&/' '3~3s/ = /  =   /; 5~7s/$/  # here/' '$!N; s/\(..*\)\n$/\1/; P; D' '2~9s/^$/\n\n\n/' \
    '0~11{s/^$/# more\n/}'; do
    rm -rf spoilt wanted; mkdir spoilt
    # shellcheck disable=SC2046
    cp $(ls "$root"/tests/golden/language/ok/*.coll "$root"/compiler/algorithms/alltoall/*.coll | some_of) spoilt
    for file in spoilt/*; do [ -n "$spoil" ] || truncate -s -1 "$file"; done
    sed -s -i "$spoil" spoilt/*
    cp -R spoilt wanted
    collc fmt --in-place wanted 2>message || sed -n 's/^wanted\(.*\.coll\):[0-9].*/wanted\1 spoilt\1/p' message | xargs rm -f
    status=0; collc fmt --diff spoilt >changes || status=$?
    [ $status -eq 1 ]
    patch --binary -s -p0 <changes
    diff -r wanted spoilt
    n=$((n + $(grep -c '^--- ' changes)))
    collc fmt --diff wanted >changes
    [ ! -s changes ]
done
[ $n -gt $(usually 50 10) ]
# No more lines than diff has, of what is only set in.
rm -r spoilt
sed 's/^  */&&/' "$root/compiler/algorithms/alltoall/a2at.coll" >spoilt
status=0; collc fmt --diff spoilt >changes || status=$?
collc fmt spoilt | diff -u spoilt - >least || true
[ "$(grep -c '^[-+]' changes)" -eq "$(grep -c '^[-+]' least)" ]
