# The cluster of network namespaces: programs of both MPIs run on it with right data, which takes its cables;
# wrong data is noticed; and nothing is left of it, however it ends. No times: other things run here, too.
set -e
. "$root/tests/helpers.sh"
cluster() { "$root/scripts/netns-cluster" --build "$build" "$@"; }

status=0
cluster star:2 -- true 2>message || status=$?
if [ $status -eq 2 ] && grep -Eq "no namespaces|iproute2" message; then
    echo "skipped: $(cat message)"
    exit 0
fi
expect 'status of true' $status 0

# ---- what comes in and what goes out ----

status=0
cluster star:2 -- sh -c 'exit 7' || status=$?
expect 'status of the command' $status 7
expect 'standard input' "$(echo words | cluster star:2 -- cat)" words
# Two machines a leaf, and each cable as fast as its links one way.
cluster fattree:2x2,up=1x1,bw=10Mb/s:5Mb/s -- sh -ec '
    echo "$CLUSTER_RANKS"
    on h3 hostname
    on h0 ip route get 10.77.0.4 | sed -n "s/.* \(via [0-9.]*\) .*/\1/p"
    for node in h0 s0; do on $node tc qdisc show | sed -n "s/.*tbf.* rate \([^ ]*\) .*/$node \1/p"; done' >seen
printf '%s\n' 4 h3 'via 10.78.0.1' 'h0 10455Kbit' 's0 10455Kbit' 's0 10455Kbit' 's0 5227Kbit' >wanted
diff seen wanted

refuse() { # WORDS ARGUMENT...
    words=$1
    shift
    refused "$words" cluster "$@"
}
refuse 'usage: scripts/netns-cluster' star:2
refuse 'machines forward nothing' torus:3x3 -- true
refuse 'for --buffer' --buffer 100 star:2 -- true
refuse "'0' is no number of ranks" --ranks-per-machine 0 star:2 -- true
refuse 'error' nonsense:2 -- true

# ---- data ----

T=fattree:2x2,up=1x1,bw=50Mb/s
mkdir right wrong
collc synth alltoall -t $T -o made.sched
collc emit made.sched -t $T --function my_made -q -o right/made.c
echo 'SCHEDULE(my_made, "made")' >right/schedules.def
cat >wrong/spoiled.c <<'END'
#include <mpi.h>
int spoiled(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
int spoiled(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype out_type, MPI_Comm comm)
{
    int status = MPI_Alltoall(in, n, type, out, m, out_type, comm);
    ((char *)out)[n + 1] ^= 1;
    return status;
}
END
echo 'SCHEDULE(spoiled, "spoiled")' >wrong/schedules.def
# The bytes that went from one leaf to the root: 4 pairs x 2 calls x 30,000.
cat >run <<'END'
set -e
crossed() { on s0 "cat /sys/class/net/$(on s0 ip route get 10.77.0.4 | sed -n 's/.* dev \([a-z0-9]*\) .*/\1/p')/statistics/tx_bytes"; }
before=$(crossed)
mpirun.$1 -np 4 ./right.$1 made 1 30000 >times.$1
echo $(($(crossed) - before)) >crossed.$1
END
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || continue
    mpicc.$mpi -std=c99 -Iright -o right.$mpi "$root/measured/alltoall.c" right/made.c
    cluster $T -- sh run $mpi 2>said || { cat said; exit 1; }
    expect "lines of $mpi" "$(cut -d ' ' -f 1,2 times.$mpi | tr '\n' ' ')" 'made 30000 '
    crossed=$(cat crossed.$mpi)
    [ "$crossed" -gt 240000 ] && [ "$crossed" -lt 450000 ] || { echo "$mpi: $crossed bytes crossed"; exit 1; }
    mpicc.$mpi -std=c99 -Iwrong -o wrong.$mpi "$root/measured/alltoall.c" wrong/spoiled.c
    status=0
    cluster star:2 -- mpirun.$mpi -np 2 ./wrong.$mpi spoiled 1 100 >out 2>message || status=$?
    [ $status -ne 0 ] && grep -q 'wrong data (spoiled, 100 bytes)' out message || {
        echo "$mpi, wrong data: status $status"; cat out message; exit 1; }
done

# ---- several networks ----

# Each message leaves by the interface of the network that verify says, under both MPIs and for any program: data
# by interface is that of verify, by network, times the calls, and what the MPI puts around it. A frame has 66
# bytes of headers.
T=$root/examples/sumimoto2000/small.xml
collc emit alltoall/spread -t "$T" --ranks-per-machine 2 --function my_made -q -o right/made.c
collc verify alltoall/spread -t "$T" --ranks-per-machine 2 --bytes 16384 --format json >report.json
for pair in MY:myri0 GE:eth1 FE:eth0; do
    bytes=$(jq ".networks[] | select(.label == \"${pair%:*}\").bytes" report.json)
    [ "$bytes" -gt 100000 ]
    echo "${pair#*:} $((6 * bytes))" # 5 calls, and one before
done >wanted
cat >run <<'END'
set -e
sent() {
    for host in smp0 smp1 pc0 pc1; do
        on $host 'cd /sys/class/net; for i in myri0 eth1 eth0; do [ ! -e $i ] || echo $i $(cat $i/statistics/tx_bytes $i/statistics/tx_packets); done'
    done | awk '{ data[$1] += $2 - 66 * $3 } END { print data["myri0"], data["eth1"], data["eth0"] }'
}
before=$(sent)
mpirun.$1 -np 8 ./right.$1 made 5 16384 >times.$1
echo $before $(sent) | awk '{ printf "myri0 %d\neth1 %d\neth0 %d\n", $4 - $1, $5 - $2, $6 - $3 }' >sent.$1
END
for mpi in openmpi mpich; do
    command -v mpicc.$mpi mpirun.$mpi >/dev/null || continue
    mpicc.$mpi -std=c99 -Iright -o right.$mpi "$root/measured/alltoall.c" right/made.c
    cluster --ranks-per-machine 2 "$T" -- sh run $mpi 2>said || { cat said; exit 1; }
    join wanted sent.$mpi | awk -v mpi=$mpi '$3 < $2 || $3 > 1.03 * $2 { print mpi ": " $0; wrong = 1 } END { exit wrong || NR != 3 }'
done

# ---- nothing is left ----

gone() { # WHAT: the network of h0, whose number is in the file inode, is nobody's
    for _ in $(seq 400); do
        readlink /proc/[0-9]*/ns/net >networks 2>/dev/null || :
        grep -qxF "$(cat inode)" networks || return 0
        sleep 0.3
    done
    echo "a process is left in the cluster after $1"
    exit 1
}
begin='on h0 "readlink /proc/self/ns/net >inode.new; mv inode.new inode; exec sleep 7891" & wait'
cluster star:2 -- sh -c 'on h0 "readlink /proc/self/ns/net >inode; exec sleep 7891" & while [ ! -s inode ]; do sleep 0.1; done'
gone 'its end'
for signal in TERM KILL; do
    rm -f inode
    "$root/scripts/netns-cluster" --build "$build" star:2 -- sh -c "$begin" &
    while [ ! -s inode ]; do sleep 0.1; done
    kill -$signal $!
    wait $! 2>/dev/null || :
    gone $signal
done
