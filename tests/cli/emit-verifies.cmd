# A wrong schedule is reported, and no file is written.
cat >bad.coll <<'END'
# Leaves out the last rank.
bcast bad
ranks r: p from root
absent

for d in 1 .. p-2
  step
    if r == 0  send buf to d
    if r == d  recv buf from 0
END
collc emit bad.coll -o bad.c; echo $?; [ -e bad.c ] || echo absent
collc emit bad.coll --ranks 12 -o bad.c; echo $?; [ -e bad.c ] || echo absent
collc emit bad.coll --ranks 4 --table; echo $?
collc compile bad.coll --ranks 4 -o bad.sched && collc emit bad.sched; echo $?
# refused where it is wrong, it is written
sed '/^absent/i requires p == 1' bad.coll >one.coll
collc emit one.coll -o one.c; echo $?
# wrong where servers have two ranks only
sed 's/p-2/p-1 - (p - 1) * (max_slots \/ 2)/' bad.coll >slots.coll
collc emit slots.coll -o slots.c; echo $?
# in clusters only
sed 's/p-2/p-1 - (clusters - 1)/' bad.coll >clusters.coll
collc emit clusters.coll -o clusters.c; echo $?
# with a parameter only, which may be large
sed -e 's/p-2/p-1 - k \/ 3/' -e 's/^bcast bad/&(k = 1)/' bad.coll >k.coll
collc emit k.coll -o k.c; echo $?
collc emit k.coll --param k=3 -o k3.c; echo $?
# an index that is outside for five ranks
sed -e 's/p-2/p-1/' -e 's/buf/buf[p \/ 5]/' bad.coll >outside.coll
collc emit outside.coll -o outside.c; echo $?
# ranks wait for each other; a send that nobody takes
cat >dead.coll <<'END'
allgather dead
ranks r: p
requires p > 3

copy in to out[r]
for d in 1 .. p-1
  step
    send in to r + d
    if d != 3  recv out[r-d] from r - d
END
collc emit dead.coll -o dead.c; echo $?
# too much of it: a wrong one is found all the same
collc emit bcast/pipeline --param segments=1000000 -o pipeline.c; echo $?
cat >many.coll <<'END'
bcast many(k = 1)
ranks r: p from root
absent

for t in 1 .. k
  for d in 1 .. p-2
    step
      if r == 0 and t == 1  send buf to d
      if r == d and t == 1  recv buf from 0
for t in 1 .. 5 * k
  step
    if r == p-1 and t == 1 and k < 5  recv buf from 0
    if r == 0 and p > 1 and t == 1 and k < 5  send buf to p-1
END
collc emit many.coll --param k=1000000 -o many.c; echo $?
# too much of it whatever the ranks
sed -e 's/5 \* k/2^40/' -e 's/^bcast many/bcast endless/' many.coll >endless.coll
collc emit endless.coll -o endless.c; echo $?
ls *.c
