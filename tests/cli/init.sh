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
# Rule tables and job scripts become items of as:, for the collectives that they decide; other files are told.
mkdir job
printf '1\n3\n1\n8\n1\n0 3 0 0\n' >job/site.conf
printf '#!/bin/bash\n#SBATCH -N 16\nexport OMPI_MCA_coll_tuned_use_dynamic_rules=1\nexport OMPI_MCA_coll_tuned_bcast_algorithm=6\nsrun ./app\n' >job/run.sbatch
printf '#!/bin/sh\n#SBATCH -N 4\nsrun ./app\n' >job/plain.sh
cp "$root/examples/why/slow-host.osu" "$root/tests/data/nccl/rails.log" job/
(cd job && collc init >said && collc check >report)
present '^collc.yaml: 2 rule tables or scripts of an MPI, and no network, so star:16 as an example; 3 files' job/said
present 'target: ompi-4.1, rules: "run.sbatch", collectives: \[bcast\]' job/collc.yaml
present 'target: ompi-4.1, rules: "site.conf", collectives: \[alltoall\]' job/collc.yaml
present '^#   "plain.sh": this is a script: ' job/collc.yaml
present '^#   "slow-host.osu": these are measured times: ' job/collc.yaml
present '^#   "rails.log": this is a log of NCCL: ' job/collc.yaml
# With nothing there, what an MPI takes, on a switch.
mkdir none && touch none/notes && (cd none && collc init >said && collc check -q)
present 'no schedule here, so what Open MPI 4.1 takes, and no network, so star:16 as an example' none/said
mkdir bare
refused "no file in the folder" collc init bare
refused 'cannot open' collc init nowhere
[ ! -e nowhere ]
