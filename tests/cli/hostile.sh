# Input made to hurt: each ends quickly in exit status 2 with its cause and a help
# line, whatever its size, and nothing of the input reaches the terminal raw.
set -e
refuse() { # TEXT COLLC-ARGUMENTS...
    text=$1
    shift
    status=0
    (ulimit -t "${limit:-300}"; collc "$@") >out 2>err </dev/null || status=$?
    [ $status -eq 2 ] && grep -qF -e "$text" err && grep -q 'help: ' err && [ ! -s out ] ||
        { echo "collc $*: status $status, wanted 2 and '$text', got:"; cat err; exit 1; }
}

# Files that are none, or none of ours.
mkdir folder
truncate -s 100M zeros
truncate -s 2G huge
printf '\376\377\000a' >utf16
for file in folder utf16 zeros huge; do
    refuse "$file" verify "$file" --ranks 4
    refuse "$file" topo "$file"
    refuse "$file" fmt "$file"
    refuse "$file" verify alltoall/ring -t star:4 --placement "$file"
done
refuse "did you mean 'alltoall/ring'" verify alltoall/rnig --ranks 4
refuse 'collc algorithms' verify alltoall/nothing_like_it --ranks 4
refuse 'is no file, and no kind of network' topo missing
refuse 'check the name' topo missing.txt

# XML that grows, or that takes quadratic time.
awk 'BEGIN { printf "<topology"; for (i = 0; i < 50000; i++) printf " a%d=\"1\"", i; print "/>" }' >wide
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "<a>" }' >deep
awk 'BEGIN { printf "<topology>"; for (i = 0; i < 2200000; i++) printf "<a/>" }' >many
refuse 'a tag of more than' topo wide
refuse 'excessive depth' topo deep
refuse 'more than 1048576 elements' topo many
if grep -q XML_PARSE err; then exit 1; fi

# Programs without end.
program() { printf 'alltoall x\nranks r: p\n%b' "$1" >p.coll; }
program 'for i in 0 .. 2^62\n  step\n    send in[r] to r\n'
refuse 'p.coll:3:1: error: a loop of more than' verify p.coll --ranks 4
program 'for i in 0 .. 2^39\n  if i == 2^38\n    step\n      send in[r] to r\n'
refuse 'p.coll:4:3: error: more than 4194304 statements' verify p.coll --ranks 4
program 'step\n  for i in 0 .. 2^39\n    if i == 2^38\n      send in[r] to r\n'
refuse 'p.coll:5:5: error: more than 4194304 statements' verify p.coll --ranks 4
program 'for i in 0 .. 2^39\n  step\n    if r > p\n      send in[r] to r\n'
refuse 'more than 8388608 steps' verify p.coll --ranks 4
{
    printf 'alltoall x\nranks r: p\ndef f0(a)\n  let b = a\n'
    for i in $(seq 40); do printf 'def f%d(a)\n  f%d(a)\n  f%d(a)\n' "$i" $((i - 1)) $((i - 1)); done
    printf 'step\n  f40(1)\n'
} >p.coll
refuse 'more than 4194304 statements' verify p.coll --ranks 4
# They are refused within seconds of the CPU, and steps of too many operations before these take memory.
refuse_at_once() { (
    case $(command -v collc) in # a sanitizer takes all addresses, and its time
    */asan/collc) ;;
    *) ulimit -v 1000000; limit=100 ;;
    esac
    refuse "$@"
); }
refuse_at_once 'more than 4194304 statements' verify p.coll --ranks 4
program 'step\n  for i in 0 .. 10^9\n    send in[r+1] to r + 1\n    recv out[r-1] from r - 1\n'
refuse_at_once 'p.coll:4:3: error: a step of more than 67108864 operations' verify p.coll --ranks 4
program 'step\n  for i in 0 .. 10^9\n    if (r * i) mod 7 == 6 and (r * i) mod 7 == 5\n      send in[r+1] to r + 1\n'
refuse_at_once 'more than 4194304 statements' verify p.coll --ranks 4
refuse_at_once 'a step of more than 67108864 operations' verify alltoall/linear --no-symmetry -t torus:100x100
refuse_at_once 'a step of more than 67108864 operations' verify alltoall/linear --no-symmetry -t torus:100x100x10

