# A table for a library of algorithms: what it picks is within 2 % of the fastest by the same times, at each size of
# the list, and the library is made of it.
set -e
. "$root/tests/helpers.sh"
T=fattree:2x4
collc best alltoall bcast reduce barrier -t $T --ranks 4,8 --sizes 64,4KiB,256KiB --to library -o site.rules
expect first "$(head -n 1 site.rules)" 'collc-table 1'
collc lint site.rules --target library >lint
present '^1 table, 0 findings' lint
for collective in alltoall bcast reduce; do
    collc best $collective -t $T --ranks 8 --sizes 64,4KiB,256KiB --to csv >times.csv
    for bytes in 64 4096 262144; do
        collc pick site.rules --target library $collective --ranks 8 --nodes 8 --bytes $bytes --format json |
            jq -r '.ranges[0].algorithm' | sed 's/ .*//' >picked
        awk -F, -v bytes=$bytes -v picked="$collective/$(cat picked)" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            $column["bytes"] == bytes { t = $column["time_ns"]; if (!least || t < least) least = t
                if ($column["algorithm"] == picked) mine = t }
            END { if (!mine || mine > 1.021 * least) { print picked, mine, least; exit 1 } }' times.csv
    done
done
# Ranks up to the next of the list; those of the last alone; others are the MPI's.
for ranks in 3 7 8 9; do
    collc pick site.rules --target library barrier --ranks $ranks --nodes $ranks --bytes 0 --format json |
        jq -r ".ranges[0].algorithm" | sed "s/^/$ranks /"
done >seen
grep -c default seen | grep -qx 2
present '^3 default' seen
present '^9 default' seen
absent 'ranks=4\.\.7 per_host=2' site.rules
collc emit site.rules --to library -q -o site.c
present 'collc' site.c
# Several ranks on a host, exact operations, one size.
collc best allreduce -t star:4 --ranks-per-machine 2 --exact-only --sizes 1KiB --to library >one.rules
present '^allreduce ranks=8 per_host=2 exact=yes use ' one.rules
# An algorithm of the site's own among the candidates.
flat flat.coll
collc best bcast -t star:2 --sizes 64 --with flat.coll --to library >own.rules
present '^bcast ranks=2 per_host=1 use ' own.rules
# A folder of algorithms that are shared: each collective takes its own, whatever else is there.
mkdir -p shared/bcast shared/others
cp flat.coll shared/bcast
sed 's/^bcast flat/bcast wrong/; s/1 \.\. p-1/2 .. p-1/' flat.coll >shared/bcast/wrong.coll
printf 'barrier round\nranks r: p\n\nstep\n  send to r+1\n  recv from r-1\n' >shared/others/round.coll
echo 'no algorithm' >shared/README
collc best bcast -t star:3 --sizes 64 --with shared >report
present '^[ *] shared/bcast/flat.coll ' report
present '^  shared/bcast/wrong.coll  *it is wrong' report
absent 'round' report
collc best bcast alltoall -t star:2 --sizes 64 --with shared --to library >shared.rules
present '^bcast ranks=2 per_host=1 use ' shared.rules
mkdir -p 'two words' && cp flat.coll 'two words'
refused "'two words/flat.coll' cannot stand in a table" collc best bcast -t star:5 --sizes 64 --with 'two words' --to library
mv 'two words/flat.coll' 'shared/bcast/a b.coll'
refused "'shared/bcast/a b.coll' cannot stand in a table" collc best bcast -t star:5 --sizes 64 --with shared --to library
collc best bcast -t star:5 --sizes 64 --with shared >report
present "'shared/bcast/a b.coll' " report
rm 'shared/bcast/a b.coll'
# A damaged file of a folder is left out with a warning, once for all jobs; named itself, it is refused.
echo nonsense >shared/others/broken.coll
printf 'bcast runs\nranks r: p from root\nrun bcast/none on all with buf = buf\n' >shared/bcast/runs.coll
collc compile flat.coll -t star:3 -o shared/others/schedule.coll
collc best bcast -t star:3 --sizes 64 --with shared >report 2>warnings
present '^[ *] shared/bcast/flat.coll ' report
expect 'left out' "$(grep -c 'warning: .*is left out' warnings)" 3
present '^shared/others/broken.coll:1:1: warning: ' warnings
collc best bcast reduce -t star:3 --sizes 64 --ranks 2,3 --with shared --to library 2>warnings >/dev/null
expect 'left out, once' "$(grep -c 'broken.coll.*is left out' warnings)" 1
refused 'broken.coll:1:1: error' collc best bcast -t star:3 --sizes 64 --with shared --with shared/others/broken.coll
rm shared/others/broken.coll shared/others/schedule.coll shared/bcast/runs.coll
# A file has one row, however often and by whatever name it is named.
ln -s ../flat.coll shared/link.coll
collc best bcast -t star:3 --sizes 64 --with flat.coll --with ./flat.coll --with shared --with shared/bcast --to csv |
    grep -c flat.coll >rows || :
