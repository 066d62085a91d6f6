# Algorithms that run algorithms: files of one's own beside each other, and on the command line.
cat >ranges.coll <<'F'
scatter ranges
ranks r: p from root
step
  if r == 0
    send in[1 .. p-1] to 1
    copy in[0] to out
  else if r == 1
    recv out from 0
F
cat >chainlet.coll <<'F'
bcast chainlet(length = 2)
ranks r: p from root
requires p <= length
for k in 1 .. p-1
  step
    if r == k - 1  send buf to r + 1
    if r == k      recv buf from r - 1
F
cat >outermost.coll <<'F'
bcast outermost(inner = chainlet)
ranks (s: servers, l: slots) from root
if l == 0  run bcast/binomial over s
run bcast/inner over l
F
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --root 5 | head -5
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --colour never
mkdir -p elsewhere && cp chainlet.coll elsewhere/flat.coll
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --param inner=elsewhere/flat.coll | head -3
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=binomial | head -5
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=binomail
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=7
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param outer=binomial
collc verify bcast/knomial -t star:4 --param radix=binary
collc emit outermost.coll --to mpi-c --param inner=3 -o /dev/null
collc emit outermost.coll --to mpi-c --param inner=linear -o - | grep 'int64_t k_'
# the algorithm of another collective; numbers of ranks that wrap around within a range
printf 'gather wrong\nranks r: p\nrun gather/chainlet over r to root with in = in, out = out\n' >wrong.coll
collc verify wrong.coll -t star:4
printf 'scatter wrap\nranks r: p\nrun scatter/ranges over r from root with in = in, out = out\n' >wrap.coll
collc verify wrap.coll -t star:4
# a chunk of the one is several of the other
cat >blocks.coll <<'F'
allgather blocks
ranks (s: servers, l: slots)
tmp p
run gather/ring_of over l with in = in, out = tmp[0 .. slots-1]
F
sed -i 's/ring_of/binomial/' blocks.coll
cat >>blocks.coll <<'F'
if l == 0  run allgather/bruck(radix = 3) over s with in = tmp[0 .. slots-1], out = tmp
run bcast/scatter_allgather over l on tmp
for j in 0 .. servers-1
  for k in 0 .. slots-1
    copy tmp[j*slots+k] to out[j, k]
F
collc verify blocks.coll -t star:5 --ranks-per-machine 4 | head -5
collc verify blocks.coll -t star:5 --ranks-per-machine 3
# which is the best, with other parts
collc best bcast -t star:4 --ranks-per-machine 4 --bytes 4KiB --param outer=linear --param inner=chain | grep hierarchical
collc best bcast -t star:4 --ranks-per-machine 4 --bytes 4KiB --param outer=hierarchical | grep -A2 'bcast/hierarchical'
collc algorithms --format json | grep -o '"name": "outer", "default": "[a-z_]*"' | sort | uniq -c
# a let under a condition of the rank has a value where the condition holds only
cat >narrow.coll <<'F'
bcast narrow
ranks (s: servers, l: slots) from root
tmp 11
if s == 0  run bcast/linear over l
if l > 0
  let q = 10 / l
  let other = servers + 1
  if s == 0 and other > 0  copy buf to tmp[q]
  run bcast/linear over s on tmp[q]
  copy tmp[q] to buf
else
  let q = 7
  run bcast/linear over s
F
collc verify narrow.coll -t star:3 --ranks-per-machine 3 | head -4
collc lint narrow.coll | grep name
# a wrong name for the best algorithm; names as they are listed, and of files
collc verify allreduce --best -t star:4 --ranks-per-machine 3 --bytes 1MiB --param outer=rnig; echo $?
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=bcast/binomial | head -3
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --param inner=chainlet.coll | head -3
# what is wrong in an algorithm that is run names the run, too: in its text, when its header gets
# its values, when it is expanded
printf 'barrier broken\nranks r: p\nstep\n  send to q\n' >broken.coll
printf 'bcast part(n = 1)\nranks r: p from root\nlet rounds = 6 / n\nfor k in 1 .. rounds\n  step\n    if r == 0 and k < p  send buf to k\n    if r == k  recv buf from 0\n' >part.coll
printf 'barrier outer\nranks r: p\nrun barrier/broken over r\n' >outer.coll
printf 'bcast outer(n = 0)\nranks (s: servers, l: slots) from root\nrun bcast/part(n = n) over s\n' >header.coll
collc verify outer.coll -t star:2
collc verify header.coll -t star:2
printf 'bcast past\nranks r: p from root\ntmp 2\ncopy buf to tmp[0]\nrun bcast/binomial(segments = 2) over r on tmp[1 .. p]\n' >past.coll
collc verify past.coll -t star:4
# a circle of runs, from within it and from outside
printf 'barrier one\nranks r: p\nrun barrier/two over r\n' >one.coll
printf 'barrier two\nranks r: p\nrun barrier/one over r\n' >two.coll
printf 'barrier zero\nranks r: p\nrun barrier/one over r\n' >zero.coll
collc verify one.coll -t star:2
collc verify zero.coll -t star:2
# deep, but no circle
for i in 0 1 2 3 4 5 6 7 8; do
    printf 'barrier deep%d\nranks r: p\nrun barrier/deep%d over r\n' $i $((i + 1)) >deep$i.coll
