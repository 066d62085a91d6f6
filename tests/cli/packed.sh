# Messages whose chunks do not lie in a row take the time of the copies that they stand for: beside programs that pack
# and unpack by hand, by every model, with one rank that stands for all and with each, and with unequal counts. The
# sizes leave no time to be rounded.
set -e
. "$root/tests/helpers.sh"
cat >set.coll <<'END'
alltoall set
ranks r: p
tmp comes[p]

for i in 0 .. p-1
  copy in[r+i] to out[r-i]
for k in 0 .. ceil_log2(p)-1
  step
    send out[r-i for i in 0 .. p-1 if i/2^k mod 2 == 1] to r + 2^k
    recv comes[i for i in 0 .. p-1 if i/2^k mod 2 == 1] from r - 2^k
  for i in 0 .. p-1
    if i / 2^k mod 2 == 1  copy comes[i] to out[r-i]
END
# By hand. The chunks that come last lie in a row, and so does a single one.
cat >set-by-hand.coll <<'END'
alltoall by_hand
ranks r: p
tmp goes[p]
tmp came[p]
tmp comes[p]
def place(i, k) = i / 2^(k+1) * 2^k + i mod 2^k

for i in 0 .. p-1
  copy in[r+i] to out[r-i]
for k in 0 .. ceil_log2(p)-1
  let n = p / 2^(k+1) * 2^k + max(0, p mod 2^(k+1) - 2^k)
  let is_row = 3 * 2^k >= p
  if n > 1
    for i in 0 .. p-1
      if i / 2^k mod 2 == 1  copy out[r-i] to goes[place(i, k)]
  step
    if n > 1  send goes[0 .. n-1] to r + 2^k
    else  send out[r-2^k] to r + 2^k
    if is_row  recv comes[2^k .. 2^k+n-1] from r - 2^k
    else  recv came[0 .. n-1] from r - 2^k
  if not is_row
    for i in 0 .. p-1
      if i / 2^k mod 2 == 1  copy came[place(i, k)] to comes[i]
  for i in 0 .. p-1
    if i / 2^k mod 2 == 1  copy comes[i] to out[r-i]
END
cat >parts.coll <<'END'
allgather parts
ranks r: p
requires p == 4

copy in to out[r]
step
  send out[r] to r + 1
  recv out[r-1] from r - 1
step
  send out[r-1], out[r] to r + 2
  recv out[r-3], out[r-2] from r - 2
END
cat >parts-by-hand.coll <<'END'
allgather by_hand
ranks r: p
requires p == 4
tmp j: p like out[r-1+j]

copy in to out[r]
step
  send out[r] to r + 1
  recv out[r-1] from r - 1
if r == 0
  copy out[3] to tmp[0]
  copy out[0] to tmp[1]
step
  if r == 0  send tmp[0 .. 1] to 2
  else  send out[r-1 .. r] to r + 2
  if r == 2  recv tmp[2 .. 3] from 0
  else
    let s = (r + 1) mod p
    recv out[s .. s+1] from r - 2
if r == 2
  copy tmp[2] to out[3]
  copy tmp[3] to out[0]
END
time_of() { # FILE ARGUMENT...
    collc predict "$@" --memory-bandwidth 1GB/s --format json | jq '.times[0] | .time_ns, .local_ns' | paste -s
}
same() { # NAME ARGUMENT...
    name=$1
    shift
    for model in ${models-step asap flow}; do
        expect "$name $* by $model" "$(time_of "$name.coll" "$@" --model $model)" \
            "$(time_of "$name-by-hand.coll" "$@" --model $model)"
    done
}
for network in star:5 star:8 'star:2 --ranks-per-machine 4'; do
    same set -t $network --bytes 10KB
done
models='step asap' same set -t star:256 --bytes 10KB
expect 'each rank' "$(time_of set.coll -t star:256 --bytes 10KB)" \
    "$(time_of set.coll -t star:256 --bytes 10KB --no-symmetry)"
same parts -t star:4 --bytes 10KB
same parts -t star:4 --counts '1000 * (1 + i)'
# Two parts, of which one is empty: the other lies in a row.
expect 'empty part' "$(time_of parts.coll -t star:4 --counts '1000 * (i > 0)' | cut -f 2)" 1000
