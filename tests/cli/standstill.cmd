# Broken early, with millions of operations behind: they are not queued, the reason is found.
cat >stuck.coll <<'END'
alltoall stuck
ranks r: p
step
  if r == 2  send in[3] to 3
step
  if r == 3  send in[2] to 2
for i in 0 .. p-1
  step
    send in[r+i] to r + i
    recv out[r-i] from r - i
step
  if r == 3  recv out[2] from 2
  if r == 2  recv out[3] from 3
END
cat >unmatched.coll <<'END'
allgather unmatched
ranks r: p
for i in 0 .. p-2
  step
    if i == 0    copy in[0] to out[r]
    send out[r-i] to r + 1
    recv out[r-i-1] from r - 1
    if r == 5 and i == 3  recv out[r] from r + 7
END
for ranks in 40 1100; do
    for file in stuck unmatched; do
        collc verify $file.coll --ranks $ranks -q
        echo $?
    done
done
