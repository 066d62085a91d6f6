# Bounds by flows: what is printed, certificates and their check, solvers that are missing, fail, lie or
# take too long, and what is refused.
set -e
. "$root/tests/helpers.sh"
login=$root/examples/clusters/loginoff-qdr-fdr10-2014.txt
flow() { jq -r ".bounds[] | select(.kind == \"flow\") | .$1" "${2:-bounds}"; }

# The published loads, as a number and as a fraction; with --bytes the time.
for case in 3:3 4:8 $(usually '5:15 8:64 10:125' 5:15); do
    n=${case%:*}
    collc bound alltoall -t torus:${n}x$n,bw=1GB/s --bytes 1MB --format json >bounds
    expect "torus $n" "$(flow bound_load) $(flow bound_load_exact) $(flow bound_ns)" \
        "${case#*:} ${case#*:} ${case#*:}000000"
done
collc bound alltoall -t "$root/examples/clusters/plafrim1.txt" --format json >bounds
expect 'PlaFRIM 1, any routes' "$(flow bound_load_exact)" 2646
holds 'any(.bounds[]; .kind == "routes" and .bound_load == 2646 and .bound_load_exact == "2646")' bounds
collc bound alltoall -t "$login" --format json --certificate login.json >bounds
expect 'login fabric' "$(flow bound_load_exact)" 2880/7
holds 'any(.bounds[]; .kind == "flow" and .bound_load > 411.42 and .bound_load < 411.43)' bounds
collc bound alltoall -t "$login" | grep -q '^  flow  *411\.4286 '

# Links of two bandwidths: the load and the time have lengths of their own.
collc bound alltoall -t torus:4x6,bw=1GB/s:2GB/s --bytes 1MB --format json --certificate two.json >bounds
expect 'two bandwidths' "$(flow bound_load) $(flow bound_ns)" '18 12000000'
holds '[.bounds[].measure] == ["load", "time"]' two.json

# On the given routes the busiest link is not the slowest: 18 blocks at 4 GB/s, 6 at 1 GB/s.
collc bound alltoall -t mesh:2x6,bw=1GB/s:4GB/s --bytes 1MB --format json >bounds
holds 'any(.bounds[]; .kind == "routes" and .bound_load == 18 and .bound_ns == 6000000)' bounds
expect 'the same by flows' "$(flow bound_load) $(flow bound_ns)" '18 6000000'

# Several ranks on some machines, none on others; scatter and gather; unequal counts.
collc bound alltoall -t torus:8x8 --machines '(0-3,0-3)' --ranks-per-machine 2 --format json >bounds
machine=$(jq '.bounds[] | select(.kind == "machine") | .bound_load' bounds)
holds "any(.bounds[]; .kind == \"flow\" and .bound_load >= $machine)" bounds
collc bound gather -t mesh:5x5 --root 7 --format json >bounds
expect 'gather' "$(flow bound_load)" 6
collc bound alltoallv -t star:4 --counts 'i * 10' --format json --certificate v.json >bounds
expect 'unequal counts' "$(flow bound_load)" 90
holds '.unit == "bytes" and .demands[0] == [1, 0, 10]' v.json

# A part of a torus: its own ranks relay, on the routes that there are.
part="-t torus:8x8x8 --machines (0-7,0-7,3)"
# shellcheck disable=SC2086
collc bound alltoall $part --format json --certificate part.json >bounds
holds 'any(.bounds[]; .kind == "overlay" and .bound_load == 64 and .bound_load_exact == "64")' bounds
holds 'any(.bounds[]; .kind == "flow" and .bound_load < 18)' bounds
holds '.certificate == "collc-overlay-1" and (.routes | length) == 64 * 63' part.json
# shellcheck disable=SC2086
collc verify alltoall/linear $part --format json >verified
holds ".routes_bound_kind == \"overlay\" and .routes_bound_load == 64 and .routes_bound_ratio == 1.25 and .bound_ratio > 7" verified
collc bound scatterv -t torus:4x4 --machines '(0-1,0-3)' --ranks 8 --counts 'i*i' --root 5 \
    --format json --certificate scatterv.json >bounds
