# --dump-after: what is printed reads as the same program. After `parse` it is the file; after `inline`
# it is in canonical layout, is printed again as it is, and has the same schedules; after `bind` it has
# them where it was bound, and binding it there again changes nothing.
. "$root/tests/helpers.sh"
failed=0
complain() { echo "$1"; failed=1; }

cat >clusters.xml <<'END'
<topology version="1" name="2 clusters"><networks machines="m[0-3]">
<network label="A" machines="m[0-1]" bandwidth="10Gb/s"><star machines="2"/></network>
<network label="B" machines="m[2-3]" bandwidth="10Gb/s"><star machines="2"/></network>
<network label="E" machines="m[0-3]" bandwidth="1Gb/s"><star machines="4"/></network>
</networks></topology>
END

# check ALGORITHM OPTION...: on these ranks, if it is defined there.
check() {
    name=$1
    shift
    collc compile "$name" "$@" >schedule 2>/dev/null || return 0
    n=$((n + 1))
    collc compile inlined.coll "$@" >found 2>&1
    cmp -s schedule found || complain "$name $*: another schedule after inline: $(head -n 3 found)"
    collc compile "$name" "$@" --dump-after bind >bound.coll
    collc compile bound.coll "$@" >found 2>&1
    cmp -s schedule found || complain "$name $*: another schedule after bind: $(head -n 3 found)"
    collc verify bound.coll "$@" --dump-after bind >again.coll
    sed 1d bound.coll >first
    sed 1d again.coll | cmp -s - first || complain "$name $*: bound again it differs"
}

for file in $(ls "$root"/compiler/algorithms/*/*.coll | some_of 3); do
    name=$(basename "$(dirname "$file")")/$(basename "$file" .coll)
    collc compile "$name" --dump-after inline >inlined.coll
    # those with runs and grids, and every eighth of the others
    i=$((${i:-0} + 1))
    grep -q '^ *run \|extent(\|: nx' "$file" || grep -q 'if .* run ' "$file" || [ $((i % 8)) -eq 0 ] || continue
    collc compile "$name" --dump-after parse | cmp -s - "$file" || complain "$name: not as it is written"
    collc compile inlined.coll --dump-after inline >again.coll 2>&1
    cmp -s inlined.coll again.coll || complain "$name: not the same again: $(head -n 3 again.coll)"
    collc fmt --check inlined.coll || complain "$name: not in canonical layout"
    n=0
    check "$name" --ranks 8 --ranks-per-machine 2
    [ $n -gt 0 ] || check "$name" --topology torus:3x3
    [ $n -gt 0 ] || check "$name" --topology torus:4x4
    [ $n -gt 0 ] || check "$name" --topology clusters.xml --ranks-per-machine 2
    [ $n -gt 0 ] || check "$name" --ranks 3
    [ $n -gt 0 ] || check "$name" --ranks 2
    [ $n -gt 0 ] || complain "$name: bound nowhere"
done

# Values of the program, a block that has nothing in it, a number below 0, names of a step.
cat >own.coll <<'END'
allreduce own(offset = -1)
ranks r: p
let segments = p
def pass(d)
  send buf[r] to r + d

for k in 0 .. p-1
  step
    if k == 0 and r < 0
      pass(1)
    else
      let m = k + offset
      send buf[k] to r + m; reduce buf[k] from r - m
END
collc compile own.coll --ranks 2 --dump-after bind >bound.coll
cat >expected <<'END'
# p = 2, offset = -1, segments = 2
allreduce own
ranks r: 2
let segments = 2
def pass(d)
  send buf[r] to r + d
for k in 0 .. 1
  step
    if k == 0 and r < 0
      pass(1)
    else
      let m = k + -1
      send buf[k] to r + m
      reduce buf[k] from r - m
END
diff expected bound.coll || failed=1

collc compile own.coll --dump-after link 2>errors
grep -q "'link' is not one of parse|inline|bind" errors || complain "$(cat errors)"
collc compile own.coll --ranks 2 -o own.sched
collc verify own.sched --dump-after bind 2>errors
[ $? -eq 2 ] && grep -q 'a schedule file has no passes' errors || complain "$(cat errors)"
exit $failed
