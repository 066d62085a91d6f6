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

# A config below it: what it gives, and that it is said.
export XDG_CONFIG_HOME="$PWD/own" XDG_CONFIG_DIRS="relative:$PWD/system:$PWD/last"
config() { mkdir -p "$1/collc" && cat >"$1/collc/config.yaml"; }
said() { # WANTED COMMAND...: what standard error says of configs
    wanted=$1
    shift
    collc "$@" >out 2>err
    diff - err <<X
$wanted
X
}
unset COLLC_TOPOLOGY
collc topo star:6 --to xml >net.xml
mkdir own && cp net.xml own/collc.xml && mkdir own/collc && mv own/collc.xml own/collc/net.xml
printf 'topology: net.xml\noverhead: 2us\n' | config own
printf 'topology: star:3\ngap: 1us\noverhead: 9us\n' | config system
printf 'memory-latency: 5us\n' | config relative
collc verify alltoall/ring -t own/collc/net.xml >given
said "collc: note: $PWD/own/collc/config.yaml: --topology $PWD/own/collc/net.xml" verify alltoall/ring
grep -q '^alltoall/ring: 6 ranks on 6 servers, ' out
said "collc: note: $PWD/own/collc/config.yaml: --topology $PWD/own/collc/net.xml --overhead 2us
collc: note: $PWD/system/collc/config.yaml: --gap 1us" predict alltoall/ring --bytes 1KiB
grep -q 'overhead 2us, gap 1us, memory 10GB/s and 300ns' out
collc predict alltoall/ring --bytes 1KiB -t own/collc/net.xml --overhead 2us --gap 1us 2>/dev/null | tail -n +2 >given
tail -n +2 out | cmp - given
# Options and the variable come first. The variable may say that there is none.
said "collc: note: $PWD/system/collc/config.yaml: --gap 1us" predict alltoall/ring --bytes 1KiB -t star:4 --overhead 1us
grep -q 'overhead 1us, gap 1us' out && grep -q '4 ranks on 4 servers, star:4' out
COLLC_TOPOLOGY=star:5 collc verify alltoall/ring 2>err | grep -q '5 ranks on 5 servers' && [ ! -s err ]
COLLC_TOPOLOGY= collc verify alltoall/ring --ranks 7 2>err | grep -q '^alltoall/ring: 7 ranks on 7 servers$' && [ ! -s err ]
# A value without effect is not taken, nor what another part of the command line excludes; --quiet says nothing.
said '' verify alltoall/ring -t star:4 >/dev/null 2>&1 || [ ! -s err ]
collc verify alltoall/ring -q 2>err && [ ! -s err ]
collc check "$root/examples/ci" >/dev/null 2>err && [ ! -s err ]
collc explain hol >/dev/null 2>err && [ ! -s err ]
collc topo star:3 2>err | grep -q 'machines  *3' && [ ! -s err ]
# A schedule file keeps its network, under a config and under the variable.
collc compile alltoall/ring -t star:4 -o own.sched
collc verify own.sched 2>err | grep -q '4 ranks on 4 servers, star:4'
present "the schedule file names the network 'star:4', which counts" err
COLLC_TOPOLOGY=star:9 collc verify own.sched | grep -q '4 ranks on 4 servers, star:4'
collc verify own.sched -t star:9 2>/dev/null | grep -q '4 ranks on 4 servers, star:9'
# Routes and adapters belong to the network of their own file.
printf 'routes: tables\n' | config own
refused "config.yaml:1:9: error: 'routes' is of a network, and there is no 'topology' [K001]" collc verify alltoall/ring
printf 'topology: rail:4x2\nrank-adapters: slot\n' | config own
said "collc: note: $PWD/own/collc/config.yaml: --topology rail:4x2 --rank-adapters slot" verify alltoall/ring
collc verify alltoall/ring -t star:6 2>err >/dev/null && [ ! -s err ]
said "collc: note: $PWD/own/collc/config.yaml: --topology rail:4x2" compile alltoall/ring
# A network that is lost stops only what needs it.
printf 'topology: lost.txt\n' | config own
for command in algorithms 'explain hol' help 'lint alltoall/ring' "topo star:4"; do collc $command >out; done
refused "cannot open 'lost.txt'" collc verify alltoall/ring
# Mistakes have their place, and nothing is done.
printf 'topology: star:6\noverhed: 1us\n' | config own
refused "config.yaml:2:1: error: unknown key 'overhed'" collc verify alltoall/ring
refused "did you mean 'overhead'" collc verify alltoall/ring
printf 'topology: star:6\noverhead: 1\n' | config own
refused "config.yaml:2:11: error: '1' is not a time" collc predict alltoall/ring
printf 'between-rails: air\n' | config own
refused "'air' is none of host, fabric" collc verify alltoall/ring
printf 'topology: [a, b]\n' | config own
refused "expected a value, found a list" collc verify alltoall/ring
printf '\377\n' | config own
refused 'UTF-8' collc verify alltoall/ring

# `emit` writes the same, whatever network a site has.
XDG_CONFIG_HOME=$PWD/none XDG_CONFIG_DIRS=$PWD/none collc emit allreduce/bucket_nd -o plain.c
printf 'topology: "torus:4x4"\n' | config own
collc emit allreduce/bucket_nd | cmp - plain.c
COLLC_TOPOLOGY=torus:4x4 collc emit allreduce/bucket_nd | cmp - plain.c
