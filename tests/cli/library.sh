# A library of algorithms is made from a table: the same every time, and of nothing that is wrong.
set -e
. "$root/tests/helpers.sh"
collc emit "$root/examples/library/site.rules" --to library -o a.c
collc emit "$root/examples/library/site.rules" --to library | cmp - a.c
present '^/\* 27 algorithms of 5 collectives' a.c
present '"chain", collc_fits_bcast_chain' a.c
printf '* have *\n' | sed '1i collc-table 1' >all.rules
collc emit all.rules --to library -o all.c
# Algorithms of all collectives and of their forms with unequal counts, but for those of neighbours.
n=0
for name in $( (collc algorithms --format json | jq -r '.[].collective' | grep -v neighbor
    printf '%s\n' allgatherv alltoallv alltoallw gatherv scatterv) | sort -u); do
    n=$((n + $(collc algorithms $name --format json | jq length)))
done
expect 'algorithms of all' "$(sed -n '2s/[^0-9]*\([0-9]*\) .*/\1/p' all.c)" $n
[ $n -gt 200 ]
# Helpers stand once.
expect 'functions twice' "$(grep -v ';$' all.c | grep -o '^static [a-z].* \**\(collc_[a-z_]*\)(' | sed 's/.*[ *]//' | sort | uniq -d)" ''

table() { printf 'collc-table 1\n%b' "$1" >t.rules; }
bad() { # RULES WORDS
    table "$1"
    refused "$2" collc emit t.rules --to library -o none.c
    [ ! -e none.c ]
}
bad 'bcast use rings\n' "bcast has no built-in algorithm 'rings'"
bad 'bcast bytes=4k use ring\n' 'it is no range of numbers'
bad 'bcast use chain size=3\n' "has no parameter 'size'"
bad 'bcast use mpi\n' 'the table names no algorithm'
bad '' 'the table names no algorithm'
bad 'bcast bytes=9..8 use chain\n' 'the range ends before it begins'
bad 'bcast bytes=1 bytes=2 use chain\n' 'condition twice'
bad 'bcast use chain segments=1 segments=2\n' 'parameter twice'
bad 'bcast chain\n' 'it is no condition'
bad 'bcast ranks=2..\n' 'names no algorithm'
bad 'after x\n' 'no number of calls'
bad 'after 1\nafter 2\n' 'line twice'
bad 'after 1 2\n' 'a word too many'
bad 'alltoallv use bruck\n' 'alltoallv'

# Files of the site's own, beside the table.
mkdir -p own site
flat own/flat.coll
table 'bcast bytes=..64 use own/flat.coll\nbcast use chain\n'
collc emit t.rules --to library -o own.c
present '"flat", collc_fits_bcast_flat' own.c
collc lint t.rules --target library --quiet
expect 'own, picked' "$(collc pick t.rules --target library bcast --ranks 4 --bytes 8 --format json |
    jq -r '.ranges[0].algorithm')" flat
collc verify bcast --as library --rules t.rules -t star:4 --bytes 8 >report
present 'messages 3$' report
cp t.rules site
# A claim is one with a comment behind it, too.
sed 's/^allreduce trivance/allreduce mine/; s/^exact$/exact  # as written/' \
    "$root/compiler/algorithms/allreduce/trivance.coll" >own/mine.coll
table 'allreduce use own/mine.coll\n'
expect 'an exact one, of inexact operations' "$(collc pick t.rules --target library allreduce --ranks 9 --bytes 8 --format json |
    jq -r '.ranges[0].runs_as')" default
table 'bcast bytes=..64 use own/flat.coll\nbcast use chain\n'
refused "'own/flat.coll' cannot be read" collc emit site/t.rules --to library -o none.c
bad 'alltoall use own/flat.coll\n' "'own/flat.coll' is no algorithm of alltoall"
cp own/flat.coll own/level.coll
bad 'bcast use own/level.coll\n' "has the algorithm 'flat'"
sed 's/flat/chain/' own/flat.coll >own/chain.coll
bad 'bcast use own/chain.coll\n' "'own/chain.coll' has the name of a built-in algorithm"
bad 'bcast use own/flat.coll radix=2\n' "has no parameter 'radix'"
sed 's/flat/level/; s/send buf to d/send buf to 1/' own/flat.coll >own/level.coll
bad 'bcast use own/level.coll\n' 'it is wrong'
cp own/flat.coll site/flat.coll
bad 'bcast bytes=1 use own/flat.coll\nbcast use site/flat.coll\n' 'have algorithms of one name'

printf 'collc-table 2\n' >t.rules
refused 'for another version' collc emit t.rules --to library -o none.c
printf 'bcast use chain\n' >t.rules
refused 'B038' collc emit t.rules --to library -o none.c
refused 'no effect with --to library' collc emit all.rules --to library --ranks 4
refused 'no effect with --to library' collc emit all.rules --to library --main

# pick says what a naive reader of the table says: the first line of which all conditions hold.
cat >p.rules <<'EOF'
collc-table 1
bcast bytes=..99 ranks=2..4 use binomial
bcast bytes=50..299 hosts=2.. use chain segments=2
bcast bytes=200.. per_host=2 use kary
bcast ranks=8 use mpi
bcast bytes=100..4KiB use linear
EOF
for place in 4:2 8:4 8:8 9:2; do
    collc pick p.rules --target library bcast --ranks ${place%:*} --nodes ${place#*:} --bytes 1..8KiB --format json |
        jq -r '.ranges[] | "\(.first) \(.last) \(.algorithm)"' >found
    awk -v p=${place%:*} -v h=${place#*:} '
        function choose(n) {
            if (n <= 99 && p >= 2 && p <= 4) return "binomial"
            if (n >= 50 && n <= 299 && h >= 2) return "chain segments=2"
            if (n >= 200 && p == 2 * h) return "kary"
            if (p == 8) return "default"
            return n >= 100 && n <= 4096 ? "linear" : "default"
        }
        { for (n = $1; n <= $2; n++) { name = $3 (NF > 3 ? " " $4 : ""); if (choose(n) != name) { print "wrong", n, name; exit 1 } } }
        { last = $2 } END { if (last != 8192) { print "ends at", last; exit 1 } }' found || { cat found; exit 1; }
done
