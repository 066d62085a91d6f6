# SPDX-License-Identifier: BSD-3-Clause
# Platforms of SimGrid: what policies mean for contention, big clusters, writing and back.
set -e
cluster() { # ATTRIBUTES
    echo "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" speed=\"1Gf\" lat=\"1us\" $1/></platform>"
}
# load FILE: the largest link load of a ring of all-to-all
load() { collc verify alltoall/ring -t "$1" --format json | jq .max_link_load; }

cluster 'radical="0-7" bw="1GBps"' >split.xml
cluster 'radical="0-7" bw="1GBps" sharing_policy="SHARED"' >shared.xml
cluster 'radical="0-7" bw="1GBps" bb_bw="1GBps"' >backbone.xml
cluster 'radical="0-7" bw="1GBps" bb_bw="1GBps" bb_sharing_policy="FATPIPE"' >free.xml
[ "$(load split.xml)" = 1 ]    # a link up and one down
[ "$(load shared.xml)" = 2 ]   # one for both directions
[ "$(load backbone.xml)" = 8 ] # one for all
[ "$(load free.xml)" = 1 ]     # never a load

# A million hosts cost numbers, not memory.
cluster 'radical="0-999999" bw="1GBps" topology="TORUS" topo_parameters="100,100,100"' >million.xml
collc route million.xml --from n7 --to n999999 >out
[ "$(grep -c '^  link' out)" = 10 ]
"$build/tests/bench/measure" collc topo million.xml >out
awk '$2 > 65536 || $3 != 0 { print "SECONDS KIB STATUS", $0; exit 1 }' out

# Fat pipes and unsplit links survive being written.
for file in split shared backbone free; do
    collc topo $file.xml --to simgrid -o written.xml
    [ "$(load written.xml)" = "$(load $file.xml)" ]
done
status=0
collc topo torus:64x64 --to simgrid >out 2>err || status=$?
[ $status = 2 ]
grep -q 'more than 1000000 elements' err
[ ! -s out ]
