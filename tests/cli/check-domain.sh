# collc check: a schedule is not for a combination only by what its head declares; what cannot be bound for a reason
# in its body is broken.
set -e
. "$root/tests/helpers.sh"

# row STATUS WORDS: the rows of the table behind the names, for 4, 6 and 8 ranks.
row() {
    status=0
    collc check . >out 2>said || status=$?
    expect 'status' $status "$1"
    expect 'row' "$(sed -n 's/^x.coll  *[^ ]* *//p' out | tr -s ' ' | paste -sd,)" "$2"
}
printf 'schedules: x.coll\nnetworks: star:16\nranks: [4, 6, 8]\n' >collc.yaml
body='step\n    send in[r+i] to r + i\n    recv out[r-i] from r - i\n'

printf "alltoall x\nranks r: p\nrequires 2^floor_log2(p) == p\nfor i in 0 .. p-1\n  $body" >x.coll
row 0 'ok - ok'
# The algorithm that it runs requires something that its own head does not.
printf "alltoall x\nranks (s: servers, l: slots)\nrun alltoall/pairwise over s with in = in, out = out\n" >x.coll
row 2 'ok broken ok'
grep -q 'E009' out
sed -i 's/^ranks.*$/&\nrequires 2^floor_log2(servers) == servers/' x.coll
row 0 'ok - ok'
# A window that has no size, chunks of tmp, a name that the head does not use.
printf 'alltoall x\nranks r: p\nwindow p - 5\n  for i in 0 .. p-1\n    step\n      send in[r+i] to r + i\n      recv out[r-i] from r - i\n' >x.coll
row 2 'broken ok ok'
printf "alltoall x\nranks r: p\ntmp p - 5\nfor i in 0 .. p-1\n  $body" >x.coll
row 2 'broken ok ok'
printf 'schedules: x.coll\nnetworks: [{network: star:16, ranks-per-machine: 4}]\nranks: [4, 6, 8]\n' >collc.yaml
printf "alltoall x\nranks r: p\nlet s = slots\nfor i in 0 .. p-1\n  $body" >x.coll
row 0 'ok - ok'
printf "alltoall x\nranks r: p\nlet s = r / slots\nfor i in 0 .. p-1\n  $body  copy in[0] to out[s-s]\n" >x.coll
collc check . >out 2>said || true
grep -q "^x.coll  *star:16 .* broken " out
printf 'schedules: x.coll\nnetworks: [torus:2x2, star:4]\n' >collc.yaml
printf "alltoall x\nranks r: p\nrequires nx == 2\nfor i in 0 .. p-1\n  $body" >x.coll
row 0 'ok,-'
printf "alltoall x\nranks r: p\nfor i in 0 .. p-1\n  step\n    send in[r+i] to r + i + nx - nx\n    recv out[r-i] from r - i\n" >x.coll
row 2 'ok,broken'