expect 'rows of two files' "$(cat rows)" 2
collc best bcast -t star:3 --sizes 64 --with shared --with shared/bcast --to csv | grep -c 'link.coll' >rows
expect 'rows of a link' "$(cat rows)" 1
rm shared/link.coll
# A library has to find the algorithm by the name of its file: what its linter would refuse is not written.
mkdir -p named twice/a twice/b
cp flat.coll named/other.coll
sed 's/^bcast flat/bcast linear/' flat.coll >linear.coll
printf 'alltoall near\nranks r: p\n\nfor k in 0 .. p-1\n  step\n    send in[r+k] to r+k\n    recv out[r-k] from r-k\n' >near.coll
cp flat.coll twice/a && cp flat.coll twice/b
refused 'call that flat.coll' collc best bcast -t star:2 --sizes 64 --with named/other.coll --to library
refused "it has the algorithm 'flat'" collc best bcast alltoall -t star:2 --sizes 64 --with named --to library
refused 'name of a built-in' collc best bcast -t star:2 --sizes 64 --with linear.coll --to library
refused 'both have the algorithm' collc best bcast -t star:2 --sizes 64 --with twice --to library
refused 'of alltoall, not of alltoallv' collc best alltoallv -t star:2 --sizes 64 --with near.coll --to library
refused 'of alltoall, not of bcast' collc best bcast -t star:2 --sizes 64 --with near.coll --to library
# A link is known by its own name, and the table that names it can be read from its folder.
mkdir found made rules
cp flat.coll made/kept.coll
ln -s ../made/kept.coll found/flat.coll
collc best bcast -t full:5 --model step --sizes 64 --with found --to library -o rules/own.rules
present ' use /.*/found/flat.coll$' rules/own.rules
collc lint rules/own.rules --target library >lint
present '^1 table, 0 findings' lint
# One file has several paths: the one that the user named wins, else one called by its algorithm, else no link.
mkdir both
cp flat.coll both/flat.coll
ln -s flat.coll both/alias.coll
cp flat.coll both/kept.coll
ln -s kept.coll both/a.coll
paths() { # WANTED OPTIONS...
    wanted=$1
    shift
    collc best bcast -t star:2 --sizes 64 "$@" --to csv | grep -o 'both/[^,]*' | tr '\n' ' ' >seen
    expect "paths of $*" "$(cat seen)" "$wanted"
}
paths 'both/kept.coll both/flat.coll ' --with both
paths 'both/kept.coll both/alias.coll ' --with both --with both/alias.coll
paths 'both/alias.coll both/kept.coll ' --with both/alias.coll --with both
paths 'both/flat.coll ' --with both/alias.coll --with both/flat.coll
paths 'both/flat.coll ' --with both/flat.coll --with both/alias.coll
rm both/kept.coll both/a.coll
collc best bcast -t star:2 --sizes 64 --with both --to library >own.rules # alias.coll would be refused
mkdir none
refused 'in the folder' collc best bcast -t star:2 --with none
refused 'of one collective' collc best bcast reduce -t star:4 --with flat.coll --to library
refused 'end it with .coll' collc best bcast -t star:4 --with one.rules --to library
refused 'named twice' collc best bcast bcast -t star:4 --to library
refused 'not for 1' collc best bcast -t star:4 --ranks 1,2 --to library
refused 'no effect' collc best alltoallv -t star:4 --counts 'i+j' --to library
refused 'give --topology' collc best bcast --ranks 4 --to library
