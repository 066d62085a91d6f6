# One algorithm in full, with what it costs on these ranks; or why it does not work there.
collc algorithms bcast/binomial
collc algorithms allreduce/recursive_multiplying --ranks 9 --bytes 1MiB --param radix=3
collc algorithms alltoall/a2at -t torus:4x4
collc algorithms bcast/knomial --ranks 9 --format json
cat >mine.coll <<'END'
# Mine.
bcast mine
costs steps 1
step
  if root == 0  send buf to 1
  if root == 1  recv buf from 0
END
collc algorithms mine.coll --ranks 2
# A formula without a value, which says why.
printf '# Doubling\nbarrier one\nranks r: p\ncosts steps ceil_log2(p - 2) messages p bytes m\n\nfor k in 0 .. ceil_log2(p)-1\n  step\n    send to r + 2^k\n    recv from r - 2^k\n' >one.coll
collc algorithms one.coll --ranks 2
# The lines of the list with ranks, and a source for every algorithm.
collc algorithms --ranks 6 | grep -c "^[a-z]" >all
collc algorithms --ranks 6 --bytes 8 | grep -c ' here: ' | cmp - all
collc algorithms --long | grep -c '^ *source: ' | cmp - all
collc algorithms --long | awk '/^[a-z]/ { has = 0 } /^ *steps: / && !has { has = 1; n++ } END { print n }' | cmp - all
collc algorithms bcast/binomial --bytes 8; echo $?
collc algorithms --ranks 4 --param segments=2; echo $?
# The values are what the schedule has.
for p in 2 7 16; do
    collc algorithms allgather/bruck --ranks $p | sed -n 's/.*here: \([0-9]*\) step.*/\1/p'
    collc verify allgather/bruck --ranks $p --format json | jq .steps
done

# The algorithms of a collective, also of one with unequal counts.
collc algorithms scan | grep -c '^scan/'
collc algorithms --long | grep -c "^scan/"
collc algorithms allgatherv | grep -c '^allgather/bine '
collc algorithms allgatherv | grep -c '^allgather/ring '
# The list shows all that the header says. A long name has a line of its own.
cat >a_file_of_one_s_own.coll <<'END'
# Nothing.
reduce_scatter_block nothing_that_is_of_use_for_anything(pieces = 2, width = pieces + 1, part = linear)
requires pieces >= 1 and p > 1
ranks (s: servers, l: max_slots)
ordered
let half = p / 2  # comments are not
absent
tmp j: p like in
def idle(i)
  step
    if i > 1  send in[s, l] to (s, l)
if l == 0  run bcast/part over s on tmp[0]
END
collc algorithms a_file_of_one_s_own.coll
collc algorithms a_file_of_one_s_own.coll --format json
