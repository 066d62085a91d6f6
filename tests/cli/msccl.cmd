# Schedules of MSCCL: what is found in them, and what is wrong with the files, each once.
data="$root"/tests/data/msccl
said() { printf '$ collc'; printf ' %s' "$@" | sed "s|$data/||g"; echo; collc "$@" 2>&1 | sed "s|$data/||g"; }
shown() { said "$@"; collc "$@" >/dev/null 2>&1; echo "exit $?"; }

# Files of several tools. One of them stops, however much is buffered.
for file in ring8 agring8 a2a2ll ar_hier_12_Simple ar_tree_12_LL alltoall-8n-0-9kb presynth-allgather16 64MB; do
    shown verify "$data/$file.xml" -q
done
shown verify "$data/64MB_msccl_strict.xml"
said compile "$data/64MB_msccl_strict.xml"
said compile "$data/64MB.xml"
said verify - -q <"$data/ring8.xml"
said simulate "$data/64MB.xml" -t star:4 --bytes 1MiB | sed 's/^.*time/time/' | head -3
said verify "$data/ring8.xml" -t star:8 --root 1

# Three GPUs: file COLL INPLACE BLOCKS-OF-0 BLOCKS-OF-1 BLOCKS-OF-2; tb SEND RECV STEP...; step TYPE BUFFER CHUNK
# [BUFFER CHUNK [DEPID DEPS [HASDEP [CNT]]]].
step() { printf '%s' "<step s=\"$n\" type=\"$1\" srcbuf=\"$2\" srcoff=\"$3\" dstbuf=\"${4:-$2}\" dstoff=\"${5:-$3}\" \
cnt=\"${9:-1}\" depid=\"${6:--1}\" deps=\"${7:--1}\" hasdep=\"${8:-0}\"/>"; }
tb() { # ID SEND RECV CHAN STEP...
    printf '    <tb id="%s" send="%s" recv="%s" chan="%s">\n' "$1" "$2" "$3" "$4"
    shift 4
    n=0
    for words; do printf '      '; step $words; echo; n=$((n + 1)); done
    echo '    </tb>'
}
file() {
    printf '<algo name="small" nchunksperloop="%s" ngpus="3" coll="%s" inplace="%s">\n' "${6:-3}" "$1" "$2"
    for gpu in 0 1 2; do
        printf '  <gpu id="%s" i_chunks="0" o_chunks="0" s_chunks="1">\n%s\n  </gpu>\n' $gpu "$3"
        set -- "$1" "$2" "$4" "$5" '' "${6:-3}"
    done
    echo '</algo>'
}

# A broadcast down a chain, right; then a mistake each.
first=$(tb 0 1 -1 0 's i 0')
last=$(tb 0 -1 1 0 'r i 0')
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0')" "$last" 1 >chain.xml
shown verify chain.xml
said compile chain.xml
file broadcast 1 "$first" "$(tb 0 -1 0 0 'r i 0')
$(tb 1 2 -1 0 's i 0')" "$last" 1 >race.xml
shown verify race.xml
shown compile race.xml
file broadcast 1 "$first" "$(tb 0 -1 0 0 'r i 0 i 0 -1 -1 1')
$(tb 1 2 -1 0 's i 0 i 0 0 0')" "$last" 1 >ordered.xml
shown verify ordered.xml -q
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0' 's i 0')" "$last" 1 >send.xml
shown verify send.xml
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0')" "$(tb 0 -1 1 0 'r i 0' 'r s 0')" 1 >receive.xml
shown verify receive.xml
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0 i 0 -1 -1 0 2')" "$last" 2 >unequal.xml
shown verify unequal.xml
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0')" '' 1 >nobody.xml
shown verify nobody.xml
file allreduce 0 "$(tb 0 1 -1 0 's o 0')" "$(tb 0 -1 0 0 'r o 0')" '' 1 >undefined.xml
shown verify undefined.xml

copied=$(tb 0 1 -1 0 's i 0' 'cpy i 0 o 0')
file broadcast 0 "$copied" "$(tb 0 2 0 0 'rcs o 0')" "$(tb 0 -1 1 0 'r o 0')" 1 >copied.xml
shown verify copied.xml -q
file broadcast 0 "$first" "$(tb 0 2 0 0 'rcs o 0')" "$(tb 0 -1 1 0 'r o 0')" 1 >unwritten.xml
shown verify unwritten.xml -q

# All to one, each to each, and a chain: reduce_scatter, by both names, and reduce.
part() { # GPU: sends to the two others, and reduces what they send
    tb 0 $((($1 + 1) % 3)) $((($1 + 2) % 3)) 0 "s i $((($1 + 1) % 3))" "rrc i $1 $2 -1 -1 1"
    tb 1 $((($1 + 2) % 3)) $((($1 + 1) % 3)) 0 "s i $((($1 + 2) % 3))" "rrc $2 $2 0 1"
}
file reduce_scatter 0 "$(part 0 'o 0')" "$(part 1 'o 0')" "$(part 2 'o 0')" >scattered.xml
shown verify scattered.xml
file reducescatter 1 "$(part 0 'i 0')" "$(part 1 'i 1')" "$(part 2 'o 0')" >scattered-in-place.xml
shown verify scattered-in-place.xml -q
said compile scattered-in-place.xml
file reduce 1 "$first" "$(tb 0 2 0 0 'rrs i 0')" "$(tb 0 -1 1 0 'rrc i 0')" 1 >reduced.xml
shown verify reduced.xml -q
said compile reduced.xml

