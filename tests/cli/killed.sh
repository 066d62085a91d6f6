# A process that works for another one is killed: before it has handed anything, and in the middle of what it
# hands, with all steps of a verification its own. What is reported is what one process reports.
set -e
case $(command -v collc) in
*/asan/collc) exit 0 ;; # its own library has to be the first
esac
gcc -O1 -shared -fPIC "$root/tests/cli/killed.c" -o killed.so -ldl -lpthread
export KILLED="$PWD/killed"
same() { # KILLED COMMAND...
    local n=$1 one=0 all=0 at
    shift
    collc "$@" -j 1 >one 2>one.said || one=$?
    grep -v '"seconds"' one >one.figures || true
    for at in 1 2 none; do
        rm -f killed
        all=0
        LD_PRELOAD="$PWD/killed.so" KILL_AT=$at collc "$@" -j 2 >all 2>all.said || all=$?
        grep -v '"seconds"' all >all.figures || true
        cmp one.figures all.figures && cmp one.said all.said && [ $one = $all ] || { echo "$at: $*"; exit 1; }
        [ $at = none ] && [ ! -e killed ] || [ "$(wc -l <killed)" -ge "$n" ] || { echo "$at: none was killed: $*"; exit 1; }
    done
}
export FIRST=others
same 1 verify alltoall/ring -t star:12 --ranks-per-machine 2 --no-symmetry --per-step --format json
same 1 verify alltoall/pairwise -t fattree:4x4,up=1x2 --no-symmetry --max-total-load 14
same 1 verify bcast/chain -t mesh:9 --param segments=4 --no-symmetry --per-step
unset FIRST
# Every process in the place of one that was killed is killed, too.
same 2 predict bcast/chain -t mesh:4x4 --param segments=4
same 2 best bcast -t mesh:3x4 --model step
