# Settings as people keep them: what collc pick reads from some thirty kinds of files is the value that was meant. In
# the long form each file that can be run here is run, and Open MPI's or MPICH's own word for the value must be the
# same.
set -e
. "$root/tests/helpers.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
V=OMPI_MCA_coll_tuned_alltoall_algorithm
D=OMPI_MCA_coll_tuned_use_dynamic_rules
n_kinds=0 n_run=0
mkdir bin home
export HOME=$PWD/home

has_openmpi=
if [ "$(form)" = long ] && command -v mpirun.openmpi ompi_info >/dev/null && mpirun.openmpi --version | grep -q ' 4\.1\.'; then
    has_openmpi=yes
    ln -s "$(command -v mpirun.openmpi)" bin/mpirun
    printf '#!/bin/sh\nexec ompi_info --param coll tuned --level 9 --parsable\n' >app
    chmod +x app
fi

# kind VALUE FILE [COMMAND...]: the file gives alltoall this algorithm, and the command runs it; stdin is the file.
kind() {
    value=$1 file=$2
    shift 2
    mkdir -p "$(dirname "$file")"
    cat >"$file"
    n_kinds=$((n_kinds + 1))
    collc pick "$file" --target ompi-4.1 alltoall --ranks 4 --bytes 8 --format json >picked || { cat "$file"; exit 1; }
    picked=$(jq -r '.ranges[0].algorithm' picked)
    case $picked in
    pairwise) picked=2 ;;
    modified_bruck) picked=3 ;;
    linear_sync) picked=4 ;;
    esac
    [ "$picked" = "$value" ] || { cat "$file"; echo "meant $value, picked $picked"; exit 1; }
    [ -n "$has_openmpi" ] || return 0
    # The file is proved, too: alltoall alone is called, and gets what was picked.
    collc prove "$file" --target ompi-4.1 --mpirun mpirun.openmpi --mpicc mpicc.openmpi --ranks 2 --bytes 8 --format json >proved
    jq -e --slurpfile picked picked '(.seen | length > 0) and all(.seen[]; .collective == "alltoall" and
        .picked == $picked[0].ranges[0].algorithm and (.differs | not))' proved >/dev/null || { cat "$file" proved; exit 1; }
    [ $# -gt 0 ] || return 0
    n_run=$((n_run + 1))
    found=$(PATH=$PWD/bin:$PATH "$@" 2>/dev/null | sed -n 's/^mca:coll:tuned:param:coll_tuned_alltoall_algorithm:value://p')
    case $found in
    *pairwise*) found=2 ;;
    *modified_bruck*) found=3 ;;
    *linear_sync*) found=4 ;;
    esac
    [ "$found" = "$value" ] || { cat "$file"; echo "meant $value, Open MPI has '$found'"; exit 1; }
}
run='mpirun --oversubscribe -np 1 ./app'

kind 2 home/.openmpi/mca-params.conf $run <<X
# site defaults
coll_tuned_use_dynamic_rules = 1
coll_tuned_alltoall_algorithm = pairwise
X
rm -r home/.openmpi
kind 3 job.sh bash job.sh <<X
#!/bin/bash
#SBATCH --nodes=2
export $D=1 $V=3
$run
X
kind 3 inline.sh bash inline.sh <<X
$D=1 $V=3 $run
X
kind 2 later.sh bash later.sh <<X
$D=1
$V="2"
export $D $V
$run
X
kind 4 option.sh bash option.sh <<X
export $D=1 $V=2
mpirun --mca coll_tuned_alltoall_algorithm 4 --oversubscribe \\
    -np 1 ./app
X
kind 3 short.sh bash short.sh <<X
mpirun -mca coll_tuned_use_dynamic_rules 1 -mca coll_tuned_alltoall_algorithm 3 --oversubscribe -np 1 ./app
X
kind 3 global.sh bash global.sh <<X
mpirun --gmca coll_tuned_use_dynamic_rules 1 --gmca coll_tuned_alltoall_algorithm 3 --oversubscribe -np 1 ./app
X
kind 2 handed.sh bash handed.sh <<X
mpirun -x $D=1 -x $V=2 --oversubscribe -np 1 ./app
X
kind 3 behind.sh bash behind.sh <<X
export $D=1
export $V=2
$run --mca coll_tuned_alltoall_algorithm 3
X
kind 4 both.sh bash both.sh <<X
mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 4 --oversubscribe -np 1 ./app \\
    --mca coll_tuned_alltoall_algorithm 3