awk 'BEGIN { print "alltoall x\nranks r: p"; for (i = 0; i < 90000; i++) print "requires 1" }' >p.coll
refuse 'p.coll:10002:1: error: more than 10000 clauses' verify p.coll --ranks 4
awk 'BEGIN { printf "alltoall x(a=0"; for (i = 1; i < 60000; i++) printf ", a%d=%d", i, i; print ")\nstep" }' >p.coll
refuse 'error: more than 32 parameters' verify p.coll --ranks 4
awk 'BEGIN { print "bcast many"; for (i = 0; i < 9000; i++) printf "let a%d = p + %d\n", i, i
    print "step\n  send buf to 0" }' >many.coll
awk 'BEGIN { print "bcast x\nranks r: p"; for (i = 0; i < 250; i++) print "run bcast/many over r" }' >p.coll
refuse 'error: more than 10000 statements and clauses' verify p.coll --ranks 4
awk 'BEGIN { print "bcast roots\nranks r: p\nstep"
    for (i = 0; i < 2000; i++) {
        printf "  let a%d = root", i; for (k = 0; k < 40; k++) printf "*root"; print "" } }' >roots.coll
awk 'BEGIN { printf "bcast x\nranks r: p\nrun bcast/roots over r from 1"
    for (k = 0; k < 400; k++) printf "*1"; print "" }' >p.coll
refuse 'error: more than 1048576 numbers' verify p.coll --ranks 4

# Line ends of an old Mac.
printf 'barrier x\rranks r: p\r' >p.coll
refuse 'lines end in LF or CR LF' verify p.coll --ranks 4

# Numbers.
refuse 'is not a number from 1 to' verify alltoall/ring --ranks 4294967296
refuse 'is too large: sizes are below 2^63 bytes' verify alltoall/ring --ranks 4 --bytes 99999999999GiB
refuse 'with a 64-bit integer' verify alltoall/ring --ranks 4 --param a=9223372036854775808
refuse 'a drift of' verify alltoall/ring --ranks 4 --drift 4294967295
refuse "'int' is no name" emit alltoall/ring --function int

# A host file.
: >hosts
refuse 'names no machine' verify alltoall/ring -t star:4 --placement hosts
echo 'm0 slots=2' >hosts
refuse 'places for 2 ranks, not for 3' verify alltoall/ring -t star:4 --ranks 3 --placement hosts
printf 'm0 slots=67108864\nm1\n' >hosts
refuse 'more than 67108864 ranks' verify alltoall/ring -t star:4 --placement hosts
printf 'm0 \033[31mred\302\233\n' >hosts
refuse '?[31mred' verify alltoall/ring -t star:4 --placement hosts
if grep -q "$(printf '[\033\233]')" err; then exit 1; fi

# A schedule file may start with a byte order mark or a comment, and keeps what it says.
collc compile bcast/binomial --ranks 4 -o good.sched
{ printf '\357\273\277# comment\n\n'; cat good.sched; } >marked.sched
collc compile marked.sched | cmp - good.sched
refuse 'of its own' verify good.sched --root 1
refuse 'of its own' verify good.sched --bytes 5
for bytes in 20 60 90; do
    head -c $bytes good.sched >cut.sched
    refuse 'cut.sched:' verify cut.sched
done

# A claim that costs more than the file.
printf 'collc-schedule 1\ncollective bcast\nalgorithm x\nranks 67108864\nroot 0\nend\n' >claim.sched
refuse 'claim.sched:6:4: error: 67108864 ranks, but 0 operations' verify claim.sched

# Counts, more than can be counted.
awk 'BEGIN { print "collc-schedule 1\ncollective allgatherv\nalgorithm x\nranks 4"
    for (i = 0; i < 4096; i++) print "counts 4503599627370496x7"
    print "counts 4x7\nend" }' >many.sched
refuse 'many.sched:7:8: error: counts are up to 2^63-1' verify many.sched

# Bytes that a rank would have to buffer, more than can be counted.
{
    printf 'collc-schedule 1\ncollective allgather\nalgorithm x\nranks 2\nchunk-bytes 9223372036854775809\n'
    printf 'step 0\n0 send in[0] to 1\n0 send in[0] to 1\n1 send in[0] to 0\n1 send in[0] to 0\n'
    printf 'step 1\n0 recv out[1] from 1\n0 recv out[0] from 1\n'
    printf '1 recv out[0] from 0\n1 recv out[1] from 0\nend\n'
} >eager.sched
collc verify eager.sched --format json >out || true
grep -qF '"eager_bytes": 18446744073709551615' out

# Names in a report, too.
printf 'collc-schedule 1\ncollective barrier\nalgorithm "x\\x1b[31m\\xff"\nranks 1\nend\n' >name.sched
collc verify name.sched | grep -qF 'barrier/x?[31m?:'