# Two thread blocks of a GPU that wait for each other.
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0 i 0 1 0 1')
$(tb 1 -1 -1 0 'nop i 0 i 0 0 0 1')" "$last" 1 >circle.xml
shown verify circle.xml

# Messages that wait in their connections: no steps have each send beside its receive.
file allreduce 1 "$(tb 0 1 1 0 's i 0' 's i 1' 'r s 0' 're s 0 i 0' 'r i 2')" \
    "$(tb 0 0 0 0 's i 0' 's i 2' 'r s 0' 're s 0 i 0' 'r i 1')" '' >two.xml
said compile two.xml
file allreduce 1 "$(tb 0 1 1 0 's i 0' 'cpy i 2 s 0' 'r i 2')" \
    "$(tb 0 0 0 0 's i 1' 'cpy i 0 s 0' 'r i 0')" '' >meet.xml
said compile meet.xml
file allreduce 1 "$(tb 0 1 1 0 's i 0' 'rcs i 1' 'r i 2')" \
    "$(tb 0 0 0 0 's i 0' 's i 1' 'r i 2' 'r i 1')" '' >wait.xml
said compile wait.xml

# A send behind a receive waits for it, whatever it sends.
file allreduce 1 "$(tb 0 1 -1 0 's i 0')" "$(tb 0 2 0 0 'r s 0' 's i 1')" "$(tb 0 -1 1 0 'r s 0')" >behind.xml
said compile behind.xml

# More than the runtimes take.
many() { set -- 's i 0 i 0 -1 -1 0 72'; while [ $# -lt 257 ]; do set -- "$@" 'nop i 0'; done; tb 0 1 -1 0 "$@"; }
tbs() { for id in $(seq 0 32); do tb "$id" "$1" "$2" 0 'nop i 0'; done; }
file broadcast 1 "$(many)" "$(tb 0 2 0 0 'rcs i 0 i 0 -1 -1 0 72')" \
    "$(tb 0 -1 1 0 'r i 0 i 0 -1 -1 0 72')" 72 >large.xml
shown verify large.xml -q
file broadcast 1 "$first" "$(tb 0 2 0 0 'rcs i 0')" "$last
$(tbs 0 1 | sed 1,3d)" 1 >wide.xml
shown verify wide.xml -q

# Files that are not understood.
edit() { sed "$1" chain.xml >edited.xml; said verify edited.xml; }
edit 's/coll="broadcast" //'
edit 's/coll="broadcast"/coll="custom"/'
edit 's/ inplace="1"//'
edit 's/ngpus="3"/ngpus="4"/'
edit 's/ngpus="3"/ngpus="0"/'
edit 's/ngpus="3"/ngpus="three"/'
edit 's/<gpu id="2"/<gpu id="1"/'
edit 's/i_chunks="0"/i_chunks="2"/'
edit 's/tb id="0" send="2"/tb id="0" send="3"/'
edit 's/tb id="0" send="2"/tb id="0" send="1"/'
edit 's/tb id="0" send="2"/tb id="0" send="-1"/'
edit 's/tb id="0" send="2"/tb id="1" send="2"/'
edit 's/type="rcs"/type="ra"/'
edit 's/type="rcs"/type="rsc"/'
edit 's/type="rcs"/type="rrcs"/;s/broadcast/allgather/;s/nchunksperloop="1"/nchunksperloop="3"/'
edit 's/s="0" type="rcs"/s="1" type="rcs"/'
edit 's/dstbuf="i"/dstbuf="t"/'
edit 's/dstoff="0"/dstoff="1"/'
edit 's/dstoff="0"/dstoff="-1"/'
edit 's/cnt="1"/cnt="0"/'
edit 's/depid="-1" deps="-1"/depid="1" deps="0"/'
edit 's/depid="-1" deps="-1"/depid="0" deps="1"/'
edit 's/depid="-1" deps="-1"/depid="0" deps="0"/'
edit 's/broadcast/alltoall/'
edit 's/<step s="0" type="rcs"/<stop s="0" type="rcs"/'
edit 's/<\/algo>//'
edit '$s/$/<!-- \&/;s/"broadcast"/"allreduce"/;s/coll=/coll="allreduce" coll=/'
file broadcast 1 "$first
$(tb 1 1 -1 0 's i 0')" "$(tb 0 2 0 0 'rcs i 0')" "$last" 1 >shared.xml
said verify shared.xml
file reduce 1 "$first" "$(tb 0 -1 0 0 'rrc i 0')" '' 1 >rootless.xml
said verify rootless.xml
