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
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --root 5 | head -4
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --colour never
mkdir -p elsewhere && cp chainlet.coll elsewhere/flat.coll
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --param inner=elsewhere/flat.coll | head -2
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=binomial | head -4
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
collc verify blocks.coll -t star:5 --ranks-per-machine 4 | head -4
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
collc verify narrow.coll -t star:3 --ranks-per-machine 3 | head -3
collc lint narrow.coll | grep name
# a wrong name for the best algorithm; names as they are listed, and of files
collc verify allreduce --best -t star:4 --ranks-per-machine 3 --bytes 1MiB --param outer=rnig; echo $?
collc verify outermost.coll -t star:4 --ranks-per-machine 3 --param inner=bcast/binomial | head -2
collc verify outermost.coll -t star:4 --ranks-per-machine 2 --param inner=chainlet.coll | head -2
