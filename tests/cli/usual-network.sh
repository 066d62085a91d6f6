# COLLC_TOPOLOGY is the network where none is given, for every command that takes one.
set -e
. "$root/tests/helpers.sh"
export COLLC_TOPOLOGY=star:5
same() { # COMMAND...: the same with the network given
    collc "$@" >usual
    env -u COLLC_TOPOLOGY collc "$@" -t star:5 >given
    cmp usual given
}
same verify alltoall/ring
same predict alltoall/ring --bytes 1KiB
same best bcast --sizes 1KiB
same bound alltoall
same compile alltoall/ring
same topo
same route --metrics
# A network that is given counts, as an argument too.
collc topo star:3 | grep -q 'machines  *3'
collc verify alltoall/ring -t star:3 | grep -q '3 ranks on 3 servers'
# Commands without the option, and those of which it means something else, do not take it.
collc pick --target ompi-4.1 barrier --ranks 4 >/dev/null
collc algorithms >/dev/null
status=0; COLLC_TOPOLOGY=nonsense:4 collc verify alltoall/ring 2>err || status=$?
expect status $status 2
present "nonsense:4" err
COLLC_TOPOLOGY= collc verify alltoall/ring --ranks 4 | grep -q '4 ranks'
