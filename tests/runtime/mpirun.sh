# Several of collc that an MPI launches share the work of verify, check, route, predict and best: what they report is
# what one reports, byte for byte but for the seconds, with its exit status. Nothing to do without an MPI.
set -e
export OMPI_MCA_rmaps_base_oversubscribe=1 NO_COLOR=1 # Open MPI gives its processes a terminal
cat >collc.yaml <<'END'
version: 1
schedules: [alltoall/ring, alltoall/pairwise, bcast/chain]
networks: ['star:4', 'mesh:2x3']
ranks: [4]
limits: {max-link-load: 1}
END
# Compares with one process; its words on standard error may be among those of the launcher.
same() { # N COMMAND...
    local n=$1 one=0 all=0
    shift
    collc "$@" >one 2>one.said || one=$?
    mpirun.$mpi -n $n collc "$@" >all 2>all.said || all=$?
    grep -v '"seconds"' one >one.figures || true
    grep -v '"seconds"' all >all.figures || true
    cmp one.figures all.figures && [ $one = $all ] || { echo "$mpi, $n processes, exit status $all: $*"; exit 1; }
    while IFS= read -r line; do grep -qF -- "$line" all.said; done <one.said
}
for mpi in openmpi mpich; do
    if ! command -v mpirun.$mpi >/dev/null || ! [ -x "$build/collc-mpi-$mpi" ]; then
        echo "skipped: no $mpi"
        continue
    fi
    # Shared; lost, as messages move later; lost, as a limit is passed; decided by symmetry; several of them.
    same 2 verify alltoall/ring bcast/chain -t star:6 -t fattree:3x2 --no-symmetry --per-step --format json
    same 3 verify alltoall/ring alltoall/pairwise -t star:8 --no-symmetry --max-fan-in 1
    same 2 verify alltoall/ring -t star:4 --ranks-per-machine 2 --max-fan-in 1
    # Independent steps; and such that pass a limit, before a schedule that is shared in another way.
    same 3 verify alltoall/ring alltoall/bruck -t star:70 --no-symmetry --per-step --format json
    same 4 verify alltoall/pairwise bcast/chain -t fattree:8x8 --no-symmetry --max-total-load 20
    same 2 verify nothing.coll
    same 2 check . -q
    same 3 route fattree:4x4,up=1x2 --metrics --matchings 50
    same 2 predict bcast/chain -t mesh:4x3 --param segments=4
    same 3 best allreduce -t mesh:3x3 --model step --with "$root/tests/mpi/relay.coll"
    same 2 best bcast -t fattree:4x2 --sizes 8..64KiB
done
[ -x "$build/collc-mpi-mpich" ] || exit 0
mpi=mpich
# One of the others is killed as it begins to hand what it has, or in the middle of that: number 0 does its share.
gcc -O1 -shared -fPIC "$root/tests/cli/killed.c" -o killed.so -ldl -lpthread
export KILLED="$PWD/killed" KILL_AT
launcher=$(command -v mpirun.mpich)
mkdir path
printf '#!/bin/sh\nexec %s -genv LD_PRELOAD "$PWD/killed.so" "$@"\n' "$launcher" >path/mpirun.mpich
chmod +x path/mpirun.mpich
for KILL_AT in 1 2; do
    for command in 'verify alltoall/ring -t star:6 --no-symmetry --per-step' 'predict bcast/chain -t mesh:4x3'; do
        rm -f killed
        (PATH=$PWD/path:$PATH; same 2 $command)
        [ -e killed ]
    done
done
same 3 check .
mpirun.mpich -n 3 collc check . -q --write-baseline known.json >/dev/null
collc check . -q --write-baseline one.json
cmp known.json one.json
# Without the helper of the MPI nothing is done several times.
mkdir alone
cp "$build/collc" alone/
COLLC_LIBEXEC= mpirun.mpich -n 2 alone/collc verify alltoall/ring -t star:4 >out 2>said && exit 1
[ "$(grep -c 'there is no collc-mpi-mpich' said)" = 1 ] && [ ! -s out ]
