# A run in the body that is not defined for its ranks is a fault of the algorithm, for lint and emit as for check. What
# the head declares is not.
set -e
. "$root/tests/helpers.sh"

cat >body.coll <<'X'
# Hierarchical, with a chunk too many where there are 8 ranks.
allgather body
ranks (s: servers, l: slots)
tmp slots + p + 1

run gather/binomial over l with in = in, out = tmp[0 .. slots-1]
if l == 0
  run allgather/ring over s with in = tmp[0 .. slots-1], out = tmp[slots .. slots+p-1+(p == 8)]
run bcast/binomial over l on tmp[slots .. slots+p-1]
for j in 0 .. servers-1
  for k in 0 .. slots-1
    copy tmp[slots+j*slots+k] to out[j, k]
X
status=0
collc lint body.coll >out 2>said || status=$?
expect 'status of lint' $status 1
present 'it fails with 8, which no .requires. refuses; .* cannot cut its chunks in equal parts: .* \[E009\] \[W008\]' out
sed 's/+(p == 8)//' body.coll >whole.coll
collc lint whole.coll >out 2>&1
present '0 findings' out
# The head declares that it is not for 8 ranks; the language, that segments and windows begin at 1.
sed 's/^tmp.*/requires p != 8\n&/' body.coll >head.coll
status=0
collc lint head.coll >out 2>&1 || status=$?
absent 'W008' out
cat >window.coll <<'X'
alltoall w(window = 1)
ranks r: p
costs steps p messages p bytes p * m
window window
  for i in 0 .. p-1
    step
      send in[r+i] to r + i
      recv out[r-i] from r - i
X
status=0
collc lint window.coll >out 2>&1 || status=$?
absent 'W007' out
