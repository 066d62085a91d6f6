# Mistakes of an author of algorithms: each finding is at its cause, and its remedy mends it.
write() { cat >"$1.coll"; }
said() { echo "$ collc $*"; collc "$@" 2>&1 | grep -E '^[^ ]*:[0-9]+:|^collc:|help:|^[0-9]+ algo'; }
verify() { said verify "$@"; }
# A target that goes round: beyond the last rank, below the first, in a grid, by xor.
write beyond <<'END'
bcast beyond
ranks r: p from root
for k in 0 .. ceil_log2(p)-1
  step
    if r < 2^k                    send buf to r + 2^k
    if 2^k <= r and r < 2^(k+1)   recv buf from r - 2^k
END
verify beyond.coll --ranks 6
write below <<'END'
scan below
ranks r: p
step
  if r < p-1  send buf to r + 1
  reduce buf from r - 1
END
verify below.coll --ranks 3
write grid <<'END'
alltoall grid
ranks (x: nx, y: ny)
step
  send in[x, y] to (x + 1, y)
  if x > 0  recv out[x, y] from (x - 1, y)
END
verify grid.coll -t torus:3x2
write exchange <<'END'
alltoall exchange
ranks r: p
for i in 0 .. p-1
  step
    send in[r xor i] to r xor i
    recv out[r xor i] from r xor i
END
verify exchange.coll --ranks 6
# No target goes round where every message lacks its counterpart.
write unsent <<'END'
allgather unsent
ranks r: p
copy in to out[r]
step
  recv out[r-1] from r - 1
END
verify unsent.coll --ranks 3
# An 'if' that keeps ranks out of a run.
write out_of_run <<'END'
allreduce out_of_run
ranks (s: servers, l: slots)
run reduce/binomial over l
if l == 0
  run allreduce/ring over s
  run bcast/binomial over l
END
verify out_of_run.coll --ranks 6 --ranks-per-machine 2
# A window that posts steps together.
write window <<'END'
allgather window(w = 2)
ranks r: p
copy in to out[r]
window w
  for i in 0 .. p-2
    step
      send out[r-i] to r + 1
      recv out[r-i-1] from r - 1
END
verify window.coll --ranks 6
# Ranges that run no time; empty ones that are meant.
write down <<'END'
scatter down
ranks r: p from root
if r == 0  copy in[0] to out
for i in p-2 .. 0
  step
    if r == 0    send in[i+1] to i + 1
    if r == i+1  recv out from 0
END
verify down.coll --ranks 4
said lint down.coll
write ranges <<'END'
# Nothing but ranges.
bcast ranges(segments = 1, m = 1)
ranks r: p
let last = ceil_log2(p)-1
for k in last .. 0
  step
    send buf to r + 1
    recv buf from r - 1
for k in 0 .. p-2 by -1
  step
    send buf to r + 1
    recv buf from r - 1
for k in segments-1 .. 0 by 1
  step
    send buf to r + 1
    recv buf from r - 1
for k in 5 .. 0
  step
    send buf to r + 1
    recv buf from r - 1
for k in 1 .. 0
  step
    send buf to r + 1
    recv buf from r - 1
for k in 1 .. p-1
  for j in k+1 .. p-1
    step
      send buf to r + k
      recv buf from r - k
for k in 2 .. segments-1
  step
    send buf to r + 1
    recv buf from r - 1
for k in m .. p-1
  step
    for j in r .. 0
      send buf to r + 1
    for j in r .. 0
      recv buf from r - 1
for k in p .. 2^ceil_log2(p)-1
  step
    send buf to r + 1
    recv buf from r - 1
END
collc lint ranges.coll | grep -A5 W003 | grep -E 'W003|help:'
# Own data are missing: that it fails, not that it is too much.
write own <<'END'
# Own data are missing.
allgather own
ranks r: p

for i in 1 .. p-1
  step
    send in to r + i
    recv out[r-i] from r - i
