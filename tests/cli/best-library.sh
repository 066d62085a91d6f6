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
cat >flat.coll <<'EOF'
bcast flat
ranks r: p from root

step
  if r == 0
    for k in 1 .. p-1
      send buf to k
  else
    recv buf from 0
EOF
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
echo nonsense >shared/others/broken.coll
refused 'broken.coll:1' collc best bcast -t star:3 --sizes 64 --with shared
mkdir none
refused 'in the folder' collc best bcast -t star:2 --with none
refused 'of one collective' collc best bcast reduce -t star:4 --with flat.coll --to library
refused 'end it with .coll' collc best bcast -t star:4 --with one.rules --to library
refused 'named twice' collc best bcast bcast -t star:4 --to library
refused 'not for 1' collc best bcast -t star:4 --ranks 1,2 --to library
refused 'no effect' collc best alltoallv -t star:4 --counts 'i+j' --to library
refused 'give --topology' collc best bcast --ranks 4 --to library