holds '.certificate == "collc-flow-1" or .demands' scatterv.json

# A certificate is accepted where it was made and nowhere else.
collc bound --check login.json | grep -q '^proved: alltoall on .*: at least 2880/7 blocks on some link'
collc bound alltoall -t "$login" --check login.json
collc bound --check two.json | grep -q 'seconds, if a block is a byte'
collc bound alltoallv -t star:4 --counts 'i * 10' --check v.json
collc bound alltoallv -t star:4 --counts 'i * bytes' --bytes 10 --check v.json # the same counts
# refused FILE WHY [ARGUMENTS]: exit status 1, and why
refused() {
    refused_file=$1 refused_why=$2 status=0
    shift 2
    collc bound "$@" --check "$refused_file" >said 2>&1 || status=$?
    expect "status of --check $refused_file" $status 1
    grep -q "^refused: .*$refused_why" said || { cat said; exit 1; }
}
# shellcheck disable=SC2086
collc bound alltoall $part --check part.json | grep -qx 'proved: alltoall on torus:8x8x8: at least 64 blocks on some link'
refused part.json 'nodes are not those' alltoall -t torus:8x8x8 --machines '(0-7,0-7,4)'
refused part.json 'routes or links' alltoall -t torus:8x8x8 --machines '(0-7,0-7,3)' --fail '(0,0,3):(1,0,3)'
jq '.routes[0][2] = .routes[70][2]' part.json >rerouted.json
# shellcheck disable=SC2086
refused rerouted.json 'routes or links' alltoall $part
jq 'del(.routes[0])' part.json >fewer-routes.json
# shellcheck disable=SC2086
refused fewer-routes.json 'routes or links' alltoall $part
jq '.routes[0] += [.routes[0][2]]' part.json >loop.json
refused loop.json 'no link twice'
jq '.bounds[0].bound = "65"' part.json >false.json
refused false.json 'prove 64, which is less than what is stated'
refused login.json 'links are not those' alltoall -t "$login" --fail 'MF0;ib8:SX6036/U1:MF0;ib1:SX6036/U1'
refused login.json 'another name' alltoall -t torus:4x4
refused login.json 'another collective' gather -t "$login"
refused login.json 'ranks or demands' alltoall -t "$login" --ranks-per-machine 2
refused v.json 'ranks or demands' alltoallv -t star:4 --counts 'i * 11'
sed 's|2880/7|2881/7|' login.json >false.json
refused false.json 'prove 2880/7, which is less than what is stated'
sed 's|2880/7|2879/7|' login.json >weaker.json
refused weaker.json 'prove 2880/7, which is more than what is stated'
sed 's|2880/7|5760/14|' login.json >again.json
refused again.json 'another way to write'
jq 'del(.bounds[1])' login.json >fewer.json
refused fewer.json 'not of the load and the time'
jq '.bounds[0].lengths |= map(. * 2)' login.json >twice.json
refused twice.json 'common divisor'
jq '.links |= reverse' login.json >order.json
refused order.json 'ascending order'
jq '.links[0][1] = 100000' login.json >range.json
refused range.json 'ascending order'
jq '.extra = 1' login.json >more.json
refused more.json 'and no others'
head -c 1000 login.json >half.json
refused half.json 'no JSON'
jq 'del(.links[1]) | del(.bounds[].lengths[1])' v.json >apart.json
refused apart.json 'no way from one node to another'
: >empty.json
refused empty.json 'no JSON'

