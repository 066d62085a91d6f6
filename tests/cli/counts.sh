# Collectives with unequal counts: where counts come from, and what is made of them.
set -e
. "$root/tests/helpers.sh"
status_of() { status=0; "$@" >out 2>err || status=$?; echo $status; }

# An algorithm serves the forms of its collective, or says why not.
expect 'allgatherv' "$(status_of collc verify allgatherv/bruck --ranks 6)" 0
expect 'its name' "$(head -n 1 out)" 'allgatherv/bruck: 6 ranks on 6 servers'
for refused in gatherv/multi_cluster scatterv/hierarchical alltoallv/bruck alltoallw/hierarchical \
    reduce_scatter/noncommutative; do
    for command in verify predict compile; do
        expect "$command $refused" "$(status_of collc $command $refused -t star:4) $(grep -c E020 err)" '2 1'
    done
    expect "emit $refused" "$(status_of collc emit $refused) $(wc -c <out)" '2 0'
done

# The page of algorithms names just those that serve none of the forms of their collective.
for pair in gatherv:gather scatterv:scatter allgatherv:allgather alltoallv:alltoall alltoallw:alltoall \
    reduce_scatter:reduce_scatter_block; do
    for file in $(is_short || echo "$root"/compiler/algorithms/"${pair#*:}"/*.coll); do
        name=$(basename "$file" .coll)
        [ "$(status_of collc emit "${pair%:*}/$name" -o /dev/null)" = 0 ] ||
            echo "${pair#*:}/$name $(grep -c E020 err)"
    done
done | sort -u >refused
sed -n '/^## Unequal counts/,/^## Unequal servers/s/^`\([^|]*\) |.*/\1/p' "$root/docs/algorithms.md" |
    grep -o '[a-z_]*/[a-z_]*' | sed 's/$/ 1/' | sort >listed
[ -s listed ]
is_short || diff refused listed

# The help for a built-in algorithm names those that do; for a file, how it may become one.
expect 'others' "$(status_of collc emit alltoallv/multi_cluster)" 2
grep -q "help: others that serve unequal counts: 'alltoallv/.*', .* more$" err
nearest=$(sed -n "s/.*unequal counts: '\([^']*\)'.*/\1/p" err)
expect "$nearest" "$(status_of collc emit "$nearest" -o /dev/null)" 0
printf 'gatherv mine\nranks r: p from root\ntmp p\n' >mine.coll
expect 'a file' "$(status_of collc lint mine.coll)" 2
grep -q "help: say which chunk" err
printf 'gather far\nranks r: p from root\ntmp p\n\nif r == 0  copy in to out[0]\n' >far.coll
expect 'far' "$(status_of collc verify far.coll --ranks 4 --counts i) $(grep -c "and of which rank" err)" '2 1'

collc algorithms --long | grep -c '^ *also ' >n
[ "$(cat n)" -ge 20 ]
n_rings=$(collc best reduce_scatter -t star:4 --to csv | grep -c '^reduce_scatter/ring,')
[ "$n_rings" -gt 0 ]
expect 'its own ring' "$(collc best reduce_scatter -t star:4 --to csv | grep -c '^reduce_scatter/pairwise,')" "$n_rings"

# Equal counts cost what --bytes costs; a file is its formula.
for algorithm in allgatherv/ring alltoallv/spread reduce_scatter/recursive_halving scatterv/linear; do
    collc predict $algorithm -t star:6 --bytes 4096 --to csv | cut -d, -f5- >equal
    collc predict $algorithm -t star:6 --bytes 4KiB --counts bytes --to csv | cut -d, -f5- | cmp - equal
done

# Messages that begin with the sizes of their chunks are longer by an int for each; a schedule file knows all counts.
sent() { collc emit "$@" --to traffic | awk -F, '$1 == 0 && $2 == 1 { print $3 }'; }
bruck=two_phase_bruck
expect 'sizes' "$(sent alltoallv/$bruck --ranks 4 --counts 100) $(sent alltoallv/$bruck --ranks 4 --bytes 100)" '208 208'
collc compile alltoallv/$bruck --ranks 4 --counts 100 -o known.sched
expect 'no sizes' "$(sent known.sched) $(sent alltoall/$bruck --ranks 4 --bytes 100)" '200 200'
expect 'sizes of nothing' "$(sent scatterv/binomial --ranks 2 --counts 0)" 4
collc predict alltoall/$bruck -t star:4 --bytes 100 --to csv | cut -d, -f5- >equal
collc predict alltoallv/$bruck -t star:4 --bytes 96 --to csv | cut -d, -f5- | cmp - equal

printf '0 10,20 # and so on\n 30\n' >four
collc predict allgatherv/ring -t star:4 --counts four --to csv >file
collc predict allgatherv/ring -t star:4 --counts '10*i' --to csv | cmp - file
printf '0 1 2\n1 2 3\n2 3 4\n' >nine
collc compile alltoallv/ring --ranks 3 --counts nine -o file.sched
collc compile alltoallv/ring --ranks 3 --counts 'i+j' | cmp - file.sched

expect 'its collective' "$(collc predict allgatherv/ring -t star:4 --counts 1 --format json | jq -r .collective)" allgatherv
collc predict allgatherv/ring -t star:4 --counts 1 --to svg | grep -q '>allgatherv, 4 ranks'

# One large block: with the bytes of that one the ring takes longer than with nothing.
empty=$(collc predict allgatherv/ring -t star:4 --counts 0 --to csv | sed 1d | cut -d, -f5)
large=$(collc predict allgatherv/ring -t star:4 --counts '1000000*(i==2)' --to csv | sed 1d | cut -d, -f5)
[ "$large" -gt "$empty" ]

# Sums beyond 2^64 have no time, and are not small ones.
for counts in '2^62' '2^62*(i > 7 and j < 8)'; do
    status=$(status_of collc predict alltoallv/linear -t star:2 --ranks-per-machine 8 --counts "$counts")
    expect "sum of $counts" "$status $(grep -c 'too long to be counted' err)" '2 1'
done

# Schedule files keep the sizes, byte for byte, and are what the algorithm was.
for algorithm in allgatherv/bruck alltoallw/linear reduce_scatter/recursive_doubling gatherv/linear; do
    collc compile $algorithm -t star:8 --counts 'i*i mod 7' -o once.sched
    collc compile once.sched -o twice.sched
    cmp once.sched twice.sched
    collc verify once.sched | sed 's|, sent by [^;]*||' >verified
    collc verify $algorithm -t star:8 --counts 'i*i mod 7' | sed 's|, sent by [^;]*||' | cmp - verified
    collc predict once.sched --to csv | sed 's/^[^,]*//' >times
    collc predict $algorithm -t star:8 --counts 'i*i mod 7' --to csv | sed 's/^[^,]*//' | cmp - times
    collc emit once.sched -o once.c
done

# Bytes are compared with a bound in bytes, also where blocks are cut in segments: 27 of them have to come
# to rank 0 over its two links.
for algorithm in ring bucket_multiport; do
    collc verify allgatherv/$algorithm -t torus:7 --counts 1+i --format json |
        jq -e '.complete and .bound_load == 13.5 and .bound_ratio >= 1' >bounded
done

# Wrong counts.
printf '1, 2\n3x\n' >wrong
expect 'no number' "$(status_of collc verify allgatherv/ring --ranks 4 --counts wrong) $(head -n 1 err)" \
    '2 wrong:2:1: error: expected a number of bytes [E021]'
expect 'too few' "$(status_of collc verify allgatherv/ring --ranks 5 --counts four) $(head -n 1 err)" \
    '2 four:3:1: error: fewer than 5 counts: 4 [E021]'
expect 'too many' "$(status_of collc verify allgatherv/ring --ranks 3 --counts four) $(head -n 1 err)" \
    '2 four:2:2: error: more than 3 counts [E021]'
expect 'negative' "$(status_of collc verify alltoallv/ring --ranks 3 --counts 'i-j') $(head -n 1 err)" \
    '2 <counts>:1:1: error: the count from rank 0 to rank 1 is -1 [E021]'
for missing in none.txt ./none /no/folder/counts sizes-of_ranks2; do
    expect "no file $missing" "$(status_of collc verify gatherv/linear --ranks 3 --counts $missing) $(grep -c \
        "^$missing: error: cannot open '$missing': No such file or directory; nor is it a formula: .* .I001.$" err)" '2 1'
    grep -q 'help: give a file of numbers, or a formula' err
done
for formula in i+pp bytes*i+x '2*(i' 1.5; do # no names of files
    expect "wrong $formula" "$(status_of collc verify gatherv/linear --ranks 3 --counts "$formula") $(grep -c \
        'there is no file of that name, so it is read as a formula' err)" '2 1'
done
expect 'no j' "$(status_of collc verify gatherv/linear --ranks 3 --counts j) $(grep -c E003 err)" '2 1'
for function in 'groups_before(1,i)' 'p+extent(i)'; do
    expect "$function" "$(status_of collc verify allgatherv/ring -t torus:4 --counts "$function") $(grep -c E021 err)" '2 1'
done
cat >like.coll <<END
allgatherv own
ranks r: p
tmp j: p like out[groups_before(1, j+1)]

copy in to out[r]
END
collc compile like.coll -t torus:4 | grep -qxF 'like out[1] out[0] out[0] out[0]'
for command in 'predict allgatherv/ring' 'best allgatherv' 'compile allgatherv/ring' 'verify allgatherv/ring' \
    'emit allgatherv --best' 'emit allgatherv/ring --table'; do
    expect "no size: $command" "$(status_of collc $command -t star:4 --counts 'i*bytes') $(wc -c <out) $(head -n 1 err)" \
        '2 0 <counts>:1:3: error: the counts depend on the size [E021]'
    expect "a size: $command" "$(status_of collc $command -t star:4 --counts 'i*bytes' --bytes 8)" 0
done

for garbage in 8 'i i' none.txt; do
    expect "emit --counts $garbage" "$(status_of collc emit allgatherv/ring --counts "$garbage") $(wc -c <out) $(grep -c \
        'the counts are those of the call' err)" '2 0 1'
done
expect 'emit --table' "$(status_of collc emit allgatherv/ring -t star:4 --counts 8 --table)" 0
expect 'ranks that cannot be' "$(status_of collc verify allgatherv/ring -t star:4 --map greedy) $(grep -c \
    'the ranks of allgatherv cannot be renumbered' err)" '2 1'

# A chunk of tmp that is as large as none: said before anything is written.
cat >ragged.coll <<END
allgatherv ragged
ranks (s: servers, l: max_slots)
tmp j: servers * max_slots like out[j / max_slots, j mod max_slots]

copy in to tmp[0]
END
sed -e 's|out.*|out[6 / (1 - j)]|' -e 's/^ranks.*/ranks r: p/' -e 's/^tmp.*like/tmp j: p like/' ragged.coll >zero.coll
for command in compile verify predict 'emit --table'; do
    expect "absent, $command" "$(status_of collc $command ragged.coll -t star:3 --ranks 5 \
        --ranks-per-machine 2) $(wc -c <out) $(grep -c 'rank that is not there.*E008' err)" '2 0 1'
    expect "no size, $command" "$(status_of collc $command zero.coll -t star:4) $(wc -c <out) $(grep -c '\[E007\]' err)" '2 0 1'
done
collc compile ragged.coll --ranks 6 --ranks-per-machine 2 | grep -qx 'like out\[0\.\.5\]'
expect 'absent, emit' "$(status_of collc emit ragged.coll -o ragged.c) $(grep -c 'with 1 rank on 1 server' err)" '1 1'
cat >whole.coll <<END
allgatherv whole
ranks (s: servers, l: max_slots)
requires servers * max_slots == p
tmp j: servers * max_slots like out[j / max_slots, j mod max_slots]

copy in to tmp[s * max_slots + l]
copy in to out[s, l]
for j in 0 .. servers-1
  for k in 0 .. max_slots-1
    step
      if j + k > 0
        send in to (s+j, l+k)
        recv out[s-j, l-k] from (s-j, l-k)
END
collc emit whole.coll | grep -q 'if (!collc_has(run, like, chunk, 1))'

expect 'equal' "$(status_of collc verify gather/linear --ranks 3 --counts 8) $(grep -c 'all counts of gather are equal' err)" '2 1'
# A file for equal counts is one of the collective with others where there are some; what 'best'
# compares it as.
sed 's/^gather/allgather/' "$root/compiler/algorithms/allgather/ring.coll" >own.coll
sed 's/^allgather/allgatherv/' own.coll >ownv.coll
for file in own ownv; do
    collc best allgatherv -t star:5 --counts 'i*100' --with $file.coll --to csv | grep "^$file.coll," | cut -d, -f5 >time
    collc predict $file.coll -t star:5 --counts 'i*100' --to csv | sed 1d | cut -d, -f5 | cmp - time
    collc predict allgatherv/ring -t star:5 --counts 'i*100' --to csv | sed 1d | cut -d, -f5 | cmp - time
    collc compile $file.coll -t star:5 --counts 'i*100' | sed -n 2p | grep -qx 'collective allgatherv'
    collc verify $file.coll -t star:5 --counts 'i*100' | grep -q 'complete    yes'
    collc emit $file.coll -t star:5 --counts 'i*100' --table | grep -q MPI_Allgatherv
done
sed 's/^alltoall /alltoallv /' "$root/compiler/algorithms/alltoall/spread.coll" >ownw.coll
collc best alltoallv -t star:5 --counts 'i+j' --with ownw.coll --to csv | grep -q '^ownw.coll,'
expect 'other form' "$(status_of collc best allgather -t star:5 --with ownv.coll) $(grep -c "'collc best allgatherv' compares it" err)" '2 1'
sed 's/^ranks.*/&\ntmp 1/' own.coll >own_tmp.coll
expect 'no like' "$(status_of collc verify own_tmp.coll -t star:5 --counts 8) $(grep -c 'E020' err) $(grep -c 'help: say which chunk' err)" '2 1 1'
expect 'two sizes' "$(status_of collc predict allgatherv/ring -t star:3 --counts 8 --sizes 1,2)" 2
expect 'file' "$(status_of collc verify once.sched --counts 8)" 2

# Sizes of a schedule file that do not fit.
sed 's/^counts.*/counts 3x8/' once.sched >bad.sched
expect 'three counts' "$(status_of collc verify bad.sched) $(grep -c '\[S002\]' err)" '2 1'
collc compile allgatherv/bruck --ranks 3 | sed '/^like 1/d' >bad.sched
expect 'a rank left out' "$(status_of collc verify bad.sched) $(grep -c '\[S002\]' err)" '2 1'
collc compile allgatherv/bruck --ranks 3 | sed '/^like/d' >bad.sched
expect 'no like' "$(status_of collc verify bad.sched) $(grep -c "no line 'like'" err)" '2 1'
