# collc why on the cluster of network namespaces: a slow cable, a wrong order of hosts and a bad rule, planted in
# real runs of Open MPI, are each named first, and nothing where nothing is planted. Times that are measured tell of
# other things that run here, too: in the long form alone. tests/cli/why.sh plants the same in simulated times.
set -e
. "$root/tests/helpers.sh"
[ "$(form)" = long ] || { echo "skip: only in the long form"; exit 0; }
status=0
"$root/scripts/netns-cluster" --build "$build" star:2 -- true 2>message || status=$?
if [ $status -eq 2 ] && grep -Eq "no namespaces|iproute2" message; then
    echo "skipped: $(cat message)"
    exit 0
fi
expect 'status of true' $status 0
mpicc.openmpi -std=c99 -O2 -Wall -Wextra -Werror -o times "$root/measured/times.c"

sizes='16384 49152'
fabric='fattree:4x2,up=1x1,bw=20Mb/s'
collc topo "$fabric" --to dot >stated.dot
awk '/"sw0" -> "sw2"|"sw2" -> "sw0"/ { sub(/\]/, ", bandwidth=\"625KB/s\"]") } { print }' stated.dot >slow.dot
awk '/"m5" -> "sw1"|"sw1" -> "m5"/ { sub(/\]/, ", bandwidth=\"500KB/s\"]") } { print }' stated.dot >host.dot

# Other work on the machine is to disturb as little as it can. Packets that are lost are in no model, so ports keep
# all that can come.
first='nice -n -20'
$first true 2>/dev/null || first=
measure() { # NETWORK OPTIONS COLLECTIVES: what is printed goes to `measured`
    # shellcheck disable=SC2086
    $first "$root/scripts/netns-cluster" --build "$build" --buffer 4194304 "$1" -- mpirun.openmpi $2 -np 8 "$PWD/times" 5 $3 -- $sizes >measured
    [ -s measured ]
}
named() { # KIND WORDS ARGUMENTS...
    kind=$1 words=$2
    shift 2
    status=0
    collc why measured -t stated.dot --as ompi-4.1 --ranks 8 "$@" --format json >report || status=$?
    if ! jq -e --arg kind "$kind" --arg words "$words" \
        '.causes[0] | .kind == $kind and (.words | contains($words))' report >/dev/null; then
        echo "$kind, $words is not named first, but:"
        collc why measured -t stated.dot --as ompi-4.1 --ranks 8 "$@" || true
        exit 1
    fi
}

# ---- nothing ----
measure stated.dot '' 'alltoall allgather'
collc why measured -t stated.dot --as ompi-4.1 --ranks 8 --format json >report || true
jq -e '[.causes[] | select(.kind | startswith("better") | not) | .gain | . > 0.3] | any | not' report >/dev/null || {
    echo 'nothing was planted, but:'
    collc why measured -t stated.dot --as ompi-4.1 --ranks 8 || true
    exit 1
}

# ---- slow cables, with rooted collectives: if all links were slow their roots would be, too ----
measure slow.dot '' 'alltoall allgather bcast gather'
named cable 'sw0:sw2'
measure host.dot '' 'alltoall bcast gather'
named cable 'm5:sw1'

# ---- a wrong order: dealt out over both leaves, with a ring by a table ----
dynamic='--mca coll_tuned_use_dynamic_rules 1'
printf 'rank %d=%s slot=0\n' 0 h0 1 h4 2 h1 3 h5 4 h2 5 h6 6 h3 7 h7 >rankfile
printf '%s\n' 1 0 1 8 1 '0 4 0 0' >ring.rules
measure stated.dot "--rankfile $PWD/rankfile $dynamic --mca coll_tuned_dynamic_rules_filename $PWD/ring.rules" allgather
named order 'every 4th host first' --rules ring.rules
printf 'm%d\n' 0 4 1 5 2 6 3 7 >dealt
named 'better order' 'bad order' --rules ring.rules --placement dealt

# ---- bad rules, with sizes at which the many messages of Bruck's algorithm lose nothing ----
sizes='4096 16384'
measure stated.dot "$dynamic --mca coll_tuned_alltoall_algorithm 3" 'alltoall allgather'
named algorithm 'modified_bruck ran'
printf '%s\n' 1 3 1 8 1 '0 3 0 0' >bad.rules
measure stated.dot "$dynamic --mca coll_tuned_dynamic_rules_filename $PWD/bad.rules" alltoall
named 'better algorithm' 'modified_bruck (line 6 of bad.rules) is a bad choice' --rules bad.rules