# With a solver that is missing, fails, lies, is slow or silent, the bound is true, and says so.
# with_solver WORDS TEXT [TIME]: a script of these lines is the solver, which has that time, or as long as it takes
with_solver() {
    printf '#!/bin/sh\n%s\n' "$2" >solver
    chmod +x solver
    collc bound alltoall -t "$login" --format json --solver ./solver --time "${3:-3600s}" \
        --certificate solved.json >bounds
    flow reason | grep -q "$1" || { echo "solver '$2': $(flow reason)"; exit 1; }
    holds 'any(.bounds[]; .kind == "flow" and .bound_load > 143 and .bound_load < 411.43)' bounds
    collc bound alltoall -t "$login" --check solved.json >/dev/null
}
with_solver 'found nothing' 'echo unbounded; echo x0 -1; echo x1 nan; echo x99999999 1; echo x2 1e999'
with_solver 'whatever the routes' 'echo x1 3; echo x0 0.333; echo x3 1e9'
with_solver 'took too long' 'sleep 3000 & wait' 500ms
if ! is_short; then
    with_solver 'found nothing' 'exit 1'
    with_solver 'found nothing' 'echo infeasible'
    with_solver 'found nothing' 'kill -SEGV $$'
    with_solver 'whatever the routes' 'echo x0 1e300 x1 1e-300 x2 7'
fi
mkdir alone
cp "$build/collc" alone/collc
COLLC_LIBEXEC=nowhere alone/collc bound alltoall -t "$login" --format json >bounds
flow reason | grep -q 'no solver of linear programs is to be found'
collc bound alltoall -t mesh:20x20 --fail m5:m6 --format json >bounds
flow reason | grep -q 'would be too large'
# One that prints as others do is as good as ours.
printf '#!/bin/sh\n"%s/collc-lp" "$1" | awk "{ print NR, \\$1, \\$2, 0 }"\n' "$build" >solver
collc bound alltoall -t "$login" --format json --solver ./solver >bounds
expect 'another solver' "$(flow bound_load_exact)" 2880/7

# Cuts have certificates, too.
for case in '15/4 allgather torus:4x4' '1/4 bcast torus:4x4' '1/2 reduce mesh:3x3' '1/2 allreduce mesh:3x3' \
    '15/4 reduce_scatter_block torus:4x4'; do
    set -- $case
    collc bound "$2" -t "$3" --format json --certificate cut.json >bounds
    expect "$2 on $3" "$(jq -r '.bounds[] | select(.kind == "cut") | .bound_load_exact' bounds)" "$1"
    collc bound --check cut.json | grep -q "^proved: $2 on $3: at least $1 blocks"
    collc bound "$2" -t "$3" --check cut.json | grep -q '^proved'
    sed 's/"bound": "/"bound": "1/' cut.json >changed.json
    status=0
    collc bound --check changed.json >said || status=$?
    expect "changed certificate of $2" "$status $(grep -c '^refused' said)" '1 1'
done

# A refused command leaves nothing behind.
# refuse STATUS WHY ARGUMENTS
refuse() {
    refuse_status=$1 refuse_why=$2 status=0
    shift 2
    collc bound "$@" >said 2>&1 || status=$?
    expect "status of bound $*" $status "$refuse_status"
    grep -q -- "$refuse_why" said || { cat said; exit 1; }
    [ ! -e out.json ]
}
refuse 2 '--time is zero' alltoall -t star:4 --time 0s --certificate out.json
refuse 2 'is no executable' alltoall -t star:4 --solver ./none --certificate out.json
refuse 2 'nothing for --certificate' bcast -t star:1 --certificate out.json
refuse 2 'nothing for --certificate' alltoall -t star:4 --ranks 1 --certificate out.json
refuse 2 'has no effect' --check login.json --certificate out.json
refuse 2 'name a COLLECTIVE' --certificate out.json
refuse 2 '--topology is for a COLLECTIVE' -t star:4 --check login.json
refuse 2 'cannot open' --check none.json
refuse 2 '2^63 bytes' alltoallv -t star:4 --counts '9000000000000000000' --certificate out.json
printf 'graph { a -- s; b -- s; c -- t; d -- t }\n' >apart.dot
refuse 2 'no route between hosts' alltoall -t dot:apart.dot --certificate out.json
refuse 2 'no route from host' gather -t mesh:4 --fail m1:m2 --certificate out.json
