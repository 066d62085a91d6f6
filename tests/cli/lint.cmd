# Every code of the linter, and near misses.
cat >bad.coll <<'END'
# Flat.
bcast flat(radix = 2, gap = 1)
ranks r: p from root
costs steps p - 1 messages p - 1 bytes (p - 1) * m
let unused = 3
tmp 2
def helper(a, b)
  copy buf to buf
for d in 1..p-1
  step
    if r == 0  send buf to d
    if r == d  recv buf from 0
    if r == p  send buf to 1 + 1/gap
step
  for d in 1 .. 0
    send buf to d
for k in 1 .. 0
  step
    send buf to r
END
collc lint bad.coll; echo $?
cat >tmp.coll <<'END'
alltoall wasteful
ranks r: p
tmp 2 * p
copy in to tmp[0 .. p-1]
step
  send tmp[r] to r
  recv out[r] from r
for i in 1 .. p-1
  step
    send tmp[(r + i) mod p] to r + i
    recv out[r-i] from r - i
END
collc lint tmp.coll --fail-on note; echo $?
cat >counts.coll <<'END'
alltoall pairwise(k = 1)
ranks r: p
let one = k / k
for i in 0 .. p-1
  step
    send in[r xor i] to r xor i * one
    recv out[r xor i] from r xor i
END
collc lint counts.coll; echo $?
cat >cover.coll <<'END'
barrier four
ranks (i: p/4, j: 4)
step
  for d in 1 .. p-1
    send to (i + d/4, j + d)
    recv from (i - d/4, j - d)
END
collc lint cover.coll | grep -A4 W008
# The report says of a table that it is right with root 0 only, with the first root that fails, and how to count.
printf 'bcast flat\nranks r: p\n\nif p > 1\n  step\n    if r == 0\n      for d in 1 .. p-1\n        send buf to d\n    else  recv buf from 0\n' >root.coll
collc lint root.coll | grep -A3 W008
sed 's/^ranks.*/& from root/' root.coll >from.coll
collc lint from.coll | grep -c W008
printf 'scatter whole\nranks r: p from root\ntmp p\n\nif r == 0  copy in to tmp\nif p > 1\n  step\n    if r == 0\n      for d in 1 .. p-1\n        send tmp[d] to d\n    else  recv out from 0\nif r == 0  copy tmp[0] to out\n' >whole.coll
collc lint whole.coll | grep -A3 W008
# The place where a value of a parameter fails, though it works with the default.
printf 'bcast flat(gap = 0)\nranks r: p from root\n\nif p > 1\n  step\n    if r == 0\n      for d in 1 .. p-1\n        send buf to d + gap\n    else  recv buf from 0\n' >gap.coll
collc lint gap.coll | grep W007
# A loop that goes a turn too far, or begins one too early, on any number of ranks; not on some.
printf 'bcast tree\nranks r: p from root\n\nfor k in 0 .. ceil_log2(p)\n  step\n    if r < 2^k and r + 2^k < p   send buf to r + 2^k\n    if 2^k <= r and r < 2^(k+1)  recv buf from r - 2^k\n' >far.coll
collc lint far.coll | grep -A3 W004
collc verify far.coll --ranks 4 | grep steps
collc verify far.coll --ranks 4 --format json | grep idle
sed 's/ceil_log2(p)/floor_log2(2*p-2)-1/; s/^ranks.*/&\nrequires p > 1/' far.coll >near.coll
collc lint near.coll | grep -c W004
printf 'barrier early\nranks r: p\n\nfor k in -1 .. ceil_log2(p)-1\n  step\n    if k >= 0\n      send to r + 2^k\n      recv from r - 2^k\n' >early.coll
collc lint early.coll | grep -A1 W004
printf 'barrier endless\nranks r: p\n\nfor t in 0 .. 2^39\n  step\n    send to r\n' >endless.coll
collc lint endless.coll --fail-on error >found; echo $?; grep W011 found
# Findings from before the work is too much are reported all the same.
cat >late.coll <<'END'
bcast late
ranks r: p from root

for i in 1 .. p-1
  step
    if r == 0  send buf to i
    if r == i  recv buf from 0
if p > 4
  for i in 1 .. 4000000
    step
      if r == 0 or r == 2  send buf to 1
      if r == 1
        recv buf from 0
        recv buf from 2
