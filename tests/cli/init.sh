# A first project file lists what is there, and can be checked as it is.
set -e
. "$root/tests/helpers.sh"
mkdir -p site/fabric site/mine/deep site/.hidden
cp "$root/examples/clusters/plafrim1.txt" site/fabric/
printf 'SwitchName=s0 Nodes=n[0-7]\n' >site/topology.conf
printf 'SwitchName=s0 Nodes=n[0-7\n' >'site/broken.conf'
cp "$root/compiler/algorithms/alltoall/ring.coll" 'site/mine/deep/a "ring" \ of mine.coll'
collc compile allgather/ring --ranks 8 -o site/ring.sched
printf 'Some words about this place.\nnode1\n' >site/README
cp site/ring.sched site/.hidden/
collc init site >out
present "^collc.yaml: 2 schedules, on 2 networks; 1 that looks like a network cannot be read; 'collc check' checks it" out
grep -v '^#' site/collc.yaml >listed
cat >wanted <<'END'
version: 1
schedules:
  - "mine/deep/a \"ring\" \\ of mine.coll"
  - "ring.sched"
networks:
  - "fabric/plafrim1.txt"
  - "topology.conf"
END
cmp listed wanted
present '^#   "broken.conf"$' site/collc.yaml
collc check site >report || [ $? -eq 1 ]
present '^checked 4 combinations\|4 combinations' report
# It is kept.
cp site/collc.yaml kept
refused "there is a collc.yaml in 'site'" collc init site
cmp kept site/collc.yaml
# With nothing there, what an MPI takes, on a switch.
mkdir none && touch none/notes && (cd none && collc init >said && collc check -q)
present 'no schedule here, so what Open MPI 4.1 takes, and no network, so star:16 as an example' none/said
mkdir bare
refused "no file in the folder" collc init bare
refused 'cannot open' collc init nowhere
[ ! -e nowhere ]