END
said lint own.coll
# Local reduce the wrong way round: nothing of tmp is read.
write turned <<'END'
reduce turned
ranks r: p from root
tmp t[1]
for i in 1 .. p-1
  step
    if r == i  send buf to 0
    if r == 0  recv t from i
  if r == 0  reduce buf to t
END
verify turned.coll --ranks 3
# A claim that is false, in its own file and where it is run.
write via <<'END'
# By the last rank: cannot do without it.
bcast via
ranks r: p
absent
step
  if r == root and root != p-1  send buf to p-1
  if r == p-1 and root != p-1   recv buf from root
for i in 0 .. p-2
  step
    if r == p-1 and i != root  send buf to i
    if r == i and i != root    recv buf from p-1
END
said lint via.coll
write chained <<'END'
# Chain to rank 0.
reduce chained
ranks r: p from root
for i in 0 .. p-2
  step
    if r == p-1-i  send buf to r - 1
    if r == p-2-i  reduce buf from r + 1
END
write top <<'END'
# Two levels.
allreduce top
ranks (s: servers, l: max_slots)

run reduce/binomial over l
if l == 0  run allreduce/recursive_doubling over s
run bcast/via over l
END
verify top.coll --ranks 5 --ranks-per-machine 3
sed 's/reduce\/binomial/reduce\/chained/' top.coll >unmade.coll
verify unmade.coll --ranks 5 --ranks-per-machine 3
# Works on one server only.
write one_server <<'END'
# Each slot does its part.
allreduce one_server
ranks (s: servers, l: slots)
let segments = slots

run reduce_scatter_block/ring over l with in[k] = buf[k], out = buf[l]
run allreduce/ring over s on buf[l]
run allgather/ring over l with in = buf[l], out[k] = buf[k]
END
said lint one_server.coll
# 'requires' is no remedy where a few ranks happen to work.
write few <<'END'
# For two by accident.
allreduce few
ranks r: p

step
  send buf to r + 1
  reduce buf from r - 1
END
said lint few.coll
# Syntax.
spell() { printf 'allreduce x\nranks r: p\n%b\nstep\n  send buf to r+1\n  reduce buf from r-1\n' "$1" >x.coll; verify x.coll --ranks 2; }
for line in 'need p > 1' 'order' 'run reduce/binomial' 'let 2nd = 1' 'let a\xc2\xa0= 1' 'let a = p \xe2\x88\x92 1' 'tmp 1\n  step'; do
    spell "$line"
done
# A schedule file has its ranks.
collc compile allreduce/ring --ranks 2 -o two.sched
verify two.sched --ranks 4
# Lower bounds of data that may be cut are fractions, the same everywhere.
for what in 'allreduce star:9' 'allgather torus:4x4' 'bcast torus:3x3' 'allreduce torus:4x4'; do
    collc bound ${what% *} -t ${what#* } | sed -n 's/^  \([a-z]\{1,\} *[0-9.]\{1,\}\)  .*/\1/p'
done
collc bound allreduce -t star:9 --format json | grep -E 'bound_load'
collc verify allreduce/ring -t star:9 -v 2>/dev/null | grep 'x bound'
# Bounds of a pattern are in blocks until a size is given.
write ring <<'END'
pattern ring
ranks r: p
in 1
out 1
needs
  out[0] = in[0] of r - 1
step
  send in[0] to r + 1
  recv out[0] from r - 1
END
collc bound ring.coll -t mesh:4 | sed -n '1p; /bisection/,/machine/p'
collc bound ring.coll -t mesh:4 --bytes 8 | sed -n '1p; /bisection/p'
# Segments of a size have their number at each size of the data.
for size in 1MiB 4MiB 1MiB,4MiB; do
    for model in step asap; do
        collc predict bcast/chain -t star:5 --param segments=64KiB --sizes $size --model $model --to csv | cut -d, -f 1-5
    done
done
collc best bcast -t star:5 --param segments=64KiB --sizes 1MiB,4MiB --to csv | grep -E 'bcast/(chain|pipeline)' | cut -d, -f 1-5
