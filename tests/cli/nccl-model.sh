# The cost model of NCCL: figures of a public log, a second opinion on choices (awk, from the source),
# settings that select, and files that are missing or wrong.
set -e
. "$root/tests/helpers.sh"
cp "$root"/tests/data/nccl/model/* .

# Two hosts with one GPU each on sockets, as NCCL 2.29.7 printed (latency and bandwidth of ring LL and simple): AllReduce
# 16.6/1.2 and 36.4/2.4, AllGather 11.6/2.4 and 22.4/4.8 (public log of the nccl-eBPF workspace; 2.23 has the same
# figures). LL is left where 16.6 + B/1200 = 1.4 * 36.4 + B/2400, by the plateau of rings, and 11.6 + B/2400 = 22.4 +
# B/4800; an allgather has 2 blocks.
sed 's/nchannels="8"/nchannels="2"/; s/speedint\(r*[ae]r*\)="20"/speedint\1="1.2"/g; s/"NVL"/"PHB"/; s/"PXB"/"SYS"/' graph.xml >small.xml
sed 's/graph.xml/small.xml/; 2i export NCCL_ALGO=Ring' job.sh >small.sh
takes() { collc pick "$@" --ranks 2 --nodes 2 --target nccl-2.23 --bytes 8..1MiB --format json; }
takes small.sh allreduce | jq -e '[.ranges[] | .protocol] == ["ll", "simple"] and (.ranges[0].last | . > 82450 and . < 82480)' >/dev/null
takes small.sh allgather | jq -e '[.ranges[] | .protocol] == ["ll", "simple"] and (.ranges[0].last | . > 25900 and . < 25940)' >/dev/null

# The second opinion: 8 channels of 20 GB/s, compute capability 8.0, Intel; and 2 channels of 80 GB/s with NVLS of 8 by
# 40 and 20 GB/s, compute capability 10.0.
cat >opinion.awk <<'END'
function min(a, b) { return a < b ? a : b }
function max(a, b) { return a > b ? a : b }
function lg(n, l) { l = 0; while (n >= 2) { n = int(n / 2); l++ }; return l }
function by_nodes(one, two, more) { return nodes == 1 ? one : nodes == 2 ? two : more }
function consider(name, lat, bw, t) { t = lat + bytes / (1000 * bw); if (bw > 0 && (best == "" || t < least)) { best = name; least = t } }
BEGIN {
    split("1 1 1 1 .9 .8 .7 .7 .7 .7 .6 .5 .4 .4 .5 .6 .7 .8 .9 1 1 1 1 1", LL)
    split("1 1 1 1 1 .9 .8 .8 .8 .7 .6 .6 .6 .6 .6 .6 .8 .9 .9 .9 .9 1 1 1", LM)
    split(".9 .9 .9 .9 .9 .9 .9 .8 .7 .6 .6 .5 .5 .5 .5 .6 .7 .8 .7 .7 .8 .9 .9 1", SI)
    is_new = sm == 100
    channels = is_new ? 2 : 8
    llmax = by_nodes(is_new ? 282 : 87.7, 39.0, 20.4)
    treemax = channels * (!is_new ? by_nodes(24.0, 23.6, 17.8) : minor < 28 ? by_nodes(77.4, 82.8, 72) : by_nodes(70, 42.8, 24))
    ringll128 = channels * (!is_new ? 20 : minor < 28 ? 73.4 : minor == 28 ? by_nodes(73.4, 34.6, 73.4) : 40)
    treell128 = channels * (!is_new ? 20 : minor < 28 ? by_nodes(73.4, 73.4, 58) : by_nodes(55.6, 31.67, 20))
    inside = 40 * .74 * 7 / 8
    for (bit = 6; bit < 30; bit++) for (part = 0; part < 4; part++) {
        user = int(2^bit * (1 + part / 4) / 8) * 8
        bytes = what == "allgather" ? user * ranks : user
        best = ""; steps = what == "allreduce" ? 2 * (ranks - 1) : ranks - 1
        over = nodes == 1 ? 0 : what == "allgather" ? nodes - 1 : 2 * (minor >= 23 ? nodes - 1 : nodes)
        ratio = ranks / steps; net = nodes > 1 ? 1 : 0
        ringlate = nodes > 1 && what == "allreduce" && bytes >= 64 * (is_new ? 8 : 16) * ranks ? 1.4 : 1
        one = minor >= 23 && ranks == nodes
        c = lg(bytes / 64) + 1; n = lg(nodes)
        if (what == "allreduce") {
            b = min(160 * .92, treemax); h = ranks / nodes - 1
            consider("tree ll", 6.8 + 2 * (h * .6 + n * 5), min(b / 3.8, llmax) * .5 * (c > 23 ? 1 : LL[c]))
            consider("tree ll128", 14 + 2 * (h * 1.25 + n * 8.5), min(b * (nodes == 1 ? 7 / 9 : .9375), treell128) * .5 * (c > 23 ? 1 : LM[c]))
            consider("tree simple", minor >= 23 ? 8.4 + 2 * (h * 4 + n * 14) : 2 * (h * 28 + n * 28), b * .5 * (c > 23 ? 1 : SI[c]))
        }
        consider("ring ll", 6.6 + (steps - over) * max(.6, net) + over * (one ? 5 : 2.7), min(llmax, minor >= 21 ? 80 : what == "allgather" && nodes == 1 ? 160 / 3 : 40) * ratio)
        consider("ring ll128", 14 + (steps - over) * max(1.9, net) + over * (one ? 8.5 : 4), min(160 * (ranks / nodes < 2 && minor < 23 ? .7 : .92), ringll128) * ratio)
        consider("ring simple", (8.4 + (steps - over) * max(3.4, 3 * net) + over * (one && minor < 23 ? 28 : 14)) * ringlate, 160 * ratio)
        if (is_new && nodes == 1)
            consider("nvls simple", 25, what == "allreduce" ? (minor < 28 ? 160 * 5 / 6 : 160 * ratio) : minor < 27 ? 160 : minor == 27 ? 144 : 8 * min(20, inside * (ranks - 1) / ranks))
        if (is_new && nodes > 1 && what == "allreduce")
            consider("nvls_tree simple", 25 + 2 * n * (one || minor < 28 ? 14 : 20.9), minor < 28 ? 8 * by_nodes(0, 20, 10) * 5 / 6 : 8 * min(2 * inside, by_nodes(0, 40, 20)) * ratio * (minor < 29 || c > 24 ? 1 : c == 24 ? .9 : SI[c]))
        if (ranks == nodes && what == "allgather" && minor >= 23)
            consider("pat simple", 8 + n * 4 + ranks * 2.8, 160 * (minor < 24 ? .85 : .75))
        print user, best
    }
}
END
mkdir new
cp job.sh new
sed 's/sm="80"/sm="100"/' topo.xml >new/topo.xml
sed '/id="3"/s/nchannels="0" speedintra="0" speedinter="0"/nchannels="8" speedintra="40" speedinter="20"/; /id="3"/s/LOC/NVL/g
    s/nchannels="8" speedintra="20" speedinter="20"/nchannels="2" speedintra="80" speedinter="80"/' graph.xml >new/graph.xml
compare() { # SM MINOR RANKS NODES COLLECTIVE
    [ $1 = 80 ] && job=job.sh || job=new/job.sh
    collc pick $job $5 --target nccl-2.$2 --ranks $3 --nodes $4 --bytes 64..1GiB --format json |
        jq -r '.ranges[] | "\(.first) \(.last) \(.algorithm) \(.protocol)"' >ranges
    awk -v sm=$1 -v minor=$2 -v ranks=$3 -v nodes=$4 -v what=$5 -f opinion.awk >opinion
    awk -v name="$*" 'NR == FNR { first[NR] = $1; last[NR] = $2; is[NR] = $3 " " $4; n = NR; next }
        { for (i = 1; i <= n; i++) if ($1 >= first[i] && $1 <= last[i] && is[i] != $2 " " $3) {
            print name ": " $0 ", but " is[i]; bad = 1 } } END { exit bad }' ranges opinion
}
for shape in "8 1" "16 2" "64 8" "4 4"; do
    for what in allreduce allgather; do
        for minor in 20 21 $(usually "23 30" 30 "22 23 24 25 26 27 28 29 30"); do compare 80 $minor $shape $what; done
        for minor in $(usually "27 28 30" 28 "25 26 27 28 29 30"); do compare 100 $minor $shape $what; done
    done
done

# Selection: by a variable nothing but that is compared. Where nothing is left releases before 2.24 take rings.
sed '2i export NCCL_ALGO=Tree NCCL_PROTO=Simple' job.sh >tree.sh
collc pick tree.sh allreduce --target nccl-2.30 --ranks 16 --nodes 2 --bytes 8..1GiB | sed 1,2d >out
[ "$(awk '{ print $2, $3 }' out | sort -u)" = 'tree simple' ]
collc pick tree.sh allgather --target nccl-2.22 --ranks 16 --nodes 2 --bytes 8 >out
present 'ring *simple' out
refused=0; collc pick tree.sh allgather --target nccl-2.30 --ranks 16 --nodes 2 --bytes 8 >out || refused=$?
present 'nothing that is selected is for this collective' out

# Its ring is one of the library's; its tree is as its log says. Two releases are compared by one script.
collc verify allreduce --as nccl-2.21 --rules job.sh -t rail:2x8 --ranks-per-machine 8 --bytes 64MiB >out 2>&1
present 'allreduce/ring: 16 ranks' out
refused 'take it from its log' collc verify allreduce --as nccl-2.21 --rules job.sh -t rail:2x8 --ranks-per-machine 8 --bytes 8
collc pick job.sh allreduce --target nccl-2.21 --diff nccl-2.23 --ranks 16 --nodes 2 --bytes 8..1GiB >out
present 'tree *ring' out

[ "$(collc pick job.sh allreduce --target nccl-2.21 --ranks 1 --bytes 8 | awk 'NR == 3 { print $2, $3 }')" = 'ring simple' ]

# Files that are missing or wrong.
pick() { collc pick "$1" allreduce --target nccl-2.23 --ranks 8 --bytes 8; }
printf 'export NCCL_ALGO=Ring\n' >bare.sh
refused "no setting names NCCL's graphs" pick bare.sh
sed 's/graph.xml/none.xml/' job.sh >gone.sh
refused "the file with NCCL's graphs is not here" pick gone.sh
sed '2i export NCCL_COLLNET_ENABLE=1' job.sh >collnet.sh
refused 'CollNet is on' pick collnet.sh
cp graph.xml sound.xml
sed 's/nchannels="8"/nchannels="many"/' sound.xml >graph.xml
refused 'no such number' pick job.sh
sed '/id="1"/d' sound.xml >graph.xml
refused 'no rings and trees' pick job.sh
head -c 200 sound.xml >graph.xml
refused 'T002' pick job.sh
cp sound.xml graph.xml
sed 's/ sm="80"//' topo.xml >other.xml
mv other.xml topo.xml
refused 'no GPU says its compute capability' pick job.sh