END
collc lint late.coll >found; echo $?; grep -A3 'W0[01][18]' found
# An if that is true on some ranks, a loop that runs with enough ranks, a let of the head only, a
# parameter with a requirement, a step that is empty at some ranks only: nothing.
cat >good.coll <<'END'
# Chain.
bcast good(stride = 1)
ranks r: p from root
requires stride == 1
let rounds = p - 1
costs
  steps     rounds
  messages  p > 1
  bytes     (p > 1) * m

for k in 1 .. p-1
  step
    if r == k - stride  send buf to r + 1
    if r == k           recv buf from r - 1
END
collc lint good.coll bcast/binomial; echo $?
collc lint good.coll nothing.coll --quiet; echo $?
collc lint tmp.coll --format json | tr -d '\n' | grep -o '"code": "W00[0-9]"' | sort | uniq -c
collc lint bcast/binomail; echo $?

# Stated costs against those of the expansion.
ring_of() {
    printf '# Ring.\nalltoall ring\nranks r: p\ncosts\n  steps     %s\n  messages  %s\n  bytes     %s\n' "$@"
    printf '\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n'
}
for part in 1 2 3; do
    case $part in
    1) ring_of 'p - 2' p 'p * m' ;;
    2) ring_of p 'at most p - 1' 'p * m' ;;
    3) ring_of p p 'p * m + (p == 8) / (p - 8)' ;;
    esac >stated.coll
    collc lint stated.coll
    echo $?
done
ring_of p p 'at most p * m' >stated.coll
collc lint stated.coll
echo $?

# A folder is all algorithms below it, and one without any is an error.
mkdir -p tree/deep tree/none
cp good.coll tree/; cp near.coll tree/deep/other.coll; cp bad.coll tree/bad.txt
collc lint tree; echo $?
collc lint tree/none good.coll; echo $?
# One's own algorithm states its costs or does not; half of them, and none in the library, is found.
mkdir -p own compiler/algorithms/barrier
printf '# Round a ring.\nbarrier none\nranks r: p\n\nfor i in 1 .. p-1\n  step\n    send to r + 1\n    recv from r - 1\n' >own/none.coll
collc lint own/none.coll
cp own/none.coll compiler/algorithms/barrier
collc lint compiler/algorithms/barrier/none.coll | grep W009
sed 's/^ranks.*/&\ncosts\n  steps  p - 1/' own/none.coll >own/half.coll
collc lint own/half.coll | grep W009
# Functions, their arguments and areas of tmp that nothing uses.
printf '# Round a ring.\nallgather unused\nranks r: p\ndef f(x, y) = x + 1\ndef g(x) = f(x, 2)\ntmp spare[3]\n\n' >unused.coll
printf 'copy in to out[r]\nfor i in 1 .. p-1\n  step\n    send out[r-i+1] to r + 1\n    recv out[r-i] from r - 1\n' >>unused.coll
collc lint unused.coll | cat
# The formats of findings are those of check: what cannot be read is in them, too.
for format in concise github junit; do collc lint near.coll unused.coll nosuch.coll --format $format 2>said; echo $?; done
for format in sarif gitlab html json; do
    collc lint near.coll unused.coll nosuch.coll --format $format >found 2>said
    echo "$format $? $(grep -o 'I001\|W001' found | sort | uniq -c | tr -s ' \n' ' ')"
done
# More ranks than 16, networks by name, help without a condition where none helps, and what is tried nowhere.
printf '# Late.\nbarrier late\nranks r: p\n\nfor k in 0 .. ceil_log2(p)-1\n  if 19 <= p and p <= 26\n    step\n      send to r + 2^k\n    step\n      recv from r - 2^k\n  else\n    step\n      send to r + 2^k\n      recv from r - 2^k\n' >late.coll
collc lint late.coll | grep -Eo 'tried with .* ranks, it fails with [0-9. ]*|; or refuse.*'
collc emit late.coll 2>&1 | grep -v '^ '  | cut -c 1-60
sed 's/19 <= p/p mod 2 == 7/' late.coll >never.coll
collc emit never.coll -o never.c
printf '# Diagonal.\nbarrier diagonal\nranks (x: nx, y: ny)\n\nfor i in 0 .. nx-1\n  step\n    send to (x+i, y+i)\n    recv from (x-i, y-i)\n' >grid.coll
collc lint grid.coll | grep -Eo 'all but.*\)|help: word.*'
printf '# Large.\nbarrier large\nranks r: p\nrequires p == 200\n\nstep\n  send to r + 1\n  recv from r - 1\n' >large.coll
collc lint large.coll | grep W011
