# Several processes that look at every rank say what one says, byte for byte but for the seconds, whatever is
# right or wrong: the cases of rules about networks, matching and deadlock, and schedules whose messages move in later steps.
set -e
. "$root/tests/helpers.sh"
n=0
# Compares reports of one process with those of several, with the same exit status.
same() { # PROCESSES ARGUMENT...
    local processes=$1 one=0 all=0
    shift
    collc verify "$@" --no-symmetry -j 1 >one 2>one.said || one=$?
    collc verify "$@" --no-symmetry -j "$processes" >all 2>all.said || all=$?
    grep -v '"seconds"' one >one.figures || true
    grep -v '"seconds"' all >all.figures || true
    cmp one.figures all.figures && cmp one.said all.said && [ $one = $all ] || { echo "$*"; exit 1; }
    n=$((n + 1))
}
for file in "$root"/tests/golden/rules/[CDHLMP]*/*.sched "$root"/tests/golden/rules/[CDHLMP]*/*.coll; do
    echo "$file" "$(sed -n 's/^# args: *//p' "$file" | head -n 1)"
done | some_of 6 >cases
while read -r file words; do
    same 2 "$file" $words
done <cases
if is_short; then large=15; else large=99; fi # the lines behind those are of large schedules
head -n $large <<'END' >lines
2 alltoall/ring -t star:12 --ranks-per-machine 2
3 alltoall/ring -t star:12 --ranks-per-machine 2 --max-fan-in 1
4 alltoall/pairwise -t fattree:4x4,up=1x2 --max-total-load 15
4 alltoall/pairwise -t fattree:4x4,up=1x2 --max-total-load 14 --max-contended-steps 0
3 alltoall/a2at -t torus:5x5 --max-link-load 3
3 alltoall/two_level_ring -t star:4 --ranks-per-machine 4 --drift 2
2 alltoall/ring -t star:5 --fail m3
5 alltoall/linear -t mesh:4x4 --max-hol-slowdown 2
2 allreduce/ring -t torus:4x4 --fail m0:m1
3 bcast/pipeline -t fattree:4x4 --param segments=9
3 bcast/chain -t mesh:9 --param segments=4
3 allreduce/double_tree -t star:7 --param pieces=5
2 barrier/dissemination -t star:9 --ports 1
9 gather/binomial -t torus:3x3
3 alltoallv/ring -t star:6 --counts 64*((i+j)mod(3))
2 alltoall/ring -t star:70
3 alltoall/ring -t fattree:8x9 --max-total-load 100
4 alltoall/pairwise -t fattree:8x8,up=1x4 --max-contended-steps 1000
3 alltoall/a2at -t torus:9x9
2 alltoall/two_level_ring -t star:9 --ranks-per-machine 8 --max-fan-in 1
5 alltoallv/spread -t mesh:6x6 --counts 64*((i+j)mod(3))
2 alltoall/ring -t star:70 --fail m3
2 alltoall/linear -t torus:64
END
while read -r processes words; do
    same $processes $words --per-step --format json
    same $processes $words --per-step
done <lines
# Independent steps (verify/parts.h) that three ranks lead one to expect, and what is wrong with them: an error of the
# program in a step of each process, one message twice, another not at all, data that are read again.
ring_with() { # NAME: ring with lines of standard input in its step
    { printf 'alltoall %s\nranks r: p\nfor i in 0 .. p-1\n  step\n' "$1"
      sed 's/^/    /'
      printf '    send in[r+i] to r + i\n    recv out[r-i] from r - i\n'; } >$1.coll
}
ring_with fails_twice <<'END'
if i > 60 and i mod 3 == 1 and r == 7
  send in[100 / (i - i)] to r
if i == 20 and r == 70
  send in[100 / (i - i)] to r
END
ring_with twice <<'END'
if i == 50 and r == 5
  send in[6] to 6
if i == 50 and r == 6
  recv out[5] from 5
END
ring_with read_again <<'END'
if i == 40 and r == 5
  send out[5] to 6
if i == 40 and r == 6
  recv out[5] from 5
END
# Steps without operations, of which all together are too long, at a rank that is not one of the three.
ring_with idle <<'END'
let last = i
END
cat >>idle.coll <<'END'
for k in 1 .. 16
  step
    if r == 5
      for j in 1 .. 280000
        if ((r+k)*j)*((r+k)*j) mod 7 == 3
          send in[0] to 0
END
for name in fails_twice twice read_again $(usually '' '' idle); do
    same 2 $name.coll -t star:80
    same 3 $name.coll -t star:80 --format json
done
same 3 alltoall/ring -t "$root/examples/clusters/dualrail8.txt" --drift 3 --per-step
# The figures of all routes.
for format in text json; do
    collc route torus:4x4 --metrics --format $format -j 1 >one
    collc route torus:4x4 --metrics --format $format -j 2 >all
    cmp one all
done
collc verify alltoall/ring -t star:4 -j 0 2>said && exit 1
grep -q "'--jobs'" said
[ "$n" -ge $(usually 60 30 100) ]