done
printf 'barrier deep9\nranks r: p\nstep\n  send to r + 1\n  recv from r - 1\n' >deep9.coll
collc verify deep1.coll -t star:2 | head -3
collc verify deep0.coll -t star:2
# roots of runs are cyclic, for an algorithm that counts from its root and for one that does not
cat >named.coll <<'F'
bcast named
ranks r: p
if p > 1
  step
    if r == root
      for d in 1 .. p-1
        send buf to r + d
    else  recv buf from root
F
for algorithm in linear named; do
    for root in 0 's * slots' '-2 * slots * s'; do
        cat >cyclic.coll <<F
bcast cyclic
ranks (s: servers, l: slots)
if l == 0  run bcast/linear over s
run bcast/$algorithm over l from $root
F
        collc compile cyclic.coll -t star:2 --ranks-per-machine 3 | grep -E '^[0-9]+ (send|recv)' >of-run
        [ -s first ] || cp of-run first
        cmp first of-run && collc verify cyclic.coll -t star:2 --ranks-per-machine 3 | sed -n 2p
    done
    wc -l <first && rm first
done
# what an algorithm requires of its root is known before the first step, or refused
printf 'bcast rooted\nranks r: p\nrequires root < 2\nfor i in 0 .. p-1\n  step\n    if r == root and i != root  send buf to i\n    if r == i and i != root     recv buf from root\n' >rooted.coll
for from in 1 2 k; do
    printf 'allgather each\nranks (s: servers, l: slots)\nrequires slots == 4\ntmp 1\nfor k in 0 .. slots-1\n  if l == k  copy in to tmp\n  run bcast/rooted over l from %s on tmp\n  if l == k  copy tmp to out[s, l]\n' $from >each.coll
    collc verify each.coll -t star:1 --ranks-per-machine 4 | head -3
done
# all of tmp, where the algorithm that runs has an area of its own behind it
cat >whole.coll <<'F'
allgather whole
ranks (a: p/2, b: 2)
requires p mod 2 == 0
tmp 2
copy in to tmp[b]
step
  send tmp[b] to (a, b+1)
  recv tmp[1-b] from (a, b+1)
run allgather/bruck over a with in[k] = tmp, out[k] = out[2*k .. 2*k+1]
F
collc verify whole.coll -t star:6 | head -3
# Which algorithm a parameter of an algorithm is, a run does not say.
cat >chosen.coll <<'F'
bcast chosen(inner = linear)
ranks r: p from root
run bcast/inner over r
F
cat >chooses.coll <<'F'
bcast chooses(k = 2)
ranks (s: servers, l: slots) from root
if l == 0  run bcast/chosen(inner = k) over s
run bcast/chosen over l
F
collc verify chooses.coll --ranks 4
# chunks of servers with unequal numbers of ranks, in a row: ranges of them, tmp like them, tmp of
# another kind; and chunks that lie apart
cat >unequal.coll <<'F'
allgather unequal(outer = bruck)
ranks (s: servers, l: max_slots)
tmp max_slots + p
let own = groups_before(s+1, 1) - groups_before(s, 1)
run gather/binomial over l with in = in, out = tmp[0 .. max_slots-1]
if l == 0
  run allgather/outer over s with in = tmp[0 .. own-1], out[j] = tmp[max_slots+groups_before(j, 1) .. max_slots+groups_before(j+1, 1)-1]
run bcast/binomial over l on tmp[max_slots .. max_slots+p-1]
for j in 0 .. servers-1
  for k in 0 .. groups_before(j+1, 1)-groups_before(j, 1)-1
    copy tmp[max_slots+groups_before(j, 1)+k] to out[j, k]
F
printf 'allgather twice\nranks r: p\ntmp 2 * p\ncopy in to tmp[r]\nfor i in 0 .. p-2\n  step\n    send tmp[r-i+(r < i)*p] to r + 1\n    recv tmp[r-i-1+(r < i+1)*p] from r - 1\nfor j in 0 .. p-1\n  copy tmp[j] to out[j]\n' >twice.coll
for outer in bruck linear recursive_doubling ring twice; do
    collc verify unequal.coll -t star:3 --ranks 8 --ranks-per-machine 3 --param outer=$outer | sed -n 2p
done
collc verify unequal.coll -t star:3 --ranks-per-machine 3 --param outer=twice | sed -n 2p
sed 's/groups_before(j+1, 1)-1\]$/groups_before(j+1, 1)-0]/' unequal.coll >apart.coll
collc verify apart.coll -t star:3 --ranks 8 --ranks-per-machine 3 --param outer=linear
collc verify apart.coll -t star:3 --ranks 8 --ranks-per-machine 3 --param outer=bruck