X
kind 2 handed-behind.sh bash handed-behind.sh <<X
export $D=1 $V=2
$run -x $V=3
X
kind 3 env.sh bash env.sh <<X
env $D=1 '$V=3' $run
X
kind 2 again.sh bash again.sh <<X
export $D=1
export $V=3
export $V=2 # the last one
$run
X
kind 4 inner.sh bash inner.sh <<X
mpirun --oversubscribe -np 1 env $D=1 $V=4 ./app
X
# A file of settings that another one names, and that is not there, is said.
echo "mpirun --tune tune.conf --mca coll_tuned_use_dynamic_rules 1 ./app" >tuned.sh
collc lint tuned.sh --target ompi-4.1 >said 2>&1 || true
grep -q "'mca_base_envar_file_prefix' is not judged: a file is not here" said || { cat said; exit 1; }
kind 2 job.pbs bash job.pbs <<X
#!/bin/sh
#PBS -l select=2
cd "\${PBS_O_WORKDIR:-.}"
export $D=1; export $V=2
$run
X
kind 3 settings.tcl tclsh settings.tcl <<X
#%Module1.0
proc setenv {name value} { global env; set env(\$name) \$value }
setenv $D 1
setenv $V 3
if {[info procs module-whatis] eq ""} { puts [exec sh -c {$run 2>/dev/null}] }
X
# Kinds that nothing here runs.
kind 3 job.csh <<X
#!/bin/csh
setenv $D 1
setenv $V 3
mpirun -np 4 ./a.out
X
kind 3 openmpi.lua <<X
setenv("$D", "1")
setenv("$V", "3")
X
kind 2 Dockerfile <<X
FROM debian:12
ENV $D=1 $V=2
RUN echo ENV $V=3
CMD ["mpirun", "-np", "4", "/app"]
X
kind 3 pod.yaml <<X
apiVersion: v1
kind: Pod
spec:
  containers:
    - name: app
      env:
        - name: $D
          value: "1"
        - name: $V
          value: "3"
X
kind 2 compose.yaml <<X
services:
  app:
    image: app
    environment:
      - $D=1
      - $V=2
X
kind 2 compose-map.yaml <<X
services:
  app:
    environment:
      $D: "1"
      $V: 2
X
kind 4 app.service <<X
[Service]
Environment="$D=1" $V=4
ExecStart=/usr/bin/mpirun -np 4 /app
X
kind 3 job.env <<X
$D=1
$V=3
X
kind 3 container.json <<X
{"containerEnv": {"$D": "1", "$V": "3"}}
X
kind 2 inspected.json <<X
[{"Id": "3f", "Pid": 0, "Tty": false, "Mounts": [], "Config": {"Env": ["PATH=/usr/bin", "$D=1", "$V=2"]}, "Args": []}]
X
kind 4 pod.json <<X
{"spec":{"containers":[{"name":"app","env":[{"name":"$D","value":"1"},{"name":"$V","value":"4"}]}]}}
X
kind 3 pods.json <<X
{
    "env": [
        {
            "name": "$D",
            "value": "1"
        },
        {
            "name": "$V",
            "value": "3"
        }
    ]
}
X
kind 2 job.srun <<X
#!/bin/bash
srun --export=ALL,$D=1,$V=2 -n 4 ./app --mca coll_tuned_alltoall_algorithm 3
X
kind 3 job.flux <<X
flux run -n 4 --env=$D=1 --env=$V=3 ./app
X
kind 3 job.aprun <<X
aprun -n 4 -e $D=1 -e $V=3 ./app
X
kind 2 job.lsf <<X
#BSUB -env "all, $D=1, $V=2"
mpirun ./app
X
kind 4 job.sge <<X
#$ -v $D=1,$V=4
mpirun ./app
X
kind 3 image.sh <<X
apptainer exec --env $D=1,$V=3 image.sif ./app
X
[ $n_kinds -ge 28 ] || { echo "$n_kinds kinds"; exit 1; }
[ -z "$has_openmpi" ] || [ $n_run -ge 13 ] || { echo "$n_run were run"; exit 1; }
echo "$n_kinds kinds, $n_run run"
